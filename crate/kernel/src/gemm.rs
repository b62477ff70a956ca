//! Products of float32 matrices, fast: `c[m, n] = a[m, k] · b[k, n]`, either operand with any strides.
//!
//! Cut into blocks that fit the caches and tiles that fit the registers (K. Goto and R. van de Geijn, "Anatomy of
//! high-performance matrix multiplication", 2008). Columns of `b` are packed into panels, once for all if they are
//! constant ([`pack`]); rows of `a` are read where they are, unless its columns are not contiguous. One row, or one
//! column, has loops of its own ([`vector`]).
//!
//! Invariants:
//! - Every element is `((0 + a[i,0]·b[0,j]) + a[i,1]·b[1,j]) + …` in order of `k`, each product and each sum rounded,
//!   whatever the sizes, the strides and the path. Then a bias is added, then `relu` applied. So results are bit-equal
//!   natively and in WebAssembly; the build with relaxed SIMD rounds `a·b + sum` once where the processor can.
//! - Against exact sums, an element is off by at most `k · 2⁻²⁴ · Σ |a[i,p]·b[p,j]|` to first order, and `2⁻²⁴` of
//!   itself for the bias. Nothing is skipped: NaN and infinities go through.
//! - Nothing outside of the slices is read or written: a [`Matrix`] and a [`Packed`] lie within theirs, and products
//!   check theirs on entry. They answer `None`, and change nothing, if sizes disagree.
//!
//! ```
//! use kernel::gemm::{Epilogue, Matrix, Right, multiply};
//! // [[1, 2], [3, 4]] · [[1, 1], [0, 1]], then the same matrix on the right read by columns.
//! let a = Matrix::row_major(&[1.0, 2.0, 3.0, 4.0], [2, 2]).unwrap();
//! let b = Matrix::row_major(&[1.0, 1.0, 0.0, 1.0], [2, 2]).unwrap();
//! let mut c = [0.0; 4];
//! multiply(a, Right::Strided(b), &mut c, &Epilogue::default(), &mut Vec::new());
//! assert_eq!(c, [1.0, 3.0, 3.0, 7.0]);
//! multiply(a, Right::Strided(b.transposed()), &mut c, &Epilogue::default(), &mut Vec::new());
//! assert_eq!(c, [3.0, 2.0, 7.0, 4.0]);
//! ```

#![allow(unsafe_code, reason = "loads and stores of lanes within slices whose lengths were checked on entry")]

pub(crate) mod gather;
pub(crate) mod moves;
pub(crate) mod panel;
#[cfg(test)]
mod tests;
pub(crate) mod tile;
pub(crate) mod vector;

use crate::lanes::{F32x4, Lanes};
use moves::{clear, copy};
use panel::Columns;
use std::mem::MaybeUninit;
use std::{iter, ptr};
use tile::{Finish, HEIGHT, Tile, WIDTH};

/// Terms of a block at most: a panel of `b` stays in the first-level cache. Blocks are of about one size.
const BLOCK_TERMS: usize = 512;
/// Elements of a block of `a`, which is read once for each panel of `b`: about as many as the first-level cache has, so
/// that they are near.
const BLOCK_LEFT: usize = 24 * BLOCK_TERMS;
/// Its rows are whole tiles of either height.
const TILES: usize = 12;
/// Columns of a block of `b` that is packed on the way: whole panels of either width.
const BLOCK_COLUMNS: usize = 360;
/// No size of a small product is larger than this.
const FEW: usize = 8;
/// A right operand of at most this many elements is packed in no time.
const LITTLE: usize = 512;
/// More rows than this take longer to multiply than a right operand takes to pack.
const REPAYING_ROWS: usize = 64;
/// A right operand of at most this many elements is in the first-level cache anyway, and is read where it is.
const SMALL: usize = 8192;

/// A matrix that lies in a slice with a stride along its rows and one along its columns, in elements.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    pub(crate) data: &'a [f32],
    pub(crate) shape: [usize; 2],
    /// From a row to the next, and from a column to the next.
    pub(crate) steps: [usize; 2],
}

