//! Every row of the table on random operands: nothing panics, and results have the types that were inferred.
//!
//! Half of the calls take the types and attributes of the row's example, with some of them changed, so that the
//! relation often holds; the others are made of nothing. Numbers are those that kernels stumble over: negative, huge,
//! NaN.

mod bodies;
mod exact;
mod halves;
mod labels;
mod meaning;
mod plans;

use crate::run::{OPEN, ResultType, as_tensor, round_to, wrap_to};
use crate::{AttrForm, CallFault, Kernel, Op, OpId, Operators, all};
use base::{Join, ToList};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use ty::{AttrValue, Attrs, Dtype, Elements, Fields, Tensor, Value};

/// Bytes that one result may have: little, so that no call takes long.
const MEMORY: u64 = 1 << 17;

/// Calls of each row.
const N_CALLS: usize = 300;

const WORDS: [&str; 26] = [
    "NCHW",
    "NHWC",
    "NCW",
    "NCDHW",
    "NCHW4c",
    "OIHW",
    "HWIO",
    "IHW",
    "linear",
    "cubic",
    "nearest_neighbor",
    "bilinear",
    "nearest",
    "bicubic",
    "border",
    "reflection",
    "update",
    "add",
    "size",
    "indices",
    "tensorflow",
    "max",
    "xy",
    "tf_crop_and_resize",
    "align_corners",
    "floor",
];

const EQUATIONS: [&str; 6] = ["ij,jk->ik", "ii->i", "i,j->", "...i,...i->...", "ij,jk,kl->il", "ij"];

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn int(&mut self) -> i64 {
        match self.below(12) {
            0 => self.pick(&[i64::MIN, i64::MAX, 1 << 40, -(1 << 40), 1 << 31, 255]),
            _ => self.below(8) as i64 - 2,
        }
    }

    fn float(&mut self) -> f64 {
        match self.below(10) {
            0 => self.pick(&[f64::NAN, f64::INFINITY, -f64::INFINITY, -0.0, 1e300, -1e30, 1e-320]),
            _ => (self.below(41) as f64 - 20.0) / 4.0,
        }
    }

    fn dtype(&mut self) -> Dtype {
        match self.below(3) {
            0 => self.pick(&Dtype::ALL),
            1 => Dtype::Float32,
            _ => Dtype::Int32,
        }
    }

    fn tensor(&mut self, shape: Vec<usize>, dtype: Dtype) -> Value {
        let n = shape.iter().product();
        // Indices are often in range.
        let small = self.one_in(2);
        let elements = match dtype.is_float() {
            true if small => Elements::Float((0..n).map(|_| self.below(4) as f64 / 4.0).collect()),
            true => Elements::Float((0..n).map(|_| round_to(dtype, self.float())).collect()),
            false if small => Elements::Int((0..n).map(|_| self.below(2) as i64).collect()),
            false => Elements::Int((0..n).map(|_| wrap_to(dtype, self.int())).collect()),
        };
        Value::tensor(Tensor { dtype, shape, elements })
    }

    fn any_tensor(&mut self) -> Value {
        let rank = self.below(5);
        let shape = (0..rank).map(|_| self.pick(&[0, 1, 1, 2, 2, 3, 4])).collect();
        let dtype = self.dtype();
        self.tensor(shape, dtype)
    }

    fn any_operand(&mut self, row: &Op) -> Value {
        match row.name {
            "adv_index" | "concatenate" | "einsum" | "meshgrid" | "stack" => {
                let n = self.below(4);
                Value::Tuple(Fields::new((0..n).map(|_| self.any_tensor()).collect()))
            }
            _ => self.any_tensor(),
        }
    }

    fn attr(&mut self, form: AttrForm) -> AttrValue {
        let list = |random: &mut Random, one: fn(&mut Random) -> AttrValue| {
            let n = random.below(5);
            AttrValue::List((0..n).map(|_| one(random)).collect())
        };
        let int = |random: &mut Random| AttrValue::Int(random.int());
        let float = |random: &mut Random| AttrValue::Float(random.float());
        match form {
            AttrForm::Int => int(self),
            AttrForm::Float => float(self),
            AttrForm::Bool => AttrValue::Bool(self.one_in(2)),
            AttrForm::Str if self.one_in(2) => AttrValue::Str(self.pick(&EQUATIONS).into()),
            AttrForm::Str => AttrValue::Str(self.pick(&WORDS).into()),
            AttrForm::Dtype => AttrValue::Str(self.dtype().name().into()),
            AttrForm::Ints => list(self, int),
            AttrForm::OneOf(words) => AttrValue::Str(self.pick(words).into()),
            AttrForm::Floats => list(self, float),
            AttrForm::Any => {
                list(self, |random| AttrValue::List(vec![AttrValue::Int(random.int()), AttrValue::Int(random.int())]))
            }
            AttrForm::Argument(_) => AttrValue::None,
        }
    }
}

