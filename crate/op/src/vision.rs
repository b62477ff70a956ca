//! Object detection: anchor boxes, regions, suppression of boxes that overlap.

mod anchors;
mod regions;
mod suppress;

use crate::places::{moved, zero};
use crate::rule::vision::{
    ALL_CLASS_NMS, GET_VALID_COUNT, MULTIBOX_PRIOR, MULTIBOX_TRANSFORM_LOC, NMS, PROPOSAL, ROI_ALIGN, ROI_POOL,
    YOLO_REORG,
};
use crate::run::{Call, Fault, Kernel};
use crate::{AttrForm, AttrSpec, Op};
use anchors::{multibox_prior_of, multibox_transform_loc_of, proposal_of};
use kernel::index::places;
use kernel::strided::row_major;
use regions::{roi_align_of, roi_pool_of};
use suppress::{all_class_non_max_suppression_of, get_valid_counts_of, non_max_suppression_of};
use ty::Value;

/// The squares of `s` by `s` places, where the data is read as `c / s²` channels of `h · s` by `w · s`; what is read
/// then fills the result in order. So has Darknet, where this comes from, laid its channels out, and Relay after it.
fn yolo_reorg_of(call: &Call) -> Result<Value, Fault> {
    let x = call.tensor(0)?;
    let stride = call.attrs.int("stride").unwrap_or(1) as usize;
    let &[_, n_channels, height, width] = x.shape() else { return Err(Fault::ill_typed()) };
    let (strides, area) = (row_major(x.shape()), stride * stride);
    if !n_channels.is_multiple_of(area) {
        return Err(Fault::other("the channels are not a multiple of `stride` squared"));
    }
    let outer = n_channels / area;
    let places = places(x.shape(), &mut |index| {
        let (part, channel) = (index[1] / outer, index[1] % outer);
        let (y, x) = (index[2] * stride + part / stride, index[3] * stride + part % stride);
        index[0] * strides[0] + (channel * height * stride + y) * width * stride + x
    });
    let elements = x.elements();
    call.one(moved(&elements, &places, zero(&elements)))
}

