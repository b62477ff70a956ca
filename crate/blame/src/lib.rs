//! Who is to blame: the places of a text with errors that are likeliest at fault, and edits that mend it.
//!
//! In: a text, the library that it stands on, the problems that were found. Out: edits after which the text, parsed and
//! inferred anew, has fewer problems and no new one, the likeliest first, each with the types of definitions that it
//! changes; the place of the fault is the place of the first edit.
//!
//! Algorithm: search by asking the checker (Lerner, Flower, Grossman and Chambers, *Searching for type-error messages*,
//! 2007). From each fault the search goes back along the flow of data with holes: a part may be at fault if the fault
//! is gone with a `_` in its place, and inference then says what should stand there (`suspect`). For each such part
//! there are edits (`written` types, `value`s, `literal`s, `call`s, `arity`, `slip`s); they are tried from the cheapest
//! on, and ranked by how many faults are left, by the kind of edit, by how far it is from the fault, and by what else
//! changes.
//!
//! Invariants: every edit that is handed out has been checked; nothing depends on a clock: the work is bounded by the
//! bytes of text that are checked, so that in a large text fewer edits are tried.
//!
//! In TensorScript every size is written, so that the search is for sizes that clash (`layer`) and for stages that do
//! (`stage`).
//!
//! Deliberately absent: words about faults (`infer`), faults of syntax, which the parser mends, types in refine.
//!
//! Worked example: in `let %y: Tensor[(7, 4), float32] = nn.relu(%x)` with `%x: Tensor[(5, 4), float32]` the fault is
//! told at the value. It is gone with a hole for the written type, which then is `Tensor[(5, 4), float32]`: write `5`
//! for `7`.

mod arity;
mod bench;
mod call;
mod candidate;
mod layer;
mod literal;
mod outline;
mod slip;
mod stage;
mod suspect;
mod value;
mod written;

use base::{Append, Diagnostic, Edit, Edited, HashSet, Severity, Span, Surface, ToList};
use bench::{Bench, check};
use candidate::Candidate;
use hir::Module;
use infer::Inferred;
use outline::{Outline, is_type};

/// What a text stands on.
pub struct Ground<'a> {
    pub library: &'a Module,
    pub inferred: &'a Inferred,
    pub surface: Surface,
}

/// An edit after which fewer problems are left, and no new ones.
#[derive(Clone, Debug)]
pub struct Mend {
    pub title: String,
    pub edits: Vec<Edit>,
    /// Where the fault is, if this is what mends it.
    pub place: Span,
    /// The problems that are gone, by their place among those that were handed in.
    pub removed: Vec<usize>,
    /// How many are left.
    pub n_left: usize,
    /// How many warnings there are then.
    pub n_warnings: usize,
    /// The definitions whose types are others then: name, before, after.
    pub types: Vec<(String, String, String)>,
    /// What speaks against it: the smaller, the likelier.
    pub cost: u32,
}

/// What the search found.
#[derive(Clone, Debug, Default)]
pub struct Blame {
    /// The likeliest first.
    pub mends: Vec<Mend>,
    /// Parts without which problems are gone, the nearest first: each with the problems.
    pub suspects: Vec<(Span, Vec<usize>)>,
}

/// At most this many bytes of text are checked in one search: the edit that mends one size of a whole model is found
/// within. Of a text with more than a few faults it is a quarter, for who has many begins anywhere.
const MAX_WORK: usize = 6_000_000;
const FEW_FAULTS: usize = 6;

/// At most this many edits are handed out for one text.
const MAX_MENDS: usize = 24;

/// From this cost on, an edit puts something else for what is written, or around it.
const SUBSTITUTES: u32 = 15;

/// What it costs that an edit is in no statement with a fault, where one fault may hide the next.
const FAR: u32 = 10;

/// At most so many bytes before the end of an open bracket are looked at.
const MAX_OPEN: usize = 400;

/// Looks for the faults of a text with these problems, and for edits that mend them.
pub fn blame(ground: &Ground, text: &str, problems: &[Diagnostic]) -> Blame {
    blame_within(ground, text, problems, MAX_WORK)
}

