use super::*;
use crate::scalar::float;
use crate::slide::{self, Along, Look, Share};
use crate::strided::View;

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|at| ((at * 7919 + 13) % 2003) as f32 / 150.0 - 8.0).collect()
}

/// Kernel, strides, dilation, padding (top, left, bottom, right) and what `ceil_mode` adds.
type Case = ([usize; 2], [usize; 2], [usize; 2], [usize; 4], [usize; 2]);

const CASES: [Case; 14] = [
    ([1, 1], [1, 1], [1, 1], [0; 4], [0, 0]),
    ([2, 2], [2, 2], [1, 1], [0; 4], [0, 0]),
    ([2, 2], [2, 2], [1, 1], [0; 4], [1, 1]),
    ([3, 3], [2, 2], [1, 1], [1; 4], [0, 0]),
    ([3, 3], [1, 1], [1, 1], [1; 4], [0, 0]),
    ([3, 2], [1, 2], [1, 2], [0, 1, 2, 0], [0, 1]),
    ([5, 5], [3, 3], [1, 1], [2; 4], [1, 1]),
    ([1, 4], [1, 4], [1, 3], [0, 2, 0, 9], [0, 0]),
    ([4, 1], [2, 1], [2, 1], [3, 0, 1, 0], [0, 0]),
    ([2, 2], [1, 1], [1, 1], [3; 4], [0, 0]),
    ([6, 5], [1, 1], [1, 1], [0; 4], [0, 0]),
    ([1, 1], [1, 100_000], [1, 1], [0, 99_999, 0, 100_000], [0, 0]),
    ([2, 3], [1, 1], [1, 70_000], [0, 70_000, 0, 70_000], [0, 0]),
    ([3, 7], [2, 1], [1, 1], [0, 3, 0, 3], [0, 0]),
];

/// What each position along an axis sees, by the definition.
fn looks(window: &Window, axis: usize) -> Vec<Look> {
    let [stride, dilation, before, after] =
        [window.strides, window.dilation, window.before, window.after].map(|of| of[axis] as i64);
    let along = Along { stride, dilation, before, after };
    slide::forward(&along, window.size[axis], window.kernel[axis] as i64, window.output[axis])
}

fn each(mut check: impl FnMut(&str, &Window, &[Vec<Look>; 3], &[f32])) {
    for (kernel, strides, dilation, padding, more) in CASES {
        for size in [[6, 5], [7, 19], [9, 16], [8, 70], [7, 10], [5, 8], [1, 1]] {
            let fit = [0, 1].map(|axis| {
                let reach = (kernel[axis] - 1) * dilation[axis] + 1;
                let room = (size[axis] + padding[axis] + padding[axis + 2]).checked_sub(reach);
                room.map_or(0, |room| room / strides[axis] + 1)
            });
            if fit[0] * fit[1] == 0 || fit[0] * fit[1] > 300_000 {
                continue;
            }
            let own = Window {
                kernel: [1, kernel[0], kernel[1]],
                strides: [1, strides[0], strides[1]],
                dilation: [1, dilation[0], dilation[1]],
                before: [0, padding[0], padding[1]],
                after: [0, padding[2], padding[3]],
                ..Window::new([1, size[0], size[1]], [1, fit[0] + more[0], fit[1] + more[1]])
            };
            let seen = [0, 1, 2].map(|axis| looks(&own, axis));
            check(&format!("{own:?}"), &own, &seen, &numbers(2 * size[0] * size[1]));
        }
    }
}

/// Two planes folded by the definition.
fn folded(window: &Window, looks: &[Vec<Look>; 3], from: &[f32], init: f64, step: fn(f64, f64) -> f64) -> Vec<f64> {
    let wide: Vec<f64> = from.iter().map(|&x| f64::from(x)).collect();
    let [depth, height, width] = window.size;
    slide::pool(View::new(&wide, &[1, 2, depth, height, width]), looks, init, step)
}

#[test]
fn maxima_are_their_meaning() {
    each(|name, own, looks, from| {
        for odd in [None, Some(f32::NAN), Some(-0.0), Some(f32::NEG_INFINITY), Some(f32::INFINITY)] {
            let mut from = from.to_vec();
            if let Some(odd) = odd {
                from.iter_mut().step_by(3).for_each(|x| *x = odd);
            }
            let want = folded(own, looks, &from, f64::NEG_INFINITY, float::maximum);
            let mut got = vec![7.0; want.len()];
            max_pool(own, &from, &mut got, &mut vec![3.0]);
            for (at, (got, want)) in got.iter().zip(want).enumerate() {
                let want = want as f32 + 0.0;
                let is_same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(is_same, "{name}[{at}] with {odd:?}: {got}, not {want}");
            }
        }
    });
}

