//! The kinds of token, and how each is spelt and named.

/// What a token is. Trivia (white space and comments) are tokens too: every byte of the text is in exactly one. One of no
/// byte is a bracket that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    Whitespace,
    Comment,
    /// `%x`, `%conv1/weight`; in refine `x`.
    Local,
    /// `%12`.
    Graph,
    /// `@f`, `@a.b`.
    Global,
    /// A name without a sigil; in refine one that begins with a capital. Dots are tokens of their own.
    Ident,
    Int,
    Float,
    /// A malformed number, reported by the lexer.
    BadNumber,
    String,
    /// A string that does not end on its line, reported by the lexer.
    BadString,
    /// From `#[metadata]` to the end of the text.
    Metadata,
    KwLet,
    KwFn,
    KwDef,
    KwIf,
    KwElse,
    KwType,
    KwData,
    KwMatch,
    KwExtern,
    KwFreeVar,
    KwRef,
    KwRefRead,
    KwRefWrite,
    KwCase,
    KwTrue,
    KwFalse,
    KwWhere,
    /// These three are keywords of refine only.
    KwIn,
    KwWith,
    KwAs,
    /// From here to `weights` they are TensorScript's. `def` is another kind there: it begins a part of an item.
    KwMethod,
    KwWhile,
    KwFor,
    KwEnum,
    /// From here they are keywords only where an item begins, as `data`; what is a name is an `Ident` in the tree.
    KwUse,
    KwDim,
    KwTsr,
    KwNode,
    KwWeights,
    KwGraph,
    KwRelation,
    Underscore,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Lt,
    Gt,
    Plus,
    Star,
    Minus,
    Slash,
    Eq,
    Bang,
    Question,
    Colon,
    Semicolon,
    Comma,
    Dot,
    At,
    Percent,
    Pipe,
    Backtick,
    Amp,
    Hash,
    /// `->`
    Arrow,
    /// `=>`
    FatArrow,
    LtEq,
    GtEq,
    EqEq,
    NotEq,
    /// `|>`
    PipeArrow,
    /// `:=`
    ColonEq,
    /// `::`, in TensorScript only.
    ColonColon,
    /// A run of characters that begin no token, reported by the lexer.
    Unknown,
    /// What the parser sees past the last token. It is never in a tree.
    Eof,
}

use TokenKind::*;

impl TokenKind {
    /// White space and comments: in the tree's token list, but the grammar does not see them.
    pub fn is_trivia(self) -> bool {
        matches!(self, Whitespace | Comment)
    }

    /// A name or a keyword: what may stand where only a name can, as after the `.` of `relay.ref`.
    pub fn is_word(self) -> bool {
        self == Ident || self.is_keyword()
    }

    pub fn is_keyword(self) -> bool {
        (KwLet as u8..=KwRelation as u8).contains(&(self as u8))
    }

