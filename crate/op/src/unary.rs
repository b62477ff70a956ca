//! Elementwise operators of one tensor.

use crate::rule::{IDENTITY, IDENTITY_COMP};
use crate::run::{Call, Fault, Kernel, floats, ints};
use crate::{AttrForm, AttrSpec, Op};
use base::MapArray;
use kernel::number;
use kernel::scalar::{float, int};
use ty::{Elements, Value};

fn clip(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let (low, high) = (call.attrs.float("a_min"), call.attrs.float("a_max"));
    // Where the bounds cross, the lower one wins.
    let clip = |x: f64| {
        let x = if x > high { high } else { x };
        if x < low { low } else { x }
    };
    call.one(match &*x.elements() {
        Elements::Float(values) => floats(result.dtype, values.iter().map(|&x| clip(x))),
        Elements::Int(_) => {
            // Bounds beyond the dtype are its own.
            let (least, most) = result.dtype.int_range().unwrap_or((i128::MIN, i128::MAX));
            let [low, high] = [low, high].each(|bound| number::float_to_int(bound).clamp(least, most));
            let values = x.wide_ints().into_iter();
            ints(result.dtype, values.map(|x| x.min(high).max(low) as i64))
        }
    })
}

fn fixed_point_multiply(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let (multiplier, shift) = (call.attrs.int("multiplier").unwrap_or(0), call.attrs.int("shift").unwrap_or(0));
    call.one(ints(
        result.dtype,
        x.wide_ints().into_iter().map(|x| int::fixed_point_multiply(x, multiplier, shift) as i64),
    ))
}

pub const ROWS: &[Op] = &[
    Op {
        name: "abs",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::abs, int: Some(int::abs) },
        doc: "
Absolute value.
```relay
abs([-1.5f, 2f])
#=> [1.5f, 2f]
```
",
    },
    Op {
        name: "acos",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::acos, int: None },
        doc: "
Arc cosine.
```relay
acos([0f, 1f])
#=> [1.5707964f, 0f]
```
",
    },
    Op {
        name: "acosh",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::acosh, int: None },
        doc: "
Inverse hyperbolic cosine.
```relay
acosh([1f, 2f])
#=> [0f, 1.316958f]
```
",
    },
    Op {
        name: "asin",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::asin, int: None },
        doc: "
Arc sine.
```relay
asin([0f, 1f])
#=> [0f, 1.5707964f]
```
",
    },
    Op {
        name: "asinh",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::asinh, int: None },
        doc: "
Inverse hyperbolic sine.
```relay
asinh([0f, 1f])
#=> [0f, 0.8813736f]
```
",
    },
    Op {
        name: "atan",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::atan, int: None },
        doc: "
Arc tangent.
```relay
atan([0f, 1f])
#=> [0f, 0.7853982f]
```
",
    },
    Op {
        name: "atanh",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::atanh, int: None },
        doc: "
Inverse hyperbolic tangent.
```relay
atanh([0f, 0.5f])
#=> [0f, 0.54930615f]
```
",
    },
    Op {
        name: "ceil",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::ceil, int: Some(int::copy) },
        doc: "
The nearest integer above.
```relay
ceil([-1.5f, 1.2f])
#=> [-1f, 2f]
```
",
    },
    Op {
        name: "cos",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::cos, int: None },
        doc: "
Cosine of radians.
```relay
cos([0f, 1f])
#=> [1f, 0.5403023f]
```
",
    },
    Op {
        name: "cosh",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::cosh, int: None },
        doc: "
Hyperbolic cosine.
```relay
cosh([0f, 1f])
#=> [1f, 1.5430807f]
```
",
    },
    Op {
        name: "erf",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::erf, int: None },
        doc: "
The error function.
```relay
erf([0f, 1f])
#=> [0f, 0.8427008f]
```
",
    },
    Op {
        name: "exp",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::exp, int: None },
        doc: "
e to the power of the element.
```relay
exp([0f, 1f])
#=> [1f, 2.7182817f]
```
",
    },
    Op {
        name: "fast_erf",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::erf, int: None },
        doc: "
The error function; approximations are allowed, none is made.
```relay
fast_erf([0f, 1f])
#=> [0f, 0.8427008f]
```
",
    },
    Op {
        name: "fast_exp",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::exp, int: None },
        doc: "
e to the power of the element; approximations are allowed, none is made.
```relay
fast_exp([0f, 1f])
#=> [1f, 2.7182817f]
```
",
    },
    Op {
        name: "fast_tanh",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::tanh, int: None },
        doc: "
Hyperbolic tangent; approximations are allowed, none is made.
```relay
fast_tanh([0f, 1f])
#=> [0f, 0.7615942f]
```
",
    },
    Op {
        name: "floor",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::floor, int: Some(int::copy) },
        doc: "
The nearest integer below.
```relay
floor([-1.5f, 1.2f])
#=> [-2f, 1f]
```
",
    },
    Op {
        name: "log",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::log, int: None },
        doc: "
Natural logarithm.
```relay
log([1f, 2f])
#=> [0f, 0.6931472f]
```
",
    },
    Op {
        name: "log10",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::log10, int: None },
        doc: "
Logarithm to base 10.
```relay
log10([1f, 100f])
#=> [0f, 2f]
```
",
    },
    Op {
        name: "log2",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::log2, int: None },
        doc: "
Logarithm to base 2.
```relay
log2([1f, 8f])
#=> [0f, 3f]
```
",
    },
    Op {
        name: "negative",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::negative, int: Some(int::negative) },
        doc: "
