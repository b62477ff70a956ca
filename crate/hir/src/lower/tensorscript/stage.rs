//! Layers, weights and functions of the node as they are applied to a value.

use super::shape::Means;
use super::{Lowered, Lowering};
use crate::data::{DefId, ExprId, ExprKind, LocalOrigin, TypeExprKind, Visit};
use crate::error::HirError;
use crate::layers::{Layer, LayerKind};
use crate::net::{Applied, MadeOf, Stage};
use base::{Span, Surface, ToList};
use syntax::{NodeId, NodeKind, TokenKind};
use ty::{Dtype, Scalar};

/// What a name or call applies.
#[derive(Clone, Copy)]
enum Callee {
    Weight(usize),
    Layer(&'static Layer),
    View,
    /// A function of this node.
    Method(DefId),
    /// A function of a node inside this one.
    Inner(usize, DefId),
    /// It has been said that there is none.
    Unknown,
}

impl<'t> Lowering<'t> {
    /// Whether everything below a node is known before anything runs, and read with the node.
    pub(in crate::lower) fn is_static(&self, node: NodeId) -> bool {
        let tree = self.tree;
        match tree.kind(node) {
            NodeKind::Use
            | NodeKind::DimItem
            | NodeKind::TsrItem
            | NodeKind::Net
            | NodeKind::Weights
            | NodeKind::Signature
            | NodeKind::ParamList => true,
            NodeKind::Call => tree.children_rev(node).last().is_some_and(|callee| tree.node_text(callee) == "view"),
            // The value that a layer is applied to, and what functions are given, are computed.
            NodeKind::Attr => {
                let is_value = self.own_token(node, &[TokenKind::Ident]).is_some_and(|(name, _)| name == "x");
                let callee = self.open.iter().rev().nth(2).map(|&call| (tree.kind(call), call));
                let name = match callee {
                    Some((NodeKind::Call, call)) => tree.children_rev(call).last().map(|callee| tree.node_text(callee)),
                    _ => None,
                };
                // A function of the node may have the name of a layer.
                let is_own = |name| {
                    let parts = self.nets.current.as_ref().map(|current| &self.nets.parts[current.net]);
                    parts.is_some_and(|parts| parts.methods_by_name.contains_key(name))
                };
                !is_value && name.is_some_and(|name| Layer::of_name(name).is_some() && !is_own(name))
            }
            // A type of a function.
            _ => {
                let parent = self.open.iter().rev().nth(1).map(|&parent| tree.kind(parent));
                parent == Some(NodeKind::Method) && tree.kind(node) != NodeKind::Block
            }
        }
    }

    /// Names, calls and pipes.
    pub(in crate::lower) fn leave_stage(&mut self, node: NodeId, kind: NodeKind) -> Lowered {
        let span = self.tree.span(node);
        match kind {
            NodeKind::Pipe => {
                let &[left, right, ..] = &self.tree.children(node)[..] else { return Lowered::Nothing };
                let input = self.expr_of(left);
                let applied = match self.tree.kind(right) {
                    NodeKind::Error => self.expr(ExprKind::Error, span),
                    NodeKind::NameRef | NodeKind::Call | NodeKind::Field => self.apply(right, Some(input), span),
                    kind => {
                        let mut message = "expected a layer or a function of the node to pipe into".to_owned();
                        if kind == NodeKind::Binary {
                            message.push_str("; operators bind more tightly than pipes, which need parentheses here");
                        }
                        self.errors.push(HirError::LayerArgument { span: self.tree.span(right), message, at: None });
                        self.expr(ExprKind::Error, span)
                    }
                };
                Lowered::Expr(applied)
            }
            // What a pipe pipes into waits for its value.
            _ if self.is_pipe_stage(node) => Lowered::Nothing,
            NodeKind::NameRef => {
                // What is called is read with its call.
                let parent = self.open.last().map(|&parent| self.tree.kind(parent));
                let is_first =
                    self.open.last().is_some_and(|&parent| self.tree.children_rev(parent).last() == Some(node));
                if is_first && matches!(parent, Some(NodeKind::Call | NodeKind::Field)) {
                    return Lowered::Nothing;
                }
                Lowered::Expr(self.value_ref(node, span))
            }
            NodeKind::Field if self.open.last().is_some_and(|&parent| self.tree.kind(parent) == NodeKind::Field) => {
                Lowered::Nothing
            }
            _ => Lowered::Expr(self.apply(node, None, span)),
        }
    }

