//! Anonymous sums: what patterns ask of them, the copies that `as` makes, and when their rows close.
//!
//! A variant, written or matched, is in an open row, so rows grow by unification. When a group has been solved a row is
//! closed with what it holds if a match takes it apart without a catch-all, or if no definition's type mentions it.
//! The others are generalised. A catch-all at a place is one there and for the places inside it, if the arms that have
//! it take all that comes there (`cover`): `_` after `` (`A, 1) ``, but not that of `(_, Nil)` after `` (Cons(`A, _),
//! _) ``.
//!
//! Worked example: `match(%x) { `A => 1, `B(_) => 2 }` gives `%x` the type `[`A, `B(t) | r]`. At the root there is no
//! catch-all, so `r` closes; at the field of `B` there is one, so `t` stays as it is.

use crate::Inferred;
use crate::cover::takes_any;
use crate::group::Member;
use crate::walk::Inference;
use crate::why::Why;
use base::{Append, Edited, HashMap, HashSet, ToList};
use hir::{CtorId, ExprId, LocalId, Module, PatId, PatKind};
use solve::{Cause, RelationId, Solver, State, Trace};
use ty::{Attrs, COPY, Kind, List, Printed, Term, TermId, Terms, VariantId};

/// How a field of a value is reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    Ctor(CtorId, usize),
    Variant(VariantId, usize),
    Tuple(usize),
}

impl Step {
    fn sibling(self, i: usize) -> Step {
        match self {
            Step::Ctor(ctor, _) => Step::Ctor(ctor, i),
            Step::Variant(name, _) => Step::Variant(name, i),
            Step::Tuple(_) => Step::Tuple(i),
        }
    }
}

/// A place in the value that a match takes apart, by its number among all places of the group.
pub(crate) type PlaceId = usize;

struct Place {
    term: TermId,
    /// The place that this is a field of and how; a root has none.
    within: Option<(PlaceId, Step)>,
    /// A pattern asks for a variant here.
    takes_apart: bool,
    /// A pattern takes everything here.
    catches_all: bool,
    /// A pattern takes everything here, whatever is beside the way to here.
    covers: bool,
}

impl Place {
    fn new(term: TermId, within: Option<(PlaceId, Step)>) -> Place {
        Place { term, within, takes_apart: false, catches_all: false, covers: false }
    }
}

/// How many cells of patterns are looked at in a group to see what arms take together. Beyond it rows close.
const MAX_CELLS: usize = 1 << 19;

/// The places of the matches of a group.
#[derive(Default)]
pub(crate) struct Places {
    /// Nothing is noted in a program without sums.
    is_on: bool,
    places: Vec<Place>,
    roots: HashMap<ExprId, PlaceId>,
    /// By root, the patterns of the arms.
    arms: HashMap<PlaceId, Vec<PatId>>,
    fields: HashMap<(PlaceId, Step), PlaceId>,
}

impl Places {
    pub(crate) fn new(is_on: bool) -> Places {
        Places { is_on, ..Places::default() }
    }

    pub(crate) fn root(&mut self, scrutinee: ExprId, term: TermId) -> PlaceId {
        let Places { places, roots, is_on, .. } = self;
        if !*is_on {
            return 0;
        }
        *roots.entry(scrutinee).or_insert_with(|| {
            places.push(Place::new(term, None));
            places.len() - 1
        })
    }

    pub(crate) fn field(&mut self, place: PlaceId, step: Step, term: TermId) -> PlaceId {
        let Places { places, fields, is_on, .. } = self;
        if !*is_on {
            return 0;
        }
        *fields.entry((place, step)).or_insert_with(|| {
            places.push(Place::new(term, Some((place, step))));
            places.len() - 1
        })
    }

    pub(crate) fn catch_all(&mut self, place: PlaceId) {
        if let Some(place) = self.places.get_mut(place) {
            place.catches_all = true;
        }
    }

    pub(crate) fn take_apart(&mut self, place: PlaceId) {
        if let Some(place) = self.places.get_mut(place) {
            place.takes_apart = true;
        }
    }

