//! Products and convolutions of integers, which may be computed in float32, against the same numbers in float64; bodies of
//! every dtype against their meaning.

use super::*;
use crate::run::{Call, run};

const NAMES: &[&str] = &[
    "nn.dense",
    "nn.matmul",
    "nn.batch_matmul",
    "nn.conv1d",
    "nn.conv2d",
    "nn.conv3d",
    "nn.conv1d_transpose",
    "nn.conv2d_transpose",
    "nn.conv3d_transpose",
];

/// Shapes of two operands, and attributes, that mostly fit each other.
fn call_of(random: &mut Random, row: &Op) -> ([Vec<usize>; 2], Attrs) {
    let mut attrs = row.default_attrs();
    let mut set = |name: &str, value: AttrValue| {
        let entry = attrs.entries.iter_mut().find(|(known, _)| *known == name);
        entry.unwrap_or_else(|| panic!("{name}")).1 = value;
    };
    let (m, k, n, batch) = (1 + random.below(9), 1 + random.below(60), 1 + random.below(9), 1 + random.below(3));
    let shapes = match row.name {
        "nn.dense" => [vec![m, k], vec![n, k]],
        "nn.matmul" => [vec![m, k], vec![k, n]],
        "nn.batch_matmul" => {
            set("transpose_b", AttrValue::Bool(n % 2 == 0));
            [vec![batch, m, k], if n % 2 == 0 { vec![1, n, k] } else { vec![batch, k, n] }]
        }
        name => {
            let n_spatial = if name.contains("1d") {
                1
            } else if name.contains("2d") {
                2
            } else {
                3
            };
            let groups = random.pick(&[1, 1, 2, 4]);
            let (inputs, outputs) = (groups * (1 + random.below(4)), groups * (1 + random.below(4)));
            let ints = |value: usize| AttrValue::List(vec![AttrValue::Int(value as i64); n_spatial]);
            set("groups", AttrValue::Int(groups as i64));
            set("strides", ints(1 + random.below(2)));
            set("padding", ints(random.below(2)));
            let mut data = vec![batch, inputs];
            let mut weight = if name.contains("transpose") {
                vec![inputs, outputs / groups]
            } else {
                vec![outputs, inputs / groups]
            };
            for _ in 0..n_spatial {
                data.push(3 + random.below(16 / n_spatial));
                weight.push(1 + random.below(3));
            }
            if name == "nn.conv2d" && random.one_in(3) {
                set("data_layout", AttrValue::Str("NHWC".into()));
                set("kernel_layout", AttrValue::Str("HWIO".into()));
                data = [0, 2, 3, 1].map(|axis| data[axis]).to_vec();
                weight = [2, 3, 1, 0].map(|axis| weight[axis]).to_vec();
            }
            [data, weight]
        }
    };
    (shapes, attrs)
}

#[test]
fn integers_are_what_the_same_numbers_are_in_float64() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for name in NAMES {
        let at = all().iter().position(|row| row.name == *name).unwrap_or_else(|| panic!("{name}"));
        let op = OpId::numbered(at as u32);
        let mut n_calls = 0;
        for _ in 0..300 {
            let (shapes, attrs) = call_of(&mut random, op.row());
            let attrs = Arc::new(attrs);
            let sizes = [255, random.pick(&[1, 127, 2000, 1 << 20])];
            let elements: [Vec<i64>; 2] = std::array::from_fn(|i| {
                let n: usize = shapes[i].iter().product();
                (0..n).map(|_| random.below(2 * sizes[i] + 1) as i64 - sizes[i] as i64).collect()
            });
            let args = |dtype: Dtype| {
                [0, 1].map(|i| {
                    let elements = match dtype.is_float() {
                        true => Elements::Float(elements[i].iter().map(|&x| x as f64).collect()),
                        false => Elements::Int(elements[i].clone()),
                    };
                    Value::tensor(Tensor { dtype, shape: shapes[i].clone(), elements })
                })
            };
            let [ints, floats] = [Dtype::Int64, Dtype::Float64].map(|dtype| {
                let args = args(dtype);
                let results = Operators::new(MEMORY).result_types(op, &args, &attrs).ok()?;
                run(op.row(), &Call { args: &args, attrs: &attrs, results: &results, memory: MEMORY }).ok()
            });
            let (Some(ints), Some(floats)) = (ints, floats) else { continue };
            n_calls += 1;
            let (ints, floats) = (as_tensor(&ints).unwrap(), as_tensor(&floats).unwrap());
            let floats: Vec<i64> = floats.floats().iter().map(|&x| x as i64).collect();
            assert_eq!(ints.ints(), floats, "{name} {shapes:?} {:?}", attrs.entries);
        }
        assert!(n_calls > 100, "{name}: {n_calls}");
    }
}

