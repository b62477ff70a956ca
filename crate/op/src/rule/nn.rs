//! Layers that are neither matrix products nor windows: norms over features, losses, padding, moving elements between
//! axes, sparse weights, packed bits.

use super::conv_nd::{PLANE, Space, VOLUME, per_axis};
use super::dims::{check_same, equate, is_number, number};
use super::form::{self, Form};
use super::index::{expect_scalars, scalar};
use super::linear::{out_dtype, units, vectors_along};
use super::pool::{pool_layout, spatial};
use super::{all_tensors, attr_error, can_all_be_tensors, can_be_tensor, expect_rank, expect_tensor, rank_error};
use base::{MapArray, ToList};
use ty::{AttrValue, Facts, Relation, Step, Stop, TermId, if_known};

/// Scale and shift are vectors as long as the data's axis; the result is the data.
pub static LAYER_NORM: Relation = Relation { name: "LayerNorm", n_outputs: 1, rule: feature_norm };
pub static GROUP_NORM: Relation = Relation { name: "GroupNorm", n_outputs: 1, rule: feature_norm };
/// As [`LAYER_NORM`], for data of rank 3 or more.
pub static INSTANCE_NORM: Relation = Relation { name: "InstanceNorm", n_outputs: 1, rule: instance_norm };
/// Two matrices of one shape, and a scalar.
pub static CROSS_ENTROPY: Relation = Relation { name: "CrossEntropy", n_outputs: 1, rule: cross_entropy };
/// `(n, classes, …)`, `(n, …)` and `(classes)`; a scalar, or with no reduction the second.
pub static NLL_LOSS: Relation = Relation { name: "NLLLoss", n_outputs: 1, rule: nll_loss };
/// Every size grows by its two widths, which may be negative. What is put there is a scalar.
pub static PAD: Relation = Relation { name: "Pad", n_outputs: 1, rule: pad };
pub static MIRROR_PAD: Relation = Relation { name: "MirrorPad", n_outputs: 1, rule: mirror_pad };
/// Spatial sizes times a scale, rounded.
pub static UPSAMPLING: Relation = Relation { name: "UpSampling", n_outputs: 1, rule: upsampling2d };
pub static UPSAMPLING3D: Relation = Relation { name: "UpSampling3D", n_outputs: 1, rule: upsampling3d };
/// `(n, c, h, w) → (n, c / b², h · b, w · b)`, and back.
pub static DEPTH_TO_SPACE: Relation = Relation { name: "DepthToSpace", n_outputs: 1, rule: depth_to_space };
pub static SPACE_TO_DEPTH: Relation = Relation { name: "SpaceToDepth", n_outputs: 1, rule: space_to_depth };
/// `(n, s…, …) → (n · blocks, (s + paddings) / block…, …)`, and back.
pub static SPACE_TO_BATCH_ND: Relation = Relation { name: "SpaceToBatchND", n_outputs: 1, rule: space_to_batch };
pub static BATCH_TO_SPACE_ND: Relation = Relation { name: "BatchToSpaceND", n_outputs: 1, rule: batch_to_space };
/// Every size becomes (size − 1) · stride + 1.
pub static DILATE: Relation = Relation { name: "Dilate", n_outputs: 1, rule: dilate };
/// The result is the buffer; the data fits in it.
pub static FIFO_BUFFER: Relation = Relation { name: "FIFOBuffer", n_outputs: 1, rule: fifo_buffer };
/// As `DENSE`, with the weight's units in blocks.
pub static DENSE_PACK: Relation = Relation { name: "DensePack", n_outputs: 1, rule: dense_pack };
/// `units` stands for the last size.
pub static BINARY_DENSE: Relation = Relation { name: "BinaryDense", n_outputs: 1, rule: binary_dense };
/// One axis shrinks by the bits of a number, and a new one counts the bits.
pub static BIT_PACK: Relation = Relation { name: "BitPack", n_outputs: 1, rule: bit_pack };
/// A dense matrix times the transpose of a sparse one.
pub static SPARSE_DENSE: Relation = Relation { name: "SparseDense", n_outputs: 1, rule: sparse_dense };
/// The result has the type of the dense operand.
pub static SPARSE_ADD: Relation = Relation { name: "SparseAdd", n_outputs: 1, rule: sparse_add };
/// The three parts of a sparse matrix, of the types they had.
pub static SPARSE_TRANSPOSE: Relation = Relation { name: "SparseTranspose", n_outputs: 1, rule: sparse_transpose };
/// The sparse weight's rows are the result's channels.
pub static SPARSE_CONV2D: Relation = Relation { name: "SparseConv2d", n_outputs: 1, rule: sparse_conv2d };

