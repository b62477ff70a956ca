//! Rules that move, join and cut axes.

use super::{attr_error, can_be_tensor, product};
use ty::{Facts, Reason, Relation, Size, Step, Stop, TermId};

/// MXNet's codes: a positive size; 0 copies, −1 infers one, −2 copies the rest, −3 merges two, −4 splits into the next
/// two.
pub static RESHAPE: Relation = Relation { name: "Reshape", n_outputs: 1, rule: reshape };
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
    let fields = r.tuple(0)?;
    let index = r.attrs().int("index").unwrap_or(0);
    match usize::try_from(index).ok().and_then(|index| fields.get(index)) {
        Some(&field) => r.result_is(field),
        None => r.fail(Reason::TupleIndex { index, len: fields.len() }),
    }
}

fn reshape(r: &mut dyn Facts) -> Step {
    let Some(codes) = r.attrs().ints("newshape") else { return attr_error(r, "newshape", "a list of integers") };
    let (dims, dtype) = r.tensor(0)?;
    let input = r.sizes(&dims)?;
    let output = reshaped(r, &codes, &input)?;
    r.result_sizes(&output, dtype)
}

/// The sizes that the codes of a reshape make of those of the data.
pub(super) fn reshaped(r: &dyn Facts, codes: &[i64], input: &[Size]) -> Result<Vec<Size>, Stop> {
    let allow_zero = r.attrs().flag("allowzero");
    let mut output: Vec<Size> = Vec::new();
    let mut inferred: Option<usize> = None;
    let mut used = 0;
    let take_next = |used: &mut usize| {
        *used += 1;
        input.get(*used - 1).copied()
    };
    let mut at = 0;
    while let Some(&code) = codes.get(at) {
        at += 1;
        match code {
            0 if !allow_zero => match take_next(&mut used) {
                Some(size) => output.push(size),
                None => return attr_error(r, "newshape", "a 0 only where the data has an axis to copy"),
            },
            -1 if inferred.is_some() => return attr_error(r, "newshape", "at most one -1"),
            -1 => {
                inferred = Some(output.len());
                output.push(Size::known(1));
                used += 1;
            }
            -2 => {
                output.extend(input.iter().skip(used));
                used = input.len().max(used);
            }
            -3 => match (take_next(&mut used), take_next(&mut used)) {
                (Some(a), Some(b)) => output.push(product(&[a, b])),
                _ => return attr_error(r, "newshape", "a -3 only where the data has two axes to merge"),
            },
            -4 => {
                let (Some(whole), Some(&first), Some(&second)) =
                    (take_next(&mut used), codes.get(at), codes.get(at + 1))
                else {
                    return attr_error(r, "newshape", "a -4 with two sizes behind it and an axis to split");
                };
                at += 2;
                output.extend(split_axis(r, whole, first, second)?);
            }
            size if size < 0 => {
                return attr_error(r, "newshape", format!("no code {size}: the codes are 0 and -1 to -4"));
            }
            size => {
                output.push(Size::known(size));
                used += 1;
            }
        }
    }
    let total = product(input);
    if let Some(inferred) = inferred {
        let rest = product(&output);
        output[inferred] = match (total.number, rest.number) {
            (Some(total), Some(rest)) => {
                r.check(rest != 0 && total % rest == 0, || {
                    format!("{total} elements do not divide into rows of {rest}")
                })?;
                Size { number: Some(total / rest), dynamic: total_dynamic(input) }
            }
            _ => Size::ANY,
        };
    } else if let (Some(total), Some(made)) = (total.number, product(&output).number) {
        r.check(total == made, || format!("{total} elements do not fill a shape of {made}"))?;
    }
    Ok(output)
}

fn total_dynamic(sizes: &[Size]) -> bool {
    sizes.iter().any(|size| size.dynamic)
}

fn split_axis(r: &dyn Facts, whole: Size, first: i64, second: i64) -> Result<[Size; 2], Stop> {
    let rest = |part: i64| whole.map(|whole| if part == 0 { 0 } else { whole / part });
    let parts = match (first, second) {
        (-1, -1) => return attr_error(r, "newshape", "at most one -1 behind a -4"),
        (-1, part) => [rest(part), Size::known(part)],
        (part, -1) => [Size::known(part), rest(part)],
        (first, second) => [Size::known(first), Size::known(second)],
    };
    if let (Some(whole), Some(made)) = (whole.number, product(&parts).number) {
        r.check(whole == made && first >= -1 && second >= -1, || {
            format!("an axis of {whole} does not split into {first} and {second}")
        })?;
    }
    Ok(parts)
}

