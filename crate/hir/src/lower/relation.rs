//! `relation` items and `where` clauses.
//!
//! All clauses of all relations are read before anything else, so that a `where` clause may name a relation that stands
//! further down. The kinds of arguments and variables are found together: a variable has the kind that the first place
//! wants which wants one, an argument that of its patterns and of what is passed to it.
//!
//! What was read is made into clauses by `clause`.

use super::{Lowered, Lowering};
use crate::data::{TypeExprId, TypeExprKind, TypeParam, Where};
use crate::error::HirError;
use base::{Append, Edited, HashMap, HashSet, Span, ToList};
use std::sync::Arc;
use syntax::{Event, NodeId, NodeKind, TokenKind};
use ty::{Attrs, Comparison, Dtype, Function, Kind, ParamId, RelationRef, WrittenRelations};

base::idx!(
    /// A goal as written.
    GoalId,
    "goal"
);

/// The relations of the file while they are read.
#[derive(Default)]
pub(super) struct Relations {
    /// Relation items are being read.
    pub(super) reading: bool,
    pub(super) by_name: HashMap<String, usize>,
    /// By relation: the kinds of its arguments, as far as they are known.
    pub(super) kinds: Vec<Vec<Option<Kind>>>,
    goals: Vec<GoalSource>,
    /// By relation: the patterns of its first clause.
    heads: Vec<Vec<TypeExprId>>,
    /// Relations with an error in a clause.
    pub(super) broken: Vec<usize>,
    /// The relation whose clause is being built.
    pub(super) building: usize,
}

#[derive(Clone)]
pub(super) enum GoalSource {
    Never(Span),
    Equal(TypeExprId, TypeExprId, Span),
    Call(Call),
    If { condition: (Comparison, TypeExprId, TypeExprId), then: Vec<GoalId>, otherwise: Vec<GoalId>, span: Span },
}

#[derive(Clone)]
pub(super) struct Call {
    node: NodeId,
    name: String,
    name_span: Span,
    args: Vec<TypeExprId>,
    span: Span,
}

/// One clause as written.
pub(super) struct ClauseSource {
    pub(super) relation: usize,
    /// Its variables, in the order of their first mention.
    pub(super) variables: Vec<ParamId>,
    pub(super) head: Vec<TypeExprId>,
    pub(super) goals: Vec<GoalId>,
}

/// What a goal calls.
pub(super) enum Callee {
    Builtin(&'static ty::Relation),
    Written(usize),
}

/// What has a kind.
#[derive(Clone, Copy)]
enum Kinded {
    Variable(ParamId),
    Argument(usize, usize),
    Known(Kind),
    /// `(n, m)`: a type or a shape, as its parts have it.
    Tuple(TypeExprId),
    /// `()` is a type or a shape, `float32` a type or a dtype.
    Either,
}

impl Lowering<'_> {
    /// Reads every `relation` item.
    pub(super) fn lower_relations(&mut self) {
        let tree = self.tree;
        let items: Vec<NodeId> =
            tree.children(tree.root()).into_iter().filter(|&node| tree.kind(node) == NodeKind::RelationItem).list();
        if items.is_empty() {
            return;
        }
        let named: Vec<Option<usize>> = items.iter().map(|&item| self.declare_relation(item)).list();
        self.relations.reading = true;
        let mut sources: Vec<ClauseSource> = Vec::new();
        for (&item, relation) in items.iter().zip(named) {
            let (source, sound) = self.read_clause(item, relation);
            if !sound {
                self.relations.broken.append_all(self.relation_of(item));
            }
            sources.append_all(source.filter(|_| sound));
        }
        self.relations.reading = false;
        self.relations.heads = base::filled(Vec::new(), self.relations.kinds.len());
        for source in sources.iter().rev() {
            self.relations.heads[source.relation].clone_from(&source.head);
        }
        self.find_kinds(&sources);
        let sources: Vec<ClauseSource> = sources.into_iter().filter_map(|source| self.with_kinds(source)).list();
        self.check_termination(&sources);
        self.module.relations = Arc::new(WrittenRelations { relations: super::clause::build(self, &sources) });
    }

