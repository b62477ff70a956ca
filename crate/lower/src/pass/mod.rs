//! Passes over programs.

use ir::{FuncId, Program};

/// One pass. The functions that are asked for may change their numbers.
pub struct Pass {
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    pub run: fn(&mut Program, &mut [FuncId]),
}

pub const PASSES: &[Pass] = &[];
