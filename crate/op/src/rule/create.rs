//! Tensors from attributes, and changes of dtype.

use super::{attr_error, rank_error};
use base::{MapArray, ToList};
use ty::{AttrValue, Attrs, Facts, Relation, Scalar, Size, Step, Stop};

/// `Tensor[shape, dtype]`.
pub static INIT_OP: Relation = Relation { name: "InitOp", n_outputs: 1, rule: init_op };
/// As [`INIT_OP`], filled with a scalar, whose dtype is the default.
pub static FULL: Relation = Relation { name: "Full", n_outputs: 1, rule: full };
/// The data's shape with another dtype.
pub static CAST: Relation = Relation { name: "Cast", n_outputs: 1, rule: cast };
/// A vector of ⌈(stop − start) / step⌉ elements, `?` of them when the bounds are not literals.
pub static ARANGE: Relation = Relation { name: "Arange", n_outputs: 1, rule: arange };

fn shape_attr(r: &dyn Facts) -> Result<Vec<Size>, Stop> {
    let shape = r.attrs().ints("shape").unwrap_or_default();
    match shape.iter().find(|&&size| size < 0) {
        Some(size) => attr_error(r, "shape", format!("sizes of at least 0, found {size}")),
        None => Ok(shape.into_iter().map(Size::known).list()),
    }
}

fn init_op(r: &mut dyn Facts) -> Step {
    let sizes = shape_attr(r)?;
    let dtype = r.attrs().dtype("dtype").unwrap_or(ty::Dtype::Float32);
    let dtype = r.make_dtype(dtype);
    r.result_sizes(&sizes, dtype)
}

fn full(r: &mut dyn Facts) -> Step {
    let sizes = shape_attr(r)?;
    let (dims, value_dtype) = r.tensor(0)?;
    if !dims.is_empty() {
        return rank_error(r, 0, "0", dims.len());
    }
    let dtype = match r.attrs().dtype("dtype") {
        Some(dtype) => r.make_dtype(dtype),
        None => value_dtype,
    };
    r.result_sizes(&sizes, dtype)
}

fn cast(r: &mut dyn Facts) -> Step {
    let Some(dtype) = r.attrs().dtype("dtype") else { return attr_error(r, "dtype", "the name of a dtype") };
    super::can_be_tensor(r, 0)?;
    let data = r.arg(0);
    let (shape, _) = super::expect_tensor(r, data)?;
    let dtype = r.make_dtype(dtype);
    let tensor = r.make(ty::Term::Tensor { shape, dtype });
    r.result_is(tensor)
}

/// How many integers there are from `start` to before `stop`, `step` apart. `step` is not 0.
pub fn n_between([start, stop, step]: [i128; 3]) -> i128 {
    let way = stop - start;
    let is_begun = way % step != 0 && (way < 0) == (step < 0);
    (way / step + i128::from(is_begun)).max(0)
}

/// A number that `arange` counts by, where it is a literal.
pub fn bound(attrs: &Attrs, name: &str) -> Option<Scalar> {
    match attrs.get(name) {
        AttrValue::Int(value) => Some(Scalar::Int(*value)),
        AttrValue::Float(value) => Some(Scalar::Float(*value)),
        AttrValue::None | AttrValue::Bool(_) | AttrValue::Str(_) | AttrValue::List(_) | AttrValue::Function(_) => None,
    }
}

fn arange(r: &mut dyn Facts) -> Step {
    let bound = |name| bound(r.attrs(), name);
    let is_endless = |name: &&str| matches!(r.attrs().get(name), AttrValue::Float(bound) if !bound.is_finite());
    if let Some(name) = ["start", "stop", "step"].into_iter().find(is_endless) {
        return attr_error(r, name, "a finite number");
    }
    let size = match (bound("start"), bound("stop"), bound("step")) {
        (_, _, Some(Scalar::Int(0) | Scalar::Float(0.0))) => return attr_error(r, "step", "a number other than 0"),
        (Some(Scalar::Int(start)), Some(Scalar::Int(stop)), Some(Scalar::Int(step))) => {
            match i64::try_from(n_between([start, stop, step].each(i128::from))) {
                Ok(n) => Size::known(n),
                Err(_) => return r.fail(ty::too_large()),
            }
        }
        (Some(start), Some(stop), Some(step)) => {
            let [start, stop, step] = [start, stop, step].each(Scalar::as_float);
            let n = ((stop - start) / step).ceil().max(0.0);
            if n >= i64::MAX as f64 {
                return r.fail(ty::too_large());
            }
            Size::known(n as i64)
        }
        _ => Size::ANY,
    };
    let mut dtypes = Vec::with_capacity(3);
    for operand in 0..r.n_inputs() {
        let (dims, dtype) = r.tensor(operand)?;
        if !dims.is_empty() {
            return rank_error(r, operand, "0", dims.len());
        }
        dtypes.push(dtype);
    }
    let dtype = match r.attrs().dtype("dtype") {
        Some(dtype) => r.make_dtype(dtype),
        None => dtypes[0],
    };
    dtypes.iter().try_for_each(|&found| r.unify(dtype, found))?;
    r.result_sizes(&[size], dtype)
}
