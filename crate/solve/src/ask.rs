//! What a rule computes, found by asking it.
//!
//! A rule is code, and does not say from which dims it computed one. So it runs once more in a solver of its own with
//! parameters in the place of its operands' dims, and the dim that it makes is a polynomial over those ([`Formula`]).
//! Where it cannot hold for all that those may stand for, the dims that matter are found one by one.
//!
//! Worked example: asked with `(a, b, c)` for the shape of its operand, flattening makes `(a, b · c)`.

use crate::derive::{Graph, MAX_DIMS, MAX_NODES, Place, part};
use crate::formula::{Formula, Given, Token, formula, value};
use crate::solver::{Args, Posted, RelationId, Solver};
use crate::store::Cause;
use crate::trace::Trace;
use base::{Edited, HashMap, ToList};
use ty::{Dim, Extent, Kind, ParamId, Term, TermId, Terms};

/// At most this many dims that keep another from being known are named.
const MAX_ANY: usize = 4;

impl Graph<'_> {
    /// From what a relation computed a term that it made.
    pub(crate) fn computed(&self, relation: RelationId, cell: TermId) -> (Option<Formula>, Vec<Place>) {
        let solver = self.solver;
        let posted = solver.relation(relation);
        let n_inputs = posted.n_inputs();
        let inputs = &posted.args[..n_inputs];
        let is_known = |arg: &&TermId| !solver.head(**arg).is_hole();
        match solver.head(cell).kind() {
            Kind::Dim => {}
            Kind::BaseType => return (None, Vec::new()),
            kind @ (Kind::Shape | Kind::Type | Kind::Row) => {
                // Of an operand it is known from the others.
                let own = |arg: TermId| self.locate(arg, cell).is_some();
                let is_result = posted.args[n_inputs..].iter().any(|&arg| own(arg));
                let is_known = |arg: &&TermId| is_known(arg) && (is_result || !own(**arg));
                let premise = |&arg: &TermId| match (kind, solver.head(arg)) {
                    (Kind::Shape, Term::Tensor { .. }) => Place::new(arg, &[0]),
                    _ => Place::new(arg, &[]),
                };
                return (None, inputs.iter().filter(is_known).map(premise).list());
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
                dims.keep(|dim| !own(dim));
            }
        }
        let is_any = |id: TermId| matches!(solver.head(id), Term::Dim(dim) if dim.dynamic);
        if is_any(cell) {
            dims.keep(|&(_, dim)| is_any(dim));
            let all: Vec<usize> = (0..dims.len()).list();
            // If they were known, would this be known?
            let made = self.run(posted, at, &path, &dims, &all).flatten();
            let scratch = self.scratch.borrow();
            let is_still = made.zip(scratch.as_ref()).is_some_and(|(made, scratch)| match scratch.head(made) {
                Term::Dim(dim) => dim.dynamic,
                _ => false,
            });
            let from = if is_still { 0 } else { MAX_ANY };
            return (None, dims.into_iter().take(from).map(|(place, _)| place).list());
        }
        dims.keep(|&(_, dim)| !is_any(dim) && !solver.head(dim).is_hole());
        if dims.len() > MAX_DIMS {
            return (None, Vec::new());
        }
        let all: Vec<usize> = (0..dims.len()).list();
        let mut answer = self.ask(posted, at, &path, &dims, &all);
        if !matches!(answer, Answer::Computed(..)) {
            // Which of them matter is found out one by one.
            let matters = |one: usize| match self.ask(posted, at, &path, &dims, &[one]) {
                Answer::Computed(_, used) => !used.is_empty(),
                Answer::Open => true,
                Answer::Clash => false,
            };
            let some: Vec<usize> = all.into_iter().filter(|&one| matters(one)).list();
            answer = self.ask(posted, at, &path, &dims, &some);
            if !matches!(answer, Answer::Computed(..)) {
                return (None, some.into_iter().map(|one| dims[one].0.clone()).list());
            }
        }
        match answer {
            Answer::Computed(formula, used) if !used.is_empty() => {
                (Some(formula), used.into_iter().map(|one| dims[one].0.clone()).list())
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
    fn ask(&self, posted: &Posted, at: usize, path: &[u32], dims: &[(Place, TermId)], chosen: &[usize]) -> Answer {
        match self.run(posted, at, path, dims, chosen) {
            Some(made) => {
                let wanted = self.at(&Place::new(posted.args[at], path)).and_then(|dim| self.number(dim));
                self.read(made, wanted, dims, chosen).unwrap_or(Answer::Open)
            }
            None => Answer::Clash,
        }
    }

    fn number(&self, dim: TermId) -> Option<i64> {
        match self.solver.head(dim) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => Some(number),
            _ => None,
        }
    }

    /// What was made at the place; `None` if the relation cannot hold so.
    fn run(
        &self,
        posted: &Posted,
        at: usize,
        path: &[u32],
        dims: &[(Place, TermId)],
        chosen: &[usize],
    ) -> Option<Option<TermId>> {
        let solver = self.solver;
        let mut scratch = self.scratch.borrow_mut();
        let scratch = scratch.get_or_insert_with(|| solver.beginning(Trace::off()));
        scratch.forget();
        let mut copies: HashMap<TermId, TermId> = HashMap::default();
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
    fn read(
        &self,
        made: Option<TermId>,
        wanted: Option<i64>,
        dims: &[(Place, TermId)],
        chosen: &[usize],
    ) -> Option<Answer> {
        let scratch = self.scratch.borrow();
        let scratch = scratch.as_ref()?;
        let Term::Dim(dim @ Dim { dynamic: false, .. }) = scratch.head(made?) else { return None };
        let poly = scratch.dim_poly(dim)?;
        let given = |(n, &one): (usize, &usize)| (stand_in(n), (one, self.number(dims[one].1)));
        let given: Given = chosen.iter().enumerate().map(given).collect();
        // What it computes of numbers may be another thing than what it computes of all that they may stand for.
        if value(scratch, &poly, &given).zip(wanted).is_some_and(|(found, wanted)| found != wanted) {
            return None;
        }
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
    ParamId::numbered(ParamId::BOUND.number() - ParamId::N_BOUND + n as u32)
}
/// A copy of a type in another solver that began as a copy of the first, with `copies` for some cells of it.
fn copied(
    from: &Solver,
    to: &mut Solver,
    root: TermId,
    copies: &mut HashMap<TermId, TermId>,
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
