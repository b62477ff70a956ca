//! The seam of a type relation: what a rule may ask and assert.
//!
//! A rule asks first: [`tensor`](trait.Facts.html#method.tensor), `size` and the others suspend it with `?` on what
//! is not known, `peek` looks without suspending. Then it asserts: `unify`, `result`, `post`. A rule that suspends
//! has asserted nothing, so it leaves no mark and can simply be run again. Rules are monotone: more information never
//! takes back a conclusion.

use crate::{
    Atom, Attrs, Dim, Dtype, Extent, Kind, List, Poly, PolyId, Reason, Relation, RelationRef, Term, TermId, Variant,
};
use base::ToList;
use std::fmt;
use std::sync::Arc;

/// Why a rule stopped before it was done. It is one word, since every question of a rule may hand it on.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop(Box<Why>);

#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// Run the rule again when any of these is learned.
    Wait(Vec<TermId>),
    Fail(Reason),
}

impl Stop {
    #[inline(never)]
    pub fn wait(on: &[TermId]) -> Stop {
        Stop(Box::new(Why::Wait(on.to_vec())))
    }

    #[inline(never)]
    pub fn fail(reason: Reason) -> Stop {
        Stop(Box::new(Why::Fail(reason)))
    }

    pub fn why(self) -> Why {
        *self.0
    }

    /// What it waits for, if it does.
    pub fn waits(&self) -> Option<&[TermId]> {
        match &*self.0 {
            Why::Wait(on) => Some(on),
            Why::Fail(_) => None,
        }
    }
}

