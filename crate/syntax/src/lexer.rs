//! Text to tokens, in one pass.

use base::{Edit, HashMap, HashSet, Span, Surface, ToList};

use crate::error::{Foreign, SyntaxError};
use crate::token::TokenKind::{self, *};

/// A token as the tree keeps it; it ends where the next begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub start: u32,
}

/// A token as the parser sees it: trivia are gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sig {
    /// Its place among all tokens.
    pub token: u32,
    /// The place, among significant tokens, of the bracket that pairs with this one; `NONE` for anything else.
    pub partner: u32,
    pub kind: TokenKind,
    /// Nothing but trivia stands before it on its line.
    pub first_on_line: bool,
    /// It is not part of the blocks that are open before it, whatever brackets say.
    pub ends_blocks: bool,
}

pub(crate) const NONE: u32 = u32::MAX;

pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    /// Ends with [`TokenKind::Eof`].
    pub sig: Vec<Sig>,
    pub errors: Vec<SyntaxError>,
}

impl Lexed {
    pub fn span(&self, token: u32, text: &str) -> Span {
        let start = |token: u32| self.tokens.get(token as usize).map_or(text.len() as u32, |token| token.start);
        Span::new(start(token), start(token + 1))
    }
}

/// Lexes a text in which variables may have these names, too.
pub(crate) fn lex(text: &str, surface: Surface, names: &HashMap<&str, std::string::String>) -> Lexed {
    // A token is two or three bytes long, as most programs go.
    let guess = text.len() / 2 + 1;
    let out = Lexed { tokens: Vec::with_capacity(guess), sig: Vec::with_capacity(guess), errors: Vec::new() };
    let (bytes, told) = (text.as_bytes(), HashSet::default());
    let mut lexer = Lexer { text, surface, names, bytes, pos: 0, out, line_fresh: true, unclosed: [false; 2], told };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    surface: Surface,
    names: &'a HashMap<&'a str, std::string::String>,
    bytes: &'a [u8],
    /// Always on a character boundary when a token begins.
    pos: usize,
    out: Lexed,
    line_fresh: bool,
    /// No `*/` and no `*)` follows.
    unclosed: [bool; 2],
    /// Names behind a `_` in refine.
    told: HashSet<&'a str>,
}

