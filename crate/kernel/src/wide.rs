//! Elements of every dtype, a block at a time, as numbers of 64 bits.
//!
//! What has no loops for its own dtype reads its elements into blocks of `i64` or `f64`, computes there, and writes
//! them back: wrapped, or rounded once, as [`number`] has it. An unsigned integer of 64 bits is the `i64` with its
//! bits. Results equal those of [`scalar`](crate::scalar), brought back to the dtype, to the bit.
//!
//! A loop goes over [`LANES`] elements at once, so that all of its rounds are alike: what stands in a block behind the
//! last element is computed too, and means nothing.
//!
//! ```
//! use kernel::elementwise::Binary;
//! use kernel::wide::{BLOCK, Format, binary_ints, read_ints, write_ints};
//! let (mut a, mut b, mut quotients) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
//! read_ints(Format::Int8, &[0x80, 0xf9], &mut a);
//! read_ints(Format::Int8, &[0xff, 0x02], &mut b);
//! assert!(binary_ints(Binary::Divide, false, [&a, &b], &mut quotients, 2));
//! assert_eq!(quotients[..2], [128, -3]);
//! let mut bytes = [0; 2];
//! write_ints(Format::Int8, &quotients, &mut bytes);
//! assert_eq!(bytes, [0x80, 0xfd]); // The bytes of -128 and -3.
//! ```

use crate::elementwise::{Binary, Unary};
use crate::halves;
use crate::lanes::F32x4;
use crate::number;
use crate::scalar::float;

/// How many elements a block has room for.
pub const BLOCK: usize = 128;

/// How many elements a round of a loop takes.
pub const LANES: usize = 4;

/// How an element lies in memory, little-endian. A bool is a byte, 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    BFloat16,
    Float32,
    Float64,
}

impl Format {
    /// Of an element, in bytes.
    pub const fn width(self) -> usize {
        match self {
            Format::Bool | Format::Int8 | Format::UInt8 => 1,
            Format::Int16 | Format::UInt16 | Format::Float16 | Format::BFloat16 => 2,
            Format::Int32 | Format::UInt32 | Format::Float32 => 4,
            Format::Int64 | Format::UInt64 | Format::Float64 => 8,
        }
    }

    /// How many elements so many bytes are, without the division that it takes longest to do.
    pub const fn count(self, n_bytes: usize) -> usize {
        n_bytes >> self.width().trailing_zeros()
    }

    /// How many of so many bytes are whole rounds.
    const fn whole(self, n_bytes: usize) -> usize {
        n_bytes & !(self.width() * LANES - 1)
    }
}

/// `f` of every element, as far as the shorter goes in whole rounds.
#[inline(always)]
fn map1<A: Copy, R>(from: &[A], to: &mut [R], f: impl Fn(A) -> R) {
    for (from, to) in from.as_chunks::<LANES>().0.iter().zip(to.as_chunks_mut::<LANES>().0) {
        for (&from, to) in from.iter().zip(to) {
            *to = f(from);
        }
    }
}

/// `f` of the first `n` pairs, in whole rounds.
#[inline(always)]
fn map2<A: Copy, R>([a, b]: [&[A; BLOCK]; 2], to: &mut [R; BLOCK], n: usize, f: impl Fn(A, A) -> R) {
    let rounds = a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0).zip(to.as_chunks_mut::<LANES>().0);
    for ((a, b), to) in rounds.take(n.div_ceil(LANES)) {
        for ((&a, &b), to) in a.iter().zip(b).zip(to) {
            *to = f(a, b);
        }
    }
}

/// Elements of an integer dtype or of bools; at most a block.
pub fn read_ints(format: Format, bytes: &[u8], to: &mut [i64; BLOCK]) {
    in_rounds(format, bytes, |bytes, start| ints(format, bytes, &mut to[start..]));
}

/// Elements of a float dtype; at most a block. NaN is canonical.
pub fn read_floats(format: Format, bytes: &[u8], to: &mut [f64; BLOCK]) {
    in_rounds(format, bytes, |bytes, start| floats(format, bytes, &mut to[start..]));
}

/// Hands `read` all bytes in whole rounds, the last one on a padded copy, and which element is the first.
#[inline(always)]
fn in_rounds(format: Format, bytes: &[u8], mut read: impl FnMut(&[u8], usize)) {
    let round = format.width() * LANES;
    let (whole, rest) = bytes.split_at(format.whole(bytes.len()));
    if !whole.is_empty() {
        read(whole, 0);
    }
    if !rest.is_empty() {
        let mut padded = [0; 8 * LANES];
        padded[..rest.len()].copy_from_slice(rest);
        read(&padded[..round], format.count(whole.len()));
    }
}

