//! The core as the page's worker sees it: a thin shell over `session`.

use object::{Shown, perhaps, shown};
use session::view::machine::{IrView, StepView};
use session::view::solver::{
    GraphStateView, GraphView, MendedView, PlaceStopsView, RoundsView, SolverView, StretchView, TraceView, WhyNotView,
    WhyView,
};
use session::view::{
    CheckView, ExportView, FileView, FormatView, HoverView, LaidValueView, LayoutsView, MatchView, NameView, NeedsView,
    ProgressView, RunView,
};
use session::{Analysis, Fusion, Move, Options, Page, Part, Progress, SoFar, TraceDocument};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds, as exactly as the browser tells them.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;

    /// How far a run is, for a worker that listens.
    #[wasm_bindgen(catch, js_namespace = globalThis, js_name = relishProgress)]
    fn tell(so_far: &Shown<ProgressView>) -> Result<(), JsValue>;
}

/// Which text a question is about: the last one, or the prelude.
#[wasm_bindgen]
pub enum FileName {
    User = "user",
    Prelude = "prelude",
}

impl FileName {
    fn view(self) -> FileView {
        match self {
            FileName::Prelude => FileView::Prelude,
            _ => FileView::User,
        }
    }
}

/// Whether a run measures its operators.
#[wasm_bindgen]
pub enum Profile {
    On = "on",
    Off = "off",
}

/// Whether operators that feed each other run as one.
#[wasm_bindgen]
pub enum Fused {
    On = "on",
    Off = "off",
}

impl Fused {
    fn fusion(self) -> Fusion {
        match self {
            Fused::Off => Fusion::Off,
            _ => Fusion::On,
        }
    }
}

/// One text at a time: check it, ask about it, run it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Playground {
    page: Page,
}

#[wasm_bindgen]
impl Playground {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Playground {
        Playground::default()
    }

    /// Takes a new text and checks it.
    pub fn update(&mut self, text: &str) -> Shown<CheckView> {
        shown(self.page.update(text))
    }

    /// The last text's problems, the likeliest fault first, with edits that mend them.
    pub fn mend(&self) -> Shown<MendedView> {
        shown(self.page.mend())
    }

    /// What is at a UTF-16 offset of a text.
    pub fn hover(&self, file: FileName, offset: u32) -> Option<Shown<HoverView>> {
        perhaps(self.page.hover(file.view(), offset))
    }

    /// What the name at a UTF-16 offset of a text means.
    pub fn name(&self, file: FileName, offset: u32) -> Option<Shown<NameView>> {
        perhaps(self.page.name(file.view(), offset))
    }

    /// The match at a UTF-16 offset of the last text, or the one nearest to it.
    #[wasm_bindgen(js_name = matchAt)]
    pub fn match_at(&self, offset: u32) -> Option<Shown<MatchView>> {
        perhaps(self.page.match_at(offset))
    }

    /// The program that the machine runs, before and after a pass, with at most `max_lines` lines of its functions.
    pub fn ir(&self, layout: &str, fused: Fused, pass: u32, max_lines: u32) -> Option<Shown<IrView>> {
        let view = self.page.ir(layout, fused.fusion(), pass as usize, max_lines as usize);
        perhaps(view)
    }

    /// Begins to look at the run of one of the expressions step by step.
    #[wasm_bindgen(js_name = stepStart)]
    pub fn step_start(&mut self, expression: u32, layout: &str, fused: Fused) -> Option<Shown<StepView>> {
        perhaps(self.page.step_start(expression as usize, layout, fused.fusion()))
    }

    /// After `step` instructions.
    #[wasm_bindgen(js_name = stepTo)]
    pub fn step_to(&mut self, step: f64) -> Option<Shown<StepView>> {
        perhaps(self.page.step_to(step))
    }

    /// `into`, `over`, `out`, `back`, `last`, or `measure`.
    #[wasm_bindgen(js_name = stepBy)]
    pub fn step_by(&mut self, to: &str) -> Option<Shown<StepView>> {
        perhaps(Move::parse(to).and_then(|to| self.page.step_by(to)))
    }

    /// On to the line of a UTF-16 offset.
    #[wasm_bindgen(js_name = stepToLine)]
    pub fn step_to_line(&mut self, offset: u32) -> Option<Shown<StepView>> {
        perhaps(self.page.step_to_line(offset))
    }

    /// On to where `fuel` calls and match tests have been made, and from there to a place.
    #[wasm_bindgen(js_name = stepLike)]
    pub fn step_like(&mut self, fuel: f64, start: u32, end: u32) -> Option<Shown<StepView>> {
        perhaps(self.page.step_like(fuel, start, end))
    }

    #[wasm_bindgen(js_name = stepEnd)]
    pub fn step_end(&mut self) {
        self.page.step_end();
    }

