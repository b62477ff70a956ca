//! Where a text stands in another, for short texts. The standard library's search never takes longer than both together,
//! for which it is 2 kB of the page, and some more at each place of use. It looks for one character as for a text, so a
//! sign of ASCII is looked for among the bytes.
//!
//! ```
//! use base::{all_places, cut, find};
//! assert_eq!(find("a -> b", "->"), Some(2));
//! assert_eq!(all_places("aaaa", "aa"), [0, 2]);
//! assert_eq!(cut("a -> b -> c", " -> "), Some(("a", "b -> c")));
//! assert_eq!((find("a", "ab"), cut("a", "->")), (None, None));
//! ```

/// The first place.
pub fn find(text: &str, part: &str) -> Option<usize> {
    let last = text.len().checked_sub(part.len())?;
    (0..=last).find(|&at| text.as_bytes()[at..at + part.len()] == *part.as_bytes())
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
