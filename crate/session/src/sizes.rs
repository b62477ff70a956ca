//! Whether a value is of the sizes that its type says.
//!
//! A program looks where it takes a tensor out of a container ([`infer::Inferred::taken_sizes`]). What a run shows has
//! been taken out by nobody yet, so all of it is looked at before.
//!
//! Worked example: the value of `@f([1, 2, 3])`, where `@f` gives an `Option[Tensor[(2), int32]]`, is `Some([1, 2, 3])`.

use crate::Analysis;
use base::{Append, HashMap, Span, ToList};
use hir::{ExprId, TypeExprId, TypeExprKind};
use std::rc::Rc;
use ty::{Dim, Extent, ParamId, RunError, RunFault, Term, TermId, Terms, Value, VariantId};

/// At most this many values are looked at: what is shared is met anew at each place.
const MAX_VALUES: usize = 1_000_000;

/// What parameters stand for.
type Choice = Rc<HashMap<ParamId, Ty>>;

/// A type, or a part of one.
#[derive(Clone)]
enum Ty {
    Found(TermId),
    Written(TypeExprId, Choice),
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
                Value::Data(ctor, fields) => stack.append_all(fields.iter().cloned().zip(self.fields(&ty, ctor))),
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

    /// The sizes of a tensor, as far as they are numbers.
    fn sizes(&self, ty: &Ty) -> Vec<Option<u64>> {
        let solver = &self.inferred.solver;
        let shape = match self.resolved(ty) {
            Ty::Found(term) => match solver.head(term) {
                Term::Tensor { shape, .. } => Ty::Found(shape),
                _ => return Vec::new(),
            },
            Ty::Written(id, choice) => match self.module.type_exprs[id].kind {
                TypeExprKind::Tensor { shape, .. } => Ty::Written(shape, choice),
                _ => return Vec::new(),
            },
        };
        let size = |dim: &Ty| match self.resolved(dim) {
            Ty::Found(term) => match solver.head(term) {
                Term::Dim(Dim { extent: Extent::Number(size), dynamic: false }) => u64::try_from(size).ok(),
                _ => None,
            },
            Ty::Written(id, _) => match self.module.type_exprs[id].kind {
                TypeExprKind::Dim(size) => u64::try_from(size).ok(),
                _ => None,
            },
        };
        self.parts(&shape).iter().map(size).list()
    }

    /// The types of a constructor's fields.
    fn fields(&self, ty: &Ty, ctor: u32) -> Vec<Ty> {
        let (adt, args) = match self.resolved(ty) {
            Ty::Found(term) => match self.inferred.solver.head(term) {
                Term::Adt { adt, args } => {
                    (adt, self.inferred.solver.items(args).iter().map(|&arg| Ty::Found(arg)).list())
                }
                _ => return Vec::new(),
            },
            Ty::Written(id, choice) => match &self.module.type_exprs[id].kind {
                TypeExprKind::Adt { adt, args } => {
                    let args: Vec<Ty> = args.iter().map(|&arg| self.resolved(&Ty::Written(arg, choice.clone()))).list();
                    (*adt, args)
                }
                _ => return Vec::new(),
            },
        };
        let choice: Choice =
            Rc::new(self.module.adts[adt].params.iter().copied().zip(args).collect::<HashMap<ParamId, Ty>>());
        let fields = self.module.ctors[hir::CtorId::numbered(ctor)].fields.iter();
        fields.map(|&field| Ty::Written(field, choice.clone())).list()
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
