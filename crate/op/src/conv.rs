//! Convolution and pooling.

use crate::rule::{AVG_POOL2D, CONV2D, DataLayout, GLOBAL_AVG_POOL2D, MAX_POOL2D, permutation};
use crate::run::{Arg, Call, Fault, Kernel, floats, ints};
use crate::{AttrForm, AttrSpec, Op};
use kernel::number::Number;
use kernel::scalar::float;
use kernel::shape::transpose;
use kernel::strided::View;
use kernel::window::{Divisor, Window, avg_pool2d, conv2d, max_pool2d};
use ty::{Elements, Value};

fn pair(call: &Call, name: &str) -> [usize; 2] {
    match call.attrs.ints(name).as_deref() {
        Some(&[both]) => [both as usize; 2],
        Some(&[height, width]) => [height as usize, width as usize],
        _ => [1, 1],
    }
}

/// Top, left, bottom, right.
fn padding(call: &Call) -> [usize; 4] {
    match call.attrs.ints("padding").as_deref() {
        Some(&[all]) => [all as usize; 4],
        Some(&[height, width]) => [height, width, height, width].map(|side| side as usize),
        Some(&[top, left, bottom, right]) => [top, left, bottom, right].map(|side| side as usize),
        _ => [0; 4],
    }
}

/// A layout without blocks; those with blocks are typed but not computed.
fn layout(text: &str, letters: &str) -> Result<DataLayout, Fault> {
    let layout = DataLayout::parse(text, letters).ok_or(Fault::IllTyped)?;
    if layout.has_blocks() {
        return Err(Fault::Other(format!("the blocked layout {text} cannot be run yet").into()));
    }
    Ok(layout)
}

/// The elements and shape of a tensor with its axes in another order.
fn reordered<T: Copy>(data: Vec<T>, shape: &[usize], from: &DataLayout, to: &DataLayout) -> (Vec<T>, Vec<usize>) {
    let axes = permutation(from, to);
    let new_shape: Vec<usize> = axes.iter().map(|&axis| shape[axis]).collect();
    (transpose(View::new(&data, shape), &axes), new_shape)
}

/// Runs `body` on the data in NCHW and brings its result, of that shape, into the layout `out`.
fn in_nchw<T: Copy>(
    data: Vec<T>,
    shape: &[usize],
    layouts: [&DataLayout; 2],
    result_shape: &[usize],
    body: impl Fn(View<T>, [usize; 2]) -> Vec<T>,
) -> Vec<T> {
    let nchw = DataLayout::parse("NCHW", "NCHW").expect("a layout");
    let (data, shape) = reordered(data, shape, layouts[0], &nchw);
    let to_nchw = permutation(layouts[1], &nchw);
    let out_shape: Vec<usize> = to_nchw.iter().map(|&axis| result_shape[axis]).collect();
    let result = body(View::new(&data, &shape), [out_shape[2], out_shape[3]]);
    reordered(result, &out_shape, &nchw, layouts[1]).0
}

