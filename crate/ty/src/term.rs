//! Terms: what a type, a shape, a dim or a dtype can be.

use crate::{Atom, Dtype, Poly, PolyId};
use base::idx;
use std::hash::{Hash, Hasher};

idx!(
    /// A class of terms in a store.
    TermId,
    "t"
);
idx!(
    /// A type parameter: rigid in the body that declares it, replaced at each use.
    ParamId,
    "p"
);
impl ParamId {
    /// From here on are the parameters of closed polymorphic types, whose own names are not kept. From one multiple of
    /// [`ParamId::N_BOUND`] on stand those of one type; a type has larger ones than those in it.
    pub const BOUND: ParamId = ParamId::numbered(1 << 30);
    pub const N_BOUND: u32 = 1 << 10;

    /// What one of those is called.
    pub(crate) fn bound_name(self) -> Option<&'static str> {
        const NAMES: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let number = self.number().checked_sub(ParamId::BOUND.number())?;
        let at = ((number / ParamId::N_BOUND + number % ParamId::N_BOUND) % 26) as usize;
        Some(&NAMES[at..=at])
    }
}

idx!(
    /// An algebraic data type.
    AdtId,
    "d"
);
idx!(
    /// The name of an anonymous variant: one for each spelling in a program, in the order of the names.
    VariantId,
    "n"
);

/// What a term can stand for. `BaseType` is a dtype; the `ShapeVar` of Relay's manual is `Dim`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Type,
    BaseType,
    Shape,
    Dim,
    /// The variants of an anonymous sum, or the rest of them.
    Row,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Type => "Type",
            Kind::BaseType => "BaseType",
            Kind::Shape => "Shape",
            Kind::Dim => "Dim",
            Kind::Row => "Row",
        }
    }

    pub fn parse(name: &str) -> Option<Kind> {
        match name {
            "Type" => Some(Kind::Type),
            "BaseType" => Some(Kind::BaseType),
            "Shape" => Some(Kind::Shape),
            "Dim" | "ShapeVar" => Some(Kind::Dim),
            "Row" => Some(Kind::Row),
            _ => None,
        }
    }
}

/// A run of term ids in a store's list pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct List {
    pub start: u32,
    pub len: u32,
}

/// What is known of a dim's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    Unknown,
    Number(i64),
    Param(ParamId),
    /// Arithmetic over parameters, neither a number nor a lone parameter.
    Poly(PolyId),
}

/// A dim. Both facts only grow: the extent from unknown to known, the flag from false to true. A dim with the flag
/// set prints `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    pub extent: Extent,
    pub dynamic: bool,
}

impl Dim {
    pub const UNKNOWN: Dim = Dim { extent: Extent::Unknown, dynamic: false };
    pub const ANY: Dim = Dim { extent: Extent::Unknown, dynamic: true };

    pub fn number(n: i64) -> Dim {
        Dim { extent: Extent::Number(n), dynamic: false }
    }
}

/// The head of a term; its parts are ids.
#[derive(Clone, Copy, Debug, Eq)]
pub enum Term {
    /// Not known yet (Relay's incomplete type). An unknown dim is `Term::Dim(Dim::UNKNOWN)` instead.
    Hole(Kind),
    /// Stands where an error was reported; unifies silently with anything.
    Error(Kind),
    /// A type, shape, dtype or row parameter. A dim parameter is an [`Extent`].
    Param(ParamId, Kind),
    Tensor {
        shape: TermId,
        dtype: TermId,
    },
    Tuple(List),
    Func {
        params: List,
        result: TermId,
    },
    /// `fn[A, B](…) -> …` inside a type: `n` parameters from `first` on, bound in the function type `body`.
    Forall {
        first: ParamId,
        n: u32,
        body: TermId,
    },
    Ref(TermId),
    Adt {
        adt: AdtId,
        args: List,
    },
    /// An anonymous sum: its row.
    Sum(TermId),
    /// A variant with its fields, and the rest of the row (Rémy 1989). A row is a set: order and repetition mean
    /// nothing.
    Row {
        variant: VariantId,
        fields: List,
        rest: TermId,
    },
    /// The end of a row that nothing can be added to. One that can grow ends in a hole, a polymorphic one in a
    /// parameter.
    EmptyRow,
    /// A shape of known rank: its dims, outermost first.
    Shape(List),
    /// `sh[front:-back]`: a shape parameter without its first and last dims.
    Slice {
        shape: ParamId,
        front: u32,
        back: u32,
    },
    /// `(N, ..sh)`: a shape of dims and, among them, at least one shape parameter or slice of one.
    Splice(List),
    Dim(Dim),
    Dtype(Dtype),
}