fn blame_within(ground: &Ground, text: &str, problems: &[Diagnostic], work: usize) -> Blame {
    if !problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Blame::default();
    }
    // Of a longer text only the likeliest edits could be tried, and each would take long.
    if text.len() > work / 32 {
        return Blame::default();
    }
    let Some(base) = check(ground, text, |_| true) else { return Blame::default() };
    let work = if base.faults.len() > FEW_FAULTS { work / 4 } else { work };
    let Some(work) = work.checked_sub(8 * base.extra_work(text.len())) else { return Blame::default() };
    let outline = Outline::new(&base);
    let faults = base.faults.clone();
    let mut bench = Bench { ground, text, faults, work_left: work, hiding: Vec::new() };
    let mut blame = search(&mut bench, &outline, problems);
    let is_mended = |i: usize| blame.mends.iter().any(|mend| mend.removed.contains(&i));
    let stays = |(i, problem): (usize, &Diagnostic)| problem.severity == Severity::Error && !is_mended(i);
    if problems.iter().enumerate().any(stays) {
        // One fault may hide the next, which appears when it is mended.
        bench.hiding = outline.unknown_statements();
    }
    if !bench.hiding.is_empty() {
        let behind = search(&mut bench, &outline, problems);
        let is_new = |mend: &Mend| !mend.removed.iter().any(|&i| is_mended(i));
        blame.mends.append(&mut behind.mends.into_iter().filter(is_new).list());
        blame.suspects.append_all(behind.suspects);
    }
    blame
}

/// The edits that the bench lets pass, and the parts that may be at fault.
fn search(bench: &mut Bench, outline: &Outline, problems: &[Diagnostic]) -> Blame {
    let base = outline.checked;
    let mut candidates = known(bench, problems);
    let mut parts = Vec::new();
    // That a clause is missing is no reason for other values.
    let is_of_values = !base.faults.iter().all(|fault| fault.code == "relation-not-assumed");
    if base.tree.surface() == Surface::Relay && is_of_values {
        for fault in base.faults.iter().take(6) {
            arity::candidates(bench, outline, fault, &mut candidates);
            written::differing(outline, fault, &mut candidates);
            if fault.code == "dtype-mismatch" || fault.code == "type-mismatch" {
                literal::candidates(outline, fault, &mut candidates);
            }
        }
        // What has been mended already is not searched for again.
        let suspects = suspect::suspects(bench, outline, &base.faults);
        for suspect in &suspects {
            if is_type(outline.kind(suspect.node)) {
                written::candidates(bench, outline, suspect, &mut candidates);
            } else {
                value::candidates(bench, outline, suspect, &mut candidates);
                call::candidates(bench, outline, suspect, &mut candidates);
            }
        }
        alike(bench, outline, &suspects, &mut candidates);
        // What is around a name that nobody knows is not at fault.
        let of_types = u64::MAX.checked_shl(base.n_untyped as u32).unwrap_or(0);
        let told = |suspect: &suspect::Suspect| gone(base, problems, suspect.removed & of_types);
        parts = suspects.iter().map(|suspect| (outline.span(suspect.node), told(suspect))).list();
    }
    if base.tree.surface() == Surface::TensorScript {
        for fault in base.faults.iter().take(6).filter(|fault| fault.code == "dtype-mismatch") {
            literal::candidates(outline, fault, &mut candidates);
        }
        layer::candidates(bench, outline, &mut candidates);
    }
    // No tensor is meant to have no elements.
    let is_size = |at: Span| outline.kind(outline.covering(at)) == syntax::NodeKind::DimNum;
    candidates.keep(|candidate| !candidate.edits.iter().any(|edit| edit.text == "0" && is_size(edit.span)));
    let statements: Vec<Span> = base.faults.iter().map(|fault| outline.statement(outline.covering(fault.span))).list();
    Blame { mends: try_all(bench, base, candidates, problems, &statements), suspects: parts }
}

