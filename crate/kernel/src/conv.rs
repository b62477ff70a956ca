//! Convolutions of float32 data over one to three axes, fast, forward and transposed.
//!
//! Data is `[n, c, …sizes]`. The weight is `[o, c / groups, …kernel]`, or `[c, o / groups, …kernel]` for a transposed
//! convolution; outputs of a group see only the channels of that group. The result is `[n, o, …outputs]`, where
//! position `y` along an axis sees, through place `i` of the window, the element `y · stride + i · dilation − padding`;
//! transposed, the element `x` for which `x · stride + i · dilation − padding` is `y`, if there is one. How many
//! positions there are is given, so padding behind, rounding up and output padding need no words here.
//!
//! A group is one product of matrices, weight times columns of the window, whose panels are gathered from the image on
//! the way (an implicit GEMM: S. Chetlur et al., "cuDNN: Efficient primitives for deep learning", 2014). A transposed
//! convolution is one for each remainder of the position by the stride ([`place`]). What surrounds the image is zeros
//! in a copy of it. A window of one element is a plain product; few outputs of one channel have a loop along rows
//! ([`depthwise`]). Many channels under a window of three by three may go by fewer products ([`winograd`]).
//!
//! Invariants:
//! - Every element is a sum in order of channel, then place in the window, row-major, that starts at zero: looks that
//!   miss the data add nothing, not even under an infinite weight. Then the bias, then `relu`. Natively and in
//!   WebAssembly it is the same to the bit. By fewer products it is not that sum, but as near as [`winograd`] says.
//! - The error bound is that of [`crate::gemm`], with the number of looks for `k`.
//! - Nothing outside of the slices is read or written; [`Prepared::run`] answers `None` if their lengths disagree with the
//!   geometry.
//!
//! Deliberately absent: channels last (transpose around it; a window of one element is a [`crate::gemm`] as it is), and
//! windows whose values are not linear.
//!
//! ```
//! use kernel::conv::{Axis, Direction, Geometry, Prepared, Scratch};
//! use kernel::gemm::Activation;
//! // 1 2 3 under a window of 1 10, with one zero in front: 10, 21, 32.
//! let line = Axis { kernel: 2, padding: 1, ..Axis::new(3) };
//! let axes = [Axis::new(1), Axis::new(1), line];
//! let geometry =
//!     Geometry { n_images: 1, n_channels: 1, n_outputs: 1, n_groups: 1, direction: Direction::Forward, axes };
//! let mut results = [0.0; 3];
//! let (data, weight) = ([1.0, 2.0, 3.0], [1.0, 10.0]);
//! let conv = Prepared::new(geometry).unwrap();
//! conv.run([&data, &weight], None, Activation::None, &mut results, &mut Scratch::default());
//! assert_eq!(results, [10.0, 21.0, 32.0]);
//! ```

#![allow(unsafe_code, reason = "loads and stores of lanes within slices whose lengths were checked on entry")]

mod depthwise;
mod direct;
mod place;
#[cfg(test)]
mod tests;
mod winograd;

use crate::gemm::gather::Gather;
use crate::gemm::panel::Columns;
use crate::gemm::tile::Finish;
use crate::gemm::{Activation, Bias, Epilogue, Matrix, Out, product, reserve};
use place::{Image, Phase};
use winograd::{LIMIT, Winograd};

/// Attributes beyond this are not for these kernels.
const MOST: usize = 1 << 30;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Forward,
    Transposed,
}

/// One axis of the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axis {
    pub size: usize,
    /// Places of the window.
    pub kernel: usize,
    /// Positions of the window: the size of the result.
    pub output: usize,
    /// At least 1, as the dilation.
    pub stride: usize,
    pub dilation: usize,
    /// In front.
    pub padding: usize,
}

impl Axis {
    /// A window of one element that visits each.
    pub fn new(size: usize) -> Axis {
        Axis { size, kernel: 1, output: size, stride: 1, dilation: 1, padding: 0 }
    }
}

/// What is convolved with what; fewer than three axes are preceded by `Axis::new(1)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    pub n_images: usize,
    pub n_channels: usize,
    pub n_outputs: usize,
    /// Divides channels and outputs.
    pub n_groups: usize,
    pub direction: Direction,
    pub axes: [Axis; 3],
}

impl Geometry {
    /// Elements of the data, the weight and the result. `None` if attributes make no sense or too many of anything.
    pub fn lengths(&self) -> Option<[usize; 3]> {
        let [n_channels, n_outputs] = [self.n_channels, self.n_outputs];
        let is_divided = self.n_groups > 0 && n_channels % self.n_groups == 0 && n_outputs % self.n_groups == 0;
        let makes_sense = |axis: &Axis| {
            axis.stride > 0 && axis.dilation > 0 && axis.stride.max(axis.dilation).max(axis.padding) <= MOST
        };
        if !is_divided || !self.axes.iter().all(makes_sense) {
            return None;
        }
        let times = |first: usize, second: usize, of: fn(&Axis) -> usize| {
            let all = self.axes.iter().try_fold(first.checked_mul(second)?, |n, axis| n.checked_mul(of(axis)))?;
            (all <= MOST).then_some(all)
        };
        Some([
            times(self.n_images, n_channels, |axis| axis.size)?,
            times(n_channels, n_outputs / self.n_groups, |axis| axis.kernel)?,
            times(self.n_images, n_outputs, |axis| axis.output)?,
        ])
    }

