//! Against the definition in float64, on random lines of random shapes.

use super::*;
use crate::fold::tests::{n_roundings, random_extent};
use crate::trial::{Random, Worst, assert_same, ulps};

const N_EXTENTS: usize = 2000;

/// Where the lines of an extent are: their elements' places.
fn places(extent: Extent) -> impl Iterator<Item = Vec<usize>> {
    let Extent { outer, reduced, inner } = extent;
    (0..outer * inner).map(move |line| {
        let start = line / inner * reduced * inner + line % inner;
        (0..reduced).map(|element| start + element * inner).collect()
    })
}

/// Random lines, in the order of the extent.
fn lines_of(random: &mut Random, extent: Extent, line: fn(&mut Random, usize) -> Vec<f32>) -> Vec<f32> {
    let mut data = vec![0.0; extent.n_elements()];
    for places in places(extent) {
        places.iter().zip(line(random, extent.reduced)).for_each(|(&place, x)| data[place] = x);
    }
    data
}

/// What a body makes of the data, which is the same in place.
fn run(name: &str, from: &[f32], body: impl Fn(Source, &mut [f32], &mut Vec<f32>)) -> Vec<f32> {
    let (mut got, mut in_place) = (vec![7.0; from.len()], from.to_vec());
    body(Source::Other(from), &mut got, &mut vec![1.0]);
    body(Source::Result, &mut in_place, &mut vec![]);
    assert_same(format_args!("{name} in place"), &in_place, &got);
    got
}

/// Exponents: of a random spread, a few different ones, most of them far below the others, or odd ones.
fn exponents(random: &mut Random, n: usize) -> Vec<f32> {
    if random.one_in(10) {
        return random.numbers(n);
    }
    let spread = random.pick(&[0.01, 1.0, 5.0, 20.0, 90.0, 200.0]);
    let middle = random.pick(&[0.0, 0.0, 1.0, -50.0, 1000.0, 1e30]);
    let few: [f32; 3] = [0, 1, 2].map(|_| (middle - spread * random.between(0.0, 1.0)) as f32);
    let rare = 1 + random.below(200);
    match random.below(4) {
        0 => (0..n).map(|_| if random.one_in(rare) { few[0] } else { few[1] }).collect(),
        1 => (0..n).map(|_| if random.one_in(rare) { few[random.below(2)] } else { few[2] }).collect(),
        2 => (0..n).map(|_| (middle - if random.one_in(rare) { 0.0 } else { spread }) as f32).collect(),
        _ => (0..n).map(|_| (middle - spread * random.between(0.0, 1.0)) as f32).collect(),
    }
}

/// The differences from the largest element as they are rounded, in float64, and the sum of their powers.
fn differences(line: impl Iterator<Item = f32> + Clone) -> (Vec<f64>, f64) {
    let largest = line.clone().fold(f32::NEG_INFINITY, f32::max);
    let differences: Vec<f64> = line.map(|x| f64::from(x - largest)).collect();
    let sum = differences.iter().map(|&x| libm::exp(x)).sum();
    (differences, sum)
}

#[test]
fn softmax_and_its_logarithm_keep_their_bounds() {
    let mut random = Random(21);
    let (mut rows, mut columns) = (Worst::new("softmax of rows"), Worst::new("softmax of columns"));
    let mut logs = Worst::new("log_softmax");
    let long = [(1, 100_000, 1), (1, 100_000, 2), (1, 9_999, 5), (3, 4_096, 1)];
    let long = long.map(|(outer, reduced, inner)| Extent { outer, reduced, inner });
    let extents: Vec<Extent> = (0..N_EXTENTS).map(|_| random_extent(&mut random)).chain(long).collect();
    for extent in extents {
        let from = lines_of(&mut random, extent, exponents);
        let name = format!("{extent:?}");
        let powers = run(&name, &from, |from, to, scratch| softmax(extent, from, to, scratch));
        let log = run(&name, &from, |from, to, scratch| log_softmax(extent, from, to, scratch));
        for places in places(extent) {
            let (differences, sum) = differences(places.iter().map(|&place| from[place]));
            for (&place, x) in places.iter().zip(differences) {
                let worst = if extent.inner == 1 { &mut rows } else { &mut columns };
                worst.see(ulps(powers[place], libm::exp(x) / sum), format_args!("{name}[{place}]"));
                let want = x - libm::log(sum);
                let far = (f64::from(log[place]) - want).abs().min(ulps(log[place], want) * f64::powi(2.0, -23));
                logs.see(far * f64::powi(2.0, 23), format_args!("{name}[{place}]"));
            }
        }
    }
    rows.assert_within(16.0);
    columns.assert_within(4.0);
    logs.assert_within(8.0);
}

