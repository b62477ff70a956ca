//! One row times a matrix, bound by how fast the matrix comes from memory: it is read once, in the order it lies.
//!
//! Rows that lie contiguously are added to the result four at a time; columns that do are taken sixteen side by side,
//! four by four elements turned in registers; panels are taken four side by side. A matrix times one column is the same
//! with rows for columns.

use super::moves::{clear, copy};
use super::panel::Columns;
use super::tile::{Finish, WIDTH};
use super::{Matrix, Out, SMALL};
use crate::lanes::{F32x4, Lanes};
use std::array;

/// Rows that are added at a time.
const N_ROWS: usize = 4;
/// Fewer rows than these are multiplied one by one with a large matrix.
const TOGETHER: usize = 4;
/// Groups of four columns that are taken side by side.
const N_QUADS: usize = 4;
/// Columns of a block whose sums stay in the first-level cache.
const BLOCK: usize = 4096;

/// `y[j] = finish(start[j] + sum of x[p] * b[p, j])`.
#[derive(Clone, Copy)]
struct Line {
    x: *const f32,
    x_step: usize,
    n_terms: usize,
    y: *mut f32,
    n: usize,
    is_resumed: bool,
    finish: Finish,
}

/// How many of the columns, from the first on, were done here.
///
/// # Safety
/// As [`super::product`].
#[inline(never)]
pub(crate) unsafe fn product(a: &Matrix, b: &Columns, out: &Out) -> usize {
    let ([m, k], n) = (a.shape, b.shape()[1]);
    let line = Line {
        x: a.data.as_ptr(),
        x_step: a.steps[1],
        n_terms: k,
        y: out.at,
        n,
        is_resumed: out.is_resumed,
        finish: out.finish,
    };
    unsafe {
        if n == 1 && m > 1 && out.step == 1 {
            let (x, x_step) = match b {
                Columns::Strided(b) => (b.data.as_ptr(), b.steps[0]),
                Columns::Packed { panels, .. } => (panels.as_ptr(), WIDTH),
                Columns::Gathered(_) => return 0,
            };
            let (row_bias, column_bias) = (out.finish.column_bias, out.finish.row_bias);
            let finish = Finish { row_bias, column_bias, ..out.finish };
            return times_matrix(&Line { x, x_step, n: m, finish, ..line }, &a.transposed()).into();
        }
        match b {
            Columns::Strided(b) if m == 1 && b.steps[1] == 1 && k * n <= SMALL => {
                let n_done = n / 16 * 16;
                for column in (0..n_done).step_by(16) {
                    let (y, finish) = (out.at.wrapping_add(column), out.finish.at(0, column));
                    let from = b.data.as_ptr().wrapping_add(column);
                    times_parts::<2, 2>(&Line { y, finish, ..line }, from, b.steps[0], 8);
                }
                n_done
            }
            Columns::Strided(b) if m == 1 || m < TOGETHER && k * n > SMALL && b.steps[1] == 1 => {
                let is_done = (0..m).all(|row| {
                    let (x, y) = (line.x.wrapping_add(row * a.steps[0]), out.at.wrapping_add(row * out.step));
                    times_matrix(&Line { x, y, finish: out.finish.at(row, 0), ..line }, b)
                });
                if is_done { n } else { 0 }
            }
            Columns::Packed { panels, .. } if m == 1 => {
                let n_done = n / (2 * WIDTH) * (2 * WIDTH);
                let mut column = 0;
                while column < n_done {
                    let (y, finish) = (out.at.wrapping_add(column), out.finish.at(0, column));
                    let from = panels.as_ptr().wrapping_add(column * k);
                    let line = Line { y, finish, ..line };
                    if column + 4 * WIDTH <= n_done {
                        times_parts::<4, { WIDTH / 4 }>(&line, from, WIDTH, WIDTH * k);
                        column += 4 * WIDTH;
                    } else {
                        times_parts::<2, { WIDTH / 4 }>(&line, from, WIDTH, WIDTH * k);
                        column += 2 * WIDTH;
                    }
                }
                n_done
            }
            Columns::Strided(_) | Columns::Packed { .. } | Columns::Gathered(_) => 0,
        }
    }
}

/// Says whether the rows of `b` are contiguous, or its columns are.
unsafe fn times_matrix(line: &Line, b: &Matrix) -> bool {
    let [row_step, column_step] = b.steps;
    unsafe {
        if column_step == 1 || line.n == 1 {
            add_rows(line, b.data.as_ptr(), row_step);
        } else if row_step == 1 || line.n_terms <= 1 {
            for column in (0..line.n).step_by(4 * N_QUADS) {
                let (y, n) = (line.y.wrapping_add(column), (line.n - column).min(4 * N_QUADS));
                let line = Line { y, n, finish: line.finish.at(0, column), ..*line };
                dot_columns(&line, b.data.as_ptr().wrapping_add(column * column_step), column_step);
            }
        } else {
            return false;
        }
    }
    true
}

