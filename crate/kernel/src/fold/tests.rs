//! Against the order of the module one element at a time, and against sums in float64, on random extents.

use super::*;
use crate::reduce;
use crate::scalar::float;
use crate::strided::{View, count};
use crate::trial::{Random, Worst, assert_same, wide};

/// Rows and columns, a few of them longer than a block, and some with nothing in them.
pub(crate) fn random_extent(random: &mut Random) -> Extent {
    let inner = if random.one_in(2) { 1 } else { random.size(40) };
    let reduced = match random.below(20) {
        0 => random.below(10_000),
        1 => 0,
        _ => random.size(700),
    };
    let outer = if random.one_in(20) { 0 } else { 1 + random.below(if reduced > 200 { 1 } else { 4 }) };
    Extent { outer, reduced, inner }
}

/// How many roundings an element goes through at most on its way to a sum, as the module says.
pub(crate) fn n_roundings(extent: Extent) -> f64 {
    let n = extent.reduced;
    (if extent.inner == 1 { n.min(4096).div_ceil(16) + 4 } else { n.min(512) / 4 + 4 + n / 512 }) as f64
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
    let mut random = Random(31);
    for _ in 0..1000 {
        let extent = random_extent(&mut random);
        let n = extent.n_elements();
        let from = if random.one_in(3) { random.numbers(n) } else { random.line(n) };
        for (op, neutral, step) in
            [(Fold::Sum, 0.0, (|a, b| a + b) as fn(f32, f32) -> f32), (Fold::Product, 1.0, |a, b| a * b)]
        {
            let of = |result| in_order(&column(extent, &from, result), extent.inner == 1, neutral, step);
            let want: Vec<f32> = (0..extent.n_results()).map(of).collect();
            assert_same(format_args!("{op:?} {extent:?}"), &run(op, extent, &from), &want);
        }
        let means = random.line(extent.n_results());
        let of = |result: usize| {
            let far = |x: f32| (x - means[result]) * (x - means[result]);
            let squares: Vec<f32> = column(extent, &from, result).into_iter().map(far).collect();
            in_order(&squares, extent.inner == 1, 0.0, |a, b| a + b)
        };
        let want: Vec<f32> = (0..extent.n_results()).map(of).collect();
        let mut got = vec![7.0; want.len()];
        squares(extent, &from, &means, &mut got, &mut vec![2.0]);
        assert_same(format_args!("squares {extent:?}"), &got, &want);
    }
}

#[test]
fn extremes_are_their_meaning() {
    let mut random = Random(32);
    for _ in 0..1000 {
        let extent = random_extent(&mut random);
        let from = random.numbers(extent.n_elements());
        let shape = [extent.outer, extent.reduced, extent.inner];
        for (op, init, meaning) in [
            (Fold::Maximum, f64::NEG_INFINITY, float::maximum as fn(f64, f64) -> f64),
            (Fold::Minimum, f64::INFINITY, float::minimum),
        ] {
            // Without a NaN there are larger ones to be found.
            let few: Vec<f32> = from.iter().map(|&x| if x.is_nan() { 0.0 } else { x }).collect();
            for from in [&from, &few] {
                let data = wide(from);
                let want = reduce::fold(View::new(&data, &shape), &[1], init, meaning);
                let want: Vec<f32> = want.into_iter().map(|x| x as f32).collect();
                assert_same(format_args!("{op:?} {extent:?}"), &run(op, extent, from), &want);
            }
        }
    }
}