pub const ROWS: &[Op] = &[
    Op {
        name: "vision.all_class_non_max_suppression",
        infix: None,
        args: &["boxes", "scores", "max_output_boxes_per_class", "iou_threshold", "score_threshold"],
        attrs: &[AttrSpec::word("output_format", &["onnx", "tensorflow"])],
        relation: &ALL_CLASS_NMS,
        kernel: Kernel::Whole(all_class_non_max_suppression_of),
        doc: "
For every class by itself, the best boxes that do not overlap: for ONNX their batch, class and index, and how many of
the rows count; for TensorFlow class and index, scores and counts, by batch.
```relay
def @f(%b: Tensor[(1, 100, 4), float32], %s: Tensor[(1, 20, 100), float32]) {
  vision.all_class_non_max_suppression(%b, %s, 10i64, 0.5f, 0f)
# ^? (Tensor[(2000, 3), int64], Tensor[(1), int64])
}
vision.all_class_non_max_suppression([[[0f, 0f, 1f, 1f], [0f, 0f, 1f, 1f]]], [[[0.5f, 0.75f]]], 2i64, 0.5f, 0f)
#=> ([[0i64, 0i64, 1i64], [-1i64, -1i64, -1i64]], [1i64])
```
",
    },
    Op {
        name: "vision.get_valid_counts",
        infix: None,
        args: &["data", "score_threshold"],
        attrs: &[
            AttrSpec::float_or_none("score_threshold"),
            AttrSpec::int("id_index", 0),
            AttrSpec::int("score_index", 1),
        ],
        relation: &GET_VALID_COUNT,
        kernel: Kernel::Whole(get_valid_counts_of),
        doc: "
Brings the boxes with a score above the threshold to the front: their count, the boxes, their old indices.
```relay
def @f(%x: Tensor[(1, 100, 6), float32]) {
  vision.get_valid_counts(%x, 0.5f)
# ^? (Tensor[(1), int32], Tensor[(1, 100, 6), float32], Tensor[(1, 100), int32])
}
vision.get_valid_counts([[[0f, 0.25f], [0f, 0.75f]]], 0.5f)
#=> ([1], [[[0f, 0.75f], [-1f, -1f]]], [[1, -1]])
```
",
    },
    Op {
        name: "vision.non_max_suppression",
        infix: None,
        args: &["data", "valid_count", "indices", "max_output_size", "iou_threshold"],
        attrs: &[
            AttrSpec::flag("force_suppress", false),
            AttrSpec::int("top_k", -1),
            AttrSpec::int("coord_start", 2),
            AttrSpec::int("score_index", 1),
            AttrSpec::int("id_index", 0),
            AttrSpec::flag("return_indices", true),
            AttrSpec::flag("invalid_to_bottom", false),
        ],
        relation: &NMS,
        kernel: Kernel::Whole(non_max_suppression_of),
        doc: "
The best boxes that do not overlap: their indices and counts, or with `return_indices=False` the data, the other
boxes set to -1.
```relay
def @f(%x: Tensor[(1, 100, 6), float32], %n: Tensor[(1), int32], %i: Tensor[(1, 100), int32]) {
  vision.non_max_suppression(%x, %n, %i, -1, 0.5f)
# ^? (Tensor[(1, 100), int32], Tensor[(1, 1), int32])
}
vision.non_max_suppression([[[0f, 0.5f, 0f, 0f, 1f, 1f], [0f, 0.75f, 0f, 0f, 1f, 1f]]], [2], [[0, 1]], -1, 0.5f)
#=> ([[1, -1]], [[1]])
```
",
    },
    Op {
        name: "vision.multibox_prior",
        infix: None,
        args: &["data"],
        attrs: &[
            AttrSpec::floats("sizes", &[1.0]),
            AttrSpec::floats("ratios", &[1.0]),
            AttrSpec::floats("steps", &[-1.0, -1.0]),
            AttrSpec::floats("offsets", &[0.5, 0.5]),
            AttrSpec::flag("clip", false),
        ],
        relation: &MULTIBOX_PRIOR,
        kernel: Kernel::Whole(multibox_prior_of),
        doc: "
Anchor boxes of some sizes and ratios around every place of the data.
```relay
def @f(%x: Tensor[(1, 3, 16, 16), float32]) {
  vision.multibox_prior(%x, sizes=[0.2f, 0.3f], ratios=[1f, 2f, 0.5f])
# ^? Tensor[(1, 1024, 4), float32]
}
vision.multibox_prior([[[[0f]]]], sizes=[0.5f])
#=> [[[0.25f, 0.25f, 0.75f, 0.75f]]]
```
",
    },
    Op {
        name: "vision.multibox_transform_loc",
        infix: None,
        args: &["cls_prob", "loc_pred", "anchor"],
        attrs: &[
            AttrSpec::flag("clip", true),
            AttrSpec::float("threshold", 0.01),
            AttrSpec::floats("variances", &[0.1, 0.1, 0.2, 0.2]),
        ],
        relation: &MULTIBOX_TRANSFORM_LOC,
        kernel: Kernel::Whole(multibox_transform_loc_of),
        doc: "
Moves the anchors as predicted: for each its class, score and corners, those above the threshold first, and how many
there are.
```relay
def @f(%p: Tensor[(1, 21, 100), float32], %l: Tensor[(1, 400), float32], %a: Tensor[(1, 100, 4), float32]) {
  vision.multibox_transform_loc(%p, %l, %a)
# ^? (Tensor[(1, 100, 6), float32], Tensor[(1), int32])
}
vision.multibox_transform_loc([[[0.25f], [0.75f]]], [[0f, 0f, 0f, 0f]], [[[0f, 0f, 0.5f, 0.5f]]])
#=> ([[[0f, 0.75f, 0f, 0f, 0.5f, 0.5f]]], [1])
```
",
    },
    Op {
        name: "vision.roi_align",
        infix: None,
        args: &["data", "rois"],
        attrs: &[
            AttrSpec::required("pooled_size", AttrForm::Ints),
            AttrSpec::required("spatial_scale", AttrForm::Float),
            AttrSpec::int("sample_ratio", -1),
            AttrSpec::str("layout", "NCHW"),
            AttrSpec::str("mode", "avg"),
        ],
        relation: &ROI_ALIGN,
        kernel: Kernel::Whole(roi_align_of),
        doc: "
Pools each region (image, left, top, right, bottom) to `pooled_size`, from samples between the places.
```relay
def @f(%x: Tensor[(1, 4, 16, 16), float32], %rois: Tensor[(32, 5), float32]) {
  vision.roi_align(%x, %rois, pooled_size=[7, 7], spatial_scale=1f)
# ^? Tensor[(32, 4, 7, 7), float32]
}
vision.roi_align([[[[1f, 3f], [5f, 7f]]]], [[0f, 0f, 0f, 1f, 1f]], pooled_size=[1, 1], spatial_scale=1f)
#=> [[[[4f]]]]
```
",
    },
    Op {
        name: "vision.roi_pool",
        infix: None,
        args: &["data", "rois"],
        attrs: &[
            AttrSpec::required("pooled_size", AttrForm::Ints),
            AttrSpec::required("spatial_scale", AttrForm::Float),
            AttrSpec::word("layout", &["NCHW", "NHWC"]),
        ],
        relation: &ROI_POOL,
        kernel: Kernel::Whole(roi_pool_of),
        doc: "
Pools each region (image, left, top, right, bottom) to the maxima of `pooled_size` parts.
```relay
def @f(%x: Tensor[(1, 4, 16, 16), float32], %rois: Tensor[(32, 5), float32]) {
  vision.roi_pool(%x, %rois, pooled_size=[7, 7], spatial_scale=1f)
# ^? Tensor[(32, 4, 7, 7), float32]
}
vision.roi_pool([[[[1f, 3f], [5f, 7f]]]], [[0f, 0f, 0f, 1f, 1f]], pooled_size=[1, 1], spatial_scale=1f)
#=> [[[[7f]]]]
```
",
    },
    Op {
        name: "vision.proposal",
        infix: None,
        args: &["cls_prob", "bbox_pred", "im_info"],
        attrs: &[
            AttrSpec::floats("scales", &[4.0, 8.0, 16.0, 32.0]),
            AttrSpec::floats("ratios", &[0.5, 1.0, 2.0]),
            AttrSpec::int("feature_stride", 16),
            AttrSpec::float("threshold", 0.7),
            AttrSpec::int("rpn_pre_nms_top_n", 6000),
            AttrSpec::int("rpn_post_nms_top_n", 300),
            AttrSpec::int("rpn_min_size", 16),
            AttrSpec::flag("iou_loss", false),
        ],
        relation: &PROPOSAL,
        kernel: Kernel::Whole(proposal_of),
        doc: "
The regions of each image in which an object is likely: image, left, top, right, bottom.
```relay
def @f(%c: Tensor[(1, 24, 14, 14), float32], %b: Tensor[(1, 48, 14, 14), float32], %i: Tensor[(1, 3), float32]) {
  vision.proposal(%c, %b, %i)
# ^? Tensor[(300, 5), float32]
}
vision.proposal(
  [[[[0.25f]], [[0.75f]]]], [[[[0f]], [[0f]], [[0f]], [[0f]]]], [[16f, 16f, 1f]],
  scales=[1f], ratios=[1f], rpn_post_nms_top_n=2)
#=> [[0f, 0f, 0f, 15f, 15f], [0f, 0f, 0f, 15f, 15f]]
```
",
    },
    Op {
        name: "vision.yolo_reorg",
        infix: None,
        args: &["data"],
        attrs: &[AttrSpec::int("stride", 1)],
        relation: &YOLO_REORG,
        kernel: Kernel::Whole(yolo_reorg_of),
        doc: "
Gathers squares of `stride` by `stride` places as channels of one, in Darknet's order, which wants the channels to be a
multiple of `stride` squared.
```relay
def @f(%x: Tensor[(10, 4, 12, 6), float32]) { vision.yolo_reorg(%x, stride=3) }
#                                             ^? Tensor[(10, 36, 4, 2), float32]
squeeze(vision.yolo_reorg(
  reshape([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], newshape=[1, 4, 2, 2]),
  stride=2))
#=> [0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15]
```
",
    },
];
