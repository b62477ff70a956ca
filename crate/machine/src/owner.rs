//! Owners of blocks: one more, one fewer, and what follows when there is none.

use crate::code::Assembly;
use crate::heap::{HEADER, Heap, IMMORTAL, TOKEN, is_pointer};
use base::ToList;
use layout::LayoutId;

impl Heap {
    /// One owner fewer of the block; if there is none left, of what it points to as well.
    pub fn release(&mut self, code: &Assembly, pointer: u32) {
        let header = self.aligned(pointer);
        match header as u32 {
            IMMORTAL | 0 => {}
            1 if code.kinds.is_leaf((header >> 32) as u32) => self.free(pointer, code.kinds.size_at(self, pointer)),
            1 => self.free_deeply(code, pointer),
            _ => self.set_aligned(pointer, header - 1),
        }
    }

    /// Frees a block that has lost its last owner, and what is in it that nobody else owns.
    #[inline(never)]
    fn free_deeply(&mut self, code: &Assembly, pointer: u32) {
        let (mut at, mut others, mut found) = (pointer, Vec::new(), Vec::new());
        loop {
            // Most blocks hold one pointer or none: what leads to one after the other takes no list.
            let mut next = None;
            let kind = self.kind(at);
            match code.kinds.only_pointer(kind) {
                Some(offset) => next = Some(self.word(at + offset) as u32).filter(|&next| is_pointer(next)),
                None if code.kinds.is_leaf(kind) => {}
                None => {
                    code.kinds.pointers_at(&code.program.layouts, self, at, &mut found);
                    while let Some((_, pointer)) = found.pop() {
                        others.push(pointer);
                    }
                }
            }
            self.free(at, code.kinds.size_at(self, at));
            at = loop {
                let Some(at) = next.take().or_else(|| others.pop()) else { return };
                let header = self.aligned(at);
                match header as u32 {
                    IMMORTAL | 0 => {}
                    1 => break at,
                    _ => self.set_aligned(at, header - 1),
                }
            };
        }
    }

    /// Gives the pointers in a value one owner more.
    pub fn dup_value(&mut self, code: &Assembly, layout: LayoutId, words: &[u64]) {
        let mut found = Vec::new();
        code.kinds.pointers(&code.program.layouts, layout, words, &mut found);
        found.iter().for_each(|&(_, pointer)| self.dup(pointer));
    }

    /// Takes one owner from the pointers in a value.
    pub fn release_value(&mut self, code: &Assembly, layout: LayoutId, words: &[u64]) {
        let mut found = Vec::new();
        code.kinds.pointers(&code.program.layouts, layout, words, &mut found);
        found.iter().for_each(|&(_, pointer)| self.release(code, pointer));
    }

    /// One owner fewer of a block whose content has been copied out, so that the copy owns what is in it. Whether that
    /// was the last owner: then the block is still there, but holds nothing.
    #[inline(always)]
    pub fn empty(&mut self, code: &Assembly, at: u32) -> bool {
        let header = self.aligned(at);
        match header as u32 {
            1 => true,
            count => {
                // First of all, since the block may point to itself.
                if count != IMMORTAL {
                    self.set_aligned(at, header.wrapping_sub(1));
                }
                match code.kinds.only_pointer((header >> 32) as u32) {
                    Some(offset) => {
                        let pointer = self.word(at + offset) as u32;
                        if is_pointer(pointer) {
                            self.dup(pointer);
                        }
                    }
                    None => {
                        let mut found = Vec::new();
                        code.kinds.pointers_at(&code.program.layouts, self, at, &mut found);
                        found.iter().for_each(|&(_, pointer)| self.dup(pointer));
                    }
                }
                false
            }
        }
    }

    /// Makes an empty block of `size` bytes a token.
    pub fn make_token(&mut self, at: u32, size: u32) {
        self.set_header(at, size / 8, TOKEN);
    }

    /// Frees the block of a token, if it has one.
    pub fn free_token(&mut self, at: u32) {
        if is_pointer(at) && self.kind(at) == TOKEN {
            self.free(at, self.count(at) * 8);
        }
    }

    /// The first words of a block's content.
    pub fn content(&self, at: u32, n_words: usize) -> layout::Words {
        (0..n_words as u32).map(|word| self.word(at.saturating_add(HEADER + word * 8))).list()
    }

    pub fn copy_content(&self, at: u32, words: &mut [u64]) {
        for (i, word) in (0..).zip(words) {
            *word = self.word(at.saturating_add(HEADER + i * 8));
        }
    }

    pub fn set_content(&mut self, at: u32, words: &[u64]) {
        for (i, &word) in (0..).zip(words) {
            self.set_word(at + HEADER + i * 8, word);
        }
    }
}
