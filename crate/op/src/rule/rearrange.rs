//! Rules of the operators in `rearrange`: other shapes and orders for the same elements.

use super::broadcast::BROADCASTS_TO;
use super::conv_nd::are_blocks;
use super::dims::{all_equal, check_same, divided_up, equate, is_number, number, same_count};
use super::form::{self, Form};
use super::index::{integers, is_undecided, scalar};
use super::norm::has_axis_of_data;
use super::shape::{Fields, expect_dtype, expect_fields, fields, tensors_of};
use super::{DataLayout, attr_error, can_be_tensor, can_have_rank, expect_rank, post_part, rank_error, same_dtypes};
use base::{Append, ToList};
use ty::{Facts, Function, Reason, Relation, Size, Step, Stop, TermId};

/// Repeats axes of size 1 until the shape is that of a second tensor.
pub static BROADCAST_TO_LIKE: Relation = Relation { name: "BroadCastToLike", n_outputs: 1, rule: broadcast_to_like };
/// Sums until the shape is that of a second tensor, which must broadcast to the data.
pub static COLLAPSE_SUM_LIKE: Relation = Relation { name: "CollapseSumLike", n_outputs: 1, rule: collapse_sum_like };
/// As [`COLLAPSE_SUM_LIKE`], with the shape as an attribute.
pub static COLLAPSE_SUM_TO: Relation = Relation { name: "CollapseSumTo", n_outputs: 1, rule: collapse_sum_to };
/// Some axes give way to some of another tensor, with as many elements.
pub static RESHAPE_LIKE: Relation = Relation { name: "ReshapeLike", n_outputs: 1, rule: reshape_like };
/// The type of the data, whose axis exists.
pub static REVERSE: Relation = Relation { name: "Reverse", n_outputs: 1, rule: has_axis_of_data };
/// The type of the data; one length for each place of the batch axis.
pub static REVERSE_SEQUENCE: Relation = Relation { name: "ReverseSequence", n_outputs: 1, rule: reverse_sequence };
/// One axis times a number.
pub static REPEAT: Relation = Relation { name: "Repeat", n_outputs: 1, rule: repeat };
/// Axes times numbers, aligned at the last.
pub static TILE: Relation = Relation { name: "Tile", n_outputs: 1, rule: tile };
/// A new axis along which the tensors of a tuple stand.
pub static STACK: Relation = Relation { name: "Stack", n_outputs: 1, rule: stack };
/// A grid over vectors, once for each of them.
pub static MESHGRID: Relation = Relation { name: "Meshgrid", n_outputs: 1, rule: meshgrid };
/// From one layout to another, in blocks where the letters say so.
pub static LAYOUT_TRANSFORM: Relation = Relation { name: "layout_transform", n_outputs: 1, rule: layout_transform };
/// The shape that the target layout spells out.
pub static AUTO_SCHEDULER_LAYOUT_TRANSFORM: Relation =
    Relation { name: "auto_scheduler_layout_transform", n_outputs: 1, rule: auto_scheduler_layout_transform };
/// Windows over the axes from one on: their counts, then their sizes.
pub static SLIDING_WINDOW: Relation = Relation { name: "SlidingWindow", n_outputs: 1, rule: sliding_window };
/// The type of the input; the diagonals fit into its last two axes.
pub static MATRIX_SET_DIAG: Relation = Relation { name: "MatrixSetDiag", n_outputs: 1, rule: matrix_set_diag };
/// The type of the data; one length for each sequence.
pub static SEQUENCE_MASK: Relation = Relation { name: "SequenceMask", n_outputs: 1, rule: sequence_mask };
/// The type of the data, a matrix or many, and a scalar.
pub static TRILU: Relation = Relation { name: "trilu", n_outputs: 1, rule: trilu };