#[test]
fn short_rows_are_long_ones_with_nothing_behind_them() {
    let mut random = Random(26);
    for round in 0..4000 {
        let (n, n_rows) = (1 + round % 8, 1 + random.below(5));
        let rows: Vec<Vec<f32>> = (0..n_rows).map(|_| exponents(&mut random, n)).collect();
        let extent = |reduced| Extent { outer: n_rows, reduced, inner: 1 };
        let (short, long) = (rows.concat(), rows.iter().flat_map(|row| padded(row)).collect::<Vec<f32>>());
        for body in [softmax, log_softmax] {
            let got = run("short", &short, |from, to, scratch| body(extent(n), from, to, scratch));
            let want = run("long", &long, |from, to, scratch| body(extent(PADDED), from, to, scratch));
            let want: Vec<f32> = want.chunks(PADDED).flat_map(|row| row[..n].to_vec()).collect();
            assert_same(format_args!("rows of {n}"), &got, &want);
        }
    }
}

const PADDED: usize = 12;

fn padded(row: &[f32]) -> Vec<f32> {
    let mut row = row.to_vec();
    row.resize(PADDED, f32::NEG_INFINITY);
    row
}

#[test]
fn softmax_at_the_ends_of_the_line() {
    const INF: f32 = f32::INFINITY;
    for inner in [1, 2, 5] {
        let run = |line: &[f32]| -> Vec<f32> {
            let mut data: Vec<f32> = line.iter().flat_map(|&x| vec![x; inner]).collect();
            softmax(Extent { outer: 1, reduced: line.len(), inner }, Source::Result, &mut data, &mut vec![]);
            data.chunks(inner).map(|same| same[0]).collect()
        };
        assert_eq!(run(&[-INF, 0.0, -200.0, 0.0]), [0.0, 0.5, 0.0, 0.5]);
        assert_eq!(run(&[1000.0, 1000.0, -1000.0]), [0.5, 0.5, 0.0]);
        assert_eq!(run(&[f32::MAX, f32::MIN]), [1.0, 0.0]);
        for line in [vec![1.0, 2.0, f32::NAN, 0.0], vec![-INF; 5], vec![INF, 0.0, 0.0]] {
            assert!(run(&line).iter().all(|x| x.is_nan()), "{line:?}");
        }
        // A result so small that it is subnormal.
        assert!(run(&[0.0, -95.0])[1] > 0.0);
    }
}

/// Factors and summands of `n` places, or none.
fn parameters(random: &mut Random, n: usize) -> [Option<Vec<f32>>; 2] {
    [0, 1].map(|_| (!random.one_in(3)).then(|| random.line(n)))
}

/// A number of a vector, if there is one.
fn of(vector: &Option<&[f32]>, element: usize, missing: f64) -> f64 {
    vector.map_or(missing, |vector| f64::from(vector[element]))
}

/// Sees each element of the lines of an extent after normalisation, in roundings of all that is added up on the way: its
/// size beside the root, and that of its summand.
fn see_norms(
    [worst, promised]: [&mut Worst; 2],
    (extent, from, got): (Extent, &[f32], &[f32]),
    parameters: impl Fn(usize) -> [f64; 2],
    epsilon: f32,
    name: &str,
) {
    for places in places(extent) {
        let line: Vec<f64> = places.iter().map(|&place| f64::from(from[place])).collect();
        let n = line.len() as f64;
        let mean = line.iter().sum::<f64>() / n;
        let size = line.iter().map(|x| x.abs()).sum::<f64>() / n;
        let variance = line.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let root = (variance + f64::from(epsilon)).sqrt();
        for (&place, x) in places.iter().zip(line) {
            let [gamma, beta] = parameters(place);
            let want = (x - mean) / root * gamma + beta;
            let size = (x.abs() + size) / root * gamma.abs() + beta.abs();
            let far = (f64::from(got[place]) - want).abs();
            let error = if far == 0.0 { 0.0 } else { far / size * f64::powi(2.0, 24) };
            worst.see(error, format_args!("{name}[{place}]"));
            promised.see(error / (2.0 * n_roundings(extent) + 8.0), format_args!("{name}[{place}]"));
        }
    }
}

