//! Against the moves by the definition, of random shapes, axes and strides.

use super::*;
use crate::shape;
use crate::strided::{View, count};
use crate::trial::Random;

/// The bytes of elements that are told apart.
fn bytes_of(elements: &[usize], size: usize) -> Vec<u8> {
    elements.iter().flat_map(|&at| (0..size).map(move |byte| (at * 31 + at / 256 + byte * 7) as u8)).collect()
}

#[test]
fn any_axes_of_any_elements() {
    let mut random = Random(51);
    for _ in 0..2000 {
        let rank = random.below(7);
        let shape = random.shape(rank, 3000);
        let mut axes: Vec<usize> = (0..rank).collect();
        (1..rank).for_each(|axis| axes.swap(axis, random.below(axis + 1)));
        let size = random.pick(&[1, 2, 3, 4, 4, 8, 16]);
        let order: Vec<usize> = (0..count(&shape)).collect();
        let from = bytes_of(&order, size);
        let mut got = vec![9; from.len()];
        Permutation::new(&shape, &axes).run(size, &from, &mut got);
        let want = bytes_of(&shape::transpose(View::new(&order, &shape), &axes), size);
        assert_eq!(got, want, "{shape:?} {axes:?} of {size}");
    }
}

#[test]
fn axes_that_stay_together_are_one() {
    assert_eq!(Permutation::new(&[2, 3, 4], &[0, 1, 2]).core, Core::Run(24));
    assert_eq!(Permutation::new(&[2, 3, 4], &[1, 0, 2]).core, Core::Run(4));
    let [rows, columns] = [Axis { size: 2, from: 12, to: 1 }, Axis { size: 12, from: 1, to: 2 }];
    assert_eq!(Permutation::new(&[2, 3, 4], &[1, 2, 0]).core, Core::Turn { rows, columns });
}

#[test]
fn copies_go_from_any_part_to_any_other() {
    let mut random = Random(52);
    for _ in 0..2000 {
        let (n_runs, run) = (random.size(20), random.size(70));
        let [at, target] = [0, 1].map(|_| Strided { start: random.below(9), stride: run + random.below(5) });
        let [length, to_length] = [at, target].map(|part| part.start + n_runs * part.stride + random.below(3));
        let from: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        let mut got = vec![9; to_length];
        let mut want = got.clone();
        copy(n_runs, run, (&from, at), (&mut got, target));
        for (index, byte) in (0..n_runs).flat_map(|index| (0..run).map(move |byte| (index, byte))) {
            want[target.start + index * target.stride + byte] = from[at.start + index * at.stride + byte];
        }
        assert_eq!(got, want, "{n_runs} of {run} from {at:?} to {target:?}");
    }
}
