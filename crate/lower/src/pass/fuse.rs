//! Operators that feed each other become one instruction, which makes no tensors in between (Relay's `FuseOps`; Chen and
//! others 2018, "TVM"): those that go along the elements of the result, and what gives these another shape; at most one
//! product or convolution, which comes first and whose result they go over; or at most one reduction, which comes last.
//! [`op::Class`] says what an operator is to a group.
//!
//! A group is operators of one block. It stands where its last one stood, and each of the others has a result that only
//! the group uses. Sizes are no part of a program's types, which are closed without them: which operators have results
//! as large, and can be computed a block at a time together, is found when the group is planned on its operands.
//!
//! An operator moves down to the end of its group. One whose sizes are all known cannot fail, and stops only at what
//! runs other code, where a temporary less would be operands more to keep. Any other keeps its place among all effects.
//!
//! ```text
//! v1: l2 = nn.bias_add(%x, %b)
//! v2: l2 = nn.relu(v1)          ->    v2: l2 = fused(%x, %b) { s0 = nn.bias_add(%x, %b); s1 = nn.relu(s0) }
//!
//! v1: l2 = nn.conv2d(%x, %w)
//! v2: l2 = nn.bias_add(v1, %b)  ->    v2: l2 = fused(%x, %w, %b) { s0 = nn.conv2d(%x, %w); s1 = nn.bias_add(s0, %b) }
//! ```

use super::effect::{Facts, literals};
use base::{Edited, Idx, IndexVec, ToList};
use ir::{Block, FuncId, Function, Instr, Op, Program, VarId};
use layout::Kind;
use op::{Class, Input, Step};
use ty::Scalar;

/// A group of more would want too many registers, each of 2 kB, for a cache of the first level.
const MAX_STEPS: usize = 24;

/// Joins operators that can be computed at once.
pub fn fuse(program: &mut Program, _: &mut [FuncId]) {
    let mut functions = std::mem::take(&mut program.functions);
    for id in functions.ids() {
        fuse_in(Facts::of(program), &mut functions[id]);
    }
    program.functions = functions;
}

fn fuse_in(facts: Facts, function: &mut Function) {
    let literals = literals(function);
    let mut n_uses: IndexVec<VarId, u32> = IndexVec::filled(0, function.vars.len());
    function.for_uses(&mut |var| n_uses[var] += 1);
    let mut readers = IndexVec::filled((OUTSIDE, 0), function.vars.len());
    let mut blocks = std::mem::take(&mut function.blocks);
    for id in blocks.ids() {
        let block = &mut blocks[id];
        let groups = groups(facts, function, block, &literals, &n_uses, &mut readers);
        for group in groups.iter().filter(|group| group.members.len() > 1) {
            join(&mut block.instrs, &group.members);
        }
        // What is empty now was joined.
        block.instrs.keep(|instr| !matches!(&instr.op, Op::Fused(steps) if steps.is_empty()));
    }
    function.blocks = blocks;
}

/// How much stands between an instruction and the end of its block.
#[derive(Clone, Copy, Default)]
struct Behind {
    /// What can fail or is seen.
    n_effects: usize,
    /// What runs other code.
    n_calls: usize,
}

struct Group {
    /// Places in the block, from the last on.
    members: Vec<usize>,
    /// What the members read that none of them gives.
    operands: Vec<VarId>,
    /// Behind the last one.
    behind: Behind,
    /// How many of the members can fail.
    n_effects: usize,
    /// Whether one of the members is a product or convolution, or the last one is a reduction.
    has_anchor: bool,
}

/// As the first to read a variable: one whose operands are in no group.
const OUTSIDE: usize = usize::MAX;

