//! Elementwise operators on integers and bools.
//!
//! Operands are values of at most 64 bits (a uint64 is its non-negative value). Answers are exact or exact in their low
//! 64 bits, which is what [`wrap`](crate::number::wrap) keeps. `None` means that there is no answer: a divisor of 0, a
//! shift count outside 0..64, a negative exponent.

pub fn abs(x: i128) -> i128 {
    x.wrapping_abs()
}

pub fn bitwise_not(x: i128) -> i128 {
    !x
}

pub fn copy(x: i128) -> i128 {
    x
}

/// 1 for 0, otherwise 0.
pub fn logical_not(x: i128) -> i128 {
    i128::from(x == 0)
}

pub fn negative(x: i128) -> i128 {
    x.wrapping_neg()
}

pub fn relu(x: i128) -> i128 {
    x.max(0)
}

pub fn sign(x: i128) -> i128 {
    x.signum()
}

/// `x * multiplier / 2^31 * 2^shift`, rounded half up: the product of an integer and a Q31 fraction.
///
/// As TVM's `q_multiply_shift`: a positive `shift` moves `x` left before the product, a negative one moves the product
/// right after it, and there is one rounding. With `multiplier = 2^30` (one half) and `shift = 0`, 3 gives 2 and -3
/// gives -1.
pub fn fixed_point_multiply(x: i128, multiplier: i64, shift: i64) -> i128 {
    // Longer shifts than these leave nothing of the at most 128 bits.
    let left = shift.clamp(0, 127) as u32;
    let right = 31 + (-shift.clamp(-97, 0)) as u32;
    let product = (x << left).wrapping_mul(i128::from(multiplier));
    // One bit more than needed, plus half of the last place, which that bit is.
    ((product >> (right - 1)) + 1) >> 1
}

/// Below zero, the number times the slope.
pub fn prelu(x: i128, slope: i128) -> Option<i128> {
    Some(if x < 0 { x.wrapping_mul(slope) } else { x })
}

pub fn add(a: i128, b: i128) -> Option<i128> {
    Some(a.wrapping_add(b))
}

pub fn subtract(a: i128, b: i128) -> Option<i128> {
    Some(a.wrapping_sub(b))
}

pub fn multiply(a: i128, b: i128) -> Option<i128> {
    Some(a.wrapping_mul(b))
}

/// The quotient rounded towards zero, as C's `/`.
pub fn divide(a: i128, b: i128) -> Option<i128> {
    a.checked_div(b)
}

/// The quotient rounded down.
pub fn floor_divide(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    let inexact_and_negative = a % b != 0 && (a < 0) != (b < 0);
    Some(if inexact_and_negative { quotient - 1 } else { quotient })
}

/// The remainder that has the sign of `b`.
pub fn floor_mod(a: i128, b: i128) -> Option<i128> {
    let rest = a.checked_rem(b)?;
    Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
}

/// The remainder that has the sign of `a`, as C's `%`.
pub fn r#mod(a: i128, b: i128) -> Option<i128> {
    a.checked_rem(b)
}

/// The same as [`divide`].
pub fn trunc_divide(a: i128, b: i128) -> Option<i128> {
    a.checked_div(b)
}

/// The same as `mod`.
pub fn trunc_mod(a: i128, b: i128) -> Option<i128> {
    a.checked_rem(b)
}

/// By repeated squaring, modulo 2^128: the low 64 bits are right. `None` for a negative exponent.
pub fn power(a: i128, b: i128) -> Option<i128> {
    if b < 0 {
        return None;
    }
    let (mut base, mut exponent, mut result) = (a, b, 1i128);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    Some(result)
}

pub fn maximum(a: i128, b: i128) -> Option<i128> {
    Some(a.max(b))
}

pub fn minimum(a: i128, b: i128) -> Option<i128> {
    Some(a.min(b))
}

pub fn left_shift(a: i128, count: i128) -> Option<i128> {
    (0..64).contains(&count).then(|| a << count)
}

/// Copies the sign; a uint64, being non-negative, is filled with zeros.
pub fn right_shift(a: i128, count: i128) -> Option<i128> {
    (0..64).contains(&count).then(|| a >> count)
}

pub fn bitwise_and(a: i128, b: i128) -> Option<i128> {
    Some(a & b)
}

pub fn bitwise_or(a: i128, b: i128) -> Option<i128> {
    Some(a | b)
}

pub fn bitwise_xor(a: i128, b: i128) -> Option<i128> {
    Some(a ^ b)
}

pub fn logical_and(a: i128, b: i128) -> Option<i128> {
    Some(i128::from(a != 0 && b != 0))
}

pub fn logical_or(a: i128, b: i128) -> Option<i128> {
    Some(i128::from(a != 0 || b != 0))
}

pub fn logical_xor(a: i128, b: i128) -> Option<i128> {
    Some(i128::from((a != 0) != (b != 0)))
}

pub fn equal(a: i128, b: i128) -> bool {
    a == b
}

pub fn not_equal(a: i128, b: i128) -> bool {
    a != b
}

pub fn less(a: i128, b: i128) -> bool {
    a < b
}

pub fn less_equal(a: i128, b: i128) -> bool {
    a <= b
}

pub fn greater(a: i128, b: i128) -> bool {
    a > b
}

