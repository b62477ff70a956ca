//! The `#lang` line, which every surface takes for a comment.

use base::{Span, Surface};

use crate::error::SyntaxError;

/// What the first line of a text says of its surface, if it speaks of it: `#lang refine`.
pub(crate) fn lang(text: &str) -> Option<Result<Surface, SyntaxError>> {
    let bare = text.trim_start_matches('\u{feff}');
    let line = bare.lines().next()?;
    let rest = line.strip_prefix("#lang")?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
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
