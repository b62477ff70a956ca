//! Operators that give the same elements other shapes and orders.

use crate::places::{moved, tuple, zero};
use crate::rule::rearrange::{
    AUTO_SCHEDULER_LAYOUT_TRANSFORM, BROADCAST_TO_LIKE, COLLAPSE_SUM_LIKE, COLLAPSE_SUM_TO, LAYOUT_TRANSFORM,
    MATRIX_SET_DIAG, MESHGRID, REPEAT, RESHAPE_LIKE, REVERSE, REVERSE_SEQUENCE, SEQUENCE_MASK, SLIDING_WINDOW, STACK,
    TILE, TRILU, spelt_layout,
};
use crate::rule::reshape::REVERSE_RESHAPE;
use crate::rule::{DataLayout, IDENTITY};
use crate::run::{Arg, Call, Fault, Kernel, OPEN, WellTyped, as_tensor, cast_between, floats, ints};
use crate::{AttrForm, AttrSpec, Op};
use base::{MapArray, ToList};
use kernel::index::{NOWHERE, offset, places};
use kernel::shape::{OutOfRange, broadcast_to, concatenate, take};
use kernel::strided::{Offsets, View, broadcast_strides, count, row_major};
use ty::{Dtype, Elements, Scalar, Value};

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
    picked.map_err(Fault::index)
}

/// The data with the result's shape.
pub(crate) fn same_elements(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    if x.elements().len() != count(&call.result(0)?.shape) {
        return Err(Fault::other("the data has not as many elements as the new shape"));
    }
    call.one(x.elements().into_owned())
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
    let places: Vec<i64> = (0..x.shape()[axis] as i64).rev().list();
    call.one(pick(&x.elements(), x.shape(), axis, &places)?)
}

fn repeat_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let axis = call.axis("axis", 0, x.shape().len());
    let repeats = call.attrs.int("repeats").unwrap_or(1);
    let places: Vec<i64> = (0..result.shape[axis] as i64).map(|place| place / repeats).list();
    call.one(pick(&x.elements(), x.shape(), axis, &places)?)
}

fn tile_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let mut shape = base::filled(1, result.shape.len() - x.shape().len());
    shape.extend_from_slice(x.shape());
    let mut elements = x.elements().into_owned();
    for (axis, &size) in result.shape.iter().enumerate() {
        let places: Vec<i64> = (0..size).map(|place| (place % shape[axis]) as i64).list();
        elements = pick(&elements, &shape, axis, &places)?;
        shape[axis] = size;
    }
    call.one(elements)
}

fn stack_of(call: &Call) -> Result<Value, Fault> {
    let Some(Value::Tuple(fields)) = call.args.first() else { return Err(Fault::ill_typed()) };
    let parts = fields.iter().map(as_tensor).ok_list()?;
    let mut shape = call.result(0)?.shape.clone();
    let axis = call.axis("axis", 0, shape.len());
    shape[axis] = 1;
    let owned: Vec<_> = parts.iter().map(|part| part.elements()).list();
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

/// The data with its elements taken from these places of the data, 0 where there is none.
fn rearranged(call: &Call, x: &Arg, places: &[usize]) -> Result<Value, Fault> {
    let elements = x.elements();
    call.one(moved(&elements, places, zero(&elements)))
}

/// The sum over the axes along which `to` would be repeated to become the data's shape. Floats are rounded once.
fn collapsed(x: &Arg, to: &[usize]) -> Elements {
    let strides = broadcast_strides(to, x.shape());
    let walk = Offsets::new(x.shape(), [&strides]);
    let n = count(to);
    match &*x.elements() {
        Elements::Float(values) => {
            let mut sums = base::filled(0.0, n);
            values.iter().zip(walk).for_each(|(value, [at])| sums[at] += value);
            floats(x.dtype(), sums.into_iter())
        }
        Elements::Int(values) => {
            let mut sums = base::filled(0_i64, n);
            values.iter().zip(walk).for_each(|(&value, [at])| sums[at] = sums[at].wrapping_add(value));
            ints(x.dtype(), sums.into_iter())
        }
    }
}

fn collapse_sum_like_of(call: &Call) -> Result<Value, Fault> {
    call.one(collapsed(&call.tensor(0)?, &call.result(0)?.shape))
}

fn collapse_sum_to_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let mut to = result.shape.clone();
    if to.contains(&OPEN) {
        to = crate::dynamic::sizes(&call.tensor(1)?)?;
    }
    let from_last = to.iter().rev().zip(x.shape().iter().rev());
    if to.len() > x.shape().len() || from_last.clone().any(|(to, from)| to != from && *to != 1) {
        return Err(Fault::other("the shape does not broadcast to that of the data"));
    }
    call.sized(0, to.clone(), collapsed(&x, &to))
}

