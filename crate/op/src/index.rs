//! Operators that read, write and search by position.
//!
//! An index that names no place stops the run; only `scatter_elements` counts negative ones from the end. Where
//! elements are ordered, NaN is above every number and -0 is 0; equal elements keep their order, also when the order
//! descends.

mod order;

use crate::places::{Merge, moved, within, within_either, zero};
use crate::rearrange::pick;
use crate::rule::index::{
    ADV_INDEX, ARGSORT, ARGWHERE, GATHER, GATHER_ND, ONE_HOT, SCATTER_ELEMENTS, SCATTER_ND, SEARCHSORTED, SLICE_LIKE,
    SORT, STRIDED_SET, STRIDED_SLICE, TOPK, UNIQUE, UNRAVEL_INDEX, places_of_slice, slices,
};
use crate::run::{Arg, Call, Fault, Kernel, WellTyped, cast_arg, ints};
use crate::{AttrForm, AttrSpec, Op};
use base::{Append, MapArray, ToList};
use kernel::index::{each_index, offset, places};
use kernel::strided::{broadcast_strides, count, row_major};
use order::{argsort_of, searchsorted_of, sort_of, topk_of, unique_of};
use ty::Value;

fn strided_slice_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let (mut elements, mut shape) = (x.elements().into_owned(), x.shape().to_vec());
    for (axis, [first, step, n]) in slices(call.attrs, &shape.clone()) {
        let places: Vec<i64> = (0..n).map(|at| first + at * step).list();
        elements = pick(&elements, &shape, axis, &places)?;
        shape[axis] = places.len();
    }
    call.one(elements)
}

/// Where each index of `shape` is read from; the first index that is out of range stops it.
fn places_or_fault(
    shape: &[usize],
    place: &mut dyn FnMut(&[usize]) -> Result<usize, Fault>,
) -> Result<Vec<usize>, Fault> {
    let mut fault = None;
    let found = places(shape, &mut |index| {
        place(index).unwrap_or_else(|found| {
            fault.get_or_insert(found);
            0
        })
    });
    fault.map_or(Ok(found), Err)
}

fn adv_index_of(call: &Call) -> Result<Value, Fault> {
    let (tensors, result) = (call.tensors(0)?, call.result(0)?);
    let [data, indices @ ..] = &tensors[..] else { return Err(Fault::ill_typed()) };
    let strides = row_major(data.shape());
    let n_axes = result.shape.len() + indices.len() - data.shape().len();
    let named: Vec<(Vec<i64>, Vec<usize>)> =
        indices.iter().map(|index| (index.ints(), broadcast_strides(index.shape(), &result.shape[..n_axes]))).list();
    let places = places_or_fault(&result.shape, &mut |index| {
        let (outer, rest) = index.split_at(n_axes);
        let mut place = offset(rest, &strides[indices.len()..]);
        for ((values, by), (&stride, &size)) in named.iter().zip(strides.iter().zip(data.shape())) {
            place += within(values[offset(outer, by)], size)? * stride;
        }
        Ok(place)
    })?;
    let elements = data.elements();
    call.one(moved(&elements, &places, zero(&elements)))
}

/// For each element of `indices` its place in the data: along `axis` where it says, elsewhere where it stands.
fn places_along(
    shape: &[usize],
    indices: &Arg,
    axis: usize,
    within: fn(i64, usize) -> Result<usize, Fault>,
) -> Result<Vec<usize>, Fault> {
    let (strides, values) = (row_major(shape), indices.ints());
    let mut values = values.into_iter();
    places_or_fault(indices.shape(), &mut |index| {
        let along = within(values.next().well_typed()?, shape[axis])?;
        // Off the axis the indices may be fewer than the data, never more.
        let mut place = 0;
        for (at, (&i, &stride)) in index.iter().zip(&strides).enumerate() {
            place += if at == axis { along } else { crate::places::within(i as i64, shape[at])? } * stride;
        }
        Ok(place)
    })
}

fn gather_of(call: &Call) -> Result<Value, Fault> {
    let (x, indices) = (call.tensor(0)?, call.tensor(1)?);
    let axis = call.axis("axis", 0, x.shape().len());
    let places = places_along(x.shape(), &indices, axis, within)?;
    let elements = x.elements();
    call.one(moved(&elements, &places, zero(&elements)))
}

fn scatter_elements_of(call: &Call) -> Result<Value, Fault> {
    let (x, indices, updates) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let axis = call.axis("axis", 0, x.shape().len());
    let places = places_along(x.shape(), &indices, axis, within_either)?;
    call.one(Merge::named(call.attrs.str("reduction"))?.all(&x, &updates, &places)?)
}

