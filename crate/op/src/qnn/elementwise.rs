//! Quantized operators on one element, or two that broadcast, at a time; softmax and joining.

use super::scale::{
    Along, Change, Range, WORD, clip, clip_wide, dequantized, factor, integers, number, quantized, range,
};
use crate::conv::layout::{operand, tensor_of};
use crate::conv::window::{Fold, PLANE, Windows, fault, numbers, pooled, share};
use crate::run::{Call, Fault, WellTyped, as_tensor, floats};
use base::{MapArray, ToList};
use kernel::fixed::{Factor, Rounding};
use kernel::number::{round_f32, round_f64};
use kernel::reduce::fold;
use kernel::scalar::float;
use kernel::shape::concatenate;
use kernel::strided::{View, count, map2};
use ty::{Dtype, Elements, Tensor, Value};

fn axis(call: &Call, name: &str) -> i64 {
    call.attrs.int(name).unwrap_or(-1)
}

/// The result with these elements.
fn whole(call: &Call, elements: Vec<i64>) -> Result<Value, Fault> {
    call.one(Elements::Int(elements))
}

pub(super) fn quantize(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (operand(call, 0)?, call.result(0)?);
    let scale = Along::of(call, 1, &x.shape, axis(call, "axis"))?;
    let zero = Along::of(call, 2, &x.shape, axis(call, "axis"))?;
    let range = range(result.dtype)?;
    let values = numbers(&x).into_iter().enumerate();
    whole(call, values.map(|(at, x)| quantized(x, scale.at(at), zero.at(at), range)).list())
}

pub(super) fn dequantize(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let scale = Along::of(call, 1, &x.shape, axis(call, "axis"))?;
    let zero = Along::of(call, 2, &x.shape, axis(call, "axis"))?;
    let values = integers(x.elements).into_iter().enumerate();
    call.one(Elements::Float(values.map(|(at, q)| dequantized(q, scale.at(at), zero.at(at))).list()))
}

/// By integers of 31 digits unless `compute_dtype` is a float.
pub(super) fn requantize(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (operand(call, 0)?, call.result(0)?);
    let scale = Along::of(call, 1, &x.shape, axis(call, "axis"))?;
    let zero = Along::of(call, 2, &x.shape, axis(call, "axis"))?;
    let to = [number(call, 3)?, number(call, 4)?];
    let range = range(result.dtype)?;
    let rounding = match call.attrs.str("rounding") {
        "None" | "UPWARD" => Rounding::Upward,
        "TONEAREST" => Rounding::ToNearest,
        _ => return fault("`rounding` is \"UPWARD\" or \"TONEAREST\"".to_owned()),
    };
    let round: fn(f64) -> f64 = match call.attrs.str("compute_dtype") {
        "None" | "int64" => {
            let change = Change::new(&scale, zero, to, rounding)?;
            return whole(call, change.all(x, range));
        }
        "float32" => round_f32,
        "float64" => round_f64,
        _ => return fault("`compute_dtype` is \"int64\", \"float32\" or \"float64\"".to_owned()),
    };
    factor(1.0 / to[0])?;
    let changed = |(at, q): (usize, i64)| {
        let x = round(round(q as f64) - round(zero.at(at)));
        let x = round(round(round(scale.at(at) / to[0]) * x) + round(to[1]));
        let x = match rounding {
            Rounding::Upward => round(x + 0.5).floor(),
            Rounding::ToNearest => x.round(),
        };
        clip(x as i64, range)
    };
    whole(call, integers(x.elements).into_iter().enumerate().map(changed).list())
}

/// The integers that a number stands for: of int8, uint8 and int32; others do not change the data.
fn simulated(call: &Call) -> Result<Option<Range>, Fault> {
    let dtype = match number(call, 1)? {
        1.0 => Dtype::Int8,
        2.0 => Dtype::UInt8,
        3.0 => Dtype::Int32,
        _ => return Ok(None),
    };
    range(dtype).map(Some)
}

pub(super) fn simulated_quantize(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let scale = Along::of(call, 2, &x.shape, axis(call, "axis"))?;
    let zero = Along::of(call, 3, &x.shape, axis(call, "axis"))?;
    let Some(range) = simulated(call)? else { return call.one(x.elements) };
    let values = numbers(&x).into_iter().enumerate();
    call.one(floats(x.dtype, values.map(|(at, x)| quantized(x, scale.at(at), zero.at(at), range) as f64)))
}

pub(super) fn simulated_dequantize(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let scale = Along::of(call, 2, &x.shape, axis(call, "axis"))?;
    let zero = Along::of(call, 3, &x.shape, axis(call, "axis"))?;
    if simulated(call)?.is_none() {
        return call.one(x.elements);
    }
    let values = numbers(&x).into_iter().enumerate();
    call.one(floats(x.dtype, values.map(|(at, x)| round_f32(x - zero.at(at)) * scale.at(at))))
}

