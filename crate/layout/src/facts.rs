//! What people want to know of a layout.

use crate::layout::{Kind, LayoutId, Spare, Tag, Variant};
use crate::layouts::Layouts;
use crate::natural::Natural;
use crate::types::Head;
use base::{Append, IndexVec, ToList};
use ty::Dtype;

/// The numbers of a layout. A box is 32 bits of payload; ask its content for more.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    pub bits: u32,
    /// Stored only to tell the variants apart; 0 with a niche.
    pub tag_bits: u32,
    /// Of the field that also tells the variants apart.
    pub niche_bits: u32,
    /// Of the variant with the most.
    pub payload_bits: u32,
    /// The bits that this variant leaves unused.
    pub padding_bits: u32,
    /// Codes that are left, and where.
    pub spare: Option<Spare>,
    /// How many values there are; `None`: infinitely many, or 2¹²⁸ and more.
    pub cardinality: Option<u128>,
    /// The fewest bits that can tell them apart; `None`: infinitely many, or more than 65,536.
    pub min_bits: Option<u32>,
    /// In the layout's order; empty if it is no sum.
    pub variants: Vec<VariantFacts>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct VariantFacts {
    pub payload_bits: u32,
    pub padding_bits: u32,
    /// What OCaml stores it in: words of 64 bits with the header, 0 for an immediate, without what its fields point to.
    pub ocaml_words: u32,
}

pub fn facts(layouts: &Layouts, layout: LayoutId) -> Facts {
    let entry = &layouts[layout];
    let count = &layouts.counts.get_or_init(|| counts(layouts))[layout];
    let mut facts = Facts {
        bits: entry.bits,
        tag_bits: 0,
        niche_bits: 0,
        payload_bits: entry.bits,
        padding_bits: 0,
        spare: layouts.spare(layout),
        cardinality: count.as_ref().and_then(Natural::to_u128),
        min_bits: count.as_ref().map(Natural::log2),
        variants: Vec::new(),
    };
    if let Kind::Sum { tag, variants } = &entry.kind {
        match *tag {
            Tag::None => {}
            Tag::Bits { bits, .. } => facts.tag_bits = bits,
            Tag::Niche { bits, .. } => facts.niche_bits = bits,
        }
        let variant_facts = |variant: &Variant| {
            let code_bits = if variant.code.is_some() { facts.tag_bits + facts.niche_bits } else { 0 };
            let payload = |variant: &Variant| variant.fields.iter().map(|field| layouts[field.layout].bits).total();
            let payload_bits = if variant.is_inhabited { payload(variant) } else { 0 };
            VariantFacts {
                payload_bits,
                padding_bits: entry.bits - code_bits - payload_bits,
                ocaml_words: ocaml_words(variant.head, variant.fields.len() as u32),
            }
        };
        facts.variants = variants.iter().map(variant_facts).list();
        facts.payload_bits = facts.variants.iter().map(|variant| variant.payload_bits).max().unwrap_or(0);
        facts.padding_bits = entry.bits - facts.tag_bits - facts.payload_bits;
    }
    facts
}

/// A polymorphic variant holds its name and one value, which is a block if there are several fields.
fn ocaml_words(head: Head, n_fields: u32) -> u32 {
    match (head, n_fields) {
        (_, 0) => 0,
        (Head::Variant(_), 1) => 3,
        (Head::Variant(_), _) => 3 + 1 + n_fields,
        (Head::Constructor(_) | Head::Tuple | Head::Functions, _) => 1 + n_fields,
    }
}

/// All layouts, each behind those in it that `parts` names; cycles are cut.
pub(crate) fn children_first(layouts: &Layouts, parts: impl Fn(LayoutId, &mut Vec<LayoutId>)) -> Vec<LayoutId> {
    let mut steps: Vec<(LayoutId, bool)> = layouts.table.ids().map(|layout| (layout, false)).list();
    let (mut order, mut found) = (Vec::new(), Vec::new());
    let mut is_seen = IndexVec::filled(false, layouts.table.len());
    while let Some((layout, is_done)) = steps.pop() {
        if is_done {
            order.push(layout);
        } else if !std::mem::replace(&mut is_seen[layout], true) {
            steps.push((layout, true));
            parts(layout, &mut found);
            while let Some(part) = found.pop() {
                steps.push((part, false));
            }
        }
    }
    order
}

fn fields_of_inhabited(kind: &Kind, parts: &mut Vec<LayoutId>) {
    if let Kind::Sum { variants, .. } = kind {
        let inhabited = variants.iter().filter(|variant| variant.is_inhabited);
        parts.append_all(inhabited.flat_map(|variant| variant.fields.iter().map(|field| field.layout)));
    }
}

