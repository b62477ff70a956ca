//! Numbers and tensor literals.

use super::Lowering;
use crate::data::ExprKind;
use crate::error::HirError;
use base::{Append, Span, ToList};
use std::sync::Arc;
use syntax::{NodeId, NodeKind, TokenKind};
use ty::{Dtype, Elements, Scalar, Tensor};

/// A literal's text without its dtype suffix, and the dtype.
fn split_suffix(text: &str, is_float: bool) -> Option<(&str, Option<Dtype>)> {
    if let Some(rest) = text.strip_prefix("inf").or_else(|| text.strip_prefix("nan")) {
        return Some((&text[..3], if rest == "f" { Some(Dtype::Float32) } else { Some(Dtype::of_suffix(rest)?) }));
    }
    // `1e-5f`: the exponent's letter comes before the suffix.
    let end_of_number = text.rfind(|c: char| c.is_ascii_digit() || c == '.').map_or(0, |_| {
        let suffix_at = text.char_indices().find(|&(i, c)| {
            c.is_ascii_alphabetic() && !(matches!(c, 'e' | 'E') && base::begins_with(&text[i + 1..], "+-0123456789"))
        });
        suffix_at.map_or(text.len(), |(i, _)| i)
    });
    let (number, suffix) = text.split_at(end_of_number);
    match suffix {
        "" if is_float => Some((number, Some(Dtype::Float32))),
        "" => Some((number, None)),
        "f" => Some((number, Some(Dtype::Float32))),
        suffix => Some((number, Some(Dtype::of_suffix(suffix)?))),
    }
}

/// A float of that dtype, rounded once from the decimal where the dtype is 32 bits wide or more.
fn parse_float(number: &str, dtype: Dtype) -> Option<f64> {
    let value: f64 = match dtype {
        Dtype::Float32 => f64::from(base::parse_f32(number)?),
        _ => base::parse_f64(number)?,
    };
    Some(op::round_to(dtype, value))
}

/// The value of a number token, negated if a minus stands before it. A float is rounded to its dtype, or as it is
/// written: as a double.
fn parse_number(text: &str, negative: bool, rounded: bool, span: Span) -> Result<(Dtype, Scalar), HirError> {
    let is_float = [b'.', b'e', b'E'].iter().any(|&sign| base::has(text, sign)) && !text.starts_with("0x");
    let (number, dtype) = split_suffix(text, is_float).ok_or(HirError::BadLiteral { span })?;
    if let Some(dtype) = dtype.filter(|dtype| dtype.is_float()) {
        let value =
            parse_float(number, if rounded { dtype } else { Dtype::Float64 }).ok_or(HirError::BadLiteral { span })?;
        if value.is_infinite() && !number.starts_with("inf") {
            return Err(HirError::LiteralRange { span, dtype });
        }
        return Ok((dtype, Scalar::Float(if negative { -value } else { value })));
    }
    if is_float || number.starts_with("inf") || number.starts_with("nan") {
        return Err(HirError::BadLiteral { span });
    }
    let magnitude = base::parse_u64(number);
    let too_large = HirError::LiteralRange { span, dtype: dtype.unwrap_or(Dtype::Int64) };
    let magnitude = i128::from(magnitude.ok_or(too_large)?);
    let value = if negative { -magnitude } else { magnitude };
    let fits = |dtype: Dtype| dtype.int_range().is_some_and(|(low, high)| (low..=high).contains(&value));
    // A number without a suffix is int32, or int64 when it does not fit.
    let dtype = dtype.unwrap_or(if fits(Dtype::Int32) { Dtype::Int32 } else { Dtype::Int64 });
    if !fits(dtype) {
        return Err(HirError::LiteralRange { span, dtype });
    }
    Ok((dtype, Scalar::Int(value as i64)))
}

