//! Sorting, scans, spectra, and marks that other passes leave.

use crate::Op;

pub const ROWS: &[Op] = &[];
