//! To come.

pub mod pass;
