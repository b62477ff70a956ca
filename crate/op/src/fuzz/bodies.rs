//! Bodies whose operands and attributes have to fit each other, on calls made to fit: each has a plan, whose result is
//! that of the kernel's meaning, to the bit where the plan says so.

use super::meaning::by_meaning;
use super::plans::{is_tame, run, run_in_place, type_of};
use super::*;
use crate::run::Call;
use ty::Scalar;

/// Attributes of a row with some of them set.
pub(super) fn attrs_with(row: &Op, set: &[(&str, AttrValue)]) -> Attrs {
    let mut attrs = row.default_attrs();
    for (name, value) in set {
        let entry = attrs.entries.iter_mut().find(|(known, _)| known == name);
        entry.unwrap_or_else(|| panic!("{} has no {name}", row.name)).1 = value.clone();
    }
    attrs
}

fn ints(values: impl IntoIterator<Item = usize>) -> AttrValue {
    AttrValue::List(values.into_iter().map(|value| AttrValue::Int(value as i64)).collect())
}

/// How far two numbers of a dtype may be apart, for numbers of about 1.
fn unit(dtype: Dtype) -> f64 {
    match dtype {
        Dtype::Float16 => 1.0 / 512.0,
        Dtype::BFloat16 => 1.0 / 64.0,
        Dtype::Float32 => 1e-5,
        _ => 1e-13,
    }
}

/// Compares the plans of a call with its meaning, and says whether it had any.
fn has_plans_that_mean_it(name: &str, args: &[Value], attrs: Attrs) -> bool {
    let op = crate::by_name(name).unwrap_or_else(|| panic!("{name}"));
    let attrs = Arc::new(attrs);
    let types: Vec<ResultType> = args.iter().map(type_of).some_list().unwrap();
    let mut operators = Operators::new(MEMORY);
    let told = || format!("{name} {:?}\n{args:?}", attrs.entries);
    let found = match op.has_tuples() {
        true => operators.plan_all(op, &attrs, &types),
        false => operators
            .plan(op, &attrs, &types)
            .map(|found| found.and_then(|(results, plan)| Some((results, vec![plan?])))),
    };
    let Some((results, plans)) = found.unwrap_or_else(|fault| panic!("{fault:?}: {}", told())) else { return false };
    let call = Call { args, attrs: &attrs, results: &results, memory: MEMORY };
    let expected = by_meaning(&op.row().kernel, &call);
    let found: Result<Vec<Elements>, _> = plans.iter().zip(&results).map(|(plan, of)| run(plan, args, of)).collect();
    let (Ok(expected), Ok(found)) = (&expected, &found) else {
        assert_eq!(expected.err(), found.err(), "{}", told());
        return true;
    };
    if let ([plan], [result], [found]) = (&plans[..], &results[..], &found[..])
        && plan.takes(0)
        && types[0] == *result
    {
        assert_eq!(
            format!("{:?}", run_in_place(plan, args, result)),
            format!("{:?}", Ok::<_, ()>(found)),
            "{}",
            told()
        );
    }
    let expected: Vec<&Value> = match expected {
        Value::Tuple(fields) => fields.iter().collect(),
        one => vec![one],
    };
    for ((expected, found), plan) in expected.into_iter().zip(found).zip(&plans) {
        let x = as_tensor(expected).unwrap();
        let (expected, unit) = (x.elements(), unit(x.dtype()));
        assert_eq!(expected.len(), found.len(), "{}", told());
        for at in 0..found.len() {
            let is_same = match (expected.get(at), found.get(at)) {
                (Scalar::Float(a), Scalar::Float(b)) if plan.is_exact() => {
                    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
                }
                (Scalar::Float(a), Scalar::Float(b)) => {
                    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= unit * a.abs().max(b.abs()).max(1.0)
                }
                (a, b) => a == b,
            };
            assert!(is_same, "{}\n{expected:?}\n{found:?}", told());
        }
    }
    true
}

