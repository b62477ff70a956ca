//! Pooling: a window reduces what is under it, over one, two or three spatial axes.
//!
//! Worked example: with `ceil_mode` a window of 3 with stride 2 over 8 places has ⌈(8 − 3) / 2⌉ + 1 = 4 positions, the
//! last of which hangs over the end; without it there are 3.

use super::attr_error;
use super::conv::{global_pool2d, layout};
use super::conv_nd::{LINE, PLANE, Space, VOLUME, Window, per_axis};
use super::{DataLayout, can_be_tensor};
use ty::{Facts, Relation, Size, Step, Stop};

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

/// A layout in which every spatial axis is whole.
pub(super) fn pool_layout(r: &dyn Facts, space: &Space) -> Result<DataLayout, Stop> {
    let layout = layout(r, "layout", space.data)?;
    match space.spatial.iter().find(|&&letter| layout.is_blocked(letter)) {
        Some(letter) => attr_error(r, "layout", format!("a layout that does not split {letter}")),
        None => Ok(layout),
    }
}

fn pool1d(r: &mut dyn Facts) -> Step {
    pool(r, &LINE)
}

fn pool3d(r: &mut dyn Facts) -> Step {
    pool(r, &VOLUME)
}

fn pool(r: &mut dyn Facts, space: &Space) -> Step {
    let n = space.spatial.len();
    let layout = pool_layout(r, space)?;
    let kernel = per_axis(r, "pool_size", n, 1)?;
    let window = Window::of_attrs(r, n, "dilation")?;
    let (mut dims, dtype) = r.tensor_of_rank(0, layout.rank())?;
    let mut positions = Vec::with_capacity(n);
    for (at, &letter) in space.spatial.iter().enumerate() {
        let size = r.size(dims[layout.axis(letter)])?;
        positions.push(window.slide(r, size, Size::known(kernel[at]), at, letter)?);
    }
    for (&letter, size) in space.spatial.iter().zip(positions) {
        dims[layout.axis(letter)] = r.make_size(size);
    }
    r.result(&dims, dtype)
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
    let layout = pool_layout(r, space)?;
    let (mut dims, dtype) = r.tensor_of_rank(0, layout.rank())?;
    if r.attrs().ints("output_size").is_some_and(|sizes| !sizes.is_empty()) {
        let sizes = per_axis(r, "output_size", space.spatial.len(), 1)?;
        for (&letter, size) in space.spatial.iter().zip(sizes) {
            dims[layout.axis(letter)] = r.make_size(Size::known(size));
        }
    }
    r.result(&dims, dtype)
}

fn pool2d_grad(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    can_be_tensor(r, 1)?;
    let data = r.arg(1);
    super::expect_tensor(r, data)?;
    r.result_is(data)
}
