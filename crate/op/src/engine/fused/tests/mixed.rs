//! Groups of all classes and dtypes.

use super::*;
use crate::engine::{elements_at, write_elements};
use ty::Elements;

const DTYPES: [Dtype; 9] = [
    Dtype::Float32,
    Dtype::Float32,
    Dtype::Float64,
    Dtype::Float16,
    Dtype::Int32,
    Dtype::Int8,
    Dtype::UInt64,
    Dtype::UInt8,
    Dtype::Bool,
];

fn made(random: &mut Random, of: &ResultType) -> Vec<u64> {
    let n = count(&of.shape).unwrap();
    let elements = match of.dtype.is_float() {
        true => Elements::Float(elements(random, of).into_iter().map(f64::from).collect()),
        false => Elements::Int((0..n).map(|_| random.below(300) as i64 - 150).collect()),
    };
    let mut words = vec![0; (n * of.dtype.n_bytes()).div_ceil(8)];
    let elements = match (elements, of.dtype) {
        (Elements::Int(values), Dtype::Bool) => Elements::Int(values.into_iter().map(|x| x & 1).collect()),
        (elements, _) => elements,
    };
    write_elements(&elements, of.dtype, bytemuck::cast_slice_mut(&mut words));
    words
}

fn bytes<'a>(words: &'a [u64], of: &ResultType) -> &'a [u8] {
    &bytemuck::cast_slice(words)[..count(&of.shape).unwrap() * of.dtype.n_bytes()]
}

/// An operator that a group may have after these types, with attributes and operands that it takes.
fn next(random: &mut Random, operators: &mut Operators, types: &[ResultType], n_operands: usize) -> (Step, ResultType) {
    let rows = all();
    loop {
        let op = match random.below(6) {
            0 => by_name(random.of(&["reshape", "expand_dims", "squeeze", "where", "cast", "copy"])).unwrap(),
            1 => by_name(random.of(&["sum", "mean", "prod", "max", "min"])).unwrap(),
            _ => OpId::numbered(random.below(rows.len()) as u32),
        };
        let pick = |random: &mut Random| match random.below(3) {
            0 => random.below(types.len()),
            _ => types.len() - 1 - random.below(types.len().min(3)),
        };
        let mut places: Vec<usize> = op.row().args.iter().map(|_| pick(random)).collect();
        if matches!(op.row().name, "sum" | "mean" | "prod" | "max" | "min") {
            places = vec![types.len() - 1];
        }
        let Some(&first) = places.first() else { continue };
        let n = count(&types[first].shape).unwrap() as i64;
        let mut attrs = op.row().default_attrs();
        for (name, value) in &mut attrs.entries {
            *value = match *name {
                "axis" if op.row().name == "expand_dims" => AttrValue::Int(random.below(2) as i64),
                "newshape" => AttrValue::List(match random.below(2) {
                    0 => vec![AttrValue::Int(n)],
                    _ => vec![AttrValue::Int(1), AttrValue::Int(-1), AttrValue::Int(1)],
                }),
                "dtype" => AttrValue::Str(random.of(&DTYPES).name().into()),
                "axis" if op.row().name != "squeeze" => AttrValue::Int(random.below(3) as i64 - 1),
                "keepdims" => AttrValue::Bool(random.below(2) == 0),
                "a_min" => AttrValue::Float(-0.5),
                "a_max" | "alpha" => AttrValue::Float(0.75),
                _ => value.clone(),
            };
        }
        let class = op.class(&attrs, types[first].dtype);
        if matches!(class, Class::Opaque | Class::OutFusable) || class == Class::Reduction && types.len() == n_operands
        {
            continue;
        }
        let (attrs, given) = (Arc::new(attrs), places.iter().map(|&at| types[at].clone()).collect::<Vec<_>>());
        let Ok(Some((mut results, Some(_)))) = operators.plan(op, &attrs, &given) else { continue };
        assert_eq!(
            op.fused_dtype(&attrs, &given.iter().map(|of| of.dtype).collect::<Vec<_>>()),
            Some(results[0].dtype),
            "{}",
            op.row().name
        );
        let inputs = places.iter().map(|&at| match at.checked_sub(n_operands) {
            None => Input::Operand(at),
            Some(at) => Input::Step(at),
        });
        let step = Step { op, attrs, inputs: inputs.collect(), span: Span::new(0, 0) };
        return (step, results.remove(0));
    }
}

