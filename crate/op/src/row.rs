//! What one operator is: its row.

use crate::Kernel;
use base::{Join, ToList};
use std::borrow::Cow;
use ty::{AttrValue, Attrs, Relation};

/// One operator: what it is called and takes, its type relation, its meaning and its documentation. What is fast for
/// some operators is not here: `engine` chooses a body for a call by the operator's name or kernel and the types,
/// `cost` a formula by its name.
#[derive(Clone, Copy)]
pub struct Op {
    /// As in the text: `nn.conv2d`.
    pub name: &'static str,
    /// The infix spelling, if it has one.
    pub infix: Option<&'static str>,
    pub args: &'static [&'static str],
    pub attrs: &'static [AttrSpec],
    /// Inputs are the arguments in order; the one output is the result.
    pub relation: &'static Relation,
    pub kernel: Kernel,
    /// Markdown; its `relay` fences are tests. Empty in a build without the feature `docs`.
    pub doc: &'static str,
}

/// What operators are called in NumPy, PyTorch and ONNX, and what they are called here.
pub(crate) const OPERATORS: &[(&str, &str)] = &[
    ("astype", "cast"),
    ("avg_pool", "nn.avg_pool2d"),
    ("bmm", "nn.batch_matmul"),
    ("cat", "concatenate"),
    ("clamp", "clip"),
    ("concat", "concatenate"),
    ("conv", "nn.conv2d"),
    ("conv_transpose2d", "nn.conv2d_transpose"),
    ("conv_transpose3d", "nn.conv3d_transpose"),
    ("div", "divide"),
    ("dot", "nn.matmul"),
    ("flatten", "nn.batch_flatten"),
    ("fold", "foldl"),
    ("len", "length"),
    ("linear", "nn.dense"),
    ("max", "maximum"),
    ("max_pool", "nn.max_pool2d"),
    ("min", "minimum"),
    ("mm", "nn.matmul"),
    ("mul", "multiply"),
    ("neg", "negative"),
    ("not", "logical_not"),
    ("permute", "transpose"),
    ("pow", "power"),
    ("range", "arange"),
    ("resize", "image.resize2d"),
    ("slice", "strided_slice"),
    ("sub", "subtract"),
    ("to", "cast"),
    ("unsqueeze", "expand_dims"),
    ("view", "reshape"),
];

/// Attributes that go by each other's names, in NumPy, PyTorch and ONNX.
const ATTRS: &[(&str, &str)] = &[
    ("dim", "axis"),
    ("dims", "axes"),
    ("eps", "epsilon"),
    ("keepdim", "keepdims"),
    ("layout", "data_layout"),
    ("kernel_size", "pool_size"),
    ("max", "a_max"),
    ("min", "a_min"),
    ("out_channels", "channels"),
    ("p", "rate"),
    ("pads", "padding"),
    ("perm", "axes"),
    ("shape", "newshape"),
    ("size", "shape"),
    ("split_size_or_sections", "indices_or_sections"),
    ("stride", "strides"),
];

impl Op {
    /// Whether it can be computed, and not only typed.
    pub fn runs(&self) -> bool {
        !matches!(self.kernel, Kernel::Missing)
    }

    /// The attribute that is meant by a name that it has elsewhere.
    pub fn attr_called(&self, elsewhere: &str) -> Option<&'static str> {
        let mut pairs = ATTRS.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        let is_here = |name: &str| self.attrs.iter().any(|spec| spec.name == name);
        pairs.find(|&(other, name)| other == elsewhere && is_here(name)).map(|(_, name)| name)
    }

    /// The attributes of a call that writes none.
    pub fn default_attrs(&self) -> Attrs {
        let entries = self.attrs.iter().map(|spec| (spec.name, spec.default.value().unwrap_or(AttrValue::None)));
        Attrs { entries: entries.list(), written: base::filled(false, self.attrs.len()) }
    }

    /// Whether the result may have a size that is `?` though no argument has one: sizes are values, and these no
    /// literals.
    pub fn leaves_sizes_open(&self, attrs: &Attrs) -> bool {
        match self.name {
            "argwhere" | "sparse_fill_empty_rows" => true,
            "collapse_sum_to" => matches!(attrs.get("shape"), AttrValue::None),
            name => name.starts_with("dyn.") || self.looks_at_values(attrs),
        }
    }

    /// Whether the types of the results depend on the values of arguments that are no literals.
    pub fn looks_at_values(&self, attrs: &Attrs) -> bool {
        let is_argument = |spec: &&AttrSpec| matches!(spec.form, AttrForm::Argument(_));
        self.attrs.iter().filter(is_argument).any(|spec| matches!(attrs.get(spec.name), AttrValue::None))
    }
}

/// One attribute of an operator.
pub struct AttrSpec {
    pub name: &'static str,
    pub form: AttrForm,
    pub default: Default,
}

