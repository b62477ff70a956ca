//! `einsum` with random labels, against its definition: a sum over all places of all labels that the result has not.

use super::*;
use crate::run::{Call, run};
use base::Join;

/// Bytes that a tensor between two products may have.
const MEMORY: u64 = 1 << 24;

/// Labels of `n` operands and of the result; most labels are in two of them.
fn equation_of(random: &mut Random, n: usize) -> (Vec<Vec<u8>>, Vec<u8>) {
    let mut terms = vec![Vec::new(); n];
    let mut output = Vec::new();
    for label in b"abcde".iter().take(1 + random.below(5)) {
        let (first, second) = (random.below(n), random.below(n));
        let both = [first, second];
        for &at in if random.one_in(3) { &both[..1] } else { &both[..] } {
            let place = random.below(terms[at].len() + 1);
            // Now and then a label stands twice in one term.
            if !terms[at].contains(label) || random.one_in(3) {
                terms[at].insert(place, *label);
            }
        }
        if random.one_in(2) {
            output.insert(random.below(output.len() + 1), *label);
        }
    }
    (terms, output)
}

#[test]
fn products_by_labels_are_sums_over_all_places() {
    let mut random = Random(0x3c6e_f372_fe94_f82b);
    let op = OpId::numbered(all().iter().position(|row| row.name == "einsum").unwrap() as u32);
    let mut n_planned = 0;
    for _ in 0..6000 {
        let n_terms = random.pick(&[1, 2, 2, 2, 3]);
        let (terms, output) = equation_of(&mut random, n_terms);
        let sizes: Vec<usize> = (0..5).map(|_| random.pick(&[0, 1, 1, 2, 2, 3, 3, 4, 5, 6])).collect();
        let size = |label: u8| sizes[(label - b'a') as usize];
        let dtype = random.pick(&[Dtype::Float32, Dtype::Float32, Dtype::Float16, Dtype::Float64, Dtype::Int32]);
        let shapes: Vec<Vec<usize>> = terms
            .iter()
            .map(|term| term.iter().map(|&label| if random.one_in(9) { 1 } else { size(label) }).collect())
            .collect();
        // What all operands have once is one.
        let total = |label: u8| {
            let all = terms.iter().zip(&shapes).flat_map(|(term, shape)| term.iter().zip(shape));
            all.filter(|(own, _)| **own == label).map(|(_, &size)| size).find(|&size| size != 1).unwrap_or(1)
        };
        let mut labels = output.clone();
        labels.extend(b"abcde".iter().filter(|label| terms.concat().contains(label) && !output.contains(label)));
        let all_sizes: Vec<usize> = labels.iter().map(|&label| total(label)).collect();
        let elements: Vec<Vec<i64>> = shapes
            .iter()
            .map(|shape| (0..shape.iter().product()).map(|_| random.below(7) as i64 - 3).collect())
            .collect();
        let n_results: usize = all_sizes[..output.len()].iter().product();
        let n_summed: usize = all_sizes[output.len()..].iter().product();
        let mut expected = vec![0; n_results];
        for at in 0..n_results * n_summed {
            let mut places = vec![0; labels.len()];
            let mut left = at;
            for (place, size) in places.iter_mut().zip(&all_sizes).rev() {
                (*place, left) = (left % size, left / size);
            }
            let element = |at: usize| {
                let axes = terms[at].iter().zip(&shapes[at]);
                let offset = axes.fold(0, |offset, (label, &size)| {
                    let place = places[labels.iter().position(|own| own == label).unwrap()];
                    offset * size + if size == 1 { 0 } else { place }
                });
                elements[at][offset]
            };
            expected[at / n_summed] += (0..n_terms).map(element).product::<i64>();
        }
        let text = |term: &Vec<u8>| String::from_utf8(term.clone()).unwrap();
        let equation = format!("{}->{}", terms.iter().map(text).collect::<Vec<_>>().joined(","), text(&output));
        let attrs = Arc::new(Attrs {
            entries: vec![("equation", AttrValue::Str(equation.as_str().into()))],
            ..Attrs::default()
        });
        let tensor = |(shape, elements): (&Vec<usize>, &Vec<i64>)| {
            let elements = match dtype.is_float() {
                true => Elements::Float(elements.iter().map(|&x| x as f64).collect()),
                false => Elements::Int(elements.clone()),
            };
            Value::tensor(Tensor { dtype, shape: shape.clone(), elements })
        };
        let tensors: Vec<Value> = shapes.iter().zip(&elements).map(tensor).collect();
        let types: Vec<ResultType> = tensors.iter().filter_map(plans::type_of).collect();
        let args = [Value::Tuple(Fields::new(tensors.clone()))];
        let results = Operators::new(MEMORY).result_types(op, &args, &attrs).unwrap();
        let call = Call { args: &args, attrs: &attrs, results: &results, memory: MEMORY };
        let check = |found: &Elements| {
            let found: Vec<i64> = match found {
                Elements::Float(found) => found.iter().map(|&x| x as i64).collect(),
                Elements::Int(found) => found.clone(),
            };
            assert_eq!(found, expected, "{equation} of {shapes:?}, {dtype:?}");
        };
        for value in [run(op.row(), &call), meaning::by_meaning(&op.row().kernel, &call)] {
            check(&as_tensor(&value.unwrap()).unwrap().elements());
        }
        let planned = Operators::new(MEMORY).plan_all(op, &attrs, &types).ok().flatten();
        if let Some((results, plans)) = planned {
            n_planned += 1;
            check(&plans::run(&plans[0], &tensors, &results[0]).unwrap());
        }
    }
    assert!(n_planned > 500, "{n_planned} with a plan");
}
