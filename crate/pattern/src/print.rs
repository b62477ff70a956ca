//! Patterns as text: what a match misses, and what values come to a place of its tree.

use crate::door::MatchTree;
use crate::pattern::{Head, Pattern, PatternId, Patterns};
use crate::rows::PlaceId;
use base::{Idx, IndexVec, Surface, ToList};
use hir::{CtorId, Module};
use ty::{Dtype, Printed, Scalar, Value, VariantId};

/// A printed pattern stops here with `…`.
const MAX_NODES: usize = 200;

enum Piece {
    Text(&'static str),
    Pattern(PatternId),
    /// As a field.
    Field(PatternId),
}

pub(crate) fn print(module: &Module, literals: &[(Dtype, Scalar)], patterns: &Patterns, root: PatternId) -> Printed {
    // `Cons _ None` instead of `` Cons(_, `None) ``: parentheses are around fields that have fields themselves.
    let is_juxtaposed = module.surface == Surface::Refine;
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
                if is_juxtaposed && !is_simple {
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
        let is_tuple = head == Head::Tuple;
        if !is_tuple {
            text.push_str(&print_head(module, literals, head));
        }
        let is_call = is_tuple || !is_juxtaposed;
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

fn print_head(module: &Module, literals: &[(Dtype, Scalar)], head: Head) -> String {
    match head {
        Head::Ctor(number) => module.ctors[CtorId::numbered(number)].name.clone(),
        Head::Variant(number) => {
            let name = &module.variants[VariantId::numbered(number)];
            if module.surface == Surface::Relay { format!("`{name}") } else { name.clone() }
        }
        Head::Tuple => "(…)".to_owned(),
        Head::Literal(number) => {
            let (dtype, scalar) = literals[number as usize];
            ty::print_value(&Value::Scalar(dtype, scalar), module).text
        }
        Head::Other => "_".to_owned(),
    }
}

/// Whether all that no pattern names is among alternatives of which none has parts: as a pattern after those that name
/// the others, that is `_`.
fn is_anything(patterns: &Patterns, parts: &[PatternId]) -> bool {
    let is_rest = |&part: &PatternId| matches!(patterns.nodes[part], Pattern::Head(Head::Other, _));
    let is_bare = |&part: &PatternId| patterns.parts(part).iter().all(|&part| patterns.nodes[part] == Pattern::Wild);
    parts.iter().any(is_rest) && parts.iter().all(is_bare)
}

impl MatchTree {
    /// A head without its fields.
    pub fn print_head(&self, module: &Module, head: Head) -> String {
        print_head(module, &self.literals, head)
    }

    /// The values that begin at some places with one of some heads, as a pattern. A place within another says nothing
    /// unless the other begins with its head.
    pub fn print_values(&self, module: &Module, begins: impl Fn(PlaceId) -> Option<Vec<Head>>) -> Printed {
        let tree = &self.tree;
        let mut patterns = Patterns::default();
        let mut asked: IndexVec<PlaceId, Vec<(Head, usize, PatternId)>> =
            IndexVec::filled(Vec::new(), tree.places.len());
        // What is within a place has a larger id.
        for place in (0..tree.places.len()).rev().map(PlaceId::new) {
            let within = tree.places[place].within;
            let heads = match begins(place) {
                Some(heads) => heads,
                // Of a tuple nothing is asked but of its items.
                None if asked[place].first().is_some_and(|&(head, ..)| head == Head::Tuple) => vec![Head::Tuple],
                None if within.is_none() => Vec::new(),
                None => continue,
            };
            let mut alternatives: Vec<PatternId> = Vec::new();
            for head in heads {
                let parts = (0..tree.n_fields(place, head)).map(|field| {
                    let own = asked[place].iter().find(|&&(other, at, _)| (other, at) == (head, field));
                    own.map_or_else(|| patterns.push(Pattern::Wild), |&(.., pattern)| pattern)
                });
                let parts = parts.list();
                alternatives.push(patterns.push(Pattern::Head(head, parts)));
            }
            let pattern = match alternatives[..] {
                [] => patterns.push(Pattern::Wild),
                [only] => only,
                _ => patterns.push(Pattern::Or(alternatives)),
            };
            if let Some((outer, head, field)) = within {
                asked[outer].push((head, field as usize, pattern));
            }
        }
        let root = PatternId::new(patterns.nodes.len() - 1);
        print(module, &self.literals, &patterns, root)
    }
}
