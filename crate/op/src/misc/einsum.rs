//! Sums of products by Einstein's convention.
//!
//! Operands are multiplied two at a time, the accumulated one with the one that leaves the smallest product, and a
//! label that nobody needs any more is summed over at once. So no loop is larger than one pair of operands makes it.
//! Each pair is a product of matrices by the roles of its labels; one of float32 goes by `engine::contraction`.

use crate::rule::misc::{Label, Roles, einsum_labels};
use crate::run::{Call, Fault, floats, ints};
use base::ToList;
use kernel::linear::{Operand, Order, batch_matmul};
use kernel::number::Number;
use kernel::strided::{Offsets, count, row_major};
use ty::Value;

/// Elements whose axes have labels. Axes of size 1 have none: they are repeated where another has more.
struct Factor<T> {
    labels: Vec<Label>,
    shape: Vec<usize>,
    elements: Vec<T>,
}

impl<T: Number> Factor<T> {
    fn new(labels: &[Label], shape: &[usize], elements: Vec<T>) -> Factor<T> {
        let (labels, shape) = labels.iter().zip(shape).filter(|(_, size)| **size != 1).unzip();
        Factor { labels, shape, elements }
    }

    fn size_of(&self, label: Label) -> usize {
        self.labels.iter().position(|&known| known == label).map_or(1, |axis| self.shape[axis])
    }

    /// How far one step along a label goes: along the diagonal if the label stands twice.
    fn stride(&self, label: Label) -> usize {
        let strides = self.labels.iter().zip(row_major(&self.shape));
        strides.filter(|(known, _)| **known == label).map(|(_, stride)| stride).sum()
    }

    /// The same with these labels, in their order, summed over all others.
    fn gathered(self, call: &Call, kept: &[Label]) -> Result<Factor<T>, Fault> {
        if self.labels == kept {
            return Ok(self);
        }
        let mut labels = kept.to_vec();
        for &label in &self.labels {
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        let shape: Vec<usize> = labels.iter().map(|&label| self.size_of(label)).list();
        let strides: Vec<usize> = labels.iter().map(|&label| self.stride(label)).list();
        let (to, summed) = shape.split_at(kept.len());
        let (steps, summed_steps) = strides.split_at(kept.len());
        let mut elements = vec![T::ZERO; call.room(to.iter().copied())?];
        for (sum, [at]) in elements.iter_mut().zip(Offsets::new(to, [steps])) {
            if summed.is_empty() {
                // What is only moved keeps its bits: 0 + -0 is 0.
                *sum = self.elements[at];
                continue;
            }
            for [i] in Offsets::new(summed, [summed_steps]) {
                *sum = sum.add(self.elements[at + i]);
            }
        }
        Ok(Factor { labels: kept.to_vec(), shape: to.to_vec(), elements })
    }

    /// The product with another, summed over the labels that are not `kept`.
    fn times(self, other: Factor<T>, call: &Call, kept: &[Label]) -> Result<Factor<T>, Fault> {
        let Roles { batch, rows, columns, summed } = Roles::new(&self.labels, &other.labels, kept);
        let a = self.gathered(call, &[&batch[..], &rows, &summed].concat())?;
        let b = other.gathered(call, &[&batch[..], &columns, &summed].concat())?;
        let size = |labels: &[Label], of: &Factor<T>| labels.iter().map(|&label| of.size_of(label)).product();
        let sizes @ [m, _, n] = [size(&rows, &a), size(&summed, &a), size(&columns, &b)];
        let n_batch: usize = size(&batch, &a);
        call.room([n_batch, m, n])?;
        let operand = |data, order| Operand { data, batch: n_batch, order };
        let elements = batch_matmul(operand(&a.elements, Order::Plain), operand(&b.elements, Order::Transposed), sizes);
        let own = |labels: &[Label], of: &Factor<T>| labels.iter().map(|&label| of.size_of(label)).list();
        let shape = [own(&batch, &a), own(&rows, &a), own(&columns, &b)].concat();
        let labels = [batch, rows, columns].concat();
        Ok(Factor { labels, shape, elements })
    }
}

fn contract<T: Number>(call: &Call, mut factors: Vec<Factor<T>>, output: &[Label]) -> Result<Vec<T>, Fault> {
    // The labels of these that the result or another factor needs, each once.
    let needed = |labels: &mut dyn Iterator<Item = Label>, others: &[Factor<T>]| {
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
    let Some(mut all) = factors.pop() else { return Err(Fault::IllTyped) };
    while !factors.is_empty() {
        // How many products of two elements there are with this one.
        let work = |factor: &Factor<T>| {
            let own = factor.labels.iter().filter(|label| !all.labels.contains(label));
            let sizes = all.shape.iter().copied().chain(own.map(|&label| factor.size_of(label)));
            sizes.fold(1_u128, |n, size| n.saturating_mul(size as u128))
        };
        let Some(i) = (0..factors.len()).min_by_key(|&i| work(&factors[i])) else { break };
        let factor = factors.swap_remove(i);
        let kept = needed(&mut all.labels.iter().chain(&factor.labels).copied(), &factors);
        all = all.times(factor, call, &kept)?;
    }
    Ok(all.gathered(call, output)?.elements)
}

pub(super) fn einsum_of(call: &Call) -> Result<Value, Fault> {
    let (tensors, result) = (call.tensors(0)?, call.result(0)?);
    let ranks: Vec<usize> = tensors.iter().map(|x| x.shape().len()).list();
    let (terms, output) = einsum_labels(call.attrs.str("equation"), &ranks).ok_or(Fault::IllTyped)?;
    let mut sizes: Vec<(Label, usize)> = Vec::new();
    for (labels, x) in terms.iter().zip(&tensors) {
        for (&label, &size) in labels.iter().zip(x.shape()) {
            match sizes.iter_mut().find(|(known, _)| *known == label) {
                // A size of 1 is repeated.
                Some((_, known)) if *known == 1 => *known = size,
                Some((_, known)) if size != 1 && *known != size => return Err(Fault::IllTyped),
                Some(_) => {}
                None => sizes.push((label, size)),
            }
        }
    }
    let size_of = |label| sizes.iter().find(|(known, _)| *known == label).map_or(1, |&(_, size)| size);
    if output.iter().map(|&label| size_of(label)).ne(result.shape.iter().copied()) || count(&result.shape) == usize::MAX
    {
        return Err(Fault::IllTyped);
    }
    fn factors<T: Number>(terms: &[Vec<Label>], shapes: &[&[usize]], elements: Vec<Vec<T>>) -> Vec<Factor<T>> {
        let all = terms.iter().zip(shapes).zip(elements);
        all.map(|((labels, shape), elements)| Factor::new(labels, shape, elements)).list()
    }
    let shapes: Vec<&[usize]> = tensors.iter().map(|x| x.shape()).list();
    call.one(match result.dtype.is_float() {
        true => {
            let elements = tensors.iter().map(|x| x.floats()).list();
            let sums = contract(call, factors(&terms, &shapes, elements), &output)?;
            floats(result.dtype, sums.into_iter())
        }
        false => {
            // Nothing is divided or compared: the low bits are all that there is to know.
            let elements = tensors.iter().map(|x| x.ints().into_iter().map(|value| value as i64).list()).list();
            let sums = contract(call, factors(&terms, &shapes, elements), &output)?;
            ints(result.dtype, sums.into_iter().map(i128::from))
        }
    })
}
