//! Reductions: some axes are folded away.

use crate::rule::{ARG_REDUCE, REDUCE, VARIANCE, reduced_axes};
use crate::run::{Call, Fault, Kernel, WellTyped, floats, ints};
use crate::{AttrSpec, Op};
use base::ToList;
use kernel::number::Number;
use kernel::reduce::{Estimate, Tie, arg_reduce, fold, greater_or_nan, less_or_nan, variance};
use kernel::scalar::float;
use kernel::strided::{View, count};
use ty::{Dtype, Elements, Value};

const AXES: &[AttrSpec] =
    &[AttrSpec::ints_or_none("axis"), AttrSpec::flag("keepdims", false), AttrSpec::flag("exclude", false)];

const ARG_AXES: &[AttrSpec] = &[
    AttrSpec::ints_or_none("axis"),
    AttrSpec::flag("keepdims", false),
    AttrSpec::flag("select_last_index", false),
    AttrSpec::flag("exclude", false),
];

fn axes_of(call: &Call, rank: usize) -> Result<Vec<usize>, Fault> {
    let reduced = reduced_axes(call.attrs, rank).map_err(|_| Fault::ill_typed())?;
    Ok((0..rank).filter(|&axis| reduced[axis]).list())
}

/// How a reduction goes over floats and over integers; of no elements it answers `init`.
#[derive(Clone, Copy)]
pub(crate) struct Folding {
    pub init: (f64, i128),
    pub float: fn(f64, f64) -> f64,
    pub int: fn(i128, i128) -> i128,
}

/// The folding of a row, for elements of this dtype; that of `mean` has yet to be divided.
pub(crate) fn folding(name: &str, dtype: Dtype) -> Option<Folding> {
    let (low, high) = dtype.int_range().unwrap_or((0, 0));
    Some(match name {
        "sum" | "mean" => Folding { init: (0.0, 0), float: float::add, int: i128::wrapping_add },
        "prod" => Folding {
            init: (1.0, 1),
            float: float::multiply,
            int: |product, x| i128::from((product as i64).wrapping_mul(x as i64)),
        },
        "max" => Folding { init: (f64::NEG_INFINITY, low), float: float::maximum, int: i128::max },
        "min" => Folding { init: (f64::INFINITY, high), float: float::minimum, int: i128::min },
        "all" => Folding {
            init: (1.0, 1),
            float: |all, x| f64::from(all != 0.0 && x != 0.0),
            int: |all, x| i128::from(all != 0 && x != 0),
        },
        "any" => Folding {
            init: (0.0, 0),
            float: |any, x| f64::from(any != 0.0 || x != 0.0),
            int: |any, x| i128::from(any != 0 || x != 0),
        },
        _ => return None,
    })
}

/// Folds floats and integers alike.
fn reduce(call: &Call, name: &str) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let axes = axes_of(call, x.shape().len())?;
    let Folding { init, float, int } = folding(name, result.dtype).well_typed()?;
    let elements = match &*x.elements() {
        Elements::Float(values) => {
            floats(result.dtype, fold(View::new(values, x.shape()), &axes, init.0, float).into_iter())
        }
        Elements::Int(_) => {
            let folded = fold(View::new(&x.wide_ints(), x.shape()), &axes, init.1, int);
            ints(result.dtype, folded.into_iter().map(|folded| folded as i64))
        }
    };
    call.one(elements)
}

fn sum(call: &Call) -> Result<Value, Fault> {
    reduce(call, "sum")
}

fn prod(call: &Call) -> Result<Value, Fault> {
    reduce(call, "prod")
}

fn max(call: &Call) -> Result<Value, Fault> {
    reduce(call, "max")
}

fn min(call: &Call) -> Result<Value, Fault> {
    reduce(call, "min")
}

fn all(call: &Call) -> Result<Value, Fault> {
    reduce(call, "all")
}

fn any(call: &Call) -> Result<Value, Fault> {
    reduce(call, "any")
}

/// The smallest integer of the result's dtype: the maximum of nothing.
pub(crate) fn lowest(call: &Call) -> i128 {
    call.results.first().and_then(|result| result.dtype.int_range()).map_or(0, |(low, _)| low)
}

fn mean(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let axes = axes_of(call, x.shape().len())?;
    let n: usize = axes.iter().map(|&axis| x.shape()[axis]).product();
    let elements = match &*x.elements() {
        Elements::Float(values) => {
            let sums = fold(View::new(values, x.shape()), &axes, 0.0, float::add);
            floats(result.dtype, sums.into_iter().map(|sum| sum / n as f64))
        }
        Elements::Int(_) => {
            let sums = fold(View::new(&x.wide_ints(), x.shape()), &axes, 0, |sum: i128, x| sum.add(x));
            ints(result.dtype, sums.into_iter().map(|sum| sum.divide_by(n.max(1)) as i64))
        }
    };
    call.one(elements)
}

pub(crate) const NO_POSITION: &str = "there is no position in an axis of size 0";

fn position(call: &Call, float: fn(f64, f64) -> bool, int: fn(i128, i128) -> bool) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let axes = axes_of(call, x.shape().len())?;
    if axes.iter().any(|&axis| x.shape()[axis] == 0) && count(&call.result(0)?.shape) > 0 {
        return Err(Fault::other(NO_POSITION));
    }
    let tie = if call.attrs.flag("select_last_index") { Tie::Last } else { Tie::First };
    let positions = match &*x.elements() {
        Elements::Float(values) => arg_reduce(View::new(values, x.shape()), &axes, float, tie),
        Elements::Int(_) => arg_reduce(View::new(&x.wide_ints(), x.shape()), &axes, int, tie),
    };
    call.one(Elements::Int(positions))
}