/// The axes of `from` and `to` from the last on; fails where they do not broadcast.
fn onto(r: &dyn Facts, from: &[TermId], to: &[TermId]) -> Result<Vec<[TermId; 2]>, Stop> {
    let (rank, n) = (from.len(), to.len());
    r.check(rank <= n, format_args!("a shape of rank {rank} does not broadcast to rank {n}"))?;
    let mut undecided = Vec::new();
    for (i, (&left, &right)) in from.iter().rev().zip(to.iter().rev()).enumerate() {
        match (r.peek_number(left), r.peek_number(right)) {
            (Some(1), _) => {}
            (Some(left_size), Some(right_size)) if left_size != right_size => {
                return r.fail(Reason::Broadcast { left, right, left_size, right_size, axis: Some(i) });
            }
            (Some(_), Some(_)) => {}
            (None, _) | (_, None) if is_undecided(r, left, right) => undecided.push([left, right]),
            (None, _) | (_, None) => {}
        }
    }
    Ok(undecided)
}

fn broadcast_to_like(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (like, like_dtype) = r.tensor(1)?;
    same_dtypes(r, (0, dtype), (1, like_dtype))?;
    let undecided = onto(r, &data, &like)?;
    let like = r.arg(1);
    r.unify(dtype, like_dtype)?;
    r.result_is(like)?;
    undecided.iter().for_each(|args| post_part(r, &BROADCASTS_TO, args));
    Ok(())
}

fn collapse_sum_like(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (like, like_dtype) = r.tensor(1)?;
    same_dtypes(r, (0, dtype), (1, like_dtype))?;
    let undecided = onto(r, &like, &data)?;
    let like = r.arg(1);
    r.unify(dtype, like_dtype)?;
    r.result_is(like)?;
    undecided.iter().for_each(|args| post_part(r, &BROADCASTS_TO, args));
    Ok(())
}

fn collapse_sum_to(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let n_axes = super::dynamic::static_len(r, 1)?;
    let sizes: Vec<Size> = match r.attrs().ints("shape") {
        None => base::filled(Size::ANY, n_axes),
        Some(shape) => shape.into_iter().map(Size::known).list(),
    };
    if sizes.iter().any(|size| size.number.is_some_and(|size| size < 0)) {
        return attr_error(r, "shape", "sizes of at least 0");
    }
    let found = sizes.len();
    r.check(found == n_axes, format_args!("a shape of {n_axes} sizes is given as {found}"))?;
    let dims: Vec<TermId> = sizes.iter().map(|&size| r.make_size(size)).list();
    let undecided = onto(r, &dims, &data)?;
    r.result(&dims, dtype)?;
    undecided.iter().for_each(|args| post_part(r, &BROADCASTS_TO, args));
    Ok(())
}

/// The axes from `begin` to `end`, each counted from the end when negative.
fn axis_range(
    r: &dyn Facts,
    begin: &'static str,
    end: &'static str,
    rank: usize,
) -> Result<std::ops::Range<usize>, Stop> {
    let n = rank as i64;
    let from_end = |axis: i64| if axis < 0 { axis.saturating_add(n) } else { axis };
    let first = from_end(r.attrs().int(begin).unwrap_or(0));
    let last = from_end(r.attrs().int(end).unwrap_or(n)).min(n);
    if !(0..=n).contains(&first) {
        return attr_error(r, begin, format!("an axis from -{rank} to {rank}"));
    }
    if last < first {
        return attr_error(r, end, format!("an axis from {begin} on"));
    }
    Ok(first as usize..last as usize)
}

fn reshape_like(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (like, _) = r.tensor(1)?;
    let replaced = axis_range(r, "lhs_begin", "lhs_end", data.len())?;
    let replacing = axis_range(r, "rhs_begin", "rhs_end", like.len())?;
    let dims = [&data[..replaced.start], &like[replacing.clone()], &data[replaced.end..]].concat();
    same_count(r, &data[replaced], &like[replacing], &|from, to| {
        format!("{from} elements do not fill a shape of {to}")
    })?;
    r.result(&dims, dtype)
}

fn reverse_sequence(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    let (lengths, dtype) = r.tensor_of_rank(1, 1)?;
    super::index::signed(r, dtype, "lengths")?;
    let batch = r.axis("batch_axis", r.attrs().int("batch_axis").unwrap_or(0), dims.len())?;
    r.axis("seq_axis", r.attrs().int("seq_axis").unwrap_or(1), dims.len())?;
    equate(r, &[(dims[batch], lengths[0])], &format!("each place of axis {batch} has its length"))?;
    let data = r.arg(0);
    r.result_is(data)
}

