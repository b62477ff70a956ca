//! What stands where nothing should, or lacks the sign before it, found by looking ahead at types: what a text means that
//! a hand changed, or another version of TVM printed.

use super::Parser;
use super::foreign::AHEAD;
use crate::error::{Foreign, SyntaxError};
use crate::lexer::NONE;
use crate::token::TokenKind::*;
use base::{Edit, Span, Surface};

impl Parser<'_> {
    /// Passes over what stands before the token at `end`, and says why once: the next of its kind is the same slip.
    pub(super) fn surplus(&mut self, why: &'static str, end: usize) {
        let (first, last) = (self.token_span(self.pos), self.token_span(end - 1));
        let before = self.token_span(self.pos - 1).end;
        let is_list = matches!(self.sig[self.pos - 1].kind, LParen | LBracket);
        // The space before it goes too, or that behind it.
        let gone = match is_list {
            true => Span::new(first.start, self.token_span(end).start),
            false => Span::new(before, last.end),
        };
        match self.errors.last_mut() {
            Some(SyntaxError::Foreign { form, edits, .. }) if *form == Foreign::Surplus(why) => {
                edits.push(Edit { span: gone, text: "".to_owned() });
            }
            _ => self.foreign(Foreign::Surplus(why), first.to(last), &[(gone, "")]),
        }
        self.pos = end;
    }

    /// The token behind a type that surely begins at this one: a dtype, a `Tensor[…]`, or a tuple or function of such.
    pub(super) fn type_end(&self, mut pos: usize) -> Option<usize> {
        let end = pos + AHEAD;
        while pos < end {
            let sig = self.sig.get(pos)?;
            let behind = |pos: usize| (self.partner(pos as u32) != NONE).then(|| self.partner(pos as u32) as usize + 1);
            pos = match sig.kind {
                KwFn if self.sig[pos + 1].kind == LParen => {
                    behind(pos + 1).filter(|&end| self.sig[end].kind == Arrow)? + 1
                }
                Ident if self.sig[pos + 1].kind == LBracket => return behind(pos + 1),
                Ident => return Some(pos + 1),
                LParen => return behind(pos),
                _ => return None,
            };
        }
        None
    }

    /// `int32 {` and `=> int32 {`, where the type of a result stands behind an arrow.
    pub(super) fn at_bare_result(&self) -> bool {
        let first = self.pos + usize::from(self.at(FatArrow));
        let end = self.type_end(first).filter(|_| self.surface == Surface::Relay);
        end.is_some_and(|end| matches!(self.sig[end].kind, LBrace | KwWhere) && !self.sig[first].first_on_line)
    }
}
