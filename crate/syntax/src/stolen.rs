//! Arms that look like one `match`'s and are another's.

use base::{Append, Diagnostic, Edit, Fix, Span, Surface};

use crate::kind::NodeKind;
use crate::token::TokenKind::{self, Pipe};
use crate::tree::{Event, NodeId, TokenId, Tree};

/// An arm of an inner `match` that lines up with the arms of one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StolenArm {
    /// Its `|`.
    pub bar: Span,
    /// The keyword of the `match` that has it.
    pub has: Span,
    /// The keyword of the `match` that it lines up with.
    pub wants: Span,
    /// What parentheses would keep from having it.
    pub inner: Span,
}

/// The stolen arms of a text, in source order: a `|` belongs to the innermost `match`, wherever it stands.
///
/// A `match` that is the body of an arm, without parentheses, takes the arms below it. One of these is stolen if it
/// stands first on its line, right below the `|` of the outer arm, while the inner `match` has its own `|` elsewhere.
///
/// ```text
/// match x with
///   | A -> match y with
///       | C -> D
///   | B -> E          # is the inner one's
/// ```
pub fn stolen_arms(tree: &Tree) -> Vec<StolenArm> {
    let mut cx = Search { tree, matches: Vec::new(), line_starts: vec![0], stolen: Vec::new() };
    if tree.surface() != Surface::Refine {
        return cx.stolen;
    }
    cx.line_starts.append_all(tree.text().match_indices('\n').map(|(at, _)| at as u32 + 1));
    let mut open: Vec<NodeKind> = Vec::new();
    for event in tree.walk(tree.root()) {
        match event {
            Event::Enter(node) => {
                match (tree.kind(node), &open[..]) {
                    (NodeKind::Match, [.., NodeKind::Arm] | [.., NodeKind::Arm, NodeKind::Seq]) => {
                        cx.enter_match(node, Place::Body)
                    }
                    (NodeKind::Match, _) => cx.enter_match(node, Place::Elsewhere),
                    (NodeKind::Arm, _) => cx.enter_arm(node),
                    _ => {}
                }
                open.push(tree.kind(node));
            }
            Event::Leave(node) => {
                open.pop();
                if tree.kind(node) == NodeKind::Match {
                    cx.matches.pop();
                }
            }
        }
    }
    cx.stolen
}

/// Where a `match` stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In an arm, to its end.
    Body,
    Elsewhere,
}

struct Match {
    span: Span,
    place: Place,
    /// The columns of the `|` of its first arm and of the current one.
    first: Option<u32>,
    current: u32,
    /// Where the arm before the current one ends.
    end: u32,
    /// How many of the open matches have been said to lose an arm to this one.
    robbed_from: usize,
}

struct Search<'t> {
    tree: &'t Tree,
    /// Those that are open, outermost first.
    matches: Vec<Match>,
    line_starts: Vec<u32>,
    stolen: Vec<StolenArm>,
}

impl Search<'_> {
    fn enter_match(&mut self, node: NodeId, place: Place) {
        let robbed_from = self.matches.len();
        self.matches.push(Match { span: self.tree.span(node), place, first: None, current: 0, end: 0, robbed_from });
    }

    fn enter_arm(&mut self, arm: NodeId) {
        let tree = self.tree;
        let span = tree.span(arm);
        let bar = tree.tokens(arm).next().filter(|&token| tree.token_kind(token) == Pipe);
        let column = span.start - self.line_starts[self.line_starts.partition_point(|&start| start <= span.start) - 1];
        let Some((inner, outer)) = self.matches.split_last_mut() else { return };
        inner.current = column;
        let before = std::mem::replace(&mut inner.end, span.end);
        let first = *inner.first.get_or_insert(column);
        let Some(bar) = bar.filter(|&bar| column != first && is_first_on_line(tree, bar)) else { return };
        // What stands around it, as long as each is the body of an arm of the next; nesting has its limit.
        let mut robber = &*inner;
        for (i, robbed) in outer.iter().enumerate().rev() {
            if robber.place == Place::Elsewhere {
                return;
            }
            if robbed.current == column {
                if i < inner.robbed_from {
                    let keyword = |span: Span| Span::new(span.start, span.start + "match".len() as u32);
                    self.stolen.push(StolenArm {
                        bar: tree.token_span(bar),
                        has: keyword(inner.span),
                        wants: keyword(robbed.span),
                        inner: Span::new(robber.span.start, before),
                    });
                    inner.robbed_from = i;
                }
                return;
            }
            robber = robbed;
        }
    }
}

fn is_first_on_line(tree: &Tree, token: TokenId) -> bool {
    let before = token.number().checked_sub(1).map(TokenId::numbered);
    before.is_none_or(|before| {
        tree.token_kind(before) == TokenKind::Whitespace && base::has(tree.token_text(before), b'\n')
    })
}

impl StolenArm {
    pub fn diagnostic(&self) -> Diagnostic {
        let edit = |at: u32, text: &str| Edit { span: Span::new(at, at), text: text.to_owned() };
        let title = "put parentheses around the inner `match`".to_owned();
        let mut said = Diagnostic::warning(
            "stolen-arm",
            self.bar,
            "expected an arm of the outer `match`, found one of the inner: a `|` belongs to the innermost",
        );
        said.help = Some(title.clone());
        said.fixes.push(Fix { title, edits: vec![edit(self.inner.start, "("), edit(self.inner.end, ")")] });
        said.label(self.has, "the arm belongs to this one").label(self.wants, "it lines up with the arms of this one")
    }
}
