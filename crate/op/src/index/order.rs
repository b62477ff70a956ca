//! Sorting and searching. Elements are compared by their keys: NaN is above every number, -0 is 0.

use crate::places::{keys, moved, tuple, zero};
use crate::run::{Arg, Call, Fault, ints};
use base::{Append, ToList};
use kernel::lines;
use kernel::strided::count;
use ty::{Dtype, Elements, Value};

/// The places of the elements of each line along `axis` in order, the first `k` of each; equal elements keep theirs.
/// Line after line, as the places of the whole tensor.
///
/// A descending order is an ascending one of the keys' complements, so that ties keep their order too.
fn ordered(x: &Arg, axis: usize, k: usize, is_ascend: bool) -> Vec<usize> {
    let shape = x.shape();
    let (size, inner) = (shape[axis], count(&shape[axis + 1..]));
    let keys = keys(x);
    let mut places = vec![0; count(&shape[..axis]) * k * inner];
    let (mut line, mut room) = (Vec::with_capacity(size), Vec::new());
    for outer in 0..count(&shape[..axis]) {
        for i in 0..inner {
            let from = outer * size * inner + i;
            line.clear();
            line.append_all((0..size).map(|at| {
                let key = keys[from + at * inner];
                (if is_ascend { key } else { !key }, at as u32)
            }));
            lines::order(&mut line, usize::MAX, &mut room);
            for (rank, &(_, at)) in line.iter().take(k).enumerate() {
                places[(outer * k + rank) * inner + i] = from + at as usize * inner;
            }
        }
    }
    places
}

/// Where along `axis` each place of the whole tensor is.
fn along(places: &[usize], x: &Arg, axis: usize, dtype: Dtype) -> Elements {
    let (size, inner) = (x.shape()[axis], count(&x.shape()[axis + 1..]));
    ints(dtype, places.iter().map(|&place| (place / inner % size) as i64))
}

pub(super) fn sort_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let axis = call.axis("axis", -1, x.shape().len());
    let places = ordered(&x, axis, x.shape()[axis], call.attrs.flag("is_ascend"));
    let elements = x.elements();
    call.one(moved(&elements, &places, zero(&elements)))
}

pub(super) fn argsort_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let axis = call.axis("axis", -1, x.shape().len());
    let places = ordered(&x, axis, x.shape()[axis], call.attrs.flag("is_ascend"));
    call.one(along(&places, &x, axis, result.dtype))
}

pub(super) fn topk_of(call: &Call) -> Result<Value, Fault> {
    let (x, last) = (call.tensor(0)?, call.result(call.results.len() - 1)?);
    let axis = call.axis("axis", -1, x.shape().len());
    let places = ordered(&x, axis, last.shape[axis], call.attrs.flag("is_ascend"));
    let elements = x.elements();
    let values = || moved(&elements, &places, zero(&elements));
    match call.attrs.str("ret_type") {
        "values" => call.one(values()),
        "indices" => call.one(along(&places, &x, axis, last.dtype)),
        _ => Ok(tuple(vec![call.value(0, values())?, call.value(1, along(&places, &x, axis, last.dtype))?])),
    }
}

pub(super) fn searchsorted_of(call: &Call) -> Result<Value, Fault> {
    let (sequence, values, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    // Numbers of two dtypes are compared as floats.
    let float_keys = |x: &Arg| x.floats().into_iter().map(kernel::index::float_key).list();
    let (sorted, wanted) = match sequence.dtype() == values.dtype() {
        true => (keys(&sequence), keys(&values)),
        false => (float_keys(&sequence), float_keys(&values)),
    };
    let (Some(&len), Some(&n)) = (sequence.shape().last(), values.shape().last()) else {
        return Err(Fault::ill_typed());
    };
    let right = call.attrs.flag("right");
    let found = wanted.iter().enumerate().map(|(i, &key)| {
        let line = if sequence.shape().len() == 1 { 0 } else { i / n };
        let line = &sorted[line * len..][..len];
        line.partition_point(|&at| if right { at <= key } else { at < key }) as i64
    });
    call.one(ints(result.dtype, found))
}

pub(super) fn unique_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let n = x.elements().len();
    let mut order: Vec<(u64, u32)> = keys(&x).into_iter().zip(0..).list();
    lines::order(&mut order, usize::MAX, &mut Vec::new());
    // Equal elements are neighbours now, the first of them first.
    let mut firsts: Vec<usize> = Vec::new();
    let mut kind = vec![0; n];
    for (i, &(key, at)) in order.iter().enumerate() {
        let at = at as usize;
        if i == 0 || order[i - 1].0 != key {
            firsts.push(at);
        }
        kind[at] = firsts.len() - 1;
    }
    if !call.attrs.flag("sorted") {
        let mut by_first: Vec<(usize, usize)> = firsts.iter().copied().zip(0..).list();
        base::sort(&mut by_first);
        let mut renamed = vec![0; firsts.len()];
        for (new, &(_, old)) in by_first.iter().enumerate() {
            renamed[old] = new;
        }
        kind.iter_mut().for_each(|kind| *kind = renamed[*kind]);
        base::sort(&mut firsts);
    }
    let n_found = firsts.len();
    let mut counts = vec![0_i64; n];
    kind.iter().for_each(|&kind| counts[kind] += 1);
    let elements = x.elements();
    let mut places = firsts.clone();
    places.resize(n, kernel::index::NOWHERE);
    firsts.resize(n, n);
    let places_of = |places: &[usize]| ints(Dtype::Int32, places.iter().map(|&at| at as i64));
    let mut fields = vec![
        call.value(0, moved(&elements, &places, zero(&elements)))?,
        call.value(1, places_of(&firsts))?,
        call.value(2, places_of(&kind))?,
        call.value(3, places_of(&[n_found]))?,
    ];
    if call.attrs.flag("return_counts") {
        fields.push(call.value(4, ints(Dtype::Int32, counts.into_iter()))?);
    }
    Ok(tuple(fields))
}
