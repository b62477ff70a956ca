//! Functions of dims and shapes: polynomials, `max`, `floordiv`, `rank`, `prod`, `sh[0]`, `sh[1:]`, `(..sh, N)`.
//!
//! A value that numbers and parameters determine is computed at once ([`apply`]); any other is an unknown with a
//! [`FUNCTION`] relation, which waits, and where the solution is the only one also infers an argument from the result:
//! an equation with one unknown, linear in it, is solved (`N * 2 = 20` gives `N = 10`; with a parameter `M`,
//! `N * 2 = M` gives `N = floordiv(M, 2)` on condition that 2 divides `M`).
//!
//! Parameters are rigid: a polynomial over them is in normal form, so two are equal exactly when they are the same.
//! A `?` among the arguments of arithmetic makes the result `?`.

use crate::condition::{DIVIDES, divides};
use crate::pieces::{Piece, Place, dim_in, make_shape, no_axis, pieces, place_of, sliced};
use crate::poly::{Atom, Poly};
use crate::{AttrValue, Attrs, Dim, Extent, Facts, Kind, Reason, Relation, Step, Stop, Term, TermId, if_known};
use base::{Append, ToList};
use std::sync::Arc;

/// The value of a [`Function`] of the inputs is the output.
pub static FUNCTION: Relation = Relation { name: "=", n_outputs: 1, rule: function };

/// What is wrong with `N * 2 = 3`.
pub const NO_WHOLE_NUMBER: &str = "the equation has no whole number as its solution";

/// A shape of more dims than this is not made from a rank alone.
pub(crate) const MAX_RANK: i64 = 1_000;

/// Nor are shapes put together to one of more dims.
const MAX_DIMS: usize = 10_000;

/// What is computed; arguments are dims unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Function {
    /// Its atoms are the numbers of arguments.
    Polynomial(Poly<u32>),
    Max,
    Min,
    FloorDiv,
    /// Of a shape.
    Rank,
    /// The product of the dims of a shape.
    Prod,
    /// One dim of a shape; a negative place counts from the end.
    Index(i64),
    /// A shape from one place up to another, as in Python but within bounds.
    Slice(Option<i64>, Option<i64>),
    /// The shape of all arguments in order: dims, and shapes spliced in.
    Concat,
}

impl Function {
    /// The kind of the value.
    pub fn kind(&self) -> Kind {
        match self {
            Function::Slice(..) | Function::Concat => Kind::Shape,
            Function::Polynomial(_)
            | Function::Max
            | Function::Min
            | Function::FloorDiv
            | Function::Rank
            | Function::Prod
            | Function::Index(_) => Kind::Dim,
        }
    }

    /// The kind of the arguments; those of `Concat` may also be dims.
    pub fn argument_kind(&self) -> Kind {
        match self {
            Function::Polynomial(_) | Function::Max | Function::Min | Function::FloorDiv => Kind::Dim,
            Function::Rank | Function::Prod | Function::Index(_) | Function::Slice(..) | Function::Concat => {
                Kind::Shape
            }
        }
    }

    pub fn attrs(&self) -> Arc<Attrs> {
        Arc::new(Attrs {
            entries: vec![("function", AttrValue::Function(Box::new(self.clone())))],
            written: vec![false],
        })
    }

    pub fn of(attrs: &Attrs) -> Option<&Function> {
        match attrs.entries.first() {
            Some((_, AttrValue::Function(function))) => Some(function),
            _ => None,
        }
    }
}

/// The value of a function, or an unknown with the relation that will find it.
pub fn apply(r: &mut dyn Facts, function: &Function, args: &[TermId]) -> Result<TermId, Stop> {
    if let Function::Polynomial(poly) = function
        && let Some(&only) = poly.as_atom()
    {
        return Ok(args[only as usize]);
    }
    if_known(check(r, function, args))?;
    if let Some(value) = if_known(value(r, function, args))? {
        return Ok(value);
    }
    let result = r.make_hole(function.kind());
    let mut all = args.to_vec();
    all.push(result);
    r.post_with((&FUNCTION).into(), &all, function.attrs());
    Ok(result)
}

