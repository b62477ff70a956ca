//! Maximum and average pooling of float32 over up to three spatial axes; data is `[planes, …size]`.
//!
//! A row of the result takes two steps: the rows of the data that its window sees are folded into one line, from the
//! first to the last; then every position folds what its window sees of the line, from left to right. Around the line
//! is padding that changes nothing.
//!
//! Maxima are those of [`crate::window`] (NaN where the window sees one, -infinity where it sees only padding), but a
//! zero is always +0. Averages divide such a sum by a count; zero where the window sees only padding.
//!
//! ```
//! use kernel::pool::{Window, max_pool};
//! let window = Window { kernel: [1, 2, 2], ..Window::new([1, 2, 3], [1, 1, 2]) };
//! let mut largest = [0.0; 2];
//! max_pool(&window, &[1.0, 9.0, 3.0, 4.0, 5.0, 6.0], &mut largest, &mut vec![]);
//! assert_eq!(largest, [9.0, 9.0]);
//! ```

#![allow(unsafe_code, reason = "loads and stores of four lanes through pointers")]

use crate::fold::add_rows;
use crate::lanes::{F32x4, Lanes};
use crate::window::Divisor;

#[cfg(test)]
mod tests;

/// The sizes of a pooling, outermost axis first; with fewer than three axes, the first ones are 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    pub size: [usize; 3],
    pub output: [usize; 3],
    pub kernel: [usize; 3],
    /// At least 1.
    pub strides: [usize; 3],
    /// At least 1.
    pub dilation: [usize; 3],
    /// Padding before the first element and after the last.
    pub before: [usize; 3],
    pub after: [usize; 3],
}

impl Window {
    /// A kernel of 1, strides and dilation 1, no padding.
    pub fn new(size: [usize; 3], output: [usize; 3]) -> Window {
        Window { size, output, kernel: [1; 3], strides: [1; 3], dilation: [1; 3], before: [0; 3], after: [0; 3] }
    }

    /// The elements along `axis` that output position `at` sees: the first, and how many, `dilation` apart.
    fn looks(&self, axis: usize, at: usize) -> (usize, usize) {
        let wide = |x: usize| x as u64;
        let (dilation, before) = (wide(self.dilation[axis]), wide(self.before[axis]));
        let start = wide(at) * wide(self.strides[axis]);
        let skipped = before.saturating_sub(start).div_ceil(dilation);
        let first = start + skipped * dilation - before.min(start + skipped * dilation);
        let room = wide(self.size[axis]).saturating_sub(first).div_ceil(dilation);
        (first as usize, room.min(wide(self.kernel[axis]).saturating_sub(skipped)) as usize)
    }

    /// How many kernel indices along `axis` an average at position `at` divides by.
    fn n_counted(&self, axis: usize, at: usize, divisor: Divisor) -> usize {
        match divisor {
            Divisor::Elements => self.looks(axis, at).1,
            Divisor::ElementsAndPadding => {
                let padded = [self.before, self.size, self.after].iter().map(|part| part[axis] as u64).sum::<u64>();
                let room = padded.saturating_sub(at as u64 * self.strides[axis] as u64);
                room.div_ceil(self.dilation[axis] as u64).min(self.kernel[axis] as u64) as usize
            }
        }
    }
}

/// The largest element under each position of the window. `scratch` is overwritten.
pub fn max_pool(window: &Window, from: &[f32], to: &mut [f32], scratch: &mut Vec<f32>) {
    let size: usize = window.size.iter().product();
    let output: usize = window.output.iter().product();
    if to.is_empty() || size == 0 {
        to.fill(f32::NEG_INFINITY);
        return;
    }
    assert_eq!(from.len() / size, to.len() / output);
    for (plane, to) in from.chunks_exact(size).zip(to.chunks_exact_mut(output)) {
        // One instruction serves where there is no NaN.
        if has_nan(plane) {
            pool(window, plane, to, scratch, f32::NEG_INFINITY, F32x4::maximum);
        } else {
            pool(window, plane, to, scratch, f32::NEG_INFINITY, F32x4::pmax);
        }
        to.iter_mut().for_each(|x| *x += 0.0);
    }
}

/// The mean of the elements under each position of the window. `scratch` is overwritten.
pub fn avg_pool(window: &Window, divisor: Divisor, from: &[f32], to: &mut [f32], scratch: &mut Vec<f32>) {
    let size: usize = window.size.iter().product();
    let [depth, height, width] = window.output;
    if to.is_empty() || size == 0 {
        to.fill(0.0);
        return;
    }
    let output = depth * height * width;
    assert_eq!(from.len() / size, to.len() / output);
    for (plane, to) in from.chunks_exact(size).zip(to.chunks_exact_mut(output)) {
        pool(window, plane, to, scratch, 0.0, |a, b| a + b);
        // The counts of a row, over the line that is no longer needed.
        let counts = &mut scratch[..width];
        for (at, count) in counts.iter_mut().enumerate() {
            *count = window.n_counted(2, at, divisor) as f32;
        }
        for (row, to) in to.chunks_exact_mut(width).enumerate() {
            let planes = window.n_counted(0, row / height, divisor);
            let n_rows = (planes * window.n_counted(1, row % height, divisor)) as f32;
            for (sum, count) in to.iter_mut().zip(&*counts) {
                *sum /= (n_rows * count).max(1.0);
            }
        }
    }
}

