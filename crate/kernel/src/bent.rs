//! Windows whose parts do not stay in place: the deformable convolution, and the correlation of two images.
//!
//! ```
//! use kernel::bent;
//! // Between 1 at row 0 and 3 at row 1, a quarter of the way down; outside there is nothing.
//! assert_eq!(bent::bilinear(&[1.0, 3.0], [2, 1], [0.25, 0.0]), 1.5);
//! assert_eq!(bent::bilinear(&[1.0, 3.0], [2, 1], [-0.5, 0.0]), 0.0);
//! ```

use crate::slide::Along;
use crate::strided::View;

/// A plane of `[height, width]` at a place between its elements, weighted by how near they are; past the last row and
/// column there are zeros, and the answer for a place outside is 0.
pub fn bilinear(plane: &[f64], size: [usize; 2], at: [f64; 2]) -> f64 {
    if !(0..2).all(|axis| at[axis] >= 0.0 && at[axis] < size[axis] as f64) {
        return if at.iter().any(|x| x.is_nan()) { f64::NAN } else { 0.0 };
    }
    let low = at.map(|x| x as usize);
    let part = [at[0] - low[0] as f64, at[1] - low[1] as f64];
    let row = |y: usize| {
        let element = |x: usize| if y < size[0] && x < size[1] { plane[y * size[1] + x] } else { 0.0 };
        element(low[1]) * (1.0 - part[1]) + element(low[1] + 1) * part[1]
    };
    row(low[0]) * (1.0 - part[0]) + row(low[0] + 1) * part[0]
}

/// Data `[n, c, h, w]`, weight `[o, c / groups, kh, kw]` and offsets `[n, 2 · kh · kw · offset_groups, oh, ow]` (rows,
/// then columns, for each part of the window) give `[n, o, oh, ow]` (Dai et al., Deformable Convolutional Networks,
/// 2017).
///
/// `groups` divides `c` and `o`, `offset_groups` divides `c`.
pub fn deformable_conv2d(
    data: View<f64>,
    offset: View<f64>,
    weight: View<f64>,
    along: [Along; 2],
    [groups, offset_groups]: [usize; 2],
) -> Vec<f64> {
    let &[n_images, n_channels, height, width] = data.shape else { return vec![] };
    let &[n_outputs, group_channels, kernel_height, kernel_width] = weight.shape else { return vec![] };
    let &[_, n_offsets, out_height, out_width] = offset.shape else { return vec![] };
    let start = |axis: usize, position: usize, part: usize| {
        let Along { stride, dilation, before, .. } = along[axis];
        (position as i128 * i128::from(stride) + part as i128 * i128::from(dilation) - i128::from(before)) as f64
    };
    let (n_positions, n_parts, group_outputs) =
        (out_height * out_width, kernel_height * kernel_width, n_outputs / groups);
    let mut results = vec![0.0; n_images * n_outputs * n_positions];
    // What the window reads at a position, for all outputs of a group.
    let mut samples: Vec<f64> = Vec::new();
    for image in 0..n_images {
        for (group, position) in (0..groups).flat_map(|group| (0..n_positions).map(move |at| (group, at))) {
            let (y, x) = (position / out_width, position % out_width);
            samples.clear();
            for channel in group * group_channels..(group + 1) * group_channels {
                let plane = &data.data[(image * n_channels + channel) * height * width..][..height * width];
                let offset_group = channel / (n_channels / offset_groups);
                for part in 0..n_parts {
                    let moved = |axis: usize| {
                        let pair = (offset_group * n_parts + part) * 2 + axis;
                        offset.data[(image * n_offsets + pair) * n_positions + position]
                    };
                    let at = [start(0, y, part / kernel_width) + moved(0), start(1, x, part % kernel_width) + moved(1)];
                    samples.push(bilinear(plane, [height, width], at));
                }
            }
            for output in group * group_outputs..(group + 1) * group_outputs {
                let factors = &weight.data[output * samples.len()..][..samples.len()];
                let products = samples.iter().zip(factors).map(|(sample, factor)| sample * factor);
                results[(image * n_outputs + output) * n_positions + position] = products.fold(0.0, |sum, x| sum + x);
            }
        }
    }
    results
}

/// How [`correlation`] compares patches.
#[derive(Clone, Copy, Debug)]
pub struct Patches {
    /// Places on a side, at least 1.
    pub size: i64,
    /// How far the second patch is moved at most, and in what steps.
    pub farthest: i64,
    pub step: i64,
    /// From one patch of the first image to the next, at least 1.
    pub stride: i64,
    /// Zeros above and to the left of both images.
    pub before: [i64; 2],
}