/// How many values each layout has; `None`: infinitely many, or too many to count. A layout in a cycle has infinitely
/// many, since all variants that count have values.
fn counts(layouts: &Layouts) -> IndexVec<LayoutId, Option<Natural>> {
    let mut counts: IndexVec<LayoutId, Option<Natural>> = IndexVec::filled(None, layouts.table.len());
    let order = children_first(layouts, |layout, parts| {
        let kind = &layouts[layout].kind;
        fields_of_inhabited(kind, parts);
        if let Kind::Box { content, .. } = kind {
            parts.push(*content);
        }
    });
    for layout in order {
        let known = |layout: LayoutId| counts[layout].clone();
        let count = match &layouts[layout].kind {
            Kind::Scalar(dtype) | Kind::Immediate(dtype) => Some(Natural::new(count_scalars(*dtype))),
            Kind::Box { content, .. } => known(*content),
            Kind::Sum { variants, .. } => {
                let mut inhabited = variants.iter().filter(|variant| variant.is_inhabited);
                inhabited.try_fold(Natural::new(0), |mut sum, variant| {
                    let fields = variant.fields.iter();
                    let product = fields
                        .map(|field| known(field.layout))
                        .try_fold(Natural::new(1), |product, count| product.times(&count?))?;
                    sum.add(&product);
                    Some(sum)
                })
            }
            Kind::Tensor | Kind::Closure | Kind::Ref { .. } => None,
            Kind::Token { .. } | Kind::Never => Some(Natural::new(0)),
        };
        counts[layout] = count;
    }
    counts
}

/// All NaNs are one.
fn count_scalars(dtype: Dtype) -> u128 {
    let fraction_bits = match dtype {
        Dtype::Float16 => 10,
        Dtype::BFloat16 => 7,
        Dtype::Float32 => 23,
        Dtype::Float64 => 52,
        Dtype::Bool
        | Dtype::Int8
        | Dtype::Int16
        | Dtype::Int32
        | Dtype::Int64
        | Dtype::UInt8
        | Dtype::UInt16
        | Dtype::UInt32
        | Dtype::UInt64 => return 1 << dtype.bits(),
    };
    (1 << dtype.bits()) - (2 << fraction_bits) + 3
}

/// A structure text ends with `…` past this length.
const MAX_TEXT: usize = 20_000;

enum Piece {
    Text(&'static str),
    Layout(LayoutId),
}

/// What a value consists of: `{ tag: 1 bit, union { { 1 bit, 1 bit } | {} } }`. Variants without values are left out.
pub fn structure(layouts: &Layouts, layout: LayoutId) -> String {
    let mut text = String::new();
    let mut pieces = vec![Piece::Layout(layout)];
    while let Some(piece) = pieces.pop() {
        if text.len() > MAX_TEXT {
            text.push('…');
            return text;
        }
        let layout = match piece {
            Piece::Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Piece::Layout(layout) => layout,
        };
        let entry = &layouts[layout];
        match &entry.kind {
            Kind::Scalar(_) | Kind::Immediate(_) => push_bits(&mut text, "", entry.bits),
            Kind::Tensor | Kind::Closure | Kind::Ref { .. } | Kind::Box { .. } | Kind::Token { .. } => {
                text.push_str("pointer");
            }
            Kind::Never => text.push_str("void"),
            Kind::Sum { tag, variants } => {
                let inhabited: Vec<&Variant> = variants.iter().filter(|variant| variant.is_inhabited).list();
                if inhabited.iter().all(|variant| variant.fields.is_empty()) {
                    push_bits(&mut text, "", entry.bits);
                    continue;
                }
                let open = match *tag {
                    Tag::None => "",
                    Tag::Bits { bits, .. } => {
                        push_bits(&mut text, "{ tag: ", bits);
                        ", union { "
                    }
                    Tag::Niche { bits, .. } => {
                        push_bits(&mut text, "{ niche: ", bits);
                        ", union { "
                    }
                };
                text.push_str(open);
                pieces.push(Piece::Text(if open.is_empty() { "" } else { " } }" }));
                for (number, variant) in inhabited.iter().enumerate().rev() {
                    let (open, close) = if variant.fields.is_empty() { ("{", "}") } else { ("{ ", " }") };
                    pieces.push(Piece::Text(close));
                    for (place, field) in variant.fields.iter().enumerate().rev() {
                        pieces.push(Piece::Layout(field.layout));
                        if place > 0 {
                            pieces.push(Piece::Text(", "));
                        }
                    }
                    pieces.push(Piece::Text(open));
                    if number > 0 {
                        pieces.push(Piece::Text(" | "));
                    }
                }
            }
        }
    }
    text
}

fn push_bits(text: &mut String, before: &str, bits: u32) {
    text.push_str(before);
    text.push_str(&bits.to_string());
    text.push_str(" bit");
}
