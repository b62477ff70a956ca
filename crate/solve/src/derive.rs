//! Why a term is what it is: the derivation graph of a trace, and the shortest derivation of a part of a type in it.
//!
//! A *place* is a part of the type of a cell. What holds there was said when the cell was made, by the walk over the program
//! or by the rule of a relation that ran, or came with an equation of the cell with another. So the places and the ways in
//! which each may be known are a graph of ANDs (the premises of a rule) and ORs (the ways), in which Knuth's generalisation
//! of Dijkstra's algorithm (Knuth 1977) finds the cheapest way of each place. Plain equations and the parts of written
//! types are ways too, but cheap ones that no answer shows.
//!
//! A rule is code, and does not say from which dims it computed one. It is asked: it runs once more in a solver of its own
//! with parameters in the place of its operands' dims, and the dim that it makes is a polynomial over those
//! ([`Formula`]).
//!
//! Worked example: `%y = nn.batch_flatten(%x)`, where `%x` is annotated with `(2, 4, 5)`. The result's cell was equated
//! with a tensor that the relation `r0` made, whose axis 1 it made too: a rule with the formula a · b over axes 1 and 2
//! of `%x`, which the walk said. Axis 0 is the operand's own cell, so `r0` passed it on.

use crate::formula::{Formula, Given, Token, formula};
use crate::solver::{Args, EQUAL, Posted, RelationId, Solver};
use crate::store::Cause;
use crate::trace::{Event, Off, Trace};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use ty::{Dim, Extent, Kind, ParamId, Term, TermId, Terms};

/// So many places are looked at for one question.
const MAX_PLACES: usize = 4_000;
/// So many steps are told.
const MAX_STEPS: usize = 64;
/// A type of more nodes than this is not searched for a part.
const MAX_NODES: usize = 400;
/// A rule with more dims among its operands is not asked what it computes.
const MAX_DIMS: usize = 64;

const SAID: u32 = 2;
const HOP: u32 = 1;
const RULE: u32 = 8;
/// An equation of two sides that both were known taught nothing.
const TAUGHT_NOTHING: u32 = 60;
/// A rule whose premises have no derivation.
const UNFOUNDED: u32 = 400;

/// Which part of a term, by the numbers of the parts on the way, in the order they print: `[0, 1]` of a tensor type is
/// axis 1 of its shape.
pub type Path = SmallVec<[u32; 4]>;

/// A part of the type of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub cell: TermId,
    pub path: Path,
}

impl Place {
    pub fn new(cell: TermId, path: &[u32]) -> Place {
        Place { cell, path: Path::from_slice(path) }
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
}

/// One way in which a place may be known.
struct Way {
    premises: Vec<usize>,
    /// `None` for an equation or a part, which `passed` says.
    by: Option<By>,
    passed: Option<Passed>,
    cost: u32,
    event: u32,
}

pub struct Graph<'a> {
    solver: &'a Solver<Trace>,
    /// Cells below this were there before the trace began.
    first: usize,
    made: Vec<Made>,
    edges: FxHashMap<TermId, SmallVec<[Edge; 2]>>,
    /// What generalising bound.
    told: FxHashMap<TermId, (Term, Cause, u32)>,
    posted_by: FxHashMap<RelationId, RelationId>,
    /// Where rules are asked.
    scratch: Option<Solver<Off>>,
}

impl<'a> Graph<'a> {
    /// Of a solver with its whole trace, which began with `first` cells.
    pub fn new(solver: &'a Solver<Trace>, first: usize) -> Graph<'a> {
        let events = &solver.store.log.0;
        let mut graph = Graph {
            solver,
            first,
            made: Vec::with_capacity(solver.store.len() - first),
            edges: FxHashMap::default(),
            told: FxHashMap::default(),
            posted_by: FxHashMap::default(),
            scratch: None,
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
                Event::Bind { id, old, new, cause, .. } => {
                    bound = Some((id, old));
                    if running.is_none() {
                        graph.told.insert(id, (new, cause, number));
                    }
                }
                Event::Link { parent, cells: (a, b), hidden, .. } => {
                    let Some(by) = running else { continue };
                    let before = was_bound.filter(|(id, _)| *id == parent);
                    let parent_was_hole = before.is_some_and(|(_, old)| old.is_hole());
                    let taught = hidden.is_hole() || parent_was_hole;
                    for (from, to) in [(a, b), (b, a)] {
                        graph.edges.entry(from).or_default().push(Edge { to, by, event: number, taught });
                    }
                }
                Event::Post { relation } => {
                    if let Some(by) = running {
                        graph.posted_by.insert(relation, by);
                    }
                }
                Event::Step { .. } | Event::Quantify { .. } => {}
            }
        }
        graph
    }

