//! Few outputs of one channel: a loop along the rows of the result, twenty-four elements at a time.

use crate::gemm::Out;
use crate::gemm::gather::Gather;
use crate::gemm::moves::{load_apart, load_even};
use crate::lanes::{F32x4, Lanes};
use std::{iter, ptr, slice};

/// With so many outputs, a product of matrices that shares the loads between them is faster.
pub(super) const FEW: usize = 4;
/// Elements of a line of the cache.
const LINE: usize = 16;

/// `next` is what the next call will read: it is fetched from memory meanwhile.
///
/// # Safety
/// As a product of the weight, `[outputs, places]`, and these columns.
pub(super) unsafe fn conv(gather: &Gather, n_outputs: usize, weight: &[f32], out: &Out, next: &[f32]) {
    let [n_planes, n_rows, n_columns] = gather.n_positions;
    let [plane_step, row_step, step] = gather.steps;
    let offsets = unsafe { slice::from_raw_parts(gather.offsets, gather.n_terms) };
    let mut ahead = next.chunks((next.len() / (n_planes * n_rows * n_outputs)).max(LINE));
    for output in 0..n_outputs {
        let weight = &weight[output * gather.n_terms..][..gather.n_terms];
        for row in 0..n_planes * n_rows {
            let image = gather.image.wrapping_add(row / n_rows * plane_step + row % n_rows * row_step);
            let to = out.at.wrapping_add(output * out.step + row * n_columns);
            let line = Line { image, offsets, weight, step };
            for element in ahead.next().unwrap_or_default().iter().step_by(LINE) {
                unsafe { ptr::read_volatile(element) };
            }
            unsafe {
                match step {
                    1 => line.write::<1>(to, n_columns),
                    2 => line.write::<2>(to, n_columns),
                    _ => line.write::<0>(to, n_columns),
                }
            }
        }
        let finish = out.finish.at(output, 0);
        unsafe { finish.apply_all(out.at.wrapping_add(output * out.step), out.step) }
    }
}

/// A row of the result.
struct Line<'a> {
    image: *const f32,
    offsets: &'a [u32],
    weight: &'a [f32],
    step: usize,
}

impl Line<'_> {
    /// `STEP` is the step, or 0 for any other than those that are known.
    ///
    /// The last block of a row may begin before the end of the one before, and write the same numbers again.
    #[inline(never)]
    unsafe fn write<const STEP: usize>(&self, to: *mut f32, n: usize) {
        let mut at = 0;
        unsafe {
            while at < n {
                let n_left = n - at;
                at += if n >= 24 && n_left > 8 {
                    self.block::<6, STEP>(to, at.min(n - 24))
                } else if n >= 8 && n_left > 4 {
                    self.block::<2, STEP>(to, at.min(n - 8))
                } else if n >= 4 {
                    self.block::<1, STEP>(to, at.min(n - 4))
                } else {
                    self.single(to, at)
                };
            }
        }
    }

    /// So many times four elements from `at` on.
    #[inline(always)]
    unsafe fn block<const QUADS: usize, const STEP: usize>(&self, to: *mut f32, at: usize) -> usize {
        let mut sums = [F32x4::splat(0.0); QUADS];
        let step = if STEP == 0 { self.step } else { STEP };
        unsafe {
            let image = self.image.add(at * step);
            for (&offset, &weight) in iter::zip(self.offsets, self.weight) {
                let (image, weight) = (image.add(offset as usize), F32x4::splat(weight));
                for (quad, sum) in sums.iter_mut().enumerate() {
                    let image = image.add(4 * quad * step);
                    let elements = match STEP {
                        1 => F32x4::load(image),
                        2 => load_even(image),
                        _ => load_apart(image, step),
                    };
                    *sum = elements.mul_add(weight, *sum);
                }
            }
            for (quad, sum) in sums.iter().enumerate() {
                sum.store(to.add(at + 4 * quad));
            }
        }
        4 * QUADS
    }

    unsafe fn single(&self, to: *mut f32, at: usize) -> usize {
        unsafe {
            let image = self.image.add(at * self.step);
            let terms = iter::zip(self.offsets, self.weight);
            *to.add(at) =
                terms.fold(0.0, |sum, (&offset, &weight)| Lanes::mul_add(*image.add(offset as usize), weight, sum));
        }
        1
    }
}
