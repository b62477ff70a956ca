//! Elementwise operators on floats.
//!
//! A float16 or float32 operand is widened exactly and the answer is rounded once by the caller, so these are as good
//! as correctly rounded for the narrow dtypes. For float64 they are those of `libm`, and the tests hold them to these
//! units in the last place of the exact result, on random arguments of all sizes, against 100 bits:
//!
//! | function | largest error |
//! |---|---|
//! | [`acos`], [`asin`], [`atan`], [`cos`], [`erf`], [`exp`], [`log`], [`log2`], [`log10`], [`sin`], [`tan`] | 1 |
//! | [`power`], [`rsqrt`] | 1.5 |
//! | [`acosh`], [`asinh`], [`atanh`], [`sinh`] | 2 |
//! | [`cosh`], [`sigmoid`], [`tanh`] | 2.5 |
//!
//! The others are exact, or rounded once ([`sqrt`], sums, products, quotients).

#[cfg(test)]
mod tests;

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

/// By a power that does not overflow, so that it is never 0 too soon.
pub fn sigmoid(x: f64) -> f64 {
    let power = libm::exp(-x.abs());
    (if x < 0.0 { power } else { 1.0 }) / (1.0 + power)
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

/// Out of line: where it is seen to be a root, LLVM takes the NaN that is put in the place of its NaN for the same, and
/// leaves that of the processor, whose sign is another.
#[inline(never)]
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

/// The PReLU of K. He et al., "Delving deep into rectifiers", 2015: below zero, the number times the slope.
pub fn prelu(x: f64, slope: f64) -> f64 {
    if x < 0.0 { x * slope } else { x }
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
    let rest = rest(a, b);
    let whole = without(rest, a, b);
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { whole - 1.0 } else { whole }
}

/// The quotient of what is left of `a` without the remainder: an integer, which [`divide`] may round up to.
fn without(rest: f64, a: f64, b: f64) -> f64 {
    if rest == 0.0 {
        return a / b;
    }
    ((a - rest) / b).round().copysign(a / b)
}

/// The exact remainder that has the sign of `a`: at once where the quotient has at most 27 bits and `b` at most 25, as all
/// of `float32`, so that their product is exact and what it leaves of `a` too.
fn rest(a: f64, b: f64) -> f64 {
    let quotient = (a / b).trunc();
    if !(quotient.abs() < 134_217_728.0 && b.to_bits() << 36 == 0) {
        return libm::fmod(a, b);
    }
    if quotient == 0.0 {
        return a;
    }
    let rest = a - quotient * b;
    // The quotient may have been rounded up to an integer.
    let rest = if rest != 0.0 && (rest < 0.0) != (a < 0.0) { rest + b.copysign(a) } else { rest };
    rest.copysign(a)
}

/// The exact remainder that has the sign of `b`, as Python's `%`.
pub fn floor_mod(a: f64, b: f64) -> f64 {
    let rest = rest(a, b);
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
    rest(a, b)
}

/// The quotient rounded towards zero, which goes with [`trunc_mod`]: of an infinity it is NaN.
pub fn trunc_divide(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if quotient != quotient.trunc() || b == 0.0 { quotient.trunc() } else { without(rest(a, b), a, b) }
}

/// The same as `mod`.
pub fn trunc_mod(a: f64, b: f64) -> f64 {
    rest(a, b)
}

/// Next to 1 and to more than 2³¹, `libm` rounds the logarithm, which then counts hundreds of units: there it is made of
/// `t = a - 1`, and what a rounding loses is kept.
pub fn power(a: f64, b: f64) -> f64 {
    let (t, size) = (a - 1.0, b.abs());
    // From 2⁶⁴ on, the result is as large or as small as it gets.
    if !(t.abs() < 1.0 / 1_048_576.0 && size > 2_147_483_648.0 && size < 18_446_744_073_709_551_616.0) {
        return libm::pow(a, b);
    }
    // 19 bits of `b` times the 33 of `t`.
    let most = f64::from_bits(b.to_bits() & !0x3_ffff_ffff);
    let product = most * t;
    let rest = (b - most) * t - b * (t * t * (0.5 - t * (1.0 / 3.0 - t * 0.25)));
    let exponent = product + rest;
    let power = libm::exp(exponent);
    if power.is_finite() { power + power * ((product - exponent) + rest) } else { power }
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
