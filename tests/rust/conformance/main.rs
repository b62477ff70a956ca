//! Recorded answers held against ours: of the real Relay, and of teachers to real mistakes.
//!
//! `doc/differences.md` lists the facts where we differ deliberately: each row's first cell is a fact's id. A listed
//! fact that agrees is an error too, so the list stays true.

mod blame;
mod carried;
mod layout;
mod mistakes;
mod models;
mod random;
mod refine;
mod relay;
mod tensorscript;
mod unify;
mod values;
