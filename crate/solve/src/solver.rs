//! The relation queue and its dependency graph.

use crate::queue::Queue;
use crate::store::{Cause, Store};
use crate::trace::{Event, Outcome, Trace, Woken};
use crate::unify::Walked;
use base::{HashMap, ToList};
use std::sync::Arc;
use ty::{
    Atom, Attrs, FUNCTION, Facts, Function, Kind, List, Poly, PolyId, Reason, Relation, RelationRef, Step, Stop, Term,
    TermId, Terms, Variant, Why,
};

base::idx!(
    /// A posted relation.
    RelationId,
    "r"
);

/// At most this many relations may follow from one cause: a call, an operator or anything else that is one. Written
/// relations always end, but in exponential time if they are made for that.
const MAX_STEPS: usize = 100_000;
/// At most this many may follow from all causes together, [`MORE_STEPS`] for each cause not counted.
const MAX_STEPS_OF_ALL: usize = 200_000;
/// Each cause allows this many more.
const MORE_STEPS: usize = 16;

/// A list of this many terms counts as much as a relation.
const LIST_STEP: usize = 16;
/// A polynomial of this many products counts as much as a relation.
const POLY_STEP: usize = 4;

/// Plain equation of two terms, the expected one first. It never waits.
pub static EQUAL: Relation = Relation {
    name: "Equal",
    n_outputs: 0,
    rule: |r| {
        let (expected, found) = (r.arg(0), r.arg(1));
        r.unify(expected, found)
    },
};

/// Where a posted relation stands.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    Queued,
    /// On these roots; learning any of them queues it again.
    Waiting(Vec<TermId>),
    Solved,
    Failed,
    /// Taken out into a scheme.
    Quantified,
}

/// The arguments of a relation.
pub type Args = Vec<TermId>;

/// A relation with its arguments: inputs first, then outputs.
#[derive(Clone, Debug)]
pub struct Posted {
    pub relation: RelationRef,
    pub args: Args,
    pub attrs: Arc<Attrs>,
    pub cause: Cause,
    pub state: State,
    /// The relation in whose run it was posted; `None` of those that the walk posted.
    pub by: Option<RelationId>,
}

impl Posted {
    pub fn n_inputs(&self) -> usize {
        self.args.len().saturating_sub(self.relation.n_outputs())
    }
}

/// A relation that cannot hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub relation: RelationId,
    pub reason: Reason,
}

/// Which queued relation runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The front of the queue: source order, woken ones first.
    Queue,
    /// Any, by a generator with this state; for the test that all orders agree.
    Shuffled(u64),
}

pub struct Solver {
    pub store: Store,
    pub(crate) relations: Vec<Posted>,
    pub(crate) queue: Queue,
    /// The dependency graph: by root, the relations that wait on it, in the order of their ids.
    pub(crate) watchers: HashMap<TermId, Vec<RelationId>>,
    pub failures: Vec<Failure>,
    /// The relation whose rule runs now.
    running: Option<RelationId>,
    pub order: Order,
    /// Whether a type of the program may hold a `?` at all: only then do static dims keep their identity, so that the
    /// flag of one reaches all that were equated with it.
    pub dynamics: bool,
    /// Differences of rigid dims that are taken to be 0 while a definition is checked.
    pub zeros: Vec<Poly<Atom>>,
    /// By root, the place of a row among those that have been walked.
    pub(crate) rows: HashMap<TermId, usize>,
    pub(crate) walked: Vec<Walked>,
    no_attrs: Arc<Attrs>,
    /// By cause, how many relations its relations have brought up.
    steps: Vec<usize>,
    steps_of_all: usize,
    /// It has been said of the last cause with too many.
    told_steps: Option<Cause>,
    /// Where copying a type would not end.
    endless: Vec<Cause>,
}

impl Solver {
    pub fn new(log: Trace) -> Solver {
        Solver::on(Store::new(log))
    }

    fn on(store: Store) -> Solver {
        Solver {
            store,
            relations: Vec::new(),
            queue: Queue::default(),
            watchers: HashMap::default(),
            failures: Vec::new(),
            running: None,
            order: Order::Queue,
            dynamics: false,
            zeros: Vec::new(),
            rows: HashMap::default(),
            walked: Vec::new(),
            no_attrs: Attrs::none(),
            steps: Vec::new(),
            steps_of_all: 0,
            told_steps: None,
            endless: Vec::new(),
        }
    }

    /// A new solver that begins with these terms; it has no relations, and its log begins here.
    pub fn beginning(&self, log: Trace) -> Solver {
        Solver::on(self.store.beginning(log))
    }

