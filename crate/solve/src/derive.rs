//! Why a term is what it is: the derivation graph of a trace, and the shortest derivation of a part of a type in it.
//!
//! A *place* is a part of the type of a cell. What holds there was said when the cell was made, by the walk over the
//! program or by the rule of a relation that ran, or came with an equation of the cell with another. So the places and
//! the ways in which each may be known are a graph of ANDs (the premises of a rule) and ORs (the ways), in which
//! Knuth's generalisation of Dijkstra's algorithm (Knuth 1977) finds the cheapest way of each place. Plain equations
//! and the parts of written types are ways too, but cheap ones that no answer shows.
//!
//! A rule is code, and does not say from which dims it computed one: it is asked (`ask`).
//!
//! Worked example: `%y = nn.batch_flatten(%x)`, where `%x` is annotated with `(2, 4, 5)`. The result's cell was equated
//! with a tensor that the relation `r0` made, whose axis 1 it made too: a rule with the formula a · b over axes 1 and 2
//! of `%x`, which the walk said. Axis 0 is the operand's own cell, so `r0` passed it on.

use crate::cheapest::{cheapest, told};
use crate::formula::Formula;
use crate::solver::{Args, EQUAL, Posted, RelationId, Solver};
use crate::store::Cause;
use crate::trace::Event;
use base::{HashMap, HashSet, ToList};
use std::cell::RefCell;
use ty::{Extent, FUNCTION, Kind, Term, TermId, Terms};

/// At most this many places are looked at for one question.
const MAX_PLACES: usize = 4_000;
/// A type of more nodes than this is not searched for a part.
pub(crate) const MAX_NODES: usize = 400;
/// A rule with more dims among its operands is not asked what it computes.
pub(crate) const MAX_DIMS: usize = 64;

const SAID: u32 = 2;
const HOP: u32 = 1;
const RULE: u32 = 8;
/// An equation of two sides that both were known taught nothing.
const TAUGHT_NOTHING: u32 = 60;
/// A rule whose premises have no derivation.
const UNFOUNDED: u32 = 400;

/// Which part of a term, by the numbers of the parts on the way, in the order they print: `[0, 1]` of a tensor type is
/// axis 1 of its shape.
pub type Path = Vec<u32>;

/// A part of the type of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub cell: TermId,
    pub path: Path,
}

impl Place {
    pub fn new(cell: TermId, path: &[u32]) -> Place {
        Place { cell, path: path.to_vec() }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum By {
    /// The walk over the program: an annotation, a literal, a parameter that generalising made.
    Said(Cause),
    Rule {
        relation: RelationId,
        /// What was computed from the premises.
        formula: Option<Formula>,
        /// The rule made what is there, and did not hand it on.
        makes: bool,
    },
}

/// What lies between a place and where it was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    Equation(RelationId),
    /// A term that the walk made, of which this is a part.
    Part(Cause),
}

/// A step of a derivation.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    pub depth: u32,
    /// What was asked for.
    pub place: Place,
    /// Where it was decided.
    pub at: Place,
    pub by: By,
    pub passed: Vec<Passed>,
    /// The event that decided it.
    pub event: u32,
    /// All premises of a rule.
    pub given: Vec<Place>,
    /// Their steps, further on; one that has been told before is not told again, and is absent here.
    pub premises: Vec<usize>,
    /// How many premises were left out since they had been told.
    pub n_told: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    Walk(Cause),
    Run(RelationId),
}

#[derive(Clone, Copy, Debug)]
struct Made {
    term: Term,
    maker: Maker,
    event: u32,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: TermId,
    by: RelationId,
    event: u32,
    taught: bool,
    /// `to` is of the side that was found, and not of the one that was expected.
    is_found: bool,
}

/// One way in which a place may be known.
pub(crate) struct Way {
    pub premises: Vec<usize>,
    /// `None` for an equation or a part, which `passed` says.
    pub by: Option<By>,
    pub passed: Option<Passed>,
    pub cost: u32,
    pub event: u32,
}

pub struct Graph<'a> {
    pub(crate) solver: &'a Solver,
    /// Cells below this were there before the trace began.
    first: usize,
    made: Vec<Made>,
    edges: HashMap<TermId, Vec<Edge>>,
    /// What generalising bound.
    told: HashMap<TermId, (Term, Cause, u32)>,
    /// Where rules are asked.
    pub(crate) scratch: RefCell<Option<Solver>>,
}

