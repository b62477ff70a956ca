//! Numbers as the bits that memory holds.

use crate::{Dtype, Scalar};

/// The bits of a number. There is one NaN.
pub fn scalar_bits(dtype: Dtype, scalar: Scalar) -> u64 {
    let (float, int) = match scalar {
        Scalar::Float(value) => (value, value as i64),
        Scalar::Int(value) => (value as f64, value),
    };
    match dtype {
        Dtype::Float64 if float.is_nan() => 0x7ff8_0000_0000_0000,
        Dtype::Float64 => float.to_bits(),
        Dtype::Float32 => single(float),
        Dtype::BFloat16 => single(float) >> 16,
        Dtype::Float16 => half(float),
        Dtype::Bool => u64::from(int != 0),
        Dtype::Int8 | Dtype::UInt8 => int as u8 as u64,
        Dtype::Int16 | Dtype::UInt16 => int as u16 as u64,
        Dtype::Int32 | Dtype::UInt32 => int as u32 as u64,
        Dtype::Int64 | Dtype::UInt64 => int as u64,
    }
}

/// The number of these bits. Every NaN is the canonical one.
pub fn scalar_of(dtype: Dtype, bits: u64) -> Scalar {
    match dtype {
        Dtype::Float64 => Scalar::Float(one_nan(f64::from_bits(bits))),
        Dtype::Float32 => Scalar::Float(one_nan(f64::from(f32::from_bits(bits as u32)))),
        Dtype::BFloat16 => Scalar::Float(one_nan(f64::from(f32::from_bits((bits as u32) << 16)))),
        Dtype::Float16 => Scalar::Float(of_half(bits)),
        Dtype::Bool => Scalar::Int((bits & 1) as i64),
        Dtype::Int8 => Scalar::Int(i64::from(bits as i8)),
        Dtype::Int16 => Scalar::Int(i64::from(bits as i16)),
        Dtype::Int32 => Scalar::Int(i64::from(bits as i32)),
        Dtype::UInt8 | Dtype::UInt16 | Dtype::UInt32 | Dtype::Int64 | Dtype::UInt64 => Scalar::Int(bits as i64),
    }
}

fn one_nan(value: f64) -> f64 {
    if value.is_nan() { f64::NAN } else { value }
}

fn single(value: f64) -> u64 {
    if value.is_nan() { 0x7fc0_0000 } else { u64::from((value as f32).to_bits()) }
}

/// Of a number that float16 has.
fn half(value: f64) -> u64 {
    let (bits, size) = (value.to_bits(), value.abs());
    let sign = bits >> 48 & 0x8000;
    if value.is_nan() {
        0x7e00
    } else if size == f64::INFINITY {
        sign | 0x7c00
    } else if size < HALF_NORMAL {
        sign | (size / HALF_STEP) as u64
    } else {
        // The exponent counts from 15 instead of from 1023.
        sign | (bits >> 42).wrapping_sub(1008 << 10) & 0x7fff
    }
}

fn of_half(bits: u64) -> f64 {
    let (fraction, exponent) = (bits & 0x3ff, bits >> 10 & 0x1f);
    let size = match exponent {
        0 => fraction as f64 * HALF_STEP,
        0x1f if fraction == 0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => f64::from_bits((exponent + 1008) << 52 | fraction << 42),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

/// The least normal number of float16, and the least of all.
const HALF_NORMAL: f64 = 1.0 / 16_384.0;
const HALF_STEP: f64 = HALF_NORMAL / 1_024.0;

/// The bits of an element of at most eight bytes, little-endian.
#[inline]
pub fn bits_of_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}
