//! Named rules over types: built in, or written in the language.

use crate::{Facts, Step, WrittenRelations};
use std::sync::Arc;

/// A rule that is written in Rust.
pub type Rule = fn(&mut dyn Facts) -> Step;

/// A built-in relation.
#[derive(Debug)]
pub struct Relation {
    pub name: &'static str,
    /// How many of the arguments, counted from the last, the rule determines from the others.
    pub n_outputs: usize,
    pub rule: Rule,
}

/// Which relation: a built-in one, or one of those that a program wrote. Equal refs name the same relation.
#[derive(Clone, Debug)]
pub enum RelationRef {
    Builtin(&'static Relation),
    Written {
        all: Arc<WrittenRelations>,
        index: usize,
        /// Taken as true, by a `where` clause: then a clause also holds when no other one can.
        assumed: bool,
    },
}

impl RelationRef {
    pub fn name(&self) -> &str {
        match self {
            RelationRef::Builtin(relation) => relation.name,
            RelationRef::Written { all, index, .. } => &all.relations[*index].name,
        }
    }

    /// How many of the arguments, counted from the last, the rule determines from the others.
    pub fn n_outputs(&self) -> usize {
        match self {
            RelationRef::Builtin(relation) => relation.n_outputs,
            RelationRef::Written { all, index, .. } => all.relations[*index].n_outputs,
        }
    }

    pub fn is(&self, relation: &'static Relation) -> bool {
        matches!(self, RelationRef::Builtin(this) if std::ptr::eq(*this, relation))
    }

    /// The relation as an assumption.
    #[must_use]
    pub fn assume(&self) -> RelationRef {
        match self {
            RelationRef::Builtin(relation) => RelationRef::Builtin(relation),
            RelationRef::Written { all, index, .. } => {
                RelationRef::Written { all: all.clone(), index: *index, assumed: true }
            }
        }
    }

    pub fn run(&self, facts: &mut dyn Facts) -> Step {
        match self {
            RelationRef::Builtin(relation) => (relation.rule)(facts),
            RelationRef::Written { all, index, assumed } => all.run(*index, *assumed, facts),
        }
    }

    /// A number that differs from that of any other relation alive.
    pub fn address(&self) -> (usize, usize) {
        match self {
            RelationRef::Builtin(relation) => (std::ptr::from_ref(*relation).addr(), 0),
            RelationRef::Written { all, index, .. } => (Arc::as_ptr(all).addr(), index + 1),
        }
    }
}

impl PartialEq for RelationRef {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

impl From<&'static Relation> for RelationRef {
    fn from(relation: &'static Relation) -> Self {
        RelationRef::Builtin(relation)
    }
}
