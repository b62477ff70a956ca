//! The same table for the refine surface.

use super::rules::{Gap, HARD, LINE, Meeting, NOTHING, Part, SPACE, Sep, Shift};
use crate::kind::NodeKind;
use crate::token::TokenKind::*;

pub(super) fn gap(&Meeting { node, left, right, .. }: &Meeting) -> Gap {
    use Part::{Child, Token};
    match (node, left, right) {
        (NodeKind::File, ..) => HARD.spaced(),
        // A line's end after `in`, and between arms, is the writer's.
        (NodeKind::Seq, ..) => LINE.kept().spaced(),
        (NodeKind::Match, Token(KwWith), _) => Gap::new(Shift::Indent, Sep::Line).kept(),
        (NodeKind::Match, Child(NodeKind::Arm), _) => LINE.kept().spaced(),
        (NodeKind::LetStmt, Token(Eq), Child(NodeKind::Seq)) => Gap::new(Shift::Indent, Sep::Line),
        (NodeKind::LetStmt, Child(NodeKind::Seq), _) => Gap::new(Shift::Dedent, Sep::Line),
        (NodeKind::LetStmt, Child(NodeKind::Match), _) => LINE,
        (NodeKind::Arm, Token(Arrow), Child(NodeKind::Seq | NodeKind::Match)) => Gap::new(Shift::Indent, Sep::Line),
        (NodeKind::SumType, Token(LBracket), Token(RBracket)) => NOTHING,
        (NodeKind::SumType, Token(LBracket), _) | (NodeKind::Paren, _, Child(NodeKind::Seq)) => {
            Gap::new(Shift::Indent, Sep::Soft)
        }
        (NodeKind::SumType, _, Token(RBracket)) | (NodeKind::Paren, Child(NodeKind::Seq), _) => {
            Gap::new(Shift::Dedent, Sep::Soft)
        }
        (_, Token(LParen), _) | (_, _, Token(RParen | Comma)) => NOTHING,
        (NodeKind::SumType, Token(Comma), _) => LINE.spaced(),
        (NodeKind::OrPat, _, Token(Pipe)) | (NodeKind::Variant | NodeKind::VariantPat, ..) => LINE,
        _ => SPACE,
    }
}