impl<'a> Matrix<'a> {
    /// `None` if an element would lie outside of `data`, or there were more elements than can be counted.
    pub fn new(data: &'a [f32], shape: [usize; 2], steps: [usize; 2]) -> Option<Matrix<'a>> {
        if !shape.contains(&0) {
            let row = (shape[0] - 1).checked_mul(steps[0])?;
            let last = (shape[1] - 1).checked_mul(steps[1])?.checked_add(row)?;
            data.get(last)?;
        }
        let [n_rows, n_columns] = shape.map(|size| size.checked_next_multiple_of(WIDTH));
        n_rows?.checked_mul(n_columns?)?;
        Some(Matrix { data, shape, steps })
    }

    /// Row after row. `None` if `data` is too short.
    pub fn row_major(data: &'a [f32], shape: [usize; 2]) -> Option<Matrix<'a>> {
        Matrix::new(data, shape, [shape[1], 1])
    }

    /// The same elements with rows for columns.
    pub fn transposed(self) -> Matrix<'a> {
        let ([n_rows, n_columns], [row, column]) = (self.shape, self.steps);
        Matrix { shape: [n_columns, n_rows], steps: [column, row], ..self }
    }

    /// Rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }
}

/// A right operand in the order in which products read it, made by [`pack`].
#[derive(Clone, Copy, Debug)]
pub struct Packed<'a> {
    panels: &'a [f32],
    shape: [usize; 2],
}

impl<'a> Packed<'a> {
    /// What [`pack`] wrote for a matrix of this shape. `None` if the length is not that of such a matrix.
    pub fn new(panels: &'a [f32], shape: [usize; 2]) -> Option<Packed<'a>> {
        let size = shape[0].checked_mul(shape[1].checked_next_multiple_of(WIDTH)?)?;
        (panels.len() == size).then_some(Packed { panels, shape })
    }
}

/// Replaces `to` by the elements of `b` in panels of a few columns, the last one filled up with anything.
pub fn pack(b: Matrix, to: &mut Vec<f32>) {
    let size = panel::size(b.shape);
    reserve(to, size);
    to.truncate(size);
    unsafe { Columns::Strided(b).pack(0..b.shape[0], 0..b.shape[1], to.as_mut_ptr()) }
}

/// How many floats [`pack`] writes for a right operand of this shape and with these steps, if products of so many rows
/// are much faster with what it writes than without.
pub fn packed_size(n_rows: usize, shape: [usize; 2], steps: [usize; 2]) -> Option<usize> {
    let n_elements = shape[0] * shape[1];
    let is_read_in_place = match steps[1] {
        1 => n_rows == 1 || n_elements <= SMALL,
        _ => n_elements <= LITTLE,
    };
    let is_repaid = (1..=REPAYING_ROWS).contains(&n_rows) && shape[1] > 1 && !is_read_in_place;
    is_repaid.then(|| panel::size(shape))
}

/// The right operand.
#[derive(Clone, Copy, Debug)]
pub enum Right<'a> {
    Strided(Matrix<'a>),
    Packed(Packed<'a>),
}

impl<'a> Right<'a> {
    fn columns(self) -> Columns<'a> {
        match self {
            Right::Strided(matrix) => Columns::Strided(matrix),
            Right::Packed(Packed { panels, shape }) => Columns::Packed { panels, shape },
        }
    }
}

/// Where sums start.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Start {
    #[default]
    Zero,
    /// At what the result holds.
    Result,
}

#[derive(Clone, Copy, Default, Debug)]
pub enum Bias<'a> {
    #[default]
    None,
    /// One for each row of the result.
    PerRow(&'a [f32]),
    /// One for each column of the result.
    PerColumn(&'a [f32]),
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Activation {
    #[default]
    None,
    /// Zero for negative numbers. NaN stays.
    Relu,
}

/// What is done with the elements of a result while they are at hand, in this order.
#[derive(Clone, Copy, Default, Debug)]
pub struct Epilogue<'a> {
    pub start: Start,
    pub bias: Bias<'a>,
    pub activation: Activation,
}

impl Epilogue<'_> {
    /// `None` if there are too few biases for a result of `shape`.
    pub(crate) fn finish(&self, [n_rows, n_columns]: [usize; 2]) -> Option<Finish> {
        let is_relu = self.activation == Activation::Relu;
        let (row_bias, column_bias) = match self.bias {
            Bias::None => (ptr::null(), ptr::null()),
            Bias::PerRow(bias) => (bias.get(..n_rows)?.as_ptr(), ptr::null()),
            Bias::PerColumn(bias) => (ptr::null(), bias.get(..n_columns)?.as_ptr()),
        };
        Some(Finish { row_bias, column_bias, is_relu })
    }
}

