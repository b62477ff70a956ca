//! Elementwise rules. Broadcasting is NumPy's, from the last axis: sizes are equal or one of them is 1.

use super::form::Form;
use super::{can_be_tensor, expect_tensor, post_part, same_dtypes};
use base::ToList;
use ty::{Dim, Dtype, Extent, Facts, List, Reason, Relation, Step, Stop, Term, TermId, if_known};

/// `T → T` over tensors.
pub static IDENTITY: Relation = Relation { name: "Identity", n_outputs: 1, rule: identity };
/// `Tensor[s, t] → Tensor[s, bool]`.
pub static IDENTITY_COMP: Relation = Relation { name: "IdentityCompRel", n_outputs: 1, rule: identity_comp };
/// Both operands are tensors of one dtype; so is the result, with the broadcast shape.
pub static BROADCAST: Relation = Relation { name: "Broadcast", n_outputs: 1, rule: broadcast };
/// As [`BROADCAST`], with a `bool` result.
pub static BROADCAST_COMP: Relation = Relation { name: "BroadcastComp", n_outputs: 1, rule: broadcast_comp };
/// `where(condition, x, y)`: the broadcast of all three.
pub static WHERE: Relation = Relation { name: "Where", n_outputs: 1, rule: where_ };
/// The shape attribute, to which the data must broadcast.
pub static BROADCAST_TO: Relation = Relation { name: "BroadCastTo", n_outputs: 1, rule: broadcast_to };

/// The shapes of a broadcast: two operands, and the result.
pub(super) static BROADCAST_SHAPES: Relation = Relation { name: "Broadcast", n_outputs: 1, rule: broadcast_shapes };
/// One axis of a broadcast: two operand sizes, and the result's.
pub(super) static BROADCAST_AXIS: Relation = Relation { name: "Broadcast", n_outputs: 1, rule: broadcast_axis };
/// What is left to check of an axis whose result is already known: the first size is 1 or the second.
pub(super) static BROADCASTS_TO: Relation = Relation { name: "BroadcastsTo", n_outputs: 0, rule: broadcasts_to };

fn identity(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    let data = r.arg(0);
    expect_tensor(r, data)?;
    r.result_is(data)
}

fn identity_comp(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    let data = r.arg(0);
    let (shape, _) = expect_tensor(r, data)?;
    let dtype = r.make_dtype(Dtype::Bool);
    let tensor = r.make(Term::Tensor { shape, dtype });
    r.result_is(tensor)
}

/// The same of two operands that may still be anything.
fn operands_of_one_dtype(r: &dyn Facts, left: usize, right: usize) -> Step {
    match (r.tensor_parts(left), r.tensor_parts(right)) {
        (Ok((_, a)), Ok((_, b))) => same_dtypes(r, (left, a), (right, b)),
        _ => Ok(()),
    }
}

pub(super) fn broadcast(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    can_be_tensor(r, 1)?;
    operands_of_one_dtype(r, 0, 1)?;
    let (left, right) = (r.arg(0), r.arg(1));
    let (left_shape, dtype) = expect_tensor(r, left)?;
    let (right_shape, right_dtype) = expect_tensor(r, right)?;
    r.unify(dtype, right_dtype)?;
    result_broadcast(r, left_shape, right_shape, dtype)
}

fn broadcast_comp(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    can_be_tensor(r, 1)?;
    operands_of_one_dtype(r, 0, 1)?;
    let (left, right) = (r.arg(0), r.arg(1));
    let (left_shape, dtype) = expect_tensor(r, left)?;
    let (right_shape, right_dtype) = expect_tensor(r, right)?;
    r.unify(dtype, right_dtype)?;
    let bool = r.make_dtype(Dtype::Bool);
    result_broadcast(r, left_shape, right_shape, bool)
}

fn where_(r: &mut dyn Facts) -> Step {
    (0..3).try_for_each(|operand| can_be_tensor(r, operand))?;
    operands_of_one_dtype(r, 1, 2)?;
    let [condition, x, y] = [r.arg(0), r.arg(1), r.arg(2)];
    let (condition_shape, _) = expect_tensor(r, condition)?;
    let (x_shape, dtype) = expect_tensor(r, x)?;
    let (y_shape, y_dtype) = expect_tensor(r, y)?;
    r.unify(dtype, y_dtype)?;
    let either = r.make_hole(ty::Kind::Shape);
    broadcast_now(r, x_shape, y_shape, either)?;
    result_broadcast(r, condition_shape, either, dtype)
}

/// The result is a tensor with the broadcast of two shapes.
fn result_broadcast(r: &mut dyn Facts, left: TermId, right: TermId, dtype: TermId) -> Step {
    let shape = r.make_hole(ty::Kind::Shape);
    let tensor = r.make(Term::Tensor { shape, dtype });
    r.result_is(tensor)?;
    broadcast_now(r, left, right, shape)
}

