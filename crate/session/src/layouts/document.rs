//! What `relish layout` prints.

use crate::Analysis;
use crate::command::{Answer, Problem, has_errors, problems, to_string};
use crate::layouts::draw::is_pointer;
use crate::layouts::mention::Search;
use crate::layouts::{Laid, Laying, Refining, head_name, lay, parts, pattern_text, values};
use base::{Append, Join, ToList};
use layout::{Facts, Heap, Kind, Layouts, Strategy, Words, bit_string, encode, facts, rust_bytes, structure};
use parts::Part;
use serde::Serialize;
use std::fmt::Write;
use ty::{Tensor, print_value};

/// A conversion of a type with more values is not listed.
const MAX_VALUES: u128 = 256;
/// A ruler in text is at most as wide. What is not packed, or longer, is drawn by the byte.
const MAX_COLUMNS: u32 = 72;

#[derive(Serialize)]
struct Document {
    layouts: Vec<Entry>,
    conversions: Vec<ConversionEntry>,
    /// How many types are too large to be written.
    n_too_large: usize,
    diagnostics: Vec<Problem>,
}

#[derive(Serialize)]
struct Entry {
    r#type: String,
    strategy: &'static str,
    bits: u32,
    align: u32,
    tag_bits: u32,
    niche_bits: u32,
    payload_bits: u32,
    padding_bits: u32,
    /// Of the block, where variables are pointers to one.
    block_bits: Option<u32>,
    spare_codes: u32,
    min_bits: Option<u32>,
    cardinality: Option<u128>,
    structure: String,
    rust_bytes: u32,
    ocaml_words: u32,
    variants: Vec<VariantEntry>,
}

#[derive(Serialize)]
struct VariantEntry {
    name: String,
    /// What the tag or the niche holds.
    tag: Option<u32>,
    /// What stands instead of a pointer to a block.
    immediate: Option<u32>,
    inhabited: bool,
    payload_bits: u32,
    padding_bits: u32,
    ocaml_words: u32,
    fields: Vec<FieldEntry>,
}

#[derive(Serialize)]
struct FieldEntry {
    offset: u32,
    bits: u32,
    r#type: String,
}

#[derive(Serialize)]
struct ConversionEntry {
    strategy: &'static str,
    pattern: String,
    line: u32,
    from_type: String,
    to_type: String,
    from_bits: u32,
    to_bits: u32,
    identity: bool,
    cost: &'static str,
    map: Option<Vec<MapEntry>>,
}

#[derive(Serialize)]
struct MapEntry {
    value: String,
    from: String,
    to: String,
}

/// A value of a conversion, and its bits before and behind.
pub(crate) struct Mapped {
    pub value: String,
    pub from: String,
    pub to: String,
}

/// `relish layout --json` of a text, under all strategies unless one is given.
pub fn layout_json(analysis: &Analysis, strategy: Option<Strategy>) -> Answer {
    let laid = lay(analysis);
    let mut diagnostics = analysis.diagnostics().to_vec();
    diagnostics.append_all(laid.diagnostics.iter().cloned());
    let chosen = chosen(strategy);
    let document = Document {
        layouts: laid
            .sums
            .iter()
            .flat_map(|sum| chosen.iter().map(|&strategy| entry(analysis, &laid, sum, strategy)))
            .list(),
        conversions: laid
            .conversions
            .iter()
            .flat_map(|refining| chosen.iter().map(|&strategy| conversion(analysis, &laid, refining, strategy)))
            .list(),
        n_too_large: laid.n_too_large,
        diagnostics: problems(&diagnostics, analysis.lines()),
    };
    Answer { text: to_string(&document), has_errors: has_errors(&diagnostics) }
}

/// The places in [`Strategy::ALL`].
fn chosen(strategy: Option<Strategy>) -> Vec<usize> {
    let is_chosen = |at: &usize| strategy.is_none_or(|strategy| Strategy::ALL[*at] == strategy);
    (0..Strategy::ALL.len()).filter(is_chosen).list()
}

