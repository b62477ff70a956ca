//! What a run will need, found before it by running the program on shapes.
//!
//! The program is followed as the machine would run it, but of a tensor only its type is there, and of a scalar its
//! value if that is written in the program. Owners are counted, so a tensor ends where it will end in the run, and an
//! operator takes the memory of an operand where its plan does. Where a switch is on something that only the run knows,
//! the program is followed both ways, each way with a state of its own.
//!
//! `%x = zeros(shape=[2, 3]); %y = concatenate((%x, %x)); sum(%y)` needs 24 bytes, then 72, then, when `%x` has ended,
//! 48: its peak is 72.
//!
//! Invariant: no run of the program gets by with less than [`Forecast::least`] bytes of elements, unless it fails
//! before. The work is bounded: past [`MAX_STEPS`] instructions or [`MAX_PATHS`] ways nothing more is followed.
//!
//! Deliberately absent: what the machine needs for anything but elements of tensors, and literals, which belong to the
//! program and not to the run.

mod follow;
mod path;

use base::{Span, ToList};
use follow::{End, Known};
use ir::{FuncId, Program};
use layout::Kind;
use op::Operators;
use path::{Frame, Path};
use ty::{RunError, RunFault, Value};

/// Of instructions that are followed for one call, and for all together.
const MAX_STEPS: u64 = 20_000;
const MAX_TOTAL: u64 = 100_000;
/// Of ways through the program that are followed for one call.
const MAX_PATHS: usize = 64;

/// Bytes of elements of tensors that are there at once in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forecast {
    /// At least so many, where the run does not fail before.
    pub least: u64,
    /// At most so many, if that is known.
    pub most: Option<u64>,
    /// What decides between the two, or beyond the first.
    pub open: Option<(Span, Open)>,
    /// Why the run cannot be: whichever way it goes it comes to a tensor that does not fit.
    pub refusal: Option<RunError>,
}

/// What only the run knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// Which way a switch goes.
    Branch,
    /// The size of an operator's result.
    Size,
    /// Which function is called.
    Function,
    /// When cells that hold each other are found and let go.
    Cells,
    /// Everything after a place that is as far as was looked.
    Long,
}

/// Forecasts of the calls of one program, in the order in which they will be run.
pub struct Forecaster<'p> {
    program: &'p Program,
    limit: u64,
    operators: Operators,
    known: Known,
    /// After the last call, with the top-level variables that have values.
    now: Path,
    /// Of instructions: for the call that is followed, and for all others.
    n_left: u64,
    n_others: u64,
    has_tensors: bool,
}

impl<'p> Forecaster<'p> {
    /// `limit` is how many bytes a run may have.
    pub fn new(program: &'p Program, limit: u64) -> Forecaster<'p> {
        let now = Path::new(program.globals.len());
        let (operators, known) = (Operators::new(limit), Known::default());
        let mut vars = program.functions.iter().flat_map(|function| function.vars.iter());
        let has_tensors = vars.any(|var| program.layouts[var.layout].kind == Kind::Tensor);
        Forecaster { program, limit, operators, known, now, n_left: 0, n_others: MAX_TOTAL, has_tensors }
    }

    /// What a call from outside will need. `site` is where what has no other place is told.
    pub fn call(&mut self, function: FuncId, args: &[Value], site: Span) -> Forecast {
        if !self.has_tensors {
            return Forecast { most: Some(0), ..Forecast::default() };
        }
        self.n_left = MAX_STEPS.min(self.n_others);
        self.n_others -= self.n_left;
        let mut first = self.now.clone();
        first.begin();
        let args: Vec<_> = args.iter().map(|arg| first.argument(arg)).list();
        if first.live > self.limit {
            let fault = RunFault::large_tensor(self.limit, first.live, 0);
            let refusal = Some(RunError { span: site, fault });
            return Forecast { least: first.live, most: Some(first.live), open: None, refusal };
        }
        let Some(frame) = Frame::new(self.program, function, args, site) else { return Forecast::default() };
        first.frames.push(frame);
        let mut ended = Vec::new();
        let mut waiting = vec![first];
        while !waiting.is_empty() {
            let mut path = waiting.remove(0);
            match self.follow(&mut path) {
                End::Fork(blocks) if waiting.len() + ended.len() + blocks.len() <= MAX_PATHS => {
                    path.note_open(path.place(self.program), Open::Branch);
                    for block in blocks {
                        let mut way = path.clone();
                        self.n_left = self.n_left.saturating_sub(way.weight());
                        way.go_to(block);
                        waiting.push(way);
                    }
                }
                End::Fork(_) => {
                    path.note_open(path.place(self.program), Open::Branch);
                    ended.push((path, End::Lost));
                }
                end => ended.push((path, end)),
            }
        }
        self.n_others += self.n_left;
        let forecast = summary(&ended);
        self.now = self.after(ended);
        forecast
    }

    /// The state after a call, of all that are possible the one with the least.
    fn after(&self, ended: Vec<(Path, End)>) -> Path {
        let is_better = |new: &(Path, End), old: &(Path, End)| {
            let rank = |(path, end): &(Path, End)| (!matches!(end, End::Done), path.live);
            rank(new) < rank(old)
        };
        let mut best: Option<(Path, End)> = None;
        for new in ended {
            if best.as_ref().is_none_or(|old| is_better(&new, old)) {
                best = Some(new);
            }
        }
        let mut path = best.map_or_else(|| self.now.clone(), |(path, _)| path);
        path.finish();
        path
    }
}

fn summary(ended: &[(Path, End)]) -> Forecast {
    let has_end = |wanted: fn(&End) -> bool| ended.iter().any(|(_, end)| wanted(end));
    let is_refused = |end: &End| matches!(end, End::Refused(_));
    if let Some((_, End::Refused(error))) = ended.first()
        && ended.iter().all(|(_, end)| is_refused(end))
    {
        let least = ended.iter().map(|(path, _)| path.peak).min().unwrap_or(0);
        return Forecast { least, most: None, open: None, refusal: Some(error.clone()) };
    }
    // A run that fails says so itself.
    let can_go_on = has_end(|end| !matches!(end, End::Failed));
    let counted = || ended.iter().filter(|(_, end)| !can_go_on || !matches!(end, End::Failed));
    let least = counted().map(|(path, _)| path.peak).min().unwrap_or(0);
    let is_known = counted().all(|(path, end)| matches!(end, End::Done | End::Failed) && !path.has_unknown);
    let most = counted().map(|(path, _)| path.peak).max().filter(|_| is_known);
    let open = counted().find_map(|(path, _)| path.open).filter(|_| most != Some(least));
    Forecast { least, most, open, refusal: None }
}
