//! Quantized operators: integers q that stand for the real numbers scale · (q − zero point).
//!
//! Every rule is that of the operator on plain tensors, with conditions on dtypes and on the scales and zero points
//! behind the data. Those are scalars, or vectors along an axis of the data; which of the two is found out when the
//! scale's shape is known, and nothing else waits for it.

use super::attr_error;
use super::broadcast::broadcast;
use super::conv_nd::{Lettered, PLANE, conv2d, conv2d_transpose as transpose, layout};
use super::dims::same;
use super::linear::{batch_matmul as plain_batch_matmul, dense as plain_dense};
use super::nn::dense_pack as plain_dense_pack;
use super::pool::pool2d;
use super::rank_error;
use super::shape::concatenate as plain_concatenate;
use base::{Join, ToList};
use std::sync::Arc;
use ty::{Dtype, Facts, Kind, Relation, Step, Stop, Term, TermId, if_known};

/// Floats to the integers of `out_dtype`.
pub static QUANTIZE: Relation = Relation { name: "Quantize", n_outputs: 1, rule: quantize };
/// Integers to `float32`.
pub static DEQUANTIZE: Relation = Relation { name: "Dequantize", n_outputs: 1, rule: dequantize };
/// Integers of one scale to those of another, of `out_dtype`.
pub static REQUANTIZE: Relation = Relation { name: "Requantize", n_outputs: 1, rule: requantize };
/// The result has the data's type; the second operand says the dtype when the program runs.
pub static SIMULATED_QUANTIZE: Relation = Relation { name: "QNNSimulatedQuantize", n_outputs: 1, rule: simulated };
pub static SIMULATED_DEQUANTIZE: Relation = Relation { name: "QNNSimulatedDequantize", n_outputs: 1, rule: simulated };
/// As the plain operator, on bytes.
pub static DENSE: Relation = Relation { name: "QDense", n_outputs: 1, rule: dense };
pub static DENSE_PACK: Relation = Relation { name: "QnnDensePack", n_outputs: 1, rule: dense_pack };
pub static CONV2D: Relation = Relation { name: "QnnConv2D", n_outputs: 1, rule: quantized_conv2d };
pub static CONV2D_TRANSPOSE: Relation = Relation { name: "QnnConv2DTranspose", n_outputs: 1, rule: conv2d_transpose };
pub static BATCH_MATMUL: Relation = Relation { name: "QBatchMatmul", n_outputs: 1, rule: batch_matmul };
pub static AVG_POOL2D: Relation = Relation { name: "QnnAvgPool2D", n_outputs: 1, rule: avg_pool2d };
/// As `CONCATENATE`, with a tuple of scales and one of zero points.
pub static CONCATENATE: Relation = Relation { name: "QnnConcatenate", n_outputs: 1, rule: concatenate };
/// As `BROADCAST`, with scales and zero points of both operands and of the result.
pub static BROADCAST: Relation = Relation { name: "QnnBroadcast", n_outputs: 1, rule: binary };
/// The result has the type of the data, which are bytes.
pub static UNARY: Relation = Relation { name: "QnnUnary", n_outputs: 1, rule: unary };
pub static SOFTMAX: Relation = Relation { name: "QSoftmax", n_outputs: 1, rule: softmax };

/// A data tensor, and a scale or zero point: a scalar, or a vector along the axis that the one attribute says.
pub static PER_AXIS: Relation = Relation { name: "PerAxis", n_outputs: 0, rule: per_axis };
/// A weight, and a scale: a scalar, or a vector with a number for each channel that the weight makes.
pub static PER_UNIT: Relation = Relation { name: "PerUnit", n_outputs: 0, rule: per_unit };
pub static PER_CHANNEL: Relation = Relation { name: "PerChannel", n_outputs: 0, rule: per_channel };

const PARAMETERS: &str = "there is one scale and one zero point for each place on the axis";