/// The value of a function that is determined.
pub fn evaluate(r: &mut dyn Facts, function: &Function, args: &[TermId]) -> Option<TermId> {
    check(r, function, args).and_then(|()| value(r, function, args)).ok()
}

/// Arithmetic on dims for rules.
impl dyn Facts + '_ {
    /// `Σ dim · factor + offset`. A dim by itself is returned as it is.
    pub fn linear(&mut self, terms: &[(TermId, i64)], offset: i64) -> Result<TermId, Stop> {
        // Numbers, of which most programs have nothing else, need no polynomial.
        let mut rest: Vec<(TermId, i64)> = Vec::new();
        let (mut sum, mut dynamic) = (Some(offset), false);
        for &(dim, factor) in terms {
            match self.peek_number(dim) {
                Some(number) => {
                    sum = sum.zip(number.checked_mul(factor)).and_then(|(sum, product)| sum.checked_add(product));
                    dynamic |= self.is_dynamic(dim);
                }
                None => rest.push((dim, factor)),
            }
        }
        match (rest.as_slice(), sum) {
            (_, None) => return self.fail(too_large()),
            ([], Some(number)) if number < 0 => return self.fail(negative(number)),
            ([], Some(number)) => return Ok(self.make(Term::Dim(Dim { extent: Extent::Number(number), dynamic }))),
            (&[(dim, 1)], Some(0)) if !dynamic => return Ok(dim),
            (_, Some(_)) => {}
        }
        let sum = terms
            .iter()
            .zip(0..)
            .try_fold(Poly::constant(offset), |sum, (&(_, factor), i)| sum.plus(&Poly::atom(i).scaled(factor)?));
        let dims: Vec<TermId> = terms.iter().map(|&(dim, _)| dim).list();
        match sum {
            Some(sum) => apply(self, &Function::Polynomial(sum), &dims),
            None => self.fail(too_large()),
        }
    }

    /// `dim · factor + offset`.
    pub fn affine(&mut self, dim: TermId, factor: i64, offset: i64) -> Result<TermId, Stop> {
        self.linear(&[(dim, factor)], offset)
    }

    pub fn sum_of(&mut self, dims: &[TermId]) -> Result<TermId, Stop> {
        let terms: Vec<(TermId, i64)> = dims.iter().map(|&dim| (dim, 1)).list();
        self.linear(&terms, 0)
    }

    pub fn product_of(&mut self, dims: &[TermId]) -> Result<TermId, Stop> {
        if let &[dim] = dims {
            return Ok(dim);
        }
        let others: Vec<TermId> =
            dims.iter().copied().filter(|&dim| self.peek_number(dim) != Some(1) || self.is_dynamic(dim)).list();
        if let &[dim] = others.as_slice() {
            return Ok(dim);
        }
        let product = (0..others.len() as u32).try_fold(Poly::constant(1), |product, i| product.times(&Poly::atom(i)));
        match product {
            Some(product) => apply(self, &Function::Polynomial(product), &others),
            None => self.fail(too_large()),
        }
    }

    pub fn floor_div(&mut self, dim: TermId, divisor: i64) -> Result<TermId, Stop> {
        if divisor == 1 {
            return Ok(dim);
        }
        let divisor = self.make(Term::Dim(Dim::number(divisor)));
        apply(self, &Function::FloorDiv, &[dim, divisor])
    }

    /// A dim that numbers and parameters determine, as the polynomial that it is.
    pub fn known_poly(&self, dim: TermId) -> Option<Poly<Atom>> {
        match known(self, dim) {
            Known::Poly(poly) => Some(poly),
            Known::Any | Known::Unknown => None,
        }
    }

    /// A dim that is this polynomial.
    pub fn make_known(&mut self, poly: Poly<Atom>) -> Result<TermId, Stop> {
        make_poly(self, poly, false)
    }
}

/// A dim is past what an `i64` holds.
pub fn too_large() -> Reason {
    Reason::Check("this dim is too large to compute with".into())
}

fn negative(number: i64) -> Reason {
    Reason::Check(format!("a dim is at least 0, and this one would be {number}").into())
}

