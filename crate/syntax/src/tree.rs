//! The tree: two flat arrays.

use base::{Append, Span, Surface};
use std::ops::Range;

use crate::kind::NodeKind;
use crate::lexer::Token;
use crate::token::TokenKind;

base::idx!(
    /// A node, as its place in post-order: after all its descendants, the root last.
    NodeId,
    "n"
);
base::idx!(
    /// A token, trivia included, as its place in the text.
    TokenId,
    "t"
);

/// A lossless syntax tree of one text.
///
/// The last child of node `i` is `i - 1`, and the sibling before node `j` is `j - size(j)`, so children are found from
/// the last to the first; [`Tree::children`] turns them round. Nothing is nested in memory: however deep the program,
/// dropping or copying a tree takes no stack.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) surface: Surface,
    pub(crate) text: Box<str>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub kind: NodeKind,
    /// The first token.
    pub first: u32,
    /// The token past the last.
    pub end: u32,
    /// How many nodes the subtree has, itself included.
    pub size: u32,
}

/// A step of [`Tree::walk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Enter(NodeId),
    Leave(NodeId),
}

/// The children of a node.
pub type Children = Vec<NodeId>;

impl Tree {
    /// The text without anything that was read in it.
    pub(crate) fn unread(mut self) -> Tree {
        self.nodes = vec![Node { kind: NodeKind::File, first: 0, end: self.tokens.len() as u32, size: 1 }];
        self
    }

    pub fn root(&self) -> NodeId {
        NodeId::numbered(self.nodes.len() as u32 - 1)
    }

    /// How many nodes there are; their ids are the numbers below.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub fn n_tokens(&self) -> usize {
        self.tokens.len()
    }

    /// What the text is written in.
    pub fn surface(&self) -> Surface {
        self.surface
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.node(node).kind
    }

    /// How many nodes the subtree has, `node` included.
    pub fn size(&self, node: NodeId) -> u32 {
        self.node(node).size
    }

    /// The text of a node without the trivia around it; empty, just past a token, where something is missing.
    pub fn span(&self, node: NodeId) -> Span {
        let Node { first, end, .. } = *self.node(node);
        let start = self.token_start(first);
        Span::new(start, if first == end { start } else { self.token_start(end) })
    }

    pub fn node_text(&self, node: NodeId) -> &str {
        &self.text[self.span(node).range()]
    }

    /// The children from the last to the first.
    pub fn children_rev(&self, node: NodeId) -> ChildrenRev<'_> {
        ChildrenRev { tree: self, next: node.number(), left: self.size(node) - 1 }
    }

    /// The children in source order.
    pub fn children(&self, node: NodeId) -> Children {
        let mut children = Children::new();
        for child in self.children_rev(node) {
            children.push(child);
        }
        children.reverse();
        children
    }

    /// The first child of a kind.
    pub fn child(&self, node: NodeId, kind: NodeKind) -> Option<NodeId> {
        self.children_rev(node).filter(|&child| self.kind(child) == kind).last()
    }

    /// All tokens of a node, trivia included.
    pub fn tokens(&self, node: NodeId) -> impl DoubleEndedIterator<Item = TokenId> + ExactSizeIterator + use<> {
        let Node { first, end, .. } = *self.node(node);
        (first..end).map(TokenId::numbered)
    }

    /// The tokens of a node that are in none of its children, in source order, without trivia.
    pub fn own_tokens(&self, node: NodeId) -> OwnTokens<'_> {
        let Node { first, mut end, size, .. } = *self.node(node);
        let mut gaps = Vec::new();
        if size > 1 {
            for child in self.children_rev(node) {
                gaps.push(self.node(child).end..end);
                end = self.node(child).first;
            }
        }
        OwnTokens { tree: self, gap: first..end, gaps }
    }

    /// The first own token of a kind.
    pub fn first_token(&self, node: NodeId, kind: TokenKind) -> Option<TokenId> {
        self.own_tokens(node).find(|&token| self.token_kind(token) == kind)
    }

    pub fn token_kind(&self, token: TokenId) -> TokenKind {
        self.tokens[token.number() as usize].kind
    }

    pub fn token_span(&self, token: TokenId) -> Span {
        Span::new(self.token_start(token.number()), self.token_start(token.number() + 1))
    }

    pub fn token_text(&self, token: TokenId) -> &str {
        &self.text[self.token_span(token).range()]
    }

    /// The token that holds a byte.
    pub fn token_at(&self, offset: u32) -> Option<TokenId> {
        let after = self.tokens.partition_point(|token| token.start <= offset);
        (offset < self.text.len() as u32).then(|| TokenId::numbered(after as u32 - 1))
    }

    /// Enters and leaves every node of a subtree in source order.
    pub fn walk(&self, root: NodeId) -> Walk<'_> {
        Walk { tree: self, stack: vec![Event::Enter(root)] }
    }

    /// The text of all tokens, one after the other: the text that was parsed.
    pub fn to_text(&self) -> String {
        (0..self.tokens.len() as u32).map(|token| self.token_text(TokenId::numbered(token))).collect()
    }

    pub(crate) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.number() as usize]
    }

    /// Where a token begins; the end of the text for the one past the last.
    fn token_start(&self, token: u32) -> u32 {
        self.tokens.get(token as usize).map_or(self.text.len() as u32, |token| token.start)
    }
}

