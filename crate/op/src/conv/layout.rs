//! Tensors in layouts, brought into the order in which the loops read axes, and back.
//!
//! Worked example: the channels of `NCHW8c` stand on the axes 1 and 4. In the order `NCHW` both come second, next to
//! each other, so that `(1, 2, 4, 4, 8)` reads as `(1, 16, 4, 4)`.

use crate::rule::DataLayout;
use crate::run::{Arg, Call, Fault, WellTyped};
use base::{Append, ToList};
use kernel::shape;
use kernel::strided::{View, count};
use ty::{Elements, Tensor};

/// An operand with its dtype and shape, as the program keeps it.
pub(crate) fn operand(call: &Call, index: usize) -> Result<Tensor, Fault> {
    Ok(tensor_of(&call.tensor(index)?))
}

pub(crate) fn tensor_of(x: &Arg) -> Tensor {
    Tensor { dtype: x.dtype(), shape: x.shape().to_vec(), elements: x.elements().into_owned() }
}

/// The layout that an attribute names; its relation has checked it.
pub(crate) fn parse(text: &str, letters: &str) -> Result<DataLayout, Fault> {
    DataLayout::parse(text, letters).well_typed()
}

/// Axis `i` of the result is axis `axes[i]`.
pub(crate) fn permuted(elements: &Elements, shape: &[usize], axes: &[usize]) -> Elements {
    match elements {
        Elements::Float(values) => Elements::Float(shape::transpose(View::new(values, shape), axes)),
        Elements::Int(values) => Elements::Int(shape::transpose(View::new(values, shape), axes)),
    }
}

/// The axes of a layout by letter, the whole axis of each before its inner parts.
fn order(layout: &DataLayout, letters: &str) -> Vec<usize> {
    let mut axes: Vec<usize> = Vec::with_capacity(layout.rank());
    for letter in letters.chars() {
        axes.push(layout.axis(letter));
        let inner = layout.axes().iter().enumerate().filter(|&(_, &(c, block))| c == letter && block.is_some());
        axes.append_all(inner.map(|(axis, _)| axis));
    }
    axes
}

/// The full size along each letter.
pub(crate) fn sizes(shape: &[usize], layout: &DataLayout, letters: &str) -> Vec<usize> {
    letters.chars().map(|letter| count(&layout.parts(shape, letter))).list()
}

/// The elements with one axis for each letter, in their order, and its shape.
pub(crate) fn by_letters(x: &Tensor, layout: &DataLayout, letters: &str) -> Result<Tensor, Fault> {
    if x.shape.len() != layout.rank() {
        return Err(Fault::other(format!("a tensor of this layout has rank {}", layout.rank())));
    }
    let mut blocks = layout.axes().iter().zip(&x.shape).filter_map(|(&(_, block), &size)| Some((block?, size)));
    if let Some((block, size)) = blocks.find(|&(block, size)| usize::try_from(block) != Ok(size)) {
        return Err(Fault::other(format!("the layout has blocks of {block}, the tensor of {size}")));
    }
    let elements = permuted(&x.elements, &x.shape, &order(layout, letters));
    Ok(Tensor { dtype: x.dtype, shape: sizes(&x.shape, layout, letters), elements })
}

/// The inverse of [`by_letters`], to a shape of the layout.
pub(crate) fn in_layout(
    elements: &Elements,
    shape: &[usize],
    layout: &DataLayout,
    letters: &str,
) -> Result<Elements, Fault> {
    let axes = order(layout, letters);
    if shape.len() != axes.len() || count(shape) != elements.len() {
        return Err(Fault::other("the blocks of the layout do not divide the sizes"));
    }
    let parts: Vec<usize> = axes.iter().map(|&axis| shape[axis]).list();
    let mut back = vec![0; axes.len()];
    axes.iter().enumerate().for_each(|(at, &axis)| back[axis] = at);
    Ok(permuted(elements, &parts, &back))
}
