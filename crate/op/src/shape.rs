//! Operators that move elements and change none.

use crate::rule::{
    BATCH_FLATTEN, BROADCAST_TO, CONCATENATE, EXPAND_DIMS, RESHAPE, SPLIT, SQUEEZE, TAKE, TRANSPOSE, WHERE,
};
use crate::run::{Call, Fault, Kernel, WellTyped, as_tensor};
use crate::{AttrForm, AttrSpec, Op};
use base::ToList;
use kernel::shape::{OutOfRange, broadcast_to, concatenate, select, split, take, transpose};
use kernel::strided::View;
use ty::{Elements, Fields, Value};

/// The data with the result's shape.
fn same_elements(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    call.one(x.elements().into_owned())
}

fn transpose_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let rank = x.shape().len();
    let axes: Vec<usize> = match call.attrs.ints("axes").filter(|axes| !axes.is_empty()) {
        Some(axes) => axes.into_iter().map(|axis| (axis + if axis < 0 { rank as i64 } else { 0 }) as usize).list(),
        None => (0..rank).rev().list(),
    };
    call.one(match &*x.elements() {
        Elements::Float(values) => Elements::Float(transpose(View::new(values, x.shape()), &axes)),
        Elements::Int(values) => Elements::Int(transpose(View::new(values, x.shape()), &axes)),
    })
}

fn concatenate_of(call: &Call) -> Result<Value, Fault> {
    let Some(Value::Tuple(fields)) = call.args.first() else { return Err(Fault::ill_typed()) };
    let parts = fields.iter().map(as_tensor).ok_list()?;
    let axis = call.axis("axis", 0, parts.first().well_typed()?.shape().len());
    let owned: Vec<_> = parts.iter().map(|part| part.elements()).list();
    let mut floats: Vec<View<f64>> = Vec::new();
    let mut ints: Vec<View<i64>> = Vec::new();
    for (part, elements) in parts.iter().zip(&owned) {
        match &**elements {
            Elements::Float(values) => floats.push(View::new(values, part.shape())),
            Elements::Int(values) => ints.push(View::new(values, part.shape())),
        }
    }
    call.one(match ints.is_empty() {
        true => Elements::Float(concatenate(&floats, axis)),
        false => Elements::Int(concatenate(&ints, axis)),
    })
}

fn split_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let axis = call.axis("axis", 0, x.shape().len());
    let sizes = call.results.iter().map(|result| result.shape[axis]);
    let mut cuts: Vec<usize> = sizes
        .scan(0, |at, size| {
            Some({
                *at += size;
                *at
            })
        })
        .list();
    cuts.pop();
    let pieces: Vec<Elements> = match &*x.elements() {
        Elements::Float(values) => {
            split(View::new(values, x.shape()), axis, &cuts).into_iter().map(Elements::Float).list()
        }
        Elements::Int(values) => split(View::new(values, x.shape()), axis, &cuts).into_iter().map(Elements::Int).list(),
    };
    let values = pieces.into_iter().enumerate().map(|(i, piece)| call.value(i, piece));
    Ok(Value::Tuple(Fields::new(values.ok_list()?)))
}

fn broadcast_to_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    call.one(match &*x.elements() {
        Elements::Float(values) => Elements::Float(broadcast_to(View::new(values, x.shape()), &result.shape)),
        Elements::Int(values) => Elements::Int(broadcast_to(View::new(values, x.shape()), &result.shape)),
    })
}

fn take_of(call: &Call) -> Result<Value, Fault> {
    let (x, indices) = (call.tensor(0)?, call.tensor(1)?);
    let Elements::Int(index_values) = indices.elements().into_owned() else { return Err(Fault::ill_typed()) };
    let rank = x.shape().len();
    let axis = call.attrs.int("axis").map(|_| call.axis("axis", 0, rank));
    let batch = call.attrs.int("batch_dims").unwrap_or(0);
    let batch = (batch + if batch < 0 { indices.shape().len() as i64 } else { 0 }) as usize;
    let mode = match call.attrs.str("mode") {
        "wrap" => OutOfRange::Wrap,
        "error" | "fast" => OutOfRange::Error,
        _ => OutOfRange::Clip,
    };
    let index_view = View::new(&index_values, indices.shape());
    let taken = match &*x.elements() {
        Elements::Float(values) => {
            take(View::new(values, x.shape()), index_view, axis, batch, mode).map(Elements::Float)
        }
        Elements::Int(values) => take(View::new(values, x.shape()), index_view, axis, batch, mode).map(Elements::Int),
    };
    call.one(taken.map_err(Fault::index)?)
}

