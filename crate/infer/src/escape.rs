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
use crate::group::Member;
use crate::walk::Inference;
use crate::why::Why;
use base::{Append, HashMap, HashSet, IndexVec, ToList};
use hir::{DefId, ExprId, ExprKind, FnId, LocalId, Module, NO_FUNCTION, Visit};
use solve::RelationId;
use std::sync::Arc;
use ty::{Dim, Extent, ParamId, Scheme, Term, TermId, Terms};

/// What has a type.
#[derive(Clone, Copy, Debug)]
pub enum Holder {
    Local(LocalId),
    Def(DefId),
}

/// A literal that stands where a function of every type is wanted, and that type.
pub(crate) type Handed = (ExprId, TermId);

/// Where parameters mean something.
#[derive(Default)]
pub(crate) struct Scopes {
    /// The functions that declare a parameter, or that stand where a function of every type is wanted, the first of them
    /// by itself.
    owners: HashMap<ParamId, (FnId, HashSet<FnId>)>,
    /// The functions that each stands in, from the inside out; one of the same text is the same.
    around: IndexVec<FnId, (FnId, Option<FnId>)>,
    handed: Vec<Handed>,
    /// The variables of each function.
    locals: IndexVec<FnId, Vec<LocalId>>,
    /// Those in none.
    free: Vec<LocalId>,
}

impl Scopes {
    pub(crate) fn new(module: &Module) -> Self {
        let locals = IndexVec::filled(Vec::new(), module.functions.len());
        let mut scopes = Self { locals, around: nesting(module), ..Self::default() };
        for (id, function) in module.functions.iter_enumerated().skip(module.start.functions) {
            function.type_params.iter().for_each(|&param| scopes.declare(param, id));
        }
        for (local, data) in module.locals.iter_enumerated().skip(module.start.locals) {
            if data.owner == NO_FUNCTION {
                scopes.free.push(local);
            } else {
                scopes.locals[data.owner].push(local);
            }
        }
        scopes
    }

    pub(crate) fn declare(&mut self, param: ParamId, function: FnId) {
        let function = self.around[function].0;
        let owners = self.owners.entry(param).or_insert_with(|| (function, HashSet::default()));
        owners.1.insert(function);
    }

    /// The literals that were handed since the last call.
    pub(crate) fn take_handed(&mut self) -> Vec<Handed> {
        std::mem::take(&mut self.handed)
    }
}

