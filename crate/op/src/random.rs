//! Random numbers. A key decides them; each operator gives the next key beside its result.
//!
//! The bits and the uniform numbers are Relay's. Numbers are drawn in fours, and the key counts those not used too.

use crate::places::tuple;
use crate::rule::random::{MULTINOMIAL, NORMAL, THREEFRY_GENERATE, THREEFRY_SPLIT, UNIFORM};
use crate::run::{Call, Fault, floats, ints, round_to};
use crate::{AttrForm, AttrSpec, Kernel, Op};
use base::{Append, ToList};
use kernel::scalar::float;
use kernel::strided::count;
use kernel::threefry::{Key, generate, split};
use ty::{Dtype, Elements, Value};

fn key_of(call: &Call) -> Result<Key, Fault> {
    let Elements::Int(words) = call.tensor(0)?.elements().into_owned() else { return Err(Fault::ill_typed()) };
    let words: Vec<u64> = words.into_iter().map(|word| word as u64).list();
    words.try_into().map_err(|_| Fault::ill_typed())
}

/// The key as result `index`.
fn key_value(call: &Call, index: usize, key: &Key) -> Result<Value, Fault> {
    call.value(index, Elements::Int(key.iter().map(|&word| word as i64).list()))
}

/// The next key, and `n` random words.
fn bits(call: &Call, n: usize) -> Result<(Key, Vec<u64>), Fault> {
    call.room([n])?;
    let mut words = vec![0; n];
    let next = generate(&key_of(call)?, &mut words);
    Ok((next, words))
}

/// A number from 0 to below 1 from bits of the word: one for each binary digit of the dtype behind the first. Those of
/// a `float32` are the highest of the lower half.
fn uniform(dtype: Dtype, word: u64) -> f64 {
    match dtype {
        Dtype::Float64 => (word >> 12) as f64 / (1_u64 << 52) as f64,
        _ => f64::from(word as u32 >> 9) / f64::from(1 << 23),
    }
}

fn threefry_generate_of(call: &Call) -> Result<Value, Fault> {
    let n = count(&call.result(1)?.shape);
    let (next, words) = bits(call, n)?;
    let words = Elements::Int(words.into_iter().map(|word| word as i64).list());
    Ok(tuple(vec![key_value(call, 0, &next)?, call.value(1, words)?]))
}

fn threefry_split_of(call: &Call) -> Result<Value, Fault> {
    let [left, right] = split(&key_of(call)?);
    Ok(tuple(vec![key_value(call, 0, &left)?, key_value(call, 1, &right)?]))
}

fn uniform_of(call: &Call) -> Result<Value, Fault> {
    let (low, high, result) = (call.float_operand(1)?, call.float_operand(2)?, call.result(1)?);
    let (dtype, n) = (result.dtype, count(&result.shape));
    let (next, words) = bits(call, n)?;
    let range = round_to(dtype, high - low);
    let drawn = words.iter().map(|&word| round_to(dtype, uniform(dtype, word) * range) + low);
    Ok(tuple(vec![key_value(call, 0, &next)?, call.value(1, floats(dtype, drawn))?]))
}

/// By Box and Muller: of two uniform numbers, `n` apart, the first is the radius and the second the angle.
fn normal_of(call: &Call) -> Result<Value, Fault> {
    let (mean, scale, result) = (call.float_operand(1)?, call.float_operand(2)?, call.result(1)?);
    let (dtype, n) = (result.dtype, count(&result.shape));
    let (next, words) = bits(call, n.checked_mul(2).ok_or_else(Fault::out_of_memory)?)?;
    let drawn = (0..n).map(|i| {
        let (u, v) = (uniform(dtype, words[i]), uniform(dtype, words[n + i]));
        // The logarithm of 0 would be infinite; 1 - u is never 0.
        let radius = (-2.0 * float::log(1.0 - u)).sqrt();
        radius * float::sin(2.0 * std::f64::consts::PI * v) * scale + mean
    });
    Ok(tuple(vec![key_value(call, 0, &next)?, call.value(1, floats(dtype, drawn))?]))
}

