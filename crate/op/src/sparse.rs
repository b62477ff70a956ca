//! Operators on sparse tensors: rows of indices beside the values that stand there.

use crate::dynamic::sizes;
use crate::places::{filled, moved, tuple, within};
use crate::rule::sparse::{SPARSE_FILL_EMPTY_ROWS, SPARSE_RESHAPE, SPARSE_TO_DENSE};
use crate::run::{Call, Fault, Kernel, cast_arg, ints};
use crate::{AttrForm, AttrSpec, Op};
use base::{Append, ToList};
use kernel::index::coordinates;
use kernel::strided::{count, row_major};
use ty::{Dtype, Elements, Value};

/// The rows in the order of their first coordinates, and (row, 0, …) with the default value where there is none.
fn sparse_fill_empty_rows_of(call: &Call) -> Result<Value, Fault> {
    let (indices, values) = (call.tensor(0)?, cast_arg(&call.tensor(1)?, Dtype::Int64));
    let fill = cast_arg(&call.tensor(3)?, Dtype::Int64);
    let &[_, n_columns] = indices.shape() else { return Err(Fault::ill_typed()) };
    let Some(&n_rows) = sizes(&call.tensor(2)?)?.first() else {
        return Err(Fault::other("a shape without axes has no rows"));
    };
    call.room([n_rows])?;
    let (Elements::Int(values), Elements::Int(fill)) = (values, fill) else { return Err(Fault::ill_typed()) };
    let [fill] = fill[..] else { return Err(Fault::other("the default value is one number")) };
    let indices = indices.ints();
    let mut order: Vec<(usize, usize)> = Vec::new();
    let mut is_empty = vec![1; n_rows];
    for (place, row) in indices.chunks_exact(n_columns.max(1)).enumerate() {
        let row = within(row[0], n_rows)?;
        is_empty[row] = 0;
        order.push((row, place));
    }
    let n = values.len();
    order.append_all(is_empty.iter().enumerate().filter(|(_, empty)| **empty == 1).map(|(row, _)| (row, n)));
    base::sort(&mut order);
    call.room([order.len(), n_columns])?;
    let (mut rows, mut all) = (Vec::with_capacity(order.len() * n_columns), Vec::with_capacity(order.len()));
    for &(row, place) in &order {
        all.push(values.get(place).copied().unwrap_or(fill));
        let first = row as i64;
        match indices.get(place * n_columns..(place + 1) * n_columns) {
            Some(index) if place < n => rows.extend_from_slice(index),
            _ => rows.append_all((0..n_columns).map(|column| if column == 0 { first } else { 0 })),
        }
    }
    let n = order.len();
    Ok(tuple(vec![
        call.sized(0, vec![n, n_columns], ints(Dtype::Int64, rows.into_iter()))?,
        call.sized(1, vec![n], Elements::Int(all))?,
        call.sized(2, vec![n_rows], Elements::Int(is_empty))?,
    ]))
}

/// How many elements a shape has; a shape is refused where that, or a stride, is no number of the machine.
fn n_of(shape: &[usize]) -> Result<usize, Fault> {
    let strides = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size.max(1)));
    strides.map(|_| count(shape)).ok_or_else(Fault::out_of_memory)
}

fn sparse_reshape_of(call: &Call) -> Result<Value, Fault> {
    const NO_FIT: &str = "the new shape does not have as many places as the old one";
    let (indices, old) = (call.tensor(0)?, sizes(&call.tensor(1)?)?);
    let n = n_of(&old)?;
    let mut new = call.tensor(2)?.ints();
    // One size may be -1: what is left.
    if let Some(at) = new.iter().position(|&size| size == -1) {
        new[at] = 1;
        let others = new.iter().try_fold(1_i64, |all, &size| all.checked_mul(size)).unwrap_or(0);
        if others <= 0 || n as i64 % others != 0 {
            return Err(Fault::other(NO_FIT));
        }
        new[at] = n as i64 / others;
    }
    let shape: Vec<usize> =
        new.iter().map(|&size| usize::try_from(size)).ok_list().map_err(|_| Fault::other(NO_FIT))?;
    if n_of(&shape)? != n {
        return Err(Fault::other(NO_FIT));
    }
    let strides = row_major(&old);
    let mut rows = Vec::new();
    let values = indices.ints();
    for row in values.chunks_exact(old.len().max(1)) {
        let mut place = 0;
        for (&at, (&size, &stride)) in row.iter().zip(old.iter().zip(&strides)) {
            place += within(at, size)? * stride;
        }
        rows.append_all(coordinates(place, &shape).into_iter().map(|at| at as i64));
    }
    let (rows, sizes) = (ints(call.result(0)?.dtype, rows.into_iter()), ints(call.result(1)?.dtype, new.into_iter()));
    Ok(tuple(vec![call.value(0, rows)?, call.value(1, sizes)?]))
}

