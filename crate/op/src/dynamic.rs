//! Operators whose result shape is known only when they run.

use crate::Op;

pub const ROWS: &[Op] = &[];
