//! Shapes of TensorScript: lists of dims, in which names stand for dims and for whole shapes.

use super::Lowering;
use super::written::SIGNS;
use crate::data::{TypeExprId, TypeExprKind, TypeParam};
use crate::error::{Duplicated, HirError};
use crate::layer_fault::LayerFault;
use base::{Append, HashMap, MapArray, Span, ToList};
use syntax::{NodeId, NodeKind, TokenKind};
use ty::{Dtype, Kind};

/// A shape of more dims than this is refused: names of names of shapes grow fast.
const MAX_RANK: usize = 256;
/// At most this many names and dims are read for one shape: a name may stand for names that stand for nothing.
const MAX_READ: usize = 10_000;
/// Names stand for names, and arithmetic nests, at most this deep.
const MAX_DEPTH: u32 = 200;
/// How often two sums are compared, each time with other sizes.
const TRIALS: i64 = 8;

/// What a `dim` or `tsr` names.
#[derive(Clone, Copy)]
pub(super) struct Alias {
    pub means: Means,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Means {
    Dim(i64),
    Shape(NodeId),
    /// What the declaration here says, which is not read yet, or is just being read.
    Unread(NodeId),
    Open,
    /// What it should mean is not known, which was said.
    Unknown,
}

/// A dim of a written shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dim<'t> {
    Number(i64),
    /// `?`, or a name that nothing declares.
    Named(&'t str),
    /// `2 * N` with such a name.
    Computed(NodeId),
    /// `_`.
    Hole,
}

impl<'t> Lowering<'t> {
    /// Declares the names of `dim`s and `tsr`s, at the top or in a node, then reads what they mean.
    pub(super) fn declare_aliases(&mut self, items: &[NodeId], net: Option<usize>) {
        let tree = self.tree;
        let is_alias = |item: &&NodeId| matches!(tree.kind(**item), NodeKind::DimItem | NodeKind::TsrItem);
        for &item in items.iter().filter(is_alias) {
            let Some((name, span)) = self.own_name(item) else { continue };
            let first = self.aliases(net).get(name).map(|first| first.span);
            if first.is_none() {
                self.aliases(net).insert(name, Alias { means: Means::Unread(item), span });
            }
            self.once(Duplicated::Definition, name, item, first);
        }
        for &item in items.iter().filter(is_alias) {
            self.read_alias(item, net, 0);
        }
    }

    fn aliases(&mut self, net: Option<usize>) -> &mut HashMap<&'t str, Alias> {
        match net {
            Some(net) => &mut self.nets.parts[net].aliases,
            None => &mut self.nets.aliases,
        }
    }

    /// Finds what a `dim` or `tsr` means, unless that is known or another one of its name counts.
    fn read_alias(&mut self, node: NodeId, net: Option<usize>, depth: u32) {
        let tree = self.tree;
        let Some((name, span)) = self.own_name(node) else { return };
        if self.aliases(net).get(name).is_none_or(|alias| alias.means != Means::Unread(node)) {
            return;
        }
        self.aliases(net).insert(name, Alias { means: Means::Open, span });
        let value = tree.children(node).first().copied();
        let size = match (tree.kind(node), self.own_token(node, &[TokenKind::Int]), value) {
            (NodeKind::TsrItem, _, shape) => shape.map(Means::Shape),
            (_, Some((text, at)), _) => self.size(text, at).map(Means::Dim),
            (_, None, Some(value)) => self.computed_size(value, net, depth).map(Means::Dim),
            (_, None, None) => None,
        };
        self.aliases(net).insert(name, Alias { means: size.unwrap_or(Means::Unknown), span });
    }

    /// The number of a size.
    pub(super) fn size(&mut self, text: &str, span: Span) -> Option<i64> {
        let number = base::parse_i64(text).filter(|&number| number <= i64::from(i32::MAX));
        if number.is_none() {
            self.errors.push(HirError::LiteralRange { span, dtype: Dtype::Int32 });
        }
        number
    }

    pub(super) fn find_alias(&self, name: &str, net: Option<usize>) -> Option<Alias> {
        let own = net.and_then(|net| self.nets.parts[net].aliases.get(name));
        own.or_else(|| self.nets.aliases.get(name)).copied()
    }

    /// As [`find_alias`](Self::find_alias), of a dim that may be computed from others, wherever these stand.
    pub(super) fn dim_named(&mut self, name: &'t str, net: Option<usize>, depth: u32) -> Option<Alias> {
        let found = self.find_alias(name, net)?;
        if let Means::Unread(node) = found.means {
            let is_own = net.is_some_and(|net| self.nets.parts[net].aliases.contains_key(name));
            self.read_alias(node, net.filter(|_| is_own), depth + 1);
        }
        self.find_alias(name, net)
    }

