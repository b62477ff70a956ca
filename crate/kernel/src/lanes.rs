//! Floats side by side, and one name for one float and four of them.
//!
//! A body written once over [`Lanes`] is the scalar meaning of a function (on `f32`) and its SIMD body (on [`F32x4`]).
//! Both do the same roundings in the same order, so they are equal to the bit, in WebAssembly and natively, where four
//! lanes are an array. Only [`Lanes::mul_add`] differs in the build with relaxed SIMD, which rounds once where the
//! processor can.
//!
//! ```
//! use kernel::lanes::{F32x4, Lanes};
//! fn square_plus_one<L: Lanes>(x: L) -> L {
//!     x.mul_add(x, L::splat(1.0))
//! }
//! assert_eq!(square_plus_one(F32x4::from_array([1.0, 2.0, 3.0, 4.0])).to_array(), [2.0, 5.0, 10.0, 17.0]);
//! assert_eq!(square_plus_one(3.0_f32), 10.0);
//! ```

#![allow(unsafe_code, reason = "loads and stores of four lanes through pointers")]

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Methods of numbers that answer a number.
macro_rules! methods {
    ($($name:ident($this:ident $(, $other:ident)*) $result:expr;)*) => {
        $(
            #[inline(always)]
            fn $name($this $(, $other: Self)*) -> Self {
                $result
            }
        )*
    };
}

/// Traits of [`std::ops`] with such a method.
macro_rules! arithmetic {
    ($type:ident: $($operator:ident::$name:ident($this:ident $(, $other:ident)?) $result:expr;)*) => {
        $(
            impl $operator for $type {
                type Output = $type;
                methods! { $name($this $(, $other)?) $result; }
            }
        )*
    };
}

#[cfg(target_arch = "wasm32")]
mod wasm;
#[cfg(target_arch = "wasm32")]
pub use wasm::F32x4;

#[cfg(not(target_arch = "wasm32"))]
mod portable;
#[cfg(not(target_arch = "wasm32"))]
pub use portable::F32x4;

/// One float32, or several side by side. Comparisons answer a mask: all bits of a lane set where it holds.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    const N_LANES: usize;

    fn splat(x: f32) -> Self;
    /// Each number in every lane, and none of them known to the compiler. For loops: V8 makes a vector that it knows
    /// anew in each round, by three instructions, where one that it does not know takes one, or none. The numbers lie
    /// in memory: a processor waits for what has just been written one by one and is read as a vector.
    #[inline(always)]
    fn constants<const N: usize>(numbers: &'static [f32; N]) -> [Self; N] {
        numbers.map(Self::splat)
    }
    /// The bits `bits` in every lane.
    fn splat_bits(bits: u32) -> Self;
    /// `self * a + b`: two roundings, or one in the build with relaxed SIMD.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `b < a ? b : a`: `a` (self) if a NaN takes part or both are equal. One instruction everywhere.
    fn pmin(self, b: Self) -> Self;
    /// `a < b ? b : a`: `a` (self) if a NaN takes part or both are equal. One instruction everywhere.
    fn pmax(self, b: Self) -> Self;
    /// The larger one, as IEEE 754-2019 `maximum`: NaN if either is NaN, and +0 is larger than -0.
    fn maximum(self, b: Self) -> Self;
    /// The smaller one, as IEEE 754-2019 `minimum`: NaN if either is NaN, and -0 is smaller than +0.
    fn minimum(self, b: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    /// To the nearest integer, ties to even.
    fn round_ties_even(self) -> Self;
    fn less(self, b: Self) -> Self;
    fn less_equal(self, b: Self) -> Self;
    fn equal(self, b: Self) -> Self;
    /// Bit by bit: `self` is the mask, `a` where it is set.
    fn select(self, a: Self, b: Self) -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn xor(self, b: Self) -> Self;
    /// `!self & b`.
    fn and_not(self, b: Self) -> Self;
    /// The sum of the bits, read as 32-bit integers, wrapping.
    fn add_bits(self, b: Self) -> Self;
    fn sub_bits(self, b: Self) -> Self;
    /// The bits moved up, zeros follow.
    fn shift_left<const N: u32>(self) -> Self;
    /// The bits moved down as a signed integer.
    fn shift_right<const N: u32>(self) -> Self;
    /// The bits read as signed 32-bit integers, as floats.
    fn bits_to_float(self) -> Self;
    /// Cut off towards zero, saturating, NaN to 0: the bits of 32-bit integers.
    fn float_to_bits(self) -> Self;
    /// Whether any bit of any lane is set.
    fn any(self) -> bool;
    /// `self - n * a - n * b` in float64, rounded once. `n * a` should be exact.
    fn minus_wide(self, n: Self, a: f64, b: f64) -> Self;
    /// `f` of each lane, in float64, rounded once: for what has no body of its own.
    fn map_wide(self, f: fn(f64) -> f64) -> Self;
    /// The same of two.
    fn zip_wide(self, b: Self, f: fn(f64, f64) -> f64) -> Self;
    /// `f` of both, in float64, rounded once.
    fn in_doubles(self, b: Self, f: impl OfDoubles) -> Self;

    /// # Safety
    /// `N_LANES` floats can be read from `from`.
    unsafe fn load(from: *const f32) -> Self;
    /// # Safety
    /// `N_LANES` floats can be written to `to`.
    unsafe fn store(self, to: *mut f32);
}

