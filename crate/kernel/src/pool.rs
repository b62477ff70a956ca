//! Maximum and average pooling of float32 over up to three spatial axes; data is `[planes, …size]`.
//!
//! A row of the result takes two steps: the rows of the data that its window sees are folded into one line, from the
//! first to the last; then every position folds what its window sees of the line, from left to right. Around the line
//! is padding that changes nothing. The windows that most networks take maxima of have a loop without that line
//! ([`halve`]).
//!
//! Maxima are those of [`crate::slide`] (NaN where the window sees one, -infinity where it sees only padding), but a
//! zero is always +0. Averages divide such a sum by a count; zero where the window sees only padding. One of a window
//! that sees `r` rows (of all planes) and `c` columns is off by at most `(r + c) · 2⁻²⁴ · Σ abs(x) / count`, to first
//! order.
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

/// Which looks an average divides by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Divisor {
    /// Those at elements.
    Elements,
    /// Those at elements or padding (`count_include_pad`). What lies beyond the padding, as at the last position of a
    /// `ceil_mode` pool, never counts.
    ElementsAndPadding,
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
        let is_alarm = match halves(window) {
            // SAFETY: they were found fit for it.
            Some(is_padded) => unsafe { halve(window, plane.as_ptr(), to, is_padded) }.is_nan(),
            None => pool::<true>(window, plane, to, scratch, f32::NEG_INFINITY, (F32x4::pmax, Lanes::pmax)),
        };
        if is_alarm {
            one_by_one(window, plane, to, f32::NEG_INFINITY, Lanes::maximum);
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
        pool::<false>(window, plane, to, scratch, 0.0, (|a, b| a + b, |a, b| a + b));
        // The counts of a row, over the line that is no longer needed. What sees nothing has a sum of 0 over any count.
        scratch.resize(width, 0.0);
        let counts = &mut scratch[..];
        for (at, count) in counts.iter_mut().enumerate() {
            *count = window.n_counted(2, at, divisor).max(1) as f32;
        }
        for (row, to) in to.chunks_exact_mut(width).enumerate() {
            let planes = window.n_counted(0, row / height, divisor);
            let n_rows = (planes * window.n_counted(1, row % height, divisor)).max(1) as f32;
            for (sum, count) in to.iter_mut().zip(&*counts) {
                *sum /= n_rows * count;
            }
        }
    }
}

/// Pools one plane; both are not empty. `step` is one operator, on four lanes and on one. Whether the sum of what the
/// windows see is NaN, if it is to `WATCH` that.
#[inline(always)]
fn pool<const WATCH: bool>(
    window: &Window,
    plane: &[f32],
    to: &mut [f32],
    scratch: &mut Vec<f32>,
    neutral: f32,
    (step, step_one): (impl Fn(F32x4, F32x4) -> F32x4 + Copy, fn(f32, f32) -> f32),
) -> bool {
    let [_, height, width] = window.size;
    let [_, out_height, out_width] = window.output;
    let (n, stride, dilation) = (window.kernel[2], window.strides[2], window.dilation[2]);
    // The line with all its padding, as far as whole vectors of the result reach, unless that is much more than there
    // is.
    let reach = (out_width as u64 + 3) * stride as u64 + n.saturating_sub(1) as u64 * dilation as u64 + 8;
    let reach = reach.max((window.before[2] + width) as u64);
    if reach > 64 * (width + out_width) as u64 + 1024 {
        one_by_one(window, plane, to, neutral, step_one);
        return WATCH && plane.iter().any(|x| x.is_nan());
    }
    scratch.clear();
    scratch.resize(reach as usize, neutral);
    // Two sums, so that one need not wait for the other.
    let seen = [Cell::new(F32x4::splat(0.0)), Cell::new(F32x4::splat(0.0))];
    let watch = |half: usize, lanes: F32x4| {
        if WATCH {
            seen[half].set(seen[half].get() + lanes);
        }
    };
    let [mut out_z, mut out_y] = [0, 0];
    for to in to.chunks_exact_mut(out_width) {
        let line = &mut scratch[window.before[2]..][..width];
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
        // SAFETY: every row has `width` elements, and the line reaches as far as the last vector reads.
        unsafe {
            let n_seen = n_planes * n_rows;
            match n_seen {
                0 => line.fill(neutral),
                1 => add_rows([row_at(0)], line, |half, _, [a]| {
                    watch(half, a);
                    a
                }),
                2 => add_rows([row_at(0), row_at(1)], line, |half, _, [a, b]| {
                    watch(half, a + b);
                    step(a, b)
                }),
                _ => add_rows([row_at(0), row_at(1), row_at(2)], line, |half, _, [a, b, c]| {
                    watch(half, (a + b) + c);
                    step(step(a, b), c)
                }),
            }
            for index in 3..n_seen {
                add_rows([row_at(index)], line, |half, sum, [a]| {
                    watch(half, a);
                    step(sum, a)
                });
            }
            let across = Across { line: scratch.as_ptr(), n, stride, dilation, neutral };
            match stride {
                1 => across.write(to, step, |from| F32x4::load(from)),
                2 => across.write(to, step, |from| F32x4::load(from).even(F32x4::load(from.add(4)))),
                _ => across
                    .write(to, step, |from| F32x4::from_array(std::array::from_fn(|lane| *from.add(lane * stride)))),
            }
        }
    }
    WATCH && (seen[0].get() + seen[1].get()).sum().is_nan()
}

