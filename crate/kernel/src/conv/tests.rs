//! Convolutions against those by the definition, in order in float32 and in float64.

use super::*;
use crate::slide::{self, Along};
use crate::strided::View;
use crate::trial::{Random, assert_same};

fn axis(random: &mut Random, direction: Direction) -> Axis {
    let size = [1, 2, 5, 9, 20, 37][random.below(6)];
    let kernel = [1, 1, 2, 3, 3, 5][random.below(6)];
    let (stride, dilation) = ([1, 1, 1, 2, 3][random.below(5)], [1, 1, 1, 2][random.below(4)]);
    let padding = [0, 0, 1, 2, 6][random.below(5)];
    let (reach, behind) = ((kernel - 1) * dilation, random.below(3));
    let output: usize = match direction {
        Direction::Forward => (size + padding + behind).checked_sub(reach + 1).map_or(0, |room| room / stride + 1),
        Direction::Transposed => ((size - 1) * stride + reach + 1 + behind).saturating_sub(2 * padding),
    };
    Axis { size, kernel, output, stride, dilation, padding }
}

fn geometry(random: &mut Random) -> Geometry {
    let direction = [Direction::Forward, Direction::Forward, Direction::Transposed][random.below(3)];
    let mut axes = [Axis::new(1); 3];
    let n_missing = random.below(3);
    axes[n_missing..].iter_mut().for_each(|place| *place = axis(random, direction));
    let n_groups = [1, 1, 2, 5][random.below(4)];
    let mut each = |n: usize| n_groups * if n_groups == 1 { random.below(n) } else { 1 + random.below(3) };
    let (n_channels, n_outputs) = (each(7), each(13));
    Geometry { n_images: 1 + random.below(2), n_channels, n_outputs, n_groups, direction, axes }
}

#[test]
fn every_path_adds_in_order() {
    let mut random = Random(7);
    let mut scratch = Scratch::default();
    let mut n_checked = 0;
    while n_checked < 500 {
        let geometry = geometry(&mut random);
        let [data_len, weight_len, out_len] = geometry.lengths().unwrap();
        if out_len * geometry.group_channels() * geometry.n_places() > 200_000 || out_len == 0 && random.below(9) > 0 {
            continue;
        }
        n_checked += 1;
        let (mut data, mut weight) = (random.floats(data_len), random.floats(weight_len));
        if random.below(5) == 0 {
            for odd in [f32::NAN, f32::INFINITY, -0.0] {
                let (data_at, weight_at) = (random.below(data_len + 1), random.below(4 * weight_len + 1));
                data.get_mut(data_at).into_iter().chain(weight.get_mut(weight_at)).for_each(|x| *x = odd);
            }
        }
        let biases = random.floats(geometry.n_outputs);
        let bias = (random.below(2) == 0).then_some(&biases[..]);
        let activation = [Activation::None, Activation::Relu][random.below(2)];
        let mut got = vec![f32::NAN; out_len];
        Prepared::new(geometry).unwrap().run([&data, &weight], bias, activation, &mut got, &mut scratch).unwrap();
        let bias = bias.map_or(Bias::None, Bias::PerRow);
        let finish = Epilogue { bias, activation, ..Epilogue::default() }.finish([geometry.n_outputs, 0]).unwrap();
        let mut want = vec![0.0; out_len];
        direct::conv(&geometry, &data, &weight, &finish, &mut want);
        assert_same(format_args!("{geometry:?}"), &got, &want);
    }
}

