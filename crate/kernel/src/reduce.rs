//! Reductions: one answer for each index of the axes that are kept.
//!
//! `axes` are the reduced ones, sorted and distinct; all of them gives one answer, none gives one per element. Elements
//! meet in row-major order of the input, so that a float sum has one meaning. Of `n` numbers it is off by at most
//! `n · 2⁻⁵³ · Σ abs(x)`, a product by `n · 2⁻⁵³` of itself, and [`variance`] by `n + 3` of that unit.
//!
//! The walk over the input steps through the output with stride 0 along reduced axes:
//!
//! ```
//! use kernel::{reduce, strided::View};
//! let input = View::new(&[1, 2, 3, 4, 5, 6], &[2, 3]);
//! assert_eq!(reduce::fold(input, &[0], 0, |sum, x| sum + x), [5, 7, 9]);
//! assert_eq!(reduce::fold(input, &[1], 0, |sum, x| sum + x), [6, 15]);
//! assert_eq!(reduce::arg_reduce(input, &[1], |a, b| a > b, reduce::Tie::First), [2, 2]);
//! ```

use crate::strided::{Offsets, View};

/// Which of several equally good elements an arg-reduction names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tie {
    First,
    Last,
}

/// What a variance of `n` elements divides by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Estimate {
    /// `n`.
    Population,
    /// `n - 1`, unbiased.
    Sample,
}

/// Folds the elements that share a kept index, starting from `init`; a kept index with no elements answers `init`.
pub fn fold<T: Copy, A: Copy>(input: View<T>, axes: &[usize], init: A, step: impl Fn(A, T) -> A) -> Vec<A> {
    let kept = Axes::kept(input.shape, axes);
    let mut results = vec![init; kept.count];
    for (&x, [to]) in input.data.iter().zip(Offsets::new(input.shape, [&kept.strides])) {
        results[to] = step(results[to], x);
    }
    results
}

/// Where the best element is, for each kept index: its position among the reduced axes flattened in row-major order,
/// or -1 if there are no elements.
///
/// `better(a, b)` says that `a` beats `b`, and must be a strict order ([`greater_or_nan`] and [`less_or_nan`] are).
pub fn arg_reduce<T: Copy>(input: View<T>, axes: &[usize], better: impl Fn(T, T) -> bool, tie: Tie) -> Vec<i64> {
    let kept = Axes::kept(input.shape, axes);
    let reduced = Axes::reduced(input.shape, axes);
    let mut best: Vec<Option<(T, usize)>> = vec![None; kept.count];
    for (&x, [to, position]) in input.data.iter().zip(Offsets::new(input.shape, [&kept.strides, &reduced.strides])) {
        let replace = match (best[to], tie) {
            (None, _) => true,
            (Some((held, _)), Tie::First) => better(x, held),
            (Some((held, _)), Tie::Last) => !better(held, x),
        };
        if replace {
            best[to] = Some((x, position));
        }
    }
    best.iter().map(|best| best.map_or(-1, |(_, position)| position as i64)).collect()
}

/// The order for argmax: any NaN beats any number, as in [`maximum`](crate::scalar::float::maximum).
pub fn greater_or_nan(a: f64, b: f64) -> bool {
    a > b || (a.is_nan() && !b.is_nan())
}

/// The order for argmin: any NaN beats any number, as in [`minimum`](crate::scalar::float::minimum).
pub fn less_or_nan(a: f64, b: f64) -> bool {
    a < b || (a.is_nan() && !b.is_nan())
}

/// The mean squared distance from a given mean. `mean` has one element per kept index, in row-major order.
pub fn variance(input: View<f64>, mean: &[f64], axes: &[usize], estimate: Estimate) -> Vec<f64> {
    let kept = Axes::kept(input.shape, axes);
    let n_elements = Axes::reduced(input.shape, axes).count as f64;
    let divisor = match estimate {
        Estimate::Population => n_elements,
        Estimate::Sample => n_elements - 1.0,
    };
    let mut sums = vec![0.0; kept.count];
    for (&x, [to]) in input.data.iter().zip(Offsets::new(input.shape, [&kept.strides])) {
        sums[to] += (x - mean[to]) * (x - mean[to]);
    }
    sums.iter().map(|sum| sum / divisor).collect()
}

/// Some of the axes of a shape, numbered among themselves.
struct Axes {
    /// One per axis of the whole shape: row-major among the chosen axes, 0 for the others.
    strides: Vec<usize>,
    /// How many elements the chosen axes span.
    count: usize,
}

impl Axes {
    fn kept(shape: &[usize], reduced: &[usize]) -> Axes {
        Axes::choose(shape, reduced, false)
    }

    fn reduced(shape: &[usize], reduced: &[usize]) -> Axes {
        Axes::choose(shape, reduced, true)
    }

