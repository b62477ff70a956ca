use super::*;
use crate::number::wrap;
use crate::scalar::int;
use half::{bf16, f16};

const INTS: [(Format, u32, bool); 9] = [
    (Format::Bool, 8, false),
    (Format::Int8, 8, true),
    (Format::Int16, 16, true),
    (Format::Int32, 32, true),
    (Format::Int64, 64, true),
    (Format::UInt8, 8, false),
    (Format::UInt16, 16, false),
    (Format::UInt32, 32, false),
    (Format::UInt64, 64, false),
];

type Map1<T> = fn(T) -> T;
type Map2<T, R> = fn(T, T) -> R;

/// Numbers of all sizes, with those at the ends among them.
fn integers(seed: u64) -> [i64; BLOCK] {
    let mut state = seed;
    std::array::from_fn(|i| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        match i % 8 {
            0 => [0, 1, -1, i64::MIN, i64::MAX, 127, -128, 255][(state >> 60) as usize % 8],
            _ => (state as i64) >> (state >> 58),
        }
    })
}

fn floats_of_all_sizes(seed: u64) -> [f64; BLOCK] {
    const SPECIAL: [f64; 8] = [0.0, -0.0, 1.0, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 65520.0];
    let (a, b) = (integers(seed), integers(seed + 1));
    std::array::from_fn(|i| if i % 4 == 0 { SPECIAL[(a[i] & 7) as usize] } else { a[i] as f64 / (b[i] | 1) as f64 })
}

/// What an element of this format is as a number that operators take.
fn value(is_unsigned: bool, x: i64) -> i128 {
    if is_unsigned { i128::from(x as u64) } else { i128::from(x) }
}

#[test]
fn integers_go_out_wrapped_and_come_back() {
    for (format, bits, is_signed) in INTS {
        for n in [1, 7, 8, 9, 127, 128] {
            let from = integers(n as u64);
            let mut bytes = vec![0xaa; n * format.width()];
            write_ints(format, &from, &mut bytes);
            let mut back = [0; BLOCK];
            read_ints(format, &bytes, &mut back);
            for (i, (&x, &y)) in from.iter().zip(&back).enumerate().take(n) {
                let wrapped = if format == Format::Bool { i64::from(x != 0) } else { wrap(x, bits, is_signed) };
                assert_eq!(y, wrapped, "{format:?} {i} of {n}");
            }
        }
    }
}

#[test]
fn every_float_of_two_bytes_comes_in_and_goes_out() {
    for bits in (0..=u16::MAX).step_by(BLOCK) {
        let all: [u16; BLOCK] = std::array::from_fn(|i| bits + i as u16);
        let bytes: Vec<u8> = all.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let read: [fn(u16) -> f64; 2] = [|bits| f16::from_bits(bits).to_f64(), |bits| bf16::from_bits(bits).to_f64()];
        for (format, read, nan) in [(Format::Float16, read[0], 0x7e00), (Format::BFloat16, read[1], 0x7fc0)] {
            let (mut numbers, mut back) = ([0.0; BLOCK], vec![0; bytes.len()]);
            read_floats(format, &bytes, &mut numbers);
            write_floats(format, &numbers, &mut back);
            for ((&bits, &number), back) in all.iter().zip(&numbers).zip(back.as_chunks().0) {
                let expected = read(bits);
                assert!(number == expected || number.is_nan() && expected.is_nan(), "{format:?} {bits:#x}");
                let canonical = if expected.is_nan() { nan } else { bits };
                assert_eq!(u16::from_le_bytes(*back), canonical, "{format:?} {bits:#x}");
            }
        }
    }
}

#[test]
fn floats_are_rounded_once_and_nan_is_canonical() {
    for seed in 0..200 {
        let from = floats_of_all_sizes(seed);
        for format in [Format::Float16, Format::BFloat16, Format::Float32, Format::Float64] {
            let mut bytes = vec![0; BLOCK * format.width()];
            write_floats(format, &from, &mut bytes);
            let mut back = [0.0; BLOCK];
            read_floats(format, &bytes, &mut back);
            let round = match format {
                Format::Float16 => number::round_f16,
                Format::BFloat16 => number::round_bf16,
                Format::Float32 => number::round_f32,
                _ => number::round_f64,
            };
            for (x, back) in from.iter().zip(back) {
                assert_eq!(back.to_bits(), round(*x).to_bits(), "{format:?} {x:e}");
            }
        }
    }
}