/// One side of an operator.
struct Side {
    x: Tensor,
    scale: Along,
    zero: Along,
}

fn sides(call: &Call) -> Result<[Side; 2], Fault> {
    let side = |at: usize, along: &str| {
        let (x, axis) = (operand(call, at)?, axis(call, along));
        let [scale, zero] = [0, 1].each(|beside| Along::of(call, 2 + 2 * at + beside, &x.shape, axis));
        Ok(Side { scale: scale?, zero: zero?, x })
    };
    Ok([side(0, "lhs_axis")?, side(1, "rhs_axis")?])
}

/// Scale and zero point of the result of two sides, and its ends.
fn target(call: &Call) -> Result<([f64; 2], Range), Fault> {
    Ok(([number(call, 6)?, number(call, 7)?], range(call.result(0)?.dtype)?))
}

/// Both sides in the scale of the result, then combined; the zero point is in both.
fn combined(call: &Call, combine: fn(i64, i64, i64) -> i64) -> Result<Value, Fault> {
    let (to, range) = target(call)?;
    let changed = |Side { x, scale, zero }: Side| {
        Ok((x.shape.clone(), Change::new(&scale, zero, to, Rounding::Upward)?.all(x, WORD)))
    };
    let [a, b] = sides(call)?.each(changed);
    let ((left, a), (right, b)) = (a?, b?);
    let both = |a, b| clip(combine(a, b, to[1] as i64), range);
    whole(call, map2(View::new(&a, &left), View::new(&b, &right), &call.result(0)?.shape, both))
}

pub(super) fn add(call: &Call) -> Result<Value, Fault> {
    combined(call, |a, b, zero| a + b - zero)
}

pub(super) fn subtract(call: &Call) -> Result<Value, Fault> {
    combined(call, |a, b, zero| a - b + zero)
}

pub(super) fn mul(call: &Call) -> Result<Value, Fault> {
    let ([a, b], (to, range)) = (sides(call)?, target(call)?);
    let [left, right] = [&a.x.shape, &b.x.shape].each(|shape| (0..count(shape)).list());
    let places = (View::new(&left, &a.x.shape), View::new(&right, &b.x.shape));
    let meets = map2(places.0, places.1, &call.result(0)?.shape, |i, j| (i, j));
    let [x, y] = [a.x.elements, b.x.elements].each(integers);
    // Most neighbours have the same scales.
    let mut last = (f64::NAN, None);
    let multiply = |(i, j): (usize, usize)| {
        let from = |q: &[i64], zeros: &Along, at: usize| q[at].saturating_sub(zeros.at(at) as i64);
        let scale = round_f32(a.scale.at(i) * b.scale.at(j));
        if last.0 != scale {
            last = (scale, Some(factor(scale / to[0])?));
        }
        let (x, y, factor) = (from(&x, &a.zero, i), from(&y, &b.zero, j), last.1.well_typed()?);
        let product = match (i32::try_from(x), i32::try_from(y)) {
            (Ok(_), Ok(_)) => factor.times(x * y, Rounding::Upward).into(),
            _ => factor.times_wide(i128::from(x) * i128::from(y), Rounding::Upward),
        };
        Ok(clip_wide(product + i128::from(to[1] as i64), range))
    };
    whole(call, meets.into_iter().map(multiply).ok_list()?)
}

/// A function of the floats, which bytes stand for.
fn of_floats(call: &Call, function: fn(f64) -> f64) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let range = range(x.dtype)?;
    let [scale, zero, to_scale, to] = [number(call, 1)?, number(call, 2)?, number(call, 3)?, number(call, 4)?];
    let apply = |q| quantized(round_f32(function(dequantized(q, scale, zero))), to_scale, to, range);
    // Of many elements it is computed once for each byte.
    let bytes = if x.elements.len() < 256 { Vec::new() } else { (range.0..=range.1).map(apply).list() };
    let of = |q: i64| bytes.get((q - range.0) as usize).copied().unwrap_or_else(|| apply(q));
    whole(call, integers(x.elements).into_iter().map(of).list())
}

pub(super) fn abs(call: &Call) -> Result<Value, Fault> {
    of_floats(call, float::abs)
}

pub(super) fn erf(call: &Call) -> Result<Value, Fault> {
    of_floats(call, float::erf)
}

pub(super) fn exp(call: &Call) -> Result<Value, Fault> {
    of_floats(call, float::exp)
}

pub(super) fn hardswish(call: &Call) -> Result<Value, Fault> {
    of_floats(call, |x| round_f32(x * round_f32(x + 3.0).clamp(0.0, 6.0)) / 6.0)
}

pub(super) fn log(call: &Call) -> Result<Value, Fault> {
    of_floats(call, float::log)
}

pub(super) fn rsqrt(call: &Call) -> Result<Value, Fault> {
    of_floats(call, |x| 1.0 / round_f32(x.sqrt()))
}

