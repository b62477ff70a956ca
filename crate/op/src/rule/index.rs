//! Rules of the operators in `index`: reading, writing and searching by position.
//!
//! Sizes that must agree are equal, unless one is `?`.

use super::broadcast::axis_result;
use super::dims::{equate, number};
use super::form::{self, Form};
use super::norm::has_axis_of_data;
use super::shape::tensors_of;
use super::{all_tensors, attr_error, can_be_tensor, can_have_rank, rank_error, same_dtypes};
use base::{MapArray, ToList};
use ty::{Attrs, Dtype, Facts, Kind, Reason, Relation, Size, Step, Stop, Term, TermId};

/// Indexes leading axes with tensors that broadcast.
pub static ADV_INDEX: Relation = Relation { name: "AdvIndex", n_outputs: 1, rule: adv_index };
/// `data[…, indices[…, i, …], …]` along one axis: the shape of the indices.
pub static GATHER: Relation = Relation { name: "Gather", n_outputs: 1, rule: gather };
/// Indices `[m, y…]` into the first `m` axes of the data: `y…` and the axes that are left.
pub static GATHER_ND: Relation = Relation { name: "GatherND", n_outputs: 1, rule: gather_nd };
/// The type of the data; indices and updates have one shape.
pub static SCATTER_ELEMENTS: Relation = Relation { name: "ScatterElements", n_outputs: 1, rule: scatter_elements };
/// The type of the data; what [`GATHER_ND`] would read there is the updates' shape.
pub static SCATTER_ND: Relation = Relation { name: "ScatterND", n_outputs: 1, rule: scatter_nd };
/// A new axis of `depth`.
pub static ONE_HOT: Relation = Relation { name: "OneHot", n_outputs: 1, rule: one_hot };
/// The axes of a second tensor, no longer than those of the first.
pub static SLICE_LIKE: Relation = Relation { name: "SliceLike", n_outputs: 1, rule: slice_like };
/// Python's slices: `begin`, `end` and a step for each axis, cut off at the bounds.
pub static STRIDED_SLICE: Relation = Relation { name: "StridedSlice", n_outputs: 1, rule: strided_slice };
/// The sizes that a slice leaves, once those of the data are known.
static CUT: Relation = Relation { name: "StridedSlice", n_outputs: 1, rule: cut };
/// The type of the data, whatever is written into it.
pub static STRIDED_SET: Relation = Relation { name: "StridedSet", n_outputs: 1, rule: strided_set };
/// One row of coordinates for each axis of a shape.
pub static UNRAVEL_INDEX: Relation = Relation { name: "UnRavelIndexRel", n_outputs: 1, rule: unravel_index };
/// One row of coordinates for each nonzero element: nobody knows how many.
pub static ARGWHERE: Relation = Relation { name: "ArgWhere", n_outputs: 1, rule: argwhere };
/// The type of the data, whose axis exists.
pub static SORT: Relation = Relation { name: "Sort", n_outputs: 1, rule: has_axis_of_data };
/// The shape of the data with positions as elements.
pub static ARGSORT: Relation = Relation { name: "Argsort", n_outputs: 1, rule: argsort };
/// The first `k` of an axis, their positions, or both.
pub static TOPK: Relation = Relation { name: "TopK", n_outputs: 1, rule: topk };
/// The shape of the values with positions as elements.
pub static SEARCHSORTED: Relation = Relation { name: "SearchSorted", n_outputs: 1, rule: searchsorted };
/// The distinct elements of a vector, padded to its length, and where they were.
pub static UNIQUE: Relation = Relation { name: "unique", n_outputs: 1, rule: unique };

/// Whether two sizes may still turn out to be numbers that do not go together.
pub(super) fn is_undecided(r: &dyn Facts, a: TermId, b: TermId) -> bool {
    let is_open = |dim| r.peek_number(dim).is_none() && !r.is_dynamic(dim);
    !r.same(a, b) && (is_open(a) || is_open(b)) && !r.is_dynamic(a) && !r.is_dynamic(b)
}

