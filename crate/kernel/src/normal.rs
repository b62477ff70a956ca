//! Normalisation along an axis.
//!
//! Softmax first subtracts the largest element, so that no exponential overflows; the quotient does not change. A NaN,
//! an infinity, or nothing but -infinity along the axis makes NaN of what it touches, as the formula says.
//!
//! Errors where `n` numbers are added up, for finite results whose squares are none too large or too small:
//!
//! | function | largest error |
//! |---|---|
//! | [`softmax`] | `n + 4` ulp, for the differences from the largest element as they are rounded |
//! | [`log_softmax`] | `n + 4` ulp, likewise; for results between -1 and 1 of those of 1 |
//! | [`batch_norm`] | `6 · 2⁻⁵³ · (abs(x - mean) / root · abs(gamma) + abs(beta))` |
//! | [`standardised`] | `(2·n + 8) · 2⁻⁵³ · (abs(x) + mean of abs) / root` |
//! | [`root_mean`] | `n / 2 + 3` ulp |
//! | [`local_response`] | `(n + 4) · beta + 4` ulp, for a positive bias |
//!
//! ```
//! use kernel::{normal, strided::View};
//! // exp(0) : exp(ln 3) is 1 : 3.
//! let input = [1000.0, 1000.0 + 3.0f64.ln()];
//! let weights = normal::softmax(View::new(&input, &[2]), 0);
//! assert!((weights[0] - 0.25).abs() < 1e-12 && (weights[1] - 0.75).abs() < 1e-12);
//! ```

use crate::lines;
use crate::reduce::{Estimate, fold, variance};
use crate::scalar::float;
use crate::strided::{Offsets, View, broadcast_strides, count};

/// What [`batch_norm`] takes for each index of its axis.
#[derive(Clone, Copy, Debug)]
pub struct BatchNorm<'a> {
    /// The factor; `None` without `scale`.
    pub gamma: Option<&'a [f64]>,
    /// The summand; `None` without `center`.
    pub beta: Option<&'a [f64]>,
    pub mean: &'a [f64],
    pub variance: &'a [f64],
    /// Added to the variance.
    pub epsilon: f64,
}

/// `exp(x) / Σ exp(x)`, the sum along `axis`.
pub fn softmax(input: View<f64>, axis: usize) -> Vec<f64> {
    each_line(input, axis, &lines::softmax)
}

/// `x - log Σ exp(x)`, the sum along `axis`.
pub fn log_softmax(input: View<f64>, axis: usize) -> Vec<f64> {
    each_line(input, axis, &lines::log_softmax)
}

/// The lines along an axis, after each of them has been worked on.
fn each_line(input: View<f64>, axis: usize, work: &dyn Fn(&mut [f64])) -> Vec<f64> {
    let (inner, size) = (count(&input.shape[axis + 1..]), input.shape[axis]);
    let mut results = input.data.to_vec();
    let mut line = vec![0.0; size];
    for at in 0..input.data.len().checked_div(size).unwrap_or(0) {
        let first = at / inner * size * inner + at % inner;
        (0..size).for_each(|i| line[i] = input.data[first + i * inner]);
        work(&mut line);
        (0..size).for_each(|i| results[first + i * inner] = line[i]);
    }
    results
}

/// `(x - mean) / sqrt(variance + epsilon) * gamma + beta`, with parameters indexed by `axis`.
pub fn batch_norm(input: View<f64>, axis: usize, parameters: &BatchNorm) -> Vec<f64> {
    let BatchNorm { gamma, beta, mean, variance, epsilon } = *parameters;
    let inner = count(&input.shape[axis + 1..]);
    let size = input.shape[axis];
    let normalise = |(position, &x): (usize, &f64)| {
        let channel = position / inner % size;
        let normal = (x - mean[channel]) / (variance[channel] + epsilon).sqrt();
        let scaled = gamma.map_or(normal, |gamma| normal * gamma[channel]);
        beta.map_or(scaled, |beta| scaled + beta[channel])
    };
    input.data.iter().enumerate().map(normalise).collect()
}

