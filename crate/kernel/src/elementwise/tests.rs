//! Against the scalar meaning, on all kinds of shapes and numbers.

use super::broadcast::Walk;
use super::*;
use crate::scalar::float;
use crate::strided::{View, count, map2};
use crate::trial::{Random, assert_same};

/// A shape that broadcasts to another one.
fn narrower(random: &mut Random, to: &[usize]) -> Vec<usize> {
    if random.one_in(4) {
        return to.to_vec();
    }
    let n_missing = if random.one_in(2) { 0 } else { random.below(to.len() + 1) };
    to[n_missing..].iter().map(|&size| if random.one_in(3) { 1 } else { size }).collect()
}

/// `K` shapes and one that they broadcast to.
fn broadcast<const K: usize>(random: &mut Random) -> ([Vec<usize>; K], Vec<usize>) {
    let rank = random.below(6);
    let to = random.shape(rank, 2000);
    (std::array::from_fn(|_| narrower(random, &to)), to)
}

/// Of bounds in any order, which `clamp` would not take.
fn clipped(x: f64, low: f64, high: f64) -> f64 {
    let x = if x > high { high } else { x };
    if x < low { low } else { x }
}

type Meaning1 = fn(f64) -> f64;
type Own1 = fn(f32) -> f32;
type Meaning2 = fn(f64, f64) -> f64;

const EXACT1: [(Unary, Meaning1); 24] = [
    (Unary::Abs, float::abs),
    (Unary::Acos, float::acos),
    (Unary::Acosh, float::acosh),
    (Unary::Asin, float::asin),
    (Unary::Asinh, float::asinh),
    (Unary::Atan, float::atan),
    (Unary::Atanh, float::atanh),
    (Unary::Ceil, float::ceil),
    (Unary::Clip(-1.0, 2.0), |x| clipped(x, -1.0, 2.0)),
    (Unary::Clip(2.0, -1.0), |x| clipped(x, 2.0, -1.0)),
    (Unary::Copy, float::copy),
    (Unary::Cosh, float::cosh),
    (Unary::Floor, float::floor),
    (Unary::LeakyRelu(0.25), |x| if x > 0.0 { x } else { 0.25 * x }),
    (Unary::Log10, float::log10),
    (Unary::Log2, float::log2),
    (Unary::Negative, float::negative),
    (Unary::Relu, float::relu),
    (Unary::Round, float::round),
    (Unary::Sign, float::sign),
    (Unary::Sinh, float::sinh),
    (Unary::Sqrt, float::sqrt),
    (Unary::Tan, float::tan),
    (Unary::Trunc, float::trunc),
];

/// Those of [`crate::math`], whose bounds are tested there: the one-lane body is the meaning.
const OWN1: [(Unary, Own1); 8] = [
    (Unary::Cos, |x| crate::math::cos()(x)),
    (Unary::Erf, |x| crate::math::erf()(x)),
    (Unary::Exp, |x| crate::math::exp()(x)),
    (Unary::Log, |x| crate::math::log()(x)),
    (Unary::Rsqrt(-0.0), crate::math::rsqrt),
    (Unary::Sigmoid, |x| crate::math::sigmoid()(x)),
    (Unary::Sin, |x| crate::math::sin()(x)),
    (Unary::Tanh, |x| crate::math::tanh()(x)),
];