    /// Gives a relation its number at its first clause; `None` where its name is missing or a clause does not have as
    /// many arguments as the first.
    fn declare_relation(&mut self, item: NodeId) -> Option<usize> {
        let head = self.tree.child(item, NodeKind::RelationHead)?;
        let (name, span) = self.own_token(head, &[TokenKind::Ident])?;
        let n_args = self.tree.children(head).len();
        let next = self.relations.kinds.len();
        let index = *self.relations.by_name.entry(name.to_owned()).or_insert(next);
        if index == next {
            self.relations.kinds.push(base::filled(None, n_args));
            self.module.relation_spans.push(span);
        }
        let want = self.relations.kinds[index].len();
        if want != n_args {
            let first = Some(self.module.relation_spans[index]);
            self.errors.push(HirError::RelationArity { name: name.to_owned(), span, want, found: n_args, first });
            return None;
        }
        Some(index)
    }

    fn relation_of(&self, item: NodeId) -> Option<usize> {
        let head = self.tree.child(item, NodeKind::RelationHead)?;
        let (name, _) = self.own_token(head, &[TokenKind::Ident])?;
        self.relations.by_name.get(name).copied()
    }

    /// Lowers the parts of one clause, with its variables in scope; whether nothing in it was an error.
    fn read_clause(&mut self, item: NodeId, relation: Option<usize>) -> (Option<ClauseSource>, bool) {
        let tree = self.tree;
        let mark = self.type_params.len();
        let n_errors = self.errors.len();
        let variables = self.declare_names(item, &[]);
        let mut is_whole = true;
        for event in tree.walk(item) {
            match event {
                Event::Enter(node) => {
                    is_whole &= tree.kind(node) != NodeKind::Error;
                    self.enter(node);
                }
                Event::Leave(node) => self.leave(node),
            }
        }
        self.type_params.truncate(mark);
        let children = tree.children(item);
        let (Some(&head), Some(relation)) = (children.first(), relation) else { return (None, false) };
        let mut patterns = Vec::new();
        for node in tree.children(head) {
            let pattern = match tree.kind(node) {
                NodeKind::TypeParam => self.kinded_argument(node, &variables),
                _ => self.type_of(node),
            };
            patterns.push(pattern);
        }
        let goals = self.goals_of(&children[1..]);
        let source = ClauseSource { relation, variables, head: patterns, goals };
        (Some(source), is_whole && self.errors.len() == n_errors)
    }

    /// `N: Dim` as an argument.
    fn kinded_argument(&mut self, node: NodeId, variables: &[ParamId]) -> TypeExprId {
        let tree = self.tree;
        let span = tree.span(node);
        let words: Vec<_> = tree.own_tokens(node).filter(|&token| tree.token_kind(token) == TokenKind::Ident).list();
        let named =
            |cx: &Self, name: &str| variables.iter().copied().find(|&param| cx.module.type_params[param].name == name);
        let [name, kind] = words[..] else { return self.type_expr(TypeExprKind::Error, span) };
        let Some(param) = named(self, tree.token_text(name)) else { return self.type_expr(TypeExprKind::Error, span) };
        match Kind::parse(tree.token_text(kind)) {
            Some(kind) => {
                self.unkinded.remove(&param);
                self.module.type_params[param].kind = kind;
            }
            None => {
                let name = tree.token_text(kind).to_owned();
                self.errors.push(HirError::UnknownKind { name, span: tree.token_span(kind) });
            }
        }
        self.type_expr(TypeExprKind::Param(param), span)
    }

    /// Declares every name below a node that is no type, dtype or parameter in scope, and brings it into scope.
    fn declare_names(&mut self, root: NodeId, besides: &[&str]) -> Vec<ParamId> {
        let tree = self.tree;
        let mut found: Vec<ParamId> = Vec::new();
        let first = root.number() + 1 - tree.size(root);
        for node in (first..=root.number()).map(NodeId::numbered) {
            let (name, span) = match tree.kind(node) {
                NodeKind::NameType | NodeKind::DimName => (tree.node_text(node), tree.span(node)),
                NodeKind::TypeParam => match self.own_token(node, &[TokenKind::Ident]) {
                    Some(named) => named,
                    None => continue,
                },
                _ => continue,
            };
            let is_known = Dtype::parse(name).is_some()
                || self.adts.contains(name)
                || besides.contains(&name)
                || self.type_params.iter().any(|(other, _)| *other == name);
            if !is_known {
                let param = self.module.type_params.push(TypeParam { name: name.to_owned(), kind: Kind::Type, span });
                self.unkinded.insert(param);
                self.type_params.push((name, param));
                found.push(param);
            }
        }
        found
    }

