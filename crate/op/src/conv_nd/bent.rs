//! Convolutions with a twist: bent windows, the gradient by the weight, numbers of few bits; correlation.

use crate::conv::layout::{by_letters, in_layout, operand, parse, sizes};
use crate::conv::window::{PLANE, convolve, fault, five, groups, nothing, numbers, out_layout, steps};
use crate::run::{Call, Fault, floats};
use base::{MapArray, ToList};
use kernel::bent::{Patches, correlation as correlation_kernel, deformable_conv2d as deformable_kernel};
use kernel::conv::Direction;
use kernel::slide::{conv_by_weight, forward};
use kernel::strided::View;
use ty::{Elements, Tensor, Value};

pub(super) fn deformable_conv2d(call: &Call) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let result = call.result(0)?;
    let layout = parse(call.attrs.str("data_layout"), PLANE.data)?;
    let out_layout = out_layout(call, &layout, PLANE.data)?;
    let kernel_layout = parse(call.attrs.str("kernel_layout"), PLANE.forward)?;
    let data = by_letters(&operand(call, 0)?, &layout, PLANE.data)?;
    let offset = by_letters(&operand(call, 1)?, &layout, PLANE.data)?;
    let weight = by_letters(&operand(call, 2)?, &kernel_layout, PLANE.forward)?;
    let out = sizes(&result.shape, &out_layout, PLANE.data);
    let n_channels = data.shape[1];
    let groups = groups(call, [n_channels, out[1]])?;
    let Some(offset_groups) = call.attrs.int("deformable_groups").and_then(|n| usize::try_from(n).ok()) else {
        return Err(Fault::ill_typed());
    };
    if offset_groups == 0 || !n_channels.is_multiple_of(offset_groups) {
        return fault(format!("{offset_groups} groups of offsets do not divide {n_channels} channels"));
    }
    let n_offsets = 2_usize.saturating_mul(weight.shape[2] * weight.shape[3]).saturating_mul(offset_groups);
    let fits =
        weight.shape[..2] == [out[1], n_channels / groups] && offset.shape == [out[0], n_offsets, out[2], out[3]];
    if !fits {
        return fault(format!(
            "offsets {} or weight {} do not fit",
            base::bracketed(&offset.shape),
            base::bracketed(&weight.shape)
        ));
    }
    let [_, rows, columns] = steps(call, 2);
    let (values, offsets, weights) = (numbers(&data), numbers(&offset), numbers(&weight));
    let made = deformable_kernel(
        View::new(&values, &data.shape),
        View::new(&offsets, &offset.shape),
        View::new(&weights, &weight.shape),
        [rows, columns],
        [groups, offset_groups],
    );
    call.one(in_layout(&floats(result.dtype, made.into_iter()), &result.shape, &out_layout, PLANE.data)?)
}

/// The layouts are, in order, those of the gradient, of the data and of the weight.
pub(super) fn conv2d_backward_weight(call: &Call) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let result = call.result(0)?;
    let grad = by_letters(&operand(call, 0)?, &parse(call.attrs.str("data_layout"), PLANE.data)?, PLANE.data)?;
    let data = by_letters(&operand(call, 1)?, &parse(call.attrs.str("kernel_layout"), PLANE.data)?, PLANE.data)?;
    let layout = parse(call.attrs.str("out_layout"), PLANE.forward)?;
    let (out, shape) = (five(&grad.shape), five(&data.shape));
    let window = five(&sizes(&result.shape, &layout, PLANE.forward));
    let groups = groups(call, [shape[1], out[1]])?;
    let steps = steps(call, 2);
    for axis in 1..3 {
        let along = &steps[axis];
        let reach = (window[2 + axis] as i128 - 1) * i128::from(along.dilation) + 1;
        let room = shape[2 + axis] as i128 + i128::from(along.before) + i128::from(along.after) - reach;
        let want = if room < 0 { 0 } else { room / i128::from(along.stride) + 1 };
        if want != out[2 + axis] as i128 {
            return fault(format!("the gradient has {} places where the window has {}", out[2 + axis], want as u64));
        }
    }
    if out[0] != shape[0] {
        return fault(format!("the gradient has a batch of {}, the data of {}", out[0], shape[0]));
    }
    let looks = [0, 1, 2].each(|axis| forward(&steps[axis], shape[2 + axis], window[2 + axis] as i64, out[2 + axis]));
    let (grads, values) = (numbers(&grad), numbers(&data));
    let window = [1, window[3], window[4]];
    let made = conv_by_weight(View::new(&grads, &out), View::new(&values, &shape), &looks, groups, window);
    call.one(in_layout(&floats(result.dtype, made.into_iter()), &result.shape, &layout, PLANE.forward)?)
}

pub(super) fn correlation(call: &Call) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let (first, second, result) = (operand(call, 0)?, operand(call, 1)?, call.result(0)?);
    let number = |name: &str| call.attrs.int(name).unwrap_or(1).max(1);
    let size = number("kernel_size");
    if size % 2 == 0 {
        return fault(format!("a patch has an odd size, found {size}"));
    }
    if first.shape != second.shape {
        return Err(Fault::ill_typed());
    }
    let [_, rows, columns] = steps(call, 2);
    let patches = Patches {
        size,
        farthest: call.attrs.int("max_displacement").unwrap_or(1).max(0),
        step: number("stride2"),
        stride: number("stride1"),
        before: [rows.before, columns.before],
    };
    let &[_, _, height, width] = result.shape.as_slice() else { return Err(Fault::ill_typed()) };
    let compare = if call.attrs.flag("is_multiply") { |a, b| a * b } else { |a: f64, b: f64| (a - b).abs() };
    let (a, b) = (numbers(&first), numbers(&second));
    let views = [View::new(&a, &first.shape), View::new(&b, &second.shape)];
    call.one(floats(result.dtype, correlation_kernel(views, &patches, [height, width], compare).into_iter()))
}

/// The low bits of integers, an attribute of how many.
fn low_bits(call: &Call, x: &Tensor, attr: &str) -> Vec<i64> {
    let bits = call.attrs.int(attr).unwrap_or(1).clamp(0, 62) as u32;
    let mask = (1_i64 << bits) - 1;
    match &x.elements {
        Elements::Int(values) => values.iter().map(|value| value & mask).list(),
        Elements::Float(values) => values.iter().map(|&value| value as i64 & mask).list(),
    }
}

/// Data and weight of the few bits that count. Bit by bit, a `unipolar` weight is 1 or -1.
pub(crate) fn few_bits(call: &Call, data_bits: &str) -> Result<[Tensor; 2], Fault> {
    let (mut data, mut weight) = (operand(call, 0)?, operand(call, 1)?);
    data.elements = Elements::Int(low_bits(call, &data, data_bits));
    let mut values = low_bits(call, &weight, "weight_bits");
    if call.attrs.flag("unipolar") {
        let all = (1_i64 << call.attrs.int("weight_bits").unwrap_or(1).clamp(0, 62)) - 1;
        values.iter_mut().for_each(|value| *value = *value * 2 - all);
    }
    weight.elements = Elements::Int(values);
    Ok([data, weight])
}

pub(super) fn bitserial_conv2d(call: &Call) -> Result<Value, Fault> {
    let [data, weight] = few_bits(call, "activation_bits")?;
    convolve(call, &data, &weight, &PLANE, Direction::Forward)
}
