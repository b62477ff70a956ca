//! What only one branch needs is found there: an instruction without effect moves down to the case of the switch that
//! all its uses are in, as far as it goes ("partial dead code elimination", Knoop, Rüthing and Steffen 1994, for the
//! one direction without joins).
//!
//! A sum that some other branch has as a whole is opened once more in each branch that wants its parts: there it is
//! taken apart, and its parts need no copies. Only what is looked at before the switch is taken from it there.
//!
//! Worked example: in `Branch(%left, %x, %right) => if (…) { @f(%left) } else { @f(%right) }` each of the two boxes is
//! opened in the branch that hands it on; if there is `_ => %tree` for a third one, so is the tree itself.

use super::effect::{Facts, literals};
use super::graph::Graph;
use base::{Edited, IndexVec, ToList};
use ir::{BlockId, End, FuncId, Function, Instr, Op, Program, VarId};
use layout::LayoutId;

/// An instruction whose results are used in more places stays where it is.
const MAX_USES: usize = 32;

/// Moves what has no effect to where it is used.
pub fn delay(program: &mut Program, _: &mut [FuncId]) {
    let mut functions = std::mem::take(&mut program.functions);
    let is_counted = ir::counted(&program.layouts);
    for id in functions.ids() {
        let facts = Facts::of(program);
        delay_in(facts, &is_counted, &mut functions[id]);
    }
    program.functions = functions;
}

fn delay_in(facts: Facts, is_counted: &IndexVec<LayoutId, bool>, function: &mut Function) {
    if function.blocks.iter().all(|block| !matches!(block.end, End::Switch { .. })) {
        return;
    }
    let graph = Graph::new(&function.blocks);
    let literals = literals(function);
    // By variable, the blocks that use it.
    let mut uses: Vec<Vec<BlockId>> = base::filled(Vec::new(), function.vars.len());
    for (id, block) in function.blocks.iter_enumerated() {
        let args = block.instrs.iter().flat_map(|instr| &instr.args).chain(block.end.args());
        args.for_each(|arg| uses[arg.number() as usize].push(id));
    }
    let mut opened = Opened { graph: &graph, is_counted, copies: base::filled(Vec::new(), function.vars.len()) };
    for id in function.blocks.ids() {
        opened.rename(id, function);
        if !matches!(function.blocks[id].end, End::Switch { .. }) {
            continue;
        }
        let targets = function.blocks[id].end.successors();
        let mut instrs = std::mem::take(&mut function.blocks[id].instrs);
        // By target, from the last on.
        let mut moved: Vec<Vec<Instr>> = base::filled(Vec::new(), targets.len());
        let mut kept: Vec<Instr> = Vec::with_capacity(instrs.len());
        while let Some(instr) = instrs.pop() {
            let to = if facts.is_pure(function, &instr, &|var| literals.get(var.number() as usize).copied().flatten()) {
                target(&graph, &uses, &instr, &targets)
            } else {
                None
            };
            let Some(to) = to else {
                for (to, copy) in opened.copies(function, &mut uses, &instr, &targets) {
                    moved[to].push(copy);
                }
                // What is opened in all the places that want its parts is not opened here.
                let is_wanted = |result: &VarId| !uses[result.number() as usize].is_empty();
                if !matches!(instr.op, Op::Open { .. }) || instr.results.iter().any(is_wanted) {
                    kept.push(instr);
                }
                continue;
            };
            for arg in &instr.args {
                if let Some(used) = uses[arg.number() as usize].iter_mut().find(|used| **used == id) {
                    *used = targets[to];
                }
            }
            moved[to].push(instr);
        }
        kept.reverse();
        function.blocks[id].instrs = kept;
        for (&target, mut moved) in targets.iter().zip(moved) {
            moved.reverse();
            function.blocks[target].instrs.put_first(moved);
        }
    }
}

/// The sums that are opened once more.
struct Opened<'a> {
    graph: &'a Graph,
    is_counted: &'a IndexVec<LayoutId, bool>,
    /// By variable, what it is called in some blocks and those that they dominate.
    copies: Vec<Vec<(BlockId, VarId)>>,
}

impl Opened<'_> {
    fn rename(&self, id: BlockId, function: &mut Function) {
        let block = &mut function.blocks[id];
        let args = block.instrs.iter_mut().flat_map(|instr| &mut instr.args).chain(block.end.args_mut());
        for arg in args {
            while let Some(copies) = self.copies.get(arg.number() as usize)
                && let Some((_, copy)) = copies.iter().find(|(at, _)| self.graph.dominates(*at, id))
            {
                *arg = *copy;
            }
        }
    }

    /// By place among the targets of a block, the instructions that open a sum once more; their results are named.
    fn copies(
        &mut self,
        function: &mut Function,
        uses: &mut Vec<Vec<BlockId>>,
        instr: &Instr,
        targets: &[BlockId],
    ) -> Vec<(usize, Instr)> {
        let Op::Open { .. } = instr.op else { return Vec::new() };
        let graph = self.graph;
        let is_in = |used: &BlockId| targets.iter().position(|&target| graph.dominates(target, *used));
        // What is opened has a use behind the switch, so it cannot be taken apart before.
        if !uses[instr.args[0].number() as usize].iter().any(|used| is_in(used).is_some()) {
            return Vec::new();
        }
        let parts = instr.results.iter().filter(|&&part| self.is_counted[function.vars[part].layout]);
        let used: Option<Vec<usize>> = parts.flat_map(|part| &uses[part.number() as usize]).map(is_in).some_list();
        let Some(used) = used.filter(|used| used.len() <= MAX_USES) else { return Vec::new() };
        let mut copies = Vec::new();
        for (to, &target) in targets.iter().enumerate().filter(|(to, _)| used.contains(to)) {
            let mut copy = instr.clone();
            for result in &mut copy.results {
                let data = function.vars[*result].clone();
                let is_counted = self.is_counted[data.layout];
                let name = function.vars.push(data);
                uses.push(Vec::new());
                self.copies.push(Vec::new());
                if is_counted {
                    let (inside, outside) =
                        uses[result.number() as usize].iter().partition(|used| graph.dominates(target, **used));
                    (uses[name.number() as usize], uses[result.number() as usize]) = (inside, outside);
                    self.copies[result.number() as usize].push((target, name));
                }
                *result = name;
            }
            uses[instr.args[0].number() as usize].push(target);
            copies.push((to, copy));
        }
        copies
    }
}

/// The target in which, or behind which, all uses of an instruction are.
fn target(graph: &Graph, uses: &[Vec<BlockId>], instr: &Instr, targets: &[BlockId]) -> Option<usize> {
    let all = || instr.results.iter().flat_map(|result| &uses[result.number() as usize]);
    let first = all().next()?;
    let to = targets.iter().position(|&target| graph.dominates(target, *first))?;
    let is_small = all().count() <= MAX_USES;
    (is_small && all().all(|&used| graph.dominates(targets[to], used))).then_some(to)
}