/// The definition that all dtypes share, and the bound that the module states.
#[test]
fn sums_are_close() {
    let mut random = Random(8);
    let mut n_checked = 0;
    while n_checked < 150 {
        let geometry = geometry(&mut random);
        let [data_len, weight_len, out_len] = geometry.lengths().unwrap();
        if out_len == 0 || out_len > 5_000 {
            continue;
        }
        n_checked += 1;
        let (data, weight) = (random.floats(data_len), random.floats(weight_len));
        let mut got = vec![f32::NAN; out_len];
        Prepared::new(geometry)
            .unwrap()
            .run([&data, &weight], None, Activation::None, &mut got, &mut Scratch::default())
            .unwrap();
        let looks = geometry.axes.map(|axis| {
            let [stride, dilation, before] = [axis.stride, axis.dilation, axis.padding].map(|x| x as i64);
            let along = Along { stride, dilation, before, after: 0 };
            match geometry.direction {
                Direction::Forward => slide::forward(&along, axis.size, axis.kernel as i64, axis.output),
                Direction::Transposed => slide::transposed(&along, axis.size, axis.kernel, axis.output),
            }
        });
        let Geometry { n_images, n_channels, n_outputs, n_groups, .. } = geometry;
        let (way, weight_start) = match geometry.direction {
            Direction::Forward => (Direction::Forward, [n_outputs, n_channels / n_groups]),
            Direction::Transposed => (Direction::Transposed, [n_channels, n_outputs / n_groups]),
        };
        let data_shape = [&[n_images, n_channels][..], &geometry.each(|axis| axis.size)].concat();
        let weight_shape = [&weight_start[..], &geometry.each(|axis| axis.kernel)].concat();
        let exact = |f: fn(f32) -> f32| {
            let wide = |x: &[f32]| x.iter().map(|&x| f64::from(f(x))).collect::<Vec<_>>();
            let (data, weight) = (wide(&data), wide(&weight));
            slide::conv(View::new(&data, &data_shape), View::new(&weight, &weight_shape), &looks, n_groups, way)
        };
        let n_looks = (geometry.group_channels() * geometry.n_places()) as f64;
        for ((got, want), size) in got.iter().zip(exact(|x| x)).zip(exact(f32::abs)) {
            let error = (f64::from(*got) - want).abs();
            assert!(error <= n_looks * size / f64::from(1 << 24), "{got}, not {want}: {geometry:?}");
        }
    }
}

/// A transposed convolution undoes the shape of a forward one: `⟨conv(x), y⟩ = ⟨x, transposed(y)⟩`.
#[test]
fn transposed_is_the_transpose() {
    let mut random = Random(9);
    let mut n_checked = 0;
    while n_checked < 100 {
        let forward = geometry(&mut random);
        let [data_len, weight_len, out_len] = forward.lengths().unwrap();
        if forward.direction == Direction::Transposed || data_len * out_len == 0 || out_len > 5_000 {
            continue;
        }
        n_checked += 1;
        let transposed = Geometry {
            n_channels: forward.n_outputs,
            n_outputs: forward.n_channels,
            direction: Direction::Transposed,
            axes: forward.axes.map(|axis| Axis { size: axis.output, output: axis.size, ..axis }),
            ..forward
        };
        assert_eq!(transposed.lengths(), Some([out_len, weight_len, data_len]));
        let (x, weight, y) = (random.floats(data_len), random.floats(weight_len), random.floats(out_len));
        let run = |geometry: &Geometry, data: &[f32], n| {
            let mut out = vec![0.0; n];
            Prepared::new(*geometry)
                .unwrap()
                .run([data, &weight], None, Activation::None, &mut out, &mut Scratch::default())
                .unwrap();
            out
        };
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
        let (there, back) = (dot(&run(&forward, &x, out_len), &y), dot(&x, &run(&transposed, &y, data_len)));
        assert!((there - back).abs() < 1e-3 * (1.0 + there.abs()), "{there}, {back}: {forward:?}");
    }
}

#[test]
fn padding_is_skipped_even_under_an_infinite_weight() {
    let line = Axis { kernel: 2, padding: 1, output: 1, ..Axis::new(1) };
    let axes = [Axis::new(1), Axis::new(1), line];
    let direction = Direction::Forward;
    let geometry = Geometry { n_images: 1, n_channels: 1, n_outputs: 1, n_groups: 1, direction, axes };
    let mut out = [0.0];
    let mut run = |geometry: &Geometry, weight: &[f32]| {
        Prepared::new(*geometry)?.run([&[1.0], weight], None, Activation::None, &mut out, &mut Scratch::default())?;
        Some(out[0])
    };
    assert_eq!(run(&geometry, &[f32::INFINITY, 2.0]), Some(2.0));
    // Windows that reach far: no copy of the image is made.
    let far = Axis { padding: MOST, dilation: MOST, stride: MOST, ..line };
    assert_eq!(run(&Geometry { axes: [Axis::new(1), Axis::new(1), far], ..geometry }, &[3.0, 2.0]), Some(2.0));
}