/// Fails unless a dtype, once known, is of integers (of which `bool` is one).
pub(super) fn integers(r: &dyn Facts, dtype: TermId, what: &str) -> Step {
    let dtype = r.dtype(dtype)?;
    r.check(!dtype.is_float(), format_args!("{what} must be integers, found {dtype}"))
}

/// As [`integers`], of those with a sign.
pub(super) fn signed(r: &dyn Facts, dtype: TermId, what: &str) -> Step {
    let dtype = r.dtype(dtype)?;
    r.check(dtype.is_signed(), format_args!("{what} must be signed integers, found {dtype}"))
}

/// The dtype of an operand that must be a scalar.
pub(super) fn scalar(r: &dyn Facts, operand: usize) -> Result<TermId, Stop> {
    Ok(r.tensor_of_rank(operand, 0)?.1)
}

/// Asserts that operands are scalars of some dtype.
pub(super) fn expect_scalars(r: &mut dyn Facts, operands: std::ops::Range<usize>) -> Step {
    for operand in operands {
        let dtype = r.make_hole(Kind::BaseType);
        let (scalar, given) = (r.make_tensor(&[], dtype), r.arg(operand));
        r.unify(scalar, given)?;
    }
    Ok(())
}

/// The dtype attribute `dtype`, or this one.
pub(super) fn dtype_attr(r: &mut dyn Facts, default: Dtype) -> TermId {
    let dtype = r.attrs().dtype("dtype").unwrap_or(default);
    r.make_dtype(dtype)
}

fn adv_index(r: &mut dyn Facts) -> Step {
    let tensors = tensors_of(r, 0)?;
    let [(data, dtype), indices @ ..] = &tensors[..] else {
        return r.fail(Reason::Check("there is nothing to index in an empty tuple".into()));
    };
    let (rank, n) = (data.len(), indices.len());
    r.check((1..=rank).contains(&n), format_args!("data of rank {rank} takes 1 to {rank} indices, found {n}"))?;
    indices.iter().try_for_each(|(_, dtype)| integers(r, *dtype, "indices"))?;
    let n_axes = indices.iter().map(|(dims, _)| dims.len()).max().unwrap_or(0);
    let mut dims = Vec::with_capacity(n_axes + rank - n);
    for from_last in (0..n_axes).rev() {
        let mut sizes = indices.iter().filter_map(|(dims, _)| Some(dims[dims.len().checked_sub(from_last + 1)?]));
        let Some(first) = sizes.next() else { continue };
        let dim = sizes.try_fold(first, |a, b| axis_result(r, a, b))?;
        dims.push(dim);
    }
    dims.extend_from_slice(&data[n..]);
    r.result(&dims, *dtype)
}

fn gather(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (indices, index_dtype) = r.tensor(1)?;
    signed(r, index_dtype, "indices")?;
    let (rank, found) = (data.len(), indices.len());
    r.check(rank == found, format_args!("data of rank {rank} needs indices of that rank, found {found}"))?;
    let axis = r.axis("axis", r.attrs().int("axis").unwrap_or(0), rank)?;
    let pairs: Vec<_> = (0..rank).filter(|&at| at != axis).map(|at| (indices[at], data[at])).list();
    equate(r, &pairs, &format!("off axis {axis} the indices are as many as the data"))?;
    let one = number(r, 1);
    r.at_most(one, indices[axis], &|_, _| format!("there are no indices along axis {axis}"))?;
    r.result(&indices, dtype)
}

/// How many axes a tensor of indices `[m, y…]` names; a `?` is as many as `index_rank` says.
fn named_axes(r: &dyn Facts, indices: &[TermId], rank: usize) -> Result<usize, Stop> {
    let Some(&first) = indices.first() else {
        return rank_error(r, 1, "1 or more", 0);
    };
    let number = r.size(first)?.number.or(r.attrs().int("index_rank"));
    let Some(number) = number else {
        let sentence = "the first axis of the indices is `?`, so they name nobody knows how many axes";
        return r.fail(Reason::Check(sentence.into()));
    };
    match usize::try_from(number).ok().filter(|&m| m <= rank) {
        Some(m) => Ok(m),
        None => r.fail(Reason::Check(format!("indices of {number} axes do not fit data of rank {rank}").into())),
    }
}