    /// The only spelling of this kind of token, if it has only one.
    pub fn spelling(self) -> Option<&'static str> {
        self.words().ok()
    }

    /// The words for this kind of token in a message: its spelling in backticks, or a noun.
    pub fn describe(self) -> std::string::String {
        self.words().map_or_else(str::to_owned, |spelling| format!("`{spelling}`"))
    }

    /// The spelling, or a noun where there are many.
    fn words(self) -> Result<&'static str, &'static str> {
        Err(match self {
            Whitespace => "white space",
            Comment => "a comment",
            Local => "a local variable",
            Graph => "a graph variable",
            Global => "a global name",
            Ident => "a name",
            Int => "an integer",
            Float => "a float",
            BadNumber => "a malformed number",
            String => "a string",
            BadString => "a string that does not end",
            Metadata => "the metadata section",
            Unknown => "an unknown character",
            Eof => "the end of the file",
            KwLet => return Ok("let"),
            KwFn => return Ok("fn"),
            KwDef => return Ok("def"),
            KwIf => return Ok("if"),
            KwElse => return Ok("else"),
            KwType => return Ok("type"),
            KwData => return Ok("data"),
            KwMatch => return Ok("match"),
            KwExtern => return Ok("extern"),
            KwFreeVar => return Ok("free_var"),
            KwRef => return Ok("ref"),
            KwRefRead => return Ok("ref_read"),
            KwRefWrite => return Ok("ref_write"),
            KwCase => return Ok("case"),
            KwTrue => return Ok("True"),
            KwFalse => return Ok("False"),
            KwWhere => return Ok("where"),
            KwRelation => return Ok("relation"),
            KwIn => return Ok("in"),
            KwWith => return Ok("with"),
            KwAs => return Ok("as"),
            KwMethod => return Ok("def"),
            KwWhile => return Ok("while"),
            KwFor => return Ok("for"),
            KwEnum => return Ok("enum"),
            KwUse => return Ok("use"),
            KwDim => return Ok("dim"),
            KwTsr => return Ok("tsr"),
            KwNode => return Ok("node"),
            KwWeights => return Ok("weights"),
            KwGraph => return Ok("graph"),
            Underscore => return Ok("_"),
            LParen => return Ok("("),
            RParen => return Ok(")"),
            LBracket => return Ok("["),
            RBracket => return Ok("]"),
            LBrace => return Ok("{"),
            RBrace => return Ok("}"),
            Lt => return Ok("<"),
            Gt => return Ok(">"),
            Plus => return Ok("+"),
            Star => return Ok("*"),
            Minus => return Ok("-"),
            Slash => return Ok("/"),
            Eq => return Ok("="),
            Bang => return Ok("!"),
            Question => return Ok("?"),
            Colon => return Ok(":"),
            Semicolon => return Ok(";"),
            Comma => return Ok(","),
            Dot => return Ok("."),
            At => return Ok("@"),
            Percent => return Ok("%"),
            Pipe => return Ok("|"),
            Backtick => return Ok("`"),
            Amp => return Ok("&"),
            Hash => return Ok("#"),
            Arrow => return Ok("->"),
            FatArrow => return Ok("=>"),
            LtEq => return Ok("<="),
            GtEq => return Ok(">="),
            EqEq => return Ok("=="),
            NotEq => return Ok("!="),
            PipeArrow => return Ok("|>"),
            ColonEq => return Ok(":="),
            ColonColon => return Ok("::"),
        })
    }

    /// The keyword that a word is, or `Ident`.
    pub(crate) fn of_word(word: &str) -> TokenKind {
        match word {
            "let" => KwLet,
            "fn" => KwFn,
            "def" => KwDef,
            "if" => KwIf,
            "else" => KwElse,
            "type" => KwType,
            "data" => KwData,
            "match" => KwMatch,
            "extern" => KwExtern,
            "free_var" => KwFreeVar,
            "ref" => KwRef,
            "ref_read" => KwRefRead,
            "ref_write" => KwRefWrite,
            "case" => KwCase,
            "True" => KwTrue,
            "False" => KwFalse,
            "where" => KwWhere,
            "relation" => KwRelation,
            "_" => Underscore,
            _ => Ident,
        }
    }

    /// The same in refine, where the first letter tells variables from variants.
    pub(crate) fn of_refine_word(word: &str) -> TokenKind {
        match word {
            "let" => KwLet,
            "in" => KwIn,
            "match" => KwMatch,
            "with" => KwWith,
            "as" => KwAs,
            "_" => Underscore,
            _ if word.starts_with('_') => Unknown,
            _ if word.as_bytes().first().is_some_and(u8::is_ascii_uppercase) => Ident,
            _ => Local,
        }
    }

    /// The same in TensorScript.
    pub(crate) fn of_tensorscript_word(word: &str) -> TokenKind {
        match word {
            "use" => KwUse,
            "dim" => KwDim,
            "tsr" => KwTsr,
            "node" => KwNode,
            "weights" => KwWeights,
            "graph" => KwGraph,
            "def" => KwMethod,
            "if" => KwIf,
            "else" => KwElse,
            "True" | "true" => KwTrue,
            "False" | "false" => KwFalse,
            "while" => KwWhile,
            "for" => KwFor,
            "match" => KwMatch,
            "enum" => KwEnum,
            "let" => KwLet,
            "type" => KwType,
            "_" => Underscore,
            _ => Ident,
        }
    }

    /// `data`, `where`, `case` and `relation` are words of the grammar only where it asks for them: `where` is an
    /// operator and `data` a common name of an argument. (`case` begins an arm, so it is no expression.)
    pub(crate) fn is_name(self) -> bool {
        matches!(self, Ident | KwData | KwWhere | KwUse | KwDim | KwTsr | KwNode | KwWeights | KwGraph | KwRelation)
    }

    pub(crate) fn is_opener(self) -> bool {
        matches!(self, LParen | LBracket | LBrace)
    }

    pub(crate) fn is_closer(self) -> bool {
        matches!(self, RParen | RBracket | RBrace)
    }

    /// The closer of an opener; anything else is its own.
    pub(crate) fn closer(self) -> TokenKind {
        match self {
            LParen => RParen,
            LBracket => RBracket,
            LBrace => RBrace,
            Lt => Gt,
            other => other,
        }
    }

    /// A sign that is easily written for another one of these.
    pub(crate) fn is_like_arrow(self) -> bool {
        matches!(self, Arrow | FatArrow | Eq | EqEq | Colon | ColonEq)
    }

    /// A sign that is easily written for the `->` before a result.
    pub(crate) fn is_for_arrow(self) -> bool {
        matches!(self, FatArrow | Minus | Gt | Eq)
    }

    /// A sign or word that is easily written for `:-`.
    pub(crate) fn is_like_neck(self) -> bool {
        matches!(self, KwWhere | Minus) || self.is_like_arrow()
    }

    /// A token that the lexer has reported.
    pub(crate) fn is_bad(self) -> bool {
        matches!(self, BadNumber | BadString | Unknown)
    }

    /// A token at which an expression can begin.
    pub(crate) fn starts_expr(self) -> bool {
        matches!(
            self,
            Int | Float | String | Local | Graph | Global | Backtick | Underscore | LParen | LBracket | LBrace | Minus
        ) || matches!(self, Bang | KwFn | KwIf | KwMatch | KwRef | KwRefRead | KwRefWrite | KwTrue | KwFalse)
            || self.is_bad()
            || self.is_name()
    }

    /// A token at which an expression, and most patterns, can begin in refine.
    pub(crate) fn starts_refine(self) -> bool {
        matches!(self, KwLet | KwMatch) || self.is_operand()
    }

    /// A token at which an argument can begin in refine; a literal is none, but stands in the place of one.
    pub(crate) fn is_operand(self) -> bool {
        matches!(self, Local | Ident | LParen | Underscore | Int | Float | String) || self.is_bad()
    }

    /// A token at which an expression of TensorScript can begin, or what is none there and reserved.
    pub(crate) fn starts_tensorscript(self) -> bool {
        matches!(self, Int | Float | Underscore | Question | LParen | Minus | KwIf | KwTrue | KwFalse)
            || self.is_bad()
            || self.is_name()
            || self.is_reserved()
    }

    /// A word that TensorScript keeps, without a meaning.
    pub(crate) fn is_reserved(self) -> bool {
        matches!(self, KwWhile | KwFor | KwMatch | KwEnum | KwLet | KwType)
    }

    /// A token at which a pattern can begin.
    pub(crate) fn starts_pattern(self) -> bool {
        matches!(
            self,
            Int | Float | String | Local | Backtick | Underscore | LParen | LBracket | Minus | KwTrue | KwFalse
        ) || self.is_bad()
            || self.is_name()
    }

    /// A token at which a type, or a dim, can begin.
    pub(crate) fn starts_type(self) -> bool {
        matches!(self, KwFn | KwRef | LBracket) || self.starts_dim()
    }

    /// A token at which a dim can begin.
    pub(crate) fn starts_dim(self) -> bool {
        matches!(self, Ident | Int | Question | Underscore | LParen | KwIf) || self.is_bad()
    }
}
