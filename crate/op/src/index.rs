//! Operators that read, write and search by position.

use crate::rearrange::pick;
use crate::rule::index::{
    ADV_INDEX, ARGSORT, ARGWHERE, GATHER, GATHER_ND, ONE_HOT, SCATTER_ELEMENTS, SCATTER_ND, SEARCHSORTED, SLICE_LIKE,
    SORT, STRIDED_SET, STRIDED_SLICE, TOPK, UNIQUE, UNRAVEL_INDEX, sliced_places,
};
use crate::run::{Call, Fault, Kernel};
use crate::{AttrForm, AttrSpec, Op};
use ty::Value;

fn strided_slice_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let (mut elements, mut shape) = (x.elements().into_owned(), x.shape().to_vec());
    for (axis, places) in sliced_places(call.attrs, &shape.clone()) {
        elements = pick(&elements, &shape, axis, &places)?;
        shape[axis] = places.len();
    }
    call.one(elements)
}

pub const ROWS: &[Op] = &[
    Op {
        name: "adv_index",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &ADV_INDEX,
        kernel: Kernel::Missing,
        doc: "
The first of a tuple, indexed on its leading axes by the others, which broadcast; then the axes that are left.
```relay
def @f(%x: Tensor[(5, 10, 4), float32], %i: Tensor[(2, 3), int32], %j: Tensor[(3), int32]) {
    adv_index((%x, %i, %j))
#   ^? Tensor[(2, 3, 4), float32]
}
```
",
    },
    Op {
        name: "gather",
        infix: None,
        args: &["data", "indices"],
        attrs: &[AttrSpec::required("axis", AttrForm::Int)],
        relation: &GATHER,
        kernel: Kernel::Missing,
        doc: "
The elements that the indices name along `axis`; on the other axes each index stays in its place.
```relay
def @f(%x: Tensor[(3, 4), float32], %i: Tensor[(1, 4), int32]) { gather(%x, %i, axis=0) }
#                                                                ^? Tensor[(1, 4), float32]
```
",
    },
    Op {
        name: "gather_nd",
        infix: None,
        args: &["data", "indices"],
        attrs: &[AttrSpec::int("batch_dims", 0), AttrSpec::int_or_none("index_rank")],
        relation: &GATHER_ND,
        kernel: Kernel::Missing,
        doc: "
The elements, or parts with the axes that are left, which the columns of `indices` name: row `i` of the indices counts along
axis `i` of the data, behind `batch_dims` axes that both share.
```relay
def @f(%x: Tensor[(2, 3, 4), float32], %i: Tensor[(2, 5), int32]) { gather_nd(%x, %i) }
#                                                                   ^? Tensor[(5, 4), float32]
```
",
    },
    Op {
        name: "scatter_elements",
        infix: None,
        args: &["data", "indices", "updates"],
        attrs: &[AttrSpec::int("axis", 0), AttrSpec::str("reduction", "update")],
        relation: &SCATTER_ELEMENTS,
        kernel: Kernel::Missing,
        doc: "
The data with each update put in, or combined by `reduction`, where its index along `axis` says.
```relay
def @f(%x: Tensor[(4, 5), float32], %i: Tensor[(2, 5), int32], %y: Tensor[(2, 5), float32]) {
    scatter_elements(%x, %i, %y)
#   ^? Tensor[(4, 5), float32]
}
```
",
    },
    Op {
        name: "scatter_nd",
        infix: None,
        args: &["data", "indices", "updates"],
        attrs: &[AttrSpec::str("mode", "update")],
        relation: &SCATTER_ND,
        kernel: Kernel::Missing,
        doc: "
The data with the updates put in, or combined by `mode`, where `gather_nd` with these indices would read.
```relay
def @f(%x: Tensor[(3, 4), float32], %i: Tensor[(1, 2), int32], %y: Tensor[(2, 4), float32]) {
    scatter_nd(%x, %i, %y)
#   ^? Tensor[(3, 4), float32]
}
```
",
    },
    Op {
        name: "one_hot",
        infix: None,
        args: &["indices", "on_value", "off_value"],
        attrs: &[AttrSpec::int("depth", 1), AttrSpec::int("axis", -1), AttrSpec::dtype("dtype")],
        relation: &ONE_HOT,
        kernel: Kernel::Missing,
        doc: "
On a new axis of `depth`, `on_value` at the place that each index names and `off_value` elsewhere.
```relay
def @f(%i: Tensor[(3), int32]) { one_hot(%i, 1f, 0f, depth=5) }
#                                ^? Tensor[(3, 5), float32]
```
",
    },
    Op {
        name: "slice_like",
        infix: None,
        args: &["data", "shape_like"],
        attrs: &[AttrSpec::ints_or_none("axes")],
        relation: &SLICE_LIKE,
        kernel: Kernel::Missing,
        doc: "
The beginning of the axes in `axes`, or of all, as long as those of a second tensor.
```relay
def @f(%x: Tensor[(3, 4, 5), float32], %y: Tensor[(1, 2, 3), float32]) {
    slice_like(%x, %y, axes=[1, 2])
#   ^? Tensor[(3, 2, 3), float32]
}
```
",
    },
    Op {
        name: "strided_slice",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("begin", AttrForm::Ints), AttrSpec::required("end", AttrForm::Ints), AttrSpec::ints("strides", &[]), AttrSpec::str("slice_mode", "end"), AttrSpec::ints_or_none("axes")],
        relation: &STRIDED_SLICE,
        kernel: Kernel::Whole(strided_slice_of),
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
        kernel: Kernel::Missing,
        doc: "
The data with the part that `strided_slice` would read replaced by `v`.
```relay
def @f(%x: Tensor[(4, 3), float32], %v: Tensor[(1, 3), float32]) {
    strided_set(%x, %v, [1, 0], [2, 3], [1, 1])
#   ^? Tensor[(4, 3), float32]
}
```
",
    },
    Op {
        name: "unravel_index",
        infix: None,
        args: &["data", "shape"],
        attrs: &[],
        relation: &UNRAVEL_INDEX,
        kernel: Kernel::Missing,
        doc: "
The coordinates, one row for each axis, of positions in a tensor of that shape in one row.
```relay
def @f(%i: Tensor[(4), int32]) { unravel_index(%i, [7, 6, 5]) }
#                                ^? Tensor[(3, 4), int32]
```
",
    },
    Op {
        name: "argwhere",
        infix: None,
        args: &["condition"],
        attrs: &[],
        relation: &ARGWHERE,
        kernel: Kernel::Missing,
        doc: "
The coordinates of the elements that are not 0, one row for each. How many there are is known when the program runs.
```relay
def @f(%x: Tensor[(4, 5), bool]) { argwhere(%x) }
#                                  ^? Tensor[(?, 2), int32]
```
",
    },
    Op {
        name: "sort",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int("axis", -1), AttrSpec::flag("is_ascend", true), AttrSpec::dtype("dtype")],
        relation: &SORT,
        kernel: Kernel::Missing,
        doc: "
