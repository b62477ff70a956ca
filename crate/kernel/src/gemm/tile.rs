//! The innermost loops: a few rows of the result by a few columns, kept in registers over a run of terms.
//!
//! A step loads a row of columns of `b`, and each element of a column of `a` into four lanes. V8 has fifteen registers,
//! so a tile fits if its sums, a row of columns, an element and, where a product is apart from its sum, that product fit:
//! four rows by eight columns, or six where a multiply-add is one instruction. The processor has twelve sums under way
//! then, which is more than it takes for the first to be ready again.

use crate::lanes::{F32x4, Lanes};
use std::{array, iter, ptr};

/// Rows of a tile.
pub(crate) const HEIGHT: usize = if cfg!(target_feature = "relaxed-simd") { 6 } else { 4 };
/// Columns of a tile.
pub(crate) const WIDTH: usize = 4 * N_QUADS;
const N_QUADS: usize = 2;

/// `c[r, j] = finish(start[r, j] + sum of a[r, p] * b[p, j])` for up to [`HEIGHT`] rows and [`WIDTH`] columns.
///
/// Steps count elements. The columns of `b` and `c` are contiguous.
#[derive(Clone, Copy)]
pub(crate) struct Tile {
    pub a: *const f32,
    /// From a row to the next; the terms of a row are contiguous.
    pub a_step: usize,
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

impl Tile {
    /// So many rows down.
    pub fn go_below(&mut self, n_rows: usize) {
        self.a = self.a.wrapping_add(n_rows * self.a_step);
        self.c = self.c.wrapping_add(n_rows * self.c_step);
    }
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
    /// Biases can be read at row 0 and at `column` and the lanes after it.
    #[inline(always)]
    pub unsafe fn apply<L: Lanes>(&self, sum: L, column: usize) -> L {
        let mut sum = sum;
        unsafe {
            if !self.row_bias.is_null() {
                sum = sum + L::splat(*self.row_bias);
            }
            if !self.column_bias.is_null() {
                sum = sum + L::load(self.column_bias.add(column));
            }
        }
        if self.is_relu { sum.pmax(L::splat(0.0)) } else { sum }
    }

