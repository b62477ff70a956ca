//! Rules that keep the data's type, and normalisation.

use super::form::Form;
use super::linear::vectors_along;
use super::{can_be_tensor, expect_tensor};
use ty::{Facts, Relation, Step};

/// The result is the data; `axis` must be one of its axes.
pub static SOFTMAX: Relation = Relation { name: "Softmax", n_outputs: 1, rule: has_axis_of_data };
/// The data, and a mask of the same type.
pub static DROPOUT: Relation = Relation { name: "Dropout", n_outputs: 1, rule: dropout };
/// Four vectors as long as the data's axis; the result is the data, the mean and the variance.
pub static BATCH_NORM: Relation = Relation { name: "BatchNorm", n_outputs: 1, rule: batch_norm };
/// The first field of what that gives.
pub static NORMAL_DATA: Relation = Relation { name: "BatchNorm", n_outputs: 1, rule: normal_data };

/// The result is the data; the attribute `axis` must be one of its axes.
pub(super) fn has_axis_of_data(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    let data = r.arg(0);
    let (shape, _) = Form::operand(r, 0)?;
    let axis = shape.axis(r, "axis", r.attrs().int("axis").unwrap_or(-1), 0)?;
    r.result_is(data)?;
    shape.has_axis(r, axis)
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

fn normal_data(r: &mut dyn Facts) -> Step {
    vectors_along(r, 1..5, 1)?;
    let data = r.arg(0);
    r.result_is(data)
}
