//! Rules of the operators in `rearrange`: other shapes and orders for the same elements.

use super::broadcast::BROADCASTS_TO;
use super::index::{check_same, integers, is_undecided, post_same, scalar};
use super::shape::{reshaped, tensors_of};
use super::{DataLayout, attr_error, product};
use ty::{Facts, Reason, Relation, Size, Step, Stop, Term, TermId};

/// Repeats axes of size 1 until the shape is that of a second tensor.
pub static BROADCAST_TO_LIKE: Relation = Relation { name: "BroadCastToLike", n_outputs: 1, rule: broadcast_to_like };
/// Sums until the shape is that of a second tensor, which must broadcast to the data.
pub static COLLAPSE_SUM_LIKE: Relation = Relation { name: "CollapseSumLike", n_outputs: 1, rule: collapse_sum_like };
/// As [`COLLAPSE_SUM_LIKE`], with the shape as an attribute.
pub static COLLAPSE_SUM_TO: Relation = Relation { name: "CollapseSumTo", n_outputs: 1, rule: collapse_sum_to };
/// The codes of a reshape, read from the last axis.
pub static REVERSE_RESHAPE: Relation = Relation { name: "ReverseReshape", n_outputs: 1, rule: reverse_reshape };
/// Some axes give way to some of another tensor, with as many elements.
pub static RESHAPE_LIKE: Relation = Relation { name: "ReshapeLike", n_outputs: 1, rule: reshape_like };
/// The type of the data, whose axis exists.
pub static REVERSE: Relation = Relation { name: "Reverse", n_outputs: 1, rule: reverse };
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

/// Two shapes with as many elements, unless a `?` is among them.
static SAME_COUNT: Relation = Relation { name: "SameCount", n_outputs: 0, rule: same_count };

fn same_count(r: &mut dyn Facts) -> Step {
    let (from, to) = (r.dims(r.arg(0))?, r.dims(r.arg(1))?);
    match (product(&r.sizes(&from)?).number, product(&r.sizes(&to)?).number) {
        (Some(from), Some(to)) => r.check(from == to, || format!("{from} elements do not fill a shape of {to}")),
        _ => Ok(()),
    }
}

