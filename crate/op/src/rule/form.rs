//! Shapes as rules take them apart: by their dims where the rank is known, otherwise as a whole, whose dims are `sh[0]`
//! and whose parts are `sh[1:]`.
//!
//! The parts of a shape parameter are rigid like it; those of an unknown shape are unknowns with equations. Nothing
//! here suspends, so a rule that asks no more of a shape than this concludes at once, whatever is known of it.
//!
//! Worked example: a rule that doubles axis 0 makes `(N * 2, 4)` of `(N, 4)`, and `(sh[0] * 2, ..sh[1:])` of `sh`.

use base::MapArray;
use ty::{Facts, Function, Kind, Reason, Step, Stop, Term, TermId};

/// An axis of a shape of unknown rank is nearer than this to one of its ends.
const MOST_AXES: i64 = 1_000;

pub(super) enum Form {
    Dims(Vec<TermId>),
    Whole(TermId),
}

impl Form {
    pub fn of(r: &dyn Facts, shape: TermId) -> Form {
        match r.dims(shape) {
            Ok(dims) => Form::Dims(dims),
            Err(_) => Form::Whole(shape),
        }
    }

    /// Asserts that an operand is a tensor: its shape, and its dtype.
    pub fn operand(r: &mut dyn Facts, operand: usize) -> Result<(Form, TermId), Stop> {
        let id = r.arg(operand);
        let (shape, dtype) = super::expect_tensor(r, id)?;
        Ok((Form::of(r, shape), dtype))
    }

    pub fn rank(&self) -> Option<usize> {
        match self {
            Form::Dims(dims) => Some(dims.len()),
            Form::Whole(_) => None,
        }
    }

    /// Checks an axis attribute. It counts from 0 where the rank is known and stays as it is where not. With `more`
    /// axes than the shape has, a new one may stand behind the last.
    pub fn axis(&self, r: &dyn Facts, attr: &'static str, axis: i64, more: usize) -> Result<i64, Stop> {
        match self {
            Form::Dims(dims) => Ok(r.axis(attr, axis, dims.len() + more)? as i64),
            Form::Whole(_) if axis.unsigned_abs() < MOST_AXES.unsigned_abs() => Ok(axis),
            Form::Whole(_) => r.fail(Reason::Attr { attr, want: "an axis of the data".into() }),
        }
    }

    /// States that a checked axis exists, where nothing else of the result says so.
    pub fn has_axis(&self, r: &mut dyn Facts, axis: i64) -> Step {
        let Form::Whole(shape) = self else { return Ok(()) };
        let (rank, least) = (ty::apply(r, &Function::Rank, &[*shape])?, if axis < 0 { -axis } else { axis + 1 });
        let least = super::dims::number(r, least);
        r.at_most(least, rank, &|least, rank| ty::too_few_axes(rank, least))
    }

    /// The dim of a checked axis.
    pub fn dim(&self, r: &mut dyn Facts, axis: i64) -> Result<TermId, Stop> {
        match self {
            Form::Dims(dims) => match dims.get(place(dims, axis)) {
                Some(dim) => Ok(*dim),
                None => {
                    let shape = self.shape(r);
                    ty::apply(r, &Function::Index(axis), &[shape])
                }
            },
            Form::Whole(shape) => ty::apply(r, &Function::Index(axis), &[*shape]),
        }
    }

    /// Whether the dim of a checked axis is certain, and what lies before and behind it.
    pub fn has_place(&self, r: &mut dyn Facts, axis: i64) -> bool {
        let Form::Whole(shape) = *self else { return true };
        let parts = [
            Some(Function::Index(axis)),
            (axis != 0).then_some(Function::Slice(None, Some(axis))),
            (axis != -1).then_some(Function::Slice(Some(axis + 1), None)),
        ];
        parts.iter().flatten().all(|part| ty::evaluate(r, part, &[shape]).is_some())
    }

    /// The shape by itself.
    pub fn shape(&self, r: &mut dyn Facts) -> TermId {
        match self {
            Form::Whole(shape) => *shape,
            Form::Dims(dims) => {
                let list = r.make_list(dims);
                r.make(Term::Shape(list))
            }
        }
    }

