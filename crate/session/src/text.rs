//! What commands print for people.

use crate::{Analysis, Outcome, hover};
use base::Position;
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

/// `relish run`: each value with its type, a line each.
pub fn ran(file: &str, analysis: &Analysis, outcome: &Outcome) -> String {
    let mut text = String::new();
    for value in &outcome.values {
        let name = if value.name.is_empty() { String::new() } else { format!("{} ", value.name) };
        let line = analysis.lines().line_of(value.span.start);
        let shown = analysis.show(value).unwrap_or_else(|| "no value".to_owned());
        let _ = writeln!(text, "{file}:{line}: {name}{shown} : {}", value.r#type);
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
