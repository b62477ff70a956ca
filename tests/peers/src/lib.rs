//! The tensor kernels behind plain functions, for the benchmark that times them beside other libraries.
//!
//! Tensors are pointers to float32 that [`allocate`] handed out; sizes are counts of elements. Nothing here is part of
//! the page, and nothing is checked: the adapter beside this file is the only caller.

#![allow(unsafe_code, reason = "pointers from JavaScript")]

use kernel::gemm::Matrix;
use kernel::{conv, elementwise};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::slice;

mod linear;
mod memory;
mod probe;

/// `n` zeros that begin a line of the cache, and a line after them.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(n: usize) -> *mut f32 {
    unsafe { alloc_zeroed(layout(n)).cast() }
}

/// # Safety
/// `tensor` is what [`allocate`] answered for `n`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(tensor: *mut f32, n: usize) {
    unsafe { dealloc(tensor.cast(), layout(n)) }
}

fn layout(n: usize) -> Layout {
    Layout::from_size_align(4 * (n + 16), 64).expect("a tensor that fits")
}

/// What a plan keeps between runs.
pub struct Plan {
    floats: Vec<f32>,
    conv: conv::Scratch,
    /// The right operand of a product, in panels.
    panels: Vec<f32>,
    chain: elementwise::program::Program,
}

/// A plan for results of `n` elements.
#[unsafe(no_mangle)]
pub extern "C" fn plan(n: usize) -> *mut Plan {
    let plan =
        Plan { floats: vec![], conv: conv::Scratch::default(), panels: vec![], chain: memory::chain_of_eight(n) };
    Box::into_raw(Box::new(plan))
}

/// # Safety
/// `plan` is what [`plan`] answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drop_plan(plan: *mut Plan) {
    drop(unsafe { Box::from_raw(plan) });
}

/// The tensor at `data`.
unsafe fn tensor<'a>(data: *const f32, n: usize) -> &'a [f32] {
    unsafe { slice::from_raw_parts(data, n) }
}

/// The tensor at `data`, to be written.
unsafe fn result<'a>(data: *mut f32, n: usize) -> &'a mut [f32] {
    unsafe { slice::from_raw_parts_mut(data, n) }
}

unsafe fn matrix<'a>(data: *const f32, shape: [usize; 2]) -> Matrix<'a> {
    Matrix::row_major(unsafe { tensor(data, shape[0] * shape[1]) }, shape).expect("as many elements as the shape has")
}
