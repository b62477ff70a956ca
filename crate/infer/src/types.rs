//! Written types as terms.

use crate::walk::Inference;
use crate::why::Why;
use base::{HashMap, IdMap, ToList};
use hir::{TypeExprId, TypeExprKind};
use solve::Cause;
use ty::{Dim, Dtype, Function, Kind, Term, TermId, Terms};

impl Inference<'_> {
    /// The term of a written type; each `_` and each `?` in it is new. The parts of a type have smaller ids than the
    /// type, so a stack of those still to be made suffices.
    pub(crate) fn written(&mut self, root: TypeExprId) -> TermId {
        let mut made: IdMap<TypeExprId, TermId> = IdMap::default();
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if made.contains(id) {
                stack.pop();
                continue;
            }
            let from = stack.len();
            self.module.type_exprs[id].kind.for_parts(|part| {
                if !made.contains(part) {
                    stack.push(part);
                }
            });
            if stack.len() == from {
                stack.pop();
                let term = self.written_node(id, &made);
                made.insert(id, term);
            }
        }
        made_of(&made, root)
    }

    fn written_node(&mut self, id: TypeExprId, made: &IdMap<TypeExprId, TermId>) -> TermId {
        let module = self.module;
        let cause = self.cause(Why::Written(id));
        let list = |cx: &mut Self, ids: &[TypeExprId]| {
            let items: Vec<TermId> = ids.iter().map(|&id| made_of(made, id)).list();
            cx.solver.store.list(&items)
        };
        let term = match &module.type_exprs[id].kind {
            TypeExprKind::Error => Term::Error(self.hole_kinds.get(&id).copied().unwrap_or(Kind::Type)),
            TypeExprKind::Hole => Term::hole(self.hole_kinds.get(&id).copied().unwrap_or(Kind::Type)),
            TypeExprKind::Tensor { shape, dtype } => {
                Term::Tensor { shape: made_of(made, *shape), dtype: made_of(made, *dtype) }
            }
            TypeExprKind::Scalar(dtype) => return self.scalar(*dtype, cause),
            TypeExprKind::Dtype(dtype) => Term::Dtype(*dtype),
            TypeExprKind::Tuple(fields) => Term::Tuple(list(self, fields)),
            TypeExprKind::Func { type_params, params, result } => {
                let body = Term::Func { params: list(self, params), result: made_of(made, *result) };
                match type_params.first() {
                    None => body,
                    Some(&first) => {
                        let body = self.solver.fresh(body, cause);
                        Term::Forall { first, n: type_params.len() as u32, body }
                    }
                }
            }
            TypeExprKind::Ref(inner) => Term::Ref(made_of(made, *inner)),
            TypeExprKind::Adt { adt, args } => Term::Adt { adt: *adt, args: list(self, args) },
            TypeExprKind::Sum { variants, rest } => {
                let mut row = match rest {
                    Some(rest) => made_of(made, *rest),
                    None => self.solver.fresh(Term::EmptyRow, cause),
                };
                for (variant, fields) in variants.iter().rev() {
                    let fields = list(self, fields);
                    row = self.solver.fresh(Term::Row { variant: *variant, fields, rest: row }, cause);
                }
                Term::Sum(row)
            }
            TypeExprKind::RowOf(sum) => match self.solver.head(made_of(made, *sum)) {
                Term::Sum(row) => return row,
                _ => Term::Error(Kind::Row),
            },
            TypeExprKind::Param(param) => match self.assumed_params.get(param) {
                Some(&assumed) => return assumed,
                None => Term::param(*param, module.type_params[*param].kind),
            },
            TypeExprKind::Shape(items) if items.iter().any(|&item| self.is_splice(item)) => {
                let items: Vec<TermId> = items.iter().map(|&item| made_of(made, item)).list();
                return self.solver.apply(&Function::Concat, &items, cause);
            }
            TypeExprKind::Shape(dims) => Term::Shape(list(self, dims)),
            TypeExprKind::Splice(inner) => return made_of(made, *inner),
            TypeExprKind::Apply { function, args } => {
                let args: Vec<TermId> = args.iter().map(|&arg| made_of(made, arg)).list();
                return self.solver.apply(function, &args, cause);
            }
            // Stands in a written relation only.
            TypeExprKind::If { .. } => Term::Error(Kind::Dim),
            TypeExprKind::Dim(number) => Term::Dim(Dim::number(*number)),
            TypeExprKind::Any => Term::Dim(Dim::ANY),
        };
        self.solver.fresh(term, cause)
    }

    fn is_splice(&self, id: TypeExprId) -> bool {
        matches!(self.module.type_exprs[id].kind, TypeExprKind::Splice(_))
    }

    /// `Tensor[(), dtype]`. The shape of all scalars is shared: nothing can be learned of it.
    pub(crate) fn scalar(&mut self, dtype: Dtype, cause: Cause) -> TermId {
        let shape = match self.empty_shape {
            Some(shape) => shape,
            None => {
                let list = self.solver.store.list(&[]);
                *self.empty_shape.insert(self.solver.fresh(Term::Shape(list), cause))
            }
        };
        let dtype = self.solver.fresh(Term::Dtype(dtype), cause);
        self.solver.fresh(Term::Tensor { shape, dtype }, cause)
    }

    /// A written type argument as a term of the wanted kind: `(10, 10)` may be a tuple or a shape, `float32` a type or
    /// a dtype, a sum its row. `None` if it can be neither.
    pub(crate) fn written_as(&mut self, id: TypeExprId, want: Kind) -> Option<TermId> {
        let cause = self.cause(Why::Written(id));
        match (&self.module.type_exprs[id].kind, want) {
            (TypeExprKind::Scalar(dtype), Kind::BaseType) => Some(self.solver.fresh(Term::Dtype(*dtype), cause)),
            (TypeExprKind::Hole | TypeExprKind::Error, _) => Some(self.solver.fresh(Term::hole(want), cause)),
            (TypeExprKind::Tuple(items), Kind::Shape) => {
                let spliced = items.iter().any(|&item| self.is_splice(item));
                let fits = |cx: &Self, item: TypeExprId, term: TermId| {
                    cx.solver.head(term).kind() == Kind::Dim || cx.is_splice(item)
                };
                let terms: Vec<TermId> = items.iter().map(|&item| self.written(item)).list();
                if !items.iter().zip(&terms).all(|(&item, &term)| fits(self, item, term)) {
                    return None;
                }
                if spliced {
                    return Some(self.solver.apply(&Function::Concat, &terms, cause));
                }
                let list = self.solver.store.list(&terms);
                Some(self.solver.fresh(Term::Shape(list), cause))
            }
            // `(2)` is a shape, as it is inside `Tensor[…]`.
            (TypeExprKind::Dim(_) | TypeExprKind::Any, Kind::Shape) => {
                let dim = self.written(id);
                let list = self.solver.store.list(&[dim]);
                Some(self.solver.fresh(Term::Shape(list), cause))
            }
            (TypeExprKind::Sum { .. }, Kind::Row) => {
                let sum = self.written(id);
                if let Term::Sum(row) = self.solver.head(sum) { Some(row) } else { None }
            }
            (TypeExprKind::Tuple(fields), Kind::Type) => {
                let is_dim = |&field: &TypeExprId| {
                    matches!(self.module.type_exprs[field].kind, TypeExprKind::Dim(_) | TypeExprKind::Any)
                };
                (!fields.iter().any(is_dim)).then(|| self.written(id))
            }
            _ => {
                let written = self.written(id);
                (self.solver.head(written).kind() == want).then_some(written)
            }
        }
    }

    /// Whether a written type leaves nothing to be found out.
    pub(crate) fn is_complete(&self, root: TypeExprId) -> bool {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            let kind = &self.module.type_exprs[id].kind;
            if matches!(kind, TypeExprKind::Hole | TypeExprKind::Error) {
                return false;
            }
            kind.for_parts(|part| pending.push(part));
        }
        true
    }
}

