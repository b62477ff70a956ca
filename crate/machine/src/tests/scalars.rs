//! Arithmetic on scalars has the bits that kernels give.

use super::*;
use crate::scalar::{Binary, Class, binary, cast};
use op::{elementwise, on_scalars};

use op::{Call, ResultType};
use ty::{Attrs, Scalar, scalar_bits, scalar_of};

fn samples(dtype: Dtype) -> Vec<Scalar> {
    match dtype.int_range() {
        None => [0.0, -0.0, 1.0, -1.5, 0.1, 3.0, -7.25, 1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, 2.5]
            .map(|value| Scalar::Float(op::round_to(dtype, value)))
            .to_vec(),
        Some((least, most)) => {
            let near = [least, least + 1, 0, 1, 2, 3, 7, most - 1, most].into_iter();
            let near = near.chain([-1, -2, -3, -7, 5, 100]).filter(|value| (least..=most).contains(value));
            near.map(|value| Scalar::Int(value as i64)).collect()
        }
    }
}

#[test]
fn every_elementwise_operator_on_scalars() {
    let mut n_compared = 0;
    // Those with an attribute go along an axis, which scalars have not.
    for (id, row) in (0..).map(op::OpId::numbered).zip(op::all()).filter(|(_, row)| row.attrs.is_empty()) {
        for dtype in Dtype::ALL {
            let Some((to, n)) = elementwise(&row.kernel, dtype) else { continue };
            for &a in &samples(dtype) {
                for &b in &samples(dtype)[..if n == 1 { 1 } else { samples(dtype).len() }] {
                    let args = [Value::Scalar(dtype, a), Value::Scalar(dtype, b)];
                    let results = [ResultType { shape: Vec::new(), dtype: to }];
                    let call =
                        Call { args: &args[..n.into()], attrs: &Attrs::default(), results: &results, memory: u64::MAX };
                    let expected = op::run(row, &call).map(|value| match value {
                        Value::Scalar(dtype, scalar) => scalar_bits(dtype, scalar),
                        other => panic!("{other:?}"),
                    });
                    let (x, y) = (scalar_bits(dtype, a), scalar_bits(dtype, b));
                    assert_eq!(on_scalars(id, [dtype, to], x, y), expected, "{} {dtype} {a:?} {b:?}", row.name);
                    let quick = (Binary::of(row.name), Class::of(dtype));
                    if let (Some(operator), Some(class)) = quick
                        && operator.is_on(class)
                    {
                        n_compared += 1;
                        let found = binary(operator, class, x, y);
                        assert_eq!(found, expected.ok(), "{} {dtype} {a:?} {b:?}", row.name);
                    }
                }
            }
        }
    }
    assert!(n_compared > 5000, "{n_compared}");
}

#[test]
fn casts() {
    let row = op::by_name("cast").unwrap().row();
    for from in Dtype::ALL {
        for into in Dtype::ALL {
            for &a in &samples(from) {
                let args = [Value::Scalar(from, a)];
                let results = [ResultType { shape: Vec::new(), dtype: into }];
                let call = Call { args: &args, attrs: &Attrs::default(), results: &results, memory: u64::MAX };
                let Ok(Value::Scalar(_, expected)) = op::run(row, &call) else { panic!("{from} {into}") };
                let found = cast(from, into, scalar_bits(from, a));
                assert_eq!(found, scalar_bits(into, expected), "{from} {into} {a:?}");
                assert_eq!(scalar_bits(into, scalar_of(into, found)), found);
            }
        }
    }
}
