//! Steps forwards and backwards.
//!
//! The machine is deterministic, so an earlier state is found by running again from a copy that was kept. Copies are
//! kept at equal distances; when there are too many, or they take too much memory, every second one is let go and the
//! distance doubles. So going anywhere costs at most about a sixtieth of the whole way.

use crate::code::Assembly;
use crate::machine::{Machine, State, Status};
use crate::view::Position;
use base::{Edited, ToList};

/// Most copies that are kept.
const MAX_COPIES: usize = 60;
/// Bytes that copies may take together.
const MAX_BYTES: usize = 128 << 20;
/// The first distance, in steps.
const FIRST_DISTANCE: u64 = 1 << 10;

/// How a request to go somewhere ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    There,
    /// The run ends before.
    End,
    /// The budget ended before: asking again goes on.
    OnTheWay,
}

/// A run with its past.
pub struct History {
    machine: Machine,
    /// States and their steps, in order; the first is that of the start.
    copies: Vec<(u64, State)>,
    distance: u64,
    /// How many steps there are, and what they come to. A step that fails is none: it is about to be done.
    end: Option<(u64, Status)>,
    /// The furthest step that has been seen.
    seen: u64,
    /// Most steps of one request.
    budget: u64,
}

impl History {
    /// Of a machine that has just been started.
    pub fn new(machine: Machine, budget: u64) -> History {
        let copies = vec![(machine.steps(), copy(&machine))];
        let seen = machine.steps();
        History { machine, copies, distance: FIRST_DISTANCE, end: None, seen, budget: budget.max(1) }
    }

    /// The state at the current step.
    pub fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    pub fn step(&self) -> u64 {
        self.machine.steps()
    }

    /// How many steps the run has, if its end has been seen.
    pub fn length(&self) -> Option<u64> {
        self.end.as_ref().map(|(step, _)| *step)
    }

    /// What the run comes to, if its end has been seen.
    pub fn outcome(&self) -> Option<&Status> {
        self.end.as_ref().map(|(_, status)| status)
    }

    /// The furthest step that has been seen.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Looks for the end from where the run has been seen last, and comes back. Whether it has been found.
    pub fn look_ahead(&mut self) -> bool {
        if self.end.is_none() {
            let here = self.step();
            self.rewind(self.seen);
            self.forwards(u64::MAX, self.budget);
            self.rewind(here);
            let there = self.forwards(here, u64::MAX);
            debug_assert_eq!(there, Arrival::There, "what has been done can be done again");
        }
        self.end.is_some()
    }

    /// Goes to a step.
    pub fn seek(&mut self, step: u64) -> Arrival {
        if step != self.step() {
            self.rewind(step);
        }
        // What has been seen is found again whatever it costs: that is bounded by the distance of copies.
        let known = step.min(self.seen);
        self.forwards(known, u64::MAX);
        self.forwards(step, self.budget)
    }

    pub fn step_into(&mut self) -> Arrival {
        self.forwards(self.step() + 1, self.budget)
    }

    /// One step, and to the end of the call if it begins one.
    pub fn step_over(&mut self) -> Arrival {
        let depth = self.machine.depth();
        self.until(|machine| machine.depth() <= depth)
    }

    /// To where the current call has returned.
    pub fn step_out(&mut self) -> Arrival {
        let depth = self.machine.depth();
        self.until(|machine| machine.depth() < depth)
    }

    pub fn back(&mut self) -> Arrival {
        match self.step().checked_sub(1) {
            Some(step) if step >= self.copies[0].0 => self.seek(step),
            Some(_) | None => Arrival::End,
        }
    }

    /// At least one step, to where the predicate holds.
    pub fn run_to(&mut self, mut is_there: impl FnMut(&Position) -> bool) -> Arrival {
        self.until(|machine| machine.position().is_some_and(|position| is_there(&position)))
    }

    fn until(&mut self, mut is_there: impl FnMut(&Machine) -> bool) -> Arrival {
        for _ in 0..self.budget {
            match self.forwards(self.step() + 1, 1) {
                Arrival::There if is_there(&self.machine) => return Arrival::There,
                Arrival::There => {}
                Arrival::End => return Arrival::End,
                Arrival::OnTheWay => return Arrival::OnTheWay,
            }
        }
        Arrival::OnTheWay
    }

    /// To the last state that is known at a step or before it, unless the current one is nearer.
    fn rewind(&mut self, step: u64) {
        let n_before = self.copies.partition_point(|(at, _)| *at <= step);
        let Some((at, state)) = n_before.checked_sub(1).and_then(|last| self.copies.get(last)) else { return };
        if self.step() > step || self.step() < *at {
            self.machine.state = state.clone();
        }
    }

    /// Runs on to a step, for at most so many steps.
    fn forwards(&mut self, step: u64, budget: u64) -> Arrival {
        let mut left = budget;
        loop {
            let here = self.step();
            if here >= step {
                return Arrival::There;
            }
            let end = self.end.as_ref().map_or(u64::MAX, |(end, _)| *end);
            if here >= end {
                return Arrival::End;
            }
            if left == 0 {
                return Arrival::OnTheWay;
            }
            let next_copy = self.copies.last().map_or(0, |(at, _)| at + self.distance);
            let to_copy = if next_copy > here { next_copy - here } else { u64::MAX };
            let n = left.min(step - here).min(end - here).min(to_copy);
            let status = self.machine.run(n);
            let there = self.step();
            left -= (there - here).min(left);
            self.seen = self.seen.max(there);
            match status {
                Status::Running => {
                    if there >= next_copy {
                        self.copies.push((there, copy(&self.machine)));
                        self.thin();
                    }
                }
                Status::Done => self.end = Some((there, Status::Done)),
                Status::Failed(_) => {
                    // The failure has cleaned up: what was there before it is found again.
                    self.end = Some((there, status));
                    self.rewind_before(there);
                    let n = there - self.step();
                    self.machine.run(n);
                }
            }
        }
    }

    /// As [`History::rewind`], though the machine claims to be there.
    fn rewind_before(&mut self, step: u64) {
        let n_before = self.copies.partition_point(|(at, _)| *at <= step);
        if let Some((_, state)) = n_before.checked_sub(1).and_then(|last| self.copies.get(last)) {
            self.machine.state = state.clone();
        }
    }

    fn thin(&mut self) {
        let bytes = |copies: &[(u64, State)]| copies.iter().map(|(_, state)| state.bytes()).total::<usize>();
        while self.copies.len() > 1 && (self.copies.len() > MAX_COPIES || bytes(&self.copies) > MAX_BYTES) {
            self.distance *= 2;
            let first = self.copies[0].0;
            let distance = self.distance;
            let is_last = self.copies.len() == 2;
            self.copies.keep(|(at, _)| *at == first || (!is_last && (at - first).is_multiple_of(distance)));
        }
    }
}

fn copy(machine: &Machine) -> State {
    let code: &Assembly = &machine.code;
    machine.state.trimmed(machine.state.n_registers(code))
}
