//! What blocks are, and where the pointers in a value are.
//!
//! A kind is a number in a block's header. With it alone a block can be measured, walked and freed.

use crate::heap::{FREE, HEADER, Heap, TOKEN, is_pointer};
use base::ToList;
use base::{Append, IndexVec};
use ir::{FuncId, Program};
use layout::{Kind, LayoutId, Layouts, Tag, Words, n_words, read_bits};
use ty::{Code, Dtype};

/// What a block is for. A number per kind is in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Free,
    /// A block that a token names.
    Token,
    /// Rank and sizes, 32 bits each, padded to a word; then the elements, a byte for a `bool`.
    Tensor(Dtype),
    /// What a box of this content points to.
    Box(LayoutId),
    Ref(LayoutId),
    /// The captured values, each in words of its own.
    Closure(FuncId),
}

/// A place in a string of bits where a pointer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    /// 32 bits, which are a pointer unless they are a spare code.
    Pointer(u32),
    /// A sum of several variants that store something.
    Sum { offset: u32, layout: LayoutId },
}

#[derive(Clone, Debug)]
struct KindData {
    kind: BlockKind,
    /// Bytes of the block, 0 if the kind does not say.
    size: u32,
    items: Vec<Item>,
    /// The one pointer of the content, on a byte: bytes from the block's first.
    only: Option<u32>,
}

/// The kinds of a program's blocks.
#[derive(Clone, Debug)]
pub struct Kinds {
    kinds: Vec<KindData>,
    n_layouts: u32,
    /// By layout.
    items: IndexVec<LayoutId, Vec<Item>>,
    /// By layout of a sum, and variant.
    variants: IndexVec<LayoutId, Vec<Vec<Item>>>,
    /// What a closure of each function is to whoever looks at it.
    codes: Vec<Code>,
}

const FIRST_TENSOR: u32 = TOKEN + 1;
const FIRST_BOX: u32 = FIRST_TENSOR + Dtype::ALL.len() as u32;

/// The size of a block with `words` of content. The least block can be in a list when it is free.
pub fn block_size(n_words: usize) -> u32 {
    (n_words.max(1) as u32).saturating_mul(8).saturating_add(HEADER)
}

/// Bytes of rank and sizes.
pub fn shape_size(rank: usize) -> u32 {
    ((rank as u32 + 1) * 4).next_multiple_of(8)
}

/// The size of a tensor's block, if there can be one.
pub fn tensor_size(dtype: Dtype, shape: &[usize]) -> Option<u32> {
    let n = shape.iter().try_fold(1_u64, |n, &size| Some(n.saturating_mul(u64::from(u32::try_from(size).ok()?))))?;
    let bytes = n.checked_mul(dtype.n_bytes() as u64)?;
    let size = bytes.checked_next_multiple_of(8)? + u64::from(HEADER + shape_size(shape.len()));
    u32::try_from(size).ok().filter(|size| *size < u32::MAX - 64)
}

impl Kinds {
    pub fn code_of(&self, function: FuncId) -> Code {
        self.codes.get(function.number() as usize).copied().unwrap_or(Code::Function(function.number()))
    }

    pub fn new(program: &Program) -> Kinds {
        let layouts = &program.layouts;
        let n_layouts = layouts.table.len() as u32;
        let (items, variants) = items(layouts);
        let codes = program.functions.iter_enumerated();
        let codes = codes.map(|(id, function)| function.stands_for.unwrap_or(Code::Function(id.number()))).list();
        let mut kinds = Kinds { kinds: Vec::new(), n_layouts, items, variants, codes };
        kinds.push(BlockKind::Free, 0, Vec::new());
        kinds.push(BlockKind::Token, 0, Vec::new());
        for dtype in Dtype::ALL {
            kinds.push(BlockKind::Tensor(dtype), 0, Vec::new());
        }
        for kind in [BlockKind::Box, BlockKind::Ref] {
            for layout in layouts.table.ids() {
                let size = block_size(n_words(layouts[layout].bits));
                kinds.push(kind(layout), size, kinds.items[layout].clone());
            }
        }
        for (id, function) in program.functions.iter_enumerated() {
            let (mut at, mut found) = (0, Vec::new());
            for &param in function.params.iter().take(function.n_captures) {
                let Some(layout) = function.vars.get(param).map(|var| var.layout) else { continue };
                let Some(data) = layouts.table.get(layout) else { continue };
                found.append_all(kinds.items[layout].iter().map(|&item| moved(item, at * 64)));
                at += n_words(data.bits) as u32;
            }
            kinds.push(BlockKind::Closure(id), block_size(at as usize), found);
        }
        kinds
    }

    fn push(&mut self, kind: BlockKind, size: u32, items: Vec<Item>) {
        let only = match items[..] {
            [Item::Pointer(offset)] if offset.is_multiple_of(8) => Some(HEADER + offset / 8),
            _ => None,
        };
        self.kinds.push(KindData { kind, size, items, only });
    }

