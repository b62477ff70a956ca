//! Values as JSON and JSON as values.

use crate::run::Options;
use crate::Analysis;
use base::Span;
use hir::{FnId, Module};
use serde_json::{Map, Number, Value as Json, json};
use ty::{Dim, Dtype, Elements, Extent, Scalar, Tensor, Term, Terms, Value};

/// `data` is absent past this depth.
const MAX_DEPTH: usize = 500;
/// And past this many numbers and fields.
const MAX_NODES: usize = 1_000_000;

/// A value as JSON: a tensor as nested lists (a scalar bare), a tuple as `{"tuple":[…]}`, an instance as
/// `{"ctor","args"}`.
pub fn to_json(module: &Module, value: &Value) -> Option<Json> {
    node(module, value, 0, &mut 0)
}

fn node(module: &Module, value: &Value, depth: usize, n_nodes: &mut usize) -> Option<Json> {
    *n_nodes += 1;
    if depth > MAX_DEPTH || *n_nodes > MAX_NODES {
        return None;
    }
    let mut all = |fields: &[Value]| -> Option<Vec<Json>> {
        fields.iter().map(|field| node(module, field, depth + 1, n_nodes)).collect()
    };
    Some(match value {
        Value::Scalar(dtype, scalar) => number(*dtype, *scalar),
        Value::Tensor(tensor) => {
            *n_nodes += tensor.elements.len();
            nested(tensor, 0, &mut 0)
        }
        Value::Tuple(fields) => json!({ "tuple": all(fields)? }),
        Value::Data(ctor, fields) => {
            let mut object = Map::new();
            object.insert("ctor".to_owned(), Json::from(module.ctors[hir::CtorId(*ctor)].name.as_str()));
            object.insert("args".to_owned(), Json::from(all(fields)?));
            Json::from(object)
        }
        Value::Func(..) => json!({ "fn": true }),
        Value::Ref(cell) => json!({ "ref": node(module, &cell.borrow(), depth + 1, n_nodes)? }),
    })
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
            let shortest = if dtype == Dtype::Float64 { value } else { (value as f32).to_string().parse().unwrap_or(value) };
            Number::from_f64(shortest).map_or(Json::Null, Json::from)
        }
    }
}

fn nested(tensor: &Tensor, axis: usize, at: &mut usize) -> Json {
    if axis == tensor.shape.len() {
        *at += 1;
        return number(tensor.dtype, tensor.elements.get(*at - 1));
    }
    Json::from((0..tensor.shape[axis]).map(|_| nested(tensor, axis + 1, at)).collect::<Vec<_>>())
}

/// An argument of `@main` that cannot be made.
pub struct InputError {
    pub span: Span,
    pub message: String,
}

/// Arguments for `@main`: from the inputs by name, otherwise random from the seed.
pub fn main_arguments(analysis: &Analysis, function: FnId, options: &Options) -> Result<Vec<Value>, InputError> {
    let mut random = SplitMix(options.seed);
    let module = &analysis.module;
    let params = &module.functions[function].params;
    let names: Vec<&str> = params.iter().map(|&param| module.locals[param].name.as_str()).collect();
    if let Some(unknown) = options.inputs.keys().find(|key| !names.iter().any(|name| same_name(name, key))) {
        let message = format!("`@main` has no parameter `{unknown}`");
        return Err(InputError { span: module.functions[function].span, message });
    }
    params
        .iter()
        .map(|&param| {
            let local = &module.locals[param];
            let given = options.inputs.iter().find(|(key, _)| same_name(&local.name, key)).map(|(_, json)| json);
            let error = |message: String| InputError { span: local.span, message };
            let term = analysis.inferred.locals[param].ok_or_else(|| error("this has no type".to_owned()))?;
            argument(analysis, term, given, &mut random)
                .map_err(|message| error(format!("the input `{}`: {message}", local.name)))
        })
        .collect()
}

fn same_name(param: &str, key: &str) -> bool {
    param.trim_start_matches('%') == key.trim_start_matches('%')
}

