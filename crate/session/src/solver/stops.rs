//! Where one may stand in a trace, and who did what between two such places.
//!
//! Events between the runs of relations come from the walk over the program, which posts, and from the end of a group,
//! which generalises. Each run of a relation ends in one stop; each row of posts of one function in another.
//!
//! Worked example. `1 + 2` gives `fresh fresh fresh post | fresh … step | …`: the stops `b`, `p`, `s`.

use super::about::{About, about};
use crate::Analysis;
use base::{Append, HashMap, HashSet, Span, ToList};
use hir::{FnId, Item, Module};
use infer::{Inferred, TypeError};
use solve::{Cause, Event, Outcome, RelationId, Woken};
use ty::{Term, TermId};

/// What happened before a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Beginning,
    Posted,
    Solved,
    Waits,
    Failed,
    Generalised,
}

impl What {
    pub fn letter(self) -> char {
        match self {
            What::Beginning => 'b',
            What::Posted => 'p',
            What::Solved => 's',
            What::Waits => 'w',
            What::Failed => 'f',
            What::Generalised => 'q',
        }
    }
}

pub(super) struct Stop {
    /// How many events come before it.
    pub event: u32,
    pub what: What,
    /// The relation that ran.
    pub relation: Option<RelationId>,
    /// An index into the functions.
    pub function: u32,
}

/// How many relations stand where.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub n_waiting: u32,
    pub n_solved: u32,
    pub n_failed: u32,
}

/// A function of the text: an item with a body.
pub(super) struct Function {
    pub id: FnId,
    /// What it is the body of.
    pub item: Item,
    /// `@f`, `%x`, or `line 7`.
    pub name: String,
    pub span: Span,
}

/// What became of one relation.
#[derive(Clone)]
pub(super) struct History {
    /// The event that posted it.
    pub posted: u32,
    /// The relation that posted it.
    pub parent: Option<RelationId>,
    /// The stops behind its runs.
    pub runs: Vec<u32>,
    /// The events that moved it to the front, and what it had waited for that was told something.
    pub woken: Vec<(u32, TermId)>,
    /// How many events must be done for it to be solved or generalised; more than there are, if it never is.
    pub done: u32,
}

impl History {
    /// The last event before one that moved it to the front, and for what.
    pub fn woken_before(&self, event: u32) -> Option<(u32, TermId)> {
        self.woken.iter().rev().copied().find(|&(at, _)| at < event)
    }
}

pub(super) struct Index {
    pub stops: Vec<Stop>,
    pub functions: Vec<Function>,
    pub relations: Vec<History>,
    /// The first term that is not the library's, and the event that made each from there on.
    pub first_term: u32,
    pub made: Vec<u32>,
    /// Relations that waited in vain.
    pub stuck: HashSet<RelationId>,
    /// By stop.
    pub tallies: Vec<Tally>,
    /// Relations that wait at some stop, in the order of their ids.
    pub waiters: Vec<RelationId>,
}

/// A stop that is being gathered.
struct Row {
    what: What,
    function: u32,
    end: usize,
    /// Of what is generalised.
    cause: Option<Cause>,
}

