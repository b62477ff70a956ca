//! Floats from decimals, rounded once, to the nearest and ties to even, as the standard library reads them.
//!
//! A decimal is compared exactly, in whole numbers of any size, with the points halfway between neighbouring floats,
//! from an estimate on (Clinger, *How to Read Floating Point Numbers Accurately*, 1990, `AlgorithmR`). What people
//! write is found without: few digits and a small power of ten are one division of exact floats. The standard library
//! has a table of 128-bit powers of five instead, which no compression makes smaller: it was 10 kB of what the page
//! loads.
//!
//! Worked example: `0.1` is `1 / 10`, one division. `0.1000000000000000055511151231257827` has too many digits; the
//! estimate is the same float, `0x1.999999999999ap-4`, and the decimal lies between the points halfway to its
//! neighbours.

use std::cmp::Ordering;

/// Positive floats by their bits: `0` is 0, each next one is the next larger float, and behind the largest is infinity.
pub struct Format {
    /// Of the mantissa without its hidden bit.
    pub(crate) n_bits: u32,
    /// The smallest positive float is 2 to this power.
    pub(crate) least_exponent: i32,
    infinity: u64,
}

pub const FLOAT16: Format = Format { n_bits: 10, least_exponent: -24, infinity: 0x1f << 10 };
pub const BFLOAT16: Format = Format { n_bits: 7, least_exponent: -133, infinity: 0xff << 7 };
pub const FLOAT32: Format = Format { n_bits: 23, least_exponent: -149, infinity: 0xff << 23 };
pub const FLOAT64: Format = Format { n_bits: 52, least_exponent: -1074, infinity: 0x7ff << 52 };

/// A point halfway between two floats has fewer digits than this.
const MAX_DIGITS: usize = 800;

/// The digits as one whole number, times a power of ten.
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

/// `None` where the text is no number as [`str::parse`] takes it.
pub fn parse_f64(text: &str) -> Option<f64> {
    let (magnitude, is_negative) = unsigned(text);
    let value = match special(magnitude) {
        Some(value) => value,
        None => {
            let decimal = Decimal::read(magnitude)?;
            let near = decimal.near();
            if decimal.is_short() { near } else { f64::from_bits(decimal.nearest(near.to_bits(), &FLOAT64)) }
        }
    };
    Some(if is_negative { -value } else { value })
}

/// As [`parse_f64`].
pub fn parse_f32(text: &str) -> Option<f32> {
    let (magnitude, is_negative) = unsigned(text);
    let value = match special(magnitude) {
        Some(value) => value as f32,
        None => {
            let decimal = Decimal::read(magnitude)?;
            let near = decimal.near();
            // Rounding a second time errs only from the middle between two floats of 32 bits.
            let is_middle = near.to_bits() & 0x1fff_ffff == 0x1000_0000;
            if decimal.is_short() && !is_middle && near >= f64::from(f32::MIN_POSITIVE) {
                near as f32
            } else {
                f32::from_bits(decimal.nearest(u64::from((near as f32).to_bits()), &FLOAT32) as u32)
            }
        }
    };
    Some(if is_negative { -value } else { value })
}

fn unsigned(text: &str) -> (&str, bool) {
    match text.as_bytes() {
        [b'-', ..] => (&text[1..], true),
        [b'+', ..] => (&text[1..], false),
        _ => (text, false),
    }
}

fn special(text: &str) -> Option<f64> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match () {
        () if is("inf") || is("infinity") => Some(f64::INFINITY),
        () if is("nan") => Some(f64::NAN),
        () => None,
    }
}

