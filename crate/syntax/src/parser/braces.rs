//! A `{` that is missing, found before parsing and put where it belongs.
//!
//! Where a text lacks a `{`, its `}` is paired with one further out, and every construct around ends too early. So where
//! an item has a `}` that pairs with nothing, and in as many places of it a body stands without its `{`, a token of no
//! text stands there from here on, which is said once.
//!
//! Worked example: in `if (%c) nn.relu(%x) } else { %x }` it stands behind `(%c)`.

use super::pair::begins_item;
use crate::error::{Expected, Found, SyntaxError};
use crate::lexer::{Lexed, NONE, Sig, Token};
use crate::token::TokenKind::*;

/// At most this many tokens of a type are looked at.
const AHEAD: usize = 64;

/// Puts them there; the brackets are paired. Whether there were some.
pub(super) fn insert(text: &str, lexed: &mut Lexed) -> bool {
    let places = if lexed.sig.iter().any(is_alone) { lacking(&lexed.sig) } else { Vec::new() };
    if places.is_empty() {
        return false;
    }
    let (mut tokens, mut sig) = (Vec::new(), Vec::new());
    let (mut n_tokens, mut n_places) = (0, 0);
    for (pos, &it) in lexed.sig.iter().enumerate() {
        if places.get(n_places) == Some(&pos) {
            n_places += 1;
            let last = lexed.sig[pos - 1].token;
            let (at, before) = (lexed.span(it.token, text), lexed.span(last, text));
            let found = Found { kind: it.kind, at, before, first_on_line: it.first_on_line };
            lexed.errors.push(SyntaxError::Expected { expected: Expected::Opener, found });
            tokens.extend_from_slice(&lexed.tokens[n_tokens..=last as usize]);
            n_tokens = last as usize + 1;
            sig.push(Sig { token: tokens.len() as u32, partner: NONE, kind: LBrace, first_on_line: false });
            tokens.push(Token { kind: LBrace, start: before.end });
        }
        sig.push(Sig { token: it.token + (tokens.len() - n_tokens) as u32, ..it });
    }
    tokens.extend_from_slice(&lexed.tokens[n_tokens..]);
    (lexed.tokens, lexed.sig) = (tokens, sig);
    true
}

/// Whether it is a `}` that pairs with nothing.
fn is_alone(sig: &Sig) -> bool {
    sig.kind == RBrace && sig.partner == NONE
}

/// Before which tokens a `{` is missing.
fn lacking(sig: &[Sig]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut start = 0;
    while start < sig.len() {
        let (n_before, mut n_alone) = (places.len(), 0);
        let mut pos = start;
        while pos < sig.len() && (pos == start || !begins_item(sig, pos)) {
            n_alone += usize::from(is_alone(&sig[pos]));
            if let Some(place) = body_without(sig, pos)
                && places.last() != Some(&place)
            {
                places.push(place);
            }
            pos += 1;
        }
        if places.len() != n_before + n_alone {
            places.truncate(n_before);
        }
        start = pos;
    }
    places
}

/// Where a body begins that belongs to what ends before this token, if its `{` is not there.
fn body_without(sig: &[Sig], pos: usize) -> Option<usize> {
    let kind = |pos: usize| sig.get(pos).map_or(Eof, |sig| sig.kind);
    let before = |pos: usize, n: usize| if n > pos { Eof } else { kind(pos - n) };
    // Before type parameters, which end at this token.
    let head = |pos: usize| match before(pos, 1) {
        RBracket if sig[pos - 1].partner != NONE => sig[pos - 1].partner as usize,
        Gt => (pos.saturating_sub(AHEAD)..pos).rev().find(|&pos| kind(pos) == Lt).unwrap_or(pos),
        _ => pos,
    };
    let is_body = |pos: usize| kind(pos) != LBrace && (kind(pos).starts_expr() || kind(pos) == KwLet);
    match before(pos, 1) {
        KwElse => (is_body(pos) && kind(pos) != KwIf).then_some(pos),
        RParen if sig[pos - 1].partner != NONE => {
            let open = sig[pos - 1].partner as usize;
            let head = head(open);
            match (before(head, 2), before(head, 1)) {
                (_, KwMatch) | (KwMatch, Question) if kind(pos) == KwCase => Some(pos),
                (_, KwIf | KwMatch) | (KwMatch, Question) | (KwCase, Ident) => is_body(pos).then_some(pos),
                (KwDef, Global) => behind_head(sig, pos, true),
                (_, KwFn) => behind_head(sig, pos, false),
                _ => None,
            }
        }
        Ident if before(pos, 2) == KwCase => (is_body(pos) && kind(pos) != LParen).then_some(pos),
        Ident | RBracket | Gt if kind(pos) == Ident => {
            let name = head(pos);
            (before(name, 1) == Ident && matches!(before(name, 2), KwType | KwData)).then_some(pos)
        }
        _ => None,
    }
}

/// Behind the parameters of a function, and its result and clauses if it has some: what can belong to none of them. A
/// comma stands between clauses, which only definitions have.
fn behind_head(sig: &[Sig], params_end: usize, has_clauses: bool) -> Option<usize> {
    let mut pos = params_end;
    for _ in 0..AHEAD {
        let Sig { kind, partner, first_on_line, .. } = *sig.get(pos)?;
        let last = sig[pos - 1].kind;
        let is_whole = matches!(last, Ident | Int | Question | RBracket | RParen);
        match kind {
            _ if begins_item(sig, pos) => return None,
            LBrace | RBrace | RBracket | RParen | Semicolon | Eq | FatArrow | Eof => return None,
            Comma if !has_clauses => return None,
            Local | Graph | Global | Float | String | Backtick | Bang | KwLet | KwIf | KwMatch | KwTrue | KwFalse => {
                return Some(pos);
            }
            KwFn if pos == params_end => return Some(pos),
            LParen if is_whole && (first_on_line || last != Ident) => return Some(pos),
            LBracket if is_whole && first_on_line => return Some(pos),
            LParen | LBracket if partner != NONE => pos = partner as usize,
            Ident | Int if is_whole => return Some(pos),
            _ if is_whole && first_on_line && kind.starts_expr() => return Some(pos),
            _ => {}
        }
        pos += 1;
    }
    None
}
