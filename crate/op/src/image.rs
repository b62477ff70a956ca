//! Images: resizing, cropping, sampling.

mod grid;
pub(crate) mod resize;

use crate::rule::image::{AFFINE_GRID, CROP_AND_RESIZE, DILATION2D, GRID_SAMPLE, RESIZE1D, RESIZE2D, RESIZE3D};
use crate::run::{Call, Fault, Kernel, floats, ints};
use crate::{AttrForm, AttrSpec, Default, Op};
use base::{MapArray, ToList};
use grid::{affine_grid_of, grid_sample_of};
use kernel::index::{each_index, offset};
use kernel::strided::{View, count, row_major};
use resize::{crop_and_resize_of, resize1d_of, resize2d_of, resize3d_of, whole_layout};
use ty::{Dtype, Elements, Value};

/// A window over height and width: the strides, where it begins before the data, and how far its places are apart.
struct Window {
    strides: [i64; 2],
    before: [i64; 2],
    dilations: [i64; 2],
}

/// The axes of height and width, of the data and of the weight, whose channels are the data's.
struct Planes {
    channel: usize,
    data: [usize; 2],
    weight_channel: usize,
    weight: [usize; 2],
}

/// For each position of the window, by its number, and each weight, by its place, the place of the data that it meets:
/// none around the data.
fn each_meeting(
    [data, weight, to]: [&[usize]; 3],
    planes: &Planes,
    window: &Window,
    see: &mut dyn FnMut(usize, usize, Option<usize>),
) {
    let (strides, by) = (row_major(data), row_major(weight));
    let sides = planes.weight.map(|axis| weight[axis]);
    let mut position = 0;
    each_index(to, &mut |index| {
        let plane = planes.data.iter().map(|&axis| index[axis] * strides[axis]).total::<usize>();
        let from = offset(index, &strides) - plane;
        each_index(&sides, &mut |at| {
            let mut place = Some(from);
            for (side, &tap) in at.iter().enumerate() {
                let axis = planes.data[side];
                let first =
                    (index[axis] as i64).saturating_mul(window.strides[side]).saturating_sub(window.before[side]);
                let along = first.saturating_add((tap as i64).saturating_mul(window.dilations[side]));
                let along = usize::try_from(along).ok().filter(|&along| along < data[axis]);
                place = place.zip(along).map(|(place, along)| place + along * strides[axis]);
            }
            let tap = index[planes.channel] * by[planes.weight_channel]
                + at[0] * by[planes.weight[0]]
                + at[1] * by[planes.weight[1]];
            see(position, tap, place);
        });
        position += 1;
    });
}

/// The best sum of a place of the data and its weight, for each position of the window. Around the data lie zeros.
fn dilated<T: Copy>(
    (data, weight): (View<T>, View<T>),
    to: &[usize],
    (planes, window): (&Planes, &Window),
    zero: T,
    [add, max]: [fn(T, T) -> T; 2],
) -> Vec<T> {
    let mut values: Vec<Option<T>> = base::filled(None, count(to));
    each_meeting([data.shape, weight.shape, to], planes, window, &mut |position, tap, place| {
        let sum = add(place.map_or(zero, |place| data.data[place]), weight.data[tap]);
        let best = &mut values[position];
        *best = Some(best.map_or(sum, |best| max(best, sum)));
    });
    values.into_iter().map(|best| best.unwrap_or(zero)).list()
}

