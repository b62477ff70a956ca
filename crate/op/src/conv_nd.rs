//! Convolutions over one and three axes, transposed and deformable ones, and those with rearranged weights.

pub(crate) mod bent;
mod transform;

use crate::conv::conv2d;
use crate::conv::layout::operand;
use crate::conv::window::{LINE, PLANE, VOLUME, convolve};
use crate::rule::CONV2D;
use crate::rule::conv_nd::{
    BINARY_CONV2D, CONV1D, CONV1D_TRANSPOSE, CONV2D_BACKWARD_WEIGHT, CONV2D_GEMM, CONV2D_PACKED, CONV2D_TRANSPOSE,
    CONV2D_WINOGRAD, CONV3D, CONV3D_TRANSPOSE, CONV3D_WINOGRAD, CORRELATION, DEFORMABLE_CONV2D, NNPACK_WEIGHT,
    WINOGRAD_WEIGHT, WINOGRAD_WEIGHT3D,
};
use crate::run::{Call, Fault, Kernel};
use crate::{AttrForm, AttrSpec, Op};
use bent::{bitserial_conv2d, conv2d_backward_weight, correlation, deformable_conv2d};
use kernel::conv::Direction;
use transform::{winograd_weight2d, winograd_weight3d};
use ty::Value;

fn conv1d(call: &Call) -> Result<Value, Fault> {
    convolve(call, &operand(call, 0)?, &operand(call, 1)?, &LINE, Direction::Forward)
}

fn conv3d(call: &Call) -> Result<Value, Fault> {
    convolve(call, &operand(call, 0)?, &operand(call, 1)?, &VOLUME, Direction::Forward)
}

fn conv1d_transpose(call: &Call) -> Result<Value, Fault> {
    convolve(call, &operand(call, 0)?, &operand(call, 1)?, &LINE, Direction::Transposed)
}

fn conv2d_transpose(call: &Call) -> Result<Value, Fault> {
    convolve(call, &operand(call, 0)?, &operand(call, 1)?, &PLANE, Direction::Transposed)
}

fn conv3d_transpose(call: &Call) -> Result<Value, Fault> {
    convolve(call, &operand(call, 0)?, &operand(call, 1)?, &VOLUME, Direction::Transposed)
}

