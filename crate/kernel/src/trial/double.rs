//! Numbers of about 106 bits, each the sum of two of float64, and functions of them: what float64 is held against.
//!
//! Sums and products are Dekker's (*A floating-point technique for extending the available precision*, 1971), with the
//! error of a product by `mul_add`. Functions are their series after a reduction, and keep 90 bits or more of the
//! result for what the tests ask; nothing here is fast. Arguments are finite.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `high + low`, where `high` is the sum rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Double {
    pub high: f64,
    pub low: f64,
}

const fn double(high: f64, low: f64) -> Double {
    Double { high, low }
}

const ONE: Double = double(1.0, 0.0);
const LN_2: Double = double(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);
const LN_10: Double = double(std::f64::consts::LN_10, -2.170_756_223_382_249_4e-16);
/// `2 / √π`.
const ERF_FACTOR: Double = double(std::f64::consts::FRAC_2_SQRT_PI, 1.533_545_961_316_588e-17);
/// π/2 in parts of 53 bits.
const HALF_PI: [f64; 4] =
    [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33, 5.562_271_104_316_826e-50];

impl From<f64> for Double {
    fn from(x: f64) -> Double {
        double(x, 0.0)
    }
}

/// The sum and what its rounding lost.
fn sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let part = high - a;
    double(high, (a - (high - part)) + (b - part))
}

fn product(a: f64, b: f64) -> Double {
    let high = a * b;
    double(high, a.mul_add(b, -high))
}

impl Add for Double {
    type Output = Double;
    fn add(self, other: Double) -> Double {
        let (high, low) = (sum(self.high, other.high), sum(self.low, other.low));
        let one = sum(high.high, high.low + low.high);
        sum(one.high, one.low + low.low)
    }
}

impl Neg for Double {
    type Output = Double;
    fn neg(self) -> Double {
        double(-self.high, -self.low)
    }
}

impl Sub for Double {
    type Output = Double;
    fn sub(self, other: Double) -> Double {
        self + -other
    }
}

