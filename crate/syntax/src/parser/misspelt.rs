//! Keywords that are misspelt, or are those of other languages, found before parsing.
//!
//! A name that begins with a small letter hardly stands in these places in a correct text (relations, constructors and
//! variants, which do, begin with a capital), so one that is nearly a keyword is taken for it, said once, and parsed as
//! if it were: `macth (%c) { … }`, `func @f() { … }`.

use base::{Edit, Surface};

use super::{closers, openers, outdent, pair};
use crate::error::{Foreign, SyntaxError};
use crate::lexer::{Lexed, NONE, Sig};
use crate::token::TokenKind::{self, *};

/// At most this many tokens of a condition, or of what is matched, are looked at.
const AHEAD: usize = 64;

/// So often lines are looked at that may end blocks.
const MAX_OUTDENTS: usize = 4;

/// What people write who know other languages.
const FOREIGN: [(&str, TokenKind); 19] = [
    ("func", KwDef),
    ("function", KwDef),
    ("fun", KwDef),
    ("fun", KwFn),
    ("func", KwFn),
    ("function", KwFn),
    ("lambda", KwFn),
    ("var", KwLet),
    ("val", KwLet),
    ("const", KwLet),
    ("switch", KwMatch),
    ("when", KwMatch),
    ("case", KwMatch),
    ("is", KwWith),
    ("of", KwWith),
    ("enum", KwType),
    ("import", KwUse),
    ("func", KwMethod),
    ("function", KwMethod),
];

/// Pairs the brackets of a text, and makes keywords of names that are meant as such. Returns the `}` that are too many.
pub(super) fn pair_brackets(text: &str, surface: Surface, lexed: &mut Lexed) -> Vec<usize> {
    pair::brackets(&mut lexed.sig, &[]);
    let mut begins_item = false;
    for pos in 0..lexed.sig.len() {
        let Sig { kind, token, .. } = lexed.sig[pos];
        if surface == Surface::Relay
            && let Some((form, meant, text_there)) = form_at(text, lexed, pos)
        {
            let at = lexed.span(token, text);
            let edits = vec![Edit { span: at, text: text_there.to_owned() }];
            lexed.errors.push(SyntaxError::Foreign { form, at, edits });
            lexed.sig[pos].kind = meant;
            lexed.tokens[token as usize].kind = meant;
            continue;
        }
        let is_word = kind == Ident || (kind == Local && surface == Surface::Refine);
        let keywords = if is_word { keywords_at(&lexed.sig, pos, surface) } else { &[] };
        if keywords.is_empty() {
            continue;
        }
        let at = lexed.span(token, text);
        if !text[at.range()].as_bytes().first().is_some_and(u8::is_ascii_lowercase) {
            continue;
        }
        let Some(keyword) = meant(&text[at.range()], keywords) else { continue };
        lexed.errors.push(SyntaxError::Misspelt { at, found: Ident, meant: keyword });
        lexed.sig[pos].kind = keyword;
        lexed.tokens[token as usize].kind = keyword;
        begins_item |= lexed.sig[pos].first_on_line;
    }
    if begins_item {
        pair::brackets(&mut lexed.sig, &[]);
    }
    if surface != Surface::Refine && openers::insert(text, surface, lexed) {
        pair::brackets(&mut lexed.sig, &[]);
    }
    if surface != Surface::Relay {
        return Vec::new();
    }
    for insert in [closers::of_params, closers::of_blocks] {
        if insert(text, lexed) {
            pair::brackets(&mut lexed.sig, &[]);
        }
    }
    // Each may leave others open.
    for _ in 0..MAX_OUTDENTS {
        if outdent::mark(text, lexed) {
            pair::brackets(&mut lexed.sig, &[]);
        }
    }
    let is_alone = |sig: &Sig| sig.kind == RBrace && sig.partner == NONE;
    let surplus = if lexed.sig.iter().any(is_alone) { pair::surplus_braces(&lexed.sig) } else { Vec::new() };
    if !surplus.is_empty() {
        pair::brackets(&mut lexed.sig, &surplus);
    }
    surplus
}

/// `elif` after a block, and `=` right behind the first variable of a condition: what it is meant to be.
fn form_at(text: &str, lexed: &Lexed, pos: usize) -> Option<(Foreign, TokenKind, &'static str)> {
    let sig = &lexed.sig;
    match sig[pos].kind {
        Ident if pos > 0 && sig[pos - 1].kind == RBrace => {
            let word = &text[lexed.span(sig[pos].token, text).range()];
            matches!(word, "elif" | "elsif" | "elseif").then_some((Foreign::Elif, KwIf, "else if"))
        }
        Eq if pos > 2 && [sig[pos - 3].kind, sig[pos - 2].kind, sig[pos - 1].kind] == [KwIf, LParen, Local] => {
            let close = sig[pos - 2].partner as usize;
            let statement = sig.iter().enumerate().skip(pos).take(AHEAD);
            let ends = |(at, sig): (usize, &Sig)| sig.kind == Semicolon && at < close;
            let is_block = sig[pos - 2].partner == NONE || statement.into_iter().any(ends);
            (!is_block).then_some((Foreign::Equals, EqEq, "=="))
        }
        _ => None,
    }
}

