//! Rules that move, join and cut axes.

use super::dims::{all_equal, is_number, number};
use super::form::{self, Form};
use super::{attr_error, can_be_tensor, can_have_rank, expect_rank, expect_tensor, peek_rank, rank_error};
use base::{Append, ToList};
use ty::{AttrValue, Facts, Reason, Relation, Step, Stop, Term, TermId};

/// Permutes the axes, or reverses them.
pub static TRANSPOSE: Relation = Relation { name: "Transpose", n_outputs: 1, rule: transpose };
/// A tuple of tensors that agree but on one axis, whose sizes add up.
pub static CONCATENATE: Relation = Relation { name: "Concatenate", n_outputs: 1, rule: concatenate };
/// Equal parts of an axis, or parts between cut points; the result is a tuple.
pub static SPLIT: Relation = Relation { name: "Split", n_outputs: 1, rule: split };
/// Drops axes of size 1.
pub static SQUEEZE: Relation = Relation { name: "Squeeze", n_outputs: 1, rule: squeeze };
/// Inserts axes of size 1.
pub static EXPAND_DIMS: Relation = Relation { name: "ExpandDims", n_outputs: 1, rule: expand_dims };
/// `data[…, indices, …]` along one axis.
pub static TAKE: Relation = Relation { name: "Take", n_outputs: 1, rule: take };
/// `(n, product of the rest)`.
pub static BATCH_FLATTEN: Relation = Relation { name: "BatchFlatten", n_outputs: 1, rule: batch_flatten };
/// The field of a tuple at the attribute `index`.
pub static TUPLE_GET_ITEM: Relation = Relation { name: "TupleGetItem", n_outputs: 1, rule: tuple_get_item };

fn tuple_get_item(r: &mut dyn Facts) -> Step {
    let index = r.attrs().int("index").unwrap_or(0);
    // Only the one field is looked at: a tuple of many is taken apart as often as it has fields.
    let Term::Tuple(fields) = r.peek(r.arg(0)) else { return r.tuple(0).map(|_| ()) };
    match usize::try_from(index).ok().and_then(|index| r.items(fields).get(index).copied()) {
        Some(field) => r.result_is(field),
        None => r.fail(Reason::TupleIndex { index, len: fields.len as usize }),
    }
}

/// The parts of an argument's type (operands from 0, the result after them) that must be known before its rank is.
fn unknown_part(r: &dyn Facts, arg: usize) -> TermId {
    match r.peek(r.arg(arg)) {
        Term::Tensor { shape, .. } => shape,
        _ => r.arg(arg),
    }
}

/// The rank of the data, from its own type or from the result's.
fn rank_of_data(r: &dyn Facts, from_result: impl FnOnce(usize) -> Option<usize>) -> Result<usize, Stop> {
    let rank = peek_rank(r, 0).or_else(|| peek_rank(r, 1).and_then(from_result));
    rank.ok_or_else(|| Stop::wait(&[unknown_part(r, 0), unknown_part(r, 1)]))
}

fn transpose(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    let axes = r.attrs().ints("axes").filter(|axes| !axes.is_empty());
    let order: Vec<usize> = match axes {
        None => (0..rank_of_data(r, Some)?).rev().list(),
        Some(axes) => {
            let n_axes = axes.len();
            if let Some(rank) = peek_rank(r, 0) {
                r.check(n_axes == rank, format_args!("{n_axes} axes are named but the data has rank {rank}"))?;
            }
            let mut order = Vec::with_capacity(n_axes);
            for axis in axes {
                let at = r.axis("axes", axis, n_axes)?;
                r.check(!order.contains(&at), format_args!("axis {axis} is named twice"))?;
                order.push(at);
            }
            order
        }
    };
    can_have_rank(r, 0, order.len())?;
    let data = r.arg(0);
    let (dims, dtype) = expect_rank(r, data, order.len())?;
    let permuted: Vec<TermId> = order.into_iter().map(|at| dims[at]).list();
    r.result(&permuted, dtype)
}