/// For each index of `shape` its place in the data: first the coordinates of `n_batch` axes, then those that a column
/// of the indices `[m, y…]` names, then the rest.
fn places_named(data: &[usize], indices: &Arg, shape: &[usize], n_batch: usize) -> Result<Vec<usize>, Fault> {
    let (strides, values) = (row_major(data), indices.ints());
    let [m, columns @ ..] = indices.shape() else { return Err(Fault::ill_typed()) };
    let (by, n_columns) = (row_major(columns), count(columns));
    places_or_fault(shape, &mut |index| {
        let (column, rest) = index.split_at(columns.len());
        let mut place = offset(&column[..n_batch], &strides) + offset(rest, &strides[n_batch + m..]);
        for k in 0..*m {
            let named = values[k * n_columns + offset(column, &by)];
            place += within(named, data[n_batch + k])? * strides[n_batch + k];
        }
        Ok(place)
    })
}

fn gather_nd_of(call: &Call) -> Result<Value, Fault> {
    let (x, indices, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let n_batch = usize::try_from(call.attrs.int("batch_dims").unwrap_or(0)).map_err(|_| Fault::ill_typed())?;
    let places = places_named(x.shape(), &indices, &result.shape, n_batch)?;
    let elements = x.elements();
    call.one(moved(&elements, &places, zero(&elements)))
}

fn scatter_nd_of(call: &Call) -> Result<Value, Fault> {
    let (x, indices, updates) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let places = places_named(x.shape(), &indices, updates.shape(), 0)?;
    call.one(Merge::named(call.attrs.str("mode"))?.all(&x, &updates, &places)?)
}

fn one_hot_of(call: &Call) -> Result<Value, Fault> {
    let (indices, result) = (call.tensor(0)?.ints(), call.result(0)?);
    let (on, off) = (cast_arg(&call.tensor(1)?, result.dtype), cast_arg(&call.tensor(2)?, result.dtype));
    let axis = match call.attrs.int("axis").unwrap_or(-1) {
        -1 => result.shape.len() - 1,
        axis => axis as usize,
    };
    let mut outer = result.shape.clone();
    outer.remove(axis);
    let strides = row_major(&outer);
    let places = places(&result.shape, &mut |index| {
        let at = offset(&index[..axis], &strides) + offset(&index[axis + 1..], &strides[axis..]);
        if indices[at] == index[axis] as i64 { 0 } else { kernel::index::NOWHERE }
    });
    call.one(moved(&on, &places, off.get(0)))
}

fn slice_like_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let strides = row_major(x.shape());
    let places = places(&result.shape, &mut |index| offset(index, &strides));
    let elements = x.elements();
    call.one(moved(&elements, &places, zero(&elements)))
}

pub(crate) const NOT_BOUNDS: &str = "bounds and strides are vectors of integers";
pub(crate) const NOT_THE_SLICE: &str = "the values have not the shape of the slice, or another dtype";

/// Of each axis the first place that a slice has, whose shape is `of`, and the step; the bounds are its beginnings, ends and
/// steps.
pub(crate) fn cuts(shape: &[usize], bounds: &[Vec<i64>], of: &[usize]) -> Result<Vec<[i64; 2]>, Fault> {
    let bound = |bound: usize, axis: usize| bounds.get(bound)?.get(axis).copied();
    let places = shape.iter().enumerate();
    let cut = places.map(|(axis, &size)| places_of_slice(size as i64, [0, 1, 2].each(|at| bound(at, axis))));
    let cut: Vec<[i64; 3]> = cut.some_list().ok_or_else(|| Fault::other("a stride is 0"))?;
    if cut.len() == of.len() && cut.iter().zip(of).all(|(&[.., n], &size)| n == size as i64) {
        return Ok(cut.into_iter().map(|[from, step, _]| [from, step]).list());
    }
    Err(Fault::other(NOT_THE_SLICE))
}

/// The place along its axis of a number in a slice.
pub(crate) fn place_of_cut(&[from, step]: &[i64; 2], at: usize) -> usize {
    (from + at as i64 * step) as usize
}

