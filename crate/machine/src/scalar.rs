//! Arithmetic on scalars in registers.
//!
//! The operators that programs use most, on five dtypes; others go through [`op::on_scalars`]. Either way the bits are
//! those that [`op::run`] gives: integers wrap, floats are rounded once, and there is one NaN.

use ty::{Dtype, scalar_bits, scalar_of};

/// A dtype with arithmetic of its own here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Int32,
    Int64,
    Float32,
    Float64,
    Bool,
}

impl Class {
    pub fn of(dtype: Dtype) -> Option<Class> {
        match dtype {
            Dtype::Int32 => Some(Class::Int32),
            Dtype::Int64 => Some(Class::Int64),
            Dtype::Float32 => Some(Class::Float32),
            Dtype::Float64 => Some(Class::Float64),
            Dtype::Bool => Some(Class::Bool),
            Dtype::Int8
            | Dtype::Int16
            | Dtype::UInt8
            | Dtype::UInt16
            | Dtype::UInt32
            | Dtype::UInt64
            | Dtype::Float16
            | Dtype::BFloat16 => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    FloorMod,
    Maximum,
    Minimum,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

impl Binary {
    pub fn of(name: &str) -> Option<Binary> {
        Some(match name {
            "add" => Binary::Add,
            "subtract" => Binary::Subtract,
            "multiply" => Binary::Multiply,
            "divide" => Binary::Divide,
            "floor_divide" => Binary::FloorDivide,
            "floor_mod" => Binary::FloorMod,
            "maximum" => Binary::Maximum,
            "minimum" => Binary::Minimum,
            "equal" => Binary::Equal,
            "not_equal" => Binary::NotEqual,
            "less" => Binary::Less,
            "less_equal" => Binary::LessEqual,
            "greater" => Binary::Greater,
            "greater_equal" => Binary::GreaterEqual,
            "logical_and" => Binary::And,
            "logical_or" => Binary::Or,
            _ => return None,
        })
    }

    /// Whether [`binary`] knows it on a class.
    pub fn is_on(self, class: Class) -> bool {
        match self {
            Binary::And | Binary::Or => class == Class::Bool,
            Binary::Equal | Binary::NotEqual => true,
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::FloorDivide
            | Binary::FloorMod
            | Binary::Maximum
            | Binary::Minimum
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual => class != Class::Bool,
        }
    }
}

/// The bits of the result; `None` is a division by zero.
#[inline]
pub fn binary(op: Binary, class: Class, a: u64, b: u64) -> Option<u64> {
    match class {
        Class::Int32 => int(op, i64::from(a as i32), i64::from(b as i32)).map(|bits| bits & 0xffff_ffff),
        Class::Int64 => int(op, a as i64, b as i64),
        Class::Float32 => {
            let (x, y) = (f64::from(f32::from_bits(a as u32)), f64::from(f32::from_bits(b as u32)));
            Some(match float(op, x, y) {
                Float::Number(value) => bits_of_f32(value),
                Float::Truth(truth) => u64::from(truth),
            })
        }
        Class::Float64 => Some(match float(op, f64::from_bits(a), f64::from_bits(b)) {
            Float::Number(value) => kernel::number::round_f64(value).to_bits(),
            Float::Truth(truth) => u64::from(truth),
        }),
        Class::Bool => Some(match op {
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::NotEqual => a ^ b,
            Binary::Equal => u64::from(a == b),
            // Not on truth values: see [`Binary::is_on`].
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::FloorDivide
            | Binary::FloorMod
            | Binary::Maximum
            | Binary::Minimum
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual => return None,
        }),
    }
}

/// The bits of the nearest float32.
#[inline]
pub fn bits_of_f32(value: f64) -> u64 {
    if value.is_nan() { 0x7fc0_0000 } else { u64::from((value as f32).to_bits()) }
}

/// The low bits are right for any width up to 64, as those of wider arithmetic would be.
#[inline]
fn int(op: Binary, a: i64, b: i64) -> Option<u64> {
    Some(match op {
        Binary::Add => a.wrapping_add(b) as u64,
        Binary::Subtract => a.wrapping_sub(b) as u64,
        Binary::Multiply => a.wrapping_mul(b) as u64,
        Binary::Divide | Binary::FloorDivide | Binary::FloorMod if b == 0 => return None,
        Binary::Divide => a.wrapping_div(b) as u64,
        Binary::FloorDivide => {
            let is_less = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
            a.wrapping_div(b).wrapping_sub(i64::from(is_less)) as u64
        }
        Binary::FloorMod => {
            let rest = a.wrapping_rem(b);
            (if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }) as u64
        }
        Binary::Maximum => a.max(b) as u64,
        Binary::Minimum => a.min(b) as u64,
        Binary::Equal => u64::from(a == b),
        Binary::NotEqual => u64::from(a != b),
        Binary::Less => u64::from(a < b),
        Binary::LessEqual => u64::from(a <= b),
        Binary::Greater => u64::from(a > b),
        Binary::GreaterEqual => u64::from(a >= b),
        Binary::And => u64::from(a != 0 && b != 0),
        Binary::Or => u64::from(a != 0 || b != 0),
    })
}

enum Float {
    Number(f64),
    Truth(bool),
}

#[inline]
fn float(op: Binary, a: f64, b: f64) -> Float {
    use kernel::scalar::float;
    match op {
        Binary::Add => Float::Number(a + b),
        Binary::Subtract => Float::Number(a - b),
        Binary::Multiply => Float::Number(a * b),
        Binary::Divide => Float::Number(a / b),
        Binary::FloorDivide => Float::Number(float::floor_divide(a, b)),
        Binary::FloorMod => Float::Number(float::floor_mod(a, b)),
        Binary::Maximum => Float::Number(float::maximum(a, b)),
        Binary::Minimum => Float::Number(float::minimum(a, b)),
        Binary::Equal => Float::Truth(a == b),
        Binary::NotEqual => Float::Truth(a != b),
        Binary::Less => Float::Truth(a < b),
        Binary::LessEqual => Float::Truth(a <= b),
        Binary::Greater => Float::Truth(a > b),
        Binary::GreaterEqual => Float::Truth(a >= b),
        Binary::And => Float::Truth(a != 0.0 && b != 0.0),
        Binary::Or => Float::Truth(a != 0.0 || b != 0.0),
    }
}

pub fn cast(from: Dtype, into: Dtype, bits: u64) -> u64 {
    scalar_bits(into, op::cast_between(scalar_of(from, bits), from, into))
}
