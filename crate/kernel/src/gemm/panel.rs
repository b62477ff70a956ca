//! Panels: as many columns of a matrix as a tile has, row after row, as it reads them. What stands for absent
//! columns does not matter.

use super::Matrix;
use super::gather::Gather;
use super::tile::WIDTH;
use crate::lanes::{F32x4, Lanes};
use crate::permute::turn_floats;
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
        if column_step == 1 && n_columns >= 4 {
            for row in 0..rows.len() {
                // The last four columns may be some of the first four.
                for column in [0, n_columns - 4] {
                    F32x4::load(from.add(row * row_step + column)).store(to.add(row * WIDTH + column));
                }
            }
            return;
        }
        side_by_side([rows.len(), n_columns], (from, matrix.steps), (to, WIDTH));
    }
}

/// Copies rows and columns of the left operand so that the columns of a row lie side by side.
///
/// # Safety
/// They are inside the matrix, and `to` has room for them.
#[inline(never)]
pub(crate) unsafe fn pack_left(matrix: &Matrix, rows: Range<usize>, columns: Range<usize>, to: *mut f32) {
    let [row_step, column_step] = matrix.steps;
    let from = matrix.data.as_ptr().wrapping_add(rows.start * row_step + columns.start * column_step);
    unsafe { side_by_side([rows.len(), columns.len()], (from, matrix.steps), (to, columns.len())) }
}

/// Copies a matrix to where its columns lie side by side.
unsafe fn side_by_side(
    [n_rows, n_columns]: [usize; 2],
    (from, [row_step, column_step]): (*const f32, [usize; 2]),
    (to, to_step): (*mut f32, usize),
) {
    unsafe {
        if row_step == 1 {
            return turn_floats([n_columns, n_rows], (from, column_step), (to, to_step));
        }
        for (row, column) in (0..n_rows).flat_map(|row| (0..n_columns).map(move |column| (row, column))) {
            *to.add(row * to_step + column) = *from.wrapping_add(row * row_step + column * column_step);
        }
    }
}
