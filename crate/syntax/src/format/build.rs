//! From tree to layout.

use super::refine;
use super::rules::{Gap, Meeting, Part, Sep, Shift, gap, is_list, level};
use super::{Fill, Flat, Group, Hangs, Hug, Layout, Line, Op, Tail};
use crate::kind::NodeKind;
use crate::token::TokenKind::{self, *};
use crate::tree::{Event, NodeId, TokenId, Tree};
use base::{Append, Surface, ToList};

pub(super) fn build(tree: &Tree) -> Layout {
    let mut builder = Builder {
        tree,
        layout: Layout { ops: Vec::with_capacity(tree.n_tokens() * 2), groups: Vec::new() },
        frames: Vec::new(),
        owner: 0,
        next: 0,
        last: None,
        open_groups: Vec::new(),
        huggers: Vec::new(),
    };
    for event in tree.walk(tree.root()) {
        match event {
            Event::Enter(node) => builder.enter(node),
            Event::Leave(node) => builder.leave(node),
        }
    }
    builder.layout
}

/// What stands before the first token and behind the last.
const AT_THE_ENDS: Gap = Gap { shift: Shift::None, sep: Sep::Hard, keep: false, blank: true };

/// A node that has been entered and not left.
struct Frame {
    node: NodeId,
    kind: NodeKind,
    /// What it begins with its first token.
    opens: Opens,
    /// The part before the current token.
    left: Option<Part>,
    /// Its own brackets that are open: the outermost, and how many.
    opener: Option<TokenKind>,
    depth: u32,
    /// To be closed when it is left.
    n_groups: u8,
    n_indents: u8,
    wrap: Wrap,
    /// Of a function: the group of its parameters.
    params: Option<u32>,
}

/// How the elements of a broken list share lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrap {
    /// Each has its own.
    None,
    /// A line has as many as fit.
    Full,
    /// As in `Full`, if the first stands on a line of its own.
    Written,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Opens {
    Nothing,
    Group,
    /// A group whose lines, past the first, are further in.
    Hanging,
}

struct Hugger {
    group: u32,
    bracket: TokenId,
    tail: Tail,
}

struct Builder<'t> {
    tree: &'t Tree,
    layout: Layout,
    frames: Vec<Frame>,
    /// The frame that was innermost at some moment since the last token, and outermost of those: where the last token
    /// and the next one meet.
    owner: usize,
    /// The first token that has not been looked at.
    next: u32,
    /// The last significant token.
    last: Option<TokenId>,
    open_groups: Vec<u32>,
    /// Groups with the bracket in them that may stay on their line, innermost last.
    huggers: Vec<Hugger>,
}

