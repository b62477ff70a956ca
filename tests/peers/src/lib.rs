//! The tensor kernels behind plain functions, for the benchmark that times them beside other libraries.
//!
//! Tensors are pointers to float32 that [`allocate`] handed out; sizes are counts of elements. Nothing here is part of
//! the page, and nothing is checked: the adapter beside this file is the only caller.

#![allow(unsafe_code, reason = "pointers from JavaScript")]

use kernel::gemm::{Epilogue, Matrix, Packed, Right, multiply, pack};
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
pub unsafe extern "C" fn packed(b: *const f32, k: usize, n: usize) -> *const f32 {
    let mut panels = Vec::new();
    pack(unsafe { matrix(b, [k, n]) }.expect("a matrix"), &mut panels);
    panels.leak().as_ptr()
}

/// # Safety
/// As [`matmul`]; `b` is what [`packed`] answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn matmul_packed(
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    m: usize,
    k: usize,
    n: usize,
    s: *mut Scratch,
) {
    unsafe {
        let panels = slice::from_raw_parts(b, k * n.next_multiple_of(8));
        let (Some(a), Some(b)) = (matrix(a, [m, k]), Packed::new(panels, [k, n])) else { return };
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

unsafe fn matrix<'a>(data: *const f32, shape: [usize; 2]) -> Option<Matrix<'a>> {
    Matrix::row_major(unsafe { slice::from_raw_parts(data, shape[0] * shape[1]) }, shape)
}
