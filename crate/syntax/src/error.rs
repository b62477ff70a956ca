//! What can be wrong with a text, and how it is said.

use base::{Diagnostic, Edit, Fix, Span, Surface, ToList};

use crate::parser::MAX_NESTING;
use crate::token::TokenKind;

/// One mistake. No text is kept: the words are made by [`SyntaxError::diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxError {
    /// Something else stands where the grammar wants `expected`.
    Expected {
        expected: Expected,
        found: Found,
    },
    /// A bracket that is never closed. `closers` are those of all brackets that end here, innermost first, with
    /// the `;` of a binding that ends here too.
    Unclosed {
        opener: TokenKind,
        opened: Span,
        closers: Vec<TokenKind>,
        found: Found,
        /// Where one may stand as well.
        others: Vec<Span>,
    },
    /// A bracket that closes nothing.
    Unopened {
        closer: TokenKind,
        at: Span,
        /// A `{` before it that nothing closes.
        open: Option<Span>,
    },
    /// The `;` behind what would be the value of a block.
    NoValue {
        at: Span,
    },
    /// What is written as in other languages, with what it is here.
    Foreign {
        form: Foreign,
        at: Span,
        edits: Vec<Edit>,
    },
    /// `%x = e;` without `let`; where its `=` is, if no type stands before that.
    MissingLet {
        local: Span,
        equals: Option<Span>,
        has_sigil: bool,
    },
    /// What stands for a keyword or a sign, the only one that can stand there.
    Misspelt {
        at: Span,
        found: TokenKind,
        meant: TokenKind,
    },
    /// `def f` for `def @f`.
    MissingSigil {
        name: Span,
    },
    /// `fn f` for `def @f`.
    NamedFn {
        keyword: Span,
        name: Span,
        has_sigil: bool,
    },
    /// A bracket or prefix operator at depth [`MAX_NESTING`].
    NestingTooDeep {
        at: Span,
    },
    /// `extern type T { … }`.
    ExternWithConstructors {
        at: Span,
        name: Span,
    },
    /// `let (%x, %y) = e;`, `let %x, %y = e;`, `let Cons(%h, %t) = e;`.
    PatternInLet {
        at: Span,
        /// What binds the parts of a tuple one by one.
        edits: Vec<Edit>,
    },
    /// `x A` and `(e) A` in refine: what stands there takes no arguments.
    TakesNoArguments {
        callee: Span,
        argument: Span,
    },
    /// `#lang` with a name that is none of a surface.
    UnknownLang {
        at: Span,
        nearest: Option<Surface>,
    },
    /// The text is none of this surface, and one of another; where its `#lang` line is or should be.
    OtherLang {
        at: Span,
        line: Span,
        surface: Surface,
        other: Surface,
    },
    /// The text is Python.
    Python {
        at: Span,
        surface: Surface,
    },
    BadVersion {
        at: Span,
    },
    BadNumber {
        at: Span,
        surface: Surface,
        /// What it is in decimal, if it is written in another base.
        decimal: Option<u64>,
    },
    /// A word that TensorScript keeps, without a meaning.
    Reserved {
        word: TokenKind,
        at: Span,
    },
    UnknownCharacter {
        at: Span,
        first: char,
    },
    UnterminatedComment {
        opened: Span,
        end: Span,
        /// How many comments are open there, each in the one before: at least 1.
        depth: usize,
    },
    UnterminatedString {
        at: Span,
        /// What it is likely to hold: as far as the first sign that goes on behind a string.
        word: Span,
    },
}

