//! Where a value arrives, the sizes that are written there are checked: a `?` may have come to be anything.
//!
//! A number is checked wherever it stands. A dim that is a parameter is whatever the first parameter or field that has it
//! says; the others are compared with that. In the body only what was joined with a `?` need be, since all else is the
//! same by its type.
//!
//! Worked example: `def @f[N: Dim](%x: Tensor[(N,), t], %y: Tensor[(2, N), t])` begins with a check that axis 1 of `%y` is
//! axis 0 of `%x`.

use crate::body::{Body, Bound, Given, Sizes};
use crate::instance::Lowering;
use base::Span;
use hir::{CtorId, ExprId, ExprKind, FnId, LocalId, SharedSizes, TypeExprId, part_name};
use ir::{Op, VarId};
use ty::{ParamId, Term, TermId, Terms};

impl Lowering<'_> {
    /// A variable of a `let` or a pattern.
    pub(crate) fn check(&mut self, body: &mut Body, local: LocalId, var: VarId) {
        let (data, name) = (&self.module.locals[local], self.module.local_name(local));
        self.check_sizes(body, data.annotation, name, data.span, var);
        self.check_again(body, data.annotation, self.inferred.locals[local], (name, var), data.span);
    }

    pub(crate) fn check_parameter(&mut self, body: &mut Body, param: LocalId, var: VarId) {
        let (data, name) = (&self.module.locals[param], self.module.local_name(param));
        self.check_sizes(body, data.annotation, name, data.span, var);
        let mut sizes = std::mem::take(&mut body.sizes);
        self.check_shared(body, &mut sizes, data.annotation, (name, var), data.span);
        body.sizes = sizes;
    }

    /// Checks the sizes that are written where a value arrives.
    fn check_sizes(&mut self, body: &mut Body, annotation: Option<TypeExprId>, name: &str, span: Span, var: VarId) {
        for sizes in self.module.written_sizes(annotation) {
            if let Some(part) = self.tensor_in(body, var, &sizes.path, span) {
                body.emit(Op::Check { name: sizes.name(name), dims: sizes.dims }, &[part], &[], span);
            }
        }
    }

    /// The tensor at a place in a value.
    fn tensor_in(&mut self, body: &mut Body, mut part: VarId, path: &[u32], span: Span) -> Option<VarId> {
        for &index in path {
            let base = self.program.layouts[body.layout(part)].ty;
            let Term::Tuple(fields) = self.program.types.head(base) else { return None };
            let ty = *self.program.types.items(fields).get(index as usize)?;
            part = self.project(body, part, base, index, ty, span);
        }
        matches!(self.program.layouts[body.layout(part)].kind, layout::Kind::Tensor).then_some(part)
    }

    /// Notes the sizes that a parameter or a field is the first to give, and checks the others.
    fn check_shared(
        &mut self,
        body: &mut Body,
        sizes: &mut Sizes,
        annotation: Option<TypeExprId>,
        (name, var): (&str, VarId),
        span: Span,
    ) {
        for shared in self.module.shared_sizes(annotation) {
            for (param, axis) in shared.params() {
                let given = Given { name: part_name(name, &shared.path), var, path: shared.path.clone(), axis };
                match sizes.get(&param) {
                    Some(first) => self.check_same(body, param, first, &given, shared.dims.len(), span),
                    None => drop(sizes.insert(param, given)),
                }
            }
        }
    }

    /// Checks of a value that arrives later the sizes that were joined with a `?`.
    fn check_again(
        &mut self,
        body: &mut Body,
        annotation: Option<TypeExprId>,
        ty: Option<TermId>,
        (name, var): (&str, VarId),
        span: Span,
    ) {
        for (shared, param, axis) in self.joined(body, annotation, ty) {
            let given = Given { name: part_name(name, &shared.path), var, path: shared.path, axis };
            if let Some(first) = body.sizes.get(&param).cloned() {
                self.check_same(body, param, &first, &given, shared.dims.len(), span);
            }
        }
    }

    /// The dims of an annotation that were given before, if its type was joined with a `?` there. Those of another one are
    /// the same anyway.
    fn joined(
        &self,
        body: &Body,
        annotation: Option<TypeExprId>,
        ty: Option<TermId>,
    ) -> Vec<(SharedSizes, ParamId, usize)> {
        let solver = &self.inferred.solver;
        let is_joined = |shared: &SharedSizes, axis: usize| {
            let mut part = ty?;
            for &index in &shared.path {
                let Term::Tuple(fields) = solver.head(part) else { return None };
                part = *solver.items(fields).get(index as usize)?;
            }
            let Term::Tensor { shape, .. } = solver.head(part) else { return None };
            let Term::Shape(dims) = solver.head(shape) else { return None };
            match solver.head(*solver.items(dims).get(axis)?) {
                Term::Dim(dim) => Some(dim.dynamic),
                _ => None,
            }
        };
        let mut found = Vec::new();
        for shared in self.module.shared_sizes(annotation) {
            for (param, axis) in shared.params() {
                if body.sizes.contains_key(&param) && is_joined(&shared, axis) != Some(false) {
                    found.push((shared.clone(), param, axis));
                }
            }
        }
        found
    }

    fn check_same(&mut self, body: &mut Body, param: ParamId, first: &Given, again: &Given, rank: usize, span: Span) {
        let name = self.module.shared_name(param, (&first.name, first.axis), (&again.name, again.axis));
        let tensors =
            (self.tensor_in(body, again.var, &again.path, span), self.tensor_in(body, first.var, &first.path, span));
        if let (Some(again_in), Some(first_in)) = tensors {
            let mut dims = vec![None; rank];
            dims[again.axis] = Some(first.axis as u64);
            body.emit(Op::Check { name, dims }, &[again_in, first_in], &[], span);
        }
    }

    pub(crate) fn check_fields(&mut self, body: &mut Body, ctor: CtorId, args: &[VarId]) {
        let data = &self.module.ctors[ctor];
        let mut sizes = Sizes::default();
        for (i, (&field, &arg)) in data.fields.iter().zip(args).enumerate().filter(|_| self.module.has_any) {
            let (span, name) = (self.module.type_exprs[field].span, format!("{}.{i}", data.name));
            self.check_sizes(body, Some(field), &name, span, arg);
            self.check_shared(body, &mut sizes, Some(field), (&name, arg), span);
        }
    }

    /// A function's result, or the value of a top-level variable.
    pub(crate) fn check_result(&mut self, body: &mut Body, value: VarId) {
        let Some(id) = body.source.filter(|_| self.module.has_any) else { return };
        if let Some(&local) = self.variables.get(&id) {
            self.check(body, local, value);
        } else if let Some(result) = self.module.functions[id].result {
            let name = format!("{}(…)", self.name(id));
            let span = self.module.type_exprs[result].span;
            self.check_sizes(body, Some(result), &name, span, value);
            self.check_again(body, Some(result), self.result_type(id), (&name, value), span);
        }
    }

    fn result_type(&self, id: FnId) -> Option<TermId> {
        self.inferred.exprs[self.module.functions[id].body]
    }

    /// Whether nothing is left to check of what a call in tail position returns: the function called checks the same.
    pub(crate) fn is_checked_alike(&self, body: &Body, callee: ExprId) -> bool {
        let Some(id) = body.source.filter(|_| self.module.has_any) else { return true };
        let sizes = match self.variables.get(&id) {
            Some(&local) => self.module.written_sizes(self.module.locals[local].annotation),
            None => self.module.result_sizes(id),
        };
        let called = match &self.module.exprs[callee].kind {
            ExprKind::Def(def) => Some(self.module.defs[*def].function),
            ExprKind::Local(local, _) => match body.env.get(local) {
                Some(Bound::Function { function, .. }) => Some(*function),
                _ => None,
            },
            _ => None,
        };
        let is_alike = |called| called == id || self.module.result_sizes(called) == sizes;
        (sizes.is_empty() || called.is_some_and(is_alike))
            && self.joined(body, self.module.functions[id].result, self.result_type(id)).is_empty()
    }
}
