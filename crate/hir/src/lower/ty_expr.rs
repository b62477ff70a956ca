//! Types as written. A name's meaning may depend on the place: `float32` is a dtype inside `Tensor[…]` and a scalar
//! tensor elsewhere, `(2, 3)` a shape where one is wanted.

use super::{Lowered, Lowering};
use crate::data::{TypeExpr, TypeExprId, TypeExprKind, TypeParam};
use crate::error::{Duplicated, HirError};
use base::{Append, Edited, HashMap, HashSet, Join, Span, ToList};
use syntax::{Children, NodeId, NodeKind, TokenKind};
use ty::{Comparison, Dtype, Function, Kind, ParamId, Poly, Scalar, VariantId};

/// A name of a type that nothing declares.
pub(super) struct Undefined<'t> {
    name: &'t str,
    span: Span,
    /// What stands in its place.
    kind: Kind,
    nearest: Option<String>,
}

impl Undefined<'_> {
    fn as_param(&self) -> String {
        match self.kind {
            Kind::Type => self.name.to_owned(),
            kind => format!("{}: {}", self.name, kind.name()),
        }
    }

    fn error(self, declared: Option<(Span, String)>) -> HirError {
        let Undefined { name, span, kind, nearest } = self;
        let declared = declared.filter(|_| nearest.is_none());
        HirError::UndefinedType { name: name.to_owned(), span, kind, nearest, declared }
    }
}