const BYTES: &[Dtype] = &[Dtype::Int8, Dtype::UInt8];

/// The dtype of an operand, which must be one of these.
fn dtype_among(r: &dyn Facts, operand: usize, among: &[Dtype], what: &str) -> Result<Dtype, Stop> {
    let (_, dtype) = r.tensor_parts(operand)?;
    let dtype = r.dtype(dtype)?;
    check_among(r, dtype, among, what)?;
    Ok(dtype)
}

fn check_among(r: &dyn Facts, dtype: Dtype, among: &[Dtype], what: &str) -> Step {
    if among.contains(&dtype) {
        return Ok(());
    }
    let names: Vec<String> = among.iter().map(Dtype::to_string).list();
    r.refuse(format!("{what} must have dtype {}, found {dtype}", names.either()))
}

/// The attribute `out_dtype`, which must be one of these.
fn out_among(r: &dyn Facts, among: &[Dtype]) -> Result<Dtype, Stop> {
    let names = || among.iter().map(|dtype| format!("\"{dtype}\"")).list().joined(", ");
    match r.attrs().dtype("out_dtype") {
        Some(dtype) if among.contains(&dtype) => Ok(dtype),
        _ if among.len() == 1 => attr_error(r, "out_dtype", names()),
        _ => attr_error(r, "out_dtype", format!("one of {}", names())),
    }
}

