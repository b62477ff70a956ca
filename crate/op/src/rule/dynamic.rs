//! Rules of the operators in `dynamic`: shapes that are values. The rank is known, the sizes are `?`.

use super::dims::is_number;
use super::index::{axes_to_cut, dtype_attr, integers, one_hot_of, scalar, topk_of};
use super::{DataLayout, all_tensors, attr_error, can_all_be_tensors, rank_error};
use base::ToList;
use ty::{Dtype, Facts, Reason, Relation, Size, Step, Stop, TermId};

/// The shape of a tensor as a vector; that of a scalar as a scalar.
pub static SHAPE_OF: Relation = Relation { name: "ShapeOf", n_outputs: 1, rule: shape_of };
/// A scalar.
pub static NDARRAY_SIZE: Relation = Relation { name: "NdarraySize", n_outputs: 1, rule: ndarray_size };
/// The shape attribute.
pub static RESHAPE_TENSOR: Relation = Relation { name: "ReshapeTensor", n_outputs: 1, rule: reshape_tensor };
/// A result with an axis for each size that the shape lists.
pub static DYN_BROADCAST_TO: Relation = Relation { name: "DynamicBroadCastTo", n_outputs: 1, rule: dyn_shape };
pub static DYN_RESHAPE: Relation = Relation { name: "DynamicReshape", n_outputs: 1, rule: dyn_shape };
/// One axis more, nobody knows where.
pub static DYN_EXPAND_DIMS: Relation = Relation { name: "DynamicExpandDims", n_outputs: 1, rule: dyn_expand_dims };
/// Filled with a scalar, whose dtype is the default.
pub static DYN_FULL: Relation = Relation { name: "DynamicFull", n_outputs: 1, rule: dyn_full };
pub static DYN_INIT_OP: Relation = Relation { name: "DynamicInitOp", n_outputs: 1, rule: dyn_init_op };
/// Height and width are `?`.
pub static DYN_RESIZE2D: Relation = Relation { name: "DynResize2D", n_outputs: 1, rule: dyn_resize2d };
pub static DYN_UPSAMPLING: Relation = Relation { name: "DynamicUpSampling", n_outputs: 1, rule: dyn_upsampling };
/// As [`DYN_UPSAMPLING`], and the depth.
pub static DYN_UPSAMPLING3D: Relation = Relation { name: "DynamicUpSampling3D", n_outputs: 1, rule: dyn_upsampling3d };
/// Widths before and after for each axis.
pub static DYN_PAD: Relation = Relation { name: "DynamicPad", n_outputs: 1, rule: dyn_pad };
/// A new axis of `?`.
pub static DYN_ONE_HOT: Relation = Relation { name: "DynOneHot", n_outputs: 1, rule: dyn_one_hot };
pub static DYN_SPARSE_TO_DENSE: Relation =
    Relation { name: "DynSparseToDense", n_outputs: 1, rule: dyn_sparse_to_dense };
/// An axis less for each that is listed.
pub static DYN_SQUEEZE: Relation = Relation { name: "DynSqueeze", n_outputs: 1, rule: dyn_squeeze };
/// The axes that are cut are `?`.
pub static DYN_STRIDED_SLICE: Relation = Relation { name: "DynStridedSlice", n_outputs: 1, rule: dyn_strided_slice };
pub static DYN_TILE: Relation = Relation { name: "DynamicTile", n_outputs: 1, rule: dyn_tile };
/// The axis is `?`.
pub static DYN_TOPK: Relation = Relation { name: "DynTopK", n_outputs: 1, rule: dyn_topk };

/// More axes than anybody needs: a shape that long is refused before it is built.
const MOST_AXES: i64 = 1000;

/// The number of elements of a vector of integers, which is a number of axes.
pub(super) fn static_len(r: &dyn Facts, operand: usize) -> Result<usize, Stop> {
    let (_, dtype) = r.tensor_of_rank(operand, 1)?;
    integers(r, dtype, "sizes and axes")?;
    len_of_any(r, operand)
}

/// The same of a vector of any dtype.
fn len_of_any(r: &dyn Facts, operand: usize) -> Result<usize, Stop> {
    let (dims, _) = r.tensor_of_rank(operand, 1)?;
    match r.size(dims[0])? {
        Size { number: Some(n @ 0..=MOST_AXES), dynamic: false } => Ok(n as usize),
        Size { number: Some(n), dynamic: false } => {
            r.fail(Reason::Check(format!("{n} axes are more than the {MOST_AXES} that a tensor can have").into()))
        }
        _ => r.fail(Reason::Check("the length of this vector is `?`, and the rank of the result with it".into())),
    }
}

fn result_any(r: &mut dyn Facts, rank: usize, dtype: TermId) -> Step {
    r.result_sizes(&base::filled(Size::ANY, rank), dtype)
}

fn shape_of(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    let dtype = dtype_attr(r, Dtype::Int32);
    match dims.len() {
        0 => r.result(&[], dtype),
        rank => r.result_sizes(&[Size::known(rank as i64)], dtype),
    }
}

fn ndarray_size(r: &mut dyn Facts) -> Step {
    r.tensor_parts(0)?;
    let dtype = dtype_attr(r, Dtype::Int32);
    r.result(&[], dtype)
}

fn reshape_tensor(r: &mut dyn Facts) -> Step {
    let Some(shape) = r.attrs().ints("newshape").filter(|shape| shape.iter().all(|&size| size >= 0)) else {
        return attr_error(r, "newshape", "a list of sizes of at least 0");
    };
    can_all_be_tensors(r)?;
    let (_, dtype) = r.tensor_parts(0)?;
    let sizes: Vec<Size> = shape.into_iter().map(Size::known).list();
    r.result_sizes(&sizes, dtype)?;
    all_tensors(r)
}

