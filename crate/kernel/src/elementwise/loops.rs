//! One loop for each operator, over whole vectors.

use super::{Binary, Unary};
use crate::lanes::{F32x4, Lanes};
use crate::math;
use crate::scalar::float;

/// An operand of a run of elements.
#[derive(Clone, Copy)]
pub(crate) enum Operand {
    /// One element for each of the result, at and after a pointer.
    Each(*const f32),
    /// The same element for all.
    One(f32),
}

impl Operand {
    /// What is left after `n` elements.
    ///
    /// # Safety
    /// There are as many.
    pub(crate) unsafe fn from(self, n: usize) -> Operand {
        match self {
            Operand::Each(from) => Operand::Each(unsafe { from.add(n) }),
            Operand::One(x) => Operand::One(x),
        }
    }

    /// Four elements.
    ///
    /// # Safety
    /// There are as many, from `at` on.
    #[inline(always)]
    pub(crate) unsafe fn four(self, at: usize) -> F32x4 {
        match self {
            Operand::Each(from) => unsafe { F32x4::load(from.add(at)) },
            Operand::One(x) => F32x4::splat(x),
        }
    }

    /// The element `at`.
    ///
    /// # Safety
    /// There is one.
    #[inline(always)]
    unsafe fn one(self, at: usize) -> f32 {
        match self {
            Operand::Each(from) => unsafe { *from.add(at) },
            Operand::One(x) => x,
        }
    }

    /// The element that stands for all, for a step.
    #[inline(always)]
    fn stays(self) -> [f32; STEP] {
        match self {
            Operand::One(x) => [x; STEP],
            Operand::Each(_) => [0.0; STEP],
        }
    }

    /// `few`: what [`stays`](Operand::stays).
    #[inline(always)]
    fn moving(self, few: *const [f32; STEP]) -> Moving {
        match self {
            Operand::Each(from) => (from, STEP),
            Operand::One(_) => (few.cast(), 0),
        }
    }
}

/// # Safety
/// The operand can be read and `to` written for `n` elements; they are the same or do not overlap.
#[inline(never)]
pub(crate) unsafe fn unary(op: &Unary, from: Operand, to: *mut f32, n: usize) {
    unsafe { vectors([from], to, n, |[from], to, n| vectors1(op, from, to, n)) }
}

/// # Safety
/// Operands can be read and `to` written for `n` elements; each is `to` or does not overlap it.
#[inline(never)]
pub(crate) unsafe fn binary(op: Binary, a: Operand, b: Operand, to: *mut f32, n: usize) {
    unsafe { vectors([a, b], to, n, |[a, b], to, n| vectors2(op, a, b, to, n)) }
}

/// # Safety
/// As [`binary`].
#[inline(never)]
pub(crate) unsafe fn ternary(op: &Ternary, operands: [Operand; 3], to: *mut f32, n: usize) {
    unsafe { vectors(operands, to, n, |operands, to, n| vectors3(op, operands, to, n)) }
}

/// `(x - mean) * factor * gamma + beta` for `n` elements, then `abs`, `relu` or nothing, each step rounded as an operator of
/// its own would.
///
/// # Safety
/// As [`binary`].
#[inline(never)]
pub(crate) unsafe fn affine([x, mean, factor, gamma, beta]: [Operand; 5], after: Bend, to: *mut f32, n: usize) {
    #[inline(always)]
    fn normal<L: Lanes>(after: Bend, [x, mean, factor, gamma, beta]: [L; 5]) -> L {
        after.of((x - mean) * factor * gamma + beta)
    }
    let operands = [x, mean, factor, gamma, beta];
    let whole = if n > 2 * STEP { n & !(STEP - 1) } else { 0 };
    unsafe {
        if whole > 0 {
            use Operand::{Each, One};
            let splat = F32x4::splat;
            if let [Each(x), One(mean), One(factor), One(gamma), One(beta)] = operands {
                let [mean, factor, gamma, beta] = [mean, factor, gamma, beta].map(splat);
                each([(x, STEP)], to, whole, |[x]| normal(after, [x, mean, factor, gamma, beta]));
            } else if let [Each(x), One(mean), One(factor), Each(gamma), Each(beta)] = operands {
                let [mean, factor] = [mean, factor].map(splat);
                each([x, gamma, beta].map(|from| (from, STEP)), to, whole, |[x, gamma, beta]| {
                    normal(after, [x, mean, factor, gamma, beta])
                });
            } else {
                let stays = operands.map(Operand::stays);
                let moving = std::array::from_fn(|at| operands[at].moving(&stays[at]));
                each(moving, to, whole, |operands| normal(after, operands));
            }
        }
        let quarters = n & !3;
        for at in (whole..quarters).step_by(4) {
            normal(after, operands.map(|of| of.four(at))).store(to.add(at));
        }
        for at in quarters..n {
            *to.add(at) = normal(after, operands.map(|of| of.one(at)));
        }
    }
}

