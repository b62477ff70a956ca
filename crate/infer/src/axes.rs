//! What a body takes for granted of shape parameters: that they have the axes which it cuts off. Where a function's type
//! does not say so itself, callers are asked for it.
//!
//! Worked example: `def @f[S: Shape](%x: Tensor[S, float32]) -> float32 { max(max(%x, axis=[-1], keepdims=True)) }` makes
//! `(..S[:-1], 1)` on the way, and owes `AtMost(1, rank(S))`. With `-> Tensor[S[:-1], float32]` it owes nothing.

use crate::group::Member;
use crate::walk::Inference;
use base::{Append, Edited, ToList};
use hir::DefId;
use solve::{RelationId, Solver};
use std::sync::Arc;
use ty::{
    AT_MOST, Atom, Attrs, Dim, Extent, Function, Kind, Obligation, ParamId, RelationRef, Scheme, Term, TermId, Terms,
};

/// How many axes a shape parameter has at least, and the term that says so.
type Axes = (ParamId, i64, TermId);

/// Adds to what is known of parameters, each of which is there once.
fn note(found: &mut Vec<Axes>, (param, n, by): Axes) {
    match found.iter_mut().find(|(other, ..)| *other == param) {
        Some((_, most, _)) if *most >= n => {}
        Some(known) => *known = (param, n, by),
        None => found.push((param, n, by)),
    }
}

