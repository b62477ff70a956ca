//! What is known before anything runs: literals, dims, and arithmetic of them.

use super::Lowering;
use super::shape::Means;
use crate::error::HirError;
use crate::layer_fault::LayerFault;
use base::Span;
use syntax::{NodeId, NodeKind, TokenKind};
use ty::{Dtype, Scalar};

/// The operators of sizes.
pub(super) const SIGNS: [TokenKind; 4] = [TokenKind::Plus, TokenKind::Minus, TokenKind::Star, TokenKind::Slash];

/// Arithmetic of sizes nests at most this deep.
const MAX_DEPTH: u32 = 64;

/// What an argument is written as.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Written {
    Int(i64),
    Float(f64),
    Bool(bool),
    Several(Vec<i64>),
}

impl<'t> Lowering<'t> {
    /// The size that a dim is computed as.
    pub(super) fn computed_size(&mut self, node: NodeId, net: Option<usize>, depth: u32) -> Option<i64> {
        let span = self.tree.span(node);
        match self.written(node, net, depth)? {
            Written::Int(size) if size >= 0 => return Some(size),
            Written::Int(size) => self.errors.push(HirError::DimRange { span, negative: Some(size) }),
            Written::Float(_) | Written::Bool(_) | Written::Several(_) => {
                self.refuse_layer(span, LayerFault::DimNotWhole);
            }
        }
        None
    }

    /// The value of an argument; if it has none, why not has been said.
    pub(super) fn written(&mut self, node: NodeId, net: Option<usize>, depth: u32) -> Option<Written> {
        let tree = self.tree;
        let span = tree.span(node);
        if depth > MAX_DEPTH {
            return self.not_static(span);
        }
        match tree.kind(node) {
            NodeKind::DimNum => self.size(tree.node_text(node), span).map(Written::Int),
            NodeKind::Literal => self.written_literal(node, span),
            NodeKind::NameRef | NodeKind::DimName => self.written_name(tree.node_text(node), span, net, depth),
            NodeKind::Paren => {
                let inner = *tree.children(node).first()?;
                self.written(inner, net, depth + 1)
            }
            NodeKind::Tuple => {
                let mut ints = Vec::new();
                for field in tree.children(node) {
                    match self.written(field, net, depth + 1)? {
                        Written::Int(int) => ints.push(int),
                        Written::Float(_) | Written::Bool(_) | Written::Several(_) => return self.not_static(span),
                    }
                }
                Some(Written::Several(ints))
            }
            NodeKind::Unary => {
                let operand = *tree.children(node).first()?;
                match self.written(operand, net, depth + 1)? {
                    Written::Int(int) => Some(Written::Int(-int)),
                    Written::Float(float) => Some(Written::Float(-float)),
                    Written::Bool(_) | Written::Several(_) => self.not_static(span),
                }
            }
            NodeKind::Binary | NodeKind::DimBinary => self.written_binary(node, span, net, depth),
            NodeKind::Error => None,
            _ => self.not_static(span),
        }
    }

    fn not_static(&mut self, span: Span) -> Option<Written> {
        self.refuse_layer(span, LayerFault::NotStatic);
        None
    }

    fn written_literal(&mut self, node: NodeId, span: Span) -> Option<Written> {
        match self.scalar(node, false, false)? {
            (Dtype::Bool, Scalar::Int(int)) => Some(Written::Bool(int != 0)),
            (_, Scalar::Int(int)) if int <= i64::from(i32::MAX) => Some(Written::Int(int)),
            (_, Scalar::Int(_)) => {
                self.errors.push(HirError::LiteralRange { span, dtype: Dtype::Int32 });
                None
            }
            (_, Scalar::Float(float)) => Some(Written::Float(float)),
        }
    }

    fn written_name(&mut self, name: &'t str, span: Span, net: Option<usize>, depth: u32) -> Option<Written> {
        match self.dim_named(name, net, depth).map(|alias| alias.means) {
            Some(Means::Dim(size)) => return Some(Written::Int(size)),
            Some(Means::Shape(_)) => return self.not_static(span),
            Some(Means::Open) => self.errors.push(HirError::EndlessDim { name: name.to_owned(), span }),
            Some(Means::Unread(_) | Means::Unknown) => {}
            None if self.scope.get(name).is_some() || name == "self" => return self.not_static(span),
            None => self.undeclared(name, span, net),
        }
        None
    }

    fn written_binary(&mut self, node: NodeId, span: Span, net: Option<usize>, depth: u32) -> Option<Written> {
        let tree = self.tree;
        let &[left, right, ..] = &tree.children(node)[..] else { return None };
        let left = self.written(left, net, depth + 1)?;
        let right = self.written(right, net, depth + 1)?;
        // Behind parentheses that group a dim.
        let first = || tree.own_tokens(node).find(|&token| !tree.token_kind(token).is_trivia());
        let sign = self.own_token(node, &SIGNS).map(|(sign, _)| sign);
        let sign = sign.or_else(|| first().map(|token| tree.token_text(token)))?;
        let (Written::Int(a), Written::Int(b)) = (left, right) else { return self.not_static(span) };
        let computed = match sign {
            "+" => a.checked_add(b),
            "-" => a.checked_sub(b),
            "*" => a.checked_mul(b),
            // As of sizes that no number is known for.
            "/" if b > 0 => Some(a.div_euclid(b)),
            "/" => {
                self.refuse_layer(span, LayerFault::NoWholeNumber { dividend: a, divisor: b });
                return None;
            }
            _ => return self.not_static(span),
        };
        let fits = |computed: &i64| computed.abs() <= i64::from(i32::MAX);
        if computed.filter(fits).is_none() {
            self.errors.push(HirError::LiteralRange { span, dtype: Dtype::Int32 });
        }
        computed.filter(fits).map(Written::Int)
    }
}
