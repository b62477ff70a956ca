//! Suppression of boxes that overlap a better one.

use crate::places::tuple;
use crate::run::{Arg, Call, Fault, floats, ints, round_to};
use base::{Append, ToList};
use kernel::index::float_key;
use kernel::strided::count;
use ty::{Dtype, Elements, Value};

/// Left, top, right and bottom, whichever corners are given.
fn bounds(corners: &[f64]) -> [f64; 4] {
    let (a, b) = (corners[0].min(corners[2]), corners[1].min(corners[3]));
    [a, b, corners[0].max(corners[2]), corners[1].max(corners[3])]
}

/// How much of what two boxes cover both do, each step rounded; 0 where they cover nothing.
pub(super) fn overlap(dtype: Dtype, a: &[f64], b: &[f64]) -> f64 {
    let r = |x| round_to(dtype, x);
    let (a, b) = (bounds(a), bounds(b));
    let side = |from: usize, to: usize| r(a[to].min(b[to]) - a[from].max(b[from])).max(0.0);
    let both = r(side(1, 3) * side(0, 2));
    let area = |x: [f64; 4]| r(r(x[2] - x[0]) * r(x[3] - x[1]));
    let all = r(r(area(a) + area(b)) - both);
    if all <= 0.0 { 0.0 } else { r(both / all) }
}

/// The places of these scores from the best on; equal ones keep their order.
pub(super) fn best_first(scores: impl Iterator<Item = f64>) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = scores.enumerate().map(|(at, score)| (!float_key(score), at)).list();
    base::sort(&mut order);
    order.into_iter().map(|(_, at)| at).list()
}

/// A column of the rows of a tensor, where an attribute says which; a negative one is none.
fn column(call: &Call, attr: &str, n_columns: usize) -> Result<Option<usize>, Fault> {
    match call.attrs.int(attr).unwrap_or(-1) {
        at if at < 0 => Ok(None),
        at => usize::try_from(at).ok().filter(|&at| at < n_columns).map(Some).ok_or_else(|| Fault::index(at)),
    }
}

fn required(column: Option<usize>) -> Result<usize, Fault> {
    column.ok_or_else(|| Fault::index(-1))
}

/// Batches, rows and columns of the data.
fn sizes(x: &Arg) -> Result<[usize; 3], Fault> {
    x.shape().try_into().map_err(|_| Fault::ill_typed())
}

pub(super) fn get_valid_counts_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let [n_batches, n_rows, n_columns] = sizes(&x)?;
    let threshold = round_to(x.dtype(), call.float_operand(1)?);
    let id = column(call, "id_index", n_columns)?;
    let score = required(column(call, "score_index", n_columns)?)?;
    let data = x.floats();
    let mut rows = vec![-1.0; data.len()];
    let mut places = vec![-1_i64; n_batches * n_rows];
    let mut counts = Vec::with_capacity(n_batches);
    for batch in 0..n_batches {
        let mut n = 0;
        for at in 0..n_rows {
            let row = &data[(batch * n_rows + at) * n_columns..][..n_columns];
            if row[score] > threshold && id.is_none_or(|id| row[id] >= 0.0) {
                rows[(batch * n_rows + n) * n_columns..][..n_columns].copy_from_slice(row);
                places[batch * n_rows + n] = at as i64;
                n += 1;
            }
        }
        counts.push(n as i64);
    }
    Ok(tuple(vec![
        call.value(0, ints(Dtype::Int32, counts.into_iter()))?,
        call.value(1, floats(x.dtype(), rows.into_iter()))?,
        call.value(2, ints(Dtype::Int32, places.into_iter()))?,
    ]))
}

/// What is known of the rows of one batch: which is where, and none where a box was dropped.
struct Batch {
    rows: Vec<Option<usize>>,
}

/// Of the first `n_valid` rows of each batch, those that overlap no better one, the best first. The first that is kept
/// drops all like it.
pub(super) fn non_max_suppression_of(call: &Call) -> Result<Value, Fault> {
    let (x, counts) = (call.tensor(0)?, call.tensor(1)?.ints());
    let [n_batches, n_rows, n_columns] = sizes(&x)?;
    if counts.len() < n_batches {
        return Err(Fault::other("there is not one count for each batch"));
    }
    let dtype = x.dtype();
    let (max_size, threshold) = (call.int_operand(3)?, round_to(dtype, call.float_operand(4)?));
    let top_k = call.attrs.int("top_k").unwrap_or(-1);
    let force = call.attrs.flag("force_suppress");
    let corner = required(column(call, "coord_start", n_columns)?)?;
    if corner + 4 > n_columns {
        return Err(Fault::other("a box has four coordinates from `coord_start` on"));
    }
    let score = required(column(call, "score_index", n_columns)?)?;
    let id = column(call, "id_index", n_columns)?;
    let data = x.floats();
    let mut batches = Vec::with_capacity(n_batches);
    for (batch, &n_valid) in counts.iter().take(n_batches).enumerate() {
        let n_valid = crate::places::within(n_valid.max(0), n_rows + 1)?;
        let row = |at: usize| &data[(batch * n_rows + at) * n_columns..][..n_columns];
        let mut rows: Vec<Option<usize>> = (0..n_valid).map(Some).list();
        if threshold > 0.0 {
            let order = best_first((0..n_valid).map(|at| row(at)[score]));
            rows = order.into_iter().map(Some).list();
            if let Some(kept) = usize::try_from(top_k).ok().filter(|&kept| kept > 0 && kept < n_valid) {
                rows[kept..].fill(None);
            }
            let mut n_kept = 0;
            for j in 0..n_valid {
                let Some(at) = rows[j] else { continue };
                let box_a = row(at);
                if n_kept == max_size {
                    rows[j] = None;
                } else if box_a[score] > 0.0 {
                    let drops = |other: &Option<usize>| {
                        let Some(box_b) = other.map(row) else { return false };
                        let is_real = box_b[score] > 0.0 && id.is_none_or(|id| box_b[id] >= 0.0);
                        let is_like = force || id.is_none_or(|id| box_a[id] == box_b[id]);
                        is_real && is_like && overlap(dtype, &box_a[corner..], &box_b[corner..]) >= threshold
                    };
                    match rows[..j].iter().any(drops) {
                        true => rows[j] = None,
                        false => n_kept += 1,
                    }
                }
            }
        }
        rows.resize(n_rows, None);
        batches.push(Batch { rows });
    }
    if call.attrs.flag("return_indices") {
        return kept_indices(call, &batches, n_rows);
    }
    let to_top = call.attrs.flag("invalid_to_bottom");
    let mut values = vec![-1.0; data.len()];
    for (batch, Batch { rows }) in batches.iter().enumerate() {
        let mut next = 0;
        for (j, found) in rows.iter().enumerate() {
            let Some(at) = *found else { continue };
            let row = &data[(batch * n_rows + at) * n_columns..][..n_columns];
            let to = if to_top { next } else { j };
            if !to_top || row[0] >= 0.0 {
                values[(batch * n_rows + to) * n_columns..][..n_columns].copy_from_slice(row);
                next += 1;
            }
        }
    }
    call.one(floats(dtype, values.into_iter()))
}

