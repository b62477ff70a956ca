//! How many products and sums the processor does at most: twelve chains of them, in registers.

use kernel::lanes::{F32x4, Lanes};

/// `n` rounds of twelve times four multiply-adds: 96 · n floating-point operations.
#[unsafe(no_mangle)]
pub extern "C" fn probe(n: usize) -> f32 {
    let by = F32x4::splat(if n == 0 { 2.0 } else { 0.75 });
    let plus = F32x4::splat(if n == 0 { 1.0 } else { 0.25 });
    let mut chains: [F32x4; 12] = std::array::from_fn(|at| F32x4::splat(at as f32));
    for _ in 0..n {
        chains = chains.map(|chain| chain.mul_add(by, plus));
    }
    chains.into_iter().fold(F32x4::splat(0.0), |sum, chain| sum + chain).to_array().iter().sum()
}
