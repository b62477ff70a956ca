//! What a program must satisfy.
//!
//! **Ids.** Functions, globals, constants, layouts, variables and blocks that are mentioned exist.
//!
//! **Graph.** Blocks lead to larger ids, and each can be reached. The block where a function begins has no parameters.
//! A block that a switch leads to has no parameters and no other way in.
//!
//! **Variables.** Each is given once at most, and where it is used its definition dominates.
//!
//! **Layouts.** Operands and results are as [`Op`](crate::Op) says: of packs and opens those of the fields; a box is of
//! its content, or a word with a scalar of its dtype; a token has the size of the block; a scalar literal is one of the
//! dtype, a constant one of the tensor type; sizes are checked of a tensor of that rank; a cell's content; a global's;
//! captures are the first parameters; arguments are the parameters (for a value as its type says, where the layouts of
//! that are in the table); those of a jump are the block's. What is returned, and the result of a tail call, has the
//! layout of the function's result. A global's function has no parameters and gives its layout. Fused operators are at
//! least two, each one that can be fused ([`op::OpId::class`]) on as many operands as its row has, which are operands
//! of the instruction or results of earlier ones; at most one is a product or a convolution, on operands of the
//! instruction, or at most one, the last, a reduction; operands are tensors and scalars, none twice; each of them and
//! each result but the last is used. Two layouts are the same if they are equal apart from their types.
//!
//! **Switches.** On a sum, by its variants, or on a scalar, by literals of its dtype; no case comes twice, and a
//! default is missing only where all variants that have values are there (for literals, both of `bool`).
//!
//! **Before `counts`** there is no `dup`, `drop`, `free`, `peek` and `load`. **After it** each counted variable is
//! owned once where it is given, once more by a `dup`, and on every path all of that is taken, never more (a run that
//! fails may leave something); all ways into a block own the same. Where something looks at a variable it is owned, or
//! lent by one that is. Only counted variables are counted; a token is taken by `box`, `free` and `jump` alone.

mod linear;
mod signature;

use crate::{Block, BlockId, CaseKey, End, FuncId, Function, Op, Program, VarId, counted};
use base::{Append, Idx, IndexVec, ToList};
use layout::{Kind, LayoutId};
use std::fmt;

/// Which rules hold about counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Before,
    Counted,
}

/// A rule that a program breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// None for a global.
    pub function: Option<FuncId>,
    pub at: Option<(BlockId, usize)>,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.function, self.at) {
            (Some(function), Some((block, index))) => write!(f, "{function:?} {block:?}:{index}: {}", self.message),
            (Some(function), None) => write!(f, "{function:?}: {}", self.message),
            (None, _) => write!(f, "{}", self.message),
        }
    }
}

/// The rules that a program breaks. Those of a function about layouts and counts are looked at only if its ids, graph
/// and variables are in order.
pub fn verify(program: &Program, stage: Stage) -> Vec<Violation> {
    let is_counted = counted(&program.layouts);
    let mut violations = Vec::new();
    for (id, global) in program.globals.iter_enumerated() {
        let mut say = |message: fmt::Arguments| {
            violations.push(Violation { function: None, at: None, message: message.to_string() });
        };
        match program.functions.get(global.init) {
            _ if program.layouts.table.get(global.layout).is_none() => say(format_args!("{id:?} has no layout")),
            None => say(format_args!("the function of {id:?} does not exist")),
            Some(init) if !init.params.is_empty() => say(format_args!("the function of {id:?} has parameters")),
            Some(init) if !is_same(program, init.result, global.layout) => {
                say(format_args!("the function of {id:?} gives another layout"));
            }
            Some(_) => {}
        }
    }
    for (id, function) in program.functions.iter_enumerated() {
        let mut checker = Checker { program, function, id, at: None, violations: &mut violations };
        if checker.ids() && checker.graph() && checker.dominance() {
            checker.layouts(stage);
            if stage == Stage::Counted {
                linear::check(&mut checker, &is_counted);
            }
        }
    }
    violations
}

/// Whether two layouts are equal apart from their types. Ids that do not exist are the same as nothing.
fn is_same(program: &Program, a: LayoutId, b: LayoutId) -> bool {
    let table = &program.layouts.table;
    match (table.get(a), table.get(b)) {
        (Some(a_layout), Some(b_layout)) => {
            a == b || (a_layout.bits, a_layout.align, &a_layout.kind) == (b_layout.bits, b_layout.align, &b_layout.kind)
        }
        (Some(_), None) | (None, _) => false,
    }
}

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
    id: FuncId,
    at: Option<(BlockId, usize)>,
    violations: &'a mut Vec<Violation>,
}

