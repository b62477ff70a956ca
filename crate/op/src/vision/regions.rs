//! Regions of images, pooled to one size.
//!
//! A region is an image's number and left, top, right and bottom, in units of `1 / spatial_scale` places.

use crate::places::within;
use crate::rule::DataLayout;
use crate::run::{Arg, Call, Fault, WellTyped, floats, round_to};
use base::{MapArray, ToList};
use kernel::image::{Taps, weighted};
use kernel::scalar::float;
use kernel::strided::{count, row_major};
use ty::Value;

/// The data and how to walk through it.
struct Images {
    values: Vec<f64>,
    /// Strides of image, channel, row and column.
    strides: [usize; 4],
    n_images: usize,
    n_channels: usize,
    sides: [usize; 2],
    /// Strides of region, channel, row and column in the result.
    to: [usize; 4],
    pooled: [usize; 2],
}

impl Images {
    fn of(call: &Call, x: &Arg) -> Result<Images, Fault> {
        let layout = DataLayout::parse(call.attrs.str("layout"), "NCHW").well_typed()?;
        let axes = ['N', 'C', 'H', 'W'].each(|letter| layout.axis(letter));
        let shape = &call.result(0)?.shape;
        let (strides, to) = (row_major(x.shape()), row_major(shape));
        let size = |at: usize| x.shape()[axes[at]];
        let sides = [size(2), size(3)];
        if sides.contains(&0) && count(shape) > 0 {
            return Err(Fault::other("the images have no places"));
        }
        Ok(Images {
            values: x.floats(),
            strides: axes.map(|axis| strides[axis]),
            n_images: size(0),
            n_channels: size(1),
            sides,
            to: axes.map(|axis| to[axis]),
            pooled: [shape[axes[2]], shape[axes[3]]],
        })
    }

    /// Puts what `pool` says of the offset of a channel into each element of the result: of region, row and column.
    fn each(
        &self,
        n_regions: usize,
        image: &dyn Fn(usize) -> Result<usize, Fault>,
        pool: &mut dyn FnMut([usize; 3], usize) -> f64,
    ) -> Result<Vec<f64>, Fault> {
        let mut values = vec![0.0; n_regions * self.n_channels * self.pooled[0] * self.pooled[1]];
        for region in 0..n_regions {
            let image = image(region)?;
            for row in 0..self.pooled[0] {
                for column in 0..self.pooled[1] {
                    for channel in 0..self.n_channels {
                        let at = [region, channel, row, column].into_iter().zip(self.to).map(|(at, by)| at * by);
                        let from = image * self.strides[0] + channel * self.strides[1];
                        values[at.total::<usize>()] = pool([region, row, column], from);
                    }
                }
            }
        }
        Ok(values)
    }

    /// The number of the image that a region is of, cut off to a whole one.
    fn image(&self, region: &[f64]) -> Result<usize, Fault> {
        within(region[0] as i64, self.n_images)
    }
}

/// Midway sampling along one side: each part of the region has `n` samples, read between the two nearest places.
fn samples(from: f64, len: f64, n: usize, part: usize, size: usize) -> Vec<Taps> {
    let from = from + part as f64 * len;
    let sample = |i: usize| {
        let at = from + (i as f64 + 0.5) * len / n as f64;
        if at < -1.0 || at > size as f64 {
            return Taps::new();
        }
        let at = at.max(0.0).min(size as f64 - 1.0);
        let (place, rest) = (at.floor() as usize, at - at.floor());
        vec![(place, 1.0 - rest), ((place + 1).min(size - 1), rest)]
    };
    (0..n).map(sample).list()
}

pub(super) fn roi_align_of(call: &Call) -> Result<Value, Fault> {
    const TOO_LARGE: &str = "a part of a region has more samples than 256 and 16 for each place";
    let (x, regions, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let images = Images::of(call, &x)?;
    let takes_max = match call.attrs.str("mode") {
        "avg" => false,
        "max" => true,
        _ => return Err(Fault::other("`mode` is \"avg\" or \"max\"")),
    };
    let r = |x| round_to(regions.dtype(), x);
    let (scale, ratio) = (r(call.attrs.float("spatial_scale")), call.attrs.int("sample_ratio").unwrap_or(-1));
    let values = regions.floats();
    let rows: Vec<&[f64]> = values.chunks_exact(5).list();
    // For each region and side, where its first part begins, how long each is, and how many samples it has.
    let mut sides: Vec<[(f64, f64, usize); 2]> = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut found = [(0.0, 0.0, 0); 2];
        for (side, found) in found.iter_mut().enumerate() {
            let (from, to) = (r(row[2 - side] * scale), r(row[4 - side] * scale));
            // A region that is turned round has the size 1.
            let len = r(r(to - from).max(1.0) / images.pooled[side] as f64);
            let n = if ratio > 0 { ratio as f64 } else { len.ceil() };
            if n > 16.0 * (images.sides[side] as f64 + 16.0) {
                return Err(Fault::other(TOO_LARGE));
            }
            *found = (from, len, n as usize);
        }
        sides.push(found);
    }
    let [down, right] = [images.strides[2], images.strides[3]];
    // The samples of the part that was pooled last, since its channels follow one another.
    let (mut last, mut sampled) = (None, [Vec::new(), Vec::new()]);
    let pooled = images.each(rows.len(), &|region| images.image(rows[region]), &mut |at, from| {
        if last.replace(at) != Some(at) {
            sampled = [0, 1].each(|side| {
                let (from, len, n) = sides[at[0]][side];
                samples(from, len, n, at[1 + side], images.sides[side])
            });
        }
        let [rows, columns] = &sampled;
        let (mut sum, mut best) = (0.0, f64::NEG_INFINITY);
        for ys in rows {
            for xs in columns {
                let value = weighted(&images.values, from, &[(ys, down), (xs, right)]);
                sum += value;
                best = float::maximum(best, value);
            }
        }
        if takes_max { best } else { sum / (rows.len() * columns.len()) as f64 }
    })?;
    call.one(floats(result.dtype, pooled.into_iter()))
}

pub(super) fn roi_pool_of(call: &Call) -> Result<Value, Fault> {
    let (x, regions, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let images = Images::of(call, &x)?;
    let r = |x| round_to(regions.dtype(), x);
    let scale = r(call.attrs.float("spatial_scale"));
    let values = regions.floats();
    let rows: Vec<&[f64]> = values.chunks_exact(5).list();
    // From which place to before which, of one part of one side.
    let part = |region: usize, side: usize, at: usize| {
        let [from, to] = [2 - side, 4 - side].each(|edge| float::round(r(rows[region][edge] * scale)));
        let len = r((to - from + 1.0).max(1.0) / images.pooled[side] as f64);
        // Relay leaves room for an edge that is a hair off its place.
        let first = from + r(r(at as f64 * len) + 1e-5).floor();
        let end = from + r(r((at + 1) as f64 * len) - 1e-5).ceil();
        [first, end].each(|place| place.max(0.0).min(images.sides[side] as f64) as usize)
    };
    let [down, right] = [images.strides[2], images.strides[3]];
    let pooled =
        images.each(rows.len(), &|region| images.image(rows[region]), &mut |[region, row, column], from| {
            let ([top, bottom], [left, end]) = (part(region, 0, row), part(region, 1, column));
            if top >= bottom || left >= end {
                return 0.0;
            }
            let places = (top..bottom).flat_map(|y| (left..end).map(move |x| y * down + x * right));
            places.fold(f64::NEG_INFINITY, |best, place| float::maximum(best, images.values[from + place]))
        })?;
    call.one(floats(result.dtype, pooled.into_iter()))
}