/// The tensors of a tuple operand, once all their ranks are known.
pub(super) fn tensors_of(r: &dyn Facts, operand: usize) -> Result<Vec<(Vec<TermId>, TermId)>, Stop> {
    let mut tensors = Vec::new();
    let mut waits = Vec::new();
    for field in r.tuple(operand)? {
        match r.peek(field) {
            ty::Term::Tensor { shape, dtype } => match r.dims(shape) {
                Ok(dims) => tensors.push((dims, dtype)),
                Err(_) => waits.push(shape),
            },
            ty::Term::Hole(_) | ty::Term::Error(_) | ty::Term::Param(..) => waits.push(field),
            _ => return r.fail(Reason::Check("every field of the tuple must be a tensor".into())),
        }
    }
    if waits.is_empty() { Ok(tensors) } else { Err(Stop::wait(&waits)) }
}

/// Tensors that are joined.
pub(super) enum Fields {
    /// All have this rank.
    Ranked(usize),
    /// All have shapes that are parameters or made of some.
    Whole(Vec<Form>),
}

/// The fields of the tuple operand, whose result has so many axes more than they. Their dtype comes with them. Asks all
/// that must be asked before they are asserted to be tensors.
pub(super) fn fields(r: &dyn Facts, more: usize, what: &str) -> Result<(Fields, Vec<TermId>), Stop> {
    let terms = r.tuple(0)?;
    r.check(!terms.is_empty(), format_args!("there is nothing to {what} in an empty tuple"))?;
    let mut unknown = Vec::new();
    let mut shapes = Vec::new();
    let mut ranks = Vec::new();
    let mut dtypes: Vec<(usize, ty::Dtype)> = Vec::new();
    for (i, &field) in terms.iter().enumerate() {
        match r.peek(field) {
            Term::Tensor { shape, dtype } => {
                match r.dims(shape) {
                    Ok(dims) => ranks.push((i, dims.len())),
                    Err(_) => unknown.push(shape),
                }
                shapes.push(shape);
                dtypes.append_all(r.dtype(dtype).ok().map(|dtype| (i, dtype)));
            }
            Term::Hole(_) => unknown.push(field),
            Term::Error(_) | Term::Param(..) => return Err(Stop::wait(&[field])),
            _ => return r.fail(Reason::Check("every field of the tuple must be a tensor".into())),
        }
    }
    if let [(first, left), ..] = dtypes[..]
        && let Some((i, right)) = dtypes.iter().find(|&&(_, dtype)| dtype != left)
    {
        let sentence = format!("field {i} has dtype {right} but field {first} has {left}");
        return r.fail(Reason::Check(sentence.into()));
    }
    let is_rigid = |id: &TermId| r.peek(*id).is_rigid();
    let rank = match ranks.first() {
        Some(&(first, rank)) => {
            if let Some((i, found)) = ranks.iter().find(|&&(_, found)| found != rank) {
                let sentence = format!("field {i} has rank {found} but field {first} has rank {rank}");
                return r.fail(Reason::Check(sentence.into()));
            }
            Some(rank)
        }
        None => peek_rank(r, 1).and_then(|rank| rank.checked_sub(more)),
    };
    match rank {
        Some(_) if unknown.iter().any(is_rigid) => Err(Stop::wait(&unknown)),
        Some(rank) => Ok((Fields::Ranked(rank), terms)),
        None if unknown.iter().all(is_rigid) => Ok((Fields::Whole(shapes.into_iter().map(Form::Whole).list()), terms)),
        None => {
            unknown.push(unknown_part(r, 1));
            Err(Stop::wait(&unknown))
        }
    }
}

/// Asserts that fields are tensors of a rank and of one dtype: their dims, and the dtype.
pub(super) fn expect_fields(
    r: &mut dyn Facts,
    rank: usize,
    terms: &[TermId],
) -> Result<(Vec<Vec<TermId>>, TermId), Stop> {
    let first = expect_rank(r, terms[0], rank)?;
    let (mut all, dtype) = (vec![first.0], first.1);
    for &term in &terms[1..] {
        let (dims, other) = expect_rank(r, term, rank)?;
        r.unify(dtype, other)?;
        all.push(dims);
    }
    Ok((all, dtype))
}