fn has_nan(plane: &[f32]) -> bool {
    let mut vectors = plane.chunks_exact(8);
    let mut bad = F32x4::splat(0.0);
    for eight in &mut vectors {
        // SAFETY: eight elements. The sum of two infinities may be NaN too, which does no harm.
        unsafe {
            let sum = F32x4::load(eight.as_ptr()) + F32x4::load(eight.as_ptr().add(4));
            bad = bad.or(sum.equal(sum).and_not(F32x4::splat(1.0)));
        }
    }
    bad.any() || vectors.remainder().iter().any(|x| x.is_nan())
}

/// Pools one plane; both are not empty.
#[inline(always)]
fn pool(
    window: &Window,
    plane: &[f32],
    to: &mut [f32],
    scratch: &mut Vec<f32>,
    neutral: f32,
    step: impl Fn(F32x4, F32x4) -> F32x4 + Copy,
) {
    let [_, height, width] = window.size;
    let [_, out_height, out_width] = window.output;
    let (stride, dilation) = (window.strides[2] as u64, window.dilation[2] as u64);
    // The line with all its padding, as far as whole vectors of the result reach; if that is much more than there is,
    // without.
    let reach = (out_width as u64 + 3) * stride + window.kernel[2].saturating_sub(1) as u64 * dilation + 8;
    let reach = reach.max((window.before[2] + width) as u64);
    let is_padded = reach <= 64 * (width + out_width) as u64 + 1024;
    let (line_size, start) = if is_padded { (reach as usize, window.before[2]) } else { (width.max(out_width), 0) };
    scratch.clear();
    scratch.resize(line_size, neutral);
    for (row, to) in to.chunks_exact_mut(out_width).enumerate() {
        let line = &mut scratch[start..start + width];
        let (z, n_planes) = window.looks(0, row / out_height);
        let (y, n_rows) = window.looks(1, row % out_height);
        let row_at = |index: usize| {
            let (z, y) = (z + index / n_rows * window.dilation[0], y + index % n_rows * window.dilation[1]);
            plane[(z * height + y) * width..][..width].as_ptr()
        };
        // SAFETY: every row has `width` elements.
        unsafe {
            let n = n_planes * n_rows;
            match n {
                0 => line.fill(neutral),
                1 => add_rows([row_at(0)], line, |_, [a]| a),
                2 => add_rows([row_at(0), row_at(1)], line, |_, [a, b]| step(a, b)),
                _ => add_rows([row_at(0), row_at(1), row_at(2)], line, |_, [a, b, c]| step(step(a, b), c)),
            }
            for index in 3..n {
                add_rows([row_at(index)], line, |sum, [a]| step(sum, a));
            }
        }
        if is_padded && window.kernel[2] > 0 {
            // SAFETY: the line reaches as far as the last vector reads.
            unsafe { along(window, scratch, to, step) };
        } else {
            for (at, to) in to.iter_mut().enumerate() {
                let (first, n) = window.looks(2, at);
                let elements = (0..n).map(|index| F32x4::splat(scratch[start + first + index * window.dilation[2]]));
                *to = elements.reduce(step).map_or(neutral, |lanes| lanes.to_array()[0]);
            }
        }
    }
}

/// Folds what each position sees of the padded line.
///
/// # Safety
/// The line has `(to.len() + 3) * stride + (kernel - 1) * dilation + 8` elements.
#[inline(always)]
unsafe fn along(window: &Window, line: &[f32], to: &mut [f32], step: impl Fn(F32x4, F32x4) -> F32x4) {
    let (n, stride) = (window.kernel[2], window.strides[2]);
    for (at, to) in to.chunks_mut(4).enumerate() {
        let load = |index: usize| unsafe {
            let from = line.as_ptr().add(4 * at * stride + index * window.dilation[2]);
            match stride {
                1 => F32x4::load(from),
                2 => F32x4::load(from).even(F32x4::load(from.add(4))),
                _ => F32x4::from_array(std::array::from_fn(|lane| *from.add(lane * stride))),
            }
        };
        let mut folded = load(0);
        for index in 1..n {
            folded = step(folded, load(index));
        }
        match to {
            [_, _, _, _] => unsafe { folded.store(to.as_mut_ptr()) },
            _ => to.copy_from_slice(&folded.to_array()[..to.len()]),
        }
    }
}