#[inline(never)]
fn ints(format: Format, bytes: &[u8], to: &mut [i64]) {
    match format {
        Format::Bool | Format::UInt8 => map1(bytes, to, i64::from),
        Format::Int8 => map1(bytes, to, |byte| i64::from(byte as i8)),
        Format::Int16 => map1(bytes.as_chunks().0, to, |x| i64::from(i16::from_le_bytes(x))),
        Format::Int32 => map1(bytes.as_chunks().0, to, |x| i64::from(i32::from_le_bytes(x))),
        Format::UInt16 => map1(bytes.as_chunks().0, to, |x| i64::from(u16::from_le_bytes(x))),
        Format::UInt32 => map1(bytes.as_chunks().0, to, |x| i64::from(u32::from_le_bytes(x))),
        Format::Int64 | Format::UInt64 => map1(bytes.as_chunks().0, to, i64::from_le_bytes),
        Format::Float16 | Format::BFloat16 | Format::Float32 | Format::Float64 => {}
    }
}

#[inline(never)]
fn floats(format: Format, bytes: &[u8], to: &mut [f64]) {
    match format {
        Format::Float16 => {
            for (bytes, to) in bytes.as_chunks().0.iter().zip(to.as_chunks_mut().0) {
                *to = halves::of_f16(F32x4::load_halves(bytes)).to_array().map(canonical);
            }
        }
        Format::BFloat16 => {
            map1(bytes.as_chunks().0, to, |[low, high]| canonical(f32::from_le_bytes([0, 0, low, high])));
        }
        Format::Float32 => map1(bytes.as_chunks().0, to, |x| canonical(f32::from_le_bytes(x))),
        Format::Float64 => map1(bytes.as_chunks().0, to, |x| number::round_f64(f64::from_le_bytes(x))),
        _ => {}
    }
}

fn canonical(x: f32) -> f64 {
    number::round_f64(x.into())
}

/// Writes the elements of an integer dtype, or bools, that `bytes` has room for: at most a block. What is too large
/// wraps; of bools, all but 0 is true.
pub fn write_ints(format: Format, from: &[i64; BLOCK], bytes: &mut [u8]) {
    out_rounds(format, bytes, |bytes, start| int_bytes(format, &from[start..], bytes));
}

/// Writes the elements of a float dtype that `bytes` has room for: at most a block. Each is rounded once.
pub fn write_floats(format: Format, from: &[f64; BLOCK], bytes: &mut [u8]) {
    out_rounds(format, bytes, |bytes, start| float_bytes(format, &from[start..], bytes));
}

/// As [`in_rounds`], for `write`.
#[inline(always)]
fn out_rounds(format: Format, bytes: &mut [u8], mut write: impl FnMut(&mut [u8], usize)) {
    let round = format.width() * LANES;
    let (whole, rest) = bytes.split_at_mut(format.whole(bytes.len()));
    let n_whole = format.count(whole.len());
    if n_whole > 0 {
        write(whole, 0);
    }
    if !rest.is_empty() {
        let mut padded = [0; 8 * LANES];
        write(&mut padded[..round], n_whole);
        rest.copy_from_slice(&padded[..rest.len()]);
    }
}

#[inline(never)]
fn int_bytes(format: Format, from: &[i64], bytes: &mut [u8]) {
    match format {
        Format::Bool => map1(from, bytes, |x| u8::from(x != 0)),
        Format::Int8 | Format::UInt8 => map1(from, bytes, |x| x as u8),
        Format::Int16 | Format::UInt16 => map1(from, bytes.as_chunks_mut().0, |x| (x as u16).to_le_bytes()),
        Format::Int32 | Format::UInt32 => map1(from, bytes.as_chunks_mut().0, |x| (x as u32).to_le_bytes()),
        Format::Int64 | Format::UInt64 => map1(from, bytes.as_chunks_mut().0, i64::to_le_bytes),
        Format::Float16 | Format::BFloat16 | Format::Float32 | Format::Float64 => {}
    }
}

