//! Reductions of float32: sums, products, extremes, and where they are.
//!
//! After merging, a tensor is `[outer, reduced, inner]` ([`Extent`]): `reduced` elements, `inner` apart, give one. Axes
//! that are reduced on both sides of a kept one take one reduction for each group of neighbours, the last first
//! ([`groups`]).
//!
//! The order of a sum depends on the extent alone:
//! - `inner == 1`: blocks of 4096 elements. In a block element `i` goes to the partial sum `i mod 16`, in order; the
//!   16 are added as `((p0+p4) + (p8+p12))` for each of four lanes and then as [`F32x4::sum`]. Sums of blocks are added
//!   in float64, in order, and rounded once.
//! - otherwise, for each column: blocks of 512 rows, in a block groups of four rows as `(a+b) + (c+d)`, groups in
//!   order, then the rows that are left over; then the blocks in order.
//!
//! So on its way to a sum of `n` an element goes through `r` roundings at most, `min(n, 4096) / 16 + 4` (the quotient
//! rounded up) in a row and `min(n, 512) / 4 + 4 + n / 512` in a column, and the sum is off by at most
//! `r · 2⁻²⁴ · Σ abs(x)`, to first order; where the roundings do not conspire, by 8 times that unit. Products are folded
//! in the same orders, and are off by at most `n · 2⁻²⁴` of themselves where none on the way is too large or too small.
//! A maximum or minimum has no order: NaN if a NaN took part, and +0 is larger than -0.
//!
//! ```
//! use kernel::fold::{Extent, Fold, fold};
//! let mut sums = [0.0; 3];
//! fold(Fold::Sum, Extent { outer: 1, reduced: 2, inner: 3 }, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut sums, &mut vec![]);
//! assert_eq!(sums, [5.0, 7.0, 9.0]);
//! ```

#![allow(unsafe_code, reason = "loads and stores of four lanes through pointers")]

use crate::lanes::{F32x4, Lanes};
use crate::reduce::Tie;

mod made;

#[cfg(test)]
pub(crate) mod tests;

pub use made::{Make, fold_made};

/// A shape whose axes are merged around the reduced ones. Elements are in row-major order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    pub outer: usize,
    pub reduced: usize,
    pub inner: usize,
}

impl Extent {
    pub fn n_elements(&self) -> usize {
        self.outer * self.reduced * self.inner
    }

    pub fn n_results(&self) -> usize {
        self.outer * self.inner
    }
}

/// What elements are folded with. Of no elements a sum is 0, a product 1, a maximum -∞ and a minimum ∞.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    Sum,
    Product,
    Maximum,
    Minimum,
}

/// The reductions, one after the other, that together reduce `axes` (sorted, distinct) of `shape`.
///
/// Each works on what the one before has left. Axes of size 1 are neutral and merge with what is around them.
/// `[2, 3, 4, 5]` over the axes 1 and 3 is `(24, 5, 1)`, then `(2, 3, 4)`.
pub fn groups(shape: &[usize], axes: &[usize]) -> Vec<Extent> {
    let mut groups = vec![];
    let (mut inner, mut end) = (1, shape.len());
    while end > 0 {
        let is_reduced = |axis: usize| axes.contains(&axis) && shape[axis] != 1;
        let mut reduced = None;
        while end > 0 && (is_reduced(end - 1) || shape[end - 1] == 1) {
            end -= 1;
            if shape[end] != 1 {
                reduced = Some(reduced.unwrap_or(1) * shape[end]);
            }
        }
        if let Some(reduced) = reduced {
            groups.push(Extent { outer: shape[..end].iter().product(), reduced, inner });
        }
        while end > 0 && !is_reduced(end - 1) {
            end -= 1;
            inner *= shape[end];
        }
    }
    groups
}

/// Folds `from`, of `extent`, into one element for each of its results. `scratch` is overwritten.
pub fn fold(op: Fold, extent: Extent, from: &[f32], to: &mut [f32], scratch: &mut Vec<f32>) {
    assert!(from.len() == extent.n_elements() && to.len() == extent.n_results());
    let neutral = match op {
        Fold::Sum => 0.0,
        Fold::Product => 1.0,
        Fold::Maximum => f32::NEG_INFINITY,
        Fold::Minimum => f32::INFINITY,
    };
    if extent.reduced == 0 {
        to.fill(neutral);
        return;
    }
    if extent.inner == 1 {
        let mut rest = from;
        for to in to {
            // Chunks would be counted first, by a division.
            let (row, others) = rest.split_at(extent.reduced);
            rest = others;
            *to = match op {
                Fold::Sum => sum(row),
                Fold::Product => map_row(row, 1.0, 1.0, |x| x, |a, b| a * b, |a, b| a * b),
                Fold::Maximum => map_row(row, neutral, neutral, |x| x, F32x4::maximum, crate::scalar::float::maximum),
                Fold::Minimum => map_row(row, neutral, neutral, |x| x, F32x4::minimum, crate::scalar::float::minimum),
            };
        }
        return;
    }
    let Extent { reduced, inner, .. } = extent;
    if scratch.len() < inner {
        scratch.resize(inner, 0.0);
    }
    let scratch = &mut scratch[..inner];
    for (from, to) in from.chunks_exact((reduced * inner).max(1)).zip(to.chunks_exact_mut(inner.max(1))) {
        columns(op, from, to, scratch);
    }
}