    /// The names that only the `where` clause of a definition declares are its type parameters, too.
    pub(super) fn declare_implicit(&mut self, def: NodeId) {
        let tree = self.tree;
        let Some(clause) = tree.child(def, NodeKind::WhereClause) else { return };
        let mut written = Vec::new();
        if let Some(params) = tree.child(def, NodeKind::TypeParams) {
            let names =
                tree.children(params).into_iter().filter_map(|param| self.own_token(param, &[TokenKind::Ident]));
            written.append_all(names.map(|(name, _)| name));
        }
        // Without a list of its own, a definition declares what its signature names, too.
        let signature = tree.children(def).into_iter().filter(|&part| match tree.kind(part) {
            NodeKind::WhereClause => false,
            NodeKind::TypeParams | NodeKind::Block => false,
            _ => tree.child(def, NodeKind::TypeParams).is_none(),
        });
        let mut params = Vec::new();
        for part in signature.list() {
            params.append(&mut self.declare_names(part, &written));
        }
        params.append(&mut self.declare_names(clause, &written));
        self.function_mut().type_params = params;
    }

    // Goals

    pub(super) fn leave_goal(&mut self, node: NodeId, kind: NodeKind) -> Lowered {
        let children = self.tree.children(node);
        let span = self.tree.span(node);
        let goal = match kind {
            NodeKind::Equation => match children[..] {
                [left, right, ..] => GoalSource::Equal(self.type_of(left), self.type_of(right), span),
                _ => return Lowered::Nothing,
            },
            NodeKind::WhereRelation => {
                let Some((name, name_span)) = self.own_token(node, &[TokenKind::Ident]) else {
                    return Lowered::Nothing;
                };
                let args = children.into_iter().filter(|&child| self.tree.kind(child) != NodeKind::Attr);
                let args: Vec<TypeExprId> = args.map(|arg| self.type_of(arg)).list();
                match (name, args.as_slice()) {
                    ("true", []) => return Lowered::Nothing,
                    ("false", []) => GoalSource::Never(span),
                    _ => GoalSource::Call(Call { node, name: name.to_owned(), name_span, args, span }),
                }
            }
            _ => {
                let (Some(&condition), branches) = (children.first(), children.get(1..).unwrap_or(&[])) else {
                    return Lowered::Nothing;
                };
                let Some(condition) = self.condition(condition) else { return Lowered::Nothing };
                let branch = |cx: &Self, at: usize| match branches.get(at) {
                    Some(&block) if cx.tree.kind(block) == NodeKind::GoalIf => cx.goals_of(&[block]),
                    Some(&block) => cx.goals_of(&cx.tree.children(block)),
                    None => Vec::new(),
                };
                GoalSource::If { condition, then: branch(self, 0), otherwise: branch(self, 1), span }
            }
        };
        self.relations.goals.push(goal);
        Lowered::Goal(GoalId::numbered(self.relations.goals.len() as u32 - 1))
    }

    fn goals_of(&self, nodes: &[NodeId]) -> Vec<GoalId> {
        let goal = |&node: &NodeId| match self.lowered[node.number() as usize] {
            Lowered::Goal(goal) => Some(goal),
            Lowered::Nothing | Lowered::Expr(_) | Lowered::Let(..) | Lowered::Pat(_) | Lowered::Type(_) => None,
        };
        nodes.iter().filter_map(goal).list()
    }

    pub(super) fn goal(&self, id: GoalId) -> &GoalSource {
        &self.relations.goals[id.number() as usize]
    }

    // Kinds

    fn kinded(&self, mut id: TypeExprId) -> Kinded {
        let whole = id;
        while let TypeExprKind::If { then, .. } = self.module.type_exprs[id].kind {
            id = then;
        }
        match &self.module.type_exprs[id].kind {
            // No branch is a type.
            TypeExprKind::Scalar(_) if id != whole => Kinded::Known(Kind::BaseType),
            TypeExprKind::Param(param) if self.unkinded.contains(param) => Kinded::Variable(*param),
            TypeExprKind::Tuple(items) if items.is_empty() => Kinded::Either,
            TypeExprKind::Tuple(items) if items.iter().any(|&item| self.is_unkinded(item)) => Kinded::Tuple(id),
            TypeExprKind::Hole | TypeExprKind::Error | TypeExprKind::Scalar(_) => Kinded::Either,
            _ => Kinded::Known(self.place_kind(id)),
        }
    }