    /// The same solver with the same relations, whose log is off.
    pub fn quiet(&self) -> Solver {
        Solver {
            relations: self.relations.clone(),
            queue: self.queue.clone(),
            watchers: self.watchers.clone(),
            order: self.order,
            dynamics: self.dynamics,
            ..Solver::on(self.store.beginning(Trace::off()))
        }
    }

    /// Makes room for what `n` expressions and parts of types are likely to need.
    pub fn reserve(&mut self, n: usize) {
        self.store.reserve(2 * n);
        self.relations.reserve(n / 2);
        self.queue.reserve(n / 2);
        self.store.log.reserve(3 * n);
    }

    /// Forgets everything, for a solver that answers one small question after the other.
    pub fn clear(&mut self) {
        self.store.clear();
        self.forget();
    }

    /// Forgets all relations, for a solver that answers questions about the same terms one after the other.
    pub(crate) fn forget(&mut self) {
        self.relations.clear();
        self.queue.clear();
        self.watchers.clear();
        self.failures.clear();
        self.forget_rows();
        self.steps.clear();
        self.steps_of_all = 0;
        self.told_steps = None;
        self.endless.clear();
    }

    pub fn fresh(&mut self, term: Term, cause: Cause) -> TermId {
        self.store.fresh(term, cause)
    }

    pub fn tuple(&mut self, fields: &[TermId], cause: Cause) -> TermId {
        let list = self.store.list(fields);
        self.fresh(Term::Tuple(list), cause)
    }

    pub fn func(&mut self, params: &[TermId], result: TermId, cause: Cause) -> TermId {
        let params = self.store.list(params);
        self.fresh(Term::Func { params, result }, cause)
    }

    pub fn equal(&mut self, expected: TermId, found: TermId, cause: Cause) -> RelationId {
        let none = self.no_attrs.clone();
        self.post(&EQUAL, &[expected, found], none, cause)
    }

    /// Adds a relation at the back of the queue.
    pub fn post(
        &mut self,
        relation: impl Into<RelationRef>,
        args: &[TermId],
        attrs: Arc<Attrs>,
        cause: Cause,
    ) -> RelationId {
        self.post_shared(relation.into(), args.into(), attrs, cause)
    }

    pub(crate) fn post_shared(
        &mut self,
        relation: RelationRef,
        args: Args,
        attrs: Arc<Attrs>,
        cause: Cause,
    ) -> RelationId {
        let id = RelationId::numbered(self.relations.len() as u32);
        self.store.log.push(|| Event::Post { relation: id });
        self.relations.push(Posted { relation, args, attrs, cause, state: State::Queued, by: self.running });
        self.queue.push_back(id);
        id
    }

    /// The value of a function of terms, now if it is determined and as an unknown if not. A function that has no
    /// value fails as a relation, with this cause.
    pub fn apply(&mut self, function: &Function, args: &[TermId], cause: Cause) -> TermId {
        let (no_args, attrs) = (Args::new(), self.no_attrs.clone());
        let mut view = View { solver: self, args: no_args, attrs, n_inputs: 0, cause, asserted: false };
        match ty::apply(&mut view, function, args) {
            Ok(term) => term,
            Err(_) => {
                let result = self.fresh(Term::hole(function.kind()), cause);
                let args: Vec<TermId> = args.iter().copied().chain([result]).list();
                self.post(&FUNCTION, &args, function.attrs(), cause);
                result
            }
        }
    }

    /// The value of a function of terms, if it is determined by now.
    pub fn value(&mut self, function: &Function, args: &[TermId], cause: Cause) -> Option<TermId> {
        let (no_args, attrs) = (Args::new(), self.no_attrs.clone());
        let mut view = View { solver: self, args: no_args, attrs, n_inputs: 0, cause, asserted: false };
        ty::evaluate(&mut view, function, args)
    }

    /// The call that the relation is a part of, if it is an `if` of a written one.
    pub fn origin(&mut self, id: RelationId) -> Option<(RelationRef, Vec<TermId>)> {
        let posted = self.relation(id);
        let (args, cause) = (posted.args.clone(), posted.cause);
        let RelationRef::Written { all, index, .. } = posted.relation.clone() else { return None };
        let attrs = self.no_attrs.clone();
        let mut view = View { solver: self, args: args.clone(), attrs, n_inputs: 0, cause, asserted: false };
        all.origin(index, &args, &mut view)
    }

    pub fn relation(&self, id: RelationId) -> &Posted {
        &self.relations[id.number() as usize]
    }

