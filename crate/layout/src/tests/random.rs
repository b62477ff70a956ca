//! Random types and values, and all values of a small type.

use super::{adt, sum};
use crate::{Constructor, Head, Types};
use ty::{Dtype, Elements, Fields, Scalar, Tensor, TermId, Value};

/// xorshift64*.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

/// A type of at most this depth; `named` are data types that it may mention.
pub fn ty(types: &mut Types, random: &mut Random, depth: usize, named: &[TermId]) -> TermId {
    if !named.is_empty() && random.below(4) == 0 {
        return named[random.below(named.len())];
    }
    match random.below(if depth == 0 { 8 } else { 16 }) {
        0..=2 => types.scalar(Dtype::Bool),
        3 => types.tuple(&[]),
        4 => types.scalar(if random.below(2) == 0 { Dtype::Int8 } else { Dtype::Float16 }),
        5 => match random.below(12) {
            0 => types.nothing(),
            1..=4 => types.scalar(Dtype::ALL[random.below(Dtype::ALL.len())]),
            5 => types.tensor(&[None], Dtype::Float32),
            _ => types.scalar(Dtype::UInt8),
        },
        6 | 7 => sum(types, &vec![&[][..]; 1 + random.below(6)]),
        8..=10 => {
            let fields = fields(types, random, depth, named);
            types.tuple(&fields)
        }
        _ => {
            let variants: Vec<Vec<TermId>> =
                (0..1 + random.below(4)).map(|_| fields(types, random, depth, named)).collect();
            sum(types, &variants.iter().map(Vec::as_slice).collect::<Vec<_>>())
        }
    }
}

fn fields(types: &mut Types, random: &mut Random, depth: usize, named: &[TermId]) -> Vec<TermId> {
    (0..random.below(4)).map(|_| ty(types, random, depth - 1, named)).collect()
}

/// Data types that may hold each other.
pub fn data_types(types: &mut Types, random: &mut Random) -> Vec<TermId> {
    let named: Vec<TermId> = (0..1 + random.below(3) as u32).map(|number| adt(types, number)).collect();
    for (number, &data) in (0..).zip(&named) {
        let constructors = (0..random.below(5) as u32)
            .map(|place| Constructor { number: number * 100 + place, fields: fields(types, random, 2, &named) });
        let constructors = constructors.collect();
        types.define(data, constructors);
    }
    named
}

pub fn make(head: Head, fields: Vec<Value>) -> Value {
    let fields = Fields::new(fields);
    match head {
        Head::Constructor(number) => Value::Data(number, fields),
        Head::Variant(name) => Value::Variant(name, fields),
        Head::Tuple | Head::Functions => Value::Tuple(fields),
    }
}

/// All values of a type that has finitely many.
pub fn all(types: &Types, ty: TermId, path: &mut Vec<TermId>) -> Vec<Value> {
    if let Some(dtype) = types.as_scalar(ty) {
        let all = (0..1_u64 << dtype.bits()).map(|bits| ty::scalar_of(dtype, bits));
        let is_nan = |scalar: &Scalar| matches!(scalar, Scalar::Float(value) if value.is_nan());
        let (nans, mut rest): (Vec<Scalar>, Vec<Scalar>) = all.partition(is_nan);
        rest.extend(nans.first());
        return rest.into_iter().map(|scalar| Value::Scalar(dtype, scalar)).collect();
    }
    let Some(cases) = types.cases(ty).filter(|_| !path.contains(&ty)) else { return Vec::new() };
    path.push(ty);
    let mut values = Vec::new();
    for case in cases {
        if case.fields.iter().any(|&field| value(types, &mut Random(1), field, 8).is_none()) {
            continue;
        }
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for field in case.fields {
            let parts = all(types, field, path);
            let longer = |row: &Vec<Value>| {
                let row = row.clone();
                parts.clone().into_iter().map(move |part| row.iter().cloned().chain([part]).collect())
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        values.extend(rows.into_iter().map(|row| make(case.head, row)));
    }
    path.pop();
    values
}

/// A random value that is at most so deep, if one is found.
pub fn value(types: &Types, random: &mut Random, ty: TermId, depth: usize) -> Option<Value> {
    if let Some(dtype) = types.as_scalar(ty) {
        let bits =
            (random.below(1 << 31) as u64) << 33 ^ (random.below(1 << 31) as u64) << 8 ^ random.below(256) as u64;
        let mut scalar = ty::scalar_of(dtype, if dtype.bits() == 64 { bits } else { bits % (1 << dtype.bits()) });
        if matches!(scalar, Scalar::Float(value) if value.is_nan()) {
            scalar = Scalar::Float(f64::NAN);
        }
        return Some(Value::Scalar(dtype, scalar));
    }
    if types.as_tensor(ty).is_some() {
        let elements = Elements::Float((0..1 + random.below(3)).map(|at| at as f64).collect());
        return Some(Value::tensor(Tensor { dtype: Dtype::Float32, shape: vec![elements.len()], elements }));
    }
    let cases = types.cases(ty).filter(|cases| depth > 0 && !cases.is_empty())?;
    let first = random.below(cases.len());
    cases.iter().cycle().skip(first).take(cases.len()).find_map(|case| {
        let fields: Option<Vec<Value>> =
            case.fields.iter().map(|&field| value(types, random, field, depth - 1)).collect();
        Some(make(case.head, fields?))
    })
}
