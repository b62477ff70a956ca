//! Operators that only move elements, as bytes: a body serves every dtype, by the width of its elements.
//!
//! Where an element comes from is, for most, a sum of one number for each axis of the result ([`Places`]).

use super::blocks::{Blocks, half, write_elements};
use super::indexed::int_of;
use super::places::Places;
use super::single::{axis_of, broadcasts};
use super::{MOST, Scratch, Source, count};
use crate::create::counting;
use crate::rule::create::bound;
use crate::rule::misc::einsum_order;
use crate::run::{Fault, ResultType, WellTyped, cast_between};
use base::{Append, ToList};
use kernel::elementwise::broadcast::Walk;
use kernel::elementwise::compare;
use kernel::halves;
use kernel::native::{copy_short, repeat};
use kernel::permute::{Permutation, Strided, copy};
use kernel::wide::BLOCK;
use ty::{Attrs, Dtype, Elements, Scalar, bits_of_bytes, scalar_bits, scalar_of};

pub enum Moves {
    Places(Places),
    /// Of elements of so many bytes.
    Permute(Permutation, usize),
    /// Operands side by side: how many runs each has, and how long they are.
    Join {
        n_runs: usize,
        runs: Vec<usize>,
    },
    Fill(Fill, Dtype),
    /// What attributes and the operands' types say, by its bytes.
    Known(Vec<u8>),
    Cast([Dtype; 2]),
    /// By a bool for each; elements of so many bytes.
    Where {
        walk: Walk<3>,
        lengths: [usize; 3],
        width: usize,
    },
    OneHot {
        on: Fill,
        off: Fill,
        from: Dtype,
        to: Dtype,
        depth: usize,
        inner: usize,
    },
}

/// An element that comes from no place of the data.
#[derive(Clone, Copy)]
pub enum Fill {
    Number(f64),
    /// The only element of an operand.
    Operand(usize, Dtype),
    /// By its bytes.
    Element([u8; 8]),
}

/// Elements of a result that a plan keeps.
const MOST_KNOWN: usize = 1024;

