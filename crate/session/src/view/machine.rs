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
    pub is_library: bool,
    pub n_instrs: u32,
    pub lines: Vec<IrLineView>,
    /// The lines were left out.
    pub is_cut: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct IrLineView {
    pub text: String,
    /// Where in the text it comes from, if that is not the library's.
    pub span: Option<SpanView>,
}
