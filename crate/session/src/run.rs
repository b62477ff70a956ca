//! Running the top-level expressions, and `@main`.

use crate::Analysis;
use crate::compile::{Compiled, Fusion, compile};
use crate::inputs::{self, InputError};
use crate::needs::{Ahead, Needs, bytes_text};
use base::{Append, Diagnostic, HashMap, MapArray, Severity, Span};
use hir::{FnId, Function, Item};
use ir::FuncId;
use layout::Strategy;
use machine::{Machine, Status, Tally};
use std::collections::BTreeMap;
use std::sync::Arc;
use ty::{DeepCalls, LargeTensor, Limits, RunError, RunFault, Value};

/// How to run.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Calls and match tests of each top-level expression.
    pub fuel: u64,
    /// Bytes.
    pub memory: u64,
    /// For the parameters of `@main` that no input gives.
    pub seed: u64,
    /// What comes from outside.
    pub inputs: Option<&'a Inputs>,
    /// How values are laid out.
    pub layout: Strategy,
    pub fusion: Fusion,
    /// A clock in milliseconds, if somebody wants to know what each operator costs.
    pub clock: Option<fn() -> f64>,
    /// Told from time to time how far the run is.
    pub progress: Option<Progress>,
}

/// Arguments of `@main`, by parameter, with or without `%`.
pub type Inputs = BTreeMap<String, serde_json::Value>;

/// Who is told how far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub tell: fn(&Analysis, &SoFar),
    /// Milliseconds, by which it is told as often as somebody wants to know.
    pub clock: fn() -> f64,
}

/// How far a run is.
#[derive(Clone, Debug)]
pub struct SoFar<'a> {
    /// Calls and match tests, and instructions of the machine, that are done.
    pub fuel: u64,
    pub steps: u64,
    /// Where in the file the next instruction is.
    pub next: Span,
    /// What expressions came to since the last word, and why some came to nothing.
    pub values: &'a [RunValue],
    pub diagnostics: &'a [Diagnostic],
    /// What operators cost, where there is a clock for that, in the order in which they were first called.
    pub tallies: &'a [Tally],
}

/// Whether programs have inputs. On the page they have none, and there is no code that reads them.
pub(crate) const HAS_INPUTS: bool = cfg!(any(feature = "inputs", not(target_family = "wasm")));

impl Options<'_> {
    pub(crate) fn given(&self) -> Option<&Inputs> {
        self.inputs.filter(|_| HAS_INPUTS)
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            fuel: 10_000_000,
            memory: 1 << 30,
            seed: 0,
            inputs: None,
            layout: Strategy::Aligned,
            fusion: Fusion::On,
            clock: None,
            progress: None,
        }
    }
}

/// What one expression came to.
#[derive(Debug)]
pub struct RunValue {
    /// `@main`, in TensorScript `Net::forward`, or empty.
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
    /// What the machine took, in milliseconds; 0 where nobody is told how far the run is.
    pub milliseconds: f64,
    pub fuel: u64,
    /// Instructions of the machine.
    pub steps: u64,
    /// Bytes of the machine's blocks and frames: as many as there were at once, and those left when the values have
    /// been dropped.
    pub peak_bytes: u64,
    pub live_bytes: u64,
    /// What was known before the run.
    pub needs: Needs,
    /// Where there was a clock: the operators on tensors, those that took longest first.
    pub profile: Option<Vec<Tally>>,
}

/// Steps between two looks at the clock: at most, and the first time. A step may be a product of matrices.
const MOST_STEPS: u64 = 1 << 22;
const FIRST_STEPS: u64 = 64;

/// Milliseconds between two looks at the clock, about.
const LOOKS_EVERY: f64 = 20.0;

/// Milliseconds between two words about how far a run is, at least.
const TOLD_EVERY: f64 = 100.0;

/// So many times what the last word took is run before the next: with thousands of operators it takes long.
const RUN_BETWEEN: f64 = 20.0;

/// Runs functions of a text, one after the other. It is shown what those before came to.
type Engine<'a> = dyn FnMut(FnId, Vec<Value>, Span, &Outcome) -> Result<Value, RunError> + 'a;

