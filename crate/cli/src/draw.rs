//! Diagnostics drawn for a terminal.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use base::{Diagnostic, Severity, Span};
use std::io::IsTerminal;

/// Draws each diagnostic on standard error.
pub fn problems(file: &str, text: &str, diagnostics: &[Diagnostic]) {
    let renderer = if std::io::stderr().is_terminal() { Renderer::styled() } else { Renderer::plain() };
    for diagnostic in diagnostics {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        let range = |span: Span| span.range().start.min(text.len())..span.range().end.min(text.len());
        let mut snippet =
            Snippet::source(text).path(file).annotation(AnnotationKind::Primary.span(range(diagnostic.span)));
        for label in &diagnostic.labels {
            snippet = snippet.annotation(AnnotationKind::Context.span(range(label.span)).label(&label.message));
        }
        let mut group: Group = level.primary_title(&diagnostic.message).id(diagnostic.code).element(snippet);
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(help));
        }
        eprintln!("{}", renderer.render(&[group]));
    }
}
