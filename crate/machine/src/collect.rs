//! Cycles, and what a failed run leaves.
//!
//! Counts free all but cycles, which only references can close. Those are found by marking what can be reached.

use crate::code::{Assembly, At, Code};
use crate::heap::{FREE, Heap, IMMORTAL};
use crate::live::{Point, live};
use crate::machine::{GlobalState, Machine};
use base::{HashMap, Idx, ToList};
use ir::VarId;
use layout::LayoutId;

/// Which blocks are marked, by address.
struct Marks(Vec<u64>);

impl Marks {
    fn new(heap: &Heap) -> Marks {
        Marks(vec![0; heap.extent().1 as usize / 512 + 1])
    }

    /// Whether the block was not marked before.
    fn insert(&mut self, at: u32) -> bool {
        let (word, bit) = ((at / 512) as usize, at / 8 % 64);
        match self.0.get_mut(word) {
            Some(word) => {
                let is_new = *word >> bit & 1 == 0;
                *word |= 1 << bit;
                is_new
            }
            None => false,
        }
    }

    fn contains(&self, at: u32) -> bool {
        self.0.get((at / 512) as usize).is_some_and(|word| word >> (at / 8 % 64) & 1 == 1)
    }
}

/// Marks what the roots lead to, and tells of each pointer on the way.
fn mark(heap: &Heap, code: &Assembly, roots: Vec<u32>, mut visit: impl FnMut(u32)) -> Marks {
    let mut marks = Marks::new(heap);
    let mut todo = roots;
    let mut found = Vec::new();
    todo.iter().for_each(|&root| visit(root));
    while let Some(at) = todo.pop() {
        if !marks.insert(at) {
            continue;
        }
        code.kinds.pointers_at(&code.program.layouts, heap, at, &mut found);
        while let Some((_, pointer)) = found.pop() {
            visit(pointer);
            todo.push(pointer);
        }
    }
    marks
}

/// The blocks that are neither free nor marked: address and size.
fn unmarked(heap: &Heap, code: &Assembly, marks: &Marks) -> Vec<(u32, u32)> {
    let (mut at, end) = heap.extent();
    let mut found = Vec::new();
    while at < end {
        let size = code.kinds.size_at(heap, at).max(8);
        if heap.kind(at) != FREE && !marks.contains(at) {
            found.push((at, size));
        }
        at = at.saturating_add(size);
    }
    found
}

impl Machine {
    /// Frees what is reachable from no top-level variable, frame or result.
    pub fn collect(&mut self) {
        let code = self.code.clone();
        let roots = self.roots();
        let heap = &mut self.state.heap;
        let marks = mark(heap, &code, roots, |_| {});
        let lost = unmarked(heap, &code, &marks);
        let mut found = Vec::new();
        for &(at, _) in &lost {
            code.kinds.pointers_at(&code.program.layouts, heap, at, &mut found);
            while let Some((_, pointer)) = found.pop() {
                if marks.contains(pointer) && heap.count(pointer) != IMMORTAL {
                    heap.set_header(pointer, heap.count(pointer).saturating_sub(1).max(1), heap.kind(pointer));
                }
            }
        }
        lost.into_iter().for_each(|(at, size)| heap.free(at, size));
    }

    /// Gives up all calls: only top-level variables that have been found keep what they have, and own it alone.
    pub(crate) fn recover(&mut self) {
        let code = self.code.clone();
        let state = &mut self.state;
        state.frames.clear();
        state.root = None;
        state.base = 0;
        state.pc = crate::code::HALT;
        state.is_done = false;
        for global in &mut state.globals {
            if *global == GlobalState::Running {
                *global = GlobalState::Unset;
            }
        }
        let roots = self.roots();
        let heap = &mut self.state.heap;
        let mut counts: HashMap<u32, u32> = HashMap::default();
        let marks = mark(heap, &code, roots, |pointer| *counts.entry(pointer).or_insert(0) += 1);
        let lost = unmarked(heap, &code, &marks);
        let mut live = 0;
        for (at, count) in counts {
            if heap.count(at) != IMMORTAL {
                heap.set_header(at, count, heap.kind(at));
                live += u64::from(code.kinds.size_at(heap, at));
            }
        }
        lost.into_iter().for_each(|(at, size)| heap.free(at, size));
        // The frames count no more.
        heap.in_use = live;
        if live == 0 {
            heap.clear();
        }
    }

