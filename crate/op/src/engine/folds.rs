//! Reductions of all dtypes but float32: row by row by the loops of the dtype where these come to the same, or a block
//! at a time, one element after the other in `f64`, `i64` or `i128`, as the meaning has it.

use super::Source;
use super::blocks::{Blocks, format};
use crate::reduce::{Folding, folding};
use crate::rule::reduced_axes;
use crate::run::{ResultType, round_to, wrap_to};
use base::{MapArray, ToList};
use kernel::elementwise::Binary;
use kernel::fold::{self, Extent};
use kernel::native::{Bits, Loop};
use kernel::number::Number;
use kernel::permute::Permutation;
use kernel::wide::{self, BLOCK};
use std::ops::Range;
use ty::{Attrs, Dtype, Scalar, scalar_bits};

pub struct Folded {
    folding: Folding,
    /// With the axes that are folded behind the others, where they stand apart.
    turned: Option<Permutation>,
    extent: Extent,
    dtype: Dtype,
    is_sum: bool,
    /// What sums are divided by.
    divisor: Option<usize>,
    /// The same of whole rows, on elements as they are in memory.
    native: Option<Loop>,
}

/// Bytes of rows that loops fold into each other, and of one that they fold upon itself: with fewer, there is nothing to
/// gain.
const LEAST: usize = 64;
const LEAST_OF_ONE: usize = 256;

/// The loop that folds rows as `name` folds elements: of floats only where the order of what is folded does not matter,
/// or stays.
fn native(name: &str, dtype: Dtype, Extent { reduced, inner, .. }: Extent) -> Option<Loop> {
    let is_any_order = inner > 1 || !dtype.is_float() || matches!(name, "max" | "min");
    let (row, least) = if inner > 1 { (inner, LEAST) } else { (reduced, LEAST_OF_ONE) };
    if !is_any_order || row < least / dtype.n_bytes() {
        return None;
    }
    let op = match name {
        "all" | "min" if dtype == Dtype::Bool => return Some(Loop::of_bits(Bits::And, format(dtype))),
        "any" | "max" if dtype == Dtype::Bool => return Some(Loop::of_bits(Bits::Or, format(dtype))),
        "sum" => Binary::Add,
        "prod" => Binary::Multiply,
        "max" => Binary::Maximum,
        "min" => Binary::Minimum,
        _ => return None,
    };
    Loop::new(op, format(dtype))
}

