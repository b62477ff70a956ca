//! Resizing and smooth enlargement of images of any dtype, in every layout whose spatial axes stand side by side, a row
//! of the result at a time: the rows of the data that it is made of are brought into float64, where the sums run in the
//! order of the meaning, so that results are its to the bit.
//!
//! A row is the places along the last spatial axis with what is inside of each. Worked example: midway between the
//! squares `1 2` and `3 4` lies `0.25 · 1 + 0.25 · 2 + 0.25 · 3 + 0.25 · 4` of a resize, and of an enlargement, which
//! goes along one axis after the other, `0.5 · (0.5 · 1 + 0.5 · 3) + 0.5 · (0.5 · 2 + 0.5 · 4)`.

use super::blocks::Blocks;
use super::pools::first_spatial;
use super::{Scratch, Source, Work, count};
use crate::conv::window::{LINE, PLANE, VOLUME};
use crate::image::resize::{axes_of, in_single, is_single};
use crate::nn::moves::{enlarged_taps, mode_of};
use crate::run::{Fault, ResultType, WellTyped};
use base::ToList;
use kernel::image::Taps;
use kernel::wide::{self, BLOCK};
use ty::{Attrs, Dtype};

/// Elements of the rows that one of the result is made of: with more, there may be no room for them.
const MOST_OF_ROWS: usize = 1 << 21;

/// Places along an axis of the result: more would be a table of some size.
const MOST_OF_AXIS: usize = 1 << 20;

/// Bytes of what is noted for a place, about.
const OF_PLACE: u64 = 64;

pub struct Resampled {
    /// Of the data and of the result.
    dtypes: [Dtype; 2],
    /// Along three spatial axes; those that are missing have one place, made of one.
    axes: [Axis; 3],
    n_images: usize,
    /// Elements inside of each place.
    inner: usize,
    n_in_rows: usize,
    /// What stands outside of the data.
    fill: Option<f64>,
    /// Whether sums are made along one axis after the other.
    is_separable: bool,
    /// Whether they are rounded to float32.
    is_single: bool,
}

struct Axis {
    size: usize,
    taps: Vec<Taps>,
    outside: Vec<bool>,
}

