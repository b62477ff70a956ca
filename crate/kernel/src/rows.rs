//! Softmax and normalisation of float32: lines are brought to sum 1, or to mean 0 and variance 1.
//!
//! A line is what is reduced in an [`Extent`]: a row where `inner` is 1, otherwise a column. Sums over lines have the
//! order of [`crate::fold`], but for that of [`softmax`]: blocks of 1024 elements, in a block element `i` to partial sum
//! `i mod 4`, added as [`F32x4::sum`], the blocks in float64; a column is summed in order. Each takes its data as a
//! [`Source`], so that it can work in place.
//!
//! Softmax and its logarithm are within 3 ulp of the exact result for the differences from the largest element as they
//! are rounded. As in [`crate::normal`], a NaN, an infinity or nothing but -infinity makes NaN of the line.
//!
//! ```
//! use kernel::{elementwise::Source, fold::Extent, rows};
//! let mut line = [1.0, 1.0, f32::NEG_INFINITY];
//! rows::softmax(Extent { outer: 1, reduced: 3, inner: 1 }, Source::Result, &mut line);
//! assert_eq!(line, [0.5, 0.5, 0.0]);
//! ```

#![allow(unsafe_code, reason = "loads and stores of four lanes through pointers")]

use crate::elementwise::loops::{Operand, vectors};
use crate::elementwise::{Binary, Source, binary};
use crate::fold::{self, Extent};
use crate::lanes::{F32x4, Lanes};
use crate::math::{EXP_IS_ZERO, SHIFT, SHIFTED, shifted_exp};

#[cfg(test)]
mod tests;

/// Factors and summands after normalisation, one for each index of an axis; 1 and 0 where there are none.
#[derive(Clone, Copy, Debug)]
pub struct Affine<'a> {
    pub gamma: Option<&'a [f32]>,
    pub beta: Option<&'a [f32]>,
    /// Added to the variance.
    pub epsilon: f32,
}

/// `e^x / Σ e^x`, the sum over each line.
pub fn softmax(extent: Extent, from: Source, to: &mut [f32]) {
    lines(extent, from, to, |line| unsafe { line.softmax::<F32x4>() }, |line| unsafe { line.softmax::<f32>() });
}

/// `x - log Σ e^x`, the sum over each line.
pub fn log_softmax(extent: Extent, from: Source, to: &mut [f32]) {
    lines(extent, from, to, |line| unsafe { line.log_softmax::<F32x4>() }, |line| unsafe { line.log_softmax::<f32>() });
}

/// A row, or as many columns as there are lanes.
#[derive(Clone, Copy)]
struct Line {
    from: *const f32,
    to: *mut f32,
    n: usize,
    /// From one element to the next; 1 for a row.
    step: usize,
}

/// Runs `four` on rows and on four columns at a time, `one` on the columns that are left.
fn lines(extent: Extent, from: Source, to: &mut [f32], four: impl Fn(Line), one: impl Fn(Line)) {
    let Extent { reduced, inner, .. } = extent;
    let result = to.as_mut_ptr();
    let start = start_of(from, to);
    assert_eq!(to.len(), extent.n_elements());
    if reduced == 0 || inner == 0 {
        return;
    }
    for outer in 0..extent.outer {
        let mut column = 0;
        while column < inner {
            let at = outer * reduced * inner + column;
            // SAFETY: inside the extent.
            let line = unsafe { Line { from: start.add(at), to: result.add(at), n: reduced, step: inner } };
            if inner == 1 || inner - column >= 4 {
                four(line);
                column += 4;
            } else {
                one(line);
                column += 1;
            }
        }
    }
}

/// Where the data are, which have as many elements as the result.
fn start_of(from: Source, to: &mut [f32]) -> *const f32 {
    match from {
        Source::Other(from) => {
            assert_eq!(from.len(), to.len());
            from.as_ptr()
        }
        Source::Result => to.as_mut_ptr().cast_const(),
    }
}

impl Line {
    /// The elements `at` of the columns of `L`, or up to four elements of a row from `at` on; missing ones are `pad`.
    #[inline(always)]
    unsafe fn load<L: Lanes>(self, at: usize, pad: f32) -> L {
        unsafe {
            if self.step != 1 || at + 4 <= self.n {
                return L::load(self.from.add(at * self.step));
            }
            let mut padded = [pad; 4];
            std::ptr::copy_nonoverlapping(self.from.add(at), padded.as_mut_ptr(), self.n - at);
            L::load(padded.as_ptr())
        }
    }

