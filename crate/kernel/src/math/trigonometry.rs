//! Sine and cosine of radians.
//!
//! `x = n·π/2 + r` with `|r| <= π/4`; `n` modulo 4 says which of `±sin r`, `±cos r` it is. The remainder is computed
//! in float64 with π/2 in two parts, 25 bits and 53 more, so that `n` times the first is exact and `r` keeps all its
//! bits next to a multiple of π/2 (Cody and Waite). Beyond 2¹⁶ the quotient in float32 could miss `n`, and `libm` takes
//! over, lane by lane; up to 2²⁴ of the remainder, since its own for numbers of any size takes ten times as long.

use super::{MAGIC, SIGN, polynomial};
use crate::lanes::Lanes;

/// Beyond this `n` is not trusted in float32. 2¹⁶.
const LIMIT: f32 = 65_536.0;

/// Beyond this the remainder does not keep enough bits in float64 either. 2²⁴.
const WIDE_LIMIT: f64 = 16_777_216.0;

const HALF_PI: [f64; 2] = [1.570_796_310_901_641_8, 1.589_325_477_352_819_7e-8];

/// `sin r = r + r³·(…)(r²)`.
const SIN: [f32; 3] = [-0.166_666_55, 0.008_332_187, -0.000_195_178_97];

/// `cos r = 1 - r²/2 + r⁴·(…)(r²)`.
const COS: [f32; 3] = [0.041_666_646, -0.001_388_731, 2.443_232_8e-5];

/// The sum of [`MAGIC`] and the number of quarter turns, and the sine and cosine of what is left.
#[inline(always)]
fn parts<L: Lanes>() -> impl Fn(L) -> (L, L, L) {
    let [turns, magic, half, one] = L::constants(&[std::f32::consts::FRAC_2_PI, MAGIC, 0.5, 1.0]);
    let (sines, cosines) = (L::constants(&SIN), L::constants(&COS));
    move |x| {
        let sum = x.mul_add(turns, magic);
        let r = x.minus_wide(sum - magic, HALF_PI[0], HALF_PI[1]);
        let square = r * r;
        let sin = (polynomial(square, sines) * square).mul_add(r, r);
        // 1 - r²/2, and what its rounding lost.
        let half = square * half;
        let most = one - half;
        let lost = (one - most) - half;
        let cos = most + polynomial(square, cosines).mul_add(square * square, lost);
        (sum, sin, cos)
    }
}

/// All bits of a lane where the number of quarter turns is odd.
#[inline(always)]
fn is_odd<L: Lanes>(turns: L) -> L {
    turns.shift_left::<31>().shift_right::<31>()
}

/// The sign that half turns bring.
#[inline(always)]
fn sign_of<L: Lanes>(turns: L) -> L {
    turns.shift_left::<30>().and(L::splat_bits(SIGN))
}

/// `result` where `x` is not too large for it, elsewhere (infinities and NaN among that) `wide` of `x`.
#[inline(always)]
fn with_large<L: Lanes>(x: L, result: L, wide: fn(f64) -> f64) -> L {
    let is_large = L::splat(LIMIT).less(x.abs());
    if is_large.any() { is_large.select(x.map_wide(wide), result) } else { result }
}

/// The number of quarter turns modulo 4, and what is left of them, in float64. Beyond [`WIDE_LIMIT`] all is left.
fn turned(x: f64) -> (u8, f64) {
    let n = (x * std::f64::consts::FRAC_2_PI).round_ties_even();
    if x.abs() <= WIDE_LIMIT { (n as i32 as u8 & 3, (x - n * HALF_PI[0]) - n * HALF_PI[1]) } else { (0, x) }
}

/// The sine of so many quarter turns more.
#[inline(never)]
fn sine_behind(turns: u8, x: f64) -> f64 {
    let (n, r) = turned(x);
    match (n + turns) & 3 {
        0 => libm::sin(r),
        1 => libm::cos(r),
        2 => -libm::sin(r),
        _ => -libm::cos(r),
    }
}

#[inline(always)]
pub fn sin<L: Lanes>() -> impl Fn(L) -> L {
    let parts = parts();
    move |x| {
        let (turns, sin, cos) = parts(x);
        let result = is_odd(turns).select(cos, sin).xor(sign_of(turns));
        with_large(x, x.equal(L::splat(0.0)).select(x, result), |x| sine_behind(0, x))
    }
}

#[inline(always)]
pub fn cos<L: Lanes>() -> impl Fn(L) -> L {
    let parts = parts();
    move |x| {
        let (turns, sin, cos) = parts(x);
        with_large(x, is_odd(turns).select(sin, cos).xor(sign_of(turns.add_bits(L::splat_bits(1)))), |x| {
            sine_behind(1, x)
        })
    }
}
