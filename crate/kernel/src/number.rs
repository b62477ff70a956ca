//! From the wide numbers that the loops use back to the numbers of a dtype.
//!
//! Every `round_*` is one correct rounding, to nearest and ties to even, from `f64` to the narrower format, and answers
//! the canonical NaN for any NaN. The 16-bit formats are rounded here rather than by the `half` crate, whose
//! conversion from `f64` drops the low 32 bits before it rounds (or rounds twice, on processors that help).
//!
//! ```
//! use kernel::number;
//! // float16 has 11 digits: 2049 lies midway between 2048 and 2050, and goes to the even one.
//! assert_eq!(number::round_f16(2049.0), 2048.0);
//! assert_eq!(number::round_f16(2049.0000001), 2050.0);
//! assert_eq!(number::wrap(200, 8, true), -56);
//! ```

/// The one NaN that results hold: quiet, positive, no payload.
pub const NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);

/// What the loops of [`crate::linear`] and [`crate::slide`] need of an element.
///
/// `f64` serves every float dtype; the product and the sum are rounded separately. `i64` and `i128` wrap, so that the
/// low 64 bits are right. `i64` may hold the bits of a uint64 wherever nothing is divided or compared; `i128` is right
/// everywhere.
pub trait Number: Copy {
    const ZERO: Self;
    fn add(self, other: Self) -> Self;
    /// `self + a * b`.
    fn multiply_add(self, a: Self, b: Self) -> Self;
    /// `self / count`; integers truncate towards zero. `count` is at least one.
    fn divide_by(self, count: usize) -> Self;
    /// Adds `factor` times an element of `row` to each sum, as [`multiply_add`](Number::multiply_add) would.
    fn add_products(sums: &mut [Self], row: &[Self], factor: Self);
}

/// A loop over a dtype that the compiler knows here, where it makes vectors of loops.
macro_rules! add_products {
    ($number:ty) => {
        fn add_products(sums: &mut [$number], row: &[$number], factor: $number) {
            sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum = sum.multiply_add(x, factor));
        }
    };
}

impl Number for f64 {
    const ZERO: f64 = 0.0;
    fn add(self, other: f64) -> f64 {
        self + other
    }
    fn multiply_add(self, a: f64, b: f64) -> f64 {
        self + a * b
    }
    fn divide_by(self, count: usize) -> f64 {
        self / count as f64
    }
    add_products!(f64);
}

impl Number for i64 {
    const ZERO: i64 = 0;
    fn add(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
    fn multiply_add(self, a: i64, b: i64) -> i64 {
        self.wrapping_add(a.wrapping_mul(b))
    }
    fn divide_by(self, count: usize) -> i64 {
        self / count as i64
    }
    add_products!(i64);
}

impl Number for i128 {
    const ZERO: i128 = 0;
    fn add(self, other: i128) -> i128 {
        self.wrapping_add(other)
    }
    fn multiply_add(self, a: i128, b: i128) -> i128 {
        self.wrapping_add(a.wrapping_mul(b))
    }
    fn divide_by(self, count: usize) -> i128 {
        self / count as i128
    }
    add_products!(i128);
}

/// float64: the same number, with the canonical NaN.
pub fn round_f64(x: f64) -> f64 {
    if x.is_nan() { NAN } else { x }
}

/// float32.
pub fn round_f32(x: f64) -> f64 {
    round_f64(f64::from(x as f32))
}

/// float16: 11 digits, exponents -14 to 15.
pub fn round_f16(x: f64) -> f64 {
    round_to(x, 11, -14, 65504.0)
}

/// bfloat16: 8 digits, exponents -126 to 127.
pub fn round_bf16(x: f64) -> f64 {
    round_to(x, 8, -126, 255.0 * power_of_two(120))
}

/// The bits of a float16: a sign, five of the exponent, ten digits. `x` is one, or NaN.
pub fn bits_of_f16(x: f64) -> u16 {
    // With an exponent that is less by 112, a float32 has the same bits, 13 places further up; also subnormal ones.
    let magnitude = ((x as f32).abs() * f32::from_bits((127 - 112) << 23)).to_bits() >> 13;
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    if x.is_nan() { 0x7e00 } else { sign | magnitude.min(0x7c00) as u16 }
}

/// The float16 with these bits; NaN is canonical.
pub fn f16_of_bits(bits: u16) -> f64 {
    let magnitude = u32::from(bits & 0x7fff);
    let number = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
    let number = if magnitude == 0x7c00 { f32::INFINITY } else { number };
    let number = if bits >> 15 == 1 { -number } else { number };
    if magnitude > 0x7c00 { NAN } else { number.into() }
}

/// The low `bits` (1 to 64) of `value`, read as two's complement or as an unsigned number.
///
/// A uint64 comes back as the `i64` with its bits. One bit is the parity; a cast to bool is `value != 0` instead.
pub fn wrap(value: i64, bits: u32, signed: bool) -> i64 {
    let unused = 64 - bits;
    let top = value << unused;
    if signed { top >> unused } else { ((top as u64) >> unused) as i64 }
}

/// Truncates towards zero; saturates; NaN is 0.
pub fn float_to_int(x: f64) -> i128 {
    x as i128
}

/// Of at most 64 bits, for a narrower format to round: what does not fit into 53 digits makes the last of them odd, so
/// that no number becomes the midpoint of two.
pub fn int_to_float(x: i128) -> f64 {
    match x.unsigned_abs() >> 53 {
        0 => x as f64,
        _ => ((x >> 11) | i128::from(x & 2047 != 0)) as f64 * 2048.0,
    }
}

/// Rounds to a binary format of `digits` digits whose least normal exponent is `min_exponent`; results beyond `max`
/// are infinite. There are no branches, so that loops of it are vectors.
fn round_to(x: f64, digits: i32, min_exponent: i32, max: f64) -> f64 {
    // Zero and the subnormals of f64 read as -1023, which `min_exponent` covers; what is beyond 2^200 stays there.
    let exponent = (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023).clamp(min_exponent, 200);
    // An f64 as far from 0 as this has its last digit where the format has it.
    let far = 1.5 * power_of_two(exponent - (digits - 1) + 52);
    let rounded = ((x + far) - far).copysign(x);
    let rounded = if rounded.abs() > max { f64::INFINITY.copysign(x) } else { rounded };
    round_f64(rounded)
}

/// 2 to the `exponent`, which must be normal in f64: -1022 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    /// Every finite value stays; the midpoint of two neighbours goes to the even one, and a hair decides otherwise.
    fn check_format(round: impl Fn(f64) -> f64, decode: impl Fn(u16) -> f64, infinity: u16) {
        for bits in 0..infinity {
            let (low, high) = (decode(bits), decode(bits + 1));
            assert_eq!(round(low).to_bits(), low.to_bits());
            assert_eq!(round(-low).to_bits(), (-low).to_bits());
            if high.is_infinite() {
                continue;
            }
            let middle = low + (high - low) / 2.0;
            let even = if bits % 2 == 0 { low } else { high };
            assert_eq!(round(middle), even, "middle of {low} and {high}");
            assert_eq!(round(middle.next_down()), low);
            assert_eq!(round(middle.next_up()), high);
            assert_eq!(round(-middle.next_up()), -high);
        }
    }

