//! Sums and scalars as bits: which variant it is, its fields put in and taken out.

use crate::bits::{Words, read_bits, splice_bits, write_bits, zeros};
use crate::layout::{Kind, LayoutId, Tag, Variant};
use crate::layouts::Layouts;
use ty::{Dtype, Scalar};

/// Which variant the bits of a sum are. They are a value's.
#[inline]
pub fn variant_of(layouts: &Layouts, layout: LayoutId, words: &[u64]) -> usize {
    let Kind::Sum { tag, variants } = &layouts[layout].kind else { return 0 };
    variant_in(*tag, variants, words)
}

/// As [`variant_of`], for a sum with this tag and these variants.
pub fn variant_in(tag: Tag, variants: &[Variant], words: &[u64]) -> usize {
    let (offset, bits, other) = match tag {
        Tag::None => return variants.iter().position(|variant| variant.is_inhabited).unwrap_or(0),
        Tag::Bits { offset, bits } => (offset, bits, 0),
        Tag::Niche { offset, bits, dataful } => (offset, bits, dataful),
    };
    let code = Some(read_bits(words, offset, bits) as u32);
    // Most often codes are places.
    let guess = code.map_or(0, |code| code as usize);
    match variants.get(guess) {
        Some(variant) if variant.code == code => guess,
        Some(_) | None => variants.iter().position(|variant| variant.code == code).unwrap_or(other),
    }
}

/// The bits of this variant with these fields, each in words of its own.
pub fn pack(layouts: &Layouts, layout: LayoutId, variant: usize, fields: &[Words]) -> Words {
    let mut words = zeros(layouts[layout].bits);
    let Kind::Sum { variants, .. } = &layouts[layout].kind else { return words };
    for (field, value) in variants[variant].fields.iter().zip(fields) {
        splice_bits(&mut words, field.offset, layouts[field.layout].bits, value);
    }
    set_variant(layouts, layout, variant, &mut words);
    words
}

/// Writes the code of a variant, if it has one.
pub fn set_variant(layouts: &Layouts, layout: LayoutId, variant: usize, words: &mut [u64]) {
    let Kind::Sum { tag, variants } = &layouts[layout].kind else { return };
    match (*tag, variants[variant].code) {
        (Tag::Bits { offset, bits } | Tag::Niche { offset, bits, .. }, Some(code)) => {
            write_bits(words, offset, bits, u64::from(code));
        }
        (Tag::None | Tag::Bits { .. } | Tag::Niche { .. }, _) => {}
    }
}

/// The word of a box for this content, if that takes no block.
pub fn immediate_of(layouts: &Layouts, layout: LayoutId, content: &[u64]) -> Option<u32> {
    let Kind::Box { content: inner, immediates } = &layouts[layout].kind else { return None };
    match immediates.is_empty() {
        true => None,
        false => immediates[variant_of(layouts, *inner, content)],
    }
}

/// The variant that the word of a box stands for, if that is no pointer.
#[inline]
pub fn immediate_variant(immediates: &[Option<u32>], word: u32) -> Option<usize> {
    match word != 0 && word.is_multiple_of(8) {
        true => None,
        false => immediates.iter().position(|&immediate| immediate == Some(word)),
    }
}

/// The content of a box whose word stands for this variant.
pub fn immediate_content(layouts: &Layouts, content: LayoutId, variant: usize) -> Words {
    let mut words = zeros(layouts[content].bits);
    set_variant(layouts, content, variant, &mut words);
    // The fields, if there are any, are of no bits or of bits that are all zero.
    words
}

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

/// The number of these bits.
pub fn scalar_of(dtype: Dtype, bits: u64) -> Scalar {
    match dtype {
        Dtype::Float64 => Scalar::Float(f64::from_bits(bits)),
        Dtype::Float32 => Scalar::Float(f64::from(f32::from_bits(bits as u32))),
        Dtype::BFloat16 => Scalar::Float(f64::from(f32::from_bits((bits as u32) << 16))),
        Dtype::Float16 => Scalar::Float(of_half(bits)),
        Dtype::Bool => Scalar::Int((bits & 1) as i64),
        Dtype::Int8 => Scalar::Int(i64::from(bits as i8)),
        Dtype::Int16 => Scalar::Int(i64::from(bits as i16)),
        Dtype::Int32 => Scalar::Int(i64::from(bits as i32)),
        Dtype::UInt8 | Dtype::UInt16 | Dtype::UInt32 | Dtype::Int64 | Dtype::UInt64 => Scalar::Int(bits as i64),
    }
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