/// Whether [`halve`] serves, and with a column of padding before the first: windows of two or three columns that move
/// by two, and of up to three rows, each of which sees a row, and of three there is padding above.
fn halves(window: &Window) -> Option<bool> {
    let Window { size, output, kernel, strides, dilation, before, after: _ } = window;
    let is_padded = match (kernel[2], before[2]) {
        (2, 0) => false,
        (3, 1) => true,
        _ => return None,
    };
    let fits = [size[0], output[0], kernel[0], dilation[1], dilation[2]] == [1; 5]
        && (strides[2], size[2]) == (2, 2 * output[2])
        && output[2] >= 4
        && (1..=3).contains(&kernel[1])
        && strides[1] <= 2
        && before[1] < kernel[1]
        && (kernel[1], before[1]) != (3, 0)
        && (output[1] - 1) * strides[1] < size[1] + before[1];
    fits.then_some(is_padded)
}

/// The maximum of three rows and, of those, of each two columns; with padding before them, and of the column before the
/// two. A row that is there twice changes nothing. The sum of all elements that windows see, some more than once.
///
/// # Safety
/// [`halves`] says so, and `plane` and `to` have the sizes of the window.
#[inline(never)]
unsafe fn halve(window: &Window, plane: *const f32, to: &mut [f32], is_padded: bool) -> f32 {
    let [_, height, width] = window.size;
    let n = window.output[2];
    let mut seen = [F32x4::splat(0.0); 2];
    // The first row of a window is the last one of the window above, and so seen; at the top, another of its rows is.
    for (y, to) in to.chunks_exact_mut(n).enumerate() {
        let row = |index: usize| {
            let index = (index + window.kernel[1]).saturating_sub(3) + y * window.strides[1];
            plane.wrapping_add(index.saturating_sub(window.before[1]).min(height - 1) * width)
        };
        let rows = [row(0), row(1), row(2)];
        let mut before = F32x4::splat(f32::NEG_INFINITY);
        let mut at = 0;
        unsafe {
            while at < n {
                if at + 4 > n {
                    at = n - 4;
                    let [a, b, c] = rows.map(|row| F32x4::splat(*row.add(2 * at - 1)));
                    before = a.pmax(b).pmax(c);
                }
                let mut folded = [before; 2];
                for (quad, folded) in folded.iter_mut().enumerate() {
                    let [a, b, c] = rows.map(|row| F32x4::load(row.add(2 * at + 4 * quad)));
                    seen[quad] = seen[quad] + (b + c);
                    *folded = a.pmax(b).pmax(c);
                }
                let (even, odd) = (folded[0].even(folded[1]), folded[0].odd(folded[1]));
                let mut largest = even.pmax(odd);
                if is_padded {
                    largest = largest.pmax(odd.after(before));
                    before = odd;
                }
                (largest + F32x4::splat(0.0)).store(to.as_mut_ptr().add(at));
                at += 4;
            }
        }
    }
    (seen[0] + seen[1]).sum()
}