fn entry(analysis: &Analysis, laid: &Laid, sum: &Laying, strategy: usize) -> Entry {
    let layouts = &laid.layouts[strategy];
    let (variable, content) = (sum.layouts[strategy], laid.content(strategy, sum.layouts[strategy]));
    let facts = facts(layouts, content);
    let immediates: &[Option<u32>] = match &layouts[variable].kind {
        Kind::Box { immediates, .. } => immediates,
        _ => &[],
    };
    let empty = Vec::new();
    let variants = match &layouts[content].kind {
        Kind::Sum { variants, .. } => variants,
        _ => &empty,
    };
    let variants = variants.iter().zip(&facts.variants).enumerate().map(|(at, (variant, numbers))| VariantEntry {
        name: head_name(analysis, variant.head),
        tag: variant.code,
        immediate: immediates.get(at).copied().flatten(),
        inhabited: variant.is_inhabited,
        payload_bits: numbers.payload_bits,
        padding_bits: numbers.padding_bits,
        ocaml_words: numbers.ocaml_words,
        fields: variant
            .fields
            .iter()
            .enumerate()
            .map(|(index, field)| FieldEntry {
                offset: field.offset,
                bits: layouts[field.layout].bits,
                r#type: laid.print(analysis, laid.field_type(sum.ty, at, index, layouts[field.layout].ty)),
            })
            .list(),
    });
    let mut variants: Vec<VariantEntry> = variants.list();
    if layouts[content].kind == Kind::Never {
        let cases = laid.types.cases(sum.ty).unwrap_or_default().into_iter();
        variants.append_all(cases.map(|case| VariantEntry {
            name: head_name(analysis, case.head),
            tag: None,
            immediate: None,
            inhabited: false,
            payload_bits: 0,
            padding_bits: 0,
            ocaml_words: 0,
            fields: Vec::new(),
        }));
    }
    Entry {
        r#type: laid.print(analysis, sum.ty),
        strategy: Strategy::ALL[strategy].name(),
        bits: layouts[variable].bits,
        align: layouts[variable].align,
        tag_bits: facts.tag_bits,
        niche_bits: facts.niche_bits,
        payload_bits: facts.payload_bits,
        padding_bits: facts.padding_bits,
        block_bits: laid.block_bits(strategy, variable),
        spare_codes: facts.spare.map_or(0, |spare| spare.n),
        min_bits: facts.min_bits,
        cardinality: facts.cardinality,
        structure: structure(layouts, content),
        rust_bytes: rust_bytes(&laid.layouts[0], sum.layouts[0]),
        ocaml_words: facts.variants.iter().map(|variant| variant.ocaml_words).max().unwrap_or(0),
        variants,
    }
}

fn conversion(analysis: &Analysis, laid: &Laid, refining: &Refining, strategy: usize) -> ConversionEntry {
    let Refining { pat, from, to } = refining;
    let layouts = &laid.layouts[strategy];
    let map = mapped(analysis, laid, refining, strategy, MAX_VALUES);
    ConversionEntry {
        strategy: Strategy::ALL[strategy].name(),
        pattern: pattern_text(analysis, *pat),
        line: analysis.lines().line_of(analysis.module.pats[*pat].span.start),
        from_type: laid.print(analysis, from.ty),
        to_type: laid.print(analysis, to.ty),
        from_bits: layouts[from.layouts[strategy]].bits,
        to_bits: layouts[to.layouts[strategy]].bits,
        identity: from.ty == to.ty,
        cost: laid.cost(strategy, from, to).name(),
        map: map.map(|map| map.into_iter().map(|Mapped { value, from, to }| MapEntry { value, from, to }).list()),
    }
}

/// The values that come through a conversion; `None` if the type has more than `limit`, or values in blocks.
pub(crate) fn mapped(
    analysis: &Analysis,
    laid: &Laid,
    Refining { pat, from, to }: &Refining,
    strategy: usize,
    limit: u128,
) -> Option<Vec<Mapped>> {
    let layouts = &laid.layouts[strategy];
    let (from, to) = (from.layouts[strategy], to.layouts[strategy]);
    facts(layouts, laid.content(strategy, from)).cardinality.filter(|&n| n <= limit)?;
    let mut map = Vec::new();
    for value in values::values(layouts, from) {
        if !values::fits(analysis, *pat, &value) {
            continue;
        }
        let bits = |layout| encode(layouts, &mut NoHeap, layout, &value);
        let (Ok(before), Ok(behind)) = (bits(from), bits(to)) else { continue };
        if [(from, &before), (to, &behind)].iter().any(|(layout, words)| is_block(layouts, *layout, words)) {
            return None;
        }
        map.push(Mapped {
            value: print_value(&value, &analysis.module).text,
            from: bit_string(layouts, from, &before),
            to: bit_string(layouts, to, &behind),
        });
    }
    Some(map)
}