fn reverse_sequence_of(call: &Call) -> Result<Value, Fault> {
    let (x, lengths) = (call.tensor(0)?, call.tensor(1)?.ints());
    let rank = x.shape().len();
    let (along, batch) = (call.axis("seq_axis", 1, rank), call.axis("batch_axis", 0, rank));
    let strides = row_major(x.shape());
    let places = places(x.shape(), &mut |index| {
        // A length past the end is all of the axis.
        let n = lengths[index[batch]].min(x.shape()[along] as i64);
        let (at, stride) = (index[along], strides[along]);
        let mirrored = if (at as i64) < n { n as usize - 1 - at } else { at };
        offset(index, &strides) - at * stride + mirrored * stride
    });
    rearranged(call, &x, &places)
}

fn meshgrid_of(call: &Call) -> Result<Value, Fault> {
    let tensors = call.tensors(0)?;
    let swaps = call.attrs.str("indexing") == "xy" && tensors.len() >= 2;
    let mut grids = Vec::with_capacity(tensors.len());
    for (i, x) in tensors.iter().enumerate() {
        let axis = if swaps && i < 2 { 1 - i } else { i };
        let places = places(&call.result(i)?.shape, &mut |index| index[axis]);
        let elements = x.elements();
        grids.push(call.value(i, moved(&elements, &places, zero(&elements)))?);
    }
    Ok(tuple(grids))
}

/// The axes of a layout: a letter and, where it is an inner part, how many places it has.
type Axes = [(char, Option<i64>)];

/// Moves the data from one layout to another: each letter's coordinate is put together from its parts on one side and
/// taken apart on the other. Coordinates past the data's are 0.
///
/// Worked example: from `C` of 3 to `C2c`, place (1, 0) is coordinate 2, and (1, 1) is none.
fn between_layouts(call: &Call, from: &Axes, to: &Axes) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let sizes: Vec<usize> = match from.iter().map(|&(_, size)| size.map(|size| size as usize)).some_list() {
        Some(sizes) => sizes,
        None => x.shape().to_vec(),
    };
    if count(&sizes) != x.elements().len() {
        return Err(Fault::other("the layout is not that of the data"));
    }
    let strides = row_major(&sizes);
    let mut left: Vec<(char, usize)> = Vec::new();
    let places = places(&result.shape, &mut |index| {
        left.clear();
        for (&(letter, _), (&at, &size)) in to.iter().zip(index.iter().zip(&result.shape)) {
            match left.iter_mut().find(|(known, _)| *known == letter) {
                Some((_, coordinate)) => *coordinate = *coordinate * size + at,
                None => left.push((letter, at)),
            }
        }
        let mut place = 0;
        for (&(letter, _), (&size, &stride)) in from.iter().zip(sizes.iter().zip(&strides)).rev() {
            if let Some((_, coordinate)) = left.iter_mut().find(|(known, _)| *known == letter) {
                place += *coordinate % size * stride;
                *coordinate /= size;
            }
        }
        if left.iter().any(|&(_, coordinate)| coordinate != 0) { NOWHERE } else { place }
    });
    rearranged(call, &x, &places)
}

fn layout_transform_of(call: &Call) -> Result<Value, Fault> {
    let (from, to) = (call.attrs.str("src_layout"), call.attrs.str("dst_layout"));
    let letters: String = from.chars().filter(char::is_ascii_uppercase).collect();
    let [from, to] = [from, to].each(|layout| DataLayout::parse(layout, &letters));
    // The sizes are the data's own.
    let from: Vec<_> = from.well_typed()?.axes().iter().map(|&(letter, _)| (letter, None)).list();
    between_layouts(call, &from, to.well_typed()?.axes())
}

