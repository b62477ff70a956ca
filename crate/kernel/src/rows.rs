//! Softmax and normalisation of float32: lines are brought to sum 1, or to mean 0 and variance 1.
//!
//! A line is what is reduced in an [`Extent`]: a row where `inner` is 1, otherwise a column. Sums over lines have the
//! order of [`crate::fold`], but for those of [`softmax`] and [`log_softmax`]: of a row, blocks of 128 elements, in a
//! block element `i` to partial sum `i mod 8`, added as `p0+p4` for each of four lanes and [`F32x4::sum`], the blocks
//! (and what is left of the last one) in float64; a column in order, and what a rounding loses is added with the next
//! element (Kahan, *Further remarks on reducing truncation errors*, 1965). Each takes its data as a [`Source`], so that
//! it can work in place. As in [`crate::normal`], a NaN, an infinity or nothing but -infinity makes NaN of the line.
//!
//! Errors, for finite results whose sums and squares are none too large or too small for a float32:
//!
//! | function | largest error |
//! |---|---|
//! | [`softmax`] | 16 ulp in rows, 4 ulp in columns |
//! | [`log_softmax`] | 8 ulp, for results between -1 and 1 of those of 1 |
//! | [`layer_norm`], [`group_norm`] | `(2·r + 8) · 2⁻²⁴ · ((abs(x) + mean of abs) / root · abs(gamma) + abs(beta))` |
//! | [`l2_normalize`] | `r / 2 + 3` ulp |
//!
//! The first two are for differences from the largest element as they are rounded, which counts at most `d` ulp more
//! for a difference of `-d`; the largest that was ever found is 11, where few different elements stand against each
//! other, since each power is within 3.1 units of 2⁻²⁴. The others follow from the roundings on the way, of which
//! `r` are those of a sum ([`crate::fold`]); where none conspire they are within 32 of the same units, and 24 ulp.
//!
//! ```
//! use kernel::{elementwise::Source, fold::Extent, rows};
//! let mut line = [1.0, 1.0, f32::NEG_INFINITY];
//! rows::softmax(Extent { outer: 1, reduced: 3, inner: 1 }, Source::Result, &mut line, &mut vec![]);
//! assert_eq!(line, [0.5, 0.5, 0.0]);
//! ```

#![allow(unsafe_code, reason = "loads and stores of four lanes through pointers")]

use crate::elementwise::loops::{self, Bend, Operand, affine};
use crate::elementwise::{Binary, Source, Unary, binary};
use crate::fold::{self, Extent, Fold};
use crate::gemm::moves::copy;
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

/// So many elements of a row are summed in float32.
const BLOCK: usize = 128;

/// Rows that are normalised at once, and the elements of those that have so many.
const SIDE_BY_SIDE: usize = 4;
const CACHED: usize = 4096;

/// `e^x / Σ e^x`, the sum over each line. `scratch` is overwritten.
pub fn softmax(extent: Extent, from: Source, to: &mut [f32], scratch: &mut Vec<f32>) {
    if is_short(extent) {
        return short(extent, from, to, false);
    }
    let row = |from, to: *mut f32, n: usize| unsafe {
        let largest = largest(from, n);
        // The sum of one block is a float32, whose inverse in float64 is rounded to the same as its inverse in float32.
        let factor = match n <= BLOCK && n.is_multiple_of(8) {
            true => 1.0 / block_powers(from, (to, 8), n, largest),
            false => (1.0 / powers(from, (to, 8), n, largest)) as f32,
        };
        scale(to, n, factor);
    };
    let column = |columns: Columns| unsafe {
        for row in 0..columns.n_rows {
            let to = columns.minus_largest(row);
            loops::unary(&Unary::Exp, Operand::Each(to.cast_const()), to, columns.n);
            columns.add(to);
        }
        for row in 0..columns.n_rows {
            let to = columns.to.add(row * columns.n);
            let sums = Operand::Each(columns.sums.cast_const());
            loops::binary(Binary::Divide, Operand::Each(to.cast_const()), sums, to, columns.n);
        }
    };
    lines(extent, from, to, scratch, row, column);
}

