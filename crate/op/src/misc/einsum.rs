//! Sums of products by Einstein's convention.
//!
//! Operands are multiplied two at a time, the accumulated one with the one that leaves the smallest product, and a
//! label that nobody needs any more is summed over at once. So no loop is larger than one pair of operands makes it.

use crate::rule::misc::{Label, einsum_labels};
use crate::run::{Call, Fault, floats, ints};
use base::ToList;
use kernel::number::Number;
use kernel::strided::{Offsets, count, row_major};
use std::ops::Range;
use ty::Value;

/// Elements whose axes have labels, each once.
struct Factor<T> {
    labels: Vec<Label>,
    shape: Vec<usize>,
    elements: Vec<T>,
}

impl<T> Factor<T> {
    /// How far one step along each of these labels goes; 0 where it has none, or repeats one place.
    fn strides(&self, labels: &[Label]) -> Vec<usize> {
        let mut strides = vec![0; labels.len()];
        for ((label, &size), stride) in self.labels.iter().zip(&self.shape).zip(row_major(&self.shape)) {
            if let Some(at) = labels.iter().position(|known| known == label)
                && size != 1
            {
                // A label that stands twice goes along the diagonal.
                strides[at] += stride;
            }
        }
        strides
    }
}

/// The product of two, summed over the labels that are not `kept`.
fn product<T: Number>(
    call: &Call,
    a: &Factor<T>,
    b: Option<&Factor<T>>,
    kept: &[Label],
    size_of: &dyn Fn(Label) -> usize,
) -> Result<Factor<T>, Fault> {
    let mut labels = kept.to_vec();
    for &label in a.labels.iter().chain(b.iter().flat_map(|b| &b.labels)) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let shape: Vec<usize> = labels.iter().map(|&label| size_of(label)).list();
    let n = kept.len();
    let (to, summed) = shape.split_at(n);
    let mut elements = vec![T::ZERO; call.room(to.iter().copied())?];
    let by_a = a.strides(&labels);
    let by_b = b.map_or_else(|| vec![0; labels.len()], |b| b.strides(&labels));
    let steps = |axes: Range<usize>| [&by_a[axes.clone()], &by_b[axes]];
    if let Some(b) = b
        && let Some((&length, outer)) = to.split_last()
        && let last @ ([0, 1] | [1, 0]) = [by_a[n - 1], by_b[n - 1]]
    {
        // A row of one, each time that an element of the other stands by it, is added to a row of the result.
        for (row, [at_a, at_b]) in elements.chunks_exact_mut(length.max(1)).zip(Offsets::new(outer, steps(0..n - 1))) {
            for [i, j] in Offsets::new(summed, steps(n..labels.len())) {
                let (x, y) = (&a.elements[at_a + i..], &b.elements[at_b + j..]);
                let (numbers, factor) = if last == [0, 1] { (y, x[0]) } else { (x, y[0]) };
                T::add_products(row, &numbers[..length], factor);
            }
        }
    } else {
        let (&length, rest) = summed.split_last().unwrap_or((&1, &[]));
        let last = summed.last().map_or([0; 2], |_| [&by_a, &by_b].map(|by| by[labels.len() - 1]));
        for (sum, [at_a, at_b]) in elements.iter_mut().zip(Offsets::new(to, steps(0..n))) {
            for [i, j] in Offsets::new(rest, steps(n..n + rest.len())) {
                let (mut i, mut j) = (at_a + i, at_b + j);
                for _ in 0..length {
                    *sum = match b {
                        Some(b) => sum.multiply_add(a.elements[i], b.elements[j]),
                        // What is only moved keeps its bits: 0 + -0 is 0.
                        None if summed.is_empty() => a.elements[i],
                        None => sum.add(a.elements[i]),
                    };
                    (i, j) = (i + last[0], j + last[1]);
                }
            }
        }
    }
    Ok(Factor { labels: kept.to_vec(), shape: to.to_vec(), elements })
}

/// One factor with these labels, in their order, summed over all others.
fn gathered<T: Number>(
    call: &Call,
    factor: Factor<T>,
    kept: &[Label],
    size_of: &dyn Fn(Label) -> usize,
) -> Result<Factor<T>, Fault> {
    let is_whole = factor.shape.iter().copied().eq(kept.iter().map(|&label| size_of(label)));
    if factor.labels == kept && is_whole { Ok(factor) } else { product(call, &factor, None, kept, size_of) }
}

fn contract<T: Number>(
    call: &Call,
    mut factors: Vec<Factor<T>>,
    output: &[Label],
    size_of: &dyn Fn(Label) -> usize,
) -> Result<Vec<T>, Fault> {
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
        factors.push(gathered(call, factor, &kept, size_of)?);
    }
    let Some(mut all) = factors.pop() else { return Err(Fault::IllTyped) };
    while !factors.is_empty() {
        let mut best: Option<(u128, usize)> = None;
        for (i, factor) in factors.iter().enumerate() {
            let joint = all.labels.iter().chain(factor.labels.iter().filter(|label| !all.labels.contains(label)));
            let size = joint.fold(1_u128, |n, &label| n.saturating_mul(size_of(label) as u128));
            if best.is_none_or(|(least, _)| size < least) {
                best = Some((size, i));
            }
        }
        let Some((_, i)) = best else { break };
        let factor = factors.swap_remove(i);
        let mut kept = needed(&mut all.labels.iter().chain(&factor.labels).copied(), &factors);
        // What one has side by side and the other has not comes last, so that whole rows are added.
        let is_beside = |label: &Label, one: &Factor<T>, other: &Factor<T>| {
            one.labels.last() == Some(label) && !other.labels.contains(label)
        };
        let row = |label: &Label| is_beside(label, &all, &factor) || is_beside(label, &factor, &all);
        if let Some(at) = kept.iter().position(row) {
            kept[at..].rotate_left(1);
        }
        all = product(call, &all, Some(&factor), &kept, size_of)?;
    }
    Ok(gathered(call, all, output, size_of)?.elements)
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
    fn factors<T>(terms: &[Vec<Label>], shapes: Vec<Vec<usize>>, elements: Vec<Vec<T>>) -> Vec<Factor<T>> {
        let all = terms.iter().zip(shapes).zip(elements);
        all.map(|((labels, shape), elements)| Factor { labels: labels.clone(), shape, elements }).list()
    }
    let shapes = tensors.iter().map(|x| x.shape().to_vec()).list();
    call.one(match result.dtype.is_float() {
        true => {
            let elements = tensors.iter().map(|x| x.floats()).list();
            let sums = contract(call, factors(&terms, shapes, elements), &output, &size_of)?;
            floats(result.dtype, sums.into_iter())
        }
        false => {
            // Nothing is divided or compared: the low bits are all that there is to know.
            let elements = tensors.iter().map(|x| x.ints().into_iter().map(|value| value as i64).list()).list();
            let sums = contract(call, factors(&terms, shapes, elements), &output, &size_of)?;
            ints(result.dtype, sums.into_iter().map(i128::from))
        }
    })
}
