//! Moves of elements of any size: permutations of axes, and copies of strided parts.
//!
//! [`Permutation::new`] drops axes of size 1 and merges those that stay together, so that what is left is a copy of
//! runs, or a transposition of matrices, which goes by square blocks: 4 × 4 in vectors for elements of four bytes.
//!
//! ```
//! use kernel::permute::Permutation;
//! let turn = Permutation::new(&[2, 3], &[1, 0]);
//! let mut turned = [0; 6];
//! turn.run(1, &[1, 2, 3, 4, 5, 6], &mut turned);
//! assert_eq!(turned, [1, 4, 2, 5, 3, 6]);
//! ```

#![allow(unsafe_code, reason = "loads and stores of four lanes and of elements of a size that is known when it runs")]

use crate::lanes::{F32x4, Lanes};
use crate::native::copy_short;
use crate::strided::row_major;
use std::iter;
use std::mem::MaybeUninit;

#[cfg(test)]
mod tests;

/// Axes of a result, outermost first: sizes, and strides in the input and the result, in elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Permutation {
    /// All axes but those of `core`.
    outer: Vec<Axis>,
    core: Core,
    n: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Axis {
    size: usize,
    from: usize,
    to: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Core {
    /// Elements that stay side by side: how many.
    Run(usize),
    /// A matrix: along `rows` the elements lie side by side in the result, along `columns` in the input.
    Turn { rows: Axis, columns: Axis },
}

impl Permutation {
    /// Axis `i` of the result is axis `axes[i]` of the input of this shape. Any axes that are a permutation.
    pub fn new(shape: &[usize], axes: &[usize]) -> Permutation {
        let from = row_major(shape);
        let n = shape.iter().product();
        let mut merged: Vec<Axis> = vec![];
        for &axis in axes.iter().filter(|&&axis| shape[axis] != 1) {
            let (size, from) = (shape[axis], from[axis]);
            match merged.last_mut() {
                Some(last) if last.from == from * size => *last = Axis { size: last.size * size, from, to: 0 },
                _ => merged.push(Axis { size, from, to: 0 }),
            }
        }
        let mut to = 1;
        for axis in merged.iter_mut().rev() {
            axis.to = to;
            to *= axis.size;
        }
        let core = match merged.pop() {
            None => Core::Run(1),
            Some(last) if last.from == 1 => Core::Run(last.size),
            Some(rows) => match merged.iter().position(|axis| axis.from == 1) {
                Some(at) => Core::Turn { rows, columns: merged.remove(at) },
                None => {
                    merged.push(rows);
                    Core::Run(1)
                }
            },
        };
        Permutation { outer: merged, core, n }
    }

    /// Moves elements of `size` bytes, of which there are as many as the shape has.
    pub fn run(&self, size: usize, from: &[u8], to: &mut [u8]) {
        assert!(from.len() == self.n * size && to.len() == from.len());
        if from.is_empty() {
            return;
        }
        let n_outer: usize = self.outer.iter().map(|axis| axis.size).product();
        for at in 0..n_outer {
            let (mut left, mut start, mut target) = (at, 0, 0);
            for axis in self.outer.iter().rev() {
                start += left % axis.size * axis.from;
                target += left % axis.size * axis.to;
                left /= axis.size;
            }
            let (start, target) = (start * size, target * size);
            match self.core {
                Core::Run(n) => copy_short(&from[start..][..n * size], &mut to[target..][..n * size]),
                Core::Turn { rows, columns } => {
                    // The last element that is read, and the last that is written.
                    let last = (rows.size - 1) * rows.from + columns.size - 1;
                    let last_to = (columns.size - 1) * columns.to + rows.size - 1;
                    assert!(start + (last + 1) * size <= from.len() && target + (last_to + 1) * size <= to.len());
                    // SAFETY: checked just now.
                    unsafe { turn(size, rows, columns, from.as_ptr().add(start), to.as_mut_ptr().add(target)) };
                }
            }
        }
    }
}

/// Writes a matrix of floats with rows for columns, with steps from a row to the next in both.
///
/// # Safety
/// All elements can be read, and written.
pub(crate) unsafe fn turn_floats(
    [n_rows, n_columns]: [usize; 2],
    (from, from_step): (*const f32, usize),
    (to, to_step): (*mut f32, usize),
) {
    let rows = Axis { size: n_rows, from: from_step, to: 1 };
    let columns = Axis { size: n_columns, from: 1, to: to_step };
    unsafe { turn(size_of::<f32>(), rows, columns, from.cast(), to.cast()) }
}

/// Elements of a block, each way: a line of the cache of elements of four bytes.
const BLOCK: usize = 16;

/// Where the parts of an axis begin, and their sizes: [`BLOCK`]s, then what is a multiple of four, then the rest.
fn parts(n: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut start = 0;
    iter::from_fn(move || {
        let size = match n - start {
            0 => return None,
            BLOCK.. => BLOCK,
            left @ 4.. => left / 4 * 4,
            left => left,
        };
        start += size;
        Some((start - size, size))
    })
}

/// # Safety
/// Pointers are to matrices as the axes say, of elements of `size` bytes.
unsafe fn turn(size: usize, rows: Axis, columns: Axis, from: *const u8, to: *mut u8) {
    // Rows of the input are read from end to end: the processor fetches ahead what is read, not what is written.
    for (row, height) in parts(rows.size) {
        for (column, width) in parts(columns.size) {
            unsafe {
                let from = from.add((row * rows.from + column) * size);
                let to = to.add((column * columns.to + row) * size);
                match (size, height, width) {
                    (4, BLOCK, BLOCK) => turn_block(from.cast(), rows.from, to.cast(), columns.to),
                    (4, ..) if height.is_multiple_of(4) && width.is_multiple_of(4) => {
                        turn_fours([height, width], (from.cast(), rows.from), (to.cast(), columns.to));
                    }
                    (1, ..) => turn_part::<u8>(height, width, from, rows.from, to, columns.to),
                    (2, ..) => turn_part::<[u8; 2]>(height, width, from, rows.from, to, columns.to),
                    (4, ..) => turn_part::<[u8; 4]>(height, width, from, rows.from, to, columns.to),
                    (8, ..) => turn_part::<[u8; 8]>(height, width, from, rows.from, to, columns.to),
                    _ => {
                        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                            let (from, to) =
                                (from.add((y * rows.from + x) * size), to.add((x * columns.to + y) * size));
                            std::ptr::copy_nonoverlapping(from, to, size);
                        }
                    }
                }
            }
        }
    }
}

