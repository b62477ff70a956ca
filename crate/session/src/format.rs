//! The layout of a text: spaces, line ends and indentation.

use crate::analysis::{MAX_DIAGNOSTICS, more_problems};
use base::{Append, Diagnostic, Edit, Span, Surface, ToList};

/// The text as it is best read, or what is wrong with its syntax.
pub fn format(text: &str, surface: Surface) -> Result<String, Vec<Diagnostic>> {
    let parse = syntax::parse(text, surface);
    if parse.errors.is_empty() {
        Ok(syntax::format(&parse))
    } else {
        let (told, rest) = parse.errors.split_at(parse.errors.len().min(MAX_DIAGNOSTICS));
        let mut errors = told.iter().map(|error| error.diagnostic()).list();
        errors.append_all(rest.first().map(|error| more_problems(rest.len(), error.diagnostic().span)));
        Err(errors)
    }
}

/// The fewest changes that turn a text into another one of which only the white space differs.
///
/// `f( 1,2)` becomes `f(1, 2)` by taking the space after `(` and putting one after `,`.
pub(crate) fn edits(before: &str, after: &str) -> Vec<Edit> {
    let is_space = |c: char| c.is_whitespace() || c == '\u{feff}';
    let word = |text: &str| text.find(is_space).unwrap_or(text.len());
    let gap = |text: &str| text.find(|c| !is_space(c)).unwrap_or(text.len());
    let (mut from, mut to) = (0, 0);
    let mut edits = Vec::new();
    loop {
        let (old, new) = (gap(&before[from..]), gap(&after[to..]));
        if before[from..from + old] != after[to..to + new] {
            let span = Span::new(from as u32, (from + old) as u32);
            edits.push(Edit { span, text: after[to..to + new].to_owned() });
        }
        (from, to) = (from + old, to + new);
        if from == before.len() || to == after.len() {
            return edits;
        }
        // Space may have come between what was one word, and the other way round.
        let len = word(&before[from..]).min(word(&after[to..]));
        (from, to) = (from + len, to + len);
    }
}

#[cfg(test)]
mod tests {
    use super::{Surface, edits, format};

    #[test]
    fn edits_make_the_formatted_text() {
        let text = "f( 1,2)   // é \r\n+\t\"a  b\";\n\n\n\n@g<int32>(%x )\n\n";
        let formatted = format(text, Surface::Relay).expect("no mistakes");
        let edits = edits(text, &formatted);
        let mut edited = text.to_owned();
        for edit in edits.iter().rev() {
            assert!(text[edit.span.range()].chars().all(char::is_whitespace));
            edited.replace_range(edit.span.range(), &edit.text);
        }
        assert_eq!(edited, formatted);
        assert_eq!(formatted, "f(1, 2) // é\n  + \"a  b\";\n\n@g<int32>(%x)\n");
        assert_eq!(edits.len(), 8);
    }
}
