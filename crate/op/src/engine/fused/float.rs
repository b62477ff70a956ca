//! Stages of float32: a product or convolution at most, whose epilogue does what it can, and then a
//! [`Program`](kernel::elementwise::program).

use super::class::Class;
use super::stage::{Group, Run, Wiring};
use super::{Input, Step};
use crate::engine::single::{Single, binary, floats, second, unary};
use crate::engine::{MAX_OPERANDS, Scratch, Source, count};
use base::ToList;
use kernel::elementwise::Source as From;
use kernel::elementwise::program::{Place, Program, Step as Pass};
use kernel::gemm::Activation;
use ty::Dtype;

/// What is given may lie along the result in several ways; all of it together in at most this many.
const MAX_LYING: usize = 2 * MAX_OPERANDS;

pub struct Float {
    pub head: Option<Head>,
    /// What is done after the head, or all; none if the head does it all.
    program: Option<Program>,
    /// By operand of the program, which one is meant of what is given; or what the head left.
    sources: Vec<usize>,
    /// Of those, which lie along the whole result.
    is_whole: Vec<bool>,
    n: usize,
}

/// What the head of a stage left, where the result is.
const HELD: usize = usize::MAX;

/// The product or convolution of a group, with what its epilogue does. It writes the result.
pub struct Head {
    pub body: Single,
    /// By position among what is given.
    pub operands: [usize; 2],
    bias: Option<usize>,
    activation: Activation,
}

