//! What a window sees, over three spatial axes: convolution, its transpose and its gradient, and pooling.
//!
//! Data are `[n, c, d, h, w]`; fewer spatial axes are leading ones of size 1. For each axis and each position along it
//! a [`Look`] says which elements lie under which parts of the window. Places in the padding are in no look, so that
//! padding adds nothing to a sum, not even under an infinite weight. A look is found by arithmetic: how far a window
//! reaches into padding costs nothing.
//!
//! ```
//! use kernel::slide::{Along, forward, transposed};
//! // A window of 3 in steps of 2 over 4 elements with a zero before them sees, at position 0, elements 0 and 1.
//! let along = Along { stride: 2, dilation: 1, before: 1, after: 0 };
//! assert_eq!(forward(&along, 4, 3, 2)[0].pairs().collect::<Vec<_>>(), [(1, 0), (2, 1)]);
//! // The other way round, place 1 of the result gets element 0 through part 2 and element 1 through part 0.
//! assert_eq!(transposed(&along, 4, 3, 8)[1].pairs().collect::<Vec<_>>(), [(0, 1), (2, 0)]);
//! ```

use crate::conv::Direction;
use crate::number::Number;
use crate::reduce::greater_or_nan;
use crate::strided::View;

/// How a window moves along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// At least 1.
    pub stride: i64,
    /// At least 1.
    pub dilation: i64,
    /// Padding on both sides, at least 0.
    pub before: i64,
    pub after: i64,
}

/// What lies under a window at one position of one axis: pairs of a part of the window and an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Look {
    part: usize,
    part_step: usize,
    element: usize,
    /// Backwards in a transposed convolution.
    element_step: isize,
    n: usize,
    /// How many parts lie on elements or padding; what lies beyond the padding does not count.
    pub n_inside: i64,
}

impl Look {
    pub fn pairs(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.n).map(move |i| {
            (self.part + i * self.part_step, self.element.wrapping_add_signed(i as isize * self.element_step))
        })
    }

    /// Of a window over all `n` elements.
    pub fn whole(n: usize) -> Look {
        Look { part: 0, part_step: 1, element: 0, element_step: 1, n, n_inside: n as i64 }
    }

    /// The element under the `i`th of the parts that lie on one.
    pub fn element(self, i: usize) -> Option<usize> {
        (i < self.n).then(|| self.element.wrapping_add_signed(i as isize * self.element_step))
    }

    /// How many elements it sees.
    pub fn n_elements(self) -> usize {
        self.n
    }

    /// How many places an average divides by.
    pub fn n_counted(self, share: Share) -> i64 {
        match share {
            Share::Largest | Share::Elements => self.n as i64,
            Share::ElementsAndPadding => self.n_inside,
        }
    }
}

/// The looks of a window of `window` parts at `n` positions over `size` elements.
pub fn forward(along: &Along, size: usize, window: i64, n: usize) -> Vec<Look> {
    let &Along { stride, dilation, before, after } = along;
    let [stride, dilation, before, after] = [stride, dilation, before, after].map(i128::from);
    let (size, window) = (size as i128, i128::from(window));
    let looks = (0..n as i128).map(|position| {
        let start = position * stride - before;
        let first = (-quotient(start, dilation)).max(0);
        let end = quotient(size - start + dilation - 1, dilation).min(window);
        let inside = quotient(size + after - start + dilation - 1, dilation).clamp(0, window);
        Look {
            part: first as usize,
            part_step: 1,
            element: (start + first * dilation) as usize,
            // At most one element, if a step is longer than them all.
            element_step: dilation.min(size) as isize,
            n: (end - first).max(0) as usize,
            n_inside: inside as i64,
        }
    });
    looks.collect()
}