fn dilation2d_of(call: &Call) -> Result<Value, Fault> {
    let (x, w, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let data = whole_layout(call.attrs.str("data_layout"), "NCHW", "NCHW")?;
    let weight = whole_layout(call.attrs.str("kernel_layout"), "IHW", "IHW")?;
    let planes = Planes {
        channel: data.axis('C'),
        data: ['H', 'W'].each(|letter| data.axis(letter)),
        weight_channel: weight.axis('I'),
        weight: ['H', 'W'].each(|letter| weight.axis(letter)),
    };
    let pair = |name| match call.attrs.ints(name).as_deref() {
        Some(&[both]) => [both; 2],
        Some(&[height, width, ..]) => [height, width],
        _ => [1; 2],
    };
    let window = Window { strides: pair("strides"), before: pair("padding"), dilations: pair("dilations") };
    call.one(match (&*x.elements(), &*w.elements()) {
        (Elements::Float(values), Elements::Float(weights)) => {
            let views = (View::new(values, x.shape()), View::new(weights, w.shape()));
            let best: [fn(f64, f64) -> f64; 2] = [kernel::scalar::float::add, kernel::scalar::float::maximum];
            floats(result.dtype, dilated(views, &result.shape, (&planes, &window), 0.0, best).into_iter())
        }
        (Elements::Int(values), Elements::Int(weights)) => {
            let views = (View::new(values, x.shape()), View::new(weights, w.shape()));
            let is_unsigned = x.dtype() == Dtype::UInt64;
            let largest = if is_unsigned { |a: i64, b: i64| (a as u64).max(b as u64) as i64 } else { i64::max };
            let best: [fn(i64, i64) -> i64; 2] = [i64::wrapping_add, largest];
            ints(result.dtype, dilated(views, &result.shape, (&planes, &window), 0, best).into_iter())
        }
        _ => return Err(Fault::ill_typed()),
    })
}

/// How elements are read between the places of the data.
pub(crate) const METHODS: &[&str] = &["linear", "nearest_neighbor", "cubic"];

/// Where a place of the result lies among those of the data.
pub(crate) const COORDINATES: &[&str] =
    &["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn", "tf_crop_and_resize"];

/// Which of two elements is the nearest. The empty word leaves it to the coordinates.
pub(crate) const ROUNDINGS: &[&str] = &["round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil", ""];

pub const ROWS: &[Op] = &[
    Op {
        name: "image.affine_grid",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("target_shape", AttrForm::Ints)],
        relation: &AFFINE_GRID,
        kernel: Kernel::Whole(affine_grid_of),
        doc: "
For each 2 by 3 matrix, where it takes the points of a grid of `target_shape` over -1 to 1.
```relay
def @f(%x: Tensor[(4, 2, 3), float32]) { image.affine_grid(%x, target_shape=[16, 32]) }
#                                        ^? Tensor[(4, 2, 16, 32), float32]
```
",
    },
    Op {
        name: "image.crop_and_resize",
        infix: None,
        args: &["data", "boxes", "box_indices"],
        attrs: &[
            AttrSpec::ints_or_none("crop_size"),
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::word("method", &["bilinear", "nearest_neighbor"]),
            AttrSpec::float("extrapolation_value", 0.0),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CROP_AND_RESIZE,
        kernel: Kernel::Whole(crop_and_resize_of),
        doc: "
The part of an image in each of the boxes, resized to `crop_size`. `box_indices` says which image of the batch.
```relay
def @f(%x: Tensor[(10, 32, 32, 3), float32], %b: Tensor[(2, 4), float32], %i: Tensor[(2), int32]) {
  image.crop_and_resize(%x, %b, %i, crop_size=[21, 21], layout=\"NHWC\")
# ^? Tensor[(2, 21, 21, 3), float32]
}
image.crop_and_resize([[[[1f, 2f, 3f]]]], [[0f, 0f, 0f, 1f]], [0], crop_size=[1, 2])
#=> [[[[1f, 3f]]]]
```
",
    },
    Op {
        name: "image.dilation2d",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::ints("dilations", &[1, 1]),
            AttrSpec::str("data_layout", "NCHW"),
            AttrSpec::str("kernel_layout", "IHW"),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &DILATION2D,
        kernel: Kernel::Whole(dilation2d_of),
        doc: "
The maximum over a window of the data plus the weight, as grayscale morphology defines it.
```relay
def @f(%x: Tensor[(1, 3, 10, 10), float32], %w: Tensor[(3, 3, 3), float32]) {
  image.dilation2d(%x, %w, padding=[1, 1])
# ^? Tensor[(1, 3, 10, 10), float32]
}
image.dilation2d([[[[1f, 5f], [2f, 3f]]]], [[[0f, 1f]]])
#=> [[[[6f], [4f]]]]
```
",
    },
    Op {
        name: "image.grid_sample",
        infix: None,
        args: &["data", "grid"],
        attrs: &[
            AttrSpec::word("method", &["bilinear", "nearest", "bicubic"]),
            AttrSpec::word("layout", &["NCHW", "NCDHW"]),
            AttrSpec::word("padding_mode", &["zeros", "border", "reflection"]),
            AttrSpec::flag("align_corners", true),
        ],
        relation: &GRID_SAMPLE,
        kernel: Kernel::Whole(grid_sample_of),
        doc: "
The data at the points of a grid, given as x and y (and z) between -1 and 1.
```relay
def @f(%x: Tensor[(4, 4, 16, 32), float32], %g: Tensor[(4, 2, 8, 8), float32]) {
  image.grid_sample(%x, %g)
# ^? Tensor[(4, 4, 8, 8), float32]
}
image.grid_sample([[[[1f, 3f]]]], [[[[0f]], [[0f]]]])
#=> [[[[2f]]]]
```
",
    },
    Op {
        name: "image.resize1d",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::ints_or_none("size"),
            AttrSpec { name: "roi", form: AttrForm::Floats, default: Default::None },
            AttrSpec::str("layout", "NCW"),
            AttrSpec::word("method", METHODS),
            AttrSpec::word("coordinate_transformation_mode", COORDINATES),
            AttrSpec::word("rounding_method", ROUNDINGS),
            AttrSpec::float("cubic_alpha", -0.5),
            AttrSpec::int("cubic_exclude", 0),
            AttrSpec::float("extrapolation_value", 0.0),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &RESIZE1D,
        kernel: Kernel::Whole(resize1d_of),
        doc: "
Interpolates the data to `size` places.
```relay
def @f(%x: Tensor[(1, 3, 10), float32]) { image.resize1d(%x, size=[20]) }
#                                         ^? Tensor[(1, 3, 20), float32]
image.resize1d([[[1f, 2f]]], size=[4])
#=> [[[1f, 1.25f, 1.75f, 2f]]]
```
",
    },
    Op {
        name: "image.resize2d",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::ints_or_none("size"),
            AttrSpec { name: "roi", form: AttrForm::Floats, default: Default::None },
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::word("method", METHODS),
            AttrSpec::word("coordinate_transformation_mode", COORDINATES),
            AttrSpec::word("rounding_method", ROUNDINGS),
            AttrSpec::float("cubic_alpha", -0.5),
            AttrSpec::int("cubic_exclude", 0),
            AttrSpec::float("extrapolation_value", 0.0),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &RESIZE2D,
        kernel: Kernel::Whole(resize2d_of),
        doc: "
Interpolates height and width to `size`.
```relay
def @f(%x: Tensor[(1, 10, 20, 3), float32]) { image.resize2d(%x, size=[5, 7], layout=\"NHWC\") }
#                                             ^? Tensor[(1, 5, 7, 3), float32]
image.resize2d([[[[1f, 2f]]]], size=[2, 2])
#=> [[[[1f, 2f], [1f, 2f]]]]
```
",
    },
    Op {
        name: "image.resize3d",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::ints_or_none("size"),
            AttrSpec { name: "roi", form: AttrForm::Floats, default: Default::None },
            AttrSpec::str("layout", "NCDHW"),
            AttrSpec::word("method", METHODS),
            AttrSpec::word("coordinate_transformation_mode", COORDINATES),
            AttrSpec::word("rounding_method", ROUNDINGS),
            AttrSpec::float("cubic_alpha", -0.5),
            AttrSpec::int("cubic_exclude", 0),
            AttrSpec::float("extrapolation_value", 0.0),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &RESIZE3D,
        kernel: Kernel::Whole(resize3d_of),
        doc: "
Interpolates depth, height and width to `size`.
```relay
def @f(%x: Tensor[(1, 3, 4, 5, 6), float32]) { image.resize3d(%x, size=[8, 10, 12]) }
#                                              ^? Tensor[(1, 3, 8, 10, 12), float32]
image.resize3d([[[[[1f, 2f]]]]], size=[1, 1, 1])
#=> [[[[[1.5f]]]]]
```
",
    },
];
