//! Lanes that change places.

use crate::lanes::F32x4;
#[cfg(target_arch = "wasm32")]
use core::arch::wasm32::i32x4_shuffle;

/// Lane `j` of row `i` becomes lane `i` of row `j`.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
pub(crate) fn turn([a, b, c, d]: [F32x4; 4]) -> [F32x4; 4] {
    let (ac_low, ac_high) = (i32x4_shuffle::<0, 4, 1, 5>(a.0, c.0), i32x4_shuffle::<2, 6, 3, 7>(a.0, c.0));
    let (bd_low, bd_high) = (i32x4_shuffle::<0, 4, 1, 5>(b.0, d.0), i32x4_shuffle::<2, 6, 3, 7>(b.0, d.0));
    [
        F32x4(i32x4_shuffle::<0, 4, 1, 5>(ac_low, bd_low)),
        F32x4(i32x4_shuffle::<2, 6, 3, 7>(ac_low, bd_low)),
        F32x4(i32x4_shuffle::<0, 4, 1, 5>(ac_high, bd_high)),
        F32x4(i32x4_shuffle::<2, 6, 3, 7>(ac_high, bd_high)),
    ]
}

/// Lane `j` of row `i` becomes lane `i` of row `j`.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
pub(crate) fn turn(rows: [F32x4; 4]) -> [F32x4; 4] {
    let rows = rows.map(F32x4::to_array);
    std::array::from_fn(|j| F32x4::from_array(rows.map(|row| row[j])))
}

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
        use crate::lanes::Lanes;
        F32x4(i32x4_shuffle::<0, 2, 5, 7>(F32x4::load(from).0, F32x4::load(from.add(3)).0))
    }
    #[cfg(not(target_arch = "wasm32"))]
    unsafe {
        load_apart(from, 2)
    }
}
