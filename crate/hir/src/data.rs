//! The program as arenas.

use base::{HashMap, IndexVec, Layered, Span, Surface, ToList, idx};
use op::OpId;
use std::sync::Arc;
use ty::{
    AdtId, Attrs, Comparison, Dtype, Function as DimFunction, Kind, ParamId, RelationRef, Scalar, Tensor, VariantId,
    WrittenRelations,
};

idx!(
    /// An expression.
    ExprId,
    "e"
);
idx!(
    /// A pattern.
    PatId,
    "q"
);
idx!(
    /// A written type, shape, dim or dtype.
    TypeExprId,
    "y"
);
idx!(
    /// A variable: parameter, `let`, pattern variable.
    LocalId,
    "v"
);
idx!(
    /// Anything with a body: a `def`, a `fn`, and each top-level `let` or expression.
    FnId,
    "f"
);
idx!(
    /// A `def`.
    DefId,
    "g"
);
idx!(
    /// A constructor of a data type.
    CtorId,
    "c"
);

/// A file's program, on top of its library's: arenas of its nodes, which name each other by id, and what stands beside
/// them.
#[derive(Debug, Default)]
pub struct Module {
    pub adts: Layered<AdtId, Adt>,
    pub ctors: Layered<CtorId, Ctor>,
    pub type_params: Layered<ParamId, TypeParam>,
    pub defs: Layered<DefId, Def>,
    pub functions: Layered<FnId, Function>,
    pub locals: Layered<LocalId, Local>,
    /// The names of variables, one behind the other.
    pub local_names: String,
    pub exprs: Layered<ExprId, Expr>,
    pub pats: Layered<PatId, Pat>,
    pub type_exprs: Layered<TypeExprId, TypeExpr>,
    /// The names of anonymous variants, in order.
    pub variants: IndexVec<VariantId, String>,
    /// In source order.
    pub items: Vec<Item>,
    /// What a TensorScript file declares, and where it applies layers, in evaluation order within each function.
    pub nets: Vec<crate::net::Net>,
    pub stages: Vec<crate::net::Stage>,
    /// Names of layers that a `use` lists, and that nothing is.
    pub unused_imports: Vec<Span>,
    /// The bodies in evaluation order; each function's stand in [`Function::visits`].
    pub visits: Vec<Visit>,
    /// `_` where an expression stands.
    pub holes: Vec<Hole>,
    /// The relations that the file writes, and where each was named first.
    pub relations: Arc<WrittenRelations>,
    pub relation_spans: Vec<Span>,
    /// What the text is written in, and its types and values are printed in.
    pub surface: Surface,
    /// Whether a type of the program may hold a `?`: the text mentions one, or an operator whose sizes are values.
    pub has_any: bool,
    /// Where the file begins: ids below these are a library's, with spans in its own text.
    pub start: Start,
    /// What the library names.
    pub library_names: Arc<LibraryNames>,
}

/// What a file may use of its library by name.
#[derive(Debug, Default)]
pub struct LibraryNames {
    pub adts: HashMap<String, AdtId>,
    pub ctors: HashMap<String, CtorId>,
    pub defs: HashMap<String, DefId>,
}

/// The first ids of a file above a library.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    pub adts: usize,
    pub ctors: usize,
    pub type_params: usize,
    pub defs: usize,
    pub functions: usize,
    pub locals: usize,
    pub exprs: usize,
    pub pats: usize,
    pub type_exprs: usize,
    pub visits: usize,
}

impl Module {
    /// A variable's name, with its sigil where it was written with one: `%x`.
    pub fn local_name(&self, local: LocalId) -> &str {
        &self.local_names[self.locals[local].name.range()]
    }

