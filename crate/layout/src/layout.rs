//! The data of layouts.

use crate::types::Head;
use base::idx;
use ty::{Dtype, TermId};

idx!(
    /// A layout: two types, or a variable and a box's content, may have the same one.
    LayoutId,
    "l"
);

/// A rule for laying out values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strategy {
    /// To the bit: a tag, then the union.
    Packed,
    /// As systems languages do: bytes, natural alignment, niches.
    Aligned,
    /// As OCaml does: words, immediates and boxes.
    Uniform,
}

impl Strategy {
    pub const ALL: [Strategy; 3] = [Strategy::Packed, Strategy::Aligned, Strategy::Uniform];

    pub fn name(self) -> &'static str {
        match self {
            Strategy::Packed => "packed",
            Strategy::Aligned => "aligned",
            Strategy::Uniform => "uniform",
        }
    }

    pub fn parse(name: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

/// How values of one type are stored. A value is a string of `bits` bits; bit 0 is the lowest of byte 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub ty: TermId,
    /// Under `aligned` and `uniform` a multiple of 8.
    pub bits: u32,
    /// In bytes; 1 under `packed`.
    pub align: u32,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A tensor of rank 0 as it is: the value's own bits, for `bool` 0 or 1 (a byte unless packed).
    Scalar(Dtype),
    /// A tensor of rank 0 in a word of `uniform`: shifted left by one, with the lowest bit set.
    Immediate(Dtype),
    /// A pointer to the buffer of a tensor.
    Tensor,
    /// A pointer to a block of code and captured values.
    Closure,
    /// A pointer to a cell with this content.
    Ref { content: LayoutId },
    /// A pointer to a block with this content, or one of the spare codes of a pointer for a variant that stores
    /// nothing.
    Box {
        content: LayoutId,
        /// By variant of the content's sum: the code instead of a pointer. Empty if the content is no sum.
        immediates: Vec<Option<u32>>,
    },
    /// A sum, data type or tuple in place.
    Sum { tag: Tag, variants: Vec<Variant> },
    /// The memory of a freed block of such a content, which [`box`](Kind::Box) may use again, or none (0).
    Token { content: LayoutId },
    /// No value: nothing is stored.
    Never,
}

/// How the variants of a sum are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// At most one variant has values.
    None,
    /// The variant's code.
    Bits { offset: u32, bits: u32 },
    /// Bits of a field of the variant `dataful`: where they hold another variant's code, it is that one.
    Niche { offset: u32, bits: u32, dataful: usize },
}

/// One variant of a sum, one constructor of a data type, or a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub head: Head,
    /// What the tag or the niche holds. `None`: it has no values, or is the one whose field has the niche, or there is
    /// no tag.
    pub code: Option<u32>,
    pub is_inhabited: bool,
    /// In the order of the declaration, wherever they are.
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// In bits, from the sum's first.
    pub offset: u32,
    pub layout: LayoutId,
}

/// The codes that no pointer to a block has: 0, then all that are no multiple of 8, in order.
pub fn spare_pointer(index: u32) -> u32 {
    match index.checked_sub(1) {
        None => 0,
        Some(rest) => rest / 7 * 8 + rest % 7 + 1,
    }
}

/// Codes that no value of a layout has, at one place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spare {
    /// In bits, from the layout's first.
    pub offset: u32,
    pub bits: u32,
    pub codes: Codes,
    /// The first of them.
    pub first: u32,
    pub n: u32,
}

/// How spare codes follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    Numbers,
    /// By [`spare_pointer`].
    Pointers,
}

impl Spare {
    /// Those of a pointer of which the first `n_used` are in use.
    pub fn pointers(n_used: u32) -> Spare {
        const N_SPARE: u32 = ((1_u64 << 32) - (1 << 29) + 1) as u32;
        Spare { offset: 0, bits: 32, codes: Codes::Pointers, first: n_used, n: N_SPARE - n_used }
    }

    /// The `index`th of them.
    pub fn code(&self, index: u32) -> u32 {
        match self.codes {
            Codes::Numbers => self.first + index,
            Codes::Pointers => spare_pointer(self.first + index),
        }
    }

    /// None if there are none.
    pub(crate) fn some(spare: Spare) -> Option<Spare> {
        (spare.n > 0).then_some(spare)
    }

    /// What is left when `n` are used.
    pub(crate) fn without(self, n: u32) -> Option<Spare> {
        Spare::some(Spare { first: self.first + n, n: self.n - n, ..self })
    }
}
