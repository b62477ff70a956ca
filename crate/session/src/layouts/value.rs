//! One value of a type, put together by a person, as each strategy stores it.
//!
//! A value is a list of choices, each before those for its fields: which variant it is, or which number. What is not
//! chosen is the variant of the least depth, and zero. The page sends the choices back as it got them, with one
//! changed.
//!
//! Worked example: `Cons(5, Nil)` is the choices `2 1`, `0 5`, `0 0`: constructor 1 with two fields, which are the
//! number 5 and constructor 0 without any.

use crate::Analysis;
use crate::layouts::draw::{Texts, is_pointer};
use crate::layouts::parts::{Part, Range, with_padding};
use crate::layouts::{Laid, head_name};
use crate::view::{BlockView, ChoiceView, LaidValueView, SegmentKindView, SegmentView};
use base::{Append, HashMap, HashSet, ToList};
use layout::{
    Head, Kind, LayoutId, Layouts, Strategy, Tag, Words, immediate_of, immediate_variant, pack, read_bits, slice_bits,
    variant_in,
};
use ty::{Dtype, Fields, Scalar, Term, TermId, Terms, Value, print_value, scalar_bits, scalar_of};

/// A value with more parts is not put together by hand.
const MAX_NODES: usize = 400;
/// Where the first block of the pictures stands.
const FIRST_ADDRESS: u32 = 0x100;
/// Of a block, in bytes: how many there are of it, and how long it is.
const HEADER: u32 = 8;

/// A part of a value.
struct Node {
    /// With the sizes that are known of tensors.
    ty: TermId,
    /// Under the first strategy, and out of its box.
    layout: LayoutId,
    what: What,
    depth: u32,
    place: String,
    n_fields: usize,
    typed: String,
    problem: Option<String>,
}

#[derive(Clone, Copy)]
enum What {
    Variant(usize),
    Number(Dtype, Scalar),
    /// Nothing is to choose: a tensor, a function, the cell of a reference.
    Fixed,
}

/// What the choices come to; `None` where there is no such type, or the value is too large.
pub(crate) fn laid_value(analysis: &Analysis, laid: &Laid, entry: usize, choices: &[String]) -> Option<LaidValueView> {
    let sum = laid.sums.get(entry)?;
    let nodes = nodes(analysis, laid, (sum.ty, sum.layouts[0]), choices)?;
    let mut texts = Texts::new(analysis, laid);
    let layouts = &laid.layouts[0];
    let view = |node: &Node| ChoiceView {
        depth: node.depth,
        place: node.place.clone(),
        r#type: texts.of(node.ty),
        variants: match (&layouts[node.layout].kind, node.what) {
            (Kind::Sum { variants, .. }, _) => {
                Some(variants.iter().map(|variant| head_name(analysis, variant.head)).list())
            }
            (_, What::Number(Dtype::Bool, _)) => Some(vec!["False".to_owned(), "True".to_owned()]),
            (_, What::Variant(_) | What::Number(..) | What::Fixed) => None,
        },
        chosen: match node.what {
            What::Variant(variant) => variant.to_string(),
            What::Number(Dtype::Bool, Scalar::Int(value)) => value.to_string(),
            What::Number(..) => node.typed.clone(),
            What::Fixed => String::new(),
        },
        is_number: matches!(node.what, What::Number(dtype, _) if dtype != Dtype::Bool),
        problem: node.problem.clone(),
        n_fields: node.n_fields as u32,
    };
    let choices = nodes.iter().map(view).list();
    let stores = (0..Strategy::ALL.len()).map(|strategy| {
        let memory = Memory::of(laid, strategy, sum.layouts[strategy], &nodes);
        memory.views(analysis, &mut texts)
    });
    let stores = stores.list();
    Some(LaidValueView { nodes: choices, value: written(analysis, laid, &nodes), stores })
}

