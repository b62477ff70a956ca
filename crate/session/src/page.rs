//! The page's conversation with the core: one text at a time, answered in views.

use crate::layouts::{Laid, laid_value, lay, layouts_view};
use crate::needs::{Needs, type_text};
use crate::run::{Options, RunValue, SoFar, run};
use crate::solver::{Part, Recording};
use crate::step::{Move, Stepper};
use crate::tensors::{parts_of, whole};
use crate::view::machine::{IrView, StepView};
use crate::view::solver::{
    GraphStateView, GraphView, MendedView, PlaceStopsView, RoundsView, SolverView, StretchView, TraceView, WhyNotView,
    WhyView,
};
use crate::view::{
    CheckView, DefinitionView, DiagnosticView, EditView, ExportView, ExpressionView, FileView, FixView, FormatView,
    HoverView, LabelView, LaidValueView, LayerView, LayoutsView, MatchView, NameView, NeedsView, NetFunctionView,
    NetView, OperatorView, ProgressView, RunView, SeverityView, SpanView, ValueView,
};
use crate::{
    Analysis, File, Fusion, LayerSummary, Mends, Summary, TraceDocument, hover, name, prelude, trace_document,
};
use base::{Diagnostic, LineIndex, Severity, Span, Surface, ToList};
use layout::Strategy;
use machine::Tally;
use std::cell::OnceCell;
use ty::print_value;

/// The text that the page shows, analysed.
pub struct Page {
    analysis: Analysis,
    /// A run of the text that is looked at.
    stepper: Option<Stepper>,
    /// Its layouts, once somebody has asked for them.
    laid: OnceCell<Laid>,
    /// Its check with everything that the solver did, once somebody has asked for that.
    recording: Option<Recording>,
    /// What would mend its problems, once somebody has asked for that.
    mends: OnceCell<Mends>,
}

impl Default for Page {
    fn default() -> Page {
        Page {
            analysis: Analysis::new(""),
            stepper: None,
            laid: OnceCell::new(),
            recording: None,
            mends: OnceCell::new(),
        }
    }
}

impl Page {
    /// Takes a new text.
    pub fn update(&mut self, text: &str) -> CheckView {
        self.analysis = Analysis::new(text);
        self.stepper = None;
        self.laid = OnceCell::new();
        self.recording = None;
        self.mends = OnceCell::new();
        let lines = self.analysis.lines();
        let mut definitions: Vec<(u32, DefinitionView)> = self
            .analysis
            .definitions()
            .into_iter()
            .map(|definition| {
                let view = DefinitionView {
                    name: definition.name,
                    r#type: definition.r#type,
                    span: span_view(lines, definition.name_span),
                    line: lines.line_of(definition.name_span.start),
                };
                (definition.name_span.start, view)
            })
            .list();
        for (id, adt) in self.analysis.module.adts.iter_enumerated().skip(self.analysis.module.start.adts) {
            let view = DefinitionView {
                name: adt.name.clone(),
                r#type: crate::hover::declaration(&self.analysis, id),
                span: span_view(lines, adt.name_span),
                line: lines.line_of(adt.name_span.start),
            };
            definitions.push((adt.name_span.start, view));
        }
        base::sort_by_key(&mut definitions, |&(start, _)| start);
        CheckView {
            diagnostics: diagnostic_views(lines, self.analysis.diagnostics()),
            definitions: definitions.into_iter().map(|(_, view)| view).list(),
            expressions: self
                .analysis
                .expressions()
                .into_iter()
                .map(|expression| ExpressionView {
                    span: span_view(lines, expression.span),
                    line: lines.line_of(expression.span.start),
                    r#type: expression.r#type,
                })
                .list(),
            nodes: crate::summary(&self.analysis).into_iter().map(|node| net_view(lines, node)).list(),
        }
    }