    /// Those that are reduced, or the others.
    #[inline(never)]
    fn choose(shape: &[usize], reduced: &[usize], is_reduced: bool) -> Axes {
        let (mut strides, mut count) = (vec![0; shape.len()], 1);
        for axis in (0..shape.len()).rev().filter(|axis| reduced.contains(axis) == is_reduced) {
            strides[axis] = count;
            count *= shape[axis];
        }
        Axes { strides, count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::double::Double;
    use crate::trial::{Random, Worst};

    const CUBE: [i64; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

    #[test]
    fn folds_over_any_axes() {
        let cube = View::new(&CUBE, &[2, 3, 2]);
        let sum = |axes: &[usize]| fold(cube, axes, 0, |sum, x| sum + x);
        assert_eq!(sum(&[0, 1, 2]), [66]);
        assert_eq!(sum(&[0, 2]), [14, 22, 30]);
        assert_eq!(sum(&[1]), [6, 9, 24, 27]);
        assert_eq!(sum(&[]), CUBE);
    }

    #[test]
    fn folds_of_one_and_of_nothing() {
        assert_eq!(fold(View::new(&[7], &[]), &[], 1, |product, x| product * x), [7]);
        assert_eq!(fold(View::new(&[], &[2, 0]), &[1], 1, |product, x: i64| product * x), [1, 1]);
        assert_eq!(fold(View::new(&[], &[2, 0]), &[0], 1, |product, x: i64| product * x), []);
    }

    #[test]
    fn a_fold_may_answer_another_type() {
        let all = fold(View::new(&[1, 0, 2, 3], &[2, 2]), &[1], true, |all, x| all && x != 0);
        assert_eq!(all, [false, true]);
    }

    #[test]
    fn ties_go_first_or_last() {
        let input = View::new(&[3, 1, 1, 3], &[4]);
        assert_eq!(arg_reduce(input, &[0], |a, b| a > b, Tie::First), [0]);
        assert_eq!(arg_reduce(input, &[0], |a, b| a > b, Tie::Last), [3]);
        assert_eq!(arg_reduce(input, &[0], |a, b| a < b, Tie::First), [1]);
        assert_eq!(arg_reduce(input, &[0], |a, b| a < b, Tie::Last), [2]);
    }

    #[test]
    fn positions_count_within_the_reduced_axes() {
        let cube = View::new(&CUBE, &[2, 3, 2]);
        assert_eq!(arg_reduce(cube, &[0, 2], |a, b| a > b, Tie::First), [3, 3, 3]);
        assert_eq!(arg_reduce(cube, &[0, 1, 2], |a, b| a > b, Tie::First), [11]);
        assert_eq!(arg_reduce(View::new(&[5], &[]), &[], |a, b| a > b, Tie::First), [0]);
        assert_eq!(arg_reduce(View::new(&[], &[1, 0]), &[1], |a: i64, b| a > b, Tie::First), [-1]);
    }

    #[test]
    fn nan_is_the_best_and_the_worst() {
        let both = [Tie::First, Tie::Last];
        let input = View::new(&[1.0, f64::NAN, 3.0, f64::NAN], &[4]);
        assert_eq!(both.map(|tie| arg_reduce(input, &[0], greater_or_nan, tie)[0]), [1, 3]);
        assert_eq!(both.map(|tie| arg_reduce(input, &[0], less_or_nan, tie)[0]), [1, 3]);
    }

    #[test]
    fn sums_and_products_keep_their_bounds() {
        let (mut sums, mut products) = (Worst::new("sums of float64"), Worst::new("products of float64"));
        let mut variances = Worst::new("variances of float64");
        let mut random = Random(91);
        for _ in 0..300 {
            let n = 1 + random.size(2000);
            let line: Vec<f64> =
                random.line(n).into_iter().map(|x| f64::from(x) * random.between(1.0, 1.000_001)).collect();
            let unit = f64::powi(2.0, -53) * n as f64;
            let all = |of: &[f64], step: fn(f64, f64) -> f64, init| fold(View::new(of, &[n]), &[0], init, step)[0];
            let exactly = line.iter().fold(Double::from(0.0), |sum, &x| sum + x.into());
            let far = (Double::from(all(&line, |a, b| a + b, 0.0)) - exactly).high.abs();
            sums.see(far / (unit * line.iter().map(|x| x.abs()).sum::<f64>()).max(f64::MIN_POSITIVE), n);
            let near: Vec<f64> = (0..n).map(|_| random.between(0.9, 1.1)).collect();
            let exactly = near.iter().fold(Double::from(1.0), |product, &x| product * x.into());
            let far = (Double::from(all(&near, |a, b| a * b, 1.0)) - exactly).high / exactly.high;
            products.see(far.abs() / unit, n);
            let mean = random.between(-1.0, 1.0);
            let far = |x: f64| Double::from(x) - mean.into();
            let exactly = line.iter().fold(Double::from(0.0), |sum, &x| sum + far(x) * far(x)) / (n as f64).into();
            let got = variance(View::new(&line, &[n]), &[mean], &[0], Estimate::Population)[0];
            let far = (Double::from(got) - exactly).high / exactly.high;
            variances.see(far.abs() / (f64::powi(2.0, -53) * (n as f64 + 3.0)), n);
        }
        sums.assert_within(1.0);
        products.assert_within(1.0);
        variances.assert_within(1.0);
    }

    #[test]
    fn variances() {
        let input = View::new(&[2.5, -0.125, -0.5, 2.5, 2.0, -2.75, 3.0, -1.25], &[2, 4]);
        let sample = variance(input, &[1.09375, 0.25], &[1], Estimate::Sample);
        assert!((sample[0] - 2.66015625).abs() < 1e-12 && (sample[1] - 7.291666666666667).abs() < 1e-12);
        assert_eq!(variance(View::new(&[1.0, 3.0], &[2]), &[2.0], &[0], Estimate::Population), [1.0]);
        assert_eq!(variance(View::new(&[1.0], &[]), &[1.0], &[], Estimate::Population), [0.0]);
        assert!(variance(View::new(&[1.0], &[1]), &[1.0], &[0], Estimate::Sample)[0].is_nan());
    }
}
