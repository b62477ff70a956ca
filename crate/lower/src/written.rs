//! The fields of data types as closed types: what is written in a declaration, under the type's arguments.

use crate::close::{SubstId, hole};
use crate::instance::{LowerError, Lowering};
use crate::polymorphic::Origin;
use base::{Append, HashMap, ToList};
use hir::{TypeExprId, TypeExprKind};
use layout::Constructor;
use ty::{AdtId, Function, Kind, List, Term, TermId, Terms};

/// A data type one mention of which makes more instances has infinitely many, as `type Nest[A] { End, More(A, Nest[(A, A)]) }`.
const MAX_INSTANCES: usize = 1_000;

impl Lowering<'_> {
    /// An instance of a data type; what its constructors hold is found out later, by [`Lowering::define_types`].
    pub(crate) fn adt(&mut self, adt: AdtId, args: List) -> TermId {
        let ty = self.program.types.intern(Term::Adt { adt, args });
        if self.adts.insert(ty) {
            self.undefined.push((ty, adt, args));
        }
        ty
    }

    pub(crate) fn define_types(&mut self) {
        let module = self.module;
        self.n_of_type.clear();
        loop {
            if let Some(ty) = self.polymorphic.undefined.pop() {
                self.define_polymorphic(ty);
                continue;
            }
            let Some((ty, adt, args)) = self.undefined.pop() else { return };
            let data = &module.adts[adt];
            if data.is_extern || self.endless.contains(&adt) {
                continue;
            }
            let n_of_type = self.n_of_type.entry(adt).or_default();
            *n_of_type += 1;
            if *n_of_type > MAX_INSTANCES {
                self.end(adt);
                continue;
            }
            let args = self.program.types.items(args).to_vec();
            let subst = self.substs.intern(data.params.iter().copied().zip(args).list());
            let mut constructors = Vec::with_capacity(data.ctors.len());
            let mut written = Vec::with_capacity(data.ctors.len());
            for &ctor in &data.ctors {
                let own = module.ctors[ctor].fields.iter();
                let own: Vec<TermId> = own.map(|&field| self.close_written(field, subst)).list();
                let fields = own.iter().map(|&field| self.without_sizes(field)).list();
                constructors.push(Constructor { number: ctor.number(), fields });
                written.push(own);
            }
            self.program.types.define(ty, constructors);
            self.program.types.note_written(ty, written);
        }
    }

    /// Takes a data type for endless that has too many instances. Where others have as many, it may be one of them: the
    /// last that is declared, since the library's come first and hold only what they are given. What is left has few.
    fn end(&mut self, adt: AdtId) {
        let as_many = self.n_of_type.iter().filter(|&(_, &n)| n + 1 >= MAX_INSTANCES).map(|(&other, _)| other);
        let adt = as_many.fold(adt, |last, other| last.max(other));
        let span = self.module.adts[adt].name_span;
        self.errors.push(LowerError::EndlessType { span, adt });
        self.endless.insert(adt);
        self.n_of_type = HashMap::default();
    }

    /// A written type. Its parts have smaller ids than it has. A polymorphic function type is a plain one under a
    /// choice of its parameters.
    pub(crate) fn close_written(&mut self, root: TypeExprId, subst: SubstId) -> TermId {
        let module = self.module;
        let mut made: HashMap<(SubstId, TypeExprId), TermId> = HashMap::default();
        let mut stack = vec![(subst, root)];
        while let Some(&(subst, id)) = stack.last() {
            if made.contains_key(&(subst, id)) {
                stack.pop();
                continue;
            }
            let from = stack.len();
            let kind = &module.type_exprs[id].kind;
            let closed = match kind {
                TypeExprKind::Func { type_params, .. }
                    if let Some(&first) = type_params.first()
                        && self.substs.get(subst, first).is_none() =>
                {
                    let n = type_params.len() as u32;
                    let inner = (self.bound(subst, first, n), id);
                    match made.get(&inner) {
                        Some(&body) => self.polymorphic((first, n), body, Origin::Written(id), subst),
                        None => {
                            stack.push(inner);
                            continue;
                        }
                    }
                }
                _ => {
                    kind.for_parts(|part| {
                        stack.append_all((!made.contains_key(&(subst, part))).then_some((subst, part)))
                    });
                    if stack.len() > from {
                        continue;
                    }
                    self.written_head(kind, subst, &made)
                }
            };
            made.insert((subst, id), closed);
        }
        made[&(subst, root)]
    }

    fn written_head(
        &mut self,
        kind: &TypeExprKind,
        subst: SubstId,
        made: &HashMap<(SubstId, TypeExprId), TermId>,
    ) -> TermId {
        let made = |id: &TypeExprId| made[&(subst, *id)];
        let all = |ids: &[TypeExprId]| -> Vec<TermId> { ids.iter().map(made).list() };
        let term = match kind {
            TypeExprKind::Error | TypeExprKind::Hole => return self.program.types.nothing(),
            TypeExprKind::Tensor { shape, dtype } => return self.tensor(made(shape), made(dtype)),
            TypeExprKind::Scalar(dtype) => return self.program.types.scalar(*dtype),
            TypeExprKind::Dtype(dtype) => Term::Dtype(*dtype),
            TypeExprKind::Tuple(fields) => Term::Tuple(self.list(all(fields))),
            TypeExprKind::Func { params, result, .. } => {
                Term::Func { params: self.list(all(params)), result: made(result) }
            }
            TypeExprKind::Ref(inner) => Term::Ref(made(inner)),
            TypeExprKind::Adt { adt, args } => {
                let args = self.list(all(args));
                return self.adt(*adt, args);
            }
            TypeExprKind::Sum { variants, rest } => {
                let mut own: Vec<_> = variants.iter().map(|(name, fields)| (*name, all(fields))).list();
                let end = match rest {
                    Some(rest) => {
                        own.append(&mut self.row_variants(made(rest)));
                        self.program.types.row(made(rest)).1
                    }
                    None => self.program.types.intern(Term::EmptyRow),
                };
                Term::Sum(self.program.types.row_before(&own, end))
            }
            TypeExprKind::RowOf(sum) => match self.program.types.head(made(sum)) {
                Term::Sum(row) => return row,
                _ => Term::EmptyRow,
            },
            TypeExprKind::Param(param) => {
                let kind = self.module.type_params[*param].kind;
                return self.substs.get(subst, *param).unwrap_or_else(|| hole(&mut self.program.types, kind));
            }
            TypeExprKind::Shape(parts) => return self.splice(&all(parts)),
            TypeExprKind::Splice(inner) => return made(inner),
            TypeExprKind::Apply { function, args } => return self.applied(function, &all(args)),
            TypeExprKind::If { .. } | TypeExprKind::Any => return self.dim(None),
            TypeExprKind::Dim(size) => return self.dim(Some(*size)),
        };
        self.program.types.intern(term)
    }

    /// The value of a function of closed dims and shapes.
    fn applied(&mut self, function: &Function, args: &[TermId]) -> TermId {
        let numbers = || args.iter().map(|&arg| self.number(arg)).some_list();
        let dims = || args.first().and_then(|&shape| self.dims(shape));
        let size = match function {
            Function::Concat => return self.splice(args),
            Function::Slice(from, to) => {
                let Some(dims) = dims() else {
                    return match (args, from.unwrap_or(0), to.unwrap_or(0)) {
                        (&[whole], front @ 0.., back @ ..=0) => self.slice(whole, front as usize, -back as usize),
                        _ => hole(&mut self.program.types, Kind::Shape),
                    };
                };
                let place = |at: Option<i64>, or: usize| {
                    let at = at.unwrap_or(or as i64);
                    usize::try_from(if at < 0 { at + dims.len() as i64 } else { at }).unwrap_or(0).min(dims.len())
                };
                let (from, to) = (place(*from, 0), place(*to, dims.len()));
                return self.splice(&dims[from..to.max(from)]);
            }
            Function::Polynomial(poly) => numbers().and_then(|numbers| {
                poly.terms().iter().try_fold(0_i64, |sum, (atoms, factor)| {
                    let product = atoms
                        .iter()
                        .try_fold(*factor, |product, &atom| product.checked_mul(*numbers.get(atom as usize)?));
                    sum.checked_add(product?)
                })
            }),
            Function::Max => numbers().and_then(|numbers| numbers.into_iter().max()),
            Function::Min => numbers().and_then(|numbers| numbers.into_iter().min()),
            Function::FloorDiv => match numbers().as_deref() {
                Some(&[a, b]) if b > 0 => Some(a.div_euclid(b)),
                _ => None,
            },
            Function::Rank => dims().map(|dims| dims.len() as i64),
            Function::Prod => dims().and_then(|dims| {
                dims.into_iter().try_fold(1_i64, |product, dim| product.checked_mul(self.number(dim)?))
            }),
            Function::Index(at) => dims().and_then(|dims| {
                let at = if *at < 0 { at + dims.len() as i64 } else { *at };
                self.number(*dims.get(usize::try_from(at).ok()?)?)
            }),
        };
        self.dim(size)
    }
}
