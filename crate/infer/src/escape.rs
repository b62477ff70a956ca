//! Parameters stay in the function that declares them: a variable around it, or a cell that others use, cannot have a
//! type that mentions one.
//!
//! Worked example: after `let %r = ref(None)`, the body of `def @keep[A](%x: A) { %r := Some(%x) }` makes `%r` a
//! `ref(Option[A])`, which means nothing where `@keep` is called.

use crate::error::TypeError;
use crate::walk::Inference;
use base::{IndexVec, ToList};
use hir::{FnId, LocalId};
use ty::{Dim, Extent, ParamId, Term, TermId, Terms};

impl Inference<'_> {
    /// Errors for the variables whose types mention parameters of functions that they are not in.
    pub(crate) fn check_escapes(&mut self) {
        let module = self.module;
        let functions = || module.functions.iter_enumerated().skip(module.start.functions);
        if functions().all(|(_, function)| function.type_params.is_empty()) {
            return;
        }
        let mut declared: Vec<Option<FnId>> = vec![None; module.type_params.len()];
        for (id, function) in functions() {
            function.type_params.iter().for_each(|param| declared[param.0 as usize] = Some(id));
        }
        let mut of_function: IndexVec<FnId, Vec<LocalId>> = IndexVec::filled(Vec::new(), module.functions.len());
        for (local, data) in module.locals.iter_enumerated().skip(module.start.locals) {
            of_function[data.owner].push(local);
        }
        for (function, locals) in of_function.iter_enumerated() {
            let types: Vec<TermId> = locals.iter().filter_map(|&local| self.locals[local]).list();
            if self.escaped(&types, function, &declared).is_none() {
                continue;
            }
            for &local in locals {
                let Some(ty) = self.locals[local] else { continue };
                if let Some(param) = self.escaped(&[ty], function, &declared)
                    && let Some(owner) = declared[param.0 as usize]
                    && !self.local_schemes.get(&local).is_some_and(|scheme| scheme.params.contains(&param))
                {
                    self.errors.push(TypeError::Escapes { local, param, owner });
                    break;
                }
            }
        }
    }

    /// A parameter in types that a function around does not declare.
    fn escaped(&self, types: &[TermId], inside: FnId, declared: &[Option<FnId>]) -> Option<ParamId> {
        let functions = &self.module.functions;
        let span = functions[inside].span;
        let param = |term: Term| match term {
            Term::Param(param, _) | Term::Dim(Dim { extent: Extent::Param(param), .. }) => Some(param),
            _ => None,
        };
        let is_strange = |param: &ParamId| {
            declared.get(param.0 as usize).copied().flatten().is_some_and(|owner| {
                let around = functions[owner].span;
                owner != inside && !(around.start <= span.start && span.end <= around.end)
            })
        };
        let found = self.solver.roots_where(types, |term| param(term).is_some_and(|param| is_strange(&param)));
        found.first().and_then(|&root| param(self.solver.head(root)))
    }
}
