//! Pools of any dtype, in every layout whose spatial axes stand side by side, a row of the result at a time: the rows
//! that its windows see are folded into one, and that is folded along the last axis. A row is the places along the last
//! spatial axis with what is inside of each.
//!
//! Worked example: the means of a pool of `int8` over height and width take the two rows under a window as `int32`, add
//! them up, add up the pairs of neighbours in that sum, and divide these by four. So there is never more beside the
//! operand and the result than a few rows.
//!
//! Extremes are those of the meaning to the bit. So are means of integers: their sums are made of elements wide enough
//! for all of them. Means of floats are added up in their own precision and in the order of [`kernel::pool`]: in `NHWC`
//! they are what they are in `NCHW`. Each sum has the error bound of one in order, whatever the order: as many units in
//! the last place as it has elements.

use super::blocks::{self, Blocks};
use super::layers::pool_of;
use super::moves::convert;
use super::single::along;
use super::{Scratch, Source, Work, count};
use crate::conv::window::{Space, per_axis, share, steps};
use crate::run::{Call, Fault, ResultType, WellTyped};
use base::ToList;
use kernel::along::Windows;
use kernel::elementwise::Binary;
use kernel::native::{Loop, repeat};
use kernel::slide::{Look, Share, adaptive, forward};
use kernel::wide::{self, BLOCK};
use ty::{Attrs, Dtype, Scalar, scalar_bits};

/// Elements of a row of the data or the result: with more, there may be no room for them.
const MOST_OF_ROW: usize = 1 << 20;

/// Places along an axis of the result: more would be a table of some size. Of a window: products of three fit an `i64`.
const MOST_OF_AXIS: usize = 1 << 20;

/// Room for two rows, and for what brings elements side by side.
#[derive(Default)]
pub struct Rooms([Vec<u64>; 2], Vec<u8>);

pub struct Pool {
    /// Of the elements, and in which they are folded.
    dtypes: [Dtype; 2],
    step: Loop,
    /// An element that the step leaves as it is.
    neutral: Vec<u8>,
    /// What windows see along all spatial axes but the last, of which there may be one or none, and of how many places.
    outer: [(Vec<Look>, usize); 2],
    windows: Windows,
    /// Elements of a row of the data and of the result.
    rows: [usize; 2],
    n_images: usize,
    mean: Option<Mean>,
}

/// What sums are divided by.
struct Mean {
    /// How many looks there are for each place along the outer axes.
    outer: [Vec<i64>; 2],
    /// How many elements in a row of the result have windows of so many places along it.
    along: Vec<(usize, i64)>,
}

/// The dtype in which so many elements of one are pooled.
fn pooled_as(dtype: Dtype, is_mean: bool, n: usize) -> Option<Dtype> {
    use Dtype::{BFloat16, Float16, Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32};
    Some(match dtype {
        Float32 | Float16 | BFloat16 => Float32,
        Float64 => Float64,
        Int8 | UInt8 if is_mean && n < 1 << 23 => Int32,
        Int8 | UInt8 | Int16 | Int32 | Int64 if !is_mean => dtype,
        Int8 | UInt8 | Int16 | UInt16 | Int32 | UInt32 => Int64,
        _ => return None,
    })
}

/// On which axis the spatial ones of a layout begin, if they stand side by side and none is split.
pub fn first_spatial(layout: &str, space: &Space) -> Option<usize> {
    let letters = &space.data[2..];
    let first = base::find(layout, letters)?;
    let (before, behind) = (&layout[..first], &layout[first + letters.len()..]);
    let is_other = |letter: u8| !base::has(letters, letter.to_ascii_uppercase());
    let is_axis = before.bytes().all(|letter| letter.is_ascii_alphabetic());
    (is_axis && before.bytes().chain(behind.bytes()).all(is_other)).then_some(first)
}

