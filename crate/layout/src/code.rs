//! Values as bits and back.
//!
//! Boxes, tensors and cells are in a [`Heap`]; children are encoded before what holds them. Blocks that are shared
//! decode to shared values, and cycles through references to cycles.

use crate::bits::{Words, n_words, read_bits, slice_bits};
use crate::layout::{Kind, LayoutId, Tag};
use crate::layouts::Layouts;
use crate::sum::{immediate_content, immediate_of, immediate_variant, pack, variant_in};
use crate::types::Head;
use base::{Append, HashMap};
use std::cell::RefCell;
use std::rc::Rc;
use ty::{Code, Dtype, Elements, Fields, Scalar, Tensor, Value, scalar_bits, scalar_of};

/// The memory behind pointers. A new block, tensor or cell has one owner and takes over the pointers in its content.
pub trait Heap {
    fn new_block(&mut self, content: LayoutId, bits: &[u64]) -> u32;
    fn new_tensor(&mut self, tensor: &Tensor) -> u32;
    fn new_ref(&mut self, content: LayoutId, bits: &[u64]) -> u32;
    /// One owner more.
    fn retain(&mut self, pointer: u32);

    /// The first words of a block's content. Under `uniform` a block may be shorter, since its value may have got a
    /// longer type; then zeros follow.
    fn block(&self, pointer: u32, n_words: usize) -> Words;
    fn tensor(&self, pointer: u32) -> Tensor;
    /// The first words of a cell's content.
    fn cell(&self, pointer: u32, n_words: usize) -> Words;
    /// The number of a closure's function.
    fn closure(&self, pointer: u32) -> Code;
}

/// Why a value has no bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeError {
    /// It is not of the layout's type.
    Mismatch,
    /// Functions are made by running programs.
    Function,
    /// A reference leads to itself.
    Cycle,
}

enum EncodeStep {
    Value(LayoutId, Value),
    /// The last results, so many, are its fields.
    Pack {
        layout: LayoutId,
        variant: usize,
        n_fields: usize,
    },
    Box {
        layout: LayoutId,
        content: LayoutId,
    },
    Ref {
        content: LayoutId,
        cell: *const RefCell<Value>,
    },
}

struct Encoder<'a> {
    layouts: &'a Layouts,
    heap: &'a mut dyn Heap,
    steps: Vec<EncodeStep>,
    results: Vec<Words>,
    /// `None` while the content is not known. The values are kept, so that no other has the address.
    cells: HashMap<*const RefCell<Value>, (Option<u32>, Value)>,
}

/// The bits of a value.
pub fn encode(layouts: &Layouts, heap: &mut dyn Heap, layout: LayoutId, value: &Value) -> Result<Words, CodeError> {
    let steps = vec![EncodeStep::Value(layout, value.clone())];
    let mut encoder = Encoder { layouts, heap, steps, results: Vec::new(), cells: HashMap::default() };
    while let Some(step) = encoder.steps.pop() {
        let words = match step {
            EncodeStep::Value(layout, value) => match encoder.value(layout, value)? {
                Some(words) => words,
                None => continue,
            },
            EncodeStep::Pack { layout, variant, n_fields } => {
                let fields = encoder.results.split_off(encoder.results.len() - n_fields);
                pack(layouts, layout, variant, &fields)
            }
            EncodeStep::Box { layout, content } => {
                let words = encoder.results.pop().unwrap_or_default();
                match immediate_of(layouts, layout, &words) {
                    Some(immediate) => word(immediate),
                    None => word(encoder.heap.new_block(content, &words)),
                }
            }
            EncodeStep::Ref { content, cell } => {
                let words = encoder.results.pop().unwrap_or_default();
                let pointer = encoder.heap.new_ref(content, &words);
                if let Some(known) = encoder.cells.get_mut(&cell) {
                    known.0 = Some(pointer);
                }
                word(pointer)
            }
        };
        encoder.results.push(words);
    }
    encoder.results.pop().ok_or(CodeError::Mismatch)
}

fn word(pointer: u32) -> Words {
    vec![u64::from(pointer)]
}

