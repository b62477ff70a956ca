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
//! | [`tanh`] | 6 | a quotient of polynomials of degrees 9 and 8 |
//! | [`sigmoid`] | 3.5 | `e^x / (1 + e^x)` |
//! | [`erf`] | 2 | a polynomial up to 1, then `1 - e^q(x)` |
//! | [`sin`], [`cos`] | 1.75 | remainder by π/2 in float64; beyond 2¹⁶ through `libm` |
//! | [`power`] | 0.55 | `2^(y · log₂ x)` in float64 |
//! | [`rsqrt`] | 1.5 | `1 / sqrt(x)`, both correctly rounded |
//!
//! The others (`acos`, `acosh`, `asin`, `asinh`, `atan`, `atanh`, `cosh`, `log2`, `log10`, `sinh`, `tan`)
//! are computed in float64 by [`crate::scalar::float`], one by one, and rounded once: half an ulp and a hair.
//!
//! A GELU is made of these, `x · (1 + erf(x / √2)) / 2`, and off by at most `4 · 2⁻²⁴ · abs(x)`.
//!
//! What needs many numbers is made of them before it is applied: `exp()` is the function. A loop makes it once, so that
//! the numbers are at hand in each round ([`Lanes::constants`]).
//!
//! ```
//! use kernel::{lanes::{F32x4, Lanes}, math};
//! assert_eq!(math::exp()(0.0_f32), 1.0);
//! assert_eq!(math::exp()(F32x4::splat(f32::NEG_INFINITY)).to_array(), [0.0; 4]);
//! ```

mod power;
mod trigonometry;

pub use power::power;
pub use trigonometry::{cos, sin};

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

/// The quotient of `1 + …` of these in `x²` is `tanh(x) / x` up to [`TANH_END`], within 2^-25.6 of itself; of the
/// minimax coefficients' neighbours, those whose roundings add up to least.
const TANH_ABOVE: [f32; 4] = [0.133_904_25, 0.003_506_668_8, 2.078_855_1e-5, 1.359_857_3e-8];
const TANH_BELOW: [f32; 4] = [0.467_237_44, 0.025_919_348, 0.000_330_362_67, 7.877_366_7e-7];
const TANH_END: f32 = 8.9;

/// `erf(x) = x + x·(…)(x²)` up to 1.
const ERF: [f32; 7] =
    [0.128_379_17, -0.376_126_26, 0.112_835_79, -0.026_853_347, 0.005_187_162, -0.000_799_785_3, 7.806_903e-5];

/// `ln(1 - erf(x))` from 1 on, as good as the difference from 1 asks for.
const ERF_TAIL: [f32; 7] =
    [-0.000_339_407_5, -1.127_097_5, -0.638_131_56, -0.103_117_83, 0.021_843_145, -0.002_948_872, 0.000_186_497_1];

/// The value of a polynomial with `N >= 2` coefficients, from the lowest power on: Horner's rule in `x²` for the even
/// and the odd powers, two short chains instead of a long one.
#[inline(always)]
fn polynomial<L: Lanes, const N: usize>(x: L, coefficients: [L; N]) -> L {
    let square = x * x;
    let mut halves = [coefficients[N - 2], coefficients[N - 1]];
    for power in (0..N - 2).rev() {
        let half = &mut halves[(N - power) % 2];
        *half = half.mul_add(square, coefficients[power]);
    }
    let [even, odd] = if N.is_multiple_of(2) { halves } else { [halves[1], halves[0]] };
    odd.mul_add(x, even)
}

/// What a power of e is made of: `x = n·ln 2 + r`, and `e^x = 2^n · e^r`.
#[derive(Clone, Copy)]
struct Powers<L> {
    log2_e: L,
    /// [`MAGIC`] and an offset, which stays in the low bits.
    magic: L,
    minus_ln_2: [L; 2],
}

/// The numbers of [`Powers`] with an offset.
const fn powers(offset: f32) -> [f32; 4] {
    [std::f32::consts::LOG2_E, MAGIC + offset, -LN_2[0], -LN_2[1]]
}

/// What is added to an exponent where a float stores it.
const BIAS: f32 = 127.0;
const PLAIN: [f32; 4] = powers(BIAS);
/// That of two factors of a power.
const OF_HALVES: [f32; 4] = powers(2.0 * BIAS);
/// With the offset of [`shifted_exp`] that lets it serve from -104 to 18, and its factor.
pub(crate) const SHIFTED: [f32; 4] = powers(BIAS + 63.0);
pub(crate) const SHIFT: f32 = 9_223_372_036_854_775_808.0;

impl<L: Lanes> Powers<L> {
    #[inline(always)]
    fn new(numbers: &'static [f32; 4]) -> Powers<L> {
        let [log2_e, magic, high, low] = L::constants(numbers);
        Powers { log2_e, magic, minus_ln_2: [high, low] }
    }

    /// The sum of `magic` and the integer `n`, and `r`.
    #[inline(always)]
    fn exponent_and_rest(self, x: L) -> (L, L) {
        let sum = x.mul_add(self.log2_e, self.magic);
        let n = sum - self.magic;
        let rest = n.mul_add(self.minus_ln_2[0], x);
        (sum, n.mul_add(self.minus_ln_2[1], rest))
    }
}

/// The power of two whose stored exponent, from 1 to 254, is in the low bits.
#[inline(always)]
fn power_of_two<L: Lanes>(exponent: L) -> L {
    exponent.shift_left::<23>()
}

