//! Powers of any numbers.
//!
//! `x^y = 2^(y · log₂ x)`, in float64 between the roundings of `x` and `y` and that of the result. `x = 2^e · m` with `m`
//! between the roots of 1/2 and 2, and `log₂ m` is a series in `t = (m - 1) / (m + 1)`, of which what is cut off is
//! 2⁻³⁹ of the whole. A result between the smallest and the largest number is so within 0.55 ulp.

use super::SIGN;
use crate::lanes::{Doubles, Lanes, OfDoubles};
use crate::scalar::float;

/// `log₂((1 + t) / (1 - t)) = t · (…)(t²)`: 2 / ln 2, divided by 1, 3, 5 and so on.
const LOG2: [f64; 7] = [
    2.8853900817779268,
    0.9617966939259757,
    0.5770780163555853,
    0.41219858311113244,
    0.3205988979753252,
    0.2623081892525388,
    0.2219530832136867,
];

/// `2^f = 1 + f · (…)(f)`: the powers of ln 2, divided by 1, 2, 6 and so on.
const EXP2: [f64; 8] = [
    std::f64::consts::LN_2,
    0.2402265069591007,
    0.055504108664821576,
    0.009618129107628477,
    0.0013333558146428441,
    0.00015403530393381606,
    1.5252733804059838e-05,
    1.3215486790144305e-06,
];

/// 1.5 · 2⁵²: a float added to it is rounded to an integer, which lies in the low bits of the sum.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// Of positive numbers that are not infinite.
struct Power;

impl OfDoubles for Power {
    #[inline(always)]
    fn of<D: Doubles>(&self, x: D, y: D) -> D {
        let magic = D::splat(MAGIC);
        let exponent = x.sub_bits(D::splat(std::f64::consts::FRAC_1_SQRT_2)).shift_right::<52>();
        let m = x.sub_bits(exponent.shift_left::<52>());
        let one = D::splat(1.0);
        let t = (m - one) / (m + one);
        let log = (exponent.add_bits(magic) - magic) + t * polynomial(t * t, &LOG2);
        // Beyond these there are no numbers of 32 bits.
        let log = (y * log).minimum(D::splat(200.0)).maximum(D::splat(-200.0));
        let whole = log.round_ties_even();
        let f = log - whole;
        let power = one + f * polynomial(f, &EXP2);
        power.add_bits((whole + magic).shift_left::<52>())
    }
}

#[inline(always)]
fn polynomial<D: Doubles, const N: usize>(x: D, coefficients: &[f64; N]) -> D {
    let mut sum = D::splat(coefficients[N - 1]);
    for power in (0..N - 1).rev() {
        sum = sum * x + D::splat(coefficients[power]);
    }
    sum
}

/// `x` to the power of `y`, as C has it for NaN, infinities and zeros; NaN of a negative number to what is no integer.
#[inline(always)]
pub fn power<L: Lanes>(x: L, y: L) -> L {
    let size = x.abs();
    let [zero, one, infinity] = [0.0, 1.0, f32::INFINITY].map(L::splat);
    let result = size.in_doubles(y, Power);
    let half = y * L::splat(0.5);
    let is_integer = y.equal(y.trunc());
    let is_odd = half.equal(half.trunc()).and_not(is_integer);
    let of_zero = y.less(zero).select(infinity, zero.less(y).and_not(one));
    let result = size.equal(zero).select(of_zero, result);
    let result = result.xor(x.and(is_odd).and(L::splat_bits(SIGN)));
    let has_no_answer = is_integer.and_not(x.less(zero));
    let result = has_no_answer.select(L::splat(f32::NAN), result);
    let is_known = size.less(infinity).and(y.abs().less(infinity));
    match is_known.and_not(L::splat_bits(u32::MAX)).any() {
        true => is_known.select(result, x.zip_wide(y, float::power)),
        false => result,
    }
}
