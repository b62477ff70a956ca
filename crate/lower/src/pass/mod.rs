//! Passes: from programs to programs that do the same with fewer instructions.
//!
//! They run before reference counts are inserted, when a program is in SSA form and leaving out a use is all that it
//! takes to leave out an owner. What a pass may not do is in [`effect`]: the effects of a run and their order stay, and
//! so does the sum of its `fuel`. Blocks lead to larger ids before and after each pass; every pass is linear in the
//! program, but for what it takes to look up dominators and table entries.
//!
//! Deliberately absent: moving instructions up, and copies of loops.

mod counts;
mod dead;
mod delay;
mod effect;
mod fold;
mod fuse;
mod graph;
mod inference;
mod inline;
mod owner;
mod reuse;
mod share;
mod simplify;
mod thread;

pub use counts::counts;
pub use dead::dead;
pub use delay::delay;
pub use fold::fold;
pub use fuse::fuse;
pub use inference::inference;
pub use inline::inline;
pub use reuse::reuse;
pub use share::share;

use ir::{FuncId, Program};

/// A step from programs to programs. The functions that it is given are those that are asked for from outside; where a
/// pass renumbers functions it renumbers these.
pub struct Pass {
    pub name: &'static str,
    /// What it does, for people.
    pub about: &'static str,
    pub run: fn(&mut Program, &mut [FuncId]),
}

/// The pass that may be left out, with the same values.
pub const FUSE: &str = "fuse";

/// In the order in which they run.
pub const PASSES: &[Pass] = &[
    Pass { name: "inline", about: "calls of small functions and of known closures become their code", run: inline },
    Pass { name: "inference", about: "what is not learnt here is packed as it was given", run: inference },
    Pass { name: "fold", about: "what is known before the run is computed: operators, switches, fields", run: fold },
    Pass { name: "share", about: "equal values are computed once", run: share },
    Pass { name: "dead", about: "what nothing uses is left out", run: dead },
    Pass { name: "delay", about: "what only one branch needs is found there", run: delay },
    Pass { name: FUSE, about: "operators that feed each other element by element become one", run: fuse },
    Pass {
        name: "reuse",
        about: "a block that is freed becomes the next one of its size",
        run: |program, _| reuse(program),
    },
    Pass {
        name: "counts",
        about: "owners are counted: copies and ends of values are written down",
        run: |program, _| counts(program),
    },
];

#[cfg(test)]
mod tests;
