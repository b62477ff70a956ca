//! Products against those by the definition, in float64.

use super::*;
use crate::linear;
use crate::trial::{Random, assert_same};

/// By the definition, with roundings to float32 in the documented order.
fn in_order(a: &Matrix, b: &Matrix, c: &[f32], epilogue: &Epilogue) -> Vec<f32> {
    let ([m, k], n) = (a.shape, b.shape[1]);
    let mut results = Vec::new();
    for i in 0..m {
        for j in 0..n {
            let start = if epilogue.start == Start::Result { c[i * n + j] } else { 0.0 };
            let a = |p| a.data[i * a.steps[0] + p * a.steps[1]];
            let mut sum = (0..k).fold(start, |sum, p| sum + a(p) * b.data[p * b.steps[0] + j * b.steps[1]]);
            match epilogue.bias {
                Bias::None => (),
                Bias::PerRow(bias) => sum += bias[i],
                Bias::PerColumn(bias) => sum += bias[j],
            }
            results.push(if epilogue.activation == Activation::Relu && sum < 0.0 { 0.0 } else { sum });
        }
    }
    results
}

/// A matrix with random strides, at least as far apart as they need be.
fn steps(random: &mut Random, [n_rows, n_columns]: [usize; 2]) -> [usize; 2] {
    match random.below(4) {
        0 => [n_columns, 1],
        1 => [1, n_rows],
        2 => [n_columns + random.below(3), 1],
        _ => [2 * n_columns + 1, 2],
    }
}

fn size(random: &mut Random) -> usize {
    match random.below(8) {
        0 => random.below(3),
        1 => 60 + random.below(80),
        2 => 250 + random.below(20),
        3..6 => 4 * random.below(3),
        _ => 1 + random.below(20),
    }
}

#[test]
fn every_path_adds_in_order() {
    let mut random = Random(1);
    let mut scratch = Vec::new();
    for round in 0..600 {
        let size = |random: &mut Random| if round % 3 == 0 { random.below(10) } else { size(random) };
        let (m, mut k, mut n) = (size(&mut random), size(&mut random), size(&mut random));
        if m * k * n > 300_000 {
            n = 9;
        }
        if round % 300 == 0 {
            (k, n) = (600, 530);
        }
        let (a_steps, b_steps) = (steps(&mut random, [m, k]), steps(&mut random, [k, n]));
        let mut a_data = random.floats((m * a_steps[0]).max(k * a_steps[1]) + m + k);
        let mut b_data = random.floats((k * b_steps[0]).max(n * b_steps[1]) + k + n);
        if random.below(4) == 0 {
            for odd in [f32::NAN, f32::INFINITY, -0.0] {
                let (a_at, b_at) = (random.below(a_data.len() + 1), random.below(b_data.len() + 1));
                a_data.get_mut(a_at).into_iter().chain(b_data.get_mut(b_at)).for_each(|x| *x = odd);
            }
        }
        // Exactly as long as they need be: what is read beyond would be found.
        let exact = |data: &mut Vec<f32>, shape: [usize; 2], steps: [usize; 2]| {
            let last = |at: usize| shape[at].saturating_sub(1) * steps[at];
            data.truncate(last(0) + last(1) + 1);
            data.shrink_to_fit();
        };
        exact(&mut a_data, [m, k], a_steps);
        exact(&mut b_data, [k, n], b_steps);
        let a = Matrix::new(&a_data, [m, k], a_steps).unwrap();
        let b = Matrix::new(&b_data, [k, n], b_steps).unwrap();
        let (per_row, per_column) = (random.floats(m), random.floats(n));
        let epilogue = Epilogue {
            start: [Start::Zero, Start::Result][random.below(2)],
            bias: [Bias::None, Bias::PerRow(&per_row), Bias::PerColumn(&per_column)][random.below(3)],
            activation: [Activation::None, Activation::Relu][random.below(2)],
        };
        let c = random.floats(m * n);
        let want = in_order(&a, &b, &c, &epilogue);
        let what = || format!("[{m}, {k}] {a_steps:?} by [{k}, {n}] {b_steps:?}");
        let mut got = c.clone();
        multiply(a, Right::Strided(b), &mut got, &epilogue, &mut scratch).unwrap();
        assert_same(what(), &got, &want);
        let mut panels = vec![f32::NAN; random.below(9)];
        pack(b, &mut panels);
        got.copy_from_slice(&c);
        let packed = Packed::new(&panels, [k, n]).unwrap();
        multiply(a, Right::Packed(packed), &mut got, &epilogue, &mut scratch).unwrap();
        assert_same(format_args!("packed {}", what()), &got, &want);
    }
}

/// The bound that the module states, against sums in float64.
#[test]
fn sums_are_close() {
    let mut random = Random(2);
    let mut scratch = Vec::new();
    for [m, k, n] in [[1, 1000, 40], [40, 1000, 1], [33, 600, 65], [5, 17, 3], [3, 0, 4]] {
        let (a, b) = (random.floats(m * k), random.floats(k * n));
        let mut got = vec![1.0; m * n];
        let right = Right::Strided(Matrix::row_major(&b, [k, n]).unwrap());
        multiply(Matrix::row_major(&a, [m, k]).unwrap(), right, &mut got, &Epilogue::default(), &mut scratch).unwrap();
        let exact = |f: fn(f32) -> f32| {
            let wide = |x: &[f32]| x.iter().map(|&x| f64::from(f(x))).collect::<Vec<_>>();
            let (a, b) = (wide(&a), wide(&b));
            let plain = |data| linear::Operand { data, batch: 1, order: linear::Order::Plain };
            linear::batch_matmul(plain(&a), plain(&b), [m, k, n])
        };
        let (want, sizes) = (exact(|x| x), exact(f32::abs));
        for ((got, want), size) in got.iter().zip(want).zip(sizes) {
            assert!((f64::from(*got) - want).abs() <= k as f64 * size / f64::from(1 << 24), "{got}, not {want}");
        }
    }
}

