//! Elements that come from places of an operand which are, for each axis of the result, a number of bytes away.
//!
//! Most axes are so many places, all as far apart: of a slice, an axis the other way round, one that is repeated (0 bytes
//! apart) or tiled (two axes). Others are listed. Axes at the end that are as far apart as their elements are long are a
//! run, which is copied as a whole.
//!
//! Worked example: the columns of a `(2, 3)` of float32 the other way round begin at byte 8, and have axes of 2 places 12
//! bytes apart and of 3 places -4 apart: elements 2, 1, 0, 5, 4, 3.

use super::moves::Fill;
use super::single::{axis_of, broadcasts};
use super::{MOST, Source, count};
use crate::nn::moves::{Border, bordered, enlarged_places};
use crate::rule::index::slices;
use crate::run::ResultType;
use base::{Append, ToList};
use kernel::index::NOWHERE;
use kernel::native::{gather, repeat};
use kernel::strided::row_major;
use ty::{Attrs, Dtype};

/// Places that are listed: more would be a table of some size.
const MOST_LISTED: usize = 1 << 22;

/// Places of the last axes that are listed as those of one.
const FEW: usize = 64;

/// Places of the last axis that are copied at once.
const BLOCK: usize = 1024;

pub struct Places {
    /// Which one is the data.
    operand: usize,
    /// In bytes.
    length: usize,
    /// Bytes that stay side by side, and of an element.
    run: usize,
    width: usize,
    /// Where the first element comes from.
    first: usize,
    /// But for the last.
    axes: Vec<Axis>,
    /// How many places the last axis has, and how far apart they are.
    n: usize,
    step: isize,
    /// Of that axis all places, or the first [`BLOCK`], counted from the lowest of them. Of several axes all, `step` is 0.
    near: Vec<usize>,
    fill: Fill,
    dtype: Dtype,
}

/// An axis of a result.
enum Axis {
    /// So many places, each so far behind the one before.
    Steps(usize, isize),
    /// How far each is away; [`NOWHERE`] for what is filled.
    Listed(Vec<usize>),
}

impl Axis {
    fn len(&self) -> usize {
        match self {
            Axis::Steps(n, _) => *n,
            Axis::Listed(places) => places.len(),
        }
    }

    /// `None` for what is filled.
    fn place(&self, at: usize) -> Option<isize> {
        match self {
            Axis::Steps(_, step) => Some(at as isize * step),
            Axis::Listed(places) => Some(places[at]).filter(|&place| place != NOWHERE).map(|place| place as isize),
        }
    }

    /// The least and the largest.
    fn ends(&self) -> (isize, isize) {
        match self {
            Axis::Steps(n, step) => {
                let last = (*n as isize - 1) * step;
                (last.min(0), last.max(0))
            }
            Axis::Listed(places) => {
                let far = places.iter().filter(|&&place| place != NOWHERE).fold(0, |far: usize, &at| far.max(at));
                (0, far as isize)
            }
        }
    }
}

