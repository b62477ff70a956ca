//! Loops on elements of their own dtype, for operators that mean the same there as on numbers of 64 bits: what wraps
//! keeps its low bits whatever the width.
//!
//! Results equal those of [`wide`](crate::wide) to the bit, in a fraction of the time. What has no loop here goes
//! there.
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
use crate::lanes::{F32x4, Lanes};
use crate::number::round_f64;
use crate::wide::Format;
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

/// The function of two numbers as [`Rounds`].
macro_rules! rounds {
    ($number:ty, $f:expr) => {{
        unsafe fn whole(operands: [*const u8; 2], steps: [usize; 2], to: *mut u8, n: usize) {
            unsafe { rounds::<$number, { ROUND / size_of::<$number>() }>(operands, steps, to, n, $f) }
        }
        whole
    }};
}

/// # Safety
/// As [`Rounds`]; each operand is `to` or does not overlap it.
#[inline(always)]
unsafe fn rounds<T: Copy, const N: usize>(
    [mut a, mut b]: [*const u8; 2],
    [a_step, b_step]: [usize; 2],
    to: *mut u8,
    n: usize,
    f: impl Fn(T, T) -> T,
) {
    for at in (0..n).step_by(ROUND) {
        unsafe {
            let mut lanes = a.cast::<[T; N]>().read_unaligned();
            let others = b.cast::<[T; N]>().read_unaligned();
            for lane in 0..N {
                lanes[lane] = f(lanes[lane], others[lane]);
            }
            to.add(at).cast::<[T; N]>().write_unaligned(lanes);
        }
        (a, b) = (a.wrapping_add(a_step), b.wrapping_add(b_step));
    }
}

impl Loop {
    /// `None`: there is no loop for it.
    #[inline(never)]
    pub fn new(op: Binary, format: Format) -> Option<Loop> {
        use Binary::{Add, Divide, Maximum, Minimum, Multiply, Subtract};
        use Format::{Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
        let rounds: Rounds = match (op, format) {
            (Add, Int8 | UInt8) => rounds!(u8, u8::wrapping_add),
            (Add, Int16 | UInt16) => rounds!(u16, u16::wrapping_add),
            (Add, Int32 | UInt32) => rounds!(u32, u32::wrapping_add),
            (Add, Int64 | UInt64) => rounds!(u64, u64::wrapping_add),
            (Add, Float64) => rounds!(f64, |a, b| round_f64(a + b)),
            (Subtract, Int8 | UInt8) => rounds!(u8, u8::wrapping_sub),
            (Subtract, Int16 | UInt16) => rounds!(u16, u16::wrapping_sub),
            (Subtract, Int32 | UInt32) => rounds!(u32, u32::wrapping_sub),
            (Subtract, Int64 | UInt64) => rounds!(u64, u64::wrapping_sub),
            (Subtract, Float64) => rounds!(f64, |a, b| round_f64(a - b)),
            (Multiply, Int8 | UInt8) => rounds!(u8, u8::wrapping_mul),
            (Multiply, Int16 | UInt16) => rounds!(u16, u16::wrapping_mul),
            (Multiply, Int32 | UInt32) => rounds!(u32, u32::wrapping_mul),
            (Multiply, Int64 | UInt64) => rounds!(u64, u64::wrapping_mul),
            (Multiply, Float64) => rounds!(f64, |a, b| round_f64(a * b)),
            (Divide, Float64) => rounds!(f64, |a, b| round_f64(a / b)),
            (Maximum, Int8) => rounds!(i8, i8::max),
            (Maximum, Int16) => rounds!(i16, i16::max),
            (Maximum, Int32) => rounds!(i32, i32::max),
            (Maximum, UInt8) => rounds!(u8, u8::max),
            (Minimum, Int8) => rounds!(i8, i8::min),
            (Minimum, Int16) => rounds!(i16, i16::min),
            (Minimum, Int32) => rounds!(i32, i32::min),
            (Minimum, UInt8) => rounds!(u8, u8::min),
            _ => return None,
        };
        Some(Loop { rounds, width: format.width() })
    }

    /// Of every pair. `None` stands for the result; another operand has as many bytes as it, or one element for all.
    /// `None` comes back if it has not.
    #[inline]
    pub fn run(self, operands: [Option<&[u8]>; 2], to: &mut [u8]) -> Option<()> {
        let n = to.len();
        let result = to.as_mut_ptr();
        let whole = n / ROUND * ROUND;
        let mut few = [[0_u8; ROUND]; 2];
        let (mut from, mut steps) = ([result.cast_const(); 2], [ROUND; 2]);
        for (at, operand) in operands.into_iter().enumerate() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide::{self, BLOCK, LANES};

    const FORMATS: [Format; 9] = [
        Format::Int8,
        Format::UInt8,
        Format::Int16,
        Format::UInt16,
        Format::Int32,
        Format::UInt32,
        Format::Int64,
        Format::UInt64,
        Format::Float64,
    ];
    const OPERATORS: [Binary; 6] =
        [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Divide, Binary::Maximum, Binary::Minimum];

    /// What [`wide`] makes of the same bytes.
    fn widely(op: Binary, format: Format, [a, b]: [&[u8]; 2], to: &mut [u8]) {
        let n = to.len() / format.width();
        if format == Format::Float64 {
            let [mut x, mut y, mut z] = [[0.0; BLOCK]; 3];
            wide::read_floats(format, a, &mut x);
            wide::read_floats(format, b, &mut y);
            assert!(wide::binary_floats(op, [&x, &y], &mut z, n));
            wide::write_floats(format, &z, to);
        } else {
            let [mut x, mut y, mut z] = [[0; BLOCK]; 3];
            wide::read_ints(format, a, &mut x);
            wide::read_ints(format, b, &mut y);
            assert!(wide::binary_ints(op, format == Format::UInt64, [&x, &y], &mut z, n));
            wide::write_ints(format, &z, to);
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
                assert_eq!(got, want, "{op:?} of {n} {format:?}");
                got.copy_from_slice(&a);
                assert!(found.run([None, Some(&b)], &mut got).is_some());
                assert_eq!(got, want, "{op:?} of {n} {format:?}, in place of the first");
                got.copy_from_slice(&b);
                assert!(found.run([Some(&a), None], &mut got).is_some());
                assert_eq!(got, want, "{op:?} of {n} {format:?}, in place of the second");
                if n > 0 {
                    let one = &b[..format.width()];
                    widely(op, format, [&a, &one.repeat(n)], &mut want);
                    assert!(found.run([Some(&a), Some(one)], &mut got).is_some());
                    assert_eq!(got, want, "{op:?} of {n} {format:?} and one");
                    assert!(found.run([Some(&a[1..]), Some(one)], &mut got).is_none() || a.len() == format.width() + 1);
                }
            }
        }
        assert_eq!(n_found, 36);
    }
}
