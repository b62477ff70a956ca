//! Grids of points, and the data at their points.
//!
//! A coordinate is -1 at the first place of an axis and 1 at the last, or at their outer edges without `align_corners`.

use crate::run::{Call, Fault, floats, round_to};
use base::ToList;
use kernel::image::{Taps, cubic, weighted};
use kernel::strided::{count, row_major};
use ty::{Dtype, Value};

pub(super) fn affine_grid_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let &[_, _, height, width] = &result.shape[..] else { return Err(Fault::ill_typed()) };
    if height < 2 || width < 2 {
        return Err(Fault::other("a grid has at least 2 points along each axis"));
    }
    let dtype = result.dtype;
    // Relay keeps a hair away from the last point.
    let step = |n: usize| round_to(dtype, (2.0 - 1e-7) / (n - 1) as f64);
    let (down, right) = (step(height), step(width));
    let mut points = Vec::with_capacity(count(&result.shape));
    for row in x.floats().chunks_exact(3) {
        for i in 0..height {
            for j in 0..width {
                let (x, y) = (j as f64 * right - 1.0, i as f64 * down - 1.0);
                points.push(row[0] * x + row[1] * y + row[2]);
            }
        }
    }
    call.one(floats(dtype, points.into_iter()))
}

/// How points between and outside the places of an axis are read.
struct Sampling<'a> {
    method: &'a str,
    padding: &'a str,
    aligns_corners: bool,
    /// The dtype of the grid, in which coordinates are computed.
    dtype: Dtype,
}

impl Sampling<'_> {
    /// The coordinate in places of the axis.
    fn place(&self, x: f64, size: usize) -> f64 {
        let r = |x| round_to(self.dtype, x);
        let (x, size) = (r(x + 1.0), size as f64);
        match self.aligns_corners {
            true => r(x * (size - 1.0)) / 2.0,
            false => r(r(x * size) / 2.0 - 0.5),
        }
    }

    /// The point mirrored at the edges until it lies between them.
    fn reflected(&self, x: f64, size: usize) -> f64 {
        let (size, start) = if self.aligns_corners { (size as f64 - 1.0, 0.0) } else { (size as f64, -0.5) };
        if x.is_nan() || (x >= start && x <= size + start) {
            return x;
        }
        if size <= 0.0 {
            return 0.0;
        }
        let far = (start - x).abs();
        let times = (far.trunc() / size).trunc();
        let rest = far - times * size;
        if times % 2.0 == 0.0 { rest + start } else { size - rest + start }
    }

    /// Brings a point inside, where the padding does.
    fn inside(&self, x: f64, size: usize) -> f64 {
        let last = size as f64 - 1.0;
        match self.padding {
            "border" => x.max(0.0).min(last),
            "reflection" => self.reflected(x, size).max(0.0).min(last),
            _ => x,
        }
    }

    /// What is read along an axis. Places outside are 0, which no tap is.
    fn taps(&self, x: f64, size: usize) -> Taps {
        let mut taps = Taps::new();
        let mut tap = |place: f64, weight| {
            if place >= 0.0 && place < size as f64 {
                taps.push((place as usize, weight));
            }
        };
        let x = self.place(x, size);
        match self.method {
            "nearest" => tap(self.inside(x, size).round_ties_even(), 1.0),
            "bicubic" => {
                let part = x - x.floor();
                for (step, weight) in [-1.0, 0.0, 1.0, 2.0].into_iter().zip(cubic(part, -0.75)) {
                    tap(self.inside(x.floor() + step, size).trunc(), weight);
                }
            }
            _ => {
                let x = self.inside(x, size);
                let part = x - x.floor();
                tap(x.floor(), 1.0 - part);
                tap(x.floor() + 1.0, part);
            }
        }
        taps
    }
}

pub(super) fn grid_sample_of(call: &Call) -> Result<Value, Fault> {
    let (x, grid, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let sampling = Sampling {
        method: call.attrs.str("method"),
        padding: call.attrs.str("padding_mode"),
        aligns_corners: call.attrs.flag("align_corners"),
        dtype: grid.dtype(),
    };
    let n = x.shape().len() - 2;
    let methods: &[&str] = if n == 2 { &["bilinear", "nearest", "bicubic"] } else { &["bilinear", "nearest"] };
    if !methods.contains(&sampling.method) || !["zeros", "border", "reflection"].contains(&sampling.padding) {
        return Err(Fault::other("there is no such `method` or `padding_mode`"));
    }
    if x.shape()[0] != grid.shape()[0] {
        return Err(Fault::other("data and grid are not of one batch size"));
    }
    let (strides, data, points) = (row_major(x.shape()), x.floats(), grid.floats());
    let (n_points, n_channels) = (count(&grid.shape()[2..]), x.shape()[1]);
    let mut values = vec![0.0; count(&result.shape)];
    for batch in 0..x.shape()[0] {
        for point in 0..n_points {
            // The first coordinate is that of the last axis.
            let coordinates = (0..n).map(|axis| points[(batch * n + n - 1 - axis) * n_points + point]);
            let is_nan = coordinates.clone().any(f64::is_nan);
            let taps: Vec<Taps> = coordinates.zip(&x.shape()[2..]).map(|(x, &size)| sampling.taps(x, size)).list();
            let axes: Vec<(&[(usize, f64)], usize)> =
                taps.iter().zip(&strides[2..]).map(|(taps, &stride)| (&taps[..], stride)).list();
            for channel in 0..n_channels {
                let value = weighted(&data, batch * strides[0] + channel * strides[1], &axes);
                values[(batch * n_channels + channel) * n_points + point] = if is_nan { f64::NAN } else { value };
            }
        }
    }
    call.one(floats(result.dtype, values.into_iter()))
}