fn transpose(r: &mut dyn Facts) -> Step {
    let axes = r.attrs().ints("axes");
    let (dims, dtype) = r.tensor(0)?;
    let rank = dims.len();
    let Some(axes) = axes.filter(|axes| !axes.is_empty() || rank > 0) else {
        let reversed: Vec<TermId> = dims.into_iter().rev().collect();
        return r.result(&reversed, dtype);
    };
    if axes.is_empty() {
        let reversed: Vec<TermId> = dims.into_iter().rev().collect();
        return r.result(&reversed, dtype);
    }
    let n_axes = axes.len();
    r.check(n_axes == rank, || format!("{n_axes} axes are named but the data has rank {rank}"))?;
    let mut permuted = Vec::with_capacity(rank);
    let mut seen = vec![false; rank];
    for axis in axes {
        let at = r.axis("axes", axis, rank)?;
        r.check(!seen[at], || format!("axis {axis} is named twice"))?;
        seen[at] = true;
        permuted.push(dims[at]);
    }
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
    if waits.is_empty() { Ok(tensors) } else { Err(Stop::Wait(waits)) }
}

pub(super) fn concatenate(r: &mut dyn Facts) -> Step {
    let tensors = tensors_of(r, 0)?;
    let Some((first, dtype)) = tensors.first().cloned() else {
        return r.fail(Reason::Check("there is nothing to join in an empty tuple".into()));
    };
    let rank = first.len();
    r.check(rank > 0, || "scalars have no axis to join".to_owned())?;
    let axis = r.axis("axis", r.attrs().int("axis").unwrap_or(0), rank)?;
    let mut sizes = vec![Size::known(0); rank];
    for (i, (dims, other)) in tensors.iter().enumerate() {
        let found = dims.len();
        r.check(found == rank, || format!("field {i} has rank {found} but field 0 has rank {rank}"))?;
        if let (Ok(left), Ok(right)) = (r.dtype(dtype), r.dtype(*other)) {
            r.check(left == right, || format!("field {i} has dtype {right} but field 0 has {left}"))?;
        }
        let total = r.size(dims[axis])?;
        sizes[axis] = sizes[axis].combine(total, |a, b| a.saturating_add(b));
    }
    // Off the axis a number stands beside numbers; a `?` among them stays unless the axis itself is `?`.
    let axis_dynamic = sizes[axis].number.is_none();
    let mut agreed = first.clone();
    for at in (0..rank).filter(|&at| at != axis) {
        let numbers: Vec<Option<i64>> = tensors.iter().map(|(dims, _)| r.peek_number(dims[at])).collect();
        let mut known = numbers.iter().flatten();
        if let Some(&number) = known.next() {
            if let Some(other) = known.find(|&&other| other != number) {
                return r.fail(Reason::Check(format!("sizes {number} and {other} differ on axis {at}").into()));
            }
            if numbers.contains(&None) && tensors.iter().any(|(dims, _)| r.is_dynamic(dims[at])) {
                sizes[at] = if axis_dynamic { Size::known(number) } else { Size::ANY };
            }
        }
    }
    for (_, other) in &tensors[1..] {
        r.unify(dtype, *other)?;
    }
    for at in (0..rank).filter(|&at| at != axis) {
        if sizes[at] != Size::known(0) {
            agreed[at] = r.make_size(sizes[at]);
        } else if !tensors.iter().any(|(dims, _)| r.is_dynamic(dims[at])) {
            tensors[1..].iter().try_for_each(|(dims, _)| r.unify(agreed[at], dims[at]))?;
        }
    }
    agreed[axis] = r.make_size(sizes[axis]);
    r.result(&agreed, dtype)
}

fn split(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor(0)?;
    r.check(!dims.is_empty(), || "a scalar has no axis to split".to_owned())?;
    let axis = r.axis("axis", r.attrs().int("axis").unwrap_or(0), dims.len())?;
    let size = r.size(dims[axis])?;
    let parts: Vec<Size> = match r.attrs().get("indices_or_sections") {
        &ty::AttrValue::Int(n) => {
            if !(1..=1_000_000).contains(&n) {
                return attr_error(r, "indices_or_sections", "a number of parts from 1 to 1,000,000");
            }
            if let Some(whole) = size.number {
                r.check(whole % n == 0, || format!("{n} does not divide the {whole} of axis {axis}"))?;
            }
            vec![size.map(|whole| whole / n); n as usize]
        }
        _ => {
            let Some(cuts) = r.attrs().ints("indices_or_sections") else {
                return attr_error(r, "indices_or_sections", "a number of parts or a list of cut points");
            };
            let mut parts = Vec::with_capacity(cuts.len() + 1);
            let mut from = 0;
            for cut in cuts {
                let inside = cut > from || (parts.is_empty() && cut == 0);
                r.check(inside && size.number.is_none_or(|whole| cut < whole), || {
                    let below = size.number.map_or(String::new(), |whole| format!(" below {whole}"));
                    format!("cut points must rise and lie{below}; found {cut} after {from}")
                })?;
                parts.push(Size::known(cut - from));
                from = cut;
            }
            parts.push(size.map(|whole| whole - from));
            parts
        }
    };
    let mut fields = Vec::with_capacity(parts.len());
    for part in parts {
        let mut part_dims = dims.clone();
        part_dims[axis] = r.make_size(part);
        fields.push(r.make_tensor(&part_dims, dtype));
    }
    let tuple = r.make_tuple(&fields);
    r.result_is(tuple)
}