/// One function for what the derived ones do in each crate anew.
impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.words() == other.words()
    }
}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().into_iter().for_each(|word| state.write_u32(word));
    }
}

impl Term {
    /// All that a term consists of, behind a number of its own for each head.
    #[inline(never)]
    fn words(&self) -> [u32; 5] {
        let list = |head, List { start, len }, one, two| [head, start, len, one, two];
        match *self {
            Term::Hole(kind) => [0, kind as u32, 0, 0, 0],
            Term::Error(kind) => [1, kind as u32, 0, 0, 0],
            Term::Param(param, kind) => [2, param.number(), kind as u32, 0, 0],
            Term::Tensor { shape, dtype } => [3, shape.number(), dtype.number(), 0, 0],
            Term::Tuple(fields) => list(4, fields, 0, 0),
            Term::Func { params, result } => list(5, params, result.number(), 0),
            Term::Forall { first, n, body } => [6, first.number(), n, body.number(), 0],
            Term::Ref(inner) => [7, inner.number(), 0, 0, 0],
            Term::Adt { adt, args } => list(8, args, adt.number(), 0),
            Term::Sum(row) => [9, row.number(), 0, 0, 0],
            Term::Row { variant, fields, rest } => list(10, fields, variant.number(), rest.number()),
            Term::EmptyRow => [11, 0, 0, 0, 0],
            Term::Shape(dims) => list(12, dims, 0, 0),
            Term::Slice { shape, front, back } => [13, shape.number(), front, back, 0],
            Term::Splice(parts) => list(14, parts, 0, 0),
            Term::Dim(Dim { extent, dynamic }) => {
                let (kind, low, high) = match extent {
                    Extent::Unknown => (0, 0, 0),
                    Extent::Number(number) => (1, number as u32, (number >> 32) as u32),
                    Extent::Param(param) => (2, param.number(), 0),
                    Extent::Poly(poly) => (3, poly.number(), 0),
                };
                [15, kind, low, high, u32::from(dynamic)]
            }
            Term::Dtype(dtype) => [16, dtype as u32, 0, 0, 0],
        }
    }

    pub fn hole(kind: Kind) -> Term {
        match kind {
            Kind::Dim => Term::Dim(Dim::UNKNOWN),
            Kind::Type | Kind::BaseType | Kind::Shape | Kind::Row => Term::Hole(kind),
        }
    }

    pub fn param(param: ParamId, kind: Kind) -> Term {
        match kind {
            Kind::Dim => Term::Dim(Dim { extent: Extent::Param(param), dynamic: false }),
            Kind::Type | Kind::BaseType | Kind::Shape | Kind::Row => Term::Param(param, kind),
        }
    }

    pub fn kind(self) -> Kind {
        match self {
            Term::Hole(kind) | Term::Error(kind) | Term::Param(_, kind) => kind,
            Term::Tensor { .. }
            | Term::Tuple(_)
            | Term::Func { .. }
            | Term::Forall { .. }
            | Term::Ref(_)
            | Term::Sum(_)
            | Term::Adt { .. } => Kind::Type,
            Term::Row { .. } | Term::EmptyRow => Kind::Row,
            Term::Shape(_) | Term::Slice { .. } | Term::Splice(_) => Kind::Shape,
            Term::Dim(_) => Kind::Dim,
            Term::Dtype(_) => Kind::BaseType,
        }
    }

