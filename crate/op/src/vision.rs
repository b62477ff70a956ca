//! Boxes, regions and suppression, as detectors use them.

use crate::Op;

pub const ROWS: &[Op] = &[];