fn auto_scheduler_layout_transform_of(call: &Call) -> Result<Value, Fault> {
    let [from, to] = ["src_layout", "dst_layout"].each(|attr| spelt_layout(call.attrs.str(attr)));
    let (Some(from), Some(to)) = (from, to) else {
        return Err(Fault::other("a layout is sizes and letters in turn"));
    };
    let size = |layout: &Axes, letter| {
        let parts = layout.iter().filter(|(known, _)| *known == letter);
        parts.fold(1_i64, |all, &(_, size)| all.saturating_mul(size.unwrap_or(1)))
    };
    if from.iter().chain(&to).any(|&(letter, _)| size(&from, letter) != size(&to, letter)) {
        return Err(Fault::other("a letter has another size in the other layout"));
    }
    between_layouts(call, &from, &to)
}

fn sliding_window_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let axis = call.axis("axis", 0, x.shape().len());
    let by = call.attrs.ints("strides").unwrap_or_default();
    let strides = row_major(x.shape());
    let rank = x.shape().len();
    let places = places(&result.shape, &mut |index| {
        let windows =
            (axis..rank).map(|at| (index[at] * by[at - axis] as usize + index[rank + at - axis]) * strides[at]);
        offset(&index[..axis], &strides) + windows.total::<usize>()
    });
    rearranged(call, &x, &places)
}

/// Row, column and the batch before them.
fn in_matrix(index: &[usize]) -> (&[usize], usize, usize) {
    match index {
        [batch @ .., row, column] => (batch, *row, *column),
        _ => (&[], 0, 0),
    }
}

fn matrix_set_diag_of(call: &Call) -> Result<Value, Fault> {
    let (x, diagonal) = (call.tensor(0)?, call.tensor(1)?);
    let (k1, k2) = (call.attrs.int("k1").unwrap_or(0), call.attrs.int("k2").unwrap_or(0));
    let (_, height, width) = in_matrix(x.shape());
    let Some(&longest) = diagonal.shape().last() else { return Err(Fault::ill_typed()) };
    let (strides, by) = (row_major(x.shape()), row_major(diagonal.shape()));
    let n = x.elements().len();
    // Places behind the data's are the diagonals'.
    let places = places(x.shape(), &mut |index| {
        let (batch, row, column) = in_matrix(index);
        let k = column as i64 - row as i64;
        if k < k1 || k > k2 {
            return offset(index, &strides);
        }
        let (along, len, aligned) = match k >= 0 {
            true => (row, (width - k as usize).min(height), call.attrs.flag("super_diag_right_align")),
            false => (column, (height - k.unsigned_abs() as usize).min(width), call.attrs.flag("sub_diag_right_align")),
        };
        let (shift, rows) = match k1 == k2 {
            true => (0, 0),
            false => (if aligned { longest - len } else { 0 }, (k2 - k) as usize * longest),
        };
        n + offset(batch, &by) + rows + along + shift
    });
    let Some(elements) = joined(&x.elements(), &crate::run::cast_arg(&diagonal, x.dtype())) else {
        return Err(Fault::ill_typed());
    };
    call.one(moved(&elements, &places, zero(&elements)))
}

/// One behind the other.
fn joined(a: &Elements, b: &Elements) -> Option<Elements> {
    match (a, b) {
        (Elements::Float(a), Elements::Float(b)) => Some(Elements::Float([&a[..], b].concat())),
        (Elements::Int(a), Elements::Int(b)) => Some(Elements::Int([&a[..], b].concat())),
        (Elements::Float(_), Elements::Int(_)) | (Elements::Int(_), Elements::Float(_)) => None,
    }
}

fn sequence_mask_of(call: &Call) -> Result<Value, Fault> {
    let (x, lengths) = (call.tensor(0)?, call.tensor(1)?.floats());
    let axis = call.axis("axis", 0, 2);
    let strides = row_major(x.shape());
    let places = places(x.shape(), &mut |index| {
        if index[axis] as f64 >= lengths[index[1 - axis]] { NOWHERE } else { offset(index, &strides) }
    });
    let mask = cast_between(Scalar::Float(call.attrs.float("mask_value")), Dtype::Float64, x.dtype());
    call.one(moved(&x.elements(), &places, mask))
}

fn invert_permutation_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    if x.shape().len() != 1 || x.dtype().is_float() {
        return Err(Fault::other("a permutation is a vector of integers"));
    }
    let values = x.ints();
    let mut inverse: Vec<Option<i64>> = base::filled(None, values.len());
    for (place, &value) in values.iter().enumerate() {
        if inverse[crate::places::within(value, values.len())?].replace(place as i64).is_some() {
            return Err(Fault::other("a number stands twice in the permutation"));
        }
    }
    call.one(ints(x.dtype(), inverse.into_iter().flatten()))
}