impl Index {
    pub fn new(analysis: &Analysis, inferred: &Inferred, errors: &[TypeError]) -> Index {
        let functions = functions(analysis);
        let events = &inferred.solver.store.log.events;
        let beginning = Stop { event: 0, what: What::Beginning, relation: None, function: 0 };
        let first_term = inferred.solver.store.len() as u32 - n_made(events);
        let history = History { posted: 0, parent: None, runs: Vec::new(), woken: Vec::new(), done: u32::MAX };
        let relations = base::filled(history, inferred.solver.relations().len());
        let mut index = Index {
            stops: vec![beginning],
            functions,
            relations,
            first_term,
            made: Vec::new(),
            stuck: HashSet::default(),
            tallies: Vec::new(),
            waiters: Vec::new(),
        };
        let owners = Owners::new(&analysis.module, inferred, &index.functions);
        let stuck = errors.iter().filter_map(|error| match about(error)? {
            About::Stuck(relation) => Some(relation),
            About::Failed(_) | About::NotAssumed(_) | About::Cycle(_) => None,
        });
        index.stuck = stuck.collect();
        let mut from = 0;
        for (at, event) in events.iter().enumerate() {
            index.note(at, event);
            let Event::Step { relation, began, outcome } = event else { continue };
            index.outside(&owners, inferred, from, *began as usize);
            for event in &events[*began as usize..at] {
                if let Event::Post { relation: posted } = event {
                    index.relations[posted.number() as usize].parent = Some(*relation);
                }
            }
            let what = match outcome {
                Outcome::Solved => What::Solved,
                Outcome::Waits(_) => What::Waits,
                Outcome::Failed => What::Failed,
            };
            let function = owners.of(inferred.solver.relation(*relation).cause).unwrap_or(index.last_function());
            index.relations[relation.number() as usize].runs.push(index.stops.len() as u32);
            index.stops.push(Stop { event: at as u32 + 1, what, relation: Some(*relation), function });
            from = at + 1;
        }
        index.outside(&owners, inferred, from, events.len());
        // What is made behind the last stop changes nothing.
        if let Some(last) = index.stops.last_mut() {
            last.event = events.len() as u32;
        }
        index.stops[0].function = index.stops.get(1).map_or(0, |stop| stop.function);
        if index.stops.len() == 1 {
            index.stops[0].event = 0;
        }
        index.count(events);
        index
    }

    fn count(&mut self, events: &[Event]) {
        let mut tally = Tally::default();
        let mut from = 0;
        for stop in &self.stops {
            for event in &events[from..stop.event as usize] {
                match event {
                    Event::Step { outcome: Outcome::Solved, .. } => tally.n_solved += 1,
                    Event::Step { outcome: Outcome::Failed, .. } => tally.n_failed += 1,
                    Event::Step { outcome: Outcome::Waits(_), relation, .. } => {
                        tally.n_waiting += 1;
                        self.waiters.push(*relation);
                    }
                    Event::Bind { woken, .. } | Event::Link { woken, .. } => tally.n_waiting -= woken.len() as u32,
                    Event::Quantify { relations, .. } => {
                        tally.n_waiting -= relations.len() as u32;
                        let stuck = relations.iter().filter(|woken| self.stuck.contains(&woken.relation));
                        tally.n_failed += stuck.count() as u32;
                    }
                    Event::Fresh { .. } | Event::Post { .. } => {}
                }
            }
            from = stop.event as usize;
            self.tallies.push(tally);
        }
        base::sort(&mut self.waiters);
        self.waiters.dedup();
    }

    pub fn stops_of(&self, what: What) -> impl Iterator<Item = u32> {
        { self.stops.iter().enumerate() }.filter(move |(_, stop)| stop.what == what).map(|(at, _)| at as u32)
    }

    /// The stop that an event comes before, the nearest one.
    pub fn stop_behind(&self, event: u32) -> u32 {
        self.stops.partition_point(|stop| stop.event <= event) as u32
    }

    /// The relation of the program that a relation is a part of, itself if nothing else posted it.
    pub fn whole(&self, mut id: RelationId) -> RelationId {
        while let Some(parent) = self.relations[id.number() as usize].parent {
            id = parent;
        }
        id
    }

    fn last_function(&self) -> u32 {
        self.stops.last().map_or(0, |stop| stop.function)
    }

    fn note(&mut self, at: usize, event: &Event) {
        let mut woken_by = |woken: &[Woken], told: &[TermId]| {
            for Woken { relation, waits } in woken {
                let root = waits.iter().find(|wait| told.contains(wait)).or(waits.first());
                self.relations[relation.number() as usize].woken.append_all(root.map(|&root| (at as u32, root)));
            }
        };
        match event {
            Event::Fresh { .. } => self.made.push(at as u32),
            Event::Bind { id, woken, .. } => woken_by(woken, &[*id]),
            Event::Link { child, parent, woken, .. } => woken_by(woken, &[*child, *parent]),
            Event::Post { relation } => self.relations[relation.number() as usize].posted = at as u32,
            Event::Step { relation, outcome: Outcome::Solved, .. } => {
                self.relations[relation.number() as usize].done = at as u32 + 1;
            }
            Event::Quantify { relations, .. } => {
                for Woken { relation, .. } in relations.iter().filter(|woken| !self.stuck.contains(&woken.relation)) {
                    self.relations[relation.number() as usize].done = at as u32 + 1;
                }
            }
            Event::Step { outcome: Outcome::Waits(_) | Outcome::Failed, .. } => {}
        }
    }

