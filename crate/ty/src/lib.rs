//! The words of the type system: terms, kinds, schemes, the interface a type relation sees, and printing.
//!
//! Types, shapes, dims and dtypes are all [`Term`]s, told apart by their [`Kind`], so that one store can unify,
//! trace, generalise and print them alike. A term names its parts by [`TermId`]; which term an id stands for is the
//! business of whoever implements [`Terms`] (the solver's union-find store), so this crate has no mutable state.
//!
//! A [`Relation`] is a rule that relates argument and result types (Relay's type relations). It sees the solver
//! through [`Facts`] alone: it asks, then asserts, and its outcome is a [`Step`], never a bool.
//!
//! [`Value`] is what programs evaluate to, and [`RunFault`] what they come to instead; they are here because values
//! print beside their types and everything that runs programs gives them.
//!
//! Worked example: `Tensor[(N, 3), float32]` is five terms: a `Tensor` of a shape and a dtype, a `Shape` of two dims,
//! the dims, of which one is the parameter `N` and one the number 3, and the dtype.
//!
//! Deliberately absent: unification and the relation queue (`solve`), the rules themselves (`op`), any traversal by
//! recursion (types may be deeper than the host's stack).
//!
//! ```
//! use ty::{Dim, Dtype, Kind, Term};
//! let (three, float32) = (Term::Dim(Dim::number(3)), Term::Dtype(Dtype::Float32));
//! assert_eq!([three.kind(), float32.kind()], [Kind::Dim, Kind::BaseType]);
//! // What is not known yet is a term too; a dim says itself how much of it is known.
//! assert_eq!(Term::hole(Kind::Shape), Term::Hole(Kind::Shape));
//! assert_eq!(Term::hole(Kind::Dim), Term::Dim(Dim::UNKNOWN));
//! ```

mod attrs;
mod bits;
mod clauses;
mod condition;
mod copy;
mod dtype;
mod facts;
mod function;
mod pieces;
mod poly;
mod print;
mod reason;
mod relation;
mod run;
mod scheme;
mod term;
mod value;
mod value_print;

pub use attrs::{AttrValue, Attrs};
pub use bits::{bits_of_bytes, scalar_bits, scalar_of};
pub use clauses::{Clause, Comparison, Goal, Guard, Node, NodeId, Origin, Written, WrittenRelations};
pub use condition::{AT_MOST, DIVIDES};
pub use copy::COPY;
pub use dtype::Dtype;
pub use facts::{Facts, Size, Step, Stop, Why, if_known};
pub use function::{FUNCTION, Function, NO_WHOLE_NUMBER, apply, evaluate, too_large};
pub use pieces::{covers, too_few_axes};
pub use poly::{Atom, Poly, PolyId};
pub use print::{
    Beginning, Names, Printed, print_atom, print_beginning, print_obligation, print_obligation_beginning, print_said,
    print_scheme, print_term,
};
pub use reason::{Operand, Reason};
pub use relation::{Relation, RelationRef, Rule};
pub use run::{DeepCalls, LargeTensor, Limits, RunError, RunFault};
pub use scheme::{Obligation, Scheme};
pub use term::{AdtId, Dim, Extent, Kind, List, ParamId, Term, TermId, Terms, Variant, VariantId, for_parts};
pub use value::{Code, Elements, Fields, Scalar, Tensor, Value};
pub use value_print::{ConstructorNames, FixedNames, print_value};
