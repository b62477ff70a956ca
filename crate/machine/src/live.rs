//! Which variables are needed from a point of a function on.

use base::{Idx, IndexVec, ToList};
use ir::{BlockId, Function, VarId};

/// Before an instruction, or before the end where `index` is the number of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub block: BlockId,
    pub index: usize,
}

/// The variables that are given before a point and used from it on, by id. Blocks lead to larger ids only, so one pass
/// finds what can still be reached.
pub fn live(function: &Function, point: Point) -> Vec<VarId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Is {
        Unused,
        Live,
        Given,
    }
    let mut vars: IndexVec<VarId, Is> = IndexVec::filled(Is::Unused, function.vars.len());
    let mut is_reached: IndexVec<BlockId, bool> = IndexVec::filled(false, function.blocks.len());
    if function.blocks.get(point.block).is_none() {
        return Vec::new();
    }
    is_reached[point.block] = true;
    let give = |vars: &mut IndexVec<VarId, Is>, given: &[VarId]| {
        for &var in given {
            if var.index() < vars.len() {
                vars[var] = Is::Given;
            }
        }
    };
    for id in function.blocks.ids().skip(point.block.index()) {
        if !is_reached[id] {
            continue;
        }
        let block = &function.blocks[id];
        let first = if id == point.block { point.index } else { 0 };
        if id != point.block {
            give(&mut vars, &block.params);
        }
        let uses = |vars: &mut IndexVec<VarId, Is>, used: &[VarId]| {
            for &var in used {
                if vars.get(var) == Some(&Is::Unused) {
                    vars[var] = Is::Live;
                }
            }
        };
        for instr in block.instrs.iter().skip(first) {
            uses(&mut vars, &instr.args);
            give(&mut vars, &instr.results);
        }
        uses(&mut vars, block.end.args());
        for successor in block.end.successors() {
            if successor.index() < is_reached.len() {
                is_reached[successor] = true;
            }
        }
    }
    vars.ids().filter(|&var| vars[var] == Is::Live).list()
}
