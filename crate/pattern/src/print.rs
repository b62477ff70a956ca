//! Witnesses as text.

use crate::pattern::{Head, Pattern, PatternId, Patterns};
use hir::{CtorId, Module};
use ty::{Dtype, Printed, Scalar, Value, VariantId};

/// A printed pattern stops here with `…`.
const MAX_NODES: usize = 200;

/// How patterns are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `` Cons(_, `None) ``.
    Calls,
    /// `Cons _ None`: fields follow their head, with parentheses around those that have fields themselves.
    Juxtaposed,
}

enum Piece {
    Text(&'static str),
    Pattern(PatternId),
    /// As a field.
    Field(PatternId),
}

pub(crate) fn print(
    module: &Module,
    literals: &[(Dtype, Scalar)],
    patterns: &Patterns,
    root: PatternId,
    notation: Notation,
) -> Printed {
    let mut text = String::new();
    let mut n_nodes = 0;
    let mut stack = vec![Piece::Pattern(root)];
    while let Some(piece) = stack.pop() {
        let id = match piece {
            Piece::Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Piece::Field(id) => {
                let is_simple = match &patterns.nodes[id] {
                    Pattern::Wild | Pattern::Head(Head::Tuple | Head::Literal(_) | Head::Other, _) => true,
                    Pattern::Head(Head::Ctor(_) | Head::Variant(_), fields) => fields.is_empty(),
                    Pattern::Or(_) => false,
                };
                if notation == Notation::Juxtaposed && !is_simple {
                    stack.push(Piece::Text(")"));
                    text.push('(');
                }
                id
            }
            Piece::Pattern(id) => id,
        };
        n_nodes += 1;
        if n_nodes > MAX_NODES {
            text.push('…');
            return Printed { text, truncated: true };
        }
        let (head, fields) = match &patterns.nodes[id] {
            Pattern::Wild => {
                text.push('_');
                continue;
            }
            Pattern::Or(parts) if is_anything(patterns, parts) => {
                text.push('_');
                continue;
            }
            Pattern::Or(parts) => {
                for (i, &part) in parts.iter().enumerate().rev() {
                    stack.push(Piece::Pattern(part));
                    if i > 0 {
                        stack.push(Piece::Text(" | "));
                    }
                }
                continue;
            }
            Pattern::Head(head, fields) => (*head, fields),
        };
        match head {
            Head::Ctor(number) => text.push_str(&module.ctors[CtorId(number)].name),
            Head::Variant(number) => {
                text.push_str(if notation == Notation::Calls { "`" } else { "" });
                text.push_str(&module.variants[VariantId(number)]);
            }
            Head::Other => text.push('_'),
            Head::Tuple => {}
            Head::Literal(number) => {
                let (dtype, scalar) = literals[number as usize];
                text.push_str(&ty::print_value(&Value::Scalar(dtype, scalar), module).text);
            }
        }
        let is_tuple = head == Head::Tuple;
        let is_call = is_tuple || notation == Notation::Calls;
        if !is_tuple && fields.is_empty() {
            continue;
        }
        if is_call {
            stack.push(Piece::Text(if is_tuple && fields.len() == 1 { ",)" } else { ")" }));
            text.push('(');
        }
        for (i, &field) in fields.iter().enumerate().rev() {
            stack.push(if is_call { Piece::Pattern(field) } else { Piece::Field(field) });
            match (is_call, i) {
                (true, 0) => {}
                (true, _) => stack.push(Piece::Text(", ")),
                (false, _) => stack.push(Piece::Text(" ")),
            }
        }
    }
    Printed { text, truncated: false }
}

/// Whether all that no pattern names is among alternatives of which none has parts: as a pattern after those that name
/// the others, that is `_`.
fn is_anything(patterns: &Patterns, parts: &[PatternId]) -> bool {
    let is_rest = |&part: &PatternId| matches!(patterns.nodes[part], Pattern::Head(Head::Other, _));
    let is_bare = |&part: &PatternId| patterns.parts(part).iter().all(|&part| patterns.nodes[part] == Pattern::Wild);
    parts.iter().any(is_rest) && parts.iter().all(is_bare)
}