impl Moves {
    /// `None`: this is none of them, or not on these types.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Moves> {
        let ResultType { shape: to, dtype } = result;
        let (dtype, width, n) = (*dtype, dtype.n_bytes(), count(to)?);
        // Of what has more bytes they cannot be counted, and there is no memory for it anyway.
        let is_counted = |of: &ResultType| count(&of.shape).is_some_and(|n| n <= MOST / of.dtype.n_bytes() * 8);
        if !is_counted(result) || !operands.iter().all(is_counted) {
            return None;
        }
        match name {
            "zeros" | "zeros_like" => return Some(Moves::fill(0.0, dtype)),
            "ones" | "ones_like" => return Some(Moves::fill(1.0, dtype)),
            _ => {}
        }
        // Of nothing, sizes may be any.
        let x = operands.first().filter(|_| n > 0)?;
        let is_whole = !dtype.is_float() && dtype != Dtype::Bool;
        let known = match name {
            "shape_of" if is_whole => Some(Elements::Int(x.shape.iter().map(|&size| size as i64).list())),
            "ndarray_size" if is_whole => Some(Elements::Int(vec![count(&x.shape)? as i64])),
            "arange" if n <= MOST_KNOWN => Some(counting(dtype, bound(attrs, "start")?, bound(attrs, "step")?, n)),
            _ => None,
        };
        if let Some(elements) = known {
            let mut bytes = vec![0; n * width];
            write_elements(&elements, dtype, &mut bytes);
            return Some(Moves::Known(bytes));
        }
        let (from, rank) = (&x.shape, x.shape.len());
        let is_same = operands.iter().all(|of| of.dtype == dtype);
        let one = |at: usize| {
            let of = operands.get(at)?;
            (count(&of.shape) == Some(1)).then_some(Fill::Operand(at, of.dtype))
        };
        Some(match name {
            "full" => Moves::Fill(one(0)?, dtype),
            "full_like" => Moves::Fill(one(1)?, dtype),
            "cast" | "cast_like" => (count(from)? == n).then_some(Moves::Cast([x.dtype, dtype]))?,
            "transpose" | "layout_transform" | "einsum" if x.dtype == dtype && operands.len() == 1 => {
                let axes = order(name, attrs, rank)?;
                let is_order =
                    axes.len() == to.len() && axes.iter().zip(to).all(|(&axis, &to)| from.get(axis) == Some(&to));
                let is_all = (0..rank).all(|axis| axes.contains(&axis)) && axes.len() == rank;
                (is_order && is_all).then(|| Moves::Permute(Permutation::new(from, &axes), width))?
            }
            "concatenate" | "stack" if is_same => {
                let axis = axis_of(attrs, 0, to.len())?;
                let inner: usize = if name == "stack" { 1 } else { 0 };
                let run = |of: &ResultType| of.shape.get(axis..).and_then(count).map(|n| n * width);
                let runs: Vec<usize> = operands.iter().map(run).some_list()?;
                let is_rank = operands.iter().all(|of| of.shape.len() + inner == to.len());
                let n_runs = count(&to[..axis])?;
                let total = runs.iter().try_fold(0_usize, |sum, &run| sum.checked_add(run))?;
                (is_rank && total.checked_mul(n_runs)? == n * width).then_some(Moves::Join { n_runs, runs })?
            }
            "nn.depth_to_space" | "nn.space_to_depth" if is_same => {
                let (split, axes) = regrouped(name, attrs, from)?;
                (count(&split) == Some(n)).then(|| Moves::Permute(Permutation::new(&split, &axes), width))?
            }
            "where" => {
                let [condition, a, b] = operands else { return None };
                let shapes = [&condition.shape[..], &a.shape, &b.shape];
                let fits = condition.dtype == Dtype::Bool
                    && [a, b].iter().all(|of| of.dtype == dtype)
                    && shapes.iter().all(|shape| broadcasts(shape, to));
                let [c, x, y] = shapes.map(|shape| count(shape).unwrap_or(0));
                let lengths = [c, x * width, y * width];
                fits.then(|| Moves::Where { walk: Walk::new(shapes, to), lengths, width })?
            }
            "one_hot" => {
                let axis = match attrs.int("axis").unwrap_or(-1) {
                    -1 => to.len().checked_sub(1)?,
                    axis => usize::try_from(axis).ok()?,
                };
                let depth = *to.get(axis)?;
                let inner = count(&to[axis + 1..])?;
                let fits = count(from)?.checked_mul(depth)? == n;
                let (on, off) = (one(1)?, one(2)?);
                fits.then_some(Moves::OneHot { on, off, from: x.dtype, to: dtype, depth, inner })?
            }
            _ if x.dtype == dtype => Moves::Places(Places::new(name, attrs, operands, result)?),
            _ => return None,
        })
    }

    /// The same number everywhere.
    pub fn fill(number: f64, dtype: Dtype) -> Moves {
        Moves::Fill(Fill::Number(number).known(dtype), dtype)
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        self.try_run(sources, result, scratch).well_typed()
    }

    fn try_run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Option<()> {
        let from = |at: usize| *sources.get(at)?;
        match self {
            Moves::Places(places) => places.run(sources, result)?,
            Moves::Permute(permutation, width) => permutation.run(*width, from(0)?, result),
            Moves::Join { n_runs, runs } => {
                let stride = runs.iter().total();
                let mut start = 0;
                for (at, &run) in runs.iter().enumerate() {
                    let part = from(at)?;
                    if part.len() != run * n_runs || result.len() != stride * n_runs {
                        return None;
                    }
                    let target = Strided { start, stride };
                    copy(*n_runs, run, (part, Strided { start: 0, stride: run }), (result, target));
                    start += run;
                }
            }
            Moves::Fill(fill, dtype) => repeat(&fill.element(*dtype, sources)?[..dtype.n_bytes()], result),
            Moves::Known(bytes) => copy_short(bytes, result),
            Moves::Cast(dtypes) => convert(*dtypes, from(0)?, result, scratch.blocks())?,
            Moves::Where { walk, lengths, width } => {
                let operands = [from(0)?, from(1)?, from(2)?];
                let are_long = operands.iter().zip(lengths).all(|(operand, &length)| operand.len() == length);
                if !are_long || result.len() != walk.n * width {
                    return None;
                }
                match width {
                    1 => select::<1>(walk, operands, result),
                    2 => select::<2>(walk, operands, result),
                    4 => {
                        let [condition, x, y] = operands;
                        compare::select_four(condition, cast(x)?, cast(y)?, walk, cast_mut(result)?);
                    }
                    _ => select::<8>(walk, operands, result),
                }
            }
            Moves::OneHot { on, off, from: index, to, depth, inner } => {
                let width = to.n_bytes();
                repeat(&off.element(*to, sources)?[..width], result);
                let on = on.element(*to, sources)?;
                for (at, bytes) in from(0)?.chunks_exact(index.n_bytes()).enumerate() {
                    if let Some(class) = usize::try_from(int_of(*index, bytes)).ok().filter(|class| class < depth) {
                        let place = (at / inner * depth + class) * inner + at % inner;
                        result.get_mut(place * width..)?.get_mut(..width)?.copy_from_slice(&on[..width]);
                    }
                }
            }
        }
        Some(())
    }
}

/// Each element as another dtype.
pub fn convert(dtypes: [Dtype; 2], from: &[u8], to: &mut [u8], blocks: &mut Blocks) -> Option<()> {
    if quick_cast(dtypes, from, to).is_some() {
        return Some(());
    }
    let [of, into] = dtypes.map(|dtype| BLOCK * dtype.n_bytes());
    for (bytes, place) in from.chunks(of).zip(to.chunks_mut(into)) {
        let n = bytes.len() / dtypes[0].n_bytes();
        blocks.read(0, dtypes[0], bytes, n).ok()?;
        blocks.cast(dtypes, n);
        blocks.write(dtypes[1], place);
    }
    Some(())
}

