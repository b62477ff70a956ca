//! Rules that keep the data's type, and normalisation.

use super::linear::vectors_along;
use super::{can_be_tensor, expect_tensor};
use std::sync::Arc;
use ty::{Facts, Relation, Step};

/// The result is the data; `axis` must be one of its axes.
pub static SOFTMAX: Relation = Relation { name: "Softmax", n_outputs: 1, rule: has_axis_of_data };
/// What is left to check of an axis when the rank is not known yet.
pub static HAS_AXIS: Relation = Relation { name: "HasAxis", n_outputs: 0, rule: has_axis };
/// The data, and a mask of the same type.
pub static DROPOUT: Relation = Relation { name: "Dropout", n_outputs: 1, rule: dropout };
/// Four vectors as long as the data's axis; the result is the data, the mean and the variance.
pub static BATCH_NORM: Relation = Relation { name: "BatchNorm", n_outputs: 1, rule: batch_norm };

/// The result is the data; the attribute `axis` must be one of its axes.
pub(super) fn has_axis_of_data(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    let data = r.arg(0);
    let rank = r.peek_tensor(0)?.map(|(dims, _)| dims.len());
    if let Some(rank) = rank {
        r.axis("axis", r.attrs().int("axis").unwrap_or(-1), rank)?;
    }
    expect_tensor(r, data)?;
    r.result_is(data)?;
    if rank.is_none() {
        // What else an operator has attributes for is nothing to it.
        let axis = r.attrs().only(&["axis"]);
        r.post_with((&HAS_AXIS).into(), &[data], Arc::new(axis));
    }
    Ok(())
}

fn has_axis(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    r.axis("axis", r.attrs().int("axis").unwrap_or(-1), dims.len()).map(drop)
}

fn dropout(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    let data = r.arg(0);
    expect_tensor(r, data)?;
    let pair = r.make_tuple(&[data, data]);
    r.result_is(pair)
}

fn batch_norm(r: &mut dyn Facts) -> Step {
    let vector = vectors_along(r, 1..5, 1)?;
    let data = r.arg(0);
    let result = r.make_tuple(&[data, vector, vector]);
    r.result_is(result)
}