/// The parts of the value, each before its fields.
fn nodes(
    analysis: &Analysis,
    laid: &Laid,
    (root_type, root): (TermId, LayoutId),
    choices: &[String],
) -> Option<Vec<Node>> {
    let layouts = &laid.layouts[0];
    let defaults = defaults(layouts, root);
    let mut choices = choices.iter();
    let mut nodes = Vec::new();
    // With whether it is among the choices.
    let mut pending = vec![(root_type, root, true, 0, String::new())];
    while let Some((ty, layout, is_given, depth, place)) = pending.pop() {
        if nodes.len() == MAX_NODES {
            return None;
        }
        let layout = laid.content(0, layout);
        let choice = if is_given { choices.next() } else { None };
        let (n_given, typed) = choice.and_then(|choice| base::cut(choice, " ")).unwrap_or(("", ""));
        let mut problem = None;
        let mut fields: Vec<(TermId, LayoutId, String)> = Vec::new();
        let what = match &layouts[layout].kind {
            Kind::Sum { variants, .. } => {
                let chosen = base::parse_u64(typed).and_then(|at| usize::try_from(at).ok());
                let chosen = chosen.filter(|&at| variants.get(at).is_some_and(|variant| variant.is_inhabited));
                let at = chosen.or_else(|| defaults.get(&layout).copied())?;
                let variant = &variants[at];
                let name = head_name(analysis, variant.head);
                let is_only = variant.fields.len() == 1;
                fields.append_all(variant.fields.iter().enumerate().map(|(index, field)| {
                    let place = match variant.head {
                        Head::Tuple | Head::Functions => format!(".{index}"),
                        Head::Constructor(_) | Head::Variant(_) if is_only => format!("field of {name}"),
                        Head::Constructor(_) | Head::Variant(_) => format!("field {} of {name}", index + 1),
                    };
                    (laid.field_type(ty, at, index, layouts[field.layout].ty), field.layout, place)
                }));
                What::Variant(at)
            }
            Kind::Scalar(dtype) | Kind::Immediate(dtype) => match number(*dtype, typed) {
                Ok(scalar) => What::Number(*dtype, scalar),
                Err(sentence) => {
                    problem = (!typed.is_empty()).then_some(sentence);
                    What::Number(*dtype, zero(*dtype))
                }
            },
            Kind::Ref { content } => {
                let inner = if let Term::Ref(inner) = laid.types.head(ty) { inner } else { layouts[*content].ty };
                fields.push((inner, *content, "content".to_owned()));
                What::Fixed
            }
            Kind::Tensor | Kind::Closure => What::Fixed,
            Kind::Box { .. } | Kind::Token { .. } | Kind::Never => return None,
        };
        let typed = match what {
            What::Number(..) if typed.is_empty() => "0".to_owned(),
            What::Variant(_) | What::Number(..) | What::Fixed => typed.to_owned(),
        };
        let n_fields = fields.len();
        nodes.push(Node { ty, layout, what, depth, place, n_fields, typed, problem });
        let are_given = base::parse_u64(n_given) == Some(n_fields as u64);
        let fields = fields.into_iter().rev();
        pending.append_all(fields.map(|(ty, layout, place)| (ty, layout, are_given, depth + 1, place)));
    }
    Some(nodes)
}