/// Asserts that all fields have one dtype, which is returned.
pub(super) fn expect_dtype(r: &mut dyn Facts, terms: &[TermId]) -> Result<TermId, Stop> {
    let (_, dtype) = expect_tensor(r, terms[0])?;
    for &term in &terms[1..] {
        let (_, other) = expect_tensor(r, term)?;
        r.unify(dtype, other)?;
    }
    Ok(dtype)
}

pub(super) fn concatenate(r: &mut dyn Facts) -> Step {
    let axis = r.attrs().int("axis").unwrap_or(0);
    let (rank, terms) = match fields(r, 0, "join")? {
        (Fields::Ranked(rank), terms) => (rank, terms),
        (Fields::Whole(shapes), terms) => {
            let axis = shapes[0].axis(r, "axis", axis, 0)?;
            // Shapes are only compared where their parts are certain.
            if shapes.len() > 1
                && let Some(open) = shapes.iter().find(|shape| !shape.has_place(r, axis))
            {
                return Err(Stop::wait(&[open.shape(r)]));
            }
            let mut sizes = Vec::with_capacity(shapes.len());
            let rest = shapes[0].replaced(r, axis, &[])?;
            for shape in &shapes {
                sizes.push(shape.dim(r, axis)?);
                let other = shape.replaced(r, axis, &[])?;
                if !rest.is(r, &other) {
                    return Err(Stop::wait(&[shapes[0].shape(r), shape.shape(r)]));
                }
            }
            let dtype = expect_dtype(r, &terms)?;
            let total = r.sum_of(&sizes)?;
            let joined = shapes[0].replaced(r, axis, &[total])?;
            return form::result(r, &joined, dtype);
        }
    };
    r.check(rank > 0, format_args!("scalars have no axis to join"))?;
    let axis = r.axis("axis", axis, rank)?;
    let off_axis = |at: &usize| *at != axis;
    // What is known of the sizes along an axis; those of a field of unknown rank are unknown.
    let known = |at: usize| -> Vec<Option<TermId>> {
        let dims = terms.iter().map(|&term| match r.peek(term) {
            Term::Tensor { shape, .. } => r.dims(shape).ok().map(|dims| dims[at]),
            _ => None,
        });
        dims.list()
    };
    // Off the axis what is static stands beside what is static; a `?` among them stays unless the axis itself is `?`.
    let is_any = |dim: TermId| r.is_dynamic(dim) && r.peek_number(dim).is_none();
    let is_open = |dim: &Option<TermId>| dim.is_none_or(|dim| r.peek(dim).is_hole());
    let axis_sizes = known(axis);
    let axis_is_any = axis_sizes.iter().flatten().any(|&dim| is_any(dim));
    let mut mixed: Vec<(usize, TermId)> = Vec::new();
    let mut waits: Vec<Option<TermId>> = Vec::new();
    for at in (0..rank).filter(off_axis) {
        let sizes = known(at);
        if !sizes.iter().flatten().any(|&dim| r.is_dynamic(dim)) {
            continue;
        }
        let all_known = sizes.iter().all(|dim| !is_open(dim));
        let of_the_axis = axis_is_any || axis_sizes.iter().all(|dim| !is_open(dim));
        let number = sizes.iter().flatten().copied().find(|&dim| !is_any(dim));
        match number {
            _ if !all_known => waits.append_all(sizes),
            Some(_) if !of_the_axis => waits.append_all(axis_sizes.iter().copied()),
            Some(number) if sizes.iter().flatten().any(|&dim| is_any(dim)) => mixed.push((at, number)),
            Some(_) | None => {}
        }
    }
    if !waits.is_empty() {
        let dims = waits.into_iter().flatten().filter(|&dim| r.peek(dim).is_hole());
        let unranked = terms.iter().copied().filter(|&term| rank_unknown(r, term));
        let shapes = unranked.map(|term| match r.peek(term) {
            Term::Tensor { shape, .. } => shape,
            _ => term,
        });
        return Err(Stop::wait(&dims.chain(shapes).list()));
    }
    let (fields, dtype) = expect_fields(r, rank, &terms)?;
    let mut joined = fields[0].clone();
    for at in (0..rank).filter(off_axis) {
        let sizes: Vec<TermId> = fields.iter().map(|dims| dims[at]).list();
        all_equal(r, &sizes, &|one, other| format!("sizes {one} and {other} differ on axis {at}"))?;
    }
    for (at, number) in mixed {
        joined[at] = if axis_is_any { number } else { r.make_size(ty::Size::ANY) };
    }
    let sizes: Vec<TermId> = fields.iter().map(|dims| dims[axis]).list();
    joined[axis] = r.sum_of(&sizes)?;
    r.result(&joined, dtype)
}