    /// The number of a kind.
    pub fn number(&self, kind: BlockKind) -> u32 {
        match kind {
            BlockKind::Free => FREE,
            BlockKind::Token => TOKEN,
            BlockKind::Tensor(dtype) => FIRST_TENSOR + dtype as u32,
            BlockKind::Box(content) => FIRST_BOX + content.number(),
            BlockKind::Ref(content) => FIRST_BOX + self.n_layouts + content.number(),
            BlockKind::Closure(function) => FIRST_BOX + 2 * self.n_layouts + function.number(),
        }
    }

    /// The function of a closure's block.
    #[inline(always)]
    pub fn function_of(&self, kind: u32) -> Option<FuncId> {
        let function = kind.checked_sub(FIRST_BOX + 2 * self.n_layouts)?;
        ((kind as usize) < self.kinds.len()).then_some(FuncId::numbered(function))
    }

    /// What the block at an address is.
    pub fn kind_at(&self, heap: &Heap, at: u32) -> BlockKind {
        self.kinds.get(heap.kind(at) as usize).map_or(BlockKind::Free, |data| data.kind)
    }

    /// The size of the block at an address, header included.
    #[inline(always)]
    pub fn size_at(&self, heap: &Heap, at: u32) -> u32 {
        let header = heap.word(at);
        match self.kinds.get((header >> 32) as usize) {
            Some(data) if data.size != 0 => data.size,
            Some(KindData { kind: BlockKind::Tensor(dtype), .. }) => {
                let shape = heap.from(at + HEADER);
                let rank = shape.first().map_or(0, |&word| word as u32 as usize);
                // The rank and the sizes, two in a word.
                let size = |i: usize| shape.get(i / 2).map_or(0, |word| (word >> (i % 2 * 32)) as u32);
                let n = (1..=rank.min(2 * shape.len())).fold(1_u32, |n, i| n.wrapping_mul(size(i)));
                // There is a block, so its size is a number.
                let elements = n.wrapping_mul(dtype.n_bytes() as u32).next_multiple_of(8);
                HEADER + shape_size(rank) + elements
            }
            Some(_) | None => (header as u32).saturating_mul(8),
        }
    }

    /// The first words of a block's content. Under `uniform` a block may be smaller than what it is used for, by an
    /// `as`: then the rest is zero.
    pub fn content_at(&self, heap: &Heap, at: u32, n_words: usize) -> Words {
        let own = (self.size_at(heap, at).saturating_sub(HEADER) / 8) as usize;
        let mut words = heap.content(at, own.min(n_words));
        words.resize(n_words, 0);
        words
    }

    /// Where the one pointer of a block's content is, in bytes from the block's first; `None` if there is none or are
    /// several, or if it is not on a byte.
    #[inline(always)]
    pub fn only_pointer(&self, kind: u32) -> Option<u32> {
        self.kinds.get(kind as usize).and_then(|data| data.only)
    }

    /// Whether blocks of a kind hold no pointers.
    #[inline(always)]
    pub fn is_leaf(&self, kind: u32) -> bool {
        self.kinds.get(kind as usize).is_none_or(|data| data.items.is_empty())
    }

    /// Whether a layout may hold a pointer.
    pub fn is_counted(&self, layout: LayoutId) -> bool {
        !self.items[layout].is_empty()
    }

    /// Whether a layout is a pointer, perhaps a spare code, and nothing else.
    pub fn is_pointer(&self, layouts: &Layouts, layout: LayoutId) -> bool {
        layouts[layout].bits == 32 && self.items[layout] == [Item::Pointer(0)]
    }

    /// The offsets of a layout's pointers, in bits, if they are the same in all values.
    pub fn fixed_pointers(&self, layout: LayoutId) -> Option<Vec<u32>> {
        let offset = |item: &Item| match *item {
            Item::Pointer(offset) => Some(offset),
            Item::Sum { .. } => None,
        };
        self.items[layout].iter().map(offset).some_list()
    }

    /// The pointers in a value, in order: their offsets in bits, and where they lead.
    pub fn pointers(&self, layouts: &Layouts, layout: LayoutId, words: &[u64], found: &mut Vec<(u32, u32)>) {
        self.walk(layouts, &self.items[layout], words, found);
    }

    /// The pointers in a block, as [`Kinds::pointers`] of its content gives them.
    pub fn pointers_at(&self, layouts: &Layouts, heap: &Heap, at: u32, found: &mut Vec<(u32, u32)>) {
        let Some(data) = self.kinds.get(heap.kind(at) as usize).filter(|data| !data.items.is_empty()) else { return };
        match data.only {
            Some(offset) => {
                let pointer = heap.word(at + offset) as u32;
                if is_pointer(pointer) {
                    found.push(((offset - HEADER) * 8, pointer));
                }
            }
            None => {
                let n = (data.size - HEADER) / 8;
                let words: layout::Words = (0..n).map(|word| heap.word(at + HEADER + word * 8)).list();
                self.walk(layouts, &data.items, &words, found);
            }
        }
    }

