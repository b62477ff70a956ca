//! What only one branch needs is found there: an instruction without effect moves down to the case of the switch that
//! all its uses are in, as far as it goes ("partial dead code elimination", Knoop, Rüthing and Steffen 1994, for the one
//! direction without joins).
//!
//! Worked example: in `Branch(%left, %x, %right) => if (…) { @f(%left) } else { @f(%right) }` each of the two boxes is
//! opened in the branch that hands it on.

use super::effect::{Facts, literals};
use super::graph::Graph;
use ir::{BlockId, End, FuncId, Function, Instr, Program};

/// An instruction whose results are used in more places stays where it is.
const MAX_USES: usize = 32;

/// Moves what has no effect to where it is used.
pub fn delay(program: &mut Program, _: &mut [FuncId]) {
    let mut functions = std::mem::take(&mut program.functions);
    for id in functions.ids() {
        let facts = Facts::of(program);
        delay_in(facts, &mut functions[id]);
    }
    program.functions = functions;
}

fn delay_in(facts: Facts, function: &mut Function) {
    if function.blocks.iter().all(|block| !matches!(block.end, End::Switch { .. })) {
        return;
    }
    let graph = Graph::new(&function.blocks);
    let literals = literals(function);
    // By variable, the blocks that use it.
    let mut uses: Vec<Vec<BlockId>> = vec![Vec::new(); function.vars.len()];
    for (id, block) in function.blocks.iter_enumerated() {
        let args = block.instrs.iter().flat_map(|instr| &instr.args).chain(block.end.args());
        args.for_each(|arg| uses[arg.0 as usize].push(id));
    }
    for id in function.blocks.ids() {
        if !matches!(function.blocks[id].end, End::Switch { .. }) {
            continue;
        }
        let targets = function.blocks[id].end.successors();
        let mut instrs = std::mem::take(&mut function.blocks[id].instrs);
        // By target, from the last on.
        let mut moved: Vec<Vec<Instr>> = vec![Vec::new(); targets.len()];
        let mut kept: Vec<Instr> = Vec::with_capacity(instrs.len());
        while let Some(instr) = instrs.pop() {
            let to = if facts.is_pure(function, &instr, &|var| literals[var.0 as usize]) {
                target(&graph, &uses, &instr, &targets)
            } else {
                None
            };
            let Some(to) = to else {
                kept.push(instr);
                continue;
            };
            for arg in &instr.args {
                if let Some(used) = uses[arg.0 as usize].iter_mut().find(|used| **used == id) {
                    *used = targets[to];
                }
            }
            moved[to].push(instr);
        }
        kept.reverse();
        function.blocks[id].instrs = kept;
        for (&target, mut moved) in targets.iter().zip(moved) {
            moved.reverse();
            function.blocks[target].instrs.splice(0..0, moved);
        }
    }
}

/// The target in which, or behind which, all uses of an instruction are.
fn target(graph: &Graph, uses: &[Vec<BlockId>], instr: &Instr, targets: &[BlockId]) -> Option<usize> {
    let all = || instr.results.iter().flat_map(|result| &uses[result.0 as usize]);
    let first = all().next()?;
    let to = targets.iter().position(|&target| graph.dominates(target, *first))?;
    let is_small = all().count() <= MAX_USES;
    (is_small && all().all(|&used| graph.dominates(targets[to], used))).then_some(to)
}