pub const ROWS: &[Op] = &[
    Op {
        name: "nn.conv1d",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::ints("strides", &[1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::ints("dilation", &[1]),
            AttrSpec::int("groups", 1),
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::str("data_layout", "NCW"),
            AttrSpec::str("kernel_layout", "OIW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV1D,
        kernel: Kernel::Whole(conv1d),
        doc: "
Convolution over one axis. `padding` is one number for both ends, or one for each.
```relay
def @f(%x: Tensor[(1, 4, 16), float32], %w: Tensor[(8, 4, 3), float32]) {
  nn.conv1d(%x, %w, strides=[2])
# ^? Tensor[(1, 8, 7), float32]
}
```
",
    },
    Op {
        name: "nn.conv3d",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::ints("strides", &[1, 1, 1]),
            AttrSpec::ints("padding", &[0, 0, 0]),
            AttrSpec::ints("dilation", &[1, 1, 1]),
            AttrSpec::int("groups", 1),
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::str("data_layout", "NCDHW"),
            AttrSpec::str("kernel_layout", "OIDHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV3D,
        kernel: Kernel::Whole(conv3d),
        doc: "
Convolution over three axes. With `channels` and `kernel_size` the weight's type follows from the data's.
```relay
def @f(%x: Tensor[(1, 3, 8, 16, 16), float32], %w) { nn.conv3d(%x, %w, channels=4, kernel_size=[1, 3, 3]) }
#                                                    ^? Tensor[(1, 4, 8, 14, 14), float32]
```
",
    },
    Op {
        name: "nn.conv1d_transpose",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::ints("strides", &[1]),
            AttrSpec::ints("output_padding", &[0]),
            AttrSpec::ints("padding", &[0]),
            AttrSpec::ints("dilation", &[1]),
            AttrSpec::int("groups", 1),
            AttrSpec::str("data_layout", "NCW"),
            AttrSpec::str("kernel_layout", "IOW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV1D_TRANSPOSE,
        kernel: Kernel::Whole(conv1d_transpose),
        doc: "
The transpose of a convolution over one axis: every element of the data spreads a copy of the window, `strides`
apart, to (in - 1) · stride + reach - padding + `output_padding` places.
```relay
def @f(%x: Tensor[(1, 4, 8), float32], %w: Tensor[(4, 2, 3), float32]) {
  nn.conv1d_transpose(%x, %w, strides=[2])
# ^? Tensor[(1, 2, 17), float32]
}
```
",
    },
    Op {
        name: "nn.conv2d_transpose",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("output_padding", &[0, 0]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::ints("dilation", &[1, 1]),
            AttrSpec::int("groups", 1),
            AttrSpec::str("data_layout", "NCHW"),
            AttrSpec::str("kernel_layout", "IOHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV2D_TRANSPOSE,
        kernel: Kernel::Whole(conv2d_transpose),
        doc: "
The transpose of a convolution over two axes, as it enlarges an image. The weight has the data's channels first and
the result's second.
```relay
def @f(%x: Tensor[(1, 4, 8, 8), float32], %w) {
  nn.conv2d_transpose(%x, %w, channels=2, kernel_size=[4, 4], strides=[2, 2], padding=[1, 1])
# ^? Tensor[(1, 2, 16, 16), float32]
}
```
",
    },
    Op {
        name: "nn.conv3d_transpose",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::ints("strides", &[1, 1, 1]),
            AttrSpec::ints("output_padding", &[0, 0, 0]),
            AttrSpec::ints("padding", &[0, 0, 0]),
            AttrSpec::ints("dilation", &[1, 1, 1]),
            AttrSpec::int("groups", 1),
            AttrSpec::str("data_layout", "NCDHW"),
            AttrSpec::str("kernel_layout", "IODHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV3D_TRANSPOSE,
        kernel: Kernel::Whole(conv3d_transpose),
        doc: "
The transpose of a convolution over three axes.
```relay
def @f(%x: Tensor[(1, 4, 8, 8, 8), float32], %w: Tensor[(4, 2, 2, 2, 2), float32]) {
  nn.conv3d_transpose(%x, %w, strides=[2, 2, 2])
# ^? Tensor[(1, 2, 16, 16, 16), float32]
}
```
",
    },
    Op {
        name: "nn.deformable_conv2d",
        infix: None,
        args: &["data", "offset", "weight"],
        attrs: &[
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::ints("dilation", &[1, 1]),
            AttrSpec::int("deformable_groups", 1),
            AttrSpec::int("groups", 1),
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::str("data_layout", "NCHW"),
            AttrSpec::str("kernel_layout", "OIHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &DEFORMABLE_CONV2D,
        kernel: Kernel::Whole(deformable_conv2d),
        doc: "
Convolution whose window is bent: `offset` moves each of its elements, at each position, by a height and a width.
```relay
def @f(%x: Tensor[(1, 4, 8, 8), float32], %o, %w) {
  nn.deformable_conv2d(%x, %o, %w, channels=2, kernel_size=[3, 3])
# ^? Tensor[(1, 2, 6, 6), float32]
}
```
",
    },
    Op {
        name: "nn.contrib_conv2d_NCHWc",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::ints("dilation", &[1, 1]),
            AttrSpec::int("groups", 1),
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::str("data_layout", "NCHW"),
            AttrSpec::str("kernel_layout", "OIHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV2D_PACKED,
        kernel: Kernel::Whole(conv2d),
        doc: "
Convolution over channels in blocks, as in the layout `NCHW8c`. The weight is rearranged accordingly and not checked.
```relay
nn.contrib_conv2d_NCHWc(
  [[[[[1f, 2f], [3f, 4f]]]]], [[[[[[1f, 10f], [100f, 1000f]]]]]],
  channels=2, kernel_size=[1, 1], data_layout=\"NCHW2c\", kernel_layout=\"OIHW2i2o\")
#=> [[[[[201f, 2010f], [403f, 4030f]]]]]
```
",
    },
    Op {
        name: "nn.contrib_depthwise_conv2d_NCHWc",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::ints("dilation", &[1, 1]),
            AttrSpec::int("groups", 1),
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::str("data_layout", "NCHW"),
            AttrSpec::str("kernel_layout", "OIHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV2D,
        kernel: Kernel::Whole(conv2d),
        doc: "
Convolution of every channel by itself, over channels in blocks: there are as many `groups` as channels.
```relay
nn.contrib_depthwise_conv2d_NCHWc(
  [[[[[1f, 2f], [3f, 4f]]]]], [[[[[[1f, 10f]]]]]],
  groups=2, data_layout=\"NCHW2c\", kernel_layout=\"OIHW1i2o\")
#=> [[[[[1f, 20f], [3f, 40f]]]]]
```
",
    },
    Op {
        name: "nn.conv2d_backward_weight",
        infix: None,
        args: &["grad", "data"],
        attrs: &[
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::ints("dilation", &[1, 1]),
            AttrSpec::int("groups", 1),
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::str("data_layout", "NCHW"),
            AttrSpec::str("kernel_layout", "NCHW"),
            AttrSpec::str("out_layout", "OIHW"),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV2D_BACKWARD_WEIGHT,
        kernel: Kernel::Whole(conv2d_backward_weight),
        doc: "
The gradient of a convolution by its weight, whose size `kernel_size` says. The layouts are, in order, those of `grad`,
of `data` and of the result.
```relay
nn.conv2d_backward_weight([[[[1f, 10f]]]], [[[[1f, 5f, 2f]]]], kernel_size=[1, 2])
#=> [[[[51f, 25f]]]]
```
",
    },
    Op {
        name: "nn.contrib_conv2d_winograd_weight_transform",
        infix: None,
        args: &["weight"],
        attrs: &[AttrSpec::required("tile_size", AttrForm::Int)],
        relation: &WINOGRAD_WEIGHT,
        kernel: Kernel::Whole(winograd_weight2d),
        doc: "
The weight of a convolution as Winograd's algorithm multiplies it, for tiles of `tile_size` results a side.
```relay
def @f(%w: Tensor[(16, 8, 3, 3), float32]) { nn.contrib_conv2d_winograd_weight_transform(%w, tile_size=4) }
#                                            ^? Tensor[(6, 6, 16, 8), float32]
```
",
    },
    Op {
        name: "nn.contrib_conv2d_winograd_nnpack_weight_transform",
        infix: None,
        args: &["weight"],
        attrs: &[AttrSpec::required("convolution_algorithm", AttrForm::Int), AttrSpec::dtype("out_dtype")],
        relation: &NNPACK_WEIGHT,
        kernel: Kernel::Missing,
        doc: "
The weight of a convolution as NNPACK multiplies it, in tiles of 8 by 8.
```relay
def @f(%w: Tensor[(16, 8, 3, 3), float32]) {
  nn.contrib_conv2d_winograd_nnpack_weight_transform(%w, convolution_algorithm=1)
# ^? Tensor[(16, 8, 8, 8), float32]
}
```
",
    },
    Op {
        name: "nn.contrib_conv3d_winograd_weight_transform",
        infix: None,
        args: &["weight"],
        attrs: &[AttrSpec::required("tile_size", AttrForm::Int)],
        relation: &WINOGRAD_WEIGHT3D,
        kernel: Kernel::Whole(winograd_weight3d),
        doc: "
The weight of a convolution over three axes as Winograd's algorithm multiplies it. A depth from 3 to 7 is transformed like
height and width, any other is kept.
```relay
def @f(%w: Tensor[(16, 8, 1, 3, 3), float32]) { nn.contrib_conv3d_winograd_weight_transform(%w, tile_size=4) }
#                                               ^? Tensor[(6, 6, 1, 16, 8), float32]
```
",
    },
    Op {
        name: "nn.contrib_conv3d_winograd_without_weight_transform",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::required("tile_size", AttrForm::Int),
            AttrSpec::ints("strides", &[1, 1, 1]),
            AttrSpec::ints("padding", &[0, 0, 0]),
            AttrSpec::ints("dilation", &[1, 1, 1]),
            AttrSpec::int("groups", 1),
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::str("data_layout", "NCDHW"),
            AttrSpec::str("kernel_layout", "OIDHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV3D_WINOGRAD,
        kernel: Kernel::Missing,
        doc: "
As `nn.contrib_conv2d_winograd_without_weight_transform`, over three axes.
```relay
def @f(%x: Tensor[(1, 8, 6, 6, 6), float32], %w: Tensor[(6, 6, 6, 16, 8), float32]) {
  nn.contrib_conv3d_winograd_without_weight_transform(%x, %w, tile_size=4, channels=16, kernel_size=[3, 3, 3])
# ^? Tensor[(1, 16, 4, 4, 4), float32]
}
```
",
    },
    Op {
        name: "nn.contrib_conv2d_gemm_without_weight_transform",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::ints("dilation", &[1, 1]),
            AttrSpec::int("groups", 1),
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::str("data_layout", "NCHW"),
            AttrSpec::str("kernel_layout", "OIHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV2D_GEMM,
        kernel: Kernel::Missing,
        doc: "
Convolution as a matrix product, with a weight that is rearranged already.
```relay
def @f(%x: Tensor[(1, 8, 8, 4), float32], %w: Tensor[(4, 9, 4, 4), float32]) {
  nn.contrib_conv2d_gemm_without_weight_transform(%x, %w, channels=16, kernel_size=[3, 3], data_layout=\"NHWC\")
# ^? Tensor[(1, 6, 6, 16), float32]
}
```
",
    },
    Op {
        name: "nn.contrib_conv2d_winograd_without_weight_transform",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::required("tile_size", AttrForm::Int),
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::ints("dilation", &[1, 1]),
            AttrSpec::int("groups", 1),
            AttrSpec::int_or_none("channels"),
            AttrSpec::ints_or_none("kernel_size"),
            AttrSpec::str("data_layout", "NCHW"),
            AttrSpec::str("kernel_layout", "OIHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &CONV2D_WINOGRAD,
        kernel: Kernel::Missing,
        doc: "
Convolution by Winograd's algorithm, with a weight that is transformed already.
```relay
def @f(%x: Tensor[(1, 8, 6, 6), float32], %w: Tensor[(6, 6, 16, 8), float32]) {
  nn.contrib_conv2d_winograd_without_weight_transform(%x, %w, tile_size=4, channels=16, kernel_size=[3, 3])
# ^? Tensor[(1, 16, 4, 4), float32]
}
```
",
    },
    Op {
        name: "nn.bitserial_conv2d",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::ints("kernel_size", &[3, 3]),
            AttrSpec::int_or_none("channels"),
            AttrSpec::int("activation_bits", 1),
            AttrSpec::int("weight_bits", 1),
            AttrSpec::str("data_layout", "NCHW"),
            AttrSpec::str("kernel_layout", "OIHW"),
            AttrSpec::dtype("pack_dtype"),
            AttrSpec::dtype("out_dtype"),
            AttrSpec::flag("unipolar", true),
        ],
        relation: &BINARY_CONV2D,
        kernel: Kernel::Whole(bitserial_conv2d),
        doc: "
Convolution of numbers of a few bits each, computed bit by bit.
```relay
nn.bitserial_conv2d([[[[1i16, 1i16, 0i16]]]], [[[[1i16, 0i16]]]], channels=1, kernel_size=[1, 2])
#=> [[[[0i16, 1i16]]]]
```
",
    },
    Op {
        name: "nn.correlation",
        infix: None,
        args: &["data1", "data2"],
        attrs: &[
            AttrSpec::int("kernel_size", 1),
            AttrSpec::int("max_displacement", 1),
            AttrSpec::int("stride1", 1),
            AttrSpec::int("stride2", 1),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::flag("is_multiply", true),
            AttrSpec::word("layout", &["NCHW"]),
        ],
        relation: &CORRELATION,
        kernel: Kernel::Whole(correlation),
        doc: "
How well the patches of `data1` fit those of `data2`: one channel for each displacement of up to `max_displacement`
in height and width, in steps of `stride2`.
```relay
def @f(%a: Tensor[(1, 4, 10, 10), float32], %b: Tensor[(1, 4, 10, 10), float32]) {
  nn.correlation(%a, %b, max_displacement=2, padding=[2, 2])
# ^? Tensor[(1, 25, 10, 10), float32]
}
```
",
    },
];
