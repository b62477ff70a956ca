//! What is found by reading or writing references, so that it matters when.

use crate::data::{ExprKind, FnId, Item, Module, Visit};
use base::{HashMap, HashSet};

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
        let mut pending: Vec<FnId> = functions().filter(touches).collect();
        let mut found: HashSet<FnId> = pending.iter().copied().collect();
        if found.is_empty() {
            return found;
        }
        let mut users: HashMap<FnId, Vec<FnId>> = HashMap::default();
        for user in functions() {
            for &def in &self.functions[user].uses_defs {
                users.entry(self.defs[def].function).or_default().push(user);
            }
        }
        while let Some(function) = pending.pop() {
            for &user in users.get(&function).into_iter().flatten() {
                if found.insert(user) {
                    pending.push(user);
                }
            }
        }
        found
    }
}