#[inline(never)]
fn float_bytes(format: Format, from: &[f64], bytes: &mut [u8]) {
    match format {
        Format::Float16 => {
            for (&from, bytes) in from.as_chunks().0.iter().zip(bytes.as_chunks_mut().0) {
                *bytes = halves::to_f16(F32x4::from_array(from.map(odd))).to_halves();
            }
        }
        Format::BFloat16 => map1(from, bytes.as_chunks_mut().0, brain),
        Format::Float32 => map1(from, bytes.as_chunks_mut().0, |x| (number::round_f64(x) as f32).to_le_bytes()),
        Format::Float64 => map1(from, bytes.as_chunks_mut().0, |x| number::round_f64(x).to_le_bytes()),
        _ => {}
    }
}

/// For a narrower format to round, as float32 whose last digit is odd if there is more behind it, so that no number
/// becomes the midpoint of two. What float32 has no normal number for is as small or as large for the format.
#[inline(always)]
fn odd(x: f64) -> f32 {
    const BEHIND: u64 = (1 << 29) - 1;
    let bits = x.to_bits();
    f64::from_bits((bits | ((bits & BEHIND) + BEHIND)) & !BEHIND) as f32
}

/// The bytes of the nearest bfloat16.
fn brain(x: f64) -> [u8; 2] {
    let [.., low, high] = (number::round_bf16(x) as f32).to_le_bytes();
    [low, high]
}

/// Cut off towards zero; the low 64 bits of what is left, of which larger ones than an `i128` has are its largest. NaN
/// is 0.
pub fn floats_to_ints(from: &[f64; BLOCK], to: &mut [i64; BLOCK], n: usize) {
    for (&from, to) in from[..n].iter().zip(to) {
        *to = if from.abs() < 9e18 { from as i64 } else { number::float_to_int(from) as i64 };
    }
}

/// 1 for all but 0.
pub fn floats_to_bools(from: &[f64; BLOCK], to: &mut [i64; BLOCK]) {
    map1(from, to, |x| i64::from(x != 0.0));
}

/// For `format` to round, which is a float's: [`number::int_to_float`], or the nearest.
pub fn ints_to_floats(from: &[i64; BLOCK], is_unsigned: bool, to: &mut [f64; BLOCK], n: usize, format: Format) {
    for (&from, to) in from[..n].iter().zip(to) {
        let large = if is_unsigned { from as u64 >> 53 } else { from.unsigned_abs() >> 53 };
        let x = if is_unsigned { i128::from(from as u64) } else { i128::from(from) };
        *to = match large {
            0 => from as f64,
            _ if format == Format::Float64 => x as f64,
            _ => number::int_to_float(x),
        };
    }
}

/// The comparison or division `op` of the first `n` pairs; what is added or multiplied has loops of its own dtype
/// ([`native`](crate::native)). False if it has no loop here, or no answer to one of them.
pub fn binary_ints(op: Binary, is_unsigned: bool, of: [&[i64; BLOCK]; 2], to: &mut [i64; BLOCK], n: usize) -> bool {
    // What an unsigned number has for a sign is its largest digit.
    let flip = if is_unsigned { i64::MIN } else { 0 };
    let less = |a: i64, b: i64| a ^ flip < b ^ flip;
    let [a, b] = of;
    match op {
        Binary::Equal => map2(of, to, n, |a, b| i64::from(a == b)),
        Binary::NotEqual => map2(of, to, n, |a, b| i64::from(a != b)),
        Binary::Less => map2(of, to, n, |a, b| i64::from(less(a, b))),
        Binary::LessEqual => map2(of, to, n, |a, b| i64::from(!less(b, a))),
        Binary::Greater => return binary_ints(Binary::Less, is_unsigned, [b, a], to, n),
        Binary::GreaterEqual => return binary_ints(Binary::LessEqual, is_unsigned, [b, a], to, n),
        Binary::Divide | Binary::TruncDivide | Binary::Mod | Binary::FloorDivide | Binary::FloorMod
            if !is_unsigned && !b[..n].contains(&0) =>
        {
            for ((&a, &b), to) in a.iter().zip(b).zip(to).take(n) {
                let (quotient, rest) = quotient(a, b);
                // One of the other sign than the divisor's is a step too far for what is rounded down.
                let is_over = rest != 0 && (rest ^ b) < 0;
                *to = match op {
                    Binary::Mod => rest,
                    Binary::FloorDivide => quotient - i64::from(is_over),
                    Binary::FloorMod => rest + if is_over { b } else { 0 },
                    _ => quotient,
                };
            }
        }
        _ => return false,
    }
    true
}

