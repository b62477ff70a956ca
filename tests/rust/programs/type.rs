//! Types of random programs: text, random ones, the least value of one, and how sums stand to each other.

use super::{Adt, Expr, Generator, expr};
use std::fmt::Write;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Scalar(Dtype),
    Tensor(Vec<usize>, Dtype),
    Tuple(Vec<Type>),
    Fn(Vec<Type>, Box<Type>),
    Ref(Box<Type>),
    Adt(usize, Vec<Type>),
    /// A closed sum, in the order of its names.
    Sum(Vec<(&'static str, Vec<Type>)>),
    Param(usize),
    /// An `int32` from 0 to 5; only parameters of functions have it.
    Count,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dtype {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint8,
    Float32,
    Float64,
}

pub(crate) const DTYPES: [Dtype; 8] =
    [Dtype::Int32, Dtype::Bool, Dtype::Float32, Dtype::Int8, Dtype::Int16, Dtype::Int64, Dtype::Uint8, Dtype::Float64];

/// The anonymous variants of all programs.
const VARIANTS: [&str; 7] = ["A", "B", "C", "D", "E", "F", "G"];

pub(crate) const INT: Type = Type::Scalar(Dtype::Int32);
pub(crate) const BOOL: Type = Type::Scalar(Dtype::Bool);
pub(crate) const FLOAT: Type = Type::Scalar(Dtype::Float32);

impl Dtype {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Dtype::Bool => "bool",
            Dtype::Int8 => "int8",
            Dtype::Int16 => "int16",
            Dtype::Int32 => "int32",
            Dtype::Int64 => "int64",
            Dtype::Uint8 => "uint8",
            Dtype::Float32 => "float32",
            Dtype::Float64 => "float64",
        }
    }

    /// What ends its literals.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Dtype::Bool | Dtype::Int32 => "",
            Dtype::Int8 => "i8",
            Dtype::Int16 => "i16",
            Dtype::Int64 => "i64",
            Dtype::Uint8 => "u8",
            Dtype::Float32 => "f",
            Dtype::Float64 => "f64",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Dtype::Float32 | Dtype::Float64)
    }
}

pub(crate) fn function(params: Vec<Type>, result: Type) -> Type {
    Type::Fn(params, Box::new(result))
}

/// A tensor, or a scalar where there are no dims.
pub(crate) fn tensor(dims: Vec<usize>, dtype: Dtype) -> Type {
    if dims.is_empty() { Type::Scalar(dtype) } else { Type::Tensor(dims, dtype) }
}

pub(crate) fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// The type as a program writes it.
pub(crate) fn print(r#type: &Type, adts: &[Adt]) -> String {
    let all = |types: &[Type]| joined(types.iter().map(|part| print(part, adts)));
    match r#type {
        Type::Count => "int32".to_owned(),
        Type::Scalar(dtype) => dtype.name().to_owned(),
        Type::Tensor(dims, dtype) => {
            format!("Tensor[({}), {}]", joined(dims.iter().map(usize::to_string)), dtype.name())
        }
        Type::Tuple(fields) if fields.len() == 1 => format!("({},)", all(fields)),
        Type::Tuple(fields) => format!("({})", all(fields)),
        Type::Fn(params, result) => format!("(fn({}) -> {})", all(params), print(result, adts)),
        Type::Ref(inner) => format!("ref({})", print(inner, adts)),
        Type::Adt(adt, args) if args.is_empty() => adts[*adt].name.clone(),
        Type::Adt(adt, args) => format!("{}[{}]", adts[*adt].name, all(args)),
        Type::Sum(variants) => {
            let variant = |(name, fields): &(&str, Vec<Type>)| match fields.is_empty() {
                true => format!("`{name}"),
                false => format!("`{name}({})", all(fields)),
            };
            format!("[{}]", joined(variants.iter().map(variant)))
        }
        Type::Param(param) => format!("P{param}"),
    }
}

