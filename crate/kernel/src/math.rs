//! Transcendental functions of float32, written once for one lane and for four.
//!
//! Errors are in units in the last place (ulp) of the exact result, the largest over a dense sweep of all exponents
//! against `libm` in float64; the tests hold them to these bounds. Special values are those of C: NaN, infinities,
//! zeros with their sign, overflow to infinity and gradual underflow.
//!
//! | function | largest error | how |
//! |---|---|---|
//! | [`exp`] | 1.25 | `2^n · e^r`, polynomial of degree 6 |
//! | [`log`] | 1 | `n·ln 2 + ln(1 + f)`, degree 11 |
//! | [`tanh`] | 2.5 | `(e^2x - 1) / (e^2x + 1)`, without cancellation |
//! | [`sigmoid`] | 3.5 | `e^x / (1 + e^x)` |
//! | [`erf`] | 2 | a polynomial up to 1, then `1 - e^q(x)` |
//! | [`sin`], [`cos`] | 1.75 | remainder by π/2 in float64; beyond 2¹⁶ through `libm` |
//! | [`tan`] | 3 | a quotient of the two |
//! | [`rsqrt`] | 1.5 | `1 / sqrt(x)`, both correctly rounded |
//!
//! The others (`acos`, `acosh`, `asin`, `asinh`, `atan`, `atanh`, `cosh`, `log2`, `log10`, `sinh`, `power`) are
//! computed in float64 by [`crate::scalar::float`], one by one, and rounded once: half an ulp and a hair.
//!
//! ```
//! use kernel::{lanes::{F32x4, Lanes}, math};
//! assert_eq!(math::exp(0.0_f32), 1.0);
//! assert_eq!(math::exp(F32x4::splat(f32::NEG_INFINITY)).to_array(), [0.0; 4]);
//! ```

mod trigonometry;

pub use trigonometry::{cos, sin, tan};

use crate::lanes::Lanes;

#[cfg(test)]
mod tests;

/// 1.5 · 2²³: a float added to it is rounded to an integer, which lies in the low bits of the sum.
const MAGIC: f32 = 12_582_912.0;
const SIGN: u32 = 0x8000_0000;

/// ln 2 in two parts, the first of 15 bits, so that its product with an exponent is exact.
const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];

/// `e^r = 1 + r + r²·(…)` for `|r| <= ln 2 / 2`, within 2^-28 of itself; minimax.
const EXP: [f32; 5] = [0.499_999_94, 0.166_665_15, 0.041_668_084, 0.008_369_348, 0.001_384_036_7];

/// The same within 2^-23, for what need not be better.
const SHORT_EXP: [f32; 4] = [0.499_992_25, 0.166_671_29, 0.041_891_254, 0.008_311_356];

/// `ln(1 + f) = f - f²/2 + f³·(…)` for `1 + f` between the roots of 1/2 and 2.
const LOG: [f32; 9] = [
    0.333_333_13,
    -0.250_001_7,
    0.200_022_25,
    -0.166_592_15,
    0.142_094_27,
    -0.125_490_41,
    0.121_171_52,
    -0.109_174_915,
    0.052_725_878,
];

/// `erf(x) = x + x·(…)(x²)` up to 1.
const ERF: [f32; 7] =
    [0.128_379_17, -0.376_126_26, 0.112_835_79, -0.026_853_347, 0.005_187_162, -0.000_799_785_3, 7.806_903e-5];

/// `ln(1 - erf(x))` from 1 on, as good as the difference from 1 asks for.
const ERF_TAIL: [f32; 7] =
    [-0.000_339_407_5, -1.127_097_5, -0.638_131_56, -0.103_117_83, 0.021_843_145, -0.002_948_872, 0.000_186_497_1];

/// The value of a polynomial with `N >= 2` coefficients, from the lowest power on: Horner's rule in `x²` for the even and
/// the odd powers, two short chains instead of a long one.
#[inline(always)]
fn polynomial<L: Lanes, const N: usize>(x: L, coefficients: [f32; N]) -> L {
    let square = x * x;
    let mut halves = [L::splat(coefficients[N - 2]), L::splat(coefficients[N - 1])];
    for power in (0..N - 2).rev() {
        let half = &mut halves[(N - power) % 2];
        *half = half.mul_add(square, L::splat(coefficients[power]));
    }
    let [even, odd] = if N.is_multiple_of(2) { halves } else { [halves[1], halves[0]] };
    odd.mul_add(x, even)
}

/// `x = n·ln 2 + r`: the sum of `magic` and the integer `n`, and `r`. `magic` is [`MAGIC`] and an offset, which stays
/// in the low bits.
#[inline(always)]
fn exponent_and_rest<L: Lanes>(x: L, magic: f32) -> (L, L) {
    let sum = x.mul_add(L::splat(std::f32::consts::LOG2_E), L::splat(magic));
    let n = sum - L::splat(magic);
    let rest = n.mul_add(L::splat(-LN_2[0]), x);
    (sum, n.mul_add(L::splat(-LN_2[1]), rest))
}

/// `e^r - 1` for `|r| <= ln 2 / 2`.
#[inline(always)]
fn small_power<L: Lanes>(r: L) -> L {
    let square = r * r;
    let low = r.mul_add(L::splat(EXP[1]), L::splat(EXP[0]));
    let high = square.mul_add(L::splat(EXP[4]), r.mul_add(L::splat(EXP[3]), L::splat(EXP[2])));
    high.mul_add(square, low).mul_add(square, r)
}

