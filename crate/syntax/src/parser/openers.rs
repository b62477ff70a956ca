//! A `{`, `(` or `[` that is missing, found before parsing and put where it belongs.
//!
//! Where a text lacks one, its closer is paired with one further out, and every construct around ends too early. So where
//! an item has a `}` that pairs with nothing, and in as many places of it a body stands without its `{`, a token of no
//! text stands there from here on, which is said once; and where a statement has such a `)`, and one place before it
//! that wants a `(`. A `]` says by what is before it where its `[` belongs.
//!
//! Worked example: in `if (%c) nn.relu(%x) } else { %x }` it stands behind `(%c)`, and in `if %c) {` before `%c`.

use super::pair::begins_item;
use crate::error::{Expected, Found, SyntaxError};
use crate::lexer::{Lexed, NONE, Sig, Token};
use crate::token::TokenKind::{self, *};
use base::{Append, Surface};

/// At most this many tokens of a type are looked at.
const AHEAD: usize = 64;

/// Puts them there; the brackets are paired. Whether there were some.
pub(super) fn insert(text: &str, surface: Surface, lexed: &mut Lexed) -> bool {
    let mut places = Vec::new();
    if lexed.sig.iter().any(|sig| is_alone(sig, RBrace)) {
        braces(&lexed.sig, &mut places);
    }
    for pos in 0..lexed.sig.len() {
        let found = match lexed.sig[pos] {
            Sig { kind: RBracket, partner: NONE, .. } if surface == Surface::TensorScript => {
                before_sizes(&lexed.sig, pos).map(|place| (place, LBracket))
            }
            Sig { kind: RBrace, partner: NONE, .. } if surface == Surface::TensorScript => {
                before_imports(&lexed.sig, pos).map(|place| (place, LBrace))
            }
            _ if surface == Surface::TensorScript => None,
            Sig { kind: RParen, partner: NONE, .. } => {
                let place = before_arguments(&lexed.sig, pos).or_else(|| before_values(&lexed.sig, pos));
                place.map(|place| (place, LParen))
            }
            Sig { kind: RBracket, partner: NONE, .. } => before_items(&lexed.sig, pos).map(|place| (place, LBracket)),
            _ => None,
        };
        places.append_all(found);
    }
    if places.is_empty() {
        return false;
    }
    base::sort_by_key(&mut places, |&(place, _)| place);
    places.dedup();
    put(text, lexed, &places, &|kind, found, _| SyntaxError::Expected { expected: Expected::Opener(kind), found });
    true
}

/// Puts tokens of no text before others, which are sorted. `told` says so, of each with its place in the list.
pub(super) fn put(
    text: &str,
    lexed: &mut Lexed,
    places: &[(usize, TokenKind)],
    told: &dyn Fn(TokenKind, Found, usize) -> SyntaxError,
) {
    let (mut tokens, mut sig) = (Vec::new(), Vec::new());
    let (mut n_tokens, mut n_places) = (0, 0);
    for (pos, &it) in lexed.sig.iter().enumerate() {
        while let Some(&(_, kind)) = places.get(n_places).filter(|place| place.0 == pos) {
            let last = lexed.sig[pos - 1].token;
            let (at, before) = (lexed.span(it.token, text), lexed.span(last, text));
            let found = Found { kind: it.kind, at, before, first_on_line: it.first_on_line };
            lexed.errors.push(told(kind, found, n_places));
            n_places += 1;
            tokens.extend_from_slice(&lexed.tokens[n_tokens..=last as usize]);
            n_tokens = last as usize + 1;
            sig.push(Sig { token: tokens.len() as u32, partner: NONE, kind, first_on_line: false, ends_blocks: false });
            tokens.push(Token { kind, start: before.end });
        }
        sig.push(Sig { token: it.token + (tokens.len() - n_tokens) as u32, ..it });
    }
    tokens.extend_from_slice(&lexed.tokens[n_tokens..]);
    (lexed.tokens, lexed.sig) = (tokens, sig);
}

/// Whether it is such a closer that pairs with nothing.
fn is_alone(sig: &Sig, closer: TokenKind) -> bool {
    sig.kind == closer && sig.partner == NONE
}

/// Before which tokens a `{` is missing.
fn braces(sig: &[Sig], places: &mut Vec<(usize, TokenKind)>) {
    let mut start = 0;
    while start < sig.len() {
        let (n_before, mut n_alone) = (places.len(), 0);
        let mut pos = start;
        while pos < sig.len() && (pos == start || !begins_item(sig, pos)) {
            n_alone += usize::from(is_alone(&sig[pos], RBrace));
            if let Some(place) = body_without(sig, pos)
                && places.last() != Some(&(place, LBrace))
            {
                places.push((place, LBrace));
            }
            pos += 1;
        }
        if places.len() != n_before + n_alone {
            places.truncate(n_before);
        }
        start = pos;
    }
}

