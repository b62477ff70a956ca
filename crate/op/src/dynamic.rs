//! Operators on shapes that are values: of their results only the rank is known before the program runs.
//!
//! When it runs the values are known, so each of them is a call of the operator of the same name without `dyn`, with
//! the values as its attributes; that one's relation says what fits.

use crate::Op;
use crate::call::call_named;
use crate::image::{COORDINATES, METHODS, ROUNDINGS};
use crate::index::{RET_TYPES, SLICE_MODES};
use crate::nn::{UPSAMPLING_COORDINATES, UPSAMPLINGS, UPSAMPLINGS_3D};
use crate::rearrange::same_elements;
use crate::rule::dynamic::{
    DYN_BROADCAST_TO, DYN_EXPAND_DIMS, DYN_FULL, DYN_INIT_OP, DYN_ONE_HOT, DYN_PAD, DYN_RESHAPE, DYN_RESIZE2D,
    DYN_SPARSE_TO_DENSE, DYN_SQUEEZE, DYN_STRIDED_SLICE, DYN_TILE, DYN_TOPK, DYN_UPSAMPLING, DYN_UPSAMPLING3D,
    NDARRAY_SIZE, RESHAPE_TENSOR, SHAPE_OF,
};
use crate::run::{Arg, Call, Fault, Kernel, MAX_SIZE, OPEN, ResultType, as_tensor, cast_arg, ints};
use crate::{AttrForm, AttrSpec, Default};
use base::ToList;
use ty::{AttrValue, Tensor, Value};

fn shape_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    match x.shape() {
        [] => call.one(ints(result.dtype, std::iter::once(0))),
        shape => call.one(ints(result.dtype, shape.iter().map(|&size| size as i64))),
    }
}

fn ndarray_size(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    call.one(ints(result.dtype, std::iter::once(x.elements().len() as i64)))
}

/// The elements as an attribute: a list of integers.
fn list(x: &Arg) -> AttrValue {
    AttrValue::List(x.ints().into_iter().map(AttrValue::Int).list())
}

/// The elements as the sizes of a shape.
pub(crate) fn sizes(x: &Arg) -> Result<Vec<usize>, Fault> {
    let size = |size: i64| match u32::try_from(size) {
        Ok(size) if size <= MAX_SIZE => Ok(size as usize),
        _ if size < 0 => Err(Fault::other("a size is negative")),
        _ => Err(Fault::out_of_memory()),
    };
    x.ints().into_iter().map(size).ok_list()
}