    /// The program in another language, or why not.
    pub fn export(&self, to: &str) -> ExportView {
        match crate::command::parse_export(to).and_then(|to| crate::export(&self.analysis, to)) {
            Ok(text) => ExportView { text: Some(text), reason: None },
            Err(reason) => ExportView { text: None, reason: Some(reason) },
        }
    }

    fn file(&self, file: FileView) -> &Analysis {
        match file {
            FileView::User => &self.analysis,
            FileView::Prelude => prelude(),
        }
    }

    /// What is at a UTF-16 offset of a text.
    pub fn hover(&self, file: FileView, offset: u32) -> Option<HoverView> {
        let analysis = self.file(file);
        let lines = analysis.lines();
        let hover = hover(analysis, lines.from_utf16(offset))?;
        let operator = hover.operator.map(str::to_owned);
        Some(HoverView { code: hover.code, doc: hover.doc, operator, span: span_view(lines, hover.span) })
    }

    /// What the name at a UTF-16 offset of a text means.
    pub fn name(&self, file: FileView, offset: u32) -> Option<NameView> {
        let analysis = self.file(file);
        let lines = analysis.lines();
        let asked = match file {
            FileView::User => File::User,
            FileView::Prelude => File::Prelude,
        };
        let name = name(analysis, asked, lines.from_utf16(offset))?;
        let (file, binding_lines) = match name.file {
            File::User => (FileView::User, lines),
            File::Prelude => (FileView::Prelude, prelude().lines()),
        };
        Some(NameView {
            span: span_view(lines, name.span),
            file,
            binding: span_view(binding_lines, name.binding),
            whole: span_view(binding_lines, name.whole),
            is_given: name.is_given,
            mentions: name.mentions.into_iter().map(|span| span_view(lines, span)).list(),
        })
    }

    /// The match at a UTF-16 offset of the text, or the one nearest to it.
    pub fn match_at(&self, offset: u32) -> Option<MatchView> {
        crate::matches::match_at(&self.analysis, self.analysis.lines().from_utf16(offset))
    }

    /// The program that the machine runs, before and after a pass; nothing for a layout that does not exist.
    pub fn ir(&self, layout: &str, fusion: Fusion, pass: usize, max_lines: usize) -> Option<IrView> {
        let strategy = Strategy::parse(layout)?;
        Some(crate::ir_text::ir_view(&self.analysis, (strategy, fusion), pass, max_lines))
    }

    /// Begins to look at the run of one of the expressions that a run evaluates, by its place among them.
    pub fn step_start(&mut self, expression: usize, layout: &str, fusion: Fusion) -> Option<StepView> {
        self.stepper = Stepper::new(&self.analysis, expression, Strategy::parse(layout)?, fusion);
        self.step_to(0.0)
    }

    /// The run that is looked at, after `step` instructions.
    pub fn step_to(&mut self, step: f64) -> Option<StepView> {
        self.stepper.as_mut().map(|stepper| stepper.seek(&self.analysis, step as u64))
    }

    pub fn step_by(&mut self, to: Move) -> Option<StepView> {
        self.stepper.as_mut().map(|stepper| stepper.go(&self.analysis, to))
    }

    /// On to the line of a UTF-16 offset.
    pub fn step_to_line(&mut self, offset: u32) -> Option<StepView> {
        let offset = self.analysis.lines().from_utf16(offset);
        self.stepper.as_mut().map(|stepper| stepper.seek_line(&self.analysis, offset))
    }

    /// On to where `fuel` calls and match tests have been made, and from there to a place between UTF-16 offsets.
    pub fn step_like(&mut self, fuel: f64, start: u32, end: u32) -> Option<StepView> {
        let lines = self.analysis.lines();
        let place = Span::new(lines.from_utf16(start), lines.from_utf16(end));
        self.stepper.as_mut().map(|stepper| stepper.seek_fuel(&self.analysis, fuel as u64, place))
    }

