//! Operators on float16 and bfloat16, some of them computed in float32, against their meaning, which is computed in
//! float64.

use super::meaning::by_meaning;
use super::plans::{is_tame, run, type_of};
use super::*;
use crate::on_scalars;
use crate::run::Call;
use base::Join;
use ty::{Scalar, scalar_bits, scalar_of};

/// Rows that must have been seen to give values, and are called more often.
const EXPECTED: &[&str] =
    &["nn.avg_pool2d", "nn.batch_matmul", "nn.conv1d", "nn.dense", "nn.max_pool2d", "nn.softmax", "add", "exp", "sum"];

const HALVES: [(Dtype, f64); 2] = [(Dtype::Float16, 1.0 / 1024.0), (Dtype::BFloat16, 1.0 / 128.0)];

/// The same value with elements of half the width where they were float32.
fn half(value: &Value, dtype: Dtype) -> Value {
    match value {
        Value::Tensor(tensor) if tensor.dtype == Dtype::Float32 => {
            let Elements::Float(elements) = &tensor.elements else { return value.clone() };
            let elements = Elements::Float(elements.iter().map(|&x| round_to(dtype, x)).collect());
            Value::tensor(Tensor { dtype, shape: tensor.shape.clone(), elements })
        }
        _ => value.clone(),
    }
}

#[test]
fn halves_are_their_meaning_within_a_unit() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut complaints, mut seen) = (Vec::new(), Vec::new());
    for (at, row) in all().iter().enumerate().filter(|(_, row)| row.runs()) {
        for i in 0..if EXPECTED.contains(&row.name) { 3000 } else { 200 } {
            let (dtype, unit) = HALVES[i % 2];
            let attrs = Arc::new(if i % 4 < 2 { row.default_attrs() } else { attrs_of(&mut random, row, true) });
            let args: Vec<Value> = operands(&mut random, row, true).iter().map(|value| half(value, dtype)).collect();
            let Some(types) = args.iter().map(type_of).some_list() else { continue };
            if types.iter().any(|of| of.dtype != dtype) || !args.iter().all(is_tame) {
                continue;
            }
            let Ok(Some((results, Some(plan)))) =
                Operators::new(MEMORY).plan(OpId::numbered(at as u32), &attrs, &types)
            else {
                continue;
            };
            let call = Call { args: &args, attrs: &attrs, results: &results, memory: MEMORY };
            let (Ok(expected), Ok(found)) = (by_meaning(&row.kernel, &call), run(&plan, &args, &results[0])) else {
                continue;
            };
            let expected = as_tensor(&expected).unwrap().elements().into_owned();
            let is_near = |a: f64, b: f64| {
                a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= unit * a.abs().max(b.abs()).max(0.01)
            };
            let is_same = expected.len() == found.len()
                && (0..found.len()).all(|at| match (expected.get(at), found.get(at)) {
                    (Scalar::Float(a), Scalar::Float(b)) => is_near(a, b),
                    (a, b) => a == b,
                });
            if !is_same && complaints.len() < 5 {
                complaints.push(format!("{} {:?}\n{args:?}\n{expected:?}\n{found:?}", row.name, attrs.entries));
            }
            seen.push(row.name);
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.joined("\n\n"));
    let never: Vec<&&str> = EXPECTED.iter().filter(|name| !seen.contains(name)).collect();
    assert!(never.is_empty(), "never: {never:?}");
}

#[test]
fn scalars_of_half_the_width_are_what_tensors_of_one_element_are() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut n_rows = 0;
    for (at, row) in all().iter().enumerate() {
        let op = OpId::numbered(at as u32);
        let Some((_, n_operands)) = crate::elementwise(&row.kernel, Dtype::Float16) else { continue };
        for i in 0..400 {
            let (dtype, _) = HALVES[i % 2];
            let args: Vec<Value> = (0..n_operands).map(|_| random.tensor(vec![1], dtype)).collect();
            let types: Vec<ResultType> = args.iter().filter_map(type_of).collect();
            let plan = Operators::new(MEMORY).plan(op, &Arc::new(Attrs::default()), &types);
            let Ok(Some((results, Some(plan)))) = plan else { continue };
            let bits = |value: &Value| scalar_bits(dtype, as_tensor(value).unwrap().elements().get(0));
            let dtypes = [dtype, results[0].dtype];
            let scalar = on_scalars(op, dtypes, bits(&args[0]), bits(args.last().unwrap()));
            let tensor = run(&plan, &args, &results[0]).map(|elements| elements.get(0));
            let of = |bits: u64| scalar_of(dtypes[1], bits);
            let is_same = match (&scalar, &tensor) {
                (Ok(a), Ok(b)) => scalar_bits(dtypes[1], of(*a)) == scalar_bits(dtypes[1], *b),
                (a, b) => a.is_err() && b.is_err(),
            };
            assert!(is_same, "{} {args:?}: {:?} and {tensor:?}", row.name, scalar.map(of));
            n_rows += usize::from(i == 0);
        }
    }
    assert!(n_rows > 40, "{n_rows} rows");
}

/// All numbers of 16 bits, beginning elsewhere and in steps of an odd number.
fn all_halves(dtype: Dtype, start: u64, step: u64) -> Value {
    let bits = |at: u64| (start + at * step) & 0xffff;
    let number = |at| match scalar_of(dtype, bits(at)) {
        Scalar::Float(x) => x,
        Scalar::Int(x) => x as f64,
    };
    Value::tensor(Tensor { dtype, shape: vec![1 << 16], elements: Elements::Float((0..1 << 16).map(number).collect()) })
}

#[test]
fn what_is_computed_in_float32_is_as_if_it_were_rounded_once() {
    const ROWS: [&str; 15] = [
        "add", "subtract", "multiply", "divide", "maximum", "minimum", "abs", "ceil", "floor", "negative", "nn.relu",
        "round", "sign", "sqrt", "trunc",
    ];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let attrs = Arc::new(Attrs::default());
    for (at, row) in all().iter().enumerate().filter(|(_, row)| ROWS.contains(&row.name)) {
        for i in 0..if crate::elementwise(&row.kernel, Dtype::Float16).unwrap().1 == 2 { 24 } else { 2 } {
            let (dtype, _) = HALVES[i % 2];
            let second = all_halves(dtype, random.next() & 0xffff, random.next() & 0xffff | 1);
            let mut args = vec![all_halves(dtype, 0, 1), second];
            args.truncate(crate::elementwise(&row.kernel, dtype).unwrap().1.into());
            let types: Vec<ResultType> = args.iter().filter_map(type_of).collect();
            let (results, plan) =
                Operators::new(MEMORY).plan(OpId::numbered(at as u32), &attrs, &types).unwrap().unwrap();
            let call = Call { args: &args, attrs: &attrs, results: &results, memory: MEMORY };
            let expected = as_tensor(&by_meaning(&row.kernel, &call).unwrap()).unwrap().elements().into_owned();
            let found = run(&plan.unwrap(), &args, &results[0]).unwrap();
            for at in 0..found.len() {
                let bits = |elements: &Elements| scalar_bits(dtype, elements.get(at));
                let operands = args.iter().map(|arg| as_tensor(arg).unwrap().elements().get(at)).collect::<Vec<_>>();
                assert_eq!(bits(&found), bits(&expected), "{} {operands:?}", row.name);
            }
        }
    }
}
