//! x.
mod heap;
mod kind;
