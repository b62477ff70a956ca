//! Products of integers and float64, term by term; those of many integers, and convolutions, by the bodies of float32,
//! where these are exact.
//!
//! float32 holds every whole number up to 2²⁴. A sum of products is therefore exact in any order, with or without fused
//! rounding, if its terms would not exceed that even without their signs: if the largest element of the data times all
//! weights of an output channel, added up without signs, does not. Bytes do so in windows of a hundred elements at the
//! worst, and mostly in those of a thousand; cut into a high and a low half, weights do so in windows of many
//! thousands.

use super::single::{Single, View};
use super::{Scratch, Source, Work, count};
use crate::run::{Fault, ResultType, WellTyped};
use base::{MapArray, ToList};
use bytemuck::{Pod, try_cast_slice, try_cast_slice_mut};
use kernel::fold::Extent;
use kernel::gemm::Batch;
use kernel::linear::{Placed, product_f64, product_u32, product_u64};
use ty::{Attrs, Dtype};

/// Up to here float32 holds all whole numbers.
const EXACT: u64 = 1 << 24;

/// Elements of the larger operand: with fewer, there is nothing to gain.
const LEAST: usize = 256;

/// Elements of a call: with more, the room for them as float32 could be more than there is.
const MOST: usize = 1 << 26;

/// The `n` sums that `body` makes of integers, or `None` if they might not be exact. `outputs` is the axis of the
/// weight that has a place for each output channel.
pub fn sums(body: &Single, [data, weight]: [&[i64]; 2], outputs: Extent, n: usize) -> Option<Vec<i64>> {
    let larger = data.len().max(weight.len());
    let all = data.len().checked_add(weight.len())?.checked_add(n)?;
    if larger < LEAST || all > MOST {
        return None;
    }
    let most = largest(data.iter().copied())?;
    let n_bits = u64::BITS - largest(weight.iter().copied())?.leading_zeros();
    let fits =
        |part: &Part| most.checked_mul(largest_sum(weight, *part, outputs)).is_some_and(|largest| largest <= EXACT);
    let [high, low] = [Part::High(n_bits / 2), Part::Low(n_bits / 2)];
    let whole = [Part::High(0)];
    let halves = [high, low];
    let parts = [&whole[..], &halves].into_iter().find(|parts| parts.iter().all(fits))?;
    let data: Vec<f32> = data.iter().map(|&x| x as f32).list();
    let mut scratch = Scratch::default();
    let (mut sums, mut products) = (vec![0_i64; n], vec![0.0_f32; n]);
    for part in parts {
        let weight: Vec<f32> = weight.iter().map(|&w| part.of(w) as f32).list();
        let sources = [&data, &weight].each(|floats| Some(bytemuck::cast_slice(floats)));
        body.run(&sources, bytemuck::cast_slice_mut(&mut products), &mut scratch).ok()?;
        for (sum, &product) in sums.iter_mut().zip(&products) {
            *sum += (product as i64) << part.shift();
        }
    }
    Some(sums)
}

/// Products with at most so many terms in all are added up where they are, which takes less than to bring them elsewhere.
const FEW: usize = 1 << 12;

/// Few products of matrices whose elements and sums are of one dtype.
pub struct Products {
    dtype: Dtype,
    batch: Batch,
    a: View,
    b: View,
}

/// One of `kernel::linear`.
type Product<T> = fn([usize; 3], Placed<T>, Placed<T>, &mut [T]) -> Option<()>;

impl Products {
    /// `None`: this is no product, or one of many terms, or not on these types.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Products> {
        let dtype = result.dtype;
        let is_alike = operands.len() == 2 && operands.iter().all(|of| of.dtype == dtype);
        let has_loop = dtype == Dtype::Float64 || !dtype.is_float() && dtype.n_bytes() >= 4;
        (is_alike && has_loop).then_some(())?;
        let single = |of: &ResultType| ResultType { dtype: Dtype::Float32, ..of.clone() };
        let operands: Vec<ResultType> = operands.iter().map(single).list();
        match Single::new(name, attrs, &operands, &single(result))? {
            Single::Product { batch, a, b, .. } => {
                let n_terms = count(&result.shape)?.checked_mul(a.shape[1])?;
                (n_terms <= FEW).then_some(Products { dtype, batch, a, b })
            }
            _ => None,
        }
    }

    /// Each matrix of the batch by `product`.
    fn each<T: Pod>(&self, sources: &[Source], result: &mut [u8], product: Product<T>) -> Option<()> {
        let &[Some(a), Some(b)] = sources else { return None };
        let (a, b): (&[T], &[T]) = (try_cast_slice(a).ok()?, try_cast_slice(b).ok()?);
        let ([m, k], n) = (self.a.shape, self.b.shape[1]);
        let sums: &mut [T] = try_cast_slice_mut(result).ok()?;
        for (matrix, sums) in sums.chunks_exact_mut((m * n).max(1)).enumerate() {
            let a = Placed { data: a.get(matrix * self.batch.a_step..)?, steps: self.a.steps };
            let b = Placed { data: b.get(matrix * self.batch.b_step..)?, steps: self.b.steps };
            product([m, k, n], a, b, sums)?;
        }
        Some(())
    }
}

