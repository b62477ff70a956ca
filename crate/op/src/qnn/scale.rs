//! Scales and zero points, and changing from one to another.
//!
//! An integer q stands for scale · (q - zero point). Floats in between are float32, each step rounded.

use crate::conv::layout::operand;
use crate::conv::window::{fault, numbers};
use crate::run::{Call, Fault};
use base::ToList;
use kernel::fixed::{Factor, Rounding};
use kernel::number::{float_to_int, round_f32, wrap};
use kernel::strided::count;
use ty::Dtype;

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
        self.values[at / self.inner % self.values.len()]
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
pub(super) fn range(dtype: Dtype) -> Result<(i128, i128), Fault> {
    match dtype.int_range() {
        Some(range) => Ok(range),
        None => fault(format!("quantized tensors hold integers, not {dtype}")),
    }
}

/// What is an integer, cut off at the ends of a dtype's range.
pub(super) fn clip(x: i128, (low, high): (i128, i128)) -> i128 {
    x.clamp(low, high)
}

/// A float as a quantized integer. NaN is the highest, as in Relay.
pub(super) fn quantized(x: f64, scale: f64, zero: f64, (low, high): (i128, i128)) -> i128 {
    let q = round_f32(round_f32(x / scale).round() + round_f32(zero));
    if q.is_nan() { high } else { float_to_int(q).clamp(low, high) }
}

/// The float that an integer stands for.
pub(super) fn dequantized(q: i128, scale: f64, zero: f64) -> f64 {
    round_f32(round_f32(wrap(q - float_to_int(zero), 32, true) as f64) * scale)
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
    to: i128,
    rounding: Rounding,
}

impl Change {
    /// From scales and zero points to the scale and the zero point that two operands are.
    pub fn new(scale: &Along, from: Along, [to_scale, to]: [f64; 2], rounding: Rounding) -> Result<Change, Fault> {
        let factors = scale.values.iter().map(|scale| factor(scale / to_scale)).ok_list()?;
        Ok(Change { factors, inner: scale.inner, from, to: float_to_int(to), rounding })
    }

    /// The integer for element `at`, not cut off.
    pub fn apply(&self, at: usize, q: i128) -> i128 {
        let factor = self.factors[at / self.inner % self.factors.len()];
        factor.times(q - float_to_int(self.from.at(at)), self.rounding) + self.to
    }
}