/// Evaluates every top-level expression whose definitions have no error, in order, and `@main` last.
pub fn run(analysis: &Analysis, options: &Options) -> Outcome {
    let functions = analysis.runnable();
    let Compiled { program, entries, diagnostics, .. } =
        compile(analysis, &functions, options.layout, options.fusion, &mut |_, _| {});
    let entries: HashMap<FnId, FuncId> = entries.into_iter().collect();
    let limits = Limits { fuel: options.fuel, memory: options.memory };
    let program = Arc::new(program);
    let mut ahead = Ahead::new(&program, &entries, options.memory);
    let mut machine = Machine::new(program.clone(), limits);
    if let Some(clock) = options.clock {
        machine.profile(clock);
    }
    let mut outcome = Outcome { diagnostics, ..Outcome::default() };
    let (mut fuel, mut steps, mut room) = (0, 0, options.memory);
    let now = || options.progress.map_or(0.0, |progress| (progress.clock)());
    let first_word = now() + TOLD_EVERY;
    let (mut milliseconds, mut next_word) = (0.0, first_word);
    let (mut n_told, mut n_diagnosed) = (0, 0);
    run_on(analysis, &functions, options, &mut outcome, &mut |function, args, site, before| {
        let broken = RunError { span: site, fault: RunFault::Broken };
        let entry = *entries.get(&function).ok_or(broken.clone())?;
        ahead.look(function, &args, site)?;
        let (begin, mut telling) = (now(), 0.0);
        machine.start(entry, &args, site)?;
        let status = match options.progress {
            None => run_looking(&mut machine, || 0.0, |_, _| {}),
            Some(progress) => run_looking(&mut machine, progress.clock, |machine, now| {
                // Before what may take long, what is there is told at once.
                let is_new = next_word == first_word || before.values.len() > n_told;
                if now >= next_word || machine.is_before_large() && is_new {
                    let (fuel, steps) = (fuel + machine.fuel_used(), steps + machine.steps());
                    let (next, tallies) = (machine.place_in_file(), machine.tallies());
                    let (values, diagnostics) = (&before.values[n_told..], &before.diagnostics[n_diagnosed..]);
                    (progress.tell)(analysis, &SoFar { fuel, steps, next, values, diagnostics, tallies });
                    (n_told, n_diagnosed) = (before.values.len(), before.diagnostics.len());
                    let end = (progress.clock)();
                    telling += end - now;
                    // Values are told once.
                    let took = if values.is_empty() { end - now } else { 0.0 };
                    next_word = end + TOLD_EVERY.max(RUN_BETWEEN * took);
                }
            }),
        };
        milliseconds += now() - begin - telling;
        fuel += machine.fuel_used();
        steps += machine.steps();
        match status {
            Status::Done => machine.result(&mut room).map_err(|fault| RunError { span: site, fault }),
            Status::Failed(RunError { span, fault: RunFault::OutOfMemory { limit } }) => {
                let fault = match machine.open_calls() {
                    Some(calls) => RunFault::DeepCalls(Box::new(DeepCalls { limit, calls })),
                    None => RunFault::OutOfMemory { limit },
                };
                Err(RunError { span, fault })
            }
            Status::Failed(error) => Err(error),
            Status::Running => Err(broken),
        }
    });
    machine.finish();
    outcome.milliseconds = milliseconds;
    outcome.fuel = fuel;
    outcome.steps = steps;
    outcome.peak_bytes = machine.peak_bytes();
    outcome.live_bytes = machine.live_bytes();
    outcome.needs = ahead.needs;
    outcome.profile = options.clock.map(|_| {
        let mut tallies = machine.tallies().to_vec();
        base::sort_by_key(&mut tallies, |tally| !((tally.milliseconds * 1e6) as u64));
        tallies
    });
    outcome
}

