//! What the page shows of the machine: a program in each of its forms, and a run step by step.

use crate::view::{DiagnosticView, SpanView};
use serde::Serialize;
#[cfg(feature = "tsify")]
use tsify::Tsify;

/// The program before and after one pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct IrView {
    /// Lowering first, then the passes in their order.
    pub passes: Vec<PassView>,
    /// Which of them this is.
    pub pass: u32,
    /// Of lowering there is nothing before.
    pub before: Vec<IrFunctionView>,
    pub after: Vec<IrFunctionView>,
    /// By number: what `l3` stands for.
    pub layouts: Vec<String>,
    /// By number: what `k3` stands for.
    pub constants: Vec<String>,
    /// How many lines were left out of `after`.
    pub n_more: u32,
    /// Why parts of the text were not compiled.
    pub diagnostics: Vec<DiagnosticView>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct PassView {
    pub name: String,
    /// What it does, in a sentence.
    pub about: String,
    pub n_functions: u32,
    /// Ends of blocks included.
    pub n_instrs: u32,
    pub is_changed: bool,
}

/// A function of the program, or its globals, which have no name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct IrFunctionView {
    pub name: String,
    /// From 1, where the text has it.
    pub line: Option<u32>,
    pub is_library: bool,
    pub n_instrs: u32,
    pub lines: Vec<IrLineView>,
    /// The last lines were left out, or all of them.
    pub is_cut: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct IrLineView {
    pub text: String,
    /// Where in the text it comes from, if that is not the library's.
    pub span: Option<SpanView>,
}

/// Where a run stands, between two instructions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct StepView {
    /// How many instructions have been run.
    pub step: f64,
    /// How far the run is known, and whether that is all of it.
    pub known: f64,
    pub is_whole: bool,
    pub status: StepStatusView,
    /// What was asked for takes longer than one answer may; asked again, it goes on from here.
    pub is_unfinished: bool,
    /// Where the text says what comes next; inside the library, where the text called.
    pub span: Option<SpanView>,
    /// The function that is run, some lines of it, and which of these comes next.
    pub function: String,
    pub lines: Vec<IrLineView>,
    pub current: Option<u32>,
    /// How many lines there are above those.
    pub n_above: u32,
    pub n_below: u32,
    /// The innermost first.
    pub frames: Vec<FrameView>,
    pub n_more_frames: u32,
    /// The top-level variables whose values have been found.
    pub globals: Vec<VariableView>,
    /// In the order of their addresses.
    pub blocks: Vec<BlockView>,
    pub n_more_blocks: u32,
    pub live_bytes: f64,
    pub peak_bytes: f64,
    pub fuel: f64,
    /// What the run came to.
    pub value: Option<String>,
    pub diagnostic: Option<DiagnosticView>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
#[serde(rename_all = "lowercase")]
pub enum StepStatusView {
    Running,
    Done,
    Failed,
}

/// A call that is under way.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct FrameView {
    pub function: String,
    pub is_library: bool,
    pub span: Option<SpanView>,
    pub line: Option<u32>,
    pub variables: Vec<VariableView>,
    pub n_more: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct VariableView {
    /// As in the function's lines.
    pub name: String,
    pub r#type: String,
    pub value: String,
    /// In hexadecimal, the highest first.
    pub bits: String,
    /// The blocks that it points to.
    pub pointers: Vec<u32>,
}

/// A block of the heap.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct BlockView {
    pub address: u32,
    /// With its header.
    pub size: u32,
    /// How many own it; of what belongs to the program, and of memory to be used again, nobody counts.
    pub count: Option<u32>,
    /// `box`, `cell`, `tensor` or `closure`; or that it is kept to be used again.
    pub kind: String,
    /// The type of what is in it.
    pub r#type: String,
    /// What is in it.
    pub value: String,
    /// The first bytes of its content, behind the header.
    pub bytes: Vec<u8>,
    /// From the first bit to the last.
    pub parts: Vec<PartView>,
}

/// Some bits of a block's content.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct PartView {
    /// `tag`, `field 1`, `padding`.
    pub name: String,
    pub kind: PartKindView,
    pub offset: u32,
    pub bits: u32,
    pub value: String,
    /// The block that they point to.
    pub pointer: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
#[serde(rename_all = "lowercase")]
pub enum PartKindView {
    Tag,
    Field,
    Padding,
}
