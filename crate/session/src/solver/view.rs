//! The solver at one stop.

use super::known::Known;
use super::places::Place;
use super::rule::rule;
use super::stops::Tally;
use super::words::Words;
use super::{Recording, Seen};
use crate::Analysis;
use crate::page::span_view;
use crate::view::SpanView;
use crate::view::solver::{ChangeView, ClassView, MemberView, RelationStateView, RelationView, SolverView};
use base::{HashSet, Span, ToList};
use solve::{Cause, Event, RelationId, State, Woken};
use ty::{TermId, Terms};

/// At most this many members of a class are shown.
const MAX_MEMBERS: usize = 12;
/// At most this many changes of a step are shown beside the relation's own arguments.
const MAX_CHANGES: usize = 12;

/// Which part of a stop's lists is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub first_class: usize,
    pub n_classes: usize,
    /// Of the queue, and of those that wait.
    pub n_relations: usize,
}

/// What a step did to one class.
pub(super) struct Change {
    pub cell: TermId,
    /// Which argument of the relation that ran it is, if it is one.
    pub arg: Option<usize>,
    pub before: String,
    pub after: String,
    /// The root of its class before the step, and of the class that was joined with it.
    pub was: TermId,
    pub joined: Option<TermId>,
}

impl Recording {
    /// What happened between a stop and the one before it.
    pub(super) fn events_of(&self, stop: usize) -> &[Event] {
        let from = stop.checked_sub(1).map_or(0, |before| self.event_of(before));
        &self.events()[from..self.event_of(stop)]
    }

    /// What a step did, by classes; goes to the stop.
    pub(super) fn changes(&mut self, analysis: &Analysis, stop: usize) -> Vec<Change> {
        let Some(before) = stop.checked_sub(1) else {
            self.solver_at(stop);
            return Vec::new();
        };
        self.solver_at(before);
        let seen = self.seen();
        let words = self.words(analysis);
        let mut changes: Vec<Change> = Vec::new();
        let mut met: HashSet<TermId> = HashSet::default();
        let args = self.stop(stop).relation.map_or(&[][..], |id| &self.inferred.solver.relation(id).args);
        let told = self.events_of(stop).iter().flat_map(|event| match *event {
            Event::Bind { id, .. } => [Some(id), None],
            Event::Link { child, parent, .. } => [Some(child), Some(parent)],
            Event::Fresh { .. } | Event::Post { .. } | Event::Step { .. } | Event::Quantify { .. } => [None, None],
        });
        let args = args.iter().enumerate().map(|(at, &arg)| (arg, Some(at)));
        for (cell, arg) in args.chain(told.flatten().map(|cell| (cell, None))) {
            if !seen.has(cell) || (!met.insert(seen.root(cell)) && arg.is_none()) {
                continue;
            }
            let (before, was) = (words.print(seen, cell), seen.root(cell));
            changes.push(Change { cell, arg, before, after: String::new(), was, joined: None });
        }
        self.solver_at(stop);
        let seen = self.seen();
        let words = self.words(analysis);
        for change in &mut changes {
            change.after = words.print(seen, change.cell);
            change.joined = self.events_of(stop).iter().find_map(|event| match *event {
                Event::Link { child, parent, .. } if child == change.was => Some(parent),
                Event::Link { child, parent, .. } if parent == change.was => Some(child),
                _ => None,
            });
        }
        let is_change =
            |change: &Change| change.before != change.after || (change.arg.is_some() && change.joined.is_some());
        changes.into_iter().filter(is_change).list()
    }