    /// Whether two written shapes are one: `T + T` is `2 * T`. Sums that are not one hardly come to the same as often as
    /// this is tried.
    pub(super) fn is_same(&self, a: &[(Dim<'t>, Span)], b: &[(Dim<'t>, Span)], net: usize) -> bool {
        let same = |((a, _), (b, _)): (&(Dim, Span), &(Dim, Span))| match (a, b) {
            (&Dim::Computed(a), &Dim::Computed(b)) => {
                (1..=TRIALS).all(|trial| self.size_in(trial, a, net, 0) == self.size_in(trial, b, net, 0))
            }
            _ => a == b,
        };
        a.len() == b.len() && a.iter().zip(b).all(same)
    }

    /// What a written dim comes to where a name without a number stands for one that is made of its letters.
    fn size_in(&self, trial: i64, node: NodeId, net: usize, depth: u32) -> i64 {
        let tree = self.tree;
        let text = tree.node_text(node);
        match (tree.kind(node), &tree.children(node)[..]) {
            (NodeKind::DimNum, _) => base::parse_i64(text).unwrap_or(0),
            (NodeKind::DimBinary, &[left, right, ..]) if depth < MAX_DEPTH => {
                let [a, b] = [left, right].each(|side| self.size_in(trial, side, net, depth + 1));
                match self.own_token(node, &SIGNS).map_or("", |(sign, _)| sign) {
                    "+" => a.wrapping_add(b),
                    "-" => a.wrapping_sub(b),
                    "*" => a.wrapping_mul(b),
                    _ => a.checked_div_euclid(b).unwrap_or(0),
                }
            }
            _ => match self.find_alias(text, Some(net)).map(|alias| alias.means) {
                Some(Means::Dim(number)) => number,
                _ => text.bytes().fold(trial, |sum, byte| (sum * (256 + trial) + i64::from(byte)) % 9973),
            },
        }
    }

    /// The dims of a written shape, aliases spliced in. `None` where it is none, which has been said.
    pub(super) fn shape(&mut self, node: NodeId, net: Option<usize>) -> Option<Vec<(Dim<'t>, Span)>> {
        let mut dims = Vec::new();
        // What a name stands for is told at the name's place.
        self.read_shape(node, net, None, (0, &mut 0), &mut dims)?;
        Some(dims)
    }

