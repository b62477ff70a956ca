//! The trace as a document: JSON for tools, a text that a reader can follow by hand. `doc/trace.md` says what is in
//! them.

use super::view::Part;
use super::{Recording, Seen};
use crate::command::{Place, place, to_string};
use crate::{Analysis, beginning};
use base::{Join, ToList};
use serde::Serialize;
use solve::trace::redo;
use solve::{Cause, Event, Outcome, RelationId, Woken};
use std::fmt::Write;
#[cfg(feature = "tsify")]
use tsify::Tsify;
use ty::{Term, TermId};

/// Of the document; a change of the fields' meaning counts it up.
const VERSION: u32 = 1;
/// A line lists at most this many relations of the queue.
const MAX_QUEUE: usize = 12;

/// What the solver did, event by event.
#[derive(Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
pub struct TraceDocument {
    version: u32,
    events: Vec<Written>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
#[serde(untagged)]
enum Reason {
    Library { why: &'static str },
    Text { why: String, line: u32, column: u32, end_line: u32, end_column: u32 },
}

#[derive(Serialize)]
#[cfg_attr(feature = "tsify", derive(Tsify))]
#[serde(tag = "event", rename_all = "lowercase")]
enum Written {
    Fresh {
        id: String,
        kind: &'static str,
        term: String,
        cause: Reason,
    },
    Bind {
        id: String,
        kind: &'static str,
        old: String,
        term: String,
        source: String,
        cause: Reason,
        woken: Vec<String>,
    },
    Link {
        id: String,
        to: String,
        kind: &'static str,
        old: String,
        term: String,
        cause: Reason,
        woken: Vec<String>,
    },
    Post {
        relation: String,
        name: String,
        text: String,
        args: Vec<String>,
        n_inputs: u32,
        by: Option<String>,
        cause: Reason,
    },
    Step {
        relation: String,
        name: String,
        text: String,
        began: u32,
        outcome: &'static str,
        waits: Vec<String>,
        /// Of one that failed.
        message: Option<String>,
    },
    Quantify {
        relations: Vec<String>,
        cause: Reason,
    },
}

/// `relish trace --json`.
pub fn trace_json(analysis: &Analysis) -> String {
    to_string(&trace_document(analysis))
}

pub fn trace_document(analysis: &Analysis) -> TraceDocument {
    let recording = Recording::new(analysis);
    let events = recording.events();
    let posted = recording.inferred.solver.relations();
    let mut solver = beginning();
    let mut written = Vec::with_capacity(events.len());
    for at in 0..events.len() {
        let before = Seen { cells: &solver, whole: &recording.inferred.solver };
        let old = match events[at] {
            Event::Bind { id, .. } | Event::Link { child: id, .. } => recording.words(analysis).print(before, id),
            Event::Fresh { .. } | Event::Post { .. } | Event::Step { .. } | Event::Quantify { .. } => String::new(),
        };
        redo(&mut solver, &events[at..=at], posted);
        let after = Seen { cells: &solver, whole: &recording.inferred.solver };
        written.push(recording.written(analysis, after, &events[at], old));
    }
    TraceDocument { version: VERSION, events: written }
}

impl Recording {
    fn term_name(&self, id: TermId) -> String {
        format!("t{}", self.number(id))
    }

