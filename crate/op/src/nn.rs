//! Layers that are neither dense products nor windows: norms over features, losses, padding, moving elements between
//! axes, sparse weights, packed bits.

mod features;
pub(crate) mod moves;
mod sparse;

use crate::conv::layout::{by_letters, operand, parse, permuted};
use crate::conv_nd::bent::few_bits;
use crate::linear::{matmul, product};
use crate::norm::softmax;
use crate::rule::nn::{
    BATCH_TO_SPACE_ND, BINARY_DENSE, BIT_PACK, CROSS_ENTROPY, DENSE_PACK, DEPTH_TO_SPACE, DILATE, FIFO_BUFFER,
    GROUP_NORM, INSTANCE_NORM, LAYER_NORM, MIRROR_PAD, NLL_LOSS, PAD, SPACE_TO_BATCH_ND, SPACE_TO_DEPTH, SPARSE_ADD,
    SPARSE_CONV2D, SPARSE_DENSE, SPARSE_TRANSPOSE, UPSAMPLING, UPSAMPLING3D,
};
use crate::rule::{IDENTITY, MATMUL, SOFTMAX};
use crate::run::{Call, Fault, Kernel, floats, ints};
use crate::{AttrForm, AttrSpec, Op};
use features::{
    cross_entropy, cross_entropy_with_logits, group_norm, instance_norm, l2_normalize, layer_norm, lrn, nll_loss,
};
use kernel::linear::Order;
use kernel::number::float_to_int;
use moves::{
    batch_to_space_nd, bitpack, depth_to_space, dilate, fifo_buffer, mirror_pad, pad, space_to_batch_nd,
    space_to_depth, upsampling, upsampling3d,
};
use sparse::{sparse_add, sparse_conv2d, sparse_dense, sparse_transpose};
use ty::{Elements, Tensor, Value};

fn leaky_relu(call: &Call) -> Result<Value, Fault> {
    let (x, result) = (call.tensor(0)?, call.result(0)?);
    let alpha = call.attrs.float("alpha");
    call.one(match &*x.elements() {
        Elements::Float(values) => floats(result.dtype, values.iter().map(|&x| if x > 0.0 { x } else { alpha * x })),
        // Relay takes what of alpha the dtype holds.
        Elements::Int(_) => {
            let leak = |x: i128| (if x > 0 { x } else { x.wrapping_mul(float_to_int(alpha)) }) as i64;
            ints(result.dtype, x.wide_ints().into_iter().map(leak))
        }
    })
}

/// The weight of a dense layer with one row for each unit, from one whose units, and perhaps inputs, stand in blocks.
pub(crate) fn unpacked(call: &Call, weight: &Tensor) -> Result<Tensor, Fault> {
    let layout = parse(call.attrs.str("weight_layout"), "NC")?;
    if layout.has_blocks() {
        return by_letters(weight, &layout, "NC");
    }
    let &[outer, inputs, block, ref inner @ ..] = weight.shape.as_slice() else { return Err(Fault::ill_typed()) };
    let axes = if inner.is_empty() { &[0, 2, 1][..] } else { &[0, 2, 1, 3][..] };
    let elements = permuted(&weight.elements, &weight.shape, axes);
    let shape = vec![outer * block, inputs * inner.iter().product::<usize>()];
    Ok(Tensor { dtype: weight.dtype, shape, elements })
}

fn dense_pack(call: &Call) -> Result<Value, Fault> {
    let weight = unpacked(call, &operand(call, 1)?)?;
    product(call, &operand(call, 0)?, &weight, [Order::Plain, Order::Transposed])
}

fn bitserial_dense(call: &Call) -> Result<Value, Fault> {
    let [data, weight] = few_bits(call, "data_bits")?;
    product(call, &data, &weight, [Order::Plain, Order::Transposed])
}

/// How elements are read between those of the data, in planes.
pub(crate) const UPSAMPLINGS: &[&str] = &["nearest_neighbor", "bilinear", "bicubic"];

