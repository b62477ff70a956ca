//! Products, convolutions, pools, norms and the largest elements of float16 and bfloat16: stored so, computed in float32,
//! and rounded once at the end. What is elementwise, or a sum, goes a block at a time instead (`blocks`, `each`).

use super::blocks::half;
use super::single::Single;
use super::{Scratch, Source, count};
use crate::run::{Fault, ResultType, WellTyped};
use base::ToList;
use kernel::fold::Fold;
use kernel::halves::{self, Half};
use ty::{Attrs, Dtype};

/// Elements of a call: with more, the room for them as float32 could be more than there is.
const MOST: usize = 1 << 26;

/// More are not kept between calls.
const MOST_KEPT: usize = 1 << 20;

pub struct Halves {
    half: Half,
    /// Whether the result is of the operands' dtype, and not written as it is.
    is_closed: bool,
    single: Single,
    /// Elements of operands and result.
    n: usize,
}

impl Halves {
    /// `None`: there is no body for this operator on float32, or these are other types.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Halves> {
        let dtype = operands.first()?.dtype;
        let is_closed = result.dtype == dtype;
        let fits = operands.iter().all(|of| of.dtype == dtype);
        fits.then_some(())?;
        let n = operands.iter().chain([result]).try_fold(0, |n: usize, of| n.checked_add(count(&of.shape)?))?;
        (n <= MOST).then_some(())?;
        let wide = |of: &ResultType| {
            let dtype = if of.dtype == dtype { Dtype::Float32 } else { of.dtype };
            ResultType { dtype, ..of.clone() }
        };
        let operands: Vec<ResultType> = operands.iter().map(wide).list();
        match Single::new(name, attrs, &operands, &wide(result))? {
            Single::Fold { op: Fold::Sum | Fold::Product, .. } => None,
            Single::Unary(_) | Single::Binary { .. } | Single::Compare { .. } => None,
            single => Some(Halves { half: half(dtype)?, is_closed, single, n }),
        }
    }

    pub fn n_working_bytes(&self) -> u64 {
        4 * self.n as u64 + self.single.n_working_bytes()
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        let n: usize = sources.iter().map(|source| source.map_or(0, |bytes| bytes.len() / 2)).total();
        let n_result = if self.is_closed { result.len() / 2 } else { 0 };
        let mut floats = std::mem::take(&mut scratch.halves);
        floats.reserve_exact((n + n_result).saturating_sub(floats.len()));
        floats.resize(n + n_result, 0.0);
        let (mut left, to) = floats.split_at_mut(n);
        let mut wide: Vec<Source> = Vec::with_capacity(sources.len());
        for source in sources {
            let bytes = source.well_typed()?;
            let (operand, rest) = left.split_at_mut(bytes.len() / 2);
            halves::read(self.half, bytes, operand);
            wide.push(Some(bytemuck::cast_slice(operand)));
            left = rest;
        }
        let done = match self.is_closed {
            true => self.single.run(&wide, bytemuck::cast_slice_mut(to), scratch),
            false => self.single.run(&wide, result, scratch),
        };
        if self.is_closed {
            halves::write(self.half, to, result);
        }
        if floats.len() <= MOST_KEPT {
            scratch.halves = floats;
        }
        done
    }
}
