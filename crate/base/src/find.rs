//! Where a text stands in another, for short texts. The standard library's search never takes longer than both together,
//! for which it is 2 kB of the page, and some more at each place of use. It looks for one character as for a text, so a
//! sign of ASCII is looked for among the bytes.
//!
//! ```
//! use base::{all_places, before, begins_with, cut, end_of_last, find, has, place, replace, trim, trim_end, trim_start};
//! assert_eq!(find("a -> b", "->"), Some(2));
//! assert_eq!(all_places("aaaa", "aa"), [0, 2]);
//! assert_eq!(cut("a -> b -> c", " -> "), Some(("a", "b -> c")));
//! assert_eq!((find("a", "ab"), cut("a", "->")), (None, None));
//! assert_eq!((trim(", a, b, ", ", "), trim_start("##", "#"), trim_end("%é%", "%")), ("a, b", "", "%é"));
//! assert_eq!((before("f(x)", "("), before("f", "("), end_of_last("a.b.c", b'.'), end_of_last("a", b'.')), ("f", "f", 4, 0));
//! assert_eq!(replace("a.b.", ".", "__"), "a__b__");
//! assert!(begins_with("+1", "+-") && !begins_with("", "+-"));
//! assert!(place("a.b.c", b'.') == Some(1) && has("a.b", b'b') && !has("", b'.'));
//! ```

/// The first place.
pub fn find(text: &str, part: &str) -> Option<usize> {
    let last = text.len().checked_sub(part.len())?;
    (0..=last).find(|&at| text.as_bytes()[at..at + part.len()] == *part.as_bytes())
}

/// The first place of a sign of ASCII.
pub fn place(text: &str, sign: u8) -> Option<usize> {
    text.bytes().position(|byte| byte == sign)
}

/// Whether there is a sign of ASCII.
pub fn has(text: &str, sign: u8) -> bool {
    place(text, sign).is_some()
}

/// All places, but for those that overlap the one before.
pub fn all_places(text: &str, part: &str) -> Vec<usize> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(at) = find(&text[from..], part).filter(|_| !part.is_empty()) {
        found.push(from + at);
        from += at + part.len();
    }
    found
}

/// What is before the first place and what is behind it.
pub fn cut<'a>(text: &'a str, part: &str) -> Option<(&'a str, &'a str)> {
    let at = find(text, part)?;
    Some((&text[..at], &text[at + part.len()..]))
}

/// What is before the first place, or all of the text.
pub fn before<'a>(text: &'a str, part: &str) -> &'a str {
    &text[..find(text, part).unwrap_or(text.len())]
}

/// The place behind the last sign of ASCII of a kind; 0 without one.
pub fn end_of_last(text: &str, sign: u8) -> usize {
    text.as_bytes().iter().rposition(|&byte| byte == sign).map_or(0, |at| at + 1)
}

/// The parts between the signs of a kind, which is one of ASCII.
pub fn split(text: &str, sign: u8) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, byte) in text.bytes().enumerate() {
        if byte == sign {
            parts.push(&text[start..at]);
            start = at + 1;
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The text with something else at all places of a part that is not empty.
pub fn replace(text: &str, part: &str, by: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = cut(rest, part) {
        out.push_str(before);
        out.push_str(by);
        rest = behind;
    }
    out + rest
}

/// A text without the characters of a set before it, all of which are ASCII.
pub fn trim_start<'a>(text: &'a str, set: &str) -> &'a str {
    let is_kept = |byte: &u8| !has(set, *byte);
    &text[text.as_bytes().iter().position(is_kept).unwrap_or(text.len())..]
}

/// The same of those behind it.
pub fn trim_end<'a>(text: &'a str, set: &str) -> &'a str {
    let is_kept = |byte: &u8| !has(set, *byte);
    &text[..text.as_bytes().iter().rposition(is_kept).map_or(0, |last| last + 1)]
}

/// The same of both.
pub fn trim<'a>(text: &'a str, set: &str) -> &'a str {
    trim_end(trim_start(text, set), set)
}

/// Whether the first character is one of a set, all of which are ASCII.
pub fn begins_with(text: &str, set: &str) -> bool {
    text.as_bytes().first().is_some_and(|first| has(set, *first))
}