    /// For the sums of a row.
    ///
    /// # Safety
    /// `n` elements, and as many biases by column, can be read.
    #[inline(never)]
    pub unsafe fn apply_all(&self, sums: *mut f32, n: usize) {
        if self.is_none() {
            return;
        }
        let mut column = 0;
        unsafe {
            while column + 4 <= n {
                self.apply(F32x4::load(sums.add(column)), column).store(sums.add(column));
                column += 4;
            }
            while column < n {
                *sums.add(column) = self.apply(*sums.add(column), column);
                column += 1;
            }
        }
    }
}

/// A tile and those below it, until there are so many rows.
///
/// # Safety
/// `n_columns` is at most [`WIDTH`] and a multiple of four. All elements the tiles name can be read, and those of `c`
/// written.
pub(crate) unsafe fn run(tile: &Tile, n_rows: usize, n_columns: usize) {
    let (mut next, mut n_left) = (*tile, n_rows);
    for &(height, sums) in if n_columns == WIDTH { WIDE } else { NARROW } {
        if n_left >= height {
            let n_tiles = n_left / height;
            unsafe { sums(&next, n_tiles) }
            next.go_below(n_tiles * height);
            n_left -= n_tiles * height;
        }
    }
    if !tile.finish.is_none() {
        for row in 0..n_rows {
            unsafe { tile.finish.at(row, 0).apply_all(tile.c.add(row * tile.c_step), n_columns) };
        }
    }
}

/// The sums of so many tiles, one below another.
type Sums = unsafe fn(&Tile, usize);

/// By the rows of a tile, the most first: of four columns, which are few, and of [`WIDTH`].
type Heights = &'static [(usize, Sums)];

const NARROW: Heights = &[(HEIGHT, sums::<HEIGHT, 1>), (2, sums::<2, 1>), (1, sums::<1, 1>)];
#[cfg(not(target_feature = "relaxed-simd"))]
const WIDE: Heights = &[(4, sums::<4, 2>), (3, sums::<3, 2>), (2, sums::<2, 2>), (1, sums::<1, 2>)];
#[cfg(target_feature = "relaxed-simd")]
const WIDE: Heights =
    &[(6, whole), (5, sums::<5, 2>), (4, sums::<4, 2>), (3, sums::<3, 2>), (2, sums::<2, 2>), (1, sums::<1, 2>)];

unsafe fn sums<const R: usize, const Q: usize>(tile: &Tile, n_tiles: usize) {
    let mut tile = *tile;
    let b_end = tile.b.wrapping_add(tile.n_terms * tile.b_step);
    for _ in 0..n_tiles {
        unsafe {
            let mut sums = started::<R, Q>(&tile);
            let (mut a, mut b) = (tile.a, tile.b);
            while b != b_end {
                add_term(&mut sums, array::from_fn(|r| a.wrapping_add(r * tile.a_step)), b);
                a = a.wrapping_add(1);
                b = b.wrapping_add(tile.b_step);
            }
            store(&tile, &sums);
        }
        tile.go_below(R);
    }
}

/// Tiles of [`HEIGHT`] by [`WIDTH`]. Where the columns of `b` are in a panel, four terms are loaded from the same
/// addresses, so that a processor that decodes four instructions at a time has arithmetic in half of them.
///
/// Such a tile leaves one register for elements of `a`. Some versions of V8 move the loads of a block of code to its
/// start and have all of them in registers at once, so each row ends its block: by a test that never holds, but whose
/// outcome no compiler knows.
#[cfg(any(test, target_feature = "relaxed-simd"))]
pub(super) unsafe fn whole(tile: &Tile, n_tiles: usize) {
    if tile.b_step != WIDTH {
        return unsafe { sums::<HEIGHT, N_QUADS>(tile, n_tiles) };
    }
    let mut tile = *tile;
    // Where `b` is if the sums end before the first of four terms, the second, and so on.
    let end = tile.b.wrapping_add(tile.n_terms * WIDTH);
    let ends: [*const f32; 4] = array::from_fn(|term| end.wrapping_sub(term * WIDTH));
    let nowhere = unsafe { ptr::read_volatile(&ptr::null()) };
    for _ in 0..n_tiles {
        unsafe {
            let mut sums = started::<HEIGHT, N_QUADS>(&tile);
            let mut rows: [*const f32; HEIGHT] = array::from_fn(|r| tile.a.wrapping_add(r * tile.a_step));
            let mut b = tile.b;
            macro_rules! term {
                ($term:literal, $terms:lifetime) => {
                    if b == ends[$term] {
                        break;
                    }
                    let columns = load(b.add($term * WIDTH));
                    for (sums, row) in iter::zip(&mut sums, rows) {
                        let a = row.wrapping_add($term);
                        if a == nowhere {
                            break $terms;
                        }
                        add_row(sums, a, columns);
                    }
                };
            }
            'terms: loop {
                term!(0, 'terms);
                term!(1, 'terms);
                term!(2, 'terms);
                term!(3, 'terms);
                rows = rows.map(|row| row.wrapping_add(4));
                b = b.wrapping_add(4 * WIDTH);
            }
            store(&tile, &sums);
        }
        tile.go_below(HEIGHT);
    }
}

/// Sums as they start.
#[inline(always)]
unsafe fn started<const R: usize, const Q: usize>(tile: &Tile) -> [[F32x4; Q]; R] {
    let mut sums = [[F32x4::splat(0.0); Q]; R];
    if tile.is_resumed {
        for (r, sums) in sums.iter_mut().enumerate() {
            *sums = unsafe { load(tile.c.add(r * tile.c_step)) };
        }
    }
    sums
}

/// Adds the products of one element in each row of `a` and the columns of `b`.
#[inline(always)]
unsafe fn add_term<const R: usize, const Q: usize>(sums: &mut [[F32x4; Q]; R], a: [*const f32; R], b: *const f32) {
    unsafe {
        let columns = load(b);
        for (sums, a) in iter::zip(sums, a) {
            add_row(sums, a, columns);
        }
    }
}

/// Adds the products of an element and the columns.
#[inline(always)]
unsafe fn add_row<const Q: usize>(sums: &mut [F32x4; Q], a: *const f32, columns: [F32x4; Q]) {
    let element = F32x4::splat(unsafe { *a });
    for (sum, column) in iter::zip(sums, columns) {
        *sum = element.mul_add(column, *sum);
    }
}

#[inline(always)]
unsafe fn store<const R: usize, const Q: usize>(tile: &Tile, sums: &[[F32x4; Q]; R]) {
    for (r, sums) in sums.iter().enumerate() {
        for (quad, sum) in sums.iter().enumerate() {
            unsafe { sum.store(tile.c.add(r * tile.c_step + 4 * quad)) };
        }
    }
}

#[inline(always)]
unsafe fn load<const Q: usize>(from: *const f32) -> [F32x4; Q] {
    array::from_fn(|quad| unsafe { F32x4::load(from.add(4 * quad)) })
}
