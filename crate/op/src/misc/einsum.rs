//! Sums of products by Einstein's convention, made of other operators: sums, transposes and products of matrices.
//!
//! Operands are multiplied two at a time, the accumulated one with the one that leaves the smallest product, and a
//! label that nobody needs any more is summed over at once. So no product is larger than one pair of operands makes it.
//! Two of float32 have a body of their own, `engine::contraction`.

use crate::call::call_named;
use crate::conv::layout::tensor_of;
use crate::rule::misc::{Label, Roles, einsum_labels, long_axes, size_of};
use crate::run::{Call, Fault, WellTyped, as_tensor};
use base::ToList;
use ty::{AttrValue, Dtype, Elements, Tensor, Value};

/// A tensor whose axes have labels. Axes of size 1 have none: they are repeated where another has more.
struct Factor {
    labels: Vec<Label>,
    tensor: Tensor,
}

fn integers(values: impl Iterator<Item = usize>) -> AttrValue {
    AttrValue::List(values.map(|value| AttrValue::Int(value as i64)).list())
}

impl Factor {
    fn new(labels: &[Label], mut tensor: Tensor) -> Factor {
        let (labels, shape) = long_axes(labels, &tensor.shape);
        tensor.shape = shape;
        Factor { labels, tensor }
    }

    fn size_of(&self, label: Label) -> usize {
        size_of(label, &self.labels, &self.tensor.shape)
    }

    fn count(&self, labels: &[Label]) -> usize {
        labels.iter().map(|&label| self.size_of(label)).product()
    }

    /// What an operator makes of it; the axes of that have these labels.
    fn through(
        self,
        call: &Call,
        name: &str,
        others: Vec<Value>,
        given: Vec<(&'static str, AttrValue)>,
        labels: Vec<Label>,
    ) -> Result<Factor, Fault> {
        let args = [vec![Value::tensor(self.tensor)], others].concat();
        let value = call_named(call, name, &args, given)?;
        Ok(Factor { labels, tensor: tensor_of(&as_tensor(&value)?) })
    }

    fn transposed(self, call: &Call, axes: Vec<usize>) -> Result<Factor, Fault> {
        if axes.is_sorted() {
            return Ok(self);
        }
        let labels = axes.iter().map(|&axis| self.labels[axis]).list();
        self.through(call, "transpose", Vec::new(), vec![("axes", integers(axes.into_iter()))], labels)
    }

    /// Along the diagonal of two axes, which is the last axis then.
    fn diagonal(self, call: &Call, [first, second]: [usize; 2]) -> Result<Factor, Fault> {
        let others = (0..self.labels.len()).filter(|axis| ![first, second].contains(axis));
        let Factor { mut labels, mut tensor } = self.transposed(call, others.chain([first, second]).list())?;
        let n = tensor.shape.pop().unwrap_or(1);
        if let Some(last) = tensor.shape.last_mut() {
            *last *= n;
        }
        labels.pop();
        let places = Elements::Int((0..n).map(|at| (at * (n + 1)) as i64).list());
        let places = Value::tensor(Tensor { dtype: Dtype::Int64, shape: vec![n], elements: places });
        let last = Factor { labels: labels.clone(), tensor };
        last.through(call, "take", vec![places], vec![("axis", AttrValue::Int(-1))], labels)
    }

    /// With those of these labels that it has, in their order, summed over all others.
    fn gathered(mut self, call: &Call, kept: &[Label]) -> Result<Factor, Fault> {
        while let Some(second) = (1..self.labels.len()).find(|&at| self.labels[..at].contains(&self.labels[at])) {
            let first = self.labels.iter().position(|label| *label == self.labels[second]).unwrap_or(0);
            self = self.diagonal(call, [first, second])?;
        }
        let is_kept = |axis: &usize| kept.contains(&self.labels[*axis]);
        let (left, summed): (Vec<usize>, Vec<usize>) = (0..self.labels.len()).partition(is_kept);
        if !summed.is_empty() {
            let labels = left.iter().map(|&axis| self.labels[axis]).list();
            self = self.through(call, "sum", Vec::new(), vec![("axis", integers(summed.into_iter()))], labels)?;
        }
        let axes = kept.iter().filter_map(|label| self.labels.iter().position(|own| own == label)).list();
        self.transposed(call, axes)
    }

    /// The product with another, summed over the labels that are not `kept`.
    fn times(self, other: Factor, call: &Call, kept: &[Label]) -> Result<Factor, Fault> {
        let Roles { batch, rows, columns, summed } = Roles::new(&self.labels, &other.labels, kept);
        let mut a = self.gathered(call, &[&batch[..], &rows, &summed].concat())?;
        let mut b = other.gathered(call, &[&batch[..], &columns, &summed].concat())?;
        let own = |labels: &[Label], of: &Factor| labels.iter().map(|&label| of.size_of(label)).list();
        let shape = [own(&batch, &a), own(&rows, &a), own(&columns, &b)].concat();
        a.tensor.shape = vec![a.count(&batch), a.count(&rows), a.count(&summed)];
        b.tensor.shape = vec![b.count(&batch), b.count(&columns), b.count(&summed)];
        let (name, b) = ("nn.batch_matmul", Value::tensor(b.tensor));
        let labels = [batch, rows, columns].concat();
        let mut product = a.through(call, name, vec![b], vec![("transpose_b", AttrValue::Bool(true))], labels)?;
        product.tensor.shape = shape;
        Ok(product)
    }
}

pub(super) fn einsum_of(call: &Call) -> Result<Value, Fault> {
    let tensors = call.tensors(0)?;
    let ranks: Vec<usize> = tensors.iter().map(|x| x.shape().len()).list();
    let (terms, output) = einsum_labels(call.attrs.str("equation"), &ranks).well_typed()?;
    let mut factors: Vec<Factor> =
        terms.iter().zip(&tensors).map(|(labels, x)| Factor::new(labels, tensor_of(x))).list();
    // The labels of these that the result or another factor needs, each once.
    let needed = |labels: &mut dyn Iterator<Item = Label>, others: &[Factor]| {
        let mut kept: Vec<Label> = Vec::new();
        for label in labels {
            let is_needed = output.contains(&label) || others.iter().any(|other| other.labels.contains(&label));
            if is_needed && !kept.contains(&label) {
                kept.push(label);
            }
        }
        kept
    };
    for _ in 0..factors.len() {
        let factor = factors.remove(0);
        let kept = needed(&mut factor.labels.iter().copied(), &factors);
        factors.push(factor.gathered(call, &kept)?);
    }
    let Some(mut all) = factors.pop() else { return Err(Fault::ill_typed()) };
    while !factors.is_empty() {
        // How many products of two elements there are with this one.
        let work = |factor: &Factor| {
            let own = factor.labels.iter().filter(|label| !all.labels.contains(label));
            let sizes = all.tensor.shape.iter().copied().chain(own.map(|&label| factor.size_of(label)));
            sizes.fold(1_u64, |n, size| n.saturating_mul(size as u64))
        };
        let Some(i) = (0..factors.len()).min_by_key(|&i| work(&factors[i])) else { break };
        let factor = factors.swap_remove(i);
        let kept = needed(&mut all.labels.iter().chain(&factor.labels).copied(), &factors);
        all = all.times(factor, call, &kept)?;
    }
    call.one(all.gathered(call, &output)?.tensor.elements)
}