unsafe fn add_rows(line: &Line, b: *const f32, b_step: usize) {
    for column in (0..line.n).step_by(BLOCK) {
        let (y, n) = (line.y.wrapping_add(column), (line.n - column).min(BLOCK));
        let mut b = b.wrapping_add(column);
        let mut x = line.x;
        unsafe {
            if !line.is_resumed {
                clear(y, n);
            }
            let mut n_left = line.n_terms;
            while n_left >= N_ROWS {
                pass::<N_ROWS>([x, b], [line.x_step, b_step], y, n);
                x = x.wrapping_add(N_ROWS * line.x_step);
                b = b.wrapping_add(N_ROWS * b_step);
                n_left -= N_ROWS;
            }
            for _ in 0..n_left {
                pass::<1>([x, b], [line.x_step, b_step], y, n);
                x = x.wrapping_add(line.x_step);
                b = b.wrapping_add(b_step);
            }
            line.finish.at(0, column).apply_all(y, n);
        }
    }
}

/// `y[j] += x[0] * b[0, j]`, and so on for `R` rows.
#[inline(never)]
unsafe fn pass<const R: usize>([x, b]: [*const f32; 2], [x_step, b_step]: [usize; 2], y: *mut f32, n: usize) {
    unsafe {
        let x: [f32; R] = array::from_fn(|r| *x.wrapping_add(r * x_step));
        let mut column = 0;
        let four = x.map(F32x4::splat);
        while column + 4 <= n {
            step(&four, b.wrapping_add(column), b_step, y.add(column));
            column += 4;
        }
        while column < n {
            step(&x, b.wrapping_add(column), b_step, y.add(column));
            column += 1;
        }
    }
}

#[inline(always)]
unsafe fn step<L: Lanes, const R: usize>(x: &[L; R], b: *const f32, b_step: usize, y: *mut f32) {
    unsafe {
        let mut sum = L::load(y);
        for (r, x) in x.iter().enumerate() {
            sum = x.mul_add(L::load(b.wrapping_add(r * b_step)), sum);
        }
        sum.store(y);
    }
}

/// Up to sixteen columns, each contiguous and `b_step` apart. An absent one is read as the last.
///
/// Sixteen terms of a column, a cache line, are added before its neighbours' are read: columns that are a power of two
/// apart share few lines of the cache.
#[inline(never)]
unsafe fn dot_columns(line: &Line, b: *const f32, b_step: usize) {
    let mut sums = [0.0; 4 * N_QUADS];
    unsafe {
        if line.is_resumed {
            copy(line.y, sums.as_mut_ptr(), line.n);
        }
        for term in (0..line.n_terms).step_by(16) {
            let n_terms = (line.n_terms - term).min(16);
            for quad in (0..line.n).step_by(4) {
                let columns = [0, 1, 2, 3].map(|at| b.wrapping_add((quad + at).min(line.n - 1) * b_step + term));
                let x = line.x.wrapping_add(term * line.x_step);
                dot_quad(x, line.x_step, columns, n_terms, sums.as_mut_ptr().add(quad));
            }
        }
        copy(sums.as_ptr(), line.y, line.n);
        line.finish.apply_all(line.y, line.n);
    }
}

/// Four sums go on over a few terms of `x` and four columns.
#[inline(always)]
unsafe fn dot_quad(x: *const f32, x_step: usize, columns: [*const f32; 4], n_terms: usize, sums: *mut f32) {
    let mut x = x;
    let mut term = 0;
    unsafe {
        let mut sum = F32x4::load(sums);
        while term + 4 <= n_terms {
            for row in F32x4::transpose(columns.map(|column| F32x4::load(column.wrapping_add(term)))) {
                sum = F32x4::splat(*x).mul_add(row, sum);
                x = x.wrapping_add(x_step);
            }
            term += 4;
        }
        while term < n_terms {
            let row = F32x4::from_array(columns.map(|column| *column.wrapping_add(term)));
            sum = F32x4::splat(*x).mul_add(row, sum);
            x = x.wrapping_add(x_step);
            term += 1;
        }
        sum.store(sums);
    }
}

/// `P` times `Q` times four columns: contiguous ones, and others, each at the distance `apart` from those before.
#[inline(never)]
unsafe fn times_parts<const P: usize, const Q: usize>(line: &Line, b: *const f32, b_step: usize, apart: usize) {
    let mut parts = [[F32x4::splat(0.0); Q]; P];
    unsafe {
        if line.is_resumed {
            let part = |part: usize| array::from_fn(|quad| F32x4::load(line.y.add(4 * (part * Q + quad))));
            parts = array::from_fn(part);
        }
        let (mut x, mut b) = (line.x, b);
        for _ in 0..line.n_terms {
            let element = F32x4::splat(*x);
            for (part, sums) in parts.iter_mut().enumerate() {
                let b = b.wrapping_add(part * apart);
                *sums = array::from_fn(|quad| element.mul_add(F32x4::load(b.wrapping_add(4 * quad)), sums[quad]));
            }
            x = x.wrapping_add(line.x_step);
            b = b.wrapping_add(b_step);
        }
        for (at, sum) in parts.as_flattened().iter().enumerate() {
            sum.store(line.y.add(4 * at));
        }
        line.finish.apply_all(line.y, 4 * P * Q);
    }
}
