//! Every function against `libm` in float64, on every exponent; and one lane against four.

use super::*;
use crate::lanes::F32x4;
use crate::scalar::float;
use crate::trial::{Worst, ulps};

/// Bit patterns from all over float32: all of them at a stride, a few hundred thousand, or with `RELISH_SOAK` set every
/// 61st; and the odd ones.
fn sweep() -> impl Iterator<Item = f32> {
    let stride = if std::env::var_os("RELISH_SOAK").is_some() { 61 } else { 14_657 };
    let odd =
        [0, 1, 0x007f_ffff, 0x0080_0000, 0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001, 0x7fff_ffff];
    let odd = odd.into_iter().flat_map(|bits: u32| [bits, bits | SIGN]);
    (0..=u32::MAX).step_by(stride).chain(odd).map(f32::from_bits)
}

fn check(
    name: &str,
    bound: f64,
    one: impl Fn(f32) -> f32,
    four: impl Fn(F32x4) -> F32x4,
    want: fn(f64) -> f64,
    more: impl Iterator<Item = f32>,
) {
    let mut worst = (0.0, 0.0);
    let mut group = [0.0; 4];
    for (at, x) in sweep().chain(more).enumerate() {
        let got = one(x);
        let error = ulps(got, want(f64::from(x)));
        if error > worst.0 {
            worst = (error, x);
        }
        group[at % 4] = x;
        if at % 4 == 3 {
            for (x, got) in group.into_iter().zip(four(F32x4::from_array(group)).to_array()) {
                let want = one(x);
                assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{name}({x}): {got}, {want}");
            }
        }
    }
    println!("{name}: {:.3} ulp at {:e}", worst.0, worst.1);
    assert!(worst.0 <= bound, "{name}({:e}) is {:e}: off by {} ulp", worst.1, one(worst.1), worst.0);
}

/// Evenly between two numbers.
fn between(low: f32, high: f32) -> impl Iterator<Item = f32> {
    (0..300_000).map(move |step| low + (high - low) * (step as f32 / 300_000.0))
}

#[test]
fn exponentials() {
    check("exp", 1.25, exp(), exp(), float::exp, between(-105.0, 90.0));
    check("tanh", 6.0, tanh(), tanh(), float::tanh, between(-10.0, 10.0));
    check("sigmoid", 3.5, sigmoid(), sigmoid(), float::sigmoid, between(-105.0, 20.0));
    check("erf", 2.0, erf(), erf(), float::erf, between(-4.5, 4.5));
}

#[test]
fn a_hyperbolic_tangent_is_odd_and_never_above_one() {
    let tanh = tanh();
    for x in sweep().chain(between(0.0, 10.0)).filter(|x| !x.is_nan()) {
        let result: f32 = tanh(x);
        assert!(result.abs() <= 1.0, "{x}: {result}");
        assert_eq!(tanh(-x).to_bits(), (-result).to_bits(), "{x}");
    }
    assert!([9.2, 1e30, f32::INFINITY].into_iter().all(|x| tanh(x) == 1.0));
}

#[test]
fn logarithms_and_roots() {
    check("log", 1.0, log(), log(), float::log, between(0.2, 4.0));
    check("rsqrt", 1.5, rsqrt, rsqrt, float::rsqrt, between(0.2, 4.0));
}

#[test]
fn trigonometry() {
    // The floats next to multiples of a quarter turn, where the remainder is smallest.
    let next_to = |step: f64| (0..300_000).map(move |n| (f64::from(n) * step * std::f64::consts::FRAC_PI_2) as f32);
    let turns = || next_to(5.0).chain(next_to(37.0)).flat_map(|x| [x, -x]);
    check("sin", 1.75, sin(), sin(), float::sin, turns().chain(between(-7.0, 7.0)));
    check("cos", 1.75, cos(), cos(), float::cos, turns().chain(between(-7.0, 7.0)));
}