    /// What a sentence calls an operator: in TensorScript the sign that it is written as, unless it is a part of a layer.
    pub fn operator_name(&self, op: OpId) -> &'static str {
        let row = op.row();
        match self.surface {
            Surface::TensorScript => row.infix.unwrap_or(row.name.strip_prefix("nn.").unwrap_or(row.name)),
            Surface::Relay | Surface::Refine => row.name,
        }
    }

    /// Keeps the name of a new variable.
    pub fn add_local_name(&mut self, name: &str) -> Span {
        let start = self.local_names.len() as u32;
        self.local_names.push_str(name);
        Span::new(start, self.local_names.len() as u32)
    }

    /// An empty file's module on top of a library.
    pub fn above(library: &Module) -> Module {
        Module {
            adts: library.adts.above(),
            ctors: library.ctors.above(),
            type_params: library.type_params.above(),
            defs: library.defs.above(),
            functions: library.functions.above(),
            locals: library.locals.above(),
            local_names: library.local_names.clone(),
            exprs: library.exprs.above(),
            pats: library.pats.above(),
            type_exprs: library.type_exprs.above(),
            variants: library.variants.clone(),
            visits: library.visits.clone(),
            start: library.start,
            library_names: library.library_names.clone(),
            ..Module::default()
        }
    }

    /// The module as the ground for other files' ones: everything in it is the library's, and shared.
    pub fn into_library(mut self) -> Module {
        self.items.clear();
        self.holes.clear();
        self.has_any = false;
        self.relations = Arc::default();
        self.relation_spans.clear();
        self.start = Start {
            adts: self.adts.len(),
            ctors: self.ctors.len(),
            type_params: self.type_params.len(),
            defs: self.defs.len(),
            functions: self.functions.len(),
            locals: self.locals.len(),
            exprs: self.exprs.len(),
            pats: self.pats.len(),
            type_exprs: self.type_exprs.len(),
            visits: self.visits.len(),
        };
        self.library_names = Arc::new(LibraryNames {
            adts: self.adts.iter_enumerated().map(|(id, adt)| (adt.name.clone(), id)).collect(),
            ctors: self.ctors.iter_enumerated().map(|(id, ctor)| (ctor.name.clone(), id)).collect(),
            defs: self.defs.iter_enumerated().map(|(id, def)| (def.name.clone(), id)).collect(),
        });
        self.adts.share();
        self.ctors.share();
        self.type_params.share();
        self.defs.share();
        self.functions.share();
        self.locals.share();
        self.exprs.share();
        self.pats.share();
        self.type_exprs.share();
        self
    }
}

impl Module {
    /// Gives the variants ids in the order of their names, so that whoever sorts ids sorts names.
    pub(crate) fn sort_variants(&mut self) {
        let mut order: Vec<(String, VariantId)> =
            self.variants.iter_enumerated().map(|(id, name)| (name.clone(), id)).list();
        base::sort(&mut order);
        let mut new = IndexVec::filled(VariantId::numbered(0), order.len());
        for (place, (name, old)) in order.into_iter().enumerate() {
            let id = VariantId::numbered(place as u32);
            new[old] = id;
            self.variants[id] = name;
        }
        for expr in self.exprs.own_mut() {
            if let ExprKind::Variant(name, _) = &mut expr.kind {
                *name = new[*name];
            }
        }
        for pat in self.pats.own_mut() {
            if let PatKind::Variant(name, _) = &mut pat.kind {
                *name = new[*name];
            }
        }
        for type_expr in self.type_exprs.own_mut() {
            if let TypeExprKind::Sum { variants, .. } = &mut type_expr.kind {
                variants.iter_mut().for_each(|(name, _)| *name = new[*name]);
            }
        }
    }
}

/// A data type: `type List[A] { Nil, Cons(A, List[A]) }`. A node of TensorScript is one too.
#[derive(Clone, Debug)]
pub struct Adt {
    pub name: String,
    pub name_span: Span,
    pub params: Vec<ParamId>,
    pub ctors: Vec<CtorId>,
    /// `extern type`: nothing is known of its values.
    pub is_extern: bool,
}

/// A constructor: `Cons(A, List[A])`.
#[derive(Clone, Debug)]
pub struct Ctor {
    pub name: String,
    pub name_span: Span,
    pub adt: AdtId,
    pub fields: Vec<TypeExprId>,
    /// Where its data type stands as its result: `Cons : (A, List[A]) -> List`.
    pub result_span: Option<Span>,
}

/// A type parameter: `A`, `N: Dim`.
#[derive(Clone, Debug)]
pub struct TypeParam {
    pub name: String,
    pub kind: Kind,
    pub span: Span,
}

/// A definition: `def @f(%x) { … }`, in TensorScript a function of a graph.
#[derive(Clone, Debug)]
pub struct Def {
    /// With its sigil: `@f`.
    pub name: String,
    pub name_span: Span,
    pub function: FnId,
}

