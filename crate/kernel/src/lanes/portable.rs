//! Four lanes where there is no SIMD of ours: an array.

use super::Lanes;
use std::array;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
pub struct F32x4([f32; 4]);

impl F32x4 {
    #[inline(always)]
    pub fn from_array(lanes: [f32; 4]) -> F32x4 {
        F32x4(lanes)
    }
    #[inline(always)]
    pub fn to_array(self) -> [f32; 4] {
        self.0
    }
    /// Lanes 0 and 2 of both.
    #[inline(always)]
    pub fn even(self, b: F32x4) -> F32x4 {
        F32x4([self.0[0], self.0[2], b.0[0], b.0[2]])
    }
    /// Lanes 1 and 3 of both.
    #[inline(always)]
    pub fn odd(self, b: F32x4) -> F32x4 {
        F32x4([self.0[1], self.0[3], b.0[1], b.0[3]])
    }
    /// Rows to columns.
    #[inline(always)]
    pub fn transpose(rows: [F32x4; 4]) -> [F32x4; 4] {
        array::from_fn(|column| F32x4(array::from_fn(|row| rows[row].0[column])))
    }
    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> F32x4 {
        F32x4(self.0.map(f))
    }
    #[inline(always)]
    fn zip(self, b: F32x4, f: impl Fn(f32, f32) -> f32) -> F32x4 {
        F32x4(array::from_fn(|lane| f(self.0[lane], b.0[lane])))
    }
}

impl Add for F32x4 {
    type Output = F32x4;
    #[inline(always)]
    fn add(self, b: F32x4) -> F32x4 {
        self.zip(b, |a, b| a + b)
    }
}

impl Sub for F32x4 {
    type Output = F32x4;
    #[inline(always)]
    fn sub(self, b: F32x4) -> F32x4 {
        self.zip(b, |a, b| a - b)
    }
}

impl Mul for F32x4 {
    type Output = F32x4;
    #[inline(always)]
    fn mul(self, b: F32x4) -> F32x4 {
        self.zip(b, |a, b| a * b)
    }
}

impl Div for F32x4 {
    type Output = F32x4;
    #[inline(always)]
    fn div(self, b: F32x4) -> F32x4 {
        self.zip(b, |a, b| a / b)
    }
}

impl Neg for F32x4 {
    type Output = F32x4;
    #[inline(always)]
    fn neg(self) -> F32x4 {
        self.map(|a| -a)
    }
}

impl Lanes for F32x4 {
    const N_LANES: usize = 4;

    #[inline(always)]
    fn splat(x: f32) -> F32x4 {
        F32x4([x; 4])
    }
    #[inline(always)]
    fn splat_bits(bits: u32) -> F32x4 {
        F32x4([f32::from_bits(bits); 4])
    }
    #[inline(always)]
    fn mul_add(self, a: F32x4, b: F32x4) -> F32x4 {
        self * a + b
    }
    #[inline(always)]
    fn pmin(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::pmin)
    }
    #[inline(always)]
    fn pmax(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::pmax)
    }
    #[inline(always)]
    fn maximum(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::maximum)
    }
    #[inline(always)]
    fn minimum(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::minimum)
    }
    #[inline(always)]
    fn abs(self) -> F32x4 {
        self.map(f32::abs)
    }
    #[inline(always)]
    fn sqrt(self) -> F32x4 {
        self.map(f32::sqrt)
    }
    #[inline(always)]
    fn floor(self) -> F32x4 {
        self.map(f32::floor)
    }
    #[inline(always)]
    fn ceil(self) -> F32x4 {
        self.map(f32::ceil)
    }
    #[inline(always)]
    fn trunc(self) -> F32x4 {
        self.map(f32::trunc)
    }
    #[inline(always)]
    fn round_ties_even(self) -> F32x4 {
        self.map(f32::round_ties_even)
    }
    #[inline(always)]
    fn less(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::less)
    }
    #[inline(always)]
    fn less_equal(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::less_equal)
    }
    #[inline(always)]
    fn equal(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::equal)
    }
    #[inline(always)]
    fn select(self, a: F32x4, b: F32x4) -> F32x4 {
        F32x4(array::from_fn(|lane| self.0[lane].select(a.0[lane], b.0[lane])))
    }
    #[inline(always)]
    fn and(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::and)
    }
    #[inline(always)]
    fn or(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::or)
    }
    #[inline(always)]
    fn xor(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::xor)
    }
    #[inline(always)]
    fn and_not(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::and_not)
    }
    #[inline(always)]
    fn add_bits(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::add_bits)
    }
    #[inline(always)]
    fn sub_bits(self, b: F32x4) -> F32x4 {
        self.zip(b, Lanes::sub_bits)
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self) -> F32x4 {
        self.map(Lanes::shift_left::<N>)
    }
    #[inline(always)]
    fn shift_right<const N: u32>(self) -> F32x4 {
        self.map(Lanes::shift_right::<N>)
    }
    #[inline(always)]
    fn bits_to_float(self) -> F32x4 {
        self.map(Lanes::bits_to_float)
    }
    #[inline(always)]
    fn float_to_bits(self) -> F32x4 {
        self.map(Lanes::float_to_bits)
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.into_iter().any(Lanes::any)
    }
    #[inline(always)]
    fn minus_wide(self, n: F32x4, a: f64, b: f64) -> F32x4 {
        self.zip(n, |x, n| x.minus_wide(n, a, b))
    }
    #[inline(always)]
    fn map_wide(self, f: fn(f64) -> f64) -> F32x4 {
        self.map(|x| x.map_wide(f))
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> F32x4 {
        F32x4(unsafe { *from.cast::<[f32; 4]>() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { *to.cast::<[f32; 4]>() = self.0 }
    }
}