    /// The relation that the walk posted in whose runs, or in those of what they posted, this one was posted.
    pub fn posted_first(&self, mut relation: RelationId) -> RelationId {
        while let Some(by) = self.relation(relation).by {
            relation = by;
        }
        relation
    }

    pub fn relations(&self) -> &[Posted] {
        &self.relations
    }

    /// Whether two solvers hold the same classes, the same queue and the same dependency graph.
    pub fn same_state(&self, other: &Solver) -> bool {
        let states = |relations: &[Posted]| relations.iter().map(|posted| posted.state.clone()).list();
        self.store.same_cells(&other.store)
            && self.queue == other.queue
            && self.watchers == other.watchers
            && states(&self.relations) == states(&other.relations)
    }

    /// Runs relations until the queue is empty.
    pub fn solve(&mut self) {
        while let Some(id) = self.next_queued() {
            let began = self.store.log.n_events();
            let outcome = self.run(id);
            self.store.log.push(|| Event::Step { relation: id, began, outcome: outcome.clone() });
            self.finish_step(id, outcome);
        }
    }

    /// Runs relations until one fails, the queue is empty or `most` have been run: how many were, and whether one
    /// failed.
    pub(crate) fn solve_until_failure(&mut self, most: usize) -> (usize, bool) {
        let mut n_run = 0;
        while n_run < most
            && let Some(id) = self.next_queued()
        {
            n_run += 1;
            let outcome = self.run(id);
            self.finish_step(id, outcome);
            if !self.failures.is_empty() {
                return (n_run, true);
            }
        }
        (n_run, false)
    }

    fn next_queued(&mut self) -> Option<RelationId> {
        match &mut self.order {
            Order::Queue => self.queue.remove(0),
            Order::Shuffled(state) => {
                // The multiplier and increment of Knuth's MMIX generator; the high bits are the random ones.
                *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let n = self.queue.len().max(1);
                self.queue.remove((*state >> 33) as usize % n)
            }
        }
    }

    /// Takes a relation that stands near the front out of the queue.
    pub(crate) fn leave_queue(&mut self, id: RelationId) {
        let at = self.queue.iter().position(|queued| queued == id);
        at.and_then(|at| self.queue.remove(at));
    }

    /// The relations that are to be run, the next first.
    pub fn queue(&self) -> impl ExactSizeIterator<Item = RelationId> {
        self.queue.iter()
    }

    /// The relations that wait on a root, in the order of their ids.
    pub fn watching(&self, root: TermId) -> &[RelationId] {
        self.watchers.get(&root).map_or(&[], Vec::as_slice)
    }

    /// Counts relations that follow from a cause.
    pub(crate) fn charge(&mut self, cause: Cause, n: usize) {
        let at = cause.0 as usize;
        if self.steps.len() <= at {
            self.steps.resize(at + 1, 0);
        }
        self.steps[at] += n;
        self.steps_of_all += n;
    }

    /// Whether a relation is not to be run, since too many have followed from its cause. Told once for each cause; once
    /// all together are too many, only once.
    fn is_spent(&mut self, id: RelationId) -> bool {
        let Posted { relation, cause, .. } = &self.relations[id.number() as usize];
        let (cause, most_of_all) = (*cause, self.most_of_all());
        let of_all = self.steps_of_all > most_of_all;
        let steps = self.steps.get(cause.0 as usize).copied().unwrap_or(0);
        if (steps <= MAX_STEPS && !of_all) || relation.is(&EQUAL) {
            return false;
        }
        if self.told_steps.is_none_or(|told| told != cause && !of_all) {
            self.told_steps = Some(cause);
            let limit = if of_all { most_of_all } else { MAX_STEPS };
            let sentence = format!("more than {limit} relations follow from this one, and that is where checking ends");
            self.failures.push(Failure { relation: id, reason: Reason::Check(sentence.into()) });
        }
        self.spoil_outputs(id);
        true
    }

    fn most_of_all(&self) -> usize {
        MAX_STEPS_OF_ALL + MORE_STEPS * self.steps.len()
    }

    /// Whether more relations have followed from a cause than are run, and that has been told.
    pub fn gave_up(&self) -> bool {
        self.told_steps.is_some()
    }

    /// Whether no relation is run any more, and that has been told.
    pub(crate) fn gave_up_all(&self) -> bool {
        self.gave_up() && self.steps_of_all > self.most_of_all()
    }

