//! Matrix products and biases.

use super::dims::{number, same};
use super::form::{self, Form};
use super::{
    attr_error, broadcast, can_be_tensor, can_have_rank, expect_dims, expect_rank, expect_type, peek_rank, rank_error,
    unless_unknown,
};
use ty::{Facts, Kind, Relation, Step, Stop, TermId};

/// `[…, k] × [units, k] → […, units]`.
pub static DENSE: Relation = Relation { name: "Dense", n_outputs: 1, rule: dense };
/// `[…, k] × [k, units]`, either operand transposed by its flag.
pub static MATMUL: Relation = Relation { name: "Matmul", n_outputs: 1, rule: matmul };
/// `[b, m, k] × [b, k, n] → [b, m, n]`, either operand transposed by its flag; a batch of 1 serves all.
pub static BATCH_MATMUL: Relation = Relation { name: "BatchMatmul", n_outputs: 1, rule: batch_matmul };
/// The bias is a vector as long as the data's axis; the result is the data.
pub static BIAS_ADD: Relation = Relation { name: "BiasAdd", n_outputs: 1, rule: bias_add };
/// As [`BIAS_ADD`]: one slope for each place along the axis.
pub static PRELU: Relation = Relation { name: "PRelu", n_outputs: 1, rule: bias_add };

/// The shapes of [`DENSE`].
pub(super) static DENSE_SHAPES: Relation = Relation { name: "Dense", n_outputs: 1, rule: dense_shapes };

fn dense_shapes(r: &mut dyn Facts) -> Step {
    let [data, weight] = [r.arg(0), r.arg(1)];
    unless_unknown(r, r.dims(weight).map(drop))?;
    let matrix = expect_dims(r, weight, 2)?;
    let data = Form::of(r, data);
    let last = data.axis(r, "axis", -1, 0)?;
    let inner = data.dim(r, last)?;
    r.unify(inner, matrix[1])?;
    let result = data.replaced(r, last, &matrix[..1])?;
    let result = result.shape(r);
    r.result_is(result)
}

/// The dtype attribute `out_dtype`, or that of the data.
pub(super) fn out_dtype(r: &mut dyn Facts, data: TermId) -> TermId {
    match r.attrs().dtype("out_dtype") {
        Some(dtype) => r.make_dtype(dtype),
        None => data,
    }
}

pub(super) fn units(r: &dyn Facts) -> Result<Option<i64>, Stop> {
    match r.attrs().int("units") {
        Some(units) if units < 1 => attr_error(r, "units", "a number of at least 1"),
        units => Ok(units),
    }
}

pub(super) fn dense(r: &mut dyn Facts) -> Step {
    product(r, false, true)
}

fn matmul(r: &mut dyn Facts) -> Step {
    let (transpose_a, transpose_b) = (r.attrs().flag("transpose_a"), r.attrs().flag("transpose_b"));
    product(r, transpose_a, transpose_b)
}

/// Even of operands that are not known it is certain that they are tensors, and that the weight is a matrix.
fn product(r: &mut dyn Facts, transpose_a: bool, transpose_b: bool) -> Step {
    let units = units(r)?;
    can_be_tensor(r, 0)?;
    can_have_rank(r, 1, 2)?;
    let least = if transpose_a { 2 } else { 1 };
    if let Some(found) = peek_rank(r, 0).filter(|&rank| rank < least) {
        return rank_error(r, 0, format!("{least} or more"), found);
    }
    let weight = r.arg(1);
    let (matrix, _) = expect_rank(r, weight, 2)?;
    // The data may be the weight: what is known of its shape is known only now.
    let (data, dtype) = Form::operand(r, 0)?;
    let last = data.axis(r, "axis", -1, 0)?;
    let inner = if transpose_a { data.axis(r, "axis", -2, 0)? } else { last };
    let inner_dim = data.dim(r, inner)?;
    let (other, columns) = if transpose_b { (matrix[1], matrix[0]) } else { (matrix[0], matrix[1]) };
    match units {
        Some(units) => {
            let units = number(r, units);
            let dims = if transpose_b { [units, inner_dim] } else { [inner_dim, units] };
            // With a dtype of its own for the result, the operands' may differ.
            let dtype = if r.attrs().dtype("out_dtype").is_some() { r.make_hole(Kind::BaseType) } else { dtype };
            expect_type(r, 1, &dims, dtype)?;
        }
        None => same(r, inner_dim, other, "the inner sizes are equal")?,
    }
    let data = match transpose_a {
        true => {
            let rows = data.dim(r, last)?;
            data.replaced(r, inner, &[rows])?
        }
        false => data,
    };
    let result = data.replaced(r, last, &[columns])?;
    let dtype = out_dtype(r, dtype);
    form::result(r, &result, dtype)
}

pub(super) fn batch_matmul(r: &mut dyn Facts) -> Step {
    can_have_rank(r, 0, 3)?;
    can_have_rank(r, 1, 3)?;
    let [a, b] = [r.arg(0), r.arg(1)];
    let (a, dtype) = expect_rank(r, a, 3)?;
    let (b, _) = expect_rank(r, b, 3)?;
    let (transpose_a, transpose_b) = (r.attrs().flag("transpose_a"), r.attrs().flag("transpose_b"));
    let (m, k) = if transpose_a { (a[2], a[1]) } else { (a[1], a[2]) };
    let (l, n) = if transpose_b { (b[2], b[1]) } else { (b[1], b[2]) };
    same(r, k, l, "the inner sizes are equal")?;
    let batch = broadcast::axis_result(r, a[0], b[0])?;
    let dtype = out_dtype(r, dtype);
    r.result(&[batch, m, n], dtype)
}

/// Asserts that operands are vectors along the attribute `axis` of the first one, with its dtype. Returns such a vector's
/// type: a size of the data that is known stays so, whatever is `?`.
pub(super) fn vectors_along(r: &mut dyn Facts, operands: std::ops::Range<usize>, axis: i64) -> Result<TermId, Stop> {
    can_be_tensor(r, 0)?;
    operands.clone().try_for_each(|operand| can_have_rank(r, operand, 1))?;
    let (data, dtype) = Form::operand(r, 0)?;
    let axis = data.axis(r, "axis", r.attrs().int("axis").unwrap_or(axis), 0)?;
    let dim = data.dim(r, axis)?;
    for operand in operands {
        expect_type(r, operand, &[dim], dtype)?;
    }
    Ok(r.make_tensor(&[dim], dtype))
}

fn bias_add(r: &mut dyn Facts) -> Step {
    vectors_along(r, 1..2, 1)?;
    let data = r.arg(0);
    r.result_is(data)
}
