//! Operators along one axis whose results are those of the meaning to the bit: running sums and products, sorting, the
//! place of the largest element, and the norms that have no body of their own, which are those of float64 and of integers, which are computed as such.
//!
//! The elements along the axis are brought side by side as numbers of 64 bits, some neighbouring lines at once, and
//! written back when the line is done. Worked example: `cumsum` along the rows of a `(2, 3)` brings `[x00, x10]`,
//! `[x01, x11]` and `[x02, x12]` side by side and adds up each.

use super::blocks::{self, Blocks};
use super::folds::{side_by_side, turned};
use super::single::{along, axis_of};
use super::{Scratch, Source, Work, count};
use crate::reduce::NO_POSITION;
use crate::run::{Fault, ResultType, WellTyped, round_to, truncated, widen};
use kernel::fold::Extent;
use kernel::lines::{self, Number};
use kernel::permute::Permutation;
use kernel::wide::BLOCK;
use std::ops::Range;
use ty::{Attrs, Dtype};

/// Elements of a line of which the largest is sought, or of which some stand side by side: with more, there may be no room
/// for them.
const MOST_OF_LINE: usize = 1 << 21;

/// More are not kept between calls.
const MOST_KEPT: usize = 1 << 17;

/// Lines that are brought at once, side by side or one behind the other, and elements of each that a running sum takes.
const TILE: usize = 16;
const PART: usize = 1 << 10;

pub struct Lines {
    op: Along,
    /// With the axis behind the others, where it is several that stand apart.
    turned: Option<Permutation>,
    /// Of the operand and of the result.
    dtypes: [Dtype; 2],
    extent: Extent,
    /// Elements along the axis of the result.
    n_to: usize,
    /// Operands behind the first, each with a number for every place along the axis.
    n_vectors: usize,
}

#[derive(Clone, Copy)]
enum Along {
    Scan {
        is_product: bool,
        is_exclusive: bool,
    },
    /// The elements in order, or their places.
    Sort {
        is_ascend: bool,
        is_places: bool,
    },
    /// The place of the largest element, or of the smallest.
    Best {
        is_largest: bool,
        is_last: bool,
    },
    Softmax,
    LogSoftmax,
    LayerNorm(Scales),
    BatchNorm(Scales),
    LocalResponse(i64, [f64; 3]),
}

#[derive(Clone, Copy)]
struct Scales {
    epsilon: f64,
    is_scaled: bool,
    is_centered: bool,
}

/// Numbers on their way, by their bits: of lines, of vectors, and keys with places.
#[derive(Default)]
pub struct Rooms {
    lines: Vec<u64>,
    vectors: Vec<f64>,
    pairs: [Vec<(u64, u32)>; 2],
}

impl Along {
    /// Whether it computes with real numbers.
    fn is_norm(self) -> bool {
        !matches!(self, Along::Scan { .. } | Along::Sort { .. } | Along::Best { .. })
    }

    fn new(name: &str, attrs: &Attrs, dtypes: [Dtype; 2], at: usize) -> Option<Along> {
        let is_same = dtypes[0] == dtypes[1];
        // Others have bodies of float32.
        let is_wide = is_same && (dtypes[0] == Dtype::Float64 || !dtypes[0].is_float());
        let scales = || Scales {
            epsilon: attrs.float("epsilon"),
            is_scaled: attrs.flag("scale"),
            is_centered: attrs.flag("center"),
        };
        Some(match name {
            // What wraps keeps its low bits, however wide it is before. A bool does not wrap.
            "cumsum" | "cumprod"
                if dtypes[1] != Dtype::Bool && (is_same || dtypes.iter().all(|dtype| !dtype.is_float())) =>
            {
                Along::Scan { is_product: name == "cumprod", is_exclusive: attrs.flag("exclusive") }
            }
            "sort" | "argsort" | "topk" => {
                let is_places = match (name, attrs.str("ret_type")) {
                    ("sort", _) | ("topk", "values") => false,
                    ("argsort", _) | ("topk", "indices") => true,
                    _ => at == 1,
                };
                (is_places || is_same).then_some(())?;
                Along::Sort { is_ascend: attrs.flag("is_ascend"), is_places }
            }
            // There may be more places than a dtype can say.
            "argmax" | "argmin" if matches!(dtypes[1], Dtype::Int32 | Dtype::Int64) => {
                Along::Best { is_largest: name == "argmax", is_last: attrs.flag("select_last_index") }
            }
            "nn.softmax" | "nn.fast_softmax" if is_wide => Along::Softmax,
            "nn.log_softmax" if is_wide => Along::LogSoftmax,
            "nn.layer_norm" if is_wide => Along::LayerNorm(scales()),
            "nn.batch_norm" if is_wide && at == 0 => Along::BatchNorm(scales()),
            "nn.lrn" if is_same => {
                let size = attrs.int("size").unwrap_or(5);
                (size > 0 && size % 2 == 1).then_some(())?;
                Along::LocalResponse(size, [attrs.float("bias"), attrs.float("alpha"), attrs.float("beta")])
            }
            _ => return None,
        })
    }
}