impl Builder<'_> {
    fn enter(&mut self, node: NodeId) {
        self.own_tokens(self.tree.node(node).first);
        let kind = self.tree.kind(node);
        let wrap = match kind {
            NodeKind::RelationItem => Wrap::Written,
            NodeKind::WhereClause => Wrap::Full,
            _ if self.is_list_of_numbers(node) => Wrap::Full,
            _ => Wrap::None,
        };
        let opens = self.opens(node);
        let (left, opener, params) = (None, None, None);
        self.frames.push(Frame { node, kind, opens, left, opener, depth: 0, n_groups: 0, n_indents: 0, wrap, params });
    }

    fn leave(&mut self, node: NodeId) {
        self.own_tokens(self.tree.node(node).end);
        let Some(frame) = self.frames.pop() else { return };
        (0..frame.n_indents).for_each(|_| self.layout.ops.push(Op::Dedent));
        let mut group = None;
        for _ in 0..frame.n_groups {
            self.layout.ops.push(Op::Close);
            group = self.open_groups.pop();
        }
        match self.frames.last_mut() {
            Some(parent) => {
                // Parameters are broken before the result is.
                if let (Some(params), Some(Part::Token(Arrow | Colon))) = (parent.params, parent.left) {
                    self.layout.groups[params as usize].until = self.layout.ops.len();
                }
                if frame.kind == NodeKind::ParamList {
                    parent.params = group;
                }
                parent.left = Some(Part::Child(frame.kind));
            }
            // Behind the last token only comments may stand.
            None => self.separate(None, self.tree.n_tokens() as u32),
        }
        self.owner = self.owner.min(self.frames.len().saturating_sub(1));
    }

    fn opens(&self, node: NodeId) -> Opens {
        let parent = self.frames.last();
        let under = |kind| parent.is_some_and(|parent| parent.kind == kind);
        let is_refine = self.tree.surface() == Surface::Refine;
        match self.tree.kind(node) {
            NodeKind::Variant | NodeKind::VariantPat if is_refine => Opens::Hanging,
            NodeKind::Seq | NodeKind::LetStmt | NodeKind::Arm | NodeKind::SumType if is_refine => Opens::Group,
            // The left operand of the same operator is part of one chain.
            NodeKind::Binary | NodeKind::Pipe => {
                let chained = parent.is_some_and(|parent| {
                    parent.left.is_none()
                        && matches!(parent.kind, NodeKind::Binary | NodeKind::Pipe)
                        && self.level(parent.node) == self.level(node)
                });
                // The stages of a chain in TensorScript stand below its beginning.
                let is_body = self.tree.surface() == Surface::TensorScript
                    && self.tree.kind(node) == NodeKind::Pipe
                    && (under(NodeKind::Block) || under(NodeKind::ExprStmt));
                match (chained, is_body) {
                    (true, _) => Opens::Nothing,
                    (false, true) => Opens::Group,
                    (false, false) => Opens::Hanging,
                }
            }
            NodeKind::OrPat | NodeKind::WhereClause => Opens::Hanging,
            NodeKind::Seq if under(NodeKind::Arm) => Opens::Hanging,
            // All branches are broken or none is.
            NodeKind::If | NodeKind::GoalIf | NodeKind::DimIf => {
                let goes_on = parent.is_some_and(|parent| parent.left == Some(Part::Token(KwElse)));
                if goes_on { Opens::Nothing } else { Opens::Group }
            }
            // A function is all on one line or its body is on lines of its own.
            NodeKind::Block if under(NodeKind::If) || under(NodeKind::Def) || under(NodeKind::Fn) => Opens::Nothing,
            NodeKind::Block if under(NodeKind::Method) => Opens::Nothing,
            NodeKind::Paren => match self.tree.children_rev(node).next() {
                Some(inner) if self.tree.kind(inner) == NodeKind::Seq => Opens::Group,
                _ => Opens::Nothing,
            },
            NodeKind::Def | NodeKind::Fn | NodeKind::Block | NodeKind::Seq | NodeKind::Match => Opens::Group,
            NodeKind::TypeDef | NodeKind::ExternType | NodeKind::RelationItem => Opens::Group,
            NodeKind::Use | NodeKind::Method => Opens::Group,
            kind if is_list(kind) => Opens::Group,
            _ => Opens::Nothing,
        }
    }

    fn level(&self, node: NodeId) -> u8 {
        let operator = self.tree.own_tokens(node).next();
        operator.map_or(0, |operator| level(self.tree.token_kind(operator)))
    }

    /// Whether a list is to have as many elements on a line as fit.
    fn is_list_of_numbers(&self, node: NodeId) -> bool {
        let is_number = |node| match self.tree.kind(node) {
            NodeKind::Unary => self.tree.size(node) == 2,
            kind => kind == NodeKind::Literal,
        };
        self.tree.kind(node) == NodeKind::ListLit && self.tree.children_rev(node).all(is_number)
    }

    /// The tokens of the innermost node up to `end`.
    fn own_tokens(&mut self, end: u32) {
        for token in (self.next..end).map(TokenId::numbered) {
            if !self.tree.token_kind(token).is_trivia() {
                self.token(token);
            }
        }
    }

    fn token(&mut self, token: TokenId) {
        let kind = self.tree.token_kind(token);
        let gap = self.gap_before(kind);
        let meets_where = self.frames.get(self.owner + 1).is_some_and(|frame| frame.kind == NodeKind::WhereClause);
        if meets_where {
            // The line before `where` is the clause's.
            self.open(self.owner + 1);
        }
        self.separate(gap, token.number());
        let hugger = self.huggers.pop_if(|hugger| hugger.bracket == token);
        for frame in self.owner + 1 + usize::from(meets_where)..self.frames.len() {
            self.open(frame);
        }
        if let Some(hugger) = hugger
            && let Some(&group) = self.open_groups.last()
        {
            let bracket = self.layout.ops.len();
            self.layout.groups[hugger.group as usize].hug = Some(Hug { bracket, group, tail: hugger.tail });
        }
        self.layout.ops.push(Op::Token(token));
        self.owner = self.frames.len() - 1;
        let frame = &mut self.frames[self.owner];
        let is_angle = matches!(frame.kind, NodeKind::TypeParams | NodeKind::TypeArgs);
        if kind.is_opener() || (kind == Lt && is_angle) {
            frame.depth += 1;
            frame.opener.get_or_insert(kind);
        } else if kind.is_closer() || (kind == Gt && is_angle) {
            frame.depth -= 1;
            if frame.depth == 0 {
                frame.opener = None;
            }
        }
        frame.left = Some(Part::Token(kind));
        self.last = Some(token);
        self.next = token.number() + 1;
    }

    /// What stands between the last token and the next; none at the beginning of the text.
    fn gap_before(&self, kind: TokenKind) -> Option<Gap> {
        self.last?;
        let Frame { kind: node, opener, depth, left, .. } = self.frames[self.owner];
        let right = self.frames.get(self.owner + 1).map_or(Part::Token(kind), |child| Part::Child(child.kind));
        let meeting = Meeting { node, opener, depth, left: left?, right };
        Some(match self.tree.surface() {
            Surface::Relay | Surface::TensorScript => gap(&meeting),
            Surface::Refine => refine::gap(&meeting),
        })
    }

    fn open(&mut self, index: usize) {
        let Frame { node, kind, opens, .. } = self.frames[index];
        if opens == Opens::Nothing {
            return;
        }
        let group = self.layout.groups.len() as u32;
        self.layout.groups.push(Group::default());
        self.layout.ops.push(Op::Open(group));
        self.open_groups.push(group);
        self.frames[index].n_groups += 1;
        if opens == Opens::Hanging {
            self.layout.ops.push(Op::Indent);
            self.frames[index].n_indents += 1;
        }
        if let NodeKind::ArgList | NodeKind::ListLit = kind
            && let Some((bracket, tail)) = self.hugged(node)
        {
            self.huggers.push(Hugger { group, bracket, tail });
        }
    }

    /// The bracket that may stay on the line of the list around it: that of a last argument with a body, of the only
    /// function among the arguments, or of a list that is the only element.
    fn hugged(&self, list: NodeId) -> Option<(TokenId, Tail)> {
        let tree = self.tree;
        let last = tree.children_rev(list).next()?;
        let is_alone = tree.size(list) == tree.size(last) + 1;
        let mut functions = tree.children_rev(list).filter(|&arg| tree.kind(arg) == NodeKind::Fn);
        let before_closer = tree.tokens(list).rev().skip(1).find(|&token| !tree.token_kind(token).is_trivia())?;
        let is_call = tree.kind(list) == NodeKind::ArgList;
        let (body, tail) = match tree.kind(last) {
            _ if is_call && tree.token_kind(before_closer) == Comma => return None,
            NodeKind::ListLit if is_alone => (last, Tail::None),
            _ if !is_call => return None,
            NodeKind::Tuple if is_alone => (last, Tail::None),
            NodeKind::Match => return Some((tree.first_token(last, LBrace)?, Tail::None)),
            NodeKind::If => (*tree.children(last).get(1)?, Tail::None),
            NodeKind::Fn => (tree.children_rev(last).next()?, Tail::None),
            NodeKind::Block => (last, Tail::None),
            _ => match (functions.next(), functions.next()) {
                (Some(function), None) => (tree.children_rev(function).next()?, Tail::Arguments),
                _ => return None,
            },
        };
        Some((tree.tokens(body).next()?, tail))
    }

    fn is_forced(&self) -> bool {
        self.open_groups.last().is_some_and(|&group| self.layout.groups[group as usize].forced)
    }

    fn force(&mut self) {
        if let Some(&group) = self.open_groups.last() {
            self.layout.groups[group as usize].forced = true;
        }
    }

    /// What stands between the last token and the one at `until`, comments included.
    ///
    /// With `n` comments there are `n + 1` boundaries. Where a line ended beside a comment, it does again. If that is
    /// nowhere, the comments belong to the next token, unless that clings to the last one.
    fn separate(&mut self, gap: Option<Gap>, until: u32) {
        let was_tight = self.next == until;
        let (comments, line_ends) = self.trivia(until);
        let (last, at_end) = (comments.len(), until as usize == self.tree.n_tokens());
        self.next = until;
        let Gap { shift, sep, keep, blank } = gap.unwrap_or(AT_THE_ENDS);
        let is_break = matches!(sep, Sep::Soft | Sep::Line | Sep::Hard);
        if shift == Shift::Indent {
            self.layout.ops.push(Op::Indent);
            self.frames[self.owner].n_indents += 1;
        }
        if keep && line_ends.iter().any(|&n| n > 0) {
            self.force();
        }
        let some_line = last > 0 && line_ends.iter().any(|&n| n > 0);
        let clings = at_end || shift == Shift::Dedent || (!is_break && self.clings(until));
        let place = if clings { last } else { 0 };
        // Braces that hold nothing but comments.
        let is_bare = self.last.is_some_and(|last| self.tree.token_kind(last) == LBrace)
            && !at_end
            && self.tree.token_kind(TokenId::numbered(until)) == RBrace;
        for (i, &ends) in line_ends.iter().enumerate() {
            let (is_first, is_last) = (i == 0, i == last);
            let dedents = is_last && shift == Shift::Dedent;
            if dedents {
                self.layout.ops.push(Op::Dedent);
                self.frames[self.owner].n_indents -= 1;
            }
            let beside_bracket = dedents || (is_first && shift == Shift::Indent);
            let blank = ends > 1 && !beside_bracket && (blank || shift != Shift::None);
            let is_text_end = (is_first && self.last.is_none()) || (is_last && at_end);
            let is_tight = (is_first && !some_line && self.holds()) || (is_last && clings);
            let op = if is_text_end {
                None
            } else if some_line && (ends > 0 || dedents || (is_last && is_bare)) {
                let hangs = if is_break || (is_last && is_bare) { Hangs::No } else { Hangs::Yes };
                Some(Op::Newline { blank, hangs })
            } else if last == 0 || (is_break && !some_line && i == place) {
                self.separator(sep, ends, blank, was_tight)
            } else {
                (!is_tight).then_some(Op::Space)
            };
            self.layout.ops.append_all(op);
            self.layout.ops.append_all(comments.get(i).map(|&comment| Op::Token(comment)));
        }
    }

    /// The comments between the last token and `until`, and how many lines end before, between and after them.
    fn trivia(&self, until: u32) -> (Vec<TokenId>, Vec<usize>) {
        let (mut comments, mut line_ends) = (Vec::new(), vec![0]);
        for token in (self.next..until).map(TokenId::numbered) {
            if self.tree.token_kind(token) == Comment {
                comments.push(token);
                line_ends.push(0);
            } else if let Some(n) = line_ends.last_mut() {
                *n += self.tree.token_text(token).bytes().count_where(|&byte| byte == b'\n');
            }
        }
        (comments, line_ends)
    }

    /// Whether a token follows at once upon what stands before it.
    fn clings(&self, token: u32) -> bool {
        matches!(self.tree.token_kind(TokenId::numbered(token)), RParen | RBracket | Comma | Semicolon | Dot)
    }

    /// Whether what follows the last token stands right beside it.
    fn holds(&self) -> bool {
        self.last.is_some_and(|last| matches!(self.tree.token_kind(last), LParen | LBracket))
    }

    fn separator(&self, sep: Sep, ends: usize, blank: bool, was_tight: bool) -> Option<Op> {
        let Frame { wrap, left, .. } = self.frames[self.owner];
        let fill = match wrap {
            Wrap::Full if left == Some(Part::Token(Comma)) => Fill::Yes,
            Wrap::Written if left == Some(Part::Token(Comma)) && ends == 0 && self.is_forced() => Fill::Yes,
            _ => Fill::No,
        };
        Some(match sep {
            Sep::Nothing => return None,
            Sep::AsWritten if was_tight => return None,
            Sep::AsWritten | Sep::Space => Op::Space,
            Sep::Soft => Op::Line(Line { flat: Flat::Nothing, fill, blank }),
            Sep::Line => Op::Line(Line { flat: Flat::Space, fill, blank }),
            Sep::Hard => Op::Newline { blank, hangs: Hangs::No },
        })
    }
}
