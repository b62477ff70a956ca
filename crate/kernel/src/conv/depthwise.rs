//! Few outputs of one channel: a loop along the rows of the result, many elements at a time, over two rows at once
//! where they see the same elements: what the upper one sees through a row of the window, the lower one sees through
//! the row above that.

use crate::gemm::Out;
use crate::gemm::gather::Gather;
use crate::gemm::moves::{load_apart, load_even};
use crate::lanes::{F32x4, Lanes};
use std::ops::Range;
use std::{iter, ptr, slice};

/// With this many outputs or more, a product of matrices that shares the loads between them is faster.
pub(super) const FEW: usize = 4;
/// Elements of a line of the cache.
const LINE: usize = 16;

/// `next` is what the next call will read: some of it is fetched from memory meanwhile.
///
/// # Safety
/// As a product of the weight, `[outputs, places]`, and these columns.
pub(super) unsafe fn conv(gather: &Gather, n_outputs: usize, weight: &[f32], out: &Out, next: &[f32]) {
    let [n_planes, n_rows, n_columns] = gather.n_positions;
    let [plane_step, row_step, step] = gather.steps;
    let offsets = unsafe { slice::from_raw_parts(gather.offsets, gather.n_terms) };
    let two = match shift(offsets, row_step) {
        Some(shift) if n_rows > 1 && n_columns >= 4 && step <= 2 => Some(Two { row_step, shift }),
        Some(_) | None => None,
    };
    // The processor finds the second half by itself; where steps are larger there is too little to do meanwhile.
    let next = if step == 1 { &next[..next.len() / 2] } else { &[] };
    let n_rounds = n_planes * if two.is_some() { n_rows.div_ceil(2) } else { n_rows } * n_outputs;
    let mut ahead = next.chunks((next.len() / n_rounds).max(LINE));
    for output in 0..n_outputs {
        let weight = &weight[output * gather.n_terms..][..gather.n_terms];
        for row in (0..n_planes * n_rows).filter(|row| two.is_none() || row % n_rows % 2 == 0) {
            // The last row is written with the one before, for the second time if that was the lower one of two.
            let row = if two.is_some() && row % n_rows + 1 == n_rows { row - 1 } else { row };
            let image = gather.image.wrapping_add(row / n_rows * plane_step + row % n_rows * row_step);
            let to = out.at.wrapping_add(output * out.step + row * n_columns);
            let window = Window { image, offsets, weight, step };
            for element in ahead.next().unwrap_or_default().iter().step_by(LINE) {
                unsafe { ptr::read_volatile(element) };
            }
            unsafe {
                match (two, step) {
                    (Some(two), 1) => window.write_two::<1>(two, to, n_columns),
                    (Some(two), _) => window.write_two::<2>(two, to, n_columns),
                    (None, 1) => window.write::<1>(to, n_columns),
                    (None, _) => window.write::<0>(to, n_columns),
                }
            }
        }
        let finish = out.finish.at(output, 0);
        unsafe { finish.apply_all(out.at.wrapping_add(output * out.step), out.step) }
    }
}

/// How many terms later a position sees what the one below sees, if that is so of all terms but the first.
fn shift(offsets: &[u32], row_step: usize) -> Option<usize> {
    let is_below = |above: u32, below: u32| above as usize + row_step == below as usize;
    let shift = offsets.iter().position(|&offset| is_below(offsets[0], offset))?;
    iter::zip(offsets, &offsets[shift..]).all(|(&above, &below)| is_below(above, below)).then_some(shift)
}

/// The window at the first position of a row of the result.
struct Window<'a> {
    image: *const f32,
    offsets: &'a [u32],
    weight: &'a [f32],
    step: usize,
}

/// The row below another: where its window lies in the image, and the [`shift`].
#[derive(Clone, Copy)]
struct Two {
    row_step: usize,
    shift: usize,
}

