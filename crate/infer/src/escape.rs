//! Parameters stay in the function that declares them: a variable or a definition around it, or a cell that others use,
//! cannot have a type that mentions one.
//!
//! The parameters of a written type `fn[A](…) -> …` belong to each literal that stands where such a function is wanted.
//! Literals inside one another that stand for one type share its parameters, so the inner one cannot use what has them in
//! its type.
//!
//! Worked example: after `let %r = ref(None)`, the body of `def @keep[A](%x: A) { %r := Some(%x) }` makes `%r` a
//! `ref(Option[A])`, which means nothing where `@keep` is called.

use crate::error::TypeError;
use crate::walk::Inference;
use base::{Append, HashMap, HashSet, IndexVec, ToList};
use hir::{DefId, ExprId, ExprKind, FnId, LocalId};
use ty::{Dim, Extent, ParamId, Term, TermId, Terms};

/// What has a type.
#[derive(Clone, Copy, Debug)]
pub enum Holder {
    Local(LocalId),
    Def(DefId),
}

/// The functions in which parameters mean something.
type Owners = HashMap<ParamId, Vec<FnId>>;

impl Inference<'_> {
    /// Errors for the variables and definitions whose types mention parameters of functions that they are not in.
    pub(crate) fn check_escapes(&mut self) {
        let module = self.module;
        let handed = self.handed_literals();
        let owners = self.owners(&handed);
        if owners.is_empty() {
            return;
        }
        let mut of_function: IndexVec<FnId, Vec<LocalId>> = IndexVec::filled(Vec::new(), module.functions.len());
        for (local, data) in module.locals.iter_enumerated().skip(module.start.locals) {
            of_function[data.owner].push(local);
        }
        for (function, locals) in of_function.iter_enumerated() {
            let types: Vec<TermId> = locals.iter().filter_map(|&local| self.locals[local]).list();
            let is_strange =
                |term| param(term).is_some_and(|param| self.owner_elsewhere(param, function, &owners).is_some());
            if self.solver.roots_where(&types, is_strange).is_empty() {
                continue;
            }
            for &local in locals {
                let Some(ty) = self.locals[local] else { continue };
                let own = self.local_schemes.get(&local).map_or(&[][..], |scheme| &scheme.params);
                if let Some((param, owner)) = self.escaped(ty, function, &owners, own) {
                    self.errors.push(TypeError::Escapes { holder: Holder::Local(local), ty, param, owner });
                    break;
                }
            }
        }
        if !self.errors.is_empty() {
            return;
        }
        for (def, data) in module.defs.iter_enumerated().skip(module.start.defs) {
            if let Some(scheme) = &self.defs[def]
                && let Some((param, owner)) = self.escaped(scheme.body, data.function, &owners, &scheme.params)
            {
                self.errors.push(TypeError::Escapes { holder: Holder::Def(def), ty: scheme.body, param, owner });
            }
        }
        for (value, expected) in handed {
            let ExprKind::Fn(function) = module.exprs[value].kind else { continue };
            let mut captured = module.functions[function].captures.iter().filter_map(|&(local, _)| self.locals[local]);
            let own = self.bound_by(expected);
            if captured.any(|ty| self.free_params(ty).iter().any(|param| own.contains(param))) {
                let found = self.type_of(value);
                self.errors.push(TypeError::NotPolymorphic { value, expected, found });
            }
        }
    }

    /// The literals that stand where a function of every type is wanted, and that type.
    fn handed_literals(&self) -> Vec<(ExprId, TermId)> {
        let is_literal = |expr: ExprId| matches!(self.module.exprs[expr].kind, ExprKind::Fn(_));
        let mut handed: Vec<(ExprId, TermId)> =
            self.handed.iter().map(|(&expr, &ty)| (expr, ty)).filter(|&(expr, _)| is_literal(expr)).list();
        base::sort_by_key(&mut handed, |&(expr, _)| expr);
        handed
    }

    fn owners(&self, handed: &[(ExprId, TermId)]) -> Owners {
        let module = self.module;
        let mut owners = Owners::default();
        for (id, function) in module.functions.iter_enumerated().skip(module.start.functions) {
            function.type_params.iter().for_each(|&param| owners.entry(param).or_default().push(id));
        }
        for &(param, function) in &self.made_rigid {
            owners.entry(param).or_default().push(function);
        }
        for &(value, expected) in handed {
            if let ExprKind::Fn(function) = module.exprs[value].kind {
                self.bound_by(expected).into_iter().for_each(|param| owners.entry(param).or_default().push(function));
            }
        }
        owners
    }

    /// The parameters of a polymorphic function type.
    fn bound_by(&self, ty: TermId) -> Vec<ParamId> {
        match self.solver.head(ty) {
            Term::Forall { first, n, .. } => (first.0..first.0 + n).map(ParamId).list(),
            _ => Vec::new(),
        }
    }

    /// A parameter in a type that neither is its own nor belongs to a function around, and a function that it belongs to.
    fn escaped(&self, ty: TermId, inside: FnId, owners: &Owners, own: &[ParamId]) -> Option<(ParamId, FnId)> {
        let mut free = self.free_params(ty).into_iter().filter(|param| !own.contains(param));
        free.find_map(|param| Some((param, self.owner_elsewhere(param, inside, owners)?)))
    }

    /// A function that a parameter belongs to, if none of those is around.
    fn owner_elsewhere(&self, param: ParamId, inside: FnId, owners: &Owners) -> Option<FnId> {
        let functions = &self.module.functions;
        let span = functions[inside].span;
        let is_around = |&owner: &FnId| {
            let around = functions[owner].span;
            owner == inside || (around.start <= span.start && span.end <= around.end)
        };
        let owners = owners.get(&param)?;
        if owners.iter().any(is_around) { None } else { owners.first().copied() }
    }

    /// The parameters that a type mentions, but for those of polymorphic function types in it, where they stand.
    fn free_params(&self, ty: TermId) -> Vec<ParamId> {
        let mut free = Vec::new();
        let mut scopes: Vec<Vec<ParamId>> = vec![Vec::new()];
        let mut seen: HashSet<(TermId, usize)> = HashSet::default();
        let mut stack = vec![(ty, 0)];
        while let Some((id, mut scope)) = stack.pop() {
            let term = self.solver.head(id);
            if !seen.insert((self.solver.root(id), scope)) {
                continue;
            }
            free.append_all(param(term).filter(|param| !scopes[scope].contains(param)));
            if let Term::Forall { .. } = term {
                scopes.push([scopes[scope].clone(), self.bound_by(id)].concat());
                scope = scopes.len() - 1;
            }
            self.solver.for_parts(term, |part| stack.push((part, scope)));
        }
        free
    }
}

fn param(term: Term) -> Option<ParamId> {
    match term {
        Term::Param(param, _) | Term::Dim(Dim { extent: Extent::Param(param), .. }) => Some(param),
        _ => None,
    }
}
