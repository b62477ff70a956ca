//! Elements that indices name: read by `take`, `gather` and `gather_nd`, written by the scatters. They are bytes, so a
//! body serves every dtype; what is written is merged as numbers, unless it replaces.
//!
//! Worked example: `gather_nd` of `[[1, 2], [3, 4]]` with the columns `(1, 0)` and `(0, 1)` reads at `1 · 2 + 0` and
//! `0 · 2 + 1`, which are 3 and 2; `scatter_nd` would write there.

use super::single::axis_of;
use super::{MOST, Scratch, Source, Work, count};
use crate::places::{Merge, within, within_either};
use crate::run::{Fault, ResultType, WellTyped, narrow};
use base::ToList;
use kernel::index::{count_up, name, rows};
use kernel::native::gather;
use kernel::shape::{OutOfRange, place};
use kernel::strided::{Offsets, row_major};
use ty::{Attrs, Dtype, bits_of_bytes, scalar_bits, scalar_of};

/// Runs of bytes that are read or written one after the other.
pub struct Indexed {
    /// The runs as an array: the sizes of all axes but the last, and for each of these by how much the place in the data,
    /// in bytes, and that of the index differ; then the same of the last.
    outer: Vec<usize>,
    strides: [Vec<usize>; 2],
    last: usize,
    steps: [usize; 2],
    /// The axes along which indices name a place: sizes, and strides in bytes. The indices of one run are `apart`.
    axes: Vec<(usize, usize)>,
    apart: usize,
    index: Dtype,
    n_indices: usize,
    beyond: Beyond,
    /// Bytes of the data and of a run.
    length: usize,
    run: usize,
    /// What is written, if this writes.
    merge: Option<Update>,
}

/// What an index means that names no place.
#[derive(Clone, Copy)]
enum Beyond {
    Take(OutOfRange),
    Fault,
    /// A negative one counts from the end.
    FromEnd,
}

#[derive(Clone, Copy)]
struct Update {
    merge: Merge,
    replaces: bool,
    dtype: Dtype,
}

/// Places whose runs are copied at once.
const BLOCK: usize = 128;