/// The same in volumes, and where the places lie there.
pub(crate) const UPSAMPLINGS_3D: &[&str] = &["nearest_neighbor", "trilinear"];
pub(crate) const UPSAMPLING_COORDINATES: &[&str] = &["half_pixel", "align_corners", "asymmetric"];

/// Relay leaves it empty for `nn.space_to_depth`, and its documentation and its code spell it differently.
const SUB_PIXEL_MODES: &[&str] = &["DCR", "CRD", "CDR", ""];

pub const ROWS: &[Op] = &[
    Op {
        name: "nn.layer_norm",
        infix: None,
        args: &["data", "gamma", "beta"],
        attrs: &[
            AttrSpec::int("axis", -1),
            AttrSpec::float("epsilon", 1e-5),
            AttrSpec::flag("center", true),
            AttrSpec::flag("scale", true),
        ],
        relation: &LAYER_NORM,
        kernel: Kernel::planned(layer_norm),
        doc: "
Brings the elements along `axis` to mean 0 and variance 1, times gamma plus beta, both vectors along that axis.
```relay
def @f(%x: Tensor[(2, 128, 768), float32], %gamma, %beta) { nn.layer_norm(%x, %gamma, %beta) }
#                                                           ^? Tensor[(2, 128, 768), float32]
```
",
    },
    Op {
        name: "nn.group_norm",
        infix: None,
        args: &["data", "gamma", "beta"],
        attrs: &[
            AttrSpec::int("num_groups", 0),
            AttrSpec::int("axis", 1),
            AttrSpec::float("epsilon", 1e-5),
            AttrSpec::flag("center", true),
            AttrSpec::flag("scale", true),
        ],
        relation: &GROUP_NORM,
        kernel: Kernel::Whole(group_norm),
        doc: "
As `nn.layer_norm`, over groups of neighbouring channels together with all axes behind them.
```relay
def @f(%x: Tensor[(2, 8, 4, 5), float32], %gamma, %beta) { nn.group_norm(%x, %gamma, %beta, num_groups=4) }
#                                                          ^? Tensor[(2, 8, 4, 5), float32]
```
",
    },
    Op {
        name: "nn.instance_norm",
        infix: None,
        args: &["data", "gamma", "beta"],
        attrs: &[
            AttrSpec::int("axis", 1),
            AttrSpec::float("epsilon", 1e-5),
            AttrSpec::flag("center", true),
            AttrSpec::flag("scale", true),
        ],
        relation: &INSTANCE_NORM,
        kernel: Kernel::Whole(instance_norm),
        doc: "
As `nn.layer_norm`, over all axes but the batch and `axis`: every image and channel by itself.
```relay
def @f(%x: Tensor[(2, 3, 4, 5), float32], %gamma, %beta) { nn.instance_norm(%x, %gamma, %beta) }
#                                                          ^? Tensor[(2, 3, 4, 5), float32]
```
",
    },
    Op {
        name: "nn.l2_normalize",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::required("eps", AttrForm::Float), AttrSpec::required("axis", AttrForm::Ints)],
        relation: &IDENTITY,
        kernel: Kernel::Whole(l2_normalize),
        doc: "
Divides by the root of the sum of squares along the axes, or by that of `eps` where the sum is less.
```relay
nn.l2_normalize([[3f, 4f], [0f, 0.5f]], eps=1f, axis=[1])
#=> [[0.6f, 0.8f], [0f, 0.5f]]
```
",
    },
    Op {
        name: "nn.lrn",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::int("size", 5),
            AttrSpec::int("axis", 1),
            AttrSpec::float("bias", 2.0),
            AttrSpec::float("alpha", 0.0001),
            AttrSpec::float("beta", 0.75),
        ],
        relation: &IDENTITY,
        kernel: Kernel::Whole(lrn),
        doc: "
