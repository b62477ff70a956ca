//! Loops along one axis of a tensor of any dtype, whose elements lie in memory as they are: what pools of other dtypes
//! and layouts than those of [`crate::pool`] do, one axis after the other.
//!
//! ```
//! use kernel::{along::Windows, elementwise::Binary, native::Loop, slide, wide::Format};
//! // The larger of two neighbours, for two channels of bytes side by side.
//! let along = slide::Along { stride: 2, dilation: 1, before: 0, after: 0 };
//! let looks = slide::forward(&along, 4, 2, 2);
//! let step = Loop::new(Binary::Maximum, Format::UInt8).unwrap();
//! let pool = Windows::new(step, &[0], &looks, [4, 2]).unwrap();
//! let mut largest = [0; 4];
//! pool.run(&[1, 20, 3, 10, 5, 5, 4, 6], &mut largest, &mut Vec::new()).unwrap();
//! assert_eq!(largest, [3, 20, 5, 6]);
//! ```

use crate::native::{Loop, repeat};
use crate::slide::Look;

/// Windows along an axis, each of which folds what it sees, in order.
pub struct Windows {
    step: Loop,
    /// An element that the step leaves as it is.
    neutral: Vec<u8>,
    stretches: Vec<Stretch>,
    /// How many of them are of the first elements that positions see.
    n_first: usize,
    is_blind: bool,
    /// Along the axis, of the data and of the result.
    sizes: [usize; 2],
    /// Bytes of an element with what is inside of it.
    inner: usize,
}

/// Positions side by side that see elements equally far from each other.
#[derive(Clone, Copy)]
struct Stretch {
    position: usize,
    element: usize,
    apart: usize,
    n: usize,
}

/// More would be a table of some size.
const MOST_STRETCHES: usize = 1 << 20;

impl Stretch {
    /// Whether this position and element continue it.
    fn goes_on(&mut self, position: usize, element: usize) -> bool {
        if self.n == 1 && element >= self.element {
            self.apart = element - self.element;
        }
        let goes_on = [position, element] == [self.position + self.n, self.element + self.n * self.apart];
        self.n += usize::from(goes_on);
        goes_on
    }
}

impl Windows {
    /// `looks` are those along an axis of some size, with so many elements inside of each of its places. `None`: they
    /// are too many for a table, or none at all.
    pub fn new(step: Loop, neutral: &[u8], looks: &[Look], [size, inner]: [usize; 2]) -> Option<Windows> {
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut n_first = 0;
        for part in 0..looks.iter().map(|look| look.n_elements()).max()? {
            let start = stretches.len();
            for (position, look) in looks.iter().enumerate() {
                let Some(element) = look.element(part) else { continue };
                if !stretches[start..].last_mut().is_some_and(|last| last.goes_on(position, element)) {
                    stretches.push(Stretch { position, element, apart: 1, n: 1 });
                }
            }
            if part == 0 {
                n_first = stretches.len();
            }
            (stretches.len() <= MOST_STRETCHES).then_some(())?;
        }
        let is_blind = looks.iter().any(|look| look.n_elements() == 0);
        let (sizes, inner) = ([size, looks.len()], inner * neutral.len());
        Some(Windows { step, neutral: neutral.to_vec(), stretches, n_first, is_blind, sizes, inner })
    }

    /// `None`: the lengths are not those of lines. What is in `beside` does not matter.
    pub fn run(&self, from: &[u8], to: &mut [u8], beside: &mut Vec<u8>) -> Option<()> {
        let inner = self.inner;
        let [line, line_to] = self.sizes.map(|size| size * inner);
        beside.resize(line_to.max(beside.len()), 0);
        for (from, to) in from.chunks_exact(line).zip(to.chunks_exact_mut(line_to)) {
            if self.is_blind {
                repeat(&self.neutral, to);
            }
            for (at, &Stretch { position, element, apart, n }) in self.stretches.iter().enumerate() {
                let folded = if at < self.n_first { Some(&self.neutral[..]) } else { None };
                let (from, to) = (&from[element * inner..], &mut to[position * inner..][..n * inner]);
                if apart == 1 {
                    self.step.run([folded, Some(&from[..to.len()])], to)?;
                } else {
                    // Elements that lie apart are brought side by side.
                    let beside = &mut beside[..to.len()];
                    match inner {
                        1 => bring::<1>(from, apart, beside),
                        4 => bring::<4>(from, apart, beside),
                        8 => bring::<8>(from, apart, beside),
                        _ => {
                            for (i, to) in beside.chunks_exact_mut(inner).enumerate() {
                                to.copy_from_slice(&from[i * apart * inner..][..inner]);
                            }
                        }
                    }
                    self.step.run([folded, Some(beside)], to)?;
                }
            }
        }
        Some(())
    }
}

/// Elements of `N` bytes that lie `apart` places apart, side by side.
fn bring<const N: usize>(from: &[u8], apart: usize, to: &mut [u8]) {
    for (i, to) in to.as_chunks_mut::<N>().0.iter_mut().enumerate() {
        to.copy_from_slice(&from[i * apart * N..][..N]);
    }
}
