//! Blocks put in order: those that nothing leads to are left out, and a block that only one jump leads to goes where
//! that jump is.

use super::graph::targets_mut;
use base::{Append, Idx, IndexVec, ToList};
use ir::{Block, BlockId, End, Fault, Function, VarId};

/// What takes the place of each variable: itself at first. What is put in is always final.
pub(super) struct Renaming(Vec<VarId>);

impl Renaming {
    pub fn new(n_vars: usize) -> Renaming {
        Renaming((0..n_vars).map(VarId::new).list())
    }

    pub fn get(&self, var: VarId) -> VarId {
        self.0[var.index()]
    }

    /// Variables that came later stand for themselves.
    pub fn grow(&mut self, n_vars: usize) {
        self.0.append_all((self.0.len()..n_vars).map(VarId::new));
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

/// Joins blocks with what only they jump to, lets jumps to blocks that do nothing go where those go, and leaves out
/// what cannot be reached.
pub(super) fn simplify(function: &mut Function) {
    let (mut ways, mut order) = reached(function);
    if join(function, &ways, &order) {
        (ways, order) = reached(function);
    }
    if forward(function, &ways, &order) {
        (_, order) = reached(function);
    }
    if order.len() < function.blocks.len() {
        arrange(function, &order);
    }
}

/// By block how many ways lead there, and the blocks that can be reached.
fn reached(function: &Function) -> (Vec<u32>, Vec<BlockId>) {
    let mut ways = base::filled(0_u32, function.blocks.len());
    let mut order = Vec::with_capacity(ways.len());
    for (id, block) in function.blocks.iter_enumerated() {
        if id.index() == 0 || ways[id.index()] > 0 {
            block.end.successors().into_iter().for_each(|target| ways[target.index()] += 1);
            order.push(id);
        }
    }
    (ways, order)
}

fn join(function: &mut Function, ways: &[u32], order: &[BlockId]) -> bool {
    let is_single = |end: &End| matches!(end, End::Jump(to, _) if ways[to.index()] == 1);
    if !order.iter().any(|&id| is_single(&function.blocks[id].end)) {
        return false;
    }
    let mut renaming = Renaming::new(function.vars.len());
    // What has been joined has no end any more that would be looked at again.
    for &id in order {
        while let End::Jump(next, args) = &function.blocks[id].end
            && ways[next.index()] == 1
        {
            let (next, args) = (*next, args.clone());
            let mut next = taken(&mut function.blocks[next]);
            for (&param, arg) in next.params.iter().zip(args) {
                renaming.set(param, arg);
            }
            let block = &mut function.blocks[id];
            block.instrs.append(&mut next.instrs);
            (block.end, block.span) = (next.end, next.span);
        }
    }
    renaming.apply_to_all(function);
    true
}

/// Lets jumps to blocks that do nothing go where those go. Joining has left such a block several ways in, and so has
/// what it jumps to: then it dominates nothing, and its parameters are used in its end alone.
fn forward(function: &mut Function, ways: &[u32], order: &[BlockId]) -> bool {
    let mut is_changed = false;
    for &id in order.iter().rev() {
        let End::Jump(to, args) = &function.blocks[id].end else { continue };
        let Block { params, instrs, end, span } = &function.blocks[*to];
        let goes_on = match end {
            End::Return(_) => true,
            End::Jump(next, _) => ways[next.index()] > 1,
            End::TailCall(..) | End::Switch { .. } | End::Fail(_) => false,
        };
        if !goes_on || !instrs.is_empty() {
            continue;
        }
        let (mut end, span) = (end.clone(), *span);
        for var in end.args_mut() {
            if let Some(at) = params.iter().position(|param| param == var) {
                *var = args[at];
            }
        }
        let block = &mut function.blocks[id];
        if let End::Return(_) = end {
            block.span = span;
        }
        block.end = end;
        is_changed = true;
    }
    is_changed
}

/// Gives the blocks this order, in which they lead to later ones; those that are not in it go.
pub(super) fn arrange(function: &mut Function, order: &[BlockId]) {
    let mut place = base::filled(BlockId::numbered(0), function.blocks.len());
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
