//! Anchor boxes: where they stand, and what a network says to move them.

use crate::image::resize::floats_of;
use crate::places::tuple;
use crate::run::{Call, Fault, floats, ints, round_to};
use crate::vision::suppress::best_first;
use base::{Append, MapArray, ToList};
use kernel::scalar::float;
use kernel::strided::count;
use ty::{Dtype, Value};

/// The numbers of a list attribute that has so many.
fn numbers<const N: usize>(call: &Call, attr: &str) -> Result<[f64; N], Fault> {
    let too_few = |_| Fault::other("a list attribute has another number of numbers");
    floats_of(call.attrs.get(attr)).try_into().map_err(too_few)
}

pub(super) fn multibox_prior_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let &[_, _, height, width] = x.shape() else { return Err(Fault::ill_typed()) };
    let (sizes, ratios) = (floats_of(call.attrs.get("sizes")), floats_of(call.attrs.get("ratios")));
    let (Some(&size), false) = (sizes.first(), ratios.is_empty()) else { return Err(Fault::ill_typed()) };
    let (steps, offsets) = (numbers::<2>(call, "steps")?, numbers::<2>(call, "offsets")?);
    let step = |given: f64, size: usize| if given > 0.0 { given } else { 1.0 / size as f64 };
    let (down, right) = (step(steps[0], height), step(steps[1], width));
    let aspect = height as f64 / width as f64;
    // Half width and half height: of each size, then of the first size in each further ratio.
    let squares = sizes.iter().map(|size| (size * aspect / 2.0, size / 2.0));
    let others = ratios[1..].iter().map(|ratio| (size * aspect * ratio.sqrt() / 2.0, size / ratio.sqrt() / 2.0));
    let halves: Vec<(f64, f64)> = squares.chain(others).list();
    let clip = call.attrs.flag("clip");
    let mut boxes = Vec::with_capacity(count(&result.shape));
    for i in 0..height {
        for j in 0..width {
            let (y, x) = ((i as f64 + offsets[0]) * down, (j as f64 + offsets[1]) * right);
            for &(w, h) in &halves {
                let corners = [x - w, y - h, x + w, y + h];
                boxes.append_all(corners.map(|at| if clip { at.clamp(0.0, 1.0) } else { at }));
            }
        }
    }
    call.one(floats(result.dtype, boxes.into_iter()))
}

/// The rows behind the counted ones are 0.
pub(super) fn multibox_transform_loc_of(call: &Call) -> Result<Value, Fault> {
    let (scores, moves, anchors) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let &[n_batches, n_classes, n_anchors] = scores.shape() else { return Err(Fault::ill_typed()) };
    let variances = numbers::<4>(call, "variances")?;
    let (clip, threshold) = (call.attrs.flag("clip"), round_to(Dtype::Float32, call.attrs.float("threshold")));
    let (p, m, a) = (scores.floats(), moves.floats(), anchors.floats());
    if moves.shape()[0] != n_batches || a.len() < 4 * n_anchors {
        return Err(Fault::other("there is not one move for each anchor of each batch"));
    }
    let mut rows = vec![0.0; n_batches * n_anchors * 6];
    let mut counts = Vec::with_capacity(n_batches);
    for batch in 0..n_batches {
        let mut n = 0;
        for j in 0..n_anchors {
            let (mut class, mut score) = (0, -1.0);
            for k in 1..n_classes {
                let found = p[(batch * n_classes + k) * n_anchors + j];
                if found > score {
                    (class, score) = (k, found);
                }
            }
            if class == 0 || score < threshold {
                continue;
            }
            let (at, by) = (&a[4 * j..][..4], &m[(batch * n_anchors + j) * 4..][..4]);
            let (width, height) = (at[2] - at[0], at[3] - at[1]);
            let x = by[0] * variances[0] * width + (at[0] + at[2]) / 2.0;
            let y = by[1] * variances[1] * height + (at[1] + at[3]) / 2.0;
            let w = float::exp(by[2] * variances[2]) * width / 2.0;
            let h = float::exp(by[3] * variances[3]) * height / 2.0;
            let corners = [x - w, y - h, x + w, y + h].each(|at| if clip { at.clamp(0.0, 1.0) } else { at });
            let row = &mut rows[(batch * n_anchors + n) * 6..][..6];
            row[0] = class as f64 - 1.0;
            row[1] = score;
            row[2..].copy_from_slice(&corners);
            n += 1;
        }
        counts.push(n as i64);
    }
    let counts = ints(Dtype::Int32, counts.into_iter());
    Ok(tuple(vec![call.value(0, floats(call.result(0)?.dtype, rows.into_iter()))?, call.value(1, counts)?]))
}

/// A base square of `side` places in another ratio and scale: left, top, right, bottom.
fn base_anchor(ratio: f64, scale: f64, side: f64) -> [f64; 4] {
    let centre = 0.5 * (side - 1.0);
    let area = (side * side / ratio).floor();
    let width = (area.sqrt() + 0.5).floor() * scale;
    let height = (width / scale * ratio + 0.5).floor() * scale;
    let (w, h) = (0.5 * (width - 1.0), 0.5 * (height - 1.0));
    [centre - w, centre - h, centre + w, centre + h]
}

