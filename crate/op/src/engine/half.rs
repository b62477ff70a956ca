//! Operators on float16 and bfloat16: stored so, computed in float32, and rounded once at the end.
//!
//! Sums, products and quotients are what rounding the exact number once would give: float32 has more than twice the digits.

use super::single::Single;
use super::{Scratch, Source};
use crate::run::{Fault, ResultType};
use base::ToList;
use kernel::wide::{floats_of_halves, halves_of_floats};
use ty::{Attrs, Dtype};

#[derive(Clone)]
pub struct Half {
    is_brain: bool,
    /// Whether the result is of the operands' dtype, and not a bool or a float32.
    is_closed: bool,
    single: Single,
}

/// Whether elements are half as wide as a float32.
pub fn is_half(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::Float16 | Dtype::BFloat16)
}

impl Half {
    /// `None`: there is no body for this operator on float32, or these are other types.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Half> {
        let dtype = operands.first()?.dtype;
        let is_closed = result.dtype == dtype;
        let fits = is_half(dtype) && operands.iter().all(|of| of.dtype == dtype);
        if !fits || !is_closed && !matches!(result.dtype, Dtype::Bool | Dtype::Float32) {
            return None;
        }
        let wide = |of: &ResultType| {
            let dtype = if of.dtype == dtype { Dtype::Float32 } else { of.dtype };
            ResultType { dtype, ..of.clone() }
        };
        let operands: Vec<ResultType> = operands.iter().map(wide).list();
        let single = Single::new(name, attrs, &operands, &wide(result))?;
        Some(Half { is_brain: dtype == Dtype::BFloat16, is_closed, single })
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        let n: usize = sources.iter().map(|source| source.map_or(0, |bytes| bytes.len() / 2)).sum();
        let n_result = if self.is_closed { result.len() / 2 } else { 0 };
        let mut floats = std::mem::take(&mut scratch.halves);
        floats.resize(n + n_result, 0.0);
        let (mut left, to) = floats.split_at_mut(n);
        let mut wide: Vec<Source> = Vec::with_capacity(sources.len());
        for source in sources {
            let bytes = source.ok_or(Fault::IllTyped)?;
            let (operand, rest) = left.split_at_mut(bytes.len() / 2);
            floats_of_halves(self.is_brain, bytes, operand);
            wide.push(Some(bytemuck::cast_slice(operand)));
            left = rest;
        }
        let done = match self.is_closed {
            true => self.single.run(&wide, bytemuck::cast_slice_mut(to), scratch),
            false => self.single.run(&wide, result, scratch),
        };
        if self.is_closed {
            halves_of_floats(self.is_brain, to, result);
        }
        scratch.halves = floats;
        done
    }
}
