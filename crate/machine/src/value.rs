//! Values in and out of the heap.

use crate::heap::{HEADER, Heap, IMMORTAL};
use crate::kind::{BlockKind, Kinds, block_size, shape_at, shape_size, tensor_size};
use layout::{LayoutId, Words};
use std::cell::Cell;
use ty::{Code, Dtype, Elements, Tensor};

/// The heap as [`layout::encode`] and [`layout::decode`] see it.
pub struct Blocks<'a> {
    pub heap: &'a mut Heap,
    pub kinds: &'a Kinds,
    /// There was no memory for a block, or no room for elements.
    pub has_failed: Cell<bool>,
    /// Bytes that there are for the elements of values, eight for each.
    pub room: Cell<u64>,
}

impl<'a> Blocks<'a> {
    pub fn new(heap: &'a mut Heap, kinds: &'a Kinds) -> Blocks<'a> {
        Blocks { heap, kinds, has_failed: Cell::new(false), room: Cell::new(u64::MAX) }
    }

    fn block_of(&mut self, kind: BlockKind, words: &[u64]) -> u32 {
        match self.heap.take(block_size(words.len()), self.kinds.number(kind)) {
            Some(at) => {
                self.heap.set_content(at, words);
                at
            }
            None => {
                self.has_failed.set(true);
                0
            }
        }
    }
}

impl layout::Heap for Blocks<'_> {
    fn new_block(&mut self, content: LayoutId, bits: &[u64]) -> u32 {
        self.block_of(BlockKind::Box(content), bits)
    }

    fn new_tensor(&mut self, tensor: &Tensor) -> u32 {
        let at = new_tensor(self.heap, self.kinds, tensor);
        if at.is_none() {
            self.has_failed.set(true);
        }
        at.unwrap_or(0)
    }

    fn new_ref(&mut self, content: LayoutId, bits: &[u64]) -> u32 {
        self.block_of(BlockKind::Ref(content), bits)
    }

    fn retain(&mut self, pointer: u32) {
        self.heap.dup(pointer);
    }

    fn block(&self, pointer: u32, n_words: usize) -> Words {
        self.kinds.content_at(self.heap, pointer, n_words)
    }

    fn tensor(&self, pointer: u32) -> Tensor {
        let n = shape_at(self.heap, pointer).iter().fold(8_u64, |n, &size| n.saturating_mul(size as u64));
        match self.room.get().checked_sub(n) {
            Some(left) => {
                self.room.set(left);
                tensor_at(self.heap, self.kinds, pointer)
            }
            None => {
                self.has_failed.set(true);
                nothing()
            }
        }
    }

    fn cell(&self, pointer: u32, n_words: usize) -> Words {
        self.heap.content(pointer, n_words)
    }

    fn closure(&self, pointer: u32) -> Code {
        match self.kinds.kind_at(self.heap, pointer) {
            BlockKind::Closure(function) => self.kinds.code_of(function),
            BlockKind::Free | BlockKind::Token | BlockKind::Tensor(_) | BlockKind::Box(_) | BlockKind::Ref(_) => {
                Code::Function(u32::MAX)
            }
        }
    }
}

/// Where the elements of a tensor are, from its block's first byte.
pub fn data_offset(rank: usize) -> u32 {
    HEADER + shape_size(rank)
}

/// A block for a tensor with unset elements.
pub fn take_tensor(heap: &mut Heap, kinds: &Kinds, dtype: Dtype, shape: &[usize]) -> Option<u32> {
    let size = tensor_size(dtype, shape)?;
    let at = heap.take(size, kinds.number(BlockKind::Tensor(dtype)))?;
    // What pads the sizes and the elements is zero.
    heap.set_word(at + HEADER, 0);
    heap.set_word(at + data_offset(shape.len()) - 8, 0);
    heap.set_word(at + size - 8, 0);
    let sizes = std::iter::once(shape.len()).chain(shape.iter().copied());
    for (bytes, size) in heap.slice_mut(at + HEADER, (shape.len() + 1) * 4).chunks_exact_mut(4).zip(sizes) {
        bytes.copy_from_slice(&(size as u32).to_le_bytes());
    }
    Some(at)
}

pub fn new_tensor(heap: &mut Heap, kinds: &Kinds, tensor: &Tensor) -> Option<u32> {
    let dtype = tensor.dtype;
    let at = take_tensor(heap, kinds, dtype, &tensor.shape)?;
    let n_bytes = tensor.elements.len() * dtype.n_bytes();
    op::write_elements(&tensor.elements, dtype, heap.slice_mut(at + data_offset(tensor.shape.len()), n_bytes));
    Some(at)
}

/// A literal: nobody frees it.
pub fn static_tensor(heap: &mut Heap, kinds: &Kinds, tensor: &Tensor) -> Option<u32> {
    let at = new_tensor(heap, kinds, tensor)?;
    heap.set_header(at, IMMORTAL, heap.kind(at));
    Some(at)
}

/// What stands for a tensor that is none.
fn nothing() -> Tensor {
    Tensor { dtype: Dtype::Bool, shape: vec![0], elements: Elements::Int(Vec::new()) }
}

pub fn tensor_at(heap: &Heap, kinds: &Kinds, at: u32) -> Tensor {
    let BlockKind::Tensor(dtype) = kinds.kind_at(heap, at) else { return nothing() };
    let shape = shape_at(heap, at);
    let n = shape.iter().fold(1_usize, |n, &size| n.saturating_mul(size));
    let bytes = heap.slice(at + data_offset(shape.len()), n.saturating_mul(dtype.n_bytes()));
    let elements = op::elements_at(dtype, bytes);
    Tensor { dtype, shape, elements }
}