fn strided_set_of(call: &Call) -> Result<Value, Fault> {
    let (x, v) = (call.tensor(0)?, call.tensor(1)?);
    let mut bounds: Vec<Vec<i64>> = Vec::with_capacity(3);
    for operand in 2..5 {
        let vector = call.tensor(operand)?;
        if vector.dtype().is_float() || vector.shape().len() != 1 || vector.shape()[0] > x.shape().len() {
            return Err(Fault::other(NOT_BOUNDS));
        }
        bounds.push(vector.ints());
    }
    if x.dtype() != v.dtype() {
        return Err(Fault::other(NOT_THE_SLICE));
    }
    let cut = cuts(x.shape(), &bounds, v.shape())?;
    let strides = row_major(x.shape());
    let places = places(v.shape(), &mut |index| {
        index.iter().zip(&cut).zip(&strides).map(|((&i, cut), &stride)| place_of_cut(cut, i) * stride).total()
    });
    call.one(Merge::named("update")?.all(&x, &v, &places)?)
}

fn unravel_index_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let sizes = call.tensor(1)?.ints();
    let mut shape = Vec::with_capacity(sizes.len());
    for size in sizes {
        shape.push(usize::try_from(size).map_err(|_| Fault::other("a size is negative"))?);
    }
    let n = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size)).ok_or_else(Fault::out_of_memory)?;
    let indices = x.ints();
    let mut rows = vec![0; shape.len() * indices.len()];
    for (at, &index) in indices.iter().enumerate() {
        let mut place = within(index, n)?;
        for (axis, &size) in shape.iter().enumerate().rev() {
            rows[axis * indices.len() + at] = (place % size) as i64;
            place /= size;
        }
    }
    call.one(ints(result.dtype, rows.into_iter()))
}

fn argwhere_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let mut truth = x.floats().into_iter();
    let (mut rows, mut n) = (Vec::new(), 0);
    each_index(x.shape(), &mut |index| {
        if truth.next().is_some_and(|value| value != 0.0) {
            rows.append_all(index.iter().map(|&at| at as i64));
            n += 1;
        }
    });
    call.room([n, x.shape().len()])?;
    call.sized(0, vec![n, x.shape().len()], ints(result.dtype, rows.into_iter()))
}

pub(crate) const SLICE_MODES: &[&str] = &["end", "size"];
pub(crate) const RET_TYPES: &[&str] = &["both", "values", "indices"];

