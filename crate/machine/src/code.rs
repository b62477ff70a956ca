//! Instructions as the loop runs them.
//!
//! Each instruction of the IR, and each end of a block, is one [`Code`]; a side table says which. Registers are words
//! of the frame; the parameters of a function are its first words, in order.

use crate::heap::Heap;
use crate::kind::Kinds;
use crate::scalar::{Binary, Class};
use base::{IndexVec, Span};
use ir::{BlockId, ConstId, FuncId, GlobalId, Program};
use layout::LayoutId;
use std::sync::Arc;
use ty::Dtype;

/// A word of the frame.
pub type Reg = u16;

/// How many words the loop can name: there is always room for so many from a frame's first.
pub const WINDOW: usize = 1 << 16;

/// Beside a register, as an operand of [`Code::Operator`]: the high half of the word.
pub const HIGH: Reg = 1 << 15;

/// Most words that a quick call passes.
pub const MAX_QUICK_ARGS: usize = 256;

/// The place of [`Code::Halt`], where the first function returns to.
pub const HALT: u32 = 0;
/// The place of a [`Code::Broken`], for switches that miss a case.
pub const BROKEN: u32 = 1;

/// One step, or in [`Assembly::fast`] several. Where a code has `fuel`, that is what it uses first; unless it is 0,
/// that is a step of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Code {
    /// The run is done.
    Halt,
    /// The function is not one that the verifier lets pass.
    Broken,
    /// An operator that is looked at from outside ([`crate::profile`]).
    Pause,
    /// As the IR says it, whatever the widths.
    General,
    /// Nothing to do when the program runs.
    Nothing,
    Constant {
        to: Reg,
        bits: u64,
    },
    /// Some bits of a word.
    Part {
        to: Reg,
        from: Reg,
        bits: Bits,
    },
    Parts2 {
        from: Reg,
        to: [Reg; 2],
        bits: [Bits; 2],
    },
    /// `n` of `parts`.
    Parts {
        n: u16,
        first: u32,
    },
    /// A pointer in a word, which gets one owner more.
    OwnedPart {
        to: Reg,
        from: Reg,
        bits: Bits,
    },
    /// The variant's code at its place, and one field.
    Pack1 {
        to: Reg,
        a: Reg,
        shift: u8,
        at: u8,
        code: u32,
    },
    Pack2 {
        to: Reg,
        a: Reg,
        b: Reg,
        shifts: [u8; 2],
        at: u8,
        code: u32,
    },
    /// `n` of `parts`, over `n_words` of `words`.
    Pack {
        n_words: u8,
        to: Reg,
        n: u16,
        first: u32,
        word: u32,
    },
    Box {
        to: Reg,
        from: Reg,
        kind: u32,
        layout: LayoutId,
    },
    BoxToken {
        to: Reg,
        from: Reg,
        token: Reg,
        kind: u32,
        layout: LayoutId,
    },
    Unbox {
        to: Reg,
        from: Reg,
        layout: LayoutId,
    },
    UnboxToken {
        to: Reg,
        token: Reg,
        from: Reg,
        layout: LayoutId,
    },
    Load {
        to: Reg,
        from: Reg,
        layout: LayoutId,
    },
    /// Of so many words, as those below.
    BoxWide {
        n: u8,
        to: Reg,
        from: Reg,
        kind: u32,
        layout: LayoutId,
    },
    BoxWideToken {
        n: u8,
        to: Reg,
        from: Reg,
        token: Reg,
        kind: u32,
        layout: LayoutId,
    },
    UnboxWide {
        n: u8,
        to: Reg,
        from: Reg,
        layout: LayoutId,
    },
    UnboxWideToken {
        n: u8,
        to: Reg,
        token: Reg,
        from: Reg,
        layout: LayoutId,
    },
    LoadWide {
        n: u8,
        to: Reg,
        from: Reg,
        layout: LayoutId,
    },
    /// A scalar into a word of `uniform`.
    Tag {
        to: Reg,
        from: Reg,
    },
    Untag {
        to: Reg,
        from: Reg,
    },
    Free {
        from: Reg,
    },
    /// Of a pointer.
    Dup {
        from: Reg,
    },
    Drop {
        from: Reg,
    },
    /// Of the pointers in `n` of `parts`.
    DupParts {
        n: u16,
        first: u32,
    },
    DropParts {
        n: u16,
        first: u32,
    },
    Fuel(u32),
    /// `n` of `args`.
    Closure {
        to: Reg,
        n: u16,
        kind: u32,
        first: u32,
    },
    /// Of a cell with a word.
    RefNew {
        to: Reg,
        from: Reg,
        kind: u32,
    },
    RefRead {
        to: Reg,
        from: Reg,
    },
    /// What was there is no pointer, or nothing but one.
    RefWrite {
        cell: Reg,
        from: Reg,
        is_pointer: bool,
    },
    /// `size` is the caller's frame in words; `n` of `args`.
    Call {
        fuel: u8,
        to: Reg,
        size: u16,
        n: u16,
        function: FuncId,
        first: u32,
    },
    CallValue {
        fuel: u8,
        to: Reg,
        size: u16,
        n: u16,
        callee: Reg,
        first: u32,
    },
    /// `n` of `args`. `bytes` is the caller's frame.
    TailValue {
        n: u16,
        callee: Reg,
        first: u32,
        bytes: u32,
    },
    /// `n` of `moves`, in order. `bytes` is the caller's frame.
    TailCall {
        fuel: u8,
        n: u16,
        function: FuncId,
        first: u32,
        bytes: u32,
    },
    /// A tail call of a function whose frame is as large.
    Loop {
        fuel: u8,
        n: u16,
        first: u32,
        to: u32,
    },
    /// With two moves.
    Loop2 {
        fuel: u8,
        from: [Reg; 2],
        into: [Reg; 2],
        to: u32,
    },
    Return {
        from: Reg,
        bytes: u32,
    },
    ReturnWide {
        from: Reg,
        n: u16,
        bytes: u32,
    },
    Jump {
        to: u32,
    },
    Jump1 {
        from: Reg,
        into: Reg,
        to: u32,
    },
    /// `n` of `moves`.
    JumpMoving {
        n: u16,
        first: u32,
        to: u32,
    },
    /// On one code.
    Switch1 {
        fuel: u8,
        on: Reg,
        bits: Bits,
        code: u16,
        then: u32,
        otherwise: u32,
    },
    /// By place among `n` of `targets`; behind them is the default.
    SwitchTable {
        fuel: u8,
        on: Reg,
        bits: Bits,
        n: u32,
        first: u32,
    },
    /// By search in `n` of `keys`, which are sorted; behind them is the default.
    SwitchKeys {
        on: Reg,
        bits: Bits,
        n: u32,
        first: u32,
    },
    Global {
        to: u32,
        global: GlobalId,
        /// Where the [`Code::StoreGlobal`] is.
        store: u32,
        shared: Shared,
    },
    /// The function of a global has returned to the frame of who asked first.
    StoreGlobal {
        to: u32,
        global: GlobalId,
        next: u32,
    },
    AddInt32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    SubtractInt32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    MultiplyInt32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    EqualInt32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    LessInt32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    LessEqualInt32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    /// Three steps: arithmetic, `fuel`, and a [`Code::Loop`] with two moves, which are in `moves`.
    AddLoop {
        fuel: u8,
        to: Reg,
        a: Reg,
        b: Reg,
        first: u32,
        entry: u32,
    },
    SubtractLoop {
        fuel: u8,
        to: Reg,
        a: Reg,
        b: Reg,
        first: u32,
        entry: u32,
    },
    /// Two steps: a constant into a register, and its sum with another.
    AddConstant {
        constant: Reg,
        to: Reg,
        a: Reg,
        bits: u32,
        /// What is added.
        by: u32,
    },
    /// Two steps: a comparison, and a switch on what it says.
    EqualSwitch {
        to: Reg,
        a: Reg,
        b: Reg,
        yes: u32,
        no: u32,
    },
    LessSwitch {
        to: Reg,
        a: Reg,
        b: Reg,
        yes: u32,
        no: u32,
    },
    LessEqualSwitch {
        to: Reg,
        a: Reg,
        b: Reg,
        yes: u32,
        no: u32,
    },
    /// Three steps: a constant into register `b` before them.
    EqualConstantSwitch {
        bits: i8,
        to: Reg,
        a: Reg,
        b: Reg,
        yes: u32,
        no: u32,
    },
    LessConstantSwitch {
        bits: i8,
        to: Reg,
        a: Reg,
        b: Reg,
        yes: u32,
        no: u32,
    },
    LessEqualConstantSwitch {
        bits: i8,
        to: Reg,
        a: Reg,
        b: Reg,
        yes: u32,
        no: u32,
    },
    GreaterConstantSwitch {
        bits: i8,
        to: Reg,
        a: Reg,
        b: Reg,
        yes: u32,
        no: u32,
    },
    GreaterEqualConstantSwitch {
        bits: i8,
        to: Reg,
        a: Reg,
        b: Reg,
        yes: u32,
        no: u32,
    },
    Binary {
        op: Binary,
        class: Class,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Cast {
        from: Dtype,
        into: Dtype,
        to: Reg,
        a: Reg,
    },
    /// Of [`Assembly::operators`], on `n` of `args`: a word each, scalars and tensors, which may be [`HIGH`] halves. It
    /// comes after as many steps as there are operands in `kept`, a bit each: each such gets one owner more, for the
    /// operator to take.
    Operator {
        kept: u8,
        n: u8,
        to: Reg,
        first: u32,
        number: u32,
    },
    /// Of [`Assembly::tuple_calls`]. It knows which registers it reads.
    TupleCall {
        to: Reg,
        number: u32,
    },
    /// An elementwise operator on one or two scalars of a dtype, by its kernel. `b` is `a` if there is one.
    Kernel {
        op: u32,
        dtype: Dtype,
        to: Reg,
        a: Reg,
        b: Reg,
    },
}

