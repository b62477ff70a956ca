//! Reductions of all dtypes but float32: one element after the other in `f64` or `i128`, as the meaning has it.

use super::Source;
use crate::reduce::{Folding, folding};
use crate::rule::reduced_axes;
use crate::run::{ResultType, round_to, widen, wrap_to};
use base::ToList;
use kernel::fold::{self, Extent};
use kernel::number::Number;
use ty::{Attrs, Dtype, Scalar, bits_of_bytes, scalar_bits, scalar_of};

#[derive(Clone)]
pub struct Folded {
    folding: Folding,
    extent: Extent,
    dtype: Dtype,
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
        (fits && x.dtype == result.dtype).then_some(Folded { folding, extent, dtype: x.dtype, divisor })
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8]) -> Option<()> {
        let (from, width, dtype) = ((*sources.first()?)?, self.dtype.n_bytes(), self.dtype);
        let fits = from.len() == self.extent.n_elements() * width && result.len() == self.extent.n_results() * width;
        let mut places = result.chunks_exact_mut(width);
        let mut write = |scalar: Scalar| {
            if let Some(place) = places.next() {
                place.copy_from_slice(&scalar_bits(dtype, scalar).to_le_bytes()[..width]);
            }
        };
        let read = |bytes: &[u8]| scalar_of(dtype, bits_of_bytes(bytes));
        let Folding { init, float, int } = self.folding;
        match (fits, dtype.is_float()) {
            (false, _) => return None,
            (true, true) => all(
                from,
                width,
                self.extent,
                init.0,
                |sum, x| float(sum, read(x).as_float()),
                |sum| {
                    write(Scalar::Float(round_to(dtype, self.divisor.map_or(sum, |n| sum / n as f64))));
                },
            ),
            (true, false) => {
                all(
                    from,
                    width,
                    self.extent,
                    init.1,
                    |sum, x| int(sum, widen(dtype, read(x).as_int())),
                    |sum| {
                        write(Scalar::Int(wrap_to(dtype, self.divisor.map_or(sum, |n| sum.divide_by(n.max(1))))));
                    },
                );
            }
        }
        Some(())
    }
}

/// Folds elements of `width` bytes, and hands on the results in order.
fn all<T: Copy>(
    from: &[u8],
    width: usize,
    extent: Extent,
    init: T,
    step: impl Fn(T, &[u8]) -> T,
    mut write: impl FnMut(T),
) {
    let Extent { outer, reduced, inner } = extent;
    if from.is_empty() {
        (0..outer * inner).for_each(|_| write(init));
        return;
    }
    let mut sums = vec![init; inner];
    for block in from.chunks_exact(reduced * inner * width) {
        sums.fill(init);
        for row in block.chunks_exact(inner * width) {
            for (sum, x) in sums.iter_mut().zip(row.chunks_exact(width)) {
                *sum = step(*sum, x);
            }
        }
        sums.iter().for_each(|&sum| write(sum));
    }
}
