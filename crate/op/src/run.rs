//! Evaluating one operator call on values: by the bodies of [`crate::engine`] where rows have nothing else or results may
//! be rounded in another way there, else by the meaning of its kernel.

use crate::Op;
use crate::engine::{each_on_values, on_values, planned_on_values};
use base::ToList;
use kernel::number;
use std::borrow::Cow;
use ty::{Attrs, Dtype, Elements, Scalar, Tensor, Value};

/// How a row computes. The scalar functions take floats of every width as `f64` and integers as `i128`.
#[derive(Clone, Copy)]
pub enum Kernel {
    /// Typed, but not computed yet: running it says so.
    Missing,
    /// The first operand as it is, of any type.
    Argument,
    /// Elementwise. Without an integer meaning, integers are computed as floats and cut off.
    Map1 {
        float: fn(f64) -> f64,
        int: Option<fn(i128) -> i128>,
    },
    /// Elementwise, on the bits of integers: of a bool, on the only one. Floats have no bits to speak of.
    Bits(fn(i128) -> i128),
    /// Elementwise with broadcasting; `None` is a division by zero.
    Map2 {
        float: fn(f64, f64) -> f64,
        int: fn(i128, i128) -> Option<i128>,
    },
    /// Comparison with broadcasting.
    Compare {
        float: fn(f64, f64) -> bool,
        int: fn(i128, i128) -> bool,
    },
    /// A property of floats; integers are finite numbers.
    Test(fn(f64) -> bool),
    Whole(Meaning),
    /// All calls have a [`Plan`](crate::engine::Plan). The meaning is there for the tests of it alone.
    Planned(Option<Meaning>),
}

/// What a call comes to, on values.
pub type Meaning = fn(&Call) -> Result<Value, Fault>;

impl Kernel {
    /// See [`Kernel::Planned`].
    pub(crate) const fn planned(meaning: Meaning) -> Kernel {
        Kernel::Planned(if cfg!(test) { Some(meaning) } else { None })
    }
}

/// One call: argument values, attributes, and the types of the results (one unless the result is a tuple).
pub struct Call<'a> {
    pub args: &'a [Value],
    pub attrs: &'a Attrs,
    pub results: &'a [ResultType],
    /// How many bytes one result may have.
    pub memory: u64,
}

/// A size in a result type that only the values decide, so that the kernel says it.
pub const OPEN: usize = usize::MAX;

/// The most places that an axis has. In WebAssembly a size is a number of four bytes, and one more is [`OPEN`].
pub const MAX_SIZE: u32 = u32::MAX - 1;

/// Shape and dtype of one result tensor. A size may be [`OPEN`].
#[derive(Clone, Debug, PartialEq)]
pub struct ResultType {
    pub shape: Vec<usize>,
    pub dtype: Dtype,
}

impl ResultType {
    /// Bytes of the elements, without the sizes that only values decide; what cannot be counted is the largest number.
    pub fn n_bytes(&self) -> u64 {
        let sizes = self.shape.iter().filter(|&&size| size != OPEN);
        if self.shape.contains(&0) {
            return 0;
        }
        sizes.fold(self.dtype.n_bytes() as u64, |bytes, &size| bytes.saturating_mul(size as u64))
    }

    /// Elements, counted as [`n_bytes`](ResultType::n_bytes).
    pub fn n_elements(&self) -> u64 {
        self.n_bytes() / self.dtype.n_bytes() as u64
    }
}

/// Why a call has no value. It is a pointer, since it goes through many hands.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault(Box<FaultKind>);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FaultKind {
    DivisionByZero,
    IndexOutOfRange(i64),
    NoKernel,
    /// The values do not have the types that were inferred.
    IllTyped,
    /// A result would have more bytes than it may.
    OutOfMemory,
    /// A result of so many bytes would, as it is or as the numbers of 64 bits that it is computed as.
    LargeTensor(u64),
    /// A sentence.
    Other(Cow<'static, str>),
}

impl Fault {
    #[cold]
    #[inline(never)]
    pub(crate) fn of(kind: FaultKind) -> Fault {
        Fault(Box::new(kind))
    }