impl Indexed {
    /// `None`: this is none of them, or not on these types.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Indexed> {
        let merge = match name {
            "take" | "gather" | "gather_nd" => "",
            "scatter_elements" => attrs.str("reduction"),
            "scatter_nd" => attrs.str("mode"),
            _ => return None,
        };
        let [x, indices, updates @ ..] = operands else { return None };
        let (from, named_by, rank, width) = (&x.shape, &indices.shape, x.shape.len(), x.dtype.n_bytes());
        // Of nothing, sizes may be any.
        let is_few = |of: &ResultType| count(&of.shape).is_some_and(|n| n <= MOST);
        (operands.iter().all(is_few) && is_few(result) && !result.shape.contains(&0)).then_some(())?;
        let (n, n_indices) = (count(from)?, count(named_by)?);
        let strides: Vec<usize> = row_major(from).iter().map(|stride| stride * width).list();
        let (mut beyond, mut apart, mut run) = (Beyond::Fault, 0, width);
        let (mut shape, mut base, mut at, axes);
        match name {
            "take" => {
                let axis = if attrs.int("axis").is_some() { axis_of(attrs, 0, rank)? } else { 0 };
                let size = if attrs.int("axis").is_some() { from[axis] } else { n };
                if attrs.int("axis").is_some() {
                    run = strides[axis];
                }
                let batch = attrs.int("batch_dims").unwrap_or(0);
                let batch = batch + if batch < 0 { named_by.len() as i64 } else { 0 };
                let batch = usize::try_from(batch).ok().filter(|&batch| batch <= axis)?;
                let (n_batches, n_outer) = (count(&from[..batch])?, count(&from[batch..axis])?);
                let n_taken = count(named_by.get(batch..)?)?;
                (n_batches.checked_mul(n_taken)? == n_indices).then_some(())?;
                let line = size.checked_mul(run)?;
                shape = vec![n_batches, n_outer, n_taken];
                (base, at) = (vec![n_outer.checked_mul(line)?, line, 0], vec![n_taken, 0, 1]);
                axes = vec![(size, run)];
                beyond = Beyond::Take(match attrs.str("mode") {
                    "wrap" => OutOfRange::Wrap,
                    "error" | "fast" => OutOfRange::Error,
                    _ => OutOfRange::Clip,
                });
            }
            "gather" | "scatter_elements" => {
                let axis = axis_of(attrs, 0, rank)?;
                let fits = named_by.len() == rank && (0..rank).all(|at| at == axis || named_by[at] <= from[at]);
                fits.then_some(())?;
                (shape, base, at) = (named_by.clone(), strides.clone(), row_major(named_by));
                base[axis] = 0;
                axes = vec![(from[axis], strides[axis])];
                if name == "scatter_elements" {
                    beyond = Beyond::FromEnd;
                }
            }
            _ => {
                let (&m, columns) = named_by.split_first()?;
                let batch = if name == "gather_nd" { attrs.int("batch_dims").unwrap_or(0) } else { 0 };
                let batch = usize::try_from(batch).ok()?;
                let end = batch.checked_add(m).filter(|&end| end <= rank)?;
                (columns.get(..batch)? == &from[..batch]).then_some(())?;
                (shape, base, at) = (columns.to_vec(), vec![0; columns.len()], row_major(columns));
                base[..batch].copy_from_slice(&strides[..batch]);
                axes = from[batch..end].iter().copied().zip(strides[batch..end].iter().copied()).list();
                (apart, run) = (count(columns)?, count(&from[end..])? * width);
            }
        }
        let n_runs = count(&shape)?;
        // Along an axis of one place nothing differs.
        for axis in (0..shape.len()).rev().filter(|&axis| shape[axis] == 1).list() {
            shape.remove(axis);
            base.remove(axis);
            at.remove(axis);
        }
        // Axes that go on where the next one ends are one.
        for axis in (1..shape.len()).rev() {
            let goes_on = |strides: &[usize]| strides[axis - 1] == strides[axis] * shape[axis];
            if goes_on(&base) && goes_on(&at) {
                shape[axis - 1] *= shape.remove(axis);
                base.remove(axis - 1);
                at.remove(axis - 1);
            }
        }
        let moved = n_runs.checked_mul(run)?;
        let n_bytes = |of: &ResultType| count(&of.shape)?.checked_mul(of.dtype.n_bytes());
        let fits = match updates {
            [] => merge.is_empty() && n_bytes(result)? == moved,
            [updates] => n_bytes(updates)? == moved && updates.dtype == x.dtype && n_bytes(result)? == n * width,
            _ => false,
        };
        (fits && result.dtype == x.dtype && !indices.dtype.is_float()).then_some(())?;
        let merge = match merge {
            "" => None,
            word => Some(Update { merge: Merge::named(word).ok()?, replaces: word == "update", dtype: x.dtype }),
        };
        let (last, steps) = (shape.pop().unwrap_or(1), [base.pop().unwrap_or(0), at.pop().unwrap_or(0)]);
        let (outer, strides, index, length) = (shape, [base, at], indices.dtype, n * width);
        Some(Indexed { outer, strides, last, steps, axes, apart, index, n_indices, beyond, length, run, merge })
    }

    /// Calls `visit` with the places that the indices name, some at once, each of which has room for a run.
    fn each(&self, indices: &[u8], places: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) -> Result<(), Fault> {
        let width = self.index.n_bytes();
        places.resize(BLOCK, 0);
        let mut line = |[base, at]: [usize; 2]| {
            for start in (0..self.last).step_by(BLOCK) {
                let n = BLOCK.min(self.last - start);
                if self.are_named(indices, (base, at), start, &mut places[..n]) {
                    visit(&places[..n]);
                    continue;
                }
                for (i, place) in (start..).zip(&mut places[..n]) {
                    *place = base + i * self.steps[0];
                    for (row, &(size, stride)) in self.axes.iter().enumerate() {
                        let at = (at + i * self.steps[1] + row * self.apart) * width;
                        let bytes = indices.get(at..at + width).well_typed()?;
                        *place += self.place(bytes, size)? * stride;
                    }
                }
                visit(&places[..n]);
            }
            Ok(())
        };
        if self.outer.is_empty() {
            return line([0, 0]);
        }
        Offsets::new(&self.outer, [&self.strides[0], &self.strides[1]]).try_for_each(line)
    }

    /// The places from `start` on, where the indices are of the dtype that they mostly are, one behind the other, and all
    /// within their axes.
    fn are_named(&self, indices: &[u8], (base, at): (usize, usize), start: usize, places: &mut [usize]) -> bool {
        let Dtype::Int32 = self.index else { return false };
        let Ok(indices) = bytemuck::try_cast_slice::<u8, i32>(indices) else { return false };
        if self.steps[1] != 1 {
            return false;
        }
        count_up(base + start * self.steps[0], self.steps[0], places);
        for (row, &axis) in self.axes.iter().enumerate() {
            let indices = indices.get(at + start + row * self.apart..).and_then(|of| of.get(..places.len()));
            if !indices.is_some_and(|indices| name(indices, axis, places)) {
                return false;
            }
        }
        true
    }

    /// The rows that indices name, if each of these, of the dtype that they mostly are, names one at the start of the data.
    fn rows<'a>(&self, data: &'a [u8]) -> Option<&'a [u8]> {
        match self.axes[..] {
            [(size, stride)]
                if stride == self.run
                    && self.index == Dtype::Int32
                    && self.outer.is_empty()
                    && self.steps == [0, 1] =>
            {
                data.get(..size * stride)
            }
            _ => None,
        }
    }

    /// Where an index is in an axis.
    fn place(&self, bytes: &[u8], size: usize) -> Result<usize, Fault> {
        let index = bits_of_index(self.index, bytes);
        if (index as u64) < size as u64 {
            return Ok(index as usize);
        }
        match self.beyond {
            Beyond::Take(mode) => place(index, size, mode).ok_or_else(|| Fault::index(index)),
            Beyond::Fault => within(narrow(self.index, index), size),
            Beyond::FromEnd => within_either(narrow(self.index, index), size),
        }
    }
}

