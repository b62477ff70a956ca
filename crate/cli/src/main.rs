//! `relish`: the core on the command line. Exit 0: no error; 1: the program has errors; 2: wrong usage.

mod fmt;

use base::{Diagnostic, Surface};
use clap::{Parser, Subcommand};
use session::command::{
    Answer, check_json, explain, exported, has_errors, hover_json, ir_json, layers, now, ops, parse_export,
    parse_inputs, parse_layout, parse_pass, parse_place, run_json, run_options, summary_json,
};
use session::{Analysis, Colours, Mends};
use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "relish", version, about = "Typed tensor programs: check them, run them, ask about them.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Print one JSON document.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Infer every type; report what is wrong. Several files are separate programs.
    Check {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
    },
    /// Evaluate every top-level expression, and `@main`.
    Run {
        file: String,
        /// At most this many calls and match tests.
        #[arg(long)]
        fuel: Option<u64>,
        /// At most this many bytes.
        #[arg(long, value_name = "BYTES")]
        memory: Option<u64>,
        /// For the parameters of `@main` that no input gives.
        #[arg(long)]
        seed: Option<u64>,
        /// A JSON object from parameters of `@main` to nested lists, or to values as `--json` prints them.
        #[arg(long, value_name = "FILE")]
        inputs: Option<String>,
        /// How sums are laid out in memory.
        #[arg(long)]
        layout: Option<String>,
        /// Whether operators that feed each other run as one; values are the same.
        #[arg(long, value_name = "on|off")]
        fusion: Option<String>,
        /// Measure every operator on tensors: calls, time, bytes, operations on numbers.
        #[arg(long)]
        profile: bool,
    },
    /// The type and documentation at a place.
    Hover {
        #[arg(value_name = "FILE:LINE:COL", allow_hyphen_values = true)]
        place: String,
    },
    /// The program that the machine runs, after lowering and passes.
    Ir {
        file: String,
        /// Look after this pass, or after `lower`, instead of after the last.
        #[arg(long, value_name = "NAME")]
        pass: Option<String>,
        /// How sums are laid out in memory.
        #[arg(long, value_name = "packed|aligned|uniform")]
        layout: Option<String>,
        /// Whether operators that feed each other element by element become one.
        #[arg(long, value_name = "on|off")]
        fusion: Option<String>,
    },
    /// A TensorScript program in another language.
    Export {
        file: String,
        #[arg(long, value_name = "pytorch|relay")]
        to: String,
    },
    /// The layers of a TensorScript program: what each gives, what it learns, what it costs.
    Summary { file: String },
    /// The bits of every sum type, and of what `as` does to them.
    Layout {
        file: String,
        /// One strategy: packed, aligned or uniform; else all.
        #[arg(long)]
        layout: Option<String>,
    },
    /// What the solver did, step by step.
    Trace { file: String },
    /// Lay out files anew, in place; `-` goes from standard input to standard output.
    Fmt {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
        /// Change nothing; list the files that would change.
        #[arg(long)]
        check: bool,
    },
    /// The operators.
    Ops,
    /// The layers of TensorScript.
    Layers,
    /// What an error code means.
    Explain { code: String },
}

/// A sentence for standard error, with the exit code for wrong usage.
struct Usage(String);

fn main() -> ExitCode {
    let Arguments { command, json } = Arguments::parse();
    answer(command, json).unwrap_or_else(|Usage(sentence)| {
        complain(&format!("relish: {sentence}\n"));
        ExitCode::from(2)
    })
}

