//! The shortest decimals of floats: the fewest digits that are read as the same float, and of these the nearest, written
//! as the standard library's `{:?}` does.
//!
//! Digits are found in whole numbers of any size (R. Burger and K. Dybvig, *Printing Floating-Point Numbers Quickly and
//! Accurately*, 1996). The standard library does it in two ways and for each width anew, and has beside it what prints a
//! number of digits that is asked for: it was 4 kB of what the page loads.
//!
//! Worked example: the float32 nearest to 0.1 lies between 0.099999998 and 0.100000006 as far as rounding goes, and one
//! digit does: `0.1`.

use crate::decimal::{Format, Natural};
use std::cmp::Ordering;

/// Numbers from 10 to this power on, and less than 10 to `LEAST`, have an exponent.
const MOST: i32 = 16;
const LEAST: i32 = -4;

/// The shortest decimal of a float that is one of the format.
pub fn shortest(value: f64, format: &Format) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    let mut text = String::from(if value.is_sign_negative() { "-" } else { "" });
    if value.is_infinite() {
        return text + "inf";
    }
    let (digits, point) = if value == 0.0 { ("0".to_owned(), 1) } else { digits(value.abs(), format) };
    let n = digits.len() as i32;
    if point <= LEAST || point > MOST {
        text += &digits[..1];
        if n > 1 {
            text += ".";
            text += &digits[1..];
        }
        text += "e";
        return text + &(point - 1).to_string();
    }
    if point <= 0 {
        text += "0.";
        (point..0).for_each(|_| text.push('0'));
        text + &digits
    } else if point < n {
        text += &digits[..point as usize];
        text += ".";
        text + &digits[point as usize..]
    } else {
        text += &digits;
        (n..point).for_each(|_| text.push('0'));
        text + ".0"
    }
}

/// The digits of a positive number, which are behind the point of 10 to the other number.
fn digits(value: f64, format: &Format) -> (String, i32) {
    // The number is a mantissa times a power of two, of which the format has fewer bits.
    let field = (value.to_bits() >> 52) as i32;
    let bits = value.to_bits() & ((1 << 52) - 1) | if field > 0 { 1 << 52 } else { 0 };
    let (exponent, n_bits) = (field.max(1) - 1075, 64 - bits.leading_zeros() as i32);
    let step = (exponent + n_bits - 1 - format.n_bits as i32).max(format.least_exponent);
    let mantissa = bits >> (step - exponent);
    // Below a power of two, the next float is nearer.
    let is_nearer = mantissa == 1 << format.n_bits && step > format.least_exponent;
    let is_even = mantissa & 1 == 0;

    // In halves of a step, and of a step below if that is nearer: the number, how far up and down it rounds, and one.
    let shift = 1 + u32::from(is_nearer);
    let mut rest = Natural::of(mantissa);
    let (mut up, mut down, mut one) = (Natural::of(u64::from(shift)), Natural::of(1), Natural::of(1));
    rest.times_power(2, 31, shift);
    one.times_power(2, 31, shift);
    let all = [&mut rest, &mut up, &mut down];
    if step >= 0 {
        all.into_iter().for_each(|number| number.times_power(2, 31, step as u32));
    } else {
        one.times_power(2, 31, step.unsigned_abs());
    }
    // At most one too small.
    let mut point = ((f64::from(exponent + n_bits - 1) * std::f64::consts::LOG10_2) - 1e-10).ceil() as i32;
    if point >= 0 {
        one.times_power(10, 9, point as u32);
    } else {
        for number in [&mut rest, &mut up, &mut down] {
            number.times_power(10, 9, point.unsigned_abs());
        }
    }
    // Whether the decimal may round up to the next digit's place.
    let reaches = |rest: &Natural, up: &Natural, one: &Natural| match rest.plus(up).compare(one) {
        Ordering::Less => false,
        Ordering::Equal => is_even,
        Ordering::Greater => true,
    };
    if reaches(&rest, &up, &one) {
        point += 1;
    } else {
        for number in [&mut rest, &mut up, &mut down] {
            number.times_plus(10, 0);
        }
    }
    let mut digits = String::new();
    loop {
        let mut digit = b'0';
        while rest.compare(&one) != Ordering::Less {
            rest.minus(&one);
            digit += 1;
        }
        let is_low = match rest.compare(&down) {
            Ordering::Less => true,
            Ordering::Equal => is_even,
            Ordering::Greater => false,
        };
        let is_high = reaches(&rest, &up, &one);
        if is_low || is_high {
            // Both do: the nearer one.
            let is_up = is_high && (!is_low || rest.plus(&rest).compare(&one) != Ordering::Less);
            digits.push(char::from(digit + u8::from(is_up)));
            return (digits, point);
        }
        digits.push(char::from(digit));
        for number in [&mut rest, &mut up, &mut down] {
            number.times_plus(10, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shortest;
    use crate::decimal::{BFLOAT16, FLOAT16, FLOAT32, FLOAT64};
    use crate::{parse_f32, parse_f64};

    fn check(value: f64) {
        assert_eq!(shortest(value, &FLOAT64), format!("{value:?}"));
        let single = value as f32;
        assert_eq!(shortest(single.into(), &FLOAT32), format!("{single:?}"));
        let single = f32::from_bits((value.to_bits() >> 32) as u32);
        assert_eq!(shortest(single.into(), &FLOAT32), format!("{single:?}"));
    }

    #[test]
    fn digits_are_those_of_the_standard_library() {
        let hard = [
            0.0,
            1.0,
            0.1,
            0.3,
            1e15,
            1e16,
            1e17,
            9.999e15,
            1e-4,
            9.99e-5,
            1e-5,
            123.456,
            5e-324,
            2.2250738585072014e-308,
            1.7976931348623157e308,
            9007199254740992.0,
            9007199254740993.0,
            1e23,
            2e23,
            8.41e21,
            9.5367431640625e-7,
            1e22,
            f64::INFINITY,
            f64::NAN,
            1e-45,
            3.4028235e38,
            1.17549435e-38,
            16777216.0,
            33554432.0,
            4.35,
            0.5,
            65504.0,
        ];
        hard.into_iter().flat_map(|value| [value, -value]).for_each(check);
        (-1074..1024).for_each(|power| check(2_f64.powi(power / 2) * 2_f64.powi(power - power / 2)));
        let mut state = 1_u64;
        for round in 0..40_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = state ^ state >> 31;
            check(f64::from_bits(bits));
            check((bits >> 40) as f64 / 1000.0);
            check((bits >> (11 + round % 50)) as f64);
            check(((bits >> 40) as f32 / (1 << 24) as f32).into());
        }
    }

    #[test]
    fn halves_have_the_fewest_digits() {
        let cases = [
            (0.0999755859375, "0.1"),
            (65504.0, "65500.0"),
            (2_f64.powi(-24), "6e-8"),
            (-2.0, "-2.0"),
            (0.0, "0.0"),
            (1.0 + 2_f64.powi(-10), "1.001"),
            (f64::INFINITY, "inf"),
        ];
        for (value, text) in cases {
            assert_eq!(shortest(value, &FLOAT16), text);
        }
        assert_eq!(shortest(0.10009765625, &BFLOAT16), "0.1");
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        let text = shortest(0.1_f32.into(), &FLOAT32);
        assert_eq!(parse_f32(&text), Some(0.1));
        assert_eq!(parse_f64(&shortest(1.0 / 3.0, &FLOAT64)), Some(1.0 / 3.0));
    }
}