/// Each value fills what its row of indices names: one element, or all of the axes that the row does not reach. Of
/// several for one place the last counts.
fn sparse_to_dense_of(call: &Call) -> Result<Value, Fault> {
    let (indices, values, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let fill = cast_arg(&call.tensor(2)?, result.dtype).get(0);
    let n_columns = match indices.shape() {
        &[_, n_columns] => n_columns,
        _ => 1,
    };
    let n_rows = indices.shape().first().copied().unwrap_or(1);
    if n_columns > result.shape.len() || n_columns == 0 {
        return Err(Fault::other("the indices do not name axes of the shape"));
    }
    let n_values = values.elements().len();
    if n_values != n_rows && n_values != 1 {
        return Err(Fault::other("there is not one value for each row of indices"));
    }
    let (strides, inner) = (row_major(&result.shape), count(&result.shape[n_columns..]));
    let mut places = vec![kernel::index::NOWHERE; count(&result.shape)];
    for (row, index) in indices.ints().chunks_exact(n_columns).enumerate() {
        let mut from = 0;
        for (&at, (&size, &stride)) in index.iter().zip(result.shape.iter().zip(&strides)) {
            from += within(at, size)? * stride;
        }
        places[from..][..inner].fill(if n_values == 1 { 0 } else { row });
    }
    let elements = match places.is_empty() {
        true => filled(fill, 0),
        false => moved(&values.elements(), &places, fill),
    };
    call.one(elements)
}

pub const ROWS: &[Op] = &[
    Op {
        name: "sparse_fill_empty_rows",
        infix: None,
        args: &["sparse_indices", "sparse_values", "dense_shape", "default_value"],
        attrs: &[],
        relation: &SPARSE_FILL_EMPTY_ROWS,
        kernel: Kernel::Whole(sparse_fill_empty_rows_of),
        doc: "
Puts a default value into each row of a sparse matrix that has none: the indices, the values, and which rows were empty.
```relay
def @f(%i: Tensor[(5, 2), int64], %v: Tensor[(5), int64], %s: Tensor[(2), int64]) {
    sparse_fill_empty_rows(%i, %v, %s, 0i64)
#   ^? (Tensor[(?, 2), int64], Tensor[(?), int64], Tensor[(?), int64])
}
sparse_fill_empty_rows([[0i64, 1i64], [2i64, 0i64]], [5i64, 6i64], [3i64, 2i64], 7i64)
#=> ([[0i64, 1i64], [1i64, 0i64], [2i64, 0i64]], [5i64, 7i64, 6i64], [0i64, 1i64, 0i64])
```
",
    },
    Op {
        name: "sparse_reshape",
        infix: None,
        args: &["sparse_indices", "prev_shape", "new_shape"],
        attrs: &[],
        relation: &SPARSE_RESHAPE,
        kernel: Kernel::Whole(sparse_reshape_of),
        doc: "
The indices of the same elements in another shape, and that shape.
```relay
def @f(%i: Tensor[(4, 3), int64], %s: Tensor[(3), int64], %t: Tensor[(2), int64]) {
    sparse_reshape(%i, %s, %t)
#   ^? (Tensor[(4, 2), int64], Tensor[(2), int64])
}
sparse_reshape([[1i64, 2i64]], [2i64, 3i64], [3i64, -1i64])
#=> ([[2i64, 1i64]], [3i64, 2i64])
```
",
    },
    Op {
        name: "sparse_to_dense",
        infix: None,
        args: &["sparse_indices", "sparse_values", "default_value"],
        attrs: &[AttrSpec::required("output_shape", AttrForm::Ints)],
        relation: &SPARSE_TO_DENSE,
        kernel: Kernel::Whole(sparse_to_dense_of),
        doc: "
A tensor of `default_value` with the values where the rows of indices say.
```relay
def @f(%i: Tensor[(3, 2), int64], %v: Tensor[(3), float32]) {
    sparse_to_dense(%i, %v, 0f, output_shape=[4, 5])
#   ^? Tensor[(4, 5), float32]
}
sparse_to_dense([[0, 1], [1, 0]], [5, 6], 0, output_shape=[2, 2])
#=> [[0, 5], [6, 0]]
```
",
    },
];
