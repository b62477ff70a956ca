//! The answers as plain text, for pages and for whoever copies them.

use super::{Recorded, named_subject};
use crate::Analysis;
use base::Append;
use solve::derive::{Path, Place};
use std::fmt::Write;
use ty::{List, Term, Terms};

/// What was asked, as a line such as `%x axis 1`: a name, and which part of its type, from the outside in
/// (`field 0 shape`, `result axis 0`, `dtype`).
fn place(analysis: &Analysis, recorded: &Recorded, asked: &str) -> Option<(super::Subject, Place)> {
    let solver = &recorded.inferred.solver;
    let mut words = base::words(asked);
    let subject = named_subject(analysis, recorded, words.next()?)?;
    let mut path = Path::new();
    let mut id = subject.term;
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(base::parse_u32);
        let mut steps = Path::new();
        match (word, solver.head(id)) {
            ("axis", Term::Tensor { .. }) => steps.append_all([0, number()?]),
            ("shape", Term::Tensor { .. }) => steps.push(0),
            ("dtype", Term::Tensor { .. }) => steps.push(1),
            ("result", Term::Func { params: List { len, .. }, .. }) => steps.push(len),
            ("parameter" | "field" | "argument" | "axis", _) => steps.push(number()?),
            ("content", Term::Ref(_)) => steps.push(0),
            _ => return None,
        }
        for n in steps {
            id = solve::derive::part(solver, solver.head(id), n)?;
            path.push(n);
        }
    }
    let place = Place { cell: subject.term, path };
    Some((subject, place))
}

/// The answer to a question: the sentence, and the derivation with a step on each line.
pub(crate) fn why_text(analysis: &Analysis, asked: &str) -> Option<String> {
    let recorded = Recorded::new(analysis);
    let (subject, place) = place(analysis, &recorded, asked)?;
    let graph = recorded.graph();
    let words = super::Words::new(analysis, &recorded, &graph);
    let (lines, sentence) = words.tell(&subject, &place);
    let mut text = format!("{sentence}\n");
    for line in lines {
        let indent = "  ".repeat(line.depth as usize);
        let of = if line.of.is_empty() { String::new() } else { format!(", {}", line.of) };
        let _ = writeln!(text, "{indent}{}{of}: {}", line.fact, line.by);
    }
    Some(text)
}

/// What cannot hold together in each type error of a text: the problem, and the members below it.
pub(crate) fn why_not_text(analysis: &Analysis) -> String {
    let recorded = Recorded::new(analysis);
    let mut text = String::new();
    for problem in 0..analysis.diagnostics().len() {
        let Some(view) = super::why_not(analysis, &recorded, problem) else { continue };
        let _ = writeln!(text, "line {}: {}", view.problem.line, view.problem.message);
        for member in view.core {
            let _ = writeln!(text, "  line {}: {}", member.line, member.sentence);
        }
        if view.n_behind > 0 {
            let _ = writeln!(text, "  these follow from {} more", view.n_behind);
        }
        if view.is_bounded {
            text.push_str("  or fewer of these\n");
        }
    }
    text
}
