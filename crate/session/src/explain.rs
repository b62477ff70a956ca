//! The pages of the error codes.

/// Each code with its page in `doc/error`.
const PAGES: &[(&str, &str)] = &[];

/// The Markdown page of a code.
pub fn explain(code: &str) -> Option<&'static str> {
    PAGES.iter().find(|(name, _)| *name == code).map(|(_, page)| *page)
}

/// Every code that has a page.
pub fn codes() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(code, _)| *code)
}
