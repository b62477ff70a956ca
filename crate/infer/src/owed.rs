//! What in a function's body its type's obligations come from.
//!
//! Worked example: of `def @norm(%x) { %x - mean(%x, axis=[-1]) }` the type owes a `Reduce` and a `Broadcast`. Where the
//! second one does not hold at a call, `%x - mean(%x, axis=[-1])` asks for it, also if `@norm` is called by a function
//! that is called there.

use crate::Inferred;
use crate::why::{Why, args_of_callee};
use hir::{DefId, ExprId, ExprKind, Module};
use solve::{Cause, Posted, RelationId, State};
use ty::{Atom, Dim, Extent, FUNCTION, Function, Obligation, ParamId, Scheme, Term, TermId, Terms};

/// Functions that call each other are gone through so far.
const MAX_DEPTH: usize = 100;

/// What in a function's body an obligation comes from.
pub struct Asked<'m> {
    pub expr: ExprId,
    /// The name of the function that it is in.
    pub within: &'m str,
    /// What is asked there.
    pub relation: Option<RelationId>,
}

/// A part of a shape parameter: one dim, or all but some dims in front and behind.
#[derive(PartialEq, Eq)]
enum Part {
    Index(i64),
    Slice(i64, i64),
}

impl Part {
    fn of(function: &Function) -> Option<Part> {
        match *function {
            Function::Index(at) => Some(Part::Index(at)),
            Function::Slice(from, to) => Some(Part::Slice(from.unwrap_or(0), to.unwrap_or(0).checked_neg()?)),
            _ => None,
        }
    }
}

