//! Layers that are neither matrix products nor windows: padding, normalisation over features, losses.

use crate::Op;

pub const ROWS: &[Op] = &[];