fn is_short(Extent { reduced, inner, .. }: Extent) -> bool {
    inner == 1 && (1..=8).contains(&reduced)
}

/// [`softmax`] or its logarithm of rows of at most 8 elements, in the same order.
#[inline(never)]
fn short(extent: Extent, from: Source, to: &mut [f32], is_log: bool) {
    assert_eq!(to.len(), extent.n_elements());
    let (from, to, n) = (start_of(from, to), to.as_mut_ptr(), extent.reduced);
    let shifted_exp = shifted_exp(&SHIFTED);
    let [least] = F32x4::constants(&[EXP_IS_ZERO]);
    let few = n.min(4);
    for row in 0..extent.outer {
        // SAFETY: there are as many rows of as many elements.
        unsafe {
            let (from, to) = (from.add(row * n), to.add(row * n));
            let (a, b) = (some_of(from, few), some_of(from.wrapping_add(few), n - few));
            let largest = F32x4::splat(largest_of(a.pmax(b)));
            let (a, b) = (a - largest, b - largest);
            let power = |x: F32x4| shifted_exp(x.pmax(least));
            let (x, y) = (power(a), if n > 4 { power(b) } else { F32x4::splat(0.0) });
            let sum = (x + y).sum();
            let (a, b) = if is_log {
                let log = F32x4::splat(libm::log(f64::from(sum) / f64::from(SHIFT)) as f32);
                (a - log, b - log)
            } else {
                let factor = F32x4::splat(1.0 / sum);
                (x * factor, y * factor)
            };
            store_some(a, to, few);
            if n > 4 {
                store_some(b, to.add(4), n - few);
            }
        }
    }
}

/// At most four elements; for those that are missing, nothing can be smaller.
#[inline(always)]
unsafe fn some_of(from: *const f32, n: usize) -> F32x4 {
    let none = f32::NEG_INFINITY;
    unsafe {
        let at = |at: usize| if at < n { *from.add(at) } else { none };
        match n {
            4 => F32x4::load(from),
            _ => F32x4::from_array([at(0), at(1), at(2), none]),
        }
    }
}

/// The first `n` of four elements.
#[inline(always)]
unsafe fn store_some(x: F32x4, to: *mut f32, n: usize) {
    unsafe {
        if n == 4 {
            x.store(to);
        } else {
            let [a, b, c, _] = x.to_array();
            *to = a;
            if n > 1 {
                *to.add(1) = b;
            }
            if n > 2 {
                *to.add(2) = c;
            }
        }
    }
}

/// `x - log Σ e^x`, the sum over each line. `scratch` is overwritten.
pub fn log_softmax(extent: Extent, from: Source, to: &mut [f32], scratch: &mut Vec<f32>) {
    if is_short(extent) {
        return short(extent, from, to, true);
    }
    let row = |from, to, n| unsafe {
        let largest = largest(from, n);
        let sum = powers(from, ([0.0; 8].as_mut_ptr(), 0), n, largest) / f64::from(SHIFT);
        loops::binary(Binary::Subtract, Operand::Each(from), Operand::One(largest), to, n);
        let log = Operand::One(libm::log(sum) as f32);
        loops::binary(Binary::Subtract, Operand::Each(to.cast_const()), log, to, n);
    };
    let column = |columns: Columns| unsafe {
        for row in 0..columns.n_rows {
            let to = columns.minus_largest(row);
            loops::unary(&Unary::Exp, Operand::Each(to.cast_const()), columns.powers, columns.n);
            columns.add(columns.powers);
        }
        loops::unary(&Unary::Log, Operand::Each(columns.sums.cast_const()), columns.sums, columns.n);
        for row in 0..columns.n_rows {
            let to = columns.to.add(row * columns.n);
            let logs = Operand::Each(columns.sums.cast_const());
            loops::binary(Binary::Subtract, Operand::Each(to.cast_const()), logs, to, columns.n);
        }
    };
    lines(extent, from, to, scratch, row, column);
}

