//! Sparse matrices: elements (or blocks of them) row by row, their columns, and where each row begins.

use crate::conv::layout::{operand, permuted};
use crate::conv::window::{fault, numbers, rounded};
use crate::run::{Call, Fault};
use base::{Append, MapArray, ToList};
use kernel::number::Number;
use ty::{Elements, Fields, Tensor, Value};

/// Where an element stands in the matrix, and among the elements.
struct Entry {
    row: usize,
    column: usize,
    at: usize,
}

/// A sparse matrix, from its parts.
struct Matrix {
    entries: Vec<Entry>,
    n_rows: usize,
}

fn integers(x: &Tensor) -> Result<&[i64], Fault> {
    match &x.elements {
        Elements::Int(values) => Ok(values),
        Elements::Float(_) => Err(Fault::ill_typed()),
    }
}

impl Matrix {
    /// The operands from `first` on are elements, columns and starts; the matrix has `n_columns`.
    fn of(call: &Call, first: usize, n_columns: usize) -> Result<Matrix, Fault> {
        let (data, columns, starts) = (operand(call, first)?, operand(call, first + 1)?, operand(call, first + 2)?);
        let block = match data.shape[..] {
            [_] => [1, 1],
            [_, rows] => [rows, 1],
            [_, rows, columns] => [rows, columns],
            _ => return Err(Fault::ill_typed()),
        };
        let (columns, starts) = (integers(&columns)?, integers(&starts)?);
        let n_blocks = data.shape[0].min(columns.len());
        let mut entries = Vec::new();
        for (row, ends) in starts.windows(2).enumerate() {
            let end = usize::try_from(ends[1]).ok().filter(|&end| end <= n_blocks);
            let end = end.ok_or_else(|| Fault::index(ends[1]))?;
            let start = usize::try_from(ends[0]).map_err(|_| Fault::index(ends[0]))?;
            for (at, &column) in columns.iter().enumerate().take(end).skip(start) {
                let place = usize::try_from(column).ok().filter(|&place| place < n_columns / block[1].max(1));
                let place = place.ok_or_else(|| Fault::index(column))?;
                entries.append_all((0..block[0] * block[1]).map(|part| Entry {
                    row: row * block[0] + part / block[1],
                    column: place * block[1] + part % block[1],
                    at: at * block[0] * block[1] + part,
                }));
            }
        }
        Ok(Matrix { entries, n_rows: starts.len().saturating_sub(1) * block[0] })
    }

    /// Rows of `k` elements times the transposed matrix: `[m, k] × [n, k] → [m, n]`.
    fn product<T: Number>(&self, dense: &[T], k: usize, elements: &[T]) -> Vec<T> {
        let m = dense.len().checked_div(k).unwrap_or(0);
        let mut results = vec![T::ZERO; m * self.n_rows];
        for row in 0..m {
            for &Entry { row: to, column, at } in &self.entries {
                let sum = &mut results[row * self.n_rows + to];
                *sum = sum.multiply_add(dense[row * k + column], elements[at]);
            }
        }
        results
    }

    /// As [`product`](Matrix::product), of the elements in operand `index`.
    fn product_of(&self, call: &Call, dense: &Elements, k: usize, index: usize) -> Result<Elements, Fault> {
        let sparse = operand(call, index)?;
        Ok(match (dense, &sparse.elements) {
            (Elements::Int(dense), Elements::Int(sparse)) => Elements::Int(self.product(dense, k, sparse)),
            (Elements::Float(dense), _) => Elements::Float(self.product(dense, k, &numbers(&sparse))),
            (Elements::Int(_), Elements::Float(_)) => return Err(Fault::ill_typed()),
        })
    }
}

pub(super) fn sparse_dense(call: &Call) -> Result<Value, Fault> {
    let (dense, result) = (operand(call, 0)?, call.result(0)?);
    let &[m, k] = dense.shape.as_slice() else { return Err(Fault::ill_typed()) };
    let matrix = Matrix::of(call, 1, k)?;
    let mut product = matrix.product_of(call, &dense.elements, k, 1)?;
    if product.is_empty() {
        // Sums of nothing.
        let n = m * matrix.n_rows;
        product = if result.dtype.is_float() { Elements::Float(vec![0.0; n]) } else { Elements::Int(vec![0; n]) };
    }
    if call.attrs.flag("sparse_lhs") {
        product = permuted(&product, &[m, matrix.n_rows], &[1, 0]);
    }
    call.one(rounded(product, result.dtype))
}

