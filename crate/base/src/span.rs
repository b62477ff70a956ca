//! A place in one source text.

use std::ops::Range;

/// Byte offsets `start..end` into the source text, on character boundaries. Aligned as a number of 64 bits, it is handed
/// on as one: two results of a function would go through memory in WebAssembly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(align(8))]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    pub fn len(self) -> u32 {
        self.end - self.start
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The empty span just behind this one, where something is missing.
    pub fn after(self) -> Span {
        Span { start: self.end, end: self.end }
    }
}
