//! Slices with shapes, and the walk over several of them at once.
//!
//! A shape lists sizes, outermost first; rank 0 is one element. Strides count elements. Broadcasting aligns shapes at
//! their last axis; an axis that is missing or of size 1 is repeated by giving it the stride 0.
//!
//! ```
//! use kernel::strided::{Offsets, View, broadcast_strides, map2, row_major};
//! assert_eq!(row_major(&[2, 3, 4]), [12, 4, 1]);
//! assert_eq!(broadcast_strides(&[3, 1], &[2, 3, 4]), [0, 1, 0]);
//! // The second operand, of shape (2, 1), stays put along the last axis.
//! let walk: Vec<[usize; 2]> = Offsets::new(&[2, 2], [&[2, 1], &[1, 0]]).collect();
//! assert_eq!(walk, [[0, 0], [1, 0], [2, 1], [3, 1]]);
//! let product = map2(View::new(&[1, 2, 3, 4], &[2, 2]), View::new(&[10, 100], &[2, 1]), &[2, 2], |a, b| a * b);
//! assert_eq!(product, [10, 20, 300, 400]);
//! ```

use std::array;

/// Elements in row-major order and their shape.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    pub data: &'a [T],
    pub shape: &'a [usize],
}

impl<'a, T> View<'a, T> {
    /// `data` must hold as many elements as `shape` asks for.
    pub fn new(data: &'a [T], shape: &'a [usize]) -> View<'a, T> {
        debug_assert_eq!(data.len(), count(shape), "{} elements for the shape {shape:?}", data.len());
        View { data, shape }
    }
}

/// How many elements a shape has; one for rank 0.
pub fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// The strides of contiguous elements, last axis fastest.
pub fn row_major(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// The strides with which contiguous elements of `shape` are read as if they had the shape `to`.
///
/// `shape` must broadcast to `to`: no more axes, and each size equal or 1.
pub fn broadcast_strides(shape: &[usize], to: &[usize]) -> Vec<usize> {
    let missing = to.len() - shape.len();
    let mut strides = vec![0; missing];
    strides.extend(row_major(shape).iter().zip(shape).map(|(&stride, &size)| if size == 1 { 0 } else { stride }));
    strides
}

/// Visits the indices of a shape in row-major order and yields where each of `K` operands keeps that element.
///
/// An odometer: one index per axis, the last turns fastest, and offsets are carried along by adding strides. Only
/// [`Offsets::new`] allocates.
#[derive(Clone, Debug)]
pub struct Offsets<'a, const K: usize> {
    shape: &'a [usize],
    strides: [&'a [usize]; K],
    index: Vec<usize>,
    offsets: [usize; K],
    n_left: usize,
}

impl<'a, const K: usize> Offsets<'a, K> {
    /// Each operand gives one stride per axis of `shape`.
    pub fn new(shape: &'a [usize], strides: [&'a [usize]; K]) -> Offsets<'a, K> {
        Offsets { shape, strides, index: vec![0; shape.len()], offsets: [0; K], n_left: count(shape) }
    }

    fn advance(&mut self) {
        for axis in (0..self.shape.len()).rev() {
            self.index[axis] += 1;
            let full_turn = self.index[axis] == self.shape[axis];
            if full_turn {
                self.index[axis] = 0;
            }
            for k in 0..K {
                let stride = self.strides[k][axis];
                self.offsets[k] += stride;
                if full_turn {
                    self.offsets[k] -= stride * self.shape[axis];
                }
            }
            if !full_turn {
                return;
            }
        }
    }
}

impl<const K: usize> Iterator for Offsets<'_, K> {
    type Item = [usize; K];

    fn next(&mut self) -> Option<[usize; K]> {
        self.n_left = self.n_left.checked_sub(1)?;
        let here = self.offsets;
        self.advance();
        Some(here)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.n_left, Some(self.n_left))
    }
}

impl<const K: usize> ExactSizeIterator for Offsets<'_, K> {}

/// `f` of every pair, both operands broadcast to the shape `to`.
pub fn map2<A: Copy, B: Copy, R>(a: View<A>, b: View<B>, to: &[usize], f: impl Fn(A, B) -> R) -> Vec<R> {
    let mut results = Vec::with_capacity(count(to));
    walk(to, [a.shape, b.shape], &mut |[i, j]| results.push(f(a.data[i], b.data[j])));
    results
}

/// `f` of every triple, all operands broadcast to the shape `to`.
pub fn map3<A: Copy, B: Copy, C: Copy, R>(
    a: View<A>,
    b: View<B>,
    c: View<C>,
    to: &[usize],
    f: impl Fn(A, B, C) -> R,
) -> Vec<R> {
    let mut results = Vec::with_capacity(count(to));
    walk(to, [a.shape, b.shape, c.shape], &mut |[i, j, k]| results.push(f(a.data[i], b.data[j], c.data[k])));
    results
}

/// Calls `f` with the offsets of every element of `to` in operands of the given `shapes`.
fn walk<const K: usize>(to: &[usize], shapes: [&[usize]; K], f: &mut dyn FnMut([usize; K])) {
    if shapes.iter().all(|&shape| shape == to) {
        return (0..count(to)).for_each(|at| f([at; K]));
    }
    let strides = shapes.map(|shape| broadcast_strides(shape, to));
    Offsets::new(to, array::from_fn(|k| strides[k].as_slice())).for_each(f);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_of_small_shapes() {
        assert_eq!(row_major(&[]), [] as [usize; 0]);
        assert_eq!(row_major(&[5]), [1]);
        assert_eq!(row_major(&[2, 0]), [0, 1]);
        assert_eq!(broadcast_strides(&[], &[2, 3]), [0, 0]);
        assert_eq!(broadcast_strides(&[2, 3], &[2, 3]), [3, 1]);
        assert_eq!(count(&[]), 1);
        assert_eq!(count(&[2, 0, 3]), 0);
    }

    #[test]
    fn offsets_follow_permuted_strides() {
        let columns: Vec<[usize; 1]> = Offsets::new(&[3, 2], [&[1, 3]]).collect();
        assert_eq!(columns, [[0], [3], [1], [4], [2], [5]]);
        assert_eq!(Offsets::new(&[3, 2], [&[1, 3]]).len(), 6);
        assert_eq!(Offsets::new(&[3, 0], [&[1, 3]]).count(), 0);
        assert_eq!(Offsets::new(&[], [&[]; 2]).collect::<Vec<_>>(), [[0, 0]]);
    }

    #[test]
    fn maps_of_rank_zero_and_of_nothing() {
        let one = View::new(&[2], &[]);
        assert_eq!(map2(one, one, &[], |a, b| a * b), [4]);
        assert_eq!(map3(one, one, one, &[], |a, b, c| a * b * c), [8]);
        let none = View::new(&[], &[0, 1]);
        assert_eq!(map2(none, View::new(&[1, 2], &[2]), &[0, 2], |a: i32, b| a + b), []);
    }

    #[test]
    fn maps_broadcast_both_sides() {
        let row = View::new(&[1, 2, 3], &[3]);
        let column = View::new(&[10, 20], &[2, 1]);
        let one = View::new(&[100], &[]);
        assert_eq!(map2(row, row, &[3], |a, b| a * b), [1, 4, 9]);
        assert_eq!(map2(row, column, &[2, 3], |a, b| a + b), [11, 12, 13, 21, 22, 23]);
        assert_eq!(map2(one, row, &[3], |a, b| a - b), [99, 98, 97]);
        assert_eq!(map3(row, column, one, &[2, 3], |a, b, c| a + b + c), [111, 112, 113, 121, 122, 123]);
    }
}
