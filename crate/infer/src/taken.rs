//! The sizes of what comes out of a container, a cell or a function value.
//!
//! A number in the type of a container may have met a `?` where the container was made, and whoever is given it, by a
//! written type, knows nothing of that. So whoever takes a tensor out looks whether it is of the size that its type
//! says. What was joined with a `?` in the same text prints as one, and is not looked at.
//!
//! Worked example: `def @f(%x: Tensor[(?), int32]) -> Option[Tensor[(2), int32]] { Some(%x) }` gives what it says of two
//! numbers only. In `match (@f([1, 2, 3])) { Some(%y) => … }` the size of `%y` is checked to be 2.

use crate::Inferred;
use base::{Append, Edited, HashSet, ToList};
use hir::{Expr, ExprId, ExprKind, FnId, Item, LocalId, LocalOrigin, Module, TakenSizes, WrittenSizes};
use ty::{Dim, Extent, Term, TermId, Terms};

/// At most this many parts of a tuple are looked at, those of tuples inside it counted: types share their parts, and all
/// of them may be many.
const MAX_PARTS: usize = 64;

impl Inferred {
    /// What the run checks besides what is written.
    pub fn taken_sizes(&self, module: &Module) -> TakenSizes {
        let mut found = TakenSizes::default();
        if !module.has_any {
            return found;
        }
        let functions = || module.functions.iter_enumerated().skip(module.start.functions);
        let tails: HashSet<ExprId> = functions().flat_map(|(function, _)| tails_of(module, function)).collect();
        // What is only called is given what its calls are typed with.
        let exprs = || module.exprs.iter_enumerated().skip(module.start.exprs);
        let callee = |(_, expr): (ExprId, &Expr)| match &expr.kind {
            ExprKind::Call { callee, .. } => Some(*callee),
            _ => None,
        };
        let callees: HashSet<ExprId> = exprs().filter_map(callee).collect();
        let as_value = |(id, expr): (ExprId, &Expr)| match expr.kind {
            ExprKind::Def(def) if !callees.contains(&id) => Some(module.defs[def].function),
            _ => None,
        };
        let values: HashSet<FnId> = exprs().filter_map(as_value).collect();
        let mut only_called: HashSet<FnId> = module.defs.iter().map(|def| def.function).collect();
        only_called.retain(|function| !values.contains(function));
        let calls_at_its_end = |item: &Item| match *item {
            Item::Let(local, function) => tails_of(module, function).iter().any(is_call(module)).then_some(local),
            Item::Def(_) | Item::Expr(_) | Item::Adt(_) => None,
        };
        let from_calls: HashSet<LocalId> = module.items.iter().filter_map(calls_at_its_end).collect();
        for (local, data) in module.locals.iter_enumerated().skip(module.start.locals) {
            let is_taken = match data.origin {
                LocalOrigin::Pattern => true,
                LocalOrigin::Param => !only_called.contains(&data.owner),
                LocalOrigin::TopLevel => from_calls.contains(&local),
                LocalOrigin::Let | LocalOrigin::Free | LocalOrigin::Constant | LocalOrigin::Hole => false,
            };
            let ty = self.locals[local].filter(|_| is_taken && data.annotation.is_none());
            let sizes = ty.map_or_else(Vec::new, |ty| self.numbers_in(ty));
            if !sizes.is_empty() {
                found.locals.insert(local, sizes);
            }
        }
        for (expr, data) in exprs() {
            // What the function called looks at itself.
            let mut written: Vec<WrittenSizes> = Vec::new();
            let name = match &data.kind {
                ExprKind::RefRead(cell) => match module.exprs[*cell].kind {
                    ExprKind::Local(local, _) => format!("!{}", module.local_name(local)),
                    _ => "!…".to_owned(),
                },
                ExprKind::Call { callee, .. } if !tails.contains(&expr) => match &module.exprs[*callee].kind {
                    ExprKind::Ctor(_) | ExprKind::Op(_) => continue,
                    ExprKind::Def(def) => {
                        let def = &module.defs[*def];
                        written = module.result_sizes(def.function);
                        format!("{}(…)", def.name)
                    }
                    ExprKind::Local(local, _) => format!("{}(…)", module.local_name(*local)),
                    _ => "fn(…)".to_owned(),
                },
                _ => continue,
            };
            let mut sizes = self.exprs[expr].map_or_else(Vec::new, |ty| self.numbers_in(ty));
            sizes.keep(|sizes| !written.iter().any(|written| covers(written, sizes)));
            if !sizes.is_empty() {
                found.exprs.insert(expr, (name, sizes));
            }
        }
        found
    }

    /// The tensors in a type of which a size is known, those in tuples too.
    fn numbers_in(&self, ty: TermId) -> Vec<WrittenSizes> {
        let mut found = Vec::new();
        let mut stack: Vec<(TermId, Vec<u32>)> = vec![(ty, Vec::new())];
        let mut n_parts = 0;
        while let Some((ty, path)) = stack.pop() {
            n_parts += 1;
            if n_parts > MAX_PARTS {
                break;
            }
            match self.solver.head(ty) {
                Term::Tuple(fields) => {
                    let fields = (0..).zip(self.solver.items(fields)).take(MAX_PARTS).list().into_iter().rev();
                    stack.append_all(fields.map(|(index, &field)| (field, [&path[..], &[index]].concat())));
                }
                Term::Tensor { shape, .. } => {
                    let Term::Shape(dims) = self.solver.head(shape) else { continue };
                    let number = |&dim: &TermId| match self.solver.head(dim) {
                        Term::Dim(Dim { extent: Extent::Number(size), dynamic: false }) => u64::try_from(size).ok(),
                        _ => None,
                    };
                    let numbers = self.solver.items(dims).iter().map(number).list();
                    let sizes = WrittenSizes { path, numbers, params: Vec::new() };
                    if sizes.has_numbers() {
                        found.push(sizes);
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// Whether each number of the second is one of the first.
fn covers(written: &WrittenSizes, sizes: &WrittenSizes) -> bool {
    let is_there = |(written, size): (&Option<u64>, &Option<u64>)| size.is_none() || written.is_some();
    written.path == sizes.path && written.numbers.iter().zip(&sizes.numbers).all(is_there)
}

/// The expressions whose value is that of a function: who calls it looks at that.
fn tails_of(module: &Module, function: FnId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut stack = vec![module.functions[function].body];
    while let Some(expr) = stack.pop() {
        match &module.exprs[expr].kind {
            ExprKind::Block { tail, .. } => stack.push(*tail),
            ExprKind::If { then, otherwise, .. } => stack.append_all([*then, *otherwise]),
            ExprKind::Match { arms, .. } => stack.append_all(arms.iter().map(|arm| arm.body)),
            _ => found.push(expr),
        }
    }
    found
}

fn is_call(module: &Module) -> impl Fn(&ExprId) -> bool {
    |&expr| matches!(module.exprs[expr].kind, ExprKind::Call { .. })
}
