//! Patterns. `as` binds looser than `|`: `A | B as %x` names both.

use super::{Alternatives, Mark, Parser, Rule, Task};
use crate::error::Expected;
use crate::kind::NodeKind;
use crate::token::TokenKind::*;
use base::Surface;

impl Parser<'_> {
    pub(super) fn pattern(&mut self) {
        let mark = self.mark();
        self.tasks.push(Task::PatternRest(mark, Alternatives::One));
        self.alternative();
    }

    /// A pattern without `|` and `as`.
    fn alternative(&mut self) {
        if self.surface == Surface::Refine {
            return self.refine_alternative();
        }
        let mark = self.mark();
        match self.kind() {
            Underscore => self.leaf(NodeKind::WildPat),
            Int | Float | String | KwTrue | KwFalse => self.leaf(NodeKind::LitPat),
            kind if kind.is_bad() => self.leaf(NodeKind::Error),
            Minus => {
                self.bump();
                if !self.eat(Int) && !self.eat(Float) {
                    self.expected(Expected::Pattern);
                }
                self.finish(NodeKind::LitPat, mark);
            }
            Local => {
                self.bump();
                if self.eat(Colon) {
                    self.tasks.push(Task::Finish(NodeKind::VarPat, mark));
                    self.tasks.push(Task::Type);
                } else {
                    self.finish(NodeKind::VarPat, mark);
                }
            }
            kind if kind.is_name() => {
                self.name();
                if self.at(LParen) {
                    self.open(Rule::CtorPat, mark);
                } else if !self.bare_fields(mark) {
                    self.finish(NodeKind::NamePat, mark);
                }
            }
            LParen => self.open(Rule::TuplePat, mark),
            LBracket => self.list_pattern(mark),
            Backtick => self.variant(NodeKind::VariantPat, Rule::VariantPat),
            _ => {
                self.expected(Expected::Pattern);
                self.missing();
            }
        }
    }

    pub(super) fn pattern_rest(&mut self, mark: Mark, mut alternatives: Alternatives) {
        loop {
            if self.eat(Pipe) {
                self.tasks.push(Task::PatternRest(mark, Alternatives::Many));
                return self.alternative();
            }
            if alternatives == Alternatives::Many {
                self.finish(NodeKind::OrPat, mark);
                alternatives = Alternatives::One;
            }
            let is_missing = self.surface == Surface::Refine && self.at(Local) && self.nth(1) == Arrow;
            if is_missing {
                self.expected(Expected::Token(KwAs));
            } else if self.at(KwAs) || self.at(Ident) && self.token_text() == "as" {
                self.tokens[self.sig[self.pos].token as usize].kind = KwAs;
                self.bump();
            } else {
                return;
            }
            match (self.eat(Local), self.surface) {
                (true, _) => {}
                (false, Surface::Refine) => self.no_variable(),
                (false, Surface::Relay | Surface::TensorScript) => {
                    if self.at_name() {
                        self.name();
                    } else {
                        self.expected(Expected::LocalName);
                    }
                }
            }
            self.finish(NodeKind::AsPat, mark);
        }
    }
}