/// Where an instruction of the loop comes from. Behind a block's last instruction is its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    pub function: FuncId,
    pub block: BlockId,
    pub index: u32,
}

/// The words of a variable in its frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub at: u32,
    pub n_words: u32,
}

impl Place {
    pub fn range(self) -> std::ops::Range<usize> {
        self.at as usize..(self.at + self.n_words) as usize
    }
}

/// A function, assembled.
#[derive(Clone, Debug)]
pub struct Routine {
    pub entry: u32,
    pub n_words: u32,
    /// Words of the parameters.
    pub n_params: u32,
    /// Words of those that are captured.
    pub n_captures: u32,
    /// Words that there must be from the frame's first.
    pub reach: u32,
    /// What an unfinished call counts as.
    pub bytes: u32,
    pub is_library: bool,
    /// By variable.
    pub places: Vec<Place>,
    /// By block.
    pub blocks: Vec<u32>,
}

/// What it takes to have a value that somebody else keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shared {
    /// Its only word, which leads nowhere.
    Word,
    /// Its only word, and an owner more of where it leads, if it leads anywhere.
    Pointer,
    /// Its words, and an owner more of where the pointers in them lead.
    Parts,
}

/// Some bits of a word: those that are left when it is shifted so far to the left, then so far to the right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bits {
    left: u8,
    right: u8,
}