    /// The solver at a stop, with a part of its lists.
    pub fn solver_view(&mut self, analysis: &Analysis, stop: usize, part: Part) -> SolverView {
        let stop = stop.min(self.n_stops() - 1);
        let changes = self.changes(analysis, stop);
        let seen = self.seen();
        let words = self.words(analysis);
        let cx = Context { recording: self, words: &words, seen, event: self.event_of(stop) as u32 };
        let Tally { n_waiting, n_solved, n_failed } = self.index.tallies[stop];
        let waits = |id: &RelationId| {
            let posted = seen.cells.relations().get(id.number() as usize);
            posted.is_some_and(|posted| matches!(posted.state, State::Waiting(_)))
        };
        let waiting = self.index.waiters.iter().copied().filter(waits);
        let queue = seen.cells.queue();
        let events = self.events_of(stop);
        let posted = events.iter().filter_map(|event| match event {
            Event::Post { relation } => Some(relation.number()),
            _ => None,
        });
        let woken = events.iter().flat_map(|event| match event {
            Event::Bind { woken, .. } | Event::Link { woken, .. } => &woken[..],
            Event::Fresh { .. } | Event::Post { .. } | Event::Step { .. } | Event::Quantify { .. } => &[],
        });
        let touched = self.touched(stop);
        let classes = cx.classes(part, &touched);
        SolverView {
            stop: stop as u32,
            event: cx.event,
            caption: words.caption(seen, stop, &changes),
            current: self.stop(stop).relation.map(|id| cx.relation(id)),
            n_more_changes: changes.len().saturating_sub(MAX_CHANGES) as u32,
            changes: changes.iter().take(MAX_CHANGES).map(|change| cx.change(change)).list(),
            posted: posted.list(),
            woken: woken.map(|Woken { relation, .. }| relation.number()).list(),
            n_more_queued: queue.len().saturating_sub(part.n_relations) as u32,
            queue: queue.take(part.n_relations).map(|id| cx.relation(id)).list(),
            n_more_waiting: n_waiting.saturating_sub(part.n_relations as u32),
            waiting: waiting.take(part.n_relations.min(n_waiting as usize)).map(|id| cx.relation(id)).list(),
            n_solved,
            n_failed,
            n_classes_above: classes.n_above,
            n_classes_below: classes.n_below,
            first_changed: classes.first_changed,
            classes: classes.views,
        }
    }

    /// The cells that a step told something or made one with others.
    pub(super) fn touched(&self, stop: usize) -> Vec<TermId> {
        let events = self.events_of(stop).iter();
        { events }
            .filter_map(|event| match *event {
                Event::Bind { id, .. } => Some(id),
                Event::Link { child, .. } => Some(child),
                Event::Fresh { .. } | Event::Post { .. } | Event::Step { .. } | Event::Quantify { .. } => None,
            })
            .list()
    }

    /// Where a relation stands; what waited in vain has failed.
    pub(super) fn state(&self, id: RelationId, state: &State) -> RelationStateView {
        match state {
            State::Queued => RelationStateView::Queued,
            State::Waiting(_) => RelationStateView::Waiting,
            State::Solved => RelationStateView::Solved,
            State::Quantified if !self.index.stuck.contains(&id) => RelationStateView::Generalised,
            State::Failed | State::Quantified => RelationStateView::Failed,
        }
    }

    /// Why a cell of the text was made.
    pub(super) fn cause_of_cell(&self, cell: TermId) -> Option<Cause> {
        let at = cell.number().checked_sub(self.index.first_term)?;
        match self.events()[self.index.made[at as usize] as usize] {
            Event::Fresh { cause, .. } => Some(cause),
            _ => None,
        }
    }
}

/// What is looked at.
struct Context<'a> {
    recording: &'a Recording,
    words: &'a Words<'a>,
    seen: Seen<'a>,
    event: u32,
}

/// A part of the table of classes.
struct Classes {
    views: Vec<ClassView>,
    n_above: u32,
    n_below: u32,
    first_changed: Option<u32>,
}

