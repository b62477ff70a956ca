//! The only data that leaves the core: what the page shows. Plain values, no methods that compute.
//!
//! Spans count UTF-16 code units from the start of the text, as the editor does; they are converted here and nowhere
//! else. TypeScript types of all of these are generated (feature `tsify`).

pub mod machine;
pub mod solver;

mod layout;

pub use layout::*;
use serde::Serialize;
#[cfg(feature = "tsify")]
use tsify::Tsify;

/// UTF-16 offsets `start..end`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct SpanView {
    pub start: u32,
    pub end: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
#[serde(rename_all = "lowercase")]
pub enum SeverityView {
    Error,
    Warning,
    Info,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct LabelView {
    pub span: SpanView,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct EditView {
    pub span: SpanView,
    pub text: String,
}

/// How a text is laid out anew.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct FormatView {
    /// In source order; none if there are errors, or nothing to do.
    pub edits: Vec<EditView>,
    /// How many mistakes there are in the syntax, for which the text stays as it is.
    pub errors: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct FixView {
    pub title: String,
    pub edits: Vec<EditView>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct DiagnosticView {
    pub code: String,
    pub severity: SeverityView,
    pub message: String,
    pub span: SpanView,
    /// From 1, the line that `span` starts on.
    pub line: u32,
    pub labels: Vec<LabelView>,
    pub help: Option<String>,
    pub fixes: Vec<FixView>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct DefinitionView {
    /// As written: `@sum`, `%x`, or the name of a type.
    pub name: String,
    /// What it is: `fn(Numbers) -> int32`, or the constructors of a type.
    pub r#type: String,
    /// Its name in the text.
    pub span: SpanView,
    pub line: u32,
}

/// A top-level expression.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ExpressionView {
    pub span: SpanView,
    pub line: u32,
    pub r#type: String,
}

/// What `update` says of a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct CheckView {
    pub diagnostics: Vec<DiagnosticView>,
    pub definitions: Vec<DefinitionView>,
    pub expressions: Vec<ExpressionView>,
    /// Of a TensorScript text.
    pub nodes: Vec<NetView>,
}

/// A node of a TensorScript text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct NetView {
    pub name: String,
    pub span: SpanView,
    /// Of its `forward`.
    pub r#type: Option<String>,
    pub functions: Vec<NetFunctionView>,
    /// Numbers that training changes, and numbers that are kept beside them.
    pub trained: f64,
    pub kept: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct NetFunctionView {
    pub name: String,
    pub layers: Vec<LayerView>,
}

/// A text in another language, or why it has none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ExportView {
    pub text: Option<String>,
    pub reason: Option<String>,
}

/// A layer that is applied: where, of what, and what it gives, learns and takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct LayerView {
    pub span: SpanView,
    pub name: String,
    pub made_of: String,
    pub output: String,
    pub trained: f64,
    /// Operations on numbers for one example.
    pub flops: Option<f64>,
    /// Of the sizes that are not known, where these decide.
    pub formula: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct HoverView {
    /// What is under the cursor, ready to show as code: `%x: Tensor[(3, 4), float32]`.
    pub code: String,
    /// Markdown, possibly empty.
    pub doc: String,
    /// The operator that it is about, whose documentation the page has in a file of its own.
    pub operator: Option<String>,
    pub span: SpanView,
}

/// The visitor's own text, or the prelude's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
#[serde(rename_all = "lowercase")]
pub enum FileView {
    User,
    Prelude,
}

/// A name at some place of a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct NameView {
    pub span: SpanView,
    /// Where it is bound: in which text, and where there.
    pub file: FileView,
    pub binding: SpanView,
    /// The definition whose name that is.
    pub whole: SpanView,
    /// Whether the text gives it, and could give another.
    #[serde(rename = "isGiven")]
    pub is_given: bool,
    /// Everywhere it stands in the text that was asked about.
    pub mentions: Vec<SpanView>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct TensorView {
    pub dtype: String,
    pub shape: Vec<u32>,
    /// The elements in row-major order, at most 262,144 of all tensors in a value; NaN and infinities as they are.
    pub elements: Vec<f64>,
    /// What these integers are more than the float64 nearest to them, if one of them is as large as 2⁵³.
    pub lacks: Vec<f64>,
    /// Of what has more elements.
    pub overview: Option<OverviewView>,
    /// Of all elements.
    pub statistics: StatisticsView,
}

/// A tensor whose matrices are smaller: each element is the mean of a block, at the ends of what is left of one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct OverviewView {
    pub shape: Vec<u32>,
    pub elements: Vec<f64>,
    /// Of a block.
    pub rows: u32,
    pub columns: u32,
}

