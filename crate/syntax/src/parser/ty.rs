//! Types and dims.

use super::relation::Choice;
use super::{DIM_FUNCTIONS, Mark, Parser, Rule, Task};
use crate::error::{Expected, Foreign};
use crate::kind::NodeKind;
use crate::lexer::NONE;
use crate::token::TokenKind::*;
use base::{Append, MapArray, Surface};

impl Parser<'_> {
    pub(super) fn ty(&mut self) {
        if self.surface == Surface::TensorScript {
            return self.shape();
        }
        let mark = self.mark();
        match self.kind() {
            Underscore => self.leaf(NodeKind::HoleType),
            LParen | Ident if let Some(end) = self.arrow_behind() => self.bare_fn_type(mark, end),
            LParen => self.open(Rule::TupleType, mark),
            LBracket => self.open(Rule::SumType, mark),
            KwIf => self.choice(Choice::Dims),
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
            Ident => self.type_name(NodeKind::NameType),
            kind if kind.is_bad() => self.leaf(NodeKind::Error),
            String => {
                let at = self.token_span(self.pos);
                let text = base::trim(&self.text[at.range()], "\"");
                self.foreign(Foreign::Quoted, at, &[(at, text)]);
                self.leaf(NodeKind::Error);
            }
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

    /// `A`, `sh[0]`, `List[A]`, `Tensor[…]`, `meta[…][…]`; a name that stands alone becomes a node of this kind.
    fn type_name(&mut self, alone: NodeKind) {
        let mark = self.mark();
        if self.foreign_angles(mark) || self.foreign_tensor(mark) {
            return;
        }
        if self.surface == Surface::Relay && self.closed(1, LParen) && self.adjacent(1) {
            let [open, close] = [self.pos + 1, self.behind(self.pos + 1) - 1].each(|pos| self.token_span(pos));
            self.bump();
            self.foreign(Foreign::Angles, open, &[(open, "["), (close, "]")]);
            return self.open(Rule::TypeCall, mark);
        }
        if self.nth(1) != LBracket {
            return self.leaf(alone);
        }
        let rule = match self.token_text() {
            "meta" => return self.meta(mark),
            "Tensor" => Rule::Tensor,
            _ if self.at_index(1) => {
                self.leaf(NodeKind::DimName);
                return self.indices(mark);
            }
            _ => Rule::TypeCall,
        };
        self.bump();
        self.open(rule, mark);
    }

    /// `| r`, the last of a sum.
    pub(super) fn row_rest(&mut self) {
        let mark = self.mark();
        self.bump();
        self.tasks.append_all([Task::Finish(NodeKind::RowRest, mark), Task::Type]);
    }

    fn fn_type(&mut self, mark: Mark) {
        self.bump();
        self.type_params();
        self.tasks.append_all([Task::Finish(NodeKind::FnType, mark), Task::Where, Task::FnResult]);
        if self.at(LParen) {
            self.open(Rule::FnTypeParams, mark);
        } else {
            self.expected(Expected::Token(LParen));
        }
    }

    /// The end of a type that begins here and has an arrow behind it. In `fn(A -> B` a bracket is not closed, nor is one
    /// in `def @f(%x: A -> B {`.
    fn arrow_behind(&self) -> Option<usize> {
        let is_param = self.pos > 1 && [2, 1].each(|back| self.kind_at(self.pos - back)) == [KwFn, LParen];
        let end = self.type_end(self.pos).filter(|_| self.surface == Surface::Relay && !is_param)?;
        let is_written = self.pos > 0 && self.kind_at(self.pos - 1) == Colon;
        let is_followed_by = |kind| self.type_end(end + 1).is_some_and(|end| self.kind_at(end) == kind);
        (self.kind_at(end) == Arrow && !(is_written && is_followed_by(LBrace))).then_some(end)
    }

    /// `A -> B`, `(A, B) -> C`: a function's type without `fn`.
    fn bare_fn_type(&mut self, mark: Mark, end: usize) {
        let (before, behind) = (self.start_of(mark), self.token_span(end - 1).after());
        let at = self.token_span(end);
        self.tasks.append_all([Task::Finish(NodeKind::FnType, mark), Task::FnResult]);
        if self.at(LParen) {
            self.foreign(Foreign::BareFnType, at, &[(before, "fn ")]);
            return self.open(Rule::FnTypeParams, mark);
        }
        self.foreign(Foreign::BareFnType, at, &[(before, "fn ("), (behind, ")")]);
        self.type_name(NodeKind::NameType);
    }

    pub(super) fn fn_result(&mut self) {
        if !self.at(Arrow) {
            self.expected(Expected::Token(Arrow));
            self.missing();
        } else if self.enter() {
            self.bump();
            self.tasks.append_all([Task::Leave, Task::Type]);
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
            Ident if self.nth(1) == LParen && self.token_text() != "Tensor" => self.dim_atom(),
            _ => self.ty(),
        }
    }

    pub(super) fn dim(&mut self, min: u8) {
        let mark = self.mark();
        self.tasks.push(Task::DimRest(mark, min));
        self.dim_atom();
    }

    /// `Option(int32)`: a type begins with a capital, and functions of dims do not, but for how they are misspelt.
    fn at_type_call(&self) -> bool {
        let name = self.token_text();
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && !DIM_FUNCTIONS.iter().any(|of| name.eq_ignore_ascii_case(of))
    }

    fn dim_atom(&mut self) {
        if self.surface == Surface::TensorScript {
            return self.size();
        }
        let mark = self.mark();
        match self.kind() {
            KwIf => self.choice(Choice::Dims),
            Int => self.leaf(NodeKind::DimNum),
            Question => self.leaf(NodeKind::DimAny),
            Underscore => self.leaf(NodeKind::HoleType),
            kind if kind.is_bad() => self.leaf(NodeKind::Error),
            Ident if self.nth(1) == LParen && !self.at_type_call() => {
                self.bump();
                self.open(Rule::DimCall, mark);
            }
            Ident => self.type_name(NodeKind::DimName),
            LParen => self.open(Rule::DimParen, mark),
            _ => {
                self.expected(Expected::Dim);
                self.missing();
            }
        }
    }

    /// Indices and infix operators after a dim that began at the mark.
    pub(super) fn dim_rest(&mut self, mark: Mark, min: u8) {
        if self.surface != Surface::TensorScript {
            self.indices(mark);
        }
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
        self.tasks.append_all([Task::DimRest(mark, min), Task::Finish(NodeKind::DimBinary, mark), Task::Dim(right)]);
    }

    /// `..`, two dots that touch.
    pub(super) fn at_splice(&self) -> bool {
        self.at(Dot) && self.nth(1) == Dot && self.adjacent(1)
    }

    pub(super) fn splice(&mut self) {
        let mark = self.mark();
        self.bump();
        self.bump();
        self.tasks.append_all([Task::Finish(NodeKind::Splice, mark), Task::Dim(1)]);
    }

    /// Whether the bracket `ahead` holds an index or a slice: `[1]`, `[-1]`, `[1:`, `[:`.
    fn at_index(&self, ahead: usize) -> bool {
        let signed = usize::from(self.nth(ahead + 1) == Minus);
        self.nth(ahead) == LBracket
            && match self.nth(ahead + 1 + signed) {
                Int => matches!(self.nth(ahead + 2 + signed), RBracket | Colon),
                Colon => signed == 0,
                _ => false,
            }
    }

    /// `[1]`, `[1:-1]` and so on, any number of them, after what began at the mark.
    fn indices(&mut self, mark: Mark) {
        while self.at_index(0) {
            let opener = self.pos as u32;
            self.bump();
            self.bound();
            let mut kind = NodeKind::Index;
            if self.eat(Colon) {
                kind = NodeKind::Slice;
                self.bound();
            }
            if !self.eat(RBracket) {
                match self.partner(opener) {
                    NONE => self.unclosed(opener),
                    close => {
                        self.expected(Expected::Token(RBracket));
                        self.pos = close as usize + 1;
                    }
                }
            }
            self.finish(kind, mark);
        }
    }

    fn bound(&mut self) {
        let mark = self.mark();
        let signed = self.eat(Minus);
        if !self.eat(Int) && (signed || !matches!(self.kind(), Colon | RBracket)) {
            self.expected(Expected::Token(Int));
        }
        self.finish(NodeKind::Bound, mark);
    }
}
