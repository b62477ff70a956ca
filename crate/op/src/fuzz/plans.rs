//! Plans of every row on random operands: the results are those of the kernel's meaning, to the bit where nothing is
//! added up, and so are the faults.

use super::meaning::by_meaning;
use super::*;
use crate::engine::{Plan, Scratch, Source, elements_at, write_elements};
use crate::rule::index::places_of_slice;
use crate::run::Call;
use base::{Append, Join, ToList};
use ty::Scalar;

/// Calls of each row.
const N_CALLS: usize = 1000;

/// Rows whose plans must have been seen to give values.
const EXPECTED: &[&str] = &[
    "broadcast_to",
    "broadcast_to_like",
    "cast",
    "cast_like",
    "concatenate",
    "full",
    "full_like",
    "gather",
    "gather_nd",
    "layout_transform",
    "matrix_set_diag",
    "nn.adaptive_avg_pool2d",
    "nn.avg_pool1d",
    "nn.avg_pool2d",
    "nn.avg_pool3d",
    "nn.batch_norm",
    "nn.dropout",
    "nn.global_avg_pool2d",
    "nn.global_max_pool2d",
    "nn.group_norm",
    "nn.instance_norm",
    "nn.l2_normalize",
    "nn.max_pool1d",
    "nn.max_pool2d",
    "nn.max_pool3d",
    "nn.mirror_pad",
    "nn.pad",
    "nn.upsampling",
    "nn.upsampling3d",
    "argmax",
    "argmin",
    "one_hot",
    "ndarray_size",
    "ones",
    "ones_like",
    "repeat",
    "reverse",
    "sequence_mask",
    "shape_of",
    "slice_like",
    "sliding_window",
    "split",
    "stack",
    "strided_set",
    "strided_slice",
    "take",
    "tile",
    "transpose",
    "trilu",
    "where",
    "zeros",
    "zeros_like",
];

pub(super) fn type_of(value: &Value) -> Option<ResultType> {
    let x = as_tensor(value).ok()?;
    Some(ResultType { shape: x.shape().to_vec(), dtype: x.dtype() })
}

/// Elements in memory, where floats may be read as such.
fn words_of(value: &Value) -> Vec<u64> {
    let x = as_tensor(value).unwrap();
    let mut words = vec![0; (x.elements().len() * x.dtype().n_bytes()).div_ceil(8)];
    let n_bytes = x.elements().len() * x.dtype().n_bytes();
    write_elements(&x.elements(), x.dtype(), &mut bytemuck::cast_slice_mut(&mut words)[..n_bytes]);
    words
}

pub(super) fn run(plan: &Plan, operands: &[Value], result: &ResultType) -> Result<Elements, crate::Fault> {
    let words: Vec<Vec<u64>> = operands.iter().map(words_of).collect();
    let n_bytes = |value: &Value| as_tensor(value).map(|x| x.elements().len() * x.dtype().n_bytes()).unwrap();
    let sources: Vec<Source> =
        words.iter().zip(operands).map(|(words, of)| Some(&bytemuck::cast_slice(words)[..n_bytes(of)])).collect();
    let n = result.shape.iter().product::<usize>() * result.dtype.n_bytes();
    // What was there does not matter.
    let mut memory = vec![0x7777_7777_7777_7777_u64; n.div_ceil(8)];
    let to = &mut bytemuck::cast_slice_mut(&mut memory)[..n];
    plan.run(&sources, to, &mut Scratch::default())?;
    Ok(elements_at(result.dtype, to))
}

/// The same where the first operand is.
pub(super) fn run_in_place(plan: &Plan, operands: &[Value], result: &ResultType) -> Result<Elements, crate::Fault> {
    let mut words: Vec<Vec<u64>> = operands.iter().map(words_of).collect();
    let n_bytes = |of: &Value| as_tensor(of).map(|x| x.elements().len() * x.dtype().n_bytes()).unwrap();
    let (first, rest) = words.split_first_mut().unwrap();
    let others = rest.iter().zip(&operands[1..]).map(|(words, of)| Some(&bytemuck::cast_slice(words)[..n_bytes(of)]));
    let sources: Vec<Source> = std::iter::once(None).chain(others).collect();
    let to = &mut bytemuck::cast_slice_mut(first)[..n_bytes(&operands[0])];
    plan.run(&sources, to, &mut Scratch::default())?;
    Ok(elements_at(result.dtype, to))
}

