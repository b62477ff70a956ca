//! What is written in TensorScript as in Python or PyTorch: said once, with what it is here, and passed over.

use super::{Mark, Parser, Rule};
use crate::error::Foreign;
use crate::lexer::NONE;
use crate::token::TokenKind::*;
use base::Span;

/// The modules whose functions are called by their names alone.
const MODULES: [&str; 4] = ["torch", "nn", "functional", "F"];

impl Parser<'_> {
    fn is_text(&self, pos: usize, words: &[&str]) -> bool {
        self.sig[pos].kind == Ident && words.contains(&&self.text[self.token_span(pos).range()])
    }

    /// `torch.exp(…)`, `F.relu`, at the module.
    pub(super) fn pass_modules(&mut self) {
        let first = self.pos;
        while self.is_text(self.pos, &MODULES) && self.nth(1) == Dot && self.nth(2).is_word() {
            self.pos += 2;
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

    /// `x += e`, behind the name: the operator in front of the `=`.
    pub(super) fn pass_operator_of_assignment(&mut self) {
        if !matches!(self.kind(), Plus | Minus | Star | Slash) || self.nth(1) != Eq || !self.adjacent(1) {
            return;
        }
        let (name, sign, equals) = (self.pos - 1, self.pos, self.pos + 1);
        let mut end = equals + 1;
        while !matches!(self.sig[end].kind, Semicolon | Eof) && !self.sig[end].kind.is_closer() {
            end = self.behind(end);
        }
        let [name, sign, equals, value, last] =
            [name, sign, equals, equals + 1, end - 1].map(|pos| self.token_span(pos));
        let (open, close) = if value == last { ("", "") } else { ("(", ")") };
        let written = format!("= {} {} {open}", &self.text[name.range()], &self.text[sign.range()]);
        let at = sign.to(equals);
        self.foreign(Foreign::Compound, at, &[(Span::new(at.start, value.start), &written), (last.after(), close)]);
        self.bump();
    }

    /// `import a::B;`, `from a import B;`, where an item begins.
    pub(super) fn at_import(&self) -> bool {
        self.is_text(self.pos, &["import", "from"]) && self.nth(1).is_name()
    }

    /// Says what is written for them, but for the path, which is read as that of a `use`.
    pub(super) fn foreign_import(&mut self) {
        let word = self.token_span(self.pos);
        let mut edits = vec![(word, "use")];
        let token = self.sig[self.pos].token as usize;
        self.tokens[token].kind = KwUse;
        let mut pos = self.pos + 1;
        while self.sig[pos].kind.is_name() && matches!(self.sig[pos + 1].kind, ColonColon | Dot) {
            edits.extend((self.sig[pos + 1].kind == Dot).then(|| (self.token_span(pos + 1), "::")));
            pos += 2;
        }
        if self.is_text(pos + 1, &["import"]) {
            let (before, token) = (self.token_span(pos).end, self.sig[pos + 1].token as usize);
            self.tokens[token].kind = ColonColon;
            edits.push((Span::new(before, self.token_span(pos + 2).start), "::"));
        }
        self.foreign(Foreign::Import, word, &edits);
    }

    /// Whether the word of an import stands here between two parts of a path.
    pub(super) fn at_import_word(&self) -> bool {
        self.is_text(self.pos + 1, &["import"]) && self.nth(2).is_name()
    }
}
