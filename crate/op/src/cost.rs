//! How many operations on numbers a call makes, by its types.
//!
//! A product, a sum, a comparison and a call of a function such as `exp` are one each. What only moves elements makes
//! none. The numbers are those of the operator's formula, not of the body that computes it: a matrix product of
//! `[m, k]` and `[k, n]` makes `2·m·k·n`, however its loops are arranged. Operators that are in no list below have
//! costs that depend on values, and none is given.
//!
//! Worked example: `nn.conv2d` of `(1, 8, 10, 10)` by `(16, 8, 3, 3)` to `(1, 16, 8, 8)` makes, for each of 1024
//! results, 8·3·3 products and as many sums: 2·1024·72 = 147,456.

use crate::OpId;
use crate::row::Op;
use crate::rule::misc::einsum_labels;
use crate::run::{Kernel, ResultType};
use base::ToList;
use ty::Attrs;

/// A formula over the sizes of operands and result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// This many for each element of the result.
    Result(u64),
    /// This many for each element of the first operand.
    Operand(u64),
    /// A sum of products along the last axis of the first operand, or along the one before where the attribute says
    /// that it is transposed: two for each element of the result and of that axis.
    Product { transposed: &'static str },
    /// For each element of the result a product and a sum for each weight of its channel: 2 · results · weights /
    /// channels of the result. Groups are in the shape of the weights.
    Conv,
    /// The same the other way round, for each element of the data: 2 · data · weights / channels of the data.
    ConvTransposed,
    /// One for each element of the result and of the window, whose sizes are an attribute.
    Window,
}

/// Of those that are not elementwise by their kernel, where the first column is the formula.
#[rustfmt::skip]
pub const COSTS: &[(Cost, &[&str])] = &[
    (Cost::Result(1), &[
        "nn.bias_add", "nn.prelu", "nn.leaky_relu", "clip", "cast", "cast_like", "where", "arange", "cumsum", "cumprod",
        "fixed_point_multiply", "fixed_point_multiply_per_axis", "nn.upsampling", "nn.upsampling3d", "one_hot",
        "qnn.quantize", "qnn.dequantize", "qnn.requantize", "qnn.simulated_quantize", "qnn.simulated_dequantize",
        "qnn.add", "qnn.subtract", "qnn.mul", "qnn.abs", "qnn.erf", "qnn.exp", "qnn.hardswish", "qnn.log", "qnn.rsqrt",
        "qnn.sigmoid", "qnn.sqrt", "qnn.tanh", "qnn.leaky_relu",
    ]),
    // What was learnt is one factor and one term by then.
    (Cost::Result(2), &["nn.batch_norm"]),
    (Cost::Operand(1), &[
        "all", "any", "max", "min", "sum", "prod", "mean", "argmax", "argmin", "nn.global_avg_pool2d",
        "nn.global_max_pool2d", "nn.adaptive_avg_pool1d", "nn.adaptive_avg_pool2d", "nn.adaptive_avg_pool3d",
        "nn.adaptive_max_pool1d", "nn.adaptive_max_pool2d", "nn.adaptive_max_pool3d", "collapse_sum_like",
        "collapse_sum_to",
    ]),
    // Each less the mean, its square, the sum.
    (Cost::Operand(3), &["variance", "nn.l2_normalize"]),
    // The largest, the difference, the power, the sum, the quotient.
    (Cost::Operand(5), &["nn.softmax", "nn.fast_softmax", "nn.log_softmax", "qnn.softmax"]),
    // Mean and variance, then a difference, a factor, a scale and a shift.
    (Cost::Operand(8), &["nn.layer_norm", "nn.group_norm", "nn.instance_norm"]),
    (Cost::Product { transposed: "transpose_a" }, &["nn.matmul", "nn.batch_matmul", "qnn.batch_matmul"]),
    (Cost::Product { transposed: "" }, &["nn.dense", "qnn.dense", "nn.contrib_dense_pack", "qnn.contrib_dense_pack"]),
    (Cost::Conv, &[
        "nn.conv1d", "nn.conv2d", "nn.conv3d", "nn.contrib_conv2d_NCHWc", "nn.contrib_depthwise_conv2d_NCHWc",
        "nn.deformable_conv2d", "qnn.conv2d",
    ]),
    (Cost::ConvTransposed, &[
        "nn.conv1d_transpose", "nn.conv2d_transpose", "nn.conv3d_transpose", "qnn.conv2d_transpose",
    ]),
    (Cost::Window, &[
        "nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d", "nn.avg_pool1d", "nn.avg_pool2d", "nn.avg_pool3d",
        "qnn.avg_pool2d",
    ]),
    (Cost::Result(0), MOVES),
];