    /// Finds the kinds of all arguments and variables from what is equated with what.
    fn find_kinds(&mut self, sources: &[ClauseSource]) {
        let mut equations: Vec<(Kinded, Kinded)> = Vec::new();
        for source in sources {
            for (i, &pattern) in source.head.iter().enumerate() {
                equations.push((Kinded::Argument(source.relation, i), self.kinded(pattern)));
            }
        }
        // Both branches are of one kind.
        for one in self.module.type_exprs.iter() {
            if let TypeExprKind::If { then, otherwise, .. } = one.kind {
                equations.push((self.kinded(then), self.kinded(otherwise)));
            }
        }
        for goal in &self.relations.goals {
            match goal {
                GoalSource::Equal(left, right, _) => equations.push((self.kinded(*left), self.kinded(*right))),
                GoalSource::Call(call) => match self.relations.by_name.get(&call.name) {
                    Some(&relation) if self.relations.kinds[relation].len() == call.args.len() => {
                        for (i, &arg) in call.args.iter().enumerate() {
                            equations.push((Kinded::Argument(relation, i), self.kinded(arg)));
                        }
                    }
                    Some(_) => {}
                    None => {
                        if let [only] = op::relations_named(&call.name).as_slice() {
                            let kind = Kinded::Known(only.kind);
                            equations.append_all(call.args.iter().map(|&arg| (kind, self.kinded(arg))));
                        }
                    }
                },
                GoalSource::Never(_) | GoalSource::If { .. } => {}
            }
        }
        loop {
            let mut changed = false;
            equations.keep(|&(left, right)| {
                let (a, b) = (self.kind_so_far(left), self.kind_so_far(right));
                match (a, b) {
                    (Some(kind), None) => changed |= self.set_kind(right, kind),
                    (None, Some(kind)) => changed |= self.set_kind(left, kind),
                    _ => {}
                }
                // A tuple whose kind one part told tells the others.
                for side in [left, right] {
                    if let (Kinded::Tuple(_), Some(kind)) = (side, self.kind_so_far(side)) {
                        changed |= self.set_kind(side, kind);
                    }
                }
                a.is_none() && b.is_none()
            });
            if !changed {
                break;
            }
        }
        for source in sources {
            for &param in &source.variables {
                self.unkinded.remove(&param);
            }
        }
    }

    fn kind_so_far(&self, side: Kinded) -> Option<Kind> {
        match side {
            Kinded::Variable(param) => (!self.unkinded.contains(&param)).then(|| self.module.type_params[param].kind),
            Kinded::Argument(relation, index) => self.relations.kinds[relation][index],
            Kinded::Known(kind) => Some(kind),
            Kinded::Tuple(id) => {
                let TypeExprKind::Tuple(items) = &self.module.type_exprs[id].kind else { return None };
                let known = items.iter().find(|&&item| !self.is_unkinded(item))?;
                let is_dim = matches!(self.module.type_exprs[*known].kind, TypeExprKind::Splice(_))
                    || self.place_kind(*known) == Kind::Dim;
                Some(if is_dim { Kind::Shape } else { Kind::Type })
            }
            Kinded::Either => None,
        }
    }

    fn is_unkinded(&self, id: TypeExprId) -> bool {
        matches!(&self.module.type_exprs[id].kind, TypeExprKind::Param(param) if self.unkinded.contains(param))
    }

    /// Whether something has been learned.
    fn set_kind(&mut self, side: Kinded, kind: Kind) -> bool {
        match side {
            Kinded::Variable(param) => {
                let learned = self.unkinded.remove(&param);
                if learned {
                    self.module.type_params[param].kind = kind;
                }
                learned
            }
            Kinded::Argument(relation, index) => self.relations.kinds[relation][index].replace(kind).is_none(),
            Kinded::Tuple(id) => {
                let TypeExprKind::Tuple(items) = &self.module.type_exprs[id].kind else { return false };
                let part = if kind == Kind::Shape { Kind::Dim } else { Kind::Type };
                let mut changed = false;
                for item in items.clone() {
                    if let TypeExprKind::Param(param) = self.module.type_exprs[item].kind {
                        changed |= self.set_kind(Kinded::Variable(param), part);
                    }
                }
                changed
            }
            Kinded::Known(_) | Kinded::Either => false,
        }
    }

