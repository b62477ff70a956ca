//! What can be wrong with names and forms.

use base::{Diagnostic, Span};
use ty::{Dtype, Kind};

#[derive(Clone, Debug, PartialEq)]
pub enum HirError {
    UnboundVariable {
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    UndefinedGlobal {
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    UnknownName {
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    UnknownConstructor {
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    UndefinedType {
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    Duplicate {
        what: Duplicated,
        name: String,
        span: Span,
        first: Span,
    },
    TypeArguments {
        name: String,
        span: Span,
        want: usize,
        found: usize,
    },
    WrongKind {
        span: Span,
        want: Kind,
        found: Kind,
    },
    LiteralRange {
        span: Span,
        dtype: Dtype,
    },
    BadLiteral {
        span: Span,
    },
    NegatedTruth {
        span: Span,
    },
    RaggedTensor {
        span: Span,
    },
    TensorElement {
        span: Span,
    },
    TensorDtypes {
        span: Span,
        first: Span,
        want: Dtype,
        found: Dtype,
    },
    UnknownAttr {
        op: &'static str,
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    MissingAttr {
        op: &'static str,
        name: &'static str,
        span: Span,
    },
    AttrValue {
        op: &'static str,
        name: &'static str,
        span: Span,
        want: &'static str,
    },
    AttrOnFunction {
        span: Span,
    },
    ConstantForm {
        span: Span,
    },
    ConstructorResult {
        span: Span,
        want: String,
    },
    UnknownKind {
        name: String,
        span: Span,
    },
    UnknownRelation {
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    RelationArity {
        name: String,
        span: Span,
        want: usize,
        found: usize,
        /// Where a written relation has that many arguments.
        first: Option<Span>,
    },
    RelationTermination {
        name: String,
        span: Span,
    },
    /// A `where` clause of something that is not a `def`.
    WherePlace {
        span: Span,
    },
    /// An `if` in a type outside of relations.
    TypeIf {
        span: Span,
    },
    UnknownDimFunction {
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    /// A function of dims lacks what it wants.
    DimFunction {
        span: Span,
        want: String,
    },
    /// A form that the language has but this version cannot check yet.
    NotYet {
        what: &'static str,
        span: Span,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicated {
    Definition,
    Type,
    Constructor,
    Parameter,
    TypeParameter,
    PatternVariable,
    Attribute,
}

fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, span, message)
}

fn misspelt(mut diagnostic: Diagnostic, span: Span, nearest: &Option<String>) -> Diagnostic {
    if let Some(nearest) = nearest {
        diagnostic = diagnostic.fix(format!("replace it by `{nearest}`"), span, nearest.clone());
    }
    diagnostic
}

impl HirError {
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            HirError::UnboundVariable { name, span, nearest } => misspelt(
                error("unbound-variable", *span, format!("no variable `{name}` is in scope here")),
                *span,
                nearest,
            ),
            HirError::UndefinedGlobal { name, span, nearest } => {
                misspelt(error("undefined-global", *span, format!("no `def {name}` is in this file")), *span, nearest)
            }
            HirError::UnknownName { name, span, nearest } => misspelt(
                error("unknown-operator", *span, format!("`{name}` names no operator, constructor or variable")),
                *span,
                nearest,
            ),
            HirError::UnknownConstructor { name, span, nearest } => misspelt(
                error("unknown-constructor", *span, format!("no type has a constructor `{name}`")),
                *span,
                nearest,
            ),
            HirError::UndefinedType { name, span, nearest } => {
                misspelt(error("undefined-type", *span, format!("no type is named `{name}`")), *span, nearest)
            }
            HirError::Duplicate { what, name, span, first } => {
                let (code, noun) = match what {
                    Duplicated::Definition => ("duplicate-definition", "is defined"),
                    Duplicated::Type => ("duplicate-definition", "is declared"),
                    Duplicated::Constructor => ("duplicate-constructor", "is a constructor"),
                    Duplicated::Parameter => ("duplicate-parameter", "is a parameter"),
                    Duplicated::TypeParameter => ("duplicate-parameter", "is a type parameter"),
                    Duplicated::PatternVariable => ("duplicate-parameter", "is bound in this pattern"),
                    Duplicated::Attribute => ("attribute-error", "is given"),
                };
                error(code, *span, format!("`{name}` {noun} twice")).label(*first, "first here")
            }
            HirError::UnknownRelation { name, span, nearest } => {
                misspelt(error("unknown-relation", *span, format!("no relation is named `{name}`")), *span, nearest)
            }
            HirError::RelationArity { name, span, want, found, first } => {
                let message = format!("`{name}` relates {}, found {found}", count(*want, "argument"));
                let code = if found < want { "arity-too-few" } else { "arity-too-many" };
                let error = error(code, *span, message);
                match first {
                    Some(first) => error.label(*first, "its first clause"),
                    None => error,
                }
            }
            HirError::RelationTermination { name, span } => {
                let message = format!("`{name}` may go on for ever: this call passes no proper part of a shape of the head");
                let mut error = error("relation-termination", *span, message);
                error.help = Some("pass `sh[1:]` where the head has `sh`, or `rest` where it has `(n, ..rest)`".to_owned());
                error
            }
            HirError::WherePlace { span } => error("where-needs-def", *span, "only a `def` can have a `where` clause"),
            HirError::TypeIf { span } => {
                error("type-if", *span, "an `if` between types stands in a `relation` only")
            }
            HirError::UnknownDimFunction { name, span, nearest } => {
                let message = format!("no function of dims is named `{name}`");
                misspelt(error("unknown-dim-function", *span, message), *span, nearest)
            }
            HirError::DimFunction { span, want } => error("dim-function", *span, format!("expected {want}")),
            HirError::TypeArguments { name, span, want, found } => {
                let message = format!("`{name}` takes {}, found {found}", count(*want, "type argument"));
                error("type-argument-count", *span, message)
            }
            HirError::WrongKind { span, want, found } => {
                error("wrong-kind", *span, format!("expected a {}, found a {}", kind_words(*want), kind_words(*found)))
            }
            HirError::LiteralRange { span, dtype } => {
                let message = match dtype.int_range() {
                    Some((low, high)) => format!("expected a number from {low} to {high}, as {dtype} holds"),
                    None => format!("this number is too large for {dtype}"),
                };
                error("literal-out-of-range", *span, message)
            }
            HirError::BadLiteral { span } => {
                error("bad-number", *span, "expected a number with a dtype suffix such as `f`, `i64` or `u8`")
            }
            HirError::NegatedTruth { span } => {
                error("type-mismatch", *span, "expected a number behind `-`, found bool")
            }
            HirError::RaggedTensor { span } => {
                error("ragged-tensor", *span, "the rows of a tensor literal must have equal lengths")
            }
            HirError::TensorElement { span } => {
                error("ragged-tensor", *span, "expected a number, since a tensor literal holds numbers only")
            }
            HirError::TensorDtypes { span, first, want, found } => {
                error("dtype-mismatch", *span, format!("expected {want}, found {found}"))
                    .label(*first, format!("the first element is {want}"))
            }
            HirError::UnknownAttr { op, name, span, nearest } => {
                misspelt(error("attribute-error", *span, format!("`{op}` has no attribute `{name}`")), *span, nearest)
            }
            HirError::MissingAttr { op, name, span } => {
                error("attribute-error", *span, format!("`{op}` needs the attribute `{name}`"))
            }
            HirError::AttrValue { op, name, span, want } => {
                error("attribute-error", *span, format!("`{name}` of `{op}` must be {want}"))
            }
            HirError::AttrOnFunction { span } => {
                error("attribute-error", *span, "only operators take attributes; a function takes arguments by place")
            }
            HirError::ConstantForm { span } => error(
                "constant-form",
                *span,
                "expected `Constant(number, (sizes), dtype)`, as `Constant(1, (2, 3), float32)`",
            ),
            HirError::ConstructorResult { span, want } => {
                error("constructor-result", *span, format!("a constructor of `{want}` must result in `{want}`"))
            }
            HirError::UnknownKind { name, span } => error(
                "unknown-kind",
                *span,
                format!("`{name}` is no kind: the kinds are Type, BaseType, Shape and Dim"),
            ),
            HirError::NotYet { what, span } => error("not-yet", *span, format!("{what} cannot be checked yet")),
        }
    }
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Type => "type",
        Kind::BaseType => "dtype",
        Kind::Shape => "shape",
        Kind::Dim => "dim",
    }
}
