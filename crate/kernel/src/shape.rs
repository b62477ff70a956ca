//! Moves of elements that compute nothing.
//!
//! ```
//! use kernel::{shape, strided::View};
//! // 1 2 3     1 4
//! // 4 5 6     2 5
//! //           3 6
//! assert_eq!(shape::transpose(View::new(&[1, 2, 3, 4, 5, 6], &[2, 3]), &[1, 0]), [1, 4, 2, 5, 3, 6]);
//! ```

use crate::strided::{Offsets, View, broadcast_strides, count, map3, row_major};

/// What [`take`] does with an index below 0 or past the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutOfRange {
    /// The nearest index in range: -1 is 0.
    Clip,
    /// Modulo the size: -1 is the last.
    Wrap,
    /// Stop, and name the index.
    Error,
}

/// Axis `i` of the result is axis `axes[i]` of the input.
pub fn transpose<T: Copy>(input: View<T>, axes: &[usize]) -> Vec<T> {
    let strides = row_major(input.shape);
    let to: Vec<usize> = axes.iter().map(|&axis| input.shape[axis]).collect();
    let strides: Vec<usize> = axes.iter().map(|&axis| strides[axis]).collect();
    Offsets::new(&to, [&strides]).map(|[from]| input.data[from]).collect()
}

/// The parts one after another along `axis`; their shapes agree on every other axis.
pub fn concatenate<T: Copy>(parts: &[View<T>], axis: usize) -> Vec<T> {
    let Some(first) = parts.first() else { return vec![] };
    let mut results = Vec::with_capacity(parts.iter().map(|part| part.data.len()).sum());
    for outer in 0..count(&first.shape[..axis]) {
        for part in parts {
            let run = count(&part.shape[axis..]);
            results.extend_from_slice(&part.data[outer * run..][..run]);
        }
    }
    results
}

/// The pieces between the `cuts` along `axis`, one more than there are cuts. Cuts ascend and are at most the size.
///
/// Cutting 5 elements at `[1, 3]` gives pieces of 1, 2 and 2.
pub fn split<T: Copy>(input: View<T>, axis: usize, cuts: &[usize]) -> Vec<Vec<T>> {
    let size = input.shape[axis];
    let n_outer = count(&input.shape[..axis]);
    let inner = count(&input.shape[axis + 1..]);
    let mut pieces = Vec::with_capacity(cuts.len() + 1);
    let mut start = 0;
    for at in 0..=cuts.len() {
        let end = cuts.get(at).copied().unwrap_or(size);
        let mut piece = Vec::with_capacity(n_outer * (end - start) * inner);
        for outer in 0..n_outer {
            piece.extend_from_slice(&input.data[outer * size * inner..][start * inner..end * inner]);
        }
        pieces.push(piece);
        start = end;
    }
    pieces
}

/// Elements of `data` along `axis`, named by `indices`; without an axis, elements of `data` flattened.
///
/// The result has the shape `data[..axis] + indices[batch_dims..] + data[axis + 1..]`. The first `batch_dims` axes
/// (at most `axis`) are common to both, and each batch has its own indices. The error is the first index that is out
/// of range and has no place to go: under [`OutOfRange::Error`], or whenever there is nothing to take from.
pub fn take<T: Copy>(
    data: View<T>,
    indices: View<i64>,
    axis: Option<usize>,
    batch_dims: usize,
    mode: OutOfRange,
) -> Result<Vec<T>, i64> {
    let flat = [data.data.len()];
    let (shape, axis) = axis.map_or((&flat[..], 0), |axis| (data.shape, axis));
    let size = shape[axis];
    let n_batches = count(&shape[..batch_dims]);
    let n_outer = count(&shape[batch_dims..axis]);
    let inner = count(&shape[axis + 1..]);
    let n_taken = count(&indices.shape[batch_dims..]);
    let mut results = Vec::with_capacity(n_batches * n_outer * n_taken * inner);
    for batch in 0..n_batches {
        for outer in 0..n_outer {
            let from = (batch * n_outer + outer) * size;
            for &index in &indices.data[batch * n_taken..][..n_taken] {
                let position = place(index, size, mode).ok_or(index)?;
                results.extend_from_slice(&data.data[(from + position) * inner..][..inner]);
            }
        }
    }
    Ok(results)
}

/// The input repeated along the axes that are missing or of size 1.
pub fn broadcast_to<T: Copy>(input: View<T>, to: &[usize]) -> Vec<T> {
    let strides = broadcast_strides(input.shape, to);
    Offsets::new(to, [&strides]).map(|[from]| input.data[from]).collect()
}

/// The operator `where`: `x` where the condition is not 0, else `y`, all broadcast to the shape `to`.
pub fn select<T: Copy>(condition: View<i64>, x: View<T>, y: View<T>, to: &[usize]) -> Vec<T> {
    map3(condition, x, y, to, |condition, x, y| if condition != 0 { x } else { y })
}