impl Lowering<'_> {
    /// The scalar that a literal node is; the floats of attributes are not rounded to a dtype.
    pub(super) fn scalar(&mut self, node: NodeId, negative: bool, rounded: bool) -> Option<(Dtype, Scalar)> {
        let span = self.tree.span(node);
        let tree = self.tree;
        let token = tree
            .own_tokens(node)
            .find(|&token| !matches!(tree.token_kind(token), TokenKind::Minus | TokenKind::Whitespace))?;
        let text = tree.token_text(token);
        match tree.token_kind(token) {
            TokenKind::KwTrue if !negative => Some((Dtype::Bool, Scalar::Int(1))),
            TokenKind::KwFalse if !negative => Some((Dtype::Bool, Scalar::Int(0))),
            TokenKind::Int | TokenKind::Float => match parse_number(text, negative, rounded, span) {
                Ok(scalar) => Some(scalar),
                Err(error) => {
                    self.errors.push(error);
                    None
                }
            },
            TokenKind::KwTrue | TokenKind::KwFalse => {
                self.errors.push(HirError::NegatedTruth { span });
                None
            }
            // A malformed number was reported when it was read.
            TokenKind::BadNumber => None,
            _ => {
                self.errors.push(HirError::BadLiteral { span });
                None
            }
        }
    }

    pub(super) fn literal(&mut self, node: NodeId, negative: bool) -> ExprKind {
        if self.tree.first_token(node, TokenKind::String).is_some() {
            let span = self.tree.span(node);
            self.errors.push(HirError::StringExpression { span });
            return ExprKind::Error;
        }
        match self.scalar(node, negative, true) {
            Some((dtype, scalar)) => ExprKind::Literal(dtype, scalar),
            None => ExprKind::Error,
        }
    }

    /// `[[1f, 2f], [3f, 4f]]`: rows of equal lengths, numbers of one dtype.
    pub(super) fn tensor_literal(&mut self, node: NodeId) -> ExprKind {
        let tree = self.tree;
        let mut shape: Vec<usize> = Vec::new();
        let mut dtype: Option<(Dtype, Span)> = None;
        let mut scalars: Vec<Scalar> = Vec::new();
        // Nodes still to be read, with their depth and whether a minus stands before them.
        let mut pending = vec![(node, 0, false)];
        while let Some((node, depth, negative)) = pending.pop() {
            let span = tree.span(node);
            match tree.kind(node) {
                NodeKind::ListLit => {
                    let children = tree.children(node);
                    if depth < shape.len() && shape[depth] != children.len() || depth > shape.len() {
                        self.errors.push(HirError::RaggedTensor { span });
                        return ExprKind::Error;
                    }
                    if depth == shape.len() {
                        if !scalars.is_empty() {
                            self.errors.push(HirError::RaggedTensor { span });
                            return ExprKind::Error;
                        }
                        shape.push(children.len());
                    }
                    pending.append_all(children.into_iter().rev().map(|child| (child, depth + 1, false)));
                }
                NodeKind::Unary => {
                    pending.append_all(tree.children(node).into_iter().map(|child| (child, depth, !negative)))
                }
                NodeKind::Literal => {
                    if depth != shape.len() {
                        self.errors.push(HirError::RaggedTensor { span });
                        return ExprKind::Error;
                    }
                    let Some((found, scalar)) = self.scalar(node, negative, true) else { return ExprKind::Error };
                    let (want, first) = *dtype.get_or_insert((found, span));
                    if want != found {
                        self.errors.push(HirError::TensorDtypes { span, first, want, found });
                        return ExprKind::Error;
                    }
                    scalars.push(scalar);
                }
                NodeKind::Error => return ExprKind::Error,
                _ => {
                    self.errors.push(HirError::TensorElement { span });
                    return ExprKind::Error;
                }
            }
        }
        let Some((dtype, _)) = dtype else {
            let span = tree.span(node);
            self.errors.push(HirError::EmptyTensor { shape, span });
            return ExprKind::Error;
        };
        let elements = match dtype.is_float() {
            true => Elements::Float(scalars.into_iter().map(float).list()),
            false => Elements::Int(scalars.into_iter().map(int).list()),
        };
        ExprKind::TensorLit(Arc::new(Tensor { dtype, shape, elements }))
    }
}

fn float(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Float(value) => value,
        Scalar::Int(value) => value as f64,
    }
}

fn int(scalar: Scalar) -> i64 {
    match scalar {
        Scalar::Float(value) => value as i64,
        Scalar::Int(value) => value,
    }
}
