//! Polymorphic types.

use crate::{Attrs, ParamId, RelationRef, TermId};
use std::sync::Arc;

/// A relation that must hold wherever a scheme is used; `args` are inputs, then outputs.
#[derive(Clone, Debug)]
pub struct Obligation {
    pub relation: RelationRef,
    pub args: Vec<TermId>,
    pub attrs: Arc<Attrs>,
}

/// `fn[params](…) -> … where obligations`: each use replaces the parameters by fresh unknowns and posts the
/// obligations (Roesch et al., *Relay: A High-Level Compiler for Deep Learning*, 2019, rules Type-Func-Def and
/// Type-Call).
#[derive(Clone, Debug)]
pub struct Scheme {
    pub params: Vec<ParamId>,
    pub body: TermId,
    pub obligations: Vec<Obligation>,
}

impl Scheme {
    /// Whether it is a plain type: without parameters and obligations.
    pub fn is_mono(&self) -> bool {
        self.params.is_empty() && self.obligations.is_empty()
    }
}
