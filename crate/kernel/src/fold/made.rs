//! Reductions of elements that are made on the way, a few at a time, so that they are in memory nowhere.
//!
//! The orders are those of [`fold`](super): elements of a row come in its blocks, rows of columns in its groups of four.
//! So the results are those of elements that have been written down before.
//!
//! ```
//! use kernel::fold::{Extent, Fold, fold_made};
//! let mut sum = [0.0];
//! let mut square = |start: usize, to: &mut [f32]| {
//!     to.iter_mut().enumerate().for_each(|(at, x)| *x = ((start + at) * (start + at)) as f32);
//! };
//! fold_made(Fold::Sum, Extent { outer: 1, reduced: 4, inner: 1 }, &mut square, &mut sum, &mut vec![]);
//! assert_eq!(sum, [14.0]);
//! ```

use super::{BLOCK, BLOCK_ROWS, Extent, Fold, add, fold};
use crate::scalar::float;

/// Writes the elements from a place on.
pub type Make<'a> = dyn FnMut(usize, &mut [f32]) + 'a;

/// As [`fold`](super::fold()), of elements that `make` makes, each once. `scratch` is overwritten.
pub fn fold_made(op: Fold, extent: Extent, make: &mut Make, to: &mut [f32], scratch: &mut Vec<f32>) {
    let Extent { reduced, inner, .. } = extent;
    assert!(to.len() == extent.n_results());
    if reduced == 0 {
        to.fill(neutral(op) as f32);
    } else if inner == 1 {
        rows(op, reduced, make, to, scratch);
    } else if inner > 1 {
        columns(op, extent, make, to, scratch);
    }
}

fn neutral(op: Fold) -> f64 {
    match op {
        Fold::Sum => 0.0,
        Fold::Product => 1.0,
        Fold::Maximum => f64::NEG_INFINITY,
        Fold::Minimum => f64::INFINITY,
    }
}

/// Several rows that fit a block together, or one row a block at a time.
fn rows(op: Fold, reduced: usize, make: &mut Make, to: &mut [f32], scratch: &mut Vec<f32>) {
    if scratch.len() < BLOCK {
        scratch.resize(BLOCK, 0.0);
    }
    let mut start = 0;
    if reduced <= BLOCK {
        for to in to.chunks_mut(BLOCK / reduced) {
            let made = &mut scratch[..to.len() * reduced];
            make(start, made);
            start += made.len();
            fold(op, Extent { outer: to.len(), reduced, inner: 1 }, made, to, &mut Vec::new());
        }
        return;
    }
    for to in to {
        let (mut total, end) = (neutral(op), start + reduced);
        while start < end {
            let block = &mut scratch[..BLOCK.min(end - start)];
            make(start, block);
            start += block.len();
            let mut one = [0.0];
            fold(op, Extent { outer: 1, reduced: block.len(), inner: 1 }, block, &mut one, &mut Vec::new());
            let one = f64::from(one[0]);
            total = match op {
                Fold::Sum => total + one,
                Fold::Product => total * one,
                Fold::Maximum => float::maximum(total, one),
                Fold::Minimum => float::minimum(total, one),
            };
        }
        *to = total as f32;
    }
}

/// So many columns at once, of as many rows as about fit a block: the first row and then groups of four.
fn columns(op: Fold, extent: Extent, make: &mut Make, to: &mut [f32], scratch: &mut Vec<f32>) {
    let Extent { reduced, inner, .. } = extent;
    let width = inner.min(BLOCK / 8);
    let fours = BLOCK / width / 4;
    let n_rows = 4 * fours + 1;
    if scratch.len() < (n_rows + 1) * width {
        scratch.resize((n_rows + 1) * width, 0.0);
    }
    for (at, to) in to.chunks_mut(inner).flat_map(|to| to.chunks_mut(width)).enumerate() {
        let (number, column) = (at / inner.div_ceil(width), at % inner.div_ceil(width) * width);
        let width = to.len();
        let (held, made) = scratch.split_at_mut(width);
        for first in (0..reduced).step_by(BLOCK_ROWS) {
            let end = reduced.min(first + BLOCK_ROWS);
            let sums = if first == 0 { &mut *to } else { &mut *held };
            let mut row = first;
            while row < end {
                let is_first = usize::from(row == first);
                let n = (4 * fours + is_first).min(end - row);
                let made = &mut made[..n * width];
                let start = (number * reduced + row) * inner + column;
                if width == inner {
                    make(start, made);
                } else {
                    made.chunks_exact_mut(width).enumerate().for_each(|(at, made)| make(start + at * inner, made));
                }
                let (begun, rest) = made.split_at(is_first * width);
                if is_first == 1 {
                    sums.copy_from_slice(begun);
                }
                add(op, rest, sums);
                row += n;
            }
            if first > 0 {
                add(op, held, to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_elements_are_folded_as_others() {
        let sizes =
            [(3, 1, 1), (5, 7, 1), (2, 4096, 1), (3, 9001, 1), (700, 16, 1), (2, 3, 5), (1, 1300, 3), (2, 521, 40)];
        for (outer, reduced, inner) in sizes.into_iter().chain([(1, 9, 2000), (2, 0, 3), (2, 3, 0), (0, 2, 1)]) {
            let extent = Extent { outer, reduced, inner };
            let value = |at: usize| match at * 7919 % 4001 {
                0 => f32::NAN,
                1 => -0.0,
                n => (n as f32 - 2000.0) / 777.0,
            };
            let from: Vec<f32> = (0..extent.n_elements()).map(value).collect();
            for op in [Fold::Sum, Fold::Product, Fold::Maximum, Fold::Minimum] {
                let (mut expected, mut found) = (vec![0.0; extent.n_results()], vec![1.0; extent.n_results()]);
                super::super::fold(op, extent, &from, &mut expected, &mut vec![]);
                let mut is_made = vec![false; from.len()];
                let mut make = |start: usize, to: &mut [f32]| {
                    let part = start..start + to.len();
                    assert!(!is_made[part.clone()].contains(&true), "each once");
                    is_made[part.clone()].fill(true);
                    to.copy_from_slice(&from[part]);
                };
                fold_made(op, extent, &mut make, &mut found, &mut vec![]);
                let bits = |all: &[f32]| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&found), bits(&expected), "{op:?} {extent:?}");
            }
        }
    }
}
