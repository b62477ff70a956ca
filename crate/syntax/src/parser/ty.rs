//! Types and dims.

use super::{Mark, Parser, Rule, Task};
use crate::error::Expected;
use crate::kind::NodeKind;
use crate::token::TokenKind::*;

impl Parser<'_> {
    pub(super) fn ty(&mut self) {
        let mark = self.mark();
        match self.kind() {
            Underscore => self.leaf(NodeKind::HoleType),
            LParen => self.open(Rule::TupleType, mark),
            KwFn => self.fn_type(mark),
            KwRef => {
                self.bump();
                if self.at(LParen) {
                    return self.open(Rule::RefType, mark);
                }
                self.expected(Expected::Token(LParen));
                self.missing();
                self.finish(NodeKind::RefType, mark);
            }
            Ident if self.nth(1) == LBracket => {
                let rule = match self.token_text() {
                    "meta" => return self.meta(mark),
                    "Tensor" => Rule::Tensor,
                    _ => Rule::TypeCall,
                };
                self.bump();
                self.open(rule, mark);
            }
            Ident => self.leaf(NodeKind::NameType),
            BadNumber | Unknown => self.leaf(NodeKind::Error),
            Int | Question => {
                self.expected(Expected::Type);
                self.leaf(NodeKind::Error);
            }
            _ => {
                self.expected(Expected::Type);
                self.missing();
            }
        }
    }

    fn fn_type(&mut self, mark: Mark) {
        self.bump();
        self.type_params();
        self.tasks.extend([Task::Finish(NodeKind::FnType, mark), Task::Where, Task::FnResult]);
        if self.at(LParen) {
            self.open(Rule::FnTypeParams, mark);
        } else {
            self.expected(Expected::Token(LParen));
        }
    }

    pub(super) fn fn_result(&mut self) {
        if !self.at(Arrow) {
            self.expected(Expected::Token(Arrow));
            self.missing();
        } else if self.enter() {
            self.bump();
            self.tasks.extend([Task::Leave, Task::Type]);
        } else {
            self.skip_operand();
        }
    }

    /// A type, or a dim where the list may turn out to be a shape.
    pub(super) fn type_element(&mut self) {
        let mark = self.mark();
        self.tasks.push(Task::DimRest(mark, 1));
        match self.kind() {
            Int | Question => self.dim_atom(),
            Ident if self.nth(1) == LParen => self.dim_atom(),
            _ => self.ty(),
        }
    }

    pub(super) fn dim(&mut self, min: u8) {
        let mark = self.mark();
        self.tasks.push(Task::DimRest(mark, min));
        self.dim_atom();
    }

    fn dim_atom(&mut self) {
        let mark = self.mark();
        match self.kind() {
            Int => self.leaf(NodeKind::DimNum),
            Question => self.leaf(NodeKind::DimAny),
            Underscore => self.leaf(NodeKind::HoleType),
            BadNumber | Unknown => self.leaf(NodeKind::Error),
            Ident if self.at_meta() => self.meta(mark),
            Ident if self.nth(1) == LParen => {
                self.bump();
                self.open(Rule::DimCall, mark);
            }
            Ident => self.leaf(NodeKind::DimName),
            LParen => self.open(Rule::DimParen, mark),
            _ => {
                self.expected(Expected::Dim);
                self.missing();
            }
        }
    }

    /// Infix operators after a dim that began at the mark.
    pub(super) fn dim_rest(&mut self, mark: Mark, min: u8) {
        let (left, right) = match self.kind() {
            Plus | Minus => (10, 11),
            Star | Slash => (12, 13),
            _ => return,
        };
        if left < min {
            return;
        }
        // A lone name that turns out to be an operand was a dim.
        if let [.., last] = &mut self.nodes[mark.node as usize..]
            && last.size == 1
            && last.kind == NodeKind::NameType
        {
            last.kind = NodeKind::DimName;
        }
        self.bump();
        self.tasks.extend([Task::DimRest(mark, min), Task::Finish(NodeKind::DimBinary, mark), Task::Dim(right)]);
    }
}
