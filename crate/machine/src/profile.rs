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
use crate::tensor::Block;
use base::{HashMap, Idx, Span, ToList};
use ir::{FuncId, Instr, Op, VarId};
use layout::{Kind, LayoutId, Words};
use op::{OpId, Operators, ResultType, flops, reads_part};
use std::slice;
use std::sync::Arc;

/// An operator on so many bytes may take long: the run can be looked at before it.
const LARGE: u64 = 4 << 20;

/// The calls of one operator, or of several that are fused, at one place of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    pub span: Span,
    pub ops: Vec<OpId>,
    /// Of the last call, unless it is a tuple.
    pub result: Option<ResultType>,
    pub n_calls: u64,
    pub milliseconds: f64,
    /// Bytes that were read of operands, and of results.
    pub read: u64,
    pub written: u64,
    /// Operations on numbers ([`op::flops`]), where they can be counted from the types.
    pub flops: Option<u64>,
}

pub(crate) struct Profile {
    /// In milliseconds.
    clock: fn() -> f64,
    /// The codes of the program, one by one and joined, with a pause before each operator on tensors; absent while one
    /// is measured.
    pub paused: Option<Arc<[Vec<Code>; 2]>>,
    tallies: Vec<Tally>,
    /// Whether the run has been left before the instruction that is next, for somebody to look at it.
    was_left: bool,
    /// By instruction and place: of a library the places are those of its callers.
    known: HashMap<(u32, u32, u32), Known>,
}

struct Known {
    tally: usize,
    last: Option<Call>,
}

/// What was found out about a call.
struct Call {
    operands: Vec<Types>,
    result: Types,
    flops: Option<u64>,
}

/// The types in a value of one tensor or of several.
#[derive(Default)]
struct Types {
    one: Option<ResultType>,
    /// Those of its tensors, in order.
    all: Vec<ResultType>,
    blocks: Vec<Block>,
    bytes: u64,
}

impl Machine {
    /// From the next start on, says what operators cost. The clock counts milliseconds.
    pub fn profile(&mut self, clock: fn() -> f64) {
        let code = &*self.code;
        let mut codes = code.codes.clone();
        for (pc, paused) in codes.iter_mut().enumerate() {
            let has_tensors = |id: FuncId, instr: &Instr| {
                let vars = &code.program.functions[id].vars;
                let is_scalar = |var: &VarId| {
                    matches!(code.program.layouts[vars[*var].layout].kind, Kind::Scalar(_) | Kind::Immediate(_))
                };
                !instr.args.iter().chain(&instr.results).all(is_scalar)
            };
            let is_operator = match (code.function(pc as u32), code.at(pc as u32)) {
                (Some(id), Some(At::Instr(instr))) => {
                    matches!(instr.op, Op::Operator { .. } | Op::Fused(_)) && has_tensors(id, instr)
                }
                (_, Some(At::Instr(_) | At::End(_)) | None) => false,
            };
            if is_operator {
                *paused = Code::Pause;
            }
        }
        let fast = fuse(code, &codes);
        let paused = Some(Arc::new([codes, fast]));
        self.profile =
            Some(Box::new(Profile { clock, paused, tallies: Vec::new(), was_left: false, known: HashMap::default() }));
    }

    /// What the operators cost, in the order in which they were first called.
    pub fn tallies(&self) -> &[Tally] {
        self.profile.as_ref().map_or(&[], |profile| &profile.tallies)
    }

    /// Whether the run has been left before an operator that may take long.
    pub fn is_before_large(&self) -> bool {
        self.profile.as_ref().is_some_and(|profile| profile.was_left)
    }

    /// Does the instruction that the machine pauses at; one that may take long, when it pauses there again.
    pub(crate) fn measure(&mut self, left: &mut u64) -> Result<(), Stop> {
        let span = self.place(None);
        let Some(profile) = &self.profile else { return Ok(()) };
        let (clock, code, pc) = (profile.clock, self.code.clone(), self.state.pc);
        let Some(At::Instr(instr)) = code.at(pc) else { return Ok(()) };
        let place = (pc, span.start, span.end);
        let last = profile.known.get(&place).and_then(|known| known.last.as_ref());
        // They are read before the operands go.
        let operands: Option<Vec<Types>> = match last {
            Some(last) if self.are(&code, pc, &instr.args, &last.operands) => None,
            Some(_) | None => Some(instr.args.iter().map(|&arg| self.types(&code, pc, arg)).list()),
        };
        let n_bytes = |of: &[Types]| of.iter().fold(0_u64, |sum, of| sum.saturating_add(of.bytes));
        let is_large = n_bytes(operands.as_deref().or(last.map(|last| &last.operands[..])).unwrap_or(&[])) >= LARGE;
        if let Some(profile) = &mut self.profile
            && is_large
            && !std::mem::replace(&mut profile.was_left, true)
        {
            *left = 0;
            return Ok(());
        }
        let paused = self.profile.as_mut().and_then(|profile| profile.paused.take());
        let mut one = 1;
        let began = clock();
        let done = self.go(&mut one);
        let milliseconds = clock() - began;
        if let Some(profile) = &mut self.profile {
            profile.paused = paused;
        }
        *left = left.saturating_sub(1 - one);
        done?;
        let Some(mut profile) = self.profile.take() else { return Ok(()) };
        let Profile { tallies, known, .. } = &mut *profile;
        let known = known.entry(place).or_insert_with(|| {
            tallies.push(Tally::new(span, instr));
            Known { tally: tallies.len() - 1, last: None }
        });
        let tally = &mut tallies[known.tally];
        let last = match known.last.take() {
            Some(last) if operands.is_none() && self.are(&code, pc, &instr.results, slice::from_ref(&last.result)) => {
                last
            }
            last => {
                let operands = operands.or(last.map(|last| last.operands)).unwrap_or_default();
                let result = instr.results.first().map(|&of| self.types(&code, pc, of)).unwrap_or_default();
                let flops = counted(&mut self.operators, instr, &operands, &result);
                tally.result = result.one.clone();
                Call { operands, result, flops }
            }
        };
        tally.n_calls += 1;
        tally.milliseconds += milliseconds;
        for (i, of) in last.operands.iter().enumerate() {
            let is_part = i == 0 && matches!(&instr.op, Op::Operator { op, .. } if reads_part(*op));
            tally.read = tally.read.saturating_add(if is_part { of.bytes.min(last.result.bytes) } else { of.bytes });
        }
        tally.written = tally.written.saturating_add(last.result.bytes);
        tally.flops = tally.flops.zip(last.flops).map(|(before, more)| before.saturating_add(more));
        known.last = Some(last);
        profile.was_left = false;
        self.profile = Some(profile);
        Ok(())
    }