/// Parameters that must change together, of the functions in which faults stand.
fn alike(bench: &mut Bench, outline: &Outline, suspects: &[suspect::Suspect], candidates: &mut Vec<Candidate>) {
    let mut lists = Vec::new();
    for suspect in suspects {
        let mut node = suspect.node;
        while let Some(parent) = outline.parent(node) {
            let list = match outline.kind(parent) {
                syntax::NodeKind::Def | syntax::NodeKind::Fn => outline.tree.child(parent, syntax::NodeKind::ParamList),
                _ => None,
            };
            if let Some(list) = list.filter(|list| !lists.contains(list)) {
                lists.push(list);
            }
            node = parent;
        }
    }
    for list in lists.into_iter().take(3) {
        for param in outline.tree.children(list) {
            if let Some(&written) = outline.tree.children(param).first() {
                written::together(bench, outline, written, 1, candidates);
            }
        }
    }
}

/// The edits that come with the problems.
fn known(bench: &mut Bench, problems: &[Diagnostic]) -> Vec<Candidate> {
    let mut out = Vec::new();
    for problem in problems.iter().filter(|problem| problem.severity == Severity::Error) {
        for (n_before, fix) in problem.fixes.iter().enumerate() {
            let Some(first) = fix.edits.first() else { continue };
            // What is added elsewhere was missed there.
            let is_there = matches!(problem.code, "match-not-exhaustive" | "not-imported") && first.span.is_empty()
                || first.span.start == problem.span.start
                || problem.code == "syntax-error" && fix.edits.len() > 1
                || problem.code == "unterminated-string";
            let place = if is_there { problem.span } else { first.span };
            let with_holes =
                fix.edits.iter().any(|edit| ["=> _", "{ _ }"].iter().any(|it| base::find(&edit.text, it).is_some()));
            let edits = if with_holes { arity::filled(bench, &fix.edits) } else { None };
            let edits = edits.unwrap_or_else(|| fix.edits.clone());
            // A bracket that is found open at the end may have been meant to close before any comma.
            let opened =
                problem.labels.first().filter(|label| fix.title == "insert `)`" && label.span.end < place.start);
            for at in opened.map_or(0..0, |label| label.span.end..place.start).rev().take(MAX_OPEN) {
                let rest = &bench.text.as_bytes()[at as usize..];
                // Or before another arm of the match around, on the next line.
                let ends = rest[0] == b',' || rest[0] == b'\n' && rest.trim_ascii_start().starts_with(b"|");
                if ends {
                    out.push(Candidate::replace(2, Span::new(at, at), ")", fix.title.clone()));
                }
            }
            let cost = 1 + u32::from(n_before > 0 && problem.code == "match-not-exhaustive");
            out.push(Candidate { title: fix.title.clone(), edits, place, cost });
        }
    }
    out
}

/// The problems among those handed in that are these faults.
fn gone(base: &bench::Checked, problems: &[Diagnostic], faults: u64) -> Vec<usize> {
    let faults = base.faults.iter().enumerate().take(64).filter(|(i, _)| faults >> i & 1 == 1);
    let spans: Vec<Span> = faults.map(|(_, fault)| fault.span).list();
    (0..problems.len()).filter(|&i| spans.contains(&problems[i].span)).list()
}

/// An edit that makes another size of what is written elsewhere, and the same size there: the fault that it brings says
/// where the two come from.
fn followed(bench: &mut Bench, first: &Candidate, checked: &bench::Checked) -> Option<(Candidate, bench::Outcome)> {
    let [fault] = &checked.faults[..] else { return None };
    let is_size = |edit: &Edit| {
        edit.text.contains(|c: char| c.is_ascii_digit()) && edit.text.bytes().all(|byte| !byte.is_ascii_alphabetic())
    };
    if !first.edits.iter().all(is_size) || checked.tree.surface() != Surface::Relay {
        return None;
    }
    let (mut written, mut other) = (None, None);
    for label in &fault.labels {
        let Some(size) = label.message.strip_suffix(" comes from here") else { continue };
        if written.is_none() && &checked.tree.text()[label.span.range()] == size {
            written = Some((label.span, size));
        } else {
            other = Some(size);
        }
    }
    let ((span, old), new) = written.zip(other)?;
    let (start, None) = bench::original(&first.edits, span.start) else { return None };
    let at = Span::new(start, start + span.len());
    let mut edits = first.edits.clone();
    edits.push(Edit { span: at, text: new.to_owned() });
    let outcome = bench.try_edits(&edits).filter(|outcome| outcome.checked.faults.is_empty())?;
    let title = format!("{}, and `{new}` for `{old}`", first.title);
    Some((Candidate { title, edits, place: first.place, cost: first.cost + 3 }, outcome))
}

