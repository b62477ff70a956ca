//! Sums of products of quantized tensors: each without its zero point, as the plain operator does on integers. Padding
//! stands for the number 0.

use super::scale::{Along, integers};
use crate::conv::layout::{operand, parse};
use crate::conv::window::{PLANE, convolve};
use crate::linear::{orders, product};
use crate::nn::unpacked;
use crate::run::{Call, Fault};
use base::ToList;
use kernel::conv::Direction;
use kernel::linear::Order;
use ty::{Dtype, Elements, Tensor, Value};

/// A tensor without the zero point that an operand is: one number, or one for each place along an axis.
fn centred(call: &Call, x: Tensor, zero: usize, axis: usize) -> Result<Tensor, Fault> {
    let zero = Along::of(call, zero, &x.shape, axis as i64)?;
    let shape = x.shape.clone();
    let values = integers(x.elements).into_iter().enumerate();
    let elements = Elements::Int(values.map(|(at, q)| q - zero.at(at) as i64).list());
    Ok(Tensor { dtype: Dtype::Int64, shape, elements })
}

pub(super) fn dense(call: &Call) -> Result<Value, Fault> {
    let data = centred(call, operand(call, 0)?, 2, 0)?;
    let weight = centred(call, operand(call, 1)?, 3, 0)?;
    product(call, &data, &weight, [Order::Plain, Order::Transposed])
}

pub(super) fn dense_pack(call: &Call) -> Result<Value, Fault> {
    let data = centred(call, operand(call, 0)?, 2, 0)?;
    let weight = centred(call, unpacked(call, &operand(call, 1)?)?, 3, 0)?;
    product(call, &data, &weight, [Order::Plain, Order::Transposed])
}

pub(super) fn batch_matmul(call: &Call) -> Result<Value, Fault> {
    let (x, y) = (centred(call, operand(call, 0)?, 2, 0)?, centred(call, operand(call, 1)?, 3, 0)?);
    product(call, &x, &y, orders(call.attrs))
}

fn conv(call: &Call, way: Direction) -> Result<Value, Fault> {
    let layout = parse(call.attrs.str("kernel_layout"), PLANE.forward)?;
    let data = centred(call, operand(call, 0)?, 2, 0)?;
    let weight = centred(call, operand(call, 1)?, 3, layout.axis('O'))?;
    convolve(call, &data, &weight, &PLANE, way)
}

pub(super) fn conv2d(call: &Call) -> Result<Value, Fault> {
    conv(call, Direction::Forward)
}

pub(super) fn conv2d_transpose(call: &Call) -> Result<Value, Fault> {
    conv(call, Direction::Transposed)
}