/// `c = a · b`, row-major, and the epilogue. `scratch` holds panels; what is in it does not matter.
///
/// `None`, and `c` as it was, if the shapes disagree, `c` is not as long as the result, or biases are missing.
pub fn multiply(a: Matrix, b: Right, c: &mut [f32], epilogue: &Epilogue, scratch: &mut Vec<f32>) -> Option<()> {
    let columns = b.columns();
    let ([m, k], [l, n]) = (a.shape, columns.shape());
    let finish = epilogue.finish([m, n])?;
    if k != l || c.len() != m.checked_mul(n)? {
        return None;
    }
    let out = Out { at: c.as_mut_ptr(), step: n, is_resumed: epilogue.start == Start::Result, finish };
    unsafe { product(&a, &columns, &out, scratch) }
    Some(())
}

/// A product of small matrices, whose sizes are known before.
#[derive(Clone, Copy, Debug)]
pub struct Small {
    sizes: [usize; 3],
    a_steps: [usize; 2],
    b_steps: [usize; 2],
}

impl Small {
    /// Of `[m, k]` and `[k, n]`, each with a step from row to row and one from column to column, of which one is 1 and
    /// the other the size along that axis. `None` if they are not small.
    pub fn new(sizes: [usize; 3], a_steps: [usize; 2], b_steps: [usize; 2]) -> Option<Small> {
        let [m, k, n] = sizes;
        let lies = |[rows, columns]: [usize; 2], steps| steps == [columns, 1] || steps == [1, rows];
        (is_few(sizes) && lies([m, k], a_steps) && lies([k, n], b_steps)).then_some(Small { sizes, a_steps, b_steps })
    }

    /// As [`multiply`], without an epilogue.
    pub fn run(&self, a: &[f32], b: &[f32], c: &mut [f32]) -> Option<()> {
        let [m, k, n] = self.sizes;
        if a.len() != m * k || b.len() != k * n || c.len() != m * n {
            return None;
        }
        let out = Out { at: c.as_mut_ptr(), step: n, is_resumed: false, finish: Finish::NONE };
        // SAFETY: there are as many elements as the matrices have.
        unsafe {
            let (a, b) = ((a.as_ptr(), self.a_steps), (b.as_ptr(), self.b_steps));
            if m == 4 && k == 4 && n == 4 {
                four(a, b, out.at);
            } else if m == 2 && k == 2 && n == 2 {
                two(a, b, out.at);
            } else {
                few(self.sizes, a, b, &out);
            }
        }
        Some(())
    }

    /// As [`multiply_batch`], without an epilogue.
    pub fn run_batch(&self, batch: Batch, [a, b]: [&[f32]; 2], c: &mut [f32]) -> Option<()> {
        let [m, k, n] = self.sizes;
        if c.len() != batch.size.checked_mul(m * n)? {
            return None;
        }
        for (at, c) in c.chunks_exact_mut((m * n).max(1)).enumerate() {
            let a = a.get(at * batch.a_step..)?.get(..m * k)?;
            let b = b.get(at * batch.b_step..)?.get(..k * n)?;
            self.run(a, b, c)?;
        }
        Some(())
    }
}

fn is_few([m, k, n]: [usize; 3]) -> bool {
    m.max(n).max(k) <= FEW
}

/// A product of four rows, terms and columns, in registers.
///
/// # Safety
/// As [`few`]; of `b` one step is 1.
#[inline(always)]
unsafe fn four(
    (a, [row_step, a_step]): (*const f32, [usize; 2]),
    (b, [b_step, column_step]): (*const f32, [usize; 2]),
    c: *mut f32,
) {
    unsafe {
        let lines = [0, 1, 2, 3].map(|at| F32x4::load(b.wrapping_add(at * b_step.max(column_step))));
        let terms = if column_step == 1 { lines } else { F32x4::transpose(lines) };
        for row in 0..4 {
            let a = a.wrapping_add(row * row_step);
            let mut sum = F32x4::splat(0.0);
            for (at, term) in terms.into_iter().enumerate() {
                sum = F32x4::splat(*a.wrapping_add(at * a_step)).mul_add(term, sum);
            }
            sum.store(c.add(4 * row));
        }
    }
}