fn repeat(r: &mut dyn Facts) -> Step {
    let Some(repeats) = r.attrs().int("repeats").filter(|&repeats| repeats >= 1) else {
        return attr_error(r, "repeats", "a number above 0");
    };
    can_be_tensor(r, 0)?;
    let (data, dtype) = Form::operand(r, 0)?;
    let axis = data.axis(r, "axis", r.attrs().int("axis").unwrap_or(0), 0)?;
    if repeats == 1 {
        data.has_axis(r, axis)?;
    }
    let size = data.dim(r, axis)?;
    let size = r.affine(size, repeats, 0)?;
    let repeated = data.replaced(r, axis, &[size])?;
    form::result(r, &repeated, dtype)
}

fn tile(r: &mut dyn Facts) -> Step {
    let reps = r.attrs().ints("reps").unwrap_or_default();
    if reps.iter().any(|&n| n < 1) {
        return attr_error(r, "reps", "numbers above 0");
    }
    let (dims, dtype) = r.tensor(0)?;
    let rank = dims.len().max(reps.len());
    let mut tiled = Vec::with_capacity(rank);
    for from_last in (0..rank).rev() {
        let dim = dims.len().checked_sub(from_last + 1).map(|at| dims[at]);
        let n = reps.len().checked_sub(from_last + 1).map_or(1, |at| reps[at]);
        tiled.push(match dim {
            None => number(r, n),
            Some(dim) => r.affine(dim, n, 0)?,
        });
    }
    r.result(&tiled, dtype)
}

fn stack(r: &mut dyn Facts) -> Step {
    let axis = r.attrs().int("axis").unwrap_or(0);
    let (rank, terms) = match fields(r, 1, "stack")? {
        (Fields::Ranked(rank), terms) => (rank, terms),
        (Fields::Whole(shapes), terms) => {
            let axis = shapes[0].axis(r, "axis", axis, 1)?;
            if let Some(other) = shapes.iter().find(|other| !shapes[0].is(r, other)) {
                return Err(Stop::wait(&[shapes[0].shape(r), other.shape(r)]));
            }
            let dtype = expect_dtype(r, &terms)?;
            let n = number(r, terms.len() as i64);
            let stacked = shapes[0].inserted(r, axis, &[n])?;
            return form::result(r, &stacked, dtype);
        }
    };
    // The new axis may also stand behind the last one.
    let axis = r.axis("axis", axis, rank + 1)?;
    let (fields, dtype) = expect_fields(r, rank, &terms)?;
    for at in 0..rank {
        let sizes: Vec<TermId> = fields.iter().map(|dims| dims[at]).list();
        all_equal(r, &sizes, &|one, other| format!("the tensors of a stack have one shape, and {one} is not {other}"))?;
    }
    let mut dims = fields[0].clone();
    dims.insert(axis, number(r, terms.len() as i64));
    r.result(&dims, dtype)
}

fn meshgrid(r: &mut dyn Facts) -> Step {
    let tensors = tensors_of(r, 0)?;
    let swap = r.attrs().str("indexing") == "xy";
    let Some((_, dtype)) = tensors.first() else {
        return r.fail(Reason::Check("there is no grid over an empty tuple".into()));
    };
    let mut dims = Vec::with_capacity(tensors.len());
    for (i, (vector, other)) in tensors.iter().enumerate() {
        same_dtypes(r, (0, *dtype), (0, *other))?;
        dims.push(match vector[..] {
            [] => r.make_size(Size::known(1)),
            [dim] => dim,
            _ => {
                let found = vector.len();
                let sentence = format!("a grid stands on scalars and vectors, but field {i} has rank {found}");
                return r.fail(Reason::Check(sentence.into()));
            }
        });
    }
    if swap && dims.len() >= 2 {
        dims.swap(0, 1);
    }
    tensors.iter().try_for_each(|(_, other)| r.unify(*dtype, *other))?;
    let grid = r.make_tensor(&dims, *dtype);
    let tuple = r.make_tuple(&base::filled(grid, tensors.len()));
    r.result_is(tuple)
}