/// 2 to the power of the low bits of `sum`, from -126 to 127.
#[inline(always)]
fn power_of_two<L: Lanes>(sum: L) -> L {
    sum.shift_left::<23>().add_bits(L::splat(1.0))
}

/// `e^x · 2^offset` within 2.5 ulp, where `magic` is [`MAGIC`] and that offset, as long as the exponent stays between
/// -126 and 127.
#[inline(always)]
pub(crate) fn shifted_exp<L: Lanes>(x: L, magic: f32) -> L {
    let (sum, r) = exponent_and_rest(x, magic);
    let square = r * r;
    let low = r.mul_add(L::splat(SHORT_EXP[1]), L::splat(SHORT_EXP[0]));
    let high = r.mul_add(L::splat(SHORT_EXP[3]), L::splat(SHORT_EXP[2]));
    let power = high.mul_add(square, low).mul_add(square, r);
    (power + L::splat(1.0)) * power_of_two(sum)
}

/// The offset of [`shifted_exp`] that lets it serve from -104 to 18, and its factor.
pub(crate) const SHIFTED: f32 = MAGIC + 63.0;
pub(crate) const SHIFT: f32 = 9_223_372_036_854_775_808.0;

/// Where `e^x` rounds to zero.
pub(crate) const EXP_IS_ZERO: f32 = -104.0;

/// e to the power of `x`.
#[inline(always)]
pub fn exp<L: Lanes>(x: L) -> L {
    let x = x.pmax(L::splat(EXP_IS_ZERO)).pmin(L::splat(89.0));
    let (sum, r) = exponent_and_rest(x, MAGIC);
    let power = small_power(r) + L::splat(1.0);
    // The exponent may be out of range where its halves are not; the second product rounds, or overflows.
    let half = sum.shift_right::<1>();
    power * power_of_two(half) * power_of_two(sum.sub_bits(half))
}

/// The natural logarithm.
#[inline(always)]
pub fn log<L: Lanes>(x: L) -> L {
    let is_tiny = x.less(L::splat(f32::MIN_POSITIVE));
    let scaled = is_tiny.select(x * L::splat(16_777_216.0), x);
    // From the root of 1/2 up to that of 2 the exponent is 0.
    let exponent = scaled.sub_bits(L::splat(std::f32::consts::FRAC_1_SQRT_2)).shift_right::<23>();
    let f = scaled.sub_bits(exponent.shift_left::<23>()) - L::splat(1.0);
    let n = exponent.bits_to_float() - is_tiny.and(L::splat(24.0));
    let square = f * f;
    let rest = (polynomial(f, LOG) * f).mul_add(square, n * L::splat(LN_2[1]));
    let rest = square.mul_add(L::splat(-0.5), rest) + f;
    let result = n.mul_add(L::splat(LN_2[0]), rest);
    let infinity = L::splat(f32::INFINITY);
    let at_ends = x.equal(infinity).select(infinity, x.equal(L::splat(0.0)).select(-infinity, L::splat(f32::NAN)));
    let is_inside = L::splat(0.0).less(x).and(x.less(infinity));
    is_inside.select(result, at_ends)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh<L: Lanes>(x: L) -> L {
    let double = (x + x).abs().pmin(L::splat(18.5));
    let (sum, r) = exponent_and_rest(double, MAGIC);
    let scale = power_of_two(sum);
    let power = small_power(r).mul_add(scale, scale - L::splat(1.0));
    (power / (power + L::splat(2.0))).or(x.and(L::splat_bits(SIGN)))
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub fn sigmoid<L: Lanes>(x: L) -> L {
    let x = x.pmax(L::splat(EXP_IS_ZERO)).pmin(L::splat(18.0));
    let power = shifted_exp(x, SHIFTED);
    power / (power + L::splat(SHIFT))
}

/// The error function, `2/√π` times the integral of `e^-t²` from 0 to `x`.
#[inline(always)]
pub fn erf<L: Lanes>(x: L) -> L {
    let size = x.abs();
    let near = polynomial(x * x, ERF).mul_add(x, x);
    let bounded = size.pmin(L::splat(4.0));
    let tail = shifted_exp(polynomial(bounded, ERF_TAIL), MAGIC);
    let far = (L::splat(1.0) - tail).or(x.and(L::splat_bits(SIGN)));
    L::splat(1.0).less(size).select(far, near)
}

/// One over the square root.
#[inline(always)]
pub fn rsqrt<L: Lanes>(x: L) -> L {
    L::splat(1.0) / x.sqrt()
}

/// Zero where `x` is negative or either zero; NaN stays NaN.
#[inline(always)]
pub fn relu<L: Lanes>(x: L) -> L {
    x.pmax(L::splat(0.0)) + L::splat(0.0)
}

/// To the nearest integer, halves away from zero.
#[inline(always)]
pub fn round<L: Lanes>(x: L) -> L {
    let whole = x.trunc();
    let one = L::splat(1.0).or(x.and(L::splat_bits(SIGN)));
    L::splat(0.5).less_equal((x - whole).abs()).select(whole + one, whole)
}

/// -1, 0 or 1; either zero gives +0, and NaN stays NaN.
#[inline(always)]
pub fn sign<L: Lanes>(x: L) -> L {
    let one = L::splat(1.0).or(x.and(L::splat_bits(SIGN)));
    let size = x.abs();
    L::splat(0.0).less(size).select(one, size)
}
