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
pub(crate) type Axes = (ParamId, i64, TermId);

/// Adds to what is known of parameters, each of which is there once.
fn note(found: &mut Vec<Axes>, (param, n, by): Axes) {
    match found.iter_mut().find(|(other, ..)| *other == param) {
        Some((_, most, _)) if *most >= n => {}
        Some(known) => *known = (param, n, by),
        None => found.push((param, n, by)),
    }
}

fn is_said(said: &[Axes], param: ParamId, n: i64) -> bool {
    said.iter().any(|&(other, most, _)| other == param && most >= n)
}

impl Inference<'_> {
    /// What a group's bodies ask of the shape parameters that are declared in them goes behind what is `waiting` anyway.
    pub(crate) fn ask_for_axes(&mut self, group: &[Member], first_term: usize, waiting: &mut Vec<RelationId>) {
        let is_declared = |param: &ParamId| (param.number() as usize) < self.module.type_params.len();
        let mut asked = self.axes_from(first_term);
        asked.keep(|(param, ..)| is_declared(param));
        if asked.is_empty() {
            return;
        }
        let mut types: Vec<TermId> = group.iter().filter_map(|&member| self.member_type(member)).list();
        // What clauses are made of, they say.
        types.append_all(self.terms_from(first_term).filter(|id| (id.number() as usize) < self.assumed_until));
        let assumed = self.assumed.iter().map(|&id| self.solver.relation(id));
        let mut said = self.axes_said(types, assumed.map(|posted| (&posted.relation, &posted.args[..])));
        asked.iter().for_each(|&(param, ..)| self.say_where_bound(param, &mut said));
        let implied = self.settle_axes(&asked, said, waiting);
        self.implied.extend(implied);
    }

    /// Adds what a definition of type `body` owes for the axes of its parameters to what it owes anyway. `asked`: what is
    /// asked of them and others.
    pub(crate) fn owe_asked(&mut self, asked: &[Axes], params: &[ParamId], body: TermId, owed: &mut Vec<RelationId>) {
        let asked = asked.iter().copied().filter(|(param, ..)| params.contains(param)).list();
        let n_relations = self.solver.relations().len();
        let said = self.axes_in(&[body]);
        self.settle_axes(&asked, said, owed);
        let is_new = |id: &RelationId| id.number() as usize >= n_relations;
        let posted = owed.iter().copied().filter(is_new).list();
        if let Some(&first) = posted.first() {
            let cause = self.solver.relation(first).cause;
            self.solver.quantify(&posted, &[], cause);
        }
    }

    /// Posts what is asked for and neither said nor owed. What is said, or the less of two, is not owed: the answer.
    fn settle_axes(&mut self, asked: &[Axes], said: Vec<Axes>, owed: &mut Vec<RelationId>) -> Vec<RelationId> {
        let relations = owed.iter().map(|&id| self.solver.relation(id));
        let others = relations.filter(|posted| axes_asked(&self.solver, &posted.relation, &posted.args).is_none());
        let args = others.list_all(|posted| posted.args.iter().copied());
        let (mut said, mut most) = (said, Vec::new());
        self.axes_in(&args).into_iter().for_each(|axes| note(&mut said, axes));
        let asked_by = |id: RelationId| {
            let posted = self.solver.relation(id);
            let (param, n) = axes_asked(&self.solver, &posted.relation, &posted.args)?;
            Some((param, n, posted.args[1]))
        };
        for axes @ (param, n, _) in owed.iter().filter_map(|&id| asked_by(id)).chain(asked.iter().copied()) {
            if n > 0 && !is_said(&said, param, n) {
                note(&mut most, axes);
            }
        }
        let mut implied = Vec::new();
        owed.keep(|&id| {
            let Some((param, n, _)) = asked_by(id) else { return true };
            // The first of those that ask for the most is it.
            let n_before = most.len();
            most.keep(|&(other, most, _)| (other, most) != (param, n));
            let is_it = most.len() < n_before;
            implied.append_all((!is_it).then_some(id));
            is_it
        });
        for (param, n, by) in most {
            let cause = self.solver.store.made_by(by);
            let shape = self.solver.fresh(Term::Param(param, Kind::Shape), cause);
            if let Some(rank) = self.solver.value(&Function::Rank, &[shape], cause) {
                let least = self.solver.fresh(Term::Dim(Dim::number(n)), cause);
                owed.push(self.solver.post(&AT_MOST, &[least, rank], Attrs::none(), cause));
            }
        }
        self.solver.solve();
        implied
    }

    /// Adds what is said of a parameter by the literals, and by the types of values handed over, that it is one of.
    fn say_where_bound(&self, param: ParamId, said: &mut Vec<Axes>) {
        let literals = self.literals.values().filter(|scheme| scheme.params.contains(&param)).map(|scheme| scheme.body);
        let handed = self.handed.values().copied().filter(|&term| self.bound_by(term).contains(&param));
        let found = self.axes_in(&literals.chain(handed).list());
        found.into_iter().filter(|&(other, ..)| other == param).for_each(|axes| note(said, axes));
    }

    /// Adds to what a definition owes that a parameter of its has some axes. Whether nothing said so; `None` where the
    /// relation asks for something else, or the definition cannot be told.
    pub(crate) fn owe_axes(&mut self, def: DefId, owed: &Obligation, may_owe: bool) -> Option<bool> {
        let (param, n) = axes_asked(&self.solver, &owed.relation, &owed.args)?;
        let scheme = self.defs[def].as_ref()?;
        let obligations = scheme.obligations.iter().map(|owed| (&owed.relation, &owed.args[..]));
        let mut said = self.axes_said(vec![scheme.body], obligations);
        self.say_where_bound(param, &mut said);
        if is_said(&said, param, n) {
            return Some(false);
        }
        if !may_owe || !scheme.params.contains(&param) {
            return None;
        }
        let mut scheme = Scheme::clone(scheme);
        let is_less = |owed: &Obligation| {
            axes_asked(&self.solver, &owed.relation, &owed.args).is_some_and(|(other, _)| other == param)
        };
        scheme.obligations.keep(|owed| !is_less(owed));
        scheme.obligations.push(owed.clone());
        self.defs[def] = Some(Arc::new(scheme));
        Some(true)
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

    /// What the terms from one on are made of.
    pub(crate) fn axes_from(&self, first_term: usize) -> Vec<Axes> {
        self.axes_of(&mut self.terms_from(first_term))
    }

    fn terms_from(&self, first: usize) -> impl Iterator<Item = TermId> + use<> {
        (first..self.solver.store.len()).map(|at| TermId::numbered(at as u32))
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