/// The layer of that name, operator by operator, where twice its argument is finite.
#[test]
fn powers() {
    let mut state = 9_u64;
    let mut bits = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    let mut worst = (0.0, 0.0, 0.0);
    let odd = [0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, 1e-45, 3e38, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    for round in 0..400_000 {
        let number = |bits: u32| match round % 4 {
            0 => f32::from_bits(bits),
            1 => odd[bits as usize % odd.len()],
            // Near 1, and not so large.
            2 => 1.0 + (bits as i32 as f32) * 2e-11,
            _ => (bits as i32 as f32) * 1e-8,
        };
        let x: [f32; 4] = std::array::from_fn(|_| number(bits()));
        let y: [f32; 4] = std::array::from_fn(|lane| match bits() % 3 {
            0 => f32::from_bits(bits()),
            // What comes to a number of 32 bits.
            1 => (bits() as i32 as f32) * 6e-8 / x[lane].abs().log2().abs().max(1e-6),
            _ => odd[bits() as usize % odd.len()],
        });
        let four = power(F32x4::from_array(x), F32x4::from_array(y)).to_array();
        for lane in 0..4 {
            let (x, y) = (x[lane], y[lane]);
            let (got, want) = (power(x, y), float::power(x.into(), y.into()));
            assert!(got.to_bits() == four[lane].to_bits() || got.is_nan() && four[lane].is_nan(), "{x:e} ^ {y:e}");
            assert!(got.is_nan() == want.is_nan(), "{x:e} ^ {y:e} is {got}, not {want}");
            assert!(want != 0.0 || got.to_bits() == (want as f32).to_bits(), "{x:e} ^ {y:e} is {got}, not {want}");
            let error = ulps(got, want);
            if error > worst.0 {
                worst = (error, x, y);
            }
        }
    }
    println!("power: {:.3} ulp at {:e} ^ {:e}", worst.0, worst.1, worst.2);
    assert!(worst.0 <= 0.55, "{:e} ^ {:e} is off by {} ulp", worst.1, worst.2, worst.0);
}

#[test]
fn a_gelu_is_near_for_the_size_of_its_argument() {
    let (erf, mut worst) = (erf(), Worst::new("gelu"));
    for x in sweep().chain(between(-8.0, 8.0)).filter(|x| x.abs() < 1e38 && x.abs() > 1e-30) {
        let got = (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2)) * x * 0.5;
        // One less the error function, where it is near 1.
        let want = f64::from(x) * libm::erfc(f64::from(-x) * std::f64::consts::FRAC_1_SQRT_2) * 0.5;
        worst.see((f64::from(got) - want).abs() / f64::from(x.abs()) * f64::powi(2.0, 24), x);
    }
    worst.assert_within(4.0);
}

#[test]
fn exact_functions() {
    check("relu", 0.0, relu, relu, float::relu, between(-2.0, 2.0));
    check("sign", 0.0, sign, sign, float::sign, between(-2.0, 2.0));
    check("round", 0.0, round, round, float::round, (-4000..4000).map(|x| x as f32 / 8.0));
}

#[test]
fn known_values_are_rounded_correctly() {
    assert_eq!([exp()(0.0), exp()(1.0), exp()(-1.0)], [1.0, std::f32::consts::E, 0.36787945]);
    assert_eq!([log()(1.0), log()(2.0)], [0.0, std::f32::consts::LN_2]);
    assert_eq!(
        [tanh()(0.0), tanh()(10.0), sigmoid()(0.0), sigmoid()(1.0), erf()(1.0)],
        [0.0, 1.0, 0.5, 0.7310586, 0.8427008]
    );
    assert_eq!([sin()(0.5), cos()(1.0), sin()(0.0), cos()(0.0)], [0.47942555, 0.5403023, 0.0, 1.0]);
    for zero in [tanh()(-0.0_f32), erf()(-0.0), sin()(-0.0), round(-0.3)] {
        assert_eq!(zero.to_bits(), SIGN);
    }
}