/// `(x - mean) / sqrt(variance + epsilon)`, mean and variance over the axes, sorted and distinct.
pub fn standardised(input: View<f64>, axes: &[usize], epsilon: f64) -> Vec<f64> {
    let n: usize = axes.iter().map(|&axis| input.shape[axis]).product();
    let sums = fold(input, axes, 0.0, float::add);
    let means: Vec<f64> = sums.iter().map(|sum| sum / n as f64).collect();
    let roots = variance(input, &means, axes, Estimate::Population).into_iter();
    let roots: Vec<f64> = roots.map(|variance| (variance + epsilon).sqrt()).collect();
    let centred = over(input, &means, axes, float::subtract);
    over(View::new(&centred, input.shape), &roots, axes, float::divide)
}

/// `x / sqrt(max(Σ x², epsilon))`, the sum over the axes, sorted and distinct.
pub fn root_mean(input: View<f64>, axes: &[usize], epsilon: f64) -> Vec<f64> {
    let squares = fold(input, axes, 0.0, |sum, x| sum + x * x);
    let roots: Vec<f64> = squares.iter().map(|&sum| float::maximum(sum, epsilon).sqrt()).collect();
    over(input, &roots, axes, float::divide)
}

/// Elements times gamma plus beta, both indexed by `axis` of their shape.
pub fn affine(values: &mut [f64], shape: &[usize], axis: usize, gamma: Option<&[f64]>, beta: Option<&[f64]>) {
    let (inner, size) = (count(&shape[axis + 1..]), shape[axis]);
    for (position, x) in values.iter_mut().enumerate() {
        let channel = position / inner % size;
        *x = gamma.map_or(*x, |gamma| *x * gamma[channel]);
        *x = beta.map_or(*x, |beta| *x + beta[channel]);
    }
}

/// `x / (bias + alpha / size · Σ x²)^beta`, the sum over the `size` (an odd number) elements around `x` along `axis`.
/// The constants are bias, alpha and beta (Krizhevsky et al., 2012).
pub fn local_response(input: View<f64>, axis: usize, size: i64, constants: [f64; 3]) -> Vec<f64> {
    each_line(input, axis, &|line| lines::local_response(line, size, constants))
}