#[test]
fn what_does_not_fit_is_refused() {
    let axes = [Axis::new(1), Axis::new(2), Axis::new(3)];
    let direction = Direction::Forward;
    let geometry = Geometry { n_images: 1, n_channels: 2, n_outputs: 2, n_groups: 1, direction, axes };
    let run = |geometry: &Geometry, data: &[f32], bias| {
        let mut out = [0.0; 12];
        Prepared::new(*geometry)?.run([data, &[1.0; 4]], bias, Activation::None, &mut out, &mut Scratch::default())
    };
    let data = [1.0; 12];
    assert_eq!(run(&geometry, &data, None), Some(()));
    assert_eq!(run(&geometry, &data[1..], None), None);
    assert_eq!(run(&geometry, &data, Some(&data[..1])), None);
    assert_eq!(run(&Geometry { n_groups: 0, ..geometry }, &data, None), None);
    assert_eq!(run(&Geometry { n_groups: 3, ..geometry }, &data, None), None);
    let stuck = Axis { stride: 0, ..Axis::new(3) };
    assert_eq!(run(&Geometry { axes: [Axis::new(1), Axis::new(2), stuck], ..geometry }, &data, None), None);
    let endless = Axis { output: usize::MAX, ..Axis::new(3) };
    assert_eq!(run(&Geometry { axes: [Axis::new(1), Axis::new(2), endless], ..geometry }, &data, None), None);
}

/// One that goes by way of fewer products.
fn three_by_three(random: &mut Random) -> Geometry {
    let mut axis = || {
        let (size, padding) = (7 + random.below(20), random.below(3));
        Axis { kernel: 3, padding, output: size + padding + random.below(padding + 1) - 2, ..Axis::new(size) }
    };
    let axes = [Axis::new(1), axis(), axis()];
    let n_groups = random.pick(&[1, 1, 2]);
    let mut each = || n_groups * (16 + random.below(20));
    let (n_channels, n_outputs) = (each(), each());
    let n_images = 1 + random.below(2);
    Geometry { n_images, n_channels, n_outputs, n_groups, direction: Direction::Forward, axes }
}

/// Against the definition in float64, within the bound, and exact where all is whole.
#[test]
fn fewer_products_give_the_same() {
    let mut random = Random(10);
    let mut scratch = Scratch::default();
    let mut n_fast = 0;
    for round in 0..60 {
        let geometry = three_by_three(&mut random);
        let [data_len, weight_len, out_len] = geometry.lengths().unwrap();
        let prepared = Prepared::fast(geometry).unwrap();
        n_fast += usize::from(prepared.winograd.is_some());
        let (mut data, mut weight) = (random.floats(data_len), random.floats(weight_len));
        let is_whole = round % 2 == 0;
        if is_whole {
            data.iter_mut().chain(&mut weight).for_each(|x| *x = (*x * 8.0).round());
        }
        let is_odd = round % 10 == 0;
        if is_odd {
            data[random.below(data_len)] = random.pick(&[f32::NAN, f32::INFINITY, 1e38]);
        }
        let biases: Vec<f32> = random.floats(geometry.n_outputs).into_iter().map(f32::round).collect();
        let bias = random.one_in(2).then_some(&biases[..]);
        let activation = random.pick(&[Activation::None, Activation::Relu]);
        let finish = Epilogue { bias: bias.map_or(Bias::None, Bias::PerRow), activation, ..Epilogue::default() };
        let finish = finish.finish([geometry.n_outputs, 0]).unwrap();
        let mut got = vec![f32::NAN; out_len];
        prepared.run([&data, &weight], bias, activation, &mut got, &mut scratch).unwrap();
        let mut want = vec![0.0; out_len];
        direct::conv(&geometry, &data, &weight, &finish, &mut want);
        if is_whole || is_odd {
            assert_same(format_args!("{geometry:?}"), &got, &want);
            continue;
        }
        // The definition has half of its own error in this bound.
        let most = |x: &[f32]| x.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        let n_channels = geometry.group_channels() as f32;
        let bound = 36.0 * (n_channels + 11.0) * n_channels * most(&data) * 9.0 * most(&weight) / (1 << 24) as f32;
        for (got, want) in got.iter().zip(&want) {
            assert!((got - want).abs() <= bound, "{got}, not {want}: {geometry:?}");
            assert!((got - want).abs() <= 4e-5, "{got}, not {want}: {geometry:?}");
        }
    }
    assert!(n_fast > 40, "{n_fast} of them");
}
