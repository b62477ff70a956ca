//! The constraint solver: a union-find store of terms and a queue of type relations (Roesch et al., *Relay: A
//! High-Level Compiler for Deep Learning*, 2019, "Type Inference").
//!
//! In: terms ([`Solver::fresh`]) and relations over them ([`Solver::post`]), each with the cause that `infer` gave it.
//! Out: what every class of terms turned out to be ([`ty::Terms`]), the relations that failed, and those that still
//! wait and for what.
//!
//! Plain equations are relations too (`Equal`), so everything goes through one queue in source order. A relation
//! runs until it is solved, fails, or waits on a set of terms; learning any of those moves exactly the relations that
//! wait on it to the front of the queue. The queue being empty with everything solved is success.
//!
//! Invariants: the store changes through its three mutators alone ([`Store::fresh`], [`Store::bind`],
//! [`Store::link`]), each of which logs its event and then writes; `find` compresses no paths (union by size keeps
//! them short). So replaying a log rebuilds the solver, and undoing a suffix equals replaying the prefix
//! ([`trace`]). Two composite terms are linked only once all of their parts have unified, so a type that clashed
//! keeps its own parts.
//!
//! Deliberately absent: an occurs check at each binding (cycles are looked for once per group of definitions, in
//! [`Solver::cycles`]); words (failures are structure); knowledge of any operator.
//!
//! ```
//! use solve::{Cause, Trace, Solver};
//! use ty::{Kind, Term, Terms};
//! let mut solver = Solver::new(Trace::off());
//! let unknown = solver.fresh(Term::hole(Kind::Type), Cause(0));
//! let unit = solver.tuple(&[], Cause(0));
//! solver.equal(unit, unknown, Cause(1));
//! solver.solve();
//! assert!(matches!(solver.head(unknown), Term::Tuple(_)));
//! ```

mod ask;
mod cheapest;
pub mod core;
pub mod derive;
pub mod formula;
mod instantiate;
mod quantify;
mod queue;
mod solver;
mod store;
pub mod trace;
mod unify;

pub use instantiate::Copier;
pub use quantify::Cycle;
pub use solver::{Args, EQUAL, Failure, Order, Posted, RelationId, Solver, State};
pub use store::{Cause, Store};
pub use trace::{Before, Event, Moved, Outcome, Trace, Woken};
