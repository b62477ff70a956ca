//! Operators on float32 as one call, without the tensors between them: elementwise ones, a block at a time, and at most
//! one product or convolution, which comes first and leaves its result where theirs goes ([`Head`]).
//!
//! Worked example: `s0 = nn.bias_add(x, b, axis=1); s1 = nn.relu(s0)` on shapes `(2, 3)` and `(3)` has one register.
//! `x` lies along the result, `b` does as a `(1, 3)`; the first step writes the register, the second reads it and
//! writes the result. Each step rounds as it does on its own, so the bits are those of one step after the other.
//! `s0 = nn.conv2d(x, w); s1 = nn.bias_add(s0, b); s2 = nn.relu(s1)` is the convolution alone, whose epilogue does the
//! others' sums and maxima.

use super::single::{Single, binary, broadcasts, floats, is_matrix, second, unary};
use super::{MAX_OPERANDS, Plan, Scratch, Source, count};
use crate::call::Planned;
use crate::run::{Fault, ResultType};
use crate::{CallFault, OpId, Operators};
use base::{Span, ToList};
use kernel::elementwise::broadcast::Walk;
use kernel::elementwise::program::{Place, Program, Step as Run};
use kernel::elementwise::{Binary, Source as From};
use kernel::gemm::Activation;
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

/// What an operator is to a group (after the classes of Relay's `FuseOps`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// On float32, its operands broadcasting, with a result of float32.
    Elementwise,
    /// A product or convolution: others may read its result in its group, but its operands come from outside.
    OutFusable,
    /// None of a group.
    Opaque,
}

impl OpId {
    pub fn class(self, attrs: &Attrs) -> Class {
        let name = self.row().name;
        let is_elementwise = match binary(name) {
            Some(op) => match op {
                Binary::Equal
                | Binary::NotEqual
                | Binary::Less
                | Binary::LessEqual
                | Binary::Greater
                | Binary::GreaterEqual => false,
                Binary::Add
                | Binary::Subtract
                | Binary::Multiply
                | Binary::Divide
                | Binary::Maximum
                | Binary::Minimum
                | Binary::Power
                | Binary::FloorDivide
                | Binary::FloorMod
                | Binary::Mod
                | Binary::TruncDivide
                | Binary::Prelu => true,
            },
            None => unary(name, attrs).is_some(),
        };
        match is_elementwise {
            true => Class::Elementwise,
            false if is_matrix(name, attrs) => Class::OutFusable,
            false => Class::Opaque,
        }
    }
}