/// Images `[n, c, h, w]` give `[n, displacements, …out]`: the mean over patch and channels of `compare` of their
/// elements, zeros in the padding. There is a channel for each displacement, rows first (Fischer et al., FlowNet,
/// 2015).
pub fn correlation(
    [first, second]: [View<f64>; 2],
    patches: &Patches,
    out: [usize; 2],
    compare: fn(f64, f64) -> f64,
) -> Vec<f64> {
    let &[n_images, n_channels, height, width] = first.shape else { return vec![] };
    let size = [height, width];
    let radius = i128::from(patches.farthest / patches.step);
    let n_elements = patches.size as f64 * patches.size as f64 * n_channels as f64;
    // Where a patch of each image begins along an axis, in elements.
    let starts = |axis: usize, position: usize, moved: i128| {
        let start = position as i128 * i128::from(patches.stride) + i128::from(patches.farthest);
        let start = start - i128::from(patches.before[axis]);
        [start, start + moved * i128::from(patches.step)]
    };
    // Pairs of elements along an axis of which at least one is in its image.
    let pairs = |axis: usize, [a, b]: [i128; 2]| {
        let inside = move |i: i128| (0..size[axis] as i128).contains(&i).then_some(i as usize);
        let parts = |start: i128| (-start).max(0)..(size[axis] as i128 - start).min(patches.size.into());
        let mut pairs = Vec::new();
        for (of, only_second) in [(a, false), (b, true)] {
            for part in parts(of) {
                let pair = (inside(a + part), inside(b + part));
                if !only_second || pair.0.is_none() {
                    pairs.push(pair);
                }
            }
        }
        pairs
    };
    let mut results = Vec::new();
    for image in 0..n_images {
        for (down, right) in (-radius..=radius).flat_map(|down| (-radius..=radius).map(move |right| (down, right))) {
            for position in 0..out[0] * out[1] {
                let (y, x) = (position / out[1], position % out[1]);
                let rows = pairs(0, starts(0, y, down));
                let columns = pairs(1, starts(1, x, right));
                let mut sum = 0.0;
                for plane in image * n_channels..(image + 1) * n_channels {
                    let element = |data: &[f64], row: Option<usize>, column: Option<usize>| match (row, column) {
                        (Some(row), Some(column)) => data[(plane * height + row) * width + column],
                        _ => 0.0,
                    };
                    for &(row, other_row) in &rows {
                        for &(column, other_column) in &columns {
                            let other = element(second.data, other_row, other_column);
                            sum += compare(element(first.data, row, column), other);
                        }
                    }
                }
                results.push(sum / n_elements);
            }
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Along = Along { stride: 1, dilation: 1, before: 0, after: 0 };

    #[test]
    fn without_offsets_a_deformable_convolution_is_a_plain_one() {
        let data = View::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[1, 1, 2, 3]);
        let weight = View::new(&[1.0, 1.0, 1.0, 1.0], &[1, 1, 2, 2]);
        let still = [0.0; 16];
        let offset = View::new(&still, &[1, 8, 1, 2]);
        assert_eq!(deformable_conv2d(data, offset, weight, [PLAIN; 2], [1, 1]), [12.0, 16.0]);
        // Half a row down, the last row has zeros below it.
        let mut down = [0.0; 16];
        for part in 0..4 {
            down[part * 4..][..2].fill(0.5);
        }
        let offset = View::new(&down, &[1, 8, 1, 2]);
        assert_eq!(deformable_conv2d(data, offset, weight, [PLAIN; 2], [1, 1]), [2.5 + 3.5 + 4.5, 3.5 + 4.5 + 5.5]);
    }

    #[test]
    fn patches_that_reach_into_the_padding() {
        let patches = Patches { size: 1, farthest: 1, step: 1, stride: 1, before: [0, 1] };
        let (a, b) = (View::new(&[2.0], &[1, 1, 1, 1]), View::new(&[3.0], &[1, 1, 1, 1]));
        let flat = Patches { farthest: 0, ..patches };
        assert_eq!(correlation([a, b], &flat, [1, 3], |a, b| a * b), [0.0, 6.0, 0.0]);
        assert_eq!(correlation([a, b], &flat, [1, 3], |a, b| (a - b).abs()), [0.0, 1.0, 0.0]);
        let moved = Patches { before: [1, 1], ..patches };
        let differences = correlation([a, b], &moved, [1, 1], |a, b| (a - b).abs());
        assert_eq!(differences, [2.0, 2.0, 2.0, 2.0, 1.0, 2.0, 2.0, 2.0, 2.0]);
    }
}
