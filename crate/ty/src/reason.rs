//! Why a relation failed: structure only; `infer` words it.

use crate::{Dtype, TermId};
use std::borrow::Cow;

/// One argument of a relation: inputs from 0, the results after them.
pub type Operand = usize;

#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Two terms had to be equal and are not; `left` and `right` are the smallest parts that differ.
    Unequal { expected: TermId, found: TermId, left: TermId, right: TermId },
    /// Two sizes on one axis that do not broadcast; the axis is counted from the last, which is 0.
    Broadcast { left: TermId, right: TermId, left_size: i64, right_size: i64, axis: Option<usize> },
    /// Operands, or parts of one, of different dtypes.
    Dtypes { left: (Operand, Dtype), right: (Operand, Dtype) },
    /// An operand that must be a tensor is something else.
    NotTensor { operand: Operand },
    /// An operand that must be a tuple is something else.
    NotTuple { operand: Operand },
    /// `operand` has rank `found`; the rule asks for `want`, in words.
    Rank { operand: Operand, want: Cow<'static, str>, found: usize },
    /// `axis` lies outside `-rank..rank` (or `bound`, where the rule has another).
    Axis { attr: &'static str, axis: i64, rank: usize },
    /// No clause of a written relation fits the arguments.
    NoClause,
    /// Projection past a tuple's end.
    TupleIndex { index: i64, len: usize },
    /// A type that is copied would contain its own copy.
    EndlessCopy,
    /// An attribute has a value that the rule cannot use: the sentence says what it wants.
    Attr { attr: &'static str, want: Cow<'static, str> },
    /// Any other condition of the rule that does not hold, as a sentence.
    Check(Cow<'static, str>),
}
