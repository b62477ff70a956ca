//! Unification by worklist, without recursion and linear in shared types.
//!
//! Worked example: `(a, Tensor[(n, 4), f]) ~ (int32, Tensor[(3, m), float32])` binds `a`, `n`, `f` and `m`, then
//! links the shapes, the tensors and the tuples, in that order: composites are linked only when everything in them
//! has unified.

use crate::solver::Solver;
use crate::store::Cause;
use crate::trace::Log;
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};
use ty::{Atom, Dim, Extent, Kind, List, ParamId, Poly, Term, TermId, Terms, Variant};

/// From this many steps on, pairs that were met are remembered, so that shared (or cyclic) types are walked once.
const REMEMBER_FROM: usize = 64;

/// Terms to be made equal; most often there are few.
type Pairs = SmallVec<[(TermId, TermId); 8]>;

/// The two terms that differ, of the expected side and of the found side.
pub(crate) type Conflict = (TermId, TermId);

impl<L: Log> Solver<L> {
    /// Makes two terms equal. On a conflict, what was learned before it stays.
    pub(crate) fn unify(&mut self, expected: TermId, found: TermId, cause: Cause) -> Result<(), Conflict> {
        let mut pairs: Pairs = smallvec![(expected, found)];
        let mut composites = Pairs::new();
        let mut met: FxHashSet<(TermId, TermId)> = FxHashSet::default();
        let mut n_steps = 0;
        while let Some((expected, found)) = pairs.pop() {
            let (a, b) = (self.root(expected), self.root(found));
            n_steps += 1;
            if a == b || (n_steps > REMEMBER_FROM && !met.insert((a, b))) {
                continue;
            }
            let (left, right) = (self.store.head(a), self.store.head(b));
            match (left, right) {
                // An unknown never stands for a polymorphic type: it is one use of it.
                (Term::Hole(Kind::Type), Term::Forall { first, n, body }) => {
                    let instance = self.open_fresh(first, n, body, cause);
                    pairs.push((a, instance));
                }
                (Term::Forall { first, n, body }, Term::Hole(Kind::Type)) => {
                    let instance = self.open_fresh(first, n, body, cause);
                    pairs.push((instance, b));
                }
                (Term::Forall { first, n, body }, Term::Forall { first: other, n: m, body: other_body }) if n == m => {
                    let kinds = self.forall_kinds(first, n, body).into_iter();
                    let rigid = kinds.zip(first.0..).map(|(kind, param)| Term::param(ParamId(param), kind));
                    let rigid: Vec<Term> = rigid.collect();
                    let rigid: Vec<TermId> = rigid.into_iter().map(|param| self.fresh(param, cause)).collect();
                    let renamed = self.open(other, other_body, &rigid, cause);
                    pairs.push((body, renamed));
                }
                // A row is a set: what is before an unknown may be in it as well.
                (Term::Hole(Kind::Row), Term::Row { .. }) if self.row(b).1 == a => {
                    let rest = self.fresh(Term::hole(Kind::Row), cause);
                    let variants = self.row(b).0.into_iter();
                    let all = self.extend_row(variants, rest);
                    pairs.push((a, all));
                }
                (Term::Row { .. }, Term::Hole(Kind::Row)) if self.row(a).1 == b => pairs.push((b, a)),
                (Term::Hole(_), _) if left.kind() == right.kind() => self.union(a, b, right, cause),
                (_, Term::Hole(_)) if left.kind() == right.kind() => self.union(a, b, left, cause),
                (Term::Error(_), _) | (_, Term::Error(_)) => {}
                (Term::Dim(left), Term::Dim(right)) => match merge_dims(left, right) {
                    None if self.is_assumed_zero(left, right) => {}
                    None => return Err((expected, found)),
                    Some(dim) => {
                        let settled = left == right && left.extent != Extent::Unknown;
                        if !settled || self.dynamics {
                            self.union(a, b, Term::Dim(dim), cause);
                        }
                    }
                },
                (Term::Dtype(left), Term::Dtype(right)) if left == right => {}
                (Term::Param(left, _), Term::Param(right, _)) if left == right => {}
                (Term::Slice { .. }, Term::Slice { .. }) if left == right => {}
                (Term::EmptyRow, Term::EmptyRow) => {}
                (Term::Row { .. }, Term::Row { .. }) => {
                    self.push_row(a, b, cause, &mut pairs)?;
                    composites.push((a, b));
                }
                (Term::Shape(left), Term::Shape(right)) if self.clashing_sizes(left, right).is_some() => {
                    return Err(self.clashing_sizes(left, right).unwrap_or((a, b)));
                }
                _ if self.push_parts(left, right, &mut pairs) => composites.push((a, b)),
                _ => return Err((expected, found)),
            }
        }
        while let Some((a, b)) = composites.pop() {
            let (a, b) = (self.root(a), self.root(b));
            if a != b {
                let term = self.store.head(a);
                self.union(a, b, term, cause);
            }
        }
        Ok(())
    }

