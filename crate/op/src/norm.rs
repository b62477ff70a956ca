//! Normalisation.

use crate::engine::on_values;
use crate::rule::{BATCH_NORM, DROPOUT, NORMAL_DATA, SOFTMAX};
use crate::run::{Call, Fault, Kernel, floats};
use crate::{AttrSpec, Op};
use kernel::normal::{BatchNorm, batch_norm, log_softmax, softmax as softmax_kernel};
use kernel::strided::View;
use ty::{Fields, Value};

pub(crate) fn softmax(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let axis = call.axis("axis", -1, x.shape().len());
    call.one(floats(result.dtype, softmax_kernel(View::new(&x.floats(), x.shape()), axis).into_iter()))
}

fn log_softmax_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let axis = call.axis("axis", -1, x.shape().len());
    call.one(floats(result.dtype, log_softmax(View::new(&x.floats(), x.shape()), axis).into_iter()))
}

fn dropout(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let ones = floats(x.dtype(), std::iter::repeat_n(1.0, x.elements().len()));
    let mask = call.value(1, ones)?;
    Ok(Value::Tuple(Fields::new(vec![call.args[0].clone(), mask])))
}

fn batch_norm_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let axis = call.axis("axis", 1, x.shape().len());
    let vector = |operand: usize| call.tensor(operand).map(|arg| arg.floats());
    let (gamma, beta, mean, variance) = (vector(1)?, vector(2)?, vector(3)?, vector(4)?);
    if [&gamma, &beta, &mean, &variance].iter().any(|vector| vector.len() != x.shape()[axis]) {
        return Err(Fault::other(format!("every vector must have the {} elements of the axis", x.shape()[axis])));
    }
    // Where there is a body, it is the meaning for all that run programs.
    let first = Call { results: &call.results[..1], ..*call };
    if let Some(normal) = on_values("nn.batch_norm", &first) {
        return Ok(Value::Tuple(Fields::new(vec![normal?, call.args[3].clone(), call.args[4].clone()])));
    }
    let parameters = BatchNorm {
        gamma: call.attrs.flag("scale").then_some(&gamma),
        beta: call.attrs.flag("center").then_some(&beta),
        mean: &mean,
        variance: &variance,
        epsilon: call.attrs.float("epsilon"),
    };
    let normal = batch_norm(View::new(&x.floats(), x.shape()), axis, &parameters);
    let normal = call.value(0, floats(result.dtype, normal.into_iter()))?;
    Ok(Value::Tuple(Fields::new(vec![normal, call.args[3].clone(), call.args[4].clone()])))
}

pub const ROWS: &[Op] = &[
    Op {
        name: "nn.softmax",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int("axis", -1)],
        relation: &SOFTMAX,
        kernel: Kernel::planned(softmax),
        doc: "
exp(x) divided by its sum along `axis`.
```relay
nn.softmax([[0f, 0f], [1f, 3f]])
#=> [[0.5f, 0.5f], [0.11920291f, 0.880797f]]
```
",
    },
    Op {
        name: "nn.log_softmax",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int("axis", -1)],
        relation: &SOFTMAX,
        kernel: Kernel::planned(log_softmax_of),
        doc: "
The logarithm of the softmax along `axis`.
```relay
nn.log_softmax([[0f, 0f], [1f, 3f]])
#=> [[-0.6931472f, -0.6931472f], [-2.126928f, -0.12692805f]]
```
",
    },
    Op {
        name: "nn.dropout",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::float("rate", 0.5)],
        relation: &DROPOUT,
        kernel: Kernel::planned(dropout),
        doc: "
In training, sets elements to zero at random. Here, as in inference, it changes nothing: the result is the data and
a mask of ones.
```relay
nn.dropout([1f, 2f]).0
#=> [1f, 2f]
```
",
    },
    Op {
        doc: "
(data - mean) / sqrt(variance + epsilon) · gamma + beta, each a vector along `axis`; the result is a tuple with the
mean and the variance.
```relay
nn.batch_norm([[1f, 2f]], [1f, 2f], [0f, 1f], [1f, 0f], [4f, 4f], epsilon=0f).0
#=> [[0f, 3f]]
```
",
        relation: &BATCH_NORM,
        ..BATCH
    },
];

const BATCH: Op = Op {
    name: "nn.batch_norm",
    infix: None,
    args: &["data", "gamma", "beta", "moving_mean", "moving_var"],
    attrs: &[
        AttrSpec::int("axis", 1),
        AttrSpec::float("epsilon", 1e-5),
        AttrSpec::flag("center", true),
        AttrSpec::flag("scale", true),
    ],
    relation: &NORMAL_DATA,
    kernel: Kernel::planned(batch_norm_of),
    doc: "",
};

/// `nn.batch_norm` where nobody asks for the mean and the variance: its result is the normalised data, and no tuple.
pub(crate) static NORMAL: Op = BATCH;