impl Folded {
    /// `None`: this is no reduction, or the result is of another dtype.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Folded> {
        let [x] = operands else { return None };
        let folding = folding(name, x.dtype)?;
        let (extent, turned, n_folded) = side_by_side(attrs, &x.shape)?;
        let (n, n_results) = (super::count(&x.shape)?, super::count(&result.shape)?);
        let divisor = (name == "mean").then_some(n_folded);
        let fits = n == extent.n_elements() && n_results == extent.n_results() && x.dtype == result.dtype;
        let (dtype, is_sum) = (x.dtype, matches!(name, "sum" | "mean"));
        let native = native(name, dtype, extent);
        fits.then_some(Folded { folding, turned, extent, dtype, is_sum, divisor, native })
    }

    /// Bytes of the elements in another order.
    pub fn n_working_bytes(&self) -> u64 {
        let n = if self.turned.is_some() { self.extent.n_elements() } else { 0 };
        n as u64 * self.dtype.n_bytes() as u64
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8], blocks: &mut Blocks) -> Option<()> {
        let (from, width, dtype) = ((*sources.first()?)?, self.dtype.n_bytes(), self.dtype);
        if from.len() != self.extent.n_elements() * width || result.len() != self.extent.n_results() * width {
            return None;
        }
        let mut room = Vec::new();
        let from = turned(&self.turned, width, from, &mut room);
        if let (Some(native), false) = (self.native, from.is_empty()) {
            return self.rows(native, from, result);
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
                |blocks, part, sums, at| match self.is_sum {
                    true => wide::add_floats(&blocks.floats[0][part], sums, at),
                    false => wide::fold_floats(float, &blocks.floats[0][part], sums, at),
                },
                |sum| write(Scalar::Float(round_to(dtype, self.divisor.map_or(sum, |n| sum / n as f64)))),
            ),
            false if is_narrow => self.all(
                from,
                blocks,
                0,
                |blocks, part, sums, at| wide::add_ints(&blocks.ints[0][part], sums, at),
                |sum| write(Scalar::Int(self.divisor.map_or(sum, |n| sum.divide_by(n.max(1))))),
            ),
            false => self.all(
                from,
                blocks,
                init.1,
                |blocks, part, sums, at| wide::fold_ints(int, is_unsigned, &blocks.ints[0][part], sums, at),
                |sum| write(Scalar::Int(wrap_to(dtype, self.divisor.map_or(sum, |n| sum.divide_by(n.max(1))) as i64))),
            ),
        }
    }

    /// Folds whole rows into the first, or a row upon itself.
    fn rows(&self, native: Loop, from: &[u8], result: &mut [u8]) -> Option<()> {
        let Extent { reduced, inner, .. } = self.extent;
        let Folding { init, .. } = self.folding;
        let width = self.dtype.n_bytes();
        let init = if self.dtype.is_float() { Scalar::Float(init.0) } else { Scalar::Int(init.1 as i64) };
        let init = &scalar_bits(self.dtype, init).to_le_bytes()[..width];
        let mut room = vec![0; if inner > 1 { 0 } else { reduced / 2 * width }];
        for (part, to) in from.chunks_exact(reduced * inner * width).zip(result.chunks_exact_mut(inner * width)) {
            if inner > 1 {
                let (first, rest) = part.split_at(inner * width);
                native.run([Some(init), Some(first)], to)?;
                rest.chunks_exact(inner * width).try_for_each(|row| native.run([None, Some(row)], to))?;
                continue;
            }
            to.copy_from_slice(init);
            halve(native, width, part, &mut room, to)?;
        }
        Some(())
    }

    /// Folds all elements, each block of them by `fold`, and hands on the results in order.
    fn all<T: Copy>(
        &self,
        from: &[u8],
        blocks: &mut Blocks,
        init: T,
        fold: impl Fn(&Blocks, Range<usize>, &mut [T], &mut usize),
        mut write: impl FnMut(T),
    ) -> Option<()> {
        let Extent { outer, reduced, inner } = self.extent;
        if from.is_empty() {
            (0..outer * inner).for_each(|_| write(init));
            return Some(());
        }
        let width = self.dtype.n_bytes();
        let (mut one, mut many) = ([init], Vec::new());
        let sums = if inner == 1 {
            &mut one[..]
        } else {
            many.resize(inner, init);
            &mut many
        };
        let (mut left, mut at) = (reduced * inner, 0);
        for bytes in from.chunks(BLOCK * width) {
            let n = bytes.len() / width;
            blocks.read(0, self.dtype, bytes, n).ok()?;
            let mut done = 0;
            while done < n {
                let length = left.min(n - done);
                fold(blocks, done..done + length, sums, &mut at);
                (done, left) = (done + length, left - length);
                if left == 0 {
                    for sum in &mut *sums {
                        write(std::mem::replace(sum, init));
                    }
                    left = reduced * inner;
                }
            }
        }
        Some(())
    }
}

/// The axes that a reduction folds as one extent, the order that brings them side by side where they stand apart, and how
/// many elements are folded into one.
pub fn side_by_side(attrs: &Attrs, shape: &[usize]) -> Option<(Extent, Option<Permutation>, usize)> {
    let rank = shape.len();
    let reduced = reduced_axes(attrs, rank).ok()?;
    let [kept, axes]: [Vec<usize>; 2] = [false, true].each(|is| (0..rank).filter(|&axis| reduced[axis] == is).list());
    let size = |axes: &Vec<usize>| axes.iter().map(|&axis| shape[axis]).product();
    let (extent, turned) = match fold::groups(shape, &axes)[..] {
        [extent] => (extent, None),
        [] => (Extent { outer: super::count(shape)?, reduced: 1, inner: 1 }, None),
        _ => {
            let order: Vec<usize> = kept.iter().chain(&axes).copied().list();
            let turned = Permutation::new(shape, &order);
            (Extent { outer: size(&kept), reduced: size(&axes), inner: 1 }, Some(turned))
        }
    };
    Some((extent, turned, size(&axes)))
}

/// The elements in that order.
pub fn turned<'a>(turned: &Option<Permutation>, width: usize, from: &'a [u8], room: &'a mut Vec<u8>) -> &'a [u8] {
    let Some(turned) = turned else { return from };
    room.resize(from.len(), 0);
    turned.run(width, from, room);
    room
}

/// Folds the halves of a row into each other, and those of what that gives, in `room` for half a row; `to` is an element
/// that the last one comes to, and those that have no other one.
fn halve(native: Loop, width: usize, row: &[u8], room: &mut [u8], to: &mut [u8]) -> Option<()> {
    let mut n = row.len() / width / 2;
    let (halves, odd) = row.split_at(2 * n * width);
    let (a, b) = halves.split_at(n * width);
    native.run([Some(a), Some(b)], &mut room[..n * width])?;
    if !odd.is_empty() {
        native.run([None, Some(odd)], to)?;
    }
    while n > 0 {
        if n % 2 == 1 {
            native.run([None, Some(&room[(n - 1) * width..n * width])], to)?;
        }
        n /= 2;
        let (a, b) = room.split_at_mut(n * width);
        native.run([None, Some(&b[..n * width])], a)?;
    }
    Some(())
}