    /// The layouts of the last text's sum types.
    pub fn layouts(&self) -> Shown<LayoutsView> {
        shown(self.page.layouts())
    }

    /// How a value of one of those types is stored that consists of these choices.
    #[wasm_bindgen(js_name = layoutValue)]
    pub fn layout_value(&self, entry: u32, choices: Vec<String>) -> Option<Shown<LaidValueView>> {
        perhaps(self.page.layout_value(entry, &choices))
    }

    /// What the solver did for the last text, as a timeline.
    pub fn trace(&mut self) -> Shown<TraceView> {
        shown(self.page.trace())
    }

    /// The solver at a stop: `n_classes` classes from `first_class` on, `n_relations` relations of each list.
    #[wasm_bindgen(js_name = solverAt)]
    pub fn solver_at(&mut self, stop: u32, first_class: u32, n_classes: u32, n_relations: u32) -> Shown<SolverView> {
        let [first_class, n_classes, n_relations] = [first_class, n_classes, n_relations].map(|n| n as usize);
        let part = Part { first_class, n_classes, n_relations };
        shown(self.page.solver_at(stop as usize, part))
    }

    /// Variables and relations, with these clusters open.
    #[wasm_bindgen(js_name = solverGraph)]
    pub fn solver_graph(&mut self, open: Vec<String>) -> Shown<GraphView> {
        shown(self.page.solver_graph(&open))
    }

    /// How the nodes of the last graph stand at a stop.
    #[wasm_bindgen(js_name = graphState)]
    pub fn graph_state(&mut self, stop: u32) -> Shown<GraphStateView> {
        shown(self.page.graph_state(stop as usize))
    }

    /// `n_rounds` rounds of information flow, from `first` on, counted from 0.
    pub fn rounds(&mut self, first: u32, n_rounds: u32) -> Shown<RoundsView> {
        shown(self.page.rounds(first as usize, n_rounds as usize))
    }

    /// What the trace says of the type at a UTF-16 offset.
    #[wasm_bindgen(js_name = stopsAt)]
    pub fn stops_at(&mut self, offset: u32) -> Option<Shown<PlaceStopsView>> {
        perhaps(self.page.stops_at(offset))
    }

    /// Why a piece of the type at a UTF-16 offset is what it is.
    pub fn why(&mut self, offset: u32, piece: Option<u32>) -> Option<Shown<WhyView>> {
        perhaps(self.page.why(offset, piece))
    }

    /// How the operator that is called between two UTF-16 offsets stretches its operands, if it does.
    pub fn stretch(&self, start: u32, end: u32) -> Option<Shown<StretchView>> {
        perhaps(self.page.stretch(start, end))
    }

    /// What cannot hold together in a problem of the last check, by its number there.
    #[wasm_bindgen(js_name = whyNot)]
    pub fn why_not(&mut self, diagnostic: u32) -> Option<Shown<WhyNotView>> {
        perhaps(self.page.why_not(diagnostic))
    }

    /// The trace as a document.
    #[wasm_bindgen(js_name = traceDocument)]
    pub fn trace_document(&self) -> Shown<TraceDocument> {
        shown(self.page.trace_document())
    }

    /// What lays out a text anew.
    pub fn format(&self, text: &str) -> Shown<FormatView> {
        shown(Page::format(text))
    }

    /// The last text in `pytorch` or `relay`; why not, if it cannot be.
    #[wasm_bindgen(js_name = exportTo)]
    pub fn export_to(&self, to: &str) -> Shown<ExportView> {
        shown(self.page.export(to))
    }

    /// The text under every program.
    pub fn prelude(&self) -> String {
        session::PRELUDE_TEXT.to_owned()
    }

    /// The memory that a run of the last text will need.
    pub fn needs(&self, fused: Fused) -> Shown<NeedsView> {
        shown(self.page.needs(&Options { fusion: fused.fusion(), ..Options::default() }))
    }

    /// Runs the last text with at most this many calls and match tests, its values laid out so, and measures its
    /// operators where that is asked for.
    pub fn run(&self, fuel: f64, layout: &str, fused: Fused, profile: Profile) -> Shown<RunView> {
        let mut options = Options { fuel: fuel as u64, fusion: fused.fusion(), ..Options::default() };
        options.layout = session::command::parse_layout(layout).unwrap_or(options.layout);
        let tell = |analysis: &Analysis, so_far: &SoFar| drop(tell(&shown(Page::progress(analysis, so_far))));
        options.progress = Some(Progress { tell, clock: now });
        options.clock = matches!(profile, Profile::On).then_some(now);
        shown(self.page.run(&options))
    }
}

#[cfg(feature = "commands")]
#[wasm_bindgen]
impl Playground {
    /// What the command line prints for a command with `--json`.
    pub fn command(&self, name: &str, text: &str, options: &str) -> Option<String> {
        session::command::command_json(name, text, options)
    }
}