fn gather_nd(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (indices, index_dtype) = r.tensor(1)?;
    integers(r, index_dtype, "indices")?;
    let rank = data.len();
    let m = named_axes(r, &indices, rank)?;
    let batch = r.attrs().int("batch_dims").unwrap_or(0);
    let most = (rank - m).min(indices.len() - 1);
    let Some(batch) = usize::try_from(batch).ok().filter(|&batch| batch <= most) else {
        return attr_error(r, "batch_dims", format!("a number of axes up to {most}"));
    };
    let pairs: Vec<_> = data.iter().copied().zip(indices[1..].iter().copied()).take(batch).list();
    equate(r, &pairs, "data and indices have the same batch axes")?;
    let dims: Vec<TermId> = indices[1..].iter().chain(&data[m + batch..]).copied().list();
    r.result(&dims, dtype)
}

fn scatter_elements(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (indices, index_dtype) = r.tensor(1)?;
    let (updates, update_dtype) = r.tensor(2)?;
    integers(r, index_dtype, "indices")?;
    same_dtypes(r, (0, dtype), (2, update_dtype))?;
    r.axis("axis", r.attrs().int("axis").unwrap_or(0), data.len())?;
    for (operand, found) in [(1, indices.len()), (2, updates.len())] {
        if found != data.len() {
            return rank_error(r, operand, format!("{} as the data", data.len()), found);
        }
    }
    let pairs: Vec<_> = indices.iter().copied().zip(updates.iter().copied()).list();
    equate(r, &pairs, "each index has its update")?;
    r.unify(dtype, update_dtype)?;
    let data = r.arg(0);
    r.result_is(data)
}

fn scatter_nd(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (indices, index_dtype) = r.tensor(1)?;
    let (updates, update_dtype) = r.tensor(2)?;
    integers(r, index_dtype, "indices")?;
    same_dtypes(r, (0, dtype), (2, update_dtype))?;
    let m = named_axes(r, &indices, data.len())?;
    let want: Vec<TermId> = indices[1..].iter().chain(&data[m..]).copied().list();
    let (rank, found) = (want.len(), updates.len());
    r.check(rank == found, format_args!("these indices take updates of rank {rank}, found {found}"))?;
    let pairs: Vec<_> = want.into_iter().zip(updates).list();
    equate(r, &pairs, "the updates are what the indices name")?;
    r.unify(dtype, update_dtype)?;
    let data = r.arg(0);
    r.result_is(data)
}

/// The indices with a new axis, and the dtype of the result; `depth` is the size of the axis. All else are scalars.
pub(super) fn one_hot_of(r: &mut dyn Facts, depth: Size) -> Step {
    (0..r.n_inputs()).try_for_each(|operand| can_be_tensor(r, operand))?;
    (1..r.n_inputs()).try_for_each(|operand| can_have_rank(r, operand, 0))?;
    let (indices, _) = Form::operand(r, 0)?;
    // -1 is the end, and the only place that counts from there.
    let axis = match (r.attrs().int("axis").unwrap_or(-1), indices.rank()) {
        (-1, rank) => rank.map_or(-1, |rank| rank as i64),
        (axis @ 0.., Some(rank)) if axis <= rank as i64 => axis,
        (axis @ 0.., None) => indices.axis(r, "axis", axis, 1)?,
        (_, Some(rank)) => return attr_error(r, "axis", format!("-1 or an axis up to {rank}")),
        (_, None) => return attr_error(r, "axis", "-1 or an axis of the result"),
    };
    let n_inputs = r.n_inputs();
    expect_scalars(r, 1..n_inputs)?;
    let dtype = match r.attrs().dtype("dtype") {
        Some(dtype) => r.make_dtype(dtype),
        None => r.tensor_parts(1)?.1,
    };
    let depth = r.make_size(depth);
    let encoded = indices.inserted(r, axis, &[depth])?;
    form::result(r, &encoded, dtype)
}