/// How much of what two boxes cover both do, where a box also covers its last row and column.
fn overlap(a: &[f64], b: &[f64]) -> f64 {
    let side = |from: usize, to: usize| (a[to].min(b[to]) - a[from].max(b[from]) + 1.0).max(0.0);
    let both = side(0, 2) * side(1, 3);
    let area = |x: &[f64]| (x[2] - x[0] + 1.0) * (x[3] - x[1] + 1.0);
    both / (area(a) + area(b) - both)
}

pub(super) fn proposal_of(call: &Call) -> Result<Value, Fault> {
    let (scores, moves, images) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let result = call.result(0)?;
    let &[n_batches, n_channels, height, width] = scores.shape() else { return Err(Fault::ill_typed()) };
    let (scales, ratios) = (floats_of(call.attrs.get("scales")), floats_of(call.attrs.get("ratios")));
    let n_anchors = scales.len() * ratios.len();
    let (p, m, info) = (scores.floats(), moves.floats(), images.floats());
    let is_whole = n_channels == 2 * n_anchors
        && moves.shape() == [n_batches, 4 * n_anchors, height, width]
        && images.shape()[0] == n_batches;
    if !is_whole {
        return Err(Fault::other("scores, moves and images are not of the same anchors"));
    }
    let stride = call.attrs.int("feature_stride").unwrap_or(1) as f64;
    let least = call.attrs.int("rpn_min_size").unwrap_or(0) as f64;
    let (threshold, iou_loss) = (call.attrs.float("threshold"), call.attrs.flag("iou_loss"));
    let n_boxes = height * width * n_anchors;
    let n_best = usize::try_from(call.attrs.int("rpn_pre_nms_top_n").unwrap_or(0)).unwrap_or(0);
    let n_best = if n_best > 0 { n_best.min(n_boxes) } else { n_boxes };
    let n_kept = result.shape[0] / n_batches.max(1);
    let mut regions = Vec::with_capacity(count(&result.shape));
    for batch in 0..n_batches {
        let info = &info[3 * batch..][..3];
        let mut boxes: Vec<[f64; 5]> = Vec::with_capacity(n_boxes);
        for place in 0..height * width {
            let (row, column) = (place / width, place % width);
            for k in 0..n_anchors {
                let mut corners = base_anchor(ratios[k / scales.len()], scales[k % scales.len()], stride);
                for (i, corner) in corners.iter_mut().enumerate() {
                    *corner += [column, row][i % 2] as f64 * stride;
                }
                let plane = height * width;
                let by = [0, 1, 2, 3].each(|i| m[((batch * n_anchors + k) * 4 + i) * plane + place]);
                let moved = if iou_loss { [0, 1, 2, 3].each(|i| corners[i] + by[i]) } else { regressed(corners, by) };
                // The image is given as its height and its width.
                let mut found = [0, 1, 2, 3].each(|i: usize| moved[i].min(info[1 - i % 2] - 1.0).max(0.0));
                let mut score = p[(batch * n_channels + n_anchors + k) * plane + place];
                let is_beyond = |at: usize, size: f64| at as f64 >= (size / stride).trunc();
                if is_beyond(row, info[0]) || is_beyond(column, info[1]) {
                    score = -1.0;
                }
                let side = info[2] * least;
                if found[2] - found[0] + 1.0 < side || found[3] - found[1] + 1.0 < side {
                    found = [0, 1, 2, 3].each(|i| found[i] + if i < 2 { -side / 2.0 } else { side / 2.0 });
                    score = -1.0;
                }
                boxes.push([found[0], found[1], found[2], found[3], score]);
            }
        }
        let order = best_first(boxes.iter().map(|found| found[4]));
        let mut kept: Vec<&[f64; 5]> = Vec::new();
        for &at in &order[..n_best] {
            if !kept.iter().any(|better| overlap(*better, &boxes[at]) > threshold) {
                kept.push(&boxes[at]);
            }
        }
        // Where too few are left they come again.
        for i in 0..n_kept {
            let corners =
                kept.get(i % kept.len().max(1)).map_or([0.0; 4], |found| [found[0], found[1], found[2], found[3]]);
            regions.push(batch as f64);
            regions.append_all(corners);
        }
    }
    call.one(floats(result.dtype, regions.into_iter()))
}

/// A box with its centre moved by a part of its size, and its size by a power of e.
fn regressed(corners: [f64; 4], by: [f64; 4]) -> [f64; 4] {
    let (width, height) = (corners[2] - corners[0] + 1.0, corners[3] - corners[1] + 1.0);
    let x = by[0] * width + corners[0] + 0.5 * (width - 1.0);
    let y = by[1] * height + corners[1] + 0.5 * (height - 1.0);
    let w = 0.5 * (float::exp(by[2]) * width - 1.0);
    let h = 0.5 * (float::exp(by[3]) * height - 1.0);
    [x - w, y - h, x + w, y + h]
}
