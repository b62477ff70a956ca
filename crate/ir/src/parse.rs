//! Programs from text; see [`print`](crate::print()) for the form.
//!
//! Types, layouts and constants are those of another program; lines that begin with `layout` or `const` are passed
//! over, as is what stands behind `//`. Variables without a number get the least numbers that are free, in the order in
//! which they are mentioned. Ids may be out of range, which is for [`verify`](crate::verify()) to say; the numbers of
//! variables may not.

mod steps;

use crate::print::{dtype_of, is_global_word, is_word, is_word_byte, unique_names};
use crate::{
    Block, BlockId, Callee, Case, CaseKey, ConstId, End, Fault, FuncId, Function, Global, GlobalId, Instr, Names, Op,
    Program, VarData, VarId,
};
use base::{Append, HashMap, HashSet, Idx, IndexVec, Span, Surface, ToList};
use layout::{Head, Kind, LayoutId};
use op::OpId;
use std::sync::Arc;
use ty::{AttrValue, Attrs, Code, Dtype, Scalar, TermId};

/// What is wrong with a text, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub span: Span,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Word,
    /// `12`, `-1.5f`.
    Number,
    String,
    /// `@12..20`.
    Span,
    /// `>` is `->`.
    Mark(u8),
    Newline,
    End,
}

/// The globals and functions of a text, over the types, layouts and constants of `base`.
pub fn parse(text: &str, base: &Program, names: Names) -> Result<Program, ParseError> {
    let functions = headers(text, "fn ");
    let globals = headers(text, "global ");
    let mut parser = Parser {
        text,
        token: Token::Newline,
        start: 0,
        end: 0,
        base,
        names,
        functions: unique_names(functions.into_iter(), is_word),
        globals: unique_names(globals.into_iter(), is_global_word),
        vars: IndexVec::new(),
        places: IndexVec::new(),
        named: HashMap::default(),
        numbered: HashSet::default(),
        n_numbered: 0,
    };
    let mut program = Program {
        types: base.types.clone(),
        layouts: base.layouts.clone(),
        functions: IndexVec::new(),
        globals: IndexVec::new(),
        constants: base.constants.clone(),
    };
    parser.advance();
    while parser.token != Token::End {
        if parser.token == Token::Newline {
            parser.advance();
        } else if parser.eat_word("global") {
            parser.own_id("g", program.globals.len())?;
            let name = parser.name()?;
            parser.mark(b':')?;
            let layout = LayoutId::numbered(parser.id("l")?);
            parser.mark(b'=')?;
            program.globals.push(Global { name, layout, init: parser.function_name()? });
            parser.newline()?;
        } else if parser.eat_word("fn") {
            let function = parser.function(program.functions.len())?;
            program.functions.push(function);
        } else if parser.is_word("layout") || parser.is_word("const") {
            parser.skip_line();
        } else {
            return Err(parser.error("a global or function"));
        }
    }
    Ok(program)
}

/// The names that lines beginning so give; empty for those in quotes.
fn headers<'a>(text: &'a str, keyword: &str) -> Vec<&'a str> {
    let name = |line: &'a str| {
        let name = line.strip_prefix(keyword)?.split_once(' ').map_or("", |(_, rest)| rest);
        Some(name.split(['(', '[', ':', '"']).next().unwrap_or(""))
    };
    text.lines().filter_map(name).list()
}

