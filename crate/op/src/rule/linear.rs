//! Matrix products and biases.

use super::{broadcast, can_be_tensor, expect_tensor};
use ty::{Facts, Reason, Relation, Size, Step, Term, TermId};

/// `[…, k] × [units, k] → […, units]`.
pub static DENSE: Relation = Relation { name: "Dense", n_outputs: 1, rule: dense };
/// `[b, m, k] × [b, k, n] → [b, m, n]`, either operand transposed by its flag; a batch of 1 serves all.
pub static BATCH_MATMUL: Relation = Relation { name: "BatchMatmul", n_outputs: 1, rule: batch_matmul };
/// The bias is a vector as long as the data's axis; the result is the data.
pub static BIAS_ADD: Relation = Relation { name: "BiasAdd", n_outputs: 1, rule: bias_add };
/// As [`BIAS_ADD`]: one slope for each place along the axis.
pub static PRELU: Relation = Relation { name: "PRelu", n_outputs: 1, rule: bias_add };

/// The shapes of [`DENSE`] whose operands were not known.
pub(super) static DENSE_SHAPES: Relation = Relation { name: "Dense", n_outputs: 1, rule: dense_shapes };

fn dense_shapes(r: &mut dyn Facts) -> Step {
    let (mut data, weight) = (r.dims(r.arg(0))?, r.dims(r.arg(1))?);
    let (Some(last), [units, inner]) = (data.last_mut(), &weight[..]) else {
        return r.fail(Reason::Check("the data must have an axis and the weight must be a matrix".into()));
    };
    let of_data = std::mem::replace(last, *units);
    r.unify(of_data, *inner)?;
    let list = r.make_list(&data);
    let shape = r.make(Term::Shape(list));
    r.result_is(shape)
}

/// The dtype attribute `out_dtype`, or that of the data.
pub(super) fn out_dtype(r: &mut dyn Facts, data: TermId) -> TermId {
    match r.attrs().dtype("out_dtype") {
        Some(dtype) => r.make_dtype(dtype),
        None => data,
    }
}

pub(super) fn dense(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    can_be_tensor(r, 1)?;
    // Even of operands that are not known it is certain that they are tensors, and that the weight is a matrix.
    if r.peek_tensor(0)?.is_none() && r.attrs().int("units").is_none() {
        if r.peek_tensor(1)?.is_some() {
            r.tensor_of_rank(1, 2)?;
        }
        let (data, weight) = (r.arg(0), r.arg(1));
        let (shape, dtype) = expect_tensor(r, data)?;
        let (weight_shape, _) = expect_tensor(r, weight)?;
        let sizes = [r.make_hole(ty::Kind::Dim), r.make_hole(ty::Kind::Dim)];
        let list = r.make_list(&sizes);
        let matrix = r.make(Term::Shape(list));
        r.unify(matrix, weight_shape)?;
        let result_shape = r.make_hole(ty::Kind::Shape);
        let dtype = out_dtype(r, dtype);
        let result = r.make(Term::Tensor { shape: result_shape, dtype });
        r.result_is(result)?;
        r.post(&DENSE_SHAPES, &[shape, weight_shape, result_shape]);
        return Ok(());
    }
    let (data, dtype) = r.tensor(0)?;
    let Some(&inner) = data.last() else {
        return r.fail(Reason::Rank { operand: 0, want: "1 or more".into(), found: 0 });
    };
    let units = match r.attrs().int("units") {
        Some(units) => {
            let units = r.make_size(Size::known(units));
            // With a dtype of its own for the result, the operands' may differ.
            let weight_dtype = match r.attrs().dtype("out_dtype") {
                Some(_) => r.make_hole(ty::Kind::BaseType),
                None => dtype,
            };
            let weight = r.make_tensor(&[units, inner], weight_dtype);
            let given = r.arg(1);
            r.unify(weight, given)?;
            units
        }
        None => {
            let (weight, _) = r.tensor_of_rank(1, 2)?;
            r.unify(inner, weight[1])?;
            weight[0]
        }
    };
    let mut dims = data;
    *dims.last_mut().expect("the rank is at least 1") = units;
    let dtype = out_dtype(r, dtype);
    r.result(&dims, dtype)
}

pub(super) fn batch_matmul(r: &mut dyn Facts) -> Step {
    let (a, dtype) = r.tensor_of_rank(0, 3)?;
    let (b, _) = r.tensor_of_rank(1, 3)?;
    let (transpose_a, transpose_b) = (r.attrs().flag("transpose_a"), r.attrs().flag("transpose_b"));
    let (m, k) = if transpose_a { (a[2], a[1]) } else { (a[1], a[2]) };
    let (l, n) = if transpose_b { (b[2], b[1]) } else { (b[1], b[2]) };
    if let (Some(left), Some(right)) = (r.peek_number(k), r.peek_number(l))
        && left != right
    {
        return r.fail(Reason::Check(format!("the inner sizes {left} and {right} differ").into()));
    }
    if !(r.is_dynamic(k) || r.is_dynamic(l)) {
        r.unify(k, l)?;
    }
    let batch = broadcast::axis_result(r, a[0], b[0])?;
    let dtype = out_dtype(r, dtype);
    r.result(&[batch, m, n], dtype)
}

fn bias_add(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor(0)?;
    let axis = r.axis("axis", r.attrs().int("axis").unwrap_or(1), dims.len())?;
    let (bias, data) = (r.arg(1), r.arg(0));
    if let Term::Tensor { shape, .. } = r.peek(bias)
        && let Ok(found) = r.dims(shape)
        && found.len() != 1
    {
        return r.fail(Reason::Rank { operand: 1, want: "1".into(), found: found.len() });
    }
    let vector = r.make_tensor(&[dims[axis]], dtype);
    r.unify(vector, bias)?;
    r.result_is(data)
}