    pub fn solver(&self) -> &'a Solver<Trace> {
        self.solver
    }

    /// The relation in whose run another was posted; `None` of those that the walk posted.
    pub fn posted_by(&self, relation: RelationId) -> Option<RelationId> {
        self.posted_by.get(&relation).copied()
    }

    fn made(&self, cell: TermId) -> Made {
        match (cell.0 as usize).checked_sub(self.first).and_then(|at| self.made.get(at)) {
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
    pub fn derive(&mut self, place: &Place) -> Vec<Derived> {
        let mut places: Vec<Place> = vec![place.clone()];
        let mut numbers: FxHashMap<Place, usize> = FxHashMap::from_iter([(place.clone(), 0)]);
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
                Way { premises: premises.collect(), ..way }
            });
            ways.push(numbered.collect());
        }
        let best = cheapest(&ways);
        told(&places, &ways, &best)
    }

    /// The ways to know a place, with their premises.
    fn ways(&mut self, place: &Place) -> Vec<(Way, Vec<Place>)> {
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
        for Edge { to, by, event, taught } in edges {
            let is_own = |cell: TermId| self.made(cell).maker == Maker::Run(by);
            let posted = self.solver.relation(by);
            let other = Place::new(to, path);
            let more = if taught { 0 } else { TAUGHT_NOTHING };
            if posted.relation.is(&EQUAL) {
                found.push((way(None, Some(Passed::Equation(by)), HOP + more, event), vec![other]));
            } else if is_own(to) {
                found.push((way(None, None, more, event), vec![other]));
            } else {
                let rule = By::Rule { relation: by, formula: None };
                let premises = self.companions(posted, *cell, other);
                found.push((way(Some(rule), None, RULE + more, event), premises));
            }
        }
        found
    }

    /// The premises of a rule that equated a cell with another: that one, and if the relation is one of dims, the others.
    fn companions(&self, posted: &Posted, cell: TermId, other: Place) -> Vec<Place> {
        let head = |id: TermId| self.solver.head(id);
        let of_dims = posted.args.iter().all(|&arg| head(arg).kind() == Kind::Dim) && posted.n_inputs() > 0;
        if !of_dims || !posted.args.contains(&cell) || !posted.args.contains(&other.cell) {
            return vec![other];
        }
        let mut found: Vec<Place> = Vec::new();
        for &arg in posted.args.iter().filter(|&&arg| arg != cell && !head(arg).is_hole()) {
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
    fn by_rule(&mut self, relation: RelationId, place: &Place, event: u32, found: &mut Vec<(Way, Vec<Place>)>) {
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
        let rule = |formula| Some(By::Rule { relation, formula });
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
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
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

    /// From what a relation computed a term that it made.
    fn computed(&mut self, relation: RelationId, cell: TermId) -> (Option<Formula>, Vec<Place>) {
        let solver = self.solver;
        let posted = solver.relation(relation);
        let n_inputs = posted.n_inputs();
        let inputs = &posted.args[..n_inputs];
        let is_known = |arg: &&TermId| !solver.head(**arg).is_hole();
        match solver.head(cell).kind() {
            Kind::Dim => {}
            Kind::BaseType => return (None, Vec::new()),
            kind @ (Kind::Shape | Kind::Type | Kind::Row) => {
                let premise = |&arg: &TermId| match (kind, solver.head(arg)) {
                    (Kind::Shape, Term::Tensor { .. }) => Place::new(arg, &[0]),
                    _ => Place::new(arg, &[]),
                };
                return (None, inputs.iter().filter(is_known).map(premise).collect());
            }
        }
        let outputs = posted.args[n_inputs..].iter().enumerate().map(|(at, &arg)| (n_inputs + at, arg));
        let all = outputs.chain(inputs.iter().copied().enumerate());
        let target = { all }.find_map(|(at, arg)| Some((at, self.locate(arg, cell)?.path)));
        let Some((at, path)) = target else { return (None, Vec::new()) };
        // What a rule computes of its operands, or of one operand from the result.
        let given = if at < n_inputs { &posted.args[..] } else { inputs };
        let mut dims: Vec<(Place, TermId)> = Vec::new();
        for (from, &arg) in given.iter().enumerate() {
            let whole = Place::new(arg, &[]);
            self.dims(&whole, &mut dims);
            if from == at {
                let own = |(place, _): &(Place, TermId)| place.cell == arg && place.path == path;
                dims.retain(|dim| !own(dim));
            }
        }
        let is_any = |id: TermId| matches!(solver.head(id), Term::Dim(dim) if dim.dynamic);
        if is_any(cell) {
            let any = dims.into_iter().filter(|&(_, dim)| is_any(dim)).map(|(place, _)| place);
            return (None, any.take(4).collect());
        }
        dims.retain(|&(_, dim)| !is_any(dim) && !solver.head(dim).is_hole());
        if dims.len() > MAX_DIMS {
            return (None, Vec::new());
        }
        let all: Vec<usize> = (0..dims.len()).collect();
        let mut answer = self.ask(posted, at, &path, &dims, &all);
        if !matches!(answer, Answer::Computed(..)) {
            // Which of them matter is found out one by one.
            let matters = |graph: &mut Self, one: usize| match graph.ask(posted, at, &path, &dims, &[one]) {
                Answer::Computed(_, used) => !used.is_empty(),
                Answer::Open => true,
                Answer::Clash => false,
            };
            let some: Vec<usize> = all.into_iter().filter(|&one| matters(self, one)).collect();
            answer = self.ask(posted, at, &path, &dims, &some);
            if !matches!(answer, Answer::Computed(..)) {
                return (None, some.into_iter().map(|one| dims[one].0.clone()).collect());
            }
        }
        match answer {
            Answer::Computed(formula, used) if !used.is_empty() => {
                (Some(formula), used.into_iter().map(|one| dims[one].0.clone()).collect())
            }
            // A number that no dim has to do with.
            Answer::Computed(..) | Answer::Clash | Answer::Open => (None, Vec::new()),
        }
    }

    /// The dims in the type at a place, each with its own.
    fn dims(&self, place: &Place, found: &mut Vec<(Place, TermId)>) {
        let mut pending = vec![(place.cell, place.path.clone())];
        let mut n_nodes = 0;
        while let Some((id, path)) = pending.pop() {
            n_nodes += 1;
            let head = self.solver.head(id);
            if head.kind() == Kind::Dim {
                found.push((Place { cell: place.cell, path }, id));
            } else if n_nodes < MAX_NODES {
                let from = pending.len();
                let mut n = 0;
                self.solver.for_parts(head, |part| {
                    let mut path = path.clone();
                    path.push(n);
                    pending.push((part, path));
                    n += 1;
                });
                pending[from..].reverse();
            }
        }
    }

    /// Runs a relation with parameters for some dims of its arguments: what it makes of them at a place of the argument
    /// `at`.
    fn ask(
        &mut self,
        posted: &Posted,
        at: usize,
        path: &[u32],
        dims: &[(Place, TermId)],
        chosen: &[usize],
    ) -> Answer {
        match self.run(posted, at, path, dims, chosen) {
            Some(made) => self.read(made, dims, chosen).unwrap_or(Answer::Open),
            None => Answer::Clash,
        }
    }

    /// What was made at the place; `None` if the relation cannot hold so.
    fn run(
        &mut self,
        posted: &Posted,
        at: usize,
        path: &[u32],
        dims: &[(Place, TermId)],
        chosen: &[usize],
    ) -> Option<Option<TermId>> {
        let solver = self.solver;
        let scratch = self.scratch.get_or_insert_with(|| solver.beginning(Off));
        scratch.forget();
        let mut copies: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (n, &one) in chosen.iter().enumerate() {
            let param = Term::param(stand_in(n), Kind::Dim);
            copies.entry(dims[one].1).or_insert_with(|| scratch.fresh(param, posted.cause));
        }
        let n_inputs = posted.n_inputs();
        // What is to be found out is unknown.
        if at < n_inputs {
            let target = path.iter().try_fold(posted.args[at], |id, &n| part(solver, solver.head(id), n))?;
            copies.insert(target, scratch.fresh(Term::hole(Kind::Dim), posted.cause));
        }
        let mut args = Args::new();
        for (number, &arg) in posted.args.iter().enumerate() {
            args.push(match number >= n_inputs && at >= n_inputs {
                true => scratch.fresh(Term::hole(solver.head(arg).kind()), posted.cause),
                false => copied(solver, scratch, arg, &mut copies, posted.cause)?,
            });
        }
        scratch.post_shared(posted.relation.clone(), args.clone(), posted.attrs.clone(), posted.cause);
        scratch.solve();
        let made = path.iter().try_fold(args[at], |id, &n| part(&*scratch, scratch.head(id), n));
        scratch.failures.is_empty().then_some(made)
    }

    /// A dim that was made of stand-ins as a formula, and which dims are in it, in the order in which they stand there.
    fn read(&self, made: Option<TermId>, dims: &[(Place, TermId)], chosen: &[usize]) -> Option<Answer> {
        let scratch = self.scratch.as_ref()?;
        let Term::Dim(dim @ Dim { dynamic: false, .. }) = scratch.head(made?) else { return None };
        let poly = scratch.dim_poly(dim)?;
        let value = |one: usize| match self.solver.head(dims[one].1) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => Some(number),
            _ => None,
        };
        let given: Given = chosen.iter().enumerate().map(|(n, &one)| (stand_in(n), (one, value(one)))).collect();
        let mut written = formula(scratch, &poly, &given)?;
        let mut used: Vec<usize> = Vec::new();
        for token in &mut written.tokens {
            if let Token::Given(one) = token {
                let place = used.iter().position(|other| other == one).unwrap_or_else(|| {
                    used.push(*one);
                    used.len() - 1
                });
                *one = place;
            }
        }
        Some(Answer::Computed(written, used))
    }
}

/// What a rule that was asked makes of stand-ins.
enum Answer {
    /// A formula, and which of the dims are in it.
    Computed(Formula, Vec<usize>),
    /// It cannot hold for all that they may stand for.
    Clash,
    /// It waits to know more.
    Open,
}

/// A parameter that no program has.
fn stand_in(n: usize) -> ParamId {
    ParamId(ParamId::BOUND.0 - 1 - n as u32)
}

/// The `n`th part of a term, in the order they print.
pub fn part(terms: &impl Terms, term: Term, n: u32) -> Option<TermId> {
    let (mut at, mut found) = (0, None);
    terms.for_parts(term, |part| {
        if at == n {
            found = Some(part);
        }
        at += 1;
    });
    found
}

/// A copy of a type in another solver that began as a copy of the first, with `copies` for some cells of it.
fn copied(
    from: &Solver<Trace>,
    to: &mut Solver<Off>,
    root: TermId,
    copies: &mut FxHashMap<TermId, TermId>,
    cause: Cause,
) -> Option<TermId> {
    let mut stack = vec![(root, false)];
    let mut n_nodes = 0;
    while let Some((id, parts_done)) = stack.pop() {
        if copies.contains_key(&id) {
            continue;
        }
        n_nodes += 1;
        let head = from.head(id);
        if n_nodes > MAX_NODES {
            return None;
        }
        if !parts_done && !head.is_leaf() {
            stack.push((id, true));
            from.for_parts(head, |part| stack.push((part, false)));
            continue;
        }
        let mut list = |list| {
            let items: Option<Args> = from.items(list).iter().map(|item| copies.get(item).copied()).collect();
            Some(to.store.list(&items?))
        };
        let term = match head {
            Term::Tensor { shape, dtype } => Term::Tensor { shape: *copies.get(&shape)?, dtype: *copies.get(&dtype)? },
            Term::Tuple(items) => Term::Tuple(list(items)?),
            Term::Shape(items) => Term::Shape(list(items)?),
            // Nothing else has dims that a rule would compute with.
            Term::Func { .. }
            | Term::Forall { .. }
            | Term::Ref(_)
            | Term::Adt { .. }
            | Term::Sum(_)
            | Term::Row { .. }
            | Term::Splice(_)
            | Term::Hole(_)
            | Term::Error(_)
            | Term::Param(..)
            | Term::EmptyRow
            | Term::Slice { .. }
            | Term::Dim(_)
            | Term::Dtype(_) => head,
        };
        let copy = to.fresh(term, cause);
        copies.insert(id, copy);
    }
    copies.get(&root).copied()
}

/// By place, its cheapest way, if it has one that ends.
fn cheapest(ways: &[Vec<Way>]) -> Vec<Option<usize>> {
    let mut waiting: Vec<Vec<(usize, usize)>> = ways.iter().map(|_| Vec::new()).collect();
    let mut missing: Vec<Vec<(usize, u32)>> = Vec::with_capacity(ways.len());
    let mut best: Vec<Option<usize>> = vec![None; ways.len()];
    let mut heap = BinaryHeap::new();
    for (place, all) in ways.iter().enumerate() {
        let mut counts = Vec::with_capacity(all.len());
        for (number, way) in all.iter().enumerate() {
            counts.push((way.premises.len(), way.cost));
            way.premises.iter().for_each(|&premise| waiting[premise].push((place, number)));
            if way.premises.is_empty() {
                heap.push(Reverse((way.cost, place, number)));
            }
        }
        missing.push(counts);
    }
    while let Some(Reverse((cost, place, number))) = heap.pop() {
        if best[place].is_some() {
            continue;
        }
        best[place] = Some(number);
        for &(user, way) in &waiting[place] {
            let (left, sum) = &mut missing[user][way];
            *left -= 1;
            *sum = sum.saturating_add(cost);
            if *left == 0 && best[user].is_none() {
                heap.push(Reverse((*sum, user, way)));
            }
        }
    }
    best
}

/// The tree below the first place, parents before children.
fn told(places: &[Place], ways: &[Vec<Way>], best: &[Option<usize>]) -> Vec<Derived> {
    let mut steps: Vec<Derived> = Vec::new();
    let mut done: FxHashSet<usize> = FxHashSet::default();
    let mut pending: Vec<(usize, u32, Option<usize>)> = vec![(0, 0, None)];
    while let Some((asked, depth, parent)) = pending.pop() {
        let mut passed = Vec::new();
        let mut at = asked;
        let way = loop {
            let Some(number) = best[at] else { return steps };
            let way = &ways[at][number];
            passed.extend(way.passed);
            match (&way.by, way.premises.first()) {
                (None, Some(&next)) => at = next,
                (Some(_) | None, _) => break way,
            }
        };
        let Some(by) = way.by.clone() else { continue };
        let is_new = done.insert(at);
        if steps.len() == MAX_STEPS || (!is_new && !way.premises.is_empty()) {
            if let Some(parent) = parent {
                steps[parent].n_told += 1;
            }
            continue;
        }
        let number = steps.len();
        if let Some(parent) = parent {
            steps[parent].premises.push(number);
        }
        pending.extend(way.premises.iter().rev().map(|&premise| (premise, depth + 1, Some(number))));
        let given = way.premises.iter().map(|&premise| places[premise].clone()).collect();
        let (place, at) = (places[asked].clone(), places[at].clone());
        let event = way.event;
        steps.push(Derived { depth, place, at, by, passed, event, given, premises: Vec::new(), n_told: 0 });
    }
    steps
}