#[test]
fn sums_and_products_keep_their_bounds() {
    let mut random = Random(33);
    let (mut sums, mut worst_sums) = (Worst::new("sums of random numbers"), Worst::new("sums"));
    let (mut squared, mut products) = (Worst::new("sums of squares"), Worst::new("products"));
    let unit = f64::powi(2.0, -24);
    let long = [(1, 1 << 20, 1), (1, 1 << 18, 4)].map(|(outer, reduced, inner)| Extent { outer, reduced, inner });
    let extents: Vec<Extent> = (0..1000).map(|_| random_extent(&mut random)).chain(long).collect();
    for extent in extents {
        let n = extent.n_elements();
        let hard = random.line(n);
        let even: Vec<f32> = (0..n).map(|_| random.between(-1.0, 1.0) as f32).collect();
        for (from, worst, allowed) in [(&even, &mut sums, 1.0), (&hard, &mut worst_sums, n_roundings(extent))] {
            for (result, got) in run(Fold::Sum, extent, from).into_iter().enumerate() {
                let column = wide(&column(extent, from, result));
                let size = column.iter().map(|x| x.abs()).sum::<f64>() * unit * allowed;
                let far = (f64::from(got) - column.iter().sum::<f64>()).abs();
                worst.see(if far == 0.0 { 0.0 } else { far / size }, format_args!("{extent:?}"));
            }
        }
        let mut got = vec![7.0; extent.n_results()];
        squares(extent, &hard, &vec![0.0; got.len()], &mut got, &mut vec![]);
        for (result, got) in got.into_iter().enumerate() {
            let want: f64 = wide(&column(extent, &hard, result)).iter().map(|x| x * x).sum();
            let far = (f64::from(got) - want).abs();
            let size = want * unit * (n_roundings(extent) + 1.0);
            squared.see(if far == 0.0 { 0.0 } else { far / size }, format_args!("{extent:?}"));
        }
        // Near 1, so that nothing is too large or too small.
        let near: Vec<f32> = (0..n).map(|_| 1.0 + random.between(-1.0, 1.0) as f32 * 4e-5).collect();
        for (result, got) in run(Fold::Product, extent, &near).into_iter().enumerate() {
            let want: f64 = wide(&column(extent, &near, result)).iter().product();
            products.see(
                (f64::from(got) / want - 1.0).abs() / unit / extent.reduced.max(1) as f64,
                format_args!("{extent:?}"),
            );
        }
    }
    sums.assert_within(8.0);
    worst_sums.assert_within(1.0);
    squared.assert_within(1.0);
    products.assert_within(1.0);
}

#[test]
fn positions_are_their_meaning() {
    let mut random = Random(34);
    for _ in 0..300 {
        let extent = random_extent(&mut random);
        if extent.reduced == 0 {
            continue;
        }
        let from: Vec<f32> = random.numbers(extent.n_elements()).iter().map(|x| x.clamp(-5.0, 5.0)).collect();
        let data = wide(&from);
        let shape = [extent.outer, extent.reduced, extent.inner];
        for tie in [Tie::First, Tie::Last] {
            for (op, better) in
                [(Fold::Maximum, reduce::greater_or_nan as fn(f64, f64) -> bool), (Fold::Minimum, reduce::less_or_nan)]
            {
                let want = reduce::arg_reduce(View::new(&data, &shape), &[1], better, tie);
                let mut got = vec![7; extent.n_results()];
                position(op, tie, extent, &from, &mut got, &mut vec![]);
                assert!(got.iter().map(|&x| i64::from(x)).eq(want), "{op:?} {tie:?} {extent:?}");
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

/// Of integers so small that every order gives the same.
#[test]
fn groups_one_after_the_other_reduce_all_axes() {
    let mut random = Random(35);
    for _ in 0..1000 {
        let rank = random.below(7);
        let shape = random.shape(rank, 400);
        let axes: Vec<usize> = (0..shape.len()).filter(|_| random.one_in(2)).collect();
        let from: Vec<f32> = (0..count(&shape)).map(|_| random.below(13) as f32).collect();
        let want = reduce::fold(View::new(&from, &shape), &axes, 0.0, |sum, x| sum + x);
        let mut left = from;
        for extent in groups(&shape, &axes) {
            left = run(Fold::Sum, extent, &left);
        }
        assert_eq!(left, want, "{shape:?} {axes:?}");
    }
}