/// As [`call_named`]. The results must have the rank and dtype that were inferred without the values.
fn known(call: &Call, name: &str, args: &[Value], given: Vec<(&'static str, AttrValue)>) -> Result<Value, Fault> {
    let value = call_named(call, name, args, given)?;
    let fields = match &value {
        Value::Tuple(fields) => fields.iter().list(),
        Value::Scalar(..)
        | Value::Tensor(_)
        | Value::Data(..)
        | Value::Variant(..)
        | Value::Func(..)
        | Value::Ref(_) => vec![&value],
    };
    let fits = |(found, result): (&Value, &ResultType)| {
        as_tensor(found).is_ok_and(|found| {
            let mut sizes = found.shape().iter().zip(&result.shape);
            let as_many = found.shape().len() == result.shape.len();
            as_many && found.dtype() == result.dtype && sizes.all(|(found, size)| *size == OPEN || size == found)
        })
    };
    if fields.len() != call.results.len() || !fields.into_iter().zip(call.results).all(fits) {
        return Err(Fault::other("the values ask for a result of another rank"));
    }
    Ok(value)
}

fn dyn_broadcast_to_of(call: &Call) -> Result<Value, Fault> {
    known(call, "broadcast_to", &call.args[..1], vec![("shape", list(&call.tensor(1)?))])
}

fn dyn_expand_dims_of(call: &Call) -> Result<Value, Fault> {
    known(call, "expand_dims", &call.args[..1], vec![("axis", AttrValue::Int(call.int_operand(1)?))])
}

fn dyn_full_of(call: &Call) -> Result<Value, Fault> {
    known(call, "full", &call.args[..1], vec![("shape", list(&call.tensor(1)?))])
}

fn dyn_ones_of(call: &Call) -> Result<Value, Fault> {
    filled_with(call, "ones")
}

fn dyn_zeros_of(call: &Call) -> Result<Value, Fault> {
    filled_with(call, "zeros")
}

fn filled_with(call: &Call, name: &str) -> Result<Value, Fault> {
    let dtype = AttrValue::Str(call.result(0)?.dtype.name().into());
    known(call, name, &[], vec![("shape", list(&call.tensor(0)?)), ("dtype", dtype)])
}

fn dyn_resize2d_of(call: &Call) -> Result<Value, Fault> {
    let region = call.tensor(2)?.floats().into_iter().map(AttrValue::Float).list();
    let given = vec![("size", list(&call.tensor(1)?)), ("roi", AttrValue::List(region))];
    known(call, "image.resize2d", &call.args[..1], given)
}

fn dyn_pad_of(call: &Call) -> Result<Value, Fault> {
    let widths = call.tensor(1)?.ints();
    let pairs = widths.chunks(2).map(|pair| AttrValue::List(pair.iter().map(|&width| AttrValue::Int(width)).list()));
    let given = vec![("pad_width", AttrValue::List(pairs.list()))];
    // The value to pad with has the dtype of the data there.
    let (x, value) = (call.tensor(0)?, call.tensor(2)?);
    let elements = cast_arg(&value, x.dtype());
    let value = Value::tensor(Tensor { dtype: x.dtype(), shape: Vec::new(), elements });
    known(call, "nn.pad", &[call.args[0].clone(), value], given)
}

fn dyn_upsampling_of(call: &Call) -> Result<Value, Fault> {
    let scale = |operand| Ok(AttrValue::Float(call.float_operand(operand)?));
    known(call, "nn.upsampling", &call.args[..1], vec![("scale_h", scale(1)?), ("scale_w", scale(2)?)])
}

fn dyn_upsampling3d_of(call: &Call) -> Result<Value, Fault> {
    let scale = |operand| Ok(AttrValue::Float(call.float_operand(operand)?));
    let given = vec![("scale_d", scale(1)?), ("scale_h", scale(2)?), ("scale_w", scale(3)?)];
    known(call, "nn.upsampling3d", &call.args[..1], given)
}

fn dyn_one_hot_of(call: &Call) -> Result<Value, Fault> {
    known(call, "one_hot", &call.args[..3], vec![("depth", AttrValue::Int(call.int_operand(3)?))])
}

fn dyn_reshape_of(call: &Call) -> Result<Value, Fault> {
    known(call, "reshape", &call.args[..1], vec![("newshape", list(&call.tensor(1)?))])
}

fn dyn_sparse_to_dense_of(call: &Call) -> Result<Value, Fault> {
    known(call, "sparse_to_dense", &call.args[..3], vec![("output_shape", list(&call.tensor(3)?))])
}

fn dyn_squeeze_of(call: &Call) -> Result<Value, Fault> {
    let axes = call.tensor(1)?;
    // No axes are none, and not all of them.
    if axes.shape() == [0] {
        return call.sized(0, call.tensor(0)?.shape().to_vec(), call.tensor(0)?.elements().into_owned());
    }
    known(call, "squeeze", &call.args[..1], vec![("axis", list(&axes))])
}

fn dyn_strided_slice_of(call: &Call) -> Result<Value, Fault> {
    let given =
        vec![("begin", list(&call.tensor(1)?)), ("end", list(&call.tensor(2)?)), ("strides", list(&call.tensor(3)?))];
    known(call, "strided_slice", &call.args[..1], given)
}

fn dyn_tile_of(call: &Call) -> Result<Value, Fault> {
    known(call, "tile", &call.args[..1], vec![("reps", list(&call.tensor(1)?))])
}

fn dyn_topk_of(call: &Call) -> Result<Value, Fault> {
    known(call, "topk", &call.args[..1], vec![("k", AttrValue::Int(call.int_operand(1)?))])
}

/// An attribute whose value no text can write, or that says nothing about types.
const fn any(name: &'static str) -> AttrSpec {
    AttrSpec { name, form: AttrForm::Any, default: Default::None }
}

pub const ROWS: &[Op] = &[
    Op {
        name: "shape_of",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::dtype("dtype")],
        relation: &SHAPE_OF,
        kernel: Kernel::Whole(shape_of),
        doc: "
The shape as a vector, of `int32` unless `dtype` says otherwise.
```relay
shape_of([[1, 2, 3], [4, 5, 6]])
#=> [2, 3]
```
",
    },
    Op {
        name: "vm.shape_of",
        infix: None,
        args: &["tensor"],
        attrs: &[AttrSpec { name: "dtype", form: AttrForm::Dtype, default: Default::Str("int64") }],
        relation: &SHAPE_OF,
        kernel: Kernel::Whole(shape_of),
        doc: "
As `shape_of`, of `int64`.
```relay
def @f(%x: Tensor[(2, ?, 4), float32]) { vm.shape_of(%x) }
#                                        ^? Tensor[(3), int64]
```
",
    },
    Op {
        name: "ndarray_size",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::dtype("dtype")],
        relation: &NDARRAY_SIZE,
        kernel: Kernel::Whole(ndarray_size),
        doc: "
The number of elements, as `int32` unless `dtype` says otherwise.
```relay
ndarray_size([[1, 2, 3], [4, 5, 6]])
#=> 6
```
",
    },
    Op {
        name: "vm.reshape_tensor",
        infix: None,
        args: &["data", "shape"],
        attrs: &[AttrSpec::required("newshape", AttrForm::Ints)],
        relation: &RESHAPE_TENSOR,
        kernel: Kernel::Whole(same_elements),
        doc: "
The same elements with the shape in `newshape`, which the second argument says again when the program runs.
```relay
vm.reshape_tensor([1, 2, 3, 4], [2, 2], newshape=[2, 2])
#=> [[1, 2], [3, 4]]
```
",
    },
    Op {
        name: "dyn.broadcast_to",
        infix: None,
        args: &["data", "shape"],
        attrs: &[AttrSpec::ints_or_none("shape"), AttrSpec::dtype("dtype")],
        relation: &DYN_BROADCAST_TO,
        kernel: Kernel::Whole(dyn_broadcast_to_of),
        doc: "
As `broadcast_to`, with the shape as a vector.
```relay
def @f(%x: Tensor[(3), float32], %s: Tensor[(2), int64]) { dyn.broadcast_to(%x, %s) }
#                                                          ^? Tensor[(?, ?), float32]
dyn.broadcast_to([1, 2], [2, 2])
#=> [[1, 2], [1, 2]]
```
",
    },
    Op {
        name: "dyn.expand_dims",
        infix: None,
        args: &["data", "axis"],
        attrs: &[AttrSpec::int("num_newaxis", 1)],
        relation: &DYN_EXPAND_DIMS,
        kernel: Kernel::Whole(dyn_expand_dims_of),
        doc: "
As `expand_dims`, with the axis as a scalar.
```relay
def @f(%x: Tensor[(3, 4), float32], %i: int64) { dyn.expand_dims(%x, %i) }
#                                                ^? Tensor[(?, ?, ?), float32]
dyn.expand_dims([1, 2], 1)
#=> [[1], [2]]
```
",
    },
    Op {
        name: "dyn.full",
        infix: None,
        args: &["fill_value", "shape"],
        attrs: &[AttrSpec::ints_or_none("shape"), AttrSpec::dtype("dtype")],
        relation: &DYN_FULL,
        kernel: Kernel::Whole(dyn_full_of),
        doc: "
As `full`, with the shape as a vector.
```relay
def @f(%s: Tensor[(2), int64]) { dyn.full(1f, %s) }
#                                ^? Tensor[(?, ?), float32]
dyn.full(7, [2])
#=> [7, 7]
```
",
    },
    Op {
        name: "dyn.image.resize2d",
        infix: None,
        args: &["data", "size", "roi"],
        attrs: &[
            AttrSpec::ints("size", &[]),
            AttrSpec { name: "roi", form: AttrForm::Floats, default: Default::Ints(&[]) },
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::word("method", METHODS),
            AttrSpec::word("coordinate_transformation_mode", COORDINATES),
            AttrSpec::word("rounding_method", ROUNDINGS),
            AttrSpec::float("cubic_alpha", -0.5),
            AttrSpec::int("cubic_exclude", 0),
            AttrSpec::float("extrapolation_value", 0.0),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &DYN_RESIZE2D,
        kernel: Kernel::Whole(dyn_resize2d_of),
        doc: "
As `image.resize2d`, with height and width as a vector, and the part that is cut out as another.
```relay
def @f(%x: Tensor[(1, 3, 8, 8), float32], %s: Tensor[(2), int64], %r: Tensor[(4), float32]) {
    dyn.image.resize2d(%x, %s, %r)
#   ^? Tensor[(1, 3, ?, ?), float32]
}
dyn.image.resize2d([[[[1f, 2f]]]], [1, 4], [0f, 0f, 1f, 1f])
#=> [[[[1f, 1.25f, 1.75f, 2f]]]]
```
",
    },
    Op {
        name: "dyn.nn.pad",
        infix: None,
        args: &["data", "pad_width", "pad_val"],
        attrs: &[any("pad_width"), AttrSpec::word("pad_mode", &["constant", "edge", "reflect"])],
        relation: &DYN_PAD,
        kernel: Kernel::Whole(dyn_pad_of),
        doc: "
As `nn.pad`, with the widths before and after each axis as a matrix.
```relay
def @f(%x: Tensor[(3, 4), float32], %w: Tensor[(2, 2), int64]) { dyn.nn.pad(%x, %w, 0f) }
#                                                                ^? Tensor[(?, ?), float32]
```
",
    },
    Op {
        name: "dyn.nn.upsampling",
        infix: None,
        args: &["data", "scale_h", "scale_w"],
        attrs: &[
            AttrSpec::float("scale_h", 1.0),
            AttrSpec::float("scale_w", 1.0),
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::word("method", UPSAMPLINGS),
            AttrSpec::flag("align_corners", false),
        ],
        relation: &DYN_UPSAMPLING,
        kernel: Kernel::Whole(dyn_upsampling_of),
        doc: "
As `nn.upsampling`, with the factors as scalars.
```relay
def @f(%x: Tensor[(1, 3, 4, 5), float32], %h: float32, %w: float32) {
    dyn.nn.upsampling(%x, %h, %w)
#   ^? Tensor[(1, 3, ?, ?), float32]
}
```
",
    },
    Op {
        name: "dyn.nn.upsampling3d",
        infix: None,
        args: &["data", "scale_d", "scale_h", "scale_w"],
        attrs: &[
            AttrSpec::float("scale_d", 1.0),
            AttrSpec::float("scale_h", 1.0),
            AttrSpec::float("scale_w", 1.0),
            AttrSpec::str("layout", "NCDHW"),
            AttrSpec::word("method", UPSAMPLINGS_3D),
            AttrSpec::word("coordinate_transformation_mode", UPSAMPLING_COORDINATES),
        ],
        relation: &DYN_UPSAMPLING3D,
        kernel: Kernel::Whole(dyn_upsampling3d_of),
        doc: "
As `nn.upsampling3d`, with the factors as scalars.
```relay
def @f(%x: Tensor[(1, 8, 4, 4, 4), float32], %s: float32) { dyn.nn.upsampling3d(%x, %s, %s, %s) }
#                                                           ^? Tensor[(1, 8, ?, ?, ?), float32]
```
",
    },
    Op {
        name: "dyn.one_hot",
        infix: None,
        args: &["indices", "on_value", "off_value", "depth"],
        attrs: &[AttrSpec::int("depth", 1), AttrSpec::int("axis", -1), AttrSpec::dtype("dtype")],
        relation: &DYN_ONE_HOT,
        kernel: Kernel::Whole(dyn_one_hot_of),
        doc: "
As `one_hot`, with the depth as a scalar.
```relay
def @f(%i: Tensor[(4), int32], %n: int32) { dyn.one_hot(%i, 1f, 0f, %n) }
#                                           ^? Tensor[(4, ?), float32]
dyn.one_hot([1, 0], 1, 0, 2)
#=> [[0, 1], [1, 0]]
```
",
    },
    Op {
        name: "dyn.ones",
        infix: None,
        args: &["shape"],
        attrs: &[AttrSpec::ints_or_none("shape"), AttrSpec::dtype("dtype")],
        relation: &DYN_INIT_OP,
        kernel: Kernel::Whole(dyn_ones_of),
        doc: "
As `ones`, with the shape as a vector.
```relay
def @f(%s: Tensor[(2), int64]) { dyn.ones(%s) }
#                                ^? Tensor[(?, ?), float32]
dyn.ones([2])
#=> [1f, 1f]
```
",
    },
    Op {
        name: "dyn.zeros",
        infix: None,
        args: &["shape"],
        attrs: &[AttrSpec::ints_or_none("shape"), AttrSpec::dtype("dtype")],
        relation: &DYN_INIT_OP,
        kernel: Kernel::Whole(dyn_zeros_of),
        doc: "
As `zeros`, with the shape as a vector.
```relay
def @f(%s: Tensor[(3), int64]) { dyn.zeros(%s, dtype=\"int32\") }
#                                ^? Tensor[(?, ?, ?), int32]
dyn.zeros([2], dtype=\"int32\")
#=> [0, 0]
```
",
    },
    Op {
        name: "dyn.reshape",
        infix: None,
        args: &["data", "newshape"],
        attrs: &[AttrSpec::ints("newshape", &[]), AttrSpec::flag("allowzero", false)],
        relation: &DYN_RESHAPE,
        kernel: Kernel::Whole(dyn_reshape_of),
        doc: "
As `reshape`, with the new shape as a vector; its codes are 0, -1 and -3, which keep the rank known.
```relay
def @f(%x: Tensor[(2, 3, 4), float32], %s: Tensor[(2), int64]) { dyn.reshape(%x, %s) }
#                                                                ^? Tensor[(?, ?), float32]
dyn.reshape([1, 2, 3, 4], [2, -1])
#=> [[1, 2], [3, 4]]
```
",
    },
    Op {
        name: "dyn.sparse_to_dense",
        infix: None,
        args: &["sparse_indices", "sparse_values", "default_value", "output_shape"],
        attrs: &[AttrSpec::ints_or_none("output_shape")],
        relation: &DYN_SPARSE_TO_DENSE,
        kernel: Kernel::Whole(dyn_sparse_to_dense_of),
        doc: "
As `sparse_to_dense`, with the shape as a vector.
```relay
def @f(%i: Tensor[(3, 2), int64], %v: Tensor[(3), float32], %s: Tensor[(2), int64]) {
    dyn.sparse_to_dense(%i, %v, 0f, %s)
#   ^? Tensor[(?, ?), float32]
}
dyn.sparse_to_dense([1, 3], [5, 6], 0, [4])
#=> [0, 5, 0, 6]
```
",
    },
    Op {
        name: "dyn.squeeze",
        infix: None,
        args: &["data", "axes"],
        attrs: &[AttrSpec::ints_or_none("axis")],
        relation: &DYN_SQUEEZE,
        kernel: Kernel::Whole(dyn_squeeze_of),
        doc: "
As `squeeze`, with the axes as a vector.
```relay
def @f(%x: Tensor[(1, 3, 1), float32], %a: Tensor[(1), int64]) { dyn.squeeze(%x, %a) }
#                                                                ^? Tensor[(?, ?), float32]
dyn.squeeze([[1], [2]], [1])
#=> [1, 2]
```
",
    },
    Op {
        name: "dyn.strided_slice",
        infix: None,
        args: &["data", "begin", "end", "strides"],
        attrs: &[
            AttrSpec::ints_or_none("begin"),
            AttrSpec::ints_or_none("end"),
            AttrSpec::ints_or_none("strides"),
            AttrSpec::word("slice_mode", SLICE_MODES),
            AttrSpec::ints_or_none("axes"),
        ],
        relation: &DYN_STRIDED_SLICE,
        kernel: Kernel::Whole(dyn_strided_slice_of),
        doc: "
As `strided_slice` on `axes`, or else the leading ones, with the bounds and steps as vectors.
```relay
def @f(%x: Tensor[(4, 5), float32], %b: Tensor[(1), int64], %e: Tensor[(1), int64], %s: Tensor[(1), int64]) {
    dyn.strided_slice(%x, %b, %e, %s)
#   ^? Tensor[(?, 5), float32]
}
dyn.strided_slice([1, 2, 3, 4, 5], [3], [0], [-1])
#=> [4, 3, 2]
```
",
    },
    Op {
        name: "dyn.tile",
        infix: None,
        args: &["data", "reps"],
        attrs: &[AttrSpec::ints("reps", &[])],
        relation: &DYN_TILE,
        kernel: Kernel::Whole(dyn_tile_of),
        doc: "
As `tile`, with the numbers as a vector.
```relay
def @f(%x: Tensor[(2), float32], %n: Tensor[(2), int32]) { dyn.tile(%x, %n) }
#                                                          ^? Tensor[(?, ?), float32]
dyn.tile([1, 2], [2])
#=> [1, 2, 1, 2]
```
",
    },
    Op {
        name: "dyn.topk",
        infix: None,
        args: &["data", "k"],
        attrs: &[
            AttrSpec::int_or_none("k"),
            AttrSpec::int("axis", -1),
            AttrSpec::word("ret_type", RET_TYPES),
            AttrSpec::flag("is_ascend", false),
            AttrSpec::dtype("dtype"),
        ],
        relation: &DYN_TOPK,
        kernel: Kernel::Whole(dyn_topk_of),
        doc: "
As `topk`, with `k` as a scalar.
```relay
def @f(%x: Tensor[(3, 8), float32], %k: int64) { dyn.topk(%x, %k) }
#                                                ^? (Tensor[(3, ?), float32], Tensor[(3, ?), int32])
dyn.topk([3, 1, 2], 2)
#=> ([3, 2], [0, 2])
```
",
    },
];
