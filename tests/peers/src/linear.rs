//! Products of matrices, and convolutions.

use crate::{Plan, matrix, result, tensor};
use kernel::conv::{Axis, Direction, Geometry, Prepared};
use kernel::gemm::{Activation, Epilogue, Packed, Right, multiply, pack};

/// `c[m, n] = a[m, k] · b[k, n]`. A null `b` is what [`pack_right`] has put into the plan.
///
/// # Safety
/// The tensors have the sizes that are given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn matmul(
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    m: usize,
    k: usize,
    n: usize,
    plan: *mut Plan,
) {
    unsafe {
        let Plan { floats, panels, .. } = &mut *plan;
        let right = match b.is_null() {
            true => Right::Packed(Packed::new(panels, [k, n]).expect("packed")),
            false => Right::Strided(matrix(b, [k, n])),
        };
        multiply(matrix(a, [m, k]), right, result(c, m * n), &Epilogue::default(), floats).expect("shapes agree");
    }
}

/// # Safety
/// As [`matmul`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pack_right(b: *const f32, k: usize, n: usize, plan: *mut Plan) {
    unsafe { pack(matrix(b, [k, n]), &mut (*plan).panels) }
}

/// A plane of `size` by `size` under a square window with padding on all sides.
///
/// # Safety
/// As [`matmul`]: `[1, channels, size, size]`, `[outputs, channels / groups, kernel, kernel]`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn conv2d(
    x: *const f32,
    w: *const f32,
    y: *mut f32,
    n_channels: usize,
    n_outputs: usize,
    n_groups: usize,
    size: usize,
    kernel: usize,
    stride: usize,
    padding: usize,
    plan: *mut Plan,
) {
    let output = (size + 2 * padding - kernel) / stride + 1;
    let axis = Axis { size, kernel, output, stride, dilation: 1, padding };
    let axes = [Axis::new(1), axis, axis];
    let geometry = Geometry { n_images: 1, n_channels, n_outputs, n_groups, direction: Direction::Forward, axes };
    let conv = Prepared::fast(geometry).expect("sizes that fit");
    let [x_len, w_len, y_len] = conv.lengths();
    unsafe {
        let (x, w, y) = (tensor(x, x_len), tensor(w, w_len), result(y, y_len));
        conv.run([x, w], None, Activation::None, y, &mut (*plan).conv).expect("lengths agree");
    }
}
