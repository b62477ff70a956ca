//! Elementwise operators on float32 as one call: a block at a time, without the tensors between them.
//!
//! Worked example: `s0 = nn.bias_add(x, b, axis=1); s1 = nn.relu(s0)` on shapes `(2, 3)` and `(3)` has one register. `x`
//! lies along the result, `b` does as a `(1, 3)`; the first step writes the register, the second reads it and writes the
//! result. Each step is the loop that it is on its own, so the bits are those of one step after the other.

use super::single::{binary, broadcasts, floats, second, unary};
use super::{MAX_OPERANDS, Plan, Scratch, Source, count};
use crate::call::Planned;
use crate::run::{Fault, ResultType};
use crate::{CallFault, OpId, Operators};
use base::Span;
use kernel::elementwise::broadcast::Walk;
use kernel::elementwise::program::{Place, Program, Step as Run};
use kernel::elementwise::{Binary, Source as From};
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

impl OpId {
    /// Whether it may be a step: elementwise on float32, its operands broadcasting, with a result of float32.
    pub fn is_fusible(self) -> bool {
        let row = self.row();
        match (binary(row.name), unary(row.name, &Attrs::default())) {
            (Some(op), _) => match op {
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
            (None, unary) => unary.is_some(),
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
                step.inputs.iter().map(|input| input.of(operands, &results).cloned()).collect();
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

/// An operand may lie along the result in several ways; so many in all.
const MAX_LYING: usize = 2 * MAX_OPERANDS;

#[derive(Clone)]
pub struct Fused {
    program: Program,
    /// By operand of the program, which one of the call it is.
    sources: Vec<usize>,
    /// By operand of the call, whether it has an element for each of the result's wherever it is used.
    is_whole: Vec<bool>,
    n: usize,
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
        let mut is_whole: Vec<bool> = operands.iter().map(|of| count(&of.shape) == Some(n)).collect();
        let mut lying: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut runs = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let name = step.op.row().name;
            let shape = |input: &Input| Some(input.of(operands, results)?.shape.clone());
            let mut shapes: Vec<Vec<usize>> = step.inputs.iter().map(shape).collect::<Option<_>>()?;
            if let [a, b] = &mut shapes[..] {
                *b = second(name, &step.attrs, [&a[..], &b[..]])?;
            }
            let mut places = Vec::with_capacity(shapes.len());
            for (&input, shape) in step.inputs.iter().zip(shapes) {
                let is_all = count(&shape) == Some(n);
                places.push(match input {
                    _ if !broadcasts(&shape, whole) => return None,
                    Input::Step(from) if is_all => Place::Register(*registers.get(from)?),
                    Input::Step(_) => return None,
                    Input::Operand(operand) => {
                        is_whole[operand] &= is_all;
                        let lies = (operand, shape);
                        Place::Operand(lying.iter().position(|other| *other == lies).unwrap_or_else(|| {
                            lying.push(lies);
                            lying.len() - 1
                        }))
                    }
                });
            }
            let read = step.inputs.iter().filter_map(|&input| match input {
                Input::Step(read) if last[read] == at => Some(registers[read]),
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
        let walks = lying.iter().map(|(_, shape)| Walk::new([shape], whole)).collect();
        let sources = lying.iter().map(|(operand, _)| *operand).collect();
        Some(Fused { program: Program::new(walks, runs)?, sources, is_whole, n })
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
                Some(None) | None => return Err(Fault::IllTyped),
            };
        }
        if to.len() != self.n {
            return Err(Fault::IllTyped);
        }
        self.program.run(&operands[..self.sources.len()], to, &mut scratch.registers);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
