//! Pooling over one, two and three spatial axes, to a given size, and backwards.

use crate::conv::layout::{by_letters, in_layout, operand};
use crate::conv::window::{
    Fold, LINE, PLANE, Space, VOLUME, Windows, fault, five, numbers, pool_layout, pool_looks, pooled, share, steps,
};
use crate::rule::pool::{
    ADAPTIVE_POOL1D, ADAPTIVE_POOL2D, ADAPTIVE_POOL3D, AVG_POOL1D, AVG_POOL3D, GLOBAL_MAX_POOL2D, MAX_POOL1D,
    MAX_POOL3D, POOL2D_GRAD,
};
use crate::run::{Call, Fault, Kernel, floats};
use crate::{AttrForm, AttrSpec, Op};
use kernel::slide::{Share, pool_by_data};
use kernel::strided::View;
use ty::Value;

fn pool(call: &Call, space: &Space, windows: Windows, fold: Fold) -> Result<Value, Fault> {
    call.one(pooled(call, &operand(call, 0)?, space, windows, fold)?)
}

fn max_pool1d(call: &Call) -> Result<Value, Fault> {
    pool(call, &LINE, Windows::Moved, Fold::Largest)
}

fn max_pool3d(call: &Call) -> Result<Value, Fault> {
    pool(call, &VOLUME, Windows::Moved, Fold::Largest)
}

fn avg_pool1d(call: &Call) -> Result<Value, Fault> {
    pool(call, &LINE, Windows::Moved, Fold::Mean(share(call)))
}

fn avg_pool3d(call: &Call) -> Result<Value, Fault> {
    pool(call, &VOLUME, Windows::Moved, Fold::Mean(share(call)))
}

fn global_max_pool2d(call: &Call) -> Result<Value, Fault> {
    pool(call, &PLANE, Windows::Parts, Fold::Largest)
}

fn adaptive_max_pool1d(call: &Call) -> Result<Value, Fault> {
    pool(call, &LINE, Windows::Parts, Fold::Largest)
}

fn adaptive_max_pool2d(call: &Call) -> Result<Value, Fault> {
    pool(call, &PLANE, Windows::Parts, Fold::Largest)
}

fn adaptive_max_pool3d(call: &Call) -> Result<Value, Fault> {
    pool(call, &VOLUME, Windows::Parts, Fold::Largest)
}

fn adaptive_avg_pool1d(call: &Call) -> Result<Value, Fault> {
    pool(call, &LINE, Windows::Parts, Fold::Mean(Share::Elements))
}

fn adaptive_avg_pool2d(call: &Call) -> Result<Value, Fault> {
    pool(call, &PLANE, Windows::Parts, Fold::Mean(Share::Elements))
}

fn adaptive_avg_pool3d(call: &Call) -> Result<Value, Fault> {
    pool(call, &VOLUME, Windows::Parts, Fold::Mean(Share::Elements))
}

/// The gradient of a pool by its data. That of its result has a place for each position of the window.
fn pool2d_grad(call: &Call, share: Share) -> Result<Value, Fault> {
    let result = call.result(0)?;
    let layout = pool_layout(call, PLANE.data)?;
    let grad = by_letters(&operand(call, 0)?, &layout, PLANE.data)?;
    let data = by_letters(&operand(call, 1)?, &layout, PLANE.data)?;
    let (shape, out) = (five(&data.shape), five(&grad.shape));
    let steps = steps(call, 2);
    let windows = call.attrs.ints("pool_size").unwrap_or_default();
    let is_ceil = call.attrs.flag("ceil_mode");
    for axis in 0..2 {
        let along = &steps[1 + axis];
        let [stride, dilation, padding] =
            [along.stride.into(), along.dilation.into(), i128::from(along.before) + i128::from(along.after)];
        let window = windows.get(axis.min(windows.len().saturating_sub(1))).copied().unwrap_or(1);
        let size = shape[3 + axis] as i128;
        let room = size + padding - (i128::from(window) - 1) * dilation - 1 + if is_ceil { stride - 1 } else { 0 };
        let want = if size == 0 || room < 0 { 0 } else { room / stride + 1 };
        if want != out[3 + axis] as i128 {
            return fault(format!("the gradient has {} places where the window has {}", out[3 + axis], want as u64));
        }
    }
    if shape[..2] != out[..2] {
        return fault("gradient and data differ in batch or channels".to_owned());
    }
    let looks = pool_looks(call, 2, Windows::Moved, shape, out);
    let by_data = pool_by_data(&numbers(&grad), View::new(&numbers(&data), &shape), &looks, share);
    call.one(in_layout(&floats(result.dtype, by_data.into_iter()), &result.shape, &layout, PLANE.data)?)
}

fn max_pool2d_grad(call: &Call) -> Result<Value, Fault> {
    pool2d_grad(call, Share::Largest)
}

fn avg_pool2d_grad(call: &Call) -> Result<Value, Fault> {
    pool2d_grad(call, share(call))
}

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
        kernel: Kernel::Whole(max_pool1d),
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
        kernel: Kernel::Whole(max_pool3d),
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
        kernel: Kernel::Whole(avg_pool1d),
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
        kernel: Kernel::Whole(avg_pool3d),
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
        kernel: Kernel::Whole(global_max_pool2d),
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
        kernel: Kernel::Whole(adaptive_avg_pool1d),
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
        kernel: Kernel::Whole(adaptive_avg_pool2d),
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
        kernel: Kernel::Whole(adaptive_avg_pool3d),
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
        kernel: Kernel::Whole(adaptive_max_pool1d),
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
        kernel: Kernel::Whole(adaptive_max_pool2d),
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
        kernel: Kernel::Whole(adaptive_max_pool3d),
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
        kernel: Kernel::Whole(max_pool2d_grad),
        doc: "
The gradient of `nn.max_pool2d` by its data, from that of its result.
```relay
nn.max_pool2d_grad([[[[4f]]]], [[[[1f, 2f], [3f, 0f]]]], pool_size=[2, 2])
#=> [[[[0f, 0f], [4f, 0f]]]]
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
        kernel: Kernel::Whole(avg_pool2d_grad),
        doc: "
The gradient of `nn.avg_pool2d` by its data, from that of its result.
```relay
nn.avg_pool2d_grad([[[[4f]]]], [[[[1f, 2f], [3f, 4f]]]], pool_size=[2, 2])
#=> [[[[1f, 1f], [1f, 1f]]]]
```
",
    },
];
