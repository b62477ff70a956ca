//! The names of a TensorScript text. Most of them are gone once it is lowered: dims are numbers there, and a weight is a
//! few variables in each function. So they are read off the text, by the rules of scopes that lowering has.

use base::{Append, HashMap, Span};
use syntax::{Event, NodeId, NodeKind, TokenKind, Tree};

/// Told of every name: where it stands, where it is bound, and whether the text gives it.
type Tell<'a> = &'a mut dyn FnMut(Span, Span, bool);

type Word<'t> = (&'t str, Span);

/// A name that a whole node knows, or the whole file.
struct Bound<'t> {
    /// The node; empty for the file.
    net: &'t str,
    span: Span,
    is_given: bool,
    /// Of a weight, the name of the layer or node.
    made_of: &'t str,
    /// Of a function.
    params: Vec<Word<'t>>,
    /// The next one of the same name.
    next: Option<usize>,
}

struct Scopes<'t> {
    tree: &'t Tree,
    bound: Vec<Bound<'t>>,
    /// The last one of each name.
    by_name: HashMap<&'t str, usize>,
    /// Variables that can be named here, the last one last.
    locals: Vec<Word<'t>>,
    /// How many there were where a block began.
    blocks: Vec<usize>,
    /// What is around the place, the innermost last.
    open: Vec<NodeId>,
    /// The node whose part this is.
    net: &'t str,
}

pub fn each_mention(tree: &Tree, tell: Tell) {
    let mut scopes = Scopes {
        tree,
        bound: Vec::new(),
        by_name: HashMap::default(),
        locals: Vec::new(),
        blocks: Vec::new(),
        open: Vec::new(),
        net: "",
    };
    for item in tree.children(tree.root()) {
        scopes.declare(item);
    }
    for event in tree.walk(tree.root()) {
        match event {
            Event::Enter(node) => {
                scopes.enter(node, tell);
                scopes.open.push(node);
            }
            Event::Leave(node) => {
                scopes.open.pop();
                scopes.leave(node, tell);
            }
        }
    }
}