impl Lines {
    /// For result `at` of a call. `None`: this is no such operator, or not on these types.
    pub fn new(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType, at: usize) -> Option<Lines> {
        let (x, vectors) = operands.split_first()?;
        let dtypes = [x.dtype, result.dtype];
        let op = Along::new(name, attrs, dtypes, at)?;
        let default = match op {
            Along::Scan { .. } => 0,
            Along::BatchNorm(_) | Along::LocalResponse(..) => 1,
            Along::Sort { .. } | Along::Softmax | Along::LogSoftmax | Along::LayerNorm(_) => -1,
            Along::Best { .. } => return Lines::best(op, attrs, x, result),
        };
        let n_vectors = match op {
            Along::LayerNorm(_) => 2,
            Along::BatchNorm(_) => 4,
            _ => 0,
        };
        let n = count(&x.shape)?;
        let is_scan = matches!(op, Along::Scan { .. });
        let flat = is_scan && attrs.int("axis").is_none();
        let (shape, to) =
            if flat { (vec![n], vec![count(&result.shape)?]) } else { (x.shape.clone(), result.shape.clone()) };
        let axis = axis_of(attrs, default, shape.len())?;
        let (extent, n_to) = (along(&shape, axis), *to.get(axis)?);
        let is_like = to.len() == shape.len() && (0..to.len()).all(|at| at == axis || to[at] == shape[at]);
        let is_whole = matches!(op, Along::Sort { .. }) && n_to <= extent.reduced || n_to == extent.reduced;
        let most = if is_scan { usize::MAX } else { u32::MAX as usize };
        let is_short = extent.reduced <= most;
        let is_vector = |of: &ResultType| of.dtype == x.dtype && of.shape == [extent.reduced];
        let fits = is_like && is_whole && is_short && vectors.len() == n_vectors && vectors.iter().all(is_vector);
        fits.then_some(Lines { op, turned: None, dtypes, extent, n_to, n_vectors })
    }

    /// One place for each line.
    fn best(op: Along, attrs: &Attrs, x: &ResultType, result: &ResultType) -> Option<Lines> {
        let (extent, turned, _) = side_by_side(attrs, &x.shape)?;
        count(&x.shape)?;
        let fits = extent.reduced <= u32::MAX as usize && count(&result.shape)? == extent.n_results();
        fits.then_some(Lines { op, turned, dtypes: [x.dtype, result.dtype], extent, n_to: 1, n_vectors: 0 })
    }

