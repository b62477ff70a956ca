//! Padding, moving elements between axes, enlarging: what mostly moves elements.

use crate::conv::layout::{by_letters, in_layout, operand, parse, permuted, sizes};
use crate::conv::window::{PLANE, Space, VOLUME, fault, nothing, numbers};
use crate::image::resize::in_single;
use crate::run::{Arg, Call, Fault, WellTyped, cast_arg, cast_between, floats};
use base::{Append, ToList};
use kernel::resample::{self, Taps};
use kernel::shape::concatenate;
use kernel::strided::{View, row_major};
use ty::{AttrValue, Attrs, Dtype, Elements, Scalar, Tensor, Value};

/// The element for each place of a result: along each axis it stands where the list says, and `None` is the filling.
fn spread(x: &Tensor, places: &[Vec<Option<usize>>], fill: Scalar) -> Elements {
    let mut from = vec![Some(0)];
    for (places, stride) in places.iter().zip(row_major(&x.shape)) {
        let step = |base: &Option<usize>| {
            let base = *base;
            places.iter().map(move |place| Some(base? + (*place)? * stride))
        };
        from = from.iter().list_all(step);
    }
    match (&x.elements, fill) {
        (Elements::Float(values), Scalar::Float(fill)) => {
            Elements::Float(from.iter().map(|from| from.map_or(fill, |from| values[from])).list())
        }
        (Elements::Float(values), Scalar::Int(_)) => {
            Elements::Float(from.iter().map(|from| from.map_or(0.0, |from| values[from])).list())
        }
        (Elements::Int(values), fill) => {
            let fill = if let Scalar::Int(fill) = fill { fill } else { 0 };
            Elements::Int(from.iter().map(|from| from.map_or(fill, |from| values[from])).list())
        }
    }
}

/// Every place of an axis in its place.
fn same(size: usize) -> Vec<Option<usize>> {
    (0..size).map(Some).list()
}

/// Pairs of an attribute; its relation has checked them.
fn pairs(call: &Call, name: &str) -> Result<Vec<[i64; 2]>, Fault> {
    let AttrValue::List(items) = call.attrs.get(name) else { return Err(Fault::ill_typed()) };
    let pair = |item: &AttrValue| item.as_ints().and_then(|pair| pair.try_into().ok());
    items.iter().map(pair).some_list().well_typed()
}

/// What is around the data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Border {
    Filled,
    Edge,
    /// The data mirrored, without the edge.
    Reflected,
    /// With the edge.
    Symmetric,
}

impl Border {
    /// As the attributes of a row that pads say.
    pub(crate) fn of(name: &str, attrs: &Attrs) -> Border {
        match (name, attrs.str(if name == "nn.pad" { "pad_mode" } else { "mode" })) {
            ("nn.pad", "edge") => Border::Edge,
            ("nn.pad", "reflect") | ("nn.mirror_pad", "REFLECT") => Border::Reflected,
            ("nn.pad", _) => Border::Filled,
            _ => Border::Symmetric,
        }
    }
}

/// Where the `n` places of an axis come from that has so many more places before its `size`.
pub(crate) fn bordered(size: usize, before: i64, n: usize, border: Border) -> Result<Vec<Option<usize>>, Fault> {
    let size = size as i64;
    let place = |at: usize| {
        let at = (at as i64).saturating_sub(before);
        let inside = (0..size).contains(&at);
        let from = match border {
            Border::Filled | Border::Edge if inside => at,
            Border::Filled => return Ok(None),
            Border::Edge => at.clamp(0, (size - 1).max(0)),
            Border::Reflected if at < 0 => at.saturating_neg(),
            Border::Reflected if !inside => (2 * size - 2).saturating_sub(at),
            Border::Symmetric if at < 0 => !at,
            Border::Symmetric if !inside => (2 * size - 1).saturating_sub(at),
            Border::Reflected | Border::Symmetric => at,
        };
        match (0..size).contains(&from) {
            true => Ok(Some(from as usize)),
            false => fault(format!("an axis of size {} cannot be continued so far", size as u64)),
        }
    };
    (0..n).map(place).ok_list()
}

fn padded(call: &Call, x: &Tensor, border: Border, fill: Scalar) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let widths = pairs(call, "pad_width")?;
    let shape = &call.result(0)?.shape;
    if widths.len() != x.shape.len() || shape.len() != x.shape.len() {
        return Err(Fault::ill_typed());
    }
    let axes = 0..x.shape.len();
    let places = axes.map(|axis| bordered(x.shape[axis], widths[axis][0], shape[axis], border));
    call.one(spread(x, &places.ok_list()?, fill))
}

