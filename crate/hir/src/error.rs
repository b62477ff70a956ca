//! What can be wrong with names and forms.

use crate::layer_fault::LayerFault;
use base::{Diagnostic, Edit, Fix, Join, Span, ToList, count};
use std::borrow::Cow;
use ty::{Dtype, Kind};

/// The value of an attribute is written out in a title if it has at most this many bytes.
const MAX_SHOWN: usize = 24;

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
        /// What stands in its place.
        kind: Kind,
        nearest: Option<String>,
        /// Where a type parameter of this name can be declared, and how.
        declared: Option<(Span, String)>,
    },
    Duplicate {
        what: Duplicated,
        name: String,
        span: Span,
        first: Span,
    },
    /// A variable that not every alternative of an or-pattern binds.
    OrPatternVariable {
        name: String,
        bound: Span,
        lacking: Span,
    },
    /// `float32[2, 3]`, with the tensor type that it is here.
    DtypeArguments {
        span: Span,
        dtype: Dtype,
        tensor: String,
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
    /// A type parameter or a relation's argument is of the kind that is said of it or, if none is, a type.
    ParamKind {
        span: Span,
        want: Kind,
        found: Kind,
        name: String,
        /// Where the name is declared, and its kind said.
        at: Span,
    },
    /// A declared type that has the name of one of the language's.
    BuiltInType {
        name: String,
        span: Span,
    },
    /// A dim whose value is negative, or which is too large to be computed with.
    DimRange {
        span: Span,
        negative: Option<i64>,
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
    /// Attributes that stand without their names, or operands with theirs.
    Misplaced {
        op: &'static str,
        parts: Vec<Misplaced>,
        span: Span,
        /// "name" or "place".
        by: &'static str,
    },
    AttrValue {
        op: &'static str,
        name: &'static str,
        span: Span,
        want: Cow<'static, str>,
        /// The string that is meant: text that misses its quotes, or the word that is near.
        meant: Option<String>,
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
    /// `sum(%x) / N` where `N` is a parameter of types.
    TypeParamAsValue {
        name: String,
        kind: Kind,
        span: Span,
    },
    /// `x` where only `%x` is in scope.
    MissingSigil {
        name: String,
        span: Span,
    },
    StringExpression {
        span: Span,
    },
    /// `[]`, `[[], []]`: with its shape.
    EmptyTensor {
        shape: Vec<usize>,
        span: Span,
    },
    MetadataSyntax {
        span: Span,
        words: &'static str,
    },
    /// `text` is the reference.
    MetaReference {
        text: String,
        span: Span,
        fault: MetaFault,
    },
    /// The tensor at that place of the metadata section; `bytes` is where it is written there.
    MetaArray {
        span: Span,
        place: usize,
        bytes: Option<Span>,
        fault: ArrayFault,
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
    /// A layer or node that is none.
    UnknownLayer {
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    /// `self.foo()`, of a node without such a function.
    NoMember {
        node: String,
        what: &'static str,
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    /// A node where a value or a layer should be, and a weight that is one.
    NodeAsValue {
        name: String,
        span: Span,
        weight: Option<String>,
    },
    /// `use conv::{Convolution};`
    UnknownImport {
        name: String,
        /// The module, if there is one of that name.
        from: Option<String>,
        span: Span,
        nearest: Option<String>,
    },
    /// A layer that no `use` names.
    NotImported {
        name: String,
        span: Span,
        /// The line that is missing, and where it belongs.
        import: String,
        at: Span,
    },
    UnknownArgument {
        callee: String,
        name: String,
        span: Span,
        nearest: Option<String>,
    },
    /// An argument under a name of PyTorch's, or under none.
    ForeignArgument {
        callee: String,
        /// The names of PyTorch and here; what has none is called here so.
        name: Option<String>,
        own: &'static str,
        span: Span,
        /// What gives all such arguments of one layer their names.
        names: Vec<Edit>,
    },
    /// A `weights` or `graph` whose node there is not.
    UnknownNode {
        name: String,
        span: Span,
        nearest: Option<String>,
        /// Where the node may be declared, and how.
        declared: Option<(Span, String)>,
    },
    /// A parameter of `forward` that the node's type does not have.
    ForwardParameter {
        name: String,
        span: Span,
        first: Span,
    },
    /// An argument of a layer, or what it is applied to, does not fit.
    LayerArgument {
        span: Span,
        fault: LayerFault,
    },
    /// A layer lacks an argument. If that is an axis, `dim` says where one may be written.
    MissingArgument {
        callee: String,
        name: &'static str,
        span: Span,
        dim: Option<MissingDim>,
    },
    /// `self` among the parameters of a method; what goes with it.
    SelfParameter {
        span: Span,
        gone: Span,
    },
    /// `node`, `weights` and `graph` of one name, or its `forward`, say different types.
    NetSignature {
        name: String,
        span: Span,
        first: Span,
        text: String,
    },
    /// A function of a node that applies itself.
    EndlessMethod {
        name: String,
        span: Span,
    },
    /// A node that holds itself.
    EndlessNet {
        name: String,
        span: Span,
    },
    /// A dim that is computed from itself.
    EndlessDim {
        name: String,
        span: Span,
    },
    /// A shape whose names go round, or that has too many dims.
    EndlessShape {
        span: Span,
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

/// Why a reference into the metadata section finds nothing that can stand where it does.
#[derive(Clone, Debug, PartialEq)]
pub enum MetaFault {
    Form,
    NoSection,
    NoKey {
        key: String,
        at: Span,
        nearest: Option<String>,
    },
    Index {
        n_nodes: usize,
        section: Span,
    },
    /// It stands for all attributes of a call.
    AttrRecord,
    Unreadable {
        want: &'static str,
    },
}

/// Why the bytes of a tensor in the metadata section are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayFault {
    Missing,
    NotBase64,
    Magic,
    CutShort,
    Dtype { code: u8, bits: u8, lanes: u16 },
    Shape,
    Length { want: usize, found: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicated {
    Definition,
    Type,
    Constructor,
    Parameter,
    TypeParameter,
    PatternVariable,
    Variant,
    Attribute,
    Weight,
}

fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, span, message)
}

fn misspelt(mut diagnostic: Diagnostic, span: Span, nearest: &Option<String>) -> Diagnostic {
    if let Some(nearest) = nearest {
        let is_variant = nearest.starts_with('`');
        let title =
            if is_variant { "write a backtick before it".to_owned() } else { format!("replace it by `{nearest}`") };
        diagnostic = diagnostic.fix(title, span, nearest.clone());
    }
    diagnostic
}

/// An attribute without its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Misplaced {
    pub name: String,
    pub span: Span,
    pub text: String,
}

/// The names of more attributes than this are no sentence.
const MAX_TOLD: u32 = 6;

/// What an operator takes, if that can be said in a sentence.
fn attributes(op: &str) -> String {
    let mut all = String::new();
    let mut n = 0;
    for spec in op::by_name(op).map_or(&[][..], |op| op.row().attrs) {
        if !matches!(spec.form, op::AttrForm::Argument(_)) {
            all += if n == 0 { ": it takes `" } else { "`, `" };
            all += spec.name;
            n += 1;
        }
    }
    match n {
        0 => ": it takes none".to_owned(),
        1..=MAX_TOLD => all + "`",
        _ => String::new(),
    }
}

/// `sum(%x, 1)` for `sum(%x, axis=1)`.
fn misplaced(op: &str, parts: &[Misplaced], by: &str, span: Span) -> Diagnostic {
    let names = base::listed(&parts.iter().map(|part| format!("`{}`", part.name)).list(), "and");
    let written = |part: &Misplaced| match part.text.len() > MAX_SHOWN || base::has(&part.text, b'\n') {
        true => format!("`{}=`", part.name),
        false => format!("`{}`", part.text),
    };
    let title = format!("write {}", base::listed(&parts.iter().map(written).list(), "and"));
    let edits = parts.iter().map(|part| Edit { span: part.span, text: part.text.clone() }).list();
    let mut diagnostic = Diagnostic::error("attribute-error", span, format!("`{op}` takes {names} by {by}"));
    diagnostic.help = Some(title.clone());
    diagnostic.fixes.push(Fix { title, edits });
    diagnostic
}

/// Where the axis of a layer may be written that lacks one: behind its name, or inside its empty parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingDim {
    pub at: u32,
    pub before: &'static str,
    pub behind: &'static str,
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
            HirError::UnknownName { name, span, nearest } => {
                let message = format!("`{name}` names no operator, constructor or variable");
                let help = op::made_of(name).map(str::to_owned);
                misspelt(Diagnostic { help, ..error("unknown-operator", *span, message) }, *span, nearest)
            }
            HirError::UnknownConstructor { name, span, nearest } => misspelt(
                error("unknown-constructor", *span, format!("no type has a constructor `{name}`")),
                *span,
                nearest,
            ),
            HirError::UndefinedType { name, span, .. } if name == "Tensor" => {
                let message = "a tensor's type says its shape and its dtype: `Tensor[(2, 3), float32]`";
                error("undefined-type", *span, message).fix("write `Tensor[_, _]`", *span, "Tensor[_, _]")
            }
            HirError::UndefinedType { name, span, .. } if Dtype::is_vector(name) => {
                let message = format!("an element of a tensor is one number, found a vector of them, `{name}`");
                error("undefined-type", *span, message)
            }
            HirError::UndefinedType { name, span, kind, nearest, declared } => {
                let message = format!("no {} is named `{name}`", kind_words(*kind));
                let undefined = misspelt(error("undefined-type", *span, message), *span, nearest);
                match declared {
                    Some((at, text)) => {
                        undefined.fix(format!("declare `{}`", text.strip_prefix(", ").unwrap_or(text)), *at, text)
                    }
                    None => undefined,
                }
            }
            HirError::Duplicate { what, name, span, first } => {
                let (code, noun) = match what {
                    Duplicated::Definition => ("duplicate-definition", "is defined"),
                    Duplicated::Type => ("duplicate-definition", "is declared"),
                    Duplicated::Constructor => ("duplicate-constructor", "is a constructor"),
                    Duplicated::Parameter => ("duplicate-parameter", "is a parameter"),
                    Duplicated::TypeParameter => ("duplicate-parameter", "is a type parameter"),
                    Duplicated::PatternVariable => ("duplicate-parameter", "is bound in this pattern"),
                    Duplicated::Variant => ("duplicate-constructor", "is a variant of this sum"),
                    Duplicated::Attribute => ("attribute-error", "is given"),
                    Duplicated::Weight => ("duplicate-definition", "is a weight"),
                };
                error(code, *span, format!("`{name}` {noun} twice")).label(*first, "first here")
            }
            HirError::BuiltInType { name, span } => {
                error("duplicate-definition", *span, format!("`{name}` is a type of the language, and stays one"))
            }
            HirError::OrPatternVariable { name, bound, lacking } => {
                let message = format!("expected every alternative to bind `{name}`, found one that does not");
                error("or-pattern-variables", *lacking, message).label(*bound, "bound here")
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
            HirError::UnknownLayer { name, span, nearest } => {
                misspelt(error("unknown-layer", *span, format!("no layer or node is named `{name}`")), *span, nearest)
            }
            HirError::NoMember { node, what, name, span, nearest } => {
                let message = format!("the node `{node}` has no {what} `{name}`");
                misspelt(error("unbound-variable", *span, message), *span, nearest)
            }
            HirError::NodeAsValue { name, span, weight } => {
                let made = match weight {
                    Some(weight) => format!("pipe into `{weight}`, which is one"),
                    None => {
                        let weight = name.to_ascii_lowercase();
                        format!("make one in `weights`, as `{weight} = {name}::new();`, and pipe into that")
                    }
                };
                misspelt(error("layer-argument", *span, format!("`{name}` is a node: {made}")), *span, weight)
            }
            HirError::UnknownImport { name, from, span, nearest } => {
                let message = match from {
                    Some(from) => format!("`{from}` has no layer `{name}`"),
                    None => format!("no module is named `{name}`"),
                };
                misspelt(error("unknown-import", *span, message), *span, nearest)
            }
            HirError::NotImported { name, span, import, at } => {
                let title = format!("write `{}`", import.trim_ascii_end());
                error("not-imported", *span, format!("no `use` names `{name}`")).fix(title, *at, import.clone())
            }
            HirError::UnknownArgument { callee, name, span, nearest } => {
                let message = format!("`{callee}` has no argument `{name}`");
                misspelt(error("layer-argument", *span, message), *span, nearest)
            }
            HirError::ForeignArgument { callee, name, own, span, names } => {
                let message = match name {
                    Some(name) => format!("`{callee}` has no argument `{name}`: it is called `{own}` here"),
                    None => format!("expected an argument by its name, `{own}=…`"),
                };
                let mut error = error("layer-argument", *span, message);
                if !names.is_empty() {
                    let words = names.iter().filter(|edit| edit.text != ")");
                    let word =
                        |edit: &Edit| format!("`{}{}`", edit.text, if edit.text.ends_with('(') { "…)" } else { "" });
                    let words: Vec<String> = words.map(word).list();
                    error.fixes.push(Fix { title: format!("write {}", words.joined(", ")), edits: names.clone() });
                }
                error
            }
            HirError::UnknownNode { name, span, nearest, declared } => {
                let message = format!("no node is named `{name}`");
                let unknown = misspelt(error("unknown-node", *span, message), *span, nearest);
                match declared {
                    Some((at, text)) => unknown.fix(format!("write `{}`", text.trim_ascii_end()), *at, text.clone()),
                    None => unknown,
                }
            }
            HirError::ForwardParameter { name, span, first } => {
                let message = format!("`forward` takes one value, as the type of `{name}` says, and this is another");
                error("node-signature", *span, message).label(*first, "what it takes")
            }
            HirError::LayerArgument { span, fault } => {
                let error = error("layer-argument", *span, fault.to_string());
                if matches!(fault, LayerFault::NoViewSize { is_found: true }) {
                    return error.fix("write `_`", *span, "_");
                }
                match fault.other_place() {
                    Some(at) => error.label(at, "here"),
                    None => error,
                }
            }
            HirError::MissingArgument { callee, name, span, dim } => {
                let said = error("layer-argument", *span, format!("`{callee}` lacks its argument `{name}`"));
                let Some(MissingDim { at, before, behind }) = dim else { return said };
                [1, -1].into_iter().fold(said, |said, dim| {
                    let title = format!("write `{name}={dim}`");
                    said.fix(title, Span::new(*at, *at), format!("{before}{name}={dim}{behind}"))
                })
            }
            HirError::SelfParameter { span, gone } => {
                let message = "`self` is no parameter: every method has it already";
                error("layer-argument", *span, message).fix("take `self` out", *gone, "")
            }
            HirError::NetSignature { name, span, first, text } => {
                let message = format!("`{name}` has another type elsewhere");
                let error = error("node-signature", *span, message).label(*first, "as it is written here");
                error.fix(format!("write `{text}`"), *span, text.clone())
            }
            HirError::EndlessMethod { name, span } => {
                error("endless-node", *span, format!("`{name}` applies itself, which has no end"))
            }
            HirError::EndlessNet { name, span } => {
                error("endless-node", *span, format!("`{name}` holds the node that it is part of, which has no end"))
            }
            HirError::EndlessDim { name, span } => {
                error("endless-shape", *span, format!("the dim `{name}` is computed from itself"))
            }
            HirError::EndlessShape { span } => {
                error("endless-shape", *span, "this shape has no end, or more dims than any tensor")
            }
            HirError::RelationTermination { name, span } => {
                let message =
                    format!("`{name}` may go on for ever: this call passes no proper part of a shape of the head");
                let mut error = error("relation-termination", *span, message);
                error.help =
                    Some("pass `sh[1:]` where the head has `sh`, or `rest` where it has `(n, ..rest)`".to_owned());
                error
            }
            HirError::WherePlace { span } => error("where-needs-def", *span, "only a `def` can have a `where` clause"),
            HirError::TypeIf { span } => error("type-if", *span, "an `if` between types stands in a `relation` only"),
            HirError::UnknownDimFunction { name, span, nearest } => {
                let message = format!("no function of dims is named `{name}`");
                misspelt(error("unknown-dim-function", *span, message), *span, nearest)
            }
            HirError::DimFunction { span, want } => error("dim-function", *span, format!("expected {want}")),
            HirError::DtypeArguments { span, dtype, tensor } => {
                let message = format!("`{dtype}` takes no type arguments: a tensor's type is one such as `{tensor}`");
                error("type-argument-count", *span, message).fix(format!("write `{tensor}`"), *span, tensor.clone())
            }
            HirError::TypeArguments { name, span, want, found } => {
                let message = format!("`{name}` takes {}, found {found}", count(*want, "type argument"));
                error("type-argument-count", *span, message)
            }
            HirError::WrongKind { span, want, found } => {
                error("wrong-kind", *span, format!("expected a {}, found a {}", kind_words(*want), kind_words(*found)))
            }
            HirError::ParamKind { span, want, found, name, at } => {
                let message = format!("expected a {}, found a {}", kind_words(*want), kind_words(*found));
                let is_said = at.len() as usize > name.len();
                let said = format!("{name}: {}", if *want == Kind::Type && !is_said { found } else { want }.name());
                let why =
                    if is_said { "its kind is said here" } else { "nothing says the kind of this, so it is a type" };
                error("wrong-kind", *span, message).label(*at, why).fix(format!("write `{said}`"), *at, said)
            }
            HirError::LiteralRange { span, dtype } => {
                let message = match dtype.int_range() {
                    Some((low, high)) => {
                        format!("expected an integer from {} to {}, as {dtype} holds", low as i64, high as u64)
                    }
                    None => format!("this number is too large for {dtype}"),
                };
                error("literal-out-of-range", *span, message)
            }
            HirError::DimRange { span, negative } => {
                let message = match negative {
                    Some(number) => format!("a dim is at least 0, and this is {number}"),
                    None => "this dim has too many terms, or a factor that int64 does not hold".to_owned(),
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
                let mut message = format!("`{op}` has no attribute `{name}`");
                if nearest.is_none() {
                    message += &attributes(op);
                }
                misspelt(error("attribute-error", *span, message), *span, nearest)
            }
            HirError::MissingAttr { op, name, span } => {
                error("attribute-error", *span, format!("`{op}` needs the attribute `{name}`"))
            }
            HirError::Misplaced { op, parts, span, by } => misplaced(op, parts, by, *span),
            HirError::AttrValue { op, name, span, want, meant } => {
                let error = error("attribute-error", *span, format!("`{name}` of `{op}` must be {want}"));
                match meant {
                    Some(word) => error.fix(format!("write `\"{word}\"`"), *span, format!("\"{word}\"")),
                    None => error,
                }
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
                format!("`{name}` is no kind: the kinds are Type, BaseType, Shape, Dim and Row"),
            ),
            HirError::TypeParamAsValue { name, kind, span } => {
                let mut error =
                    error("unknown-operator", *span, format!("`{name}` is a parameter of types, and no value"));
                if *kind == Kind::Dim {
                    error.help = Some("`shape_of` gives the sizes of a tensor as values".to_owned());
                }
                error
            }
            HirError::MissingSigil { name, span } => {
                let message = format!("`{name}` names no operator or constructor, and the variable is `%{name}`");
                error("unknown-operator", *span, message).fix(format!("write `%{name}`"), *span, format!("%{name}"))
            }
            HirError::StringExpression { span } => error(
                "string-expression",
                *span,
                "a string is no value: it may stand only behind an attribute's `=`, as in `cast(1, dtype=\"int8\")`",
            ),
            HirError::EmptyTensor { shape, span } => {
                let zeros = format!("zeros(shape={}, dtype=\"float32\")", base::bracketed(shape));
                error("empty-tensor", *span, "a tensor literal without a number says nothing of its dtype").fix(
                    format!("replace it by `{zeros}`"),
                    *span,
                    zeros,
                )
            }
            HirError::MetadataSyntax { span, words } => {
                error("bad-metadata", *span, format!("the metadata section is no JSON: {words}"))
            }
            HirError::MetaReference { text, span, fault } => meta_reference(text, *span, fault),
            HirError::MetaArray { span, place, bytes, fault } => {
                let error =
                    error("bad-metadata", *span, format!("tensor {place} of the metadata {}", array_fault(*fault)));
                if let Some(bytes) = bytes { error.label(*bytes, "its bytes") } else { error }
            }
            HirError::NotYet { what, span } => error("not-yet", *span, format!("{what} cannot be checked yet")),
        }
    }
}

fn meta_reference(text: &str, span: Span, fault: &MetaFault) -> Diagnostic {
    let error = |message: String| error("meta-reference", span, message);
    match fault {
        MetaFault::Form => error("expected `meta[Key][index]`, as `meta[relay.Constant][0]`".to_owned()),
        MetaFault::NoSection => error(format!("`{text}` stands in a metadata section, and this text has none")),
        MetaFault::NoKey { key, at, nearest } => {
            misspelt(error(format!("the metadata section has no `{key}`")), *at, nearest)
        }
        MetaFault::Index { n_nodes, section } => {
            error(format!("`{text}` is out of bounds: the metadata section has {n_nodes} of these"))
                .label(*section, "the section")
        }
        MetaFault::AttrRecord => error(format!("`{text}` holds attributes; write them by name")),
        MetaFault::Unreadable { want } => error(format!("expected {want}, found `{text}`")),
    }
}

fn array_fault(fault: ArrayFault) -> String {
    match fault {
        ArrayFault::Missing => "is not there".to_owned(),
        ArrayFault::NotBase64 => "is not written in base64".to_owned(),
        ArrayFault::Magic => "does not begin as a tensor does".to_owned(),
        ArrayFault::CutShort => "is cut short".to_owned(),
        ArrayFault::Dtype { code, bits, lanes } => {
            format!("has a dtype that is none of Relay's: code {code}, {bits} bits, {}", count(lanes as usize, "lane"))
        }
        ArrayFault::Shape => "has a shape that no tensor has".to_owned(),
        ArrayFault::Length { want, found } => format!("must have {}, found {found}", count(want, "byte")),
    }
}

fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Type => "type",
        Kind::BaseType => "dtype",
        Kind::Row => "row",
        Kind::Shape => "shape",
        Kind::Dim => "dim",
    }
}