/// A body with its parameters. Top-level `let`s and expressions are functions without any.
#[derive(Clone, Debug)]
pub struct Function {
    pub span: Span,
    pub type_params: Vec<ParamId>,
    pub params: Vec<LocalId>,
    pub result: Option<TypeExprId>,
    /// The written `where` clause.
    pub wheres: Vec<Where>,
    /// Whether the clause says more, which has not been understood.
    pub has_lost_wheres: bool,
    pub body: ExprId,
    /// The range of [`Module::visits`] that holds the body, nested functions included.
    pub visits: std::ops::Range<usize>,
    /// How many variables of its own a call needs room for.
    pub n_locals: u32,
    /// Variables of enclosing functions, in the order of `Place::Captured`, each with its place in the function just
    /// around.
    pub captures: Vec<(LocalId, Place)>,
    /// The `def`s and top-level `let`s that the body mentions.
    pub uses_defs: Vec<DefId>,
    pub uses_lets: Vec<LocalId>,
    /// For `let %f = fn …`: the variable under which the function knows itself, and where among its own.
    pub self_local: Option<(LocalId, u32)>,
}

impl Function {
    /// Whether its clause has a mistake, so that nobody knows what the body may take as true.
    pub fn has_broken_where(&self) -> bool {
        self.has_lost_wheres || self.wheres.iter().any(Where::is_broken)
    }
}

/// One relation of a written `where` clause: assumed in the body, owed at each call.
#[derive(Clone, Debug)]
pub struct Where {
    /// `None`: the two arguments are equal.
    pub relation: Option<RelationRef>,
    pub args: Vec<TypeExprId>,
    pub attrs: Arc<Attrs>,
    pub span: Span,
}

impl Where {
    /// Whether the relation has a mistake, so that nobody knows what it says.
    pub fn is_broken(&self) -> bool {
        match &self.relation {
            Some(RelationRef::Written { all, index, .. }) => all.relations[*index].is_broken,
            Some(RelationRef::Builtin(_)) | None => false,
        }
    }
}

/// What makes a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalOrigin {
    /// `%x` in `fn(%x) { … }`.
    Param,
    /// `let %x = e;` in a block.
    Let,
    /// `%x` in `Cons(%x, _)`.
    Pattern,
    /// `let %x = e;` at the top.
    TopLevel,
    /// `free_var`: typed, but without a value.
    Free,
    /// `meta[relay.Constant][0]`, where the text has no metadata: likewise, and it is no name.
    Constant,
    /// Stands where the program has no expression, and has the type that the place asks for.
    Hole,
}

impl LocalOrigin {
    /// Whether the variable has no value.
    pub fn is_free(self) -> bool {
        matches!(self, LocalOrigin::Free | LocalOrigin::Constant)
    }

    /// Whether it is named in the text.
    pub fn is_named(self) -> bool {
        !matches!(self, LocalOrigin::Constant | LocalOrigin::Hole)
    }
}

/// Owns the variables that a file leaves free; and what a definition has that is not read yet.
pub const NO_FUNCTION: FnId = FnId::numbered(u32::MAX - 1);

/// A variable: `%x`, in refine and TensorScript `x`.
#[derive(Clone, Debug)]
pub struct Local {
    /// In [`Module::local_names`].
    pub name: Span,
    pub span: Span,
    pub annotation: Option<TypeExprId>,
    pub origin: LocalOrigin,
    /// In an or-pattern, the variable of the first alternative that this one is.
    pub shares: Option<LocalId>,
    /// The function whose variable it is, or [`NO_FUNCTION`].
    pub owner: FnId,
    /// Among its owner's variables.
    pub slot: u32,
}

/// A hole in the program.
#[derive(Clone, Debug)]
pub struct Hole {
    pub local: LocalId,
    /// Variables that may stand in its place, if their types do: those bound last come first.
    pub in_scope: Vec<LocalId>,
}

/// What stands at the top of a file.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// `def @f(%x) { … }`.
    Def(DefId),
    /// `let %x = e`: the variable, and the function whose body is `e`.
    Let(LocalId, FnId),
    /// `e`: the function whose body it is.
    Expr(FnId),
    /// `type List[A] { … }`.
    Adt(AdtId),
}

