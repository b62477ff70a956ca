//! What the page shows of layouts.

use super::SpanView;
use serde::Serialize;
#[cfg(feature = "tsify")]
use tsify::Tsify;

/// The sum types of a text under the three strategies.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct LayoutsView {
    /// As people write them, in the order of all lists of one item for each strategy.
    pub strategies: Vec<String>,
    pub types: Vec<TypeLayoutView>,
    /// How many types were left out.
    pub n_more: u32,
    pub conversions: Vec<ConversionView>,
    /// Where the text speaks of them, in source order.
    pub mentions: Vec<MentionView>,
    /// Why types are missing.
    pub problems: Vec<String>,
}

/// A sum type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct TypeLayoutView {
    pub r#type: String,
    /// How many values there are; absent: infinitely many, or more than 2¹²⁸.
    pub cardinality: Option<String>,
    /// The fewest bits that can tell them apart; absent: there is no such number.
    pub min_bits: Option<u32>,
    /// What Rust would take on a 64-bit machine.
    pub rust_bytes: u32,
    /// What OCaml would take, header and all: for the largest variant, 0 for an immediate.
    pub ocaml_words: u32,
    pub variants: Vec<String>,
    /// One for each strategy.
    pub stores: Vec<StoreView>,
}

/// A sum type under one strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct StoreView {
    pub bits: u32,
    /// In bytes.
    pub align: u32,
    /// Of the block, where a variable is a pointer to one.
    pub block_bits: Option<u32>,
    /// Of the boxes that the scalars of a variant's fields are in, at most: under `uniform` those past 31 bits.
    pub box_bits: u32,
    pub tag_bits: u32,
    pub niche_bits: u32,
    pub payload_bits: u32,
    pub padding_bits: u32,
    /// Codes that no value has, which a type around this one may use.
    pub spare: Option<SpareView>,
    /// In the order of the type's.
    pub variants: Vec<VariantView>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct SpareView {
    pub offset: u32,
    pub bits: u32,
    pub codes: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct VariantView {
    pub is_inhabited: bool,
    /// What stands instead of a pointer to a block.
    pub immediate: Option<u32>,
    /// From the first bit to the last.
    pub segments: Vec<SegmentView>,
    /// Where other variants have their codes in one of this variant's fields.
    pub niche: Option<SpareView>,
}

/// A range of bits.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct SegmentView {
    pub kind: SegmentKindView,
    pub offset: u32,
    pub bits: u32,
    /// The code in a tag or niche; a field's type.
    pub text: String,
    /// Which field it is, from 0.
    pub field: Option<u32>,
    /// The entry of the field's type, if it is a sum.
    pub entry: Option<u32>,
    /// Of a value: its bits, the highest first.
    pub digits: Option<String>,
    /// Of a value: the block that a pointer leads to.
    pub block: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
#[serde(rename_all = "lowercase")]
pub enum SegmentKindView {
    Tag,
    Niche,
    Field,
    /// A field in a block of its own.
    Pointer,
    Padding,
}

/// A `p as %x`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ConversionView {
    pub pattern: String,
    pub span: SpanView,
    pub line: u32,
    /// The entries of the types.
    pub from: u32,
    pub to: u32,
    /// By variant of `from` its place in `to`, where values of it can come through.
    pub variants: Vec<Option<u32>>,
    /// One for each strategy.
    pub stores: Vec<ConversionStoreView>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ConversionStoreView {
    /// `free`, `retag` or `repack`.
    pub cost: String,
    /// Of a small type: each value with its bits before and behind.
    pub map: Option<Vec<MappedView>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct MappedView {
    pub value: String,
    pub from: String,
    pub to: String,
}

/// A place of the text that is of a type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct MentionView {
    pub span: SpanView,
    pub entry: u32,
    /// If it names a variant, which one.
    pub variant: Option<u32>,
    /// Whether it is a name: of a variant, a variable, a data type.
    pub is_name: bool,
}

/// A value that a person puts together, as each strategy stores it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct LaidValueView {
    /// The value and its parts, each before its fields.
    pub nodes: Vec<ChoiceView>,
    /// As the text writes it.
    pub value: String,
    /// One for each strategy.
    pub stores: Vec<Vec<BlockView>>,
}

/// A part of a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ChoiceView {
    pub depth: u32,
    /// `field 1 of Cons`, empty for the whole.
    pub place: String,
    pub r#type: String,
    /// What can be chosen; `None` where a number is typed or nothing is to choose.
    pub variants: Option<Vec<String>>,
    /// The number of the variant, or the number as typed.
    pub chosen: String,
    /// Whether a number is typed here.
    pub is_number: bool,
    /// What is wrong with it.
    pub problem: Option<String>,
    pub n_fields: u32,
}

/// What a variable holds, or a block of memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct BlockView {
    /// 0 for the variable itself.
    pub address: u32,
    pub r#type: String,
    pub bits: u32,
    pub segments: Vec<SegmentView>,
    /// What it is besides, where its bits are not shown.
    pub note: String,
}
