//! The ranges of bits that a layout consists of.

use layout::{Kind, Layout, LayoutId, Layouts, Tag, Variant};
use rustc_hash::FxHashSet;

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
    ranges.extend(fields.map(|(index, field)| {
        let bits = layouts[field.layout].bits;
        Range { part: Part::Field(index), offset: field.offset, bits }
    }));
    ranges.retain(|range| range.bits > 0);
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

/// Whether every value that two types share has the same bits in both layouts.
pub(crate) fn has_same_bits(layouts: &Layouts, from: LayoutId, to: LayoutId) -> bool {
    let mut pairs = vec![(from, to)];
    let mut seen: FxHashSet<(LayoutId, LayoutId)> = FxHashSet::default();
    while let Some((from, to)) = pairs.pop() {
        if from == to || !seen.insert((from, to)) {
            continue;
        }
        let (a, b) = (&layouts[from], &layouts[to]);
        match (&a.kind, &b.kind) {
            (Kind::Sum { tag, variants }, Kind::Sum { tag: other_tag, variants: others }) => {
                // A block may be longer than what it is used for.
                if tag != other_tag || (a.bits != b.bits && !is_block(layouts)) {
                    return false;
                }
                for variant in variants.iter().filter(|variant| variant.is_inhabited) {
                    let Some(other) = others.iter().find(|other| other.head == variant.head) else { continue };
                    let fields = || variant.fields.iter().zip(&other.fields);
                    if variant.code != other.code || fields().any(|(a, b)| a.offset != b.offset) {
                        return false;
                    }
                    pairs.extend(fields().map(|(a, b)| (a.layout, b.layout)));
                }
            }
            (Kind::Box { content: a, immediates }, Kind::Box { content: b, immediates: others }) => {
                let (Kind::Sum { variants, .. }, Kind::Sum { variants: other_variants, .. }) =
                    (&layouts[*a].kind, &layouts[*b].kind)
                else {
                    return a == b;
                };
                let is_same = |(variant, code): (&Variant, &Option<u32>)| {
                    let other = other_variants.iter().position(|other| other.head == variant.head);
                    !variant.is_inhabited || other.is_none_or(|at| others.get(at) == Some(code))
                };
                if !variants.iter().zip(immediates).all(is_same) {
                    return false;
                }
                pairs.push((*a, *b));
            }
            (a, b) => {
                if a != b {
                    return false;
                }
            }
        }
    }
    true
}

/// Whether sums stand in blocks of their own.
fn is_block(layouts: &Layouts) -> bool {
    layouts.strategy == layout::Strategy::Uniform
}
