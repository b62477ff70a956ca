//! One page: its tests, checking them, and rewriting what they expect.

use crate::facts::{refine, tensorscript};
use base::{Severity, Surface, apply};
use serde_json::Value as Json;
use session::command::{check_json, parse_inputs};
use session::{Analysis, Export, Fusion, Mends, Options};
use std::fmt::Write;

/// The program under one heading.
#[derive(Debug, Clone)]
pub struct Case {
    pub heading: String,
    pub surface: Surface,
    pub program: String,
    /// For each line of the program, the line of the page that it stands on.
    pub page_lines: Vec<usize>,
    /// What the page shows of later stages.
    pub shown: Vec<Shown>,
}

/// A fence with what a stage makes of the program above it: `layout` is the text of `relish layout`, `trace` that of
/// `relish trace`, `summary` that of `relish summary`; `rounds` is what was solved in which round. `run` has the values
/// of a run, a line each, on the inputs that a JSON object behind the word gives. The lines of `ir` are parts of lines
/// of `relish ir`, in order, and `ir fold` is behind the pass `fold`; those of `trace json` are events of
/// `relish trace --json`, in order; those of `pytorch` are parts of lines of `relish export --to pytorch`. The first line of `why` is a question, such as `%x axis 1`, and the rest its
/// answer; `whynot` is what cannot hold together in each type error. `fixes` has for each error the place where it is
/// put and the first edit that mends it.
#[derive(Debug, Clone)]
pub struct Shown {
    pub stage: String,
    /// The first line of the page in it (from 0).
    pub page_line: usize,
    pub text: String,
}

/// Whether a fence is one of those, by what stands behind its backticks.
fn is_stage_name(name: &str) -> bool {
    matches!(
        name,
        "layout" | "summary" | "rounds" | "why" | "whynot" | "trace" | "trace json" | "fixes" | "ir" | "pytorch"
    ) || ["run", "ir "].iter().any(|begin| name.starts_with(begin))
}

/// What is wrong with what a fence shows.
fn check_shown(analysis: &Analysis, Shown { stage, page_line, text }: &Shown) -> Option<Failure> {
    if stage == "trace json" {
        let document: Json = serde_json::from_str(&session::trace_json(analysis)).unwrap_or_default();
        let mut left = document["events"].as_array().map_or(&[][..], Vec::as_slice).iter();
        let missing = text.lines().find(|line| {
            let wanted: Option<Json> = serde_json::from_str(line).ok();
            !left.any(|event| Some(event) == wanted.as_ref())
        })?;
        let message = format!("trace json: there is no event `{missing}` here in\n{document}");
        return Some(Failure { page_line: *page_line, message, actual: None, fence: None });
    }
    if matches!(stage.as_str(), "layout" | "trace" | "summary" | "rounds") || stage.starts_with("run") {
        let actual = match stage.as_str() {
            run if run.starts_with("run") => values(analysis, run.trim_start_matches("run")),
            "layout" => session::layout_text(analysis, None) + "\n",
            "summary" => session::summary_text(analysis),
            "rounds" => session::rounds_text(analysis),
            _ => session::trace_text(analysis),
        };
        let message = format!("{stage}: expected\n{text}found\n{actual}");
        let fence = Some(text.lines().count());
        return (actual != *text).then_some(Failure { page_line: *page_line, message, actual: Some(actual), fence });
    }
    if stage == "why" || stage == "whynot" {
        let asked = text.lines().next().unwrap_or_default();
        let actual = match stage.as_str() {
            "whynot" => session::why_not_text(analysis),
            _ => format!("{asked}\n{}", session::why_text(analysis, asked).unwrap_or_else(|| "nothing\n".to_owned())),
        };
        let message = format!("{stage}: expected\n{text}found\n{actual}");
        let fence = Some(text.lines().count());
        return (actual != *text).then_some(Failure { page_line: *page_line, message, actual: Some(actual), fence });
    }
    if stage == "fixes" {
        let actual = first_fixes(analysis);
        let message = format!("fixes: expected\n{text}found\n{actual}");
        let fence = Some(text.lines().count());
        return (actual != *text).then_some(Failure { page_line: *page_line, message, actual: Some(actual), fence });
    }
    let pass = stage.strip_prefix("ir ");
    let found = match stage.as_str() {
        "pytorch" => session::export(analysis, Export::PyTorch).unwrap_or_else(|reason| reason),
        _ => session::ir_text(analysis, Options::default().layout, Fusion::On, pass).text,
    };
    let mut left = found.lines();
    let missing = text.lines().map(str::trim).find(|wanted| !left.any(|line| line.contains(wanted)))?;
    let message = format!("{stage}: nothing holds `{missing}` here in\n{found}");
    Some(Failure { page_line: *page_line, message, actual: None, fence: None })
}