impl Operators {
    /// The type of the last step's result, and the plan of all as one call, where there is one; or the first step that
    /// is no call on what it gets, by its place in the text.
    pub fn plan_steps(
        &mut self,
        steps: &[Step],
        operands: &[ResultType],
    ) -> Result<Option<Planned>, (Span, CallFault)> {
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
        let plan = Fused::new(steps, operands, &results).map(Plan::fused);
        Ok(Some((results.split_off(results.len().saturating_sub(1)), plan)))
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

/// An operand may lie along the result in several ways; all operands together in at most this many.
const MAX_LYING: usize = 2 * MAX_OPERANDS;

#[derive(Clone)]
pub struct Fused {
    head: Option<Head>,
    /// What is done after the head, or all; none if the head does it all.
    program: Option<Program>,
    /// By operand of the program, which one of the call it is; the one after the last is what the head left.
    sources: Vec<usize>,
    /// By operand of the call, whether it has an element for each of the result's wherever it is used.
    is_whole: Vec<bool>,
    n: usize,
}

/// The product or convolution of a group, with what its epilogue does. It writes the result.
#[derive(Clone)]
struct Head {
    body: Single,
    /// By position among those of the call.
    operands: [usize; 2],
    bias: Option<usize>,
    activation: Activation,
}

impl Head {
    /// The head of a group whose results all have one shape, if it has one, and which step's result it leaves. `None`
    /// if there is no body for it.
    fn new(steps: &[Step], operands: &[ResultType], results: &[ResultType]) -> Option<Option<(Head, Vec<usize>)>> {
        let is_head = |step: &Step| step.op.class(&step.attrs) == Class::OutFusable;
        let Some(at) = steps.iter().position(is_head) else { return Some(None) };
        let step = &steps[at];
        let &[Input::Operand(a), Input::Operand(b)] = &step.inputs[..] else { return None };
        let types = [operands.get(a)?.clone(), operands.get(b)?.clone()];
        let result = &results[at];
        let name = step.op.row().name;
        let body = Single::new(name, &step.attrs, &types, result)?;
        let channel = match &body {
            Single::Conv(conv) => conv.channel,
            _ => result.shape.len().checked_sub(1)?,
        };
        let mut head = Head { body, operands: [a, b], bias: None, activation: Activation::None };
        let mut done = vec![at];
        // What reads the last one that is done, if nothing else does.
        let reader = |done: &[usize]| {
            let read = Input::Step(*done.last()?);
            let mut readers = steps.iter().enumerate().filter(|(_, step)| step.inputs.contains(&read));
            readers.next().filter(|_| readers.next().is_none())
        };
        if let Some((at, step)) = reader(&done)
            && matches!(step.op.row().name, "add" | "nn.bias_add")
            && let &[Input::Operand(bias), Input::Step(_)] | &[Input::Step(_), Input::Operand(bias)] = &step.inputs[..]
            && let Some(vector) = operands.get(bias)
            && let Some(shape) = second(step.op.row().name, &step.attrs, [&result.shape, &vector.shape])
            && shape.len() <= result.shape.len()
            && count(&shape) == Some(result.shape[channel])
            && shape.iter().rev().nth(result.shape.len() - 1 - channel).copied().unwrap_or(1) == result.shape[channel]
        {
            head.bias = Some(bias);
            done.push(at);
        }
        if let Some((at, step)) = reader(&done)
            && step.op.row().name == "nn.relu"
        {
            head.activation = Activation::Relu;
            done.push(at);
        }
        Some(Some((head, done)))
    }

    fn run(&self, sources: &[Source], to: &mut [f32], scratch: &mut Scratch) -> Option<()> {
        let of = |at: usize| floats((*sources.get(at)?)?);
        let bias = match self.bias {
            Some(at) => Some(of(at)?),
            None => None,
        };
        self.body.matrix([of(self.operands[0])?, of(self.operands[1])?], (bias, self.activation), to, scratch)
    }
}

impl Fused {
    /// `None` unless all is float32 and each step has a result of the last one's shape.
    fn new(steps: &[Step], operands: &[ResultType], results: &[ResultType]) -> Option<Fused> {
        let whole = &results.last()?.shape;
        let n = count(whole)?;
        let is_single = |of: &ResultType| of.dtype == Dtype::Float32 && count(&of.shape).is_some();
        if operands.len() > MAX_OPERANDS
            || !operands.iter().chain(results).all(is_single)
            || results.iter().any(|of| of.shape != *whole)
        {
            return None;
        }
        let (head, done) = Head::new(steps, operands, results)?.unzip();
        let done = done.unwrap_or_default();
        // The last step that reads each, and where it is until then.
        let mut last = vec![0; steps.len()];
        for (at, step) in steps.iter().enumerate() {
            for input in &step.inputs {
                if let Input::Step(read) = *input {
                    last[read] = at;
                }
            }
        }
        let (mut registers, mut free): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut n_registers = 0;
        // What the head writes to is not read by what comes after it.
        let mut is_whole: Vec<bool> = operands.iter().map(|of| head.is_none() && count(&of.shape) == Some(n)).list();
        let mut lying: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut runs = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            if done.contains(&at) {
                // Not read.
                registers.push(usize::MAX);
                continue;
            }
            let name = step.op.row().name;
            let shape = |input: &Input| Some(input.of(operands, results)?.shape.clone());
            let mut shapes: Vec<Vec<usize>> = step.inputs.iter().map(shape).some_list()?;
            if let [a, b] = &mut shapes[..] {
                *b = second(name, &step.attrs, [&a[..], &b[..]])?;
            }
            let mut places = Vec::with_capacity(shapes.len());
            for (&input, shape) in step.inputs.iter().zip(shapes) {
                let is_all = count(&shape) == Some(n);
                let operand = match input {
                    _ if !broadcasts(&shape, whole) => return None,
                    Input::Step(_) if !is_all => return None,
                    Input::Step(from) if done.last() == Some(&from) => Err(operands.len()),
                    Input::Step(from) => Ok(Place::Register(*registers.get(from)?)),
                    Input::Operand(operand) => {
                        is_whole[operand] &= is_all;
                        Err(operand)
                    }
                };
                places.push(match operand {
                    Ok(register) => register,
                    Err(operand) => {
                        let lies = (operand, shape);
                        Place::Operand(lying.iter().position(|other| *other == lies).unwrap_or_else(|| {
                            lying.push(lies);
                            lying.len() - 1
                        }))
                    }
                });
            }
            let read = step.inputs.iter().filter_map(|&input| match input {
                Input::Step(read) if last[read] == at && !done.contains(&read) => Some(registers[read]),
                Input::Step(_) | Input::Operand(_) => None,
            });
            // A step may stand in both operands of another.
            read.for_each(|register| {
                if !free.contains(&register) {
                    free.push(register);
                }
            });
            let to = free.pop().unwrap_or_else(|| {
                n_registers += 1;
                n_registers - 1
            });
            registers.push(to);
            runs.push(match (places[..].try_into(), binary(name), &places[..], unary(name, &step.attrs)) {
                (Ok(operands), Some(op), ..) => Run::Binary { op, operands, to },
                (_, None, &[from], Some(op)) => Run::Unary { op, from, to },
                _ => return None,
            });
        }
        if lying.len() > MAX_LYING {
            return None;
        }
        let walks = lying.iter().map(|(_, shape)| Walk::new([shape], whole)).list();
        let sources = lying.iter().map(|(operand, _)| *operand).list();
        let program = match done.last() == Some(&(steps.len() - 1)) {
            true => None,
            false => Some(Program::new(walks, runs)?),
        };
        Some(Fused { head, program, sources, is_whole, n })
    }

    /// The product or convolution at its head, and which operand of the call is its right one.
    pub fn product(&self) -> Option<(&Single, usize)> {
        let head = self.head.as_ref()?;
        Some((&head.body, head.operands[1]))
    }

    /// Whether the result may be computed where this operand is.
    pub fn takes(&self, operand: usize) -> bool {
        self.is_whole.get(operand) == Some(&true)
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        let to: &mut [f32] = bytemuck::try_cast_slice_mut(result).map_err(|_| Fault::IllTyped)?;
        let mut operands = [From::Result; MAX_LYING];
        for (operand, &at) in operands.iter_mut().zip(&self.sources) {
            *operand = match sources.get(at) {
                Some(Some(bytes)) => From::Other(floats(bytes).ok_or(Fault::IllTyped)?),
                Some(None) if self.takes(at) => From::Result,
                None if self.head.is_some() => From::Result,
                Some(None) | None => return Err(Fault::IllTyped),
            };
        }
        if to.len() != self.n {
            return Err(Fault::IllTyped);
        }
        if let Some(head) = &self.head {
            head.run(sources, to, scratch).ok_or(Fault::IllTyped)?;
        }
        if let Some(program) = &self.program {
            program.run(&operands[..self.sources.len()], to, &mut scratch.registers);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
