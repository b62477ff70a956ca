//! Running the top-level expressions, and `@main`.

use crate::Analysis;
use crate::compile::{Compiled, compile};
use crate::data::{self, InputError};
use base::{Diagnostic, Span};
use hir::{FnId, Item};
use ir::FuncId;
use layout::Strategy;
use machine::{Limits, Machine, RunError, RunFault, Status};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
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
    /// How values are laid out.
    pub layout: Strategy,
}

impl Default for Options {
    fn default() -> Options {
        Options { fuel: 10_000_000, memory: 1 << 30, seed: 0, inputs: BTreeMap::new(), layout: Strategy::Aligned }
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
#[derive(Default)]
pub struct Outcome {
    pub values: Vec<RunValue>,
    pub diagnostics: Vec<Diagnostic>,
    pub fuel: u64,
    /// Instructions of the machine.
    pub steps: u64,
    /// Bytes of the machine's blocks and frames: as many as there were at once, and those left when the values have been
    /// dropped.
    pub peak_bytes: u64,
    pub live_bytes: u64,
}

/// Runs functions of a text, one after the other.
type Engine<'a> = dyn FnMut(FnId, Vec<Value>, Span) -> Result<Value, RunError> + 'a;

/// Evaluates every top-level expression whose definitions have no error, in order, and `@main` last.
pub fn run(analysis: &Analysis, options: &Options) -> Outcome {
    let Compiled { program, entries, diagnostics, .. } =
        compile(analysis, &analysis.runnable(), options.layout, &mut |_, _| {});
    let entries: FxHashMap<FnId, FuncId> = entries.into_iter().collect();
    let limits = Limits { fuel: options.fuel, memory: options.memory };
    let mut machine = Machine::new(Arc::new(program), limits);
    let mut outcome = Outcome { diagnostics, ..Outcome::default() };
    let (mut fuel, mut steps) = (0, 0);
    run_on(analysis, options, &mut outcome, &mut |function, args, site| {
        let broken = RunError { span: site, fault: RunFault::Broken };
        let entry = *entries.get(&function).ok_or(broken.clone())?;
        machine.start(entry, &args, site)?;
        let status = machine.run(u64::MAX);
        fuel += machine.fuel_used();
        steps += machine.steps();
        match status {
            Status::Done => machine.result().ok_or(broken),
            Status::Failed(error) => Err(error),
            Status::Running => Err(broken),
        }
    });
    machine.finish();
    outcome.fuel = fuel;
    outcome.steps = steps;
    outcome.peak_bytes = machine.peak_bytes();
    outcome.live_bytes = machine.live_bytes();
    outcome
}

/// As [`run`], by the definitional evaluator: what the machine is tested against.
pub fn evaluate(analysis: &Analysis, options: &Options) -> Outcome {
    let limits = eval::Limits { fuel: options.fuel, memory: options.memory };
    let mut evaluator = eval::Evaluator::new(&analysis.module, limits);
    let mut outcome = Outcome::default();
    let mut fuel = 0;
    run_on(analysis, options, &mut outcome, &mut |function, args, _| {
        let result = evaluator.run(function, args);
        fuel += evaluator.fuel_used;
        result.map_err(|error| RunError { span: error.span, fault: fault_of(error.fault) })
    });
    outcome.fuel = fuel;
    outcome
}

fn fault_of(fault: eval::RunFault) -> RunFault {
    match fault {
        eval::RunFault::OutOfFuel { fuel } => RunFault::OutOfFuel { fuel },
        eval::RunFault::OutOfMemory { limit } => RunFault::OutOfMemory { limit },
        eval::RunFault::NoArm => RunFault::NoArm,
        eval::RunFault::DivisionByZero => RunFault::DivisionByZero,
        eval::RunFault::IndexOutOfRange(index) => RunFault::IndexOutOfRange(index),
        eval::RunFault::NoKernel(name) => RunFault::NoKernel(name),
        eval::RunFault::FreeVariable(name) => RunFault::FreeVariable(name),
        eval::RunFault::SelfReference(name) => RunFault::SelfReference(name),
        eval::RunFault::Shapes(sentence) => RunFault::Shapes(sentence),
        eval::RunFault::Broken => RunFault::Broken,
    }
}

fn run_on(analysis: &Analysis, options: &Options, outcome: &mut Outcome, engine: &mut Engine) {
    let sound = analysis.sound_functions();
    for expression in analysis.expressions() {
        if !sound.contains(&expression.function) {
            continue;
        }
        let (span, r#type) = (expression.span, expression.r#type);
        let result = engine(expression.function, Vec::new(), span);
        let value = outcome.note(result);
        outcome.values.push(RunValue { name: String::new(), span, r#type, value });
    }
    if let Some((def, function)) = main_of(analysis).filter(|(_, function)| sound.contains(function)) {
        let span = analysis.module.defs[def].name_span;
        let body = analysis.module.functions[function].body;
        let value = match data::main_arguments(analysis, function, options) {
            Ok(args) => {
                let result = engine(function, args, span);
                outcome.note(result)
            }
            Err(InputError { span, message }) => {
                outcome.diagnostics.push(Diagnostic::error("input-error", span, message));
                None
            }
        };
        outcome.values.push(RunValue { name: "@main".to_owned(), span, r#type: analysis.type_of(body), value });
    }
}

impl Outcome {
    fn note(&mut self, result: Result<Value, RunError>) -> Option<Value> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                // What could not be compiled was told.
                if error.fault != RunFault::Broken || self.diagnostics.is_empty() {
                    self.diagnostics.push(run_diagnostic(&error));
                }
                None
            }
        }
    }
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

pub(crate) fn run_diagnostic(error: &RunError) -> Diagnostic {
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