/// The variant of each sum through which its values end soonest.
fn defaults(layouts: &Layouts, root: LayoutId) -> HashMap<LayoutId, usize> {
    let mut users: HashMap<LayoutId, Vec<(LayoutId, usize)>> = HashMap::default();
    let mut n_missing: HashMap<(LayoutId, usize), usize> = HashMap::default();
    let mut ready: Vec<(LayoutId, usize)> = Vec::new();
    let mut seen = HashSet::default();
    let mut pending = vec![root];
    while let Some(layout) = pending.pop() {
        if !seen.insert(layout) {
            continue;
        }
        let mut variant = |at: usize, parts: &[LayoutId]| {
            n_missing.insert((layout, at), parts.len());
            if parts.is_empty() {
                ready.push((layout, at));
            }
            for &part in parts {
                users.entry(part).or_default().push((layout, at));
                pending.push(part);
            }
        };
        match &layouts[layout].kind {
            Kind::Sum { variants, .. } => {
                for (at, one) in variants.iter().enumerate().filter(|(_, variant)| variant.is_inhabited) {
                    let parts: Vec<LayoutId> = one.fields.iter().map(|field| field.layout).list();
                    variant(at, &parts);
                }
            }
            Kind::Box { content, .. } | Kind::Ref { content } => variant(0, &[*content]),
            Kind::Scalar(_) | Kind::Immediate(_) | Kind::Tensor | Kind::Closure => variant(0, &[]),
            Kind::Token { .. } | Kind::Never => {}
        }
    }
    let mut defaults = HashMap::default();
    let mut n_seen = 0;
    while let Some(&(layout, at)) = ready.get(n_seen) {
        n_seen += 1;
        if defaults.contains_key(&layout) {
            continue;
        }
        defaults.insert(layout, at);
        for user in users.remove(&layout).unwrap_or_default() {
            if let Some(n) = n_missing.get_mut(&user) {
                *n -= 1;
                if *n == 0 {
                    ready.push(user);
                }
            }
        }
    }
    defaults
}

fn zero(dtype: Dtype) -> Scalar {
    scalar_of(dtype, 0)
}

/// A number as typed, in its dtype.
fn number(dtype: Dtype, typed: &str) -> Result<Scalar, String> {
    if matches!(zero(dtype), Scalar::Float(_)) {
        let value = base::parse_f64(typed.trim_ascii()).ok_or("not a number")?;
        let largest = if dtype == Dtype::Float16 { 65_504.0 } else { f64::MAX };
        let value = if value.abs() > largest { value.signum() * f64::INFINITY } else { value };
        return Ok(scalar_of(dtype, scalar_bits(dtype, Scalar::Float(value))));
    }
    let typed = typed.trim_ascii();
    let value = base::parse_u64(typed).map(i128::from).or_else(|| base::parse_i64(typed).map(i128::from));
    let value = value.ok_or_else(|| "no whole number of 64 bits".to_owned())?;
    let scalar = scalar_of(dtype, scalar_bits(dtype, Scalar::Int(value as i64)));
    let Scalar::Int(stored) = scalar else { return Ok(scalar) };
    let stored = if dtype == Dtype::UInt64 { i128::from(stored as u64) } else { i128::from(stored) };
    if stored == value { Ok(scalar) } else { Err(format!("{dtype} has no {typed}")) }
}

/// The value as an expression; empty if it has parts that nobody chooses.
fn written(analysis: &Analysis, laid: &Laid, nodes: &[Node]) -> String {
    let mut results: Vec<Value> = Vec::new();
    for node in nodes.iter().rev() {
        let fields = (0..node.n_fields).filter_map(|_| results.pop()).list();
        let value = match (node.what, &laid.layouts[0][node.layout].kind) {
            (What::Number(dtype, scalar), _) => Value::Scalar(dtype, scalar),
            (What::Variant(at), Kind::Sum { variants, .. }) => match variants[at].head {
                Head::Constructor(number) => Value::Data(number, Fields::new(fields)),
                Head::Variant(name) => Value::Variant(name, Fields::new(fields)),
                Head::Tuple | Head::Functions => Value::Tuple(Fields::new(fields)),
            },
            (What::Variant(_) | What::Fixed, _) => return String::new(),
        };
        results.push(value);
    }
    results.pop().map_or(String::new(), |value| print_value(&value, &analysis.module).text)
}

/// A block, or the variable itself.
struct Block {
    /// Of the node that it holds; the variable comes before all.
    node: Option<usize>,
    address: u32,
    layout: LayoutId,
    words: Option<Words>,
    note: &'static str,
}

struct Memory<'a> {
    layouts: &'a Layouts,
    blocks: Vec<Block>,
    next: u32,
}

