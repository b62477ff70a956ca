//! The command line's JSON documents, and the reading of its options.

use crate::data::to_json;
use crate::run::Options;
use crate::{
    Analysis, Export, FunctionSummary, Fusion, Inputs, IrText, LayerSummary, Mends, Needs, Outcome, Summary, hover,
    ir_text, pass_names, run,
};
use base::{Diagnostic, Join, LineIndex, Position, Severity, Span, ToList};
use hir::layers::Param;
use layout::Strategy;
use machine::Tally;
use serde::Serialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use ty::print_value;

/// Lines and columns from 1, columns in Unicode scalar values.
#[derive(Serialize)]
pub(crate) struct Place {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

#[derive(Serialize)]
struct Label {
    #[serde(flatten)]
    place: Place,
    message: String,
}

#[derive(Serialize)]
struct Edit {
    #[serde(flatten)]
    place: Place,
    text: String,
}

#[derive(Serialize)]
struct Fix {
    title: String,
    edits: Vec<Edit>,
}

#[derive(Serialize)]
pub(crate) struct Problem {
    code: &'static str,
    severity: &'static str,
    message: String,
    #[serde(flatten)]
    place: Place,
    labels: Vec<Label>,
    help: Option<String>,
    fixes: Vec<Fix>,
}

#[derive(Serialize)]
struct Definition {
    name: String,
    r#type: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize)]
struct Expression {
    line: u32,
    r#type: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize)]
struct CheckedFile {
    file: String,
    diagnostics: Vec<Problem>,
    definitions: Vec<Definition>,
    values: Vec<Expression>,
}

/// A text that was to be laid out anew, and what came of it.
pub struct Formatting {
    pub file: String,
    pub text: String,
    pub outcome: Result<String, Vec<Diagnostic>>,
}

#[derive(Serialize)]
struct FormattedFile<'a> {
    file: &'a str,
    changed: bool,
    /// Of standard input, which cannot be rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    diagnostics: Vec<Problem>,
}

#[derive(Serialize)]
struct Formatted<'a> {
    files: Vec<FormattedFile<'a>>,
}

#[derive(Serialize)]
struct Checked {
    files: Vec<CheckedFile>,
}

#[derive(Serialize)]
struct RunValue {
    line: u32,
    r#type: String,
    value: Option<String>,
    data: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize)]
struct Ran {
    values: Vec<RunValue>,
    diagnostics: Vec<Problem>,
    fuel: u64,
    peak_bytes: u64,
    live_bytes: u64,
    tensor_bytes: TensorBytes,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<Vec<OperatorCost>>,
}

/// An operator on tensors, or several that are fused, at one place.
#[derive(Serialize)]
struct OperatorCost {
    operators: Vec<&'static str>,
    #[serde(flatten)]
    place: Place,
    /// Of the last call's result; null if it is a tuple.
    r#type: Option<String>,
    calls: u64,
    milliseconds: f64,
    bytes_read: u64,
    bytes_written: u64,
    /// Null where the types do not say.
    flops: Option<u64>,
}

/// What was known before the run of the elements of tensors that are there at once.
#[derive(Serialize)]
struct TensorBytes {
    least: u64,
    /// Null where only the run knows.
    most: Option<u64>,
    /// What decides it, and where.
    #[serde(skip_serializing_if = "Option::is_none")]
    depends_on: Option<Label>,
}

#[derive(Serialize)]
struct Hovered {
    r#type: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    doc: String,
    span: Place,
}

#[derive(Serialize)]
struct Operator {
    name: &'static str,
    args: &'static [&'static str],
    attrs: Vec<Attribute>,
    relation: &'static str,
    /// Whether it can be computed, and not only typed.
    runs: bool,
    doc: String,
}

#[derive(Serialize)]
struct Attribute {
    name: &'static str,
    /// As written in a program; null where the attribute must be given.
    default: Option<String>,
}

/// What a command prints, and whether it tells of errors.
pub struct Answer {
    pub text: String,
    pub has_errors: bool,
}