/// What is known of a dim.
enum Known {
    Poly(Poly<Atom>),
    Any,
    Unknown,
}

fn known(r: &dyn Facts, dim: TermId) -> Known {
    match r.peek(dim) {
        Term::Dim(Dim { extent: Extent::Number(number), .. }) => Known::Poly(Poly::constant(number)),
        Term::Dim(Dim { extent: Extent::Param(param), .. }) => Known::Poly(Poly::atom(Atom::Param(param))),
        Term::Dim(Dim { extent: Extent::Poly(id), .. }) => Known::Poly(r.poly(id).clone()),
        Term::Dim(Dim { extent: Extent::Unknown, dynamic: true }) => Known::Any,
        _ => Known::Unknown,
    }
}

pub(crate) fn make_poly(r: &mut dyn Facts, poly: Poly<Atom>, dynamic: bool) -> Result<TermId, Stop> {
    let extent = match (poly.as_constant(), poly.as_atom()) {
        (Some(number), _) if number < 0 => return r.fail(negative(number)),
        (Some(number), _) => Extent::Number(number),
        (None, Some(&Atom::Param(param))) => Extent::Param(param),
        (None, _) => Extent::Poly(r.intern(poly)),
    };
    Ok(r.make(Term::Dim(Dim { extent, dynamic })))
}

/// Conditions on arguments that can be decided before the value can.
fn check(r: &dyn Facts, function: &Function, args: &[TermId]) -> Step {
    match function {
        Function::FloorDiv => r.check(r.peek_number(args[1]) != Some(0), format_args!("a dim cannot be divided by 0")),
        _ => Ok(()),
    }
}

/// The value, if numbers, `?` and parameters determine it.
fn value(r: &mut dyn Facts, function: &Function, args: &[TermId]) -> Result<TermId, Stop> {
    match function {
        Function::Polynomial(poly) => {
            let mut unknown = Vec::new();
            let mut any = false;
            let mut polys: Vec<Poly<Atom>> = Vec::with_capacity(args.len());
            for &arg in args {
                match known(r, arg) {
                    Known::Poly(poly) => polys.push(poly),
                    Known::Any => any = true,
                    Known::Unknown => unknown.push(arg),
                }
            }
            if any {
                return Ok(r.make(Term::Dim(Dim::ANY)));
            }
            if !unknown.is_empty() {
                return Err(Stop::wait(&unknown));
            }
            let dynamic = args.iter().any(|&arg| r.is_dynamic(arg));
            match poly.substitute(|&arg| Some(polys[arg as usize].clone())) {
                Some(sum) => make_poly(r, sum, dynamic),
                None => r.fail(too_large()),
            }
        }
        Function::Max | Function::Min | Function::FloorDiv => binary(r, function, args[0], args[1]),
        Function::Rank => {
            let pieces = pieces(r, args[0])?;
            let rank = { pieces }.into_iter().try_fold(Poly::default(), |rank, piece| match piece {
                Piece::Dim(_) => rank.plus(&Poly::constant(1)),
                Piece::Slice(shape, front, back) => {
                    let cut = Poly::constant(-i64::from(front) - i64::from(back));
                    rank.plus(&Poly::atom(Atom::Rank(shape)))?.plus(&cut)
                }
            });
            match rank {
                Some(rank) => make_poly(r, rank, false),
                None => r.fail(too_large()),
            }
        }
        Function::Prod => {
            let mut factors = Vec::new();
            for piece in pieces(r, args[0])? {
                factors.push(match piece {
                    Piece::Dim(dim) => dim,
                    Piece::Slice(shape, front, back) => {
                        make_poly(r, Poly::atom(Atom::Prod(shape, front, back)), false)?
                    }
                });
            }
            r.product_of(&factors)
        }
        &Function::Index(at) => {
            let all = pieces(r, args[0])?;
            match place_of(&all, at) {
                Some(Place::Dim(dim)) => Ok(dim),
                Some(Place::In(shape, at, cut)) => dim_in(r, shape, at, cut),
                None if all.iter().all(|piece| matches!(piece, Piece::Dim(_))) => {
                    r.fail(Reason::Check(no_axis(all.len() as i64, at).into()))
                }
                None => Err(Stop::wait(&[args[0]])),
            }
        }
        &Function::Slice(from, to) => {
            let all = pieces(r, args[0])?;
            match sliced(r, &all, from, to)? {
                Some(pieces) => make_shape(r, &pieces),
                None => Err(Stop::wait(&[args[0]])),
            }
        }
        Function::Concat => {
            let mut all = Vec::new();
            let mut unknown = Vec::new();
            for &arg in args {
                if r.peek(arg).kind() == Kind::Dim {
                    all.push(Piece::Dim(arg));
                } else {
                    match pieces(r, arg) {
                        Ok(pieces) => all.append_all(pieces),
                        Err(_) => unknown.push(arg),
                    }
                }
            }
            let n = all.len();
            r.check(n <= MAX_DIMS, format_args!("a shape has at most {MAX_DIMS} dims, and this one would have {n}"))?;
            if unknown.is_empty() { make_shape(r, &all) } else { Err(Stop::wait(&unknown)) }
        }
    }
}

