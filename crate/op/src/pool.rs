//! Pooling over one, two and three spatial axes, to a given size, and backwards.

use crate::rule::pool::{
    ADAPTIVE_POOL1D, ADAPTIVE_POOL2D, ADAPTIVE_POOL3D, AVG_POOL1D, AVG_POOL3D, GLOBAL_MAX_POOL2D, MAX_POOL1D,
    MAX_POOL3D, POOL2D_GRAD,
};
use crate::run::Kernel;
use crate::{AttrForm, AttrSpec, Op};

pub const ROWS: &[Op] = &[
    Op {
        name: "nn.max_pool1d",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::required("pool_size", AttrForm::Ints),
            AttrSpec::ints("strides", &[1]),
            AttrSpec::ints("dilation", &[1]),
            AttrSpec::ints("padding", &[0]),
            AttrSpec::str("layout", "NCW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::flag("ceil_mode", false),
        ],
        relation: &MAX_POOL1D,
        kernel: Kernel::Missing,
        doc: "
The largest element under each position of a window over one axis.
```relay
def @f(%x: Tensor[(1, 3, 16), float32]) { nn.max_pool1d(%x, pool_size=[2], strides=[2]) }
#                                         ^? Tensor[(1, 3, 8), float32]
```
",
    },
    Op {
        name: "nn.max_pool3d",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::required("pool_size", AttrForm::Ints),
            AttrSpec::ints("strides", &[1, 1, 1]),
            AttrSpec::ints("dilation", &[1, 1, 1]),
            AttrSpec::ints("padding", &[0, 0, 0]),
            AttrSpec::str("layout", "NCDHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::flag("ceil_mode", false),
        ],
        relation: &MAX_POOL3D,
        kernel: Kernel::Missing,
        doc: "
The largest element under each position of a window over three axes.
```relay
def @f(%x: Tensor[(1, 3, 8, 8, 8), float32]) { nn.max_pool3d(%x, pool_size=[2, 2, 2], strides=[2, 2, 2]) }
#                                              ^? Tensor[(1, 3, 4, 4, 4), float32]
```
",
    },
    Op {
        name: "nn.avg_pool1d",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::required("pool_size", AttrForm::Ints),
            AttrSpec::ints("strides", &[1]),
            AttrSpec::ints("dilation", &[1]),
            AttrSpec::ints("padding", &[0]),
            AttrSpec::str("layout", "NCW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::flag("ceil_mode", false),
            AttrSpec::flag("count_include_pad", false),
        ],
        relation: &AVG_POOL1D,
        kernel: Kernel::Missing,
        doc: "
The mean of the elements under each position of a window over one axis; padding counts only with
`count_include_pad`.
```relay
def @f(%x: Tensor[(1, 3, 8), float32]) { nn.avg_pool1d(%x, pool_size=[3], strides=[2], ceil_mode=True) }
#                                        ^? Tensor[(1, 3, 4), float32]
```
",
    },
    Op {
        name: "nn.avg_pool3d",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::required("pool_size", AttrForm::Ints),
            AttrSpec::ints("strides", &[1, 1, 1]),
            AttrSpec::ints("dilation", &[1, 1, 1]),
            AttrSpec::ints("padding", &[0, 0, 0]),
            AttrSpec::str("layout", "NCDHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::flag("ceil_mode", false),
            AttrSpec::flag("count_include_pad", false),
        ],
        relation: &AVG_POOL3D,
        kernel: Kernel::Missing,
        doc: "
The mean of the elements under each position of a window over three axes; padding counts only with
`count_include_pad`.
```relay
def @f(%x: Tensor[(1, 3, 9, 9, 9), float32]) { nn.avg_pool3d(%x, pool_size=[3, 3, 3], padding=[1, 1, 1]) }
#                                              ^? Tensor[(1, 3, 9, 9, 9), float32]
```
",
    },
    Op {
        name: "nn.global_max_pool2d",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::str("layout", "NCHW"), AttrSpec::str("out_layout", "")],
        relation: &GLOBAL_MAX_POOL2D,
        kernel: Kernel::Missing,
        doc: "
The largest element of each plane.
```relay
def @f(%x: Tensor[(?, 7, 7, 512), float32]) { nn.global_max_pool2d(%x, layout=\"NHWC\") }
#                                             ^? Tensor[(?, 1, 1, 512), float32]
```
",
    },
    Op {
        name: "nn.adaptive_avg_pool1d",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::ints("output_size", &[]), AttrSpec::str("layout", "NCW"), AttrSpec::str("out_layout", "")],
        relation: &ADAPTIVE_POOL1D,
        kernel: Kernel::Missing,
        doc: "
