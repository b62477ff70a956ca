//! The bytes that blocks live in.
//!
//! A block is at a multiple of 8. It begins with a header of 8 bytes: its count of owners and its kind, 32 bits each;
//! whoever knows the kind knows the block's size, so the heap can be walked from one end to the other. Blocks below
//! `static_end` belong to the program: they are never freed and not counted as memory. A free block has the kind
//! [`FREE`], its size in words for a count, and leads to the next one of its list. Lists are by size: exact ones up to
//! 512 bytes, four for each power of two beyond. Space is taken from a list, else from behind the last block; when the
//! limit is reached, larger free blocks are split, and neighbours joined.
//!
//! No address that a program can make up panics here: what is read outside is 0, what is written there is lost.

/// The kind of a block that is in a list.
pub const FREE: u32 = 0;
/// The kind of a block that a token names: its content has moved out.
pub const TOKEN: u32 = 1;
/// The count of a block that is never freed.
pub const IMMORTAL: u32 = u32::MAX;
/// Bytes of a header.
pub const HEADER: u32 = 8;

/// Sizes up to this, in words, have a list each.
const N_EXACT: usize = 64;
const N_LISTS: usize = N_EXACT + 1 + (32 - 9) * 4;

#[derive(Clone, Debug)]
pub struct Heap {
    /// Words, so that elements of tensors are where their dtype wants them.
    words: Vec<u64>,
    /// Where the next block can begin.
    top: u32,
    static_end: u32,
    lists: [u32; N_LISTS],
    /// Bytes of blocks and frames, headers included.
    pub in_use: u64,
    pub peak: u64,
    pub limit: u64,
    /// Bytes in the lists.
    n_free: u64,
    /// Whether [`Heap::join`] would find nothing more, or is not to be asked for.
    is_settled: bool,
}

/// The list of free blocks of `size` bytes.
#[inline(always)]
fn list_of(size: u32) -> usize {
    let words = (size / 8) as usize;
    if words <= N_EXACT {
        return words;
    }
    let log = size.ilog2();
    N_EXACT + 1 + ((log - 9) * 4 + ((size >> (log - 2)) & 3)) as usize
}

/// Whether the bits of a pointer lead to a block, and are no spare code.
pub fn is_pointer(bits: u32) -> bool {
    bits != 0 && bits.is_multiple_of(8)
}

impl Heap {
    pub fn new(limit: u64) -> Heap {
        Heap {
            words: vec![0; 8],
            top: 8,
            static_end: 8,
            lists: [0; N_LISTS],
            in_use: 0,
            peak: 0,
            limit,
            n_free: 0,
            is_settled: false,
        }
    }

    /// Where blocks begin and end: `(first, behind the last)`.
    pub fn extent(&self) -> (u32, u32) {
        (self.static_end, self.top)
    }

    /// A copy without room behind the last block.
    pub fn trimmed(&self) -> Heap {
        let words = self.words[..(self.top as usize / 8 + 1).min(self.words.len())].to_vec();
        Heap { words, ..*self }
    }

    /// What has been taken so far belongs to the program.
    pub fn make_static(&mut self) {
        self.static_end = self.top;
        (self.in_use, self.peak) = (0, 0);
    }

