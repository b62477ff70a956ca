//! Patterns as the core sees them.

use base::{Append, IndexVec, idx};

idx!(
    /// A pattern. The parts of a pattern have smaller ids than the whole, and each is part of one whole only.
    PatternId,
    "p"
);
idx!(
    /// A type, as far as matching asks.
    TyId,
    "t"
);

impl TyId {
    /// The type of which nothing is known: any head may occur.
    pub const UNKNOWN: TyId = TyId::numbered(0);
}

/// What a value begins with. The numbers are the asker's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    /// A constructor of a nominal type.
    Ctor(u32),
    /// An anonymous variant.
    Variant(u32),
    Tuple,
    Literal(u32),
    /// In a witness: any value of an endless type that no pattern names.
    Other,
}

impl Head {
    /// The head as part of a key.
    pub(crate) fn key(self) -> [u32; 2] {
        match self {
            Head::Ctor(number) => [0, number],
            Head::Variant(number) => [1, number],
            Head::Tuple => [2, 0],
            Head::Literal(number) => [3, number],
            Head::Other => [4, 0],
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pattern {
    /// Any value.
    Wild,
    Head(Head, Vec<PatternId>),
    /// The first alternative that fits.
    Or(Vec<PatternId>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    pub nodes: IndexVec<PatternId, Pattern>,
    /// The variables bound to what a pattern fits, by number.
    pub variables: Vec<(PatternId, u32)>,
}

impl Patterns {
    pub fn push(&mut self, pattern: Pattern) -> PatternId {
        self.nodes.push(pattern)
    }

    pub(crate) fn parts(&self, id: PatternId) -> &[PatternId] {
        match &self.nodes[id] {
            Pattern::Wild => &[],
            Pattern::Head(_, parts) | Pattern::Or(parts) => parts,
        }
    }

    /// By pattern, what it is an immediate part of.
    pub(crate) fn wholes(&self) -> IndexVec<PatternId, Option<PatternId>> {
        let mut wholes = IndexVec::filled(None, self.nodes.len());
        for whole in self.nodes.ids() {
            self.parts(whole).iter().for_each(|&part| wholes[part] = Some(whole));
        }
        wholes
    }

    /// By pattern, whether it or a part of it binds a variable.
    pub(crate) fn binding(&self) -> IndexVec<PatternId, bool> {
        let mut binding = IndexVec::filled(false, self.nodes.len());
        self.variables.iter().for_each(|&(pattern, _)| binding[pattern] = true);
        for whole in self.nodes.ids() {
            if self.parts(whole).iter().any(|&part| binding[part]) {
                binding[whole] = true;
            }
        }
        binding
    }

    /// The alternatives of a pattern in order, those of or-patterns among them in their place. A pattern that is not
    /// an or-pattern is its own only alternative.
    pub(crate) fn alternatives(&self, id: PatternId) -> Vec<PatternId> {
        let mut found = Vec::new();
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            match &self.nodes[id] {
                Pattern::Or(parts) => pending.append_all(parts.iter().rev().copied()),
                Pattern::Wild | Pattern::Head(..) => found.push(id),
            }
        }
        found
    }
}
