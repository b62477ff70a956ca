//! Values as bits and back.
//!
//! Boxes, tensors and cells are in a [`Heap`]; children are encoded before what holds them. Blocks that are shared
//! decode to shared values, and cycles through references to cycles.

use crate::bits::{Words, n_words, read_bits, slice_bits};
use crate::layout::{Kind, LayoutId};
use crate::layouts::Layouts;
use crate::sum::{immediate_content, immediate_of, immediate_variant, pack, scalar_bits, scalar_of, variant_in};
use crate::types::Head;
use rustc_hash::FxHashMap;
use smallvec::smallvec;
use std::cell::RefCell;
use std::rc::Rc;
use ty::{Code, Elements, Fields, Scalar, Tensor, Value};

/// The memory behind pointers. A new block, tensor or cell has one owner and takes over the pointers in its content.
pub trait Heap {
    fn new_block(&mut self, content: LayoutId, bits: &[u64]) -> u32;
    fn new_tensor(&mut self, tensor: &Tensor) -> u32;
    fn new_ref(&mut self, content: LayoutId, bits: &[u64]) -> u32;
    /// One owner more.
    fn retain(&mut self, pointer: u32);

    /// The first words of a block's content.
    fn block(&self, pointer: u32, n_words: usize) -> Words;
    fn tensor(&self, pointer: u32) -> Tensor;
    /// The first words of a cell's content.
    fn cell(&self, pointer: u32, n_words: usize) -> Words;
    /// The number of a closure's function.
    fn closure(&self, pointer: u32) -> u32;
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
    /// The last results are its fields.
    Pack(LayoutId, usize),
    Box(LayoutId),
    Ref(LayoutId, *const RefCell<Value>),
}

