//! What in a function's body its type's obligations come from.
//!
//! Worked example: of `def @norm(%x) { %x - mean(%x, axis=[-1]) }` the type owes a `Reduce` and a `Broadcast`. Where the
//! second one does not hold at a call, `%x - mean(%x, axis=[-1])` asks for it, also if `@norm` is called by a function
//! that is called there.

use crate::Inferred;
use crate::why::Why;
use hir::{DefId, ExprId, ExprKind, Module};
use solve::{Posted, RelationId, State};
use ty::{TermId, Terms};

/// Functions that call each other are gone through so far.
const MAX_DEPTH: usize = 100;

impl Inferred {
    /// The expression that asks for a relation which the type of a called function owes, and the function that it is in: a
    /// function's name where what that function says of itself asks for it. `None` if no function owes it, or no expression
    /// asks for it.
    pub fn asked_by(&self, module: &Module, relation: RelationId) -> Option<(ExprId, DefId)> {
        let (mut relation, mut within, mut found) = (relation, None, None);
        for _ in 0..MAX_DEPTH {
            let cause = self.solver.relation(relation).cause;
            let Why::Expr(expr) = self.whys[cause.0 as usize] else { break };
            found = within.map(|def| (expr, def));
            let ExprKind::Def(def) = module.exprs[expr].kind else { break };
            let Some(taken) = self.taken(def, relation) else { break };
            (relation, within) = (taken, Some(def));
        }
        found
    }

    /// The relation in the body of a function that became the obligation which is posted as this one where it is used.
    fn taken(&self, def: DefId, relation: RelationId) -> Option<RelationId> {
        let posted = self.solver.relation(relation);
        // A use posts all that is owed, in that order, and between that what parts of shapes are.
        let before = &self.solver.relations()[..relation.number() as usize];
        let is_like = |one: &&Posted| one.relation == posted.relation && one.attrs == posted.attrs;
        let n_before = before.iter().filter(|one| one.cause == posted.cause).filter(is_like).count();
        let obligations = &self.defs[def].as_ref()?.obligations;
        let mut like = obligations.iter().filter(|owed| owed.relation == posted.relation && owed.attrs == posted.attrs);
        let owed = like.nth(n_before)?;
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
}
