//! Moves of elements that are described by where each comes from, and orders of elements.
//!
//! A place is an offset in row-major order, or [`NOWHERE`]. Computing all places first and moving afterwards keeps one
//! loop for every operator and element type.
//!
//! ```
//! use kernel::index::{NOWHERE, places};
//! // The upper triangle of a 2 by 2 matrix.
//! let upper = places(&[2, 2], &mut |at| if at[0] <= at[1] { 2 * at[0] + at[1] } else { NOWHERE });
//! assert_eq!(upper, [0, 1, NOWHERE, 3]);
//! ```

use crate::native::copy_short;
use crate::strided::count;

/// The place of an element that comes from no operand.
pub const NOWHERE: usize = usize::MAX;

/// Places that are `step` apart, from `first` on.
pub fn count_up(first: usize, step: usize, places: &mut [usize]) {
    let mut next = first;
    for place in places {
        *place = next;
        next += step;
    }
}

/// Moves each place along an axis of some size to the index that names it there, by the axis' stride. The answer is no
/// where an index names none; places are then any.
pub fn name(indices: &[i32], (size, stride): (usize, usize), places: &mut [usize]) -> bool {
    let mut are_named = true;
    for (place, &index) in places.iter_mut().zip(indices) {
        let index = index as usize;
        are_named &= index < size;
        *place = place.wrapping_add(index.wrapping_mul(stride));
    }
    are_named
}

/// The rows, of so many bytes, that indices name, one after the other. `None` where one names none; the result is then
/// any.
pub fn rows(from: &[u8], indices: &[i32], length: usize, to: &mut [u8]) -> Option<()> {
    fn few<const N: usize>(from: &[u8], indices: &[i32], to: &mut [u8]) -> Option<()> {
        let from = from.as_chunks::<N>().0;
        for (to, &index) in to.as_chunks_mut::<N>().0.iter_mut().zip(indices) {
            *to = *from.get(index as usize)?;
        }
        Some(())
    }
    match length {
        1 => few::<1>(from, indices, to),
        2 => few::<2>(from, indices, to),
        4 => few::<4>(from, indices, to),
        8 => few::<8>(from, indices, to),
        _ => {
            for (to, &index) in to.chunks_exact_mut(length).zip(indices) {
                let start = (index as usize).checked_mul(length)?;
                copy_short(from.get(start..)?.get(..length)?, to);
            }
            Some(())
        }
    }
}

/// Calls `visit` with each index of a shape, in row-major order.
pub fn each_index(shape: &[usize], visit: &mut dyn FnMut(&[usize])) {
    let mut index = vec![0; shape.len()];
    for _ in 0..count(shape) {
        visit(&index);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// Where the element of each index of a shape comes from.
pub fn places(shape: &[usize], place: &mut dyn FnMut(&[usize]) -> usize) -> Vec<usize> {
    let mut places = Vec::with_capacity(count(shape));
    each_index(shape, &mut |index| places.push(place(index)));
    places
}

/// The offset of an index: how far each coordinate goes by its stride.
pub fn offset(index: &[usize], strides: &[usize]) -> usize {
    index.iter().zip(strides).map(|(&at, &stride)| at * stride).sum()
}

/// The coordinates of an offset in row-major order. No size is 0.
pub fn coordinates(offset: usize, shape: &[usize]) -> Vec<usize> {
    let mut left = offset;
    let mut index = vec![0; shape.len()];
    for (at, &size) in index.iter_mut().zip(shape).rev() {
        *at = left % size;
        left /= size;
    }
    index
}

/// A number whose order among its like is that of floats: -0 is 0, and NaN is above infinity.
pub fn float_key(x: f64) -> u64 {
    let bits = (if x.is_nan() { f64::NAN.abs() } else { x + 0.0 }).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// As [`float_key`], of a signed integer.
pub fn int_key(x: i64) -> u64 {
    x as u64 ^ 1 << 63
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_count_up() {
        let mut seen = Vec::new();
        each_index(&[2, 2], &mut |index| seen.push(index.to_vec()));
        assert_eq!(seen, [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(places(&[], &mut |index| index.len()), [0]);
        assert_eq!(places(&[2, 0], &mut |_| 7), []);
        assert_eq!(coordinates(5, &[2, 3]), [1, 2]);
        assert_eq!(offset(&[1, 2], &[3, 1]), 5);
    }

    #[test]
    fn indices_name_places_within_their_axis() {
        let mut places = [0; 3];
        count_up(100, 24, &mut places);
        assert_eq!(places, [100, 124, 148]);
        assert!(name(&[2, 0, 1], (3, 8), &mut places));
        assert_eq!(places, [116, 124, 156]);
        assert!(!name(&[0, 3, 0], (3, 8), &mut places));
        assert!(!name(&[0, -1, 0], (3, 8), &mut places));
    }

    #[test]
    fn rows_are_taken_by_their_indices() {
        let from: Vec<u8> = (0..60).collect();
        for length in [1, 2, 3, 4, 8, 12] {
            let mut to = vec![0; 3 * length];
            assert!(rows(&from, &[2, 0, 2], length, &mut to).is_some());
            for (row, start) in to.chunks(length).zip([2, 0, 2]) {
                assert_eq!(row, &from[start * length..][..length]);
            }
            let n = (60 / length) as i32;
            for index in [n, -1, i32::MIN, i32::MAX] {
                assert!(rows(&from, &[0, index, 0], length, &mut to).is_none(), "{index} of {n}");
            }
        }
    }

    #[test]
    fn keys_have_the_order_of_numbers() {
        let floats = [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 1.0, f64::INFINITY, f64::NAN];
        assert!(floats.windows(2).all(|pair| float_key(pair[0]) < float_key(pair[1])));
        assert_eq!(float_key(-0.0), float_key(0.0));
        assert_eq!(float_key(-f64::NAN), float_key(f64::NAN));
        let ints = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(ints.windows(2).all(|pair| int_key(pair[0]) < int_key(pair[1])));
    }
}