#[test]
fn integers_are_computed_as_their_meaning_has_it() {
    let ops: [(Binary, Map2<i128, Option<i128>>); 9] = [
        (Binary::Divide, int::divide),
        (Binary::TruncDivide, int::trunc_divide),
        (Binary::Mod, int::r#mod),
        (Binary::Equal, |a, b| Some(i128::from(int::equal(a, b)))),
        (Binary::NotEqual, |a, b| Some(i128::from(int::not_equal(a, b)))),
        (Binary::Less, |a, b| Some(i128::from(int::less(a, b)))),
        (Binary::LessEqual, |a, b| Some(i128::from(int::less_equal(a, b)))),
        (Binary::Greater, |a, b| Some(i128::from(int::greater(a, b)))),
        (Binary::GreaterEqual, |a, b| Some(i128::from(int::greater_equal(a, b)))),
    ];
    let mut n_divided = 0;
    for seed in 0..50 {
        let (a, mut b) = (integers(seed), integers(seed + 1000));
        if seed % 2 == 0 {
            b = b.map(|b| if b == 0 { -1 } else { b });
        }
        for (op, meaning) in ops {
            for (is_unsigned, n) in [(false, BLOCK), (true, BLOCK), (false, 5)] {
                let mut to = [0; BLOCK];
                let is_done = binary_ints(op, is_unsigned, [&a, &b], &mut to, n);
                let divides = matches!(op, Binary::Divide | Binary::TruncDivide | Binary::Mod);
                assert_eq!(is_done, !divides || !is_unsigned && !b[..n].contains(&0), "{op:?}");
                n_divided += usize::from(divides && is_done);
                for i in (0..n).filter(|_| is_done) {
                    let expected = meaning(value(is_unsigned, a[i]), value(is_unsigned, b[i])).unwrap();
                    assert_eq!(to[i], expected as i64, "{op:?} {} {}", a[i], b[i]);
                }
            }
        }
        let ops: [(Unary, Map1<i128>); 3] =
            [(Unary::Abs, int::abs), (Unary::Relu, int::relu), (Unary::Negative, int::negative)];
        for (op, meaning) in ops {
            for is_unsigned in [false, true] {
                let mut to = [0; BLOCK];
                assert!(unary_ints(op, is_unsigned, &a, &mut to, BLOCK));
                assert_eq!(to, a.map(|x| meaning(value(is_unsigned, x)) as i64), "{op:?}");
            }
        }
    }
    assert!(n_divided > 50);
}

#[test]
fn floats_are_computed_as_their_meaning_has_it() {
    let comparisons: [(Binary, Map2<f64, bool>); 6] = [
        (Binary::Equal, float::equal),
        (Binary::NotEqual, float::not_equal),
        (Binary::Less, float::less),
        (Binary::LessEqual, float::less_equal),
        (Binary::Greater, float::greater),
        (Binary::GreaterEqual, float::greater_equal),
    ];
    let unary: [(Unary, Map1<f64>); 4] = [
        (Unary::Abs, float::abs),
        (Unary::Relu, float::relu),
        (Unary::Negative, float::negative),
        (Unary::Sqrt, float::sqrt),
    ];
    let bits = |x: f64| number::round_f64(x).to_bits();
    for seed in 0..50 {
        let (a, b) = (floats_of_all_sizes(seed), floats_of_all_sizes(seed + 1000));
        let mut to = [0.0; BLOCK];
        for (op, meaning) in unary {
            assert!(unary_floats(op, &a, &mut to, BLOCK));
            (0..BLOCK).for_each(|i| assert_eq!(bits(to[i]), bits(meaning(a[i])), "{op:?} {}", a[i]));
        }
        let mut truth = [0; BLOCK];
        for (op, meaning) in comparisons {
            assert!(compare_floats(op, [&a, &b], &mut truth, BLOCK));
            (0..BLOCK).for_each(|i| assert_eq!(truth[i], i64::from(meaning(a[i], b[i])), "{op:?} {} {}", a[i], b[i]));
        }
    }
    let (ones, mut to) = ([1.0; BLOCK], [0.0; BLOCK]);
    assert!(!unary_floats(Unary::Exp, &ones, &mut to, 1));
}

#[test]
fn numbers_change_their_kind() {
    for seed in 0..50 {
        let (ints, floats) = (integers(seed), floats_of_all_sizes(seed));
        let mut whole = [0; BLOCK];
        floats_to_ints(&floats, &mut whole, BLOCK);
        assert_eq!(whole, floats.map(|x| number::float_to_int(x) as i64));
        floats_to_bools(&floats, &mut whole);
        assert_eq!(whole, floats.map(|x| i64::from(x != 0.0)));
        for is_unsigned in [false, true] {
            let mut numbers = [0.0; BLOCK];
            ints_to_floats(&ints, is_unsigned, &mut numbers, BLOCK, Format::Float64);
            assert_eq!(numbers, ints.map(|x| value(is_unsigned, x) as f64));
            ints_to_floats(&ints, is_unsigned, &mut numbers, BLOCK, Format::Float32);
            assert_eq!(numbers, ints.map(|x| number::int_to_float(value(is_unsigned, x))));
        }
    }
}

#[test]
fn blocks_fold_into_rows_and_columns() {
    let from: [i64; BLOCK] = std::array::from_fn(|i| i as i64);
    for columns in [1, 3, 50, 200] {
        let (mut sums, mut at) = (vec![0; columns], 0);
        let (mut largest, mut largest_at) = (vec![i128::MIN; columns], 0);
        let (mut products, mut products_at) = (vec![1.0; columns], 0);
        for part in [&from[..], &from[..77], &from[..]] {
            add_ints(part, &mut sums, &mut at);
            fold_ints(i128::max, true, part, &mut largest, &mut largest_at);
            fold_floats(|a, b| a * b, &[2.0; BLOCK][..part.len()], &mut products, &mut products_at);
        }
        assert_eq!([at, largest_at, products_at], [333 % columns; 3]);
        for column in 0..columns {
            let all: Vec<i64> =
                from.iter().chain(&from[..77]).chain(&from).copied().skip(column).step_by(columns).collect();
            assert_eq!(sums[column], all.iter().sum::<i64>());
            assert_eq!(largest[column], i128::from(*all.iter().max().unwrap()));
            assert_eq!(products[column], 2f64.powi(all.len() as i32));
        }
    }
    let mut sum = [0.5];
    add_floats(&[1.0, 2.0], &mut sum, &mut 0);
    assert_eq!(sum, [3.5]);
}
