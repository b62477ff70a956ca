//! Elementwise operators with something else than float32 on one side: comparisons, selection, conversion.
//!
//! A bool is a byte, 0 or 1. Conversions are those of the operator `cast`: a float is cut off towards zero, and what is
//! too large for the integer wraps; NaN is 0.

use super::broadcast::{Walk, runs};
use super::{Binary, Source, loops};
use crate::lanes::{F32x4, Lanes};
use std::mem::MaybeUninit;
use std::slice;

const BLOCK: usize = 256;

/// A comparison (or any operator whose results are 0 and 1) of every pair, as bytes.
pub fn compare(op: Binary, walk: &Walk<2>, operands: [&[f32]; 2], to: &mut [u8]) {
    let mut numbers = [MaybeUninit::<f32>::uninit(); BLOCK];
    let numbers = numbers.as_mut_ptr().cast::<f32>();
    let result = to.as_mut_ptr();
    runs(walk, operands.map(Source::Other), std::ptr::null_mut(), to.len(), |[a, b], start, n| {
        for at in (0..n).step_by(BLOCK) {
            let length = BLOCK.min(n - at);
            // SAFETY: `runs` hands out operands of `n` elements, and runs that follow each other in the result. All numbers
            // that are read have been written.
            unsafe {
                loops::binary(op, a.from(at), b.from(at), numbers, length);
                bytes(slice::from_raw_parts(numbers, length), result.add(start + at));
            }
        }
    });
}

/// 1 for each number that is not 0.
///
/// # Safety
/// There is room for as many bytes.
unsafe fn bytes(numbers: &[f32], to: *mut u8) {
    let (sixteens, rest) = numbers.as_chunks::<16>();
    unsafe {
        for (at, sixteen) in sixteens.iter().enumerate() {
            let four = [0, 4, 8, 12].map(|lane| F32x4::load(sixteen.as_ptr().add(lane)));
            to.add(16 * at).cast::<[u8; 16]>().write_unaligned(F32x4::to_bytes(four));
        }
        for (lane, &number) in rest.iter().enumerate() {
            *to.add(16 * sixteens.len() + lane) = u8::from(number != 0.0);
        }
    }
}

/// `x` where the condition is not 0, otherwise `y`: the operator `where`, on elements of any kind.
pub fn select<T: Copy>(condition: &[u8], x: &[T], y: &[T], walk: &Walk<3>, to: &mut [T]) {
    assert!(walk.n == to.len() && walk.fits([condition.len(), x.len(), y.len()]));
    for (run, to) in to.chunks_exact_mut(walk.run.max(1)).enumerate() {
        let [condition_at, x_at, y_at] = walk.offsets(run);
        let [condition_step, x_step, y_step] = walk.moves.map(usize::from);
        for (at, to) in to.iter_mut().enumerate() {
            let (x, y) = (x[x_at + at * x_step], y[y_at + at * y_step]);
            *to = if condition[condition_at + at * condition_step] != 0 { x } else { y };
        }
    }
}

/// As [`select`], of elements of four bytes, four at a time.
pub fn select_four(condition: &[u8], x: &[f32], y: &[f32], walk: &Walk<3>, to: &mut [f32]) {
    assert!(walk.n == to.len() && walk.fits([condition.len(), x.len(), y.len()]));
    let [condition_step, x_step, y_step] = walk.moves.map(usize::from);
    for (run, to) in to.chunks_exact_mut(walk.run.max(1)).enumerate() {
        let offsets = walk.offsets(run);
        let mut at = 0;
        // SAFETY: the walk fits the operands; four lanes are read where the run has as many.
        unsafe {
            let (condition, x, y) =
                (condition.as_ptr().add(offsets[0]), x.as_ptr().add(offsets[1]), y.as_ptr().add(offsets[2]));
            let four = |from: *const f32, at: usize, step: usize| match step {
                0 => F32x4::splat(*from),
                _ => F32x4::load(from.add(at)),
            };
            while condition_step > 0 && at + 4 <= to.len() {
                let (a, b) = (four(x, at, x_step), four(y, at, y_step));
                F32x4::mask_of_bytes(condition.add(at)).select(a, b).store(to.as_mut_ptr().add(at));
                at += 4;
            }
            for (at, to) in to.iter_mut().enumerate().skip(at) {
                let holds = *condition.add(at * condition_step) != 0;
                *to = if holds { *x.add(at * x_step) } else { *y.add(at * y_step) };
            }
        }
    }
}

/// `f` of every element: for conversions.
fn convert<A: Copy, B>(from: &[A], to: &mut [B], f: impl Fn(A) -> B) {
    assert_eq!(from.len(), to.len());
    from.iter().zip(to).for_each(|(&from, to)| *to = f(from));
}

/// Cut off towards zero; the low 64 bits of what is left.
fn whole(x: f32) -> i64 {
    if x.abs() < 9e18 { x as i64 } else { crate::number::float_to_int(f64::from(x)) as i64 }
}

pub fn to_i32(from: &[f32], to: &mut [i32]) {
    convert(from, to, |x| whole(x) as i32);
}

pub fn to_u8(from: &[f32], to: &mut [u8]) {
    convert(from, to, |x| whole(x) as u8);
}

pub fn to_bool(from: &[f32], to: &mut [u8]) {
    convert(from, to, |x| u8::from(x != 0.0));
}

pub fn to_f64(from: &[f32], to: &mut [f64]) {
    convert(from, to, f64::from);
}

pub fn from_i32(from: &[i32], to: &mut [f32]) {
    convert(from, to, |x| x as f32);
}

/// Also of bools.
pub fn from_u8(from: &[u8], to: &mut [f32]) {
    convert(from, to, f32::from);
}

pub fn from_f64(from: &[f64], to: &mut [f32]) {
    convert(from, to, |x| x as f32);
}
