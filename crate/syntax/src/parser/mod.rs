//! The pushdown machine: its state, its tasks and what they all use.
//!
//! A task that needs a part parsed pushes what comes after it, then the task for the part. Each task that parses an
//! expression, a pattern, a type or a dim pushes exactly one node.

mod block;
mod closers;
mod expr;
mod foreign;
mod item;
mod lambda;
mod list;
mod misspelt;
mod names;
mod openers;
mod outdent;
mod pair;
mod pattern;
mod refine;
mod refine_foreign;
mod relation;
mod surplus;
mod tensorscript;
mod ty;

use base::{Edited, Span, Surface};
use std::ops::Range;

use crate::Parse;
use crate::error::{Expected, Found, SyntaxError};
use crate::kind::NodeKind;
use crate::lexer::{NONE, Sig, Token};
use crate::token::TokenKind::{self, *};
use crate::tree::{Node, Tree};
use block::Braces;
use list::{List, Rule};
use refine::Part;
use relation::Choice;

/// The functions that dims are computed with.
pub const DIM_FUNCTIONS: [&str; 5] = ["max", "min", "floordiv", "rank", "prod"];

/// How deep brackets, prefix operators, `:=` and arrows of function types may nest.
pub const MAX_NESTING: u32 = 1000;

/// So many places are told where a `]` may be missing.
const MAX_PLACES: usize = 8;

pub(crate) fn parse(text: &str, surface: Surface) -> Parse {
    let mut lexed = names::lex_names(text, surface);
    let surplus_braces = misspelt::pair_brackets(text, surface, &mut lexed);
    let cut_off = matches!(lexed.errors.last(), Some(SyntaxError::UnterminatedComment { .. }));
    let mut parser = Parser {
        text,
        surface,
        nodes: Vec::with_capacity(lexed.sig.len()),
        tokens: lexed.tokens,
        sig: lexed.sig,
        pos: 0,
        tasks: vec![match surface {
            Surface::Relay => Task::Items,
            Surface::Refine => Task::Refine(Part::Program),
            Surface::TensorScript => Task::TensorScript(tensorscript::Part::Items),
        }],
        depth: 0,
        n_operators: 0,
        bare: false,
        angles_paired: false,
        surplus_braces,
        item: Eof,
        outer: NONE,
        errors: lexed.errors,
        quiet_at: usize::MAX,
        unsaid: Vec::new(),
        cut_off,
        too_deep: false,
        told_functions: false,
        told_keyword: false,
    };
    while let Some(task) = parser.tasks.pop() {
        parser.step(task);
    }
    parser.into_parse()
}

/// Where a node begins: how many nodes there were, and the next significant token.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    node: u32,
    pos: u32,
}

/// What is still to do. Unless it says otherwise, a task parses what it is named after at the current token.
#[derive(Clone, Copy)]
enum Task {
    /// Push a node that began at the mark.
    Finish(NodeKind, Mark),
    /// Come out of one level of nesting.
    Leave,
    /// The same for an operator's.
    LeaveOperator,

    /// Before an element of a list, or its closer.
    Element(List),
    /// After an element of a list.
    Separator(List),

    Items,
    /// After a top-level expression.
    ExprItemEnd(Mark),
    /// `-> T`, if it is there.
    Result,
    /// `where …`, if it is there.
    Where,
    /// A relation or equation of the clause that began at the mark.
    WhereGoal(Mark),
    WhereNext(Mark),
    /// After the head of the relation that began at the mark.
    Neck(Mark),
    Goal,
    /// After a goal of that relation.
    GoalNext(Mark),
    /// After the left side of an equation or comparison.
    Equals(Mark),
    Comparison(Mark),
    /// A branch of an `if` between goals or dims, and its `else`.
    Branch(Choice),
    OtherBranch(Choice),
    /// Before a constructor of the type that the braces belong to.
    Ctors(NodeKind, Braces),
    CtorResult,

    /// A block; an error if there is none.
    Body,
    Stmt(Braces),
    /// After an expression in a block that began at the mark.
    StmtEnd(Braces, Mark),
    /// Behind a value of several, with the first comma.
    Several(Braces, Mark, u32),
    /// A statement or the last expression of a sequence without braces.
    SeqStmt(Mark),
    /// After an expression, at the second mark, that may belong to a sequence, at the first.
    SeqEnd(Mark, Mark),
    /// `= e;` of a binding.
    BindValue(NodeKind, Mark),
    BindEnd(NodeKind, Mark),