impl<'t> Lowering<'t> {
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
            NodeKind::ShapeLit => TypeExprKind::Shape(children.into_iter().map(|dim| self.shape_item(dim)).list()),
            NodeKind::Splice => match children.first() {
                Some(&shape) => TypeExprKind::Splice(self.type_at(shape, Kind::Shape)),
                None => TypeExprKind::Error,
            },
            NodeKind::Index | NodeKind::Slice => self.index_or_slice(node, kind, &children),
            NodeKind::DimCall => self.dim_call(node, children),
            NodeKind::DimIf => self.dim_if(node, &children),
            // Whether this is a type or a shape is for the place to say.
            NodeKind::TupleType => TypeExprKind::Tuple(children.into_iter().map(|field| self.type_of(field)).list()),
            NodeKind::ParenType => {
                return children.first().map_or(Lowered::Nothing, |&inner| self.lowered[inner.number() as usize]);
            }
            NodeKind::FnType => {
                // What its clause asks for is not known, which was told.
                let has_clause = children.iter().any(|&child| self.tree.kind(child) == NodeKind::WhereClause);
                let mut types: Vec<TypeExprId> = children
                    .into_iter()
                    .filter(|&child| !matches!(self.tree.kind(child), NodeKind::TypeParams | NodeKind::WhereClause))
                    .map(|child| self.type_at(child, Kind::Type))
                    .list();
                let mark = self.type_param_marks.last().copied().unwrap_or(0);
                let type_params = self.type_params[mark..].iter().map(|&(_, param)| param).list();
                self.close_type_params();
                match types.pop().filter(|_| !has_clause) {
                    Some(result) => TypeExprKind::Func { type_params, params: types, result },
                    None => TypeExprKind::Error,
                }
            }
            NodeKind::RefType => match children.first() {
                Some(&inner) => TypeExprKind::Ref(self.type_at(inner, Kind::Type)),
                None => TypeExprKind::Error,
            },
            NodeKind::SumType => self.sum_type(children),
            NodeKind::NameType | NodeKind::DimName => self.type_name(self.tree.node_text(node), span),
            NodeKind::TypeCall => self.type_call(node, children),
            NodeKind::DimNum => match self.scalar(node, false, true) {
                Some((_, Scalar::Int(number))) if number >= 0 => TypeExprKind::Dim(number),
                Some(_) => {
                    self.errors.push(HirError::LiteralRange { span, dtype: Dtype::Int64 });
                    TypeExprKind::Error
                }
                None => TypeExprKind::Error,
            },
            NodeKind::DimAny => {
                self.module.has_any = true;
                TypeExprKind::Any
            }
            NodeKind::DimBinary => self.dim_binary(node, &children),
            _ => TypeExprKind::Error,
        };
        Lowered::Type(self.type_expr(type_kind, span))
    }

    fn sum_type(&mut self, children: Children) -> TypeExprKind {
        let mut variants: Vec<(VariantId, Vec<TypeExprId>)> = Vec::new();
        let mut spans: HashMap<VariantId, Span> = HashMap::default();
        let (mut rest, mut is_read) = (None, true);
        for child in children {
            let parts = self.tree.children(child);
            match (self.tree.kind(child), parts.first()) {
                (NodeKind::RowRest, Some(&row)) => rest = Some(self.type_at(row, Kind::Row)),
                (NodeKind::VariantType, _) => {
                    let Some((name, span)) = self.own_token(child, &[TokenKind::Ident]) else { continue };
                    let variant = self.variant(name);
                    let first = spans.get(&variant).copied();
                    spans.insert(variant, span);
                    match first {
                        Some(first) => self.duplicate(Duplicated::Variant, name, span, first),
                        None => {
                            let fields = parts.into_iter().map(|field| self.type_at(field, Kind::Type)).list();
                            variants.push((variant, fields));
                        }
                    }
                }
                (NodeKind::Error, _) => is_read = false,
                _ => {}
            }
        }
        // There may be other variants than those that could be read.
        if is_read { TypeExprKind::Sum { variants, rest } } else { TypeExprKind::Error }
    }

    fn type_name(&mut self, name: &'t str, span: Span) -> TypeExprKind {
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
            Some(adt) => {
                let want = self.module.adts[adt].params.len();
                if want > 0 {
                    self.errors.push(HirError::TypeArguments { name: name.to_owned(), span, want, found: 0 });
                    return TypeExprKind::Error;
                }
                TypeExprKind::Adt { adt, args: Vec::new() }
            }
            None => {
                let undefined = self.undefined(name, span);
                self.undefined.push(undefined);
                TypeExprKind::Error
            }
        }
    }

    /// A name of a type that nothing declares. What is nearly another name is taken for a slip.
    fn undefined(&self, name: &'t str, span: Span) -> Undefined<'t> {
        let params = self.type_params.iter().map(|(param, _)| *param).filter(|param| param.len() > 2);
        let foreign = Dtype::of_foreign_name(name).map(|dtype| dtype.name().to_owned());
        let nearest = foreign.or_else(|| base::nearest(name, params).map(str::to_owned));
        let nearest = nearest.or_else(|| self.nearest_type(name));
        Undefined { name, span, kind: Kind::Type, nearest }
    }

    /// What stands in the place of a name that nothing declares.
    fn note_kind(&mut self, span: Span, want: Kind) {
        if let Ok(at) = self.undefined.binary_search_by_key(&span.start, |undefined| undefined.span.start) {
            self.undefined[at].kind = want;
        }
    }

    /// Says which types nothing declares, of the definition that is left: each once, and how all can be declared.
    pub(super) fn tell_undefined(&mut self, definition: NodeId) {
        if self.undefined.is_empty() {
            return;
        }
        let (tree, start) = (self.tree, self.tree.span(definition).start);
        let (before, mut own): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.undefined).into_iter().partition(|undefined| undefined.span.start < start);
        let mut told = HashSet::default();
        own.keep(|undefined| told.insert(undefined.name));
        let params =
            own.iter().filter(|undefined| undefined.nearest.is_none()).map(Undefined::as_param).list().joined(", ");
        let place = match tree.child(definition, NodeKind::TypeParams) {
            Some(list) => match tree.children(list).last() {
                Some(&last) => Some((tree.span(last).end, format!(", {params}"))),
                None => {
                    let opened = self.own_token(list, &[TokenKind::LBracket, TokenKind::Lt]);
                    opened.map(|(_, bracket)| (bracket.end, params))
                }
            },
            None => {
                let name = self.own_token(definition, &[TokenKind::Global, TokenKind::Ident]);
                name.map(|(_, name)| (name.end, format!("[{params}]")))
            }
        };
        let declared = place.map(|(at, text)| (Span::new(at, at), text));
        self.errors.append_all(before.into_iter().map(|undefined| undefined.error(None)));
        self.errors.append_all(own.into_iter().map(|undefined| undefined.error(declared.clone())));
    }

    fn type_call(&mut self, node: NodeId, args: Children) -> TypeExprKind {
        let span = self.tree.span(node);
        let Some((name, name_span)) = self.own_token(node, &[TokenKind::Ident]) else { return TypeExprKind::Error };
        let Some(adt) = self.adts.get(name) else {
            if let Some(&(_, param)) = self.type_params.iter().find(|(param, _)| *param == name) {
                let (kind, found) = (self.module.type_params[param].kind, args.len());
                self.errors.push(if kind == Kind::Type && found > 0 {
                    HirError::TypeArguments { name: name.to_owned(), span, want: 0, found }
                } else {
                    HirError::DimFunction { span, want: "a place between the brackets".to_owned() }
                });
                return TypeExprKind::Error;
            }
            if let Some(dtype) = Dtype::parse(name).or_else(|| Dtype::of_foreign_name(name)) {
                return self.dtype_call(span, dtype, args);
            }
            let undefined = self.undefined(name, name_span);
            self.errors.push(undefined.error(None));
            return TypeExprKind::Error;
        };
        let params = self.module.adts[adt].params.clone();
        if params.len() != args.len() {
            let (want, found) = (params.len(), args.len());
            self.errors.push(HirError::TypeArguments { name: name.to_owned(), span, want, found });
            return TypeExprKind::Error;
        }
        let kinds = params.iter().map(|&param| self.module.type_params[param].kind);
        let kinds: Vec<Kind> = kinds.list();
        let args = args.into_iter().zip(kinds).map(|(arg, kind)| self.type_argument(arg, kind)).list();
        TypeExprKind::Adt { adt, args }
    }

    /// `float32[2, 3]`, as some write a tensor's type.
    fn dtype_call(&mut self, span: Span, dtype: Dtype, args: Children) -> TypeExprKind {
        let sizes = args.iter().map(|&arg| self.tree.node_text(arg)).list();
        let comma = if sizes.len() == 1 { "," } else { "" };
        let tensor = format!("Tensor[({}{comma}), {dtype}]", sizes.joined(", "));
        self.errors.push(HirError::DtypeArguments { span, dtype, tensor });
        let dims = args.into_iter().map(|dim| self.shape_item(dim)).list();
        let shape = self.type_expr(TypeExprKind::Shape(dims), span);
        let dtype = self.type_expr(TypeExprKind::Dtype(dtype), span);
        TypeExprKind::Tensor { shape, dtype }
    }

    /// A sum stands for its row where a row is wanted.
    fn type_argument(&mut self, node: NodeId, want: Kind) -> TypeExprId {
        let id = self.type_of(node);
        match &self.module.type_exprs[id] {
            TypeExpr { kind: TypeExprKind::Sum { .. }, span } if want == Kind::Row => {
                self.type_expr(TypeExprKind::RowOf(id), *span)
            }
            _ => self.type_at(node, want),
        }
    }

    fn shape_item(&mut self, node: NodeId) -> TypeExprId {
        match self.tree.kind(node) {
            NodeKind::Splice => self.type_of(node),
            _ => self.type_at(node, Kind::Dim),
        }
    }

    /// `sh[0]`, `sh[1:]`; `Numbers[3]` of a data type.
    fn index_or_slice(&mut self, node: NodeId, kind: NodeKind, children: &[NodeId]) -> TypeExprKind {
        let span = self.tree.span(node);
        let (Some(&shape), bounds) = (children.first(), children.get(1..).unwrap_or(&[])) else {
            return TypeExprKind::Error;
        };
        let name = self.tree.node_text(shape);
        let is_name = matches!(self.tree.kind(shape), NodeKind::NameType | NodeKind::DimName);
        let is_param = self.type_params.iter().any(|(param, _)| *param == name);
        if is_name && !is_param && self.adts.contains(name) {
            // Its name by itself was told to lack an argument.
            let place = self.tree.span(shape);
            self.errors.pop_if(|last| matches!(last, HirError::TypeArguments { span, .. } if *span == place));
            return self.adt_of_dim(node, name, bounds);
        }
        let shape = self.type_at(shape, Kind::Shape);
        let mut places = Vec::new();
        for &bound in bounds {
            let text: String = self.tree.node_text(bound).chars().filter(|c| !c.is_whitespace()).collect();
            match base::parse_i64(&text) {
                Some(place) => places.push(Some(place)),
                None if text.is_empty() => places.push(None),
                None => {
                    self.errors.push(HirError::LiteralRange { span: self.tree.span(bound), dtype: Dtype::Int64 });
                    return TypeExprKind::Error;
                }
            }
        }
        let function = match (kind, places.as_slice()) {
            (NodeKind::Index, [Some(at)]) => Function::Index(*at),
            (NodeKind::Slice, [from, to]) => Function::Slice(*from, *to),
            _ => {
                self.errors.push(HirError::DimFunction { span, want: "a place between the brackets".to_owned() });
                return TypeExprKind::Error;
            }
        };
        TypeExprKind::Apply { function, args: vec![shape] }
    }

    /// `Numbers[3]`, where the type has one parameter.
    fn adt_of_dim(&mut self, node: NodeId, name: &str, bounds: &[NodeId]) -> TypeExprKind {
        let span = self.tree.span(node);
        let Some(adt) = self.adts.get(name) else { return TypeExprKind::Error };
        let want = self.module.adts[adt].params.len();
        let number = match bounds {
            [bound] => base::parse_i64(self.tree.node_text(*bound)),
            _ => None,
        };
        match (number, want) {
            (Some(number), 1) => {
                let bound = self.tree.span(bounds[0]);
                let kind = self.module.type_params[self.module.adts[adt].params[0]].kind;
                let dim = self.type_expr(TypeExprKind::Dim(number), bound);
                TypeExprKind::Adt { adt, args: vec![self.coerce(dim, kind)] }
            }
            _ => {
                let found = bounds.len();
                self.errors.push(HirError::TypeArguments { name: name.to_owned(), span, want, found });
                TypeExprKind::Error
            }
        }
    }

    /// Whether an error has been told of a type or of one of its parts.
    fn is_error(&self, id: TypeExprId) -> bool {
        matches!(self.module.type_exprs[id].kind, TypeExprKind::Error)
    }

    fn dim_call(&mut self, node: NodeId, args: Children) -> TypeExprKind {
        let span = self.tree.span(node);
        let Some((name, name_span)) = self.own_token(node, &[TokenKind::Ident]) else { return TypeExprKind::Error };
        let (function, n_args) = match name {
            "max" => (Function::Max, 2),
            "min" => (Function::Min, 2),
            "floordiv" => (Function::FloorDiv, 2),
            "rank" => (Function::Rank, 1),
            "prod" => (Function::Prod, 1),
            _ => {
                let nearest = match name {
                    "maximum" => Some("max"),
                    "minimum" => Some("min"),
                    _ => base::nearest(name, syntax::DIM_FUNCTIONS),
                };
                let nearest = nearest.map(str::to_owned);
                self.errors.push(HirError::UnknownDimFunction { name: name.to_owned(), span: name_span, nearest });
                return TypeExprKind::Error;
            }
        };
        if args.len() != n_args {
            let arguments = if n_args == 1 { "argument" } else { "arguments" };
            let want = format!("{n_args} {arguments} of `{name}`, found {}", args.len());
            self.errors.push(HirError::DimFunction { span, want });
            return TypeExprKind::Error;
        }
        let kind = function.argument_kind();
        let args: Vec<TypeExprId> = args.into_iter().map(|arg| self.type_at(arg, kind)).list();
        if args.iter().any(|&arg| self.is_error(arg)) {
            return TypeExprKind::Error;
        }
        self.applied(function, args, span)
    }

    /// A function of dims; of numbers it is computed here.
    fn applied(&mut self, function: Function, args: Vec<TypeExprId>, span: Span) -> TypeExprKind {
        let number = |id: &TypeExprId| match self.module.type_exprs[*id].kind {
            TypeExprKind::Dim(number) => Some(number),
            _ => None,
        };
        if let (Function::FloorDiv, Some(0)) = (&function, args.get(1).and_then(number)) {
            self.errors.push(HirError::DimFunction { span, want: "a divisor other than 0".to_owned() });
            return TypeExprKind::Error;
        }
        let numbers: Option<Vec<i64>> = args.iter().map(number).some_list();
        let computed = match (&function, numbers.as_deref()) {
            (Function::Max, Some(&[a, b])) => a.max(b),
            (Function::Min, Some(&[a, b])) => a.min(b),
            (Function::FloorDiv, Some(&[a, b])) => a.div_euclid(b),
            _ => return TypeExprKind::Apply { function, args },
        };
        TypeExprKind::Dim(computed)
    }

    /// Sums and products become one polynomial over what is neither; `/` is the floor division.
    fn dim_binary(&mut self, node: NodeId, children: &[NodeId]) -> TypeExprKind {
        let &[left, right, ..] = children else { return TypeExprKind::Error };
        let (left, right) = (self.type_at(left, Kind::Dim), self.type_at(right, Kind::Dim));
        self.dim_of(node, left, right)
    }

    /// What the operator of a node makes of two dims.
    pub(super) fn dim_of(&mut self, node: NodeId, left: TypeExprId, right: TypeExprId) -> TypeExprKind {
        let span = self.tree.span(node);
        if self.is_error(left) || self.is_error(right) {
            return TypeExprKind::Error;
        }
        let operators = [TokenKind::Plus, TokenKind::Minus, TokenKind::Star, TokenKind::Slash];
        let operator = self.own_token(node, &operators).map_or("+", |(text, _)| text);
        if operator == "/" {
            return self.applied(Function::FloorDiv, vec![left, right], span);
        }
        let mut args: Vec<TypeExprId> = Vec::new();
        let (a, b) = (self.polynomial(left, &mut args), self.polynomial(right, &mut args));
        let computed = a.zip(b).and_then(|(a, b)| match operator {
            "+" => a.plus(&b),
            "-" => a.minus(&b),
            _ => a.times(&b),
        });
        match computed.as_ref().map(|poly| (poly.as_constant(), poly.as_atom().is_some())) {
            Some((Some(number), _)) if args.is_empty() => match number {
                0.. => TypeExprKind::Dim(number),
                _ => {
                    self.errors.push(HirError::DimRange { span, negative: Some(number) });
                    TypeExprKind::Error
                }
            },
            Some(_) => TypeExprKind::Apply { function: Function::Polynomial(computed.unwrap_or_default()), args },
            None => {
                self.errors.push(HirError::DimRange { span, negative: None });
                TypeExprKind::Error
            }
        }
    }

    /// A dim as a polynomial over arguments, equal parameters being one argument.
    fn polynomial(&self, id: TypeExprId, args: &mut Vec<TypeExprId>) -> Option<Poly<u32>> {
        let exprs = &self.module.type_exprs;
        if let (TypeExprKind::Apply { function: Function::Polynomial(poly), args: inner }, []) =
            (&exprs[id].kind, &args[..])
        {
            args.clone_from(inner);
            return Some(poly.clone());
        }
        let mut place = |id: TypeExprId| {
            let same = |&other: &TypeExprId| match (&exprs[other].kind, &exprs[id].kind) {
                (TypeExprKind::Param(a), TypeExprKind::Param(b)) => a == b,
                _ => other == id,
            };
            let at = args.iter().position(same).unwrap_or_else(|| {
                args.push(id);
                args.len() - 1
            });
            Poly::atom(u32::try_from(at).unwrap_or(u32::MAX))
        };
        match &exprs[id].kind {
            TypeExprKind::Dim(number) => Some(Poly::constant(*number)),
            TypeExprKind::Apply { function: Function::Polynomial(poly), args: inner } => {
                poly.substitute(|&arg| Some(place(inner[arg as usize])))
            }
            _ => Some(place(id)),
        }
    }

    /// `if (a < b) { c } else { d }`.
    fn dim_if(&mut self, node: NodeId, children: &[NodeId]) -> TypeExprKind {
        if !self.relations.reading {
            self.errors.push(HirError::TypeIf { span: self.tree.span(node) });
            return TypeExprKind::Error;
        }
        let &[condition, then, otherwise, ..] = children else { return TypeExprKind::Error };
        let Some((comparison, left, right)) = self.condition(condition) else { return TypeExprKind::Error };
        let (then, otherwise) = (self.type_of(then), self.type_of(otherwise));
        TypeExprKind::If { comparison, left, right, then, otherwise }
    }

    /// A comparison and its sides.
    pub(super) fn condition(&mut self, node: NodeId) -> Option<(Comparison, TypeExprId, TypeExprId)> {
        let children = self.tree.children(node);
        let &[left, right, ..] = &children[..] else { return None };
        let kinds = [
            (TokenKind::EqEq, Comparison::Equal),
            (TokenKind::NotEq, Comparison::NotEqual),
            (TokenKind::Lt, Comparison::Less),
            (TokenKind::LtEq, Comparison::LessEqual),
            (TokenKind::Gt, Comparison::Greater),
            (TokenKind::GtEq, Comparison::GreaterEqual),
        ];
        let tree = self.tree;
        let own = tree.own_tokens(node).map(|token| tree.token_kind(token));
        let comparison = { own }.find_map(|kind| kinds.iter().find(|(token, _)| *token == kind))?.1;
        let (left, right) = (self.type_of(left), self.type_of(right));
        let is_order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let is_unkinded = |cx: &Self, id: TypeExprId| match cx.module.type_exprs[id].kind {
            TypeExprKind::Param(param) => cx.unkinded.contains(&param),
            _ => false,
        };
        let kind = match (is_order, is_unkinded(self, left), is_unkinded(self, right)) {
            (true, ..) | (false, true, true) => Kind::Dim,
            (false, false, _) => self.place_kind(left),
            (false, true, false) => self.place_kind(right),
        };
        Some((comparison, self.coerce(left, kind), self.coerce(right, kind)))
    }

    /// The kind that a type has by itself: a tuple of dims is a shape, and so is what is spliced into a tuple.
    pub(super) fn place_kind(&self, id: TypeExprId) -> Kind {
        let mut kind = &self.module.type_exprs[id].kind;
        while let TypeExprKind::If { then, .. } = kind {
            kind = &self.module.type_exprs[*then].kind;
        }
        match kind {
            TypeExprKind::Scalar(_) => Kind::BaseType,
            TypeExprKind::Tuple(items) if !items.is_empty() => {
                let is_dim = |&item: &TypeExprId| {
                    matches!(self.module.type_exprs[item].kind, TypeExprKind::Splice(_))
                        || self.kind_at(item) == Kind::Dim
                };
                if items.iter().any(is_dim) { Kind::Shape } else { Kind::Type }
            }
            kind => self.kind_of(kind),
        }
    }

    pub(super) fn kind_at(&self, id: TypeExprId) -> Kind {
        self.kind_of(&self.module.type_exprs[id].kind)
    }

    /// The type at a child, as the kind that its place wants.
    pub(super) fn type_at(&mut self, node: NodeId, want: Kind) -> TypeExprId {
        let id = self.type_of(node);
        if want == Kind::Shape && self.tree.kind(node) == NodeKind::ParenType {
            let TypeExpr { kind, span } = &self.module.type_exprs[id];
            if matches!(kind, TypeExprKind::Error) {
                self.note_kind(*span, Kind::Dim);
                return id;
            }
            let has_no_kind = matches!(kind, TypeExprKind::Param(param) if self.unkinded.contains(param));
            // A dim in brackets is a shape of one axis.
            if !has_no_kind && self.kind_of(kind) == Kind::Dim {
                return self.type_expr(TypeExprKind::Shape(vec![id]), self.tree.span(node));
            }
        }
        self.coerce(id, want)
    }

    pub(super) fn coerce(&mut self, id: TypeExprId, want: Kind) -> TypeExprId {
        let span = self.module.type_exprs[id].span;
        let (found, coerced) = match (&self.module.type_exprs[id].kind, want) {
            (TypeExprKind::Error, _) => {
                self.note_kind(span, want);
                return id;
            }
            (TypeExprKind::Hole, _) => return id,
            (TypeExprKind::Param(param), _) if self.unkinded.contains(param) => {
                let param = *param;
                self.unkinded.remove(&param);
                self.module.type_params[param].kind = want;
                return id;
            }
            (TypeExprKind::If { .. }, _) => return self.coerce_if(id, want),
            (TypeExprKind::Scalar(dtype), Kind::BaseType) => (Kind::BaseType, Some(TypeExprKind::Dtype(*dtype))),
            (TypeExprKind::Tuple(dims), Kind::Shape) => (Kind::Shape, Some(TypeExprKind::Shape(dims.clone()))),
            (kind, _) => (self.kind_of(kind), None),
        };
        if found != want {
            self.wrong_kind(id, want, found);
            return self.type_expr(TypeExprKind::Error, span);
        }
        match &coerced {
            Some(TypeExprKind::Shape(dims)) => {
                let is_splice = |cx: &Self, id| matches!(cx.module.type_exprs[id].kind, TypeExprKind::Splice(_));
                let dims: Vec<TypeExprId> = dims.iter().copied().filter(|&dim| !is_splice(self, dim)).list();
                dims.into_iter().for_each(|dim| self.check_part(dim, Kind::Dim));
            }
            Some(_) => {}
            None => {
                if let TypeExprKind::Tuple(fields) = &self.module.type_exprs[id].kind {
                    fields.clone().into_iter().for_each(|field| self.check_part(field, Kind::Type));
                }
            }
        }
        coerced.map_or(id, |kind| self.type_expr(kind, span))
    }

    /// Both branches have the kind that is wanted.
    fn coerce_if(&mut self, id: TypeExprId, want: Kind) -> TypeExprId {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            let TypeExprKind::If { comparison, left, right, then, otherwise } = self.module.type_exprs[id].kind else {
                continue;
            };
            let mut branch = |cx: &mut Self, branch: TypeExprId| match cx.module.type_exprs[branch].kind {
                TypeExprKind::If { .. } => {
                    pending.push(branch);
                    branch
                }
                _ => cx.coerce(branch, want),
            };
            let (then, otherwise) = (branch(self, then), branch(self, otherwise));
            self.module.type_exprs[id].kind = TypeExprKind::If { comparison, left, right, then, otherwise };
        }
        id
    }

    /// A part of a tuple or shape; what is wrong with it becomes an error. Tuples inside tuples are tuples of types.
    fn check_part(&mut self, part: TypeExprId, want: Kind) {
        let mut pending = vec![(part, want)];
        while let Some((id, want)) = pending.pop() {
            let TypeExpr { kind, span } = &self.module.type_exprs[id];
            let found = match kind {
                TypeExprKind::Error => {
                    self.note_kind(*span, want);
                    continue;
                }
                TypeExprKind::Hole => continue,
                TypeExprKind::Param(param) if self.unkinded.contains(param) => {
                    let param = *param;
                    self.unkinded.remove(&param);
                    self.module.type_params[param].kind = want;
                    continue;
                }
                TypeExprKind::Tuple(fields) if want == Kind::Type => {
                    pending.append_all(fields.iter().map(|&field| (field, Kind::Type)));
                    continue;
                }
                kind => self.kind_of(kind),
            };
            if found != want {
                self.wrong_kind(id, want, found);
                self.module.type_exprs[id].kind = TypeExprKind::Error;
            }
        }
    }

    fn wrong_kind(&mut self, id: TypeExprId, want: Kind, found: Kind) {
        let TypeExpr { kind, span } = &self.module.type_exprs[id];
        let span = *span;
        let declared = match *kind {
            TypeExprKind::Param(param) => {
                // What nothing says is told once.
                if found == Kind::Type {
                    self.module.type_params[param].kind = want;
                }
                let TypeParam { name, span, .. } = &self.module.type_params[param];
                let rest = &self.tree.text()[span.end as usize..];
                let kind = rest.trim_ascii_start().strip_prefix(':').map(str::trim_ascii_start);
                // Up to the end of what is said of it, if anything is.
                let end = kind.map_or(0, |kind| rest.len() - kind.trim_start_matches(base::is_in_name).len());
                (kind.is_some() || found == Kind::Type)
                    .then(|| (name.clone(), span.to(Span::new(span.end, span.end + end as u32))))
            }
            _ => None,
        };
        self.errors.push(match declared {
            Some((name, at)) => HirError::ParamKind { span, want, found, name, at },
            None => HirError::WrongKind { span, want, found },
        });
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
            | TypeExprKind::Sum { .. }
            | TypeExprKind::Adt { .. } => Kind::Type,
            TypeExprKind::RowOf(_) => Kind::Row,
            TypeExprKind::Dtype(_) => Kind::BaseType,
            TypeExprKind::Shape(_) | TypeExprKind::Splice(_) => Kind::Shape,
            TypeExprKind::Dim(_) | TypeExprKind::Any => Kind::Dim,
            TypeExprKind::Apply { function, .. } => function.kind(),
            // Looked through before.
            TypeExprKind::If { .. } => Kind::Dim,
            TypeExprKind::Param(param) => self.param_kind(*param),
        }
    }

    fn param_kind(&self, param: ParamId) -> Kind {
        self.module.type_params[param].kind
    }
}