    /// Notes where an arm takes everything whatever is beside the way there. Its places have been made.
    pub(crate) fn cover(&mut self, module: &Module, pat: PatId, root: PlaceId) {
        if !self.is_on {
            return;
        }
        self.arms.entry(root).or_default().push(pat);
        let mut pending = vec![(pat, root)];
        while let Some((pat, place)) = pending.pop() {
            let (fields, first) = match &module.pats[pat].kind {
                PatKind::Error | PatKind::Wild | PatKind::Var(_) => {
                    self.places[place].covers = true;
                    continue;
                }
                PatKind::As(inner, _) => {
                    pending.push((*inner, place));
                    continue;
                }
                PatKind::Or(alternatives) => {
                    pending.append_all(alternatives.iter().map(|&alternative| (alternative, place)));
                    continue;
                }
                PatKind::Literal(..) => continue,
                PatKind::Ctor(ctor, fields) => (fields, Step::Ctor(*ctor, 0)),
                PatKind::Variant(name, fields) => (fields, Step::Variant(*name, 0)),
                PatKind::Tuple(fields) => (fields, Step::Tuple(0)),
            };
            let partial: Vec<usize> = (0..fields.len()).filter(|&i| !takes_all(module, fields[i])).list();
            for (i, &field) in fields.iter().enumerate().filter(|(i, _)| partial.iter().all(|at| at == i)) {
                pending.append_all(self.fields.get(&(place, first.sibling(i))).map(|&inner| (field, inner)));
            }
        }
    }

    /// The sums that matches take apart without taking whatever else is there.
    fn closed(self, module: &Module) -> Vec<TermId> {
        // Whether an arm takes everything at a place, and whether one does so for certain. A place stands behind the
        // one that it is in.
        let mut is_taken: Vec<(bool, bool)> = Vec::with_capacity(self.places.len());
        let mut closed = Vec::new();
        let mut fuel = MAX_CELLS;
        for (at, place) in self.places.iter().enumerate() {
            let (is_caught, is_covered) = place.within.map_or((false, false), |(outer, _)| is_taken[outer]);
            let (is_caught, is_covered) = (is_caught || place.catches_all, is_covered || place.covers);
            let mut is_open = || is_covered || (is_caught && self.takes_any(module, at, &mut fuel));
            if place.takes_apart && !is_open() {
                closed.push(place.term);
            }
            is_taken.push((is_caught, is_covered));
        }
        closed
    }

    /// Whether arms that take everything around a place take all together everything that comes there.
    fn takes_any(&self, module: &Module, mut place: PlaceId, fuel: &mut usize) -> bool {
        let mut way = Vec::new();
        while let Some((outer, step)) = self.places[place].within {
            way.push(step);
            place = outer;
        }
        way.reverse();
        self.arms.get(&place).is_some_and(|arms| takes_any(module, arms, &way, fuel))
    }
}

/// Whether a pattern takes every value of its type.
fn takes_all(module: &Module, pat: PatId) -> bool {
    let mut pending = vec![pat];
    while let Some(pat) = pending.pop() {
        match &module.pats[pat].kind {
            PatKind::Error | PatKind::Wild | PatKind::Var(_) => {}
            PatKind::As(inner, _) => pending.push(*inner),
            PatKind::Tuple(fields) => pending.extend_from_slice(fields),
            PatKind::Ctor(ctor, fields) if module.adts[module.ctors[*ctor].adt].ctors.len() == 1 => {
                pending.extend_from_slice(fields)
            }
            PatKind::Ctor(..) | PatKind::Variant(..) | PatKind::Or(_) | PatKind::Literal(..) => return false,
        }
    }
    true
}

/// What alternatives at one place take of the values there.
enum Taken {
    /// Everything, as this one does.
    Whole(PatId),
    /// By field, the patterns.
    Tuple(Vec<Vec<PatId>>),
    /// By name: the first pattern that asks for it, and by field the patterns.
    Variants(Vec<(VariantId, PatId, Vec<Vec<PatId>>)>),
}

impl Taken {
    fn by(module: &Module, mut alternatives: Vec<PatId>) -> Taken {
        let mut at = 0;
        while let Some(&pat) = alternatives.get(at) {
            match &module.pats[pat].kind {
                PatKind::As(inner, _) => alternatives[at] = *inner,
                PatKind::Or(more) => alternatives.replace(at, more.clone()),
                _ => at += 1,
            }
        }
        let mut variants: Vec<(VariantId, PatId, Vec<Vec<PatId>>)> = Vec::new();
        let mut place_of: HashMap<VariantId, usize> = HashMap::default();
        let mut tuple: Vec<Vec<PatId>> = Vec::new();
        for &pat in &alternatives {
            let (fields, columns) = match &module.pats[pat].kind {
                PatKind::Variant(name, fields) => {
                    let at = *place_of.entry(*name).or_insert_with(|| {
                        variants.push((*name, pat, base::filled(Vec::new(), fields.len())));
                        variants.len() - 1
                    });
                    (fields, &mut variants[at].2)
                }
                PatKind::Tuple(fields) => {
                    tuple.resize(fields.len(), Vec::new());
                    (fields, &mut tuple)
                }
                _ => return Taken::Whole(pat),
            };
            fields.iter().zip(columns).for_each(|(&field, column)| column.push(field));
        }
        if variants.is_empty() { Taken::Tuple(tuple) } else { Taken::Variants(variants) }
    }
}

