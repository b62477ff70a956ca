//! Operators of no family: casts by example, scans, transforms, and those that only passes of a compiler write.

mod einsum;
mod fourier;

use crate::rule::misc::{
    ALLOC_TENSOR, CALL_LOWERED, CAST_LIKE, CUMPROD, CUMSUM, DEBUG, DFT, EINSUM, FIXED_POINT_MULTIPLY_PER_AXIS,
    FULL_LIKE, INVOKE_TVM_OP, KILL, REINTERPRET, SAME, SIMULATED_QUANTIZE, STFT,
};
use crate::run::{Arg, Call, Fault, Kernel, WellTyped, cast_arg, round_to, wrap_to};
use crate::{AttrForm, AttrSpec, Default, Op};
use base::ToList;
use einsum::einsum_of;
use fourier::{dft_of, stft_of};
use kernel::index::{each_index, offset};
use kernel::number;
use kernel::scalar::float;
use kernel::strided::{count, row_major};
use ty::{Dtype, Elements, Scalar, Value};

/// The argument itself.
fn cast_like_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    call.one(cast_arg(&x, result.dtype))
}

fn full_like_of(call: &Call) -> Result<Value, Fault> {
    let (value, result) = (call.tensor(1)?, call.result(0)?);
    let n = count(&result.shape);
    call.one(match cast_arg(&value, result.dtype) {
        Elements::Float(values) => Elements::Float(vec![values[0]; n]),
        Elements::Int(values) => Elements::Int(vec![values[0]; n]),
    })
}

/// The bits of a number as its dtype holds them.
fn bits_of(dtype: Dtype, scalar: Scalar) -> u64 {
    match (dtype, scalar) {
        (_, Scalar::Int(value)) => value as u64,
        (Dtype::Float32, Scalar::Float(value)) => (value as f32).to_bits().into(),
        (Dtype::BFloat16, Scalar::Float(value)) => ((value as f32).to_bits() >> 16).into(),
        (Dtype::Float16, Scalar::Float(value)) => number::bits_of_f16(value).into(),
        (_, Scalar::Float(value)) => value.to_bits(),
    }
}

/// The number that these bits are in a dtype.
fn from_bits(dtype: Dtype, bits: u64) -> Scalar {
    match dtype {
        Dtype::Float64 => Scalar::Float(number::round_f64(f64::from_bits(bits))),
        Dtype::Float32 => Scalar::Float(number::round_f64(f32::from_bits(bits as u32).into())),
        Dtype::BFloat16 => Scalar::Float(number::round_f64(f32::from_bits((bits as u32) << 16).into())),
        Dtype::Float16 => Scalar::Float(number::f16_of_bits(bits as u16)),
        _ => Scalar::Int(wrap_to(dtype, bits as i64)),
    }
}

fn reinterpret_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let elements = x.elements();
    let scalars = (0..elements.len()).map(|i| from_bits(result.dtype, bits_of(x.dtype(), elements.get(i))));
    call.one(match result.dtype.is_float() {
        true => {
            Elements::Float(scalars.map(|scalar| if let Scalar::Float(value) = scalar { value } else { 0.0 }).list())
        }
        false => Elements::Int(scalars.map(|scalar| if let Scalar::Int(value) = scalar { value } else { 0 }).list()),
    })
}

/// A fold's step on floats and on integers.
struct Step {
    float: fn(f64, f64) -> f64,
    int: fn(i64, i64) -> i64,
}