/// One mistake may be told of at several places, each with the same mend: the first becomes all of these together.
fn together(bench: &mut Bench, problems: &[Diagnostic], base: &bench::Checked, mends: &mut Vec<Mend>) {
    let Some(first) = mends.first().filter(|_| mends.iter().all(|mend| mend.n_left > 0)) else { return };
    let (title, n_left) = (first.title.clone(), first.n_left);
    // What comes with a problem is of that alone.
    if problems.iter().flat_map(|problem| &problem.fixes).any(|fix| fix.title == title) {
        return;
    }
    let (mut edits, mut removed) = (Vec::new(), Vec::new());
    for mend in mends.iter().filter(|mend| mend.title == title) {
        if mend.removed.iter().all(|i| !removed.contains(i)) {
            removed.extend_from_slice(&mend.removed);
            edits.extend_from_slice(&mend.edits);
        }
    }
    let Some(outcome) = bench.try_edits(&edits) else { return };
    let n_left_now = outcome.checked.faults.len();
    if n_left_now < n_left {
        let mut n = 0;
        mends.keep(|mend| {
            n += 1;
            n == 1 || mend.title != title
        });
        let all = &mut mends[0];
        all.title += " in each place";
        all.cost -= 30 * (n_left - n_left_now) as u32;
        (all.edits, all.removed, all.n_left) = (edits, gone(base, problems, outcome.removed), n_left_now);
        all.types = outcome.checked.changes(&base.types());
    }
}