/// For each of `n` places of a transposed convolution's result, the elements that spread to it.
pub fn transposed(along: &Along, size: usize, window: usize, n: usize) -> Vec<Look> {
    let &Along { stride, dilation, before, .. } = along;
    let [stride, dilation, before] = [stride, dilation, before].map(i128::from);
    let common = greatest_common_divisor(stride, dilation);
    let (part_step, element_step) = (quotient(stride, common), quotient(dilation, common));
    let (size, window) = (size as i128, window as i128);
    let looks = (0..n as i128).map(|place| {
        let place = place + before;
        // The first part that is a whole number of strides away, and not beyond the last element.
        let strides = |part: i128| quotient(place - part * dilation, stride);
        let is_whole = |&part: &i128| strides(part) * stride == place - part * dilation;
        let Some(part) = (0..part_step.min(window)).find(is_whole) else { return Look::default() };
        let least = (quotient(place - size * stride, dilation) + 1).max(0);
        let part = part + quotient((least - part).max(0) + part_step - 1, part_step) * part_step;
        let last = quotient(place, dilation).min(window - 1);
        if part > last {
            return Look::default();
        }
        let n = quotient(last - part, part_step) + 1;
        Look {
            part: part as usize,
            part_step: part_step as usize,
            element: strides(part) as usize,
            element_step: -(element_step as isize),
            n: n as usize,
            n_inside: n as i64,
        }
    });
    looks.collect()
}

/// The looks of `n` windows that share out `size` elements, about equally large and overlapping where they must.
pub fn adaptive(size: usize, n: usize) -> Vec<Look> {
    let looks = (0..n as i128).map(|i| {
        let (size, n) = (size as i128, n as i128);
        let (start, end) = (quotient(i * size, n), quotient((i + 1) * size + n - 1, n));
        let count = (end - start) as usize;
        Look { part_step: 1, element: start as usize, element_step: 1, n: count, n_inside: count as i64, part: 0 }
    });
    looks.collect()
}

/// How often `b`, a positive number, goes into `a`, rounded down. Once for all: 128 bits are long code.
#[inline(never)]
fn quotient(a: i128, b: i128) -> i128 {
    a.div_euclid(b)
}

fn greatest_common_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The offset of channel `channel` of a group and of output `output` (among all) in a weight of planes.
fn weight_plane(way: Direction, [output, channel]: [usize; 2], [group_outputs, group_channels]: [usize; 2]) -> usize {
    match way {
        Direction::Forward => output * group_channels + channel,
        Direction::Transposed => {
            (output / group_outputs * group_channels + channel) * group_outputs + output % group_outputs
        }
    }
}

/// Data `[n, c, d, h, w]` and a weight give `[n, o, …]`, with as many places along each axis as there are looks.
///
/// `groups` divides `c` and `o`; outputs of a group see only the inputs of that group. Sums run over channels, then
/// over the parts of the window in row-major order.
pub fn conv<T: Number>(
    data: View<T>,
    weight: View<T>,
    looks: &[Vec<Look>; 3],
    groups: usize,
    way: Direction,
) -> Vec<T> {
    let [n_images, n_channels, depth, height, width] = rank5(data.shape);
    let window = rank5(weight.shape);
    let n_outputs = if way == Direction::Forward { window[0] } else { window[1] * groups };
    let sizes = [n_outputs / groups.max(1), n_channels / groups.max(1)];
    let [slices, rows, columns] = looks;
    let mut results = vec![T::ZERO; n_images * n_outputs * slices.len() * rows.len() * columns.len()];
    if data.data.is_empty() || weight.data.is_empty() {
        return results;
    }
    let runs = runs(columns, window[4]);
    let mut lines = results.chunks_exact_mut(columns.len().max(1));
    for image in 0..n_images {
        for output in 0..n_outputs {
            let first_channel = output / sizes[0] * sizes[1];
            for (z, y) in slices.iter().flat_map(|z| rows.iter().map(move |y| (z, y))) {
                let Some(sums) = lines.next() else { return results };
                for channel in 0..sizes[1] {
                    let plane = (image * n_channels + first_channel + channel) * depth;
                    let parts = weight_plane(way, [output, channel], sizes) * window[2];
                    for (i, slice) in z.pairs() {
                        for (j, row) in y.pairs() {
                            let elements = &data.data[((plane + slice) * height + row) * width..][..width];
                            let parts = &weight.data[((parts + i) * window[3] + j) * window[4]..][..window[4]];
                            runs.iter().for_each(|run| run.add(elements, parts[run.part], sums));
                        }
                    }
                }
            }
        }
    }
    results
}

/// The positions along an axis at which a part of the window lies on an element.
#[derive(Debug, PartialEq)]
struct Run {
    part: usize,
    position: usize,
    position_step: usize,
    element: usize,
    element_step: usize,
    n: usize,
}

