//! A heap that keeps equal contents once, so that equal values have equal bits.

use crate::{Heap, LayoutId, Words};
use base::HashMap;
use ty::Tensor;

#[derive(Default)]
pub struct TestHeap {
    blocks: Vec<Words>,
    known: HashMap<(LayoutId, Words), u32>,
    tensors: Vec<Tensor>,
    pub n_retained: usize,
}

impl TestHeap {
    fn push(&mut self, bits: &[u64]) -> u32 {
        self.blocks.push(bits.into());
        self.blocks.len() as u32 * 8
    }

    pub fn set(&mut self, pointer: u32, bits: &[u64]) {
        self.blocks[pointer as usize / 8 - 1] = bits.into();
    }
}

impl Heap for TestHeap {
    fn new_block(&mut self, content: LayoutId, bits: &[u64]) -> u32 {
        if let Some(&pointer) = self.known.get(&(content, bits.into())) {
            return pointer;
        }
        let pointer = self.push(bits);
        self.known.insert((content, bits.into()), pointer);
        pointer
    }

    fn new_tensor(&mut self, tensor: &Tensor) -> u32 {
        let place = self.tensors.iter().position(|known| known == tensor).unwrap_or_else(|| {
            self.tensors.push(tensor.clone());
            self.tensors.len() - 1
        });
        (place as u32 + 1) * 8
    }

    fn new_ref(&mut self, _: LayoutId, bits: &[u64]) -> u32 {
        self.push(bits)
    }

    fn retain(&mut self, _: u32) {
        self.n_retained += 1;
    }

    fn block(&self, pointer: u32, n_words: usize) -> Words {
        let words = &self.blocks[pointer as usize / 8 - 1];
        assert_eq!(words.len(), n_words);
        words.clone()
    }

    fn tensor(&self, pointer: u32) -> Tensor {
        self.tensors[pointer as usize / 8 - 1].clone()
    }

    fn cell(&self, pointer: u32, n_words: usize) -> Words {
        self.block(pointer, n_words)
    }

    fn closure(&self, pointer: u32) -> ty::Code {
        ty::Code::Function(pointer)
    }
}