/// The broadcast of two shapes, computed at once where both are known.
fn broadcast_now(r: &mut dyn Facts, left: TermId, right: TermId, result: TermId) -> Step {
    if if_known(shapes(r, left, right, result))?.is_none() {
        post_part(r, &BROADCAST_SHAPES, &[left, right, result]);
    }
    Ok(())
}

fn broadcast_shapes(r: &mut dyn Facts) -> Step {
    let (left, right, result) = (r.arg(0), r.arg(1), r.arg(2));
    shapes(r, left, right, result)
}

fn shapes(r: &mut dyn Facts, left: TermId, right: TermId, result: TermId) -> Step {
    if r.same(left, right) {
        return r.unify(result, left);
    }
    if r.peek_rank(left).is_none() || r.peek_rank(right).is_none() {
        for [whole, other] in [[left, right], [right, left]] {
            if let Some(least) = ty::covers(r, whole, other) {
                for (shape, n) in least {
                    let shape = r.make(Term::Param(shape, ty::Kind::Shape));
                    Form::Whole(shape).has_axis(r, i64::from(n) - 1)?;
                }
                return r.unify(result, whole);
            }
        }
    }
    match (r.peek_rank(left), r.peek_rank(right), r.peek_rank(result)) {
        (Some(0), _, _) => r.unify(result, right),
        (_, Some(0), _) => r.unify(result, left),
        (Some(_), Some(_), _) => aligned_shapes(r, left, right, result),
        // Only two scalars make a scalar.
        (None, None, Some(0)) => {
            r.unify(left, result)?;
            r.unify(right, result)
        }
        // The result's rank is the larger one; what the other operand does not reach, this one must.
        (None, Some(other), Some(n)) if other < n || n == 0 => {
            shape_of_rank(r, left, n)?;
            aligned_shapes(r, left, right, result)
        }
        (Some(other), None, Some(n)) if other < n || n == 0 => {
            shape_of_rank(r, right, n)?;
            aligned_shapes(r, left, right, result)
        }
        _ => {
            can_reach(r, left, result)?;
            can_reach(r, right, result)?;
            Err(Stop::wait(&[left, right, result]))
        }
    }
}

/// Whether there may be an operand beside this one with which it has the result.
fn can_reach(r: &dyn Facts, operand: TermId, result: TermId) -> Step {
    match (r.dim_list(operand), r.dim_list(result)) {
        (Ok(from), Ok(to)) => reaches(r, r.items(from), r.items(to)),
        _ => Ok(()),
    }
}

/// As far as they are known, the sizes are those that are broadcast to, or 1.
fn reaches(r: &dyn Facts, from: &[TermId], to: &[TermId]) -> Step {
    let (rank, n) = (from.len(), to.len());
    r.check(rank <= n, format_args!("a tensor of rank {rank} does not broadcast to {n} axes"))?;
    for (axis, (&left, &right)) in from.iter().rev().zip(to.iter().rev()).enumerate() {
        if let (Some(left_size), Some(right_size)) = (r.peek_number(left), r.peek_number(right))
            && left_size != right_size
            && left_size != 1
        {
            return r.fail(Reason::Broadcast { left, right, left_size, right_size, axis: Some(axis) });
        }
    }
    Ok(())
}

fn shape_of_rank(r: &mut dyn Facts, shape: TermId, rank: usize) -> Step {
    if !r.peek(shape).is_hole() {
        return Err(Stop::wait(&[shape]));
    }
    let dims: Vec<TermId> = (0..rank).map(|_| r.make_hole(ty::Kind::Dim)).list();
    let list = r.make_list(&dims);
    let known = r.make(Term::Shape(list));
    r.unify(known, shape)
}

/// Both ranks are known: the result's dims, one relation per axis that is not decided here.
fn aligned_shapes(r: &mut dyn Facts, left: TermId, right: TermId, result: TermId) -> Step {
    let (left, right) = (r.dim_list(left)?, r.dim_list(right)?);
    let rank = left.len.max(right.len) as usize;
    let mut dims: Vec<TermId> = Vec::with_capacity(rank);
    let mut undecided: Vec<[TermId; 3]> = Vec::new();
    for from_last in (0..rank).rev() {
        let at = |list: List| r.items(list).iter().rev().nth(from_last).copied();
        let dim = match (at(left), at(right)) {
            (Some(a), Some(b)) => match decided_axis(r, a, b) {
                Some(Ok(dim)) => dim,
                Some(Err((left_size, right_size))) => {
                    let axis = Some(from_last);
                    return r.fail(Reason::Broadcast { left: a, right: b, left_size, right_size, axis });
                }
                None => {
                    let dim = r.make_hole(ty::Kind::Dim);
                    undecided.push([a, b, dim]);
                    dim
                }
            },
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => continue,
        };
        dims.push(dim);
    }
    let list = r.make_list(&dims);
    let shape = r.make(Term::Shape(list));
    r.unify(result, shape)?;
    undecided.iter().for_each(|args| post_part(r, &BROADCAST_AXIS, args));
    Ok(())
}