/// What makes, moves and names elements, and computes with none.
#[rustfmt::skip]
const MOVES: &[&str] = &[
    "zeros", "ones", "full", "full_like", "zeros_like", "ones_like", "copy", "reshape", "transpose", "concatenate",
    "split", "squeeze", "expand_dims", "broadcast_to", "broadcast_to_like", "nn.batch_flatten", "reinterpret",
    "shape_of", "vm.shape_of", "ndarray_size", "vm.reshape_tensor", "dyn.broadcast_to", "dyn.expand_dims", "dyn.full",
    "dyn.nn.pad", "dyn.one_hot", "dyn.ones", "dyn.zeros", "dyn.reshape", "dyn.squeeze", "dyn.strided_slice", "dyn.tile",
    "adv_index", "gather", "gather_nd", "take", "slice_like", "strided_slice", "strided_set", "nn.pad", "nn.mirror_pad",
    "nn.depth_to_space", "nn.space_to_depth", "nn.space_to_batch_nd", "nn.batch_to_space_nd", "nn.dilate",
    "nn.fifo_buffer", "nn.dropout", "contrib_reverse_reshape", "reshape_like", "reverse", "reverse_sequence", "repeat",
    "tile", "stack", "meshgrid", "layout_transform", "auto_scheduler_layout_transform", "sliding_window",
    "matrix_set_diag", "sequence_mask", "trilu", "qnn.concatenate", "vision.yolo_reorg", "annotation.stop_fusion",
    "annotation.checkpoint", "annotation.compiler_begin", "annotation.compiler_end", "annotation.bitpack_start",
    "annotation.bitpack_end", "annotation.cast_hint", "debug", "device_copy", "on_device",
];

/// The operations of one call; `None` where the types do not say. Of an operand or result that is a tuple there is no
/// type; if it is the only operand, its fields may stand for it.
pub fn flops(op: OpId, attrs: &Attrs, operands: &[Option<&ResultType>], result: Option<&ResultType>) -> Option<u64> {
    let row = op.row();
    if row.name == "einsum" {
        return products_of_all(attrs.str("equation"), &operands.iter().copied().some_list()?, result?);
    }
    let (data, weight) = (operands.first().copied().flatten(), operands.get(1).copied().flatten());
    Some(match cost_of(row)? {
        Cost::Result(0) => 0,
        Cost::Result(each) => result?.n_elements().saturating_mul(each),
        Cost::Operand(each) => data?.n_elements().saturating_mul(each),
        Cost::Product { transposed } => {
            let shape = &data?.shape;
            let from_end = if attrs.flag(transposed) { 2 } else { 1 };
            let k = *shape.get(shape.len().checked_sub(from_end)?)? as u64;
            // A packed weight splits the result's axes; the number of elements is the same.
            result?.n_elements().saturating_mul(2).saturating_mul(k)
        }
        Cost::Conv => {
            let layout = [attrs.str("out_layout"), attrs.str("data_layout")];
            products(result?, weight?, channels(result?, layout.into_iter().find(|text| !text.is_empty())?)?)
        }
        Cost::ConvTransposed => products(data?, weight?, channels(data?, attrs.str("data_layout"))?),
        Cost::Window => {
            let sizes = attrs.ints("pool_size")?;
            sizes.iter().fold(result?.n_elements(), |all, &size| all.saturating_mul(size.max(0) as u64))
        }
    })
}