/// The types in a row's example, in order, and whether a tuple of them is the operand.
fn types_of_example(doc: &str) -> Vec<(Vec<usize>, Dtype)> {
    let mut found = Vec::new();
    let program: String = doc.lines().filter(|line| !line.starts_with('#')).collect();
    for part in program.split("Tensor[(").skip(1) {
        let Some((dims, rest)) = part.split_once("), ") else { continue };
        let shape: Option<Vec<usize>> =
            dims.split(',').map(str::trim).filter(|dim| !dim.is_empty()).map(|dim| dim.parse().ok()).collect();
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        if let (Some(shape), Some(dtype)) = (shape, Dtype::parse(&name)) {
            found.push((shape, dtype));
        }
    }
    found
}

/// What an example writes for an attribute: a list of integers, an integer or a string.
fn attr_of_example(doc: &str, name: &str) -> Option<AttrValue> {
    let (_, rest) = doc.split_once(&format!("{name}="))?;
    if let Some(list) = rest.strip_prefix('[') {
        let items =
            list.split_once(']')?.0.split(',').map(|item| item.trim_ascii().trim_end_matches('f').parse::<f64>());
        let items: Vec<f64> = items.ok_list().ok()?;
        let item = |x: f64| if x.fract() == 0.0 { AttrValue::Int(x as i64) } else { AttrValue::Float(x) };
        return Some(AttrValue::List(items.into_iter().map(item).collect()));
    }
    if let Some(text) = rest.strip_prefix('"') {
        return Some(AttrValue::Str(text.split_once('"')?.0.into()));
    }
    let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    number.parse().ok().map(AttrValue::Int)
}

fn operands(random: &mut Random, row: &Op, like_example: bool) -> Vec<Value> {
    let types = types_of_example(row.doc);
    let is_tuple = matches!(row.name, "adv_index" | "concatenate" | "einsum" | "meshgrid" | "stack");
    if !like_example || types.is_empty() {
        return row.args.iter().map(|_| random.any_operand(row)).collect();
    }
    let mut tensors: Vec<Value> = Vec::new();
    for (shape, dtype) in types.into_iter().take(if is_tuple { 3 } else { row.args.len() }) {
        let mut shape = shape;
        if let Some(size) = shape.iter_mut().find(|_| random.one_in(8)) {
            *size = random.below(4);
        }
        // Examples may be large, and these calls are many.
        if shape.iter().product::<usize>() > 6000 {
            shape.iter_mut().for_each(|size| *size = (*size).min(12));
        }
        let dtype = if random.one_in(8) { random.dtype() } else { dtype };
        tensors.push(random.tensor(shape, dtype));
    }
    if is_tuple {
        return vec![Value::Tuple(Fields::new(tensors))];
    }
    while tensors.len() < row.args.len() {
        let dtype = random.pick(&[Dtype::Float32, Dtype::Int32, Dtype::Int64, Dtype::Float32]);
        tensors.push(match random.one_in(3) {
            true => random.any_tensor(),
            false => random.tensor(Vec::new(), dtype),
        });
    }
    tensors
}

