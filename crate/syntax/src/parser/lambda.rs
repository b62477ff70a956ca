//! Functions as other languages write them: `x -> e`, `(x, y) => e`, `fun x -> e`, `let f x = e`. Each is parsed as the
//! `fn` that it is here.

use super::foreign::AHEAD;
use super::{Mark, Parser, Task};
use crate::error::{Foreign, SyntaxError};
use crate::kind::NodeKind;
use crate::token::TokenKind::{self, *};
use base::{Append, Edit, Join, Span, Surface, ToList};

impl Parser<'_> {
    /// Goes past an arrow behind an operand that began at the mark and is nothing but names.
    pub(super) fn foreign_arrow(&mut self, mark: Mark, min: u8) -> bool {
        let (from, arrow) = (mark.pos as usize, self.pos);
        if !matches!(self.kind(), Arrow | FatArrow) || min > 1 || !self.is_params(from, arrow) {
            return false;
        }
        self.nodes.truncate(mark.node as usize);
        self.pos = from;
        self.lambda(mark, arrow);
        true
    }

    /// `fun x y -> e`, `lambda x: e`: where the sign before the body is.
    pub(super) fn fun_end(&self) -> Option<usize> {
        let word = self.token_text();
        let end = self.names_end(self.pos + 1)?;
        let is_sign = match self.sig[end].kind {
            Arrow | FatArrow => matches!(word, "fun" | "func" | "function" | "lambda"),
            Colon => word == "lambda",
            _ => false,
        };
        (is_sign && self.surface == Surface::Relay).then_some(end)
    }

    /// `let f x y = e`, at the first parameter: where the `=` is.
    pub(super) fn params_end(&self) -> Option<usize> {
        self.names_end(self.pos).filter(|&end| self.sig[end].kind == Eq && self.surface == Surface::Relay)
    }

    /// `fn %x %y { … }`, `def @f %x { … }`, at the first parameter.
    pub(super) fn bare_params(&mut self) -> bool {
        let ends = |end: &usize| self.sig[*end].kind == LBrace && self.surface == Surface::Relay;
        let Some(end) = self.names_end(self.pos).filter(ends) else { return false };
        let names = (self.pos..end).map(|pos| &self.text[self.token_span(pos).range()]).list().joined(", ");
        let (first, last) = (self.token_span(self.pos), self.token_span(end - 1));
        let gap = Span::new(self.token_span(self.pos - 1).end, first.start);
        let (all, text) = (first.to(last), format!("({names})"));
        let edits = [(all, text.as_str()), (gap, "")];
        // No comment is lost.
        let is_bare = [all, gap].iter().all(|span| !base::has(&self.text[span.range()], b'/'));
        self.foreign(Foreign::BareParams, all, if is_bare { &edits } else { &[] });
        self.named_params(end);
        true
    }

    /// Names up to here, and what is between them, as parameters.
    fn named_params(&mut self, end: usize) {
        let list = self.mark();
        while self.pos < end {
            let param = self.mark();
            let is_name = matches!(self.kind(), Local | Ident);
            self.bump();
            if is_name {
                self.finish(NodeKind::Param, param);
            }
        }
        self.finish(NodeKind::ParamList, list);
    }

    /// Where a run of names on one line ends.
    fn names_end(&self, from: usize) -> Option<usize> {
        let names = self.sig[from..].iter().take(AHEAD);
        let n = names.take_while(|sig| matches!(sig.kind, Local | Ident) && !sig.first_on_line).count();
        (0 < n && n < AHEAD).then_some(from + n)
    }

    /// Whether these tokens are a name, or names in parentheses with commas between them.
    fn is_params(&self, from: usize, to: usize) -> bool {
        if self.surface != Surface::Relay || to <= from || to - from > AHEAD {
            return false;
        }
        let is_tuple = self.sig[from].kind == LParen && self.partner(from as u32) as usize + 1 == to;
        let inside = if is_tuple { &self.sig[from + 1..to - 1] } else { &self.sig[from..to] };
        let fits =
            |(i, kind): (usize, TokenKind)| if i % 2 == 0 { matches!(kind, Local | Ident) } else { kind == Comma };
        (is_tuple || inside.len() == 1) && inside.iter().map(|sig| sig.kind).enumerate().all(fits)
    }

    /// Parses the parameters from here to a sign, and then the body.
    pub(super) fn lambda(&mut self, mark: Mark, sign: usize) {
        if !self.enter_operator() {
            return self.skip_operand();
        }
        self.named_params(sign);
        self.bump();
        self.tasks.append_all([
            Task::LambdaEnd(mark, sign as u32),
            Task::LeaveOperator,
            Task::Finish(NodeKind::Block, self.mark()),
            Task::Expr(1),
        ]);
    }

    /// After the body of a function that began at the mark, whose parameters end at the sign.
    pub(super) fn lambda_end(&mut self, mark: Mark, sign: u32) {
        let (first, sign) = (mark.pos as usize, sign as usize);
        let is_let = self.sig[sign].kind == Eq;
        let is_word = !is_let && matches!(self.sig[first].kind, Ident) && first + 1 < sign;
        let params = (first + usize::from(is_word)..sign).filter(|&pos| matches!(self.sig[pos].kind, Local | Ident));
        let names = params.map(|pos| &self.text[self.token_span(pos).range()]).list().joined(", ");
        let (form, start, equals) = match is_let {
            true => (Foreign::Curried, self.token_span(first - 1).end, " = "),
            false => (Foreign::Lambda, self.token_span(first).start, ""),
        };
        let at = self.token_span(if is_let { first } else { sign });
        let lacks_end = is_let && !self.at(Semicolon);
        let edits = vec![
            Edit { span: Span::new(start, self.token_span(sign).end), text: format!("{equals}fn({names}) {{") },
            Edit { span: self.token_span(self.pos - 1).after(), text: if lacks_end { " };" } else { " }" }.to_owned() },
        ];
        if !self.hush() {
            self.errors.push(SyntaxError::Foreign { form, at, edits });
        }
        self.finish(NodeKind::Fn, mark);
    }
}