fn rank_unknown(r: &dyn Facts, term: TermId) -> bool {
    match r.peek(term) {
        Term::Tensor { shape, .. } => r.dims(shape).is_err(),
        _ => true,
    }
}

fn split(r: &mut dyn Facts) -> Step {
    let cuts = match r.attrs().get("indices_or_sections") {
        &AttrValue::Int(n) if (1..=1_000_000).contains(&n) => Err(n),
        AttrValue::Int(_) => {
            return attr_error(r, "indices_or_sections", "a number of parts from 1 to 1,000,000");
        }
        _ => match r.attrs().ints("indices_or_sections") {
            Some(cuts) => Ok(cuts),
            None => return attr_error(r, "indices_or_sections", "a number of parts or a list of cut points"),
        },
    };
    can_be_tensor(r, 0)?;
    r.check(peek_rank(r, 0) != Some(0), format_args!("a scalar has no axis to split"))?;
    let (data, dtype) = Form::operand(r, 0)?;
    let axis = data.axis(r, "axis", r.attrs().int("axis").unwrap_or(0), 0)?;
    let whole = data.dim(r, axis)?;
    let size = r.peek_number(whole);
    let mut parts = Vec::new();
    match cuts {
        Err(n) => {
            if let Some(size) = size {
                r.check(size % n == 0, format_args!("{n} does not divide the {size} of axis {axis}"))?;
            }
            if n == 1 {
                data.has_axis(r, axis)?;
            }
            let part = r.divided(whole, n, "the axis")?;
            parts.resize(n as usize, part);
        }
        Ok(cuts) => {
            let mut from = 0;
            for cut in cuts {
                if cut <= from || size.is_some_and(|whole| cut >= whole) {
                    let below = size.map_or(String::new(), |whole| format!(" and lie below {whole}"));
                    return r.refuse(format!("cut points must rise from 1 on{below}; found {cut} after {from}"));
                }
                parts.push(number(r, cut - from));
                from = cut;
            }
            if !parts.is_empty() {
                let least = number(r, from.saturating_add(1));
                r.at_most(least, whole, &|_, whole| format!("the cut point {from} must lie below {whole}"))?;
            }
            parts.push(r.affine(whole, 1, from.saturating_neg())?);
        }
    }
    let mut fields: Vec<TermId> = Vec::with_capacity(parts.len());
    for (i, &part) in parts.iter().enumerate() {
        // Of a shape as a whole, equal parts are made but once.
        if i > 0 && parts[i - 1] == part && data.rank().is_none() {
            fields.push(fields[i - 1]);
            continue;
        }
        // A number has no identity that the parts would share.
        let part = if r.peek_number(part).is_some() { r.make(r.peek(part)) } else { part };
        let shape = data.replaced(r, axis, &[part])?.shape(r);
        fields.push(r.make(Term::Tensor { shape, dtype }));
    }
    let tuple = r.make_tuple(&fields);
    r.result_is(tuple)
}

