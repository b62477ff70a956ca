//! Elementwise operators on any dtype, by their scalar meaning: one element at a time.

use super::{Source, count};
use crate::run::{Fault, Kernel, ResultType, call_scalar};
use kernel::strided::{Offsets, broadcast_strides};
use ty::{Dtype, bits_of_bytes, scalar_bits, scalar_of};

#[derive(Clone)]
pub struct Each {
    kernel: &'static Kernel,
    /// Of the operands, and of the result.
    dtypes: [Dtype; 2],
    shape: Vec<usize>,
    /// Of each operand along the result's axes, in elements. One operand is there twice.
    strides: [Vec<usize>; 2],
    /// Whether an operand has an element for each of the result's.
    is_whole: [bool; 2],
    n_operands: usize,
}

impl Each {
    /// `None` if the kernel is not an elementwise one, or the types are not what one makes.
    pub fn new(kernel: &'static Kernel, operands: &[ResultType], result: &ResultType) -> Option<Each> {
        let (first, last) = (operands.first()?, operands.last()?);
        let (to, n_operands) = elementwise(kernel, first.dtype)?;
        let fits = |operand: &ResultType| {
            let missing = result.shape.len().checked_sub(operand.shape.len());
            missing.is_some_and(|missing| {
                operand.shape.iter().zip(&result.shape[missing..]).all(|(&size, &to)| size == to || size == 1)
            })
        };
        let is_same = operands.iter().all(|operand| operand.dtype == first.dtype && fits(operand));
        if !is_same || to != result.dtype || usize::from(n_operands) != operands.len() {
            return None;
        }
        count(&result.shape)?;
        let both = [first, last];
        Some(Each {
            kernel,
            dtypes: [first.dtype, to],
            strides: both.map(|operand| broadcast_strides(&operand.shape, &result.shape)),
            is_whole: both.map(|operand| count(&operand.shape) == count(&result.shape)),
            shape: result.shape.clone(),
            n_operands: n_operands.into(),
        })
    }

    pub fn takes(&self, operand: usize) -> bool {
        self.is_whole.get(operand) == Some(&true) && self.dtypes[0].n_bytes() == self.dtypes[1].n_bytes()
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8]) -> Result<(), Fault> {
        let (&[a, ..], &[.., b]) = (sources, sources) else { return Err(Fault::IllTyped) };
        if sources.len() != self.n_operands
            || result.len() != self.shape.iter().product::<usize>() * self.dtypes[1].n_bytes()
        {
            return Err(Fault::IllTyped);
        }
        if self.is_whole == [true, true] {
            for i in 0..result.len() / self.dtypes[1].n_bytes() {
                self.one(a, b, [i, i], i, result)?;
            }
            return Ok(());
        }
        for (i, offsets) in Offsets::new(&self.shape, [&self.strides[0], &self.strides[1]]).enumerate() {
            self.one(a, b, offsets, i, result)?;
        }
        Ok(())
    }

    fn one(&self, a: Source, b: Source, at: [usize; 2], i: usize, result: &mut [u8]) -> Result<(), Fault> {
        let [from, to] = self.dtypes;
        let bits = |source: Source, at: usize, result: &[u8]| {
            let bytes = source.unwrap_or(result).get(at * from.n_bytes()..).and_then(|rest| rest.get(..from.n_bytes()));
            bytes.map(bits_of_bytes).ok_or(Fault::IllTyped)
        };
        let (a, b) = (bits(a, at[0], result)?, bits(b, at[1], result)?);
        let bits = by_kernel(self.kernel, [from, to], a, b)?;
        let place =
            result.get_mut(i * to.n_bytes()..).and_then(|rest| rest.get_mut(..to.n_bytes())).ok_or(Fault::IllTyped)?;
        place.copy_from_slice(&bits.to_le_bytes()[..to.n_bytes()]);
        Ok(())
    }
}

/// The dtype of an elementwise operator's result on operands of one dtype, and how many it has.
pub fn elementwise(kernel: &Kernel, dtype: Dtype) -> Option<(Dtype, u8)> {
    match kernel {
        Kernel::Map1 { .. } => Some((dtype, 1)),
        Kernel::Map2 { .. } => Some((dtype, 2)),
        Kernel::Compare { .. } => Some((Dtype::Bool, 2)),
        Kernel::Test(_) => Some((Dtype::Bool, 1)),
        Kernel::Missing | Kernel::Whole(_) => None,
    }
}

/// An elementwise operator on the bits of scalars of one dtype; the result's dtype is the second.
pub fn by_kernel(kernel: &Kernel, [from, to]: [Dtype; 2], a: u64, b: u64) -> Result<u64, Fault> {
    Ok(scalar_bits(to, call_scalar(kernel, from, scalar_of(from, a), scalar_of(from, b))?))
}
