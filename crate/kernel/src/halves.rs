//! float16 and bfloat16 as float32, and back, four elements at a time.
//!
//! Every number of both is a float32. The way back is one rounding, to nearest and ties to even, with the canonical
//! NaN, as [`number::round_f16`](crate::number::round_f16) and [`round_bf16`](crate::number::round_bf16) have it.
//!
//! What is exact in [`crate::elementwise`], or rounded once, may be computed in float32 and rounded again: float32 has
//! at least twice the digits of both, and two more, so that a sum, difference, product, quotient or root never comes to
//! lie on the midpoint of two of theirs by the first rounding (Figueroa, When is Double Rounding Innocuous?, 1995).
//!
//! ```
//! use kernel::halves::{Half, read, write};
//! let mut numbers = [0.0; 2];
//! read(Half::Float16, &[0x00, 0x3c, 0x00, 0xc0], &mut numbers);
//! assert_eq!(numbers, [1.0, -2.0]);
//! let mut bytes = [0; 4];
//! write(Half::BFloat16, &numbers, &mut bytes);
//! assert_eq!(bytes, [0x80, 0x3f, 0x00, 0xc0]);
//! ```

use crate::lanes::{F32x4, Lanes};

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Half {
    Float16,
    BFloat16,
}

/// Elements of two bytes as float32: `to` has room for all.
pub fn read(half: Half, from: &[u8], to: &mut [f32]) {
    let (from, last) = from.as_chunks();
    let (to, rest) = to.as_chunks_mut();
    read_fours(half, from, to);
    if !rest.is_empty() {
        let (mut bytes, mut numbers) = ([0; 8], [[0.0; 4]]);
        bytes[..last.len()].copy_from_slice(last);
        read_fours(half, &[bytes], &mut numbers);
        rest.copy_from_slice(&numbers[0][..rest.len()]);
    }
}

/// The other way round, to the nearest: `to` has room for all. NaN is canonical.
pub fn write(half: Half, from: &[f32], to: &mut [u8]) {
    let (from, last) = from.as_chunks();
    let (to, rest) = to.as_chunks_mut();
    write_fours(half, from, to);
    if !rest.is_empty() {
        let (mut numbers, mut bytes) = ([0.0; 4], [[0; 8]]);
        numbers[..last.len()].copy_from_slice(last);
        write_fours(half, &[numbers], &mut bytes);
        rest.copy_from_slice(&bytes[0][..rest.len()]);
    }
}

#[inline(never)]
fn read_fours(half: Half, from: &[[u8; 8]], to: &mut [[f32; 4]]) {
    let fours = from.iter().zip(to).map(|(bytes, to)| (F32x4::load_halves(bytes), to));
    match half {
        Half::Float16 => fours.for_each(|(bits, to)| *to = of_f16(bits).to_array()),
        Half::BFloat16 => fours.for_each(|(bits, to)| *to = bits.shift_left::<16>().to_array()),
    }
}

#[inline(never)]
fn write_fours(half: Half, from: &[[f32; 4]], to: &mut [[u8; 8]]) {
    let fours = from.iter().zip(to).map(|(&from, to)| (F32x4::from_array(from), to));
    match half {
        Half::Float16 => fours.for_each(|(x, to)| *to = to_f16(x).to_halves()),
        Half::BFloat16 => fours.for_each(|(x, to)| *to = to_bf16(x).to_halves()),
    }
}

/// The numbers of these bits. A NaN keeps its own.
#[inline(always)]
pub(crate) fn of_f16<L: Lanes>(bits: L) -> L {
    let magnitude = bits.and(L::splat_bits(0x7fff)).shift_left::<13>();
    // With an exponent that is larger by 112, subnormal ones too. The largest one stands for infinity and NaN.
    let number = magnitude * L::splat_bits((127 + 112) << 23);
    let is_finite = magnitude.less(L::splat_bits(0x7c00 << 13));
    let top = L::splat_bits(0x7f80_0000);
    number.or(is_finite.and_not(top)).or(bits.and(L::splat_bits(0x8000)).shift_left::<16>())
}

