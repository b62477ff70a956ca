//! Unknowns that all uses of a name share.
//!
//! The type of a top-level `let` whose value may hold a reference is not generalised: all uses share one cell. So what
//! is unknown in it is found out by the groups that follow. So is what a computed value's waiting relations are about,
//! which is no part of its type: after `let %layer = @dense(%w)`, whose shape waits for an input, a use gives it. No
//! scheme may have such an unknown as a parameter, nor anything that a waiting relation says of one: those relations go
//! on waiting and are part of every group until they are decided.
//!
//! Worked example: after `let %e = ref(Nil)`, which is a `ref(List[a])`, `def @d() { %e }` has the type
//! `fn() -> ref(List[a])` without parameters, and `@d() := Cons(1, Nil)` makes `a` an `int32`.

use crate::group::Member;
use crate::walk::Inference;
use base::{Append, Edited, HashSet, ToList};
use hir::{ExprId, ExprKind, FnId, Module, Visit};
use solve::RelationId;
use ty::TermId;

pub(crate) struct Shared {
    /// Whether the program makes references at all.
    has_references: bool,
    /// The unknowns in types of `let`s that were not generalised and those that waiting relations relate to them, as
    /// they were at the end of the group before.
    pub(crate) terms: Vec<TermId>,
    relations: Vec<RelationId>,
}

impl Shared {
    pub(crate) fn new(module: &Module) -> Shared {
        let has_references = module.exprs.iter().any(|expr| matches!(expr.kind, ExprKind::RefNew(_)));
        Shared { has_references, terms: Vec::new(), relations: Vec::new() }
    }
}

impl Inference<'_> {
    /// Whether all that is unknown in a member's type is its own. The value of a `let` may hold a reference that was
    /// made when it was computed, which its type need not show: a function or a data type hides it. A function literal
    /// computes nothing, and what it takes from around it is shared already.
    pub(crate) fn may_quantify(&self, member: Member) -> bool {
        match member {
            Member::Def(_) => true,
            Member::Let(_, id) if self.shared.has_references => {
                let function = &self.module.functions[id];
                let kind = |id: ExprId| &self.module.exprs[id].kind;
                let may_make = |visit: &Visit| match *visit {
                    Visit::Expr(expr) => match kind(expr) {
                        ExprKind::RefNew(_) => true,
                        ExprKind::Call { callee, .. } => !matches!(kind(*callee), ExprKind::Ctor(_)),
                        _ => false,
                    },
                    Visit::Let(..) | Visit::Pattern(..) => false,
                };
                let is_literal = matches!(kind(function.body), ExprKind::Fn(_));
                is_literal || !self.module.visits[function.visits.clone()].iter().any(may_make)
            }
            Member::Let(..) => true,
            Member::Expr(_) => false,
        }
    }

    /// Whether a `let` computes nothing: its value is a name, or a function literal, or made of such.
    pub(crate) fn is_value(&self, function: FnId) -> bool {
        let mut parts = vec![self.module.functions[function].body];
        while let Some(part) = parts.pop() {
            match &self.module.exprs[part].kind {
                ExprKind::Fn(_) | ExprKind::Local(..) | ExprKind::Def(_) | ExprKind::Ctor(_) | ExprKind::Op(_) => {}
                ExprKind::Tuple(fields) => parts.extend_from_slice(fields),
                _ => return false,
            }
        }
        true
    }

    /// The relations of a group: those from `first` on, and before them those that wait for what is shared.
    pub(crate) fn relations(&self, first: usize) -> impl Iterator<Item = RelationId> + '_ {
        let new = (first..self.solver.relations().len()).map(|i| RelationId::numbered(i as u32));
        self.shared.relations.iter().copied().filter(move |id| (id.number() as usize) < first).chain(new)
    }

    /// The unknowns that a group must not generalise.
    pub(crate) fn shared_holes(&self, group: &[Member]) -> HashSet<TermId> {
        let own = group.iter().filter(|&&member| !self.may_quantify(member)).filter_map(|&id| self.member_type(id));
        let terms: Vec<TermId> = self.shared.terms.iter().copied().chain(own).list();
        self.solver.holes(&terms).into_iter().collect()
    }

    /// Takes out of a solved group's waiting relations those that the following groups may decide. Whatever else they
    /// mention is shared from now on. The unknowns that are.
    pub(crate) fn set_aside(&mut self, group: &[Member], waiting: &mut Vec<RelationId>) -> HashSet<TermId> {
        let mut holes = self.shared_holes(group);
        for &member in group {
            if let (Member::Let(_, id), Some(own)) = (member, self.member_type(member))
                && !self.is_value(id)
            {
                let own: HashSet<TermId> = self.solver.holes(&[own]).into_iter().collect();
                let mentioned = waiting.iter().flat_map(|&id| self.solver.holes(&self.solver.relation(id).args));
                holes.extend(mentioned.filter(|hole| own.contains(hole)));
            }
        }
        self.shared.terms = holes.iter().copied().list();
        self.shared.relations.clear();
        if holes.is_empty() {
            return holes;
        }
        let (solver, shared) = (&self.solver, &mut self.shared);
        let mut n_waiting = usize::MAX;
        while waiting.len() < std::mem::replace(&mut n_waiting, waiting.len()) {
            waiting.keep(|&id| {
                let own = solver.holes(&solver.relation(id).args);
                let is_apart = own.iter().all(|hole| !holes.contains(hole));
                if !is_apart {
                    shared.terms.append_all(own.iter().filter(|&&hole| holes.insert(hole)).copied());
                    shared.relations.push(id);
                }
                is_apart
            });
        }
        base::sort(&mut shared.relations);
        base::sort(&mut shared.terms);
        holes
    }

    /// After all groups: what still waits has nothing more to wait for.
    pub(crate) fn finish_shared(&mut self) {
        if self.errors.is_empty() {
            let stuck = std::mem::take(&mut self.shared.relations);
            self.under_constrained(stuck);
        }
    }
}
