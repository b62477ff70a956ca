//! What is written as in other languages: said once, with what it is here, and passed over.

use super::{Mark, Parser, Rule, Task};
use crate::error::{Expected, Foreign, SyntaxError};
use crate::kind::NodeKind;
use crate::lexer::{NONE, Sig};
use crate::token::TokenKind::*;
use base::{Append, Edit, MapArray, Span, Surface, ToList};

/// At most this many tokens are looked at to find where something ends.
pub(super) const AHEAD: usize = 64;

impl Parser<'_> {
    /// Says once what is foreign, and what is written for it here.
    pub(super) fn foreign(&mut self, form: Foreign, at: Span, edits: &[(Span, &str)]) {
        if !self.hush() {
            let edits = edits.iter().map(|&(span, text)| Edit { span, text: text.to_owned() }).list();
            self.errors.push(SyntaxError::Foreign { form, at, edits });
        }
    }

    pub(super) fn start_of(&self, mark: Mark) -> Span {
        let start = self.token_span(mark.pos as usize).start;
        Span::new(start, start)
    }

    /// `&&`, `||`, `%`, `**` and `@`, and assignments such as `+=`: the operator that is meant, how many tokens it
    /// takes, how tightly it binds on the left, and what its right operand must bind.
    fn foreign_infix(&self) -> Option<(&'static str, usize, u8, u8)> {
        let twice = self.nth(1) == self.kind() && self.adjacent(1);
        Some(match self.kind() {
            Amp if twice => ("logical_and", 2, 5, 6),
            Pipe if twice => ("logical_or", 2, 4, 5),
            Star if twice => ("power", 2, 14, 14),
            Percent => ("mod", 1, 12, 13),
            At => ("nn.matmul", 1, 12, 13),
            Plus | Minus | Star | Slash if self.nth(1) == Eq && self.adjacent(1) => ("", 2, 1, 2),
            Colon if twice => ("Cons", 2, 9, 9),
            Lt if self.nth(1) == Gt && self.adjacent(1) => ("not_equal", 2, 7, 8),
            EqEq if self.nth(1) == Eq && self.adjacent(1) => ("equal", 2, 7, 8),
            Ident if !self.sig[self.pos].first_on_line => match self.token_text() {
                "and" => ("logical_and", 1, 5, 6),
                "or" => ("logical_or", 1, 4, 5),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Goes past an operator of other languages behind an operand that began at the mark.
    pub(super) fn foreign_operator(&mut self, mark: Mark, min: u8) -> bool {
        let Some((_, n_tokens, left, right)) = self.foreign_infix().filter(|_| self.surface == Surface::Relay) else {
            return false;
        };
        if left < min || mark.pos as usize == self.pos {
            return false;
        }
        self.tasks.append_all([Task::ExprRest(mark, min), Task::ForeignEnd(mark, self.pos as u32), Task::Expr(right)]);
        self.pos += n_tokens;
        true
    }

    /// After the right operand of that operator.
    pub(super) fn foreign_end(&mut self, mark: Mark, operator: u32) {
        let end = std::mem::replace(&mut self.pos, operator as usize);
        let meant = self.foreign_infix();
        let last = self.token_span(operator as usize + meant.map_or(1, |meant| meant.1) - 1);
        let at = self.token_span(operator as usize).to(last);
        let before = self.token_span(operator as usize - 1);
        let name = meant.map_or("", |meant| meant.0);
        let is_missing =
            end <= operator as usize + 1 || self.nodes.last().is_some_and(|node| node.kind == NodeKind::Error);
        let (start, behind) = (self.start_of(mark), self.token_span(end - 1).after());
        if name.is_empty() {
            let left = &self.text[start.start as usize..before.end as usize];
            let sign = &self.text[self.token_span(operator as usize).range()];
            let is_variable = self.sig[mark.pos as usize].kind == Local && mark.pos + 1 == operator && !is_missing;
            // A statement, and not the last one: that would leave no value.
            let before = if mark.pos == 0 { Semicolon } else { self.sig[mark.pos as usize - 1].kind };
            let goes_on = self.sig[end].kind == Semicolon && self.sig[end + 1].kind != RBrace;
            let is_statement = is_variable && goes_on && matches!(before, LBrace | RBrace | Semicolon);
            let value = self.token_span(operator as usize + 2);
            let (opened, closed) = if end == operator as usize + 3 { ("", "") } else { ("(", ")") };
            let rest = format!("= {left} {sign} {opened}");
            let edits = [(start, "let "), (Span::new(at.start, value.start), &rest), (behind, closed)];
            self.foreign(Foreign::Assignment, at, if is_statement { &edits } else { &[] });
        } else {
            let call = format!("{name}(");
            let edits = [(start, &*call), (Span::new(before.end, last.end), ","), (behind, ")")];
            self.foreign(Foreign::Operator(name), at, if is_missing { &[] } else { &edits });
        }
        self.pos = end;
        self.finish(NodeKind::Binary, mark);
    }

    /// `x.shape`, `x.reshape(…)`: at the name, behind the dot.
    pub(super) fn projected_name(&mut self, mark: Mark) {
        let at = self.token_span(self.pos);
        let (dot, name) = (self.token_span(self.pos - 1), &self.text[at.range()]);
        let start = self.start_of(mark);
        match (self.nth(1), name) {
            (LParen, _) => {
                let (open, call) = (self.token_span(self.pos + 1), format!("{name}("));
                let comma = if self.nth(2) == RParen { "" } else { ", " };
                self.foreign(Foreign::Method, at, &[(start, &call), (dot.to(open), comma)]);
            }
            (_, "T") => self.foreign(Foreign::Method, at, &[(start, "transpose("), (dot.to(at), ")")]),
            (_, "shape") => self.foreign(Foreign::Method, at, &[(start, "shape_of("), (dot.to(at), ")")]),
            _ => self.foreign(Foreign::Method, at, &[]),
        }
        self.bump();
        if self.at(LParen) && self.partner(self.pos as u32) != NONE {
            self.skip_one();
        }
    }

    /// `x[0]`: brackets that touch an operand that began at the mark.
    pub(super) fn index(&mut self, mark: Mark) -> bool {
        let close = self.partner(self.pos as u32);
        if self.surface != Surface::Relay || !self.at(LBracket) || !self.adjacent(0) || close == NONE {
            return false;
        }
        let (open, closed) = (self.token_span(self.pos), self.token_span(close as usize));
        let is_one = self.pos + 2 == close as usize && matches!(self.nth(1), Int | Local);
        let edits = [(self.start_of(mark), "take("), (open, ", "), (closed, ", axis=0)")];
        let is_number = self.nth(1) == Int;
        let before = self.token_span(self.pos - 1);
        match self.errors.last_mut() {
            // `x[0][1]` is one slip.
            Some(SyntaxError::Foreign { form: Foreign::Index { is_number: all }, at, edits: known })
                if at.end == before.end && before.end == open.start =>
            {
                *all &= is_number;
                *at = at.to(closed);
                if is_one && let Some(first) = known.first_mut() {
                    first.text += edits[0].1;
                    known.append_all(edits[1..].iter().map(|&(span, text)| Edit { span, text: text.to_owned() }));
                } else {
                    known.clear();
                }
            }
            _ => self.foreign(Foreign::Index { is_number }, open.to(closed), if is_one { &edits } else { &[] }),
        }
        self.skip_one();
        self.finish(NodeKind::Error, mark);
        true
    }

    /// `return e`, where a statement begins.
    pub(super) fn at_return(&self) -> bool {
        let is_word = self.at(Ident) && self.surface != Surface::Refine && self.token_text() == "return";
        is_word && !self.sig.get(self.pos + 1).is_none_or(|next| next.first_on_line || !next.kind.starts_expr())
    }

    pub(super) fn pass_return(&mut self) {
        let at = self.token_span(self.pos);
        let gone = Span::new(at.start, self.token_span(self.pos + 1).start);
        let mut edits = vec![(gone, "")];
        // The `;` behind the value goes with it.
        let mut end = self.pos + 1;
        while end < self.pos + AHEAD
            && !matches!(self.sig[end].kind, Semicolon | Eof)
            && !self.sig[end].kind.is_closer()
        {
            end = match self.partner(end as u32) {
                NONE => end + 1,
                close => close as usize + 1,
            };
        }
        if self.sig.get(end).is_some_and(|sig| sig.kind == Semicolon) {
            edits.push((self.token_span(end), ""));
        }
        self.foreign(Foreign::Return, at, &edits);
        self.bump();
    }

    /// Whether the block's last statement is its value, but for a `;` behind it; then it is the value.
    pub(super) fn value_with_semicolon(&mut self) -> bool {
        let is_statement = self.nodes.last().is_some_and(|node| node.kind == NodeKind::ExprStmt);
        if !is_statement || self.surface == Surface::Refine || self.sig[self.pos - 1].kind != Semicolon {
            return false;
        }
        self.nodes.pop();
        let at = self.token_span(self.pos - 1);
        let takes = |error: &SyntaxError| matches!(error, SyntaxError::Foreign { edits, .. } if edits.iter().any(|edit| edit.span == at));
        let is_said = self.errors.iter().rev().take(AHEAD).any(takes);
        if !is_said && !self.hush() {
            self.errors.push(SyntaxError::NoValue { at });
        }
        true
    }

    /// A block that ends with a binding: its variable is meant as the value. Whether this one does, which begins with the
    /// node of this number.
    pub(super) fn bound_at_last(&mut self, first_node: u32) -> bool {
        let kinds = [NodeKind::LetStmt, NodeKind::GraphStmt, NodeKind::Assign];
        let own = &self.nodes[first_node as usize..];
        let Some(last) = own.last().filter(|node| kinds.contains(&node.kind)) else { return false };
        let mut tokens = self.tokens[last.first as usize..last.end as usize].windows(2);
        let Some(name) = tokens.find(|two| matches!(two[0].kind, Local | Graph | Ident)) else { return false };
        let text = format!(" {}", &self.text[name[0].start as usize..name[1].start as usize]);
        let end = self.token_span(self.pos - 1);
        self.foreign(Foreign::Binding, end, &[(end.after(), &text)]);
        true
    }

    /// `for (…) { … }`, `for i in … { … }`, `while %c { … }`.
    pub(super) fn at_loop(&self) -> bool {
        let is_in = || &self.text[self.token_span(self.pos + 2).range()] == "in";
        self.surface == Surface::Relay
            && (matches!(self.nth(1), LParen | Local) || self.nth(1) == Ident && is_in())
            && matches!(self.token_text(), "for" | "while")
    }

    pub(super) fn pass_loop(&mut self, mark: Mark) {
        let at = self.token_span(self.pos);
        self.foreign(Foreign::Loop, at, &[]);
        let end = self.pos + AHEAD;
        while !self.at(LBrace) && !self.at_stop(NONE) && !self.at(Semicolon) && self.pos < end {
            self.skip_one();
        }
        if self.at(LBrace) {
            self.skip_one();
        }
        self.finish(NodeKind::Error, mark);
        self.quiet_at = self.pos;
    }

    /// `[]`, `[%h, %t]` as a pattern.
    pub(super) fn list_pattern(&mut self, mark: Mark) {
        let close = self.partner(self.pos as u32);
        if close == NONE {
            self.expected(Expected::Pattern);
            return self.leaf(NodeKind::Error);
        }
        let (open, closed) = (self.token_span(self.pos), self.token_span(close as usize));
        let ends = format!(", Nil{}", ")".repeat((close as usize - self.pos) / 2));
        let mut edits: Vec<(Span, &str)> = Vec::new();
        let n_tokens = close as usize - self.pos - 1;
        // Variables with commas between them; anything else is not rewritten.
        let inside = &self.sig[self.pos + 1..close as usize];
        let is_plain = |(i, sig): (usize, &Sig)| match i % 2 {
            0 => matches!(sig.kind, Local | Int | Underscore),
            _ => sig.kind == Comma,
        };
        if n_tokens == 0 {
            edits.push((open.to(closed), "Nil"));
        } else if n_tokens % 2 == 1 && n_tokens < AHEAD && inside.iter().enumerate().all(is_plain) {
            edits.push((open, "Cons("));
            for comma in (self.pos + 2..close as usize).step_by(2) {
                edits.push((self.token_span(comma), ", Cons("));
            }
            edits.push((closed, &ends));
        }
        self.foreign(Foreign::ListPattern, open.to(closed), &edits);
        self.open(Rule::CtorPat, mark);
    }

    /// `Cons %h %t`, behind the name: the fields, which stand in parentheses here.
    pub(super) fn bare_fields(&mut self, mark: Mark) -> bool {
        let first = self.pos;
        let is_field = |sig: &&Sig| matches!(sig.kind, Local | Underscore | Int | Float | Ident) && !sig.first_on_line;
        let end = first + self.sig[first..].iter().take(AHEAD).take_while(is_field).count();
        let is_end = matches!(self.sig[end].kind, FatArrow | Arrow | Pipe | Comma | RParen);
        let is_as = |pos: usize| self.sig[pos].kind == Ident && &self.text[self.token_span(pos).range()] == "as";
        if end == first || !is_end || (first..end).any(is_as) {
            return false;
        }
        while self.pos < end {
            self.leaf(match self.kind() {
                Local => NodeKind::VarPat,
                Underscore => NodeKind::WildPat,
                Ident => NodeKind::NamePat,
                _ => NodeKind::LitPat,
            });
        }
        let gap = |pos: usize| Span::new(self.token_span(pos - 1).end, self.token_span(pos).start);
        let mut edits = vec![(gap(first), "(")];
        edits.append_all((first + 1..self.pos).map(|pos| (gap(pos), ", ")));
        edits.push((self.token_span(self.pos - 1).after(), ")"));
        let at = self.token_span(first).to(self.token_span(self.pos - 1));
        self.foreign(Foreign::Juxtaposed, at, &edits);
        self.finish(NodeKind::CtorPat, mark);
        true
    }

    /// Behind operands of one token each, with commas between them, and nothing else up to where a statement ends.
    fn operands_end(&self, first: usize) -> Option<usize> {
        let is_operand =
            |pos: usize| matches!(self.kind_at(pos), Local | Graph | Int | Float) && !self.sig[pos].first_on_line;
        let mut end = first;
        while is_operand(end) {
            end += 1;
            if self.kind_at(end) != Comma || !is_operand(end + 1) {
                let sig = self.sig[end];
                return (sig.kind == Semicolon || sig.kind.is_closer() || sig.first_on_line).then_some(end);
            }
            end += 1;
        }
        None
    }

    fn operands(&mut self, end: usize) {
        while self.pos < end {
            match self.kind() {
                Local => self.leaf(NodeKind::LocalRef),
                Graph => self.leaf(NodeKind::GraphRef),
                Comma => self.bump(),
                _ => self.leaf(NodeKind::Literal),
            }
        }
    }

    /// `add %x, %y`, behind the name, whose node began at the mark.
    pub(super) fn bare_args(&mut self, mark: Mark) {
        if self.surface != Surface::Relay || !matches!(self.kind(), Local | Graph | Int | Float) {
            return;
        }
        let Some(end) = self.operands_end(self.pos) else { return };
        let (name, first, last) = (self.token_span(self.pos - 1), self.token_span(self.pos), self.token_span(end - 1));
        let edits = [(Span::new(name.end, first.start), "("), (last.after(), ")")];
        self.foreign(Foreign::BareArgs, first.to(last), &edits);
        let list = self.mark();
        self.operands(end);
        self.finish(NodeKind::ArgList, list);
        self.finish(NodeKind::Call, mark);
    }

    /// `let %t = %a, %b;`, behind the first.
    pub(super) fn bare_tuple(&mut self) {
        let Some(&value) = self.nodes.last().filter(|_| self.at(Comma) && self.surface == Surface::Relay) else {
            return;
        };
        let Some(end) = self.operands_end(self.pos + 1).filter(|&end| self.sig[end].kind == Semicolon) else { return };
        let pos = self.sig.partition_point(|sig| sig.token < value.first) as u32;
        let mark = Mark { node: self.nodes.len() as u32 - value.size, pos };
        let (start, last) = (self.start_of(mark), self.token_span(end - 1));
        self.foreign(Foreign::BareTuple, start.to(last), &[(start, "("), (last.after(), ")")]);
        self.operands(end);
        self.finish(NodeKind::Tuple, mark);
    }

    /// `let x = e in …`, where a `;` stands.
    pub(super) fn foreign_in(&mut self) -> bool {
        let is_in = self.at(Ident) && self.surface == Surface::Relay && self.token_text() == "in";
        if is_in {
            let (before, at) = (self.token_span(self.pos - 1), self.token_span(self.pos));
            self.foreign(Foreign::In, at, &[(Span::new(before.end, at.end), ";")]);
            self.bump();
        }
        is_in
    }

    /// `def f(x):` and `else:` before a line with the body, at the colon.
    pub(super) fn at_body_colon(&self) -> bool {
        let next = self.sig.get(self.pos + 1);
        self.at(Colon)
            && self.surface == Surface::Relay
            && next.is_some_and(|next| next.first_on_line && next.kind.starts_expr())
    }

    pub(super) fn foreign_colon(&mut self) {
        let colon = self.pos as u32;
        self.bump();
        if self.at_return() {
            self.pass_return();
        }
        let block = Task::Finish(NodeKind::Block, self.mark());
        self.tasks.append_all([Task::ColonEnd(colon), block, Task::Expr(1)]);
    }

    pub(super) fn colon_end(&mut self, colon: u32) {
        let at = self.token_span(colon as usize);
        let end = self.token_span(self.pos - 1).after();
        self.foreign(Foreign::Colon, at, &[(at, " {"), (end, "\n}")]);
    }

    /// `with | A -> 1 | B -> 2` in the place of a match's braces. Its edits grow as arms are read.
    pub(super) fn foreign_with(&mut self, mark: Mark) -> bool {
        if !self.at(Ident) || self.token_text() != "with" || !self.enter_operator() {
            return false;
        }
        let at = self.token_span(self.pos);
        // The bar before the first arm is no comma.
        let end = if self.nth(1) == Pipe { self.token_span(self.pos + 1).end } else { at.end };
        let error = self.foreign_begun(Foreign::With, at, &[(Span::new(at.start, end), "{")]);
        self.bump();
        self.eat(Pipe);
        self.tasks.push(Task::BarArm(mark, error));
        true
    }

    /// Says what is foreign; its number, for edits that follow.
    fn foreign_begun(&mut self, form: Foreign, at: Span, edits: &[(Span, &str)]) -> u32 {
        let error = self.errors.len() as u32;
        self.foreign(form, at, edits);
        if self.errors.len() as u32 > error { error } else { NONE }
    }

    fn with_edit(&mut self, error: u32, span: Span, text: &str) {
        if let Some(SyntaxError::Foreign { edits, .. }) = self.errors.get_mut(error as usize) {
            edits.push(Edit { span, text: text.to_owned() });
        }
    }

    pub(super) fn bar_arm(&mut self, mark: Mark, error: u32) {
        let arm = self.mark();
        self.tasks.append_all([Task::BarEnd(mark, error), Task::Finish(NodeKind::Arm, arm), Task::BarBody(error)]);
        self.tasks.push(Task::Pattern);
    }

    pub(super) fn bar_body(&mut self, error: u32) {
        if self.at(Arrow) {
            self.with_edit(error, self.token_span(self.pos), "=>");
            self.bump();
        } else if !self.eat(FatArrow) {
            self.expected(Expected::Token(FatArrow));
        }
        self.tasks.push(Task::Expr(1));
    }

    pub(super) fn bar_end(&mut self, mark: Mark, error: u32) {
        let before = self.token_span(self.pos - 1);
        if self.at(Pipe) {
            let bar = self.token_span(self.pos);
            self.with_edit(error, Span::new(before.end, bar.end), ",");
            self.bump();
            return self.tasks.push(Task::BarArm(mark, error));
        }
        self.with_edit(error, before.after(), " }");
        self.depth -= 1;
        self.n_operators -= 1;
        self.finish(NodeKind::Match, mark);
    }

    /// `let rec %f`, behind the `let`.
    pub(super) fn foreign_rec(&mut self) {
        let form = match self.token_text() {
            "rec" => Foreign::Rec,
            "mut" => Foreign::Mut,
            _ => return,
        };
        if self.at(Ident) && matches!(self.nth(1), Local) && self.surface == Surface::Relay {
            let (at, name) = (self.token_span(self.pos), self.token_span(self.pos + 1));
            self.foreign(form, at, &[(Span::new(at.start, name.start), "")]);
            // It is not the name that is bound.
            let token = self.sig[self.pos].token as usize;
            self.tokens[token].kind = Unknown;
            self.bump();
        }
    }

    /// `|` before an arm in braces. All bars are one slip.
    pub(super) fn foreign_bar(&mut self) {
        if !self.at(Pipe) || self.surface != Surface::Relay || !self.sig[self.pos + 1].kind.starts_pattern() {
            return;
        }
        let (before, at) = (self.token_span(self.pos - 1), self.token_span(self.pos));
        let next = self.token_span(self.pos + 1);
        let edit = match self.sig[self.pos - 1].kind {
            LBrace => (Span::new(at.start, next.start), ""),
            Comma => (at, ""),
            _ => (Span::new(before.end, at.end), ","),
        };
        let last = self.errors.len().saturating_sub(1) as u32;
        match self.errors.last() {
            Some(SyntaxError::Foreign { form: Foreign::Bars, .. }) => self.with_edit(last, edit.0, edit.1),
            _ => self.foreign(Foreign::Bars, at, &[edit]),
        }
        self.bump();
    }

    /// `if %c` between an arm's pattern and its arrow.
    pub(super) fn foreign_guard(&mut self) {
        let end = self.pos + AHEAD;
        if !self.at(KwIf) || self.surface != Surface::Relay {
            return;
        }
        self.foreign(Foreign::Guard, self.token_span(self.pos), &[]);
        while !self.at(FatArrow) && !self.at(Comma) && !self.at(LBrace) && !self.at_stop(NONE) && self.pos < end {
            self.skip_one();
        }
    }

    /// A body without braces, in the line of what it belongs to; `then` or `=>` may stand before it.
    pub(super) fn bare_body(&mut self) -> bool {
        let is_arrow = self.at(FatArrow) && self.nth(1) != LBrace;
        let is_then = self.at(Ident) && self.surface == Surface::Relay && self.token_text() == "then" || is_arrow;
        let at = self.pos + usize::from(is_then);
        if is_then && self.nth(1) == LBrace {
            let (before, then) = (self.token_span(self.pos - 1), self.token_span(self.pos));
            self.foreign(Foreign::Then, then, &[(Span::new(before.end, then.end), "")]);
            self.bump();
            self.open_block();
            return true;
        }
        if self.sig[at].first_on_line || !self.sig[at].kind.starts_expr() {
            return false;
        }
        let then = if is_then { self.pos as u32 } else { NONE };
        let is_said = self.hush();
        self.pos = at;
        let mark = self.mark();
        if !is_said {
            self.tasks.push(Task::BareEnd(mark, then));
        }
        self.tasks.append_all([Task::Finish(NodeKind::Block, mark), Task::Expr(1)]);
        true
    }

    pub(super) fn bare_end(&mut self, mark: Mark, then: u32) {
        let start = self.start_of(mark);
        let mut edits = vec![(start, "{ "), (self.token_span(self.pos - 1).after(), " }")];
        if then != NONE {
            edits[0].0 = self.token_span(then as usize).to(start);
        }
        // Both branches of an `if` are one slip.
        let last = self.errors.last().and_then(|last| match last {
            SyntaxError::Foreign { form: Foreign::Bare, edits, .. } => edits.last().map(|edit| edit.span.end),
            _ => None,
        });
        let is_else = last.and_then(|last| self.text.get(last as usize..start.start as usize));
        if is_else.is_some_and(|between| between.trim_ascii_start().starts_with("else")) {
            let error = self.errors.len() as u32 - 1;
            edits.into_iter().for_each(|(span, text)| self.with_edit(error, span, text));
        } else {
            let edits = edits.into_iter().map(|(span, text)| Edit { span, text: text.to_owned() }).list();
            let at = self.token_span(mark.pos as usize);
            self.errors.push(SyntaxError::Foreign { form: Foreign::Bare, at, edits });
        }
    }

    /// `c ? 1 : 2` behind its condition, which began at the mark.
    pub(super) fn conditional(&mut self, mark: Mark) -> bool {
        // The condition is not what it is written to, nor what is piped on.
        let last = self.nodes.last().map(|node| node.kind);
        let is_operand = !matches!(last, Some(NodeKind::RefWrite | NodeKind::Pipe));
        let is_behind = self.surface == Surface::Relay && mark.pos as usize != self.pos && is_operand;
        if !is_behind || !self.sig[self.pos + 1].kind.starts_expr() || !self.enter_operator() {
            return false;
        }
        let question = self.pos as u32;
        self.bump();
        self.tasks.append_all([Task::Otherwise(mark, question), Task::Expr(1)]);
        true
    }

    pub(super) fn otherwise(&mut self, mark: Mark, question: u32) {
        let colon = self.pos as u32;
        if self.eat(Colon) {
            self.tasks.append_all([Task::ConditionalEnd(mark, question, colon), Task::Expr(1)]);
        } else {
            self.conditional_end(mark, question, NONE);
        }
    }

    pub(super) fn conditional_end(&mut self, mark: Mark, question: u32, colon: u32) {
        let at = self.token_span(question as usize);
        let sign = |place: u32| {
            let before = self.token_span(place as usize - 1);
            Span::new(before.end, self.token_span(place as usize).end)
        };
        let end = self.token_span(self.pos - 1).after();
        let edits = match colon {
            NONE => Vec::new(),
            colon => {
                vec![(self.start_of(mark), "if ("), (sign(question), ") {"), (sign(colon), " } else {"), (end, " }")]
            }
        };
        self.foreign(Foreign::Conditional, at, &edits);
        self.depth -= 1;
        self.n_operators -= 1;
        self.finish(NodeKind::Error, mark);
    }

    /// `type T = A | B(int32)`, at the sign.
    pub(super) fn foreign_ctors(&mut self, kind: NodeKind, mark: Mark) -> bool {
        let first = self.pos + if self.nth(1) == Pipe { 2 } else { 1 };
        let is_ctor = |at: usize| self.sig.get(at).is_some_and(|sig| sig.kind == Ident);
        if !self.at(Eq) || self.surface != Surface::Relay || !is_ctor(first) {
            return false;
        }
        let name = &self.text[self.token_span(first).range()];
        if !name.as_bytes().first().is_some_and(u8::is_ascii_uppercase) {
            return false;
        }
        let (before, last) = (self.token_span(self.pos - 1), self.token_span(first - 1));
        let at = self.token_span(self.pos);
        let error = self.foreign_begun(Foreign::Constructors, at, &[(Span::new(before.end, last.end), " {")]);
        self.pos = first;
        self.tasks.push(Task::BarCtor(kind, mark, error));
        true
    }

    pub(super) fn bar_ctor(&mut self, kind: NodeKind, mark: Mark, error: u32) {
        let ctor = self.mark();
        if !self.eat(Ident) {
            self.expected(Expected::Constructor);
            return self.bar_ctor_end(kind, mark, error);
        }
        self.tasks.append_all([Task::BarCtorEnd(kind, mark, error), Task::Finish(NodeKind::Ctor, ctor)]);
        if self.at(LParen) {
            self.open(Rule::CtorFields, self.mark());
        } else {
            self.foreign_of(error);
        }
    }

    pub(super) fn bar_ctor_end(&mut self, kind: NodeKind, mark: Mark, error: u32) {
        let before = self.token_span(self.pos - 1);
        if self.at(Pipe) {
            self.with_edit(error, Span::new(before.end, self.token_span(self.pos).end), ",");
            self.bump();
            return self.tasks.push(Task::BarCtor(kind, mark, error));
        }
        let end = if self.at(Semicolon) { self.token_span(self.pos).end } else { before.end };
        self.with_edit(error, Span::new(before.end, end), " }");
        self.eat(Semicolon);
        self.finish(kind, mark);
    }

    /// `A of int32 * bool`, behind the constructor's name; the error says so already, if there is one.
    pub(super) fn foreign_of(&mut self, error: u32) {
        let sig = self.sig[self.pos];
        if sig.kind != Ident || sig.first_on_line || self.surface != Surface::Relay || self.token_text() != "of" {
            return;
        }
        let (before, at) = (self.token_span(self.pos - 1), self.token_span(self.pos));
        if !matches!(self.nth(1), Ident | LParen | LBracket | KwFn | KwRef | Underscore) {
            self.foreign(Foreign::Of, at, &[]);
            return self.bump();
        }
        let open = Span::new(before.end, self.token_span(self.pos + 1).start);
        let error = match error {
            NONE => self.foreign_begun(Foreign::Of, at, &[(open, "(")]),
            error => {
                self.with_edit(error, open, "(");
                error
            }
        };
        let fields = self.mark();
        self.bump();
        self.tasks.append_all([Task::OfEnd(fields, error), Task::Type]);
    }

    pub(super) fn of_end(&mut self, fields: Mark, error: u32) {
        let before = self.token_span(self.pos - 1);
        if self.at(Star) {
            self.with_edit(error, Span::new(before.end, self.token_span(self.pos).end), ",");
            self.bump();
            return self.tasks.append_all([Task::OfEnd(fields, error), Task::Type]);
        }
        self.with_edit(error, before.after(), ")");
        self.finish(NodeKind::CtorFields, fields);
    }

    /// `List<int32>`, at the name of a type.
    pub(super) fn foreign_angles(&mut self, mark: Mark) -> bool {
        if self.nth(1) != Lt || self.surface != Surface::Relay {
            return false;
        }
        let (mut edits, mut n_open) = (Vec::new(), 0_u32);
        for at in self.pos + 1..(self.pos + AHEAD).min(self.sig.len()) {
            let text = match self.sig[at].kind {
                Lt => "[",
                Gt => "]",
                Semicolon | LBrace | RBrace | Eq | Eof => return false,
                // What closes around the name, as in `if (n < m)`, ends it.
                kind if kind.is_closer() && (self.partner(at as u32) as usize) <= self.pos => return false,
                _ => continue,
            };
            edits.push((self.token_span(at), text));
            n_open = if text == "[" { n_open + 1 } else { n_open - 1 };
            if n_open == 0 {
                self.foreign(Foreign::Angles, edits[0].0, &edits);
                self.pos = at + 1;
                self.finish(NodeKind::Error, mark);
                return true;
            }
        }
        false
    }

    /// `Tensor[2, 3]`, `Tensor[2, 3, float32]`, `Tensor[[2, 3], float32]`, `Tensor[(2, 3, float32]`,
    /// `Tensor((2, 3), float32)` and `Tensor[float32, (2, 3)]`; and `Tensor[((2, 3), float32]`,
    /// `Tensor[[(2, 3), float32]`, with an opener twice.
    pub(super) fn foreign_tensor(&mut self, mark: Mark) -> bool {
        let is_twice = |pos: usize| {
            self.kind_at(pos).is_opener()
                && self.kind_at(pos) == self.kind_at(pos + 1)
                && self.partner(pos as u32) == NONE
                && self.partner(pos as u32 + 1) != NONE
        };
        let open = self.pos + 1 + usize::from(is_twice(self.pos + 1));
        let close = self.partner(open as u32) as usize;
        if self.token_text() != "Tensor" || close == NONE as usize || close > open + AHEAD {
            return false;
        }
        let inner = open + 1;
        // Behind the shape, and behind the dtype if that comes first.
        let ends = |comma: usize| comma + 2 == close && self.sig[comma].kind == Comma;
        let [opened, first, last, closed] = [open, inner, close - 1, close].each(|pos| self.token_span(pos));
        let text = |span: Span| &self.text[span.range()];
        let is_shape = |pos: usize| {
            let end = if self.kind_at(pos) == LParen { self.partner(pos as u32) } else { NONE };
            end != NONE && ends(end as usize + 1)
        };
        // Sizes with commas between them, and nothing else.
        let is_sizes = (inner..close).len() % 2 == 1
            && (inner..close).all(|pos| match self.kind_at(pos) {
                Int | Question => (pos - inner).is_multiple_of(2),
                kind => kind == Comma,
            });
        let edits = match (self.kind_at(open), self.kind_at(inner)) {
            (LBracket, LParen) if open > self.pos + 1 && is_shape(inner) => vec![(self.token_span(open - 1), "")],
            (LBracket, LParen) if is_twice(inner) && is_shape(inner + 1) => vec![(first, "")],
            _ if open > self.pos + 1 => return false,
            (LParen, _) => vec![(opened, "["), (closed, "]")],
            (LBracket, LBracket) => {
                let end = self.partner(inner as u32) as usize;
                if end == NONE as usize || !ends(end + 1) {
                    return false;
                }
                vec![(first, "("), (self.token_span(end), ")")]
            }
            (LBracket, Int | Question) if is_sizes => {
                vec![(Span::new(first.start, first.start), "("), (last.after(), "), float32")]
            }
            (LBracket, Int | Question | LParen) if self.partner(inner as u32) == NONE => {
                let comma = (inner..close).rev().find(|&pos| self.sig[pos].kind == Comma);
                let Some(comma) = comma.filter(|&comma| ends(comma) && comma > inner) else { return false };
                if !matches!(self.sig[comma + 1].kind, Ident | String) {
                    return false;
                }
                let opens = self.nth(2) != LParen;
                let opening = opens.then_some((Span::new(first.start, first.start), "("));
                opening.into_iter().chain([(self.token_span(comma - 1).after(), ")")]).list()
            }
            (LBracket, Ident) if self.nth(3) == Comma && self.nth(4) == LParen => {
                if self.partner(inner as u32 + 2) as usize + 1 != close {
                    return false;
                }
                let shape = self.token_span(inner + 2).to(last);
                vec![(first, text(shape)), (shape, text(first))]
            }
            _ => return false,
        };
        let edits: Vec<Edit> = edits.into_iter().map(|(span, text)| Edit { span, text: text.to_owned() }).list();
        if !self.hush() {
            self.errors.push(SyntaxError::Foreign { form: Foreign::Tensor, at: first.to(last), edits });
        }
        self.pos = close + 1;
        self.finish(NodeKind::Error, mark);
        true
    }
}
