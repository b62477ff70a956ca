//! Types as written. A name's meaning may depend on the place: `float32` is a dtype inside `Tensor[…]` and a scalar
//! tensor elsewhere, `(2, 3)` a shape where one is wanted.

use super::{Lowered, Lowering};
use crate::data::{TypeExpr, TypeExprId, TypeExprKind};
use crate::error::HirError;
use base::Span;
use syntax::{NodeId, NodeKind, TokenKind};
use ty::{Dtype, Kind, ParamId};

impl Lowering<'_> {
    pub(super) fn leave_type(&mut self, node: NodeId, kind: NodeKind) -> Lowered {
        let span = self.tree.span(node);
        let children = self.tree.children(node);
        let type_kind = match kind {
            NodeKind::HoleType => TypeExprKind::Hole,
            NodeKind::TensorType => match children[..] {
                [shape, dtype, ..] => TypeExprKind::Tensor {
                    shape: self.type_at(shape, Kind::Shape),
                    dtype: self.type_at(dtype, Kind::BaseType),
                },
                _ => TypeExprKind::Error,
            },
            NodeKind::ShapeLit => {
                TypeExprKind::Shape(children.into_iter().map(|dim| self.type_at(dim, Kind::Dim)).collect())
            }
            // Whether this is a type or a shape is for the place to say.
            NodeKind::TupleType => TypeExprKind::Tuple(children.into_iter().map(|field| self.type_of(field)).collect()),
            NodeKind::ParenType => {
                return children.first().map_or(Lowered::Nothing, |&inner| self.lowered[inner.0 as usize]);
            }
            NodeKind::FnType => {
                let mut types: Vec<TypeExprId> = children
                    .into_iter()
                    .filter(|&child| !matches!(self.tree.kind(child), NodeKind::TypeParams | NodeKind::WhereClause))
                    .map(|child| self.type_at(child, Kind::Type))
                    .collect();
                self.close_type_params();
                match types.pop() {
                    Some(result) => TypeExprKind::Func { params: types, result },
                    None => TypeExprKind::Error,
                }
            }
            NodeKind::RefType => match children.first() {
                Some(&inner) => TypeExprKind::Ref(self.type_at(inner, Kind::Type)),
                None => TypeExprKind::Error,
            },
            NodeKind::NameType | NodeKind::DimName => self.type_name(self.tree.node_text(node), span),
            NodeKind::TypeCall => self.type_call(node, children),
            NodeKind::DimNum => match self.tree.node_text(node).parse::<i64>() {
                Ok(number) => TypeExprKind::Dim(number),
                Err(_) => {
                    self.errors.push(HirError::LiteralRange { span, dtype: Dtype::Int64 });
                    TypeExprKind::Error
                }
            },
            NodeKind::DimAny => {
                self.module.mentions_any = true;
                TypeExprKind::Any
            }
            NodeKind::DimBinary => self.dim_binary(node, &children),
            _ => {
                self.errors.push(HirError::NotYet { what: "a function of dims", span });
                TypeExprKind::Error
            }
        };
        Lowered::Type(self.type_expr(type_kind, span))
    }

    fn type_name(&mut self, name: &str, span: Span) -> TypeExprKind {
        if let Some(&(_, param)) = self.type_params.iter().rev().find(|(other, _)| *other == name) {
            if self.kindless.contains(&param) {
                return TypeExprKind::Error;
            }
            return TypeExprKind::Param(param);
        }
        if let Some(dtype) = Dtype::parse(name) {
            return TypeExprKind::Scalar(dtype);
        }
        match self.adts.get(name) {
            Some(&adt) => {
                let want = self.module.adts[adt].params.len();
                if want > 0 {
                    self.errors.push(HirError::TypeArguments { name: name.to_owned(), span, want, found: 0 });
                    return TypeExprKind::Error;
                }
                TypeExprKind::Adt { adt, args: Vec::new() }
            }
            None => {
                let nearest = self.nearest_type(name);
                self.errors.push(HirError::UndefinedType { name: name.to_owned(), span, nearest });
                TypeExprKind::Error
            }
        }
    }

    fn type_call(&mut self, node: NodeId, args: Vec<NodeId>) -> TypeExprKind {
        let span = self.tree.span(node);
        let Some((name, name_span)) = self.own_token(node, &[TokenKind::Ident]) else { return TypeExprKind::Error };
        let Some(&adt) = self.adts.get(name) else {
            let nearest = self.nearest_type(name);
            self.errors.push(HirError::UndefinedType { name: name.to_owned(), span: name_span, nearest });
            return TypeExprKind::Error;
        };
        let params = self.module.adts[adt].params.clone();
        if params.len() != args.len() {
            let (want, found) = (params.len(), args.len());
            self.errors.push(HirError::TypeArguments { name: name.to_owned(), span, want, found });
            return TypeExprKind::Error;
        }
        let kinds = params.iter().map(|&param| self.module.type_params[param].kind);
        let kinds: Vec<Kind> = kinds.collect();
        let args = args.into_iter().zip(kinds).map(|(arg, kind)| self.type_at(arg, kind)).collect();
        TypeExprKind::Adt { adt, args }
    }

    /// Arithmetic on numbers is done here.
    fn dim_binary(&mut self, node: NodeId, children: &[NodeId]) -> TypeExprKind {
        let &[left, right, ..] = children else { return TypeExprKind::Error };
        let (left, right) = (self.type_of(left), self.type_of(right));
        let number = |cx: &Self, id: TypeExprId| match cx.module.type_exprs[id].kind {
            TypeExprKind::Dim(number) => Some(number),
            _ => None,
        };
        let span = self.tree.span(node);
        if matches!(self.module.type_exprs[left].kind, TypeExprKind::Error)
            || matches!(self.module.type_exprs[right].kind, TypeExprKind::Error)
        {
            return TypeExprKind::Error;
        }
        let (Some(a), Some(b)) = (number(self, left), number(self, right)) else {
            self.errors.push(HirError::NotYet { what: "arithmetic on dim variables", span });
            return TypeExprKind::Error;
        };
        let operators = [TokenKind::Plus, TokenKind::Minus, TokenKind::Star, TokenKind::Slash];
        let computed = match self.own_token(node, &operators).map(|(text, _)| text) {
            Some("+") => a.checked_add(b),
            Some("-") => a.checked_sub(b),
            Some("*") => a.checked_mul(b),
            _ => a.checked_div(b),
        };
        match computed.filter(|&number| number >= 0) {
            Some(number) => TypeExprKind::Dim(number),
            None => {
                self.errors.push(HirError::LiteralRange { span, dtype: Dtype::Int64 });
                TypeExprKind::Error
            }
        }
    }

    /// The type at a child, as the kind that its place wants.
    pub(super) fn type_at(&mut self, node: NodeId, want: Kind) -> TypeExprId {
        let id = self.type_of(node);
        self.coerce(id, want)
    }

    pub(super) fn coerce(&mut self, id: TypeExprId, want: Kind) -> TypeExprId {
        let span = self.module.type_exprs[id].span;
        let (found, coerced) = match (&self.module.type_exprs[id].kind, want) {
            (TypeExprKind::Error | TypeExprKind::Hole, _) => return id,
            (TypeExprKind::Scalar(dtype), Kind::BaseType) => (Kind::BaseType, Some(TypeExprKind::Dtype(*dtype))),
            (TypeExprKind::Tuple(dims), Kind::Shape) => (Kind::Shape, Some(TypeExprKind::Shape(dims.clone()))),
            (kind, _) => (self.kind_of(kind), None),
        };
        if found != want {
            self.errors.push(HirError::WrongKind { span, want, found });
            return self.type_expr(TypeExprKind::Error, span);
        }
        match &coerced {
            Some(TypeExprKind::Shape(dims)) => dims.clone().into_iter().for_each(|dim| self.check_part(dim, Kind::Dim)),
            Some(_) => {}
            None => {
                if let TypeExprKind::Tuple(fields) = &self.module.type_exprs[id].kind {
                    fields.clone().into_iter().for_each(|field| self.check_part(field, Kind::Type));
                }
            }
        }
        coerced.map_or(id, |kind| self.type_expr(kind, span))
    }

    /// A part of a tuple or shape; what is wrong with it becomes an error. Tuples inside tuples are tuples of types.
    fn check_part(&mut self, part: TypeExprId, want: Kind) {
        let mut pending = vec![(part, want)];
        while let Some((id, want)) = pending.pop() {
            let TypeExpr { kind, span } = &self.module.type_exprs[id];
            let (span, found) = match kind {
                TypeExprKind::Error | TypeExprKind::Hole => continue,
                TypeExprKind::Tuple(fields) if want == Kind::Type => {
                    pending.extend(fields.iter().map(|&field| (field, Kind::Type)));
                    continue;
                }
                kind => (*span, self.kind_of(kind)),
            };
            if found != want {
                self.errors.push(HirError::WrongKind { span, want, found });
                self.module.type_exprs[id].kind = TypeExprKind::Error;
            }
        }
    }

    fn kind_of(&self, kind: &TypeExprKind) -> Kind {
        match kind {
            TypeExprKind::Error
            | TypeExprKind::Hole
            | TypeExprKind::Tensor { .. }
            | TypeExprKind::Scalar(_)
            | TypeExprKind::Tuple(_)
            | TypeExprKind::Func { .. }
            | TypeExprKind::Ref(_)
            | TypeExprKind::Adt { .. } => Kind::Type,
            TypeExprKind::Dtype(_) => Kind::BaseType,
            TypeExprKind::Shape(_) => Kind::Shape,
            TypeExprKind::Dim(_) | TypeExprKind::Any => Kind::Dim,
            TypeExprKind::Param(param) => self.param_kind(*param),
        }
    }

    fn param_kind(&self, param: ParamId) -> Kind {
        self.module.type_params[param].kind
    }
}
