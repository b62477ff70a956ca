//! One loop for each operator, over whole vectors.

use super::{Binary, Unary};
use crate::lanes::{F32x4, Lanes};
use crate::math;
use crate::scalar::float;

/// An operand of a run of elements.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    /// One element for each of the result, at and after a pointer.
    Each(*const f32),
    /// The same element for all.
    One(f32),
}

/// # Safety
/// `from` can be read and `to` written for `n` elements; they are the same or do not overlap.
pub(super) unsafe fn unary(op: Unary, from: *const f32, to: *mut f32, n: usize) {
    let whole = n & !3;
    unsafe {
        if whole > 0 {
            vectors1(op, from, to, whole);
        }
        if whole < n {
            let mut rest = [0.0; 4];
            std::ptr::copy_nonoverlapping(from.add(whole), rest.as_mut_ptr(), n - whole);
            vectors1(op, rest.as_ptr(), rest.as_mut_ptr(), 4);
            std::ptr::copy_nonoverlapping(rest.as_ptr(), to.add(whole), n - whole);
        }
    }
}

/// # Safety
/// Operands can be read and `to` written for `n` elements; each is `to` or does not overlap it.
pub(super) unsafe fn binary(op: Binary, a: Operand, b: Operand, to: *mut f32, n: usize) {
    let whole = n & !3;
    unsafe {
        // Room for an element that stands for all, and for the rest.
        let mut ones = [[0.0; 4]; 2];
        let [(a, a_step), (b, b_step)] = [(a, 0), (b, 1)].map(|(operand, at)| match operand {
            Operand::Each(from) => (from, 4),
            Operand::One(x) => {
                ones[at] = [x; 4];
                (std::ptr::null(), 0)
            }
        });
        let [first, second]: [*mut f32; 2] = [ones.as_mut_ptr().cast(), ones.as_mut_ptr().add(1).cast()];
        let (a, b) = (if a_step == 0 { first } else { a }, if b_step == 0 { second } else { b });
        if whole > 0 {
            vectors2(op, (a, a_step), (b, b_step), to, whole);
        }
        if whole < n {
            if a_step != 0 {
                std::ptr::copy_nonoverlapping(a.add(whole), first, n - whole);
            }
            if b_step != 0 {
                std::ptr::copy_nonoverlapping(b.add(whole), second, n - whole);
            }
            vectors2(op, (first, 0), (second, 0), first, 4);
            std::ptr::copy_nonoverlapping(first, to.add(whole), n - whole);
        }
    }
}

/// `n` is a multiple of 4 and not 0.
#[inline(always)]
unsafe fn map1(mut from: *const f32, mut to: *mut f32, n: usize, f: impl Fn(F32x4) -> F32x4) {
    unsafe {
        let end = from.add(n);
        while from != end {
            f(F32x4::load(from)).store(to);
            (from, to) = (from.add(4), to.add(4));
        }
    }
}

/// Each element by itself, in float64. Out of line: one loop for all who need it.
#[inline(never)]
unsafe fn wide1(from: *const f32, to: *mut f32, n: usize, f: fn(f64) -> f64) {
    for at in 0..n {
        unsafe { *to.add(at) = (*from.add(at)).map_wide(f) };
    }
}