fn trilu_of(call: &Call) -> Result<Value, Fault> {
    let (x, k, upper) = (call.tensor(0)?, call.int_operand(1)?, call.attrs.flag("upper"));
    let strides = row_major(x.shape());
    let places = places(x.shape(), &mut |index| {
        let (_, row, column) = in_matrix(index);
        let above = (column as i64 - row as i64).saturating_sub(k);
        if (upper && above >= 0) || (!upper && above <= 0) { offset(index, &strides) } else { NOWHERE }
    });
    rearranged(call, &x, &places)
}

pub const ROWS: &[Op] = &[
    Op {
        name: "broadcast_to_like",
        infix: None,
        args: &["data", "broadcast_type"],
        attrs: &[],
        relation: &BROADCAST_TO_LIKE,
        kernel: Kernel::planned(broadcast_to_like_of),
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
        kernel: Kernel::Whole(collapse_sum_like_of),
        doc: "
Undoes a broadcast: sums over the axes along which the second tensor would be repeated to become the first.
```relay
def @f(%x: Tensor[(3, 4), float32], %y: Tensor[(1, 4), float32]) { collapse_sum_like(%x, %y) }
#                                                                  ^? Tensor[(1, 4), float32]
collapse_sum_like([[1, 2], [3, 4]], [[0, 0]])
#=> [[4, 6]]
```
",
    },
    Op {
        name: "collapse_sum_to",
        infix: None,
        args: &["data", "shape"],
        attrs: &[AttrSpec::ints_or_none("shape"), AttrSpec::dtype("dtype")],
        relation: &COLLAPSE_SUM_TO,
        kernel: Kernel::Whole(collapse_sum_to_of),
        doc: "
As `collapse_sum_like`, to the shape in the attribute `shape`; without it only the rank is known.
```relay
def @f(%x: Tensor[(3, 4), float32]) { collapse_sum_to(%x, [1, 4], shape=[1, 4]) }
#                                     ^? Tensor[(1, 4), float32]
collapse_sum_to([[1, 2], [3, 4]], [2, 1], shape=[2, 1])
#=> [[3], [7]]
```
",
    },
    Op {
        name: "contrib_reverse_reshape",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("newshape", AttrForm::Ints), AttrSpec::flag("allowzero", false)],
        relation: &REVERSE_RESHAPE,
        kernel: Kernel::planned(same_elements),
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
        kernel: Kernel::planned(same_elements),
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
        kernel: Kernel::planned(reverse_of),
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
        kernel: Kernel::Whole(reverse_sequence_of),
        doc: "
For each place of `batch_axis`, the first elements along `seq_axis`, as many as its length says, from the last to the
first.
```relay
def @f(%x: Tensor[(4, 5, 6), float32], %n: Tensor[(4), int32]) { reverse_sequence(%x, %n) }
#                                                                ^? Tensor[(4, 5, 6), float32]
reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3])
#=> [[2, 1, 3], [6, 5, 4]]
```
",
    },
    Op {
        name: "repeat",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("repeats", AttrForm::Int), AttrSpec::required("axis", AttrForm::Int)],
        relation: &REPEAT,
        kernel: Kernel::planned(repeat_of),
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
        kernel: Kernel::planned(tile_of),
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
        kernel: Kernel::planned(stack_of),
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
        attrs: &[AttrSpec::word("indexing", &["ij", "xy"])],
        relation: &MESHGRID,
        kernel: Kernel::Whole(meshgrid_of),
        doc: "
A grid over vectors: for each a tensor of that shape in which it varies along its own axis. `indexing=\"xy\"` swaps the
first two axes.
```relay
def @f(%x: Tensor[(3), float32], %y: Tensor[(4), float32]) { meshgrid((%x, %y)) }
#                                                            ^? (Tensor[(3, 4), float32], Tensor[(3, 4), float32])
meshgrid(([1, 2], [3, 4, 5]))
#=> ([[1, 1, 1], [2, 2, 2]], [[3, 4, 5], [3, 4, 5]])
```
",
    },
    Op {
        name: "layout_transform",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("src_layout", AttrForm::Str), AttrSpec::required("dst_layout", AttrForm::Str)],
        relation: &LAYOUT_TRANSFORM,
        kernel: Kernel::Whole(layout_transform_of),
        doc: "
