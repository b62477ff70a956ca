//! The end of a group: errors are collected, what is unknown is generalised.
//!
//! A waiting relation goes into a definition's scheme when the unknowns of its inputs are determined by the
//! definition's type: they occur in it, or are outputs of relations that went in before. Any other waiting relation is
//! under-constrained, as is every one in a top-level `let` or expression.
//!
//! Worked example: `def @f(%x, %y) { %x.0 + %y }` has `fn(a, Tensor[s, t]) -> Tensor[r, t]` with `TupleGetItem(a, b)`
//! and, since `b` is determined, `Broadcast(q, s, r)` where `b = Tensor[q, t]`.

use crate::TypeNames;
use crate::error::TypeError;
use crate::group::Member;
use crate::walk::Inference;
use crate::why::Why;
use rustc_hash::{FxHashMap, FxHashSet};
use solve::{Cause, Log, Posted, RelationId, State};
use std::sync::Arc;
use ty::{
    Dim, Extent, FUNCTION, Function, Kind, List, Obligation, ParamId, Poly, RelationRef, Scheme, Term, TermId, Terms,
};

/// More obligations than this stay in the order in which they arose.
const MAX_ORDERED: usize = 64;

/// A term of more parts than this is compared by its class.
const MAX_KEY: usize = 64;

/// What relations are compared by.
type Key = Vec<(Option<Term>, TermId)>;

/// A relation, by its address, and its inputs.
type Question = ((usize, usize), Vec<Key>);

/// A broadcast of more shapes than this is not compared with others.
const MAX_JOINED: usize = 16;

