//! The kinds of node, each with its children in source order.

/// What a node is. A list of children reads like a grammar: `?` may be missing, `*` any number. Where the text lacks a
/// child that is not optional, an [`Error`](NodeKind::Error) stands in its place, so positions can be relied on.
///
/// *Expr*, *Pat*, *Type*, *Dim* and *Goal* stand for any kind of their group or `Error`; any Dim may stand where a Type
/// does inside brackets and in goals (kinds are checked later), and [`HoleType`](NodeKind::HoleType),
/// [`Meta`](NodeKind::Meta), [`TypeCall`](NodeKind::TypeCall) and [`ShapeLit`](NodeKind::ShapeLit) are both types and
/// dims. A lone name in such a place is a `NameType`, an operand or indexed name a `DimName`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// The root. `(Version | Metadata | Def | TypeDef | ExternType | RelationItem | LetItem | GraphItem | FreeVar |
    /// ExprItem | Error)*`, in TensorScript `(Use | DimItem | TsrItem | Net | Weights | Graph | Error)*`
    File,
    /// Skipped or missing text. No children.
    Error,

    // Items.
    /// `#[version = "0.0.5"]`. No children; own token `String`.
    Version,
    /// The `#[metadata]` section: one token.
    Metadata,
    /// `def @f[A](%x: T) -> R where … { … }`: `TypeParams? ParamList Type? WhereClause? Block`. Own token `Global`.
    Def,
    /// `[A, N: Dim]` or `<A, N: Dim>`: `TypeParam*`.
    TypeParams,
    /// `A` or `N: Dim`. No children; own tokens `Ident` and, after `Colon`, `Ident`.
    TypeParam,
    /// `(%x: T, …, attr=e)`: `(Param | Attr | Error)*`.
    ParamList,
    /// `%x`, `x` or `%x: T`: `Type?`. Own token `Local` or `Ident`.
    Param,
    /// `type T[A] { … }`, `data T<A> { … }`: `TypeParams? (Ctor | Error)*`. Own token `Ident`.
    TypeDef,
    /// `extern type T[A]`: `TypeParams? (Ctor | Error)*` (constructors are an error). Own token `Ident`.
    ExternType,
    /// `Cons(A, List[A])`, `Cons : (A, List[A]) -> List`: `CtorFields? CtorResult?`. Own token `Ident`.
    Ctor,
    /// `(T, …)`: `Type*`.
    CtorFields,
    /// `-> T`: `Type`.
    CtorResult,
    /// `where R(T, …), N = M * 2`: `(WhereRelation | Equation)*`.
    WhereClause,
    /// `relation R(P, …) :- g, … .`, `relation R(P, …).`: `RelationHead Goal*`. One clause of a relation.
    RelationItem,
    /// `R(P, …)`: `(Type | TypeParam)*`, a `TypeParam` where the argument's kind is written. Own token `Ident`.
    RelationHead,
    /// A top-level `let %x: T = e;`: `Type? Expr`. Own token `Local` or `Ident`.
    LetItem,
    /// A top-level `%0 = e;`: `Expr`. Own token `Graph`.
    GraphItem,
    /// A top-level expression: `Expr | Seq`, a `Seq` in refine only.
    ExprItem,

    // Items of TensorScript.
    /// `use a::b::{c, d};`, `use a::b;`: `UseName*`. Own tokens: the words of the path before the names.
    Use,
    /// `c`. One token `Ident`.
    UseName,
    /// `dim N = 28;`, `dim M = N * 2;`: `Expr?`. Own tokens `Ident`, `Int` where there is no expression.
    DimItem,
    /// `tsr T = [?, N];`: `Type`. Own token `Ident`.
    TsrItem,
    /// `node M<T -> U> { … }`: `Signature? (DimItem | TsrItem | Error)*`. Own token `Ident`.
    Net,
    /// `weights M<T -> U> { … }`: `Signature? (Weight | Error)*`. Own token `Ident`.
    Weights,
    /// `graph M<T -> U> { … }`: `Signature? (Method | Error)*`. Own token `Ident`.
    Graph,
    /// `<T -> U>`: `Type Type`.
    Signature,
    /// `w = Linear::<T -> U>::new(in=1, out=2);`: `Signature? ArgList`. Own tokens `Ident`: the name, the layer or
    /// node, the function.
    Weight,
    /// `def f(x: T) -> R { … }`: `ParamList? Type? Block`. Own token `Ident`.
    Method,

    // Blocks and statements.
    /// `{ s; … e }`: statements, then `Expr`.
    Block,
    /// `s; … e` inside parentheses, an argument or an arm: statements, then `Expr`. In refine, `let … in … e`.
    Seq,
    /// `let %x: T = e;`, `let x : T = e in`: `Type? (Expr | Seq)`, a `Seq` in refine only. Own token `Local` or
    /// `Ident`.
    LetStmt,
    /// `%0 = e;`: `Expr`. Own token `Graph`.
    GraphStmt,
    /// `e;`: `Expr`.
    ExprStmt,
    /// `x = e;`, in TensorScript: `Expr`. Own token `Ident`.
    Assign,
    /// `free_var %x: T;`, in a block or at top level: `Type?`. Own token `Local`.
    FreeVar,

    // Goals.
    /// `R(T, attr=e)`: `(Type | Attr)*`. Own token `Ident`.
    WhereRelation,
    /// `a = b`: `Type Type`.
    Equation,
    /// `true`, `True`. No children; one token.
    GoalTrue,
    /// `if (c) { g, … } else { g, … }`: `Condition GoalBlock (GoalBlock | GoalIf)?`, a `GoalIf` for `else if`.
    GoalIf,
    /// `{ g, … }`: `Goal*`.
    GoalBlock,
    /// `a < b`, of an `if` between goals or dims and without its parentheses: `Type Type`. Own token: the comparison.
    Condition,

    // Expressions.
    /// `1`, `1f`, `True`, `"s"`. No children; one token.
    Literal,
    /// `%x`, in refine `x`.
    LocalRef,
    /// `%0`.
    GraphRef,
    /// `@f`.
    GlobalRef,
    /// `Cons`, `x`, `nn.conv2d`, `float32`. No children; its words and dots.
    NameRef,
    /// `_`.
    Hole,
    /// `(e)`: `Expr | Seq`.
    Paren,
    /// `()`, `(e,)`, `(a, b)`: `(Expr | Seq)*`.
    Tuple,
    /// `[a, b]`: `Expr*`.
    ListLit,
    /// `` `Name(a, b) ``, in refine `Name a b`: `Expr*`. Own token `Ident`.
    Variant,
    /// `meta[K][i]`. No children; own tokens: words, dots and `Int`.
    Meta,
    /// `fn[A](%x: T) -> R where … { … }`: `TypeParams? ParamList Type? WhereClause? Block`.
    Fn,
    /// `if (e) { … } else { … }`: `Expr Block (Block | If)`.
    If,
    /// `match (e) { … }`, `match? …`, in refine `match e with …`: `Expr (Arm | Error)*`, the first a `Seq` in refine
    /// only. Own token `Question` if partial.
    Match,
    /// `case P { … }`, `P => e`, in refine `| P -> e`: `Pat (Expr | Seq | Block)`.
    Arm,
    /// `ref(e)`: `Expr`. Here and in the next two, more than that follow only after an error.
    RefNew,
    /// `ref_read(e)`: `Expr`.
    RefReadCall,
    /// `ref_write(r, e)`: `Expr Expr`.
    RefWriteCall,
    /// `f<T>(a, b, attr=e)`: `Expr TypeArgs? ArgList`.
    Call,
    /// `<T, …>`: `Type*`.
    TypeArgs,
    /// `(a, b, attr=e)`: `(Expr | Seq | Attr)*`.
    ArgList,
    /// `name=e`, `dotted.name=e`: `Expr`. Own tokens: words and dots, then `Eq`.
    Attr,
    /// `self.f(a)`, `self.f`, in TensorScript: `Expr ArgList?`. Own token `Ident`.
    Field,
    /// `e.0`: `Expr`. Own token `Int`, unless it is missing.
    Project,
    /// `-e`: `Expr`.
    Unary,
    /// `!e`: `Expr`.
    RefRead,
    /// `a + b`: `Expr Expr`. Own token: the operator.
    Binary,
    /// `a := b`: `Expr Expr`.
    RefWrite,
    /// `a |> b`: `Expr Expr`.
    Pipe,

    // Patterns.
    /// `_`.
    WildPat,
    /// `%x`, `%x: T`, in refine `x`: `Type?`. Own token `Local`.
    VarPat,
    /// `Nil`, or a variable without a sigil. One token `Ident`.
    NamePat,
    /// `Cons(p, q)`: `Pat*`. Own token `Ident`.
    CtorPat,
    /// `()`, `(p,)`, `(p, q)`: `Pat*`.
    TuplePat,
    /// `1`, `-1`, `True`. No children; an optional `Minus` and the literal.
    LitPat,
    /// `p | q | r`: `Pat Pat+`.
    OrPat,
    /// `p as %x`, in refine `p as x`: `Pat`. Own token `Local`, or `Ident` where it has no sigil.
    AsPat,
    /// `` `Name(p, q) ``, in refine `Name p q`: `Pat*`. Own token `Ident`. Parentheses around a pattern are own tokens
    /// of the node around it.
    VariantPat,

    // Types.
    /// `_`.
    HoleType,
    /// `Tensor[shape, dtype]`: `Type Type`, the first often a `ShapeLit`.
    TensorType,
    /// `(d, …)` as a shape: `(Dim | Splice)*`.
    ShapeLit,
    /// `()`, `(T,)`, `(T, U)`: `(Type | Splice)*`.
    TupleType,
    /// `(T)`: `Type`.
    ParenType,
    /// `fn[A](T, U) -> R where …`: `TypeParams? Type* Type WhereClause?`; the last Type is the result.
    FnType,
    /// `ref(T)`: `Type`.
    RefType,
    /// `` [`A, `B(T) | r] ``, in refine `[A, B [C]]`: `(VariantType | Error)* RowRest?`.
    SumType,
    /// `` `Name(T, U) ``, in refine `Name [A] [B]`: `Type*`. Own token `Ident`.
    VariantType,
    /// `| r`: `Type`.
    RowRest,
    /// `int32`, `A`, `Numbers`. One token `Ident`.
    NameType,
    /// `List[T]`, `Numbers[]`: `Type*`. Own token `Ident`. (`Numbers[3]` is an `Index`.)
    TypeCall,

    // Dims.
    /// `3`. One token `Int`.
    DimNum,
    /// `?`.
    DimAny,
    /// `N`. One token `Ident`.
    DimName,
    /// `N * 2`: `Dim Dim`. Own token: the operator.
    DimBinary,
    /// `floordiv(a, b)`, `prod((N, ..sh))`: `Dim*`, of shapes too. Own token `Ident`.
    DimCall,
    /// `..sh`: `Dim`.
    Splice,
    /// `sh[0]`: `Dim Bound`.
    Index,
    /// `sh[1:-1]`: `Dim Bound Bound`.
    Slice,
    /// A number in an index or slice; nothing where a slice leaves it out. No children; own tokens `Minus? Int?`.
    Bound,
    /// `if (c) { e } else { e }`, a type or dim: `Condition Type Type`, the last a `DimIf` for `else if`.
    DimIf,
}
