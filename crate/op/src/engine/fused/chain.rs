//! Stages of any dtypes, a block at a time: each step is the plan of its operator on a block, and what is between two of
//! them stays in the first-level cache.

use super::MAX_READ;
use super::stage::{Group, Lying, Run, Wiring};
use crate::engine::{Plan, Scratch, Source};
use crate::run::ResultType;
use base::ToList;
use kernel::elementwise::broadcast::Walk;
use kernel::elementwise::program::Place;
use kernel::native::Loop;
use kernel::native::repeat;

/// Bytes of a register: a block of what has the widest elements.
const BLOCK: usize = 1 << 14;

pub struct Chain {
    operands: Vec<Operand>,
    links: Vec<Link>,
    n_registers: usize,
    n: usize,
    /// Elements of a block.
    n_block: usize,
    /// Bytes of an element of the result.
    width: usize,
}

/// What is read along the result.
struct Operand {
    given: usize,
    walk: Walk<1>,
    width: usize,
    way: Way,
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Element by element.
    Whole,
    /// One for all.
    One,
    /// Each block of it is written out.
    Spread,
}

/// A step.
struct Link {
    /// On a block, and on what is left behind the last one; and the loop that is all there is to do, if one is.
    whole: (Plan, Option<Loop>),
    last: (Plan, Option<Loop>),
    reads: Vec<Read>,
    to: usize,
    /// Of its result.
    width: usize,
}

#[derive(Clone, Copy)]
enum Read {
    /// A block, and how wide its elements are.
    Register(usize, usize),
    Operand(usize),
}

impl Operand {
    fn new(lying: &Lying) -> Operand {
        let (walk, width) = (lying.walk(), lying.dtype.n_bytes());
        let way = match lying.is_whole() {
            true => Way::Whole,
            false if walk.run == walk.n && !walk.moves[0] => Way::One,
            false => Way::Spread,
        };
        Operand { given: lying.given, walk, width, way }
    }

    /// Writes out the elements from `start` on.
    fn spread(&self, from: &[u8], start: usize, to: &mut [u8]) -> Option<()> {
        let Walk { run, moves: [is_moving], .. } = self.walk;
        let (mut at, n) = (0, to.len() / self.width);
        while at < n {
            let (number, first) = ((start + at) / run, (start + at) % run);
            let length = (run - first).min(n - at);
            let [offset] = self.walk.offsets(number);
            let to = &mut to[at * self.width..(at + length) * self.width];
            let of = |at: usize, n: usize| from.get(at * self.width..(at + n) * self.width);
            match is_moving {
                true => to.copy_from_slice(of(offset + first, length)?),
                false => repeat(of(offset, 1)?, to),
            }
            at += length;
        }
        Some(())
    }
}

impl Chain {
    /// `None` if a step has no plan.
    pub fn new(group: &Group, stage: &[usize], n: usize) -> Option<Chain> {
        let Wiring { lying, runs, n_registers } = Wiring::new(group, stage, n, (&[], 0))?;
        let operands: Vec<Operand> = lying.iter().map(Operand::new).list();
        let width = |run: &Run| group.results[run.step].dtype.n_bytes();
        let widest = operands.iter().map(|operand| operand.width).chain(runs.iter().map(width)).max()?;
        let n_block = (BLOCK / widest).min(n);
        let mut links = Vec::with_capacity(runs.len());
        let mut widths = vec![0; n_registers];
        for run in &runs {
            let reads = run.operands.iter().map(|place| match *place {
                Place::Register(at) => Some(Read::Register(at, widths[at])),
                Place::Operand(at) => Some(Read::Operand(at)),
                Place::Constant(_) => None,
            });
            let reads: Vec<Read> = reads.some_list()?;
            (reads.len() <= MAX_READ).then_some(())?;
            let width = width(run);
            widths[run.to] = width;
            let on = |n: usize| plan(group, run.step, &reads, &operands, n);
            let whole = on(n_block)?;
            let last = on(n.checked_rem(n_block).filter(|&left| left > 0).unwrap_or(n_block))?;
            links.push(Link { whole, last, reads, to: run.to, width });
        }
        let width = links.last()?.width;
        Some(Chain { operands, links, n_registers, n, n_block, width })
    }