/// A product of two rows, terms and columns: all its elements are the lanes of one sum.
///
/// # Safety
/// As [`few`].
#[inline(always)]
unsafe fn two(
    (a, [row_step, a_step]): (*const f32, [usize; 2]),
    (b, [b_step, column_step]): (*const f32, [usize; 2]),
    c: *mut f32,
) {
    unsafe {
        let mut sum = F32x4::splat(0.0);
        for term in 0..2 {
            let (a, b) = (a.wrapping_add(term * a_step), b.wrapping_add(term * b_step));
            let (above, below) = (*a, *a.wrapping_add(row_step));
            let (left, right) = (*b, *b.wrapping_add(column_step));
            let factors = F32x4::from_array([above, above, below, below]);
            sum = factors.mul_add(F32x4::from_array([left, right, left, right]), sum);
        }
        sum.store(c);
    }
}

/// A product of small matrices, four columns at a time.
///
/// # Safety
/// As [`product`], for sizes with [`is_few`]. Sums start at zero, or there are whole fours of columns.
#[inline(never)]
unsafe fn few(
    [m, k, n]: [usize; 3],
    (a, a_steps): (*const f32, [usize; 2]),
    (b, [term_step, column_step]): (*const f32, [usize; 2]),
    out: &Out,
) {
    let mut terms = [MaybeUninit::uninit(); FEW];
    let terms = &mut terms[..k];
    for column in (0..n).step_by(4) {
        let from = b.wrapping_add(column * column_step);
        let width = 4.min(n - column);
        let n_turned = if term_step == 1 && column_step != 1 && width == 4 { k / 4 } else { 0 };
        let (fours, rest) = terms.split_at_mut(4 * n_turned);
        let (fours, _) = fours.as_chunks_mut::<4>();
        for (at, four) in fours.iter_mut().enumerate() {
            let line = |column: usize| unsafe { F32x4::load(from.wrapping_add(4 * at + column * column_step)) };
            *four = F32x4::transpose([line(0), line(1), line(2), line(3)]).map(MaybeUninit::new);
        }
        for (at, term) in (4 * n_turned..).zip(rest) {
            let from = from.wrapping_add(at * term_step);
            let some = |at: usize| if at < width { unsafe { *from.wrapping_add(at * column_step) } } else { 0.0 };
            term.write(match column_step {
                1 if width == 4 => unsafe { F32x4::load(from) },
                _ => F32x4::from_array([some(0), some(1), some(2), some(3)]),
            });
        }
        // SAFETY: as above; every term has been written.
        let terms = unsafe { terms.assume_init_ref() };
        let mut row = 0;
        while row < m {
            let (left, to) = (a.wrapping_add(row * a_steps[0]), out.at.wrapping_add(row * out.step + column));
            unsafe {
                row += if m - row >= 4 {
                    rows_of::<4>(terms, (left, a_steps), (to, width), out, [row, column])
                } else {
                    rows_of::<1>(terms, (left, a_steps), (to, width), out, [row, column])
                };
            }
        }
    }
}

/// `N` rows of at most four columns whose terms are known; how many rows they are.
#[inline(always)]
unsafe fn rows_of<const N: usize>(
    terms: &[F32x4],
    (mut left, [row_step, term_step]): (*const f32, [usize; 2]),
    (to, width): (*mut f32, usize),
    out: &Out,
    [row, column]: [usize; 2],
) -> usize {
    let to = |at: usize| to.wrapping_add(at * out.step);
    unsafe {
        let mut sums = [F32x4::splat(0.0); N];
        if out.is_resumed {
            sums = std::array::from_fn(|at| F32x4::load(to(at)));
        }
        for &term in terms {
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum = F32x4::splat(*left.wrapping_add(at * row_step)).mul_add(term, *sum);
            }
            left = left.wrapping_add(term_step);
        }
        for (at, mut sum) in sums.into_iter().enumerate() {
            if width < 4 {
                store_some(sum, (to(at), width), out, [row + at, column]);
                continue;
            }
            if !out.finish.is_none() {
                sum = out.finish.at(row + at, column).apply(sum, 0);
            }
            sum.store(to(at));
        }
    }
    N
}