/// Where a mentioned variable is found when the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Among the variables of the function that mentions it, at this slot.
    Own(u32),
    /// Among those that the function captured: see [`Function::captures`].
    Captured(u32),
    /// A top-level `let`.
    TopLevel,
}

/// An expression. What is inferred about it stands elsewhere, by its id.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// What an expression is, without sugar: infix operators are calls of operators, `%f(%x)` and `%x |> %f` one kind of
/// call.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// What could not be read or resolved, and has been told.
    Error,
    /// `1`, `2.5f64`, `True`.
    Literal(Dtype, Scalar),
    /// `[[1, 2], [3, 4]]`, a constant of the metadata.
    TensorLit(Arc<Tensor>),
    /// `%x`, and where it is found.
    Local(LocalId, Place),
    /// `@f`.
    Def(DefId),
    /// `Cons`, as a function value or called.
    Ctor(CtorId),
    /// An operator as a function value: `nn.relu` in `@map(nn.relu, %l)`.
    Op(OpId),
    /// `nn.softmax(%x, axis=1)`, `%x + %y`: an operator and all of its attributes, written or not.
    OpCall { op: OpId, name_span: Span, args: Vec<ExprId>, attrs: Arc<Attrs> },
    /// `@f<T>(a, b)`, `Cons(a, b)`: a call of anything but an operator.
    Call { callee: ExprId, type_args: Option<Vec<TypeExprId>>, args: Vec<ExprId> },
    /// `` `Name(a, b) ``.
    Variant(VariantId, Vec<ExprId>),
    /// `(a, b)`.
    Tuple(Vec<ExprId>),
    /// `%t.0`.
    Project { base: ExprId, index: u32 },
    /// `if (c) { a } else { b }`.
    If { cond: ExprId, then: ExprId, otherwise: ExprId },
    /// `match (e) { p => a, q => b }`; `is_partial`: `match?`.
    Match { scrutinee: ExprId, arms: Vec<Arm>, is_partial: bool },
    /// `let %x = a; b; c`: the variables in order with their values, `b` without a variable, then the block's value.
    Block { lets: Vec<(Option<LocalId>, ExprId)>, tail: ExprId },
    /// `fn(%x) { … }`.
    Fn(FnId),
    /// `ref(e)`.
    RefNew(ExprId),
    /// `!e`, `ref_read(e)`.
    RefRead(ExprId),
    /// `r := e`, `ref_write(r, e)`.
    RefWrite { reference: ExprId, value: ExprId },
}

/// An arm of a match: `p => e`.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    pub pat: PatId,
    pub body: ExprId,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    pub kind: PatKind,
    pub span: Span,
}

/// What a pattern is.
#[derive(Clone, Debug)]
pub enum PatKind {
    /// What could not be read or resolved, and has been told.
    Error,
    /// `_`.
    Wild,
    /// `%x`.
    Var(LocalId),
    /// `p as %x`.
    As(PatId, LocalId),
    /// `Cons(p, q)`.
    Ctor(CtorId, Vec<PatId>),
    /// `` `Name(p, q) ``, in refine `Name p q`.
    Variant(VariantId, Vec<PatId>),
    /// `p | q`: alternatives, which bind the same variables.
    Or(Vec<PatId>),
    /// `(p, q)`.
    Tuple(Vec<PatId>),
    /// `1`, `-1`, `True`.
    Literal(Dtype, Scalar),
}

/// A type, shape, dim or dtype as it is written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub kind: TypeExprKind,
    pub span: Span,
}

