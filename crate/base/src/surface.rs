//! The syntaxes that a program can be written in.

/// A lexer, a grammar and a printer over the one HIR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Surface {
    #[default]
    Relay,
}