Divides every element by (bias + alpha / size · the sum of squares of `size` neighbours along `axis`) to the power
beta.
```relay
def @f(%x: Tensor[(1, 64, 28, 28), float32]) { nn.lrn(%x) }
#                                              ^? Tensor[(1, 64, 28, 28), float32]
```
",
    },
    Op {
        name: "nn.leaky_relu",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::float("alpha", 0.25)],
        relation: &IDENTITY,
        kernel: Kernel::Whole(leaky_relu),
        doc: "
`alpha` times the negative elements, the others as they are. Of integers it is what of `alpha` is one.
```relay
nn.leaky_relu([-4f, 3f])
#=> [-1f, 3f]
```
",
    },
    Op {
        name: "nn.fast_softmax",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int("axis", -1)],
        relation: &SOFTMAX,
        kernel: Kernel::planned(softmax),
        doc: "
As `nn.softmax`. Relay computes it with an approximation of exp; here it is the same.
```relay
nn.fast_softmax([[0f, 0f], [1f, 3f]])
#=> [[0.5f, 0.5f], [0.11920291f, 0.880797f]]
```
",
    },
    Op {
        name: "nn.cross_entropy",
        infix: None,
        args: &["x", "y"],
        attrs: &[],
        relation: &CROSS_ENTROPY,
        kernel: Kernel::Whole(cross_entropy),
        doc: "
The mean over the rows of -Σ y · log x, where x are predicted probabilities and y the true ones.
```relay
def @f(%x: Tensor[(4, 10), float32], %y: Tensor[(4, 10), float32]) { nn.cross_entropy(%x, %y) }
#                                                                    ^? float32
```
",
    },
    Op {
        name: "nn.cross_entropy_with_logits",
        infix: None,
        args: &["x", "y"],
        attrs: &[],
        relation: &CROSS_ENTROPY,
        kernel: Kernel::Whole(cross_entropy_with_logits),
        doc: "
As `nn.cross_entropy`, with the logarithms of the predictions.
```relay
def @f(%x: Tensor[(4, 10), float32], %y: Tensor[(4, 10), float32]) { nn.cross_entropy_with_logits(%x, %y) }
#                                                                    ^? float32
```
",
    },
    Op {
        name: "nn.nll_loss",
        infix: None,
        args: &["predictions", "targets", "weights"],
        attrs: &[
            AttrSpec::word("reduction", &["mean", "sum", "none"]),
            AttrSpec::required("ignore_index", AttrForm::Int),
        ],
        relation: &NLL_LOSS,
        kernel: Kernel::Whole(nll_loss),
        doc: "
Minus the prediction of each target class times the class's weight. Targets of `ignore_index` count for nothing;
with `reduction=\"none\"` the losses are not summed up.
```relay
def @f(%p: Tensor[(10, 5), float32], %t: Tensor[(10), int32], %w: Tensor[(5), float32]) {
  nn.nll_loss(%p, %t, %w, ignore_index=-100)
# ^? float32
}
```
",
    },
    Op {
        name: "nn.pad",
        infix: None,
        args: &["data", "pad_val"],
        attrs: &[
            AttrSpec::required("pad_width", AttrForm::Any),
            AttrSpec::word("pad_mode", &["constant", "edge", "reflect"]),
        ],
        relation: &PAD,
        kernel: Kernel::Whole(pad),
        doc: "
Puts elements before and after those of each axis: copies of `pad_val`, of the edge, or the data mirrored. Negative
widths cut elements off.
```relay
nn.pad([1, 2, 3], 0, pad_width=[[1, 2]])
#=> [0, 1, 2, 3, 0, 0]
nn.pad([1, 2, 3], 0, pad_width=[[2, -1]], pad_mode=\"reflect\")
#=> [3, 2, 1, 2]
```
",
    },
    Op {
        name: "nn.mirror_pad",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::word("mode", &["SYMMETRIC", "REFLECT"]), AttrSpec::required("pad_width", AttrForm::Any)],
        relation: &MIRROR_PAD,
        kernel: Kernel::Whole(mirror_pad),
        doc: "