/// Folds each line along an axis, every element of which is what has been folded so far, rounded each time.
fn scanned(call: &Call, first: i8, step: Step) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let shape = match call.attrs.int("axis") {
        Some(_) => x.shape().to_vec(),
        None => vec![x.elements().len()],
    };
    let axis = call.axis("axis", 0, shape.len());
    let exclusive = call.attrs.flag("exclusive");
    let (dtype, size, inner) = (result.dtype, shape[axis], count(&shape[axis + 1..]));
    let mut elements = cast_arg(&x, dtype);
    for line in 0..count(&shape[..axis]) * inner {
        let from = line / inner * size * inner + line % inner;
        let places = (0..size).map(|at| from + at * inner);
        match &mut elements {
            Elements::Float(values) => {
                let mut folded = f64::from(first);
                for at in places {
                    let next = round_to(dtype, (step.float)(folded, values[at]));
                    let before = std::mem::replace(&mut folded, next);
                    values[at] = if exclusive { before } else { folded };
                }
            }
            Elements::Int(values) => {
                let mut folded = i64::from(first);
                for at in places {
                    let next = (step.int)(folded, values[at]);
                    let before = std::mem::replace(&mut folded, wrap_to(dtype, next));
                    values[at] = if exclusive { before } else { folded };
                }
            }
        }
    }
    call.one(elements)
}

fn cumsum_of(call: &Call) -> Result<Value, Fault> {
    scanned(call, 0, Step { float: float::add, int: i64::wrapping_add })
}

fn cumprod_of(call: &Call) -> Result<Value, Fault> {
    scanned(call, 1, Step { float: float::multiply, int: i64::wrapping_mul })
}

/// `x · 2^left · multiplier / 2^(31 + right)`, rounded half up, with the numbers that stand at the coordinates of
/// `axes`.
fn fixed_point_multiply_per_axis_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let rank = x.shape().len() as i64;
    let axes = call.attrs.ints("axes").unwrap_or_default();
    let axes: Vec<usize> = axes.into_iter().map(|axis| (if axis < 0 { axis + rank } else { axis }) as usize).list();
    let shape: Vec<usize> = axes.iter().map(|&axis| x.shape()[axis]).list();
    let (multiplier, left, right) = (call.tensor(1)?, call.tensor(2)?, call.tensor(3)?);
    let at_axes = |tensor: &Arg| tensor.shape() == shape && !tensor.dtype().is_float();
    if x.dtype().is_float() || ![&multiplier, &left, &right].into_iter().all(at_axes) {
        return Err(Fault::other("the multipliers and shifts are integers, one for each place of the axes"));
    }
    let shifts_left = call.attrs.flag("is_lshift_required");
    let (multiplier, left, right, by) = (multiplier.wide_ints(), left.ints(), right.ints(), row_major(&shape));
    let mut values = x.wide_ints().into_iter();
    let mut products = Vec::with_capacity(x.elements().len());
    each_index(x.shape(), &mut |index| {
        let coordinates: Vec<usize> = axes.iter().map(|&axis| index[axis]).list();
        let at = offset(&coordinates, &by);
        let left = if shifts_left { left[at].clamp(0, 63) as u32 } else { 0 };
        let right = 31 + right[at].clamp(-30, 64) as i32;
        let product = (values.next().unwrap_or(0) << left).wrapping_mul(multiplier[at]);
        products.push(((product >> (right - 1)).wrapping_add(1) >> 1) as i64);
    });
    call.one(crate::run::ints(result.dtype, products.into_iter()))
}

fn simulated_quantize_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    // An identity by its kind.
    if call.attrs.int("kind") == Some(0) {
        return call.args.first().cloned().well_typed();
    }
    let (scale, low, high) = (call.float_operand(1)?, call.float_operand(2)?, call.float_operand(3)?);
    let dtype = x.dtype();
    let quantized = x.floats().into_iter().map(|x| {
        let scaled = round_to(dtype, x / scale);
        float::round(float::maximum(float::minimum(scaled, high), low)) * scale
    });
    call.one(crate::run::floats(dtype, quantized))
}

/// An attribute whose value no text can write, or that says nothing about types.
const fn any(name: &'static str) -> AttrSpec {
    AttrSpec { name, form: AttrForm::Any, default: Default::None }
}