/// The broadcast of two single sizes; a clash is a failure, what is undecided is posted.
pub(super) fn axis_result(r: &mut dyn Facts, a: TermId, b: TermId) -> Result<TermId, Stop> {
    match decided_axis(r, a, b) {
        Some(Ok(dim)) => Ok(dim),
        Some(Err((left_size, right_size))) => {
            r.fail(Reason::Broadcast { left: a, right: b, left_size, right_size, axis: None })
        }
        None => {
            let dim = r.make_hole(ty::Kind::Dim);
            post_part(r, &BROADCAST_AXIS, &[a, b, dim]);
            Ok(dim)
        }
    }
}

/// The result of an axis whose two sizes are numbers and not `?`; the sizes if they clash.
fn decided_axis(r: &dyn Facts, a: TermId, b: TermId) -> Option<Result<TermId, (i64, i64)>> {
    let number = |dim| match r.peek(dim) {
        Term::Dim(Dim { extent: Extent::Number(number), dynamic: false }) => Some(number),
        _ => None,
    };
    Some(match (number(a)?, number(b)?) {
        (1, _) => Ok(b),
        (_, 1) => Ok(a),
        (left, right) if left == right => Ok(a),
        sizes => Err(sizes),
    })
}

fn broadcast_axis(r: &mut dyn Facts) -> Step {
    let (a, b, result) = (r.arg(0), r.arg(1), r.arg(2));
    if r.same(a, b) || (r.peek(a) == r.peek(b) && !r.peek(a).is_hole() && !r.is_dynamic(a)) {
        return r.unify(result, a);
    }
    match (r.peek_number(a), r.peek_number(b)) {
        (Some(1), Some(1)) if r.is_dynamic(a) => r.unify(result, a),
        (Some(1), _) => r.unify(result, b),
        (_, Some(1)) => r.unify(result, a),
        (Some(left_size), Some(right_size)) if left_size != right_size => {
            r.fail(Reason::Broadcast { left: a, right: b, left_size, right_size, axis: None })
        }
        (Some(number), Some(_)) => {
            let dynamic = r.is_dynamic(a) && r.is_dynamic(b);
            let dim = r.make(Term::Dim(Dim { extent: Extent::Number(number), dynamic }));
            r.unify(result, dim)
        }
        (Some(number), None) => axis_like(r, number, b, a, result),
        (None, Some(number)) => axis_like(r, number, a, b, result),
        (None, None) if r.is_dynamic(a) && r.is_dynamic(b) => {
            let any = r.make(Term::Dim(Dim::ANY));
            r.unify(result, any)
        }
        (None, None) if r.peek_number(result) == Some(1) => {
            r.unify(result, a)?;
            r.unify(result, b)
        }
        (None, None) => Err(Stop::wait(&[a, b, result])),
    }
}

/// One size is a number other than 1: so is the result, and the other size is 1 or that number.
fn axis_like(r: &mut dyn Facts, number: i64, unknown: TermId, known: TermId, result: TermId) -> Step {
    let dim = r.make(Term::Dim(Dim::number(number)));
    r.unify(result, dim)?;
    post_part(r, &BROADCASTS_TO, &[unknown, known]);
    Ok(())
}

fn broadcasts_to(r: &mut dyn Facts) -> Step {
    let (from, to) = (r.arg(0), r.arg(1));
    match (r.peek_number(from), r.peek_number(to)) {
        _ if r.same(from, to) => Ok(()),
        (Some(1), _) => Ok(()),
        (Some(left), Some(right)) if left == right => Ok(()),
        (Some(left_size), Some(right_size)) => {
            r.fail(Reason::Broadcast { left: from, right: to, left_size, right_size, axis: None })
        }
        (None, Some(1)) => r.unify(to, from),
        _ => Err(Stop::wait(&[from, to])),
    }
}

fn broadcast_to(r: &mut dyn Facts) -> Step {
    let Some(shape) = r.attrs().ints("shape") else { return super::attr_error(r, "shape", "a list of integers") };
    if let Some(size) = shape.iter().find(|&&size| size < 0) {
        return super::attr_error(r, "shape", format!("sizes of at least 0, found {size}"));
    }
    let (dims, dtype) = r.tensor(0)?;
    let want: Vec<TermId> = shape.iter().map(|&size| r.make(Term::Dim(Dim::number(size)))).list();
    reaches(r, &dims, &want)?;
    r.result(&want, dtype)?;
    for (&from, &to) in dims.iter().rev().zip(want.iter().rev()) {
        if r.peek_number(from).is_none() {
            post_part(r, &BROADCASTS_TO, &[from, to]);
        }
    }
    Ok(())
}
