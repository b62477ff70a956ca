//! The items of a file.

use super::block::Braces;
use super::foreign::AHEAD;
use super::pair::begins_item;
use super::{Mark, Parser, Rule, Task};
use crate::error::{Expected, Foreign, SyntaxError};
use crate::kind::NodeKind;
use crate::lexer::NONE;
use crate::token::TokenKind::*;
use base::{Append, MapArray, Span, Surface, ToList};

impl Parser<'_> {
    pub(super) fn items(&mut self) {
        if self.at(Eof) {
            return;
        }
        self.tasks.push(Task::Items);
        self.sig[self.pos].ends_blocks = false;
        let mark = self.mark();
        match self.kind() {
            Hash => self.version(),
            Ident if self.at_old_version() => self.old_version(),
            Metadata => self.leaf(NodeKind::Metadata),
            KwDef => self.def(),
            KwFn if self.at_named_fn() => self.named_fn(),
            Global if self.at_bare_def() => self.named_fn(),
            KwType => self.type_def(NodeKind::TypeDef),
            KwData if self.nth(1) == Ident => self.type_def(NodeKind::TypeDef),
            KwExtern => self.type_def(NodeKind::ExternType),
            KwRelation if self.nth(1) == Ident => self.relation_item(),
            Ident if self.at_bare_relation() => self.relation_item(),
            _ if self.at_statement() || self.at_bare_binding() => {
                self.statement(NodeKind::LetItem, NodeKind::GraphItem);
            }
            kind if kind.starts_expr() => {
                self.bare = true;
                self.tasks.push(Task::ExprItemEnd(mark));
                self.tasks.push(Task::Expr(1));
            }
            _ => {
                self.expected(Expected::Item);
                self.skip_item();
                self.finish(NodeKind::Error, mark);
            }
        }
    }

    /// At least one token, then up to the next that begins a line and can begin an item.
    fn skip_item(&mut self) {
        loop {
            if self.eat(Semicolon) {
                return;
            }
            self.skip_one();
            let fresh = self.sig[self.pos].first_on_line;
            if self.at(Eof) || (fresh && (self.kind().starts_expr() || self.at_statement() || self.at(Hash))) {
                return;
            }
            if begins_item(&self.sig, self.pos) {
                return;
            }
        }
    }

    pub(super) fn expr_item_end(&mut self, mark: Mark) {
        self.bare = false;
        while self.stray_closer() {}
        if !self.eat(Semicolon) && !self.at(Eof) && !self.sig[self.pos].first_on_line {
            self.expected(Expected::ItemEnd);
        }
        self.finish(NodeKind::ExprItem, mark);
    }

    /// Whether a top-level expression ends here although the token could go on with it: outside brackets, at a `(`, or
    /// a `-` right before its operand, in the first column.
    pub(super) fn at_new_item(&self) -> bool {
        self.bare && self.depth == self.n_operators && self.in_first_column() && (self.at(LParen) || self.adjacent(1))
    }

    pub(super) fn in_first_column(&self) -> bool {
        let start = self.token_span(self.pos).start as usize;
        self.sig[self.pos].first_on_line && self.text.as_bytes()[..start].last() == Some(&b'\n')
    }

    /// `#[version = "0.0.5"]`.
    fn version(&mut self) {
        let mark = self.mark();
        let close = if self.nth(1) == LBracket { self.partner(self.pos as u32 + 1) } else { NONE };
        let names_version = self.nth(2) == Ident && &self.text[self.token_span(self.pos + 2).range()] == "version";
        if close as usize != self.pos + 5 || !names_version || self.nth(3) != Eq || self.nth(4) != String {
            self.expected(Expected::Item);
            self.skip_item();
            return self.finish(NodeKind::Error, mark);
        }
        let at = self.token_span(self.pos + 4);
        if &self.text[at.range()] != "\"0.0.5\"" {
            self.errors.push(SyntaxError::BadVersion { at });
        }
        self.pos = close as usize + 1;
        self.finish(NodeKind::Version, mark);
    }

    /// `v0.0.4`, the first line of what Relay printed before it had `#[version = …]`.
    fn at_old_version(&self) -> bool {
        if self.pos > 0 {
            return false;
        }
        let rest = &self.text[self.token_span(0).start as usize..];
        let number = base::before(rest, "\n").trim_ascii_end().strip_prefix("v0.0.");
        number.and_then(base::parse_u64).is_some_and(|number| number <= u8::MAX.into())
    }

    fn old_version(&mut self) {
        let mark = self.mark();
        self.bump();
        while !self.at(Eof) && !self.sig[self.pos].first_on_line {
            self.bump();
        }
        self.finish(NodeKind::Version, mark);
    }

    fn def(&mut self) {
        let mark = self.mark();
        self.bump();
        if self.at_name() {
            let name = self.token_span(self.pos);
            if !self.hush() {
                self.errors.push(SyntaxError::MissingSigil { name });
            }
            self.name();
        } else if !self.eat(Global) {
            self.expected(Expected::GlobalName);
        }
        self.signature(NodeKind::Def, mark);
    }

    fn at_named_fn(&self) -> bool {
        matches!(self.nth(1), Global | Ident) && matches!(self.nth(2), LParen | LBracket | Lt)
    }

    /// `@f(%x) -> A {`, `@f[A](%x) {` on one line or `@f(%x: A) {`, where `def` is missing.
    fn at_bare_def(&self) -> bool {
        let params = if self.nth(1) == LBracket { self.behind(self.pos + 1) } else { self.pos + 1 };
        let behind = self.behind(params);
        let is_head = match self.kind_at(behind) {
            Arrow | Colon => true,
            LBrace if matches!(self.kind_at(params + 1), Local | Ident | Underscore) => {
                let is_param = matches!(self.kind_at(params + 2), Comma | Colon | RParen);
                is_param && (!self.sig[behind].first_on_line || self.kind_at(params + 2) == Colon)
            }
            _ => false,
        };
        self.kind_at(params) == LParen && behind > params + 1 && is_head
    }

    fn named_fn(&mut self) {
        let mark = self.mark();
        let at_name = self.pos + usize::from(self.at(KwFn));
        let (keyword, name) = (self.token_span(self.pos), self.token_span(at_name));
        let has_sigil = self.kind_at(at_name) == Global;
        if !self.hush() {
            self.errors.push(SyntaxError::NamedFn { keyword, name, has_sigil });
        }
        self.pos = at_name + 1;
        self.signature(NodeKind::Def, mark);
    }

    /// What `def @f` and `fn` share: type parameters, parameters, result, relations, body.
    pub(super) fn signature(&mut self, kind: NodeKind, mark: Mark) {
        self.type_params();
        self.tasks.append_all([Task::Finish(kind, mark), Task::Body, Task::Where, Task::Result]);
        if self.at(LParen) {
            if self.nth(1) == LParen && self.partner(self.pos as u32) == NONE && self.closed(1, LParen) {
                self.surplus("parameters stand in one pair of parentheses", self.pos + 1);
            }
            self.open(Rule::Params, self.mark());
        } else if !self.bare_params() {
            self.expected(Expected::Token(LParen));
            self.missing();
        }
    }

    pub(super) fn result(&mut self) {
        while self.stray_closer() {}
        if self.surface == Surface::TensorScript {
            return self.method_result();
        }
        if self.eat(Arrow) || !self.at_body_colon() && self.eat(Colon) {
            self.tasks.push(Task::Type);
        } else if self.at_bare_result() {
            if self.kind().is_for_arrow() {
                self.misspelt(Arrow);
                self.bump();
            } else {
                self.expected(Expected::Token(Arrow));
            }
            self.tasks.push(Task::Type);
        }
    }

    /// `[A, N: Dim]` or `<A, N: Dim>`, if it is there.
    pub(super) fn type_params(&mut self) {
        if !self.at(LBracket) && !self.at(Lt) {
            return;
        }
        let mark = self.mark();
        let opener = self.pos as u32;
        let closer = self.kind().closer();
        self.bump();
        while !self.eat(closer) {
            let named = self.at_name();
            if named {
                self.type_param();
                if self.eat(Comma) || self.at(closer) {
                    continue;
                }
            }
            match self.partner(opener) {
                close if (closer == Gt || close != NONE) && named && self.at_name() => {
                    self.expected(Expected::Separator(closer));
                }
                close if closer == RBracket && close != NONE => {
                    self.expected(if named { Expected::Separator(closer) } else { Expected::Name });
                    self.skip_to_comma(close);
                    self.eat(Comma);
                }
                _ => {
                    self.unclosed(opener);
                    break;
                }
            }
        }
        self.finish(NodeKind::TypeParams, mark);
    }

    /// `A` or `N: Dim`.
    pub(super) fn type_param(&mut self) {
        let mark = self.mark();
        self.name();
        let kind = &self.text[self.token_span(self.pos).range()];
        if matches!(kind, "Dim" | "Shape" | "Type" | "BaseType" | "Row") {
            self.expected(Expected::Token(Colon));
            self.bump();
        } else if self.eat(Colon) && !self.eat(Ident) {
            self.expected(Expected::Name);
        }
        self.finish(NodeKind::TypeParam, mark);
    }

    /// `type T[A] { … }`, `data T<A> { … }`, `extern type T`.
    fn type_def(&mut self, kind: NodeKind) {
        let mark = self.mark();
        let is_extern = self.eat(KwExtern);
        if !self.eat(KwType) && !self.eat(KwData) {
            self.expected(Expected::Token(KwType));
            return self.finish(kind, mark);
        }
        let name = self.token_span(self.pos);
        if !self.eat(Ident) {
            self.expected(Expected::Name);
        }
        self.type_params();
        if self.foreign_ctors(kind, mark) {
            return;
        }
        if self.at(Eq) && self.nth(1) == LBrace {
            self.surplus("the constructors of a type stand behind its name without `=`", self.pos + 1);
        }
        if !self.at(LBrace) {
            self.eat(Semicolon);
            return self.finish(kind, mark);
        }
        if is_extern && !self.hush() {
            let at = self.token_span(self.pos);
            self.errors.push(SyntaxError::ExternWithConstructors { at, name });
        }
        let braces = self.open_braces(mark);
        self.tasks.push(Task::Ctors(kind, braces));
    }

    pub(super) fn ctors(&mut self, kind: NodeKind, braces: Braces) {
        if self.at_close(braces) {
            return self.close_braces(kind, braces);
        }
        let mark = self.mark();
        if let Some(close) = self.record_end(braces) {
            return self.record(kind, braces, close);
        }
        if self.eat(Ident) {
            self.tasks.push(Task::Ctors(kind, braces));
            self.tasks.push(Task::Finish(NodeKind::Ctor, mark));
            if self.eat(Colon) {
                self.tasks.push(Task::CtorResult);
                if !self.at(LParen) {
                    return self.expected(Expected::Token(LParen));
                }
            }
            if self.at(LParen) {
                self.open(Rule::CtorFields, self.mark());
            } else {
                self.foreign_of(NONE);
            }
        } else if self.at(Comma) && !matches!(self.sig[self.pos - 1].kind, Comma | LBrace) {
            self.bump();
            self.tasks.push(Task::Ctors(kind, braces));
        } else if self.partner(braces.opener) == NONE {
            self.close_braces(kind, braces);
        } else {
            self.expected(Expected::Constructor);
            self.skip_one();
            while !self.at_close(braces) && !self.at(Comma) && !self.sig[self.pos].first_on_line {
                self.skip_one();
            }
            self.tasks.push(Task::Ctors(kind, braces));
        }
    }

    /// The `}` behind fields with names, `x: int32, y: int32`, if those are all that there is.
    fn record_end(&self, braces: Braces) -> Option<usize> {
        let close = self.partner(braces.opener);
        let mut pos = self.pos;
        let is_small =
            |pos: usize| self.text[self.token_span(pos).range()].as_bytes().first().is_some_and(u8::is_ascii_lowercase);
        while close != NONE
            && pos < self.pos + AHEAD
            && [0, 1].each(|at| self.kind_at(pos + at)) == [Ident, Colon]
            && is_small(pos)
        {
            let end = self.type_end(pos + 2)?;
            if end >= close as usize {
                return Some(end);
            }
            pos = end + usize::from(self.kind_at(end) == Comma);
        }
        (pos > self.pos && pos == close as usize).then_some(pos)
    }

    /// Fields with names in the place of constructors.
    fn record(&mut self, kind: NodeKind, braces: Braces, close: usize) {
        let (first, last) = (self.token_span(self.pos), self.token_span(close - 1));
        let name = (0..braces.opener as usize).rev().find(|&pos| matches!(self.kind_at(pos), KwType | KwData));
        let name = name.map_or("", |pos| &self.text[self.token_span(pos + 1).range()]);
        let opened = format!("{name}(");
        let fields = (self.pos..close).filter(|&pos| self.kind_at(pos) == Ident && self.kind_at(pos + 1) == Colon);
        let names = fields.map(|pos| Span::new(self.token_span(pos).start, self.token_span(pos + 2).start));
        let edits = names.enumerate().map(|(i, name)| (name, if i == 0 { &*opened } else { "" }));
        let mut edits: Vec<(Span, &str)> = edits.list();
        edits.push((last.after(), ")"));
        self.foreign(Foreign::Record, first.to(last), &edits);
        let mark = self.mark();
        while self.pos < close {
            self.skip_one();
        }
        self.finish(NodeKind::Error, mark);
        self.close_braces(kind, braces);
    }

    pub(super) fn ctor_result(&mut self) {
        let mark = self.mark();
        if self.eat(Arrow) {
            self.tasks.push(Task::Finish(NodeKind::CtorResult, mark));
            self.tasks.push(Task::Type);
        }
    }
}