impl Places {
    /// `None`: the operator moves in another way, or not these types.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Places> {
        let (x, to) = (operands.first()?, &result.shape);
        let from = &x.shape;
        let strides = row_major(from).into_iter().map(|stride| stride as isize).list();
        let missing = to.len().checked_sub(from.len())?;
        let inner = &to[missing..];
        let (mut fill, mut first) = (Fill::Number(0.0), 0);
        // The axes that the data has not are the same each time.
        let mut axes: Vec<Axis> = to[..missing].iter().map(|&n| Axis::Steps(n, 0)).list();
        let each = |axis: usize| Axis::Steps(inner[axis], strides[axis]);
        // What is listed counts places of an axis of the data.
        let listed = |axis: usize, places: Vec<Option<usize>>| {
            let stride = strides[axis] as usize;
            Axis::Listed(places.into_iter().map(|place| place.map_or(NOWHERE, |place| place * stride)).list())
        };
        let ranks = 0..from.len();
        match name {
            "broadcast_to" | "broadcast_to_like" => {
                broadcasts(from, to).then_some(())?;
                axes.append_all(
                    ranks.map(|axis| if from[axis] == 1 { Axis::Steps(inner[axis], 0) } else { each(axis) }),
                );
            }
            "tile" => {
                for axis in ranks {
                    let n = inner[axis].checked_div(from[axis])?;
                    axes.append_all([Axis::Steps(n, 0), Axis::Steps(from[axis], strides[axis])]);
                }
            }
            "repeat" => {
                let repeats = usize::try_from(attrs.int("repeats")?).ok()?;
                let repeated = axis_of(attrs, 0, from.len())?;
                for axis in ranks {
                    axes.push(Axis::Steps(from[axis], strides[axis]));
                    axes.append_all((axis == repeated).then_some(Axis::Steps(repeats, 0)));
                }
            }
            "reverse" => {
                let turned = axis_of(attrs, 0, from.len())?;
                first = (*from.get(turned)? as isize - 1) * strides[turned];
                let step = |axis: usize| if axis == turned { -strides[axis] } else { strides[axis] };
                axes.append_all(ranks.map(|axis| Axis::Steps(inner[axis], step(axis))));
            }
            "slice_like" => axes.append_all(ranks.map(each)),
            "sliding_window" => {
                // Of each axis that windows go along, the positions, and behind those of all axes the windows.
                let along = axis_of(attrs, 0, from.len())?;
                let (by, n) = (attrs.ints("strides")?, from.len() - along);
                let by: Vec<isize> = by.into_iter().map(|by| isize::try_from(by).ok()).some_list()?;
                (by.len() == n && missing == n).then_some(())?;
                let step = |at: usize| strides[at] * if at < along { 1 } else { by[at - along] };
                axes.clear();
                axes.append_all(ranks.clone().map(|at| Axis::Steps(to[at], if to[at] > 1 { step(at) } else { 0 })));
                axes.append_all((along..from.len()).map(|at| Axis::Steps(to[at + n], strides[at])));
            }
            "strided_slice" => {
                axes.append_all(ranks.map(each));
                for (axis, [begin, step, n]) in slices(attrs, from) {
                    first += begin as isize * strides[axis];
                    // One place is followed by none, however long the step is.
                    let step = if n > 1 { step as isize * strides[axis] } else { 0 };
                    axes[missing + axis] = Axis::Steps(usize::try_from(n).ok()?, step);
                }
            }
            "nn.pad" | "nn.mirror_pad" => {
                let border = Border::of(name, attrs);
                if name == "nn.pad" {
                    let value = operands.get(1)?;
                    (count(&value.shape) == Some(1)).then_some(())?;
                    fill = Fill::Operand(1, value.dtype);
                }
                let ty::AttrValue::List(widths) = attrs.get("pad_width") else { return None };
                for axis in ranks {
                    let before = *widths.get(axis)?.as_ints()?.first()?;
                    let n = inner[axis];
                    if before == 0 && n == from[axis] {
                        axes.push(each(axis));
                        continue;
                    }
                    (n <= MOST_LISTED).then_some(())?;
                    axes.push(listed(axis, bordered(from[axis], before, n, border).ok()?));
                }
            }
            "nn.upsampling" | "nn.upsampling3d" => {
                inner.iter().all(|&n| n <= MOST_LISTED).then_some(())?;
                axes.append_all(ranks.map(each));
                for (axis, found) in enlarged_places(name, attrs, from, to)? {
                    axes[axis] = listed(axis, found);
                }
            }
            _ => return None,
        }
        let places = Places::of((0, count(from)?), (first, axes), fill, result.dtype)?;
        (places.n_bytes() == count(to)? * places.width).then_some(places)
    }

    /// The part of axis `axis` from `start` on that a result of a split is.
    pub fn part(operand: usize, x: &ResultType, axis: usize, start: usize, result: &ResultType) -> Option<Places> {
        let n = count(&result.shape)?;
        let is_part = (1..=MOST).contains(&n)
            && x.dtype == result.dtype
            && x.shape.len() == result.shape.len()
            && start.checked_add(*result.shape.get(axis)?)? <= x.shape[axis]
            && (0..x.shape.len()).all(|at| at == axis || x.shape[at] == result.shape[at]);
        let n = count(&x.shape).filter(|&n| is_part && n <= MOST)?;
        let strides = row_major(&x.shape);
        let first = (start * strides[axis]) as isize;
        let axes = result.shape.iter().zip(strides).map(|(&n, stride)| Axis::Steps(n, stride as isize)).list();
        Places::of((operand, n), (first, axes), Fill::Number(0.0), result.dtype)
    }

    /// The first place and the axes count elements, of which the operand has `n`.
    fn of((operand, n): (usize, usize), (first, axes): (isize, Vec<Axis>), fill: Fill, dtype: Dtype) -> Option<Places> {
        let (mut low, mut high) = (first, first);
        for (least, most) in axes.iter().map(Axis::ends) {
            (low, high) = (low.checked_add(least)?, high.checked_add(most)?);
        }
        (low >= 0 && high < n as isize).then_some(())?;
        let width = dtype.n_bytes();
        let mut joined: Vec<Axis> = Vec::with_capacity(axes.len());
        let mut run = width;
        // From the last one on.
        for axis in axes.into_iter().rev() {
            let axis = match axis {
                Axis::Steps(n, step) => Axis::Steps(n, step * width as isize),
                Axis::Listed(mut places) => {
                    places.iter_mut().filter(|place| **place != NOWHERE).for_each(|place| *place *= width);
                    Axis::Listed(places)
                }
            };
            match (axis, joined.last_mut()) {
                (Axis::Steps(1, _), _) => {}
                (Axis::Steps(n, step), None) if step == run as isize => run *= n,
                // One goes on where the one before it ends.
                (Axis::Steps(n, step), Some(Axis::Steps(many, near))) if step == *near * *many as isize => *many *= n,
                (axis, _) => joined.push(axis),
            }
        }
        joined.reverse();
        let first = first * width as isize;
        let mut places = Places {
            operand,
            length: n * width,
            run,
            width,
            first: first as usize,
            axes: joined,
            n: 1,
            step: 0,
            near: vec![0],
            fill: fill.known(dtype),
            dtype,
        };
        // Axes at the end that have few places together are listed as one, and of one before them as many as fit.
        let (mut listed, mut n): (Vec<Axis>, usize) = (Vec::new(), 1);
        while let Some(axis) = places.axes.pop_if(|axis| axis.len() * n <= FEW) {
            n *= axis.len();
            listed.push(axis);
        }
        if let (Some(&mut Axis::Steps(size, step)), false) = (places.axes.last_mut(), listed.is_empty()) {
            let part = (1..=FEW / n.max(1)).rev().find(|&part| size.is_multiple_of(part)).unwrap_or(1);
            places.axes.pop();
            places.axes.push(Axis::Steps(size / part, step * part as isize));
            listed.push(Axis::Steps(part, step));
        }
        if !listed.is_empty() || places.axes.is_empty() {
            let low: isize = listed.iter().map(|axis| axis.ends().0).sum();
            places.near = vec![low.unsigned_abs()];
            for axis in listed.into_iter().rev() {
                let mut next = Vec::new();
                for &before in &places.near {
                    for at in 0..axis.len() {
                        next.push(match axis.place(at) {
                            Some(place) if before != NOWHERE => before.wrapping_add_signed(place),
                            Some(_) | None => NOWHERE,
                        });
                    }
                }
                places.near = next;
            }
            (places.first, places.n) = ((first + low) as usize, places.near.len());
            return Some(places);
        }
        match places.axes.pop() {
            Some(Axis::Steps(n, step)) => {
                let block = n.min(BLOCK);
                let order = |at: usize| if step < 0 { block - 1 - at } else { at };
                places.near = (0..block).map(|at| order(at) * step.unsigned_abs()).list();
                (places.n, places.step) = (n, step);
            }
            Some(Axis::Listed(near)) => (places.n, places.near) = (near.len(), near),
            None => {}
        }
        Some(places)
    }

    /// Of the result.
    fn n_bytes(&self) -> usize {
        self.axes.iter().map(Axis::len).product::<usize>() * self.n * self.run
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8]) -> Option<()> {
        let from = (*sources.get(self.operand)?)?;
        let fill = self.fill.element(self.dtype, sources)?;
        let fill = &fill[..self.width];
        if from.len() != self.length || result.len() != self.n_bytes() {
            return None;
        }
        if result.is_empty() {
            return Some(());
        }
        if self.axes.is_empty() && self.n == self.near.len() && self.step >= 0 {
            gather(&from[self.first..], &self.near, self.run, fill, result);
            return Some(());
        }
        let mut index = vec![0; self.axes.len()];
        for to in result.chunks_exact_mut(self.n * self.run) {
            let add = |base: isize, (axis, &at): (&Axis, &usize)| Some(base + axis.place(at)?);
            match self.axes.iter().zip(&index).try_fold(self.first as isize, add) {
                None => repeat(fill, to),
                Some(base) => {
                    for (i, to) in to.chunks_mut(self.near.len() * self.run).enumerate() {
                        let n = to.len() / self.run;
                        let at = i * self.near.len();
                        // The lowest of them, and where its block's places are that are left of it.
                        let (lowest, skipped) = if self.step < 0 { (at + n - 1, self.near.len() - n) } else { (at, 0) };
                        let lowest = (base + lowest as isize * self.step) as usize;
                        gather(from.get(lowest..)?, &self.near[skipped..][..n], self.run, fill, to);
                    }
                }
            }
            for (at, axis) in index.iter_mut().zip(&self.axes).rev() {
                *at += 1;
                if *at < axis.len() {
                    break;
                }
                *at = 0;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements one after the other, each from the sum of its axes' places.
    fn expected(from: &[u8], width: usize, first: isize, axes: &[Axis]) -> Vec<u8> {
        let mut places = vec![Some(first)];
        for axis in axes {
            places =
                places.iter().flat_map(|before| (0..axis.len()).map(|at| Some((*before)? + axis.place(at)?))).list();
        }
        let element =
            |place: Option<isize>| place.map_or(vec![7; width], |at| from[at as usize * width..][..width].to_vec());
        places.into_iter().flat_map(element).list()
    }

    #[test]
    fn elements_come_from_the_sum_of_their_places() {
        let mut state = 1_u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        for round in 0..400 {
            let dtype = [Dtype::Int8, Dtype::Float16, Dtype::Float32, Dtype::Int64][below(4)];
            let width = dtype.n_bytes();
            let mut make = || -> Vec<Axis> {
                let axis = |i: usize, below: &mut dyn FnMut(usize) -> usize| {
                    let n = if i == 0 { 1 + below(2600) } else { 1 + below(5) };
                    match below(4) {
                        0 => Axis::Listed((0..n).map(|_| if below(3) == 0 { NOWHERE } else { below(50) }).list()),
                        1 => Axis::Steps(n, 1),
                        _ => Axis::Steps(n, below(9) as isize - 4),
                    }
                };
                let mut axes = (0..1 + below(4)).map(|i| axis(i, &mut below)).list();
                // The long one is not always the last.
                let to = below(axes.len());
                axes.swap(0, to);
                axes
            };
            let axes = make();
            let (low, high) =
                axes.iter().map(Axis::ends).fold((0, 0), |(low, high), ends| (low + ends.0, high + ends.1));
            let n = (high - low) as usize + 1;
            let from = (0..n * width).map(|at| (at * 31 % 251) as u8).list();
            let want = expected(&from, width, -low, &axes);
            let places = Places::of((0, n), (-low, axes), Fill::Element([7; 8]), dtype).expect("places of the operand");
            let mut found = vec![0; want.len()];
            places.run(&[Some(&from)], &mut found).expect("a result of that size");
            assert!(found == want, "round {round}");
        }
    }

    #[test]
    fn places_outside_are_none() {
        let of = |first: isize, axes: Vec<Axis>| Places::of((0, 10), (first, axes), Fill::Number(0.0), Dtype::Int8);
        assert!(of(0, vec![Axis::Steps(10, 1)]).is_some());
        assert!(of(1, vec![Axis::Steps(10, 1)]).is_none());
        assert!(of(8, vec![Axis::Steps(10, -1)]).is_none());
        assert!(of(0, vec![Axis::Listed(vec![3, 10])]).is_none());
    }
}
