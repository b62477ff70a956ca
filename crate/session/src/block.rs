//! What bits of the machine's memory mean, by their layouts: where the parts are, what they hold and where they lead.
//!
//! Pointers are not followed: `Cons(3, →0x10)`.

use crate::Analysis;
use crate::needs::type_text;
use crate::step::{function_name, shortened};
use crate::view::machine::{BlockView, PartKindView, PartView, VariableView};
use base::{Edited, Join, Surface, ToList};
use ir::Program;
use layout::{Head, Kind, LayoutId, Tag, Words, immediate_variant, n_words, read_bits, slice_bits, variant_in};
use machine::{BlockKind, Machine};
use op::ResultType;
use ty::{ConstructorNames, Dtype, Value, print_value, scalar_of};

/// More parts of one block are not listed.
const MAX_PARTS: usize = 64;
/// A tensor of more elements is not written out.
const MAX_WRITTEN: usize = 64;
/// At most this many elements of a tensor are listed.
const MAX_ELEMENTS: usize = 16;

pub(crate) struct Contents<'a> {
    pub machine: &'a Machine,
    pub program: &'a Program,
    pub analysis: &'a Analysis,
}

/// A value without what is behind its pointers.
pub(crate) struct Shallow {
    pub text: String,
    pub parts: Vec<PartView>,
}

enum Step {
    Text(&'static str),
    Value { layout: LayoutId, offset: u32, name: String },
}

impl Contents<'_> {
    pub fn type_of(&self, layout: LayoutId) -> String {
        let ty = self.program.layouts[layout].ty;
        ty::print_term(&self.program.types, &self.analysis.module, ty).text
    }

    fn head(&self, head: Head) -> String {
        let module = &self.analysis.module;
        match head {
            Head::Constructor(number) => module.constructor(number).to_owned(),
            Head::Variant(name) => {
                let tick = if module.surface == Surface::Refine { "" } else { "`" };
                format!("{tick}{}", ConstructorNames::variant(module, name))
            }
            Head::Tuple | Head::Functions => String::new(),
        }
    }

    fn scalar(&self, dtype: Dtype, bits: u64) -> String {
        print_value(&Value::Scalar(dtype, scalar_of(dtype, bits)), &self.analysis.module).text
    }