impl Pool {
    /// `None`: this is no pool, or not on these types or in this layout.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Pool> {
        let ((space, is_shared_out, is_mean), [x]) = (pool_of(name)?, operands) else { return None };
        let n = space.rank();
        let (layout, out) = (attrs.str("layout"), attrs.str("out_layout"));
        let first = first_spatial(layout, space)?;
        let last = first + n - 1;
        let fits = (out.is_empty() || out == layout)
            && !x.shape.contains(&0)
            && x.shape.len() == result.shape.len()
            && x.dtype == result.dtype
            && last < x.shape.len()
            && x.shape[last + 1..] == result.shape[last + 1..];
        (fits && result.shape[first..=last].iter().all(|&size| size <= MOST_OF_AXIS)).then_some(())?;
        let rows = [count(&x.shape[last..])?, count(&result.shape[last..])?];
        let is_row = |n: &usize| (1..=MOST_OF_ROW).contains(n);
        let n_elements = count(&x.shape)?;
        count(&result.shape).filter(|_| rows.iter().all(is_row) && x.shape[..first] == result.shape[..first])?;
        let dtype = pooled_as(x.dtype, is_mean, n_elements)?;
        let step = Loop::new(if is_mean { Binary::Add } else { Binary::Maximum }, blocks::format(dtype))?;
        let neutral = match (is_mean, x.dtype.int_range()) {
            (true, _) => 0,
            (false, None) => scalar_bits(dtype, Scalar::Float(f64::NEG_INFINITY)),
            (false, Some((lowest, _))) => lowest as u64,
        };
        let neutral = neutral.to_le_bytes()[..dtype.n_bytes()].to_vec();
        let call = Call { args: &[], attrs, results: &[], memory: 0 };
        let (steps, kernel) = (steps(&call, n), per_axis(&call, "pool_size", n));
        kernel.iter().all(|&size| size <= MOST_OF_AXIS as i64).then_some(())?;
        let looks = |axis: usize| {
            let (size, n_to, at) = (x.shape[axis], result.shape[axis], 3 + axis - first - n);
            match is_shared_out {
                true => adaptive(size, n_to),
                false => forward(&steps[at], size, kernel[at], n_to),
            }
        };
        let share = if is_shared_out { Share::Elements } else { share(&call) };
        let n_counted = |look: &Look| look.n_counted(share);
        let one = || (vec![Look::whole(1)], 1);
        let outer_of = |back: usize| if n > back { (looks(last - back), x.shape[last - back]) } else { one() };
        let outer = [outer_of(2), outer_of(1)];
        let (inner, last_looks) = (along(&x.shape, last).inner, looks(last));
        let mean = is_mean.then(|| {
            let mut along: Vec<(usize, i64)> = Vec::new();
            for by in last_looks.iter().map(n_counted) {
                match along.last_mut() {
                    Some((n, last)) if *last == by => *n += inner,
                    _ => along.push((inner, by)),
                }
            }
            let counts = |looks: &[Look]| looks.iter().map(n_counted).list();
            Mean { outer: [counts(&outer[0].0), counts(&outer[1].0)], along }
        });
        let windows = Windows::new(step, &neutral, &last_looks, [x.shape[last], inner])?;
        let n_images = count(&x.shape[..first])?;
        Some(Pool { dtypes: [x.dtype, dtype], step, neutral, outer, windows, rows, n_images, mean })
    }

    fn try_run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Option<()> {
        let from = (*sources.first()?)?;
        let [(planes, depth), (rows, height)] = &self.outer;
        let width = self.dtypes[0].n_bytes();
        let (line, line_to) = (self.rows[0] * width, self.rows[1] * width);
        let fits = from.len() == self.n_images * depth * height * line
            && result.len() == self.n_images * planes.len() * rows.len() * line_to;
        fits.then_some(())?;
        let Scratch { rows: rooms, blocks, .. } = scratch;
        let blocks = blocks.get_or_insert_default();
        let mut to = result.chunks_exact_mut(line_to);
        for image in from.chunks_exact(depth * height * line) {
            for (z, plane) in planes.iter().enumerate() {
                for (y, row) in rows.iter().enumerate() {
                    let share = self.mean.as_ref().map(|of| (of, of.outer[0][z] * of.outer[1][y]));
                    self.row(image, [plane, row], share, to.next()?, rooms, blocks)?;
                }
            }
        }
        Some(())
    }

    /// One row of the result from those of an image that it sees.
    fn row(
        &self,
        image: &[u8],
        [plane, row]: [&Look; 2],
        share: Option<(&Mean, i64)>,
        to: &mut [u8],
        Rooms([folded, other], beside): &mut Rooms,
        blocks: &mut Blocks,
    ) -> Option<()> {
        let [dtype, within] = self.dtypes;
        let (length, length_to) = (self.rows[0] * within.n_bytes(), self.rows[1] * within.n_bytes());
        let line = self.rows[0] * dtype.n_bytes();
        let seen = |z, y| image.get((plane.element(z)? * self.outer[1].1 + row.element(y)?) * line..)?.get(..line);
        let (n_planes, n_rows) = (plane.n_elements(), row.n_elements());
        let folded = match dtype == within && n_planes * n_rows == 1 {
            true => seen(0, 0)?,
            false => {
                let folded = bytes_of(folded, length);
                repeat(&self.neutral, folded);
                for z in 0..n_planes {
                    for y in 0..n_rows {
                        let mut row = seen(z, y)?;
                        if dtype != within {
                            let other = bytes_of(other, length);
                            convert(self.dtypes, row, other, blocks)?;
                            row = other;
                        }
                        self.step.run([None, Some(row)], folded)?;
                    }
                }
                folded
            }
        };
        if dtype == within && share.is_none() {
            return self.windows.run(folded, to, beside);
        }
        let sums = bytes_of(other, length_to);
        self.windows.run(folded, sums, beside)?;
        match share {
            Some((mean, share)) => mean.divide(share, self.dtypes, sums, to, blocks),
            None => convert([within, dtype], sums, to, blocks),
        }
    }
}

