//! Words that sentences of several crates need.

/// `1 byte`, `2 bytes`.
pub fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Code between backticks: two, if it has some itself.
pub fn quoted(code: &str) -> String {
    if code.contains('`') { format!("`` {code} ``") } else { format!("`{code}`") }
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(items: &[String], and: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} {and} {last}", most.join(", ")),
    }
}