impl<'a> Graph<'a> {
    /// Of a solver with its whole trace, which began with `first` cells.
    pub fn new(solver: &'a Solver, first: usize) -> Graph<'a> {
        let events = &solver.store.log.events;
        let mut graph = Graph {
            solver,
            first,
            made: Vec::with_capacity(solver.store.len() - first),
            edges: HashMap::default(),
            told: HashMap::default(),
            scratch: RefCell::new(None),
        };
        let mut runs = events.iter().enumerate().filter_map(|(end, event)| match event {
            Event::Step { relation, began, .. } => Some((*began as usize, end, *relation)),
            Event::Fresh { .. }
            | Event::Bind { .. }
            | Event::Link { .. }
            | Event::Post { .. }
            | Event::Quantify { .. } => None,
        });
        let mut run = runs.next();
        let mut bound: Option<(TermId, Term)> = None;
        for (at, event) in events.iter().enumerate() {
            while run.is_some_and(|(_, end, _)| end < at) {
                run = runs.next();
            }
            let running = run.filter(|&(began, ..)| began <= at).map(|(.., relation)| relation);
            let was_bound = bound.take();
            let number = at as u32;
            match *event {
                Event::Fresh { term, cause, .. } => {
                    let maker = running.map_or(Maker::Walk(cause), Maker::Run);
                    graph.made.push(Made { term, maker, event: number });
                }
                Event::Bind { id, ref before, new, cause, .. } => {
                    bound = Some((id, before.term));
                    if running.is_none() {
                        graph.told.insert(id, (new, cause, number));
                    }
                }
                Event::Link { parent, cells: (a, b), hidden, .. } => {
                    let Some(by) = running else { continue };
                    let before = was_bound.filter(|(id, _)| *id == parent);
                    let parent_was_hole = before.is_some_and(|(_, old)| old.is_hole());
                    let taught = hidden.is_hole() || parent_was_hole;
                    for (from, to, is_found) in [(a, b, true), (b, a, false)] {
                        graph.edges.entry(from).or_default().push(Edge { to, by, event: number, taught, is_found });
                    }
                }
                Event::Post { .. } | Event::Step { .. } | Event::Quantify { .. } => {}
            }
        }
        graph
    }

    pub fn solver(&self) -> &'a Solver {
        self.solver
    }

    /// Whether the walk made a cell, and no rule.
    pub(crate) fn is_of_walk(&self, cell: TermId) -> bool {
        matches!(self.made(cell).maker, Maker::Walk(_))
    }

    /// Whether the walk bound a class itself.
    pub(crate) fn is_told(&self, root: TermId) -> bool {
        self.told.contains_key(&root)
    }

    /// Whether a cell is a part of what another one was made with.
    pub(crate) fn holds(&self, whole: TermId, cell: TermId) -> bool {
        let mut pending = vec![whole];
        let mut at = 0;
        while let Some(&id) = pending.get(at) {
            at += 1;
            if id == cell {
                return true;
            }
            if pending.len() < MAX_NODES {
                self.solver.for_parts(self.made(id).term, |part| pending.push(part));
            }
        }
        false
    }

    /// The places of the parts of a type that have no parts.
    pub(crate) fn parts(&self, cell: TermId, found: &mut Vec<Place>) {
        let mut pending = vec![Place::new(cell, &[])];
        let mut n_nodes = 0;
        while let Some(place) = pending.pop() {
            let Some(id) = self.at(&place) else { continue };
            n_nodes += 1;
            let head = self.solver.head(id);
            if head.is_leaf() || n_nodes > MAX_DIMS {
                found.push(place);
                continue;
            }
            let mut n = 0;
            self.solver.for_parts(head, |_| {
                let mut inside = place.clone();
                inside.path.push(n);
                pending.push(inside);
                n += 1;
            });
            found.push(place);
        }
    }

    fn made(&self, cell: TermId) -> Made {
        match (cell.number() as usize).checked_sub(self.first).and_then(|at| self.made.get(at)) {
            Some(made) => *made,
            None => {
                let (term, cause) = (self.solver.head(cell), self.solver.store.origin(cell));
                Made { term, maker: Maker::Walk(cause), event: 0 }
            }
        }
    }