fn one_hot(r: &mut dyn Facts) -> Step {
    match r.attrs().int("depth").filter(|&depth| depth > 0) {
        Some(depth) => one_hot_of(r, Size::known(depth)),
        None => attr_error(r, "depth", "a number above 0"),
    }
}

fn slice_like(r: &mut dyn Facts) -> Step {
    let axes = r.attrs().ints("axes");
    let (mut dims, dtype) = r.tensor(0)?;
    let (like, _) = r.tensor(1)?;
    let axes: Vec<usize> = match axes {
        None => (0..dims.len().min(like.len())).list(),
        Some(axes) if axes.is_empty() => return attr_error(r, "axes", "at least one axis"),
        Some(axes) => axes.into_iter().map(|axis| r.axis("axes", axis, dims.len())).ok_list()?,
    };
    for at in axes {
        let Some(&to) = like.get(at) else {
            let found = like.len();
            return r.fail(Reason::Check(format!("a tensor of rank {found} has no axis {at} to be like").into()));
        };
        let sentence = |to: i64, size: i64| format!("axis {at} has {size} places, which do not make {to}");
        r.at_most(to, dims[at], &sentence)?;
        dims[at] = to;
    }
    r.result(&dims, dtype)
}

/// Where a slice of `extent` places begins or ends: negative counts from the end, and the bounds are the limit.
fn canonical(index: i64, extent: i64, stride: i64) -> i64 {
    let index = if index < 0 { index.saturating_add(extent) } else { index };
    if stride < 0 { index.clamp(-1, extent - 1) } else { index.clamp(0, extent) }
}

/// How many places lie from `begin` to before `end` in steps of `stride`; `None` if the steps lead away.
///
/// Worked example: of 4 places, from -1 to -3 in steps of -1 are those of 3 and 2.
fn slice_len(extent: i64, begin: i64, end: i64, stride: i64) -> Option<i64> {
    let extent = extent.max(0);
    let (begin, end) = (canonical(begin, extent, stride), canonical(end, extent, stride));
    let way = if stride < 0 { begin - end } else { end - begin };
    (way >= 0).then(|| (way as u64).div_ceil(stride.unsigned_abs()) as i64)
}

/// First place, end and step of the `i`th axis that is cut.
fn slice_bounds(attrs: &Attrs, i: usize) -> (i64, i64, i64) {
    let by_size = attrs.str("slice_mode") == "size";
    let at = |name| attrs.ints(name).unwrap_or_default().get(i).copied();
    let stride = if by_size { 1 } else { at("strides").unwrap_or(1) };
    let (first, last) = if stride > 0 { (0, i64::MAX) } else { (i64::MAX, 0) };
    let from = at("begin").unwrap_or(first);
    let to = match at("end") {
        None => last,
        Some(len) if by_size && len < 0 => last,
        // A beginning that counts from the end has no place before the first to count on from.
        Some(len) if by_size && from < 0 && from.saturating_add(len) >= 0 => last,
        Some(len) if by_size => from.saturating_add(len),
        Some(end) => end,
    };
    (from, to, stride)
}

/// The axes that a slice cuts, each with its place among the bounds.
fn cut_axes(attrs: &Attrs) -> impl Iterator<Item = (usize, usize)> {
    let n = |name| attrs.ints(name).map_or(0, |list| list.len());
    let axes = attrs.ints("axes").unwrap_or_else(|| (0..n("begin").max(n("end")).max(n("strides")) as i64).list());
    axes.into_iter().enumerate().filter_map(|(i, axis)| Some((usize::try_from(axis).ok()?, i)))
}

