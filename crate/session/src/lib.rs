//! The pipeline, and every question that a screen or a tool asks of it.
//!
//! In: one source text. Out: an [`Analysis`], of which everything else is asked:
//!
//! - what is wrong ([`Analysis::diagnostics`]), and which edits mend it, the likeliest fault first ([`Mends`]);
//! - what has which type ([`Analysis::definitions`], [`Analysis::expressions`], [`hover()`]), and what a name means
//!   ([`name()`]);
//! - what the solver did, step by step and in rounds ([`Recording`]), why a part of a type is as it is ([`why_text`]),
//!   and what cannot hold together where there is an error ([`why_not_text`]);
//! - how a match decides (`matches`), how sums are laid out ([`layout_text`]), and what the machine is given
//!   ([`ir_text()`]);
//! - what memory a run needs ([`Needs`]), what it comes to ([`run()`]), and where it stands at a step (`step`);
//! - of TensorScript, its layers ([`summary()`]) and the program in other languages ([`export()`]).
//!
//! [`Page`] asks all of this of one text after another, for a screen. Answers leave as views for the page ([`view`]),
//! as JSON documents for the command line ([`command`]), and as texts for people ([`text`], [`draw()`]).
//!
//! Invariants: an analysis never fails, whatever the text; offsets are bytes inside and are converted on the way out,
//! here and nowhere else.
//!
//! Deliberately absent: files, clocks, printing.
//!
//! ```
//! let analysis = session::Analysis::new("def @id(%x) { %x }\n@id(1) + 2");
//! assert_eq!(analysis.definitions()[0].r#type, "fn[A](A) -> A");
//! assert_eq!(analysis.expressions()[0].r#type, "int32");
//! ```

mod analysis;
mod block;
pub mod command;
mod compile;
mod coverage;
mod data;
mod draw;
mod explain;
mod export;
mod format;
mod hover;
mod inputs;
mod ir_text;
mod layouts;
mod matches;
mod mend;
mod name;
mod needs;
mod node;
mod page;
mod run;
mod sizes;
mod solver;
mod step;
mod stretch;
mod summary;
mod tensors;
pub mod text;
pub mod view;
mod why;

pub use analysis::{
    Analysis, Definition, Expression, PRELUDE_TEXT, beginning, check_order, parse, prelude, solved, trace,
};
pub use compile::{Compiled, Fusion, compile};
pub use draw::{Colours, draw};
pub use explain::{codes, explain};
pub use export::{Export, export};
pub use format::format;
pub use hover::{Hover, hover};
pub use ir_text::{IrText, ir_names, ir_text, pass_names};
pub use layouts::{layout_json, layout_text, value_bits};
pub use mend::Mends;
pub use name::{File, Name, name};
pub use needs::{Needs, bytes_text};
pub use page::Page;
pub use run::{Inputs, Options, Outcome, Progress, RunValue, SoFar, evaluate, run};
pub use solver::{
    Part, Recording, TraceDocument, first_sentence, rounds_text, sentence, trace_document, trace_json, trace_text,
};
pub use step::Move;
pub use summary::{FunctionSummary, LayerSummary, Summary, summary, summary_text};

/// The answer to a question such as `%x axis 1` about a text: a sentence, and the derivation.
pub fn why_text(analysis: &Analysis, asked: &str) -> Option<String> {
    why::why_text(analysis, asked)
}

/// What cannot hold together in each type error of a text.
pub fn why_not_text(analysis: &Analysis) -> String {
    why::why_not_text(analysis)
}

/// For each type error whose core is minimal by its own account: whether the core fails, and whether it holds without
/// each of its members.
pub fn core_laws(analysis: &Analysis) -> Vec<(bool, Vec<bool>)> {
    why::core_laws(analysis)
}

/// The pieces of types of expressions of which nobody can say why they are so.
pub fn unexplained(analysis: &Analysis) -> Vec<String> {
    why::unexplained(analysis)
}