/// Cut off towards zero, and what is left. Of numbers of 32 bits, the nearest float64 is on the same side of each whole
/// number as the quotient, and takes less time.
fn quotient(a: i64, b: i64) -> (i64, i64) {
    let (small, divisor) = (a as i32, b as i32);
    let quotient = match i64::from(small) == a && i64::from(divisor) == b {
        true => (f64::from(small) / f64::from(divisor)) as i64,
        false => a.wrapping_div(b),
    };
    (quotient, a.wrapping_sub(quotient.wrapping_mul(b)))
}

/// The comparison `op` of the first `n` pairs, 1 where it holds. False if it is none.
pub fn compare_floats(op: Binary, of: [&[f64; BLOCK]; 2], to: &mut [i64; BLOCK], n: usize) -> bool {
    let [a, b] = of;
    match op {
        Binary::Equal => map2(of, to, n, |a, b| i64::from(a == b)),
        Binary::NotEqual => map2(of, to, n, |a, b| i64::from(a != b)),
        Binary::Less => map2(of, to, n, |a, b| i64::from(a < b)),
        Binary::LessEqual => map2(of, to, n, |a, b| i64::from(a <= b)),
        Binary::Greater => return compare_floats(Binary::Less, [b, a], to, n),
        Binary::GreaterEqual => return compare_floats(Binary::LessEqual, [b, a], to, n),
        _ => return false,
    }
    true
}

/// `op` of the first `n` elements. False if it has no loop here.
pub fn unary_ints(op: Unary, is_unsigned: bool, from: &[i64; BLOCK], to: &mut [i64; BLOCK], n: usize) -> bool {
    let from = &from[..n.next_multiple_of(LANES)];
    match op {
        Unary::Abs | Unary::Relu if is_unsigned => map1(from, to, |x| x),
        Unary::Abs => map1(from, to, i64::wrapping_abs),
        Unary::Relu => map1(from, to, |x| x.max(0)),
        Unary::Negative => map1(from, to, i64::wrapping_neg),
        _ => return false,
    }
    true
}

/// `op` of the first `n` elements. False if it has no loop here.
pub fn unary_floats(op: Unary, from: &[f64; BLOCK], to: &mut [f64; BLOCK], n: usize) -> bool {
    let from = &from[..n.next_multiple_of(LANES)];
    match op {
        Unary::Abs => map1(from, to, float::abs),
        Unary::Relu => map1(from, to, float::relu),
        Unary::Negative => map1(from, to, float::negative),
        Unary::Sqrt => map1(from, to, float::sqrt),
        _ => return false,
    }
    true
}

/// Folds elements into sums, of which each row of elements has one for each column; `at` is the first element's column,
/// and then that of what comes next.
#[inline(always)]
fn fold<T: Copy, S: Copy>(from: &[T], sums: &mut [S], at: &mut usize, step: impl Fn(S, T) -> S) {
    if let [sum] = sums {
        *sum = from.iter().fold(*sum, |sum, &x| step(sum, x));
        return;
    }
    let mut left = from;
    while !left.is_empty() {
        let (row, rest) = left.split_at(left.len().min(sums.len() - *at));
        sums[*at..].iter_mut().zip(row).for_each(|(sum, &x)| *sum = step(*sum, x));
        *at = (*at + row.len()) % sums.len();
        left = rest;
    }
}

/// Folds one element after the other. There is a sum.
pub fn fold_floats(step: fn(f64, f64) -> f64, from: &[f64], sums: &mut [f64], at: &mut usize) {
    fold(from, sums, at, step);
}

/// The same, of integers as their values.
pub fn fold_ints(step: fn(i128, i128) -> i128, is_unsigned: bool, from: &[i64], sums: &mut [i128], at: &mut usize) {
    fold(from, sums, at, |sum, x| step(sum, if is_unsigned { i128::from(x as u64) } else { i128::from(x) }));
}

/// The same, of sums.
pub fn add_floats(from: &[f64], sums: &mut [f64], at: &mut usize) {
    fold(from, sums, at, |sum, x| sum + x);
}

/// The same, of sums, which wrap.
pub fn add_ints(from: &[i64], sums: &mut [i64], at: &mut usize) {
    fold(from, sums, at, i64::wrapping_add);
}

#[cfg(test)]
mod tests;