/// One whose sums are about the same in any order, if sums may be in any.
fn tensor_for_sums(random: &mut Random, shape: &[usize], dtype: Dtype) -> Value {
    loop {
        let tensor = random.tensor(shape.to_vec(), dtype);
        if !dtype.is_float() || is_tame(&tensor) {
            return tensor;
        }
    }
}

const LAYOUTS: [&[&str]; 3] = [
    &["NCW", "NWC", "WCN", "NCW4c"],
    &["NCHW", "NHWC", "CHWN", "NCHW2c", "HWNC", "NCHW2h"],
    &["NCDHW", "NDHWC", "NCDHW2c"],
];

/// A shape of a layout: spatial sizes are up to `most`.
fn shape_of_layout(random: &mut Random, layout: &str, most: usize) -> Vec<usize> {
    let size = |c: char, random: &mut Random| match c {
        'N' | 'C' => Some(1 + random.below(5)),
        'D' | 'H' | 'W' => Some(2 + random.below(most)),
        '0'..='9' => Some(c as usize - '0' as usize),
        _ => None,
    };
    layout.chars().filter_map(|c| size(c, random)).collect()
}

#[test]
fn pools_of_every_dtype_and_layout() {
    const DTYPES: [Dtype; 11] = [
        Dtype::Float32,
        Dtype::Float16,
        Dtype::BFloat16,
        Dtype::Float64,
        Dtype::Int8,
        Dtype::UInt8,
        Dtype::Int16,
        Dtype::UInt16,
        Dtype::Int32,
        Dtype::UInt32,
        Dtype::Int64,
    ];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut n_calls = 0;
    for round in 0..4000 {
        let n = 1 + round % 3;
        let (dtype, layout) = (random.pick(&DTYPES), random.pick(LAYOUTS[n - 1]));
        let (kind, is_mean) = (random.below(3), random.one_in(2) && dtype != Dtype::Int64);
        let name = match kind {
            0 if n == 2 => "nn.global_",
            1 => "nn.adaptive_",
            _ => "nn.",
        };
        let name = format!("{name}{}_pool{n}d", if is_mean { "avg" } else { "max" });
        let row = crate::by_name(&name).unwrap_or_else(|| panic!("{name}")).row();
        let mut set = vec![("layout", AttrValue::Str(layout.into()))];
        let mut each = |least: usize, most: usize| ints((0..n).map(|_| least + random.below(most)));
        if name.contains("adaptive") {
            set.push(("output_size", each(1, 5)));
        } else if !name.contains("global") {
            set.extend([("pool_size", each(1, 3)), ("strides", each(1, 3)), ("dilation", each(1, 2))]);
            set.push(("padding", ints((0..2 * n).map(|_| random.below(3)))));
            set.push(("ceil_mode", AttrValue::Bool(random.one_in(2))));
            if is_mean {
                set.push(("count_include_pad", AttrValue::Bool(random.one_in(2))));
            }
        }
        let shape = shape_of_layout(&mut random, layout, 12 / n);
        let x = match is_mean {
            true => tensor_for_sums(&mut random, &shape, dtype),
            false => random.tensor(shape, dtype),
        };
        // A window that is larger than the data has no position.
        let attrs = attrs_with(row, &set);
        let types = Operators::new(MEMORY).result_types(
            crate::by_name(&name).unwrap(),
            std::slice::from_ref(&x),
            &Arc::new(attrs.clone()),
        );
        if types.is_ok_and(|types| types.iter().all(|of| !of.shape.contains(&0))) {
            let has_plans = has_plans_that_mean_it(&name, std::slice::from_ref(&x), attrs);
            assert!(has_plans || layout.contains('h'), "{name} {set:?} {x:?}");
            n_calls += 1;
        }
    }
    assert!(n_calls > 2000, "{n_calls}");
}

