//! An edit that may mend the text, and what speaks against it before it has been tried.

use base::{Edit, Span};

#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub title: String,
    pub edits: Vec<Edit>,
    /// Where the fault is, if this mends it.
    pub place: Span,
    /// The smaller, the likelier; one more for each definition between the fault and the edit. The scale, by which
    /// floors of `tests/rust/conformance/blame.rs` are reached:
    ///
    /// | cost | kind of edit |
    /// |---|---|
    /// | 1–2 | comes with the problem, says what others call otherwise, or brings what is wanted from where it is |
    /// | 3–5 | puts what the problem itself asks for: a missing argument, a field, a tuple for a list |
    /// | 6–9 | changes one literal, one size, one attribute, or the order of two things |
    /// | 10–14 | changes several of them, or a size that is only near |
    /// | 15–20 | takes another variable or operator, wraps one around, leaves an attribute out |
    /// | more | puts a variable for what computes |
    pub cost: u32,
}

impl Candidate {
    #[inline(always)]
    pub fn replace(cost: u32, span: Span, text: impl Into<String>, title: impl Into<String>) -> Candidate {
        Candidate::of_one(cost, span, text.into(), title.into())
    }

    /// Most edits are made here: once in the module, whatever the texts are written as.
    #[inline(never)]
    fn of_one(cost: u32, span: Span, text: String, title: String) -> Candidate {
        Candidate { title, edits: vec![Edit { span, text }], place: span, cost }
    }

    /// The same, with the fault elsewhere than the edit.
    pub fn at(self, place: Span) -> Candidate {
        Candidate { place, ..self }
    }
}

/// The smallest edit, in whole words and signs, that makes `new` of the text at a span, and how many words and signs
/// it replaces.
///
/// For `Tensor[(7, 4), float32]` and `Tensor[(5, 4), float32]` it puts `5` for `7`.
pub(crate) fn smallest(text: &str, span: Span, new: &str) -> (Edit, u32) {
    let old = &text[span.range()];
    let (a, b) = (words(old), words(new));
    let mut same = a.iter().zip(&b).take_while(|(a, b)| a.1 == b.1).count();
    let rest = (a.len().min(b.len())) - same;
    let mut same_end = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a.1 == b.1).count();
    // A bracket is read with its partner.
    while same + same_end > 0 && !(is_paired(&a[same..a.len() - same_end]) && is_paired(&b[same..b.len() - same_end])) {
        match same_end {
            0 => same -= 1,
            _ => same_end -= 1,
        }
    }
    let range = |words: &[(usize, &str)], whole: &str| {
        let start = words.get(same).map_or(whole.len(), |word| word.0);
        match words[same..words.len() - same_end].last() {
            Some(&(at, word)) => start..at + word.len(),
            // Nothing is replaced: something comes behind the word before.
            None => {
                let at = same.checked_sub(1).map_or(0, |last| words[last].0 + words[last].1.len());
                at..at
            }
        }
    };
    let n_words = a.len().max(b.len()) - same - same_end;
    let (mut from, mut to) = (range(&a, old), range(&b, new));
    // Both ranges begin alike, so that blanks between words are kept or written.
    if from.is_empty() || to.is_empty() {
        let before =
            |words: &[(usize, &str)]| same.checked_sub(1).map_or(0, |last| words[last].0 + words[last].1.len());
        let after =
            |words: &[(usize, &str)], whole: &str| words.get(words.len() - same_end).map_or(whole.len(), |word| word.0);
        from = before(&a)..after(&a, old);
        to = before(&b)..after(&b, new);
    }
    let at = Span::new(span.start + from.start as u32, span.start + from.end as u32);
    (Edit { span: at, text: new[to].to_owned() }, n_words as u32)
}

/// Whether each bracket among words has its partner there.
fn is_paired(words: &[(usize, &str)]) -> bool {
    let mut depth = 0_i32;
    for (_, word) in words {
        match *word {
            "(" | "[" => depth += 1,
            ")" | "]" if depth == 0 => return false,
            ")" | "]" => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// Words, numbers and signs with where they begin.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut end = start + c.len_utf8();
        if is_word(c) {
            while let Some(&(at, next)) = chars.peek().filter(|&&(_, next)| is_word(next)) {
                end = at + next.len_utf8();
                chars.next();
            }
        }
        // A list of one is printed without the comma behind it.
        if c == ',' && chars.peek().is_some_and(|&(_, next)| next == ')') {
            continue;
        }
        out.push((start, &text[start..end]));
    }
    out
}

fn is_word(c: char) -> bool {
    base::is_in_name(c) || c == '.'
}

/// The numbers that stand in words, in order, each once.
pub(crate) fn numbers(text: &str, into: &mut Vec<i64>) {
    for (_, word) in words(text) {
        if let Some(number) = base::parse_i64(word)
            && !into.contains(&number)
        {
            into.push(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smallest_of(old: &str, new: &str) -> (String, u32) {
        let (edit, n_words) = smallest(old, Span::new(0, old.len() as u32), new);
        let mut text = old.to_owned();
        text.replace_range(edit.span.range(), &edit.text);
        let only = |text| words(text).into_iter().map(|(_, word)| word.to_owned()).collect::<Vec<String>>();
        assert_eq!(only(&text), only(new), "{text}");
        (format!("{}>{}", &old[edit.span.range()], edit.text), n_words)
    }

    #[test]
    fn little_is_replaced() {
        assert_eq!(smallest_of("Tensor[(7, 4), float32]", "Tensor[(5, 4), float32]"), ("7>5".to_owned(), 1));
        assert_eq!(smallest_of("Tensor[(7), float32]", "Tensor[(7, 4), float32]"), (">, 4".to_owned(), 2));
        assert_eq!(smallest_of("Tensor[(7, 4), float32]", "Tensor[(4), float32]"), ("7, >".to_owned(), 2));
        assert_eq!(smallest_of("(a, b)", "(a, b, c)"), (">, c".to_owned(), 2));
        assert_eq!(smallest_of("(a,)", "(b)"), ("a>b".to_owned(), 1));
        assert_eq!(smallest_of("(a,)", "(a, b)"), (",>, b".to_owned(), 2));
        assert_eq!(smallest_of("a", "a"), (">".to_owned(), 0));
        assert_eq!(smallest_of("f(A[B])", "f(C[A[B]])"), ("A[B]>C[A[B]]".to_owned(), 7));
    }
}
