//! The types of a program as the core asks for them.
//!
//! A type is a term of the store, or what a field's written type comes to under the type arguments of a value; the
//! latter is made only when the former is taken apart. Equal types have equal ids, so recursive ones are finite.
//!
//! Worked example: of `List[Empty]` the field types of `Cons(A, List[A])` are the term `Empty` and, with that for `A`,
//! `List[Empty]` again, written: its own fields lead to no further types.

use crate::intern::Interner;
use crate::pattern::{Head, TyId};
use crate::space::{Shape, Types};
use base::{Append, Idx, Surface, ToList};
use hir::{Module, TypeExprId, TypeExprKind};
use ty::{AdtId, Dtype, Kind, ParamId, Term, TermId, Terms, VariantId};

#[derive(Clone)]
enum Type {
    /// Nothing is known of it, or nothing can be matched.
    Unknown,
    Bool,
    /// The shape of a scalar.
    NoDims,
    Term(TermId),
    Adt(AdtId, Vec<TyId>),
    Tuple(Vec<TyId>),
    /// An anonymous sum, and what stands for the rest of its row.
    /// It also stands for its row.
    Sum(Vec<(VariantId, Vec<TyId>)>, Option<TyId>),
}

/// `False` and `True` as literals.
pub(crate) const BOOLS: [Head; 2] = [Head::Literal(0), Head::Literal(1)];

pub(crate) struct HirTypes<'a> {
    module: &'a Module,
    terms: &'a dyn Terms,
    types: Vec<Type>,
    ids: Interner,
}

/// A step of reading a written type.
enum Step {
    Read(TypeExprId),
    Tuple(usize),
    Adt(AdtId, usize),
    Tensor,
    Sum(TypeExprId),
}

impl<'a> HirTypes<'a> {
    pub(crate) fn new(module: &'a Module, terms: &'a dyn Terms) -> HirTypes<'a> {
        let mut types = HirTypes { module, terms, types: Vec::new(), ids: Interner::default() };
        types.intern(Type::Unknown);
        types
    }

    pub(crate) fn term(&mut self, term: TermId) -> TyId {
        self.intern(Type::Term(self.terms.root(term)))
    }

    fn intern(&mut self, ty: Type) -> TyId {
        let mut key = Vec::new();
        match &ty {
            Type::Unknown => key.push(0),
            Type::Bool => key.push(1),
            Type::NoDims => key.push(2),
            Type::Term(term) => key.append_all([3, term.number()]),
            Type::Adt(adt, args) => {
                key.append_all([4, adt.number()]);
                key.append_all(args.iter().map(|arg| arg.number()));
            }
            Type::Tuple(items) => {
                key.push(5);
                key.append_all(items.iter().map(|item| item.number()));
            }
            Type::Sum(variants, rest) => {
                key.append_all([6, rest.map_or(u32::MAX, |rest| rest.number())]);
                for (name, fields) in variants {
                    key.append_all([name.number(), fields.len() as u32]);
                    key.append_all(fields.iter().map(|field| field.number()));
                }
            }
        }
        let (id, is_new) = self.ids.id(&key);
        if is_new {
            self.types.push(ty);
        }
        TyId::numbered(id)
    }

    /// What a written type is where the parameters stand for these types.
    fn read(&mut self, written: TypeExprId, params: &[ParamId], args: &[TyId]) -> TyId {
        let mut steps = vec![Step::Read(written)];
        let mut done: Vec<TyId> = Vec::new();
        while let Some(step) = steps.pop() {
            let ty = match step {
                Step::Tuple(n) => Type::Tuple(done.split_off(done.len() - n)),
                Step::Adt(adt, n) => Type::Adt(adt, done.split_off(done.len() - n)),
                Step::Tensor => {
                    let parts = done.split_off(done.len() - 2);
                    if self.is_no_dims(parts[0]) && self.is_bool(parts[1]) { Type::Bool } else { Type::Unknown }
                }
                Step::Sum(id) => {
                    let TypeExprKind::Sum { variants, rest } = &self.module.type_exprs[id].kind else { continue };
                    let rest = rest.and_then(|_| done.pop());
                    let mut read = Vec::new();
                    for &(name, ref fields) in variants.iter().rev() {
                        read.push((name, done.split_off(done.len() - fields.len())));
                    }
                    read.reverse();
                    Type::Sum(read, rest)
                }
                Step::Read(id) => match &self.module.type_exprs[id].kind {
                    TypeExprKind::Tuple(items) => {
                        steps.push(Step::Tuple(items.len()));
                        steps.append_all(items.iter().rev().map(|&item| Step::Read(item)));
                        continue;
                    }
                    TypeExprKind::Adt { adt, args } => {
                        steps.push(Step::Adt(*adt, args.len()));
                        steps.append_all(args.iter().rev().map(|&arg| Step::Read(arg)));
                        continue;
                    }
                    TypeExprKind::Tensor { shape, dtype } => {
                        steps.append_all([Step::Tensor, Step::Read(*dtype), Step::Read(*shape)]);
                        continue;
                    }
                    TypeExprKind::Sum { variants, rest } => {
                        steps.push(Step::Sum(id));
                        steps.append_all(rest.iter().map(|&rest| Step::Read(rest)));
                        let fields = variants.iter().flat_map(|(_, fields)| fields);
                        steps.append_all(fields.rev().map(|&field| Step::Read(field)));
                        continue;
                    }
                    TypeExprKind::RowOf(sum) => {
                        steps.push(Step::Read(*sum));
                        continue;
                    }
                    TypeExprKind::Param(param) => {
                        let arg = params.iter().position(|other| other == param).and_then(|i| args.get(i));
                        done.push(arg.copied().unwrap_or(TyId::UNKNOWN));
                        continue;
                    }
                    TypeExprKind::Scalar(Dtype::Bool) | TypeExprKind::Dtype(Dtype::Bool) => Type::Bool,
                    TypeExprKind::Shape(dims) if dims.is_empty() => Type::NoDims,
                    TypeExprKind::Error
                    | TypeExprKind::Hole
                    | TypeExprKind::Scalar(_)
                    | TypeExprKind::Dtype(_)
                    | TypeExprKind::Func { .. }
                    | TypeExprKind::Ref(_)
                    | TypeExprKind::Shape(_)
                    | TypeExprKind::Splice(_)
                    | TypeExprKind::Apply { .. }
                    | TypeExprKind::If { .. }
                    | TypeExprKind::Dim(_)
                    | TypeExprKind::Any => Type::Unknown,
                },
            };
            let id = self.intern(ty);
            done.push(id);
        }
        done.pop().unwrap_or(TyId::UNKNOWN)
    }

    fn is_bool(&self, ty: TyId) -> bool {
        match self.types[ty.index()] {
            Type::Bool => true,
            Type::Term(term) => matches!(self.terms.head(term), Term::Dtype(Dtype::Bool)),
            Type::Unknown | Type::NoDims | Type::Adt(..) | Type::Tuple(_) | Type::Sum(..) => false,
        }
    }

    fn is_no_dims(&self, ty: TyId) -> bool {
        match self.types[ty.index()] {
            Type::NoDims => true,
            Type::Term(term) => matches!(self.terms.head(term), Term::Shape(dims) if dims.len == 0),
            Type::Unknown | Type::Bool | Type::Adt(..) | Type::Tuple(_) | Type::Sum(..) => false,
        }
    }

    fn all(&mut self, terms: &[TermId]) -> Vec<TyId> {
        terms.iter().map(|&term| self.term(term)).list()
    }

    fn adt(&mut self, adt: AdtId, args: &[TyId]) -> Shape {
        let module = self.module;
        let adt = &module.adts[adt];
        let mut heads = Vec::new();
        for &ctor in &adt.ctors {
            let fields = module.ctors[ctor].fields.iter().map(|&field| self.read(field, &adt.params, args)).list();
            heads.push((Head::Ctor(ctor.number()), fields));
        }
        Shape { heads, is_open: adt.is_extern }
    }

    /// The variants of a row are in the order of their names. A row that ends in anything but its end may have more.
    fn sum(&mut self, mut variants: Vec<(VariantId, Vec<TyId>)>, row: Option<TermId>, is_closed: bool) -> Shape {
        let (module, terms) = (self.module, self.terms);
        let mut is_open = !is_closed;
        if let Some(row) = row {
            let (more, rest) = terms.row(row);
            variants.append_all(more.iter().map(|variant| (variant.name, self.all(terms.items(variant.fields)))));
            is_open = terms.head(rest) != Term::EmptyRow;
        }
        let mut named = variants.into_iter().map(|(name, fields)| (&module.variants[name], name, fields)).list();
        base::sort(&mut named);
        named.dedup_by_key(|&mut (_, name, _)| name);
        let heads = named.into_iter().map(|(_, name, fields)| (Head::Variant(name.number()), fields)).list();
        Shape { heads, is_open }
    }
}

