//! Operators on float32, by the bodies of `kernel` that go four elements at a time.

use super::contraction::Contraction;
use super::convs::Convolution;
use super::layers::{Layer, Scales};
use super::{Scratch, Source, count};
use crate::linear::orders;
use crate::rule::reduced_axes;
use crate::run::{Fault, ResultType};
use base::{MapArray, ToList};
use kernel::elementwise::broadcast::{self, Walk};
use kernel::elementwise::{self, Binary, Source as From, Unary, compare};
use kernel::fold::{self, Extent, Fold};
use kernel::gemm::{
    Activation, Batch, Bias, Epilogue, Matrix, Packed, Right, Small, multiply, multiply_batch, pack, packed_size,
};
use kernel::linear::Order;
use kernel::rows;
use ty::{AttrValue, Attrs, Dtype};

pub enum Single {
    Unary(Unary),
    Binary {
        op: Binary,
        walk: Walk<2>,
        is_whole: [bool; 2],
    },
    /// A bool for each pair.
    Compare {
        op: Binary,
        walk: Walk<2>,
    },
    /// Products of matrices, one for each of a batch.
    Product {
        batch: Batch,
        a: View,
        b: View,
        small: Option<Small>,
    },
    Conv(Convolution),
    Contraction(Box<Contraction>),
    Fold {
        op: Fold,
        groups: Vec<Extent>,
        /// What sums are divided by.
        divisor: Option<usize>,
    },
    Softmax(Extent),
    LogSoftmax(Extent),
    LayerNorm(Extent, Scales),
    Layer(Layer),
}

/// A matrix as an operand has it: rows, columns, and the steps along both.
#[derive(Clone, Copy)]
pub struct View {
    pub shape: [usize; 2],
    pub steps: [usize; 2],
}

impl View {
    /// A matrix that a product reads with this shape.
    fn of([n_rows, n_columns]: [usize; 2], order: Order) -> View {
        let steps = if order == Order::Plain { [n_columns, 1] } else { [1, n_rows] };
        View { shape: [n_rows, n_columns], steps }
    }

    fn matrix(self, data: &[f32]) -> Option<Matrix<'_>> {
        Matrix::new(data, self.shape, self.steps)
    }
}

const UNARY: &[(&str, Unary)] = &[
    ("abs", Unary::Abs),
    ("acos", Unary::Acos),
    ("acosh", Unary::Acosh),
    ("asin", Unary::Asin),
    ("asinh", Unary::Asinh),
    ("atan", Unary::Atan),
    ("atanh", Unary::Atanh),
    ("ceil", Unary::Ceil),
    ("cos", Unary::Cos),
    ("cosh", Unary::Cosh),
    ("erf", Unary::Erf),
    ("fast_erf", Unary::Erf),
    ("exp", Unary::Exp),
    ("fast_exp", Unary::Exp),
    ("floor", Unary::Floor),
    ("log", Unary::Log),
    ("log10", Unary::Log10),
    ("log2", Unary::Log2),
    ("negative", Unary::Negative),
    ("nn.relu", Unary::Relu),
    ("round", Unary::Round),
    ("sigmoid", Unary::Sigmoid),
    ("sign", Unary::Sign),
    ("sin", Unary::Sin),
    ("sinh", Unary::Sinh),
    ("sqrt", Unary::Sqrt),
    ("tan", Unary::Tan),
    ("tanh", Unary::Tanh),
    ("fast_tanh", Unary::Tanh),
    ("trunc", Unary::Trunc),
];

const BINARY: &[(&str, Binary)] = &[
    ("add", Binary::Add),
    ("nn.bias_add", Binary::Add),
    ("subtract", Binary::Subtract),
    ("multiply", Binary::Multiply),
    ("divide", Binary::Divide),
    ("maximum", Binary::Maximum),
    ("minimum", Binary::Minimum),
    ("power", Binary::Power),
    ("floor_divide", Binary::FloorDivide),
    ("floor_mod", Binary::FloorMod),
    ("mod", Binary::Mod),
    ("trunc_mod", Binary::Mod),
    ("trunc_divide", Binary::TruncDivide),
    ("nn.prelu", Binary::Prelu),
    ("equal", Binary::Equal),
    ("not_equal", Binary::NotEqual),
    ("less", Binary::Less),
    ("less_equal", Binary::LessEqual),
    ("greater", Binary::Greater),
    ("greater_equal", Binary::GreaterEqual),
];