/// Columns side by side, and what stands for each of them.
#[derive(Clone, Copy)]
struct Columns {
    from: *const f32,
    to: *mut f32,
    n: usize,
    n_rows: usize,
    largest: *const f32,
    sums: *mut f32,
    /// What the sums lack by their last rounding.
    lost: *mut f32,
    powers: *mut f32,
}

impl Columns {
    /// The differences of a row from the largest elements, in the result.
    unsafe fn minus_largest(self, row: usize) -> *mut f32 {
        unsafe {
            let to = self.to.add(row * self.n);
            let (x, largest) = (Operand::Each(self.from.add(row * self.n)), Operand::Each(self.largest));
            loops::binary(Binary::Subtract, x, largest, to, self.n);
            to
        }
    }

    /// Adds a row to the sums, and what they lack.
    #[inline(never)]
    unsafe fn add(self, row: *const f32) {
        let Columns { n, sums, lost, .. } = self;
        let add = |sum: F32x4, lost: F32x4, x: F32x4| {
            let x = x + lost;
            let next = sum + x;
            (next, x - (next - sum))
        };
        let mut at = 0;
        unsafe {
            while at + 4 <= n {
                let (sums, lost) = (sums.add(at), lost.add(at));
                let (sum, left) = add(F32x4::load(sums), F32x4::load(lost), F32x4::load(row.add(at)));
                sum.store(sums);
                left.store(lost);
                at += 4;
            }
            while at < n {
                let [sum, left, x] = [*sums.add(at), *lost.add(at), *row.add(at)].map(F32x4::splat);
                let (sum, left) = add(sum, left, x);
                [*sums.add(at), *lost.add(at)] = [sum, left].map(|lanes| lanes.to_array()[0]);
                at += 1;
            }
        }
    }
}

/// Runs `row` on each row (data, result, size), or `column` on the columns of each matrix.
fn lines(
    extent: Extent,
    from: Source,
    to: &mut [f32],
    scratch: &mut Vec<f32>,
    row: impl Fn(*const f32, *mut f32, usize),
    column: impl Fn(Columns),
) {
    let Extent { outer, reduced, inner } = extent;
    assert_eq!(to.len(), extent.n_elements());
    if to.is_empty() {
        return;
    }
    let (start, result) = (start_of(from, to), to.as_mut_ptr());
    let size = reduced * inner;
    if inner == 1 {
        for at in 0..outer {
            row(start.wrapping_add(at * size), result.wrapping_add(at * size), size);
        }
        return;
    }
    let mut stands = std::mem::take(scratch);
    stands.clear();
    stands.resize(4 * inner, 0.0);
    for at in 0..outer {
        // SAFETY: inside the extent; nothing writes to the data while they are a slice.
        unsafe {
            let (from, to) = (start.add(at * size), result.add(at * size));
            let (largest, rest) = stands.split_at_mut(inner);
            let data = std::slice::from_raw_parts(from, size);
            fold::fold(Fold::Maximum, Extent { outer: 1, ..extent }, data, largest, scratch);
            rest.fill(0.0);
            let sums = rest.as_mut_ptr();
            let (lost, powers) = (sums.add(inner), sums.add(2 * inner));
            column(Columns { from, to, n: inner, n_rows: reduced, largest: largest.as_ptr(), sums, lost, powers });
        }
    }
    *scratch = stands;
}