pub(super) fn pad(call: &Call) -> Result<Value, Fault> {
    let (x, value) = (operand(call, 0)?, call.tensor(1)?);
    if value.elements().len() != 1 {
        return fault(format!("padding is one number, found {}", value.elements().len()));
    }
    let fill = cast_between(value.elements().get(0), value.dtype(), x.dtype);
    padded(call, &x, Border::of("nn.pad", call.attrs), fill)
}

pub(super) fn mirror_pad(call: &Call) -> Result<Value, Fault> {
    padded(call, &operand(call, 0)?, Border::of("nn.mirror_pad", call.attrs), Scalar::Int(0))
}

/// A number attribute in the data's dtype.
fn filling(call: &Call, name: &str, dtype: Dtype) -> Scalar {
    cast_between(Scalar::Float(call.attrs.float(name)), Dtype::Float64, dtype)
}

pub(super) fn dilate(call: &Call) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let (x, shape) = (operand(call, 0)?, &call.result(0)?.shape);
    let strides = call.attrs.ints("strides").unwrap_or_default();
    let places = shape.iter().zip(strides).map(|(&n, stride)| {
        let place = |at: usize| (at as i64 % stride.max(1) == 0).then(|| (at as i64 / stride.max(1)) as usize);
        (0..n).map(place).list()
    });
    call.one(spread(&x, &places.list(), filling(call, "dilation_value", x.dtype)))
}

pub(super) fn fifo_buffer(call: &Call) -> Result<Value, Fault> {
    let (data, buffer) = (operand(call, 0)?, operand(call, 1)?);
    let axis = call.axis("axis", 0, data.shape.len());
    let joined = match (&buffer.elements, &data.elements) {
        (Elements::Float(old), Elements::Float(new)) => {
            Elements::Float(concatenate(&[View::new(old, &buffer.shape), View::new(new, &data.shape)], axis))
        }
        (Elements::Int(old), Elements::Int(new)) => {
            Elements::Int(concatenate(&[View::new(old, &buffer.shape), View::new(new, &data.shape)], axis))
        }
        (Elements::Float(_), Elements::Int(_)) | (Elements::Int(_), Elements::Float(_)) => {
            return Err(Fault::ill_typed());
        }
    };
    let mut shape = buffer.shape.clone();
    shape[axis] += data.shape[axis];
    let mut places: Vec<_> = shape.iter().map(|&size| same(size)).list();
    places[axis] = places[axis].split_off(data.shape[axis]);
    call.one(spread(&Tensor { dtype: buffer.dtype, shape, elements: joined }, &places, Scalar::Int(0)))
}

/// Splits and joins axes around a permutation: the data, in one axis per letter, read as `split`.
fn regrouped(call: &Call, x: &Tensor, split: [usize; 6], axes: [usize; 6]) -> Result<Value, Fault> {
    let layout = parse(call.attrs.str("layout"), PLANE.data)?;
    let result = call.result(0)?;
    call.one(in_layout(&permuted(&x.elements, &split, &axes), &result.shape, &layout, PLANE.data)?)
}

/// The data in one axis per letter, their sizes, and the block size.
fn sub_pixel(call: &Call) -> Result<(Tensor, [usize; 4], usize), Fault> {
    let layout = parse(call.attrs.str("layout"), PLANE.data)?;
    let x = by_letters(&operand(call, 0)?, &layout, PLANE.data)?;
    let shape = x.shape.as_slice().try_into().map_err(|_| Fault::ill_typed())?;
    let block = call.attrs.int("block_size").and_then(|block| usize::try_from(block).ok()).filter(|&block| block > 0);
    Ok((x, shape, block.well_typed()?))
}

/// Whether the channels of a block stand next to each other (`CRD`), or the blocks of a channel (`DCR`).
fn is_channel_first(call: &Call) -> Result<bool, Fault> {
    match call.attrs.str("mode") {
        "DCR" | "" => Ok(false),
        _ => Ok(true),
    }
}

pub(super) fn depth_to_space(call: &Call) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let (x, [n, c, h, w], block) = sub_pixel(call)?;
    let inner = c / (block * block);
    match is_channel_first(call)? {
        false => regrouped(call, &x, [n, block, block, inner, h, w], [0, 3, 4, 1, 5, 2]),
        true => regrouped(call, &x, [n, inner, block, block, h, w], [0, 1, 4, 2, 5, 3]),
    }
}

pub(super) fn space_to_depth(call: &Call) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let (x, [n, c, h, w], block) = sub_pixel(call)?;
    let axes = if is_channel_first(call)? { [0, 1, 3, 5, 2, 4] } else { [0, 3, 5, 1, 2, 4] };
    regrouped(call, &x, [n, c, h / block, block, w / block, block], axes)
}

