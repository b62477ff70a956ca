//! What commands print for people.

use crate::needs::{bytes_text, type_text};
use crate::{Analysis, Outcome, hover};
use base::{Join, Position, ToList};
use machine::Tally;
use std::fmt::Write;

/// `relish check`: each definition and each expression with its type, a line each.
pub fn checked(file: &str, analysis: &Analysis) -> String {
    let mut text = String::new();
    for definition in analysis.definitions() {
        let _ = writeln!(text, "{}: {}", definition.name, definition.r#type);
    }
    for value in analysis.expressions() {
        let _ = writeln!(text, "{file}:{}: {}", analysis.lines().line_of(value.span.start), value.r#type);
    }
    text
}

/// `relish run`: each value with its type, a line each, and the operators if they were measured.
pub fn ran(file: &str, analysis: &Analysis, outcome: &Outcome) -> String {
    let mut text = String::new();
    for value in &outcome.values {
        let name = if value.name.is_empty() { String::new() } else { format!("{} ", value.name) };
        let line = analysis.lines().line_of(value.span.start);
        let shown = analysis.show(value).unwrap_or_else(|| "no value".to_owned());
        let _ = writeln!(text, "{file}:{line}: {name}{shown} : {}", value.r#type);
    }
    text + &outcome.profile.as_ref().map_or_else(String::new, |profile| profiled(file, analysis, outcome, profile))
}

/// What follows with `--profile`: what was known before, then each operator on tensors, a line each.
fn profiled(file: &str, analysis: &Analysis, outcome: &Outcome, profile: &[Tally]) -> String {
    let milliseconds: f64 = profile.iter().fold(0.0, |sum, tally| sum + tally.milliseconds);
    let mut text = format!("\nthe program {}\n", outcome.needs.sentence());
    let _ = writeln!(text, "{milliseconds:.3} ms in operators on tensors\n");
    let _ = writeln!(text, "{:>10} {:>8} {:>10} {:>10} {:>8}  operator", "ms", "calls", "bytes", "flops", "Gflop/s");
    for tally in profile {
        let names: Vec<&str> = tally.ops.iter().map(|op| op.row().name).list();
        let flops = tally.flops.map_or("-".to_owned(), |flops| flops.to_string());
        let rate = tally.flops.filter(|&flops| flops > 0 && tally.milliseconds > 0.0);
        let rate = rate.map_or("-".to_owned(), |flops| format!("{:.2}", flops as f64 / tally.milliseconds / 1e6));
        let (names, line) = (names.joined(" + "), analysis.lines().line_of(tally.span.start));
        let of = tally.result.as_ref().map_or_else(|| "a tuple".to_owned(), type_text);
        let bytes = bytes_text(tally.read.saturating_add(tally.written));
        let (ms, calls) = (tally.milliseconds, tally.n_calls);
        let _ =
            writeln!(text, "{ms:>10.3} {calls:>8} {bytes:>10} {flops:>10} {rate:>8}  {file}:{line}: {names} : {of}");
    }
    text
}

/// `relish hover`.
pub fn hovered(analysis: &Analysis, position: Position) -> String {
    match analysis.lines().offset(position).and_then(|at| hover(analysis, at)) {
        Some(hover) if hover.doc.is_empty() => hover.code,
        Some(hover) => format!("{}\n\n{}", hover.code, hover.doc),
        None => "nothing is here".to_owned(),
    }
}