/// `STEP` is the step, or 0 for any other than those that are known.
///
/// The last block of a row may begin before the end of the one before, and write the same numbers again.
impl Window<'_> {
    #[inline(never)]
    unsafe fn write<const STEP: usize>(&self, to: *mut f32, n: usize) {
        let mut at = 0;
        unsafe {
            while at < n {
                let n_left = n - at;
                at += if n >= 16 && n_left > 4 {
                    self.block::<4, STEP>(to, at.min(n - 16))
                } else if n >= 4 {
                    self.block::<1, STEP>(to, at.min(n - 4))
                } else {
                    self.single(to, at)
                };
            }
        }
    }

    /// This row, of at least four elements, and the one below.
    #[inline(never)]
    unsafe fn write_two<const STEP: usize>(&self, two: Two, to: *mut f32, n: usize) {
        let mut at = 0;
        unsafe {
            while at < n {
                let n_left = n - at;
                at += if n >= 16 && n_left > 8 {
                    self.block_of_two::<4, STEP>(two, [to, to.add(n)], at.min(n - 16))
                } else if n >= 8 && n_left > 4 {
                    self.block_of_two::<2, STEP>(two, [to, to.add(n)], at.min(n - 8))
                } else {
                    self.block_of_two::<1, STEP>(two, [to, to.add(n)], at.min(n - 4))
                };
            }
        }
    }

    /// `4 * QUADS` elements from `at` on.
    #[inline(always)]
    unsafe fn block<const QUADS: usize, const STEP: usize>(&self, to: *mut f32, at: usize) -> usize {
        let mut sums = [F32x4::splat(0.0); QUADS];
        unsafe {
            self.add::<QUADS, STEP>(self.image.add(at * self.step), 0..self.weight.len(), &mut sums);
            store(sums, to.add(at));
        }
        4 * QUADS
    }

    #[inline(always)]
    unsafe fn block_of_two<const QUADS: usize, const STEP: usize>(
        &self,
        Two { shift, row_step }: Two,
        to: [*mut f32; 2],
        at: usize,
    ) -> usize {
        let (mut upper, mut lower) = ([F32x4::splat(0.0); QUADS], [F32x4::splat(0.0); QUADS]);
        let n_terms = self.weight.len();
        unsafe {
            let image = self.image.add(at * self.step);
            self.add::<QUADS, STEP>(image, 0..shift, &mut upper);
            let weights = iter::zip(&self.weight[shift..], self.weight);
            for (&offset, (&above, &below)) in iter::zip(&self.offsets[shift..], weights) {
                let (above, below) = (F32x4::splat(above), F32x4::splat(below));
                for (quad, (upper, lower)) in iter::zip(&mut upper, &mut lower).enumerate() {
                    let elements = self.load::<STEP>(image.add(offset as usize), quad);
                    *upper = elements.mul_add(above, *upper);
                    *lower = elements.mul_add(below, *lower);
                }
            }
            self.add::<QUADS, STEP>(image.add(row_step), n_terms - shift..n_terms, &mut lower);
            store(upper, to[0].add(at));
            store(lower, to[1].add(at));
        }
        4 * QUADS
    }

    /// Adds these terms to the sums of positions from one on.
    #[inline(always)]
    unsafe fn add<const QUADS: usize, const STEP: usize>(
        &self,
        image: *const f32,
        terms: Range<usize>,
        sums: &mut [F32x4; QUADS],
    ) {
        for (&offset, &weight) in iter::zip(&self.offsets[terms.clone()], &self.weight[terms]) {
            let weight = F32x4::splat(weight);
            for (quad, sum) in sums.iter_mut().enumerate() {
                *sum = unsafe { self.load::<STEP>(image.add(offset as usize), quad).mul_add(weight, *sum) };
            }
        }
    }

    /// What four positions see.
    #[inline(always)]
    unsafe fn load<const STEP: usize>(&self, from: *const f32, quad: usize) -> F32x4 {
        unsafe {
            match STEP {
                1 => F32x4::load(from.add(4 * quad)),
                2 => load_even(from.add(8 * quad)),
                _ => load_apart(from.add(4 * quad * self.step), self.step),
            }
        }
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

#[inline(always)]
unsafe fn store<const QUADS: usize>(sums: [F32x4; QUADS], to: *mut f32) {
    for (quad, sum) in sums.iter().enumerate() {
        unsafe { sum.store(to.add(4 * quad)) }
    }
}
