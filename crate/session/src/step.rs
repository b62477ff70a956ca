//! A run that is looked at step by step.
//!
//! A [`Stepper`] holds the program and the machine's history. Each request moves and says where the run stands then. A
//! request makes a bounded number of steps; one that needs more says so, and is asked again.

use crate::Analysis;
use crate::block::Contents;
use crate::compile::{Compiled, Fusion, compile};
use crate::inputs;
use crate::ir_text::ir_names;
use crate::page::{diagnostic_views, span_view};
use crate::run::{Options, main_of, run_diagnostic};
use crate::view::SpanView;
use crate::view::machine::{BlockView, FrameView, IrLineView, StepStatusView, StepView, VariableView};
use base::{Append, Span, ToList};
use ir::{Detail, Function, Line, VarId};
use layout::Strategy;
use machine::{Arrival, BlockKind, History, Machine, Position, Status};
use std::sync::Arc;
use ty::{Limits, RunError, print_value};

/// One request runs at most this many instructions.
const BUDGET: u64 = 400_000;
/// Who looks at a run ends it.
const FUEL: u64 = 1 << 50;
/// Less than a run may take: earlier states are kept as well.
const MEMORY: u64 = 256 << 20;
/// At most this many lines of the function are shown above the current one, and this many below.
const LINES_AROUND: usize = 40;
/// At most this many frames are shown, and of each at most this many variables.
const MAX_FRAMES: usize = 12;
const MAX_VARIABLES: usize = 40;
/// At most this many blocks are listed in the order of their addresses, and this many more that the frames lead to.
const MAX_BLOCKS: usize = 60;
/// Texts of values are cut after this many characters.
const MAX_TEXT: usize = 160;
/// The first distance at which a place is looked for by its fuel.
const STRIDE: u64 = 4096;

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Into,
    Over,
    Out,
    Back,
    Last,
    /// Not at all, but looks how long the run is.
    Measure,
}

impl Move {
    pub fn parse(name: &str) -> Option<Move> {
        Some(match name {
            "into" => Move::Into,
            "over" => Move::Over,
            "out" => Move::Out,
            "back" => Move::Back,
            "last" => Move::Last,
            "measure" => Move::Measure,
            _ => return None,
        })
    }
}

pub(crate) struct Stepper {
    history: History,
    /// The functions as text.
    lines: Vec<Line>,
    /// How many calls a request that was not finished leaves open.
    depth: Option<usize>,
}

impl Stepper {
    /// The run of the expression at a place among those that a run evaluates.
    pub fn new(analysis: &Analysis, expression: usize, strategy: Strategy, fusion: Fusion) -> Option<Stepper> {
        let function = *analysis.runnable().get(expression)?;
        let Compiled { program, entries, .. } = compile(analysis, &[function], strategy, fusion, &mut |_, _| {});
        let &(_, entry) = entries.first()?;
        let is_main = main_of(analysis).is_some_and(|(_, main)| main == function);
        let options = Options { fuel: FUEL, memory: MEMORY, ..Options::default() };
        let args = match is_main {
            true => inputs::main_arguments(analysis, function, &options).ok()?,
            false => Vec::new(),
        };
        let lines = ir::lines(&program, ir_names(analysis), Detail::Plain);
        let site = program.functions[entry].span;
        let mut machine = Machine::new(Arc::new(program), Limits { fuel: options.fuel, memory: options.memory });
        machine.start(entry, &args, site).ok()?;
        Some(Stepper { history: History::new(machine, BUDGET), lines, depth: None })
    }

    pub fn go(&mut self, analysis: &Analysis, to: Move) -> StepView {
        let arrival = match to {
            Move::Into => self.history.step_into(),
            Move::Back => self.history.back(),
            Move::Last => self.history.seek(u64::MAX),
            Move::Over => {
                let depth = self.history.machine().depth();
                let is_new = self.depth.is_none();
                let depth = *self.depth.get_or_insert(depth);
                match is_new {
                    true => self.history.step_over(),
                    false => self.come_out(depth),
                }
            }
            Move::Out => {
                let depth = self.history.machine().depth();
                let depth = *self.depth.get_or_insert(depth.saturating_sub(1));
                self.come_out(depth)
            }
            Move::Measure => {
                self.history.look_ahead();
                Arrival::There
            }
        };
        if arrival != Arrival::OnTheWay {
            self.depth = None;
        }
        self.view(analysis, arrival)
    }

    /// Runs until at most `depth` calls are unfinished.
    fn come_out(&mut self, depth: usize) -> Arrival {
        let begin = self.history.step();
        while self.history.machine().depth() > depth {
            if self.history.step() - begin > BUDGET {
                return Arrival::OnTheWay;
            }
            match self.history.step_out() {
                Arrival::There => {}
                arrival => return arrival,
            }
        }
        Arrival::There
    }