    fn try_run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Option<()> {
        let Extent { outer: n_outer, reduced, inner } = self.extent;
        let [dtype, to] = self.dtypes;
        let from = (*sources.first()?)?;
        let fits = from.len() == n_outer * reduced * inner * dtype.n_bytes()
            && result.len() == n_outer * self.n_to * inner * to.n_bytes()
            && sources.len() == 1 + self.n_vectors;
        fits.then_some(())?;
        if from.is_empty() || result.is_empty() {
            return Some(());
        }
        let mut room = Vec::new();
        let from = turned(&self.turned, dtype.n_bytes(), from, &mut room);
        let Scratch { lines: rooms, blocks, .. } = scratch;
        let blocks = blocks.get_or_insert_default();
        rooms.vectors.clear();
        for vector in &sources[1..] {
            blocks.append(dtype, (*vector)?, &mut rooms.vectors)?;
        }
        (rooms.vectors.len() == self.n_vectors * reduced).then_some(())?;
        let part = if matches!(self.op, Along::Scan { .. }) { PART } else { reduced };
        // Whole lines that stand one behind the other; of others, some that stand side by side.
        let is_plain = inner == 1;
        let (at_once, tile) = if is_plain { ((BLOCK / reduced).clamp(1, TILE), 1) } else { (1, self.tile().max(1)) };
        let (mut outer, mut line, mut start) = (0, 0, 0);
        let mut folded = [self.first(); TILE];
        while outer < n_outer {
            let n_lines = if is_plain { at_once.min(n_outer - outer) } else { tile.min(inner - line) };
            let n = part.min(reduced - start);
            // A block more, since whole ones are read and written.
            rooms.lines.resize((n_lines * n + BLOCK).max(rooms.lines.len()), 0);
            let place = (outer * reduced + start) * inner + line;
            each_run([n_lines, n, inner, n], &mut |at, n, words| {
                let bytes = from.get((place + at) * dtype.n_bytes()..)?.get(..n * dtype.n_bytes())?;
                read(blocks, dtype, bytes, (words, n), &mut rooms.lines)
            })?;
            for (line, folded) in folded[..n_lines].iter_mut().enumerate() {
                self.line(line * n..(line + 1) * n, folded, rooms)?;
            }
            let n_to = self.n_to.min(n);
            if is_plain && n_to < n {
                (1..n_lines).for_each(|line| rooms.lines.copy_within(line * n..line * n + n_to, line * n_to));
            }
            let place = (outer * self.n_to + start) * inner + line;
            each_run([n_lines, n_to, inner, n], &mut |at, n, words| {
                let bytes = result.get_mut((place + at) * to.n_bytes()..)?.get_mut(..n * to.n_bytes())?;
                write(blocks, to, bytes, (words, n), &rooms.lines)
            })?;
            start += n;
            if start == reduced {
                (start, line, folded) = (0, line + n_lines, [self.first(); TILE]);
            }
            if start == 0 && (is_plain || line == inner) {
                (line, outer) = (0, outer + if is_plain { n_lines } else { 1 });
            }
        }
        if rooms.lines.len() > MOST_KEPT {
            *rooms = Rooms::default();
        }
        Some(())
    }

    /// How many lines are brought side by side at once.
    fn tile(&self) -> usize {
        let is_short = matches!(self.op, Along::Scan { .. }) || self.extent.reduced <= MOST_OF_LINE / TILE;
        if is_short { TILE.min(self.extent.inner) } else { 1 }
    }

    /// What a scan begins with.
    fn first(&self) -> u64 {
        let one = if self.dtypes[1].is_float() { 1.0_f64.to_bits() } else { 1 };
        if matches!(self.op, Along::Scan { is_product: true, .. }) { one } else { 0 }
    }

    /// Computes one line where it is; its first words become those of the result.
    fn line(&self, at: Range<usize>, folded: &mut u64, rooms: &mut Rooms) -> Option<()> {
        let [dtype, to] = self.dtypes;
        let Rooms { lines, vectors, pairs } = rooms;
        let words = lines.get_mut(at)?;
        let is_cast = !dtype.is_float() && self.op.is_norm();
        if is_cast {
            words.iter_mut().for_each(|word| *word = (widen(dtype, *word as i64) as f64).to_bits());
        }
        let vector = |i: usize| vectors.get(i * self.extent.reduced..(i + 1) * self.extent.reduced);
        match self.op {
            Along::Scan { is_product, is_exclusive } if to.is_float() => {
                let step = |a: f64, b: f64| round_to(to, if is_product { a * b } else { a + b });
                let folded = bytemuck::cast_mut(folded);
                lines::scan(bytemuck::cast_slice_mut(words), folded, is_exclusive, step);
            }
            Along::Scan { is_product, is_exclusive } => {
                let step = |a: u64, b: u64| if is_product { a.wrapping_mul(b) } else { a.wrapping_add(b) };
                lines::scan(words, folded, is_exclusive, step);
            }
            Along::Sort { is_ascend, is_places } => {
                let places = is_places.then(|| number(to));
                lines::sort(words, number(dtype), is_ascend, self.n_to, places, pairs);
            }
            Along::Best { is_largest, is_last } => words[0] = lines::best(words, number(dtype), is_largest, is_last),
            Along::Softmax => lines::softmax(bytemuck::cast_slice_mut(words)),
            Along::LogSoftmax => lines::log_softmax(bytemuck::cast_slice_mut(words)),
            Along::LayerNorm(scales) => {
                let line = bytemuck::cast_slice_mut(words);
                lines::standardise(line, scales.epsilon);
                scales.apply(line, vector(0)?, vector(1)?);
            }
            Along::BatchNorm(scales) => {
                let line: &mut [f64] = bytemuck::cast_slice_mut(words);
                for ((x, mean), variance) in line.iter_mut().zip(vector(2)?).zip(vector(3)?) {
                    *x = (*x - mean) / (variance + scales.epsilon).sqrt();
                }
                scales.apply(line, vector(0)?, vector(1)?);
            }
            Along::LocalResponse(size, constants) => {
                lines::local_response(bytemuck::cast_slice_mut(words), size, constants);
            }
        }
        if is_cast {
            words.iter_mut().for_each(|word| *word = truncated(to, f64::from_bits(*word)) as u64);
        }
        Some(())
    }
}