#[test]
fn variances() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mean = crate::by_name("mean").unwrap();
    let mut n_planned = 0;
    for _ in 0..2000 {
        let shape: Vec<usize> = (0..1 + random.below(4)).map(|_| 1 + random.below(6)).collect();
        let dtype = random.pick(&[Dtype::Float32, Dtype::Float32, Dtype::Float64]);
        let x = tensor_for_sums(&mut random, &shape, dtype);
        let axes = ints((0..shape.len()).filter(|_| random.one_in(2)));
        let axes = if random.one_in(4) { AttrValue::None } else { axes };
        let set = [("axis", axes), ("exclude", AttrValue::Bool(random.one_in(3)))];
        let kept = [&set[..], &[("keepdims", AttrValue::Bool(true))]].concat();
        let kept = Arc::new(attrs_with(mean.row(), &kept));
        let mean = Operators::new(MEMORY).run(mean, std::slice::from_ref(&x), &kept).unwrap();
        let flags = ["keepdims", "unbiased"].map(|flag| (flag, AttrValue::Bool(random.one_in(2))));
        let row = crate::by_name("variance").unwrap().row();
        let attrs = attrs_with(row, &[&set[..], &flags].concat());
        let args = [x, mean];
        let has_plan = has_plans_that_mean_it("variance", &args, attrs.clone());
        assert_eq!(has_plan, dtype == Dtype::Float32);
        n_planned += usize::from(has_plan);
        // What is small is as near to what is meant.
        let (op, attrs) = (crate::by_name("variance").unwrap(), Arc::new(attrs));
        let found = Operators::new(MEMORY).run(op, &args, &attrs).unwrap();
        let results = Operators::new(MEMORY).result_types(op, &args, &attrs).unwrap();
        let call = Call { args: &args, attrs: &attrs, results: &results, memory: MEMORY };
        let expected = by_meaning(&op.row().kernel, &call).unwrap();
        let floats = |x: &Value| as_tensor(x).unwrap().floats();
        for (found, expected) in floats(&found).into_iter().zip(floats(&expected)) {
            // Squares below that are subnormal, or nothing.
            let is_near = (found - expected).abs() <= 40.0 * f64::powi(2.0, -24) * expected.max(1e-30);
            assert!(is_near || found.is_nan() && expected.is_nan(), "{found} {expected} {:?}", attrs.entries);
        }
    }
    assert!(n_planned > 1000, "{n_planned}");
}

#[test]
fn pools_are_the_same_in_either_layout() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for name in ["nn.max_pool2d", "nn.avg_pool2d"] {
        let op = crate::by_name(name).unwrap();
        for _ in 0..200 {
            let [n, c, h, w] = std::array::from_fn(|_| 1 + random.below(9));
            let x = tensor_for_sums(&mut random, &[n, c, h, w], Dtype::Float32);
            let turned = |x: &Value, axes: [usize; 4]| {
                let x = as_tensor(x).unwrap();
                let shape: Vec<usize> = axes.iter().map(|&axis| x.shape()[axis]).collect();
                let elements = crate::conv::layout::permuted(&x.elements(), x.shape(), &axes);
                Value::tensor(Tensor { dtype: x.dtype(), shape, elements })
            };
            let (size, strides) = (ints([1 + random.below(h), 1 + random.below(w)]), ints([1 + random.below(3); 2]));
            let pool = |x: &Value, layout: &str| {
                let layout = AttrValue::Str(layout.into());
                let set = [("pool_size", size.clone()), ("strides", strides.clone()), ("layout", layout)];
                Operators::new(MEMORY).run(op, std::slice::from_ref(x), &Arc::new(attrs_with(op.row(), &set))).unwrap()
            };
            let last = pool(&turned(&x, [0, 2, 3, 1]), "NHWC");
            let floats = |x: &Value| as_tensor(x).unwrap().floats();
            assert_eq!(floats(&pool(&x, "NCHW")), floats(&turned(&last, [0, 3, 1, 2])));
        }
    }
}

