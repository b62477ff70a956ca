//! Rounds of information flow: in each round every relation that can run does, on what the rounds before it have found
//! out. TensorScript's own inference works in such rounds (its author's article *TensorScript Type Inference:
//! Hindley-Milner in Rust*, 2018): it goes through the whole program again until nothing changes.
//!
//! The queue runs relations one after the other, so the rounds are read off the trace: a cell is known from the round
//! on in which the step ran that decided it, and a relation runs in the round after the last of what it was given.
//! Plain equations take no round. Relations that another one posted are a part of it.
//!
//! A layer of TensorScript is a few operators, so that its relations may be of several rounds; each says whose it is.
//!
//! Worked example. `let %y = nn.relu(%x); %y + nn.relu(%y)`: the first `nn.relu` in round 1, the second in round 2,
//! the sum in round 3.

use super::Recording;
use crate::Analysis;
use crate::page::span_view;
use crate::view::solver::{ResolvedView, RoundView, RoundsView};
use base::{Edited, HashMap, ToList};
use solve::{EQUAL, Event, Outcome, RelationId, State};
use std::fmt::Write;
use ty::{COPY, Term, TermId, Terms};

/// At most this many relations of one round are listed.
const MAX_RESOLVED: usize = 200;
/// Of an argument, the rounds of at most this many parts count.
const MAX_PARTS: usize = 64;

/// What is known of cells while the trace is read. Unknown cells that are one class are kept in a list, so that each is
/// given its round once.
struct Flow<'a> {
    recording: &'a Recording,
    /// By cell, the round in which it was decided, and by the steps of which relation; `None` while it is unknown.
    rounds: Vec<Option<(u32, Option<RelationId>)>>,
    terms: Vec<Term>,
    parents: Vec<TermId>,
    /// By root, the cells of an unknown class.
    unknown: HashMap<TermId, Vec<TermId>>,
    /// By root, the cell that its term was first said of.
    sources: HashMap<TermId, TermId>,
}

/// A relation in the round in which all of it was solved.
struct Resolved {
    relation: RelationId,
    round: u32,
    stop: u32,
}

impl Recording {
    /// `n_rounds` rounds from `first` on, counted from 0.
    pub fn rounds_view(&mut self, analysis: &Analysis, first: usize, n_rounds: usize) -> RoundsView {
        self.solver_at(self.n_stops() - 1);
        let resolved = self.resolved();
        let is_wanted = |id: RelationId| self.is_operator(id);
        let ids = || (0..self.inferred.solver.relations().len() as u32).map(RelationId::numbered);
        let n_all = ids().count_where(|&id| is_wanted(id));
        let mut by_round: Vec<Vec<&Resolved>> = Vec::new();
        for one in &resolved {
            let at = one.round as usize - 1;
            if by_round.len() <= at {
                by_round.resize_with(at + 1, Vec::new);
            }
            by_round[at].push(one);
        }
        // A round in which nothing was finished is none.
        by_round.keep(|round| !round.is_empty());
        let mut n_left = n_all as u32;
        let (seen, words) = (self.seen(), self.words(analysis));
        let mut rounds: Vec<RoundView> = Vec::new();
        for (at, round) in by_round.iter().enumerate() {
            n_left -= round.len() as u32;
            if at < first || rounds.len() >= n_rounds {
                continue;
            }
            let views = round.iter().take(MAX_RESOLVED).map(|one| {
                let span = words.text.span_of_cause(self.inferred.solver.relation(one.relation).cause);
                ResolvedView {
                    relation: one.relation.number(),
                    name: words.title(one.relation),
                    layer: words.layer(one.relation),
                    text: words.relation(seen, one.relation),
                    stop: one.stop,
                    span: span.map(|span| span_view(analysis.lines(), span)),
                    line: span.map(|span| analysis.lines().line_of(span.start)),
                }
            });
            rounds.push(RoundView {
                number: at as u32 + 1,
                resolved: views.list(),
                n_more: round.len().saturating_sub(MAX_RESOLVED) as u32,
                n_waiting: n_left,
            });
        }
        RoundsView {
            n_above: first.min(by_round.len()) as u32,
            n_more: by_round.len().saturating_sub(first + rounds.len()) as u32,
            rounds,
            n_unresolved: n_left,
        }
    }

    /// Whether a relation stands by itself in the rounds: it was not posted by another, and is no plain equation or
    /// copy.
    fn is_operator(&self, id: RelationId) -> bool {
        let relation = &self.inferred.solver.relation(id).relation;
        self.index.relations[id.number() as usize].parent.is_none() && !relation.is(&EQUAL) && !relation.is(&COPY)
    }

    /// The relations that were solved, in the order in which their last steps ran.
    fn resolved(&self) -> Vec<Resolved> {
        let n_cells = self.inferred.solver.store.len();
        let first = self.index.first_term as usize;
        let mut flow = Flow {
            recording: self,
            rounds: base::filled(Some((0, None)), first),
            terms: Vec::with_capacity(n_cells),
            parents: Vec::with_capacity(n_cells),
            unknown: HashMap::default(),
            sources: HashMap::default(),
        };
        let start = crate::beginning();
        for id in (0..first as u32).map(TermId::numbered) {
            flow.terms.push(start.head(id));
            flow.parents.push(start.root(id));
        }
        let mut of_family: HashMap<RelationId, Resolved> = HashMap::default();
        let mut from = 0;
        for (at, event) in self.events().iter().enumerate() {
            let Event::Step { relation, began, outcome } = event else { continue };
            self.events()[from..*began as usize].iter().for_each(|event| flow.event(event, Some(0), None));
            let posted = self.inferred.solver.relation(*relation);
            let family = self.family(*relation);
            let is_plain = posted.relation.is(&EQUAL) || posted.relation.is(&COPY);
            let round = (!is_plain).then(|| flow.round_of(*relation, family, at as u32));
            let events = &self.events()[*began as usize..at];
            events.iter().for_each(|event| flow.event(event, round, Some(family)));
            from = at + 1;
            if let (Some(round), Outcome::Solved) = (round, outcome)
                && self.is_operator(family)
            {
                let stop = self.index.stop_behind(at as u32);
                let resolved = of_family.entry(family).or_insert(Resolved { relation: family, round, stop });
                if round >= resolved.round {
                    (resolved.round, resolved.stop) = (round, stop);
                }
            }
        }
        // What waits in the end, in whole or in part, or failed, is not resolved.
        for (id, posted) in (0..).map(RelationId::numbered).zip(self.inferred.solver.relations()) {
            if posted.state != State::Solved {
                of_family.remove(&self.family(id));
            }
        }
        let mut resolved: Vec<Resolved> = of_family.into_values().list();
        base::sort_by_key(&mut resolved, |one| (one.stop, one.relation.number()));
        resolved
    }