/// A run for each of the window's `n` parts that lies on an element anywhere, in order. The positions of a part are
/// equally far from each other, and so are the elements.
fn runs(looks: &[Look], n: usize) -> Vec<Run> {
    let none = |part| Run { part, position: 0, position_step: 1, element: 0, element_step: 1, n: 0 };
    let mut runs: Vec<Run> = (0..n).map(none).collect();
    for (position, look) in looks.iter().enumerate() {
        for (part, element) in look.pairs() {
            let run = &mut runs[part];
            match run.n {
                0 => (run.position, run.element) = (position, element),
                1 => (run.position_step, run.element_step) = (position - run.position, element - run.element),
                _ => {}
            }
            run.n += 1;
        }
    }
    runs.retain(|run| run.n > 0);
    runs
}

impl Run {
    /// Adds the products of the elements with what the weight has at this part.
    fn add<T: Number>(&self, elements: &[T], weight: T, sums: &mut [T]) {
        let (elements, sums) = (&elements[self.element..], &mut sums[self.position..]);
        if self.position_step == 1 && self.element_step == 1 {
            return T::add_products(&mut sums[..self.n], &elements[..self.n], weight);
        }
        for at in 0..self.n {
            let sum = &mut sums[at * self.position_step];
            *sum = sum.multiply_add(elements[at * self.element_step], weight);
        }
    }
}

/// The gradient of [`conv`] forwards by its weight, of the shape `[o, c / groups, …window]`, from that of its result
/// `[n, o, …]`.
pub fn conv_by_weight(
    grad: View<f64>,
    data: View<f64>,
    looks: &[Vec<Look>; 3],
    groups: usize,
    window: [usize; 3],
) -> Vec<f64> {
    let [n_images, n_outputs, ..] = rank5(grad.shape);
    let [_, n_channels, depth, height, width] = rank5(data.shape);
    let (group_outputs, group_channels) = (n_outputs / groups.max(1), n_channels / groups.max(1));
    let mut results = vec![0.0; n_outputs * group_channels * window.iter().product::<usize>()];
    let mut grads = grad.data.iter();
    for image in 0..n_images {
        for output in 0..n_outputs {
            let first_channel = output / group_outputs * group_channels;
            for ([z, y, x], &grad) in positions(looks).zip(&mut grads) {
                for channel in 0..group_channels {
                    let plane = (image * n_channels + first_channel + channel) * depth;
                    let parts = (output * group_channels + channel) * window[0];
                    each(z, y, x, |[i, j, k], [slice, row, column]| {
                        let element = data.data[((plane + slice) * height + row) * width + column];
                        results[((parts + i) * window[1] + j) * window[2] + k] += grad * element;
                    });
                }
            }
        }
    }
    results
}

/// Folds what each look sees, in row-major order, for every plane of `[n, c, d, h, w]`.
pub fn pool<T: Copy>(data: View<T>, looks: &[Vec<Look>; 3], init: T, step: fn(T, T) -> T) -> Vec<T> {
    let [n_images, n_channels, depth, height, width] = rank5(data.shape);
    let mut results = Vec::new();
    for plane in 0..n_images * n_channels {
        for [z, y, x] in positions(looks) {
            let mut folded = init;
            each(z, y, x, |_, [slice, row, column]| {
                folded = step(folded, data.data[((plane * depth + slice) * height + row) * width + column]);
            });
            results.push(folded);
        }
    }
    results
}

/// How a pool's gradient is shared among the elements that its window saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// All of it to the first of the largest elements.
    Largest,
    /// Equal parts to the elements, as many as there are elements.
    Elements,
    /// Equal parts to elements and padding.
    ElementsAndPadding,
}

/// The gradient of [`pool`] by its data, of their shape, from that of its result.
pub fn pool_by_data(grad: &[f64], data: View<f64>, looks: &[Vec<Look>; 3], share: Share) -> Vec<f64> {
    let [n_images, n_channels, depth, height, width] = rank5(data.shape);
    let mut results = vec![0.0; data.data.len()];
    let mut grads = grad.iter();
    for plane in 0..n_images * n_channels {
        for ([z, y, x], &grad) in positions(looks).zip(&mut grads) {
            let place = |[slice, row, column]: [usize; 3]| ((plane * depth + slice) * height + row) * width + column;
            let count = n_counted([z, y, x], share) as f64;
            let mut largest: Option<usize> = None;
            each(z, y, x, |_, at| {
                let place = place(at);
                if share != Share::Largest {
                    results[place] += grad / count;
                } else if largest.is_none_or(|held| greater_or_nan(data.data[place], data.data[held])) {
                    largest = Some(place);
                }
            });
            if let Some(place) = largest {
                results[place] += grad;
            }
        }
    }
    results
}