    fn run(&mut self, id: RelationId) -> Outcome {
        if self.is_spent(id) {
            return Outcome::Failed;
        }
        let posted = &self.relations[id.number() as usize];
        let (relation, args, attrs) = (posted.relation.clone(), posted.args.clone(), posted.attrs.clone());
        let n_inputs = posted.n_inputs();
        let cause = posted.cause;
        let mut view = View { solver: self, args, attrs, n_inputs, cause, asserted: false };
        view.solver.running = Some(id);
        let step = relation.run(&mut view);
        view.solver.running = None;
        let asserted = view.asserted;
        match step.map_err(Stop::why) {
            Ok(()) => Outcome::Solved,
            Err(Why::Wait(terms)) => {
                debug_assert!(!asserted, "{} asserted before it asked", self.relation(id).relation.name());
                // What waits for an error would be told nothing more; what it should have determined is one too.
                if terms.iter().any(|&term| matches!(self.head(term), Term::Error(_))) {
                    self.spoil_outputs(id);
                    return Outcome::Solved;
                }
                let mut waits: Vec<TermId> = terms.iter().map(|&term| self.store.root(term)).list();
                base::sort(&mut waits);
                waits.dedup();
                Outcome::Waits(waits)
            }
            Err(Why::Fail(reason)) => {
                self.failures.push(Failure { relation: id, reason });
                self.spoil_outputs(id);
                Outcome::Failed
            }
        }
    }

    /// Makes a class unknown again, in a copy that keeps no log.
    pub(crate) fn unlearn(&mut self, id: TermId) {
        let root = self.store.root(id);
        let unknown = Term::hole(self.store.head(root).kind());
        self.store.bind(root, unknown, root, self.store.made_by(root), &[]);
    }

    /// What a failed relation should have determined becomes an error, so that nothing else is reported about it.
    fn spoil_outputs(&mut self, id: RelationId) {
        let posted = &self.relations[id.number() as usize];
        let (args, cause) = (posted.args.clone(), posted.cause);
        // An equation determines any of its parts.
        let first = if posted.relation.is(&FUNCTION) { 0 } else { posted.n_inputs() };
        for mut output in args[first..].iter().copied() {
            // That it is a tensor may have been found out before it failed.
            if let Term::Tensor { shape, .. } = self.head(output) {
                output = shape;
            }
            self.spoil(output, cause);
        }
    }

    /// Makes an error of what is unknown, so that nothing is reported about it.
    pub fn spoil(&mut self, id: TermId, cause: Cause) {
        let head = self.head(id);
        if head.is_hole() {
            self.bind_from(self.store.root(id), Term::Error(head.kind()), id, cause);
        }
    }

    pub(crate) fn finish_step(&mut self, id: RelationId, outcome: Outcome) {
        match outcome {
            Outcome::Solved => self.relations[id.number() as usize].state = State::Solved,
            Outcome::Failed => self.relations[id.number() as usize].state = State::Failed,
            Outcome::Waits(waits) => self.enter_wait(id, waits),
        }
    }

    pub(crate) fn enter_wait(&mut self, id: RelationId, waits: Vec<TermId>) {
        for &root in &waits {
            let watching = self.watchers.entry(root).or_default();
            let at = watching.partition_point(|&other| other < id);
            watching.insert(at, id);
        }
        self.relations[id.number() as usize].state = State::Waiting(waits);
    }

    /// Ends a relation's waiting and returns what it waited for.
    pub(crate) fn leave_wait(&mut self, id: RelationId) -> Vec<TermId> {
        let State::Waiting(waits) = std::mem::replace(&mut self.relations[id.number() as usize].state, State::Queued)
        else {
            return Vec::new();
        };
        for root in &waits {
            if let Some(watching) = self.watchers.get_mut(root)
                && let Ok(at) = watching.binary_search(&id)
            {
                watching.remove(at);
                if watching.is_empty() {
                    self.watchers.remove(root);
                }
            }
        }
        waits
    }

    /// Moves the relations that wait on any of `roots` to the front of the queue.
    fn wake(&mut self, roots: &[TermId]) -> Vec<Woken> {
        if self.watchers.is_empty() {
            return Vec::new();
        }
        let mut ids = Vec::new();
        for root in roots {
            // Nobody waits for it any more: to take one after the other out of a long list would be work for each of them.
            if let Some(watching) = self.watchers.remove(root) {
                ids.extend_from_slice(&watching);
            }
        }
        base::sort(&mut ids);
        ids.dedup();
        let woken: Vec<Woken> =
            ids.into_iter().map(|relation| Woken { relation, waits: self.leave_wait(relation) }).list();
        for Woken { relation, .. } in woken.iter().rev() {
            self.queue.push_front(*relation);
        }
        woken
    }

