//! Operators on one line of numbers: what stands along an axis, brought side by side by whoever calls them.
//!
//! They mean what the loops over whole tensors mean to the bit, since they go in the same order: [`softmax`] and those
//! beside it what [`normal`](crate::normal) says.
//!
//! ```
//! use kernel::lines::{order, scan};
//! let mut line = [1.0, 2.0, 3.0];
//! scan(&mut line, &mut 0.0, true, |sum, x| sum + x);
//! assert_eq!(line, [0.0, 1.0, 3.0]);
//! let mut pairs = vec![(7, 0), (5, 1), (7, 2)];
//! order(&mut pairs, 3, &mut Vec::new());
//! assert_eq!(pairs, [(5, 1), (7, 0), (7, 2)]);
//! ```

use crate::index::{float_key, int_key};
use crate::scalar::float;

/// What numbers of 64 bits are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Float,
    Signed,
    Unsigned,
}

impl Number {
    /// The bits of one as a number whose order is theirs.
    fn key(self, bits: u64) -> u64 {
        match self {
            Number::Float => float_key(f64::from_bits(bits)),
            Number::Signed => int_key(bits as i64),
            Number::Unsigned => bits,
        }
    }
}

/// Every element becomes what has been folded up to it, or before it if it is to be left out. `folded` goes on from
/// part to part of a line.
pub fn scan<T: Copy>(line: &mut [T], folded: &mut T, is_exclusive: bool, step: impl Fn(T, T) -> T) {
    for place in line {
        let next = step(*folded, *place);
        *place = if is_exclusive { *folded } else { next };
        *folded = next;
    }
}

/// `exp(x) / Σ exp(x)`.
pub fn softmax(line: &mut [f64]) {
    subtract_largest(line);
    let mut sum = 0.0;
    for x in &mut *line {
        *x = libm::exp(*x);
        sum += *x;
    }
    line.iter_mut().for_each(|x| *x /= sum);
}

/// `x - log Σ exp(x)`.
pub fn log_softmax(line: &mut [f64]) {
    subtract_largest(line);
    let sum = libm::log(line.iter().fold(0.0, |sum, &x| sum + libm::exp(x)));
    line.iter_mut().for_each(|x| *x -= sum);
}

fn subtract_largest(line: &mut [f64]) {
    let largest = line.iter().copied().fold(f64::NEG_INFINITY, float::maximum);
    line.iter_mut().for_each(|x| *x -= largest);
}

/// `(x - mean) / sqrt(variance + epsilon)`, with the line's own mean and variance.
pub fn standardise(line: &mut [f64], epsilon: f64) {
    let n = line.len() as f64;
    let mean = line.iter().fold(0.0, |sum, &x| sum + x) / n;
    line.iter_mut().for_each(|x| *x -= mean);
    let variance = line.iter().fold(0.0, |sum, &x| sum + x * x) / n;
    let root = (variance + epsilon).sqrt();
    line.iter_mut().for_each(|x| *x /= root);
}

/// `x / (bias + alpha / size · Σ x²)^beta`, the sum over the `size` (an odd number) elements around `x`. The constants are
/// bias, alpha and beta.
pub fn local_response(line: &mut [f64], size: i64, [bias, alpha, beta]: [f64; 3]) {
    let reach = usize::try_from(size / 2).unwrap_or(usize::MAX);
    let before = line.to_vec();
    for (at, x) in line.iter_mut().enumerate() {
        let end = at.saturating_add(reach).saturating_add(1).min(before.len());
        let squares = before[at.saturating_sub(reach)..end].iter().fold(0.0, |sum, x| sum + x * x);
        let scale = bias + alpha * squares / size as f64;
        // Three quarters, as in most networks, is a root and a root of that.
        let is_rooted = beta == 0.75 && scale >= 0.0;
        *x /= if is_rooted { scale.sqrt() * scale.sqrt().sqrt() } else { float::power(scale, beta) };
    }
}