/// The groups of a block. `readers` is, by variable, the group that reads it first and how often; what is given in a
/// block has been read by none before, as blocks lead to larger ids.
fn groups(
    facts: Facts,
    function: &Function,
    block: &Block,
    literals: &[Option<Scalar>],
    n_uses: &IndexVec<VarId, u32>,
    readers: &mut IndexVec<VarId, (usize, u32)>,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut behind = Behind::default();
    for (at, instr) in block.instrs.iter().enumerate().rev() {
        let Some((result, class)) = fusible(facts, function, instr) else {
            // What takes nothing, as `zeros`, has been found to have a type.
            let is_made = matches!(instr.op, Op::Operator { .. }) && instr.args.is_empty();
            let is_pure = is_made || facts.is_pure(function, instr, &|var| literals[var.index()]);
            behind.n_effects += usize::from(!is_pure);
            behind.n_calls += usize::from(matches!(instr.op, Op::Call(_) | Op::Global(_)));
            continue;
        };
        let can_fail = !instr.args.iter().chain([&result]).all(|&var| facts.known_tensor(function, var).is_some());
        let (reader, n_reads) = readers[result];
        let is_anchor = matches!(class, Class::OutFusable | Class::Reduction);
        let joins = |group: &Group| {
            let is_free = match can_fail {
                true => behind.n_effects == group.behind.n_effects + group.n_effects,
                false => behind.n_calls == group.behind.n_calls,
            };
            let has_room = class != Class::Reduction
                && group.members.len() < MAX_STEPS
                && !(group.has_anchor && is_anchor)
                && operands_with(group, instr, result).len() <= op::MAX_OPERANDS;
            is_free && n_reads == n_uses[result] && has_room
        };
        let id = match groups.get(reader) {
            Some(group) if joins(group) => reader,
            Some(_) | None => {
                groups.push(Group {
                    members: Vec::new(),
                    operands: Vec::new(),
                    behind,
                    n_effects: 0,
                    has_anchor: false,
                });
                groups.len() - 1
            }
        };
        groups[id].operands = operands_with(&groups[id], instr, result);
        groups[id].members.push(at);
        groups[id].n_effects += usize::from(can_fail);
        groups[id].has_anchor |= is_anchor;
        behind.n_effects += usize::from(can_fail);
        for &arg in &instr.args {
            let (reader, n) = &mut readers[arg];
            let group = if class == Class::OutFusable { OUTSIDE } else { id };
            if *reader != group {
                (*reader, *n) = (group, 0);
            }
            *n += 1;
        }
    }
    groups
}

/// What a group reads with one more member.
fn operands_with(group: &Group, instr: &Instr, result: VarId) -> Vec<VarId> {
    let mut operands: Vec<VarId> = group.operands.iter().copied().filter(|&var| var != result).list();
    for &arg in &instr.args {
        if !operands.contains(&arg) {
            operands.push(arg);
        }
    }
    operands
}

/// The result of an operator that a group may have, and what it is to the group.
fn fusible(facts: Facts, function: &Function, instr: &Instr) -> Option<(VarId, Class)> {
    let (Op::Operator { op, attrs }, &[result]) = (&instr.op, &instr.results[..]) else { return None };
    let dtype = |&var: &VarId| {
        let layout = &facts.layouts[function.vars[var].layout];
        let is_one = matches!(layout.kind, Kind::Tensor | Kind::Scalar(_));
        facts.types.as_tensor(layout.ty).map(|(_, dtype)| dtype).filter(|_| is_one)
    };
    let is_tensor = |&var: &VarId| matches!(facts.layouts[function.vars[var].layout].kind, Kind::Tensor);
    let class = op.class(attrs, dtype(instr.args.first()?)?);
    let has_types = instr.args.iter().chain([&result]).all(|var| dtype(var).is_some());
    // What is done to scalars alone is done in registers of the machine.
    let is_large = is_tensor(&result) || class == Class::Reduction && instr.args.iter().all(is_tensor);
    (class != Class::Opaque && has_types && is_large).then_some((result, class))
}

/// Puts the members in the place of the last, which is the first of them.
fn join(instrs: &mut [Instr], members: &[usize]) {
    let (mut steps, mut results): (Vec<Step>, Vec<VarId>) = (Vec::new(), Vec::new());
    let mut args: Vec<VarId> = Vec::new();
    for &member in members.iter().rev() {
        let instr = &mut instrs[member];
        let inputs = instr.args.iter().map(|arg| {
            let step = results.iter().position(|result| result == arg).map(Input::Step);
            step.unwrap_or_else(|| {
                Input::Operand(args.iter().position(|other| other == arg).unwrap_or_else(|| {
                    args.push(*arg);
                    args.len() - 1
                }))
            })
        });
        let (inputs, span) = (inputs.list(), instr.span);
        results.extend_from_slice(&instr.results);
        if let Op::Operator { op, attrs } = std::mem::replace(&mut instr.op, Op::Fused(Vec::new())) {
            steps.push(Step { op, attrs, inputs, span });
        }
    }
    if let Some(&last) = members.first() {
        (instrs[last].op, instrs[last].args) = (Op::Fused(steps), args);
    }
}