Puts the data mirrored around itself, with the edge repeated (`SYMMETRIC`) or not (`REFLECT`).
```relay
nn.mirror_pad([1, 2, 3], pad_width=[[2, 1]])
#=> [2, 1, 1, 2, 3, 3]
```
",
    },
    Op {
        name: "nn.upsampling",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::required("scale_h", AttrForm::Float),
            AttrSpec::required("scale_w", AttrForm::Float),
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::word("method", UPSAMPLINGS),
            AttrSpec::flag("align_corners", false),
        ],
        relation: &UPSAMPLING,
        kernel: Kernel::Whole(upsampling),
        doc: "
Enlarges height and width by two factors.
```relay
def @f(%x: Tensor[(1, 4, 10, 21), float32]) { nn.upsampling(%x, scale_h=2f, scale_w=1.5f) }
#                                             ^? Tensor[(1, 4, 20, 32), float32]
```
",
    },
    Op {
        name: "nn.upsampling3d",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::required("scale_d", AttrForm::Float),
            AttrSpec::required("scale_h", AttrForm::Float),
            AttrSpec::required("scale_w", AttrForm::Float),
            AttrSpec::str("layout", "NCDHW"),
            AttrSpec::word("method", UPSAMPLINGS_3D),
            AttrSpec::word("coordinate_transformation_mode", UPSAMPLING_COORDINATES),
        ],
        relation: &UPSAMPLING3D,
        kernel: Kernel::Whole(upsampling3d),
        doc: "
Enlarges depth, height and width by three factors.
```relay
def @f(%x: Tensor[(1, 4, 8, 8, 8), float32]) { nn.upsampling3d(%x, scale_d=1f, scale_h=2f, scale_w=2f) }
#                                              ^? Tensor[(1, 4, 8, 16, 16), float32]
```
",
    },
    Op {
        name: "nn.depth_to_space",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::int("block_size", 1),
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::word("mode", SUB_PIXEL_MODES),
        ],
        relation: &DEPTH_TO_SPACE,
        kernel: Kernel::planned(depth_to_space),
        doc: "
Spreads the channels of each place over a square of `block_size` by `block_size` places.
```relay
def @f(%x: Tensor[(1, 16, 4, 4), float32]) { nn.depth_to_space(%x, block_size=2) }
#                                            ^? Tensor[(1, 4, 8, 8), float32]
```
",
    },
    Op {
        name: "nn.space_to_depth",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::int("block_size", 1),
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::word("mode", SUB_PIXEL_MODES),
        ],
        relation: &SPACE_TO_DEPTH,
        kernel: Kernel::planned(space_to_depth),
        doc: "
Gathers squares of `block_size` by `block_size` places as channels of one.
```relay
def @f(%x: Tensor[(1, 8, 8, 4), float32]) { nn.space_to_depth(%x, block_size=2, layout=\"NHWC\") }
#                                           ^? Tensor[(1, 4, 4, 16), float32]
```
",
    },
    Op {
        name: "nn.space_to_batch_nd",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::ints("block_shape", &[1, 1]),
            AttrSpec::required("paddings", AttrForm::Any),
            AttrSpec::float("pad_value", 0.0),
        ],
        relation: &SPACE_TO_BATCH_ND,
        kernel: Kernel::Whole(space_to_batch_nd),
        doc: "
Pads the axes behind the first and deals their blocks out to the batch: element i of every block goes to copy i.
```relay
nn.space_to_batch_nd([[[[1f], [2f]], [[3f], [4f]]]], block_shape=[2, 2], paddings=[[0, 0], [0, 0]])
#=> [[[[1f]]], [[[2f]]], [[[3f]]], [[[4f]]]]
```
",
    },
    Op {
        name: "nn.batch_to_space_nd",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::ints("block_shape", &[1, 1]), AttrSpec::required("crops", AttrForm::Any)],
        relation: &BATCH_TO_SPACE_ND,
        kernel: Kernel::Whole(batch_to_space_nd),
        doc: "