    /// `?` where a value should be.
    pub(in crate::lower) fn stray_dim(&mut self, node: NodeId) -> Lowered {
        let span = self.tree.span(node);
        let message = "`?` is a size, in types and in `view`; no value".to_owned();
        self.errors.push(HirError::LayerArgument { span, message, at: None });
        Lowered::Expr(self.expr(ExprKind::Error, span))
    }

    /// A name that stands for a value: a variable, a dim, the node itself.
    fn value_ref(&mut self, node: NodeId, span: Span) -> ExprId {
        let name = self.tree.node_text(node);
        if self.scope.get(name).is_some() {
            let kind = self.local_ref(name, span);
            return self.expr(kind, span);
        }
        let net = self.nets.current.as_ref().map(|current| current.net);
        match self.find_alias(name, net).map(|alias| alias.means) {
            Some(Means::Dim(size)) => {
                return self.expr(ExprKind::Literal(Dtype::Int32, Scalar::Int(size)), span);
            }
            Some(Means::Unread(_) | Means::Open | Means::Unknown) => return self.expr(ExprKind::Error, span),
            Some(Means::Shape(_)) | None => {}
        }
        if name == "self" {
            return self.this(span);
        }
        self.unknown_name(name, span)
    }

    /// The size that a literal is, if that is a dim or computed from dims.
    fn dim_value(&self, value: ExprId) -> Option<i64> {
        let of = &self.module.exprs[value];
        let is_named = || self.tree.text()[of.span.range()].contains(|c: char| c.is_ascii_alphabetic());
        match of.kind {
            ExprKind::Literal(Dtype::Int32, Scalar::Int(size)) if is_named() => Some(size),
            _ => None,
        }
    }

    /// A dim computed from a dim and a dim or number.
    pub(in crate::lower) fn of_dims(&self, left: ExprId, sign: &str, right: ExprId) -> Option<ExprKind> {
        if self.module.surface != Surface::TensorScript {
            return None;
        }
        self.dim_value(left).or(self.dim_value(right))?;
        let [ExprKind::Literal(Dtype::Int32, Scalar::Int(a)), ExprKind::Literal(Dtype::Int32, Scalar::Int(b))] =
            [left, right].map(|side| &self.module.exprs[side].kind)
        else {
            return None;
        };
        let computed = match sign {
            "+" => a.checked_add(*b),
            "-" => a.checked_sub(*b),
            "*" => a.checked_mul(*b),
            "/" if *b > 0 && a % b == 0 => Some(a / b),
            _ => None,
        };
        let fits = |size: &i64| size.abs() <= i64::from(i32::MAX);
        computed.filter(fits).map(|size| ExprKind::Literal(Dtype::Int32, Scalar::Int(size)))
    }

    /// A dim beside a value is a number with a point, as those of the value are; beside a whole number it is one too.
    pub(in crate::lower) fn as_scale(&mut self, dim: ExprId, beside: Option<ExprId>) {
        if let Some(size) = self.dim_value(dim)
            && beside.is_none_or(|beside| !self.is_whole(beside))
        {
            self.module.exprs[dim].kind = ExprKind::Literal(Dtype::Float32, Scalar::Float(size as f64));
        }
    }

    /// Whether a value is a whole number, by its first operand where it is computed.
    fn is_whole(&self, mut value: ExprId) -> bool {
        loop {
            value = match &self.module.exprs[value].kind {
                ExprKind::Literal(dtype, _) => return *dtype == Dtype::Int32,
                ExprKind::Local(local, _) => {
                    let annotation = self.module.locals[*local].annotation;
                    return annotation.is_some_and(|ty| {
                        matches!(self.module.type_exprs[ty].kind, TypeExprKind::Scalar(Dtype::Int32))
                    });
                }
                ExprKind::OpCall { op, args, .. } if op.row().infix.is_some() => args[0],
                _ => return false,
            }
        }
    }

    fn this(&mut self, span: Span) -> ExprId {
        match self.nets.current.as_ref().map(|current| current.this) {
            Some(this) => {
                let place = crate::data::Place::Own(self.module.locals[this].slot);
                self.expr(ExprKind::Local(this, place), span)
            }
            None => self.expr(ExprKind::Error, span),
        }
    }

