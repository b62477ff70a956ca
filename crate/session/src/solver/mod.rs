//! The solver watched: a check with its trace, and what the page shows of it.
//!
//! A [`Recording`] is made of an analysis when somebody asks for it: inference runs again over the same module, with a
//! log. Events say what happened; [`stops`] says where one may stand; a [`cursor`] goes there; [`view`], [`graph`] and
//! [`rounds`] say what is seen; [`words`] has the sentences.
//!
//! Terms are numbered from the text's own first one, so that a small program has small numbers; those of the library
//! come behind.
//!
//! Deliberately absent: any rule of solving. What a stop shows was recorded, or is read off the classes there.

pub(crate) mod about;
mod cursor;
mod document;
mod graph;
mod known;
mod leaders;
mod places;
mod query;
mod rounds;
mod rule;
mod stops;
mod view;
mod words;

use base::ToList;
pub use document::{TraceDocument, trace_document, trace_json, trace_text};
pub use rounds::rounds_text;
pub use rule::{first_sentence, sentence};
pub use view::Part;

use crate::Analysis;
use crate::view::solver::{TraceFunctionView, TraceView};
use cursor::Cursor;
use graph::{Drawn, Net};
use infer::{Inferred, TypeError};
use leaders::Leaders;
use places::Places;
use solve::{Event, RelationId, Solver};
use stops::{Index, Stop, What};
use ty::{Atom, Beginning, List, Poly, PolyId, Term, TermId, Terms};

/// A check that was recorded.
pub struct Recording {
    pub(crate) inferred: Inferred,
    pub(crate) errors: Vec<TypeError>,
    index: Index,
    places: Places,
    leaders: Leaders,
    net: Net,
    cursor: Cursor,
    /// The graph as it was last asked for.
    drawn: Option<Drawn>,
}

/// The classes at one stop. Lists and polynomials are never changed, so those of the end serve.
#[derive(Clone, Copy)]
struct Seen<'a> {
    cells: &'a Solver,
    whole: &'a Solver,
}

impl Terms for Seen<'_> {
    fn root(&self, id: TermId) -> TermId {
        self.cells.root(id)
    }

    fn head(&self, id: TermId) -> Term {
        self.cells.head(id)
    }

    fn items(&self, list: List) -> &[TermId] {
        self.whole.items(list)
    }

    fn poly(&self, id: PolyId) -> &Poly<Atom> {
        self.whole.poly(id)
    }
}

impl Seen<'_> {
    /// Whether a cell has been made by now.
    fn has(&self, id: TermId) -> bool {
        (id.number() as usize) < self.cells.store.len()
    }
}

impl Recording {
    pub fn new(analysis: &Analysis) -> Recording {
        Recording::with_checkpoints(analysis, cursor::MIN_SPACING)
    }

    /// With `min_spacing` events between checkpoints, or more if there are many.
    pub fn with_checkpoints(analysis: &Analysis, min_spacing: usize) -> Recording {
        let (inferred, errors) = analysis.recorded();
        let index = Index::new(analysis, &inferred, &errors);
        let places = Places::new(analysis, &inferred, &index);
        let store = &inferred.solver.store;
        let leaders = Leaders::new(&store.log.events, &places.listed, store.len());
        let net = Net::new(&inferred, &index);
        let cursor = Cursor::new(store.log.events.len(), min_spacing);
        Recording { inferred, errors, index, places, leaders, net, cursor, drawn: None }
    }

    pub fn events(&self) -> &[Event] {
        &self.inferred.solver.store.log.events
    }

    pub fn n_stops(&self) -> usize {
        self.index.stops.len()
    }

    fn stop(&self, stop: usize) -> &Stop {
        &self.index.stops[stop.min(self.index.stops.len() - 1)]
    }

    /// The stop whose step an event is a part of.
    pub fn stop_of_event(&self, event: u32) -> u32 {
        self.index.stop_behind(event).min(self.n_stops() as u32 - 1)
    }

    /// The stop where what an event demands was done: of a relation that was posted, its first run.
    pub fn stop_of_demand(&self, event: u32) -> u32 {
        let Some(&Event::Post { relation }) = self.events().get(event as usize) else {
            return self.stop_of_event(event);
        };
        let ran = self.index.relations[relation.number() as usize].runs.first();
        ran.map_or_else(|| self.stop_of_event(event), |&stop| stop)
    }

    /// How many events come before a stop.
    pub fn event_of(&self, stop: usize) -> usize {
        self.stop(stop).event as usize
    }

    /// The solver as it was at a stop.
    pub fn solver_at(&mut self, stop: usize) -> &Solver {
        let event = self.event_of(stop);
        let solver = &self.inferred.solver;
        self.cursor.seek(event, &solver.store.log.events, solver.relations())
    }

    /// The classes where the cursor stands.
    fn seen(&self) -> Seen<'_> {
        Seen { cells: self.cursor.solver(), whole: &self.inferred.solver }
    }

    /// The number that a term is shown with.
    fn number(&self, id: TermId) -> u32 {
        let Recording { index, inferred, .. } = self;
        Beginning { max_nodes: 0, first: TermId::numbered(index.first_term), n_terms: inferred.solver.store.len() }
            .number(id)
    }

    /// The trace as a timeline.
    pub fn trace_view(&self, analysis: &Analysis) -> TraceView {
        let mut relations: Vec<String> = Vec::new();
        let mut number_of = |id: RelationId| {
            let name = self.inferred.solver.relation(id).relation.name();
            let at = relations.iter().position(|known| known == name).unwrap_or_else(|| {
                relations.push(name.to_owned());
                relations.len() - 1
            });
            at as u32
        };
        let stop_relations = self.index.stops.iter().map(|stop| stop.relation.map(&mut number_of)).list();
        let failures: Vec<u32> = self.index.stops_of(What::Failed).list();
        let failure_diagnostics = self.failure_diagnostics(analysis, &failures);
        TraceView {
            n_events: self.events().len() as u32,
            stops: self.index.stops.iter().map(|stop| stop.what.letter()).collect(),
            stop_functions: self.index.stops.iter().map(|stop| stop.function).list(),
            stop_relations,
            functions: { &self.index.functions }
                .iter()
                .map(|function| TraceFunctionView {
                    name: function.name.clone(),
                    span: crate::page::span_view(analysis.lines(), function.span),
                })
                .list(),
            relations,
            failures,
            failure_diagnostics,
        }
    }
}