fn feature_norm(r: &mut dyn Facts) -> Step {
    vectors_along(r, 1..3, -1)?;
    let data = r.arg(0);
    r.result_is(data)
}

fn instance_norm(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    match dims.len() > 2 {
        true => feature_norm(r),
        false => rank_error(r, 0, "3 or more", dims.len()),
    }
}

fn cross_entropy(r: &mut dyn Facts) -> Step {
    let (x, dtype) = r.tensor_of_rank(0, 2)?;
    let (y, other) = r.tensor_of_rank(1, 2)?;
    let pairs: Vec<_> = x.into_iter().zip(y).list();
    check_same(r, &pairs, "predictions and targets have one shape")?;
    r.unify(dtype, other)?;
    equate(r, &pairs, "predictions and targets have one shape")?;
    r.result(&[], dtype)
}

fn nll_loss(r: &mut dyn Facts) -> Step {
    let reduction = r.attrs().str("reduction") != "none";
    let (predictions, dtype) = r.tensor(0)?;
    let (targets, target_dtype) = r.tensor(1)?;
    let (weights, weight_dtype) = r.tensor_of_rank(2, 1)?;
    let (rank, target_rank) = (predictions.len(), targets.len());
    r.check(
        rank == target_rank + 1,
        format_args!("predictions must have one axis more than targets, found ranks {rank} and {target_rank}"),
    )?;
    let (float, target) = (r.dtype(dtype)?, r.dtype(target_dtype)?);
    let weight = r.dtype(weight_dtype)?;
    r.check(float.is_float(), format_args!("predictions must be floats, found {float}"))?;
    r.check(float == weight, format_args!("predictions have dtype {float} but weights have {weight}"))?;
    r.check(!target.is_float() && target.is_signed(), format_args!("targets must be signed integers, found {target}"))?;
    // Without a batch there are classes alone.
    let classes = usize::from(rank > 1);
    equate(r, &[(predictions[classes], weights[0])], "there is a weight for each class")?;
    let others = predictions[..classes].iter().chain(&predictions[classes + 1..]).copied();
    let pairs: Vec<_> = others.zip(targets.iter().copied()).list();
    equate(r, &pairs, "there is a target for each prediction")?;
    match reduction {
        true => r.result(&[], dtype),
        false => r.result(&targets, dtype),
    }
}

/// A list of pairs of numbers, one for each of some axes.
fn pairs(r: &dyn Facts, attr: &'static str) -> Result<Vec<[i64; 2]>, Stop> {
    let pair = |value: &AttrValue| match value.as_ints().as_deref() {
        Some(&[before, after]) => Some([before, after]),
        _ => None,
    };
    let pairs = match r.attrs().get(attr) {
        AttrValue::List(items) => items.iter().map(pair).some_list(),
        _ => None,
    };
    match pairs {
        Some(pairs) => Ok(pairs),
        None => attr_error(r, attr, "a list of pairs of integers, as [[0, 0], [1, 2]]"),
    }
}

fn pad(r: &mut dyn Facts) -> Step {
    can_all_be_tensors(r)?;
    if_known(scalar(r, 1))?;
    let widths = pairs(r, "pad_width")?;
    padded(r, &widths)?;
    expect_scalars(r, 1..2)
}

fn mirror_pad(r: &mut dyn Facts) -> Step {
    let widths = pairs(r, "pad_width")?;
    if let Some(width) = widths.iter().flatten().find(|&&width| width < 0) {
        return attr_error(r, "pad_width", format!("widths of at least 0, found {width}"));
    }
    padded(r, &widths)
}