/// # Safety
/// As [`unary`]; `n` is a multiple of 4.
#[inline(never)]
unsafe fn vectors1(op: Unary, from: *const f32, to: *mut f32, n: usize) {
    unsafe {
        match op {
            Unary::Abs => map1(from, to, n, F32x4::abs),
            Unary::Acos => wide1(from, to, n, float::acos),
            Unary::Acosh => wide1(from, to, n, float::acosh),
            Unary::Asin => wide1(from, to, n, float::asin),
            Unary::Asinh => wide1(from, to, n, float::asinh),
            Unary::Atan => wide1(from, to, n, float::atan),
            Unary::Atanh => wide1(from, to, n, float::atanh),
            Unary::Ceil => map1(from, to, n, F32x4::ceil),
            Unary::Clip(low, high) => {
                let (low, high) = (F32x4::splat(low), F32x4::splat(high));
                map1(from, to, n, |x| x.less(low).select(low, x.pmin(high)));
            }
            Unary::Copy => std::ptr::copy(from, to, n),
            Unary::Cos => map1(from, to, n, math::cos),
            Unary::Cosh => wide1(from, to, n, float::cosh),
            Unary::Erf => map1(from, to, n, math::erf),
            Unary::Exp => map1(from, to, n, math::exp),
            Unary::Floor => map1(from, to, n, F32x4::floor),
            Unary::LeakyRelu(alpha) => {
                let (zero, alpha) = (F32x4::splat(0.0), F32x4::splat(alpha));
                map1(from, to, n, |x| zero.less(x).select(x, alpha * x));
            }
            Unary::Log => map1(from, to, n, math::log),
            Unary::Log10 => wide1(from, to, n, float::log10),
            Unary::Log2 => wide1(from, to, n, float::log2),
            Unary::Negative => map1(from, to, n, |x| -x),
            Unary::Relu => map1(from, to, n, math::relu),
            Unary::Round => map1(from, to, n, math::round),
            Unary::Rsqrt => map1(from, to, n, math::rsqrt),
            Unary::Sigmoid => map1(from, to, n, math::sigmoid),
            Unary::Sign => map1(from, to, n, math::sign),
            Unary::Sin => map1(from, to, n, math::sin),
            Unary::Sinh => wide1(from, to, n, float::sinh),
            Unary::Sqrt => map1(from, to, n, F32x4::sqrt),
            Unary::Tan => map1(from, to, n, math::tan),
            Unary::Tanh => map1(from, to, n, math::tanh),
            Unary::Trunc => map1(from, to, n, F32x4::trunc),
        }
    }
}

/// An operand and how far it moves from vector to vector: 4 or, to stay, 0.
type Moving = (*const f32, usize);

/// `n` is a multiple of 4 and not 0.
#[inline(always)]
unsafe fn map2(
    (mut a, a_step): Moving,
    (mut b, b_step): Moving,
    mut to: *mut f32,
    n: usize,
    f: impl Fn(F32x4, F32x4) -> F32x4,
) {
    unsafe {
        let end = to.add(n);
        while to != end {
            f(F32x4::load(a), F32x4::load(b)).store(to);
            (a, b, to) = (a.add(a_step), b.add(b_step), to.add(4));
        }
    }
}

/// Each pair by itself, in float64.
#[inline(never)]
unsafe fn wide2((a, a_step): Moving, (b, b_step): Moving, to: *mut f32, n: usize, f: fn(f64, f64) -> f64) {
    for at in 0..n {
        unsafe {
            let (a, b) = (*a.add((at & 3) + (at >> 2) * a_step), *b.add((at & 3) + (at >> 2) * b_step));
            *to.add(at) = f(f64::from(a), f64::from(b)) as f32;
        }
    }
}

/// # Safety
/// As [`binary`]; `n` is a multiple of 4, and an operand that stays has 4 elements.
#[inline(never)]
unsafe fn vectors2(op: Binary, a: Moving, b: Moving, to: *mut f32, n: usize) {
    let one = F32x4::splat(1.0);
    unsafe {
        match op {
            Binary::Add => map2(a, b, to, n, |a, b| a + b),
            Binary::Subtract => map2(a, b, to, n, |a, b| a - b),
            Binary::Multiply => map2(a, b, to, n, |a, b| a * b),
            Binary::Divide => map2(a, b, to, n, |a, b| a / b),
            Binary::Maximum => map2(a, b, to, n, F32x4::maximum),
            Binary::Minimum => map2(a, b, to, n, F32x4::minimum),
            Binary::Power => wide2(a, b, to, n, float::power),
            Binary::FloorDivide => wide2(a, b, to, n, float::floor_divide),
            Binary::FloorMod => wide2(a, b, to, n, float::floor_mod),
            Binary::Mod => wide2(a, b, to, n, float::r#mod),
            Binary::TruncDivide => wide2(a, b, to, n, float::trunc_divide),
            Binary::Prelu => map2(a, b, to, n, |a, b| a.less(F32x4::splat(0.0)).select(a * b, a)),
            Binary::Equal => map2(a, b, to, n, |a, b| a.equal(b).and(one)),
            Binary::NotEqual => map2(a, b, to, n, |a, b| a.equal(b).and_not(one)),
            Binary::Less => map2(a, b, to, n, |a, b| a.less(b).and(one)),
            Binary::LessEqual => map2(a, b, to, n, |a, b| a.less_equal(b).and(one)),
            Binary::Greater => map2(a, b, to, n, |a, b| b.less(a).and(one)),
            Binary::GreaterEqual => map2(a, b, to, n, |a, b| b.less_equal(a).and(one)),
        }
    }
}