/// `e^r - 1` for `|r| <= ln 2 / 2`, by [`EXP`].
#[inline(always)]
fn small_power<L: Lanes>(r: L, [c0, c1, c2, c3, c4]: [L; 5]) -> L {
    let square = r * r;
    let low = r.mul_add(c1, c0);
    let high = square.mul_add(c4, r.mul_add(c3, c2));
    high.mul_add(square, low).mul_add(square, r)
}

/// `e^x · 2^k` within 2.5 ulp, where the powers' offset is [`BIAS`]` + k`, as long as the exponent stays between -126
/// and 127.
#[inline(always)]
pub(crate) fn shifted_exp<L: Lanes>(powers: &'static [f32; 4]) -> impl Fn(L) -> L {
    let powers = Powers::new(powers);
    let [c0, c1, c2, c3] = L::constants(&SHORT_EXP);
    move |x| {
        let (sum, r) = powers.exponent_and_rest(x);
        let square = r * r;
        let power = r.mul_add(c3, c2).mul_add(square, r.mul_add(c1, c0)).mul_add(square, r);
        let factor = power_of_two(sum);
        power.mul_add(factor, factor)
    }
}

/// Where `e^x` rounds to zero.
pub(crate) const EXP_IS_ZERO: f32 = -104.0;

/// e to the power of `x`.
#[inline(always)]
pub fn exp<L: Lanes>() -> impl Fn(L) -> L {
    let powers = Powers::new(&OF_HALVES);
    let coefficients = L::constants(&EXP);
    let [least, most] = L::constants(&[EXP_IS_ZERO, 89.0]);
    move |x| {
        let (sum, r) = powers.exponent_and_rest(x.pmax(least).pmin(most));
        // The exponent may be out of range where its halves are not; the last product rounds, or overflows.
        let half = sum.shift_right::<1>();
        let factor = power_of_two(half);
        small_power(r, coefficients).mul_add(factor, factor) * power_of_two(sum.sub_bits(half))
    }
}

/// The natural logarithm.
#[inline(always)]
pub fn log<L: Lanes>() -> impl Fn(L) -> L {
    let coefficients = L::constants(&LOG);
    let [least_normal, root_of_half, infinity] =
        L::constants(&[f32::MIN_POSITIVE, std::f32::consts::FRAC_1_SQRT_2, f32::INFINITY]);
    let [zero, one, minus_half, ln_2, ln_2_low] = L::constants(&[0.0, 1.0, -0.5, LN_2[0], LN_2[1]]);
    move |x| {
        let is_tiny = x.less(least_normal);
        let scaled = is_tiny.select(x * L::splat(16_777_216.0), x);
        // From the root of 1/2 up to that of 2 the exponent is 0.
        let exponent = scaled.sub_bits(root_of_half).shift_right::<23>();
        let f = scaled.sub_bits(exponent.shift_left::<23>()) - one;
        let n = exponent.bits_to_float() - is_tiny.and(L::splat(24.0));
        let square = f * f;
        let rest = (polynomial(f, coefficients) * f).mul_add(square, n * ln_2_low);
        let rest = square.mul_add(minus_half, rest) + f;
        let result = n.mul_add(ln_2, rest);
        let at_ends = x.equal(infinity).select(infinity, x.equal(zero).select(-infinity, L::splat(f32::NAN)));
        let is_inside = zero.less(x).and(x.less(infinity));
        is_inside.select(result, at_ends)
    }
}

/// The hyperbolic tangent: `x · (1 + …)(x²) / (1 + …)(x²)`. Where the polynomials end it is so near to 1 that only the
/// factor `x` grows, past 1 soon.
#[inline(always)]
pub fn tanh<L: Lanes>() -> impl Fn(L) -> L {
    let [p1, p2, p3, p4] = L::constants(&TANH_ABOVE);
    let [q1, q2, q3, q4] = L::constants(&TANH_BELOW);
    let [end, one, minus_one] = L::constants(&[TANH_END * TANH_END, 1.0, -1.0]);
    move |x| {
        let square = (x * x).pmin(end);
        let above = p4.mul_add(square, p3).mul_add(square, p2).mul_add(square, p1).mul_add(square, one);
        let below = q4.mul_add(square, q3).mul_add(square, q2).mul_add(square, q1).mul_add(square, one);
        (x * above / below).pmin(one).pmax(minus_one)
    }
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub fn sigmoid<L: Lanes>() -> impl Fn(L) -> L {
    let shifted_exp = shifted_exp(&SHIFTED);
    let [least, most, shift] = L::constants(&[EXP_IS_ZERO, 18.0, SHIFT]);
    move |x| {
        let power = shifted_exp(x.pmax(least).pmin(most));
        power / (power + shift)
    }
}

/// The error function, `2/√π` times the integral of `e^-t²` from 0 to `x`.
#[inline(always)]
pub fn erf<L: Lanes>() -> impl Fn(L) -> L {
    let (near, tail) = (L::constants(&ERF), L::constants(&ERF_TAIL));
    let shifted_exp = shifted_exp(&PLAIN);
    let [most, one, sign] = L::constants(&[4.0, 1.0, -0.0]);
    move |x| {
        let size = x.abs();
        let near = polynomial(x * x, near).mul_add(x, x);
        let far = (one - shifted_exp(polynomial(size.pmin(most), tail))).or(x.and(sign));
        one.less(size).select(far, near)
    }
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