    pub(crate) fn kind(self) -> FaultKind {
        *self.0
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn ill_typed() -> Fault {
        Fault::of(FaultKind::IllTyped)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn out_of_memory() -> Fault {
        Fault::of(FaultKind::OutOfMemory)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn division_by_zero() -> Fault {
        Fault::of(FaultKind::DivisionByZero)
    }

    pub(crate) fn no_kernel() -> Fault {
        Fault::of(FaultKind::NoKernel)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn index(index: i64) -> Fault {
        Fault::of(FaultKind::IndexOutOfRange(index))
    }

    pub(crate) fn other(sentence: impl Into<Cow<'static, str>>) -> Fault {
        #[cold]
        #[inline(never)]
        fn other(sentence: Cow<'static, str>) -> Fault {
            Fault::of(FaultKind::Other(sentence))
        }
        other(sentence.into())
    }
}

/// What is there wherever a call is of the types that were inferred.
pub(crate) trait WellTyped<T> {
    fn well_typed(self) -> Result<T, Fault>;
}

impl<T> WellTyped<T> for Option<T> {
    /// `ok_or` would make the fault anyhow, and drop it: two calls where little is to be computed.
    #[inline(always)]
    fn well_typed(self) -> Result<T, Fault> {
        match self {
            Some(it) => Ok(it),
            None => Err(Fault::ill_typed()),
        }
    }
}

/// A float rounded to the nearest of its dtype.
pub fn round_to(dtype: Dtype, value: f64) -> f64 {
    match dtype {
        Dtype::Float16 => number::round_f16(value),
        Dtype::BFloat16 => number::round_bf16(value),
        Dtype::Float32 => number::round_f32(value),
        _ => number::round_f64(value),
    }
}

/// An integer as one of a dtype, of which the low bits decide; a bool is false of 0 alone.
pub(crate) fn wrap_to(dtype: Dtype, value: i64) -> i64 {
    match dtype {
        Dtype::Bool => i64::from(value != 0),
        _ => number::wrap(value, dtype.bits(), dtype.is_signed()),
    }
}

/// A float as an integer of a dtype, cut off towards zero; it saturates far from all of them.
pub(crate) fn truncated(dtype: Dtype, value: f64) -> i64 {
    let whole = number::float_to_int(value);
    // Of what is large the low bits may be 0.
    if dtype == Dtype::Bool { i64::from(whole != 0) } else { wrap_to(dtype, whole as i64) }
}

/// The bits that say which integer it is: of a bool, the last.
pub(crate) fn bits_of(dtype: Dtype) -> i128 {
    if dtype == Dtype::Bool { 1 } else { -1 }
}

/// An integer with the sign that its dtype gives its bits.
pub fn widen(dtype: Dtype, value: i64) -> i128 {
    if dtype == Dtype::UInt64 { i128::from(value as u64) } else { i128::from(value) }
}

/// The same in 64 bits, where a uint64 saturates.
pub(crate) fn narrow(dtype: Dtype, value: i64) -> i64 {
    if dtype == Dtype::UInt64 && value < 0 { i64::MAX } else { value }
}

/// A scalar of one dtype as another, as `cast` does: floats are cut off towards zero and saturate before they wrap, and
/// the bits of a `uint64` are no negative number.
pub fn cast_between(scalar: Scalar, from: Dtype, to: Dtype) -> Scalar {
    match (scalar, to.is_float()) {
        (Scalar::Float(value), true) => Scalar::Float(round_to(to, value)),
        (Scalar::Float(value), false) if to == Dtype::Bool => Scalar::Int(i64::from(value != 0.0)),
        (Scalar::Float(value), false) => Scalar::Int(truncated(to, value)),
        (Scalar::Int(value), true) if to == Dtype::Float64 => Scalar::Float(widen(from, value) as f64),
        (Scalar::Int(value), true) => Scalar::Float(round_to(to, number::int_to_float(widen(from, value)))),
        (Scalar::Int(value), false) => Scalar::Int(wrap_to(to, value)),
    }
}

/// Evaluates one call of a row.
pub fn run(row: &'static Op, call: &Call) -> Result<Value, Fault> {
    match &row.kernel {
        Kernel::Missing => Err(Fault::no_kernel()),
        Kernel::Argument => call.args.first().cloned().well_typed(),
        Kernel::Whole(run) => on_values(row.name, call).unwrap_or_else(|| run(call)),
        // A tensor without a plan has more bytes than can be counted.
        Kernel::Planned(_) => planned_on_values(row, call).unwrap_or_else(|| Err(Fault::out_of_memory())),
        _ => on_values(row.name, call).or_else(|| each_on_values(row, call)).unwrap_or_else(|| Err(Fault::ill_typed())),
    }
}

/// An elementwise kernel on scalars of one dtype, without tensors; as [`run`] would. A kernel of one operand does not
/// look at `b`.
pub fn call_scalar(kernel: &Kernel, dtype: Dtype, a: Scalar, b: Scalar) -> Result<Scalar, Fault> {
    let float = |value: f64| match dtype.is_float() {
        true => Scalar::Float(round_to(dtype, value)),
        false => Scalar::Int(truncated(dtype, value)),
    };
    let int = |value: i128| Scalar::Int(wrap_to(dtype, value as i64));
    let truth = |value: bool| Scalar::Int(i64::from(value));
    Ok(match (kernel, a, b) {
        (Kernel::Map1 { float: f, .. }, Scalar::Float(a), _) => float(f(a)),
        (Kernel::Map1 { int: Some(f), .. }, Scalar::Int(a), _) => int(f(widen(dtype, a))),
        (Kernel::Map1 { float: f, int: None }, Scalar::Int(a), _) => float(f(widen(dtype, a) as f64)),
        (Kernel::Bits(_), Scalar::Float(_), _) => float(f64::NAN),
        (Kernel::Bits(f), Scalar::Int(a), _) => int(f(widen(dtype, a)) & bits_of(dtype)),
        (Kernel::Map2 { float: f, .. }, Scalar::Float(a), Scalar::Float(b)) => float(f(a, b)),
        (Kernel::Map2 { int: f, .. }, Scalar::Int(a), Scalar::Int(b)) => {
            int(f(widen(dtype, a), widen(dtype, b)).ok_or_else(Fault::division_by_zero)?)
        }
        (Kernel::Compare { float: f, .. }, Scalar::Float(a), Scalar::Float(b)) => truth(f(a, b)),
        (Kernel::Compare { int: f, .. }, Scalar::Int(a), Scalar::Int(b)) => truth(f(widen(dtype, a), widen(dtype, b))),
        (Kernel::Test(test), Scalar::Float(a), _) => truth(test(a)),
        (Kernel::Test(test), Scalar::Int(_), _) => truth(test(0.0)),
        (Kernel::Missing, ..) => return Err(Fault::no_kernel()),
        (Kernel::Argument, ..) => a,
        (Kernel::Map2 { .. } | Kernel::Compare { .. } | Kernel::Whole(_) | Kernel::Planned(_), ..) => {
            return Err(Fault::ill_typed());
        }
    })
}

/// Floats, each rounded to the dtype.
pub(crate) fn floats(dtype: Dtype, mut values: impl Iterator<Item = f64>) -> Elements {
    floats_of(dtype, values.size_hint().0, &mut || values.next())
}

/// Integers, each wrapped to the dtype.
pub(crate) fn ints(dtype: Dtype, mut values: impl Iterator<Item = i64>) -> Elements {
    ints_of(dtype, values.size_hint().0, &mut || values.next())
}

/// Room for `n` elements.
fn room(dtype: Dtype, n: usize) -> Elements {
    if dtype.is_float() { Elements::Float(Vec::with_capacity(n)) } else { Elements::Int(Vec::with_capacity(n)) }
}

/// The loop is here once, whatever it takes its numbers from.
#[inline(never)]
fn floats_of(dtype: Dtype, n: usize, next: &mut dyn FnMut() -> Option<f64>) -> Elements {
    let mut elements = room(dtype, n);
    while let Some(value) = next() {
        match &mut elements {
            Elements::Float(floats) => floats.push(round_to(dtype, value)),
            Elements::Int(ints) => ints.push(truncated(dtype, value)),
        }
    }
    elements
}

/// As [`floats_of`].
#[inline(never)]
fn ints_of(dtype: Dtype, n: usize, next: &mut dyn FnMut() -> Option<i64>) -> Elements {
    let mut elements = room(dtype, n);
    while let Some(value) = next() {
        match &mut elements {
            Elements::Float(floats) => floats.push(round_to(dtype, value as f64)),
            Elements::Int(ints) => ints.push(wrap_to(dtype, value)),
        }
    }
    elements
}

/// An argument as a tensor, whether it is a scalar or not.
pub(crate) enum Arg<'a> {
    Scalar(Dtype, Scalar),
    Tensor(&'a Tensor),
}

impl Arg<'_> {
    pub(crate) fn dtype(&self) -> Dtype {
        match self {
            Arg::Scalar(dtype, _) => *dtype,
            Arg::Tensor(tensor) => tensor.dtype,
        }
    }

    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Arg::Scalar(..) => &[],
            Arg::Tensor(tensor) => &tensor.shape,
        }
    }

    pub(crate) fn elements(&self) -> Cow<'_, Elements> {
        match self {
            Arg::Scalar(_, Scalar::Float(value)) => Cow::Owned(Elements::Float(vec![*value])),
            Arg::Scalar(_, Scalar::Int(value)) => Cow::Owned(Elements::Int(vec![*value])),
            Arg::Tensor(tensor) => Cow::Borrowed(&tensor.elements),
        }
    }

