use super::*;
use crate::normal;
use crate::strided::View;

const EXTENTS: [[usize; 3]; 12] = [
    [3, 7, 1],
    [2, 64, 1],
    [1, 3001, 1],
    [1, 1, 1],
    [2, 5, 3],
    [1, 9, 4],
    [3, 6, 7],
    [2, 1, 5],
    [1, 40, 2],
    [0, 3, 2],
    [2, 0, 3],
    [2, 3, 0],
];

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|at| ((at * 7919 + 13) % 2003) as f32 / 150.0 - 8.0).collect()
}

fn wide(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&x| f64::from(x)).collect()
}

fn assert_close(name: &str, got: &[f32], want: &[f64], relative: f64, absolute: f64) {
    assert_eq!(got.len(), want.len(), "{name}");
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        let far = (f64::from(*got) - want).abs();
        assert!(far <= relative * want.abs() + absolute, "{name}[{at}]: {got}, not {want}");
    }
}

fn each(mut check: impl FnMut(&str, Extent, &[f32], [usize; 3])) {
    for shape in EXTENTS {
        let [outer, reduced, inner] = shape;
        let extent = Extent { outer, reduced, inner };
        check(&format!("{shape:?}"), extent, &numbers(extent.n_elements()), shape);
    }
}

#[test]
fn softmax_is_its_meaning() {
    each(|name, extent, from, shape| {
        let data = wide(from);
        let mut got = vec![7.0; from.len()];
        softmax(extent, Source::Other(from), &mut got, &mut vec![1.0]);
        // The difference from the largest element, at most 14, is rounded to float32.
        assert_close(name, &got, &normal::softmax(View::new(&data, &shape), 1), 2e-6, 0.0);
        let mut in_place = from.to_vec();
        softmax(extent, Source::Result, &mut in_place, &mut vec![]);
        assert_eq!(got, in_place, "{name}");
        log_softmax(extent, Source::Other(from), &mut got, &mut vec![1.0]);
        assert_close(name, &got, &normal::log_softmax(View::new(&data, &shape), 1), 3e-7, 2e-6);
        let mut in_place = from.to_vec();
        log_softmax(extent, Source::Result, &mut in_place, &mut vec![]);
        assert_eq!(got, in_place, "{name}");
    });
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
        for line in
            [[f32::NAN, 1.0, 2.0, 3.0, 4.0], [1.0, 2.0, f32::NAN, 0.0, 0.0], [-INF; 5], [INF, 0.0, 0.0, 0.0, 0.0]]
        {
            assert!(run(&line)[if line[0] == INF { 0 } else { 4 }].is_nan(), "{line:?}");
        }
        // A result so small that it is subnormal.
        assert!(run(&[0.0, -95.0])[1] > 0.0);
    }
}

fn normal_line(line: &[f64], epsilon: f64) -> Vec<f64> {
    let mean = line.iter().sum::<f64>() / line.len() as f64;
    let variance = line.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / line.len() as f64;
    line.iter().map(|x| (x - mean) / (variance + epsilon).sqrt()).collect()
}

#[test]
fn layer_norm_is_its_meaning() {
    each(|name, extent, from, [outer, reduced, inner]| {
        let (gamma, beta) = (numbers(reduced), numbers(reduced + 1)[1..].to_vec());
        let at = |outer: usize, element: usize, column: usize| (outer * reduced + element) * inner + column;
        let (mut plain, mut full) = (vec![0.0; from.len()], vec![0.0; from.len()]);
        for (outer, column) in (0..outer).flat_map(|outer| (0..inner).map(move |column| (outer, column))) {
            let line: Vec<f64> = (0..reduced).map(|element| f64::from(from[at(outer, element, column)])).collect();
            for (element, normal) in normal_line(&line, f64::from(1e-5_f32)).into_iter().enumerate() {
                plain[at(outer, element, column)] = normal;
                full[at(outer, element, column)] = normal * f64::from(gamma[element]) + f64::from(beta[element]);
            }
        }
        let run = |gamma, beta| {
            let mut got = from.to_vec();
            layer_norm(extent, Affine { gamma, beta, epsilon: 1e-5 }, Source::Result, &mut got, &mut vec![1.0]);
            let mut other = vec![7.0; from.len()];
            layer_norm(extent, Affine { gamma, beta, epsilon: 1e-5 }, Source::Other(from), &mut other, &mut vec![]);
            assert_eq!(got, other, "{name}");
            got
        };
        assert_close(name, &run(None, None), &plain, 1e-6, 1e-6);
        assert_close(name, &run(Some(&gamma), Some(&beta)), &full, 1e-6, 1e-5);
    });
}