fn squeeze(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    let Some(axes) = r.attrs().ints("axis") else {
        let (dims, dtype) = r.tensor(0)?;
        let mut kept = Vec::with_capacity(dims.len());
        for (at, (&dim, size)) in dims.iter().zip(r.sizes(&dims)?).enumerate() {
            r.check(size.number.is_some(), format_args!("axis {at} is `?`: name the axes to drop"))?;
            if size.number != Some(1) {
                kept.push(dim);
            }
        }
        return r.result(&kept, dtype);
    };
    let rank = rank_of_data(r, |rank| {
        let is_apart = (1..axes.len()).all(|i| !axes[..i].contains(&axes[i]) && (axes[i] < 0) == (axes[0] < 0));
        is_apart.then(|| rank + axes.len())
    })?;
    let mut dropped = base::filled(false, rank);
    for axis in axes {
        dropped[r.axis("axis", axis, rank)?] = true;
    }
    can_have_rank(r, 0, rank)?;
    let data = r.arg(0);
    let (dims, dtype) = expect_rank(r, data, rank)?;
    let mut kept = Vec::with_capacity(rank);
    for (at, dim) in dims.into_iter().enumerate() {
        match dropped[at] {
            true => is_number(r, dim, 1, &|_, size| format!("axis {at} has size {size}, and only a 1 can be dropped"))?,
            false => kept.push(dim),
        }
    }
    r.result(&kept, dtype)
}

fn expand_dims(r: &mut dyn Facts) -> Step {
    let n = r.attrs().int("num_newaxis").unwrap_or(1);
    if !(0..=64).contains(&n) {
        return attr_error(r, "num_newaxis", "a number from 0 to 64");
    }
    can_be_tensor(r, 0)?;
    let (data, dtype) = Form::operand(r, 0)?;
    // A new axis may also stand behind the last one.
    let axis = data.axis(r, "axis", r.attrs().int("axis").unwrap_or(0), 1)?;
    let ones: Vec<TermId> = (0..n).map(|_| number(r, 1)).list();
    let expanded = data.inserted(r, axis, &ones)?;
    form::result(r, &expanded, dtype)
}

fn take(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    let (shape, index_dtype) = r.tensor_parts(1)?;
    let index_dtype = r.dtype(index_dtype)?;
    r.check(!index_dtype.is_float(), format_args!("indices must be integers, found {index_dtype}"))?;
    let batch_dims = r.attrs().int("batch_dims").unwrap_or(0);
    let Some(axis) = r.attrs().int("axis") else {
        if batch_dims != 0 {
            return attr_error(r, "batch_dims", "0 where `axis` is None");
        }
        let data = r.arg(0);
        let (_, dtype) = expect_tensor(r, data)?;
        return form::result(r, &Form::Whole(shape), dtype);
    };
    let indices = r.dims(shape)?;
    if batch_dims != 0 {
        r.tensor(0)?;
    }
    let (data, dtype) = Form::operand(r, 0)?;
    let axis = data.axis(r, "axis", axis, 0)?;
    let n_indices = indices.len() as i64;
    let batch = if batch_dims < 0 { batch_dims.saturating_add(n_indices) } else { batch_dims };
    let is_within = |batch: &usize| *batch == 0 || (*batch as i64 <= axis && *batch <= indices.len());
    let Some(batch) = usize::try_from(batch).ok().filter(is_within) else {
        return attr_error(r, "batch_dims", format!("a number of axes up to {}", axis.min(n_indices)));
    };
    if batch > 0 {
        let (whole, _) = r.tensor(0)?;
        whole.iter().zip(&indices).take(batch).try_for_each(|(&of_data, &of_indices)| r.unify(of_data, of_indices))?;
    }
    let taken = data.replaced(r, axis, &indices[batch..])?;
    form::result(r, &taken, dtype)
}

fn batch_flatten(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    if peek_rank(r, 0) == Some(0) {
        return rank_error(r, 0, "1 or more", 0);
    }
    let (data, dtype) = Form::operand(r, 0)?;
    let flat = [data.dim(r, 0)?, data.product_from(r, 1)?];
    r.result(&flat, dtype)
}
