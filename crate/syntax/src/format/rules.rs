//! What stands between two tokens, by the node in which they meet.

use crate::kind::NodeKind;
use crate::token::TokenKind::{self, *};

/// A part of a node: one of its own tokens or a child.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Token(TokenKind),
    Child(NodeKind),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sep {
    Nothing,
    Space,
    /// A space if there was any space or comment.
    AsWritten,
    /// A place where a line may end: nothing otherwise.
    Soft,
    /// A place where a line may end: a space otherwise.
    Line,
    /// A line's end.
    Hard,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    None,
    Indent,
    Dedent,
}

/// What stands between two parts.
#[derive(Clone, Copy)]
pub(super) struct Gap {
    pub shift: Shift,
    pub sep: Sep,
    /// If a line ended here, it does again.
    pub keep: bool,
    /// One empty line may stay.
    pub blank: bool,
}

impl Gap {
    pub(super) const fn new(shift: Shift, sep: Sep) -> Gap {
        Gap { shift, sep, keep: false, blank: false }
    }

    pub(super) fn kept(self) -> Gap {
        Gap { keep: true, ..self }
    }

    pub(super) fn spaced(self) -> Gap {
        Gap { blank: true, ..self }
    }
}

pub(super) const NOTHING: Gap = Gap::new(Shift::None, Sep::Nothing);
pub(super) const SPACE: Gap = Gap::new(Shift::None, Sep::Space);
pub(super) const LINE: Gap = Gap::new(Shift::None, Sep::Line);
pub(super) const HARD: Gap = Gap::new(Shift::None, Sep::Hard);

/// What an opener is to a node: the beginning of a list that may be broken, or not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// Elements right inside: `(a, b)`.
    Tight,
    /// `{ a }`
    Padded,
    /// The arms of a `match` or the parts of a `node`, one a line.
    Arms,
    /// Nothing ends a line here.
    Grouping,
}

fn bracket(node: NodeKind, opener: TokenKind) -> Bracket {
    match (node, opener) {
        (NodeKind::Match | NodeKind::Net | NodeKind::Weights | NodeKind::Graph, LBrace) => Bracket::Arms,
        (NodeKind::Use, LBrace) => Bracket::Tight,
        (
            NodeKind::Block | NodeKind::GoalBlock | NodeKind::TypeDef | NodeKind::ExternType | NodeKind::DimIf,
            LBrace,
        ) => Bracket::Padded,
        (NodeKind::TypeParams | NodeKind::TypeArgs, Lt) => Bracket::Tight,
        (node, LParen | LBracket) if is_list(node) => Bracket::Tight,
        _ => Bracket::Grouping,
    }
}

/// Whether a node's own brackets hold elements.
pub(super) fn is_list(node: NodeKind) -> bool {
    matches!(
        node,
        NodeKind::TypeParams
            | NodeKind::ParamList
            | NodeKind::CtorFields
            | NodeKind::WhereRelation
            | NodeKind::RelationHead
            | NodeKind::Tuple
            | NodeKind::ListLit
            | NodeKind::Variant
            | NodeKind::RefNew
            | NodeKind::RefReadCall
            | NodeKind::RefWriteCall
            | NodeKind::TypeArgs
            | NodeKind::ArgList
            | NodeKind::CtorPat
            | NodeKind::TuplePat
            | NodeKind::VariantPat
            | NodeKind::TensorType
            | NodeKind::ShapeLit
            | NodeKind::TupleType
            | NodeKind::FnType
            | NodeKind::RefType
            | NodeKind::TypeCall
            | NodeKind::SumType
            | NodeKind::VariantType
            | NodeKind::DimCall
    )
}

/// How tightly an infix operator binds: operands of the same level share a group.
pub(super) fn level(operator: TokenKind) -> u8 {
    match operator {
        PipeArrow => 1,
        EqEq | NotEq => 2,
        Lt | LtEq | Gt | GtEq => 3,
        Plus | Minus => 4,
        _ => 5,
    }
}

/// Where two parts of a node meet.
pub(super) struct Meeting {
    pub node: NodeKind,
    /// The bracket of the node that is open here, the outermost.
    pub opener: Option<TokenKind>,
    /// How many of its own brackets are open, the one that begins with the left part included.
    pub depth: u32,
    pub left: Part,
    pub right: Part,
}