fn layout_transform(r: &mut dyn Facts) -> Step {
    let (from, to) = (r.attrs().str("src_layout"), r.attrs().str("dst_layout"));
    let letters: String = from.chars().filter(char::is_ascii_uppercase).collect();
    let Some(src) = DataLayout::parse(from, &letters).filter(|_| !letters.is_empty()) else {
        return attr_error(r, "src_layout", "a layout such as \"NCHW\" or \"NCHW4c\"");
    };
    let Some(dst) = DataLayout::parse(to, &letters) else {
        return attr_error(r, "dst_layout", format!("a layout of the axes {letters}"));
    };
    let rank = src.rank();
    if let Some(found) = super::peek_rank(r, 0) {
        r.check(rank == found, format_args!("the layout has {rank} axes but the data has rank {found}"))?;
    }
    can_have_rank(r, 0, rank)?;
    let data = r.arg(0);
    let (dims, dtype) = expect_rank(r, data, rank)?;
    are_blocks(r, &src, &dims)?;
    let mut result = Vec::with_capacity(dst.rank());
    for &(letter, inner) in dst.axes() {
        result.push(match inner {
            Some(block) => number(r, block),
            // The last block may be padded.
            None => {
                let full = r.product_of(&src.parts(&dims, letter))?;
                divided_up(r, full, dst.block_of(letter))?
            }
        });
    }
    r.result(&result, dtype)
}

/// The letters and sizes of a layout that names them: `8N2c` is N in 8 by C in 2. Small letters are as large ones.
pub fn spelt_layout(layout: &str) -> Option<Vec<(char, Option<i64>)>> {
    let mut axes = Vec::new();
    let mut size: Option<i64> = None;
    for c in layout.chars() {
        match c.to_digit(10) {
            Some(digit) => size = Some(size.unwrap_or(0).checked_mul(10)?.checked_add(i64::from(digit))?),
            None if c.is_ascii_alphabetic() => axes.push((c.to_ascii_uppercase(), Some(size.take()?))),
            None => return None,
        }
    }
    size.is_none().then_some(axes)
}

fn auto_scheduler_layout_transform(r: &mut dyn Facts) -> Step {
    let Some(layout) = spelt_layout(r.attrs().str("dst_layout")) else {
        return attr_error(r, "dst_layout", "sizes and letters in turn, such as \"1N8H8W3C\"");
    };
    let sizes: Vec<i64> = layout.into_iter().filter_map(|(_, size)| size).list();
    can_be_tensor(r, 0)?;
    let (data, dtype) = Form::operand(r, 0)?;
    let made = sizes.iter().copied().fold(1, i64::saturating_mul);
    let (all, made) = (data.product_from(r, 0)?, number(r, made));
    same_count(r, &[all], &[made], &|all, made| format!("{all} elements do not fill a shape of {made}"))?;
    let dims: Vec<TermId> = sizes.into_iter().map(|size| number(r, size)).list();
    r.result(&dims, dtype)
}

fn sliding_window(r: &mut dyn Facts) -> Step {
    let Some(window) = r.attrs().ints("window_shape").filter(|window| window.iter().all(|&size| size > 0)) else {
        return attr_error(r, "window_shape", "numbers above 0");
    };
    let Some(strides) = r.attrs().ints("strides").filter(|strides| strides.iter().all(|&stride| stride > 0)) else {
        return attr_error(r, "strides", "numbers above 0");
    };
    let axis = r.attrs().int("axis").unwrap_or(0);
    let (dims, dtype) = r.tensor(0)?;
    let rank = dims.len();
    let Some(axis) = usize::try_from(axis).ok().filter(|&axis| axis < rank) else {
        return attr_error(r, "axis", format!("an axis from 0 to below the rank, {rank}"));
    };
    let n = rank - axis;
    r.check(
        window.len() == n && strides.len() == n,
        format_args!("from axis {axis} on there are {n} axes, each with its window and its stride"),
    )?;
    let mut result = dims[..axis].to_vec();
    for (at, (&window, &stride)) in (axis..).zip(window.iter().zip(&strides)) {
        let least = number(r, window);
        r.at_most(least, dims[at], &|window, size| format!("a window of {window} is larger than axis {at}, {size}"))?;
        let steps = r.affine(dims[at], 1, -window)?;
        let steps = r.floor_div(steps, stride)?;
        result.push(r.affine(steps, 1, 1)?);
    }
    result.append_all(window.iter().map(|&size| number(r, size)));
    r.result(&result, dtype)
}

