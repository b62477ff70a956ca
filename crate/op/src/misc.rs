//! Operators of no family: casts by example, scans, transforms, and those that only passes of a compiler write.

use crate::rule::misc::{
    ALLOC_TENSOR, CALL_LOWERED, CAST_LIKE, CUMPROD, CUMSUM, DEBUG, DFT, EINSUM, FIXED_POINT_MULTIPLY_PER_AXIS,
    FULL_LIKE, INVOKE_TVM_OP, KILL, REINTERPRET, SAME, SIMULATED_QUANTIZE, STFT,
};
use crate::run::{Call, Fault, Kernel, cast_arg};
use crate::{AttrForm, AttrSpec, Default, Op};
use kernel::strided::count;
use ty::{Elements, Value};

/// The argument itself.
fn argument(call: &Call) -> Result<Value, Fault> {
    call.args.first().cloned().ok_or(Fault::IllTyped)
}

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
        kernel: Kernel::Whole(cast_like_of),
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
        kernel: Kernel::Missing,
        doc: "
The same bits as another dtype of that width.
```relay
def @f(%x: Tensor[(2, 3), int32]) { reinterpret(%x, dtype=\"float32\") }
#                                   ^? Tensor[(2, 3), float32]
```
",
    },
    Op {
        name: "full_like",
        infix: None,
        args: &["data", "fill_value"],
        attrs: &[],
        relation: &FULL_LIKE,
        kernel: Kernel::Whole(full_like_of),
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
        kernel: Kernel::Missing,
        doc: "
The sum of each element and all before it along `axis`, or in one row; without the element itself if `exclusive`.
```relay
def @f(%x: Tensor[(3, 4), float32]) { cumsum(%x, axis=1) }
#                                     ^? Tensor[(3, 4), float32]
```
",
    },
    Op {
        name: "cumprod",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int_or_none("axis"), AttrSpec::dtype("dtype"), AttrSpec::flag("exclusive", false)],
        relation: &CUMPROD,
        kernel: Kernel::Missing,
        doc: "
The product of each element and all before it along `axis`, or in one row; without the element itself if `exclusive`.
```relay
def @f(%x: Tensor[(3, 4), float32]) { cumprod(%x) }
#                                     ^? Tensor[(12), float32]
```
",
    },
    Op {
        name: "dft",
        infix: None,
        args: &["re_data", "im_data"],
        attrs: &[AttrSpec::flag("inverse", false)],
        relation: &DFT,
        kernel: Kernel::Missing,
        doc: "
The discrete Fourier transform along the last axis, or its inverse, of complex numbers given as two tensors.
```relay
def @f(%re: Tensor[(3, 8), float32], %im: Tensor[(3, 8), float32]) { dft(%re, %im) }
#                                                                    ^? (Tensor[(3, 8), float32], Tensor[(3, 8), float32])
```
",
    },
    Op {
        name: "stft",
        infix: None,
        args: &["data", "window"],
        attrs: &[AttrSpec::int("n_fft", -1), AttrSpec::int("hop_length", -1), AttrSpec::int("win_length", -1), AttrSpec::flag("normalized", false), AttrSpec::flag("onesided", true)],
        relation: &STFT,
        kernel: Kernel::Missing,
        doc: "
Fourier transforms of windows of `n_fft` samples, `hop_length` apart: frequencies by frames, each a real and an imaginary
part.
```relay
def @f(%x: Tensor[(2, 100), float32], %w: Tensor[(16), float32]) {
    stft(%x, %w, n_fft=16, hop_length=4)
#   ^? Tensor[(2, 9, 22, 2), float32]
}
```
",
    },
    Op {
        name: "einsum",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("equation", AttrForm::Str)],
        relation: &EINSUM,
        kernel: Kernel::Missing,
        doc: "
Products of the tensors of a tuple, summed over the letters that the result does not keep; `...` stands for any axes.
```relay
def @f(%x: Tensor[(2, 3), float32], %y: Tensor[(3, 4), float32]) {
    einsum((%x, %y), equation=\"ij,jk->ik\")
#   ^? Tensor[(2, 4), float32]
}
```
",
    },
    Op {
        name: "fixed_point_multiply_per_axis",
        infix: None,
        args: &["data", "fp_multiplier", "left_shift", "right_shift"],
        attrs: &[AttrSpec::flag("is_lshift_required", false), AttrSpec::flag("is_rshift_required", false), AttrSpec::ints("axes", &[])],
        relation: &FIXED_POINT_MULTIPLY_PER_AXIS,
        kernel: Kernel::Missing,
        doc: "
As `fixed_point_multiply`, with multiplier and shifts for each place of `axes`.
```relay
def @f(%x: Tensor[(4, 8), int32], %m: Tensor[(8), int32]) {
    fixed_point_multiply_per_axis(%x, %m, %m, %m, axes=[1])
#   ^? Tensor[(4, 8), int32]
}
```
",
    },
    Op {
        name: "annotation.bitpack_start",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &SAME,
        kernel: Kernel::Whole(argument),
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
        kernel: Kernel::Whole(argument),
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
        kernel: Kernel::Whole(argument),
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
        kernel: Kernel::Whole(argument),
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
        kernel: Kernel::Whole(argument),
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
        kernel: Kernel::Whole(argument),
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
        kernel: Kernel::Whole(argument),
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
        kernel: Kernel::Missing,
        doc: "
Rounds the data as if it were quantised between two bounds.
```relay
def @f(%x: Tensor[(2, 3), float32]) { relay.op.annotation.simulated_quantize(%x, 0.5f, -1f, 1f) }
#                                     ^? Tensor[(2, 3), float32]
```
",
    },
    Op {
        name: "debug",
        infix: None,
        args: &["program"],
        attrs: &[any("debug_func")],
        relation: &DEBUG,
        kernel: Kernel::Whole(argument),
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
        kernel: Kernel::Whole(argument),
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
        kernel: Kernel::Whole(argument),
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