/// So many of them have edits.
const MAX_EDITED: usize = 32;

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        let mut last = Whitespace;
        while self.pos < self.bytes.len() {
            let start = self.pos;
            let kind = match self.surface {
                Surface::Relay => self.token(last),
                Surface::Refine => self.refine_token(last),
                Surface::TensorScript => self.tensorscript_token(last),
            };
            debug_assert!(self.pos > start);
            if kind == Unknown && last == Unknown {
                if let Some(SyntaxError::UnknownCharacter { at, .. }) = self.out.errors.last_mut() {
                    at.end = self.pos as u32;
                }
                continue;
            }
            if !kind.is_trivia() {
                self.push_sig(kind);
            }
            if kind == Unknown {
                let first = self.text[start..].chars().next().unwrap_or_default();
                self.out.errors.push(SyntaxError::UnknownCharacter { at: self.span(start), first });
            }
            self.out.tokens.push(Token { kind, start: start as u32 });
            last = kind;
        }
        self.push_sig(Eof);
    }

    fn push_sig(&mut self, kind: TokenKind) {
        let token = self.out.tokens.len() as u32;
        self.out.sig.push(Sig { token, partner: NONE, kind, first_on_line: self.line_fresh, ends_blocks: false });
        self.line_fresh = false;
    }

    fn span(&self, start: usize) -> Span {
        Span::new(start as u32, self.pos as u32)
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// Whether a name's letter begins `ahead` bytes on.
    fn letter(&self, ahead: usize) -> bool {
        match self.peek(ahead) {
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => true,
            0..=0x7f => false,
            _ => self.text[self.pos + ahead..].chars().next().is_some_and(base::is_in_name),
        }
    }

    /// Takes letters and digits.
    fn word(&mut self) {
        loop {
            match self.peek(0) {
                b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => self.pos += 1,
                0..=0x7f => return,
                _ => match self.text[self.pos..].chars().next() {
                    Some(c) if base::is_in_name(c) => self.pos += c.len_utf8(),
                    _ => return,
                },
            }
        }
    }

    fn digits(&mut self) {
        while self.peek(0).is_ascii_digit() {
            self.pos += 1;
        }
    }

    fn take(&mut self, len: usize, kind: TokenKind) -> TokenKind {
        self.pos += len;
        kind
    }

    fn token(&mut self, last: TokenKind) -> TokenKind {
        match (self.peek(0), self.peek(1)) {
            (b' ' | b'\t' | b'\r' | b'\n', _) => self.whitespace(),
            (b'/', b'/') => self.line_comment(),
            (b'/', b'*') => self.block_comment(),
            (b'#', b'[') if self.text[self.pos..].starts_with("#[metadata]") => {
                self.pos = self.bytes.len();
                Metadata
            }
            (b'#', b'[') => self.take(1, Hash),
            (b'#', _) => self.line_comment(),
            (b'"', _) => self.string(),
            (b'\'', b'_' | b'a'..=b'z' | b'A'..=b'Z') if self.is_in_apostrophes() => self.apostrophes(),
            (b'0'..=b'9', _) => self.number(last),
            (b'%', _) => self.local(),
            (b'@', _) => self.global(),
            (b'_' | b'a'..=b'z' | b'A'..=b'Z', _) => self.ident(),
            (b'-', b'>') => self.take(2, Arrow),
            (b'=', b'>') => self.take(2, FatArrow),
            (b'<', b'=') => self.take(2, LtEq),
            (b'>', b'=') => self.take(2, GtEq),
            (b'=', b'=') => self.take(2, EqEq),
            (b'!', b'=') => self.take(2, NotEq),
            (b'|', b'>') => self.take(2, PipeArrow),
            (b':', b'=') => self.take(2, ColonEq),
            (byte, _) if byte < 0x80 => self.take(1, punctuation(byte)),
            _ => self.non_ascii(),
        }
    }

    /// As in Relay, but for names, comments, and what begins a token there and none here.
    fn refine_token(&mut self, last: TokenKind) -> TokenKind {
        match self.peek(0) {
            b'#' => self.line_comment(),
            b'/' | b'-' | b'(' if self.foreign_comment() => Comment,
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                let start = self.pos;
                let rest = &self.bytes[start..];
                let ends = |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'\'');
                self.pos += rest.iter().position(ends).unwrap_or(rest.len());
                let (text, end) = (self.text, self.pos);
                let word = &text[start..end];
                let bare = word.trim_start_matches('_');
                if bare.len() < word.len() && bare.starts_with(|c: char| c.is_ascii_lowercase()) {
                    self.name_behind_line(word, bare);
                    return Local;
                }
                TokenKind::of_refine_word(word)
            }
            byte @ (b'|' | b'/') => self.take(1, punctuation(byte)),
            b'%' => self.take(1, Percent),
            b'@' => self.take(1, At),
            0x80.. if self.letter(0) => {
                self.word();
                Unknown
            }
            _ => self.token(last),
        }
    }

    /// `_x`, which is said once for all places, with an edit unless `x` is another name, or a keyword.
    fn name_behind_line(&mut self, word: &'a str, bare: &str) {
        let start = self.pos - word.len();
        if !self.told.insert(word) {
            return;
        }
        let places = |name: &str| {
            let found = base::all_places(self.text, name).into_iter();
            found.filter(|&at| self.ends_word(at, name)).list()
        };
        let n_lines = (word.len() - bare.len()) as u32;
        let gone = |at: usize| Edit { span: Span::new(at as u32, at as u32 + n_lines), text: "".to_owned() };
        let is_free = TokenKind::of_refine_word(bare) == Local && self.told.len() <= MAX_EDITED;
        let edits =
            if is_free && places(bare).is_empty() { places(word).into_iter().map(gone).list() } else { Vec::new() };
        let at = Span::new(start as u32, start as u32 + n_lines);
        let form = Foreign::Surplus("expected a name that begins with a letter, found `_` before one");
        self.out.errors.push(SyntaxError::Foreign { form, at, edits });
    }

    /// Whether a word of refine at this place begins and ends there.
    fn ends_word(&self, at: usize, word: &str) -> bool {
        let is_in = |c: char| base::is_in_name(c) || c == '\'';
        !self.text[..at].ends_with(is_in) && !self.text[at + word.len()..].starts_with(is_in)
    }

    /// `// …`, `-- …`, `/* … */` and `(* … *)`, which are `# …` in refine.
    fn foreign_comment(&mut self) -> bool {
        let rest = &self.text[self.pos..];
        let (len, closer) = match &rest.as_bytes()[..rest.len().min(2)] {
            b"//" | b"--" => (base::before(rest, "\n").len(), ""),
            b"/*" if !self.unclosed[0] => (base::find(&rest[2..], "*/").map_or(0, |at| at + 4), "*/"),
            b"(*" if !self.unclosed[1] => (base::find(&rest[2..], "*)").map_or(0, |at| at + 4), "*)"),
            _ => return false,
        };
        if len == 0 {
            // Nor is one behind.
            self.unclosed[usize::from(closer == "*)")] = true;
            return false;
        }
        let start = self.pos;
        self.pos += len;
        let inside = &rest[2..len - closer.len()];
        self.line_fresh |= base::has(inside, b'\n');
        let is_last = base::begins_with(base::trim_start(&rest[len..], " \t\r"), "\n") || rest.len() == len;
        let lines = base::replace(inside.trim_ascii_end(), "\n", "\n#");
        let edit = Edit { span: self.span(start), text: format!("#{lines}{}", if is_last { "" } else { "\n" }) };
        let at = Span::new(start as u32, start as u32 + 2);
        self.out.errors.push(SyntaxError::Foreign { form: Foreign::Comment, at, edits: vec![edit] });
        true
    }

    /// As in Relay, but for names, numbers such as `1.` and `.5`, and what begins a token there and none here.
    fn tensorscript_token(&mut self, last: TokenKind) -> TokenKind {
        let start = self.pos;
        match (self.peek(0), self.peek(1)) {
            (b'#', _) => self.line_comment(),
            (b':', b':') => self.take(2, ColonColon),
            (b':', _) => self.take(1, Colon),
            (b'%', _) => self.take(1, Percent),
            (b'@', _) => self.take(1, At),
            (b'0'..=b'9', _) | (b'.', b'0'..=b'9') => self.plain_number(),
            _ if self.letter(0) => {
                self.word();
                TokenKind::of_tensorscript_word(&self.text[start..self.pos])
            }
            _ => self.token(last),
        }
    }

    /// Digits with a `.` before, among or behind them, and an exponent. A letter behind the `.` begins a name.
    fn plain_number(&mut self) -> TokenKind {
        let start = self.pos;
        self.digits();
        let whole = self.pos;
        if self.peek(0) == b'.' {
            self.pos += 1;
            self.digits();
        }
        self.exponent();
        if self.pos == whole + 1 && self.letter(0) {
            self.pos = whole;
        }
        let kind = if self.pos == whole { Int } else { Float };
        let end = self.pos;
        self.word();
        while self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.pos += 1;
            self.word();
        }
        if self.pos == end {
            return kind;
        }
        self.bad_number(start);
        BadNumber
    }

    fn bad_number(&mut self, start: usize) {
        let text = &self.text[start..self.pos];
        let radix = [("0x", 16), ("0X", 16), ("0o", 8), ("0b", 2)].into_iter();
        let read = |(prefix, radix)| base::parse_digits(text.strip_prefix(prefix)?.as_bytes(), radix);
        let decimal = radix.filter_map(read).next();
        self.out.errors.push(SyntaxError::BadNumber { at: self.span(start), surface: self.surface, decimal });
    }

    fn whitespace(&mut self) -> TokenKind {
        loop {
            match self.peek(0) {
                b'\n' => self.line_fresh = true,
                b' ' | b'\t' | b'\r' => {}
                _ => return Whitespace,
            }
            self.pos += 1;
        }
    }

    fn non_ascii(&mut self) -> TokenKind {
        let Some(c) = self.text[self.pos..].chars().next() else { return Unknown };
        if base::is_in_name(c) {
            return self.ident();
        }
        let start = self.pos;
        if let Some((kind, sign)) = meant_by(c).filter(|_| self.surface != Surface::Refine) {
            self.pos += c.len_utf8();
            let at = self.span(start);
            let edits = vec![Edit { span: at, text: sign.to_owned() }];
            self.out.errors.push(SyntaxError::Foreign { form: Foreign::Sign(sign), at, edits });
            return kind;
        }
        let mut line = self.text[start..].char_indices().skip(1).take_while(|&(_, next)| next != '\n');
        if CURLY.contains(&c)
            && let Some((end, close)) = line.find(|(_, next)| CURLY.contains(next))
        {
            self.pos += end + close.len_utf8();
            return self.quoted(start, [c, close], Foreign::Curly);
        }
        self.take(c.len_utf8(), if c.is_whitespace() || c == '\u{feff}' { Whitespace } else { Unknown })
    }

    fn line_comment(&mut self) -> TokenKind {
        self.skip_line();
        Comment
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.pos..];
        self.pos += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    /// `/* … */`, which nest.
    fn block_comment(&mut self) -> TokenKind {
        let start = self.pos;
        let mut depth = 0_usize;
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.pos += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.pos += 2;
                    if depth == 0 {
                        return Comment;
                    }
                }
                (byte, _) if self.pos < self.bytes.len() => {
                    self.line_fresh |= byte == b'\n';
                    self.pos += 1;
                }
                _ => {
                    self.out.errors.push(SyntaxError::UnterminatedComment {
                        opened: Span::new(start as u32, start as u32 + 2),
                        end: Span::new(self.pos as u32, self.pos as u32),
                        depth,
                    });
                    return Comment;
                }
            }
        }
    }

    /// `"…"` on one line, without escapes. One that does not end there ends where it is likely to: what stands behind it
    /// is read as if it had.
    fn string(&mut self) -> TokenKind {
        let start = self.pos;
        self.pos += 1;
        while self.pos < self.bytes.len() && self.peek(0) != b'\n' {
            self.pos += 1;
            if self.bytes[self.pos - 1] == b'"' {
                return String;
            }
        }
        if self.bytes[self.pos - 1] == b'\r' {
            self.pos -= 1;
        }
        let text = &self.bytes[start + 1..self.pos];
        let is_sign = |byte: &u8| base::has(",()[]{};%@", *byte);
        let word = text.iter().position(is_sign).unwrap_or(text.len());
        let at = self.span(start);
        self.pos = start + 1 + word;
        // Where nothing follows that a string may hold, it is one too many.
        let rest = text[..word].trim_ascii();
        let is_surplus = rest.is_empty() || rest.starts_with(b"//");
        if is_surplus {
            self.pos = start + 1;
        }
        self.out.errors.push(SyntaxError::UnterminatedString { at, word: self.span(start) });
        if is_surplus { Whitespace } else { BadString }
    }

    /// Whether a word follows, and then another apostrophe.
    fn is_in_apostrophes(&self) -> bool {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let rest = &self.bytes[self.pos + 1..];
        rest.iter().position(|byte| !is_word(byte)).is_some_and(|end| rest[end] == b'\'')
    }

    /// `'int8'`, as other languages have strings.
    fn apostrophes(&mut self) -> TokenKind {
        let start = self.pos;
        self.pos += 1;
        self.word();
        self.pos += 1;
        self.quoted(start, ['\''; 2], Foreign::Apostrophes)
    }

    /// A string that was taken, between other quotes than it has here.
    fn quoted(&mut self, start: usize, quotes: [char; 2], form: Foreign) -> TokenKind {
        let at = self.span(start);
        let (open, close) = (quotes[0].len_utf8() as u32, quotes[1].len_utf8() as u32);
        let quote = |start, end| Edit { span: Span::new(start, end), text: "\"".to_owned() };
        let edits = vec![quote(at.start, at.start + open), quote(at.end - close, at.end)];
        self.out.errors.push(SyntaxError::Foreign { form, at, edits });
        String
    }

    /// `%x`, `%conv1/weight`, `%12`, or a lone `%`. A `/` goes on with a name that has a letter, if a letter or a
    /// digit follows at once.
    fn local(&mut self) -> TokenKind {
        if let Some(end) = self.known_end() {
            let is_number = self.text[self.pos + 1..end].bytes().all(|byte| byte.is_ascii_digit());
            return self.take(end - self.pos, if is_number { Graph } else { Local });
        }
        self.pos += 1;
        let start = self.pos;
        if self.peek(0).is_ascii_digit() {
            self.digits();
            return Graph;
        }
        if !self.letter(0) {
            return Percent;
        }
        self.word();
        let mut has_letter = false;
        while self.peek(0) == b'/' && (self.letter(1) || self.peek(1).is_ascii_digit()) {
            has_letter = has_letter
                || self.text[start..self.pos].chars().any(|c| base::is_in_name(c) && c != '_' && !c.is_ascii_digit());
            if !has_letter {
                break;
            }
            self.pos += 1;
            self.word();
        }
        Local
    }

    /// Where the longest of the known names ends that stands here.
    fn known_end(&self) -> Option<usize> {
        if self.names.is_empty() {
            return None;
        }
        let ends = self.pos + 1..=name_end(self.text, self.pos);
        let is_known = |end: &usize| !is_word(self.bytes, *end) && self.names.contains_key(&self.text[self.pos..*end]);
        ends.rev().find(is_known)
    }

    /// `@f`, `@a.b`, or a lone `@`.
    fn global(&mut self) -> TokenKind {
        self.pos += 1;
        if !self.letter(0) && !self.peek(0).is_ascii_digit() {
            return At;
        }
        self.word();
        while self.peek(0) == b'.' && self.letter(1) {
            self.pos += 1;
            self.word();
        }
        Global
    }

    fn ident(&mut self) -> TokenKind {
        let start = self.pos;
        self.word();
        let word = &self.text[start..self.pos];
        let special = word.strip_prefix("inf").or_else(|| word.strip_prefix("nan"));
        if special.is_some_and(is_float_suffix) { Float } else { TokenKind::of_word(word) }
    }

    /// Digits, then `.` and digits, an exponent, a suffix. After a `.` there are only digits: `%t.0.1` projects twice.
    fn number(&mut self, last: TokenKind) -> TokenKind {
        let start = self.pos;
        self.digits();
        if last == Dot {
            return Int;
        }
        let mut float = false;
        if self.peek(0) == b'.' && (self.peek(1).is_ascii_digit() || self.dot_suffix()) {
            float = true;
            self.pos += 1;
            self.digits();
        }
        float |= self.exponent();
        let suffix = self.pos;
        self.word();
        let mut good = match &self.text[suffix..self.pos] {
            "" => true,
            "i" | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" => !float,
            suffix => {
                float = true;
                is_float_suffix(suffix)
            }
        };
        while float && self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            good = false;
            self.pos += 1;
            self.word();
        }
        match (good, float) {
            (true, true) => Float,
            (true, false) => Int,
            (false, _) => {
                self.bad_number(start);
                BadNumber
            }
        }
    }

    /// Whether the `.` here is followed by an exponent or a float suffix, as in `1.f` and `1.e5`.
    fn dot_suffix(&self) -> bool {
        let rest = &self.text[self.pos + 1..];
        if matches!(rest.as_bytes().first(), Some(b'e' | b'E')) {
            let sign = usize::from(base::begins_with(&rest[1..], "+-"));
            return rest.as_bytes().get(1 + sign).is_some_and(u8::is_ascii_digit);
        }
        // No suffix is longer than four bytes, so a longer word is none.
        let len = rest.bytes().take(5).take_while(u8::is_ascii_alphanumeric).count();
        is_float_suffix(&rest[..len])
    }

    fn exponent(&mut self) -> bool {
        if !matches!(self.peek(0), b'e' | b'E') {
            return false;
        }
        let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if !self.peek(1 + sign).is_ascii_digit() {
            return false;
        }
        self.pos += 1 + sign;
        self.digits();
        true
    }
}