fn of_name<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    list.iter().find(|(known, _)| *known == name).map(|&(_, op)| op)
}

/// The function of one float32 that a row is.
pub fn unary(name: &str, attrs: &Attrs) -> Option<Unary> {
    match name {
        "clip" => Some(Unary::Clip(attrs.float("a_min") as f32, attrs.float("a_max") as f32)),
        "nn.leaky_relu" => Some(Unary::LeakyRelu(attrs.float("alpha") as f32)),
        // That of a variance has what is added to it.
        "rsqrt" => Some(Unary::Rsqrt(match attrs.get("epsilon") {
            AttrValue::None => -0.0,
            _ => attrs.float("epsilon") as f32,
        })),
        _ => of_name(UNARY, name),
    }
}

/// The function of two that a row is. Comparisons answer bools.
pub fn binary(name: &str) -> Option<Binary> {
    of_name(BINARY, name)
}

/// The axis that an attribute names, from 0.
pub fn axis_of(attrs: &Attrs, default: i64, rank: usize) -> Option<usize> {
    let axis = attrs.int("axis").unwrap_or(default);
    let axis = usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).ok()?;
    (axis < rank).then_some(axis)
}

pub fn along(shape: &[usize], axis: usize) -> Extent {
    Extent { outer: shape[..axis].iter().product(), reduced: shape[axis], inner: shape[axis + 1..].iter().product() }
}

impl Single {
    /// Products of as many `[m, k]` and `[k, n]` as there are of either, or of one with all of the others.
    pub fn of_matrices([batch_a, batch_b]: [usize; 2], [m, k, n]: [usize; 3], orders: [Order; 2]) -> Single {
        let step = |of: usize, size: usize| if of == 1 { 0 } else { size };
        let size = if batch_a == 1 { batch_b } else { batch_a };
        let batch = Batch { size, a_step: step(batch_a, m * k), b_step: step(batch_b, k * n) };
        let (a, b) = (View::of([m, k], orders[0]), View::of([k, n], orders[1]));
        let small = Small::new([m, k, n], a.steps, b.steps);
        Single::Product { batch, a, b, small }
    }

