//! The end of a group: errors are collected, what is unknown is generalised.
//!
//! A waiting relation goes into a definition's scheme when the unknowns of its inputs are determined by the
//! definition's type: they occur in it, or are outputs of relations that went in before. So it is for a top-level `let`
//! whose value computes nothing, such as a function literal. Any other waiting relation is under-constrained, as is every
//! one in an expression or a value that is computed, unless it waits for what is `shared`.
//!
//! Worked example: `def @f(%x, %y) { %x.0 + %y }` has `fn(a, Tensor[s, t]) -> Tensor[r, t]` with `TupleGetItem(a, b)`
//! and, since `b` is determined, `Broadcast(q, s, r)` where `b = Tensor[q, t]`.

use crate::error::TypeError;
use crate::group::Member;
use crate::merge::{Key, Question};
use crate::walk::Inference;
use crate::why::Why;
use base::{Append, Edited, HashMap, HashSet, ToList};
use hir::FnId;
use solve::{Cause, Failure, RelationId, State};
use std::sync::Arc;
use ty::{
    AT_MOST, Attrs, Dim, Extent, FUNCTION, Function, Kind, NO_WHOLE_NUMBER, Obligation, ParamId, Reason, RelationRef,
    Scheme, Term, TermId, Terms,
};

/// A type has at most this many parameters. Each use of a definition makes unknowns for all of its own, so that some that
/// each use the one before twice would have without end.
const MAX_PARAMS: usize = 10_000;
/// A type has at most this many parts that have parts, for the same reason.
const MAX_PARTS: usize = 30_000;
/// More obligations than this stay in the order in which they arose.
const MAX_ORDERED: usize = 64;