    /// A variable, with its value if that is known and not too large.
    pub fn variable(&self, name: String, layout: LayoutId, bits: &[u64], value: Option<&Value>) -> VariableView {
        let shallow = self.shallow(layout, bits, 0, "");
        let is_large = matches!(value, Some(Value::Tensor(tensor)) if tensor.elements.len() > MAX_WRITTEN);
        let is_token = matches!(self.program.layouts[layout].kind, Kind::Token { .. });
        let is_tensor = matches!(self.program.layouts[layout].kind, Kind::Tensor);
        let pointers: Vec<u32> = shallow.parts.iter().filter_map(|part| part.pointer).list();
        // A layout is that of all sizes.
        let tensor = pointers.first().filter(|_| is_tensor).and_then(|&at| self.machine.tensor_at(at));
        VariableView {
            name,
            r#type: match tensor {
                _ if is_token => String::new(),
                Some(tensor) => type_text(&tensor),
                None => self.type_of(layout),
            },
            pointers,
            value: match value {
                _ if is_token => "memory to use again".to_owned(),
                Some(value) if !is_large => shortened(print_value(value, &self.analysis.module).text),
                Some(_) | None => shallow.text,
            },
            bits: bits.iter().rev().map(|word| format!("{word:x}")).list().joined(" "),
        }
    }

    /// The value of a layout from a bit on.
    pub fn shallow(&self, layout: LayoutId, words: &[u64], offset: u32, name: &str) -> Shallow {
        let layouts = &self.program.layouts;
        let mut found = Shallow { text: String::new(), parts: Vec::new() };
        let mut steps = vec![Step::Value { layout, offset, name: name.to_owned() }];
        while let Some(step) = steps.pop() {
            let (layout, offset, name) = match step {
                Step::Text(text) => {
                    found.text.push_str(text);
                    continue;
                }
                Step::Value { layout, offset, name } => (layout, offset, name),
            };
            if found.parts.len() >= MAX_PARTS {
                found.text.push('…');
                break;
            }
            let bits = layouts[layout].bits;
            let word = read_bits(words, offset, bits.min(64));
            let mut part =
                PartView { name, kind: PartKindView::Field, offset, bits, value: String::new(), pointer: None };
            match &layouts[layout].kind {
                Kind::Scalar(dtype) => part.value = self.scalar(*dtype, word),
                Kind::Immediate(dtype) => part.value = self.scalar(*dtype, word >> 1),
                Kind::Tensor | Kind::Closure | Kind::Ref { .. } | Kind::Token { .. } => {
                    part.pointer = Some(word as u32).filter(|&pointer| pointer != 0);
                }
                Kind::Box { content, immediates } => match immediate_variant(immediates, word as u32) {
                    Some(variant) => {
                        if let Kind::Sum { variants, .. } = &layouts[*content].kind {
                            part.value = self.head(variants[variant].head);
                        }
                    }
                    None => part.pointer = Some(word as u32),
                },
                Kind::Never => part.value = "nothing".to_owned(),
                Kind::Sum { tag, variants } => {
                    let own: Words = slice_bits(words, offset, bits);
                    let index = variant_in(*tag, variants, &own);
                    let Some(variant) = variants.get(index) else { continue };
                    let prefix = match part.name.as_str() {
                        "" => "field ".to_owned(),
                        outer => format!("{outer}."),
                    };
                    let tag = match *tag {
                        Tag::Bits { offset, bits } => Some((offset, bits, "tag")),
                        Tag::Niche { offset, bits, dataful } if dataful != index => Some((offset, bits, "niche")),
                        Tag::None | Tag::Niche { .. } => None,
                    };
                    let head = self.head(variant.head);
                    found.text.push_str(&head);
                    if let Some((at, bits, what)) = tag {
                        let name = if part.name.is_empty() { what.to_owned() } else { format!("{prefix}{what}") };
                        let (kind, offset) = (PartKindView::Tag, offset + at);
                        found.parts.push(PartView { name, kind, offset, bits, value: head, pointer: None });
                    }
                    if !variant.fields.is_empty() || variant.head == Head::Tuple {
                        found.text.push('(');
                        steps.push(Step::Text(")"));
                        for (i, field) in variant.fields.iter().enumerate().rev() {
                            let name = format!("{prefix}{}", i + 1);
                            steps.push(Step::Value { layout: field.layout, offset: offset + field.offset, name });
                            if i > 0 {
                                steps.push(Step::Text(", "));
                            }
                        }
                    }
                    continue;
                }
            }
            match part.pointer {
                Some(pointer) => found.text.push_str(&format!("→0x{pointer:02x}")),
                None => found.text.push_str(&part.value),
            }
            if part.name.is_empty() {
                part.name.push_str("value");
            }
            found.parts.push(part);
        }
        found.text = shortened(found.text);
        found
    }

    pub fn block(&self, block: machine::BlockView) -> BlockView {
        let machine::BlockView { address, size, kind, n_owners, shape, bytes, .. } = block;
        let mut words: Vec<u64> = bytes.chunks(8).map(word).list();
        let mut view = BlockView {
            address,
            size,
            count: n_owners,
            kind: String::new(),
            r#type: String::new(),
            value: String::new(),
            bytes,
            parts: Vec::new(),
        };
        let name = match kind {
            BlockKind::Free => "free",
            BlockKind::Token => {
                view.count = None;
                "kept to be used again"
            }
            BlockKind::Box(content) | BlockKind::Ref(content) => {
                view.r#type = self.type_of(content);
                words.resize(words.len().max(n_words(self.program.layouts[content].bits)), 0);
                let shallow = self.shallow(content, &words, 0, "");
                (view.value, view.parts) = (shallow.text, shallow.parts);
                if matches!(kind, BlockKind::Box(_)) { "box" } else { "cell" }
            }
            BlockKind::Tensor(dtype) => {
                self.tensor_parts(&mut view, dtype, &shape, &words);
                view.r#type = type_text(&ResultType { shape, dtype });
                "tensor"
            }
            BlockKind::Closure(code) => {
                let function = &self.program.functions[code];
                if let Some(ty) = function.ty {
                    view.r#type = ty::print_term(&self.program.types, &self.analysis.module, ty).text;
                }
                view.value = function_name(self.analysis, function);
                let mut at = 0;
                for &capture in function.params.iter().take(function.n_captures) {
                    let Some(var) = function.vars.get(capture) else { continue };
                    let bits = self.program.layouts[var.layout].bits;
                    words.resize(words.len().max((at as usize).div_ceil(64) + n_words(bits)), 0);
                    let name = var.name.clone().unwrap_or_else(|| format!("v{}", capture.number()));
                    view.parts.append(&mut self.shallow(var.layout, &words, at, &name).parts);
                    at += n_words(bits) as u32 * 64;
                }
                "closure"
            }
        };
        view.kind = name.to_owned();
        pad(&mut view);
        view
    }

    /// Rank and sizes, then the elements.
    fn tensor_parts(&self, view: &mut BlockView, dtype: Dtype, shape: &[usize], words: &[u64]) {
        let mut part = |name: String, kind, offset: u32, bits: u32, value: String| {
            view.parts.push(PartView { name, kind, offset, bits, value, pointer: None });
        };
        part("rank".to_owned(), PartKindView::Tag, 0, 32, shape.len().to_string());
        for (i, size) in shape.iter().enumerate() {
            part(format!("size {}", i + 1), PartKindView::Tag, 32 * (i as u32 + 1), 32, size.to_string());
        }
        let first = (32 * (shape.len() as u32 + 1)).next_multiple_of(64);
        let width = dtype.bits().next_multiple_of(8);
        let n_elements = shape.iter().product::<usize>().min(MAX_ELEMENTS);
        for i in 0..n_elements {
            let offset = first + i as u32 * width;
            if offset + width > words.len() as u32 * 64 {
                break;
            }
            let value = self.scalar(dtype, read_bits(words, offset, width));
            part(format!("element {i}"), PartKindView::Field, offset, width, value);
        }
    }
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// Puts the parts in order, and says what no part uses.
fn pad(view: &mut BlockView) {
    let n_bits = view.bytes.len() as u32 * 8;
    let is_cut = view.size > view.bytes.len() as u32 + 8;
    view.parts.keep(|part| part.offset + part.bits <= n_bits);
    base::sort_by_key(&mut view.parts, |part| part.offset);
    let mut parts = Vec::new();
    let mut end = 0;
    let padding = |from: u32, to: u32| PartView {
        name: "padding".to_owned(),
        kind: PartKindView::Padding,
        offset: from,
        bits: to - from,
        value: String::new(),
        pointer: None,
    };
    for part in std::mem::take(&mut view.parts) {
        if part.offset > end {
            parts.push(padding(end, part.offset));
        }
        end = end.max(part.offset + part.bits);
        parts.push(part);
    }
    let has_parts = !parts.is_empty();
    if has_parts && end < n_bits && !is_cut && view.kind != "tensor" {
        parts.push(padding(end, n_bits));
    }
    view.parts = parts;
}
