//! Operators that gather, scatter and slice by indices.

use crate::Op;

pub const ROWS: &[Op] = &[];