pub fn greater_equal(a: i128, b: i128) -> bool {
    a >= b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::wrap;

    const U64_MAX: i128 = u64::MAX as i128;
    const I64_MIN: i128 = i64::MIN as i128;

    #[test]
    fn unary() {
        assert_eq!([abs(-3), negative(3), copy(3), relu(-3), relu(3)], [3, -3, 3, 0, 3]);
        assert_eq!([sign(-9), sign(0), sign(9)], [-1, 0, 1]);
        assert_eq!([bitwise_not(5), logical_not(0), logical_not(7)], [-6, 1, 0]);
        assert_eq!(wrap(abs(I64_MIN) as i64, 64, true), i64::MIN);
        assert_eq!(wrap(bitwise_not(1) as i64, 1, false), 0);
    }

    #[test]
    fn division_rounds_down_or_towards_zero() {
        let pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, -2)];
        assert_eq!(pairs.map(|(a, b)| floor_divide(a, b).unwrap()), [3, -4, -4, 3, -3]);
        assert_eq!(pairs.map(|(a, b)| floor_mod(a, b).unwrap()), [1, 1, -1, -1, 0]);
        for divide in [divide, trunc_divide] {
            assert_eq!(pairs.map(|(a, b)| divide(a, b).unwrap()), [3, -3, -3, 3, -3]);
        }
        for rest in [r#mod, trunc_mod] {
            assert_eq!(pairs.map(|(a, b)| rest(a, b).unwrap()), [1, -1, 1, -1, 0]);
        }
    }

    #[test]
    fn a_zero_divisor_has_no_answer() {
        for op in [divide, trunc_divide, floor_divide, floor_mod, r#mod, trunc_mod] {
            assert_eq!(op(1, 0), None);
        }
        assert_eq!(wrap(divide(I64_MIN, -1).unwrap() as i64, 64, true), i64::MIN);
    }

    #[test]
    fn the_low_64_bits_are_right() {
        assert_eq!(wrap(multiply(U64_MAX, U64_MAX).unwrap() as i64, 64, false), 1);
        assert_eq!(wrap(add(U64_MAX, 1).unwrap() as i64, 64, false), 0);
        assert_eq!(subtract(0, U64_MAX), Some(-U64_MAX));
        assert_eq!(wrap(left_shift(U64_MAX, 63).unwrap() as i64, 64, false), i64::MIN);
        assert_eq!(wrap(power(3, 41).unwrap() as i64, 64, true), 3i64.wrapping_pow(41));
        assert_eq!(wrap(power(3, 1000).unwrap() as i64, 64, true), 3i64.wrapping_pow(1000));
    }

    #[test]
    fn powers() {
        assert_eq!([power(2, 10), power(-2, 3), power(0, 0), power(5, 0)].map(Option::unwrap), [1024, -8, 1, 1]);
        assert_eq!(power(2, -1), None);
        assert_eq!(power(1, U64_MAX), Some(1));
    }

    #[test]
    fn shifts() {
        assert_eq!(left_shift(-1, 5), Some(-32));
        assert_eq!(right_shift(-5, 1), Some(-3));
        assert_eq!(right_shift(U64_MAX, 63), Some(1));
        for shift in [left_shift, right_shift] {
            assert_eq!([shift(1, -1), shift(1, 64)], [None, None]);
        }
    }

    #[test]
    fn bits_and_truth() {
        assert_eq!([bitwise_and(6, 3), bitwise_or(6, 3), bitwise_xor(6, 3)].map(Option::unwrap), [2, 7, 5]);
        assert_eq!([logical_and(2, 1), logical_or(0, 2), logical_xor(1, 2)].map(Option::unwrap), [1, 1, 0]);
        assert_eq!([maximum(-1, 1), minimum(-1, 1)].map(Option::unwrap), [1, -1]);
    }

    #[test]
    fn comparisons() {
        assert!(equal(1, 1) && not_equal(1, 2) && less(-1, 0) && less_equal(1, 1));
        assert!(greater(U64_MAX, -1) && greater_equal(1, 1) && !less(U64_MAX, I64_MIN));
    }

    #[test]
    fn fixed_point_products_round_half_up() {
        let half = 1 << 30;
        assert_eq!([-3, -2, -1, 0, 1, 3].map(|x| fixed_point_multiply(x, half, 0)), [-1, -1, 0, 0, 1, 2]);
        assert_eq!([-3, 0, 7].map(|x| fixed_point_multiply(x, half, 1)), [-3, 0, 7]);
        assert_eq!([5, 6, 7, -6].map(|x| fixed_point_multiply(x, half, -1)), [1, 2, 2, -1]);
        let almost_one = i64::from(i32::MAX);
        for x in [-1000, -7, -1, 0, 1, 8, 1001] {
            assert_eq!(fixed_point_multiply(x, almost_one, 0), x);
        }
        for shift in [-97, -1000, i64::MIN] {
            assert_eq!(fixed_point_multiply(U64_MAX, i64::MIN, shift), 0);
            assert_eq!(fixed_point_multiply(U64_MAX, i64::MAX, shift), 0);
        }
        assert_eq!(fixed_point_multiply(U64_MAX, i64::MAX, -96), 1);
        assert_eq!(wrap(fixed_point_multiply(1, half, 1000) as i64, 64, true), 0);
    }
}