impl Head {
    /// The head at the beginning of a stage, and the steps that it does, if there is one. `None` if there is no body for
    /// it.
    fn new(group: &Group, stage: &[usize]) -> Option<Option<(Head, Vec<usize>)>> {
        let &[at, ..] = stage else { return None };
        if group.classes[at] != Class::OutFusable {
            return Some(None);
        }
        let (step, result, number) = (&group.steps[at], &group.results[at], group.stages[at]);
        let &[a, b] = &step.inputs[..] else { return None };
        let operands = [group.given(a, number)?, group.given(b, number)?];
        let types = [group.type_of(a)?.clone(), group.type_of(b)?.clone()];
        let body = Single::new(step.op.row().name, &step.attrs, &types, result)?;
        let channel = match &body {
            Single::Conv(conv) => conv.channel,
            _ => result.shape.len().checked_sub(1)?,
        };
        let mut head = Head { body, operands, bias: None, activation: Activation::None };
        let mut done = vec![at];
        // What reads the last one that is done, if nothing else does and it is in this stage.
        let reader = |done: &[usize]| {
            let read = Input::Step(*done.last()?);
            let mut readers = group.steps.iter().enumerate().filter(|(_, step)| step.inputs.contains(&read));
            readers.next().filter(|(at, _)| readers.next().is_none() && stage.contains(at))
        };
        if let Some((at, step)) = reader(&done)
            && matches!(step.op.row().name, "add" | "nn.bias_add")
            && let &[bias, Input::Step(_)] | &[Input::Step(_), bias] = &step.inputs[..]
            && let Some(given) = group.given(bias, number)
            && let Some(vector) = group.type_of(bias)
            && let Some(shape) = second(step.op.row().name, &step.attrs, [&result.shape, &vector.shape])
            && shape.len() <= result.shape.len()
            && count(&shape) == Some(result.shape[channel])
            && shape.iter().rev().nth(result.shape.len() - 1 - channel).copied().unwrap_or(1) == result.shape[channel]
        {
            head.bias = Some(given);
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

    fn run(&self, given: &[Source], to: &mut [f32], scratch: &mut Scratch) -> Option<()> {
        let of = |at: usize| floats((*given.get(at)?)?);
        let bias = match self.bias {
            Some(at) => Some(of(at)?),
            None => None,
        };
        self.body.matrix([of(self.operands[0])?, of(self.operands[1])?], (bias, self.activation), to, scratch)
    }
}

impl Float {
    /// `None` unless all is float32, and has loops.
    pub fn new(group: &Group, stage: &[usize], n: usize) -> Option<Float> {
        let is_single = |&at: &usize| {
            let mut types = group.steps[at].inputs.iter().map(|&input| group.type_of(input));
            types.all(|of| of.is_some_and(|of| of.dtype == Dtype::Float32)) && group.results[at].dtype == Dtype::Float32
        };
        stage.iter().all(is_single).then_some(())?;
        let (head, done) = Head::new(group, stage)?.unzip();
        let done = done.unwrap_or_default();
        // What is left changes no element.
        if stage.iter().all(|at| done.contains(at) || head.is_some() && group.classes[*at] == Class::Injective) {
            return Some(Float { head, program: None, sources: Vec::new(), is_whole: Vec::new(), n });
        }
        let Wiring { lying, runs, .. } = Wiring::new(group, stage, n, (&done, HELD))?;
        (lying.len() <= MAX_LYING).then_some(())?;
        let passes = runs.iter().map(|run| pass(group.steps.get(run.step)?, run)).some_list()?;
        let program = Some(Program::new(lying.iter().map(|lying| lying.walk()).list(), passes)?);
        let (sources, is_whole) = lying.iter().map(|lying| (lying.given, lying.is_whole())).unzip();
        Some(Float { head, program, sources, is_whole, n })
    }

    /// Whether the result may be where this is that is given. The head writes before the program reads.
    pub fn takes(&self, given: usize) -> bool {
        let mut lying = self.sources.iter().zip(&self.is_whole).filter(|(at, _)| **at == given).peekable();
        self.head.is_none() && lying.peek().is_some() && lying.all(|(_, is_whole)| *is_whole)
    }

    pub fn reads(&self, given: usize) -> bool {
        let is_of_head = |head: &Head| head.operands.contains(&given) || head.bias == Some(given);
        self.sources.contains(&given) || self.head.as_ref().is_some_and(is_of_head)
    }

    pub fn run(&self, given: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Option<()> {
        let to: &mut [f32] = bytemuck::try_cast_slice_mut(result).ok()?;
        (to.len() == self.n).then_some(())?;
        if let Some(head) = &self.head {
            head.run(given, to, scratch)?;
        }
        if let Some(program) = &self.program {
            program.run(self.operands(given, &mut [From::Result; MAX_LYING])?, to, &mut scratch.registers);
        }
        Some(())
    }

    /// The elements of the result from a place on; there is no head.
    pub fn run_part(&self, given: &[Source], first: usize, to: &mut [f32], registers: &mut Vec<f32>) -> Option<()> {
        let mut room = [From::Result; MAX_LYING];
        let operands = self.operands(given, &mut room)?;
        self.program.as_ref()?.run_part(operands, first, to, registers);
        Some(())
    }

    /// What the program reads, in the room for it.
    fn operands<'r, 'a>(&self, given: &[Source<'a>], room: &'r mut [From<'a>]) -> Option<&'r [From<'a>]> {
        let operands = room.get_mut(..self.sources.len())?;
        for (operand, &at) in operands.iter_mut().zip(&self.sources) {
            *operand = match given.get(at) {
                Some(Some(bytes)) => From::Other(floats(bytes)?),
                Some(None) if self.takes(at) => From::Result,
                None if at == HELD => From::Result,
                Some(None) | None => return None,
            };
        }
        Some(operands)
    }
}

fn pass(step: &Step, run: &Run) -> Option<Pass> {
    let name = step.op.row().name;
    if step.op.gives_normal_data() {
        let &[x, mean, factor, gamma, beta] = &run.operands[..] else { return None };
        let or = |name, vector, nothing| if step.attrs.flag(name) { vector } else { Place::Constant(nothing) };
        // Neither changes a number.
        let operands = [x, mean, factor, or("scale", gamma, 1.0), or("center", beta, -0.0)];
        return Some(Pass::Affine { operands, to: run.to });
    }
    Some(match (run.operands[..].try_into(), binary(name), &run.operands[..], unary(name, &step.attrs)) {
        (Ok(operands), Some(op), ..) => Pass::Binary { op, operands, to: run.to },
        (_, None, &[from], Some(op)) => Pass::Unary { op, from, to: run.to },
        _ => return None,
    })
}