/// The values of a run on inputs, or what is wrong with it, a line each.
fn values(analysis: &Analysis, inputs: &str) -> String {
    let inputs = if inputs.trim().is_empty() { "{}" } else { inputs };
    let inputs = match parse_inputs(inputs) {
        Ok(inputs) => inputs,
        Err(error) => return error + "\n",
    };
    let outcome = session::run(analysis, &Options { inputs: Some(&inputs), ..Options::default() });
    let wrong = outcome.diagnostics.iter().map(|diagnostic| diagnostic.message.clone());
    let values = outcome.values.iter().map(|value| analysis.show(value).unwrap_or_default());
    values.chain(wrong).map(|line| line + "\n").collect()
}

/// A line for each error: the line of the program that is blamed, the first edit, and how the blamed lines read then.
fn first_fixes(analysis: &Analysis) -> String {
    let mut out = String::new();
    for problem in Mends::new(analysis).ranked(analysis) {
        let Some(fix) = problem.fixes.first().filter(|_| problem.severity == Severity::Error) else { continue };
        let mended = apply(analysis.text(), &fix.edits);
        let new = mended.lines().filter(|line| !analysis.text().lines().any(|old| old == *line));
        let new: Vec<&str> = new.map(str::trim).collect();
        let line = analysis.lines().line_of(problem.span.start);
        let _ = writeln!(out, "line {line}: {}: {}", fix.title, new.join(" "));
    }
    out
}

/// The cases of a Markdown text, one per heading that has fences of a language.
pub fn cases(markdown: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut heading = String::from("(no heading)");
    let mut is_new = true;
    // Of the fence that is open, the surface, if it is of a program.
    let mut fence: Option<Option<Surface>> = None;
    let mut is_stage = false;
    for (i, line) in markdown.lines().enumerate() {
        match fence {
            None if line.starts_with("```") => {
                let name = line.trim_start_matches('`').trim();
                fence = Some(Surface::of_name(name));
                is_stage = !is_new && is_stage_name(name);
                if let (true, Some(case)) = (is_stage, cases.last_mut()) {
                    case.shown.push(Shown { stage: name.to_owned(), page_line: i + 1, text: String::new() });
                }
            }
            None if line.starts_with('#') => {
                heading = line.trim_start_matches('#').trim().to_owned();
                is_new = true;
            }
            None => {}
            Some(_) if line.starts_with("```") => fence = None,
            Some(Some(surface)) => {
                if is_new {
                    let (heading, program, page_lines) = (heading.clone(), String::new(), Vec::new());
                    cases.push(Case { heading, surface, program, page_lines, shown: Vec::new() });
                    is_new = false;
                }
                let case = cases.last_mut().expect("a case was just begun");
                let _ = writeln!(case.program, "{line}");
                case.page_lines.push(i);
            }
            Some(None) => {
                if let (true, Some(shown)) = (is_stage, cases.last_mut().and_then(|case| case.shown.last_mut())) {
                    let _ = writeln!(shown.text, "{line}");
                }
            }
        }
    }
    cases
}