/// The bits of the nearest float16.
#[inline(always)]
pub(crate) fn to_f16<L: Lanes>(x: L) -> L {
    let magnitude = x.abs();
    // The power of two below it, among those that float16 has, and the one above them all.
    let power = magnitude.and(L::splat_bits(0x7f80_0000)).pmax(L::splat(f32::powi(2.0, -14))).pmin(L::splat(65536.0));
    // A float32 as far from 0 as this has its last digit where float16 has it.
    let far = power * L::splat(1.5 * 8192.0);
    let rounded = ((magnitude + far) - far).pmin(L::splat(65536.0));
    // With an exponent that is less by 112, a float32 has the same bits, 13 places further up; also subnormal ones.
    let bits = (rounded * L::splat_bits((127 - 112) << 23)).shift_right::<13>();
    let bits = bits.or(x.shift_right::<16>().and(L::splat_bits(0x8000)));
    x.equal(x).select(bits, L::splat_bits(0x7e00))
}

/// The bits of the nearest bfloat16: the upper half, and one more if the lower one is more than half of that, or half
/// and it is odd.
#[inline(always)]
fn to_bf16<L: Lanes>(x: L) -> L {
    let odd = x.shift_right::<16>().and(L::splat_bits(1));
    let bits = x.add_bits(L::splat_bits(0x7fff)).add_bits(odd).shift_right::<16>();
    x.equal(x).select(bits, L::splat_bits(0x7fc0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;
    use half::bf16;

    fn bits_of(half: Half, x: f32) -> u16 {
        match half {
            Half::Float16 => number::bits_of_f16(number::round_f16(x.into())),
            Half::BFloat16 => ((number::round_bf16(x.into()) as f32).to_bits() >> 16) as u16,
        }
    }

    fn written(half: Half, x: f32) -> u16 {
        let mut bytes = [0; 2];
        write(half, &[x], &mut bytes);
        u16::from_le_bytes(bytes)
    }

    #[test]
    fn every_number_of_two_bytes_goes_to_float32_and_back() {
        let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        for half in [Half::Float16, Half::BFloat16] {
            let mut numbers = vec![0.0; 1 << 16];
            read(half, &all, &mut numbers);
            for (bits, &x) in (0..=u16::MAX).zip(&numbers) {
                let expected = match half {
                    Half::Float16 => number::f16_of_bits(bits) as f32,
                    Half::BFloat16 => bf16::from_bits(bits).to_f32(),
                };
                assert!(
                    x.to_bits() == expected.to_bits() || x.is_nan() && expected.is_nan(),
                    "{half:?} {bits:#x}: {x}"
                );
                assert_eq!(written(half, x), bits_of(half, expected), "{half:?} {bits:#x}");
            }
        }
    }

    #[test]
    fn what_lies_between_two_goes_to_the_nearer_and_midway_to_the_even_one() {
        for half in [Half::Float16, Half::BFloat16] {
            let unit = if half == Half::Float16 { 1_u32 << 13 } else { 1 << 16 };
            // Every number, every midpoint of two, and what lies beside them.
            for at in 0..u32::MAX / (unit / 2) {
                for near in [-1, 0, 1] {
                    let x = f32::from_bits((at * (unit / 2)).wrapping_add_signed(near));
                    assert_eq!(written(half, x), bits_of(half, x), "{half:?} {x:e}");
                }
            }
            // Subnormal ones have fewer digits.
            for at in 0..1 << 14 {
                let midpoint = at as f32 * f32::powi(2.0, -25);
                for x in [midpoint.next_down(), midpoint, midpoint.next_up(), -midpoint] {
                    assert_eq!(written(half, x), bits_of(half, x), "{half:?} {x:e}");
                }
            }
        }
    }

    #[test]
    fn any_number_of_elements_is_converted() {
        for n in 0..20 {
            let from: Vec<f32> = (0..n).map(|x| x as f32 - 7.5).collect();
            let (mut bytes, mut back) = (vec![0; 2 * n], vec![0.0; n]);
            write(Half::Float16, &from, &mut bytes);
            read(Half::Float16, &bytes, &mut back);
            assert_eq!(back, from);
        }
    }
}
