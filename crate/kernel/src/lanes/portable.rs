//! Four lanes where there is no SIMD of ours: an array.

use super::{Lanes, OfDoubles};
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
    /// The lanes of both in turn, in two vectors.
    #[inline(always)]
    pub fn interleaved(self, b: F32x4) -> [F32x4; 2] {
        [F32x4([self.0[0], b.0[0], self.0[1], b.0[1]]), F32x4([self.0[2], b.0[2], self.0[3], b.0[3]])]
    }
    /// One lane up; the first is the last of `before`.
    #[inline(always)]
    pub fn after(self, before: F32x4) -> F32x4 {
        F32x4([before.0[3], self.0[0], self.0[1], self.0[2]])
    }
    /// All bits of each lane whose byte is not 0.
    ///
    /// # Safety
    /// Four bytes can be read.
    #[inline(always)]
    pub unsafe fn mask_of_bytes(from: *const u8) -> F32x4 {
        // SAFETY: as here.
        F32x4(array::from_fn(|lane| super::mask(unsafe { *from.add(lane) } != 0)))
    }
    /// A byte for each lane: 1 where its bits are a float that is not 0.
    #[inline(always)]
    pub fn to_bytes(four: [F32x4; 4]) -> [u8; 16] {
        array::from_fn(|at| u8::from(four[at / 4].0[at % 4] != 0.0))
    }
    /// Four numbers of 16 bits as the lower ones of each lane.
    #[inline(always)]
    pub fn load_halves(from: &[u8; 8]) -> F32x4 {
        F32x4(array::from_fn(|lane| f32::from_bits(u16::from_le_bytes([from[2 * lane], from[2 * lane + 1]]).into())))
    }
    /// The lower 16 bits of each lane.
    #[inline(always)]
    pub fn to_halves(self) -> [u8; 8] {
        array::from_fn(|at| self.0[at / 2].to_bits().to_le_bytes()[at % 2])
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

arithmetic! {
    F32x4:
    Add::add(self, b) self.zip(b, |a, b| a + b);
    Sub::sub(self, b) self.zip(b, |a, b| a - b);
    Mul::mul(self, b) self.zip(b, |a, b| a * b);
    Div::div(self, b) self.zip(b, |a, b| a / b);
    Neg::neg(self) self.map(|a| -a);
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
    fn shift_left<const N: u32>(self) -> F32x4 {
        self.map(Lanes::shift_left::<N>)
    }
    #[inline(always)]
    fn shift_right<const N: u32>(self) -> F32x4 {
        self.map(Lanes::shift_right::<N>)
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
    fn zip_wide(self, b: F32x4, f: fn(f64, f64) -> f64) -> F32x4 {
        self.zip(b, |a, b| a.zip_wide(b, f))
    }
    #[inline(always)]
    fn in_doubles(self, b: F32x4, f: impl OfDoubles) -> F32x4 {
        self.zip(b, |a, b| f.of(f64::from(a), f64::from(b)) as f32)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> F32x4 {
        F32x4(unsafe { *from.cast::<[f32; 4]>() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { *to.cast::<[f32; 4]>() = self.0 }
    }

    methods! {
        mul_add(self, a, b) self * a + b;
        pmin(self, b) self.zip(b, Lanes::pmin);
        pmax(self, b) self.zip(b, Lanes::pmax);
        maximum(self, b) self.zip(b, Lanes::maximum);
        minimum(self, b) self.zip(b, Lanes::minimum);
        abs(self) self.map(f32::abs);
        sqrt(self) self.map(f32::sqrt);
        floor(self) self.map(f32::floor);
        ceil(self) self.map(f32::ceil);
        trunc(self) self.map(f32::trunc);
        round_ties_even(self) self.map(f32::round_ties_even);
        less(self, b) self.zip(b, Lanes::less);
        less_equal(self, b) self.zip(b, Lanes::less_equal);
        equal(self, b) self.zip(b, Lanes::equal);
        select(self, a, b) F32x4(array::from_fn(|lane| self.0[lane].select(a.0[lane], b.0[lane])));
        and(self, b) self.zip(b, Lanes::and);
        or(self, b) self.zip(b, Lanes::or);
        xor(self, b) self.zip(b, Lanes::xor);
        and_not(self, b) self.zip(b, Lanes::and_not);
        add_bits(self, b) self.zip(b, Lanes::add_bits);
        sub_bits(self, b) self.zip(b, Lanes::sub_bits);
        bits_to_float(self) self.map(Lanes::bits_to_float);
        float_to_bits(self) self.map(Lanes::float_to_bits);
    }
}