    /// What is held from outside the heap. Of frames, what they still need.
    fn roots(&self) -> Vec<u32> {
        let (code, state) = (&self.code, &self.state);
        let layouts = &code.program.layouts;
        let mut found = Vec::new();
        for (global, data) in state.globals.iter().zip(code.program.globals.iter()) {
            if let GlobalState::Done(words) = global {
                code.kinds.pointers(layouts, data.layout, words, &mut found);
            }
        }
        if let Some((root, _)) = state.root.filter(|_| state.is_done)
            && let Some(function) = code.program.functions.get(root)
            && let Some(words) = state.registers.get(..layout::n_words(layouts[function.result].bits))
        {
            code.kinds.pointers(layouts, function.result, words, &mut found);
        }
        for frame in self.frames(usize::MAX) {
            for (_, layout, words) in frame.vars(self) {
                code.kinds.pointers(layouts, layout, words, &mut found);
            }
        }
        found.into_iter().map(|(_, pointer)| pointer).list()
    }

    /// Looks for room for so many bytes: frees cycles, joins free blocks. Whether there is enough now.
    pub(crate) fn make_room(&mut self, bytes: u64) -> bool {
        if bytes > self.limits.memory {
            return false;
        }
        let state = &mut self.state;
        // Looking costs as much as there is; not again before as much has been done.
        let is_due = state.steps >= state.collected.saturating_add(state.heap.in_use / 64);
        if state.heap.in_use + bytes > self.limits.memory {
            if !self.code.has_refs || !is_due {
                return false;
            }
            state.collected = state.steps.max(1);
            self.collect();
        }
        if self.state.heap.in_use + bytes > self.limits.memory {
            return false;
        }
        let Ok(size) = u32::try_from(bytes.next_multiple_of(8)) else { return false };
        let heap = &mut self.state.heap;
        if !has_room(heap, size) && heap.can_join() {
            join(heap, &self.code);
        }
        has_room(heap, size)
    }

    /// The innermost unfinished calls.
    pub(crate) fn frames(&self, limit: usize) -> Vec<Call> {
        let state = &self.state;
        let (mut pc, mut base) = (state.pc, state.base);
        let mut wait = match self.code.codes.get(pc as usize) {
            Some(Code::StoreGlobal { .. }) => Wait::Returned,
            Some(_) | None => Wait::No,
        };
        let mut calls = Vec::new();
        for frame in state.frames.iter().rev().take(limit) {
            calls.push(Call { pc, base, wait });
            // The caller waits at the instruction before the one that it goes on with; a global's at its own.
            pc = match self.code.codes.get(frame.pc as usize) {
                Some(Code::StoreGlobal { next, .. }) => next.saturating_sub(1),
                Some(_) | None => frame.pc.saturating_sub(1),
            };
            base = frame.base;
            wait = Wait::ForCall;
        }
        calls
    }
}

/// Joins free blocks that are neighbours.
#[inline(never)]
pub(crate) fn join(heap: &mut Heap, code: &Assembly) {
    heap.join(|heap, at| code.kinds.size_at(heap, at));
}

fn has_room(heap: &mut Heap, size: u32) -> bool {
    let peak = heap.peak;
    let found = heap.take(size.max(16), FREE);
    if let Some(at) = found {
        heap.free(at, size.max(16));
    }
    heap.peak = peak;
    heap.settle();
    found.is_some()
}

/// An unfinished call.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    /// Of the instruction that it is at.
    pub pc: u32,
    pub base: u32,
    pub wait: Wait,
}

/// How far the instruction is that a call is at.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Wait {
    /// Not begun.
    No,
    /// The call that it is has begun.
    ForCall,
    /// The function of a global has given its value, which is to be kept.
    Returned,
}

impl Call {
    /// The variables that it still needs, in the order in which they are given, with their layouts and words.
    pub fn vars<'m>(&self, machine: &'m Machine) -> Vec<(VarId, LayoutId, &'m [u64])> {
        let code = &machine.code;
        let Some(origin) = code.origins.get(self.pc as usize) else { return Vec::new() };
        let Some(function) = code.program.functions.get(origin.function) else { return Vec::new() };
        let routine = &code.routines[origin.function];
        let mut index = origin.index as usize;
        let mut missing: &[VarId] = &[];
        if self.wait != Wait::No {
            index += 1;
        }
        if let (Wait::ForCall, Some(At::Instr(instr))) = (self.wait, code.at(self.pc)) {
            missing = &instr.results;
        }
        let vars = live(function, Point { block: origin.block, index });
        let words = |var: VarId| {
            let range = routine.places.get(var.index())?.range();
            machine.state.registers.get(self.base as usize + range.start..self.base as usize + range.end)
        };
        let needed = vars.into_iter().filter(|var| !missing.contains(var));
        needed.filter_map(|var| Some((var, function.vars[var].layout, words(var)?))).list()
    }
}