fn block_shape(call: &Call) -> Vec<usize> {
    let blocks = call.attrs.ints("block_shape").unwrap_or_default();
    blocks.into_iter().map(|block| usize::try_from(block).unwrap_or(1).max(1)).list()
}

pub(super) fn space_to_batch_nd(call: &Call) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let (x, blocks, widths) = (operand(call, 0)?, block_shape(call), pairs(call, "paddings")?);
    let mut shape = x.shape.clone();
    let mut places: Vec<_> = shape.iter().map(|&size| same(size)).list();
    let mut split = vec![shape[0]];
    for (axis, (&block, [before, after])) in (1..).zip(blocks.iter().zip(widths)) {
        let size = (shape[axis] as i64).saturating_add(before).saturating_add(after);
        let size = usize::try_from(size).ok().filter(|size| size.is_multiple_of(block)).well_typed()?;
        places[axis] = bordered(shape[axis], before, size, Border::Filled)?;
        shape[axis] = size;
        split.append_all([size / block, block]);
    }
    split.extend_from_slice(&shape[1 + blocks.len()..]);
    let elements = spread(&x, &places, filling(call, "pad_value", x.dtype));
    // The places in a block come first, then the batch, the blocks, and the other axes.
    let mut axes: Vec<usize> = (0..blocks.len()).map(|i| 2 + 2 * i).list();
    axes.push(0);
    axes.append_all((0..blocks.len()).map(|i| 1 + 2 * i));
    axes.append_all(1 + 2 * blocks.len()..split.len());
    call.one(permuted(&elements, &split, &axes))
}

pub(super) fn batch_to_space_nd(call: &Call) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let (x, blocks, widths) = (operand(call, 0)?, block_shape(call), pairs(call, "crops")?);
    let (n, result) = (blocks.len(), call.result(0)?);
    let total = blocks.iter().try_fold(1_usize, |total, &block| total.checked_mul(block)).well_typed()?;
    let mut split = blocks.clone();
    split.push(x.shape[0] / total);
    split.extend_from_slice(&x.shape[1..]);
    let mut axes = vec![n];
    for i in 0..n {
        axes.append_all([n + 1 + i, i]);
    }
    axes.append_all(2 * n + 1..split.len());
    let elements = permuted(&x.elements, &split, &axes);
    let mut shape = x.shape.clone();
    shape[0] /= total;
    let mut places: Vec<_> = shape.iter().map(|&size| same(size)).list();
    for (axis, (&block, [before, _])) in (1..).zip(blocks.iter().zip(widths)) {
        shape[axis] *= block;
        places[axis] = bordered(shape[axis], before.saturating_neg(), result.shape[axis], Border::Edge)?;
    }
    call.one(spread(&Tensor { dtype: x.dtype, shape, elements }, &places, Scalar::Int(0)))
}

/// Where a place of an axis of `n` lies among `size` elements.
fn coordinate(mode: &str, at: usize, size: usize, n: usize) -> Result<f64, Fault> {
    let (at, size, n) = (at as f64, size as f64, n as f64);
    match mode {
        "asymmetric" => Ok(at * size / n),
        "align_corners" => Ok(if n > 1.0 { at * (size - 1.0) / (n - 1.0) } else { 0.0 }),
        "half_pixel" => Ok((at + 0.5) * size / n - 0.5),
        _ => fault(format!("coordinates are not found by \"{mode}\"")),
    }
}

/// Where an axis that grows to `n` places reads the nearest element.
fn nearest_places(mode: &str, size: usize, n: usize) -> Result<Vec<Option<usize>>, Fault> {
    // A hair more, so that a whole number that is not quite one stays it.
    let nearest = |at: f64| if mode == "align_corners" { (at + 0.5).floor() } else { (at + 1e-5).floor() };
    let place = |at| Ok((nearest(coordinate(mode, at, size, n)?).max(0.0) as usize).min(size.saturating_sub(1)));
    (0..n).map(|at| place(at).map(Some)).ok_list()
}

pub(crate) fn mode_of<'a>(name: &str, attrs: &'a Attrs) -> &'a str {
    match name {
        "nn.upsampling" if attrs.flag("align_corners") => "align_corners",
        "nn.upsampling" => "asymmetric",
        _ => attrs.str("coordinate_transformation_mode"),
    }
}

