//! Windows that slide over the two last axes of NCHW data: convolution and pooling.
//!
//! Position `y` of the output looks, with kernel index `i`, at row `y * stride + i * dilation - padding` of the input; the
//! same for columns. Looks that fall into the padding are skipped, so that padding adds nothing to a sum, not even
//! when a weight is infinite. Sums run over channels, then rows, then columns of the kernel.
//!
//! ```
//! use kernel::{strided::View, window::{Window, conv2d}};
//! // 1 2 3     A kernel of ones, 2 by 2, adds up each square of four.
//! // 4 5 6
//! let data = View::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[1, 1, 2, 3]);
//! let weight = View::new(&[1.0, 1.0, 1.0, 1.0], &[1, 1, 2, 2]);
//! assert_eq!(conv2d(data, weight, &Window::new([2, 2]), 1), [12.0, 16.0]);
//! ```

use crate::number::Number;
use crate::strided::View;

/// A kernel's size and how it moves. Pairs are rows, columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    pub kernel: [usize; 2],
    /// At least 1.
    pub strides: [usize; 2],
    /// Top, left, bottom, right.
    pub padding: [usize; 4],
    /// At least 1.
    pub dilation: [usize; 2],
}

/// Which looks an average divides by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Divisor {
    /// Those at elements.
    Elements,
    /// Those at elements or padding (`count_include_pad`). What lies beyond the padding, as at the last position of a
    /// `ceil_mode` pool, never counts.
    ElementsAndPadding,
}

impl Window {
    /// Strides and dilation 1, no padding.
    pub fn new(kernel: [usize; 2]) -> Window {
        Window { kernel, strides: [1, 1], padding: [0; 4], dilation: [1, 1] }
    }

    /// How many positions fit into an input of `size` rows and columns.
    pub fn output(&self, size: [usize; 2]) -> [usize; 2] {
        [0, 1].map(|axis| {
            let reach = self.kernel[axis].saturating_sub(1) * self.dilation[axis] + 1;
            let padded = size[axis] + self.padding[axis] + self.padding[axis + 2];
            padded.checked_sub(reach).map_or(0, |room| room / self.strides[axis] + 1)
        })
    }

    /// The kernel indices along `axis` that look at elements from output position `at`, and the elements they see.
    fn looks(&self, axis: usize, at: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
        let (start, dilation, before) = (at * self.strides[axis], self.dilation[axis], self.padding[axis]);
        (0..self.kernel[axis]).filter_map(move |i| {
            let element = (start + i * dilation).checked_sub(before)?;
            (element < size).then_some((i, element))
        })
    }

    /// How many kernel indices along `axis` an average from output position `at` divides by.
    fn n_counted(&self, axis: usize, at: usize, size: usize, divisor: Divisor) -> usize {
        match divisor {
            Divisor::Elements => self.looks(axis, at, size).count(),
            Divisor::ElementsAndPadding => {
                let padded = self.padding[axis] + size + self.padding[axis + 2];
                let is_inside = |&i: &usize| at * self.strides[axis] + i * self.dilation[axis] < padded;
                (0..self.kernel[axis]).filter(is_inside).count()
            }
        }
    }
}

/// Data `[n, c, h, w]` and weight `[o, c / groups, kh, kw]` give `[n, o, …window.output([h, w])]`.
///
/// `window.kernel` is `[kh, kw]`. `groups` divides `c` and `o`; outputs of a group see only the inputs of that group.
pub fn conv2d<T: Number>(data: View<T>, weight: View<T>, window: &Window, groups: usize) -> Vec<T> {
    let [n_images, n_channels, height, width] = rank4(data.shape);
    let [n_outputs, group_channels, kernel_height, kernel_width] = rank4(weight.shape);
    let [out_height, out_width] = window.output([height, width]);
    let group_outputs = n_outputs / groups;
    let mut results = Vec::with_capacity(n_images * n_outputs * out_height * out_width);
    for image in 0..n_images {
        for output in 0..n_outputs {
            let first_channel = output / group_outputs * group_channels;
            for (y, x) in positions([out_height, out_width]) {
                let mut sum = T::ZERO;
                for channel in 0..group_channels {
                    let plane = (image * n_channels + first_channel + channel) * height;
                    let kernel = (output * group_channels + channel) * kernel_height;
                    for (i, row) in window.looks(0, y, height) {
                        for (j, column) in window.looks(1, x, width) {
                            let element = data.data[(plane + row) * width + column];
                            sum = sum.multiply_add(element, weight.data[(kernel + i) * kernel_width + j]);
                        }
                    }
                }
                results.push(sum);
            }
        }
    }
    results
}

