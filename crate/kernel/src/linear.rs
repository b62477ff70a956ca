//! Products of matrices, by the definition: each element of the result is a sum over `k`, in order of `k`. Few elements are
//! multiplied where they lie ([`product_f64`] and its like).
//!
//! ```
//! use kernel::linear;
//! // One row times two rows: [1, 2, 3] · [4, 5, 6] and [1, 2, 3] · [0, 1, 0].
//! assert_eq!(linear::dense(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0, 0.0, 1.0, 0.0], [1, 3, 2]), [32.0, 2.0]);
//! ```

#![allow(unsafe_code, reason = "elements of matrices that were found to lie in their slices")]

use crate::number::{Number, round_f64};

/// How the two inner axes of an [`Operand`] are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As the product reads them: `[m, k]` on the left, `[k, n]` on the right.
    Plain,
    /// Swapped: `[k, m]` on the left, `[n, k]` on the right.
    Transposed,
}

/// A batch of matrices, contiguous. A batch of one serves every matrix of the other side.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a, T> {
    pub data: &'a [T],
    pub batch: usize,
    pub order: Order,
}

/// `x[m, k] · w[n, k]ᵀ`, of shape `[m, n]`. The leading axes of a dense layer's input are flattened into `m`.
pub fn dense<T: Number>(x: &[T], w: &[T], sizes: [usize; 3]) -> Vec<T> {
    let x = Operand { data: x, batch: 1, order: Order::Plain };
    let w = Operand { data: w, batch: 1, order: Order::Transposed };
    batch_matmul(x, w, sizes)
}

/// `a[batch, m, k] · b[batch, k, n]`, of shape `[batch, m, n]`; sizes are `[m, k, n]`.
///
/// Batches are equal, or one of them is 1. A sum of no terms (`k` is 0) is zero.
pub fn batch_matmul<T: Number>(a: Operand<T>, b: Operand<T>, [m, k, n]: [usize; 3]) -> Vec<T> {
    let batch = if a.batch == 1 { b.batch } else { a.batch };
    let [a_row, a_column] = a.strides([m, k]);
    let mut results = vec![T::ZERO; batch * m * n];
    let mut turned = Vec::new();
    for matrix in 0..batch {
        let a = a.matrix(matrix, m * k);
        let columns = b.matrix(matrix, k * n);
        let sums = &mut results[matrix * m * n..][..m * n];
        // Rows of `b` are added as a whole. To turn it pays off if there are more than a few of `a`.
        let rows = match b.order {
            Order::Plain => columns,
            Order::Transposed if m < 8 => {
                for (at, sum) in sums.iter_mut().enumerate() {
                    for p in 0..k {
                        *sum = sum.multiply_add(a[at / n * a_row + p * a_column], columns[at % n * k + p]);
                    }
                }
                continue;
            }
            Order::Transposed => {
                if turned.is_empty() || b.batch > 1 {
                    turned.resize(k * n, T::ZERO);
                    for (j, column) in columns.chunks_exact(k.max(1)).enumerate() {
                        for (p, &x) in column.iter().enumerate() {
                            turned[p * n + j] = x;
                        }
                    }
                }
                &turned
            }
        };
        for i in 0..m {
            for p in 0..k {
                T::add_products(&mut sums[i * n..][..n], &rows[p * n..][..n], a[i * a_row + p * a_column]);
            }
        }
    }
    results
}

/// A matrix that lies in a slice.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a, T> {
    pub data: &'a [T],
    /// From a row to the next, and from a column to the next, in elements.
    pub steps: [usize; 2],
}

/// As [`batch_matmul`] of one matrix by another, into `to`. `None` if one does not lie in its slice.
#[inline(never)]
pub fn product_f64(sizes: [usize; 3], a: Placed<f64>, b: Placed<f64>, to: &mut [f64]) -> Option<()> {
    product(sizes, a, b, to, |sum, a, b| sum + a * b, round_f64)
}

/// As [`product_f64`], of integers with or without a sign, which wrap.
#[inline(never)]
pub fn product_u32(sizes: [usize; 3], a: Placed<u32>, b: Placed<u32>, to: &mut [u32]) -> Option<()> {
    product(sizes, a, b, to, |sum, a, b| sum.wrapping_add(a.wrapping_mul(b)), |sum| sum)
}