    /// The term at a place, as far as it is known.
    pub fn at(&self, place: &Place) -> Option<TermId> {
        let step = |id: TermId, n: &u32| part(self.solver, self.solver.head(id), *n);
        place.path.iter().try_fold(place.cell, step)
    }

    /// The shortest derivation of what is known at a place, the step that decided it first.
    pub fn derive(&self, place: &Place) -> Vec<Derived> {
        let mut places: Vec<Place> = vec![place.clone()];
        let mut numbers: HashMap<Place, usize> = HashMap::from_iter([(place.clone(), 0)]);
        let mut ways: Vec<Vec<Way>> = Vec::new();
        while let Some(next) = places.get(ways.len()).cloned() {
            let found = if places.len() < MAX_PLACES { self.ways(&next) } else { Vec::new() };
            let numbered = found.into_iter().map(|(way, premises)| {
                let premises = premises.into_iter().map(|premise| {
                    *numbers.entry(premise.clone()).or_insert_with(|| {
                        places.push(premise);
                        places.len() - 1
                    })
                });
                Way { premises: premises.list(), ..way }
            });
            ways.push(numbered.list());
        }
        let best = cheapest(&ways);
        told(&places, &ways, &best)
    }

    /// The ways to know a place, with their premises.
    fn ways(&self, place: &Place) -> Vec<(Way, Vec<Place>)> {
        let Place { cell, path } = place;
        let way = |by, passed, cost, event| Way { premises: Vec::new(), by, passed, cost, event };
        let mut found = Vec::new();
        let made = self.made(*cell);
        if self.says(made.term, place) {
            match (made.maker, path.split_first()) {
                (Maker::Walk(cause), None) => {
                    found.push((way(Some(By::Said(cause)), None, SAID, made.event), Vec::new()));
                }
                (Maker::Walk(cause), Some((&n, rest))) => {
                    if let Some(part) = part(self.solver, made.term, n) {
                        let inside = Place::new(part, rest);
                        found.push((way(None, Some(Passed::Part(cause)), 0, made.event), vec![inside]));
                    }
                }
                (Maker::Run(relation), _) => self.by_rule(relation, place, made.event, &mut found),
            }
        }
        if let Some(&(term, cause, event)) = self.told.get(cell)
            && path.is_empty()
            && self.says(term, place)
        {
            found.push((way(Some(By::Said(cause)), None, SAID, event), Vec::new()));
        }
        let edges = self.edges.get(cell).cloned().unwrap_or_default();
        for Edge { to, by, event, taught, is_found } in edges {
            let is_own = |cell: TermId| self.made(cell).maker == Maker::Run(by);
            let posted = self.solver.relation(by);
            let other = Place::new(to, path);
            let more = if taught { 0 } else { TAUGHT_NOTHING };
            if posted.relation.is(&EQUAL) {
                let passed = Some(Passed::Equation(by));
                // As a part of the type that was equated, which may have come further than the part itself.
                let side = posted.args[usize::from(is_found)];
                let within = if side == to { None } else { self.locate(side, to) };
                if let Some(mut within) = within {
                    within.path.extend_from_slice(path);
                    found.push((way(None, passed, HOP + more, event), vec![within]));
                    found.push((way(None, passed, UNFOUNDED + more, event), vec![other]));
                    continue;
                }
                found.push((way(None, Some(Passed::Equation(by)), HOP + more, event), vec![other]));
            } else if is_own(to) {
                found.push((way(None, None, more, event), vec![other]));
            } else {
                let rule = By::Rule { relation: by, formula: None, makes: false };
                let premises = self.companions(posted, *cell, other);
                found.push((way(Some(rule), None, RULE + more, event), premises));
            }
        }
        found
    }

    /// The premises of a rule that equated a cell with another: that one, and if the relation is one of dims, the
    /// others.
    fn companions(&self, posted: &Posted, cell: TermId, other: Place) -> Vec<Place> {
        let head = |id: TermId| self.solver.head(id);
        let of_dims = posted.args.iter().all(|&arg| head(arg).kind() == Kind::Dim) && posted.n_inputs() > 0;
        if !of_dims || !posted.args.contains(&cell) || !posted.args.contains(&other.cell) {
            return vec![other];
        }
        // `max(N, N) = 3` says of neither what it is of the other.
        let is_twin = |arg: TermId| {
            let is_same = self.solver.root(arg) == self.solver.root(cell);
            posted.relation.is(&FUNCTION) && is_same && arg != other.cell
        };
        let mut found: Vec<Place> = Vec::new();
        for &arg in posted.args.iter().filter(|&&arg| arg != cell && !head(arg).is_hole() && !is_twin(arg)) {
            let premise = Place::new(arg, &[]);
            if !found.contains(&premise) {
                found.push(premise);
            }
        }
        found
    }

