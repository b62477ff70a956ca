//! What is found by reading or writing references, so that it matters when.

use crate::data::{ExprKind, FnId, Item, Module, Visit};
use base::{Append, HashSet, IndexVec, ToList};

impl Module {
    /// The functions of items that read or write references, or mention such a `def`.
    pub fn effectful(&self) -> HashSet<FnId> {
        let functions = || {
            self.items.iter().filter_map(|item| match *item {
                Item::Def(def) => Some(self.defs[def].function),
                Item::Let(_, function) | Item::Expr(function) => Some(function),
                Item::Adt(_) => None,
            })
        };
        let touches = |&function: &FnId| {
            self.functions[function].visits.clone().any(|visit| match self.visits[visit] {
                Visit::Expr(expr) => matches!(self.exprs[expr].kind, ExprKind::RefRead(_) | ExprKind::RefWrite { .. }),
                Visit::Let(..) | Visit::Pattern(..) => false,
            })
        };
        let mut pending: Vec<FnId> = functions().filter(touches).list();
        let mut found: HashSet<FnId> = pending.iter().copied().collect();
        if found.is_empty() {
            return found;
        }
        let mut users: IndexVec<FnId, Vec<FnId>> = IndexVec::filled(Vec::new(), self.functions.len());
        for user in functions() {
            for &def in &self.functions[user].uses_defs {
                users[self.defs[def].function].push(user);
            }
        }
        while let Some(function) = pending.pop() {
            pending.append_all(users[function].iter().copied().filter(|&user| found.insert(user)));
        }
        found
    }
}
