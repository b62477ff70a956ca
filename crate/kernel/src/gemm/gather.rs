//! Columns of a convolution's window, read from an image where they are: element `[p, j]` lies at the sum of an offset
//! for the term and one for the position.

use super::moves::load_even;
use super::tile::WIDTH;
use crate::lanes::{F32x4, Lanes};
use std::ops::Range;

/// A matrix whose rows are terms (channel and place in the window) and whose columns are positions of the window.
pub(crate) struct Gather {
    /// Its first element is that of the first term at the first position.
    pub image: *const f32,
    /// One for each term.
    pub offsets: *const u32,
    pub n_terms: usize,
    /// Positions along each axis, the last fastest.
    pub n_positions: [usize; 3],
    /// From a position to the next along each axis.
    pub steps: [usize; 3],
}

impl Gather {
    pub fn shape(&self) -> [usize; 2] {
        [self.n_terms, self.n_positions.iter().product()]
    }

    fn offset(&self, position: usize) -> usize {
        let [_, n_rows, n_columns] = self.n_positions;
        let (row, column) = (position / n_columns, position % n_columns);
        row / n_rows * self.steps[0] + row % n_rows * self.steps[1] + column * self.steps[2]
    }

    /// Writes the panel of these terms and positions. Absent positions repeat the last one.
    ///
    /// # Safety
    /// Terms and positions are inside the shape, and `to` has room for the panel.
    pub unsafe fn panel(&self, terms: Range<usize>, position: usize, n_positions: usize, to: *mut f32) {
        let at: [usize; WIDTH] = std::array::from_fn(|i| self.offset(position + i.min(n_positions - 1)));
        unsafe {
            let offsets = std::slice::from_raw_parts(self.offsets.add(terms.start), terms.len());
            match (0..WIDTH - 1).try_fold(at[1] - at[0], |step, i| (at[i + 1] == at[i] + step).then_some(step)) {
                Some(1) => each_term(self.image.add(at[0]), offsets, to, |from, quad| F32x4::load(from.add(quad))),
                Some(2) => each_term(self.image.add(at[0]), offsets, to, |from, quad| load_even(from.add(2 * quad))),
                _ => each_term(self.image, offsets, to, |from, quad| {
                    F32x4::from_array(std::array::from_fn(|i| *from.add(at[quad + i])))
                }),
            }
        }
    }
}

/// Writes a row of the panel for each offset: what is read behind it, four at a time.
#[inline(always)]
unsafe fn each_term(image: *const f32, offsets: &[u32], to: *mut f32, read: impl Fn(*const f32, usize) -> F32x4) {
    let mut to = to;
    for &offset in offsets {
        let from = image.wrapping_add(offset as usize);
        for quad in (0..WIDTH).step_by(4) {
            unsafe { read(from, quad).store(to.add(quad)) };
        }
        to = to.wrapping_add(WIDTH);
    }
}