pub(super) fn gap(meeting: &Meeting) -> Gap {
    let &Meeting { node, opener, depth, left, right } = meeting;
    if let (1, Some(opener)) = (depth, opener)
        && let Some(gap) = list_gap(node, opener, left, right)
    {
        return gap;
    }
    use Part::{Child, Token};
    match (node, left, right) {
        (NodeKind::File, ..) => HARD.spaced(),
        (NodeKind::Version | NodeKind::Meta, ..) => Gap::new(Shift::None, Sep::AsWritten),
        (NodeKind::Param, ..) if depth > 0 => Gap::new(Shift::None, Sep::AsWritten),
        (NodeKind::Paren, _, Child(NodeKind::Seq)) => Gap::new(Shift::Indent, Sep::Soft),
        (NodeKind::Paren, Child(NodeKind::Seq), _) => Gap::new(Shift::Dedent, Sep::Soft),
        // `1.0` would be a number.
        (NodeKind::Project | NodeKind::Field, Child(NodeKind::Literal), _) => SPACE,
        (
            NodeKind::Attr
            | NodeKind::NameRef
            | NodeKind::Call
            | NodeKind::Project
            | NodeKind::Field
            | NodeKind::Unary
            | NodeKind::RefRead
            | NodeKind::LitPat
            | NodeKind::Splice
            | NodeKind::Index
            | NodeKind::Slice
            | NodeKind::Bound
            | NodeKind::Paren
            | NodeKind::ParenType,
            ..,
        ) => NOTHING,
        (_, Token(LParen | LBracket | Backtick | ColonColon), _) | (_, _, Token(ColonColon)) => NOTHING,
        (NodeKind::Signature, Token(Lt), _) | (NodeKind::Signature, _, Token(Gt)) => NOTHING,
        (_, _, Token(RParen | RBracket | Comma | Semicolon | Dot | Question)) => NOTHING,
        (NodeKind::RelationItem, Token(Colon), _) => NOTHING,
        (NodeKind::RelationItem, Token(Minus), _) => Gap::new(Shift::Indent, Sep::Line).kept(),
        (NodeKind::RelationItem, _, Token(Colon)) => SPACE,
        (_, Token(Colon), _) => SPACE,
        (_, _, Token(Colon)) => NOTHING,
        (_, _, Token(LParen | LBracket)) if is_list(node) => NOTHING,
        (NodeKind::Pipe, _, Token(_)) => LINE.kept(),
        (NodeKind::Binary | NodeKind::OrPat, Child(_), Token(_)) | (NodeKind::OrPat, Token(RParen), Token(_)) => LINE,
        (NodeKind::Weight, Token(Ident), Child(_)) => NOTHING,
        (_, _, Child(NodeKind::WhereClause)) => LINE,
        (NodeKind::WhereClause, Token(KwWhere), _) => Gap::new(Shift::Indent, Sep::Space),
        (NodeKind::WhereClause | NodeKind::RelationItem, Token(Comma), _) => LINE.spaced(),
        (NodeKind::Seq, ..) => LINE.spaced(),
        (
            _,
            Token(KwFn | Ident | Global) | Child(NodeKind::TypeParams),
            Child(NodeKind::TypeParams | NodeKind::ParamList | NodeKind::CtorFields | NodeKind::Signature),
        ) => NOTHING,
        _ => SPACE,
    }
}

/// Between the elements of a list, and at its brackets.
fn list_gap(node: NodeKind, opener: TokenKind, left: Part, right: Part) -> Option<Gap> {
    let sep = match bracket(node, opener) {
        Bracket::Tight => Sep::Soft,
        Bracket::Padded => Sep::Line,
        Bracket::Arms => Sep::Hard,
        Bracket::Grouping => return None,
    };
    let begins = left == Part::Token(opener);
    let ends = right == Part::Token(opener.closer());
    let between = if sep == Sep::Hard { HARD.spaced() } else { LINE.spaced() };
    Some(match (left, right) {
        _ if begins && ends => NOTHING,
        _ if begins && (sep == Sep::Line || node == NodeKind::ListLit) => Gap::new(Shift::Indent, sep).kept(),
        _ if begins => Gap::new(Shift::Indent, sep),
        _ if ends => Gap::new(Shift::Dedent, sep),
        (_, Part::Token(Comma)) => NOTHING,
        (Part::Token(Comma), _) => between,
        (_, Part::Child(NodeKind::RowRest)) => LINE,
        (Part::Child(_), Part::Child(_)) => HARD.spaced(),
        _ => return None,
    })
}
