//! Object detection: anchor boxes, regions of interest, suppression of boxes that overlap.

use super::dims::{equate, must_be, number};
use super::{all_tensors, attr_error, can_all_be_tensors, can_have_rank, expect_rank};
use ty::{AttrValue, Dtype, Facts, Relation, Step, Stop, TermId};

/// For each place one box less than there are sizes and ratios together.
pub static MULTIBOX_PRIOR: Relation = Relation { name: "MultiBoxPrior", n_outputs: 1, rule: multibox_prior };
/// `(n, classes, anchors)`, `(n, 4 · anchors)` and `(m, anchors, 4)`: six numbers for each anchor, and counts.
pub static MULTIBOX_TRANSFORM_LOC: Relation =
    Relation { name: "MultiBoxTransformLoc", n_outputs: 1, rule: multibox_transform_loc };
/// Counts, the data, and indices.
pub static GET_VALID_COUNT: Relation = Relation { name: "GetValidCount", n_outputs: 1, rule: get_valid_counts };
/// The data, or indices and counts.
pub static NMS: Relation = Relation { name: "NMS", n_outputs: 1, rule: non_max_suppression };
/// Room for every box of every class, and how much of it is used.
pub static ALL_CLASS_NMS: Relation =
    Relation { name: "AllClassNMS", n_outputs: 1, rule: all_class_non_max_suppression };
/// `pooled_size` places of every region.
pub static ROI_ALIGN: Relation = Relation { name: "ROIAlign", n_outputs: 1, rule: roi_pool };
pub static ROI_POOL: Relation = Relation { name: "ROIPool", n_outputs: 1, rule: roi_pool };
/// `rpn_post_nms_top_n` regions of five numbers for each image.
pub static PROPOSAL: Relation = Relation { name: "Proposal", n_outputs: 1, rule: proposal };
/// `(n, c, h, w) → (n, c · s², h / s, w / s)`.
pub static YOLO_REORG: Relation = Relation { name: "YoloReorg", n_outputs: 1, rule: yolo_reorg };

/// A tensor of these dims, of a dtype that the rule knows.
fn tensor_of(r: &mut dyn Facts, dims: &[TermId], dtype: Dtype) -> TermId {
    let dtype = r.make_dtype(dtype);
    r.make_tensor(dims, dtype)
}

/// How many numbers a list attribute has.
fn n_of(r: &dyn Facts, attr: &'static str) -> Result<i64, Stop> {
    match r.attrs().get(attr) {
        AttrValue::List(items) if !items.is_empty() => Ok(items.len() as i64),
        AttrValue::Int(_) | AttrValue::Float(_) => Ok(1),
        _ => attr_error(r, attr, "at least one number"),
    }
}

fn multibox_prior(r: &mut dyn Facts) -> Step {
    let per_place = n_of(r, "sizes")?.saturating_add(n_of(r, "ratios")?) - 1;
    let (dims, dtype) = r.tensor_of_rank(0, 4)?;
    let places = r.product_of(&dims[2..])?;
    let boxes = r.affine(places, per_place, 0)?;
    let [one, four] = [number(r, 1), number(r, 4)];
    r.result(&[one, boxes, four], dtype)
}

fn multibox_transform_loc(r: &mut dyn Facts) -> Step {
    let (scores, dtype) = r.tensor_of_rank(0, 3)?;
    let (moves, _) = r.tensor_of_rank(1, 2)?;
    let (anchors, _) = r.tensor_of_rank(2, 3)?;
    must_be(r, anchors[2], 4, "the coordinates of an anchor")?;
    let coordinates = r.affine(scores[2], 4, 0)?;
    let pairs = [(scores[2], anchors[1]), (coordinates, moves[1])];
    equate(r, &pairs, "scores, anchors and moves are as many")?;
    let six = number(r, 6);
    let boxes = r.make_tensor(&[scores[0], anchors[1], six], dtype);
    let counts = tensor_of(r, &[scores[0]], Dtype::Int32);
    let result = r.make_tuple(&[boxes, counts]);
    r.result_is(result)
}

