//! The core as the page's worker sees it: a thin shell over `session`.

use session::view::machine::{IrView, StepView};
use session::view::solver::{
    GraphStateView, GraphView, MendedView, PlaceStopsView, RoundsView, SolverView, StretchView, TraceView, WhyNotView,
    WhyView,
};
use session::view::{
    CheckView, ExportView, FileView, FormatView, HoverView, LaidValueView, LayoutsView, MatchView, NameView, NeedsView,
    RunView,
};
use session::{Fusion, Move, Options, Page, Part};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds, as exactly as the browser tells them.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;

    /// How many calls and match tests, and steps of the machine, a run has made so far, for a worker that listens.
    #[wasm_bindgen(catch, js_namespace = globalThis, js_name = relishProgress)]
    fn tell(fuel: f64, steps: f64) -> Result<(), JsValue>;
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

/// Whether operators that feed each other element by element run as one.
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
    pub fn update(&mut self, text: &str) -> Result<Ts<CheckView>, JsError> {
        Ok(self.page.update(text).into_ts()?)
    }

    /// The last text's problems, the likeliest fault first, with edits that mend them.
    pub fn mend(&self) -> Result<Ts<MendedView>, JsError> {
        Ok(self.page.mend().into_ts()?)
    }

    /// What is at a UTF-16 offset of a text.
    pub fn hover(&self, file: FileName, offset: u32) -> Result<Option<Ts<HoverView>>, JsError> {
        Ok(self.page.hover(file.view(), offset).map(|view| view.into_ts()).transpose()?)
    }

    /// What the name at a UTF-16 offset of a text means.
    pub fn name(&self, file: FileName, offset: u32) -> Result<Option<Ts<NameView>>, JsError> {
        Ok(self.page.name(file.view(), offset).map(|view| view.into_ts()).transpose()?)
    }

    /// The match at a UTF-16 offset of the last text, or the one nearest to it.
    #[wasm_bindgen(js_name = matchAt)]
    pub fn match_at(&self, offset: u32) -> Result<Option<Ts<MatchView>>, JsError> {
        Ok(self.page.match_at(offset).map(|view| view.into_ts()).transpose()?)
    }

    /// The program that the machine runs, before and after a pass, with so many lines of its functions.
    pub fn ir(&self, layout: &str, fused: Fused, pass: u32, max_lines: u32) -> Result<Option<Ts<IrView>>, JsError> {
        let view = self.page.ir(layout, fused.fusion(), pass as usize, max_lines as usize);
        Ok(view.map(|view| view.into_ts()).transpose()?)
    }

    /// Begins to look at the run of one of the expressions step by step.
    #[wasm_bindgen(js_name = stepStart)]
    pub fn step_start(&mut self, expression: u32, layout: &str, fused: Fused) -> Result<Option<Ts<StepView>>, JsError> {
        step_view(self.page.step_start(expression as usize, layout, fused.fusion()))
    }

    /// After so many instructions.
    #[wasm_bindgen(js_name = stepTo)]
    pub fn step_to(&mut self, step: f64) -> Result<Option<Ts<StepView>>, JsError> {
        step_view(self.page.step_to(step))
    }

    /// `into`, `over`, `out`, `back`, `last`, or `measure`.
    #[wasm_bindgen(js_name = stepBy)]
    pub fn step_by(&mut self, to: &str) -> Result<Option<Ts<StepView>>, JsError> {
        step_view(Move::parse(to).and_then(|to| self.page.step_by(to)))
    }

    /// On to the line of a UTF-16 offset.
    #[wasm_bindgen(js_name = stepToLine)]
    pub fn step_to_line(&mut self, offset: u32) -> Result<Option<Ts<StepView>>, JsError> {
        step_view(self.page.step_to_line(offset))
    }

    /// On to so many calls and match tests, and from there to a place.
    #[wasm_bindgen(js_name = stepLike)]
    pub fn step_like(&mut self, fuel: f64, start: u32, end: u32) -> Result<Option<Ts<StepView>>, JsError> {
        step_view(self.page.step_like(fuel, start, end))
    }

    #[wasm_bindgen(js_name = stepEnd)]
    pub fn step_end(&mut self) {
        self.page.step_end();
    }

    /// The layouts of the last text's sum types.
    pub fn layouts(&self) -> Result<Ts<LayoutsView>, JsError> {
        Ok(self.page.layouts().into_ts()?)
    }

    /// How a value of one of those types is stored that consists of these choices.
    #[wasm_bindgen(js_name = layoutValue)]
    pub fn layout_value(&self, entry: u32, choices: Vec<String>) -> Result<Option<Ts<LaidValueView>>, JsError> {
        Ok(self.page.layout_value(entry, &choices).map(|view| view.into_ts()).transpose()?)
    }

    /// What the solver did for the last text, as a timeline.
    pub fn trace(&mut self) -> Result<Ts<TraceView>, JsError> {
        Ok(self.page.trace().into_ts()?)
    }

    /// The solver at a stop: so many classes from one on, so many relations of each list.
    #[wasm_bindgen(js_name = solverAt)]
    pub fn solver_at(
        &mut self,
        stop: u32,
        first_class: u32,
        n_classes: u32,
        n_relations: u32,
    ) -> Result<Ts<SolverView>, JsError> {
        let [first_class, n_classes, n_relations] = [first_class, n_classes, n_relations].map(|n| n as usize);
        let part = Part { first_class, n_classes, n_relations };
        Ok(self.page.solver_at(stop as usize, part).into_ts()?)
    }

    /// Variables and relations, with these clusters open.
    #[wasm_bindgen(js_name = solverGraph)]
    pub fn solver_graph(&mut self, open: Vec<String>) -> Result<Ts<GraphView>, JsError> {
        Ok(self.page.solver_graph(&open).into_ts()?)
    }

    /// How the nodes of the last graph stand at a stop.
    #[wasm_bindgen(js_name = graphState)]
    pub fn graph_state(&mut self, stop: u32) -> Result<Ts<GraphStateView>, JsError> {
        Ok(self.page.graph_state(stop as usize).into_ts()?)
    }

    /// So many rounds of information flow from one on, counted from 0.
    pub fn rounds(&mut self, first: u32, n_rounds: u32) -> Result<Ts<RoundsView>, JsError> {
        Ok(self.page.rounds(first as usize, n_rounds as usize).into_ts()?)
    }

    /// What the trace says of the type at a UTF-16 offset.
    #[wasm_bindgen(js_name = stopsAt)]
    pub fn stops_at(&mut self, offset: u32) -> Result<Option<Ts<PlaceStopsView>>, JsError> {
        Ok(self.page.stops_at(offset).map(|view| view.into_ts()).transpose()?)
    }

    /// The stop that decided the type at a UTF-16 offset.
    #[wasm_bindgen(js_name = decidedAt)]
    pub fn decided_at(&mut self, offset: u32) -> Option<u32> {
        self.page.decided_at(offset).map(|stop| stop as u32)
    }

    /// The classes of the type at a UTF-16 offset and of its parts, as they are at a stop.
    #[wasm_bindgen(js_name = classesAt)]
    pub fn classes_at(&mut self, offset: u32, stop: u32) -> Vec<u32> {
        self.page.classes_at(offset, stop as usize)
    }

    /// The stop where a problem of the last check arose, by its number there.
    #[wasm_bindgen(js_name = stopOfDiagnostic)]
    pub fn stop_of_diagnostic(&mut self, diagnostic: u32) -> Option<u32> {
        self.page.stop_of_diagnostic(diagnostic as usize).map(|stop| stop as u32)
    }

    /// Why a piece of the type at a UTF-16 offset is what it is.
    pub fn why(&mut self, offset: u32, piece: Option<u32>) -> Result<Option<Ts<WhyView>>, JsError> {
        Ok(self.page.why(offset, piece).map(|view| view.into_ts()).transpose()?)
    }

    /// How the operator that is called between two UTF-16 offsets stretches its operands, if it does.
    pub fn stretch(&self, start: u32, end: u32) -> Result<Option<Ts<StretchView>>, JsError> {
        Ok(self.page.stretch(start, end).map(|view| view.into_ts()).transpose()?)
    }

    /// What cannot hold together in a problem of the last check, by its number there.
    #[wasm_bindgen(js_name = whyNot)]
    pub fn why_not(&mut self, diagnostic: u32) -> Result<Option<Ts<WhyNotView>>, JsError> {
        Ok(self.page.why_not(diagnostic).map(|view| view.into_ts()).transpose()?)
    }

    /// The trace as a document.
    #[wasm_bindgen(js_name = traceJson)]
    pub fn trace_json(&self) -> String {
        self.page.trace_json()
    }

    /// What lays out a text anew.
    pub fn format(&self, text: &str) -> Result<Ts<FormatView>, JsError> {
        Ok(Page::format(text).into_ts()?)
    }

    /// The last text in `pytorch` or `relay`; why not, if it cannot be.
    #[wasm_bindgen(js_name = exportTo)]
    pub fn export_to(&self, to: &str) -> Result<Ts<ExportView>, JsError> {
        Ok(self.page.export(to).into_ts()?)
    }

    /// The text under every program.
    pub fn prelude(&self) -> String {
        session::PRELUDE_TEXT.to_owned()
    }

    /// The memory that a run of the last text will need.
    pub fn needs(&self, fused: Fused) -> Result<Ts<NeedsView>, JsError> {
        Ok(self.page.needs(&Options { fusion: fused.fusion(), ..Options::default() }).into_ts()?)
    }

    /// Runs the last text with at most this many calls and match tests, its values laid out so, and measures its
    /// operators where that is asked for.
    pub fn run(&self, fuel: f64, layout: &str, fused: Fused, profile: Profile) -> Result<Ts<RunView>, JsError> {
        let mut options = Options { fuel: fuel as u64, fusion: fused.fusion(), ..Options::default() };
        options.layout = session::command::parse_layout(layout).unwrap_or(options.layout);
        options.progress = Some(|fuel, steps| drop(tell(fuel as f64, steps as f64)));
        options.clock = matches!(profile, Profile::On).then_some(now);
        Ok(self.page.run(&options).into_ts()?)
    }
}

fn step_view(view: Option<StepView>) -> Result<Option<Ts<StepView>>, JsError> {
    Ok(view.map(|view| view.into_ts()).transpose()?)
}

#[cfg(feature = "commands")]
#[wasm_bindgen]
impl Playground {
    /// What the command line prints for a command with `--json`.
    pub fn command(&self, name: &str, text: &str, options: &str) -> Option<String> {
        session::command::command_json(name, text, options)
    }
}