pub const ROWS: &[Op] = &[
    Op {
        name: "cast_like",
        infix: None,
        args: &["data", "dtype_like"],
        attrs: &[],
        relation: &CAST_LIKE,
        kernel: Kernel::planned(cast_like_of),
        doc: "
The data with the dtype of a second tensor.
```relay
cast_like([1.5f, -1.5f], 0)
#=> [1, -1]
```
",
    },
    Op {
        name: "reinterpret",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("dtype", AttrForm::Dtype)],
        relation: &REINTERPRET,
        kernel: Kernel::Whole(reinterpret_of),
        doc: "
The same bits as another dtype of that width.
```relay
def @f(%x: Tensor[(2, 3), int32]) { reinterpret(%x, dtype=\"float32\") }
#                                   ^? Tensor[(2, 3), float32]
reinterpret([1f, -2f], dtype=\"int32\")
#=> [1065353216, -1073741824]
```
",
    },
    Op {
        name: "full_like",
        infix: None,
        args: &["data", "fill_value"],
        attrs: &[],
        relation: &FULL_LIKE,
        kernel: Kernel::planned(full_like_of),
        doc: "
A tensor with the type of the data, filled with a scalar.
```relay
full_like([1, 2], 7)
#=> [7, 7]
```
",
    },
    Op {
        name: "cumsum",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int_or_none("axis"), AttrSpec::dtype("dtype"), AttrSpec::flag("exclusive", false)],
        relation: &CUMSUM,
        kernel: Kernel::Whole(cumsum_of),
        doc: "
The sum of each element and all before it along `axis`, or in one row; without the element itself if `exclusive`.
```relay
def @f(%x: Tensor[(3, 4), float32]) { cumsum(%x, axis=1) }
#                                     ^? Tensor[(3, 4), float32]
cumsum([1, 2, 3])
#=> [1, 3, 6]
```
",
    },
    Op {
        name: "cumprod",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int_or_none("axis"), AttrSpec::dtype("dtype"), AttrSpec::flag("exclusive", false)],
        relation: &CUMPROD,
        kernel: Kernel::Whole(cumprod_of),
        doc: "
The product of each element and all before it along `axis`, or in one row; without the element itself if `exclusive`.
```relay
def @f(%x: Tensor[(3, 4), float32]) { cumprod(%x) }
#                                     ^? Tensor[(12), float32]
cumprod([2, 3, 4], exclusive=True)
#=> [1, 2, 6]
```
",
    },
    Op {
        name: "dft",
        infix: None,
        args: &["re_data", "im_data"],
        attrs: &[AttrSpec::flag("inverse", false)],
        relation: &DFT,
        kernel: Kernel::Whole(dft_of),
        doc: "
The discrete Fourier transform along the last axis, or its inverse, of complex numbers given as two tensors.
```relay
def @f(%re: Tensor[(3, 8), float32], %im: Tensor[(3, 8), float32]) { dft(%re, %im) }
#                                                                    ^? (Tensor[(3, 8), float32], Tensor[(3, 8), float32])
dft([1f, 0f], [0f, 0f])
#=> ([1f, 1f], [0f, 0f])
```
",
    },
    Op {
        name: "stft",
        infix: None,
        args: &["data", "window"],
        attrs: &[AttrSpec::int("n_fft", -1), AttrSpec::int("hop_length", -1), AttrSpec::int("win_length", -1), AttrSpec::flag("normalized", false), AttrSpec::flag("onesided", true)],
        relation: &STFT,
        kernel: Kernel::Whole(stft_of),
        doc: "
Fourier transforms of windows of `n_fft` samples, `hop_length` apart: frequencies by frames, each a real and an imaginary
part.
```relay
def @f(%x: Tensor[(2, 100), float32], %w: Tensor[(16), float32]) {
    stft(%x, %w, n_fft=16, hop_length=4)
#   ^? Tensor[(2, 9, 22, 2), float32]
}
stft([1f, 2f, 3f, 4f], [1f, 1f], n_fft=2, hop_length=2)
#=> [[[3f, 0f], [7f, 0f]], [[-1f, 0f], [-1f, 0f]]]
```
",
    },
    Op {
        name: "einsum",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("equation", AttrForm::Str)],
        relation: &EINSUM,
        kernel: Kernel::Whole(einsum_of),
        doc: "