    /// The clause with every part as the kind of its place; `None` after an error.
    fn with_kinds(&mut self, mut source: ClauseSource) -> Option<ClauseSource> {
        let n_errors = self.errors.len();
        let n_patterns = source.head.len();
        for (i, pattern) in source.head.iter_mut().enumerate() {
            let kind = self.relations.kinds[source.relation][i].unwrap_or(Kind::Type);
            *pattern = self.coerce(*pattern, kind);
            // The last argument is no pattern, unless it is the only one.
            if n_patterns == 1 || i + 1 < n_patterns {
                self.check_splices(*pattern);
            }
        }
        let mut pending = source.goals.clone();
        while let Some(id) = pending.pop() {
            match self.goal(id).clone() {
                GoalSource::Equal(left, right, span) => {
                    let (left, right) = self.equal_kinds(left, right);
                    self.relations.goals[id.number() as usize] = GoalSource::Equal(left, right, span);
                }
                GoalSource::Never(_) | GoalSource::Call(_) => {}
                GoalSource::If { then, otherwise, .. } => pending.append_all(then.into_iter().chain(otherwise)),
            }
        }
        if self.errors.len() > n_errors {
            self.relations.broken.push(source.relation);
            return None;
        }
        Some(source)
    }

    /// A pattern has at most one splice in each shape: with two, where one ends is anybody's guess.
    fn check_splices(&mut self, pattern: TypeExprId) {
        let mut pending = vec![pattern];
        while let Some(id) = pending.pop() {
            let kind = &self.module.type_exprs[id].kind;
            if let TypeExprKind::Shape(items) = kind {
                let is_splice =
                    |&&item: &&TypeExprId| matches!(self.module.type_exprs[item].kind, TypeExprKind::Splice(_));
                if let Some(&second) = items.iter().filter(is_splice).nth(1) {
                    let span = self.module.type_exprs[second].span;
                    self.errors.push(HirError::DimFunction { span, want: "at most one `..` in a pattern".to_owned() });
                    return;
                }
            }
            self.module.type_exprs[id].kind.for_parts(|part| pending.push(part));
        }
    }

    fn equal_kinds(&mut self, left: TypeExprId, right: TypeExprId) -> (TypeExprId, TypeExprId) {
        let kind = match (self.kinded(left), self.kinded(right)) {
            (Kinded::Known(kind), _) | (_, Kinded::Known(kind)) => kind,
            _ => Kind::Type,
        };
        (self.coerce(left, kind), self.coerce(right, kind))
    }

    // `where`

    pub(super) fn leave_where(&mut self, node: NodeId) -> Lowered {
        let owner = self.open.last().map(|&owner| self.tree.kind(owner));
        if owner != Some(NodeKind::Def) {
            self.errors.push(HirError::WherePlace { span: self.tree.span(node) });
            return Lowered::Nothing;
        }
        let goals = self.goals_of(&self.tree.children(node));
        let n_goals = goals.len();
        let mut wheres = Vec::new();
        for goal in goals {
            let clause = match self.goal(goal).clone() {
                GoalSource::Equal(left, right, span) => {
                    let (left, right) = self.equal_kinds(left, right);
                    Some(Where { relation: None, args: vec![left, right], attrs: Attrs::none(), span })
                }
                GoalSource::Call(call) => self.where_relation(call),
                GoalSource::Never(span) => {
                    self.errors.push(HirError::UnknownRelation { name: "false".to_owned(), span, nearest: None });
                    None
                }
                GoalSource::If { span, .. } => {
                    self.errors.push(HirError::TypeIf { span });
                    None
                }
            };
            wheres.append_all(clause);
        }
        let params = self.function_mut().type_params.clone();
        for param in params {
            self.unkinded.remove(&param);
        }
        self.function_mut().has_lost_wheres = wheres.len() < n_goals;
        self.function_mut().wheres = wheres;
        Lowered::Nothing
    }

    fn where_relation(&mut self, call: Call) -> Option<Where> {
        let span = call.span;
        let (callee, args, attrs) = self.resolve_call(call)?;
        let relation = match callee {
            Callee::Builtin(relation) => RelationRef::Builtin(relation),
            Callee::Written(index) => {
                RelationRef::Written { all: self.module.relations.clone(), index, assumed: false }
            }
        };
        Some(Where { relation: Some(relation), args, attrs, span })
    }