/// Whether a call reads no more of its first operand than it gives.
pub fn reads_part(op: OpId) -> bool {
    matches!(op.row().name, "take" | "gather" | "gather_nd" | "strided_slice" | "dyn.strided_slice" | "slice_like")
}

fn cost_of(row: &Op) -> Option<Cost> {
    let listed = COSTS.iter().find(|(_, names)| names.contains(&row.name)).map(|(cost, _)| *cost);
    listed.or(match row.kernel {
        Kernel::Map1 { .. } | Kernel::Bits(_) | Kernel::Map2 { .. } | Kernel::Compare { .. } | Kernel::Test(_) => {
            Some(Cost::Result(1))
        }
        Kernel::Missing | Kernel::Argument | Kernel::Whole(_) | Kernel::Planned(_) => None,
    })
}

/// Of `einsum`: for each way to give every label an index, the product of an element of each tensor, and a sum if a
/// label is not kept.
fn products_of_all(equation: &str, tensors: &[&ResultType], result: &ResultType) -> Option<u64> {
    let n_terms = 1 + equation.bytes().count_where(|byte| *byte == b',');
    (n_terms == tensors.len()).then_some(())?;
    let ranks: Vec<usize> = tensors.iter().map(|of| of.shape.len()).list();
    let (terms, _) = einsum_labels(equation, &ranks)?;
    let mut seen = Vec::new();
    let mut n_ways = 1_u64;
    for (term, of) in terms.iter().zip(tensors) {
        for (label, &size) in term.iter().zip(&of.shape) {
            // An axis of one element is repeated where another tensor has more.
            if size != 1 && !seen.contains(&label) {
                seen.push(label);
                n_ways = n_ways.saturating_mul(size as u64);
            }
        }
    }
    let is_summed = n_ways > result.n_elements();
    Some(n_ways.saturating_mul(n_terms as u64 - 1 + u64::from(is_summed)))
}

/// Two for each element of `each` and each of its channel's weights.
fn products(each: &ResultType, weight: &ResultType, n_channels: u64) -> u64 {
    let products = u128::from(each.n_elements()) * 2 * u128::from(weight.n_elements()) / u128::from(n_channels.max(1));
    u64::try_from(products).unwrap_or(u64::MAX)
}

/// The sizes of the axes `C` and `c` of a layout such as `NCHW` or `NCHW4c`.
fn channels(of: &ResultType, layout: &str) -> Option<u64> {
    let axes = layout.chars().filter(|axis| axis.is_ascii_alphabetic());
    let sizes = axes.zip(&of.shape).filter(|(axis, _)| axis.eq_ignore_ascii_case(&'c'));
    let mut n = None;
    for (_, &size) in sizes {
        n = Some(n.unwrap_or(1_u64).saturating_mul(size as u64));
    }
    n
}

#[cfg(test)]
mod tests {
    use super::{COSTS, Cost, flops};
    use crate::run::ResultType;
    use crate::{all, by_name as find};
    use ty::{AttrValue, Attrs, Dtype};

    fn of(shape: &[usize]) -> ResultType {
        ResultType { shape: shape.to_vec(), dtype: Dtype::Float32 }
    }