impl Work for Pool {
    fn n_working_bytes(&self) -> u64 {
        // Two rows and what is brought side by side.
        (3 * self.rows[0].max(self.rows[1]) * self.dtypes[1].n_bytes()) as u64
    }

    fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        self.try_run(sources, result, scratch).well_typed()
    }

    #[cfg(test)]
    fn is_exact(&self) -> bool {
        self.mean.is_none() || !self.dtypes[0].is_float()
    }
}

impl Mean {
    /// Divides the sums in a row, each of which is of `share` times as many elements as along the row; of none, too,
    /// since their sum is 0.
    fn divide(
        &self,
        share: i64,
        [dtype, within]: [Dtype; 2],
        sums: &[u8],
        to: &mut [u8],
        blocks: &mut Blocks,
    ) -> Option<()> {
        let (width, width_to) = (within.n_bytes(), dtype.n_bytes());
        let mut at = 0;
        for &(n, by) in &self.along {
            let (end, by) = (at + n, (share * by).max(1));
            blocks.ints[1].fill(by);
            blocks.floats[1].fill(by as f64);
            while at < end {
                let n = BLOCK.min(end - at);
                blocks.read(0, within, sums.get(at * width..(at + n) * width)?, n).ok()?;
                let Blocks { ints: [a, b, whole], floats: [x, y, number], .. } = blocks;
                match within.is_float() {
                    true => number.iter_mut().zip(x.iter().zip(y)).for_each(|(number, (x, y))| *number = *x / *y),
                    false => {
                        wide::binary_ints(Binary::Divide, false, [a, b], whole, n);
                    }
                }
                blocks.write(dtype, to.get_mut(at * width_to..(at + n) * width_to)?);
                at += n;
            }
        }
        Some(())
    }
}

/// The first bytes of a room, which is made larger where it has to be. What is in them does not matter.
fn bytes_of(room: &mut Vec<u64>, n: usize) -> &mut [u8] {
    room.resize(n.div_ceil(8).max(room.len()), 0);
    &mut bytemuck::cast_slice_mut(room)[..n]
}
