//! How well faults are found and mended: mutants with one planted mistake each, and real mistakes.

use crate::facts::{items, lines, text};
use base::{Diagnostic, Edit, Severity, Surface, apply};
use serde_json::Value as Json;
use session::{Analysis, Mends};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Kinds of mutant where blame is arbitrary: the declaration or its uses.
const ARBITRARY: [&str; 3] = ["parameter dim", "transposed parameter", "constructor declaration"];

/// Under this name all mutants are counted, and under the other those where blame is not arbitrary.
pub const ALL: &str = "all";
pub const CLEAR: &str = "all but parameters and declarations";

/// Of how many programs what was found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    pub n: usize,
    /// The first place stands on a line at fault.
    pub n_first: usize,
    /// One of the first three lines named is at fault.
    pub n_near: usize,
    /// One of the first three edits gives a program without errors; of real mistakes, one that a teacher lists.
    pub n_mended: usize,
}

impl Score {
    fn add(&mut self, other: Score) {
        self.n += other.n;
        self.n_first += other.n_first;
        self.n_near += other.n_near;
        self.n_mended += other.n_mended;
    }

    /// In percent: first line, first three lines, mended.
    pub fn percent(self) -> [usize; 3] {
        [self.n_first, self.n_near, self.n_mended].map(|n| 100 * n / self.n.max(1))
    }
}

/// What is said of a program: its lines in the order in which they are named, and the first three edits.
struct Said {
    lines: Vec<u32>,
    fixes: Vec<Vec<Edit>>,
    analysis: Analysis,
}

fn said(program: &str) -> Said {
    let analysis = Analysis::new(program);
    let ranked: Vec<Diagnostic> = { Mends::new(&analysis).ranked(&analysis).into_iter() }
        .filter(|problem| problem.severity == Severity::Error)
        .collect();
    let mut lines: Vec<u32> = Vec::new();
    for span in
        ranked.iter().flat_map(|problem| [problem.span].into_iter().chain(problem.labels.iter().map(|l| l.span)))
    {
        let line = analysis.lines().line_of(span.start);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.truncate(3);
    let fixes = ranked.into_iter().flat_map(|problem| problem.fixes).map(|fix| fix.edits).take(3).collect();
    Said { lines, fixes, analysis }
}

fn is_sound(analysis: &Analysis) -> bool {
    analysis.diagnostics().iter().all(|problem| problem.severity != Severity::Error)
}

/// A program with one planted mistake.
fn mutant(fact: &Json) -> Score {
    let program = text(fact, "source");
    let planted = &fact["planted"];
    let line = |field: &str| planted[field].as_u64().map(|line| line as u32);
    let from = line("line").expect("a planted mistake has a line");
    let to = line("end_line").unwrap_or(from);
    let said = said(program);
    let is_hit = |line: &u32| (from..=to).contains(line);
    let is_mended = said.fixes.iter().any(|edits| is_sound(&Analysis::new(&apply(program, edits))));
    Score {
        n: 1,
        n_first: usize::from(said.lines.first().is_some_and(is_hit)),
        n_near: usize::from(said.lines.iter().any(is_hit)),
        n_mended: usize::from(is_mended),
    }
}

/// The mutants among these facts by kind, with two sums.
pub fn mutants(facts: &[Json]) -> BTreeMap<String, Score> {
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for fact in facts.iter().filter(|fact| fact.get("planted").is_some()) {
        let kind = text(fact, "mutation");
        let score = mutant(fact);
        scores.entry(kind.to_owned()).or_default().add(score);
        scores.entry(ALL.to_owned()).or_default().add(score);
        if !ARBITRARY.contains(&kind) {
            scores.entry(CLEAR.to_owned()).or_default().add(score);
        }
    }
    scores
}

/// Real mistakes. An edit counts if it gives a program that is listed, or one with the same types in which only lines
/// at fault were touched.
pub fn mistakes(facts: &[Json]) -> Score {
    let types = |analysis: &Analysis| -> Vec<(String, String)> {
        analysis.definitions().into_iter().map(|definition| (definition.name, definition.r#type)).collect()
    };
    let laid_out = |program: &str| session::format(program, Surface::Relay).unwrap_or_default();
    let mut score = Score::default();
    for fact in facts.iter().filter(|fact| fact["kind"] == "error") {
        let program = text(fact, "program");
        let faults = lines(fact, "fault_lines");
        let said = said(program);
        let is_listed = |edits: &Vec<Edit>| {
            let mended = apply(program, edits);
            let analysis = Analysis::new(&mended);
            let line = |offset: u32| said.analysis.lines().line_of(offset);
            let is_at_fault =
                |edit: &Edit| (line(edit.span.start)..=line(edit.span.end)).all(|at| faults.contains(&at));
            let stays = edits.iter().all(is_at_fault);
            is_sound(&analysis)
                && items(fact, "fixes").iter().any(|fix| {
                    let listed = text(fix, "program");
                    laid_out(listed) == laid_out(&mended) || stays && types(&Analysis::new(listed)) == types(&analysis)
                })
        };
        score.add(Score {
            n: 1,
            n_first: usize::from(said.lines.first().is_some_and(|line| faults.contains(line))),
            n_near: usize::from(said.lines.iter().any(|line| faults.contains(line))),
            n_mended: usize::from(said.fixes.iter().any(is_listed)),
        });
    }
    score
}

/// The mended programs of real mistakes in which something is still called an error.
pub fn false_alarms(facts: &[Json]) -> Vec<String> {
    let fixed = facts.iter().flat_map(|fact| items(fact, "fixes").iter().map(move |fix| (fact, text(fix, "program"))));
    fixed
        .filter(|(_, program)| !is_sound(&Analysis::new(program)))
        .map(|(fact, _)| text(fact, "id").to_owned())
        .collect()
}

/// The scores as a table.
pub fn table(scores: &BTreeMap<String, Score>) -> String {
    let mut out = "| mistake | n | first line | first three lines | mended |\n|---|---|---|---|---|\n".to_owned();
    for (kind, score) in scores {
        let [first, near, mended] = score.percent();
        let _ = writeln!(out, "| {kind} | {} | {first} % | {near} % | {mended} % |", score.n);
    }
    out
}