    /// An expression of operators that bind at least so tightly.
    Expr(u8),
    ExprRest(Mark, u8),
    /// After the right operand of an operator of other languages, which stands at the token.
    ForeignEnd(Mark, u32),
    /// After the body of a function of other languages, whose parameters end at the token.
    LambdaEnd(Mark, u32),
    /// After a body behind the colon at the token.
    ColonEnd(u32),
    /// An arm of a `match … with` that began at the mark, its body, and what comes after it; the error says so.
    BarArm(Mark, u32),
    BarBody(u32),
    BarEnd(Mark, u32),
    /// After a body without braces, and the place of a `then` before it if there is one.
    BareEnd(Mark, u32),
    /// After what stands between `?` and `:`, and after what stands behind the `:`; tokens.
    Otherwise(Mark, u32),
    ConditionalEnd(Mark, u32, u32),
    /// A constructor of a type without braces that began at the mark, and what comes after it; the error says so.
    BarCtor(NodeKind, Mark, u32),
    BarCtorEnd(NodeKind, Mark, u32),
    /// After a field behind `of`, where the fields began.
    OfEnd(Mark, u32),
    /// The arguments after type arguments.
    CallArgs,
    Else,
    MatchBody(Mark),
    Arm(Braces),
    ArmBody(Mark),
    ArmPatterns(Mark, u32),
    ArmEnd(Mark),

    Pattern,
    /// After a pattern, the last alternative of several if so.
    PatternRest(Mark, Alternatives),

    Type,
    /// A type or a dim.
    TypeElement,
    FnResult,
    Dim(u8),
    DimRest(Mark, u8),

    /// Of the other surfaces.
    Refine(Part),
    TensorScript(tensorscript::Part),
}

/// How many alternatives of an or-pattern are behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alternatives {
    One,
    Many,
}

struct Parser<'a> {
    text: &'a str,
    surface: Surface,
    tokens: Vec<Token>,
    sig: Vec<Sig>,
    /// The current token, in `sig`.
    pos: usize,
    nodes: Vec<Node>,
    tasks: Vec<Task>,
    depth: u32,
    /// How many of these levels are prefix operators and `:=`, which no bracket ends.
    n_operators: u32,
    /// Inside a top-level expression, where a line that begins with `(` is the next item.
    bare: bool,
    /// Each `}` that is too many, in order.
    surplus_braces: Vec<usize>,
    angles_paired: bool,
    /// In TensorScript: the word that began the last item with parts, and where its `{` is while it is open.
    item: TokenKind,
    outer: u32,
    errors: Vec<SyntaxError>,
    /// The token at which the last error was: another one there is a consequence.
    quiet_at: usize,
    /// Where errors are none, since nothing is read there.
    unsaid: Vec<Range<u32>>,
    /// The text ends inside a comment.
    cut_off: bool,
    /// An error says so already.
    too_deep: bool,
    /// The same of functions in refine, which has none.
    told_functions: bool,
    /// And of a keyword that is taken for a variable there.
    told_keyword: bool,
}