/// Shapes with sizes of 1, of more than a tile and of more than a block.
fn shape_of_lines(random: &mut Random) -> Vec<usize> {
    let rank = 1 + random.below(3);
    let mut shape: Vec<usize> = (0..rank).map(|_| random.pick(&[1, 2, 3, 5, 17])).collect();
    if random.one_in(4) {
        shape[random.below(rank)] = random.pick(&[0, 41, 130, 300]);
    }
    shape
}

#[test]
fn operators_along_a_line() {
    let mut random = Random(0x1357_9bdf_0246_8ace);
    let floats = [Dtype::Float64, Dtype::Float32, Dtype::Float16, Dtype::BFloat16];
    for round in 0..6000 {
        let name = random.pick(&[
            "cumsum",
            "cumprod",
            "sort",
            "argsort",
            "topk",
            "nn.softmax",
            "nn.fast_softmax",
            "nn.log_softmax",
            "nn.layer_norm",
            "nn.batch_norm",
            "nn.lrn",
        ]);
        let row = crate::by_name(name).unwrap().row();
        let shape = shape_of_lines(&mut random);
        let is_norm = name.starts_with("nn.");
        let axis = match name {
            "cumsum" | "cumprod" if random.one_in(4) => None,
            _ => Some(random.below(shape.len())),
        };
        let mut set = vec![("axis", axis.map_or(AttrValue::None, |axis| AttrValue::Int(axis as i64)))];
        let mut dtype = random.dtype();
        if is_norm {
            dtype = if name == "nn.lrn" { random.pick(&floats) } else { Dtype::Float64 };
        }
        let mut flag = |name, set: &mut Vec<_>| set.push((name, AttrValue::Bool(random.one_in(2))));
        match name {
            "cumsum" | "cumprod" => {
                flag("exclusive", &mut set);
                if random.one_in(3) {
                    let to = random.pick(&[Dtype::Int32, Dtype::Int64, Dtype::Int8, dtype]);
                    set.push(("dtype", AttrValue::Str(to.name().into())));
                }
            }
            "sort" => flag("is_ascend", &mut set),
            "argsort" => {
                flag("is_ascend", &mut set);
                set.push(("dtype", AttrValue::Str(random.pick(&["", "int64", "uint8", "float32"]).into())));
            }
            "topk" => {
                flag("is_ascend", &mut set);
                set.push(("k", AttrValue::Int(random.below(shape[axis.unwrap_or(0)] + 1) as i64)));
                set.push(("ret_type", AttrValue::Str(random.pick(&["both", "values", "indices"]).into())));
            }
            "nn.layer_norm" | "nn.batch_norm" => {
                flag("center", &mut set);
                flag("scale", &mut set);
            }
            "nn.lrn" => set.push(("size", AttrValue::Int(random.pick(&[1, 3, 5, i64::MAX])))),
            _ => {}
        }
        let vector = vec![shape[axis.unwrap_or(0)]];
        let is_empty = shape.contains(&0);
        let mut args = vec![random.tensor(shape, dtype)];
        args.extend((1..row.args.len()).map(|_| random.tensor(vector.clone(), dtype)));
        let attrs = attrs_with(row, &set);
        let op = crate::by_name(name).unwrap();
        let Ok(results) = Operators::new(MEMORY).result_types(op, &args, &Arc::new(attrs.clone())) else { continue };
        let to = results[0].dtype;
        // Where numbers change between floats and integers, or bools are added up, there is no plan.
        let is_scan = matches!(name, "cumsum" | "cumprod");
        let is_mixed = to != dtype && (to.is_float() || dtype.is_float());
        let has_none = is_scan && (to == Dtype::Bool || is_mixed) || is_empty;
        assert!(has_plans_that_mean_it(name, &args, attrs) || has_none, "{round}: {name} {set:?} {args:?}");
    }
}

