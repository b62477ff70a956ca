//! Plans on values: what everything that has no memory of its own goes through.

use super::single::{self, Single, View};
use super::{Scratch, Source};
use crate::run::{Call, Fault, ResultType};
use crate::{OpId, all};
use base::ToList;
use kernel::elementwise::broadcast::{self, Walk};
use kernel::elementwise::{Binary, Source as From, Unary, binary, unary};
use kernel::fold::{self, Extent, Fold};
use kernel::gemm::{Epilogue, Right, multiply};
use kernel::permute::Permutation;
use kernel::rows;
use std::sync::LazyLock;
use ty::{Attrs, Dtype, Elements, Tensor, Value};

/// The value of a call on float32, if there is a body for it. Where there is none, and on any other dtype, the scalar
/// meaning of the kernel is all there is.
pub fn on_values(name: &str, call: &Call) -> Option<Result<Value, Fault>> {
    let [result] = call.results else { return None };
    let operands: Vec<ResultType> = call.args.iter().map(type_of).some_list()?;
    let single = Single::new(name, call.attrs, &operands, result)?;
    let words: Vec<Vec<u64>> = call.args.iter().zip(&operands).map(|(arg, of)| words_of(arg, of)).list();
    let sources: Vec<Source> =
        words.iter().zip(&operands).map(|(words, of)| bytemuck::cast_slice(words).get(..n_bytes(of))).list();
    let mut memory = vec![0_u64; n_bytes(result).div_ceil(8)];
    let to = &mut bytemuck::cast_slice_mut(&mut memory)[..n_bytes(result)];
    Some(single.run(&sources, to, &mut Scratch::default()).map(|()| {
        let ResultType { shape, dtype } = result.clone();
        Value::tensor(Tensor { dtype, shape, elements: Elements::of_bytes(dtype, to) })
    }))
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
        Value::Tensor(tensor) => tensor.elements.write_bytes(tensor.dtype, bytemuck::cast_slice_mut(&mut words)),
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
    pub fn run(self, a: From, b: From, to: &mut [f32]) {
        match self {
            Elementwise::Unary(op) => unary(op, a, to),
            Elementwise::Binary(op) => binary(op, a, b, to),
        }
    }
}

/// A body on one or two tensors of float32, whose result is a tensor too, called without the way over bytes: what calls
/// on a few elements are for.
#[derive(Clone)]
pub enum Direct {
    Each(Elementwise),
    Broadcast(Binary, Walk<2>),
    /// And what sums are divided by.
    Fold(Fold, Extent, Option<usize>),
    Softmax(Extent),
    Product(View, View),
    Permute(Permutation),
}

impl Direct {
    /// Of operands and a result as long as the plan had them; `None` if they are not. One operand does not look at `b`.
    #[inline]
    pub fn run(&self, a: From, b: From, to: &mut [f32], scratch: &mut Scratch) -> Option<()> {
        match self {
            Direct::Each(op) => op.run(a, b, to),
            _ => self.run_others(a, b, to, scratch)?,
        }
        Some(())
    }

    #[inline(never)]
    fn run_others(&self, a: From, b: From, to: &mut [f32], scratch: &mut Scratch) -> Option<()> {
        let scratch = &mut scratch.conv.panels;
        match (self, a, b) {
            (Direct::Broadcast(op, walk), ..) => broadcast::binary(*op, walk, [a, b], to),
            (Direct::Fold(op, extent, divisor), From::Other(x), _) => {
                fold::fold(*op, *extent, x, to, scratch);
                if let Some(n) = divisor {
                    single::divide(to, *n);
                }
            }
            (Direct::Softmax(extent), ..) => rows::softmax(*extent, a, to, scratch),
            (Direct::Product(left, right), From::Other(a), From::Other(b)) => {
                let (a, b) = (left.matrix(a)?, right.matrix(b)?);
                multiply(a, Right::Strided(b), to, &Epilogue::default(), scratch)?;
            }
            (Direct::Permute(permutation), From::Other(x), _) => {
                permutation.run(4, bytemuck::cast_slice(x), bytemuck::cast_slice_mut(to));
            }
            _ => return None,
        }
        Some(())
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
    let known = if from == Dtype::Float32 { ON_SCALARS[op.0 as usize] } else { None };
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