/// A form of other languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// What this operator does here.
    Operator(&'static str),
    /// What is meant by a sign that looks like it.
    Sign(&'static str),
    /// `- >`: the sign whose characters stand apart
    Apart(&'static str),
    /// `“x”`
    Curly,
    /// `x += 1`
    Assignment,
    Method,
    /// `x[0]`; whether all in brackets are numbers
    Index {
        is_number: bool,
    },
    Return,
    /// `let %y = x;` as the last statement of a block
    Binding,
    Loop,
    /// `if (x = 1)`
    Equals,
    Elif,
    ListPattern,
    /// `"float32"` for `float32`
    Quoted,
    /// `'float32'` for `"float32"`
    Apostrophes,
    /// `R(x) :- …` without the word before
    BareRelation,
    /// `_`, as a parameter
    Wild,
    /// `Tensor[2, 3, float32]`
    Tensor,
    /// `x -> e`, `fun x -> e`
    Lambda,
    /// `let f x = e`
    Curried,
    /// `let x = e in …`
    In,
    /// `def f(x):`
    Colon,
    /// `match x with | A -> 1`
    With,
    /// `if (c) 1 else 2`, `if c then 1 else 2`
    Bare,
    /// `{ 1, 2 }`
    Commas,
    /// `[x, y]` in TensorScript
    Listed,
    /// `if c then { 1 }`
    Then,
    /// `c ? 1 : 2`
    Conditional,
    /// `type T = A | B`
    Constructors,
    /// `A of int32`
    Of,
    /// `List<int32>`, `List(int32)`
    Angles,
    /// `@f[3](%x)`
    Brackets,
    /// `let rec %f`
    Rec,
    /// `let mut %x`
    Mut,
    /// `Some %x`, as a pattern
    Juxtaposed,
    /// `{ | A => 1 | B => 2 }`
    Bars,
    /// `A if %c => 1`
    Guard,
    /// `add %x, %y`
    BareArgs,
    /// `fn %x { … }`
    BareParams,
    /// `let %t = %a, %b;`
    BareTuple,
    /// `[-1, 4]`, in TensorScript
    NegativeDim,
    /// `A -> B`, as a type
    BareFnType,
    /// `type P { x: int32, y: int32 }`
    Record,
    /// What should not be there, and why.
    Surplus(&'static str),
    /// `%conv1.weight`, as a parameter
    Dotted,
    /// `%1`, as a parameter
    Numbered,
    /// `2.`
    Point,

    // In refine.
    /// `let f x = e`, `x -> e`
    NoFunctions,
    /// `let rec x = e in`
    NoRecursion,
    /// `(A, B)`
    NoTuples,
    /// `type t = A | B`
    NoTypes,
    /// `1`, `"a"`
    NoLiterals,
    /// `A + B`
    NoOperators,
    /// `if c then A else B`
    Truth,
    /// `Pair (A, B)`
    Fields,
    /// `match x { A -> B }`
    Braces,
    /// `` `A ``
    Backtick,
    /// `x : A | B`
    Sum,
    /// `[Some A]`, and where a comma may be missing
    BarePayload(u32),
    /// `use a::b, c;`
    Imports,
    /// `[Some of A]`, `[Some (A)]`
    Payload,
    /// `let Pair x y = e in`
    Parts,
    /// `// …`, `(* … *)`
    Comment,
}

impl Foreign {
    fn words(self) -> (String, &'static str) {
        let (said, title) = match self {
            Foreign::Operator(name) => {
                let said = format!("another language's operator: here it is `{name}`");
                return (said, "write it as a call");
            }
            Foreign::Sign(sign) => {
                return (format!("expected `{sign}`, found another sign that looks like it"), "write that one");
            }
            Foreign::Apart(sign) => {
                return (format!("expected `{sign}`, found its characters apart"), "write them together");
            }
            Foreign::Surplus(why) => (why, "take it away"),
            Foreign::Point => ("expected digits behind the point, found none", "write a 0"),
            Foreign::BareArgs => {
                ("expected arguments in parentheses such as `add(%x, %y)`, found none", "put parentheses around them")
            }
            Foreign::BareParams => ("expected parameters in parentheses, found none", "put parentheses around them"),
            Foreign::BareTuple => {
                ("expected a tuple in parentheses such as `(%x, %y)`, found none", "put parentheses around it")
            }
            Foreign::Curly => ("expected a string in straight quotes, found curly ones", "write straight quotes"),
            Foreign::Assignment => ("variables do not change: a `let` binds the name anew", "bind it anew"),
            Foreign::Method => (
                "expected an index such as `.0`, found a name: an operator is no method and takes its operands in parentheses",
                "write it as a call",
            ),
            Foreign::Index { .. } => (
                "a tensor is not indexed by brackets: `take` and `strided_slice` take parts of one",
                "write it with `take`",
            ),
            Foreign::Return => {
                ("there is no `return`: the value of a block is its last expression", "take `return` out")
            }
            Foreign::Loop => ("there are no loops: a function that calls itself repeats, or `foldl` over a list", ""),
            Foreign::Equals => ("expected `==`, found `=`", "write `==`"),
            Foreign::Elif => ("expected `else if`, found a name", "write `else if`"),
            Foreign::ListPattern => (
                "a list is matched by `Nil` and `Cons(%head, %tail)`, found brackets",
                "write it with `Cons` and `Nil`",
            ),
            Foreign::Quoted => ("expected a dtype, found a string", "take the quotes away"),
            Foreign::Apostrophes => ("expected a string in double quotes, found single ones", "write double quotes"),
            Foreign::BareRelation => ("expected `relation` before a clause of one", "insert `relation`"),
            Foreign::Wild => ("expected a parameter such as `%x`, found `_`", "give it a name"),
            Foreign::Tensor => ("a tensor's type is written as `Tensor[(2, 3), float32]`", "write it so"),
            Foreign::Lambda => ("expected a function such as `fn(%x) { %x }`, found an arrow", "write it with `fn`"),
            Foreign::Curried => {
                ("expected `=`, found a parameter: a function is a value such as `fn(%x) { %x }`", "write it with `fn`")
            }
            Foreign::In => ("expected `;`, found `in`", "write `;`"),
            Foreign::Colon => ("expected a body in braces, found `:`", "put braces around the body"),
            Foreign::With => {
                ("expected arms in braces such as `{ A => 1, B => 2 }`, found `with`", "write the arms in braces")
            }
            Foreign::Bare => ("expected a body in braces such as `{ 1 }`, found an expression", "put braces around it"),
            Foreign::Binding => {
                ("expected the value of the block behind its last binding", "give the value of the variable")
            }
            Foreign::Listed => ("expected parentheses such as `(3, 3)`, found brackets", "put parentheses around them"),
            Foreign::Commas => ("expected parentheses around several values, found `,`", "put parentheses around them"),
            Foreign::Then => ("expected `{`, found `then`", "take `then` out"),
            Foreign::Conditional => ("expected `if (%c) { 1 } else { 2 }`, found `?`", "write it with `if`"),
            Foreign::Constructors => {
                ("expected constructors in braces such as `{ A, B(int32) }`, found `=`", "write them in braces")
            }
            Foreign::Of => {
                ("expected fields in parentheses such as `A(int32)`, found `of`", "put parentheses around them")
            }
            Foreign::Mut => ("variables do not change: what changes is in a cell, `ref(…)`", "take `mut` out"),
            Foreign::Juxtaposed => {
                ("expected fields in parentheses such as `Some(%x)`, found none", "put parentheses around them")
            }
            Foreign::Rec => ("a function knows itself without `rec`", "take `rec` out"),
            Foreign::NegativeDim => ("a dimension is no negative number: `?` is any number of examples", "write `?`"),
            Foreign::BareFnType => {
                ("expected a function's type such as `fn (int32) -> bool`, found an arrow", "write it with `fn`")
            }
            Foreign::Record => {
                ("a type has constructors, whose fields have no names: `Point(int32, int32)`", "write a constructor")
            }
            Foreign::Bars => ("expected arms with commas between them, found `|`", "write commas"),
            Foreign::Guard => ("an arm has no condition: an `if` stands in what it gives", ""),
            Foreign::Dotted => (
                "expected a name such as `%conv1_weight`, found one with `.` or `::` in it",
                "write `_` in all such names",
            ),
            Foreign::Numbered => {
                ("expected a name that begins with a letter, found a graph variable", "give it such a name")
            }
            Foreign::NoFunctions => {
                ("refine has no functions: a program is `let … in`, `match … with` and variants", "")
            }
            Foreign::NoRecursion => {
                ("refine has no recursion: what a `let` names is known behind its `in`", "remove `rec`")
            }
            Foreign::NoTuples => (
                "refine has no tuples: what belongs together are the fields of a variant, as in `Pair A B`",
                "make them fields of a variant",
            ),
            Foreign::NoTypes => {
                ("refine names no types: a sum stands where it is used, as in `let x : [A, B] = A in`", "")
            }
            Foreign::NoLiterals => {
                ("refine has no numbers and no strings: a value is a variant such as `A` or `Pair A B`", "")
            }
            Foreign::NoOperators => ("refine has no operators: `match … with` takes values apart", ""),
            Foreign::Truth => ("expected `match`, found `if`: a truth is `True` or `False`", "write it as a `match`"),
            Foreign::Fields => {
                ("expected fields without commas such as `Pair A B`, found `,`", "write them without commas")
            }
            Foreign::Braces => {
                ("expected arms without braces such as `with A -> B | C -> D`, found `{`", "write them without")
            }
            Foreign::Backtick => ("expected a variant such as `A`, found a backtick", "take the backtick away"),
            Foreign::BarePayload(_) => ("what a variant holds is a type such as `[A]`", "write the brackets"),
            Foreign::Imports => {
                ("expected several names in braces such as `use nonlin::{relu, tanh};`", "put braces around them")
            }
            Foreign::Payload => ("what a variant holds stands in brackets such as `Some [A]`", "write it so"),
            Foreign::Sum => ("expected a type such as `[A, B]`, found variants without brackets", "write the brackets"),
            Foreign::Parts => (
                "expected a variable such as `x`, found a pattern: `match … with` takes values apart",
                "write it as a `match`",
            ),
            Foreign::Comment => ("expected a comment such as `# …`, found another language's", "write `#`"),
            Foreign::Angles => {
                ("expected type arguments in brackets such as `List[int32]`, found another bracket", "write brackets")
            }
            Foreign::Brackets => ("expected type arguments such as `@f<3>`, found `[`", "write `<` and `>`"),
        };
        (said.to_owned(), title)
    }
}

/// The token that stands where another should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub kind: TokenKind,
    pub at: Span,
    /// The significant token before it.
    pub before: Span,
    /// Whether it is the first on its line, so that the fault is rather where the line before ends.
    pub first_on_line: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Token(TokenKind),
    /// A bracket whose closer is there.
    Opener(TokenKind),
    /// `,` or this closer.
    Separator(TokenKind),
    Expression,
    Pattern,
    Variant,
    Type,
    Dim,
    /// The dtype of a tensor, behind its shape.
    Dtype,
    Parameter,
    Item,
    /// The end of a top-level expression.
    ItemEnd,
    /// `;` or `}`.
    StatementEnd,
    Name,
    LocalName,
    GlobalName,
    Constructor,
    Index,
    /// `:-` or `.`; whether what stands there, before a goal, is meant as the first.
    Neck {
        is_meant: bool,
    },
    Goal,
    /// `==`, `<` and the others.
    Comparison,
    /// These are refine's: its variables have no sigil.
    Variable,
    BareVariant,
    SumType,
    /// The end of a program, which is one expression.
    End,
    /// These are TensorScript's.
    ScriptItem,
    NodePart,
    Weight,
    Layer,
    Shape,
}

impl Found {
    fn primary(self) -> Span {
        if self.first_on_line || self.at.is_empty() { self.before } else { self.at }
    }
}

impl Expected {
    /// Where what is expected belongs, or what stands for it, and the text.
    fn edit(self, found: &Found) -> Option<(Span, &'static str)> {
        use TokenKind::*;
        let Found { kind, at, before, .. } = *found;
        let (behind, ahead) = (before.after(), Span::new(at.start, at.start));
        let is_adjacent = before.end == at.start;
        Some(match self {
            Expected::Token(token) => match token {
                Semicolon => (behind, ";"),
                Comma if kind == Semicolon => (at, ","),
                ColonColon if kind == LParen => (behind, "::new"),
                ColonColon if kind != Semicolon => (behind, "::"),
                Lt if kind == LBracket => (behind, "<"),
                PipeArrow => (behind, " |>"),
                Eq if kind.starts_expr() => (behind, if is_adjacent { "=" } else { " =" }),
                Dot => (behind, "."),
                KwAs => (behind, " as"),
                Arrow if kind != Gt && (kind.is_for_arrow() || kind == Colon) => (at, "->"),
                Arrow if kind.starts_type() => (behind, " ->"),
                Colon => (behind, ":"),
                KwWith if kind == Pipe => (behind, " with"),
                KwIn if kind == Semicolon => (at, " in"),
                KwIn if kind.starts_refine() => (behind, " in"),
                Pipe if kind.starts_refine() => (ahead, "| "),
                FatArrow if kind.starts_expr() => (behind, " =>"),
                FatArrow if kind == Gt || kind.is_like_arrow() => (at, "=>"),
                Eq if kind.is_like_arrow() => (at, "="),
                _ => return None,
            },
            Expected::Neck { is_meant: true } => (at, ":-"),
            Expected::Separator(Dot) if kind == Semicolon => (at, "."),
            Expected::Separator(_) if kind.is_operand() || kind == Global => (behind, ","),
            Expected::Opener(LBrace) => (behind, if is_adjacent { "{" } else { " {" }),
            Expected::Opener(LParen) => (ahead, "("),
            Expected::Opener(_) => (ahead, "["),
            Expected::Dtype => (behind, ", float32"),
            _ => return None,
        })
    }

    fn describe(self) -> String {
        let words = match self {
            Expected::Token(kind) | Expected::Opener(kind) => return kind.describe(),
            Expected::Separator(closer) => return format!("`,` or {}", closer.describe()),
            Expected::Expression => "an expression",
            Expected::Pattern => "a pattern",
            Expected::Variant => "a variant such as `` `A `` or `` `B(int32) ``",
            Expected::Type => "a type",
            Expected::Dim => "a dimension",
            Expected::Dtype => "`,` and a dtype such as `float32`",
            Expected::Parameter => "a parameter",
            Expected::Item => "a definition or an expression",
            Expected::ItemEnd => "a new line or `;`",
            Expected::StatementEnd => "`;` or `}`",
            Expected::Name => "a name",
            Expected::LocalName => "a variable such as `%x`",
            Expected::GlobalName => "a global name such as `@f`",
            Expected::Constructor => "a constructor",
            Expected::Index => "an index such as `.0`",
            Expected::Neck { .. } => "`:-` or `.`",
            Expected::Goal => "a relation or an equation",
            Expected::Comparison => "a comparison such as `N < 2`",
            Expected::Variable => "a variable such as `x`",
            Expected::BareVariant => "a variant such as `A`",
            Expected::SumType => "a type such as `[A, B]`",
            Expected::End => "the end of the file",
            Expected::ScriptItem => "`use`, `dim`, `tsr`, `node`, `weights` or `graph`",
            Expected::NodePart => "`dim` or `tsr`",
            Expected::Weight => "a weight such as `a = Linear::new(in=1, out=2);`",
            Expected::Layer => "a layer such as `Linear`",
            Expected::Shape => "a shape such as `[?, 10]`",
        };
        words.to_owned()
    }
}

impl SyntaxError {
    /// Where it is, for sorting.
    pub fn span(&self) -> Span {
        match *self {
            SyntaxError::Expected { found, .. } | SyntaxError::Unclosed { found, .. } => found.primary(),
            SyntaxError::MissingLet { local: at, .. }
            | SyntaxError::Misspelt { at, .. }
            | SyntaxError::Unopened { at, .. }
            | SyntaxError::NoValue { at }
            | SyntaxError::Foreign { at, .. }
            | SyntaxError::MissingSigil { name: at }
            | SyntaxError::NamedFn { keyword: at, .. }
            | SyntaxError::NestingTooDeep { at }
            | SyntaxError::ExternWithConstructors { at, .. }
            | SyntaxError::PatternInLet { at, .. }
            | SyntaxError::TakesNoArguments { callee: at, .. }
            | SyntaxError::UnknownLang { at, .. }
            | SyntaxError::OtherLang { at, .. }
            | SyntaxError::Python { at, .. }
            | SyntaxError::BadVersion { at }
            | SyntaxError::BadNumber { at, .. }
            | SyntaxError::Reserved { at, .. }
            | SyntaxError::UnknownCharacter { at, .. }
            | SyntaxError::UnterminatedComment { opened: at, .. }
            | SyntaxError::UnterminatedString { at, .. } => at,
        }
    }

    pub fn diagnostic(&self) -> Diagnostic {
        let error = |code, message: String| Diagnostic::error(code, self.span(), message);
        let syntax = |message| error("syntax-error", message);
        match self {
            SyntaxError::Expected { expected, found } => {
                let said = syntax(format!("expected {}, found {}", expected.describe(), found.kind.describe()));
                let said = if found.primary() == found.at || found.at.is_empty() {
                    said
                } else {
                    said.label(found.at, "found here")
                };
                let help = match expected {
                    Expected::Token(TokenKind::KwElse) => {
                        "an `if` is an expression, which has a value when its condition does not hold, too"
                    }
                    Expected::End => "a program is one expression: name its parts, `let x = … in`",
                    _ => "",
                };
                match expected.edit(found) {
                    Some((span, text)) => {
                        let does = if span.is_empty() { "insert" } else { "write" };
                        said.fix(format!("{does} `{}`", text.trim_ascii()), span, text)
                    }
                    None if help.is_empty() => said,
                    None => Diagnostic { help: Some(help.to_owned()), ..said },
                }
            }
            SyntaxError::Unclosed { opener, opened, closers, found, others } => {
                let text: String = closers.iter().filter_map(|kind| kind.spelling()).collect();
                let expected = opener.closer().describe();
                let other = if found.kind == opener.closer() { "another " } else { "" };
                let mut said = syntax(format!("expected {other}{expected}, found {}", found.kind.describe()))
                    .label(*opened, format!("this {} is not closed", opener.describe()))
                    .fix(format!("insert `{text}`"), found.before.after(), text.clone());
                for &place in others {
                    said = said.fix(format!("insert `{text}`"), place, text.clone());
                }
                said
            }
            SyntaxError::MissingLet { local, equals, has_sigil } => {
                let start = Span::new(local.start, local.start);
                let said = syntax("expected `let` before a variable that is bound".to_owned());
                if !has_sigil {
                    return said.fix("insert `let %`", start, "let %");
                }
                let said = said.fix("insert `let`", start, "let ");
                match equals {
                    Some(equals) => said.fix("write `:=`", *equals, ":="),
                    None => said,
                }
            }
            SyntaxError::Unopened { closer, at, open } => {
                let closer = closer.describe();
                let said = syntax(format!("this {closer} closes nothing"));
                let said = match open {
                    Some(open) => said.label(*open, "this `{` is not closed").fix("write `}`", *at, "}"),
                    None => said,
                };
                said.fix(format!("take {closer} away"), *at, "")
            }
            SyntaxError::NoValue { at } => {
                syntax("expected the value of the block, found `;` behind it".to_owned()).fix("take `;` away", *at, "")
            }
            SyntaxError::Foreign { form, edits, .. } => {
                let (said, title) = form.words();
                let mut said = syntax(said);
                if !edits.is_empty() {
                    said.help = Some(title.to_owned());
                    said.fixes.push(Fix { title: title.to_owned(), edits: edits.clone() });
                }
                if let (Foreign::Index { is_number: true }, [_, _, ..]) = (form, &edits[..]) {
                    // What looks like an element may be a field of a tuple.
                    let brackets = edits.iter().skip(1).enumerate();
                    let dotted = brackets.map(|(i, edit)| Edit { span: edit.span, text: [".", ""][i % 2].to_owned() });
                    said.fixes.push(Fix { title: "take the field".to_owned(), edits: dotted.list() });
                }
                if let &Foreign::BarePayload(at) = form {
                    // Or it is a variant itself.
                    said = said.fix("insert `,`", Span::new(at, at), ",");
                }
                said
            }
            SyntaxError::Misspelt { at, found, meant } => {
                let meant = meant.describe();
                let said = syntax(format!("expected {meant}, found {}", found.describe()));
                said.fix(format!("write {meant}"), *at, base::trim(&meant, "`"))
            }
            SyntaxError::MissingSigil { name } => syntax(
                "expected a global name such as `@f`, found a name".to_owned(),
            )
            .fix("insert `@`", Span::new(name.start, name.start), "@"),
            SyntaxError::NamedFn { keyword, name, has_sigil } => {
                let def = if *has_sigil { "def " } else { "def @" };
                syntax("expected `def` before a function with a name".to_owned()).fix(
                    format!("write `{}`", def.trim_ascii_end()),
                    Span::new(keyword.start, name.start),
                    def,
                )
            }
            SyntaxError::NestingTooDeep { .. } => {
                error("nesting-too-deep", format!("expected at most {MAX_NESTING} levels of nesting"))
            }
            SyntaxError::ExternWithConstructors { name, .. } => {
                error("extern-with-constructors", "an external type cannot have constructors".to_owned())
                    .label(*name, "declared `extern` here")
            }
            SyntaxError::PatternInLet { edits, .. } => {
                let mut said = syntax("expected a variable such as `%x`, found a pattern".to_owned());
                if edits.is_empty() {
                    said.help = Some(
                        "bind it whole, `let %t = …;`, and take the parts `%t.0` and `%t.1`, or write a `match`"
                            .to_owned(),
                    );
                    return said;
                }
                let title = "bind it whole, and take its parts";
                said.fixes.push(Fix { title: title.to_owned(), edits: edits.clone() });
                said
            }
            SyntaxError::TakesNoArguments { argument, .. } => {
                syntax("only a variant such as `A` has something behind it: refine has no functions".to_owned())
                    .label(*argument, "the argument")
            }
            SyntaxError::UnknownLang { at, nearest } => {
                let said = error(
                    "unknown-lang",
                    "expected `#lang relay`, `#lang refine` or `#lang tensorscript`, found another language".to_owned(),
                );
                match nearest.map(Surface::name) {
                    Some(name) => said.fix(format!("write `{name}`"), *at, name),
                    None => said,
                }
            }
            SyntaxError::OtherLang { line, surface, other, .. } => {
                let (found, own) = (language(*other), other.name());
                let end = if line.is_empty() { "\n" } else { "" };
                error("other-lang", format!("expected {}, found {found}", language(*surface))).fix(
                    format!("read it as {found}: `#lang {own}`"),
                    *line,
                    format!("#lang {own}{end}"),
                )
            }
            SyntaxError::Python { surface, .. } => Diagnostic {
                help: Some("write the layers of a network in TensorScript, or print a Relay module as text".to_owned()),
                ..error("other-lang", format!("expected {}, found Python", language(*surface)))
            },
            SyntaxError::BadVersion { at } => error(
                "bad-version",
                "expected version \"0.0.5\", found another".to_owned(),
            )
            .fix("write \"0.0.5\"", *at, "\"0.0.5\""),
            SyntaxError::BadNumber { decimal: Some(decimal), at, .. } => {
                let said = error("bad-number", "expected a decimal number, found one in another base".to_owned());
                said.fix(format!("write `{decimal}`"), *at, decimal.to_string())
            }
            SyntaxError::BadNumber { surface, .. } => {
                let examples = match surface {
                    Surface::Relay | Surface::Refine => "`1`, `2i64` or `0.5f`",
                    Surface::TensorScript => "`1`, `.5` or `1e-3`",
                };
                error("bad-number", format!("expected a number such as {examples}, found something like one"))
            }
            SyntaxError::Reserved { word, at } => {
                let said = match word {
                    TokenKind::KwWhile | TokenKind::KwFor => {
                        "TensorScript has no loops: a network is a chain of layers, and a layer has its own name"
                    }
                    TokenKind::KwMatch => "TensorScript has no `match`: its only choice is `if`",
                    TokenKind::KwLet => "TensorScript has no `let`: a name is given by `x = …;`",
                    _ => "TensorScript has no types of one's own: a shape is named by `tsr`",
                };
                let said = syntax(said.to_owned());
                if *word == TokenKind::KwLet { said.fix("take `let` out", *at, "") } else { said }
            }
            SyntaxError::UnknownCharacter { first, .. } => {
                // Marks of direction, joiners and the like are not seen either.
                let is_unseen = first.is_control()
                    || matches!(first, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
                let seen = if is_unseen { String::new() } else { format!("`{first}`, ") };
                let code = u32::from(*first);
                error("unknown-character", format!("expected a token, found {seen}U+{code:04X}, which begins none"))
            }
            SyntaxError::UnterminatedComment { end, depth, .. } => {
                error("unterminated-comment", "expected `*/`, found the end of the file".to_owned()).fix(
                    match depth {
                        1 => "insert `*/`".to_owned(),
                        _ => format!("insert `*/` {depth} times"),
                    },
                    *end,
                    "*/".repeat(*depth),
                )
            }
            SyntaxError::UnterminatedString { word, .. } => {
                let said = error("unterminated-string", "expected `\"`, found the end of the line".to_owned());
                match word.end - word.start {
                    1 => said.fix("leave `\"` out", *word, ""),
                    _ => said.fix("insert `\"`", word.after(), "\""),
                }
            }
        }
    }
}

fn language(surface: Surface) -> &'static str {
    match surface {
        Surface::Relay => "Relay",
        Surface::Refine => "refine",
        Surface::TensorScript => "TensorScript",
    }
}
