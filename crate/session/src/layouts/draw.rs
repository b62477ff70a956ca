//! The layouts of a text as the page draws them.

use crate::Analysis;
use crate::layouts::document::mapped;
use crate::layouts::parts::{self, Part, Range};
use crate::layouts::{Laid, Laying, Refining, head_name, mention, pattern_text, values};
use crate::page::span_view;
use crate::view::{
    ConversionStoreView, ConversionView, LayoutsView, MappedView, SegmentKindView, SegmentView, SpareView, StoreView,
    TypeLayoutView, VariantView,
};
use base::{Edited, HashMap, ToList};
use layout::{Facts, Kind, Layout, LayoutId, Layouts, Spare, Strategy, Tag, Variant, facts, rust_bytes};
use ty::TermId;

/// At most this many types are drawn.
const MAX_TYPES: usize = 100;
/// No further type is drawn once those before it have more variants than this.
const MAX_VARIANTS: usize = 4_000;
/// A conversion of a type with more values is not listed.
const MAX_VALUES: u128 = 64;

/// Prints each type once.
pub(crate) struct Texts<'a> {
    pub analysis: &'a Analysis,
    pub laid: &'a Laid,
    known: HashMap<TermId, String>,
}

impl Texts<'_> {
    pub(crate) fn of(&mut self, ty: TermId) -> String {
        let Texts { analysis, laid, known } = self;
        known.entry(ty).or_insert_with(|| laid.print(analysis, ty)).clone()
    }
}

impl<'a> Texts<'a> {
    pub(crate) fn new(analysis: &'a Analysis, laid: &'a Laid) -> Texts<'a> {
        Texts { analysis, laid, known: HashMap::default() }
    }
}

pub(crate) fn layouts_view(analysis: &Analysis, laid: &Laid) -> LayoutsView {
    let mut texts = Texts::new(analysis, laid);
    let mut types = Vec::new();
    let mut n_variants = 0;
    for sum in &laid.sums {
        if types.len() == MAX_TYPES || n_variants > MAX_VARIANTS {
            break;
        }
        let view = type_view(&mut texts, sum);
        n_variants += view.variants.len();
        types.push(view);
    }
    let is_drawn = |laying: &Laying| laid.index.get(&laying.ty).copied().filter(|&index| index < types.len());
    let conversions = laid.conversions.iter().filter_map(|refining| {
        let (from, to) = (is_drawn(&refining.from)?, is_drawn(&refining.to)?);
        Some(conversion_view(analysis, laid, refining, from as u32, to as u32))
    });
    let conversions = conversions.list();
    let mut mentions = mention::mentions(analysis, laid);
    mentions.keep(|mention| (mention.entry as usize) < types.len());
    LayoutsView {
        strategies: Strategy::ALL.iter().map(|strategy| strategy.name().to_owned()).list(),
        n_more: (laid.sums.len() - types.len()) as u32,
        types,
        conversions,
        mentions,
        problems: laid.left_out(),
    }
}

fn type_view(texts: &mut Texts, sum: &Laying) -> TypeLayoutView {
    let Texts { analysis, laid, .. } = *texts;
    let numbers = facts(&laid.layouts[0], laid.content(0, sum.layouts[0]));
    let cases = laid.types.cases(sum.ty).unwrap_or_default();
    TypeLayoutView {
        r#type: texts.of(sum.ty),
        cardinality: numbers.cardinality.map(base::decimal),
        min_bits: numbers.min_bits,
        rust_bytes: rust_bytes(&laid.layouts[0], sum.layouts[0]),
        ocaml_words: numbers.variants.iter().map(|variant| variant.ocaml_words).max().unwrap_or(0),
        variants: cases.iter().map(|case| head_name(analysis, case.head)).list(),
        stores: (0..Strategy::ALL.len()).map(|strategy| store_view(texts, sum, strategy)).list(),
    }
}

fn store_view(texts: &mut Texts, sum: &Laying, strategy: usize) -> StoreView {
    let laid = texts.laid;
    let layouts = &laid.layouts[strategy];
    let (variable, content) = (sum.layouts[strategy], laid.content(strategy, sum.layouts[strategy]));
    let Facts { tag_bits, niche_bits, payload_bits, padding_bits, spare, .. } = facts(layouts, content);
    let immediates: &[Option<u32>] = match &layouts[variable].kind {
        Kind::Box { immediates, .. } => immediates,
        _ => &[],
    };
    let variants = match &layouts[content].kind {
        Kind::Sum { tag, variants } => {
            let view = |(at, variant)| {
                let immediate = immediates.get(at).copied().flatten();
                variant_view(texts, sum.ty, layouts, &layouts[content], *tag, (at, variant), immediate)
            };
            variants.iter().enumerate().map(view).list()
        }
        // Of a type without values.
        _ => {
            let none = VariantView { is_inhabited: false, immediate: None, segments: Vec::new(), niche: None };
            base::filled(none, laid.types.cases(sum.ty).map_or(0, |cases| cases.len()))
        }
    };
    StoreView {
        bits: layouts[variable].bits,
        align: layouts[variable].align,
        block_bits: laid.block_bits(strategy, variable),
        box_bits: box_bits(layouts, content),
        tag_bits,
        niche_bits,
        payload_bits,
        padding_bits,
        spare: spare.map(|Spare { offset, bits, n, .. }| SpareView { offset, bits, codes: n }),
        variants,
    }
}