/// Whether sums of these numbers in any order and width are about the same.
pub(super) fn is_tame(value: &Value) -> bool {
    as_tensor(value).is_ok_and(|x| x.floats().iter().all(|x| x.is_finite() && x.abs() < 1e3))
}

fn agree(a: &Elements, b: &Elements, is_exact: bool) -> bool {
    a.len() == b.len()
        && (0..a.len()).all(|at| match (a.get(at), b.get(at)) {
            (Scalar::Int(a), Scalar::Int(b)) => a == b,
            (Scalar::Float(a), Scalar::Float(b)) if is_exact => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            (Scalar::Float(a), Scalar::Float(b)) => {
                a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-4 * a.abs().max(b.abs()).max(1.0)
            }
            (Scalar::Int(_), Scalar::Float(_)) | (Scalar::Float(_), Scalar::Int(_)) => false,
        })
}

/// Operands of a norm of channels whose sizes agree: random ones hardly ever do.
fn operands_of_norm(random: &mut Random, row: &Op, attrs: &mut Attrs) -> Vec<Value> {
    let n_channels = random.pick(&[1, 2, 4, 6]);
    let mut shape = vec![1 + random.below(3), n_channels];
    shape.append_all((0..random.below(3)).map(|_| random.pick(&[1, 2, 5, 19])));
    for (name, value) in &mut attrs.entries {
        *value = match *name {
            "axis" => AttrValue::Int(random.below(shape.len()) as i64),
            "num_groups" => AttrValue::Int(random.pick(&[1, 2, n_channels as i64])),
            "epsilon" => AttrValue::Float(0.01),
            _ => value.clone(),
        };
    }
    let axis = attrs.int("axis").unwrap_or(1) as usize;
    let vector = vec![shape[axis]];
    let shapes = std::iter::once(shape).chain(std::iter::repeat(vector)).take(row.args.len());
    let dtype =
        random.pick(&[Dtype::Float32, Dtype::Float32, Dtype::Float16, Dtype::Float64, Dtype::Int32, Dtype::UInt8]);
    shapes.map(|shape| random.tensor(shape, dtype)).collect()
}

/// Data, values, and the bounds of a slice that mostly has their shape.
fn operands_of_slice(random: &mut Random) -> Vec<Value> {
    let shape: Vec<usize> = (0..1 + random.below(3)).map(|_| 1 + random.below(5)).collect();
    let mut bound = |of: &[i64]| -> Vec<i64> { (0..random.below(shape.len() + 1)).map(|_| random.pick(of)).collect() };
    let ends = [-6, -3, -1, 0, 1, 2, 3, 4, 9];
    let bounds = [bound(&ends), bound(&ends), bound(&[-2, -1, 1, 1, 1, 2, 2, 0])];
    let at = |bound: usize, axis: usize| bounds[bound].get(axis).copied();
    let length = |axis: usize| {
        let places = places_of_slice(shape[axis] as i64, [0, 1, 2].map(|bound| at(bound, axis)));
        places.map_or(1, |[.., n]| n as usize)
    };
    let of = (0..shape.len()).map(length).collect();
    let dtype = random.pick(&[Dtype::Float32, Dtype::Int8, Dtype::Int64]);
    let vector = |numbers: Vec<i64>| {
        let (shape, elements) = (vec![numbers.len()], Elements::Int(numbers));
        Value::tensor(ty::Tensor { dtype: Dtype::Int32, shape, elements })
    };
    let tensors = [random.tensor(shape.clone(), dtype), random.tensor(of, dtype)];
    tensors.into_iter().chain(bounds.map(vector)).collect()
}

