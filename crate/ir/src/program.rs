//! The data of programs.

use base::{IndexVec, Span, idx};
use layout::{LayoutId, Layouts, Types};
use op::{OpId, Step};
use std::sync::Arc;
use ty::{Attrs, Scalar, Tensor, TermId};

idx!(
    /// A function of the program: an instance of a `def`, the code of a closure, a conversion.
    FuncId,
    "f"
);
idx!(
    /// A block of a function; 0 is where it begins. Blocks lead to larger ids only.
    BlockId,
    "b"
);
idx!(
    /// A variable of a function.
    VarId,
    "v"
);
idx!(
    /// A top-level `let`, or an instance of a polymorphic one.
    GlobalId,
    "g"
);
idx!(
    /// A tensor literal.
    ConstId,
    "k"
);

#[derive(Clone, Debug)]
pub struct Program {
    pub types: Types,
    pub layouts: Layouts,
    pub functions: IndexVec<FuncId, Function>,
    pub globals: IndexVec<GlobalId, Global>,
    pub constants: IndexVec<ConstId, Arc<Tensor>>,
}

/// A value that is found when it is first asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    pub name: String,
    pub layout: LayoutId,
    /// Without parameters.
    pub init: FuncId,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// As the program says it, with the instance behind it where there are several: `@map`, `@map.2`, `convert.0`.
    pub name: String,
    /// Of these the first `n_captures` are a closure's captured values. They are given anew at each call.
    pub params: Vec<VarId>,
    pub n_captures: usize,
    pub result: LayoutId,
    pub vars: IndexVec<VarId, VarData>,
    pub blocks: IndexVec<BlockId, Block>,
    pub span: Span,
    /// What a function value of it is to whoever looks at one: a constructor or operator that was handed on is that.
    pub stands_for: Option<ty::Code>,
    /// Whether its spans are places in the library's text. What goes wrong in it is told where the file called.
    pub is_library: bool,
    /// The type of a closure of this function, for those that have captures or are used as values.
    pub ty: Option<TermId>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct VarData {
    pub layout: LayoutId,
    /// What the source calls it, with its sigil.
    pub name: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub params: Vec<VarId>,
    pub instrs: Vec<Instr>,
    pub end: End,
    /// Where what the block ends with comes from.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Instr {
    pub results: Vec<VarId>,
    pub op: Op,
    pub args: Vec<VarId>,
    /// Where it comes from, and where what goes wrong in it is told.
    pub span: Span,
}

/// What an instruction does. `args` and `results` are in [`Instr`].
///
/// It takes over its counted arguments, except `peek`, `field`, `load`, `check` and `dup`, which only look (and so do
/// switches).
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// `() -> scalar`, of the result's dtype.
    Scalar(Scalar),
    /// `() -> tensor`: a literal, which lives outside the heap.
    Tensor(ConstId),
    /// `(fields…) -> sum`: the variant at this place among the variants of the result's layout ([`layout::Kind::Sum`]).
    Pack { variant: u32 },
    /// `(sum) -> (fields…)`: takes apart a sum that is known to be this variant. `results` are
    /// all its fields, in order.
    Open { variant: u32 },
    /// `(sum) -> (fields…)`: as [`Op::Open`], but only looks: the results are not owned, and are used only by
    /// instructions that look, and by `dup`.
    Peek { variant: u32 },
    /// `(sum) -> field`: only looks at one field, and owns a copy (it is counted).
    Field { variant: u32, index: u32 },
    /// `(value) -> box`: the layout of the result is a box of the value's; a variant that stores nothing, and a scalar
    /// that fits a word, take no block.
    /// With a second argument: a token, whose block is used.
    Box,
    /// `(box) -> value`: takes the content out; if that was the only owner the block is freed, else the content is
    /// counted. With a second result: the token of the freed block, or of none.
    Unbox,
    /// `(box) -> value`: only looks; the result is not owned, as those of [`Op::Peek`].
    Load,
    /// `(token) -> ()`: frees the block that was not used again.
    Free,
    /// `(value) -> value`: the same bits at another type.
    Retype,
    /// `(captures…) -> closure`.
    Closure(FuncId),
    /// `(args…) -> result`, or with [`Callee::Value`] `(closure, args…) -> result`.
    Call(Callee),
    /// `(operands…) -> result`: an operator. The result's type says shapes and dtypes; where a dim is `?` the
    /// operator's relation finds it.
    Operator { op: OpId, attrs: Arc<Attrs> },
    /// `(operands…) -> tensor`: operators on float32, one after the other; the last one gives the result. At most one is
    /// a product or convolution, the others are elementwise. Each is told of where it stood in the source.
    Fused(Vec<Step>),
    /// `(value) -> ref`.
    RefNew,
    /// `(ref) -> value`: a copy of the content.
    RefRead,
    /// `(ref, value) -> unit`.
    RefWrite,
    /// `() -> value`: a copy of a top-level variable; finds its value first if nobody has asked before.
    Global(GlobalId),
    /// `(tensor) -> ()`: only looks: the tensor has these sizes, where one is given. Says the name if not. `(tensor,
    /// other) -> ()`: what is given is an axis of the other one, whose size the first has.
    Check { name: String, dims: Vec<Option<u64>> },
    /// `() -> ()`: so many source calls and match tests.
    Fuel(u32),
    /// `(value) -> ()`: only looks: one owner more.
    Dup,
    /// `(value) -> ()`: one owner less.
    Drop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    Function(FuncId),
    /// The first argument.
    Value,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    Return(VarId),
    Jump(BlockId, Vec<VarId>),
    /// A call whose result is the function's.
    TailCall(Callee, Vec<VarId>),
    /// Only looks. The blocks that it leads to have no parameters and no other way in.
    Switch {
        on: VarId,
        cases: Vec<Case>,
        default: Option<BlockId>,
    },
    /// Ends the run.
    Fail(Fault),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub key: CaseKey,
    pub block: BlockId,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CaseKey {
    /// A place among the variants of the layout.
    Variant(u32),
    Literal(Scalar),
}

/// What a program can come to instead of a value, by its own text.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    NoArm,
    FreeVariable(String),
    /// An error was reported here.
    Broken,
    /// No value comes here.
    Unreachable,
}