/// About the finite elements of a tensor, and how many are not.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct StatisticsView {
    pub count: f64,
    /// These four are 0 where no element is finite.
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// The standard deviation, of the elements as the whole population.
    pub deviation: f64,
    pub n_nan: f64,
    pub n_infinite: f64,
}

/// An operator on tensors at one place of the text, or several that were fused, and what its calls cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct OperatorView {
    pub names: Vec<String>,
    pub span: SpanView,
    pub line: u32,
    /// Of the last call's result; absent if it is a tuple.
    pub r#type: Option<String>,
    pub calls: f64,
    pub milliseconds: f64,
    pub bytes_read: f64,
    pub bytes_written: f64,
    /// Operations on numbers; absent where the types do not say.
    pub flops: Option<f64>,
}

/// The memory for tensors that a run needs, found before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct NeedsView {
    pub least: f64,
    /// Absent where only the run knows.
    pub most: Option<f64>,
    /// After "the program".
    pub sentence: String,
    /// Where that is decided which only the run knows.
    pub span: Option<SpanView>,
    pub line: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ValueView {
    /// The expression's name where it has one (`@main`), otherwise empty.
    pub name: String,
    pub span: SpanView,
    pub line: u32,
    pub r#type: String,
    /// As an expression that parses back; absent when the evaluation failed.
    pub value: Option<String>,
    pub truncated: bool,
    /// Present when the value is one tensor of rank 1 or more.
    pub tensor: Option<TensorView>,
    /// The first tensors in it that are too long to be read in its text, and whether there may be more.
    pub parts: Vec<PartView>,
    pub has_more_parts: bool,
}

/// A tensor in a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct PartView {
    /// The fields that lead to it: `.1`, `Cons.0`.
    pub path: String,
    pub tensor: TensorView,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ProgressView {
    /// Source calls and match tests made.
    pub fuel: f64,
    /// Instructions of the machine.
    pub steps: f64,
    /// Where what comes next stands in the text.
    pub span: SpanView,
    pub line: u32,
    /// What has been evaluated since the last word, and why some of it has no value.
    pub values: Vec<ValueView>,
    pub diagnostics: Vec<DiagnosticView>,
    /// In the order in which they were first called; empty unless it was asked for.
    pub profile: Vec<OperatorView>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct RunView {
    pub values: Vec<ValueView>,
    pub diagnostics: Vec<DiagnosticView>,
    /// What the machine took, in milliseconds, without compiling and without the making of these views.
    pub milliseconds: f64,
    /// Source calls and match tests made.
    pub fuel: f64,
    /// Instructions of the machine.
    pub steps: f64,
    /// Bytes of the machine's blocks and frames: as many as there were at once, and those left when the values have
    /// been dropped.
    pub peak_bytes: f64,
    pub live_bytes: f64,
    pub needs: NeedsView,
    /// Those that took longest first; empty unless it was asked for.
    pub profile: Vec<OperatorView>,
}

/// A match of the text, with its decision tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct MatchView {
    /// Its keyword.
    pub span: SpanView,
    pub line: u32,
    /// What is matched, as written.
    pub value: String,
    pub r#type: String,
    pub arms: Vec<ArmView>,
    /// The root first.
    pub nodes: Vec<NodeView>,
    /// How many nodes were left out.
    pub n_more: u32,
    /// `match?`, which may miss cases.
    pub is_partial: bool,
    /// Whether the match was so large that its tree tries one arm after the other.
    pub is_sequence: bool,
    /// Why there is no tree.
    pub problem: Option<String>,
    /// Which of the matches of the text it is, from 0, and how many there are.
    pub index: u32,
    pub count: u32,
    /// The keywords of the matches before and after it.
    pub previous: Option<SpanView>,
    pub next: Option<SpanView>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct ArmView {
    /// Its pattern as written, on one line.
    pub pattern: String,
    pub span: SpanView,
    pub line: u32,
    /// Why it is never taken, if it never is.
    pub unreached: Option<String>,
}

/// A node of a decision tree. Nodes are mentioned by their numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum NodeView {
    /// Looks at a place: `%x`, `field 1 of Cons`; `path` says also what that is in.
    Switch { place: String, path: String, cases: Vec<CaseView> },
    /// The arm, by its number from 0, is taken.
    Leaf { arm: u32, bindings: Vec<BindingView> },
    /// No arm takes such values.
    Fail { witness: String },
    /// The tree goes on.
    Cut,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct CaseView {
    /// What the value begins with.
    pub labels: Vec<String>,
    /// Or with anything that no label of the switch names.
    pub others: bool,
    pub to: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct BindingView {
    pub name: String,
    /// As of a switch.
    pub place: String,
    pub path: String,
}