fn binary(r: &mut dyn Facts, function: &Function, left: TermId, right: TermId) -> Result<TermId, Stop> {
    let dynamic = r.is_dynamic(left) || r.is_dynamic(right);
    let (a, b) = match (known(r, left), known(r, right)) {
        (Known::Any, _) | (_, Known::Any) => return Ok(r.make(Term::Dim(Dim::ANY))),
        (Known::Unknown, Known::Unknown) => return Err(Stop::wait(&[left, right])),
        (Known::Unknown, _) => return Err(Stop::wait(&[left])),
        (_, Known::Unknown) => return Err(Stop::wait(&[right])),
        (Known::Poly(a), Known::Poly(b)) => (a, b),
    };
    let computed = match (function, a.as_constant(), b.as_constant()) {
        (Function::Max, Some(a), Some(b)) => Some(Poly::constant(a.max(b))),
        (Function::Min, Some(a), Some(b)) => Some(Poly::constant(a.min(b))),
        (Function::Max | Function::Min, ..) if a == b => Some(a.clone()),
        (Function::FloorDiv, _, Some(0)) => {
            return r.fail(Reason::Check("a dim cannot be divided by 0".into()));
        }
        (Function::FloorDiv, Some(a), Some(b)) => Some(Poly::constant(a.div_euclid(b))),
        (Function::FloorDiv, _, Some(b)) => Some(floor_div(r, &a, b)),
        _ => None,
    };
    let poly = match computed {
        Some(poly) => poly,
        None => {
            let commutes = *function != Function::FloorDiv;
            let (mut a, mut b) = (r.intern(a), r.intern(b));
            if commutes && a > b {
                std::mem::swap(&mut a, &mut b);
            }
            Poly::atom(match function {
                Function::Max => Atom::Max(a, b),
                Function::Min => Atom::Min(a, b),
                _ => Atom::FloorDiv(a, b),
            })
        }
    };
    make_poly(r, poly, dynamic)
}

/// In normal form what the divisor divides stands before the `floordiv`, and a `floordiv` within is one with it:
/// `floordiv(N * 2 + 3, 2)` is `N + 1`, `floordiv(N - 3, 2)` is `floordiv(N + 1, 2) - 2`, and
/// `floordiv(floordiv(N, 2) + 1, 3)` is `floordiv(N + 2, 6)`.
fn floor_div(r: &mut dyn Facts, poly: &Poly<Atom>, divisor: i64) -> Poly<Atom> {
    let divided = poly.div_rem(divisor).and_then(|(quotient, rest)| match rest.as_constant() {
        // It is less than the divisor.
        Some(_) => Some(quotient),
        None => {
            if let Some(exact) = poly.divided_given(divisor, r.zeros()) {
                return Some(exact);
            }
            let floor = match without_floor(r, &rest, divisor) {
                Some((rest, divisor)) => floor_div(r, &rest, divisor),
                None => {
                    let (rest, by) = (r.intern(rest), r.intern(Poly::constant(divisor)));
                    Poly::atom(Atom::FloorDiv(rest, by))
                }
            };
            quotient.plus(&floor)
        }
    });
    divided.unwrap_or_else(|| {
        let (whole, by) = (r.intern(poly.clone()), r.intern(Poly::constant(divisor)));
        Poly::atom(Atom::FloorDiv(whole, by))
    })
}