/// An assertion in a program: on which line (from 0) it stands, and which line it speaks of.
#[derive(Debug, Clone)]
pub struct Assertion {
    pub at: usize,
    pub of: usize,
    pub what: What,
}

#[derive(Debug, Clone)]
pub enum What {
    /// `^? TYPE` below a column (from 0, in characters).
    Hover { column: usize, expected: String },
    /// `^ error[code] "text"`; a column within the diagnostic's span, if that starts on the line.
    Problem { column: usize, severity: String, code: String, text: String },
    /// `=> VALUE`.
    Value { expected: String },
}

pub fn assertions(program: &str) -> Vec<Assertion> {
    let mut found = Vec::new();
    let mut of = 0;
    for (at, line) in program.lines().enumerate() {
        let trimmed = line.trim_start();
        let comment = trimmed.strip_prefix('#').or_else(|| trimmed.strip_prefix("//")).map(str::trim_start);
        let what = comment.and_then(|comment| {
            if let Some(expected) = comment.strip_prefix("=>") {
                return Some(What::Value { expected: expected.trim().to_owned() });
            }
            let column = line.chars().position(|c| c == '^')?;
            if let Some(expected) = comment.strip_prefix("^?") {
                return Some(What::Hover { column, expected: expected.trim().to_owned() });
            }
            let rest = comment.strip_prefix('^')?.trim_start();
            let (severity, rest) = rest.split_once('[')?;
            let (code, rest) = rest.split_once(']')?;
            let text = rest.trim().trim_matches('"').to_owned();
            Some(What::Problem { column, severity: severity.to_owned(), code: code.to_owned(), text })
        });
        match what {
            Some(what) => found.push(Assertion { at, of, what }),
            None if !trimmed.is_empty() => of = at,
            None => {}
        }
    }
    found
}