    /// Whether the result may be where this is that is given.
    pub fn takes(&self, given: usize) -> bool {
        let mut lying = self.operands.iter().filter(|operand| operand.given == given).peekable();
        lying.peek().is_some() && lying.all(|operand| operand.way == Way::Whole && operand.width == self.width)
    }

    pub fn reads(&self, given: usize) -> bool {
        self.operands.iter().any(|operand| operand.given == given)
    }

    pub fn run(&self, given: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Option<()> {
        (result.len() == self.n * self.width).then_some(())?;
        let mut words = std::mem::take(&mut scratch.chained);
        // A register for each step's result, then one for each operand that does not lie in memory as it is read.
        let registers = room(&mut words, (self.n_registers + self.operands.len()) * BLOCK);
        let mut done = Some(());
        let mut start = 0;
        while start < self.n && done.is_some() {
            let n = self.n_block.min(self.n - start);
            done = self.block(given, (start, n), result, registers, scratch);
            start += n;
        }
        scratch.chained = words;
        done
    }

    fn block(
        &self,
        given: &[Source],
        (start, n): (usize, usize),
        result: &mut [u8],
        registers: &mut [u8],
        scratch: &mut Scratch,
    ) -> Option<()> {
        let place = start * self.width..(start + n) * self.width;
        for (at, operand) in self.operands.iter().enumerate() {
            let from = *given.get(operand.given)?;
            if from.is_some() && operand.way != Way::Spread {
                continue;
            }
            let to = &mut registers[(self.n_registers + at) * BLOCK..][..n * operand.width];
            match from {
                // The result is there once the block is done.
                None => to.copy_from_slice(&result[place.clone()]),
                Some(from) => operand.spread(from, start, to)?,
            }
        }
        for (number, link) in self.links.iter().enumerate() {
            // No step reads the register that it writes.
            let (before, rest) = registers.split_at_mut(link.to * BLOCK);
            let (written, after) = rest.split_at_mut(BLOCK);
            let register = |at: usize, width: usize| match at < link.to {
                true => &before[at * BLOCK..][..n * width],
                false => &after[(at - link.to - 1) * BLOCK..][..n * width],
            };
            let mut sources: [Source; MAX_READ] = [None; MAX_READ];
            for (source, read) in sources.iter_mut().zip(&link.reads) {
                *source = Some(match *read {
                    Read::Register(at, width) => register(at, width),
                    Read::Operand(at) => {
                        let Operand { given: number, width, way, .. } = self.operands[at];
                        match given[number] {
                            Some(from) if way == Way::Whole => from.get(start * width..(start + n) * width)?,
                            Some(from) if way == Way::One => from.get(..width)?,
                            _ => register(self.n_registers + at, width),
                        }
                    }
                });
            }
            let to = match number + 1 == self.links.len() {
                true => &mut result[place.clone()],
                false => &mut written[..n * link.width],
            };
            let (plan, native) = if n == self.n_block { &link.whole } else { &link.last };
            match native {
                Some(native) => native.run([sources[0], sources[1]], to)?,
                None => plan.run(&sources[..link.reads.len()], to, scratch).ok()?,
            }
        }
        Some(())
    }
}

/// A step on `n` elements. What lies along an axis has been spread by then.
fn plan(group: &Group, step: usize, reads: &[Read], operands: &[Operand], n: usize) -> Option<(Plan, Option<Loop>)> {
    let (of, dtype) = (&group.steps[step], group.results[step].dtype);
    let types = of.inputs.iter().zip(reads).map(|(&input, read)| {
        let is_one = matches!(*read, Read::Operand(at) if operands[at].way == Way::One);
        let shape = if is_one { Vec::new() } else { vec![n] };
        Some(ResultType { shape, dtype: group.type_of(input)?.dtype })
    });
    let types: Vec<ResultType> = types.some_list()?;
    let plan = Plan::new(of.op.row(), &of.attrs, &types, &[ResultType { shape: vec![n], dtype }])?;
    let native = plan.native();
    Some((plan, native))
}

/// The first `n` bytes of a block, which is made as large.
pub fn room(block: &mut Vec<u64>, n: usize) -> &mut [u8] {
    let n_words = n.div_ceil(8);
    if block.len() < n_words {
        block.resize(n_words, 0);
    }
    &mut bytemuck::cast_slice_mut(block)[..n]
}