    fn walk(&self, layouts: &Layouts, items: &[Item], words: &[u64], found: &mut Vec<(u32, u32)>) {
        let mut sums: Vec<(u32, LayoutId)> = Vec::new();
        let mut visit = |base: u32, items: &[Item], sums: &mut Vec<(u32, LayoutId)>| {
            for &item in items {
                match item {
                    Item::Pointer(offset) => {
                        let pointer = read_bits(words, base + offset, 32) as u32;
                        if is_pointer(pointer) {
                            found.push((base + offset, pointer));
                        }
                    }
                    Item::Sum { offset, layout } => sums.push((base + offset, layout)),
                }
            }
        };
        visit(0, items, &mut sums);
        while let Some((base, layout)) = sums.pop() {
            let Kind::Sum { tag, variants } = &layouts[layout].kind else { continue };
            let variant = match *tag {
                Tag::None => variants.iter().position(|variant| variant.is_inhabited),
                Tag::Bits { offset, bits } | Tag::Niche { offset, bits, .. } => {
                    let code = Some(read_bits(words, base + offset, bits) as u32);
                    let other = if let Tag::Niche { dataful, .. } = *tag { Some(dataful) } else { None };
                    variants.iter().position(|variant| variant.code == code).or(other)
                }
            };
            if let Some(items) = variant.and_then(|variant| self.variants[layout].get(variant)) {
                visit(base, items, &mut sums);
            }
        }
    }
}

/// The sizes of the tensor at an address.
pub fn shape_at(heap: &Heap, at: u32) -> Vec<usize> {
    let rank = (heap.word(at + HEADER) as u32 as usize).min(heap.extent().1 as usize / 4);
    let dims = heap.slice(at + HEADER + 4, rank * 4).chunks_exact(4);
    dims.map(|dim| u32::from_le_bytes([dim[0], dim[1], dim[2], dim[3]]) as usize).list()
}

fn moved(item: Item, by: u32) -> Item {
    match item {
        Item::Pointer(offset) => Item::Pointer(offset + by),
        Item::Sum { offset, layout } => Item::Sum { offset: offset + by, layout },
    }
}

type ItemTables = (IndexVec<LayoutId, Vec<Item>>, IndexVec<LayoutId, Vec<Vec<Item>>>);

/// Where pointers are, by layout and by variant; what lies inside a sum comes before it.
fn items(layouts: &Layouts) -> ItemTables {
    let n = layouts.table.len();
    let mut items: IndexVec<LayoutId, Vec<Item>> = IndexVec::filled(Vec::new(), n);
    let mut by_variant: IndexVec<LayoutId, Vec<Vec<Item>>> = IndexVec::filled(Vec::new(), n);
    let mut is_begun: IndexVec<LayoutId, bool> = IndexVec::filled(false, n);
    for root in layouts.table.ids() {
        let mut stack = vec![(root, false)];
        while let Some((id, is_ready)) = stack.pop() {
            match &layouts[id].kind {
                Kind::Scalar(_) | Kind::Immediate(_) | Kind::Never => {}
                Kind::Tensor | Kind::Closure | Kind::Ref { .. } | Kind::Box { .. } | Kind::Token { .. } => {
                    items[id] = vec![Item::Pointer(0)];
                }
                Kind::Sum { variants, .. } if !is_ready => {
                    if !std::mem::replace(&mut is_begun[id], true) {
                        stack.push((id, true));
                        let fields = variants.iter().flat_map(|variant| &variant.fields);
                        stack.append_all(fields.map(|field| (field.layout, false)));
                    }
                }
                Kind::Sum { variants, .. } => {
                    let found: Vec<Vec<Item>> = variants
                        .iter()
                        .map(|variant| match variant.is_inhabited {
                            true => {
                                let fields = variant.fields.iter();
                                fields
                                    .flat_map(|field| items[field.layout].iter().map(|&item| moved(item, field.offset)))
                                    .list()
                            }
                            false => Vec::new(),
                        })
                        .list();
                    let stores = |variant: &layout::Variant| {
                        variant.is_inhabited && variant.fields.iter().any(|field| layouts[field.layout].bits > 0)
                    };
                    let mut storing = (0..variants.len()).filter(|&variant| stores(&variants[variant]));
                    let (first, others) = (storing.next(), storing.next());
                    items[id] = match (first, others) {
                        // Where others store nothing, their bits are zero or spare codes.
                        (Some(only), None) => found[only].clone(),
                        _ if found.iter().all(Vec::is_empty) => Vec::new(),
                        _ => vec![Item::Sum { offset: 0, layout: id }],
                    };
                    by_variant[id] = found;
                }
            }
        }
    }
    (items, by_variant)
}