/// The children of a node, from the last to the first.
#[derive(Clone, Debug)]
pub struct ChildrenRev<'a> {
    tree: &'a Tree,
    /// One past the next child.
    next: u32,
    /// How many nodes the children not yet seen have.
    left: u32,
}

impl Iterator for ChildrenRev<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.left == 0 {
            return None;
        }
        let child = NodeId::numbered(self.next - 1);
        let size = self.tree.size(child);
        self.next -= size;
        self.left -= size;
        Some(child)
    }
}

/// The tokens of a node between its children.
#[derive(Clone, Debug)]
pub struct OwnTokens<'a> {
    tree: &'a Tree,
    gap: Range<u32>,
    /// Those after it, the next one last.
    gaps: Vec<Range<u32>>,
}

impl Iterator for OwnTokens<'_> {
    type Item = TokenId;

    fn next(&mut self) -> Option<TokenId> {
        loop {
            match self.gap.next().map(TokenId::numbered) {
                Some(token) if self.tree.token_kind(token).is_trivia() => {}
                Some(token) => return Some(token),
                None => self.gap = self.gaps.pop()?,
            }
        }
    }
}

/// An iterator over [`Event`]s, with a stack of its own.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    tree: &'a Tree,
    stack: Vec<Event>,
}

impl Iterator for Walk<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let event = self.stack.pop()?;
        if let Event::Enter(node) = event {
            self.stack.push(Event::Leave(node));
            self.stack.append_all(self.tree.children_rev(node).map(Event::Enter));
        }
        Some(event)
    }
}

/// An indented listing of nodes and their tokens, trivia left out, for tests and for people.
///
/// ```
/// let parse = syntax::parse("1 + %x", base::Surface::Relay);
/// assert_eq!(syntax::debug_tree(&parse.tree), "\
/// File
///   ExprItem
///     Binary
///       Literal
///         Int 1
///       Plus +
///       LocalRef
///         Local %x
/// ");
/// ```
pub fn debug_tree(tree: &Tree) -> String {
    let mut out = String::new();
    let mut next_token = 0;
    let mut depth = 0;
    for event in tree.walk(tree.root()) {
        let (Event::Enter(node) | Event::Leave(node)) = event;
        let until = if matches!(event, Event::Enter(_)) { tree.node(node).first } else { tree.node(node).end };
        for token in (next_token..until).map(TokenId::numbered).filter(|&token| !tree.token_kind(token).is_trivia()) {
            let line = format!("{:depth$}{:?} {}\n", "", tree.token_kind(token), tree.token_text(token));
            out.push_str(&line);
        }
        next_token = next_token.max(until);
        match event {
            Event::Enter(_) => {
                out.push_str(&format!("{:depth$}{:?}\n", "", tree.kind(node)));
                depth += 2;
            }
            Event::Leave(_) => depth -= 2,
        }
    }
    out
}
