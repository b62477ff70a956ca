//! Expressions.

use super::{Lowered, Lowering};
use crate::data::{Arm, ExprId, ExprKind, Hole, LocalId, LocalOrigin, Place, Visit};
use crate::error::HirError;
use base::{Append, Span, Surface, ToList};
use syntax::{NodeId, NodeKind, TokenKind};
use ty::{Scalar, VariantId};

/// At most this many variables in scope are tried in the place of a hole, the latest.
const MAX_CANDIDATES: usize = 32;

impl Lowering<'_> {
    pub(super) fn leave_expr(&mut self, node: NodeId, kind: NodeKind) -> Lowered {
        let span = self.tree.span(node);
        let children = self.tree.children(node);
        let expr_kind = match kind {
            NodeKind::Block | NodeKind::Seq => return self.block(node, &children),
            NodeKind::Literal => {
                // The sign of a literal is part of it, so that `-128i8` is in range.
                if self.parent_kind() == Some(NodeKind::Unary) {
                    return Lowered::Nothing;
                }
                self.literal(node, false)
            }
            NodeKind::LocalRef | NodeKind::GraphRef => self.local_ref(self.tree.node_text(node), span),
            NodeKind::GlobalRef => self.global_ref(self.tree.node_text(node), span),
            NodeKind::NameRef => return self.name_ref(node, span),
            NodeKind::Hole => self.hole(span),
            NodeKind::Paren => {
                return children.first().map_or(Lowered::Nothing, |&inner| self.lowered[inner.number() as usize]);
            }
            NodeKind::Tuple => ExprKind::Tuple(children.into_iter().map(|field| self.expr_of(field)).list()),
            NodeKind::ListLit => self.tensor_literal(node),
            NodeKind::Variant => {
                let fields: Vec<ExprId> = children.into_iter().map(|field| self.expr_of(field)).list();
                match self.own_token(node, &[TokenKind::Ident]) {
                    Some((name, _)) => ExprKind::Variant(self.variant(name), fields),
                    None => ExprKind::Error,
                }
            }
            NodeKind::Fn => {
                let (body, result) = self.function_parts(node);
                ExprKind::Fn(self.close_function(body, result))
            }
            NodeKind::If => match children[..] {
                [cond, then, otherwise, ..] => ExprKind::If {
                    cond: self.expr_of(cond),
                    then: self.expr_of(then),
                    otherwise: self.expr_of(otherwise),
                },
                _ => ExprKind::Error,
            },
            NodeKind::Match => self.match_expr(node, &children),
            NodeKind::RefNew => match children.first() {
                Some(&value) => ExprKind::RefNew(self.expr_of(value)),
                None => ExprKind::Error,
            },
            NodeKind::RefRead | NodeKind::RefReadCall => match children.first() {
                Some(&reference) => ExprKind::RefRead(self.expr_of(reference)),
                None => ExprKind::Error,
            },
            NodeKind::RefWrite | NodeKind::RefWriteCall => match children[..] {
                [reference, value, ..] => {
                    ExprKind::RefWrite { reference: self.expr_of(reference), value: self.expr_of(value) }
                }
                _ => ExprKind::Error,
            },
            NodeKind::Call => return self.call(node, &children),
            NodeKind::Project => match (children.first(), self.own_token(node, &[TokenKind::Int])) {
                (Some(&base), Some((index, index_span))) => match base::parse_u32(index) {
                    Some(index) => ExprKind::Project { base: self.expr_of(base), index },
                    None => {
                        self.errors.push(HirError::LiteralRange { span: index_span, dtype: ty::Dtype::UInt32 });
                        ExprKind::Error
                    }
                },
                _ => ExprKind::Error,
            },
            NodeKind::Unary => return self.unary(node, &children, span),
            NodeKind::Pipe => return self.pipe(&children, span),
            _ => return self.binary(node, &children, span),
        };
        Lowered::Expr(self.expr(expr_kind, span))
    }

    /// The id of a variant's name.
    pub(super) fn variant(&mut self, name: &str) -> VariantId {
        if let Some(&variant) = self.variants.get(name) {
            return variant;
        }
        let variant = self.module.variants.push(name.to_owned());
        self.variants.insert(name.to_owned(), variant);
        variant
    }

    fn parent_kind(&self) -> Option<NodeKind> {
        self.open.last().map(|&parent| self.tree.kind(parent))
    }

    fn block(&mut self, node: NodeId, children: &[NodeId]) -> Lowered {
        self.scope.close();
        let Some((&tail, statements)) = children.split_last() else { return Lowered::Nothing };
        let mut lets: Vec<(Option<LocalId>, ExprId)> = Vec::new();
        for &statement in statements {
            match self.tree.kind(statement) {
                NodeKind::LetStmt | NodeKind::GraphStmt | NodeKind::Assign => {
                    let local = match self.lowered[statement.number() as usize] {
                        Lowered::Let(local, _) => Some(local),
                        Lowered::Nothing | Lowered::Expr(_) | Lowered::Pat(_) | Lowered::Type(_) | Lowered::Goal(_) => {
                            None
                        }
                    };
                    lets.push((local, self.expr_of(statement)));
                }
                NodeKind::ExprStmt => {
                    let value = self.tree.children(statement)[0];
                    lets.push((None, self.expr_of(value)));
                }
                _ => {}
            }
        }
        if lets.is_empty() {
            return Lowered::Expr(self.expr_of(tail));
        }
        let tail = self.expr_of(tail);
        Lowered::Expr(self.expr(ExprKind::Block { lets, tail }, self.tree.span(node)))
    }

    fn match_expr(&mut self, node: NodeId, children: &[NodeId]) -> ExprKind {
        let Some((&scrutinee, arms)) = children.split_first() else { return ExprKind::Error };
        let scrutinee = self.expr_of(scrutinee);
        let arms = arms.iter().filter(|&&arm| self.tree.kind(arm) == NodeKind::Arm);
        let arms: Vec<NodeId> = arms.copied().list();
        let arms = arms
            .into_iter()
            .filter_map(|arm| match self.tree.children(arm)[..] {
                [pat, body, ..] => Some(Arm { pat: self.pat_of(pat), body: self.expr_of(body) }),
                _ => None,
            })
            .list();
        let is_partial = self.tree.first_token(node, TokenKind::Question).is_some();
        ExprKind::Match { scrutinee, arms, is_partial }
    }

    // Names

    pub(super) fn local_ref(&mut self, name: &str, span: Span) -> ExprKind {
        match self.scope.get(name.strip_prefix('%').unwrap_or(name)) {
            Some(local) => ExprKind::Local(local, self.place(local)),
            None => {
                let names = if self.suggests() { self.scope.names() } else { Vec::new() };
                let sigil = if self.tree.surface() == Surface::Relay { "%" } else { "" };
                let nearest = base::nearest(base::trim_start(name, "%"), names).map(|name| format!("{sigil}{name}"));
                let nearest = self.quotient(name).or(nearest);
                // A variant of refine is a name that begins with a capital.
                let variant = capitalised(name);
                let is_variant = variant == "True" || variant == "False" || self.variants.contains_key(&variant);
                let as_variant = || (self.tree.surface() == Surface::Refine && is_variant).then_some(variant);
                let nearest = nearest.or_else(as_variant);
                self.errors.push(HirError::UnboundVariable { name: name.to_owned(), span, nearest });
                ExprKind::Error
            }
        }
    }

    /// A `/` is a letter of names: `%x/2` is one, and most often a quotient is meant.
    fn quotient(&self, name: &str) -> Option<String> {
        let (dividend, divisor) = name.split_at(base::find(name, "/")?);
        self.scope.get(base::trim_start(dividend, "%"))?;
        let divisor = base::trim_start(&divisor[1..], "%");
        let is_number = divisor.as_bytes().first()?.is_ascii_digit() && base::find(divisor, "/").is_none();
        if !is_number {
            self.scope.get(divisor)?;
        }
        Some(format!("{dividend} / {}{divisor}", if is_number { "" } else { "%" }))
    }

    /// `_`: an expression of unknown type.
    fn hole(&mut self, span: Span) -> ExprKind {
        let in_scope = self.scope.latest(MAX_CANDIDATES);
        let hole = self.unknown("_", span);
        if let ExprKind::Local(local, _) = hole {
            self.module.holes.push(Hole { local, in_scope });
        }
        hole
    }

    /// What stands where there is no expression and its place says what type is wanted.
    pub(super) fn unknown(&mut self, name: &str, span: Span) -> ExprKind {
        let local = self.new_local(name, span, LocalOrigin::Hole);
        ExprKind::Local(local, Place::Own(self.module.locals[local].slot))
    }

    /// Where the running function finds a variable: every function between its owner and here captures it.
    fn place(&mut self, local: LocalId) -> Place {
        let owner = self.module.locals[local].owner;
        if self.module.locals[local].origin == LocalOrigin::TopLevel {
            self.function_mut().uses_lets.push(local);
            return Place::TopLevel;
        }
        let slot_in = |cx: &Self, open: &super::OpenFunction| match cx.module.functions[open.id].self_local {
            Some((own, slot)) if own == local => Some(slot),
            _ if open.id == owner => Some(cx.module.locals[local].slot),
            _ => None,
        };
        let holder = self.functions.iter().rposition(|open| slot_in(self, open).is_some());
        let Some(holder) = holder else { return Place::TopLevel };
        let mut place = Place::Own(slot_in(self, &self.functions[holder]).expect("the holder has the variable"));
        for open in &mut self.functions[holder + 1..] {
            let captures = &mut self.module.functions[open.id].captures;
            let index = *open.captured.entry(local).or_insert_with(|| {
                captures.push((local, place));
                captures.len() as u32 - 1
            });
            place = Place::Captured(index);
        }
        place
    }

    fn global_ref(&mut self, name: &str, span: Span) -> ExprKind {
        match self.defs.get(name) {
            Some(def) => {
                self.function_mut().uses_defs.push(def);
                ExprKind::Def(def)
            }
            None => {
                let nearest = self.nearest(name, &self.defs);
                self.errors.push(HirError::UndefinedGlobal { name: name.to_owned(), span, nearest });
                ExprKind::Error
            }
        }
    }

    /// Whether a node is what a call calls, or the right side of a pipe.
    fn is_callee(&self, node: NodeId) -> bool {
        let Some(&parent) = self.open.last() else { return false };
        match self.tree.kind(parent) {
            NodeKind::Call => self.tree.span(parent).start == self.tree.span(node).start,
            NodeKind::Pipe => self.tree.children_rev(parent).next() == Some(node),
            _ => false,
        }
    }

    /// A bare name: a variable written without a sigil, a constructor, an operator, or a `def` without its `@`.
    fn name_ref(&mut self, node: NodeId, span: Span) -> Lowered {
        let name = self.tree.node_text(node);
        let is_callee = self.is_callee(node);
        let kind = if self.scope.get(name).is_some_and(|local| !self.module.local_name(local).starts_with('%')) {
            self.local_ref(name, span)
        } else if let Some(ctor) = self.ctors.get(name) {
            let constructor = ExprKind::Ctor(ctor);
            if !is_callee && self.module.ctors[ctor].fields.is_empty() {
                // A constructor without fields is called for you.
                let callee = self.expr(constructor, span);
                ExprKind::Call { callee, type_args: None, args: Vec::new() }
            } else {
                constructor
            }
        } else if let Some(op) = op::by_name(name) {
            if is_callee {
                return Lowered::Expr(self.unvisited_expr(ExprKind::Op(op), span));
            }
            ExprKind::Op(op)
        } else if self.defs.contains(&format!("@{name}")) {
            self.global_ref(&format!("@{name}"), span)
        } else if self.scope.get(name).is_some() {
            self.errors.push(HirError::MissingSigil { name: name.to_owned(), span });
            self.local_ref(name, span)
        } else if let Some(&(_, param)) = self.type_params.iter().rev().find(|(other, _)| *other == name) {
            let kind = self.module.type_params[param].kind;
            self.errors.push(HirError::TypeParamAsValue { name: name.to_owned(), kind, span });
            ExprKind::Error
        } else if !self.suggests() {
            self.errors.push(HirError::UnknownName { name: name.to_owned(), span, nearest: None });
            ExprKind::Error
        } else {
            // Numbers without their suffix.
            let is_number = self.tree.surface() == Surface::Relay && matches!(name, "nan" | "inf");
            let nearest = if is_number { Some(format!("{name}f")) } else { self.nearest_value(node, name) };
            self.errors.push(HirError::UnknownName { name: name.to_owned(), span, nearest });
            ExprKind::Error
        };
        Lowered::Expr(self.expr(kind, span))
    }

    /// What a misspelt name may be: where it is called, first what could be called so.
    fn nearest_value(&self, node: NodeId, name: &str) -> Option<String> {
        if let Some(&own) = op::called(name).first() {
            return Some(own.to_owned());
        }
        if op::made_of(name).is_some() {
            return None;
        }
        // A variant without its sign.
        let (text, variant) = (self.tree.text(), format!("`{name}"));
        // In a comment a name may stand between two.
        let ends = |at: usize| !text[at + variant.len()..].starts_with(|c| base::is_in_name(c) || c == '`');
        if base::all_places(text, &variant).into_iter().any(ends) {
            return Some(variant);
        }
        let defs = self.defs.names().map(|name| base::trim_start(name, "@"));
        let mut own: Vec<&str> = self.ctors.names().chain(defs).list();
        base::sort(&mut own);
        let operators = op::all().iter().map(|row| row.name);
        let called = self.called_with(node).and_then(|(n_values, attrs)| {
            let fits = |row: &&&op::Op| {
                let has = |attr: &&str| row.attrs.iter().any(|spec| spec.name == *attr);
                row.args.len() == n_values && attrs.iter().all(has)
            };
            let mut names = op::all().iter().filter(fits).map(|row| row.name).list();
            base::sort(&mut names);
            // Functions and constructors have no attributes.
            if attrs.is_empty() {
                names.append_all((n_values == 1).then_some("ref"));
                names.append_all(own.iter().copied());
            }
            base::nearest(name, names)
        });
        if let Some(called) = called {
            return Some(called.to_owned());
        }
        let mut names = own.iter().copied().chain(operators).chain(["True", "False", "ref_read", "ref_write"]).list();
        base::sort(&mut names);
        // Of names equally near, a variable's is the likelier.
        let nearest = base::nearest(name, self.scope.names().into_iter().chain(names))?;
        Some(self.scope.get(nearest).map_or(nearest, |local| self.module.local_name(local)).to_owned())
    }

    /// How many values the call of a name is given, and the names of its attributes. `None`: it is not called.
    fn called_with(&self, callee: NodeId) -> Option<(usize, Vec<&str>)> {
        let &call = self.open.last().filter(|_| self.is_callee(callee))?;
        let args = self.tree.children(self.tree.child(call, NodeKind::ArgList)?);
        let (attrs, values): (Vec<NodeId>, Vec<NodeId>) =
            args.into_iter().partition(|&arg| self.tree.kind(arg) == NodeKind::Attr);
        let name = |&attr: &NodeId| base::trim_end(base::before(self.tree.node_text(attr), "="), " ");
        Some((values.len() + usize::from(self.is_pipe_stage(call)), attrs.iter().map(name).list()))
    }

    // Operators

    fn unary(&mut self, node: NodeId, children: &[NodeId], span: Span) -> Lowered {
        let Some(&operand) = children.first() else { return Lowered::Nothing };
        if self.tree.kind(operand) == NodeKind::Literal {
            // `--3` is 3: each minus before a number turns its sign.
            let kind = self.literal(operand, true);
            return Lowered::Expr(self.expr(kind, span));
        }
        let operand = self.expr_of(operand);
        if let ExprKind::Literal(dtype, scalar) = self.module.exprs[operand].kind
            && self.tree.kind(children[0]) == NodeKind::Unary
        {
            let negated = match scalar {
                Scalar::Float(value) => Scalar::Float(-value),
                Scalar::Int(value) => Scalar::Int(value.wrapping_neg()),
            };
            return Lowered::Expr(self.expr(ExprKind::Literal(dtype, negated), span));
        }
        let op = op::by_name("negative").expect("a row of its own");
        let name_span = self.own_token(node, &[TokenKind::Minus]).map_or(span, |(_, span)| span);
        Lowered::Expr(self.op_call(op, name_span, vec![operand], &[], span))
    }

    fn binary(&mut self, node: NodeId, children: &[NodeId], span: Span) -> Lowered {
        let &[left, right, ..] = children else { return Lowered::Nothing };
        let (left, right) = (self.expr_of(left), self.expr_of(right));
        let tree = self.tree;
        if tree.surface() == Surface::TensorScript {
            self.as_scale(left, Some(right));
            self.as_scale(right, Some(left));
        }
        let operator = tree.own_tokens(node).find(|&token| !tree.token_kind(token).is_trivia());
        let Some(operator) = operator else { return Lowered::Nothing };
        if let Some(computed) = self.of_dims(left, tree.token_text(operator), right) {
            return Lowered::Expr(self.expr(computed, span));
        }
        let found = match tree.token_text(operator) {
            // TensorScript's, with the sign of the divisor as in Python.
            "%" => op::by_name("floor_mod"),
            // These are none, and have been told.
            "&" => op::by_name("logical_and"),
            "|" => op::by_name("logical_or"),
            text => op::by_infix(text),
        };
        match found {
            Some(op) => Lowered::Expr(self.op_call(op, tree.token_span(operator), vec![left, right], &[], span)),
            None => Lowered::Nothing,
        }
    }

    /// `x |> f(y)` is `f(x, y)`, `x |> f` is `f(x)`.
    fn pipe(&mut self, children: &[NodeId], span: Span) -> Lowered {
        let &[left, right, ..] = children else { return Lowered::Nothing };
        let (argument, stage) = (self.expr_of(left), self.expr_of(right));
        let stage_kind = self.tree.kind(right);
        if stage_kind == NodeKind::Call
            && let ExprKind::Call { args, .. } | ExprKind::OpCall { args, .. } = &mut self.module.exprs[stage].kind
        {
            args.insert(0, argument);
            self.module.exprs[stage].span = span;
            self.module.visits.push(Visit::Expr(stage));
            return Lowered::Expr(stage);
        }
        if let ExprKind::Op(op) = self.module.exprs[stage].kind {
            let name_span = self.module.exprs[stage].span;
            return Lowered::Expr(self.op_call(op, name_span, vec![argument], &[], span));
        }
        let call = ExprKind::Call { callee: stage, type_args: None, args: vec![argument] };
        Lowered::Expr(self.expr(call, span))
    }
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}