/// The axes of `from` and `to` from the last on; fails where they do not broadcast.
fn onto(r: &dyn Facts, from: &[TermId], to: &[TermId]) -> Result<Vec<[TermId; 2]>, Stop> {
    let (rank, n) = (from.len(), to.len());
    r.check(rank <= n, || format!("a shape of rank {rank} does not broadcast to rank {n}"))?;
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

/// Fails where two dtypes are known and differ.
fn check_dtypes(r: &dyn Facts, left: TermId, right: TermId) -> Step {
    match (r.dtype(left), r.dtype(right)) {
        (Ok(left), Ok(right)) if left != right => r.fail(Reason::Dtypes { left, right }),
        _ => Ok(()),
    }
}

fn broadcast_to_like(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (like, like_dtype) = r.tensor(1)?;
    check_dtypes(r, dtype, like_dtype)?;
    let undecided = onto(r, &data, &like)?;
    let like = r.arg(1);
    r.unify(dtype, like_dtype)?;
    r.result_is(like)?;
    undecided.iter().for_each(|args| r.post(&BROADCASTS_TO, args));
    Ok(())
}

fn collapse_sum_like(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (like, like_dtype) = r.tensor(1)?;
    check_dtypes(r, dtype, like_dtype)?;
    let undecided = onto(r, &like, &data)?;
    let like = r.arg(1);
    r.unify(dtype, like_dtype)?;
    r.result_is(like)?;
    undecided.iter().for_each(|args| r.post(&BROADCASTS_TO, args));
    Ok(())
}

fn collapse_sum_to(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let n_axes = super::dynamic::static_len(r, 1)?;
    let sizes: Vec<Size> = match r.attrs().ints("shape") {
        None => vec![Size::ANY; n_axes],
        Some(shape) => shape.into_iter().map(Size::known).collect(),
    };
    if sizes.iter().any(|size| size.number.is_some_and(|size| size < 0)) {
        return attr_error(r, "shape", "sizes of at least 0");
    }
    let found = sizes.len();
    r.check(found == n_axes, || format!("a shape of {n_axes} sizes is given as {found}"))?;
    let dims: Vec<TermId> = sizes.iter().map(|&size| r.make_size(size)).collect();
    let undecided = onto(r, &dims, &data)?;
    r.result(&dims, dtype)?;
    undecided.iter().for_each(|args| r.post(&BROADCASTS_TO, args));
    Ok(())
}

fn reverse_reshape(r: &mut dyn Facts) -> Step {
    let Some(mut codes) = r.attrs().ints("newshape") else {
        return attr_error(r, "newshape", "a list of integers");
    };
    if codes.contains(&-4) {
        return attr_error(r, "newshape", "no -4, whose two sizes would stand on its wrong side");
    }
    let (dims, dtype) = r.tensor(0)?;
    let mut input = r.sizes(&dims)?;
    input.reverse();
    codes.reverse();
    let mut output = reshaped(r, &codes, &input)?;
    output.reverse();
    r.result_sizes(&output, dtype)
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
    let dims: Vec<TermId> =
        data[..replaced.start].iter().chain(&like[replacing]).chain(&data[replaced.end..]).copied().collect();
    let (data, list) = (r.tensor_parts(0)?.0, r.make_list(&dims));
    let shape = r.make(Term::Shape(list));
    let tensor = r.make(Term::Tensor { shape, dtype });
    r.result_is(tensor)?;
    r.post(&SAME_COUNT, &[data, shape]);
    Ok(())
}

fn reverse(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    r.axis("axis", r.attrs().int("axis").unwrap_or(0), dims.len())?;
    let data = r.arg(0);
    r.result_is(data)
}

fn reverse_sequence(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    let (lengths, dtype) = r.tensor_of_rank(1, 1)?;
    super::index::signed(r, dtype, "lengths")?;
    let batch = r.axis("batch_axis", r.attrs().int("batch_axis").unwrap_or(0), dims.len())?;
    r.axis("seq_axis", r.attrs().int("seq_axis").unwrap_or(1), dims.len())?;
    let pairs = [(dims[batch], lengths[0])];
    check_same(r, &pairs, &format!("each place of axis {batch} has its length"))?;
    let data = r.arg(0);
    r.result_is(data)?;
    post_same(r, &pairs);
    Ok(())
}

fn repeat(r: &mut dyn Facts) -> Step {
    let Some(repeats) = r.attrs().int("repeats").filter(|&repeats| repeats >= 1) else {
        return attr_error(r, "repeats", "a number above 0");
    };
    let (mut dims, dtype) = r.tensor(0)?;
    let axis = r.axis("axis", r.attrs().int("axis").unwrap_or(0), dims.len())?;
    if repeats > 1 {
        let size = r.size(dims[axis])?;
        dims[axis] = r.make_size(size.map(|size| size.saturating_mul(repeats)));
    }
    r.result(&dims, dtype)
}

fn tile(r: &mut dyn Facts) -> Step {
    let Some(reps) = r.attrs().ints("reps") else { return attr_error(r, "reps", "a list of integers") };
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
            None => r.make_size(Size::known(n)),
            Some(dim) if n == 1 => dim,
            Some(dim) => {
                let size = r.size(dim)?;
                r.make_size(size.map(|size| size.saturating_mul(n)))
            }
        });
    }
    r.result(&tiled, dtype)
}