    /// Whether a term that a cell was made with, or bound to, says what is known at a place of it.
    fn says(&self, term: Term, place: &Place) -> bool {
        if !place.path.is_empty() {
            return !term.is_leaf();
        }
        match (term, self.solver.head(place.cell)) {
            (Term::Dim(said), Term::Dim(known)) if known.dynamic => said.dynamic,
            (Term::Dim(said), Term::Dim(known)) => said.extent == known.extent && said.extent != Extent::Unknown,
            (Term::Hole(_) | Term::Error(_), _) => false,
            (said, known) => std::mem::discriminant(&said) == std::mem::discriminant(&known),
        }
    }

    /// How the run of a relation knew what it made.
    fn by_rule(&self, relation: RelationId, place: &Place, event: u32, found: &mut Vec<(Way, Vec<Place>)>) {
        let is_own = |graph: &Self, cell: TermId| graph.made(cell).maker == Maker::Run(relation);
        let (mut cell, mut rest) = (place.cell, place.path.as_slice());
        while let Some((&n, behind)) = rest.split_first() {
            let Some(inside) = part(self.solver, self.made(cell).term, n) else { break };
            (cell, rest) = (inside, behind);
            if !is_own(self, cell) {
                break;
            }
        }
        let free = || Way { premises: Vec::new(), by: None, passed: None, cost: 0, event };
        if is_own(self, cell) && !(rest.is_empty() && self.says(self.made(cell).term, &Place::new(cell, &[]))) {
            if cell != place.cell {
                found.push((free(), vec![Place::new(cell, rest)]));
            }
            return;
        }
        let args: Args = self.solver.relation(relation).args.clone();
        let (formula, premises) = if is_own(self, cell) {
            self.computed(relation, cell)
        } else {
            let n_inputs = self.solver.relation(relation).n_inputs();
            let given = args[..n_inputs].iter().find_map(|&arg| self.locate(arg, cell));
            // What is no part of an operand was there before.
            let premise = match given {
                Some(mut given) => {
                    given.path.extend_from_slice(rest);
                    given
                }
                None => Place::new(cell, rest),
            };
            (None, vec![premise])
        };
        let makes = is_own(self, cell);
        let rule = |formula| Some(By::Rule { relation, formula, makes });
        let way = |by, cost| Way { premises: Vec::new(), by, passed: None, cost, event };
        if !premises.is_empty() {
            found.push((way(rule(None), UNFOUNDED), Vec::new()));
        }
        found.push((way(rule(formula), RULE), premises));
    }

    /// Where a term is part of the type of a cell: the same cell if it is there, else one of its class.
    pub fn locate(&self, within: TermId, cell: TermId) -> Option<Place> {
        let wanted = self.solver.root(cell);
        let mut near = None;
        let mut pending: Vec<(TermId, Path)> = vec![(within, Path::new())];
        let mut seen: HashSet<TermId> = HashSet::default();
        let mut at = 0;
        while let Some((id, path)) = pending.get(at).cloned() {
            at += 1;
            if id == cell {
                return Some(Place { cell: within, path });
            }
            if near.is_none() && self.solver.root(id) == wanted {
                near = Some(Place { cell: within, path: path.clone() });
            }
            let head = self.solver.head(id);
            if pending.len() > MAX_NODES || head.is_leaf() || !seen.insert(self.solver.root(id)) {
                continue;
            }
            let mut n = 0;
            self.solver.for_parts(head, |part| {
                let mut path = path.clone();
                path.push(n);
                pending.push((part, path));
                n += 1;
            });
        }
        near
    }
}

/// The `n`th part of a term, in the order they print.
pub fn part(terms: &dyn Terms, term: Term, n: u32) -> Option<TermId> {
    let (mut at, mut found) = (0, None);
    ty::for_parts(terms, term, &mut |part| {
        if at == n {
            found = Some(part);
        }
        at += 1;
    });
    found
}
