//! Arguments that are known before anything runs: of layers and of initialisers.

use super::Lowering;
use super::shape::{Dim, Means};
use crate::error::{Duplicated, HirError, MissingDim};
use crate::layers::{Default, INITIALISERS, Layer, Param, Takes};
use crate::net::{Args, Argument};
use base::{Edit, Span, ToList};
use syntax::{NodeId, NodeKind, TokenKind};
use ty::Scalar;

/// Arithmetic of sizes nests at most this deep.
const MAX_DEPTH: u32 = 64;
/// A layer of layers has at most this many layers: each has tensors of its own.
const MAX_LAYERS: i64 = 64;
/// An axis that is swapped is at most this one from the beginning or the end.
const MAX_AXIS: i64 = 20;

pub(super) fn initialiser(name: &str) -> Option<&'static [Param]> {
    INITIALISERS.iter().find(|(known, _)| *known == name).map(|&(_, params)| params)
}

/// The parameter that is meant by a name that none has: PyTorch's, or a part of it.
fn meant(name: &str, params: &'static [Param]) -> Option<&'static str> {
    let is_part = |whole: &str, part: &str| part.len() > 1 && whole.starts_with(part);
    let found = params.iter().find(|param| param.torch == name);
    let found = found.or_else(|| params.iter().find(|param| is_part(param.name, name)));
    let found = found.or_else(|| params.iter().find(|param| name.len() > 2 && param.torch.contains(name)));
    found.map(|param| param.name)
}

/// What an argument is written as.
#[derive(Clone, Debug, PartialEq)]
enum Written {
    Int(i64),
    Float(f64),
    Bool(bool),
    Several(Vec<i64>),
}

impl<'t> Lowering<'t> {
    /// The arguments of a layer. `None` if they do not fit, which has been said.
    pub(super) fn layer_args(
        &mut self,
        layer: &'static Layer,
        given: &[NodeId],
        span: Span,
        net: Option<usize>,
    ) -> Option<Args> {
        let args = self.static_args(layer.name, layer.params, given, span, net)?;
        let groups = crate::layers::int(&args, "groups");
        for name in ["in_ch", "out_ch"] {
            let channels = crate::layers::int(&args, name);
            if crate::layers::ints(&args, "groups") != [groups] || channels % groups == 0 {
                continue;
            }
            let message = format!("the {channels} channels of `{name}` do not fall into {groups} groups");
            self.errors.push(HirError::LayerArgument { span, message, at: None });
            return None;
        }
        let layers = crate::layers::int(&args, "num_layers");
        let (all, heads) = (crate::layers::int(&args, "embed_dim"), crate::layers::int(&args, "num_heads"));
        let (channels, parts) = (crate::layers::int(&args, "num_channels"), crate::layers::int(&args, "num_groups"));
        let axes = ["dim0", "dim1"].map(|name| crate::layers::ints(&args, name));
        let message = if axes.concat().iter().any(|axis| axis.abs() > MAX_AXIS) {
            format!("expected `dim0` and `dim1` to be at most {MAX_AXIS}")
        } else if axes[0] == axes[1] && !axes[0].is_empty() {
            "`dim0` and `dim1` are the same axis".to_owned()
        } else if channels % parts != 0 {
            format!("the {channels} channels of `num_channels` do not fall into {parts} groups")
        } else if layers > MAX_LAYERS {
            format!("expected `num_layers` to be at most {MAX_LAYERS}, found {layers}")
        } else if all % heads != 0 {
            format!("the {all} numbers of `embed_dim` do not fall into {heads} heads")
        } else {
            return Some(args);
        };
        self.errors.push(HirError::LayerArgument { span, message, at: None });
        None
    }

    /// Arguments by keyword, in any order, defaults filled in.
    pub(super) fn static_args(
        &mut self,
        callee: &str,
        params: &'static [Param],
        nodes: &[NodeId],
        span: Span,
        net: Option<usize>,
    ) -> Option<Args> {
        let tree = self.tree;
        let mut given: Vec<(&'static str, Argument, Span)> = Vec::new();
        let mut is_sound = true;
        let mut foreign: Vec<(Option<&str>, Span, &'static str)> = Vec::new();
        for (place, &arg) in nodes.iter().enumerate() {
            if tree.kind(arg) == NodeKind::Error {
                is_sound = false;
                continue;
            }
            let name = self.own_token(arg, &[TokenKind::Ident]);
            let (NodeKind::Attr, Some((name, name_span))) = (tree.kind(arg), name) else {
                match params.get(place) {
                    Some(param) => foreign.push((None, tree.span(arg), param.name)),
                    None => self.refuse(&mut is_sound, tree.span(arg), format!("`{callee}` takes no such argument")),
                }
                continue;
            };
            if name == "x" {
                continue;
            }
            let Some(param) = params.iter().find(|param| param.name == name) else {
                let own = meant(name, params);
                if let Some(own) = own.filter(|own| foreign.iter().all(|(_, _, known)| known != own)) {
                    foreign.push((Some(name), name_span, own));
                    continue;
                }
                let nearest = base::nearest(name, params.iter().map(|param| param.name)).map(str::to_owned);
                let (callee, name) = (callee.to_owned(), name.to_owned());
                self.errors.push(HirError::UnknownArgument { callee, name, span: name_span, nearest });
                is_sound = false;
                continue;
            };
            if let Some((_, _, first)) = given.iter().find(|(known, ..)| *known == param.name) {
                let first = *first;
                self.duplicate(Duplicated::Attribute, name, name_span, first);
                is_sound = false;
                continue;
            }
            let Some(&value) = tree.children(arg).first() else { continue };
            match self.argument(param, value, net) {
                Some(argument) => given.push((param.name, argument, name_span)),
                None => is_sound = false,
            }
        }
        let is_given = |own: &str| given.iter().any(|(name, ..)| *name == own);
        // What stands in the place of an argument that has been given is another one.
        for i in 0..foreign.len() {
            if foreign[i].0.is_none() && is_given(foreign[i].2) {
                let is_open = |own: &str| !is_given(own) && foreign.iter().all(|(_, _, other)| *other != own);
                let open = params.iter().find(|param| is_open(param.name));
                foreign[i].2 = open.map_or(foreign[i].2, |param| param.name);
            }
        }
        let named = foreign.iter().filter(|(_, _, own)| !is_given(own));
        let names = named.map(|&(name, span, own)| match name {
            Some(_) => Edit { span, text: own.to_owned() },
            None => Edit { span: Span::new(span.start, span.start), text: format!("{own}=") },
        });
        let names: Vec<Edit> = names.list();
        for (name, span, own) in foreign {
            is_sound = false;
            let (callee, name, nearest) = (callee.to_owned(), name.map(str::to_owned), None);
            self.errors.push(match name {
                Some(name) if is_given(own) => HirError::UnknownArgument { callee, name, span, nearest },
                name => HirError::ForeignArgument { callee, name, own, span, names: names.clone() },
            });
        }
        for param in params {
            if given.iter().any(|(name, ..)| *name == param.name) {
                continue;
            }
            let n = match param.takes {
                Takes::Axes { n, .. } => n,
                Takes::Int(_) | Takes::Probability | Takes::Float | Takes::Axis => 1,
                Takes::SomeAxes | Takes::Flag => 1,
            };
            let argument = match param.default {
                // What was refused is not missing.
                Default::Required if !is_sound => continue,
                Default::Required => {
                    let behind = &tree.text()[span.end as usize..];
                    let dim = match param.name {
                        "dim" if behind.starts_with("()") => Some(MissingDim { at: span.end + 1, is_call: true }),
                        "dim" if !behind.starts_with('(') => Some(MissingDim { at: span.end, is_call: false }),
                        _ => None,
                    };
                    let (callee, name) = (callee.to_owned(), param.name);
                    self.errors.push(HirError::MissingArgument { callee, name, span, dim });
                    is_sound = false;
                    continue;
                }
                Default::Int(int) => Argument::Ints(vec![int; n]),
                Default::Float(float) => Argument::Float(float),
                Default::Flag(flag) => Argument::Flag(flag),
                Default::As(other) => match given.iter().find(|(name, ..)| *name == other) {
                    Some((_, argument, _)) => argument.clone(),
                    None => continue,
                },
            };
            given.push((param.name, argument, span));
        }
        let order = |name: &str| params.iter().position(|param| param.name == name);
        base::sort_by_key(&mut given, |(name, ..)| order(name));
        is_sound.then(|| given.into_iter().map(|(name, argument, _)| (name, argument)).list())
    }

    fn refuse(&mut self, is_sound: &mut bool, span: Span, message: String) {
        self.errors.push(HirError::LayerArgument { span, message, at: None });
        *is_sound = false;
    }

    fn argument(&mut self, param: &Param, node: NodeId, net: Option<usize>) -> Option<Argument> {
        let span = self.tree.span(node);
        if self.tree.kind(node) == NodeKind::Error {
            return None;
        }
        let written = self.written(node, net, 0)?;
        let name = param.name;
        let (fits, want) = match (param.takes, &written) {
            (Takes::Int(least), &Written::Int(int)) => (int >= least, format!("at least {least}")),
            (Takes::Int(_) | Takes::Axis, Written::Float(_) | Written::Bool(_) | Written::Several(_)) => {
                (false, "a whole number".to_owned())
            }
            (Takes::Axis | Takes::SomeAxes, Written::Int(_))
            | (Takes::SomeAxes, Written::Several(_))
            | (Takes::Flag, Written::Bool(_)) => (true, String::new()),
            (Takes::Flag, Written::Int(_) | Written::Float(_) | Written::Several(_)) => {
                (false, "`true` or `false`".to_owned())
            }
            (Takes::SomeAxes, Written::Float(_) | Written::Bool(_)) => {
                (false, "a whole number, or some in parentheses".to_owned())
            }
            (Takes::Axes { least, .. }, &Written::Int(int)) => (int >= least, format!("at least {least}")),
            (Takes::Axes { n, least }, Written::Several(ints)) => match ints.len() == n && n > 1 {
                true => (ints.iter().all(|&int| int >= least), format!("at least {least}")),
                false if n == 1 => (false, "a whole number".to_owned()),
                false => (false, format!("a whole number, or {n} in parentheses")),
            },
            (Takes::Axes { .. }, Written::Float(_) | Written::Bool(_)) => (false, "a whole number".to_owned()),
            (Takes::Probability, &Written::Float(float)) => {
                ((0.0..=1.0).contains(&float), "a number from 0. to 1.".to_owned())
            }
            (Takes::Float, Written::Float(_)) => (true, String::new()),
            (Takes::Probability | Takes::Float, Written::Int(int)) => {
                (false, format!("a number with a point, such as {int}."))
            }
            (Takes::Probability | Takes::Float, Written::Bool(_) | Written::Several(_)) => {
                (false, "a number with a point".to_owned())
            }
        };
        if !fits {
            let found = match &written {
                Written::Int(int) => int.to_string(),
                Written::Float(float) => format!("{float:?}"),
                Written::Bool(bool) => bool.to_string(),
                Written::Several(ints) => format!("{} numbers", ints.len()),
            };
            let message = format!("expected `{name}` to be {want}, found {found}");
            self.errors.push(HirError::LayerArgument { span, message, at: None });
            return None;
        }
        Some(match (param.takes, written) {
            (Takes::Axes { n, .. }, Written::Int(int)) => Argument::Ints(vec![int; n]),
            (_, Written::Int(int)) => Argument::Ints(vec![int]),
            (_, Written::Several(ints)) => Argument::Ints(ints),
            (_, Written::Float(float)) => Argument::Float(float),
            (_, Written::Bool(bool)) => Argument::Flag(bool),
        })
    }

    /// The size that a dim is computed as.
    pub(super) fn computed_size(&mut self, node: NodeId, net: Option<usize>, depth: u32) -> Option<i64> {
        let span = self.tree.span(node);
        match self.written(node, net, depth)? {
            Written::Int(size) if size >= 0 => return Some(size),
            Written::Int(size) => self.errors.push(HirError::DimRange { span, negative: Some(size) }),
            Written::Float(_) | Written::Bool(_) | Written::Several(_) => {
                let message = "expected a dim to be a whole number".to_owned();
                self.errors.push(HirError::LayerArgument { span, message, at: None });
            }
        }
        None
    }

    /// The value of an argument: a literal, a dim, or arithmetic of them.
    fn written(&mut self, node: NodeId, net: Option<usize>, depth: u32) -> Option<Written> {
        let tree = self.tree;
        let span = tree.span(node);
        let not_known = HirError::LayerArgument {
            span,
            message: "expected a number, a dim, or arithmetic of them: it must be known before anything runs"
                .to_owned(),
            at: None,
        };
        if depth > MAX_DEPTH {
            self.errors.push(not_known);
            return None;
        }
        match tree.kind(node) {
            NodeKind::DimNum => self.size(tree.node_text(node), span).map(Written::Int),
            NodeKind::Literal => match self.scalar(node, false, false) {
                Some((ty::Dtype::Bool, Scalar::Int(int))) => Some(Written::Bool(int != 0)),
                Some((_, Scalar::Int(int))) if int <= i64::from(i32::MAX) => Some(Written::Int(int)),
                Some((_, Scalar::Int(_))) => {
                    self.errors.push(HirError::LiteralRange { span, dtype: ty::Dtype::Int32 });
                    None
                }
                Some((_, Scalar::Float(float))) => Some(Written::Float(float)),
                None => None,
            },
            NodeKind::NameRef | NodeKind::DimName => {
                match self.dim_named(tree.node_text(node), net, depth).map(|alias| alias.means) {
                    Some(Means::Dim(size)) => Some(Written::Int(size)),
                    Some(Means::Shape(_)) => {
                        self.errors.push(not_known);
                        None
                    }
                    Some(Means::Open) => {
                        self.errors.push(HirError::EndlessDim { name: tree.node_text(node).to_owned(), span });
                        None
                    }
                    Some(Means::Unread(_) | Means::Unknown) => None,
                    None => {
                        let name = tree.node_text(node);
                        match self.scope.get(name).is_some() || name == "self" {
                            true => self.errors.push(not_known),
                            false => self.undeclared(name, span, net),
                        }
                        None
                    }
                }
            }
            NodeKind::Paren => {
                let inner = *tree.children(node).first()?;
                self.written(inner, net, depth + 1)
            }
            NodeKind::Tuple => {
                let mut ints = Vec::new();
                for field in tree.children(node) {
                    match self.written(field, net, depth + 1)? {
                        Written::Int(int) => ints.push(int),
                        Written::Float(_) | Written::Bool(_) | Written::Several(_) => {
                            self.errors.push(not_known);
                            return None;
                        }
                    }
                }
                Some(Written::Several(ints))
            }
            NodeKind::Unary => {
                let operand = *tree.children(node).first()?;
                match self.written(operand, net, depth + 1)? {
                    Written::Int(int) => Some(Written::Int(-int)),
                    Written::Float(float) => Some(Written::Float(-float)),
                    Written::Bool(_) | Written::Several(_) => {
                        self.errors.push(not_known);
                        None
                    }
                }
            }
            NodeKind::Binary | NodeKind::DimBinary => {
                let &[left, right, ..] = &tree.children(node)[..] else { return None };
                let left = self.written(left, net, depth + 1)?;
                let right = self.written(right, net, depth + 1)?;
                let signs = [TokenKind::Plus, TokenKind::Minus, TokenKind::Star, TokenKind::Slash];
                // Behind parentheses that group a dim.
                let first = || tree.own_tokens(node).find(|&token| !tree.token_kind(token).is_trivia());
                let sign = self.own_token(node, &signs).map(|(sign, _)| sign);
                let sign = sign.or_else(|| first().map(|token| tree.token_text(token)))?;
                let is_of_ints = matches!((&left, sign, &right), (Written::Int(_), "+" | "-" | "*", Written::Int(_)));
                let computed = match (left, sign, right) {
                    (Written::Int(a), "+", Written::Int(b)) => a.checked_add(b),
                    (Written::Int(a), "-", Written::Int(b)) => a.checked_sub(b),
                    (Written::Int(a), "*", Written::Int(b)) => a.checked_mul(b),
                    (Written::Int(a), "/", Written::Int(b)) if b > 0 && a % b == 0 => Some(a / b),
                    (Written::Int(a), "/", Written::Int(b)) => {
                        let message = format!("{a} / {b} is no whole number");
                        self.errors.push(HirError::LayerArgument { span, message, at: None });
                        return None;
                    }
                    _ => None,
                };
                match computed.filter(|computed| computed.abs() <= i64::from(i32::MAX)) {
                    Some(computed) => Some(Written::Int(computed)),
                    None => {
                        let too_large = HirError::LiteralRange { span, dtype: ty::Dtype::Int32 };
                        self.errors.push(if is_of_ints { too_large } else { not_known });
                        None
                    }
                }
            }
            NodeKind::Error => None,
            _ => {
                self.errors.push(not_known);
                None
            }
        }
    }

    /// The sizes that a `view` is given; -1 for the one that is left out.
    pub(super) fn view_dims(&mut self, list: NodeId, net: Option<usize>) -> Option<Vec<i64>> {
        let tree = self.tree;
        let mut dims: Vec<i64> = Vec::new();
        let mut left_out: Option<Span> = None;
        for arg in tree.children(list) {
            let span = tree.span(arg);
            match tree.kind(arg) {
                NodeKind::Attr if self.own_name(arg).is_some_and(|(name, _)| name == "x") => {}
                NodeKind::Hole | NodeKind::DimAny => {
                    if let Some(first) = left_out {
                        let message = "`view` can leave out one size only: the others must say what it is".to_owned();
                        self.errors.push(HirError::LayerArgument { span, message, at: Some(first) });
                        return None;
                    }
                    left_out = Some(span);
                    dims.push(-1);
                }
                NodeKind::NameRef
                    if let Some(Means::Shape(shape)) =
                        self.find_alias(tree.node_text(arg), net).map(|alias| alias.means) =>
                {
                    for (dim, _) in self.shape(shape, net)? {
                        match dim {
                            Dim::Number(number) => dims.push(number),
                            _ if left_out.is_none() => {
                                left_out = Some(span);
                                dims.push(-1);
                            }
                            Dim::Named(_) | Dim::Computed(..) | Dim::Hole => {
                                let message = "`view` can leave out one size only: the others must say what it is";
                                let error = HirError::LayerArgument { span, message: message.to_owned(), at: left_out };
                                self.errors.push(error);
                                return None;
                            }
                        }
                    }
                }
                NodeKind::Error => return None,
                _ => match self.written(arg, net, 0)? {
                    Written::Int(size) if size >= 1 => dims.push(size),
                    Written::Int(_) | Written::Float(_) | Written::Bool(_) | Written::Several(_) => {
                        let message = "expected a size of at least 1, `_`, or a name of sizes".to_owned();
                        self.errors.push(HirError::LayerArgument { span, message, at: None });
                        return None;
                    }
                },
            }
        }
        Some(dims)
    }
}
