//! Loops on elements of their own dtype, for operators that mean the same there as on numbers of 64 bits: what wraps
//! keeps its low bits whatever the width.
//!
//! Results equal those of [`wide`](crate::wide) to the bit, but for the bits of a NaN of float32, in a fraction of the
//! time. What has no loop here goes there.
//!
//! ```
//! use kernel::{elementwise::Binary, native::Loop, wide::Format};
//! let add = Loop::new(Binary::Add, Format::Int16).unwrap();
//! let mut sums = [0; 6];
//! add.run([Some(&[1, 0, 0xff, 0xff, 2, 0]), Some(&[3, 0])], &mut sums);
//! assert_eq!(sums, [4, 0, 2, 0, 5, 0]); // 1, -1 and 2, each plus 3.
//! ```

#![allow(unsafe_code, reason = "an operand may be where the result is, so that both are pointers")]

use crate::elementwise::Binary;
use crate::index::NOWHERE;
use crate::lanes::{F32x4, Lanes};
use crate::wide::Format;
#[cfg(not(target_arch = "wasm32"))]
use crate::{number::round_f64, scalar::float};
#[cfg(target_arch = "wasm32")]
use core::arch::wasm32::*;
use std::ptr::read_volatile;

/// How many bytes a round of a loop takes of each operand.
const ROUND: usize = 16;

/// An operator of two operands of one dtype, which is the result's too.
#[derive(Clone, Copy)]
pub struct Loop {
    rounds: Rounds,
    /// Of an element, in bytes.
    width: usize,
}

/// The result of so many bytes, a multiple of [`ROUND`], from those of the operands; a step is how far an operand moves
/// in a round: [`ROUND`], or 0 to stay.
type Rounds = unsafe fn([*const u8; 2], [usize; 2], *mut u8, usize);

/// The function of two numbers as [`Rounds`]; in WebAssembly that of two vectors of them, which the compiler would not
/// find where all the code is optimised as one.
macro_rules! rounds {
    ($number:ty, $f:expr, $vector:expr) => {{
        unsafe fn whole(operands: [*const u8; 2], steps: [usize; 2], to: *mut u8, n: usize) {
            #[cfg(target_arch = "wasm32")]
            // SAFETY: as here.
            unsafe {
                rounds::<v128>(operands, steps, to, n, |a, b| $vector(a, b))
            }
            #[cfg(not(target_arch = "wasm32"))]
            // SAFETY: as here.
            unsafe {
                rounds::<[$number; ROUND / size_of::<$number>()]>(operands, steps, to, n, |mut a, b| {
                    a.iter_mut().zip(b).for_each(|(a, b)| *a = $f(*a, b));
                    a
                })
            }
        }
        whole
    }};
}

/// # Safety
/// As [`Rounds`]; each operand is `to` or does not overlap it. A vector has [`ROUND`] bytes.
#[inline(always)]
unsafe fn rounds<V: Copy>(
    [mut a, mut b]: [*const u8; 2],
    [a_step, b_step]: [usize; 2],
    to: *mut u8,
    n: usize,
    f: impl Fn(V, V) -> V,
) {
    for at in (0..n).step_by(ROUND) {
        unsafe {
            let vector = f(a.cast::<V>().read_unaligned(), b.cast::<V>().read_unaligned());
            to.add(at).cast::<V>().write_unaligned(vector);
        }
        (a, b) = (a.wrapping_add(a_step), b.wrapping_add(b_step));
    }
}

/// The products' low bytes.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn multiply_bytes(a: v128, b: v128) -> v128 {
    let (low, high) = (u16x8_extmul_low_u8x16(a, b), u16x8_extmul_high_u8x16(a, b));
    u8x16_shuffle::<0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30>(low, high)
}

/// All bits where an unsigned number is larger: a signed one is, if that of the largest digit is turned.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn u64x2_gt(a: v128, b: v128) -> v128 {
    let turned = |x| v128_xor(x, i64x2_splat(i64::MIN));
    i64x2_gt(turned(a), turned(b))
}

/// NaN is canonical.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn canonical(x: v128) -> v128 {
    v128_bitselect(x, f64x2_splat(f64::NAN), f64x2_eq(x, x))
}

/// What is done to all bits alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bits {
    And,
    Or,
    Xor,
}

