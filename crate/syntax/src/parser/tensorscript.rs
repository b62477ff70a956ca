//! The TensorScript surface: items, the parts of `node`, `weights` and `graph`, and what its expressions have of their
//! own. Blocks, lists and operators are the ones of Relay.
//!
//! The words that begin an item are anchors, and so are those that begin a part: `def` in a `graph`, `dim` and `tsr`
//! elsewhere, `a = B::` at the beginning of a line of `weights`. An item's `{` that lacks its `}` goes on at a part;
//! everything inside of it ends there.

use super::block::Braces;
use super::pair::{begins_item, begins_part};
use super::{Mark, Parser, Rule, Task};
use crate::error::{Expected, Foreign, SyntaxError};
use crate::kind::NodeKind;
use crate::lexer::NONE;
use crate::token::TokenKind::*;
use base::{Append, MapArray};

/// A task of this surface.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Items,
    /// `-> U` of a signature.
    Arrow,
    /// `>` of the signature that began at the mark.
    Angle(Mark),
    /// The parts of an item, or the lack of them.
    Parts(NodeKind, Mark),
    /// The next part in the braces.
    Next(NodeKind, Braces),
    /// `::f(…);` of the weight that began at the mark.
    Function(Mark),
}

impl Parser<'_> {
    pub(super) fn tensorscript(&mut self, part: Part) {
        match part {
            Part::Items => self.script_items(),
            Part::Arrow => self.arrow(),
            Part::Angle(mark) => self.angle(mark),
            Part::Parts(kind, mark) => self.parts(kind, mark),
            Part::Next(kind, braces) => self.next_part(kind, braces),
            Part::Function(mark) => self.function(mark),
        }
    }

    fn later(&mut self, part: Part) {
        self.tasks.push(Task::TensorScript(part));
    }

    // Items.

    fn script_items(&mut self) {
        if self.at(Eof) {
            return;
        }
        self.later(Part::Items);
        let mark = self.mark();
        match self.kind() {
            KwUse => self.use_item(mark),
            KwDim => self.dim_item(mark),
            KwTsr => self.tsr_item(mark),
            KwNode => self.item_of_parts(NodeKind::Net, mark),
            KwWeights => self.item_of_parts(NodeKind::Weights, mark),
            KwGraph => self.item_of_parts(NodeKind::Graph, mark),
            _ => {
                self.expected_or_reserved(Expected::ScriptItem);
                self.skip_one();
                while !self.at(Eof) && !begins_item(&self.sig, self.pos) && !self.at_dim_or_tsr() {
                    self.skip_one();
                }
                self.finish(NodeKind::Error, mark);
            }
        }
    }

    fn at_dim_or_tsr(&self) -> bool {
        matches!(self.kind(), KwDim | KwTsr) && self.nth(1).is_name()
    }

    /// `use a::b::{c, d};`, `use a::b;`.
    fn use_item(&mut self, mark: Mark) {
        self.bump();
        self.tasks.push(Task::BindEnd(NodeKind::Use, mark));
        let mut has_path = false;
        while self.at_name() && matches!(self.nth(1), ColonColon | Dot | Colon) {
            self.name();
            if !self.at(ColonColon) {
                self.misspelt(ColonColon);
            }
            self.bump();
            has_path = true;
        }
        if self.at(LBrace) && has_path {
            self.open(Rule::UseNames, mark);
        } else if !self.at_name() {
            self.expected(Expected::Name);
        } else if has_path {
            let first = self.mark();
            self.name_leaf(NodeKind::UseName);
            while self.at(Comma) && self.nth(1).is_name() && !begins_item(&self.sig, self.pos + 1) {
                self.bump();
                self.name_leaf(NodeKind::UseName);
            }
            if self.pos > first.pos as usize + 1 {
                let (start, end) = (self.start_of(first), self.token_span(self.pos - 1));
                self.foreign(Foreign::Imports, start.to(end), &[(start, "{"), (end.after(), "}")]);
            }
        } else {
            self.name();
            self.expected(Expected::Token(ColonColon));
        }
    }

    /// `dim N = 28;`, `dim M = N * 2;`.
    fn dim_item(&mut self, mark: Mark) {
        self.bump();
        self.new_name();
        if !self.eat(Eq) {
            self.expected(Expected::Token(Eq));
        }
        let is_computed = match self.kind() {
            Int => matches!(self.nth(1), Plus | Minus | Star | Slash),
            LParen | Minus => true,
            _ => self.at_name() && !self.begins_part(),
        };
        if is_computed {
            return self.tasks.append_all([Task::BindEnd(NodeKind::DimItem, mark), Task::Expr(1)]);
        }
        if !self.eat(Int) {
            self.expected(Expected::Token(Int));
            while !self.at(Semicolon) && !self.at_stop(NONE) && !self.sig[self.pos].first_on_line {
                self.skip_one();
            }
            self.quiet_at = self.pos;
        }
        self.bind_end(NodeKind::DimItem, mark);
    }

    /// `tsr T = [?, N];`.
    fn tsr_item(&mut self, mark: Mark) {
        self.bump();
        self.new_name();
        if !self.eat(Eq) {
            self.expected(Expected::Token(Eq));
        }
        self.tasks.append_all([Task::BindEnd(NodeKind::TsrItem, mark), Task::Type]);
    }

    /// `node M<T -> U> { … }` and the like.
    fn item_of_parts(&mut self, kind: NodeKind, mark: Mark) {
        self.item = self.kind();
        self.bump();
        self.new_name();
        self.later(Part::Parts(kind, mark));
        if !self.at(Lt) {
            self.expected(Expected::Token(Lt));
        }
        if self.at(Lt) || self.at(LBracket) {
            self.type_signature();
        }
    }

    /// `<T -> U>`; where the `<` is missing, that has been told.
    fn type_signature(&mut self) {
        let mark = self.mark();
        self.eat(Lt);
        self.later(Part::Angle(mark));
        self.later(Part::Arrow);
        self.tasks.push(Task::Type);
    }

    fn arrow(&mut self) {
        if !self.eat(Arrow) {
            self.expected(Expected::Token(Arrow));
            if matches!(self.kind(), FatArrow | Minus | Colon | Comma) {
                self.bump();
            }
        }
        self.tasks.push(Task::Type);
    }

    fn angle(&mut self, mark: Mark) {
        if !self.eat(Gt) {
            self.unclosed(mark.pos);
            while !matches!(self.kind(), Gt | LBrace | LParen | ColonColon | Semicolon)
                && !self.at_stop(NONE)
                && !self.sig[self.pos].first_on_line
            {
                self.skip_one();
            }
            self.eat(Gt);
            self.quiet_at = self.pos;
        }
        self.finish(NodeKind::Signature, mark);
    }

    fn parts(&mut self, kind: NodeKind, mark: Mark) {
        if !self.at(LBrace) {
            self.expected(Expected::Token(LBrace));
            self.skip_to_brace();
        }
        if !self.at(LBrace) {
            return self.finish(kind, mark);
        }
        let braces = self.open_braces(mark);
        self.outer = braces.opener;
        self.later(Part::Next(kind, braces));
    }

    fn next_part(&mut self, kind: NodeKind, braces: Braces) {
        let is_foreign = kind != NodeKind::Net && self.partner(braces.opener) == NONE && self.at_dim_or_tsr();
        if is_foreign || self.at_close(braces) {
            self.outer = NONE;
            return self.close_braces(kind, braces);
        }
        self.later(Part::Next(kind, braces));
        let mark = self.mark();
        let expected = match (kind, self.kind()) {
            (NodeKind::Net, KwDim) => return self.dim_item(mark),
            (NodeKind::Net, KwTsr) => return self.tsr_item(mark),
            (NodeKind::Net, _) => Expected::NodePart,
            (NodeKind::Graph, KwMethod) => return self.method(mark),
            (NodeKind::Graph, _) => Expected::Token(KwMethod),
            _ if self.at_name() => return self.weight(mark),
            _ => Expected::Weight,
        };
        self.expected_or_reserved(expected);
        self.skip_part(braces);
        self.finish(NodeKind::Error, mark);
        self.quiet_at = self.pos;
    }

    /// At least one token, then to the end of what may be a part.
    fn skip_part(&mut self, braces: Braces) {
        loop {
            if self.eat(Semicolon) {
                return;
            }
            let was_block = self.at(LBrace);
            self.skip_one();
            if self.at_close(braces) || self.begins_part() || self.at_dim_or_tsr() {
                return;
            }
            if was_block {
                self.eat(Semicolon);
                return;
            }
        }
    }

    /// `w = Linear::<T -> U>::new(in=1, out=2);`.
    fn weight(&mut self, mark: Mark) {
        self.name();
        if !self.eat(Eq) {
            self.expected(Expected::Token(Eq));
            if matches!(self.kind(), Colon | EqEq) {
                self.bump();
            }
        }
        self.later(Part::Function(mark));
        if !self.at_name() || self.begins_part() {
            return self.expected(Expected::Layer);
        }
        self.name();
        if self.at(ColonColon) && self.nth(1) == Lt {
            self.bump();
            self.type_signature();
        }
    }

    fn function(&mut self, mark: Mark) {
        let is_sign = matches!(self.kind(), Dot | Colon);
        if is_sign {
            self.misspelt(ColonColon);
            self.bump();
        }
        if !is_sign && !self.eat(ColonColon) {
            self.expected(Expected::Token(ColonColon));
        } else if self.at_name() && !self.begins_part() {
            self.name();
        } else {
            self.expected(Expected::Name);
        }
        self.tasks.push(Task::BindEnd(NodeKind::Weight, mark));
        if self.at(LParen) {
            self.open(Rule::Args, self.mark());
        } else {
            self.expected(Expected::Token(LParen));
            self.missing();
        }
    }

    /// `def f(x: T) -> R { … }`.
    fn method(&mut self, mark: Mark) {
        self.bump();
        self.new_name();
        self.tasks.append_all([Task::Finish(NodeKind::Method, mark), Task::Body, Task::Result]);
        if self.at(LParen) {
            self.open(Rule::Params, self.mark());
        }
    }

    /// `x` or `x: T`.
    pub(super) fn script_param(&mut self) {
        let mark = self.mark();
        self.name();
        self.tasks.push(Task::Finish(NodeKind::Param, mark));
        if self.eat(Colon) {
            self.tasks.push(Task::Type);
        }
    }

    pub(super) fn method_result(&mut self) {
        let lacks_arrow = match self.kind() {
            Arrow | Colon | FatArrow | LBracket => !self.at(Arrow),
            _ if self.at_name() && self.nth(1) == LBrace => true,
            _ => return,
        };
        if lacks_arrow {
            self.expected(Expected::Token(Arrow));
        }
        if matches!(self.kind(), Arrow | Colon | FatArrow) {
            self.bump();
        }
        self.tasks.push(Task::Type);
    }

    // Types.

    pub(super) fn shape(&mut self) {
        let mark = self.mark();
        match self.kind() {
            LBracket => self.open(Rule::Shape, mark),
            _ if self.at_name() && !self.begins_part() => self.name_leaf(NodeKind::NameType),
            kind if kind.is_bad() => self.leaf(NodeKind::Error),
            kind => {
                self.expected(Expected::Shape);
                if matches!(kind, Int | Float | Question | Underscore) {
                    self.leaf(NodeKind::Error);
                } else {
                    self.missing();
                }
            }
        }
    }

    pub(super) fn starts_size(&self) -> bool {
        matches!(self.kind(), Int | Question | Underscore | LParen)
            || self.kind().is_bad()
            || self.at_name()
            || self.at_negative()
    }

    fn at_negative(&self) -> bool {
        self.at(Minus) && self.nth(1) == Int
    }

    /// A dim of a shape, or an operand of one that is computed.
    pub(super) fn size(&mut self) {
        let mark = self.mark();
        match self.kind() {
            LParen => self.open(Rule::DimParen, mark),
            Minus if self.at_negative() => {
                let at = self.token_span(self.pos).to(self.token_span(self.pos + 1));
                self.foreign(Foreign::NegativeDim, at, &[(at, "?")]);
                self.bump();
                self.leaf(NodeKind::DimAny);
            }
            _ if !self.starts_size() => {
                self.expected(Expected::Dim);
                self.missing();
            }
            Int => self.leaf(NodeKind::DimNum),
            Question => self.leaf(NodeKind::DimAny),
            Underscore => self.leaf(NodeKind::HoleType),
            kind if kind.is_bad() => self.leaf(NodeKind::Error),
            _ => self.name_leaf(NodeKind::DimName),
        }
    }

    // Expressions.

    /// One operand, without what follows it.
    pub(super) fn script_atom(&mut self, mark: Mark) {
        match self.kind() {
            _ if self.begins_part() => self.no_expr(),
            Int | Float | KwTrue | KwFalse => self.leaf(NodeKind::Literal),
            Underscore => self.leaf(NodeKind::Hole),
            Question => self.leaf(NodeKind::DimAny),
            kind if kind.is_bad() => self.leaf(NodeKind::Error),
            LParen => self.open(Rule::Paren, mark),
            LBracket if self.closed(0, LBracket) => {
                let ends = [self.pos, self.behind(self.pos) - 1].each(|at| self.token_span(at));
                self.foreign(Foreign::Listed, ends[0], &[(ends[0], "("), (ends[1], ")")]);
                self.open(Rule::Paren, mark);
            }
            KwIf => self.if_expr(mark),
            kind if kind.is_reserved() => self.reserved(),
            _ if self.at_name() => self.name_leaf(NodeKind::NameRef),
            _ => self.no_expr(),
        }
    }

    /// `.f`, `.f(…)`, and `(…)` after a name. Whether the rest of the expression is a task by now.
    pub(super) fn script_suffix(&mut self, mark: Mark, min: u8) -> bool {
        let mut node = NodeKind::Call;
        let is_name = self.nodes.last().is_some_and(|node| node.kind == NodeKind::NameRef);
        if !is_name || mark.node as usize + 1 != self.nodes.len() || !self.at(LParen) {
            node = NodeKind::Field;
            loop {
                if !self.eat(Dot) {
                    return false;
                }
                if self.kind().is_word() && !self.begins_part() {
                    self.name();
                } else {
                    self.expected(Expected::Name);
                }
                if self.at(LParen) {
                    break;
                }
                self.finish(NodeKind::Field, mark);
            }
        }
        self.tasks.append_all([Task::ExprRest(mark, min), Task::Finish(node, mark)]);
        self.open(Rule::Args, self.mark());
        true
    }

    /// The `=` behind `: [?, 4]`, `: T` or another language's `: Tensor[2, 3]`.
    pub(super) fn shape_behind(&self, colon: usize) -> Option<usize> {
        let mut end = colon + 1;
        end += usize::from(self.kind_at(end).is_name());
        if self.kind_at(end) == LBracket {
            end = self.behind(end);
        }
        (self.kind_at(colon) == Colon && end > colon + 1 && self.kind_at(end) == Eq).then_some(end)
    }

    /// `x = e;`.
    pub(super) fn assignment(&mut self) {
        let mark = self.mark();
        if self.at(KwLet) {
            self.expected_or_reserved(Expected::Expression);
            self.bump();
        }
        self.new_name();
        if let Some(end) = self.shape_behind(self.pos) {
            self.surplus("a variable has the type of its value, which is not written", end);
        }
        self.bind_value(NodeKind::Assign, mark);
    }

    /// A reserved word with what it may have been meant to begin, as an `Error`.
    fn reserved(&mut self) {
        let mark = self.mark();
        self.expected_or_reserved(Expected::Expression);
        loop {
            let was_block = self.at(LBrace);
            self.skip_one();
            if was_block || self.at_stop(NONE) || matches!(self.kind(), Comma | Semicolon) {
                break;
            }
        }
        self.finish(NodeKind::Error, mark);
        self.quiet_at = self.pos;
    }

    // Words.

    fn expected_or_reserved(&mut self, expected: Expected) {
        let word = self.kind();
        if !word.is_reserved() {
            self.expected(expected);
        } else if !self.hush() {
            self.errors.push(SyntaxError::Reserved { word, at: self.token_span(self.pos) });
        }
    }

    /// Whether an item begins here, or a part of the current one.
    pub(super) fn begins_part(&self) -> bool {
        begins_item(&self.sig, self.pos) || begins_part(&self.sig, self.pos, self.item)
    }

    /// Takes the word here for a name, whatever else it may be.
    pub(super) fn name_leaf(&mut self, kind: NodeKind) {
        let mark = self.mark();
        self.name();
        self.finish(kind, mark);
    }

    /// The name of what is defined; a word that cannot be one is passed over.
    fn new_name(&mut self) {
        if self.at_name() {
            return self.name();
        }
        self.expected(Expected::Name);
        if self.kind().is_keyword() && !self.begins_part() {
            self.bump();
        }
    }
}
