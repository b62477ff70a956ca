//! How often each operator of a run was called, and what the calls cost.
//!
//! A program that is profiled has [`Code::Pause`] wherever an operator on tensors stands. There the loop stops, the
//! operands' types are read, and the instruction is done by itself, from the codes of the program as it was, between
//! two looks at a clock that is given from outside. So a run that is not profiled does not know of this, and one that
//! is comes to the same values in the same number of steps.
//!
//! A time includes some 50 ns for leaving and entering the loop. Operators on scalars alone are not looked at.

use crate::code::{Assembly, At, Code};
use crate::fault::Stop;
use crate::fuse::fuse;
use crate::heap::Heap;
use crate::kind::{BlockKind, shape_at};
use crate::machine::Machine;
use base::{HashMap, Idx, Span, ToList};
use ir::{FuncId, Instr, Op, VarId};
use layout::{Kind, Words};
use op::{OpId, Operators, ResultType, flops};
use std::sync::Arc;
use ty::Dtype;

/// The calls of one operator, or of several that are fused, at one place of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    pub span: Span,
    pub ops: Vec<OpId>,
    /// Of the last call, unless it is a tuple.
    pub result: Option<ResultType>,
    pub n_calls: u64,
    pub milliseconds: f64,
    /// Bytes of operands and of results.
    pub read: u64,
    pub written: u64,
    /// Operations on numbers ([`op::flops`]), where they can be counted from the types.
    pub flops: Option<u64>,
}

pub(crate) struct Profile {
    /// In milliseconds.
    clock: fn() -> f64,
    /// Without pauses.
    pub plain: Arc<Assembly>,
    tallies: Vec<Tally>,
    /// By instruction and place: of a library the places are those of its callers.
    known: HashMap<(u32, u32, u32), Known>,
}

struct Known {
    tally: usize,
    /// Of what is fused: the last call's operands, and the operations that were counted for these.
    operands: Vec<ResultType>,
    flops: Option<u64>,
}

/// The types in a value of one tensor or of several.
struct Types {
    one: Option<ResultType>,
    bytes: u64,
}

impl Machine {
    /// From the next start on, says what operators cost. The clock counts milliseconds.
    pub fn profile(&mut self, clock: fn() -> f64) {
        let plain = self.profile.take().map_or_else(|| self.code.clone(), |profile| profile.plain);
        let mut paused = Assembly::clone(&plain);
        for pc in 0..paused.codes.len() {
            let has_tensors = |id: FuncId, instr: &Instr| {
                let vars = &paused.program.functions[id].vars;
                let is_scalar = |var: &VarId| {
                    matches!(paused.program.layouts[vars[*var].layout].kind, Kind::Scalar(_) | Kind::Immediate(_))
                };
                !instr.args.iter().chain(&instr.results).all(is_scalar)
            };
            let is_operator = match (paused.function(pc as u32), paused.at(pc as u32)) {
                (Some(id), Some(At::Instr(instr))) => {
                    matches!(instr.op, Op::Operator { .. } | Op::Fused(_)) && has_tensors(id, instr)
                }
                (_, Some(At::Instr(_) | At::End(_)) | None) => false,
            };
            if is_operator {
                paused.codes[pc] = Code::Pause;
            }
        }
        paused.fast = fuse(&paused);
        self.code = Arc::new(paused);
        self.profile = Some(Box::new(Profile { clock, plain, tallies: Vec::new(), known: HashMap::default() }));
    }

    /// What the operators cost, in the order in which they were first called.
    pub fn tallies(&self) -> &[Tally] {
        self.profile.as_ref().map_or(&[], |profile| &profile.tallies)
    }

