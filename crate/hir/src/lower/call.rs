//! Calls: of operators with their attributes, and of functions.

use super::{Lowered, Lowering};
use crate::data::{Attr, ExprId, ExprKind};
use crate::error::HirError;
use base::{Span, ToList};
use op::OpId;
use syntax::{NodeId, NodeKind, TokenKind};
use ty::{AttrValue, Attrs, Dtype, Scalar};

impl Lowering<'_> {
    pub(super) fn call(&mut self, node: NodeId, children: &[NodeId]) -> Lowered {
        if self.is_constant_call(node) {
            return self.constant_call(node, children);
        }
        let span = self.tree.span(node);
        let (Some(&callee), Some(arg_list)) = (children.first(), self.tree.child(node, NodeKind::ArgList)) else {
            return Lowered::Nothing;
        };
        let callee = self.expr_of(callee);
        let mut args = self.tree.children(arg_list);
        let has_attrs = args.iter().any(|&arg| self.tree.kind(arg) == NodeKind::Attr);
        args.retain(|&arg| self.tree.kind(arg) != NodeKind::Attr && !self.is_by_place(Some(arg_list), arg));
        let has_attr_record = args.iter().any(|&arg| self.is_attr_record(arg));
        let args: Vec<ExprId> = args.into_iter().map(|arg| self.expr_of(arg)).list();
        let mut attrs = if has_attrs { self.written_attrs(arg_list) } else { Vec::new() };
        attrs.append(&mut self.by_place.remove(&arg_list).unwrap_or_default());
        let piped = self.is_pipe_stage(node);
        if let ExprKind::Op(op) = self.module.exprs[callee].kind {
            let name_span = self.module.exprs[callee].span;
            if let Some(type_args) = self.tree.child(node, NodeKind::TypeArgs) {
                let (name, found) = (op.row().name.to_owned(), self.tree.children(type_args).len());
                self.errors.push(HirError::TypeArguments { name, span: self.tree.span(type_args), want: 0, found });
            }
            let call = match has_attr_record {
                // Its attributes are not known, which was said there.
                true => self.expr(ExprKind::Error, span),
                false => self.op_call(op, name_span, args, &attrs, span),
            };
            if piped {
                self.unvisit(call);
            }
            return Lowered::Expr(call);
        }
        // What is not known may be meant for an operator.
        if let Some(attr) = attrs.first().filter(|_| !matches!(self.module.exprs[callee].kind, ExprKind::Error)) {
            self.errors.push(HirError::AttrOnFunction { span: attr.name_span.to(attr.value_span) });
        }
        let type_args = self.tree.child(node, NodeKind::TypeArgs).map(|type_args| {
            let nodes = self.tree.children(type_args);
            nodes.into_iter().map(|node| self.type_of(node)).list()
        });
        let call = self.expr(ExprKind::Call { callee, type_args, args }, span);
        if piped {
            self.unvisit(call);
        }
        Lowered::Expr(call)
    }

    /// Whether a call is the right side of a pipe, which adds an argument before it can be visited.
    pub(super) fn is_pipe_stage(&self, node: NodeId) -> bool {
        self.open.last().is_some_and(|&parent| self.is_stage_of(parent, node))
    }

    pub(super) fn is_stage_of(&self, pipe: NodeId, node: NodeId) -> bool {
        self.tree.kind(pipe) == NodeKind::Pipe && self.tree.children_rev(pipe).next() == Some(node)
    }

    fn unvisit(&mut self, call: ExprId) {
        if matches!(self.module.visits.last(), Some(crate::data::Visit::Expr(last)) if *last == call) {
            self.module.visits.pop();
        }
    }

    pub(super) fn op_call(
        &mut self,
        op: OpId,
        name_span: Span,
        args: Vec<ExprId>,
        written: &[Attr],
        span: Span,
    ) -> ExprId {
        let kind = match self.checked_attrs(op.row(), name_span, &args, written) {
            Some(attrs) => ExprKind::OpCall { op, name_span, args, attrs },
            None => ExprKind::Error,
        };
        self.expr(kind, span)
    }

    /// `Constant(1, (10, 10), float32)`, as Relay's manual writes it.
    pub(super) fn is_constant_call(&self, node: NodeId) -> bool {
        let callee = self.tree.children_rev(node).last();
        callee.is_some_and(|callee| self.tree.node_text(callee) == "Constant") && !self.ctors.contains("Constant")
    }

    fn constant_call(&mut self, node: NodeId, children: &[NodeId]) -> Lowered {
        let span = self.tree.span(node);
        let name_span = self.tree.span(children[0]);
        let n_errors = self.errors.len();
        match self.constant(node) {
            Some((dtype, scalar, shape)) => {
                let value = self.expr(ExprKind::Literal(dtype, scalar), span);
                let full = op::by_name("full").expect("a row of its own");
                let shape = AttrValue::List(shape.into_iter().map(AttrValue::Int).list());
                let dtype = AttrValue::Str(dtype.name().into());
                let attrs = Attrs { entries: vec![("shape", shape), ("dtype", dtype)], written: vec![true, true] };
                let args = vec![value];
                let kind = ExprKind::OpCall { op: full, name_span, args, attrs: std::sync::Arc::new(attrs) };
                Lowered::Expr(self.expr(kind, span))
            }
            None => {
                if self.errors.len() == n_errors {
                    self.errors.push(HirError::ConstantForm { span });
                }
                Lowered::Expr(self.expr(ExprKind::Error, span))
            }
        }
    }

    fn constant(&mut self, node: NodeId) -> Option<(Dtype, Scalar, Vec<i64>)> {
        let arg_list = self.tree.child(node, NodeKind::ArgList)?;
        let [value, shape, dtype] = self.tree.children(arg_list)[..] else { return None };
        let dtype = Dtype::parse(self.tree.node_text(dtype))?;
        let (literal, negative) = match self.tree.kind(value) {
            NodeKind::Literal => (value, false),
            NodeKind::Unary => (*self.tree.children(value).first()?, true),
            _ => return None,
        };
        if self.tree.kind(literal) != NodeKind::Literal || self.tree.first_token(literal, TokenKind::String).is_some() {
            return None;
        }
        let (from, written) = self.scalar(literal, negative, false)?;
        let scalar = op::cast_between(written, from, dtype);
        let holds = |number| dtype.int_range().is_some_and(|(low, high)| (low..=high).contains(&number));
        let fits = match (written, scalar) {
            (Scalar::Int(written), Scalar::Int(_)) => holds(op::widen(from, written)),
            (Scalar::Float(written), Scalar::Int(_)) => written.fract() == 0.0 && holds(written as _),
            (Scalar::Float(written), Scalar::Float(rounded)) => rounded.is_finite() || !written.is_finite(),
            (Scalar::Int(_), Scalar::Float(rounded)) => rounded.is_finite(),
        };
        if !fits {
            self.errors.push(HirError::LiteralRange { span: self.tree.span(value), dtype });
            return None;
        }
        if !matches!(self.tree.kind(shape), NodeKind::Tuple | NodeKind::Paren) {
            return None;
        }
        let dims = self.tree.children(shape);
        let shape = dims.into_iter().map(|dim| base::parse_i64(self.tree.node_text(dim))).some_list()?;
        Some((dtype, scalar, shape))
    }
}