impl Work for Lines {
    fn n_working_bytes(&self) -> u64 {
        let line = self.extent.reduced as u64;
        let turned = if self.turned.is_some() { self.extent.n_elements() * self.dtypes[0].n_bytes() } else { 0 };
        turned as u64
            + match self.op {
                Along::Scan { .. } => 0,
                // A number, and two pairs of a key and a place.
                Along::Sort { .. } => line * (8 * self.tile() as u64 + 32),
                _ => line * 8 * (self.tile() + 1 + self.n_vectors) as u64,
            }
    }

    fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        if matches!(self.op, Along::Best { .. }) && self.extent.reduced == 0 {
            return Err(Fault::other(NO_POSITION));
        }
        self.try_run(sources, result, scratch).well_typed()
    }
}

impl Scales {
    fn apply(self, line: &mut [f64], gamma: &[f64], beta: &[f64]) {
        for ((x, gamma), beta) in line.iter_mut().zip(gamma).zip(beta) {
            *x = if self.is_scaled { *x * gamma } else { *x };
            *x = if self.is_centered { *x + beta } else { *x };
        }
    }
}

/// What a number of this dtype is on 64 bits.
fn number(dtype: Dtype) -> Number {
    match dtype {
        Dtype::UInt64 => Number::Unsigned,
        _ if dtype.is_float() => Number::Float,
        _ => Number::Signed,
    }
}

/// Where numbers stand among words: the first, and how far they are apart.
type Spread = (usize, usize);

/// Calls `each` with every run of elements that are neighbours in memory, at most a block of them, of lines that are
/// neighbours: where it begins, how many they are, and where their words are. Each line has room for `pitch` words, but
/// for those that stand one behind the other (`inner` is 1), which need no room between them.
fn each_run(
    [n_lines, n, inner, pitch]: [usize; 4],
    each: &mut dyn FnMut(usize, usize, Spread) -> Option<()>,
) -> Option<()> {
    if inner > 1 {
        return (0..n).try_for_each(|at| each(at * inner, n_lines, (at, pitch)));
    }
    let (mut at, n) = (0, n_lines * n);
    while at < n {
        each(at, BLOCK.min(n - at), (at, 1))?;
        at += BLOCK;
    }
    Some(())
}

fn read(
    blocks: &mut Blocks,
    dtype: Dtype,
    bytes: &[u8],
    ((start, step), n): (Spread, usize),
    to: &mut [u64],
) -> Option<()> {
    let to = to.get_mut(start..)?;
    if step == 1 {
        blocks::read(dtype, bytes, to.first_chunk_mut()?);
        return Some(());
    }
    let words: &mut [u64; BLOCK] = bytemuck::cast_mut(&mut blocks.ints[0]);
    blocks::read(dtype, bytes, words);
    words[..n].iter().zip(to.iter_mut().step_by(step)).for_each(|(&word, place)| *place = word);
    Some(())
}

fn write(
    blocks: &mut Blocks,
    dtype: Dtype,
    bytes: &mut [u8],
    ((start, step), n): (Spread, usize),
    from: &[u64],
) -> Option<()> {
    let from = from.get(start..)?;
    if step == 1 {
        blocks::write(dtype, from.first_chunk()?, bytes);
        return Some(());
    }
    let words: &mut [u64; BLOCK] = bytemuck::cast_mut(&mut blocks.ints[0]);
    words[..n].iter_mut().zip(from.iter().step_by(step)).for_each(|(place, &word)| *place = word);
    blocks::write(dtype, words, bytes);
    Some(())
}