/// Those of `axes`, as slices take them: each once, and none from the end.
pub(super) fn axes_to_cut(r: &dyn Facts, axes: &[i64], rank: usize) -> Result<Vec<usize>, Stop> {
    let mut named = Vec::with_capacity(axes.len());
    for &axis in axes {
        let Some(at) = usize::try_from(axis).ok().filter(|&at| at < rank) else {
            return attr_error(r, "axes", format!("axes from 0 to below the rank, {rank}; found {axis}"));
        };
        r.check(!named.contains(&at), format_args!("axis {axis} is named twice"))?;
        named.push(at);
    }
    Ok(named)
}

/// The axes that a slice cuts, with the first place that it keeps of each, the step and how many there are, for a shape
/// that its rule has checked.
pub fn slices(attrs: &Attrs, shape: &[usize]) -> Vec<(usize, [i64; 3])> {
    let cut = cut_axes(attrs).map(|(axis, i)| {
        let extent = shape[axis] as i64;
        let (from, to, stride) = slice_bounds(attrs, i);
        (axis, [canonical(from, extent, stride), stride, slice_len(extent, from, to, stride).unwrap_or(0)])
    });
    cut.list()
}

/// Of an axis of `extent` from begin to before end in steps of the stride the first place, the step and how many there are,
/// as Python means them where one of the three is missing. `None` if the stride is 0.
pub fn places_of_slice(extent: i64, [begin, end, stride]: [Option<i64>; 3]) -> Option<[i64; 3]> {
    let stride = stride.unwrap_or(1);
    if stride == 0 {
        return None;
    }
    let (first, last) = if stride > 0 { (0, i64::MAX) } else { (i64::MAX, i64::MIN) };
    let (begin, end) = (begin.unwrap_or(first), end.unwrap_or(last));
    Some([canonical(begin, extent, stride), stride, slice_len(extent, begin, end, stride).unwrap_or(0)])
}

fn strided_slice(r: &mut dyn Facts) -> Step {
    let [begin, end, strides] = ["begin", "end", "strides"].each(|name| r.attrs().ints(name).unwrap_or_default());
    if strides.contains(&0) {
        return attr_error(r, "strides", "steps other than 0");
    }
    let axes = r.attrs().ints("axes");
    let (mut dims, dtype) = r.tensor(0)?;
    let rank = dims.len();
    let axes: Vec<usize> = match axes {
        None => {
            let n = begin.len().max(end.len()).max(strides.len());
            r.check(n <= rank, format_args!("{n} axes are cut but the data has rank {rank}"))?;
            (0..n).list()
        }
        Some(axes) => {
            let n = axes.len();
            let as_many = n == begin.len() && n == end.len() && (n == strides.len() || strides.is_empty());
            r.check(as_many, format_args!("{n} axes need as many begins, ends and strides"))?;
            axes_to_cut(r, &axes, rank)?
        }
    };
    let mut is_open = false;
    for (i, &at) in axes.iter().enumerate() {
        let (from, to, stride) = slice_bounds(r.attrs(), i);
        dims[at] = match r.peek_number(dims[at]) {
            Some(extent) => match slice_len(extent, from, to, stride) {
                Some(len) => r.make_size(Size { number: Some(len), dynamic: r.is_dynamic(dims[at]) }),
                None => {
                    let sentence = format!("axis {at} of {extent} has no way from {from} to {to} in steps of {stride}");
                    return r.fail(Reason::Check(sentence.into()));
                }
            },
            None if r.is_dynamic(dims[at]) => r.make_size(Size::ANY),
            None if (from, to, stride) == (0, i64::MAX, 1) => dims[at],
            None => {
                is_open = true;
                r.make_hole(Kind::Dim)
            }
        };
    }
    r.result(&dims, dtype)?;
    if is_open {
        let args = [r.arg(0), r.arg(1)];
        r.post(&CUT, &args);
    }
    Ok(())
}

/// What is left of a slice whose result is known but for the sizes of the axes that are cut.
fn cut(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    for (at, _) in cut_axes(r.attrs()) {
        r.size(dims[at])?;
    }
    strided_slice(r)
}

fn strided_set(r: &mut dyn Facts) -> Step {
    all_tensors(r)?;
    let data = r.arg(0);
    r.result_is(data)
}