impl Inference<'_> {
    /// Notes that a literal stands where a function of every type is wanted.
    pub(crate) fn hand(&mut self, value: ExprId, function: FnId, expected: TermId) {
        self.bound_by(expected).into_iter().for_each(|param| self.scopes.declare(param, function));
        self.scopes.handed.push((value, expected));
    }

    /// Errors for the variables and definitions whose types mention parameters of functions that they are not in.
    pub(crate) fn check_escapes(&mut self, group: &[Member], handed: Vec<Handed>) {
        if self.scopes.owners.is_empty() {
            return;
        }
        let module = self.module;
        let n_errors = self.errors.len();
        for member in group {
            let function = member.function(module);
            self.check_locals(function);
            for visit in module.functions[function].visits.clone() {
                if let Visit::Expr(expr) = module.visits[visit]
                    && let ExprKind::Fn(literal) = module.exprs[expr].kind
                {
                    self.check_locals(literal);
                }
            }
        }
        let is_told = self.errors.len() > n_errors;
        group.iter().for_each(|member| self.check_definition(*member, is_told));
        if self.errors.len() == n_errors {
            handed.into_iter().for_each(|(value, expected)| self.check_captures(value, expected));
        }
    }

    /// Errors for variables in no function.
    pub(crate) fn check_free(&mut self) {
        self.check_locals(NO_FUNCTION);
    }

    /// Takes out the relations that wait for something around a function inside and ask it of that function's parameters:
    /// nobody could say it at a call.
    pub(crate) fn take_inner(&self, group: &[Member], waiting: &mut Vec<RelationId>) -> Vec<RelationId> {
        if self.scopes.owners.is_empty() {
            return Vec::new();
        }
        let elsewhere = |param, member: &Member| self.owner_elsewhere(param, member.function(self.module)).is_some();
        let is_strange = |param| group.iter().all(|member| elsewhere(param, member));
        let is_inner = |term| param(term).is_some_and(is_strange);
        let (inner, outer) = waiting.iter().partition(|&&relation| {
            let args = &self.solver.relation(relation).args;
            let is_cut = || self.axes_in(args).iter().any(|&(param, ..)| is_strange(param));
            !self.solver.roots_where(args, is_inner).is_empty() || is_cut()
        });
        *waiting = outer;
        inner
    }

    fn check_locals(&mut self, function: FnId) {
        let locals = if function == NO_FUNCTION { &self.scopes.free } else { &self.scopes.locals[function] };
        let types: Vec<TermId> = locals.iter().filter_map(|&local| self.locals[local]).list();
        let is_strange = |term| param(term).is_some_and(|param| self.owner_elsewhere(param, function).is_some());
        if self.solver.roots_where(&types, is_strange).is_empty() {
            return;
        }
        for &local in locals {
            let Some(ty) = self.locals[local] else { continue };
            let own = self.local_schemes.get(&local).map_or(&[][..], |scheme| &scheme.params);
            if let Some((param, owner)) = self.escaped(ty, function, own) {
                let is_told =
                    |error: &TypeError| matches!(error, TypeError::Escapes { param: told, .. } if *told == param);
                if self.errors.iter().any(is_told) {
                    return;
                }
                self.errors.push(TypeError::Escapes { holder: Holder::Local(local), ty, param, owner });
                return;
            }
        }
    }

    /// A definition whose type makes no sense where it is used has none there.
    fn check_definition(&mut self, member: Member, is_told: bool) {
        if let Member::Def(def) = member
            && let Some(scheme) = self.defs[def].clone()
            && let Some((param, owner)) = self.escaped(scheme.body, member.function(self.module), &scheme.params)
        {
            if !is_told {
                self.errors.push(TypeError::Escapes { holder: Holder::Def(def), ty: scheme.body, param, owner });
            }
            let cause = self.cause(Why::Function(owner));
            let scheme = Scheme { params: Vec::new(), body: self.error(cause), obligations: Vec::new() };
            self.defs[def] = Some(Arc::new(scheme));
        }
    }

    /// What a literal uses of another for the same type has nothing of that one's parameters.
    fn check_captures(&mut self, value: ExprId, expected: TermId) {
        let module = self.module;
        let ExprKind::Fn(function) = module.exprs[value].kind else { return };
        let own = self.bound_by(expected);
        let mut captured = module.functions[function].captures.iter().filter_map(|&(local, _)| self.locals[local]);
        if captured.any(|ty| self.free_params(ty).iter().any(|param| own.contains(param))) {
            let found = self.type_of(value);
            self.errors.push(TypeError::NotPolymorphic { value, expected, found });
        }
    }

    /// The parameters of a polymorphic function type.
    pub(crate) fn bound_by(&self, ty: TermId) -> Vec<ParamId> {
        match self.solver.head(ty) {
            Term::Forall { first, n, .. } => (first.number()..first.number() + n).map(ParamId::numbered).list(),
            _ => Vec::new(),
        }
    }

    /// A parameter in a type that neither is its own nor belongs to a function around, and a function that it belongs to.
    fn escaped(&self, ty: TermId, inside: FnId, own: &[ParamId]) -> Option<(ParamId, FnId)> {
        let mut free = self.free_params(ty).into_iter().filter(|param| !own.contains(param));
        free.find_map(|param| Some((param, self.owner_elsewhere(param, inside)?)))
    }

    /// A function that a parameter belongs to, if none of those is around.
    fn owner_elsewhere(&self, param: ParamId, inside: FnId) -> Option<FnId> {
        let (first, owners) = self.scopes.owners.get(&param)?;
        let mut around = (inside != NO_FUNCTION).then(|| self.scopes.around[inside].0);
        while let Some(function) = around {
            if owners.contains(&function) {
                return None;
            }
            around = self.scopes.around[function].1;
        }
        Some(*first)
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

/// For each function the first of the same text, and the one around that.
fn nesting(module: &Module) -> IndexVec<FnId, (FnId, Option<FnId>)> {
    let mut around = IndexVec::filled((NO_FUNCTION, None), module.functions.len());
    for (id, _) in module.functions.iter_enumerated() {
        around[id] = (id, None);
    }
    let mut ids: Vec<FnId> = module.functions.iter_enumerated().skip(module.start.functions).map(|(id, _)| id).list();
    base::sort_by_key(&mut ids, |&id| (module.functions[id].span.start, !module.functions[id].span.end));
    let mut open: Vec<FnId> = Vec::new();
    for id in ids {
        let span = module.functions[id].span;
        while open.last().is_some_and(|&last| module.functions[last].span.end < span.end) {
            open.pop();
        }
        match open.last() {
            Some(&last) if module.functions[last].span == span => around[id] = around[last],
            last => {
                around[id].1 = last.copied();
                open.push(id);
            }
        }
    }
    around
}