/// A value of the type that is written with few letters; none of a parameter.
pub(crate) fn least(r#type: &Type, adts: &[Adt]) -> Option<Expr> {
    let all = |types: &[Type]| -> Option<String> {
        let texts: Option<Vec<String>> = types.iter().map(|part| Some(least(part, adts)?.template)).collect();
        Some(texts?.join(", "))
    };
    let call = |name: &str, fields: &[Type]| -> Option<String> {
        Some(if fields.is_empty() { name.to_owned() } else { format!("{name}({})", all(fields)?) })
    };
    let text = match r#type {
        Type::Count => "0".to_owned(),
        Type::Scalar(Dtype::Bool) => "True".to_owned(),
        Type::Scalar(dtype) => format!("0{}", dtype.suffix()),
        Type::Tensor(dims, dtype) => {
            format!("zeros(shape=[{}], dtype=\"{}\")", joined(dims.iter().map(usize::to_string)), dtype.name())
        }
        Type::Tuple(fields) if fields.len() == 1 => format!("({},)", all(fields)?),
        Type::Tuple(fields) => format!("({})", all(fields)?),
        Type::Fn(params, result) => {
            let mut text = "fn(".to_owned();
            for (i, param) in params.iter().enumerate() {
                let _ = write!(text, "{}%u{i}: {}", if i == 0 { "" } else { ", " }, print(param, adts));
            }
            format!("{text}) {{ {} }}", least(result, adts)?.template)
        }
        Type::Ref(inner) => format!("ref({})", least(inner, adts)?.template),
        Type::Adt(adt, args) => {
            let (name, fields) = &adts[*adt].ctors[0];
            let fields: Vec<Type> = fields.iter().map(|field| field.with(&adts[*adt].params, args)).collect();
            call(name, &fields)?
        }
        Type::Sum(variants) => call(&format!("`{}", variants[0].0), &variants[0].1)?,
        Type::Param(_) => return None,
    };
    Some(expr(r#type, text, Vec::new()))
}

impl Type {
    /// With these types in the place of these parameters.
    pub(crate) fn with(&self, params: &[usize], args: &[Type]) -> Type {
        let all = |types: &[Type]| -> Vec<Type> { types.iter().map(|part| part.with(params, args)).collect() };
        match self {
            Type::Count | Type::Scalar(_) | Type::Tensor(..) => self.clone(),
            Type::Tuple(fields) => Type::Tuple(all(fields)),
            Type::Fn(inputs, result) => function(all(inputs), result.with(params, args)),
            Type::Ref(inner) => Type::Ref(Box::new(inner.with(params, args))),
            Type::Adt(adt, inner) => Type::Adt(*adt, all(inner)),
            Type::Sum(variants) => Type::Sum(variants.iter().map(|(name, fields)| (*name, all(fields))).collect()),
            Type::Param(param) => match params.iter().position(|other| other == param) {
                Some(at) => args[at].clone(),
                None => self.clone(),
            },
        }
    }

    /// Finds what the parameters stand for if this is to be the other; whether it can.
    pub(crate) fn matches(&self, other: &Type, params: &[usize], found: &mut [Option<Type>]) -> bool {
        let mut all = |ours: &[Type], theirs: &[Type]| {
            ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(ours, theirs)| ours.matches(theirs, params, found))
        };
        match (self, other) {
            (Type::Param(param), _) if params.contains(param) => {
                let slot = &mut found[params.iter().position(|other| other == param).unwrap_or(0)];
                slot.get_or_insert_with(|| other.clone()) == other
            }
            (Type::Tuple(ours), Type::Tuple(theirs)) => all(ours, theirs),
            (Type::Fn(ours, result), Type::Fn(theirs, other)) => {
                all(ours, theirs) && result.matches(other, params, found)
            }
            (Type::Ref(ours), Type::Ref(theirs)) => ours.matches(theirs, params, found),
            (Type::Adt(ours, args), Type::Adt(theirs, others)) => ours == theirs && all(args, others),
            (Type::Sum(ours), Type::Sum(theirs)) => {
                ours.len() == theirs.len()
                    && ours.iter().zip(theirs).all(|(ours, theirs)| ours.0 == theirs.0 && all(&ours.1, &theirs.1))
            }
            _ => self == other,
        }
    }

    /// Whether a copy of this may grow to the other: sums may, within sums and tuples.
    pub(crate) fn grows_to(&self, other: &Type) -> bool {
        let all = |ours: &[Type], theirs: &[Type]| {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| ours.grows_to(theirs))
        };
        match (self, other) {
            (Type::Tuple(ours), Type::Tuple(theirs)) => all(ours, theirs),
            (Type::Sum(ours), Type::Sum(theirs)) => ours
                .iter()
                .all(|(name, fields)| theirs.iter().any(|(other, others)| name == other && all(fields, others))),
            _ => self == other,
        }
    }

    /// Whether it has a sum that `as` copies.
    pub(crate) fn has_sum(&self) -> bool {
        match self {
            Type::Sum(_) => true,
            Type::Tuple(fields) => fields.iter().any(Type::has_sum),
            Type::Count | Type::Scalar(_) | Type::Tensor(..) | Type::Fn(..) | Type::Ref(_) => false,
            Type::Adt(..) | Type::Param(_) => false,
        }
    }

    /// Whether a data type occurs outside of functions.
    pub(crate) fn mentions(&self, adt: usize) -> bool {
        match self {
            Type::Adt(other, args) => *other == adt || args.iter().any(|arg| arg.mentions(adt)),
            Type::Tuple(fields) => fields.iter().any(|field| field.mentions(adt)),
            Type::Sum(variants) => variants.iter().flat_map(|(_, fields)| fields).any(|field| field.mentions(adt)),
            Type::Fn(params, result) => params.iter().chain([&**result]).any(|part| part.mentions(adt)),
            Type::Ref(inner) => inner.mentions(adt),
            Type::Count | Type::Scalar(_) | Type::Tensor(..) | Type::Param(_) => false,
        }
    }
}

