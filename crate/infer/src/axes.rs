//! What a body takes for granted of the shape parameters that its function declares: that they have the axes which it
//! cuts off. Where the function's type does not say so itself, callers are asked for it.
//!
//! Worked example: `def @f[S: Shape](%x: Tensor[S, float32]) -> float32 { max(max(%x, axis=[-1], keepdims=True)) }` makes
//! `(..S[:-1], 1)` on the way, and owes `AtMost(1, rank(S))`. With `-> Tensor[S[:-1], float32]` it owes nothing.

use crate::group::Member;
use crate::walk::Inference;
use base::{Append, ToList};
use solve::RelationId;
use ty::{AT_MOST, Atom, Attrs, Dim, Extent, Function, Kind, ParamId, Poly, Term, TermId, Terms};

impl Inference<'_> {
    /// Posts what the types of a group's definitions owe for axes. `waiting`: what they owe anyway.
    pub(crate) fn ask_for_axes(&mut self, group: &[Member], first_term: usize, waiting: &[RelationId]) {
        for &member in group {
            let function = &self.module.functions[member.function(self.module)];
            let is_shape = |param: &ParamId| self.module.type_params[*param].kind == Kind::Shape;
            let declared: Vec<ParamId> = function.type_params.iter().copied().filter(is_shape).list();
            let Some(own) = self.member_type(member).filter(|_| !declared.is_empty()) else { continue };
            let mut types = vec![own];
            for &id in waiting.iter().chain(&self.assumed) {
                types.append_all(self.solver.relation(id).args.iter().copied());
            }
            let made = (first_term..self.solver.store.len()).map(|at| TermId::numbered(at as u32)).list();
            let mut said = self.solver.roots_where(&types, |_| true);
            said.append_all(made.iter().copied().filter(|id| (id.number() as usize) < self.assumed_until));
            for param in declared {
                let most = |terms: &[TermId]| terms.iter().map(|&term| (self.n_axes(term, param), term)).max();
                let (least, (asked, by)) = (most(&said).map_or(0, |(n, _)| n), most(&made).unwrap_or((0, own)));
                if asked <= least {
                    continue;
                }
                let cause = self.solver.store.made_by(by);
                let shape = self.solver.fresh(Term::Param(param, Kind::Shape), cause);
                if let Some(rank) = self.solver.value(&Function::Rank, &[shape], cause) {
                    let asked = self.solver.fresh(Term::Dim(Dim::number(asked)), cause);
                    self.solver.post(&AT_MOST, &[asked, rank], Attrs::none(), cause);
                }
            }
        }
        self.solver.solve();
    }

    /// How many axes a shape parameter has at least if a term is made of parts of it.
    fn n_axes(&self, term: TermId, param: ParamId) -> i64 {
        let part = |front: u32, back: u32| i64::from(front) + i64::from(back);
        let poly = match self.solver.head(term) {
            Term::Slice { shape, front, back } if shape == param => return part(front, back),
            Term::Dim(dim @ Dim { extent: Extent::Poly(_), .. }) => self.solver.dim_poly(dim),
            _ => None,
        };
        let mut least = 0;
        let mut pending: Vec<Poly<Atom>> = poly.into_iter().list();
        while let Some(poly) = pending.pop() {
            for &atom in poly.atoms() {
                let n = match atom {
                    Atom::Index(shape, at) if shape == param && at < 0 => at.saturating_neg(),
                    Atom::Index(shape, at) if shape == param => at.saturating_add(1),
                    Atom::Prod(shape, front, back) if shape == param => part(front, back),
                    Atom::Max(a, b) | Atom::Min(a, b) | Atom::FloorDiv(a, b) => {
                        pending.append_all([a, b].map(|part| self.solver.poly(part).clone()));
                        0
                    }
                    _ => 0,
                };
                least = n.max(least);
            }
        }
        least
    }
}