/// The largest element under each position of the window, for every plane of `[n, c, h, w]`.
///
/// `output` is given, since `ceil_mode` adds positions. `lowest` is the answer where the window sees only padding.
pub fn max_pool2d<T: Copy>(
    data: View<T>,
    window: &Window,
    output: [usize; 2],
    lowest: T,
    maximum: impl Fn(T, T) -> T,
) -> Vec<T> {
    pool2d(data, window, output, lowest, maximum, |largest, _| largest)
}

/// The mean of the elements under each position of the window, for every plane of `[n, c, h, w]`; integers truncate.
///
/// `output` is given, since `ceil_mode` adds positions. The answer is zero where the window sees only padding.
pub fn avg_pool2d<T: Number>(data: View<T>, window: &Window, output: [usize; 2], divisor: Divisor) -> Vec<T> {
    let [_, _, height, width] = rank4(data.shape);
    pool2d(data, window, output, T::ZERO, T::add, |sum, (y, x)| {
        let n_rows = window.n_counted(0, y, height, divisor);
        let n_columns = window.n_counted(1, x, width, divisor);
        sum.divide_by((n_rows * n_columns).max(1))
    })
}

/// Folds what each position sees, in row-major order, and finishes each fold knowing its position.
fn pool2d<T: Copy>(
    data: View<T>,
    window: &Window,
    output: [usize; 2],
    init: T,
    step: impl Fn(T, T) -> T,
    finish: impl Fn(T, (usize, usize)) -> T,
) -> Vec<T> {
    let [n_images, n_channels, height, width] = rank4(data.shape);
    let mut results = Vec::with_capacity(n_images * n_channels * output[0] * output[1]);
    for plane in 0..n_images * n_channels {
        for (y, x) in positions(output) {
            let mut folded = init;
            for (_, row) in window.looks(0, y, height) {
                for (_, column) in window.looks(1, x, width) {
                    folded = step(folded, data.data[(plane * height + row) * width + column]);
                }
            }
            results.push(finish(folded, (y, x)));
        }
    }
    results
}

fn positions([height, width]: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    (0..height).flat_map(move |y| (0..width).map(move |x| (y, x)))
}

