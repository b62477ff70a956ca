//! The intermediate representation: a program as the machine runs it.
//!
//! A [`Program`] is functions over variables with explicit layouts. A function is a graph of blocks without cycles
//! (loops are tail calls); a block has parameters, instructions in A-normal form and an end, so a block with several
//! ways in is a join point. Each variable is given once, and may be used wherever its definition dominates.
//!
//! Ownership: an instruction takes over the counted values that it names, except where [`Op`] says that it only looks.
//! Before the pass `counts` variables may be used any number of times; after it each counted variable is taken exactly
//! once on every path, with [`Op::Dup`] and [`Op::Drop`] where that needs them (Reinking, Xie, de Moura and Leijen
//! 2021, "Perceus").

mod counted;
mod parse;
mod print;
mod program;
#[cfg(test)]
mod tests;
mod verify;
mod visit;

pub use counted::counted;
pub use parse::{ParseError, parse};
pub use print::{Detail, Line, Names, lines, print, tables};
pub use program::{
    Block, BlockId, Callee, Case, CaseKey, ConstId, End, Fault, FuncId, Function, Global, GlobalId, Instr, Op, Program,
    VarData, VarId,
};
pub use verify::{Stage, Violation, verify};