/// The term of a part, which is made before what it is part of.
fn made_of(made: &IdMap<TypeExprId, TermId>, part: TypeExprId) -> TermId {
    made.get(part).expect("parts are made first")
}

/// Which kind each `_` of a file has, by the place it stands in.
pub(crate) fn hole_kinds(module: &hir::Module) -> HashMap<TypeExprId, Kind> {
    let mut kinds = HashMap::default();
    let mut note = |id: TypeExprId, kind: Kind| {
        if matches!(module.type_exprs[id].kind, TypeExprKind::Hole | TypeExprKind::Error) {
            kinds.insert(id, kind);
        }
    };
    for type_expr in module.type_exprs.iter().skip(module.start.type_exprs) {
        match &type_expr.kind {
            TypeExprKind::Tensor { shape, dtype } => {
                note(*shape, Kind::Shape);
                note(*dtype, Kind::BaseType);
            }
            TypeExprKind::Splice(inner) => note(*inner, Kind::Shape),
            TypeExprKind::Sum { rest: Some(rest), .. } => note(*rest, Kind::Row),
            TypeExprKind::Apply { function, args } => {
                let kind = function.argument_kind();
                args.iter().for_each(|&arg| note(arg, kind));
            }
            TypeExprKind::Shape(dims) => dims.iter().for_each(|&dim| note(dim, Kind::Dim)),
            TypeExprKind::Adt { adt, args } => {
                for (&arg, &param) in args.iter().zip(&module.adts[*adt].params) {
                    note(arg, module.type_params[param].kind);
                }
            }
            _ => {}
        }
    }
    kinds
}