impl Bits {
    /// At least one bit.
    pub fn new(offset: u32, n: u32) -> Bits {
        Bits { left: (64 - offset - n) as u8, right: (64 - n) as u8 }
    }

    #[inline(always)]
    pub fn of(self, word: u64) -> u64 {
        word << (self.left & 63) >> (self.right & 63)
    }
}

/// Some bits of a register, moved up, become another register, or are added to what is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    pub from: Reg,
    pub to: Reg,
    pub bits: Bits,
    pub shift: u8,
    pub is_more: bool,
}

impl Part {
    /// The parts of which so many bits of words from the register `to` on are made, which lie in words from `from` on.
    ///
    /// Worked example: 64 bits at offset 48 are the high 16 bits of the first word, and the low 48 of the second one 16
    /// bits further up.
    pub fn read(from: u32, offset: u32, to: u32, n_bits: u32, parts: &mut Vec<Part>) {
        let mut done = 0;
        while done < n_bits {
            let (at, into) = (offset + done, done);
            let n = (64 - at % 64).min(64 - into % 64).min(n_bits - done);
            parts.push(Part {
                from: (from + at / 64) as Reg,
                to: (to + into / 64) as Reg,
                bits: Bits::new(at % 64, n),
                shift: (into % 64) as u8,
                is_more: into % 64 != 0,
            });
            done += n;
        }
    }