    /// The relation that a goal names, its arguments as the kinds that it wants, and its attributes.
    pub(super) fn resolve_call(&mut self, call: Call) -> Option<(Callee, Vec<TypeExprId>, Arc<Attrs>)> {
        let Call { node, name, name_span, args, span } = call;
        let attr_nodes = self.tree.child(node, NodeKind::Attr);
        let n_errors = self.errors.len();
        if let Some(&index) = self.relations.by_name.get(&name) {
            let want = self.relations.kinds[index].len();
            if want != args.len() {
                let first = Some(self.module.relation_spans[index]);
                // How many arguments one with a mistake was to have, nobody knows.
                if !self.relations.broken.contains(&index) {
                    self.errors.push(HirError::RelationArity { name, span, want, found: args.len(), first });
                }
                return None;
            }
            if let Some(attr) = attr_nodes {
                self.errors.push(HirError::AttrOnFunction { span: self.tree.span(attr) });
            }
            let kinds = self.relations.kinds[index].clone();
            let coerced = args.iter().zip(kinds).enumerate().map(|(at, (&arg, kind))| match kind {
                Some(kind) => self.coerce(arg, kind),
                None => self.coerce_unsaid(arg, index, at),
            });
            let args = coerced.list();
            return (self.errors.len() == n_errors).then(|| (Callee::Written(index), args, Attrs::none()));
        }
        let candidates = op::relations_named(&name);
        if candidates.is_empty() {
            let nearest = base::nearest(&name, self.relations.by_name.keys().map(String::as_str));
            let nearest = nearest.or_else(|| base::nearest(&name, op::relation_names())).map(str::to_owned);
            self.errors.push(HirError::UnknownRelation { name, span: name_span, nearest });
            return None;
        }
        let written = self.written_attrs(node);
        let takes_written = |candidate: &op::NamedRelation| {
            let Some(row) = candidate.row else { return written.is_empty() };
            written.iter().all(|attr| row.attrs.iter().any(|spec| spec.name == attr.name))
        };
        let fits = |cx: &Self, candidate: &op::NamedRelation| {
            candidate.n_args == args.len()
                && args.iter().all(|&arg| match cx.kinded(arg) {
                    Kinded::Known(kind) => {
                        kind == candidate.kind || (kind, candidate.kind) == (Kind::BaseType, Kind::Type)
                    }
                    Kinded::Variable(_) | Kinded::Argument(..) | Kinded::Tuple(_) | Kinded::Either => true,
                })
        };
        let same_arity = |candidate: &&op::NamedRelation| candidate.n_args == args.len();
        let chosen = candidates.iter().find(|candidate| fits(self, candidate) && takes_written(candidate));
        let chosen = chosen.or_else(|| candidates.iter().find(|candidate| fits(self, candidate)));
        let Some(chosen) = chosen.or_else(|| candidates.iter().find(same_arity)) else {
            let want = candidates[0].n_args;
            self.errors.push(HirError::RelationArity { name, span, want, found: args.len(), first: None });
            return None;
        };
        let (relation, kind) = (chosen.relation, chosen.kind);
        let attrs = match (chosen.row, written.first()) {
            (Some(row), _) => self.checked_attrs(row, name_span, &[], &written)?,
            (None, Some(attr)) => {
                self.errors.push(HirError::AttrOnFunction { span: attr.name_span.to(attr.value_span) });
                return None;
            }
            (None, None) => Attrs::none(),
        };
        let args = args.into_iter().map(|arg| self.coerce(arg, kind)).list();
        (self.errors.len() == n_errors).then_some((Callee::Builtin(relation), args, attrs))
    }

    /// An argument whose kind nothing says, so that it is a type: another is told where to say so.
    fn coerce_unsaid(&mut self, arg: TypeExprId, relation: usize, at: usize) -> TypeExprId {
        let found = self.place_kind(arg);
        let head = self.relations.heads[relation].get(at).copied();
        if let (Kinded::Known(Kind::Dim | Kind::Shape), Some(head)) = (self.kinded(arg), head)
            && let TypeExprKind::Param(param) = self.module.type_exprs[head].kind
        {
            let (span, at) = (self.module.type_exprs[arg].span, self.module.type_exprs[head].span);
            let name = self.module.type_params[param].name.clone();
            self.errors.push(HirError::ParamKind { span, want: Kind::Type, found, name, at });
            return self.type_expr(TypeExprKind::Error, span);
        }
        self.coerce(arg, Kind::Type)
    }