    /// Forgets all blocks that are not static.
    pub fn clear(&mut self) {
        self.top = self.static_end;
        self.lists = [0; N_LISTS];
        self.in_use = 0;
        self.n_free = 0;
    }

    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    #[inline(always)]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.words)
    }

    #[inline(always)]
    pub fn word(&self, at: u32) -> u64 {
        let bytes = self.bytes().get(at as usize..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    #[inline(always)]
    pub fn set_word(&mut self, at: u32, word: u64) {
        if let Some(bytes) = self.bytes_mut().get_mut(at as usize..).and_then(|rest| rest.first_chunk_mut()) {
            *bytes = word.to_le_bytes();
        }
    }

    /// `len` bytes from `at`, or none if they are not all there.
    pub fn slice(&self, at: u32, len: usize) -> &[u8] {
        let at = at as usize;
        at.checked_add(len).and_then(|end| self.bytes().get(at..end)).unwrap_or(&[])
    }

    pub fn slice_mut(&mut self, at: u32, len: usize) -> &mut [u8] {
        let at = at as usize;
        at.checked_add(len).and_then(|end| self.bytes_mut().get_mut(at..end)).unwrap_or(&mut [])
    }

    /// The words from a multiple of 8 on.
    #[inline(always)]
    pub fn from(&self, at: u32) -> &[u64] {
        self.words.get(at as usize / 8..).unwrap_or(&[])
    }

    #[inline(always)]
    pub fn floats_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(&mut self.words)
    }

    /// The word at a multiple of 8, such as a header.
    #[inline(always)]
    pub fn aligned(&self, at: u32) -> u64 {
        self.words.get(at as usize / 8).copied().unwrap_or(0)
    }

    #[inline(always)]
    pub fn set_aligned(&mut self, at: u32, word: u64) {
        if let Some(to) = self.words.get_mut(at as usize / 8) {
            *to = word;
        }
    }

    #[inline(always)]
    pub fn count(&self, at: u32) -> u32 {
        self.aligned(at) as u32
    }

    #[inline(always)]
    pub fn kind(&self, at: u32) -> u32 {
        (self.aligned(at) >> 32) as u32
    }

    #[inline(always)]
    pub fn set_header(&mut self, at: u32, count: u32, kind: u32) {
        self.set_aligned(at, u64::from(count) | u64::from(kind) << 32);
    }

    /// One owner more.
    #[inline(always)]
    pub fn dup(&mut self, at: u32) {
        let header = self.aligned(at);
        if header as u32 != IMMORTAL {
            self.set_aligned(at, header.wrapping_add(1));
        }
    }

    /// A block of `size` bytes for a tensor of this kind, with its rank and sizes; its elements are unset.
    #[inline(always)]
    pub fn take_tensor(&mut self, size: u32, kind: u32, shape: &[u64]) -> Option<u32> {
        let at = self.take(size, kind)?;
        // What pads the elements is zero.
        self.set_aligned(at + size - 8, 0);
        self.set_shape(at, shape);
        Some(at)
    }

    /// Makes a block that nobody else owns a tensor of this kind, rank and sizes.
    #[inline(always)]
    pub fn set_tensor(&mut self, at: u32, kind: u32, shape: &[u64]) {
        self.set_header(at, 1, kind);
        self.set_shape(at, shape);
    }

    #[inline(always)]
    fn set_shape(&mut self, at: u32, shape: &[u64]) {
        let block = self.words.get_mut((at + HEADER) as usize / 8..).unwrap_or(&mut []);
        match (block, shape) {
            ([to, ..], [word]) => *to = *word,
            ([to, second, ..], [word, other]) => (*to, *second) = (*word, *other),
            (block, _) => block.iter_mut().zip(shape).for_each(|(to, &word)| *to = word),
        }
    }

    /// One owner fewer of a block of `size` bytes that leads to no others.
    #[inline(never)]
    pub fn release_leaf(&mut self, at: u32, size: u32) {
        let header = self.aligned(at);
        match header as u32 {
            IMMORTAL | 0 => {}
            1 => self.free_here(at, size),
            _ => self.set_aligned(at, header - 1),
        }
    }

    /// Counts bytes as used, if the limit lets it.
    #[inline(always)]
    pub fn charge(&mut self, bytes: u64) -> bool {
        let total = self.in_use + bytes;
        if total > self.peak {
            if total > self.limit {
                return false;
            }
            self.peak = total;
        }
        self.in_use = total;
        true
    }

    /// As [`charge`](Heap::charge), of bytes that are given back before anything else is charged: they count in the peak.
    pub fn has_room(&mut self, bytes: u64) -> bool {
        let has_room = self.charge(bytes);
        if has_room {
            self.in_use -= bytes;
        }
        has_room
    }

    /// A block with one owner; `size` is a multiple of 8 and has room for the header. `None`: there is no memory, or there
    /// is enough that is free, only not side by side, and memory would have to grow.
    #[inline(always)]
    pub fn take(&mut self, size: u32, kind: u32) -> Option<u32> {
        if !self.charge(u64::from(size)) {
            return None;
        }
        let words = (size / 8) as usize;
        let at = match self.lists[words.min(N_EXACT)] {
            at if at != 0 && words < N_EXACT => {
                self.lists[words] = self.aligned(at + 8) as u32;
                self.n_free -= u64::from(size);
                at
            }
            _ => match self.find(size) {
                Some(at) => at,
                None => {
                    self.in_use -= u64::from(size);
                    return None;
                }
            },
        };
        self.set_header(at, 1, kind);
        Some(at)
    }

    /// Space for a block: a free block of about its size, else new, else from larger ones. These come before memory grows.
    fn find(&mut self, size: u32) -> Option<u32> {
        let list = list_of(size);
        let head = self.lists[list];
        if head != 0 && self.count(head) >= size / 8 {
            return Some(self.pop(list, size));
        }
        let limit = u64::from(self.static_end).saturating_add(self.limit).min(u64::from(u32::MAX) - 64);
        let end = u64::from(self.top) + u64::from(size);
        if end <= limit {
            let need = end as usize / 8 + 1;
            if need > self.words.len() {
                if let Some(at) = self.of_larger(list, size) {
                    return Some(at);
                }
                if self.is_wasteful(size) {
                    return None;
                }
                let len = need.saturating_add(need / 2).min(limit as usize / 8 + 2).max(need);
                let more = len - self.words.len();
                let len = match self.words.try_reserve_exact(more) {
                    Ok(()) => len,
                    Err(_) => {
                        self.words.try_reserve_exact(need - self.words.len()).ok()?;
                        need
                    }
                };
                self.words.resize(len, 0);
            }
            let at = self.top;
            self.top = end as u32;
            return Some(at);
        }
        self.of_larger(list, size)
    }

    /// A part of a free block that is in a list of larger ones.
    fn of_larger(&mut self, list: usize, size: u32) -> Option<u32> {
        (list + 1..N_LISTS).find(|&larger| self.lists[larger] != 0).map(|larger| self.pop(larger, size))
    }

    /// Whether memory would grow for a block, though more is free than all that is used and this: then it is better to
    /// join.
    pub fn is_wasteful(&self, size: u32) -> bool {
        let grows = (self.top as usize).saturating_add(size as usize) / 8 + 1 > self.words.len();
        grows && !self.is_settled && self.n_free > self.in_use + u64::from(size)
    }

    /// Until a block is freed, memory grows where it must.
    pub fn settle(&mut self) {
        self.is_settled = true;
    }

    /// The first block of a list, which is large enough; what is not needed is given back.
    fn pop(&mut self, list: usize, size: u32) -> u32 {
        let at = self.lists[list];
        let found = self.count(at) * 8;
        self.lists[list] = self.aligned(at + 8) as u32;
        self.n_free -= u64::from(found);
        match found.saturating_sub(size) {
            0 => {}
            rest => self.list(at + size, rest),
        }
        at
    }

    /// Puts free space into its list. A word alone has no room for the way to the next; joining finds it again.
    #[inline(always)]
    fn list(&mut self, at: u32, size: u32) {
        self.set_header(at, size / 8, FREE);
        self.n_free += u64::from(size);
        if size > 8 {
            let list = list_of(size);
            self.set_aligned(at + 8, u64::from(self.lists[list]));
            self.lists[list] = at;
        }
    }

    /// Takes back a block that nobody owns any more.
    #[inline(never)]
    pub fn free(&mut self, at: u32, size: u32) {
        self.free_here(at, size);
    }

    /// The same, in the caller's own code.
    #[inline(always)]
    fn free_here(&mut self, at: u32, size: u32) {
        self.in_use = self.in_use.saturating_sub(u64::from(size));
        self.is_settled = false;
        self.list(at, size);
    }

    /// Whether [`Heap::join`] may find room that a list alone has not.
    pub fn can_join(&self) -> bool {
        self.n_free > u64::from(self.top - self.static_end) / 8
    }

    /// Joins free blocks that are neighbours. `size` is that of a block at an address that is not free.
    pub fn join(&mut self, size: impl Fn(&Heap, u32) -> u32) {
        self.lists = [0; N_LISTS];
        self.n_free = 0;
        self.is_settled = true;
        let (mut at, end) = self.extent();
        while at < end {
            let mut free = 0;
            while at + free < end && self.kind(at + free) == FREE {
                free += (self.count(at + free) * 8).max(8);
            }
            if free == 0 {
                at += size(self, at).max(8);
            } else if at + free >= end {
                self.top = at;
                return;
            } else {
                self.list(at, free);
                at += free;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HEADER, Heap, is_pointer};

    const KIND: u32 = 5;

    #[test]
    fn blocks_are_used_again_and_joined() {
        let mut heap = Heap::new(1 << 12);
        let mut blocks = Vec::new();
        while let Some(at) = heap.take(16, KIND) {
            assert!(is_pointer(at) && heap.count(at) == 1 && heap.kind(at) == KIND);
            heap.set_word(at + HEADER, u64::MAX);
            blocks.push(at);
        }
        assert_eq!((blocks.len(), heap.in_use, heap.peak), (256, 4096, 4096));
        let last = blocks.pop().unwrap();
        heap.free(last, 16);
        assert_eq!(heap.take(16, KIND), Some(last));
        heap.free(last, 16);
        for &at in &blocks[1..] {
            heap.free(at, 16);
        }
        assert!(heap.take(1024, KIND).is_none() && heap.can_join());
        heap.join(|_, _| 16);
        let large = heap.take(1024, KIND).unwrap();
        let small = heap.take(24, KIND).unwrap();
        heap.free(large, 1024);
        heap.free(small, 24);
        heap.free(blocks[0], 16);
        assert_eq!(heap.in_use, 0);
    }

    #[test]
    fn what_grows_takes_up_what_it_left() {
        let mut heap = Heap::new(1 << 30);
        let (mut last, mut size) = (heap.take(4096, KIND).unwrap(), 4096);
        for _ in 0..1000 {
            let larger = size + 4096;
            let at = heap.take(larger, KIND).unwrap_or_else(|| {
                heap.join(|_, at| if at == last { size } else { 8 });
                heap.take(larger, KIND).unwrap()
            });
            heap.free(last, size);
            (last, size) = (at, larger);
        }
        assert!(heap.words.len() * 8 < 8 * size as usize, "{} bytes for {size}", heap.words.len() * 8);
    }

    #[test]
    fn nothing_outside_is_read_or_written() {
        let mut heap = Heap::new(1 << 12);
        heap.set_word(u32::MAX, 1);
        heap.dup(u32::MAX - 7);
        assert_eq!((heap.word(u32::MAX), heap.slice(u32::MAX, usize::MAX).len()), (0, 0));
        assert_eq!(heap.take(u32::MAX - 7, KIND), None);
        assert_eq!(heap.in_use, 0);
    }
}
