use super::*;
use crate::elementwise::tests::{assert_same, numbers};
use crate::reduce;
use crate::scalar::float;
use crate::strided::View;

const EXTENTS: [[usize; 3]; 18] = [
    [1, 1, 1],
    [3, 7, 1],
    [5, 4, 1],
    [2, 11, 1],
    [3, 12, 1],
    [1, 30, 1],
    [2, 16, 1],
    [2, 37, 1],
    [1, 9001, 1],
    [2, 5, 3],
    [1, 4, 8],
    [3, 9, 6],
    [1, 1300, 5],
    [2, 2, 17],
    [0, 3, 2],
    [2, 0, 1],
    [2, 0, 3],
    [2, 3, 0],
];

fn extents() -> impl Iterator<Item = Extent> {
    EXTENTS.into_iter().map(|[outer, reduced, inner]| Extent { outer, reduced, inner })
}

fn run(op: Fold, extent: Extent, from: &[f32]) -> Vec<f32> {
    let mut to = vec![7.0; extent.n_results()];
    fold(op, extent, from, &mut to, &mut vec![3.0; 5]);
    to
}

/// The order of the module, one element at a time.
fn in_order(column: &[f32], is_row: bool, neutral: f32, step: fn(f32, f32) -> f32) -> f32 {
    if column.is_empty() {
        return neutral;
    }
    if is_row {
        let block = |block: &[f32]| {
            let mut parts = [neutral; 16];
            block.iter().enumerate().for_each(|(at, &x)| parts[at % 16] = step(parts[at % 16], x));
            let lane = |lane: usize| step(step(parts[lane], parts[lane + 4]), step(parts[lane + 8], parts[lane + 12]));
            f64::from(step(step(lane(0), lane(2)), step(lane(1), lane(3))))
        };
        let start = f64::from(neutral);
        return column.chunks(4096).map(block).fold(start, |a, b| if neutral == 0.0 { a + b } else { a * b }) as f32;
    }
    let block = |block: &[f32]| {
        let (first, rest) = block.split_first().unwrap();
        let fours = rest.chunks_exact(4);
        let left = fours.remainder();
        let sum = fours.fold(*first, |sum, four| step(sum, step(step(four[0], four[1]), step(four[2], four[3]))));
        left.iter().fold(sum, |sum, &x| step(sum, x))
    };
    column.chunks(512).map(block).reduce(step).unwrap()
}

fn column(extent: Extent, from: &[f32], result: usize) -> Vec<f32> {
    let (outer, inner) = (result / extent.inner, result % extent.inner);
    (0..extent.reduced).map(|at| from[(outer * extent.reduced + at) * extent.inner + inner]).collect()
}

#[test]
fn sums_and_products_keep_their_order() {
    for extent in extents() {
        let from: Vec<f32> = (0..extent.n_elements()).map(|at| ((at * 7919) % 1000) as f32 / 300.0 - 1.3).collect();
        for (op, neutral, step) in
            [(Fold::Sum, 0.0, (|a, b| a + b) as fn(f32, f32) -> f32), (Fold::Product, 1.0, |a, b| a * b)]
        {
            let of = |result| in_order(&column(extent, &from, result), extent.inner == 1, neutral, step);
            let want: Vec<f32> = (0..extent.n_results()).map(of).collect();
            assert_same(&format!("{op:?} {extent:?}"), &run(op, extent, &from), &want);
        }
    }
}

#[test]
fn sums_are_close_and_extremes_are_equal() {
    for extent in extents() {
        let from = numbers(extent.n_elements(), 9);
        let wide: Vec<f64> = from.iter().map(|&x| f64::from(x)).collect();
        let shape = [extent.outer, extent.reduced, extent.inner];
        let view = View::new(&wide, &shape);
        for (op, init, meaning) in [
            (Fold::Maximum, f64::NEG_INFINITY, float::maximum as fn(f64, f64) -> f64),
            (Fold::Minimum, f64::INFINITY, float::minimum),
        ] {
            let want: Vec<f32> = reduce::fold(view, &[1], init, meaning).iter().map(|&x| x as f32).collect();
            assert_same(&format!("{op:?} {extent:?}"), &run(op, extent, &from), &want);
        }
        let sizes = reduce::fold(view, &[1], 0.0, |sum, x| sum + f64::abs(x));
        let want = reduce::fold(view, &[1], 0.0, float::add);
        for ((got, want), size) in run(Fold::Sum, extent, &from).iter().zip(want).zip(sizes) {
            let got = f64::from(*got);
            let is_close =
                if want.is_finite() { (got - want).abs() <= 1e-6 * size } else { got.is_nan() == want.is_nan() };
            assert!(is_close, "{extent:?}: {got}, not {want}");
        }
    }
}