    /// About how many floats a convolution works in: those of a group with zeros around them, and the results of one
    /// phase where there are several. The geometry makes sense.
    pub fn n_working(&self) -> usize {
        let n_phases: usize = Phase::counts(self).iter().product();
        let n_results = if n_phases > 1 { self.group_outputs() * self.n_positions() / n_phases } else { 0 };
        Image::of_finite(self).map_or(0, |image| image.n_copied(self.group_channels())).saturating_add(n_results)
    }

    fn each(&self, of: fn(&Axis) -> usize) -> [usize; 3] {
        self.axes.each_ref().map(of)
    }

    fn group_channels(&self) -> usize {
        self.n_channels / self.n_groups
    }

    fn group_outputs(&self) -> usize {
        self.n_outputs / self.n_groups
    }

    fn n_places(&self) -> usize {
        self.each(|axis| axis.kernel).iter().product()
    }

    fn n_positions(&self) -> usize {
        self.each(|axis| axis.output).iter().product()
    }
}

/// The index along each axis.
fn split(at: usize, n_rows: usize, n_columns: usize) -> [usize; 3] {
    [at / n_columns / n_rows, at / n_columns % n_rows, at % n_columns]
}

/// Memory that is used again; what is in it does not matter.
#[derive(Default, Debug)]
pub struct Scratch {
    pub panels: Vec<f32>,
    image: Vec<f32>,
    weight: Vec<f32>,
    results: Vec<f32>,
}

/// Terms of a sum: where more lie is found out at each call.
const MOST_KNOWN: usize = 1 << 16;

/// A convolution, with what can be found out before there are elements.
#[derive(Clone, Debug)]
pub struct Prepared {
    geometry: Geometry,
    lengths: [usize; 3],
    /// Whether its window is one element that visits each.
    is_plain: bool,
    /// `None`: zeros around the data would take too much memory.
    image: Option<Image>,
    /// It is the same for each group.
    only_phase: Option<Phase>,
    /// The way by fewer products, if there is one.
    winograd: Option<Winograd>,
}

impl Prepared {
    /// One whose sums are in order. `None`: attributes make no sense, or there is too much of anything.
    pub fn new(geometry: Geometry) -> Option<Prepared> {
        let lengths = geometry.lengths()?;
        let is_plain = geometry.axes.iter().all(place::is_plain);
        let image = if is_plain || lengths.contains(&0) { None } else { Image::of_finite(&geometry) };
        let n_terms = geometry.group_channels().saturating_mul(geometry.n_places());
        let mut prepared = Prepared { geometry, lengths, is_plain, image, only_phase: None, winograd: None };
        if n_terms <= MOST_KNOWN {
            prepared.only_phase = prepared.image.as_ref().and_then(|image| prepared.phase(image));
        }
        Some(prepared)
    }

    /// One that may go by fewer products, and round otherwise.
    pub fn fast(geometry: Geometry) -> Option<Prepared> {
        let mut prepared = Prepared::new(geometry)?;
        prepared.winograd = Winograd::new(&geometry);
        Some(prepared)
    }

    /// Elements of the data, the weight and the result.
    pub fn lengths(&self) -> [usize; 3] {
        self.lengths
    }

    /// About how many floats it works in.
    pub fn n_working(&self) -> usize {
        let winograd = self.winograd.as_ref().map_or(0, Winograd::n_working);
        self.geometry.n_working().max(winograd)
    }

    /// The phase, if there is one only.
    fn phase(&self, image: &Image) -> Option<Phase> {
        (Phase::counts(&self.geometry) == [1; 3]).then(|| Phase::new(&self.geometry, image, [0; 3]))
    }

    /// The convolution, a bias for each output and the activation. `None`, and `out` as it was, if a length is wrong.
    pub fn run(
        &self,
        [data, weight]: [&[f32]; 2],
        bias: Option<&[f32]>,
        activation: Activation,
        out: &mut [f32],
        scratch: &mut Scratch,
    ) -> Option<()> {
        let geometry = &self.geometry;
        let bias = bias.map_or(Bias::None, Bias::PerRow);
        let finish = Epilogue { bias, activation, ..Epilogue::default() }.finish([geometry.n_outputs, 0])?;
        // One by one: an array is compared by a call.
        let [n_data, n_weight, n_out] = self.lengths;
        if data.len() != n_data || weight.len() != n_weight || out.len() != n_out {
            return None;
        }
        if out.is_empty() {
            return Some(());
        }
        let image = self.image.as_ref().filter(|image| image.is_for(weight));
        if image.is_none() && !self.is_plain {
            direct::conv(geometry, data, weight, &finish, out);
            return Some(());
        }
        let made;
        let only_phase = match (&self.only_phase, image) {
            (None, Some(image)) => {
                made = self.phase(image);
                made.as_ref()
            }
            (known, _) => known.as_ref(),
        };
        let winograd = self.winograd.as_ref().filter(|_| [data, weight].iter().all(|all| place::are_below(LIMIT, all)));
        let run = Run { geometry, image, only_phase, winograd, weight, finish };
        let group_size = geometry.group_channels() * geometry.each(|axis| axis.size).iter().product::<usize>();
        let group_out = geometry.group_outputs() * geometry.n_positions();
        for (at, out) in out.chunks_exact_mut(group_out).enumerate() {
            let (data, next) = data[at * group_size..].split_at(group_size);
            let next = &next[..group_size.min(next.len())];
            unsafe { run.group(at % geometry.n_groups, [data, next], out, scratch) }
        }
        Some(())
    }
}