    // Termination

    /// Every recursive call passes a proper part of a shape of the head, always in the same argument.
    fn check_termination(&mut self, sources: &[ClauseSource]) {
        let n = self.relations.kinds.len();
        let mut edges: Vec<Vec<usize>> = base::filled(Vec::new(), n);
        let mut calls: Vec<(usize, usize, Call)> = Vec::new();
        for (at, source) in sources.iter().enumerate() {
            let mut pending = source.goals.clone();
            while let Some(id) = pending.pop() {
                match self.goal(id).clone() {
                    GoalSource::Never(_) | GoalSource::Equal(..) => {}
                    GoalSource::If { then, otherwise, .. } => pending.append_all(then.into_iter().chain(otherwise)),
                    GoalSource::Call(call) => {
                        if let Some(&callee) = self.relations.by_name.get(&call.name) {
                            edges[source.relation].push(callee);
                            calls.push((at, callee, call));
                        }
                    }
                }
            }
        }
        let mut group_of = base::filled(0, n);
        for (group, members) in base::components(&edges).into_iter().enumerate() {
            members.into_iter().for_each(|member| group_of[member] = group);
        }
        let mut smaller: HashMap<usize, Vec<usize>> = HashMap::default();
        let mut told: HashSet<usize> = HashSet::default();
        for (at, callee, call) in &calls {
            let source = &sources[*at];
            let group = group_of[source.relation];
            if group != group_of[*callee] {
                continue;
            }
            // What is still to be found does not get smaller.
            let inputs = if source.head.len() > 1 { source.head.len() - 1 } else { 1 };
            let both = call.args.len().min(inputs).min(source.head.len());
            let places: Vec<usize> = (0..both).filter(|&i| self.is_smaller(call.args[i], source.head[i])).list();
            match smaller.get_mut(&group) {
                Some(known) => known.keep(|place| places.contains(place)),
                None => smaller.insert(group, places),
            }
            if smaller[&group].is_empty() && told.insert(group) {
                let (name, span) = (call.name.clone(), call.span);
                self.errors.push(HirError::RelationTermination { name, span });
                // What may go on for ever is not run.
                self.relations.broken.append_all((0..n).filter(|&relation| group_of[relation] == group));
            }
        }
    }

    /// Whether an argument is a proper part of the shape in a pattern.
    fn is_smaller(&self, arg: TypeExprId, pattern: TypeExprId) -> bool {
        let kind = |id: TypeExprId| &self.module.type_exprs[id].kind;
        match (kind(arg), kind(pattern)) {
            (TypeExprKind::Tensor { shape: arg, .. }, TypeExprKind::Tensor { shape: pattern, .. }) => {
                self.is_smaller_shape(*arg, *pattern)
            }
            _ => self.is_smaller_shape(arg, pattern),
        }
    }

    fn is_smaller_shape(&self, arg: TypeExprId, pattern: TypeExprId) -> bool {
        let kind = |id: TypeExprId| &self.module.type_exprs[id].kind;
        let is_param = |id: TypeExprId, want: ParamId| matches!(kind(id), TypeExprKind::Param(param) if *param == want);
        let only = |id: TypeExprId| match kind(id) {
            TypeExprKind::Shape(items) => match items.as_slice() {
                [item] => match kind(*item) {
                    TypeExprKind::Splice(inner) => *inner,
                    _ => id,
                },
                _ => id,
            },
            _ => id,
        };
        let (arg, pattern) = (only(arg), only(pattern));
        match (kind(arg), kind(pattern)) {
            (TypeExprKind::Apply { function: Function::Slice(from, to), args }, TypeExprKind::Param(param)) => {
                let proper = from.is_some_and(|from| from >= 1) || to.is_some_and(|to| to <= -1);
                proper && is_param(args[0], *param)
            }
            (TypeExprKind::Param(param), TypeExprKind::Shape(items)) => {
                let spliced =
                    |item: &TypeExprId| matches!(kind(*item), TypeExprKind::Splice(inner) if is_param(*inner, *param));
                items.len() >= 2 && items.iter().any(spliced)
            }
            _ => false,
        }
    }
}