impl<L: Log> Inference<'_, L> {
    /// The waiting broadcasts of shapes with their operands and result, each behind those that give it an operand.
    fn open_broadcasts(&self, first_relation: usize) -> Vec<(RelationId, [TermId; 3])> {
        let ids = (first_relation..self.solver.relations().len()).map(|i| RelationId(i as u32));
        let mut open: Vec<(RelationId, [TermId; 3])> = ids
            .filter(|&id| self.solver.relation(id).relation.is(op::broadcast_of_shapes()) && self.is_open(id))
            .filter_map(|id| {
                let shapes = <[TermId; 3]>::try_from(&self.solver.relation(id).args[..]).ok()?;
                Some((id, shapes.map(|shape| self.solver.root(shape))))
            })
            .collect();
        let mut ordered = Vec::with_capacity(open.len());
        let mut pending: FxHashMap<TermId, usize> = FxHashMap::default();
        for (_, [.., result]) in &open {
            *pending.entry(*result).or_default() += 1;
        }
        loop {
            let n_open = open.len();
            open.retain(|&(id, shapes @ [left, right, result])| {
                let own = |operand: TermId| usize::from(operand == result);
                let is_ready = |operand: TermId| pending.get(&operand).is_none_or(|&n| n <= own(operand));
                let ready = is_ready(left) && is_ready(right);
                if ready {
                    ordered.push((id, shapes));
                    pending.entry(result).and_modify(|n| *n -= 1);
                }
                !ready
            });
            if open.len() == n_open {
                ordered.append(&mut open);
                return ordered;
            }
        }
    }

    /// Broadcasts of the same shapes are the same shape, in whatever order and however often each is taken: the
    /// operation is associative, commutative and idempotent. Whether something was learned.
    fn join_broadcasts(&mut self, first_relation: usize) -> bool {
        let mut shapes_of: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
        let mut known: FxHashMap<Vec<TermId>, TermId> = FxHashMap::default();
        let mut equal = Vec::new();
        for (id, [left, right, result]) in self.open_broadcasts(first_relation) {
            let posted = self.solver.relation(id);
            let mut all: Vec<TermId> = Vec::new();
            for operand in [left, right] {
                match shapes_of.get(&operand) {
                    Some(shapes) => all.extend(shapes),
                    None => all.push(operand),
                }
            }
            base::sort(&mut all);
            all.dedup();
            if all.len() > MAX_JOINED {
                continue;
            }
            let same = [left, right].into_iter().find(|operand| shapes_of.get(operand) == Some(&all));
            match same.or_else(|| known.get(&all).copied()) {
                // Once: what cannot be equal has been told.
                Some(other) if other != result => {
                    if self.joined.insert(id) {
                        equal.push((other, result, posted.cause));
                    }
                }
                Some(_) if same.is_some() => drop(self.implied.insert(id)),
                Some(_) => {}
                None => drop(known.insert(all.clone(), result)),
            }
            shapes_of.entry(result).or_insert(all);
        }
        let learned = !equal.is_empty();
        for (expected, found, cause) in equal {
            self.solver.equal(expected, found, cause);
        }
        learned
    }

    pub(crate) fn finish_group(&mut self, group: &[Member], first_term: usize, first_relation: usize, n_errors: usize) {
        self.close_rows(group, first_term, first_relation);
        self.merge_equal_relations(first_relation);
        let cycles = self.solver.cycles(first_term);
        for (term, cause) in &cycles {
            self.errors.push(TypeError::Infinite { term: *term, cause: *cause });
        }
        self.solver.solve();
        let mut failures = self.solver.failures[self.n_reported..].to_vec();
        self.n_reported = self.solver.failures.len();
        // One mistake may break several relations of one call.
        let mut told: FxHashSet<Cause> = FxHashSet::default();
        failures.retain(|failure| told.insert(self.solver.relation(failure.relation).cause));
        let is_sound = failures.is_empty() && self.errors.len() == n_errors;
        self.errors.extend(failures.into_iter().map(TypeError::Failed));

        self.settle_dynamic(first_relation);
        let waiting: Vec<RelationId> = (first_relation..self.solver.relations().len())
            .map(|i| RelationId(i as u32))
            .filter(|id| self.is_open(*id) && !self.implied.contains(id) && !self.is_assumed(*id))
            .collect();
        let mut taken: FxHashSet<RelationId> = FxHashSet::default();
        let mut chosen: Vec<(Member, Vec<RelationId>)> = Vec::new();
        for &member in group {
            let relations = match (member, self.member_type(member)) {
                (Member::Def(_), Some(term)) => self.determined_by(term, &waiting),
                _ => Vec::new(),
            };
            taken.extend(&relations);
            chosen.push((member, relations));
        }
        if is_sound {
            for &relation in waiting.iter().filter(|id| taken.contains(id)) {
                if let Some(function) = self.clause_around(group, relation) {
                    let posted = self.solver.relation(relation);
                    let (args, cause) = (posted.args.clone(), posted.cause);
                    let args = self.as_parameters(function, &args, cause);
                    self.errors.push(TypeError::NotAssumed { relation, args, function });
                }
            }
        }
        let mut stuck: Vec<RelationId> = waiting.iter().copied().filter(|id| !taken.contains(id)).collect();
        stuck.extend(self.undecided_by_any(first_relation));
        // After a failure what waits may wait for what failed.
        if is_sound {
            let mut told: FxHashSet<Cause> = FxHashSet::default();
            for &relation in &stuck {
                let posted = self.solver.relation(relation);
                let State::Waiting(waits) = &posted.state else { continue };
                // One type may ask for much at one place.
                if !told.insert(posted.cause) {
                    continue;
                }
                self.errors.push(TypeError::UnderConstrained { relation, waits: waits.clone() });
            }
        }
        self.quantify(group, &chosen, &waiting);
    }

    /// Whether a `where` clause says that the relation holds: it is one of its own, or asks for the same as one and so
    /// has been given its outputs.
    fn is_assumed(&self, id: RelationId) -> bool {
        if self.assumed.contains(&id) {
            return true;
        }
        let posted = self.solver.relation(id);
        self.assumed.iter().any(|&other| {
            let other = self.solver.relation(other);
            other.relation == posted.relation
                && other.attrs == posted.attrs
                && other.args.len() == posted.args.len()
                && other.args.iter().zip(posted.args.iter()).all(|(&a, &b)| self.is_same(a, b))
        })
    }

    /// Whether two terms are one class, or rigid and equal.
    fn is_same(&self, a: TermId, b: TermId) -> bool {
        self.key(a) == self.key(b)
    }

    /// What stands for a term when relations are compared: its form, with the roots of what is unknown in it and the
    /// parameters themselves. A term with many parts is only itself.
    fn key(&self, id: TermId) -> Key {
        let mut key = Key::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let (root, head) = (self.solver.root(id), self.solver.head(id));
            let bare = |list: List| List { start: 0, len: list.len };
            let none = TermId(0);
            let form = match head {
                Term::Hole(_) | Term::Error(_) => None,
                Term::Dim(dim) if dim.extent == Extent::Unknown => None,
                Term::Param(..) | Term::Slice { .. } | Term::EmptyRow | Term::Dim(_) | Term::Dtype(_) => Some(head),
                Term::Tensor { .. } => Some(Term::Tensor { shape: none, dtype: none }),
                Term::Tuple(list) => Some(Term::Tuple(bare(list))),
                Term::Shape(list) => Some(Term::Shape(bare(list))),
                Term::Splice(list) => Some(Term::Splice(bare(list))),
                Term::Func { params, .. } => Some(Term::Func { params: bare(params), result: none }),
                Term::Adt { adt, args } => Some(Term::Adt { adt, args: bare(args) }),
                Term::Forall { first, n, .. } => Some(Term::Forall { first, n, body: none }),
                Term::Ref(_) => Some(Term::Ref(none)),
                Term::Sum(_) => Some(Term::Sum(none)),
                Term::Row { variant, fields, .. } => Some(Term::Row { variant, fields: bare(fields), rest: none }),
            };
            if key.len() >= MAX_KEY {
                return vec![(None, self.solver.root(id))];
            }
            key.push((form, if form.is_some() { none } else { root }));
            self.solver.for_parts(head, |part| stack.push(part));
        }
        key
    }

    /// What is only asked of a `?` is decided when the program runs: an unknown that arithmetic relates to a `?` is one
    /// too, and so is a dim that a written relation would determine from one.
    fn settle_dynamic(&mut self, first_relation: usize) {
        loop {
            let mut unknown: Vec<(TermId, Cause)> = Vec::new();
            for id in (first_relation..self.solver.relations().len()).map(|i| RelationId(i as u32)) {
                let State::Waiting(waits) = &self.solver.relation(id).state else { continue };
                let posted = self.solver.relation(id);
                let is_any = |&term: &TermId| self.solver.head(term) == Term::Dim(Dim::ANY);
                let is_written = matches!(posted.relation, RelationRef::Written { .. });
                let (inputs, outputs) = posted.args.split_at(posted.n_inputs());
                let found = if posted.relation.is(&FUNCTION) && outputs.iter().all(is_any) {
                    inputs
                } else if is_written && waits.iter().any(is_any) && !self.is_open(id) {
                    // One without outputs, such as an `if`, may determine any of its arguments.
                    if outputs.is_empty() { inputs } else { outputs }
                } else {
                    continue;
                };
                let holes = found.iter().filter(|&&term| self.solver.head(term) == Term::Dim(Dim::UNKNOWN));
                unknown.extend(holes.map(|&term| (term, posted.cause)));
            }
            if unknown.is_empty() {
                return;
            }
            for (term, cause) in unknown {
                let any = self.solver.fresh(Term::Dim(Dim::ANY), cause);
                self.solver.equal(any, term, cause);
            }
            self.solver.solve();
        }
    }

    /// Written relations that wait for nothing but `?`, though a shape or type depends on them: that cannot be left to
    /// the run.
    fn undecided_by_any(&self, first_relation: usize) -> Vec<RelationId> {
        let ids = (first_relation..self.solver.relations().len()).map(|i| RelationId(i as u32));
        let is_undecided = |&id: &RelationId| {
            let posted = self.solver.relation(id);
            let waits = matches!(&posted.state, State::Waiting(waits) if !waits.is_empty());
            let is_written = matches!(posted.relation, RelationRef::Written { .. });
            let is_hole = |&output: &TermId| matches!(self.solver.head(output), Term::Hole(_));
            waits && is_written && !self.is_open(id) && posted.args[posted.n_inputs()..].iter().any(is_hole)
        };
        ids.filter(is_undecided).collect()
    }

    /// A relation determines its outputs: two that wait with the same inputs have the same ones, and are one.
    fn merge_equal_relations(&mut self, first_relation: usize) {
        let mut done: FxHashSet<RelationId> = FxHashSet::default();
        loop {
            let mut seen: FxHashMap<Question, Vec<RelationId>> = FxHashMap::default();
            let mut merged = Vec::new();
            let mut classes = FxHashMap::default();
            let mut polynomials: FxHashMap<Poly<usize>, RelationId> = FxHashMap::default();
            for id in (first_relation..self.solver.relations().len()).map(|i| RelationId(i as u32)) {
                if self.implied.contains(&id) || !self.is_open(id) {
                    continue;
                }
                let posted = self.solver.relation(id);
                let n_inputs = posted.n_inputs();
                if let Some(form) = self.normal_form(posted, &mut classes) {
                    match polynomials.get(&form) {
                        Some(&first) => merged.push((first, id)),
                        None => drop(polynomials.insert(form, id)),
                    }
                    continue;
                }
                let inputs: Vec<_> = posted.args[..n_inputs].iter().map(|&arg| self.key(arg)).collect();
                let same = seen.entry((posted.relation.address(), inputs)).or_default();
                let first = same.iter().find(|&&first| self.solver.relation(first).attrs == posted.attrs);
                match first {
                    Some(&first) => merged.push((first, id)),
                    None => same.push(id),
                }
            }
            let n_queued = self.solver.relations().len();
            merged.retain(|&(_, other)| done.insert(other));
            for (first, other) in merged {
                if !self.assumed.contains(&other) {
                    self.implied.insert(other);
                }
                let (first, other) = (self.solver.relation(first), self.solver.relation(other));
                let cause = other.cause;
                let (outputs, others) = (&first.args[first.n_inputs()..], &other.args[other.n_inputs()..]);
                let outputs = outputs.iter().copied().zip(others.iter().copied());
                for (expected, found) in outputs.collect::<Vec<_>>() {
                    if self.solver.root(expected) != self.solver.root(found) {
                        self.solver.equal(expected, found, cause);
                    }
                }
            }
            self.equate_polynomials(first_relation);
            if !self.join_broadcasts(first_relation) && self.solver.relations().len() == n_queued {
                return;
            }
            self.solver.solve();
        }
    }

    /// The normal form of a polynomial relation over classes; equal ones have equal values.
    fn normal_form(&self, posted: &Posted, classes: &mut FxHashMap<Key, usize>) -> Option<Poly<usize>> {
        let Some(Function::Polynomial(poly)) = Function::of(&posted.attrs) else { return None };
        poly.substitute(|&arg| {
            let arg = posted.args[arg as usize];
            if let Term::Dim(Dim { extent: Extent::Number(number), .. }) = self.solver.head(arg) {
                return Some(Poly::constant(number));
            }
            let next = classes.len();
            Some(Poly::atom(*classes.entry(self.key(arg)).or_insert(next)))
        })
    }

    /// Two polynomials that are the same unknown are equal, which may decide what neither does alone.
    fn equate_polynomials(&mut self, first_relation: usize) {
        let mut first_of: FxHashMap<TermId, RelationId> = FxHashMap::default();
        let mut pairs = Vec::new();
        for id in (first_relation..self.solver.relations().len()).map(|i| RelationId(i as u32)) {
            let posted = self.solver.relation(id);
            let is_polynomial = matches!(Function::of(&posted.attrs), Some(Function::Polynomial(_)));
            let Some(&result) = posted.args.last().filter(|_| is_polynomial) else { continue };
            let result = self.solver.root(result);
            if !self.solver.head(result).is_hole() || self.implied.contains(&id) || !self.is_open(id) {
                continue;
            }
            match first_of.get(&result) {
                Some(&first) => pairs.push((first, id)),
                None => drop(first_of.insert(result, id)),
            }
        }
        for (first, other) in pairs {
            if !self.equated.insert((first, other)) {
                continue;
            }
            let (left, right) = (self.solver.relation(first), self.solver.relation(other));
            let (Some(Function::Polynomial(a)), Some(Function::Polynomial(b))) =
                (Function::of(&left.attrs), Function::of(&right.attrs))
            else {
                continue;
            };
            let (left_args, right_args) = (&left.args[..left.n_inputs()], &right.args[..right.n_inputs()]);
            let shift = left_args.len() as u32;
            let difference = b.substitute(|&arg| Some(Poly::atom(arg + shift))).and_then(|b| a.minus(&b));
            let Some(difference) = difference else { continue };
            let mut args: Vec<TermId> = left_args.iter().chain(right_args).copied().collect();
            let cause = right.cause;
            args.push(self.solver.fresh(Term::Dim(Dim::number(0)), cause));
            let attrs = Function::Polynomial(difference).attrs();
            let posted = self.solver.post(&FUNCTION, &args, attrs, cause);
            self.implied.insert(posted);
        }
    }

    /// Whether a relation waits for something that inference was to find out. One that waits for nothing but `?`
    /// is checked when the program runs; one that waits for an error is not spoken of.
    fn is_open(&self, id: RelationId) -> bool {
        let State::Waiting(waits) = &self.solver.relation(id).state else { return false };
        let heads = waits.iter().map(|&wait| self.solver.head(wait));
        let mut open = false;
        for head in heads {
            match head {
                Term::Error(_) => return false,
                Term::Dim(dim) if dim.dynamic || matches!(dim.extent, Extent::Number(_)) => {}
                _ => open = true,
            }
        }
        open
    }

    pub(crate) fn member_type(&self, member: Member) -> Option<TermId> {
        match member {
            Member::Def(def) => self.mono_defs.get(&def).copied(),
            Member::Let(local, _) => self.locals[local],
            Member::Expr(_) => None,
        }
    }

    /// The waiting relations whose inputs a type determines. An equation determines either side from the other.
    fn determined_by(&self, term: TermId, waiting: &[RelationId]) -> Vec<RelationId> {
        if waiting.is_empty() {
            return Vec::new();
        }
        let mut known: FxHashSet<TermId> = self.solver.holes(&[term]).into_iter().collect();
        let mut open: Vec<RelationId> = waiting.to_vec();
        let mut found = Vec::new();
        loop {
            let n_open = open.len();
            open.retain(|&id| {
                let posted = self.solver.relation(id);
                let (inputs, outputs) = posted.args.split_at(posted.n_inputs());
                let are_known = |terms: &[TermId]| self.solver.holes(terms).iter().all(|hole| known.contains(hole));
                let is_invertible = matches!(
                    Function::of(&posted.attrs),
                    Some(Function::Polynomial(_) | Function::Concat | Function::Rank)
                );
                let determined = are_known(inputs) || (is_invertible && are_known(outputs));
                if determined {
                    known.extend(self.solver.holes(&posted.args));
                    found.push(id);
                }
                !determined
            });
            if open.len() == n_open {
                break;
            }
        }
        base::sort(&mut found);
        found
    }

    /// The equations `r = f(…)` whose result can be written instead of `r` once the rest are parameters: one for each
    /// `r`, none of which is defined by itself. With the classes of those `r`.
    fn definitions(&self, chosen: &[(Member, Vec<RelationId>)]) -> (FxHashSet<RelationId>, FxHashSet<TermId>) {
        let mut from: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
        let ids = chosen.iter().flat_map(|(_, relations)| relations);
        let joined: FxHashMap<TermId, &[TermId]> = ids
            .map(|&id| self.solver.relation(id))
            .filter(|posted| Function::of(&posted.attrs) == Some(&Function::Concat))
            .filter_map(|posted| posted.args.split_last().map(|(&shape, parts)| (self.solver.root(shape), parts)))
            .collect();
        let mut found = FxHashSet::default();
        for &id in chosen.iter().flat_map(|(_, relations)| relations) {
            let posted = self.solver.relation(id);
            let Some(&result) = posted.args.last().filter(|_| posted.relation.is(&FUNCTION)) else { continue };
            let results = self.defined_by(result);
            if results.is_empty() || results.iter().any(|result| from.contains_key(result)) {
                continue;
            }
            let mut reached = self.solver.holes(&posted.args[..posted.n_inputs()]);
            let mut at = 0;
            while let Some(&hole) = reached.get(at) {
                at += 1;
                let more = from.get(&hole).into_iter().flatten().copied();
                let more: Vec<TermId> = more.filter(|hole| !reached.contains(hole)).collect();
                reached.extend(more);
            }
            if !results.iter().any(|result| reached.contains(result)) && self.is_certain(posted, &joined) {
                from.extend(results.into_iter().map(|result| (result, reached.clone())));
                found.insert(id);
            }
        }
        (found, from.into_keys().collect())
    }

    /// The unknowns that an equation with this result defines: the result, or the dims of a shape of nothing else.
    pub(crate) fn defined_by(&self, result: TermId) -> Vec<TermId> {
        let results: Vec<TermId> = match self.solver.head(result) {
            Term::Shape(dims) => self.solver.items(dims).iter().map(|&dim| self.solver.root(dim)).collect(),
            _ => vec![self.solver.root(result)],
        };
        if results.iter().all(|&result| self.solver.head(result).is_hole()) { results } else { Vec::new() }
    }

    /// Whether a function has a value once the unknowns are parameters. A place of shapes that are put together has
    /// none behind a part whose rank is unknown: `(..sh, N)[1]`. `joined` are such shapes, with their parts.
    fn is_certain(&self, posted: &Posted, joined: &FxHashMap<TermId, &[TermId]>) -> bool {
        let (Some(function), Some(&shape)) = (Function::of(&posted.attrs), posted.args.first()) else { return true };
        let mut parts = vec![self.solver.root(shape)];
        let mut met: Vec<TermId> = Vec::new();
        while let Some(at) = parts.iter().position(|part| joined.contains_key(part) && !met.contains(part)) {
            met.push(parts[at]);
            let inner: Vec<TermId> = joined[&parts[at]].iter().map(|&part| self.solver.root(part)).collect();
            parts.splice(at..=at, inner);
        }
        let is_dim = |&part: &TermId| self.solver.head(part).kind() == Kind::Dim;
        // A place is among the dims at its end, or only one part is left to hold it.
        let is_sure = |at: i64| {
            let left = usize::try_from(if at < 0 { -(at + 1) } else { at }).unwrap_or(usize::MAX);
            let n_dims = match at < 0 {
                true => parts.iter().rev().take_while(|&part| is_dim(part)).count(),
                false => parts.iter().take_while(|&part| is_dim(part)).count(),
            };
            left < n_dims || n_dims + 1 >= parts.len()
        };
        let before = |place: i64| if place > 0 { place - 1 } else { place };
        match function {
            Function::Index(at) => is_sure(*at),
            Function::Slice(from, to) => {
                [from, to].into_iter().flatten().all(|&place| place == 0 || is_sure(before(place)))
            }
            Function::Polynomial(_)
            | Function::Max
            | Function::Min
            | Function::FloorDiv
            | Function::Rank
            | Function::Prod
            | Function::Concat => true,
        }
    }

    fn quantify(&mut self, group: &[Member], chosen: &[(Member, Vec<RelationId>)], relations: &[RelationId]) {
        let (definitions, defined) = self.definitions(chosen);
        // Every other unknown of a definition's type and of its relations becomes a parameter.
        let mut holes: Vec<TermId> = Vec::new();
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut per_member: Vec<Vec<TermId>> = Vec::new();
        for (member, relations) in chosen {
            let Some(term) = self.member_type(*member).filter(|&term| self.may_quantify(*member, term)) else {
                per_member.push(Vec::new());
                continue;
            };
            let mut roots = vec![term];
            for &relation in relations {
                roots.extend(self.solver.relation(relation).args.iter());
            }
            let mut own = self.solver.holes(&roots);
            own.retain(|hole| !defined.contains(hole));
            holes.extend(own.iter().filter(|&&hole| seen.insert(hole)));
            per_member.push(own);
        }
        let params: Vec<(TermId, ParamId)> = self.name_params(group, &holes);
        let of_hole: FxHashMap<TermId, ParamId> = params.iter().copied().collect();
        let own_params: Vec<Vec<ParamId>> = per_member
            .iter()
            .map(|holes| holes.iter().filter_map(|hole| of_hole.get(hole).copied()).collect())
            .collect();

        let why = match group.first() {
            Some(member) => Why::Function(member.function(self.module)),
            None => return,
        };
        let cause = self.cause(why);
        if !params.is_empty() || !relations.is_empty() {
            let mut taken: Vec<RelationId> = relations.iter().copied().filter(|id| !definitions.contains(id)).collect();
            taken.extend(self.implied.iter().copied().filter(|&id| self.is_open(id)));
            base::sort(&mut taken);
            taken.dedup();
            self.solver.quantify(&taken, &params, cause);
            self.solver.solve();
        }
        for ((member, relations), generated) in chosen.iter().zip(own_params) {
            let Some(body) = self.member_type(*member) else { continue };
            match *member {
                Member::Def(def) => {
                    let id = self.module.defs[def].function;
                    let function = &self.module.functions[id];
                    if !function.wheres.is_empty() && self.is_annotated(id) {
                        continue;
                    }
                    // Of a clause that is not annotated in full, callers see what it says inside.
                    let ids = (0..self.solver.relations().len()).map(|i| RelationId(i as u32));
                    let assumed = ids.filter(|id| !function.wheres.is_empty() && self.assumed.contains(id));
                    let owed: Vec<RelationId> =
                        relations.iter().copied().filter(|id| !definitions.contains(id)).chain(assumed).collect();
                    let mut params = function.type_params.clone();
                    params.extend(generated);
                    let obligations = self.obligations(&owed);
                    let body = self.signature(id, body, cause);
                    let params = self.all_params(params, body, &obligations);
                    self.defs[def] = Some(Arc::new(Scheme { params, body, obligations }));
                }
                Member::Let(local, _) if !generated.is_empty() => {
                    let scheme = Scheme { params: generated, body, obligations: Vec::new() };
                    self.local_schemes.insert(local, scheme);
                }
                Member::Let(..) | Member::Expr(_) => {}
            }
        }
        for (member, _) in chosen {
            let function = &self.module.functions[member.function(self.module)];
            for param in &function.type_params {
                self.assumed_params.remove(param);
            }
        }
        self.assumed.clear();
        self.solver.zeros.clear();
        self.mono_defs.clear();
    }

    /// The parameters of a scheme, with those that a `where` clause made rigid.
    fn all_params(&self, mut params: Vec<ParamId>, body: TermId, obligations: &[Obligation]) -> Vec<ParamId> {
        if self.assumed.is_empty() && self.assumed_params.is_empty() {
            return params;
        }
        let mut roots = vec![body];
        roots.extend(obligations.iter().flat_map(|obligation| &obligation.args));
        let first = ParamId(self.module.type_params.len() as u32);
        for root in self.solver.roots_where(&roots, |term| term.is_rigid()) {
            if let Term::Param(param, _) | Term::Dim(Dim { extent: Extent::Param(param), .. }) = self.solver.head(root)
                && param >= first
                && !params.contains(&param)
            {
                params.push(param);
            }
        }
        params
    }

    /// A `let` whose value holds a reference is not generalised: both uses would share one cell.
    fn may_quantify(&self, member: Member, term: TermId) -> bool {
        match member {
            Member::Def(_) => true,
            Member::Let(..) => self.solver.roots_where(&[term], |term| matches!(term, Term::Ref(_))).is_empty(),
            Member::Expr(_) => false,
        }
    }

    /// Relations as obligations, each only once and behind those that give it its inputs.
    fn obligations(&mut self, relations: &[RelationId]) -> Vec<Obligation> {
        let mut found: Vec<Obligation> = Vec::new();
        let mut written: FxHashSet<String> = FxHashSet::default();
        for &id in relations {
            let posted = self.solver.relation(id).clone();
            // An `if` of a written relation is said as the relation.
            let (relation, args) = match self.solver.origin(id) {
                Some(origin) => origin,
                None => (posted.relation, posted.args.iter().map(|&arg| self.solver.root(arg)).collect()),
            };
            let obligation = Obligation { relation, args, attrs: posted.attrs };
            if self.is_identity(&obligation) {
                continue;
            }
            if written.insert(self.print_obligation(&obligation)) {
                found.push(obligation);
            }
        }
        let mut ordered: Vec<Obligation> = Vec::with_capacity(found.len());
        while !found.is_empty() {
            let outputs = |obligation: &Obligation| {
                let n_inputs = obligation.args.len().saturating_sub(obligation.relation.n_outputs());
                self.solver.roots_where(&obligation.args[n_inputs..], Term::is_param)
            };
            let pending: Vec<Key> = found.iter().flat_map(outputs).map(|output| self.key(output)).collect();
            let is_ready = |obligation: &Obligation| {
                let n_inputs = obligation.args.len().saturating_sub(obligation.relation.n_outputs());
                let own = self.solver.roots_where(&obligation.args[n_inputs..], Term::is_param);
                let own: Vec<_> = own.into_iter().map(|output| self.key(output)).collect();
                let inputs = self.solver.roots_where(&obligation.args[..n_inputs], Term::is_param);
                { inputs }
                    .into_iter()
                    .map(|input| self.key(input))
                    .all(|input| own.contains(&input) || !pending.contains(&input))
            };
            let at = if found.len() > MAX_ORDERED { 0 } else { found.iter().position(is_ready).unwrap_or(0) };
            ordered.push(found.remove(at));
        }
        ordered
    }

    /// Whether an equation of what is rigid by now is true of all parameters.
    fn is_identity(&mut self, obligation: &Obligation) -> bool {
        let Some(function) = Function::of(&obligation.attrs) else { return false };
        let Some((&result, args)) = obligation.args.split_last() else { return false };
        if !self.solver.holes(&obligation.args).is_empty() {
            return false;
        }
        let cause = self.solver.store.learned(result);
        let value = self.solver.apply(function, args, cause);
        self.is_same(value, result)
    }

    fn print_obligation(&self, obligation: &Obligation) -> String {
        let names = TypeNames { module: self.module, generated_params: &self.generated_params };
        ty::print_obligation(&self.solver, &names, obligation).text
    }

    /// New parameters with names that nothing else in the group has: `A`, `B` for types, `N` for dims, `S` for shapes,
    /// `T` for dtypes.
    pub(crate) fn name_params(&mut self, group: &[Member], holes: &[TermId]) -> Vec<(TermId, ParamId)> {
        if holes.is_empty() {
            return Vec::new();
        }
        let mut used: FxHashSet<String> = self.module.adts.iter().map(|adt| adt.name.clone()).collect();
        used.extend(self.group_names.iter().cloned());
        for member in group {
            let function = &self.module.functions[member.function(self.module)];
            used.extend(function.type_params.iter().map(|&param| self.module.type_params[param].name.clone()));
        }
        let mut named = Vec::with_capacity(holes.len());
        for &hole in holes {
            let kind = self.solver.head(hole).kind();
            let letters: &[&str] = match kind {
                Kind::Type => &["A", "B", "C", "D", "E", "F"],
                Kind::Dim => &["N", "M", "K", "L"],
                Kind::Shape => &["S", "R", "Q", "P"],
                Kind::BaseType => &["T", "U", "V", "W"],
                Kind::Row => &["r", "s", "q"],
            };
            let fresh = letters
                .iter()
                .map(|&letter| letter.to_owned())
                .chain((1..).map(|n| format!("{}{n}", letters[0])))
                .find(|name| !used.contains(name))
                .expect("there are endless names");
            used.insert(fresh.clone());
            self.group_names.push(fresh.clone());
            let id = ParamId((self.module.type_params.len() + self.generated_params.len()) as u32);
            self.generated_params.push((fresh, kind));
            named.push((hole, id));
        }
        named
    }
}
