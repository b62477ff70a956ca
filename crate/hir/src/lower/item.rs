//! Items: declarations first, bodies as the walk reaches them.

use super::{Lowered, Lowering, OpenFunction};
use crate::data::{
    Adt, Ctor, CtorId, Def, DefId, ExprId, ExprKind, FnId, Function, Item, Local, LocalId, LocalOrigin, NO_FUNCTION,
    TypeExprId, TypeParam, Visit,
};
use crate::error::{Duplicated, HirError};
use base::{Append, Edited, HashMap, Span, Surface, ToList};
use std::borrow::Cow;
use syntax::{NodeId, NodeKind, TokenKind};
use ty::{AdtId, Kind, ParamId};

impl<'t> Lowering<'t> {
    /// Gives every definition, type and constructor its id, so that they may be used before they are defined.
    pub(super) fn declare(&mut self) {
        for node in self.tree.children(self.tree.root()) {
            match self.tree.kind(node) {
                NodeKind::Def => {
                    let named = self.own_token(node, &[TokenKind::Global, TokenKind::Ident]);
                    let (name, name_span) = named.unwrap_or(("", self.tree.span(node)));
                    // That the sigil is missing is told by the parser.
                    let is_bare = !name.is_empty() && !name.starts_with('@');
                    let name = if is_bare { Cow::Owned(format!("@{name}")) } else { Cow::Borrowed(name) };
                    let next = DefId::numbered(self.next_def);
                    self.next_def += 1;
                    if let Some(first) = self.defs.own(&name) {
                        let first = self.module.defs[first].name_span;
                        self.duplicate(Duplicated::Definition, &name, name_span, first);
                    } else if !name.is_empty() {
                        self.defs.insert(name.clone(), next);
                    }
                    // The function is the next one entered for this definition; it is filled in then.
                    self.module.defs.push(Def { name: name.into_owned(), name_span, function: NO_FUNCTION });
                }
                NodeKind::TypeDef | NodeKind::ExternType => self.declare_type(node),
                _ => {}
            }
        }
        self.declare_nets();
        let start = self.module.start;
        (self.next_def, self.next_adt, self.next_ctor) = (start.defs as u32, start.adts as u32, start.ctors as u32);
    }

    fn declare_type(&mut self, node: NodeId) {
        let (name, name_span) = self.own_token(node, &[TokenKind::Ident]).unwrap_or(("", self.tree.span(node)));
        let is_extern = self.tree.kind(node) == NodeKind::ExternType;
        let adt = self.module.adts.push(Adt {
            name: name.to_owned(),
            name_span,
            params: Vec::new(),
            ctors: Vec::new(),
            is_extern,
        });
        let declared = self.adts.own(name);
        if let Some(first) = declared {
            let first = self.module.adts[first].name_span;
            self.duplicate(Duplicated::Type, name, name_span, first);
        } else if name == "Tensor" || ty::Dtype::parse(name).is_some() {
            self.errors.push(HirError::BuiltInType { name: name.to_owned(), span: name_span });
        } else if !name.is_empty() {
            self.adts.insert(name, adt);
        }
        if let Some(params) = self.tree.child(node, NodeKind::TypeParams) {
            self.module.adts[adt].params = self.declare_type_params(params);
        }
        for ctor_node in self.tree.children(node).into_iter().filter(|&n| self.tree.kind(n) == NodeKind::Ctor) {
            let (name, name_span) =
                self.own_token(ctor_node, &[TokenKind::Ident]).unwrap_or(("", self.tree.span(ctor_node)));
            let ctor = self.module.ctors.push(Ctor {
                name: name.to_owned(),
                name_span,
                adt,
                fields: Vec::new(),
                result_span: None,
            });
            if let Some(first) = self.ctors.own(name) {
                let first = &self.module.ctors[first];
                // Of a type that is declared twice, that says enough.
                if declared.is_none_or(|declared| declared != first.adt) {
                    self.duplicate(Duplicated::Constructor, name, name_span, first.name_span);
                }
            } else if !name.is_empty() {
                self.ctors.insert(name, ctor);
            }
            self.module.adts[adt].ctors.push(ctor);
            // How many fields there are must be known before any use.
            let n_fields = self.tree.child(ctor_node, NodeKind::CtorFields).map_or(0, |f| self.tree.children(f).len());
            let error = crate::data::TypeExprKind::Error;
            let placeholder = self.type_expr(error, name_span);
            self.module.ctors[ctor].fields = base::filled(placeholder, n_fields);
        }
    }

    pub(super) fn duplicate(&mut self, what: Duplicated, name: &str, span: Span, first: Span) {
        self.errors.push(HirError::Duplicate { what, name: name.to_owned(), span, first });
    }