impl Encoder<'_> {
    /// The bits of a value without parts; of others, pushes the steps.
    fn value(&mut self, layout: LayoutId, value: Value) -> Result<Option<Words>, CodeError> {
        let layouts = self.layouts;
        let words = match &layouts[layout].kind {
            Kind::Box { content, .. } => {
                let content = *content;
                self.steps.append_all([EncodeStep::Box { layout, content }, EncodeStep::Value(content, value)]);
                return Ok(None);
            }
            Kind::Sum { variants, .. } => {
                let (head, fields) = head_of(&value).ok_or(CodeError::Mismatch)?;
                let variant = variants.iter().position(|variant| variant.head == head).ok_or(CodeError::Mismatch)?;
                let places = &variants[variant].fields;
                if !variants[variant].is_inhabited || places.len() != fields.len() {
                    return Err(CodeError::Mismatch);
                }
                self.steps.push(EncodeStep::Pack { layout, variant, n_fields: fields.len() });
                let parts = places.iter().zip(fields.iter()).rev();
                self.steps.append_all(parts.map(|(field, value)| EncodeStep::Value(field.layout, value.clone())));
                return Ok(None);
            }
            Kind::Scalar(dtype) => vec![bits_of(*dtype, &value)?],
            Kind::Immediate(dtype) => vec![bits_of(*dtype, &value)? << 1 | 1],
            Kind::Tensor => match &value {
                Value::Tensor(tensor) => word(self.heap.new_tensor(tensor)),
                Value::Scalar(dtype, scalar) => {
                    let elements = match *scalar {
                        Scalar::Float(value) => Elements::Float(vec![value]),
                        Scalar::Int(value) => Elements::Int(vec![value]),
                    };
                    word(self.heap.new_tensor(&Tensor { dtype: *dtype, shape: Vec::new(), elements }))
                }
                Value::Tuple(_) | Value::Data(..) | Value::Variant(..) | Value::Func(..) | Value::Ref(_) => {
                    return Err(CodeError::Mismatch);
                }
            },
            Kind::Ref { content } => {
                let Value::Ref(cell) = &value else { return Err(CodeError::Mismatch) };
                let (address, inner) = (Rc::as_ptr(cell), cell.borrow().clone());
                match self.cells.get(&address) {
                    Some((Some(pointer), _)) => {
                        self.heap.retain(*pointer);
                        word(*pointer)
                    }
                    Some((None, _)) => return Err(CodeError::Cycle),
                    None => {
                        self.cells.insert(address, (None, value));
                        let content = *content;
                        let cell = EncodeStep::Ref { content, cell: address };
                        self.steps.append_all([cell, EncodeStep::Value(content, inner)]);
                        return Ok(None);
                    }
                }
            }
            Kind::Closure => return Err(CodeError::Function),
            Kind::Token { .. } | Kind::Never => return Err(CodeError::Mismatch),
        };
        Ok(Some(words))
    }
}

fn bits_of(dtype: Dtype, value: &Value) -> Result<u64, CodeError> {
    match value {
        Value::Scalar(of, scalar) if *of == dtype => Ok(scalar_bits(dtype, *scalar)),
        Value::Scalar(..)
        | Value::Tensor(_)
        | Value::Tuple(_)
        | Value::Data(..)
        | Value::Variant(..)
        | Value::Func(..)
        | Value::Ref(_) => Err(CodeError::Mismatch),
    }
}

fn head_of(value: &Value) -> Option<(Head, &Fields)> {
    match value {
        Value::Tuple(fields) => Some((Head::Tuple, fields)),
        Value::Data(number, fields) => Some((Head::Constructor(*number), fields)),
        Value::Variant(name, fields) => Some((Head::Variant(*name), fields)),
        Value::Scalar(..) | Value::Tensor(_) | Value::Func(..) | Value::Ref(_) => None,
    }
}

/// An address that no block has.
const NOWHERE: u32 = u32::MAX;

enum DecodeStep {
    Bits(LayoutId, Words),
    /// The last results, so many, are its fields.
    Sum(Head, usize),
    /// The last result is what this layout has at this address.
    Box(LayoutId, u32),
    Ref(Rc<RefCell<Value>>),
}

struct Decoder<'a> {
    layouts: &'a Layouts,
    heap: &'a dyn Heap,
    steps: Vec<DecodeStep>,
    known: HashMap<(LayoutId, u32), Value>,
}

/// The value of these bits.
pub fn decode(layouts: &Layouts, heap: &dyn Heap, layout: LayoutId, bits: &[u64]) -> Value {
    let steps = vec![DecodeStep::Bits(layout, bits.into())];
    let mut decoder = Decoder { layouts, heap, steps, known: HashMap::default() };
    let mut results: Vec<Value> = Vec::new();
    while let Some(step) = decoder.steps.pop() {
        match step {
            DecodeStep::Bits(layout, bits) => results.append_all(decoder.bits(layout, &bits)),
            DecodeStep::Sum(head, n_fields) => {
                let fields = Fields::new(results.split_off(results.len() - n_fields));
                results.push(match head {
                    Head::Constructor(number) => Value::Data(number, fields),
                    Head::Variant(name) => Value::Variant(name, fields),
                    Head::Tuple => Value::Tuple(fields),
                    // They are one function to whoever looks at it.
                    Head::Functions => {
                        fields.first().cloned().unwrap_or(Value::Func(Code::Function(0), Fields::default()))
                    }
                });
            }
            DecodeStep::Box(layout, pointer) => {
                if let Some(value) = results.last() {
                    decoder.known.insert((layout, pointer), value.clone());
                }
            }
            DecodeStep::Ref(cell) => {
                *cell.borrow_mut() = results.pop().unwrap_or_else(Value::unit);
                results.push(Value::Ref(cell));
            }
        }
    }
    results.pop().unwrap_or_else(Value::unit)
}