/// A value of a type that is a tensor or a tuple of such.
fn argument(
    analysis: &Analysis,
    term: ty::TermId,
    given: Option<&Json>,
    random: &mut SplitMix,
) -> Result<Value, String> {
    let solver = &analysis.inferred.solver;
    match solver.head(term) {
        Term::Tuple(fields) => {
            let fields = solver.items(fields).to_vec();
            let given = given.map(|json| json.get("tuple").and_then(Json::as_array).ok_or("expected {\"tuple\":[…]}"));
            let given = given.transpose()?;
            if given.is_some_and(|given| given.len() != fields.len()) {
                return Err(format!("expected a tuple of {}", fields.len()));
            }
            let values = fields.iter().enumerate().map(|(i, &field)| {
                argument(analysis, field, given.and_then(|given| given.get(i)), random)
            });
            Ok(Value::Tuple(ty::Fields::new(values.collect::<Result<_, _>>()?)))
        }
        Term::Tensor { shape, dtype } => {
            let Term::Dtype(dtype) = solver.head(dtype) else { return Err("its dtype is not known".to_owned()) };
            let Term::Shape(dims) = solver.head(shape) else { return Err("its rank is not known".to_owned()) };
            let want: Vec<Option<usize>> = solver
                .items(dims)
                .iter()
                .map(|&dim| match solver.head(dim) {
                    Term::Dim(Dim { extent: Extent::Number(number), .. }) => usize::try_from(number).ok(),
                    _ => None,
                })
                .collect();
            match given {
                Some(json) => from_json(json, dtype, &want),
                None => {
                    // A dim that is `?` is filled with 2.
                    let shape: Vec<usize> = want.into_iter().map(|size| size.unwrap_or(2)).collect();
                    random_tensor(shape, dtype, random)
                }
            }
        }
        _ => Err("only tensors and tuples of them can be given".to_owned()),
    }
}

fn random_tensor(shape: Vec<usize>, dtype: Dtype, random: &mut SplitMix) -> Result<Value, String> {
    let n = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size)).filter(|&n| n <= 1 << 26);
    let n = n.ok_or("it is too large to be made up")?;
    let elements = match dtype {
        _ if dtype.is_float() => Elements::Float(
            // Uniform in -1..1, from the upper 24 bits.
            (0..n).map(|_| op::round_to(dtype, (random.next() >> 40) as f64 / f64::from(1 << 23) - 1.0)).collect(),
        ),
        Dtype::Bool => Elements::Int((0..n).map(|_| (random.next() >> 63) as i64).collect()),
        _ => Elements::Int((0..n).map(|_| (random.next() >> 40) as i64 % 10).collect()),
    };
    Ok(Value::tensor(Tensor { dtype, shape, elements }))
}

fn from_json(json: &Json, dtype: Dtype, want: &[Option<usize>]) -> Result<Value, String> {
    let mut shape: Vec<usize> = Vec::new();
    let mut level = json;
    while let Json::Array(items) = level {
        shape.push(items.len());
        match items.first() {
            Some(first) => level = first,
            None => break,
        }
    }
    let fits = shape.len() == want.len() && shape.iter().zip(want).all(|(&size, want)| want.is_none_or(|want| want == size));
    if !fits {
        let want: Vec<String> = want.iter().map(|size| size.map_or("?".to_owned(), |size| size.to_string())).collect();
        return Err(format!("expected the shape ({}), found {shape:?}", want.join(", ")));
    }
    let mut scalars = Vec::new();
    let mut pending = vec![(json, 0)];
    while let Some((json, axis)) = pending.pop() {
        match json {
            Json::Array(items) if axis < shape.len() && items.len() == shape[axis] => {
                pending.extend(items.iter().rev().map(|item| (item, axis + 1)));
            }
            Json::Array(_) => return Err("its rows have different lengths".to_owned()),
            leaf if axis == shape.len() => scalars.push(scalar(leaf, dtype)?),
            _ => return Err("its rows have different lengths".to_owned()),
        }
    }
    let elements = match dtype.is_float() {
        true => Elements::Float(scalars.into_iter().map(|s| if let Scalar::Float(value) = s { value } else { 0.0 }).collect()),
        false => Elements::Int(scalars.into_iter().map(|s| if let Scalar::Int(value) = s { value } else { 0 }).collect()),
    };
    Ok(Value::tensor(Tensor { dtype, shape, elements }))
}

fn scalar(json: &Json, dtype: Dtype) -> Result<Scalar, String> {
    let bad = || format!("{json} is no {dtype}");
    if dtype.is_float() {
        let value = match json.as_str() {
            Some("nan") => f64::NAN,
            Some("inf") => f64::INFINITY,
            Some("-inf") => f64::NEG_INFINITY,
            Some(_) => return Err(bad()),
            None => json.as_f64().ok_or_else(bad)?,
        };
        return Ok(Scalar::Float(op::round_to(dtype, value)));
    }
    let value = match json {
        Json::Bool(value) => i128::from(*value),
        Json::Number(value) => value.as_i64().map(i128::from).or(value.as_u64().map(i128::from)).ok_or_else(bad)?,
        Json::Null | Json::String(_) | Json::Array(_) | Json::Object(_) => return Err(bad()),
    };
    let (low, high) = dtype.int_range().ok_or_else(bad)?;
    if (low..=high).contains(&value) { Ok(Scalar::Int(value as i64)) } else { Err(bad()) }
}

/// Steele, Lea and Flood's SplitMix64: a seed of any value gives a good sequence.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