/// Where an index is in an axis of `size` places; `None` if nowhere.
pub fn place(index: i64, size: usize, mode: OutOfRange) -> Option<usize> {
    let last = i64::try_from(size).ok()?.checked_sub(1).filter(|&last| last >= 0)?;
    match mode {
        OutOfRange::Clip => Some(index.clamp(0, last) as usize),
        OutOfRange::Wrap => Some(index.rem_euclid(last + 1) as usize),
        OutOfRange::Error => (0..=last).contains(&index).then_some(index as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIX: [i32; 6] = [0, 1, 2, 3, 4, 5];
    const NONE: [i32; 0] = [];

    fn six(shape: &[usize]) -> View<'_, i32> {
        View::new(&SIX, shape)
    }

    #[test]
    fn transposes() {
        assert_eq!(transpose(six(&[1, 2, 3]), &[2, 0, 1]), [0, 3, 1, 4, 2, 5]);
        assert_eq!(transpose(six(&[3, 2]), &[0, 1]), SIX);
        assert_eq!(transpose(View::new(&[7], &[]), &[]), [7]);
        assert_eq!(transpose(View::new(&NONE, &[0, 2]), &[1, 0]), NONE);
    }

    #[test]
    fn concatenates_along_any_axis() {
        let (a, b) = (View::new(&[1, 2, 3, 4], &[2, 2]), View::new(&[5, 6], &[2, 1]));
        assert_eq!(concatenate(&[a, b], 1), [1, 2, 5, 3, 4, 6]);
        assert_eq!(concatenate(&[a, View::new(&[5, 6], &[1, 2])], 0), [1, 2, 3, 4, 5, 6]);
        assert_eq!(concatenate(&[View::new(&NONE, &[2, 0]), a], 1), [1, 2, 3, 4]);
        assert_eq!(concatenate::<i32>(&[], 0), NONE);
    }

    #[test]
    fn splits_are_undone_by_concatenation() {
        assert_eq!(split(six(&[2, 3]), 1, &[1]), [vec![0, 3], vec![1, 2, 4, 5]]);
        assert_eq!(split(six(&[6]), 0, &[0, 2, 2]), [vec![], vec![0, 1], vec![], vec![2, 3, 4, 5]]);
        assert_eq!(split(six(&[2, 3]), 0, &[]), [SIX.to_vec()]);
        assert_eq!(split(View::new(&NONE, &[0, 4]), 1, &[2]), [vec![], vec![]] as [Vec<i32>; 2]);
    }

    #[test]
    fn takes_along_an_axis_or_flattened() {
        let one = View::new(&[1], &[]);
        assert_eq!(take(six(&[2, 3]), one, Some(1), 0, OutOfRange::Error), Ok(vec![1, 4]));
        assert_eq!(take(six(&[2, 3]), one, Some(0), 0, OutOfRange::Error), Ok(vec![3, 4, 5]));
        assert_eq!(take(six(&[2, 3]), View::new(&[5, 0], &[2]), None, 0, OutOfRange::Error), Ok(vec![5, 0]));
        let twice = View::new(&[2, 0, 0, 2], &[2, 2]);
        assert_eq!(take(six(&[3, 2]), twice, Some(0), 0, OutOfRange::Error), Ok(vec![4, 5, 0, 1, 0, 1, 4, 5]));
        assert_eq!(take(View::new(&[7], &[]), View::new(&[0], &[1]), None, 0, OutOfRange::Error), Ok(vec![7]));
    }

    #[test]
    fn takes_out_of_range() {
        let wild = View::new(&[0, 9, -1, -4], &[4]);
        let from = View::new(&[10, 11, 12], &[3]);
        assert_eq!(take(from, wild, Some(0), 0, OutOfRange::Clip), Ok(vec![10, 12, 10, 10]));
        assert_eq!(take(from, wild, Some(0), 0, OutOfRange::Wrap), Ok(vec![10, 10, 12, 12]));
        assert_eq!(take(from, wild, Some(0), 0, OutOfRange::Error), Err(9));
        assert_eq!(take(from, View::new(&[-1], &[]), Some(0), 0, OutOfRange::Error), Err(-1));
        for mode in [OutOfRange::Clip, OutOfRange::Wrap, OutOfRange::Error] {
            assert_eq!(take(View::new(&NONE, &[0]), View::new(&[0], &[]), Some(0), 0, mode), Err(0));
            assert_eq!(take(View::new(&NONE, &[0]), View::new(&[], &[0]), Some(0), 0, mode), Ok(vec![]));
        }
    }

    #[test]
    fn each_batch_takes_by_its_own_indices() {
        let data: Vec<i32> = (0..12).collect();
        let indices = View::new(&[0, 2, 1, 1], &[2, 2]);
        let taken = take(View::new(&data, &[2, 3, 2]), indices, Some(1), 1, OutOfRange::Error);
        assert_eq!(taken, Ok(vec![0, 1, 4, 5, 8, 9, 8, 9]));
        // The axis lies one past the batch: data[:2] by indices[b, j] along the last axis.
        let taken = take(View::new(&data, &[2, 3, 2]), View::new(&[1, 0], &[2, 1]), Some(2), 1, OutOfRange::Error);
        assert_eq!(taken, Ok(vec![1, 3, 5, 6, 8, 10]));
    }

    #[test]
    fn broadcasts() {
        assert_eq!(broadcast_to(View::new(&[1, 2], &[2, 1]), &[2, 2, 3]), [1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2]);
        assert_eq!(broadcast_to(View::new(&[1], &[]), &[]), [1]);
        assert_eq!(broadcast_to(View::new(&[1], &[1]), &[0]), NONE);
    }

    #[test]
    fn selects_by_truth() {
        let condition = View::new(&[1, 0, -2], &[3]);
        assert_eq!(select(condition, View::new(&[1, 2, 3], &[3]), View::new(&[9], &[]), &[3]), [1, 9, 3]);
        let one = View::new(&[5], &[]);
        assert_eq!(select(View::new(&[0], &[]), one, View::new(&[6], &[]), &[]), [6]);
    }
}
