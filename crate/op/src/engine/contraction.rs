//! An `einsum` of two tensors of float32 as products of matrices, one for each of a batch.
//!
//! Axes with one role are put side by side, operands are multiplied, and the result is put in its order ("TTGT" of P.
//! Springer and P. Bientinesi, "Design of a high-performance GEMM-like tensor-tensor multiplication", 2018). What stands
//! in an order that a product reads is not moved: `bij,bkj->bik` is a product with the second operand transposed.

use super::Scratch;
use super::single::Single;
use crate::rule::misc::{Label, Roles, einsum_labels, long_axes, size_of};
use crate::run::ResultType;
use base::ToList;
use kernel::elementwise::Source;
use kernel::linear::Order;
use kernel::permute::Permutation;
use ty::{Attrs, Dtype};

/// Bytes of an element.
const WIDTH: usize = 4;

pub struct Contraction {
    /// Whether the second operand is on the left.
    is_swapped: bool,
    /// Those on the left and on the right, brought into another order.
    moved: [Option<Moved>; 2],
    product: Single,
    /// From the order of the product to that of the result.
    result: Option<Moved>,
}

struct Moved {
    permutation: Permutation,
    n: usize,
}

/// The axes of an operand that are more than one element long.
struct Axes {
    labels: Vec<Label>,
    sizes: Vec<usize>,
}

impl Axes {
    /// `None` if two of them have one label.
    fn new(labels: &[Label], shape: &[usize]) -> Option<Axes> {
        let (labels, sizes) = long_axes(labels, shape);
        let is_once = (1..labels.len()).all(|at| !labels[..at].contains(&labels[at]));
        is_once.then_some(Axes { labels, sizes })
    }

    fn size(&self, label: Label) -> usize {
        size_of(label, &self.labels, &self.sizes)
    }

    fn count(&self, labels: &[Label]) -> usize {
        labels.iter().map(|&label| self.size(label)).product()
    }

    /// How they come into this order, `Some(None)` if they stand in it. `None` if these are not their labels.
    fn moved(&self, order: &[Label]) -> Option<Option<Moved>> {
        if self.labels == order {
            return Some(None);
        }
        let axes = order.iter().map(|label| self.labels.iter().position(|own| own == label)).some_list()?;
        let permutation = Permutation::new(&self.sizes, &axes);
        (axes.len() == self.labels.len()).then(|| Some(Moved { permutation, n: self.sizes.iter().product() }))
    }

    /// As [`Axes::moved`], for a matrix that a product reads by rows or by columns.
    fn matrix(&self, batch: &[Label], rows: &[Label], columns: &[Label]) -> Option<(Option<Moved>, Order)> {
        if self.labels == [batch, columns, rows].concat() {
            return Some((None, Order::Transposed));
        }
        Some((self.moved(&[batch, rows, columns].concat())?, Order::Plain))
    }
}

impl Contraction {
    /// `None` if an operand has an axis twice, or one that is summed by itself, or no elements.
    pub fn new(attrs: &Attrs, shapes: [&[usize]; 2], to: &[usize]) -> Option<Contraction> {
        let (terms, output) = einsum_labels(attrs.str("equation"), &shapes.map(<[usize]>::len))?;
        let [first, second] = &terms[..] else { return None };
        let (a, b) = (Axes::new(first, shapes[0])?, Axes::new(second, shapes[1])?);
        let kept = Axes::new(&output, to)?;
        let roles = Roles::new(&a.labels, &b.labels, &kept.labels);
        let in_order = [&roles.batch[..], &roles.columns, &roles.rows].concat();
        let is_swapped = !roles.columns.is_empty() && !roles.rows.is_empty() && in_order == kept.labels;
        let [left, right] = if is_swapped { [&b, &a] } else { [&a, &b] };
        let Roles { batch, rows, columns, summed } = Roles::new(&left.labels, &right.labels, &kept.labels);
        let agrees = |label: &Label| left.size(*label) == right.size(*label);
        let sizes = [left.count(&batch), left.count(&rows), left.count(&summed), right.count(&columns)];
        let is_whole = left.labels.len() == batch.len() + rows.len() + summed.len()
            && right.labels.len() == batch.len() + columns.len() + summed.len()
            && kept.labels.len() == batch.len() + rows.len() + columns.len();
        if !is_whole || !batch.iter().chain(&summed).all(agrees) || sizes.contains(&0) {
            return None;
        }
        if summed.is_empty() {
            return Contraction::elementwise([&a, &b], &kept);
        }
        let [n_batch, m, k, n] = sizes;
        let (moved_left, left_order) = left.matrix(&batch, &rows, &summed)?;
        let (moved_right, right_order) = right.matrix(&batch, &summed, &columns)?;
        let made = [&batch[..], &rows, &columns].concat();
        let sizes = made.iter().map(|&label| kept.size(label)).list();
        Some(Contraction {
            is_swapped,
            moved: [moved_left, moved_right],
            product: Single::of_matrices([n_batch; 2], [m, k, n], [left_order, right_order]),
            result: Axes { labels: made, sizes }.moved(&kept.labels)?,
        })
    }

    /// Nothing is summed: elements are multiplied where they meet.
    fn elementwise(operands: [&Axes; 2], kept: &Axes) -> Option<Contraction> {
        let order = |axes: &Axes| kept.labels.iter().copied().filter(|label| axes.labels.contains(label)).list();
        let [a, b] = operands.map(|axes| axes.moved(&order(axes)));
        let single = |shape: Vec<usize>| ResultType { shape, dtype: Dtype::Float32 };
        let broadcast = |axes: &Axes| single(kept.labels.iter().map(|&label| axes.size(label)).list());
        let result = single(kept.sizes.clone());
        let product = Single::new("multiply", &Attrs::default(), &operands.map(broadcast), &result)?;
        Some(Contraction { is_swapped: false, moved: [a?, b?], product, result: None })
    }

    /// Bytes that it works in, beside operands and result.
    pub fn n_working_bytes(&self) -> u64 {
        let moved = self.moved.iter().chain([&self.result]).flatten();
        moved.map(|moved| (moved.n * WIDTH) as u64).total()
    }

    /// `None` if sizes disagree.
    pub fn run(&self, [a, b]: [&[f32]; 2], to: &mut [f32], scratch: &mut Scratch) -> Option<()> {
        let mut operands = if self.is_swapped { [b, a] } else { [a, b] };
        let mut rooms = std::mem::take(&mut scratch.between);
        for ((operand, moved), room) in operands.iter_mut().zip(&self.moved).zip(&mut rooms) {
            if let Some(moved) = moved {
                room.resize(moved.n, 0.0);
                moved.run(operand, room)?;
                *operand = room;
            }
        }
        let sources = operands.map(Source::Other);
        match &self.result {
            None => self.product.on_floats(sources, to, scratch)?,
            Some(moved) => {
                let mut made = std::mem::take(&mut scratch.registers);
                made.resize(moved.n, 0.0);
                self.product.on_floats(sources, &mut made, scratch)?;
                moved.run(&made, to)?;
                scratch.registers = made;
            }
        }
        scratch.between = rooms;
        Some(())
    }
}

impl Moved {
    fn run(&self, from: &[f32], to: &mut [f32]) -> Option<()> {
        let fits = from.len() == self.n && to.len() == self.n;
        fits.then(|| self.permutation.run(WIDTH, bytemuck::cast_slice(from), bytemuck::cast_slice_mut(to)))
    }
}