impl<'a> Checker<'a> {
    fn say(&mut self, message: fmt::Arguments) {
        self.violations.push(Violation { function: Some(self.id), at: self.at, message: message.to_string() });
    }

    fn lack(&mut self, what: fmt::Arguments) {
        self.say(format_args!("{what} does not exist"));
    }

    fn layout(&self, var: VarId) -> LayoutId {
        self.function.vars[var].layout
    }

    fn kind(&self, layout: LayoutId) -> Option<&'a Kind> {
        self.program.layouts.table.get(layout).map(|layout| &layout.kind)
    }

    /// Whether what the function mentions exists. Ids inside instructions are looked at with their layouts.
    fn ids(&mut self) -> bool {
        let (function, n_before) = (self.function, self.violations.len());
        let n_layouts = self.program.layouts.table.len();
        if function.result.index() >= n_layouts {
            self.lack(format_args!("{:?}", function.result));
        }
        if function.blocks.is_empty() {
            self.lack(format_args!("b0"));
        }
        if function.n_captures > function.params.len() {
            self.lack(format_args!("a captured parameter"));
        }
        function.for_given(&mut |var| match function.vars.get(var) {
            Some(data) if data.layout.index() < n_layouts => {}
            Some(data) => self.lack(format_args!("{:?}", data.layout)),
            None => self.lack(format_args!("{var:?}")),
        });
        function.for_uses(&mut |var| {
            if function.vars.get(var).is_none() {
                self.lack(format_args!("{var:?}"));
            }
        });
        for block in function.blocks.iter() {
            for id in block.end.successors() {
                if id.index() >= function.blocks.len() {
                    self.lack(format_args!("{id:?}"));
                }
            }
        }
        self.violations.len() == n_before
    }

    fn graph(&mut self) -> bool {
        let n_before = self.violations.len();
        let blocks = &self.function.blocks;
        let mut n_ways: IndexVec<BlockId, usize> = IndexVec::filled(0, blocks.len());
        for (id, block) in blocks.iter_enumerated() {
            self.at = Some((id, block.instrs.len()));
            for successor in block.end.successors() {
                n_ways[successor] += 1;
                if successor <= id {
                    self.say(format_args!("leads back to {successor:?}"));
                }
            }
        }
        for (id, block) in blocks.iter_enumerated() {
            self.at = Some((id, 0));
            if id.index() == 0 && !block.params.is_empty() {
                self.say(format_args!("the first block has parameters"));
            }
            if id.index() > 0 && n_ways[id] == 0 {
                self.say(format_args!("cannot be reached"));
            }
            if let End::Switch { .. } = block.end {
                self.at = Some((id, block.instrs.len()));
                for successor in block.end.successors() {
                    if !blocks[successor].params.is_empty() {
                        self.say(format_args!("switches to {successor:?}, which has parameters"));
                    }
                    if n_ways[successor] > 1 {
                        self.say(format_args!("switches to {successor:?}, which has another way in"));
                    }
                }
            }
        }
        self.at = None;
        self.violations.len() == n_before
    }

    /// Whether each variable is given once, and that dominates its uses.
    fn dominance(&mut self) -> bool {
        let (function, n_before) = (self.function, self.violations.len());
        let spans = dominators(function);
        // Where a variable is given: its block, and how many instructions have ended there.
        let mut given: IndexVec<VarId, Option<(BlockId, usize)>> = IndexVec::filled(None, function.vars.len());
        let mut give = |checker: &mut Self, var: VarId, block: BlockId, index: usize| {
            if given[var].replace((block, index)).is_some() {
                checker.say(format_args!("{var:?} is given twice"));
            }
        };
        function.params.iter().for_each(|&param| give(self, param, BlockId::numbered(0), 0));
        for (id, block) in function.blocks.iter_enumerated() {
            self.at = Some((id, 0));
            block.params.iter().for_each(|&param| give(self, param, id, 0));
            for (i, instr) in block.instrs.iter().enumerate() {
                self.at = Some((id, i));
                instr.results.iter().for_each(|&result| give(self, result, id, i + 1));
            }
        }
        for (id, block) in function.blocks.iter_enumerated() {
            let args = block.instrs.iter().map(|instr| instr.args.as_slice()).chain([block.end.args()]);
            for (i, args) in args.enumerate() {
                self.at = Some((id, i));
                for &arg in args {
                    let is_before = given[arg].is_some_and(|(block, index)| match block == id {
                        true => index <= i,
                        false => spans[block].0 < spans[id].0 && spans[id].1 <= spans[block].1,
                    });
                    if !is_before {
                        self.say(format_args!("{arg:?} is not given before"));
                    }
                }
            }
        }
        self.at = None;
        self.violations.len() == n_before
    }

    fn layouts(&mut self, stage: Stage) {
        for (id, block) in self.function.blocks.iter_enumerated() {
            for (i, instr) in block.instrs.iter().enumerate() {
                self.at = Some((id, i));
                let is_of_counts = matches!(instr.op, Op::Dup | Op::Drop | Op::Free | Op::Peek { .. } | Op::Load);
                if is_of_counts && stage == Stage::Before {
                    self.say(format_args!("comes only with counts"));
                }
                self.instr(instr);
            }
            self.at = Some((id, block.instrs.len()));
            self.end(block);
        }
        self.at = None;
    }

    fn end(&mut self, block: &'a Block) {
        let function = self.function;
        match &block.end {
            End::Return(value) => self.same(self.layout(*value), function.result, "the result"),
            End::Jump(target, args) => {
                let params = function.blocks[*target].params.iter().map(|&param| self.layout(param)).list();
                self.all_same(args, &params, "arguments");
            }
            End::TailCall(callee, args) => self.call(*callee, args, function.result),
            End::Switch { on, cases, default } => {
                let keys: Vec<CaseKey> = cases.iter().map(|case| case.key.clone()).list();
                self.switch(self.layout(*on), &keys, default.is_some());
            }
            End::Fail(_) => {}
        }
    }

    fn switch(&mut self, layout: LayoutId, keys: &[CaseKey], has_default: bool) {
        let mut variants: Vec<u32> = Vec::new();
        let mut literals = Vec::new();
        for key in keys {
            match key {
                CaseKey::Variant(variant) => variants.push(*variant),
                CaseKey::Literal(scalar) => literals.push(*scalar),
            }
        }
        let is_complete = match self.kind(layout) {
            Some(Kind::Sum { variants: all, .. }) => {
                let mut is_there = base::filled(false, all.len());
                for variant in variants {
                    match is_there.get_mut(variant as usize) {
                        None => self.say(format_args!("there is no variant #{variant}")),
                        Some(true) => self.say(format_args!("a second case of #{variant}")),
                        Some(is_there) => *is_there = true,
                    }
                }
                if !literals.is_empty() {
                    self.say(format_args!("a literal for a sum"));
                }
                is_there.iter().zip(all).all(|(is_there, variant)| *is_there || !variant.is_inhabited)
            }
            Some(Kind::Scalar(dtype)) => {
                if !variants.is_empty() {
                    self.say(format_args!("a variant for a scalar"));
                }
                for (i, &scalar) in literals.iter().enumerate() {
                    self.literal(*dtype, scalar);
                    if literals[..i].contains(&scalar) {
                        self.say(format_args!("a second case of a literal"));
                    }
                }
                *dtype == ty::Dtype::Bool && literals.len() == 2
            }
            _ => return self.say(format_args!("switches on neither sum nor scalar")),
        };
        if !is_complete && !has_default {
            self.say(format_args!("a default is missing"));
        }
    }
}