/// As [`product_u32`].
#[inline(never)]
pub fn product_u64(sizes: [usize; 3], a: Placed<u64>, b: Placed<u64>, to: &mut [u64]) -> Option<()> {
    product(sizes, a, b, to, |sum, a, b| sum.wrapping_add(a.wrapping_mul(b)), |sum| sum)
}

/// By the sum of a number and the product of two others, of four columns side by side.
#[inline(always)]
fn product<T: Copy + Default>(
    [m, k, n]: [usize; 3],
    a: Placed<T>,
    b: Placed<T>,
    to: &mut [T],
    step: impl Fn(T, T, T) -> T,
    end: impl Fn(T) -> T,
) -> Option<()> {
    if !a.holds([m, k]) || !b.holds([k, n]) || to.len() != m.checked_mul(n)? {
        return None;
    }
    let ([a_row, a_term], [b_term, b_column]) = (a.steps, b.steps);
    let (mut row, mut to) = (a.data.as_ptr(), to.as_mut_ptr());
    for _ in 0..m {
        let (mut columns, mut n_left) = (b.data.as_ptr(), n);
        while n_left > 0 {
            let n_here = n_left.min(4);
            // Of fewer than four columns the first stands for those that are not there.
            let step_to = |at: usize| if at < n_here { at * b_column } else { 0 };
            let mut right = [0, 1, 2, 3].map(|at| columns.wrapping_add(step_to(at)));
            let mut left = row;
            let mut sums = [T::default(); 4];
            for _ in 0..k {
                // SAFETY: both matrices have `k` terms.
                unsafe { sums = std::array::from_fn(|at| step(sums[at], *left, *right[at])) };
                left = left.wrapping_add(a_term);
                right = right.map(|column| column.wrapping_add(b_term));
            }
            for sum in &sums[..n_here] {
                // SAFETY: there is room for `m` by `n`.
                unsafe { *to = end(*sum) };
                to = to.wrapping_add(1);
            }
            columns = columns.wrapping_add(4 * b_column);
            n_left -= n_here;
        }
        row = row.wrapping_add(a_row);
    }
    Some(())
}

impl<T> Placed<'_, T> {
    /// Whether all elements of a matrix of this shape lie in the slice.
    fn holds(&self, shape: [usize; 2]) -> bool {
        let last = |axis: usize| (shape[axis] - 1).checked_mul(self.steps[axis]);
        let is_inside = || last(0)?.checked_add(last(1)?).filter(|&last| last < self.data.len());
        shape.contains(&0) || is_inside().is_some()
    }
}

impl<'a, T> Operand<'a, T> {
    /// The strides along a row index and a column index of one matrix that reads as `rows` by `columns`.
    fn strides(&self, [rows, columns]: [usize; 2]) -> [usize; 2] {
        match self.order {
            Order::Plain => [columns, 1],
            Order::Transposed => [1, rows],
        }
    }

