//! Plans on values: what everything that has no memory of its own goes through.

use super::blocks::{elements_at, write_elements};
use super::each::Each;
use super::single::{self, Single};
use super::{Plan, Scratch, Source};
use crate::run::{Call, Fault, ResultType, WellTyped};
use crate::{Op, OpId, all};
use base::{Append, ToList};
use kernel::elementwise::{Binary, Source as From, Unary, binary, unary};
use kernel::gemm::Small;
use kernel::native::Loop;
use kernel::permute::Permutation;
use std::sync::LazyLock;
use ty::{Attrs, Dtype, Fields, Tensor, Value};

/// The value of a call, if there is a body for it that may be rounded in another way than the meaning has it.
pub fn on_values(name: &str, call: &Call) -> Option<Result<Value, Fault>> {
    let (values, operands, result) = types_of(call)?;
    let plan = Plan::rounded(name, call.attrs, &operands, result)?;
    Some(on_bytes(&values, &operands, result, &|sources, to| plan.run(sources, to, &mut Scratch::default())))
}

/// The value of a call by its plans, if it has them.
pub fn planned_on_values(row: &'static Op, call: &Call) -> Option<Result<Value, Fault>> {
    let (values, operands) = operands_of(call)?;
    let plans = Plan::all(row, call.attrs, &operands, call.results)?;
    let one = |(plan, result): (&Plan, &ResultType)| {
        on_bytes(&values, &operands, result, &|sources, to| plan.run(sources, to, &mut Scratch::default()))
    };
    let mut results = match plans.iter().zip(call.results).map(one).ok_list() {
        Ok(results) => results,
        Err(fault) => return Some(Err(fault)),
    };
    Some(Ok(if results.len() == 1 { results.remove(0) } else { Value::Tuple(Fields::new(results)) }))
}

/// The value of an elementwise call on any dtype.
pub fn each_on_values(row: &'static Op, call: &Call) -> Option<Result<Value, Fault>> {
    let (values, operands, result) = types_of(call)?;
    let each = Each::new(row, call.attrs, &operands, result)?;
    Some(on_bytes(&values, &operands, result, &|sources, to| each.run(sources, to, Scratch::default().blocks())))
}

/// As [`operands_of`], and the type of the only result.
fn types_of<'a>(call: &'a Call) -> Option<(Vec<&'a Value>, Vec<ResultType>, &'a ResultType)> {
    let [result] = call.results else { return None };
    let (values, operands) = operands_of(call)?;
    Some((values, operands, result))
}

/// The operands, each of a tuple by itself, and their types.
fn operands_of<'a>(call: &'a Call) -> Option<(Vec<&'a Value>, Vec<ResultType>)> {
    let mut values = Vec::new();
    for arg in call.args {
        match arg {
            Value::Tuple(fields) => values.append_all(fields.iter()),
            _ => values.push(arg),
        }
    }
    let operands = values.iter().map(|value| type_of(value)).some_list()?;
    Some((values, operands))
}

type Body<'a> = dyn Fn(&[Source], &mut [u8]) -> Result<(), Fault> + 'a;

/// Brings the operands into memory, and the result back.
fn on_bytes(values: &[&Value], operands: &[ResultType], result: &ResultType, run: &Body) -> Result<Value, Fault> {
    let words: Vec<Vec<u64>> = values.iter().zip(operands).map(|(arg, of)| words_of(arg, of)).list();
    let sources: Vec<Source> =
        words.iter().zip(operands).map(|(words, of)| bytemuck::cast_slice(words).get(..n_bytes(of))).list();
    let mut memory = vec![0_u64; n_bytes(result).div_ceil(8)];
    let to = &mut bytemuck::cast_slice_mut(&mut memory)[..n_bytes(result)];
    run(&sources, to)?;
    let ResultType { shape, dtype } = result.clone();
    Ok(Value::tensor(Tensor { dtype, shape, elements: elements_at(dtype, to) }))
}

fn type_of(value: &Value) -> Option<ResultType> {
    match value {
        Value::Scalar(dtype, _) => Some(ResultType { shape: Vec::new(), dtype: *dtype }),
        Value::Tensor(tensor) => Some(ResultType { shape: tensor.shape.clone(), dtype: tensor.dtype }),
        Value::Tuple(_) | Value::Data(..) | Value::Variant(..) | Value::Func(..) | Value::Ref(_) => None,
    }
}

fn n_bytes(of: &ResultType) -> usize {
    of.shape.iter().product::<usize>() * of.dtype.n_bytes()
}

