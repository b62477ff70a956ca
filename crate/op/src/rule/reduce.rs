//! Reductions over axes.

use super::{can_be_tensor, expect_tensor};
use ty::{Attrs, Dtype, Facts, Reason, Relation, Size, Step, Stop, TermId};

/// Drops the reduced axes, or sets them to 1 with `keepdims`.
pub static REDUCE: Relation = Relation { name: "Reduce", n_outputs: 1, rule: reduce };
/// As [`REDUCE`], with positions (`int32`) as the result.
pub static ARG_REDUCE: Relation = Relation { name: "ArgReduce", n_outputs: 1, rule: arg_reduce };
/// As [`REDUCE`] over the data; the mean has the data's rank.
pub static VARIANCE: Relation = Relation { name: "Variance", n_outputs: 1, rule: variance };

/// Which axes a reduction takes: those in `axis` (all when it is `None`), or the others with `exclude`. The error is
/// the axis that lies outside the rank.
pub fn reduced_axes(attrs: &Attrs, rank: usize) -> Result<Vec<bool>, i64> {
    let n = rank as i64;
    let mut reduced = vec![false; rank];
    match attrs.ints("axis") {
        None => reduced.fill(true),
        Some(axes) if axes.is_empty() => reduced.fill(!attrs.flag("exclude")),
        Some(axes) => {
            for axis in axes {
                let at = if axis < 0 { axis.saturating_add(n) } else { axis };
                *reduced.get_mut(usize::try_from(at).map_err(|_| axis)?).ok_or(axis)? = true;
            }
        }
    }
    if attrs.flag("exclude") && attrs.ints("axis").is_some_and(|axes| !axes.is_empty()) {
        reduced.iter_mut().for_each(|axis| *axis = !*axis);
    }
    Ok(reduced)
}

fn reduced_dims(r: &mut dyn Facts, dims: &[TermId]) -> Result<Vec<TermId>, Stop> {
    let rank = dims.len();
    let reduced = match reduced_axes(r.attrs(), rank) {
        Ok(reduced) => reduced,
        Err(axis) => return r.fail(Reason::Axis { attr: "axis", axis, rank }),
    };
    let keep = r.attrs().flag("keepdims");
    let mut kept = Vec::with_capacity(rank);
    for (&dim, reduced) in dims.iter().zip(reduced) {
        match reduced {
            false => kept.push(dim),
            true if keep => kept.push(r.make_size(Size::known(1))),
            true => {}
        }
    }
    Ok(kept)
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
    let (dims, dtype) = r.tensor(0)?;
    if dims.is_empty() {
        let data = r.arg(0);
        return r.result_is(data);
    }
    let kept = reduced_dims(r, &dims)?;
    r.result(&kept, dtype)
}

fn arg_reduce(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    r.check(!dims.is_empty(), || "a scalar has no axis to search".to_owned())?;
    let kept = reduced_dims(r, &dims)?;
    let dtype = r.make_dtype(Dtype::Int32);
    r.result(&kept, dtype)
}

fn variance(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor(0)?;
    let (mean, _) = r.tensor(1)?;
    let (rank, mean_rank) = (dims.len(), mean.len());
    r.check(rank == mean_rank, || format!("data of rank {rank} needs a mean of the same rank, found {mean_rank}"))?;
    let kept = reduced_dims(r, &dims)?;
    r.result(&kept, dtype)
}
