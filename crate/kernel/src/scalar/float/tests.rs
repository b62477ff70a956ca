//! Against double-doubles, on random arguments; and what is exact.

use super::*;
use crate::trial::double::Double;
use crate::trial::{Random, Worst};

const INF: f64 = f64::INFINITY;

/// A number of a random size from `2^least` up to `2^most`, of either sign.
fn sized(random: &mut Random, least: f64, most: f64) -> f64 {
    random.pick(&[1.0, -1.0]) * libm::exp2(random.between(least, most))
}

type Exact = fn(Double) -> (Double, i32);

/// Name, bound, function, what it is exactly (times a power of two), and where it is tried: between two numbers, and at
/// sizes up to a power of two.
type Case = (&'static str, f64, fn(f64) -> f64, Exact, [f64; 2], f64);

const CASES: [Case; 19] = [
    ("acos", 1.0, acos, |x| (x.acos(), 0), [-1.0, 1.0], 0.0),
    ("acosh", 2.0, acosh, |x| (x.acosh(), 0), [1.0, 10.0], 1000.0),
    ("asin", 1.0, asin, |x| (x.asin(), 0), [-1.0, 1.0], 0.0),
    ("asinh", 2.0, asinh, |x| (x.asinh(), 0), [-10.0, 10.0], 1000.0),
    ("atan", 1.0, atan, |x| (x.atan(), 0), [-10.0, 10.0], 900.0),
    ("atanh", 2.0, atanh, |x| (x.atanh(), 0), [-1.0, 1.0], 0.0),
    ("cos", 1.0, cos, |x| (x.sin_cos()[1], 0), [-10.0, 10.0], 30.0),
    ("cosh", 2.5, cosh, |x| (x.cosh(), 0), [-709.0, 709.0], 9.0),
    ("erf", 1.0, erf, |x| (x.erf(), 0), [-6.0, 6.0], 2.0),
    ("exp", 1.0, exp, Double::exp_scaled, [-746.0, 710.0], 9.0),
    ("log", 1.0, log, |x| (x.log(), 0), [0.1, 10.0], 1023.0),
    ("log2", 1.0, log2, |x| (x.log2(), 0), [0.1, 10.0], 1023.0),
    ("log10", 1.0, log10, |x| (x.log10(), 0), [0.1, 10.0], 1023.0),
    ("rsqrt", 1.5, rsqrt, |x| (x.rsqrt(), 0), [0.1, 10.0], 1023.0),
    ("sigmoid", 2.5, sigmoid, exact_sigmoid, [-745.0, 40.0], 9.0),
    ("sin", 1.0, sin, |x| (x.sin_cos()[0], 0), [-10.0, 10.0], 30.0),
    ("sinh", 2.0, sinh, |x| (x.sinh(), 0), [-709.0, 709.0], 9.0),
    ("tan", 1.0, tan, |x| (x.tan(), 0), [-10.0, 10.0], 30.0),
    ("tanh", 2.5, tanh, |x| (x.tanh(), 0), [-20.0, 20.0], 9.0),
];

fn exact_sigmoid(x: Double) -> (Double, i32) {
    let (power, n) = (-x.abs()).exp_scaled();
    let below = Double::from(1.0) / (power.scaled(n) + 1.0.into());
    if x.high > 0.0 { (below, 0) } else { (power * below, n) }
}

#[test]
fn functions_keep_their_bounds() {
    let mut random = Random(71);
    for (name, bound, f, exact, [low, high], most) in CASES {
        let mut worst = Worst::new(name);
        let is_positive = low > 0.0;
        for at in 0..4000 {
            let x = match at % 4 {
                0 | 1 => random.between(low, high),
                2 => sized(&mut random, -20.0, most.min(20.0)),
                _ => sized(&mut random, if is_positive { -most } else { -900.0 }, most),
            };
            let x = if is_positive { x.abs() } else { x };
            // What begins at 1, and what is over before its sizes are.
            if name == "acosh" && x < 1.0 || (low < 0.0 && most < 10.0 && !(low..=high).contains(&x)) {
                continue;
            }
            let (want, n) = exact(x.into());
            worst.see(want.ulps(n, f(x)), format_args!("at {x:e}"));
        }
        worst.assert_within(bound);
    }
}

#[test]
fn powers_keep_their_bound() {
    let mut random = Random(72);
    let mut worst = Worst::new("power");
    for at in 0..20_000 {
        let (a, b) = match at % 4 {
            0 => (sized(&mut random, -1000.0, 1000.0).abs(), sized(&mut random, -20.0, 0.0)),
            1 => (1.0 + sized(&mut random, -52.0, -1.0), sized(&mut random, -10.0, 64.0)),
            2 => (-random.between(0.1, 100.0), random.between(-100.0, 100.0).round()),
            _ => (random.between(0.01, 100.0), random.between(-20.0, 20.0)),
        };
        let exponent = Double::from(a).abs().log() * b.into();
        if exponent.high.abs() < 744.0 {
            let (want, n) = exponent.exp_scaled();
            let want = if a < 0.0 && b % 2.0 != 0.0 { -want } else { want };
            worst.see(want.ulps(n, power(a, b)), format_args!("at {a:e}, {b:e}"));
        }
    }
    worst.assert_within(1.5);
}

/// What mpmath says of arguments that are many turns.
#[test]
fn large_arguments_keep_their_remainder() {
    for [x, want_sin, want_cos, want_tan] in [
        [1e+22, -0.8522008497671888, 0.523214785395139, -1.6287782256068988],
        [1.7e+308, -0.5952560848632077, 0.803536056087918, -0.7407957369844252],
        [123456789012345.6, -0.04805526586545427, 0.9988446783272165, -0.048110849372430264],
        [5000000000.0, 0.2518733583799049, -0.9677602034277024, -0.2602642240172685],
        [-1.2676506002282294e+30, 0.8721836054182673, 0.48917865697472146, 1.782955149376719],
        [5.319372648326541e+255, 1.0, -4.687165924254628e-19, -2.133485385753704e+18],
    ] {
        for (got, want) in [sin(x), cos(x), tan(x)].into_iter().zip([want_sin, want_cos, want_tan]) {
            assert!((got - want).abs() <= f64::EPSILON * want.abs(), "{x}: {got}, not {want}");
        }
    }
}

#[test]
fn exact_functions() {
    assert_eq!([abs(-1.5), negative(1.5), copy(1.5)], [1.5, -1.5, 1.5]);
    assert_eq!([ceil(-1.5), floor(-1.5), trunc(-1.5)], [-1.0, -2.0, -1.0]);
    assert_eq!([sqrt(9.0), rsqrt(4.0)], [3.0, 0.5]);
    assert_eq!([add(1.0, 2.0), subtract(1.0, 2.0), multiply(3.0, 2.0), divide(3.0, 2.0)], [3.0, -1.0, 6.0, 1.5]);
}

#[test]
fn round_takes_halves_away_from_zero() {
    assert_eq!([0.5, 1.5, 2.5, -0.5, -2.5].map(round), [1.0, 2.0, 3.0, -1.0, -3.0]);
    assert_eq!(round(0.49999999999999994), 0.0);
}

#[test]
fn the_ends_of_the_line() {
    // Next to 1, to as much as there is.
    let next = 1.0 + f64::EPSILON;
    assert_eq!([1e10, 1e18, 1e19, 1e25, INF].map(|b| power(next, b) == INF), [false, false, true, true, true]);
    assert_eq!([1e18, 1e19, 1e25, INF].map(|b| power(next, -b) == 0.0), [false, true, true, true]);
    assert_eq!([1e10, 1e19, INF].map(|b| power(1.0, b)), [1.0; 3]);
    assert_eq!([exp(-INF), exp(INF), tanh(INF), tanh(-INF)], [0.0, INF, 1.0, -1.0]);
    assert_eq!([sigmoid(-INF), sigmoid(INF), sigmoid(-1000.0)], [0.0, 1.0, 0.0]);
    assert_eq!([log(0.0), divide(1.0, 0.0), rsqrt(0.0)], [-INF, INF, INF]);
    for nan in [log(-1.0), sqrt(-1.0), acos(2.0), divide(0.0, 0.0), r#mod(1.0, 0.0), floor_mod(1.0, 0.0)] {
        assert!(nan.is_nan());
    }
}

#[test]
fn division_rounds_down_or_towards_zero() {
    let pairs = [(7.0, 2.0), (-7.0, 2.0), (7.0, -2.0), (-7.0, -2.0)];
    assert_eq!(pairs.map(|(a, b)| floor_divide(a, b)), [3.0, -4.0, -4.0, 3.0]);
    assert_eq!(pairs.map(|(a, b)| floor_mod(a, b)), [1.0, 1.0, -1.0, -1.0]);
    assert_eq!(pairs.map(|(a, b)| trunc_divide(a, b)), [3.0, -3.0, -3.0, 3.0]);
    assert_eq!(pairs.map(|(a, b)| trunc_mod(a, b)), [1.0, -1.0, 1.0, -1.0]);
    assert_eq!(pairs.map(|(a, b)| r#mod(a, b)), [1.0, -1.0, 1.0, -1.0]);
    assert_eq!(floor_mod(1.0, INF), 1.0);
    assert!(floor_mod(4.0, -2.0).is_sign_negative());
}

/// What NumPy 2.4 answers: quotient and remainder rounded down.
#[test]
fn a_quotient_goes_with_its_remainder() {
    let tiny = f64::from_bits(1);
    let answers = [
        ([1.0, 0.1], [9.0, 0.09999999999999995]),
        ([-1.0, 0.1], [-10.0, 5.551115123125783e-17]),
        ([3.0, 0.1], [29.0, 0.09999999999999984]),
        ([-3.0, 0.3], [-11.0, 0.2999999999999999]),
        ([1.0, -INF], [-1.0, -INF]),
        ([-1.0, INF], [-1.0, INF]),
        ([-1.0, -INF], [0.0, -1.0]),
        ([0.0, -INF], [-0.0, -0.0]),
        ([-0.0, 1.0], [-0.0, 0.0]),
        ([0.0, -1.0], [-0.0, -0.0]),
        ([-tiny, 1e300], [-1.0, 1e300]),
        ([tiny, 1e300], [0.0, tiny]),
        ([1e300, tiny], [INF, 0.0]),
        ([1e16, -7.0], [-1428571428571429.0, -3.0]),
        ([INF, 1.0], [f64::NAN; 2]),
        ([-INF, -INF], [f64::NAN; 2]),
        ([1.0, f64::NAN], [f64::NAN; 2]),
        ([1.0, 0.0], [INF, f64::NAN]),
        ([1.0, -0.0], [-INF, f64::NAN]),
        ([0.0, 0.0], [f64::NAN; 2]),
    ];
    for ([a, b], want) in answers {
        for (got, want) in [floor_divide(a, b), floor_mod(a, b)].into_iter().zip(want) {
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{a} by {b}: {got}");
        }
    }
    // Rounded towards zero, NumPy has none.
    assert_eq!([1.0, -1.0, 0.25].map(|a| trunc_divide(a, 0.1)), [9.0, -9.0, 2.0]);
    assert!(trunc_divide(-1.0, INF).is_sign_negative() && trunc_divide(INF, 2.0).is_nan());
}

#[test]
fn a_rest_is_exact_however_it_is_found() {
    let mut random = Random(11);
    let special =
        [0.0, -0.0, 1.0, -1.0, INF, -INF, f64::NAN, f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), 134_217_728.0];
    for trial in 0..200_000 {
        let mut number = |of: usize| match of % 5 {
            0 => sized(&mut random, -3.0, 30.0),
            1 => f64::from(sized(&mut random, -3.0, 12.0) as f32),
            2 => f64::from(sized(&mut random, -140.0, 120.0) as f32),
            3 => random.pick(&special),
            _ => random.between(-40.0, 40.0).round(),
        };
        let b = number(trial / 5);
        // Half of the numbers are next to a multiple.
        let multiple = b * number(4);
        let a = match trial % 2 {
            0 => number(trial),
            _ => random.pick(&[multiple, multiple.next_up(), multiple.next_down()]),
        };
        let (got, want) = (rest(a, b), libm::fmod(a, b));
        assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{a:?} by {b:?}: {got:?}, {want:?}");
    }
}

#[test]
fn nan_goes_through() {
    let nan = f64::NAN;
    for result in [maximum(nan, 1.0), maximum(1.0, nan), minimum(nan, 1.0), minimum(1.0, nan), relu(nan), sign(nan)] {
        assert!(result.is_nan());
    }
    assert!(!equal(nan, nan) && not_equal(nan, nan) && !less(nan, 1.0) && !greater_equal(nan, 1.0));
}

#[test]
fn zeros_are_ordered_by_sign() {
    assert!(maximum(-0.0, 0.0).is_sign_positive() && maximum(0.0, -0.0).is_sign_positive());
    assert!(minimum(-0.0, 0.0).is_sign_negative() && minimum(0.0, -0.0).is_sign_negative());
    assert!(relu(-0.0).is_sign_positive() && sign(-0.0).is_sign_positive());
    assert_eq!([maximum(1.0, 2.0), minimum(1.0, 2.0), relu(-3.0), relu(3.0)], [2.0, 1.0, 0.0, 3.0]);
    assert_eq!([sign(-3.0), sign(INF)], [-1.0, 1.0]);
}

#[test]
fn comparisons_and_classes() {
    assert!(equal(0.0, -0.0) && less(1.0, 2.0) && less_equal(2.0, 2.0));
    assert!(greater(2.0, 1.0) && greater_equal(2.0, 2.0) && not_equal(1.0, 2.0));
    assert_eq!([f64::NAN, INF, -INF, 1.0].map(isnan), [true, false, false, false]);
    assert_eq!([f64::NAN, INF, -INF, 1.0].map(isinf), [false, true, true, false]);
    assert_eq!([f64::NAN, INF, -INF, 1.0].map(isfinite), [false, false, false, true]);
}
