//! Resizing and sampling of images.

use crate::Op;

pub const ROWS: &[Op] = &[];