fn rank4(shape: &[usize]) -> [usize; 4] {
    debug_assert_eq!(shape.len(), 4);
    [shape[0], shape[1], shape[2], shape[3]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::float;

    const INF: f64 = f64::INFINITY;

    /// 1 2 3 / 4 5 6 / 7 8 9.
    const SQUARE: [i64; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

    fn square() -> View<'static, i64> {
        View::new(&SQUARE, &[1, 1, 3, 3])
    }

    #[test]
    fn a_window_of_one_copies() {
        assert_eq!(conv2d(square(), View::new(&[1], &[1, 1, 1, 1]), &Window::new([1, 1]), 1), SQUARE);
    }

    #[test]
    fn the_kernel_is_not_flipped() {
        let weight = View::new(&[1, 10, 100, 1000], &[1, 1, 2, 2]);
        assert_eq!(conv2d(square(), weight, &Window::new([2, 2]), 1), [5421, 6532, 8754, 9865]);
    }

    #[test]
    fn padding_strides_and_dilation() {
        let ones = View::new(&[1; 9], &[1, 1, 3, 3]);
        let same = Window { padding: [1, 1, 1, 1], ..Window::new([3, 3]) };
        assert_eq!(conv2d(square(), ones, &same, 1), [12, 21, 16, 27, 45, 33, 24, 39, 28]);
        let every_other = Window { strides: [2, 2], ..same };
        assert_eq!(conv2d(square(), ones, &every_other, 1), [12, 16, 24, 28]);
        let spread = Window { dilation: [2, 2], ..Window::new([2, 2]) };
        assert_eq!(conv2d(square(), View::new(&[1; 4], &[1, 1, 2, 2]), &spread, 1), [20]);
        let top_left = Window { padding: [1, 1, 0, 0], ..Window::new([3, 3]) };
        assert_eq!(conv2d(square(), ones, &top_left, 1), [12, 21, 27, 45]);
    }

    #[test]
    fn channels_add_up_and_groups_keep_apart() {
        let data = View::new(&[1i64, 2, 3, 4], &[2, 2, 1, 1]);
        let mixing = View::new(&[1, 10, 100, 1000], &[2, 2, 1, 1]);
        assert_eq!(conv2d(data, mixing, &Window::new([1, 1]), 1), [21, 2100, 43, 4300]);
        let apart = View::new(&[1, 10, 100, 1000], &[4, 1, 1, 1]);
        assert_eq!(conv2d(data, apart, &Window::new([1, 1]), 2), [1, 10, 200, 2000, 3, 30, 400, 4000]);
    }

    #[test]
    fn nothing_in_nothing_out() {
        let none = View::new(&[], &[0, 1, 3, 3]);
        let weight = View::new(&[1], &[1, 1, 1, 1]);
        assert_eq!(conv2d(none, weight, &Window::new([1, 1]), 1), [] as [i64; 0]);
        let no_channels = View::new(&[], &[1, 0, 1, 2]);
        let no_weight = View::new(&[], &[1, 0, 1, 1]);
        assert_eq!(conv2d::<i64>(no_channels, no_weight, &Window::new([1, 1]), 1), [0, 0]);
        assert_eq!(conv2d(square(), View::new(&[], &[0, 1, 1, 1]), &Window::new([1, 1]), 1), []);
        assert_eq!(Window::new([4, 4]).output([3, 9]), [0, 6]);
    }

    #[test]
    fn padding_is_skipped_even_under_an_infinite_weight() {
        let data = View::new(&[1.0], &[1, 1, 1, 1]);
        let weight = View::new(&[INF, 2.0], &[1, 1, 1, 2]);
        assert_eq!(conv2d(data, weight, &Window { padding: [0, 1, 0, 0], ..Window::new([1, 2]) }, 1), [2.0]);
    }

    #[test]
    fn max_pools() {
        let max = |window: &Window, output| max_pool2d(square(), window, output, i64::MIN, i64::max);
        assert_eq!(max(&Window::new([2, 2]), [2, 2]), [5, 6, 8, 9]);
        assert_eq!(max(&Window { padding: [1; 4], strides: [2, 2], ..Window::new([2, 2]) }, [2, 2]), [1, 3, 7, 9]);
        assert_eq!(max(&Window { dilation: [2, 2], ..Window::new([2, 2]) }, [1, 1]), [9]);
        assert_eq!(max(&Window { padding: [0, 2, 0, 0], ..Window::new([1, 1]) }, [1, 3]), [i64::MIN, i64::MIN, 1]);
        let negative = View::new(&[-1.0, -2.0, f64::NAN], &[1, 1, 1, 3]);
        let pooled = max_pool2d(negative, &Window::new([1, 2]), [1, 2], -INF, float::maximum);
        assert!(pooled[0] == -1.0 && pooled[1].is_nan());
    }

    #[test]
    fn averages_count_elements_or_padding_too() {
        let ones = View::new(&[1.0; 9], &[1, 1, 3, 3]);
        let window = Window { padding: [1; 4], strides: [2, 2], ..Window::new([2, 2]) };
        assert_eq!(avg_pool2d(ones, &window, [2, 2], Divisor::Elements), [1.0; 4]);
        assert_eq!(avg_pool2d(ones, &window, [2, 2], Divisor::ElementsAndPadding), [0.25, 0.5, 0.5, 1.0]);
    }

    #[test]
    fn what_ceil_mode_adds_does_not_count() {
        let row = View::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 7.0], &[1, 1, 1, 6]);
        let window = Window { strides: [1, 2], ..Window::new([1, 3]) };
        assert_eq!(window.output([1, 6]), [1, 2]);
        for divisor in [Divisor::Elements, Divisor::ElementsAndPadding] {
            assert_eq!(avg_pool2d(row, &window, [1, 3], divisor), [2.0, 4.0, 6.0]);
        }
    }

    #[test]
    fn integer_averages_truncate() {
        let data = View::new(&[3i128, 0, -1, -4, -1, -2, -2, -2], &[1, 2, 2, 2]);
        assert_eq!(avg_pool2d(data, &Window::new([2, 2]), [1, 1], Divisor::Elements), [0, -1]);
        let beyond = Window { padding: [0, 1, 0, 0], ..Window::new([2, 1]) };
        assert_eq!(avg_pool2d(data, &beyond, [1, 1], Divisor::Elements), [0, 0]);
    }
}