/// The indices that the boxes had before, those kept first, and how many they are.
fn kept_indices(call: &Call, batches: &[Batch], n_rows: usize) -> Result<Value, Fault> {
    let indices = call.tensor(2)?.ints();
    if indices.len() < batches.len() * n_rows {
        return Err(Fault::other("there is not one index for each box"));
    }
    let (mut kept, mut counts) = (vec![-1_i64; batches.len() * n_rows], Vec::with_capacity(batches.len()));
    for (batch, Batch { rows }) in batches.iter().enumerate() {
        let mut n = 0;
        for at in rows.iter().flatten() {
            let index = indices[batch * n_rows + at];
            if index >= 0 {
                kept[batch * n_rows + n] = index;
                n += 1;
            }
        }
        counts.push(n as i64);
    }
    Ok(tuple(vec![
        call.value(0, ints(Dtype::Int32, kept.into_iter()))?,
        call.value(1, ints(Dtype::Int32, counts.into_iter()))?,
    ]))
}

/// For each class by itself. Rows that do not count are -1 for ONNX and 0 for TensorFlow.
pub(super) fn all_class_non_max_suppression_of(call: &Call) -> Result<Value, Fault> {
    let (boxes, scores) = (call.tensor(0)?, call.tensor(1)?);
    let [n_batches, n_boxes, n_corners] = sizes(&boxes)?;
    let [n_scored, n_classes, n_scores] = sizes(&scores)?;
    if n_corners != 4 || n_scored != n_batches || n_scores != n_boxes {
        return Err(Fault::other("boxes are four numbers each, and each has a score for each class"));
    }
    let (max_size, threshold) = (call.int_operand(2)?, call.float_operand(3)?);
    let least = round_to(scores.dtype(), call.float_operand(4)?);
    let is_onnx = call.attrs.str("output_format") == "onnx";
    let (corners, points) = (boxes.floats(), scores.floats());
    let mut rows: Vec<i64> = Vec::new();
    let mut kept_scores: Vec<f64> = Vec::new();
    let mut counts: Vec<i64> = Vec::new();
    for batch in 0..n_batches {
        let corner = |at: usize| &corners[(batch * n_boxes + at) * 4..][..4];
        let (first_row, mut n) = (rows.len(), 0);
        for class in 0..n_classes {
            let line = &points[(batch * n_classes + class) * n_boxes..][..n_boxes];
            let order = best_first(line.iter().copied());
            let n_valid = order.iter().take_while(|&&at| line[at] > least).count();
            let most = if max_size > 0 { max_size } else { n_valid as i64 };
            let mut kept: Vec<usize> = Vec::new();
            for &at in order[..n_valid].iter().filter(|_| threshold > 0.0) {
                if kept.len() as i64 >= most {
                    break;
                }
                // As in Relay, only a box whose score is above 0 can be dropped.
                let drops = |&other: &usize| overlap(boxes.dtype(), corner(other), corner(at)) >= threshold;
                if line[at] > -1.0 && !(line[at] > 0.0 && kept.iter().any(drops)) {
                    kept.push(at);
                }
            }
            n += kept.len();
            for at in kept {
                rows.append_all(is_onnx.then_some(batch as i64).into_iter().chain([class as i64, at as i64]));
                kept_scores.push(line[at]);
            }
        }
        counts.push(n as i64);
        if !is_onnx {
            rows.resize(first_row + 2 * n_classes * n_boxes, 0);
            kept_scores.resize((batch + 1) * n_classes * n_boxes, 0.0);
        }
    }
    if is_onnx {
        rows.resize(count(&call.result(0)?.shape), -1);
        counts = vec![counts.iter().total()];
    }
    let rows = call.value(0, ints(Dtype::Int64, rows.into_iter()))?;
    let counts = ints(Dtype::Int64, counts.into_iter());
    Ok(tuple(match is_onnx {
        true => vec![rows, call.value(1, counts)?],
        false => {
            let kept_scores: Elements = floats(Dtype::Float32, kept_scores.into_iter());
            vec![rows, call.value(1, kept_scores)?, call.value(2, counts)?]
        }
    }))
}
