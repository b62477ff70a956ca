//! Pooling over one, two and three axes, adaptive pooling, and gradients of pools.

use crate::Op;

pub const ROWS: &[Op] = &[];