The inverse of `nn.space_to_batch_nd`, which then cuts elements off the ends.
```relay
nn.batch_to_space_nd([[[[1f]]], [[[2f]]], [[[3f]]], [[[4f]]]], block_shape=[2, 2], crops=[[0, 0], [1, 0]])
#=> [[[[2f]], [[4f]]]]
```
",
    },
    Op {
        name: "nn.dilate",
        infix: None,
        args: &["x"],
        attrs: &[AttrSpec::ints("strides", &[1, 1]), AttrSpec::float("dilation_value", 0.0)],
        relation: &DILATE,
        kernel: Kernel::Whole(dilate),
        doc: "
Moves the elements `strides` apart, with `dilation_value` between them.
```relay
def @f(%x: Tensor[(3, 4), float32]) { nn.dilate(%x, strides=[1, 2]) }
#                                     ^? Tensor[(3, 7), float32]
```
",
    },
    Op {
        name: "nn.fifo_buffer",
        infix: None,
        args: &["data", "buffer"],
        attrs: &[AttrSpec::int("axis", 0)],
        relation: &FIFO_BUFFER,
        kernel: Kernel::Whole(fifo_buffer),
        doc: "
The buffer with the data appended along `axis`, and as much dropped at its beginning.
```relay
nn.fifo_buffer([[5, 6]], [[1, 2, 3, 4]], axis=1)
#=> [[3, 4, 5, 6]]
```
",
    },
    Op {
        name: "nn.matmul",
        infix: None,
        args: &["tensor_a", "tensor_b"],
        attrs: &[
            AttrSpec::int_or_none("units"),
            AttrSpec::dtype("out_dtype"),
            AttrSpec::flag("transpose_a", false),
            AttrSpec::flag("transpose_b", false),
        ],
        relation: &MATMUL,
        kernel: Kernel::Whole(matmul),
        doc: "
Matrix product `[…, m, k] × [k, n] → [m, n]`, either operand transposed by its flag. With `units` the second operand's
type follows from the first's.
```relay
def @f(%a: Tensor[(8, 4), float32], %b: Tensor[(8, 16), float32]) { nn.matmul(%a, %b, transpose_a=True) }
#                                                                   ^? Tensor[(4, 16), float32]
```
",
    },
    Op {
        name: "nn.contrib_dense_pack",
        infix: None,
        args: &["data", "weight"],
        attrs: &[AttrSpec::int_or_none("units"), AttrSpec::dtype("out_dtype"), AttrSpec::str("weight_layout", "NC")],
        relation: &DENSE_PACK,
        kernel: Kernel::Whole(dense_pack),
        doc: "
`nn.dense` with a weight whose units stand in blocks: `(units / block, k, block)`.
```relay
nn.contrib_dense_pack([[1f, 2f]], [[[1f, 10f], [100f, 1000f]]], weight_layout=\"NC2n\")
#=> [[201f, 2010f]]
```
",
    },
    Op {
        name: "nn.bitserial_dense",
        infix: None,
        args: &["data", "weight"],
        attrs: &[
            AttrSpec::required("units", AttrForm::Int),
            AttrSpec::int("data_bits", 1),
            AttrSpec::int("weight_bits", 1),
            AttrSpec::dtype("pack_dtype"),
            AttrSpec::dtype("out_dtype"),
            AttrSpec::flag("unipolar", true),
        ],
        relation: &BINARY_DENSE,
        kernel: Kernel::Whole(bitserial_dense),
        doc: "
`nn.dense` for numbers of a few bits each, computed bit by bit.
```relay
nn.bitserial_dense([[3i16, 1i16]], [[1i16, 2i16]], units=1, data_bits=2, weight_bits=2, unipolar=False)
#=> [[5i16]]
```
",
    },
    Op {
        name: "nn.bitpack",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::int("bits", 1),
            AttrSpec::int("pack_axis", 1),
            AttrSpec::int("bit_axis", -1),
            AttrSpec::dtype("pack_type"),
            AttrSpec::str("name", "BitPack"),
        ],
        relation: &BIT_PACK,
        kernel: Kernel::Whole(bitpack),
        doc: "
