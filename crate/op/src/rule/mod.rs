//! The type relations of the built-in operators, by family. Each asks first and asserts then (`ty::Facts`).
//!
//! A `Relation` is written next to its rule; operator rows refer to it. Names are those of Relay.

mod broadcast;
pub(crate) mod conv_nd;
pub mod create;
mod dims;
pub(crate) mod dynamic;
mod form;
pub(crate) mod image;
pub(crate) mod index;
mod layout;
mod linear;
pub(crate) mod misc;
pub(crate) mod nn;
mod norm;
pub(crate) mod pool;
pub(crate) mod qnn;
pub(crate) mod random;
pub(crate) mod rearrange;
mod reduce;
pub(crate) mod reshape;
mod shape;
pub(crate) mod sparse;
pub(crate) mod vision;

use base::ToList;
pub use broadcast::{BROADCAST, BROADCAST_COMP, BROADCAST_TO, IDENTITY, IDENTITY_COMP, WHERE};
pub use conv_nd::CONV2D;
pub use create::{ARANGE, CAST, FULL, INIT_OP};
pub use layout::DataLayout;
pub use linear::{BATCH_MATMUL, BIAS_ADD, DENSE, MATMUL, PRELU};
pub use norm::{BATCH_NORM, DROPOUT, NORMAL_DATA, SOFTMAX};
pub use pool::{AVG_POOL2D, GLOBAL_AVG_POOL2D, MAX_POOL2D};
pub use reduce::{ARG_REDUCE, REDUCE, VARIANCE, reduced_axes};
pub use reshape::RESHAPE;
pub use shape::{BATCH_FLATTEN, CONCATENATE, EXPAND_DIMS, SPLIT, SQUEEZE, TAKE, TRANSPOSE, TUPLE_GET_ITEM};

use ty::{Facts, Kind, Reason, Relation, Step, Stop, Term, TermId};

/// The relations that rules post on parts of their operands: each with the kind of its arguments, and how many it has.
pub(crate) static PARTS: [(&Relation, Kind, usize); 8] = [
    (&broadcast::BROADCAST_SHAPES, Kind::Shape, 3),
    (&broadcast::BROADCAST_AXIS, Kind::Dim, 3),
    (&broadcast::BROADCASTS_TO, Kind::Dim, 2),
    (&linear::DENSE_SHAPES, Kind::Shape, 3),
    (&ty::AT_MOST, Kind::Dim, 2),
    (&ty::DIVIDES, Kind::Dim, 2),
    (&conv_nd::FITS, Kind::Dim, 2),
    (&conv_nd::FITS, Kind::Dim, 3),
];

/// Fails where the dtypes of two operands, or of parts of one, are known and differ.
fn same_dtypes(r: &dyn Facts, left: (usize, TermId), right: (usize, TermId)) -> Step {
    match (r.dtype(left.1), r.dtype(right.1)) {
        (Ok(a), Ok(b)) if a != b => r.fail(Reason::Dtypes { left: (left.0, a), right: (right.0, b) }),
        _ => Ok(()),
    }
}

/// Asserts that an operand is a tensor, whatever is known of it, and returns its shape and dtype.
fn expect_tensor(r: &mut dyn Facts, id: TermId) -> Result<(TermId, TermId), Stop> {
    if let Term::Tensor { shape, dtype } = r.peek(id) {
        return Ok((shape, dtype));
    }
    let shape = r.make_hole(Kind::Shape);
    let dtype = r.make_hole(Kind::BaseType);
    let tensor = r.make(Term::Tensor { shape, dtype });
    r.unify(tensor, id)?;
    Ok((shape, dtype))
}

/// What a rule asks before it asserts anything, if it ends with [`all_tensors`]: whether all operands are or can become
/// tensors. A type parameter is not known to be one, and waits.
fn can_all_be_tensors(r: &dyn Facts) -> Step {
    (0..r.n_inputs()).try_for_each(|operand| can_be_tensor(r, operand))
}