    /// The elements as `f64`, whatever the dtype.
    pub(crate) fn floats(&self) -> Vec<f64> {
        match &*self.elements() {
            Elements::Float(values) => values.clone(),
            Elements::Int(values) => values.iter().map(|&value| widen(self.dtype(), value) as f64).list(),
        }
    }

    /// The elements as integers; what is past the last int64 saturates.
    pub(crate) fn ints(&self) -> Vec<i64> {
        match &*self.elements() {
            Elements::Float(values) => values.iter().map(|&value| value as i64).list(),
            Elements::Int(values) => values.iter().map(|&value| narrow(self.dtype(), value)).list(),
        }
    }

    /// The elements as integers with their sign.
    pub(crate) fn wide_ints(&self) -> Vec<i128> {
        match &*self.elements() {
            Elements::Float(values) => values.iter().map(|&value| number::float_to_int(value)).list(),
            Elements::Int(values) => values.iter().map(|&value| widen(self.dtype(), value)).list(),
        }
    }
}

/// A value as a tensor.
pub(crate) fn as_tensor(value: &Value) -> Result<Arg<'_>, Fault> {
    match value {
        Value::Scalar(dtype, scalar) => Ok(Arg::Scalar(*dtype, *scalar)),
        Value::Tensor(tensor) => Ok(Arg::Tensor(tensor)),
        Value::Tuple(_) | Value::Data(..) | Value::Variant(..) | Value::Func(..) | Value::Ref(_) => {
            Err(Fault::ill_typed())
        }
    }
}

