//! The `#lang` line, which every surface takes for a comment.

use base::{Span, Surface};

use crate::error::SyntaxError;
use crate::parser;

/// What the first line of a text that is not blank says of its surface, if it speaks of it: `#lang refine`.
pub(crate) fn lang(text: &str) -> Option<Result<Surface, SyntaxError>> {
    let bare = without_blanks(text);
    let line = base::before(bare, "\n");
    let rest = line.strip_prefix("#lang")?;
    if !rest.is_empty() && !base::begins_with(rest, " \t") {
        return None;
    }
    let name = rest.trim();
    Some(Surface::of_name(name).ok_or_else(|| {
        let start = text.len() - bare.len();
        // Without a name the line itself is at fault.
        let at = if name.is_empty() { 0 } else { line.len() - rest.trim_start().len() };
        let len = if name.is_empty() { "#lang".len() } else { name.len() };
        let at = Span::new((start + at) as u32, (start + at + len) as u32);
        let nearest = base::nearest(name, Surface::ALL.into_iter().map(Surface::name));
        SyntaxError::UnknownLang { at, nearest: nearest.and_then(Surface::of_name) }
    }))
}

/// A text from where something is in it on: `fmt` takes away what is before.
fn without_blanks(text: &str) -> &str {
    text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace())
}

/// The other surface that a text is without fault in, by words that all of its programs have.
pub(crate) fn other(text: &str, surface: Surface) -> Option<Surface> {
    let has = |word: &str| base::find(text, word).is_some();
    let others = Surface::ALL.into_iter().filter(|&other| other != surface);
    let mut looks = others.filter(|other| match other {
        Surface::Relay => has("def @") || has("let %"),
        Surface::Refine => has("match ") && has("with") || has("let ") && has(" in"),
        Surface::TensorScript => has("node ") || has("graph "),
    });
    looks.find(|&other| parser::parse(text, other).errors.is_empty())
}

/// That a text is another surface's, where it begins.
pub(crate) fn other_error(text: &str, surface: Surface, other: Surface) -> SyntaxError {
    let bare = without_blanks(text);
    let start = text.len() - bare.len();
    let line = base::before(bare, "\n");
    let len = if lang(text).is_some() { line.len() } else { 0 };
    let begins = text.len() - bare[len..].trim_ascii_start().len();
    let word = text[begins..].bytes().take_while(|byte| !byte.is_ascii_whitespace()).count();
    SyntaxError::OtherLang {
        at: Span::new(begins as u32, (begins + word) as u32),
        line: Span::new(start as u32, (start + len) as u32),
        surface,
        other,
    }
}

/// That a text is a module of Python, at its first line that says so.
pub(crate) fn python_error(text: &str, surface: Surface) -> Option<SyntaxError> {
    if ["def @", "let %", "node "].iter().any(|word| base::find(text, word).is_some()) {
        return None;
    }
    let (mut found, mut has_block) = (None, false);
    for line in base::split(text, b'\n') {
        has_block |= line.trim_ascii_end().as_bytes().ends_with(b":");
        let word = base::cut(line, " ").map_or("", |(word, _)| word);
        if found.is_none() && matches!(word, "import" | "from" | "class") {
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            found = Some(Span::new(start as u32, (start + word.len()) as u32));
        }
    }
    found.filter(|_| has_block).map(|at| SyntaxError::Python { at, surface })
}