/// A block of 16 × 16 floats (or what has as many bytes). Every line of the cache is read once and written once, by way
/// of a copy: strides are often powers of two, and then the lines of a column throw each other out.
#[inline(never)]
unsafe fn turn_block(from: *const f32, from_step: usize, to: *mut f32, to_step: usize) {
    let mut block = [MaybeUninit::<F32x4>::uninit(); 4 * BLOCK];
    unsafe {
        for row in (0..BLOCK).step_by(4) {
            let line: [*const f32; 4] = std::array::from_fn(|at| from.add((row + at) * from_step));
            for column in (0..BLOCK).step_by(4) {
                let turned = F32x4::transpose(line.map(|line| F32x4::load(line.add(column))));
                for (at, lanes) in turned.into_iter().enumerate() {
                    block[(column + at) * 4 + row / 4].write(lanes);
                }
            }
        }
        for column in 0..BLOCK {
            for (at, lanes) in block[4 * column..][..4].iter().enumerate() {
                lanes.assume_init().store(to.add(column * to_step + 4 * at));
            }
        }
    }
}

/// As [`turn_block`], for sizes that are multiples of four, and without the copy.
unsafe fn turn_fours(
    [height, width]: [usize; 2],
    (from, from_step): (*const f32, usize),
    (to, to_step): (*mut f32, usize),
) {
    for row in (0..height).step_by(4) {
        for column in (0..width).step_by(4) {
            let line = |at| unsafe { F32x4::load(from.add((row + at) * from_step + column)) };
            for (at, lanes) in F32x4::transpose([line(0), line(1), line(2), line(3)]).into_iter().enumerate() {
                unsafe { lanes.store(to.add((column + at) * to_step + row)) };
            }
        }
    }
}

unsafe fn turn_part<T: Copy>(
    height: usize,
    width: usize,
    from: *const u8,
    from_step: usize,
    to: *mut u8,
    to_step: usize,
) {
    let (from, to): (*const T, *mut T) = (from.cast(), to.cast());
    for x in 0..width {
        for y in 0..height {
            unsafe { to.add(x * to_step + y).write_unaligned(from.add(y * from_step + x).read_unaligned()) };
        }
    }
}

/// A part of bytes: `n_runs` runs of `run` bytes, `stride` bytes apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strided {
    pub start: usize,
    pub stride: usize,
}

/// Copies runs of bytes from one strided part to another: one operand of a concatenation, one result of a split.
///
/// Concatenating `[2, 3]` and `[2, 1]` of one byte each along the last axis is `copy(2, 3, …)` from stride 3 to stride
/// 4, and `copy(2, 1, …)` from stride 1 to start 3 and stride 4.
pub fn copy(n_runs: usize, run: usize, (from, at): (&[u8], Strided), (to, target): (&mut [u8], Strided)) {
    for index in 0..n_runs {
        let part = &from[at.start + index * at.stride..][..run];
        copy_short(part, &mut to[target.start + index * target.stride..][..run]);
    }
}