/// Whether a word is what [`NoHeap`] gives for a block.
fn is_block(layouts: &Layouts, layout: layout::LayoutId, words: &[u64]) -> bool {
    matches!(layouts[layout].kind, Kind::Box { .. }) && words.first() == Some(&u64::from(NoHeap::BLOCK))
}

/// A heap for values that need none.
struct NoHeap;

impl NoHeap {
    /// No immediate: it is a multiple of 8.
    const BLOCK: u32 = 8;
}

impl Heap for NoHeap {
    fn new_block(&mut self, _: layout::LayoutId, _: &[u64]) -> u32 {
        NoHeap::BLOCK
    }
    fn new_tensor(&mut self, _: &Tensor) -> u32 {
        NoHeap::BLOCK
    }
    fn new_ref(&mut self, _: layout::LayoutId, _: &[u64]) -> u32 {
        NoHeap::BLOCK
    }
    fn retain(&mut self, _: u32) {}
    fn block(&self, _: u32, n_words: usize) -> Words {
        base::filled(0, n_words)
    }
    fn tensor(&self, _: u32) -> Tensor {
        Tensor { dtype: ty::Dtype::Int32, shape: vec![0], elements: ty::Elements::Int(Vec::new()) }
    }
    fn cell(&self, _: u32, n_words: usize) -> Words {
        base::filled(0, n_words)
    }
    fn closure(&self, _: u32) -> ty::Code {
        ty::Code::Function(0)
    }
}

/// `relish layout` for people.
pub fn layout_text(analysis: &Analysis, strategy: Option<Strategy>) -> String {
    let laid = lay(analysis);
    let mut out = String::new();
    for sum in &laid.sums {
        let _ = writeln!(out, "{}", laid.print(analysis, sum.ty));
        let content = laid.content(0, sum.layouts[0]);
        let numbers = facts(&laid.layouts[0], content);
        let _ = writeln!(out, "  {}", count(&numbers));
        let words = numbers.variants.iter().map(|variant| variant.ocaml_words).max().unwrap_or(0);
        let rust = rust_bytes(&laid.layouts[0], sum.layouts[0]);
        let _ = writeln!(out, "  Rust: {}; OCaml: {}", base::count(rust as usize, "byte"), ocaml(words));
        for &strategy in &chosen(strategy) {
            rulers(&mut out, analysis, &laid, sum, strategy);
        }
        out.push('\n');
    }
    for refining in &laid.conversions {
        let line = analysis.lines().line_of(analysis.module.pats[refining.pat].span.start);
        let _ = writeln!(out, "line {line}: {} as …", pattern_text(analysis, refining.pat));
        let (from, to) = (laid.print(analysis, refining.from.ty), laid.print(analysis, refining.to.ty));
        let _ = writeln!(out, "  {from} -> {to}");
        for &strategy in &chosen(strategy) {
            let layouts = &laid.layouts[strategy];
            let bits = |laying: &Laying| layouts[laying.layouts[strategy]].bits;
            let cost = laid.cost(strategy, &refining.from, &refining.to).name();
            let name = Strategy::ALL[strategy].name();
            let _ = writeln!(out, "  {name}: {} -> {} bits, {cost}", bits(&refining.from), bits(&refining.to));
            for mapped in mapped(analysis, &laid, refining, strategy, 16).unwrap_or_default() {
                let _ = writeln!(out, "    {} -> {}  {}", mapped.from, mapped.to, mapped.value);
            }
        }
        out.push('\n');
    }
    for sentence in laid.left_out() {
        let _ = writeln!(out, "not shown: {sentence}");
    }
    out.truncate(out.trim_ascii_end().len());
    out
}

fn ocaml(words: u32) -> String {
    if words == 0 { "immediate".to_owned() } else { format!("at most {}", base::count(words as usize, "word")) }
}

fn count(facts: &Facts) -> String {
    match (facts.cardinality, facts.min_bits) {
        (Some(0), _) => "no values".to_owned(),
        (Some(1), _) => "1 value needs no bits".to_owned(),
        (Some(n), Some(bits)) => {
            format!("{} values need at least {}", base::decimal(n), base::count(bits as usize, "bit"))
        }
        (None, Some(bits)) => format!("at most 2^{bits} values need at least {bits} bits"),
        (_, None) => "infinitely many values".to_owned(),
    }
}

