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
use solve::{Log, RelationId, State};
use ty::{Extent, Kind, Obligation, ParamId, Scheme, Term, TermId, Terms};

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

        let waiting: Vec<RelationId> = (first_relation..self.solver.relations().len())
            .map(|i| RelationId(i as u32))
            .filter(|&id| self.is_open(id))
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

    /// A relation determines its outputs: two that wait with the same inputs have the same ones.
    fn merge_equal_relations(&mut self, first_relation: usize) {
        let mut done: FxHashSet<RelationId> = FxHashSet::default();
        loop {
            let mut seen: FxHashMap<(usize, Vec<TermId>), Vec<RelationId>> = FxHashMap::default();
            let mut merged = Vec::new();
            for id in (first_relation..self.solver.relations().len()).map(|i| RelationId(i as u32)) {
                if !self.is_open(id) {
                    continue;
                }
                let posted = self.solver.relation(id);
                let n_inputs = posted.args.len() - posted.relation.n_outputs;
                let inputs: Vec<TermId> = posted.args[..n_inputs].iter().map(|&arg| self.solver.root(arg)).collect();
                let same = seen.entry((std::ptr::from_ref(posted.relation).addr(), inputs)).or_default();
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

    /// The waiting relations whose inputs a type determines.
    fn determined_by(&self, term: TermId, waiting: &[RelationId]) -> Vec<RelationId> {
        let mut known: FxHashSet<TermId> = self.solver.holes(&[term]).into_iter().collect();
        let mut open: Vec<RelationId> = waiting.to_vec();
        let mut found = Vec::new();
        loop {
            let n_open = open.len();
            open.retain(|&id| {
                let posted = self.solver.relation(id);
                let n_inputs = posted.args.len() - posted.relation.n_outputs;
                let (inputs, outputs) = posted.args.split_at(n_inputs);
                let determined = self.solver.holes(inputs).iter().all(|hole| known.contains(hole));
                if determined {
                    known.extend(self.solver.holes(outputs));
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

    fn quantify(&mut self, group: &[Member], chosen: &[(Member, Vec<RelationId>)], relations: &[RelationId]) {
        // Every unknown of a definition's type and of its relations becomes a parameter.
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
            let own = self.solver.holes(&roots);
            holes.extend(own.iter().filter(|&&hole| seen.insert(hole)));
            per_member.push(own);
        }
        let params: Vec<(TermId, ParamId)> = self.name_params(group, &holes);
        let of_hole = |hole: &TermId| params.iter().find(|(other, _)| other == hole).map(|&(_, param)| param);
        let own_params: Vec<Vec<ParamId>> =
            per_member.iter().map(|holes| holes.iter().filter_map(of_hole).collect()).collect();

        let why = match group.first() {
            Some(member) => Why::Function(member.function(self.module)),
            None => return,
        };
        let cause = self.cause(why);
        if !params.is_empty() || !relations.is_empty() {
            self.solver.quantify(relations, &params, cause);
        }
        for ((member, relations), generated) in chosen.iter().zip(own_params) {
            let Some(body) = self.member_type(*member) else { continue };
            match *member {
                Member::Def(def) => {
                    let function = &self.module.functions[self.module.defs[def].function];
                    let mut params = function.type_params.clone();
                    params.extend(generated);
                    let obligations = self.obligations(relations);
                    let body = self.signature(self.module.defs[def].function, body, cause);
                    self.defs[def] = Some(Scheme { params, body, obligations });
                }
                Member::Let(local, _) if !generated.is_empty() => {
                    let scheme = Scheme { params: generated, body, obligations: Vec::new() };
                    self.local_schemes.insert(local, scheme);
                }
                Member::Let(..) | Member::Expr(_) => {}
            }
        }
        self.mono_defs.clear();
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
                std::ptr::eq(other.relation, posted.relation) && other.args == args && other.attrs == posted.attrs
            });
            if !is_known {
                obligations.push(Obligation { relation: posted.relation, args, attrs: posted.attrs.clone() });
            }
        }
        obligations
    }

    /// New parameters with names that nothing else in the group has: `A`, `B` for types, `N` for dims, `S` for shapes,
    /// `T` for dtypes.
    fn name_params(&mut self, group: &[Member], holes: &[TermId]) -> Vec<(TermId, ParamId)> {
        if holes.is_empty() {
            return Vec::new();
        }
        let mut used: FxHashSet<String> = self.module.adts.iter().map(|adt| adt.name.clone()).collect();
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
            let id = ParamId((self.module.type_params.len() + self.generated_params.len()) as u32);
            self.generated_params.push((fresh, kind));
            named.push((hole, id));
        }
        named
    }
}