impl Decimal {
    fn read(text: &str) -> Option<Decimal> {
        let bytes = text.as_bytes();
        let mut decimal = Decimal { digits: Vec::new(), exponent: 0 };
        let (mut at, mut n_read, mut is_behind_point) = (0, 0, false);
        let mut rest_is_zero = true;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'.' if !is_behind_point => is_behind_point = true,
                b'0'..=b'9' => {
                    n_read += 1;
                    if decimal.digits.len() < MAX_DIGITS {
                        decimal.exponent -= i64::from(is_behind_point);
                        if byte > b'0' || !decimal.digits.is_empty() {
                            decimal.digits.push(byte - b'0');
                        }
                    } else {
                        decimal.exponent += i64::from(!is_behind_point);
                        rest_is_zero &= byte == b'0';
                    }
                }
                _ => break,
            }
            at += 1;
        }
        if !rest_is_zero {
            decimal.digits.push(1);
            decimal.exponent -= 1;
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            let (power, is_negative) = unsigned(&text[at + 1..]);
            if power.is_empty() || !power.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let power = power.bytes().fold(0_i64, |power, byte| (power * 10 + i64::from(byte - b'0')).min(1 << 40));
            decimal.exponent += if is_negative { -power } else { power };
            at = bytes.len();
        }
        (at == bytes.len() && n_read > 0).then_some(decimal)
    }

    /// Whether the estimate is one operation on floats that are exact.
    fn is_short(&self) -> bool {
        self.digits.len() <= 15 && (-22..=22).contains(&self.exponent)
    }

    /// A float that is at most a few away.
    fn near(&self) -> f64 {
        let n_kept = self.digits.len().min(19);
        let kept = self.digits[..n_kept].iter().fold(0_u64, |value, &digit| value * 10 + u64::from(digit));
        let exponent = self.exponent + (self.digits.len() - n_kept) as i64;
        let mut value = kept as f64;
        // Further out there are only infinity and 0.
        for _ in 0..exponent.unsigned_abs().min(400) / 22 {
            value = if exponent < 0 { value / 1e22 } else { value * 1e22 };
        }
        let rest = (0..exponent.unsigned_abs().min(400) % 22).fold(1.0, |power, _| power * 10.0);
        if exponent < 0 { value / rest } else { value * rest }
    }

    /// The bits of the nearest float, given those of one close by.
    fn nearest(&self, mut bits: u64, format: &Format) -> u64 {
        // Nothing has to be compared where the powers would be larger than any float's.
        let magnitude = self.exponent + self.digits.len() as i64;
        if self.digits.is_empty() || magnitude < -400 {
            return 0;
        }
        if magnitude > 400 {
            return format.infinity;
        }
        while bits < format.infinity && !self.is_within(bits, format) {
            bits += 1;
        }
        while bits > 0 && self.is_within(bits - 1, format) {
            bits -= 1;
        }
        bits
    }

    /// Whether this rounds to a float or to a smaller one.
    fn is_within(&self, bits: u64, format: &Format) -> bool {
        let (field, fraction) = (bits >> format.n_bits, bits & ((1 << format.n_bits) - 1));
        let mantissa = if field == 0 { fraction } else { fraction | 1 << format.n_bits };
        // Halfway to the next float is half a step further.
        let exponent = format.least_exponent + (field as i32 - 1).max(0) - 1;
        let mut this = Natural(Vec::new());
        for &digit in &self.digits {
            this.times_plus(10, digit.into());
        }
        let mut half = Natural(Vec::new());
        half.times_plus(1, (mantissa >> 31) as u32);
        half.times_plus(1 << 31, mantissa as u32 & 0x7fff_ffff);
        half.times_plus(2, 1);
        (if self.exponent < 0 { &mut half } else { &mut this }).times_power(10, 9, self.exponent.unsigned_abs() as u32);
        (if exponent < 0 { &mut this } else { &mut half }).times_power(2, 31, exponent.unsigned_abs());
        match this.compare(&half) {
            Ordering::Less => true,
            Ordering::Equal => bits & 1 == 0,
            Ordering::Greater => false,
        }
    }
}

/// A whole number, its lowest 32 bits first, without zeros at its end.
pub(crate) struct Natural(Vec<u32>);