/// What is divided and by how much, without the only `floordiv` in the sum that is divided: the whole numbers beside it
/// may stand within, and rounding down once more changes nothing.
fn without_floor(r: &dyn Facts, sum: &Poly<Atom>, divisor: i64) -> Option<(Poly<Atom>, i64)> {
    let mut floors = sum.terms().iter().filter_map(|(atoms, factor)| match (atoms.as_slice(), factor) {
        (&[floor @ Atom::FloorDiv(whole, by)], 1) => Some((floor, r.poly(whole), r.poly(by).as_constant()?)),
        _ => None,
    });
    let (floor, whole, by) = floors.next().filter(|&(_, _, by)| by > 0)?;
    let beside = sum.minus(&Poly::atom(floor))?.scaled(by)?;
    if floors.next().is_some() { None } else { Some((whole.plus(&beside)?, by.checked_mul(divisor)?)) }
}

fn function(r: &mut dyn Facts) -> Step {
    let Some(function) = Function::of(r.attrs()).cloned() else { return Ok(()) };
    let (args, result) = (r.args().to_vec(), r.arg(r.n_inputs()));
    let args = &args[..args.len() - 1];
    check(r, &function, args)?;
    let stop = match value(r, &function, args) {
        Ok(value) => return r.unify(result, value),
        Err(stop) => stop,
    };
    let Some(waits) = stop.waits() else { return Err(stop) };
    let step = match &function {
        Function::Polynomial(poly) => solve(r, poly, args, result),
        Function::Max | Function::Min if r.same(args[0], args[1]) => r.unify(result, args[0]),
        Function::Max => other_operand(r, args, result, |given, whole| given < whole),
        Function::Min => other_operand(r, args, result, |given, whole| given > whole),
        Function::Rank => shape_of_rank(r, args[0], result),
        Function::Concat => rest_of_shape(r, args, result),
        &Function::Slice(from, to) => shape_of_slice(r, args[0], from, to, result),
        Function::FloorDiv | Function::Prod | Function::Index(_) => return Err(stop),
    };
    match step.as_ref().err().and_then(Stop::waits) {
        Some(more) => Err(Stop::wait(&[waits, more].concat())),
        None => step,
    }
}

/// A part of an equation that is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unknown {
    /// The root of an unknown dim, by the first argument that is it.
    Dim(TermId),
    Rigid(Atom),
}