/// The first `n` elements become those of the line in order, or their places. What is in the rooms does not matter.
pub fn sort(
    line: &mut [u64],
    of: Number,
    is_ascend: bool,
    n: usize,
    places: Option<Number>,
    rooms: &mut [Vec<(u64, u32)>; 2],
) {
    let [pairs, room] = rooms;
    pairs.clear();
    pairs.extend(line.iter().zip(0..).map(|(&bits, at)| (if is_ascend { of.key(bits) } else { !of.key(bits) }, at)));
    order(pairs, n, room);
    match places {
        Some(Number::Float) => line.iter_mut().zip(&*pairs).for_each(|(to, &(_, at))| *to = f64::from(at).to_bits()),
        Some(_) => line.iter_mut().zip(&*pairs).for_each(|(to, &(_, at))| *to = at.into()),
        None => {
            pairs.iter_mut().for_each(|(element, at)| *element = line[*at as usize]);
            line.iter_mut().zip(&*pairs).take(n).for_each(|(to, &(element, _))| *to = element);
        }
    }
}

/// The place of the largest element of a line that is not empty, or of the smallest: the first one's, or the last
/// one's. NaN is both.
pub fn best(line: &[u64], of: Number, is_largest: bool, is_last: bool) -> u64 {
    let is_nan = |bits: u64| of == Number::Float && f64::from_bits(bits).is_nan();
    let (mut best, mut place) = (0, 0);
    for (&bits, at) in line.iter().zip(0..) {
        let key = of.key(bits);
        let key = if is_largest || is_nan(bits) { key } else { !key };
        if at == 0 || key > best || is_last && key == best {
            (best, place) = (key, at);
        }
    }
    place
}

/// At most so many are found by insertion.
const FEW: usize = 40;

/// Sorts by the first of each pair, so that the first `n` are as they would be if all were sorted; equal ones stay in
/// order. By their bytes, the last one first, and of those only the ones that differ. What is in `room` does not matter.
pub fn order(pairs: &mut Vec<(u64, u32)>, n: usize, room: &mut Vec<(u64, u32)>) {
    if pairs.len().min(n) <= FEW {
        for end in 1..pairs.len() {
            let pair = pairs[end];
            // One that is pushed behind the first `n` is not needed any more.
            let mut at = end.min(n);
            while at > 0 && pairs[at - 1].0 > pair.0 {
                if at < n {
                    pairs[at] = pairs[at - 1];
                }
                at -= 1;
            }
            if at < n {
                pairs[at] = pair;
            }
        }
        return;
    }
    let (all, any) = pairs.iter().fold((u64::MAX, 0), |(all, any), &(key, _)| (all & key, any | key));
    room.clear();
    room.resize(pairs.len(), (0, 0));
    for shift in (0..64).step_by(8).filter(|shift| (any & !all) >> shift & 0xff != 0) {
        let byte = |key: u64| (key >> shift & 0xff) as usize;
        let mut places = [0_usize; 256];
        pairs.iter().for_each(|&(key, _)| places[byte(key)] += 1);
        let mut start = 0;
        for place in &mut places {
            (*place, start) = (start, start + *place);
        }
        for &pair in &*pairs {
            let place = &mut places[byte(pair.0)];
            room[*place] = pair;
            *place += 1;
        }
        std::mem::swap(pairs, room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_ordered_as_few_are() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for n in [0, 1, 2, FEW, FEW + 1, 500] {
            for modulus in [3, 1000, u64::MAX] {
                let pairs: Vec<(u64, u32)> = (0..n as u32).map(|at| (random() * random() % modulus, at)).collect();
                let mut want = pairs.clone();
                want.sort();
                for first in [0, 1, 7, FEW, n] {
                    let mut pairs = pairs.clone();
                    order(&mut pairs, first, &mut Vec::new());
                    let first = first.min(n);
                    assert_eq!(pairs[..first], want[..first]);
                }
            }
        }
    }
}