    #[inline(always)]
    unsafe fn store<L: Lanes>(self, at: usize, lanes: L) {
        unsafe {
            if self.step != 1 || at + 4 <= self.n {
                return lanes.store(self.to.add(at * self.step));
            }
            let mut padded = [0.0; 4];
            lanes.store(padded.as_mut_ptr());
            std::ptr::copy_nonoverlapping(padded.as_ptr(), self.to.add(at), self.n - at);
        }
    }

    /// How far one vector is from the next.
    fn stride(self) -> usize {
        if self.step == 1 { 4 } else { 1 }
    }

    /// The largest elements; of a row, in every lane. A NaN may be left out: it comes back in the sum.
    #[inline(always)]
    unsafe fn largest<L: Lanes>(self) -> L {
        let mut largest = [L::splat(f32::NEG_INFINITY); 2];
        for at in (0..self.n).step_by(self.stride()) {
            let side = &mut largest[at / self.stride() % 2];
            *side = side.pmax(unsafe { self.load(at, f32::NEG_INFINITY) });
        }
        let largest = largest[0].pmax(largest[1]);
        if self.step != 1 {
            return largest;
        }
        let mut lanes = [f32::NEG_INFINITY; 4];
        unsafe { largest.store(lanes.as_mut_ptr()) };
        L::splat(lanes.into_iter().fold(f32::NEG_INFINITY, Lanes::pmax))
    }

    /// `e^(x - largest)` times [`SHIFT`] of each element goes to `target`, and the sum over the line is the answer; of a
    /// row, in every lane.
    #[inline(always)]
    unsafe fn powers<L: Lanes>(self, largest: L, target: impl Fn(usize, L)) -> L {
        let zero = L::splat(0.0);
        let (mut sum, mut total) = (zero, 0.0);
        for at in (0..self.n).step_by(self.stride()) {
            let x = unsafe { self.load::<L>(at, f32::NEG_INFINITY) } - largest;
            let power = shifted_exp(x.pmax(L::splat(EXP_IS_ZERO)), SHIFTED);
            target(at, power);
            sum = sum + power;
            if self.step == 1 && at % 1024 == 1020 {
                total += unsafe { across(sum) };
                sum = zero;
            }
        }
        if self.step == 1 { L::splat((total + unsafe { across(sum) }) as f32) } else { sum }
    }

    unsafe fn softmax<L: Lanes>(self) {
        unsafe {
            let sum = self.powers::<L>(self.largest(), |at, power| self.store(at, power));
            let factor = L::splat(1.0) / sum;
            let result = Line { from: self.to.cast_const(), ..self };
            for at in (0..self.n).step_by(self.stride()) {
                self.store(at, result.load::<L>(at, 0.0) * factor);
            }
        }
    }

    unsafe fn log_softmax<L: Lanes>(self) {
        unsafe {
            let largest = self.largest::<L>();
            let sum = self.powers(largest, |_, _| ()) * L::splat(1.0 / SHIFT);
            let log = crate::math::log(sum);
            for at in (0..self.n).step_by(self.stride()) {
                self.store(at, self.load::<L>(at, 0.0) - largest - log);
            }
        }
    }
}

/// The sum of the lanes of a row.
#[inline(always)]
unsafe fn across<L: Lanes>(lanes: L) -> f64 {
    let mut four = [0.0; 4];
    unsafe { lanes.store(four.as_mut_ptr()) };
    f64::from(F32x4::from_array(four).sum())
}

/// `((x - mean) * factor) * gamma + beta` for `n` elements.
///
/// # Safety
/// As for the operands of [`vectors`].
unsafe fn affine(operands: [Operand; 5], to: *mut f32, n: usize) {
    unsafe {
        vectors(operands, to, n, |[x, mean, factor, gamma, beta], to, n| {
            let (mut x, mut mean, mut factor, mut gamma, mut beta, mut to) = (x, mean, factor, gamma, beta, to);
            let end = to.add(n);
            while to != end {
                let load = |(from, _): (*const f32, usize)| F32x4::load(from);
                let normal = (load(x) - load(mean)) * load(factor);
                normal.mul_add(load(gamma), load(beta)).store(to);
                for (from, step) in [&mut x, &mut mean, &mut factor, &mut gamma, &mut beta] {
                    *from = from.add(*step);
                }
                to = to.add(4);
            }
        });
    }
}