    /// Applies what a node names or calls, to what is piped into it or to its first argument.
    fn apply(&mut self, node: NodeId, piped: Option<ExprId>, span: Span) -> ExprId {
        let tree = self.tree;
        let stage_span = tree.span(node);
        let list = tree.child(node, NodeKind::ArgList);
        let callee = self.callee(node);
        // Computed arguments, with the names that some have.
        let is_layer = matches!(callee, Callee::Layer(_) | Callee::View | Callee::Weight(_));
        let mut values: Vec<(Option<(&'t str, Span)>, ExprId)> = Vec::new();
        if !matches!(callee, Callee::View) || piped.is_none() {
            for arg in self.given(node) {
                let named = match tree.kind(arg) {
                    NodeKind::Attr => self.own_token(arg, &[TokenKind::Ident]),
                    _ => None,
                };
                let value = match tree.kind(arg) {
                    NodeKind::Attr => tree.children(arg).first().copied(),
                    _ => Some(arg),
                };
                let is_value = !is_layer || named.is_none_or(|(name, _)| name == "x");
                if let Some(value) = value.filter(|_| is_value && !matches!(callee, Callee::View)) {
                    let value = self.expr_of(value);
                    values.push((named, value));
                }
            }
        }
        let input = match (piped, is_layer) {
            (Some(piped), _) => Some(piped),
            (None, true) => values
                .iter()
                .position(|(named, _)| named.is_none_or(|(name, _)| name == "x"))
                .map(|at| values.remove(at).1),
            (None, false) => None,
        };
        // A product has a second value.
        let n_more = if let Callee::Layer(layer) = callee { layer.n_values() - 1 } else { 0 };
        let more: Vec<ExprId> = values.drain(..n_more.min(values.len())).map(|(_, value)| value).list();
        if is_layer && let (Some(_), Some((_, extra))) = (piped.or(input), values.first()) {
            let span = self.module.exprs[*extra].span;
            let message = match callee {
                Callee::Layer(Layer { kind: LayerKind::Cat, .. }) => {
                    "`cat` takes its values as one: `cat((a, b), dim=1)`"
                }
                _ if n_more > 0 => "`matmul` multiplies two values, which are here already",
                _ => "this is applied to one value, which is here already",
            };
            let message = message.to_owned();
            self.errors.push(HirError::LayerArgument { span, message, at: None });
            return self.expr(ExprKind::Error, span);
        }
        let input = match (callee, input) {
            (Callee::Unknown, _) => return self.expr(ExprKind::Error, span),
            (Callee::Method(def), input) => return self.call_method(def, None, input, values, stage_span, span),
            (Callee::Inner(weight, def), input) => {
                return self.call_method(def, Some(weight), input, values, stage_span, span);
            }
            (Callee::Weight(_) | Callee::Layer(_) | Callee::View, None) => {
                let message = format!("`{}` is applied to nothing: pipe a value into it", tree.node_text(node));
                self.errors.push(HirError::LayerArgument { span: stage_span, message, at: None });
                return self.expr(ExprKind::Error, span);
            }
            (_, Some(_)) if more.len() < n_more => {
                let message = "`matmul` multiplies two values: `matmul(a, b)`, or `a |> matmul(b)`".to_owned();
                self.errors.push(HirError::LayerArgument { span: stage_span, message, at: None });
                return self.expr(ExprKind::Error, span);
            }
            (_, Some(input)) => input,
        };
        self.as_scale(input, None);
        // The root of a number is one, as in `scores / sqrt(D)`.
        if let (
            Callee::Layer(Layer { kind: LayerKind::Each("sqrt"), .. }),
            &ExprKind::Literal(_, Scalar::Float(number)),
        ) = (callee, &self.module.exprs[input].kind)
        {
            let root = Scalar::Float(f64::from((number as f32).sqrt()));
            return self.expr(ExprKind::Literal(Dtype::Float32, root), span);
        }
        let net = self.nets.current.as_ref().map_or(0, |current| current.net);
        let first = ExprId(self.module.exprs.len() as u32);
        let name_span = stage_span;
        // What it is applied to may come first, without a name.
        let mut keywords = self.given(node);
        if piped.is_none() || n_more > 0 {
            keywords.retain(|arg| tree.kind(*arg) == NodeKind::Attr);
        }
        if let Callee::Weight(weight) = callee
            && let Some((name, span)) = keywords.iter().find_map(|&arg| self.own_token(arg, &[TokenKind::Ident]))
            && name != "x"
        {
            let callee = self.module.nets[net].weights[weight].name.clone();
            self.errors.push(HirError::UnknownArgument { callee, name: name.to_owned(), span, nearest: None });
            return self.expr(ExprKind::Error, stage_span);
        }
        let (expr, applied) = match callee {
            Callee::Weight(weight) => match self.module.nets[net].weights[weight].made_of.clone() {
                MadeOf::Layer(layer, args) => {
                    let input = self.checked_input(net, weight, input);
                    let weights = self.fields_of(net, weight, name_span);
                    let expr = self.layer(layer, &args, input, &weights, name_span, span);
                    (self.checked_output(net, weight, expr), Applied::Weight(net, weight))
                }
                MadeOf::Net(inner) => {
                    let Some(&def) = self.nets.parts[inner].methods_by_name.get("forward") else {
                        let message = format!("the node `{}` has no `forward`", self.module.nets[inner].name);
                        self.errors.push(HirError::LayerArgument { span: stage_span, message, at: None });
                        return self.expr(ExprKind::Error, span);
                    };
                    let input = self.checked_input(net, weight, input);
                    let this = self.fields_of(net, weight, name_span);
                    let expr = self.call_def(def, [&this[..], &[input]].concat(), name_span, span);
                    (self.checked_output(net, weight, expr), Applied::Weight(net, weight))
                }
                MadeOf::Unknown => return self.expr(ExprKind::Error, span),
            },
            Callee::Layer(layer) => match self.layer_args(layer, &keywords, stage_span, Some(net)) {
                Some(args) => {
                    let expr = self.layer(layer, &args, input, &more, name_span, span);
                    (expr, Applied::Layer(layer, args))
                }
                None => return self.expr(ExprKind::Error, span),
            },
            Callee::View => match list.and_then(|list| self.view_dims(list, Some(net))) {
                Some(dims) => (self.reshape(input, &dims, name_span, span), Applied::View(dims)),
                None => return self.expr(ExprKind::Error, span),
            },
            Callee::Method(_) | Callee::Inner(..) | Callee::Unknown => return self.expr(ExprKind::Error, span),
        };
        self.module.stages.push(Stage { expr, first, input, applied, span: stage_span });
        expr
    }

    /// What a name, a call or a field names.
    fn callee(&mut self, node: NodeId) -> Callee {
        let tree = self.tree;
        let Some(net) = self.nets.current.as_ref().map(|current| current.net) else { return Callee::Unknown };
        if tree.kind(node) == NodeKind::Field {
            let Some((name, name_span)) = self.own_token(node, &[TokenKind::Ident]) else { return Callee::Unknown };
            let Some(&base) = tree.children(node).first() else { return Callee::Unknown };
            return match tree.node_text(base) {
                "self" => self.member(net, name, name_span),
                _ => match self.weight_named(base) {
                    Some((inner, span)) => match self.member(net, inner, span) {
                        Callee::Weight(weight) => self.inner_method(net, weight, name, name_span),
                        Callee::Layer(_) | Callee::View | Callee::Method(_) | Callee::Inner(..) => {
                            self.not_a_weight(base)
                        }
                        Callee::Unknown => Callee::Unknown,
                    },
                    None => self.not_a_weight(base),
                },
            };
        }
        let named = match tree.kind(node) {
            NodeKind::Call => tree.children(node).first().copied().unwrap_or(node),
            _ => node,
        };
        let (name, span) = (tree.node_text(named), tree.span(named));
        if name == "view" {
            return Callee::View;
        }
        if self.nets.parts[net].weights_by_name.contains_key(name)
            || self.nets.parts[net].methods_by_name.contains_key(name)
        {
            return self.member(net, name, span);
        }
        match Layer::of_name(name) {
            Some(layer) if layer.is_weight() => {
                let message = format!("`{name}` has weights: give it a name in `weights`, and apply that");
                self.errors.push(HirError::LayerArgument { span, message, at: None });
                Callee::Unknown
            }
            Some(_) => self.layer_of(name, span).map_or(Callee::Unknown, Callee::Layer),
            None => {
                self.unknown_name(name, span);
                Callee::Unknown
            }
        }
    }

    /// The name in `self.block` or `block`.
    pub(super) fn weight_named(&self, node: NodeId) -> Option<(&'t str, Span)> {
        let tree = self.tree;
        match (tree.kind(node), &tree.children(node)[..]) {
            (NodeKind::NameRef, _) => Some((tree.node_text(node), tree.span(node))),
            (NodeKind::Field, &[base]) if tree.node_text(base) == "self" => self.own_token(node, &[TokenKind::Ident]),
            _ => None,
        }
    }

    fn not_a_weight(&mut self, node: NodeId) -> Callee {
        if self.tree.kind(node) != NodeKind::Error {
            let message = "expected `self` or a weight in front of the point".to_owned();
            self.errors.push(HirError::LayerArgument { span: self.tree.span(node), message, at: None });
        }
        Callee::Unknown
    }

    /// A weight or a function of the node.
    fn member(&mut self, net: usize, name: &str, span: Span) -> Callee {
        let of = &self.module.nets[net];
        if let Some(&weight) = self.nets.parts[net].weights_by_name.get(name) {
            return Callee::Weight(weight);
        }
        if let Some(&def) = self.nets.parts[net].methods_by_name.get(name) {
            return Callee::Method(def);
        }
        let names = of.weights.iter().map(|weight| weight.name.as_str());
        let names = names.chain(of.methods.iter().map(|method| method.name.as_str()));
        let nearest = base::nearest(name, names).map(str::to_owned);
        self.errors.push(HirError::UnboundVariable { name: name.to_owned(), span, nearest });
        Callee::Unknown
    }

    fn inner_method(&mut self, net: usize, weight: usize, name: &str, span: Span) -> Callee {
        match self.module.nets[net].weights[weight].made_of {
            MadeOf::Net(inner) => {
                let methods = &self.module.nets[inner].methods;
                if let Some(&def) = self.nets.parts[inner].methods_by_name.get(name) {
                    return Callee::Inner(weight, def);
                }
                let nearest = base::nearest(name, methods.iter().map(|method| method.name.as_str())).map(str::to_owned);
                self.errors.push(HirError::UnboundVariable { name: name.to_owned(), span, nearest });
                Callee::Unknown
            }
            // `self.fc1.forward()` is the layer itself.
            MadeOf::Layer(..) if name == "forward" => Callee::Weight(weight),
            MadeOf::Layer(layer, _) => {
                let message =
                    format!("the layer `{}` is applied, or initialised in `new`; it has no `{name}`", layer.name);
                self.errors.push(HirError::LayerArgument { span, message, at: None });
                Callee::Unknown
            }
            MadeOf::Unknown => Callee::Unknown,
        }
    }

    /// Calls a function of a node: what is piped comes first, the others by name or in order.
    fn call_method(
        &mut self,
        def: DefId,
        inner: Option<usize>,
        piped: Option<ExprId>,
        values: Vec<(Option<(&'t str, Span)>, ExprId)>,
        stage_span: Span,
        span: Span,
    ) -> ExprId {
        let params = self.param_names(def);
        let mut args: Vec<Option<ExprId>> = vec![None; params.len()];
        if let (Some(piped), Some(first)) = (piped, args.first_mut()) {
            *first = Some(piped);
        }
        let mut is_sound = piped.is_none() || !params.is_empty();
        for (named, value) in values {
            let place = match named {
                Some((name, _)) => params.iter().position(|param| *param == name),
                None => args.iter().position(Option::is_none),
            };
            let slot = place.and_then(|place| args.get_mut(place)).filter(|slot| slot.is_none());
            match (slot, named) {
                (Some(slot), _) => *slot = Some(value),
                (None, Some((name, span))) => {
                    let nearest = base::nearest(name, params.iter().copied()).map(str::to_owned);
                    let callee = self.module.defs[def].name.clone();
                    self.errors.push(HirError::UnknownArgument { callee, name: name.to_owned(), span, nearest });
                    is_sound = false;
                }
                (None, None) => {
                    let message = format!("`{}` takes no more arguments", self.module.defs[def].name);
                    let span = self.module.exprs[value].span;
                    self.errors.push(HirError::LayerArgument { span, message, at: None });
                    is_sound = false;
                }
            }
        }
        if let Some(lacking) = args.iter().position(Option::is_none).filter(|_| is_sound) {
            let message = format!("`{}` lacks its argument `{}`", self.module.defs[def].name, params[lacking]);
            let at = Some(self.module.defs[def].name_span);
            self.errors.push(HirError::LayerArgument { span: stage_span, message, at });
            is_sound = false;
        }
        if !is_sound {
            return self.expr(ExprKind::Error, span);
        }
        let net = self.nets.current.as_ref().map_or(0, |current| current.net);
        let first = ExprId(self.module.exprs.len() as u32);
        let this = match inner {
            Some(weight) => self.fields_of(net, weight, stage_span),
            None => vec![self.this(stage_span)],
        };
        let args: Vec<ExprId> = args.into_iter().flatten().list();
        let input = args.first().copied();
        let expr = self.call_def(def, [&this[..], &args[..]].concat(), stage_span, span);
        if let Some(input) = input {
            self.module.stages.push(Stage { expr, first, input, applied: Applied::Method(def), span: stage_span });
        }
        expr
    }

    /// The names of a function's parameters after the node.
    fn param_names(&self, def: DefId) -> Vec<&'t str> {
        let tree = self.tree;
        let node = self.nets.nodes.get(&def).copied();
        let list = node.and_then(|node| tree.child(node, NodeKind::ParamList));
        let params = list.map(|list| tree.children(list)).unwrap_or_default();
        let mut names: Vec<&str> = params
            .into_iter()
            .filter_map(|param| self.own_token(param, &[TokenKind::Ident]))
            .map(|(name, _)| name)
            .list();
        if names.is_empty() && self.module.defs[def].name.ends_with("::forward") {
            names.push("x");
        }
        names
    }

    pub(super) fn call_def(&mut self, def: DefId, args: Vec<ExprId>, name_span: Span, span: Span) -> ExprId {
        self.function_mut().uses_defs.push(def);
        let callee = self.expr(ExprKind::Def(def), name_span);
        self.expr(ExprKind::Call { callee, type_args: None, args }, span)
    }

    /// The variables of a weight's tensors.
    fn fields_of(&mut self, net: usize, weight: usize, span: Span) -> Vec<ExprId> {
        let of = &mut self.module.nets[net].weights[weight];
        of.is_used = true;
        of.fields
            .clone()
            .map(|at| match self.nets.current.as_ref().and_then(|current| current.fields.get(at).copied()) {
                Some(local) => {
                    let place = crate::data::Place::Own(self.module.locals[local].slot);
                    self.expr(ExprKind::Local(local, place), span)
                }
                None => self.expr(ExprKind::Error, span),
            })
            .list()
    }

    /// A value as a layer that is written with its type takes it.
    fn checked_input(&mut self, net: usize, weight: usize, input: ExprId) -> ExprId {
        self.checked(net, weight, 0, input)
    }

    fn checked_output(&mut self, net: usize, weight: usize, output: ExprId) -> ExprId {
        self.checked(net, weight, 1, output)
    }

    fn checked(&mut self, net: usize, weight: usize, side: usize, value: ExprId) -> ExprId {
        let tree = self.tree;
        let node = self.nets.parts[net].weight_nodes.get(weight).copied();
        let signature = node.and_then(|node| tree.child(node, NodeKind::Signature));
        let ty = signature.and_then(|signature| tree.children(signature).get(side).copied());
        let Some(annotation) = ty.and_then(|ty| self.value_type(ty, net)) else { return value };
        let span = self.module.exprs[value].span;
        let name = self.module.nets[net].weights[weight].name.clone();
        let local = self.new_local(&name, span, LocalOrigin::Let);
        self.module.locals[local].annotation = Some(annotation);
        self.module.visits.push(Visit::Let(local, value));
        let place = crate::data::Place::Own(self.module.locals[local].slot);
        let tail = self.expr(ExprKind::Local(local, place), span);
        self.expr(ExprKind::Block { lets: vec![(Some(local), value)], tail }, span)
    }
}
