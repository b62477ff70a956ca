//! A block that is freed becomes the next one of its size, without the heap in between.
//!
//! An `unbox` that is its argument's last use may free a block. Walking down from it, the first `box` of a block of the
//! same size on each path gets the block's token, unless a nearer one is there. Which tokens there are at a place is
//! what is left of them on every way to it; so each is used once at most on a path, and its `unbox` dominates its uses.

use super::owner::{last_uses, owners, sink};
use base::{Edited, HashMap, HashSet, IndexVec, ToList};
use ir::{BlockId, CaseKey, End, Function, Op, Program, VarData, VarId};
use layout::{Kind, LayoutId, Layouts};

/// At most this many tokens are kept in mind at each place, the nearest.
const MAX_TOKENS: usize = 16;

/// Gives tokens to instructions `unbox`, and them to `box`; comes before `counts`.
pub fn reuse(program: &mut Program) {
    let is_counted = ir::counted(&program.layouts);
    let Program { functions, layouts, .. } = program;
    for id in functions.ids() {
        sink(&mut functions[id], &is_counted);
        reuse_in(&mut functions[id], layouts, &is_counted);
    }
}

/// A block that is free at some place.
#[derive(Clone, Copy, PartialEq)]
struct Spare {
    /// What was in it.
    content: VarId,
    layout: LayoutId,
    /// In bytes.
    size: u32,
}

fn reuse_in(function: &mut Function, layouts: &mut Layouts, is_counted: &IndexVec<LayoutId, bool>) {
    let owners = owners(function, is_counted);
    let last_uses = last_uses(function, &owners);
    let mut entry: IndexVec<BlockId, Option<Vec<Spare>>> = IndexVec::filled(None, function.blocks.len());
    let mut variants: HashMap<VarId, u32> = HashMap::default();
    // By the variable that a `box` gives, what was in its block; and all of that.
    let mut reused: HashMap<VarId, VarId> = HashMap::default();
    let mut is_reused: HashSet<VarId> = HashSet::default();
    for id in function.blocks.ids() {
        let mut spares = entry[id].take().unwrap_or_default();
        for (i, instr) in function.blocks[id].instrs.iter().enumerate() {
            let (first, result) = (instr.args.first(), instr.results.first());
            let (Some(&first), Some(&result)) = (first, result) else {
                if let (Op::Pack { variant }, Some(&result)) = (&instr.op, result) {
                    variants.insert(result, *variant);
                }
                continue;
            };
            match instr.op {
                Op::Unbox
                    if instr.results.len() == 1 && owners[first] == Some(first) && last_uses.contains(&(id, i)) =>
                {
                    let layout = function.vars[first].layout;
                    if let Some(size) = size(layouts, layout) {
                        if spares.len() == MAX_TOKENS {
                            spares.remove(0);
                        }
                        spares.push(Spare { content: result, layout, size });
                    }
                }
                Op::Box if instr.args.len() == 1 => {
                    let layout = function.vars[result].layout;
                    let is_block = !variants.get(&first).is_some_and(|&variant| is_immediate(layouts, layout, variant));
                    let size = size(layouts, layout).filter(|_| is_block);
                    if let Some(at) = spares.iter().rposition(|spare| Some(spare.size) == size) {
                        let spare = spares.remove(at);
                        reused.insert(result, spare.content);
                        is_reused.insert(spare.content);
                    }
                }
                Op::Pack { variant } => variants.insert(result, variant),
                _ => {}
            }
        }
        let mut enter = |successor: BlockId, key: Option<(VarId, u32)>| {
            // A variant that took no block leaves none.
            let is_there = |spare: &&Spare| match key {
                Some((on, variant)) => spare.content != on || !is_immediate(layouts, spare.layout, variant),
                None => true,
            };
            match &mut entry[successor] {
                Some(known) => known.keep(|spare| spares.contains(spare)),
                unknown @ None => *unknown = Some(spares.iter().filter(is_there).copied().list()),
            }
        };
        match &function.blocks[id].end {
            End::Switch { on, cases, default } => {
                for case in cases {
                    let key = match case.key {
                        CaseKey::Variant(variant) => Some((*on, variant)),
                        CaseKey::Literal(_) => None,
                    };
                    enter(case.block, key);
                }
                default.iter().for_each(|&block| enter(block, None));
            }
            End::Jump(block, _) => enter(*block, None),
            End::Return(_) | End::TailCall(..) | End::Fail(_) => {}
        }
    }
    let mut tokens: HashMap<VarId, VarId> = HashMap::default();
    for id in function.blocks.ids() {
        for instr in &mut function.blocks[id].instrs {
            let Some(&result) = instr.results.first() else { continue };
            if matches!(instr.op, Op::Unbox) && is_reused.contains(&result) {
                let layout = layouts.token(function.vars[result].layout);
                let token = function.vars.push(VarData { layout, name: None });
                instr.results.push(token);
                tokens.insert(result, token);
            } else if let (Op::Box, Some(content)) = (&instr.op, reused.get(&result)) {
                instr.args.push(tokens[content]);
            }
        }
    }
}

/// The bytes of the block of a box; none if it has none.
fn size(layouts: &Layouts, layout: LayoutId) -> Option<u32> {
    match layouts[layout].kind {
        Kind::Box { content, .. } => Some(layouts[content].bits.div_ceil(64) * 8).filter(|&size| size > 0),
        Kind::Scalar(_)
        | Kind::Immediate(_)
        | Kind::Tensor
        | Kind::Closure
        | Kind::Ref { .. }
        | Kind::Sum { .. }
        | Kind::Token { .. }
        | Kind::Never => None,
    }
}

/// Whether a variant of the content is stored without a block.
fn is_immediate(layouts: &Layouts, layout: LayoutId, variant: u32) -> bool {
    match &layouts[layout].kind {
        Kind::Box { immediates, .. } => immediates.get(variant as usize).is_some_and(Option::is_some),
        Kind::Scalar(_)
        | Kind::Immediate(_)
        | Kind::Tensor
        | Kind::Closure
        | Kind::Ref { .. }
        | Kind::Sum { .. }
        | Kind::Token { .. }
        | Kind::Never => false,
    }
}
