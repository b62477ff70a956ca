//! Matrix products and biases.

use crate::rule::{BATCH_MATMUL, BIAS_ADD, DENSE, PRELU};
use crate::run::{Call, Fault, Kernel, floats, ints};
use crate::{AttrSpec, Op};
use kernel::linear::{Operand, Order, batch_matmul, dense as dense_kernel};
use kernel::strided::{View, map2};
use ty::Value;

fn dense(call: &Call) -> Result<Value, Fault> {
    let (x, w, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let (Some((&k, rows)), [n, l]) = (x.shape().split_last(), w.shape()) else { return Err(Fault::IllTyped) };
    if k != *l {
        return Err(Fault::Other(format!("the inner sizes {k} and {l} differ").into()));
    }
    let sizes = [rows.iter().product(), k, *n];
    call.one(match x.dtype().is_float() {
        true => floats(result.dtype, dense_kernel(&x.floats(), &w.floats(), sizes).into_iter()),
        false => ints(result.dtype, dense_kernel(&x.ints(), &w.ints(), sizes).into_iter()),
    })
}

fn batch_matmul_of(call: &Call) -> Result<Value, Fault> {
    let (a, b, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let order = |flag| if call.attrs.flag(flag) { Order::Transposed } else { Order::Plain };
    let (order_a, order_b) = (order("transpose_a"), order("transpose_b"));
    let (&[batch_a, a1, a2], &[batch_b, b1, b2]) = (a.shape(), b.shape()) else { return Err(Fault::IllTyped) };
    let (m, k) = if order_a == Order::Plain { (a1, a2) } else { (a2, a1) };
    let (l, n) = if order_b == Order::Plain { (b1, b2) } else { (b2, b1) };
    if k != l || (batch_a != batch_b && batch_a != 1 && batch_b != 1) {
        return Err(Fault::Other(format!("{:?} and {:?} do not multiply", a.shape(), b.shape()).into()));
    }
    call.one(match a.dtype().is_float() {
        true => {
            let (a, b) = (a.floats(), b.floats());
            let a = Operand { data: &a, batch: batch_a, order: order_a };
            let b = Operand { data: &b, batch: batch_b, order: order_b };
            floats(result.dtype, batch_matmul(a, b, [m, k, n]).into_iter())
        }
        false => {
            let (a, b) = (a.ints(), b.ints());
            let a = Operand { data: &a, batch: batch_a, order: order_a };
            let b = Operand { data: &b, batch: batch_b, order: order_b };
            ints(result.dtype, batch_matmul(a, b, [m, k, n]).into_iter())
        }
    })
}

/// Combines the data with a vector along `axis`.
fn along_axis(call: &Call, float: impl Fn(f64, f64) -> f64, int: impl Fn(i128, i128) -> i128) -> Result<Value, Fault> {
    let (x, vector, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let rank = x.shape().len();
    let axis = call.axis("axis", 1, rank);
    let mut shape = vec![1; rank];
    shape[axis] = vector.shape().first().copied().ok_or(Fault::IllTyped)?;
    if shape[axis] != x.shape()[axis] {
        let (found, want) = (shape[axis], x.shape()[axis]);
        return Err(Fault::Other(format!("a vector of {found} does not fit an axis of {want}").into()));
    }
    call.one(match x.dtype().is_float() {
        true => {
            let (data, vector) = (x.floats(), vector.floats());
            let combined = map2(View::new(&data, x.shape()), View::new(&vector, &shape), x.shape(), float);
            floats(result.dtype, combined.into_iter())
        }
        false => {
            let (data, vector) = (x.ints(), vector.ints());
            let combined = map2(View::new(&data, x.shape()), View::new(&vector, &shape), x.shape(), int);
            ints(result.dtype, combined.into_iter())
        }
    })
}

fn bias_add(call: &Call) -> Result<Value, Fault> {
    along_axis(call, |x, bias| x + bias, |x, bias| x + bias)
}

fn prelu(call: &Call) -> Result<Value, Fault> {
    along_axis(call, |x, slope| if x < 0.0 { x * slope } else { x }, |x, slope| if x < 0 { x * slope } else { x })
}

pub const ROWS: &[Op] = &[
    Op {
        name: "nn.dense",
        infix: None,
        args: &["data", "weight"],
        attrs: &[AttrSpec::int_or_none("units"), AttrSpec::dtype("out_dtype")],
        relation: &DENSE,
        kernel: Kernel::Whole(dense),
        doc: "
The last axis of the data times the transposed weight: `[…, k] × [units, k] → […, units]`. With `units` the weight's
type follows from the data's.
```relay
nn.dense([[1f, 2f]], [[3f, 4f], [5f, 6f], [7f, 8f]])
#=> [[11f, 17f, 23f]]
```
",
    },
    Op {
        name: "nn.batch_matmul",
        infix: None,
        args: &["tensor_a", "tensor_b"],
        attrs: &[
            AttrSpec::dtype("out_dtype"),
            AttrSpec::flag("transpose_a", false),
            AttrSpec::flag("transpose_b", false),
        ],
        relation: &BATCH_MATMUL,
        kernel: Kernel::Whole(batch_matmul_of),
        doc: "
Matrix products, one per batch: `[b, m, k] × [b, k, n] → [b, m, n]`. A batch of 1 serves all of the other side.
```relay
nn.batch_matmul([[[1f, 2f]]], [[[3f], [4f]]])
#=> [[[11f]]]
```
",
    },
    Op {
        name: "nn.bias_add",
        infix: None,
        args: &["data", "bias"],
        attrs: &[AttrSpec::int("axis", 1)],
        relation: &BIAS_ADD,
        kernel: Kernel::Whole(bias_add),
        doc: "
Adds a vector along `axis`.
```relay
nn.bias_add([[1f, 2f], [3f, 4f]], [10f, 20f])
#=> [[11f, 22f], [13f, 24f]]
```
",
    },
    Op {
        name: "nn.prelu",
        infix: None,
        args: &["data", "alpha"],
        attrs: &[AttrSpec::int("axis", 1)],
        relation: &PRELU,
        kernel: Kernel::Whole(prelu),
        doc: "
Negative elements times a slope, one for each place along `axis`.
```relay
nn.prelu([[-1f, 2f], [3f, -4f]], [0.5f, 0.25f])
#=> [[-0.5f, 2f], [3f, -1f]]
```
",
    },
];
