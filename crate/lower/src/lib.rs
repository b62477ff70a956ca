//! From typed modules to IR.
//!
//! In: a module without errors in what is asked for, its inferred types, and a layout strategy. Out: a
//! [`Program`](ir::Program) whose every type is closed.
//!
//! - *Instances* (`instance`): each `def` and each function literal is lowered once for each choice of type arguments
//!   that the program makes. Sizes of tensors do not choose instances: a buffer says its own.
//! - *Expressions* (`expr`) become instructions in the order in which the evaluator would take them, with a stack of
//!   tasks instead of recursion. Calls in tail position are tail calls.
//! - *Matches* (`matching`) are the decision trees of `pattern`. A node with several ways in is a join point, and so is
//!   the body of an arm with several leaves, so nothing is written twice.
//! - *Refinement* (`convert`): `p as %x` calls one conversion for each pair of types that differ.
//! - *Polymorphic functions as values* (`polymorphic`) are tuples of closures, one for each way in which they are used.
//! - *Checks* of sizes (`check`): where a type with sizes that are numbers or parameters is written (of a variable, a
//!   function's result, a constructor's field; in tuples too) and some type of the program may hold a `?`, the value
//!   that arrives is checked against them, as in the evaluator. A call in tail position stays one if what it calls
//!   checks the same.
//! - *Boxes*: a variable is laid out by `Layouts::of`; a field of a recursive type, and everything under `uniform`, is
//!   a box. What takes a value apart unboxes it, what puts it there boxes it; the passes take away what cancels.
//!
//! Fuel is spent by explicit instructions, at each call and each switch of a match, so no pass changes what a run
//! costs.
//!
//! Worked example: after `def @first(%p) { %p.0 }`, the expression `(@first((1, 2)), @first((True, 3)))` makes two
//! instances, a function from `(int32, int32)` to `int32` and one from `(bool, int32)` to `bool`. Each is
//! `v1 = field .0 %p; return v1`, with the layouts of its own types. The expression becomes a function without
//! parameters: it packs a pair, spends fuel and calls, twice, and packs the results.
//!
//! Deliberately absent: which arm takes what (`pattern`), where the bits are (`layout`), the shapes of results (an
//! operator finds them when it runs), and the words of errors ([`LowerError`] is structure; `session` words it).

mod body;
mod check;
mod close;
mod convert;
mod expr;
mod instance;
mod matching;
pub mod pass;
mod polymorphic;
mod written;

pub use convert::Conversion;
pub use instance::{LowerError, Lowered, lower};