struct Run<'a> {
    geometry: &'a Geometry,
    /// `None`: the window is one element.
    image: Option<&'a Image>,
    only_phase: Option<&'a Phase>,
    winograd: Option<&'a Winograd>,
    weight: &'a [f32],
    finish: Finish,
}

impl Run<'_> {
    /// Reads `data`; `next` is read after that.
    ///
    /// # Safety
    /// The lengths are those of the geometry.
    unsafe fn group(&self, group: usize, [data, next]: [&[f32]; 2], out: &mut [f32], scratch: &mut Scratch) {
        let geometry = self.geometry;
        let (n_channels, n_outputs) = (geometry.group_channels(), geometry.group_outputs());
        let n_terms = n_channels * geometry.n_places();
        let weight = &self.weight[group * n_outputs * n_terms..][..n_outputs * n_terms];
        let finish = self.finish.at(group * n_outputs, 0);
        let to = Out { at: out.as_mut_ptr(), step: geometry.n_positions(), is_resumed: false, finish };
        if let Some(winograd) = self.winograd {
            let seen = winograd.image.of_group(data, n_channels, &mut scratch.image);
            let memory = [&mut scratch.weight, &mut scratch.results];
            return unsafe { winograd.conv(seen, weight, &to, memory, &mut scratch.panels) };
        }
        let Some(image) = self.image else {
            let a = Matrix { data: weight, shape: [n_outputs, n_channels], steps: self.plain_steps() };
            let b = Matrix { data, shape: [n_channels, to.step], steps: [to.step, 1] };
            return unsafe { product(&a, &Columns::Strided(b), &to, &mut scratch.panels) };
        };
        let seen = image.of_group(data, n_channels, &mut scratch.image);
        if let Some(phase) = self.only_phase {
            return unsafe { self.phase(phase, (image, seen, next), weight, (&to, out), scratch) };
        }
        let [n_planes, n_rows, n_columns] = Phase::counts(geometry);
        for at in 0..n_planes * n_rows * n_columns {
            let phase = Phase::new(geometry, image, split(at, n_rows, n_columns));
            unsafe { self.phase(&phase, (image, seen, next), weight, (&to, out), scratch) }
        }
    }

    /// The results of a group at the positions of a phase.
    ///
    /// # Safety
    /// As [`Run::group`]; the image and the weight are of the group, and `to` is `out`.
    unsafe fn phase(
        &self,
        phase: &Phase,
        (image, seen, next): (&Image, *const f32, &[f32]),
        weight: &[f32],
        (to, out): (&Out, &mut [f32]),
        scratch: &mut Scratch,
    ) {
        let geometry = self.geometry;
        let (n_outputs, n_terms) = (geometry.group_outputs(), phase.offsets.len());
        let gather = Gather {
            image: seen,
            offsets: phase.offsets.as_ptr(),
            n_terms,
            n_positions: phase.n_positions,
            steps: image.steps_of(phase),
        };
        if phase.is_whole
            && geometry.group_channels() == 1
            && n_outputs < depthwise::FEW
            && weight.len() == n_outputs * n_terms
        {
            return unsafe { depthwise::conv(&gather, n_outputs, weight, to, next) };
        }
        let weight = match geometry.direction {
            Direction::Forward => weight,
            Direction::Transposed => {
                phase.weight(geometry, weight, &mut scratch.weight);
                &scratch.weight
            }
        };
        let a = Matrix { data: weight, shape: [n_outputs, n_terms], steps: [n_terms, 1] };
        if phase.is_whole {
            return unsafe { product(&a, &Columns::Gathered(&gather), to, &mut scratch.panels) };
        }
        let step = phase.n_positions.iter().product();
        reserve(&mut scratch.results, n_outputs * step);
        let part = Out { at: scratch.results.as_mut_ptr(), step, ..*to };
        unsafe { product(&a, &Columns::Gathered(&gather), &part, &mut scratch.panels) }
        phase.scatter(geometry, &scratch.results[..n_outputs * step], out);
    }

    /// Where the weight of a window of one element has the next output, and the next channel.
    fn plain_steps(&self) -> [usize; 2] {
        match self.geometry.direction {
            Direction::Forward => [self.geometry.group_channels(), 1],
            Direction::Transposed => [1, self.geometry.group_outputs()],
        }
    }
}
