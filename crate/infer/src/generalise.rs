//! The end of a group: errors are collected, what is unknown is generalised.
//!
//! A waiting relation goes into a definition's scheme when the unknowns of its inputs are determined by the
//! definition's type: they occur in it, or are outputs of relations that went in before. Any other waiting relation is
//! under-constrained, as is every one in a top-level `let` or expression.
//!
//! Worked example: `def @f(%x, %y) { %x.0 + %y }` has `fn(a, Tensor[s, t]) -> Tensor[r, t]` with `TupleGetItem(a, b)`
//! and, since `b` is determined, `Broadcast(q, s, r)` where `b = Tensor[q, t]`.

use crate::error::TypeError;
use crate::group::Member;
use crate::walk::Inference;
use crate::why::Why;
use rustc_hash::{FxHashMap, FxHashSet};
use solve::{Cause, Log, RelationId, State};
use ty::{
    Dim, Extent, FUNCTION, Function, Kind, Obligation, ParamId, RelationRef, Scheme, Term, TermId, Terms,
};

impl<L: Log> Inference<'_, L> {
    pub(crate) fn finish_group(&mut self, group: &[Member], first_term: usize, first_relation: usize, n_errors: usize) {
        self.merge_equal_relations(first_relation);
        let cycles = self.solver.cycles(first_term);
        for (term, cause) in &cycles {
            self.errors.push(TypeError::Infinite { term: *term, cause: *cause });
        }
        self.solver.solve();
        let failures = self.solver.failures[self.n_reported..].to_vec();
        self.n_reported = self.solver.failures.len();
        let is_sound = failures.is_empty() && self.errors.len() == n_errors;
        self.errors.extend(failures.into_iter().map(TypeError::Failed));

        self.settle_dynamic(first_relation);
        let waiting: Vec<RelationId> = (first_relation..self.solver.relations().len())
            .map(|i| RelationId(i as u32))
            .filter(|id| self.is_open(*id) && !self.is_assumed(*id))
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
                    self.errors.push(TypeError::NotAssumed { relation, function });
                }
            }
        }
        let stuck: Vec<RelationId> = waiting.iter().copied().filter(|id| !taken.contains(id)).collect();
        // After a failure what waits may wait for what failed.
        if is_sound {
            for &relation in &stuck {
                let State::Waiting(waits) = &self.solver.relation(relation).state else { continue };
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

    /// What stands for a term when relations are compared: the root of its class, or the first root that was met of
    /// the same parameter.
    fn key(&self, id: TermId) -> (Option<Term>, TermId) {
        let (root, head) = (self.solver.root(id), self.solver.head(id));
        match head {
            Term::Tensor { .. }
            | Term::Tuple(_)
            | Term::Func { .. }
            | Term::Ref(_)
            | Term::Adt { .. }
            | Term::Shape(_)
            | Term::Splice(_)
            | Term::Hole(_)
            | Term::Error(_) => (None, root),
            Term::Dim(dim) if dim.extent == Extent::Unknown => (None, root),
            Term::Param(..) | Term::Slice { .. } | Term::Dim(_) | Term::Dtype(_) => (Some(head), TermId(0)),
        }
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
                } else if is_written && !waits.is_empty() && waits.iter().all(is_any) {
                    outputs
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

    /// A relation determines its outputs: two that wait with the same inputs have the same ones.
    fn merge_equal_relations(&mut self, first_relation: usize) {
        let mut done: FxHashSet<RelationId> = FxHashSet::default();
        loop {
            let mut seen: FxHashMap<((usize, usize), Vec<(Option<Term>, TermId)>), Vec<RelationId>> = FxHashMap::default();
            let mut merged = Vec::new();
            for id in (first_relation..self.solver.relations().len()).map(|i| RelationId(i as u32)) {
                if !self.is_open(id) {
                    continue;
                }
                let posted = self.solver.relation(id);
                let n_inputs = posted.n_inputs();
                let inputs: Vec<_> = posted.args[..n_inputs].iter().map(|&arg| self.key(arg)).collect();
                let same = seen.entry((posted.relation.address(), inputs)).or_default();
                let first = same.iter().find(|&&first| self.solver.relation(first).attrs == posted.attrs);
                match first {
                    Some(&first) => merged.push((first, id, n_inputs)),
                    None => same.push(id),
                }
            }
            let n_queued = self.solver.relations().len();
            merged.retain(|&(_, other, _)| done.insert(other));
            for (first, other, n_inputs) in merged {
                let (first, other) = (self.solver.relation(first), self.solver.relation(other));
                let cause = other.cause;
                let outputs = first.args[n_inputs..].iter().copied().zip(other.args[n_inputs..].iter().copied());
                for (expected, found) in outputs.collect::<Vec<_>>() {
                    if self.solver.root(expected) != self.solver.root(found) {
                        self.solver.equal(expected, found, cause);
                    }
                }
            }
            if self.solver.relations().len() == n_queued {
                return;
            }
            self.solver.solve();
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

    fn member_type(&self, member: Member) -> Option<TermId> {
        match member {
            Member::Def(def) => self.mono_defs.get(&def).copied(),
            Member::Let(local, _) => self.locals[local],
            Member::Expr(_) => None,
        }
    }

    /// The waiting relations whose inputs a type determines. An equation determines either side from the other.
    fn determined_by(&self, term: TermId, waiting: &[RelationId]) -> Vec<RelationId> {
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
        found.sort_unstable();
        found
    }

    /// The equations `r = f(…)` whose result can be written instead of `r` once the rest are parameters: one for each
    /// `r`, none of which is defined by itself. With the classes of those `r`.
    fn definitions(&self, chosen: &[(Member, Vec<RelationId>)]) -> (FxHashSet<RelationId>, FxHashSet<TermId>) {
        let mut from: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
        let mut found = FxHashSet::default();
        for &id in chosen.iter().flat_map(|(_, relations)| relations) {
            let posted = self.solver.relation(id);
            let Some(&result) = posted.args.last().filter(|_| posted.relation.is(&FUNCTION)) else { continue };
            let result = self.solver.root(result);
            if !self.solver.head(result).is_hole() || from.contains_key(&result) {
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
            if !reached.contains(&result) {
                from.insert(result, reached);
                found.insert(id);
            }
        }
        (found, from.into_keys().collect())
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
        let own_params: Vec<Vec<ParamId>> =
            per_member.iter().map(|holes| holes.iter().filter_map(|hole| of_hole.get(hole).copied()).collect()).collect();

        let why = match group.first() {
            Some(member) => Why::Function(member.function(self.module)),
            None => return,
        };
        let cause = self.cause(why);
        if !params.is_empty() || !relations.is_empty() {
            let taken: Vec<RelationId> = relations.iter().copied().filter(|id| !definitions.contains(id)).collect();
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
                    self.defs[def] = Some(Scheme { params: self.all_params(params, body, &obligations), body, obligations });
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

    /// Relations as obligations, each only once.
    fn obligations(&self, relations: &[RelationId]) -> Vec<Obligation> {
        let mut obligations: Vec<Obligation> = Vec::new();
        for &id in relations {
            let posted = self.solver.relation(id);
            let args: Vec<TermId> = posted.args.iter().map(|&arg| self.solver.root(arg)).collect();
            let is_known = obligations.iter().any(|other| {
                other.relation == posted.relation && other.args == args && other.attrs == posted.attrs
            });
            if !is_known {
                obligations.push(Obligation { relation: posted.relation.clone(), args, attrs: posted.attrs.clone() });
            }
        }
        obligations
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