/// The keyword among these that a word is nearest to.
fn meant(word: &str, keywords: &[TokenKind]) -> Option<TokenKind> {
    let foreign = FOREIGN.iter().find(|(name, keyword)| *name == word && keywords.contains(keyword));
    let spelt = |kind: &TokenKind| kind.spelling().filter(|_| kind.spelling() != Some(word));
    // Of two letters one is enough.
    let is_begun = |kind: &str| word.len() == 1 && kind.len() == 2 && kind.starts_with(word);
    let nearest = || base::nearest(word, keywords.iter().filter_map(spelt));
    let begun = || keywords.iter().filter_map(spelt).find(|kind| is_begun(kind));
    let near = nearest().or_else(begun);
    let near = near.and_then(|near| keywords.iter().find(|kind| kind.spelling() == Some(near)).copied());
    foreign.map(|(_, keyword)| *keyword).or(near)
}

/// The keywords that could stand in the place of the name here, by what is around it; none where a name can.
fn keywords_at(sig: &[Sig], pos: usize, surface: Surface) -> &'static [TokenKind] {
    let nth = |ahead: usize| sig.get(pos + ahead).map_or(Eof, |sig| sig.kind);
    let last = if pos == 0 { Eof } else { sig[pos - 1].kind };
    let fresh = sig[pos].first_on_line;
    match surface {
        Surface::Relay => match (nth(1), nth(2)) {
            (LBrace | KwIf, _) if last == RBrace => &[KwElse],
            (Global, LParen | LBracket | Lt) if fresh => &[KwDef],
            (Ident, LBrace | LBracket | Lt) if fresh => &[KwType, KwData],
            (Ident, _) if last == KwExtern => &[KwType],
            (Ident, LParen | LBrace | Comma | Eq) if matches!(last, Ident | RBracket | RParen) => &[KwWhere],
            (Local, Eq | Colon) if last != Comma => &[KwLet],
            (Local, LBrace) if last != Local => &[KwMatch, KwIf],
            (LParen, _) => match sig[pos + 1].partner {
                NONE => &[],
                close => match sig.get(close as usize + 1).map(|sig| sig.kind) {
                    // Where an expression begins, and not the scrutinee of another `match`, or an arm.
                    // A function says what it gives behind its parameters, and nothing else does.
                    Some(Arrow) if begins_expr(last) => &[KwFn],
                    Some(LBrace) if fresh && !matches!(last, RBrace | Comma) || begins_expr(last) => {
                        &[KwMatch, KwIf, KwFn]
                    }
                    _ => &[],
                },
            },
            _ => &[],
        },
        Surface::Refine => match (nth(1), nth(2)) {
            (Local, Eq | Colon) => &[KwLet],
            (Local, KwWith) if last != KwMatch => &[KwMatch],
            (Local, Local) if nth(3) == Pipe || nth(4) == Arrow => &[KwMatch],
            (Pipe, _) | (Ident, Arrow) if scrutinee_ends(sig, pos) => &[KwWith],
            // Behind what a `let` binds.
            (KwLet | KwMatch, _) if matches!(last, Ident | Local | RParen) => &[KwIn],
            _ => &[],
        },
        Surface::TensorScript => match (nth(1), nth(2)) {
            (LBrace | KwIf, _) if last == RBrace => &[KwElse],
            (next, Lt | LBrace | ColonColon) if next.is_name() && fresh => &[KwNode, KwWeights, KwGraph, KwUse],
            (next, Eq) if next.is_name() && fresh => &[KwDim, KwTsr],
            (next, LParen) if next.is_name() && fresh => &[KwMethod],
            _ => &[],
        },
    }
}

/// Whether there is nothing but operands between the last `match` before a token of refine and that, and some.
fn scrutinee_ends(sig: &[Sig], pos: usize) -> bool {
    let operands = sig[..pos].iter().rev().take(AHEAD);
    let n = operands.take_while(|sig| matches!(sig.kind, Ident | Local | LParen | RParen)).count();
    n > 0 && n < pos && sig[pos - n - 1].kind == KwMatch
}

/// Whether an expression begins behind this token, and no condition or scrutinee.
fn begins_expr(last: TokenKind) -> bool {
    matches!(last, LBrace | LParen | Semicolon | Eq | FatArrow | Eof)
}