impl Parser<'_> {
    fn step(&mut self, task: Task) {
        match task {
            Task::Finish(kind, mark) => self.finish(kind, mark),
            Task::Leave => self.depth -= 1,
            Task::LeaveOperator => {
                self.depth -= 1;
                self.n_operators -= 1;
            }
            Task::Element(list) => self.element(list),
            Task::Separator(list) => self.separator(list),
            Task::Items => self.items(),
            Task::ExprItemEnd(mark) => self.expr_item_end(mark),
            Task::Result => self.result(),
            Task::Where => self.where_clause(),
            Task::WhereGoal(clause) => self.where_goal(clause),
            Task::WhereNext(clause) => self.where_next(clause),
            Task::Neck(item) => self.neck(item),
            Task::Goal => self.goal(),
            Task::GoalNext(item) => self.goal_next(item),
            Task::Equals(mark) => self.equals(mark),
            Task::Comparison(mark) => self.comparison(mark),
            Task::Branch(choice) => self.branch(choice),
            Task::OtherBranch(choice) => self.other_branch(choice),
            Task::BareEnd(mark, then) => self.bare_end(mark, then),
            Task::Otherwise(mark, question) => self.otherwise(mark, question),
            Task::ConditionalEnd(mark, question, colon) => self.conditional_end(mark, question, colon),
            Task::BarCtor(kind, mark, error) => self.bar_ctor(kind, mark, error),
            Task::BarCtorEnd(kind, mark, error) => self.bar_ctor_end(kind, mark, error),
            Task::OfEnd(mark, error) => self.of_end(mark, error),
            Task::Ctors(kind, braces) => self.ctors(kind, braces),
            Task::CtorResult => self.ctor_result(),
            Task::Body => self.body(),
            Task::Stmt(braces) => self.stmt(braces),
            Task::StmtEnd(braces, mark) => self.stmt_end(braces, mark),
            Task::Several(braces, mark, first) => self.several_end(braces, mark, first),
            Task::SeqStmt(mark) => self.seq_stmt(mark),
            Task::SeqEnd(seq, stmt) => self.seq_end(seq, stmt),
            Task::BindValue(kind, mark) => self.bind_value(kind, mark),
            Task::BindEnd(kind, mark) => self.bind_end(kind, mark),
            Task::Expr(min) => self.expr(min),
            Task::ExprRest(mark, min) => self.expr_rest(mark, min),
            Task::ForeignEnd(mark, operator) => self.foreign_end(mark, operator),
            Task::LambdaEnd(mark, sign) => self.lambda_end(mark, sign),
            Task::ColonEnd(colon) => self.colon_end(colon),
            Task::BarArm(mark, error) => self.bar_arm(mark, error),
            Task::BarBody(error) => self.bar_body(error),
            Task::BarEnd(mark, error) => self.bar_end(mark, error),
            Task::CallArgs => self.call_args(),
            Task::Else => self.else_branch(),
            Task::MatchBody(mark) => self.match_body(mark),
            Task::Arm(braces) => self.arm(braces),
            Task::ArmBody(mark) => self.arm_body(mark),
            Task::ArmPatterns(mark, first) => self.arm_patterns(mark, first),
            Task::ArmEnd(mark) => self.arm_end(mark),
            Task::Pattern => self.pattern(),
            Task::PatternRest(mark, alternatives) => self.pattern_rest(mark, alternatives),
            Task::Type => self.ty(),
            Task::TypeElement => self.type_element(),
            Task::FnResult => self.fn_result(),
            Task::Dim(min) => self.dim(min),
            Task::DimRest(mark, min) => self.dim_rest(mark, min),
            Task::Refine(part) => self.refine(part),
            Task::TensorScript(part) => self.tensorscript(part),
        }
    }

    fn into_parse(mut self) -> Parse {
        let size = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { kind: NodeKind::File, first: 0, end: self.tokens.len() as u32, size });
        base::sort_by_key(&mut self.errors, |error| error.span().start);
        self.errors.keep(|error| {
            // A bracket that was put in is always told of.
            if matches!(error, SyntaxError::Expected { expected: Expected::Opener(_), .. }) {
                return true;
            }
            let at = error.span().start;
            let behind = self.unsaid.partition_point(|range| range.end <= at);
            self.unsaid.get(behind).is_none_or(|range| at < range.start)
        });
        let Parser { text, surface, tokens, nodes, errors, .. } = self;
        Parse { tree: Tree { surface, text: text.into(), tokens, nodes }, errors }
    }

    // Tokens.

    fn kind(&self) -> TokenKind {
        self.sig[self.pos].kind
    }

    fn nth(&self, ahead: usize) -> TokenKind {
        self.kind_at(self.pos + ahead)
    }

    fn kind_at(&self, pos: usize) -> TokenKind {
        self.sig.get(pos).map_or(Eof, |sig| sig.kind)
    }

    /// A name, or a word that is a keyword only where an item begins.
    fn at_name(&self) -> bool {
        let is_name = self.kind().is_name() && !pair::begins_item(&self.sig, self.pos);
        is_name && !(matches!(self.kind(), KwDim | KwTsr) && self.nth(1).is_name())
    }

    /// Takes a name, which is an `Ident` in the tree whichever word it is, or another token.
    fn name(&mut self) {
        if self.kind().is_name() {
            self.tokens[self.sig[self.pos].token as usize].kind = Ident;
        }
        self.bump();
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn bump(&mut self) {
        if !self.at(Eof) {
            self.pos += 1;
        }
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let here = self.at(kind);
        if here {
            self.pos += 1;
        }
        here
    }

    /// Nothing, not even a space, stands between the token `ahead` and the one before it.
    fn adjacent(&self, ahead: usize) -> bool {
        let at = self.pos + ahead;
        at > 0 && at < self.sig.len() && self.sig[at].token == self.sig[at - 1].token + 1
    }

    fn token_span(&self, pos: usize) -> Span {
        let token = self.sig[pos].token as usize;
        let start = |token: usize| self.tokens.get(token).map_or(self.text.len() as u32, |token| token.start);
        Span::new(start(token), start(token + 1))
    }

    fn token_text(&self) -> &str {
        &self.text[self.token_span(self.pos).range()]
    }

    fn partner(&self, pos: u32) -> u32 {
        self.sig[pos as usize].partner
    }

    /// The token behind a bracket with all that it holds, or behind a token that opens none.
    fn behind(&self, pos: usize) -> usize {
        let sig = self.sig[pos];
        let is_open = sig.kind.is_opener() && sig.partner != NONE;
        if is_open { sig.partner as usize + 1 } else { pos + 1 }
    }

    /// Whether such a bracket stands `ahead`, and is closed.
    fn closed(&self, ahead: usize, opener: TokenKind) -> bool {
        self.nth(ahead) == opener && self.partner((self.pos + ahead) as u32) != NONE
    }

    /// Past this token nothing can belong to the bracket at `opener`: the text ends, an item begins, a part of one
    /// whose own bracket this is not, or a bracket around it closes.
    fn at_stop(&self, opener: u32) -> bool {
        let sig = self.sig[self.pos];
        sig.kind == Eof
            || (sig.kind.is_closer() && sig.partner < opener)
            || pair::begins_item(&self.sig, self.pos)
            || ((opener == NONE || opener != self.outer) && pair::begins_part(&self.sig, self.pos, self.item))
    }

    /// Whether an expression can begin here.
    fn starts_expr(&self) -> bool {
        match self.surface {
            // A `%` alone is a variable that is being written.
            Surface::Relay => self.kind().starts_expr() || self.at(Percent),
            Surface::Refine => self.kind().starts_expr(),
            Surface::TensorScript => {
                let kind = self.kind();
                // Behind a value it is an index.
                let last = self.pos.checked_sub(1).map_or(Eof, |last| self.sig[last].kind);
                let is_behind = last.is_name() || last.is_closer() || matches!(last, Int | Float);
                (kind.starts_tensorscript() || !is_behind && self.closed(0, LBracket))
                    && !self.begins_part()
                    && (!kind.is_name() || self.at_name())
            }
        }
    }

    // Nodes.

    fn mark(&self) -> Mark {
        Mark { node: self.nodes.len() as u32, pos: self.pos as u32 }
    }

    fn finish(&mut self, kind: NodeKind, mark: Mark) {
        let size = self.nodes.len() as u32 - mark.node + 1;
        let behind = if self.pos == 0 { 0 } else { self.sig[self.pos - 1].token + 1 };
        if mark.pos as usize == self.pos {
            self.nodes.push(Node { kind, first: behind, end: behind, size });
            return;
        }
        let first = self.sig[mark.pos as usize].token;
        // What is missing at the beginning was put behind the token before: bring it inside.
        for node in &mut self.nodes[mark.node as usize..] {
            if node.first >= first {
                break;
            }
            (node.first, node.end) = (first, first);
        }
        self.nodes.push(Node { kind, first, end: behind, size });
    }

    /// A node of the one token here.
    fn leaf(&mut self, kind: NodeKind) {
        let token = self.sig[self.pos].token;
        self.nodes.push(Node { kind, first: token, end: token + 1, size: 1 });
        self.pos += 1;
    }

    /// Stands for a child that is not there.
    fn missing(&mut self) {
        self.finish(NodeKind::Error, self.mark());
    }

    // Errors.

    fn found(&self) -> Found {
        let sig = self.sig[self.pos];
        let at = self.token_span(self.pos);
        let before = if self.pos == 0 { Span::new(at.start, at.start) } else { self.token_span(self.pos - 1) };
        Found { kind: sig.kind, at, before, first_on_line: sig.first_on_line && self.pos > 0 }
    }

    fn expected(&mut self, expected: Expected) {
        if !self.hush() {
            let found = self.found();
            self.errors.push(SyntaxError::Expected { expected, found });
        }
    }

    /// Says that the token is meant for another, which alone can stand here.
    fn misspelt(&mut self, meant: TokenKind) {
        if !self.hush() {
            let (at, found) = (self.token_span(self.pos), self.kind());
            self.errors.push(SyntaxError::Misspelt { at, found, meant });
        }
    }

    /// The bracket at `opener` ends here without its closer.
    fn unclosed(&mut self, opener: u32) {
        let kind = self.sig[opener as usize].kind;
        if !self.also_missing(kind.closer()) && !self.hush() {
            let (opened, found) = (self.token_span(opener as usize), self.found());
            let others = if kind == LBracket { self.other_ends(opener as usize) } else { Vec::new() };
            self.errors.push(SyntaxError::Unclosed {
                opener: kind,
                opened,
                closers: vec![kind.closer()],
                found,
                others,
            });
        }
    }

    /// Where a list may end as well, whose `[` lacks its `]`, or one in it: before commas that stand between unlike things.
    fn other_ends(&self, opener: usize) -> Vec<Span> {
        let (mut ends, mut inner) = (Vec::new(), NONE);
        for pos in opener + 1..self.pos {
            let are = |kinds: &[TokenKind]| [pos - 1, pos + 1].iter().all(|&pos| kinds.contains(&self.kind_at(pos)));
            match self.kind_at(pos) {
                LBracket if inner == NONE => inner = self.partner(pos as u32),
                RBracket if inner == pos as u32 => inner = NONE,
                // Variants are alike but in different sums.
                Comma if are(&[Int, Float, Minus]) || inner == NONE && are(&[Ident]) => {}
                Comma if ends.len() < MAX_PLACES => ends.push(self.token_span(pos - 1).after()),
                _ => {}
            }
        }
        ends
    }

    /// Adds a token to what the last error says is missing here, if it is of that sort.
    fn also_missing(&mut self, kind: TokenKind) -> bool {
        let at = self.token_span(self.pos);
        match self.errors.last_mut() {
            Some(SyntaxError::Unclosed { closers, found, .. }) if self.quiet_at == self.pos && found.at == at => {
                closers.push(kind);
                true
            }
            _ => false,
        }
    }

    /// Whether an error here would only follow from one that has been reported; from now on it would.
    fn hush(&mut self) -> bool {
        let quiet = self.quiet_at == self.pos
            || self.kind().is_bad()
            || (self.cut_off && self.at(Eof))
            || (self.pos > 0 && matches!(self.sig[self.pos - 1].kind, Unknown | BadString));
        self.quiet_at = self.pos;
        quiet
    }

    /// Goes in one level; past the limit says so (once) and stays.
    fn enter(&mut self) -> bool {
        if self.depth < MAX_NESTING {
            self.depth += 1;
            return true;
        }
        if !self.too_deep {
            self.too_deep = true;
            self.errors.push(SyntaxError::NestingTooDeep { at: self.token_span(self.pos) });
        }
        false
    }

    /// The same for an operator, which does not end with a bracket.
    fn enter_operator(&mut self) -> bool {
        let enters = self.enter();
        self.n_operators += u32::from(enters);
        enters
    }

    // Skipping. What is skipped belongs to the node around it, or to an `Error` in the place of a child.

    /// One token, or a bracket with all that it holds.
    fn skip_one(&mut self) {
        let sig = self.sig[self.pos];
        if sig.kind.is_opener() && sig.partner != NONE {
            self.pos = sig.partner as usize;
        }
        self.bump();
    }

    /// All that the bracket just opened holds, as an `Error`; consequences are not reported.
    fn skip_inside(&mut self, opener: u32) {
        let mark = self.mark();
        match self.partner(opener) {
            NONE => {
                while !self.at_stop(opener) {
                    self.skip_one();
                }
            }
            close => self.pos = close as usize,
        }
        self.finish(NodeKind::Error, mark);
        self.quiet_at = self.pos;
    }

    /// At least one token, then up to where an expression surely ends, as an `Error`; quietly.
    fn skip_operand(&mut self) {
        let mark = self.mark();
        self.skip_one();
        while !self.at_stop(NONE) && !matches!(self.kind(), Comma | Semicolon | FatArrow) {
            self.skip_one();
        }
        self.finish(NodeKind::Error, mark);
        self.quiet_at = self.pos;
    }

    /// Up to the next comma of a bracket that closes at `close`.
    fn skip_to_comma(&mut self, close: u32) {
        while self.pos < close as usize && !self.at(Comma) {
            self.skip_one();
        }
    }
}
