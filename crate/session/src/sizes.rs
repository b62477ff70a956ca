//! What types are made of, and whether a value is of the sizes that its type says.
//!
//! A program looks where it takes a tensor out of a container ([`infer::Inferred::taken_sizes`]). What a run shows has
//! been taken out by nobody yet, so all of it is looked at before.
//!
//! Worked example: the value of `@f([1, 2, 3])`, where `@f` gives an `Option[Tensor[(2), int32]]`, is `Some([1, 2, 3])`.

use crate::Analysis;
use base::{Append, HashMap, Span, ToList};
use hir::{CtorId, ExprId, TypeExprId, TypeExprKind};
use std::rc::Rc;
use ty::{AdtId, Dim, Dtype, Extent, ParamId, RunError, RunFault, Term, TermId, Terms, Value, VariantId};

/// At most this many values are looked at: what is shared is met anew at each place.
const MAX_VALUES: usize = 1_000_000;

/// What parameters stand for.
type Choice = Rc<HashMap<ParamId, Ty>>;

/// A type, or a part of one.
#[derive(Clone)]
pub(crate) enum Ty {
    Found(TermId),
    Written(TypeExprId, Choice),
}

/// What values of a type are made of.
pub(crate) enum Form {
    Tensor {
        shape: Ty,
        dtype: Ty,
    },
    Scalar(Dtype),
    Tuple(Vec<Ty>),
    Adt {
        adt: AdtId,
        args: Vec<Ty>,
    },
    /// Any type.
    Open,
    Other,
}

impl Analysis {
    /// An error if a tensor in the value of an expression is of another size than the type of the expression says.
    pub(crate) fn check_sizes(&self, expr: ExprId, value: &Value, span: Span) -> Result<(), RunError> {
        let Some(ty) = self.inferred.exprs[expr].filter(|_| self.module.has_any) else { return Ok(()) };
        let mut stack = vec![(value.clone(), Ty::Found(ty))];
        let mut n_values = 0;
        while let Some((value, ty)) = stack.pop() {
            n_values += 1;
            if n_values > MAX_VALUES {
                break;
            }
            match value {
                Value::Tensor(tensor) => {
                    for (axis, (size, &found)) in self.sizes(&ty).into_iter().zip(&tensor.shape).enumerate() {
                        if let Some(want) = size.filter(|&want| want != found as u64) {
                            let sentence =
                                format!("a tensor in this value has size {want} on axis {axis}, found {found}");
                            return Err(RunError { span, fault: RunFault::Shapes(sentence) });
                        }
                    }
                }
                Value::Tuple(fields) => stack.append_all(fields.iter().cloned().zip(self.parts(&ty))),
                Value::Data(ctor, fields) => {
                    if let Form::Adt { args, .. } = self.form(&ty) {
                        let types = self.fields(CtorId::numbered(ctor), &args);
                        stack.append_all(fields.iter().cloned().zip(types));
                    }
                }
                Value::Variant(name, fields) => {
                    stack.append_all(fields.iter().cloned().zip(self.variant_fields(&ty, name)));
                }
                // A cell may hold itself, and what is in it is looked at by whoever reads it.
                Value::Ref(_) | Value::Scalar(..) | Value::Func(..) => {}
            }
        }
        Ok(())
    }

