//! Operators that give the same elements other shapes and orders.

use crate::rule::IDENTITY;
use crate::rule::rearrange::{
    AUTO_SCHEDULER_LAYOUT_TRANSFORM, BROADCAST_TO_LIKE, COLLAPSE_SUM_LIKE, COLLAPSE_SUM_TO, LAYOUT_TRANSFORM,
    MATRIX_SET_DIAG, MESHGRID, REPEAT, RESHAPE_LIKE, REVERSE, REVERSE_SEQUENCE, SEQUENCE_MASK, SLIDING_WINDOW, STACK,
    TILE, TRILU,
};
use crate::rule::reshape::REVERSE_RESHAPE;
use crate::run::{Call, Fault, Kernel, as_tensor};
use crate::{AttrForm, AttrSpec, Op};
use kernel::shape::{OutOfRange, broadcast_to, concatenate, take};
use kernel::strided::View;
use ty::{Elements, Value};

/// The elements at these places of an axis.
pub(crate) fn pick(elements: &Elements, shape: &[usize], axis: usize, places: &[i64]) -> Result<Elements, Fault> {
    let n = [places.len()];
    let places = View::new(places, &n);
    let picked = match elements {
        Elements::Float(values) => {
            take(View::new(values, shape), places, Some(axis), 0, OutOfRange::Error).map(Elements::Float)
        }
        Elements::Int(values) => {
            take(View::new(values, shape), places, Some(axis), 0, OutOfRange::Error).map(Elements::Int)
        }
    };
    picked.map_err(Fault::IndexOutOfRange)
}

/// The data with the result's shape.
pub(crate) fn same_elements(call: &Call) -> Result<Value, Fault> {
    call.one(call.tensor(0)?.elements().into_owned())
}

fn broadcast_to_like_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    call.one(match &*x.elements() {
        Elements::Float(values) => Elements::Float(broadcast_to(View::new(values, x.shape()), &result.shape)),
        Elements::Int(values) => Elements::Int(broadcast_to(View::new(values, x.shape()), &result.shape)),
    })
}

fn reverse_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let axis = call.axis("axis", 0, x.shape().len());
    let places: Vec<i64> = (0..x.shape()[axis] as i64).rev().collect();
    call.one(pick(&x.elements(), x.shape(), axis, &places)?)
}

fn repeat_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let axis = call.axis("axis", 0, x.shape().len());
    let repeats = call.attrs.int("repeats").unwrap_or(1);
    let places: Vec<i64> = (0..result.shape[axis] as i64).map(|place| place / repeats).collect();
    call.one(pick(&x.elements(), x.shape(), axis, &places)?)
}

fn tile_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let mut shape = vec![1; result.shape.len() - x.shape().len()];
    shape.extend(x.shape());
    let mut elements = x.elements().into_owned();
    for (axis, &size) in result.shape.iter().enumerate() {
        let places: Vec<i64> = (0..size).map(|place| (place % shape[axis]) as i64).collect();
        elements = pick(&elements, &shape, axis, &places)?;
        shape[axis] = size;
    }
    call.one(elements)
}

fn stack_of(call: &Call) -> Result<Value, Fault> {
    let Some(Value::Tuple(fields)) = call.args.first() else { return Err(Fault::IllTyped) };
    let parts = fields.iter().map(as_tensor).collect::<Result<Vec<_>, _>>()?;
    let mut shape = call.result(0)?.shape.clone();
    let axis = call.axis("axis", 0, shape.len());
    shape[axis] = 1;
    let owned: Vec<_> = parts.iter().map(|part| part.elements()).collect();
    let mut floats: Vec<View<f64>> = Vec::new();
    let mut ints: Vec<View<i64>> = Vec::new();
    for elements in &owned {
        match &**elements {
            Elements::Float(values) => floats.push(View::new(values, &shape)),
            Elements::Int(values) => ints.push(View::new(values, &shape)),
        }
    }
    call.one(match ints.is_empty() {
        true => Elements::Float(concatenate(&floats, axis)),
        false => Elements::Int(concatenate(&ints, axis)),
    })
}

