//! Layers that are neither matrix products nor windows: norms over features, losses, padding, moving elements between
//! axes, sparse weights, packed bits.

use super::conv_nd::{PLANE, Space, VOLUME, per_axis};
use super::linear::out_dtype;
use super::pool::pool_layout;
use super::{attr_error, can_be_tensor, expect_tensor, product};
use ty::{AttrValue, Facts, Kind, Reason, Relation, Size, Step, Stop, TermId};

/// Scale and shift are vectors as long as the data's axis; the result is the data.
pub static LAYER_NORM: Relation = Relation { name: "LayerNorm", n_outputs: 1, rule: feature_norm };
pub static GROUP_NORM: Relation = Relation { name: "GroupNorm", n_outputs: 1, rule: feature_norm };
/// As [`LAYER_NORM`], for data of rank 3 or more.
pub static INSTANCE_NORM: Relation = Relation { name: "InstanceNorm", n_outputs: 1, rule: instance_norm };
/// Two matrices of one shape, and a scalar.
pub static CROSS_ENTROPY: Relation = Relation { name: "CrossEntropy", n_outputs: 1, rule: cross_entropy };
/// `(n, classes, …)`, `(n, …)` and `(classes)`; a scalar, or with no reduction the second.
pub static NLL_LOSS: Relation = Relation { name: "NLLLoss", n_outputs: 1, rule: nll_loss };
/// Every size grows by its two widths, which may be negative.
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
/// `[…, k] × [k, units]`, either operand transposed by its flag.
pub static MATMUL: Relation = Relation { name: "Matmul", n_outputs: 1, rule: matmul };
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
    let (dims, dtype) = r.tensor(0)?;
    let axis = r.axis("axis", r.attrs().int("axis").unwrap_or(-1), dims.len())?;
    for operand in 1..3 {
        let vector = r.make_tensor(&[dims[axis]], dtype);
        let given = r.arg(operand);
        r.unify(vector, given)?;
    }
    let data = r.arg(0);
    r.result_is(data)
}

fn instance_norm(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    match dims.len() > 2 {
        true => feature_norm(r),
        false => r.fail(Reason::Rank { operand: 0, want: "3 or more".into(), found: dims.len() }),
    }
}

/// Fails where two numbers that must be equal are not; `what` says what they are.
fn check_same(r: &dyn Facts, left: TermId, right: TermId, what: &str) -> Step {
    match (r.peek_number(left), r.peek_number(right)) {
        (Some(left), Some(right)) => {
            r.check(left == right, || format!("{what} must be equal, found {left} and {right}"))
        }
        _ => Ok(()),
    }
}

/// Asserts that two dims are equal, unless one is `?`.
fn unify_static(r: &mut dyn Facts, left: TermId, right: TermId) -> Step {
    if r.is_dynamic(left) || r.is_dynamic(right) { Ok(()) } else { r.unify(left, right) }
}

fn cross_entropy(r: &mut dyn Facts) -> Step {
    let (x, dtype) = r.tensor_of_rank(0, 2)?;
    let (y, other) = r.tensor_of_rank(1, 2)?;
    for (&left, &right) in x.iter().zip(&y) {
        check_same(r, left, right, "sizes of predictions and targets")?;
    }
    r.unify(dtype, other)?;
    x.iter().zip(&y).try_for_each(|(&left, &right)| unify_static(r, left, right))?;
    r.result(&[], dtype)
}