    /// The other way round: words from `from` on, whose other bits are zero, into those from `to` on at an offset.
    pub fn write(from: u32, to: u32, offset: u32, n_bits: u32, parts: &mut Vec<Part>) {
        let mut done = 0;
        while done < n_bits {
            let (at, into) = (done, offset + done);
            let n = (64 - at % 64).min(64 - into % 64).min(n_bits - done);
            parts.push(Part {
                from: (from + at / 64) as Reg,
                to: (to + into / 64) as Reg,
                bits: Bits::new(at % 64, n),
                shift: (into % 64) as u8,
                is_more: true,
            });
            done += n;
        }
    }
}

/// A content of a box that takes no block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Immediate {
    /// The content's first word.
    pub first: u64,
    pub code: u32,
    /// Where in `words` the content is.
    pub words: u32,
}

/// A program, assembled.
#[derive(Debug)]
pub struct Assembly {
    pub program: Arc<Program>,
    pub kinds: Kinds,
    pub codes: Vec<Code>,
    /// The same, but where several steps go together they are one code, at the first one's place.
    pub fast: Vec<Code>,
    /// By place in `codes`.
    pub origins: Vec<Origin>,
    pub routines: IndexVec<FuncId, Routine>,
    pub parts: Vec<Part>,
    pub words: Vec<u64>,
    pub args: Vec<Reg>,
    pub operators: Vec<crate::tensor::Place>,
    pub tuple_calls: Vec<crate::many::TupleCall>,
    pub moves: Vec<(Reg, Reg)>,
    pub targets: Vec<u32>,
    pub keys: Vec<(u64, u32)>,
    /// By layout of a box.
    pub immediates: IndexVec<LayoutId, Vec<Immediate>>,
    /// The blocks of literals, where there was room for them.
    pub constants: IndexVec<ConstId, Option<u32>>,
    /// The blocks of closures that capture nothing, by function.
    pub closures: IndexVec<FuncId, Option<u32>>,
    /// Whether there are cells, and so may be cycles.
    pub has_refs: bool,
}

/// What stands at a place in the program.
pub enum At<'p> {
    Instr(&'p ir::Instr),
    End(&'p ir::End),
}

impl Assembly {
    pub fn at(&self, pc: u32) -> Option<At<'_>> {
        let origin = self.origins.get(pc as usize)?;
        let block = self.program.functions.get(origin.function)?.blocks.get(origin.block)?;
        Some(block.instrs.get(origin.index as usize).map_or(At::End(&block.end), At::Instr))
    }

    /// Where in the text an instruction comes from.
    pub fn span(&self, pc: u32) -> Option<Span> {
        let origin = self.origins.get(pc as usize)?;
        let block = self.program.functions.get(origin.function)?.blocks.get(origin.block)?;
        Some(block.instrs.get(origin.index as usize).map_or(block.span, |instr| instr.span))
    }

    /// The function of a closure, and how many words it has captured.
    #[inline]
    pub fn closure_at(&self, heap: &Heap, at: u32) -> Option<(FuncId, u32)> {
        let function = self.kinds.function_of(heap.kind(at))?;
        Some((function, self.routines[function].n_captures))
    }

    /// The function that an instruction belongs to.
    pub fn function(&self, pc: u32) -> Option<FuncId> {
        self.origins.get(pc as usize).map(|origin| origin.function)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_instruction_is_small() {
        assert_eq!(size_of::<super::Code>(), 16);
    }
}
