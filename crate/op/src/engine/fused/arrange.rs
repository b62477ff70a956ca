//! Steps, as stages want them, which are cut where sizes change.
//!
//! - What gives an operand another shape is no step: it is the operand, read with that shape.
//! - `nn.batch_norm` is two steps: one over the root of the variance for each channel, and `(x - mean) * factor * gamma +
//!   beta`, each operator rounding by itself. So it is within `7 · 2⁻²⁴ · (abs(x - mean) / root · abs(gamma) +
//!   abs(beta))` of what is meant.
//!
//! Worked example: `s0 = nn.conv2d(x, w); s1 = expand_dims(b, axis=0, num_newaxis=2); s2 = nn.batch_norm(s0, g, c, m, v)`
//! becomes `rsqrt(v + epsilon)`, then `nn.conv2d(x, w)` and a step that goes along its result and reads `m`, the roots, `g`
//! and `c` as `(C, 1, 1)`.

use super::class::Class;
use super::{Input, Step};
use crate::by_name;
use crate::engine::single::axis_of;
use crate::run::ResultType;
use base::ToList;

/// A group, in other steps.
pub struct Arranged {
    pub steps: Vec<Step>,
    /// By step.
    pub results: Vec<ResultType>,
    /// Those of the call, and some of them again in other shapes.
    pub operands: Vec<ResultType>,
    /// By operand, which one of the call it is.
    pub sources: Vec<usize>,
}

impl Arranged {
    /// `None`: a step reads what is not there.
    pub fn new(steps: &[Step], operands: &[ResultType], results: &[ResultType]) -> Option<Arranged> {
        let mut arranged = Arranged {
            steps: Vec::with_capacity(steps.len()),
            results: Vec::with_capacity(steps.len()),
            operands: operands.to_vec(),
            sources: (0..operands.len()).list(),
        };
        // A stage ends where sizes change: what makes vectors comes before all.
        let is_given = |input: &Input| matches!(input, Input::Operand(_));
        let mut vectors = base::filled(None, steps.len());
        for (at, step) in steps.iter().enumerate() {
            if step.op.gives_normal_data() && step.inputs.iter().skip(1).all(is_given) {
                vectors[at] = Some(arranged.put_vectors(step, &results[at])?);
            }
        }
        let mut places: Vec<Input> = Vec::with_capacity(steps.len());
        for (at, (step, result)) in steps.iter().zip(results).enumerate() {
            let inputs = step.inputs.iter().map(|&input| match input {
                Input::Step(from) => places[from],
                operand => operand,
            });
            let step = Step { inputs: inputs.list(), ..step.clone() };
            places.push(if step.op.gives_normal_data() {
                let vectors = match vectors[at] {
                    Some(vectors) => vectors,
                    None => arranged.put_vectors(&step, result)?,
                };
                arranged.put_norm(step, vectors, result)?
            } else {
                arranged.put(step, result, at + 1 == steps.len())
            });
        }
        Some(arranged)
    }

    fn class(&self, step: &Step) -> Option<Class> {
        let first = step.inputs.first()?.of(&self.operands, &self.results)?;
        Some(step.op.class(&step.attrs, first.dtype))
    }

    /// Where the result of one more step is.
    fn put(&mut self, step: Step, result: &ResultType, is_last: bool) -> Input {
        if let (Some(Class::Injective), &[Input::Operand(at)], false) = (self.class(&step), &step.inputs[..], is_last) {
            return self.read_as(at, result);
        }
        self.steps.push(step);
        self.results.push(result.clone());
        Input::Step(self.steps.len() - 1)
    }

    /// An operator on what belongs to a step that means several.
    fn put_named(&mut self, name: &str, inputs: &[Input], result: &ResultType, of: &Step) -> Option<Input> {
        let step = Step { op: by_name(name)?, inputs: inputs.to_vec(), ..of.clone() };
        Some(self.put(step, result, true))
    }

    /// The same elements in another shape.
    fn reshaped(&mut self, input: Input, result: &ResultType, of: &Step) -> Option<Input> {
        match input {
            Input::Operand(at) => Some(self.read_as(at, result)),
            Input::Step(_) => self.put_named("reshape", &[input], result, of),
        }
    }

    fn read_as(&mut self, at: usize, result: &ResultType) -> Input {
        self.operands.push(result.clone());
        self.sources.push(self.sources[at]);
        Input::Operand(self.operands.len() - 1)
    }

    /// Of `nn.batch_norm`: gamma, beta, the mean, and one over the root of the variance, as they broadcast.
    fn put_vectors(&mut self, step: &Step, result: &ResultType) -> Option<[Input; 4]> {
        let &[_, gamma, beta, mean, variance] = &step.inputs[..] else { return None };
        let axis = axis_of(&step.attrs, 1, result.shape.len())?;
        let mut shape = base::filled(1, result.shape.len() - axis);
        shape[0] = result.shape[axis];
        let vector = ResultType { shape, dtype: result.dtype };
        let mut found = [gamma, beta, mean, variance];
        for input in &mut found {
            *input = self.reshaped(*input, &vector, step)?;
        }
        found[3] = self.put_named("rsqrt", &found[3..], &vector, step)?;
        Some(found)
    }

    /// The norm, with its vectors in the order in which it reads them.
    fn put_norm(&mut self, step: Step, vectors: [Input; 4], result: &ResultType) -> Option<Input> {
        let [gamma, beta, mean, factor] = vectors;
        let inputs = vec![*step.inputs.first()?, mean, factor, gamma, beta];
        Some(self.put(Step { inputs, ..step }, result, true))
    }
}