const EXACT2: [(Binary, Meaning2); 18] = [
    (Binary::Add, float::add),
    (Binary::Subtract, float::subtract),
    (Binary::Multiply, float::multiply),
    (Binary::Divide, float::divide),
    (Binary::Maximum, float::maximum),
    (Binary::Minimum, float::minimum),
    (Binary::Power, |a, b| crate::math::power(a as f32, b as f32).into()),
    (Binary::FloorDivide, float::floor_divide),
    (Binary::FloorMod, float::floor_mod),
    (Binary::Mod, float::r#mod),
    (Binary::TruncDivide, float::trunc_divide),
    (Binary::Prelu, |a, b| if a < 0.0 { a * b } else { a }),
    (Binary::Equal, |a, b| f64::from(a == b)),
    (Binary::NotEqual, |a, b| f64::from(a != b)),
    (Binary::Less, |a, b| f64::from(a < b)),
    (Binary::LessEqual, |a, b| f64::from(a <= b)),
    (Binary::Greater, |a, b| f64::from(a > b)),
    (Binary::GreaterEqual, |a, b| f64::from(a >= b)),
];

/// How many sizes or shapes an operator is tried on.
const N_TRIALS: usize = 12;

#[test]
fn unary_operators_are_their_meaning() {
    let exact = EXACT1
        .map(|(op, meaning)| (op, Box::new(move |x: f32| meaning(f64::from(x)) as f32) as Box<dyn Fn(f32) -> f32>));
    let own = OWN1.map(|(op, meaning)| (op, Box::new(meaning) as Box<dyn Fn(f32) -> f32>));
    let mut random = Random(11);
    for (op, meaning) in exact.into_iter().chain(own) {
        for _ in 0..N_TRIALS {
            let n = random.size(1000);
            let from = random.numbers(n);
            let want: Vec<f32> = from.iter().map(|&x| meaning(x)).collect();
            let mut got = vec![7.0; n];
            unary(&op, Source::Other(&from), &mut got);
            assert_same(format_args!("{op:?}"), &got, &want);
            let mut got = from;
            unary(&op, Source::Result, &mut got);
            assert_same(format_args!("{op:?} in place"), &got, &want);
        }
    }
}

#[test]
fn binary_operators_are_their_meaning() {
    let mut random = Random(12);
    for (op, meaning) in EXACT2 {
        let meaning = |a: f32, b: f32| meaning(f64::from(a), f64::from(b)) as f32;
        for _ in 0..N_TRIALS {
            let n = random.size(1000);
            let [a, b] = [0, 1].map(|_| random.numbers(n));
            // `held` is what the result holds before.
            let check = |name: &str, [left, right]: [Source; 2], held: &[f32], want: &dyn Fn(usize) -> f32| {
                let mut got = held.to_vec();
                binary(op, left, right, &mut got);
                assert_same(format_args!("{op:?} {name}"), &got, &(0..n).map(want).collect::<Vec<_>>());
            };
            let both = |at: usize| meaning(a[at], b[at]);
            let (left, right, one) = (Source::Other(&a), Source::Other(&b), Source::Other(&[0.5]));
            check("of two", [left, right], &vec![7.0; n], &both);
            check("in place of the left", [Source::Result, right], &a, &both);
            check("in place of the right", [left, Source::Result], &b, &both);
            check("with one", [left, one], &b, &|at| meaning(a[at], 0.5));
            check("of one", [one, Source::Result], &a, &|at| meaning(0.5, a[at]));
        }
    }
}

#[test]
fn all_broadcasts_are_walked() {
    let mut random = Random(13);
    for _ in 0..2000 {
        let ([a_shape, b_shape], to) = broadcast(&mut random);
        let [a, b] = [&a_shape, &b_shape].map(|shape| random.numbers(count(shape)));
        let walk = Walk::new([&a_shape, &b_shape], &to);
        let (op, meaning) = random.pick(&EXACT2);
        let meaning = |a: f32, b: f32| meaning(f64::from(a), f64::from(b)) as f32;
        let want = map2(View::new(&a, &a_shape), View::new(&b, &b_shape), &to, meaning);
        let name = format!("{op:?} of {a_shape:?} {b_shape:?} to {to:?}");
        let mut got = vec![7.0; want.len()];
        broadcast::binary(op, &walk, [Source::Other(&a), Source::Other(&b)], &mut got);
        assert_same(&name, &got, &want);
        if a_shape == to {
            got.copy_from_slice(&a);
            broadcast::binary(op, &walk, [Source::Result, Source::Other(&b)], &mut got);
            assert_same(format_args!("{name} in place of the left"), &got, &want);
        }
        if b_shape == to {
            got.copy_from_slice(&b);
            broadcast::binary(op, &walk, [Source::Other(&a), Source::Result], &mut got);
            assert_same(format_args!("{name} in place of the right"), &got, &want);
        }
    }
}

#[test]
fn comparisons_give_bytes_and_bytes_select() {
    let mut random = Random(14);
    for _ in 0..1000 {
        let ([a_shape, b_shape, c_shape], to) = broadcast(&mut random);
        let [a, b] = [&a_shape, &b_shape].map(|shape| random.numbers(count(shape)));
        let [a_view, b_view] = [View::new(&a[..], &a_shape), View::new(&b, &b_shape)];
        let (op, meaning) = random.pick(&EXACT2[EXACT2.len() - 6..]);
        let name = format!("{op:?} of {a_shape:?} {b_shape:?} to {to:?}");
        let mut got = vec![9; count(&to)];
        compare::compare(op, &Walk::new([&a_shape, &b_shape], &to), [&a, &b], &mut got);
        let want = map2(a_view, b_view, &to, |a, b| meaning(f64::from(a), f64::from(b)) as u8);
        assert_eq!(got, want, "{name}");
        let condition: Vec<u8> = (0..count(&c_shape)).map(|_| random.below(2) as u8).collect();
        let mut selected = vec![7.0; got.len()];
        let walk = Walk::new([&c_shape, &a_shape, &b_shape], &to);
        compare::select(&condition, &a, &b, &walk, &mut selected);
        let pairs = map2(a_view, b_view, &to, |a, b| [b, a]);
        let want = map2(View::new(&condition, &c_shape), View::new(&pairs, &to), &to, |c, pair| pair[usize::from(c)]);
        assert_same(format_args!("select {c_shape:?} {name}"), &selected, &want);
        selected.fill(7.0);
        compare::select_four(&condition, &a, &b, &walk, &mut selected);
        assert_same(format_args!("select_four {c_shape:?} {name}"), &selected, &want);
    }
}

#[test]
fn conversions_are_those_of_cast() {
    let odd =
        [0.0, -0.0, 1.9, -1.9, 255.5, 256.5, -1.0, 3e9, -3e9, 1e19, 1.2e20, -1e38, f32::NAN, f32::INFINITY, f32::MIN];
    let whole = |x: f32| crate::number::float_to_int(f64::from(x));
    let mut ints = [7; 15];
    compare::to_i32(&odd, &mut ints);
    assert_eq!(ints.map(i64::from), odd.map(|x| crate::number::wrap(whole(x) as i64, 32, true)));
    let mut bytes = [7; 15];
    compare::to_u8(&odd, &mut bytes);
    assert_eq!(bytes.map(i64::from), odd.map(|x| crate::number::wrap(whole(x) as i64, 8, false)));
    compare::to_bool(&odd, &mut bytes);
    assert_eq!(bytes, odd.map(|x| u8::from(x != 0.0)));
    let mut back = [0.0; 3];
    compare::from_i32(&[-1, 16_777_217, i32::MAX], &mut back);
    assert_eq!(back, [-1.0, 16_777_216.0, 2_147_483_648.0]);
    compare::from_u8(&[0, 1, 255], &mut back);
    assert_eq!(back, [0.0, 1.0, 255.0]);
    compare::from_f64(&[0.1, 1e39, -0.0], &mut back);
    assert_same("from_f64", &back, &[0.1, f32::INFINITY, -0.0]);
    let mut wide = [0.0; 3];
    compare::to_f64(&[0.1, 1.5, f32::INFINITY], &mut wide);
    assert_eq!(wide, [f64::from(0.1_f32), 1.5, f64::INFINITY]);
}

#[test]
fn a_program_is_its_operators_one_after_the_other() {
    use program::{Place::*, Program, Step};
    let mut random = Random(15);
    for _ in 0..500 {
        let (shapes, to): ([_; 3], _) = broadcast(&mut random);
        let n = count(&to);
        let x = random.numbers(n);
        let others = [0, 1, 2].map(|at| random.numbers(count(&shapes[at])));
        // The same elements in the result's shape.
        let repeated = [0, 1, 2].map(|at| map2(View::new(&others[at], &shapes[at]), View::new(&x, &to), &to, |y, _| y));
        let walks = [&to, &shapes[0], &shapes[1], &shapes[2]].map(|shape| Walk::new([shape], &to));
        let steps = vec![
            Step::Binary { op: Binary::Add, operands: [Operand(0), Operand(1)], to: 0 },
            Step::Unary { op: Unary::Tanh, from: Register(0), to: 1 },
            Step::Binary { op: Binary::Multiply, operands: [Register(1), Operand(2)], to: 2 },
            Step::Binary { op: Binary::Less, operands: [Operand(3), Register(2)], to: 0 },
            Step::Select { operands: [Register(0), Register(2), Operand(0)], to: 1 },
            Step::Binary { op: Binary::Subtract, operands: [Constant(2.0), Register(1)], to: 0 },
        ];
        let want: Vec<f32> = (0..n)
            .map(|at| {
                let scaled = crate::math::tanh()(x[at] + repeated[0][at]) * repeated[1][at];
                2.0 - if repeated[2][at] < scaled { scaled } else { x[at] }
            })
            .collect();
        let program = Program::new(walks.to_vec(), steps).unwrap();
        let [first, second, third] = others.each_ref().map(|other| Source::Other(other));
        let mut got = vec![7.0; n];
        program.run(&[Source::Other(&x), first, second, third], &mut got, &mut vec![]);
        assert_same(format_args!("{shapes:?} to {to:?}"), &got, &want);
        let mut got = x.clone();
        program.run(&[Source::Result, first, second, third], &mut got, &mut vec![]);
        assert_same(format_args!("{shapes:?} to {to:?} in place"), &got, &want);
    }
}

/// Steps that one pass may do together, and ones that it may not, on a few registers that are overwritten at any time. The
/// second operand is one element for each row of the result, or for each place in a row.
#[test]
fn chains_of_sums_and_products_are_their_operators_one_after_the_other() {
    use program::{Place, Program, Step};
    let mut random = Random(16);
    for _ in 0..3000 {
        let most = [20, 200, 700][random.below(3)];
        let (n_rows, length) = (1 + random.below(5), random.size(most));
        let (shape, n) = ([n_rows, length], n_rows * length);
        let is_by_row = random.below(2) == 0;
        let y_shape = if is_by_row { [n_rows, 1] } else { [1, length] };
        let x = random.numbers(n);
        let given = random.numbers(y_shape.iter().product());
        let y: Vec<f32> = (0..n).map(|at| given[if is_by_row { at / length } else { at % length }]).collect();
        let mut below = |n: usize| random.below(n);
        let mut registers = [const { None::<Vec<f32>> }; 3];
        let (mut steps, mut last) = (vec![], 0);
        for _ in 0..1 + below(9) {
            let mut place = || match below(8) {
                0 => Place::Operand(0),
                1 => Place::Operand(1),
                2 => Place::Constant([0.5, -0.0, f32::NAN, f32::INFINITY][below(4)]),
                at => match [last, last, last, 0, 1].map(|at| registers[at].is_some().then_some(at))[at - 3] {
                    Some(register) => Place::Register(register),
                    None => Place::Operand(0),
                },
            };
            let places: [_; 5] = std::array::from_fn(|_| place());
            let [a, b, c, d, e] = places.map(|place| match place {
                Place::Operand(at) => [&x, &y][at].clone(),
                Place::Constant(one) => vec![one; n],
                Place::Register(at) => registers[at].clone().unwrap(),
            });
            let mut result = vec![0.0; n];
            let to = below(3);
            steps.push(match below(4) {
                0 => {
                    let op = [Unary::Abs, Unary::Relu, Unary::Negative, Unary::Sqrt][below(4)];
                    unary(&op, Source::Other(&a), &mut result);
                    Step::Unary { op, from: places[0], to }
                }
                1 => {
                    result.copy_from_slice(&a);
                    for (op, other) in
                        [(Binary::Subtract, &b), (Binary::Multiply, &c), (Binary::Multiply, &d), (Binary::Add, &e)]
                    {
                        binary(op, Source::Result, Source::Other(other), &mut result);
                    }
                    Step::Affine { operands: places, to }
                }
                _ => {
                    let op = [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Maximum][below(4)];
                    binary(op, Source::Other(&a), Source::Other(&b), &mut result);
                    Step::Binary { op, operands: [places[0], places[1]], to }
                }
            });
            registers[to] = Some(result);
            last = to;
        }
        // There are no more registers than steps.
        if steps.len() < 3 {
            continue;
        }
        let program = Program::new(vec![Walk::new([&shape], &shape), Walk::new([&y_shape], &shape)], steps.clone());
        let mut got = vec![7.0; n];
        program.unwrap().run(&[Source::Other(&x), Source::Other(&given)], &mut got, &mut vec![]);
        assert_same(format_args!("{steps:?}"), &got, registers[last].as_ref().unwrap());
    }
}

#[test]
fn a_program_reads_only_what_there_is() {
    use program::{Place, Program, Step};
    let step = |from| Step::Unary { op: Unary::Abs, from, to: 0 };
    let walk = || Walk::new([&[2]], &[2]);
    assert!(Program::new(vec![walk()], vec![]).is_none());
    assert!(Program::new(vec![walk()], vec![step(Place::Operand(1))]).is_none());
    assert!(Program::new(vec![walk()], vec![step(Place::Register(0))]).is_none());
    assert!(Program::new(vec![walk(), Walk::new([&[3]], &[3])], vec![step(Place::Operand(0))]).is_none());
    assert!(Program::new(vec![walk()], vec![step(Place::Operand(0)), step(Place::Register(0))]).is_some());
}

#[test]
fn axes_are_merged() {
    assert_eq!(Walk::new([&[2, 3, 4], &[2, 3, 4]], &[2, 3, 4]).run, 24);
    assert_eq!(Walk::new([&[2, 3, 4], &[]], &[2, 3, 4]).run, 24);
    assert_eq!(Walk::new([&[2, 3, 4], &[3, 4]], &[2, 3, 4]).run, 12);
    assert_eq!(Walk::new([&[2, 3, 4], &[2, 1, 1]], &[2, 3, 4]).run, 12);
}

#[test]
fn nan_becomes_canonical() {
    let mut odd = [f32::from_bits(0xffc0_1234), 1.0, -0.0];
    canonicalise(&mut odd);
    assert_eq!(odd.map(f32::to_bits), [0x7fc0_0000, 0x3f80_0000, 0x8000_0000]);
}