/// Before which token the `(` of a `)` is missing, if only one in its statement wants one; else the `)` itself, behind what
/// can only be called.
fn before_arguments(sig: &[Sig], closer: usize) -> Option<usize> {
    let kind = |pos: usize| sig.get(pos).map_or(Eof, |sig| sig.kind);
    let (mut found, mut is_innermost) = (None, true);
    let mut pos = closer;
    for _ in 0..AHEAD {
        let Some(last) = pos.checked_sub(1) else { break };
        let here = sig[pos];
        let before = |n: usize| last.checked_sub(n).map_or(Eof, kind);
        let is_operand = match here.kind {
            Global | Backtick | Bang | KwFn | KwTrue | KwFalse => true,
            kind => kind.is_operand() && kind != LParen,
        };
        let is_wanted = match kind(last) {
            KwIf | KwMatch | KwRef | KwRefRead | KwRefWrite => !matches!(here.kind, LParen | Question),
            Question => before(1) == KwMatch && here.kind != LParen,
            KwFn => !matches!(here.kind, LParen | LBracket),
            Global if before(1) == KwDef => matches!(here.kind, Local | RParen),
            Global | Local => is_operand,
            // What stands behind an operand, such as `as`, is not called.
            Ident => {
                let is_behind =
                    matches!(before(1), RParen | RBracket | Local | Underscore | Ident | Int | Float | KwDef);
                is_operand && (!is_behind || sig[last].first_on_line)
            }
            RBracket if sig[last].partner != NONE => {
                let head = sig[last].partner as usize;
                head > 1 && kind(head - 1) == Global && kind(head - 2) == KwDef && matches!(here.kind, Local | RParen)
            }
            // The shape of a tensor.
            LBracket => {
                is_innermost && before(1) == Ident && here.kind != LParen && (closer as u32) < sig[last].partner
            }
            _ => false,
        };
        is_innermost &= !kind(last).is_opener() || sig[last].partner < closer as u32;
        if is_wanted && !here.first_on_line && found.replace(pos).is_some() {
            return None;
        }
        let is_first = matches!(kind(last), Semicolon | LBrace | FatArrow) || here.kind == KwLet;
        if is_first || (kind(last) == RBrace && here.first_on_line) || begins_item(sig, pos) {
            break;
        }
        // Past a block.
        pos = if kind(last) == RBrace && sig[last].partner != NONE { sig[last].partner as usize } else { last };
    }
    let before = |n: usize| closer.checked_sub(n).map_or(Eof, kind);
    found.or((before(1) == Global || before(2) == KwCase).then_some(closer))
}

/// Before which token the `(` of several values is missing: with those, a block, a statement, an arm's value or an
/// alternative begins.
fn before_values(sig: &[Sig], closer: usize) -> Option<usize> {
    let (mut pos, mut has_comma) = (closer, false);
    for _ in 0..AHEAD {
        let last = pos.checked_sub(1)?;
        let Sig { kind, partner, .. } = sig[last];
        match kind {
            // Of a pattern it is none: the values before it are those of other arms.
            FatArrow if sig[closer + 1].kind == FatArrow => return None,
            LBrace | Semicolon | FatArrow | Pipe => return has_comma.then_some(pos),
            Eq | LParen | LBracket => return None,
            _ => {}
        }
        has_comma |= kind == Comma;
        pos = if kind.is_closer() && partner != NONE { partner as usize } else { last };
    }
    None
}

/// Before which token the `{` of imported names is missing.
fn before_imports(sig: &[Sig], closer: usize) -> Option<usize> {
    let is_name = |pos: &usize| sig[*pos].kind.is_name() || sig[*pos].kind == Comma;
    let names = (closer.saturating_sub(AHEAD)..closer).rev().take_while(is_name);
    names.last().filter(|place| *place > 0 && sig[place - 1].kind == ColonColon)
}

/// Before which token the `[` of a shape of TensorScript is missing.
fn before_sizes(sig: &[Sig], closer: usize) -> Option<usize> {
    let behind = |pos: &usize| pos.checked_sub(1).map_or(Eof, |last| sig[last].kind);
    let is_size = |pos: &usize| {
        let kind = sig[*pos].kind;
        kind.is_name() || matches!(kind, Question | Int | Comma | Plus | Minus | Star | Slash)
    };
    let sizes = (closer.saturating_sub(AHEAD)..closer).rev().take_while(is_size);
    sizes.last().filter(|place| matches!(behind(place), Lt | Arrow | Colon | Eq))
}

/// Before which token the `[` of a `]` is missing: a tensor's shape, with its dtype behind it; arguments or parameters of
/// a type; numbers. Behind lists it may as well be the `]` that is too many.
fn before_items(sig: &[Sig], closer: usize) -> Option<usize> {
    let kind = |pos: usize| sig.get(pos).map_or(Eof, |sig| sig.kind);
    let before = |n: usize| closer.checked_sub(n).map_or(Eof, kind);
    if [before(3), before(2), before(1)] == [RParen, Comma, Ident] && sig[closer - 3].partner != NONE {
        let shape = sig[closer - 3].partner as usize;
        return (shape > 0 && kind(shape - 1) == Ident).then_some(shape);
    }
    let mut pos = closer;
    for _ in 0..AHEAD {
        let last = pos.checked_sub(1)?;
        match kind(last) {
            Int | Float | Minus | Comma | Colon | KwTrue | KwFalse => pos = last,
            // `List A]`, `@f A, B]`, `type T A]`.
            Ident if matches!(kind(pos), Comma | Colon | RBracket) => pos = last,
            Ident if kind(pos) == Ident => return Some(pos),
            Global if kind(pos) == Ident && last > 0 && kind(last - 1) == KwDef => return Some(pos),
            Eq | LParen | LBracket if matches!(kind(pos), Int | Float | Minus | KwTrue | KwFalse) => return Some(pos),
            _ => return None,
        }
    }
    None
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
                // A function of TensorScript.
                (KwMethod, _) => (is_body(pos) && kind(pos) != Arrow).then_some(pos),
                _ => None,
            }
        }
        // Its result.
        RBracket if sig[pos - 1].partner != NONE && before(sig[pos - 1].partner as usize, 2) == RParen => {
            let arrow = before(sig[pos - 1].partner as usize, 1);
            (arrow == Arrow && is_body(pos)).then_some(pos)
        }
        // A node of TensorScript, or a part of one.
        Gt if matches!(before(head(pos), 2), KwNode | KwWeights | KwGraph) => (kind(pos) != LBrace).then_some(pos),
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
