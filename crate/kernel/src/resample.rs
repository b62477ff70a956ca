//! Weighted sums of neighbours along one axis: how an image is enlarged smoothly.
//!
//! ```
//! use kernel::resample;
//! // Halfway between two elements a line is their mean; Keys' cubic looks at two more, here the edge again.
//! assert_eq!(resample::linear(0.5, 2), [(0, 0.5), (1, 0.5)]);
//! assert_eq!(resample::cubic(0.5, 2, -0.5), [(0, -0.0625), (0, 0.5625), (1, 0.5625), (1, -0.0625)]);
//! ```

use crate::strided::{View, count};

/// Elements along an axis and their weights.
pub type Taps = Vec<(usize, f64)>;

/// The element at a place and the next one; beyond the ends the last one again. `size` is at least 1.
pub fn linear(at: f64, size: usize) -> Taps {
    let part = at - at.floor();
    taps(at.floor(), size, &[1.0 - part, part], 0)
}

/// Keys' cubic convolution (1981), whose slope at the neighbours is `alpha`.
pub fn cubic(at: f64, size: usize, alpha: f64) -> Taps {
    let near = |x: f64| ((alpha + 2.0) * x - (alpha + 3.0)) * x * x + 1.0;
    let far = |x: f64| ((alpha * x - 5.0 * alpha) * x + 8.0 * alpha) * x - 4.0 * alpha;
    let part = at - at.floor();
    taps(at.floor(), size, &[far(1.0 + part), near(part), near(1.0 - part), far(2.0 - part)], 1)
}

/// Weights for neighbours, of which so many are before the element `at`.
fn taps(at: f64, size: usize, weights: &[f64], before: i64) -> Taps {
    let place = |i: usize| (at as i64 + i as i64 - before).clamp(0, size as i64 - 1) as usize;
    weights.iter().enumerate().map(|(i, &weight)| (place(i), weight)).collect()
}

/// Each place along the axis of the result is a weighted sum of elements along that axis of the input.
pub fn along(input: View<f64>, axis: usize, places: &[Taps]) -> Vec<f64> {
    let (n_outer, size, inner) = (count(&input.shape[..axis]), input.shape[axis], count(&input.shape[axis + 1..]));
    let mut results = Vec::with_capacity(n_outer * places.len() * inner);
    for outer in 0..n_outer {
        for taps in places {
            for at in 0..inner {
                let term = |sum, &(element, weight): &(usize, f64)| {
                    sum + weight * input.data[(outer * size + element) * inner + at]
                };
                results.push(taps.iter().fold(0.0, term));
            }
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_one_and_keep_what_is_there() {
        for at in [0.0, 0.25, 1.5, 2.75] {
            assert_eq!(linear(at, 4).iter().map(|tap| tap.1).sum::<f64>(), 1.0);
            assert_eq!(cubic(at, 4, -0.5).iter().map(|tap| tap.1).sum::<f64>(), 1.0);
        }
        assert_eq!(linear(3.0, 4), [(3, 1.0), (3, 0.0)]);
        assert_eq!(linear(-0.25, 4), [(0, 0.25), (0, 0.75)]);
    }

    #[test]
    fn sums_along_an_inner_axis() {
        let input = View::new(&[1.0, 2.0, 3.0, 4.0], &[2, 1, 2]);
        assert_eq!(along(input, 1, &[vec![(0, 1.0)], vec![(0, 2.0)]]), [1.0, 2.0, 2.0, 4.0, 3.0, 4.0, 6.0, 8.0]);
        assert_eq!(along(input, 2, &[vec![(0, 0.5), (1, 0.5)]]), [1.5, 3.5]);
    }
}