    /// `None`: there is no body for this operator on these types.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Single> {
        let shapes: Vec<&[usize]> = operands.iter().map(|operand| operand.shape.as_slice()).list();
        let is_single = |of: &ResultType| of.dtype == Dtype::Float32 && count(&of.shape).is_some();
        if !operands.iter().all(is_single) || count(&result.shape).is_none() {
            return None;
        }
        if let (&[a, b], Some(op)) = (shapes.as_slice(), binary(name)) {
            let b = &second(name, attrs, [a, b])?[..];
            if !broadcasts(a, &result.shape) || !broadcasts(b, &result.shape) {
                return None;
            }
            let walk = Walk::new([a, b], &result.shape);
            return match result.dtype {
                Dtype::Bool => Some(Single::Compare { op, walk }),
                Dtype::Float32 => {
                    Some(Single::Binary { op, walk, is_whole: [a, b].each(|of| count(of) == count(&result.shape)) })
                }
                _ => None,
            };
        }
        if let Some(layer) = Layer::new(name, attrs, &shapes, result) {
            return Some(Single::Layer(layer));
        }
        if !is_single(result) {
            return None;
        }
        if let (&[x], Some(op)) = (shapes.as_slice(), unary(name, attrs)) {
            return (count(x) == count(&result.shape)).then_some(Single::Unary(op));
        }
        match (name, shapes.as_slice()) {
            ("nn.dense", &[x, &[n, l]]) => {
                let (&k, rows) = x.split_last()?;
                let sizes = [rows.iter().product(), k, n];
                (k == l).then(|| Single::of_matrices([1; 2], sizes, [Order::Plain, Order::Transposed]))
            }
            ("nn.matmul", &[a @ &[_, _], b @ &[_, _]]) => {
                let orders = orders(attrs);
                let ([m, k], [l, n]) = (turned(a, orders[0])?, turned(b, orders[1])?);
                (k == l).then(|| Single::of_matrices([1; 2], [m, k, n], orders))
            }
            ("nn.batch_matmul", &[&[batch_a, ref a @ ..], &[batch_b, ref b @ ..]]) => {
                let orders = orders(attrs);
                let ([m, k], [l, n]) = (turned(a, orders[0])?, turned(b, orders[1])?);
                let fits = k == l && batch_a > 0 && batch_b > 0 && (batch_a == 1 || batch_b == 1 || batch_a == batch_b);
                fits.then(|| Single::of_matrices([batch_a, batch_b], [m, k, n], orders))
            }
            (_, &[x, w]) if Convolution::is_one(name, attrs) => {
                Convolution::new(name, attrs, [x, w, &result.shape]).map(Single::Conv)
            }
            ("einsum", &[a, b]) => {
                Contraction::new(attrs, [a, b], &result.shape).map(|made| Single::Contraction(Box::new(made)))
            }
            ("sum" | "mean" | "prod" | "max" | "min", &[x]) => reduction(name, attrs, x),
            ("nn.softmax" | "nn.fast_softmax", &[x]) => Some(Single::Softmax(along(x, axis_of(attrs, -1, x.len())?))),
            ("nn.log_softmax", &[x]) => Some(Single::LogSoftmax(along(x, axis_of(attrs, -1, x.len())?))),
            ("nn.layer_norm", &[x, &[gamma], &[beta]]) => {
                let extent = along(x, axis_of(attrs, -1, x.len())?);
                let is_fit = gamma == extent.reduced && beta == extent.reduced;
                is_fit.then(|| Single::LayerNorm(extent, Scales::of(attrs)))
            }
            _ => None,
        }
    }

    /// Whether the result may be computed where this operand is.
    pub fn takes(&self, operand: usize) -> bool {
        match self {
            Single::Unary(_) | Single::Softmax(_) | Single::LogSoftmax(_) => operand == 0,
            Single::Binary { is_whole, .. } => is_whole.get(operand) == Some(&true),
            Single::LayerNorm(..) => operand == 0,
            Single::Layer(layer) => operand == 0 && layer.takes_first(),
            Single::Compare { .. }
            | Single::Product { .. }
            | Single::Conv(_)
            | Single::Contraction(_)
            | Single::Fold { .. } => false,
        }
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        match self.try_run(sources, result, scratch) {
            Some(()) => Ok(()),
            None => Err(Fault::ill_typed()),
        }
    }

    fn try_run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Option<()> {
        if let Single::Compare { op, walk } = self {
            let operands = [floats((*sources.first()?)?)?, floats((*sources.get(1)?)?)?];
            if result.len() != walk.n {
                return None;
            }
            compare::compare(*op, walk, operands, result);
            return Some(());
        }
        if let Single::Layer(layer) = self {
            return layer.run(sources, result, scratch);
        }
        let to: &mut [f32] = bytemuck::try_cast_slice_mut(result).ok()?;
        let from = |i: usize| match sources.get(i)? {
            Some(bytes) => Some(From::Other(floats(bytes)?)),
            None => Some(From::Result),
        };
        let other = |i: usize| floats((*sources.get(i)?)?);
        match self {
            Single::Conv(_) => self.matrix([other(0)?, other(1)?], (None, Activation::None), to, scratch),
            Single::LayerNorm(extent, scales) => {
                if to.len() != extent.n_elements() || matches!(from(0)?, From::Other(x) if x.len() != to.len()) {
                    return None;
                }
                let affine = scales.affine(other(1)?, other(2)?, extent.reduced)?;
                rows::layer_norm(*extent, affine, from(0)?, to, &mut scratch.conv.panels);
                Some(())
            }
            _ => {
                let second = if sources.len() > 1 { from(1)? } else { From::Other(&[]) };
                self.on_floats([from(0)?, second], to, scratch)
            }
        }
    }

    /// Those on one or two tensors of float32, with a result of float32; one does not look at `b`. `None` for others,
    /// or if sizes disagree.
    pub fn on_floats(&self, [a, b]: [From; 2], to: &mut [f32], scratch: &mut Scratch) -> Option<()> {
        let is_long = |n: usize| to.len() == n && !matches!(a, From::Other(x) if x.len() != n);
        match (self, a, b) {
            (Single::Unary(op), ..) => {
                is_long(to.len()).then_some(())?;
                elementwise::unary(op, a, to);
            }
            (Single::Binary { op, walk, .. }, ..) => {
                (to.len() == walk.n).then_some(())?;
                broadcast::binary(*op, walk, [a, b], to);
            }
            (Single::Product { small: Some(small), batch, .. }, From::Other(a), From::Other(b)) => {
                small.run_batch(*batch, [a, b], to)?;
            }
            (Single::Product { .. }, From::Other(a), From::Other(b)) => {
                self.matrix([a, b], (None, Activation::None), to, scratch)?;
            }
            (Single::Contraction(contraction), From::Other(a), From::Other(b)) => {
                contraction.run([a, b], to, scratch)?;
            }
            (Single::Fold { op, groups, divisor }, From::Other(x), _) => {
                fold_all(*op, groups, x, to, scratch)?;
                divide(to, *divisor);
            }
            (Single::Softmax(extent), ..) => {
                is_long(extent.n_elements()).then_some(())?;
                rows::softmax(*extent, a, to, &mut scratch.conv.panels);
            }
            (Single::LogSoftmax(extent), ..) => {
                is_long(extent.n_elements()).then_some(())?;
                rows::log_softmax(*extent, a, to, &mut scratch.conv.panels);
            }
            _ => return None,
        }
        Some(())
    }
}