    /// The text's problems, the likeliest fault first, with edits that mend them. Asked for behind [`Page::update`],
    /// which does not search, so that typing does not wait for it.
    pub fn mend(&self) -> MendedView {
        let ranked = self.mends().ranked(&self.analysis);
        let has_cause = self.mends().has_cause(&self.analysis);
        MendedView { diagnostics: diagnostic_views(self.analysis.lines(), &ranked), has_cause }
    }

    /// The edits that mend the text, searched for once.
    pub(crate) fn mends(&self) -> &Mends {
        self.mends.get_or_init(|| Mends::new(&self.analysis))
    }

    /// Forgets the run that was looked at.
    pub fn step_end(&mut self) {
        self.stepper = None;
    }

    /// The layouts of the text's sum types.
    pub fn layouts(&self) -> LayoutsView {
        layouts_view(&self.analysis, self.laid())
    }

    /// How a value of one of the types of [`Page::layouts`] is stored that consists of these choices.
    pub fn layout_value(&self, entry: u32, choices: &[String]) -> Option<LaidValueView> {
        laid_value(&self.analysis, self.laid(), entry as usize, choices)
    }

    /// The text and the recording of its check, which is made when it is asked for first.
    pub(crate) fn recording(&mut self) -> (&Analysis, &mut Recording) {
        let recording = self.recording.get_or_insert_with(|| Recording::new(&self.analysis));
        (&self.analysis, recording)
    }

    /// What the solver did for the text, as a timeline.
    pub fn trace(&mut self) -> TraceView {
        let (analysis, recording) = self.recording();
        recording.trace_view(analysis)
    }

    /// The solver at a stop, with a part of its lists.
    pub fn solver_at(&mut self, stop: usize, part: Part) -> SolverView {
        let (analysis, recording) = self.recording();
        recording.solver_view(analysis, stop, part)
    }

    /// Variables and relations, with these clusters open.
    pub fn solver_graph(&mut self, open: &[String]) -> GraphView {
        let (analysis, recording) = self.recording();
        recording.graph_view(analysis, open)
    }

    /// How the nodes of the last graph stand at a stop.
    pub fn graph_state(&mut self, stop: usize) -> GraphStateView {
        let (analysis, recording) = self.recording();
        recording.graph_state(analysis, stop)
    }

    /// `n_rounds` rounds of information flow, from `first` on, counted from 0.
    pub fn rounds(&mut self, first: usize, n_rounds: usize) -> RoundsView {
        let (analysis, recording) = self.recording();
        recording.rounds_view(analysis, first, n_rounds)
    }

    /// What the trace says of the type at a UTF-16 offset.
    pub fn stops_at(&mut self, offset: u32) -> Option<PlaceStopsView> {
        let (analysis, recording) = self.recording();
        recording.stops_at(analysis, analysis.lines().from_utf16(offset))
    }

    /// The stop that decided the type at a UTF-16 offset.
    pub fn decided_at(&mut self, offset: u32) -> Option<usize> {
        let (analysis, recording) = self.recording();
        recording.decided_at(analysis, analysis.lines().from_utf16(offset))
    }

    /// The classes of the type at a UTF-16 offset, and of its parts, as they are at a stop.
    pub fn classes_at(&mut self, offset: u32, stop: usize) -> Vec<u32> {
        let (analysis, recording) = self.recording();
        recording.classes_at(analysis, analysis.lines().from_utf16(offset), stop)
    }

    /// The stop where a problem arose, by its number among those of the text.
    pub fn stop_of_diagnostic(&mut self, diagnostic: usize) -> Option<usize> {
        let (analysis, recording) = self.recording();
        recording.stop_of_diagnostic(analysis, diagnostic)
    }

    /// What `relish trace --json` prints.
    pub fn trace_document(&self) -> TraceDocument {
        trace_document(&self.analysis)
    }

    fn laid(&self) -> &Laid {
        self.laid.get_or_init(|| lay(&self.analysis))
    }