#[test]
fn images_of_every_dtype_and_layout() {
    const MODES: [&str; 6] = [
        "half_pixel",
        "align_corners",
        "asymmetric",
        "pytorch_half_pixel",
        "tf_half_pixel_for_nn",
        "tf_crop_and_resize",
    ];
    const ROUNDINGS: [&str; 6] = ["", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"];
    let mut random = Random(0x0f1e_2d3c_4b5a_6978);
    let mut n_calls = 0;
    for round in 0..3000 {
        let is_resize = random.one_in(2);
        let n = if is_resize { 1 + round % 3 } else { 2 + round % 2 };
        let name = match (is_resize, n) {
            (true, _) => format!("image.resize{n}d"),
            (false, 2) => "nn.upsampling".to_owned(),
            (false, _) => "nn.upsampling3d".to_owned(),
        };
        let op = crate::by_name(&name).unwrap_or_else(|| panic!("{name}"));
        let layout = random.pick(LAYOUTS[n - 1]);
        let shape = shape_of_layout(&mut random, layout, 12 / n);
        let mut set = vec![("layout", AttrValue::Str(layout.into()))];
        let mut word = |name: &'static str, words: &[&str], random: &mut Random| {
            set.push((name, AttrValue::Str(random.pick(words).into())))
        };
        if is_resize {
            word("method", &["nearest_neighbor", "linear", "cubic"], &mut random);
            word("coordinate_transformation_mode", &MODES, &mut random);
            word("rounding_method", &ROUNDINGS, &mut random);
            word("out_dtype", &["", "float32", "float64", "int8", "bool"], &mut random);
            set.push(("cubic_exclude", AttrValue::Int(random.below(2) as i64)));
            set.push(("extrapolation_value", AttrValue::Float(-7.5)));
            set.push(("size", ints((0..n).map(|_| 1 + random.below(9)))));
            let region = (0..2 * n).map(|_| AttrValue::Float((random.below(9) as f64 - 2.0) / 4.0));
            set.push(("roi", AttrValue::List(region.collect())));
        } else {
            let methods = ["nearest_neighbor", if n == 2 { "bilinear" } else { "trilinear" }, "bicubic"];
            word("method", &methods, &mut random);
            for scale in ["scale_d", "scale_h", "scale_w"].into_iter().skip(3 - n) {
                set.push((scale, AttrValue::Float(1.0 + random.below(9) as f64 / 4.0)));
            }
            match n {
                2 => set.push(("align_corners", AttrValue::Bool(random.one_in(2)))),
                _ => {
                    let mode = random.pick(&MODES[..3]);
                    set.push(("coordinate_transformation_mode", AttrValue::Str(mode.into())));
                }
            }
        }
        let x = random.dtype();
        let x = random.tensor(shape, x);
        let attrs = attrs_with(op.row(), &set);
        if Operators::new(MEMORY).result_types(op, std::slice::from_ref(&x), &Arc::new(attrs.clone())).is_ok() {
            n_calls += usize::from(has_plans_that_mean_it(&name, std::slice::from_ref(&x), attrs));
        }
    }
    assert!(n_calls > 2000, "{n_calls}");
}

