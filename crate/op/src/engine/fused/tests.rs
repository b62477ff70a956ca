//! Random groups: as one call, and one step after the other.

use super::*;
use crate::{all, by_name};
use ty::AttrValue;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}

const SPECIAL: [f32; 8] = [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e-40];

fn single(shape: &[usize]) -> ResultType {
    ResultType { shape: shape.to_vec(), dtype: Dtype::Float32 }
}

/// An operator on operands, or on results of what came before; their shapes need not fit.
fn step(random: &mut Random, fusible: &[OpId], n_operands: usize, n_before: usize) -> Step {
    let op = random.of(fusible);
    let mut attrs = op.row().default_attrs();
    for (name, value) in &mut attrs.entries {
        *value = match *name {
            "axis" => AttrValue::Int(random.below(4) as i64 - 2),
            "a_min" => AttrValue::Float(-0.5),
            "a_max" | "alpha" => AttrValue::Float(0.75),
            _ => value.clone(),
        };
    }
    let input = |_: &&str| match random.below(3) {
        0 | 1 if n_before > 0 => Input::Step(n_before - 1 - random.below(n_before.min(3))),
        _ => Input::Operand(random.below(n_operands)),
    };
    let inputs = op.row().args.iter().map(input).collect();
    Step { op, attrs: Arc::new(attrs), inputs, span: Span::new(n_before as u32, n_before as u32) }
}

/// With one NaN for all: which one a loop makes is seen by nothing.
fn bits(elements: &[f32]) -> Vec<u32> {
    let mut elements = elements.to_vec();
    kernel::elementwise::canonicalise(&mut elements);
    elements.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn as_one_and_one_after_the_other_have_the_same_bits() {
    let fusible: Vec<OpId> = (0..all().len()).map(|at| OpId(at as u32)).filter(|op| op.is_fusible()).collect();
    assert!(fusible.len() >= 40 && fusible.contains(&by_name("nn.bias_add").unwrap()));
    let mut random = Random(7);
    let mut operators = Operators::new(1 << 30);
    let (mut n_planned, mut n_taken, mut n_refused, mut n_others) = (0, 0, 0, 0);
    for _ in 0..3_000 {
        let sizes = random.of(&[[2, 3], [1, 4], [37, 41], [1, 1500], [0, 3], [600, 2]]);
        let [a, b] = sizes;
        let shapes: [&[usize]; 7] = [&[a, b], &[a, b], &[a, b], &[b], &[a, 1], &[], &[1, b]];
        let operands: Vec<ResultType> = (0..4).map(|_| single(random.of(&shapes))).collect();
        let n_steps = 2 + random.below(6);
        let steps: Vec<Step> =
            (0..n_steps).map(|n_before| step(&mut random, &fusible, operands.len(), n_before)).collect();
        let data: Vec<Vec<f32>> = operands
            .iter()
            .map(|of| {
                let n = count(&of.shape).unwrap();
                (0..n)
                    .map(|_| match random.below(5) {
                        0 => random.of(&SPECIAL),
                        _ => random.below(4_000) as f32 / 1_000.0 - 2.0,
                    })
                    .collect()
            })
            .collect();
        let found = operators.plan_steps(&steps, &operands);

        // One after the other.
        let (mut types, mut results): (Vec<ResultType>, Vec<Vec<f32>>) = (Vec::new(), Vec::new());
        let mut refused = None;
        for step in &steps {
            let given: Vec<ResultType> = step.inputs.iter().map(|i| i.of(&operands, &types).unwrap().clone()).collect();
            let (mut its, plan) = match operators.plan(step.op, &step.attrs, &given) {
                Ok(found) => found.unwrap(),
                Err(fault) => {
                    refused = Some((step.span, fault));
                    break;
                }
            };
            let mut result = vec![0_f32; count(&its[0].shape).unwrap()];
            let sources: Vec<Source> =
                step.inputs.iter().map(|i| Some(bytemuck::cast_slice(i.of(&data, &results).unwrap()))).collect();
            let to = bytemuck::cast_slice_mut(&mut result);
            plan.unwrap().run(&sources, to, &mut Scratch::default()).unwrap();
            types.append(&mut its);
            results.push(result);
        }
        let (its, plan) = match (found, refused) {
            (Ok(Some(found)), None) => found,
            (Err(found), Some(refused)) => {
                assert_eq!(found, refused);
                n_refused += 1;
                continue;
            }
            (found, refused) => panic!("{:?} {refused:?}", found.map(|_| ())),
        };
        assert_eq!(its, types[n_steps - 1..]);
        assert_eq!(plan.is_some(), types.iter().all(|of| of.shape == its[0].shape), "{steps:?} {operands:?}");
        let Some(plan) = plan else {
            n_others += 1;
            continue;
        };
        n_planned += 1;
        let expected = bits(results.last().unwrap());
        for taken in std::iter::once(None).chain((0..operands.len()).map(Some)) {
            if taken.is_some_and(|at| !plan.takes(at)) {
                continue;
            }
            n_taken += usize::from(taken.is_some());
            let mut result = match taken {
                Some(at) => data[at].clone(),
                None => vec![9.0; expected.len()],
            };
            let source = |(at, of): (usize, &'_ Vec<f32>)| (Some(at) != taken).then(|| of.clone());
            let kept: Vec<Option<Vec<f32>>> = data.iter().enumerate().map(source).collect();
            let sources: Vec<Source> = kept.iter().map(|of| of.as_deref().map(bytemuck::cast_slice)).collect();
            plan.run(&sources, bytemuck::cast_slice_mut(&mut result), &mut Scratch::default()).unwrap();
            assert!(bits(&result) == expected, "{steps:?} on {operands:?}, {taken:?} in place");
        }
    }
    println!("{n_planned} groups, {n_taken} in place; {n_refused} refused, {n_others} of other shapes");
    assert!(n_planned > 300 && n_taken > 300 && n_refused > 100 && n_others > 100);
}
