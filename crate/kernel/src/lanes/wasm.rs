//! Four lanes in WebAssembly's `v128`.

use super::{Doubles, Lanes, OfDoubles};
use core::arch::wasm32::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x4(pub v128);

impl F32x4 {
    #[inline(always)]
    pub fn from_array([a, b, c, d]: [f32; 4]) -> F32x4 {
        F32x4(f32x4(a, b, c, d))
    }
    #[inline(always)]
    pub fn to_array(self) -> [f32; 4] {
        let lanes = self.0;
        [
            f32x4_extract_lane::<0>(lanes),
            f32x4_extract_lane::<1>(lanes),
            f32x4_extract_lane::<2>(lanes),
            f32x4_extract_lane::<3>(lanes),
        ]
    }
    /// Lanes 0 and 2 of both.
    #[inline(always)]
    pub fn even(self, b: F32x4) -> F32x4 {
        F32x4(i32x4_shuffle::<0, 2, 4, 6>(self.0, b.0))
    }
    /// Lanes 1 and 3 of both.
    #[inline(always)]
    pub fn odd(self, b: F32x4) -> F32x4 {
        F32x4(i32x4_shuffle::<1, 3, 5, 7>(self.0, b.0))
    }
    /// The lanes of both in turn, in two vectors.
    #[inline(always)]
    pub fn interleaved(self, b: F32x4) -> [F32x4; 2] {
        [F32x4(i32x4_shuffle::<0, 4, 1, 5>(self.0, b.0)), F32x4(i32x4_shuffle::<2, 6, 3, 7>(self.0, b.0))]
    }
    /// One lane up; the first is the last of `before`.
    #[inline(always)]
    pub fn after(self, before: F32x4) -> F32x4 {
        F32x4(i32x4_shuffle::<3, 4, 5, 6>(before.0, self.0))
    }
    /// All bits of each lane whose byte is not 0.
    ///
    /// # Safety
    /// Four bytes can be read.
    #[inline(always)]
    pub unsafe fn mask_of_bytes(from: *const u8) -> F32x4 {
        // SAFETY: as here.
        let bytes = unsafe { v128_load32_zero(from.cast()) };
        let lanes = u32x4_extend_low_u16x8(u16x8_extend_low_u8x16(bytes));
        F32x4(i32x4_ne(lanes, i32x4_splat(0)))
    }
    /// A byte for each lane: 1 where its bits are a float that is not 0.
    #[inline(always)]
    pub fn to_bytes(four: [F32x4; 4]) -> [u8; 16] {
        let [a, b, c, d] = four.map(|lanes| f32x4_ne(lanes.0, f32x4_splat(0.0)));
        let bytes = i8x16_narrow_i16x8(i16x8_narrow_i32x4(a, b), i16x8_narrow_i32x4(c, d));
        let mut to = [0; 16];
        // SAFETY: there is room for 16 bytes.
        unsafe { v128_store(to.as_mut_ptr().cast(), v128_and(bytes, u8x16_splat(1))) };
        to
    }
    /// Four numbers of 16 bits as the lower ones of each lane.
    #[inline(always)]
    pub fn load_halves(from: &[u8; 8]) -> F32x4 {
        // SAFETY: there are eight bytes.
        F32x4(unsafe { u32x4_load_extend_u16x4(from.as_ptr().cast()) })
    }
    /// The lower 16 bits of each lane.
    #[inline(always)]
    pub fn to_halves(self) -> [u8; 8] {
        let lower = u16x8_shuffle::<0, 2, 4, 6, 0, 0, 0, 0>(self.0, self.0);
        u64x2_extract_lane::<0>(lower).to_le_bytes()
    }
    /// Rows to columns.
    #[inline(always)]
    pub fn transpose([a, b, c, d]: [F32x4; 4]) -> [F32x4; 4] {
        let ([ac, ac_high], [bd, bd_high]) = (a.interleaved(c), b.interleaved(d));
        let ([first, second], [third, last]) = (ac.interleaved(bd), ac_high.interleaved(bd_high));
        [first, second, third, last]
    }
}

arithmetic! {
    F32x4:
    Add::add(self, b) F32x4(f32x4_add(self.0, b.0));
    Sub::sub(self, b) F32x4(f32x4_sub(self.0, b.0));
    Mul::mul(self, b) F32x4(f32x4_mul(self.0, b.0));
    Div::div(self, b) F32x4(f32x4_div(self.0, b.0));
    Neg::neg(self) F32x4(f32x4_neg(self.0));
}

impl Lanes for F32x4 {
    const N_LANES: usize = 4;

