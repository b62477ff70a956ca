//! From layout to text.

use super::{Fill, Flat, Hangs, Hug, Layout, MAX_INDENT, Op, Tail, WIDTH};
use crate::token::TokenKind;
use crate::tree::{TokenId, Tree};

pub(super) fn print(tree: &Tree, layout: Layout) -> String {
    let sums = Sums::new(tree, &layout);
    let mut printer = Printer {
        tree,
        sums,
        out: String::with_capacity(tree.text().len() * 5 / 4),
        column: 0,
        level: 0,
        modes: vec![Mode::Broken],
        flat_until: 0,
        fresh: true,
        source: Source { at: 0, line_start: 0 },
        shift: 0,
        layout,
    };
    for at in 0..printer.layout.ops.len() {
        printer.op(at);
    }
    if !printer.out.is_empty() && !printer.out.ends_with('\n') && !printer.ends_with_metadata() {
        printer.out.push('\n');
    }
    printer.out
}

/// What was decided of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Flat,
    /// Flat itself, while the last group in it is broken.
    Hugging,
    Broken,
}

/// By place in the list: everything before it, on one line; and the next place where a line may end.
struct Sums {
    width: Vec<usize>,
    n_forced: Vec<u32>,
    next_line: Vec<u32>,
    /// By group.
    open: Vec<u32>,
    close: Vec<u32>,
}

impl Sums {
    fn new(tree: &Tree, Layout { ops, groups }: &Layout) -> Sums {
        let n = ops.len();
        let mut sums = Sums {
            width: Vec::with_capacity(n + 1),
            n_forced: Vec::with_capacity(n + 1),
            next_line: vec![n as u32; n + 1],
            open: vec![0; groups.len()],
            close: vec![0; groups.len()],
        };
        let (mut width, mut n_forced) = (0, 0);
        let mut open = Vec::new();
        for (at, &op) in ops.iter().enumerate() {
            sums.width.push(width);
            sums.n_forced.push(n_forced);
            match op {
                Op::Token(token) => {
                    let text = tree.token_text(token);
                    let is_comment = tree.token_kind(token) == TokenKind::Comment;
                    n_forced += u32::from(is_comment && base::has(text, b'\n'));
                    // What is on the line before a comment need not make room for it.
                    width += if is_comment && !text.starts_with("/*") { 0 } else { text.chars().count() };
                }
                Op::Space => width += 1,
                Op::Line(line) => width += usize::from(line.flat == Flat::Space),
                Op::Newline { .. } => n_forced += 1,
                Op::Open(group) => {
                    n_forced += u32::from(groups[group as usize].forced);
                    sums.open[group as usize] = at as u32;
                    open.push(group);
                }
                Op::Close => {
                    if let Some(group) = open.pop() {
                        sums.close[group as usize] = at as u32;
                    }
                }
                Op::Indent | Op::Dedent => {}
            }
        }
        sums.width.push(width);
        sums.n_forced.push(n_forced);
        for at in (0..n).rev() {
            let ends_line = matches!(ops[at], Op::Line(_) | Op::Newline { .. });
            sums.next_line[at] = if ends_line { at as u32 } else { sums.next_line[at + 1] };
        }
        sums
    }

    fn width(&self, from: usize, to: usize) -> usize {
        self.width[to] - self.width[from]
    }

    /// How wide everything is from a place on, with all that must follow up to a line's end after `to`.
    fn width_past(&self, from: usize, to: usize) -> usize {
        self.width(from, self.next_line[to] as usize)
    }
}

/// Where the last token ended in the text that was parsed, and where its line began.
struct Source {
    at: usize,
    line_start: usize,
}

struct Printer<'t> {
    tree: &'t Tree,
    layout: Layout,
    sums: Sums,
    out: String,
    /// Of the next character.
    column: usize,
    level: usize,
    /// Of the open groups.
    modes: Vec<Mode>,
    /// Groups that end before this place are flat: a bracket beyond them is to stay on their line.
    flat_until: usize,
    /// Nothing stands on the line yet.
    fresh: bool,
    source: Source,
    /// How far the last line of code has moved to the right.
    shift: isize,
}

