//! Floats that do not lie side by side, and short runs of them that are moved without a call.

use crate::lanes::{F32x4, Lanes};
#[cfg(target_arch = "wasm32")]
use core::arch::wasm32::i32x4_shuffle;
use std::ptr;

/// Four floats at the distance `step`.
///
/// # Safety
/// They can be read.
#[inline(always)]
pub(crate) unsafe fn load_apart(from: *const f32, step: usize) -> F32x4 {
    unsafe { F32x4::from_array([*from, *from.add(step), *from.add(2 * step), *from.add(3 * step)]) }
}

/// Every other one of seven floats.
///
/// # Safety
/// They can be read.
#[inline(always)]
pub(crate) unsafe fn load_even(from: *const f32) -> F32x4 {
    #[cfg(target_arch = "wasm32")]
    unsafe {
        F32x4(i32x4_shuffle::<0, 2, 5, 7>(F32x4::load(from).0, F32x4::load(from.add(3)).0))
    }
    #[cfg(not(target_arch = "wasm32"))]
    unsafe {
        load_apart(from, 2)
    }
}

/// Copies a few floats. Volatile, for else the compiler makes this a call of `memory.copy`, which takes browsers
/// longer to begin than a row takes.
///
/// # Safety
/// `n` floats can be read and written, and do not overlap.
#[inline(never)]
pub(crate) unsafe fn copy(from: *const f32, to: *mut f32, n: usize) {
    let mut at = 0;
    unsafe {
        while at + 4 <= n {
            ptr::read_volatile(from.add(at).cast::<F32x4>()).store(to.add(at));
            at += 4;
        }
        while at < n {
            *to.add(at) = ptr::read_volatile(from.add(at));
            at += 1;
        }
    }
}

/// Writes a few zeros, as [`copy`].
///
/// # Safety
/// `n` floats can be written.
#[inline(never)]
pub(crate) unsafe fn clear(to: *mut f32, n: usize) {
    for at in 0..n {
        unsafe { ptr::write_volatile(to.add(at), 0.0) }
    }
}