#[test]
fn sums_of_many_do_not_drift() {
    let ones = vec![0.1_f32; 1 << 20];
    for extent in [Extent { outer: 1, reduced: 1 << 20, inner: 1 }, Extent { outer: 1, reduced: 1 << 18, inner: 4 }] {
        let want = 0.1_f32 * extent.reduced as f32;
        let got = run(Fold::Sum, extent, &ones)[0];
        assert!((got - want).abs() <= 2e-5 * want, "{got}, not {want}");
    }
}

#[test]
fn variances_are_sums_of_squares() {
    for extent in extents() {
        let from: Vec<f32> = (0..extent.n_elements()).map(|at| (at % 11) as f32 - 3.0).collect();
        let means: Vec<f32> = (0..extent.n_results()).map(|at| at as f32 / 4.0).collect();
        let wide: Vec<f64> = from.iter().map(|&x| f64::from(x)).collect();
        let wide_means: Vec<f64> = means.iter().map(|&x| f64::from(x)).collect();
        let shape = [extent.outer, extent.reduced, extent.inner];
        let view = View::new(&wide, &shape);
        let want = reduce::variance(view, &wide_means, &[1], reduce::Estimate::Population);
        let mut got = vec![7.0; extent.n_results()];
        squares(extent, &from, &means, &mut got, &mut vec![]);
        for (got, want) in got.iter().zip(want) {
            let want = if extent.reduced == 0 { 0.0 } else { want * extent.reduced as f64 };
            assert!((f64::from(*got) - want).abs() <= 1e-6 * want, "{extent:?}: {got}, not {want}");
        }
    }
}

#[test]
fn positions_are_their_meaning() {
    for extent in extents().filter(|extent| extent.reduced > 0) {
        for seed in [9, 10] {
            let from: Vec<f32> = numbers(extent.n_elements(), seed).iter().map(|x| x.clamp(-5.0, 5.0)).collect();
            let wide: Vec<f64> = from.iter().map(|&x| f64::from(x)).collect();
            let shape = [extent.outer, extent.reduced, extent.inner];
            let view = View::new(&wide, &shape);
            for tie in [Tie::First, Tie::Last] {
                for (op, better) in [
                    (Fold::Maximum, reduce::greater_or_nan as fn(f64, f64) -> bool),
                    (Fold::Minimum, reduce::less_or_nan),
                ] {
                    let want: Vec<i32> =
                        reduce::arg_reduce(view, &[1], better, tie).iter().map(|&x| x as i32).collect();
                    let mut got = vec![7; extent.n_results()];
                    position(op, tie, extent, &from, &mut got, &mut vec![]);
                    assert_eq!(got, want, "{op:?} {tie:?} {extent:?}");
                }
            }
        }
    }
}

#[test]
fn axes_are_merged_into_groups() {
    let group = |outer, reduced, inner| Extent { outer, reduced, inner };
    assert_eq!(groups(&[2, 3, 4, 5], &[1, 3]), [group(24, 5, 1), group(2, 3, 4)]);
    assert_eq!(groups(&[2, 3, 4, 5], &[0, 1, 2, 3]), [group(1, 120, 1)]);
    assert_eq!(groups(&[2, 3, 4, 5], &[2, 3]), [group(6, 20, 1)]);
    assert_eq!(groups(&[2, 3, 4, 5], &[0, 1]), [group(1, 6, 20)]);
    assert_eq!(groups(&[2, 1, 4, 5], &[0, 2]), [group(1, 8, 5)]);
    assert_eq!(groups(&[2, 1, 4, 1], &[2]), [group(2, 4, 1)]);
    assert_eq!(groups(&[2, 1], &[1]), []);
    assert_eq!(groups(&[], &[]), []);
    assert_eq!(groups(&[2, 0, 3], &[1]), [group(2, 0, 3)]);
}

#[test]
fn groups_one_after_the_other_reduce_all_axes() {
    let shape = [3, 2, 4, 1, 5];
    let from: Vec<f32> = (0..120).map(|at| (at % 13) as f32).collect();
    for axes in [&[0, 2][..], &[1, 4], &[0, 2, 3, 4], &[3], &[], &[0, 1, 2, 3, 4], &[1, 3]] {
        let want = reduce::fold(View::new(&from, &shape), axes, 0.0, |sum, x| sum + x);
        let mut left = from.clone();
        for extent in groups(&shape, axes) {
            left = run(Fold::Sum, extent, &left);
        }
        assert_eq!(left, want, "{axes:?}");
    }
}