Moves axes from one layout to another. A number and a small letter split the axis of that letter into blocks; the last
block is padded with zeros.
```relay
def @f(%x: Tensor[(1, 16, 8, 8), float32]) {
    layout_transform(%x, src_layout=\"NCHW\", dst_layout=\"NHWC4c\")
#   ^? Tensor[(1, 8, 8, 4, 4), float32]
}
layout_transform([[1, 2, 3]], src_layout=\"NC\", dst_layout=\"NC2c\")
#=> [[[1, 2], [3, 0]]]
```
",
    },
    Op {
        name: "auto_scheduler_layout_transform",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("src_layout", AttrForm::Str), AttrSpec::required("dst_layout", AttrForm::Str)],
        relation: &AUTO_SCHEDULER_LAYOUT_TRANSFORM,
        kernel: Kernel::Whole(auto_scheduler_layout_transform_of),
        doc: "
As `layout_transform`, between layouts that spell out their sizes.
```relay
def @f(%x: Tensor[(4, 6), float32]) {
    auto_scheduler_layout_transform(%x, src_layout=\"4N6C\", dst_layout=\"4N3C2c\")
#   ^? Tensor[(4, 3, 2), float32]
}
auto_scheduler_layout_transform([1, 2, 3, 4, 5, 6], src_layout=\"6C\", dst_layout=\"3C2c\")
#=> [[1, 2], [3, 4], [5, 6]]
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
        kernel: Kernel::planned(sliding_window_of),
        doc: "
Every position of a window over the axes from `axis` on: first the positions along each of them, then the window.
```relay
def @f(%x: Tensor[(8, 10), float32]) { sliding_window(%x, axis=1, window_shape=[3], strides=[2]) }
#                                      ^? Tensor[(8, 4, 3), float32]
sliding_window([1, 2, 3, 4, 5], axis=0, window_shape=[3], strides=[2])
#=> [[1, 2, 3], [3, 4, 5]]
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
        kernel: Kernel::planned(matrix_set_diag_of),
        doc: "
Matrices with diagonals `k1` to `k2` replaced; 0 is the main one and positive ones lie above it. Shorter diagonals are
padded on the side that the flags say.
```relay
def @f(%x: Tensor[(2, 4, 3), float32], %d: Tensor[(2, 2, 3), float32]) {
    matrix_set_diag(%x, %d, k1=-1, k2=0)
#   ^? Tensor[(2, 4, 3), float32]
}
matrix_set_diag([[1, 2], [3, 4]], [7, 8])
#=> [[7, 2], [3, 8]]
```
",
    },
    Op {
        name: "sequence_mask",
        infix: None,
        args: &["data", "valid_length"],
        attrs: &[AttrSpec::float("mask_value", 0.0), AttrSpec::int("axis", 0)],
        relation: &SEQUENCE_MASK,
        kernel: Kernel::planned(sequence_mask_of),
        doc: "
Sequences along `axis` (0 or 1) with everything behind their length replaced by `mask_value`; the other of the two axes
counts the sequences.
```relay
def @f(%x: Tensor[(5, 10, 3), float32], %n: Tensor[(10), int32]) { sequence_mask(%x, %n) }
#                                                                  ^? Tensor[(5, 10, 3), float32]
sequence_mask([[1f, 2f], [3f, 4f]], [1, 2], mask_value=-1f)
#=> [[1f, 2f], [-1f, 4f]]
```
",
    },
    Op {
        name: "invert_permutation",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Whole(invert_permutation_of),
        doc: "
At each position the place where that number stands in a permutation of 0, 1, ….
```relay
def @f(%x: Tensor[(6), int32]) { invert_permutation(%x) }
#                                ^? Tensor[(6), int32]
invert_permutation([2, 0, 1])
#=> [1, 2, 0]
```
",
    },
    Op {
        name: "trilu",
        infix: None,
        args: &["data", "k"],
        attrs: &[AttrSpec::flag("upper", true)],
        relation: &TRILU,
        kernel: Kernel::planned(trilu_of),
        doc: "
Matrices with zeros below diagonal `k`, or above it unless `upper`.
```relay
def @f(%x: Tensor[(5, 5), float32]) { trilu(%x, 1) }
#                                     ^? Tensor[(5, 5), float32]
trilu([[1, 2], [3, 4]], 0)
#=> [[1, 2], [0, 4]]
```
",
    },
];
