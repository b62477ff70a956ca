//! Random groups: as one call, and one step after the other.

use super::super::single;
use super::*;
use crate::{all, by_name};
use ty::{AttrValue, Dtype};

mod mixed;

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

fn float32(shape: &[usize]) -> ResultType {
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

/// How often what happened.
#[derive(Debug, Default)]
struct Seen {
    n_planned: usize,
    n_taken: usize,
    n_refused: usize,
    /// With results of several shapes.
    n_staged: usize,
}

fn elements(random: &mut Random, of: &ResultType) -> Vec<f32> {
    let n = count(&of.shape).unwrap();
    (0..n)
        .map(|_| match random.below(5) {
            0 => random.of(&SPECIAL),
            _ => random.below(4_000) as f32 / 1_000.0 - 2.0,
        })
        .collect()
}

/// Computes steps both ways, and as one wherever an operand may be where the result goes.
fn check(random: &mut Random, operators: &mut Operators, steps: &[Step], operands: &[ResultType], seen: &mut Seen) {
    let data: Vec<Vec<f32>> = operands.iter().map(|of| elements(random, of)).collect();
    let found = operators.plan_steps(steps, operands);

    // One after the other.
    let (mut types, mut results): (Vec<ResultType>, Vec<Vec<f32>>) = (Vec::new(), Vec::new());
    let mut refused = None;
    for step in steps {
        let given: Vec<ResultType> = step.inputs.iter().map(|i| i.of(operands, &types).unwrap().clone()).collect();
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
            seen.n_refused += 1;
            return;
        }
        (found, refused) => panic!("{:?} {refused:?}", found.map(|_| ())),
    };
    assert_eq!(its, types[steps.len() - 1..]);
    let plan = plan.expect("each step has a plan");
    seen.n_staged += usize::from(!types.iter().all(|of| of.shape == its[0].shape));
    seen.n_planned += 1;
    let expected = bits(results.last().unwrap());
    for taken in std::iter::once(None).chain((0..operands.len()).map(Some)) {
        if taken.is_some_and(|at| !plan.takes(at)) {
            continue;
        }
        seen.n_taken += usize::from(taken.is_some());
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

fn elementwise() -> Vec<OpId> {
    let has_loop = |op: &OpId| {
        let (name, attrs) = (op.row().name, op.row().default_attrs());
        let is_compared = matches!(op.row().kernel, crate::Kernel::Compare { .. });
        !is_compared && (single::binary(name).is_some() || single::unary(name, &attrs).is_some())
    };
    (0..all().len()).map(|at| OpId::numbered(at as u32)).filter(has_loop).collect()
}

#[test]
fn as_one_and_one_after_the_other_have_the_same_bits() {
    let fusible = elementwise();
    assert!(fusible.len() >= 40 && fusible.contains(&by_name("nn.bias_add").unwrap()));
    let (mut random, mut operators, mut seen) = (Random(7), Operators::new(1 << 30), Seen::default());
    for _ in 0..3_000 {
        let sizes = random.of(&[[2, 3], [1, 4], [37, 41], [1, 1500], [0, 3], [600, 2]]);
        let [a, b] = sizes;
        let shapes: [&[usize]; 7] = [&[a, b], &[a, b], &[a, b], &[b], &[a, 1], &[], &[1, b]];
        let operands: Vec<ResultType> = (0..4).map(|_| float32(random.of(&shapes))).collect();
        let n_steps = 2 + random.below(6);
        let steps: Vec<Step> =
            (0..n_steps).map(|n_before| step(&mut random, &fusible, operands.len(), n_before)).collect();
        check(&mut random, &mut operators, &steps, &operands, &mut seen);
    }
    println!("{seen:?}");
    let Seen { n_planned, n_taken, n_refused, n_staged } = seen;
    assert!(n_planned > 300 && n_taken > 300 && n_refused > 100 && n_staged > 100);
}

type Attributes = Vec<(&'static str, AttrValue)>;

/// A product or convolution, attributes that differ from the defaults, and the shapes of its operands.
fn head(random: &mut Random) -> (&'static str, Attributes, [Vec<usize>; 2]) {
    let [m, k, n] = std::array::from_fn(|_| random.of(&[0, 1, 1, 2, 3, 5, 8, 17]));
    let batch = random.of(&[1, 2, 3]);
    let turn = |is_turned: bool, a: usize, b: usize| if is_turned { [b, a] } else { [a, b] };
    let (turns_a, turns_b) = (random.below(2) == 0, random.below(2) == 0);
    let turns = vec![("transpose_a", AttrValue::Bool(turns_a)), ("transpose_b", AttrValue::Bool(turns_b))];
    let places = |rank: usize, size: usize| vec![size; rank];
    let list = |items: Vec<i64>| AttrValue::List(items.into_iter().map(AttrValue::Int).collect());
    match random.below(7) {
        0 => ("nn.dense", vec![], [vec![m, k], vec![n, k]]),
        1 => ("nn.dense", vec![], [vec![batch, m, k], vec![n, k]]),
        2 => ("nn.matmul", turns, [turn(turns_a, m, k).to_vec(), turn(turns_b, k, n).to_vec()]),
        3 => {
            let with = |batch: usize, rest: [usize; 2]| [vec![batch], rest.to_vec()].concat();
            let other = random.of(&[1, batch]);
            ("nn.batch_matmul", turns, [with(batch, turn(turns_a, m, k)), with(other, turn(turns_b, k, n))])
        }
        at => {
            let rank = 1 + random.below(3);
            let name = match (at, rank) {
                (4, 1) => "nn.conv1d_transpose",
                (4, 2) => "nn.conv2d_transpose",
                (4, _) => "nn.conv3d_transpose",
                (_, 1) => "nn.conv1d",
                (_, 2) => "nn.conv2d",
                (_, _) => "nn.conv3d",
            };
            let (size, kernel, step) = (3 + random.below(4), 1 + random.below(3), 1 + random.below(2));
            let groups = if k > 0 && n % k == 0 { random.of(&[1, k]) } else { 1 };
            let [own, other] = if at == 4 { [k, n / groups] } else { [n, k / groups.max(1)] };
            let mut attrs = vec![
                ("kernel_size", list(vec![kernel as i64; rank])),
                ("channels", AttrValue::Int(n as i64)),
                ("groups", AttrValue::Int(groups as i64)),
                ("strides", list(vec![step as i64; rank])),
                ("padding", list(vec![random.below(2) as i64; rank])),
            ];
            let data = [vec![batch, k], places(rank, size)].concat();
            let weight = [vec![own, other], places(rank, kernel)].concat();
            if random.below(3) > 0 {
                return (name, attrs, [data, weight]);
            }
            // Channels last.
            let letters = &"DHW"[3 - rank..];
            let first = if at == 4 { "IO" } else { "OI" };
            attrs.extend([
                ("data_layout", AttrValue::Str(format!("N{letters}C").into())),
                ("kernel_layout", AttrValue::Str(format!("{letters}{first}").into())),
            ]);
            let last = |shape: Vec<usize>, n: usize| [&shape[..2 - n], &shape[2..], &shape[2 - n..2]].concat();
            (name, attrs, [last(data, 1), last(weight, 2)])
        }
    }
}

#[test]
fn what_follows_a_product_or_a_convolution_has_the_same_bits() {
    let fusible = elementwise();
    let (mut random, mut operators, mut seen) = (Random(11), Operators::new(1 << 30), Seen::default());
    let (mut n_with_bias, mut n_with_norm) = (0, 0);
    for _ in 0..4_000 {
        let (name, written, shapes) = head(&mut random);
        let op = by_name(name).unwrap();
        let mut attrs = op.row().default_attrs();
        for (name, value) in written {
            attrs.entries.iter_mut().find(|entry| entry.0 == name).unwrap().1 = value;
        }
        let attrs = Arc::new(attrs);
        let mut operands: Vec<ResultType> = shapes.iter().map(|shape| float32(shape)).collect();
        // A group of channels that is none.
        let Ok(Some((results, _))) = operators.plan(op, &attrs, &operands) else { continue };
        let whole = results[0].shape.clone();
        let is_first = attrs.str("data_layout").starts_with("NC");
        let channel = if is_first { 1 } else { whole.len() - 1 };
        let mut vector = vec![1; whole.len()];
        vector[channel] = whole[channel];
        operands.extend([
            float32(&whole[channel..=channel]),
            float32(&vector[channel..]),
            float32(&whole),
            float32(&random.of(&[vec![], vector.clone(), vec![1], whole.clone()])),
        ]);
        let mut steps: Vec<Step> = Vec::new();
        let span = |at: usize| Span::new(at as u32, at as u32);
        let named = |name: &str, inputs: Vec<Input>, n_before: usize| {
            let op = by_name(name).unwrap();
            Step { op, attrs: Arc::new(op.row().default_attrs()), inputs, span: span(n_before) }
        };
        // What a norm may have for a vector.
        let mut vectors = vec![Input::Operand(2)];
        match random.below(3) {
            0 => steps.push(step(&mut random, &fusible, operands.len(), 0)),
            1 => {
                vectors.push(Input::Step(0));
                steps.push(named("exp", vec![Input::Operand(2)], 0));
            }
            _ => {}
        }
        let first = steps.len();
        let inputs = vec![Input::Operand(0), Input::Operand(1)];
        steps.push(Step { op, attrs, inputs, span: span(first) });
        let is_biased = random.below(3) > 0;
        if is_biased {
            let name = random.of(&["add", "nn.bias_add"]);
            let op = by_name(name).unwrap();
            let mut attrs = op.row().default_attrs();
            attrs.entries.iter_mut().for_each(|(_, value)| *value = AttrValue::Int(channel as i64));
            let mut inputs = vec![Input::Step(first), Input::Operand(if name == "add" { 3 } else { 2 })];
            if name == "add" && random.below(2) == 0 {
                inputs.reverse();
            }
            steps.push(Step { op, attrs: Arc::new(attrs), inputs, span: span(first + 1) });
        }
        let is_normal = random.below(3) == 0;
        if is_normal {
            let mut inputs = vec![Input::Step(steps.len() - 1)];
            inputs.extend((0..4).map(|_| random.of(&vectors)));
            let mut norm = named("nn.batch_norm", inputs, steps.len());
            for (name, value) in &mut Arc::make_mut(&mut norm.attrs).entries {
                *value = match *name {
                    "axis" => AttrValue::Int(channel as i64),
                    "epsilon" => AttrValue::Float(random.of(&[0.0, 0.1])),
                    _ => AttrValue::Bool(random.below(3) > 0),
                };
            }
            norm.op = norm.op.first_field().unwrap();
            steps.push(norm);
        }
        if random.below(2) == 0 {
            steps.push(named("nn.relu", vec![Input::Step(steps.len() - 1)], steps.len()));
        }
        for _ in 0..random.below(4) {
            steps.push(step(&mut random, &fusible, operands.len(), steps.len()));
        }
        // What is not all float32 goes another way.
        if random.below(4) == 0 {
            let mut cast = named("cast", vec![Input::Step(steps.len() - 1)], steps.len());
            for (_, value) in &mut Arc::make_mut(&mut cast.attrs).entries {
                *value = AttrValue::Str("int32".into());
            }
            steps.push(cast);
        }
        let before = seen.n_planned;
        check(&mut random, &mut operators, &steps, &operands, &mut seen);
        n_with_bias += usize::from(is_biased && seen.n_planned > before);
        n_with_norm += usize::from(is_normal && seen.n_planned > before);
    }
    println!("{seen:?}, {n_with_bias} with a bias, {n_with_norm} with a norm");
    assert!(seen.n_planned > 1_000 && n_with_bias > 500 && n_with_norm > 300);
}

#[test]
fn a_norm_keeps_its_bound() {
    let (mut random, mut operators, mut worst) = (Random(23), Operators::new(1 << 30), 0.0_f64);
    let op = by_name("nn.batch_norm").unwrap().first_field().unwrap();
    let numbers = |random: &mut Random, n: usize| {
        (0..n).map(|_| random.below(1 << 24) as f32 / (1 << 22) as f32 - 2.0).collect::<Vec<f32>>()
    };
    for _ in 0..300 {
        let [outer, channels, inner] = [1 + random.below(3), 1 + random.below(9), 1 + random.below(40)];
        let n = outer * channels * inner;
        let x = numbers(&mut random, n);
        let [gamma, beta, mean, mut variance] = std::array::from_fn(|_| numbers(&mut random, channels));
        variance.iter_mut().for_each(|x| *x = x.abs());
        let mut attrs = op.row().default_attrs();
        attrs.entries.iter_mut().find(|entry| entry.0 == "epsilon").unwrap().1 = AttrValue::Float(0.125);
        let shapes = [&[outer, channels, inner][..], &[channels], &[channels], &[channels], &[channels]];
        let types = shapes.map(float32);
        let (_, plan) = operators.plan(op, &Arc::new(attrs), &types).unwrap().unwrap();
        let sources = [&x, &gamma, &beta, &mean, &variance].map(|of| Some(bytemuck::cast_slice(of)));
        let mut result = vec![9.0_f32; n];
        plan.unwrap().run(&sources, bytemuck::cast_slice_mut(&mut result), &mut Scratch::default()).unwrap();
        for (at, (&x, &got)) in x.iter().zip(&result).enumerate() {
            let of = |vector: &[f32]| f64::from(vector[at / inner % channels]);
            let scaled = (f64::from(x) - of(&mean)) / (of(&variance) + 0.125).sqrt() * of(&gamma);
            let far = (f64::from(got) - (scaled + of(&beta))).abs() * f64::powi(2.0, 24);
            worst = worst.max(if far == 0.0 { 0.0 } else { far / (scaled.abs() + of(&beta).abs()) });
        }
    }
    println!("nn.batch_norm: {worst:.2} of 2^-24");
    assert!(worst > 0.5 && worst <= 7.0, "{worst}");
}