    /// Stops for events that are part of no run.
    fn outside(&mut self, owners: &Owners, inferred: &Inferred, from: usize, to: usize) {
        let mut row: Option<Row> = None;
        for (at, event) in inferred.solver.store.log.events[..to].iter().enumerate().skip(from) {
            let (what, cause) = match event {
                Event::Post { relation } => (What::Posted, inferred.solver.relation(*relation).cause),
                Event::Quantify { relations, cause } => {
                    let is_stuck = relations.iter().any(|woken| self.stuck.contains(&woken.relation));
                    (if is_stuck { What::Failed } else { What::Generalised }, *cause)
                }
                Event::Bind { cause, new: Term::Error(_), .. } => (What::Failed, *cause),
                Event::Bind { cause, .. } | Event::Link { cause, .. } => {
                    let is_more = row.as_ref().filter(|row| row.cause == Some(*cause));
                    (is_more.map_or(What::Generalised, |row| row.what), *cause)
                }
                Event::Fresh { cause, .. } => {
                    if let Some(row) = row.as_mut().filter(|row| row.cause == Some(*cause)) {
                        row.end = at + 1;
                    }
                    continue;
                }
                Event::Step { .. } => continue,
            };
            let function = owners.of(cause).unwrap_or(self.last_function());
            let is_quantify = matches!(event, Event::Quantify { .. });
            match &mut row {
                Some(row) if row.what == what && row.function == function && !is_quantify => row.end = at + 1,
                _ => {
                    self.flush(row.take());
                    let cause = (is_quantify || what == What::Generalised).then_some(cause);
                    row = Some(Row { what, function, end: at + 1, cause });
                }
            }
        }
        self.flush(row);
    }

    fn flush(&mut self, row: Option<Row>) {
        if let Some(Row { what, function, end, .. }) = row {
            self.stops.push(Stop { event: end as u32, what, relation: None, function });
        }
    }
}

fn n_made(events: &[Event]) -> u32 {
    events.iter().count_where(|event| matches!(event, Event::Fresh { .. })) as u32
}

/// Every item with a body, in source order.
fn functions(analysis: &Analysis) -> Vec<Function> {
    let module = &analysis.module;
    let named = module.items.iter().filter_map(|&item| match item {
        Item::Def(def) => Some((module.defs[def].function, module.defs[def].name.clone(), item)),
        Item::Let(local, function) => Some((function, module.local_name(local).to_owned(), item)),
        Item::Expr(function) => {
            let line = analysis.lines().line_of(module.functions[function].span.start);
            Some((function, format!("line {line}"), item))
        }
        Item::Adt(_) => None,
    });
    named.map(|(id, name, item)| Function { id, item, name, span: module.functions[id].span }).list()
}

/// Which function a cause stands in.
struct Owners {
    /// By cause.
    of_cause: Vec<Option<u32>>,
}

impl Owners {
    fn new(module: &Module, inferred: &Inferred, functions: &[Function]) -> Owners {
        let by_id: HashMap<FnId, u32> = functions.iter().zip(0..).map(|(function, at)| (function.id, at)).collect();
        let holding = |span: Span| {
            let next = functions.partition_point(|function| function.span.start <= span.start);
            let at = next.checked_sub(1)?;
            (span.end <= functions[at].span.end).then_some(at as u32)
        };
        let of_cause = inferred.whys.iter().enumerate().map(|(cause, why)| match why {
            _ if cause < inferred.n_library_whys => None,
            infer::Why::Function(function) => by_id.get(function).copied(),
            why => holding(why.span(module)),
        });
        Owners { of_cause: of_cause.list() }
    }

    fn of(&self, cause: Cause) -> Option<u32> {
        self.of_cause.get(cause.0 as usize).copied().flatten()
    }
}