    pub fn seek(&mut self, analysis: &Analysis, step: u64) -> StepView {
        self.depth = None;
        let arrival = self.history.seek(step);
        self.view(analysis, arrival)
    }

    /// On to the next instruction of the text's line at an offset; if the run is there, when it comes there again.
    pub fn seek_line(&mut self, analysis: &Analysis, offset: u32) -> StepView {
        self.depth = None;
        let lines = &analysis.lines;
        let line = lines.line_of(offset);
        let is_at = |position: &Position| !position.is_library && lines.line_of(position.span.start) == line;
        let mut has_left = self.history.machine().position().is_none_or(|position| !is_at(&position));
        let arrival = self.history.run_to(|position| {
            let is_there = is_at(position);
            let arrives = is_there && has_left;
            has_left |= !is_there;
            arrives
        });
        self.view(analysis, arrival)
    }

    /// On to where `fuel` calls and match tests have been made, and from there to a place in the text, if the run comes
    /// there before the next.
    pub fn seek_fuel(&mut self, analysis: &Analysis, fuel: u64, place: Span) -> StepView {
        self.depth = None;
        let arrival = self.find_fuel(fuel);
        if arrival == Arrival::There {
            let first = self.history.step();
            loop {
                let machine = self.history.machine();
                if machine.place_in_file() == place {
                    break;
                }
                if machine.fuel_used() > fuel || self.history.step_into() != Arrival::There {
                    self.history.seek(first);
                    break;
                }
            }
        }
        self.view(analysis, arrival)
    }