The elements along `axis` in order.
```relay
def @f(%x: Tensor[(3, 8), float32]) { sort(%x, axis=0) }
#                                     ^? Tensor[(3, 8), float32]
```
",
    },
    Op {
        name: "argsort",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int("axis", -1), AttrSpec::flag("is_ascend", true), AttrSpec::dtype("dtype")],
        relation: &ARGSORT,
        kernel: Kernel::Missing,
        doc: "
The positions that put the elements along `axis` in order, as `int32` unless `dtype` says otherwise.
```relay
def @f(%x: Tensor[(3, 8), float32]) { argsort(%x, is_ascend=False) }
#                                     ^? Tensor[(3, 8), int32]
```
",
    },
    Op {
        name: "topk",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("k", AttrForm::Int), AttrSpec::int("axis", -1), AttrSpec::str("ret_type", "both"), AttrSpec::flag("is_ascend", false), AttrSpec::dtype("dtype")],
        relation: &TOPK,
        kernel: Kernel::Missing,
        doc: "
The `k` largest elements along `axis` and their positions, or either by `ret_type`; the smallest with `is_ascend`. A `k`
below 1 is all of them.
```relay
def @f(%x: Tensor[(3, 8), float32]) { topk(%x, k=2) }
#                                     ^? (Tensor[(3, 2), float32], Tensor[(3, 2), int32])
```
",
    },
    Op {
        name: "searchsorted",
        infix: None,
        args: &["sorted_sequence", "values"],
        attrs: &[AttrSpec::flag("right", false), AttrSpec::dtype("dtype")],
        relation: &SEARCHSORTED,
        kernel: Kernel::Missing,
        doc: "
The position in a sorted sequence before which each value belongs, or behind its equals with `right`.
```relay
def @f(%x: Tensor[(10), float32], %y: Tensor[(3, 4), float32]) { searchsorted(%x, %y) }
#                                                                ^? Tensor[(3, 4), int32]
```
",
    },
    Op {
        name: "unique",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::flag("sorted", true), AttrSpec::flag("return_counts", false)],
        relation: &UNIQUE,
        kernel: Kernel::Missing,
        doc: "
The distinct elements of a vector, where each stood first, which of them each element is, and how many they are; with
`return_counts` also how often each occurs. All but the number are as long as the data.
```relay
def @f(%x: Tensor[(6), int64]) { unique(%x) }
#                                ^? (Tensor[(6), int64], Tensor[(6), int32], Tensor[(6), int32], Tensor[(1), int32])
```
",
    },
];
