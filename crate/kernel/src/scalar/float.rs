//! Elementwise operators on floats.
//!
//! A float16 or float32 operand is widened exactly and the answer is rounded once by the caller, so these are as good
//! as correctly rounded for the narrow dtypes; for float64 they are as good as `libm` (below one unit in the last place
//! for most functions).

pub fn abs(x: f64) -> f64 {
    x.abs()
}

pub fn acos(x: f64) -> f64 {
    libm::acos(x)
}

/// NaN below 1, where `libm` does not say so for all.
pub fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

pub fn asin(x: f64) -> f64 {
    libm::asin(x)
}

pub fn asinh(x: f64) -> f64 {
    libm::asinh(x)
}

pub fn atan(x: f64) -> f64 {
    libm::atan(x)
}

pub fn atanh(x: f64) -> f64 {
    libm::atanh(x)
}

pub fn ceil(x: f64) -> f64 {
    x.ceil()
}

pub fn copy(x: f64) -> f64 {
    x
}

pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

pub fn cosh(x: f64) -> f64 {
    libm::cosh(x)
}

pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

pub fn floor(x: f64) -> f64 {
    x.floor()
}

/// The natural logarithm.
pub fn log(x: f64) -> f64 {
    libm::log(x)
}

pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

pub fn negative(x: f64) -> f64 {
    -x
}

/// The larger of `x` and 0; NaN stays NaN.
pub fn relu(x: f64) -> f64 {
    maximum(x, 0.0)
}

/// To the nearest integer, halves away from zero.
pub fn round(x: f64) -> f64 {
    x.round()
}

pub fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// -1, 0 or 1; either zero gives +0, and NaN stays NaN.
pub fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else if x == 0.0 {
        0.0
    } else {
        x
    }
}

pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

pub fn sinh(x: f64) -> f64 {
    libm::sinh(x)
}

pub fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}

pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}

pub fn trunc(x: f64) -> f64 {
    x.trunc()
}

pub fn isnan(x: f64) -> bool {
    x.is_nan()
}

pub fn isfinite(x: f64) -> bool {
    x.is_finite()
}

pub fn isinf(x: f64) -> bool {
    x.is_infinite()
}

pub fn add(a: f64, b: f64) -> f64 {
    a + b
}

pub fn subtract(a: f64, b: f64) -> f64 {
    a - b
}

pub fn multiply(a: f64, b: f64) -> f64 {
    a * b
}

pub fn divide(a: f64, b: f64) -> f64 {
    a / b
}

/// The quotient rounded down, which goes with [`floor_mod`]: of an infinity it is NaN.
pub fn floor_divide(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if quotient != quotient.floor() || b == 0.0 {
        return quotient.floor();
    }
    let rest = libm::fmod(a, b);
    let whole = without(rest, a, b);
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { whole - 1.0 } else { whole }
}

/// The quotient of what is left of `a` without the remainder: an integer, which [`divide`] may round up to.
fn without(rest: f64, a: f64, b: f64) -> f64 {
    ((a - rest) / b).round().copysign(a / b)
}

/// The exact remainder that has the sign of `b`, as Python's `%`.
pub fn floor_mod(a: f64, b: f64) -> f64 {
    let rest = libm::fmod(a, b);
    if rest == 0.0 {
        0.0f64.copysign(b)
    } else if (rest < 0.0) != (b < 0.0) {
        rest + b
    } else {
        rest
    }
}

/// The exact remainder that has the sign of `a`, as C's `fmod`.
pub fn r#mod(a: f64, b: f64) -> f64 {
    libm::fmod(a, b)
}

/// The quotient rounded towards zero, which goes with [`trunc_mod`]: of an infinity it is NaN.
pub fn trunc_divide(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if quotient != quotient.trunc() || b == 0.0 { quotient.trunc() } else { without(libm::fmod(a, b), a, b) }
}

/// The same as `mod`.
pub fn trunc_mod(a: f64, b: f64) -> f64 {
    libm::fmod(a, b)
}

pub fn power(a: f64, b: f64) -> f64 {
    libm::pow(a, b)
}

/// The larger one, as IEEE 754-2019 `maximum`: NaN if either is NaN, and +0 is larger than -0.
pub fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || (a > b) || (a == b && a.is_sign_positive()) { a } else { b }
}

/// The smaller one, as IEEE 754-2019 `minimum`: NaN if either is NaN, and -0 is smaller than +0.
pub fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || (a < b) || (a == b && a.is_sign_negative()) { a } else { b }
}

pub fn equal(a: f64, b: f64) -> bool {
    a == b
}

pub fn not_equal(a: f64, b: f64) -> bool {
    a != b
}

pub fn less(a: f64, b: f64) -> bool {
    a < b
}

pub fn less_equal(a: f64, b: f64) -> bool {
    a <= b
}

pub fn greater(a: f64, b: f64) -> bool {
    a > b
}

pub fn greater_equal(a: f64, b: f64) -> bool {
    a >= b
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    fn close(got: f64, want: f64) {
        assert!((got - want).abs() <= 1e-15 * want.abs().max(1.0), "{got} is not {want}");
    }

    #[test]
    fn transcendental_functions_know_a_value_each() {
        let e = std::f64::consts::E;
        let pi = std::f64::consts::PI;
        close(acos(-1.0), pi);
        close(acosh(1.0), 0.0);
        close(asin(1.0), pi / 2.0);
        close(asinh(0.75), 2.0f64.ln());
        close(atan(1.0), pi / 4.0);
        close(atanh(0.6), 2.0f64.ln());
        close(cos(pi), -1.0);
        close(cosh(0.0), 1.0);
        close(erf(1.0), 0.8427007929497149);
        close(exp(1.0), e);
        close(log(e), 1.0);
        close(log2(8.0), 3.0);
        close(log10(1000.0), 3.0);
        close(sigmoid(0.0), 0.5);
        close(sin(pi / 2.0), 1.0);
        close(sinh(2.0f64.ln()), 0.75);
        close(tan(pi / 4.0), 1.0);
        close(tanh(2.0f64.ln()), 0.6);
        close(power(2.0, -2.0), 0.25);
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
    fn nan_goes_through() {
        let nan = f64::NAN;
        for result in [maximum(nan, 1.0), maximum(1.0, nan), minimum(nan, 1.0), minimum(1.0, nan), relu(nan), sign(nan)]
        {
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
}