impl Inference<'_> {
    /// Posts what a group's bodies ask of the shape parameters that are declared in them. `waiting`: what is owed anyway.
    pub(crate) fn ask_for_axes(&mut self, group: &[Member], first_term: usize, waiting: &[RelationId]) {
        let is_declared = |param: &ParamId| (param.number() as usize) < self.module.type_params.len();
        let mut asked = self.axes_of(&mut self.terms_from(first_term));
        asked.keep(|(param, ..)| is_declared(param));
        if asked.is_empty() {
            return;
        }
        let literals = self.literals.values().map(|scheme| scheme.body);
        let mut types: Vec<TermId> = group.iter().filter_map(|&member| self.member_type(member)).chain(literals).list();
        // What clauses are made of, they say.
        types.append_all(self.terms_from(first_term).filter(|id| (id.number() as usize) < self.assumed_until));
        let owed = waiting.iter().chain(&self.assumed).map(|&id| self.solver.relation(id));
        let said = self.axes_said(types, owed.map(|posted| (&posted.relation, &posted.args[..])));
        self.post_axes(asked, &said);
        self.solver.solve();
    }

    /// What a definition of type `body` owes for the axes of its parameters besides what it owes anyway. `first_term`: where
    /// what they are made of begins.
    pub(crate) fn axes_owed(
        &mut self,
        params: &[ParamId],
        body: TermId,
        owed: &[RelationId],
        first_term: usize,
    ) -> Vec<RelationId> {
        let mut asked = self.axes_of(&mut self.terms_from(first_term));
        asked.keep(|(param, ..)| params.contains(param));
        if asked.is_empty() {
            return Vec::new();
        }
        let relations = owed.iter().map(|&id| self.solver.relation(id));
        let said = self.axes_said(vec![body], relations.map(|posted| (&posted.relation, &posted.args[..])));
        let owed = self.post_axes(asked, &said);
        if !owed.is_empty() {
            self.solver.solve();
            let cause = self.solver.relation(owed[0]).cause;
            self.solver.quantify(&owed, &[], cause);
        }
        owed
    }

    /// Adds to what a definition owes that a parameter of its has some axes, unless it says so.
    pub(crate) fn owe_axes(&mut self, def: DefId, relation: RelationId) -> bool {
        let posted = self.solver.relation(relation);
        let (Some((param, n)), Some(scheme)) =
            (axes_asked(&self.solver, &posted.relation, &posted.args), &self.defs[def])
        else {
            return false;
        };
        if !scheme.params.contains(&param) {
            return false;
        }
        let owed = scheme.obligations.iter().map(|owed| (&owed.relation, &owed.args[..]));
        if !self.axes_said(vec![scheme.body], owed).iter().any(|&(said, most, _)| said == param && most >= n) {
            let mut scheme = Scheme::clone(scheme);
            let (args, attrs, cause) = (posted.args.to_vec(), posted.attrs.clone(), posted.cause);
            scheme.obligations.push(Obligation { relation: (&AT_MOST).into(), args, attrs });
            self.defs[def] = Some(Arc::new(scheme));
            self.solver.quantify(&[relation], &[], cause);
        }
        true
    }

    /// What a type says, and what it owes.
    fn axes_said<'a>(
        &self,
        mut types: Vec<TermId>,
        owed: impl Iterator<Item = (&'a RelationRef, &'a [TermId])>,
    ) -> Vec<Axes> {
        let mut asked = Vec::new();
        for (relation, args) in owed {
            types.extend_from_slice(args);
            asked.append_all(axes_asked(&self.solver, relation, args).map(|(param, n)| (param, n, args[1])));
        }
        let mut said = self.axes_in(&types);
        asked.into_iter().for_each(|axes| note(&mut said, axes));
        said
    }

    /// What types say by being made of parts of parameters: at least 0 of each of which the rank matters.
    pub(crate) fn axes_in(&self, types: &[TermId]) -> Vec<Axes> {
        self.axes_of(&mut self.solver.roots_where(types, |_| true).into_iter())
    }

    fn terms_from(&self, first: usize) -> impl Iterator<Item = TermId> + use<> {
        (first..self.solver.store.len()).map(|at| TermId::numbered(at as u32))
    }

    fn post_axes(&mut self, asked: Vec<Axes>, said: &[Axes]) -> Vec<RelationId> {
        let mut posted = Vec::new();
        for (param, n, by) in asked {
            if n == 0 || said.iter().any(|&(said, most, _)| said == param && most >= n) {
                continue;
            }
            let cause = self.solver.store.made_by(by);
            let shape = self.solver.fresh(Term::Param(param, Kind::Shape), cause);
            if let Some(rank) = self.solver.value(&Function::Rank, &[shape], cause) {
                let least = self.solver.fresh(Term::Dim(Dim::number(n)), cause);
                posted.push(self.solver.post(&AT_MOST, &[least, rank], Attrs::none(), cause));
            }
        }
        posted
    }

    fn axes_of(&self, terms: &mut dyn Iterator<Item = TermId>) -> Vec<Axes> {
        let mut found = Vec::new();
        let mut seen: Vec<bool> = Vec::new();
        for term in terms {
            let mut part = |shape, front: u32, back: u32| {
                note(&mut found, (shape, i64::from(front) + i64::from(back), term));
            };
            let mut pending = match self.solver.head(term) {
                Term::Slice { shape, front, back } => {
                    part(shape, front, back);
                    continue;
                }
                Term::Dim(Dim { extent: Extent::Poly(poly), .. }) => vec![poly],
                _ => continue,
            };
            while let Some(poly) = pending.pop() {
                let at = poly.number() as usize;
                seen.resize(seen.len().max(at + 1), false);
                if std::mem::replace(&mut seen[at], true) {
                    continue;
                }
                for &atom in self.solver.poly(poly).atoms() {
                    match atom {
                        Atom::Index(shape, at) => {
                            let n = if at < 0 { at.saturating_neg() } else { at.saturating_add(1) };
                            part(shape, u32::try_from(n).unwrap_or(u32::MAX), 0);
                        }
                        Atom::Rank(shape) => part(shape, 0, 0),
                        Atom::Prod(shape, front, back) => part(shape, front, back),
                        Atom::Max(a, b) | Atom::Min(a, b) | Atom::FloorDiv(a, b) => pending.extend([a, b]),
                        Atom::Param(_) => {}
                    }
                }
            }
        }
        found
    }
}

/// How many axes of a shape parameter `AtMost` asks for: of `AtMost(1, rank(S) - 2)`, 3 of `S`.
pub(crate) fn axes_asked(solver: &Solver, relation: &RelationRef, args: &[TermId]) -> Option<(ParamId, i64)> {
    let (&[least, rank], true) = (args, relation.is(&AT_MOST)) else { return None };
    let (Term::Dim(least), Term::Dim(rank)) = (solver.head(least), solver.head(rank)) else { return None };
    let (Extent::Number(least), Extent::Poly(rank)) = (least.extent, rank.extent) else { return None };
    let (atoms, more) = match solver.poly(rank).terms() {
        [(atoms, 1)] => (atoms, 0),
        [(none, more), (atoms, 1)] if none.is_empty() => (atoms, *more),
        _ => return None,
    };
    match atoms[..] {
        [Atom::Rank(shape)] => Some((shape, least.checked_sub(more)?)),
        _ => None,
    }
}
