//! Images: resizing, cropping, sampling.

use crate::rule::image::{AFFINE_GRID, CROP_AND_RESIZE, DILATION2D, GRID_SAMPLE, RESIZE1D, RESIZE2D, RESIZE3D};
use crate::run::Kernel;
use crate::{AttrForm, AttrSpec, Default, Op};

pub const ROWS: &[Op] = &[
    Op {
        name: "image.affine_grid",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("target_shape", AttrForm::Ints)],
        relation: &AFFINE_GRID,
        kernel: Kernel::Missing,
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
            AttrSpec::str("method", "bilinear"),
            AttrSpec::float("extrapolation_value", 0.0),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CROP_AND_RESIZE,
        kernel: Kernel::Missing,
        doc: "
The part of an image in each of the boxes, resized to `crop_size`. `box_indices` says which image of the batch.
```relay
def @f(%x: Tensor[(10, 32, 32, 3), float32], %b: Tensor[(2, 4), float32], %i: Tensor[(2), int32]) {
  image.crop_and_resize(%x, %b, %i, crop_size=[21, 21], layout=\"NHWC\")
# ^? Tensor[(2, 21, 21, 3), float32]
}
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
        kernel: Kernel::Missing,
        doc: "
The maximum over a window of the data plus the weight, as grayscale morphology defines it.
```relay
def @f(%x: Tensor[(1, 3, 10, 10), float32], %w: Tensor[(3, 3, 3), float32]) {
  image.dilation2d(%x, %w, padding=[1, 1])
# ^? Tensor[(1, 3, 10, 10), float32]
}
```
",
    },
    Op {
        name: "image.grid_sample",
        infix: None,
        args: &["data", "grid"],
        attrs: &[
            AttrSpec::str("method", "bilinear"),
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::str("padding_mode", "zeros"),
            AttrSpec::flag("align_corners", true),
        ],
        relation: &GRID_SAMPLE,
        kernel: Kernel::Missing,
        doc: "
The data at the points of a grid, given as x and y (and z) between -1 and 1.
```relay
def @f(%x: Tensor[(4, 4, 16, 32), float32], %g: Tensor[(4, 2, 8, 8), float32]) {
  image.grid_sample(%x, %g)
# ^? Tensor[(4, 4, 8, 8), float32]
}
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
            AttrSpec::str("method", "linear"),
            AttrSpec::str("coordinate_transformation_mode", "half_pixel"),
            AttrSpec::str("rounding_method", "round"),
            AttrSpec::float("cubic_alpha", -0.5),
            AttrSpec::int("cubic_exclude", 0),
            AttrSpec::float("extrapolation_value", 0.0),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &RESIZE1D,
        kernel: Kernel::Missing,
        doc: "
Interpolates the data to `size` places.
```relay
def @f(%x: Tensor[(1, 3, 10), float32]) { image.resize1d(%x, size=[20]) }
#                                         ^? Tensor[(1, 3, 20), float32]
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
            AttrSpec::str("method", "linear"),
            AttrSpec::str("coordinate_transformation_mode", "half_pixel"),
            AttrSpec::str("rounding_method", "round"),
            AttrSpec::float("cubic_alpha", -0.5),
            AttrSpec::int("cubic_exclude", 0),
            AttrSpec::float("extrapolation_value", 0.0),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &RESIZE2D,
        kernel: Kernel::Missing,
        doc: "
Interpolates height and width to `size`.
```relay
def @f(%x: Tensor[(1, 10, 20, 3), float32]) { image.resize2d(%x, size=[5, 7], layout=\"NHWC\") }
#                                             ^? Tensor[(1, 5, 7, 3), float32]
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
            AttrSpec::str("method", "linear"),
            AttrSpec::str("coordinate_transformation_mode", "half_pixel"),
            AttrSpec::str("rounding_method", "round"),
            AttrSpec::float("cubic_alpha", -0.5),
            AttrSpec::int("cubic_exclude", 0),
            AttrSpec::float("extrapolation_value", 0.0),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &RESIZE3D,
        kernel: Kernel::Missing,
        doc: "
Interpolates depth, height and width to `size`.
```relay
def @f(%x: Tensor[(1, 3, 4, 5, 6), float32]) { image.resize3d(%x, size=[8, 10, 12]) }
#                                              ^? Tensor[(1, 3, 8, 10, 12), float32]
```
",
    },
];