fn nll_loss(r: &mut dyn Facts) -> Step {
    let reduction = match r.attrs().str("reduction") {
        "none" => false,
        "mean" | "sum" => true,
        _ => return attr_error(r, "reduction", "\"mean\", \"sum\" or \"none\""),
    };
    let (predictions, dtype) = r.tensor(0)?;
    let (targets, target_dtype) = r.tensor(1)?;
    let (weights, weight_dtype) = r.tensor_of_rank(2, 1)?;
    let (rank, target_rank) = (predictions.len(), targets.len());
    r.check(rank == target_rank + 1 && rank > 1, || {
        format!("predictions must have one axis more than targets, found ranks {rank} and {target_rank}")
    })?;
    check_same(r, predictions[1], weights[0], "the classes of predictions and weights")?;
    let others = || [predictions[0]].into_iter().chain(predictions[2..].iter().copied());
    for (left, &right) in others().zip(&targets) {
        check_same(r, left, right, "sizes of predictions and targets")?;
    }
    let (float, target) = (r.dtype(dtype)?, r.dtype(target_dtype)?);
    let weight = r.dtype(weight_dtype)?;
    r.check(float.is_float(), || format!("predictions must be floats, found {float}"))?;
    r.check(float == weight, || format!("predictions have dtype {float} but weights have {weight}"))?;
    r.check(!target.is_float() && target.is_signed(), || format!("targets must be signed integers, found {target}"))?;
    unify_static(r, predictions[1], weights[0])?;
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
        AttrValue::List(items) => items.iter().map(pair).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    match pairs {
        Some(pairs) => Ok(pairs),
        None => attr_error(r, attr, "a list of pairs of integers, as [[0, 0], [1, 2]]"),
    }
}

fn pad(r: &mut dyn Facts) -> Step {
    if !["constant", "edge", "reflect"].contains(&r.attrs().str("pad_mode")) {
        return attr_error(r, "pad_mode", "\"constant\", \"edge\" or \"reflect\"");
    }
    if let Err(stop @ Stop::Fail(_)) = r.tensor_parts(1) {
        return Err(stop);
    }
    let widths = pairs(r, "pad_width")?;
    padded(r, &widths)
}

fn mirror_pad(r: &mut dyn Facts) -> Step {
    if !["SYMMETRIC", "REFLECT"].contains(&r.attrs().str("mode")) {
        return attr_error(r, "mode", "\"SYMMETRIC\" or \"REFLECT\"");
    }
    let widths = pairs(r, "pad_width")?;
    if let Some(width) = widths.iter().flatten().find(|&&width| width < 0) {
        return attr_error(r, "pad_width", format!("widths of at least 0, found {width}"));
    }
    padded(r, &widths)
}

fn padded(r: &mut dyn Facts, widths: &[[i64; 2]]) -> Step {
    let (mut dims, dtype) = r.tensor(0)?;
    let (n_widths, rank) = (widths.len(), dims.len());
    r.check(n_widths == rank, || format!("pad_width has {n_widths} pairs but the data has rank {rank}"))?;
    let mut grown = Vec::new();
    for (axis, &[before, after]) in widths.iter().enumerate() {
        let total = before.saturating_add(after);
        // An axis that keeps its size need not be known.
        if total != 0 {
            let size = r.size(dims[axis])?.map(|size| size.saturating_add(total));
            if let Some(size) = size.number {
                r.check(size >= 0, || format!("pad_width leaves a size of {size} on axis {axis}"))?;
            }
            grown.push((axis, size));
        }
    }
    for (axis, size) in grown {
        dims[axis] = r.make_size(size);
    }
    r.result(&dims, dtype)
}

fn upsampling2d(r: &mut dyn Facts) -> Step {
    upsampling(r, &PLANE, &["scale_h", "scale_w"])
}

fn upsampling3d(r: &mut dyn Facts) -> Step {
    upsampling(r, &VOLUME, &["scale_d", "scale_h", "scale_w"])
}