/// By block: its number in the tree of dominators, and the last number below it (Cooper, Harvey and Kennedy 2001).
fn dominators(function: &Function) -> IndexVec<BlockId, (usize, usize)> {
    let n = function.blocks.len();
    let mut above: IndexVec<BlockId, BlockId> = IndexVec::filled(BlockId::numbered(u32::MAX - 1), n);
    for (id, block) in function.blocks.iter_enumerated() {
        for successor in block.end.successors() {
            let (mut a, mut b) = (id, above[successor]);
            if b == BlockId::numbered(u32::MAX - 1) {
                b = a;
            }
            // What is above has a smaller id.
            while a != b {
                match a > b {
                    true => a = above[a],
                    false => b = above[b],
                }
            }
            above[successor] = a;
        }
    }
    let mut below: IndexVec<BlockId, Vec<BlockId>> = IndexVec::filled(Vec::new(), n);
    for id in function.blocks.ids().skip(1) {
        below[above[id]].push(id);
    }
    let mut spans = IndexVec::filled((0, 0), n);
    let (mut stack, mut number) = (vec![(BlockId::numbered(0), 0)], 0);
    while let Some((id, next)) = stack.pop() {
        if next == 0 {
            spans[id].0 = number;
            number += 1;
        }
        match below[id].get(next) {
            Some(&child) => stack.append_all([(id, next + 1), (child, 0)]),
            None => spans[id].1 = number,
        }
    }
    spans
}

#[cfg(test)]
mod tests;