/// The sum that has all variants of both, which agree where they meet or the first one's fields are taken.
pub(crate) fn union(left: Type, right: &Type) -> Type {
    match (left, right) {
        (Type::Sum(mut variants), Type::Sum(others)) => {
            for (name, fields) in others {
                match variants.iter_mut().find(|(other, _)| other == name) {
                    Some((_, ours)) => {
                        let both = ours.drain(..).zip(fields).map(|(ours, theirs)| union(ours, theirs));
                        *ours = both.collect::<Vec<_>>();
                    }
                    None => variants.push((name, fields.clone())),
                }
            }
            variants.sort_by_key(|(name, _)| *name);
            Type::Sum(variants)
        }
        (Type::Tuple(ours), Type::Tuple(theirs)) => {
            Type::Tuple(ours.into_iter().zip(theirs).map(|(ours, theirs)| union(ours, theirs)).collect())
        }
        (left, _) => left,
    }
}

impl Generator {
    pub(crate) fn dtype(&mut self) -> Dtype {
        if self.random.one_in(2) { self.random.pick(&DTYPES[..3]) } else { self.random.pick(&DTYPES) }
    }

    pub(crate) fn dims(&mut self) -> Vec<usize> {
        (0..self.random.pick(&[1, 1, 2, 2, 3])).map(|_| self.random.pick(&[1, 2, 2, 3])).collect()
    }

    /// A type of what may be mentioned.
    pub(crate) fn r#type(&mut self, depth: usize) -> Type {
        if depth == 0 || self.random.one_in(4) {
            return match self.random.below(6) {
                0 if !self.rigid.is_empty() => Type::Param(self.random.pick(&self.rigid)),
                1 => tensor(self.dims(), self.dtype()),
                _ => Type::Scalar(self.dtype()),
            };
        }
        let depth = depth - 1;
        match self.random.below(16) {
            0 | 1 => Type::Scalar(self.dtype()),
            2 | 3 => tensor(self.dims(), self.dtype()),
            4 | 5 => Type::Tuple((0..self.random.pick(&[2, 2, 2, 3, 3, 1, 0])).map(|_| self.r#type(depth)).collect()),
            6 | 7 => {
                let params = (0..self.random.pick(&[1, 1, 2])).map(|_| self.r#type(depth.min(1))).collect();
                function(params, self.r#type(depth))
            }
            8 if self.random.one_in(2) => Type::Ref(Box::new(self.r#type(depth))),
            8..=10 => self.sum(depth),
            _ => {
                let adt = self.random.below(self.adts.len());
                Type::Adt(adt, (0..self.adts[adt].params.len()).map(|_| self.r#type(depth.min(1))).collect())
            }
        }
    }

    /// An anonymous sum.
    pub(crate) fn sum(&mut self, depth: usize) -> Type {
        let mut variants = Vec::new();
        for name in VARIANTS {
            if self.random.one_in(3) && variants.len() < 4 {
                let n_fields = self.random.pick(&[0, 0, 1, 1, 2]);
                variants.push((name, (0..n_fields).map(|_| self.r#type(depth.saturating_sub(1))).collect()));
            }
        }
        if variants.is_empty() {
            variants.push(("A", Vec::new()));
        }
        Type::Sum(variants)
    }

    pub(crate) fn print(&self, r#type: &Type) -> String {
        print(r#type, &self.adts)
    }

    /// The fields of the constructors of a data type or sum, by the text of the constructor.
    pub(crate) fn cases(&self, r#type: &Type) -> Vec<(String, Vec<Type>)> {
        match r#type {
            Type::Adt(adt, args) => {
                let Adt { params, ctors, .. } = &self.adts[*adt];
                let fields = |fields: &[Type]| fields.iter().map(|field| field.with(params, args)).collect();
                ctors.iter().map(|(name, types)| (name.clone(), fields(types))).collect()
            }
            Type::Sum(variants) => variants.iter().map(|(name, fields)| (format!("`{name}"), fields.clone())).collect(),
            Type::Count | Type::Scalar(_) | Type::Tensor(..) | Type::Tuple(_) => Vec::new(),
            Type::Fn(..) | Type::Ref(_) | Type::Param(_) => Vec::new(),
        }
    }
}
