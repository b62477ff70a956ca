//! Words that sentences of several crates need.

use crate::{Join, ToList};

/// `1 byte`, `2 bytes`.
pub fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// A number in decimal. The standard library's code for 128 bits is larger than all that is counted with them.
pub fn decimal(number: u128) -> String {
    match u64::try_from(number) {
        Ok(number) => number.to_string(),
        Err(_) => {
            let (most, least) = (number / 10_000_000_000, number % 10_000_000_000);
            format!("{}{:010}", decimal(most), least as u64)
        }
    }
}

/// Code between backticks: two, if it has some itself.
pub fn quoted(code: &str) -> String {
    if crate::has(code, b'`') { format!("`` {code} ``") } else { format!("`{code}`") }
}

/// `[1, 2]`. Formatting a list for debugging is much more code.
pub fn bracketed<T: ToString>(items: &[T]) -> String {
    format!("[{}]", items.iter().map(ToString::to_string).list().joined(", "))
}

/// The words of a text, between blanks.
pub fn words(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        text = text.trim_ascii_start();
        let end = text.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        text = rest;
        (end > 0).then_some(word)
    })
}

/// The words of a text with one space between them.
pub fn one_line(text: &str) -> String {
    words(text).list().joined(" ")
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(items: &[String], and: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} {and} {last}", most.joined(", ")),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_of_128_bits_are_written() {
        for number in [0, 9, 1 << 64, (1 << 64) - 1, 10_u128.pow(30), 10_u128.pow(30) + 7, u128::MAX] {
            assert_eq!(super::decimal(number), number.to_string());
        }
    }
}