/// `relish check --json` of named texts.
pub fn check_json(files: &[(String, Analysis)]) -> Answer {
    let has_errors = files.iter().any(|(_, analysis)| has_errors(analysis.diagnostics()));
    let files = files.iter().map(|(file, analysis)| {
        let lines = analysis.lines();
        CheckedFile {
            file: file.clone(),
            diagnostics: problems(&Mends::new(analysis).ranked(analysis), lines),
            definitions: analysis
                .definitions()
                .into_iter()
                .map(|definition| Definition {
                    name: definition.name,
                    r#type: definition.r#type,
                    truncated: definition.truncated,
                })
                .list(),
            values: analysis
                .expressions()
                .into_iter()
                .map(|value| Expression {
                    line: lines.line_of(value.span.start),
                    truncated: is_cut(&value.r#type),
                    r#type: value.r#type,
                })
                .list(),
        }
    });
    Answer { text: to_string(&Checked { files: files.list() }), has_errors }
}

/// Whether a printed type was cut short: none that is whole has this sign.
fn is_cut(ty: &str) -> bool {
    ty.contains('…')
}

/// `relish run --json` of a text.
pub fn run_json(analysis: &Analysis, options: &Options) -> Answer {
    let mut outcome = run(analysis, options);
    let lines = analysis.lines();
    let values = outcome.values.iter().map(|value| {
        let printed = value.value.as_ref().map(|value| print_value(value, &analysis.module));
        RunValue {
            line: lines.line_of(value.span.start),
            r#type: value.r#type.clone(),
            truncated: is_cut(&value.r#type) || printed.as_ref().is_some_and(|printed| printed.truncated),
            value: printed.map(|printed| printed.text),
            data: value.value.as_ref().and_then(|value| to_json(&analysis.module, value)),
        }
    });
    let values = values.list();
    let mut diagnostics = Mends::new(analysis).ranked(analysis);
    diagnostics.append(&mut outcome.diagnostics);
    let has_errors = has_errors(&diagnostics);
    let diagnostics = problems(&diagnostics, lines);
    let Needs { least, most, open } = outcome.needs;
    let depends_on = open.map(|(span, clause)| Label { place: place(span, lines), message: clause.to_owned() });
    let tensor_bytes = TensorBytes { least, most, depends_on };
    let Outcome { fuel, peak_bytes, live_bytes, profile, .. } = outcome;
    let cost = |tally: &Tally| OperatorCost {
        operators: tally.ops.iter().map(|op| op.row().name).list(),
        place: place(tally.span, lines),
        r#type: tally.result.as_ref().map(crate::needs::type_text),
        calls: tally.n_calls,
        milliseconds: tally.milliseconds,
        bytes_read: tally.read,
        bytes_written: tally.written,
        flops: tally.flops,
    };
    let profile = profile.map(|tallies| tallies.iter().map(cost).list());
    let ran = Ran { values, diagnostics, fuel, peak_bytes, live_bytes, tensor_bytes, profile };
    Answer { text: to_string(&ran), has_errors }
}

/// How to run: fuel, memory and seed, a layout and fusion by their names; what is not said is as always.
pub fn run_options(
    numbers: [Option<u64>; 3],
    layout: Option<&str>,
    fusion: Option<&str>,
) -> Result<Options<'static>, String> {
    let usual = Options::default();
    let [fuel, memory, seed] = numbers;
    Ok(Options {
        fuel: fuel.unwrap_or(usual.fuel),
        memory: memory.unwrap_or(usual.memory),
        seed: seed.unwrap_or(usual.seed),
        layout: layout.map_or(Ok(usual.layout), parse_layout)?,
        fusion: fusion.map_or(Ok(usual.fusion), parse_fusion)?,
        ..usual
    })
}

/// `relish hover --json` at a line and column; `None` where there is nothing.
pub fn hover_json(analysis: &Analysis, position: Position) -> Option<String> {
    let offset = analysis.lines().offset(position)?;
    let hover = hover(analysis, offset)?;
    let truncated = is_cut(&hover.r#type);
    let span = place(hover.span, analysis.lines());
    Some(to_string(&Hovered { r#type: hover.r#type, truncated, doc: hover.doc, span }))
}

/// `relish ir --json`.
pub fn ir_json(ir: &IrText) -> String {
    serde_json::json!({ "ir": ir.text }).to_string()
}

/// `relish ops --json`.
fn ops_json() -> String {
    let operators = op::all().iter().map(|row| Operator {
        name: row.name,
        args: row.args,
        attrs: row
            .attrs
            .iter()
            .filter(|spec| !matches!(spec.form, op::AttrForm::Argument(_)))
            .map(|spec| Attribute { name: spec.name, default: spec.default.value().map(|value| value.to_string()) })
            .list(),
        relation: row.relation.name,
        runs: row.runs(),
        doc: row.doc.trim_ascii().to_owned(),
    });
    to_string(&operators.list())
}

/// `relish ops`.
pub fn ops(as_json: bool) -> Answer {
    Answer { text: if as_json { ops_json() } else { ops_text() }, has_errors: false }
}

/// For people: a line each.
fn ops_text() -> String {
    let line = |row: &op::Op| {
        let attrs = row.attrs.iter().filter(|spec| !matches!(spec.form, op::AttrForm::Argument(_)));
        let attrs = attrs.map(|spec| match spec.default.value() {
            Some(value) => format!("{}={value}", spec.name),
            None => format!("{}=…", spec.name),
        });
        let parts: Vec<String> = row.args.iter().map(|arg| (*arg).to_owned()).chain(attrs).list();
        let note = if row.runs() { "" } else { ", typed and not run" };
        format!("{}({}) where {}{note}", row.name, parts.joined(", "), row.relation.name)
    };
    op::all().iter().map(|row| line(row)).list().joined("\n")
}

/// `relish layers --json`: of each layer, and of each way in which a weight can begin, the module that `use` names and
/// what it takes.
fn layers_json() -> String {
    let param = |param: &Param| Attribute { name: param.name, default: param.default.text() };
    let layer = |(module, name, params): (&'static str, &'static str, &'static [Param])| serde_json::json!({ "module": module, "name": name, "params": params.iter().map(param).list() });
    to_string(&hir::layers::all().map(layer).list())
}

/// `relish layers`.
pub fn layers(as_json: bool) -> Answer {
    let text = if as_json { layers_json() } else { hir::layers::all().map(hir::layers::signature).list().joined("\n") };
    Answer { text, has_errors: false }
}

/// `relish fmt --json`: `{"files":[{"file","changed","diagnostics":[…]}]}`, with the `text` of standard input.
pub fn format_json(files: &[Formatting]) -> String {
    let files = files.iter().map(|Formatting { file, text, outcome }| FormattedFile {
        file,
        changed: outcome.as_ref().is_ok_and(|formatted| formatted != text),
        text: outcome.as_deref().ok().filter(|_| file == "-"),
        diagnostics: problems(outcome.as_ref().err().map_or(&[], Vec::as_slice), &LineIndex::new(text)),
    });
    to_string(&Formatted { files: files.list() })
}

/// `relish explain`: the page of an error code.
pub fn explain(code: &str, as_json: bool) -> Result<Answer, String> {
    let Some(page) = crate::explain(code) else {
        let nearest = base::nearest(code, crate::codes());
        let hint = nearest.map_or(String::new(), |nearest| format!("; did you mean {nearest}?"));
        return Err(format!("no error code is called {code}{hint}"));
    };
    let text = match as_json {
        true => serde_json::json!({ "code": code, "page": page }).to_string(),
        false => page.trim_ascii_end().to_owned(),
    };
    Ok(Answer { text, has_errors: false })
}

/// The document that a command prints for one text, by the command's name; its options as a JSON object with the keys
/// `fuel`, `memory`, `seed`, `inputs`, `layout`, `fusion`, `pass`, `to`, and `line` and `column` for `hover`. For the
/// test that every build of the core answers alike.
pub fn command_json(name: &str, source: &str, options: &str) -> Option<String> {
    let json: Json = options.parse().ok()?;
    let number = |key: &str| json.get(key).and_then(Json::as_u64);
    let text = |key: &str| json.get(key).and_then(Json::as_str);
    let strategy = text("layout").and_then(Strategy::parse);
    let fusion = text("fusion").and_then(Fusion::parse).unwrap_or(Fusion::On);
    let analysis = || Analysis::new(source);
    match name {
        "check" => Some(check_json(&[("-".to_owned(), analysis())]).text),
        "run" => {
            let mut options = Options::default();
            options.fuel = number("fuel").unwrap_or(options.fuel);
            options.memory = number("memory").unwrap_or(options.memory);
            options.layout = strategy.unwrap_or(options.layout);
            options.fusion = fusion;
            options.seed = number("seed").unwrap_or(options.seed);
            let inputs = json.get("inputs").and_then(Json::as_object);
            let inputs = inputs.map(|inputs| inputs.iter().map(|(key, value)| (key.clone(), value.clone())).collect());
            options.inputs = inputs.as_ref();
            Some(run_json(&analysis(), &options).text)
        }
        "hover" => {
            let position = Position { line: number("line")? as u32, column: number("column")? as u32 };
            hover_json(&analysis(), position)
        }
        "ir" => {
            let strategy = strategy.unwrap_or(Options::default().layout);
            Some(ir_json(&ir_text(&analysis(), strategy, fusion, text("pass"))))
        }
        "layout" => Some(crate::layout_json(&analysis(), strategy).text),
        "trace" => Some(crate::trace_json(&analysis())),
        "export" => {
            let to = Export::parse(text("to")?)?;
            exported(&analysis(), to, true).ok()
        }
        "summary" => Some(summary_json(&analysis())),
        "ops" => Some(ops_json()),
        "layers" => Some(layers_json()),
        _ => None,
    }
}

/// `relish export`: the text, nothing of a program with errors, or why there can be none. As JSON,
/// `{"text", "reason"}`, one of which is null.
pub fn exported(analysis: &Analysis, to: Export, as_json: bool) -> Result<String, String> {
    match crate::export(analysis, to) {
        found if as_json => {
            Ok(format!("{}\n", serde_json::json!({ "text": found.as_ref().ok(), "reason": found.err() })))
        }
        Err(_) if has_errors(analysis.diagnostics()) => Ok(String::new()),
        found => found,
    }
}

/// `relish summary --json`.
pub fn summary_json(analysis: &Analysis) -> String {
    let layer = |layer: &LayerSummary| {
        let LayerSummary { span, name, made_of, output, n_trained, flops, formula } = layer;
        let span = place(*span, analysis.lines());
        serde_json::json!({
            "name": name, "made_of": made_of, "output": output, "parameters": n_trained, "operations": flops,
            "formula": formula, "span": span,
        })
    };
    let functions = |summary: &Summary| -> Vec<Json> {
        let of = |function: &FunctionSummary| {
            let layers: Vec<Json> = function.layers.iter().map(layer).collect();
            serde_json::json!({ "name": function.name, "layers": layers })
        };
        summary.functions.iter().map(of).collect()
    };
    let nodes: Vec<Json> = crate::summary(analysis)
        .iter()
        .map(|summary| {
            serde_json::json!({
                "name": summary.name, "type": summary.r#type, "functions": functions(summary),
                "parameters": summary.n_trained, "kept": summary.n_kept,
            })
        })
        .collect();
    serde_json::json!({ "nodes": nodes }).to_string()
}

/// What a program can be exported to, by its name.
pub fn parse_export(name: &str) -> Result<Export, String> {
    Export::parse(name).ok_or_else(|| {
        let names: Vec<&str> = Export::ALL.iter().map(|export| export.name()).collect();
        format!("expected one of {}, found {name}", names.joined(", "))
    })
}

/// `FILE:LINE:COL`.
pub fn parse_place(place: &str) -> Result<(&str, Position), String> {
    let parse = || {
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        Some((file, Position { line: base::parse_u32(line)?, column: base::parse_u32(column)? }))
    };
    parse().ok_or_else(|| format!("expected FILE:LINE:COL, found {place}"))
}

/// A pass by its name, or `lower`.
pub fn parse_pass(name: &str) -> Result<&str, String> {
    match pass_names().any(|known| known == name) {
        true => Ok(name),
        false => Err(format!("no pass is called {name}; there are {}", pass_names().list().joined(", "))),
    }
}

/// A layout strategy by its name.
pub fn parse_layout(name: &str) -> Result<Strategy, String> {
    Strategy::parse(name).ok_or_else(|| {
        let names: Vec<&str> = Strategy::ALL.iter().map(|strategy| strategy.name()).list();
        format!("expected one of the layouts {}, found {name}", names.joined(", "))
    })
}

/// `on` or `off`.
pub fn parse_fusion(name: &str) -> Result<Fusion, String> {
    Fusion::parse(name).ok_or_else(|| format!("expected on or off, found {name}"))
}

/// The inputs of `@main` from a JSON object.
pub fn parse_inputs(text: &str) -> Result<Inputs, String> {
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("expected a JSON object from parameter names to lists: {error}"))
}

/// Milliseconds since it was first asked.
pub fn now() -> f64 {
    static FIRST: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    FIRST.elapsed().as_secs_f64() * 1e3
}

pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

pub(crate) fn place(span: Span, lines: &LineIndex) -> Place {
    let (start, end) = (lines.position(span.start), lines.position(span.end));
    Place { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
}

pub(crate) fn problems(diagnostics: &[Diagnostic], lines: &LineIndex) -> Vec<Problem> {
    let label = |label: &base::Label| Label { place: place(label.span, lines), message: label.message.clone() };
    let edit = |edit: &base::Edit| Edit { place: place(edit.span, lines), text: edit.text.clone() };
    let fix = |fix: &base::Fix| Fix { title: fix.title.clone(), edits: fix.edits.iter().map(edit).list() };
    diagnostics
        .iter()
        .map(|diagnostic| Problem {
            code: diagnostic.code,
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "info",
            },
            message: diagnostic.message.clone(),
            place: place(diagnostic.span, lines),
            labels: diagnostic.labels.iter().map(label).list(),
            help: diagnostic.help.clone(),
            fixes: diagnostic.fixes.iter().map(fix).list(),
        })
        .list()
}

pub(crate) fn to_string(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("views have no maps with other keys than strings")
}