fn stack(r: &mut dyn Facts) -> Step {
    let tensors = tensors_of(r, 0)?;
    let Some(((first, dtype), others)) = tensors.split_first() else {
        return r.fail(Reason::Check("there is nothing to stack in an empty tuple".into()));
    };
    let rank = first.len();
    // The new axis may also stand behind the last one.
    let axis = r.axis("axis", r.attrs().int("axis").unwrap_or(0), rank + 1)?;
    let mut pairs = Vec::new();
    for (i, (dims, other)) in others.iter().enumerate() {
        let (field, found) = (i + 1, dims.len());
        r.check(found == rank, || format!("field {field} has rank {found} but field 0 has rank {rank}"))?;
        check_dtypes(r, *dtype, *other)?;
        pairs.extend(first.iter().copied().zip(dims.iter().copied()));
    }
    check_same(r, &pairs, "the tensors of a stack have one shape")?;
    let mut dims = first.clone();
    dims.insert(axis, r.make_size(Size::known(tensors.len() as i64)));
    others.iter().try_for_each(|(_, other)| r.unify(*dtype, *other))?;
    r.result(&dims, *dtype)?;
    post_same(r, &pairs);
    Ok(())
}

fn meshgrid(r: &mut dyn Facts) -> Step {
    let tensors = tensors_of(r, 0)?;
    let swap = match r.attrs().str("indexing") {
        "ij" => false,
        "xy" => true,
        _ => return attr_error(r, "indexing", "\"ij\" or \"xy\""),
    };
    let Some((_, dtype)) = tensors.first() else {
        return r.fail(Reason::Check("there is no grid over an empty tuple".into()));
    };
    let mut dims = Vec::with_capacity(tensors.len());
    for (i, (vector, other)) in tensors.iter().enumerate() {
        check_dtypes(r, *dtype, *other)?;
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
    let tuple = r.make_tuple(&vec![grid; tensors.len()]);
    r.result_is(tuple)
}

/// How many elements the inner parts of a letter hold together.
fn block_of(layout: &DataLayout, letter: char) -> i64 {
    let mut parts = layout.sizes(|_| Size::known(0));
    parts[layout.axis(letter)] = Size::known(1);
    layout.size(&parts, letter).number.unwrap_or(1).max(1)
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
    let (dims, dtype) = r.tensor(0)?;
    let (rank, found) = (src.rank(), dims.len());
    r.check(rank == found, || format!("the layout has {rank} axes but the data has rank {found}"))?;
    let split: Vec<char> = letters.chars().filter(|&c| src.is_blocked(c) || dst.is_blocked(c)).collect();
    let mut sizes = vec![Size::ANY; rank];
    // Only the parts of split letters are computed with; the other axes just move.
    for (at, c) in from.chars().filter(char::is_ascii_alphabetic).enumerate() {
        if split.contains(&c.to_ascii_uppercase()) {
            sizes[at] = r.size(dims[at])?;
        }
    }
    let full = |letter| {
        let block = block_of(&dst, letter);
        // The last block may be padded.
        src.size(&sizes, letter).map(|size| size.saturating_add(block - 1) / block * block)
    };
    let mut result: Vec<TermId> = dst.sizes(full).into_iter().map(|size| r.make_size(size)).collect();
    for c in letters.chars().filter(|c| !split.contains(c)) {
        result[dst.axis(c)] = dims[src.axis(c)];
    }
    r.result(&result, dtype)
}

/// The sizes of a layout that names them: `8N2c` is 8 by 2.
fn spelt_sizes(layout: &str) -> Option<Vec<i64>> {
    let mut sizes = Vec::new();
    let mut size: Option<i64> = None;
    for c in layout.chars() {
        match c.to_digit(10) {
            Some(digit) => size = Some(size.unwrap_or(0).checked_mul(10)?.checked_add(i64::from(digit))?),
            None if c.is_ascii_alphabetic() => sizes.push(size.take()?),
            None => return None,
        }
    }
    size.is_none().then_some(sizes)
}

fn auto_scheduler_layout_transform(r: &mut dyn Facts) -> Step {
    let Some(sizes) = spelt_sizes(r.attrs().str("dst_layout")) else {
        return attr_error(r, "dst_layout", "sizes and letters in turn, such as \"1N8H8W3C\"");
    };
    let (shape, dtype) = r.tensor_parts(0)?;
    let dims: Vec<TermId> = sizes.into_iter().map(|size| r.make_size(Size::known(size))).collect();
    let list = r.make_list(&dims);
    let result = r.make(Term::Shape(list));
    let tensor = r.make(Term::Tensor { shape: result, dtype });
    r.result_is(tensor)?;
    r.post(&SAME_COUNT, &[shape, result]);
    Ok(())
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
    r.check(window.len() == n && strides.len() == n, || {
        format!("from axis {axis} on there are {n} axes, each with its window and its stride")
    })?;
    let mut result = dims[..axis].to_vec();
    for (at, (&window, &stride)) in (axis..).zip(window.iter().zip(&strides)) {
        let size = r.size(dims[at])?;
        if let Some(size) = size.number {
            r.check(window <= size, || format!("a window of {window} is larger than axis {at}, {size}"))?;
        }
        result.push(r.make_size(size.map(|size| (size - window) / stride + 1)));
    }
    result.extend(window.iter().map(|&size| r.make_size(Size::known(size))));
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
        return r.fail(Reason::Rank { operand: 0, want: "2 or more".into(), found: dims.len() });
    };
    // One diagonal is a vector, more of them are the rows of a matrix.
    let rank = batch.len() + if k1 == k2 { 1 } else { 2 };
    let found = diagonal.len();
    r.check(found == rank, || format!("diagonals {k1} to {k2} have rank {rank} together, found {found}"))?;
    if let (Some(rows), Some(columns)) = (r.peek_number(height), r.peek_number(width)) {
        r.check(k1.saturating_neg() < rows && k2 < columns, || {
            format!("a matrix of {rows} by {columns} has no diagonals {k1} to {k2}")
        })?;
        let longest = rows.saturating_add(k2.min(0)).min(columns.saturating_sub(k1.max(0)));
        if let Some(len) = diagonal.last().and_then(|&len| r.peek_number(len)) {
            r.check(len == longest, || format!("the longest diagonal has {longest} places, found {len}"))?;
        }
    }
    if k1 != k2
        && let Some(n) = r.peek_number(diagonal[rank - 2])
    {
        let want = k2.saturating_sub(k1).saturating_add(1);
        r.check(n == want, || format!("{k1} to {k2} are {want} diagonals, found {n}"))?;
    }
    let pairs: Vec<_> = batch.iter().copied().zip(diagonal.iter().copied()).collect();
    check_same(r, &pairs, "input and diagonals have the same batch axes")?;
    let input = r.arg(0);
    r.result_is(input)?;
    post_same(r, &pairs);
    Ok(())
}

fn sequence_mask(r: &mut dyn Facts) -> Step {
    let other = match r.attrs().int("axis").unwrap_or(0) {
        0 => 1,
        1 => 0,
        _ => return attr_error(r, "axis", "0 or 1"),
    };
    let (dims, _) = r.tensor(0)?;
    let (lengths, _) = r.tensor_of_rank(1, 1)?;
    if dims.len() < 2 {
        return r.fail(Reason::Rank { operand: 0, want: "2 or more".into(), found: dims.len() });
    }
    let pairs = [(dims[other], lengths[0])];
    check_same(r, &pairs, &format!("each place of axis {other} has its length"))?;
    let data = r.arg(0);
    r.result_is(data)?;
    post_same(r, &pairs);
    Ok(())
}

fn trilu(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    let dtype = scalar(r, 1)?;
    integers(r, dtype, "diagonals")?;
    if dims.len() < 2 {
        return r.fail(Reason::Rank { operand: 0, want: "2 or more".into(), found: dims.len() });
    }
    let data = r.arg(0);
    r.result_is(data)
}