/// `None` for what waits.
pub fn if_known<T>(asked: Result<T, Stop>) -> Result<Option<T>, Stop> {
    match asked {
        Ok(known) => Ok(Some(known)),
        Err(stop) if stop.waits().is_some() => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// What running a rule comes to; `Ok` is solved.
pub type Step = Result<(), Stop>;

/// A dim as a rule computes with it: its number, if anybody will know it before the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub number: Option<i64>,
    pub dynamic: bool,
}

impl Size {
    pub const ANY: Size = Size { number: None, dynamic: true };

    pub fn known(number: i64) -> Size {
        Size { number: Some(number), dynamic: false }
    }

    /// The number computed from this one; `None` stays unknown and `?` stays `?`.
    #[must_use]
    pub fn map(self, f: impl FnOnce(i64) -> i64) -> Size {
        Size { number: self.number.map(f), dynamic: self.dynamic }
    }

    #[must_use]
    pub fn combine(self, other: Size, f: impl FnOnce(i64, i64) -> i64) -> Size {
        let number = self.number.zip(other.number).map(|(a, b)| f(a, b));
        Size { number, dynamic: self.dynamic || other.dynamic }
    }
}

/// What a rule sees of the solver, for one posted relation.
pub trait Facts {
    fn args(&self) -> &[TermId];
    fn attrs(&self) -> &Arc<Attrs>;
    fn n_inputs(&self) -> usize;
    /// Looks at a term without suspending.
    fn peek(&self, id: TermId) -> Term;
    fn items(&self, list: List) -> &[TermId];
    /// Whether two ids are one class, or the same parameter.
    fn same(&self, a: TermId, b: TermId) -> bool;
    fn make(&mut self, term: Term) -> TermId;
    /// As [`make`](Self::make), with another term's first mention for a place.
    fn make_like(&mut self, term: Term, other: TermId) -> TermId;
    fn make_list(&mut self, items: &[TermId]) -> List;
    /// Asserts that two terms are equal.
    fn unify(&mut self, expected: TermId, found: TermId) -> Step;
    /// Whether the first argument, a type that is copied, contains a copy of itself.
    fn copies_itself(&mut self) -> bool;
    /// The variants of a row, and what ends it.
    fn row(&self, row: TermId) -> (Vec<Variant>, TermId);
    fn poly(&self, id: PolyId) -> &Poly<Atom>;
    fn intern(&mut self, poly: Poly<Atom>) -> PolyId;
    /// Polynomials that a `where` clause takes to be 0.
    fn zeros(&self) -> &[Poly<Atom>];
    /// Posts a relation at the same place.
    fn post_with(&mut self, relation: RelationRef, args: &[TermId], attrs: Arc<Attrs>);
}

impl dyn Facts + '_ {
    /// Posts a smaller relation with the same place and attributes.
    pub fn post(&mut self, relation: &'static Relation, args: &[TermId]) {
        let attrs = self.attrs().clone();
        self.post_with(relation.into(), args, attrs);
    }

    pub fn arg(&self, operand: usize) -> TermId {
        self.args()[operand]
    }

    /// The head of a term, suspending while it is a hole.
    pub fn known(&self, id: TermId) -> Result<Term, Stop> {
        match self.peek(id) {
            Term::Hole(_) => Err(Stop::wait(&[id])),
            term @ (Term::Error(_)
            | Term::Param(..)
            | Term::Tensor { .. }
            | Term::Tuple(_)
            | Term::Func { .. }
            | Term::Forall { .. }
            | Term::Ref(_)
            | Term::Adt { .. }
            | Term::Sum(_)
            | Term::Row { .. }
            | Term::EmptyRow
            | Term::Shape(_)
            | Term::Slice { .. }
            | Term::Splice(_)
            | Term::Dim(_)
            | Term::Dtype(_)) => Ok(term),
        }
    }

    /// Shape and dtype of an operand that must be a tensor. A type parameter is not known to be one: it waits.
    pub fn tensor_parts(&self, operand: usize) -> Result<(TermId, TermId), Stop> {
        let id = self.arg(operand);
        match self.peek(id) {
            Term::Tensor { shape, dtype } => Ok((shape, dtype)),
            Term::Hole(_) | Term::Error(_) | Term::Param(..) => Err(Stop::wait(&[id])),
            Term::Tuple(_)
            | Term::Func { .. }
            | Term::Forall { .. }
            | Term::Ref(_)
            | Term::Adt { .. }
            | Term::Sum(_)
            | Term::Row { .. }
            | Term::EmptyRow
            | Term::Shape(_)
            | Term::Slice { .. }
            | Term::Splice(_)
            | Term::Dim(_)
            | Term::Dtype(_) => Err(Stop::fail(Reason::NotTensor { operand })),
        }
    }

    /// Dims (outermost first) and dtype of a tensor operand of known rank.
    pub fn tensor(&self, operand: usize) -> Result<(Vec<TermId>, TermId), Stop> {
        let (shape, dtype) = self.tensor_parts(operand)?;
        Ok((self.dims(shape)?, dtype))
    }

    /// As [`tensor`](trait.Facts.html#method.tensor), with the rank that the rule asks for.
    pub fn tensor_of_rank(&self, operand: usize, rank: usize) -> Result<(Vec<TermId>, TermId), Stop> {
        let (dims, dtype) = self.tensor(operand)?;
        match dims.len() == rank {
            true => Ok((dims, dtype)),
            false => self.fail(Reason::Rank { operand, want: rank.to_string().into(), found: dims.len() }),
        }
    }

    /// As [`tensor`](trait.Facts.html#method.tensor), but `None` while the operand is not known.
    pub fn peek_tensor(&self, operand: usize) -> Result<Option<(Vec<TermId>, TermId)>, Stop> {
        if_known(self.tensor(operand))
    }

    pub fn dims(&self, shape: TermId) -> Result<Vec<TermId>, Stop> {
        Ok(self.items(self.dim_list(shape)?).to_vec())
    }

    /// As [`dims`](trait.Facts.html#method.dims), where they lie.
    pub fn dim_list(&self, shape: TermId) -> Result<List, Stop> {
        match self.peek(shape) {
            Term::Shape(list) => Ok(list),
            _ => Err(Stop::wait(&[shape])),
        }
    }

    /// How many dims a shape has, without suspending.
    pub fn peek_rank(&self, shape: TermId) -> Option<usize> {
        match self.peek(shape) {
            Term::Shape(list) => Some(list.len as usize),
            _ => None,
        }
    }

    /// The fields of a tuple operand.
    pub fn tuple(&self, operand: usize) -> Result<Vec<TermId>, Stop> {
        let id = self.arg(operand);
        match self.peek(id) {
            Term::Tuple(list) => Ok(self.items(list).to_vec()),
            Term::Hole(_) | Term::Error(_) | Term::Param(..) => Err(Stop::wait(&[id])),
            Term::Tensor { .. }
            | Term::Func { .. }
            | Term::Forall { .. }
            | Term::Ref(_)
            | Term::Adt { .. }
            | Term::Sum(_)
            | Term::Row { .. }
            | Term::EmptyRow
            | Term::Shape(_)
            | Term::Slice { .. }
            | Term::Splice(_)
            | Term::Dim(_)
            | Term::Dtype(_) => Err(Stop::fail(Reason::NotTuple { operand })),
        }
    }

    pub fn dtype(&self, id: TermId) -> Result<Dtype, Stop> {
        match self.peek(id) {
            Term::Dtype(dtype) => Ok(dtype),
            _ => Err(Stop::wait(&[id])),
        }
    }

    /// The size of a dim, suspending while it is unknown; a `?` does not suspend.
    pub fn size(&self, dim: TermId) -> Result<Size, Stop> {
        match self.peek(dim) {
            Term::Dim(Dim { extent: Extent::Number(number), dynamic }) => Ok(Size { number: Some(number), dynamic }),
            Term::Dim(Dim { extent: Extent::Unknown, dynamic: true }) => Ok(Size::ANY),
            _ => Err(Stop::wait(&[dim])),
        }
    }

    pub fn sizes(&self, dims: &[TermId]) -> Result<Vec<Size>, Stop> {
        dims.iter().map(|&dim| self.size(dim)).ok_list()
    }

    /// The number of a dim if it is known, without suspending.
    pub fn peek_number(&self, dim: TermId) -> Option<i64> {
        match self.peek(dim) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => Some(number),
            _ => None,
        }
    }

    /// Whether a dim is determined by parameters alone.
    pub fn is_rigid(&self, dim: TermId) -> bool {
        self.peek(dim).is_rigid()
    }

    pub fn is_dynamic(&self, dim: TermId) -> bool {
        matches!(self.peek(dim), Term::Dim(Dim { dynamic: true, .. }))
    }

    pub fn fail<T>(&self, reason: Reason) -> Result<T, Stop> {
        Err(Stop::fail(reason))
    }

    /// Fails with a sentence, unless something holds. The sentence is written only then.
    pub fn check(&self, holds: bool, sentence: fmt::Arguments) -> Step {
        if holds { Ok(()) } else { self.refuse(sentence.to_string()) }
    }

    /// Fails with a sentence.
    pub fn refuse<T>(&self, sentence: String) -> Result<T, Stop> {
        self.fail(Reason::Check(sentence.into()))
    }

    pub fn make_size(&mut self, size: Size) -> TermId {
        let extent = size.number.map_or(Extent::Unknown, Extent::Number);
        self.make(Term::Dim(Dim { extent, dynamic: size.dynamic }))
    }

    pub fn make_dtype(&mut self, dtype: Dtype) -> TermId {
        self.make(Term::Dtype(dtype))
    }

    pub fn make_hole(&mut self, kind: Kind) -> TermId {
        self.make(Term::hole(kind))
    }

    pub fn make_tensor(&mut self, dims: &[TermId], dtype: TermId) -> TermId {
        let list = self.make_list(dims);
        let shape = self.make(Term::Shape(list));
        self.make(Term::Tensor { shape, dtype })
    }

    pub fn make_tuple(&mut self, fields: &[TermId]) -> TermId {
        let list = self.make_list(fields);
        self.make(Term::Tuple(list))
    }

    /// Asserts what the (only) result is.
    pub fn result_is(&mut self, term: TermId) -> Step {
        let result = self.arg(self.n_inputs());
        self.unify(result, term)
    }

    /// Asserts that the (only) result is a tensor.
    pub fn result(&mut self, dims: &[TermId], dtype: TermId) -> Step {
        let tensor = self.make_tensor(dims, dtype);
        self.result_is(tensor)
    }

    /// As [`result`](trait.Facts.html#method.result), from sizes.
    pub fn result_sizes(&mut self, sizes: &[Size], dtype: TermId) -> Step {
        let dims: Vec<TermId> = sizes.iter().map(|&size| self.make_size(size)).list();
        self.result(&dims, dtype)
    }

    /// Normalises an axis attribute: negative counts from the end.
    pub fn axis(&self, attr: &'static str, axis: i64, rank: usize) -> Result<usize, Stop> {
        let n = rank as i64;
        let at = if axis < 0 { axis.saturating_add(n) } else { axis };
        if (0..n).contains(&at) { Ok(at as usize) } else { self.fail(Reason::Axis { attr, axis, rank }) }
    }
}

/// Attributes of relations that have none.
impl Attrs {
    pub fn none() -> Arc<Attrs> {
        Arc::new(Attrs::default())
    }
}