fn get_valid_counts(r: &mut dyn Facts) -> Step {
    can_all_be_tensors(r)?;
    let (dims, _) = r.tensor_of_rank(0, 3)?;
    let counts = tensor_of(r, &dims[..1], Dtype::Int32);
    let indices = tensor_of(r, &dims[..2], Dtype::Int32);
    let data = r.arg(0);
    let result = r.make_tuple(&[counts, data, indices]);
    r.result_is(result)?;
    all_tensors(r)
}

fn non_max_suppression(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor_of_rank(0, 3)?;
    r.tensor_of_rank(1, 1)?;
    r.tensor_parts(2)?;
    let data = r.arg(0);
    all_tensors(r)?;
    if !r.attrs().flag("return_indices") {
        return r.result_is(data);
    }
    let one = number(r, 1);
    let indices = tensor_of(r, &dims[..2], Dtype::Int32);
    let counts = tensor_of(r, &[dims[0], one], Dtype::Int32);
    let result = r.make_tuple(&[indices, counts]);
    r.result_is(result)
}

fn all_class_non_max_suppression(r: &mut dyn Facts) -> Step {
    let onnx = r.attrs().str("output_format") == "onnx";
    can_all_be_tensors(r)?;
    let (boxes, _) = r.tensor_of_rank(0, 3)?;
    let (scores, _) = r.tensor_of_rank(1, 3)?;
    let fields = match onnx {
        true => {
            let all = r.product_of(&[boxes[0], scores[1], boxes[1]])?;
            let (three, one) = (number(r, 3), number(r, 1));
            vec![tensor_of(r, &[all, three], Dtype::Int64), tensor_of(r, &[one], Dtype::Int64)]
        }
        false => {
            let per_image = r.product_of(&[scores[1], boxes[1]])?;
            let two = number(r, 2);
            vec![
                tensor_of(r, &[boxes[0], per_image, two], Dtype::Int64),
                tensor_of(r, &[boxes[0], per_image], Dtype::Float32),
                tensor_of(r, &[boxes[0]], Dtype::Int64),
            ]
        }
    };
    let result = r.make_tuple(&fields);
    r.result_is(result)?;
    all_tensors(r)
}

fn roi_pool(r: &mut dyn Facts) -> Step {
    let pooled = super::conv_nd::per_axis(r, "pooled_size", 2, 1)?;
    let channels_last = r.attrs().str("layout") == "NHWC";
    can_have_rank(r, 0, 4)?;
    can_have_rank(r, 1, 2)?;
    let [data, regions] = [r.arg(0), r.arg(1)];
    let (data, dtype) = expect_rank(r, data, 4)?;
    let (regions, _) = expect_rank(r, regions, 2)?;
    must_be(r, regions[1], 5, "the numbers of a region")?;
    let (height, width) = (number(r, pooled[0]), number(r, pooled[1]));
    match channels_last {
        true => r.result(&[regions[0], height, width, data[3]], dtype),
        false => r.result(&[regions[0], data[1], height, width], dtype),
    }
}

fn proposal(r: &mut dyn Facts) -> Step {
    let per_image = r.attrs().int("rpn_post_nms_top_n").unwrap_or(0);
    if per_image < 1 {
        return attr_error(r, "rpn_post_nms_top_n", "a number of at least 1");
    }
    let (scores, dtype) = r.tensor_of_rank(0, 4)?;
    r.tensor_of_rank(1, 4)?;
    let (images, _) = r.tensor_of_rank(2, 2)?;
    must_be(r, images[1], 3, "the numbers about an image")?;
    let (regions, five) = (r.affine(scores[0], per_image, 0)?, number(r, 5));
    r.result(&[regions, five], dtype)
}

fn yolo_reorg(r: &mut dyn Facts) -> Step {
    let stride = r.attrs().int("stride").unwrap_or(1);
    if !(1..=1 << 20).contains(&stride) {
        return attr_error(r, "stride", "a number of at least 1");
    }
    let (mut dims, dtype) = r.tensor_of_rank(0, 4)?;
    dims[1] = r.affine(dims[1], stride * stride, 0)?;
    dims[2] = r.divided(dims[2], stride, "the height")?;
    dims[3] = r.divided(dims[3], stride, "the width")?;
    r.result(&dims, dtype)
}
