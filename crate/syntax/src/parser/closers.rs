//! A `}` that is missing inside of an item, found before parsing and put where the lines say that it belongs.
//!
//! Where one is missing, the `{` further out go without theirs, and arms and statements behind it are taken for the inner
//! ones. So a token of no text stands from here on
//! - before an `else` that has none before it;
//! - where a `}` begins a line as far right as that of a `{` further out, for each `{` within that: before the first line
//!   that is no further right than its own;
//! - where a `)` or `]` closes what a `{` stands in: before the first comma behind the `{`, or the first that stands before no arm.
//!
//! Nothing of this is looked at where each `{` has its `}`.
//!
//! Worked example: of `match (%t) {`, `  A => match (%u) {`, `    B => 1,`, `  C => 2,` and `}`, each on a line, the last
//! one closes the first, so that the other one ends behind the `1`.

use super::openers::put;
use super::pair::begins_item;
use crate::error::SyntaxError;
use crate::lexer::{Lexed, NONE, Sig};
use crate::token::TokenKind::*;
use base::{Append, ToList};

/// Puts them there; the brackets are paired. Whether there were some.
pub(super) fn insert(text: &str, lexed: &mut Lexed) -> bool {
    if !lexed.sig.iter().any(|sig| sig.kind == LBrace && sig.partner == NONE) {
        return false;
    }
    // By token, how far right its line begins.
    let mut columns: Vec<usize> = Vec::with_capacity(lexed.sig.len());
    // The `{` that are open here, and those that end early, each with the token before which it does.
    let (mut open, mut ended): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    for pos in 0..lexed.sig.len() {
        let sig = lexed.sig[pos];
        columns.push(match columns.last() {
            Some(&column) if !sig.first_on_line => column,
            _ => {
                let start = lexed.span(sig.token, text).start as usize;
                start - base::end_of_last(&text[..start], b'\n')
            }
        });
        if begins_item(&lexed.sig, pos) {
            open.clear();
        }
        match sig.kind {
            LBrace => open.push(pos),
            KwElse if pos > 0 && lexed.sig[pos - 1].kind != RBrace => {
                ended.append_all(open.pop().map(|opener| (pos, opener)));
            }
            RParen | RBracket if sig.partner != NONE => {
                let mut place = 0;
                while let Some(opener) = open.pop_if(|opener| *opener > sig.partner as usize) {
                    place = place.max(opener + 1);
                    // The first comma, and behind an arm the first before what is none.
                    let (mut comma, mut has_arms) = (pos, false);
                    while place < pos {
                        let Sig { kind, partner, .. } = lexed.sig[place];
                        let begins_arm = lexed.sig[place + 1].kind.starts_pattern();
                        match kind {
                            FatArrow if !has_arms => (has_arms, comma) = (true, pos),
                            Comma if comma == pos && !(has_arms && begins_arm) => comma = place,
                            _ => {}
                        }
                        place = if kind.is_opener() && partner < pos as u32 { partner as usize } else { place } + 1;
                    }
                    place = comma;
                    ended.push((place, opener));
                }
            }
            RBrace => {
                let closed = open.iter().rposition(|&opener| columns[opener] <= columns[pos]);
                let is_its = |at: usize| sig.first_on_line && columns[open[at]] == columns[pos];
                let inner = closed.filter(|&at| is_its(at)).map_or(open.len(), |at| at + 1);
                // The innermost first, and none before those that it holds.
                let mut place = 0;
                for opener in open.drain(inner..).rev() {
                    let ends = |&at: &usize| lexed.sig[at].first_on_line && columns[at] <= columns[opener];
                    place = (place.max(opener + 1)..pos).find(ends).unwrap_or(pos);
                    ended.push((place, opener));
                }
                open.pop();
            }
            _ => {}
        }
    }
    // What separates it from what follows stands behind it.
    for (place, _) in &mut ended {
        let is_behind = lexed.sig[*place].kind != RBrace && matches!(lexed.sig[*place - 1].kind, Comma | Semicolon);
        *place -= usize::from(is_behind);
    }
    base::sort_by_key(&mut ended, |&(place, _)| place);
    let places = ended.iter().map(|&(place, _)| (place, RBrace)).list();
    let opened = ended.iter().map(|&(_, opener)| lexed.span(lexed.sig[opener].token, text)).list();
    put(text, lexed, &places, &|kind, found, at| SyntaxError::Unclosed {
        opener: LBrace,
        opened: opened[at],
        closers: vec![kind],
        found,
    });
    !places.is_empty()
}