fn attrs_of(random: &mut Random, row: &Op, like_example: bool) -> Attrs {
    let mut attrs = row.default_attrs();
    for (spec, (name, value)) in row.attrs.iter().zip(&mut attrs.entries) {
        let is_required = matches!(spec.default, crate::Default::Required);
        match attr_of_example(row.doc, name).filter(|value| like_example && spec.form.admits(value)) {
            Some(written) if !random.one_in(6) => *value = written,
            _ if is_required || random.one_in(if like_example { 6 } else { 2 }) => *value = random.attr(spec.form),
            _ => {}
        }
    }
    attrs
}

/// Whether a value is of a result's type, with every element a number of its dtype.
fn is_of(value: &Value, result: &ResultType) -> bool {
    let Ok(x) = as_tensor(value) else { return false };
    let fits = |(size, want): (&usize, &usize)| *want == OPEN || size == want;
    let is_rounded = match &*x.elements() {
        Elements::Float(values) => values.iter().all(|&v| v.is_nan() || round_to(x.dtype(), v) == v),
        Elements::Int(values) => values.iter().all(|&v| x.dtype() == Dtype::UInt64 || wrap_to(x.dtype(), v) == v),
    };
    let n: usize = x.shape().iter().product();
    x.dtype() == result.dtype
        && x.shape().len() == result.shape.len()
        && x.shape().iter().zip(&result.shape).all(fits)
        && x.elements().len() == n
        && is_rounded
}

/// Operators that move a value of any type, functions too.
fn passes_anything(row: &Op) -> bool {
    row.name.starts_with("annotation.") || matches!(row.name, "debug" | "device_copy" | "on_device")
}

#[test]
fn every_row_on_random_operands() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut complaints: Vec<String> = Vec::new();
    let mut never: Vec<&str> = Vec::new();
    let (mut n_rows, mut n_values) = (0, 0);
    for (at, row) in all().iter().enumerate().filter(|(_, row)| row.runs()) {
        n_rows += 1;
        let before = n_values;
        let mut n_complaints = 0;
        for i in 0..N_CALLS {
            let like_example = i % 2 == 0;
            let args = operands(&mut random, row, like_example);
            let attrs = Arc::new(attrs_of(&mut random, row, like_example));
            let mut operators = Operators::new(MEMORY);
            let op = OpId::numbered(at as u32);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let results = operators.result_types(op, &args, &attrs)?;
                Ok::<_, CallFault>((operators.run_with(op, &args, &attrs, &results), results))
            }));
            let complaint = match outcome {
                Err(_) => "panics",
                Ok(Err(_))
                | Ok(Ok((Err(CallFault::Shapes(_) | CallFault::OutOfMemory | CallFault::LargeTensor(_)), _))) => {
                    continue;
                }
                Ok(Ok((
                    Err(CallFault::IndexOutOfRange(_) | CallFault::DivisionByZero | CallFault::NoInteger(_)),
                    _,
                ))) => continue,
                // The kernel of another row that it calls may be missing.
                Ok(Ok((Err(CallFault::NoKernel(_)), _))) => continue,
                Ok(Ok((Err(CallFault::IllTyped), _))) => "refuses what its relation admits",
                Ok(Ok((Ok(_), _))) if passes_anything(row) => {
                    n_values += 1;
                    continue;
                }
                Ok(Ok((Ok(value), results))) => {
                    n_values += 1;
                    let fits = match &value {
                        Value::Tuple(fields) => {
                            fields.len() == results.len() && fields.iter().zip(&results).all(|(v, r)| is_of(v, r))
                        }
                        one => results.len() == 1 && is_of(one, &results[0]),
                    };
                    if fits {
                        continue;
                    }
                    "gives another type than was inferred"
                }
            };
            n_complaints += 1;
            if n_complaints <= 2 {
                complaints.push(format!("{} {complaint}: {:?}", row.name, attrs.entries));
            }
        }
        if n_values == before {
            never.push(row.name);
        }
    }
    println!("{n_rows} rows, {n_values} values; never a value: {}", never.joined(" "));
    assert!(complaints.is_empty(), "{}", complaints.joined("\n"));
}
