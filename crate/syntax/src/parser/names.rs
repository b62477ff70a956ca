//! Names that frameworks give to variables and that are none here: `%conv1.weight`, `%onnx::Conv_34`, and the numbers of
//! graph variables. `%t.0` is a projection elsewhere, so the place where a name is bound decides: for one of these the
//! text is lexed once more, with these names. All of them are one slip, and its edit gives each another name.

use super::foreign::AHEAD;
use base::{Edit, HashMap, HashSet, Surface};

use crate::error::{Foreign, SyntaxError};
use crate::lexer::{Lexed, Sig, lex, name_end};
use crate::token::TokenKind::{
    Colon, Comma, Dot, Eq, Global, Graph, Ident, Int, KwDef, KwFn, KwFreeVar, KwLet, LParen, Local, Slash,
};

pub(super) fn lex_names(text: &str, surface: Surface) -> Lexed {
    let mut names = HashMap::default();
    let lexed = lex(text, surface, &names);
    if surface == Surface::Relay {
        for name in (1..lexed.sig.len()).filter_map(|pos| bound(text, &lexed, pos)) {
            names.insert(name, "".to_owned());
        }
    }
    if names.is_empty() { lexed } else { rename(text, lex(text, surface, &names), names) }
}

/// The name that is bound here by a parameter, a `free_var` or a `let`, if it is none of a variable.
fn bound<'t>(text: &'t str, lexed: &Lexed, pos: usize) -> Option<&'t str> {
    let Sig { kind, token, .. } = lexed.sig[pos];
    if !matches!(kind, Local | Graph) {
        return None;
    }
    let start = lexed.span(token, text).start as usize;
    let end = name_end(text, start);
    let name = &text[start..end];
    if kind == Local && !name.bytes().any(|byte| matches!(byte, b'.' | b':')) {
        return None;
    }
    let rest = text[end..].trim_ascii_start();
    let is_bound = match lexed.sig[pos - 1].kind {
        LParen | Comma => base::begins_with(rest, ":{") || base::begins_with(rest, ",)") && is_param(&lexed.sig[..pos]),
        KwFreeVar | KwLet => base::begins_with(rest, ":="),
        _ => false,
    };
    is_bound.then_some(name)
}

/// Whether the next of these tokens is a parameter, as far as there are but names and types of one word before it.
fn is_param(before: &[Sig]) -> bool {
    let is_part = |sig: &&Sig| matches!(sig.kind, Local | Graph | Comma | Dot | Int | Ident | Slash | Colon);
    let n_parts = before.iter().rev().take(AHEAD).take_while(is_part).count();
    let mut kinds = before.iter().rev().skip(n_parts).map(|sig| sig.kind);
    kinds.next() == Some(LParen)
        && matches!((kinds.next(), kinds.next()), (Some(KwFn), _) | (Some(Global), Some(KwDef)))
}

/// Makes variables of these names where they are bound and behind, a number up to where it is a graph variable's again.
/// What each is to be called is empty until then.
fn rename<'t>(text: &'t str, mut lexed: Lexed, mut names: HashMap<&'t str, String>) -> Lexed {
    let mut taken: HashSet<String> = HashSet::default();
    for sig in lexed.sig.iter().filter(|sig| sig.kind == Local) {
        taken.insert(text[lexed.span(sig.token, text).range()].to_owned());
    }
    let mut slip = None;
    let mut edits = Vec::new();
    for pos in 1..lexed.sig.len() {
        let Sig { kind, token, .. } = lexed.sig[pos];
        let span = lexed.span(token, text);
        let name = &text[span.range()];
        let Some(given) = names.get_mut(name) else { continue };
        if bound(text, &lexed, pos).is_some() {
            slip.get_or_insert((if kind == Graph { Foreign::Numbered } else { Foreign::Dotted }, span));
            if given.is_empty() {
                *given = variable(name);
                while !taken.insert(given.clone()) {
                    given.push('_');
                }
            }
        } else if kind == Graph && lexed.sig.get(pos + 1).is_some_and(|next| next.kind == Eq) {
            given.clear();
        }
        if !given.is_empty() {
            edits.push(Edit { span, text: given.clone() });
            lexed.sig[pos].kind = Local;
            lexed.tokens[token as usize].kind = Local;
        }
    }
    if let Some((form, at)) = slip {
        lexed.errors.push(SyntaxError::Foreign { form, at, edits });
    }
    lexed
}

/// `%conv1_weight` for `%conv1.weight`, `%v1` for `%1`.
fn variable(name: &str) -> String {
    let mut out = "%".to_owned();
    for c in name[1..].chars() {
        if out.len() == 1 && c.is_ascii_digit() {
            out.push('v');
        }
        match c {
            '.' | '/' | ':' if out.ends_with('_') => {}
            '.' | '/' | ':' => out.push('_'),
            c => out.push(c),
        }
    }
    out
}