impl Context<'_> {
    fn span(&self, span: Option<Span>) -> Option<SpanView> {
        span.map(|span| span_view(self.words.analysis.lines(), span))
    }

    fn relation(&self, id: RelationId) -> RelationView {
        let Context { recording, words, seen, event } = *self;
        let posted = seen.cells.relation(id);
        let span = words.text.span_of_cause(posted.cause);
        let operator = words.operator_of(id);
        RelationView {
            id: id.number(),
            name: words.title(id),
            text: words.relation(seen, id),
            state: recording.state(id, &posted.state),
            rule: rule(&posted.relation, operator),
            operator: operator.map(|op| op.row().name.to_owned()),
            node: recording.node_of(id).map(|node| format!("r{}", node.number())),
            waits: words.waits_of(seen, id),
            args: posted.args.iter().map(|&arg| recording.number(seen.root(arg))).list(),
            n_inputs: posted.n_inputs() as u32,
            reason: words.reason(id, event),
            span: self.span(span),
            line: span.map(|span| words.analysis.lines().line_of(span.start)),
        }
    }

    fn change(&self, change: &Change) -> ChangeView {
        let Context { recording, words, seen, .. } = *self;
        ChangeView {
            class: recording.number(seen.root(change.cell)),
            was: recording.number(change.was),
            of: words.of_cell(change.cell),
            before: change.before.clone(),
            after: change.after.clone(),
            span: self.span(self.span_of_cell(change.cell)),
            joined: change.joined.map(|root| recording.number(root)),
        }
    }

    fn span_of_cell(&self, cell: TermId) -> Option<Span> {
        let Context { recording, words, .. } = *self;
        match recording.places.of(cell) {
            Some(place) => Some(words.text.span(place)),
            None => words.text.span_of_cause(recording.cause_of_cell(cell)?),
        }
    }

    /// Each class stands where its first listed cell does, so that it stays there from stop to stop.
    fn classes(&self, part: Part, touched: &[TermId]) -> Classes {
        let Context { recording: Recording { places, leaders, .. }, seen, event, .. } = *self;
        let touched: HashSet<TermId> = touched.iter().map(|&cell| seen.root(cell)).collect();
        let changed = touched.iter().filter_map(|&root| leaders.of_root(root, event)).min();
        let n_made = places.listed.partition_point(|&cell| seen.has(cell));
        let (mut n_all, mut first_changed) = (0, None);
        let mut shown: Vec<usize> = Vec::new();
        for cell in (0..n_made).filter(|&cell| leaders.leads(cell, event)) {
            if changed == Some(cell) {
                first_changed = Some(n_all);
            }
            if n_all as usize >= part.first_class && shown.len() < part.n_classes {
                shown.push(cell);
            }
            n_all += 1;
        }
        let mut known = Known::new(seen.cells.store.len());
        let views = shown.iter().map(|&leader| {
            let root = seen.root(places.listed[leader]);
            let mut members = leaders.members(leader, event);
            base::sort(&mut members);
            let members: Vec<TermId> = members.into_iter().map(|cell| places.listed[cell]).list();
            self.class(root, &members, touched.contains(&root), known.is_known(&seen, root))
        });
        let views: Vec<ClassView> = views.list();
        let n_above = (part.first_class as u32).min(n_all);
        Classes { n_below: n_all - n_above - views.len() as u32, views, n_above, first_changed }
    }

    fn class(&self, root: TermId, members: &[TermId], is_changed: bool, is_known: bool) -> ClassView {
        let Context { recording, words, seen, .. } = *self;
        // Those with names first; the root is shown whatever it is.
        let is_named =
            |cell: &TermId| recording.places.of(*cell).is_some_and(|place| !matches!(place, Place::Instance(..)));
        let (named, others): (Vec<TermId>, Vec<TermId>) = members.iter().partition(|cell| is_named(cell));
        let mut shown: Vec<TermId> = named.into_iter().chain(others).take(MAX_MEMBERS).list();
        let n_more = members.len() - shown.len();
        if !shown.contains(&root) {
            shown.insert(0, root);
        }
        let views = shown.iter().map(|&cell| {
            let mut parent = seen.cells.store.parent(cell);
            while !shown.contains(&parent) {
                parent = seen.cells.store.parent(parent);
            }
            MemberView {
                id: recording.number(cell),
                parent: recording.number(parent),
                of: words.of_cell(cell),
                span: self.span(self.span_of_cell(cell)),
            }
        });
        let members = views.list();
        ClassView {
            id: recording.number(root),
            kind: seen.head(root).kind().name().to_owned(),
            term: words.print(seen, root),
            is_known,
            node: recording.variable_of(root).map(|node| format!("t{}", recording.number(node))),
            n_cells: seen.cells.store.size(root),
            is_changed,
            members,
            n_more_members: n_more as u32,
            waiting: seen.cells.watching(root).iter().map(|id| id.number()).list(),
        }
    }
}