/// The first `width` of four sums.
#[inline(never)]
unsafe fn store_some(sums: F32x4, (to, width): (*mut f32, usize), out: &Out, [row, column]: [usize; 2]) {
    unsafe {
        (0..width).zip(sums.to_array()).for_each(|(at, sum)| *to.add(at) = sum);
        out.finish.at(row, column).apply_all(to, width);
    }
}

/// The matrices of a batch lie at equal distances; the distance 0 gives every product the same one.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    pub size: usize,
    pub a_step: usize,
    pub b_step: usize,
}

/// A product for every matrix of a batch: `c[batch, m, n] = a[batch, m, k] · b[batch, k, n]`, and the epilogue for
/// each.
///
/// `a` and `b` have the shapes and strides of one matrix, and the data of all. `None` if one does not lie in its data,
/// or as for [`multiply`]; then some of `c` may have been written.
pub fn multiply_batch(
    batch: Batch,
    a: Matrix,
    b: Matrix,
    c: &mut [f32],
    epilogue: &Epilogue,
    scratch: &mut Vec<f32>,
) -> Option<()> {
    let ([m, k], n) = (a.shape, b.shape[1]);
    if c.len() != batch.size.checked_mul(m.checked_mul(n)?)? {
        return None;
    }
    let is_row_biased = matches!(epilogue.bias, Bias::PerRow(_));
    if batch.b_step == 0 && a.steps == [k, 1] && batch.a_step == m * k && !is_row_biased {
        let all = Matrix::row_major(a.data, [batch.size.checked_mul(m)?, k])?;
        return multiply(all, Right::Strided(b), c, epilogue, scratch);
    }
    for at in 0..batch.size {
        let a = Matrix::new(a.data.get(at.checked_mul(batch.a_step)?..)?, a.shape, a.steps)?;
        let b = Matrix::new(b.data.get(at.checked_mul(batch.b_step)?..)?, b.shape, b.steps)?;
        multiply(a, Right::Strided(b), &mut c[at * m * n..][..m * n], epilogue, scratch)?;
    }
    Some(())
}

/// Where a result goes: rows `step` apart.
#[derive(Clone, Copy)]
pub(crate) struct Out {
    pub at: *mut f32,
    pub step: usize,
    pub is_resumed: bool,
    pub finish: Finish,
}