impl Work for Indexed {
    fn takes(&self, operand: usize) -> bool {
        self.merge.is_some() && operand == 0
    }

    fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        let other = |at: usize| sources.get(at).copied().flatten().well_typed();
        let indices = other(1)?;
        let is_long = |bytes: &[u8], n: usize| if bytes.len() == n { Ok(()) } else { Err(Fault::ill_typed()) };
        is_long(indices, self.n_indices * self.index.n_bytes())?;
        if let Some(Some(data)) = sources.first() {
            is_long(data, self.length)?;
        }
        let run = self.run;
        let Some(update) = self.merge else {
            let data = other(0)?;
            if let Some(named) = self.rows(data)
                && let Ok(indices) = bytemuck::try_cast_slice(indices)
                && rows(named, indices, run, result).is_some()
            {
                return Ok(());
            }
            let mut left = result;
            return self.each(indices, &mut scratch.places, &mut |places| {
                let n = (places.len() * run).min(left.len());
                let (to, rest) = std::mem::take(&mut left).split_at_mut(n);
                gather(data, places, run, &[], to);
                left = rest;
            });
        };
        is_long(result, self.length)?;
        if let Some(Some(data)) = sources.first() {
            result.copy_from_slice(data);
        }
        let mut updates = other(2)?.chunks_exact(run);
        self.each(indices, &mut scratch.places, &mut |places| {
            for (&at, from) in places.iter().zip(&mut updates) {
                let to = &mut result[at..at + run];
                if update.replaces { to.copy_from_slice(from) } else { update.merge(from, to) }
            }
        })
    }
}

impl Update {
    /// Each element into what is there, rounded or wrapped.
    fn merge(self, from: &[u8], to: &mut [u8]) {
        let width = self.dtype.n_bytes();
        for (new, place) in from.chunks_exact(width).zip(to.chunks_exact_mut(width)) {
            let scalar = |bytes: &[u8]| scalar_of(self.dtype, bits_of_bytes(bytes));
            let merged = self.merge.one(self.dtype, scalar(place), scalar(new));
            place.copy_from_slice(&scalar_bits(self.dtype, merged).to_le_bytes()[..width]);
        }
    }
}

/// An index by its 64 bits.
fn bits_of_index(dtype: Dtype, bytes: &[u8]) -> i64 {
    match (dtype, bytes) {
        (Dtype::Int32, &[a, b, c, d]) => i32::from_le_bytes([a, b, c, d]).into(),
        _ => scalar_of(dtype, bits_of_bytes(bytes)).as_int(),
    }
}

/// An integer; what is past the last int64 saturates.
pub fn int_of(dtype: Dtype, bytes: &[u8]) -> i64 {
    narrow(dtype, bits_of_index(dtype, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_past_its_axis_names_no_element_of_the_next_row() {
        let of = |shape: &[usize], dtype| ResultType { shape: shape.to_vec(), dtype };
        let attrs = Attrs { entries: vec![("axis", ty::AttrValue::Int(1))], ..Attrs::default() };
        // Indices are fewer than the data has rows.
        let operands = [of(&[2, 3], Dtype::Float32), of(&[1, 2], Dtype::Int32)];
        let gather = Indexed::new("gather", &attrs, &operands, &of(&[1, 2], Dtype::Float32)).unwrap();
        let data: Vec<u8> = [1_f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let run = |indices: [i32; 2]| {
            let mut result = [0_u8; 8];
            let sources = [Some(&data[..]), Some(bytemuck::cast_slice(&indices))];
            gather.run(&sources, &mut result, &mut Scratch::default()).map(|()| bytemuck::cast::<_, [f32; 2]>(result))
        };
        assert_eq!(run([2, 0]).ok(), Some([3.0, 1.0]));
        assert!(run([0, 3]).is_err());
    }
}
