//! What a body takes for granted of shape parameters: that they have the axes which it cuts off. Where a function's type
//! does not say so itself, callers are asked for it.
//!
//! Worked example: `def @f[S: Shape](%x: Tensor[S, float32]) -> float32 { max(max(%x, axis=[-1], keepdims=True)) }` makes
//! `(..S[:-1], 1)` on the way, and owes `AtMost(1, rank(S))`. With `-> Tensor[S[:-1], float32]` it owes nothing.

use crate::group::Member;
use crate::walk::Inference;
use base::{Append, HashMap, HashSet, ToList};
use hir::DefId;
use solve::{RelationId, Solver};
use std::sync::Arc;
use ty::{
    AT_MOST, Atom, Attrs, Dim, Extent, Function, Kind, Obligation, ParamId, Poly, RelationRef, Scheme, Term, TermId,
    Terms,
};

/// How many axes shape parameters have at least, and the term that says so.
type Axes = HashMap<ParamId, (i64, TermId)>;

impl Inference<'_> {
    /// Posts what a group's bodies ask of the shape parameters that are declared in them. `waiting`: what is owed anyway.
    pub(crate) fn ask_for_axes(&mut self, group: &[Member], first_term: usize, waiting: &[RelationId]) {
        let is_declared = |param: &ParamId| (param.number() as usize) < self.module.type_params.len();
        let mut asked = self.axes_of(self.terms_from(first_term));
        asked.retain(|param, _| is_declared(param));
        if asked.is_empty() {
            return;
        }
        let literals = self.literals.values().map(|scheme| scheme.body);
        let mut types: Vec<TermId> = group.iter().filter_map(|&member| self.member_type(member)).chain(literals).list();
        // What clauses are made of, they say.
        types.append_all(self.terms_from(first_term).filter(|id| (id.number() as usize) < self.assumed_until));
        let owed = waiting.iter().chain(&self.assumed).map(|&id| self.solver.relation(id));
        let said = self.axes_said(types, owed.map(|posted| (&posted.relation, &posted.args[..])));
        self.post_axes(asked, said);
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
        let mut asked = self.axes_of(self.terms_from(first_term));
        asked.retain(|param, _| params.contains(param));
        if asked.is_empty() {
            return Vec::new();
        }
        let relations = owed.iter().map(|&id| self.solver.relation(id));
        let said = self.axes_said(vec![body], relations.map(|posted| (&posted.relation, &posted.args[..])));
        let owed = self.post_axes(asked, said);
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
        if self.axes_said(vec![scheme.body], owed).get(&param).is_none_or(|&(said, _)| said < n) {
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
    ) -> Axes {
        let mut asked = Vec::new();
        for (relation, args) in owed {
            types.extend_from_slice(args);
            asked.append_all(axes_asked(&self.solver, relation, args).map(|axes| (axes, args[1])));
        }
        let mut said = self.axes_of(self.solver.roots_where(&types, |_| true).into_iter());
        for ((param, n), by) in asked {
            let most = said.entry(param).or_insert((n, by));
            most.0 = n.max(most.0);
        }
        said
    }

    fn terms_from(&self, first: usize) -> impl Iterator<Item = TermId> + use<> {
        (first..self.solver.store.len()).map(|at| TermId::numbered(at as u32))
    }

    fn post_axes(&mut self, asked: Axes, said: Axes) -> Vec<RelationId> {
        let mut asked =
            asked.into_iter().filter(|(param, (n, _))| said.get(param).is_none_or(|(said, _)| said < n)).list();
        base::sort(&mut asked);
        let mut posted = Vec::new();
        for (param, (n, by)) in asked {
            let cause = self.solver.store.made_by(by);
            let shape = self.solver.fresh(Term::Param(param, Kind::Shape), cause);
            if let Some(rank) = self.solver.value(&Function::Rank, &[shape], cause) {
                let least = self.solver.fresh(Term::Dim(Dim::number(n)), cause);
                posted.push(self.solver.post(&AT_MOST, &[least, rank], Attrs::none(), cause));
            }
        }
        posted
    }

    /// What terms say by being made of parts of parameters.
    fn axes_of(&self, terms: impl Iterator<Item = TermId>) -> Axes {
        let mut found = Axes::default();
        let mut seen = HashSet::default();
        let part = |front: u32, back: u32| i64::from(front) + i64::from(back);
        for term in terms {
            let mut note = |param, n| {
                let most = found.entry(param).or_insert((n, term));
                if most.0 < n {
                    *most = (n, term);
                }
            };
            let mut pending = match self.solver.head(term) {
                Term::Slice { shape, front, back } => {
                    note(shape, part(front, back));
                    continue;
                }
                Term::Dim(Dim { extent: Extent::Poly(poly), .. }) => vec![poly],
                _ => continue,
            };
            while let Some(poly) = pending.pop() {
                if !seen.insert(poly) {
                    continue;
                }
                for &atom in self.solver.poly(poly).atoms() {
                    match atom {
                        Atom::Index(shape, at) if at < 0 => note(shape, at.saturating_neg()),
                        Atom::Index(shape, at) => note(shape, at.saturating_add(1)),
                        Atom::Prod(shape, front, back) => note(shape, part(front, back)),
                        Atom::Max(a, b) | Atom::Min(a, b) | Atom::FloorDiv(a, b) => pending.extend([a, b]),
                        Atom::Param(_) | Atom::Rank(_) => {}
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
    let (least, rank) = (solver.dim_poly(least)?.as_constant()?, solver.dim_poly(rank)?);
    let Some(&Atom::Rank(shape)) = rank.atoms().next() else { return None };
    let more = Poly::atom(Atom::Rank(shape)).minus(&rank)?.as_constant()?;
    Some((shape, least.checked_add(more)?))
}
