//! Chains of elementwise operators, a block at a time.
//!
//! A block of every intermediate tensor is a register of [`BLOCK`] elements, which stays in the first-level cache; only
//! operands and the result are in memory. Each step is the loop of its operator, or shares a loop with the next: sums,
//! differences and products, and `abs` and `relu` between two of them or behind a norm. Every step rounds by itself
//! either way, so the result has the bits that one operator after the other would give.
//!
//! ```
//! use kernel::elementwise::{Binary, Source, Unary, broadcast::Walk, program::{Place, Program, Step}};
//! // tanh(x * 2) + row
//! let (x, row) = (Walk::new([&[2, 2]], &[2, 2]), Walk::new([&[2]], &[2, 2]));
//! let steps = vec![
//!     Step::Binary { op: Binary::Multiply, operands: [Place::Operand(0), Place::Constant(2.0)], to: 0 },
//!     Step::Unary { op: Unary::Tanh, from: Place::Register(0), to: 0 },
//!     Step::Binary { op: Binary::Add, operands: [Place::Register(0), Place::Operand(1)], to: 1 },
//! ];
//! let program = Program::new(vec![x, row], steps).unwrap();
//! let mut result = [0.0, 0.0, 20.0, -20.0];
//! program.run(&[Source::Result, Source::Other(&[5.0, 6.0])], &mut result, &mut vec![]);
//! assert_eq!(result, [5.0, 6.0, 6.0, 5.0]);
//! ```

use super::broadcast::Walk;
use super::loops::{self, Arithmetic, Bend, Operand, Ternary};
use super::{Binary, Source, Unary};

/// Elements of a register.
pub const BLOCK: usize = 1024;

/// With one operand that is repeated and one pass, a block for each run takes less from this length on than bringing runs
/// into one.
const LONG_RUN: usize = 128;

/// Where a step finds an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Place {
    /// An operand of the program, by its position.
    Operand(usize),
    Register(usize),
    Constant(f32),
}

/// One operator. `to` is a register, which may be one that the step reads; the last step writes the result instead.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Step {
    Unary {
        op: Unary,
        from: Place,
        to: usize,
    },
    Binary {
        op: Binary,
        operands: [Place; 2],
        to: usize,
    },
    /// The second where the first is not 0, otherwise the third.
    Select {
        operands: [Place; 3],
        to: usize,
    },
    /// `(x - mean) * factor * gamma + beta`, each operator rounding by itself.
    Affine {
        operands: [Place; 5],
        to: usize,
    },
}

/// One loop over a block. What it does not read is any constant.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Pass {
    body: Body,
    operands: [Place; 5],
    to: usize,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Body {
    Unary(Unary),
    Binary(Binary),
    Ternary(Ternary),
    Affine(Bend),
}

impl Body {
    fn n_operands(&self) -> usize {
        match self {
            Body::Unary(_) => 1,
            Body::Binary(_) => 2,
            Body::Ternary(_) => 3,
            Body::Affine(_) => 5,
        }
    }
}

const NOTHING: Place = Place::Constant(0.0);

impl Pass {
    fn new(body: Body, read: &[Place], to: usize) -> Pass {
        let mut operands = [NOTHING; 5];
        operands[..read.len()].copy_from_slice(read);
        Pass { body, operands, to }
    }

    fn one(step: Step) -> Pass {
        let (read, to) = step.places();
        let body = match step {
            Step::Unary { op, .. } => Body::Unary(op),
            Step::Binary { op, .. } => Body::Binary(op),
            Step::Select { .. } => Body::Ternary(Ternary::Select),
            Step::Affine { .. } => Body::Affine(Bend::NOTHING),
        };
        Pass::new(body, read, to)
    }
}

/// Steps that are known to read only what there is.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    operands: Vec<Walk<1>>,
    passes: Vec<Pass>,
    n_registers: usize,
    /// A block ends where so many elements do: what lies in one run need not be spread. The largest number for none.
    run: usize,
}

impl Program {
    /// `operands` say how each lies along the result. `None` if there is no step, if a step reads an operand or a
    /// register that is not there (yet), or if the operands have not all the same result.
    pub fn new(operands: Vec<Walk<1>>, steps: Vec<Step>) -> Option<Program> {
        let mut written: Vec<usize> = vec![];
        for step in &steps {
            let (places, to) = step.places();
            let is_there = |place: &Place| match place {
                Place::Operand(at) => *at < operands.len(),
                Place::Register(at) => written.contains(at),
                Place::Constant(_) => true,
            };
            if !places.iter().all(is_there) {
                return None;
            }
            written.push(to);
        }
        let is_one_size = operands.windows(2).all(|pair| pair[0].n == pair[1].n);
        let n_registers = written.iter().max()? + 1;
        let passes = passes(&steps);
        let is_long = |run: &usize| run.saturating_mul(operands.len() - 1) >= LONG_RUN * passes.len();
        let run = operands.iter().map(|walk| walk.run).filter(is_long).min().unwrap_or(usize::MAX);
        (is_one_size && n_registers <= steps.len()).then_some(Program { operands, passes, n_registers, run })
    }

