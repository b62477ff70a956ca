//! Expressions, `match` and its arms.

use super::block::Braces;
use super::foreign::AHEAD;
use super::pair::{angles, begins_item};
use super::{Mark, Parser, Rule, Task};
use crate::error::{Expected, Foreign};
use crate::kind::NodeKind;
use crate::lexer::{NONE, Sig};
use crate::token::TokenKind::{self, *};
use base::{Append, MapArray, Span, Surface};

/// How tightly `-` and `!` bind: tighter than any infix operator, looser than a call.
const PREFIX: u8 = 14;

/// The node of an infix operator, how tightly it binds on the left, and what its right operand must bind.
fn infix(kind: TokenKind) -> Option<(NodeKind, u8, u8)> {
    Some(match kind {
        PipeArrow => (NodeKind::Pipe, 1, 2),
        ColonEq => (NodeKind::RefWrite, 3, 3),
        EqEq | NotEq => (NodeKind::Binary, 7, 8),
        Lt | LtEq | Gt | GtEq => (NodeKind::Binary, 8, 9),
        Plus | Minus => (NodeKind::Binary, 10, 11),
        Star | Slash => (NodeKind::Binary, 12, 13),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expr(&mut self, min: u8) {
        let mark = self.mark();
        let prefix = match self.kind() {
            Minus => NodeKind::Unary,
            Bang if self.surface == Surface::Relay => NodeKind::RefRead,
            _ => {
                self.tasks.push(Task::ExprRest(mark, min));
                if self.surface == Surface::TensorScript {
                    return self.script_atom(mark);
                }
                return self.atom(mark);
            }
        };
        if self.enter_operator() {
            self.bump();
            self.tasks.append_all([
                Task::ExprRest(mark, min),
                Task::LeaveOperator,
                Task::Finish(prefix, mark),
                Task::Expr(PREFIX),
            ]);
        } else {
            self.skip_operand();
        }
    }

    /// One operand, without what follows it.
    fn atom(&mut self, mark: Mark) {
        match self.kind() {
            Ident if self.at_loop() => self.pass_loop(mark),
            Ident if let Some(sign) = self.fun_end() => {
                self.bump();
                self.lambda(mark, sign);
            }
            _ if begins_item(&self.sig, self.pos) => self.no_expr(),
            Int | Float | String | KwTrue | KwFalse => self.leaf(NodeKind::Literal),
            Local => self.leaf(NodeKind::LocalRef),
            Graph => self.leaf(NodeKind::GraphRef),
            Global => {
                self.leaf(NodeKind::GlobalRef);
                self.bare_args(mark);
            }
            Underscore => self.leaf(NodeKind::Hole),
            kind if kind.is_bad() => self.leaf(NodeKind::Error),
            // A variable that is being written.
            Percent if self.surface == Surface::Relay => {
                self.expected(Expected::LocalName);
                self.leaf(NodeKind::Error);
            }
            Ident | KwData | KwWhere | KwRelation => self.name_ref(mark),
            LParen => self.open(Rule::Paren, mark),
            LBracket => self.open(Rule::ListLit, mark),
            LBrace => self.open_block(),
            Backtick => self.variant(NodeKind::Variant, Rule::Variant),
            KwRef => self.ref_operator(NodeKind::RefNew, Rule::RefNew),
            KwRefRead => self.ref_operator(NodeKind::RefReadCall, Rule::RefRead),
            KwRefWrite => self.ref_operator(NodeKind::RefWriteCall, Rule::RefWrite),
            KwFn => {
                self.bump();
                self.signature(NodeKind::Fn, mark);
            }
            KwIf => self.if_expr(mark),
            KwMatch => {
                self.bump();
                if self.at(Question) && self.adjacent(0) {
                    self.bump();
                }
                self.tasks.push(Task::MatchBody(mark));
                self.tasks.push(Task::Expr(1));
            }
            _ => self.no_expr(),
        }
    }

    pub(super) fn no_expr(&mut self) {
        self.expected(Expected::Expression);
        self.missing();
    }

    /// Calls, projections and infix operators after an operand that began at the mark.
    pub(super) fn expr_rest(&mut self, mark: Mark, min: u8) {
        let is_script = self.surface == Surface::TensorScript;
        if is_script && self.script_suffix(mark, min) {
            return;
        }
        let is_like_pipe = matches!(self.kind(), Pipe | Arrow | FatArrow) && self.nth(1).is_name();
        if is_script && min <= 1 && (is_like_pipe || self.lacks_pipe()) {
            if is_like_pipe {
                self.misspelt(PipeArrow);
                self.bump();
            } else {
                self.expected(Expected::Token(PipeArrow));
            }
            let pipe = [Task::ExprRest(mark, min), Task::Finish(NodeKind::Pipe, mark), Task::Expr(2)];
            return self.tasks.append_all(pipe);
        }
        while self.at(Dot) && !is_script {
            self.project(mark);
        }
        if !self.at_bracketed_args(mark) && self.index(mark) {
            return self.tasks.push(Task::ExprRest(mark, min));
        }
        match self.kind() {
            LParen if is_script => {}
            LParen if !self.at_new_item() && !self.at_new_line() => {
                self.tasks.append_all([Task::ExprRest(mark, min), Task::Finish(NodeKind::Call, mark)]);
                self.open(Rule::Args, self.mark());
            }
            Lt | LBracket if !is_script && self.at_type_args(mark) => {
                self.tasks.append_all([Task::ExprRest(mark, min), Task::Finish(NodeKind::Call, mark), Task::CallArgs]);
                self.open(Rule::TypeArgs, self.mark());
            }
            Minus if self.at_new_item() || self.at_new_line() => {}
            _ if self.foreign_operator(mark, min) || self.foreign_arrow(mark, min) => {}
            Question if min <= 1 && self.conditional(mark) => {}
            kind => {
                // `%` is an operator in TensorScript only.
                let kind = if is_script && kind == Percent { Star } else { kind };
                let Some((node, left, right)) = infix(kind) else { return };
                if left < min {
                    return;
                }
                self.tasks.push(Task::ExprRest(mark, min));
                if node == NodeKind::RefWrite {
                    return self.ref_write(mark, right);
                }
                self.bump();
                self.tasks.append_all([Task::Finish(node, mark), Task::Expr(right)]);
            }
        }
    }

    /// The task that what is parsed here is an operand for.
    fn outer_task(&self) -> Option<&Task> {
        let is_inside = |task: &&Task| !matches!(task, Task::ExprRest(..) | Task::Finish(..) | Task::LeaveOperator);
        self.tasks.iter().rev().find(is_inside)
    }

    /// Whether a layer, or `self.f()`, stands behind a value without its `|>`: neither an initialiser nor an assignment,
    /// and not behind one.
    fn lacks_pipe(&self) -> bool {
        let is_layer = match self.nth(1) {
            Dot => self.token_text() == "self",
            next => next != Eq && self.token_text() != "self",
        };
        let may_go_on = match self.outer_task() {
            Some(Task::StmtEnd(..)) => true,
            // A statement on the next line, or a value, has a `;` missing before it.
            Some(Task::BindEnd(NodeKind::Assign, _)) => {
                let behind = self.pos + 1;
                let end = if self.kind_at(behind) == LParen { self.behind(behind) } else { behind };
                !self.sig[self.pos].first_on_line && matches!(self.kind_at(end), Semicolon | PipeArrow)
            }
            _ => false,
        };
        self.at_name() && is_layer && may_go_on
    }

    /// Whether the `(` or `-` that begins this line does not go on with the line before: it is the pattern of the next
    /// arm, or the value of a block, before which a statement lacks its `;`.
    fn at_new_line(&self) -> bool {
        let Sig { kind, first_on_line, partner, .. } = self.sig[self.pos];
        let is_open = kind == LParen && partner != NONE;
        if !first_on_line || !is_open && !self.adjacent(1) {
            return false;
        }
        if is_open && self.kind_at(self.behind(self.pos)) == FatArrow {
            return true;
        }
        let mut end = self.pos;
        while end < self.pos + AHEAD && !matches!(self.kind_at(end), Semicolon | RBrace | Eof) {
            end = self.behind(end);
        }
        self.kind_at(end) == RBrace && matches!(self.outer_task(), Some(Task::BindEnd(..)))
    }

    /// `:=` associates to the right, so it nests.
    fn ref_write(&mut self, mark: Mark, right: u8) {
        self.tasks.push(Task::Finish(NodeKind::RefWrite, mark));
        if self.enter_operator() {
            self.bump();
            self.tasks.append_all([Task::LeaveOperator, Task::Expr(right)]);
        } else {
            self.skip_operand();
        }
    }

    fn project(&mut self, mark: Mark) {
        self.bump();
        if self.kind().is_word() && self.adjacent(0) && self.surface == Surface::Relay {
            self.projected_name(mark);
            return self.finish(NodeKind::Error, mark);
        }
        let (number, point) = (self.token_span(mark.pos as usize), self.token_span(self.pos - 1));
        let is_number =
            self.text[number.range()].bytes().all(|byte| byte.is_ascii_digit()) && number.end == point.start;
        if is_number && !matches!(self.kind(), Int | Dot) {
            self.foreign(Foreign::Point, point, &[(point.after(), "0")]);
            return self.finish(NodeKind::Error, mark);
        }
        if !self.eat(Int) {
            self.expected(Expected::Index);
            if self.kind().is_word() && self.adjacent(0) {
                self.bump();
            }
        }
        self.finish(NodeKind::Project, mark);
    }

    /// `@f[3](…)`, with brackets for `<` and `>`.
    fn at_bracketed_args(&self, mark: Mark) -> bool {
        let is_global = mark.pos as usize + 1 == self.pos && self.sig[mark.pos as usize].kind == Global;
        is_global && self.closed(0, LBracket) && self.adjacent(0) && self.kind_at(self.behind(self.pos)) == LParen
    }

    /// Whether the `<` here touches a name before it and has a `>` that a `(` follows.
    fn at_type_args(&mut self, mark: Mark) -> bool {
        if self.at_bracketed_args(mark) {
            let [open, close] = [self.pos, self.partner(self.pos as u32) as usize].each(|pos| self.token_span(pos));
            self.foreign(Foreign::Brackets, open.to(close), &[(open, "<"), (close, ">")]);
            return true;
        }
        let callee = self.nodes.last().map(|node| node.kind);
        if mark.node as usize + 1 != self.nodes.len()
            || !matches!(callee, Some(NodeKind::GlobalRef | NodeKind::NameRef))
            || !self.adjacent(0)
        {
            return false;
        }
        if !self.angles_paired {
            self.angles_paired = true;
            angles(&mut self.sig);
        }
        self.partner(self.pos as u32) != NONE
    }

    pub(super) fn call_args(&mut self) {
        if self.at(LParen) {
            self.open(Rule::Args, self.mark());
        } else {
            self.expected(Expected::Token(LParen));
            self.missing();
        }
    }

    /// `x`, `nn.conv2d`, or `meta[K][i]`. A dot goes on with a name only if it touches words on both sides.
    fn name_ref(&mut self, mark: Mark) {
        if self.at_meta() {
            return self.meta(mark);
        }
        self.bump();
        while self.at(Dot) && self.adjacent(0) && self.nth(1).is_word() && self.adjacent(1) {
            self.bump();
            self.bump();
        }
        self.finish(NodeKind::NameRef, mark);
        self.bare_args(mark);
    }

    pub(super) fn at_meta(&self) -> bool {
        self.nth(1) == LBracket && self.token_text() == "meta"
    }

    /// `meta[Type.Key][i]`, a reference into the metadata section.
    pub(super) fn meta(&mut self, mark: Mark) {
        self.bump();
        for _ in 0..2 {
            if !self.at(LBracket) {
                self.expected(Expected::Token(LBracket));
                break;
            }
            let opener = self.pos as u32;
            if self.partner(opener) == NONE {
                self.bump();
                self.unclosed(opener);
                break;
            }
            self.skip_one();
        }
        self.finish(NodeKind::Meta, mark);
    }

    /// `` `Name(…) `` as an expression or a pattern.
    pub(super) fn variant(&mut self, kind: NodeKind, rule: Rule) {
        let mark = self.mark();
        self.bump();
        if !self.eat(Ident) {
            self.expected(Expected::Name);
        }
        if self.at(LParen) && !self.at_new_item() {
            self.open(rule, mark);
        } else {
            self.finish(kind, mark);
        }
    }

    fn ref_operator(&mut self, kind: NodeKind, rule: Rule) {
        let mark = self.mark();
        self.bump();
        if self.at(LParen) {
            return self.open(rule, mark);
        }
        self.expected(Expected::Token(LParen));
        self.missing();
        if rule == Rule::RefWrite {
            self.missing();
        }
        self.finish(kind, mark);
    }

    pub(super) fn if_expr(&mut self, mark: Mark) {
        self.bump();
        self.tasks.append_all([Task::Finish(NodeKind::If, mark), Task::Else, Task::Body, Task::Expr(1)]);
    }

    pub(super) fn else_branch(&mut self) {
        // `elif` is one word for two.
        if self.at(KwIf) && self.token_text() != "if" {
            self.if_expr(self.mark());
        } else if !self.eat(KwElse) {
            self.expected(Expected::Token(KwElse));
            self.missing();
        } else if self.at(KwIf) {
            self.if_expr(self.mark());
        } else {
            self.body();
        }
    }

    /// The arms of the `match` that began at the mark.
    pub(super) fn match_body(&mut self, mark: Mark) {
        while self.stray_closer() {}
        if self.at(Ident) && self.nth(1) == LBrace && self.token_text() == "with" {
            let (at, brace) = (self.token_span(self.pos), self.token_span(self.pos + 1));
            let why = "the arms of a `match` stand in braces, without `with`";
            self.foreign(Foreign::Surplus(why), at, &[(Span::new(at.start, brace.start), "")]);
            self.bump();
        }
        if self.at(LBrace) {
            let braces = self.open_braces(mark);
            self.tasks.push(Task::Arm(braces));
        } else if !self.foreign_with(mark) {
            self.expected(Expected::Token(LBrace));
            self.finish(NodeKind::Match, mark);
        }
    }

    pub(super) fn arm(&mut self, braces: Braces) {
        if self.at_close(braces) {
            return self.close_braces(NodeKind::Match, braces);
        }
        self.foreign_bar();
        let mark = self.mark();
        if self.at(KwCase) || self.kind().starts_pattern() {
            self.eat(KwCase);
            self.tasks.append_all([Task::Arm(braces), Task::ArmBody(mark), Task::Pattern]);
        } else if self.partner(braces.opener) == NONE {
            self.close_braces(NodeKind::Match, braces);
        } else if self.at(Semicolon) {
            self.expected(Expected::Token(Comma));
            self.bump();
            self.tasks.push(Task::Arm(braces));
        } else {
            self.expected(Expected::Pattern);
            self.skip_one();
            while !self.at_close(braces) && !self.at(KwCase) && !self.sig[self.pos].first_on_line {
                self.skip_one();
            }
            self.tasks.push(Task::Arm(braces));
        }
    }

    /// `None, Some(%x) => …`: the patterns of a tuple without its parentheses. Whether another one follows.
    fn next_of_patterns(&mut self, mark: Mark, first: u32) -> bool {
        let is_next = self.at(Comma) && self.sig[self.pos + 1].kind.starts_pattern();
        if is_next && self.sig[mark.pos as usize].kind != KwCase {
            self.pos += 1;
            self.tasks.append_all([Task::ArmPatterns(mark, first), Task::Pattern]);
            return true;
        }
        false
    }

    pub(super) fn arm_patterns(&mut self, mark: Mark, first: u32) {
        if self.next_of_patterns(mark, first) {
            return;
        }
        let end = std::mem::replace(&mut self.pos, first as usize);
        let (comma, last) = (self.token_span(self.pos), self.token_span(end - 1));
        self.foreign(Foreign::Commas, comma, &[(self.start_of(mark), "("), (last.after(), ")")]);
        self.pos = end;
        self.finish(NodeKind::TuplePat, mark);
        self.arm_body(mark);
    }

    pub(super) fn arm_body(&mut self, mark: Mark) {
        if self.next_of_patterns(mark, self.pos as u32) {
            return;
        }
        self.tasks.push(Task::ArmEnd(mark));
        self.foreign_guard();
        while self.stray_closer() {}
        let arrow = self.eat(FatArrow);
        if self.at(LBrace) {
            return self.open_block();
        }
        if !arrow {
            self.expected(Expected::Token(FatArrow));
            if matches!(self.kind(), Arrow | Eq | Colon) {
                self.bump();
            }
            if self.sig[self.pos].first_on_line || !self.kind().starts_expr() {
                return self.missing();
            }
        }
        if self.at_statement() {
            self.tasks.push(Task::SeqStmt(self.mark()));
        } else {
            self.tasks.push(Task::Expr(1));
        }
    }

    pub(super) fn arm_end(&mut self, mark: Mark) {
        self.finish(NodeKind::Arm, mark);
        self.eat(Comma);
    }
}
