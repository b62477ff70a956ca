//! Diagnostics drawn for a terminal.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use base::{Diagnostic, Severity, Span};
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
    let mut out = String::new();
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
        let others =
            diagnostic.fixes.iter().map(|fix| &fix.title).filter(|&title| diagnostic.help.as_ref() != Some(title));
        group = group.elements(others.map(|title| Level::HELP.message(format!("or {title}"))));
        let _ = writeln!(out, "{}", renderer.render(&[group]));
    }
    out
}
