//! Weights as Winograd's algorithm multiplies them.

use crate::conv::layout::{operand, permuted};
use crate::conv::window::{fault, numbers};
use crate::run::{Call, Fault, floats};
use base::ToList;
use kernel::winograd::{apply, matrix};
use ty::{Elements, Value};

/// Transforms the axes of a weight `[o, i, …]` from `first` on, and puts them and those between before the others.
fn transform(call: &Call, first: usize) -> Result<Value, Fault> {
    let (weight, result) = (operand(call, 0)?, call.result(0)?);
    let (mut shape, mut values) = (weight.shape.clone(), numbers(&weight));
    let tile = call.attrs.int("tile_size").unwrap_or(0);
    for axis in first..shape.len() {
        let Some(matrix) = usize::try_from(tile).ok().and_then(|tile| matrix(tile, shape[axis])) else {
            return fault(format!("tiles of {tile} and a window of {} have no transformation", shape[axis]));
        };
        values = apply(&values, &mut shape, axis, &matrix);
    }
    let kept = (2..first).chain([0, 1]);
    let axes: Vec<usize> = (first..shape.len()).chain(kept).list();
    let values = match permuted(&Elements::Float(values), &shape, &axes) {
        Elements::Float(values) => floats(result.dtype, values.into_iter()),
        integers @ Elements::Int(_) => integers,
    };
    call.one(values)
}

pub(super) fn winograd_weight2d(call: &Call) -> Result<Value, Fault> {
    transform(call, 2)
}

/// Depth is transformed only from 3 to 7.
pub(super) fn winograd_weight3d(call: &Call) -> Result<Value, Fault> {
    let depth = call.tensor(0)?.shape().get(2).copied().unwrap_or(0);
    transform(call, if (3..=7).contains(&depth) { 2 } else { 3 })
}
