//! For tests: random numbers, shapes and lines, and how far a result is from the exact one.
//!
//! Whoever draws begins with a seed of their own, so that a failure comes back.

pub(crate) mod double;

use std::fmt::Display;

/// xorshift64*.
pub(crate) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// From `low` on, below `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let part = (self.below(1 << 26) as f64 + self.below(1 << 26) as f64 / f64::from(1 << 26)) / f64::from(1 << 26);
        low + (high - low) * part
    }

    /// In [-1, 1), some of them zero.
    pub fn floats(&mut self, n: usize) -> Vec<f32> {
        (0..n)
            .map(|_| if self.below(16) == 0 { 0.0 } else { self.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0 })
            .collect()
    }

    /// Numbers of all sizes, and the odd ones.
    pub fn numbers(&mut self, n: usize) -> Vec<f32> {
        let odd = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.0, -1.0, 2.5];
        let number = |_| match self.below(16) {
            0 => self.pick(&odd),
            1..4 => self.below(17) as f32 - 8.0,
            _ => self.between(-1.0, 1.0) as f32 * self.pick(&[0.01, 1.0, 10.0, 1000.0]),
        };
        (0..n).map(number).collect()
    }

    /// Numbers that sums find hard: about as large as each other, or not at all, the same one again and again, far from
    /// zero for how far they are from each other.
    pub fn line(&mut self, n: usize) -> Vec<f32> {
        let size = f64::powi(10.0, self.below(7) as i32 - 3);
        let middle = self.pick(&[0.0, 0.0, 0.0, 1.0, 3.0, 100.0, -1000.0]) * size;
        let few: [f32; 2] = [0, 1].map(|_| (middle + size * self.between(-1.0, 1.0)) as f32);
        match self.below(6) {
            0 => vec![few[0]; n],
            1 => (0..n).map(|_| few[usize::from(self.one_in(20))]).collect(),
            2 => (0..n).map(|_| (size * f64::exp(self.between(-20.0, 4.0))) as f32).collect(),
            _ => (0..n).map(|_| (middle + size * self.between(-1.0, 1.0)) as f32).collect(),
        }
    }

    /// Up to `most`, small ones and those around what loops are unrolled by more often.
    pub fn size(&mut self, most: usize) -> usize {
        let size = match self.below(4) {
            0 => self.below(5),
            1 => self.pick(&[4, 8, 12, 16, 32, 64, 128]) + self.below(3) - 1,
            2 => self.below(40),
            _ => self.below(most + 1),
        };
        size.min(most)
    }

    /// `rank` sizes with `most` elements at most, a few of them none.
    pub fn shape(&mut self, rank: usize, most: usize) -> Vec<usize> {
        let mut left = most;
        let mut shape: Vec<usize> = (0..rank)
            .map(|_| {
                let size = if self.one_in(5) { 1 } else { self.size(left) };
                let size = if self.one_in(20) { size } else { size.max(1) };
                left /= size.max(1);
                size
            })
            .collect();
        (1..rank).for_each(|axis| shape.swap(axis, self.below(axis + 1)));
        shape
    }
}

pub(crate) fn wide(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&x| f64::from(x)).collect()
}

/// The same bits, or NaN.
pub(crate) fn is_same(got: f32, want: f32) -> bool {
    got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan()
}

pub(crate) fn assert_same(what: impl Display, got: &[f32], want: &[f32]) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (at, (&got, &want)) in got.iter().zip(want).enumerate() {
        assert!(is_same(got, want), "{what}[{at}]: {got}, not {want}");
    }
}

/// How far `got` is from `want`, in units in the last place of a float32 as large as `want`.
pub(crate) fn ulps(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if rounded.is_nan() {
        return if got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if rounded.is_infinite() || got.is_infinite() || rounded == 0.0 && want == 0.0 {
        return if got == rounded && got.is_sign_positive() == rounded.is_sign_positive() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let exponent = (((want.abs().to_bits() >> 52) as i32) - 1023).max(-126);
    let unit = f64::powi(2.0, exponent - 23);
    (f64::from(got) - want).abs() / unit
}

/// The largest error so far, and what had it.
pub(crate) struct Worst {
    name: &'static str,
    error: f64,
    at: String,
}

impl Worst {
    pub fn new(name: &'static str) -> Worst {
        Worst { name, error: 0.0, at: String::new() }
    }

    pub fn see(&mut self, error: f64, what: impl Display) {
        if error.is_nan() || error > self.error {
            (self.error, self.at) = (if error.is_nan() { f64::INFINITY } else { error }, what.to_string());
        }
    }

    pub fn assert_within(&self, bound: f64) {
        println!("{}: {:.3} of {bound}, {}", self.name, self.error, self.at);
        assert!(self.error <= bound, "{}: {} where {bound} is promised, {}", self.name, self.error, self.at);
    }
}
