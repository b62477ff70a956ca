//! What operators that move elements share: moving by places, reading indices, keys to sort by.

use crate::run::{Arg, Call, Fault, round_to, widen, wrap_to};
use base::ToList;
use kernel::index::{NOWHERE, float_key, int_key};
use ty::{Dtype, Elements, Fields, Scalar, Value};

/// The elements at these places; `fill` stands at [`NOWHERE`].
pub(crate) fn moved(elements: &Elements, places: &[usize], fill: Scalar) -> Elements {
    match (elements, fill) {
        (Elements::Float(values), Scalar::Float(fill)) => {
            Elements::Float(places.iter().map(|&at| if at == NOWHERE { fill } else { values[at] }).list())
        }
        (Elements::Int(values), Scalar::Int(fill)) => {
            Elements::Int(places.iter().map(|&at| if at == NOWHERE { fill } else { values[at] }).list())
        }
        (Elements::Float(_), Scalar::Int(_)) => moved(elements, places, Scalar::Float(0.0)),
        (Elements::Int(_), Scalar::Float(_)) => moved(elements, places, Scalar::Int(0)),
    }
}

/// 0 as an element of the like.
pub(crate) fn zero(elements: &Elements) -> Scalar {
    match elements {
        Elements::Float(_) => Scalar::Float(0.0),
        Elements::Int(_) => Scalar::Int(0),
    }
}

/// `n` times one number.
pub(crate) fn filled(scalar: Scalar, n: usize) -> Elements {
    match scalar {
        Scalar::Float(value) => Elements::Float(vec![value; n]),
        Scalar::Int(value) => Elements::Int(vec![value; n]),
    }
}

/// An index into an axis of that size, which a negative one is not.
pub(crate) fn within(index: i64, size: usize) -> Result<usize, Fault> {
    let found = usize::try_from(index).ok().filter(|&index| index < size);
    found.ok_or_else(|| Fault::index(index))
}

/// As [`within`], where a negative index counts from the end.
pub(crate) fn within_either(index: i64, size: usize) -> Result<usize, Fault> {
    within(index, size).or_else(|fault| within(index.saturating_add(size as i64), size).map_err(|_| fault))
}

/// A number of each element that is ordered as the elements are. NaN is above all numbers.
pub(crate) fn keys(x: &Arg) -> Vec<u64> {
    match &*x.elements() {
        Elements::Float(values) => values.iter().map(|&value| float_key(value)).list(),
        Elements::Int(values) if x.dtype() == Dtype::UInt64 => values.iter().map(|&value| value as u64).list(),
        Elements::Int(values) => values.iter().map(|&value| int_key(value)).list(),
    }
}

/// How an update goes into what is there.
#[derive(Clone, Copy)]
pub(crate) struct Merge {
    float: fn(f64, f64) -> f64,
    int: fn(i128, i128) -> i128,
}

impl Merge {
    /// By the name that `scatter_elements` and `scatter_nd` call it.
    pub(crate) fn named(name: &str) -> Result<Merge, Fault> {
        use kernel::scalar::float;
        Ok(match name {
            "update" => Merge { float: |_, new| new, int: |_, new| new },
            "add" => Merge { float: float::add, int: |old, new| old + new },
            "mul" => Merge { float: float::multiply, int: |old, new| old.wrapping_mul(new) },
            "mean" => Merge { float: |old, new| (old + new) / 2.0, int: |old, new| (old + new) / 2 },
            "min" => Merge { float: float::minimum, int: i128::min },
            "max" => Merge { float: float::maximum, int: i128::max },
            _ => return Err(Fault::ill_typed()),
        })
    }

    /// One update into what is there, rounded or wrapped.
    pub(crate) fn one(self, dtype: Dtype, old: Scalar, new: Scalar) -> Scalar {
        match (old, new) {
            (Scalar::Int(old), Scalar::Int(new)) => {
                Scalar::Int(wrap_to(dtype, (self.int)(widen(dtype, old), widen(dtype, new)) as i64))
            }
            (Scalar::Float(old), Scalar::Float(new)) => Scalar::Float(round_to(dtype, (self.float)(old, new))),
            (Scalar::Int(_), Scalar::Float(_)) | (Scalar::Float(_), Scalar::Int(_)) => old,
        }
    }

    /// Merges each update into the data at its place, in order, rounding each time.
    pub(crate) fn all(self, data: &Arg, updates: &Arg, places: &[usize]) -> Result<Elements, Fault> {
        let dtype = data.dtype();
        let mut elements = data.elements().into_owned();
        match (&mut elements, &*updates.elements()) {
            (Elements::Float(values), Elements::Float(updates)) => {
                for (&at, &new) in places.iter().zip(updates) {
                    values[at] = round_to(dtype, (self.float)(values[at], new));
                }
            }
            (Elements::Int(values), Elements::Int(updates)) => {
                for (&at, &new) in places.iter().zip(updates) {
                    values[at] = wrap_to(dtype, (self.int)(widen(dtype, values[at]), widen(dtype, new)) as i64);
                }
            }
            (Elements::Float(_), Elements::Int(_)) | (Elements::Int(_), Elements::Float(_)) => {
                return Err(Fault::ill_typed());
            }
        }
        Ok(elements)
    }
}

/// A tuple of results.
pub(crate) fn tuple(values: Vec<Value>) -> Value {
    Value::Tuple(Fields::new(values))
}

impl Call<'_> {
    /// The tensors of an operand that is a tuple.
    pub(crate) fn tensors(&self, operand: usize) -> Result<Vec<Arg<'_>>, Fault> {
        let Some(Value::Tuple(fields)) = self.args.get(operand) else { return Err(Fault::ill_typed()) };
        fields.iter().map(crate::run::as_tensor).ok_list()
    }

    /// An operand that is one number, as an integer.
    pub(crate) fn int_operand(&self, operand: usize) -> Result<i64, Fault> {
        one_of(&self.tensor(operand)?.ints())
    }

    /// An operand that is one number, as a float.
    pub(crate) fn float_operand(&self, operand: usize) -> Result<f64, Fault> {
        one_of(&self.tensor(operand)?.floats())
    }
}

fn one_of<T: Copy>(numbers: &[T]) -> Result<T, Fault> {
    match numbers {
        [number] => Ok(*number),
        _ => Err(Fault::other("an operand that must be one number is none, or many")),
    }
}