/// Asserts that all operands are tensors, also those of which a rule asks nothing else.
fn all_tensors(r: &mut dyn Facts) -> Step {
    can_all_be_tensors(r)?;
    for operand in 0..r.n_inputs() {
        let id = r.arg(operand);
        if r.peek(id).is_hole() {
            expect_tensor(r, id)?;
        }
    }
    Ok(())
}

/// Asserts that a term is a tensor of a rank that [`can_have_rank`] has asked about: its dims and dtype.
fn expect_rank(r: &mut dyn Facts, id: TermId, rank: usize) -> Result<(Vec<TermId>, TermId), Stop> {
    let (shape, dtype) = expect_tensor(r, id)?;
    Ok((expect_dims(r, shape, rank)?, dtype))
}

/// Asserts that an operand is a tensor of these dims, but where either is `?`, and of this dtype.
fn expect_type(r: &mut dyn Facts, operand: usize, dims: &[TermId], dtype: TermId) -> Step {
    let given = r.arg(operand);
    let (own, _) = expect_rank(r, given, dims.len())?;
    let is_any = |dim| r.is_dynamic(dim) && r.peek_number(dim).is_none();
    let dims = dims.iter().zip(own).map(|(&dim, own)| if is_any(dim) || is_any(own) { own } else { dim });
    let dims: Vec<TermId> = dims.list();
    let known = r.make_tensor(&dims, dtype);
    r.unify(known, given)
}

/// Asserts the rank of a shape.
fn expect_dims(r: &mut dyn Facts, shape: TermId, rank: usize) -> Result<Vec<TermId>, Stop> {
    match r.dims(shape) {
        Ok(dims) if dims.len() == rank => Ok(dims),
        Ok(_) | Err(_) => {
            let dims: Vec<TermId> = (0..rank).map(|_| r.make_hole(Kind::Dim)).list();
            let list = r.make_list(&dims);
            let known = r.make(Term::Shape(list));
            r.unify(known, shape)?;
            Ok(dims)
        }
    }
}

/// Only what is not known lets a rule go on; what is rigid suspends it.
fn unless_unknown(r: &dyn Facts, step: Step) -> Step {
    match step.as_ref().err().and_then(Stop::waits) {
        Some(waits) if waits.iter().all(|&wait| r.peek(wait).is_hole()) => Ok(()),
        _ => step,
    }
}

/// Fails unless an operand is or can become a tensor; suspends on a type parameter.
fn can_be_tensor(r: &dyn Facts, operand: usize) -> Step {
    unless_unknown(r, r.tensor_parts(operand).map(drop))
}

/// As [`can_be_tensor`], of a rank; suspends also on a shape parameter.
fn can_have_rank(r: &dyn Facts, operand: usize, rank: usize) -> Step {
    unless_unknown(r, r.tensor_of_rank(operand, rank).map(drop))
}

/// How many axes an argument has (operands from 0, the result after them), if that is known.
fn peek_rank(r: &dyn Facts, arg: usize) -> Option<usize> {
    match r.peek(r.arg(arg)) {
        Term::Tensor { shape, .. } => r.dims(shape).ok().map(|dims| dims.len()),
        _ => None,
    }
}

/// Posts a relation on parts of the operands, which has no attributes.
fn post_part(r: &mut dyn Facts, relation: &'static Relation, args: &[TermId]) {
    r.post_with(relation.into(), args, ty::Attrs::none());
}

fn rank_error<T>(
    r: &dyn Facts,
    operand: usize,
    want: impl Into<std::borrow::Cow<'static, str>>,
    found: usize,
) -> Result<T, Stop> {
    r.fail(Reason::Rank { operand, want: want.into(), found })
}

fn attr_error<T>(
    r: &dyn Facts,
    attr: &'static str,
    want: impl Into<std::borrow::Cow<'static, str>>,
) -> Result<T, Stop> {
    r.fail(Reason::Attr { attr, want: want.into() })
}