pub const ROWS: &[Op] = &[
    Op {
        name: "adv_index",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &ADV_INDEX,
        kernel: Kernel::Whole(adv_index_of),
        doc: "
The first of a tuple, indexed on its leading axes by the others, which broadcast; then the axes that are left.
```relay
def @f(%x: Tensor[(5, 10, 4), float32], %i: Tensor[(2, 3), int32], %j: Tensor[(3), int32]) {
    adv_index((%x, %i, %j))
#   ^? Tensor[(2, 3, 4), float32]
}
adv_index(([[1, 2], [3, 4], [5, 6]], [2, 0], [1, 0]))
#=> [6, 1]
```
",
    },
    Op {
        name: "gather",
        infix: None,
        args: &["data", "indices"],
        attrs: &[AttrSpec::required("axis", AttrForm::Int)],
        relation: &GATHER,
        kernel: Kernel::planned(gather_of),
        doc: "
The elements that the indices name along `axis`; on the other axes each index stays in its place.
```relay
def @f(%x: Tensor[(3, 4), float32], %i: Tensor[(1, 4), int32]) { gather(%x, %i, axis=0) }
#                                                                ^? Tensor[(1, 4), float32]
gather([[1, 2], [3, 4]], [[0, 0], [1, 0]], axis=1)
#=> [[1, 1], [4, 3]]
```
",
    },
    Op {
        name: "gather_nd",
        infix: None,
        args: &["data", "indices"],
        attrs: &[AttrSpec::int("batch_dims", 0), AttrSpec::int_or_none("index_rank")],
        relation: &GATHER_ND,
        kernel: Kernel::planned(gather_nd_of),
        doc: "
The elements, or parts with the axes that are left, which the columns of `indices` name: row `i` of the indices counts along
axis `i` of the data, behind `batch_dims` axes that both share.
```relay
def @f(%x: Tensor[(2, 3, 4), float32], %i: Tensor[(2, 5), int32]) { gather_nd(%x, %i) }
#                                                                   ^? Tensor[(5, 4), float32]
gather_nd([[1, 2], [3, 4]], [[1, 0], [1, 0]])
#=> [4, 1]
```
",
    },
    Op {
        name: "scatter_elements",
        infix: None,
        args: &["data", "indices", "updates"],
        attrs: &[AttrSpec::int("axis", 0), AttrSpec::word("reduction", &["update", "add", "mul", "mean", "min", "max"])],
        relation: &SCATTER_ELEMENTS,
        kernel: Kernel::Whole(scatter_elements_of),
        doc: "
The data with each update put in, or combined by `reduction`, where its index along `axis` says.
```relay
def @f(%x: Tensor[(4, 5), float32], %i: Tensor[(2, 5), int32], %y: Tensor[(2, 5), float32]) {
    scatter_elements(%x, %i, %y)
#   ^? Tensor[(4, 5), float32]
}
scatter_elements([0, 0, 0, 0], [1, -1, 1], [5, 6, 7], reduction=\"add\")
#=> [0, 12, 0, 6]
```
",
    },
    Op {
        name: "scatter_nd",
        infix: None,
        args: &["data", "indices", "updates"],
        attrs: &[AttrSpec::word("mode", &["update", "add", "mul", "min", "max"])],
        relation: &SCATTER_ND,
        kernel: Kernel::Whole(scatter_nd_of),
        doc: "
The data with the updates put in, or combined by `mode`, where `gather_nd` with these indices would read.
```relay
def @f(%x: Tensor[(3, 4), float32], %i: Tensor[(1, 2), int32], %y: Tensor[(2, 4), float32]) {
    scatter_nd(%x, %i, %y)
#   ^? Tensor[(3, 4), float32]
}
scatter_nd([0, 0, 0], [[2, 0]], [8, 9])
#=> [9, 0, 8]
```
",
    },
    Op {
        name: "one_hot",
        infix: None,
        args: &["indices", "on_value", "off_value"],
        attrs: &[AttrSpec::int("depth", 1), AttrSpec::int("axis", -1), AttrSpec::dtype("dtype")],
        relation: &ONE_HOT,
        kernel: Kernel::planned(one_hot_of),
        doc: "
On a new axis of `depth`, `on_value` at the place that each index names and `off_value` elsewhere.
```relay
def @f(%i: Tensor[(3), int32]) { one_hot(%i, 1f, 0f, depth=5) }
#                                ^? Tensor[(3, 5), float32]
one_hot([2, 0, 3], 1, 0, depth=3)
#=> [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
```
",
    },
    Op {
        name: "slice_like",
        infix: None,
        args: &["data", "shape_like"],
        attrs: &[AttrSpec::ints_or_none("axes")],
        relation: &SLICE_LIKE,
        kernel: Kernel::planned(slice_like_of),
        doc: "
The beginning of the axes in `axes`, or of all, as long as those of a second tensor.
```relay
def @f(%x: Tensor[(3, 4, 5), float32], %y: Tensor[(1, 2, 3), float32]) {
    slice_like(%x, %y, axes=[1, 2])
#   ^? Tensor[(3, 2, 3), float32]
}
slice_like([[1, 2, 3], [4, 5, 6]], [[0, 0]])
#=> [[1, 2]]
```
",
    },
    Op {
        name: "strided_slice",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("begin", AttrForm::Ints), AttrSpec::required("end", AttrForm::Ints), AttrSpec::ints("strides", &[]), AttrSpec::word("slice_mode", SLICE_MODES), AttrSpec::ints_or_none("axes")],
        relation: &STRIDED_SLICE,
        kernel: Kernel::planned(strided_slice_of),
        doc: "
A part of each axis, or of those in `axes`: from `begin` to before `end` in steps of `strides`. Negative positions count
from the end; with `slice_mode=\"size\"`, `end` is a length and -1 is the rest.
```relay
strided_slice([[1, 2, 3], [4, 5, 6], [7, 8, 9]], begin=[0, -2], end=[3, 3], strides=[2, 1])
#=> [[2, 3], [8, 9]]
```
",
    },
    Op {
        name: "strided_set",
        infix: None,
        args: &["data", "v", "begin", "end", "strides"],
        attrs: &[],
        relation: &STRIDED_SET,
        kernel: Kernel::planned(strided_set_of),
        doc: "
The data with the part that `strided_slice` would read replaced by `v`, which has that part's shape.
```relay
def @f(%x: Tensor[(4, 3), float32], %v: Tensor[(1, 3), float32]) {
    strided_set(%x, %v, [1, 0], [2, 3], [1, 1])
#   ^? Tensor[(4, 3), float32]
}
strided_set([0, 1, 2, 3, 4], [7, 8], [4], [0], [-2])
#=> [0, 1, 8, 3, 7]
```
",
    },
    Op {
        name: "unravel_index",
        infix: None,
        args: &["data", "shape"],
        attrs: &[],
        relation: &UNRAVEL_INDEX,
        kernel: Kernel::Whole(unravel_index_of),
        doc: "
The coordinates, one row for each axis, of positions in a tensor of that shape in one row.
```relay
def @f(%i: Tensor[(4), int32]) { unravel_index(%i, [7, 6, 5]) }
#                                ^? Tensor[(3, 4), int32]
unravel_index([22, 41, 37], [7, 6])
#=> [[3, 6, 6], [4, 5, 1]]
```
",
    },
    Op {
        name: "argwhere",
        infix: None,
        args: &["condition"],
        attrs: &[],
        relation: &ARGWHERE,
        kernel: Kernel::Whole(argwhere_of),
        doc: "
The coordinates of the elements that are not 0, one row for each. How many there are is known when the program runs.
```relay
def @f(%x: Tensor[(4, 5), bool]) { argwhere(%x) }
#                                  ^? Tensor[(?, 2), int32]
argwhere([[1, 0], [0, 2]])
#=> [[0, 0], [1, 1]]
```
",
    },
    Op {
        name: "sort",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int("axis", -1), AttrSpec::flag("is_ascend", true), AttrSpec::dtype("dtype")],
        relation: &SORT,
        kernel: Kernel::planned(sort_of),
        doc: "
