//! Runs programs in the IR, on one heap of bytes, a step at a time.
mod assemble;
mod code;
mod collect;
mod fault;
mod general;
mod heap;
mod kind;
mod live;
mod machine;
mod owner;
mod run;
mod scalar;
mod tensor;
mod value;

pub use fault::{Limits, RunError, RunFault};
pub use machine::{Machine, Status};

#[cfg(test)]
mod tests;