impl Inference<'_> {
    pub(crate) fn finish_group(&mut self, group: &[Member], first_term: usize, first_relation: usize, n_errors: usize) {
        self.close_rows(group, first_term, first_relation);
        self.merge_equal_relations(group, first_relation);
        let cycles = self.solver.cycles(first_term, &self.shared.terms);
        self.errors.append_all(cycles.iter().map(|&cycle| TypeError::Infinite(cycle)));
        self.solver.solve();
        self.settle_taken();
        let mut failures = self.new_failures();
        // One mistake may break several relations of one call.
        let mut told: HashSet<Cause> = HashSet::default();
        // A type that contained itself differs from whatever it met. That is no failure, and tells none for its cause.
        let cut: HashSet<TermId> = cycles.iter().map(|cycle| self.solver.root(cycle.class)).collect();
        let is_cut = |id: &TermId| cut.contains(&self.solver.root(*id));
        failures.keep(|failure| {
            let posted = self.solver.relation(failure.relation);
            let parts = match failure.reason {
                Reason::Unequal { left, right, .. } => vec![left, right],
                _ => Vec::new(),
            };
            !posted.args.iter().chain(&parts).any(is_cut) && told.insert(posted.cause)
        });
        let is_sound = failures.is_empty() && self.errors.len() == n_errors;
        self.errors.append_all(failures.into_iter().map(TypeError::Failed));

        self.settle_dynamic(first_relation);
        let is_waiting =
            |id: &RelationId| self.is_open(*id) && !self.implied.contains(id) && !self.assumed.contains(id);
        let mut waiting = self.relations(first_relation).filter(is_waiting).list();
        self.ask_for_axes(group, first_term, &mut waiting);
        let assumptions = self.assumptions();
        waiting.keep(|&id| !self.is_given(id, &assumptions));
        // In this order: what waits for `?` alone is not kept for later.
        let mut undecided = self.undecided_by_any(first_relation);
        let shared = self.set_aside(group, &mut waiting);
        let mut inner = self.take_inner(group, &mut waiting);
        let mut taken: HashSet<RelationId> = HashSet::default();
        let mut chosen: Vec<(Member, Vec<RelationId>)> = Vec::new();
        for &member in group {
            let relations = match (member, self.member_type(member)) {
                (Member::Def(_), Some(term)) => self.determined_by(term, &waiting),
                (Member::Let(_, id), Some(term)) if self.is_value(id) => self.determined_by(term, &waiting),
                _ => Vec::new(),
            };
            taken.extend(&relations);
            chosen.push((member, relations));
        }
        if is_sound {
            for &relation in waiting.iter().filter(|id| taken.contains(id)) {
                let function = self.clause_around(group, relation);
                let is_sound = |&function: &FnId| !self.module.functions[function].has_broken_where();
                if let Some(function) = function.filter(is_sound) {
                    let cause = self.solver.relation(relation).cause;
                    let (_, args) = self.said(relation);
                    let args = self.as_parameters(function, &args, cause);
                    self.errors.push(TypeError::NotAssumed { relation, args, function });
                }
            }
        }
        let mut stuck: Vec<RelationId> = waiting.iter().copied().filter(|id| !taken.contains(id)).list();
        stuck.append_all(inner.iter().copied());
        waiting.append(&mut inner);
        stuck.append(&mut undecided);
        // After a failure what waits may wait for what failed.
        if is_sound {
            self.under_constrained(stuck);
        }
        self.quantify(group, &chosen, &waiting, &shared, first_term);
    }

    /// The failures that have not been reported. The caller does it.
    pub(crate) fn new_failures(&mut self) -> Vec<Failure> {
        let failures = self.solver.failures[self.n_reported..].to_vec();
        self.n_reported = self.solver.failures.len();
        failures
    }

    pub(crate) fn under_constrained(&mut self, mut stuck: Vec<RelationId>) {
        self.without_free_ranks(&mut stuck);
        let mut told: HashSet<Cause> = HashSet::default();
        for relation in stuck {
            let posted = self.solver.relation(relation);
            let State::Waiting(waits) = &posted.state else { continue };
            // One type may ask for much at one place.
            if told.insert(posted.cause) {
                // A parameter is known, to be one.
                let is_hole = |&wait: &TermId| self.solver.head(wait).is_hole();
                let holes = waits.iter().copied().filter(is_hole).list();
                let waits = if holes.is_empty() { waits.clone() } else { holes };
                let (_, args) = self.said(relation);
                self.errors.push(TypeError::UnderConstrained { relation, args, waits });
            }
        }
    }

    /// What nothing determines has as many axes as are asked for.
    pub(crate) fn without_free_ranks(&self, stuck: &mut Vec<RelationId>) {
        let rank = |id: RelationId| {
            let posted = self.solver.relation(id);
            let is_rank = Function::of(&posted.attrs) == Some(&Function::Rank);
            let is_free = is_rank && !self.solver.holes(&posted.args[..1]).is_empty();
            is_free.then(|| self.solver.root(posted.args[1]))
        };
        let ranks = stuck.iter().filter_map(|&id| rank(id)).list();
        stuck.keep(|&id| {
            let posted = self.solver.relation(id);
            let is_least = posted.relation.is(&AT_MOST) && ranks.contains(&self.solver.root(posted.args[1]));
            rank(id).is_none() && !is_least
        });
    }

    /// The relations that a `where` clause takes as true, by what they say.
    fn assumptions(&self) -> HashMap<Question, Vec<RelationId>> {
        let mut found: HashMap<Question, Vec<RelationId>> = HashMap::default();
        for &id in &self.assumed {
            found.entry(self.statement(id)).or_default().push(id);
        }
        found
    }

    fn statement(&self, id: RelationId) -> Question {
        let posted = self.solver.relation(id);
        (posted.relation.address(), posted.args.iter().map(|&arg| self.key(arg)).list())
    }

    /// Whether the relation asks for the same as one of a `where` clause, and so has been given its outputs.
    fn is_given(&self, id: RelationId, assumptions: &HashMap<Question, Vec<RelationId>>) -> bool {
        let same_attrs = |&other: &RelationId| self.solver.relation(other).attrs == self.solver.relation(id).attrs;
        !assumptions.is_empty()
            && assumptions.get(&self.statement(id)).is_some_and(|others| others.iter().any(same_attrs))
    }

    /// What is only asked of a `?` is decided when the program runs: an unknown that arithmetic relates to a `?` is one
    /// too, and so is a dim that a written relation would determine from one.
    fn settle_dynamic(&mut self, first_relation: usize) {
        loop {
            let mut unknown: Vec<(TermId, Cause)> = Vec::new();
            for id in self.relations(first_relation) {
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
                unknown.append_all(holes.map(|&term| (term, posted.cause)));
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
        let is_undecided = |&id: &RelationId| {
            let posted = self.solver.relation(id);
            let waits = matches!(&posted.state, State::Waiting(waits) if !waits.is_empty());
            let is_written = matches!(posted.relation, RelationRef::Written { .. });
            let is_hole = |&output: &TermId| matches!(self.solver.head(output), Term::Hole(_));
            waits && is_written && !self.is_open(id) && posted.args[posted.n_inputs()..].iter().any(is_hole)
        };
        self.relations(first_relation).filter(is_undecided).list()
    }

    /// Whether a relation waits for something that inference was to find out. One that waits for nothing but `?`
    /// is checked when the program runs; one that waits for an error is not spoken of.
    pub(crate) fn is_open(&self, id: RelationId) -> bool {
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
    pub(crate) fn determined_by(&self, term: TermId, waiting: &[RelationId]) -> Vec<RelationId> {
        if waiting.is_empty() {
            return Vec::new();
        }
        let mut known: HashSet<TermId> = HashSet::default();
        let mut learned = self.solver.holes(&[term]);
        // By unknown, the sides of relations that it stands on; by relation and side, how many are not known.
        let mut sides_of: HashMap<TermId, Vec<(usize, usize)>> = HashMap::default();
        let mut missing: Vec<[usize; 2]> = Vec::with_capacity(waiting.len());
        let mut ready: Vec<usize> = Vec::new();
        for (at, &id) in waiting.iter().enumerate() {
            let posted = self.solver.relation(id);
            let (inputs, outputs) = posted.args.split_at(posted.n_inputs());
            let is_invertible = matches!(
                Function::of(&posted.attrs),
                Some(Function::Polynomial(_) | Function::Concat | Function::Rank)
            );
            let sides =
                [self.solver.holes(inputs), if is_invertible { self.solver.holes(outputs) } else { Vec::new() }];
            missing.push([sides[0].len(), if is_invertible { sides[1].len() } else { usize::MAX }]);
            ready.append_all(missing[at].contains(&0).then_some(at));
            for (side, holes) in sides.into_iter().enumerate() {
                holes.into_iter().for_each(|hole| sides_of.entry(hole).or_default().push((at, side)));
            }
        }
        let mut found = Vec::new();
        loop {
            while let Some(hole) = learned.pop() {
                if known.insert(hole) {
                    for &(at, side) in sides_of.get(&hole).into_iter().flatten() {
                        missing[at][side] -= 1;
                        ready.append_all((missing[at][side] == 0).then_some(at));
                    }
                }
            }
            let Some(at) = ready.pop() else { break };
            found.push(waiting[at]);
            learned = self.solver.holes(&self.solver.relation(waiting[at]).args);
        }
        base::sort(&mut found);
        found.dedup();
        found
    }

    fn quantify(
        &mut self,
        group: &[Member],
        chosen: &[(Member, Vec<RelationId>)],
        relations: &[RelationId],
        shared: &HashSet<TermId>,
        first_term: usize,
    ) {
        let (definitions, defined) = self.definitions(chosen);
        // Every other unknown of a definition's type and of its relations becomes a parameter, unless it is shared.
        let mut holes: Vec<TermId> = Vec::new();
        let mut seen: HashSet<TermId> = HashSet::default();
        let mut per_member: Vec<Vec<TermId>> = Vec::new();
        let mut too_large: Vec<Member> = Vec::new();
        for (member, relations) in chosen {
            let Some(term) = self.member_type(*member).filter(|_| self.may_quantify(*member)) else {
                per_member.push(Vec::new());
                continue;
            };
            let mut roots = vec![term];
            for &relation in relations {
                roots.append_all(self.solver.relation(relation).args.iter().copied());
            }
            let mut own = self.solver.holes(&roots);
            own.keep(|hole| !defined.contains(hole) && !shared.contains(hole));
            // What is large has been made here, for it is larger than what it is made of.
            let is_long = self.solver.store.len() - first_term > MAX_PARTS
                && self.solver.roots_where(&[term], |term| !term.is_leaf()).len() > MAX_PARTS;
            if own.len() > MAX_PARAMS || is_long {
                let (what, most) = if is_long { ("parts", MAX_PARTS) } else { ("parameters", MAX_PARAMS) };
                self.errors.push(TypeError::LargeType { function: member.function(self.module), what, most });
                too_large.push(*member);
                own.clear();
            }
            holes.append_all(own.iter().filter(|&&hole| seen.insert(hole)).copied());
            per_member.push(own);
        }
        let params: Vec<(TermId, ParamId)> = self.name_params(group, &holes);
        let of_hole: HashMap<TermId, ParamId> = params.iter().copied().collect();
        let own_params: Vec<Vec<ParamId>> =
            per_member.iter().map(|holes| holes.iter().filter_map(|hole| of_hole.get(hole).copied()).list()).list();

        let why = match group.first() {
            Some(member) => Why::Function(member.function(self.module)),
            None => return,
        };
        let cause = self.cause(why);
        let n_terms = self.solver.store.len();
        if !params.is_empty() || !relations.is_empty() {
            let mut taken: Vec<RelationId> = relations.iter().copied().filter(|id| !definitions.contains(id)).list();
            taken.append_all(self.implied.iter().copied().filter(|&id| self.is_open(id)));
            base::sort(&mut taken);
            taken.dedup();
            self.solver.quantify(&taken, &params, cause);
            self.solver.solve();
            self.solver.join_parts(first_term, cause);
            self.solver.solve();
            // What is computed with parameters now may be more than there are numbers for.
            let failures = self.new_failures().into_iter();
            self.errors.append_all(failures.map(TypeError::Failed));
            // Without a value the unknown would be anybody's.
            let is_open =
                |&id: &RelationId| self.is_open(id) && !self.solver.holes(&self.solver.relation(id).args).is_empty();
            let mut lost: Vec<RelationId> = definitions.iter().copied().filter(is_open).list();
            base::sort(&mut lost);
            self.under_constrained(lost);
        }
        let asked = self.axes_from(n_terms);
        for ((member, relations), generated) in chosen.iter().zip(own_params) {
            let Some(body) = self.member_type(*member) else { continue };
            match *member {
                Member::Def(def) if too_large.contains(member) => {
                    let scheme = Scheme { params: Vec::new(), body: self.error(cause), obligations: Vec::new() };
                    self.defs[def] = Some(Arc::new(scheme));
                }
                Member::Let(local, _) if too_large.contains(member) => self.locals[local] = Some(self.error(cause)),
                Member::Def(def) => {
                    let function_id = self.module.defs[def].function;
                    let function = &self.module.functions[function_id];
                    if !function.wheres.is_empty() && self.is_annotated(function_id) {
                        continue;
                    }
                    if let Some(scheme) = self.scheme_with_result(def, body, cause) {
                        self.defs[def] = Some(Arc::new(scheme));
                        continue;
                    }
                    // Of a clause that is not annotated in full, callers see what it says inside.
                    let mut assumed: Vec<RelationId> = self.assumed.iter().copied().list();
                    assumed.keep(|&id| self.is_of_clause(id, function_id) && !self.implied.contains(&id));
                    base::sort(&mut assumed);
                    let own = relations.iter().copied().filter(|id| !definitions.contains(id));
                    let mut owed: Vec<RelationId> = own.chain(assumed).list();
                    self.owe_asked(&asked, &generated, body, &mut owed);
                    let mut params = function.type_params.clone();
                    params.append_all(generated);
                    let obligations = self.obligations(&owed);
                    let body = self.signature(function_id, body, cause);
                    let params = self.all_params(params, body, &obligations);
                    self.defs[def] = Some(Arc::new(Scheme { params, body, obligations }));
                }
                Member::Let(local, _) if !generated.is_empty() => {
                    let mut owed = relations.iter().copied().filter(|id| !definitions.contains(id)).list();
                    self.owe_asked(&asked, &generated, body, &mut owed);
                    let obligations = self.obligations(&owed);
                    self.local_schemes.insert(local, Scheme { params: generated, body, obligations });
                }
                Member::Let(..) | Member::Expr(_) => {}
            }
        }
        for (member, _) in chosen {
            let function = &self.module.functions[member.function(self.module)];
            for param in &function.type_params {
                if let Some(inside) = self.assumed_params.remove(param) {
                    self.inside.insert(*param, inside);
                }
            }
        }
        self.assumed.clear();
        self.implied.clear();
        self.equated.clear();
        self.joined.clear();
        self.solver.zeros.clear();
        self.mono_defs.clear();
    }

    /// The parameters of a scheme, with those that a `where` clause made rigid.
    fn all_params(&self, mut params: Vec<ParamId>, body: TermId, obligations: &[Obligation]) -> Vec<ParamId> {
        if self.assumed.is_empty() && self.assumed_params.is_empty() {
            return params;
        }
        let mut roots = vec![body];
        roots.append_all(obligations.iter().flat_map(|obligation| &obligation.args).copied());
        let first = ParamId::numbered(self.module.type_params.len() as u32);
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

    /// A relation as it is said: an `if` of a written relation as that one.
    fn said(&mut self, id: RelationId) -> (RelationRef, Vec<TermId>) {
        self.solver.origin(id).unwrap_or_else(|| {
            let posted = self.solver.relation(id);
            (posted.relation.clone(), posted.args.iter().map(|&arg| self.solver.root(arg)).list())
        })
    }

    /// Relations as obligations, each only once and behind those that give it its inputs.
    fn obligations(&mut self, relations: &[RelationId]) -> Vec<Obligation> {
        let mut found: Vec<Obligation> = Vec::new();
        let mut written: HashMap<Question, Vec<Arc<Attrs>>> = HashMap::default();
        for &id in relations {
            let posted = self.solver.relation(id).clone();
            let (relation, args) = self.said(id);
            let obligation = Obligation { relation, args, attrs: posted.attrs };
            if let Some((value, result)) = self.rigid_sides(&obligation) {
                if self.is_same(value, result) {
                    continue;
                }
                let poly = |side| match self.solver.head(side) {
                    Term::Dim(dim) => self.solver.dim_poly(dim),
                    _ => None,
                };
                let difference = poly(value).zip(poly(result)).and_then(|(value, result)| value.minus(&result));
                if difference.is_some_and(|difference| difference.is_never_zero()) {
                    let reason = Reason::Check(NO_WHOLE_NUMBER.into());
                    self.errors.push(TypeError::Failed(Failure { relation: id, reason }));
                    continue;
                }
            }
            if self.is_decided(&obligation, posted.cause) {
                continue;
            }
            let args = obligation.args.iter().map(|&arg| self.key(arg)).list();
            let same = written.entry((obligation.relation.address(), args)).or_default();
            if !same.contains(&obligation.attrs) {
                same.push(obligation.attrs.clone());
                found.push(obligation);
            }
        }
        if found.len() > MAX_ORDERED {
            return found;
        }
        let mut ordered: Vec<Obligation> = Vec::with_capacity(found.len());
        while !found.is_empty() {
            let outputs = |obligation: &Obligation| {
                let n_inputs = obligation.args.len().saturating_sub(obligation.relation.n_outputs());
                self.solver.roots_where(&obligation.args[n_inputs..], Term::is_param)
            };
            let pending: Vec<Key> = found.iter().flat_map(outputs).map(|output| self.key(output)).list();
            let is_ready = |obligation: &Obligation| {
                let n_inputs = obligation.args.len().saturating_sub(obligation.relation.n_outputs());
                let own = self.solver.roots_where(&obligation.args[n_inputs..], Term::is_param);
                let own: Vec<_> = own.into_iter().map(|output| self.key(output)).list();
                let inputs = self.solver.roots_where(&obligation.args[..n_inputs], Term::is_param);
                { inputs }
                    .into_iter()
                    .map(|input| self.key(input))
                    .all(|input| own.contains(&input) || !pending.contains(&input))
            };
            let at = found.iter().position(is_ready).unwrap_or(0);
            ordered.push(found.remove(at));
        }
        ordered
    }

    /// Whether a relation about nothing that is unknown, now that a part of a shape has a value, holds; it is an error if
    /// it does not.
    fn is_decided(&mut self, obligation: &Obligation, cause: Cause) -> bool {
        let is_open = |term: Term| term.is_hole() || term.is_rigid();
        if !self.solver.roots_where(&obligation.args, is_open).is_empty() {
            return false;
        }
        let n_failures = self.solver.failures.len();
        let again = self.solver.post(obligation.relation.clone(), &obligation.args, obligation.attrs.clone(), cause);
        self.solver.solve();
        let failures = self.solver.failures.split_off(n_failures);
        self.errors.append_all(failures.into_iter().map(TypeError::Failed));
        !matches!(self.solver.relation(again).state, State::Waiting(_))
    }

    /// The sides of an equation of what is rigid by now.
    fn rigid_sides(&mut self, obligation: &Obligation) -> Option<(TermId, TermId)> {
        let function = Function::of(&obligation.attrs)?;
        let (&result, args) = obligation.args.split_last()?;
        if !self.solver.holes(&obligation.args).is_empty() {
            return None;
        }
        let cause = self.solver.store.learned(result);
        Some((self.solver.value(function, args, cause)?, result))
    }

    /// New parameters with names that nothing else in the group has: `A`, `B` for types, `N` for dims, `S` for shapes,
    /// `T` for dtypes.
    pub(crate) fn name_params(&mut self, group: &[Member], holes: &[TermId]) -> Vec<(TermId, ParamId)> {
        if holes.is_empty() {
            return Vec::new();
        }
        let mut used: HashSet<String> = self.module.adts.iter().map(|adt| adt.name.clone()).collect();
        used.extend(self.group_names.iter().cloned());
        for member in group {
            let function = &self.module.functions[member.function(self.module)];
            used.extend(function.type_params.iter().map(|&param| self.module.type_params[param].name.clone()));
        }
        let mut named = Vec::with_capacity(holes.len());
        // Names are only ever used up.
        let mut next: HashMap<Kind, usize> = HashMap::default();
        for &hole in holes {
            let kind = self.solver.head(hole).kind();
            let letters: &[&str] = match kind {
                Kind::Type => &["A", "B", "C", "D", "E", "F"],
                Kind::Dim => &["N", "M", "K", "L"],
                Kind::Shape => &["S", "R", "Q", "P"],
                Kind::BaseType => &["T", "U", "V", "W"],
                Kind::Row => &["r", "s", "q"],
            };
            let at = next.entry(kind).or_default();
            let fresh = loop {
                let name = match letters.get(*at) {
                    Some(&letter) => letter.to_owned(),
                    None => format!("{}{}", letters[0], *at + 1 - letters.len()),
                };
                *at += 1;
                if !used.contains(&name) {
                    break name;
                }
            };
            used.insert(fresh.clone());
            self.group_names.push(fresh.clone());
            let id = ParamId::numbered((self.module.type_params.len() + self.generated_params.len()) as u32);
            self.generated_params.push((fresh, kind));
            named.push((hole, id));
        }
        named
    }
}