    fn declare_type_params(&mut self, list: NodeId) -> Vec<ParamId> {
        let mut params: Vec<ParamId> = Vec::new();
        let mut spans: HashMap<&str, Span> = HashMap::default();
        for node in self.tree.children(list) {
            let tree = self.tree;
            let mut words = tree.own_tokens(node).filter(|&token| tree.token_kind(token) == TokenKind::Ident);
            let Some(name) = words.next() else { continue };
            let span = tree.token_span(name);
            let name = tree.token_text(name);
            let kind = words.next().map_or(Some(Kind::Type), |kind| {
                let parsed = Kind::parse(tree.token_text(kind));
                if parsed.is_none() {
                    let name = tree.token_text(kind).to_owned();
                    self.errors.push(HirError::UnknownKind { name, span: tree.token_span(kind) });
                }
                parsed
            });
            let first = *spans.entry(name).or_insert(span);
            if first != span {
                self.duplicate(Duplicated::TypeParameter, name, span, first);
            }
            let is_known = kind.is_some();
            let kind = kind.unwrap_or(Kind::Type);
            let param = self.module.type_params.push(TypeParam { name: name.to_owned(), kind, span });
            if !is_known {
                self.kindless.insert(param);
            }
            params.push(param);
        }
        params
    }

    /// Brings the type parameters of the open function, type or function type into scope.
    pub(super) fn bind_type_params(&mut self, node: NodeId) -> Lowered {
        let owner = self.open.last().copied();
        let params = match owner.map(|owner| self.tree.kind(owner)) {
            Some(NodeKind::TypeDef | NodeKind::ExternType) => {
                self.module.adts[AdtId::numbered(self.next_adt)].params.clone()
            }
            Some(NodeKind::Def | NodeKind::Fn) => {
                let params = self.declare_type_params(node);
                // Those that only a `where` clause names come behind.
                self.function_mut().type_params.put_first(params.clone());
                params
            }
            _ => self.declare_type_params(node),
        };
        for param in params {
            let span = self.module.type_params[param].span;
            let name = &self.tree.text()[span.range()];
            self.type_params.push((name, param));
        }
        Lowered::Nothing
    }

    pub(super) fn close_type_params(&mut self) {
        let mark = self.type_param_marks.pop().unwrap_or(0);
        self.type_params.truncate(mark);
    }

    pub(super) fn leave_type_def(&mut self, node: NodeId) -> Lowered {
        self.tell_undefined(node);
        let adt = AdtId::numbered(self.next_adt);
        self.next_adt += 1;
        self.close_type_params();
        self.module.items.push(Item::Adt(adt));
        Lowered::Nothing
    }

    pub(super) fn leave_ctor(&mut self, node: NodeId) -> Lowered {
        let ctor = CtorId::numbered(self.next_ctor);
        self.next_ctor += 1;
        if let Some(fields) = self.tree.child(node, NodeKind::CtorFields) {
            let fields = self.tree.children(fields);
            let fields = fields.into_iter().map(|field| self.type_at(field, Kind::Type)).list();
            self.module.ctors[ctor].fields = fields;
        }
        // Relay's manual writes the result without its arguments: `Some : (a) -> Optional`.
        if let Some(result) = self.tree.child(node, NodeKind::CtorResult) {
            let (tree, want) = (self.tree, &self.module.adts[self.module.ctors[ctor].adt].name);
            let name = tree.tokens(result).find(|&token| tree.token_kind(token) == TokenKind::Ident);
            let span = name.filter(|&name| tree.token_text(name) == want).map(|name| tree.token_span(name));
            if span.is_none() && !want.is_empty() {
                self.errors.push(HirError::ConstructorResult { span: tree.span(result), want: want.clone() });
            }
            self.module.ctors[ctor].result_span = span;
        }
        Lowered::Nothing
    }

    // Functions

    pub(super) fn enter_function(&mut self, node: NodeId) {
        self.type_param_marks.push(self.type_params.len());
        self.scope.open();
        let recursive = self.let_bound_function(node);
        let id = self.module.functions.push(Function {
            span: self.tree.span(node),
            type_params: Vec::new(),
            params: Vec::new(),
            result: None,
            wheres: Vec::new(),
            has_lost_wheres: false,
            body: crate::data::ExprId::numbered(u32::MAX - 1),
            visits: 0..0,
            n_locals: u32::from(recursive.is_some()),
            captures: Vec::new(),
            uses_defs: Vec::new(),
            uses_lets: Vec::new(),
            self_local: recursive.map(|local| (local, 0)),
        });
        let visits_from = self.module.visits.len();
        self.functions.push(OpenFunction { id, captured: HashMap::default(), visits_from });
        if let NodeKind::LetItem = self.tree.kind(node) {
            self.enter_let(node);
        }
    }