/// `f` of every element and the one number that stands for all that differ from it on the axes only.
fn over(input: View<f64>, numbers: &[f64], axes: &[usize], f: fn(f64, f64) -> f64) -> Vec<f64> {
    let mut kept = input.shape.to_vec();
    axes.iter().for_each(|&axis| kept[axis] = 1);
    let strides = broadcast_strides(&kept, input.shape);
    input.data.iter().zip(Offsets::new(input.shape, [&strides])).map(|(&x, [at])| f(x, numbers[at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::double::Double;
    use crate::trial::{Random, Worst};

    const INF: f64 = f64::INFINITY;

    /// A random line with all bits of a float64.
    fn line(random: &mut Random, n: usize) -> Vec<f64> {
        random.line(n).into_iter().map(|x| f64::from(x) * random.between(1.0, 1.000_001)).collect()
    }

    fn sum(numbers: impl Iterator<Item = Double>) -> Double {
        numbers.fold(0.0.into(), |sum, x| sum + x)
    }

    /// Random lines, and how long they are.
    fn each(seed: u64, mut check: impl FnMut(&mut Random, &[f64], usize)) {
        let mut random = Random(seed);
        for _ in 0..200 {
            let n = 1 + random.size(300);
            let line = line(&mut random, n);
            check(&mut random, &line, n);
        }
    }

    /// How far off, in halves of a unit in the last place of 1, for a number as large as `size`.
    fn roundings(got: f64, want: Double, size: f64) -> f64 {
        let far = (Double::from(got) - want).high.abs();
        if far == 0.0 { 0.0 } else { far / size * f64::powi(2.0, 53) }
    }

    #[test]
    fn softmax_and_its_logarithm_keep_their_bounds() {
        let (mut worst, mut logs) = (Worst::new("softmax of float64"), Worst::new("log_softmax of float64"));
        each(81, |random, line, n| {
            let spread = random.pick(&[1.0, 10.0, 700.0]) / line.iter().fold(1e-9, |most: f64, x| most.max(x.abs()));
            let line: Vec<f64> = line.iter().map(|x| x * spread).collect();
            let largest = line.iter().copied().fold(-INF, f64::max);
            let powers: Vec<(Double, i32)> = line.iter().map(|x| Double::from(x - largest).exp_scaled()).collect();
            let total = sum(powers.iter().map(|(power, n)| power.scaled(*n)));
            let shape = [n];
            let input = View::new(&line, &shape);
            let n = n as f64;
            for (got, (power, at)) in softmax(input, 0).into_iter().zip(powers) {
                worst.see((power / total).ulps(at, got) / (n + 4.0), n);
            }
            for (got, x) in log_softmax(input, 0).into_iter().zip(&line) {
                let want = Double::from(x - largest) - total.log();
                let far = roundings(got, want, 2.0).min(want.ulps(0, got));
                logs.see(far / (n + 4.0), n);
            }
        });
        worst.assert_within(1.0);
        logs.assert_within(1.0);
    }

    #[test]
    fn norms_keep_their_bounds() {
        let (mut standard, mut root_means) = (Worst::new("standardised"), Worst::new("root_mean"));
        let (mut batches, mut local) = (Worst::new("batch_norm of float64"), Worst::new("local_response"));
        each(82, |random, line, n| {
            let shape = [n];
            let (input, size) = (View::new(line, &shape), Double::from(n as f64));
            let wide = || line.iter().map(|&x| Double::from(x));
            let epsilon = random.pick(&[1e-5, 0.125]);
            let mean = sum(wide()) / size;
            let mean_size = line.iter().map(|x| x.abs()).sum::<f64>() / n as f64;
            let squares = |center: Double| sum(wide().map(|x| (x - center) * (x - center)));
            let root = (squares(mean) / size + epsilon.into()).sqrt();
            for (got, x) in standardised(input, &[0], epsilon).into_iter().zip(wide()) {
                let error = roundings(got, (x - mean) / root, (x.high.abs() + mean_size) / root.high);
                standard.see(error / (2.0 * n as f64 + 8.0), n);
            }
            let total = squares(0.0.into());
            let root = if total.high < epsilon { Double::from(epsilon) } else { total }.sqrt();
            for (got, x) in root_mean(input, &[0], epsilon).into_iter().zip(wide()) {
                root_means.see((x / root).ulps(0, got) / (n as f64 / 2.0 + 3.0), n);
            }
            let [gamma, beta] = [0, 1].map(|_| self::line(random, 1));
            let (mean, variance) = (line[0], random.between(0.0, 9.0));
            let parameters =
                BatchNorm { gamma: Some(&gamma), beta: Some(&beta), mean: &[mean], variance: &[variance], epsilon };
            let root = (Double::from(variance) + epsilon.into()).sqrt();
            for (got, x) in batch_norm(View::new(line, &[1, n]), 0, &parameters).into_iter().zip(wide()) {
                let scaled = (x - mean.into()) / root * gamma[0].into();
                let error = roundings(got, scaled + beta[0].into(), scaled.high.abs() + beta[0].abs());
                batches.see(error / 6.0, n);
            }
            let exponent = if random.below(2) == 0 { 0.75 } else { random.between(0.1, 2.0) };
            let (reach, constants) = (random.below(4), [2.0, random.between(0.0, 1.0), exponent]);
            let [bias, alpha, exponent] = constants;
            let window = 2 * reach + 1;
            for (at, got) in local_response(input, 0, window as i64, constants).into_iter().enumerate() {
                let near = &line[at.saturating_sub(reach)..n.min(at + reach + 1)];
                let squares = sum(near.iter().map(|&x| Double::from(x) * x.into()));
                let base = Double::from(bias) + Double::from(alpha) * squares / (window as f64).into();
                let want = Double::from(line[at]) / (base.log() * exponent.into()).exp();
                local.see(want.ulps(0, got) / ((window as f64 + 4.0) * exponent + 4.0), n);
            }
        });
        standard.assert_within(1.0);
        root_means.assert_within(1.0);
        batches.assert_within(1.0);
        local.assert_within(1.0);
    }

    fn assert_close(got: &[f64], want: &[f64]) {
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() < 1e-7, "{got} is not {want}");
        }
    }

    #[test]
    fn softmax_along_each_axis() {
        let input = [1.0, -0.125, -2.0, -0.125, 2.5, -1.5];
        let columns = [0.18078358, 0.44388425, 0.009000684, 0.44388425, 0.8102158, 0.112231515];
        assert_close(&softmax(View::new(&input, &[3, 2]), 0), &columns);
        let rows = softmax(View::new(&[0.0, 0.0, 5.0, 5.0], &[2, 2]), 1);
        assert_eq!(rows, [0.5; 4]);
    }

    #[test]
    fn softmax_does_not_overflow() {
        assert_close(&softmax(View::new(&[1000.0, 999.0, -1000.0], &[1, 3]), 1), &[0.7310586, 0.26894142, 0.0]);
        assert_eq!(softmax(View::new(&[-INF, 0.0], &[2]), 0), [0.0, 1.0]);
        assert_eq!(log_softmax(View::new(&[-1e9, 0.0], &[2]), 0), [-1e9, 0.0]);
    }

    #[test]
    fn log_softmax_is_the_logarithm_of_softmax() {
        let input = View::new(&[0.75, -1.25, -0.25, 3.0, 0.5, 2.0], &[1, 2, 3]);
        for axis in 0..3 {
            let logs: Vec<f64> = softmax(input, axis).iter().map(|&x| libm::log(x)).collect();
            assert_close(&log_softmax(input, axis), &logs);
        }
    }

    #[test]
    fn softmax_of_nothing_and_of_nan() {
        assert_eq!(softmax(View::new(&[], &[2, 0]), 1), []);
        assert_eq!(log_softmax(View::new(&[], &[2, 0]), 0), []);
        assert!(softmax(View::new(&[f64::NAN, 1.0], &[2]), 0).iter().all(|x| x.is_nan()));
        assert!(softmax(View::new(&[-INF, -INF], &[2]), 0).iter().all(|x| x.is_nan()));
    }

    #[test]
    fn batch_norm_by_channel() {
        let plain = BatchNorm { gamma: None, beta: None, mean: &[1.0, 2.0], variance: &[3.0, 8.0], epsilon: 1.0 };
        let input = View::new(&[3.0, 5.0, 5.0, 8.0], &[1, 2, 2]);
        assert_eq!(batch_norm(input, 1, &plain), [1.0, 2.0, 1.0, 2.0]);
        assert_eq!(batch_norm(View::new(&[3.0, 5.0], &[1, 2]), 1, &plain), [1.0, 1.0]);
        let full = BatchNorm { gamma: Some(&[10.0, 100.0]), beta: Some(&[0.5, -0.5]), ..plain };
        assert_eq!(batch_norm(input, 1, &full), [10.5, 20.5, 99.5, 199.5]);
        assert_eq!(batch_norm(View::new(&[], &[0, 2]), 1, &full), []);
    }

    #[test]
    fn standard_norms() {
        let input = View::new(&[1.0, 3.0, 10.0, 30.0], &[2, 2]);
        assert_eq!(standardised(input, &[1], 0.0), [-1.0, 1.0, -1.0, 1.0]);
        assert_eq!(standardised(View::new(&[1.0, 3.0], &[2]), &[0], 3.0), [-0.5, 0.5]);
        assert_eq!(root_mean(View::new(&[3.0, 4.0, 0.0, 1.0], &[2, 2]), &[1], 4.0), [0.6, 0.8, 0.0, 0.5]);
        let mut values = [1.0, 2.0, 3.0, 4.0];
        affine(&mut values, &[2, 2], 0, Some(&[10.0, 100.0]), Some(&[0.0, 1.0]));
        assert_eq!(values, [10.0, 20.0, 301.0, 401.0]);
        assert_eq!(standardised(View::new(&[], &[0, 2]), &[1], 0.0), []);
    }

    #[test]
    fn local_responses() {
        // (1 + 3 / 3 · (1 + 4 + 4))^0.5 for the middle one.
        let responses = local_response(View::new(&[1.0, 2.0, 2.0], &[3]), 0, 3, [1.0, 3.0, 0.5]);
        assert_close(&responses, &[1.0 / 6.0f64.sqrt(), 2.0 / 10.0f64.sqrt(), 2.0 / 3.0]);
        let far = local_response(View::new(&[1.0, 2.0], &[2]), 0, i64::MAX, [4.0, 1.0, 0.5]);
        assert_close(&far, &[0.5, 1.0]);
    }
}