impl Resampled {
    /// `None`: this is no such operator, or not on these types or in this layout.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Resampled> {
        let space = match name {
            "image.resize1d" => &LINE,
            "image.resize2d" | "nn.upsampling" => &PLANE,
            "image.resize3d" | "nn.upsampling3d" => &VOLUME,
            _ => return None,
        };
        let x = operands.first()?;
        let (from, to, layout) = (&x.shape, &result.shape, attrs.str("layout"));
        let is_separable = name.starts_with("nn.");
        let n = space.rank();
        let first = first_spatial(layout, space)?;
        let fits = from.len() == to.len()
            && first + n <= from.len()
            && (from[..first] == to[..first] && from[first + n..] == to[first + n..])
            && !from.contains(&0)
            && to[first..first + n].iter().all(|&size| size <= MOST_OF_AXIS)
            && x.dtype != Dtype::UInt64
            && result.dtype != Dtype::Bool;
        fits.then_some(())?;
        count(from).and(count(to))?;
        let one = || Axis { size: 1, taps: vec![vec![(0, 1.0)]], outside: vec![false] };
        let (mut axes, mut fill) = ([one(), one(), one()], None);
        if is_separable {
            for (axis, place) in (first..first + n).zip(3 - n..) {
                let taps = enlarged_taps(attrs.str("method"), mode_of(name, attrs), space, [from[axis], to[axis]]);
                axes[place] = Axis { size: from[axis], taps: taps.ok()?, outside: vec![false; to[axis]] };
            }
        } else {
            let found = axes_of(attrs, space.data, from, to).ok()?;
            fill = found.fill;
            for ((along, &size), place) in found.along.into_iter().zip(&from[first..]).zip(3 - n..) {
                axes[place] = Axis { size, taps: along.taps, outside: along.outside };
            }
        }
        let (n_images, inner) = (count(&from[..first])?, count(&from[first + n..])?);
        let most = |axis: &Axis| axis.taps.iter().map(Vec::len).max().unwrap_or(1);
        let places = axes[2].size.max(axes[2].taps.len());
        let n_in_rows = count(&[most(&axes[0]), most(&axes[1]), places, inner])?;
        let dtypes = [x.dtype, result.dtype];
        let is_single = is_single(x.dtype, axes.iter().map(|axis| &axis.taps));
        (n_in_rows <= MOST_OF_ROWS).then_some(Resampled {
            dtypes,
            axes,
            n_images,
            inner,
            n_in_rows,
            fill,
            is_separable,
            is_single,
        })
    }

    fn try_run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Option<()> {
        let from = (*sources.first()?)?;
        let [planes, rows, columns] = &self.axes;
        let [width, width_to] = [self.dtypes[0].n_bytes(), self.dtypes[1].n_bytes()];
        let (n, n_to) = (columns.size * self.inner, columns.taps.len() * self.inner);
        let fits = from.len() == self.n_images * planes.size * rows.size * n * width
            && result.len() == self.n_images * planes.taps.len() * rows.taps.len() * n_to * width_to;
        fits.then_some(())?;
        if result.is_empty() {
            return Some(());
        }
        let Scratch { numbers: [held, sums], blocks, .. } = scratch;
        let blocks = blocks.get_or_insert_default();
        let mut to = result.chunks_exact_mut(n_to * width_to);
        for image in 0..self.n_images {
            let image = image * planes.size * rows.size;
            for (z, plane) in planes.taps.iter().enumerate() {
                for (y, row) in rows.taps.iter().enumerate() {
                    held.clear();
                    for &(slice, _) in plane {
                        for &(line, _) in row {
                            let at = (image + slice * rows.size + line) * n * width;
                            blocks.append(self.dtypes[0], from.get(at..at + n * width)?, held)?;
                        }
                    }
                    sums.clear();
                    let is_outside = planes.outside[z] || rows.outside[y];
                    match self.fill.filter(|_| is_outside) {
                        Some(fill) => sums.resize(n_to, fill),
                        None => self.row([plane, row], held, sums),
                    }
                    in_single(self.is_single, sums);
                    write(blocks, self.dtypes[1], sums, to.next()?);
                }
            }
        }
        Some(())
    }

    /// One row of the result from those of the data that it is made of, which are held one after the other.
    fn row(&self, [plane, row]: [&Taps; 2], held: &mut [f64], sums: &mut Vec<f64>) {
        let inner = self.inner;
        let n = self.axes[2].size * inner;
        let mut weights: Vec<f64> = Vec::with_capacity(plane.len() * row.len());
        for &(_, z) in plane {
            row.iter().for_each(|&(_, y)| weights.push(z * y));
        }
        if self.is_separable {
            for at in 0..n {
                let along = |line: usize| {
                    let terms = plane.iter().enumerate();
                    terms.fold(0.0, |sum, (slice, (_, z))| sum + z * held[(slice * row.len() + line) * n + at])
                };
                held[at] = row.iter().enumerate().fold(0.0, |sum, (line, (_, y))| sum + y * along(line));
            }
            weights = vec![1.0];
        }
        let columns = &self.axes[2];
        sums.resize(columns.taps.len() * inner, 0.0);
        for ((taps, outside), sums) in columns.taps.iter().zip(&columns.outside).zip(sums.chunks_exact_mut(inner)) {
            if let Some(fill) = self.fill.filter(|_| *outside) {
                sums.fill(fill);
                continue;
            }
            for (held, weight) in held.chunks_exact(n).zip(&weights) {
                for &(column, x) in taps {
                    for (sum, value) in sums.iter_mut().zip(&held[column * inner..]) {
                        *sum += value * (weight * x);
                    }
                }
            }
        }
    }
}

impl Work for Resampled {
    fn n_working_bytes(&self) -> u64 {
        let n_places: usize = self.axes.iter().map(|axis| axis.taps.len()).total();
        8 * self.n_in_rows as u64 + OF_PLACE * n_places as u64
    }

    fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        self.try_run(sources, result, scratch).well_typed()
    }
}

/// Numbers as elements, rounded, or cut off towards zero and wrapped.
fn write(blocks: &mut Blocks, dtype: Dtype, from: &[f64], to: &mut [u8]) {
    for (part, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK * dtype.n_bytes())) {
        let Blocks { ints: [.., ints], floats: [.., floats], .. } = blocks;
        floats[..part.len()].copy_from_slice(part);
        if !dtype.is_float() {
            wide::floats_to_ints(floats, ints, part.len());
        }
        blocks.write(dtype, to);
    }
}