pub(super) fn sparse_add(call: &Call) -> Result<Value, Fault> {
    let (mut dense, sparse) = (operand(call, 0)?, operand(call, 1)?);
    let &[rows, columns] = dense.shape.as_slice() else { return Err(Fault::ill_typed()) };
    let matrix = Matrix::of(call, 1, columns)?;
    if matrix.n_rows != rows {
        return fault(format!("a sparse matrix of {} rows is no part of one of {rows}", matrix.n_rows));
    }
    match (&mut dense.elements, &sparse.elements) {
        (Elements::Float(sums), _) => {
            let values = numbers(&sparse);
            matrix.entries.iter().for_each(|entry| sums[entry.row * columns + entry.column] += values[entry.at]);
        }
        (Elements::Int(sums), Elements::Int(values)) => matrix.entries.iter().for_each(|entry| {
            let sum = &mut sums[entry.row * columns + entry.column];
            *sum = sum.wrapping_add(values[entry.at]);
        }),
        (Elements::Int(_), Elements::Float(_)) => return Err(Fault::ill_typed()),
    }
    call.one(rounded(dense.elements, call.result(0)?.dtype))
}

pub(super) fn sparse_transpose(call: &Call) -> Result<Value, Fault> {
    let (data, columns, starts) = (operand(call, 0)?, operand(call, 1)?, operand(call, 2)?);
    let size = starts.elements.len().saturating_sub(1);
    let mut matrix = Matrix::of(call, 0, size)?;
    let n = matrix.entries.len();
    if data.shape.len() != 1 || n != data.elements.len() || n != columns.elements.len() || starts.elements.is_empty() {
        return fault(format!("the rows hold {n} of {} elements", data.elements.len()));
    }
    // They come in the order of their rows, and keep it in each column.
    base::sort_by_key(&mut matrix.entries, |entry| entry.column);
    let places: Vec<usize> = matrix.entries.iter().map(|entry| entry.at).list();
    let elements = match &data.elements {
        Elements::Float(values) => Elements::Float(places.iter().map(|&at| values[at]).list()),
        Elements::Int(values) => Elements::Int(places.iter().map(|&at| values[at]).list()),
    };
    let mut ends = vec![0_i64; size + 1];
    matrix.entries.iter().for_each(|entry| ends[entry.column + 1] += 1);
    (0..size).for_each(|row| ends[row + 1] += ends[row]);
    let rows = matrix.entries.iter().map(|entry| entry.row as i64).list();
    let parts = [elements, Elements::Int(rows), Elements::Int(ends)];
    let parts = parts.into_iter().enumerate().map(|(i, part)| call.value(i, part));
    Ok(Value::Tuple(Fields::new(parts.ok_list()?)))
}

/// A window of one place is a product with the channels of each place.
pub(super) fn sparse_conv2d(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (operand(call, 0)?, call.result(0)?);
    let size = call.attrs.ints("kernel_size").unwrap_or_default();
    if size.iter().any(|&size| size != 1) {
        return fault("only a window of one place can be run".to_owned());
    }
    let is_last = call.attrs.str("layout") == "NHWC";
    let axes = if is_last { [0, 1, 2, 3] } else { [0, 2, 3, 1] };
    let &[n, ..] = x.shape.as_slice() else { return Err(Fault::ill_typed()) };
    let [height, width, channels] = [1, 2, 3].each(|axis| x.shape[axes[axis]]);
    let dense = permuted(&x.elements, &x.shape, &axes);
    let matrix = Matrix::of(call, 1, channels)?;
    let product = matrix.product_of(call, &dense, channels, 1)?;
    let product = match is_last {
        true => product,
        false => permuted(&product, &[n, height, width, matrix.n_rows], &[0, 3, 1, 2]),
    };
    call.one(rounded(product, result.dtype))
}