fn padded(r: &mut dyn Facts, widths: &[[i64; 2]]) -> Step {
    let (mut dims, dtype) = r.tensor(0)?;
    let (n_widths, rank) = (widths.len(), dims.len());
    r.check(n_widths == rank, format_args!("pad_width has {n_widths} pairs but the data has rank {rank}"))?;
    for (axis, &[before, after]) in widths.iter().enumerate() {
        let total = before.saturating_add(after);
        if let Some(size) = r.peek_number(dims[axis]) {
            let size = size.saturating_add(total);
            r.check(size >= 0, format_args!("pad_width leaves a size of {size} on axis {axis}"))?;
        }
        dims[axis] = r.affine(dims[axis], 1, total)?;
    }
    r.result(&dims, dtype)
}

fn upsampling2d(r: &mut dyn Facts) -> Step {
    upsampling(r, &PLANE, &["scale_h", "scale_w"])
}

fn upsampling3d(r: &mut dyn Facts) -> Step {
    upsampling(r, &VOLUME, &["scale_d", "scale_h", "scale_w"])
}

fn upsampling(r: &mut dyn Facts, space: &Space, names: &[&'static str]) -> Step {
    let mut scales = Vec::with_capacity(names.len());
    for &attr in names {
        let scale = r.attrs().float(attr);
        if !(scale > 0.0 && scale.is_finite()) {
            return attr_error(r, attr, "a number above 0");
        }
        scales.push(scale);
    }
    let layout = pool_layout(r, space)?;
    // A fraction of a size is computed only of a number.
    let whole = |scale: f64| (scale.fract() == 0.0 && scale < 1e9).then_some(scale as i64);
    if scales.iter().any(|&scale| whole(scale).is_none()) {
        let (dims, _) = r.tensor_of_rank(0, layout.rank())?;
        for (&letter, &scale) in space.spatial.iter().zip(&scales) {
            if whole(scale).is_none() {
                r.size(dims[layout.axis(letter)])?;
            }
        }
    }
    spatial(r, space, &layout, &|r, at, dim| match whole(scales[at]) {
        Some(scale) => r.affine(dim, scale, 0),
        None => {
            // Relay rounds to the nearest integer, ties to the even one.
            let size = r.size(dim)?;
            Ok(r.make_size(size.map(|size| (size as f64 * scales[at]).round_ties_even() as i64)))
        }
    })
}

/// The data in a layout without blocks, and the block size.
fn sub_pixel(r: &mut dyn Facts) -> Result<([usize; 3], Vec<TermId>, TermId, i64), Stop> {
    let block = r.attrs().int("block_size").unwrap_or(1);
    if !(1..=1 << 20).contains(&block) {
        return attr_error(r, "block_size", "a number of at least 1");
    }
    let layout = pool_layout(r, &PLANE)?;
    if layout.has_blocks() {
        return attr_error(r, "layout", "a layout without blocks");
    }
    let data = r.arg(0);
    let (dims, dtype) = expect_rank(r, data, 4)?;
    Ok((['C', 'H', 'W'].each(|letter| layout.axis(letter)), dims, dtype, block))
}

fn depth_to_space(r: &mut dyn Facts) -> Step {
    let ([c, h, w], mut dims, dtype, block) = sub_pixel(r)?;
    dims[c] = r.divided(dims[c], block * block, "the number of channels")?;
    dims[h] = r.affine(dims[h], block, 0)?;
    dims[w] = r.affine(dims[w], block, 0)?;
    r.result(&dims, dtype)
}

fn space_to_depth(r: &mut dyn Facts) -> Step {
    let ([c, h, w], mut dims, dtype, block) = sub_pixel(r)?;
    dims[c] = r.affine(dims[c], block * block, 0)?;
    dims[h] = r.divided(dims[h], block, "the height")?;
    dims[w] = r.divided(dims[w], block, "the width")?;
    r.result(&dims, dtype)
}

/// Block sizes and a pair of numbers for each, for the axes behind the first; and the product of the blocks.
fn blocks(r: &dyn Facts, attr: &'static str, rank: usize) -> Result<(Vec<(i64, i64)>, i64), Stop> {
    let shape = r.attrs().ints("block_shape").unwrap_or_default();
    if shape.is_empty() || shape.iter().any(|&block| block < 1) {
        return attr_error(r, "block_shape", "numbers of at least 1");
    }
    let pairs = pairs(r, attr)?;
    if pairs.iter().flatten().any(|&side| side < 0) {
        return attr_error(r, attr, "numbers of at least 0");
    }
    let (n_blocks, n_pairs) = (shape.len(), pairs.len());
    r.check(n_blocks == n_pairs, format_args!("block_shape has {n_blocks} numbers but {attr} has {n_pairs} pairs"))?;
    r.check(n_blocks < rank, format_args!("block_shape has {n_blocks} numbers, and the data only rank {rank}"))?;
    let total = shape.iter().fold(1_i64, |total, &block| total.saturating_mul(block));
    let sums = pairs.iter().map(|[before, after]| before.saturating_add(*after));
    Ok((shape.iter().copied().zip(sums).list(), total))
}

fn space_to_batch(r: &mut dyn Facts) -> Step {
    let (mut dims, dtype) = r.tensor(0)?;
    let (blocks, total) = blocks(r, "paddings", dims.len())?;
    dims[0] = r.affine(dims[0], total, 0)?;
    for (axis, (block, padding)) in (1..).zip(blocks) {
        let padded = r.affine(dims[axis], 1, padding)?;
        dims[axis] = r.divided(padded, block, &format!("the padded size of axis {axis}"))?;
    }
    r.result(&dims, dtype)
}

fn batch_to_space(r: &mut dyn Facts) -> Step {
    let (mut dims, dtype) = r.tensor(0)?;
    let (blocks, total) = blocks(r, "crops", dims.len())?;
    dims[0] = r.divided(dims[0], total, "the batch")?;
    for (axis, (block, crop)) in (1..).zip(blocks) {
        dims[axis] = r.affine(dims[axis], block, crop.saturating_neg())?;
    }
    r.result(&dims, dtype)
}

fn dilate(r: &mut dyn Facts) -> Step {
    let strides = r.attrs().ints("strides").unwrap_or_default();
    if strides.iter().any(|&stride| stride < 1) {
        return attr_error(r, "strides", "numbers of at least 1");
    }
    let (mut dims, dtype) = r.tensor(0)?;
    let (n_strides, rank) = (strides.len(), dims.len());
    r.check(n_strides == rank, format_args!("strides has {n_strides} numbers but the data has rank {rank}"))?;
    for (axis, &stride) in strides.iter().enumerate().filter(|&(_, &stride)| stride > 1) {
        // (N − 1) · stride + 1, but nothing of nothing.
        let one = number(r, 1);
        let some = ty::apply(r, &ty::Function::Min, &[dims[axis], one])?;
        dims[axis] = r.linear(&[(dims[axis], stride), (some, 1 - stride)], 0)?;
    }
    r.result(&dims, dtype)
}

fn fifo_buffer(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (buffer, other) = r.tensor_of_rank(1, data.len())?;
    let at = r.axis("axis", r.attrs().int("axis").unwrap_or(0), data.len())?;
    let pairs: Vec<_> = data.iter().copied().zip(buffer.iter().copied()).list();
    let others = [&pairs[..at], &pairs[at + 1..]].concat();
    check_same(r, &others, "data and buffer have one shape but on the axis")?;
    r.unify(dtype, other)?;
    let more = r.affine(data[at], 1, 1)?;
    r.at_most(more, buffer[at], &|new, room| {
        format!("the data's {} on axis {at} must be less than the buffer's {room}", new - 1)
    })?;
    equate(r, &others, "data and buffer have one shape but on the axis")?;
    let buffer = r.arg(1);
    r.result_is(buffer)
}

pub(super) fn dense_pack(r: &mut dyn Facts) -> Step {
    let units = units(r)?;
    let (data, dtype) = r.tensor_of_rank(0, 2)?;
    let (weight, _) = r.tensor(1)?;
    if !(3..=4).contains(&weight.len()) {
        return rank_error(r, 1, "3 or 4", weight.len());
    }
    let made = r.product_of(&[weight[0], weight[2]])?;
    if let Some(want) = units {
        is_number(r, made, want, &|want, found| format!("units={want} but the weight makes {found}"))?;
    }
    let dtype = out_dtype(r, dtype);
    r.result(&[data[0], made], dtype)
}

fn binary_dense(r: &mut dyn Facts) -> Step {
    let Some(units) = units(r)? else { return attr_error(r, "units", "the number of results") };
    can_all_be_tensors(r)?;
    let (data, dtype) = Form::operand(r, 0)?;
    let last = data.axis(r, "axis", -1, 0)?;
    let units = number(r, units);
    let result = data.replaced(r, last, &[units])?;
    let dtype = out_dtype(r, dtype);
    form::result(r, &result, dtype)?;
    all_tensors(r)
}

fn bit_pack(r: &mut dyn Facts) -> Step {
    let bits = r.attrs().int("bits").unwrap_or(1);
    if bits < 1 {
        return attr_error(r, "bits", "a number of at least 1");
    }
    let (mut dims, dtype) = r.tensor(0)?;
    let rank = dims.len();
    let pack_axis = r.axis("pack_axis", r.attrs().int("pack_axis").unwrap_or(1), rank)?;
    // The new axis may also stand behind the last one.
    let bit_axis = r.axis("bit_axis", r.attrs().int("bit_axis").unwrap_or(-1), rank + 1)?;
    let packed = match r.attrs().dtype("pack_type") {
        Some(packed) => packed,
        None => r.dtype(dtype)?,
    };
    let width = i64::from(packed.bits());
    dims[pack_axis] = r.divided(dims[pack_axis], width, "the size of `pack_axis`")?;
    let bits = number(r, bits);
    dims.insert(bit_axis, bits);
    let dtype = r.make_dtype(packed);
    r.result(&dims, dtype)
}

/// The dense operand of a rank, its dtype, and the rows of a sparse matrix: the operands from 1 are its elements, their
/// columns, and where each row begins.
fn sparse_rows(r: &mut dyn Facts, rank: usize) -> Result<(Vec<TermId>, TermId, TermId), Stop> {
    let (dense, dtype) = r.tensor_of_rank(0, rank)?;
    let (elements, _) = r.tensor(1)?;
    let (starts, _) = r.tensor_of_rank(3, 1)?;
    if !matches!(elements.len(), 1..=3) {
        return rank_error(r, 1, "1 or 3", elements.len());
    }
    let starts_exist = r.peek_number(starts[0]) != Some(0);
    r.check(starts_exist, format_args!("the starts of the rows must be one more than the rows"))?;
    let rows = r.affine(starts[0], 1, -1)?;
    // Blocks of several rows and columns each.
    let rows = if elements.len() > 1 { r.product_of(&[rows, elements[1]])? } else { rows };
    Ok((dense, dtype, rows))
}

fn sparse_dense(r: &mut dyn Facts) -> Step {
    can_all_be_tensors(r)?;
    let (dense, dtype, rows) = sparse_rows(r, 2)?;
    let dims = if r.attrs().flag("sparse_lhs") { [rows, dense[0]] } else { [dense[0], rows] };
    r.result(&dims, dtype)?;
    all_tensors(r)
}

fn sparse_add(r: &mut dyn Facts) -> Step {
    all_tensors(r)?;
    let dense = r.arg(0);
    r.result_is(dense)
}

fn sparse_transpose(r: &mut dyn Facts) -> Step {
    (0..3).try_for_each(|operand| can_be_tensor(r, operand))?;
    let parts = [r.arg(0), r.arg(1), r.arg(2)];
    parts.iter().try_for_each(|&part| expect_tensor(r, part).map(drop))?;
    let tuple = r.make_tuple(&parts);
    r.result_is(tuple)
}

fn sparse_conv2d(r: &mut dyn Facts) -> Step {
    let channel_axis = if r.attrs().str("layout") == "NHWC" { 3 } else { 1 };
    let kernel = per_axis(r, "kernel_size", 2, 1)?;
    if !matches!(kernel.as_slice(), [1, 1] | [3, 3]) {
        return attr_error(r, "kernel_size", "[1, 1] or [3, 3]");
    }
    can_all_be_tensors(r)?;
    let (mut dims, dtype, channels) = sparse_rows(r, 4)?;
    dims[channel_axis] = channels;
    r.result(&dims, dtype)?;
    all_tensors(r)
}