    /// The variable of the `let` whose value this `fn` is.
    fn let_bound_function(&self, node: NodeId) -> Option<LocalId> {
        let mut ancestors = self.open.iter().rev().skip(1);
        let parent = ancestors.find(|&&ancestor| self.tree.kind(ancestor) != NodeKind::Paren)?;
        let local = *self.recursive_lets.get(parent)?;
        let is_nested = self.module.locals[local].origin != LocalOrigin::TopLevel;
        (is_nested && self.tree.kind(node) == NodeKind::Fn).then_some(local)
    }

    /// Closes the innermost function around its body.
    pub(super) fn close_function(&mut self, body: NodeId, result: Option<NodeId>) -> FnId {
        let body = self.expr_of(body);
        let result = result.map(|result| self.type_at(result, Kind::Type));
        self.close_function_with(body, result)
    }

    pub(super) fn close_function_with(&mut self, body: ExprId, result: Option<TypeExprId>) -> FnId {
        let open = self.functions.pop().expect("every function that is left was entered");
        let visits = open.visits_from..self.module.visits.len();
        let function = &mut self.module.functions[open.id];
        function.body = body;
        function.result = result;
        function.visits = visits;
        // What an inner function uses its outer ones use too, since they are checked together.
        let (defs, lets) = (function.uses_defs.clone(), function.uses_lets.clone());
        if let Some(outer) = self.functions.last() {
            let outer = &mut self.module.functions[outer.id];
            outer.uses_defs.append_all(defs);
            outer.uses_lets.append_all(lets);
        }
        self.scope.close();
        self.close_type_params();
        open.id
    }

    /// The body and the result type of a `def` or `fn`.
    pub(super) fn function_parts(&self, node: NodeId) -> (NodeId, Option<NodeId>) {
        let children = self.tree.children(node);
        let body = *children.last().expect("a function has a body or an error in its place");
        let result = children[..children.len() - 1].iter().copied().find(|&child| {
            !matches!(self.tree.kind(child), NodeKind::TypeParams | NodeKind::ParamList | NodeKind::WhereClause)
        });
        (body, result)
    }

    pub(super) fn leave_def(&mut self, node: NodeId) -> Lowered {
        let (body, result) = self.function_parts(node);
        let function = self.close_function(body, result);
        self.tell_undefined(node);
        let def = DefId::numbered(self.next_def);
        self.next_def += 1;
        self.module.defs[def].function = function;
        self.module.items.push(Item::Def(def));
        Lowered::Nothing
    }

    pub(super) fn bind_params(&mut self, node: NodeId) -> Lowered {
        let mut params: Vec<LocalId> = Vec::new();
        let mut spans: HashMap<&str, Span> = HashMap::default();
        for param in self.tree.children(node) {
            if self.tree.kind(param) != NodeKind::Param {
                continue;
            }
            let Some((name, span)) = self.own_token(param, &[TokenKind::Local, TokenKind::Ident]) else { continue };
            let first = *spans.entry(name).or_insert(span);
            if first != span && name != "_" {
                self.duplicate(Duplicated::Parameter, name, span, first);
            }
            let annotation = self.tree.children(param).first().copied();
            let annotation = annotation.map(|annotation| self.type_at(annotation, Kind::Type));
            let local = self.new_local(name, span, LocalOrigin::Param);
            self.module.locals[local].annotation = annotation;
            self.bind_local(local);
            params.push(local);
        }
        self.function_mut().params = params;
        Lowered::Nothing
    }

    // Variables

    pub(super) fn new_local(&mut self, name: &str, span: Span, origin: LocalOrigin) -> LocalId {
        let owner = self.current_function();
        let slot = self.module.functions[owner].n_locals;
        self.module.functions[owner].n_locals += 1;
        let name = self.module.add_local_name(name);
        self.module.locals.push(Local { name, span, annotation: None, origin, shares: None, owner, slot })
    }

    /// Brings a variable into scope. `x` written without a sigil is found as `%x` too.
    pub(super) fn bind_local(&mut self, local: LocalId) {
        let tree = self.tree;
        let name = &tree.text()[self.module.locals[local].span.range()];
        // What has no name cannot be named.
        if name == "_" {
            return;
        }
        self.scope.bind(name.strip_prefix('%').unwrap_or(name), local);
    }

    /// A `let` of a function literal is in scope in its own value.
    pub(super) fn enter_let(&mut self, node: NodeId) {
        let Some(&value) = self.tree.children_rev(node).next().as_ref() else { return };
        let mut value = value;
        while self.tree.kind(value) == NodeKind::Paren {
            let Some(inner) = self.tree.children_rev(value).next() else { return };
            value = inner;
        }
        if self.tree.kind(value) != NodeKind::Fn {
            return;
        }
        let Some((name, span)) = self.own_token(node, &[TokenKind::Local, TokenKind::Ident]) else { return };
        let local = self.let_local(node, name, span);
        self.bind_local(local);
        self.recursive_lets.insert(node, local);
    }