/// Solves `poly(args) = result` if one dim is unknown and it is linear.
fn solve(r: &mut dyn Facts, poly: &Poly<u32>, args: &[TermId], result: TermId) -> Step {
    let mut unknowns: Vec<TermId> = Vec::new();
    let mut expand = |r: &dyn Facts, dim: TermId| -> Option<Poly<Unknown>> {
        match known(r, dim) {
            Known::Poly(poly) => poly.substitute(|&atom| Some(Poly::atom(Unknown::Rigid(atom)))),
            Known::Any => None,
            Known::Unknown => {
                let first = unknowns.iter().copied().find(|&other| r.same(other, dim));
                let first = first.unwrap_or_else(|| {
                    unknowns.push(dim);
                    dim
                });
                Some(Poly::atom(Unknown::Dim(first)))
            }
        }
    };
    let expanded: Option<Vec<Poly<Unknown>>> = args.iter().map(|&arg| expand(r, arg)).some_list();
    let whole = expand(r, result);
    let (Some(expanded), Some(whole)) = (expanded, whole) else { return Err(Stop::wait(&[result])) };
    let difference = poly.substitute(|&arg| Some(expanded[arg as usize].clone())).and_then(|sum| sum.minus(&whole));
    let Some(difference) = difference else { return r.fail(too_large()) };
    if difference.is_zero() {
        return Ok(());
    }
    // The same unknown on both sides.
    let grows = unknowns.iter().any(|&unknown| r.same(unknown, result)) && args.iter().any(|&arg| r.same(arg, result));
    let left: Vec<TermId> =
        unknowns.into_iter().filter(|&dim| difference.atoms().any(|&atom| atom == Unknown::Dim(dim))).list();
    let [unknown] = left[..] else {
        if left.is_empty() {
            let rigid = difference.substitute(|&atom| match atom {
                Unknown::Rigid(atom) => Some(Poly::atom(atom)),
                Unknown::Dim(_) => None,
            });
            if rigid.is_some_and(|rigid| rigid.vanishes(r.zeros())) {
                return Ok(());
            }
            return r.fail(match difference.as_constant() {
                Some(_) if grows => Reason::Check("this dim would have to be larger than itself".into()),
                Some(_) => Reason::Check("the two sides of the equation differ".into()),
                None => Reason::Check("the two sides of the equation are not the same".into()),
            });
        }
        return Err(Stop::wait(&[result]));
    };
    let mut coefficient = 0;
    let mut rest: Poly<Atom> = Poly::default();
    for (atoms, factor) in difference.terms() {
        match atoms.as_slice() {
            [Unknown::Dim(_)] => coefficient = *factor,
            atoms if atoms.iter().any(|atom| matches!(atom, Unknown::Dim(_))) => {
                return Err(Stop::wait(&[result]));
            }
            atoms => {
                let rigid = atoms.iter().filter_map(|atom| match atom {
                    Unknown::Rigid(atom) => Some(Poly::atom(*atom)),
                    Unknown::Dim(_) => None,
                });
                let product = { rigid }.try_fold(Poly::constant(*factor), |product, atom| product.times(&atom));
                match product.and_then(|product| rest.plus(&product)) {
                    Some(sum) => rest = sum,
                    None => return r.fail(too_large()),
                }
            }
        }
    }
    if rest.is_zero() && grows {
        return r.fail(Reason::Check("this dim would have to be larger than itself".into()));
    }
    let whole_and_by = rest.scaled(-coefficient.signum()).zip(coefficient.checked_abs());
    let Some((whole, by)) = whole_and_by else { return r.fail(too_large()) };
    let root = whole.divided_given(by, r.zeros());
    if root.is_none() && divides(&whole, by) == Some(false) {
        return r.fail(Reason::Check(NO_WHOLE_NUMBER.into()));
    }
    let is_whole = root.is_some();
    let root = root.unwrap_or_else(|| floor_div(r, &whole, by));
    let root = make_poly(r, root, false)?;
    if !is_whole {
        let args = [make_poly(r, Poly::constant(by), false)?, make_poly(r, whole, false)?];
        r.post_with((&DIVIDES).into(), &args, Attrs::none());
    }
    r.unify(unknown, root)
}

/// `max(a, b) = r`, where `a` is not `r`: then `b` is.
fn other_operand(r: &mut dyn Facts, args: &[TermId], result: TermId, is_other: impl Fn(i64, i64) -> bool) -> Step {
    let Some(whole) = r.peek_number(result) else { return Err(Stop::wait(&[result])) };
    for (given, other) in [(args[0], args[1]), (args[1], args[0])] {
        match r.peek_number(given) {
            Some(number) if is_other(number, whole) => return r.unify(result, other),
            Some(number) if number != whole => {
                return r.fail(Reason::Check(format!("{number} is never the choice that gives {whole}").into()));
            }
            _ => {}
        }
    }
    Err(Stop::wait(&[result]))
}

fn shape_of_rank(r: &mut dyn Facts, shape: TermId, rank: TermId) -> Step {
    let Some(rank) = r.peek_number(rank) else { return Err(Stop::wait(&[rank])) };
    if !r.peek(shape).is_hole() || rank > MAX_RANK {
        return Err(Stop::wait(&[shape]));
    }
    let dims: Vec<TermId> = (0..rank).map(|_| r.make_hole(Kind::Dim)).list();
    let list = r.make_list(&dims);
    let known = r.make(Term::Shape(list));
    r.unify(shape, known)
}