impl Decoder<'_> {
    /// The value of bits without parts, or of a pointer that has been met; of others, pushes the steps.
    fn bits(&mut self, layout: LayoutId, bits: &[u64]) -> Option<Value> {
        let layouts = self.layouts;
        let word = bits.first().copied().unwrap_or(0);
        let pointer = word as u32;
        match &layouts[layout].kind {
            Kind::Scalar(dtype) => Some(Value::Scalar(*dtype, scalar_of(*dtype, word))),
            Kind::Immediate(dtype) => Some(Value::Scalar(*dtype, scalar_of(*dtype, word >> 1))),
            Kind::Tensor => {
                let made = || Value::tensor(self.heap.tensor(pointer));
                Some(self.known.entry((layout, pointer)).or_insert_with(made).clone())
            }
            Kind::Closure => Some(Value::Func(self.heap.closure(pointer), Fields::default())),
            Kind::Sum { tag, variants } => {
                // What takes no bits is one value, however large: it is made once.
                if layouts[layout].bits == 0 {
                    if let Some(known) = self.known.get(&(layout, NOWHERE)) {
                        return Some(known.clone());
                    }
                    self.steps.push(DecodeStep::Box(layout, NOWHERE));
                }
                let variant = &variants[variant_in(*tag, variants, bits)];
                self.steps.push(DecodeStep::Sum(variant.head, variant.fields.len()));
                for field in variant.fields.iter().rev() {
                    let part = slice_bits(bits, field.offset, layouts[field.layout].bits);
                    self.steps.push(DecodeStep::Bits(field.layout, part));
                }
                None
            }
            Kind::Box { content, immediates } => {
                if let Some(variant) = immediate_variant(immediates, pointer) {
                    let inner = immediate_content(layouts, *content, variant);
                    self.steps.push(DecodeStep::Bits(*content, inner));
                    return None;
                }
                if let Some(value) = self.known.get(&(layout, pointer)) {
                    return Some(value.clone());
                }
                let inner = self.heap.block(pointer, n_words(layouts[*content].bits));
                self.steps.append_all([DecodeStep::Box(layout, pointer), DecodeStep::Bits(*content, inner)]);
                None
            }
            Kind::Ref { content } => {
                if let Some(value) = self.known.get(&(layout, pointer)) {
                    return Some(value.clone());
                }
                let cell = Rc::new(RefCell::new(Value::unit()));
                self.known.insert((layout, pointer), Value::Ref(cell.clone()));
                let inner = self.heap.cell(pointer, n_words(layouts[*content].bits));
                self.steps.append_all([DecodeStep::Ref(cell), DecodeStep::Bits(*content, inner)]);
                None
            }
            Kind::Token { .. } | Kind::Never => Some(Value::unit()),
        }
    }
}

enum TextStep {
    Bits(LayoutId, Words),
    Code(u64, u32),
    Padding(u32),
}

/// The bits of a value in the order in which they lie, but each number with its highest bit first, as the fact files
/// write them; an `x` is a bit that this variant leaves unused.
pub fn bit_string(layouts: &Layouts, layout: LayoutId, bits: &[u64]) -> String {
    let mut text = String::new();
    let mut steps = vec![TextStep::Bits(layout, bits.into())];
    while let Some(step) = steps.pop() {
        match step {
            TextStep::Padding(n) => text.extend((0..n).map(|_| 'x')),
            TextStep::Code(code, n) => number(&mut text, &[code], n),
            TextStep::Bits(layout, bits) => {
                let Kind::Sum { tag, variants } = &layouts[layout].kind else {
                    number(&mut text, &bits, layouts[layout].bits);
                    continue;
                };
                let variant = &variants[variant_in(*tag, variants, &bits)];
                let code = match (variant.code, *tag) {
                    (Some(_), Tag::Bits { offset, bits } | Tag::Niche { offset, bits, .. }) => {
                        Some((offset, bits, None))
                    }
                    (Some(_) | None, _) => None,
                };
                let fields = variant.fields.iter();
                let fields = fields.map(|field| (field.offset, layouts[field.layout].bits, Some(field.layout)));
                let mut end = layouts[layout].bits;
                // What lies last is pushed first.
                while let Some((offset, n, field)) =
                    { fields.clone().chain(code) }.filter(|part| part.0 < end && part.1 > 0).max_by_key(|part| part.0)
                {
                    steps.push(TextStep::Padding(end - offset - n));
                    steps.push(match field {
                        Some(field) => TextStep::Bits(field, slice_bits(&bits, offset, n)),
                        None => TextStep::Code(read_bits(&bits, offset, n), n),
                    });
                    end = offset;
                }
                steps.push(TextStep::Padding(end));
            }
        }
    }
    text
}

fn number(text: &mut String, words: &[u64], n: u32) {
    text.extend((0..n).rev().map(|bit| if read_bits(words, bit, 1) == 1 { '1' } else { '0' }));
}
