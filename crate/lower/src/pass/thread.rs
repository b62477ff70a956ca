//! Jump threading: a jump to a block that only asks which case one of its parameters is, from where that is known, goes
//! straight to the case. It is what a `match` on the result of an inlined function comes to.
//!
//! The block must do nothing else (but `fuel`, which goes with the jump), and its parameters must be used only under
//! its cases. A case that is reached by a jump takes all of them as its own parameters; the switch reaches it through a
//! new block, because a block that a switch leads to has no other way in.
//!
//! ```text
//! b1: v1 = pack 0(v0); jump b3(v1)      b1: v1 = pack 0(v0); jump b4(v1)
//! b2: v2 = call @f(v0); jump b3(v2)     b2: v2 = call @f(v0); jump b3(v2)
//! b3(v3): switch v3 { 0 -> b4, .. }     b3(v3): switch v3 { 0 -> b6, .. }
//! b4: v4 = open 0(v3) ..            =>  b6: jump b4(v3)
//!                                       b4(v5): v4 = open 0(v5) ..
//! ```

use super::fold::{Keys, chosen};
use super::graph::{Graph, targets_mut};
use super::simplify::arrange;
use base::{Append, Edited, Idx, ToList};
use ir::{Block, BlockId, End, Function, Op, VarId};

/// Threads what jumps it can; true if there were any.
pub(super) fn thread(function: &mut Function, keys: &Keys) -> bool {
    let n_blocks = function.blocks.len();
    let mut jumps = known_jumps(function, keys);
    if jumps.is_empty() {
        return false;
    }
    let graph = Graph::new(&function.blocks);
    // By parameter of a block that is to be passed by: the block, and which of its parameters it is.
    let mut params: Vec<Option<(BlockId, usize)>> = base::filled(None, function.vars.len());
    let mut cases: Vec<Vec<BlockId>> = base::filled(Vec::new(), n_blocks);
    for jump in &jumps {
        if cases[jump.by.index()].is_empty() {
            let block = &function.blocks[jump.by];
            for (at, &param) in block.params.iter().enumerate() {
                params[param.index()] = Some((jump.by, at));
            }
            let mut sorted: Vec<BlockId> = block.end.successors().to_vec();
            base::sort_by_key(&mut sorted, |&target| graph.place(target));
            cases[jump.by.index()] = sorted;
        }
    }
    // The case of `by` that a block is under.
    let case_over = |by: BlockId, block: BlockId| {
        let sorted = &cases[by.index()];
        let behind = sorted.partition_point(|&case| graph.place(case) <= graph.place(block));
        let case = *sorted.get(behind.checked_sub(1)?)?;
        graph.dominates(case, block).then_some(case)
    };
    let mut is_free = base::filled(true, n_blocks);
    for &id in &graph.order {
        each_use(&mut function.blocks[id], |var| {
            if let Some((by, _)) = params[var.index()]
                && by != id
                && case_over(by, id).is_none()
            {
                is_free[by.index()] = false;
            }
        });
    }
    jumps.keep(|jump| is_free[jump.by.index()]);
    // By case that is jumped to: the first of its new parameters.
    let mut fresh: Vec<Option<VarId>> = base::filled(None, n_blocks);
    for jump in &jumps {
        if fresh[jump.to.index()].is_none() {
            fresh[jump.to.index()] = Some(VarId::new(function.vars.len()));
            for param in function.blocks[jump.by].params.clone() {
                let copy = function.vars.push(function.vars[param].clone());
                function.blocks[jump.to].params.push(copy);
            }
        }
    }
    for &id in &graph.order {
        each_use(&mut function.blocks[id], |var| {
            if let Some(&Some((by, at))) = params.get(var.index())
                && by != id
                && let Some(first) = case_over(by, id).and_then(|case| fresh[case.index()])
            {
                *var = VarId::new(first.index() + at);
            }
        });
    }
    for jump in &jumps {
        let fuel = function.blocks[jump.by].instrs.clone();
        let from = &mut function.blocks[jump.from];
        from.instrs.append_all(fuel);
        if let End::Jump(to, _) = &mut from.end {
            *to = jump.to;
        }
    }
    reach_by_blocks(function, &fresh);
    !jumps.is_empty()
}

/// A jump to a block whose switch goes to `to` then.
struct KnownJump {
    from: BlockId,
    by: BlockId,
    to: BlockId,
}

fn known_jumps(function: &Function, keys: &Keys) -> Vec<KnownJump> {
    let known = |(from, block): (BlockId, &Block)| {
        let End::Jump(by, args) = &block.end else { return None };
        let Block { params, instrs, end, .. } = &function.blocks[*by];
        let End::Switch { on, cases, default } = end else { return None };
        let at = params.iter().position(|param| param == on)?;
        let key = keys.get(args.get(at)?.index())?.as_ref()?;
        let is_idle = instrs.iter().all(|instr| matches!(instr.op, Op::Fuel(_)));
        let to = chosen(cases, *default, key).filter(|_| is_idle)?;
        Some(KnownJump { from, by: *by, to })
    };
    function.blocks.iter_enumerated().filter_map(known).list()
}

fn each_use(block: &mut Block, mut visit: impl FnMut(&mut VarId)) {
    let args = block.instrs.iter_mut().flat_map(|instr| &mut instr.args);
    args.chain(block.end.args_mut()).for_each(&mut visit);
}

/// Puts a block that jumps between each switch and its cases that have parameters now.
fn reach_by_blocks(function: &mut Function, fresh: &[Option<VarId>]) {
    let mut before: Vec<Option<BlockId>> = base::filled(None, fresh.len());
    for id in (0..fresh.len()).map(BlockId::new) {
        let (params, span) = (function.blocks[id].params.clone(), function.blocks[id].span);
        let mut end = std::mem::replace(&mut function.blocks[id].end, End::Jump(id, Vec::new()));
        if let End::Switch { .. } = end {
            for target in targets_mut(&mut end) {
                if fresh[target.index()].is_some() {
                    let jump = End::Jump(*target, params.clone());
                    let block = Block { params: Vec::new(), instrs: Vec::new(), end: jump, span };
                    let new = function.blocks.push(block);
                    before[target.index()] = Some(new);
                    *target = new;
                }
            }
        }
        function.blocks[id].end = end;
    }
    let ids = (0..fresh.len()).map(BlockId::new);
    let order: Vec<BlockId> = ids.list_all(|id| before[id.index()].into_iter().chain([id]));
    arrange(function, &order);
}