/// The type of the values that fit a pattern: `whole` says what is at a place where one takes everything, `rest` ends
/// the rows, and `asks` says why a variant is in one.
fn refinement(
    solver: &mut Solver,
    module: &Module,
    pat: PatId,
    rest: Term,
    cause: Cause,
    mut asks: impl FnMut(PatId) -> Cause,
    whole: impl Fn(&mut Solver, PatId, TermId),
) -> TermId {
    let root = solver.fresh(Term::hole(Kind::Type), cause);
    let mut pending = vec![(vec![pat], root)];
    while let Some((alternatives, place)) = pending.pop() {
        let mut holes = |solver: &mut Solver, columns: Vec<Vec<PatId>>| {
            let holes: Vec<TermId> = columns.iter().map(|_| solver.fresh(Term::hole(Kind::Type), cause)).list();
            pending.append_all(columns.into_iter().zip(holes.iter().copied()));
            holes
        };
        let term = match Taken::by(module, alternatives) {
            Taken::Whole(pat) => {
                whole(solver, pat, place);
                continue;
            }
            Taken::Tuple(columns) => {
                let fields = holes(solver, columns);
                solver.tuple(&fields, cause)
            }
            Taken::Variants(variants) => {
                let mut row = solver.fresh(rest, cause);
                for (name, pat, columns) in variants.into_iter().rev() {
                    let origin = asks(pat);
                    let fields = holes(solver, columns);
                    let fields = solver.store.list(&fields);
                    row = solver.fresh(Term::Row { variant: name, fields, rest: row }, origin);
                }
                solver.fresh(Term::Sum(row), cause)
            }
        };
        solver.equal(place, term, cause);
    }
    root
}

impl Inferred {
    /// The type of the values that reach a pattern and fit it, once everything is known: the matched type restricted to
    /// what the pattern asks for.
    pub fn print_refined(&self, module: &Module, pat: PatId) -> Printed {
        let here = Cause(0);
        let mut solver = self.solver.beginning(Trace::off());
        let whole = |solver: &mut Solver, pat: PatId, place: TermId| {
            if let Some(matched) = self.pats[pat] {
                solver.equal(place, matched, here);
            }
        };
        let term = refinement(&mut solver, module, pat, Term::EmptyRow, here, |_| here, whole);
        solver.solve();
        ty::print_term(&solver, &self.names(module), term)
    }
}