/// The largest element of a row. A NaN may be left out: it comes back in the sum.
unsafe fn largest(from: *const f32, n: usize) -> f32 {
    let mut parts = [F32x4::splat(f32::NEG_INFINITY); 4];
    let mut at = 0;
    unsafe {
        while at + 16 <= n {
            for (vector, part) in parts.iter_mut().enumerate() {
                *part = part.pmax(F32x4::load(from.add(at + 4 * vector)));
            }
            at += 16;
        }
        let [mut a, b, c, d] = parts;
        while at + 4 <= n {
            a = a.pmax(F32x4::load(from.add(at)));
            at += 4;
        }
        while at < n {
            a = a.pmax(F32x4::splat(*from.add(at)));
            at += 1;
        }
        largest_of(a.pmax(b).pmax(c.pmax(d)))
    }
}

#[inline(always)]
fn largest_of(lanes: F32x4) -> f32 {
    let pairs = lanes.even(lanes).pmax(lanes.odd(lanes));
    pairs.even(pairs).pmax(pairs.odd(pairs)).to_array()[0]
}

/// Times `factor`.
unsafe fn scale(x: *mut f32, n: usize, factor: f32) {
    let (factors, mut at) = (F32x4::splat(factor), 0);
    unsafe {
        while at + 8 <= n {
            let pair = [F32x4::load(x.add(at)) * factors, F32x4::load(x.add(at + 4)) * factors];
            pair[0].store(x.add(at));
            pair[1].store(x.add(at + 4));
            at += 8;
        }
        while at < n {
            *x.add(at) *= factor;
            at += 1;
        }
    }
}

/// `e^(x - largest)` times [`SHIFT`] of each element goes to the target (a pointer and how far it moves for eight
/// elements: 8, or 0 to stay); the answer is their sum.
unsafe fn powers(from: *const f32, (to, step): (*mut f32, usize), n: usize, largest: f32) -> f64 {
    let mut total = 0.0;
    let mut at = 0;
    unsafe {
        while at + 8 <= n {
            let length = BLOCK.min((n - at) & !7);
            total += f64::from(block_powers(from.add(at), (to.add(at / 8 * step), step), length, largest));
            at += length;
        }
        if at < n {
            let mut few = [f32::NEG_INFINITY; 8];
            copy(from.add(at), few.as_mut_ptr(), n - at);
            total += f64::from(block_powers(few.as_ptr(), (few.as_mut_ptr(), 8), 8, largest));
            copy(few.as_ptr(), to.add(at / 8 * step), n - at);
        }
    }
    total
}

