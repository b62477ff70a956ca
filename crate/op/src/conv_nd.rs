//! Convolutions over one and three axes, transposed and deformable ones.

use crate::Op;

pub const ROWS: &[Op] = &[];
