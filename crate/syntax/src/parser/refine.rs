//! The refine surface: one expression of variants, `let … in` and `match … with`.
//!
//! The keywords, `|` and `->` are anchors: what does not fit is skipped up to the next one, or to the end of the
//! bracket around it. A `|` belongs to the innermost `match`.

use super::{Mark, Parser, Rule, Task};
use crate::error::{Expected, Foreign, SyntaxError};
use crate::kind::NodeKind;
use crate::lexer::NONE;
use crate::token::TokenKind::*;

/// So many tokens of what a variable without its `let` is bound to are looked at.
const LET_AHEAD: usize = 256;

/// A task of this surface.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Program,
    /// After the expression that is the program.
    ProgramEnd(Mark),
    /// An expression, `let`s included.
    Expr,
    /// After a `let … in` of the sequence that began at the mark.
    Seq(Mark),
    /// `= e in` of a `let`.
    Value(Mark),
    In(Mark),
    /// Arguments of a variant.
    Args(Mark),
    /// Behind what takes no arguments.
    NoArgs(Mark),
    /// After what stands in the parentheses opened there.
    Close(u32),
    With(Mark),
    /// The next arm of the `match` that began at the mark.
    Arms(Mark),
    ArmBody(Mark),
    PatArgs(Mark),
    /// The payload types of a variant.
    Payload(Mark),

    // What is written as in other languages.
    /// After the condition of an `if` that began at the mark, and behind its `then` and its `else`; tokens.
    Then(Mark),
    Else(Mark, u32),
    IfEnd(Mark, u32, u32),
    /// The next field of a variant that began at the mark, in the parentheses opened there.
    Field(Mark, u32),
    TupleField(Mark, u32),
    PatField(Mark, u32),
    PatTupleField(Mark, u32),
    /// After arms in braces, which close there.
    Brace(u32),
}

