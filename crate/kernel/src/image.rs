//! Sums of weighted places, which interpolation is.
//!
//! ```
//! use kernel::image::weighted;
//! // Midway between the four elements of a square.
//! let half: &[(usize, f64)] = &[(0, 0.5), (1, 0.5)];
//! assert_eq!(weighted(&[1.0, 2.0, 3.0, 4.0], 0, &[(half, 2), (half, 1)]), 2.5);
//! ```

/// The places along an axis that one place of a result is made of, each with its weight.
pub type Taps = Vec<(usize, f64)>;

/// The sum over all choices of one tap for each axis (three at most), from an offset on, with the axes' strides.
pub fn weighted(values: &[f64], from: usize, axes: &[(&[(usize, f64)], usize)]) -> f64 {
    const ONE: (&[(usize, f64)], usize) = (&[(0, 1.0)], 0);
    let axis = |at: usize| axes.get(at).copied().unwrap_or(ONE);
    let [(a, by_a), (b, by_b), (c, by_c)] = [axis(0), axis(1), axis(2)];
    let mut sum = 0.0;
    for &(i, x) in a {
        for &(j, y) in b {
            for &(k, z) in c {
                sum += values[from + i * by_a + j * by_b + k * by_c] * (x * y * z);
            }
        }
    }
    sum
}

/// The weights of the four places around a point that lies `t` behind the second of them: Keys' cubic convolution
/// (1981) with the parameter `alpha`.
pub fn cubic(t: f64, alpha: f64) -> [f64; 4] {
    let near = |t: f64| ((alpha + 2.0) * t - (alpha + 3.0)) * t * t + 1.0;
    let far = |t: f64| ((alpha * t - 5.0 * alpha) * t + 8.0 * alpha) * t - 4.0 * alpha;
    [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubic_weights_sum_to_one() {
        assert_eq!(cubic(0.0, -0.5), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(cubic(0.5, -0.5), [-0.0625, 0.5625, 0.5625, -0.0625]);
        assert!((cubic(0.3, -0.75).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_axes_are_one_place_and_no_taps_are_zero() {
        assert_eq!(weighted(&[1.0, 2.0], 1, &[]), 2.0);
        assert_eq!(weighted(&[1.0, 2.0], 0, &[(&[], 1)]), 0.0);
    }
}