pub(super) fn sigmoid(call: &Call) -> Result<Value, Fault> {
    of_floats(call, |x| 1.0 / round_f32(1.0 + round_f32(float::exp(-x))))
}

pub(super) fn sqrt(call: &Call) -> Result<Value, Fault> {
    of_floats(call, f64::sqrt)
}

pub(super) fn tanh(call: &Call) -> Result<Value, Fault> {
    of_floats(call, float::tanh)
}

/// The data in the scale of the result, which the four operands from 1 on are of both.
fn changed(call: &Call, x: Tensor) -> Result<Vec<i64>, Fault> {
    let (scale, zero) = (Along::of(call, 1, &[], 0)?, Along::of(call, 2, &[], 0)?);
    Ok(Change::new(&scale, zero, [number(call, 3)?, number(call, 4)?], Rounding::Upward)?.all(x, WORD))
}

pub(super) fn leaky_relu(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let (zero, to) = (number(call, 2)? as i64, number(call, 4)? as i64);
    let (range, alpha) = (range(x.dtype)?, call.attrs.float("alpha"));
    let (slope, rest) = (factor(alpha)?, factor(1.0 - alpha)?);
    let leak = |(old, new): (i64, i64)| match old < zero {
        true => {
            let wide = |factor: Factor, x: i64| factor.times_wide(x.into(), Rounding::Upward);
            clip_wide(wide(slope, new) + wide(rest, to), range)
        }
        false => clip(new, range),
    };
    let values = changed(call, x.clone())?;
    whole(call, integers(x.elements).into_iter().zip(values).map(leak).list())
}

pub(super) fn avg_pool2d(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let (shape, range) = (x.shape.clone(), range(x.dtype)?);
    let x = Tensor { dtype: Dtype::Int32, shape, elements: Elements::Int(changed(call, x)?) };
    let mut means = pooled(call, &x, &PLANE, Windows::Moved, Fold::Mean(share(call)))?;
    if let Elements::Int(means) = &mut means {
        means.iter_mut().for_each(|mean| *mean = clip(*mean, range));
    }
    call.one(means)
}

/// In integers, by powers of two (Li and Gu, I-ViT, 2022, algorithm 1).
pub(super) fn softmax(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let axis = call.axis("axis", -1, x.shape.len());
    let (range, shape, zero) = (range(x.dtype)?, x.shape.clone(), number(call, 2)? as i64);
    // How many integers there are to 1.
    let one = clip(round_f32(1.0 / number(call, 1)?).round() as i64, WORD);
    if one <= 0 {
        return Err(Fault::division_by_zero());
    }
    let mut kept = shape.clone();
    kept[axis] = 1;
    let shifted: Vec<i64> = integers(x.elements).into_iter().map(|q| q - zero).list();
    let largest = fold(View::new(&shifted, &shape), &[axis], i64::MIN, i64::max);
    let power = |q: i64, largest: i64| {
        let x = q - largest;
        let x = x + (x >> 1) - (x >> 4);
        let n = x / -one;
        let part = ((x + n * one) >> 1) + one;
        if n <= 8 { part << (8 - n) } else { part >> (n - 8).min(63) }
    };
    let powers = map2(View::new(&shifted, &shape), View::new(&largest, &kept), &shape, power);
    let sums = fold(View::new(&powers, &shape), &[axis], 0, |sum: i64, power| sum.saturating_add(power));
    let to = number(call, 4)? as i64;
    let factor = factor(1.0 / 128.0 / number(call, 3)?)?;
    let share = |power: i64, sum: i64| {
        let share = ((1 << 30) / sum.max(1) * power) >> 23;
        clip(factor.times(share, Rounding::Upward).saturating_add(to), range)
    };
    whole(call, map2(View::new(&powers, &shape), View::new(&sums, &kept), &shape, share))
}

pub(super) fn concatenated(call: &Call) -> Result<Value, Fault> {
    let [Value::Tuple(fields), Value::Tuple(scales), Value::Tuple(zeros), ..] = call.args else {
        return Err(Fault::ill_typed());
    };
    let result = call.result(0)?;
    let axis = call.axis("axis", 0, result.shape.len());
    let to = [number(call, 3)?, number(call, 4)?];
    let range = range(result.dtype)?;
    let mut parts: Vec<(Vec<usize>, Vec<i64>)> = Vec::new();
    for ((field, scale), zero) in fields.iter().zip(scales.iter()).zip(zeros.iter()) {
        let x = tensor_of(&as_tensor(field)?);
        let one = Call { args: &[field.clone(), scale.clone(), zero.clone()], ..*call };
        let change = Change::new(&Along::of(&one, 1, &[], 0)?, Along::of(&one, 2, &[], 0)?, to, Rounding::Upward)?;
        parts.push((x.shape.clone(), change.all(x, range)));
    }
    let views: Vec<View<i64>> = parts.iter().map(|(shape, values)| View::new(values, shape)).list();
    whole(call, concatenate(&views, axis))
}