    fn family(&self, mut id: RelationId) -> RelationId {
        while let Some(parent) = self.index.relations[id.number() as usize].parent {
            id = parent;
        }
        id
    }
}

/// The rounds of a program as text: in each the relations that were solved, under the layers that they are a part of.
pub fn rounds_text(analysis: &Analysis) -> String {
    let RoundsView { rounds, n_unresolved, .. } = Recording::new(analysis).rounds_view(analysis, 0, usize::MAX);
    let mut out = String::new();
    for RoundView { number, resolved, n_more, n_waiting } in &rounds {
        let n_resolved = resolved.len() as u32 + n_more;
        let _ = writeln!(out, "round {number}: {n_resolved} resolved, {n_waiting} left");
        let mut above: Option<&String> = None;
        for one in resolved {
            if let Some(layer) = one.layer.as_ref().filter(|layer| above != Some(*layer)) {
                let _ = writeln!(out, "  {layer}");
            }
            above = one.layer.as_ref();
            let indent = if above.is_some() { "    " } else { "  " };
            let line = one.line.map_or(String::new(), |line| format!(", line {line}"));
            let _ = writeln!(out, "{indent}{}{line}", one.text);
        }
        if *n_more > 0 {
            let _ = writeln!(out, "  {n_more} more");
        }
    }
    if n_unresolved > 0 {
        let _ = writeln!(out, "never resolved: {n_unresolved}");
    }
    out
}

impl Flow<'_> {
    fn root(&self, mut id: TermId) -> TermId {
        while self.parents[id.number() as usize] != id {
            id = self.parents[id.number() as usize];
        }
        id
    }

    /// The round in which a relation runs: behind what its arguments were told by others, and behind what woke it.
    fn round_of(&self, id: RelationId, family: RelationId, event: u32) -> u32 {
        let recording = self.recording;
        let posted = recording.inferred.solver.relation(id);
        let mut round = 1;
        let mut add = |cell: TermId| {
            if let Some(Some((known, by))) = self.rounds.get(cell.number() as usize)
                && *by != Some(family)
            {
                round = round.max(known + 1);
            }
        };
        for &arg in &posted.args[..posted.n_inputs()] {
            let mut pending = vec![arg];
            let mut n_met = 0;
            while let Some(cell) = pending.pop() {
                n_met += 1;
                add(cell);
                if n_met < MAX_PARTS && (cell.number() as usize) < self.terms.len() {
                    let term = self.terms[self.root(cell).number() as usize];
                    recording.inferred.solver.for_parts(term, |part| pending.push(part));
                }
            }
        }
        let history = &recording.index.relations[id.number() as usize];
        if let Some(&(_, woken)) = history.woken.iter().rev().find(|(at, _)| *at < event) {
            add(woken);
        }
        round
    }

    /// Reads an event of a step in a round; of a plain equation, which takes none, what is known goes on as it is.
    fn event(&mut self, event: &Event, round: Option<u32>, family: Option<RelationId>) {
        match *event {
            Event::Fresh { id, term, .. } => {
                self.terms.push(term);
                self.parents.push(id);
                if term.is_hole() {
                    self.rounds.push(None);
                    self.unknown.insert(id, vec![id]);
                } else {
                    self.rounds.push(Some((round.unwrap_or(0), family)));
                }
            }
            Event::Bind { id, new, source, .. } => {
                self.terms[id.number() as usize] = new;
                self.sources.insert(id, source);
                if !new.is_hole() {
                    let known = self.known(round, family, source);
                    self.decide(id, known);
                }
            }
            Event::Link { child, parent, .. } => {
                self.parents[child.number() as usize] = parent;
                if self.terms[parent.number() as usize].is_hole() {
                    let mut cells = self.unknown.remove(&child).unwrap_or_default();
                    let others = self.unknown.entry(parent).or_default();
                    if others.len() < cells.len() {
                        std::mem::swap(others, &mut cells);
                    }
                    others.append(&mut cells);
                } else {
                    let source = self.sources.get(&parent).copied().unwrap_or(parent);
                    let known = self.known(round, family, source);
                    self.decide(child, known);
                }
            }
            Event::Post { .. } | Event::Step { .. } | Event::Quantify { .. } => {}
        }
    }

    fn known(&self, round: Option<u32>, family: Option<RelationId>, source: TermId) -> (u32, Option<RelationId>) {
        match round {
            Some(round) => (round, family),
            None => self.rounds[source.number() as usize].unwrap_or((0, None)),
        }
    }

    fn decide(&mut self, root: TermId, known: (u32, Option<RelationId>)) {
        for cell in self.unknown.remove(&root).unwrap_or_default() {
            self.rounds[cell.number() as usize].get_or_insert(known);
        }
    }
}