Products of the tensors of a tuple, summed over the letters that the result does not keep; `...` stands for any axes.
```relay
def @f(%x: Tensor[(2, 3), float32], %y: Tensor[(3, 4), float32]) {
    einsum((%x, %y), equation=\"ij,jk->ik\")
#   ^? Tensor[(2, 4), float32]
}
einsum(([[1, 2], [3, 4]], [[1, 0], [0, 1]]), equation=\"ij,jk->ki\")
#=> [[1, 3], [2, 4]]
```
",
    },
    Op {
        name: "fixed_point_multiply_per_axis",
        infix: None,
        args: &["data", "fp_multiplier", "left_shift", "right_shift"],
        attrs: &[AttrSpec::flag("is_lshift_required", false), AttrSpec::flag("is_rshift_required", false), AttrSpec::ints("axes", &[])],
        relation: &FIXED_POINT_MULTIPLY_PER_AXIS,
        kernel: Kernel::Whole(fixed_point_multiply_per_axis_of),
        doc: "
As `fixed_point_multiply`, with multiplier and shifts for each place of `axes`.
```relay
def @f(%x: Tensor[(4, 8), int32], %m: Tensor[(8), int32]) {
    fixed_point_multiply_per_axis(%x, %m, %m, %m, axes=[1])
#   ^? Tensor[(4, 8), int32]
}
fixed_point_multiply_per_axis([[100, 100]], [1073741824, 536870912], [0, 0], [0, 0], axes=[1])
#=> [[50, 25]]
```
",
    },
    Op {
        name: "annotation.bitpack_start",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &SAME,
        kernel: Kernel::Argument,
        doc: "
Marks where packed bits begin. The result is the data.
```relay
def @f(%x: (int32, Tensor[(2), float32])) { annotation.bitpack_start(%x) }
#                                           ^? (int32, Tensor[(2), float32])
```
",
    },
    Op {
        name: "annotation.bitpack_end",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &SAME,
        kernel: Kernel::Argument,
        doc: "
Marks where packed bits end. The result is the data.
```relay
def @f(%x: (int32, Tensor[(2), float32])) { annotation.bitpack_end(%x) }
#                                           ^? (int32, Tensor[(2), float32])
```
",
    },
    Op {
        name: "annotation.cast_hint",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::dtype("dtype")],
        relation: &SAME,
        kernel: Kernel::Argument,
        doc: "
Marks data for a cast to `dtype`. The result is the data.
```relay
def @f(%x: (int32, Tensor[(2), float32])) { annotation.cast_hint(%x, dtype=\"int8\") }
#                                           ^? (int32, Tensor[(2), float32])
```
",
    },
    Op {
        name: "annotation.checkpoint",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &SAME,
        kernel: Kernel::Argument,
        doc: "
Marks data to be computed again for a gradient, rather than kept. The result is the data.
```relay
annotation.checkpoint((1, [2f]))
#=> (1, [2f])
```
",
    },
    Op {
        name: "annotation.compiler_begin",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::str("compiler", "")],
        relation: &SAME,
        kernel: Kernel::Argument,
        doc: "
Marks where the part of another compiler begins. The result is the data.
```relay
def @f(%x: (int32, Tensor[(2), float32])) { annotation.compiler_begin(%x) }
#                                           ^? (int32, Tensor[(2), float32])
```
",
    },
    Op {
        name: "annotation.compiler_end",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::str("compiler", "")],
        relation: &SAME,
        kernel: Kernel::Argument,
        doc: "
