//! The layouts of the types of a program.

use crate::layout::{Kind, Layout, LayoutId, Strategy};
use crate::types::Types;
use base::IndexVec;
use rustc_hash::FxHashMap;
use ty::TermId;

/// Layouts, each once, under one strategy. Equal layouts of one type have equal ids.
#[derive(Clone, Debug)]
pub struct Layouts {
    pub strategy: Strategy,
    pub table: IndexVec<LayoutId, Layout>,
    /// Of variables.
    of: FxHashMap<TermId, LayoutId>,
    contents: FxHashMap<TermId, LayoutId>,
}

impl Layouts {
    pub fn new(strategy: Strategy) -> Layouts {
        Layouts { strategy, table: IndexVec::new(), of: FxHashMap::default(), contents: FxHashMap::default() }
    }
}

impl std::ops::Index<LayoutId> for Layouts {
    type Output = Layout;
    fn index(&self, id: LayoutId) -> &Layout {
        &self.table[id]
    }
}
