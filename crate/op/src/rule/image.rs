//! Images: resizing, cropping, sampling at the points of a grid.

use super::conv_nd::{LINE, Lettered, PLANE, Space, VOLUME, Window, layout, lettered_result, per_axis};
use super::dims::{equate, must_be, numbers};
use super::linear::out_dtype;
use super::pool::{pool_layout, spatial_sizes};
use super::{all_tensors, attr_error, can_all_be_tensors, can_have_rank, expect_rank};
use base::ToList;
use ty::{Facts, Relation, Step, TermId};

/// The spatial sizes become the attribute `size`.
pub static RESIZE1D: Relation = Relation { name: "Resize1D", n_outputs: 1, rule: resize1d };
pub static RESIZE2D: Relation = Relation { name: "Resize2D", n_outputs: 1, rule: resize2d };
pub static RESIZE3D: Relation = Relation { name: "Resize3d", n_outputs: 1, rule: resize3d };
/// As [`RESIZE2D`], one result for each box.
pub static CROP_AND_RESIZE: Relation = Relation { name: "CropAndResize", n_outputs: 1, rule: crop_and_resize };
/// A window with a weight of its own for each channel slides over the data.
pub static DILATION2D: Relation = Relation { name: "Dilation2D", n_outputs: 1, rule: dilation2d };
/// `(n, 2, 3) → (n, 2, height, width)`.
pub static AFFINE_GRID: Relation = Relation { name: "AffineGrid", n_outputs: 1, rule: affine_grid };
/// The spatial sizes of the grid, whose second axis counts the coordinates.
pub static GRID_SAMPLE: Relation = Relation { name: "GridSample", n_outputs: 1, rule: grid_sample };

fn resize1d(r: &mut dyn Facts) -> Step {
    resize(r, &LINE)
}

fn resize2d(r: &mut dyn Facts) -> Step {
    resize(r, &PLANE)
}

fn resize3d(r: &mut dyn Facts) -> Step {
    resize(r, &VOLUME)
}

fn resize(r: &mut dyn Facts, space: &Space) -> Step {
    let sizes = per_axis(r, "size", space.spatial.len(), 1)?;
    let layout = pool_layout(r, space)?;
    spatial_sizes(r, space, &layout, &sizes)
}

fn crop_and_resize(r: &mut dyn Facts) -> Step {
    let sizes = per_axis(r, "crop_size", 2, 1)?;
    let layout = pool_layout(r, &PLANE)?;
    if layout.is_blocked('N') {
        return attr_error(r, "layout", "a layout that does not split N");
    }
    can_all_be_tensors(r)?;
    can_have_rank(r, 1, 2)?;
    let [data, boxes] = [r.arg(0), r.arg(1)];
    let (mut dims, dtype) = expect_rank(r, data, layout.rank())?;
    let (boxes, _) = expect_rank(r, boxes, 2)?;
    must_be(r, boxes[1], 4, "the coordinates of a box")?;
    dims[layout.axis('N')] = boxes[0];
    for (&letter, size) in PLANE.spatial.iter().zip(numbers(r, [sizes[0], sizes[1]])) {
        dims[layout.axis(letter)] = size;
    }
    let dtype = out_dtype(r, dtype);
    r.result(&dims, dtype)?;
    all_tensors(r)
}

fn dilation2d(r: &mut dyn Facts) -> Step {
    let data_layout = layout(r, "data_layout", PLANE.data)?;
    let kernel_layout = layout(r, "kernel_layout", "IHW")?;
    let window = Window::of_attrs(r, 2, "dilations")?;
    can_have_rank(r, 0, data_layout.rank())?;
    can_have_rank(r, 1, kernel_layout.rank())?;
    let data = Lettered::operand(r, 0, data_layout)?;
    let weight = Lettered::operand(r, 1, kernel_layout)?;
    let (inputs, channels) = (data.full(r, 'C')?, weight.full(r, 'I')?);
    equate(r, &[(inputs, channels)], "data and weight have the same channels")?;
    let mut along = vec![('N', data.full(r, 'N')?), ('C', channels)];
    for (at, &letter) in PLANE.spatial.iter().enumerate() {
        let (size, kernel) = (data.full(r, letter)?, weight.full(r, letter)?);
        along.push((letter, window.slide(r, size, kernel, at, letter)?));
    }
    lettered_result(r, &data.layout, &along, data.dtype)
}

fn affine_grid(r: &mut dyn Facts) -> Step {
    let sizes = match r.attrs().ints("target_shape").as_deref() {
        Some(&[height, width]) if height > 0 && width > 0 => [height, width],
        _ => return attr_error(r, "target_shape", "a height and a width above 0"),
    };
    can_have_rank(r, 0, 3)?;
    let data = r.arg(0);
    let (dims, dtype) = expect_rank(r, data, 3)?;
    must_be(r, dims[1], 2, "the rows of a transformation")?;
    must_be(r, dims[2], 3, "the columns of a transformation")?;
    let [coordinates, height, width] = numbers(r, [2, sizes[0], sizes[1]]);
    r.result(&[dims[0], coordinates, height, width], dtype)
}

fn grid_sample(r: &mut dyn Facts) -> Step {
    let n = if r.attrs().str("layout") == "NCHW" { 2 } else { 3 };
    can_have_rank(r, 0, n + 2)?;
    can_have_rank(r, 1, n + 2)?;
    let [data, grid] = [r.arg(0), r.arg(1)];
    let (data, dtype) = expect_rank(r, data, n + 2)?;
    let (grid, _) = expect_rank(r, grid, n + 2)?;
    must_be(r, grid[1], n as i64, "the coordinates of a point")?;
    let dims: Vec<TermId> = data[..2].iter().chain(&grid[2..]).copied().list();
    r.result(&dims, dtype)
}