    /// Runs all steps on every block. An operand may only be the result where it has the result's shape.
    pub fn run(&self, operands: &[Source], to: &mut [f32], scratch: &mut Vec<f32>) {
        assert!(self.operands.iter().all(|walk| walk.n == to.len()));
        self.run_part(operands, 0, to, scratch);
    }

    /// As [`run`](Program::run), for the elements of the result from `first` on. No operand is the result, unless this is
    /// all of it.
    pub fn run_part(&self, operands: &[Source], first: usize, to: &mut [f32], scratch: &mut Vec<f32>) {
        let end = first + to.len();
        let result = to.as_mut_ptr().wrapping_sub(first);
        assert_eq!(operands.len(), self.operands.len());
        for (walk, operand) in self.operands.iter().zip(operands) {
            match operand {
                Source::Other(from) => assert!(end <= walk.n && walk.fits([from.len()])),
                Source::Result => {
                    let n = to.len();
                    assert!(walk.n == n && walk.run == n.max(1) && walk.moves[0] || n == 0);
                }
            }
        }
        let n_needed = (self.n_registers + operands.len()) * BLOCK;
        if scratch.len() < n_needed {
            scratch.resize(n_needed, 0.0);
        }
        let registers = scratch.as_mut_ptr();
        let mut start = first;
        while start < end {
            let run = Run { number: start / self.run, start: start % self.run };
            let length = BLOCK.min(end - start).min(self.run - run.start);
            let block = Block { program: self, operands, registers, result, start, length, run };
            // SAFETY: `new` has checked registers and operands; what an operand has was checked above.
            unsafe { block.run() }
            start += length;
        }
    }
}

/// Some elements of the result. `registers` are as many as the program has, and one for each operand.
struct Block<'a> {
    program: &'a Program,
    operands: &'a [Source<'a>],
    registers: *mut f32,
    result: *mut f32,
    start: usize,
    length: usize,
    /// Of those that the program goes by.
    run: Run,
}

/// A run of a walk, and where a block begins in it.
#[derive(Clone, Copy)]
struct Run {
    number: usize,
    start: usize,
}

impl Block<'_> {
    unsafe fn run(&self) {
        let Program { operands: walks, passes, n_registers, .. } = self.program;
        let Block { start, length, .. } = *self;
        let register = |at: usize| self.registers.wrapping_add(at * BLOCK);
        unsafe {
            for (at, (walk, &operand)) in walks.iter().zip(self.operands).enumerate() {
                if self.run_of(walk).is_none() {
                    spread(walk, operand, start, length, register(n_registers + at));
                }
            }
            for (at, Pass { body, operands, to }) in passes.iter().enumerate() {
                let mut found = [Operand::One(0.0); 5];
                for (found, place) in found.iter_mut().zip(&operands[..body.n_operands()]) {
                    *found = self.find(place);
                }
                let to = if at + 1 == passes.len() { self.result.wrapping_add(start) } else { register(*to) };
                let [a, b, c, ..] = found;
                match body {
                    Body::Unary(op) => loops::unary(op, a, to, length),
                    Body::Binary(op) => loops::binary(*op, a, b, to, length),
                    Body::Ternary(op) => loops::ternary(op, [a, b, c], to, length),
                    Body::Affine(after) => loops::affine(found, *after, to, length),
                }
            }
        }
    }

    /// `None`: the block lies in several runs.
    #[inline(always)]
    fn run_of(&self, walk: &Walk<1>) -> Option<Run> {
        let run = if walk.run == self.program.run { self.run } else { walk.run_at(self.start) };
        (run.start + self.length <= walk.run).then_some(run)
    }

    #[inline(always)]
    unsafe fn find(&self, place: &Place) -> Operand {
        let Block { program, start, .. } = *self;
        let register = |at: usize| Operand::Each(self.registers.wrapping_add(at * BLOCK).cast_const());
        match *place {
            Place::Register(at) => register(at),
            Place::Constant(x) => Operand::One(x),
            Place::Operand(at) => match self.operands[at] {
                Source::Result => Operand::Each(self.result.wrapping_add(start).cast_const()),
                Source::Other(from) => match self.run_of(&program.operands[at]) {
                    Some(run) => unsafe { program.operands[at].operand(from.as_ptr(), run) },
                    None => register(program.n_registers + at),
                },
            },
        }
    }
}

impl Step {
    /// What it reads, and the register that it writes.
    #[inline(never)]
    fn places(&self) -> (&[Place], usize) {
        match self {
            Step::Unary { from, to, .. } => (std::slice::from_ref(from), *to),
            Step::Binary { operands, to, .. } => (operands, *to),
            Step::Select { operands, to } => (operands, *to),
            Step::Affine { operands, to } => (operands, *to),
        }
    }
}

