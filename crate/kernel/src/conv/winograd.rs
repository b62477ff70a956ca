//! Windows of three by three that go from element to element, by fewer products (A. Lavin and S. Gray, "Fast Algorithms
//! for Convolutional Neural Networks", 2016).
//!
//! Two by two results see four by four elements. Patch and window are transformed so that sixteen products, instead of
//! thirty-six, give the results; those of all channels are one product of matrices for each of the sixteen. Four patches
//! side by side are transformed at once, one a lane, and as many after each other as the cache has room for.
//!
//! Invariants:
//! - The order of all roundings is fixed, so that results are the same to the bit natively and in WebAssembly.
//! - Against exact sums, an element is off by at most `36 · (channels + 11) · 2⁻²⁴ · Σ D · W` to first order, where `D` is
//!   the largest element of a channel that the patch sees, and `W` the sum of that channel's window, all without their
//!   signs. Data and weights that are whole numbers, and not too large, have exact results.
//! - Data and weight are below [`LIMIT`]: no sum overflows, and there are numbers only.

use super::place::Image;
use super::{Axis, Direction, Geometry};
use crate::gemm::moves;
use crate::gemm::panel::{self, Columns};
use crate::gemm::tile::{Finish, WIDTH};
use crate::gemm::{Matrix, Out, product, reserve};
use crate::lanes::{F32x4, Lanes};
use std::{array, slice};

/// Elements are smaller than this, whatever their sign.
pub(super) const LIMIT: f32 = (1_u64 << 40) as f32;
/// Places of a patch, and of a transformed window.
const N_PLACES: usize = 16;
/// Patches that are transformed at once.
const N_PATCHES: usize = 4;
/// Positions that four patches have along a row.
const N_COLUMNS: usize = 2 * N_PATCHES;
/// With less of one of them, transforming takes longer than the products that it saves.
const LEAST_CHANNELS: usize = 16;
const LEAST_FOURS: usize = 8;
/// Transformed windows take nearly twice the room: more of them than this are more than there may be.
const MOST_WINDOWS: usize = 1 << 20;
/// Twos of fours that are worked on at a time, times channels and outputs: their patches and products take about half of
/// the second-level cache.
const BLOCK: usize = 1 << 10;

/// A convolution of this kind.
#[derive(Clone, Debug)]
pub(super) struct Winograd {
    /// What all patches see.
    pub image: Image,
    /// Positions along columns and rows.
    n_positions: [usize; 2],
    n_channels: usize,
    n_outputs: usize,
    /// Fours of patches: in a row, of all, and of a block.
    n_along: usize,
    n_fours: usize,
    n_of_block: usize,
}

impl Winograd {
    /// `None`: it is not of this kind, or too little for it.
    #[inline(never)]
    pub fn new(geometry: &Geometry) -> Option<Winograd> {
        let mut whole = *geometry;
        let [planes, rows, columns] = &mut whole.axes;
        let (n_channels, n_outputs) = (geometry.group_channels(), geometry.group_outputs());
        let n_positions = [rows.output, columns.output];
        // Patches at the ends see more than there are positions.
        let (n_rows, n_along) = (rows.output.div_ceil(2), columns.output.div_ceil(N_COLUMNS));
        (rows.output, columns.output) = (2 * n_rows, n_along * N_COLUMNS);
        let n_fours = n_rows * n_along;
        let is_three = |axis: &Axis| [axis.kernel, axis.stride, axis.dilation] == [3, 1, 1];
        let is_plane = *planes == Axis::new(1) && is_three(rows) && is_three(columns);
        let is_enough = n_channels.min(n_outputs) >= LEAST_CHANNELS && n_fours >= LEAST_FOURS;
        let is_room = n_channels.saturating_mul(n_outputs) <= MOST_WINDOWS;
        if !is_plane || !is_enough || !is_room || geometry.direction != Direction::Forward {
            return None;
        }
        let image = Image::of_finite(&whole)?;
        let n_of_block = (BLOCK / (n_channels + n_outputs)).clamp(1, n_fours.div_ceil(2)) * 2;
        Some(Winograd { image, n_positions, n_channels, n_outputs, n_along, n_fours, n_of_block })
    }

    /// How many floats it works in.
    pub fn n_working(&self) -> usize {
        let n_columns = self.n_of_block * N_PATCHES;
        let transformed = self.n_channels * self.n_outputs + n_columns * (self.n_channels + self.n_outputs);
        self.image.n_copied(self.n_channels) + N_PLACES * transformed
    }

