//! Reductions over axes.

use super::dims::number;
use super::form::{self, Form};
use super::{can_be_tensor, expect_tensor};
use base::ToList;
use ty::{Attrs, Dtype, Facts, Kind, Reason, Relation, Step, Stop, Term, TermId};

/// Drops the reduced axes, or sets them to 1 with `keepdims`.
pub static REDUCE: Relation = Relation { name: "Reduce", n_outputs: 1, rule: reduce };
/// As [`REDUCE`], with positions (`int32`) as the result.
pub static ARG_REDUCE: Relation = Relation { name: "ArgReduce", n_outputs: 1, rule: arg_reduce };
/// As [`REDUCE`] over the data; the mean has the data's rank.
pub static VARIANCE: Relation = Relation { name: "Variance", n_outputs: 1, rule: variance };

/// Which axes a reduction takes: those in `axis`, or the others with `exclude`; all if none is named.
pub fn reduced_axes(attrs: &Attrs, rank: usize) -> Result<Vec<bool>, Reason> {
    let mut reduced = base::filled(false, rank);
    match attrs.ints("axis").filter(|axes| !axes.is_empty()) {
        None => return Ok(base::filled(true, rank)),
        Some(axes) => {
            for axis in axes {
                let at = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
                match usize::try_from(at).ok().and_then(|at| reduced.get_mut(at)) {
                    Some(true) => return Err(Reason::Check(format!("axis {axis} is named twice").into())),
                    Some(axis) => *axis = true,
                    None => return Err(Reason::Axis { attr: "axis", axis, rank }),
                }
            }
        }
    }
    if attrs.flag("exclude") {
        reduced.iter_mut().for_each(|axis| *axis = !*axis);
    }
    Ok(reduced)
}

fn reduced_dims(r: &mut dyn Facts, dims: &[TermId]) -> Result<Vec<TermId>, Stop> {
    let reduced = match reduced_axes(r.attrs(), dims.len()) {
        Ok(reduced) => reduced,
        Err(reason) => return r.fail(reason),
    };
    let keep = r.attrs().flag("keepdims");
    let mut kept = Vec::with_capacity(dims.len());
    for (&dim, reduced) in dims.iter().zip(reduced) {
        match reduced {
            false => kept.push(dim),
            true if keep => kept.push(number(r, 1)),
            true => {}
        }
    }
    Ok(kept)
}

/// The axes that are reduced of a shape of any rank, in an order in which dropping one does not move those that
/// follow; `None` where the rank must be known.
fn certain_axes(attrs: &Attrs) -> Option<Vec<i64>> {
    let mut axes = attrs.ints("axis").filter(|axes| !axes.is_empty() && !attrs.flag("exclude"))?;
    base::sort(&mut axes);
    let is_apart = axes.windows(2).all(|pair| pair[0] != pair[1]);
    match (axes[0] < 0, axes[axes.len() - 1] < 0) {
        _ if !is_apart => None,
        (true, true) => Some(axes),
        (false, false) => Some(axes.into_iter().rev().list()),
        (true, false) | (false, true) => None,
    }
}

/// The result over a shape of unknown rank.
fn reduce_whole(r: &mut dyn Facts, axes: &[i64], dtype: Option<Dtype>) -> Step {
    let (mut shape, data) = Form::operand(r, 0)?;
    let one = number(r, 1);
    let keep = r.attrs().flag("keepdims");
    // Axes next to each other at once: the first of them, and how many.
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for &axis in axes {
        shape.axis(r, "axis", axis, 0)?;
        match runs.last_mut() {
            Some((first, n)) if *first + *n == axis => *n += 1,
            Some((first, n)) if axis + 1 == *first => (*first, *n) = (axis, *n + 1),
            _ => runs.push((axis, 1)),
        }
    }
    for (axis, n) in runs {
        let axis = shape.axis(r, "axis", axis, 0)?;
        let by = base::filled(one, if keep { n as usize } else { 0 });
        shape = shape.all_replaced(r, axis, n, &by)?;
    }
    let dtype = dtype.map_or(data, |dtype| r.make_dtype(dtype));
    form::result(r, &shape, dtype)
}

/// Whether everything is reduced to a scalar, whatever the rank.
fn reduces_all(attrs: &Attrs) -> bool {
    attrs.ints("axis").is_none() && !attrs.flag("keepdims") && !attrs.flag("exclude")
}

fn reduce(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    if reduces_all(r.attrs()) {
        let data = r.arg(0);
        let (_, dtype) = expect_tensor(r, data)?;
        return r.result(&[], dtype);
    }
    if let Some(axes) = certain_axes(r.attrs()).filter(|_| super::peek_rank(r, 0).is_none()) {
        return reduce_whole(r, &axes, None);
    }
    let Term::Tensor { shape, dtype } = r.peek(r.arg(0)) else { return as_tensors(r) };
    let dims = r.dims(shape)?;
    let kept = reduced_dims(r, &dims)?;
    r.result(&kept, dtype)
}

/// What is certain of data that are not known: they and the result are tensors of one dtype.
fn as_tensors(r: &mut dyn Facts) -> Step {
    let (data, result) = (r.arg(0), r.arg(1));
    let (_, dtype) = expect_tensor(r, data)?;
    let shape = r.make_hole(Kind::Shape);
    let tensor = r.make(Term::Tensor { shape, dtype });
    r.unify(tensor, result)?;
    r.post(&REDUCE, &[data, result]);
    Ok(())
}

fn arg_reduce(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    let axes = certain_axes(r.attrs()).filter(|_| super::peek_rank(r, 0).is_none());
    if let Some(axes) = axes {
        return reduce_whole(r, &axes, Some(Dtype::Int32));
    }
    let (dims, _) = r.tensor(0)?;
    r.check(!dims.is_empty(), format_args!("a scalar has no axis to search"))?;
    let kept = reduced_dims(r, &dims)?;
    let dtype = r.make_dtype(Dtype::Int32);
    r.result(&kept, dtype)
}

fn variance(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor(0)?;
    let (mean, _) = r.tensor(1)?;
    let (rank, mean_rank) = (dims.len(), mean.len());
    r.check(rank > 0, format_args!("a scalar has no variance"))?;
    r.check(rank == mean_rank, format_args!("data of rank {rank} needs a mean of the same rank, found {mean_rank}"))?;
    let kept = reduced_dims(r, &dims)?;
    r.result(&kept, dtype)
}
