//! What stands where nothing should, or lacks the sign before it, found by looking ahead at types: what a text means that
//! a hand changed, or another version of TVM printed.

use super::foreign::AHEAD;
use super::list::List;
use super::{Mark, Parser, Rule};
use crate::error::{Foreign, SyntaxError};
use crate::kind::NodeKind;
use crate::lexer::NONE;
use crate::token::TokenKind::*;
use base::{Edit, MapArray, Span, Surface};

impl Parser<'_> {
    /// Passes over what stands before the token at `end`, and says why once: the next of its kind is the same slip.
    pub(super) fn surplus(&mut self, why: &'static str, end: usize) {
        let [before, first, last, behind] = [self.pos - 1, self.pos, end - 1, end].each(|pos| self.token_span(pos));
        let is_element = matches!(self.sig[end].kind, Comma | RParen | RBracket);
        let gone = match self.sig[self.pos - 1].kind {
            Comma if is_element => Span::new(before.start, last.end),
            Comma | LParen | LBracket => Span::new(first.start, behind.start),
            _ => Span::new(before.end, last.end),
        };
        match self.errors.last_mut() {
            Some(SyntaxError::Foreign { form, edits, .. }) if *form == Foreign::Surplus(why) => {
                edits.push(Edit { span: gone, text: "".to_owned() });
            }
            _ => self.foreign(Foreign::Surplus(why), first.to(last), &[(gone, "")]),
        }
        self.pos = end;
    }

    /// What an element of a list has too much; whether nothing of it is left.
    pub(super) fn pass_surplus(&mut self, list: List) -> bool {
        const FUNCTION: &str = "a function's type has the types of its parameters alone, as `fn(int32) -> bool`";
        const PARTS: &str = "the parts of a type have no names: `Pair(int32, bool)`";
        if self.surface != Surface::Relay {
            return false;
        }
        match list.rule {
            Rule::Tensor if self.at(Ident) && self.nth(1) == Eq => {
                self.surplus("the parts of a tensor's type have no names: `Tensor[(2, 3), float32]`", self.pos + 2);
                false
            }
            Rule::CtorFields | Rule::VariantType | Rule::TupleType if self.at(Ident) && self.nth(1) == Colon => {
                self.surplus(PARTS, self.pos + 2);
                false
            }
            Rule::FnTypeParams if self.at(Local) || self.at(Ident) && self.nth(1) == Colon => {
                self.surplus(FUNCTION, self.pos + 2);
                false
            }
            Rule::FnTypeParams if self.at_attr() => {
                self.surplus(FUNCTION, self.element_end(self.pos));
                true
            }
            Rule::Args if let Some(end) = self.argument_types(list) => {
                self.surplus("a call has no types behind its arguments", end);
                true
            }
            _ => false,
        }
    }

    /// Where the element of a list ends that begins or goes on here.
    fn element_end(&self, mut pos: usize) -> usize {
        while !matches!(self.kind_at(pos), Comma | Semicolon | Eof) && !self.kind_at(pos).is_closer() {
            pos = self.behind(pos);
        }
        pos
    }

    /// `Tensor[(1), int32], int32)` behind as many arguments of these types, as TVM prints a call after some passes.
    fn argument_types(&self, list: List) -> Option<usize> {
        let (n_args, mut end) = (usize::from(list.n_items - 1).min(AHEAD), self.pos);
        for n in 0..n_args {
            if n > 0 && self.kind_at(end) != Comma {
                return None;
            }
            let first = end + usize::from(n > 0);
            if !self.at_plain_type(first) {
                return None;
            }
            end = self.type_end(first)?;
        }
        // `cast(%x, int32)` says by its type what it gives.
        let is_enough = n_args > 1 || n_args == 1 && self.nth(1) != RParen;
        let is_last = self.sig[end].partner == list.opener || self.kind_at(end) == Comma && self.kind_at(end + 2) == Eq;
        (is_enough && is_last).then_some(end)
    }

    /// Whether a type begins here that is no expression, as far as its first word says.
    fn at_plain_type(&self, mut pos: usize) -> bool {
        while self.kind_at(pos) == LParen {
            pos += 1;
        }
        let text = &self.text[self.token_span(pos).range()];
        match self.kind_at(pos) {
            Ident if text == "Tensor" => self.kind_at(pos + 1) == LBracket,
            Ident => {
                let dtype = base::trim_end(text, "0123456789");
                matches!(dtype, "bool" | "int" | "uint" | "float" | "bfloat")
            }
            kind => kind == KwFn,
        }
    }

    /// Goes past the value of an attribute that says where a tensor lives, which means nothing here.
    pub(super) fn device(&mut self) -> bool {
        let first = self.pos + usize::from(self.at(LBracket));
        let text = &self.text[self.token_span(first).range()];
        if !matches!(text, "VirtualDevice" | "SEScope" | "Target") || self.kind_at(first + 1) != LParen {
            return false;
        }
        let mark = self.mark();
        self.pos = self.element_end(self.pos);
        self.finish(NodeKind::Error, mark);
        self.unsay(mark);
        true
    }

    /// What the lexer said of what was passed over from the mark to here is no mistake.
    pub(super) fn unsay(&mut self, mark: Mark) {
        let [from, to] = [mark.pos as usize, self.pos].each(|pos| self.token_span(pos).start);
        self.unsaid.push(from..to);
    }

    /// A variable and a type, and a `=` behind them.
    pub(super) fn at_annotation(&self) -> bool {
        let is_annotated = self.surface == Surface::Relay && self.nth(1) == Colon;
        is_annotated && self.type_end(self.pos + 2).is_some_and(|end| self.kind_at(end) == Eq)
    }

    /// Whether a type stands right behind the parameter that began at the mark.
    pub(super) fn lacks_colon(&self, mark: Mark) -> bool {
        let is_param = self.sig[mark.pos as usize].kind == Local && self.surface == Surface::Relay;
        let end = self.type_end(self.pos).filter(|_| is_param && !self.sig[self.pos].first_on_line && !self.at_attr());
        end.is_some_and(|end| matches!(self.kind_at(end), Comma | RParen))
    }

    /// The token behind a type that surely begins at this one: a dtype, a `Tensor[…]`, a sum, or a tuple or function of
    /// such.
    pub(super) fn type_end(&self, mut pos: usize) -> Option<usize> {
        let end = pos + AHEAD;
        while pos < end {
            let behind = |pos: usize| (self.partner(pos as u32) != NONE).then(|| self.partner(pos as u32) as usize + 1);
            pos = match self.kind_at(pos) {
                KwFn => {
                    let params = if self.kind_at(pos + 1) == LBracket { behind(pos + 1)? } else { pos + 1 };
                    behind(params).filter(|&end| self.kind_at(end) == Arrow)? + 1
                }
                Ident if self.kind_at(pos + 1) == LBracket => return behind(pos + 1),
                Ident => return Some(pos + 1),
                LParen | LBracket => return behind(pos),
                _ => return None,
            };
        }
        None
    }

    /// `int32 {`, `=> int32 {` and `- int32 {`, where the type of a result stands behind an arrow.
    pub(super) fn at_bare_result(&self) -> bool {
        let first = self.pos + usize::from(self.kind().is_for_arrow());
        let end = self.type_end(first).filter(|_| self.surface == Surface::Relay);
        end.is_some_and(|end| matches!(self.kind_at(end), LBrace | KwWhere) && !self.sig[first].first_on_line)
    }
}
