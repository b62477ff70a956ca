//! Values as JSON and JSON as values.

use base::{Append, Join, ToList};
use hir::Module;
use serde_json::value::RawValue;
use serde_json::{Number, Value as Json};
use ty::{Dtype, Elements, Scalar, Tensor, Value};

/// `data` is absent past this depth.
const MAX_DEPTH: usize = 500;
/// And past this many numbers and fields.
const MAX_NODES: usize = 1_000_000;

/// A value as JSON: a tensor as nested lists (a scalar bare), a tuple as `{"tuple":[…]}`, an instance as
/// `{"ctor","args"}`. Written with a stack of its own, since values nest without bound.
pub fn to_json(module: &Module, value: &Value) -> Option<Box<RawValue>> {
    enum Piece {
        Text(&'static str),
        Value(Value, usize),
    }
    let mut out = String::new();
    let mut n_nodes = 0;
    let mut stack = vec![Piece::Value(value.clone(), 0)];
    while let Some(piece) = stack.pop() {
        let (value, depth) = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Value(value, depth) => (value, depth),
        };
        n_nodes += 1;
        if depth > MAX_DEPTH || n_nodes > MAX_NODES {
            return None;
        }
        let fields = match &value {
            Value::Scalar(dtype, scalar) => {
                out.push_str(&number(*dtype, *scalar).to_string());
                continue;
            }
            Value::Tensor(tensor) => {
                n_nodes += tensor.elements.len();
                if n_nodes > MAX_NODES {
                    return None;
                }
                nested(tensor, &mut out);
                continue;
            }
            Value::Func(..) => {
                out.push_str("{\"fn\":true}");
                continue;
            }
            Value::Ref(cell) => {
                out.push_str("{\"ref\":");
                stack.append_all([Piece::Text("}"), Piece::Value(cell.borrow().clone(), depth + 1)]);
                continue;
            }
            Value::Tuple(fields) => {
                out.push_str("{\"tuple\":[");
                fields
            }
            Value::Variant(variant, fields) => {
                let name = Json::from(module.variants[*variant].as_str());
                out.push_str(&format!("{{\"ctor\":{name},\"args\":["));
                fields
            }
            Value::Data(ctor, fields) => {
                let name = Json::from(module.ctors[hir::CtorId::numbered(*ctor)].name.as_str());
                out.push_str(&format!("{{\"ctor\":{name},\"args\":["));
                fields
            }
        };
        stack.push(Piece::Text("]}"));
        for (i, field) in fields.iter().enumerate().rev() {
            stack.push(Piece::Value(field.clone(), depth + 1));
            if i > 0 {
                stack.push(Piece::Text(","));
            }
        }
    }
    RawValue::from_string(out).ok()
}

fn number(dtype: Dtype, scalar: Scalar) -> Json {
    match scalar {
        Scalar::Int(value) if dtype == Dtype::Bool => Json::from(value != 0),
        Scalar::Int(value) if dtype == Dtype::UInt64 => Json::from(value as u64),
        Scalar::Int(value) => Json::from(value),
        Scalar::Float(value) if value.is_nan() => Json::from("nan"),
        Scalar::Float(value) if value.is_infinite() => Json::from(if value > 0.0 { "inf" } else { "-inf" }),
        Scalar::Float(value) => {
            // Narrow floats are given by their shortest decimal, as they print.
            let shortest =
                if dtype == Dtype::Float64 { value } else { (value as f32).to_string().parse().unwrap_or(value) };
            Number::from_f64(shortest).map_or(Json::Null, Json::from)
        }
    }
}

/// A tensor without elements that would be more lists than this is `null`.
const MAX_EMPTY_LISTS: usize = 1 << 20;