fn argmax(call: &Call) -> Result<Value, Fault> {
    position(call, greater_or_nan, |a, b| a > b)
}

fn argmin(call: &Call) -> Result<Value, Fault> {
    position(call, less_or_nan, |a, b| a < b)
}

fn variance_of(call: &Call) -> Result<Value, Fault> {
    let (x, mean, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let axes = axes_of(call, x.shape().len())?;
    let mut kept = x.shape().to_vec();
    axes.iter().for_each(|&axis| kept[axis] = 1);
    if mean.shape() != kept {
        return Err(Fault::other("the mean must keep the reduced axes with size 1"));
    }
    let estimate = if call.attrs.flag("unbiased") { Estimate::Sample } else { Estimate::Population };
    let variances = variance(View::new(&x.floats(), x.shape()), &mean.floats(), &axes, estimate);
    call.one(floats(result.dtype, variances.into_iter()))
}

pub const ROWS: &[Op] = &[
    Op {
        name: "all",
        infix: None,
        args: &["data"],
        attrs: AXES,
        relation: &REDUCE,
        kernel: Kernel::planned(all),
        doc: "
Whether every element is true. Over the axes in `axis` (all of them when it is `None`), or over the others with
`exclude`; `keepdims` leaves each reduced axis with size 1.
```relay
all([[True, False], [True, True]], axis=[1])
#=> [False, True]
```
",
    },
    Op {
        name: "any",
        infix: None,
        args: &["data"],
        attrs: AXES,
        relation: &REDUCE,
        kernel: Kernel::planned(any),
        doc: "
Whether some element is true. Over the axes in `axis` (all of them when it is `None`), or over the others with
`exclude`; `keepdims` leaves each reduced axis with size 1.
```relay
any([[True, False], [False, False]], axis=[1])
#=> [True, False]
```
",
    },
    Op {
        name: "max",
        infix: None,
        args: &["data"],
        attrs: AXES,
        relation: &REDUCE,
        kernel: Kernel::planned(max),
        doc: "
The largest element; of no elements, the smallest number there is. Over the axes in `axis` (all of them when it is `None`), or over the others with
`exclude`; `keepdims` leaves each reduced axis with size 1.
```relay
max([[1f, 5f], [7f, 3f]], axis=[0])
#=> [7f, 5f]
```
",
    },
    Op {
        name: "mean",
        infix: None,
        args: &["data"],
        attrs: AXES,
        relation: &REDUCE,
        kernel: Kernel::planned(mean),
        doc: "
The mean; integers are divided towards zero. Over the axes in `axis` (all of them when it is `None`), or over the others with
`exclude`; `keepdims` leaves each reduced axis with size 1.
```relay
mean([[1f, 2f], [3f, 4f]], axis=[1], keepdims=True)
#=> [[1.5f], [3.5f]]
```
",
    },
    Op {
        name: "min",
        infix: None,
        args: &["data"],
        attrs: AXES,
        relation: &REDUCE,
        kernel: Kernel::planned(min),
        doc: "
The smallest element; of no elements, the largest number there is. Over the axes in `axis` (all of them when it is `None`), or over the others with
`exclude`; `keepdims` leaves each reduced axis with size 1.
```relay
min([[1f, 5f], [7f, 3f]])
#=> 1f
```
",
    },
    Op {
        name: "prod",
        infix: None,
        args: &["data"],
        attrs: AXES,
        relation: &REDUCE,
        kernel: Kernel::planned(prod),
        doc: "
The product. Over the axes in `axis` (all of them when it is `None`), or over the others with
`exclude`; `keepdims` leaves each reduced axis with size 1.
```relay
prod([[1f, 2f], [3f, 4f]], axis=[-1])
#=> [2f, 12f]
```
",
    },
    Op {
        name: "sum",
        infix: None,
        args: &["data"],
        attrs: AXES,
        relation: &REDUCE,
        kernel: Kernel::planned(sum),
        doc: "
The sum. Over the axes in `axis` (all of them when it is `None`), or over the others with
`exclude`; `keepdims` leaves each reduced axis with size 1.
```relay
sum([[1f, 2f], [3f, 4f]], axis=[0])
#=> [4f, 6f]
```
",
    },
    Op {
        name: "argmax",
        infix: None,
        args: &["data"],
        attrs: ARG_AXES,
        relation: &ARG_REDUCE,
        kernel: Kernel::planned(argmax),
        doc: "
The position of the largest element, the first of several unless `select_last_index`.
```relay
argmax([[1f, 5f], [7f, 3f]], axis=[1])
#=> [1, 0]
```
",
    },
    Op {
        name: "argmin",
        infix: None,
        args: &["data"],
        attrs: ARG_AXES,
        relation: &ARG_REDUCE,
        kernel: Kernel::planned(argmin),
        doc: "
The position of the smallest element, the first of several unless `select_last_index`.
```relay
argmin([[1f, 5f], [7f, 3f]], axis=[1])
#=> [0, 1]
```
",
    },
    Op {
        name: "variance",
        infix: None,
        args: &["data", "mean"],
        attrs: &[
            AttrSpec::ints_or_none("axis"),
            AttrSpec::flag("keepdims", false),
            AttrSpec::flag("exclude", false),
            AttrSpec::flag("unbiased", false),
        ],
        relation: &VARIANCE,
        kernel: Kernel::Whole(variance_of),
        doc: "
The mean squared distance from a mean that was computed before, over `axis`. With `unbiased` the sum is divided
by one less than the number of elements.
```relay
let %x = [[1f, 2f, 3f]];
variance(%x, mean(%x, axis=[1], keepdims=True), axis=[1])
#=> [0.6666667f]
```
",
    },
];
