//! Attributes of an operator call, checked against its row.

use super::{Lowered, Lowering};
use crate::data::{Attr, ExprId, ExprKind};
use crate::error::{Duplicated, HirError, Misplaced};
use base::{Append, Span, ToList};
use op::{AttrForm, AttrSpec, Op};
use std::sync::Arc;
use syntax::{NodeId, NodeKind, TokenKind};
use ty::{AttrValue, Attrs, Kind, Scalar};

/// Attribute values nest at most this deep; none of the rows wants more than two lists.
pub(super) const MAX_NESTING: usize = 16;

/// Stands for a value that no attribute can have; no string literal holds it.
const UNREADABLE: &str = "\u{0}";

/// Stands for a value about which something was told when it was read.
const REPORTED: &str = "\u{1}";

fn is_reported(value: &AttrValue) -> bool {
    match value {
        AttrValue::Str(text) => &**text == REPORTED,
        AttrValue::List(items) => items.iter().any(is_reported),
        AttrValue::None | AttrValue::Bool(_) | AttrValue::Int(_) | AttrValue::Float(_) | AttrValue::Function(_) => {
            false
        }
    }
}

impl Lowering<'_> {
    /// The attributes written in an argument list.
    pub(super) fn written_attrs(&mut self, arg_list: NodeId) -> Vec<Attr> {
        let mut attrs = Vec::new();
        for node in self.tree.children(arg_list) {
            if self.tree.kind(node) != NodeKind::Attr {
                continue;
            }
            let tree = self.tree;
            let is_end = |token| matches!(tree.token_kind(token), TokenKind::Eq | TokenKind::Colon);
            let words = tree.own_tokens(node).take_while(|&token| !is_end(token));
            let spans: Vec<Span> = words.map(|token| tree.token_span(token)).list();
            let (Some(first), Some(last)) = (spans.first(), spans.last()) else { continue };
            let name_span = first.to(*last);
            let name = tree.text()[name_span.range()].to_owned();
            let Some(&value) = tree.children(node).first() else { continue };
            if self.is_device(value) {
                continue;
            }
            let value_span = tree.span(value);
            let value = match self.attr_value(value, 0, false) {
                Some(value) => value,
                None if tree.kind(value) == NodeKind::Error => AttrValue::Str(REPORTED.into()),
                None => AttrValue::Str(UNREADABLE.into()),
            };
            attrs.push(Attr { name, name_span, value, value_span });
        }
        attrs
    }

    /// Finds the arguments that an operator has too many, where they are values of attributes: as Python's calls have
    /// them, `sum(%x, 1)` for `sum(%x, axis=1)`. They are told, and are the attributes that they are meant for.
    pub(super) fn name_attrs(&mut self, arg_list: NodeId) {
        let Some((row, n_args)) = self.called_op() else { return };
        let tree = self.tree;
        if tree.children_rev(arg_list).count() <= n_args {
            return;
        }
        let (named, placed): (Vec<NodeId>, Vec<NodeId>) =
            tree.children(arg_list).into_iter().partition(|&node| tree.kind(node) == NodeKind::Attr);
        let surplus = placed.get(n_args..).unwrap_or_default();
        // `max(1, 2)` is hardly a maximum along an axis.
        let (Some(&first), Some(&last), false) = (surplus.first(), surplus.last(), matches!(row.name, "max" | "min"))
        else {
            return;
        };
        let n_errors = self.errors.len();
        let values = surplus.iter().map(|&node| self.attr_value(node, 0, false)).some_list();
        let is_read = self.errors.len() == n_errors;
        self.errors.truncate(n_errors);
        let Some(values) = values.filter(|values| is_read && !values.iter().any(is_reported)) else { return };
        let is_free = |spec: &&AttrSpec| {
            let is_named = |&node: &NodeId| {
                let name = self.own_token(node, &[TokenKind::Ident]).map(|(name, _)| name);
                name.is_some_and(|name| name == spec.name || row.attr_called(name) == Some(spec.name))
            };
            !matches!(spec.form, AttrForm::Argument(_)) && !named.iter().any(is_named)
        };
        let mut free = row.attrs.iter().filter(is_free).list();
        // Python's functions take what must be said first, and the axis of `take` before its batch.
        base::sort_by_key(&mut free, |spec| {
            let is_late = (row.name, spec.name) == ("take", "batch_dims") || spec.name == "slice_mode";
            (u32::from(!matches!(spec.default, op::Default::Required)), u32::from(is_late))
        });
        let attr = |spec: &AttrSpec, value: AttrValue, value_span: Span| {
            let is_flag = spec.form != AttrForm::Bool || matches!(value, AttrValue::Bool(_));
            let is_none = matches!(value, AttrValue::None) && matches!(spec.default, op::Default::None);
            let fits = is_none || is_flag && spec.form.admits(&value);
            fits.then(|| Attr { name: spec.name.to_owned(), name_span: value_span, value, value_span })
        };
        let span = tree.span(first).to(tree.span(last));
        let text = |span: Span| tree.text()[span.range()].to_owned();
        // `reshape(%x, 2, 3)`.
        let is_joined =
            |pair: &[NodeId]| text(Span::new(tree.span(pair[0]).end, tree.span(pair[1]).start)).trim_ascii() == ",";
        let is_list = values.len() > 1
            && values.iter().all(|value| matches!(value, AttrValue::Int(_)))
            && free.first().is_some_and(|spec| matches!(spec.name, "newshape" | "shape" | "axes" | "reps"))
            && surplus.windows(2).all(is_joined);
        let attrs = match is_list {
            true => attr(free[0], AttrValue::List(values), span).map(|attr| vec![attr]),
            false => { values.into_iter().zip(surplus).enumerate() }
                .map(|(i, (value, &node))| attr(free.get(i)?, value, tree.span(node)))
                .some_list(),
        };
        let Some(attrs) = attrs else { return };
        let (open, close) = if is_list { ("(", ")") } else { ("", "") };
        let parts = attrs.iter().map(|attr| Misplaced {
            name: attr.name.clone(),
            span: attr.value_span,
            // In parentheses if its members stand there alone.
            text: format!("{}={open}{}{close}", attr.name, text(attr.value_span)),
        });
        self.errors.push(HirError::Misplaced { op: row.name, parts: parts.list(), span, by: "name" });
        self.by_place.insert(arg_list, attrs);
    }

    /// The operator of the call whose argument list is entered, with how many arguments the list has.
    fn called_op(&self) -> Option<(&'static Op, usize)> {
        let [.., around, call, _] = self.open[..] else { return None };
        let &callee = self.tree.children(call).first()?;
        let Lowered::Expr(callee) = self.lowered[callee.number() as usize] else { return None };
        let ExprKind::Op(op) = self.module.exprs[callee].kind else { return None };
        Some((op.row(), op.row().args.len().saturating_sub(usize::from(self.is_stage_of(around, call)))))
    }

    /// Whether a node is an argument that stands for an attribute of an operator.
    pub(super) fn is_by_place(&self, arg_list: Option<NodeId>, node: NodeId) -> bool {
        let attrs = arg_list.and_then(|list| self.by_place.get(&list));
        let first = attrs.and_then(|attrs| attrs.first());
        first.is_some_and(|first| {
            self.tree.span(node).start >= first.value_span.start && self.tree.kind(node) != NodeKind::Attr
        })
    }

    fn attr_value(&mut self, node: NodeId, depth: usize, negative: bool) -> Option<AttrValue> {
        if depth > MAX_NESTING {
            return None;
        }
        let tree = self.tree;
        match tree.kind(node) {
            NodeKind::Literal => {
                if let Some(string) = tree.first_token(node, TokenKind::String) {
                    let text = tree.token_text(string);
                    // The lexer has seen a quote at both ends, of whatever form.
                    let mut inside = text.chars();
                    let has_both = inside.next().is_some() && inside.next_back().is_some();
                    return Some(AttrValue::Str(if has_both { inside.as_str() } else { REPORTED }.into()));
                }
                match self.scalar(node, negative, false)? {
                    (ty::Dtype::Bool, Scalar::Int(value)) => Some(AttrValue::Bool(value != 0)),
                    (_, Scalar::Int(value)) => Some(AttrValue::Int(value)),
                    (_, Scalar::Float(value)) => Some(AttrValue::Float(value)),
                }
            }
            NodeKind::Unary => self.attr_value(*tree.children(node).first()?, depth + 1, !negative),
            NodeKind::Paren => self.attr_value(*tree.children(node).first()?, depth + 1, negative),
            NodeKind::NameRef => match tree.node_text(node) {
                "None" | "nullptr" => Some(AttrValue::None),
                name if ty::Dtype::parse(name).is_some() => Some(AttrValue::Str(name.into())),
                _ => None,
            },
            NodeKind::ListLit | NodeKind::Tuple => {
                let items = tree.children(node).into_iter().map(|item| self.attr_value(item, depth + 1, false));
                Some(AttrValue::List(items.some_list()?))
            }
            NodeKind::Meta => Some(self.meta_attr(node).unwrap_or_else(|| AttrValue::Str(REPORTED.into()))),
            _ => None,
        }
    }

    /// The row's attributes with what was written, defaults elsewhere. Errors are reported and leave the default.
    pub(super) fn checked_attrs(
        &mut self,
        op: &'static Op,
        name_span: Span,
        args: &[ExprId],
        written: &[Attr],
    ) -> Option<Arc<Attrs>> {
        if op.attrs.is_empty() && written.is_empty() {
            return Some(self.no_attrs.clone());
        }
        let mut attrs = Attrs::default();
        let n_errors = self.errors.len();
        if written.iter().any(|attr| is_reported(&attr.value)) {
            return None;
        }
        let is_unknown =
            |attr: &Attr| op.attrs.iter().all(|spec| spec.name != attr.name) && attr.name != "attrs_type_key";
        // As in Python, in whatever order.
        let place = |attr: &Attr| op.args.iter().position(|&operand| operand == attr.name).filter(|_| is_unknown(attr));
        let named = written.iter().filter_map(|attr| Some((place(attr)?, attr))).list();
        if let (Some((_, first)), Some((_, last))) = (named.first(), named.last()) {
            let mut in_order = named.clone();
            base::sort_by_key(&mut in_order, |(place, _)| *place);
            let parts = named.iter().zip(in_order).map(|((_, here), (_, attr))| Misplaced {
                name: attr.name.clone(),
                span: here.name_span.to(here.value_span),
                text: self.tree.text()[attr.value_span.range()].to_owned(),
            });
            let span = first.name_span.to(last.value_span);
            self.errors.push(HirError::Misplaced { op: op.name, parts: parts.list(), span, by: "place" });
            return None;
        }
        let is_missing = |spec: &&AttrSpec| {
            let is_argument = matches!(spec.form, AttrForm::Argument(_));
            !is_argument && spec.default.value().is_none() && written.iter().all(|attr| attr.name != spec.name)
        };
        // One that there is not for one that is missing is the same under another name.
        let only_missing = match &op.attrs.iter().filter(is_missing).list()[..] {
            [missing] if written.iter().count_where(|attr| is_unknown(attr)) == 1 => Some(missing.name),
            _ => None,
        };
        let mut meant: Vec<(&str, Option<&Attr>)> = Vec::new();
        for (i, attr) in written.iter().enumerate() {
            if let Some(first) = written[..i].iter().find(|other| other.name == attr.name) {
                let first = first.name_span;
                self.duplicate(Duplicated::Attribute, &attr.name, attr.name_span, first);
            }
            if is_unknown(attr) {
                let is_free = |name: &&str| written.iter().all(|attr| attr.name != *name);
                let called = op.attr_called(&attr.name).filter(is_free);
                let nearest = called.or_else(|| base::nearest(&attr.name, op.attrs.iter().map(|spec| spec.name)));
                let nearest = nearest.or(only_missing);
                // One that is only alike stands for no value.
                meant.append_all(nearest.map(|nearest| (nearest, called.map(|_| attr))));
                let (name, span, nearest) = (attr.name.clone(), attr.name_span, nearest.map(str::to_owned));
                self.errors.push(HirError::UnknownAttr { op: op.name, name, span, nearest });
            }
        }
        let mut n_meant = 0;
        for spec in op.attrs {
            let meant = meant.iter().find(|(name, _)| *name == spec.name).map(|&(_, attr)| attr);
            let found = written.iter().find(|attr| attr.name == spec.name);
            let value = match (found, spec.form) {
                (_, AttrForm::Argument(index)) => args.get(index).and_then(|&arg| self.constant_of(arg)),
                (Some(attr), form) => {
                    let none_allowed = match spec.default {
                        op::Default::None => true,
                        // Relay prints an array that there is not as `None`.
                        op::Default::Required => form != AttrForm::Int,
                        _ => false,
                    };
                    let is_unreadable =
                        matches!(&attr.value, AttrValue::Str(text) if &**text == UNREADABLE) && form != AttrForm::Any;
                    let is_none = none_allowed && matches!(attr.value, AttrValue::None);
                    if is_unreadable || !(form.admits(&attr.value) || is_none) {
                        let (span, want) = (attr.value_span, form.describe());
                        let text = &self.tree.text()[span.range()];
                        let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                        let meant = match form {
                            AttrForm::Str => (is_unreadable && is_word).then_some(text),
                            AttrForm::OneOf(words) => {
                                let given = base::trim(text, "\"");
                                let known = words.iter().find(|word| **word == given);
                                known.copied().or_else(|| base::nearest(given, words.iter().copied()))
                            }
                            _ => None,
                        };
                        let meant = meant.map(str::to_owned);
                        self.errors.push(match (&attr.value, form) {
                            (AttrValue::Str(dtype), AttrForm::Dtype) if &**dtype != UNREADABLE => {
                                let (name, kind) = (dtype.to_string(), Kind::BaseType);
                                HirError::UndefinedType { name, span, kind, nearest: None, declared: None }
                            }
                            _ => HirError::AttrValue { op: op.name, name: spec.name, span, want, meant },
                        });
                    }
                    let dtype = match &attr.value {
                        AttrValue::Str(name) if form == AttrForm::Dtype => ty::Dtype::parse(name),
                        _ => None,
                    };
                    Some(dtype.map_or_else(|| attr.value.clone(), |dtype| AttrValue::Str(dtype.name().into())))
                }
                // What was told of its name is all that is told.
                (None, form) if meant.is_some() => {
                    let is_none = |value: &AttrValue| {
                        matches!(value, AttrValue::None) && matches!(spec.default, op::Default::None)
                    };
                    let value = meant.flatten().map(|attr| attr.value.clone());
                    let value = value.filter(|value| form.admits(value) || is_none(value));
                    n_meant += usize::from(value.is_some());
                    value
                }
                (None, _) => match spec.default.value() {
                    Some(value) => Some(value),
                    None => {
                        self.errors.push(HirError::MissingAttr { op: op.name, name: spec.name, span: name_span });
                        None
                    }
                },
            };
            attrs.entries.push((spec.name, value.unwrap_or(AttrValue::None)));
            attrs.written.push(found.is_some());
        }
        (self.errors.len() == n_errors + n_meant).then(|| Arc::new(attrs))
    }

    fn constant_of(&self, expr: ExprId) -> Option<AttrValue> {
        match self.module.exprs[expr].kind {
            ExprKind::Literal(_, Scalar::Int(value)) => Some(AttrValue::Int(value)),
            ExprKind::Literal(_, Scalar::Float(value)) => Some(AttrValue::Float(value)),
            _ => None,
        }
    }
}
