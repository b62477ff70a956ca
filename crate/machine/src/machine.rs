//! The machine: its state, and how a run begins and ends.

use crate::assemble::{FRAME_BYTES, assemble};
use crate::code::{Assembly, At, HALT, WINDOW};
use crate::fault::Stop;
use crate::heap::Heap;
use crate::profile::Profile;
use crate::tensor::Sites;
use crate::value::Blocks;
use base::Span;
use ir::{FuncId, Instr, Op, Program};
use layout::{LayoutId, Words, decode, encode, n_words};
use op::Operators;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use ty::{Limits, RunError, RunFault, Value};

/// How a run stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// There is more to do.
    Running,
    Done,
    Failed(RunError),
}

/// A call that is not finished: where its caller goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub pc: u32,
    /// The caller's first register.
    pub base: u32,
    /// Where the result goes, from there.
    pub to: u32,
    /// Who called. A tail call out of the file into a library puts itself here.
    pub site: u32,
}

/// Calls that are not finished, the last one on top. A place that was used stays, so that to call is to write there,
/// which the compiler puts where the call is, also where it spares code.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    places: Vec<Frame>,
    n: usize,
}

impl Frames {
    #[inline(always)]
    pub fn push(&mut self, frame: Frame) {
        match self.places.get_mut(self.n) {
            Some(place) => *place = frame,
            None => self.places.push(frame),
        }
        self.n += 1;
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<Frame> {
        self.n = self.n.checked_sub(1)?;
        self.places.get(self.n).copied()
    }

    pub fn clear(&mut self) {
        *self = Frames::default();
    }
}

impl Clone for Frames {
    fn clone(&self) -> Frames {
        Frames { places: self.to_vec(), n: self.n }
    }
}

impl Deref for Frames {
    type Target = [Frame];
    fn deref(&self) -> &[Frame] {
        &self.places[..self.n]
    }
}

impl DerefMut for Frames {
    fn deref_mut(&mut self) -> &mut [Frame] {
        &mut self.places[..self.n]
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GlobalState {
    Unset,
    Running,
    Done(Words),
}

/// The site of the first call, which has no instruction.
pub(crate) const ROOT: u32 = u32::MAX;

/// All that a step can change. Equal states go on equally.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub heap: Heap,
    /// Above the last frame there is room for what a call may need.
    pub registers: Vec<u64>,
    pub frames: Frames,
    pub globals: Vec<GlobalState>,
    /// The words of the arguments of a call, while it is made; otherwise there for the room that they have.
    pub args: Vec<u64>,
    pub pc: u32,
    pub base: u32,
    pub fuel: u64,
    pub steps: u64,
    /// The steps when cycles were looked for last.
    pub collected: u64,
    /// What is run, and who asked.
    pub root: Option<(FuncId, Span)>,
    pub is_done: bool,
    pub failure: Option<RunError>,
    /// How many calls were under way when it failed, if they took most of the memory.
    pub open_calls: Option<u64>,
}

/// Runs a program, one function at a time. Top-level variables keep their values from run to run.
pub struct Machine {
    pub(crate) code: Arc<Assembly>,
    pub(crate) limits: Limits,
    pub(crate) state: State,
    pub(crate) operators: Operators,
    pub(crate) sites: Sites,
    pub(crate) profile: Option<Box<Profile>>,
}

/// The same from here on; what was found out about operators is found out again, and what they cost is not looked at.
impl Clone for Machine {
    fn clone(&self) -> Machine {
        Machine {
            code: self.code.clone(),
            limits: self.limits,
            state: self.state.trimmed(self.state.n_registers(&self.code)),
            operators: Operators::new(self.limits.memory),
            sites: Sites::default(),
            profile: None,
        }
    }
}

impl State {
    /// The registers that are in use.
    pub fn n_registers(&self, code: &Assembly) -> usize {
        let function = code.function(self.pc).and_then(|function| code.routines.get(function));
        let n = match (self.frames.is_empty(), function) {
            (false, Some(routine)) => routine.n_words,
            (true, _) | (_, None) => self.root.map_or(0, |(root, _)| result_words(code, root)),
        };
        (self.base + n) as usize
    }

    /// About how many bytes a trimmed copy takes.
    pub fn bytes(&self) -> usize {
        let frames = self.frames.len() * size_of::<Frame>();
        self.heap.extent().1 as usize + self.registers.len() * 8 + frames + self.globals.len() * 40
    }

    /// A copy with only the first registers.
    pub fn trimmed(&self, n_registers: usize) -> State {
        State {
            heap: self.heap.trimmed(),
            registers: self.registers[..n_registers.min(self.registers.len())].to_vec(),
            frames: self.frames.clone(),
            globals: self.globals.clone(),
            failure: self.failure.clone(),
            args: Vec::new(),
            ..*self
        }
    }