    #[test]
    fn sixteen_bit_formats_round_once_and_to_even() {
        check_format(round_f16, |bits| f16::from_bits(bits).to_f64(), f16::INFINITY.to_bits());
        check_format(round_bf16, |bits| bf16::from_bits(bits).to_f64(), bf16::INFINITY.to_bits());
    }

    #[test]
    fn bits_of_float16() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (f16_of_bits(bits), f16::from_bits(bits).to_f64());
            assert!(ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan()));
            assert_eq!(bits_of_f16(ours), if ours.is_nan() { 0x7e00 } else { bits });
        }
    }

    #[test]
    fn overflow_is_infinite_from_the_midpoint_on() {
        assert_eq!(round_f16(65519.99), 65504.0);
        assert_eq!(round_f16(65520.0), f64::INFINITY);
        assert_eq!(round_f16(-1e300), f64::NEG_INFINITY);
        assert_eq!(round_bf16(f64::MAX), f64::INFINITY);
        assert_eq!(round_bf16(f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(round_bf16(3.3895313892515355e38), bf16::MAX.to_f64());
        assert_eq!(round_f32(1e39), f64::INFINITY);
        assert_eq!(round_f32(0.1), f64::from(0.1f32));
    }

    #[test]
    fn tiny_numbers_round_to_a_zero_of_their_sign() {
        for round in [round_f32, round_f16, round_bf16] {
            assert_eq!(round(f64::from_bits(1)).to_bits(), 0);
            assert_eq!(round(-1e-300).to_bits(), (-0.0f64).to_bits());
        }
    }

    #[test]
    fn every_nan_becomes_the_canonical_one() {
        let odd = f64::from_bits(0xfff8_0000_0000_1234);
        for round in [round_f64, round_f32, round_f16, round_bf16] {
            assert_eq!(round(odd).to_bits(), NAN.to_bits());
        }
    }

    #[test]
    fn integers_wrap_to_their_width() {
        assert_eq!(wrap(128, 8, true), -128);
        assert_eq!(wrap(-1, 8, false), 255);
        assert_eq!(wrap(-1, 64, false), -1);
        assert_eq!(wrap(-2, 1, false), 0);
        assert_eq!(wrap(i64::from(i32::MAX) + 1, 32, true), i64::from(i32::MIN));
    }

    #[test]
    fn floats_truncate_and_saturate() {
        assert_eq!(float_to_int(-2.75), -2);
        assert_eq!(float_to_int(2.75), 2);
        assert_eq!(float_to_int(f64::NAN), 0);
        assert_eq!(float_to_int(f64::INFINITY), i128::MAX);
        assert_eq!(float_to_int(18446744073709551616.0), 1 << 64);
    }

    #[test]
    fn integers_are_rounded_once() {
        let float32 = |x: i128| round_f32(int_to_float(x)) as i128;
        assert_eq!(float32(9_007_199_791_611_905), 9_007_200_328_482_816);
        assert_eq!(float32(-9_007_199_791_611_905), -9_007_200_328_482_816);
        assert_eq!(float32(9_223_372_586_610_589_697), 9_223_373_136_366_403_584);
        assert_eq!(float32(i128::from(u64::MAX)), 1 << 64);
        for x in [0, 1, -1, i64::MIN, i64::MAX, (1 << 53) + 1, -(1 << 53) - 1, (1 << 62) + (1 << 38) + 1] {
            assert_eq!(round_f32(int_to_float(x.into())), f64::from(x as f32), "{x}");
        }
        assert_eq!(round_bf16(int_to_float((1 << 60) + (1 << 52) + 1)), ((1_i64 << 60) + (1 << 53)) as f64);
    }

    #[test]
    fn numbers_add_multiply_and_divide() {
        assert_eq!(0.5.multiply_add(2.0, 3.0), 6.5);
        assert_eq!(1i64.multiply_add(i64::MAX, 2), -1);
        assert_eq!(1i128.multiply_add(-2, 3), -5);
        assert_eq!(Number::add(i64::MAX, 1), i64::MIN);
        assert_eq!((-7i64).divide_by(2), -3);
        assert_eq!((-7i128).divide_by(2), -3);
        assert_eq!(1.0.divide_by(4), 0.25);
    }
}
