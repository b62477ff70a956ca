//! What a row means, element by element: what plans are compared with.

use crate::Kernel;
use crate::run::{Call, Fault, WellTyped, floats, ints, truncated, widen};
use base::ToList;
use kernel::strided::{View, map2};
use ty::{Dtype, Elements, Value};

/// Evaluates one call by the scalar meaning of a kernel.
pub fn by_meaning(kernel: &Kernel, call: &Call) -> Result<Value, Fault> {
    match kernel {
        Kernel::Missing => Err(Fault::no_kernel()),
        Kernel::Argument => call.args.first().cloned().well_typed(),
        Kernel::Whole(run) | Kernel::Planned(Some(run)) => run(call),
        Kernel::Planned(None) => unreachable!("tests have the meaning"),
        Kernel::Map1 { float, int } => {
            let (x, result) = (call.tensor(0)?, call.result(0)?);
            call.one(match (&*x.elements(), int) {
                (Elements::Float(values), _) => floats(result.dtype, values.iter().map(|&x| float(x))),
                (Elements::Int(values), Some(int)) => {
                    ints(result.dtype, values.iter().map(|&value| int(widen(x.dtype(), value)) as i64))
                }
                (Elements::Int(values), None) => {
                    let whole = |&value| truncated(result.dtype, float(widen(x.dtype(), value) as f64));
                    Elements::Int(values.iter().map(whole).collect())
                }
            })
        }
        Kernel::Bits(int) => {
            let (x, result) = (call.tensor(0)?, call.result(0)?);
            call.one(match &*x.elements() {
                Elements::Float(values) => floats(result.dtype, values.iter().map(|_| f64::NAN)),
                Elements::Int(values) if x.dtype() == Dtype::Bool => {
                    ints(result.dtype, values.iter().map(|&value| (int(value.into()) & 1) as i64))
                }
                Elements::Int(values) => {
                    ints(result.dtype, values.iter().map(|&value| int(widen(x.dtype(), value)) as i64))
                }
            })
        }
        Kernel::Map2 { float, int } => {
            let (a, b, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
            // With an axis, the second operand is a vector along it.
            let mut shape = b.shape().to_vec();
            if call.attrs.int("axis").is_some() {
                shape = vec![1; a.shape().len()];
                shape[call.axis("axis", 1, a.shape().len())] = b.elements().len();
            }
            call.one(match (&*a.elements(), &*b.elements()) {
                (Elements::Float(x), Elements::Float(y)) => {
                    let (x, y) = (View::new(x, a.shape()), View::new(y, &shape));
                    floats(result.dtype, map2(x, y, &result.shape, float).into_iter())
                }
                (Elements::Int(x), Elements::Int(y)) => {
                    let (x, y) = (View::new(x, a.shape()), View::new(y, &shape));
                    let dtype = a.dtype();
                    let values = map2(x, y, &result.shape, |x, y| int(widen(dtype, x), widen(dtype, y)));
                    let values: Option<Vec<i128>> = values.into_iter().some_list();
                    let values = values.ok_or_else(Fault::division_by_zero)?.into_iter();
                    ints(result.dtype, values.map(|value| value as i64))
                }
                _ => return Err(Fault::ill_typed()),
            })
        }
        Kernel::Compare { float, int } => {
            let (a, b, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
            let truth = match (&*a.elements(), &*b.elements()) {
                (Elements::Float(x), Elements::Float(y)) => {
                    map2(View::new(x, a.shape()), View::new(y, b.shape()), &result.shape, float)
                }
                (Elements::Int(x), Elements::Int(y)) => {
                    let dtype = a.dtype();
                    let compare = |x, y| int(widen(dtype, x), widen(dtype, y));
                    map2(View::new(x, a.shape()), View::new(y, b.shape()), &result.shape, compare)
                }
                _ => return Err(Fault::ill_typed()),
            };
            call.one(Elements::Int(truth.into_iter().map(i64::from).list()))
        }
        Kernel::Test(test) => {
            let x = call.tensor(0)?;
            let truth = match &*x.elements() {
                Elements::Float(values) => values.iter().map(|&x| i64::from(test(x))).list(),
                Elements::Int(values) => values.iter().map(|_| i64::from(test(0.0))).list(),
            };
            call.one(Elements::Int(truth))
        }
    }
}