The element with the other sign.
```relay
negative([-1.5f, 2f])
#=> [1.5f, -2f]
```
",
    },
    Op {
        name: "round",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::round, int: Some(int::copy) },
        doc: "
The nearest integer, halves away from zero.
```relay
round([-1.5f, 0.4f, 2.5f])
#=> [-2f, 0f, 3f]
```
",
    },
    Op {
        name: "rsqrt",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::rsqrt, int: None },
        doc: "
One over the square root.
```relay
rsqrt([1f, 4f])
#=> [1f, 0.5f]
```
",
    },
    Op {
        name: "sigmoid",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::sigmoid, int: None },
        doc: "
1 / (1 + exp(-x)).
```relay
sigmoid([0f, 1f])
#=> [0.5f, 0.7310586f]
```
",
    },
    Op {
        name: "sign",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::sign, int: Some(int::sign) },
        doc: "
-1, 0 or 1.
```relay
sign([-1.5f, 0f, 2f])
#=> [-1f, 0f, 1f]
```
",
    },
    Op {
        name: "sin",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::sin, int: None },
        doc: "
Sine of radians.
```relay
sin([0f, 1f])
#=> [0f, 0.841471f]
```
",
    },
    Op {
        name: "sinh",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::sinh, int: None },
        doc: "
Hyperbolic sine.
```relay
sinh([0f, 1f])
#=> [0f, 1.1752012f]
```
",
    },
    Op {
        name: "sqrt",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::sqrt, int: None },
        doc: "
Square root.
```relay
sqrt([1f, 4f])
#=> [1f, 2f]
```
",
    },
    Op {
        name: "tan",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::tan, int: None },
        doc: "
Tangent of radians.
```relay
tan([0f, 1f])
#=> [0f, 1.5574077f]
```
",
    },
    Op {
        name: "tanh",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::tanh, int: None },
        doc: "
Hyperbolic tangent.
```relay
tanh([0f, 1f])
#=> [0f, 0.7615942f]
```
",
    },
    Op {
        name: "trunc",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::trunc, int: Some(int::copy) },
        doc: "
The element without its fraction.
```relay
trunc([-1.5f, 1.2f])
#=> [-1f, 1f]
```
",
    },
    Op {
        name: "copy",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::copy, int: Some(int::copy) },
        doc: "
The tensor itself.
```relay
copy([1f, 2f])
#=> [1f, 2f]
```
",
    },
    Op {
        name: "nn.relu",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: float::relu, int: Some(int::relu) },
        doc: "
Zero where the element is negative.
```relay
nn.relu([-1f, 2f])
#=> [0f, 2f]
```
",
    },
    Op {
        name: "bitwise_not",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Bits(int::bitwise_not),
        doc: "
Every bit turned round.
```relay
bitwise_not([0, 5])
#=> [-1, -6]
bitwise_not([True, False])
#=> [False, True]
```
",
    },
    Op {
        name: "logical_not",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: |x| f64::from(x == 0.0), int: Some(int::logical_not) },
        doc: "
True where the element is false.
```relay
logical_not([True, False])
#=> [False, True]
```
",
    },
    Op {
        name: "zeros_like",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: |_| 0.0, int: Some(|_| 0) },
        doc: "
Zeros of the same type.
```relay
zeros_like([1, 2])
#=> [0, 0]
```
",
    },
    Op {
        name: "ones_like",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY,
        kernel: Kernel::Map1 { float: |_| 1.0, int: Some(|_| 1) },
        doc: "
Ones of the same type.
```relay
ones_like([3f, 2f])
#=> [1f, 1f]
```
",
    },
    Op {
        name: "isfinite",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY_COMP,
        kernel: Kernel::Test(float::isfinite),
        doc: "
Whether the element is neither infinite nor NaN.
```relay
isfinite([1f, inff, nanf])
#=> [True, False, False]
```
",
    },
    Op {
        name: "isinf",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY_COMP,
        kernel: Kernel::Test(float::isinf),
        doc: "
Whether the element is infinite.
```relay
isinf([1f, inff, nanf])
#=> [False, True, False]
```
",
    },
    Op {
        name: "isnan",
        infix: None,
        args: &["data"],
        attrs: &[],
        relation: &IDENTITY_COMP,
        kernel: Kernel::Test(float::isnan),
        doc: "
Whether the element is NaN.
```relay
isnan([1f, inff, nanf])
#=> [False, False, True]
```
",
    },
    Op {
        name: "clip",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("a_min", AttrForm::Float), AttrSpec::required("a_max", AttrForm::Float)],
        relation: &IDENTITY,
        kernel: Kernel::Whole(clip),
        doc: "
Elements below `a_min` become `a_min`, those above `a_max` become `a_max`.
```relay
clip([-2f, 0.5f, 9f], a_min=-1f, a_max=1f)
#=> [-1f, 0.5f, 1f]
```
",
    },
    Op {
        name: "fixed_point_multiply",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("multiplier", AttrForm::Int), AttrSpec::required("shift", AttrForm::Int)],
        relation: &IDENTITY,
        kernel: Kernel::Whole(fixed_point_multiply),
        doc: "
Multiplies by `multiplier / 2^31 * 2^shift`, rounding halves up.
```relay
fixed_point_multiply([100, 7], multiplier=1073741824, shift=0)
#=> [50, 4]
```
",
    },
];
