//! Matrix products and biases.

use crate::rule::{BATCH_MATMUL, BIAS_ADD, DENSE};
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

fn bias_add(call: &Call) -> Result<Value, Fault> {
    let (x, bias, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let rank = x.shape().len();
    let axis = call.axis("axis", 1, rank);
    let mut shape = vec![1; rank];
    shape[axis] = bias.shape().first().copied().ok_or(Fault::IllTyped)?;
    if shape[axis] != x.shape()[axis] {
        let (found, want) = (shape[axis], x.shape()[axis]);
        return Err(Fault::Other(format!("a bias of {found} does not fit an axis of {want}").into()));
    }
    call.one(match x.dtype().is_float() {
        true => {
            let (x_values, bias) = (x.floats(), bias.floats());
            let sum = map2(View::new(&x_values, x.shape()), View::new(&bias, &shape), x.shape(), |x, b| x + b);
            floats(result.dtype, sum.into_iter())
        }
        false => {
            let (x_values, bias) = (x.ints(), bias.ints());
            let sum = map2(View::new(&x_values, x.shape()), View::new(&bias, &shape), x.shape(), |x, b| x + b);
            ints(result.dtype, sum.into_iter())
        }
    })
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
        attrs: &[AttrSpec::dtype("out_dtype"), AttrSpec::flag("transpose_a", false), AttrSpec::flag("transpose_b", false)],
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
];
