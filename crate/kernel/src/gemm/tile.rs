//! The innermost loops: a few rows of the result by eight columns, kept in registers over a run of terms.
//!
//! A step loads eight elements of `b`, and each element of `a` into four lanes. Four rows fit V8's fifteen registers
//! with a product apart from its sum; six where both are one instruction. V8 moves loads up and arithmetic down within
//! a basic block, which would keep six rows' loads alive at once: a branch that is never taken ends the block after
//! every row.

use crate::lanes::{F32x4, Lanes};
use std::ptr;

/// Rows of a tile.
pub(crate) const HEIGHT: usize = if cfg!(target_feature = "relaxed-simd") { 6 } else { 4 };
/// Columns of a tile.
pub(crate) const WIDTH: usize = 8;

/// `c[r, j] = finish(start[r, j] + sum of a[r, p] * b[p, j])` for up to [`HEIGHT`] rows and [`WIDTH`] columns.
///
/// Steps count elements. The columns of `b` and `c` are contiguous.
#[derive(Clone, Copy)]
pub(crate) struct Tile {
    pub a: *const f32,
    /// From a row to the next, and from a term to the next.
    pub a_steps: [usize; 2],
    pub b: *const f32,
    /// From a term to the next, not 0.
    pub b_step: usize,
    pub n_terms: usize,
    pub c: *mut f32,
    pub c_step: usize,
    /// Sums go on from what `c` holds, instead of from zero.
    pub is_resumed: bool,
    pub finish: Finish,
}

/// What becomes of a sum: one bias per row is added, one per column, and negative numbers become zero.
#[derive(Clone, Copy)]
pub(crate) struct Finish {
    /// Null if there is none, as `column_bias`.
    pub row_bias: *const f32,
    pub column_bias: *const f32,
    pub is_relu: bool,
}

impl Finish {
    pub const NONE: Finish = Finish { row_bias: ptr::null(), column_bias: ptr::null(), is_relu: false };

    pub fn is_none(&self) -> bool {
        self.row_bias.is_null() && self.column_bias.is_null() && !self.is_relu
    }

    /// For the rows from `row` on and the columns from `column` on.
    pub fn at(&self, row: usize, column: usize) -> Finish {
        let from = |bias: *const f32, at| if bias.is_null() { bias } else { bias.wrapping_add(at) };
        Finish { row_bias: from(self.row_bias, row), column_bias: from(self.column_bias, column), ..*self }
    }

    /// # Safety
    /// Biases can be read at `row` and at `column` and the lanes after it.
    #[inline(always)]
    pub unsafe fn apply<L: Lanes>(&self, sum: L, row: usize, column: usize) -> L {
        let mut sum = sum;
        unsafe {
            if !self.row_bias.is_null() {
                sum = sum + L::splat(*self.row_bias.add(row));
            }
            if !self.column_bias.is_null() {
                sum = sum + L::load(self.column_bias.add(column));
            }
        }
        if self.is_relu { sum.pmax(L::splat(0.0)) } else { sum }
    }
}

static NOWHERE: usize = 0;

/// # Safety
/// `n_rows` is 1 to [`HEIGHT`]. All elements the tile names can be read, and those of `c` written.
pub(crate) unsafe fn run(tile: &Tile, n_rows: usize) {
    unsafe {
        // Null, which the compiler cannot know.
        let nowhere = ptr::read_volatile(&NOWHERE) as *const f32;
        match n_rows {
            1 => rows::<1>(tile, nowhere),
            2 => rows::<2>(tile, nowhere),
            3 => rows::<3>(tile, nowhere),
            #[cfg(target_feature = "relaxed-simd")]
            4 => rows::<4>(tile, nowhere),
            #[cfg(target_feature = "relaxed-simd")]
            5 => rows::<5>(tile, nowhere),
            _ => rows::<HEIGHT>(tile, nowhere),
        }
    }
}

#[inline(never)]
unsafe fn rows<const R: usize>(tile: &Tile, nowhere: *const f32) {
    unsafe {
        let mut sums = [[F32x4::splat(0.0); 2]; R];
        if tile.is_resumed {
            for (r, [left, right]) in sums.iter_mut().enumerate() {
                let c = tile.c.add(r * tile.c_step);
                (*left, *right) = (F32x4::load(c), F32x4::load(c.add(4)));
            }
        }
        let (mut a, mut b) = (tile.a, tile.b);
        let ([a_row, a_term], b_step) = (tile.a_steps, tile.b_step);
        let b_end = b.wrapping_add(tile.n_terms * b_step);
        'terms: while b != b_end {
            let (left, right) = (F32x4::load(b), F32x4::load(b.add(4)));
            for (r, sums) in sums.iter_mut().enumerate() {
                let at = a.wrapping_add(r * a_row);
                let element = F32x4::splat(*at);
                sums[0] = element.mul_add(left, sums[0]);
                sums[1] = element.mul_add(right, sums[1]);
                if cfg!(target_feature = "relaxed-simd") && at == nowhere {
                    break 'terms;
                }
            }
            a = a.wrapping_add(a_term);
            b = b.wrapping_add(b_step);
        }
        for (r, sums) in sums.iter().enumerate() {
            let c = tile.c.add(r * tile.c_step);
            tile.finish.apply(sums[0], r, 0).store(c);
            tile.finish.apply(sums[1], r, 4).store(c.add(4));
        }
    }
}