    /// Why a piece of the type at a UTF-16 offset of the text is what it is; without a number, the most telling piece.
    pub fn why(&mut self, offset: u32, piece: Option<u32>) -> Option<WhyView> {
        let (analysis, recording) = self.recording();
        let mut view = crate::why::why(analysis, recording, analysis.lines().from_utf16(offset), piece)?;
        view.stop = view.event.map(|event| recording.stop_of_event(event));
        for step in &mut view.steps {
            step.stop = Some(recording.stop_of_event(step.event));
        }
        Some(view)
    }

    /// How the operator that is called between two UTF-16 offsets stretches its operands, if it does.
    pub fn stretch(&self, start: u32, end: u32) -> Option<StretchView> {
        let lines = self.analysis.lines();
        crate::stretch::stretch(&self.analysis, Span::new(lines.from_utf16(start), lines.from_utf16(end)))
    }

    /// What cannot hold together in the problem with this number, where the fault may be, and what would mend it;
    /// nothing if none of that is known.
    pub fn why_not(&mut self, problem: u32) -> Option<WhyNotView> {
        let diagnostic = self.analysis.diagnostics().get(problem as usize)?;
        let mut own = diagnostic_views(self.analysis.lines(), std::slice::from_ref(diagnostic));
        let (analysis, recording) = self.recording();
        let conflict = crate::why::why_not(analysis, recording, problem as usize);
        let mut view = conflict.or_else(|| {
            let (core, places, fixes) = (Vec::new(), Vec::new(), Vec::new());
            own.pop().map(|problem| WhyNotView { problem, core, n_behind: 0, is_bounded: false, places, fixes })
        })?;
        for conflict in &mut view.core {
            conflict.stop = Some(recording.stop_of_demand(conflict.event));
        }
        let mends = self.mends.get_or_init(|| Mends::new(&self.analysis));
        view.fixes = mends.fixes(self.analysis.lines(), problem as usize);
        if !view.fixes.is_empty() || !view.core.is_empty() {
            view.places = mends.places(&self.analysis, problem as usize);
        }
        (!view.core.is_empty() || !view.fixes.is_empty()).then_some(view)
    }

    /// What lays out a text anew, whether it is the last one or not.
    pub fn format(text: &str) -> FormatView {
        match crate::format(text, Surface::Relay) {
            Ok(formatted) => {
                let lines = LineIndex::new(text);
                let edits = crate::format::edits(text, &formatted).into_iter();
                let views = edits.map(|edit| EditView { span: span_view(&lines, edit.span), text: edit.text });
                FormatView { edits: views.list(), errors: 0 }
            }
            Err(diagnostics) => FormatView { edits: Vec::new(), errors: diagnostics.len() as u32 },
        }
    }

    /// Runs the text.
    pub fn run(&self, options: &Options) -> RunView {
        let outcome = run(&self.analysis, options);
        let lines = self.analysis.lines();
        RunView {
            values: value_views(&self.analysis, &outcome.values),
            diagnostics: diagnostic_views(lines, &outcome.diagnostics),
            milliseconds: outcome.milliseconds,
            fuel: outcome.fuel as f64,
            steps: outcome.steps as f64,
            peak_bytes: outcome.peak_bytes as f64,
            live_bytes: outcome.live_bytes as f64,
            needs: needs_view(lines, &outcome.needs),
            profile: outcome.profile.iter().flatten().map(|tally| operator_view(lines, tally)).list(),
        }
    }

    /// How far a run of a text is.
    pub fn progress(analysis: &Analysis, so_far: &SoFar) -> ProgressView {
        let lines = analysis.lines();
        ProgressView {
            fuel: so_far.fuel as f64,
            steps: so_far.steps as f64,
            span: span_view(lines, so_far.next),
            line: lines.line_of(so_far.next.start),
            values: value_views(analysis, so_far.values),
            diagnostics: diagnostic_views(lines, so_far.diagnostics),
            profile: so_far.tallies.iter().map(|tally| operator_view(lines, tally)).list(),
        }
    }

    /// What a run will need.
    pub fn needs(&self, options: &Options) -> NeedsView {
        needs_view(self.analysis.lines(), &self.analysis.needs(options))
    }
}