/// # Safety
/// The inner sizes agree, and the result and the biases have as many rows and columns as the product.
#[inline(never)]
pub(crate) unsafe fn product(a: &Matrix, b: &Columns, out: &Out, scratch: &mut Vec<f32>) {
    let ([m, k], n) = (a.shape, b.shape()[1]);
    if m == 0 || n == 0 {
        return;
    }
    if let Columns::Strided(b) = b
        && is_few([m, k, n])
        && (n.is_multiple_of(4) || !out.is_resumed)
    {
        return unsafe { few([m, k, n], (a.data.as_ptr(), a.steps), (b.data.as_ptr(), b.steps), out) };
    }
    let n_done = unsafe { vector::product(a, b, out) };
    if n_done == n {
        return;
    }
    // Where the columns of `b` are read: as they are, or in panels that are made here, a block at a time.
    let direct = match b {
        Columns::Strided(matrix) if matrix.steps[1] == 1 && matrix.steps[0] > 0 && (k * n <= SMALL || m <= HEIGHT) => {
            Some(matrix)
        }
        Columns::Strided(_) | Columns::Packed { .. } | Columns::Gathered(_) => None,
    };
    let block_columns = if direct.is_some() || matches!(b, Columns::Packed { .. }) { n } else { BLOCK_COLUMNS.min(n) };
    // One row at least, for a tile reads what a term of no terms would be.
    let block_terms = if direct.is_some() { k } else { k.div_ceil(k.div_ceil(BLOCK_TERMS).max(1)) };
    let block_rows = (BLOCK_LEFT / block_terms.max(1) / TILES * TILES).max(TILES);
    let is_left_packed = a.steps[1] != 1 && k > 1;
    let left_size = if is_left_packed { block_terms * block_rows.min(m) } else { 0 };
    let packed_columns = if direct.is_some() { WIDTH } else { block_columns };
    reserve(scratch, left_size + panel::size([block_terms, packed_columns]));
    let left = scratch.as_mut_ptr();
    let right = left.wrapping_add(left_size);
    for column in (n_done..n).step_by(block_columns) {
        let columns = column..n.min(column + block_columns);
        // A sum of no terms has one block without terms.
        for term in iter::once(0).chain((block_terms.max(1)..k).step_by(block_terms.max(1))) {
            let terms = term..k.min(term + block_terms);
            // Where the first column of these terms would be, and how far one is from the next, and a term.
            let (first, column_step, term_step) = match (direct, b) {
                (Some(matrix), _) => {
                    if !n.is_multiple_of(4) {
                        unsafe { b.pack(terms.clone(), n - n % WIDTH..n, right) }
                    }
                    (matrix.data.as_ptr(), 1, matrix.steps[0])
                }
                (None, Columns::Packed { panels, .. }) => (panels.as_ptr().wrapping_add(term * WIDTH), k, WIDTH),
                (None, Columns::Strided(_) | Columns::Gathered(_)) => {
                    unsafe { b.pack(terms.clone(), columns.clone(), right) }
                    (right.cast_const().wrapping_sub(column * terms.len()), terms.len(), WIDTH)
                }
            };
            let is_last = terms.end == k;
            for row in (0..m).step_by(block_rows) {
                let rows = row..m.min(row + block_rows);
                let mut tile = Tile {
                    a: a.data.as_ptr().wrapping_add(row * a.steps[0] + terms.start * a.steps[1]),
                    a_step: a.steps[0],
                    b: right,
                    b_step: WIDTH,
                    n_terms: terms.len(),
                    c: out.at,
                    c_step: out.step,
                    is_resumed: out.is_resumed || term > 0,
                    finish: Finish::NONE,
                };
                if is_left_packed {
                    unsafe { panel::pack_left(a, rows.clone(), terms.clone(), left) }
                    (tile.a, tile.a_step) = (left, terms.len());
                }
                for column in columns.clone().step_by(WIDTH) {
                    let width = WIDTH.min(n - column);
                    let is_whole = width.is_multiple_of(4);
                    (tile.b, tile.b_step) = match direct {
                        Some(_) if !is_whole => (right.cast_const(), WIDTH),
                        Some(_) | None => (first.wrapping_add(column * column_step), term_step),
                    };
                    tile.c = out.at.wrapping_add(row * out.step + column);
                    tile.finish = if is_last { out.finish.at(row, column) } else { Finish::NONE };
                    unsafe {
                        if is_whole {
                            tile::run(&tile, rows.len(), width);
                        } else {
                            edge(&tile, rows.len(), width);
                        }
                    }
                }
            }
        }
    }
}

/// Tiles of a number of columns that is not a multiple of four, by way of some that are.
///
/// # Safety
/// As [`tile::run`], for `width` columns of `c` and of its biases.
#[inline(never)]
unsafe fn edge(tile: &Tile, n_rows: usize, width: usize) {
    let mut whole = MaybeUninit::<[f32; HEIGHT * WIDTH]>::uninit();
    let mut tile = *tile;
    for row in (0..n_rows).step_by(HEIGHT) {
        let height = HEIGHT.min(n_rows - row);
        let inner = Tile { c: whole.as_mut_ptr().cast(), c_step: WIDTH, finish: Finish::NONE, ..tile };
        let rows = |row| (inner.c.wrapping_add(row * WIDTH), tile.c.wrapping_add(row * tile.c_step));
        unsafe {
            if tile.is_resumed {
                clear(inner.c, HEIGHT * WIDTH);
                for (whole, c) in (0..height).map(rows) {
                    copy(c, whole, width);
                }
            }
            tile::run(&inner, height, width.next_multiple_of(4));
            for (at, (whole, c)) in (0..height).map(rows).enumerate() {
                copy(whole, c, width);
                tile.finish.at(row + at, 0).apply_all(c, width);
            }
        }
        tile.go_below(HEIGHT);
    }
}

/// Makes `scratch` at least `size` long.
#[inline(never)]
pub(crate) fn reserve(scratch: &mut Vec<f32>, size: usize) {
    if scratch.len() < size {
        scratch.resize(size, 0.0);
    }
}
