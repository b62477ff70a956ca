//! Convolution and pooling.

pub(crate) mod layout;
pub(crate) mod window;

use crate::rule::{AVG_POOL2D, CONV2D, GLOBAL_AVG_POOL2D, MAX_POOL2D};
use crate::run::{Call, Fault, Kernel};
use crate::{AttrForm, AttrSpec, Op};
use kernel::conv::Direction;
use kernel::slide::Share;
use layout::operand;
use ty::Value;
use window::{Fold, PLANE, Windows, convolve, pooled, share};

/// Also of data and weights in blocks.
pub(crate) fn conv2d(call: &Call) -> Result<Value, Fault> {
    convolve(call, &operand(call, 0)?, &operand(call, 1)?, &PLANE, Direction::Forward)
}

fn max_pool2d(call: &Call) -> Result<Value, Fault> {
    call.one(pooled(call, &operand(call, 0)?, &PLANE, Windows::Moved, Fold::Largest)?)
}

fn avg_pool2d(call: &Call) -> Result<Value, Fault> {
    call.one(pooled(call, &operand(call, 0)?, &PLANE, Windows::Moved, Fold::Mean(share(call)))?)
}

fn global_avg_pool2d(call: &Call) -> Result<Value, Fault> {
    call.one(pooled(call, &operand(call, 0)?, &PLANE, Windows::Parts, Fold::Mean(Share::Elements))?)
}

pub const ROWS: &[Op] = &[
    Op {
        name: "nn.conv2d",
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
Convolution over two axes: ⌊(in + padding - reach) / stride⌋ + 1 positions each, where the kernel reaches over
`(size - 1) · dilation + 1`. With `channels` and `kernel_size` the weight's type follows from the data's.
```relay
nn.conv2d([[[[1f, 2f, 3f], [4f, 5f, 6f]]]], [[[[1f, 0f], [0f, 1f]]]])
#=> [[[[6f, 8f]]]]
```
",
    },
    Op {
        name: "nn.max_pool2d",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::required("pool_size", AttrForm::Ints),
            AttrSpec::ints("strides", &[1, 1]),
            AttrSpec::ints("dilation", &[1, 1]),
            AttrSpec::ints("padding", &[0, 0]),
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::str("out_layout", ""),
            AttrSpec::flag("ceil_mode", false),
        ],
        relation: &MAX_POOL2D,
        kernel: Kernel::Whole(max_pool2d),
        doc: "
The largest element under each position of a window.
```relay
nn.max_pool2d([[[[1f, 2f], [3f, 4f]]]], pool_size=[2, 2])
#=> [[[[4f]]]]
```
",
    },
    Op {
        name: "nn.avg_pool2d",
        infix: None,
        args: &["data"],
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
        relation: &AVG_POOL2D,
        kernel: Kernel::Whole(avg_pool2d),
        doc: "
The mean of the elements under each position of a window; padding counts only with `count_include_pad`.
```relay
nn.avg_pool2d([[[[1f, 2f], [3f, 4f]]]], pool_size=[2, 2])
#=> [[[[2.5f]]]]
```
",
    },
    Op {
        name: "nn.global_avg_pool2d",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::str("layout", "NCHW"), AttrSpec::str("out_layout", "")],
        relation: &GLOBAL_AVG_POOL2D,
        kernel: Kernel::Whole(global_avg_pool2d),
        doc: "
The mean of each plane.
```relay
nn.global_avg_pool2d([[[[1f, 2f], [3f, 4f]]]])
#=> [[[[2.5f]]]]
```
",
    },
];