/// What a row of the result folds: the line that its rows were folded into, with padding around.
#[derive(Clone, Copy)]
struct Across {
    line: *const f32,
    n: usize,
    stride: usize,
    dilation: usize,
    neutral: f32,
}

impl Across {
    /// Folds what each position sees; `load` reads what four positions see. A zero becomes +0.
    ///
    /// The last block of a row may begin before the end of the one before, and write the same numbers again.
    ///
    /// # Safety
    /// The line has `(to.len() + 3) * stride + (n - 1) * dilation + 8` elements.
    #[inline(always)]
    unsafe fn write(
        self,
        to: &mut [f32],
        step: impl Fn(F32x4, F32x4) -> F32x4 + Copy,
        load: impl Fn(*const f32) -> F32x4 + Copy,
    ) {
        let (n, mut at) = (to.len(), 0);
        let to = to.as_mut_ptr();
        unsafe {
            while at < n {
                if n >= 16 && at + 8 < n {
                    let start = at.min(n - 16);
                    let quads = self.fold::<4>(start, step, load);
                    quads.into_iter().enumerate().for_each(|(quad, lanes)| lanes.store(to.add(start + 4 * quad)));
                    at += 16;
                } else {
                    let start = at.min(n.saturating_sub(4));
                    let [lanes] = self.fold::<1>(start, step, load);
                    if n >= 4 {
                        lanes.store(to.add(start));
                    } else {
                        lanes.to_array().into_iter().take(n).enumerate().for_each(|(lane, x)| *to.add(lane) = x);
                    }
                    at += 4;
                }
            }
        }
    }

    /// `4 * QUADS` positions from `at` on.
    #[inline(always)]
    unsafe fn fold<const QUADS: usize>(
        self,
        at: usize,
        step: impl Fn(F32x4, F32x4) -> F32x4,
        load: impl Fn(*const f32) -> F32x4,
    ) -> [F32x4; QUADS] {
        let mut folded = [F32x4::splat(self.neutral); QUADS];
        let mut from = self.line.wrapping_add(at * self.stride);
        for _ in 0..self.n {
            for (quad, folded) in folded.iter_mut().enumerate() {
                *folded = step(*folded, load(from.wrapping_add(4 * quad * self.stride)));
            }
            from = from.wrapping_add(self.dilation);
        }
        folded.map(|lanes| lanes + F32x4::splat(0.0))
    }
}

/// The same for windows that reach far beyond the data, and for what has no fast body.
#[inline(never)]
fn one_by_one(window: &Window, plane: &[f32], to: &mut [f32], neutral: f32, step: fn(f32, f32) -> f32) {
    let [_, height, width] = window.size;
    let [_, out_height, out_width] = window.output;
    for (at, to) in to.iter_mut().enumerate() {
        let row = at / out_width;
        let (z, n_planes) = window.looks(0, row / out_height);
        let (y, n_rows) = window.looks(1, row % out_height);
        let (x, n_columns) = window.looks(2, at % out_width);
        let column = |index: usize| {
            let x = x + index * window.dilation[2];
            let planes = (0..n_planes).map(|index| z + index * window.dilation[0]);
            let rows = planes.flat_map(|z| (0..n_rows).map(move |index| z * height + y + index * window.dilation[1]));
            rows.map(|row| plane[row * width + x]).fold(neutral, step)
        };
        *to = (0..n_columns).map(column).fold(neutral, step) + 0.0;
    }
}