#[test]
fn layer_norm_keeps_its_bound() {
    let mut random = Random(22);
    let (mut worst, mut promised) = (Worst::new("layer_norm"), Worst::new("layer_norm of what is promised"));
    for _ in 0..N_EXTENTS {
        let extent = random_extent(&mut random);
        let from = lines_of(&mut random, extent, Random::line);
        let [gamma, beta] = parameters(&mut random, extent.reduced);
        let epsilon = random.pick(&[1e-5, 0.125]);
        let affine = Affine { gamma: gamma.as_deref(), beta: beta.as_deref(), epsilon };
        let name = format!("{extent:?}");
        let got = run(&name, &from, |from, to, scratch| layer_norm(extent, affine, from, to, scratch));
        let element = |place| place / extent.inner % extent.reduced;
        let parameters = |place| [of(&affine.gamma, element(place), 1.0), of(&affine.beta, element(place), 0.0)];
        see_norms([&mut worst, &mut promised], (extent, &from, &got), parameters, epsilon, &name);
    }
    worst.assert_within(32.0);
    promised.assert_within(1.0);
}

#[test]
fn group_norm_keeps_its_bound() {
    let mut random = Random(23);
    let (mut worst, mut promised) = (Worst::new("group_norm"), Worst::new("group_norm of what is promised"));
    for _ in 0..N_EXTENTS {
        let (n_groups, of_group) = (1 + random.below(4), 1 + random.below(4));
        let (n_images, n_channels, inner) = (random.below(4), n_groups * of_group, random.size(400));
        let size = of_group * inner;
        let extent = Extent { outer: n_images * n_groups, reduced: size, inner: 1 };
        let from = lines_of(&mut random, extent, Random::line);
        let [gamma, beta] = parameters(&mut random, n_channels);
        let epsilon = random.pick(&[1e-5, 0.125]);
        let affine = Affine { gamma: gamma.as_deref(), beta: beta.as_deref(), epsilon };
        let groups = Groups { n_images, n_channels, inner, n_groups };
        let name = format!("{groups:?}");
        let got = run(&name, &from, |from, to, _| group_norm(groups, affine, from, to));
        let element = |place| place / inner % n_channels;
        let parameters = |place| [of(&affine.gamma, element(place), 1.0), of(&affine.beta, element(place), 0.0)];
        see_norms([&mut worst, &mut promised], (extent, &from, &got), parameters, epsilon, &name);
    }
    worst.assert_within(32.0);
    promised.assert_within(1.0);
}

#[test]
fn l2_normalize_keeps_its_bound() {
    let mut random = Random(25);
    let (mut worst, mut promised) = (Worst::new("l2_normalize"), Worst::new("l2_normalize of what is promised"));
    for _ in 0..N_EXTENTS {
        let extent = random_extent(&mut random);
        let from = lines_of(&mut random, extent, Random::line);
        let epsilon = random.pick(&[1e-12, 0.001, 1e4]);
        let mut got = vec![7.0; from.len()];
        l2_normalize(extent, epsilon, &from, &mut got, &mut vec![2.0]);
        for places in places(extent) {
            let squares: f64 = places.iter().map(|&place| f64::from(from[place]) * f64::from(from[place])).sum();
            let root = squares.max(f64::from(epsilon)).sqrt();
            for place in places {
                let error = ulps(got[place], f64::from(from[place]) / root);
                worst.see(error, format_args!("{extent:?}[{place}]"));
                promised.see(error / (n_roundings(extent) / 2.0 + 3.0), format_args!("{extent:?}[{place}]"));
            }
        }
    }
    worst.assert_within(24.0);
    promised.assert_within(1.0);
}