Packs the bits of the elements along `pack_axis` into integers of `pack_type`; the new axis `bit_axis` counts the bits
of an element.
```relay
def @f(%x: Tensor[(1, 64, 8, 8), int16]) { nn.bitpack(%x, bits=2, bit_axis=2, pack_type=\"uint32\") }
#                                          ^? Tensor[(1, 2, 2, 8, 8), uint32]
```
",
    },
    Op {
        name: "nn.sparse_dense",
        infix: None,
        args: &["dense_data", "sparse_data", "sparse_indices", "sparse_indptr"],
        attrs: &[AttrSpec::flag("sparse_lhs", false)],
        relation: &SPARSE_DENSE,
        kernel: Kernel::Whole(sparse_dense),
        doc: "
The data times a transposed sparse matrix: its elements or blocks, their columns, and where each row begins.
```relay
nn.sparse_dense([[1f, 2f, 3f]], [10f, 100f, 5f], [0, 2, 1], [0, 2, 3])
#=> [[310f, 10f]]
```
",
    },
    Op {
        name: "nn.internal.sparse_dense_padded",
        infix: None,
        args: &["data", "weight_data", "weight_indices", "weight_indptr"],
        attrs: &[AttrSpec::flag("sparse_lhs", false)],
        relation: &SPARSE_DENSE,
        kernel: Kernel::Whole(sparse_dense),
        doc: "
As `nn.sparse_dense`, on a sparse matrix that is padded to whole blocks.
```relay
nn.internal.sparse_dense_padded([[1f, 2f]], [[[1f, 10f], [100f, 1000f]]], [0], [0, 1])
#=> [[21f, 2100f]]
```
",
    },
    Op {
        name: "nn.sparse_add",
        infix: None,
        args: &["dense_data", "sparse_data", "sparse_indices", "sparse_indptr"],
        attrs: &[],
        relation: &SPARSE_ADD,
        kernel: Kernel::Whole(sparse_add),
        doc: "
The sum of a dense and a sparse matrix.
```relay
def @f(%x: Tensor[(16, 8), float32], %d: Tensor[(20), float32], %i: Tensor[(20), int32], %p: Tensor[(17), int32]) {
  nn.sparse_add(%x, %d, %i, %p)
# ^? Tensor[(16, 8), float32]
}
```
",
    },
    Op {
        name: "nn.sparse_transpose",
        infix: None,
        args: &["sparse_data", "sparse_indices", "sparse_indptr"],
        attrs: &[],
        relation: &SPARSE_TRANSPOSE,
        kernel: Kernel::Whole(sparse_transpose),
        doc: "
The transpose of a sparse square matrix, in its three parts.
```relay
def @f(%d: Tensor[(20), float32], %i: Tensor[(20), int32], %p: Tensor[(17), int32]) {
  nn.sparse_transpose(%d, %i, %p)
# ^? (Tensor[(20), float32], Tensor[(20), int32], Tensor[(17), int32])
}
```
",
    },
    Op {
        name: "nn.sparse_conv2d",
        infix: None,
        args: &["dense_data", "sparse_data", "sparse_indices", "sparse_indptr"],
        attrs: &[AttrSpec::word("layout", &["NHWC", "NCHW"]), AttrSpec::ints("kernel_size", &[1, 1])],
        relation: &SPARSE_CONV2D,
        kernel: Kernel::Whole(sparse_conv2d),
        doc: "
Convolution with a sparse weight in blocks, which keeps height and width.
```relay
nn.sparse_conv2d([[[[1f, 2f]], [[3f, 4f]]]], [[[1f, 10f]], [[100f, 1000f]]], [0, 0], [0, 1, 2])
#=> [[[[21f, 2100f]], [[43f, 4300f]]]]
```
",
    },
];
