//! The first operand with some of its elements replaced: beside a diagonal, behind the ends of sequences, on diagonals, in
//! a slice. Where the result is computed where that operand is, nothing else is moved.
//!
//! Worked example: `trilu` of `[[1, 2], [3, 4]]` with `k = 0` keeps each row from its own number on, and so clears the
//! first 0 elements of `1 2` and the first 1 of `3 4`.

use super::indexed::int_of;
use super::moves::{Fill, convert};
use super::{MOST, Scratch, Source, Work, count};
use crate::index::{NOT_BOUNDS, NOT_THE_SLICE, cuts, place_of_cut};
use crate::run::{Fault, ResultType, WellTyped, cast_between};
use base::{MapArray, ToList};
use kernel::index::each_index;
use kernel::native::{copy_short, repeat};
use kernel::strided::row_major;
use ty::{Attrs, Dtype, bits_of_bytes, scalar_of};

pub struct Overwrites {
    what: What,
    shape: Vec<usize>,
    dtype: Dtype,
    /// Of the operand that says what, or where.
    other: ResultType,
}

enum What {
    /// What is below the diagonal that an operand numbers, or above it, is 0.
    Triangle { is_upper: bool },
    /// Along an axis, 0 or 1, everything behind the length that an operand has for each place of the other one.
    Sequences { axis: usize, mask: Fill },
    /// Those from the first to the last, with whether shorter ones above the main one, and below it, end where the
    /// longest does.
    Diagonals { from: i64, to: i64, is_right: [bool; 2] },
    /// Between bounds that are vectors of these dtypes. What they may be, types do not say.
    Slice(Result<[Dtype; 3], Fault>),
}

impl Overwrites {
    /// `None`: this is none of them, or not on these types.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Overwrites> {
        let what = match name {
            "trilu" => What::Triangle { is_upper: attrs.flag("upper") },
            "sequence_mask" => What::Sequences {
                axis: usize::try_from(attrs.int("axis").unwrap_or(0)).ok().filter(|&axis| axis < 2)?,
                mask: Fill::Number(attrs.float("mask_value")).known(result.dtype),
            },
            "matrix_set_diag" => What::Diagonals {
                from: attrs.int("k1").unwrap_or(0),
                to: attrs.int("k2").unwrap_or(0),
                is_right: ["super_diag_right_align", "sub_diag_right_align"].each(|name| attrs.flag(name)),
            },
            "strided_set" => What::Slice(bounds_of(operands)),
            _ => return None,
        };
        let [x, other, ..] = operands else { return None };
        let is_few = |of: &ResultType| count(&of.shape).is_some_and(|n| n <= MOST);
        let fits = x == result
            && operands.iter().all(is_few)
            && match &what {
                What::Triangle { .. } => {
                    x.shape.len() >= 2 && count(&other.shape) == Some(1) && !other.dtype.is_float()
                }
                What::Sequences { axis, .. } => x.shape.len() >= 2 && other.shape == [x.shape[1 - axis]],
                What::Diagonals { .. } => x.shape.len() >= 2 && !other.shape.is_empty(),
                What::Slice(_) => true,
            };
        fits.then(|| Overwrites { what, shape: x.shape.clone(), dtype: x.dtype, other: other.clone() })
    }

    /// The integers of an operand.
    fn ints(&self, dtype: Dtype, source: Option<&Source>) -> Option<Vec<i64>> {
        let bytes = (*source?)?.chunks_exact(dtype.n_bytes());
        Some(bytes.map(|bytes| int_of(dtype, bytes)).list())
    }

    fn triangle(&self, is_upper: bool, k: i64, result: &mut [u8]) -> Option<()> {
        let [.., height, width] = self.shape[..] else { return None };
        let n_bytes = self.dtype.n_bytes();
        for (at, row) in result.chunks_exact_mut(width * n_bytes).enumerate() {
            // Where the numbers of the diagonal and above it begin, or end those of it and below.
            let edge = (at % height) as i64 + i64::from(!is_upper);
            let edge = edge.saturating_add(k).clamp(0, width as i64) as usize * n_bytes;
            if is_upper { row[..edge].fill(0) } else { row[edge..].fill(0) }
        }
        Some(())
    }

    fn sequences(&self, axis: usize, mask: &[u8], lengths: &[u8], result: &mut [u8]) -> Option<()> {
        let dtype = self.other.dtype;
        let strides = row_major(&self.shape);
        let [n, step, next] = [self.shape[axis], strides[axis] * mask.len(), strides[1 - axis] * mask.len()];
        for (at, bytes) in lengths.chunks_exact(dtype.n_bytes()).enumerate() {
            let length = cast_between(scalar_of(dtype, bits_of_bytes(bytes)), dtype, Dtype::Float64).as_float();
            // Nothing is behind what is no number.
            let kept = if length.is_nan() { n } else { length.ceil().clamp(0.0, n as f64) as usize };
            for place in kept..n {
                repeat(mask, result.get_mut(place * step + at * next..)?.get_mut(..step.min(next))?);
            }
        }
        Some(())
    }

    fn diagonals(&self, [from, to]: [i64; 2], is_right: [bool; 2], source: &[u8], result: &mut [u8]) -> Option<()> {
        let [.., height, width] = self.shape[..] else { return None };
        let (height, width, n_bytes) = (height as i64, width as i64, self.dtype.n_bytes());
        let (&longest, others) = self.other.shape.split_last()?;
        // One diagonal is a vector, and more of them are the rows of a matrix.
        let n_rows = if from == to { 1 } else { *others.last()? };
        let sources = source.chunks_exact((n_rows * longest * n_bytes).max(1));
        for (matrix, source) in result.chunks_exact_mut((height * width) as usize * n_bytes).zip(sources) {
            for k in from.max(1 - height)..=to.min(width - 1) {
                let (above, below) = (k.max(0), (-k).max(0));
                let n = (width - above).min(height - below) as usize;
                // One alone has no place to spare.
                let is_right = n_rows > 1 && is_right[usize::from(k < 0)];
                let row = usize::try_from(to.saturating_sub(k)).ok().filter(|&row| row < n_rows)?;
                let start = row * longest + if is_right { longest.checked_sub(n)? } else { 0 };
                let source = source.get(start * n_bytes..)?.get(..n * n_bytes)?;
                let to = matrix.get_mut((below * width + above) as usize * n_bytes..)?;
                let places = to.chunks_mut((width + 1) as usize * n_bytes);
                for (to, from) in places.zip(source.chunks_exact(n_bytes)) {
                    to.get_mut(..n_bytes)?.copy_from_slice(from);
                }
            }
        }
        Some(())
    }

    fn slice(&self, bounds: [Vec<i64>; 3], source: &[u8], result: &mut [u8]) -> Result<(), Fault> {
        let cut = cuts(&self.shape, &bounds, &self.other.shape)?;
        let n_bytes = self.dtype.n_bytes();
        let strides = row_major(&self.shape);
        let mut from = source.chunks_exact(n_bytes);
        let mut done = Some(());
        each_index(&self.other.shape, &mut |index| {
            let place = |((&at, cut), stride): ((&usize, &[i64; 2]), &usize)| place_of_cut(cut, at) * stride;
            let at: usize = index.iter().zip(&cut).zip(&strides).map(place).sum();
            match (from.next(), result.get_mut(at * n_bytes..).and_then(|to| to.get_mut(..n_bytes))) {
                (Some(from), Some(to)) => to.copy_from_slice(from),
                _ => done = None,
            }
        });
        done.well_typed()
    }
}

