//! Values as expressions that parse back to them: `Cons(1, Nil)`, `[[1f, 2f], [3f, 4f]]`, in refine `A (B C) D`.

use base::{Append, Join, Surface, ToList};

use crate::{AdtId, Code, Dtype, Fields, Kind, Names, ParamId, Printed, Scalar, Tensor, Value, VariantId};

/// A printed value stops here with `…`.
const MAX_NODES: usize = 100_000;

/// The names in values: of constructors by the evaluator's numbers, and of variants.
pub trait ConstructorNames {
    fn constructor(&self, number: u32) -> &str;
    fn variant(&self, variant: VariantId) -> &str;
    /// What values are printed in.
    fn surface(&self) -> Surface;
}

/// Names without a program, for programs made by hand: a list each of variants and of constructors, and one name for
/// all data types and for all parameters.
#[derive(Clone, Copy, Debug)]
pub struct FixedNames {
    pub adt: &'static str,
    pub param: &'static str,
    pub variants: &'static [&'static str],
    pub constructors: &'static [&'static str],
}

impl Names for FixedNames {
    fn adt(&self, _: AdtId) -> &str {
        self.adt
    }
    fn param(&self, _: ParamId) -> &str {
        self.param
    }
    fn param_kind(&self, _: ParamId) -> Kind {
        Kind::Type
    }
    fn variant(&self, variant: VariantId) -> &str {
        self.variants[variant.number() as usize]
    }
    fn surface(&self) -> Surface {
        Surface::Relay
    }
}

impl ConstructorNames for FixedNames {
    fn constructor(&self, number: u32) -> &str {
        self.constructors[number as usize]
    }
    fn variant(&self, variant: VariantId) -> &str {
        Names::variant(self, variant)
    }
    fn surface(&self) -> Surface {
        Surface::Relay
    }
}

enum Piece {
    Text(&'static str),
    Value(Value),
}

struct Printer {
    out: String,
    stack: Vec<Piece>,
    n_nodes: usize,
}

/// Functions print as `<fn>` and references as `<ref …>`; both cannot be written. A cycle through references ends at
/// the node limit.
pub fn print_value(value: &Value, names: &dyn ConstructorNames) -> Printed {
    let mut printer = Printer { out: String::new(), stack: vec![Piece::Value(value.clone())], n_nodes: 0 };
    while let Some(piece) = printer.stack.pop() {
        match piece {
            Piece::Text(text) => printer.out.push_str(text),
            Piece::Value(value) => printer.value(&value, names),
        }
        if printer.n_nodes > MAX_NODES {
            printer.out.push('…');
            return Printed { text: printer.out, truncated: true };
        }
    }
    Printed { text: printer.out, truncated: false }
}

impl Printer {
    fn value(&mut self, value: &Value, names: &dyn ConstructorNames) {
        self.n_nodes += 1;
        match value {
            Value::Scalar(dtype, scalar) => self.scalar(*dtype, *scalar),
            Value::Tensor(tensor) => self.tensor(tensor),
            Value::Tuple(fields) => self.fields(fields, if fields.len() == 1 { ",)" } else { ")" }),
            Value::Data(constructor, fields) => {
                self.out.push_str(names.constructor(*constructor));
                if !fields.is_empty() {
                    self.fields(fields, ")");
                }
            }
            Value::Variant(variant, fields) if names.surface() == Surface::Refine => {
                self.out.push_str(names.variant(*variant));
                for field in fields.iter().rev() {
                    // What has fields itself stands in parentheses.
                    let is_simple = !matches!(field, Value::Variant(_, fields) if !fields.is_empty());
                    let (open, close) = if is_simple { (" ", "") } else { (" (", ")") };
                    self.stack.append_all([Piece::Text(close), Piece::Value(field.clone()), Piece::Text(open)]);
                }
            }
            Value::Variant(variant, fields) => {
                self.out.push('`');
                self.out.push_str(names.variant(*variant));
                if !fields.is_empty() {
                    self.fields(fields, ")");
                }
            }
            Value::Func(Code::Constructor(constructor), _) => self.out.push_str(names.constructor(*constructor)),
            Value::Func(Code::Function(_) | Code::Operator(_), _) => self.out.push_str("<fn>"),
            Value::Ref(cell) => {
                self.out.push_str("<ref ");
                self.stack.append_all([Piece::Text(">"), Piece::Value(cell.borrow().clone())]);
            }
        }
    }

    fn fields(&mut self, fields: &Fields, close: &'static str) {
        self.out.push('(');
        self.stack.push(Piece::Text(close));
        for (i, field) in fields.iter().enumerate().rev() {
            self.stack.push(Piece::Value(field.clone()));
            if i > 0 {
                self.stack.push(Piece::Text(", "));
            }
        }
    }

    /// The shortest decimal that rounds back to the number in its dtype, with the literal suffix.
    fn scalar(&mut self, dtype: Dtype, scalar: Scalar) {
        let digits = match scalar {
            Scalar::Int(value) => match dtype {
                Dtype::Bool => if value == 0 { "False" } else { "True" }.to_owned(),
                Dtype::UInt64 => (value as u64).to_string(),
                _ => value.to_string(),
            },
            Scalar::Float(value) if value.is_nan() => "nan".to_owned(),
            Scalar::Float(value) => {
                let format = match dtype {
                    Dtype::Float16 => &base::FLOAT16,
                    Dtype::BFloat16 => &base::BFLOAT16,
                    Dtype::Float32 => &base::FLOAT32,
                    _ => &base::FLOAT64,
                };
                base::shortest(value, format)
            }
        };
        self.out.push_str(digits.strip_suffix(".0").unwrap_or(&digits));
        self.out.push_str(dtype.suffix());
    }

    fn tensor(&mut self, tensor: &Tensor) {
        if tensor.elements.is_empty() {
            let dims: Vec<String> = tensor.shape.iter().map(usize::to_string).list();
            self.out.push_str(&format!("zeros(shape=[{}], dtype=\"{}\")", dims.joined(", "), tensor.dtype));
            return;
        }
        // `sizes[k]` elements make one block of the axes from k on; brackets open and close at its multiples.
        let mut sizes = tensor.shape.clone();
        for axis in (0..sizes.len().saturating_sub(1)).rev() {
            sizes[axis] *= sizes[axis + 1];
        }
        for index in 0..tensor.elements.len() {
            self.n_nodes += 1;
            if self.n_nodes > MAX_NODES {
                return;
            }
            if index > 0 {
                self.out.push_str(", ");
            }
            sizes.iter().filter(|&&size| index % size == 0).for_each(|_| self.out.push('['));
            self.scalar(tensor.dtype, tensor.elements.get(index));
            sizes.iter().filter(|&&size| (index + 1) % size == 0).for_each(|_| self.out.push(']'));
        }
    }
}