/// The elements of a scalar or tensor, in memory of their own.
fn words_of(value: &Value, of: &ResultType) -> Vec<u64> {
    let mut words = vec![0; n_bytes(of).div_ceil(8)];
    match value {
        Value::Scalar(dtype, scalar) => words[0] = ty::scalar_bits(*dtype, *scalar),
        Value::Tensor(tensor) => write_elements(&tensor.elements, tensor.dtype, bytemuck::cast_slice_mut(&mut words)),
        Value::Tuple(_) | Value::Data(..) | Value::Variant(..) | Value::Func(..) | Value::Ref(_) => {}
    }
    words
}

/// An operator on float32 of one element each.
#[derive(Clone, Copy)]
pub enum Elementwise {
    Unary(Unary),
    Binary(Binary),
}

impl Elementwise {
    /// Of every pair; one operand does not look at `b`. What is not the result has as many elements, or, for two, one.
    pub fn run(&self, a: From, b: From, to: &mut [f32]) {
        match self {
            Elementwise::Unary(op) => unary(op, a, to),
            Elementwise::Binary(op) => binary(*op, a, b, to),
        }
    }
}

/// A plan for at most three operands, called on words of four bytes: what calls on a few elements are for. All but those
/// by bytes are for float32.
pub enum Direct {
    /// Of operands that are as long as the result, or scalars.
    Each(Elementwise),
    /// The same of one dtype, by bytes.
    Native(Loop),
    Single(Box<Single>),
    Product(Small),
    /// Of elements of four bytes.
    Permute(Permutation),
    /// All others, by bytes.
    Plan(Box<Plan>),
}

impl Direct {
    /// Of operands and a result as long as the plan had them.
    #[inline(always)]
    pub fn run<const N: usize>(&self, sources: [From; N], to: &mut [f32], scratch: &mut Scratch) -> Result<(), Fault> {
        let done = match (self, sources.as_slice()) {
            (Direct::Plan(plan), &[a]) => return plan.run(&[bytes(a)], bytemuck::cast_slice_mut(to), scratch),
            (Direct::Plan(plan), &[a, b]) => {
                return plan.run(&[bytes(a), bytes(b)], bytemuck::cast_slice_mut(to), scratch);
            }
            (Direct::Plan(plan), &[a, b, c]) => {
                return plan.run(&[bytes(a), bytes(b), bytes(c)], bytemuck::cast_slice_mut(to), scratch);
            }
            (Direct::Each(Elementwise::Unary(op)), &[a]) => {
                unary(op, a, to);
                Some(())
            }
            (Direct::Each(Elementwise::Binary(op)), &[a, b]) => {
                binary(*op, a, b, to);
                Some(())
            }
            (Direct::Single(single), &[a]) => single.on_floats([a, a], to, scratch),
            (Direct::Single(single), &[a, b]) => single.on_floats([a, b], to, scratch),
            (Direct::Native(native), &[a, b]) => native.run_here([bytes(a), bytes(b)], bytemuck::cast_slice_mut(to)),
            (Direct::Product(small), &[From::Other(a), From::Other(b)]) => small.run(a, b, to),
            (Direct::Permute(permutation), &[From::Other(x)]) => {
                permutation.run(4, bytemuck::cast_slice(x), bytemuck::cast_slice_mut(to));
                Some(())
            }
            _ => None,
        };
        done.well_typed()
    }
}

#[inline(always)]
fn bytes(source: From) -> Source {
    match source {
        From::Other(x) => Some(bytemuck::cast_slice(x)),
        From::Result => None,
    }
}

/// By row. Those with attributes are not elementwise kernels.
static ON_SCALARS: LazyLock<Vec<Option<Elementwise>>> = LazyLock::new(|| {
    let none = Attrs::default();
    let of = |name: &str| {
        let unary = single::unary(name, &none).map(Elementwise::Unary);
        unary.or_else(|| single::binary(name).map(Elementwise::Binary))
    };
    all().iter().map(|row| if row.attrs.is_empty() { of(row.name) } else { None }).list()
});

/// An elementwise operator on the bits of scalars of one dtype; the result's dtype is the second. One of one operand
/// does not look at `b`.
pub fn on_scalars(op: OpId, [from, to]: [Dtype; 2], a: u64, b: u64) -> Result<u64, Fault> {
    let known = if from == Dtype::Float32 { ON_SCALARS[op.number() as usize] } else { None };
    let (x, y) = ([f32::from_bits(a as u32)], [f32::from_bits(b as u32)]);
    let mut result = [0.0];
    match known {
        Some(known) => known.run(From::Other(&x), From::Other(&y), &mut result),
        None => return super::by_kernel(&op.row().kernel, [from, to], a, b),
    }
    Ok(match to {
        Dtype::Bool => u64::from(result[0] != 0.0),
        _ => ty::scalar_bits(to, ty::Scalar::Float(f64::from(result[0]))),
    })
}
