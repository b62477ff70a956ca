//! Reductions of all dtypes but float32: a block at a time, one element after the other in `f64`, `i64` or `i128`, as
//! the meaning has it.

use super::Source;
use super::blocks::Blocks;
use crate::reduce::{Folding, folding};
use crate::rule::reduced_axes;
use crate::run::{ResultType, round_to, wrap_to};
use base::ToList;
use kernel::fold::{self, Extent};
use kernel::number::Number;
use kernel::wide::{self, BLOCK};
use ty::{Attrs, Dtype, Scalar, scalar_bits};

#[derive(Clone)]
pub struct Folded {
    folding: Folding,
    extent: Extent,
    dtype: Dtype,
    is_sum: bool,
    /// What sums are divided by.
    divisor: Option<usize>,
}

impl Folded {
    /// `None`: this is no reduction, its axes do not stand side by side, or the result is of another dtype.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Folded> {
        let [x] = operands else { return None };
        let folding = folding(name, x.dtype)?;
        let reduced = reduced_axes(attrs, x.shape.len()).ok()?;
        let axes: Vec<usize> = (0..x.shape.len()).filter(|&axis| reduced[axis]).list();
        let [extent] = fold::groups(&x.shape, &axes)[..] else { return None };
        let divisor = (name == "mean").then(|| axes.iter().map(|&axis| x.shape[axis]).product());
        let fits = super::count(&x.shape).is_some() && super::count(&result.shape) == Some(extent.n_results());
        let is_sum = matches!(name, "sum" | "mean");
        (fits && x.dtype == result.dtype).then_some(Folded { folding, extent, dtype: x.dtype, is_sum, divisor })
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8], blocks: &mut Blocks) -> Option<()> {
        let (from, width, dtype) = ((*sources.first()?)?, self.dtype.n_bytes(), self.dtype);
        if from.len() != self.extent.n_elements() * width || result.len() != self.extent.n_results() * width {
            return None;
        }
        let mut places = result.chunks_exact_mut(width);
        let mut write = |scalar: Scalar| {
            if let Some(place) = places.next() {
                place.copy_from_slice(&scalar_bits(dtype, scalar).to_le_bytes()[..width]);
            }
        };
        let Folding { init, float, int } = self.folding;
        let is_unsigned = dtype == Dtype::UInt64;
        // Sums of fewer elements than a tensor can have do not leave 64 bits.
        let is_narrow = dtype.bits() <= 32 && self.is_sum;
        match dtype.is_float() {
            true => self.all(
                from,
                blocks,
                init.0,
                |blocks, n, sums, at| match self.is_sum {
                    true => wide::add_floats(&blocks.floats[0][..n], sums, at),
                    false => wide::fold_floats(float, &blocks.floats[0][..n], sums, at),
                },
                |sum| write(Scalar::Float(round_to(dtype, self.divisor.map_or(sum, |n| sum / n as f64)))),
            ),
            false if is_narrow => self.all(
                from,
                blocks,
                0,
                |blocks, n, sums, at| wide::add_ints(&blocks.ints[0][..n], sums, at),
                |sum| write(Scalar::Int(self.divisor.map_or(sum, |n| sum.divide_by(n.max(1))))),
            ),
            false => self.all(
                from,
                blocks,
                init.1,
                |blocks, n, sums, at| wide::fold_ints(int, is_unsigned, &blocks.ints[0][..n], sums, at),
                |sum| write(Scalar::Int(wrap_to(dtype, self.divisor.map_or(sum, |n| sum.divide_by(n.max(1)))))),
            ),
        }
    }

    /// Folds all elements, each block of them by `fold`, and hands on the results in order.
    fn all<T: Copy>(
        &self,
        from: &[u8],
        blocks: &mut Blocks,
        init: T,
        fold: impl Fn(&Blocks, usize, &mut [T], &mut usize),
        mut write: impl FnMut(T),
    ) -> Option<()> {
        let Extent { outer, reduced, inner } = self.extent;
        if from.is_empty() {
            (0..outer * inner).for_each(|_| write(init));
            return Some(());
        }
        let width = self.dtype.n_bytes();
        let mut sums = vec![init; inner];
        for part in from.chunks_exact(reduced * inner * width) {
            sums.fill(init);
            let mut at = 0;
            for bytes in part.chunks(BLOCK * width) {
                let n = bytes.len() / width;
                blocks.read(0, self.dtype, bytes, n).ok()?;
                fold(blocks, n, &mut sums, &mut at);
            }
            sums.iter().for_each(|&sum| write(sum));
        }
        Some(())
    }
}
