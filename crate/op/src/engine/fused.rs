//! Operators as one call, without the tensors between them.
//!
//! A group has elementwise operators, what gives the same elements another shape, one product or convolution at most,
//! which comes first, and one reduction at most, which comes last. It is put into steps that have loops ([`arrange`]),
//! and cut into stages of operators whose results have as many elements ([`stage`]). What is float32 goes through
//! registers of a block of elements, four at a time ([`float`]); other dtypes go a block at a time through the plans of
//! the operators ([`chain`]). A reduction takes the blocks as they are made. Each step rounds as it does on its own, and
//! a reduction adds in the same order, so the bits are those of one step after the other.
//!
//! Worked example: `s0 = nn.bias_add(x, b, axis=1); s1 = nn.relu(s0)` on shapes `(2, 3)` and `(3)` is one stage.
//! `x` lies along the result, `b` does as a `(1, 3)`; the first step writes a register, the second reads it and
//! writes the result. `s0 = nn.conv2d(x, w); s1 = nn.bias_add(s0, b); s2 = nn.relu(s1)` is the convolution alone, whose
//! epilogue does the others' sums and maxima.

mod arrange;
mod chain;
mod class;
mod float;
mod stage;

use super::single::Single;
use super::{MAX_OPERANDS, Plan, Scratch, Source, count};
use crate::call::Planned;
use crate::rule::reduced_axes;
use crate::run::{Fault, ResultType, WellTyped};
use crate::{CallFault, OpId, Operators, by_name};
use arrange::Arranged;
use base::{Span, ToList};
use chain::{Chain, room};
pub use class::Class;
use float::Float;
use kernel::fold::{Extent, Fold, fold_made};
use stage::Group;
use std::sync::Arc;
use ty::{Attrs, Dtype};

/// An operator among those that are called as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub op: OpId,
    pub attrs: Arc<Attrs>,
    pub inputs: Vec<Input>,
    /// Where it comes from, and where what goes wrong in it is told.
    pub span: Span,
}

/// An operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Of the call, by its position.
    Operand(usize),
    /// The result of an earlier step.
    Step(usize),
}

impl Operators {
    /// The type of the last step's result, and the plan of all as one call, where there is one; or the first step that
    /// is no call on what it gets, by its place in the text.
    pub fn plan_steps(
        &mut self,
        steps: &[Step],
        operands: &[ResultType],
    ) -> Result<Option<Planned>, (Span, CallFault)> {
        let Some(mut results) = self.step_types(steps, operands)? else { return Ok(None) };
        let plan = Fused::new(steps, operands, &results).map(Plan::fused);
        Ok(Some((results.split_off(results.len().saturating_sub(1)), plan)))
    }

    /// The type of each step's result.
    pub fn step_types(
        &mut self,
        steps: &[Step],
        operands: &[ResultType],
    ) -> Result<Option<Vec<ResultType>>, (Span, CallFault)> {
        let mut results: Vec<ResultType> = Vec::with_capacity(steps.len());
        for step in steps {
            let types: Option<Vec<ResultType>> =
                step.inputs.iter().map(|input| input.of(operands, &results).cloned()).some_list();
            let types = types.ok_or((step.span, CallFault::IllTyped))?;
            let found = self.plan(step.op, &step.attrs, &types).map_err(|fault| (step.span, fault))?;
            match found {
                Some((mut found, _)) if found.len() == 1 => results.append(&mut found),
                Some(_) | None => return Ok(None),
            }
        }
        Ok(Some(results))
    }
}

impl Input {
    /// What belongs to it, of what belongs to the operands and to the steps so far.
    pub fn of<'a, T>(self, operands: &'a [T], steps: &'a [T]) -> Option<&'a T> {
        match self {
            Input::Operand(at) => operands.get(at),
            Input::Step(at) => steps.get(at),
        }
    }
}

/// Operands of an operator that goes through its plan: `where` has the most.
const MAX_READ: usize = 3;

/// Bytes of memory between stages that are not given back.
const MAX_KEPT: u64 = 1 << 16;

pub struct Fused {
    stages: Vec<Stage>,
    n_operands: usize,
}

struct Stage {
    work: Work,
    /// Of what it gives.
    n_bytes: usize,
}

enum Work {
    Float(Float),
    Chain(Chain),
    /// One operator, on what is given.
    Alone(Plan, Vec<usize>),
    /// Elements that are made, then reduced.
    Folded(Float, Folding),
}

