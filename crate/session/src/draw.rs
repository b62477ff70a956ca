//! Diagnostics drawn for a terminal.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use base::{Diagnostic, Fix, LineIndex, MapArray, Severity, Span, ToList};
use std::fmt::Write;

/// Whether what is drawn is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    On,
    Off,
}

/// Each diagnostic with its lines of the text.
pub fn draw(file: &str, text: &str, diagnostics: &[Diagnostic], colours: Colours) -> String {
    let renderer = if colours == Colours::On { Renderer::styled() } else { Renderer::plain() };
    let lines = LineIndex::new(text);
    let mut out = String::new();
    for diagnostic in diagnostics {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        // The lines that are shown, alone: what draws them goes through all that it is given.
        let spans = || diagnostic.labels.iter().map(|label| label.span).chain([diagnostic.span]);
        let [first, last] = [spans().map(|span| span.start).min(), spans().map(|span| span.end).max()]
            .map(|at| at.map_or(0, |at| (at as usize).min(text.len())));
        let start = base::end_of_last(&text[..first], b'\n');
        let end = last + base::before(&text[last..], "\n").len();
        let shown = base::trim_end(&text[start..end], "\r");
        let range = |span: Span| {
            let [from, to] = [span.start, span.end].each(|at| (at as usize - start).min(shown.len()));
            from..to
        };
        let line = lines.line_of(start as u32) as usize;
        let mut snippet = Snippet::source(shown)
            .line_start(line)
            .path(file)
            .annotation(AnnotationKind::Primary.span(range(diagnostic.span)));
        for label in &diagnostic.labels {
            snippet = snippet.annotation(AnnotationKind::Context.span(range(label.span)).label(&label.message));
        }
        let mut group: Group = level.primary_title(&diagnostic.message).id(diagnostic.code).element(snippet);
        let is_fix = diagnostic.fixes.iter().any(|fix| diagnostic.help.as_ref() == Some(&fix.title));
        let help = diagnostic.help.as_ref().filter(|_| !is_fix).cloned();
        let mut ways: Vec<String> = help.into_iter().list();
        for fix in &diagnostic.fixes {
            let title = title(&lines, &diagnostic.fixes, fix);
            // Two may differ in a number that nobody sees.
            if !ways.contains(&title) {
                ways.push(title);
            }
        }
        let or = |i: usize| if i == 0 { "" } else { "or " };
        group = group.elements(ways.iter().enumerate().map(|(i, way)| Level::HELP.message(format!("{}{way}", or(i)))));
        let _ = writeln!(out, "{}", renderer.render(&[group]));
    }
    out
}

/// What a fix does, and where if another one says the same of another place.
fn title(lines: &LineIndex, fixes: &[Fix], fix: &Fix) -> String {
    let start = |fix: &Fix| fix.edits.first().map(|edit| edit.span.start);
    let is_twice = fixes.iter().any(|other| other.title == fix.title && start(other) != start(fix));
    match start(fix).filter(|_| is_twice).map(|start| lines.position(start)) {
        Some(at) => format!("{} at {}:{}", fix.title, at.line, at.column),
        None => fix.title.clone(),
    }
}