/// What an attribute's value may look like. `None` is allowed where it is the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrForm {
    Int,
    Float,
    Bool,
    Str,
    Dtype,
    /// A list of integers, or one integer for a list of one.
    Ints,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A list of numbers.
    Floats,
    /// Anything; the relation says what it wants.
    Any,
    /// Not written: the literal that stands as this argument, if one does.
    Argument(usize),
}

impl AttrForm {
    /// What the form wants, after "expected".
    pub fn describe(self) -> Cow<'static, str> {
        match self {
            AttrForm::Int => "an integer".into(),
            AttrForm::Float => "a number".into(),
            AttrForm::Bool => "`True` or `False`".into(),
            AttrForm::Str => "a string".into(),
            AttrForm::Dtype => "a dtype in quotes, as \"float32\"".into(),
            AttrForm::Ints => "a list of integers".into(),
            AttrForm::OneOf(words) => {
                let words = words.iter().filter(|word| !word.is_empty()).map(|word| format!("\"{word}\"")).list();
                words.either().into()
            }
            AttrForm::Floats => "a list of numbers".into(),
            AttrForm::Any => "a value".into(),
            AttrForm::Argument(_) => "no value, since it is read from an argument".into(),
        }
    }

    pub fn admits(self, value: &AttrValue) -> bool {
        match self {
            AttrForm::Int => matches!(value, AttrValue::Int(_)),
            AttrForm::Float => matches!(value, AttrValue::Int(_) | AttrValue::Float(_)),
            AttrForm::Bool => matches!(value, AttrValue::Bool(_) | AttrValue::Int(0 | 1)),
            AttrForm::Str => matches!(value, AttrValue::Str(_)),
            AttrForm::Dtype => {
                matches!(value, AttrValue::Str(name) if name.is_empty() || ty::Dtype::parse(name).is_some())
            }
            AttrForm::Ints => value.as_ints().is_some(),
            AttrForm::OneOf(words) => matches!(value, AttrValue::Str(word) if words.contains(&&**word)),
            AttrForm::Floats => match value {
                AttrValue::List(items) => {
                    items.iter().all(|item| matches!(item, AttrValue::Int(_) | AttrValue::Float(_)))
                }
                _ => matches!(value, AttrValue::Int(_) | AttrValue::Float(_)),
            },
            AttrForm::Any => true,
            AttrForm::Argument(_) => false,
        }
    }
}

/// The value of an attribute that is not written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    Required,
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'static str),
    Ints(&'static [i64]),
    Floats(&'static [f64]),
}

impl Default {
    /// `None` when the attribute must be written.
    pub fn value(self) -> Option<AttrValue> {
        Some(match self {
            Default::Required => return None,
            Default::None => AttrValue::None,
            Default::Bool(value) => AttrValue::Bool(value),
            Default::Int(value) => AttrValue::Int(value),
            Default::Float(value) => AttrValue::Float(value),
            Default::Str(value) => AttrValue::Str(value.into()),
            Default::Ints(values) => AttrValue::List(values.iter().map(|&value| AttrValue::Int(value)).list()),
            Default::Floats(values) => AttrValue::List(values.iter().map(|&value| AttrValue::Float(value)).list()),
        })
    }
}

impl AttrSpec {
    pub const fn int(name: &'static str, default: i64) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Int, default: Default::Int(default) }
    }

    pub const fn int_or_none(name: &'static str) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Int, default: Default::None }
    }

    pub const fn float(name: &'static str, default: f64) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Float, default: Default::Float(default) }
    }

    pub const fn float_or_none(name: &'static str) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Float, default: Default::None }
    }

    pub const fn flag(name: &'static str, default: bool) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Bool, default: Default::Bool(default) }
    }

    pub const fn str(name: &'static str, default: &'static str) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Str, default: Default::Str(default) }
    }

    /// One of some words, by default the first.
    pub const fn word(name: &'static str, words: &'static [&'static str]) -> AttrSpec {
        AttrSpec { name, form: AttrForm::OneOf(words), default: Default::Str(words[0]) }
    }

    /// A dtype, by default that of the data.
    pub const fn dtype(name: &'static str) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Dtype, default: Default::Str("") }
    }

    pub const fn ints(name: &'static str, default: &'static [i64]) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Ints, default: Default::Ints(default) }
    }

    pub const fn ints_or_none(name: &'static str) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Ints, default: Default::None }
    }

    pub const fn floats(name: &'static str, default: &'static [f64]) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Floats, default: Default::Floats(default) }
    }

    pub const fn required(name: &'static str, form: AttrForm) -> AttrSpec {
        AttrSpec { name, form, default: Default::Required }
    }

    pub const fn argument(name: &'static str, index: usize) -> AttrSpec {
        AttrSpec { name, form: AttrForm::Argument(index), default: Default::None }
    }
}