impl Inferred {
    /// What asks for a relation which the type of a called function owes: a function's name where what that function says
    /// of itself asks for it. `None` if no function owes it, or no expression asks for it.
    pub fn asked_by<'m>(&self, module: &'m Module, relation: RelationId) -> Option<Asked<'m>> {
        let is_broken = self.solver.relation(relation).state == State::Failed;
        let (mut relation, mut within, mut found) = (relation, None, None);
        for _ in 0..MAX_DEPTH {
            let asked = relation;
            relation = self.solver.posted_first(relation);
            let cause = self.solver.relation(relation).cause;
            let Why::Expr(expr) = self.whys[cause.0 as usize] else { break };
            found = within.map(|within| Asked { expr, within, relation: Some(asked) });
            let used = &module.exprs[expr].kind;
            let (scheme, name) = match *used {
                ExprKind::Def(def) => (self.defs[def].as_deref(), module.defs[def].name.as_str()),
                // What is written as a variable's type, its value does not ask for.
                ExprKind::Local(local, _) if module.locals[local].annotation.is_none() => {
                    (self.local_schemes.get(&local), module.local_name(local))
                }
                _ => break,
            };
            let Some(scheme) = scheme else { break };
            let part = || if is_broken { self.part_taken(module, scheme, used, relation) } else { None };
            let Some(taken) = self.taken(scheme, relation).or_else(part) else { break };
            (relation, within) = (taken, Some(name));
        }
        found
    }

    /// What asks for the shape of a parameter without an annotation, in the function or in one that it calls.
    pub fn shape_asked_by<'m>(&self, module: &'m Module, mut def: DefId, mut index: usize) -> Option<Asked<'m>> {
        for _ in 0..MAX_DEPTH {
            let Term::Func { params, .. } = self.solver.head(self.defs[def].as_ref()?.body) else { break };
            let shape = self.shape_of(*self.solver.items(params).get(index)?)?;
            let Why::Expr(expr) = self.whys[self.solver.store.origin(shape).0 as usize] else { break };
            match &module.exprs[expr].kind {
                ExprKind::OpCall { .. } | ExprKind::Op(_) => {
                    return Some(Asked { expr, within: &module.defs[def].name, relation: None });
                }
                ExprKind::Def(called) => {
                    let args = args_of_callee(module, expr);
                    let has_shape = |&arg: &ExprId| self.shape_of(self.exprs[arg]?).filter(|&own| own == shape);
                    index = args.iter().position(|arg| has_shape(arg).is_some())?;
                    def = *called;
                }
                _ => break,
            }
        }
        None
    }

    fn shape_of(&self, ty: TermId) -> Option<TermId> {
        match self.solver.head(ty) {
            Term::Tensor { shape, .. } => Some(self.solver.root(shape)),
            _ => None,
        }
    }

    /// The relation in the body of a function that became the obligation which is posted as this one where it is used.
    fn taken(&self, scheme: &Scheme, relation: RelationId) -> Option<RelationId> {
        let posted = self.solver.relation(relation);
        // A use posts all that is owed, in that order, and between that what parts of shapes are.
        let before = &self.solver.relations()[..relation.number() as usize];
        let is_owed = |one: &&Posted| one.cause == posted.cause && one.by.is_none();
        let is_like = |one: &&Posted| one.relation == posted.relation && one.attrs == posted.attrs;
        let n_before = before.iter().filter(is_owed).filter(is_like).count();
        let is_like = |owed: &&Obligation| owed.relation == posted.relation && owed.attrs == posted.attrs;
        let owed = scheme.obligations.iter().filter(is_like).nth(n_before)?;
        let are_same = |a: &[TermId], b: &[TermId]| {
            a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.solver.root(a) == self.solver.root(b))
        };
        let is_it = |posted: &Posted| {
            posted.state == State::Quantified
                && posted.relation == owed.relation
                && posted.attrs == owed.attrs
                && are_same(&posted.args, &owed.args)
        };
        let at = self.solver.relations().iter().position(is_it)?;
        Some(RelationId::numbered(at as u32))
    }

    /// Where a part of a shape, which a function's type mentions, is none, or a size that it computes is another one: the
    /// equation in the function's body that has it as its result. Of several sizes that are computed alike, nobody knows.
    fn part_taken(
        &self,
        module: &Module,
        scheme: &Scheme,
        used: &ExprKind,
        relation: RelationId,
    ) -> Option<RelationId> {
        let asked = self.solver.relation(relation);
        let part = Part::of(Function::of(&asked.attrs)?);
        // A use of the function by itself says no more.
        let is_own_use = |cause: Cause| match self.whys[cause.0 as usize] {
            Why::Expr(expr) => {
                matches!((&module.exprs[expr].kind, used), (ExprKind::Def(one), ExprKind::Def(other)) if one == other)
            }
            _ => false,
        };
        let is_it = |posted: &Posted| match (&part, posted.args.last()) {
            _ if !posted.relation.is(&FUNCTION) || is_own_use(posted.cause) => false,
            (Some(part), Some(&result)) => {
                self.part(result).is_some_and(|(param, found)| found == *part && scheme.params.contains(&param))
            }
            (None, Some(&result)) => posted.attrs == asked.attrs && self.is_computed(result, scheme),
            (_, None) => false,
        };
        let result = |posted: &Posted| posted.args.last().map(|&result| self.solver.root(result));
        let mut found = self.solver.relations().iter().enumerate().filter(|(_, posted)| is_it(posted));
        let (at, first) = found.next()?;
        let is_only = part.is_some() || found.all(|(_, other)| result(other) == result(first));
        is_only.then(|| RelationId::numbered(at as u32))
    }

    /// Whether a term is a size that is computed from a function's own.
    fn is_computed(&self, term: TermId, scheme: &Scheme) -> bool {
        let Term::Dim(dim @ Dim { extent: Extent::Poly(_), .. }) = self.solver.head(term) else { return false };
        let is_own = |atom: &Atom| matches!(atom, Atom::Param(param) if scheme.params.contains(param));
        self.solver.dim_poly(dim).is_some_and(|poly| poly.atoms().all(is_own))
    }

    /// Which part of which parameter a term is.
    fn part(&self, term: TermId) -> Option<(ParamId, Part)> {
        match self.solver.head(term) {
            Term::Slice { shape, front, back } => Some((shape, Part::Slice(front.into(), back.into()))),
            Term::Dim(dim @ Dim { extent: Extent::Poly(_), .. }) => match self.solver.dim_poly(dim)?.as_atom() {
                Some(&Atom::Index(shape, at)) => Some((shape, Part::Index(at))),
                _ => None,
            },
            _ => None,
        }
    }
}
