//! Pooling: a window reduces what is under it, over one, two or three spatial axes.
//!
//! Worked example: with `ceil_mode` a window of 3 with stride 2 over 8 places has ⌈(8 − 3) / 2⌉ + 1 = 4 positions, the
//! last of which hangs over the end; without it there are 3.

use super::conv_nd::{LINE, PLANE, Space, VOLUME, Window, are_blocks, layout, per_axis};
use super::dims::number;
use super::{DataLayout, all_tensors, attr_error, can_have_rank, expect_rank};
use ty::{Facts, Relation, Step, Stop, TermId};

/// The output sizes of a window sliding over the data.
pub static MAX_POOL2D: Relation = Relation { name: "MaxPool2D", n_outputs: 1, rule: pool2d };
pub static AVG_POOL2D: Relation = Relation { name: "AvgPool2D", n_outputs: 1, rule: pool2d };
/// Both spatial sizes become 1.
pub static GLOBAL_AVG_POOL2D: Relation = Relation { name: "GlobalAvgPool2D", n_outputs: 1, rule: global_pool2d };
/// As `MAX_POOL2D`, over one axis and over three.
pub static MAX_POOL1D: Relation = Relation { name: "MaxPool1D", n_outputs: 1, rule: pool1d };
pub static MAX_POOL3D: Relation = Relation { name: "MaxPool3D", n_outputs: 1, rule: pool3d };
pub static AVG_POOL1D: Relation = Relation { name: "AvgPool1D", n_outputs: 1, rule: pool1d };
pub static AVG_POOL3D: Relation = Relation { name: "AvgPool3D", n_outputs: 1, rule: pool3d };
/// Both spatial sizes become 1.
pub static GLOBAL_MAX_POOL2D: Relation = Relation { name: "GlobalMaxPool2D", n_outputs: 1, rule: global_pool2d };
/// The spatial sizes become `output_size`, or stay when it is empty.
pub static ADAPTIVE_POOL1D: Relation = Relation { name: "AdaptivePool1D", n_outputs: 1, rule: adaptive_pool1d };
pub static ADAPTIVE_POOL2D: Relation = Relation { name: "AdaptivePool2D", n_outputs: 1, rule: adaptive_pool2d };
pub static ADAPTIVE_POOL3D: Relation = Relation { name: "AdaptivePool3D", n_outputs: 1, rule: adaptive_pool3d };
/// The gradient of the result comes first; the gradient of the data has the data's type.
pub static POOL2D_GRAD: Relation = Relation { name: "MaxPool2DGrad", n_outputs: 1, rule: pool2d_grad };

/// A layout in which every spatial axis is whole; all else may be split. Asks whether the data can have its rank.
pub(super) fn pool_layout(r: &dyn Facts, space: &Space) -> Result<DataLayout, Stop> {
    let layout = layout(r, "layout", space.data)?;
    match space.spatial.iter().find(|&&letter| layout.is_blocked(letter)) {
        Some(letter) => attr_error(r, "layout", format!("a layout that does not split {letter}")),
        None => can_have_rank(r, 0, layout.rank()).map(|()| layout),
    }
}

/// A spatial size of the result, from the place of its axis and that of the data.
type SizeOf<'a> = dyn Fn(&mut dyn Facts, usize, TermId) -> Result<TermId, Stop> + 'a;

/// Asserts that the result is the data with other spatial sizes.
pub(super) fn spatial(r: &mut dyn Facts, space: &Space, layout: &DataLayout, size: &SizeOf) -> Step {
    let data = r.arg(0);
    let (mut dims, dtype) = expect_rank(r, data, layout.rank())?;
    are_blocks(r, layout, &dims)?;
    for (at, &letter) in space.spatial.iter().enumerate() {
        let axis = layout.axis(letter);
        dims[axis] = size(r, at, dims[axis])?;
    }
    let dtype = super::linear::out_dtype(r, dtype);
    r.result(&dims, dtype)
}

/// As [`spatial`], with numbers for sizes.
pub(super) fn spatial_sizes(r: &mut dyn Facts, space: &Space, layout: &DataLayout, sizes: &[i64]) -> Step {
    spatial(r, space, layout, &|r, at, _| Ok(number(r, sizes[at])))
}

fn pool1d(r: &mut dyn Facts) -> Step {
    pool(r, &LINE)
}

pub(super) fn pool2d(r: &mut dyn Facts) -> Step {
    pool(r, &PLANE)
}

fn pool3d(r: &mut dyn Facts) -> Step {
    pool(r, &VOLUME)
}

fn pool(r: &mut dyn Facts, space: &Space) -> Step {
    let n = space.spatial.len();
    let kernel = per_axis(r, "pool_size", n, 1)?;
    let window = Window::of_attrs(r, n, "dilation")?;
    let layout = pool_layout(r, space)?;
    spatial(r, space, &layout, &|r, at, size| {
        let kernel = number(r, kernel[at]);
        window.slide(r, size, kernel, at, space.spatial[at])
    })
}

fn global_pool2d(r: &mut dyn Facts) -> Step {
    let layout = pool_layout(r, &PLANE)?;
    spatial_sizes(r, &PLANE, &layout, &[1, 1])
}

fn adaptive_pool1d(r: &mut dyn Facts) -> Step {
    adaptive_pool(r, &LINE)
}

fn adaptive_pool2d(r: &mut dyn Facts) -> Step {
    adaptive_pool(r, &PLANE)
}

fn adaptive_pool3d(r: &mut dyn Facts) -> Step {
    adaptive_pool(r, &VOLUME)
}

fn adaptive_pool(r: &mut dyn Facts, space: &Space) -> Step {
    let is_given = r.attrs().ints("output_size").is_some_and(|sizes| !sizes.is_empty());
    let sizes = if is_given { Some(per_axis(r, "output_size", space.spatial.len(), 1)?) } else { None };
    let layout = pool_layout(r, space)?;
    match sizes {
        Some(sizes) => spatial_sizes(r, space, &layout, &sizes),
        None => spatial(r, space, &layout, &|_, _, size| Ok(size)),
    }
}

fn pool2d_grad(r: &mut dyn Facts) -> Step {
    all_tensors(r)?;
    let data = r.arg(1);
    r.result_is(data)
}