fn squeeze(r: &mut dyn Facts) -> Step {
    let axes = r.attrs().ints("axis");
    let (dims, dtype) = r.tensor(0)?;
    let rank = dims.len();
    let mut dropped = vec![false; rank];
    match axes {
        None => {
            for (at, size) in r.sizes(&dims)?.into_iter().enumerate() {
                r.check(size.number.is_some(), || format!("axis {at} is `?`: name the axes to drop"))?;
                dropped[at] = size.number == Some(1);
            }
        }
        Some(axes) => {
            for axis in axes {
                let at = r.axis("axis", axis, rank)?;
                if let Some(size) = r.peek_number(dims[at]) {
                    r.check(size == 1, || format!("axis {at} has size {size}, and only a 1 can be dropped"))?;
                }
                dropped[at] = true;
            }
        }
    }
    let one = |r: &mut dyn Facts| r.make_size(Size::known(1));
    for at in (0..rank).filter(|&at| dropped[at]) {
        if r.peek_number(dims[at]).is_none() && !r.is_dynamic(dims[at]) {
            let one = one(r);
            r.unify(one, dims[at])?;
        }
    }
    let kept: Vec<TermId> = dims.into_iter().zip(dropped).filter(|(_, dropped)| !dropped).map(|(dim, _)| dim).collect();
    r.result(&kept, dtype)
}

fn expand_dims(r: &mut dyn Facts) -> Step {
    let n = r.attrs().int("num_newaxis").unwrap_or(1);
    if !(0..=64).contains(&n) {
        return attr_error(r, "num_newaxis", "a number from 0 to 64");
    }
    let (mut dims, dtype) = r.tensor(0)?;
    let rank = dims.len();
    // A new axis may also stand behind the last one.
    let axis = r.attrs().int("axis").unwrap_or(0);
    let at = if axis < 0 { axis.saturating_add(rank as i64 + 1) } else { axis };
    if !(0..=rank as i64).contains(&at) {
        return r.fail(Reason::Axis { attr: "axis", axis, rank: rank + 1 });
    }
    for _ in 0..n {
        let one = r.make_size(Size::known(1));
        dims.insert(at as usize, one);
    }
    r.result(&dims, dtype)
}

fn take(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    let (indices, index_dtype) = r.tensor(1)?;
    let index_dtype = r.dtype(index_dtype)?;
    r.check(!index_dtype.is_float(), || format!("indices must be integers, found {index_dtype}"))?;
    let batch_dims = r.attrs().int("batch_dims").unwrap_or(0);
    let Some(axis) = r.attrs().int("axis") else {
        let data = r.arg(0);
        let (_, dtype) = super::expect_tensor(r, data)?;
        return r.result(&indices, dtype);
    };
    let (data, dtype) = r.tensor(0)?;
    let axis = r.axis("axis", axis, data.len())?;
    let n_indices = indices.len() as i64;
    let batch = if batch_dims < 0 { batch_dims.saturating_add(n_indices) } else { batch_dims };
    let Some(batch) = usize::try_from(batch).ok().filter(|&batch| batch <= axis && batch <= indices.len()) else {
        return attr_error(r, "batch_dims", format!("a number of axes up to {}", axis.min(indices.len())));
    };
    let dims: Vec<TermId> = data[..axis].iter().chain(&indices[batch..]).chain(&data[axis + 1..]).copied().collect();
    r.result(&dims, dtype)
}

fn batch_flatten(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor(0)?;
    let Some((&batch, rest)) = dims.split_first() else {
        return r.fail(Reason::Rank { operand: 0, want: "1 or more".into(), found: 0 });
    };
    let rest = r.sizes(rest)?;
    let rest = if rest.iter().any(|size| size.number.is_none()) { Size::ANY } else { product(&rest) };
    let rest = r.make_size(rest);
    r.result(&[batch, rest], dtype)
}