/// `s[1:] = r` or `s[:-1] = r`, where the rank of `r` is known: `s` is `r` and as many dims more as were cut off. The
/// rank of `s[:2]` is certain.
fn shape_of_slice(r: &mut dyn Facts, shape: TermId, from: Option<i64>, to: Option<i64>, result: TermId) -> Step {
    let (front, back) = (from.unwrap_or(0), to.unwrap_or(0));
    // Between two places from one end lie so many dims, whatever the rank.
    let n_dims = match to {
        Some(to) if (front < 0) == (to < 0) => Some(to.saturating_sub(front)),
        None if front < 0 => Some(front.saturating_neg()),
        Some(_) | None => None,
    };
    if let Some(n_dims) = n_dims.filter(|n_dims| (0..=MAX_RANK).contains(n_dims) && r.peek(result).is_hole()) {
        let dims: Vec<TermId> = (0..n_dims).map(|_| r.make_hole(Kind::Dim)).list();
        let list = r.make_list(&dims);
        let known = r.make(Term::Shape(list));
        r.unify(known, result)?;
        r.post(&FUNCTION, &[shape, result]);
        return Ok(());
    }
    let to_the_end = to.is_none_or(|to| to < 0);
    let fits = to_the_end && (0..=MAX_RANK).contains(&front) && (-MAX_RANK..=0).contains(&back);
    let kept = r.dims(result).ok().filter(|_| fits && r.peek(shape).is_hole());
    let Some(kept) = kept else { return Err(Stop::wait(&[result])) };
    let front: Vec<TermId> = (0..front).map(|_| r.make_hole(Kind::Dim)).list();
    let back: Vec<TermId> = (back..0).map(|_| r.make_hole(Kind::Dim)).list();
    let list = r.make_list(&[front, kept, back].concat());
    let known = r.make(Term::Shape(list));
    r.unify(shape, known)
}

/// `(a, ..s, b) = r` with a known `r`: the dims at both ends are equal, and `s` is what lies between.
fn rest_of_shape(r: &mut dyn Facts, args: &[TermId], result: TermId) -> Step {
    let Ok(whole) = pieces(r, result) else { return Err(Stop::wait(&[result])) };
    let mut wanted: Vec<TermId> = Vec::new();
    for &arg in args {
        match (r.peek(arg).kind(), r.peek(arg)) {
            (Kind::Shape, Term::Shape(dims)) => wanted.extend_from_slice(r.items(dims)),
            _ => wanted.push(arg),
        }
    }
    let is_shape = |r: &dyn Facts, id: TermId| r.peek(id).kind() == Kind::Shape;
    let splices = wanted.iter().count_where(|&&piece| is_shape(r, piece));
    let at = wanted.iter().position(|&piece| is_shape(r, piece)).unwrap_or(wanted.len());
    if splices != 1 {
        return Err(Stop::wait(&[result]));
    }
    let (front, back) = (at, wanted.len() - at - 1);
    let all_dims = whole.iter().all(|piece| matches!(piece, Piece::Dim(_)));
    if whole.len() < front + back {
        let (least, found) = (front + back, whole.len());
        return match all_dims {
            true => {
                let dims = if least == 1 { "dim" } else { "dims" };
                r.fail(Reason::Check(format!("a shape of at least {least} {dims} is wanted, found {found}").into()))
            }
            false => Err(Stop::wait(&[result])),
        };
    }
    let ends: Vec<(TermId, Piece)> = wanted[..front]
        .iter()
        .copied()
        .zip(whole[..front].iter().copied())
        .chain(wanted[at + 1..].iter().copied().zip(whole[whole.len() - back..].iter().copied()))
        .list();
    if ends.iter().any(|(_, piece)| matches!(piece, Piece::Slice(..))) {
        return Err(Stop::wait(&[result]));
    }
    for (dim, piece) in ends {
        if let Piece::Dim(found) = piece {
            r.unify(dim, found)?;
        }
    }
    let middle = make_shape(r, &whole[front..whole.len() - back])?;
    r.unify(wanted[at], middle)
}