/// No name of a framework is longer; what is has no parts that are looked up.
const MAX_NAME: usize = 256;

fn is_word(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Where a name ends that may have `.`, `/` and `::` between words; its sigil is at `start`.
pub(crate) fn name_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = start + 1;
    while end < start + MAX_NAME {
        let sign = match &bytes[end..] {
            _ if is_word(bytes, end) => 0,
            [b'.' | b'/', ..] => 1,
            [b':', b':', ..] => 2,
            _ => break,
        };
        if end == start + 1 && sign > 0 || !is_word(bytes, end + sign) {
            break;
        }
        end += sign + 1;
    }
    end
}

fn is_float_suffix(suffix: &str) -> bool {
    matches!(suffix, "f" | "f16" | "f32" | "f64" | "bf16")
}

/// What word processors make of quotes. The next one ends a string, whichever it is.
const CURLY: [char; 5] = ['“', '”', '„', '‘', '’'];

/// The sign that is meant by one that looks like it, as word processors and books have it.
fn meant_by(c: char) -> Option<(TokenKind, &'static str)> {
    Some(match c {
        '−' | '–' => (Minus, "-"),
        '×' | '·' => (Star, "*"),
        '÷' => (Slash, "/"),
        '≤' => (LtEq, "<="),
        '≥' => (GtEq, ">="),
        '≠' => (NotEq, "!="),
        '→' => (Arrow, "->"),
        _ => return None,
    })
}

fn punctuation(byte: u8) -> TokenKind {
    match byte {
        b'(' => LParen,
        b')' => RParen,
        b'[' => LBracket,
        b']' => RBracket,
        b'{' => LBrace,
        b'}' => RBrace,
        b'<' => Lt,
        b'>' => Gt,
        b'+' => Plus,
        b'*' => Star,
        b'-' => Minus,
        b'/' => Slash,
        b'=' => Eq,
        b'!' => Bang,
        b'?' => Question,
        b':' => Colon,
        b';' => Semicolon,
        b',' => Comma,
        b'.' => Dot,
        b'|' => Pipe,
        b'`' => Backtick,
        b'&' => Amp,
        _ => Unknown,
    }
}