/// Tries edits from the cheapest on, until the work is used up or what is left is far less likely than what was found.
/// The faults are told in `statements`.
fn try_all(
    bench: &mut Bench,
    base: &bench::Checked,
    mut candidates: Vec<Candidate>,
    problems: &[Diagnostic],
    statements: &[Span],
) -> Vec<Mend> {
    // What is changed far from a fault, and lets others appear, hardly mends it.
    let hides = !bench.hiding.is_empty();
    let is_far = |candidate: &Candidate| {
        let is_out = |edit: &Edit| !statements.iter().any(|statement| statement.contains(edit.span.start));
        hides && candidate.edits.iter().any(is_out)
    };
    for candidate in &mut candidates {
        candidate.cost += if is_far(candidate) { FAR } else { 0 };
    }
    base::sort_by_key(&mut candidates, |candidate| candidate.cost);
    let before = base.types();
    let n_holes = base.module.holes.len();
    let mut seen: HashSet<String> = HashSet::default();
    let mut out: Vec<Mend> = Vec::new();
    let mut best = u32::MAX;
    let mut is_followed = false;
    // Where a text with fewer warnings has no faults, one with more was not meant.
    let mut fewest = usize::MAX;
    // Faults that what they came with mends, each by itself.
    let mut mended = 0;
    let is_of_attribute = |(_, fault): &(usize, &Diagnostic)| fault.code == "attribute-error";
    let faults = base.faults.iter().enumerate().take(64);
    let of_attributes = faults.filter(is_of_attribute).fold(0_u64, |found, (i, _)| found | 1 << i);
    for candidate in candidates {
        if out.len() >= MAX_MENDS || candidate.cost > best.saturating_add(14) {
            break;
        }
        let Some(text) = bench.applied(&candidate.edits) else { continue };
        if !seen.insert(text) {
            continue;
        }
        let Some(checked) = bench.checked(&candidate.edits) else { continue };
        let is_known = problems.iter().flat_map(|problem| &problem.fixes).any(|fix| fix.title == candidate.title);
        let judged = bench.judged(&candidate.edits, checked);
        let (candidate, outcome) = match judged {
            Ok(outcome) if bench.hiding.is_empty() || outcome.checked.faults.is_empty() => (candidate, outcome),
            _ if is_far(&candidate) => continue,
            Ok(bench::Outcome { ref checked, .. }) | Err(ref checked) => {
                // The first size that makes two others fit is the likeliest.
                let both = if is_followed { None } else { followed(bench, &candidate, checked) };
                is_followed |= both.is_some();
                match (both, judged) {
                    (Some(both), _) => both,
                    // What is put for something else may bring the next fault itself.
                    (None, Ok(outcome))
                        if candidate.cost < SUBSTITUTES
                            && (is_known || !bench.brings(&candidate.edits, &outcome.checked)) =>
                    {
                        (candidate, outcome)
                    }
                    (None, _) => continue,
                }
            }
        };
        // What is hidden speaks for no other name in the place of one that is unknown.
        let n_untyped = if bench.hiding.is_empty() { 0 } else { base.n_untyped as u32 };
        if outcome.removed.checked_shr(n_untyped).is_none_or(|typed| typed == 0)
            || outcome.checked.module.holes.len() > n_holes
        {
            continue;
        }
        // What cannot be read is mended by the parser, which knows what it looked for, and not by taking it away.
        let is_syntax = |code: &str| code == "syntax-error" || code == "unknown-character";
        let n_read = |faults: &[Diagnostic]| faults.iter().count_where(|fault| is_syntax(fault.code));
        if !is_known && n_read(&outcome.checked.faults) < n_read(&bench.faults) {
            continue;
        }
        // Nor is a name that nobody knows, or a number too large for its dtype, taken away with what is around it.
        let is_lost = |(i, fault): (usize, &Diagnostic)| {
            let name = &bench.text[fault.span.range()];
            let takes = |edit: &Edit| {
                edit.span.contains(fault.span.start)
                    && edit.span != fault.span
                    && base::find(&edit.text, name).is_none()
            };
            outcome.removed >> i & 1 == 1 && candidate.edits.iter().any(takes)
        };
        let mut untyped = base.faults.iter().enumerate().take(base.n_untyped.min(64));
        if !is_known && untyped.any(is_lost) {
            continue;
        }
        let n_left = outcome.checked.faults.len();
        mended |= if is_known { outcome.removed } else { 0 };
        // That an edit takes such a fault away as well does not speak for it, unless it writes the very name that nobody
        // knows; and nothing need compete with the name of an attribute.
        let is_named = |i: usize| {
            let name = &bench.text[base.faults[i].span.range()];
            candidate.edits.iter().any(|edit| base::find(&edit.text, name).is_some())
        };
        let for_nothing = |i: &usize| (outcome.removed & mended) >> i & 1 == 1 && !is_named(*i);
        let n_for_nothing = if is_known { 0 } else { (0..base.faults.len().min(64)).filter(for_nothing).count() };
        if !is_known && outcome.removed & !(mended & of_attributes) == 0 {
            continue;
        }
        let types = outcome.checked.changes(&before);
        let cost = candidate.cost + 30 * (n_left + n_for_nothing) as u32;
        if n_left == 0 {
            best = best.min(cost);
        }
        let removed = gone(base, problems, outcome.removed);
        let Candidate { title, edits, place, .. } = candidate;
        let n_warnings = outcome.checked.warnings();
        if n_left == 0 {
            fewest = fewest.min(n_warnings);
        }
        out.push(Mend { title, edits, place, removed, n_left, n_warnings, types, cost });
    }
    out.keep(|mend| mend.n_left > 0 || mend.n_warnings <= fewest);
    base::sort_by_key(&mut out, |mend| mend.cost);
    together(bench, problems, base, &mut out);
    out
}
