//! Why not: a minimal set of what was said and demanded that cannot hold together.
//!
//! In: a solver with its trace, the events of the group of definitions in which something failed, and what of the
//! program may be left out: the relations that the walk posted, and *facts*, cells that it made with what was written
//! there, or that it has from earlier groups. Out: a set of these that fails, of which no member can be left out.
//!
//! The group is solved anew from its beginning, with the walk's cells under their old ids and some of its relations and
//! facts left out (a fact that is left out is an unknown). What a rule made has no place of its own then, so where the
//! walk itself used such cells the relation that needs them is lost, and with it perhaps the conflict: then, as when
//! the search takes too many steps, the answer is what was found so far, and says that it is bounded.
//!
//! Sets are made smaller by deletion of ever smaller chunks, and at last of each member (Zeller and Hildebrandt 2002),
//! from what the derivations of the failed relation's arguments mention, if that fails by itself.

use crate::derive::{By, Graph, Passed, Place};
use crate::solver::{RelationId, Solver};
use crate::trace::{Event, undo};
use base::{Append, Edited, HashSet, ToList};
use ty::{Term, TermId};

/// At most this many relations are run in all.
const MAX_STEPS: usize = 400_000;
/// Copying this many cells counts as running a relation.
const CELLS_STEP: usize = 64;

/// What may be left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    Posted(RelationId),
    /// Cells that say one thing that was written.
    Fact(Vec<TermId>),
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Failed(RelationId),
    /// A type that contains itself.
    Cycle(TermId),
}

/// A set of constraints, by their numbers in [`Conflict::constraints`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    pub members: Vec<usize>,
    /// It may not be minimal.
    pub is_bounded: bool,
}

pub struct Conflict<'a> {
    graph: &'a Graph<'a>,
    fault: Fault,
    /// As things stood when the group began.
    base: Solver,
    /// The cells up to the last one that the walk made, with their terms.
    cells: Vec<Term>,
    first_cell: usize,
    /// The failed one, or that in whose runs it was posted, is the last.
    pub constraints: Vec<Constraint>,
    n_steps: std::cell::Cell<usize>,
    /// The walk bound something itself, which solving anew does not.
    assumes: bool,
}