#[test]
fn groups_of_all_classes_have_the_same_bits() {
    let (mut random, mut operators) = (Random(5), Operators::new(1 << 30));
    let (mut n_taken, mut n_reduced, mut n_made, mut n_stages) = (0, 0, 0, 0);
    for _ in 0..3_000 {
        let [a, b] = random.of(&[[2, 3], [1, 4], [37, 41], [1, 1500], [0, 3], [600, 2], [3, 2000], [1030, 5]]);
        let shapes: [&[usize]; 8] = [&[a, b], &[a, b], &[a, b], &[b], &[a, 1], &[], &[1, b], &[a * b]];
        let n_operands = 4;
        let operand =
            |random: &mut Random| ResultType { shape: random.of(&shapes).to_vec(), dtype: random.of(&DTYPES) };
        let mut types: Vec<ResultType> = (0..n_operands).map(|_| operand(&mut random)).collect();
        let operands = types.clone();
        let mut steps: Vec<Step> = Vec::new();
        for _ in 0..2 + random.below(6) {
            let (step, result) = next(&mut random, &mut operators, &types, n_operands);
            let is_reduction = step.op.class(&step.attrs, Dtype::Float32) == Class::Reduction;
            steps.push(step);
            types.push(result);
            if is_reduction {
                n_reduced += 1;
                break;
            }
        }
        // One after the other.
        let mut values: Vec<Vec<u64>> = operands.iter().map(|of| made(&mut random, of)).collect();
        for (at, step) in steps.iter().enumerate() {
            let place = |input: &Input| match *input {
                Input::Operand(at) => at,
                Input::Step(at) => n_operands + at,
            };
            let given: Vec<ResultType> = step.inputs.iter().map(|input| types[place(input)].clone()).collect();
            let (_, plan) = operators.plan(step.op, &step.attrs, &given).unwrap().unwrap();
            let of = &types[n_operands + at];
            let mut words = vec![0; (count(&of.shape).unwrap() * of.dtype.n_bytes()).div_ceil(8)];
            let n = bytes(&words, of).len();
            let sources: Vec<Source> =
                step.inputs.iter().map(|input| Some(bytes(&values[place(input)], &types[place(input)]))).collect();
            let to = &mut bytemuck::cast_slice_mut(&mut words)[..n];
            plan.unwrap().run(&sources, to, &mut Scratch::default()).unwrap();
            values.push(words);
        }
        let result = types.last().unwrap();
        let expected = elements_at(result.dtype, bytes(values.last().unwrap(), result));
        let (_, plan) = operators.plan_steps(&steps, &operands).unwrap().unwrap();
        let plan = plan.unwrap();
        let super::super::Fused { stages, .. } = Fused::new(&steps, &operands, &types[n_operands..]).unwrap();
        n_stages += usize::from(stages.len() > 1);
        n_made += usize::from(matches!(stages.last().unwrap().work, Work::Folded(..)));
        for taken in std::iter::once(None).chain((0..n_operands).map(Some)) {
            let same_size =
                |at: usize| bytes(&values[at], &types[at]).len() == bytes(values.last().unwrap(), result).len();
            if taken.is_some_and(|at| !plan.takes(at) || !same_size(at)) {
                continue;
            }
            n_taken += usize::from(taken.is_some());
            let mut words = taken.map_or_else(|| vec![9; values.last().unwrap().len()], |at| values[at].clone());
            let sources: Vec<Source> =
                (0..n_operands).map(|at| (Some(at) != taken).then(|| bytes(&values[at], &types[at]))).collect();
            let n = bytes(&words, result).len();
            let to = &mut bytemuck::cast_slice_mut(&mut words)[..n];
            plan.run(&sources, to, &mut Scratch::default()).unwrap();
            let found = elements_at(result.dtype, bytes(&words, result));
            let is_same = match (&found, &expected) {
                (Elements::Float(a), Elements::Float(b)) => {
                    a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
                }
                (Elements::Int(a), Elements::Int(b)) => a == b,
                (Elements::Float(_), Elements::Int(_)) | (Elements::Int(_), Elements::Float(_)) => false,
            };
            assert!(is_same, "{steps:?} on {operands:?}, {taken:?} in place: {found:?}, not {expected:?}");
        }
    }
    println!("{n_taken} in place, {n_reduced} reduced, {n_made} as they are made, {n_stages} in several stages");
    assert!(n_taken > 300 && n_reduced > 300 && n_made > 100 && n_stages > 200);
}