/// The result of an exact plan for a call is its meaning, to the bit. The answer is whether there is one.
fn assert_plan_means(op: OpId, attrs: &Arc<Attrs>, args: &[Value]) -> bool {
    let types: Vec<ResultType> = args.iter().filter_map(plans::type_of).collect();
    let Ok(Some((results, Some(plan)))) = Operators::new(MEMORY).plan(op, attrs, &types) else { return false };
    if !plan.is_exact() {
        return false;
    }
    let call = Call { args, attrs, results: &results, memory: MEMORY };
    let expected = as_tensor(&meaning::by_meaning(&op.row().kernel, &call).unwrap()).unwrap().elements().into_owned();
    let found = plans::run(&plan, args, &results[0]).unwrap();
    assert_eq!(found.len(), expected.len());
    for at in 0..found.len() {
        let bits = |elements: &Elements| ty::scalar_bits(results[0].dtype, elements.get(at));
        assert_eq!(bits(&found), bits(&expected), "{} {:?} of {args:?}", op.row().name, attrs.entries);
    }
    true
}

/// Rows that are long enough for loops of their own dtype, over the last axis and over others.
#[test]
fn reductions_of_long_rows_are_folded_as_their_meaning_folds_them() {
    const SHAPES: [&[usize]; 4] = [&[131], &[3, 200], &[5, 77], &[2, 3, 64]];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for name in ["sum", "mean", "prod", "max", "min", "all", "any"] {
        let (at, row) = all().iter().enumerate().find(|(_, row)| row.name == name).unwrap();
        for dtype in Dtype::ALL {
            for i in 0..24 {
                let shape = SHAPES[i % SHAPES.len()].to_vec();
                let axis = AttrValue::List(vec![AttrValue::Int(random.below(shape.len()) as i64)]);
                let mut attrs = row.default_attrs();
                attrs.entries.iter_mut().find(|(known, _)| *known == "axis").unwrap().1 = axis;
                let (args, attrs) = ([random.tensor(shape, dtype)], Arc::new(attrs));
                assert_plan_means(OpId::numbered(at as u32), &attrs, &args);
            }
        }
    }
}

/// Few products, and the places of largest elements, of each dtype that has no vectors for them.
#[test]
fn products_and_places_of_every_dtype_are_their_meaning() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for name in ["nn.dense", "nn.matmul", "nn.batch_matmul", "argmax", "argmin"] {
        let (at, row) = all().iter().enumerate().find(|(_, row)| row.name == name).unwrap();
        for dtype in Dtype::ALL {
            let mut n_planned = 0;
            for i in 0..30 {
                let (shapes, attrs, args);
                if name.starts_with("arg") {
                    let mut of_row = row.default_attrs();
                    for (attr, value) in &mut of_row.entries {
                        match *attr {
                            "axis" => *value = AttrValue::List(vec![AttrValue::Int(i % 3)]),
                            "select_last_index" => *value = AttrValue::Bool(random.one_in(2)),
                            _ => {}
                        }
                    }
                    // Of every second one few are different, so that several are the largest.
                    let few: Vec<i64> = (0..30).map(|_| random.below(2) as i64).collect();
                    let elements = match dtype.is_float() {
                        true => Elements::Float(few.iter().map(|&x| x as f64).collect()),
                        false => Elements::Int(few),
                    };
                    let data = match i % 2 {
                        0 => Value::tensor(Tensor { dtype, shape: vec![2, 3, 5], elements }),
                        _ => random.tensor(vec![2, 3, 5], dtype),
                    };
                    (attrs, args) = (of_row, vec![data]);
                } else {
                    (shapes, attrs) = call_of(&mut random, row);
                    args = shapes.map(|shape| random.tensor(shape, dtype)).to_vec();
                }
                let attrs = Arc::new(attrs);
                n_planned += usize::from(assert_plan_means(OpId::numbered(at as u32), &attrs, &args));
            }
            let has_vectors = matches!(dtype, Dtype::Float32 | Dtype::Float16 | Dtype::BFloat16);
            let is_planned = !has_vectors && (dtype.n_bytes() >= 4 || name.starts_with("arg"));
            assert!(!is_planned || n_planned > 20, "{name} {dtype}: {n_planned}");
        }
    }
}