fn answer(command: Command, json: bool) -> Result<ExitCode, Usage> {
    match command {
        Command::Check { files } => {
            let files: Vec<(String, Analysis)> =
                files.into_iter().map(|file| Ok((file.clone(), analyse(&file)?))).collect::<Result<_, Usage>>()?;
            if json {
                return Ok(answered(check_json(&files)));
            }
            for (file, analysis) in &files {
                problems(file, analysis.text(), &Mends::new(analysis).ranked(analysis));
                print(&session::text::checked(file, analysis));
            }
            Ok(code(files.iter().any(|(_, analysis)| has_errors(analysis.diagnostics()))))
        }
        Command::Run { file, fuel, memory, seed, inputs, layout, fusion, profile } => {
            let mut options = run_options([fuel, memory, seed], layout.as_deref(), fusion.as_deref()).map_err(Usage)?;
            options.clock = profile.then_some(now);
            if file == "-" && inputs.as_deref() == Some("-") {
                return Err(Usage("the program and the inputs cannot both come from standard input".to_owned()));
            }
            let parse = |name: String| parse_inputs(&read(&name)?).map_err(|error| Usage(format!("{name}: {error}")));
            let inputs = inputs.map(parse).transpose()?;
            options.inputs = inputs.as_ref();
            let analysis = analyse(&file)?;
            if json {
                return Ok(answered(run_json(&analysis, &options)));
            }
            let outcome = session::run(&analysis, &options);
            print(&session::text::ran(&file, &analysis, &outcome));
            let diagnostics = [Mends::new(&analysis).ranked(&analysis), outcome.diagnostics].concat();
            problems(&file, analysis.text(), &diagnostics);
            Ok(code(has_errors(&diagnostics)))
        }
        Command::Hover { place } => {
            let (file, position) = parse_place(&place).map_err(Usage)?;
            let analysis = analyse(file)?;
            say(match json {
                true => hover_json(&analysis, position).unwrap_or_else(|| "null".to_owned()),
                false => session::text::hovered(&analysis, position),
            });
            Ok(code(has_errors(analysis.diagnostics())))
        }
        Command::Ir { file, pass, layout, fusion } => {
            let pass = pass.as_deref().map(parse_pass).transpose().map_err(Usage)?;
            let options = run_options([None; 3], layout.as_deref(), fusion.as_deref()).map_err(Usage)?;
            let analysis = analyse(&file)?;
            let ir = session::ir_text(&analysis, options.layout, options.fusion, pass);
            tell(&file, &analysis, &ir.diagnostics, &if json { ir_json(&ir) } else { ir.text }, json);
            Ok(code(has_errors(analysis.diagnostics()) || has_errors(&ir.diagnostics)))
        }
        Command::Export { file, to } => {
            let to = parse_export(&to).map_err(Usage)?;
            let analysis = analyse(&file)?;
            let exported = exported(&analysis, to, json).map_err(|reason| Usage(format!("{file}: {reason}")))?;
            tell(&file, &analysis, &[], &exported, json);
            Ok(code(has_errors(analysis.diagnostics())))
        }
        Command::Summary { file } => document(&file, json, [summary_json, session::summary_text]),
        Command::Layout { file, layout } => {
            let strategy = layout.map(|name| parse_layout(&name)).transpose().map_err(Usage)?;
            let analysis = analyse(&file)?;
            let answer = session::layout_json(&analysis, strategy);
            let document = if json { answer.text } else { session::layout_text(&analysis, strategy) };
            tell(&file, &analysis, &[], &document, json);
            Ok(code(answer.has_errors))
        }
        Command::Trace { file } => document(&file, json, [session::trace_json, session::trace_text]),
        Command::Fmt { files, check } => fmt::fmt(files, check, json),
        Command::Ops => Ok(answered(ops(json))),
        Command::Layers => Ok(answered(layers(json))),
        Command::Explain { code } => Ok(answered(explain(&code, json).map_err(Usage)?)),
    }
}

/// Prints one of two documents about a file's program, and for people what is wrong with it.
fn document(file: &str, json: bool, [as_json, as_text]: [fn(&Analysis) -> String; 2]) -> Result<ExitCode, Usage> {
    let analysis = analyse(file)?;
    tell(file, &analysis, &[], &if json { as_json(&analysis) } else { as_text(&analysis) }, json);
    Ok(code(has_errors(analysis.diagnostics())))
}

/// Draws what is wrong on standard error.
fn problems(file: &str, text: &str, diagnostics: &[Diagnostic]) {
    let colours = if std::io::stderr().is_terminal() { Colours::On } else { Colours::Off };
    complain(&session::draw(file, text, diagnostics, colours));
}

/// Prints a document, and for people what is wrong with the program, and what else is.
fn tell(file: &str, analysis: &Analysis, others: &[Diagnostic], document: &str, json: bool) {
    say(document.trim_end());
    let wrong = if json { Vec::new() } else { [&*Mends::new(analysis).ranked(analysis), others].concat() };
    problems(file, analysis.text(), &wrong);
}

fn answered(answer: Answer) -> ExitCode {
    say(answer.text);
    code(answer.has_errors)
}

fn code(has_errors: bool) -> ExitCode {
    ExitCode::from(u8::from(has_errors))
}

/// Prints a line.
fn say(line: impl std::fmt::Display) {
    print(&format!("{line}\n"));
}

/// A reader that has gone away is no error; what cannot be written otherwise is lost, which is told.
fn print(text: &str) {
    let mut out = std::io::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Some(error) = written.err().filter(|error| error.kind() != ErrorKind::BrokenPipe) {
        complain(&format!("relish: cannot write: {error}\n"));
        std::process::exit(2);
    }
}

/// Writes to standard error, if anybody reads it.
fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn analyse(file: &str) -> Result<Analysis, Usage> {
    Ok(Analysis::in_surface(&read(file)?, Surface::of_file(file)))
}

/// Bytes that are no UTF-8 are replaced, so that they are seen and located.
fn read(file: &str) -> Result<String, Usage> {
    Ok(String::from_utf8_lossy(&read_bytes(file)?).into_owned())
}

/// A file, or standard input for `-`.
fn read_bytes(file: &str) -> Result<Vec<u8>, Usage> {
    let result = match file {
        "-" => std::io::stdin().lock().bytes().collect(),
        path => std::fs::read(path),
    };
    result.map_err(|error| Usage(format!("cannot read {file}: {error}")))
}
