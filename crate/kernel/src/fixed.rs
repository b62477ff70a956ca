//! Products of integers with real numbers, in integers: how a quantized tensor changes its scale (Jacob et al.,
//! Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, 2018).
//!
//! ```
//! use kernel::fixed::{Factor, Rounding};
//! // 3 · 0.5 and -3 · 0.5 lie midway.
//! let half = Factor::of(0.5).unwrap();
//! assert_eq!([3, -3].map(|x| half.times(x, Rounding::Upward)), [2, -1]);
//! assert_eq!([3, -3].map(|x| half.times(x, Rounding::ToNearest)), [2, -2]);
//! ```

/// Where a product goes that lies midway between two integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Up.
    Upward,
    /// Away from zero.
    ToNearest,
}

/// A real number with 31 digits: `significand · 2^(exponent - 31)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Factor {
    significand: i64,
    exponent: i32,
}

impl Factor {
    /// The nearest factor; `None` of what is not finite.
    pub fn of(x: f64) -> Option<Factor> {
        if !x.is_finite() {
            return None;
        }
        let (part, exponent) = libm::frexp(x);
        let significand = (part * 2_147_483_648.0).round() as i64;
        Some(match significand == 1 << 31 {
            true => Factor { significand: 1 << 30, exponent: exponent + 1 },
            false => Factor { significand, exponent },
        })
    }

    /// The product as an integer; exact up to its one rounding, and saturating.
    pub fn times(self, x: i64, rounding: Rounding) -> i64 {
        let [left, right] = self.shifts();
        // What a quantized tensor holds is most often such a number.
        if x.unsigned_abs() >> 31 == 0 {
            let product = x * self.significand;
            if product.unsigned_abs().leading_zeros() >= left.saturating_add(2) && right < 62 {
                let half = (1 << (right - 1)) - i64::from(rounding == Rounding::ToNearest && product < 0);
                return ((product << left) + half) >> right;
            }
        }
        self.times_wide(x.into(), rounding).clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// The same for larger numbers: exact up to its one rounding, or of its sign and beyond any int64.
    pub fn times_wide(self, x: i128, rounding: Rounding) -> i128 {
        let [left, right] = self.shifts();
        let product = x.clamp(-(1 << 96), 1 << 96) * i128::from(self.significand);
        if product.unsigned_abs().leading_zeros() < left.saturating_add(2) {
            return product.signum() << 100;
        }
        let product = product.checked_shl(left).unwrap_or(0);
        let half = (1 << (right - 1)) - i128::from(rounding == Rounding::ToNearest && product < 0);
        (product + half) >> right
    }

    /// How far to the left before a product is rounded, and to the right then.
    fn shifts(self) -> [u32; 2] {
        // A shift to the right by so much leaves nothing.
        [self.exponent.max(0) as u32, 31 + (-self.exponent).clamp(0, 95) as u32]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_one_form() {
        assert_eq!(Factor::of(1.0), Some(Factor { significand: 1 << 30, exponent: 1 }));
        assert_eq!(Factor::of(0.0), Some(Factor { significand: 0, exponent: 0 }));
        assert_eq!(Factor::of(1.0f64.next_down()), Factor::of(1.0));
        assert_eq!(Factor::of(f64::INFINITY), None);
        assert_eq!(Factor::of(f64::NAN), None);
    }

    #[test]
    fn products_round_once() {
        for (x, factor, upward, nearest) in [
            (-1, 0.5, 0, -1),
            (1, 0.5, 1, 1),
            (-33, 0.5, -16, -17),
            (5, 2.0, 10, 10),
            (-7, 1.0, -7, -7),
            // With 31 digits 0.015 is a little less.
            (100, 0.015, 1, 1),
            (100, 0.01500001, 2, 2),
            (1 << 40, 2.0, 1 << 41, 1 << 41),
        ] {
            let factor = Factor::of(factor).expect("a number");
            assert_eq!(factor.times(x, Rounding::Upward), upward);
            assert_eq!(factor.times(x, Rounding::ToNearest), nearest);
        }
    }

    #[test]
    fn extremes_keep_their_sign() {
        for (x, end) in [(i64::MIN, i64::MIN), (-1, i64::MIN), (0, 0), (1, i64::MAX), (i64::MAX, i64::MAX)] {
            assert_eq!(Factor::of(1e80).expect("a number").times(x, Rounding::Upward), end);
            assert_eq!(Factor::of(1e-80).expect("a number").times(x, Rounding::ToNearest), 0);
            assert_eq!(Factor::of(1.0).expect("a number").times(x.clamp(-4, 4), Rounding::Upward), x.clamp(-4, 4));
        }
    }
}