    fn matrix(&self, matrix: usize, n_elements: usize) -> &'a [T] {
        let matrix = if self.batch == 1 { 0 } else { matrix };
        &self.data[matrix * n_elements..][..n_elements]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[1, 2, 3], [4, 5, 6]] and [[1, 0], [0, 1], [2, -1]]; their product is [[7, -1], [16, -1]].
    const A: [i64; 6] = [1, 2, 3, 4, 5, 6];
    const A_TRANSPOSED: [i64; 6] = [1, 4, 2, 5, 3, 6];
    const B: [i64; 6] = [1, 0, 0, 1, 2, -1];
    const B_TRANSPOSED: [i64; 6] = [1, 0, 2, 0, 1, -1];

    fn plain<T>(data: &[T], batch: usize) -> Operand<'_, T> {
        Operand { data, batch, order: Order::Plain }
    }

    fn transposed<T>(data: &[T], batch: usize) -> Operand<'_, T> {
        Operand { data, batch, order: Order::Transposed }
    }

    #[test]
    fn every_order_gives_the_same_product() {
        for a in [plain(&A, 1), transposed(&A_TRANSPOSED, 1)] {
            for b in [plain(&B, 1), transposed(&B_TRANSPOSED, 1)] {
                assert_eq!(batch_matmul(a, b, [2, 3, 2]), [7, -1, 16, -1]);
            }
        }
        assert_eq!(dense(&A, &B_TRANSPOSED, [2, 3, 2]), [7, -1, 16, -1]);
    }

    #[test]
    fn products_where_matrices_lie_are_the_same() {
        let numbers = |count: usize| (0..count as i64).map(|i| i * i % 17 - 8).collect::<Vec<_>>();
        for [m, k, n] in [[4, 4, 4], [2, 3, 9], [1, 0, 5], [3, 2, 1], [5, 1, 6]] {
            let (a, b) = (numbers(m * k), numbers(k * n));
            for (order, steps) in [(Order::Plain, [n, 1]), (Order::Transposed, [1, k])] {
                let want = batch_matmul(plain(&a, 1), Operand { data: &b, batch: 1, order }, [m, k, n]);
                let whole = |all: &[i64]| all.iter().map(|&x| x as u64).collect::<Vec<_>>();
                let (left, right, mut to) = (whole(&a), whole(&b), vec![1; m * n]);
                let placed = |data, steps| Placed { data, steps };
                product_u64([m, k, n], placed(&left, [k, 1]), placed(&right, steps), &mut to).expect("they fit");
                assert_eq!(to, whole(&want), "{m} {k} {n}");
                if k > 0 {
                    let short = placed(&right[1..], steps);
                    assert_eq!(product_u64([m, k, n], placed(&left, [k, 1]), short, &mut to), None);
                }
            }
        }
    }

    #[test]
    fn few_rows_and_many_give_the_same() {
        let [m, k, n] = [9, 5, 3];
        let numbers = |count: usize| (0..2 * count as i64).map(|i| i * i % 17 - 8).collect::<Vec<_>>();
        let (a, b) = (numbers(m * k), numbers(k * n));
        let turned: Vec<i64> = b.chunks(k * n).flat_map(|b| (0..k * n).map(|at| b[at % k * n + at / k])).collect();
        let all = batch_matmul(plain(&a, 2), plain(&b, 2), [m, k, n]);
        assert_eq!(batch_matmul(plain(&a, 2), transposed(&turned, 2), [m, k, n]), all);
        let one = batch_matmul(plain(&a, 2), plain(&b[..k * n], 1), [m, k, n]);
        assert_eq!(batch_matmul(plain(&a, 2), transposed(&turned[..k * n], 1), [m, k, n]), one);
        for (row, sums) in a.chunks(k).zip(one.chunks(n)) {
            assert_eq!(dense(row, &turned[..k * n], [1, k, n]), sums);
        }
    }

    #[test]
    fn a_batch_of_one_serves_all() {
        let two = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(batch_matmul(plain(&two, 2), plain(&[10.0, 1.0], 1), [1, 2, 1]), [12.0, 34.0]);
        assert_eq!(batch_matmul(plain(&[10.0, 1.0], 1), plain(&two, 2), [1, 2, 1]), [12.0, 34.0]);
        assert_eq!(batch_matmul(plain(&two, 2), plain(&two, 2), [1, 2, 1]), [5.0, 25.0]);
    }

    #[test]
    fn no_terms_and_no_rows() {
        assert_eq!(dense::<f64>(&[], &[], [2, 0, 1]), [0.0, 0.0]);
        assert_eq!(dense(&[], &[1.0], [0, 1, 1]), []);
        assert_eq!(batch_matmul(plain(&[], 0), plain(&[1.0], 1), [1, 1, 1]), []);
    }

    #[test]
    fn integers_wrap_and_nan_goes_through() {
        assert_eq!(dense(&[i64::MAX], &[2], [1, 1, 1]), [-2]);
        assert_eq!(dense(&[3i128, 4], &[5, -6], [1, 2, 1]), [-9]);
        assert!(dense(&[0.0, 1.0], &[f64::NAN, 1.0], [1, 2, 1])[0].is_nan());
    }
}