impl Natural {
    pub fn of(number: u64) -> Natural {
        let mut all = Natural(vec![number as u32, (number >> 32) as u32]);
        all.trim();
        all
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    pub fn plus(&self, other: &Natural) -> Natural {
        let mut sum = Natural(Vec::with_capacity(self.0.len() + 2));
        let mut carry = 0_u64;
        for at in 0..self.0.len().max(other.0.len()) {
            let part = |number: &Natural| u64::from(number.0.get(at).copied().unwrap_or(0));
            carry += part(self) + part(other);
            sum.0.push(carry as u32);
            carry >>= 32;
        }
        if carry > 0 {
            sum.0.push(carry as u32);
        }
        sum
    }

    /// Takes away what is not larger.
    pub fn minus(&mut self, other: &Natural) {
        let mut borrow = 0_i64;
        for (at, part) in self.0.iter_mut().enumerate() {
            borrow += i64::from(*part) - i64::from(other.0.get(at).copied().unwrap_or(0));
            *part = borrow as u32;
            borrow >>= 32;
        }
        self.trim();
    }

    pub fn times_plus(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for part in &mut self.0 {
            carry += u64::from(*part) * u64::from(factor);
            *part = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// `n_at_once` powers of the base fit in 32 bits.
    pub fn times_power(&mut self, base: u32, n_at_once: u32, power: u32) {
        for _ in 0..power / n_at_once {
            self.times_plus(base.pow(n_at_once), 0);
        }
        self.times_plus(base.pow(power % n_at_once), 0);
    }

    pub fn compare(&self, other: &Natural) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::{parse_f32, parse_f64};

    fn check(text: &str) {
        assert_eq!(parse_f64(text).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{text}");
        assert_eq!(parse_f32(text).map(f32::to_bits), text.parse().ok().map(f32::to_bits), "{text}");
    }

    #[test]
    fn what_is_hard_is_read_as_the_standard_library_does() {
        let mut texts: Vec<String> =
            "1 0 -0 0.0 .5 5. 1e5 1E+5 1e-5 inf -inf Infinity 0.1 0.3 2.5e-324 2.4e-324 4.9e-324 \
            1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308 1e309 1e-400 1e99999999999999999999 \
            1e-99999999999999999999 0e999999999999 2.2250738585072011e-308 2.2250738585072014e-308 9007199254740993 \
            9007199254740992.999999999999999999999999999999 9007199254740993.000000000000000000000000001 16777217 \
            16777217.0000000001 16777216.999999999 3.4028235e38 3.4028236e38 3.40282356e38 3.4028235677973366e38 1e-45 \
            7e-46 7.1e-46 7.006492321624085e-46 1.17549428e-38 1.1754943508222875e-38 0.00000000000000000000000001 . e \
            1e 1e+ 1.2.3 - + --1 1x x 1e5x 1_0 0x10 1e5.5 infinit"
                .split_ascii_whitespace()
                .map(str::to_owned)
                .collect();
        texts.push(String::new());
        texts.push(format!("{:.1100}", f64::from_bits(1)));
        texts.push(format!("{:.1100}1", f64::from_bits(3) / 1.0));
        texts.push(format!("0.{}1e1000", "0".repeat(990)));
        texts.push(format!("1{}e-1000", "0".repeat(1000)));
        texts.push(format!("{}1e-1200", "9".repeat(1200)));
        // The middle between 1 and the next float, and next to it.
        let middle = "1.00000000000000011102230246251565404236316680908203125";
        texts.extend([middle.to_owned(), format!("{middle}{}1", "0".repeat(900)), format!("{}4", &middle[..54])]);
        texts.iter().for_each(|text| check(text));
    }

    #[test]
    fn any_decimal_is_read_as_the_standard_library_does() {
        let mut state = 1_u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for _ in 0..20_000 {
            let n_digits = 1 + next(25);
            let digits: String = (0..n_digits).map(|_| char::from(b'0' + next(10) as u8)).collect();
            let point = next(n_digits + 1) as usize;
            let range = [5, 50, 350][next(3) as usize];
            check(&format!("{}.{}e{}", &digits[..point], &digits[point..], next(2 * range) as i64 - range as i64));
        }
        for _ in 0..5_000 {
            let value = f64::from_bits(next(1 << 31) << 33 | next(1 << 31) << 2).abs();
            if value.is_finite() {
                let middle = value / 2.0 + f64::from_bits(value.to_bits() + 1) / 2.0;
                [value, middle].iter().for_each(|value| check(&format!("{value:e}")));
            }
            let float = f32::from_bits(next(1 << 31) as u32);
            if float.is_finite() {
                check(&format!("{float:e}"));
                let above = f32::from_bits(float.to_bits() + 1);
                check(&format!("{:e}", (f64::from(float) + f64::from(above)) / 2.0));
            }
        }
    }
}
