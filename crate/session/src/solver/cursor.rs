//! A place in the trace that can be moved anywhere.
//!
//! The solver is kept as it is there. To move, events are done or taken back, from where the cursor stands or from the
//! nearest checkpoint, whichever is nearer. Checkpoints are made where the cursor first passes; there are few, so that
//! a long trace takes no more than that many copies of its solver.

use crate::beginning;
use solve::trace::{redo, undo};
use solve::{Event, Posted, Solver};

const MAX_CHECKPOINTS: usize = 8;

/// Events between two checkpoints, at least.
pub(super) const MIN_SPACING: usize = 1_000;

pub(super) struct Cursor {
    solver: Solver,
    at: usize,
    spacing: usize,
    checkpoints: Vec<(usize, Solver)>,
}

impl Cursor {
    /// At the beginning of a trace of so many events.
    pub fn new(n_events: usize, min_spacing: usize) -> Cursor {
        let spacing = (n_events / MAX_CHECKPOINTS + 1).max(min_spacing);
        Cursor { solver: beginning(), at: 0, spacing, checkpoints: Vec::new() }
    }

    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Goes to where `event` events are done, which is not inside a step.
    pub fn seek(&mut self, event: usize, events: &[Event], posted: &[Posted]) -> &Solver {
        let distance = |from: usize| from.abs_diff(event);
        // To copy the solver costs as much as a part of the whole way.
        let copying = events.len() / 5;
        let nearest = self.checkpoints.iter().min_by_key(|&&(at, _)| distance(at));
        if let Some((at, solver)) = nearest.filter(|&&(at, _)| distance(at) + copying < distance(self.at)) {
            (self.at, self.solver) = (*at, solver.quiet());
        }
        if event < self.at {
            undo(&mut self.solver, &events[event..self.at]);
            self.at = event;
        }
        while self.at < event {
            let next = (self.at / self.spacing + 1) * self.spacing;
            let to = next.min(event);
            redo(&mut self.solver, &events[self.at..to], posted);
            self.at = to;
            if to == next && self.checkpoints.iter().all(|&(at, _)| at != to) {
                self.checkpoints.push((to, self.solver.quiet()));
            }
        }
        &self.solver
    }
}