The mean of each of `output_size` parts of the data, about equally large, over one axis.
```relay
def @f(%x: Tensor[(1, 3, 9), float32]) { nn.adaptive_avg_pool1d(%x, output_size=[4]) }
#                                        ^? Tensor[(1, 3, 4), float32]
```
",
    },
    Op {
        name: "nn.adaptive_avg_pool2d",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::ints("output_size", &[]), AttrSpec::str("layout", "NCHW"), AttrSpec::str("out_layout", "")],
        relation: &ADAPTIVE_POOL2D,
        kernel: Kernel::Missing,
        doc: "
The mean of each of `output_size` parts of the data, about equally large, over two axes. Without an
`output_size` nothing changes.
```relay
def @f(%x: Tensor[(1, 512, 7, 7), float32]) { nn.adaptive_avg_pool2d(%x, output_size=[1, 1]) }
#                                             ^? Tensor[(1, 512, 1, 1), float32]
```
",
    },
    Op {
        name: "nn.adaptive_avg_pool3d",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::ints("output_size", &[]), AttrSpec::str("layout", "NCDHW"), AttrSpec::str("out_layout", "")],
        relation: &ADAPTIVE_POOL3D,
        kernel: Kernel::Missing,
        doc: "
The mean of each of `output_size` parts of the data, about equally large, over three axes.
```relay
def @f(%x: Tensor[(1, 3, 8, 9, 10), float32]) { nn.adaptive_avg_pool3d(%x, output_size=[2, 3, 4]) }
#                                               ^? Tensor[(1, 3, 2, 3, 4), float32]
```
",
    },
    Op {
        name: "nn.adaptive_max_pool1d",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::ints("output_size", &[]), AttrSpec::str("layout", "NCW"), AttrSpec::str("out_layout", "")],
        relation: &ADAPTIVE_POOL1D,
        kernel: Kernel::Missing,
        doc: "
The largest element of each of `output_size` parts of the data, about equally large, over one axis.
```relay
def @f(%x: Tensor[(1, 3, 9), float32]) { nn.adaptive_max_pool1d(%x, output_size=[4]) }
#                                        ^? Tensor[(1, 3, 4), float32]
```
",
    },
    Op {
        name: "nn.adaptive_max_pool2d",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::ints("output_size", &[]), AttrSpec::str("layout", "NCHW"), AttrSpec::str("out_layout", "")],
        relation: &ADAPTIVE_POOL2D,
        kernel: Kernel::Missing,
        doc: "
The largest element of each of `output_size` parts of the data, about equally large, over two axes. One number serves
both axes.
```relay
def @f(%x: Tensor[(1, 512, 7, 7), float32]) { nn.adaptive_max_pool2d(%x, output_size=3) }
#                                             ^? Tensor[(1, 512, 3, 3), float32]
```
",
    },
    Op {
        name: "nn.adaptive_max_pool3d",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::ints("output_size", &[]), AttrSpec::str("layout", "NCDHW"), AttrSpec::str("out_layout", "")],
        relation: &ADAPTIVE_POOL3D,
        kernel: Kernel::Missing,
        doc: "
The largest element of each of `output_size` parts of the data, about equally large, over three axes.
```relay
def @f(%x: Tensor[(1, 3, 8, 9, 10), float32]) { nn.adaptive_max_pool3d(%x, output_size=[2, 3, 4]) }
#                                               ^? Tensor[(1, 3, 2, 3, 4), float32]
```
",
    },
    Op {
        name: "nn.max_pool2d_grad",
        infix: None,
        args: &["out_grad", "data"],
        attrs: &[
            AttrSpec::required("pool_size", AttrForm::Ints),
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("dilation", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::flag("ceil_mode", false),
        ],
        relation: &POOL2D_GRAD,
        kernel: Kernel::Missing,
        doc: "
The gradient of `nn.max_pool2d` by its data, from that of its result.
```relay
def @f(%g: Tensor[(1, 3, 4, 4), float32], %x: Tensor[(1, 3, 8, 8), float32]) {
  nn.max_pool2d_grad(%g, %x, pool_size=[2, 2], strides=[2, 2])
# ^? Tensor[(1, 3, 8, 8), float32]
}
```
",
    },
    Op {
        name: "nn.avg_pool2d_grad",
        infix: None,
        args: &["out_grad", "data"],
        attrs: &[
            AttrSpec::required("pool_size", AttrForm::Ints),
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("dilation", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::flag("ceil_mode", false),
            AttrSpec::flag("count_include_pad", false),
        ],
        relation: &POOL2D_GRAD,
        kernel: Kernel::Missing,
        doc: "
The gradient of `nn.avg_pool2d` by its data, from that of its result.
```relay
def @f(%g: Tensor[(1, 3, 4, 4), float32], %x: Tensor[(1, 3, 8, 8), float32]) {
  nn.avg_pool2d_grad(%g, %x, pool_size=[2, 2], strides=[2, 2])
# ^? Tensor[(1, 3, 8, 8), float32]
}
```
",
    },
];
