//! Which brackets belong together, decided before parsing.

use crate::lexer::{NONE, Sig};
use crate::token::TokenKind::{self, *};

/// Whether an item that nothing else can be begins a line here; in TensorScript, one of its four that hold no shape or
/// number, anywhere if enough of it is there; and where the lines say so.
pub(super) fn begins_item(sig: &[Sig], pos: usize) -> bool {
    let Sig { kind, first_on_line, ends_blocks, .. } = sig[pos];
    match kind {
        _ if ends_blocks => true,
        KwDef | KwExtern | Metadata => first_on_line,
        KwType | KwData | KwRelation => first_on_line && nth(sig, pos + 1) == Ident,
        KwUse | KwNode | KwWeights | KwGraph => {
            nth(sig, pos + 1).is_name() && (first_on_line || matches!(nth(sig, pos + 2), Lt | LBrace | ColonColon))
        }
        _ => false,
    }
}

/// Whether a part of an item of TensorScript, which begins with the word `item`, begins here.
pub(super) fn begins_part(sig: &[Sig], pos: usize, item: TokenKind) -> bool {
    let Sig { kind, first_on_line, .. } = sig[pos];
    let next = |ahead| nth(sig, pos + ahead);
    match kind {
        KwMethod => first_on_line || next(1).is_name(),
        KwDim | KwTsr => item != KwGraph && next(1).is_name() && (first_on_line || next(2) == Eq),
        _ if item == KwWeights && kind.is_name() => {
            first_on_line && next(1) == Eq && next(2).is_name() && next(3) == ColonColon
        }
        _ => false,
    }
}

fn nth(sig: &[Sig], pos: usize) -> TokenKind {
    sig.get(pos).map_or(Eof, |sig| sig.kind)
}

/// Pairs `()`, `[]` and `{}`. A closer pairs with the nearest opener of its kind, and openers in between stay alone; a
/// closer without an opener stays alone too. No pair reaches over the beginning of an item, so a mistake does not spoil
/// the definitions after it, and but for the braces of an item none over that of its parts. In `( [ )` the `(` and `)`
/// pair, in `( ] )` too. In `fn( ->` the `(` stays alone, and so does what is surplus.
pub(super) fn brackets(sig: &mut [Sig], surplus: &[usize]) {
    let mut open: Vec<u32> = Vec::new();
    // How many of each kind are in `open`: a closer without an opener must not search for one.
    let mut n_open = [0_u32; 3];
    let mut item = Eof;
    for pos in 0..sig.len() {
        let kind = sig[pos].kind;
        sig[pos].partner = NONE;
        if kind.is_opener() {
            open.push(pos as u32);
            n_open[slot(kind)] += 1;
        } else if kind.is_closer() {
            if n_open[slot(kind)] == 0 || surplus.binary_search(&pos).is_ok() {
                continue;
            }
            while let Some(opener) = open.pop() {
                let opened = sig[opener as usize].kind;
                n_open[slot(opened)] -= 1;
                if opened.closer() == kind {
                    sig[opener as usize].partner = pos as u32;
                    sig[pos].partner = opener;
                    break;
                }
            }
        } else if kind == Arrow && ends_params(sig, pos, open.last()) {
            open.pop();
            n_open[slot(LParen)] -= 1;
        } else if begins_item(sig, pos) {
            item = kind;
            open.clear();
            n_open = [0; 3];
        } else if begins_part(sig, pos, item) {
            let has_braces = open.first().is_some_and(|&opener| sig[opener as usize].kind == LBrace);
            open.truncate(usize::from(has_braces));
            n_open = [0, 0, open.len() as u32];
        }
    }
}

/// The `}` that are too many: where an item has one that closes nothing, and just one that stands behind other signs of
/// its line though its `{` is on another, that one has closed too much.
///
/// Worked example: the second `}` of `}};`, where the first one begins the line.
pub(super) fn surplus_braces(sig: &[Sig]) -> Vec<usize> {
    let mut found = Vec::new();
    // How many lines have begun up to each token.
    let mut lines: Vec<u32> = Vec::with_capacity(sig.len());
    for sig in sig {
        lines.push(lines.last().copied().unwrap_or(0) + u32::from(sig.first_on_line));
    }
    let (mut candidates, mut n_alone) = (Vec::new(), 0);
    for pos in 0..=sig.len() {
        if pos == sig.len() || begins_item(sig, pos) {
            if let (1, &[surplus]) = (n_alone, &candidates[..]) {
                found.push(surplus);
            }
            candidates.clear();
            n_alone = 0;
            continue;
        }
        let Sig { kind: RBrace, partner, first_on_line, .. } = sig[pos] else { continue };
        if partner == NONE {
            n_alone += 1;
        } else if !first_on_line && lines[partner as usize] < lines[pos] {
            candidates.push(pos);
        }
    }
    found
}

/// Whether the parameters of a function that opened last lack their `)`, since an arrow stands behind one of them.
fn ends_params(sig: &[Sig], arrow: usize, opener: Option<&u32>) -> bool {
    let last = |pos: usize| if pos == 0 { Eof } else { sig[pos - 1].kind };
    last(arrow) != RParen
        && opener.is_some_and(|&opener| sig[opener as usize].kind == LParen && last(opener as usize) == KwFn)
}

fn slot(kind: TokenKind) -> usize {
    match kind {
        LParen | RParen => 0,
        LBracket | RBracket => 1,
        _ => 2,
    }
}

/// Gives each `<` its `>` where the two can hold type arguments: brackets between them are balanced, nothing between
/// them is foreign to types, and a `(` follows at once.
pub(super) fn angles(sig: &mut [Sig]) {
    let mut open: Vec<u32> = Vec::new();
    for pos in 0..sig.len() {
        match sig[pos].kind {
            Lt | LParen | LBracket => open.push(pos as u32),
            Gt => {
                let Some(opener) = open.pop_if(|opener| sig[*opener as usize].kind == Lt) else { continue };
                let next = sig[pos + 1];
                if next.kind == LParen && next.token == sig[pos].token + 1 {
                    sig[opener as usize].partner = pos as u32;
                }
            }
            RParen | RBracket => match sig[pos].partner {
                NONE => open.clear(),
                partner => while open.pop_if(|opener| *opener >= partner).is_some() {},
            },
            Ident | Int | Comma | Question | Underscore | Colon | Arrow | Plus | Minus | Star | Slash | Dot | KwFn
            | KwRef | KwWhere | Backtick | Pipe => {}
            _ => open.clear(),
        }
    }
}