pub const ROWS: &[Op] = &[
    Op {
        name: "broadcast_to_like",
        infix: None,
        args: &["data", "broadcast_type"],
        attrs: &[],
        relation: &BROADCAST_TO_LIKE,
        kernel: Kernel::Whole(broadcast_to_like_of),
        doc: "
Repeats axes of size 1 until the shape is that of a second tensor.
```relay
broadcast_to_like([[1, 2]], [[0, 0], [0, 0]])
#=> [[1, 2], [1, 2]]
```
",
    },
    Op {
        name: "collapse_sum_like",
        infix: None,
        args: &["data", "collapse_type"],
        attrs: &[],
        relation: &COLLAPSE_SUM_LIKE,
        kernel: Kernel::Missing,
        doc: "
Undoes a broadcast: sums over the axes along which the second tensor would be repeated to become the first.
```relay
def @f(%x: Tensor[(3, 4), float32], %y: Tensor[(1, 4), float32]) { collapse_sum_like(%x, %y) }
#                                                                  ^? Tensor[(1, 4), float32]
```
",
    },
    Op {
        name: "collapse_sum_to",
        infix: None,
        args: &["data", "shape"],
        attrs: &[AttrSpec::ints_or_none("shape"), AttrSpec::dtype("dtype")],
        relation: &COLLAPSE_SUM_TO,
        kernel: Kernel::Missing,
        doc: "
As `collapse_sum_like`, to the shape in the attribute `shape`; without it only the rank is known.
```relay
def @f(%x: Tensor[(3, 4), float32]) { collapse_sum_to(%x, [1, 4], shape=[1, 4]) }
#                                     ^? Tensor[(1, 4), float32]
```
",
    },
    Op {
        name: "contrib_reverse_reshape",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("newshape", AttrForm::Ints), AttrSpec::int("allowzero", 0)],
        relation: &REVERSE_RESHAPE,
        kernel: Kernel::Whole(same_elements),
        doc: "
As `reshape`, with the codes in `newshape` read from the last axis to the first.
```relay
contrib_reverse_reshape([[[1, 2], [3, 4], [5, 6]]], newshape=[-1, 0])
#=> [[1, 2], [3, 4], [5, 6]]
```
",
    },
    Op {
        name: "reshape_like",
        infix: None,
        args: &["data", "shape_like"],
        attrs: &[
            AttrSpec::int("lhs_begin", 0),
            AttrSpec::int_or_none("lhs_end"),
            AttrSpec::int("rhs_begin", 0),
            AttrSpec::int_or_none("rhs_end"),
        ],
        relation: &RESHAPE_LIKE,
        kernel: Kernel::Whole(same_elements),
        doc: "
The same elements, with the axes from `lhs_begin` to `lhs_end` replaced by those of a second tensor from `rhs_begin` to
`rhs_end`.
```relay
reshape_like([1, 2, 3, 4], [[0, 0], [0, 0]])
#=> [[1, 2], [3, 4]]
```
",
    },
    Op {
        name: "reverse",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("axis", AttrForm::Int)],
        relation: &REVERSE,
        kernel: Kernel::Whole(reverse_of),
        doc: "
The elements along `axis` from the last to the first.
```relay
reverse([[1, 2], [3, 4]], axis=1)
#=> [[2, 1], [4, 3]]
```
",
    },
    Op {
        name: "reverse_sequence",
        infix: None,
        args: &["data", "seq_lengths"],
        attrs: &[AttrSpec::int("seq_axis", 1), AttrSpec::int("batch_axis", 0)],
        relation: &REVERSE_SEQUENCE,
        kernel: Kernel::Missing,
        doc: "
For each place of `batch_axis`, the first elements along `seq_axis`, as many as its length says, from the last to the
first.
```relay
def @f(%x: Tensor[(4, 5, 6), float32], %n: Tensor[(4), int32]) { reverse_sequence(%x, %n) }
#                                                                ^? Tensor[(4, 5, 6), float32]
```
",
    },
    Op {
        name: "repeat",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("repeats", AttrForm::Int), AttrSpec::required("axis", AttrForm::Int)],
        relation: &REPEAT,
        kernel: Kernel::Whole(repeat_of),
        doc: "
Each element along `axis` several times in a row.
```relay
repeat([[1, 2], [3, 4]], repeats=2, axis=1)
#=> [[1, 1, 2, 2], [3, 3, 4, 4]]
```
",
    },
    Op {
        name: "tile",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("reps", AttrForm::Ints)],
        relation: &TILE,
        kernel: Kernel::Whole(tile_of),
        doc: "
The whole tensor several times along each axis, aligned at the last.
```relay
tile([1, 2], reps=[2, 2])
#=> [[1, 2, 1, 2], [1, 2, 1, 2]]
```
",
    },
    Op {
        name: "stack",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int("axis", 0)],
        relation: &STACK,
        kernel: Kernel::Whole(stack_of),
        doc: "
The tensors of a tuple next to each other along a new axis.
```relay
stack(([1, 2], [3, 4]), axis=-1)
#=> [[1, 3], [2, 4]]
```
",
    },
    Op {
        name: "meshgrid",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::str("indexing", "ij")],
        relation: &MESHGRID,
        kernel: Kernel::Missing,
        doc: "