/// How many elements a shape has, unless they take more bytes than that as they are held here. An empty shape must fit
/// without the axes that make it empty, since kernels count along the others.
pub(crate) fn n_that_fit(shape: impl IntoIterator<Item = usize>, memory: u64) -> Option<usize> {
    let fits = |n: u64| n.checked_mul(8).is_some_and(|bytes| bytes <= memory);
    let (mut n, mut places) = (1_u64, 1_u64);
    for size in shape {
        places = places.checked_mul(size.max(1) as u64).filter(|&places| fits(places))?;
        n *= size as u64;
    }
    fits(n).then_some(n as usize)
}

impl Call<'_> {
    pub(crate) fn tensor(&self, operand: usize) -> Result<Arg<'_>, Fault> {
        as_tensor(self.args.get(operand).well_typed()?)
    }

    pub(crate) fn result(&self, index: usize) -> Result<&ResultType, Fault> {
        self.results.get(index).well_typed()
    }

    /// The value with these elements and the type of result `index`.
    pub(crate) fn value(&self, index: usize, elements: Elements) -> Result<Value, Fault> {
        let ResultType { shape, dtype } = self.result(index)?.clone();
        if elements.len() != kernel::strided::count(&shape) {
            return Err(Fault::ill_typed());
        }
        Ok(Value::tensor(Tensor { dtype, shape, elements }))
    }

    /// The value of result `index` where the kernel says the shape, which must be one of the result's type.
    pub(crate) fn sized(&self, index: usize, shape: Vec<usize>, elements: Elements) -> Result<Value, Fault> {
        let result = self.result(index)?;
        let fits = |(&open, &size): (&usize, &usize)| open == OPEN || open == size;
        let is_shape = result.shape.len() == shape.len() && result.shape.iter().zip(&shape).all(fits);
        if !is_shape || elements.len() != kernel::strided::count(&shape) {
            return Err(Fault::ill_typed());
        }
        Ok(Value::tensor(Tensor { dtype: result.dtype, shape, elements }))
    }

    /// How many elements a shape has, if a result may have so many.
    pub(crate) fn room(&self, shape: impl IntoIterator<Item = usize>) -> Result<usize, Fault> {
        n_that_fit(shape, self.memory).ok_or_else(Fault::out_of_memory)
    }

    /// The only result.
    pub(crate) fn one(&self, elements: Elements) -> Result<Value, Fault> {
        self.value(0, elements)
    }

    /// An axis attribute, from 0.
    pub(crate) fn axis(&self, name: &str, default: i64, rank: usize) -> usize {
        let axis = self.attrs.int(name).unwrap_or(default);
        (if axis < 0 { axis + rank as i64 } else { axis }) as usize
    }
}

/// The elements of an argument in another dtype.
pub(crate) fn cast_arg(x: &Arg, to: Dtype) -> Elements {
    let elements = x.elements();
    if x.dtype() == to {
        return elements.into_owned();
    }
    let cast = (0..elements.len()).map(|i| cast_between(elements.get(i), x.dtype(), to));
    match to.is_float() {
        true => Elements::Float(cast.map(|scalar| if let Scalar::Float(value) = scalar { value } else { 0.0 }).list()),
        false => Elements::Int(cast.map(|scalar| if let Scalar::Int(value) = scalar { value } else { 0 }).list()),
    }
}