impl Mul for Double {
    type Output = Double;
    fn mul(self, other: Double) -> Double {
        let high = product(self.high, other.high);
        sum(high.high, high.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Double;
    fn div(self, other: Double) -> Double {
        let first = self.high / other.high;
        let left = self - other * first.into();
        let second = left.high / other.high;
        let left = left - other * second.into();
        sum(first, second) + (left.high / other.high).into()
    }
}

impl Double {
    /// Times `2^n`, without rounding as long as it is a normal number.
    pub fn scaled(self, n: i32) -> Double {
        double(libm::scalbn(self.high, n), libm::scalbn(self.low, n))
    }

    pub fn abs(self) -> Double {
        if self.high < 0.0 { -self } else { self }
    }

    pub fn sqrt(self) -> Double {
        if self.high == 0.0 {
            return self;
        }
        let root = Double::from(self.high.sqrt());
        (root + self / root).scaled(-1)
    }

    /// `e^x - 1`.
    pub fn exp_m1(self) -> Double {
        if self.high.abs() > 0.5 {
            return self.exp() - ONE;
        }
        let x = self.scaled(-9);
        let mut result = Double::from(0.0);
        for n in (1..=10).rev() {
            result = (result + ONE) * x / f64::from(n).into();
        }
        for _ in 0..9 {
            result = result.scaled(1) + result * result;
        }
        result
    }

    /// `e^x / 2^n` and `n`, so that it is normal for any `x`.
    pub fn exp_scaled(self) -> (Double, i32) {
        let n = (self.high / LN_2.high).round();
        let rest = self - LN_2 * n.into();
        (rest.exp_m1() + ONE, n as i32)
    }

    pub fn exp(self) -> Double {
        let (power, n) = self.exp_scaled();
        power.scaled(n)
    }

    /// `ln(1 + x)`.
    pub fn log_1p(self) -> Double {
        if self.high.abs() > 0.01 {
            return (ONE + self).log();
        }
        let t = self / (self + 2.0.into());
        let square = t * t;
        let mut result = Double::from(0.0);
        for n in (0..26).rev() {
            result = result * square + ONE / f64::from(2 * n + 1).into();
        }
        (result * t).scaled(1)
    }

    pub fn log(self) -> Double {
        if (self.high - 1.0).abs() < 0.01 {
            return (self - ONE).log_1p();
        }
        let n = libm::ilogb(self.high);
        let first = Double::from(libm::log(libm::scalbn(self.high, -n)));
        let left = self.scaled(-n) * (-first).exp() - ONE;
        first + (left - (left * left).scaled(-1)) + LN_2 * f64::from(n).into()
    }

    /// Sine and cosine of an argument up to 2³⁰.
    pub fn sin_cos(self) -> [Double; 2] {
        let n = (self.high / HALF_PI[0]).round();
        let rest = HALF_PI.into_iter().fold(self, |rest, part| rest - product(n, part));
        let square = -(rest * rest);
        let (mut sin, mut cos) = (Double::from(0.0), Double::from(0.0));
        for n in (1..=14).rev() {
            sin = (sin + ONE) * square / f64::from(2 * n * (2 * n + 1)).into();
            cos = (cos + ONE) * square / f64::from(2 * n * (2 * n - 1)).into();
        }
        let (sin, cos) = (rest + rest * sin, cos + ONE);
        match n.rem_euclid(4.0) as u8 {
            0 => [sin, cos],
            1 => [cos, -sin],
            2 => [-sin, -cos],
            _ => [-cos, sin],
        }
    }

    pub fn tan(self) -> Double {
        let [sin, cos] = self.sin_cos();
        sin / cos
    }

    pub fn atan(self) -> Double {
        if self.high.abs() > 1.0 {
            let quarter = double(HALF_PI[0], HALF_PI[1]);
            return if self.high > 0.0 { quarter } else { -quarter } - (ONE / self).atan();
        }
        let first = Double::from(libm::atan(self.high));
        let tan = first.tan();
        first + (self - tan) / (ONE + self * tan)
    }

    /// Of an argument up to 6; `e^-x² · 2/√π · Σ 2ⁿ x^(2n+1) / (1 · 3 · … · (2n+1))`.
    pub fn erf(self) -> Double {
        let square = (self * self).scaled(1);
        let (mut term, mut total) = (self, self);
        for n in 1..300 {
            term = term * square / f64::from(2 * n + 1).into();
            total = total + term;
        }
        total * ERF_FACTOR * (-(self * self)).exp()
    }

    pub fn asin(self) -> Double {
        if self.high.abs() == 1.0 {
            return double(HALF_PI[0], HALF_PI[1]) * self;
        }
        (self / ((ONE - self) * (ONE + self)).sqrt()).atan()
    }

    pub fn acos(self) -> Double {
        if self.high == -1.0 {
            return double(HALF_PI[0], HALF_PI[1]).scaled(1);
        }
        ((ONE - self) / (ONE + self)).sqrt().atan().scaled(1)
    }

    pub fn sinh(self) -> Double {
        let power = self.abs().exp_m1();
        let sinh = (power + power / (power + ONE)).scaled(-1);
        if self.high < 0.0 { -sinh } else { sinh }
    }

    pub fn cosh(self) -> Double {
        let power = self.exp();
        (power + ONE / power).scaled(-1)
    }

    pub fn tanh(self) -> Double {
        let power = self.abs().scaled(1).exp_m1();
        let tanh = power / (power + 2.0.into());
        if self.high < 0.0 { -tanh } else { tanh }
    }

    pub fn asinh(self) -> Double {
        let x = self.abs();
        // Beyond, the root of the square and 1 is the number itself.
        let asinh = if x.high > 1e30 {
            x.log() + LN_2
        } else {
            let square = x * x;
            (x + square / (ONE + (square + ONE).sqrt())).log_1p()
        };
        if self.high < 0.0 { -asinh } else { asinh }
    }

    pub fn acosh(self) -> Double {
        let t = self - ONE;
        if t.high > 1e30 { self.log() + LN_2 } else { (t + (t.scaled(1) + t * t).sqrt()).log_1p() }
    }

    pub fn atanh(self) -> Double {
        (self.scaled(1) / (ONE - self)).log_1p().scaled(-1)
    }

    pub fn log2(self) -> Double {
        self.log() / LN_2
    }

    pub fn log10(self) -> Double {
        self.log() / LN_10
    }

    pub fn rsqrt(self) -> Double {
        ONE / self.sqrt()
    }

    /// How far `got` is from this times `2^n`, in units in the last place of a float64 as large.
    pub fn ulps(self, n: i32, got: f64) -> f64 {
        let exponent = libm::ilogb(self.high) + n;
        if exponent > 1023 {
            return if got == f64::INFINITY.copysign(self.high) { 0.0 } else { f64::INFINITY };
        }
        // In the middle of what there is, nothing is lost.
        let by = if exponent > 0 { -1000 } else { 1000 };
        let far = Double::from(libm::scalbn(got, by)) - self.scaled(n + by);
        (far.high / libm::scalbn(1.0, exponent.max(-1022) - 52 + by)).abs()
    }
}

mod tests {
    use super::*;

    /// Of what mpmath says to 40 digits, the first and the second float64.
    #[test]
    fn functions_are_known_to_a_hundred_bits() {
        let x = Double::from(0.7);
        let known = [
            (x.exp(), [2.0137527074704766, -2.0058243549764793e-16]),
            (x.exp_m1(), [1.0137527074704764, 2.146216942738339e-17]),
            (x.log(), [-0.35667494393873245, 4.82556379937662e-18]),
            (Double::from(1e-5).log_1p(), [9.999950000333332e-06, -2.3868637284493416e-22]),
            (x.sin_cos()[0], [0.644217687237691, 2.8740567927338755e-18]),
            (Double::from(1e9).sin_cos()[1], [0.8378871813639024, -5.4718713289282437e-17]),
            (x.tan(), [0.8422883804630794, -3.9128846706146343e-17]),
            (x.atan(), [0.6107259643892086, 2.2418914462967458e-17]),
            (Double::from(-17.0).atan(), [-1.512040504079174, 8.178272486963065e-17]),
            (x.erf(), [0.6778011938374184, 5.860416063065593e-18]),
            (Double::from(5.5).erf(), [0.9999999999999927, -3.03759554483649e-17]),
            (x.asin(), [0.775397496610753, 3.395027444633425e-17]),
            (x.acos(), [0.7953988301841436, 2.7282065511033407e-17]),
            (x.sinh(), [0.7585837018395335, -4.9693841630321686e-17]),
            (x.cosh(), [1.255169005630943, -3.986629140481058e-17]),
            (x.tanh(), [0.6043677771171635, -2.7916180015425346e-17]),
            (x.asinh(), [0.6526665660823557, 1.3538893500858175e-17]),
            (Double::from(1.7).acosh(), [1.123230982587296, -6.579688556218574e-17]),
            (x.atanh(), [0.8673005276940531, 2.6798989803716658e-17]),
            (x.log2(), [-0.5145731728297583, 8.76352077439819e-18]),
            (x.log10(), [-0.1549019599857432, -9.586393079652633e-18]),
            (x.rsqrt(), [1.1952286093343938, -1.0995079579273288e-16]),
        ];
        for (at, (got, [high, low])) in known.into_iter().enumerate() {
            let far = (got - double(high, low)).high / high;
            assert!(far.abs() < 1e-28, "{at}: {got:?} is off by {far}");
        }
    }
}