    fn read_shape(
        &mut self,
        node: NodeId,
        net: Option<usize>,
        place: Option<Span>,
        (depth, n_read): (u32, &mut usize),
        dims: &mut Vec<(Dim<'t>, Span)>,
    ) -> Option<()> {
        let tree = self.tree;
        let parts = match tree.kind(node) {
            NodeKind::ShapeLit => tree.children(node),
            NodeKind::Error => return None,
            _ => vec![node],
        };
        for part in parts {
            let span = place.unwrap_or(tree.span(part));
            *n_read += 1;
            if depth > MAX_DEPTH || dims.len() >= MAX_RANK || *n_read > MAX_READ {
                if !std::mem::replace(&mut self.nets.is_endless, true) {
                    self.errors.push(HirError::EndlessShape { span });
                }
                return None;
            }
            let dim = match tree.kind(part) {
                NodeKind::DimNum => Dim::Number(self.size(tree.node_text(part), span)?),
                NodeKind::DimAny => Dim::Named("?"),
                NodeKind::HoleType => Dim::Hole,
                NodeKind::Error => return None,
                NodeKind::DimBinary if self.is_open(part, net, 0) => Dim::Computed(part),
                NodeKind::DimBinary => Dim::Number(self.computed_size(part, net, 0)?),
                NodeKind::ShapeLit => {
                    self.refuse_layer(span, LayerFault::SeveralDims);
                    return None;
                }
                _ => {
                    let name = tree.node_text(part);
                    match self.find_alias(name, net).map(|alias| alias.means) {
                        Some(Means::Dim(number)) => Dim::Number(number),
                        Some(Means::Unread(_) | Means::Open | Means::Unknown) => return None,
                        Some(Means::Shape(shape)) => {
                            self.read_shape(shape, net, Some(span), (depth + 1, n_read), dims)?;
                            continue;
                        }
                        None if tree.kind(node) != NodeKind::ShapeLit => {
                            self.undeclared(name, span, net);
                            return None;
                        }
                        None => {
                            // A name that is nearly that of a declared dim is a slip; any other is a dim of its own.
                            if self.nearest_alias(name, net).is_some() {
                                self.undeclared(name, span, net);
                                return None;
                            }
                            Dim::Named(name)
                        }
                    }
                }
            };
            dims.push((dim, span));
        }
        Some(())
    }

    /// Whether a dim is computed from one that has no number.
    fn is_open(&self, node: NodeId, net: Option<usize>, depth: u32) -> bool {
        let tree = self.tree;
        match tree.kind(node) {
            NodeKind::DimAny => true,
            NodeKind::DimName => self.find_alias(tree.node_text(node), net).is_none(),
            NodeKind::DimBinary if depth < MAX_DEPTH => {
                tree.children(node).into_iter().any(|side| self.is_open(side, net, depth + 1))
            }
            _ => false,
        }
    }

    /// A dim that is computed from one that has no number, or a part of it.
    fn open_dim(&mut self, node: NodeId, net: usize, depth: u32) -> TypeExprKind {
        let tree = self.tree;
        let span = tree.span(node);
        match (tree.kind(node), &tree.children(node)[..]) {
            (NodeKind::DimAny, _) => self.dim_param("?", span),
            (NodeKind::DimName, _) if self.is_open(node, Some(net), depth) => {
                let name = tree.node_text(node);
                if self.nearest_alias(name, Some(net)).is_some() {
                    self.undeclared(name, span, Some(net));
                    return TypeExprKind::Error;
                }
                self.dim_param(name, span)
            }
            (NodeKind::DimBinary, &[left, right, ..]) if self.is_open(node, Some(net), depth) => {
                let [left, right] = [left, right].each(|side| {
                    let kind = self.open_dim(side, net, depth + 1);
                    self.type_expr(kind, tree.span(side))
                });
                self.dim_of(node, left, right)
            }
            _ => self.computed_size(node, Some(net), depth).map_or(TypeExprKind::Error, TypeExprKind::Dim),
        }
    }

    fn nearest_alias(&self, name: &str, net: Option<usize>) -> Option<String> {
        let mut names: Vec<&str> = self.nets.aliases.keys().copied().list();
        if let Some(net) = net {
            names.append_all(self.nets.parts[net].aliases.keys().copied());
        }
        base::sort(&mut names);
        base::nearest(name, names.into_iter().filter(|near| near.len() > 2)).map(str::to_owned)
    }

    pub(super) fn undeclared(&mut self, name: &str, span: Span, net: Option<usize>) {
        let is_in_body = self.nets.current.as_ref().is_some_and(|current| current.dims.contains_key(name));
        if is_in_body || net.is_some_and(|net| self.is_in_signature(name, net)) {
            return self.refuse_layer(span, LayerFault::OpenDim { name: name.to_owned(), is_in_body });
        }
        let nearest = self.nearest_alias(name, net);
        let name = name.to_owned();
        self.errors.push(HirError::UndefinedType { name, span, kind: Kind::Dim, nearest, declared: None });
    }

    /// Whether a node's type has a size of this name.
    pub(super) fn is_in_signature(&self, name: &str, net: usize) -> bool {
        let mut pending: Vec<NodeId> = { self.nets.parts[net].signature }.iter().list_all(|&(from, to)| [from, to]);
        while let Some(node) = pending.pop() {
            if self.tree.kind(node) == NodeKind::DimName && self.tree.node_text(node) == name {
                return true;
            }
            pending.append_all(self.tree.children_rev(node));
        }
        false
    }

    /// The type of a value: a tensor of float32, or a number.
    pub(super) fn value_type(&mut self, node: NodeId, net: usize) -> Option<TypeExprId> {
        let span = self.tree.span(node);
        if self.tree.kind(node) == NodeKind::NameType {
            let scalar = match self.tree.node_text(node) {
                "int" => Some(Dtype::Int32),
                "float" => Some(Dtype::Float32),
                "bool" => Some(Dtype::Bool),
                _ => None,
            };
            if let Some(dtype) = scalar {
                return Some(self.type_expr(TypeExprKind::Scalar(dtype), span));
            }
        }
        let dims = self.shape(node, Some(net))?;
        let mut kinds = Vec::with_capacity(dims.len());
        for (dim, span) in dims {
            let kind = match dim {
                Dim::Number(number) => TypeExprKind::Dim(number),
                Dim::Hole => TypeExprKind::Hole,
                Dim::Named(name) => self.dim_param(name, span),
                Dim::Computed(node) => self.open_dim(node, net, 0),
            };
            kinds.push((kind, span));
        }
        Some(self.tensor_type(kinds, span))
    }

    /// The dim parameter of the open function that a name is.
    fn dim_param(&mut self, name: &'t str, span: Span) -> TypeExprKind {
        let Some(known) = self.nets.current.as_ref().map(|current| current.dims.get(name).copied()) else {
            return TypeExprKind::Error;
        };
        let param = known.unwrap_or_else(|| {
            let param = self.module.type_params.push(TypeParam { name: name.to_owned(), kind: Kind::Dim, span });
            self.function_mut().type_params.push(param);
            param
        });
        if let Some(current) = &mut self.nets.current {
            current.dims.insert(name, param);
        }
        TypeExprKind::Param(param)
    }
}
