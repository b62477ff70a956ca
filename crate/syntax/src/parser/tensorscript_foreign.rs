//! What is written in TensorScript as in Python or PyTorch: said once, with what it is here, and passed over.

use super::{Mark, Parser, Rule};
use crate::error::Foreign;
use crate::lexer::NONE;
use crate::token::TokenKind::*;
use base::Span;

/// The modules whose functions are called by their names alone.
const MODULES: [&str; 4] = ["torch", "nn", "functional", "F"];

const MANY: usize = 100;

impl Parser<'_> {
    fn is_text(&self, pos: usize, words: &[&str]) -> bool {
        self.sig[pos].kind == Ident && words.contains(&&self.text[self.token_span(pos).range()])
    }

    /// `torch.exp(…)`, `F.relu`, at the module, unless it is a name of the text's own.
    pub(super) fn pass_modules(&mut self) {
        let first = self.pos;
        while self.is_text(self.pos, &MODULES) && self.nth(1) == Dot && self.nth(2).is_word() {
            self.pos += 2;
        }
        let name = &self.text[self.token_span(first).range()];
        // In a text with many mistakes nobody looks that far.
        if self.pos > first && self.errors.len() < MANY && base::find(self.text, &format!("{name} =")).is_some() {
            self.pos = first;
        }
        if self.pos > first {
            let before = Span::new(self.token_span(first).start, self.token_span(self.pos).start);
            self.foreign(Foreign::Module, Span::new(before.start, before.end - 1), &[(before, "")]);
        }
    }

    /// Opens a list in brackets of another form: `[a, b]` for a tuple, `(?, 4)` for a shape.
    pub(super) fn open_foreign(&mut self, rule: Rule, mark: Mark) -> bool {
        let close = self.partner(self.pos as u32);
        if close == NONE {
            return false;
        }
        let (open, closed) = (self.token_span(self.pos), self.token_span(close as usize));
        let (form, left, right) =
            if self.at(LBracket) { (Foreign::TupleBrackets, "(", ")") } else { (Foreign::ShapeParens, "[", "]") };
        self.foreign(form, open.to(closed), &[(open, left), (closed, right)]);
        self.open(rule, mark);
        true
    }
}
