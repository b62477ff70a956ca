//! Common subexpressions: an instruction whose value is already there is left out, and the value used.
//!
//! The walk goes down the tree of dominators, so a table entry is of use exactly while its block dominates the present
//! one, and may be overwritten once it does not (Briggs, Cooper and Simpson 1997, "Value Numbering").

use super::effect::{Facts, literals};
use super::graph::Graph;
use super::simplify::Renaming;
use base::{Append, HashMap, Idx, IndexVec};
use ir::{BlockId, FuncId, Function, Instr, Op, Program, VarId};
use ty::Scalar;

/// An instruction but for its results, as words: equal words, equal values.
type Key = Vec<u32>;

/// Leaves out what gives a value that is already there.
pub fn share(program: &mut Program, _: &mut [FuncId]) {
    let mut functions = std::mem::take(&mut program.functions);
    for id in functions.ids() {
        share_in(Facts::of(program), &mut functions[id]);
    }
    program.functions = functions;
}

fn share_in(facts: Facts, function: &mut Function) {
    let graph = Graph::new(&function.blocks);
    let literals = literals(function);
    let mut renaming = Renaming::new(function.vars.len());
    let mut table: HashMap<Key, (BlockId, Vec<VarId>)> = HashMap::default();
    // Out of the function, whose variables are looked at.
    let mut blocks = std::mem::replace(&mut function.blocks, IndexVec::new());
    for &id in &graph.order {
        let block = &mut blocks[id];
        block.instrs.retain_mut(|instr| {
            renaming.apply(&mut instr.args);
            if !facts.is_pure(function, instr, &|var| literals[var.index()]) {
                return true;
            }
            let Some(key) = key_of(function, instr) else { return true };
            match table.get(&key) {
                Some((at, results)) if graph.dominates(*at, id) => {
                    for (&result, &known) in instr.results.iter().zip(results) {
                        renaming.set(result, known);
                    }
                    false
                }
                Some(_) | None => {
                    table.insert(key, (id, instr.results.clone()));
                    true
                }
            }
        });
        renaming.apply(block.end.args_mut());
    }
    function.blocks = blocks;
}

/// `None` where two equal instructions are not two equal values, or comparing them would be much trouble.
fn key_of(function: &Function, instr: &Instr) -> Option<Key> {
    let words: [u32; 3] = match &instr.op {
        Op::Scalar(Scalar::Int(value)) => [0, *value as u32, (*value >> 32) as u32],
        Op::Scalar(Scalar::Float(value)) => [1, value.to_bits() as u32, (value.to_bits() >> 32) as u32],
        Op::Tensor(constant) => [2, constant.number(), 0],
        Op::Pack { variant } => [3, *variant, 0],
        Op::Open { variant } => [4, *variant, 0],
        Op::Field { variant, index } => [5, *variant, *index],
        Op::Box => [6, 0, 0],
        Op::Unbox => [7, 0, 0],
        Op::Closure(code) => [8, code.number(), 0],
        Op::Retype => [10, 0, 0],
        // Most elementwise operators have no attributes, and others are not compared.
        Op::Operator { op, attrs } if attrs.entries.is_empty() => [9, op.number(), 0],
        Op::Operator { .. }
        | Op::Fused(_)
        | Op::Peek { .. }
        | Op::Load
        | Op::Free
        | Op::Call(_)
        | Op::RefNew
        | Op::RefRead
        | Op::RefWrite
        | Op::Global(_)
        | Op::Check { .. }
        | Op::Fuel(_)
        | Op::Dup
        | Op::Drop => return None,
    };
    let mut key = words.to_vec();
    // Result layouts, counted, then arguments: no two instructions have the same words.
    key.push(instr.results.len() as u32);
    key.append_all(instr.results.iter().map(|&result| function.vars[result].layout.number()));
    key.append_all(instr.args.iter().map(|arg| arg.number()));
    Some(key)
}