impl Printer<'_> {
    fn op(&mut self, at: usize) {
        match self.layout.ops[at] {
            Op::Token(token) => self.token(token),
            Op::Space => self.space(),
            Op::Line(line) => {
                let fits = || self.column + 1 + self.sums.width_past(at + 1, at + 1) <= WIDTH;
                if self.mode() != Mode::Broken || (line.fill == Fill::Yes && !line.blank && fits()) {
                    if line.flat == Flat::Space {
                        self.space();
                    }
                } else {
                    self.newline(line.blank, self.level);
                }
            }
            Op::Newline { blank, hangs } => self.newline(blank, self.level + usize::from(hangs == Hangs::Yes)),
            Op::Open(group) => {
                let mode = self.decide(at, group as usize);
                self.modes.push(mode);
            }
            Op::Close => {
                self.modes.pop();
            }
            // What hugs its last argument leaves the indentation to that.
            Op::Indent => self.level += usize::from(self.mode() != Mode::Hugging),
            Op::Dedent => self.level -= usize::from(self.mode() != Mode::Hugging),
        }
    }

    fn mode(&self) -> Mode {
        self.modes.last().copied().unwrap_or(Mode::Broken)
    }

    fn decide(&mut self, at: usize, group: usize) -> Mode {
        let close = self.sums.close[group] as usize;
        if self.mode() == Mode::Flat || close < self.flat_until {
            return Mode::Flat;
        }
        let until = close.max(self.layout.groups[group].until);
        if self.n_forced(at, until) == 0 && self.column + self.sums.width_past(at, until) <= WIDTH {
            return Mode::Flat;
        }
        match self.layout.groups[group].hug {
            Some(hug) if self.hugs(at, close, hug) => {
                self.layout.groups[hug.group as usize].forced = true;
                self.flat_until = hug.bracket;
                Mode::Hugging
            }
            _ => Mode::Broken,
        }
    }

    /// Whether the group from `at` to `close` holds together around the one that it hugs.
    fn hugs(&self, at: usize, close: usize, hug: Hug) -> bool {
        let hugged = hug.group as usize;
        let (from, to) = (self.sums.open[hugged] as usize, self.sums.close[hugged] as usize);
        let is_forced = u32::from(self.layout.groups[hugged].forced);
        let begins =
            self.column + self.sums.width(at, hug.bracket + 1) <= WIDTH && self.n_forced(at, hug.bracket) == is_forced;
        let must_break = self.n_forced(from, to) > 0 || indent(self.level + 1) + self.sums.width_past(from, to) > WIDTH;
        // The last line begins with the closing bracket.
        let ends = self.n_forced(to, close) == 0 && indent(self.level) + 1 + self.sums.width_past(to, close) <= WIDTH;
        begins && (hug.tail == Tail::None || (must_break && ends))
    }

    fn n_forced(&self, from: usize, to: usize) -> u32 {
        self.sums.n_forced[to] - self.sums.n_forced[from]
    }

    fn token(&mut self, token: TokenId) {
        let text = self.tree.token_text(token);
        let is_comment = self.tree.token_kind(token) == TokenKind::Comment;
        let text = if is_comment { text.trim_ascii_end() } else { text };
        let was = self.source_column(token);
        if self.fresh {
            match was {
                // `# ^? T` points at a column of the line above it.
                Some(was) if is_comment && points_up(text) => self.column = was.saturating_add_signed(self.shift),
                Some(was) if !is_comment => self.shift = self.column as isize - was as isize,
                _ if !is_comment => self.shift = 0,
                _ => {}
            }
            self.out.extend(std::iter::repeat_n(' ', self.column));
            self.fresh = false;
        }
        self.out.push_str(text);
        let line = base::end_of_last(text, b'\n');
        self.column = text[line..].chars().count() + if line > 0 { 0 } else { self.column };
    }

    /// The column at which a token stood, if it was the first on its line. Asked of each token in turn.
    fn source_column(&mut self, token: TokenId) -> Option<usize> {
        let text = self.tree.text();
        let span = self.tree.token_span(token).range();
        let line = base::end_of_last(&text[self.source.at..span.start], b'\n');
        let is_first = line > 0 || self.source.at == 0;
        if line > 0 {
            self.source.line_start = self.source.at + line;
        }
        let column = span.start - self.source.line_start;
        self.source.at = span.end;
        let inside = base::end_of_last(&text[span.clone()], b'\n');
        if inside > 0 {
            self.source.line_start = span.start + inside;
        }
        is_first.then_some(column)
    }

    fn space(&mut self) {
        if !self.fresh {
            self.out.push(' ');
            self.column += 1;
        }
    }

    fn newline(&mut self, blank: bool, level: usize) {
        self.out.push_str(if blank { "\n\n" } else { "\n" });
        self.column = indent(level);
        self.fresh = true;
    }

    fn ends_with_metadata(&self) -> bool {
        let last = self.tree.n_tokens().checked_sub(1);
        last.is_some_and(|last| self.tree.token_kind(TokenId::numbered(last as u32)) == TokenKind::Metadata)
    }
}

fn indent(level: usize) -> usize {
    (level * 2).min(MAX_INDENT)
}

/// Whether a comment is a `^` that points at the line above.
fn points_up(comment: &str) -> bool {
    base::begins_with(base::trim_start(comment, "#/").trim_ascii_start(), "^")
}
