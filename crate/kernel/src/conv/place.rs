//! Where a window's places lie in an image, and the phases of a transposed convolution.
//!
//! Along an axis of stride 2 that is transposed, even positions see only elements through every other place of the
//! window, and odd ones through the others. Each remainder is a phase: a convolution forward, of stride 1, with the
//! places that take part. A convolution forward has one phase.

use super::{Axis, Direction, Geometry};
use crate::gemm::moves::{self, clear};
use crate::gemm::reserve;
use std::iter;
use std::ops::Range;

/// A window of one element that visits each.
pub(super) fn is_plain(axis: &Axis) -> bool {
    *axis == Axis::new(axis.size)
}

/// The part of the plane that windows see: the data, or a copy of some of it with zeros around.
#[derive(Clone, Debug)]
pub(super) struct Image {
    /// The data's sizes.
    sizes: [usize; 3],
    /// Where it starts, counted from the first element of the data.
    lows: [i64; 3],
    /// Its own sizes.
    extents: [usize; 3],
    is_copy: bool,
}

impl Image {
    /// For a weight of finite numbers. `None` if zeros around the data would take too much memory.
    #[inline(never)]
    pub fn of_finite(geometry: &Geometry) -> Option<Image> {
        let sizes = geometry.each(|axis| axis.size);
        let ranges = geometry.axes.each_ref().map(|axis| range(geometry.direction, axis));
        let is_copy = iter::zip(ranges, sizes).any(|([low, high], size)| low < 0 || high > size as i64);
        if !is_copy {
            return Some(Image { sizes, lows: [0; 3], extents: sizes, is_copy });
        }
        let seen = ranges.iter().try_fold(1_i64, |seen, [low, high]| seen.checked_mul(high - low))?;
        let known = sizes.iter().product::<usize>() + geometry.n_positions();
        (seen <= 4 * known as i64 + 4096).then(|| Image {
            sizes,
            lows: ranges.map(|[low, _]| low),
            extents: ranges.map(|[low, high]| (high - low) as usize),
            is_copy,
        })
    }

    /// Whether the zeros do not change what this weight sees.
    pub fn is_for(&self, weight: &[f32]) -> bool {
        !self.is_copy || are_below(f32::INFINITY, weight)
    }

    /// How many elements a copy has, of so many channels; 0 if there is none.
    pub fn n_copied(&self, n_channels: usize) -> usize {
        if self.is_copy { self.plane().saturating_mul(n_channels) } else { 0 }
    }

    fn plane(&self) -> usize {
        self.extents.iter().product()
    }

    /// How far a channel lies from the one before, and a row.
    pub fn steps(&self) -> [usize; 2] {
        [self.plane(), self.extents[2]]
    }

    /// The channels of a group, as the windows see them.
    #[inline(never)]
    pub fn of_group(&self, data: &[f32], n_channels: usize, copy: &mut Vec<f32>) -> *const f32 {
        if !self.is_copy {
            return data.as_ptr();
        }
        reserve(copy, n_channels * self.plane());
        let [n_planes, n_rows, n_columns] = self.extents;
        let [(planes_before, planes), (rows_before, rows), (columns_before, columns)] =
            [0, 1, 2].map(|axis| self.inside(axis));
        let (mut to, mut n_zeros) = (copy.as_mut_ptr(), 0);
        for channel in 0..n_channels {
            for plane in 0..n_planes {
                let plane = plane.wrapping_sub(planes_before);
                if plane >= planes.len() {
                    n_zeros += n_rows * n_columns;
                    continue;
                }
                let plane = channel * self.sizes[0] + planes.start + plane;
                n_zeros += rows_before * n_columns + columns_before;
                for row in rows.clone() {
                    let row = &data[(plane * self.sizes[1] + row) * self.sizes[2]..][columns.clone()];
                    unsafe {
                        clear(to, n_zeros);
                        moves::copy(row.as_ptr(), to.add(n_zeros), row.len());
                        to = to.add(n_zeros + row.len());
                    }
                    // Behind this row, and before the next.
                    n_zeros = n_columns - row.len();
                }
                let n_rows_after = n_rows - rows_before - rows.len();
                n_zeros = n_zeros + n_rows_after * n_columns - columns_before;
            }
        }
        unsafe { clear(to, n_zeros) }
        copy.as_ptr()
    }

    /// Along an axis, how many zeros are before the data, and which of the data are in the image.
    fn inside(&self, axis: usize) -> (usize, Range<usize>) {
        let (low, extent, size) = (self.lows[axis], self.extents[axis] as i64, self.sizes[axis] as i64);
        let first = low.clamp(0, size);
        let n_before = (first - low).clamp(0, extent);
        let n_seen = (extent - n_before).min(size - first);
        (n_before as usize, first as usize..(first + n_seen) as usize)
    }

    /// How far in the image an element of the data lies.
    fn at(&self, index: [i64; 3]) -> usize {
        let [plane, row, column] = [0, 1, 2].map(|axis| (index[axis] - self.lows[axis]) as usize);
        (plane * self.extents[1] + row) * self.extents[2] + column
    }

    /// How far in the image a position lies from the one before, along each axis.
    pub fn steps_of(&self, phase: &Phase) -> [usize; 3] {
        let [planes, rows, columns] = phase.steps;
        [planes * self.extents[1] * self.extents[2], rows * self.extents[2], columns]
    }