/// One float64, or several side by side, whose bits are also 64-bit integers.
pub trait Doubles: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    fn splat(x: f64) -> Self;
    /// To the nearest integer, ties to even.
    fn round_ties_even(self) -> Self;
    /// The smaller one; NaN if either is.
    fn minimum(self, b: Self) -> Self;
    /// The larger one; NaN if either is.
    fn maximum(self, b: Self) -> Self;
    /// The sum of the bits, wrapping.
    fn add_bits(self, b: Self) -> Self;
    fn sub_bits(self, b: Self) -> Self;
    /// The bits moved up, zeros follow.
    fn shift_left<const N: u32>(self) -> Self;
    /// The bits moved down as a signed integer.
    fn shift_right<const N: u32>(self) -> Self;
}

/// A function that is written once for one float64 and for several.
pub trait OfDoubles {
    fn of<D: Doubles>(&self, a: D, b: D) -> D;
}

impl Doubles for f64 {
    #[inline(always)]
    fn splat(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self) -> f64 {
        f64::from_bits(self.to_bits() << N)
    }
    #[inline(always)]
    fn shift_right<const N: u32>(self) -> f64 {
        f64::from_bits(((self.to_bits() as i64) >> N) as u64)
    }

    methods! {
        round_ties_even(self) f64::round_ties_even(self);
        minimum(self, b) crate::scalar::float::minimum(self, b);
        maximum(self, b) crate::scalar::float::maximum(self, b);
        add_bits(self, b) f64::from_bits(self.to_bits().wrapping_add(b.to_bits()));
        sub_bits(self, b) f64::from_bits(self.to_bits().wrapping_sub(b.to_bits()));
    }
}

impl F32x4 {
    /// `(lane 0 + lane 2) + (lane 1 + lane 3)`.
    #[inline(always)]
    pub fn sum(self) -> f32 {
        let [a, b, c, d] = self.to_array();
        (a + c) + (b + d)
    }
}

/// All bits where it holds.
fn mask(holds: bool) -> f32 {
    f32::from_bits(if holds { u32::MAX } else { 0 })
}

impl Lanes for f32 {
    const N_LANES: usize = 1;

