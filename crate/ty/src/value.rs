//! What programs evaluate to.
//!
//! A value is shared by reference counts and may be nested without bound (a list is), so dropping keeps its own stack.

use crate::{Dtype, VariantId};
use std::cell::RefCell;
use std::rc::Rc;

/// One number: floats of every width as `f64`, already rounded to their dtype; integers and `bool` as `i64`, `uint64`
/// as the same bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Float(f64),
    Int(i64),
}

impl Scalar {
    pub fn as_float(self) -> f64 {
        match self {
            Scalar::Float(value) => value,
            Scalar::Int(value) => value as f64,
        }
    }

    pub fn as_int(self) -> i64 {
        match self {
            Scalar::Float(value) => value as i64,
            Scalar::Int(value) => value,
        }
    }
}

/// The elements of a tensor in row-major order, by the rule of [`Scalar`].
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    Float(Vec<f64>),
    Int(Vec<i64>),
}

impl Elements {
    pub fn len(&self) -> usize {
        match self {
            Elements::Float(values) => values.len(),
            Elements::Int(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, index: usize) -> Scalar {
        match self {
            Elements::Float(values) => Scalar::Float(values[index]),
            Elements::Int(values) => Scalar::Int(values[index]),
        }
    }
}

/// `elements.len()` is the product of `shape`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    pub elements: Elements,
}

/// What calling a function value runs. The numbers are the evaluator's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Function(u32),
    Constructor(u32),
    Operator(u32),
}

#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor of rank 0.
    Scalar(Dtype, Scalar),
    Tensor(Rc<Tensor>),
    Tuple(Fields),
    /// An instance of a data type, by its constructor's number.
    Data(u32, Fields),
    /// An anonymous variant.
    Variant(VariantId, Fields),
    /// A function and the values that it captured.
    Func(Code, Fields),
    Ref(Rc<RefCell<Value>>),
}

impl Value {
    pub fn int32(value: i64) -> Value {
        Value::Scalar(Dtype::Int32, Scalar::Int(value))
    }

    pub fn unit() -> Value {
        Value::Tuple(Fields::new(Vec::new()))
    }

    /// A tensor value; one of rank 0 becomes a scalar.
    pub fn tensor(tensor: Tensor) -> Value {
        match tensor.shape.is_empty() {
            true => Value::Scalar(tensor.dtype, tensor.elements.get(0)),
            false => Value::Tensor(Rc::new(tensor)),
        }
    }
}

/// The shared fields of a tuple, instance or closure.
#[derive(Clone, Debug, Default)]
pub struct Fields(Rc<Vec<Value>>);

impl Fields {
    pub fn new(values: Vec<Value>) -> Fields {
        Fields(Rc::new(values))
    }
}

impl std::ops::Deref for Fields {
    type Target = [Value];
    fn deref(&self) -> &[Value] {
        &self.0
    }
}

impl Drop for Fields {
    fn drop(&mut self) {
        let mut doomed: Vec<Value> = Vec::new();
        let take = |fields: &mut Fields, doomed: &mut Vec<Value>| {
            if let Some(values) = Rc::get_mut(&mut fields.0) {
                doomed.append(values);
            }
        };
        take(self, &mut doomed);
        while let Some(mut value) = doomed.pop() {
            match &mut value {
                Value::Tuple(fields) | Value::Data(_, fields) | Value::Variant(_, fields) | Value::Func(_, fields) => {
                    take(fields, &mut doomed)
                }
                Value::Ref(cell) => {
                    if let Some(inner) = Rc::get_mut(cell) {
                        doomed.push(std::mem::replace(inner.get_mut(), Value::int32(0)));
                    }
                }
                Value::Scalar(..) | Value::Tensor(_) => {}
            }
        }
    }
}