#[test]
fn batches() {
    let mut random = Random(3);
    let (a, b) = (random.floats(5 * 3 * 4), random.floats(5 * 4 * 7));
    let bias = random.floats(7);
    let epilogue = Epilogue { bias: Bias::PerColumn(&bias), ..Epilogue::default() };
    let (left, right) = (Matrix::row_major(&a, [3, 4]).unwrap(), Matrix::row_major(&b, [4, 7]).unwrap());
    for (a_step, b_step) in [(12, 28), (12, 0), (0, 28)] {
        let mut got = vec![0.0; 5 * 21];
        multiply_batch(Batch { size: 5, a_step, b_step }, left, right, &mut got, &epilogue, &mut Vec::new()).unwrap();
        for at in 0..5 {
            let a = Matrix::row_major(&a[at * a_step..], [3, 4]).unwrap();
            let b = Matrix::row_major(&b[at * b_step..], [4, 7]).unwrap();
            assert_same("", &got[at * 21..][..21], &in_order(&a, &b, &[], &epilogue));
        }
        let batch = Batch { size: 5, a_step, b_step };
        let mut want = got.clone();
        multiply_batch(batch, left, right, &mut want, &Epilogue::default(), &mut Vec::new()).unwrap();
        let small = Small::new([3, 4, 7], [4, 1], [7, 1]).unwrap();
        small.run_batch(batch, [&a, &b], &mut got).unwrap();
        assert_same("small", &got, &want);
        assert_eq!(small.run_batch(batch, [&a[1..], &b[1..]], &mut got), None);
    }
    let mut got = vec![0.0; 6 * 21];
    let too_many = Batch { size: 6, a_step: 12, b_step: 0 };
    assert_eq!(multiply_batch(too_many, left, right, &mut got, &epilogue, &mut Vec::new()), None);
}

#[test]
fn what_does_not_fit_is_refused() {
    let data = [1.0; 12];
    assert!(Matrix::new(&data, [3, 4], [4, 1]).is_some());
    assert!(Matrix::new(&data, [3, 4], [5, 1]).is_none());
    assert!(Matrix::new(&data, [usize::MAX, usize::MAX], [usize::MAX, 1]).is_none());
    assert!(Matrix::new(&data, [usize::MAX, 2], [0, 0]).is_none());
    assert!(Matrix::new(&[], [0, 4], [4, 1]).is_some());
    assert!(Packed::new(&data, [3, 4]).is_none());
    let (a, b) = (Matrix::row_major(&data, [3, 4]).unwrap(), Matrix::row_major(&data, [4, 3]).unwrap());
    let mut c = [7.0; 9];
    let mut scratch = Vec::new();
    let short = Epilogue { bias: Bias::PerRow(&data[..2]), ..Epilogue::default() };
    assert_eq!(multiply(a, Right::Strided(a), &mut c, &Epilogue::default(), &mut scratch), None);
    assert_eq!(multiply(a, Right::Strided(b), &mut c[1..], &Epilogue::default(), &mut scratch), None);
    assert_eq!(multiply(a, Right::Strided(b), &mut c, &short, &mut scratch), None);
    assert_eq!(c, [7.0; 9]);
}

#[test]
fn whole_tiles_have_the_sums_of_their_rows_and_columns() {
    const N_TILES: usize = 2;
    let mut random = Random(61);
    for n_terms in 0..10 {
        let (a, b) = (random.floats(N_TILES * HEIGHT * n_terms), random.floats(n_terms * WIDTH));
        let start = random.floats(N_TILES * HEIGHT * WIDTH);
        for is_resumed in [false, true] {
            let mut c = start.clone();
            let tile = Tile {
                a: a.as_ptr(),
                a_step: n_terms,
                b: b.as_ptr(),
                b_step: WIDTH,
                n_terms,
                c: c.as_mut_ptr(),
                c_step: WIDTH,
                is_resumed,
                finish: Finish::NONE,
            };
            unsafe { tile::whole(&tile, N_TILES) };
            let epilogue =
                Epilogue { start: if is_resumed { Start::Result } else { Start::Zero }, ..Epilogue::default() };
            for at in 0..N_TILES {
                let [a, b] = [
                    Matrix::new(&a[at * HEIGHT * n_terms..], [HEIGHT, n_terms], [n_terms, 1]),
                    Matrix::new(&b, [n_terms, WIDTH], [WIDTH, 1]),
                ]
                .map(Option::unwrap);
                let [c, start] = [&c, &start].map(|all| &all[at * HEIGHT * WIDTH..][..HEIGHT * WIDTH]);
                let what = format_args!("tile {at} of {n_terms} terms");
                assert_same(what, c, &in_order(&a, &b, start, &epilogue));
            }
        }
    }
}