    /// A parameter is what is chosen for it.
    fn resolved(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Written(id, choice) => match &self.module.type_exprs[*id].kind {
                TypeExprKind::Param(param) => choice.get(param).cloned().unwrap_or_else(|| ty.clone()),
                _ => ty.clone(),
            },
            Ty::Found(_) => ty.clone(),
        }
    }

    /// The parts of a tuple, or of a list of dims.
    fn parts(&self, ty: &Ty) -> Vec<Ty> {
        let solver = &self.inferred.solver;
        match self.resolved(ty) {
            Ty::Found(term) => match solver.head(term) {
                Term::Tuple(list) | Term::Shape(list) => solver.items(list).iter().map(|&part| Ty::Found(part)).list(),
                _ => Vec::new(),
            },
            Ty::Written(id, choice) => match &self.module.type_exprs[id].kind {
                TypeExprKind::Tuple(parts) | TypeExprKind::Shape(parts) => {
                    let is_plain =
                        |part: &TypeExprId| !matches!(self.module.type_exprs[*part].kind, TypeExprKind::Splice(_));
                    // Behind a splice it is not written which axis is which.
                    let parts = parts.iter().take_while(|part| is_plain(part));
                    parts.map(|&part| Ty::Written(part, choice.clone())).list()
                }
                _ => Vec::new(),
            },
        }
    }

    /// What a type is, but for the parts of it.
    pub(crate) fn form(&self, ty: &Ty) -> Form {
        match self.resolved(ty) {
            Ty::Found(term) => match self.inferred.solver.head(term) {
                Term::Tensor { shape, dtype } => Form::Tensor { shape: Ty::Found(shape), dtype: Ty::Found(dtype) },
                Term::Tuple(_) => Form::Tuple(self.parts(ty)),
                Term::Adt { adt, args } => {
                    let args = self.inferred.solver.items(args).iter().map(|&arg| Ty::Found(arg)).list();
                    Form::Adt { adt, args }
                }
                Term::Param(..) => Form::Open,
                _ => Form::Other,
            },
            Ty::Written(id, choice) => {
                let part = |id: TypeExprId| self.resolved(&Ty::Written(id, choice.clone()));
                match &self.module.type_exprs[id].kind {
                    TypeExprKind::Tensor { shape, dtype } => Form::Tensor { shape: part(*shape), dtype: part(*dtype) },
                    TypeExprKind::Scalar(dtype) => Form::Scalar(*dtype),
                    TypeExprKind::Tuple(_) => Form::Tuple(self.parts(ty)),
                    TypeExprKind::Adt { adt, args } => {
                        Form::Adt { adt: *adt, args: args.iter().map(|&arg| part(arg)).list() }
                    }
                    TypeExprKind::Param(_) => Form::Open,
                    _ => Form::Other,
                }
            }
        }
    }

    /// The dtype that a part of a tensor's type is.
    pub(crate) fn dtype(&self, ty: &Ty) -> Option<Dtype> {
        match self.resolved(ty) {
            Ty::Found(term) => match self.inferred.solver.head(term) {
                Term::Dtype(dtype) => Some(dtype),
                _ => None,
            },
            Ty::Written(id, _) => match self.module.type_exprs[id].kind {
                TypeExprKind::Dtype(dtype) | TypeExprKind::Scalar(dtype) => Some(dtype),
                _ => None,
            },
        }
    }

    /// The dims of a shape, if its rank is known.
    pub(crate) fn dims(&self, shape: &Ty) -> Option<Vec<Ty>> {
        let is_known = match self.resolved(shape) {
            Ty::Found(term) => matches!(self.inferred.solver.head(term), Term::Shape(_)),
            Ty::Written(id, _) => match &self.module.type_exprs[id].kind {
                TypeExprKind::Shape(parts) => {
                    !parts.iter().any(|&part| matches!(self.module.type_exprs[part].kind, TypeExprKind::Splice(_)))
                }
                _ => false,
            },
        };
        is_known.then(|| self.parts(shape).iter().map(|dim| self.resolved(dim)).list())
    }

    /// What is known of an axis.
    pub(crate) fn dim(&self, dim: &Ty) -> Dim {
        match self.resolved(dim) {
            Ty::Found(term) => match self.inferred.solver.head(term) {
                Term::Dim(dim) => dim,
                _ => Dim::UNKNOWN,
            },
            Ty::Written(id, _) => match self.module.type_exprs[id].kind {
                TypeExprKind::Dim(size) => Dim::number(size),
                _ => Dim::UNKNOWN,
            },
        }
    }

    /// The sizes of a tensor, as far as they are numbers that nothing else can be in their place.
    fn sizes(&self, ty: &Ty) -> Vec<Option<u64>> {
        let Form::Tensor { shape, .. } = self.form(ty) else { return Vec::new() };
        let size = |dim: &Ty| match self.dim(dim) {
            Dim { extent: Extent::Number(size), dynamic: false } => u64::try_from(size).ok(),
            _ => None,
        };
        self.parts(&shape).iter().map(size).list()
    }

    /// The types of a constructor's fields, in a type with these arguments.
    pub(crate) fn fields(&self, ctor: CtorId, args: &[Ty]) -> Vec<Ty> {
        let ctor = &self.module.ctors[ctor];
        let params = self.module.adts[ctor.adt].params.iter().copied();
        let choice: Choice = Rc::new(params.zip(args.iter().cloned()).collect::<HashMap<ParamId, Ty>>());
        ctor.fields.iter().map(|&field| Ty::Written(field, choice.clone())).list()
    }

    fn variant_fields(&self, ty: &Ty, name: VariantId) -> Vec<Ty> {
        let solver = &self.inferred.solver;
        match self.resolved(ty) {
            Ty::Found(term) => match solver.head(term) {
                Term::Sum(row) => {
                    let (variants, _) = solver.row(row);
                    let variant = variants.into_iter().find(|variant| variant.name == name);
                    let fields = variant.map_or(&[][..], |variant| solver.items(variant.fields));
                    fields.iter().map(|&field| Ty::Found(field)).list()
                }
                _ => Vec::new(),
            },
            Ty::Written(id, choice) => match &self.module.type_exprs[id].kind {
                TypeExprKind::Sum { variants, .. } => {
                    let fields = variants.iter().find(|(variant, _)| *variant == name).map(|(_, fields)| &fields[..]);
                    fields.unwrap_or_default().iter().map(|&field| Ty::Written(field, choice.clone())).list()
                }
                _ => Vec::new(),
            },
        }
    }
}
