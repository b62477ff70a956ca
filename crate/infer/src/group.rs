//! Items in strongly connected groups, callees first.
//!
//! Worked example: `@even` calls `@odd`, `@odd` calls `@even`, and an expression calls `@even`: the groups are
//! {even, odd}, {expression}.

use base::{HashMap, ToList};
use hir::{DefId, FnId, Item, LocalId, Module};

/// One member of a group.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Member {
    Def(DefId),
    Let(LocalId, FnId),
    Expr(FnId),
}

impl Member {
    pub fn function(self, module: &Module) -> FnId {
        match self {
            Member::Def(def) => module.defs[def].function,
            Member::Let(_, function) | Member::Expr(function) => function,
        }
    }
}

pub fn groups(module: &Module) -> Vec<Vec<Member>> {
    let members: Vec<Member> = module
        .items
        .iter()
        .filter_map(|item| match *item {
            Item::Def(def) => Some(Member::Def(def)),
            Item::Let(local, function) => Some(Member::Let(local, function)),
            Item::Expr(function) => Some(Member::Expr(function)),
            Item::Adt(_) => None,
        })
        .list();
    let mut of_def: HashMap<DefId, usize> = HashMap::default();
    let mut of_let: HashMap<LocalId, usize> = HashMap::default();
    for (i, member) in members.iter().enumerate() {
        match *member {
            Member::Def(def) => of_def.insert(def, i),
            Member::Let(local, _) => of_let.insert(local, i),
            Member::Expr(_) => {}
        }
    }
    let edges: Vec<Vec<usize>> = members
        .iter()
        .map(|member| {
            let function = &module.functions[member.function(module)];
            let defs = function.uses_defs.iter().filter_map(|def| of_def.get(def));
            let lets = function.uses_lets.iter().filter_map(|local| of_let.get(local));
            let mut edges: Vec<usize> = defs.chain(lets).copied().list();
            base::sort(&mut edges);
            edges.dedup();
            edges
        })
        .list();
    base::components(&edges).into_iter().map(|group| group.into_iter().map(|i| members[i]).list()).list()
}
