//! The page's conversation with the core: one text at a time, answered in views.

use crate::layouts::{Laid, laid_value, lay, layouts_view};
use crate::needs::{Needs, type_text};
use crate::run::{Options, run};
use crate::solver::{Part, Recording};
use crate::step::{Move, Stepper};
use crate::view::machine::{IrView, StepView};
use crate::view::solver::{
    GraphStateView, GraphView, MendedView, PlaceStopsView, RoundsView, SolverView, StretchView, TraceView, WhyNotView,
    WhyView,
};
use crate::view::{
    CheckView, DefinitionView, DiagnosticView, EditView, ExportView, ExpressionView, FileView, FixView, FormatView,
    HoverView, LabelView, LaidValueView, LayerView, LayoutsView, MatchView, NameView, NeedsView, NetFunctionView,
    NetView, OperatorView, OverviewView, RunView, SeverityView, SpanView, StatisticsView, TensorView, ValueView,
};
use crate::{Analysis, File, Fusion, LayerSummary, Mends, Summary, hover, name, prelude};
use base::{Diagnostic, LineIndex, Severity, Span, Surface, ToList};
use layout::Strategy;
use machine::Tally;
use std::cell::OnceCell;
use ty::{Dtype, Elements, Value, print_value};

/// How many elements of a tensor are handed over to be drawn: a picture of 256 by 256 points in four channels.
const MAX_ELEMENTS: usize = 1 << 18;

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
        MendedView { diagnostics: diagnostic_views(self.analysis.lines(), &ranked) }
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

    /// The trace as a document, as `relish trace --json` prints it.
    pub fn trace_json(&self) -> String {
        crate::trace_json(&self.analysis)
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
        let values = outcome.values.into_iter().map(|value| {
            let printed = value.value.as_ref().map(|value| print_value(value, &self.analysis.module));
            ValueView {
                name: value.name,
                span: span_view(lines, value.span),
                line: lines.line_of(value.span.start),
                r#type: value.r#type,
                truncated: printed.as_ref().is_some_and(|printed| printed.truncated),
                value: printed.map(|printed| printed.text),
                tensor: value.value.as_ref().and_then(tensor_view),
            }
        });
        RunView {
            values: values.list(),
            diagnostics: diagnostic_views(lines, &outcome.diagnostics),
            fuel: outcome.fuel as f64,
            steps: outcome.steps as f64,
            peak_bytes: outcome.peak_bytes as f64,
            live_bytes: outcome.live_bytes as f64,
            needs: needs_view(lines, &outcome.needs),
            profile: outcome.profile.iter().flatten().map(|tally| operator_view(lines, tally)).list(),
        }
    }

    /// What a run will need.
    pub fn needs(&self, options: &Options) -> NeedsView {
        needs_view(self.analysis.lines(), &self.analysis.needs(options))
    }
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

/// In two passes, so that the deviation of large numbers that are near each other is right.
fn statistics(n: usize, element: &dyn Fn(usize) -> f64) -> StatisticsView {
    let (mut min, mut max, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    let (mut n_nan, mut n_infinite) = (0.0, 0.0);
    for value in (0..n).map(element) {
        if value.is_nan() {
            n_nan += 1.0;
        } else if value.is_infinite() {
            n_infinite += 1.0;
        } else {
            (min, max, sum) = (value.min(min), value.max(max), sum + value);
        }
    }
    let n_finite = n as f64 - n_nan - n_infinite;
    if n_finite == 0.0 {
        return StatisticsView { count: n as f64, min: 0.0, max: 0.0, mean: 0.0, deviation: 0.0, n_nan, n_infinite };
    }
    let mean = sum / n_finite;
    let squares = (0..n).map(element).filter(|value| value.is_finite()).fold(0.0, |sum, value| {
        let difference = value - mean;
        sum + difference * difference
    });
    let deviation = (squares / n_finite).sqrt();
    StatisticsView { count: n as f64, min, max, mean, deviation, n_nan, n_infinite }
}

fn tensor_view(value: &Value) -> Option<TensorView> {
    let Value::Tensor(tensor) = value else { return None };
    let is_unsigned = tensor.dtype == Dtype::UInt64;
    let element = |index: usize| match &tensor.elements {
        Elements::Float(values) => values[index],
        Elements::Int(values) if is_unsigned => values[index] as u64 as f64,
        Elements::Int(values) => values[index] as f64,
    };
    let n = tensor.elements.len();
    let elements = (0..n.min(MAX_ELEMENTS)).map(element).list();
    let shape = sizes(&tensor.shape);
    let overview = if n > MAX_ELEMENTS { overview(&tensor.shape, &element) } else { None };
    Some(TensorView { dtype: tensor.dtype.to_string(), shape, elements, overview, statistics: statistics(n, &element) })
}

fn sizes(shape: &[usize]) -> Vec<u32> {
    shape.iter().map(|&size| size as u32).list()
}

/// Means of the least blocks of which there are few enough. `None`: there are more matrices than that.
fn overview(shape: &[usize], element: &dyn Fn(usize) -> f64) -> Option<OverviewView> {
    let (&n_columns, before) = shape.split_last()?;
    let (n_rows, outer) = before.split_last().map_or((1, before), |(&rows, outer)| (rows, outer));
    let n_matrices: usize = outer.iter().product();
    let n_blocks = |side: usize| n_rows.div_ceil(side) * n_columns.div_ceil(side);
    let side = (1..=n_rows.max(n_columns)).find(|&side| n_matrices.saturating_mul(n_blocks(side)) <= MAX_ELEMENTS)?;
    let [rows, columns] = [n_rows, n_columns].map(|size| size.min(side));
    let [high, wide] = [n_rows.div_ceil(rows), n_columns.div_ceil(columns)];
    let mut elements = vec![0.0; n_matrices * high * wide];
    for line in 0..n_matrices * n_rows {
        let (matrix, row) = (line / n_rows, line % n_rows);
        let height = rows.min(n_rows - row / rows * rows);
        let start = (matrix * high + row / rows) * wide;
        for column in 0..n_columns {
            let width = columns.min(n_columns - column / columns * columns);
            elements[start + column / columns] += element(line * n_columns + column) / (height * width) as f64;
        }
    }
    let mut shape = sizes(shape);
    let at = shape.len().saturating_sub(2);
    shape.truncate(at);
    if !before.is_empty() {
        shape.push(high as u32);
    }
    shape.push(wide as u32);
    Some(OverviewView { shape, elements, rows: rows as u32, columns: columns as u32 })
}

#[cfg(test)]
mod tests {
    use super::{MAX_ELEMENTS, overview};

    #[test]
    fn an_overview_has_means_of_blocks_and_of_what_is_left_of_one() {
        let view = overview(&[3, 601, 701], &|at| if at == 0 { f64::NAN } else { (at % 701) as f64 }).unwrap();
        assert_eq!((view.shape, view.rows, view.columns), (vec![3, 201, 234], 3, 3));
        assert!(view.elements[0].is_nan());
        // Columns 3 to 5, and the last two.
        assert_eq!(view.elements[1].round(), 4.0);
        assert_eq!(view.elements[233].round(), 700.0);
        assert!(view.elements.len() <= MAX_ELEMENTS);
        let line = overview(&[MAX_ELEMENTS * 3], &|at| at as f64).unwrap();
        assert_eq!((line.shape, line.rows, line.columns), (vec![MAX_ELEMENTS as u32], 1, 3));
        assert_eq!(line.elements[5].round(), 16.0);
        assert!(overview(&[MAX_ELEMENTS + 1, 2, 2], &|_| 0.0).is_none());
    }
}
