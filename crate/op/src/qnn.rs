//! Quantized operators: on integers that stand for real numbers by a scale and a zero point.

mod elementwise;
mod products;
mod scale;

use crate::rule::qnn::{
    AVG_POOL2D, BATCH_MATMUL, BROADCAST, CONCATENATE, CONV2D, CONV2D_TRANSPOSE, DENSE, DENSE_PACK, DEQUANTIZE,
    QUANTIZE, REQUANTIZE, SIMULATED_DEQUANTIZE, SIMULATED_QUANTIZE, SOFTMAX, UNARY,
};
use crate::run::Kernel;
use crate::{AttrForm, AttrSpec, Op};

pub const ROWS: &[Op] = &[
    Op {
        name: "qnn.quantize",
        infix: None,
        args: &["data", "output_scale", "output_zero_point"],
        attrs: &[AttrSpec::required("out_dtype", AttrForm::Dtype), AttrSpec::int("axis", -1)],
        relation: &QUANTIZE,
        kernel: Kernel::Whole(elementwise::quantize),
        doc: "
round(data / scale) + zero point, cut off at the ends of `out_dtype`. Scale and zero point are scalars, or vectors along
`axis`.
```relay
def @f(%x: Tensor[(2, 3), float32]) { qnn.quantize(%x, 0.5f, 10, out_dtype=\"uint8\") }
#                                     ^? Tensor[(2, 3), uint8]
```
",
    },
    Op {
        name: "qnn.dequantize",
        infix: None,
        args: &["data", "input_scale", "input_zero_point"],
        attrs: &[AttrSpec::int("axis", -1)],
        relation: &DEQUANTIZE,
        kernel: Kernel::Whole(elementwise::dequantize),
        doc: "
scale · (data - zero point). Scale and zero point are scalars, or vectors along `axis`.
```relay
def @f(%x: Tensor[(2, 3), uint8], %s: Tensor[(3), float32], %z: Tensor[(3), int32]) {
  qnn.dequantize(%x, %s, %z)
# ^? Tensor[(2, 3), float32]
}
```
",
    },
    Op {
        name: "qnn.requantize",
        infix: None,
        args: &["data", "input_scale", "input_zero_point", "output_scale", "output_zero_point"],
        attrs: &[
            AttrSpec::int("axis", -1),
            AttrSpec::word("rounding", &["None", "UPWARD", "TONEAREST"]),
            AttrSpec::word("compute_dtype", &["None", "int64", "float32", "float64"]),
            AttrSpec::dtype("out_dtype"),
        ],
        relation: &REQUANTIZE,
        kernel: Kernel::Whole(elementwise::requantize),
        doc: "
The same numbers with another scale and zero point, as integers of `out_dtype`.
```relay
qnn.requantize([-3, 3, 1000], 0.5f, 0, 1f, 0, out_dtype=\"int8\")
#=> [-1i8, 2i8, 127i8]
qnn.requantize([-3, 3, 1000], 0.5f, 0, 1f, 0, rounding=\"TONEAREST\", out_dtype=\"int8\")
#=> [-2i8, 2i8, 127i8]
```
",
    },
    Op {
        name: "qnn.simulated_quantize",
        infix: None,
        args: &["data", "out_dtype", "output_scale", "output_zero_point"],
        attrs: &[AttrSpec::int("axis", -1)],
        relation: &SIMULATED_QUANTIZE,
        kernel: Kernel::Whole(elementwise::simulated_quantize),
        doc: "
As `qnn.quantize`, but the result keeps the data's dtype; a number says which integers are meant.
```relay
qnn.simulated_quantize([-100f, 0.3f, 0.8f], 1, 0.5f, 3)
#=> [-128f, 4f, 5f]
```
",
    },
    Op {
        name: "qnn.simulated_dequantize",
        infix: None,
        args: &["data", "in_dtype", "input_scale", "input_zero_point"],
        attrs: &[AttrSpec::int("axis", -1)],
        relation: &SIMULATED_DEQUANTIZE,
        kernel: Kernel::Whole(elementwise::simulated_dequantize),
        doc: "
The inverse of `qnn.simulated_quantize`.
```relay
qnn.simulated_dequantize([-128f, 4f, 5f], 1, 0.5f, 3)
#=> [-65.5f, 0.5f, 1f]
```
",
    },
    Op {
        name: "qnn.add",
        infix: None,
        args: &[
            "lhs",
            "rhs",
            "lhs_scale",
            "lhs_zero_point",
            "rhs_scale",
            "rhs_zero_point",
            "output_scale",
            "output_zero_point",
        ],
        attrs: &[AttrSpec::int("lhs_axis", -1), AttrSpec::int("rhs_axis", -1)],
        relation: &BROADCAST,
        kernel: Kernel::Whole(elementwise::add),
        doc: "
The sum of the numbers that two tensors stand for; shapes broadcast.
```relay
def @f(%x: Tensor[(2, 3), int8], %y: Tensor[(1, 3), int8]) { qnn.add(%x, %y, 0.5f, 0, 0.25f, 1, 1f, 0) }
#                                                            ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.subtract",
        infix: None,
        args: &[
            "lhs",
            "rhs",
            "lhs_scale",
            "lhs_zero_point",
            "rhs_scale",
            "rhs_zero_point",
            "output_scale",
            "output_zero_point",
        ],
        attrs: &[AttrSpec::int("lhs_axis", -1), AttrSpec::int("rhs_axis", -1)],
        relation: &BROADCAST,
        kernel: Kernel::Whole(elementwise::subtract),
        doc: "
The difference of the numbers that two tensors stand for; shapes broadcast.
```relay
def @f(%x: Tensor[(2, 3), int8], %y: Tensor[(1, 3), int8]) { qnn.subtract(%x, %y, 0.5f, 0, 0.25f, 1, 1f, 0) }
#                                                            ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.mul",
        infix: None,
        args: &[
            "lhs",
            "rhs",
            "lhs_scale",
            "lhs_zero_point",
            "rhs_scale",
            "rhs_zero_point",
            "output_scale",
            "output_zero_point",
        ],
        attrs: &[AttrSpec::int("lhs_axis", -1), AttrSpec::int("rhs_axis", -1)],
        relation: &BROADCAST,
        kernel: Kernel::Whole(elementwise::mul),
        doc: "
The product of the numbers that two tensors stand for; shapes broadcast.
```relay
def @f(%x: Tensor[(2, 3), int8], %y: Tensor[(1, 3), int8]) { qnn.mul(%x, %y, 0.5f, 0, 0.25f, 1, 1f, 0) }
#                                                            ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.dense",
        infix: None,
        args: &["data", "weight", "input_zero_point", "weight_zero_point", "input_scale", "weight_scale"],
        attrs: &[AttrSpec::int_or_none("units"), AttrSpec::dtype("out_dtype")],
        relation: &DENSE,
        kernel: Kernel::Whole(products::dense),
        doc: "
`nn.dense` on bytes, summed up in `int32`. The weight's scale may be a vector of its units.
```relay
def @f(%x: Tensor[(4, 8), uint8], %w: Tensor[(16, 8), int8]) {
  qnn.dense(%x, %w, 0, 0, 0.5f, 0.25f, units=16, out_dtype=\"int32\")
# ^? Tensor[(4, 16), int32]
}
```
",
    },
    Op {
        name: "qnn.contrib_dense_pack",
        infix: None,
        args: &["data", "weight", "input_zero_point", "weight_zero_point", "input_scale", "weight_scale"],
        attrs: &[AttrSpec::int_or_none("units"), AttrSpec::dtype("out_dtype"), AttrSpec::str("weight_layout", "NC")],
        relation: &DENSE_PACK,
        kernel: Kernel::Whole(products::dense_pack),
        doc: "
`nn.contrib_dense_pack` on bytes, summed up in `int32`.
```relay
qnn.contrib_dense_pack(
  [[2i8, 3i8]], [[[1i8, 5i8], [0i8, 2i8]]], 1, 0, 0.5f, 0.25f, weight_layout=\"NC2n\", out_dtype=\"int32\")
#=> [[1, 9]]
```
",
    },
    Op {
        name: "qnn.conv2d",
        infix: None,
        args: &["data", "weight", "input_zero_point", "weight_zero_point", "input_scale", "weight_scale"],
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
        kernel: Kernel::Whole(products::conv2d),
        doc: "
`nn.conv2d` on bytes, summed up in `out_dtype`. The weight's scale may be a vector of its output channels.
```relay
def @f(%x: Tensor[(1, 4, 8, 8), int8], %w: Tensor[(8, 4, 3, 3), int8], %s: Tensor[(8), float32]) {
  qnn.conv2d(%x, %w, 0, 0, 0.5f, %s, channels=8, kernel_size=[3, 3], out_dtype=\"int32\")
# ^? Tensor[(1, 8, 6, 6), int32]
}
```
",
    },
    Op {
        name: "qnn.conv2d_transpose",
        infix: None,
        args: &["data", "weight", "input_zero_point", "weight_zero_point", "input_scale", "weight_scale"],
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
        kernel: Kernel::Whole(products::conv2d_transpose),
        doc: "
`nn.conv2d_transpose` on bytes, summed up in `out_dtype`.
```relay
qnn.conv2d_transpose([[[[2i8, 3i8]]]], [[[[1i8, 5i8]]]], 1, 1, 0.5f, 0.25f, strides=[1, 2], out_dtype=\"int32\")
#=> [[[[0, 4, 0, 8]]]]
```
",
    },
    Op {
        name: "qnn.batch_matmul",
        infix: None,
        args: &["x", "y", "x_zero_point", "y_zero_point", "x_scale", "y_scale"],
        attrs: &[
            AttrSpec::dtype("out_dtype"),
            AttrSpec::flag("transpose_a", false),
            AttrSpec::flag("transpose_b", false),
        ],
        relation: &BATCH_MATMUL,
        kernel: Kernel::Whole(products::batch_matmul),
        doc: "
`nn.batch_matmul` on bytes, summed up in `int32`.
```relay
def @f(%x: Tensor[(2, 3, 4), int8], %y: Tensor[(2, 5, 4), int8]) {
  qnn.batch_matmul(%x, %y, 0, 0, 0.5f, 0.25f, transpose_b=True, out_dtype=\"int32\")
# ^? Tensor[(2, 3, 5), int32]
}
```
",
    },
    Op {
        name: "qnn.avg_pool2d",
        infix: None,
        args: &["data", "input_scale", "input_zero_point", "output_scale", "output_zero_point"],
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
        kernel: Kernel::Whole(elementwise::avg_pool2d),
        doc: "
`nn.avg_pool2d` on bytes, with another scale for the result.
```relay
qnn.avg_pool2d([[[[2i8, 4i8], [6i8, 127i8]]]], 0.5f, 0, 0.25f, 0, pool_size=[1, 2])
#=> [[[[6i8], [127i8]]]]
```
",
    },
    Op {
        name: "qnn.concatenate",
        infix: None,
        args: &["data", "input_scales", "input_zero_points", "output_scale", "output_zero_point"],
        attrs: &[AttrSpec::int("axis", 0)],
        relation: &CONCATENATE,
        kernel: Kernel::Whole(elementwise::concatenated),
        doc: "
Joins tensors of different scales along `axis`, in one scale.
```relay
def @f(%x: Tensor[(2, 3), int8], %y: Tensor[(2, 4), int8]) {
  qnn.concatenate((%x, %y), (0.5f, 0.25f), (0, 1), 0.5f, 0, axis=1)
# ^? Tensor[(2, 7), int8]
}
```
",
    },
    Op {
        name: "qnn.abs",
        infix: None,
        args: &["data", "scale", "zero_point", "output_scale", "output_zero_point"],
        attrs: &[],
        relation: &UNARY,
        kernel: Kernel::Whole(elementwise::abs),
        doc: "
The absolute values of the numbers that the data stand for, in another scale.
```relay
def @f(%x: Tensor[(2, 3), int8]) { qnn.abs(%x, 0.5f, 0, 0.25f, 1) }
#                                  ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.erf",
        infix: None,
        args: &["data", "scale", "zero_point", "output_scale", "output_zero_point"],
        attrs: &[],
        relation: &UNARY,
        kernel: Kernel::Whole(elementwise::erf),
        doc: "
The error function of the numbers that the data stand for, in another scale.
```relay
def @f(%x: Tensor[(2, 3), int8]) { qnn.erf(%x, 0.5f, 0, 0.25f, 1) }
#                                  ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.exp",
        infix: None,
        args: &["data", "scale", "zero_point", "output_scale", "output_zero_point"],
        attrs: &[],
        relation: &UNARY,
        kernel: Kernel::Whole(elementwise::exp),
        doc: "
e to the power of the numbers that the data stand for, in another scale.
```relay
def @f(%x: Tensor[(2, 3), int8]) { qnn.exp(%x, 0.5f, 0, 0.25f, 1) }
#                                  ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.hardswish",
        infix: None,
        args: &["data", "scale", "zero_point", "output_scale", "output_zero_point"],
        attrs: &[],
        relation: &UNARY,
        kernel: Kernel::Whole(elementwise::hardswish),
        doc: "
x · min(max(x + 3, 0), 6) / 6, where x are the numbers that the data stand for, in another scale.
```relay
def @f(%x: Tensor[(2, 3), int8]) { qnn.hardswish(%x, 0.5f, 0, 0.25f, 1) }
#                                  ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.log",
        infix: None,
        args: &["data", "scale", "zero_point", "output_scale", "output_zero_point"],
        attrs: &[],
        relation: &UNARY,
        kernel: Kernel::Whole(elementwise::log),
        doc: "
The natural logarithm of the numbers that the data stand for, in another scale.
```relay
def @f(%x: Tensor[(2, 3), int8]) { qnn.log(%x, 0.5f, 0, 0.25f, 1) }
#                                  ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.rsqrt",
        infix: None,
        args: &["data", "scale", "zero_point", "output_scale", "output_zero_point"],
        attrs: &[],
        relation: &UNARY,
        kernel: Kernel::Whole(elementwise::rsqrt),
        doc: "
One by the square root of the numbers that the data stand for, in another scale.
```relay
def @f(%x: Tensor[(2, 3), int8]) { qnn.rsqrt(%x, 0.5f, 0, 0.25f, 1) }
#                                  ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.sigmoid",
        infix: None,
        args: &["data", "scale", "zero_point", "output_scale", "output_zero_point"],
        attrs: &[],
        relation: &UNARY,
        kernel: Kernel::Whole(elementwise::sigmoid),
        doc: "
1 / (1 + exp(-x)), where x are the numbers that the data stand for, in another scale.
```relay
def @f(%x: Tensor[(2, 3), int8]) { qnn.sigmoid(%x, 0.5f, 0, 0.25f, 1) }
#                                  ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.sqrt",
        infix: None,
        args: &["data", "scale", "zero_point", "output_scale", "output_zero_point"],
        attrs: &[],
        relation: &UNARY,
        kernel: Kernel::Whole(elementwise::sqrt),
        doc: "
The square root of the numbers that the data stand for, in another scale.
```relay
def @f(%x: Tensor[(2, 3), int8]) { qnn.sqrt(%x, 0.5f, 0, 0.25f, 1) }
#                                  ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.tanh",
        infix: None,
        args: &["data", "scale", "zero_point", "output_scale", "output_zero_point"],
        attrs: &[],
        relation: &UNARY,
        kernel: Kernel::Whole(elementwise::tanh),
        doc: "
The hyperbolic tangent of the numbers that the data stand for, in another scale.
```relay
def @f(%x: Tensor[(2, 3), int8]) { qnn.tanh(%x, 0.5f, 0, 0.25f, 1) }
#                                  ^? Tensor[(2, 3), int8]
```
",
    },
    Op {
        name: "qnn.leaky_relu",
        infix: None,
        args: &["data", "input_scale", "input_zero_point", "output_scale", "output_zero_point"],
        attrs: &[AttrSpec::float("alpha", 0.25)],
        relation: &UNARY,
        kernel: Kernel::Whole(elementwise::leaky_relu),
        doc: "
`nn.leaky_relu` of the numbers that the data stand for, in another scale.
```relay
qnn.leaky_relu([-8i8, 8i8], 0.5f, 0, 0.25f, 0, alpha=0.25f)
#=> [-4i8, 16i8]
```
",
    },
    Op {
        name: "qnn.softmax",
        infix: None,
        args: &["data", "scale", "zero_point", "output_scale", "output_zero_point"],
        attrs: &[AttrSpec::int("axis", -1)],
        relation: &SOFTMAX,
        kernel: Kernel::Whole(elementwise::softmax),
        doc: "
`nn.softmax` of the numbers that the data stand for, in another scale.
```relay
def @f(%x: Tensor[(2, 3), int8]) { qnn.softmax(%x, 0.5f, 0, 0.00390625f, -128) }
#                                  ^? Tensor[(2, 3), int8]
```
",
    },
];
