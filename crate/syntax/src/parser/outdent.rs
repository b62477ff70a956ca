//! Where a `{` that nothing closes ends, as the lines are laid out.
//!
//! What such a `{` holds, if it begins on its line or further right than that, ends before a line that does not. Nothing
//! of this is looked at where each `{` has its `}`.
//!
//! Worked example: of `def @f(%x) {`, `  %x + 1` and `@f(1)`, each on a line, the third is no part of the function.

use super::pair::begins_item;
use crate::lexer::{Lexed, NONE, Sig};
use crate::token::TokenKind::*;

/// Marks the tokens that begin such lines. Whether there are some.
pub(super) fn mark(text: &str, lexed: &mut Lexed) -> bool {
    let is_open = |sig: &Sig| sig.kind == LBrace && sig.partner == NONE;
    if !lexed.sig.iter().any(is_open) {
        return false;
    }
    let mut found = false;
    // Of the line here, of that on which the item begins, and of that on which the outermost `{` stands.
    let (mut column, mut of_item, mut outer) = (0, 0, None);
    for pos in 0..lexed.sig.len() {
        let sig = lexed.sig[pos];
        if sig.first_on_line {
            let start = lexed.span(sig.token, text).start as usize;
            column = start - base::end_of_last(&text[..start], b'\n');
        }
        if begins_item(&lexed.sig, pos) {
            (of_item, outer) = (column, None);
        }
        match outer {
            None if is_open(&sig) => outer = Some((pos, column.min(of_item))),
            // What it holds is not further right.
            Some((opener, of_opener)) if pos == opener + 1 && sig.first_on_line && column <= of_opener => outer = None,
            Some((opener, of_opener)) if sig.first_on_line && column <= of_opener => {
                // What an operator, a comma or a bracket stands before or behind goes on.
                let goes_on = matches!(sig.kind, Minus | LParen | LBracket | LBrace | Underscore);
                let last = lexed.sig[pos - 1].kind;
                // Where what it holds began on its line, other statements may stand below.
                let begins_below = |opener: usize| lexed.sig[opener + 1].first_on_line;
                let is_over = last.is_closer()
                    || last.is_name()
                    || last == Semicolon && begins_below(opener)
                    || matches!(last, Local | Graph | Global | Int | Float | String | KwTrue | KwFalse);
                if is_over && (sig.kind == KwLet || sig.kind.starts_expr() && !goes_on) {
                    lexed.sig[pos].ends_blocks = true;
                    (found, outer) = (true, None);
                }
            }
            _ => {}
        }
    }
    found
}