/// As [`powers`], of a multiple of eight elements, at most [`BLOCK`].
#[inline(never)]
unsafe fn block_powers(mut from: *const f32, (mut to, step): (*mut f32, usize), n: usize, largest: f32) -> f32 {
    let largest = F32x4::splat(largest);
    let shifted_exp = shifted_exp(&SHIFTED);
    let [least] = F32x4::constants(&[EXP_IS_ZERO]);
    let power = |x: F32x4| shifted_exp((x - largest).pmax(least));
    let mut sums = [F32x4::splat(0.0); 2];
    unsafe {
        let end = from.add(n);
        while from != end {
            let pair = [power(F32x4::load(from)), power(F32x4::load(from.add(4)))];
            sums = [sums[0] + pair[0], sums[1] + pair[1]];
            pair[0].store(to);
            pair[1].store(to.add(4));
            (from, to) = (from.add(8), to.add(step));
        }
    }
    (sums[0] + sums[1]).sum()
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

fn mean_of(sum: f32, n: usize) -> f32 {
    (f64::from(sum) / n as f64) as f32
}

fn factor_of(squares: f32, n: usize, epsilon: f32) -> f32 {
    let variance = f64::from(squares) / n as f64;
    (1.0 / (variance + f64::from(epsilon)).sqrt()) as f32
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
        let (gamma, beta) = (each_of(gamma, reduced, 1.0), each_of(beta, reduced, -0.0));
        if reduced <= 16 && reduced.is_multiple_of(4) {
            // SAFETY: there are `outer` rows of as many elements.
            return unsafe { short_norm(extent, [gamma, beta], epsilon, start, result) };
        }
        // Rows side by side, of which a processor works on several at once.
        let at_once = (CACHED / reduced).clamp(1, SIDE_BY_SIDE);
        for first in (0..outer).step_by(at_once) {
            let n_rows = at_once.min(outer - first);
            // SAFETY: a row has `reduced` elements, and no one writes to it while it is summed.
            unsafe {
                let row = |at: usize| start.add((first + at) * reduced);
                let elements = |at: usize| std::slice::from_raw_parts(row(at), reduced);
                let (mut means, mut factors) = ([0.0; SIDE_BY_SIDE], [0.0; SIDE_BY_SIDE]);
                for (at, mean) in means[..n_rows].iter_mut().enumerate() {
                    *mean = mean_of(fold::sum(elements(at)), reduced);
                }
                for (at, factor) in factors[..n_rows].iter_mut().enumerate() {
                    *factor = factor_of(fold::sum_of_squares(elements(at), means[at]), reduced, epsilon);
                }
                for at in 0..n_rows {
                    let (mean, factor) = (Operand::One(means[at]), Operand::One(factors[at]));
                    affine(
                        [Operand::Each(row(at)), mean, factor, gamma, beta],
                        Bend::NOTHING,
                        result.add((first + at) * reduced),
                        reduced,
                    );
                }
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
    fold::fold(Fold::Sum, extent, elements, means, scratch);
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
            let (gamma, beta) = (one_of(gamma, row % reduced, 1.0), one_of(beta, row % reduced, -0.0));
            let operands = [Operand::Each(start.add(row * inner)), mean, factor, gamma, beta];
            affine(operands, Bend::NOTHING, result.add(row * inner), inner);
        }
    }
    *scratch = moments;
}

/// [`layer_norm`] of rows of 4, 8, 12 or 16 elements, in the same order: a row is in registers from first to last.
///
/// # Safety
/// As many can be read, and written, as the extent has; vectors have as many as a row.
#[inline(never)]
unsafe fn short_norm(extent: Extent, [gamma, beta]: [Operand; 2], epsilon: f32, from: *const f32, to: *mut f32) {
    let (n, zero) = (extent.reduced, F32x4::splat(0.0));
    let each = |of: &dyn Fn(usize) -> F32x4| {
        [of(0), if n > 4 { of(4) } else { zero }, if n > 8 { of(8) } else { zero }, if n > 12 { of(12) } else { zero }]
    };
    let sum = |[a, b, c, d]: [F32x4; 4]| (((zero + a) + (zero + b)) + ((zero + c) + (zero + d))).sum();
    for row in 0..extent.outer {
        // SAFETY: as the function's.
        unsafe {
            let (from, to) = (from.add(row * n), to.add(row * n));
            let row = each(&|at| F32x4::load(from.add(at)));
            let mean = F32x4::splat(mean_of(sum(row), n));
            let apart = row.map(|x| x - mean);
            let squares = each(&|at| apart[at / 4] * apart[at / 4]);
            let factor = F32x4::splat(factor_of(sum(squares), n, epsilon));
            for (at, apart) in apart.into_iter().enumerate() {
                if 4 * at < n {
                    (apart * factor * gamma.four(4 * at) + beta.four(4 * at)).store(to.add(4 * at));
                }
            }
        }
    }
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
        let mean = mean_of(fold::sum(elements), size);
        let factor = factor_of(fold::sum_of_squares(elements, mean), size, epsilon);
        for channel in group * of_group..(group + 1) * of_group {
            let (gamma, beta) = (one_of(gamma, channel % n_channels, 1.0), one_of(beta, channel % n_channels, -0.0));
            let at = channel * inner;
            // SAFETY: a channel has `inner` elements.
            unsafe {
                let operands = [Operand::Each(start.add(at)), Operand::One(mean), Operand::One(factor), gamma, beta];
                affine(operands, Bend::NOTHING, result.add(at), inner);
            }
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
