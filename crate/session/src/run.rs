//! Running the top-level expressions, and `@main`.

use crate::Analysis;
use crate::data::{self, InputError};
use base::{Diagnostic, Span};
use eval::{Evaluator, Limits, RunError, RunFault};
use hir::{FnId, Item};
use std::collections::BTreeMap;
use ty::Value;

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Calls and match tests of each top-level expression.
    pub fuel: u64,
    /// Bytes.
    pub memory: u64,
    /// For the parameters of `@main` that no input gives.
    pub seed: u64,
    /// By parameter of `@main`, with or without `%`.
    pub inputs: BTreeMap<String, serde_json::Value>,
}

impl Default for Options {
    fn default() -> Options {
        Options { fuel: 10_000_000, memory: 1 << 30, seed: 0, inputs: BTreeMap::new() }
    }
}

/// What one expression came to.
pub struct RunValue {
    /// `@main`, or empty.
    pub name: String,
    pub span: Span,
    pub r#type: String,
    /// Absent when the evaluation failed.
    pub value: Option<Value>,
}

/// What a run came to.
pub struct Outcome {
    pub values: Vec<RunValue>,
    pub diagnostics: Vec<Diagnostic>,
    pub fuel: u64,
}

/// Evaluates every top-level expression whose definitions have no error, in order, and `@main` last.
pub fn run(analysis: &Analysis, options: &Options) -> Outcome {
    let sound = analysis.sound_functions();
    let limits = Limits { fuel: options.fuel, memory: options.memory };
    let mut evaluator = Evaluator::new(&analysis.module, limits);
    let mut outcome = Outcome { values: Vec::new(), diagnostics: Vec::new(), fuel: 0 };
    for expression in analysis.expressions() {
        if !sound.contains(&expression.function) {
            continue;
        }
        let value = evaluate(&mut evaluator, expression.function, Vec::new(), &mut outcome);
        let (span, r#type) = (expression.span, expression.r#type);
        outcome.values.push(RunValue { name: String::new(), span, r#type, value });
    }
    if let Some((def, function)) = main_of(analysis).filter(|(_, function)| sound.contains(function)) {
        let span = analysis.module.defs[def].name_span;
        let body = analysis.module.functions[function].body;
        let value = match data::main_arguments(analysis, function, options) {
            Ok(args) => evaluate(&mut evaluator, function, args, &mut outcome),
            Err(InputError { span, message }) => {
                outcome.diagnostics.push(Diagnostic::error("input-error", span, message));
                None
            }
        };
        outcome.values.push(RunValue { name: "@main".to_owned(), span, r#type: analysis.type_of(body), value });
    }
    outcome
}

impl Analysis {
    /// The value that an expression came to, as an expression.
    pub fn show(&self, value: &RunValue) -> Option<String> {
        value.value.as_ref().map(|value| ty::print_value(value, &self.module).text)
    }
}

pub(crate) fn main_of(analysis: &Analysis) -> Option<(hir::DefId, FnId)> {
    analysis.module.items.iter().find_map(|item| match *item {
        Item::Def(def) if analysis.module.defs[def].name == "@main" => Some((def, analysis.module.defs[def].function)),
        Item::Def(_) | Item::Let(..) | Item::Expr(_) | Item::Adt(_) => None,
    })
}

fn evaluate(evaluator: &mut Evaluator, function: FnId, args: Vec<Value>, outcome: &mut Outcome) -> Option<Value> {
    let result = evaluator.run(function, args);
    outcome.fuel += evaluator.fuel_used;
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            outcome.diagnostics.push(run_diagnostic(&error));
            None
        }
    }
}

fn run_diagnostic(error: &RunError) -> Diagnostic {
    let (code, message) = match &error.fault {
        RunFault::OutOfFuel { fuel } => ("out-of-fuel", format!("still running after {fuel} calls and match tests")),
        RunFault::OutOfMemory { limit } => {
            ("out-of-memory", format!("this needs more memory than the limit of {} MB", limit >> 20))
        }
        RunFault::NoArm => ("no-arm-matches", "no arm of this match takes the value".to_owned()),
        RunFault::DivisionByZero => ("division-by-zero", "an integer is divided by zero".to_owned()),
        RunFault::IndexOutOfRange(index) => ("index-out-of-range", format!("index {index} is out of range")),
        RunFault::NoKernel(op) => ("no-kernel", format!("`{op}` is typed but cannot be run yet")),
        RunFault::FreeVariable(name) => ("free-variable", format!("`{name}` is free: it has a type but no value")),
        RunFault::SelfReference(name) => ("self-reference", format!("the value of `{name}` needs itself")),
        RunFault::Shapes(sentence) => ("runtime-shape", sentence.clone()),
        RunFault::Broken => ("broken-program", "there is an error here, so it cannot be run".to_owned()),
    };
    Diagnostic::error(code, error.span, message)
}
