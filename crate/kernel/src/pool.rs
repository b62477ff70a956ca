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
use std::cell::Cell;

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
        // Division is slow, and most windows have no gaps.
        let steps = |room: u64| if dilation == 1 { room } else { room.div_ceil(dilation) };
        let skipped = steps(before.saturating_sub(start));
        let first = start + skipped * dilation - before;
        let room = steps(wide(self.size[axis]).saturating_sub(first));
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
        // One instruction serves where there is no NaN. Infinities may raise the alarm too, which does no harm.
        if pool::<true>(window, plane, to, scratch, f32::NEG_INFINITY, F32x4::pmax) {
            pool::<false>(window, plane, to, scratch, f32::NEG_INFINITY, F32x4::maximum);
        }
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
        pool::<false>(window, plane, to, scratch, 0.0, |a, b| a + b);
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

/// Pools one plane; both are not empty. Whether the sum of what the windows see is NaN, if it is to `WATCH` that.
#[inline(always)]
fn pool<const WATCH: bool>(
    window: &Window,
    plane: &[f32],
    to: &mut [f32],
    scratch: &mut Vec<f32>,
    neutral: f32,
    step: impl Fn(F32x4, F32x4) -> F32x4 + Copy,
) -> bool {
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
    let seen = Cell::new(F32x4::splat(0.0));
    let watch = |lanes: F32x4| {
        if WATCH {
            seen.set(seen.get() + lanes);
        }
    };
    let [mut out_z, mut out_y] = [0, 0];
    for to in to.chunks_exact_mut(out_width) {
        let line = &mut scratch[start..start + width];
        let ((z, n_planes), (y, n_rows)) = (window.looks(0, out_z), window.looks(1, out_y));
        out_y += 1;
        if out_y == out_height {
            (out_y, out_z) = (0, out_z + 1);
        }
        let row_at = |index: usize| {
            let (depth, index) = if n_planes == 1 { (0, index) } else { (index / n_rows, index % n_rows) };
            let (z, y) = (z + depth * window.dilation[0], y + index * window.dilation[1]);
            plane[(z * height + y) * width..][..width].as_ptr()
        };
        // SAFETY: every row has `width` elements.
        unsafe {
            let n = n_planes * n_rows;
            match n {
                0 => line.fill(neutral),
                1 => add_rows([row_at(0)], line, |_, [a]| {
                    watch(a);
                    a
                }),
                2 => add_rows([row_at(0), row_at(1)], line, |_, [a, b]| {
                    watch(a + b);
                    step(a, b)
                }),
                _ => add_rows([row_at(0), row_at(1), row_at(2)], line, |_, [a, b, c]| {
                    watch((a + b) + c);
                    step(step(a, b), c)
                }),
            }
            for index in 3..n {
                add_rows([row_at(index)], line, |sum, [a]| {
                    watch(a);
                    step(sum, a)
                });
            }
        }
        if is_padded && window.kernel[2] > 0 {
            // SAFETY: the line reaches as far as the last vector reads.
            unsafe {
                match window.strides[2] {
                    1 => along(window, scratch, to, step, |from| F32x4::load(from)),
                    2 => along(window, scratch, to, step, |from| F32x4::load(from).even(F32x4::load(from.add(4)))),
                    stride => along(window, scratch, to, step, |from| {
                        F32x4::from_array(std::array::from_fn(|lane| *from.add(lane * stride)))
                    }),
                }
            }
        } else {
            for (at, to) in to.iter_mut().enumerate() {
                let (first, n) = window.looks(2, at);
                let elements = (0..n).map(|index| F32x4::splat(scratch[start + first + index * window.dilation[2]]));
                *to = elements.reduce(step).map_or(neutral, |lanes| lanes.to_array()[0]) + 0.0;
            }
        }
    }
    WATCH && seen.get().sum().is_nan()
}

/// Folds what each position sees of the padded line; `load` reads what four positions see. A zero becomes +0.
///
/// # Safety
/// The line has `(to.len() + 3) * stride + (kernel - 1) * dilation + 8` elements.
#[inline(always)]
unsafe fn along(
    window: &Window,
    line: &[f32],
    to: &mut [f32],
    step: impl Fn(F32x4, F32x4) -> F32x4,
    load: impl Fn(*const f32) -> F32x4,
) {
    let (n, stride, dilation) = (window.kernel[2], window.strides[2], window.dilation[2]);
    for (at, to) in to.chunks_mut(4).enumerate() {
        unsafe {
            let from = line.as_ptr().add(4 * at * stride);
            // Most windows are small, and counting costs as much as folding.
            let mut folded = load(from);
            if n > 1 {
                folded = step(folded, load(from.add(dilation)));
            }
            if n > 2 {
                folded = step(folded, load(from.add(2 * dilation)));
            }
            for index in 3..n {
                folded = step(folded, load(from.add(index * dilation)));
            }
            let folded = folded + F32x4::splat(0.0);
            match to {
                [_, _, _, _] => folded.store(to.as_mut_ptr()),
                _ => to.copy_from_slice(&folded.to_array()[..to.len()]),
            }
        }
    }
}