fn where_of(call: &Call) -> Result<Value, Fault> {
    let (condition, x, y, result) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?, call.result(0)?);
    let truth: Vec<i64> = condition.floats().into_iter().map(|value| i64::from(value != 0.0)).list();
    let truth = View::new(&truth, condition.shape());
    call.one(match (&*x.elements(), &*y.elements()) {
        (Elements::Float(a), Elements::Float(b)) => {
            Elements::Float(select(truth, View::new(a, x.shape()), View::new(b, y.shape()), &result.shape))
        }
        (Elements::Int(a), Elements::Int(b)) => {
            Elements::Int(select(truth, View::new(a, x.shape()), View::new(b, y.shape()), &result.shape))
        }
        _ => return Err(Fault::ill_typed()),
    })
}

pub const ROWS: &[Op] = &[
    Op {
        name: "reshape",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("newshape", AttrForm::Ints), AttrSpec::flag("allowzero", false)],
        relation: &RESHAPE,
        kernel: Kernel::planned(same_elements),
        doc: "
The same elements in another shape. In `newshape`, 0 copies an axis, -1 is inferred, -2 copies all the rest, -3 merges
two axes and -4 splits one into the next two sizes.
```relay
reshape([[1, 2, 3], [4, 5, 6]], newshape=[-1, 2])
#=> [[1, 2], [3, 4], [5, 6]]
```
",
    },
    Op {
        name: "transpose",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::ints_or_none("axes")],
        relation: &TRANSPOSE,
        kernel: Kernel::planned(transpose_of),
        doc: "
Axis `i` of the result is axis `axes[i]` of the data; without `axes` their order is reversed.
```relay
transpose([[1, 2, 3], [4, 5, 6]])
#=> [[1, 4], [2, 5], [3, 6]]
```
",
    },
    Op {
        name: "concatenate",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int("axis", 0)],
        relation: &CONCATENATE,
        kernel: Kernel::planned(concatenate_of),
        doc: "
The tensors of a tuple one after the other along `axis`.
```relay
concatenate(([[1], [2]], [[3], [4]]), axis=1)
#=> [[1, 3], [2, 4]]
```
",
    },
    Op {
        name: "split",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("indices_or_sections", AttrForm::Ints), AttrSpec::int("axis", 0)],
        relation: &SPLIT,
        kernel: Kernel::Whole(split_of),
        doc: "
A tuple of parts of an axis: that many equal ones, or those between the cut points of a list.
```relay
split([1, 2, 3, 4], indices_or_sections=[1])
#=> ([1], [2, 3, 4])
```
",
    },
    Op {
        name: "squeeze",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::ints_or_none("axis")],
        relation: &SQUEEZE,
        kernel: Kernel::planned(same_elements),
        doc: "
Drops axes of size 1: those in `axis`, or all of them.
```relay
squeeze([[[1], [2]]])
#=> [1, 2]
```
",
    },
    Op {
        name: "expand_dims",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("axis", AttrForm::Int), AttrSpec::int("num_newaxis", 1)],
        relation: &EXPAND_DIMS,
        kernel: Kernel::planned(same_elements),
        doc: "
Inserts axes of size 1 before `axis`.
```relay
expand_dims([1, 2], axis=1)
#=> [[1], [2]]
```
",
    },
    Op {
        name: "broadcast_to",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("shape", AttrForm::Ints), AttrSpec::dtype("dtype")],
        relation: &BROADCAST_TO,
        kernel: Kernel::planned(broadcast_to_of),
        doc: "
Repeats axes of size 1 until the shape is `shape`.
```relay
broadcast_to([1, 2], shape=[2, 2])
#=> [[1, 2], [1, 2]]
```
",
    },
    Op {
        name: "take",
        infix: None,
        args: &["data", "indices"],
        attrs: &[
            AttrSpec::int("batch_dims", 0),
            AttrSpec::int_or_none("axis"),
            AttrSpec::word("mode", &["clip", "wrap", "fast", "error"]),
        ],
        relation: &TAKE,
        kernel: Kernel::Whole(take_of),
        doc: "
The elements of `axis` that the indices name; without an axis, of the data in one row. An index out of range is the
nearest one (`mode=\"clip\"`), wraps round (`\"wrap\"`) or stops the run (`\"error\"`, `\"fast\"`).
```relay
take([[1, 2], [3, 4]], [1, 1, 0], axis=0)
#=> [[3, 4], [3, 4], [1, 2]]
```
",
    },
    Op {
        name: "where",
        infix: None,
        args: &["condition", "x", "y"],
        attrs: &[],
        relation: &WHERE,
        kernel: Kernel::Whole(where_of),
        doc: "
`x` where the condition holds, `y` elsewhere; all three broadcast.
```relay
where([True, False], [1, 2], 0)
#=> [1, 0]
```
",
    },
    Op {
        name: "nn.batch_flatten",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &BATCH_FLATTEN,
        kernel: Kernel::planned(same_elements),
        doc: "
Every axis but the first becomes one.
```relay
nn.batch_flatten([[[1, 2], [3, 4]]])
#=> [[1, 2, 3, 4]]
```
",
    },
];