/// As [`run`], by the definitional evaluator: what the machine is tested against. What cannot fit is refused before, as
/// there.
pub fn evaluate(analysis: &Analysis, options: &Options) -> Outcome {
    let limits = Limits { fuel: options.fuel, memory: options.memory };
    let functions = analysis.runnable();
    let compiled = compile(analysis, &functions, options.layout, options.fusion, &mut |_, _| {});
    let entries: HashMap<FnId, FuncId> = compiled.entries.into_iter().collect();
    let mut ahead = Ahead::new(&compiled.program, &entries, options.memory);
    let (taken, forced) = (analysis.inferred.taken_sizes(&analysis.module), analysis.forced(&functions));
    let mut evaluator = eval::Evaluator::new(&analysis.module, taken, forced, limits);
    let mut outcome = Outcome { diagnostics: compiled.diagnostics, ..Outcome::default() };
    let mut fuel = 0;
    run_on(analysis, &functions, options, &mut outcome, &mut |function, args, site, _| {
        entries.get(&function).ok_or(RunError { span: site, fault: RunFault::Broken })?;
        ahead.look(function, &args, site)?;
        let result = evaluator.run(function, args);
        fuel += evaluator.fuel_used;
        result
    });
    outcome.fuel = fuel;
    outcome.needs = ahead.needs;
    outcome
}

fn run_on(analysis: &Analysis, functions: &[FnId], options: &Options, outcome: &mut Outcome, engine: &mut Engine) {
    let main = main_of(analysis);
    let errors = || analysis.diagnostics().iter().filter(|said| said.severity == Severity::Error);
    let is_sound = outcome.diagnostics.is_empty() && errors().next().is_none();
    for &function in functions {
        let Function { body, span, .. } = analysis.module.functions[function];
        let main = main.filter(|&(_, main)| main == function);
        let (name, span) = match main {
            Some((def, _)) => (&*analysis.module.defs[def].name, analysis.module.defs[def].name_span),
            None => ("", span),
        };
        let args = match main {
            Some(_) => inputs::main_arguments(analysis, function, options),
            None => Ok(Vec::new()),
        };
        let value = match args {
            Ok(args) => {
                let result = engine(function, args, span, outcome);
                let looked_at = result.and_then(|value| {
                    analysis.check_sizes(body, &value, span)?;
                    Ok(value)
                });
                outcome.note(looked_at.map_err(|error| if is_sound { analysis.told(error) } else { error }), span)
            }
            Err(InputError { span: at, message }) => {
                let told = Diagnostic::error("input-error", at, message);
                outcome.diagnostics.push(if at == span { told } else { told.label(span, "while this is evaluated") });
                None
            }
        };
        let ty = main.and_then(|(def, _)| analysis.result_of(def)).unwrap_or_else(|| analysis.type_of(body));
        outcome.values.push(RunValue { name: name.to_owned(), span, r#type: ty, value });
    }
}

/// Runs to the end, and shows the machine and the time now and then.
fn run_looking(machine: &mut Machine, clock: fn() -> f64, mut look: impl FnMut(&Machine, f64)) -> Status {
    let mut n_steps = FIRST_STEPS;
    let mut last = clock();
    loop {
        match machine.run(n_steps) {
            Status::Running => {}
            status => return status,
        }
        let now = clock();
        n_steps = if now - last > LOOKS_EVERY { (n_steps / 2).max(1) } else { (n_steps * 2).min(MOST_STEPS) };
        look(machine, now);
        last = now;
    }
}

impl Outcome {
    /// Of the expression at `site`, which is pointed at too if what failed is elsewhere.
    fn note(&mut self, result: Result<Value, RunError>, site: Span) -> Option<Value> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                let is_inside = site.start <= error.span.start && error.span.end <= site.end;
                let told = run_diagnostic(&error);
                self.diagnostics.append_all(told.map(|told| match is_inside {
                    true => told,
                    false => told.label(site, "while this is evaluated"),
                }));
                None
            }
        }
    }
}

impl Analysis {
    /// In a sound program only a size is another than its type says: inside a definition for all types, where a size
    /// that its caller knows was taken out of a container, nobody looked. Whatever else it is, it is told.
    fn told(&self, error: RunError) -> RunError {
        let sentence = match self.module.has_any {
            true => "a tensor here is of another size than its type says",
            false => "what comes here is not of its type",
        };
        let fault = match error.fault {
            RunFault::Broken => RunFault::Shapes(sentence.to_owned()),
            fault => fault,
        };
        RunError { span: error.span, fault }
    }