    /// The results of a group, from its image and weight. `memory` is for transformed windows, and for patches and
    /// products.
    ///
    /// # Safety
    /// The image is one of a group, the weight has all its elements, and `to` has room for all results and a bias for
    /// each output.
    #[inline(never)]
    pub unsafe fn conv(
        &self,
        image: *const f32,
        weight: &[f32],
        to: &Out,
        [windows, memory]: [&mut Vec<f32>; 2],
        scratch: &mut Vec<f32>,
    ) {
        let (n_channels, n_outputs) = (self.n_channels, self.n_outputs);
        let [channel_step, row_step] = self.image.steps();
        let n_windows = n_channels * n_outputs;
        let n_columns = self.n_of_block * N_PATCHES;
        let (n_patches, n_products) = (n_columns * n_channels, n_columns * n_outputs);
        reserve(windows, N_PLACES * n_windows);
        reserve(memory, N_PLACES * (n_patches + n_products));
        let (patches, windows) = (memory.as_mut_ptr(), windows.as_mut_ptr());
        let products = patches.wrapping_add(N_PLACES * n_patches);
        for at in 0..n_windows {
            unsafe { transform_window(weight.as_ptr().add(9 * at), windows.wrapping_add(at), n_windows) }
        }
        for first in (0..self.n_fours).step_by(self.n_of_block) {
            let n = self.n_of_block.min(self.n_fours - first);
            for at in 0..n {
                let [row, column] = self.position(first + at);
                let mut from = image.wrapping_add(row * row_step + column);
                // Two fours to a panel, which has a row for each channel.
                let mut to = patches.wrapping_add(at / 2 * n_channels * WIDTH + at % 2 * N_PATCHES);
                for _ in 0..n_channels {
                    unsafe { transform_patches(from, row_step, to, n_patches) }
                    (from, to) = (from.wrapping_add(channel_step), to.wrapping_add(WIDTH));
                }
            }
            for place in 0..N_PLACES {
                let shape = [n_channels, n * N_PATCHES];
                // SAFETY: both have been written.
                let [data, panels] = unsafe {
                    [
                        slice::from_raw_parts(windows.wrapping_add(place * n_windows), n_windows),
                        slice::from_raw_parts(patches.wrapping_add(place * n_patches), panel::size(shape)),
                    ]
                };
                let a = Matrix { data, shape: [n_outputs, n_channels], steps: [n_channels, 1] };
                let at = products.wrapping_add(place * n_products);
                let out = Out { at, step: n_columns, is_resumed: false, finish: Finish::NONE };
                unsafe { product(&a, &Columns::Packed { panels, shape }, &out, scratch) }
            }
            for output in 0..n_outputs {
                let finish = to.finish.at(output, 0);
                for at in 0..n {
                    let from = products.wrapping_add(output * n_columns + at * N_PATCHES);
                    let [row, column] = self.position(first + at);
                    let to = to.at.wrapping_add(output * to.step + row * self.n_positions[1] + column);
                    unsafe { self.results((from, n_products), &finish, to, [row, column]) }
                }
            }
        }
    }

    /// The first position that four patches give.
    #[inline(never)]
    fn position(&self, four: usize) -> [usize; 2] {
        [four / self.n_along * 2, four % self.n_along * N_COLUMNS]
    }

    /// Writes the results of four patches, from products that are `step` apart, for the positions that there are.
    ///
    /// # Safety
    /// Products can be read, and results written.
    #[inline(never)]
    unsafe fn results(
        &self,
        (from, step): (*const f32, usize),
        finish: &Finish,
        to: *mut f32,
        [row, column]: [usize; 2],
    ) {
        let [n_rows, n_columns] = self.n_positions;
        let products =
            |row: usize| [0, 1, 2, 3].map(|at| unsafe { F32x4::load(from.wrapping_add((4 * row + at) * step)) });
        let [even, odd] = both_ways(products, |[a, b, c, d]| [a + b + c, b - c - d]);
        for at in 0..(n_rows - row).min(2) {
            let to = to.wrapping_add(at * n_columns);
            unsafe {
                let [left, right] = even[at].interleaved(odd[at]).map(|four| finish.apply(four, 0));
                if column + N_COLUMNS <= n_columns {
                    left.store(to);
                    right.store(to.add(4));
                } else {
                    moves::copy([left, right].as_ptr().cast(), to, n_columns - column);
                }
            }
        }
    }
}

/// `of` each row, then of each column of what it gives.
#[inline(always)]
fn both_ways<L: Lanes, const N: usize, const M: usize>(
    row: impl Fn(usize) -> [L; N],
    of: impl Fn([L; N]) -> [L; M],
) -> [[L; M]; M] {
    let rows: [[L; M]; N] = array::from_fn(|at| of(row(at)));
    array::from_fn(|column| of(rows.map(|row| row[column])))
}

/// Transforms four patches side by side to one vector for each place, `step` apart.
///
/// # Safety
/// Four rows of ten elements can be read, and the vectors written.
#[inline(never)]
unsafe fn transform_patches(from: *const f32, row_step: usize, to: *mut f32, step: usize) {
    let row = |row: usize| {
        let [a, b, c, d] = [0, 4, 2, 6].map(|at| unsafe { F32x4::load(from.wrapping_add(row * row_step + at)) });
        [a.even(b), a.odd(b), c.even(d), c.odd(d)]
    };
    unsafe { store(both_ways(row, |[a, b, c, d]| [a - c, b + c, c - b, b - d]), to, step) }
}

/// Transforms a window to a number for each place, `step` apart.
///
/// # Safety
/// The window can be read, and the numbers written.
#[inline(never)]
unsafe fn transform_window(from: *const f32, to: *mut f32, step: usize) {
    let row = |row: usize| [0, 1, 2].map(|at| unsafe { *from.wrapping_add(3 * row + at) });
    let line = |[a, b, c]: [f32; 3]| {
        let (ends, middle) = ((a + c) * 0.5, b * 0.5);
        [a, ends + middle, ends - middle, c]
    };
    unsafe { store(both_ways(row, line), to, step) }
}

/// Stores the places of each column.
///
/// # Safety
/// They can be written.
#[inline(always)]
unsafe fn store<L: Lanes>(columns: [[L; 4]; 4], to: *mut f32, step: usize) {
    for (at, column) in columns.into_iter().enumerate() {
        for (row, place) in column.into_iter().enumerate() {
            unsafe { place.store(to.wrapping_add((4 * row + at) * step)) }
        }
    }
}