    /// Whether the tensors in variables of the current frame are of these types.
    fn are(&self, code: &Assembly, pc: u32, vars: &[VarId], types: &[Types]) -> bool {
        vars.iter().zip(types).all(|(&var, types)| {
            let (_, tensors) = self.tensors(code, pc, var);
            let is = |(&at, block): (&u64, &Block)| block.owners(&self.state.heap, at as u32).is_some();
            tensors.len() == types.blocks.len() && tensors.iter().zip(&types.blocks).all(is)
        })
    }

    /// The types in a variable of the current frame.
    fn types(&self, code: &Assembly, pc: u32, var: VarId) -> Types {
        let (layout, tensors) = self.tensors(code, pc, var);
        let type_at = |&at: &u64| tensor_at(code, &self.state.heap, at as u32);
        let all: Vec<ResultType> = tensors.iter().filter_map(type_at).list();
        let one = match code.program.layouts[layout].kind {
            Kind::Scalar(dtype) | Kind::Immediate(dtype) => Some(ResultType { shape: Vec::new(), dtype }),
            Kind::Tensor => all.first().cloned(),
            _ => None,
        };
        let blocks = all.iter().filter_map(|of| Block::new(code, of)).list();
        let n_bytes = |sum: u64, of: &ResultType| sum.saturating_add(of.n_bytes());
        let bytes = if tensors.is_empty() { one.iter().fold(0, n_bytes) } else { all.iter().fold(0, n_bytes) };
        Types { one, all, blocks, bytes }
    }

    /// The layout of a variable of the current frame, and where the tensors in it are: it is one, or those in a tuple, to
    /// which its pointers lead themselves or through the tuple's own block.
    fn tensors(&self, code: &Assembly, pc: u32, var: VarId) -> (LayoutId, Words) {
        let id = code.function(pc).unwrap_or(FuncId::numbered(0));
        let layout = code.program.functions[id].vars[var].layout;
        let range = code.routines[id].places[var.index()].range();
        let words = &self.state.registers[self.state.base as usize..][range];
        let layouts = &code.program.layouts;
        let mut tensors = Words::new();
        match (&layouts[layout].kind, words) {
            (Kind::Scalar(_) | Kind::Immediate(_), _) => {}
            (Kind::Tensor, [word, ..]) => tensors.push(*word),
            _ => {
                let mut found = Vec::new();
                code.kinds.pointers(layouts, layout, words, &mut found);
                let mut next = 0;
                while let Some(&(_, at)) = found.get(next) {
                    next += 1;
                    match code.kinds.kind_at(&self.state.heap, at) {
                        BlockKind::Tensor(_) => tensors.push(at.into()),
                        _ => code.kinds.pointers_at(layouts, &self.state.heap, at, &mut found),
                    }
                }
            }
        }
        (layout, tensors)
    }
}

fn tensor_at(code: &Assembly, heap: &Heap, at: u32) -> Option<ResultType> {
    match code.kinds.kind_at(heap, at) {
        BlockKind::Tensor(dtype) => Some(ResultType { shape: shape_at(heap, at), dtype }),
        BlockKind::Free | BlockKind::Token | BlockKind::Box(_) | BlockKind::Ref(_) | BlockKind::Closure(_) => None,
    }
}

impl Tally {
    /// Of no calls.
    fn new(span: Span, instr: &Instr) -> Tally {
        let ops = match &instr.op {
            Op::Operator { op, .. } => vec![*op],
            Op::Fused(steps) => steps.iter().map(|step| step.op).list(),
            _ => Vec::new(),
        };
        Tally { span, ops, result: None, n_calls: 0, milliseconds: 0.0, read: 0, written: 0, flops: Some(0) }
    }
}

/// The operations of one call.
fn counted(operators: &mut Operators, instr: &Instr, operands: &[Types], result: &Types) -> Option<u64> {
    match &instr.op {
        Op::Operator { op, attrs } => {
            let operands: Vec<Option<&ResultType>> = match operands {
                [Types { one: None, all, .. }] => all.iter().map(Some).list(),
                _ => operands.iter().map(|of| of.one.as_ref()).list(),
            };
            flops(*op, attrs, &operands, result.one.as_ref())
        }
        Op::Fused(steps) => {
            let operands: Vec<ResultType> = operands.iter().map(|of| of.one.clone()).some_list()?;
            let results = operators.step_types(steps, &operands).ok()??;
            let mut costs = steps.iter().zip(&results).map(|(step, result)| {
                let operands = step.inputs.iter().map(|input| input.of(&operands, &results)).list();
                flops(step.op, &step.attrs, &operands, Some(result))
            });
            costs.try_fold(0_u64, |all, more| Some(all.saturating_add(more?)))
        }
        _ => None,
    }
}
