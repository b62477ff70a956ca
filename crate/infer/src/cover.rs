//! Whether a match takes everything that comes to a place, whatever is there.
//!
//! Maranget's matrices (Warnings for pattern matching, 2007) without types: of an anonymous sum those variants come
//! that arms ask for, also arms that ask for something at the place, and others where an arm takes everything.
//!
//! Worked example: of ``match(%x) { (`Idle, (`A, 1)) => 1, (`Idle, _) => 2, (`Busy, _) => 3 }`` the last two arms take
//! everything at the place of `` `A ``. Beside the way there they ask for `` `Idle `` and `` `Busy ``, which is all
//! that comes, so the match takes values with any variant at that place. Without the second arm it does not: there is
//! nothing for `` `Idle `` beside another variant than `` `A ``.

use crate::rows::Step;
use base::{Append, HashSet, ToList};
use hir::{Module, PatId, PatKind};
use ty::Dtype;

/// Patterns side by side; `None` takes everything.
type Row = Vec<Option<PatId>>;

/// Whether arms take everything that is reached by `way`, whatever is there and beside. What would need more than
/// `fuel` cells is taken to be false.
pub(crate) fn takes_any(module: &Module, arms: &[PatId], way: &[Step], fuel: &mut usize) -> bool {
    let mut rows: Vec<Row> = arms.iter().map(|&arm| vec![Some(arm)]).list();
    let mut at = 0;
    for &step in way {
        let n_columns = rows.first().map_or(0, Vec::len);
        if rows.is_empty() || !spend(fuel, &rows) {
            return false;
        }
        let (rest, field) = match step {
            Step::Ctor(ctor, i) => (specialize(module, &rows, at, i + 1, &|pat| of_ctor(pat, ctor)), i),
            Step::Variant(name, i) => (specialize(module, &rows, at, i + 1, &|pat| of_variant(pat, name)), i),
            Step::Tuple(i) => (specialize(module, &rows, at, i + 1, &of_tuple), i),
        };
        (rows, at) = (rest, n_columns - 1 + field);
    }
    // The arms that take everything there, and all of them, which say what comes beside.
    let mut pending =
        vec![(specialize(module, &rows, at, 0, &|_| None), specialize(module, &rows, at, 0, &|_| Some(&[])))];
    while let Some((rows, all)) = pending.pop() {
        let Some(first) = rows.first() else { return false };
        if !spend(fuel, &rows) || !spend(fuel, &all) {
            return false;
        }
        let asks = |&pat: &Option<PatId>| !alternatives(module, pat).contains(&None);
        let Some(at) = first.iter().position(asks) else { continue };
        let heads: Vec<Option<PatId>> = all.iter().list_all(|row| alternatives(module, row[at]));
        let kinds = || heads.iter().flatten().map(|&pat| &module.pats[pat].kind);
        let mut push = |takes: Takes| {
            // As many columns in both.
            let all = specialize(module, &all, at, 0, takes);
            let n_fields = all.first().map_or(0, |row| (row.len() + 1).saturating_sub(first.len()));
            pending.push((specialize(module, &rows, at, n_fields, takes), all));
        };
        match kinds().next() {
            Some(PatKind::Tuple(_)) => push(&of_tuple),
            Some(PatKind::Ctor(ctor, _)) => {
                for &ctor in &module.adts[module.ctors[*ctor].adt].ctors {
                    push(&|pat| of_ctor(pat, ctor));
                }
            }
            Some(PatKind::Variant(..)) => {
                let mut names = HashSet::default();
                for kind in kinds() {
                    if let PatKind::Variant(name, _) = kind
                        && names.insert(*name)
                    {
                        push(&|pat| of_variant(pat, *name));
                    }
                }
                if heads.contains(&None) {
                    push(&|_| None);
                }
            }
            Some(PatKind::Literal(Dtype::Bool, value))
                if kinds().any(|kind| !matches!(kind, PatKind::Literal(_, other) if other == value)) =>
            {
                push(&|pat| matches!(pat, PatKind::Literal(_, other) if other == value).then_some(&[]));
                push(&|pat| matches!(pat, PatKind::Literal(_, other) if other != value).then_some(&[]));
            }
            Some(PatKind::Literal(..)) => push(&|_| None),
            None | Some(PatKind::Error | PatKind::Wild | PatKind::Var(_) | PatKind::As(..) | PatKind::Or(_)) => {}
        }
    }
    true
}

fn spend(fuel: &mut usize, rows: &[Row]) -> bool {
    let n_cells = rows.iter().map(|row| row.len() + 1).total();
    *fuel = fuel.saturating_sub(n_cells);
    *fuel > 0
}

/// What a pattern is made of; `None` is what takes everything.
fn alternatives(module: &Module, pat: Option<PatId>) -> Vec<Option<PatId>> {
    let mut found = Vec::new();
    let mut pending = vec![pat];
    while let Some(pat) = pending.pop() {
        match pat.map(|pat| &module.pats[pat].kind) {
            None | Some(PatKind::Error | PatKind::Wild | PatKind::Var(_)) => found.push(None),
            Some(PatKind::As(inner, _)) => pending.push(Some(*inner)),
            Some(PatKind::Or(more)) => pending.append_all(more.iter().rev().map(|&pat| Some(pat))),
            Some(PatKind::Ctor(..) | PatKind::Variant(..) | PatKind::Tuple(_) | PatKind::Literal(..)) => {
                found.push(pat)
            }
        }
    }
    found
}

/// A pattern's fields, if it asks for what is looked at.
type Takes<'a> = &'a dyn for<'p> Fn(&'p PatKind) -> Option<&'p [PatId]>;

fn of_ctor(pat: &PatKind, wanted: hir::CtorId) -> Option<&[PatId]> {
    match pat {
        PatKind::Ctor(ctor, fields) if *ctor == wanted => Some(fields),
        _ => None,
    }
}

fn of_variant(pat: &PatKind, wanted: ty::VariantId) -> Option<&[PatId]> {
    match pat {
        PatKind::Variant(name, fields) if *name == wanted => Some(fields),
        _ => None,
    }
}

fn of_tuple(pat: &PatKind) -> Option<&[PatId]> {
    match pat {
        PatKind::Tuple(fields) => Some(fields),
        _ => None,
    }
}

/// The rows that take such a value in a column, which gives way to columns for at least `n` fields behind the others.
fn specialize(module: &Module, rows: &[Row], at: usize, n: usize, takes: Takes) -> Vec<Row> {
    let mut taken: Vec<(&Row, &[PatId])> = Vec::new();
    for row in rows {
        for head in alternatives(module, row[at]) {
            let fields = head.map_or(Some(&[][..]), |pat| takes(&module.pats[pat].kind));
            taken.append_all(fields.map(|fields| (row, fields)));
        }
    }
    let n_fields = taken.iter().map(|(_, fields)| fields.len()).fold(n, usize::max);
    let widened = taken.into_iter().map(|(row, fields)| {
        let mut widened = row.clone();
        widened.swap_remove(at);
        let n_columns = widened.len() + n_fields;
        widened.append_all(fields.iter().map(|&field| Some(field)));
        widened.resize(n_columns, None);
        widened
    });
    widened.list()
}