#[test]
fn group_norm_is_its_meaning() {
    for [n_images, n_channels, inner, n_groups] in
        [[2, 4, 5, 2], [1, 3, 7, 3], [2, 6, 1, 1], [0, 2, 3, 1], [1, 2, 0, 2]]
    {
        let from = numbers(n_images * n_channels * inner);
        let (gamma, beta) = (numbers(n_channels), numbers(n_channels + 1)[1..].to_vec());
        let size = (n_channels / n_groups * inner).max(1);
        let mut want: Vec<f64> = wide(&from).chunks(size).flat_map(|group| normal_line(group, 0.5)).collect();
        for (at, want) in want.iter_mut().enumerate() {
            let channel = at / inner % n_channels;
            *want = *want * f64::from(gamma[channel]) + f64::from(beta[channel]);
        }
        let mut got = vec![7.0; from.len()];
        let parameters = Affine { gamma: Some(&gamma), beta: Some(&beta), epsilon: 0.5 };
        group_norm(Groups { n_images, n_channels, inner, n_groups }, parameters, Source::Other(&from), &mut got);
        assert_close("group_norm", &got, &want, 1e-6, 1e-5);
    }
}

#[test]
fn batch_norm_is_its_meaning() {
    each(|name, extent, from, shape| {
        let n = extent.reduced;
        let means = numbers(n);
        let variances: Vec<f32> = (0..n).map(|at| at as f32 / 7.0).collect();
        let (gamma, beta) = (numbers(n + 2)[2..].to_vec(), numbers(n + 1)[1..].to_vec());
        let wides = [&means, &variances, &gamma, &beta].map(|vector| wide(vector));
        for is_full in [false, true] {
            let parameters = normal::BatchNorm {
                gamma: is_full.then_some(&wides[2]),
                beta: is_full.then_some(&wides[3]),
                mean: &wides[0],
                variance: &wides[1],
                epsilon: 0.125,
            };
            let want = normal::batch_norm(View::new(&wide(from), &shape), 1, &parameters);
            let parameters =
                Affine { gamma: is_full.then_some(&gamma), beta: is_full.then_some(&beta), epsilon: 0.125 };
            let mut got = from.to_vec();
            batch_norm(extent, parameters, [&means, &variances], Source::Result, &mut got, &mut vec![]);
            assert_close(name, &got, &want, 1e-6, 1e-5);
        }
    });
}

#[test]
fn l2_normalize_is_its_meaning() {
    each(|name, extent, from, [outer, reduced, inner]| {
        for epsilon in [0.001, 1e4] {
            let mut want = wide(from);
            for (outer, column) in (0..outer).flat_map(|outer| (0..inner).map(move |column| (outer, column))) {
                let at = |element: usize| (outer * reduced + element) * inner + column;
                let sum: f64 = (0..reduced).map(|element| want[at(element)] * want[at(element)]).sum();
                (0..reduced).for_each(|element| want[at(element)] /= sum.max(f64::from(epsilon)).sqrt());
            }
            let mut got = vec![7.0; from.len()];
            l2_normalize(extent, epsilon, from, &mut got, &mut vec![2.0]);
            assert_close(name, &got, &want, 1e-6, 0.0);
        }
    });
}
