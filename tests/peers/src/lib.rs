//! The tensor kernels behind plain functions, for the benchmark that times them beside other libraries.
//!
//! Tensors are pointers to float32 that [`allocate`] handed out; sizes are counts of elements. Nothing here is part of
//! the page, and nothing is checked: the adapter beside this file is the only caller.

#![allow(unsafe_code, reason = "pointers from JavaScript")]

use kernel::conv::{self, Axis, Direction, Geometry, conv};
use kernel::gemm::{Activation, Epilogue, Matrix, Packed, Right, multiply, pack};
use std::slice;

mod probe;

/// Zeros that are never given back, 64 bytes aligned.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(n_elements: usize) -> *mut f32 {
    let data = vec![0.0; n_elements + 16].leak();
    let skip = data.as_ptr().align_offset(64);
    data[skip..].as_mut_ptr()
}

/// What a plan keeps between runs.
#[derive(Default)]
pub struct Scratch {
    floats: Vec<f32>,
    conv: conv::Scratch,
}

#[unsafe(no_mangle)]
pub extern "C" fn scratch() -> *mut Scratch {
    Box::into_raw(Box::default())
}

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
    s: *mut Scratch,
) {
    unsafe {
        let (Some(a), Some(b)) = (matrix(a, [m, k]), matrix(b, [k, n])) else { return };
        let c = slice::from_raw_parts_mut(c, m * n);
        multiply(a, Right::Strided(b), c, &Epilogue::default(), &mut (*s).floats);
    }
}

/// # Safety
/// As [`matmul`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn packed(b: *const f32, k: usize, n: usize) -> *const Vec<f32> {
    let mut panels = Box::<Vec<f32>>::default();
    pack(unsafe { matrix(b, [k, n]) }.expect("a matrix"), &mut panels);
    Box::into_raw(panels)
}

/// # Safety
/// As [`matmul`]; `b` is what [`packed`] answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn matmul_packed(
    a: *const f32,
    b: *const Vec<f32>,
    c: *mut f32,
    m: usize,
    k: usize,
    n: usize,
    s: *mut Scratch,
) {
    unsafe {
        let (Some(a), Some(b)) = (matrix(a, [m, k]), Packed::new(&*b, [k, n])) else { return };
        let c = slice::from_raw_parts_mut(c, m * n);
        multiply(a, Right::Packed(b), c, &Epilogue::default(), &mut (*s).floats);
    }
}

/// The matrix on the right lies column after column.
///
/// # Safety
/// As [`matmul`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dense(
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    m: usize,
    k: usize,
    n: usize,
    s: *mut Scratch,
) {
    unsafe {
        let (Some(a), Some(b)) = (matrix(a, [m, k]), matrix(b, [n, k])) else { return };
        let c = slice::from_raw_parts_mut(c, m * n);
        multiply(a, Right::Strided(b.transposed()), c, &Epilogue::default(), &mut (*s).floats);
    }
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
    s: *mut Scratch,
) {
    let output = (size + 2 * padding - kernel) / stride + 1;
    let axis = Axis { size, kernel, output, stride, dilation: 1, padding };
    let axes = [Axis::new(1), axis, axis];
    let geometry = Geometry { n_images: 1, n_channels, n_outputs, n_groups, direction: Direction::Forward, axes };
    let Some([x_len, w_len, y_len]) = geometry.lengths() else { return };
    unsafe {
        let (x, w) = (slice::from_raw_parts(x, x_len), slice::from_raw_parts(w, w_len));
        let y = slice::from_raw_parts_mut(y, y_len);
        conv(&geometry, x, w, None, Activation::None, y, &mut (*s).conv);
    }
}

unsafe fn matrix<'a>(data: *const f32, shape: [usize; 2]) -> Option<Matrix<'a>> {
    Matrix::row_major(unsafe { slice::from_raw_parts(data, shape[0] * shape[1]) }, shape)
}