    /// Does the instruction that the machine pauses at.
    pub(crate) fn measure(&mut self, left: &mut u64) -> Result<(), Stop> {
        let Some(profile) = &self.profile else { return Ok(()) };
        let (clock, plain, pc) = (profile.clock, profile.plain.clone(), self.state.pc);
        let Some(At::Instr(instr)) = plain.at(pc) else { return Ok(()) };
        let operands: Vec<Types> = instr.args.iter().map(|&arg| self.types(&plain, pc, arg)).list();
        let span = self.place(None);
        let paused = std::mem::replace(&mut self.code, plain.clone());
        let mut one = 1;
        let began = clock();
        let done = self.go(&mut one);
        let milliseconds = clock() - began;
        self.code = paused;
        *left = left.saturating_sub(1 - one);
        done?;
        let mut written = Types { one: None, bytes: 0 };
        for &result in &instr.results {
            let Types { one, bytes } = self.types(&plain, pc, result);
            written = Types { one, bytes: written.bytes + bytes };
        }
        let (Some(profile), operators) = (&mut self.profile, &mut self.operators) else { return Ok(()) };
        let known = profile.known.entry((pc, span.start, span.end)).or_insert_with(|| {
            let ops = match &instr.op {
                Op::Operator { op, .. } => vec![*op],
                Op::Fused(steps) => steps.iter().map(|step| step.op).list(),
                _ => Vec::new(),
            };
            let (n_calls, milliseconds, read, written) = (0, 0.0, 0, 0);
            let tally = Tally { span, ops, result: None, n_calls, milliseconds, read, written, flops: Some(0) };
            profile.tallies.push(tally);
            Known { tally: profile.tallies.len() - 1, operands: Vec::new(), flops: None }
        });
        let flops = counted(operators, known, instr, &operands, &written);
        let tally = &mut profile.tallies[known.tally];
        tally.n_calls += 1;
        tally.milliseconds += milliseconds;
        tally.read = operands.iter().fold(tally.read, |read, of| read.saturating_add(of.bytes));
        tally.written = tally.written.saturating_add(written.bytes);
        tally.flops = tally.flops.zip(flops).map(|(before, more)| before.saturating_add(more));
        tally.result = written.one;
        Ok(())
    }

    /// The types in a variable of the current frame.
    fn types(&self, code: &Assembly, pc: u32, var: VarId) -> Types {
        let nothing = Types { one: None, bytes: 0 };
        let Some(id) = code.function(pc) else { return nothing };
        let layout = code.program.functions[id].vars[var].layout;
        let range = code.routines[id].places[var.index()].range();
        let base = self.state.base as usize;
        let words: Words = self.state.registers[base + range.start..base + range.end].into();
        let layouts = &code.program.layouts;
        let scalar =
            |dtype: Dtype| Types { one: Some(ResultType { shape: Vec::new(), dtype }), bytes: dtype.n_bytes() as u64 };
        let heap = &self.state.heap;
        match layouts[layout].kind {
            Kind::Scalar(dtype) | Kind::Immediate(dtype) => scalar(dtype),
            Kind::Tensor => {
                let one = tensor_at(code, heap, words.first().map_or(0, |word| *word as u32));
                Types { bytes: one.as_ref().map_or(0, ResultType::n_bytes), one }
            }
            _ => {
                // A tuple: the tensors that its pointers lead to, themselves or through the tuple's own block.
                let (mut found, mut bytes) = (Vec::new(), 0_u64);
                code.kinds.pointers(layouts, layout, &words, &mut found);
                while let Some((_, at)) = found.pop() {
                    match tensor_at(code, heap, at) {
                        Some(of) => bytes = bytes.saturating_add(of.n_bytes()),
                        None => code.kinds.pointers_at(layouts, heap, at, &mut found),
                    }
                }
                Types { one: None, bytes }
            }
        }
    }
}

fn tensor_at(code: &Assembly, heap: &Heap, at: u32) -> Option<ResultType> {
    match code.kinds.kind_at(heap, at) {
        BlockKind::Tensor(dtype) => Some(ResultType { shape: shape_at(heap, at), dtype }),
        BlockKind::Free | BlockKind::Token | BlockKind::Box(_) | BlockKind::Ref(_) | BlockKind::Closure(_) => None,
    }
}

/// The operations of one call.
fn counted(
    operators: &mut Operators,
    known: &mut Known,
    instr: &Instr,
    operands: &[Types],
    result: &Types,
) -> Option<u64> {
    match &instr.op {
        Op::Operator { op, attrs } => {
            let operands: Vec<Option<&ResultType>> = operands.iter().map(|of| of.one.as_ref()).list();
            flops(*op, attrs, &operands, result.one.as_ref())
        }
        Op::Fused(steps) => {
            let operands: Vec<ResultType> = operands.iter().map(|of| of.one.clone()).some_list()?;
            if known.operands == operands {
                return known.flops;
            }
            let results = operators.step_types(steps, &operands).ok()??;
            let mut costs = steps.iter().zip(&results).map(|(step, result)| {
                let operands = step.inputs.iter().map(|input| input.of(&operands, &results)).list();
                flops(step.op, &step.attrs, &operands, Some(result))
            });
            known.flops = costs.try_fold(0_u64, |all, more| Some(all.saturating_add(more?)));
            known.operands = operands;
            known.flops
        }
        _ => None,
    }
}