/// The variants under one strategy, a line each: `#` tag, `~` niche, `a`, `b`, … fields, `.` padding.
fn rulers(out: &mut String, analysis: &Analysis, laid: &Laid, sum: &Laying, strategy: usize) {
    let layouts = &laid.layouts[strategy];
    let (variable, content) = (sum.layouts[strategy], laid.content(strategy, sum.layouts[strategy]));
    let (layout, numbers) = (&layouts[content], facts(layouts, content));
    let mut line =
        format!("  {}: {}", Strategy::ALL[strategy].name(), base::count(layouts[variable].bits as usize, "bit"));
    if let Some(bits) = laid.block_bits(strategy, variable) {
        let _ = write!(line, ", blocks of {}", base::count(bits as usize, "bit"));
    }
    let counts = [
        ("tag", numbers.tag_bits),
        ("niche", numbers.niche_bits),
        ("payload", numbers.payload_bits),
        ("padding", numbers.padding_bits),
    ];
    let counts: Vec<String> = counts.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{what} {n}")).list();
    if !counts.is_empty() {
        let _ = write!(line, " ({})", counts.joined(", "));
    }
    if let Some(spare) = numbers.spare {
        let _ = write!(line, ", {}", base::count(spare.n as usize, "spare code"));
    }
    let _ = writeln!(out, "{line}");
    let Kind::Sum { tag, variants } = &layout.kind else {
        for case in laid.types.cases(sum.ty).unwrap_or_default() {
            let _ = writeln!(out, "    {}  no values", head_name(analysis, case.head));
        }
        return;
    };
    let names: Vec<String> = variants.iter().map(|variant| head_name(analysis, variant.head)).list();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(24);
    let scale = if strategy == 0 && layout.bits <= MAX_COLUMNS { 1 } else { 8 };
    for (at, (variant, name)) in variants.iter().zip(&names).enumerate() {
        let (mut ruler, mut notes) = (String::new(), Vec::new());
        for range in parts::ranges(layouts, layout, *tag, variant) {
            let mark = match range.part {
                Part::Tag => '#',
                Part::Niche => '~',
                Part::Field(index) => char::from(b'a' + (index % 26) as u8),
                Part::Padding => '.',
            };
            let columns = (range.offset + range.bits).div_ceil(scale) - range.offset.div_ceil(scale);
            if layout.bits / scale <= MAX_COLUMNS {
                ruler.extend((0..columns).map(|_| mark));
            }
            let bits = format!("{}..{}", range.offset, range.offset + range.bits);
            match (range.part, variant.code) {
                (Part::Tag, Some(code)) => notes.push(format!("tag {code} at {bits}")),
                (Part::Niche, Some(code)) => notes.push(format!("niche {code:#x} at {bits}")),
                (Part::Field(index), _) => {
                    let of = layouts[variant.fields[index].layout].ty;
                    let of = laid.print(analysis, laid.field_type(sum.ty, at, index, of));
                    let arrow = if is_pointer(layouts, variant.fields[index].layout) { "pointer to " } else { "" };
                    notes.push(format!("{mark}: {arrow}{of} at {bits}"));
                }
                (Part::Tag | Part::Niche | Part::Padding, _) => {}
            }
        }
        if let Kind::Box { immediates, .. } = &layouts[variable].kind
            && let Some(Some(code)) = immediates.get(at)
        {
            (ruler, notes) = (String::new(), vec![format!("immediate {code}")]);
        }
        if !variant.is_inhabited {
            notes.push("no values".to_owned());
        }
        let line = format!("    {name:width$}  {ruler}  {}", notes.joined(", "));
        let _ = writeln!(out, "{}", line.trim_ascii_end());
    }
}

/// The bits of the value of each top-level expression, as the fact files write them; absent where there is no value,
/// or it needs blocks.
pub fn value_bits(analysis: &Analysis, strategy: Strategy) -> Vec<Option<String>> {
    let laid = lay(analysis);
    let strategy = chosen(Some(strategy))[0];
    let layouts = &laid.layouts[strategy];
    let mut search = Search::new(analysis, &laid);
    let outcome = crate::run(analysis, &crate::Options::default());
    let values = analysis.expressions().into_iter().map(|expression| {
        let value = outcome.values.iter().find(|value| value.name.is_empty() && value.span == expression.span)?;
        let body = analysis.module.functions[expression.function].body;
        let entry = search.entry(analysis.inferred.exprs[body]?)?;
        let layout = laid.sums[entry].layouts[strategy];
        let words = encode(layouts, &mut NoHeap, layout, value.value.as_ref()?).ok()?;
        (!is_block(layouts, layout, &words)).then(|| bit_string(layouts, layout, &words))
    });
    values.list()
}