    /// A dim's number or what it is made of; `None` if it is unknown.
    pub fn dim_poly(&self, dim: Dim) -> Option<Poly<Atom>> {
        match dim.extent {
            Extent::Unknown => None,
            Extent::Number(number) => Some(Poly::constant(number)),
            Extent::Param(param) => Some(Poly::atom(Atom::Param(param))),
            Extent::Poly(poly) => Some(self.store.poly(poly).clone()),
        }
    }

    /// Whether two different dims are taken to be equal.
    fn is_assumed_zero(&self, left: Dim, right: Dim) -> bool {
        let difference = || self.dim_poly(left)?.minus(&self.dim_poly(right)?);
        if self.zeros.is_empty() {
            return false;
        }
        difference().is_some_and(|difference| difference.vanishes(&self.zeros))
    }

    /// Two shapes' first dims with different numbers: looked for before any dim is told anything, so that both shapes
    /// are reported as they were.
    fn clashing_sizes(&self, left: List, right: List) -> Option<Conflict> {
        let number = |id| match self.head(id) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => Some(number),
            _ => None,
        };
        let mut pairs = self.items(left).iter().zip(self.items(right)).filter(|_| left.len == right.len);
        pairs.find(|&(&a, &b)| number(a).zip(number(b)).is_some_and(|(a, b)| a != b)).map(|(&a, &b)| (a, b))
    }

    /// Pushes what makes two rows equal: the fields of variants of one name, and what each row lacks against the rest
    /// of the other. A variant keeps the place of its first mention.
    fn push_row(&mut self, left: TermId, right: TermId, cause: Cause, pairs: &mut Pairs) -> Result<(), Conflict> {
        let ((mut left, left_rest), (mut right, right_rest)) = (self.row(left), self.row(right));
        base::sort_by_key(&mut left, |variant| variant.name);
        base::sort_by_key(&mut right, |variant| variant.name);
        let (mut only_left, mut only_right) = (Vec::new(), Vec::new());
        let mut rights = right.iter().peekable();
        let mut equal: Vec<(Variant, Variant)> = Vec::new();
        let mut before: Option<Variant> = None;
        for &variant in &left {
            if let Some(before) = before.filter(|before| before.name == variant.name) {
                equal.push((before, variant));
                continue;
            }
            before = Some(variant);
            while let Some(&other) = rights.next_if(|other| other.name < variant.name) {
                only_right.push(other);
            }
            let n_equal = equal.len();
            while let Some(&other) = rights.next_if(|other| other.name == variant.name) {
                equal.push((variant, other));
            }
            if equal.len() == n_equal {
                only_left.push(variant);
            }
        }
        only_right.extend(rights.copied());
        // The parts are popped in the order of the rests, then of the variants.
        for (left, right) in equal.into_iter().rev() {
            if left.fields.len != right.fields.len {
                return Err((left.cell, right.cell));
            }
            let (left, right) = (self.items(left.fields), self.items(right.fields));
            pairs.extend(left.iter().copied().zip(right.iter().copied()).rev());
        }
        let rest = match (only_left.is_empty(), only_right.is_empty()) {
            (true, true) => {
                pairs.push((left_rest, right_rest));
                return Ok(());
            }
            (true, false) => right_rest,
            (false, true) => left_rest,
            (false, false) => self.fresh(Term::hole(Kind::Row), cause),
        };
        if left_rest == right_rest {
            // One rest for both: it holds what either lacks.
            let rest = self.fresh(Term::hole(Kind::Row), cause);
            let all = self.extend_row(only_left.into_iter().chain(only_right), rest);
            pairs.push((left_rest, all));
            return Ok(());
        }
        if !only_left.is_empty() {
            let lacking = self.extend_row(only_left.into_iter(), rest);
            pairs.push((lacking, right_rest));
        }
        if !only_right.is_empty() {
            let lacking = self.extend_row(only_right.into_iter(), rest);
            pairs.push((left_rest, lacking));
        }
        Ok(())
    }

    /// A row of variants that were mentioned elsewhere, before a rest.
    fn extend_row(&mut self, variants: impl DoubleEndedIterator<Item = Variant>, rest: TermId) -> TermId {
        variants.rev().fold(rest, |rest, Variant { cell, name, fields }| {
            let origin = self.store.origin(cell);
            self.fresh(Term::Row { variant: name, fields, rest }, origin)
        })
    }

    /// Pushes the parts of two terms pairwise, the first on top; false if the terms have different forms.
    fn push_parts(&self, left: Term, right: Term, pairs: &mut Pairs) -> bool {
        let lists = match (left, right) {
            (Term::Tensor { shape: s1, dtype: d1 }, Term::Tensor { shape: s2, dtype: d2 }) => {
                pairs.extend([(d1, d2), (s1, s2)]);
                return true;
            }
            (Term::Ref(left), Term::Ref(right)) | (Term::Sum(left), Term::Sum(right)) => {
                pairs.push((left, right));
                return true;
            }
            (Term::Func { params: p1, result: r1 }, Term::Func { params: p2, result: r2 }) if p1.len == p2.len => {
                pairs.push((r1, r2));
                (p1, p2)
            }
            (Term::Tuple(left), Term::Tuple(right))
            | (Term::Shape(left), Term::Shape(right))
            | (Term::Splice(left), Term::Splice(right)) => (left, right),
            (Term::Adt { adt: d1, args: left }, Term::Adt { adt: d2, args: right }) if d1 == d2 => (left, right),
            _ => return false,
        };
        let (left, right) = (self.items(lists.0), self.items(lists.1));
        if left.len() != right.len() {
            return false;
        }
        pairs.extend(left.iter().copied().zip(right.iter().copied()).rev());
        true
    }

    /// Links two roots, the smaller class below the larger, which then stands for `term`.
    fn union(&mut self, a: TermId, b: TermId, term: Term, cause: Cause) {
        let (child, parent) = if self.store.size(a) > self.store.size(b) { (b, a) } else { (a, b) };
        if self.store.head(parent) != term {
            let source = self.store.source(if self.store.head(child) == term { child } else { parent });
            self.bind_from(parent, term, source, cause);
        }
        self.link(child, parent, cause);
    }
}

/// Both facts grow: at most one number or parameter, and the flag of either. A `?` says nothing of a parameter's
/// number, so the two go together.
fn merge_dims(left: Dim, right: Dim) -> Option<Dim> {
    let dynamic = left.dynamic || right.dynamic;
    let extent = match (left.extent, right.extent) {
        (Extent::Unknown, extent) | (extent, Extent::Unknown) => extent,
        (left, right) if left == right => left,
        _ => return None,
    };
    Some(Dim { extent, dynamic })
}
