//! The transformation of weights for Winograd's convolution (Lavin and Gray, Fast Algorithms for Convolutional Neural
//! Networks, 2016).
//!
//! `m` results of a window of `r` parts need products at `m + r - 1` points: the window as a polynomial at the points
//! below, and at infinity. The points are those of Barabasz et al. (Error Analysis and Improving the Accuracy of
//! Winograd Convolution for Deep Neural Networks, 2018).
//!
//! ```
//! use kernel::winograd;
//! // Two results of a window of three: at 0, -1, 1 and infinity, over the products of the distances of each point.
//! let g = winograd::matrix(2, 3).unwrap();
//! assert_eq!(g, [[1.0, 0.0, 0.0], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [0.0, 0.0, 1.0]].concat());
//! ```

use crate::strided::count;

/// The first `n` points, for `n + 1` products; `None` where there is no table.
fn points(n: usize) -> Option<Vec<f64>> {
    const FEW: [f64; 6] = [0.0, -1.0, 1.0, 0.5, -2.0, -0.5];
    const MANY: [f64; 13] = [0.0, -1.0, 1.0, 0.5, -0.5, 2.0, -2.0, -0.25, 4.0, 0.25, -0.75, 4.0 / 3.0, -4.0];
    const ENDS: [f64; 3] = [0.75, -4.0 / 3.0, 0.25];
    match n {
        3..=6 => Some(FEW[..n].to_vec()),
        7..=9 | 13 => Some(MANY[..n].to_vec()),
        10 => Some([&MANY[..8], &ENDS[..2]].concat()),
        11 | 12 => Some([&MANY[..9], &ENDS[..n - 9]].concat()),
        _ => None,
    }
}

/// The matrix `[tile + window - 1, window]` that transforms a window of 3 to 7 parts for tiles of 2 to 8 results.
pub fn matrix(tile: usize, window: usize) -> Option<Vec<f64>> {
    if !(2..=8).contains(&tile) || !(3..=7).contains(&window) {
        return None;
    }
    let points = points(tile + window - 2)?;
    let mut matrix = Vec::with_capacity((points.len() + 1) * window);
    for (i, point) in points.iter().enumerate() {
        let others = points.iter().enumerate().filter(|&(k, _)| k != i);
        let distances: f64 = others.map(|(_, other)| point - other).product();
        // The sign at the first point is free; it is positive.
        let distances = if i == 0 { distances.abs() } else { distances };
        let mut power = 1.0;
        for _ in 0..window {
            matrix.push(power / distances);
            power *= point;
        }
    }
    matrix.extend((0..window).map(|part| if part + 1 == window { 1.0 } else { 0.0 }));
    Some(matrix)
}

/// A matrix `[rows, shape[axis]]` times the elements along an axis; `shape` becomes that of the result.
pub fn apply(data: &[f64], shape: &mut [usize], axis: usize, matrix: &[f64]) -> Vec<f64> {
    let (n_outer, size, inner) = (count(&shape[..axis]), shape[axis], count(&shape[axis + 1..]));
    let rows = matrix.len().checked_div(size).unwrap_or(0);
    let mut results = Vec::with_capacity(n_outer * rows * inner);
    for outer in 0..n_outer {
        for row in 0..rows {
            for at in 0..inner {
                let term = |sum, i| sum + matrix[row * size + i] * data[(outer * size + i) * inner + at];
                results.push((0..size).fold(0.0, term));
            }
        }
    }
    shape[axis] = rows;
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tile_and_window_has_points() {
        for tile in 2..=8 {
            for window in 3..=7 {
                assert_eq!(matrix(tile, window).map(|matrix| matrix.len()), Some((tile + window - 1) * window));
            }
        }
        assert!(matrix(1, 3).is_none() && matrix(4, 2).is_none() && matrix(9, 3).is_none());
    }

    #[test]
    fn points_are_distinct() {
        for n in 3..=13 {
            let points = points(n).expect("a table");
            assert!(points.len() == n && points.iter().all(|a| points.iter().filter(|b| a == *b).count() == 1), "{n}");
        }
    }

    #[test]
    fn a_matrix_along_an_axis() {
        let mut shape = [2, 2];
        assert_eq!(apply(&[1.0, 2.0, 3.0, 4.0], &mut shape, 0, &[1.0, 1.0]), [4.0, 6.0]);
        assert_eq!(shape, [1, 2]);
    }
}
