//! Resizing: where each place of the result lies in the data, and what is read around it.
//!
//! Coordinates are computed in `float32`, as Relay does, since they are rounded to places; values in `f64`. What is made
//! of integers is rounded to `float32` before it is cut off, for there Relay has it: a hair below 27 is 27.

use crate::rule::DataLayout;
use crate::run::{Call, Fault, WellTyped, floats};
use base::{MapArray, ToList};
use kernel::image::{Taps, cubic, weighted};
use kernel::index::{each_index, offset};
use kernel::strided::row_major;
use ty::{AttrValue, Attrs, Dtype, Value};

/// How a resize reads: all but the coordinates.
struct Reading<'a> {
    method: &'a str,
    rounding: &'a str,
    alpha: f64,
    excludes_outside: bool,
}

/// What the places along one axis of the result are made of, and whether they lie outside of the data.
pub(crate) struct Along {
    axis: usize,
    pub taps: Vec<Taps>,
    pub outside: Vec<bool>,
}

/// Whether sums of these elements are rounded to `float32`: integers that are more than moved.
pub(crate) fn is_single<'a>(dtype: Dtype, taps: impl IntoIterator<Item = &'a Vec<Taps>>) -> bool {
    !dtype.is_float() && taps.into_iter().flatten().any(|taps| taps.len() > 1)
}

/// The sums, rounded to `float32` where they are to be.
pub(crate) fn in_single(is_single: bool, sums: &mut [f64]) {
    if is_single {
        sums.iter_mut().for_each(|sum| *sum = f64::from(*sum as f32));
    }
}

fn last_index(place: f64, size: usize) -> usize {
    place.clamp(0.0, (size - 1) as f64) as usize
}

impl Reading<'_> {
    /// The taps at a coordinate of an axis; those outside are the nearest inside.
    fn taps(&self, at: f32, size: usize) -> Result<Taps, Fault> {
        let place = f64::from(at.floor());
        let part = f64::from(at) - place;
        Ok(match self.method {
            "nearest_neighbor" => {
                let rounded = match self.rounding {
                    "round" => at.round(),
                    "round_prefer_floor" => (at - 0.5).ceil(),
                    "round_prefer_ceil" => (at + 0.5).floor(),
                    // Relay leaves room for a coordinate that is a hair off its place.
                    "floor" => (at + 1e-5).floor(),
                    "ceil" => (at - 1e-5).ceil(),
                    _ => return Err(Fault::other("there is no such `rounding_method`")),
                };
                vec![(last_index(rounded.into(), size), 1.0)]
            }
            "linear" | "bilinear" => {
                vec![(last_index(place, size), 1.0 - part), (last_index(place + 1.0, size), part)]
            }
            "cubic" => {
                let mut weights = cubic(part, self.alpha);
                let places = [-1.0, 0.0, 1.0, 2.0].each(|step| place + step);
                if self.excludes_outside {
                    for (weight, place) in weights.iter_mut().zip(places) {
                        if place < 0.0 || place >= size as f64 {
                            *weight = 0.0;
                        }
                    }
                    let sum: f64 = weights.iter().sum();
                    weights = weights.map(|weight| weight / sum);
                }
                places.map(|place| last_index(place, size)).into_iter().zip(weights).list()
            }
            _ => return Err(Fault::other("there is no such `method`")),
        })
    }

    fn along(&self, axis: usize, size: usize, coordinates: &[f32]) -> Result<Along, Fault> {
        if size == 0 && !coordinates.is_empty() {
            return Err(Fault::other("there is nothing to read along an axis of size 0"));
        }
        let taps = coordinates.iter().map(|&at| self.taps(at, size)).ok_list()?;
        let outside = coordinates.iter().map(|&at| at < 0.0 || at > size as f32 - 1.0).list();
        Ok(Along { axis, taps, outside })
    }
}

