//! Layers, weights and functions of the node as they are applied to a value.

use super::shape::Means;
use super::{Lowered, Lowering};
use crate::data::{Def, DefId, ExprId, ExprKind, LocalOrigin, TypeExprKind, Visit};
use crate::error::HirError;
use crate::layer_fault::LayerFault;
use crate::layers::{Layer, LayerKind, Takes};
use crate::net::{Applied, MadeOf, Stage};
use base::{Append, Edit, MapArray, Span, Surface, ToList};
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

impl Callee {
    /// How many values it is applied to.
    fn n_values(self) -> usize {
        if let Callee::Layer(layer) = self { layer.n_values() } else { 1 }
    }
}

/// A computed argument, and the name that it may have.
type Value<'t> = (Option<(&'t str, Span)>, ExprId);

/// What a stage is applied to: a value, and for a product the one that it is multiplied by.
struct Operands {
    input: ExprId,
    more: Vec<ExprId>,
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
                let span = if self.is_long(left, right, input) { self.tree.span(right) } else { span };
                let applied = match self.tree.kind(right) {
                    NodeKind::Error => self.expr(ExprKind::Error, span),
                    NodeKind::NameRef | NodeKind::Call | NodeKind::Field => self.apply(right, Some(input), span),
                    kind => {
                        let is_operator = kind == NodeKind::Binary;
                        self.refuse_layer(self.tree.span(right), LayerFault::NotApplied { is_operator });
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

    /// Whether a pipe goes over several lines: what it gives then stands on the line of its last stage. What its left side
    /// is has been asked before, so only what is behind that is looked at.
    fn is_long(&self, left: NodeId, right: NodeId, input: ExprId) -> bool {
        let tree = self.tree;
        let (is_pipe, start) = (tree.kind(left) == NodeKind::Pipe, tree.span(left).start);
        let last = if is_pipe { tree.children(left).get(1).copied() } else { None };
        let from = tree.span(last.unwrap_or(left)).start as usize;
        is_pipe && self.module.exprs[input].span.start > start
            || base::find(&tree.text()[from..tree.span(right).end as usize], "\n").is_some()
    }

    /// `?` where a value should be.
    pub(in crate::lower) fn stray_dim(&mut self, node: NodeId) -> Lowered {
        let span = self.tree.span(node);
        self.refuse_layer(span, LayerFault::StrayDim);
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
            [left, right].each(|side| &self.module.exprs[side].kind)
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
        let callee = self.callee(node);
        let values = self.computed_args(node, callee);
        let stage_span = self.tree.span(node);
        let applied = match callee {
            Callee::Unknown => None,
            Callee::Method(def) => return self.call_method(def, None, piped, values, stage_span, span),
            Callee::Inner(weight, def) => return self.call_method(def, Some(weight), piped, values, stage_span, span),
            Callee::Weight(_) | Callee::Layer(_) | Callee::View => self
                .operands(callee, node, piped, values)
                .and_then(|of| self.apply_stage(callee, node, piped, &of, span)),
        };
        applied.unwrap_or_else(|| self.expr(ExprKind::Error, span))
    }

    /// Computed arguments, with the names that some have.
    fn computed_args(&mut self, node: NodeId, callee: Callee) -> Vec<Value<'t>> {
        let tree = self.tree;
        if matches!(callee, Callee::View) {
            return Vec::new();
        }
        let is_stage = matches!(callee, Callee::Layer(_) | Callee::Weight(_));
        let mut values = Vec::new();
        for arg in self.given(node) {
            let (named, value) = match tree.kind(arg) {
                NodeKind::Attr => (self.own_token(arg, &[TokenKind::Ident]), tree.children(arg).first().copied()),
                _ => (None, Some(arg)),
            };
            if !is_stage || named.is_none_or(|(name, _)| name == "x") {
                values.append_all(value.map(|value| (named, self.expr_of(value))));
            }
        }
        values
    }

    /// What a stage is applied to. `None` if that is too little or too much, which has been said.
    fn operands(
        &mut self,
        callee: Callee,
        node: NodeId,
        piped: Option<ExprId>,
        mut values: Vec<Value<'t>>,
    ) -> Option<Operands> {
        let stage_span = self.tree.span(node);
        let input = piped.or_else(|| match values.is_empty() {
            true => None,
            false => Some(values.remove(0).1),
        });
        // A product has a second value.
        let n_more = callee.n_values() - 1;
        let rest = values.split_off(n_more.min(values.len()));
        let more: Vec<ExprId> = std::mem::replace(&mut values, rest).into_iter().map(|(_, value)| value).list();
        let (span, fault) = match (input, values.first()) {
            (None, _) => {
                // Of what goes over several lines, the name says enough.
                let text = self.tree.node_text(node);
                let name = base::before(text, "(");
                let callee = if base::has(text, b'\n') { name } else { text }.trim_ascii().to_owned();
                (stage_span, LayerFault::AppliedToNothing { callee })
            }
            (Some(_), Some(&(_, extra))) => {
                // Numbers that follow each other are arguments without their names.
                let mut numbers = Vec::new();
                for &(_, value) in &values {
                    match self.module.exprs[value].kind {
                        ExprKind::Literal(..) => numbers.push(self.module.exprs[value].span),
                        _ => break,
                    }
                }
                if let Callee::Layer(layer) = callee
                    && let [first, .., last] | [first @ last] = numbers[..]
                {
                    let (mut names, mut own) = (Vec::new(), None);
                    let mut numbers = numbers.into_iter();
                    for param in layer.params {
                        if self.is_named(node, param.name) {
                            continue;
                        }
                        own = own.or(Some(param.name));
                        let Some(at) = numbers.next() else { break };
                        let is_list = param.takes == Takes::SomeAxes && first != last;
                        let text = format!("{}={}", param.name, if is_list { "(" } else { "" });
                        names.push(Edit { span: Span::new(at.start, at.start), text });
                        if is_list {
                            names.push(Edit { span: last.after(), text: ")".to_owned() });
                            break;
                        }
                    }
                    if let Some(own) = own {
                        let callee = layer.name.to_owned();
                        self.errors.push(HirError::ForeignArgument { callee, name: None, own, span: first, names });
                        return None;
                    }
                }
                let fault = match callee {
                    Callee::Layer(Layer { kind: LayerKind::Cat, .. }) => LayerFault::CatOfSeveral,
                    _ if n_more > 0 => LayerFault::ProductOfMore,
                    _ => LayerFault::AppliedTwice { is_piped: piped.is_some() },
                };
                (self.module.exprs[extra].span, fault)
            }
            (Some(_), None) if more.len() < n_more => (stage_span, LayerFault::ProductOfOne),
            (Some(input), None) => return Some(Operands { input, more }),
        };
        self.refuse_layer(span, fault);
        None
    }

    /// Whether a call has an argument of this name.
    fn is_named(&self, node: NodeId, name: &str) -> bool {
        let own = |&arg: &NodeId| self.own_token(arg, &[TokenKind::Ident]).is_some_and(|(own, _)| own == name);
        self.given(node).iter().any(|arg| self.tree.kind(*arg) == NodeKind::Attr && own(arg))
    }

    /// Applies a weight, a layer without weights, or `view`.
    fn apply_stage(
        &mut self,
        callee: Callee,
        node: NodeId,
        piped: Option<ExprId>,
        &Operands { input, ref more }: &Operands,
        span: Span,
    ) -> Option<ExprId> {
        let tree = self.tree;
        let stage_span = tree.span(node);
        self.as_scale(input, None);
        // The root of a number is one, as in `scores / sqrt(D)`.
        if let (
            Callee::Layer(Layer { kind: LayerKind::Each("sqrt"), .. }),
            &ExprKind::Literal(_, Scalar::Float(number)),
        ) = (callee, &self.module.exprs[input].kind)
        {
            let root = Scalar::Float(f64::from((number as f32).sqrt()));
            return Some(self.expr(ExprKind::Literal(Dtype::Float32, root), span));
        }
        let net = self.nets.current.as_ref().map_or(0, |current| current.net);
        let first = ExprId::numbered(self.module.exprs.len() as u32);
        // What it is applied to may come first, without a name.
        let mut keywords = self.given(node);
        if piped.is_none() || !more.is_empty() {
            keywords.retain(|arg| tree.kind(*arg) == NodeKind::Attr);
        }
        let (expr, applied) = match callee {
            Callee::Weight(weight) => {
                let expr = self.apply_weight(net, weight, &keywords, input, stage_span, span)?;
                (expr, Applied::Weight(net, weight))
            }
            Callee::Layer(layer) => {
                let args = self.layer_args(layer, &keywords, stage_span, Some(net))?;
                (self.layer(layer, &args, input, more, stage_span, span), Applied::Layer(layer, args))
            }
            Callee::View => {
                let list = tree.child(node, NodeKind::ArgList)?;
                let dims = self.view_dims(list, Some(net))?;
                (self.reshape(input, &dims, stage_span, span), Applied::View(dims))
            }
            Callee::Method(_) | Callee::Inner(..) | Callee::Unknown => return None,
        };
        self.module.stages.push(Stage { expr, first, input, applied, span: stage_span });
        Some(expr)
    }

    /// Applies what a weight is made of: a layer, whose arguments it has already, or a node.
    fn apply_weight(
        &mut self,
        net: usize,
        weight: usize,
        keywords: &[NodeId],
        input: ExprId,
        stage_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let named = keywords.iter().find_map(|&arg| self.own_token(arg, &[TokenKind::Ident]));
        if let Some((name, span)) = named.filter(|(name, _)| *name != "x") {
            let callee = self.module.nets[net].weights[weight].name.clone();
            self.errors.push(HirError::UnknownArgument { callee, name: name.to_owned(), span, nearest: None });
            return None;
        }
        let output = match self.module.nets[net].weights[weight].made_of.clone() {
            MadeOf::Layer(layer, args) => {
                let input = self.checked_input(net, weight, input);
                let weights = self.fields_of(net, weight, stage_span);
                self.layer(layer, &args, input, &weights, stage_span, span)
            }
            MadeOf::Net(inner) => {
                let Some(&def) = self.nets.parts[inner].methods_by_name.get("forward") else {
                    let node = self.module.nets[inner].name.clone();
                    self.refuse_layer(stage_span, LayerFault::NoForward { node });
                    return None;
                };
                let input = self.checked_input(net, weight, input);
                let this = self.fields_of(net, weight, stage_span);
                self.call_def(def, [&this[..], &[input]].concat(), stage_span, span)
            }
            MadeOf::Unknown => return None,
        };
        Some(self.checked_output(net, weight, output))
    }

    /// What a name, a call or a field names.
    fn callee(&mut self, node: NodeId) -> Callee {
        let tree = self.tree;
        let Some(net) = self.nets.current.as_ref().map(|current| current.net) else { return Callee::Unknown };
        if tree.kind(node) == NodeKind::Field {
            let Some((name, name_span)) = self.own_token(node, &[TokenKind::Ident]) else { return Callee::Unknown };
            let Some(&base) = tree.children(node).first() else { return Callee::Unknown };
            return match tree.node_text(base) {
                value if tree.kind(base) == NodeKind::NameRef && self.scope.get(value).is_some() => {
                    let fault = LayerFault::ValueHasNone { value: value.to_owned(), name: name.to_owned() };
                    self.refuse_layer(name_span, fault);
                    Callee::Unknown
                }
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
                self.refuse_layer(span, LayerFault::WithWeights { layer: name.to_owned() });
                Callee::Unknown
            }
            Some(_) => self.layer_of(name, span).map_or(Callee::Unknown, Callee::Layer),
            // A value.
            None if self.scope.get(name).is_some() => {
                self.refuse_layer(span, LayerFault::NotApplied { is_operator: false });
                Callee::Unknown
            }
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
            self.refuse_layer(self.tree.span(node), LayerFault::NotAWeight);
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
        let (node, what, name) = (of.name.clone(), "function or weight", name.to_owned());
        self.errors.push(HirError::NoMember { node, what, name, span, nearest });
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
                let (node, what, name) = (self.module.nets[inner].name.clone(), "function", name.to_owned());
                self.errors.push(HirError::NoMember { node, what, name, span, nearest });
                Callee::Unknown
            }
            // `self.fc1.forward()` is the layer itself.
            MadeOf::Layer(..) if name == "forward" => Callee::Weight(weight),
            MadeOf::Layer(layer, _) => {
                self.refuse_layer(span, LayerFault::NoMethod { layer: layer.name, name: name.to_owned() });
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
        values: Vec<Value<'t>>,
        stage_span: Span,
        span: Span,
    ) -> ExprId {
        let params = self.param_names(def);
        let mut args: Vec<Option<ExprId>> = base::filled(None, params.len());
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
                    let callee = self.module.defs[def].name.clone();
                    self.refuse_layer(self.module.exprs[value].span, LayerFault::TakesNoMore { callee });
                    is_sound = false;
                }
            }
        }
        if let Some(lacking) = args.iter().position(Option::is_none).filter(|_| is_sound) {
            let Def { name: callee, name_span: declared, .. } = self.module.defs[def].clone();
            self.refuse_layer(stage_span, LayerFault::Lacks { callee, name: params[lacking].to_owned(), declared });
            is_sound = false;
        }
        if !is_sound {
            return self.expr(ExprKind::Error, span);
        }
        let net = self.nets.current.as_ref().map_or(0, |current| current.net);
        let first = ExprId::numbered(self.module.exprs.len() as u32);
        let this = match inner {
            Some(weight) => self.fields_of(net, weight, stage_span),
            None => vec![self.this(stage_span)],
        };
        let args: Vec<ExprId> = args.into_iter().list_all(|arg| arg);
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
