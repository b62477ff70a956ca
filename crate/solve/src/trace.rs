//! What the solver did, as data: every event carries ids and causes, words are made elsewhere.
//!
//! Laws, tested on every page: [`replay`] of all events rebuilds the solver; undoing a suffix with [`undo`] equals
//! replaying the prefix.
//!
//! Worked example. `%x: _` and `Equal(int32, %x)` give
//! `fresh t0`, `fresh t1 = int32`, `post r0 Equal(t1, t0)`, then from the queue `link t0 → t1`, `step r0 solved`.

use crate::solver::{Posted, RelationId, Solver, State};
use crate::store::Cause;
use base::ToList;
use ty::{Term, TermId};

/// How running a relation ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Solved,
    /// The roots whose learning runs it again.
    Waits(Vec<TermId>),
    Failed,
}

/// A relation that was moved to the front of the queue, and what it had waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct Woken {
    pub relation: RelationId,
    pub waits: Vec<TermId>,
}

/// The relations that an event moved to the front. Most events move none, and take no room for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved(Option<Box<Front>>);

#[derive(Clone, Debug, PartialEq)]
struct Front {
    woken: Vec<Woken>,
}

impl Moved {
    pub(crate) fn new(woken: &[Woken]) -> Moved {
        Moved((!woken.is_empty()).then(|| Box::new(Front { woken: woken.to_vec() })))
    }
}

impl std::ops::Deref for Moved {
    type Target = [Woken];

    fn deref(&self) -> &[Woken] {
        self.0.as_ref().map_or(&[], |front| &front.woken)
    }
}

/// What a class knew before it was told something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Before {
    pub term: Term,
    pub source: TermId,
    /// The cause that it was last told something for.
    pub learned: Cause,
}

/// Each has what it takes to undo it, so that the events read backwards are the undo log. They are kept small: writing
/// them is what a trace costs.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Fresh {
        id: TermId,
        term: Term,
        cause: Cause,
    },
    Bind {
        id: TermId,
        before: Box<Before>,
        new: Term,
        source: TermId,
        cause: Cause,
        woken: Moved,
    },
    Link {
        child: TermId,
        parent: TermId,
        /// The cells, one in each class, that turned out to be equal.
        cells: (TermId, TermId),
        hidden: Term,
        /// What the parent was last told something for, before.
        learned: Cause,
        cause: Cause,
        woken: Moved,
    },
    Post {
        relation: RelationId,
    },
    /// The relation left the queue and ran; what it asserted stands before this event, from the event `began` on.
    Step {
        relation: RelationId,
        began: u32,
        outcome: Outcome,
    },
    /// A group of definitions was generalised: these waiting relations went into its schemes. The variables taken
    /// out with them are bound to parameters, for the same cause, by the `Bind` events that follow.
    Quantify {
        relations: Vec<Woken>,
        cause: Cause,
    },
}

/// Keeps everything, or nothing, which costs one test for each event. It is one type for both, so that the page loads
/// the code of the solver, and of all that asks it, once.
#[derive(Clone, Debug)]
pub struct Trace {
    pub events: Vec<Event>,
    is_on: bool,
}

impl Trace {
    pub fn on() -> Trace {
        Trace { events: Vec::new(), is_on: true }
    }

    pub fn off() -> Trace {
        Trace { events: Vec::new(), is_on: false }
    }

    #[inline]
    pub fn push(&mut self, event: impl FnOnce() -> Event) {
        if self.is_on {
            self.events.push(event());
        }
    }

    pub fn n_events(&self) -> u32 {
        self.events.len() as u32
    }

    /// Makes room for `n` more events.
    pub fn reserve(&mut self, n: usize) {
        if self.is_on {
            self.events.reserve(n);
        }
    }
}

/// Does to the solver that the trace began with what the events say. `posted` are the relations by id, since events
/// name them only.
pub fn replay(mut solver: Solver, events: &[Event], posted: &[Posted]) -> Solver {
    redo(&mut solver, events, posted);
    solver
}

/// As [`replay`], from where the solver stands.
pub fn redo(solver: &mut Solver, events: &[Event], posted: &[Posted]) {
    for event in events {
        match event {
            Event::Fresh { term, cause, .. } => {
                solver.store.fresh(*term, *cause);
            }
            Event::Bind { id, new, source, cause, .. } => solver.bind_from(*id, *new, *source, *cause),
            Event::Link { child, parent, cells, cause, .. } => solver.link(*child, *parent, *cells, *cause),
            Event::Post { relation } => {
                let Posted { ref relation, ref args, ref attrs, cause, .. } = posted[relation.number() as usize];
                solver.post_shared(relation.clone(), args.clone(), attrs.clone(), cause);
            }
            Event::Step { relation, outcome, .. } => {
                solver.leave_queue(*relation);
                solver.finish_step(*relation, outcome.clone());
            }
            Event::Quantify { relations, .. } => {
                let ids: Vec<RelationId> = relations.iter().map(|woken| woken.relation).list();
                solver.take_out(&ids);
            }
        }
    }
}

/// Takes back the last events, newest first, from the solver that they led to.
pub fn undo(solver: &mut Solver, events: &[Event]) {
    solver.forget_rows();
    for event in events.iter().rev() {
        match event {
            Event::Fresh { .. } => solver.store.undo(event),
            Event::Bind { woken, .. } | Event::Link { woken, .. } => {
                solver.store.undo(event);
                for Woken { relation, waits } in woken.iter() {
                    solver.leave_queue(*relation);
                    solver.enter_wait(*relation, waits.clone());
                }
            }
            Event::Post { .. } => {
                // Nothing has been queued behind it that has not been taken back.
                solver.queue.pop_back();
                solver.relations.pop();
            }
            Event::Step { relation, .. } => {
                solver.leave_wait(*relation);
                solver.relations[relation.number() as usize].state = State::Queued;
                solver.queue.push_front(*relation);
            }
            Event::Quantify { relations, .. } => {
                for Woken { relation, waits } in relations {
                    solver.enter_wait(*relation, waits.clone());
                }
            }
        }
    }
}