fn unravel_index(r: &mut dyn Facts) -> Step {
    let (indices, dtype) = r.tensor(0)?;
    let (shape, shape_dtype) = r.tensor_of_rank(1, 1)?;
    integers(r, dtype, "indices")?;
    integers(r, shape_dtype, "the sizes of a shape")?;
    if indices.len() > 1 {
        return rank_error(r, 0, "0 or 1", indices.len());
    }
    let dims: Vec<TermId> = shape.into_iter().chain(indices).list();
    r.result(&dims, dtype)
}

fn argwhere(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    let dtype = r.make_dtype(Dtype::Int32);
    r.result_sizes(&[Size::ANY, Size::known(dims.len() as i64)], dtype)
}

fn argsort(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    r.axis("axis", r.attrs().int("axis").unwrap_or(-1), dims.len())?;
    let dtype = dtype_attr(r, Dtype::Int32);
    r.result(&dims, dtype)
}

/// The result of a search for the first `k` along an axis: values, positions, or a tuple of both.
pub(super) fn topk_of(r: &mut dyn Facts, k: Option<Size>) -> Step {
    let wanted = match r.attrs().str("ret_type") {
        "both" => (true, true),
        "values" => (true, false),
        _ => (false, true),
    };
    can_be_tensor(r, 0)?;
    let (data, values) = Form::operand(r, 0)?;
    let axis = data.axis(r, "axis", r.attrs().int("axis").unwrap_or(-1), 0)?;
    let size = data.dim(r, axis)?;
    let shape = match k {
        Some(k) => {
            let k = r.make_size(k);
            r.at_most(k, size, &|k, size| {
                format!("axis {axis} has {size} places, fewer than the {k} that are asked for")
            })?;
            data.replaced(r, axis, &[k])?.shape(r)
        }
        None => {
            data.has_axis(r, axis)?;
            data.shape(r)
        }
    };
    let positions = dtype_attr(r, Dtype::Int32);
    let [values, positions] = [values, positions].each(|dtype| r.make(Term::Tensor { shape, dtype }));
    let result = match wanted {
        (true, true) => r.make_tuple(&[values, positions]),
        (true, false) => values,
        (false, _) => positions,
    };
    r.result_is(result)
}

fn topk(r: &mut dyn Facts) -> Step {
    match r.attrs().int("k") {
        None => attr_error(r, "k", "an integer"),
        // Less than 1 is all of them.
        Some(k) => topk_of(r, (k >= 1).then_some(Size::known(k))),
    }
}

fn searchsorted(r: &mut dyn Facts) -> Step {
    let (sorted, _) = r.tensor(0)?;
    let (values, _) = r.tensor(1)?;
    if sorted.is_empty() || values.is_empty() {
        let operand = usize::from(!sorted.is_empty());
        return rank_error(r, operand, "1 or more", 0);
    }
    let (rank, found) = (sorted.len(), values.len());
    r.check(
        rank == 1 || rank == found,
        format_args!("a sequence of rank {rank} is searched for values of that rank, found {found}"),
    )?;
    let outer = if rank == 1 { 0 } else { rank - 1 };
    let pairs: Vec<_> = sorted.iter().copied().zip(values.iter().copied()).take(outer).list();
    equate(r, &pairs, "sequence and values agree but on the last axis")?;
    let dtype = dtype_attr(r, Dtype::Int32);
    r.result(&values, dtype)
}

fn unique(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor_of_rank(0, 1)?;
    let int32 = r.make(Term::Dtype(Dtype::Int32));
    let one = r.make_size(Size::known(1));
    let (values, places) = (r.make_tensor(&dims, dtype), r.make_tensor(&dims, int32));
    let count = r.make_tensor(&[one], int32);
    let mut fields = vec![values, places, places, count];
    if r.attrs().flag("return_counts") {
        fields.push(places);
    }
    let tuple = r.make_tuple(&fields);
    r.result_is(tuple)
}
