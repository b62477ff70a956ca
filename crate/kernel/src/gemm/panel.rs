//! Panels: as many columns of a matrix as a tile has, row after row, as it reads them. Absent columns are not read, or
//! repeat the last one.

use super::Matrix;
use super::gather::Gather;
use super::tile::{HEIGHT, WIDTH};
use crate::lanes::{F32x4, Lanes};
use std::array;
use std::ops::Range;

/// How many floats the panels of a matrix take.
pub(crate) fn size([n_rows, n_columns]: [usize; 2]) -> usize {
    n_rows * n_columns.next_multiple_of(WIDTH)
}

/// The right operand of a product, as a driver finds it.
#[derive(Clone, Copy)]
pub(crate) enum Columns<'a> {
    Strided(Matrix<'a>),
    /// Panels of all columns, one after the other.
    Packed {
        panels: &'a [f32],
        shape: [usize; 2],
    },
    Gathered(&'a Gather),
}

impl Columns<'_> {
    pub fn shape(&self) -> [usize; 2] {
        match self {
            Columns::Strided(matrix) => matrix.shape(),
            Columns::Packed { shape, .. } => *shape,
            Columns::Gathered(gather) => gather.shape(),
        }
    }

    /// Writes the panels of these rows and columns.
    ///
    /// # Safety
    /// Rows and columns are inside the shape, and `to` has room for the panels.
    #[inline(never)]
    pub unsafe fn pack(&self, rows: Range<usize>, columns: Range<usize>, to: *mut f32) {
        let mut to = to;
        for column in columns.clone().step_by(WIDTH) {
            let n_columns = WIDTH.min(columns.end - column);
            unsafe {
                match self {
                    Columns::Strided(matrix) => strided(matrix, rows.clone(), column, n_columns, to),
                    Columns::Gathered(gather) => gather.panel(rows.clone(), column, n_columns, to),
                    Columns::Packed { .. } => (),
                }
                to = to.add(rows.len() * WIDTH);
            }
        }
    }
}

#[inline(never)]
pub(crate) unsafe fn strided(matrix: &Matrix, rows: Range<usize>, column: usize, n_columns: usize, to: *mut f32) {
    let [row_step, column_step] = matrix.steps;
    let from = matrix.data.as_ptr().wrapping_add(rows.start * row_step + column * column_step);
    unsafe {
        if column_step == 1 && n_columns == WIDTH {
            for row in 0..rows.len() {
                for quad in (0..WIDTH).step_by(4) {
                    F32x4::load(from.add(row * row_step + quad)).store(to.add(row * WIDTH + quad));
                }
            }
            return;
        }
        for quad in (0..n_columns).step_by(4) {
            let at = array::from_fn(|at| from.wrapping_add((quad + at).min(n_columns - 1) * column_step));
            four_columns(at, row_step, rows.len(), to.add(quad));
        }
    }
}

/// Four columns of a panel, with `step` from a row to the next.
unsafe fn four_columns(columns: [*const f32; 4], step: usize, n_rows: usize, to: *mut f32) {
    let mut row = 0;
    unsafe {
        while step == 1 && row + 4 <= n_rows {
            let four = F32x4::transpose(columns.map(|column| F32x4::load(column.add(row))));
            for (at, elements) in four.into_iter().enumerate() {
                elements.store(to.add((row + at) * WIDTH));
            }
            row += 4;
        }
        while row < n_rows {
            F32x4::from_array(columns.map(|column| *column.add(row * step))).store(to.add(row * WIDTH));
            row += 1;
        }
    }
}

/// Writes `[n_columns, HEIGHT]` for each [`HEIGHT`] rows of the left operand, as a tile reads them. What stands for
/// absent rows is never read.
///
/// # Safety
/// Rows and columns are inside the matrix, and `to` has room for all rows rounded up to whole tiles, and four floats.
#[inline(never)]
pub(crate) unsafe fn pack_left(matrix: &Matrix, rows: Range<usize>, columns: Range<usize>, to: *mut f32) {
    let [row_step, column_step] = matrix.steps;
    let mut to = to;
    for row in rows.clone().step_by(HEIGHT) {
        let n_rows = HEIGHT.min(rows.end - row);
        let from = |at: usize, column: usize| {
            let row = row + at.min(n_rows - 1);
            matrix.data.as_ptr().wrapping_add(row * row_step + column * column_step)
        };
        let mut column = columns.start;
        // Four rows at a time; the next term overwrites what was too many.
        unsafe {
            while column_step == 1 && column + 4 <= columns.end {
                let four_rows = |quad| array::from_fn(|at| F32x4::load(from(4 * quad + at, column)));
                let quads: [[F32x4; 4]; HEIGHT.div_ceil(4)] = array::from_fn(|quad| F32x4::transpose(four_rows(quad)));
                for term in 0..4 {
                    for (quad, terms) in quads.iter().enumerate() {
                        terms[term].store(to.add(4 * quad));
                    }
                    to = to.add(HEIGHT);
                }
                column += 4;
            }
            while column < columns.end {
                for quad in 0..HEIGHT.div_ceil(4) {
                    F32x4::from_array(array::from_fn(|at| *from(4 * quad + at, column))).store(to.add(4 * quad));
                }
                to = to.add(HEIGHT);
                column += 1;
            }
        }
    }
}
