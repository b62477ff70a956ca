//! Tensors from nothing, and changes of dtype.

use crate::rule::create::n_between;
use crate::rule::{ARANGE, CAST, FULL, INIT_OP};
use crate::run::{Call, Fault, Kernel, cast_arg, floats, ints, widen};
use crate::{AttrForm, AttrSpec, Op};
use base::MapArray;
use kernel::strided::count;
use ty::{Dtype, Elements, Scalar, Value};

fn repeated(call: &Call, value: f64) -> Result<Value, Fault> {
    let result = call.result(0)?;
    call.one(floats(result.dtype, std::iter::repeat_n(value, count(&result.shape))))
}

fn full(call: &Call) -> Result<Value, Fault> {
    let (value, result) = (call.tensor(0)?, call.result(0)?);
    let n = count(&result.shape);
    call.one(match cast_arg(&value, result.dtype) {
        Elements::Float(values) => Elements::Float(vec![values[0]; n]),
        Elements::Int(values) => Elements::Int(vec![values[0]; n]),
    })
}

fn cast(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    call.one(cast_arg(&x, result.dtype))
}

/// `n` numbers from `start`, each a `step` behind the one before.
pub(crate) fn counting(dtype: Dtype, start: Scalar, step: Scalar, n: usize) -> Elements {
    match (start, step) {
        (Scalar::Int(start), Scalar::Int(step)) => {
            ints(dtype, (0..n).map(|i| start.wrapping_add(step.wrapping_mul(i as i64))))
        }
        _ => {
            let [start, step] = [start, step].each(Scalar::as_float);
            floats(dtype, (0..n).map(|i| start + step * i as f64))
        }
    }
}

fn arange(call: &Call) -> Result<Value, Fault> {
    let dtype = call.result(0)?.dtype;
    let zero = Err(Fault::other("the step of `arange` is 0"));
    let [start, stop, step] = [call.tensor(0)?, call.tensor(1)?, call.tensor(2)?].each(|arg| arg.elements().get(0));
    let n = match (start, stop, step) {
        (_, _, Scalar::Float(0.0) | Scalar::Int(0)) => return zero,
        (Scalar::Int(start), Scalar::Int(stop), Scalar::Int(step)) => {
            n_between([start, stop, step].each(|bound| widen(dtype, bound))) as usize
        }
        _ => ((stop.as_float() - start.as_float()) / step.as_float()).ceil().max(0.0) as usize,
    };
    let elements = counting(dtype, start, step, n);
    // The length is known only here when the bounds are computed.
    let shape = vec![n];
    Ok(Value::tensor(ty::Tensor { dtype, shape, elements }))
}

pub const ROWS: &[Op] = &[
    Op {
        name: "zeros",
        infix: None,
        args: &[],
        attrs: &[AttrSpec::required("shape", AttrForm::Ints), AttrSpec::dtype("dtype")],
        relation: &INIT_OP,
        kernel: Kernel::planned(|call| repeated(call, 0.0)),
        doc: "
A tensor of zeros, `float32` unless `dtype` says otherwise.
```relay
zeros(shape=[2], dtype=\"int32\")
#=> [0, 0]
```
",
    },
    Op {
        name: "ones",
        infix: None,
        args: &[],
        attrs: &[AttrSpec::required("shape", AttrForm::Ints), AttrSpec::dtype("dtype")],
        relation: &INIT_OP,
        kernel: Kernel::planned(|call| repeated(call, 1.0)),
        doc: "
A tensor of ones, `float32` unless `dtype` says otherwise.
```relay
ones(shape=[2, 2])
#=> [[1f, 1f], [1f, 1f]]
```
",
    },
    Op {
        name: "full",
        infix: None,
        args: &["fill_value"],
        attrs: &[AttrSpec::required("shape", AttrForm::Ints), AttrSpec::dtype("dtype")],
        relation: &FULL,
        kernel: Kernel::planned(full),
        doc: "
A tensor with one scalar everywhere, of its dtype unless `dtype` says otherwise.
```relay
full(2.5f, shape=[3])
#=> [2.5f, 2.5f, 2.5f]
```
",
    },
    Op {
        name: "cast",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("dtype", AttrForm::Dtype)],
        relation: &CAST,
        kernel: Kernel::planned(cast),
        doc: "
The same numbers in another dtype. Floats are cut off towards zero; what does not fit wraps round.
```relay
cast([1.9f, -1.9f], dtype=\"int32\")
#=> [1, -1]
```
",
    },
    Op {
        name: "arange",
        infix: None,
        args: &["start", "stop", "step"],
        attrs: &[
            AttrSpec::argument("start", 0),
            AttrSpec::argument("stop", 1),
            AttrSpec::argument("step", 2),
            AttrSpec::dtype("dtype"),
        ],
        relation: &ARANGE,
        kernel: Kernel::Whole(arange),
        doc: "
The numbers from `start` to below `stop`, `step` apart. Their number is part of the type when all three are literals.
```relay
arange(0f, 5f, 2f)
#=> [0f, 2f, 4f]
```
",
    },
];
