//! Norms over features, and losses.

use crate::conv::layout::operand;
use crate::conv::window::{fault, numbers};
use crate::run::{Call, Fault, floats};
use base::ToList;
use kernel::normal::{affine, local_response, root_mean, standardised};
use kernel::strided::View;
use ty::{Elements, Tensor, Value};

/// Brings the elements of `shape`, which holds those of the data, to mean 0 and variance 1 over some axes, and applies
/// gamma and beta along an axis of the data.
fn normalised(call: &Call, x: &Tensor, axis: usize, shape: &[usize], reduced: &[usize]) -> Result<Value, Fault> {
    let vector = |flag: &str, index: usize| -> Result<Option<Vec<f64>>, Fault> {
        let vector = numbers(&operand(call, index)?);
        match vector.len() == x.shape[axis] {
            true => Ok(call.attrs.flag(flag).then_some(vector)),
            false => fault(format!("a vector of {} does not fit an axis of {}", vector.len(), x.shape[axis])),
        }
    };
    let (gamma, beta) = (vector("scale", 1)?, vector("center", 2)?);
    let mut values = standardised(View::new(&numbers(x), shape), reduced, call.attrs.float("epsilon"));
    affine(&mut values, &x.shape, axis, gamma.as_deref(), beta.as_deref());
    call.one(floats(call.result(0)?.dtype, values.into_iter()))
}

pub(super) fn layer_norm(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let axis = call.axis("axis", -1, x.shape.len());
    normalised(call, &x, axis, &x.shape, &[axis])
}

pub(super) fn instance_norm(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let axis = call.axis("axis", 1, x.shape.len());
    let reduced: Vec<usize> = (1..x.shape.len()).filter(|&other| other != axis).list();
    normalised(call, &x, axis, &x.shape, &reduced)
}

pub(super) fn group_norm(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let axis = call.axis("axis", 1, x.shape.len());
    let n_groups = call.attrs.int("num_groups").unwrap_or(0);
    let groups = usize::try_from(n_groups).ok().filter(|&n| n > 0 && x.shape[axis].is_multiple_of(n));
    let Some(groups) = groups else {
        return fault(format!("{n_groups} groups do not divide {} channels", x.shape[axis]));
    };
    let mut shape = x.shape.clone();
    shape[axis] /= groups;
    shape.insert(axis, groups);
    let reduced: Vec<usize> = (axis + 1..shape.len()).list();
    normalised(call, &x, axis, &shape, &reduced)
}

pub(super) fn l2_normalize(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let rank = x.shape.len() as i64;
    let mut axes: Vec<usize> = Vec::new();
    for axis in call.attrs.ints("axis").unwrap_or_default() {
        let place = if axis < 0 { axis.saturating_add(rank) } else { axis };
        if !(0..rank).contains(&place) {
            return fault(format!("`axis` is {axis} but the rank is {rank}"));
        }
        if !axes.contains(&(place as usize)) {
            axes.push(place as usize);
        }
    }
    // As for Relay's reductions, no axis is all of them.
    if axes.is_empty() {
        axes = (0..x.shape.len()).list();
    }
    base::sort(&mut axes);
    let values = root_mean(View::new(&numbers(&x), &x.shape), &axes, call.attrs.float("eps"));
    call.one(floats(call.result(0)?.dtype, values.into_iter()))
}

pub(super) fn lrn(call: &Call) -> Result<Value, Fault> {
    let x = operand(call, 0)?;
    let rank = x.shape.len() as i64;
    let (axis, size) = (call.attrs.int("axis").unwrap_or(1), call.attrs.int("size").unwrap_or(5));
    let place = if axis < 0 { axis.saturating_add(rank) } else { axis };
    if !(0..rank).contains(&place) {
        return fault(format!("`axis` is {axis} but the rank is {rank}"));
    }
    if size < 1 || size % 2 == 0 {
        return fault(format!("`size` is an odd number above 0, found {size}"));
    }
    let attr = |name| call.attrs.float(name);
    let constants = [attr("bias"), attr("alpha"), attr("beta")];
    let values = local_response(View::new(&numbers(&x), &x.shape), place as usize, size, constants);
    call.one(floats(call.result(0)?.dtype, values.into_iter()))
}

/// Minus the mean over the rows of the sums of products.
fn entropy(call: &Call, of: fn(f64) -> f64) -> Result<Value, Fault> {
    let (x, y) = (operand(call, 0)?, operand(call, 1)?);
    let rows = x.shape.first().copied().unwrap_or(1);
    let sum: f64 = numbers(&x).into_iter().zip(numbers(&y)).map(|(x, y)| of(x) * y).sum();
    call.one(floats(call.result(0)?.dtype, [-sum / rows as f64].into_iter()))
}

pub(super) fn cross_entropy(call: &Call) -> Result<Value, Fault> {
    entropy(call, kernel::scalar::float::log)
}

pub(super) fn cross_entropy_with_logits(call: &Call) -> Result<Value, Fault> {
    entropy(call, |x| x)
}

pub(super) fn nll_loss(call: &Call) -> Result<Value, Fault> {
    let (x, targets, weights) = (operand(call, 0)?, operand(call, 1)?, numbers(&operand(call, 2)?));
    let Elements::Int(classes) = &targets.elements else { return Err(Fault::ill_typed()) };
    let (n_classes, inner) = match x.shape[..] {
        [n_classes] => (n_classes, 1),
        [_, n_classes, ref inner @ ..] => (n_classes, inner.iter().product::<usize>()),
        [] => return Err(Fault::ill_typed()),
    };
    let values = numbers(&x);
    if weights.len() != n_classes || classes.len().checked_mul(n_classes) != Some(values.len()) {
        return Err(Fault::ill_typed());
    }
    let ignored = call.attrs.int("ignore_index");
    let (mut losses, mut total) = (Vec::with_capacity(classes.len()), 0.0);
    for (at, &class) in classes.iter().enumerate() {
        if Some(class) == ignored {
            losses.push(0.0);
            continue;
        }
        let class = usize::try_from(class).ok().filter(|&class| class < n_classes);
        let class = class.ok_or_else(|| Fault::index(classes[at]))?;
        losses.push(-values[(at / inner * n_classes + class) * inner + at % inner] * weights[class]);
        total += weights[class];
    }
    let dtype = call.result(0)?.dtype;
    let sum = |losses: &[f64]| losses.iter().sum::<f64>();
    call.one(match call.attrs.str("reduction") {
        "none" => floats(dtype, losses.into_iter()),
        "sum" => floats(dtype, [sum(&losses)].into_iter()),
        _ => floats(dtype, [sum(&losses) / total].into_iter()),
    })
}