/// The bits of a value.
pub fn encode(layouts: &Layouts, heap: &mut dyn Heap, layout: LayoutId, value: &Value) -> Result<Words, CodeError> {
    let mut steps = vec![EncodeStep::Value(layout, value.clone())];
    let mut results: Vec<Words> = Vec::new();
    // `None` while the content is not known. The values are kept, so that no other has the address.
    let mut cells: FxHashMap<*const RefCell<Value>, (Option<u32>, Value)> = FxHashMap::default();
    while let Some(step) = steps.pop() {
        let words: Words = match step {
            EncodeStep::Pack(layout, variant) => {
                let n_fields = match &layouts[layout].kind {
                    Kind::Sum { variants, .. } => variants[variant].fields.len(),
                    _ => 0,
                };
                let fields = results.split_off(results.len() - n_fields);
                pack(layouts, layout, variant, &fields)
            }
            EncodeStep::Box(layout) => {
                let words = results.pop().unwrap_or_default();
                let Kind::Box { content, .. } = layouts[layout].kind else { return Err(CodeError::Mismatch) };
                let immediate = immediate_of(layouts, layout, &words);
                smallvec![u64::from(immediate.unwrap_or_else(|| heap.new_block(content, &words)))]
            }
            EncodeStep::Ref(content, cell) => {
                let words = results.pop().unwrap_or_default();
                let pointer = heap.new_ref(content, &words);
                if let Some(known) = cells.get_mut(&cell) {
                    known.0 = Some(pointer);
                }
                smallvec![u64::from(pointer)]
            }
            EncodeStep::Value(layout, value) => match (&layouts[layout].kind, &value) {
                (Kind::Box { content, .. }, _) => {
                    steps.extend([EncodeStep::Box(layout), EncodeStep::Value(*content, value)]);
                    continue;
                }
                (
                    Kind::Sum { variants, .. },
                    Value::Tuple(fields) | Value::Data(_, fields) | Value::Variant(_, fields),
                ) => {
                    let head = match value {
                        Value::Data(number, _) => Head::Constructor(number),
                        Value::Variant(name, _) => Head::Variant(name),
                        _ => Head::Tuple,
                    };
                    let variant = variants.iter().position(|variant| variant.head == head);
                    let variant = variant.filter(|&variant| {
                        variants[variant].is_inhabited && variants[variant].fields.len() == fields.len()
                    });
                    let variant = variant.ok_or(CodeError::Mismatch)?;
                    steps.push(EncodeStep::Pack(layout, variant));
                    let parts = variants[variant].fields.iter().zip(fields.iter()).rev();
                    steps.extend(parts.map(|(field, value)| EncodeStep::Value(field.layout, value.clone())));
                    continue;
                }
                (Kind::Scalar(dtype), Value::Scalar(of, scalar)) if of == dtype => {
                    smallvec![scalar_bits(*dtype, *scalar)]
                }
                (Kind::Immediate(dtype), Value::Scalar(of, scalar)) if of == dtype => {
                    smallvec![scalar_bits(*dtype, *scalar) << 1 | 1]
                }
                (Kind::Tensor, Value::Tensor(tensor)) => smallvec![u64::from(heap.new_tensor(tensor))],
                (Kind::Tensor, Value::Scalar(dtype, scalar)) => {
                    let elements = match *scalar {
                        Scalar::Float(value) => Elements::Float(vec![value]),
                        Scalar::Int(value) => Elements::Int(vec![value]),
                    };
                    smallvec![u64::from(heap.new_tensor(&Tensor { dtype: *dtype, shape: Vec::new(), elements }))]
                }
                (Kind::Ref { content }, Value::Ref(cell)) => match cells.get(&Rc::as_ptr(cell)) {
                    Some((Some(pointer), _)) => {
                        heap.retain(*pointer);
                        smallvec![u64::from(*pointer)]
                    }
                    Some((None, _)) => return Err(CodeError::Cycle),
                    None => {
                        cells.insert(Rc::as_ptr(cell), (None, value.clone()));
                        let inner = cell.borrow().clone();
                        steps.extend([EncodeStep::Ref(*content, Rc::as_ptr(cell)), EncodeStep::Value(*content, inner)]);
                        continue;
                    }
                },
                (Kind::Closure, Value::Func(..)) => return Err(CodeError::Function),
                (_, _) => return Err(CodeError::Mismatch),
            },
        };
        results.push(words);
    }
    results.pop().ok_or(CodeError::Mismatch)
}

enum DecodeStep {
    Bits(LayoutId, Words),
    /// The last results, so many, are its fields.
    Sum(Head, usize),
    /// The last result is what this layout has at this address.
    Box(LayoutId, u32),
    Ref(Rc<RefCell<Value>>),
}