fn value_views(analysis: &Analysis, values: &[RunValue]) -> Vec<ValueView> {
    let (lines, module) = (analysis.lines(), &analysis.module);
    let view = |RunValue { name, span, r#type, value }: &RunValue| {
        let printed = value.as_ref().map(|value| print_value(value, module));
        let (parts, has_more_parts) = value.as_ref().map(|value| parts_of(value, module)).unwrap_or_default();
        ValueView {
            name: name.clone(),
            span: span_view(lines, *span),
            line: lines.line_of(span.start),
            r#type: r#type.clone(),
            truncated: printed.as_ref().is_some_and(|printed| printed.truncated),
            value: printed.map(|printed| printed.text),
            tensor: value.as_ref().and_then(whole),
            parts,
            has_more_parts,
        }
    };
    values.iter().map(view).list()
}

pub(crate) fn diagnostic_views(lines: &LineIndex, diagnostics: &[Diagnostic]) -> Vec<DiagnosticView> {
    let span = |span| span_view(lines, span);
    diagnostics
        .iter()
        .map(|diagnostic| DiagnosticView {
            code: diagnostic.code.to_owned(),
            severity: match diagnostic.severity {
                Severity::Error => SeverityView::Error,
                Severity::Warning => SeverityView::Warning,
                Severity::Info => SeverityView::Info,
            },
            message: diagnostic.message.clone(),
            span: span(diagnostic.span),
            line: lines.line_of(diagnostic.span.start),
            labels: diagnostic
                .labels
                .iter()
                .map(|label| LabelView { span: span(label.span), message: label.message.clone() })
                .list(),
            help: diagnostic.help.clone(),
            fixes: diagnostic
                .fixes
                .iter()
                .map(|fix| FixView {
                    title: fix.title.clone(),
                    edits: fix
                        .edits
                        .iter()
                        .map(|edit| EditView { span: span(edit.span), text: edit.text.clone() })
                        .list(),
                })
                .list(),
        })
        .list()
}

pub(crate) fn span_view(lines: &LineIndex, span: Span) -> SpanView {
    SpanView { start: lines.utf16_offset(span.start), end: lines.utf16_offset(span.end) }
}

fn net_view(lines: &LineIndex, node: Summary) -> NetView {
    let layer = |layer: LayerSummary| LayerView {
        span: span_view(lines, layer.span),
        name: layer.name,
        made_of: layer.made_of,
        output: layer.output,
        trained: layer.n_trained as f64,
        flops: layer.flops.map(|flops| flops as f64),
        formula: layer.formula,
    };
    let functions = node
        .functions
        .into_iter()
        .map(|function| NetFunctionView { name: function.name, layers: function.layers.into_iter().map(layer).list() });
    NetView {
        name: node.name,
        span: span_view(lines, node.span),
        r#type: node.r#type,
        functions: functions.list(),
        trained: node.n_trained as f64,
        kept: node.n_kept as f64,
    }
}

fn needs_view(lines: &LineIndex, needs: &Needs) -> NeedsView {
    let span = needs.open.map(|(span, _)| span);
    NeedsView {
        least: needs.least as f64,
        most: needs.most.map(|bytes| bytes as f64),
        sentence: needs.sentence(),
        span: span.map(|span| span_view(lines, span)),
        line: span.map(|span| lines.line_of(span.start)),
    }
}

fn operator_view(lines: &LineIndex, tally: &Tally) -> OperatorView {
    OperatorView {
        names: tally.ops.iter().map(|op| op.row().name.to_owned()).list(),
        span: span_view(lines, tally.span),
        line: lines.line_of(tally.span.start),
        r#type: tally.result.as_ref().map(type_text),
        calls: tally.n_calls as f64,
        milliseconds: tally.milliseconds,
        bytes_read: tally.read as f64,
        bytes_written: tally.written as f64,
        flops: tally.flops.map(|flops| flops as f64),
    }
}