    /// As [`Phase::offsets`].
    #[inline(never)]
    fn offsets(&self, geometry: &Geometry, phase: &Phase) -> Vec<u32> {
        let places = phase.places(geometry);
        let mut offsets = Vec::new();
        for channel in 0..geometry.group_channels() {
            let start = channel * self.plane();
            for plane in &places[0] {
                for row in &places[1] {
                    let looks = places[2].iter().map(|column| [plane.look, row.look, column.look]);
                    offsets.extend(looks.map(|look| (start + self.at(look)) as u32));
                }
            }
        }
        offsets
    }
}

/// Whether all are numbers that without their sign are smaller.
pub(super) fn are_below(limit: f32, all: &[f32]) -> bool {
    all.iter().fold(0, |most, x| most.max(x.to_bits() << 1)) < limit.to_bits() << 1
}

/// The elements that an axis sees: from the first to behind the last.
fn range(direction: Direction, axis: &Axis) -> [i64; 2] {
    let (padding, stride) = (axis.padding as i64, axis.stride as i64);
    let reach = axis.kernel.saturating_sub(1) as i64 * axis.dilation as i64;
    let last = axis.output as i64 - 1;
    match direction {
        Direction::Forward => [-padding, last * stride + reach - padding + 1],
        Direction::Transposed => [(padding - reach).div_euclid(stride), (last + padding).div_euclid(stride) + 1],
    }
}

/// From a position of a phase to the next.
fn spacing(direction: Direction, axis: &Axis) -> usize {
    match direction {
        Direction::Forward => 1,
        Direction::Transposed => axis.stride,
    }
}

/// A place of the window along an axis, and the element that the first position of a phase sees through it.
struct Place {
    at: usize,
    look: i64,
}

/// Positions that see through the same places.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    /// The first position along each axis; the others follow at the strides of `spacing`.
    first: [usize; 3],
    spacing: [usize; 3],
    pub n_positions: [usize; 3],
    /// Elements from a position to the next.
    steps: [usize; 3],
    /// It has all positions.
    pub is_whole: bool,
    /// Where in the image of a group its first position sees an element, for each channel and place that takes part.
    pub offsets: Vec<u32>,
}

impl Phase {
    /// How many there are along each axis. Every position is in one.
    pub fn counts(geometry: &Geometry) -> [usize; 3] {
        [0, 1, 2].map(|at| spacing(geometry.direction, &geometry.axes[at]).min(geometry.axes[at].output))
    }

    /// The one that begins with this position.
    #[inline(never)]
    pub fn new(geometry: &Geometry, image: &Image, first: [usize; 3]) -> Phase {
        let spacing = geometry.axes.each_ref().map(|axis| spacing(geometry.direction, axis));
        let n_positions = [0, 1, 2].map(|at| (geometry.axes[at].output - first[at]).div_ceil(spacing[at]));
        let steps = match geometry.direction {
            Direction::Forward => geometry.each(|axis| axis.stride),
            Direction::Transposed => [1; 3],
        };
        let is_whole = n_positions == geometry.each(|axis| axis.output);
        let mut phase = Phase { first, spacing, n_positions, steps, is_whole, offsets: Vec::new() };
        phase.offsets = image.offsets(geometry, &phase);
        phase
    }

    /// Those that take part, along each axis.
    #[inline(never)]
    fn places(&self, geometry: &Geometry) -> [Vec<Place>; 3] {
        [0, 1, 2].map(|at| {
            let axis = &geometry.axes[at];
            let look = |place: usize| {
                let reach = place as i64 * axis.dilation as i64;
                match geometry.direction {
                    Direction::Forward => Some(reach - axis.padding as i64),
                    Direction::Transposed => {
                        let look = (self.first[at] + axis.padding) as i64 - reach;
                        let stride = axis.stride as i64;
                        (look.rem_euclid(stride) == 0).then(|| look.div_euclid(stride))
                    }
                }
            };
            (0..axis.kernel).filter_map(|place| Some(Place { at: place, look: look(place)? })).collect()
        })
    }

    /// From the weight of a group, `[channels, outputs, …kernel]`, what takes part: `[outputs, channels, …places]`.
    #[inline(never)]
    pub fn weight(&self, geometry: &Geometry, weight: &[f32], to: &mut Vec<f32>) {
        let places = self.places(geometry);
        let (n_places, n_outputs) = (geometry.n_places(), geometry.group_outputs());
        to.clear();
        for output in 0..n_outputs {
            for channel in 0..geometry.group_channels() {
                let weight = &weight[(channel * n_outputs + output) * n_places..][..n_places];
                for plane in &places[0] {
                    for row in &places[1] {
                        let start = (plane.at * geometry.axes[1].kernel + row.at) * geometry.axes[2].kernel;
                        to.extend(places[2].iter().map(|column| weight[start + column.at]));
                    }
                }
            }
        }
    }

    /// Puts the results of this phase, `[outputs, …positions]`, to their places among all.
    #[inline(never)]
    pub fn scatter(&self, geometry: &Geometry, results: &[f32], to: &mut [f32]) {
        let [n_planes, n_rows, n_columns] = geometry.each(|axis| axis.output);
        let [planes, rows, columns] = self.n_positions;
        let from = results.chunks_exact((planes * rows * columns).max(1));
        for (from, to) in iter::zip(from, to.chunks_exact_mut((n_planes * n_rows * n_columns).max(1))) {
            for (row, from) in from.chunks_exact(columns).enumerate() {
                let plane = self.first[0] + row / rows * self.spacing[0];
                let row = self.first[1] + row % rows * self.spacing[1];
                let to = &mut to[(plane * n_rows + row) * n_columns + self.first[2]..];
                for (to, from) in iter::zip(to.iter_mut().step_by(self.spacing[2]), from) {
                    *to = *from;
                }
            }
        }
    }
}