    /// Room for `reach` registers from `base` on; false if there is no memory for them.
    pub fn reach(&mut self, base: u32, reach: u32) -> bool {
        let Some(need) = base.checked_add(reach).map(|need| need as usize) else { return false };
        if need > self.registers.len() {
            let len = need.saturating_add(need / 2).max(2 * WINDOW);
            let more = len - self.registers.len();
            if self.registers.try_reserve_exact(more).is_err() {
                return false;
            }
            self.registers.resize(len, 0);
        }
        true
    }
}

fn result_words(code: &Assembly, function: FuncId) -> u32 {
    let program = &code.program;
    let layout = program.functions.get(function).and_then(|function| program.layouts.table.get(function.result));
    layout.map_or(0, |layout| n_words(layout.bits) as u32)
}

impl Machine {
    pub fn new(program: Arc<Program>, limits: Limits) -> Machine {
        let mut heap = Heap::new(u64::MAX);
        let code = Arc::new(assemble(program, &mut heap, limits.memory));
        heap.make_static();
        heap.limit = limits.memory;
        let globals = base::filled(GlobalState::Unset, code.program.globals.len());
        let state = State {
            heap,
            registers: Vec::new(),
            frames: Frames::default(),
            globals,
            args: Vec::new(),
            pc: HALT,
            base: 0,
            fuel: 0,
            steps: 0,
            collected: 0,
            root: None,
            is_done: false,
            failure: None,
            open_calls: None,
        };
        let (operators, sites) = (Operators::new(limits.memory), Sites::default());
        Machine { code, limits, state, operators, sites, profile: None }
    }

    pub fn program(&self) -> &Program {
        &self.code.program
    }

    /// Begins a call of a function from outside; `site` is where it is told of what has no other place. What was under
    /// way is given up.
    pub fn start(&mut self, function: FuncId, args: &[Value], site: Span) -> Result<(), RunError> {
        self.give_up();
        let state = &mut self.state;
        (state.fuel, state.steps, state.collected, state.failure) = (0, 0, 0, None);
        state.root = Some((function, site));
        let begun = self.begin(function, args);
        begun.map_err(|fault| {
            self.recover();
            RunError { span: site, fault }
        })
    }

    fn begin(&mut self, function: FuncId, args: &[Value]) -> Result<(), RunFault> {
        let code = self.code.clone();
        let memory = RunFault::OutOfMemory { limit: self.limits.memory };
        let data = code.program.functions.get(function).ok_or(RunFault::Broken)?;
        let routine = &code.routines[function];
        if data.params.len() != args.len() {
            return Err(RunFault::Broken);
        }
        let base = result_words(&code, function);
        if !self.state.reach(base, routine.reach) || !self.state.heap.charge(u64::from(routine.bytes)) {
            return Err(memory);
        }
        for (&param, arg) in data.params.iter().zip(args) {
            let (Some(place), Some(var)) = (routine.places.get(param.number() as usize), data.vars.get(param)) else {
                return Err(RunFault::Broken);
            };
            if code.program.layouts.table.get(var.layout).is_none() {
                return Err(RunFault::Broken);
            }
            let words = self.encode(var.layout, arg)?;
            let place = base as usize + place.at as usize;
            // The places of a broken function have no words.
            self.state.registers[place..].iter_mut().zip(&words).for_each(|(register, word)| *register = *word);
        }
        self.state.frames.push(Frame { pc: HALT, base: 0, to: 0, site: ROOT });
        (self.state.pc, self.state.base) = (routine.entry, base);
        Ok(())
    }

    fn encode(&mut self, layout: LayoutId, value: &Value) -> Result<Words, RunFault> {
        let code = self.code.clone();
        // It is made as a whole: nobody can be asked to join between its parts.
        self.state.heap.settle();
        let mut blocks = Blocks::new(&mut self.state.heap, &code.kinds);
        let words = encode(&code.program.layouts, &mut blocks, layout, value);
        if blocks.has_failed.get() {
            return Err(RunFault::OutOfMemory { limit: self.limits.memory });
        }
        words.map_err(|_| RunFault::Broken)
    }

    /// Does at most so many steps.
    pub fn run(&mut self, max_steps: u64) -> Status {
        if let Some(failure) = &self.state.failure {
            return Status::Failed(failure.clone());
        }
        if self.state.is_done || self.state.root.is_none() {
            return Status::Done;
        }
        let base = self.state.base;
        if !self.state.reach(base, self.current_reach()) {
            return self.fail(None, RunFault::OutOfMemory { limit: self.limits.memory });
        }
        let mut left = max_steps;
        loop {
            let mut done = self.go(&mut left);
            if done == Err(Stop::Pause) {
                done = self.measure(&mut left);
                if done.is_ok() {
                    continue;
                }
            }
            let stop = match done {
                Ok(()) => return if self.state.is_done { Status::Done } else { Status::Running },
                Err(stop) => stop,
            };
            let (part, fault) = match stop {
                Stop::Fault(fault) => (None, fault),
                Stop::Pause => (None, RunFault::Broken),
                Stop::FaultAt(part, fault) => (Some(part), fault),
                Stop::NoMemory(bytes) | Stop::NoRoom(bytes) if self.make_room(bytes) => continue,
                Stop::NoMemory(bytes) => (None, self.no_memory(bytes)),
                Stop::NoRoom(_) => (None, RunFault::OutOfMemory { limit: self.limits.memory }),
                Stop::LargeTensor(part, bytes) => (part, RunFault::large_tensor(self.limits.memory, bytes, 0)),
            };
            return self.fail(part, fault);
        }
    }