/// Joins sums, differences and products that follow one another, and `abs` and `relu` between two of them or behind a
/// norm.
fn passes(steps: &[Step]) -> Vec<Pass> {
    let mut passes = Vec::with_capacity(steps.len());
    let mut left = steps;
    while let [step, ..] = left {
        let (pass, n) = bent_norm(left).or_else(|| two(left)).unwrap_or((Pass::one(*step), 1));
        passes.push(pass);
        left = &left[n..];
    }
    passes
}

/// Whether what is in a register before the first of these steps is read there only.
#[inline(never)]
fn is_last(register: usize, steps: &[Step]) -> bool {
    for (at, step) in steps.iter().enumerate() {
        let (places, to) = step.places();
        if at > 0 && places.contains(&Place::Register(register)) {
            return false;
        }
        if to == register {
            return true;
        }
    }
    true
}

fn bend(op: Unary) -> Option<Bend> {
    match op {
        Unary::Abs => Some(Bend::ABS),
        Unary::Relu => Some(Bend::RELU),
        _ => None,
    }
}

fn bent_norm(steps: &[Step]) -> Option<(Pass, usize)> {
    let [Step::Affine { operands, to }, Step::Unary { op, from, to: end }, ..] = steps else { return None };
    let is_joined = *from == Place::Register(*to) && is_last(*to, &steps[1..]);
    is_joined.then_some((Pass::new(Body::Affine(bend(*op)?), operands, *end), 2))
}

/// The first steps as one pass, and how many they are. One that is missing multiplies by 1, which changes nothing.
fn two(steps: &[Step]) -> Option<(Pass, usize)> {
    const SAME: (Arithmetic, Place) = (Arithmetic::Multiply, Place::Constant(1.0));
    let arithmetic = |op: Binary| match op {
        Binary::Add => Some(Arithmetic::Add),
        Binary::Subtract => Some(Arithmetic::Subtract),
        Binary::Multiply => Some(Arithmetic::Multiply),
        _ => None,
    };
    let mut n = 0;
    let (mut first, mut from) = (SAME, None);
    if let Step::Binary { op, operands: [a, b], to } = steps[0]
        && let Some(op) = arithmetic(op)
    {
        (first, from, n) = ((op, b), Some((a, to)), 1);
    }
    let mut between = Bend::NOTHING;
    if let Some(&Step::Unary { op, from: place, to }) = steps.get(n)
        && let Some(bent) = bend(op)
        && from.is_none_or(|(_, register)| place == Place::Register(register) && is_last(register, &steps[n..]))
    {
        (between, from, n) = (bent, Some((from.map_or(place, |(a, _)| a), to)), n + 1);
    }
    let (a, mut to) = from?;
    let mut second = SAME;
    if let Some(&Step::Binary { op, operands: [left, right], to: end }) = steps.get(n)
        && let Some(op) = arithmetic(op)
        && left != right
        && is_last(to, &steps[n..])
    {
        let other = match Place::Register(to) {
            place if place == left => Some(right),
            place if place == right && op != Arithmetic::Subtract => Some(left),
            _ => None,
        };
        if let Some(other) = other {
            (second, to, n) = ((op, other), end, n + 1);
        }
    }
    let body = Body::Ternary(Ternary::Two([first.0, second.0], between));
    (n > 1).then(|| (Pass::new(body, &[a, first.1, second.1], to), n))
}

impl Walk<1> {
    fn run_at(&self, start: usize) -> Run {
        match start < self.run {
            true => Run { number: 0, start },
            false => Run { number: start / self.run, start: start % self.run },
        }
    }

    /// The operand from the start on that is said of a run.
    ///
    /// # Safety
    /// The walk fits what is at `from`.
    unsafe fn operand(&self, from: *const f32, Run { number, start }: Run) -> Operand {
        let [offset] = self.offsets(number);
        unsafe {
            match self.moves[0] {
                true => Operand::Each(from.add(offset + start)),
                false => Operand::One(*from.add(offset)),
            }
        }
    }
}

/// Writes out a block of an operand that has several runs there.
///
/// # Safety
/// The walk fits the operand; `to` has room for `length` elements.
unsafe fn spread(walk: &Walk<1>, from: Source, start: usize, length: usize, to: *mut f32) {
    let Source::Other(from) = from else { return };
    if let Some([places]) = walk.places.as_deref()
        && length == walk.n
    {
        for (at, &place) in places[..length].iter().enumerate() {
            unsafe { *to.add(at) = *from.get_unchecked(usize::from(place)) };
        }
        return;
    }
    let mut at = 0;
    while at < length {
        let run = walk.run_at(start + at);
        let of_run = (walk.run - run.start).min(length - at);
        unsafe {
            let operand = walk.operand(from.as_ptr(), run);
            loops::unary(&Unary::Copy, operand, to.add(at), of_run);
        }
        at += of_run;
    }
}