/// The type at a line and column, both from 0.
fn hover_at(analysis: &Analysis, line: usize, column: usize) -> Option<String> {
    let position = base::Position { line: line as u32 + 1, column: column as u32 + 1 };
    let offset = analysis.lines().offset(position)?;
    session::hover(analysis, offset).map(|hover| hover.r#type)
}

/// What a case got wrong, each with its page line (from 0), and what stands there instead where blessing may write it.
pub struct Failure {
    pub page_line: usize,
    pub message: String,
    pub actual: Option<String>,
    /// How many lines of the page that takes the place of, if it is the whole of a fence.
    pub fence: Option<usize>,
}

pub fn check(case: &Case) -> Vec<Failure> {
    let mut failures = Vec::new();
    let analysis = Analysis::in_surface(&case.program, case.surface);
    let lines = analysis.lines();
    let options = Options { fuel: 5_000_000, ..Options::default() };
    let outcome = session::run(&analysis, &options);
    let mut problems: Vec<(base_line::Diagnostic, bool)> = analysis
        .diagnostics()
        .iter()
        .chain(&outcome.diagnostics)
        .map(|diagnostic| (base_line::of(diagnostic, lines), false))
        .collect();
    let page_line = |line: usize| case.page_lines.get(line).copied().unwrap_or(0);
    for Assertion { at, of, what } in assertions(&case.program) {
        let mut fail = |message: String, actual: Option<String>| {
            failures.push(Failure { page_line: page_line(at), message, actual, fence: None });
        };
        match what {
            What::Hover { column, expected } => {
                let actual = hover_at(&analysis, of, column);
                let actual = actual.unwrap_or_else(|| "nothing".to_owned());
                if actual != expected {
                    fail(format!("hover: expected {expected}, found {actual}"), Some(actual));
                }
            }
            What::Problem { column, severity, code, text } => {
                let claimed = problems.iter_mut().find(|(problem, claimed)| {
                    !claimed
                        && problem.severity == severity
                        && problem.code == code
                        && problem.message.contains(&text)
                        && problem.covers(of, column)
                });
                match claimed {
                    Some((_, claimed)) => *claimed = true,
                    None => fail(format!("expected {severity}[{code}] \"{text}\" here, and there is none"), None),
                }
            }
            What::Value { expected } => {
                let value = outcome.values.iter().filter(|value| value.name.is_empty()).find(|value| {
                    let (first, last) = (lines.line_of(value.span.start), lines.line_of(value.span.end));
                    (first..=last).contains(&(of as u32 + 1))
                });
                let actual = value.and_then(|value| analysis.show(value)).unwrap_or_else(|| "no value".to_owned());
                if actual != expected {
                    fail(format!("value: expected {expected}, found {actual}"), Some(actual));
                }
            }
        }
    }
    for (problem, claimed) in problems {
        if !claimed {
            failures.push(Failure {
                page_line: page_line(problem.line),
                message: format!("unclaimed {}[{}]: {}", problem.severity, problem.code, problem.message),
                actual: None,
                fence: None,
            });
        }
    }
    failures.extend(case.shown.iter().filter_map(|shown| check_shown(&analysis, shown)));
    failures
}

/// The page with the types, values and fences of failed assertions written anew. Diagnostics are never blessed.
pub fn bless(markdown: &str, failures: &[Failure]) -> String {
    let mut lines: Vec<String> = markdown.lines().map(str::to_owned).collect();
    // From the end, since a fence may get longer.
    let mut from_end: Vec<&Failure> = failures.iter().collect();
    from_end.sort_by_key(|failure| std::cmp::Reverse(failure.page_line));
    for failure in from_end {
        let Some(actual) = &failure.actual else { continue };
        if let Some(n_lines) = failure.fence {
            let at = failure.page_line;
            lines.splice(at..at + n_lines, actual.lines().map(str::to_owned));
            continue;
        }
        let line = &mut lines[failure.page_line];
        let keep = line.find("^?").or_else(|| line.find("=>")).map_or(line.len(), |at| at + 2);
        line.truncate(keep);
        line.push(' ');
        line.push_str(actual);
    }
    lines.join("\n") + "\n"
}

/// What `relish check --json` says of a program.
pub fn check_document(program: &str) -> String {
    check_json(&[("-".to_owned(), Analysis::new(program))]).text
}

impl Case {
    /// The program as a text that says by itself what it is written in.
    pub fn text(&self) -> String {
        match self.surface {
            Surface::Relay => self.program.clone(),
            Surface::Refine => refine(&self.program),
            Surface::TensorScript => tensorscript(&self.program),
        }
    }
}

mod base_line {
    /// A diagnostic by lines and columns from 0.
    pub struct Diagnostic {
        pub severity: &'static str,
        pub code: &'static str,
        pub message: String,
        pub line: usize,
        column: usize,
        end_line: usize,
        end_column: usize,
    }

    impl Diagnostic {
        /// Whether the span begins on that line and holds that column, or holds the whole line.
        pub fn covers(&self, line: usize, column: usize) -> bool {
            let after_start = self.line < line || (self.line == line && self.column <= column);
            let empty = self.line == self.end_line && self.column == self.end_column;
            let before_end = line < self.end_line
                || (line == self.end_line && (column < self.end_column || (empty && column <= self.end_column)));
            after_start && before_end
        }
    }

    pub fn of(diagnostic: &base::Diagnostic, lines: &base::LineIndex) -> Diagnostic {
        let (start, end) = (lines.position(diagnostic.span.start), lines.position(diagnostic.span.end));
        Diagnostic {
            severity: match diagnostic.severity {
                base::Severity::Error => "error",
                base::Severity::Warning => "warning",
                base::Severity::Info => "info",
            },
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            line: start.line as usize - 1,
            column: start.column as usize - 1,
            end_line: end.line as usize - 1,
            end_column: end.column as usize - 1,
        }
    }
}