    #[inline(always)]
    fn splat(x: f32) -> F32x4 {
        F32x4(f32x4_splat(x))
    }
    #[inline(always)]
    fn constants<const N: usize>(numbers: &'static [f32; N]) -> [F32x4; N] {
        let numbers = std::hint::black_box(numbers);
        let mut all = [F32x4::splat(0.0); N];
        for i in 0..N {
            all[i] = F32x4::splat(numbers[i]);
        }
        all
    }
    #[inline(always)]
    fn splat_bits(bits: u32) -> F32x4 {
        F32x4(u32x4_splat(bits))
    }
    #[cfg(target_feature = "relaxed-simd")]
    #[inline(always)]
    fn mul_add(self, a: F32x4, b: F32x4) -> F32x4 {
        F32x4(f32x4_relaxed_madd(self.0, a.0, b.0))
    }
    #[cfg(not(target_feature = "relaxed-simd"))]
    #[inline(always)]
    fn mul_add(self, a: F32x4, b: F32x4) -> F32x4 {
        F32x4(f32x4_add(f32x4_mul(self.0, a.0), b.0))
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self) -> F32x4 {
        F32x4(i32x4_shl(self.0, N))
    }
    #[inline(always)]
    fn shift_right<const N: u32>(self) -> F32x4 {
        F32x4(i32x4_shr(self.0, N))
    }
    #[inline(always)]
    fn any(self) -> bool {
        v128_any_true(self.0)
    }
    #[inline(always)]
    fn minus_wide(self, n: F32x4, a: f64, b: f64) -> F32x4 {
        let (a, b) = (f64x2_splat(a), f64x2_splat(b));
        let two = |x: v128, n: v128| {
            let (x, n) = (f64x2_promote_low_f32x4(x), f64x2_promote_low_f32x4(n));
            f32x4_demote_f64x2_zero(f64x2_sub(f64x2_sub(x, f64x2_mul(n, a)), f64x2_mul(n, b)))
        };
        let high = |x: v128| i64x2_shuffle::<1, 1>(x, x);
        F32x4(i64x2_shuffle::<0, 2>(two(self.0, n.0), two(high(self.0), high(n.0))))
    }
    #[inline(always)]
    fn map_wide(self, f: fn(f64) -> f64) -> F32x4 {
        F32x4::from_array(self.to_array().map(|x| x.map_wide(f)))
    }
    #[inline(always)]
    fn zip_wide(self, b: F32x4, f: fn(f64, f64) -> f64) -> F32x4 {
        let [p, q, r, s] = self.to_array();
        let [t, u, v, w] = b.to_array();
        F32x4::from_array([p.zip_wide(t, f), q.zip_wide(u, f), r.zip_wide(v, f), s.zip_wide(w, f)])
    }
    #[inline(always)]
    fn in_doubles(self, b: F32x4, f: impl OfDoubles) -> F32x4 {
        let two = |a: v128, b: v128| {
            let of = f.of(F64x2(f64x2_promote_low_f32x4(a)), F64x2(f64x2_promote_low_f32x4(b)));
            f32x4_demote_f64x2_zero(of.0)
        };
        let high = |x: v128| i64x2_shuffle::<1, 1>(x, x);
        F32x4(i64x2_shuffle::<0, 2>(two(self.0, b.0), two(high(self.0), high(b.0))))
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> F32x4 {
        F32x4(unsafe { v128_load(from.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { v128_store(to.cast(), self.0) }
    }

    methods! {
        pmin(self, b) F32x4(f32x4_pmin(self.0, b.0));
        pmax(self, b) F32x4(f32x4_pmax(self.0, b.0));
        maximum(self, b) F32x4(f32x4_max(self.0, b.0));
        minimum(self, b) F32x4(f32x4_min(self.0, b.0));
        abs(self) F32x4(f32x4_abs(self.0));
        sqrt(self) F32x4(f32x4_sqrt(self.0));
        floor(self) F32x4(f32x4_floor(self.0));
        ceil(self) F32x4(f32x4_ceil(self.0));
        trunc(self) F32x4(f32x4_trunc(self.0));
        round_ties_even(self) F32x4(f32x4_nearest(self.0));
        less(self, b) F32x4(f32x4_lt(self.0, b.0));
        less_equal(self, b) F32x4(f32x4_le(self.0, b.0));
        equal(self, b) F32x4(f32x4_eq(self.0, b.0));
        select(self, a, b) F32x4(v128_bitselect(a.0, b.0, self.0));
        and(self, b) F32x4(v128_and(self.0, b.0));
        or(self, b) F32x4(v128_or(self.0, b.0));
        xor(self, b) F32x4(v128_xor(self.0, b.0));
        and_not(self, b) F32x4(v128_andnot(b.0, self.0));
        add_bits(self, b) F32x4(i32x4_add(self.0, b.0));
        sub_bits(self, b) F32x4(i32x4_sub(self.0, b.0));
        bits_to_float(self) F32x4(f32x4_convert_i32x4(self.0));
        float_to_bits(self) F32x4(i32x4_trunc_sat_f32x4(self.0));
    }
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct F64x2(v128);

arithmetic! {
    F64x2:
    Add::add(self, b) F64x2(f64x2_add(self.0, b.0));
    Sub::sub(self, b) F64x2(f64x2_sub(self.0, b.0));
    Mul::mul(self, b) F64x2(f64x2_mul(self.0, b.0));
    Div::div(self, b) F64x2(f64x2_div(self.0, b.0));
}

impl Doubles for F64x2 {
    #[inline(always)]
    fn splat(x: f64) -> F64x2 {
        F64x2(f64x2_splat(x))
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self) -> F64x2 {
        F64x2(i64x2_shl(self.0, N))
    }
    #[inline(always)]
    fn shift_right<const N: u32>(self) -> F64x2 {
        F64x2(i64x2_shr(self.0, N))
    }

    methods! {
        round_ties_even(self) F64x2(f64x2_nearest(self.0));
        minimum(self, b) F64x2(f64x2_min(self.0, b.0));
        maximum(self, b) F64x2(f64x2_max(self.0, b.0));
        add_bits(self, b) F64x2(i64x2_add(self.0, b.0));
        sub_bits(self, b) F64x2(i64x2_sub(self.0, b.0));
    }
}