    /// On to the first step with this much fuel used.
    fn find_fuel(&mut self, fuel: u64) -> Arrival {
        let begin = self.history.step();
        while self.history.machine().fuel_used() < fuel {
            let here = self.history.step();
            if here - begin > BUDGET {
                return Arrival::OnTheWay;
            }
            let arrival = self.history.seek(here + STRIDE);
            if self.history.machine().fuel_used() >= fuel {
                // Before the first of these there was too little, at the last there is enough.
                let (mut low, mut high) = (here, self.history.step());
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    self.history.seek(middle);
                    match self.history.machine().fuel_used() < fuel {
                        true => low = middle,
                        false => high = middle,
                    }
                }
                self.history.seek(high);
                return Arrival::There;
            }
            if arrival != Arrival::There {
                return arrival;
            }
        }
        Arrival::There
    }

    fn view(&mut self, analysis: &Analysis, arrival: Arrival) -> StepView {
        let step = self.history.step();
        let length = self.history.length();
        let outcome = self.history.outcome().filter(|_| length == Some(step)).cloned();
        let known = length.unwrap_or_else(|| self.history.seen());
        let machine = self.history.machine();
        let place = machine.place_in_file();
        let position = machine.position();
        let (frames, n_more_frames) = frame_views(analysis, machine);
        let globals = global_views(analysis, machine);
        let (blocks, n_more_blocks) = block_views(analysis, machine, &frames, &globals);
        let value = match &outcome {
            Some(Status::Done) => {
                // The value can be taken once.
                let mut room = MEMORY;
                Some(machine.clone().result(&mut room).map_err(|fault| RunError { span: place, fault }))
            }
            Some(Status::Failed(error)) => Some(Err(error.clone())),
            Some(Status::Running) | None => None,
        };
        let (value, error) = match value {
            Some(Ok(value)) => (Some(value), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        let mut view = StepView {
            step: step as f64,
            known: known as f64,
            is_whole: length.is_some(),
            status: match &outcome {
                Some(Status::Done) => StepStatusView::Done,
                Some(Status::Failed(_)) => StepStatusView::Failed,
                Some(Status::Running) | None => StepStatusView::Running,
            },
            is_unfinished: arrival == Arrival::OnTheWay,
            span: position.map(|_| span_view(&analysis.lines, place)),
            function: String::new(),
            lines: Vec::new(),
            current: None,
            n_above: 0,
            n_below: 0,
            frames,
            n_more_frames: n_more_frames as u32,
            globals,
            blocks,
            n_more_blocks: n_more_blocks as u32,
            live_bytes: machine.live_bytes() as f64,
            peak_bytes: machine.peak_bytes() as f64,
            fuel: machine.fuel_used() as f64,
            value: value.map(|value| shortened(print_value(&value, &analysis.module).text)),
            diagnostic: error.and_then(|error| {
                let mut told = run_diagnostic(&error)?;
                if told.code == "out-of-memory" {
                    told.message += ", which is less where a run is stepped through";
                }
                diagnostic_views(&analysis.lines, &[told]).pop()
            }),
        };
        if let Some(position) = position {
            view.function = function_name(analysis, &machine.program().functions[position.function]);
            self.show_lines(analysis, &mut view, &position);
        }
        view
    }

    /// The lines around an instruction.
    fn show_lines(&self, analysis: &Analysis, view: &mut StepView, position: &Position) {
        let is_own = |line: &Line| line.function == Some(position.function);
        let Some(first) = self.lines.iter().position(is_own) else { return };
        let own = &self.lines[first..];
        let own = &own[..own.iter().position(|line| !is_own(line)).unwrap_or(own.len())];
        let Some(current) = own.iter().position(|line| line.at == Some((position.block, position.index))) else {
            return;
        };
        let from = current.saturating_sub(LINES_AROUND);
        let to = (current + LINES_AROUND + 1).min(own.len());
        let span = |span: Option<Span>| -> Option<SpanView> {
            span.filter(|_| !position.is_library).map(|span| span_view(&analysis.lines, span))
        };
        view.lines =
            own[from..to].iter().map(|line| IrLineView { text: line.text.clone(), span: span(line.span) }).list();
        view.current = Some((current - from) as u32);
        (view.n_above, view.n_below) = (from as u32, (own.len() - to) as u32);
    }
}

/// What a function is called; one without a name is told by its line.
pub(crate) fn function_name(analysis: &Analysis, function: &Function) -> String {
    match function.name.as_str() {
        "fn" if !function.is_library => format!("fn on line {}", analysis.lines.line_of(function.span.start)),
        name => name.to_owned(),
    }
}

/// A variable as the text of its function calls it.
fn variable_name(function: &Function, var: VarId) -> String {
    let named = |name: &String| {
        let is_shared = function.vars.iter().count_where(|other| other.name.as_ref() == Some(name)) > 1;
        if is_shared { format!("{name}.{}", var.number()) } else { name.clone() }
    };
    function.vars.get(var).and_then(|data| data.name.as_ref()).map_or_else(|| format!("v{}", var.number()), named)
}

pub(crate) fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn frame_views(analysis: &Analysis, machine: &mut Machine) -> (Vec<FrameView>, usize) {
    let (frames, n_more) = machine.frame_views(MAX_FRAMES);
    let program = machine.program();
    let contents = Contents { machine, program, analysis };
    let view = |frame: machine::FrameView| {
        let function = &program.functions[frame.position.function];
        let place = Some(frame.position.span).filter(|_| !frame.position.is_library);
        let n_more = frame.vars.len().saturating_sub(MAX_VARIABLES);
        let variable = |var: machine::VarView| {
            contents.variable(variable_name(function, var.var), var.layout, &var.bits, var.value.as_ref())
        };
        FrameView {
            function: function_name(analysis, function),
            is_library: frame.position.is_library,
            span: place.map(|place| span_view(&analysis.lines, place)),
            line: place.map(|place| analysis.lines.line_of(place.start)),
            variables: frame.vars.into_iter().take(MAX_VARIABLES).map(variable).list(),
            n_more: n_more as u32,
        }
    };
    (frames.into_iter().map(view).list(), n_more)
}

/// The top-level variables that have values.
fn global_views(analysis: &Analysis, machine: &mut Machine) -> Vec<VariableView> {
    let globals = machine.global_views();
    let contents = Contents { machine, program: machine.program(), analysis };
    let view = |global: machine::GlobalView| {
        let name = contents.program.globals[global.global].name.clone();
        Some(contents.variable(name, global.layout, global.bits.as_ref()?, global.value.as_ref()))
    };
    globals.into_iter().filter_map(view).take(MAX_VARIABLES).list()
}

/// The first blocks of the heap, and those that variables lead to.
fn block_views(
    analysis: &Analysis,
    machine: &Machine,
    frames: &[FrameView],
    globals: &[VariableView],
) -> (Vec<BlockView>, usize) {
    let is_shown = |block: &machine::BlockView| block.kind != BlockKind::Free;
    // Free blocks count for the limit, and are not shown.
    let heap = machine.heap_view(0, 8 * MAX_BLOCKS);
    let n_all = heap.blocks.iter().count_where(|block| is_shown(block)) + heap.n_more;
    let mut shown: Vec<machine::BlockView> = heap.blocks.into_iter().filter(is_shown).take(MAX_BLOCKS).list();
    let variables = frames.iter().flat_map(|frame| &frame.variables).chain(globals);
    let mut pending: Vec<u32> = variables.list_all(|variable| variable.pointers.iter().copied());
    pending.reverse();
    while let Some(address) = pending.pop() {
        if shown.len() >= 2 * MAX_BLOCKS {
            break;
        }
        if shown.iter().any(|block| block.address == address) {
            continue;
        }
        let found = machine.heap_view(address, 1).blocks.into_iter().next();
        if let Some(block) = found.filter(|block| block.address == address && is_shown(block)) {
            pending.append_all(block.pointers.iter().map(|&(_, to)| to));
            shown.push(block);
        }
    }
    base::sort_by_key(&mut shown, |block| block.address);
    let contents = Contents { machine, program: machine.program(), analysis };
    let n_more = n_all.saturating_sub(shown.len());
    (shown.into_iter().map(|block| contents.block(block)).list(), n_more)
}