    /// The value that an expression came to, as an expression.
    pub fn show(&self, value: &RunValue) -> Option<String> {
        value.value.as_ref().map(|value| ty::print_value(value, &self.module).text)
    }
}

/// What a run evaluates last: `@main`, in TensorScript the `forward` of the outermost node.
pub(crate) fn main_of(analysis: &Analysis) -> Option<(hir::DefId, FnId)> {
    if let Some(net) = crate::node::outermost_net(&analysis.module) {
        let forward = analysis.module.nets[net].methods.iter().find(|method| method.name == "forward")?;
        return Some((forward.def, analysis.module.defs[forward.def].function));
    }
    analysis.module.items.iter().find_map(|item| match *item {
        Item::Def(def) if analysis.module.defs[def].name == "@main" => Some((def, analysis.module.defs[def].function)),
        Item::Def(_) | Item::Let(..) | Item::Expr(_) | Item::Adt(_) => None,
    })
}

/// What to tell of a run that failed. What is broken was told as an error of the program.
pub(crate) fn run_diagnostic(error: &RunError) -> Option<Diagnostic> {
    let (code, message) = match &error.fault {
        RunFault::OutOfFuel { fuel } => ("out-of-fuel", format!("still running after {fuel} calls and match tests")),
        RunFault::OutOfMemory { limit } => {
            ("out-of-memory", format!("this needs more memory than the limit of {}", bytes_text(*limit)))
        }
        RunFault::DeepCalls(deep) => {
            let DeepCalls { limit, calls } = &**deep;
            let limit = bytes_text(*limit);
            let more = format!("need more memory than the limit of {limit}");
            let calls = match *calls {
                few @ ..1_000_000 => few.to_string(),
                many => {
                    let tenths = many / 100_000;
                    format!("{}.{} million", tenths / 10, tenths % 10)
                }
            };
            ("out-of-memory", format!("{calls} calls inside each other {more}: does this recursion end?"))
        }
        RunFault::LargeTensor(large) => {
            let LargeTensor { limit, bytes, held } = &**large;
            // No address is larger, whatever the limit.
            let limit = (*limit).min(u32::MAX.into());
            let fits = bytes.saturating_add(*held) <= limit;
            let [size, others, most] = [*bytes, *held, limit].each(bytes_text);
            let more = format!("more memory than the limit of {most}");
            let sentence = match held {
                _ if *bytes == 0 => {
                    format!("this tensor is empty, but its other axes have more places than {most} hold")
                }
                _ if fits => format!("this tensor of {size}, as numbers of 64 bits, needs {more}"),
                0 => format!("this tensor of {size} needs {more}"),
                _ => format!("this tensor of {size} and the {others} in use by then need {more}"),
            };
            ("out-of-memory", sentence)
        }
        RunFault::LargeValue { limit } => {
            let limit = bytes_text(*limit);
            (
                "out-of-memory",
                format!("to show this value needs more memory than the limit of {limit}: take less of it"),
            )
        }
        RunFault::NoArm => ("no-arm-matches", "no arm of this match takes the value".to_owned()),
        RunFault::DivisionByZero => ("division-by-zero", "an integer is divided by zero".to_owned()),
        RunFault::NoInteger(sentence) => ("no-integer", (*sentence).to_owned()),
        RunFault::IndexOutOfRange(index) => ("index-out-of-range", format!("index {index} is out of range")),
        RunFault::NoKernel(op) => ("no-kernel", format!("`{op}` is typed but cannot be run yet")),
        RunFault::FreeVariable(name) if name.starts_with("meta[") => {
            ("free-variable", format!("`{name}` has a type but no value: this text has no metadata section"))
        }
        RunFault::FreeVariable(name) => ("free-variable", format!("`{name}` is free: it has a type but no value")),
        RunFault::SelfReference(name) => ("self-reference", format!("the value of `{name}` needs itself")),
        RunFault::Shapes(sentence) => ("runtime-shape", sentence.clone()),
        RunFault::Broken => return None,
    };
    Some(Diagnostic::error(code, error.span, message))
}
