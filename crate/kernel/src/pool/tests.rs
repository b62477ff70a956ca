use super::*;
use crate::scalar::float;
use crate::strided::View;
use crate::window;

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

fn each(mut check: impl FnMut(&str, &Window, &window::Window, &[f32], [usize; 4], [usize; 2])) {
    for (kernel, strides, dilation, padding, more) in CASES {
        for size in [[6, 5], [7, 19], [9, 16], [1, 1]] {
            let plain = window::Window { kernel, strides, padding, dilation };
            let [height, width] = plain.output(size);
            if height * width == 0 || height * width > 300_000 {
                continue;
            }
            let output = [height + more[0], width + more[1]];
            let own = Window {
                kernel: [1, kernel[0], kernel[1]],
                strides: [1, strides[0], strides[1]],
                dilation: [1, dilation[0], dilation[1]],
                before: [0, padding[0], padding[1]],
                after: [0, padding[2], padding[3]],
                ..Window::new([1, size[0], size[1]], [1, output[0], output[1]])
            };
            let shape = [2, 1, size[0], size[1]];
            let name = format!("{plain:?} of {size:?}");
            check(&name, &own, &plain, &numbers(2 * size[0] * size[1]), shape, output);
        }
    }
}

fn wide(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&x| f64::from(x)).collect()
}

#[test]
fn maxima_are_their_meaning() {
    each(|name, own, plain, from, shape, output| {
        for odd in [None, Some(f32::NAN), Some(-0.0), Some(f32::NEG_INFINITY), Some(f32::INFINITY)] {
            let mut from = from.to_vec();
            if let Some(odd) = odd {
                from.iter_mut().step_by(3).for_each(|x| *x = odd);
            }
            let data = wide(&from);
            let view = View::new(&data, &shape);
            let want = window::max_pool2d(view, plain, output, f64::NEG_INFINITY, float::maximum);
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

#[test]
fn averages_are_their_meaning() {
    each(|name, own, plain, from, shape, output| {
        for divisor in [Divisor::Elements, Divisor::ElementsAndPadding] {
            let want = window::avg_pool2d(View::new(&wide(from), &shape), plain, output, divisor);
            let mut got = vec![7.0; want.len()];
            avg_pool(own, divisor, from, &mut got, &mut vec![]);
            for (at, (got, want)) in got.iter().zip(want).enumerate() {
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