/// Where place `x` of `target` lies among the `size` places of the data.
fn coordinate(mode: &str, x: usize, size: usize, target: usize, [start, end]: [f32; 2]) -> Option<f32> {
    let (x, size, target) = (x as f32, size as f32, target as f32);
    let scale = size / target;
    Some(match mode {
        "half_pixel" => (x + 0.5) * scale - 0.5,
        "align_corners" if target > 1.0 => (size - 1.0) / (target - 1.0) * x,
        "align_corners" => 0.0,
        "asymmetric" => scale * x,
        "pytorch_half_pixel" => {
            if target > 1.0 {
                (x + 0.5) * scale - 0.5
            } else {
                0.0
            }
        }
        "tf_half_pixel_for_nn" => (x + 0.5) * scale,
        "tf_crop_and_resize" if target > 1.0 => {
            start * (size - 1.0) + x * (end - start) * (size - 1.0) / (target - 1.0)
        }
        "tf_crop_and_resize" => 0.5 * (start + end) * (size - 1.0),
        _ => return None,
    })
}

/// Whether Relay divides whole numbers, without any rounding: a plane that grows by a whole factor.
fn grows_evenly(size: usize, target: usize) -> bool {
    size > 0 && target.is_multiple_of(size) && (target / size) as f64 <= 1.0 / (1e-5 * size as f64 + 1e-5)
}

/// The numbers of a list attribute.
pub(crate) fn floats_of(attr: &AttrValue) -> Vec<f64> {
    let number = |item: &AttrValue| match item {
        AttrValue::Float(value) => Some(*value),
        AttrValue::Int(value) => Some(*value as f64),
        AttrValue::None | AttrValue::Bool(_) | AttrValue::Str(_) | AttrValue::List(_) | AttrValue::Function(_) => None,
    };
    match attr {
        AttrValue::List(items) => items.iter().filter_map(number).list(),
        one => number(one).into_iter().list(),
    }
}

/// The layout of the data, none of whose spatial axes is split.
pub(super) fn whole_layout(text: &str, letters: &str, spatial: &str) -> Result<DataLayout, Fault> {
    let layout = DataLayout::parse(text, letters).well_typed()?;
    match spatial.chars().any(|letter| layout.is_blocked(letter)) {
        true => Err(Fault::other("the layout splits an axis of the image")),
        false => Ok(layout),
    }
}

/// How the spatial axes of a resize are read, and what stands outside of the data.
pub(crate) struct Axes {
    layout: DataLayout,
    pub along: Vec<Along>,
    pub fill: Option<f64>,
}

/// As attributes and sizes say; the last `letters` are the spatial axes.
pub(crate) fn axes_of(attrs: &Attrs, letters: &str, from: &[usize], to: &[usize]) -> Result<Axes, Fault> {
    let spatial = &letters[2..];
    let layout = whole_layout(attrs.str("layout"), letters, spatial)?;
    let mode = attrs.str("coordinate_transformation_mode");
    let reading = Reading {
        method: attrs.str("method"),
        rounding: match (attrs.str("rounding_method"), mode) {
            ("", "align_corners") => "round",
            ("", _) => "floor",
            (rounding, _) => rounding,
        },
        alpha: attrs.float("cubic_alpha"),
        excludes_outside: attrs.flag("cubic_exclude"),
    };
    let region = floats_of(attrs.get("roi"));
    let n = spatial.len();
    if mode == "tf_crop_and_resize" && region.len() != 2 * n {
        return Err(Fault::other("`roi` is the start along each axis and then the end"));
    }
    let mut axes = Vec::with_capacity(n);
    for (i, letter) in spatial.chars().enumerate() {
        let axis = layout.axis(letter);
        let (size, target) = (from[axis], to[axis]);
        // Of three axes Relay takes the last one's region first.
        let at = if n == 3 { n - 1 - i } else { i };
        let [start, end] = [at, n + at].each(|at| region.get(at).copied().unwrap_or(0.0) as f32);
        let is_whole =
            n == 2 && (reading.method, mode) == ("nearest_neighbor", "asymmetric") && grows_evenly(size, target);
        let coordinates: Option<Vec<f32>> = (0..target)
            .map(|x| match is_whole {
                true => Some((x / (target / size)) as f32),
                false => coordinate(mode, x, size, target, [start, end]),
            })
            .some_list();
        let coordinates =
            coordinates.ok_or_else(|| Fault::other("there is no such `coordinate_transformation_mode`"))?;
        axes.push(match is_whole {
            true => Reading { rounding: "floor", ..reading }.along(axis, size, &coordinates)?,
            false => reading.along(axis, size, &coordinates)?,
        });
    }
    if n == 3 {
        // Nor does it ask whether a plane is outside.
        axes[0].outside.fill(false);
    }
    let fill = (mode == "tf_crop_and_resize").then(|| attrs.float("extrapolation_value"));
    Ok(Axes { layout, along: axes, fill })
}