impl<'a> Conflict<'a> {
    /// `group` is the range of events of the group in which the fault is, `facts` what may be left out in it besides
    /// relations.
    pub fn new(
        graph: &'a Graph<'a>,
        group: std::ops::Range<usize>,
        fault: Fault,
        facts: Vec<Vec<TermId>>,
    ) -> Conflict<'a> {
        let solver: &Solver = graph.solver();
        let events = &solver.store.log.events;
        let mut base = solver.quiet();
        undo(&mut base, &events[group.start..]);
        let first_cell = base.store.len();
        let failed = match fault {
            Fault::Failed(relation) => Some(solver.posted_first(relation)),
            Fault::Cycle(_) => None,
        };
        // Other mistakes are told apart from this one.
        let others: HashSet<RelationId> =
            solver.failures.iter().map(|failure| solver.posted_first(failure.relation)).collect();
        let mut cells = Vec::new();
        let mut posted = Vec::new();
        let (mut n_cells, mut assumes, mut is_over) = (0, false, false);
        for event in &events[group] {
            match *event {
                Event::Fresh { id, term, .. } => {
                    let is_walks = graph.is_of_walk(id);
                    cells.push(if is_walks { term } else { Term::hole(term.kind()) });
                    if is_walks && !is_over {
                        n_cells = cells.len();
                    }
                }
                Event::Post { relation } if !is_over && solver.relation(relation).by.is_none() => posted.push(relation),
                Event::Step { relation, .. } => is_over |= fault == Fault::Failed(relation) && is_failed(event),
                Event::Bind { id, .. } => assumes |= !is_over && failed.is_some() && graph.is_told(id),
                Event::Link { .. } | Event::Post { .. } | Event::Quantify { .. } => {}
            }
        }
        cells.truncate(n_cells);
        posted.keep(|relation| Some(*relation) != failed && !others.contains(relation));
        let mut constraints: Vec<Constraint> = facts.into_iter().map(Constraint::Fact).list();
        constraints.append_all(posted.into_iter().chain(failed).map(Constraint::Posted));
        Conflict { graph, fault, base, cells, first_cell, constraints, n_steps: std::cell::Cell::new(0), assumes }
    }

    /// Whether some constraints cannot hold together; `None` if too much has been tried.
    pub fn fails(&self, members: &[usize]) -> Option<bool> {
        let chosen: HashSet<usize> = members.iter().copied().collect();
        let mut solver = self.base.quiet();
        let mut cells = self.cells.clone();
        for (number, constraint) in self.constraints.iter().enumerate() {
            let Constraint::Fact(ids) = constraint else { continue };
            for &id in ids.iter().filter(|_| !chosen.contains(&number)) {
                match (id.number() as usize).checked_sub(self.first_cell) {
                    Some(at) => {
                        if let Some(cell) = cells.get_mut(at) {
                            *cell = Term::hole(cell.kind());
                        }
                    }
                    None => solver.unlearn(id),
                }
            }
        }
        let trace = self.graph.solver();
        let origin = |at: usize| trace.store.made_by(TermId::numbered((self.first_cell + at) as u32));
        for (at, term) in cells.into_iter().enumerate() {
            solver.store.fresh(term, origin(at));
        }
        for (number, constraint) in self.constraints.iter().enumerate() {
            if let (Constraint::Posted(relation), true) = (constraint, chosen.contains(&number)) {
                let posted = trace.relation(*relation);
                // Arguments that only came up later are as unknown as can be.
                if posted.args.iter().all(|arg| (arg.number() as usize) < solver.store.len()) {
                    solver.post(posted.relation.clone(), &posted.args, posted.attrs.clone(), posted.cause);
                }
            }
        }
        let spent = self.n_steps.get() + solver.store.len() / CELLS_STEP;
        let left = MAX_STEPS.saturating_sub(spent);
        let (n_run, has_failed) = solver.solve_until_failure(left);
        self.n_steps.set(spent + n_run);
        if n_run >= left {
            return None;
        }
        Some(has_failed || (matches!(self.fault, Fault::Cycle(_)) && !solver.cycles(self.first_cell, &[]).is_empty()))
    }

    /// A minimal set that fails.
    pub fn core(&self) -> Core {
        let all: Vec<usize> = (0..self.constraints.len()).list();
        let near = self.near();
        let mut members = match (self.fails(&near), self.assumes) {
            (Some(true), false) => near,
            _ if self.fails(&all) == Some(true) && !self.assumes => all,
            _ => return Core { members: near, is_bounded: true },
        };
        let mut chunk = members.len().div_ceil(2).max(1);
        loop {
            // The last ones are nearest to the failure.
            let mut at = 0;
            while at < members.len() {
                let end = (at + chunk).min(members.len());
                let rest: Vec<usize> = members[..at].iter().chain(&members[end..]).copied().list();
                match self.fails(&rest) {
                    Some(true) => members = rest,
                    Some(false) => at = end,
                    None => return Core { members, is_bounded: true },
                }
            }
            if chunk == 1 {
                return Core { members, is_bounded: false };
            }
            chunk = chunk.min(members.len()).div_ceil(2).max(1);
        }
    }

    /// What the derivations of the failed relation's arguments mention, and itself.
    fn near(&self) -> Vec<usize> {
        let solver = self.graph.solver();
        let mut places: Vec<Place> = Vec::new();
        match self.fault {
            Fault::Failed(relation) => {
                for posted in [relation, self.graph.solver.posted_first(relation)] {
                    for &arg in &solver.relation(posted).args {
                        self.graph.parts(arg, &mut places);
                    }
                }
            }
            Fault::Cycle(term) => self.graph.parts(term, &mut places),
        }
        let mut relations: HashSet<RelationId> = HashSet::default();
        let mut cells: HashSet<TermId> = HashSet::default();
        for place in places {
            for step in self.graph.derive(&place) {
                for passed in &step.passed {
                    match *passed {
                        Passed::Equation(relation) => drop(relations.insert(self.graph.solver.posted_first(relation))),
                        Passed::Part(_) => {}
                    }
                }
                match step.by {
                    By::Rule { relation, .. } => drop(relations.insert(self.graph.solver.posted_first(relation))),
                    By::Said(_) => drop(cells.insert(step.at.cell)),
                }
                cells.insert(step.place.cell);
            }
        }
        let last = self.constraints.len().saturating_sub(1);
        let is_near = |number: &usize| match &self.constraints[*number] {
            Constraint::Posted(relation) => *number == last || relations.contains(relation),
            Constraint::Fact(ids) => ids.iter().any(|&id| cells.iter().any(|&cell| self.graph.holds(id, cell))),
        };
        (0..self.constraints.len()).filter(is_near).list()
    }
}

fn is_failed(event: &Event) -> bool {
    matches!(event, Event::Step { outcome: crate::trace::Outcome::Failed, .. })
}