impl<'a> Memory<'a> {
    /// What stores a value under a strategy, the variable first, then the blocks in the order of the parts.
    fn of(laid: &'a Laid, strategy: usize, root: LayoutId, nodes: &[Node]) -> Memory<'a> {
        let layouts = &laid.layouts[strategy];
        let mut memory = Memory { layouts, blocks: Vec::new(), next: FIRST_ADDRESS };
        let mut stored: Vec<LayoutId> = Vec::with_capacity(nodes.len());
        let mut pending = vec![root];
        for node in nodes {
            let layout = pending.pop().unwrap_or(root);
            stored.push(layout);
            match (&layouts[laid.content(strategy, layout)].kind, node.what) {
                (Kind::Sum { variants, .. }, What::Variant(at)) => {
                    pending.append_all(variants[at].fields.iter().rev().map(|field| field.layout));
                }
                (Kind::Ref { content }, _) => pending.push(*content),
                _ => {}
            }
        }
        let mut results: Vec<Words> = Vec::new();
        for (index, node) in nodes.iter().enumerate().rev() {
            let layout = stored[index];
            let content = laid.content(strategy, layout);
            let fields: Vec<Words> = (0..node.n_fields).filter_map(|_| results.pop()).list();
            let mut words: Words = match (&layouts[content].kind, node.what) {
                (Kind::Scalar(_), What::Number(dtype, scalar)) => vec![scalar_bits(dtype, scalar)],
                (Kind::Immediate(_), What::Number(dtype, scalar)) => vec![scalar_bits(dtype, scalar) << 1 | 1],
                (Kind::Sum { .. }, What::Variant(at)) => pack(layouts, content, at, &fields),
                (Kind::Ref { content }, _) => {
                    memory.block(index, *content, fields.into_iter().next(), "the cell of a reference")
                }
                (Kind::Tensor, _) => {
                    memory.block(index, content, None, "the buffer of a tensor: its sizes and its elements")
                }
                (Kind::Closure, _) => {
                    memory.block(index, content, None, "a function: its code and the values that it captured")
                }
                (_, _) => Words::new(),
            };
            if let Kind::Box { .. } = layouts[layout].kind {
                words = match immediate_of(layouts, layout, &words) {
                    Some(immediate) => vec![u64::from(immediate)],
                    None => memory.block(index, content, Some(words), ""),
                };
            }
            results.push(words);
        }
        let words = results.pop();
        memory.blocks.push(Block { node: None, address: 0, layout: root, words, note: "" });
        base::sort_by_key(&mut memory.blocks, |block| block.node.map_or(0, |node| node + 1));
        memory
    }

    /// The word that points to a new block.
    fn block(&mut self, node: usize, layout: LayoutId, words: Option<Words>, note: &'static str) -> Words {
        let address = self.next;
        let bytes = if words.is_some() { self.layouts[layout].bits.div_ceil(8) } else { 16 };
        self.next += HEADER + bytes.next_multiple_of(8);
        self.blocks.push(Block { node: Some(node), address, layout, words, note });
        vec![u64::from(address)]
    }

    fn views(&self, analysis: &Analysis, texts: &mut Texts) -> Vec<BlockView> {
        let view = |block: &Block| BlockView {
            address: block.address,
            r#type: texts.of(self.layouts[block.layout].ty),
            bits: if block.words.is_some() { self.layouts[block.layout].bits } else { 0 },
            segments: block.words.as_ref().map_or_else(Vec::new, |words| self.segments(analysis, block.layout, words)),
            note: block.note.to_owned(),
        };
        self.blocks.iter().map(view).list()
    }

    /// The bits of a layout with what they mean, down to the fields of fields.
    fn segments(&self, analysis: &Analysis, root: LayoutId, words: &[u64]) -> Vec<SegmentView> {
        let layouts = self.layouts;
        // By offset.
        let mut said: HashMap<u32, SegmentView> = HashMap::default();
        let mut ranges: Vec<Range> = Vec::new();
        let mut pending = vec![(root, 0, None)];
        let segment = |kind, offset, bits, text, field| SegmentView {
            kind,
            offset,
            bits,
            text,
            field,
            entry: None,
            digits: Some(digits(words, offset, bits)),
            block: None,
        };
        while let Some((layout, offset, field)) = pending.pop() {
            let bits = layouts[layout].bits;
            if bits == 0 {
                continue;
            }
            let word = read_bits(words, offset, bits.min(64));
            let (kind, text) = match &layouts[layout].kind {
                Kind::Sum { tag, variants } => {
                    let own = slice_bits(words, offset, bits);
                    let variant = &variants[variant_in(*tag, variants, &own)];
                    let place = match *tag {
                        Tag::Bits { offset, bits } if variant.code.is_some() => Some((Part::Tag, offset, bits)),
                        Tag::Niche { offset, bits, .. } if variant.code.is_some() => Some((Part::Niche, offset, bits)),
                        Tag::None | Tag::Bits { .. } | Tag::Niche { .. } => None,
                    };
                    if let Some((part, inner, bits)) = place {
                        let kind = if part == Part::Tag { SegmentKindView::Tag } else { SegmentKindView::Niche };
                        let at = offset + inner;
                        said.insert(at, segment(kind, at, bits, head_name(analysis, variant.head), field));
                        ranges.push(Range { part, offset: at, bits });
                    }
                    for (index, part) in variant.fields.iter().enumerate() {
                        let outermost = if layout == root { Some(index as u32) } else { field };
                        pending.push((part.layout, offset + part.offset, outermost));
                    }
                    continue;
                }
                Kind::Scalar(dtype) => (SegmentKindView::Field, scalar_text(analysis, *dtype, word)),
                Kind::Immediate(dtype) => (SegmentKindView::Field, scalar_text(analysis, *dtype, word >> 1)),
                Kind::Box { content, immediates } => match immediate_variant(immediates, word as u32) {
                    Some(at) => {
                        // In a field it is the field's value; alone it says the variant.
                        let kind = if layout == root { SegmentKindView::Tag } else { SegmentKindView::Field };
                        (kind, self.variant_name(analysis, *content, at))
                    }
                    None => (SegmentKindView::Pointer, String::new()),
                },
                Kind::Tensor | Kind::Closure | Kind::Ref { .. } | Kind::Token { .. } | Kind::Never => {
                    (SegmentKindView::Pointer, String::new())
                }
            };
            let mut leaf = segment(kind, offset, bits, text, field);
            if is_pointer(layouts, layout) {
                leaf.block = self.blocks.iter().position(|block| block.address == word as u32).map(|at| at as u32);
                if leaf.block == Some(0) {
                    leaf.block = None;
                }
            }
            said.insert(offset, leaf);
            ranges.push(Range { part: Part::Field(0), offset, bits });
        }
        let ranges = with_padding(ranges, layouts[root].bits).into_iter();
        let view = |range: Range| match (range.part, said.remove(&range.offset)) {
            (Part::Padding, _) | (_, None) => {
                segment(SegmentKindView::Padding, range.offset, range.bits, String::new(), None)
            }
            (Part::Tag | Part::Niche | Part::Field(_), Some(said)) => said,
        };
        ranges.map(view).list()
    }

    fn variant_name(&self, analysis: &Analysis, content: LayoutId, at: usize) -> String {
        match &self.layouts[content].kind {
            Kind::Sum { variants, .. } => head_name(analysis, variants[at].head),
            _ => String::new(),
        }
    }
}

fn scalar_text(analysis: &Analysis, dtype: Dtype, bits: u64) -> String {
    print_value(&Value::Scalar(dtype, scalar_of(dtype, bits)), &analysis.module).text
}

/// The bits, the highest first; of padding, however long, as many as fit a word.
fn digits(words: &[u64], offset: u32, bits: u32) -> String {
    let bits = bits.min(64);
    (0..bits).rev().map(|bit| if read_bits(words, offset + bit, 1) == 1 { '1' } else { '0' }).collect()
}