/// The dtypes of the bounds behind data and values.
fn bounds_of(operands: &[ResultType]) -> Result<[Dtype; 3], Fault> {
    let [x, values, a, b, c] = operands else { return Err(Fault::ill_typed()) };
    let is_bound = |of: &&ResultType| !of.dtype.is_float() && matches!(of.shape[..], [n] if n <= x.shape.len());
    if ![a, b, c].iter().all(is_bound) {
        return Err(Fault::other(NOT_BOUNDS));
    }
    if x.dtype != values.dtype {
        return Err(Fault::other(NOT_THE_SLICE));
    }
    Ok([a, b, c].each(|of| of.dtype))
}

impl Work for Overwrites {
    fn takes(&self, operand: usize) -> bool {
        operand == 0
    }

    fn n_working_bytes(&self) -> u64 {
        match self.what {
            What::Diagonals { .. } if self.other.dtype != self.dtype => {
                (count(&self.other.shape).unwrap_or(0) * self.dtype.n_bytes()) as u64
            }
            _ => 0,
        }
    }

    fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        let n_bytes = self.dtype.n_bytes();
        let (data, other) = (*sources.first().well_typed()?, sources.get(1).copied().flatten().well_typed()?);
        let is_long = result.len() == self.shape.iter().product::<usize>() * n_bytes
            && other.len() == self.other.shape.iter().product::<usize>() * self.other.dtype.n_bytes();
        if !is_long || data.is_some_and(|data| data.len() != result.len()) {
            return Err(Fault::ill_typed());
        }
        if result.is_empty() && !matches!(self.what, What::Slice(_)) {
            return Ok(());
        }
        if let Some(data) = data {
            copy_short(data, result);
        }
        match &self.what {
            What::Triangle { is_upper } => {
                let k = self.ints(self.other.dtype, sources.get(1));
                k.and_then(|k| self.triangle(*is_upper, *k.first()?, result)).well_typed()
            }
            What::Sequences { axis, mask } => {
                let mask = mask.element(self.dtype, &[]).well_typed()?;
                self.sequences(*axis, &mask[..n_bytes], other, result).well_typed()
            }
            What::Diagonals { from, to, is_right } if self.other.dtype == self.dtype => {
                self.diagonals([*from, *to], *is_right, other, result).well_typed()
            }
            What::Diagonals { from, to, is_right } => {
                let mut cast = vec![0; other.len() / self.other.dtype.n_bytes() * n_bytes];
                convert([self.other.dtype, self.dtype], other, &mut cast, scratch.blocks()).well_typed()?;
                self.diagonals([*from, *to], *is_right, &cast, result).well_typed()
            }
            What::Slice(dtypes) => {
                let dtypes = dtypes.clone()?;
                let [a, b, c] = [0, 1, 2].each(|at| self.ints(dtypes[at], sources.get(at + 2)));
                let bounds = [a.well_typed()?, b.well_typed()?, c.well_typed()?];
                self.slice(bounds, other, result)
            }
        }
    }
}