impl Inference<'_> {
    /// Whether the program has anonymous sums at all.
    pub(crate) fn has_sums(&self) -> bool {
        !self.module.variants.is_empty()
    }

    /// `[name(fields) | _]`.
    pub(crate) fn open_sum(&mut self, name: VariantId, fields: &[TermId], cause: Cause) -> TermId {
        let rest = self.solver.fresh(Term::hole(Kind::Row), cause);
        let fields = self.solver.store.list(fields);
        let row = self.solver.fresh(Term::Row { variant: name, fields, rest }, cause);
        self.solver.fresh(Term::Sum(row), cause)
    }

    /// The types of a variant's fields in what is known of a sum.
    pub(crate) fn known_variant(&mut self, sum: TermId, name: VariantId, n_fields: usize) -> Option<Vec<TermId>> {
        let Term::Sum(row) = self.solver.head(sum) else { return None };
        let fields = self.solver.fields_in_row(row, name)?;
        (fields.len as usize == n_fields).then(|| self.solver.items(fields).to_vec())
    }

    /// The type of the variable of `p as %x`: a copy of what `p` can match, which may have more.
    pub(crate) fn refined(&mut self, pat: PatId, local: LocalId) -> TermId {
        let cause = self.cause(Why::Variable(local));
        let Inference { solver, whys, pats, .. } = self;
        let asks = |pat| {
            whys.push(Why::Pattern(pat));
            Cause(whys.len() as u32 - 1)
        };
        let whole = |solver: &mut Solver, pat: PatId, copy: TermId| {
            if let Some(matched) = pats[pat] {
                solver.post(&COPY, &[matched, copy], Attrs::none(), cause);
            }
        };
        refinement(solver, self.module, pat, Term::hole(Kind::Row), cause, asks, whole)
    }

    /// Closes the rows of a solved group that do not stay open, and ends the copies of what is still unknown.
    pub(crate) fn close_rows(&mut self, group: &[Member], first_term: usize, first_relation: usize) {
        if !self.has_sums() {
            return;
        }
        let closed = std::mem::replace(&mut self.places, Places::new(true)).closed(self.module);
        let Some(&member) = group.first() else { return };
        let cause = self.cause(Why::Function(member.function(self.module)));
        let mut ended: HashSet<RelationId> = HashSet::default();
        let mut joined: HashSet<(TermId, TermId)> = HashSet::default();
        loop {
            let mut learned = self.join_repeated(first_term, &mut joined, cause);
            for &term in &closed {
                if let Term::Sum(row) = self.solver.head(term) {
                    learned |= self.close(row, cause);
                }
            }
            self.solver.solve();
            // What a definition's type mentions stays unknown unless it is shared, and so does its copy.
            let quantified = group.iter().filter(|&&member| self.may_quantify(member));
            let roots: Vec<TermId> = quantified.filter_map(|&member| self.member_type(member)).list();
            let mut mentioned: HashSet<TermId> = self.solver.holes(&roots).into_iter().collect();
            // So does what its conditions give.
            let is_waiting = |id: &RelationId| self.is_open(*id) && !self.solver.relation(*id).relation.is(&COPY);
            let waiting: Vec<RelationId> = self.relations(first_relation).filter(is_waiting).list();
            for relation in roots.iter().flat_map(|&root| self.determined_by(root, &waiting)) {
                mentioned.extend(self.solver.holes(&self.solver.relation(relation).args));
            }
            if !mentioned.is_empty() {
                let shared = self.shared_holes(group);
                mentioned.retain(|hole| !shared.contains(hole));
            }
            let is_kept = |cx: &Self, from: TermId| {
                matches!(cx.solver.head(from), Term::Param(..)) || mentioned.contains(&cx.solver.root(from))
            };
            if self.end_copies(first_relation, &mut ended, is_kept) {
                continue;
            }
            for row in self.rows(first_term) {
                let rest = self.solver.row(row).1;
                learned |= !mentioned.contains(&rest) && self.close(row, cause);
            }
            self.solver.solve();
            if !learned && !self.end_copies(first_relation, &mut ended, |_, _| true) {
                return;
            }
        }
    }

    /// The rows of the sums among the cells from `first` on and in what is shared.
    fn rows(&self, first: usize) -> Vec<TermId> {
        let ids = (first..self.solver.store.len()).map(|i| TermId::numbered(i as u32));
        let row = |id: TermId| match self.solver.head(id) {
            Term::Sum(row) if self.solver.root(id) == id => Some(row),
            _ => None,
        };
        let older = self.solver.roots_where(&self.shared.terms, |term| matches!(term, Term::Sum(_)));
        older.into_iter().chain(ids).filter_map(row).list()
    }

    /// A parameter or an unknown may have been given a variant that stands before it: the fields of both are the same.
    /// What cannot be made the same is told once. Whether there was anything new.
    fn join_repeated(&mut self, first_term: usize, joined: &mut HashSet<(TermId, TermId)>, cause: Cause) -> bool {
        // After a failure rows may be in the middle of something.
        if self.solver.failures.len() > self.n_reported {
            return false;
        }
        let mut equal: Vec<(TermId, TermId)> = Vec::new();
        for row in self.rows(first_term) {
            let mut fields_of: HashMap<VariantId, List> = HashMap::default();
            for variant in self.solver.row(row).0 {
                let first = *fields_of.entry(variant.name).or_insert(variant.fields);
                let (first, again) = (self.solver.items(first), self.solver.items(variant.fields));
                let pairs = first.iter().copied().zip(again.iter().copied());
                let is_new =
                    |&(a, b): &(TermId, TermId)| self.solver.root(a) != self.solver.root(b) && joined.insert((a, b));
                equal.append_all(pairs.filter(is_new));
            }
        }
        let found = !equal.is_empty();
        for (first, again) in equal {
            self.solver.equal(first, again, cause);
        }
        self.solver.solve();
        found
    }

    /// Ends a row that may grow with what it holds; whether it could.
    fn close(&mut self, row: TermId, cause: Cause) -> bool {
        let rest = self.solver.row(row).1;
        if self.solver.head(rest) != Term::hole(Kind::Row) {
            return false;
        }
        let end = self.solver.fresh(Term::EmptyRow, cause);
        self.solver.equal(end, rest, cause);
        self.solver.solve();
        true
    }

    /// Equates waiting copies with what they copy, where that is to stay unknown; whether there were any.
    fn end_copies(
        &mut self,
        first_relation: usize,
        ended: &mut HashSet<RelationId>,
        is_kept: impl Fn(&Self, TermId) -> bool,
    ) -> bool {
        let n_ended = ended.len();
        for id in (first_relation..self.solver.relations().len()).map(|i| RelationId::numbered(i as u32)) {
            let posted = self.solver.relation(id);
            let (is_copy, cause) = (posted.relation.is(&COPY), posted.cause);
            if !is_copy || !matches!(posted.state, State::Waiting(_)) {
                continue;
            }
            let (from, mut to) = (posted.args[0], posted.args[1]);
            if !is_kept(self, from) || !ended.insert(id) {
                continue;
            }
            if self.solver.head(from).kind() == Kind::Row {
                to = self.solver.row(to).1;
            }
            self.solver.equal(from, to, cause);
            self.solver.solve();
        }
        ended.len() > n_ended
    }
}
