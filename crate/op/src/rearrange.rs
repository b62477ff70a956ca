//! Operators that repeat, stack, reverse and re-lay axes.

use crate::Op;

pub const ROWS: &[Op] = &[];