/// How many places an average divides by, at least 1.
pub fn n_counted(looks: [Look; 3], share: Share) -> i128 {
    let counts = looks.map(|look| i128::from(look.n_counted(share)));
    counts.into_iter().fold(1, i128::saturating_mul).max(1)
}

/// What is seen at each position, in row-major order.
pub fn positions(looks: &[Vec<Look>; 3]) -> impl Iterator<Item = [Look; 3]> + Clone {
    let [slices, rows, columns] = looks;
    let (n_rows, n_columns) = (rows.len(), columns.len());
    (0..slices.len() * n_rows * n_columns)
        .map(move |at| [slices[at / n_columns / n_rows], rows[at / n_columns % n_rows], columns[at % n_columns]])
}

/// The parts and elements under a window, in row-major order.
fn each(z: Look, y: Look, x: Look, mut visit: impl FnMut([usize; 3], [usize; 3])) {
    for (i, slice) in z.pairs() {
        for (j, row) in y.pairs() {
            for (k, column) in x.pairs() {
                visit([i, j, k], [slice, row, column]);
            }
        }
    }
}

fn rank5(shape: &[usize]) -> [usize; 5] {
    debug_assert_eq!(shape.len(), 5);
    [shape[0], shape[1], shape[2], shape[3], shape[4]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::Random;

    const PLAIN: Along = Along { stride: 1, dilation: 1, before: 0, after: 0 };

    /// The looks of one axis by trying every part at every position.
    fn by_definition(along: &Along, size: usize, window: i64, position: usize) -> Vec<(usize, usize)> {
        let element = |part: i64| position as i64 * along.stride + part * along.dilation - along.before;
        let inside = |part: &i64| (0..size as i64).contains(&element(*part));
        (0..window).filter(inside).map(|part| (part as usize, element(part) as usize)).collect()
    }

    /// Of no channels there is nothing to sum, however many places a window has.
    #[test]
    fn a_convolution_of_nothing_is_zero_at_once() {
        let (size, window) = (200_000, 100_000);
        let along = Along { stride: 1, dilation: 1, before: 0, after: 0 };
        let looks = [forward(&along, 1, 1, 1), forward(&along, 1, 1, 1), forward(&along, size, window, 100_001)];
        let (data, weight) = ([1, 0, 1, 1, size], [1, 0, 1, 1, window as usize]);
        let zeros = conv(View::<i64>::new(&[], &data), View::new(&[], &weight), &looks, 1, Direction::Forward);
        assert_eq!(zeros, vec![0; 100_001]);
    }

    #[test]
    fn looks_are_those_of_the_definition() {
        let mut random = Random(61);
        for _ in 0..1000 {
            let [stride, dilation] = [0, 1].map(|_| 1 + random.below(5) as i64);
            let [before, after] = [0, 1].map(|_| random.below(8) as i64);
            let along = Along { stride, dilation, before, after };
            let (size, window, n) = (random.size(20), random.below(7) as i64, random.below(14));
            for (position, look) in forward(&along, size, window, n).into_iter().enumerate() {
                let want = by_definition(&along, size, window, position);
                assert_eq!(look.pairs().collect::<Vec<_>>(), want, "{along:?} {size} {window} {position}");
                let end = size as i64 + before + after;
                let inside = |part: &i64| position as i64 * stride + part * dilation < end;
                assert_eq!(look.n_inside, (0..window).filter(inside).count() as i64);
            }
            // A place gets an element through a part exactly if the window there sees the place.
            for (place, look) in transposed(&along, size, window as usize, n).into_iter().enumerate() {
                let sees = |element: usize| by_definition(&along, n, window, element);
                let want = (0..size).rev().flat_map(|element| {
                    let parts = sees(element).into_iter().filter(|&(_, seen)| seen == place);
                    parts.map(move |(part, _)| (part, element)).collect::<Vec<_>>()
                });
                assert_eq!(look.pairs().collect::<Vec<_>>(), want.collect::<Vec<_>>(), "{along:?} {size} {place}");
            }
        }
    }

    #[test]
    fn windows_that_reach_far_beyond_the_data_cost_nothing() {
        let far = Along { stride: i64::MAX, dilation: i64::MAX, before: i64::MAX, after: i64::MAX };
        let looks = forward(&far, 3, i64::MAX, 3);
        assert_eq!(looks[0].pairs().collect::<Vec<_>>(), [(1, 0)]);
        assert_eq!(looks[1].pairs().collect::<Vec<_>>(), [(0, 0)]);
        assert_eq!(looks[2].n_elements(), 0);
        assert!(transposed(&far, 3, 2, 4)[1..].iter().all(|look| look.n_elements() == 0));
    }

    /// Window `i` of `n` begins at `i / n` of the elements, rounded down, and ends at `(i + 1) / n`, rounded up.
    #[test]
    fn adaptive_windows_cover_everything() {
        let mut random = Random(62);
        for _ in 0..300 {
            let (size, n) = (random.size(50), 1 + random.size(50));
            let looks = adaptive(size, n);
            for (i, look) in looks.iter().enumerate() {
                let sees = |at: &usize| (at + 1) * n > i * size && at * n < (i + 1) * size;
                let seen = look.pairs().map(|(_, element)| element);
                assert!(seen.eq((0..size).filter(sees)), "{i} of {n} over {size}");
            }
            assert_eq!(looks.len(), n);
        }
    }

    /// 1 2 3 / 4 5 6 / 7 8 9 under a window that is not flipped, with padding, strides and dilation, and groups apart.
    #[test]
    fn convolutions_of_a_square() {
        let square = View::new(&[1i64, 2, 3, 4, 5, 6, 7, 8, 9], &[1, 1, 1, 3, 3]);
        let run = |weight: &[i64], along: &Along, n: usize| {
            let size = if weight.len() == 4 { 2 } else { 3 };
            let axis = forward(along, 3, size as i64, n);
            let looks = [forward(&PLAIN, 1, 1, 1), axis.clone(), axis];
            conv(square, View::new(weight, &[1, 1, 1, size, size]), &looks, 1, Direction::Forward)
        };
        assert_eq!(run(&[1, 10, 100, 1000], &PLAIN, 2), [5421, 6532, 8754, 9865]);
        let same = Along { before: 1, after: 1, ..PLAIN };
        assert_eq!(run(&[1; 9], &same, 3), [12, 21, 16, 27, 45, 33, 24, 39, 28]);
        assert_eq!(run(&[1; 9], &Along { stride: 2, ..same }, 2), [12, 16, 24, 28]);
        assert_eq!(run(&[1; 4], &Along { dilation: 2, ..PLAIN }, 1), [20]);
        let one = [1, 1, 1].map(|size| forward(&PLAIN, size, 1, 1));
        let data = View::new(&[1i64, 2, 3, 4], &[2, 2, 1, 1, 1]);
        let apart = View::new(&[1, 10, 100, 1000], &[4, 1, 1, 1, 1]);
        assert_eq!(conv(data, apart, &one, 2, Direction::Forward), [1, 10, 200, 2000, 3, 30, 400, 4000]);
    }

    #[test]
    fn a_transposed_convolution_in_groups() {
        let looks = [forward(&PLAIN, 1, 1, 1), forward(&PLAIN, 1, 1, 1), transposed(&PLAIN, 2, 2, 3)];
        let data = View::new(&[1i64, 2, 10, 20], &[1, 2, 1, 1, 2]);
        let weight = View::new(&[1, 3, 5, 7], &[2, 1, 1, 1, 2]);
        assert_eq!(conv(data, weight, &looks, 2, Direction::Transposed), [1, 5, 6, 50, 170, 140]);
        assert_eq!(conv(data, weight, &looks, 1, Direction::Transposed), [51, 175, 146]);
    }

    #[test]
    fn gradients() {
        let looks = [forward(&PLAIN, 1, 1, 1), forward(&PLAIN, 1, 1, 1), forward(&PLAIN, 3, 2, 2)];
        let data = View::new(&[1.0, 5.0, 2.0], &[1, 1, 1, 1, 3]);
        let grad = View::new(&[1.0, 10.0], &[1, 1, 1, 1, 2]);
        assert_eq!(conv_by_weight(grad, data, &looks, 1, [1, 1, 2]), [51.0, 25.0]);
        assert_eq!(pool_by_data(grad.data, data, &looks, Share::Largest), [0.0, 11.0, 0.0]);
        assert_eq!(pool_by_data(grad.data, data, &looks, Share::Elements), [0.5, 5.5, 5.0]);
    }
}
