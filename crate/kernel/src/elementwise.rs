//! Elementwise operators on float32, four elements at a time.
//!
//! Slices in, a slice out; nothing is allocated. Every operator has one loop over pairs of vectors; a rest of fewer
//! than eight elements goes through the same loop on a padded copy, so an element's result does not depend on its
//! neighbours. An operand may be the result slice itself ([`Source::Result`]): the old elements are read before they
//! are overwritten.
//!
//! Results equal those of [`crate::scalar::float`], rounded to float32: to the bit for what is exact there, and within
//! the bounds of [`crate::math`] otherwise. The bits of a NaN are not canonical.
//!
//! - [`unary`], [`binary`]: one operator, operands of the same shape or one element.
//! - [`broadcast`]: shapes that broadcast, planned once and then run.
//! - [`compare`]: comparisons, selection and conversion, which have bytes or other dtypes on one side.
//! - [`program`]: chains of operators, a block at a time.
//!
//! ```
//! use kernel::elementwise::{Binary, Source, Unary, binary, unary};
//! let mut sum = [0.0; 5];
//! binary(Binary::Add, Source::Other(&[1.0, 2.0, 3.0, 4.0, 5.0]), Source::Other(&[0.5]), &mut sum);
//! assert_eq!(sum, [1.5, 2.5, 3.5, 4.5, 5.5]);
//! unary(&Unary::Negative, Source::Result, &mut sum);
//! assert_eq!(sum, [-1.5, -2.5, -3.5, -4.5, -5.5]);
//! ```

#![allow(unsafe_code, reason = "loads and stores of four lanes through pointers; operands that are the result")]

pub mod broadcast;
pub mod compare;
pub(crate) mod loops;
pub mod program;

#[cfg(test)]
mod tests;

use loops::Operand;

/// Where an operand is.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    Other(&'a [f32]),
    /// The elements that the result slice holds when the operator starts.
    Result,
}

/// An operator of one tensor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Unary {
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Ceil,
    /// Elements below the first become the first; of the others, those above the second become the second.
    Clip(f32, f32),
    Copy,
    Cos,
    Cosh,
    Erf,
    Exp,
    Floor,
    /// `x > 0 ? x : alpha * x`.
    LeakyRelu(f32),
    Log,
    Log10,
    Log2,
    Negative,
    Relu,
    Round,
    /// Of an element and this, which is -0 where nothing is added.
    Rsqrt(f32),
    Sigmoid,
    Sign,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
    Trunc,
}

/// An operator of two tensors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Maximum,
    Minimum,
    Power,
    FloorDivide,
    FloorMod,
    /// Also `trunc_mod`.
    Mod,
    TruncDivide,
    /// `a < 0 ? a * b : a`.
    Prelu,
    /// 1 where `a == b`, otherwise 0; so for the other comparisons.
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// `op` of every element. An operand that is not the result has as many elements as the result.
#[inline(always)]
pub fn unary(op: &Unary, from: Source, to: &mut [f32]) {
    let n = to.len();
    let result = to.as_mut_ptr();
    let from = match from {
        Source::Other(from) => {
            assert_eq!(from.len(), n);
            Operand::Each(from.as_ptr())
        }
        Source::Result => Operand::Each(result.cast_const()),
    };
    // SAFETY: both have `n` elements.
    unsafe { loops::unary(op, from, result, n) }
}

/// `op` of every pair. An operand that is not the result has as many elements as the result, or one.
#[inline(always)]
pub fn binary(op: Binary, a: Source, b: Source, to: &mut [f32]) {
    let n = to.len();
    let result = to.as_mut_ptr();
    let operand = |source: Source| match source {
        Source::Other(&[one]) => Operand::One(one),
        Source::Other(from) => {
            assert_eq!(from.len(), n);
            Operand::Each(from.as_ptr())
        }
        Source::Result => Operand::Each(result.cast_const()),
    };
    // SAFETY: all have `n` elements.
    unsafe { loops::binary(op, operand(a), operand(b), result, n) }
}

/// The canonical NaN for every NaN.
pub fn canonicalise(elements: &mut [f32]) {
    for x in elements {
        if x.is_nan() {
            *x = f32::NAN;
        }
    }
}