/// Data, and a shape.
fn dyn_shape(r: &mut dyn Facts) -> Step {
    let (_, dtype) = r.tensor_parts(0)?;
    let rank = static_len(r, 1)?;
    result_any(r, rank, dtype)
}

fn dyn_expand_dims(r: &mut dyn Facts) -> Step {
    let Some(n) = r.attrs().int("num_newaxis").filter(|n| (0..=64).contains(n)) else {
        return attr_error(r, "num_newaxis", "a number from 0 to 64");
    };
    let (dims, dtype) = r.tensor(0)?;
    scalar(r, 1)?;
    result_any(r, dims.len() + n as usize, dtype)
}

fn dyn_full(r: &mut dyn Facts) -> Step {
    let value = scalar(r, 0)?;
    let rank = static_len(r, 1)?;
    let dtype = match r.attrs().dtype("dtype") {
        Some(dtype) => r.make_dtype(dtype),
        None => value,
    };
    result_any(r, rank, dtype)
}

fn dyn_init_op(r: &mut dyn Facts) -> Step {
    let rank = static_len(r, 0)?;
    let dtype = dtype_attr(r, Dtype::Float32);
    result_any(r, rank, dtype)
}

/// The data with `?` at some letters of its layout.
fn dyn_axes(r: &mut dyn Facts, letters: &str, unknown: &str, dtype: Option<Dtype>) -> Step {
    let Some(layout) = DataLayout::parse(r.attrs().str("layout"), letters) else {
        return attr_error(r, "layout", format!("a layout of the axes {letters}"));
    };
    let (mut dims, data_dtype) = r.tensor_of_rank(0, layout.rank())?;
    for letter in unknown.chars() {
        dims[layout.axis(letter)] = r.make_size(Size::ANY);
    }
    let dtype = dtype.map_or(data_dtype, |dtype| r.make_dtype(dtype));
    r.result(&dims, dtype)
}

fn dyn_resize2d(r: &mut dyn Facts) -> Step {
    can_all_be_tensors(r)?;
    let (size, size_dtype) = r.tensor_of_rank(1, 1)?;
    integers(r, size_dtype, "sizes")?;
    let dtype = r.attrs().dtype("out_dtype");
    dyn_axes(r, "NCHW", "HW", dtype)?;
    all_tensors(r)?;
    is_number(r, size[0], 2, &|_, n| format!("a size is a height and a width, found {n} numbers"))
}

fn dyn_upsampling(r: &mut dyn Facts) -> Step {
    (1..3).try_for_each(|operand| scalar(r, operand).map(|_| ()))?;
    dyn_axes(r, "NCHW", "HW", None)
}

fn dyn_upsampling3d(r: &mut dyn Facts) -> Step {
    (1..4).try_for_each(|operand| scalar(r, operand).map(|_| ()))?;
    dyn_axes(r, "NCDHW", "DHW", None)
}

fn dyn_pad(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor(0)?;
    let (widths, width_dtype) = r.tensor_of_rank(1, 2)?;
    integers(r, width_dtype, "widths")?;
    scalar(r, 2)?;
    let rank = dims.len();
    let (axes, sides) = (r.size(widths[0])?, r.size(widths[1])?);
    r.check(
        axes.number == Some(rank as i64) && sides.number == Some(2),
        format_args!("data of rank {rank} needs widths of shape ({rank}, 2)"),
    )?;
    result_any(r, rank, dtype)
}

fn dyn_one_hot(r: &mut dyn Facts) -> Step {
    one_hot_of(r, Size::ANY)
}

fn dyn_sparse_to_dense(r: &mut dyn Facts) -> Step {
    let dtype = super::sparse::dense_dtype(r)?;
    let rank = static_len(r, 3)?;
    result_any(r, rank, dtype)
}

fn dyn_squeeze(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor(0)?;
    let n = static_len(r, 1)?;
    let rank = dims.len();
    r.check(n <= rank, format_args!("{n} axes cannot be dropped from data of rank {rank}"))?;
    result_any(r, rank - n, dtype)
}

fn dyn_strided_slice(r: &mut dyn Facts) -> Step {
    let (mut dims, dtype) = r.tensor(0)?;
    let n = static_len(r, 1)?;
    let rank = dims.len();
    r.check(n <= rank, format_args!("{n} axes are cut but the data has rank {rank}"))?;
    let mut lens = Vec::with_capacity(2);
    for operand in [2, 3] {
        let (bounds, bound_dtype) = r.tensor_of_rank(operand, 1)?;
        integers(r, bound_dtype, "bounds and strides")?;
        lens.push(bounds[0]);
    }
    for len in lens {
        is_number(r, len, n as i64, &|n, found| format!("{n} begins need as many ends and strides, found {found}"))?;
    }
    let axes = r.attrs().ints("axes").unwrap_or_else(|| (0..n as i64).list());
    if axes.len() != n {
        return attr_error(r, "axes", format!("as many axes as there are begins, {n}"));
    }
    for axis in axes_to_cut(r, &axes, rank)? {
        dims[axis] = r.make_size(Size::ANY);
    }
    r.result(&dims, dtype)
}

fn dyn_tile(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor(0)?;
    // As in Relay, the repeats may be floats.
    let n = len_of_any(r, 1)?;
    result_any(r, dims.len().max(n), dtype)
}

fn dyn_topk(r: &mut dyn Facts) -> Step {
    let (k, _) = r.tensor(1)?;
    if k.len() > 1 {
        return rank_error(r, 1, "0 or 1", k.len());
    }
    for &dim in &k {
        let one = r.size(dim)?.number == Some(1);
        r.check(one, format_args!("k must be a scalar or a vector of one"))?;
    }
    topk_of(r, Some(Size::ANY))
}