fn resize_of(call: &Call, letters: &str) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let Axes { layout, along: axes, fill } = axes_of(call.attrs, letters, x.shape(), &result.shape)?;
    let images: Vec<usize> = (0..x.shape()[layout.axis('N')]).list();
    let mut values = Vec::with_capacity(kernel::strided::count(&result.shape));
    sample(&x.floats(), x.shape(), &layout, &images, &|_| &axes[..], fill, &result.shape, &mut values);
    in_single(is_single(x.dtype(), axes.iter().map(|along| &along.taps)), &mut values);
    call.one(floats(result.dtype, values.into_iter()))
}

/// Reads each element of the result: image `images[n]` for place `n` along N, by what is along its axes.
#[allow(clippy::too_many_arguments)]
fn sample<'a>(
    data: &[f64],
    shape: &[usize],
    layout: &DataLayout,
    images: &[usize],
    axes: &dyn Fn(usize) -> &'a [Along],
    fill: Option<f64>,
    to: &[usize],
    values: &mut Vec<f64>,
) {
    let strides = row_major(shape);
    let batch = layout.axis('N');
    let mut others = strides.clone();
    others[batch] = 0;
    axes(0).iter().for_each(|along| others[along.axis] = 0);
    each_index(to, &mut |index| {
        let axes = axes(index[batch]);
        let from = offset(index, &others) + images[index[batch]] * strides[batch];
        let mut read: Vec<(&[(usize, f64)], usize)> = Vec::with_capacity(3);
        let mut is_outside = false;
        for along in axes {
            let at = index[along.axis];
            is_outside |= along.outside[at];
            read.push((&along.taps[at], strides[along.axis]));
        }
        values.push(match fill {
            Some(fill) if is_outside => fill,
            _ => weighted(data, from, &read),
        });
    });
}

pub(super) fn resize1d_of(call: &Call) -> Result<Value, Fault> {
    resize_of(call, "NCW")
}

pub(super) fn resize2d_of(call: &Call) -> Result<Value, Fault> {
    resize_of(call, "NCHW")
}

pub(super) fn resize3d_of(call: &Call) -> Result<Value, Fault> {
    resize_of(call, "NCDHW")
}

/// Each box is top, left, bottom and right, between 0 and 1.
pub(super) fn crop_and_resize_of(call: &Call) -> Result<Value, Fault> {
    let (x, boxes, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let layout = whole_layout(call.attrs.str("layout"), "NCHW", "HW")?;
    let images = call.tensor(2)?.ints();
    if images.len() != result.shape[layout.axis('N')] {
        return Err(Fault::other("there is not one image for each box"));
    }
    let n_images = x.shape()[layout.axis('N')];
    let images = images.into_iter().map(|at| crate::places::within(at, n_images)).ok_list()?;
    let reading = Reading { method: call.attrs.str("method"), rounding: "round", alpha: -0.5, excludes_outside: false };
    let mut axes: Vec<Vec<Along>> = Vec::with_capacity(images.len());
    for corners in boxes.floats().chunks_exact(4) {
        let mut pair = Vec::with_capacity(2);
        for (i, letter) in "HW".chars().enumerate() {
            let axis = layout.axis(letter);
            let (size, target) = (x.shape()[axis], result.shape[axis]);
            let (start, end) = (corners[i] as f32, corners[i + 2] as f32);
            let last = size as f32 - 1.0;
            let scale = last * (end - start) / (target as f32 - 1.0);
            let at = |x| match target {
                // One place is the middle of the box, as in TensorFlow; Relay divides by 0.
                1 => 0.5 * (start + end) * last,
                _ => start * last + scale * x as f32,
            };
            pair.push(reading.along(axis, size, &(0..target).map(at).list())?);
        }
        axes.push(pair);
    }
    let fill = Some(call.attrs.float("extrapolation_value"));
    let mut values = Vec::with_capacity(kernel::strided::count(&result.shape));
    if !axes.is_empty() {
        let axes = |n: usize| &axes[n][..];
        sample(&x.floats(), x.shape(), &layout, &images, &axes, fill, &result.shape, &mut values);
    }
    in_single(is_single(x.dtype(), axes.iter().flatten().map(|along| &along.taps)), &mut values);
    call.one(floats(result.dtype, values.into_iter()))
}
