//! Blocks put in order: those that nothing leads to are left out, and a block that only one jump leads to goes where
//! that jump is.

use super::graph::targets_mut;
use base::{Idx, IndexVec};
use ir::{Block, BlockId, End, Fault, Function, VarId};

/// What takes the place of each variable: itself at first. What is put in is always final.
pub(super) struct Renaming(Vec<VarId>);

impl Renaming {
    pub fn new(n_vars: usize) -> Renaming {
        Renaming((0..n_vars).map(VarId::new).collect())
    }

    pub fn get(&self, var: VarId) -> VarId {
        self.0[var.index()]
    }

    /// Variables that came later stand for themselves.
    pub fn grow(&mut self, n_vars: usize) {
        self.0.extend((self.0.len()..n_vars).map(VarId::new));
    }

    pub fn set(&mut self, var: VarId, by: VarId) {
        self.0[var.index()] = self.get(by);
    }

    /// As [`set`](Renaming::set), where `by` counts in another numbering.
    pub fn put(&mut self, var: VarId, by: VarId) {
        self.0[var.index()] = by;
    }

    pub fn apply(&self, vars: &mut [VarId]) {
        for var in vars {
            *var = self.get(*var);
        }
    }

    pub fn apply_to_all(&self, function: &mut Function) {
        for id in function.blocks.ids() {
            let block = &mut function.blocks[id];
            for instr in &mut block.instrs {
                self.apply(&mut instr.args);
            }
            self.apply(block.end.args_mut());
        }
    }
}

/// A block of which the contents have been taken.
pub(super) fn taken(block: &mut Block) -> Block {
    let empty = Block { params: Vec::new(), instrs: Vec::new(), end: End::Fail(Fault::Broken), span: block.span };
    std::mem::replace(block, empty)
}

/// Joins blocks with what only they jump to, and leaves out what cannot be reached. True if anything changed.
pub(super) fn simplify(function: &mut Function) -> bool {
    let n_blocks = function.blocks.len();
    let mut ways = vec![0_u32; n_blocks];
    let mut order = Vec::with_capacity(n_blocks);
    for (id, block) in function.blocks.iter_enumerated() {
        if id.index() == 0 || ways[id.index()] > 0 {
            block.end.successors().into_iter().for_each(|target| ways[target.index()] += 1);
            order.push(id);
        }
    }
    let is_joined = |block: &Block| matches!(&block.end, End::Jump(to, _) if ways[to.index()] == 1);
    if order.len() == n_blocks && !function.blocks.iter().any(is_joined) {
        return false;
    }
    let mut renaming = Renaming::new(function.vars.len());
    let mut is_gone = vec![false; n_blocks];
    for &id in &order {
        if is_gone[id.index()] {
            continue;
        }
        while let End::Jump(next, args) = &function.blocks[id].end
            && ways[next.index()] == 1
        {
            let (next, args) = (*next, args.clone());
            is_gone[next.index()] = true;
            let next = taken(&mut function.blocks[next]);
            for (&param, arg) in next.params.iter().zip(args) {
                renaming.set(param, arg);
            }
            let block = &mut function.blocks[id];
            block.instrs.extend(next.instrs);
            (block.end, block.span) = (next.end, next.span);
        }
    }
    order.retain(|id| !is_gone[id.index()]);
    arrange(function, &order);
    renaming.apply_to_all(function);
    true
}

/// Gives the blocks this order, in which they lead to later ones; those that are not in it go.
pub(super) fn arrange(function: &mut Function, order: &[BlockId]) {
    let mut place = vec![BlockId(0); function.blocks.len()];
    let mut blocks = IndexVec::new();
    for &id in order {
        place[id.index()] = blocks.push(taken(&mut function.blocks[id]));
    }
    for id in blocks.ids() {
        for target in targets_mut(&mut blocks[id].end) {
            *target = place[target.index()];
        }
    }
    function.blocks = blocks;
}