impl<'t> Scopes<'t> {
    /// The names that are a node's own.
    fn words(&self, node: NodeId) -> Vec<Word<'t>> {
        let tree = self.tree;
        let mut words = Vec::new();
        for token in tree.own_tokens(node) {
            if tree.token_kind(token) == TokenKind::Ident {
                words.push((tree.token_text(token), tree.token_span(token)));
            }
        }
        words
    }

    fn word(&self, node: NodeId) -> Option<Word<'t>> {
        self.words(node).first().copied()
    }

    fn is_part(&self, node: NodeId) -> bool {
        matches!(self.tree.kind(node), NodeKind::Net | NodeKind::Weights | NodeKind::Graph)
    }

    /// Binds what an item declares for all of its node, or for the file.
    fn declare(&mut self, item: NodeId) {
        let tree = self.tree;
        let mut net = "";
        self.bind_shared(net, item);
        if self.is_part(item) {
            net = self.word(item).map_or("", |(name, _)| name);
        }
        if self.is_part(item) || tree.kind(item) == NodeKind::Use {
            for member in tree.children(item) {
                self.bind_shared(net, member);
            }
        }
    }

    fn bind_shared(&mut self, net: &'t str, node: NodeId) {
        let tree = self.tree;
        let words = self.words(node);
        let (kind, made_of) = (tree.kind(node), words.get(1).map_or("", |(name, _)| *name));
        let (name, span) = match (kind, words.first()) {
            // It is no name: all nodes are made by one.
            (NodeKind::Method, Some(&("new", _))) => return,
            (NodeKind::UseName, _) => (tree.node_text(node), tree.span(node)),
            (NodeKind::DimItem | NodeKind::TsrItem | NodeKind::Weight | NodeKind::Method, Some(&word)) => word,
            (_, Some(&word)) if self.is_part(node) => word,
            _ => return,
        };
        let mut params = Vec::new();
        for param in tree.child(node, NodeKind::ParamList).map(|list| tree.children(list)).unwrap_or_default() {
            params.append_all(self.word(param));
        }
        let is_given = kind != NodeKind::UseName && name != "forward";
        if self.member(net, name).is_none() {
            self.add(name, Bound { net, span, is_given, made_of, params, next: None });
        }
    }

    fn add(&mut self, name: &'t str, bound: Bound<'t>) {
        let next = self.by_name.get(name).copied();
        self.by_name.insert(name, self.bound.len());
        self.bound.push(Bound { next, ..bound });
    }

    fn member(&self, net: &str, name: &str) -> Option<&Bound<'t>> {
        let mut at = self.by_name.get(name).copied();
        while let Some(bound) = at.and_then(|at| self.bound.get(at)) {
            if bound.net == net {
                return Some(bound);
            }
            at = bound.next;
        }
        None
    }

    /// What the node binds, or else the file.
    fn shared(&self, name: &'t str) -> Option<&Bound<'t>> {
        self.member(self.net, name).or_else(|| self.member("", name))
    }

    fn tell_shared(&self, (name, span): Word<'t>, tell: Tell) {
        if let Some(bound) = self.shared(name) {
            tell(span, bound.span, bound.is_given);
        }
    }

    /// Binds a variable.
    fn bind(&mut self, node: NodeId, tell: Tell) {
        if let Some((name, span)) = self.word(node) {
            self.locals.push((name, span));
            tell(span, span, true);
        }
    }

    /// Whether a value is piped into it, or it is called: it is a weight or a function, and no variable.
    fn is_applied(&self, node: NodeId) -> bool {
        let at = |parent| match self.tree.kind(parent) {
            NodeKind::Pipe => Some(1),
            NodeKind::Call => Some(0),
            _ => None,
        };
        let parent = self.open.last().copied();
        parent.is_some_and(|parent| at(parent).is_some_and(|at| self.tree.children(parent).get(at) == Some(&node)))
    }

    /// Of `self.name` and `weight.name`.
    fn field(&self, node: NodeId) -> Option<(Span, &Bound<'t>)> {
        let tree = self.tree;
        let (name, span) = self.word(node)?;
        let base = tree.children(node).first().copied()?;
        let net = match (tree.kind(base), tree.node_text(base)) {
            (NodeKind::NameRef, "self") => self.net,
            (NodeKind::NameRef, weight) => self.member(self.net, weight)?.made_of,
            (NodeKind::Field, _) => self.member(self.net, self.word(base)?.0)?.made_of,
            _ => return None,
        };
        Some((span, self.member(net, name)?))
    }

    /// Tells of the arguments by name of a call.
    fn tell_args(&self, call: NodeId, function: Option<&Bound<'t>>, tell: Tell) {
        let tree = self.tree;
        let (Some(function), Some(args)) = (function, tree.child(call, NodeKind::ArgList)) else { return };
        for arg in tree.children(args) {
            if tree.kind(arg) == NodeKind::Attr
                && let Some((name, span)) = self.word(arg)
                && let Some(&(_, bound)) = function.params.iter().find(|(param, _)| *param == name)
            {
                tell(span, bound, true);
            }
        }
    }

    fn enter(&mut self, node: NodeId, tell: Tell) {
        let tree = self.tree;
        let (span, text) = (tree.span(node), tree.node_text(node));
        if self.is_part(node) {
            self.net = self.word(node).map_or("", |(name, _)| name);
        }
        match tree.kind(node) {
            NodeKind::Method | NodeKind::Block => self.blocks.push(self.locals.len()),
            NodeKind::Param => self.bind(node, tell),
            NodeKind::Call => {
                let callee = tree.children(node).first().and_then(|&callee| self.shared(tree.node_text(callee)));
                self.tell_args(node, callee, tell);
            }
            NodeKind::Field => {
                if let Some((span, bound)) = self.field(node) {
                    tell(span, bound.span, bound.is_given);
                    self.tell_args(node, Some(bound), tell);
                }
            }
            // A size that nothing declares is bound where the node first names it.
            NodeKind::DimName if self.shared(text).is_none() => {
                let (net, params) = (self.net, Vec::new());
                self.add(text, Bound { net, span, is_given: true, made_of: "", params, next: None });
            }
            _ => {}
        }
        match tree.kind(node) {
            NodeKind::NameRef => match self.locals.iter().rev().find(|(name, _)| *name == text) {
                Some(&(_, bound)) if !self.is_applied(node) || self.shared(text).is_none() => tell(span, bound, true),
                _ => self.tell_shared((text, span), tell),
            },
            NodeKind::UseName | NodeKind::NameType | NodeKind::DimName => self.tell_shared((text, span), tell),
            NodeKind::Net
            | NodeKind::Weights
            | NodeKind::Graph
            | NodeKind::Weight
            | NodeKind::Method
            | NodeKind::DimItem
            | NodeKind::TsrItem => {
                // Of a weight, also what it is made of.
                for word in self.words(node) {
                    self.tell_shared(word, tell);
                }
            }
            _ => {}
        }
    }

    fn leave(&mut self, node: NodeId, tell: Tell) {
        match self.tree.kind(node) {
            // What is assigned does not know the variable yet.
            NodeKind::Assign => self.bind(node, tell),
            NodeKind::Method | NodeKind::Block => self.locals.truncate(self.blocks.pop().unwrap_or(0)),
            NodeKind::Net | NodeKind::Weights | NodeKind::Graph => self.net = "",
            _ => {}
        }
    }
}