/// One reduction after the other, and what sums are divided by at the end.
struct Folding {
    op: Fold,
    groups: Vec<Extent>,
    divisor: Option<usize>,
}

impl Fused {
    /// `None`: a step has no body.
    pub fn new(steps: &[Step], operands: &[ResultType], results: &[ResultType]) -> Option<Fused> {
        (operands.len() <= MAX_OPERANDS).then_some(())?;
        let n_operands = operands.len();
        let arranged = Arranged::new(steps, operands, results)?;
        let mut group = Group::new(&arranged, n_operands)?;
        let Arranged { steps, results, .. } = &arranged;
        let mut stages = Vec::new();
        let mut first = 0;
        while first < steps.len() {
            let number = stages.len();
            let end = first + group.stages[first..].iter().take_while(|stage| **stage == number).count();
            let stage: Vec<usize> = (first..end).list();
            let work = match Work::new(&group, &stage) {
                Some(work) => work,
                // The rest is a stage of its own.
                None if stage.len() > 1 => {
                    group.stages[first + 1..].iter_mut().for_each(|stage| *stage += 1);
                    continue;
                }
                None => return None,
            };
            let of = &results[end - 1];
            stages.push(Stage { work, n_bytes: count(&of.shape)?.checked_mul(of.dtype.n_bytes())? });
            first = end;
        }
        Some(Fused { stages, n_operands })
    }

    /// `variance`, which is the mean of squares; those of a sample are divided by one less. For the mean that is given it is
    /// within `(r + 4) · 2⁻²⁴` of itself, where `r` are the roundings of a sum ([`kernel::fold`]) and no square is too
    /// large or too small for a float32.
    pub fn variance(attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Fused> {
        let [x, mean] = operands else { return None };
        let reduced = reduced_axes(attrs, x.shape.len()).ok()?;
        let kept = x.shape.iter().zip(reduced).map(|(&size, is_reduced)| if is_reduced { 1 } else { size });
        if x.dtype != Dtype::Float32 || !mean.shape.iter().copied().eq(kept) {
            return None;
        }
        let attrs = Arc::new(attrs.clone());
        let step =
            |name, inputs| Some(Step { op: by_name(name)?, attrs: attrs.clone(), inputs, span: Span::default() });
        let steps = [
            step("subtract", vec![Input::Operand(0), Input::Operand(1)])?,
            step("multiply", vec![Input::Step(0); 2])?,
            step("mean", vec![Input::Step(1)])?,
        ];
        Fused::new(&steps, operands, &[x.clone(), x.clone(), result.clone()])
    }

    /// The product or convolution of the group, and which operand of the call is its right one.
    pub fn product(&self) -> Option<(&Single, usize)> {
        self.stages.iter().find_map(|stage| {
            let Work::Float(Float { head: Some(head), .. }) = &stage.work else { return None };
            let [_, right] = head.operands;
            (right < self.n_operands).then_some((&head.body, right))
        })
    }

    /// Whether the result may be computed where this operand is.
    pub fn takes(&self, operand: usize) -> bool {
        let Some((last, before)) = self.stages.split_last() else { return false };
        last.work.takes(operand) && !before.iter().any(|stage| stage.work.reads(operand))
    }

    /// Bytes of what is between the stages.
    fn n_bytes_between(&self) -> u64 {
        let Some((_, before)) = self.stages.split_last() else { return 0 };
        before.iter().map(|stage| stage.n_bytes as u64).total()
    }

    /// Bytes that it works in, beside operands and result.
    pub fn n_working_bytes(&self) -> u64 {
        let within = self.stages.iter().map(|stage| match &stage.work {
            Work::Float(Float { head: Some(head), .. }) => head.body.n_working_bytes(),
            Work::Alone(plan, _) => plan.n_working_bytes(),
            Work::Float(_) | Work::Chain(_) | Work::Folded(..) => 0,
        });
        self.n_bytes_between() + within.max().unwrap_or(0)
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        (sources.len() == self.n_operands).then_some(()).well_typed()?;
        let Some((last, before)) = self.stages.split_last() else { return Err(Fault::ill_typed()) };
        if before.is_empty() {
            return last.work.run(sources, result, scratch);
        }
        let mut between = std::mem::take(&mut scratch.staged);
        between.resize_with(between.len().max(before.len()), Vec::new);
        // The operands, and what the stages so far gave.
        let mut given: Vec<Source> = Vec::with_capacity(sources.len() + before.len());
        given.extend_from_slice(sources);
        for (stage, words) in before.iter().zip(&mut between) {
            let made = room(words, stage.n_bytes);
            stage.work.run(&given, made, scratch)?;
            given.push(Some(made));
        }
        let done = last.work.run(&given, result, scratch);
        // Few bytes are kept for the next call.
        if self.n_bytes_between() <= MAX_KEPT {
            scratch.staged = between;
        }
        done
    }
}

impl Work {
    /// `None`: these steps are not one stage, or the only one has no body.
    fn new(group: &Group, stage: &[usize]) -> Option<Work> {
        let &[.., last] = stage else { return None };
        let n = group.n(last)?;
        if let [.., _, _] = stage {
            if group.classes[last] == Class::Reduction {
                let made = Float::new(group, &stage[..stage.len() - 1], n).filter(|made| made.head.is_none())?;
                return Some(Work::Folded(made, Folding::new(group, last)?));
            }
            let float = Float::new(group, stage, n).map(Work::Float);
            return float.or_else(|| Chain::new(group, stage, n).map(Work::Chain));
        }
        let step = &group.steps[last];
        let number = group.stages[last];
        let types = step.inputs.iter().map(|&input| group.type_of(input).cloned()).some_list()?;
        let given = step.inputs.iter().map(|&input| group.given(input, number)).some_list()?;
        if (group.classes[last] == Class::OutFusable || step.op.gives_normal_data())
            && let Some(head) = Float::new(group, stage, n)
        {
            return Some(Work::Float(head));
        }
        Some(Work::Alone(Plan::new(step.op.row(), &step.attrs, &types, &group.results[last..=last])?, given))
    }