impl Single {
    /// How many floats the panels of a right operand take, or a weight in another order, if this is much faster with them.
    pub fn n_right_floats(&self) -> Option<usize> {
        match self {
            Single::Product { batch: Batch { size: 1, .. }, a, b, .. } => packed_size(a.shape[0], b.shape, b.steps),
            Single::Conv(conv) => conv.n_turned_floats(),
            _ => None,
        }
    }

    /// Bytes that it works in, beside operands and result.
    pub fn n_working_bytes(&self) -> u64 {
        match self {
            Single::Conv(conv) => conv.n_working_bytes(),
            Single::Contraction(contraction) => contraction.n_working_bytes(),
            _ => 0,
        }
    }

    /// A product or a convolution; then a bias for each column or each output channel, then the activation.
    pub fn matrix(
        &self,
        [a, b]: [&[f32]; 2],
        (bias, activation): (Option<&[f32]>, Activation),
        to: &mut [f32],
        scratch: &mut Scratch,
    ) -> Option<()> {
        match self {
            Single::Product { batch, a: left, b: right, .. } => {
                let (a, b) = (left.matrix(a)?, right.matrix(b)?);
                let epilogue =
                    Epilogue { bias: bias.map_or(Bias::None, Bias::PerColumn), activation, ..Epilogue::default() };
                match (batch.size, &mut scratch.right) {
                    (1, Some(panels)) => {
                        if panels.is_empty() {
                            pack(b, panels);
                        }
                        let packed = Packed::new(panels, right.shape)?;
                        multiply(a, Right::Packed(packed), to, &epilogue, &mut scratch.conv.panels)
                    }
                    (1, None) => multiply(a, Right::Strided(b), to, &epilogue, &mut scratch.conv.panels),
                    _ => multiply_batch(*batch, a, b, to, &epilogue, &mut scratch.conv.panels),
                }
            }
            Single::Conv(conv) => conv.run([a, b], (bias, activation), to, scratch),
            Single::Unary(_)
            | Single::Binary { .. }
            | Single::Compare { .. }
            | Single::Contraction(_)
            | Single::Fold { .. }
            | Single::Softmax(_)
            | Single::LogSoftmax(_)
            | Single::LayerNorm(..)
            | Single::Layer(_) => None,
        }
    }
}