impl Loop {
    /// `None`: there is no loop for it.
    #[inline(never)]
    pub fn new(op: Binary, format: Format) -> Option<Loop> {
        use Binary::{Add, Divide, Maximum, Minimum, Multiply, Subtract};
        use Format::{Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
        let rounds: Rounds = match (op, format) {
            (Add, Int8 | UInt8) => rounds!(u8, u8::wrapping_add, u8x16_add),
            (Add, Int16 | UInt16) => rounds!(u16, u16::wrapping_add, u16x8_add),
            (Add, Int32 | UInt32) => rounds!(u32, u32::wrapping_add, u32x4_add),
            (Add, Int64 | UInt64) => rounds!(u64, u64::wrapping_add, u64x2_add),
            (Add, Float32) => rounds!(f32, |a, b| a + b, f32x4_add),
            (Add, Float64) => rounds!(f64, |a, b| round_f64(a + b), (|a, b| canonical(f64x2_add(a, b)))),
            (Subtract, Int8 | UInt8) => rounds!(u8, u8::wrapping_sub, u8x16_sub),
            (Subtract, Int16 | UInt16) => rounds!(u16, u16::wrapping_sub, u16x8_sub),
            (Subtract, Int32 | UInt32) => rounds!(u32, u32::wrapping_sub, u32x4_sub),
            (Subtract, Int64 | UInt64) => rounds!(u64, u64::wrapping_sub, u64x2_sub),
            (Subtract, Float64) => rounds!(f64, |a, b| round_f64(a - b), (|a, b| canonical(f64x2_sub(a, b)))),
            (Multiply, Int8 | UInt8) => rounds!(u8, u8::wrapping_mul, multiply_bytes),
            (Multiply, Int16 | UInt16) => rounds!(u16, u16::wrapping_mul, u16x8_mul),
            (Multiply, Int32 | UInt32) => rounds!(u32, u32::wrapping_mul, u32x4_mul),
            (Multiply, Int64 | UInt64) => rounds!(u64, u64::wrapping_mul, u64x2_mul),
            (Multiply, Float64) => rounds!(f64, |a, b| round_f64(a * b), (|a, b| canonical(f64x2_mul(a, b)))),
            (Divide, Float64) => rounds!(f64, |a, b| round_f64(a / b), (|a, b| canonical(f64x2_div(a, b)))),
            (Maximum, Int8) => rounds!(i8, i8::max, i8x16_max),
            (Maximum, Int16) => rounds!(i16, i16::max, i16x8_max),
            (Maximum, Int32) => rounds!(i32, i32::max, i32x4_max),
            (Maximum, Int64) => rounds!(i64, i64::max, (|a, b| v128_bitselect(a, b, i64x2_gt(a, b)))),
            (Maximum, UInt8) => rounds!(u8, u8::max, u8x16_max),
            (Maximum, UInt16) => rounds!(u16, u16::max, u16x8_max),
            (Maximum, UInt32) => rounds!(u32, u32::max, u32x4_max),
            (Maximum, UInt64) => rounds!(u64, u64::max, (|a, b| v128_bitselect(a, b, u64x2_gt(a, b)))),
            (Maximum, Float32) => rounds!(f32, <f32 as Lanes>::maximum, f32x4_max),
            (Maximum, Float64) => {
                rounds!(f64, |a, b| round_f64(float::maximum(a, b)), (|a, b| canonical(f64x2_max(a, b))))
            }
            (Minimum, Int8) => rounds!(i8, i8::min, i8x16_min),
            (Minimum, Int16) => rounds!(i16, i16::min, i16x8_min),
            (Minimum, Int32) => rounds!(i32, i32::min, i32x4_min),
            (Minimum, Int64) => rounds!(i64, i64::min, (|a, b| v128_bitselect(b, a, i64x2_gt(a, b)))),
            (Minimum, UInt8) => rounds!(u8, u8::min, u8x16_min),
            (Minimum, UInt16) => rounds!(u16, u16::min, u16x8_min),
            (Minimum, UInt32) => rounds!(u32, u32::min, u32x4_min),
            (Minimum, UInt64) => rounds!(u64, u64::min, (|a, b| v128_bitselect(b, a, u64x2_gt(a, b)))),
            (Minimum, Float64) => {
                rounds!(f64, |a, b| round_f64(float::minimum(a, b)), (|a, b| canonical(f64x2_min(a, b))))
            }
            _ => return None,
        };
        Some(Loop { rounds, width: format.width() })
    }

    /// On elements of this format, whatever they mean.
    #[inline(never)]
    pub fn of_bits(op: Bits, format: Format) -> Loop {
        let rounds: Rounds = match op {
            Bits::And => rounds!(u64, |a, b| a & b, v128_and),
            Bits::Or => rounds!(u64, |a, b| a | b, v128_or),
            Bits::Xor => rounds!(u64, |a, b| a ^ b, v128_xor),
        };
        Loop { rounds, width: format.width() }
    }

    /// Of every pair. `None` stands for the result; another operand has as many bytes as it, or one element for all.
    /// `None` comes back if it has not.
    #[inline(never)]
    pub fn run(self, operands: [Option<&[u8]>; 2], to: &mut [u8]) -> Option<()> {
        self.run_here(operands, to)
    }

    /// As [`Loop::run`], in the caller's own code: for little operands the call would be much of what there is to do.
    #[inline]
    pub fn run_here(self, operands: [Option<&[u8]>; 2], to: &mut [u8]) -> Option<()> {
        let n = to.len();
        let result = to.as_mut_ptr();
        let whole = n / ROUND * ROUND;
        let mut few = [[0_u8; ROUND]; 2];
        let (mut from, mut steps) = ([result.cast_const(); 2], [ROUND; 2]);
        for (at, &operand) in operands.iter().enumerate() {
            match operand {
                Some(bytes) if bytes.len() == n => from[at] = bytes.as_ptr(),
                Some(bytes) if bytes.len() == self.width => {
                    match bytes {
                        // A vector at once, since it is read as one.
                        // SAFETY: a round has four elements of four bytes.
                        &[a, b, c, d] => unsafe {
                            F32x4::splat(f32::from_le_bytes([a, b, c, d])).store(few[at].as_mut_ptr().cast())
                        },
                        _ => {
                            for lane in few[at].chunks_exact_mut(self.width) {
                                // SAFETY: both have the width of an element.
                                unsafe { copy_few(bytes.as_ptr(), lane.as_mut_ptr(), self.width) }
                            }
                        }
                    }
                    (from[at], steps[at]) = (few[at].as_ptr(), 0);
                }
                Some(_) => return None,
                None => {}
            }
        }
        // SAFETY: whole rounds are inside of the operands that move and of the result; what is behind them is copied.
        unsafe {
            if whole > 0 {
                (self.rounds)(from, steps, result, whole);
            }
            if whole < n {
                for at in 0..2 {
                    if steps[at] > 0 {
                        copy_few(from[at].add(whole), few[at].as_mut_ptr(), n - whole);
                    }
                }
                let [a, b] = &mut few;
                let last = a.as_mut_ptr();
                (self.rounds)([last.cast_const(), b.as_ptr()], [ROUND; 2], last, ROUND);
                copy_few(last, result.add(whole), n - whole);
            }
        }
        Some(())
    }
}

/// Copies fewer bytes than a round. Volatile, for else the compiler makes this a call of `memory.copy`, which takes
/// browsers longer to begin.
///
/// # Safety
/// `n` bytes can be read and written, and do not overlap.
#[inline(always)]
unsafe fn copy_few(from: *const u8, to: *mut u8, n: usize) {
    let mut at = 0;
    unsafe {
        while at + 4 <= n {
            to.add(at).cast::<[u8; 4]>().write_unaligned(read_volatile(from.add(at).cast::<[u8; 4]>()));
            at += 4;
        }
        while at < n {
            *to.add(at) = read_volatile(from.add(at));
            at += 1;
        }
    }
}

/// As `copy_from_slice`. Up to 64 bytes, it is a few loads and stores: the instruction that copies them all takes engines
/// as long to begin as to copy some hundred bytes.
#[inline]
pub fn copy_short(from: &[u8], to: &mut [u8]) {
    /// The first `N` bytes and the last ones, which may be the same. What is copied is read before it is written.
    fn ends<const N: usize>(from: &[u8], to: &mut [u8], copy: impl Fn(&[u8; N], &mut [u8; N])) {
        let (Some(first), Some(last)) = (from.first_chunk(), from.last_chunk()) else { return };
        to.first_chunk_mut().into_iter().for_each(|to| copy(first, to));
        to.last_chunk_mut().into_iter().for_each(|to| copy(last, to));
    }
    fn sixteen(from: &[u8; 16], to: &mut [u8; 16]) {
        *to = u128::from_le_bytes(*from).to_le_bytes();
    }
    fn whole<const N: usize>(from: &[u8; N], to: &mut [u8; N]) {
        *to = *from;
    }
    match from.len() {
        _ if from.len() != to.len() => {}
        0 => {}
        1 => to[0] = from[0],
        2..4 => ends::<2>(from, to, whole),
        4..8 => ends::<4>(from, to, whole),
        8..16 => ends::<8>(from, to, whole),
        16..=32 => ends::<16>(from, to, sixteen),
        33..=64 => {
            let (n, half) = (from.len(), from.len() / 2);
            ends::<16>(&from[..half], &mut to[..half], sixteen);
            ends::<16>(&from[half..n], &mut to[half..n], sixteen);
        }
        _ => to.copy_from_slice(from),
    }
}

/// Writes one element, of 1, 2, 4 or 8 bytes, as often as it goes in.
pub fn repeat(element: &[u8], to: &mut [u8]) {
    let word = match *element {
        [a] => [a; 8],
        [a, b] => [a, b, a, b, a, b, a, b],
        [a, b, c, d] => [a, b, c, d, a, b, c, d],
        _ => element.first_chunk().copied().unwrap_or_default(),
    };
    if to.len() > 64 && word.iter().all(|byte| *byte == word[0]) {
        return to.fill(word[0]);
    }
    let (words, rest) = to.as_chunks_mut::<8>();
    words.fill(word);
    rest.iter_mut().zip(word).for_each(|(to, byte)| *to = byte);
}

/// Runs of so many bytes from their places, one after the other; what is [`NOWHERE`] is filled with an element, which is
/// no longer than a run.
pub fn gather(from: &[u8], places: &[usize], run: usize, fill: &[u8], to: &mut [u8]) {
    fn few<const N: usize>(from: &[u8], places: &[usize], fill: &[u8], to: &mut [u8]) {
        let mut filled = [0; N];
        repeat(fill, &mut filled);
        for (to, &place) in to.as_chunks_mut::<N>().0.iter_mut().zip(places) {
            match place {
                NOWHERE => *to = filled,
                place => to.copy_from_slice(&from[place..][..N]),
            }
        }
    }
    match run {
        1 => few::<1>(from, places, fill, to),
        2 => few::<2>(from, places, fill, to),
        4 => few::<4>(from, places, fill, to),
        8 => few::<8>(from, places, fill, to),
        _ => {
            for (to, &place) in to.chunks_exact_mut(run).zip(places) {
                match place {
                    NOWHERE => repeat(fill, to),
                    place => copy_short(&from[place..][..run], to),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{float, int};
    use crate::wide::{self, BLOCK, LANES};

    const FORMATS: [Format; 10] = [
        Format::Int8,
        Format::UInt8,
        Format::Int16,
        Format::UInt16,
        Format::Int32,
        Format::UInt32,
        Format::Int64,
        Format::UInt64,
        Format::Float32,
        Format::Float64,
    ];
    const OPERATORS: [Binary; 6] =
        [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Divide, Binary::Maximum, Binary::Minimum];

    #[test]
    fn runs_come_from_their_places_or_are_filled() {
        let from: Vec<u8> = (0..200).collect();
        for width in [1, 2, 4, 8] {
            let fill: Vec<u8> = (200..).take(width).collect();
            for run in (1..=5).map(|n| n * width) {
                let places = [3 * run, NOWHERE, 0, NOWHERE];
                let mut found = vec![0; 4 * run];
                gather(&from, &places, run, &fill, &mut found);
                for (part, &place) in found.chunks(run).zip(&places) {
                    let filled: Vec<u8> = fill.iter().copied().cycle().take(run).collect();
                    assert_eq!(part, if place == NOWHERE { &filled } else { &from[place..][..run] }, "{width} {run}");
                }
            }
        }
    }

    #[test]
    fn few_bytes_are_copied_and_repeated_as_many() {
        for n in 0..150 {
            let from: Vec<u8> = (0..n).map(|at| at as u8 ^ 0x5a).collect();
            let mut to = vec![0xff; n + 2];
            copy_short(&from, &mut to[1..=n]);
            assert_eq!((&to[1..=n], to[0], to[n + 1]), (&from[..], 0xff, 0xff));
            for width in [1, 2, 4, 8] {
                let element = &[3, 1, 4, 1, 5, 9, 2, 6][..width];
                let mut to = vec![0xff; n * width];
                repeat(element, &mut to);
                assert_eq!(to, element.repeat(n));
            }
        }
    }

    /// What the meaning makes of the same bytes, by way of [`wide`].
    fn widely(op: Binary, format: Format, [a, b]: [&[u8]; 2], to: &mut [u8]) {
        if matches!(format, Format::Float32 | Format::Float64) {
            let [mut x, mut y, mut z] = [[0.0; BLOCK]; 3];
            wide::read_floats(format, a, &mut x);
            wide::read_floats(format, b, &mut y);
            let meaning = match op {
                Binary::Add => float::add,
                Binary::Subtract => float::subtract,
                Binary::Multiply => float::multiply,
                Binary::Divide => float::divide,
                Binary::Maximum => float::maximum,
                _ => float::minimum,
            };
            z.iter_mut().zip(x.iter().zip(&y)).for_each(|(z, (&x, &y))| *z = meaning(x, y));
            wide::write_floats(format, &z, to);
        } else {
            let [mut x, mut y, mut z] = [[0; BLOCK]; 3];
            wide::read_ints(format, a, &mut x);
            wide::read_ints(format, b, &mut y);
            let meaning = match op {
                Binary::Add => int::add,
                Binary::Subtract => int::subtract,
                Binary::Multiply => int::multiply,
                Binary::Maximum => int::maximum,
                _ => int::minimum,
            };
            let value = |x: i64| if format == Format::UInt64 { i128::from(x as u64) } else { i128::from(x) };
            z.iter_mut()
                .zip(x.iter().zip(&y))
                .for_each(|(z, (&x, &y))| *z = meaning(value(x), value(y)).unwrap() as i64);
            wide::write_ints(format, &z, to);
        }
    }

    /// The same bytes; the bits of a NaN among float32s may be any.
    fn assert_same(format: Format, got: &[u8], want: &[u8], what: &str) {
        let canonical = |bytes: &[u8]| -> Vec<u8> {
            let float = |x: &[u8; 4]| Some(f32::from_le_bytes(*x)).filter(|x| !x.is_nan()).unwrap_or(f32::NAN);
            match format {
                Format::Float32 => bytes.as_chunks().0.iter().flat_map(|x| float(x).to_le_bytes()).collect(),
                _ => bytes.to_vec(),
            }
        };
        assert_eq!(canonical(got), canonical(want), "{what} {format:?}");
    }

    #[test]
    fn bits_are_joined_whatever_they_mean() {
        let (a, b) = ([0b1100_u8; 37], [0b1010_u8; 37]);
        for (op, expected) in [(Bits::And, 0b1000), (Bits::Or, 0b1110), (Bits::Xor, 0b0110)] {
            let mut to = [0; 37];
            Loop::of_bits(op, Format::Bool).run([Some(&a), Some(&b)], &mut to).unwrap();
            assert_eq!(to, [expected; 37]);
            Loop::of_bits(op, Format::Bool).run([Some(&a), Some(&b[..1])], &mut to).unwrap();
            assert_eq!(to, [expected; 37]);
        }
    }

    #[test]
    fn loops_mean_what_wide_ones_mean() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        let mut n_found = 0;
        for (op, format) in OPERATORS.iter().flat_map(|&op| FORMATS.map(|format| (op, format))) {
            let Some(found) = Loop::new(op, format) else { continue };
            n_found += 1;
            for n in 0..(40 * LANES).min(BLOCK) {
                let size = n * format.width();
                // Bytes that are likely to be the ends of what a dtype has, infinities and NaN.
                let mut bytes = || match random() % 4 {
                    0 => 0xff,
                    1 => 0x80,
                    2 => 0x7f,
                    _ => random(),
                };
                let a: Vec<u8> = (0..size).map(|_| bytes()).collect();
                let b: Vec<u8> = (0..size).map(|_| bytes()).collect();
                let mut want = vec![0; size];
                widely(op, format, [&a, &b], &mut want);
                let mut got = vec![0; size];
                assert!(found.run([Some(&a), Some(&b)], &mut got).is_some());
                assert_same(format, &got, &want, &format!("{op:?} of {n}"));
                got.copy_from_slice(&a);
                assert!(found.run([None, Some(&b)], &mut got).is_some());
                assert_same(format, &got, &want, &format!("{op:?} of {n}, in place of the first,"));
                got.copy_from_slice(&b);
                assert!(found.run([Some(&a), None], &mut got).is_some());
                assert_same(format, &got, &want, &format!("{op:?} of {n}, in place of the second,"));
                if n > 0 {
                    let one = &b[..format.width()];
                    widely(op, format, [&a, &one.repeat(n)], &mut want);
                    assert!(found.run([Some(&a), Some(one)], &mut got).is_some());
                    assert_same(format, &got, &want, &format!("{op:?} of {n} and one"));
                    assert!(found.run([Some(&a[1..]), Some(one)], &mut got).is_none() || a.len() == format.width() + 1);
                }
            }
        }
        assert_eq!(n_found, 48);
    }
}