/// The element of a vector that may be missing.
fn one_of(vector: Option<&[f32]>, at: usize, missing: f32) -> Operand {
    Operand::One(vector.map_or(missing, |vector| vector[at]))
}

/// The whole vector, `n` elements, or what stands for it.
fn each_of(vector: Option<&[f32]>, n: usize, missing: f32) -> Operand {
    vector.map_or(Operand::One(missing), |vector| {
        assert_eq!(vector.len(), n);
        Operand::Each(vector.as_ptr())
    })
}

fn mean_and_factor(sum: f32, squares: impl Fn(f32) -> f32, n: usize, epsilon: f32) -> (f32, f32) {
    let mean = (f64::from(sum) / n as f64) as f32;
    let variance = f64::from(squares(mean)) / n as f64;
    (mean, (1.0 / (variance + f64::from(epsilon)).sqrt()) as f32)
}

/// Brings each line to mean 0 and variance 1, then times gamma plus beta, which have one element for each of the line.
pub fn layer_norm(extent: Extent, parameters: Affine, from: Source, to: &mut [f32], scratch: &mut Vec<f32>) {
    let Extent { outer, reduced, inner } = extent;
    let Affine { gamma, beta, epsilon } = parameters;
    assert_eq!(to.len(), extent.n_elements());
    let (start, result) = (start_of(from, to), to.as_mut_ptr());
    if to.is_empty() {
        return;
    }
    if inner == 1 {
        let (gamma, beta) = (each_of(gamma, reduced, 1.0), each_of(beta, reduced, 0.0));
        for row in 0..outer {
            // SAFETY: a row has `reduced` elements, and no one writes to it while it is summed.
            unsafe {
                let data = start.add(row * reduced);
                let elements = std::slice::from_raw_parts(data, reduced);
                let squares = |mean| fold::sum_of_squares(elements, mean);
                let (mean, factor) = mean_and_factor(fold::sum(elements), squares, reduced, epsilon);
                let operands = [Operand::Each(data), Operand::One(mean), Operand::One(factor), gamma, beta];
                affine(operands, result.add(row * reduced), reduced);
            }
        }
        return;
    }
    let n = outer * inner;
    let mut moments = std::mem::take(scratch);
    moments.clear();
    moments.resize(2 * n, 0.0);
    let (means, factors) = moments.split_at_mut(n);
    // SAFETY: as many elements as the result, which nothing writes to while they are read.
    let elements = unsafe { std::slice::from_raw_parts(start, to.len()) };
    fold::fold(fold::Fold::Sum, extent, elements, means, scratch);
    binary(Binary::Divide, Source::Result, Source::Other(&[reduced as f32]), means);
    fold::squares(extent, elements, means, factors, scratch);
    for factor in &mut *factors {
        *factor = (1.0 / (f64::from(*factor) / reduced as f64 + f64::from(epsilon)).sqrt()) as f32;
    }
    for row in 0..outer * reduced {
        let lines = row / reduced * inner;
        // SAFETY: a row has `inner` elements, as the means and factors of its lines.
        unsafe {
            let mean = Operand::Each(means.as_ptr().add(lines));
            let factor = Operand::Each(factors.as_ptr().add(lines));
            let (gamma, beta) = (one_of(gamma, row % reduced, 1.0), one_of(beta, row % reduced, 0.0));
            let operands = [Operand::Each(start.add(row * inner)), mean, factor, gamma, beta];
            affine(operands, result.add(row * inner), inner);
        }
    }
    *scratch = moments;
}

/// Channels in groups, of data `[images, channels, inner]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Groups {
    pub n_images: usize,
    pub n_channels: usize,
    pub inner: usize,
    /// Divides `n_channels`; as many as channels for `instance_norm`.
    pub n_groups: usize,
}

