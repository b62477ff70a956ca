//! What is written in refine as in other languages of its family: said once, with what it is here, and passed over.
//!
//! refine has variants, `let … in` and `match … with`: no functions, no tuples, no numbers, no operators.

use super::foreign::AHEAD;
use super::refine::Part;
use super::{Mark, Parser, Task};
use crate::error::{Foreign, SyntaxError};
use crate::kind::NodeKind;
use crate::lexer::NONE;
use crate::token::TokenKind::{self, *};
use base::{Append, Edit, MapArray, Span, ToList};

/// Edits of the text at spans.
type Edits<'a> = Vec<(Span, &'a str)>;

impl Parser<'_> {
    fn text_at(&self, pos: usize) -> &str {
        &self.text[self.token_span(pos).range()]
    }

    fn is_word(&self, pos: usize, words: &[&str]) -> bool {
        self.sig[pos].kind == Local && words.contains(&self.text_at(pos))
    }

    /// Such tokens between these brackets, but for those in brackets of their own.
    fn separators(&self, open: usize, kinds: &[TokenKind]) -> Vec<usize> {
        let mut found = Vec::new();
        let (mut pos, close) = (open + 1, self.partner(open as u32));
        while close != NONE && pos < close as usize {
            found.append_all(kinds.contains(&self.sig[pos].kind).then_some(pos));
            pos = self.behind(pos);
        }
        found
    }

    // Functions.

    fn no_functions(&mut self, at: Span) {
        if !self.told_functions {
            self.foreign(Foreign::NoFunctions, at, &[]);
        }
        self.told_functions = true;
    }

    /// `let rec f …`: the word counts as part of the `let`. Gives the word, and the space between it and the name.
    pub(super) fn pass_rec(&mut self) -> Option<Span> {
        if !self.is_word(self.pos, &["rec"]) || self.nth(1) != Local {
            return None;
        }
        let (word, name) = (self.token_span(self.pos), self.token_span(self.pos + 1));
        let token = self.sig[self.pos].token as usize;
        self.tokens[token].kind = KwLet;
        self.bump();
        let between = &self.text[word.end as usize..name.start as usize];
        Some(if between.trim_ascii().is_empty() { Span::new(word.start, name.start) } else { word })
    }

    /// `let rec x = e in`.
    pub(super) fn no_recursion(&mut self, rec: Span) {
        self.foreign(Foreign::NoRecursion, Span::new(rec.start, rec.start + 3), &[(rec, "")]);
    }

    /// `let f x = e in`, at the parameters: goes past all up to the `in`.
    pub(super) fn function_let(&mut self, mark: Mark) -> bool {
        if !matches!(self.kind(), Local | Underscore | LParen) {
            return false;
        }
        let mut end = self.pos;
        while end < self.pos + AHEAD && matches!(self.sig[end].kind, Local | Underscore | LParen | Colon | LBracket) {
            end = self.behind(end);
        }
        if self.sig[end].kind != Eq {
            return false;
        }
        self.no_functions(self.token_span(self.pos).to(self.token_span(end - 1)));
        self.pos = end + 1;
        self.then(Part::In(mark));
        self.skip_function(0, 0);
        true
    }

    /// Whether `fun x -> e`, `function | A -> e`, `x -> e` or `(x, y) => e` begins here.
    pub(super) fn at_function(&self) -> bool {
        let is_arrow = |pos: usize| matches!(self.sig[pos].kind, Arrow | FatArrow) && !self.sig[pos].first_on_line;
        // In an arm the bar is that of the next.
        let begins_value = self.pos > 0 && matches!(self.sig[self.pos - 1].kind, Eq | LParen);
        if self.is_word(self.pos, &["function"]) && self.nth(1) == Pipe && begins_value {
            return true;
        }
        let is_fun = self.is_word(self.pos, &["fun", "function", "fn", "lambda"]);
        let mut end = self.pos + usize::from(is_fun);
        while is_fun && end < self.pos + AHEAD && matches!(self.sig[end].kind, Local | Ident | Underscore | LParen) {
            end = self.behind(end);
        }
        if is_fun {
            return is_arrow(end);
        }
        let end = self.behind(self.pos);
        let inside = &self.sig[self.pos..end];
        let is_name = |kind| matches!(kind, Local | Underscore | Comma | LParen | RParen);
        end <= self.pos + AHEAD && is_arrow(end) && inside.iter().all(|sig| is_name(sig.kind))
    }

    pub(super) fn function_value(&mut self) {
        let at = self.token_span(self.pos);
        let n_matches = i32::from(self.is_word(self.pos, &["function"]));
        self.no_functions(at);
        self.skip_function(0, n_matches);
    }

    /// Everything up to the end of a function's body, as an `Error`; quietly. So many `let`s and `match`es are open.
    fn skip_function(&mut self, mut n_lets: i32, mut n_matches: i32) {
        let mark = self.mark();
        while !self.at_stop(NONE) {
            match self.kind() {
                KwIn if n_lets == 0 => break,
                KwLet if n_lets == 0 && self.sig[self.pos].first_on_line && mark.pos as usize != self.pos => break,
                Pipe if n_matches == 0 => break,
                KwIn => n_lets -= 1,
                KwLet => n_lets += 1,
                KwMatch => n_matches += 1,
                _ => {}
            }
            self.skip_one();
        }
        self.finish(NodeKind::Error, mark);
        self.quiet_at = self.pos;
    }

    // `if`.

    /// Whether an `if` begins here. In `if c then a else b` the words are keywords from now on.
    pub(super) fn begins_if(&mut self) -> bool {
        if !self.is_word(self.pos, &["if"]) || !matches!(self.nth(1), Local | Ident | LParen) {
            return false;
        }
        let find = |from: usize, word: &str| {
            let (mut pos, mut depth) = (from, 0);
            while pos < from + AHEAD && !self.sig[pos].kind.is_closer() && self.sig[pos].kind != Eof {
                match () {
                    () if self.is_word(pos, &["if"]) => depth += 1,
                    () if depth == 0 && self.is_word(pos, &[word]) => return Some(pos),
                    () if self.is_word(pos, &["else"]) => depth -= 1,
                    () => {}
                }
                pos = self.behind(pos);
            }
            None
        };
        if let Some(then) = find(self.pos + 1, "then")
            && let Some(otherwise) = find(then + 1, "else")
        {
            self.sig[then].kind = KwWith;
            self.sig[otherwise].kind = KwElse;
        }
        true
    }

    /// At the word, where its `then` and its `else` are if it has them.
    pub(super) fn begin_if(&mut self, mark: Mark) {
        let is_whole = self.sig[self.pos..].iter().take(AHEAD).any(|sig| sig.kind == KwElse);
        if is_whole {
            self.bump();
            self.then(Part::Then(mark));
            return self.then(Part::Expr);
        }
        self.depth -= 1;
        self.foreign(Foreign::Truth, self.token_span(self.pos), &[]);
        self.skip_function(0, 0);
    }

    /// After the condition.
    pub(super) fn if_then(&mut self, mark: Mark) {
        self.skip_to_anchor();
        let then = self.pos as u32;
        if self.eat(KwWith) {
            self.then(Part::Else(mark, then));
            return self.then(Part::Expr);
        }
        self.depth -= 1;
        self.finish(NodeKind::Error, mark);
    }

    pub(super) fn if_else(&mut self, mark: Mark, then: u32) {
        self.skip_to_anchor();
        let otherwise = self.pos as u32;
        if self.eat(KwElse) {
            self.then(Part::IfEnd(mark, then, otherwise));
            return self.then(Part::Expr);
        }
        self.depth -= 1;
        self.finish(NodeKind::Error, mark);
    }

    pub(super) fn if_end(&mut self, mark: Mark, then: u32, otherwise: u32) {
        self.depth -= 1;
        let [first, then, otherwise] = [mark.pos, then, otherwise].each(|pos| pos as usize);
        // A `match` would take the arms that follow it.
        let is_nested = self.sig[then..otherwise].iter().any(|sig| matches!(sig.kind, KwMatch | KwLet | KwElse));
        let is_before_arm = self.at(Pipe);
        let [(open, close), (begin, end)] =
            [is_nested, is_before_arm].each(|is| if is { ("(", ")") } else { ("", "") });
        let texts =
            [format!("{begin}match"), format!("with True -> {open}"), format!("{close}| False ->"), end.to_owned()];
        let behind = self.token_span(self.pos - 1).after();
        let spans = [self.token_span(first), self.token_span(then), self.token_span(otherwise), behind];
        let edits: Edits = spans.into_iter().zip(texts.iter().map(|text| text.trim_ascii_end())).list();
        let edits = &edits[..if is_before_arm { 4 } else { 3 }];
        self.foreign(Foreign::Truth, spans[0], edits);
        self.finish(NodeKind::Error, mark);
    }

    // Fields and tuples.

    /// The commas of `(A, B)`, where such stands here.
    fn commas(&self) -> Vec<usize> {
        if self.at(LParen) { self.separators(self.pos, &[Comma]) } else { Vec::new() }
    }

    /// `Pair (A, B)` and `(A, B)`, at the parenthesis: each part is a field of its own.
    pub(super) fn fields(&mut self, mark: Mark, part: fn(Mark, u32) -> Part) -> bool {
        let (commas, opener) = (self.commas(), self.pos);
        if commas.is_empty() || !self.enter() {
            return false;
        }
        let close = self.partner(opener as u32) as usize;
        let is_bare = mark.pos as usize == opener;
        let form = if is_bare { Foreign::NoTuples } else { Foreign::Fields };
        let at = self.token_span(opener).to(self.token_span(close));
        // The parenthesis, each comma and the other parenthesis become what ends a field and begins the next.
        let bounds = [opener].into_iter().chain(commas).chain([close]).list();
        let is_single = |bounds: &[usize]| self.behind(bounds[0] + 1) >= bounds[1];
        let mut edits: Edits = Vec::new();
        for (place, &bound) in bounds.iter().enumerate() {
            let before = place > 0 && !is_single(&bounds[place - 1..]);
            let next = bounds.get(place + 1).filter(|&&next| bound + 1 < next);
            let after = next.is_some() && !is_single(&bounds[place..]);
            let text = match (before, next.is_some(), after) {
                (false, true, false) if place == 0 && is_bare => "Pair ",
                (false, true, true) if place == 0 && is_bare => "Pair (",
                (false, true, false) => " ",
                (false, true, true) => " (",
                (true, true, false) => ") ",
                (true, true, true) => ") (",
                (true, false, _) => ")",
                (false, false, _) => "",
            };
            let at = self.token_span(bound);
            // A space stands before the parenthesis as often as not, and behind a comma.
            let from = if place == 0 && !is_bare { self.token_span(opener - 1).after() } else { at };
            let to = if next.is_some() { Span::new(at.end, self.token_span(bound + 1).start) } else { at };
            edits.push((from.to(to), text));
        }
        // A list inside is a tuple of its own, and has to be one before it is a field.
        let is_list = |bounds: &[usize]| {
            let inside = bounds[0] + 1;
            is_single(bounds) && self.sig[inside].kind == LParen && !self.separators(inside, &[Comma]).is_empty()
        };
        if bounds.windows(2).any(is_list) {
            edits.clear();
        }
        if is_bare && self.pos > 0 && matches!(self.sig[self.pos - 1].kind, LParen | Comma) && !edits.is_empty() {
            edits[0].1 = if edits[0].1 == "Pair " { "(Pair " } else { "(Pair (" };
            let last = edits.len() - 1;
            edits[last].1 = if edits[last].1 == ")" { "))" } else { ")" };
        }
        self.foreign(form, at, &edits);
        self.bump();
        let part = part(mark, opener as u32);
        self.then(part);
        self.begin_field(part);
        true
    }

    fn begin_field(&mut self, part: Part) {
        match part {
            Part::PatField(..) | Part::PatTupleField(..) => self.tasks.push(Task::Pattern),
            _ => self.then(Part::Expr),
        }
    }

    /// Behind a field: whether another follows, which is begun. If none does, the parentheses are behind.
    pub(super) fn next_field(&mut self, part: Part, opener: u32) -> bool {
        let (close, from) = (self.partner(opener) as usize, self.pos);
        while self.pos < close && self.at(Comma) {
            self.bump();
        }
        let is_next = from < self.pos && self.pos < close;
        if is_next {
            self.then(part);
            self.begin_field(part);
        } else {
            self.depth -= 1;
            self.pos = close + 1;
        }
        is_next
    }

    // Braces around arms.

    /// `match x { A -> B, C -> D }`, at the brace.
    pub(super) fn braces(&mut self, mark: Mark) -> bool {
        let opener = self.pos;
        let close = self.partner(opener as u32);
        if !self.at(LBrace) || close == NONE || self.separators(opener, &[Arrow, FatArrow]).is_empty() {
            return false;
        }
        let close = close as usize;
        let separators = self.separators(opener, &[Comma, Semicolon]);
        // What stands in front of a bar, or of the end, separates nothing.
        let is_idle = |pos: usize| self.sig[pos + 1].kind == Pipe || pos + 1 == close;
        if separators.iter().any(|&pos| is_idle(pos) && pos + 1 != close) {
            return false;
        }
        let is_before_arm = self.sig[close + 1].kind == Pipe;
        let first = self.token_span(mark.pos as usize);
        let mut edits: Edits = Vec::new();
        edits.append_all(is_before_arm.then_some((Span::new(first.start, first.start), "(")));
        edits.push((self.token_span(opener), "with"));
        edits.append_all(separators.iter().map(|&pos| (self.token_span(pos), if is_idle(pos) { "" } else { " |" })));
        edits.push((self.token_span(close), if is_before_arm { ")" } else { "" }));
        self.foreign(Foreign::Braces, self.token_span(opener), &edits);
        for pos in separators {
            self.sig[pos].kind = if pos + 1 == close { RBrace } else { Pipe };
            self.sig[pos].partner = if pos + 1 == close { opener as u32 } else { NONE };
        }
        self.bump();
        self.then(Part::Brace(close as u32));
        true
    }

    /// After the arms.
    pub(super) fn brace_end(&mut self, close: u32) {
        self.pos = self.pos.max(close as usize + 1);
    }

    // What there is no word for.

    /// `type t = A | B`: goes past all up to what begins a line and is none of it, or closes what is around.
    pub(super) fn pass_type(&mut self) {
        while self.is_word(self.pos, &["type", "data"]) && matches!(self.nth(1), Local | Ident) {
            self.foreign(Foreign::NoTypes, self.token_span(self.pos), &[]);
            self.bump();
            let goes_on = |parser: &Self| !parser.sig[parser.pos].first_on_line || parser.at(Pipe) || parser.at(Eq);
            while !matches!(self.kind(), Eof | RParen | RBracket | RBrace)
                && (goes_on(self) || self.sig[self.pos - 1].kind == Eq)
            {
                self.skip_one();
            }
            self.quiet_at = self.pos;
        }
    }

    /// An operator behind an operand, and what follows it up to the next anchor.
    pub(super) fn pass_operator(&mut self) {
        let is_operator = matches!(
            self.kind(),
            Plus | Minus | Star | Slash | Percent | At | EqEq | NotEq | Lt | Gt | LtEq | GtEq | Dot | Amp
        );
        let is_cons = self.at(Colon) && self.nth(1) == Colon;
        if is_operator || is_cons {
            self.foreign(Foreign::NoOperators, self.token_span(self.pos), &[]);
            self.skip_to_anchor();
            self.quiet_at = self.pos;
        }
    }

    /// `` `A ``: the backtick.
    pub(super) fn pass_backtick(&mut self) {
        if self.at(Backtick) && self.nth(1) == Ident {
            self.foreign(Foreign::Backtick, self.token_span(self.pos), &[(self.token_span(self.pos), "")]);
            self.bump();
        }
    }

    // Types and patterns.

    /// `Some of A`, `Some of [A]`, `Some (A)` and `Some {A}` for `Some [A]`. Whether the bracket around what it holds is
    /// here.
    pub(super) fn foreign_payload(&mut self) -> bool {
        let has_of = self.is_word(self.pos, &["of"]);
        let first = self.pos + usize::from(has_of);
        let kind = self.kind_at(first);
        let is_other = self.at_sum_in(first, &[LParen, LBrace]);
        if !(is_other || has_of && matches!(kind, Ident | LBracket)) {
            return false;
        }
        let (word, open) = (self.token_span(self.pos), self.token_span(first));
        let mut edits: Edits = Vec::new();
        if has_of {
            edits.push((Span::new(word.start, open.start), ""));
        }
        match kind {
            LBracket => {}
            Ident => edits.append_all([(Span::new(open.start, open.start), "["), (open.after(), "]")]),
            _ => edits.append_all([(open, "["), (self.token_span(self.partner(first as u32) as usize), "]")]),
        }
        self.foreign(Foreign::Payload, word, &edits);
        if has_of {
            self.bump();
        }
        if kind == Ident {
            let sum = self.mark();
            self.leaf(NodeKind::VariantType);
            self.finish(NodeKind::SumType, sum);
        }
        kind != Ident
    }

    /// Whether variants stand here in such brackets.
    fn at_sum_in(&self, pos: usize, openers: &[TokenKind]) -> bool {
        openers.contains(&self.kind_at(pos)) && self.partner(pos as u32) != NONE && self.kind_at(pos + 1) == Ident
    }

    /// `A | B`, `A, B`, `{A, B}` and `(A, B)` for `[A, B]`.
    pub(super) fn unbracketed_sum(&mut self) -> bool {
        let first = self.pos;
        let is_braced = self.at_sum_in(first, &[LBrace, LParen]);
        let mut end = if is_braced { self.behind(first) } else { first };
        while !is_braced && end < first + AHEAD && matches!(self.sig[end].kind, Ident | Pipe | Comma | LBracket) {
            end = self.behind(end);
        }
        if end == first || self.sig[end].kind != Eq {
            return false;
        }
        let (from, to) = (self.token_span(first), self.token_span(end - 1));
        let bars = (first + 1..end).filter(|&pos| self.sig[pos].kind == Pipe).list();
        let mut edits: Edits = Vec::new();
        edits.push(if is_braced { (from, "[") } else { (Span::new(from.start, from.start), "[") });
        edits.append_all(bars.iter().map(|&pos| (self.token_span(pos - 1).after().to(self.token_span(pos)), ",")));
        edits.push(if is_braced { (to, "]") } else { (to.after(), "]") });
        self.foreign(Foreign::Sum, from.to(to), &edits);
        let mark = self.mark();
        self.pos = end;
        self.finish(NodeKind::Error, mark);
        true
    }

    /// `let Pair x y = e in …`, at the pattern: goes past the rest, which is in the scope of its variables.
    pub(super) fn pattern_let(&mut self, mark: Mark) -> bool {
        let mut equals = self.pos;
        let is_part = |kind| matches!(kind, Ident | Local | Underscore | LParen);
        while equals < self.pos + AHEAD && is_part(self.sig[equals].kind) {
            equals = self.behind(equals);
        }
        let is_name = equals == self.pos + 1 && !self.at(LParen);
        if self.sig[equals].kind != Eq || is_name || equals == self.pos {
            return false;
        }
        let (mut end, mut n_lets) = (equals + 1, 0);
        while end < equals + AHEAD && !(self.sig[end].kind == KwIn && n_lets == 0) && self.sig[end].kind != Eof {
            n_lets += i32::from(self.sig[end].kind == KwLet) - i32::from(self.sig[end].kind == KwIn);
            end = self.behind(end);
        }
        let at = self.token_span(self.pos).to(self.token_span(equals - 1));
        let pattern = format!("with {} ->", &self.text[at.range()]);
        let is_simple = self.sig[end].kind == KwIn && self.commas().is_empty();
        let is_said = self.hush();
        self.skip_function(1, 0);
        // A `match` would take the arms that follow it.
        let is_before_arm = self.at(Pipe);
        let texts = [if is_before_arm { "(match" } else { "match" }, &pattern, ")"];
        let from = self.token_span(mark.pos as usize).to(self.token_span(equals));
        let spans = [from, self.token_span(end), self.token_span(self.pos - 1).after()];
        let edits = spans.into_iter().zip(texts).map(|(span, text)| Edit { span, text: text.to_owned() });
        let edits = edits.take(match (is_simple, is_before_arm) {
            (false, _) => 0,
            (true, false) => 2,
            (true, true) => 3,
        });
        if !is_said {
            self.errors.push(SyntaxError::Foreign { form: Foreign::Parts, at, edits: edits.list() });
        }
        true
    }
}
