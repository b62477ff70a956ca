//! Matrix products, and what goes with a vector along an axis.

use crate::conv::layout::operand;
use crate::conv::window::{numbers, rounded};
use crate::engine::{Single, sums};
use crate::rule::{BATCH_MATMUL, BIAS_ADD, DENSE, PRELU};
use crate::run::{Call, Fault, Kernel};
use crate::{AttrSpec, Op};
use base::MapArray;
use kernel::fold::Extent;
use kernel::linear::{Operand, Order, batch_matmul};
use kernel::scalar::{float, int};
use kernel::strided::count;
use ty::{Attrs, Elements, Tensor, Value};

/// `[…, m, k] × [k, n]`, or as many of the latter as there are of the former, each transposed by its order. One matrix
/// on a side serves all of the other.
pub(crate) fn product(call: &Call, a: &Tensor, b: &Tensor, orders: [Order; 2]) -> Result<Value, Fault> {
    let result = call.result(0)?;
    let sizes = |x: &Tensor, order: Order| {
        let (batch, rows, columns) = match x.shape[..] {
            [ref batch @ .., rows, columns] => (count(batch), rows, columns),
            [columns] => (1, 1, columns),
            [] => (1, 1, 1),
        };
        if order == Order::Plain { (batch, rows, columns) } else { (batch, columns, rows) }
    };
    let ((batch_a, m, k), (batch_b, l, n)) = (sizes(a, orders[0]), sizes(b, orders[1]));
    if k != l || (batch_a != batch_b && batch_a != 1 && batch_b != 1) {
        return Err(Fault::other(format!(
            "{} and {} do not multiply",
            base::bracketed(&a.shape),
            base::bracketed(&b.shape)
        )));
    }
    let elements = match (&a.elements, &b.elements) {
        (Elements::Int(a), Elements::Int(b)) if !result.dtype.is_float() => {
            let body = Single::of_matrices([batch_a, batch_b], [m, k, n], orders);
            let outputs = match orders[1] {
                Order::Plain => Extent { outer: batch_b * k, reduced: n, inner: 1 },
                Order::Transposed => Extent { outer: batch_b, reduced: n, inner: k },
            };
            if let Some(sums) = sums(&body, [a, b], outputs, count(&result.shape)) {
                return call.one(rounded(Elements::Int(sums), result.dtype));
            }
            let a = Operand { data: a, batch: batch_a, order: orders[0] };
            Elements::Int(batch_matmul(a, Operand { data: b, batch: batch_b, order: orders[1] }, [m, k, n]))
        }
        (Elements::Float(_) | Elements::Int(_), _) => {
            let (a, b) = (numbers(a), numbers(b));
            let a = Operand { data: &a, batch: batch_a, order: orders[0] };
            Elements::Float(batch_matmul(a, Operand { data: &b, batch: batch_b, order: orders[1] }, [m, k, n]))
        }
    };
    call.one(rounded(elements, result.dtype))
}

/// How the flags `transpose_a` and `transpose_b` say that the operands stand.
pub(crate) fn orders(attrs: &Attrs) -> [Order; 2] {
    ["transpose_a", "transpose_b"].each(|flag| if attrs.flag(flag) { Order::Transposed } else { Order::Plain })
}

fn dense(call: &Call) -> Result<Value, Fault> {
    product(call, &operand(call, 0)?, &operand(call, 1)?, [Order::Plain, Order::Transposed])
}

pub(crate) fn matmul(call: &Call) -> Result<Value, Fault> {
    product(call, &operand(call, 0)?, &operand(call, 1)?, orders(call.attrs))
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
        kernel: Kernel::Whole(matmul),
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
        kernel: Kernel::Map2 { float: float::add, int: int::add },
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
        kernel: Kernel::Map2 { float: float::prelu, int: int::prelu },
        doc: "
Negative elements times a slope, one for each place along `axis`.
```relay
nn.prelu([[-1f, 2f], [3f, -4f]], [0.5f, 0.25f])
#=> [[-0.5f, 2f], [3f, -1f]]
```
",
    },
];