    /// Whether this is a parameter, of any kind.
    pub fn is_param(self) -> bool {
        matches!(self, Term::Param(..) | Term::Dim(Dim { extent: Extent::Param(_), dynamic: false }))
    }

    /// Whether this is determined by parameters alone, whatever they turn out to be: a parameter or made of some.
    pub fn is_rigid(self) -> bool {
        let is_poly = matches!(self, Term::Dim(Dim { extent: Extent::Poly(_), dynamic: false }));
        is_poly || self.is_param() || matches!(self, Term::Slice { .. } | Term::Splice(_))
    }

    /// Whether this has no parts, whatever is known of it.
    pub fn is_leaf(self) -> bool {
        match self {
            Term::Hole(_)
            | Term::Error(_)
            | Term::Param(..)
            | Term::EmptyRow
            | Term::Dim(_)
            | Term::Slice { .. }
            | Term::Dtype(_) => true,
            Term::Sum(_)
            | Term::Row { .. }
            | Term::Tensor { .. }
            | Term::Tuple(_)
            | Term::Shape(_)
            | Term::Splice(_)
            | Term::Adt { .. }
            | Term::Func { .. }
            | Term::Ref(_)
            | Term::Forall { .. } => false,
        }
    }

    /// Whether nothing at all is known. A dim that is `?` is not a hole: nobody will ever learn its number.
    pub fn is_hole(self) -> bool {
        matches!(self, Term::Hole(_) | Term::Dim(Dim::UNKNOWN))
    }
}

/// A variant of a row: the cell that says it, its name and its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    pub cell: TermId,
    pub name: VariantId,
    pub fields: List,
}

/// Read access to a store of terms.
pub trait Terms {
    /// The representative of the class.
    fn root(&self, id: TermId) -> TermId;
    /// The head of the class.
    fn head(&self, id: TermId) -> Term;
    fn items(&self, list: List) -> &[TermId];
    fn poly(&self, id: PolyId) -> &Poly<Atom>;

    /// The variants of a row in the order in which they were added, and what ends it: the root of an
    /// [`EmptyRow`](Term::EmptyRow), a hole, a parameter or an error. A row that contains itself ends at the
    /// repetition.
    fn row(&self, row: TermId) -> (Vec<Variant>, TermId) {
        let mut variants: Vec<Variant> = Vec::new();
        let mut rest = self.root(row);
        // From here on a cycle is looked for.
        let mut limit = 256;
        while let Term::Row { variant: name, fields, rest: next } = self.head(rest) {
            if variants.len() == limit {
                if variants.iter().any(|variant| variant.cell == rest) {
                    break;
                }
                limit *= 2;
            }
            variants.push(Variant { cell: rest, name, fields });
            rest = self.root(next);
        }
        (variants, rest)
    }

    /// Calls `f` with each immediate part of a term, in the order they print.
    fn for_parts(&self, term: Term, mut f: impl FnMut(TermId))
    where
        Self: Sized,
    {
        for_parts(self, term, &mut f);
    }
}

/// As [`Terms::for_parts`], which is there once for all closures by this.
pub fn for_parts(terms: &dyn Terms, term: Term, f: &mut dyn FnMut(TermId)) {
    match term {
        Term::Hole(_)
        | Term::Error(_)
        | Term::Param(..)
        | Term::Dim(_)
        | Term::Slice { .. }
        | Term::EmptyRow
        | Term::Dtype(_) => {}
        Term::Tensor { shape, dtype } => {
            f(shape);
            f(dtype);
        }
        Term::Tuple(list) | Term::Shape(list) | Term::Splice(list) | Term::Adt { args: list, .. } => {
            terms.items(list).iter().for_each(|&item| f(item));
        }
        Term::Func { params, result } => {
            terms.items(params).iter().for_each(|&item| f(item));
            f(result);
        }
        Term::Row { fields, rest, .. } => {
            terms.items(fields).iter().for_each(|&field| f(field));
            f(rest);
        }
        Term::Ref(inner) | Term::Sum(inner) | Term::Forall { body: inner, .. } => f(inner),
    }
}
