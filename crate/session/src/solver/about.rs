//! Which part of the solver's work an error of types is about.

use infer::TypeError;
use solve::{Failure, RelationId};
use ty::TermId;

pub(crate) enum About<'a> {
    Failed(&'a Failure),
    /// It waited in vain.
    Stuck(RelationId),
    /// It is in no `where` clause.
    NotAssumed(RelationId),
    /// A type that contains itself.
    Cycle(TermId),
}

/// Nothing of an error that the walk over the program found without the solver.
pub(crate) fn about(error: &TypeError) -> Option<About<'_>> {
    Some(match error {
        TypeError::Failed(failure) => About::Failed(failure),
        TypeError::UnderConstrained { relation, .. } => About::Stuck(*relation),
        TypeError::NotAssumed { relation, .. } => About::NotAssumed(*relation),
        TypeError::Infinite(cycle) => About::Cycle(cycle.class),
        TypeError::OperatorArity { .. }
        | TypeError::OperatorNeedsAttr { .. }
        | TypeError::Arity { .. }
        | TypeError::LargeType { .. }
        | TypeError::OwedWithin { .. }
        | TypeError::Escapes { .. }
        | TypeError::NotPolymorphic { .. }
        | TypeError::NotAFunction { .. }
        | TypeError::TypeArguments { .. }
        | TypeError::TypeArgumentKind { .. }
        | TypeError::PatternArity { .. } => return None,
    })
}