/// The first place whose probability, added to those before it, is above a uniform number. Negative probabilities are
/// 0; where rounding leaves the number above all of them it is the last place that is not 0.
fn multinomial_of(call: &Call) -> Result<Value, Fault> {
    let (p, result) = (call.tensor(1)?, call.result(1)?);
    let (Some(&len), Some(&n)) = (p.shape().last(), result.shape.last()) else { return Err(Fault::ill_typed()) };
    let n_drawn = count(&result.shape);
    if len == 0 && n_drawn > 0 {
        return Err(Fault::other("there is nothing to draw from"));
    }
    let (next, words) = bits(call, n_drawn)?;
    let p: Vec<f64> = p.floats().into_iter().map(|p| round_to(Dtype::Float32, float::maximum(p, 0.0))).list();
    let mut drawn = Vec::with_capacity(n_drawn);
    for (line, words) in p.chunks_exact(len.max(1)).zip(words.chunks_exact(n.max(1))) {
        let single = |x| round_to(Dtype::Float32, x);
        let total = line.iter().fold(0.0, |sum, p| single(sum + p));
        let sums: Vec<f64> = line
            .iter()
            .scan(0.0, |sum, p| {
                *sum = single(*sum + single(p / total));
                Some(*sum)
            })
            .list();
        let last = line.iter().rposition(|&p| p > 0.0).unwrap_or(0);
        drawn.append_all(words.iter().map(|&word| {
            let u = uniform(Dtype::Float32, word);
            sums.iter().position(|&sum| sum > u).unwrap_or(last) as i64
        }));
    }
    Ok(tuple(vec![key_value(call, 0, &next)?, call.value(1, ints(result.dtype, drawn.into_iter()))?]))
}

pub const ROWS: &[Op] = &[
    Op {
        name: "random.threefry_generate",
        infix: None,
        args: &["key"],
        attrs: &[AttrSpec::required("out_shape", AttrForm::Ints)],
        relation: &THREEFRY_GENERATE,
        kernel: Kernel::Whole(threefry_generate_of),
        doc: "
The next key, and a tensor of random bits.
```relay
def @f(%key: Tensor[(10), uint64]) { random.threefry_generate(%key, out_shape=[3, 4]) }
#                                    ^? (Tensor[(10), uint64], Tensor[(3, 4), uint64])
```
",
    },
    Op {
        name: "random.threefry_split",
        infix: None,
        args: &["key"],
        attrs: &[],
        relation: &THREEFRY_SPLIT,
        kernel: Kernel::Whole(threefry_split_of),
        doc: "
Two keys from one, whose numbers have nothing to do with each other.
```relay
def @f(%key: Tensor[(10), uint64]) { random.threefry_split(%key) }
#                                    ^? (Tensor[(10), uint64], Tensor[(10), uint64])
```
",
    },
    Op {
        name: "random.uniform",
        infix: None,
        args: &["key", "low", "high"],
        attrs: &[AttrSpec::required("out_shape", AttrForm::Ints), AttrSpec::dtype("out_dtype")],
        relation: &UNIFORM,
        kernel: Kernel::Whole(uniform_of),
        doc: "
The next key, and floats that lie evenly between `low` and `high`, as `float32` unless `out_dtype` says otherwise.
```relay
def @f(%key: Tensor[(10), uint64]) { random.uniform(%key, 0f, 1f, out_shape=[5]) }
#                                    ^? (Tensor[(10), uint64], Tensor[(5), float32])
```
",
    },
    Op {
        name: "random.normal",
        infix: None,
        args: &["key", "mean", "scale"],
        attrs: &[AttrSpec::required("out_shape", AttrForm::Ints), AttrSpec::dtype("out_dtype")],
        relation: &NORMAL,
        kernel: Kernel::Whole(normal_of),
        doc: "
The next key, and floats that lie about `mean` with standard deviation `scale`, as `float32` unless `out_dtype` says
otherwise.
```relay
def @f(%key: Tensor[(10), uint64]) { random.normal(%key, 0f, 1f, out_shape=[2, 2]) }
#                                    ^? (Tensor[(10), uint64], Tensor[(2, 2), float32])
```
",
    },
    Op {
        name: "random.multinomial",
        infix: None,
        args: &["key", "probs"],
        attrs: &[AttrSpec::int("num_samples", 1)],
        relation: &MULTINOMIAL,
        kernel: Kernel::Whole(multinomial_of),
        doc: "
The next key, and positions drawn along the last axis by the probabilities there.
```relay
def @f(%key: Tensor[(10), uint64], %p: Tensor[(3, 4), float32]) {
    random.multinomial(%key, %p, num_samples=2)
#   ^? (Tensor[(10), uint64], Tensor[(3, 2), int32])
}
random.multinomial(zeros(shape=[10], dtype=\"uint64\"), [0f, 1f], num_samples=3).1
#=> [1, 1, 1]
```
",
    },
];