    /// Tells the class of the root `id` something.
    pub(crate) fn bind(&mut self, id: TermId, new: Term, cause: Cause) {
        self.bind_from(id, new, id, cause);
    }

    /// As [`bind`](Self::bind), with the cell that the term was first said of.
    pub(crate) fn bind_from(&mut self, id: TermId, new: Term, source: TermId, cause: Cause) {
        let woken = self.wake(&[id]);
        self.store.bind(id, new, source, cause, &woken);
    }

    /// Makes the classes of these roots one, since the two `cells` in them are equal.
    pub(crate) fn link(&mut self, child: TermId, parent: TermId, cells: (TermId, TermId), cause: Cause) {
        // Of two unknown shapes, dims or dtypes that turn out to be one, who waits for the parent alone hears nothing new:
        // whoever compares the two waits for both. Rows grow by being linked.
        let is_unknown = |root: &TermId| {
            let head = self.store.head(*root);
            head.is_hole() && matches!(head.kind(), Kind::Shape | Kind::Dim | Kind::BaseType)
        };
        let both = [child, parent];
        let n_told = if both.iter().all(is_unknown) { 1 } else { 2 };
        let woken = self.wake(&both[..n_told]);
        self.store.link(child, parent, cells, cause, &woken);
    }
}

impl Terms for Solver {
    fn root(&self, id: TermId) -> TermId {
        self.store.root(id)
    }

    fn head(&self, id: TermId) -> Term {
        self.store.head(id)
    }

    fn items(&self, list: List) -> &[TermId] {
        self.store.items(list)
    }

    fn poly(&self, id: PolyId) -> &Poly<Atom> {
        self.store.poly(id)
    }
}

/// What one running relation sees.
struct View<'a> {
    solver: &'a mut Solver,
    args: Args,
    attrs: Arc<Attrs>,
    n_inputs: usize,
    cause: Cause,
    asserted: bool,
}

impl Facts for View<'_> {
    fn args(&self) -> &[TermId] {
        &self.args
    }

    fn attrs(&self) -> &Arc<Attrs> {
        &self.attrs
    }

    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn peek(&self, id: TermId) -> Term {
        self.solver.head(id)
    }

    fn items(&self, list: List) -> &[TermId] {
        self.solver.items(list)
    }

    fn same(&self, a: TermId, b: TermId) -> bool {
        let (a, b) = (self.solver.root(a), self.solver.root(b));
        a == b || (self.solver.head(a).is_param() && self.solver.head(a) == self.solver.head(b))
    }

    fn make(&mut self, term: Term) -> TermId {
        self.solver.fresh(term, self.cause)
    }

    fn make_like(&mut self, term: Term, other: TermId) -> TermId {
        let cause = self.solver.store.origin(other);
        self.solver.fresh(term, cause)
    }

    fn make_list(&mut self, items: &[TermId]) -> List {
        self.solver.charge(self.cause, items.len() / LIST_STEP);
        self.solver.store.list(items)
    }

    fn copies_itself(&mut self) -> bool {
        // Other copies that follow from the same cause end no more than that one.
        let is_endless = self.solver.endless.contains(&self.cause) || self.solver.contains_its_copy(self.args[0]);
        if is_endless && !self.solver.endless.contains(&self.cause) {
            self.solver.endless.push(self.cause);
        }
        is_endless
    }

    fn row(&self, row: TermId) -> (Vec<Variant>, TermId) {
        self.solver.row(row)
    }

    fn unify(&mut self, expected: TermId, found: TermId) -> Step {
        self.asserted = true;
        match self.solver.unify(expected, found, self.cause) {
            Ok(()) => Ok(()),
            Err((left, right)) => Err(Stop::fail(Reason::Unequal { expected, found, left, right })),
        }
    }

    fn poly(&self, id: PolyId) -> &Poly<Atom> {
        self.solver.store.poly(id)
    }

    fn intern(&mut self, poly: Poly<Atom>) -> PolyId {
        self.solver.charge(self.cause, poly.terms().len() / POLY_STEP);
        self.solver.store.intern(poly)
    }

    fn zeros(&self) -> &[Poly<Atom>] {
        &self.solver.zeros
    }

    fn post_with(&mut self, relation: RelationRef, args: &[TermId], attrs: Arc<Attrs>) {
        self.asserted = true;
        self.solver.charge(self.cause, 1);
        self.solver.post(relation, args, attrs, self.cause);
    }
}