A grid over vectors: for each a tensor of that shape in which it varies along its own axis. `indexing=\"xy\"` swaps the
first two axes.
```relay
def @f(%x: Tensor[(3), float32], %y: Tensor[(4), float32]) { meshgrid((%x, %y)) }
#                                                            ^? (Tensor[(3, 4), float32], Tensor[(3, 4), float32])
```
",
    },
    Op {
        name: "layout_transform",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("src_layout", AttrForm::Str), AttrSpec::required("dst_layout", AttrForm::Str)],
        relation: &LAYOUT_TRANSFORM,
        kernel: Kernel::Missing,
        doc: "
Moves axes from one layout to another. A number and a small letter split the axis of that letter into blocks; the last
block is padded with zeros.
```relay
def @f(%x: Tensor[(1, 16, 8, 8), float32]) {
    layout_transform(%x, src_layout=\"NCHW\", dst_layout=\"NHWC4c\")
#   ^? Tensor[(1, 8, 8, 4, 4), float32]
}
```
",
    },
    Op {
        name: "auto_scheduler_layout_transform",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("src_layout", AttrForm::Str), AttrSpec::required("dst_layout", AttrForm::Str)],
        relation: &AUTO_SCHEDULER_LAYOUT_TRANSFORM,
        kernel: Kernel::Missing,
        doc: "
As `layout_transform`, between layouts that spell out their sizes.
```relay
def @f(%x: Tensor[(4, 6), float32]) {
    auto_scheduler_layout_transform(%x, src_layout=\"4N6C\", dst_layout=\"4N3C2c\")
#   ^? Tensor[(4, 3, 2), float32]
}
```
",
    },
    Op {
        name: "sliding_window",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::required("axis", AttrForm::Int),
            AttrSpec::required("window_shape", AttrForm::Ints),
            AttrSpec::required("strides", AttrForm::Ints),
        ],
        relation: &SLIDING_WINDOW,
        kernel: Kernel::Missing,
        doc: "
Every position of a window over the axes from `axis` on: first the positions along each of them, then the window.
```relay
def @f(%x: Tensor[(8, 10), float32]) { sliding_window(%x, axis=1, window_shape=[3], strides=[2]) }
#                                      ^? Tensor[(8, 4, 3), float32]
```
",
    },
    Op {
        name: "matrix_set_diag",
        infix: None,
        args: &["input", "diagonal"],
        attrs: &[
            AttrSpec::int("k1", 0),
            AttrSpec::int("k2", 0),
            AttrSpec::flag("super_diag_right_align", true),
            AttrSpec::flag("sub_diag_right_align", false),
        ],
        relation: &MATRIX_SET_DIAG,
        kernel: Kernel::Missing,
        doc: "
Matrices with diagonals `k1` to `k2` replaced; 0 is the main one and positive ones lie above it. Shorter diagonals are
padded on the side that the flags say.
```relay
def @f(%x: Tensor[(2, 4, 3), float32], %d: Tensor[(2, 2, 3), float32]) {
    matrix_set_diag(%x, %d, k1=-1, k2=0)
#   ^? Tensor[(2, 4, 3), float32]
}
```
",
    },
    Op {
        name: "sequence_mask",
        infix: None,
        args: &["data", "valid_length"],
        attrs: &[AttrSpec::float("mask_value", 0.0), AttrSpec::int("axis", 0)],
        relation: &SEQUENCE_MASK,
        kernel: Kernel::Missing,
        doc: "
Sequences along `axis` (0 or 1) with everything behind their length replaced by `mask_value`; the other of the two axes
counts the sequences.
```relay
def @f(%x: Tensor[(5, 10, 3), float32], %n: Tensor[(10), int32]) { sequence_mask(%x, %n) }
#                                                                  ^? Tensor[(5, 10, 3), float32]
```
",
    },
    Op {
        name: "invert_permutation",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Missing,
        doc: "
At each position the place where that number stands in a permutation of 0, 1, ….
```relay
def @f(%x: Tensor[(6), int32]) { invert_permutation(%x) }
#                                ^? Tensor[(6), int32]
```
",
    },
    Op {
        name: "trilu",
        infix: None,
        args: &["data", "k"],
        attrs: &[AttrSpec::flag("upper", true)],
        relation: &TRILU,
        kernel: Kernel::Missing,
        doc: "
Matrices with zeros below diagonal `k`, or above it unless `upper`.
```relay
def @f(%x: Tensor[(5, 5), float32]) { trilu(%x, 1) }
#                                     ^? Tensor[(5, 5), float32]
```
",
    },
];