/// The elements in brackets, a pair for each axis.
fn nested(tensor: &Tensor, out: &mut String) {
    if tensor.elements.is_empty() {
        // A list for each place before the first axis of size 0.
        let n_outer = tensor.shape.iter().take_while(|&&size| size > 0).count();
        let n_lists = tensor.shape[..n_outer].iter().fold(1_usize, |n, &size| n.saturating_mul(size));
        if n_lists > MAX_EMPTY_LISTS {
            out.push_str("null");
            return;
        }
        let empty = tensor.shape[..n_outer]
            .iter()
            .rev()
            .fold("[]".to_owned(), |inner, &size| format!("[{}]", base::filled(inner, size).joined(",")));
        out.push_str(&empty);
        return;
    }
    let mut sizes = tensor.shape.clone();
    for axis in (0..sizes.len().saturating_sub(1)).rev() {
        sizes[axis] *= sizes[axis + 1];
    }
    for index in 0..tensor.elements.len() {
        if index > 0 {
            out.push(',');
        }
        sizes.iter().filter(|&&size| index % size == 0).for_each(|_| out.push('['));
        out.push_str(&number(tensor.dtype, tensor.elements.get(index)).to_string());
        sizes.iter().filter(|&&size| (index + 1) % size == 0).for_each(|_| out.push(']'));
    }
}

pub(crate) fn from_json(json: &Json, dtype: Dtype, want: &[Option<usize>]) -> Result<Value, String> {
    if !want.is_empty() && !matches!(json, Json::Array(_) | Json::Number(_)) {
        return Err(format!("{} is no tensor", written(json)));
    }
    let mut shape: Vec<usize> = Vec::new();
    let mut level = json;
    while let Json::Array(items) = level {
        shape.push(items.len());
        match items.first() {
            Some(first) => level = first,
            None => break,
        }
    }
    // Inside of nothing no list says how long those in it would be.
    if shape.last() == Some(&0) {
        shape.append_all(want.iter().skip(shape.len()).map(|want| want.unwrap_or(0)));
    }
    let fits =
        shape.len() == want.len() && shape.iter().zip(want).all(|(&size, want)| want.is_none_or(|want| want == size));
    if !fits {
        let want: Vec<String> = want.iter().map(|size| size.map_or("?".to_owned(), |size| size.to_string())).list();
        return Err(format!("expected the shape ({}), found {}", want.joined(", "), base::bracketed(&shape)));
    }
    let mut scalars = Vec::new();
    let mut pending = vec![(json, 0)];
    while let Some((json, axis)) = pending.pop() {
        match json {
            Json::Array(items) if axis < shape.len() && items.len() == shape[axis] => {
                pending.append_all(items.iter().rev().map(|item| (item, axis + 1)));
            }
            Json::Array(_) => return Err("its rows have different lengths".to_owned()),
            leaf if axis == shape.len() => scalars.push(scalar(leaf, dtype)?),
            _ => return Err("its rows have different lengths".to_owned()),
        }
    }
    let elements = match dtype.is_float() {
        true => {
            Elements::Float(scalars.into_iter().map(|s| if let Scalar::Float(value) = s { value } else { 0.0 }).list())
        }
        false => Elements::Int(scalars.into_iter().map(|s| if let Scalar::Int(value) = s { value } else { 0 }).list()),
    };
    Ok(Value::tensor(Tensor { dtype, shape, elements }))
}

fn scalar(json: &Json, dtype: Dtype) -> Result<Scalar, String> {
    let bad = || format!("{} is no {dtype}", written(json));
    if dtype.is_float() {
        let value = match json.as_str() {
            Some("nan") => f64::NAN,
            Some("inf") => f64::INFINITY,
            Some("-inf") => f64::NEG_INFINITY,
            Some(_) => return Err(bad()),
            None => json.as_f64().ok_or_else(bad)?,
        };
        let rounded = op::round_to(dtype, value);
        return if rounded.is_infinite() && value.is_finite() { Err(bad()) } else { Ok(Scalar::Float(rounded)) };
    }
    let value = match json {
        Json::Bool(value) if dtype == Dtype::Bool => i128::from(*value),
        Json::Number(value) => value.as_i64().map(i128::from).or(value.as_u64().map(i128::from)).ok_or_else(bad)?,
        Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => return Err(bad()),
    };
    let (low, high) = dtype.int_range().ok_or_else(bad)?;
    if (low..=high).contains(&value) { Ok(Scalar::Int(value as i64)) } else { Err(bad()) }
}

/// A part of an input in words, without `serde_json`'s own writer and the standard library's quoting, whose tables
/// would be in the page for this.
fn written(json: &Json) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => number.to_string(),
            (_, Some(number), _) => number.to_string(),
            (.., number) => format!("{:?}", number.unwrap_or(f64::NAN)),
        },
        Json::String(text) => format!("\"{text}\""),
        Json::Array(_) => "a list".to_owned(),
        Json::Object(_) => "an object".to_owned(),
    }
}