/// One NaN anywhere is found, whichever of the vectors it is in.
#[test]
fn no_nan_is_lost() {
    let check = |kernel: [usize; 2], strides: usize, before: [usize; 2], width: usize| {
        let fit = |size: usize, axis: usize, stride: usize| (size + 2 * before[axis] - kernel[axis]) / stride + 1;
        let n = [fit(5, 0, strides), fit(width, 1, 2)];
        let window = Window {
            kernel: [1, kernel[0], kernel[1]],
            strides: [1, strides, 2],
            before: [0, before[0], before[1]],
            after: [0, before[0], before[1]],
            ..Window::new([1, 5, width], [1, n[0], n[1]])
        };
        let seen = [0, 1, 2].map(|axis| looks(&window, axis));
        for place in 0..5 * width {
            let mut from = numbers(2 * 5 * width);
            from[place] = f32::NAN;
            let mut got = vec![7.0; 2 * n[0] * n[1]];
            max_pool(&window, &from, &mut got, &mut vec![]);
            let want = folded(&window, &seen, &from, f64::NEG_INFINITY, float::maximum);
            let is_same = |(got, want): (&f32, f64)| f64::from(*got) == want || got.is_nan() && want.is_nan();
            assert!(got.iter().zip(want).all(is_same), "{window:?} {place}: {got:?}");
        }
    };
    check([3, 3], 2, [0, 0], 41);
    for n_rows in 1..5 {
        for (strides, before) in (1..4).flat_map(|strides| (0..n_rows).map(move |before| (strides, before))) {
            check([n_rows, 3], strides, [before, 1], 14);
            check([n_rows, 2], strides, [before, 0], 10);
        }
    }
}

#[test]
fn averages_are_their_meaning() {
    each(|name, own, looks, from| {
        for (divisor, share) in
            [(Divisor::Elements, Share::Elements), (Divisor::ElementsAndPadding, Share::ElementsAndPadding)]
        {
            let sums = folded(own, looks, from, 0.0, float::add);
            let counts = slide::positions(looks).map(|looks| slide::n_counted(looks, share)).cycle();
            let mut got = vec![7.0; sums.len()];
            avg_pool(own, divisor, from, &mut got, &mut vec![]);
            for (at, (got, (sum, count))) in got.iter().zip(sums.iter().zip(counts)).enumerate() {
                let want = sum / count as f64;
                assert!((f64::from(*got) - want).abs() <= 3e-6, "{name}[{at}] {divisor:?}: {got}, not {want}");
            }
        }
    });
}

#[test]
fn three_axes() {
    let from = numbers(2 * 4 * 5 * 6);
    let window =
        Window { kernel: [2, 3, 2], strides: [2, 1, 3], before: [1, 0, 1], ..Window::new([4, 5, 6], [2, 3, 2]) };
    let mut got = vec![7.0; 2 * 12];
    max_pool(&window, &from, &mut got, &mut vec![]);
    for (at, got) in got.into_iter().enumerate() {
        let [plane, z, y, x] = [at / 12, at / 6 % 2, at / 2 % 3, at % 2];
        let mut want = f32::NEG_INFINITY;
        for [i, j, k] in (0..12).map(|index| [index / 6, index / 2 % 3, index % 2]) {
            let ([z, x], y) = ([z * 2 + i, x * 3 + k].map(|at: usize| at.wrapping_sub(1)), y + j);
            if z < 4 && x < 6 {
                want = want.max(from[((plane * 4 + z) * 5 + y) * 6 + x]);
            }
        }
        assert_eq!(got, want, "{at}");
    }
}

#[test]
fn nothing_to_see() {
    let mut to = [7.0; 2];
    max_pool(&Window::new([1, 1, 0], [1, 1, 2]), &[], &mut to, &mut vec![]);
    assert_eq!(to, [f32::NEG_INFINITY; 2]);
    avg_pool(&Window::new([1, 1, 0], [1, 1, 2]), Divisor::Elements, &[], &mut to, &mut vec![]);
    assert_eq!(to, [0.0; 2]);
    max_pool(&Window { kernel: [1, 1, 0], ..Window::new([1, 1, 2], [1, 1, 2]) }, &[1.0, 2.0], &mut to, &mut vec![]);
    assert_eq!(to, [f32::NEG_INFINITY; 2]);
    max_pool(&Window::new([1, 1, 2], [0, 1, 2]), &[1.0, 2.0], &mut [], &mut vec![]);
}
