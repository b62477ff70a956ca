//! A `)` or `}` that is missing inside of an item, found before parsing and put where it belongs.
//!
//! Where one is missing, openers further out go without theirs, and what stands behind it is taken for a part of what it
//! should have ended. So where there are such openers, a token of no text stands from here on
//! - behind parameters: before the arrow of a result, a `where` or a body;
//! - before an `else` that has no `}` before it;
//! - where a `}` begins a line as far right as that of a `{` further out, for each `{` within that: before the first line
//!   that is no further right than its own;
//! - where a `)` or `]` closes what a `{` stands in: before the first comma behind the `{`, or, behind an arm, before the
//!   first that stands before no arm.
//!
//! Worked example: of `match (%t) {`, `  A => match (%u) {`, `    B => 1,`, `  C => 2,` and `}`, each on a line, the last
//! one closes the first, so that the other one ends behind the `1`.

use super::openers::put;
use super::pair::begins_item;
use crate::error::SyntaxError;
use crate::lexer::{Lexed, NONE, Sig};
use crate::token::TokenKind::*;
use base::{Append, MapArray, ToList};

/// So many tokens of parameters are looked at, and so many open blocks.
const AHEAD: usize = 128;

/// Puts the `)` there that parameters lack; the brackets are paired. Whether there were some.
pub(super) fn of_params(text: &str, lexed: &mut Lexed) -> bool {
    let sig = &lexed.sig;
    let mut ended = Vec::new();
    if sig.iter().any(|sig| sig.kind == LParen && sig.partner == NONE) {
        let openers = (0..sig.len()).filter(|&pos| sig[pos].kind == LParen && begins_params(sig, pos));
        ended.append_all(openers.filter_map(|opener| Some((params_end(sig, opener)?, opener))));
    }
    put_closers(text, lexed, ended)
}

/// Whether parameters stand behind this `(`: of a definition, of a function, or their types.
fn begins_params(sig: &[Sig], opener: usize) -> bool {
    let before = |pos: usize| pos.checked_sub(1).map_or(Eof, |pos| sig[pos].kind);
    let head = match before(opener) {
        RBracket if sig[opener - 1].partner != NONE => sig[opener - 1].partner as usize,
        _ => opener,
    };
    before(head) == KwFn || before(head) == Global && before(head - 1) == KwDef
}

/// Before which token parameters end that have no `)` before it: the arrow of a result, or a body.
fn params_end(sig: &[Sig], opener: usize) -> Option<usize> {
    let mut pos = opener + 1;
    // It is the `(` that is too many.
    if sig.get(pos).is_some_and(|sig| sig.kind == LParen) && sig.get(pos + 1).is_some_and(|sig| sig.kind == Local) {
        return None;
    }
    while pos < (opener + AHEAD).min(sig.len()) {
        let Sig { kind, partner, .. } = sig[pos];
        let last = sig[pos - 1];
        match kind {
            // Of the type of a function.
            Arrow if last.kind == RParen && last.partner != NONE && begins_params(sig, last.partner as usize) => {}
            // Where the parameter is on a machine, as TVM prints it.
            LBrace if [1, 2].each(|ahead| sig.get(pos + ahead).map_or(Eof, |sig| sig.kind)) == [Ident, Eq] => {}
            Arrow | LBrace | KwWhere => return (pos > opener + 1).then_some(pos),
            LParen | LBracket if partner == NONE => return None,
            RParen | Semicolon | FatArrow | KwLet => return None,
            _ if begins_item(sig, pos) => return None,
            _ => {}
        }
        pos = if kind.is_opener() && partner != NONE { partner as usize } else { pos } + 1;
    }
    None
}

/// Puts the `}` there that blocks lack, as [`of_params`].
pub(super) fn of_blocks(text: &str, lexed: &mut Lexed) -> bool {
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
                    place = separator(&lexed.sig, place.max(opener + 1), pos);
                    ended.push((place, opener));
                }
            }
            RBrace => {
                let from = open.len().saturating_sub(AHEAD);
                let is_out = |&opener: &usize| columns[opener] <= columns[pos];
                let closed = open[from..].iter().rposition(is_out).map(|at| from + at);
                let is_its = |at: usize| sig.first_on_line && columns[open[at]] == columns[pos];
                // What it holds does not begin on another line, or further right than its own.
                let is_plain = |&opener: &usize| {
                    !lexed.sig[opener + 1].first_on_line || opener + 1 == pos || columns[opener + 1] > columns[opener]
                };
                let inner = closed.map_or(open.len(), |at| at + 1);
                let is_shown = closed.is_some_and(is_its) && open[inner..].iter().all(is_plain);
                let inner = if is_shown { inner } else { open.len() };
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
    put_closers(text, lexed, ended)
}

/// The comma from a token on that does not stand in the block there: the first, and behind an arm the first before what
/// is none. `end`, if there is none before that.
fn separator(sig: &[Sig], mut pos: usize, end: usize) -> usize {
    let (mut comma, mut has_arms) = (end, false);
    while pos < end {
        let Sig { kind, partner, .. } = sig[pos];
        let begins_arm = sig[pos + 1].kind.starts_pattern();
        match kind {
            FatArrow if !has_arms => (has_arms, comma) = (true, end),
            Comma if comma == end && !(has_arms && begins_arm) => comma = pos,
            _ => {}
        }
        pos = if kind.is_opener() && partner < end as u32 { partner as usize } else { pos } + 1;
    }
    comma
}

/// Puts the closers of openers before tokens.
fn put_closers(text: &str, lexed: &mut Lexed, mut ended: Vec<(usize, usize)>) -> bool {
    base::sort_by_key(&mut ended, |&(place, _)| place);
    let openers = ended.iter().map(|&(_, opener)| lexed.sig[opener]).list();
    let opened = openers.iter().map(|opener| lexed.span(opener.token, text)).list();
    let places = ended.iter().zip(&openers).map(|(&(place, _), opener)| (place, opener.kind.closer())).list();
    put(text, lexed, &places, &|kind, found, at| SyntaxError::Unclosed {
        opener: openers[at].kind,
        opened: opened[at],
        closers: vec![kind],
        found,
        others: Vec::new(),
    });
    !places.is_empty()
}