/// `n` is a multiple of [`STEP`] and not 0.
#[inline(always)]
unsafe fn each<const K: usize>(mut operands: [Moving; K], mut to: *mut f32, n: usize, f: impl Fn([F32x4; K]) -> F32x4) {
    unsafe {
        let end = to.add(n);
        while to != end {
            for at in [0, 4] {
                f(operands.map(|(from, _)| F32x4::load(from.add(at)))).store(to.add(at));
            }
            operands = operands.map(|(from, step)| (from.add(step), step));
            to = to.add(STEP);
        }
    }
}

/// Runs `body` on all whole vectors, and on the elements that are left, padded.
///
/// # Safety
/// As [`binary`].
#[inline(always)]
unsafe fn vectors<const K: usize>(
    operands: [Operand; K],
    to: *mut f32,
    n: usize,
    body: impl Fn([Moving; K], *mut f32, usize),
) {
    let whole = n & !(STEP - 1);
    // An element that stands for all, or what is left.
    let mut few = operands.map(Operand::stays);
    let start = few.as_mut_ptr();
    unsafe {
        if whole > 0 {
            body(std::array::from_fn(|at| operands[at].moving(start.add(at))), to, whole);
        }
        if whole < n {
            for (at, operand) in operands.iter().enumerate() {
                if let Operand::Each(from) = operand {
                    copy_few(from.add(whole), start.add(at).cast(), n - whole);
                }
            }
            body(std::array::from_fn(|at| (start.add(at).cast_const().cast(), 0)), start.cast(), STEP);
            copy_few(start.cast(), to.add(whole), n - whole);
        }
    }
}

/// Fewer than [`STEP`] elements.
#[inline(always)]
unsafe fn copy_few(from: *const f32, to: *mut f32, n: usize) {
    let mut at = 0;
    unsafe {
        if n & 4 != 0 {
            F32x4::load(from).store(to);
            at = 4;
        }
        while at < n {
            *to.add(at) = *from.add(at);
            at += 1;
        }
    }
}

/// Elements that a loop takes at a time: two vectors, so that counting costs half.
const STEP: usize = 8;

/// An operand and how far it moves from step to step: [`STEP`] or, to stay, 0. Eight elements of it can be read.
type Moving = (*const f32, usize);

/// `n` is a multiple of [`STEP`] and not 0.
#[inline(always)]
unsafe fn map1((mut from, step): Moving, mut to: *mut f32, n: usize, f: impl Fn(F32x4) -> F32x4) {
    unsafe {
        let end = to.add(n);
        while to != end {
            let pair = [f(F32x4::load(from)), f(F32x4::load(from.add(4)))];
            pair[0].store(to);
            pair[1].store(to.add(4));
            (from, to) = (from.add(step), to.add(STEP));
        }
    }
}

/// Each element by itself, in float64. Out of line: one loop for all who need it.
#[inline(never)]
unsafe fn wide1((from, step): Moving, to: *mut f32, n: usize, f: fn(f64) -> f64) {
    for at in 0..n {
        unsafe { *to.add(at) = (*from.add(at % STEP + at / STEP * step)).map_wide(f) };
    }
}

/// # Safety
/// As [`unary`]; `n` is a multiple of 4.
#[inline(never)]
unsafe fn vectors1(op: &Unary, from: Moving, to: *mut f32, n: usize) {
    unsafe {
        match *op {
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
                map1(from, to, n, |x| {
                    let x = x.pmin(high);
                    x.less(low).select(low, x)
                });
            }
            Unary::Copy => map1(from, to, n, |x| x),
            Unary::Cos => map1(from, to, n, math::cos()),
            Unary::Cosh => wide1(from, to, n, float::cosh),
            Unary::Erf => map1(from, to, n, math::erf()),
            Unary::Exp => map1(from, to, n, math::exp()),
            Unary::Floor => map1(from, to, n, F32x4::floor),
            Unary::LeakyRelu(alpha) => {
                let (zero, alpha) = (F32x4::splat(0.0), F32x4::splat(alpha));
                map1(from, to, n, |x| zero.less(x).select(x, alpha * x));
            }
            Unary::Log => map1(from, to, n, math::log()),
            Unary::Log10 => wide1(from, to, n, float::log10),
            Unary::Log2 => wide1(from, to, n, float::log2),
            Unary::Negative => map1(from, to, n, |x| -x),
            Unary::Relu => map1(from, to, n, math::relu),
            Unary::Round => map1(from, to, n, math::round),
            Unary::Rsqrt(more) => {
                let more = F32x4::splat(more);
                map1(from, to, n, |x| math::rsqrt(x + more));
            }
            Unary::Sigmoid => map1(from, to, n, math::sigmoid()),
            Unary::Sign => map1(from, to, n, math::sign),
            Unary::Sin => map1(from, to, n, math::sin()),
            Unary::Sinh => wide1(from, to, n, float::sinh),
            Unary::Sqrt => map1(from, to, n, F32x4::sqrt),
            Unary::Tan => wide1(from, to, n, float::tan),
            Unary::Tanh => map1(from, to, n, math::tanh()),
            Unary::Trunc => map1(from, to, n, F32x4::trunc),
        }
    }
}