/// The bits of boxes that hold one scalar each, of the variant that has the most.
fn box_bits(layouts: &Layouts, content: LayoutId) -> u32 {
    let Kind::Sum { variants, .. } = &layouts[content].kind else { return 0 };
    let of_field = |field: &layout::Field| match layouts[field.layout].kind {
        Kind::Box { content, .. } if matches!(layouts[content].kind, Kind::Scalar(_)) => layouts[content].bits,
        _ => 0,
    };
    let inhabited = variants.iter().filter(|variant| variant.is_inhabited);
    inhabited.map(|variant| variant.fields.iter().map(of_field).fold(0, u32::saturating_add)).max().unwrap_or(0)
}

fn variant_view(
    texts: &mut Texts,
    sum: TermId,
    layouts: &Layouts,
    layout: &Layout,
    tag: Tag,
    (at, variant): (usize, &Variant),
    immediate: Option<u32>,
) -> VariantView {
    let segment = |range: Range| {
        let (kind, text, entry) = match range.part {
            Part::Tag => (SegmentKindView::Tag, variant.code.unwrap_or(0).to_string(), None),
            Part::Niche => (SegmentKindView::Niche, variant.code.unwrap_or(0).to_string(), None),
            Part::Padding => (SegmentKindView::Padding, String::new(), None),
            Part::Field(index) => {
                let field = variant.fields[index].layout;
                let ty = texts.laid.field_type(sum, at, index, layouts[field].ty);
                let kind = if is_pointer(layouts, field) { SegmentKindView::Pointer } else { SegmentKindView::Field };
                let entry = texts.laid.index.get(&ty).map(|&index| index as u32);
                (kind, texts.of(ty), entry)
            }
        };
        let field = match range.part {
            Part::Field(index) => Some(index as u32),
            Part::Tag | Part::Niche | Part::Padding => None,
        };
        SegmentView { kind, offset: range.offset, bits: range.bits, text, field, entry, digits: None, block: None }
    };
    let segments = match immediate {
        Some(code) => {
            let text = code.to_string();
            let kind = SegmentKindView::Tag;
            vec![SegmentView { kind, offset: 0, bits: 32, text, field: None, entry: None, digits: None, block: None }]
        }
        None => parts::ranges(layouts, layout, tag, variant).into_iter().map(segment).list(),
    };
    let niche = match tag {
        Tag::Niche { offset, bits, dataful } if dataful == at => Some(SpareView { offset, bits, codes: 0 }),
        Tag::None | Tag::Bits { .. } | Tag::Niche { .. } => None,
    };
    VariantView { is_inhabited: variant.is_inhabited, immediate, segments, niche }
}

/// Whether a word of this layout may be an address.
pub(crate) fn is_pointer(layouts: &Layouts, layout: LayoutId) -> bool {
    match layouts[layout].kind {
        Kind::Tensor | Kind::Closure | Kind::Ref { .. } | Kind::Box { .. } | Kind::Token { .. } => true,
        Kind::Scalar(_) | Kind::Immediate(_) | Kind::Sum { .. } | Kind::Never => false,
    }
}

fn conversion_view(analysis: &Analysis, laid: &Laid, refining: &Refining, from: u32, to: u32) -> ConversionView {
    let Refining { pat, from: source, to: target } = refining;
    let span = analysis.module.pats[*pat].span;
    let (cases, targets) =
        (laid.types.cases(source.ty).unwrap_or_default(), laid.types.cases(target.ty).unwrap_or_default());
    let variants = cases.iter().map(|case| {
        let other = targets.iter().position(|target| target.head == case.head);
        other.filter(|_| values::may_begin(analysis, *pat, case.head)).map(|at| at as u32)
    });
    let stores = (0..Strategy::ALL.len()).map(|strategy| ConversionStoreView {
        cost: laid.cost(strategy, source, target).name().to_owned(),
        map: mapped(analysis, laid, refining, strategy, MAX_VALUES).map(|map| {
            map.into_iter().map(|mapped| MappedView { value: mapped.value, from: mapped.from, to: mapped.to }).list()
        }),
    });
    ConversionView {
        pattern: pattern_text(analysis, *pat),
        span: span_view(&analysis.lines, span),
        line: analysis.lines.line_of(span.start),
        from,
        to,
        variants: variants.list(),
        stores: stores.list(),
    }
}
