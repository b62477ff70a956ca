//! Rules of the operators in `sparse`: tensors given by their nonzero elements, as rows of indices beside values.

use super::dims::equate;
use super::index::{scalar, signed};
use super::{all_tensors, attr_error, can_all_be_tensors, rank_error};
use base::ToList;
use ty::{Dtype, Facts, Relation, Size, Step, Stop, TermId};

/// More rows, nobody knows how many.
pub static SPARSE_FILL_EMPTY_ROWS: Relation =
    Relation { name: "sparse_fill_empty_rows", n_outputs: 1, rule: sparse_fill_empty_rows };
/// The same rows, as long as the new shape.
pub static SPARSE_RESHAPE: Relation = Relation { name: "sparse_reshape", n_outputs: 1, rule: sparse_reshape };
/// The shape attribute with the dtype of the values.
pub static SPARSE_TO_DENSE: Relation = Relation { name: "SparseToDense", n_outputs: 1, rule: sparse_to_dense };

fn sparse_fill_empty_rows(r: &mut dyn Facts) -> Step {
    can_all_be_tensors(r)?;
    let (indices, dtype) = r.tensor_of_rank(0, 2)?;
    signed(r, dtype, "indices")?;
    let (values, _) = r.tensor_of_rank(1, 1)?;
    let (shape, shape_dtype) = r.tensor_of_rank(2, 1)?;
    signed(r, shape_dtype, "the sizes of a shape")?;
    let pairs = [(indices[0], values[0]), (indices[1], shape[0])];
    equate(r, &pairs, "there is one row of indices for each value and one column for each axis")?;
    let (any, int64) = (r.make_size(Size::ANY), r.make_dtype(Dtype::Int64));
    let (rows, vector) = (r.make_tensor(&[any, indices[1]], int64), r.make_tensor(&[any], int64));
    let tuple = r.make_tuple(&[rows, vector, vector]);
    r.result_is(tuple)?;
    all_tensors(r)
}

fn sparse_reshape(r: &mut dyn Facts) -> Step {
    let (indices, dtype) = r.tensor_of_rank(0, 2)?;
    signed(r, dtype, "indices")?;
    let (old, old_dtype) = r.tensor_of_rank(1, 1)?;
    signed(r, old_dtype, "the sizes of a shape")?;
    let (new, new_dtype) = r.tensor_of_rank(2, 1)?;
    signed(r, new_dtype, "the sizes of a shape")?;
    let pairs = [(indices[1], old[0])];
    equate(r, &pairs, "there is one column of indices for each axis")?;
    let fields = [r.make_tensor(&[indices[0], new[0]], dtype), r.make_tensor(&new, new_dtype)];
    let tuple = r.make_tuple(&fields);
    r.result_is(tuple)
}

/// The dtype of a dense tensor, whose indices, values and default are the first operands.
pub(super) fn dense_dtype(r: &dyn Facts) -> Result<TermId, Stop> {
    let (indices, index_dtype) = r.tensor(0)?;
    let (values, dtype) = r.tensor(1)?;
    signed(r, index_dtype, "indices")?;
    for (operand, found, most) in [(0, indices.len(), 2), (1, values.len(), 1)] {
        if found > most {
            return rank_error(r, operand, format!("{most} or less"), found);
        }
    }
    scalar(r, 2)?;
    Ok(dtype)
}

fn sparse_to_dense(r: &mut dyn Facts) -> Step {
    let Some(shape) = r.attrs().ints("output_shape").filter(|shape| shape.iter().all(|&size| size >= 0)) else {
        return attr_error(r, "output_shape", "a list of sizes of at least 0");
    };
    let dtype = dense_dtype(r)?;
    let sizes: Vec<Size> = shape.into_iter().map(Size::known).list();
    r.result_sizes(&sizes, dtype)
}