/// `n` is a multiple of [`STEP`] and not 0.
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
            let pair = [f(F32x4::load(a), F32x4::load(b)), f(F32x4::load(a.add(4)), F32x4::load(b.add(4)))];
            pair[0].store(to);
            pair[1].store(to.add(4));
            (a, b, to) = (a.add(a_step), b.add(b_step), to.add(STEP));
        }
    }
}

/// Each pair by itself, in float64.
#[inline(never)]
unsafe fn wide2((a, a_step): Moving, (b, b_step): Moving, to: *mut f32, n: usize, f: fn(f64, f64) -> f64) {
    for at in 0..n {
        unsafe {
            let (a, b) = (*a.add(at % STEP + at / STEP * a_step), *b.add(at % STEP + at / STEP * b_step));
            *to.add(at) = f(f64::from(a), f64::from(b)) as f32;
        }
    }
}

/// # Safety
/// As [`binary`]; `n` is a multiple of [`STEP`].
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
            Binary::Power => map2(a, b, to, n, math::power),
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

/// One of the two operators that share a pass.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
}

/// What a pass does between two operators, or after them: `abs`, `relu` or nothing, in the same instructions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bend {
    /// What is less becomes this.
    low: f32,
    /// The bits that stay.
    mask: u32,
}

impl Bend {
    pub const NOTHING: Bend = Bend { low: f32::NEG_INFINITY, mask: u32::MAX };
    pub const ABS: Bend = Bend { low: f32::NEG_INFINITY, mask: u32::MAX >> 1 };
    /// -0 becomes +0, as it does there.
    pub const RELU: Bend = Bend { low: 0.0, mask: u32::MAX >> 1 };

    #[inline(always)]
    fn of<L: Lanes>(self, x: L) -> L {
        x.pmax(L::splat(self.low)).and(L::splat_bits(self.mask))
    }
}

/// A loop over three operands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Ternary {
    /// The second operand where the first is not 0, otherwise the third.
    Select,
    /// `second(between(first(a, b)), c)`, each operator rounding by itself.
    Two([Arithmetic; 2], Bend),
}

/// # Safety
/// As [`vectors2`].
#[inline(never)]
unsafe fn vectors3(op: &Ternary, operands: [Moving; 3], to: *mut f32, n: usize) {
    use Arithmetic::{Add, Multiply, Subtract};
    let bend = match *op {
        Ternary::Select => Bend::NOTHING,
        Ternary::Two(_, between) => between,
    };
    let bent = |x: F32x4| bend.of(x);
    unsafe {
        match *op {
            Ternary::Select => map3(operands, to, n, |a, b, c| a.equal(F32x4::splat(0.0)).select(c, b)),
            Ternary::Two([Add, Add], _) => map3(operands, to, n, |a, b, c| bent(a + b) + c),
            Ternary::Two([Add, Subtract], _) => map3(operands, to, n, |a, b, c| bent(a + b) - c),
            Ternary::Two([Add, Multiply], _) => map3(operands, to, n, |a, b, c| bent(a + b) * c),
            Ternary::Two([Subtract, Add], _) => map3(operands, to, n, |a, b, c| bent(a - b) + c),
            Ternary::Two([Subtract, Subtract], _) => map3(operands, to, n, |a, b, c| bent(a - b) - c),
            Ternary::Two([Subtract, Multiply], _) => map3(operands, to, n, |a, b, c| bent(a - b) * c),
            Ternary::Two([Multiply, Add], _) => map3(operands, to, n, |a, b, c| bent(a * b) + c),
            Ternary::Two([Multiply, Subtract], _) => map3(operands, to, n, |a, b, c| bent(a * b) - c),
            Ternary::Two([Multiply, Multiply], _) => map3(operands, to, n, |a, b, c| bent(a * b) * c),
        }
    }
}

/// `n` is a multiple of [`STEP`] and not 0.
#[inline(always)]
unsafe fn map3(
    [(mut a, a_step), (mut b, b_step), (mut c, c_step)]: [Moving; 3],
    mut to: *mut f32,
    n: usize,
    f: impl Fn(F32x4, F32x4, F32x4) -> F32x4,
) {
    unsafe {
        let end = to.add(n);
        while to != end {
            let one = |at| f(F32x4::load(a.add(at)), F32x4::load(b.add(at)), F32x4::load(c.add(at)));
            let pair = [one(0), one(4)];
            pair[0].store(to);
            pair[1].store(to.add(4));
            (a, b, c, to) = (a.add(a_step), b.add(b_step), c.add(c_step), to.add(STEP));
        }
    }
}