    /// Whether two shapes without unknown parts are the same.
    pub fn is(&self, r: &dyn Facts, other: &Form) -> bool {
        let same = |a: TermId, b: TermId| r.same(a, b) || (r.peek(a) == r.peek(b) && !r.peek(a).is_hole());
        let all = |a: &[TermId], b: &[TermId]| a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| same(a, b));
        match (self, other) {
            (Form::Dims(a), Form::Dims(b)) => all(a, b),
            (Form::Whole(a), Form::Whole(b)) => match (r.peek(*a), r.peek(*b)) {
                (Term::Splice(a), Term::Splice(b)) => all(r.items(a), r.items(b)),
                _ => same(*a, *b),
            },
            (Form::Dims(_), Form::Whole(_)) | (Form::Whole(_), Form::Dims(_)) => false,
        }
    }

    /// The shape with dims in the place of a checked axis.
    pub fn replaced(&self, r: &mut dyn Facts, axis: i64, by: &[TermId]) -> Result<Form, Stop> {
        self.all_replaced(r, axis, 1, by)
    }

    /// The shape with dims in the place of `n` axes from a checked one on.
    pub fn all_replaced(&self, r: &mut dyn Facts, axis: i64, n: i64, by: &[TermId]) -> Result<Form, Stop> {
        self.with(r, Some(axis), Some(axis + n).filter(|&next| next != 0), by)
    }

    /// The shape with dims before what a checked axis will be; -1 is behind the last axis.
    pub fn inserted(&self, r: &mut dyn Facts, axis: i64, new: &[TermId]) -> Result<Form, Stop> {
        let at = if axis < 0 { Some(axis + 1).filter(|&next| next != 0) } else { Some(axis) };
        self.with(r, at, at, new)
    }

    /// What lies before one place, these dims, and what lies from another place on; `None` is the end.
    fn with(&self, r: &mut dyn Facts, to: Option<i64>, from: Option<i64>, dims: &[TermId]) -> Result<Form, Stop> {
        let shape = match self {
            Form::Dims(all) => {
                let [to, from] = [to, from].each(|at| at.map_or(all.len(), |at| place(all, at).min(all.len())));
                return Ok(Form::Dims([&all[..to], dims, &all[from..]].concat()));
            }
            Form::Whole(shape) => *shape,
        };
        let mut pieces = Vec::new();
        match to {
            Some(0) => {}
            None => pieces.push(shape),
            Some(_) => pieces.push(ty::apply(r, &Function::Slice(None, to), &[shape])?),
        }
        pieces.extend_from_slice(dims);
        match from {
            Some(0) => pieces.push(shape),
            None => {}
            Some(_) => pieces.push(ty::apply(r, &Function::Slice(from, None), &[shape])?),
        }
        let shape = match pieces[..] {
            [only] if r.peek(only).kind() == Kind::Shape => only,
            _ => ty::apply(r, &Function::Concat, &pieces)?,
        };
        Ok(Form::of(r, shape))
    }

    /// What lies from an axis on, which counts from 0.
    pub fn from(&self, r: &mut dyn Facts, axis: usize) -> Result<TermId, Stop> {
        match self {
            Form::Whole(shape) if axis > 0 => ty::apply(r, &Function::Slice(Some(axis as i64), None), &[*shape]),
            Form::Whole(shape) => Ok(*shape),
            Form::Dims(dims) => Ok(Form::Dims(dims.get(axis..).unwrap_or_default().to_vec()).shape(r)),
        }
    }

    /// The product of the sizes from an axis on, which counts from 0.
    pub fn product_from(&self, r: &mut dyn Facts, axis: usize) -> Result<TermId, Stop> {
        match self {
            Form::Dims(dims) => r.product_of(dims.get(axis..).unwrap_or_default()),
            Form::Whole(_) => {
                let rest = self.from(r, axis)?;
                ty::apply(r, &Function::Prod, &[rest])
            }
        }
    }
}

/// Where a checked axis is. It may have been checked when the rank was not known yet: then it may count from the end,
/// and there may be no such axis, which is then behind the last one.
fn place(dims: &[TermId], axis: i64) -> usize {
    if axis < 0 { dims.len().wrapping_sub(axis.unsigned_abs() as usize) } else { axis as usize }
}

/// Asserts that the (only) result is a tensor of this shape.
pub(super) fn result(r: &mut dyn Facts, form: &Form, dtype: TermId) -> Step {
    let shape = form.shape(r);
    let tensor = r.make(Term::Tensor { shape, dtype });
    r.result_is(tensor)
}