    fn let_local(&mut self, node: NodeId, name: &str, span: Span) -> LocalId {
        match self.tree.kind(node) {
            NodeKind::LetItem | NodeKind::GraphItem => self.new_local(name, span, LocalOrigin::TopLevel),
            _ => self.new_local(name, span, LocalOrigin::Let),
        }
    }

    /// The variable of a `let`, with its annotation; in scope from here on.
    fn finish_let(&mut self, node: NodeId) -> Option<LocalId> {
        let kinds = [TokenKind::Local, TokenKind::Graph, TokenKind::Ident];
        let (name, span) = self.own_token(node, &kinds)?;
        let early = self.recursive_lets.get(&node).copied();
        let local = early.unwrap_or_else(|| self.let_local(node, name, span));
        let children = self.tree.children(node);
        if let [annotation, _value] = children[..] {
            self.module.locals[local].annotation = Some(self.type_at(annotation, Kind::Type));
        }
        if early.is_none() {
            self.bind_local(local);
        }
        Some(local)
    }

    pub(super) fn leave_let(&mut self, node: NodeId) -> Lowered {
        let value = self.tree.children_rev(node).next().expect("a `let` has a value or an error in its place");
        let value = self.expr_of(value);
        if self.lacks_let(node)
            && let Some(local) = self.finish_let(node)
        {
            self.bind_to_error(local);
            return Lowered::Expr(value);
        }
        // The enclosing block collects them.
        match self.finish_let(node) {
            Some(local) => {
                self.module.visits.push(Visit::Let(local, value));
                Lowered::Let(local, value)
            }
            None => Lowered::Expr(value),
        }
    }

    /// Whether this is `%x = e` where `%x` is there already: who knows what was meant by it.
    fn lacks_let(&self, node: NodeId) -> bool {
        let is_let = self.tree.kind(node) == NodeKind::LetStmt && self.tree.surface() == Surface::Relay;
        let known = |(name, _): (&str, Span)| self.scope.get(base::trim_start(name, "%")).is_some();
        is_let
            && self.tree.first_token(node, TokenKind::KwLet).is_none()
            && !self.recursive_lets.contains_key(&node)
            && self.own_token(node, &[TokenKind::Local]).is_some_and(known)
    }

    /// Nothing is known of a variable, and nothing wrong with its uses.
    pub(super) fn bind_to_error(&mut self, local: LocalId) {
        let span = self.module.locals[local].span;
        let unknown = self.expr(ExprKind::Error, span);
        self.bind_local(local);
        self.module.visits.push(Visit::Let(local, unknown));
    }

    pub(super) fn leave_let_item(&mut self, node: NodeId) -> Lowered {
        let value = self.tree.children_rev(node).next().expect("a `let` has a value or an error in its place");
        let local = self.finish_let(node);
        let function = self.close_function(value, None);
        if let Some(local) = local {
            // Closing the function's scope ended the variable's; at top level it goes on.
            self.bind_local(local);
            self.module.items.push(Item::Let(local, function));
        }
        Lowered::Nothing
    }

    pub(super) fn leave_expr_item(&mut self, node: NodeId) -> Lowered {
        let value = self.tree.children(node)[0];
        let function = self.close_function(value, None);
        // What could not be read is no expression.
        if self.tree.kind(value) != NodeKind::Error {
            self.module.items.push(Item::Expr(function));
        }
        Lowered::Nothing
    }

    pub(super) fn leave_free_var(&mut self, node: NodeId) -> Lowered {
        if let Some((name, span)) = self.own_token(node, &[TokenKind::Local, TokenKind::Ident]) {
            let local = match self.functions.is_empty() {
                true => {
                    let (origin, owner) = (LocalOrigin::Free, NO_FUNCTION);
                    let name = self.module.add_local_name(name);
                    self.module.locals.push(Local {
                        name,
                        span,
                        annotation: None,
                        origin,
                        shares: None,
                        owner,
                        slot: 0,
                    })
                }
                false => self.new_local(name, span, LocalOrigin::Free),
            };
            if let Some(&annotation) = self.tree.children(node).first() {
                self.module.locals[local].annotation = Some(self.type_at(annotation, Kind::Type));
            }
            self.bind_local(local);
        }
        Lowered::Nothing
    }

    pub(super) fn nearest_type(&self, name: &str) -> Option<String> {
        self.nearest(name, &self.adts).or_else(|| {
            let dtypes = ty::Dtype::ALL.iter().map(|dtype| dtype.name());
            base::nearest(name, dtypes.chain(["Tensor"])).map(str::to_owned)
        })
    }
}