The elements along `axis` in order. NaN is above every number, and -0 is 0.
```relay
def @f(%x: Tensor[(3, 8), float32]) { sort(%x, axis=0) }
#                                     ^? Tensor[(3, 8), float32]
sort([3f, 1f, 2f])
#=> [1f, 2f, 3f]
```
",
    },
    Op {
        name: "argsort",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int("axis", -1), AttrSpec::flag("is_ascend", true), AttrSpec::dtype("dtype")],
        relation: &ARGSORT,
        kernel: Kernel::planned(argsort_of),
        doc: "
The positions that put the elements along `axis` in order, as `int32` unless `dtype` says otherwise.
Equal elements keep their order, and NaN is above every number.
```relay
def @f(%x: Tensor[(3, 8), float32]) { argsort(%x, is_ascend=False) }
#                                     ^? Tensor[(3, 8), int32]
argsort([3, 1, 3, 2], is_ascend=False)
#=> [0, 2, 3, 1]
```
",
    },
    Op {
        name: "topk",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("k", AttrForm::Int), AttrSpec::int("axis", -1), AttrSpec::word("ret_type", RET_TYPES), AttrSpec::flag("is_ascend", false), AttrSpec::dtype("dtype")],
        relation: &TOPK,
        kernel: Kernel::planned(topk_of),
        doc: "
The `k` largest elements along `axis` and their positions, or either by `ret_type`; the smallest with `is_ascend`. A `k`
below 1 is all of them. Of equal elements the first comes first, and NaN is above every number.
```relay
def @f(%x: Tensor[(3, 8), float32]) { topk(%x, k=2) }
#                                     ^? (Tensor[(3, 2), float32], Tensor[(3, 2), int32])
topk([3, 1, 3, 2], k=2)
#=> ([3, 3], [0, 2])
```
",
    },
    Op {
        name: "searchsorted",
        infix: None,
        args: &["sorted_sequence", "values"],
        attrs: &[AttrSpec::flag("right", false), AttrSpec::dtype("dtype")],
        relation: &SEARCHSORTED,
        kernel: Kernel::Whole(searchsorted_of),
        doc: "
The position in a sorted sequence before which each value belongs, or behind its equals with `right`.
```relay
def @f(%x: Tensor[(10), float32], %y: Tensor[(3, 4), float32]) { searchsorted(%x, %y) }
#                                                                ^? Tensor[(3, 4), int32]
searchsorted([1, 3, 3, 5], [3, 6, 0])
#=> [1, 4, 0]
```
",
    },
    Op {
        name: "unique",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::flag("sorted", true), AttrSpec::flag("return_counts", false)],
        relation: &UNIQUE,
        kernel: Kernel::Whole(unique_of),
        doc: "
The distinct elements of a vector, where each stood first, which of them each element is, and how many they are; with
`return_counts` also how often each occurs. All but the number are as long as the data.
```relay
def @f(%x: Tensor[(6), int64]) { unique(%x) }
#                                ^? (Tensor[(6), int64], Tensor[(6), int32], Tensor[(6), int32], Tensor[(1), int32])
unique([3, 1, 3])
#=> ([1, 3, 0], [1, 0, 3], [1, 0, 1], [2])
```
",
    },
];
