//! Where a value arrives, the sizes that are written there are checked: a `?` may have come to be anything.
//!
//! A number is checked wherever it stands. A dim that is a parameter is whatever the first parameter or field that has
//! it says; the others are compared with that. In the body only what was joined with a `?` need be, since all else is
//! the same by its type.
//!
//! Worked example: `def @f[N: Dim](%x: Tensor[(N,), t], %y: Tensor[(2, N), t])` begins with a check that axis 1 of `%y`
//! is axis 0 of `%x`.

use crate::body::{Body, Bound, Given};
use crate::instance::Lowering;
use base::{Edited, Span};
use hir::{CtorId, ExprId, ExprKind, FnId, LocalId, TypeExprId, WrittenSizes};
use ir::{Op, VarId};
use ty::{ParamId, Term, TermId, Terms};

/// What arrives, where what is written of it.
struct Arrival<'a> {
    annotation: Option<TypeExprId>,
    name: &'a str,
    span: Span,
    var: VarId,
    /// What was found out of its type. Without it all dims that are parameters are checked.
    ty: Option<TermId>,
}

impl Lowering<'_> {
    /// A variable of a `let` or a pattern.
    pub(crate) fn check(&mut self, body: &mut Body, local: LocalId, var: VarId) {
        let n_given = body.sizes.len();
        self.check_local(body, local, var, self.inferred.locals[local]);
        body.sizes.truncate(n_given);
        self.check_taken(body, local, var);
    }

    pub(crate) fn check_parameter(&mut self, body: &mut Body, param: LocalId, var: VarId) {
        self.check_local(body, param, var, None);
        self.check_taken(body, param, var);
    }

    /// A variable that is given what was in a container.
    fn check_taken(&mut self, body: &mut Body, local: LocalId, var: VarId) {
        if let Some(sizes) = self.taken.locals.get(&local).cloned() {
            let (name, span) = (self.module.local_name(local), self.module.locals[local].span);
            self.check_numbers(body, var, name, &sizes, span);
        }
    }

    /// The value of a call or of a cell.
    pub(crate) fn check_value(&mut self, body: &mut Body, expr: ExprId, var: VarId) {
        if let Some((name, sizes)) = self.taken.exprs.get(&expr).cloned() {
            self.check_numbers(body, var, &name, &sizes, self.module.exprs[expr].span);
        }
    }

    fn check_numbers(&mut self, body: &mut Body, var: VarId, name: &str, sizes: &[WrittenSizes], span: Span) {
        for sizes in sizes {
            if let Some(part) = self.tensor_in(body, var, &sizes.path, span) {
                body.emit(Op::Check { name: sizes.name(name), dims: sizes.numbers.clone() }, &[part], &[], span);
            }
        }
    }

    fn check_local(&mut self, body: &mut Body, local: LocalId, var: VarId, ty: Option<TermId>) {
        let (data, name) = (&self.module.locals[local], self.module.local_name(local));
        self.check_sizes(body, 0, &Arrival { annotation: data.annotation, name, span: data.span, var, ty });
    }

    /// Checks the sizes that are written where a value arrives, and notes those that are given there first, of those
    /// that were noted from `since` on.
    fn check_sizes(&mut self, body: &mut Body, since: usize, arrival: &Arrival) {
        let &Arrival { annotation, name, span, var, ty } = arrival;
        for written in self.module.written_sizes(annotation) {
            let name = written.name(name);
            if written.has_numbers()
                && let Some(part) = self.tensor_in(body, var, &written.path, span)
            {
                body.emit(Op::Check { name: name.clone(), dims: written.numbers.clone() }, &[part], &[], span);
            }
            for &(param, axis) in &written.params {
                let Some(first) = body.sizes[since..].iter().find(|given| given.param == param).cloned() else {
                    body.sizes.push(Given { param, name: name.clone(), var, path: written.path.clone(), axis });
                    continue;
                };
                if self.may_differ(ty, &written.path, axis)
                    && let Some(other) = self.tensor_in(body, first.var, &first.path, span)
                    && let Some(part) = self.tensor_in(body, var, &written.path, span)
                {
                    let mut dims = base::filled(None, written.numbers.len());
                    dims[axis] = Some(first.axis as u64);
                    let name = self.module.shared_name(param, (&first.name, first.axis), (&name, axis));
                    body.emit(Op::Check { name, dims }, &[part, other], &[], span);
                }
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

    /// Whether a dim of a type was joined with a `?`. Any other is by its type what it is said to be.
    fn may_differ(&self, ty: Option<TermId>, path: &[u32], axis: usize) -> bool {
        let solver = &self.inferred.solver;
        let Some(mut part) = ty else { return true };
        for &index in path.iter().chain(&[0, axis as u32]) {
            let list = match solver.head(part) {
                Term::Tuple(list) | Term::Shape(list) => list,
                Term::Tensor { shape, .. } => {
                    part = shape;
                    continue;
                }
                _ => return true,
            };
            match solver.items(list).get(index as usize) {
                Some(&inner) => part = inner,
                None => return true,
            }
        }
        matches!(solver.head(part), Term::Dim(dim) if dim.dynamic)
    }

    pub(crate) fn check_fields(&mut self, body: &mut Body, ctor: CtorId, args: &[VarId]) {
        let data = &self.module.ctors[ctor];
        let n_given = body.sizes.len();
        for (i, (&field, &var)) in data.fields.iter().zip(args).enumerate().filter(|_| self.module.has_any) {
            let (span, name) = (self.module.type_exprs[field].span, &format!("{}.{i}", data.name));
            self.check_sizes(body, n_given, &Arrival { annotation: Some(field), name, span, var, ty: None });
        }
        body.sizes.truncate(n_given);
    }

    /// A function's result, or the value of a top-level variable.
    pub(crate) fn check_result(&mut self, body: &mut Body, var: VarId) {
        let Some(id) = body.source.filter(|_| self.module.has_any) else { return };
        if let Some(&local) = self.variables.get(&id) {
            self.check(body, local, var);
        } else if let Some(result) = self.module.functions[id].result {
            let (name, span) = (&format!("{}(…)", self.name(id)), self.module.type_exprs[result].span);
            let n_given = body.sizes.len();
            let arrival = Arrival { annotation: Some(result), name, span, var, ty: self.result_type(id) };
            self.check_sizes(body, 0, &arrival);
            body.sizes.truncate(n_given);
        }
    }

    fn result_type(&self, id: FnId) -> Option<TermId> {
        self.inferred.exprs[self.module.functions[id].body]
    }

    /// Whether nothing is left to check of what a call in tail position returns: the function called checks the same
    /// numbers, and there is no parameter to check.
    pub(crate) fn is_checked_alike(&self, body: &Body, callee: ExprId) -> bool {
        let Some(id) = body.source.filter(|_| self.module.has_any) else { return true };
        let sizes = match self.variables.get(&id) {
            Some(local) if self.taken.locals.contains_key(local) => return false,
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
        let is_asked = |sizes: &WrittenSizes, param: ParamId, axis: usize| {
            body.sizes.iter().any(|given| given.param == param)
                && self.may_differ(self.result_type(id), &sizes.path, axis)
        };
        if sizes.iter().any(|sizes| sizes.params.iter().any(|&(param, axis)| is_asked(sizes, param, axis))) {
            return false;
        }
        let numbers = |mut sizes: Vec<WrittenSizes>| {
            sizes.keep(WrittenSizes::has_numbers);
            sizes.iter_mut().for_each(|sizes| sizes.params.clear());
            sizes
        };
        let sizes = numbers(sizes);
        sizes.is_empty()
            || called.is_some_and(|called| called == id || numbers(self.module.result_sizes(called)) == sizes)
    }
}