fn conv2d_of(call: &Call) -> Result<Value, Fault> {
    let (x, w, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let data_layout = layout(call.attrs.str("data_layout"), "NCHW")?;
    let kernel_layout = layout(call.attrs.str("kernel_layout"), "OIHW")?;
    let out_layout = match call.attrs.str("out_layout") {
        "" => data_layout.clone(),
        text => layout(text, "NCHW")?,
    };
    let groups = call.attrs.int("groups").unwrap_or(1) as usize;
    let layouts = [&data_layout, &out_layout];
    call.one(match x.dtype().is_float() {
        true => {
            let weight = weight_of(&w, w.floats(), &kernel_layout);
            floats(result.dtype, convolve(call, x.floats(), &x, weight, layouts, groups, &result.shape)?.into_iter())
        }
        false => {
            let weight = weight_of(&w, w.ints(), &kernel_layout);
            ints(result.dtype, convolve(call, x.ints(), &x, weight, layouts, groups, &result.shape)?.into_iter())
        }
    })
}

fn weight_of<T: Copy>(w: &Arg, values: Vec<T>, layout: &DataLayout) -> (Vec<T>, Vec<usize>) {
    let oihw = DataLayout::parse("OIHW", "OIHW").expect("a layout");
    reordered(values, w.shape(), layout, &oihw)
}

fn convolve<T: Number>(
    call: &Call,
    data: Vec<T>,
    x: &Arg,
    (weight, weight_shape): (Vec<T>, Vec<usize>),
    layouts: [&DataLayout; 2],
    groups: usize,
    result_shape: &[usize],
) -> Result<Vec<T>, Fault> {
    let window = Window {
        kernel: [weight_shape[2], weight_shape[3]],
        strides: pair(call, "strides"),
        padding: padding(call),
        dilation: pair(call, "dilation"),
    };
    let channels = x.shape()[layouts[0].axis('C')];
    if channels != weight_shape[1] * groups {
        return Err(Fault::Other(
            format!("the data has {channels} channels, the weight takes {}", weight_shape[1]).into(),
        ));
    }
    Ok(in_nchw(data, x.shape(), layouts, result_shape, |data, _| {
        conv2d(data, View::new(&weight, &weight_shape), &window, groups)
    }))
}

fn pool_window(call: &Call) -> Window {
    Window {
        kernel: pair(call, "pool_size"),
        strides: pair(call, "strides"),
        padding: padding(call),
        dilation: pair(call, "dilation"),
    }
}

fn max_pool2d_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let layout = layout(call.attrs.str("layout"), "NCHW")?;
    let (window, layouts) = (pool_window(call), [&layout, &layout]);
    call.one(match &*x.elements() {
        Elements::Float(values) => {
            let pool = |data: View<f64>, output| max_pool2d(data, &window, output, f64::NEG_INFINITY, float::maximum);
            Elements::Float(in_nchw(values.clone(), x.shape(), layouts, &result.shape, pool))
        }
        Elements::Int(_) => {
            let lowest = crate::reduce::lowest(call);
            let pool = |data: View<i128>, output| max_pool2d(data, &window, output, lowest, i128::max);
            ints(result.dtype, in_nchw(x.ints(), x.shape(), layouts, &result.shape, pool).into_iter())
        }
    })
}

fn avg_pool2d_of(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let layout = layout(call.attrs.str("layout"), "NCHW")?;
    let (window, layouts) = (pool_window(call), [&layout, &layout]);
    let divisor = if call.attrs.flag("count_include_pad") { Divisor::ElementsAndPadding } else { Divisor::Elements };
    call.one(match x.dtype().is_float() {
        true => {
            let pool = |data: View<f64>, output| avg_pool2d(data, &window, output, divisor);
            floats(result.dtype, in_nchw(x.floats(), x.shape(), layouts, &result.shape, pool).into_iter())
        }
        false => {
            let pool = |data: View<i128>, output| avg_pool2d(data, &window, output, divisor);
            ints(result.dtype, in_nchw(x.ints(), x.shape(), layouts, &result.shape, pool).into_iter())
        }
    })
}

fn global_avg_pool2d(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let layout = layout(call.attrs.str("layout"), "NCHW")?;
    let window = Window::new([x.shape()[layout.axis('H')], x.shape()[layout.axis('W')]]);
    let layouts = [&layout, &layout];
    let pool = |data: View<f64>, output| avg_pool2d(data, &window, output, Divisor::Elements);
    call.one(floats(result.dtype, in_nchw(x.floats(), x.shape(), layouts, &result.shape, pool).into_iter()))
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
        kernel: Kernel::Whole(conv2d_of),
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
        kernel: Kernel::Whole(max_pool2d_of),
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
        kernel: Kernel::Whole(avg_pool2d_of),
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
