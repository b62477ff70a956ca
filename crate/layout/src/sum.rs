//! Sums and scalars as bits: which variant it is, its fields put in and taken out.

use crate::bits::{Words, read_bits, splice_bits, write_bits, zeros};
use crate::layout::{Kind, LayoutId, Tag, Variant};
use crate::layouts::Layouts;

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
