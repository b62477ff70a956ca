//! The tree of the text at fault with what the search asks of it: parents, and what inference knows of each node.

use crate::bench::Checked;
use base::{Append, HashMap, Span, ToList};
use hir::{ExprId, ExprKind, LocalId};
use syntax::{NodeId, NodeKind, Tree};
use ty::{Term, TermId};

pub(crate) struct Outline<'a> {
    pub checked: &'a Checked,
    pub tree: &'a Tree,
    parents: Vec<Option<NodeId>>,
    exprs: HashMap<Span, ExprId>,
}

impl<'a> Outline<'a> {
    pub fn new(checked: &'a Checked) -> Outline<'a> {
        let tree = &checked.tree;
        let mut parents = base::filled(None, tree.n_nodes());
        for node in (0..tree.n_nodes() as u32).map(NodeId::numbered) {
            for child in tree.children_rev(node) {
                parents[child.number() as usize] = Some(node);
            }
        }
        let own = checked.module.exprs.iter_enumerated().skip(checked.module.start.exprs);
        let exprs = own.map(|(id, expr)| (expr.span, id)).collect();
        Outline { checked, tree, parents, exprs }
    }

    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.tree.kind(node)
    }

    pub fn span(&self, node: NodeId) -> Span {
        self.tree.span(node)
    }

    pub fn text(&self, node: NodeId) -> &'a str {
        self.tree.node_text(node)
    }

    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.parents[node.number() as usize]
    }

    /// All nodes of a kind, in post-order.
    pub fn all(&self, kind: NodeKind) -> Vec<NodeId> {
        self.inside(self.tree.root(), kind)
    }

    /// Those that begin where a node is.
    pub fn inside(&self, around: NodeId, kind: NodeKind) -> Vec<NodeId> {
        let around = self.span(around);
        let mut found = Vec::new();
        for node in (0..self.tree.n_nodes() as u32).map(NodeId::numbered) {
            if self.kind(node) == kind && around.contains(self.span(node).start) {
                found.push(node);
            }
        }
        found
    }

    /// The arguments of a call.
    pub fn list(&self, call: NodeId) -> Option<NodeId> {
        self.tree.child(call, NodeKind::ArgList)
    }

    /// The smallest node around a span.
    pub fn covering(&self, span: Span) -> NodeId {
        // Nodes stand in post-order, so that the first one is the innermost.
        let covers = |node: &NodeId| {
            let around = self.tree.span(*node);
            around.start <= span.start && span.end <= around.end && !around.is_empty()
        };
        (0..self.tree.n_nodes() as u32).map(NodeId::numbered).find(covers).unwrap_or(self.tree.root())
    }

    pub fn expr(&self, node: NodeId) -> Option<ExprId> {
        self.exprs.get(&self.tree.span(node)).copied()
    }

    /// The type of an expression.
    pub fn term(&self, node: NodeId) -> Option<TermId> {
        self.checked.inferred.exprs[self.expr(node)?]
    }

    pub fn local(&self, node: NodeId) -> Option<LocalId> {
        match self.checked.module.exprs[self.expr(node)?].kind {
            ExprKind::Local(local, _) => Some(local),
            _ => None,
        }
    }

    /// The node that binds a variable: a statement, a parameter, a pattern.
    pub fn binder(&self, local: LocalId) -> NodeId {
        self.covering(self.checked.module.locals[local].span)
    }

    /// The outermost written type around a node of one.
    pub fn whole_type(&self, mut node: NodeId) -> NodeId {
        while let Some(parent) = self.parent(node).filter(|&parent| is_type(self.kind(parent))) {
            node = parent;
        }
        node
    }

    /// The statement around a node, or the value of a block.
    pub fn statement(&self, mut node: NodeId) -> Span {
        while let Some(parent) = self.parent(node)
            && !is_sequence(self.kind(parent))
        {
            node = parent;
        }
        self.span(node)
    }

    /// The statements in which something has the type of an error, and those that use what they bind.
    pub fn unknown_statements(&self) -> Vec<Span> {
        let solver = &self.checked.inferred.solver;
        let is_error = |term: Term| matches!(term, Term::Error(_));
        // A node stands behind its parts.
        let n_nodes = self.tree.n_nodes();
        let (mut terms, mut statements) = (base::filled(Vec::new(), n_nodes), base::filled(0, n_nodes));
        for at in (0..n_nodes).rev() {
            let node = NodeId::numbered(at as u32);
            statements[at] = match self.parent(node) {
                Some(parent) if !is_sequence(self.kind(parent)) => statements[parent.number() as usize],
                _ => at,
            };
            terms[statements[at]].append_all(self.term(node));
        }
        let mut is_unknown = terms.iter().map(|terms| !solver.roots_where(terms, is_error).is_empty()).list();
        // Uses stand behind what they use, in the order of the nodes as well.
        for at in 0..n_nodes {
            if let Some(local) = self.local(NodeId::numbered(at as u32)) {
                is_unknown[statements[at]] |= is_unknown[statements[self.binder(local).number() as usize]];
            }
        }
        let nodes = (0..n_nodes).filter(|&at| is_unknown[at]);
        nodes.map(|at| self.span(NodeId::numbered(at as u32))).list()
    }

    /// How often a size is written in types.
    pub fn n_sizes(&self, size: &str) -> usize {
        self.all(NodeKind::DimNum).into_iter().count_where(|&node| self.text(node) == size)
    }

    /// The expression that a block or a row of statements comes to.
    pub fn tail(&self, mut node: NodeId) -> NodeId {
        while matches!(self.kind(node), NodeKind::Block | NodeKind::Seq) {
            match self.tree.children_rev(node).next() {
                Some(last) => node = last,
                None => return node,
            }
        }
        node
    }
}

/// What has statements.
fn is_sequence(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Block | NodeKind::Seq | NodeKind::File)
}

pub(crate) fn is_expr(kind: NodeKind) -> bool {
    use NodeKind::*;
    matches!(
        kind,
        Literal
            | LocalRef
            | GraphRef
            | GlobalRef
            | NameRef
            | Paren
            | Tuple
            | ListLit
            | Variant
            | Fn
            | If
            | Match
            | RefNew
            | RefReadCall
            | RefWriteCall
            | Call
            | Project
            | Unary
            | RefRead
            | Binary
            | RefWrite
            | Pipe
    )
}

pub(crate) fn is_type(kind: NodeKind) -> bool {
    use NodeKind::*;
    matches!(
        kind,
        TensorType
            | ShapeLit
            | TupleType
            | ParenType
            | FnType
            | RefType
            | SumType
            | NameType
            | TypeCall
            | DimNum
            | DimAny
            | DimName
            | DimBinary
            | DimCall
            | Splice
            | Index
            | Slice
            | DimIf
            | VariantType
            | HoleType
    )
}