impl Types for HirTypes<'_> {
    fn shape(&mut self, ty: TyId) -> Shape {
        let terms = self.terms;
        let is_open = |is_open| Shape { heads: Vec::new(), is_open };
        let bools = || Shape { heads: BOOLS.map(|head| (head, Vec::new())).to_vec(), is_open: false };
        match self.types[ty.index()].clone() {
            Type::Unknown | Type::NoDims => is_open(true),
            Type::Bool => bools(),
            Type::Adt(adt, args) => self.adt(adt, &args),
            Type::Tuple(items) => Shape { heads: vec![(Head::Tuple, items)], is_open: false },
            Type::Sum(mut variants, mut rest) => {
                let mut row = None;
                while let Some(Type::Sum(more, more_rest)) = rest.map(|rest| &self.types[rest.index()]) {
                    variants.append_all(more.iter().cloned());
                    rest = *more_rest;
                }
                if let Some(&Type::Term(term)) = rest.map(|rest| &self.types[rest.index()]) {
                    row = Some(term);
                }
                self.sum(variants, row, rest.is_none())
            }
            Type::Term(term) => match terms.head(term) {
                Term::Sum(row) => self.sum(Vec::new(), Some(row), false),
                Term::Adt { adt, args } => {
                    let args = self.all(terms.items(args));
                    self.adt(adt, &args)
                }
                Term::Tuple(items) => {
                    Shape { heads: vec![(Head::Tuple, self.all(terms.items(items)))], is_open: false }
                }
                Term::Tensor { shape, dtype } => {
                    let (shape, dtype) = (self.term(shape), self.term(dtype));
                    if self.is_no_dims(shape) && self.is_bool(dtype) { bools() } else { is_open(true) }
                }
                // Of a payload that nobody gave there is no value.
                Term::Hole(Kind::Type) if self.module.surface == Surface::Refine => {
                    Shape { heads: Vec::new(), is_open: false }
                }
                Term::Hole(_)
                | Term::Error(_)
                | Term::Param(..)
                | Term::Func { .. }
                | Term::Forall { .. }
                | Term::Ref(_)
                | Term::Row { .. }
                | Term::EmptyRow
                | Term::Shape(_)
                | Term::Slice { .. }
                | Term::Splice(_)
                | Term::Dim(_)
                | Term::Dtype(_) => is_open(true),
            },
        }
    }
}
