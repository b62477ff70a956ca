//! Words that sentences of several crates need.

use crate::ToList;

/// `1 byte`, `2 bytes`.
pub fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Code between backticks: two, if it has some itself.
pub fn quoted(code: &str) -> String {
    if code.contains('`') { format!("`` {code} ``") } else { format!("`{code}`") }
}

/// `[1, 2]`. Formatting a list for debugging is much more code.
pub fn bracketed<T: ToString>(items: &[T]) -> String {
    format!("[{}]", items.iter().map(ToString::to_string).list().join(", "))
}

/// The words of a text with one space between them.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().list().join(" ")
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(items: &[String], and: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} {and} {last}", most.join(", ")),
    }
}
