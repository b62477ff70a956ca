//! Problems in the order in which they are likeliest at fault, with edits that mend them.

use crate::Analysis;
use crate::analysis::ground;
use crate::page::span_view;
use crate::view::EditView;
use crate::view::solver::{MendView, MendedTypeView, PlaceView};
use base::{Append, Diagnostic, Fix, Label, LineIndex, Severity, Span, ToList};
use blame::{Blame, Mend};

/// At most this many edits are offered for one problem.
const MAX_FIXES: usize = 3;

/// At most this many other places are named for one problem.
const MAX_PLACES: usize = 2;

/// A text's edits, made once for all questions about them.
pub struct Mends {
    blame: Blame,
}

impl Mends {
    pub fn new(analysis: &Analysis) -> Mends {
        let ground = ground(analysis.module.surface);
        Mends { blame: blame::blame(&ground, analysis.text(), analysis.diagnostics()) }
    }

    /// The edits after which one of the analysis' problems is gone, the likeliest first. Of those that are about as
    /// likely, such at other places come before more of the same line.
    pub fn of(&self, lines: &LineIndex, problem: usize) -> Vec<&Mend> {
        let (mut first, mut rest): (Vec<&Mend>, Vec<&Mend>) = (Vec::new(), Vec::new());
        for mend in self.blame.mends.iter().filter(|mend| mend.removed.contains(&problem)) {
            let line = |mend: &Mend| lines.line_of(mend.place.start);
            let is_new = first.iter().all(|other| line(other) != line(mend) || other.n_left < mend.n_left);
            if is_new { first.push(mend) } else { rest.push(mend) }
        }
        first.append_all(rest);
        first
    }

    /// Where the fault of a problem may be, the likeliest first; at last where it is told.
    pub fn places(&self, analysis: &Analysis, problem: usize) -> Vec<PlaceView> {
        let lines = analysis.lines();
        let problem_span = analysis.diagnostics()[problem].span;
        let mut out: Vec<PlaceView> = Vec::new();
        let mut put = |span, sentence: String| {
            if !out.iter().any(|place| place.span == span_view(lines, span)) {
                out.push(PlaceView { span: span_view(lines, span), line: lines.line_of(span.start), sentence });
            }
        };
        for mend in self.of(lines, problem) {
            put(mend.place, reason(mend));
        }
        put(problem_span, "the problem shows here".to_owned());
        out
    }

    /// Up to three edits that mend a problem.
    pub fn fixes(&self, lines: &LineIndex, problem: usize) -> Vec<MendView> {
        let view = |mend: &Mend| MendView {
            title: mend.title.clone(),
            edits: { mend.edits.iter() }
                .map(|edit| EditView { span: span_view(lines, edit.span), text: edit.text.clone() })
                .list(),
            types: { mend.types.iter().cloned() }
                .map(|(name, before, after)| MendedTypeView { name, before, after })
                .list(),
            n_left: mend.n_left as u32,
        };
        self.of(lines, problem).into_iter().take(MAX_FIXES).map(view).list()
    }

    /// The problems, the likeliest fault first. A problem whose likeliest mend is elsewhere than it shows stands there,
    /// and its first label is where it shows.
    pub fn ranked(&self, analysis: &Analysis) -> Vec<Diagnostic> {
        let problems = analysis.diagnostics();
        let is_error = |i: &usize| problems[*i].severity == Severity::Error;
        // What cannot be read may be why the rest is not understood.
        let rank = |&i: &usize| {
            let later = if problems[i].code == "syntax-error" { 0 } else { usize::MAX / 2 };
            later + self.best(i).unwrap_or(usize::MAX / 2 - 1)
        };
        let mut order: Vec<usize> = (0..problems.len()).filter(is_error).list();
        base::sort_by_key(&mut order, rank);
        order.append_all((0..problems.len()).filter(|i| !is_error(i)));
        // One mend may take several problems away: the first of them stands at its place.
        let mut told = Vec::new();
        let ranked = order.into_iter().map(|i| {
            let mut problem = problems[i].clone();
            if problem.severity != Severity::Error {
                return problem;
            }
            let best = self.best(i);
            if best.is_none_or(|best| !told.contains(&best)) {
                told.append_all(best);
                self.place(analysis, i, &mut problem);
            }
            self.offer(analysis.lines(), i, &mut problem);
            problem
        });
        ranked.list()
    }

