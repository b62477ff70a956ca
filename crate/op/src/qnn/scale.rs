//! Scales and zero points, and changing from one to another.
//!
//! An integer q stands for scale · (q - zero point). Floats in between are float32, each step rounded.

use crate::conv::layout::operand;
use crate::conv::window::{fault, numbers};
use crate::run::{Call, Fault};
use base::ToList;
use kernel::fixed::{Factor, Rounding};
use kernel::number::round_f32;
use kernel::strided::count;
use ty::{Dtype, Elements, Tensor};

/// A number for each element of a tensor: one for all, or one for each place along an axis.
pub(super) struct Along {
    values: Vec<f64>,
    /// How many elements there are to one place.
    inner: usize,
}

impl Along {
    /// An operand beside a tensor of a shape.
    pub fn of(call: &Call, index: usize, shape: &[usize], axis: i64) -> Result<Along, Fault> {
        let values = numbers(&operand(call, index)?);
        if let &[one] = values.as_slice() {
            return Ok(Along { values: vec![one], inner: 1 });
        }
        let axis = if axis < 0 { axis.saturating_add(shape.len() as i64) } else { axis };
        match usize::try_from(axis).ok().filter(|&axis| shape.get(axis) == Some(&values.len())) {
            Some(axis) => Ok(Along { inner: count(&shape[axis + 1..]), values }),
            None if values.windows(2).all(|pair| pair[0] == pair[1]) && !values.is_empty() => {
                Ok(Along { values: vec![values[0]], inner: 1 })
            }
            None => {
                let (n, shape) = (values.len(), base::bracketed(shape));
                fault(format!("{n} scales or zero points do not fit the shape {shape}"))
            }
        }
    }

    /// That of element `at`.
    pub fn at(&self, at: usize) -> f64 {
        self.values[place(at, self.inner, self.values.len())]
    }
}

/// Where along an axis with `size` places element `at` stands.
fn place(at: usize, inner: usize, size: usize) -> usize {
    if size == 1 { 0 } else { at / inner % size }
}

/// The elements of a tensor of integers.
pub(super) fn integers(elements: Elements) -> Vec<i64> {
    match elements {
        Elements::Int(values) => values,
        Elements::Float(_) => Vec::new(),
    }
}

/// An operand that is one number.
pub(super) fn number(call: &Call, index: usize) -> Result<f64, Fault> {
    match numbers(&operand(call, index)?).as_slice() {
        &[one] => Ok(one),
        _ => Err(Fault::ill_typed()),
    }
}

/// The smallest and the largest integer of a dtype.
pub(super) type Range = (i64, i64);

/// Those of int32.
pub(super) const WORD: Range = (i32::MIN as i64, i32::MAX as i64);

pub(super) fn range(dtype: Dtype) -> Result<Range, Fault> {
    match dtype.int_range() {
        Some((low, high)) => Ok((low as i64, high.min(i64::MAX.into()) as i64)),
        None => fault(format!("quantized tensors hold integers, not {dtype}")),
    }
}

/// What is an integer, cut off at the ends of a dtype's range.
pub(super) fn clip(x: i64, (low, high): Range) -> i64 {
    x.clamp(low, high)
}

/// The same of what may be larger than any.
pub(super) fn clip_wide(x: i128, (low, high): Range) -> i64 {
    x.clamp(low.into(), high.into()) as i64
}

/// A float as a quantized integer. NaN is the highest, as in Relay.
pub(super) fn quantized(x: f64, scale: f64, zero: f64, range: Range) -> i64 {
    let q = round_f32(round_f32(x / scale).round() + round_f32(zero));
    if q.is_nan() { range.1 } else { clip(q as i64, range) }
}

/// The float that an integer stands for.
pub(super) fn dequantized(q: i64, scale: f64, zero: f64) -> f64 {
    round_f32(round_f32(f64::from(q.wrapping_sub(zero as i64) as i32)) * scale)
}

pub(super) fn factor(x: f64) -> Result<Factor, Fault> {
    match Factor::of(x) {
        Some(factor) => Ok(factor),
        None => fault("a scale must be a finite number, and that of the result not 0".to_owned()),
    }
}

/// A change of scale and zero point, in integers.
pub(super) struct Change {
    factors: Vec<Factor>,
    inner: usize,
    from: Along,
    to: i64,
    rounding: Rounding,
}

impl Change {
    /// From scales and zero points to the scale and the zero point that two operands are.
    pub fn new(scale: &Along, from: Along, [to_scale, to]: [f64; 2], rounding: Rounding) -> Result<Change, Fault> {
        let factors = scale.values.iter().map(|scale| factor(scale / to_scale)).ok_list()?;
        Ok(Change { factors, inner: scale.inner, from, to: to as i64, rounding })
    }

    /// The integers for the elements of a tensor, cut off at the ends of a range.
    pub fn all(&self, x: Tensor, range: Range) -> Vec<i64> {
        let mut values = integers(x.elements);
        for (at, q) in values.iter_mut().enumerate() {
            let factor = self.factors[place(at, self.inner, self.factors.len())];
            let moved = q.saturating_sub(self.from.at(at) as i64);
            *q = clip(factor.times(moved, self.rounding).saturating_add(self.to), range);
        }
        values
    }
}
