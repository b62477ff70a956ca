//! The ranges of bits that a layout consists of.

use base::{Append, Edited};
use layout::{Layout, Layouts, Tag, Variant};

/// What a range of bits is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Tells the variants apart, and nothing else.
    Tag,
    /// A code that no value of another variant's field has.
    Niche,
    /// A field of the variant, by its number from 0.
    Field(usize),
    /// Nothing.
    Padding,
}

/// A range of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub part: Part,
    pub offset: u32,
    pub bits: u32,
}

/// The bits of a variant from the first to the last. Fields of no bits are left out.
///
/// Worked example: `(int8, int32)` under `aligned` is the field of 8 bits at 32, so `[Field(1) 0..32, Field(0) 32..40,
/// Padding 40..64]`.
pub(crate) fn ranges(layouts: &Layouts, layout: &Layout, tag: Tag, variant: &Variant) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    if !variant.is_inhabited {
        return ranges;
    }
    match tag {
        Tag::Bits { offset, bits } if variant.code.is_some() => ranges.push(Range { part: Part::Tag, offset, bits }),
        Tag::Niche { offset, bits, .. } if variant.code.is_some() => {
            ranges.push(Range { part: Part::Niche, offset, bits });
        }
        Tag::None | Tag::Bits { .. } | Tag::Niche { .. } => {}
    }
    let fields = variant.fields.iter().enumerate();
    ranges.append_all(fields.map(|(index, field)| {
        let bits = layouts[field.layout].bits;
        Range { part: Part::Field(index), offset: field.offset, bits }
    }));
    ranges.keep(|range| range.bits > 0);
    with_padding(ranges, layout.bits)
}

/// Disjoint ranges in order, and what is between and behind them.
pub(crate) fn with_padding(mut ranges: Vec<Range>, bits: u32) -> Vec<Range> {
    base::sort_by_key(&mut ranges, |range| range.offset);
    let mut whole = Vec::with_capacity(ranges.len());
    let mut at = 0;
    for range in ranges {
        if range.offset > at {
            whole.push(Range { part: Part::Padding, offset: at, bits: range.offset - at });
        }
        at = range.offset + range.bits;
        whole.push(range);
    }
    if at < bits {
        whole.push(Range { part: Part::Padding, offset: at, bits: bits - at });
    }
    whole
}