    #[inline(always)]
    fn splat(x: f32) -> f32 {
        x
    }
    #[inline(always)]
    fn splat_bits(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self) -> f32 {
        f32::from_bits(self.to_bits() << N)
    }
    #[inline(always)]
    fn shift_right<const N: u32>(self) -> f32 {
        f32::from_bits(((self.to_bits() as i32) >> N) as u32)
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.to_bits() != 0
    }
    #[inline(always)]
    fn minus_wide(self, n: f32, a: f64, b: f64) -> f32 {
        (f64::from(self) - f64::from(n) * a - f64::from(n) * b) as f32
    }
    #[inline(always)]
    fn map_wide(self, f: fn(f64) -> f64) -> f32 {
        f(f64::from(self)) as f32
    }
    #[inline(always)]
    fn zip_wide(self, b: f32, f: fn(f64, f64) -> f64) -> f32 {
        f(f64::from(self), f64::from(b)) as f32
    }
    #[inline(always)]
    fn in_doubles(self, b: f32, f: impl OfDoubles) -> f32 {
        f.of(f64::from(self), f64::from(b)) as f32
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> f32 {
        unsafe { *from }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { *to = self }
    }

    methods! {
        mul_add(self, a, b) F32x4::splat(self).mul_add(F32x4::splat(a), F32x4::splat(b)).to_array()[0];
        pmin(self, b) if b < self { b } else { self };
        pmax(self, b) if self < b { b } else { self };
        maximum(self, b) if self.is_nan() || self > b || (self == b && self.is_sign_positive()) { self } else { b };
        minimum(self, b) if self.is_nan() || self < b || (self == b && self.is_sign_negative()) { self } else { b };
        abs(self) f32::abs(self);
        sqrt(self) f32::sqrt(self);
        floor(self) f32::floor(self);
        ceil(self) f32::ceil(self);
        trunc(self) f32::trunc(self);
        round_ties_even(self) f32::round_ties_even(self);
        less(self, b) mask(self < b);
        less_equal(self, b) mask(self <= b);
        equal(self, b) mask(self == b);
        select(self, a, b) f32::from_bits(self.to_bits() & a.to_bits() | !self.to_bits() & b.to_bits());
        and(self, b) f32::from_bits(self.to_bits() & b.to_bits());
        or(self, b) f32::from_bits(self.to_bits() | b.to_bits());
        xor(self, b) f32::from_bits(self.to_bits() ^ b.to_bits());
        and_not(self, b) f32::from_bits(!self.to_bits() & b.to_bits());
        add_bits(self, b) f32::from_bits(self.to_bits().wrapping_add(b.to_bits()));
        sub_bits(self, b) f32::from_bits(self.to_bits().wrapping_sub(b.to_bits()));
        bits_to_float(self) self.to_bits() as i32 as f32;
        float_to_bits(self) f32::from_bits(self as i32 as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: [f32; 8] = [0.0, -0.0, 1.5, -2.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 3e9];

    fn agree(name: &str, one: impl Fn(f32, f32) -> f32, four: impl Fn(F32x4, F32x4) -> F32x4) {
        for a in ODD {
            for b in ODD {
                let (want, got) = (one(a, b), four(F32x4::splat(a), F32x4::splat(b)).to_array());
                let is_same = |got: f32| got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(got.into_iter().all(is_same), "{name}({a}, {b}): {got:?}, not {want}");
            }
        }
    }

    #[test]
    fn four_lanes_are_one_lane_four_times() {
        agree("add", |a, b| a + b, |a, b| a + b);
        agree("sub", |a, b| a - b, |a, b| a - b);
        agree("mul", |a, b| a * b, |a, b| a * b);
        agree("div", |a, b| a / b, |a, b| a / b);
        agree("neg", |a, _| -a, |a, _| -a);
        agree("mul_add", |a, b| Lanes::mul_add(a, b, a), |a, b| a.mul_add(b, a));
        agree("pmin", Lanes::pmin, Lanes::pmin);
        agree("pmax", Lanes::pmax, Lanes::pmax);
        agree("maximum", Lanes::maximum, Lanes::maximum);
        agree("minimum", Lanes::minimum, Lanes::minimum);
        agree("abs", |a, _| Lanes::abs(a), |a, _| a.abs());
        agree("sqrt", |a, _| Lanes::sqrt(a), |a, _| a.sqrt());
        agree("floor", |a, _| Lanes::floor(a), |a, _| a.floor());
        agree("ceil", |a, _| Lanes::ceil(a), |a, _| a.ceil());
        agree("trunc", |a, _| Lanes::trunc(a), |a, _| a.trunc());
        agree("round_ties_even", |a, _| Lanes::round_ties_even(a), |a, _| a.round_ties_even());
        agree("less", |a, b| a.less(b), |a, b| a.less(b));
        agree("less_equal", |a, b| a.less_equal(b), |a, b| a.less_equal(b));
        agree("equal", |a, b| a.equal(b), |a, b| a.equal(b));
        agree("select", |a, b| a.less(b).select(a, b), |a, b| a.less(b).select(a, b));
        agree("and", |a, b| a.and(b), |a, b| a.and(b));
        agree("or", |a, b| a.or(b), |a, b| a.or(b));
        agree("xor", |a, b| a.xor(b), |a, b| a.xor(b));
        agree("and_not", |a, b| a.and_not(b), |a, b| a.and_not(b));
        agree("add_bits", |a, b| a.add_bits(b), |a, b| a.add_bits(b));
        agree("sub_bits", |a, b| a.sub_bits(b), |a, b| a.sub_bits(b));
        agree("shift_left", |a, _| a.shift_left::<3>(), |a, _| a.shift_left::<3>());
        agree("shift_right", |a, _| a.shift_right::<3>(), |a, _| a.shift_right::<3>());
        agree("bits_to_float", |a, _| a.bits_to_float(), |a, _| a.bits_to_float());
        agree("float_to_bits", |a, _| a.float_to_bits(), |a, _| a.float_to_bits());
        agree("any", |a, _| mask(a.any()), |a, _| F32x4::splat(mask(a.any())));
        agree("minus_wide", |a, b| a.minus_wide(b, 1.5, 0.1), |a, b| a.minus_wide(b, 1.5, 0.1));
        agree("map_wide", |a, _| a.map_wide(libm::atan), |a, _| a.map_wide(libm::atan));
    }

    #[test]
    fn lanes_are_dealt_and_turned() {
        let row = |first: f32| F32x4::from_array([first, first + 1.0, first + 2.0, first + 3.0]);
        assert_eq!(row(0.0).even(row(4.0)).to_array(), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(row(4.0).after(row(0.0)).to_array(), [3.0, 4.0, 5.0, 6.0]);
        assert_eq!(row(0.0).odd(row(4.0)).to_array(), [1.0, 3.0, 5.0, 7.0]);
        let interleaved = row(0.0).interleaved(row(4.0)).map(F32x4::to_array);
        assert_eq!(interleaved, [[0.0, 4.0, 1.0, 5.0], [2.0, 6.0, 3.0, 7.0]]);
        let turned = F32x4::transpose([row(0.0), row(4.0), row(8.0), row(12.0)]).map(F32x4::to_array);
        let columns = [[0.0, 4.0, 8.0, 12.0], [1.0, 5.0, 9.0, 13.0], [2.0, 6.0, 10.0, 14.0], [3.0, 7.0, 11.0, 15.0]];
        assert_eq!(turned, columns);
        assert_eq!(row(1.0).sum(), 10.0);
    }
}