fn matrix_set_diag(r: &mut dyn Facts) -> Step {
    let (k1, k2) = (r.attrs().int("k1").unwrap_or(0), r.attrs().int("k2").unwrap_or(0));
    if k1 > k2 {
        return attr_error(r, "k2", format!("a diagonal from k1, {k1}, on"));
    }
    let (dims, _) = r.tensor(0)?;
    let (diagonal, _) = r.tensor(1)?;
    let Some((batch, &[height, width])) = dims.split_last_chunk() else {
        return rank_error(r, 0, "2 or more", dims.len());
    };
    // One diagonal is a vector, more of them are the rows of a matrix.
    let rank = batch.len() + if k1 == k2 { 1 } else { 2 };
    let found = diagonal.len();
    r.check(found == rank, format_args!("diagonals {k1} to {k2} have rank {rank} together, found {found}"))?;
    let pairs: Vec<_> = batch.iter().copied().zip(diagonal.iter().copied()).list();
    check_same(r, &pairs, "input and diagonals have the same batch axes")?;
    if let (Some(rows), Some(columns)) = (r.peek_number(height), r.peek_number(width)) {
        r.check(
            k1.saturating_neg() < rows && k2 < columns,
            format_args!("a matrix of {rows} by {columns} has no diagonals {k1} to {k2}"),
        )?;
    }
    for (least, size) in [(k1.saturating_neg().saturating_add(1), height), (k2.saturating_add(1), width)] {
        let least = number(r, least.max(0));
        r.at_most(least, size, &|least, size| format!("{size} rows or columns are less than {least}"))?;
    }
    let ends = [r.affine(height, 1, k2.min(0))?, r.affine(width, 1, k1.max(0).saturating_neg())?];
    let longest = ty::apply(r, &Function::Min, &ends)?;
    if let (Some(longest), Some(len)) = (r.peek_number(longest), r.peek_number(diagonal[rank - 1])) {
        r.check(len == longest, format_args!("the longest diagonal has {longest} places, found {len}"))?;
    }
    equate(r, &[(longest, diagonal[rank - 1])], "the longest diagonal fits")?;
    if k1 != k2 {
        let want = k2.saturating_sub(k1).saturating_add(1);
        is_number(r, diagonal[rank - 2], want, &|want, n| format!("{k1} to {k2} are {want} diagonals, found {n}"))?;
    }
    equate(r, &pairs, "input and diagonals have the same batch axes")?;
    let input = r.arg(0);
    r.result_is(input)
}

fn sequence_mask(r: &mut dyn Facts) -> Step {
    let other = match r.attrs().int("axis").unwrap_or(0) {
        0 => 1,
        1 => 0,
        _ => return attr_error(r, "axis", "0 or 1"),
    };
    can_have_rank(r, 1, 1)?;
    let (dims, _) = r.tensor(0)?;
    if dims.len() < 2 {
        return rank_error(r, 0, "2 or more", dims.len());
    }
    let lengths = r.arg(1);
    let (lengths, _) = expect_rank(r, lengths, 1)?;
    equate(r, &[(dims[other], lengths[0])], &format!("each place of axis {other} has its length"))?;
    let data = r.arg(0);
    r.result_is(data)
}

fn trilu(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    let dtype = scalar(r, 1)?;
    integers(r, dtype, "diagonals")?;
    if dims.len() < 2 {
        return rank_error(r, 0, "2 or more", dims.len());
    }
    let data = r.arg(0);
    r.result_is(data)
}