fn upsampling(r: &mut dyn Facts, space: &Space, scales: &[&'static str]) -> Step {
    let layout = pool_layout(r, space)?;
    let (mut dims, dtype) = r.tensor_of_rank(0, layout.rank())?;
    let mut sizes = Vec::new();
    for (&letter, &attr) in space.spatial.iter().zip(scales) {
        let scale = r.attrs().float(attr);
        if !(scale > 0.0 && scale.is_finite()) {
            return attr_error(r, attr, "a number above 0");
        }
        // Relay rounds to the nearest integer, ties to the even one.
        let size = r.size(dims[layout.axis(letter)])?;
        sizes.push(size.map(|size| (size as f64 * scale).round_ties_even() as i64));
    }
    for (&letter, size) in space.spatial.iter().zip(sizes) {
        dims[layout.axis(letter)] = r.make_size(size);
    }
    r.result(&dims, dtype)
}

/// A size divided by a number that must divide it.
fn divided(r: &dyn Facts, size: Size, by: i64, what: &str) -> Result<Size, Stop> {
    if let Some(size) = size.number {
        r.check(size % by == 0, || format!("{by} does not divide {what}, {size}"))?;
    }
    Ok(size.map(|size| size / by))
}

/// The data in a layout without blocks, and the block size.
fn sub_pixel(r: &dyn Facts) -> Result<([usize; 3], Vec<TermId>, TermId, i64), Stop> {
    let layout = pool_layout(r, &PLANE)?;
    if layout.has_blocks() {
        return attr_error(r, "layout", "a layout without blocks");
    }
    let block = r.attrs().int("block_size").unwrap_or(1);
    if !(1..=1 << 20).contains(&block) {
        return attr_error(r, "block_size", "a number of at least 1");
    }
    let (dims, dtype) = r.tensor_of_rank(0, 4)?;
    Ok((['C', 'H', 'W'].map(|letter| layout.axis(letter)), dims, dtype, block))
}

fn depth_to_space(r: &mut dyn Facts) -> Step {
    let ([c, h, w], mut dims, dtype, block) = sub_pixel(r)?;
    let channels = divided(r, r.size(dims[c])?, block * block, "the number of channels")?;
    let grow = |size: Size| size.map(|size| size.saturating_mul(block));
    let (height, width) = (grow(r.size(dims[h])?), grow(r.size(dims[w])?));
    for (axis, size) in [(c, channels), (h, height), (w, width)] {
        dims[axis] = r.make_size(size);
    }
    r.result(&dims, dtype)
}

fn space_to_depth(r: &mut dyn Facts) -> Step {
    let ([c, h, w], mut dims, dtype, block) = sub_pixel(r)?;
    let channels = r.size(dims[c])?.map(|size| size.saturating_mul(block * block));
    let height = divided(r, r.size(dims[h])?, block, "the height")?;
    let width = divided(r, r.size(dims[w])?, block, "the width")?;
    for (axis, size) in [(c, channels), (h, height), (w, width)] {
        dims[axis] = r.make_size(size);
    }
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
    r.check(n_blocks == n_pairs, || format!("block_shape has {n_blocks} numbers but {attr} has {n_pairs} pairs"))?;
    r.check(n_blocks < rank, || format!("block_shape has {n_blocks} numbers, and the data only rank {rank}"))?;
    let total = shape.iter().fold(1_i64, |total, &block| total.saturating_mul(block));
    let sums = pairs.iter().map(|[before, after]| before.saturating_add(*after));
    Ok((shape.iter().copied().zip(sums).collect(), total))
}

fn space_to_batch(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor(0)?;
    let (blocks, total) = blocks(r, "paddings", dims.len())?;
    let mut sizes = vec![r.size(dims[0])?.map(|size| size.saturating_mul(total))];
    for (axis, (block, padding)) in (1..).zip(blocks) {
        let padded = r.size(dims[axis])?.map(|size| size.saturating_add(padding));
        sizes.push(divided(r, padded, block, &format!("the padded size of axis {axis}"))?);
    }
    first_sizes(r, dims, &sizes, dtype)
}

fn batch_to_space(r: &mut dyn Facts) -> Step {
    let (dims, dtype) = r.tensor(0)?;
    let (blocks, total) = blocks(r, "crops", dims.len())?;
    let mut sizes = vec![divided(r, r.size(dims[0])?, total, "the batch")?];
    for (axis, (block, crop)) in (1..).zip(blocks) {
        let size = r.size(dims[axis])?.map(|size| size.saturating_mul(block).saturating_sub(crop));
        if let Some(size) = size.number {
            r.check(size >= 0, || format!("crops leave a size of {size} on axis {axis}"))?;
        }
        sizes.push(size);
    }
    first_sizes(r, dims, &sizes, dtype)
}

/// The result has these sizes first, and the data's dims behind them.
fn first_sizes(r: &mut dyn Facts, mut dims: Vec<TermId>, sizes: &[Size], dtype: TermId) -> Step {
    for (dim, &size) in dims.iter_mut().zip(sizes) {
        *dim = r.make_size(size);
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
    r.check(n_strides == rank, || format!("strides has {n_strides} numbers but the data has rank {rank}"))?;
    let spread = |size: i64, stride: i64| match size {
        0 => 0,
        _ => (size - 1).saturating_mul(stride).saturating_add(1),
    };
    let mut sizes = Vec::new();
    for (axis, &stride) in strides.iter().enumerate().filter(|&(_, &stride)| stride > 1) {
        sizes.push((axis, r.size(dims[axis])?.map(|size| spread(size, stride))));
    }
    for (axis, size) in sizes {
        dims[axis] = r.make_size(size);
    }
    r.result(&dims, dtype)
}

fn fifo_buffer(r: &mut dyn Facts) -> Step {
    let (data, dtype) = r.tensor(0)?;
    let (buffer, other) = r.tensor_of_rank(1, data.len())?;
    let at = r.axis("axis", r.attrs().int("axis").unwrap_or(0), data.len())?;
    if let (Some(new), Some(room)) = (r.peek_number(data[at]), r.peek_number(buffer[at])) {
        r.check(new < room, || format!("the data's {new} on axis {at} must be less than the buffer's {room}"))?;
    }
    for axis in (0..data.len()).filter(|&axis| axis != at) {
        check_same(r, data[axis], buffer[axis], &format!("data and buffer on axis {axis}"))?;
    }
    r.unify(dtype, other)?;
    for axis in (0..data.len()).filter(|&axis| axis != at) {
        unify_static(r, data[axis], buffer[axis])?;
    }
    let buffer = r.arg(1);
    r.result_is(buffer)
}

fn units(r: &dyn Facts) -> Result<Option<i64>, Stop> {
    match r.attrs().int("units") {
        Some(units) if units < 1 => attr_error(r, "units", "a number of at least 1"),
        units => Ok(units),
    }
}

fn matmul(r: &mut dyn Facts) -> Step {
    let (transpose_a, transpose_b) = (r.attrs().flag("transpose_a"), r.attrs().flag("transpose_b"));
    let units = units(r)?;
    let (mut dims, dtype) = r.tensor(0)?;
    let least = if transpose_a { 2 } else { 1 };
    let Some(last) = dims.len().checked_sub(1).filter(|_| dims.len() >= least) else {
        return r.fail(Reason::Rank { operand: 0, want: format!("{least} or more").into(), found: dims.len() });
    };
    if transpose_a {
        dims.swap(last, last - 1);
    }
    let inner = dims[last];
    dims[last] = match units {
        Some(units) => {
            let units = r.make_size(Size::known(units));
            // With a dtype of its own for the result, the operands' may differ.
            let weight_dtype = match r.attrs().dtype("out_dtype") {
                Some(_) => r.make_hole(Kind::BaseType),
                None => dtype,
            };
            let weight = if transpose_b { [units, inner] } else { [inner, units] };
            let weight = r.make_tensor(&weight, weight_dtype);
            let given = r.arg(1);
            r.unify(weight, given)?;
            units
        }
        None => {
            let (weight, _) = r.tensor_of_rank(1, 2)?;
            let (other, units) = if transpose_b { (weight[1], weight[0]) } else { (weight[0], weight[1]) };
            check_same(r, inner, other, "the inner sizes")?;
            unify_static(r, inner, other)?;
            units
        }
    };
    let dtype = out_dtype(r, dtype);
    r.result(&dims, dtype)
}

pub(super) fn dense_pack(r: &mut dyn Facts) -> Step {
    let units = units(r)?;
    let (data, dtype) = r.tensor_of_rank(0, 2)?;
    let (weight, _) = r.tensor(1)?;
    if !(3..=4).contains(&weight.len()) {
        return r.fail(Reason::Rank { operand: 1, want: "3 or 4".into(), found: weight.len() });
    }
    let made = product(&[r.size(weight[0])?, r.size(weight[2])?]);
    if let (Some(want), Some(found)) = (units, made.number) {
        r.check(want == found, || format!("units={want} but the weight makes {found}"))?;
    }
    let made = r.make_size(made);
    let dtype = out_dtype(r, dtype);
    r.result(&[data[0], made], dtype)
}

fn binary_dense(r: &mut dyn Facts) -> Step {
    let Some(units) = units(r)? else { return attr_error(r, "units", "the number of results") };
    let (mut dims, dtype) = r.tensor(0)?;
    let Some(last) = dims.len().checked_sub(1) else {
        return r.fail(Reason::Rank { operand: 0, want: "1 or more".into(), found: 0 });
    };
    dims[last] = r.make_size(Size::known(units));
    let dtype = out_dtype(r, dtype);
    r.result(&dims, dtype)
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
    let size = divided(r, r.size(dims[pack_axis])?, width, "the size of `pack_axis`")?;
    dims[pack_axis] = r.make_size(size);
    let bits = r.make_size(Size::known(bits));
    dims.insert(bit_axis, bits);
    let dtype = r.make_dtype(packed);
    r.result(&dims, dtype)
}

/// The rows of a sparse matrix: the operands from 1 are its elements, their columns, and where each row begins.
fn sparse_rows(r: &dyn Facts) -> Result<Size, Stop> {
    let (elements, _) = r.tensor(1)?;
    let (starts, _) = r.tensor_of_rank(3, 1)?;
    let starts = r.size(starts[0])?;
    if let Some(starts) = starts.number {
        r.check(starts > 0, || "the starts of the rows must be one more than the rows".to_owned())?;
    }
    let rows = starts.map(|starts| starts.saturating_sub(1));
    match elements.as_slice() {
        [_] => Ok(rows),
        // Blocks of several rows and columns each.
        [_, height, ..] if elements.len() <= 3 => Ok(product(&[rows, r.size(*height)?])),
        _ => r.fail(Reason::Rank { operand: 1, want: "1 or 3".into(), found: elements.len() }),
    }
}

fn sparse_dense(r: &mut dyn Facts) -> Step {
    let (dense, dtype) = r.tensor_of_rank(0, 2)?;
    let rows = sparse_rows(r)?;
    let rows = r.make_size(rows);
    match r.attrs().flag("sparse_lhs") {
        true => r.result(&[rows, dense[0]], dtype),
        false => r.result(&[dense[0], rows], dtype),
    }
}

fn sparse_add(r: &mut dyn Facts) -> Step {
    (0..4).try_for_each(|operand| can_be_tensor(r, operand))?;
    let dense = r.arg(0);
    expect_tensor(r, dense)?;
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
    let channel_axis = match r.attrs().str("layout") {
        "NHWC" => 3,
        "NCHW" => 1,
        _ => return attr_error(r, "layout", "\"NHWC\" or \"NCHW\""),
    };
    let kernel = per_axis(r, "kernel_size", 2, 1)?;
    if !matches!(kernel.as_slice(), [1, 1] | [3, 3]) {
        return attr_error(r, "kernel_size", "[1, 1] or [3, 3]");
    }
    let (mut dims, dtype) = r.tensor_of_rank(0, 4)?;
    let channels = sparse_rows(r)?;
    dims[channel_axis] = r.make_size(channels);
    r.result(&dims, dtype)
}
