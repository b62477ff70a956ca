//! The relation of `p as %y` between the type that is matched and the type of the variable.
//!
//! `Copy(T, U)`: `U` has every variant of `T`, and may have more. Sums and tuples are copied, field by field;
//! functions, references, tensors and nominal types are shared, so that there `T` and `U` are equal. Both sides may
//! still grow: what is unknown in `T` is waited for.
//!
//! Worked example: `T = [`A([`B | s]) | r]`, `U` unknown. `U` becomes `[`A(u) | v]`, and `Copy([`B | s], u)` and
//! `Copy(r, [`A(u) | v])` are posted. The second waits for `r`: what is added to `T` later is added to `U`.

use crate::{AttrValue, Attrs, Facts, Kind, Reason, Relation, Step, Stop, Term, TermId};
use base::ToList;
use std::sync::Arc;

pub static COPY: Relation = Relation { name: "Copy", n_outputs: 1, rule: copy };

/// How deep below the pattern a copy stands, among the attributes.
const DEPTH: &str = "depth";

/// Copies this deep, and twice as deep and so on, make sure that there is an end.
const LOOK_FROM: i64 = 4;

fn copy(r: &mut dyn Facts) -> Step {
    let (from, to) = (r.arg(0), r.arg(1));
    if r.same(from, to) || matches!(r.peek(to), Term::Error(_)) {
        return Ok(());
    }
    match r.peek(from) {
        Term::Hole(Kind::Row) | Term::Param(_, Kind::Row) => {
            let end = r.row(to).1;
            if r.same(end, from) { Ok(()) } else { Err(Stop::wait(&[from, end])) }
        }
        Term::Hole(_) => Err(Stop::wait(&[from])),
        Term::Tuple(fields) => {
            let attrs = deeper(r)?;
            let fields = r.items(fields).to_vec();
            let copies: Vec<TermId> = fields.iter().map(|_| r.make_hole(Kind::Type)).list();
            let tuple = r.make_tuple(&copies);
            r.unify(to, tuple)?;
            post_all(r, &fields, &copies, &attrs);
            Ok(())
        }
        Term::Sum(row) => {
            let copied = r.make_hole(Kind::Row);
            let sum = r.make(Term::Sum(copied));
            r.unify(to, sum)?;
            let attrs = r.attrs().clone();
            r.post_with((&COPY).into(), &[row, copied], attrs);
            Ok(())
        }
        Term::Row { .. } => {
            let attrs = deeper(r)?;
            let (variants, rest) = r.row(from);
            let mut copied = r.make_hole(Kind::Row);
            let mut pairs = Vec::new();
            for variant in variants.iter().rev() {
                let fields = r.items(variant.fields).to_vec();
                let copies: Vec<TermId> = fields.iter().map(|_| r.make_hole(Kind::Type)).list();
                let list = r.make_list(&copies);
                copied = r.make_like(Term::Row { variant: variant.name, fields: list, rest: copied }, variant.cell);
                pairs.push((fields, copies));
            }
            r.unify(to, copied)?;
            pairs.iter().rev().for_each(|(fields, copies)| post_all(r, fields, copies, &attrs));
            let attrs = r.attrs().clone();
            r.post_with((&COPY).into(), &[rest, to], attrs);
            Ok(())
        }
        Term::EmptyRow => Ok(()),
        Term::Error(_)
        | Term::Param(..)
        | Term::Tensor { .. }
        | Term::Func { .. }
        | Term::Forall { .. }
        | Term::Ref(_)
        | Term::Adt { .. }
        | Term::Shape(_)
        | Term::Slice { .. }
        | Term::Splice(_)
        | Term::Dim(_)
        | Term::Dtype(_) => r.unify(from, to),
    }
}

/// The attributes of the copies of the fields. From time to time it is made sure that the copies come to an end.
fn deeper(r: &mut dyn Facts) -> Result<Arc<Attrs>, Stop> {
    let depth = r.attrs().int(DEPTH).unwrap_or(0) + 1;
    if depth >= LOOK_FROM && depth.count_ones() == 1 && r.copies_itself() {
        return Err(Stop::fail(Reason::EndlessCopy));
    }
    Ok(Arc::new(Attrs { entries: vec![(DEPTH, AttrValue::Int(depth))], written: vec![false] }))
}

fn post_all(r: &mut dyn Facts, from: &[TermId], to: &[TermId], attrs: &Arc<Attrs>) {
    for (&from, &to) in from.iter().zip(to) {
        r.post_with((&COPY).into(), &[from, to], attrs.clone());
    }
}