/// The number of `l12` by its letter.
fn number_of(word: &str, letter: &str) -> Option<u32> {
    let digits = word.strip_prefix(letter)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Name and number of a variable: `%x`, `%x.7`, `v7`.
fn split_var(word: &str) -> Option<(Option<&str>, Option<u32>)> {
    if let Some(number) = number_of(word, "v") {
        return Some((None, Some(number)));
    }
    if !word.starts_with(['%', '$']) {
        return None;
    }
    match word.split_once('.') {
        Some((name, number)) => Some((Some(name), Some(number.parse().ok()?))),
        None => Some((Some(word), None)),
    }
}

/// A literal as [`ty::print_value`] writes it.
fn literal(word: &str) -> Option<Scalar> {
    let int = |digits: &str| {
        let unsigned = || digits.parse::<u64>().ok().map(|value| value as i64);
        digits.parse::<i64>().ok().or_else(unsigned).map(Scalar::Int)
    };
    let suffixed = |dtype: &Dtype| {
        let digits = word.strip_suffix(dtype.suffix()).filter(|_| !dtype.suffix().is_empty())?;
        match dtype.is_float() {
            true => digits.parse().ok().map(|value| Scalar::Float(op::round_to(*dtype, value))),
            false => int(digits),
        }
    };
    match word {
        "True" => Some(Scalar::Int(1)),
        "False" => Some(Scalar::Int(0)),
        _ => int(word).or_else(|| Dtype::ALL.iter().find_map(suffixed)),
    }
}

struct Parser<'a> {
    text: &'a str,
    token: Token,
    /// Of the token.
    start: usize,
    end: usize,
    base: &'a Program,
    names: Names<'a>,
    functions: HashMap<&'a str, FuncId>,
    globals: HashMap<&'a str, GlobalId>,
    // Of the function that is read:
    vars: IndexVec<VarId, VarData>,
    /// Where a variable that has not been given was first mentioned.
    places: IndexVec<VarId, Option<Span>>,
    named: HashMap<&'a str, VarId>,
    /// The numbers that the text says.
    numbered: HashSet<u32>,
    /// No number below is free.
    n_numbered: u32,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) {
        let bytes = self.text.as_bytes();
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let mut at = self.end;
        while b" \t\r".contains(&byte(at)) {
            at += 1;
        }
        if byte(at) == b'/' && byte(at + 1) == b'/' {
            at = self.text[at..].find('\n').map_or(self.text.len(), |len| at + len);
        }
        self.start = at;
        let first = byte(at);
        at += 1;
        self.token = match first {
            0 if self.start == self.text.len() => {
                at = self.start;
                Token::End
            }
            b'\n' => Token::Newline,
            b'"' => {
                while !matches!(byte(at), 0 | b'\n' | b'"') {
                    at += 1;
                }
                at += usize::from(byte(at) == b'"');
                Token::String
            }
            b'-' if byte(at) == b'>' => {
                at += 1;
                Token::Mark(b'>')
            }
            b'@' if byte(at).is_ascii_digit() => Token::Span,
            b'0'..=b'9' | b'-' => Token::Number,
            b'a'..=b'z' | b'A'..=b'Z' | 0x80.. | b'_' | b'@' | b'%' | b'$' | b'`' | b'#' | b'.' => Token::Word,
            _ => Token::Mark(first),
        };
        if matches!(self.token, Token::Span | Token::Number | Token::Word) {
            let sign_at = |at: usize| {
                let is_exponent = matches!(byte(at - 1), b'e') && byte(at + 1).is_ascii_digit();
                b"+-".contains(&byte(at)) && is_exponent && self.token == Token::Number
            };
            let sigil_at = |at: usize| byte(at) == b'@' && at == self.start + 1;
            while is_word_byte(byte(at)) || sign_at(at) || sigil_at(at) {
                at += 1;
            }
        }
        self.end = at;
    }

    /// The text of the token.
    fn word(&self) -> &'a str {
        &self.text[self.start..self.end]
    }

    fn place(&self) -> Span {
        Span::new(self.start as u32, self.end as u32)
    }

    fn error(&self, expected: &str) -> ParseError {
        let found = match self.token {
            Token::Newline => "the end of the line",
            Token::End => "the end of the text",
            Token::Word | Token::Number | Token::String | Token::Span | Token::Mark(_) => self.word(),
        };
        ParseError { span: self.place(), message: format!("expected {expected}, found {found}") }
    }

    fn is_word(&self, word: &str) -> bool {
        self.token == Token::Word && self.word() == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn eat(&mut self, mark: u8) -> bool {
        let found = self.token == Token::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn mark(&mut self, mark: u8) -> Result<(), ParseError> {
        match self.eat(mark) {
            true => Ok(()),
            false if mark == b'>' => Err(self.error("->")),
            false => Err(self.error(char::from(mark).encode_utf8(&mut [0; 4]))),
        }
    }

    fn newline(&mut self) -> Result<(), ParseError> {
        match self.token {
            Token::Newline => self.advance(),
            Token::End => {}
            Token::Word | Token::Number | Token::String | Token::Span | Token::Mark(_) => {
                return Err(self.error("the end of the line"));
            }
        }
        Ok(())
    }

    fn skip_line(&mut self) {
        let end = self.text[self.start..].find('\n').map_or(self.text.len(), |len| self.start + len);
        self.end = end;
        self.advance();
    }

    /// A number by its letter: `l12`.
    fn id(&mut self, letter: &str) -> Result<u32, ParseError> {
        let found = if self.token == Token::Word { number_of(self.word(), letter) } else { None };
        let id = found.ok_or_else(|| self.error(&format!("{letter} and a number")))?;
        self.advance();
        Ok(id)
    }

    /// The id of what stands at this place of the text.
    fn own_id(&mut self, letter: &str, index: usize) -> Result<(), ParseError> {
        let expected = format!("{letter}{index}");
        match self.eat_word(&expected) {
            true => Ok(()),
            false => Err(self.error(&expected)),
        }
    }

    fn count(&mut self) -> Result<u64, ParseError> {
        let found = if self.token == Token::Number { self.word().parse().ok() } else { None };
        let count = found.ok_or_else(|| self.error("a number"))?;
        self.advance();
        Ok(count)
    }

    fn string(&mut self) -> Result<String, ParseError> {
        let word = self.word();
        if self.token != Token::String || word.len() < 2 || !word.ends_with('"') {
            return Err(self.error("a text in quotes"));
        }
        self.advance();
        Ok(word[1..word.len() - 1].to_owned())
    }

    fn name(&mut self) -> Result<String, ParseError> {
        if self.token != Token::Word {
            return self.string();
        }
        let name = self.word().to_owned();
        self.advance();
        Ok(name)
    }

    fn function_name(&mut self) -> Result<FuncId, ParseError> {
        match self.functions.get(self.word()) {
            Some(&id) => {
                self.advance();
                Ok(id)
            }
            None => Ok(FuncId::numbered(self.id("f")?)),
        }
    }

    /// `@12..20`, if it stands here.
    fn span(&mut self) -> Result<Span, ParseError> {
        if self.token != Token::Span {
            return Ok(Span::default());
        }
        let ends = base::cut(&self.word()[1..], "..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let (start, end) = ends.ok_or_else(|| self.error("a span"))?;
        self.advance();
        Ok(Span::new(start, end))
    }

    /// Items between commas up to the mark; the mark before them has been read.
    fn list<T>(&mut self, close: u8, item: fn(&mut Self) -> Result<T, ParseError>) -> Result<Vec<T>, ParseError> {
        let mut items = Vec::new();
        while !self.eat(close) {
            if !items.is_empty() {
                self.mark(b',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn is_var(&self) -> bool {
        self.token == Token::Word && split_var(self.word()).is_some()
    }

    fn var(&mut self) -> Result<VarId, ParseError> {
        let found = if self.token == Token::Word { split_var(self.word()) } else { None };
        let (name, number) = found.ok_or_else(|| self.error("a variable"))?;
        let id = match (name, number) {
            (_, Some(number)) => VarId::numbered(number),
            (Some(name), None) if self.named.contains_key(name) => self.named[name],
            (_, None) => {
                while self.numbered.contains(&self.n_numbered) {
                    self.n_numbered += 1;
                }
                self.n_numbered += 1;
                VarId::numbered(self.n_numbered - 1)
            }
        };
        if id.index() > self.text.len() {
            return Err(self.error("a lesser number"));
        }
        while self.vars.len() <= id.index() {
            self.vars.push(VarData { layout: LayoutId::numbered(0), name: None });
            self.places.push(None);
        }
        if let Some(name) = name {
            if number.is_none() {
                self.named.insert(name, id);
            }
            self.vars[id].name = Some(name.strip_prefix('$').unwrap_or(name).to_owned());
        }
        if self.places[id].is_none() {
            self.places[id] = Some(self.place());
        }
        self.advance();
        Ok(id)
    }

    /// A variable where it is given.
    fn given(&mut self) -> Result<VarId, ParseError> {
        let var = self.var()?;
        if self.token == Token::String {
            self.vars[var].name = Some(self.string()?);
        }
        self.mark(b':')?;
        self.vars[var].layout = LayoutId::numbered(self.id("l")?);
        // An empty place: it has been given.
        self.places[var] = Some(Span::new(u32::MAX, u32::MAX));
        Ok(var)
    }

    /// What a function value is to whoever looks at one.
    fn code(&mut self) -> Result<Code, ParseError> {
        let forms = [("f", Code::Function as fn(u32) -> Code), ("c", Code::Constructor), ("op", Code::Operator)];
        let word = if self.token == Token::Word { self.word() } else { "" };
        let found = forms.into_iter().find_map(|(letter, code)| number_of(word, letter).map(code));
        let code = found.ok_or_else(|| self.error("f, c or op and a number"))?;
        self.advance();
        Ok(code)
    }

    fn function(&mut self, index: usize) -> Result<Function, ParseError> {
        self.own_id("f", index)?;
        (self.vars, self.places, self.n_numbered) = (IndexVec::new(), IndexVec::new(), 0);
        self.named.clear();
        self.find_numbers();
        let name = self.name()?;
        let mut params = if self.eat(b'[') { self.list(b']', Self::given)? } else { Vec::new() };
        let n_captures = params.len();
        self.mark(b'(')?;
        params.append_all(self.list(b')', Self::given)?);
        self.mark(b'>')?;
        let result = LayoutId::numbered(self.id("l")?);
        let ty = if self.eat(b':') { Some(self.ty()?) } else { None };
        let stands_for = if self.eat_word("for") { Some(self.code()?) } else { None };
        let is_library = self.eat_word("library");
        let span = self.span()?;
        self.mark(b'{')?;
        self.newline()?;
        while self.eat_word("var") {
            self.given()?;
            self.newline()?;
        }
        let mut blocks = IndexVec::new();
        while !self.eat(b'}') {
            if self.token == Token::Newline {
                self.advance();
                continue;
            }
            let block = self.block(blocks.len())?;
            blocks.push(block);
        }
        self.newline()?;
        for &place in self.places.iter() {
            if let Some(span) = place.filter(|place| place.start != u32::MAX) {
                return Err(ParseError { span, message: "this variable is given nowhere".to_owned() });
            }
        }
        let vars = std::mem::take(&mut self.vars);
        Ok(Function { name, params, n_captures, result, vars, blocks, span, stands_for, is_library, ty })
    }

    /// Finds the numbers of variables that the function at this place says.
    fn find_numbers(&mut self) {
        self.numbered.clear();
        let (token, start, end) = (self.token, self.start, self.end);
        let mut is_first = false;
        while self.token != Token::End && !(is_first && self.token == Token::Mark(b'}')) {
            is_first = self.token == Token::Newline;
            if let (Token::Word, Some((_, Some(number)))) = (self.token, split_var(self.word())) {
                self.numbered.insert(number);
            }
            self.advance();
        }
        (self.token, self.start, self.end) = (token, start, end);
    }

    fn ty(&mut self) -> Result<TermId, ParseError> {
        Ok(TermId::numbered(self.id("t")?))
    }

    fn block(&mut self, index: usize) -> Result<Block, ParseError> {
        self.own_id("b", index)?;
        let params = if self.eat(b'(') { self.list(b')', Self::given)? } else { Vec::new() };
        self.mark(b':')?;
        self.newline()?;
        let mut instrs = Vec::new();
        loop {
            if self.token == Token::Newline {
                self.advance();
                continue;
            }
            if let Some(end) = self.block_end()? {
                let span = self.span()?;
                self.newline()?;
                return Ok(Block { params, instrs, end, span });
            }
            instrs.push(self.instr()?);
            self.newline()?;
        }
    }

    fn block_id(&mut self) -> Result<BlockId, ParseError> {
        Ok(BlockId::numbered(self.id("b")?))
    }

    fn block_end(&mut self) -> Result<Option<End>, ParseError> {
        Ok(Some(if self.eat_word("return") {
            End::Return(self.var()?)
        } else if self.eat_word("jump") {
            let block = self.block_id()?;
            End::Jump(block, self.args()?)
        } else if self.eat_word("tail") {
            if !self.eat_word("call") {
                return Err(self.error("call"));
            }
            let (callee, args) = self.call()?;
            End::TailCall(callee, args)
        } else if self.eat_word("switch") {
            let on = self.var()?;
            self.mark(b'{')?;
            let (mut cases, mut default) = (Vec::new(), None);
            while !self.eat(b'}') {
                if !cases.is_empty() || default.is_some() {
                    self.mark(b',')?;
                }
                let is_default = self.eat_word("_");
                let key = if is_default { CaseKey::Variant(0) } else { self.key(on)? };
                self.mark(b':')?;
                let block = self.block_id()?;
                match is_default {
                    true => default = Some(block),
                    false => cases.push(Case { key, block }),
                }
            }
            End::Switch { on, cases, default }
        } else if self.eat_word("fail") {
            End::Fail(if self.eat_word("no_arm") {
                Fault::NoArm
            } else if self.eat_word("broken") {
                Fault::Broken
            } else if self.eat_word("unreachable") {
                Fault::Unreachable
            } else if self.eat_word("free") {
                Fault::FreeVariable(self.string()?)
            } else {
                return Err(self.error("no_arm, unreachable, free or broken"));
            })
        } else {
            return Ok(None);
        }))
    }

    fn key(&mut self, on: VarId) -> Result<CaseKey, ParseError> {
        let literal = match self.token {
            Token::Number => literal(self.word()),
            Token::Word if dtype_of(self.base, self.vars[on].layout).is_some() => literal(self.word()),
            _ => None,
        };
        match literal {
            Some(scalar) => {
                self.advance();
                Ok(CaseKey::Literal(scalar))
            }
            None => Ok(CaseKey::Variant(self.variant(Some(on), b':')?.0)),
        }
    }

    /// A variant of the layout of a variable, and what stands behind its name and a dot. A name is missing before the
    /// mark, or before a variable, or where only the dot stands: it is the tuple's.
    fn variant(&mut self, of: Option<VarId>, before: u8) -> Result<(u32, &'a str), ParseError> {
        if self.token == Token::Mark(before) || self.is_var() {
            return Ok((0, ""));
        }
        if self.token != Token::Word {
            return Err(self.error("a variant"));
        }
        let (name, rest) = self.word().split_once('.').unwrap_or((self.word(), ""));
        let variant = match name.strip_prefix('#') {
            Some(number) => number.parse().ok(),
            None if name.is_empty() => Some(0),
            None => of.and_then(|var| self.variant_called(self.vars[var].layout, name)),
        };
        let variant = variant.ok_or_else(|| self.error("a variant of the layout"))?;
        self.advance();
        Ok((variant, rest))
    }

    fn variant_called(&self, layout: LayoutId, name: &str) -> Option<u32> {
        let Kind::Sum { variants, .. } = &self.base.layouts.table.get(layout)?.kind else { return None };
        let is_refine = self.names.types.surface() == Surface::Refine;
        let is_it = |head: Head| match head {
            Head::Constructor(number) => self.names.values.constructor(number) == name,
            Head::Variant(id) if is_refine => self.names.types.variant(id) == name,
            Head::Variant(id) => name.strip_prefix('`').is_some_and(|name| self.names.types.variant(id) == name),
            Head::Tuple | Head::Functions => false,
        };
        variants.iter().position(|variant| is_it(variant.head)).map(|place| place as u32)
    }

    /// Variables in parentheses or up to the end of the line.
    fn args(&mut self) -> Result<Vec<VarId>, ParseError> {
        if self.eat(b'(') {
            return self.list(b')', Self::var);
        }
        let mut args = Vec::new();
        while self.is_var() {
            args.push(self.var()?);
            if !self.eat(b',') {
                break;
            }
        }
        Ok(args)
    }

    fn call(&mut self) -> Result<(Callee, Vec<VarId>), ParseError> {
        if !self.is_var() && self.token != Token::Mark(b'(') {
            let callee = Callee::Function(self.function_name()?);
            return Ok((callee, self.args()?));
        }
        let callee = if self.is_var() { Some(self.var()?) } else { None };
        let args = self.args()?;
        Ok((Callee::Value, callee.into_iter().chain(args).collect()))
    }

    fn instr(&mut self) -> Result<Instr, ParseError> {
        let results = if self.is_var() { self.list(b'=', Self::given)? } else { Vec::new() };
        let (op, args) = self.op(&results)?;
        Ok(Instr { results, op, args, span: self.span()? })
    }

    fn op(&mut self, results: &[VarId]) -> Result<(Op, Vec<VarId>), ParseError> {
        if !matches!(self.token, Token::Word | Token::Number) {
            return Err(self.error("an instruction"));
        }
        let (word, error) = (self.word(), self.error("an instruction"));
        self.advance();
        let op = match word {
            "tensor" => Op::Tensor(ConstId::numbered(self.id("k")?)),
            "pack" => Op::Pack { variant: self.variant(results.first().copied(), b'(')?.0 },
            "open" | "peek" | "field" => return self.open(word),
            "box" => Op::Box,
            "unbox" => Op::Unbox,
            "load" => Op::Load,
            "retype" => Op::Retype,
            "free" => Op::Free,
            "closure" => Op::Closure(self.function_name()?),
            "call" => {
                let (callee, args) = self.call()?;
                return Ok((Op::Call(callee), args));
            }
            "fused" => return self.fused(),
            "ref_new" => Op::RefNew,
            "ref_read" => Op::RefRead,
            "ref_write" => Op::RefWrite,
            "global" => match self.globals.get(self.word()) {
                Some(&id) => {
                    self.advance();
                    Op::Global(id)
                }
                None => Op::Global(GlobalId::numbered(self.id("g")?)),
            },
            "check" => {
                let name = self.string()?;
                self.mark(b'[')?;
                let dim = |this: &mut Self| if this.eat(b'?') { Ok(None) } else { this.count().map(Some) };
                Op::Check { name, dims: self.list(b']', dim)? }
            }
            "fuel" => {
                let (place, count) = (self.error("less"), self.count()?);
                Op::Fuel(u32::try_from(count).map_err(|_| place)?)
            }
            "dup" => Op::Dup,
            "drop" => Op::Drop,
            _ => match (op::spelt(word), literal(word)) {
                (Some(op), _) => return self.operator(op),
                (None, Some(scalar)) => Op::Scalar(scalar),
                (None, None) => return Err(error),
            },
        };
        Ok((op, self.args()?))
    }

    /// What looks at a variant of its argument, which stands behind the variant's name.
    fn open(&mut self, word: &str) -> Result<(Op, Vec<VarId>), ParseError> {
        let (token, start, end) = (self.token, self.start, self.end);
        // First the argument, whose layout says the variant.
        if !self.is_var() && matches!(self.token, Token::Word) {
            self.advance();
        }
        let args = self.args()?;
        let behind = (self.token, self.start, self.end);
        (self.token, self.start, self.end) = (token, start, end);
        let error = self.error("a variant and a field");
        let (variant, rest) = self.variant(args.first().copied(), b'\n')?;
        (self.token, self.start, self.end) = behind;
        let op = match (word, rest) {
            ("open", "") => Op::Open { variant },
            ("peek", "") => Op::Peek { variant },
            ("field", index) => Op::Field { variant, index: index.parse().map_err(|_| error)? },
            _ => return Err(error),
        };
        Ok((op, args))
    }

    fn operator(&mut self, op: OpId) -> Result<(Op, Vec<VarId>), ParseError> {
        let mut args = Vec::new();
        let attrs = self.operands(op, &mut |this| {
            let is_var = this.is_var();
            if is_var {
                args.push(this.var()?);
            }
            Ok(is_var)
        })?;
        Ok((Op::Operator { op, attrs }, args))
    }

    /// Operands and attributes in parentheses; `operand` reads one, if one stands here.
    fn operands(
        &mut self,
        op: OpId,
        operand: &mut dyn FnMut(&mut Self) -> Result<bool, ParseError>,
    ) -> Result<Arc<Attrs>, ParseError> {
        let row = op.row();
        let default = |attr: &op::AttrSpec| (attr.name, attr.default.value().unwrap_or(AttrValue::None));
        let mut entries: Vec<(&'static str, AttrValue)> = row.attrs.iter().map(default).list();
        let mut written = base::filled(false, entries.len());
        let mut is_whole = true;
        self.mark(b'(')?;
        while !self.eat(b')') {
            if self.eat(b';') {
                is_whole = false;
                (entries, written) = (Vec::new(), Vec::new());
                continue;
            }
            if !operand(self)? {
                let attr = row.attrs.iter().position(|attr| self.is_word(attr.name));
                let attr = attr.ok_or_else(|| self.error("a variable or an attribute"))?;
                self.advance();
                self.mark(b'=')?;
                let value = self.attr_value()?;
                match is_whole {
                    true => (entries[attr].1, written[attr]) = (value, true),
                    false => {
                        entries.push((row.attrs[attr].name, value));
                        written.push(true);
                    }
                }
            }
            if !matches!(self.token, Token::Mark(b')' | b';')) {
                self.mark(b',')?;
            }
        }
        Ok(Arc::new(Attrs { entries, written }))
    }

    fn attr_value(&mut self) -> Result<AttrValue, ParseError> {
        // The lists that are open.
        let mut lists: Vec<Vec<AttrValue>> = Vec::new();
        loop {
            let mut value = match self.token {
                Token::String => AttrValue::Str(self.string()?.into()),
                Token::Mark(b'[') => {
                    self.advance();
                    lists.push(Vec::new());
                    if self.token != Token::Mark(b']') {
                        continue;
                    }
                    self.advance();
                    AttrValue::List(lists.pop().unwrap_or_default())
                }
                Token::Word | Token::Number => {
                    let word = self.word();
                    let float = || word.strip_suffix('f')?.parse().ok().map(AttrValue::Float);
                    let value = match word {
                        "None" => Some(AttrValue::None),
                        "True" => Some(AttrValue::Bool(true)),
                        "False" => Some(AttrValue::Bool(false)),
                        _ => word.parse().ok().map(AttrValue::Int).or_else(float),
                    };
                    let value = value.ok_or_else(|| self.error("a value"))?;
                    self.advance();
                    value
                }
                Token::Span | Token::Mark(_) | Token::Newline | Token::End => return Err(self.error("a value")),
            };
            loop {
                let Some(list) = lists.last_mut() else { return Ok(value) };
                list.push(value);
                if !self.eat(b']') {
                    self.mark(b',')?;
                    break;
                }
                value = AttrValue::List(lists.pop().unwrap_or_default());
            }
        }
    }
}
