//! Few outputs of one channel: a loop along the rows of the result, sixteen elements at a time.

use crate::gemm::Out;
use crate::gemm::gather::Gather;
use crate::gemm::turn::{load_apart, load_even};
use crate::lanes::{F32x4, Lanes};
use std::{iter, slice};

/// With so many outputs, a product of matrices that shares the loads between them is faster.
pub(super) const FEW: usize = 4;

/// # Safety
/// As a product of the weight, `[outputs, places]`, and these columns.
pub(super) unsafe fn conv(gather: &Gather, n_outputs: usize, weight: &[f32], out: &Out) {
    let [n_planes, n_rows, n_columns] = gather.n_positions;
    let [plane_step, row_step, step] = gather.steps;
    let offsets = unsafe { slice::from_raw_parts(gather.offsets, gather.n_terms) };
    for output in 0..n_outputs {
        let weight = &weight[output * gather.n_terms..][..gather.n_terms];
        for row in 0..n_planes * n_rows {
            let image = gather.image.wrapping_add(row / n_rows * plane_step + row % n_rows * row_step);
            let to = out.at.wrapping_add(output * out.step + row * n_columns);
            let line = Line { image, offsets, weight, step };
            unsafe {
                match step {
                    1 => line.write(to, n_columns, |from| F32x4::load(from)),
                    2 => line.write(to, n_columns, |from| load_even(from)),
                    _ => line.write(to, n_columns, |from| load_apart(from, step)),
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
    #[inline(never)]
    unsafe fn write(&self, to: *mut f32, n: usize, load: impl Fn(*const f32) -> F32x4 + Copy) {
        let zero = F32x4::splat(0.0);
        let terms = || iter::zip(self.offsets, self.weight);
        let mut at = 0;
        unsafe {
            while at + 16 <= n {
                let (mut a, mut b, mut c, mut d) = (zero, zero, zero, zero);
                let image = self.image.wrapping_add(at * self.step);
                for (&offset, &weight) in terms() {
                    let (image, weight) = (image.wrapping_add(offset as usize), F32x4::splat(weight));
                    a = load(image).mul_add(weight, a);
                    b = load(image.wrapping_add(4 * self.step)).mul_add(weight, b);
                    c = load(image.wrapping_add(8 * self.step)).mul_add(weight, c);
                    d = load(image.wrapping_add(12 * self.step)).mul_add(weight, d);
                }
                let to = to.add(at);
                a.store(to);
                b.store(to.add(4));
                c.store(to.add(8));
                d.store(to.add(12));
                at += 16;
            }
            while at < n && n >= 4 {
                // The last four may be written again in part, with the same numbers.
                at = at.min(n - 4);
                let image = self.image.wrapping_add(at * self.step);
                let sum = terms().fold(zero, |sum, (&offset, &weight)| {
                    load(image.wrapping_add(offset as usize)).mul_add(F32x4::splat(weight), sum)
                });
                sum.store(to.add(at));
                at += 4;
            }
            while at < n {
                let image = self.image.wrapping_add(at * self.step);
                *to.add(at) = terms().fold(0.0, |sum, (&offset, &weight)| {
                    Lanes::mul_add(*image.wrapping_add(offset as usize), weight, sum)
                });
                at += 1;
            }
        }
    }
}
