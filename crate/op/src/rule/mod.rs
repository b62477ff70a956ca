//! The type relations of the built-in operators, by family. Each asks first and asserts then (`ty::Facts`).
//!
//! A `Relation` is written next to its rule; operator rows refer to it. Names are those of Relay.

mod broadcast;
mod conv;
pub(crate) mod conv_nd;
mod create;
pub(crate) mod dynamic;
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
mod shape;
pub(crate) mod sparse;
pub(crate) mod vision;

pub use broadcast::{BROADCAST, BROADCAST_COMP, BROADCAST_TO, IDENTITY, IDENTITY_COMP, WHERE};
pub use conv::{AVG_POOL2D, CONV2D, GLOBAL_AVG_POOL2D, MAX_POOL2D};
pub use create::{ARANGE, CAST, FULL, INIT_OP};
pub use layout::{DataLayout, permutation};
pub use linear::{BATCH_MATMUL, BIAS_ADD, DENSE, PRELU};
pub use norm::{BATCH_NORM, DROPOUT, SOFTMAX};
pub use reduce::{ARG_REDUCE, REDUCE, VARIANCE, reduced_axes};
pub use shape::{BATCH_FLATTEN, CONCATENATE, EXPAND_DIMS, RESHAPE, SPLIT, SQUEEZE, TAKE, TRANSPOSE, TUPLE_GET_ITEM};

use ty::{Facts, Kind, Reason, Relation, Size, Step, Stop, Term, TermId};

/// The relations that rules post on parts of their operands: each with the kind of its arguments, and how many it has.
pub(crate) static PARTS: [(&Relation, Kind, usize); 4] = [
    (&broadcast::BROADCAST_SHAPES, Kind::Shape, 3),
    (&broadcast::BROADCAST_AXIS, Kind::Dim, 3),
    (&broadcast::BROADCASTS_TO, Kind::Dim, 2),
    (&linear::DENSE_SHAPES, Kind::Shape, 3),
];

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

/// Fails unless an operand is or can become a tensor; suspends on a type parameter.
fn can_be_tensor(r: &dyn Facts, operand: usize) -> Step {
    match r.tensor_parts(operand) {
        Err(Stop::Wait(waits)) if !matches!(r.peek(waits[0]), Term::Hole(_)) => Err(Stop::Wait(waits)),
        Err(Stop::Wait(_)) | Ok(_) => Ok(()),
        Err(stop @ Stop::Fail(_)) => Err(stop),
    }
}

/// The product of sizes; `None` sizes make an unknown product.
fn product(sizes: &[Size]) -> Size {
    sizes.iter().fold(Size::known(1), |product, &size| product.combine(size, |a, b| a.saturating_mul(b)))
}

fn attr_error<T>(
    r: &dyn Facts,
    attr: &'static str,
    want: impl Into<std::borrow::Cow<'static, str>>,
) -> Result<T, Stop> {
    r.fail(Reason::Attr { attr, want: want.into() })
}