impl Work for Products {
    fn run(&self, sources: &[Source], result: &mut [u8], _: &mut Scratch) -> Result<(), Fault> {
        let done = match self.dtype {
            Dtype::Float64 => self.each(sources, result, product_f64),
            dtype if dtype.n_bytes() == 4 => self.each(sources, result, product_u32),
            _ => self.each(sources, result, product_u64),
        };
        done.well_typed()
    }
}

/// A number is its high part, shifted by so many bits, and its low part, which has a sign of its own.
#[derive(Clone, Copy)]
enum Part {
    High(u32),
    Low(u32),
}

impl Part {
    fn of(self, number: i64) -> i64 {
        let high = |shift: u32| number.wrapping_add((1 << shift) >> 1) >> shift;
        match self {
            Part::High(shift) => high(shift),
            Part::Low(shift) => number.wrapping_sub(high(shift) << shift),
        }
    }

    fn shift(self) -> u32 {
        match self {
            Part::High(shift) => shift,
            Part::Low(_) => 0,
        }
    }
}

fn largest(numbers: impl Iterator<Item = i64>) -> Option<u64> {
    numbers.map(i64::unsigned_abs).max()
}

/// The largest sum of the weights of an output channel, without their signs.
fn largest_sum(weight: &[i64], part: Part, Extent { reduced: n_outputs, inner, .. }: Extent) -> u64 {
    let mut sums = vec![0_u64; n_outputs];
    for block in weight.chunks_exact((n_outputs * inner).max(1)) {
        for (sum, weights) in sums.iter_mut().zip(block.chunks_exact(inner)) {
            let sizes = weights.iter().map(|&w| part.of(w).unsigned_abs());
            *sum = sizes.fold(*sum, u64::saturating_add);
        }
    }
    sums.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::linear::{Order, dense};

    /// Of `[m, k]` and `[n, k]`.
    fn product(x: &[i64], w: &[i64], [m, k, n]: [usize; 3]) -> Option<Vec<i64>> {
        let body = Single::of_matrices([1, 1], [m, k, n], [Order::Plain, Order::Transposed]);
        sums(&body, [x, w], Extent { outer: 1, reduced: n, inner: k }, m * n)
    }

    /// Numbers from `-size` to `size`.
    fn numbers(n: usize, size: i64, seed: u64) -> Vec<i64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64 % (2 * size + 1) - size
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn what_is_done_is_exact() {
        let mut n_done = [0; 2];
        for (at, size) in [1, 7, 127, 255, 1000, 4000, 70_000].into_iter().enumerate() {
            for k in [1, 64, 300, 1500, 5000] {
                let [m, n] = [5, 7];
                let (x, w) = (numbers(m * k, size.min(255), at as u64), numbers(n * k, size, k as u64));
                let done = product(&x, &w, [m, k, n]);
                n_done[usize::from(done.is_some())] += 1;
                if let Some(sums) = done {
                    assert_eq!(sums, dense(&x, &w, [m, k, n]), "{size} {k}");
                }
            }
        }
        assert!(n_done.iter().all(|&n| n > 5), "{n_done:?}");
    }

    #[test]
    fn bytes_at_their_ends() {
        for k in [256, 1024, 4096] {
            let (x, w) = (vec![255; k], vec![-128; k]);
            assert_eq!(product(&x, &w, [1, k, 1]), Some(vec![255 * -128 * k as i64]), "{k}");
        }
        // Neither half of the weights would be exact.
        assert_eq!(product(&[255; 9000], &[-128; 9000], [1, 9000, 1]), None);
    }

    #[test]
    fn halves_make_the_whole() {
        for number in [0, 1, -1, 7, 8, -8, -9, 127, -128, i64::MAX, i64::MIN] {
            for shift in [0, 1, 4, 32] {
                let [high, low] = [Part::High(shift), Part::Low(shift)].map(|part| part.of(number));
                assert_eq!((high << shift).wrapping_add(low), number, "{number} {shift}");
            }
        }
    }

    #[test]
    fn nothing_times_anything_is_nothing() {
        assert_eq!(product(&[i64::MIN; 512], &[0; 512], [1, 512, 1]), Some(vec![0]));
        assert_eq!(product(&[0; 512], &[i64::MAX; 512], [1, 512, 1]), Some(vec![0]));
        assert_eq!(product(&[i64::MIN; 512], &[1; 512], [1, 512, 1]), None);
    }
}