/// What a written type is, with its names resolved.
#[derive(Clone, Debug)]
pub enum TypeExprKind {
    /// What could not be read or resolved, and has been told.
    Error,
    /// `_`.
    Hole,
    /// `Tensor[(2, N), float32]`.
    Tensor { shape: TypeExprId, dtype: TypeExprId },
    /// A dtype's name: the scalar tensor, or the dtype itself, as the place wants.
    Scalar(Dtype),
    /// `float32`, where it can be nothing but a dtype.
    Dtype(Dtype),
    /// `(T, U)`.
    Tuple(Vec<TypeExprId>),
    /// `fn(T) -> U`, `fn[A](A) -> A`.
    Func {
        /// Consecutive; of a polymorphic function type.
        type_params: Vec<ParamId>,
        params: Vec<TypeExprId>,
        result: TypeExprId,
    },
    /// `ref(T)`.
    Ref(TypeExprId),
    /// `List[T]`.
    Adt { adt: AdtId, args: Vec<TypeExprId> },
    /// `` [`A, `B(T) | r] ``; without a rest there are no other variants.
    Sum { variants: Vec<(VariantId, Vec<TypeExprId>)>, rest: Option<TypeExprId> },
    /// The row of this sum, where a type takes a row.
    RowOf(TypeExprId),
    /// `A`, a parameter of any kind.
    Param(ParamId),
    /// `(2, N, ..sh)`: dims, and shapes in [`TypeExprKind::Splice`].
    Shape(Vec<TypeExprId>),
    /// `..sh`, in a shape.
    Splice(TypeExprId),
    /// `N * 2`, `sh[0]`, `sh[1:]`, `rank(sh)`.
    Apply { function: DimFunction, args: Vec<TypeExprId> },
    /// `if (a < b) { c } else { d }`, in a written relation.
    If { comparison: Comparison, left: TypeExprId, right: TypeExprId, then: TypeExprId, otherwise: TypeExprId },
    /// `3`.
    Dim(i64),
    /// `?`.
    Any,
}

impl TypeExprKind {
    /// Calls `f` with each immediate part, in source order.
    pub fn for_parts(&self, mut f: impl FnMut(TypeExprId)) {
        self.each_part(&mut f);
    }

    /// There is one of this, and not one for each closure.
    fn each_part(&self, f: &mut dyn FnMut(TypeExprId)) {
        match self {
            TypeExprKind::Error
            | TypeExprKind::Hole
            | TypeExprKind::Scalar(_)
            | TypeExprKind::Dtype(_)
            | TypeExprKind::Param(_)
            | TypeExprKind::Dim(_)
            | TypeExprKind::Any => {}
            TypeExprKind::Tensor { shape, dtype } => {
                f(*shape);
                f(*dtype);
            }
            TypeExprKind::Tuple(items)
            | TypeExprKind::Shape(items)
            | TypeExprKind::Apply { args: items, .. }
            | TypeExprKind::Adt { args: items, .. } => items.iter().for_each(|&item| f(item)),
            TypeExprKind::Func { params, result, .. } => {
                params.iter().for_each(|&param| f(param));
                f(*result);
            }
            TypeExprKind::Sum { variants, rest } => {
                variants.iter().flat_map(|(_, fields)| fields).chain(rest).for_each(|&part| f(part));
            }
            TypeExprKind::Ref(inner) | TypeExprKind::RowOf(inner) | TypeExprKind::Splice(inner) => f(*inner),
            TypeExprKind::If { left, right, then, otherwise, .. } => {
                [left, right, then, otherwise].into_iter().for_each(|&part| f(part));
            }
        }
    }
}

/// One step of inference's walk over a body.
#[derive(Clone, Copy, Debug)]
pub enum Visit {
    Expr(ExprId),
    /// The variable now has this value.
    Let(LocalId, ExprId),
    /// The pattern takes this scrutinee apart.
    Pattern(ExprId, PatId),
}

/// An attribute as written.
#[derive(Clone, Debug)]
pub struct Attr {
    pub name: String,
    pub name_span: Span,
    pub value: ty::AttrValue,
    pub value_span: Span,
}

impl ty::Names for Module {
    fn adt(&self, adt: AdtId) -> &str {
        &self.adts[adt].name
    }

    fn param(&self, param: ParamId) -> &str {
        &self.type_params[param].name
    }

    fn param_kind(&self, param: ParamId) -> Kind {
        self.type_params[param].kind
    }

    fn variant(&self, variant: VariantId) -> &str {
        &self.variants[variant]
    }

    fn surface(&self) -> Surface {
        self.surface
    }
}

impl ty::ConstructorNames for Module {
    fn constructor(&self, number: u32) -> &str {
        &self.ctors[CtorId::numbered(number)].name
    }

    fn variant(&self, variant: VariantId) -> &str {
        &self.variants[variant]
    }

    fn surface(&self) -> Surface {
        self.surface
    }
}