    fn written(&self, analysis: &Analysis, seen: Seen<'_>, event: &Event, old: String) -> Written {
        let words = self.words(analysis);
        let term = |id: TermId| self.term_name(id);
        let kind = |term: Term| term.kind().name();
        let woken = |woken: &[Woken]| woken.iter().map(|woken| relation_name(woken.relation)).list();
        let cause = |cause: Cause| match words.text.span_of_cause(cause) {
            Some(span) => {
                let Place { line, column, end_line, end_column } = place(span, analysis.lines());
                Reason::Text { why: words.why(words.text.why(cause)), line, column, end_line, end_column }
            }
            None => Reason::Library { why: "the library" },
        };
        match *event {
            Event::Fresh { id, term: head, cause: why } => {
                Written::Fresh { id: term(id), kind: kind(head), term: words.print(seen, id), cause: cause(why) }
            }
            Event::Bind { id, new, source, cause: why, woken: ref moved, .. } => Written::Bind {
                id: term(id),
                kind: kind(new),
                old,
                term: words.print(seen, id),
                source: term(source),
                cause: cause(why),
                woken: woken(moved),
            },
            Event::Link { child, parent, hidden, cause: why, woken: ref moved, .. } => Written::Link {
                id: term(child),
                to: term(parent),
                kind: kind(hidden),
                old,
                term: words.print(seen, child),
                cause: cause(why),
                woken: woken(moved),
            },
            Event::Post { relation } => {
                let posted = self.inferred.solver.relation(relation);
                Written::Post {
                    relation: relation_name(relation),
                    name: posted.relation.name().to_owned(),
                    text: words.relation(seen, relation),
                    args: posted.args.iter().map(|&arg| term(arg)).list(),
                    n_inputs: posted.n_inputs() as u32,
                    by: self.index.relations[relation.number() as usize].parent.map(relation_name),
                    cause: cause(posted.cause),
                }
            }
            Event::Step { relation, began, ref outcome } => Written::Step {
                relation: relation_name(relation),
                name: self.inferred.solver.relation(relation).relation.name().to_owned(),
                text: words.relation(seen, relation),
                began,
                outcome: match outcome {
                    Outcome::Solved => "solved",
                    Outcome::Waits(_) => "waits",
                    Outcome::Failed => "failed",
                },
                waits: match outcome {
                    Outcome::Waits(waits) => waits.iter().map(|&wait| term(wait)).list(),
                    Outcome::Solved | Outcome::Failed => Vec::new(),
                },
                message: words.failure(relation).filter(|_| *outcome == Outcome::Failed),
            },
            Event::Quantify { ref relations, cause: why } => {
                Written::Quantify { relations: woken(relations), cause: cause(why) }
            }
        }
    }
}

fn relation_name(id: RelationId) -> String {
    format!("r{}", id.number())
}

/// `relish trace`: what happened at each stop, what changed, and the queue behind it.
pub fn trace_text(analysis: &Analysis) -> String {
    let mut recording = Recording::new(analysis);
    let mut text = String::new();
    for stop in 0..recording.n_stops() {
        let part = Part { first_class: 0, n_classes: 0, n_relations: MAX_QUEUE };
        let view = recording.solver_view(analysis, stop, part);
        let _ = writeln!(text, "{stop} {}  {}", recording.stop(stop).what.letter(), view.caption);
        let (seen, words) = (recording.seen(), recording.words(analysis));
        for &id in &view.posted {
            let id = RelationId::numbered(id);
            let why = words.text.why(recording.inferred.solver.relation(id).cause);
            let _ = writeln!(text, "    {id:?} {}, for {}", words.relation(seen, id), words.why(why));
        }
        let mut joins: Vec<[Option<u32>; 2]> = Vec::new();
        for change in &view.changes {
            let (was, joined) = (Some(change.was), change.joined);
            // Said once of two classes that were alike.
            if change.before == change.after && joins.contains(&[joined, was]) {
                continue;
            }
            joins.push([was, joined]);
            let of = if change.of.is_empty() { String::new() } else { format!(", {}", change.of) };
            let what = match change.before == change.after {
                true => change.after.clone(),
                false => format!("{} → {}", change.before, change.after),
            };
            let joined = joined.map_or_else(String::new, |other| format!(", one with t{other}"));
            let _ = writeln!(text, "    t{}{of}: {what}{joined}", change.was);
        }
        if view.n_more_changes > 0 {
            let _ = writeln!(text, "    … {} more", view.n_more_changes);
        }
        for id in &view.woken {
            let _ = writeln!(text, "    r{id} comes to the front");
        }
        if !view.queue.is_empty() {
            let ids: Vec<String> = view.queue.iter().map(|relation| format!("r{}", relation.id)).list();
            let more = match view.n_more_queued {
                0 => String::new(),
                n => format!(" … {n} more"),
            };
            let _ = writeln!(text, "    queue: {}{more}", ids.joined(" "));
        }
    }
    text
}
