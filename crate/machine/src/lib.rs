//! Runs programs in the IR, on one heap of bytes, a step at a time.
//!
//! In: a program with counts ([`ir::Program`]), values for the parameters of a function, limits. Out: a value, or a
//! located fault; on the way, everything there is to see at a step ([`History`]).
//!
//! A program is assembled once: each instruction of the IR becomes one code of 16 bytes, which names the words of its
//! frame; a variable has its words for as long as it is needed. Codes that often follow one another are joined in a
//! second list, from which the loop runs as long as there are steps enough. All frames stand in one vector of words,
//! all blocks in one vector of bytes; a pointer is the address of a block, whose header has its count of owners and its
//! kind, and the kind knows where the pointers in it are. What has no owner left is freed at once. Only references can
//! close cycles; those are found by marking, when memory runs out and at the end.
//!
//! Invariants:
//! - One step is one instruction of the IR, or one end of a block. Equal states go on equally, so earlier steps are
//!   found by running again. A joined code counts as the steps that it is made of and leaves what they leave; a stop
//!   can be between any two of them.
//! - Nothing here uses the host's stack in proportion to the program or its values.
//! - Whatever the program, nothing panics: a function that the verifier refuses fails when it is entered, and what is
//!   read outside the heap is zero. In WebAssembly, where what runs was lowered by the same code, and code is downloaded,
//!   there is no verifier.
//! - Operators have the meaning of [`op::run`], to the bit.
//! - An instruction that finds no memory has changed nothing.
//!
//! Deliberately absent: types, but for those of tensors; any optimisation of programs, which is for passes.
//!
//! ```
//! # use machine::{Machine, Status};
//! # use ty::Limits;
//! # use std::sync::Arc;
//! let empty = ir::Program {
//!     types: layout::Types::default(),
//!     layouts: layout::Layouts::new(layout::Strategy::Aligned),
//!     functions: base::IndexVec::new(),
//!     globals: base::IndexVec::new(),
//!     constants: base::IndexVec::new(),
//! };
//! let mut machine = Machine::new(Arc::new(empty), Limits { fuel: 1000, memory: 1 << 20 });
//! assert!(machine.start(ir::FuncId::numbered(0), &[], base::Span::new(0, 0)).is_err());
//! assert_eq!(machine.run(100), Status::Done);
//! ```

mod assemble;
mod code;
mod collect;
mod fault;
mod frame;
mod fuse;
mod general;
mod heap;
mod kind;
mod live;
mod machine;
mod many;
mod owner;
mod profile;
mod quick;
mod run;
mod scalar;
mod step;
mod tensor;
mod value;
mod view;
mod weights;

pub use kind::{BlockKind, tensor_size};
pub use machine::{Machine, Status};
pub use many::is_in_place;
pub use profile::Tally;
pub use step::{Arrival, History};
pub use value::data_offset;
pub use view::{BlockView, FrameView, GlobalView, HeapView, Position, VarView};

#[cfg(test)]
mod tests;
