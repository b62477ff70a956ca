use super::*;
use crate::shape;
use crate::strided::{View, count};

fn orders(rank: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![vec![]];
    for axis in 0..rank {
        let insert = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| [&order[..at], &[axis], &order[at..]].concat())
        };
        orders = orders.iter().flat_map(insert).collect();
    }
    orders
}

#[test]
fn any_axes_of_any_elements() {
    let shapes: [&[usize]; 11] = [
        &[],
        &[5],
        &[3, 5],
        &[16, 16],
        &[33, 50],
        &[2, 3, 4],
        &[1, 18, 37],
        &[20, 1, 17],
        &[2, 3, 4, 5],
        &[2, 1, 19, 16],
        &[0, 3],
    ];
    for shape in shapes {
        for axes in orders(shape.len()) {
            let permutation = Permutation::new(shape, &axes);
            for size in [1, 2, 3, 4, 8] {
                let n = count(shape);
                let order: Vec<usize> = (0..n).collect();
                let bytes = |element: usize| (0..size).map(move |byte| (element * 31 + byte * 7) as u8);
                let from: Vec<u8> = order.iter().flat_map(|&at| bytes(at)).collect();
                let turned = shape::transpose(View::new(&order, shape), &axes);
                let want: Vec<u8> = turned.iter().flat_map(|&at| bytes(at)).collect();
                let mut got = vec![9; from.len()];
                permutation.run(size, &from, &mut got);
                assert_eq!(got, want, "{shape:?} {axes:?} of {size}");
            }
        }
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
fn copies_concatenate_and_split() {
    let mut to = [0; 8];
    copy(2, 3, (&[1, 2, 3, 4, 5, 6], Strided { start: 0, stride: 3 }), (&mut to, Strided { start: 0, stride: 4 }));
    copy(2, 1, (&[7, 8], Strided { start: 0, stride: 1 }), (&mut to, Strided { start: 3, stride: 4 }));
    assert_eq!(to, [1, 2, 3, 7, 4, 5, 6, 8]);
    let mut back = [0; 2];
    copy(2, 1, (&to, Strided { start: 3, stride: 4 }), (&mut back, Strided { start: 0, stride: 1 }));
    assert_eq!(back, [7, 8]);
}
