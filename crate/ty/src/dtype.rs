//! The element types of tensors.

use std::fmt;

/// A base type. `bool` is stored as 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    BFloat16,
    Float32,
    Float64,
}

impl Dtype {
    pub const ALL: [Dtype; 13] = [
        Dtype::Bool,
        Dtype::Int8,
        Dtype::Int16,
        Dtype::Int32,
        Dtype::Int64,
        Dtype::UInt8,
        Dtype::UInt16,
        Dtype::UInt32,
        Dtype::UInt64,
        Dtype::Float16,
        Dtype::BFloat16,
        Dtype::Float32,
        Dtype::Float64,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Dtype::Bool => "bool",
            Dtype::Int8 => "int8",
            Dtype::Int16 => "int16",
            Dtype::Int32 => "int32",
            Dtype::Int64 => "int64",
            Dtype::UInt8 => "uint8",
            Dtype::UInt16 => "uint16",
            Dtype::UInt32 => "uint32",
            Dtype::UInt64 => "uint64",
            Dtype::Float16 => "float16",
            Dtype::BFloat16 => "bfloat16",
            Dtype::Float32 => "float32",
            Dtype::Float64 => "float64",
        }
    }

    /// The dtype that goes by that name elsewhere.
    pub fn of_foreign_name(name: &str) -> Option<Dtype> {
        Some(match name {
            "boolean" | "i1" | "uint1" => Dtype::Bool,
            "byte" | "u8" => Dtype::UInt8,
            "char" | "i8" => Dtype::Int8,
            "short" | "i16" => Dtype::Int16,
            "i32" => Dtype::Int32,
            "long" | "i64" => Dtype::Int64,
            "half" | "f16" => Dtype::Float16,
            "f32" | "number" => Dtype::Float32,
            "double" | "f64" => Dtype::Float64,
            _ => return None,
        })
    }

    /// The dtype of that name; `float`, `int` and `uint` without a width have 32 bits, as in Relay.
    pub fn parse(name: &str) -> Option<Dtype> {
        match name {
            "int" => Some(Dtype::Int32),
            "uint" => Some(Dtype::UInt32),
            "float" => Some(Dtype::Float32),
            _ => Dtype::ALL.into_iter().find(|dtype| dtype.name() == name),
        }
    }

    /// Whether this is the name of several numbers in one element, as `int8x4`.
    pub fn is_vector(name: &str) -> bool {
        let end = base::end_of_last(name, b'x');
        let dtype = end.checked_sub(1).and_then(|at| Dtype::parse(&name[..at]));
        dtype.is_some() && base::parse_u64(&name[end..]).is_some_and(|n| n <= u16::MAX.into())
    }

    /// What a literal of this dtype ends with; `int32` and `bool` literals have no suffix.
    pub fn suffix(self) -> &'static str {
        match self {
            Dtype::Bool | Dtype::Int32 => "",
            Dtype::Int8 => "i8",
            Dtype::Int16 => "i16",
            Dtype::Int64 => "i64",
            Dtype::UInt8 => "u8",
            Dtype::UInt16 => "u16",
            Dtype::UInt32 => "u32",
            Dtype::UInt64 => "u64",
            Dtype::Float16 => "f16",
            Dtype::BFloat16 => "bf16",
            Dtype::Float32 => "f",
            Dtype::Float64 => "f64",
        }
    }

    /// The dtype of a literal by its suffix.
    pub fn of_suffix(suffix: &str) -> Option<Dtype> {
        match suffix {
            "i" | "i32" => Some(Dtype::Int32),
            "f32" => Some(Dtype::Float32),
            "" => None,
            _ => Dtype::ALL.into_iter().find(|dtype| dtype.suffix() == suffix),
        }
    }

    /// Width in bits; 1 for `bool`.
    pub fn bits(self) -> u32 {
        match self {
            Dtype::Bool => 1,
            Dtype::Int8 | Dtype::UInt8 => 8,
            Dtype::Int16 | Dtype::UInt16 | Dtype::Float16 | Dtype::BFloat16 => 16,
            Dtype::Int32 | Dtype::UInt32 | Dtype::Float32 => 32,
            Dtype::Int64 | Dtype::UInt64 | Dtype::Float64 => 64,
        }
    }

    /// Bytes of an element in memory; a `bool` takes one.
    pub fn n_bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    pub fn is_float(self) -> bool {
        matches!(self, Dtype::Float16 | Dtype::BFloat16 | Dtype::Float32 | Dtype::Float64)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Dtype::Int8 | Dtype::Int16 | Dtype::Int32 | Dtype::Int64)
    }

    /// The integers of this dtype, `None` for floats.
    pub fn int_range(self) -> Option<(i128, i128)> {
        match self.is_float() {
            true => None,
            false if self.is_signed() => Some((-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1)),
            false => Some((0, (1 << self.bits()) - 1)),
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
