//! Images: resizing, cropping, sampling at the points of a grid.

use super::attr_error;
use super::conv::layout;
use super::conv_nd::{Along, LINE, Lettered, PLANE, Space, VOLUME, Window, dims_of, per_axis};
use super::linear::out_dtype;
use super::pool::pool_layout;
use ty::{Facts, Relation, Size, Step, TermId};

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

/// Fails where a dim's number is known and another than `want`.
pub(super) fn check_number(r: &dyn Facts, dim: TermId, want: i64, what: &str) -> Step {
    match r.peek_number(dim) {
        Some(found) => r.check(found == want, || format!("{what} must be {want}, found {found}")),
        None => Ok(()),
    }
}

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
    let layout = pool_layout(r, space)?;
    let sizes = per_axis(r, "size", space.spatial.len(), 1)?;
    let (mut dims, dtype) = r.tensor_of_rank(0, layout.rank())?;
    for (&letter, size) in space.spatial.iter().zip(sizes) {
        dims[layout.axis(letter)] = r.make_size(Size::known(size));
    }
    let dtype = out_dtype(r, dtype);
    r.result(&dims, dtype)
}

fn crop_and_resize(r: &mut dyn Facts) -> Step {
    let layout = pool_layout(r, &PLANE)?;
    if layout.is_blocked('N') {
        return attr_error(r, "layout", "a layout that does not split N");
    }
    let sizes = per_axis(r, "crop_size", 2, 1)?;
    let (mut dims, dtype) = r.tensor_of_rank(0, layout.rank())?;
    let (boxes, _) = r.tensor_of_rank(1, 2)?;
    check_number(r, boxes[1], 4, "the coordinates of a box")?;
    dims[layout.axis('N')] = boxes[0];
    for (&letter, size) in PLANE.spatial.iter().zip(sizes) {
        dims[layout.axis(letter)] = r.make_size(Size::known(size));
    }
    let dtype = out_dtype(r, dtype);
    r.result(&dims, dtype)
}

fn dilation2d(r: &mut dyn Facts) -> Step {
    let data_layout = layout(r, "data_layout", PLANE.data)?;
    let kernel_layout = layout(r, "kernel_layout", "IHW")?;
    let window = Window::of_attrs(r, 2, "dilations")?;
    let data = Lettered::operand(r, 0, data_layout)?;
    let weight = Lettered::operand(r, 1, kernel_layout)?;
    let mut along =
        vec![('N', data.along(r, 'N', &data.layout, 'N')?), ('C', weight.along(r, 'I', &data.layout, 'C')?)];
    for (at, &letter) in PLANE.spatial.iter().enumerate() {
        let size = window.slide(r, data.size(r, letter)?, weight.size(r, letter)?, at, letter)?;
        along.push((letter, Along::Size(size)));
    }
    if let (Some(data), Some(weight)) = (data.dim('C'), weight.dim('I'))
        && let Some(channels) = r.peek_number(data)
    {
        check_number(r, weight, channels, "the channels of the weight")?;
    }
    let dims = dims_of(r, &data.layout, &along);
    let dtype = out_dtype(r, data.dtype);
    r.result(&dims, dtype)
}

fn affine_grid(r: &mut dyn Facts) -> Step {
    let sizes = match r.attrs().ints("target_shape").as_deref() {
        Some(&[height, width]) if height > 0 && width > 0 => [height, width],
        _ => return attr_error(r, "target_shape", "a height and a width above 0"),
    };
    let (dims, dtype) = r.tensor_of_rank(0, 3)?;
    check_number(r, dims[1], 2, "the rows of a transformation")?;
    check_number(r, dims[2], 3, "the columns of a transformation")?;
    let [coordinates, height, width] = [2, sizes[0], sizes[1]].map(|size| r.make_size(Size::known(size)));
    r.result(&[dims[0], coordinates, height, width], dtype)
}

fn grid_sample(r: &mut dyn Facts) -> Step {
    let n = match r.attrs().str("layout") {
        "NCHW" => 2,
        "NCDHW" => 3,
        _ => return attr_error(r, "layout", "\"NCHW\" or \"NCDHW\""),
    };
    let (data, dtype) = r.tensor_of_rank(0, n + 2)?;
    let (grid, _) = r.tensor_of_rank(1, n + 2)?;
    check_number(r, grid[1], n as i64, "the coordinates of a point")?;
    let dims: Vec<TermId> = data[..2].iter().chain(&grid[2..]).copied().collect();
    r.result(&dims, dtype)
}
