//! Blocks, sequences and bindings.

use super::foreign::AHEAD;
use super::{Mark, Parser, Task};
use crate::error::{Expected, Foreign, SyntaxError};
use crate::kind::NodeKind;
use crate::lexer::NONE;
use crate::token::TokenKind::{self, *};
use base::{Append, Edit, Join, MapArray, Span, Surface, ToList};

/// Of a tuple with more parts nobody binds each.
const MOST_PARTS: usize = 8;

/// A bracket that nothing closes is looked for among at most so many tokens.
const MAX_BACK: usize = 4096;

/// A `{` that has been passed, and where its node began.
#[derive(Clone, Copy)]
pub(super) struct Braces {
    pub opener: u32,
    pub mark: Mark,
}

impl Parser<'_> {
    pub(super) fn body(&mut self) {
        while self.stray_closer() {}
        if self.at(LBrace) {
            return self.open_block();
        }
        if self.at_body_colon() {
            return self.foreign_colon();
        }
        if self.bare_body() {
            return;
        }
        self.expected(Expected::Token(LBrace));
        self.skip_to_brace();
        if self.at(LBrace) {
            self.open_block();
        } else {
            self.missing();
        }
    }

    /// Goes to a `{` later on this line, if no other construct that wants one comes first.
    pub(super) fn skip_to_brace(&mut self) {
        let rest = &self.sig[self.pos..];
        let ends = |kind: TokenKind| {
            kind.is_opener()
                || matches!(kind, KwMethod | KwUse | KwDim | KwTsr | KwNode | KwWeights | KwGraph | ColonColon)
                || kind.is_closer()
                || matches!(kind, Semicolon | Comma | KwFn | KwIf | KwElse | KwDef | KwMatch | Eof)
        };
        let Some(ahead) = rest.iter().position(|sig| ends(sig.kind) || sig.first_on_line) else { return };
        if rest[ahead].kind == LBrace && !rest[ahead].first_on_line {
            self.pos += ahead;
            self.quiet_at = self.pos;
        }
    }

    pub(super) fn open_block(&mut self) {
        let mark = self.mark();
        let braces = self.open_braces(mark);
        self.tasks.push(Task::Stmt(braces));
    }

    /// Passes the `{` here. Past the nesting limit, what it holds is an `Error` and the next token is where it ends.
    pub(super) fn open_braces(&mut self, mark: Mark) -> Braces {
        let opener = self.pos as u32;
        let deep = !self.enter();
        self.bump();
        if deep {
            self.skip_inside(opener);
            self.depth += 1;
        }
        Braces { opener, mark }
    }

    /// Whether the braces end here: at their `}`, or where nothing more can be theirs.
    pub(super) fn at_close(&self, braces: Braces) -> bool {
        match self.partner(braces.opener) {
            NONE => self.at_stop(braces.opener),
            close => self.pos >= close as usize,
        }
    }

    pub(super) fn close_braces(&mut self, kind: NodeKind, braces: Braces) {
        self.depth -= 1;
        if self.partner(braces.opener) as usize == self.pos {
            self.bump();
        } else {
            self.unclosed(braces.opener);
        }
        if matches!(kind, NodeKind::TypeDef | NodeKind::ExternType) {
            self.eat(Semicolon);
        }
        self.finish(kind, braces.mark);
    }

    pub(super) fn stmt(&mut self, braces: Braces) {
        if self.at_close(braces) {
            // Skipped text at the end stands for the value.
            let skipped = self.nodes.len() > braces.mark.node as usize
                && self.nodes.last().is_some_and(|node| node.kind == NodeKind::Error);
            if self.partner(braces.opener) == NONE {
                self.unclosed(braces.opener);
            }
            if !skipped && !self.value_with_semicolon() {
                if !self.bound_at_last(braces.mark.node) {
                    self.expected(Expected::Expression);
                }
                self.missing();
            }
            return self.close_braces(NodeKind::Block, braces);
        }
        if self.at_return() {
            self.pass_return();
        }
        let mark = self.mark();
        if self.at_statement() || self.at_bare_binding() {
            self.tasks.push(Task::Stmt(braces));
            self.statement(NodeKind::LetStmt, NodeKind::GraphStmt);
        } else if self.starts_expr() {
            self.tasks.push(Task::StmtEnd(braces, mark));
            self.tasks.push(Task::Expr(1));
        } else {
            self.expected(Expected::Expression);
            self.skip_in_block(braces);
            self.eat(Semicolon);
            self.finish(NodeKind::Error, mark);
            self.tasks.push(Task::Stmt(braces));
        }
    }

    pub(super) fn stmt_end(&mut self, braces: Braces, mark: Mark) {
        if self.at_close(braces) {
            return self.close_braces(NodeKind::Block, braces);
        }
        if self.eat(Semicolon) {
            self.finish(NodeKind::ExprStmt, mark);
            self.tasks.push(Task::Stmt(braces));
        } else if self.at_statement() || (self.starts_expr() && !self.kind().is_bad()) {
            self.expected(Expected::Token(Semicolon));
            self.finish(NodeKind::ExprStmt, mark);
            self.tasks.push(Task::Stmt(braces));
        } else if self.stray_closer() {
            self.tasks.push(Task::StmtEnd(braces, mark));
        } else if !self.next_of_several(braces, mark, self.pos as u32) {
            self.expected(Expected::StatementEnd);
            self.skip_in_block(braces);
            self.tasks.push(Task::StmtEnd(braces, mark));
        }
    }

    /// `%a, %b` as a statement: a tuple without its parentheses. Whether another value follows.
    fn next_of_several(&mut self, braces: Braces, mark: Mark, first: u32) -> bool {
        if !self.at(Comma) {
            return false;
        }
        self.pos += 1;
        let is_value = self.starts_expr() && !self.kind().is_bad();
        if is_value {
            self.tasks.append_all([Task::Several(braces, mark, first), Task::Expr(1)]);
        } else {
            self.pos -= 1;
        }
        is_value
    }

    pub(super) fn several_end(&mut self, braces: Braces, mark: Mark, first: u32) {
        if self.next_of_several(braces, mark, first) {
            return;
        }
        let end = std::mem::replace(&mut self.pos, first as usize);
        let (comma, last) = (self.token_span(self.pos), self.token_span(end - 1));
        self.foreign(Foreign::Commas, comma, &[(self.start_of(mark), "("), (last.after(), ")")]);
        self.pos = end;
        self.finish(NodeKind::Tuple, mark);
        self.tasks.push(Task::StmtEnd(braces, mark));
    }

    /// Up to where a statement ends or another begins; at least one token, unless that is a `;`.
    fn skip_in_block(&mut self, braces: Braces) {
        let from = self.pos;
        while !self.at_close(braces) && !self.at(Semicolon) {
            let fresh = self.sig[self.pos].first_on_line && self.starts_expr();
            if self.pos > from && (fresh || self.at_statement()) {
                return;
            }
            self.skip_one();
        }
    }

    pub(super) fn seq_stmt(&mut self, seq: Mark) {
        if self.at_statement() {
            self.tasks.push(Task::SeqStmt(seq));
            self.statement(NodeKind::LetStmt, NodeKind::GraphStmt);
        } else {
            self.tasks.push(Task::SeqEnd(seq, self.mark()));
            self.tasks.push(Task::Expr(1));
        }
    }

    pub(super) fn seq_end(&mut self, seq: Mark, stmt: Mark) {
        if self.eat(Semicolon) {
            self.finish(NodeKind::ExprStmt, stmt);
            self.tasks.push(Task::SeqStmt(seq));
        } else if seq != stmt {
            self.finish(NodeKind::Seq, seq);
        }
    }

    /// `let`, `free_var`, `%0 =`, or `%x =` where `let` is missing.
    pub(super) fn at_statement(&self) -> bool {
        match self.kind() {
            KwLet | KwFreeVar => true,
            Graph | Local => self.nth(1) == Eq || self.at_annotation() || self.locals_end().is_some(),
            _ if self.surface != Surface::TensorScript || !self.at_name() || self.begins_part() => false,
            _ => self.nth(1) == Eq || self.shape_behind(self.pos + 1).is_some(),
        }
    }

    /// `x = e`, where a statement or an item begins.
    pub(super) fn at_bare_binding(&self) -> bool {
        self.surface == Surface::Relay && self.at_name() && self.nth(1) == Eq
    }

    /// A statement, or an item of the same form.
    pub(super) fn statement(&mut self, let_kind: NodeKind, graph_kind: NodeKind) {
        if self.surface == Surface::TensorScript {
            return self.assignment();
        }
        let mark = self.mark();
        match self.kind() {
            KwLet => {
                self.bump();
                self.foreign_rec();
                if let Some(end) = self.pattern_end() {
                    return self.pattern_in_let(let_kind, mark, end);
                }
                self.binder();
                if let Some(sign) = self.params_end() {
                    self.tasks.push(Task::BindEnd(let_kind, mark));
                    return self.lambda(self.mark(), sign);
                }
                self.annotated(Task::BindValue(let_kind, mark));
            }
            KwFreeVar => {
                self.bump();
                self.binder();
                self.annotated(Task::BindEnd(NodeKind::FreeVar, mark));
            }
            Graph => {
                self.bump();
                if let Some(end) = self.type_end(self.pos + 1).filter(|_| self.at(Colon)) {
                    self.surplus("a graph variable has no type written behind it", end);
                }
                self.tasks.push(Task::BindValue(graph_kind, mark));
            }
            _ => {
                if let Some(end) = self.locals_end() {
                    return self.pattern_in_let(let_kind, mark, end);
                }
                let local = self.token_span(self.pos);
                let equals = (self.nth(1) == Eq).then(|| self.token_span(self.pos + 1));
                if !self.hush() {
                    let has_sigil = self.at(Local);
                    self.errors.push(SyntaxError::MissingLet { local, equals, has_sigil });
                }
                self.name();
                self.annotated(Task::BindValue(let_kind, mark));
            }
        }
    }

    /// The name that is bound; a wrong one is passed over.
    fn binder(&mut self) {
        if self.at(Local) || self.at_name() {
            return self.name();
        }
        self.expected(Expected::LocalName);
        if matches!(self.nth(1), Eq | Colon) && !self.at(Eq) && !self.at(Colon) && !self.at_stop(NONE) {
            self.bump();
        }
    }

    /// Where a tuple or constructor ends that stands for a variable: its last token.
    fn pattern_end(&self) -> Option<usize> {
        let opener = self.pos + usize::from(self.at(Ident));
        match self.sig.get(opener)? {
            sig if sig.kind == LParen && sig.partner != NONE => Some(sig.partner as usize),
            _ => self.locals_end(),
        }
    }

    /// The last of a few variables before an `=`: `%x, %y =`.
    fn locals_end(&self) -> Option<usize> {
        let mut pos = self.pos;
        while pos < self.pos + 2 * MOST_PARTS && [0, 1].each(|at| self.kind_at(pos + at)) == [Local, Comma] {
            pos += 2;
        }
        (pos > self.pos && [0, 1].each(|at| self.kind_at(pos + at)) == [Local, Eq]).then_some(pos)
    }

    /// `let (%x, %y) = e;`. Each variable is bound to an error, so that its uses are none, and `e` is a statement.
    fn pattern_in_let(&mut self, let_kind: NodeKind, mark: Mark, end: usize) {
        let at = self.token_span(self.pos).to(self.token_span(end));
        if !self.hush() {
            let edits = self.parts_bound(self.start_of(mark).to(at), end);
            self.errors.push(SyntaxError::PatternInLet { at, edits });
        }
        let mut mark = mark;
        while self.pos <= end {
            let ends = |kind| matches!(kind, LParen | Comma | RParen);
            let named = self.at_name() && ends(self.sig[self.pos - 1].kind) && ends(self.nth(1));
            let is_bound = named || self.at(Local);
            self.name();
            if is_bound {
                self.missing();
                self.finish(let_kind, mark);
                mark = self.mark();
            }
        }
        if self.at(Colon) {
            while !self.at(Eq) && !self.at(Semicolon) && !self.at_stop(NONE) {
                self.skip_one();
            }
        }
        let kind = if let_kind == NodeKind::LetItem { NodeKind::ExprItem } else { NodeKind::ExprStmt };
        self.bind_value(kind, mark);
    }

    /// What binds a tuple's few variables one by one, `let %x_y = e; let %x = %x_y.0; let %y = %x_y.1;`, where the
    /// variables that end here are all that there is to it.
    fn parts_bound(&self, head: Span, end: usize) -> Vec<Edit> {
        let pattern = self.pos + usize::from(self.at(LParen))..=end;
        let are_variables = pattern.clone().all(|pos| matches!(self.sig[pos].kind, Local | Comma | RParen));
        let locals = pattern.filter(|&pos| self.sig[pos].kind == Local).take(MOST_PARTS + 1);
        let names: Vec<&str> = locals.map(|pos| &self.text[self.token_span(pos).range()][1..]).list();
        let mut behind = end + 1;
        while behind < end + AHEAD && !matches!(self.kind_at(behind), Semicolon | KwLet | Eof) {
            behind = self.behind(behind);
        }
        let whole = names.joined("_");
        // Whether it is another's name is not looked for again and again.
        let is_sure = are_variables && (2..=MOST_PARTS).contains(&names.len()) && self.errors.len() < AHEAD;
        let is_bound = [end + 1, behind].each(|pos| self.kind_at(pos)) == [Eq, Semicolon];
        if !is_sure || !is_bound || base::find(self.text, &format!("%{whole}")).is_some() {
            return Vec::new();
        }
        let parts = names.iter().enumerate().map(|(i, name)| format!(" let %{name} = %{whole}.{i};"));
        vec![
            Edit { span: head, text: format!("let %{whole}") },
            Edit { span: self.token_span(behind).after(), text: parts.collect() },
        ]
    }

    /// `: T` if it is there, then the task.
    fn annotated(&mut self, then: Task) {
        self.tasks.push(then);
        let is_type = |end| matches!(self.kind_at(end), Eq | Semicolon);
        let lacks_colon = self.surface == Surface::Relay
            && !self.sig[self.pos].first_on_line
            && self.type_end(self.pos).is_some_and(is_type);
        if self.eat(Colon) {
            self.tasks.push(Task::Type);
        } else if lacks_colon {
            self.expected(Expected::Token(Colon));
            self.tasks.push(Task::Type);
        }
    }

    pub(super) fn bind_value(&mut self, kind: NodeKind, mark: Mark) {
        self.tasks.push(Task::BindEnd(kind, mark));
        if self.eat(Eq) {
            return self.tasks.push(Task::Expr(1));
        }
        self.expected(Expected::Token(Eq));
        if matches!(self.kind(), EqEq | ColonEq | FatArrow) {
            self.bump();
            self.tasks.push(Task::Expr(1));
        } else if self.starts_expr() && !self.sig[self.pos].first_on_line {
            self.tasks.push(Task::Expr(1));
        } else {
            self.missing();
        }
    }

    /// Goes past a `)` or `]` that closes nothing, or a `}` that is too many.
    pub(super) fn stray_closer(&mut self) -> bool {
        let is_stray = match self.kind() {
            RParen | RBracket => self.partner(self.pos as u32) == NONE,
            RBrace => self.surplus_braces.binary_search(&self.pos).is_ok(),
            _ => false,
        };
        if is_stray {
            let sig = self.sig[self.pos];
            if !self.hush() {
                // The nearest bracket before it that nothing closes may be meant, if that is a `{`.
                let around = self.pos.saturating_sub(MAX_BACK)..self.pos;
                let open = around.rev().find(|&at| self.kind_at(at).is_opener() && self.partner(at as u32) == NONE);
                let is_meant = |&at: &usize| self.kind_at(at) == LBrace && self.nth(1) != Semicolon;
                let open = open.filter(is_meant).map(|at| self.token_span(at));
                // It is closed once.
                let is_taken =
                    |error: &SyntaxError| matches!(error, SyntaxError::Unopened { open: it, .. } if *it == open);
                let open = open.filter(|_| !self.errors.last().is_some_and(is_taken));
                self.errors.push(SyntaxError::Unopened { closer: sig.kind, at: self.token_span(self.pos), open });
            }
            self.bump();
            self.quiet_at = self.pos;
        }
        is_stray
    }

    pub(super) fn bind_end(&mut self, kind: NodeKind, mark: Mark) {
        while self.stray_closer() {}
        if matches!(kind, NodeKind::LetStmt | NodeKind::LetItem | NodeKind::GraphStmt | NodeKind::GraphItem) {
            self.bare_tuple();
        }
        // What follows is no arm, nor another part of a list.
        let goes_on = match kind {
            NodeKind::Weight => self.nth(1) == RBrace || self.nth(2) == Eq,
            _ => self.nth(1) == KwLet || self.nth(1) == Local && self.nth(2) != FatArrow,
        };
        if self.at(Comma) && self.surface != Surface::Refine && goes_on {
            self.misspelt(Semicolon);
            self.bump();
        } else if !self.eat(Semicolon) && !self.foreign_in() && !self.also_missing(Semicolon) {
            self.expected(Expected::Token(Semicolon));
        }
        self.finish(kind, mark);
    }
}