    /// Whether the problem that is ranked first is why there are others: what mends it mends some of them, or it cannot
    /// be read.
    pub fn has_cause(&self, analysis: &Analysis) -> bool {
        let is_read = |problem: &Diagnostic| problem.code != "syntax-error";
        let errors = || analysis.diagnostics().iter().filter(|problem| problem.severity == Severity::Error);
        if errors().any(|problem| !is_read(problem)) {
            return errors().any(is_read);
        }
        // The likeliest mend of all is the first one's.
        self.blame.mends.first().is_some_and(|mend| mend.removed.len() > 1)
    }

    /// The first mend of a problem.
    fn best(&self, problem: usize) -> Option<usize> {
        self.blame.mends.iter().position(|mend| mend.removed.contains(&problem))
    }

    /// Puts a problem where its fault is likeliest, and names the next places.
    fn place(&self, analysis: &Analysis, i: usize, problem: &mut Diagnostic) {
        let lines = analysis.lines();
        let line = |span: Span| lines.line_of(span.start);
        let shown = problem.span;
        problem.span = self.place_of(analysis, i, shown);
        let mut named = vec![line(problem.span)];
        let mut labels = Vec::new();
        if problem.span != shown {
            labels.push(Label { span: shown, message: "the problem shows here".to_owned() });
            named.push(line(shown));
        }
        for mend in self.of(lines, i) {
            if labels.len() <= MAX_PLACES && !named.contains(&line(mend.place)) {
                named.push(line(mend.place));
                labels.push(Label { span: mend.place, message: reason(mend) });
            }
        }
        labels.append(&mut problem.labels);
        for label in &labels {
            if !named.contains(&line(label.span)) {
                named.push(line(label.span));
            }
        }
        // Where fewer lines are named than a person would look at, parts are that may be at fault.
        for (span, problems) in &self.blame.suspects {
            if named.len() <= MAX_PLACES && problems.contains(&i) && !named.contains(&line(*span)) {
                named.push(line(*span));
                labels.push(Label { span: *span, message: "or the fault is here".to_owned() });
            }
        }
        problem.labels = labels;
    }

    /// Puts the edits that were checked before those that came with the problem. Of these those that mend nothing go where
    /// another one does.
    fn offer(&self, lines: &LineIndex, i: usize, problem: &mut Diagnostic) {
        let mends = self.of(lines, i).into_iter().take(MAX_FIXES);
        let fixes: Vec<Fix> = mends.map(|mend| Fix { title: mend.title.clone(), edits: mend.edits.clone() }).list();
        let mut own = std::mem::replace(&mut problem.fixes, fixes);
        if own.first().is_some_and(|fix| problem.help.as_ref() == Some(&fix.title)) {
            problem.help = None;
        }
        let checked = &problem.fixes;
        let is_told = |fix: &Fix| checked.iter().any(|other| other.title == fix.title || other.edits == fix.edits);
        if !own.iter().any(is_told) {
            problem.fixes.append(&mut own);
        }
        if problem.help.is_none() {
            problem.help = problem.fixes.first().map(|fix| fix.title.clone());
        }
    }
}

impl Mends {
    /// Where a problem is put: at its likeliest mend.
    fn place_of(&self, analysis: &Analysis, problem: usize, shown: Span) -> Span {
        let lines = analysis.lines();
        let Some(&best) = self.of(lines, problem).first() else { return shown };
        let line = |span: Span| lines.line_of(span.start);
        // The whole definition around it.
        let mut around = shown;
        for function in analysis.module.functions.iter().skip(analysis.module.start.functions) {
            if function.span.contains(shown.start) && function.span.len() > around.len() {
                around = function.span;
            }
        }
        // Of edits in several places, the problem's own, or at least one in the same definition.
        let is_far = !around.contains(best.place.start);
        let mut own = None;
        for edit in best.edits.iter().rev() {
            let at = edit.span.start;
            if shown.contains(at) || is_far && around.contains(at) && own.is_none() {
                own = Some(edit.span);
            }
        }
        match own {
            Some(own) if !shown.contains(best.place.start) => own,
            // A place between two letters says less than what the problem is.
            _ if best.place.is_empty() && line(best.place) == line(shown) => shown,
            _ => best.place,
        }
    }
}

/// Why a place may be at fault.
fn reason(mend: &Mend) -> String {
    match mend.n_left {
        0 => format!("nothing is wrong any more if you {}", mend.title),
        _ => format!("the problem is gone if you {}", mend.title),
    }
}