/// The casts that models are full of.
fn quick_cast(dtypes: [Dtype; 2], from: &[u8], to: &mut [u8]) -> Option<()> {
    match dtypes {
        [Dtype::Float32, Dtype::Int32] => compare::to_i32(cast(from)?, cast_mut(to)?),
        [Dtype::Float32, Dtype::Float64] => compare::to_f64(cast(from)?, cast_mut(to)?),
        [Dtype::Float32, Dtype::Bool] => compare::to_bool(cast(from)?, to),
        [Dtype::Int32, Dtype::Float32] => compare::from_i32(cast(from)?, cast_mut(to)?),
        [Dtype::Float64, Dtype::Float32] => compare::from_f64(cast(from)?, cast_mut(to)?),
        [Dtype::Bool | Dtype::UInt8, Dtype::Float32] => compare::from_u8(from, cast_mut(to)?),
        [of, Dtype::Float32] => halves::read(half(of)?, from, cast_mut(to)?),
        [Dtype::Float32, into] => halves::write(half(into)?, cast(from)?, to),
        _ => return None,
    }
    Some(())
}

fn cast<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Option<&[T]> {
    bytemuck::try_cast_slice(bytes).ok()
}

fn cast_mut<T: bytemuck::Pod>(bytes: &mut [u8]) -> Option<&mut [T]> {
    bytemuck::try_cast_slice_mut(bytes).ok()
}

fn select<const N: usize>(walk: &Walk<3>, [condition, x, y]: [&[u8]; 3], to: &mut [u8]) {
    compare::select(condition, x.as_chunks::<N>().0, y.as_chunks::<N>().0, walk, to.as_chunks_mut::<N>().0);
}

/// The sizes of data whose blocks have axes of their own, and which of these each axis of the result is.
fn regrouped(name: &str, attrs: &Attrs, from: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
    let layout = attrs.str("layout");
    let block = usize::try_from(attrs.int("block_size")?).ok().filter(|&block| block > 0)?;
    // Places of a block are `y` and `x`.
    let channels = match attrs.str("mode") {
        "DCR" | "" => "yxc",
        "CRD" | "CDR" => "cyx",
        _ => return None,
    };
    let to_space = name == "nn.depth_to_space";
    let (mut split, mut parts, mut result) = (Vec::new(), String::new(), String::new());
    for (letter, &size) in layout.chars().zip(from) {
        let (whole, few) = match letter {
            'N' => ("n", "n"),
            'C' => ("c", channels),
            'H' => ("h", "hy"),
            'W' => ("w", "wx"),
            _ => return None,
        };
        let is_split = (letter == 'C') == to_space;
        parts.push_str(if is_split { few } else { whole });
        result.push_str(if is_split || letter == 'N' { whole } else { few });
        split.append_all(std::iter::repeat_n(size, parts.len() - split.len()));
    }
    (parts.len() == 6 && result.len() == 6 && layout.len() == from.len()).then_some(())?;
    for (size, part) in split.iter_mut().zip(parts.bytes()) {
        *size = match part {
            b'y' | b'x' => block,
            b'c' if to_space => *size / block / block,
            b'h' | b'w' if !to_space => *size / block,
            _ => *size,
        };
    }
    let axes = result.bytes().map(|part| base::place(&parts, part)).some_list()?;
    Some((split, axes))
}

/// Which axis of the data each axis of the result is.
fn order(name: &str, attrs: &Attrs, rank: usize) -> Option<Vec<usize>> {
    if name == "layout_transform" {
        let (from, to) = (attrs.str("src_layout"), attrs.str("dst_layout"));
        let is_plain =
            from.len() == rank && [from, to].iter().all(|of| of.bytes().all(|byte| byte.is_ascii_uppercase()));
        return if is_plain { to.bytes().map(|letter| base::place(from, letter)).some_list() } else { None };
    }
    if name == "einsum" {
        return einsum_order(attrs.str("equation"), rank);
    }
    match attrs.ints("axes").filter(|axes| !axes.is_empty()) {
        Some(axes) => {
            let from_start = |axis: i64| usize::try_from(axis + if axis < 0 { rank as i64 } else { 0 }).ok();
            axes.into_iter().map(from_start).some_list()
        }
        None => Some((0..rank).rev().list()),
    }
}

impl Fill {
    /// The same, as an element of a dtype where that is known by now.
    pub fn known(self, dtype: Dtype) -> Fill {
        self.element(dtype, &[]).map_or(self, Fill::Element)
    }

    /// As an element of a dtype, and what is behind it.
    pub fn element(self, dtype: Dtype, sources: &[Source]) -> Option<[u8; 8]> {
        let (scalar, of) = match self {
            Fill::Element(bytes) => return Some(bytes),
            Fill::Operand(at, of) if of == dtype => {
                return Some(bits_of_bytes((*sources.get(at)?)?.get(..of.n_bytes())?).to_le_bytes());
            }
            Fill::Number(number) => (Scalar::Float(number), Dtype::Float64),
            Fill::Operand(at, of) => (scalar_of(of, bits_of_bytes((*sources.get(at)?)?.get(..of.n_bytes())?)), of),
        };
        Some(scalar_bits(dtype, cast_between(scalar, of, dtype)).to_le_bytes())
    }
}
