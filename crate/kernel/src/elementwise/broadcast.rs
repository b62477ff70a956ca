//! Operands whose shapes broadcast, as runs.
//!
//! Neighbouring axes along which the same operands repeat are merged, so that most broadcasts are one run (equal
//! shapes, or one element for all), or a run for each row (a row for all, or one element for each row). A [`Walk`] is
//! planned once from shapes; running it allocates nothing.
//!
//! ```
//! use kernel::elementwise::{Binary, Source, broadcast::{Walk, binary}};
//! let walk = Walk::new([&[2, 1], &[2]], &[2, 2]);
//! let mut sum = [0.0; 4];
//! binary(Binary::Add, &walk, [Source::Other(&[1.0, 2.0]), Source::Other(&[10.0, 20.0])], &mut sum);
//! assert_eq!(sum, [11.0, 21.0, 12.0, 22.0]);
//! ```

use super::loops::{self, Operand};
use super::{Binary, Source};
use crate::lanes::F32x4;
use crate::strided::{broadcast_strides, count};
use std::mem::MaybeUninit;

/// How `K` operands meet along a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk<const K: usize> {
    /// How many elements of the result there are.
    pub n: usize,
    /// The size of a run, and whether each operand moves along it.
    pub run: usize,
    pub moves: [bool; K],
    /// The axes over the run, innermost first: sizes, and strides of the operands.
    outer: Vec<(usize, [usize; K])>,
    /// How many elements each operand has at least.
    reach: [usize; K],
    /// Where each element comes from, if they are few and there is more than one run: to begin a run takes longer than
    /// to gather its elements.
    pub(super) places: Option<Box<[[u8; FEW]; K]>>,
}

/// Elements that are gathered at most.
pub const FEW: usize = 64;

impl<const K: usize> Walk<K> {
    /// Every shape broadcasts to the shape `to`.
    pub fn new(shapes: [&[usize]; K], to: &[usize]) -> Walk<K> {
        let strides = shapes.map(|shape| broadcast_strides(shape, to));
        let mut axes: Vec<(usize, [usize; K])> = vec![];
        for axis in (0..to.len()).rev().filter(|&axis| to[axis] != 1) {
            let strides: [usize; K] = std::array::from_fn(|operand| strides[operand][axis]);
            match axes.last_mut() {
                Some((size, inner)) if (0..K).all(|k| strides[k] == inner[k] * *size) => *size *= to[axis],
                _ => axes.push((to[axis], strides)),
            }
        }
        let (run, moves) =
            if axes.is_empty() { (1, [true; K]) } else { (axes[0].0, axes[0].1.map(|stride| stride != 0)) };
        axes.drain(..axes.len().min(1));
        let n = count(to);
        let last = |at: usize| -> usize { axes.iter().map(|(size, strides)| (size - 1) * strides[at]).sum() };
        let reach = |at: usize| if n == 0 { 0 } else { last(at) + if moves[at] { run } else { 1 } };
        let reach = std::array::from_fn(reach);
        let mut walk = Walk { n, run, moves, outer: axes, reach, places: None };
        if n <= FEW && run < n {
            let mut places = Box::new([[0; FEW]; K]);
            for at in 0..n {
                let offsets = walk.offsets(at / run);
                for k in 0..K {
                    places[k][at] = (offsets[k] + if moves[k] { at % run } else { 0 }) as u8;
                }
            }
            walk.places = Some(places);
        }
        walk
    }

    /// Where run `at` starts in each operand.
    pub fn offsets(&self, at: usize) -> [usize; K] {
        let (mut left, mut offsets) = (at, [0; K]);
        for (size, strides) in &self.outer {
            let index = left % size;
            left /= size;
            for (offset, stride) in offsets.iter_mut().zip(strides) {
                *offset += index * stride;
            }
        }
        offsets
    }

    /// Fills `to`, which has as many bytes for each element of the result as `from` has for one, with the elements that an
    /// operand has for the result's. `None`: they are many, or all one run, or `from` is too short.
    pub fn gather(&self, operand: usize, from: &[u8], to: &mut [u8]) -> Option<()> {
        fn each<const N: usize>(places: &[u8], from: &[u8], to: &mut [u8]) -> Option<()> {
            let from = from.as_chunks::<N>().0;
            for (to, &place) in to.as_chunks_mut().0.iter_mut().zip(places) {
                *to = *from.get(usize::from(place))?;
            }
            Some(())
        }
        let places = &self.places.as_ref()?[operand][..self.n];
        match to.len() / self.n {
            1 => each::<1>(places, from, to),
            2 => each::<2>(places, from, to),
            4 => each::<4>(places, from, to),
            _ => each::<8>(places, from, to),
        }
    }

    /// Whether every index that a walk makes is inside operands of these sizes.
    pub(super) fn fits(&self, lengths: [usize; K]) -> bool {
        (0..K).all(|operand| self.reach[operand] <= lengths[operand])
    }
}

/// `op` of every pair. An operand may only be the result where it has the result's shape.
pub fn binary(op: Binary, walk: &Walk<2>, operands: [Source; 2], to: &mut [f32]) {
    let result = to.as_mut_ptr();
    if let Some(places) = &walk.places {
        let n = to.len();
        assert!(walk.n == n);
        let mut gathered = [[MaybeUninit::<F32x4>::uninit(); FEW / 4]; 2];
        let [a, b] = std::array::from_fn(|at| match operands[at] {
            Source::Other(from) if from.len() != n => {
                assert!(walk.reach[at] <= from.len());
                // Four at a time, since vectors are read; behind the last element stands the first one.
                for (to, &[a, b, c, d]) in gathered[at][..n.div_ceil(4)].iter_mut().zip(places[at].as_chunks().0) {
                    // SAFETY: that is how far the walk reaches.
                    let one = |place: u8| unsafe { *from.get_unchecked(usize::from(place)) };
                    to.write(F32x4::from_array([one(a), one(b), one(c), one(d)]));
                }
                Operand::Each(gathered[at].as_ptr().cast())
            }
            Source::Other(from) => Operand::Each(from.as_ptr()),
            Source::Result => Operand::Each(result.cast_const()),
        });
        // SAFETY: each has `n` elements.
        return unsafe { loops::binary(op, a, b, result, n) };
    }
    runs(walk, operands, result, to.len(), |[a, b], start, n| {
        // SAFETY: the operands of a run have `n` elements, and runs follow each other in the result.
        unsafe { loops::binary(op, a, b, result.add(start), n) }
    });
}

/// Hands `body` the operands of each run, where it starts in the result, and how long it is. `result` is where operands
/// are that are the result.
pub(super) fn runs<const K: usize>(
    walk: &Walk<K>,
    operands: [Source; K],
    result: *mut f32,
    n: usize,
    mut body: impl FnMut([Operand; K], usize, usize),
) {
    let starts = operands.map(|operand| match operand {
        Source::Other(from) => (from.as_ptr(), from.len()),
        Source::Result => (result.cast_const(), n),
    });
    assert!(walk.n == n && walk.fits(starts.map(|(_, length)| length)));
    if n == 0 {
        return;
    }
    for run in 0..n / walk.run {
        let offsets = walk.offsets(run);
        let operand = |at: usize| {
            // SAFETY: `fits` has looked at the last offsets.
            let from = unsafe { starts[at].0.add(offsets[at]) };
            if walk.moves[at] { Operand::Each(from) } else { Operand::One(unsafe { *from }) }
        };
        body(std::array::from_fn(operand), run * walk.run, walk.run);
    }
}