#[test]
fn elements_that_indices_name() {
    let mut random = Random(0x7531_8642_fdb9_eca8);
    let (mut n_values, mut n_faults) = (0, 0);
    for _ in 0..6000 {
        let name = random.pick(&["take", "gather", "gather_nd", "scatter_elements", "scatter_nd"]);
        let op = crate::by_name(name).unwrap();
        let shape: Vec<usize> = (0..1 + random.below(3)).map(|_| 1 + random.below(4)).collect();
        let axis = random.below(shape.len());
        let mut set = vec![];
        let mut named = shape.clone();
        let mut updates = vec![];
        match name {
            "take" => {
                let mode = random.pick(&["clip", "wrap", "fast"]);
                set.push(("mode", AttrValue::Str(mode.into())));
                set.push(("axis", if random.one_in(3) { AttrValue::None } else { AttrValue::Int(axis as i64) }));
                named = (0..random.below(3)).map(|_| 1 + random.below(4)).collect();
            }
            "gather" | "scatter_elements" => {
                set.push(("axis", AttrValue::Int(axis as i64)));
                named.iter_mut().for_each(|size| *size = 1 + random.below(*size));
                named[axis] = 1 + random.below(5);
                updates = named.clone();
            }
            _ => {
                let n_batch =
                    if name == "gather_nd" && axis > 0 { random.below(axis + 1).min(shape.len() - 1) } else { 0 };
                if n_batch > 0 {
                    set.push(("batch_dims", AttrValue::Int(n_batch as i64)));
                }
                let m = 1 + random.below(shape.len() - n_batch);
                named = vec![m];
                named.extend(&shape[..n_batch]);
                named.extend((0..1 + random.below(2)).map(|_| 1 + random.below(4)));
                updates = named[1..].to_vec();
                updates.extend(&shape[n_batch + m..]);
            }
        }
        let index = random.pick(&[Dtype::Int32, Dtype::Int64, Dtype::UInt8, Dtype::UInt64]);
        // Most indices are in range.
        let most = if random.one_in(3) { 5 } else { *shape.iter().min().unwrap() };
        let least = if name == "scatter_elements" && random.one_in(2) { 1 } else { 0 };
        let n: usize = named.iter().product();
        let indices = (0..n).map(|_| wrap_to(index, random.below(most) as i64 - least)).collect();
        let indices = Value::tensor(Tensor { dtype: index, shape: named, elements: Elements::Int(indices) });
        let dtype = random.dtype();
        let mut args = vec![random.tensor(shape, dtype), indices];
        if name.starts_with("scatter") {
            args.push(random.tensor(updates, dtype));
            let merge = random.pick(&["update", "add", "mul", "mean", "min", "max"]);
            set.push((if name == "scatter_nd" { "mode" } else { "reduction" }, AttrValue::Str(merge.into())));
        }
        let attrs = attrs_with(op.row(), &set);
        let Ok(results) = Operators::new(MEMORY).result_types(op, &args, &Arc::new(attrs.clone())) else { continue };
        let call = Call { args: &args, attrs: &attrs, results: &results, memory: MEMORY };
        *(if by_meaning(&op.row().kernel, &call).is_ok() { &mut n_values } else { &mut n_faults }) += 1;
        assert!(has_plans_that_mean_it(name, &args, attrs), "{name} {set:?} {args:?}");
    }
    assert!(n_values > 1000 && n_faults > 100, "{n_values} {n_faults}");
}

#[test]
fn blocks_and_channels() {
    let mut random = Random(0x1122_3344_5566_7788);
    for round in 0..400 {
        let name = ["nn.depth_to_space", "nn.space_to_depth"][round % 2];
        let (layout, block) = (random.pick(&["NCHW", "NHWC", "CHWN", "WNHC"]), 1 + random.below(3));
        let size = |letter: char, random: &mut Random| match (letter, round % 2) {
            ('N', _) => 1 + random.below(2),
            ('C', 0) => block * block * (1 + random.below(3)),
            ('H' | 'W', 1) => block * (1 + random.below(3)),
            _ => 1 + random.below(4),
        };
        let shape: Vec<usize> = layout.chars().map(|letter| size(letter, &mut random)).collect();
        let mut set = vec![("layout", AttrValue::Str(layout.into())), ("block_size", AttrValue::Int(block as i64))];
        if name == "nn.depth_to_space" {
            set.push(("mode", AttrValue::Str(random.pick(&["DCR", "CRD"]).into())));
        }
        let dtype = random.dtype();
        let args = [random.tensor(shape, dtype)];
        let attrs = attrs_with(crate::by_name(name).unwrap().row(), &set);
        assert!(has_plans_that_mean_it(name, &args, attrs), "{name} {set:?} {args:?}");
    }
}