Marks where the part of another compiler ends. The result is the data.
```relay
def @f(%x: (int32, Tensor[(2), float32])) { annotation.compiler_end(%x) }
#                                           ^? (int32, Tensor[(2), float32])
```
",
    },
    Op {
        name: "annotation.stop_fusion",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &SAME,
        kernel: Kernel::Argument,
        doc: "
Marks where fusion ends. The result is the data.
```relay
def @f(%x: (int32, Tensor[(2), float32])) { annotation.stop_fusion(%x) }
#                                           ^? (int32, Tensor[(2), float32])
```
",
    },
    Op {
        name: "relay.op.annotation.simulated_quantize",
        infix: None,
        args: &["data", "dom_scale", "clip_min", "clip_max"],
        attrs: &[AttrSpec::int("kind", 1), AttrSpec::flag("sign", true), AttrSpec::str("rounding", "round")],
        relation: &SIMULATED_QUANTIZE,
        kernel: Kernel::Whole(simulated_quantize_of),
        doc: "
Rounds the data as if it were quantised between two bounds.
```relay
def @f(%x: Tensor[(2, 3), float32]) { relay.op.annotation.simulated_quantize(%x, 0.5f, -1f, 1f) }
#                                     ^? Tensor[(2, 3), float32]
relay.op.annotation.simulated_quantize([1.2f, 7f], 0.5f, -4f, 4f)
#=> [1f, 2f]
```
",
    },
    Op {
        name: "debug",
        infix: None,
        args: &["program"],
        attrs: &[any("debug_func")],
        relation: &DEBUG,
        kernel: Kernel::Argument,
        doc: "
Stops a debugger. The result is the argument.
```relay
debug([1, 2])
#=> [1, 2]
```
",
    },
    Op {
        name: "device_copy",
        infix: None,
        args: &["data"],
        attrs: &[any("src_virtual_device"), any("dst_virtual_device")],
        relation: &SAME,
        kernel: Kernel::Argument,
        doc: "
Copies data to another device. The result is the data.
```relay
def @f(%x: Tensor[(2), float32]) { device_copy(%x) }
#                                  ^? Tensor[(2), float32]
```
",
    },
    Op {
        name: "on_device",
        infix: None,
        args: &["body"],
        attrs: &[any("virtual_device"), AttrSpec::flag("constrain_result", false), AttrSpec::flag("constrain_body", true)],
        relation: &SAME,
        kernel: Kernel::Argument,
        doc: "
Says on which device an expression is computed. The result is the expression.
```relay
def @f(%x: Tensor[(2), float32]) { on_device(%x) }
#                                  ^? Tensor[(2), float32]
```
",
    },
    Op {
        name: "call_lowered",
        infix: None,
        args: &["func", "call_args"],
        attrs: &[any("metadata")],
        relation: &CALL_LOWERED,
        kernel: Kernel::Missing,
        doc: "
Calls a function with a tuple of arguments.
```relay
def @f(%f: fn(int32) -> bool) { call_lowered(%f, (1,)) }
#                               ^? bool
```
",
    },
    Op {
        name: "vm.invoke_tvm_op",
        infix: None,
        args: &["op", "ins", "outs"],
        attrs: &[],
        relation: &INVOKE_TVM_OP,
        kernel: Kernel::Missing,
        doc: "
Calls a function with a tuple of arguments and writes into a tuple of results.
```relay
def @f(%f: fn(int32) -> Tensor[(2), float32], %y: Tensor[(2), float32]) {
    vm.invoke_tvm_op(%f, (1,), (%y,))
#   ^? ()
}
```
",
    },
    Op {
        name: "memory.alloc_tensor",
        infix: None,
        args: &["storage", "offset", "shape"],
        attrs: &[AttrSpec::ints_or_none("const_shape"), AttrSpec::ints_or_none("assert_shape"), AttrSpec::dtype("dtype")],
        relation: &ALLOC_TENSOR,
        kernel: Kernel::Missing,
        doc: "
A tensor in a storage, with the shape in `const_shape` or `assert_shape`; of `float32` unless `dtype` says otherwise.
```relay
def @f(%s: Tensor[(64), uint8]) { memory.alloc_tensor(%s, 0i64, [2, 3], const_shape=[2, 3]) }
#                                 ^? Tensor[(2, 3), float32]
```
",
    },
    Op {
        name: "memory.kill",
        infix: None,
        args: &["to_free"],
        attrs: &[],
        relation: &KILL,
        kernel: Kernel::Missing,
        doc: "
Marks the last use of a tensor.
```relay
def @f(%x: Tensor[(2), float32]) { memory.kill(%x) }
#                                  ^? ()
```
",
    },
];