/// The value of these bits.
pub fn decode(layouts: &Layouts, heap: &dyn Heap, layout: LayoutId, bits: &[u64]) -> Value {
    let mut steps = vec![DecodeStep::Bits(layout, bits.into())];
    let mut results: Vec<Value> = Vec::new();
    let mut known: FxHashMap<(LayoutId, u32), Value> = FxHashMap::default();
    while let Some(step) = steps.pop() {
        let value = match step {
            DecodeStep::Sum(head, n_fields) => {
                let fields = Fields::new(results.split_off(results.len() - n_fields));
                match head {
                    Head::Constructor(number) => Value::Data(number, fields),
                    Head::Variant(name) => Value::Variant(name, fields),
                    Head::Tuple => Value::Tuple(fields),
                }
            }
            DecodeStep::Box(layout, pointer) => {
                if let Some(value) = results.last() {
                    known.insert((layout, pointer), value.clone());
                }
                continue;
            }
            DecodeStep::Ref(cell) => {
                *cell.borrow_mut() = results.pop().unwrap_or_else(Value::unit);
                Value::Ref(cell)
            }
            DecodeStep::Bits(layout, bits) => {
                let word = bits.first().copied().unwrap_or(0);
                let pointer = word as u32;
                match &layouts[layout].kind {
                    Kind::Scalar(dtype) => Value::Scalar(*dtype, scalar_of(*dtype, word)),
                    Kind::Immediate(dtype) => Value::Scalar(*dtype, scalar_of(*dtype, word >> 1)),
                    Kind::Tensor => Value::tensor(heap.tensor(pointer)),
                    Kind::Closure => Value::Func(Code::Function(heap.closure(pointer)), Fields::default()),
                    Kind::Sum { tag, variants } => {
                        let variant = &variants[variant_in(*tag, variants, &bits)];
                        steps.push(DecodeStep::Sum(variant.head, variant.fields.len()));
                        for field in variant.fields.iter().rev() {
                            let part = slice_bits(&bits, field.offset, layouts[field.layout].bits);
                            steps.push(DecodeStep::Bits(field.layout, part));
                        }
                        continue;
                    }
                    Kind::Box { content, immediates } => {
                        if let Some(variant) = immediate_variant(immediates, pointer) {
                            steps.push(DecodeStep::Bits(*content, immediate_content(layouts, *content, variant)));
                            continue;
                        }
                        match known.get(&(layout, pointer)) {
                            Some(value) => value.clone(),
                            None => {
                                let inner = heap.block(pointer, n_words(layouts[*content].bits));
                                steps.extend([DecodeStep::Box(layout, pointer), DecodeStep::Bits(*content, inner)]);
                                continue;
                            }
                        }
                    }
                    Kind::Ref { content } => match known.get(&(layout, pointer)) {
                        Some(value) => value.clone(),
                        None => {
                            let cell = Rc::new(RefCell::new(Value::unit()));
                            known.insert((layout, pointer), Value::Ref(cell.clone()));
                            let inner = heap.cell(pointer, n_words(layouts[*content].bits));
                            steps.extend([DecodeStep::Ref(cell), DecodeStep::Bits(*content, inner)]);
                            continue;
                        }
                    },
                    Kind::Token { .. } | Kind::Never => Value::unit(),
                }
            }
        };
        results.push(value);
    }
    results.pop().unwrap_or_else(Value::unit)
}

enum TextStep {
    Bits(LayoutId, Words),
    Padding(u32),
}

/// The bits of a value as the fact files write them: the tag, then the fields as declared, each with its highest bit
/// first; behind them an `x` for each bit that this variant leaves unused.
pub fn bit_string(layouts: &Layouts, layout: LayoutId, bits: &[u64]) -> String {
    let mut text = String::new();
    let mut steps = vec![TextStep::Bits(layout, bits.into())];
    while let Some(step) = steps.pop() {
        match step {
            TextStep::Padding(n) => text.extend((0..n).map(|_| 'x')),
            TextStep::Bits(layout, bits) => {
                let Kind::Sum { tag, variants } = &layouts[layout].kind else {
                    number(&mut text, &bits, 0, layouts[layout].bits);
                    continue;
                };
                let variant = &variants[variant_in(*tag, variants, &bits)];
                let mut n_used = 0;
                if let (Some(_), crate::Tag::Bits { offset, bits: n } | crate::Tag::Niche { offset, bits: n, .. }) =
                    (variant.code, *tag)
                {
                    number(&mut text, &bits, offset, n);
                    n_used = n;
                }
                n_used += variant.fields.iter().map(|field| layouts[field.layout].bits).sum::<u32>();
                steps.push(TextStep::Padding(layouts[layout].bits - n_used));
                for field in variant.fields.iter().rev() {
                    let part = slice_bits(&bits, field.offset, layouts[field.layout].bits);
                    steps.push(TextStep::Bits(field.layout, part));
                }
            }
        }
    }
    text
}

fn number(text: &mut String, words: &[u64], offset: u32, n: u32) {
    text.extend((0..n).rev().map(|bit| if read_bits(words, offset + bit, 1) == 1 { '1' } else { '0' }));
}