/// The places along the axes that grow, of an enlargement that only moves elements: the nearest ones, each axis of the
/// layout whole.
pub(crate) fn enlarged_places(
    name: &str,
    attrs: &Attrs,
    from: &[usize],
    to: &[usize],
) -> Option<Vec<(usize, Vec<Option<usize>>)>> {
    let letters = if name == "nn.upsampling" { PLANE.data } else { VOLUME.data };
    let layout = attrs.str("layout");
    let is_whole = layout.len() == from.len()
        && to.len() == from.len()
        && layout.chars().all(|c| letters.chars().any(|letter| letter == c));
    if !is_whole || attrs.str("method") != "nearest_neighbor" || from.contains(&0) || to.contains(&0) {
        return None;
    }
    let grows = (0..from.len()).filter(|&axis| !matches!(layout.as_bytes()[axis], b'N' | b'C'));
    let places = |axis: usize| Some((axis, nearest_places(mode_of(name, attrs), from[axis], to[axis]).ok()?));
    grows.map(places).some_list()
}

/// What each place of an axis that grows from one size to another is a weighted sum of.
pub(crate) fn enlarged_taps(
    method: &str,
    mode: &str,
    space: &Space,
    [size, n]: [usize; 2],
) -> Result<Vec<Taps>, Fault> {
    let taps = |at: usize| -> Result<Taps, Fault> {
        let place = coordinate(mode, at, size, n)?;
        match method {
            "bilinear" | "trilinear" => Ok(resample::linear(place, size)),
            "bicubic" if space.rank() == 2 => Ok(resample::cubic(place, size, -0.5)),
            _ => fault(format!("there is no method \"{method}\"")),
        }
    };
    (0..n).map(taps).ok_list()
}

fn enlarged(call: &Call, space: &Space, mode: &str) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let result = call.result(0)?;
    let layout = parse(call.attrs.str("layout"), space.data)?;
    let mut x = by_letters(&operand(call, 0)?, &layout, space.data)?;
    let out = sizes(&result.shape, &layout, space.data);
    let (method, is_integer) = (call.attrs.str("method"), !x.dtype.is_float());
    for axis in 2..x.shape.len() {
        let size = x.shape[axis];
        if method == "nearest_neighbor" {
            let mut places: Vec<_> = x.shape.iter().map(|&size| same(size)).list();
            places[axis] = nearest_places(mode, size, out[axis])?;
            x.elements = spread(&x, &places, Scalar::Int(0));
        } else {
            let places = enlarged_taps(method, mode, space, [size, out[axis]])?;
            let values = numbers(&x);
            x.elements = Elements::Float(resample::along(View::new(&values, &x.shape), axis, &places));
            x.dtype = Dtype::Float64;
        }
        x.shape[axis] = out[axis];
    }
    let elements = match x.elements {
        Elements::Float(mut values) => {
            in_single(is_integer && method != "nearest_neighbor", &mut values);
            floats(result.dtype, values.into_iter())
        }
        integers @ Elements::Int(_) => integers,
    };
    call.one(in_layout(&elements, &result.shape, &layout, space.data)?)
}

pub(super) fn upsampling(call: &Call) -> Result<Value, Fault> {
    enlarged(call, &PLANE, mode_of("nn.upsampling", call.attrs))
}

pub(super) fn upsampling3d(call: &Call) -> Result<Value, Fault> {
    enlarged(call, &VOLUME, mode_of("nn.upsampling3d", call.attrs))
}

/// Packs bits, the first element's the highest: see the row.
pub(super) fn bitpack(call: &Call) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let (x, result) = (operand(call, 0)?, call.result(0)?);
    let rank = x.shape.len();
    let pack_axis = call.axis("pack_axis", 1, rank);
    let bit_axis = call.axis("bit_axis", -1, rank + 1);
    let (n_bits, width) = (result.shape[bit_axis], result.dtype.bits() as usize);
    let mut order: Vec<usize> = (0..rank).filter(|&axis| axis != pack_axis).list();
    order.push(pack_axis);
    let integers = Tensor { elements: cast_arg(&Arg::Tensor(&x), Dtype::Int64), ..x };
    let Elements::Int(values) = permuted(&integers.elements, &integers.shape, &order) else {
        return Err(Fault::ill_typed());
    };
    let mut packed = Vec::new();
    for bit in 0..n_bits {
        let bit_of = |word: i64, value: &i64| word << 1 | if bit < 64 { value >> bit & 1 } else { 0 };
        packed.append_all(values.chunks_exact(width).map(|group| group.iter().fold(0, bit_of)));
    }
    // Bits first, then the axes in this order, the packed one last.
    let mut shape: Vec<usize> = order.iter().map(|&axis| integers.shape[axis]).list();
    shape[rank - 1] /= width;
    shape.insert(0, n_bits);
    let mut axes: Vec<usize> =
        (0..rank).map(|axis| 1 + order.iter().position(|&from| from == axis).unwrap_or(0)).list();
    axes.insert(bit_axis, 0);
    let words = crate::run::ints(result.dtype, packed.into_iter());
    call.one(permuted(&words, &shape, &axes))
}