    /// Attributes that are given instead of the row's defaults.
    fn cost(name: &str, given: &[(&'static str, AttrValue)], operands: &[&[usize]], result: &[usize]) -> Option<u64> {
        let op = find(name).expect("an operator");
        let mut attrs: Attrs = op.row().default_attrs();
        for (key, value) in given {
            let entry = attrs.entries.iter_mut().find(|(name, _)| name == key).expect("an attribute");
            entry.1 = value.clone();
        }
        let operands: Vec<ResultType> = operands.iter().map(|shape| of(shape)).collect();
        let operands: Vec<Option<&ResultType>> = operands.iter().map(Some).collect();
        flops(op, &attrs, &operands, Some(&of(result)))
    }

    #[test]
    fn costs_are_those_of_the_formulas() {
        assert_eq!(cost("add", &[], &[&[3, 1], &[4]], &[3, 4]), Some(12));
        assert_eq!(cost("sum", &[], &[&[3, 4]], &[3]), Some(12));
        assert_eq!(cost("nn.dense", &[], &[&[5, 7], &[3, 7]], &[5, 3]), Some(2 * 5 * 7 * 3));
        let transposed = [("transpose_a", AttrValue::Bool(true))];
        assert_eq!(cost("nn.matmul", &transposed, &[&[7, 5], &[7, 3]], &[5, 3]), Some(2 * 5 * 7 * 3));
        let conv = &[("kernel_layout", AttrValue::Str("OIHW".into()))];
        assert_eq!(cost("nn.conv2d", conv, &[&[1, 8, 10, 10], &[16, 8, 3, 3]], &[1, 16, 8, 8]), Some(147_456));
        // Depthwise: each result is a sum of the nine products of its own channel.
        assert_eq!(cost("nn.conv2d", conv, &[&[1, 8, 10, 10], &[8, 1, 3, 3]], &[1, 8, 8, 8]), Some(2 * 512 * 9));
        let last = &[("data_layout", AttrValue::Str("NHWC".into()))];
        assert_eq!(cost("nn.conv2d", last, &[&[1, 9, 9, 4], &[3, 3, 4, 6]], &[1, 7, 7, 6]), Some(2 * 49 * 6 * 36));
        let pool = &[("pool_size", AttrValue::List([AttrValue::Int(2), AttrValue::Int(3)].into()))];
        assert_eq!(cost("nn.max_pool2d", pool, &[&[1, 1, 4, 6]], &[1, 1, 2, 2]), Some(4 * 6));
        assert_eq!(cost("transpose", &[], &[&[3, 4]], &[4, 3]), Some(0));
        let turned = [("equation", AttrValue::Str("ab...->ba...".into()))];
        assert_eq!(cost("einsum", &turned, &[&[3, 4, 5]], &[4, 3, 5]), Some(0));
        let einsum = |equation: &str, tensors: &[&[usize]], result: &[usize]| {
            cost("einsum", &[("equation", AttrValue::Str(equation.into()))], tensors, result)
        };
        assert_eq!(einsum("bij,bjk->bik", &[&[2, 3, 4], &[2, 4, 5]], &[2, 3, 5]), Some(2 * 2 * 3 * 4 * 5));
        // An axis of one element is repeated, and what is only multiplied is not added up.
        assert_eq!(einsum("bij,bjk->bik", &[&[1, 3, 4], &[2, 4, 1]], &[2, 3, 1]), Some(2 * 2 * 3 * 4));
        assert_eq!(einsum("i,j->ij", &[&[3], &[4]], &[3, 4]), Some(12));
        assert_eq!(einsum("i,i,i->", &[&[7], &[7], &[7]], &[]), Some(3 * 7));
        assert_eq!(einsum("ii->i", &[&[4, 4]], &[4]), Some(0));
        assert_eq!(einsum("ij->", &[&[3, 4]], &[]), Some(12));
        assert_eq!(einsum("ij,jk->ik", &[&[3, 4]], &[3, 5]), None);
        assert_eq!(cost("argwhere", &[], &[&[3, 4]], &[4, 2]), None);
        // Sizes whose product no number holds.
        assert_eq!(cost("exp", &[], &[&[1 << 62, 1 << 62]], &[1 << 62, 1 << 62]), Some(u64::MAX / 4));
    }

    #[test]
    fn costs_are_of_operators_and_each_has_one() {
        let mut seen = Vec::new();
        for (_, names) in COSTS {
            for name in *names {
                assert!(find(name).is_some(), "{name} is no operator");
                assert!(!seen.contains(name), "{name} is there twice");
                seen.push(name);
            }
        }
        assert!(all().len() > seen.len());
        assert!(COSTS.iter().any(|(cost, _)| *cost == Cost::Conv));
    }
}