    fn takes(&self, operand: usize) -> bool {
        match self {
            Work::Float(float) => float.takes(operand),
            Work::Chain(chain) => chain.takes(operand),
            Work::Alone(plan, given) => {
                let mut places = (0..given.len()).filter(|&at| given[at] == operand);
                places.next().is_some_and(|at| plan.takes(at)) && places.next().is_none()
            }
            Work::Folded(..) => false,
        }
    }

    fn reads(&self, operand: usize) -> bool {
        match self {
            Work::Float(float) | Work::Folded(float, _) => float.reads(operand),
            Work::Chain(chain) => chain.reads(operand),
            Work::Alone(_, given) => given.contains(&operand),
        }
    }

    fn run(&self, given: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        let done = match self {
            Work::Float(float) => float.run(given, result, scratch),
            Work::Chain(chain) => chain.run(given, result, scratch),
            Work::Folded(made, folding) => folding.run(made, given, result, scratch),
            Work::Alone(plan, at) => {
                let mut sources: [Source; MAX_READ] = [None; MAX_READ];
                let sources = sources.get_mut(..at.len()).well_typed()?;
                for (source, &at) in sources.iter_mut().zip(at) {
                    *source = *given.get(at).well_typed()?;
                }
                return plan.run(sources, result, scratch);
            }
        };
        done.well_typed()
    }
}

impl Folding {
    fn new(group: &Group, at: usize) -> Option<Folding> {
        let (step, result) = (&group.steps[at], &group.results[at]);
        let of = group.type_of(*step.inputs.first()?)?;
        match Single::new(step.op.row().name, &step.attrs, std::slice::from_ref(of), result)? {
            Single::Fold { op, groups, divisor } if !groups.is_empty() => Some(Folding { op, groups, divisor }),
            _ => None,
        }
    }

    fn run(&self, made: &Float, given: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Option<()> {
        let to: &mut [f32] = bytemuck::try_cast_slice_mut(result).ok()?;
        let (first, rest) = self.groups.split_first()?;
        let mut registers = std::mem::take(&mut scratch.registers);
        let mut done = Some(());
        let mut make = |start: usize, part: &mut [f32]| {
            done = done.and_then(|()| made.run_part(given, start, part, &mut registers));
        };
        if rest.is_empty() {
            (to.len() == first.n_results()).then_some(())?;
            fold_made(self.op, *first, &mut make, to, &mut scratch.conv.panels);
        } else {
            let mut held = vec![0.0; first.n_results()];
            fold_made(self.op, *first, &mut make, &mut held, &mut scratch.conv.panels);
            super::single::fold_all(self.op, rest, &held, to, scratch)?;
        }
        scratch.registers = registers;
        super::single::divide(to, self.divisor);
        done
    }
}

#[cfg(test)]
mod tests;