/// Brings each group of each image to mean 0 and variance 1, then times gamma plus beta of the channel.
pub fn group_norm(groups: Groups, parameters: Affine, from: Source, to: &mut [f32]) {
    let Groups { n_images, n_channels, inner, n_groups } = groups;
    let Affine { gamma, beta, epsilon } = parameters;
    assert_eq!(to.len(), n_images * n_channels * inner);
    let (start, result) = (start_of(from, to), to.as_mut_ptr());
    if to.is_empty() {
        return;
    }
    let of_group = n_channels / n_groups;
    let size = of_group * inner;
    for group in 0..n_images * n_groups {
        // SAFETY: a group has `size` elements in a row, and no one writes to them while they are summed.
        let elements = unsafe { std::slice::from_raw_parts(start.add(group * size), size) };
        let squares = |mean| fold::sum_of_squares(elements, mean);
        let (mean, factor) = mean_and_factor(fold::sum(elements), squares, size, epsilon);
        for channel in group * of_group..(group + 1) * of_group {
            let (gamma, beta) = (one_of(gamma, channel % n_channels, 1.0), one_of(beta, channel % n_channels, 0.0));
            let at = channel * inner;
            // SAFETY: a channel has `inner` elements.
            unsafe {
                let operands = [Operand::Each(start.add(at)), Operand::One(mean), Operand::One(factor), gamma, beta];
                affine(operands, result.add(at), inner);
            }
        }
    }
}

/// `(x - mean) / sqrt(variance + epsilon) * gamma + beta`, each of the channel: the reduced axis of the extent.
pub fn batch_norm(
    extent: Extent,
    parameters: Affine,
    [means, variances]: [&[f32]; 2],
    from: Source,
    to: &mut [f32],
    scratch: &mut Vec<f32>,
) {
    let Extent { outer, reduced, inner } = extent;
    let Affine { gamma, beta, epsilon } = parameters;
    assert!(to.len() == extent.n_elements() && means.len() == reduced && variances.len() == reduced);
    let (start, result) = (start_of(from, to), to.as_mut_ptr());
    if to.is_empty() {
        return;
    }
    scratch.clear();
    scratch.extend(variances.iter().map(|&x| (1.0 / (f64::from(x) + f64::from(epsilon)).sqrt()) as f32));
    if inner == 1 {
        let (gamma, beta) = (each_of(gamma, reduced, 1.0), each_of(beta, reduced, 0.0));
        for row in 0..outer {
            // SAFETY: rows and vectors have `reduced` elements.
            unsafe {
                let data = Operand::Each(start.add(row * reduced));
                let operands = [data, Operand::Each(means.as_ptr()), Operand::Each(scratch.as_ptr()), gamma, beta];
                affine(operands, result.add(row * reduced), reduced);
            }
        }
        return;
    }
    for row in 0..outer * reduced {
        let channel = row % reduced;
        let (mean, factor) = (Operand::One(means[channel]), Operand::One(scratch[channel]));
        // SAFETY: a row has `inner` elements.
        unsafe {
            let data = Operand::Each(start.add(row * inner));
            let operands = [data, mean, factor, one_of(gamma, channel, 1.0), one_of(beta, channel, 0.0)];
            affine(operands, result.add(row * inner), inner);
        }
    }
}

/// Divides each line by the root of its sum of squares, or by that of `epsilon` where the sum is less.
pub fn l2_normalize(extent: Extent, epsilon: f32, from: &[f32], to: &mut [f32], scratch: &mut Vec<f32>) {
    let Extent { outer, reduced, inner } = extent;
    assert!(from.len() == extent.n_elements() && to.len() == from.len());
    if from.is_empty() {
        return;
    }
    let mut roots = std::mem::take(scratch);
    roots.clear();
    roots.resize(2 * outer * inner, 0.0);
    let (roots_of, zeros) = roots.split_at_mut(outer * inner);
    fold::squares(extent, from, zeros, roots_of, scratch);
    for root in &mut *roots_of {
        // A NaN is no less than epsilon.
        *root = if *root < epsilon { epsilon.sqrt() } else { root.sqrt() };
    }
    let line = if inner == 1 { reduced } else { inner };
    for (row, (from, to)) in from.chunks_exact(line).zip(to.chunks_exact_mut(line)).enumerate() {
        let roots = if inner == 1 { &roots_of[row..=row] } else { &roots_of[row / reduced * inner..][..inner] };
        binary(Binary::Divide, Source::Other(from), Source::Other(roots), to);
    }
    *scratch = roots;
}