/// The sum of a row, in the order of the module.
pub fn sum(row: &[f32]) -> f32 {
    map_row(row, 0.0, 0.0, |x| x, |a, b| a + b, |a, b| a + b)
}

/// The sum of `(x - center)²`, in the same order.
pub fn sum_of_squares(row: &[f32], center: f32) -> f32 {
    let centers = F32x4::splat(center);
    map_row(row, 0.0, center, |x| (x - centers) * (x - centers), |a, b| a + b, |a, b| a + b)
}

/// The sums of `(x - mean)²`, of a given mean for each result, in the order of sums; off by a rounding more than those,
/// for differences as they are rounded.
pub fn squares(extent: Extent, from: &[f32], means: &[f32], to: &mut [f32], scratch: &mut Vec<f32>) {
    let Extent { outer, reduced, inner } = extent;
    assert!(from.len() == extent.n_elements() && to.len() == extent.n_results() && means.len() == to.len());
    if reduced == 0 || inner == 0 {
        to.fill(0.0);
    } else if inner == 1 {
        for ((row, &mean), to) in from.chunks_exact(reduced).zip(means).zip(to) {
            *to = sum_of_squares(row, mean);
        }
    } else {
        let size = reduced * inner;
        for at in 0..outer {
            let means = &means[at * inner..][..inner];
            scratch.clear();
            let squares = from[at * size..][..size]
                .chunks_exact(inner)
                .flat_map(|row| row.iter().zip(means).map(|(x, mean)| (x - mean) * (x - mean)));
            scratch.extend(squares);
            scratch.resize(size + inner, 0.0);
            let (squares, sums) = scratch.split_at_mut(size);
            columns(Fold::Sum, squares, &mut to[at * inner..][..inner], sums);
        }
    }
}

/// Where the largest ([`Fold::Maximum`]) or smallest element is among the reduced ones. A NaN beats every number, zeros
/// are equal. `scratch` is overwritten. There is something to find: `extent.reduced` is not 0.
pub fn position(op: Fold, tie: Tie, extent: Extent, from: &[f32], to: &mut [i32], scratch: &mut Vec<f32>) {
    let Extent { reduced, inner, .. } = extent;
    assert!(reduced > 0 && from.len() == extent.n_elements() && to.len() == extent.n_results());
    let is_best = |x: f32, best: f32| x == best || x.is_nan() && best.is_nan();
    if inner == 1 {
        let mut rest = from;
        for to in to {
            let (row, others) = rest.split_at(reduced);
            rest = others;
            let mut best = [0.0];
            fold(op, Extent { outer: 1, ..extent }, row, &mut best, scratch);
            let place = |at: usize| if tie == Tie::First { at } else { reduced - 1 - at };
            *to = (0..reduced).map(place).find(|&at| is_best(row[at], best[0])).unwrap_or(0) as i32;
        }
        return;
    }
    if inner == 0 {
        return;
    }
    let mut best = std::mem::take(scratch);
    best.clear();
    best.resize(inner, 0.0);
    for (from, to) in from.chunks_exact(reduced * inner).zip(to.chunks_exact_mut(inner)) {
        let one = Extent { outer: 1, ..extent };
        // The extremes, and room for those of a block.
        fold(op, one, from, &mut best, scratch);
        let mut see = |at: usize| {
            for ((&x, &best), to) in from[at * inner..][..inner].iter().zip(&best).zip(&mut *to) {
                if is_best(x, best) {
                    *to = at as i32;
                }
            }
        };
        // What is seen last stays.
        match tie {
            Tie::First => (0..reduced).rev().for_each(&mut see),
            Tie::Last => (0..reduced).for_each(&mut see),
        }
    }
    *scratch = best;
}

const BLOCK: usize = 4096;
const BLOCK_ROWS: usize = 512;