/// Whether a row is a product or a convolution that has a body here on float32.
pub fn is_matrix(name: &str, attrs: &Attrs) -> bool {
    matches!(name, "nn.dense" | "nn.matmul" | "nn.batch_matmul") || Convolution::is_one(name, attrs)
}

pub fn floats(bytes: &[u8]) -> Option<&[f32]> {
    bytemuck::try_cast_slice(bytes).ok()
}

/// The shape of a matrix as a product reads it.
fn turned(shape: &[usize], order: Order) -> Option<[usize; 2]> {
    let &[rows, columns] = shape else { return None };
    Some(if order == Order::Plain { [rows, columns] } else { [columns, rows] })
}

/// Whether `shape` is repeated to `to` without changing a size other than 1.
pub fn broadcasts(shape: &[usize], to: &[usize]) -> bool {
    to.len()
        .checked_sub(shape.len())
        .is_some_and(|missing| shape.iter().zip(&to[missing..]).all(|(&size, &to)| size == to || size == 1))
}

/// The shape of the second operand as it broadcasts to the result: a vector along an axis has ones on the others, if
/// there are others.
pub fn second(name: &str, attrs: &Attrs, [a, b]: [&[usize]; 2]) -> Option<Vec<usize>> {
    match name {
        "nn.bias_add" | "nn.prelu" if a.len() > 1 => vector_shape(a, b, axis_of(attrs, 1, a.len())?),
        _ => Some(b.to_vec()),
    }
}

/// A vector along an axis of `shape`, as it broadcasts.
fn vector_shape(shape: &[usize], vector: &[usize], axis: usize) -> Option<Vec<usize>> {
    let mut found = vec![1; shape.len()];
    found[axis] = *vector.first()?;
    (vector.len() == 1 && found[axis] == shape[axis]).then_some(found)
}

fn reduction(name: &str, attrs: &Attrs, shape: &[usize]) -> Option<Single> {
    let reduced = reduced_axes(attrs, shape.len()).ok()?;
    let axes: Vec<usize> = (0..shape.len()).filter(|&axis| reduced[axis]).list();
    let op = match name {
        "prod" => Fold::Product,
        "max" => Fold::Maximum,
        "min" => Fold::Minimum,
        _ => Fold::Sum,
    };
    // `variance`, which ends in a mean, may have been asked for that of a sample.
    let n: usize = axes.iter().map(|&axis| shape[axis]).product();
    let divisor = if name == "mean" { Some(n.checked_sub(attrs.flag("unbiased").into())?) } else { None };
    Some(Single::Fold { op, groups: fold::groups(shape, &axes), divisor })
}

/// Sums as means of so many elements.
pub fn divide(sums: &mut [f32], divisor: Option<usize>) {
    if let Some(n) = divisor {
        sums.iter_mut().for_each(|sum| *sum = (f64::from(*sum) / n as f64) as f32);
    }
}

/// One reduction after the other; the last one writes the result.
pub fn fold_all(op: Fold, groups: &[Extent], from: &[f32], to: &mut [f32], scratch: &mut Scratch) -> Option<()> {
    let Some((last, first)) = groups.split_last() else {
        return (from.len() == to.len()).then(|| to.copy_from_slice(from));
    };
    let Scratch { conv, between, .. } = scratch;
    let [held, next] = between;
    let mut is_begun = false;
    for extent in first {
        let from = if is_begun { held.as_slice() } else { from };
        if from.len() != extent.n_elements() {
            return None;
        }
        next.clear();
        next.resize(extent.n_results(), 0.0);
        fold::fold(op, *extent, from, next, &mut conv.panels);
        std::mem::swap(held, next);
        is_begun = true;
    }
    let from = if is_begun { held.as_slice() } else { from };
    if from.len() != last.n_elements() || to.len() != last.n_results() {
        return None;
    }
    fold::fold(op, *last, from, to, &mut conv.panels);
    Some(())
}