    fn no_memory(&self, bytes: u64) -> RunFault {
        let limit = self.limits.memory;
        match self.code.at(self.state.pc) {
            Some(At::Instr(Instr { op: Op::Operator { .. } | Op::Fused(_), .. })) if bytes != u64::MAX => {
                RunFault::large_tensor(limit, bytes, self.state.heap.in_use)
            }
            _ => RunFault::OutOfMemory { limit },
        }
    }

    fn current_reach(&self) -> u32 {
        let function = self.code.function(self.state.pc);
        function.and_then(|function| self.code.routines.get(function)).map_or(0, |routine| routine.reach)
    }

    /// `part` is where the part of the instruction comes from that is at fault.
    fn fail(&mut self, part: Option<Span>, fault: RunFault) -> Status {
        let error = RunError { span: self.place(part), fault };
        let n_calls = self.state.frames.len() as u64;
        let of_calls = u64::from(self.state.base) * 8 + n_calls * u64::from(FRAME_BYTES);
        self.state.open_calls = (of_calls > self.limits.memory / 2).then_some(n_calls);
        self.recover();
        self.state.failure = Some(error.clone());
        Status::Failed(error)
    }

    /// Where the current instruction, or a part of it, is to be spoken of: inside a library it is where the file
    /// called.
    pub(crate) fn place(&self, mut part: Option<Span>) -> Span {
        let outside = self.state.root.map(|(_, site)| site).unwrap_or_default();
        let mut at = self.state.pc;
        let mut frames = self.state.frames.iter().rev();
        loop {
            let Some(function) = self.code.function(at) else { return outside };
            match self.code.routines.get(function) {
                Some(routine) if routine.is_library => match frames.next() {
                    Some(frame) => (at, part) = (frame.site, None),
                    None => return outside,
                },
                Some(_) => return part.or(self.code.span(at)).unwrap_or(outside),
                None => return outside,
            }
        }
    }

    /// The value of a run that is done; it is there once. `room` is how many bytes there are for the elements of values,
    /// and then how many are left.
    pub fn result(&mut self, room: &mut u64) -> Result<Value, RunFault> {
        let Some((function, _)) = self.state.root.filter(|_| self.state.is_done) else { return Err(RunFault::Broken) };
        let code = self.code.clone();
        let words = self.take_result();
        let layout = code.program.functions.get(function).ok_or(RunFault::Broken)?.result;
        let blocks = Blocks::new(&mut self.state.heap, &code.kinds);
        blocks.room.set(*room);
        let value = decode(&code.program.layouts, &blocks, layout, &words);
        *room = blocks.room.get();
        let has_failed = blocks.has_failed.get();
        self.state.heap.release_value(&code, layout, &words);
        if has_failed { Err(RunFault::LargeValue { limit: self.limits.memory }) } else { Ok(value) }
    }

    fn take_result(&mut self) -> Words {
        let Some((function, _)) = self.state.root.take().filter(|_| self.state.is_done) else { return Words::new() };
        let n = result_words(&self.code, function) as usize;
        self.state.registers.get(..n).unwrap_or(&[]).into()
    }

    /// Forgets the run that is under way, or its result.
    fn give_up(&mut self) {
        if self.state.is_done {
            if let Some((function, _)) = self.state.root {
                let words = self.take_result();
                let code = self.code.clone();
                if let Some(function) = code.program.functions.get(function) {
                    self.state.heap.release_value(&code, function.result, &words);
                }
            }
        } else if self.state.root.is_some() {
            self.recover();
        }
        self.state.root = None;
        self.state.is_done = false;
    }

    /// Lets go of everything: top-level variables and cycles too. Then nothing is live.
    pub fn finish(&mut self) {
        self.give_up();
        let code = self.code.clone();
        for (global, data) in self.state.globals.iter_mut().zip(code.program.globals.iter()) {
            if let GlobalState::Done(words) = std::mem::replace(global, GlobalState::Unset) {
                self.state.heap.release_value(&code, data.layout, &words);
            }
        }
        self.collect();
        // They know the values of top-level variables.
        self.sites = Sites::default();
    }

    /// How many calls were under way when the run failed, if they took most of the memory.
    pub fn open_calls(&self) -> Option<u64> {
        self.state.open_calls
    }

    /// How many instructions have been run since the start.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    pub fn fuel_used(&self) -> u64 {
        self.state.fuel
    }

    /// Bytes of blocks and frames.
    pub fn live_bytes(&self) -> u64 {
        self.state.heap.in_use
    }

    pub fn peak_bytes(&self) -> u64 {
        self.state.heap.peak
    }
}