impl Parser<'_> {
    pub(super) fn refine(&mut self, part: Part) {
        match part {
            Part::Program => self.program(),
            Part::ProgramEnd(mark) => self.program_end(mark),
            Part::Expr => self.let_or_operation(),
            Part::Seq(mark) => self.seq(mark),
            Part::Value(mark) => self.value(mark),
            Part::In(mark) => self.let_end(mark),
            Part::Args(mark) => self.args(mark),
            Part::NoArgs(mark) => self.no_args(mark),
            Part::Close(opener) => self.close_parentheses(opener),
            Part::With(mark) => self.with(mark),
            Part::Arms(mark) => self.arms(mark),
            Part::ArmBody(mark) => self.refine_arm_body(mark),
            Part::PatArgs(mark) => self.pat_args(mark),
            Part::Payload(mark) => self.payload(mark),
            Part::Then(mark) => self.if_then(mark),
            Part::Else(mark, then) => self.if_else(mark, then),
            Part::IfEnd(mark, then, otherwise) => self.if_end(mark, then, otherwise),
            Part::Brace(close) => self.brace_end(close),
            Part::Field(mark, opener) | Part::TupleField(mark, opener) => self.field(part, mark, opener),
            Part::PatField(mark, opener) | Part::PatTupleField(mark, opener) => self.pat_field(part, mark, opener),
        }
    }

    pub(super) fn then(&mut self, part: Part) {
        self.tasks.push(Task::Refine(part));
    }

    fn program(&mut self) {
        self.pass_type();
        if !self.at(Eof) {
            self.then(Part::ProgramEnd(self.mark()));
            self.then(Part::Expr);
        }
    }

    fn program_end(&mut self, mark: Mark) {
        self.finish(NodeKind::ExprItem, mark);
        if !self.at(Eof) {
            self.expected(Expected::End);
            let rest = self.mark();
            self.pos = self.sig.len() - 1;
            self.finish(NodeKind::Error, rest);
        }
    }

    // Expressions.

    fn let_or_operation(&mut self) {
        if self.at_let() {
            self.then(Part::Seq(self.mark()));
            self.let_in();
        } else {
            self.operation();
        }
    }

    fn seq(&mut self, mark: Mark) {
        self.pass_type();
        if self.at_let() {
            self.then(Part::Seq(mark));
            self.let_in();
        } else {
            self.tasks.push(Task::Finish(NodeKind::Seq, mark));
            self.operation();
        }
    }

    /// A `let`, or the variable behind one that is missing: then an `in` is there.
    fn at_let(&self) -> bool {
        if !self.at(Local) {
            return self.at(KwLet);
        }
        let equals = match self.nth(1) {
            Colon if self.nth(2) == LBracket => self.behind(self.pos + 2),
            _ => self.pos + 1,
        };
        if self.kind_at(equals) != Eq {
            return false;
        }
        let (mut pos, mut n_lets, mut n_matches) = (equals + 1, 1, 0);
        while pos < equals + LET_AHEAD {
            match self.kind_at(pos) {
                KwLet => n_lets += 1,
                KwIn if n_lets == 1 => return true,
                KwIn => n_lets -= 1,
                KwMatch => n_matches += 1,
                KwWith if n_matches == 0 => return false,
                KwWith => n_matches -= 1,
                KwElse | Comma | Eof => return false,
                kind if kind.is_closer() => return false,
                _ => {}
            }
            pos = self.behind(pos);
        }
        false
    }

    /// `let x : T = e in`.
    fn let_in(&mut self) {
        let mark = self.mark();
        if !self.enter() {
            return self.skip_rest();
        }
        if !self.eat(KwLet) {
            let local = self.token_span(self.pos);
            if !self.hush() {
                self.errors.push(SyntaxError::MissingLet { local, equals: None, has_sigil: true });
            }
        }
        let rec = self.pass_rec();
        if self.eat(Local) {
            if self.function_let(mark) {
                return;
            }
            if let Some(rec) = rec {
                self.no_recursion(rec);
            }
        } else if self.pattern_let(mark) {
            self.depth -= 1;
            return;
        } else {
            self.no_variable();
            while !self.at_anchor() && !matches!(self.kind(), Eq | Colon) {
                self.skip_one();
            }
        }
        self.then(Part::Value(mark));
        if self.eat(Colon) {
            self.sum_type();
        } else if self.at(LBracket) {
            self.expected(Expected::Token(Colon));
            self.sum_type();
        } else if self.at(Arrow) && self.nth(1) == LBracket {
            self.misspelt(Colon);
            self.bump();
            self.sum_type();
        }
    }

    /// Says that a variable should stand here; a variant in its place is passed over.
    pub(super) fn no_variable(&mut self) {
        self.expected(Expected::Variable);
        let is_match = self.at(KwMatch) && matches!(self.nth(1), Eq | Colon);
        self.told_keyword |= is_match;
        if is_match || matches!(self.kind(), Ident | Underscore) {
            self.bump();
        }
    }

    fn value(&mut self, mark: Mark) {
        if !self.eat(Eq) {
            self.expected(Expected::Token(Eq));
            while !self.at_anchor() && !self.at(Eq) && !self.kind().is_operand() {
                self.skip_one();
            }
            self.eat(Eq);
        }
        self.then(Part::In(mark));
        self.then(Part::Expr);
    }

    fn let_end(&mut self, mark: Mark) {
        self.depth -= 1;
        if !self.eat(KwIn) {
            self.expected(Expected::Token(KwIn));
            self.skip_to_anchor_or_operand();
            self.eat(KwIn);
        }
        self.finish(NodeKind::LetStmt, mark);
    }

    /// A `match`, a variant with its arguments, a variable, or an expression in parentheses.
    fn operation(&mut self) {
        self.pass_backtick();
        let mark = self.mark();
        match self.kind() {
            Local | LParen if self.at_function() => self.function_value(),
            Local if self.begins_if() && self.enter() => self.begin_if(mark),
            KwMatch if self.told_keyword && !self.nth(1).is_operand() => {
                self.bump();
                self.finish(NodeKind::Error, mark);
            }
            KwMatch if self.enter() => {
                self.bump();
                self.then(Part::With(mark));
                self.then(Part::Expr);
            }
            KwMatch => self.skip_rest(),
            Ident => {
                self.bump();
                self.args(mark);
            }
            Local => {
                self.leaf(NodeKind::LocalRef);
                self.no_args(mark);
            }
            LParen if self.fields(mark, Part::TupleField) => {}
            LParen => {
                self.then(Part::NoArgs(mark));
                self.parentheses();
            }
            kind if kind.is_operand() => {
                self.not_an_operand();
                self.no_args(mark);
            }
            _ => {
                self.expected(Expected::Expression);
                self.skip_to_anchor();
                self.finish(NodeKind::Error, mark);
            }
        }
    }

    fn args(&mut self, mark: Mark) {
        self.pass_backtick();
        while self.at_operand() {
            match self.kind() {
                Local => self.leaf(NodeKind::LocalRef),
                Ident => self.leaf(NodeKind::Variant),
                LParen if self.fields(mark, Part::Field) => return,
                LParen => {
                    self.then(Part::Args(mark));
                    return self.parentheses();
                }
                _ => self.not_an_operand(),
            }
            self.pass_backtick();
        }
        self.finish(NodeKind::Variant, mark);
        self.pass_operator();
    }

    /// The next field in parentheses with commas.
    fn field(&mut self, part: Part, mark: Mark, opener: u32) {
        match part {
            _ if self.next_field(part, opener) => {}
            Part::Field(..) => self.args(mark),
            _ => {
                self.finish(NodeKind::Tuple, mark);
                self.no_args(mark);
            }
        }
    }

    fn not_an_operand(&mut self) {
        if matches!(self.kind(), Int | Float | String) {
            self.foreign(Foreign::NoLiterals, self.token_span(self.pos), &[]);
        } else {
            self.expected(Expected::Expression);
        }
        self.leaf(NodeKind::Error);
    }

    /// An operand on a new line may rather follow a missing `in`.
    fn no_args(&mut self, mark: Mark) {
        self.pass_operator();
        if !self.at_operand() || self.sig[self.pos].first_on_line {
            return;
        }
        let callee = self.token_span(mark.pos as usize).to(self.token_span(self.pos - 1));
        if !self.hush() && !self.told_functions {
            self.errors.push(SyntaxError::TakesNoArguments { callee, argument: self.token_span(self.pos) });
        }
        while self.at_operand() {
            self.skip_one();
        }
        self.quiet_at = self.pos;
    }

    /// `(e)`.
    fn parentheses(&mut self) {
        let mark = self.mark();
        self.tasks.push(Task::Finish(NodeKind::Paren, mark));
        if self.open_parentheses() {
            self.then(Part::Expr);
        }
    }

    /// Whether what they hold is to be parsed; past the nesting limit it is an `Error` by now.
    fn open_parentheses(&mut self) -> bool {
        let opener = self.pos as u32;
        let fits = self.enter();
        self.bump();
        if !fits {
            self.depth += 1;
            self.skip_inside(opener);
        }
        self.then(Part::Close(opener));
        fits
    }

    fn close_parentheses(&mut self, opener: u32) {
        self.depth -= 1;
        match self.partner(opener) {
            NONE => self.unclosed(opener),
            close => {
                if self.pos < close as usize {
                    self.expected(Expected::Token(RParen));
                }
                self.pos = close as usize + 1;
            }
        }
    }

    // `match`.

    fn with(&mut self, mark: Mark) {
        if !self.braces(mark) && !self.eat(KwWith) {
            self.expected(Expected::Token(KwWith));
            self.skip_to_anchor();
            self.eat(KwWith);
        }
        self.pass_backtick();
        // The first arm may go without its `|`.
        if self.at(Pipe) || self.kind().is_operand() {
            self.refine_arm(mark);
        } else {
            self.expected(Expected::Token(Pipe));
            self.end_match(mark);
        }
    }

    fn refine_arm(&mut self, matching: Mark) {
        let mark = self.mark();
        self.eat(Pipe);
        self.then(Part::Arms(matching));
        self.then(Part::ArmBody(mark));
        self.tasks.push(Task::Pattern);
    }

    fn arms(&mut self, matching: Mark) {
        if self.at(Pipe) {
            return self.refine_arm(matching);
        }
        // A keyword is what the text around the `match` goes on with, or says there what is missing.
        if matches!(self.kind(), KwIn | KwWith | KwLet | KwMatch | KwElse | Comma) || self.at_stop(NONE) {
            return self.end_match(matching);
        }
        let is_arm = self.at_bare_arm();
        // What stands on a line of its own and is no arm goes on behind the `match`.
        if !is_arm && self.sig[self.pos].first_on_line && self.kind().starts_refine() {
            return self.end_match(matching);
        }
        self.expected(Expected::Token(Pipe));
        if is_arm {
            return self.refine_arm(matching);
        }
        let skipped = self.mark();
        self.skip_one();
        self.skip_to_anchor();
        self.finish(NodeKind::Error, skipped);
        self.quiet_at = self.pos;
        self.then(Part::Arms(matching));
    }

    fn end_match(&mut self, mark: Mark) {
        self.depth -= 1;
        self.finish(NodeKind::Match, mark);
    }

    fn refine_arm_body(&mut self, mark: Mark) {
        if self.at(Minus) && self.nth(1) == Gt {
            let apart = self.token_span(self.pos).to(self.token_span(self.pos + 1));
            self.foreign(Foreign::Apart("->"), apart, &[(apart, "->")]);
            self.pos += 2;
        } else if !self.eat(Arrow) {
            self.expected(Expected::Token(Arrow));
            if matches!(self.kind(), FatArrow | Eq | Colon | Minus | Gt) {
                self.bump();
            } else {
                self.skip_to_anchor();
            }
            self.eat(Arrow);
        }
        self.tasks.push(Task::Finish(NodeKind::Arm, mark));
        self.then(Part::Expr);
    }

    // Patterns.

    pub(super) fn refine_alternative(&mut self) {
        self.pass_backtick();
        let mark = self.mark();
        match self.kind() {
            Ident => {
                self.bump();
                self.pat_args(mark);
            }
            LParen if self.fields(mark, Part::PatTupleField) => {}
            kind if kind.is_operand() => self.pattern_operand(),
            _ => {
                self.expected(Expected::Pattern);
                self.missing();
            }
        }
    }

    fn pat_args(&mut self, mark: Mark) {
        self.pass_backtick();
        while self.kind().is_operand() {
            if self.at(LParen) {
                if !self.fields(mark, Part::PatField) {
                    self.then(Part::PatArgs(mark));
                    self.pattern_operand();
                }
                return;
            }
            self.pattern_operand();
            self.pass_backtick();
        }
        self.finish(NodeKind::VariantPat, mark);
    }

    fn pat_field(&mut self, part: Part, mark: Mark, opener: u32) {
        match part {
            _ if self.next_field(part, opener) => {}
            Part::PatField(..) => self.pat_args(mark),
            _ => self.finish(NodeKind::TuplePat, mark),
        }
    }

    fn pattern_operand(&mut self) {
        match self.kind() {
            Underscore => self.leaf(NodeKind::WildPat),
            Local => self.leaf(NodeKind::VarPat),
            Ident => self.leaf(NodeKind::VariantPat),
            LParen => {
                if self.open_parentheses() {
                    self.tasks.push(Task::Pattern);
                }
            }
            _ => {
                self.expected(Expected::Pattern);
                self.leaf(NodeKind::Error);
            }
        }
    }

    // Types.

    fn sum_type(&mut self) {
        let mark = self.mark();
        if self.at(LBracket) {
            return self.open(Rule::SumType, mark);
        }
        if self.unbracketed_sum() {
            return;
        }
        self.expected(Expected::SumType);
        while !self.at_anchor() && !self.at(Eq) {
            self.skip_one();
        }
        self.finish(NodeKind::Error, mark);
    }

    /// `B [C] [D]` of a sum type.
    pub(super) fn variant_type(&mut self) {
        let mark = self.mark();
        if !self.at(Ident) {
            return self.leaf(NodeKind::Error);
        }
        self.bump();
        self.payload(mark);
    }

    fn payload(&mut self, mark: Mark) {
        while self.at(Ident) && matches!(self.nth(1), Comma | RBracket | Ident) {
            let (at, sum) = (self.token_span(self.pos), self.mark());
            let form = Foreign::BarePayload(self.token_span(self.pos - 1).end);
            self.foreign(form, at, &[(self.start_of(sum), "["), (at.after(), "]")]);
            self.leaf(NodeKind::VariantType);
            self.finish(NodeKind::SumType, sum);
        }
        if self.at(LBracket) || self.foreign_payload() {
            self.then(Part::Payload(mark));
            let sum = self.mark();
            self.open(Rule::SumType, sum);
        } else {
            self.finish(NodeKind::VariantType, mark);
        }
    }

    // Where things begin and end.

    /// A token that goes on with the program whatever stands before it.
    fn at_anchor(&self) -> bool {
        matches!(self.kind(), KwLet | KwIn | KwMatch | KwWith | KwElse | Pipe | Arrow) || self.at_stop(NONE)
    }

    /// Everything up to the end of the bracket around it, as an `Error`; quietly.
    pub(super) fn skip_rest(&mut self) {
        let mark = self.mark();
        self.skip_one();
        while !self.at_stop(NONE) {
            self.skip_one();
        }
        self.finish(NodeKind::Error, mark);
        self.quiet_at = self.pos;
    }

    /// What is passed over belongs to the node around it.
    pub(super) fn skip_to_anchor(&mut self) {
        while !self.at_anchor() {
            self.skip_one();
        }
    }

    fn skip_to_anchor_or_operand(&mut self) {
        while !self.at_anchor() && !self.kind().is_operand() {
            self.skip_one();
        }
    }

    fn at_operand(&self) -> bool {
        self.kind().is_operand() && !self.at_bare_arm()
    }

    /// Whether a line begins here that can only be an arm without its `|`: `A x ->`. Each line is read once.
    fn at_bare_arm(&self) -> bool {
        if !self.sig[self.pos].first_on_line {
            return false;
        }
        let mut pos = self.pos;
        loop {
            let sig = self.sig[pos];
            match sig.kind {
                Arrow => return true,
                _ if pos > self.pos && sig.first_on_line => return false,
                LParen if sig.partner != NONE => pos = sig.partner as usize + 1,
                Ident | Local | Underscore | KwAs | Pipe => pos += 1,
                _ => return false,
            }
        }
    }
}