#[test]
fn plans_mean_what_kernels_mean() {
    let (mut complaints, mut planned, mut n_faults) = (Vec::new(), Vec::new(), 0);
    for (at, row) in all().iter().enumerate().filter(|(_, row)| row.runs()) {
        let (op, mut n_values) = (OpId::numbered(at as u32), 0);
        // What is tried of a row does not depend on the others.
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(2 * at as u64 + 1));
        for i in 0..N_CALLS {
            let mut attrs = attrs_of(&mut random, row, i % 3 > 0);
            let args = match row.name {
                "nn.batch_norm" | "nn.group_norm" | "nn.instance_norm" | "nn.layer_norm" => {
                    operands_of_norm(&mut random, row, &mut attrs)
                }
                "strided_set" if i % 3 > 0 => operands_of_slice(&mut random),
                _ => operands(&mut random, row, i % 3 > 0),
            };
            let attrs = Arc::new(attrs);
            let mut operators = Operators::new(MEMORY);
            let flat: Vec<Value> = match &args[..] {
                [Value::Tuple(fields)] => fields.iter().cloned().collect(),
                _ => args.clone(),
            };
            let Some(types) = flat.iter().map(type_of).some_list() else { continue };
            let found = match op.has_tuples() {
                true => operators.plan_all(op, &attrs, &types).ok().flatten(),
                false if matches!(&args[..], [Value::Tuple(_)]) => continue,
                false => match operators.plan(op, &attrs, &types) {
                    Ok(Some((results, Some(plan)))) => Some((results, vec![plan])),
                    _ => None,
                },
            };
            let fits = |results: &[ResultType]| {
                results.iter().all(|of| crate::run::n_that_fit(of.shape.iter().copied(), MEMORY).is_some())
            };
            let Some((results, plans)) = found else {
                let results = operators.result_types(op, &args, &attrs);
                if matches!(row.kernel, Kernel::Planned(_)) && results.is_ok_and(|results| fits(&results)) {
                    complaints.push(format!("{} has no plan for {:?}\n{args:?}", row.name, attrs.entries));
                }
                continue;
            };
            if !fits(&results) {
                continue;
            }
            let call = Call { args: &args, attrs: &attrs, results: &results, memory: MEMORY };
            let expected = by_meaning(&row.kernel, &call);
            let is_exact = plans.iter().all(Plan::is_exact);
            let is_wild =
                |(_, value): &(&str, AttrValue)| matches!(value, AttrValue::Float(x) if x.is_nan() || x.abs() >= 1e3);
            if !is_exact && (!flat.iter().all(is_tame) || attrs.entries.iter().any(is_wild)) {
                continue;
            }
            let found: Result<Vec<Elements>, _> =
                plans.iter().zip(&results).map(|(plan, result)| run(plan, &flat, result)).collect();
            if let ([plan], [result]) = (&plans[..], &results[..])
                && plan.takes(0)
                && types[0] == *result
            {
                let here = run_in_place(plan, &flat, result).map(|elements| vec![elements]);
                if format!("{here:?}") != format!("{found:?}") {
                    complaints
                        .push(format!("{} in place {:?}\n{args:?}\n{here:?}\n{found:?}", row.name, attrs.entries));
                }
            }
            let is_same = match (&expected, &found) {
                (Err(expected), Err(found)) => {
                    n_faults += 1;
                    expected == found
                }
                (Ok(value), Ok(found)) => {
                    n_values += 1;
                    let values = match value {
                        Value::Tuple(fields) => fields.iter().collect(),
                        one => vec![one],
                    };
                    let of = |value: &Value| as_tensor(value).unwrap().elements().into_owned();
                    values.len() == found.len()
                        && values.iter().zip(found).all(|(value, found)| agree(&of(value), found, is_exact))
                }
                (Err(_), Ok(_)) | (Ok(_), Err(_)) => false,
            };
            if !is_same && complaints.len() < 20 {
                complaints.push(format!("{} {:?}\n{args:?}\n{expected:?}\n{found:?}", row.name, attrs.entries));
            }
        }
        if n_values > 0 {
            planned.push(row.name);
        }
    }
    println!("{} rows with plans, {n_faults} faults: {}", planned.len(), planned.joined(" "));
    assert!(complaints.is_empty(), "{}", complaints.joined("\n\n"));
    let never: Vec<&&str> = EXPECTED.iter().filter(|name| !planned.contains(name)).collect();
    assert!(never.is_empty() && n_faults > 20, "never: {never:?}; {n_faults} faults");
}