/// Folds `map` of each element. A vector that the row does not fill is filled with `pad`, which changes nothing.
#[inline(always)]
fn map_row(
    row: &[f32],
    neutral: f32,
    pad: f32,
    map: impl Fn(F32x4) -> F32x4,
    step: impl Fn(F32x4, F32x4) -> F32x4,
    whole: impl Fn(f64, f64) -> f64,
) -> f32 {
    let mut total = f64::from(neutral);
    for block in row.chunks(BLOCK) {
        let mut parts = [F32x4::splat(neutral); 4];
        let (sixteens, rest) = block.as_chunks::<16>();
        for sixteen in sixteens {
            for (at, part) in parts.iter_mut().enumerate() {
                // SAFETY: there are 16 elements.
                *part = step(*part, map(unsafe { F32x4::load(sixteen.as_ptr().add(4 * at)) }));
            }
        }
        let (fours, rest) = rest.as_chunks::<4>();
        // The parts are named by numbers that the compiler knows, so that they stay in registers.
        for (at, part) in parts.iter_mut().enumerate() {
            if let Some(four) = fours.get(at) {
                // SAFETY: there are four elements.
                *part = step(*part, map(unsafe { F32x4::load(four.as_ptr()) }));
            }
        }
        if let Some(&first) = rest.first() {
            let at = |at: usize| rest.get(at).copied().unwrap_or(pad);
            let last = map(F32x4::from_array([first, at(1), at(2), pad]));
            for (at, part) in parts.iter_mut().enumerate() {
                if at == fours.len() {
                    *part = step(*part, last);
                }
            }
        }
        let [a, b, c, d] = step(step(parts[0], parts[1]), step(parts[2], parts[3])).to_array();
        let pair = step(F32x4::from_array([a, b, a, b]), F32x4::from_array([c, d, c, d])).to_array();
        let one = step(F32x4::splat(pair[0]), F32x4::splat(pair[1])).to_array()[0];
        total = whole(total, f64::from(one));
    }
    total as f32
}

/// Folds the rows of `from`, each as long as `to` and `scratch`, into `to`. There is a row.
fn columns(op: Fold, from: &[f32], to: &mut [f32], scratch: &mut [f32]) {
    let inner = to.len();
    if inner == 0 {
        return;
    }
    for (at, block) in from.chunks(inner * BLOCK_ROWS).enumerate() {
        let sums = if at == 0 { &mut *to } else { &mut *scratch };
        let (first, rest) = block.split_at(inner);
        sums.copy_from_slice(first);
        add(op, rest, sums);
        if at > 0 {
            add(op, scratch, to);
        }
    }
}

/// Folds more rows into what is there, four together and then those that are left.
#[inline(never)]
fn add(op: Fold, rows: &[f32], sums: &mut [f32]) {
    match op {
        Fold::Sum => add_with(rows, sums, |a, b| a + b),
        Fold::Product => add_with(rows, sums, |a, b| a * b),
        Fold::Maximum => add_with(rows, sums, F32x4::maximum),
        Fold::Minimum => add_with(rows, sums, F32x4::minimum),
    }
}

#[inline(always)]
fn add_with(rows: &[f32], sums: &mut [f32], step: impl Fn(F32x4, F32x4) -> F32x4) {
    let inner = sums.len();
    let mut fours = rows.chunks_exact(4 * inner);
    for four in &mut fours {
        let row = |row: usize| four[row * inner..].as_ptr();
        // SAFETY: each of the four rows has `inner` elements.
        unsafe {
            add_rows([row(0), row(1), row(2), row(3)], sums, |_, sum, [a, b, c, d]| {
                step(sum, step(step(a, b), step(c, d)))
            })
        };
    }
    for row in fours.remainder().chunks_exact(inner) {
        // SAFETY: the row has `inner` elements.
        unsafe { add_rows([row.as_ptr()], sums, |_, sum, [a]| step(sum, a)) };
    }
}

/// `f` of every sum and the elements below it, and of which of two vectors that are taken together they are in.
///
/// # Safety
/// Each row has as many elements as `sums`.
#[inline(always)]
pub(crate) unsafe fn add_rows<const N: usize>(
    rows: [*const f32; N],
    sums: &mut [f32],
    f: impl Fn(usize, F32x4, [F32x4; N]) -> F32x4,
) {
    let n = sums.len();
    let to = sums.as_mut_ptr();
    let mut at = 0;
    unsafe {
        while at + 8 <= n {
            for half in [0, 1] {
                let at = at + 4 * half;
                let below = rows.map(|row| F32x4::load(row.add(at)));
                f(half, F32x4::load(to.add(at)), below).store(to.add(at));
            }
            at += 8;
        }
        while at < n {
            let below = rows.map(|row| F32x4::splat(*row.add(at)));
            *to.add(at) = f(0, F32x4::splat(*to.add(at)), below).to_array()[0];
            at += 1;
        }
    }
}