/// What is known of a scale's or zero point's type, before anything is asserted.
fn check_parameter(r: &dyn Facts, operand: usize, want: Dtype, scalar: bool) -> Step {
    let Some((shape, dtype)) = if_known(r.tensor_parts(operand))? else { return Ok(()) };
    if let Ok(dtype) = r.dtype(dtype) {
        let what = if want.is_float() { "a scale" } else { "a zero point" };
        check_among(r, dtype, &[want], what)?;
    }
    match r.dims(shape) {
        Ok(dims) if dims.len() > usize::from(!scalar) => {
            let want = if scalar { "0" } else { "0 or 1" };
            rank_error(r, operand, want, dims.len())
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

fn dtype_of(scale: bool) -> Dtype {
    if scale { Dtype::Float32 } else { Dtype::Int32 }
}

/// Checks scales and zero points by turns, from an operand on: all scalars, or all such that they may be vectors.
fn check_parameters(r: &dyn Facts, operands: std::ops::Range<usize>, scalar: bool) -> Step {
    let first = operands.start;
    operands
        .into_iter()
        .try_for_each(|operand| check_parameter(r, operand, dtype_of((operand - first).is_multiple_of(2)), scalar))
}

fn assert_scalar(r: &mut dyn Facts, operand: usize, dtype: Dtype) -> Step {
    let dtype = r.make_dtype(dtype);
    let scalar = r.make_tensor(&[], dtype);
    let given = r.arg(operand);
    r.unify(scalar, given)
}

/// A relation of a tensor and a vector that says how long the vector is, and those attributes that it reads. All of them
/// are printed: the name of the axis's is another for each operand.
type Length = (&'static Relation, &'static [&'static str]);

const PER_DATA_AXIS: Length = (&PER_AXIS, &["axis"]);

fn assert_dtype(r: &mut dyn Facts, operand: usize, dtype: Dtype) -> Step {
    let dtype = r.make_dtype(dtype);
    let shape = r.make_hole(Kind::Shape);
    let tensor = r.make(Term::Tensor { shape, dtype });
    let given = r.arg(operand);
    r.unify(tensor, given)
}

/// Asserts that an operand is a scalar or a vector of a dtype.
fn assert_vector(r: &mut dyn Facts, operand: usize, dtype: Dtype, of: TermId, (relation, attrs): Length) -> Step {
    assert_dtype(r, operand, dtype)?;
    let given = r.arg(operand);
    let mut attrs = r.attrs().only(attrs);
    attrs.written.fill(true);
    r.post_with(relation.into(), &[of, given], Arc::new(attrs));
    Ok(())
}

/// Scales and zero points by turns, each a scalar.
fn assert_scalars(r: &mut dyn Facts, operands: std::ops::Range<usize>) -> Step {
    let first = operands.start;
    operands
        .into_iter()
        .try_for_each(|operand| assert_scalar(r, operand, dtype_of((operand - first).is_multiple_of(2))))
}

/// A scale and a zero point, each a scalar or a vector along an axis of the data.
fn assert_pair(r: &mut dyn Facts, operand: usize, data: TermId, length: Length) -> Step {
    assert_vector(r, operand, Dtype::Float32, data, length)?;
    assert_vector(r, operand + 1, Dtype::Int32, data, length)
}

/// The one dim of a vector; `None` for a scalar.
fn vector_dim(r: &dyn Facts) -> Result<Option<TermId>, Stop> {
    match r.tensor(1)?.0.as_slice() {
        [] => Ok(None),
        &[dim] => Ok(Some(dim)),
        dims => r.refuse(format!("a scale or zero point has rank 0 or 1, found {}", dims.len())),
    }
}

fn per_axis(r: &mut dyn Facts) -> Step {
    let Some(dim) = vector_dim(r)? else { return Ok(()) };
    let attr = r.attrs().entries[0].0;
    let (data, _) = r.tensor(0)?;
    if data.is_empty() {
        let one = super::dims::number(r, 1);
        return r.unify(one, dim);
    }
    let axis = r.axis(attr, r.attrs().int(attr).unwrap_or(-1), data.len())?;
    same(r, data[axis], dim, PARAMETERS)
}

fn per_unit(r: &mut dyn Facts) -> Step {
    let Some(dim) = vector_dim(r)? else { return Ok(()) };
    let (weight, _) = r.tensor(0)?;
    match weight.as_slice() {
        [units, _] => same(r, *units, dim, PARAMETERS),
        [blocks, _, block, ..] => {
            let units = r.product_of(&[*blocks, *block])?;
            same(r, units, dim, PARAMETERS)
        }
        _ => Ok(()),
    }
}

fn per_channel(r: &mut dyn Facts) -> Step {
    let Some(dim) = vector_dim(r)? else { return Ok(()) };
    let layout = layout(r, "kernel_layout", PLANE.kernel)?;
    r.tensor_of_rank(0, layout.rank())?;
    let weight = Lettered::operand(r, 0, layout)?;
    let outputs = weight.full(r, 'O')?;
    // With groups, a channel of the weight may make several.
    let channels = match (r.attrs().int("groups").unwrap_or(1), r.attrs().int("channels")) {
        (1, _) => outputs,
        (_, Some(channels)) => super::dims::number(r, channels),
        (_, None) => {
            let inputs = weight.full(r, 'I')?;
            r.product_of(&[outputs, inputs])?
        }
    };
    same(r, channels, dim, PARAMETERS)
}

fn quantize(r: &mut dyn Facts) -> Step {
    let out = out_among(r, &[Dtype::Int8, Dtype::UInt8, Dtype::Int16, Dtype::UInt16, Dtype::Int32])?;
    dtype_among(r, 0, &[Dtype::Float32, Dtype::Float16], "the data")?;
    check_parameters(r, 1..3, false)?;
    like_data(r, Some(out))?;
    let data = r.arg(0);
    assert_pair(r, 1, data, PER_DATA_AXIS)
}

fn dequantize(r: &mut dyn Facts) -> Step {
    const INTEGERS: &[Dtype] = &[Dtype::Int8, Dtype::UInt8, Dtype::Int16, Dtype::UInt16, Dtype::Int32];
    dtype_among(r, 0, INTEGERS, "the data")?;
    check_parameters(r, 1..3, false)?;
    like_data(r, Some(Dtype::Float32))?;
    let data = r.arg(0);
    assert_pair(r, 1, data, PER_DATA_AXIS)
}

fn requantize(r: &mut dyn Facts) -> Step {
    const INTEGERS: &[Dtype] = &[Dtype::Int8, Dtype::UInt8, Dtype::Int16, Dtype::Int32, Dtype::Int64];
    let found = dtype_among(r, 0, INTEGERS, "the data")?;
    let among = &[Dtype::Int8, Dtype::UInt8, Dtype::Int16, Dtype::Int32];
    let out = match (r.attrs().str("out_dtype"), among.contains(&found)) {
        ("", true) => found,
        _ => out_among(r, among)?,
    };
    check_parameters(r, 1..3, false)?;
    check_parameters(r, 3..5, true)?;
    like_data(r, Some(out))?;
    let data = r.arg(0);
    assert_pair(r, 1, data, PER_DATA_AXIS)?;
    assert_scalars(r, 3..5)
}

/// The result has the data's shape, and its dtype unless another is given.
fn like_data(r: &mut dyn Facts, dtype: Option<Dtype>) -> Step {
    let (shape, own) = r.tensor_parts(0)?;
    let dtype = match dtype {
        Some(dtype) => r.make_dtype(dtype),
        None => own,
    };
    let tensor = r.make(Term::Tensor { shape, dtype });
    r.result_is(tensor)
}

fn simulated(r: &mut dyn Facts) -> Step {
    r.tensor_parts(0)?;
    r.tensor_parts(1)?;
    check_parameters(r, 2..4, false)?;
    like_data(r, None)?;
    // As in Relay, how many there are is found out by the run: one may stand for all along an axis of many.
    for (operand, dtype) in [(2, Dtype::Float32), (3, Dtype::Int32)] {
        assert_dtype(r, operand, dtype)?;
    }
    Ok(())
}

/// Zero points and scales of data and weight: `input_zero_point, weight_zero_point, input_scale, weight_scale`.
fn check_weighted(r: &dyn Facts) -> Step {
    check_parameter(r, 2, Dtype::Int32, true)?;
    check_parameter(r, 3, Dtype::Int32, false)?;
    check_parameter(r, 4, Dtype::Float32, true)?;
    check_parameter(r, 5, Dtype::Float32, false)
}

/// How long the vectors of zero points and of scales are.
fn assert_weighted(r: &mut dyn Facts, [zero_points, scales]: [Length; 2]) -> Step {
    let weight = r.arg(1);
    assert_scalar(r, 2, Dtype::Int32)?;
    assert_vector(r, 3, Dtype::Int32, weight, zero_points)?;
    assert_scalar(r, 4, Dtype::Float32)?;
    assert_vector(r, 5, Dtype::Float32, weight, scales)
}

/// With groups, each channel that is made has a scale, and as many as `O` says in the weight a zero point.
const OF_CONVOLUTION: [Length; 2] =
    [(&PER_CHANNEL, &["kernel_layout"]), (&PER_CHANNEL, &["kernel_layout", "groups", "channels"])];

fn dense(r: &mut dyn Facts) -> Step {
    out_among(r, &[Dtype::Int32, Dtype::Int64])?;
    dtype_among(r, 0, &[Dtype::Int8, Dtype::UInt8, Dtype::Int16], "the data")?;
    dtype_among(r, 1, BYTES, "the weight")?;
    check_weighted(r)?;
    plain_dense(r)?;
    assert_weighted(r, [(&PER_UNIT, &[]); 2])
}

fn dense_pack(r: &mut dyn Facts) -> Step {
    out_among(r, &[Dtype::Int32])?;
    dtype_among(r, 0, BYTES, "the data")?;
    dtype_among(r, 1, BYTES, "the weight")?;
    check_weighted(r)?;
    plain_dense_pack(r)?;
    assert_weighted(r, [(&PER_UNIT, &[]); 2])
}

fn quantized_conv2d(r: &mut dyn Facts) -> Step {
    out_among(r, &[Dtype::Int16, Dtype::Int32, Dtype::Int64])?;
    dtype_among(r, 0, &[Dtype::Int8, Dtype::UInt8, Dtype::Int16], "the data")?;
    dtype_among(r, 1, BYTES, "the weight")?;
    check_weighted(r)?;
    conv2d(r)?;
    assert_weighted(r, OF_CONVOLUTION)
}

fn conv2d_transpose(r: &mut dyn Facts) -> Step {
    out_among(r, &[Dtype::Int16, Dtype::Int32, Dtype::Int64])?;
    dtype_among(r, 0, &[Dtype::Int8, Dtype::UInt8, Dtype::Int16], "the data")?;
    dtype_among(r, 1, BYTES, "the weight")?;
    check_weighted(r)?;
    transpose(r)?;
    assert_weighted(r, OF_CONVOLUTION)
}

fn batch_matmul(r: &mut dyn Facts) -> Step {
    out_among(r, &[Dtype::Int32])?;
    dtype_among(r, 0, BYTES, "`x`")?;
    dtype_among(r, 1, BYTES, "`y`")?;
    for (operand, dtype) in (2..).zip([Dtype::Int32, Dtype::Int32, Dtype::Float32, Dtype::Float32]) {
        check_parameter(r, operand, dtype, true)?;
    }
    plain_batch_matmul(r)?;
    for (operand, dtype) in (2..).zip([Dtype::Int32, Dtype::Int32, Dtype::Float32, Dtype::Float32]) {
        assert_scalar(r, operand, dtype)?;
    }
    Ok(())
}

fn avg_pool2d(r: &mut dyn Facts) -> Step {
    dtype_among(r, 0, BYTES, "the data")?;
    check_parameters(r, 1..5, true)?;
    pool2d(r)?;
    assert_scalars(r, 1..5)
}

fn concatenate(r: &mut dyn Facts) -> Step {
    let n = r.tuple(0)?.len();
    for (operand, what) in [(1, "scales"), (2, "zero points")] {
        if let Some(fields) = if_known(r.tuple(operand))? {
            let found = fields.len();
            r.check(found == n, format_args!("{n} tensors are joined, but there are {found} {what}"))?;
        }
    }
    check_parameters(r, 3..5, true)?;
    plain_concatenate(r)?;
    for (operand, dtype) in [(1, Dtype::Float32), (2, Dtype::Int32)] {
        let dtype = r.make_dtype(dtype);
        let scalar = r.make_tensor(&[], dtype);
        let tuple = r.make_tuple(&base::filled(scalar, n));
        let given = r.arg(operand);
        r.unify(tuple, given)?;
    }
    assert_scalars(r, 3..5)
}

fn binary(r: &mut dyn Facts) -> Step {
    r.tensor_parts(0)?;
    r.tensor_parts(1)?;
    check_parameters(r, 2..6, false)?;
    check_parameters(r, 6..8, true)?;
    broadcast(r)?;
    let (lhs, rhs) = (r.arg(0), r.arg(1));
    assert_pair(r, 2, lhs, (&PER_AXIS, &["lhs_axis"]))?;
    assert_pair(r, 4, rhs, (&PER_AXIS, &["rhs_axis"]))?;
    assert_scalars(r, 6..8)
}

fn unary(r: &mut dyn Facts) -> Step {
    dtype_among(r, 0, BYTES, "the data")?;
    check_parameters(r, 1..5, true)?;
    like_data(r, None)?;
    assert_scalars(r, 1..5)
}

fn softmax(r: &mut dyn Facts) -> Step {
    dtype_among(r, 0, &[Dtype::Int8], "the data")?;
    let (dims, _) = r.tensor(0)?;
    r.axis("axis", r.attrs().int("axis").unwrap_or(-1), dims.len())?;
    check_parameters(r, 1..5, true)?;
    like_data(r, None)?;
    assert_scalars(r, 1..5)
}
