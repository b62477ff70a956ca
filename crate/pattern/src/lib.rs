//! Which values a match does not handle, which arms and alternatives are never taken, and its decision tree.
//!
//! In: a module, the types of a store, and one match. Out: of [`check`] a [`Coverage`], of [`decide`] a [`MatchTree`].
//!
//! The core knows neither modules nor stores. A pattern is a wildcard, a head with fields, or alternatives
//! (`pattern`); a type is its heads with the types of their fields, asked for as they are met (`space`). Both
//! answers are read off one automaton, whose states are the matrices that specialising by heads comes to, each once
//! (`matrix`; Maranget 2007, "Warnings for pattern matching", and 2008, "Compiling pattern matching to good decision
//! trees"). So what other checkers take exponential time for, as W(n) in `matrix`, is linear in the rows here.
//!
//! Invariants. Heads that no value has, by a field of a type without values, do not occur in any answer. Witnesses do
//! not overlap; if none were cut off they are all that is missing. No path of a tree looks at a place twice, unless
//! [`Tree::is_sequence`]. No walk uses the host's stack. The problem is NP-complete, so the work is bounded, and what
//! was given up is said.
//!
//! Worked example, for `type Seq { Link(int32, Seq), End }` and the one arm `Link(_, Link(_, _))`: the state of that
//! row splits at the scrutinee into `Link`, whose state splits at field 1 into `Link`, taken, and `End`, without a row;
//! and into `End`, without a row. The witnesses are `End` and `Link(_, End)`.
//!
//! Deliberately absent: guards, which the language does not have; ranges of numbers; what the literals of two types
//! have in common.

mod coverage;
mod door;
mod intern;
mod matrix;
mod pattern;
mod print;
mod rows;
mod space;
mod tree;
mod types;
mod witness;

pub use coverage::Wanted;
pub use door::{Coverage, MatchTree, Unreachable, check, decide};
pub use pattern::Head;
pub use rows::{Place, PlaceId};
pub use tree::{Contents, Node, NodeId, Tree};

#[cfg(test)]
mod tests;
