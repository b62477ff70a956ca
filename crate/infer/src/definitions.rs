//! Equations that are written into a type: where `r = f(…)` has a value once the unknowns are parameters, that value
//! stands in the place of `r`.
//!
//! Worked example: of `fn(Tensor[s, t]) -> Tensor[r, t]` with `r = s[1:]` remains
//! `fn(Tensor[S, T]) -> Tensor[S[1:], T]`.

use crate::group::Member;
use crate::walk::Inference;
use base::{Append, HashMap, HashSet, ToList};
use solve::{Posted, RelationId};
use ty::{FUNCTION, Function, Kind, Term, TermId, Terms};

/// At most so many shapes are taken apart for one equation.
const MAX_MET: usize = 64;

impl Inference<'_> {
    /// The equations `r = f(…)` whose result can be written instead of `r` once the rest are parameters: one for each
    /// `r`, none of which is defined by itself. With the classes of those `r`.
    pub(crate) fn definitions(&self, chosen: &[(Member, Vec<RelationId>)]) -> (HashSet<RelationId>, HashSet<TermId>) {
        // By defined unknown, what its equation mentions.
        let mut from: HashMap<TermId, Vec<TermId>> = HashMap::default();
        let ids = chosen.iter().flat_map(|(_, relations)| relations);
        let known = self.part_equations(&mut ids.copied());
        let mut found = HashSet::default();
        // In whatever order they were found: a shape is written by its parts rather than parts by the shape, and a size
        // that is computed by the part of a shape.
        let rank = |&id: &RelationId| match Function::of(&self.solver.relation(id).attrs) {
            Some(Function::Concat) => 0,
            Some(Function::Index(_) | Function::Slice(..)) => 1,
            _ => 2,
        };
        let all = || chosen.iter().flat_map(|(_, relations)| relations.iter().copied());
        for id in (0..3).flat_map(|wanted| all().filter(move |id| rank(id) == wanted)) {
            let posted = self.solver.relation(id);
            let Some(&result) = posted.args.last().filter(|_| posted.relation.is(&FUNCTION)) else { continue };
            let results = self.defined_by(result);
            if results.is_empty() || results.iter().any(|result| from.contains_key(result)) {
                continue;
            }
            let inputs = self.solver.holes(&posted.args[..posted.n_inputs()]);
            // What the result would depend on, through other equations as well.
            let mut reached: HashSet<TermId> = HashSet::default();
            let mut pending = inputs.clone();
            while let Some(hole) = pending.pop() {
                if reached.insert(hole) {
                    pending.append_all(from.get(&hole).into_iter().flatten().copied());
                }
            }
            if !results.iter().any(|result| reached.contains(result)) && self.is_certain(posted, &known) {
                from.extend(results.into_iter().map(|result| (result, inputs.clone())));
                found.insert(id);
            }
        }
        self.keep_conditions(chosen, &mut found, &mut from);
        (found, from.into_keys().collect())
    }

    /// The equations of shapes and their parts, by result: of several the first, which is the one that defines.
    pub(crate) fn part_equations(&self, ids: &mut dyn Iterator<Item = RelationId>) -> HashMap<TermId, &Posted> {
        let mut known: HashMap<TermId, &Posted> = HashMap::default();
        for posted in ids.map(|id| self.solver.relation(id)) {
            if let (Some(Function::Concat | Function::Slice(..) | Function::Index(_)), Some(&result)) =
                (Function::of(&posted.attrs), posted.args.last())
            {
                known.entry(self.solver.root(result)).or_insert(posted);
            }
        }
        known
    }

    /// A definition that nothing mentions is not written anywhere; one that may fail is a condition then.
    fn keep_conditions(
        &self,
        chosen: &[(Member, Vec<RelationId>)],
        found: &mut HashSet<RelationId>,
        from: &mut HashMap<TermId, Vec<TermId>>,
    ) {
        let all = chosen.iter().flat_map(|(_, relations)| relations.iter().copied());
        let (defining, owed): (Vec<RelationId>, Vec<RelationId>) = all.partition(|id| found.contains(id));
        let posted = |id: RelationId| self.solver.relation(id);
        let results = |id| posted(id).args.last().map_or(Vec::new(), |&result| self.defined_by(result));
        let inputs = |id| self.solver.holes(&posted(id).args[..posted(id).n_inputs()]);
        let definer: HashMap<TermId, RelationId> =
            defining.iter().flat_map(|&id| results(id).into_iter().map(move |result| (result, id))).collect();
        let mut roots: Vec<TermId> = owed.iter().list_all(|&id| posted(id).args.iter().copied());
        roots.append_all(chosen.iter().filter_map(|(member, _)| self.member_type(*member)));
        let mut pending = self.solver.holes(&roots);
        let mut mentioned: HashSet<TermId> = HashSet::default();
        let mut rest = defining.iter();
        loop {
            while let Some(hole) = pending.pop() {
                if mentioned.insert(hole) {
                    pending.append_all(definer.get(&hole).map_or(Vec::new(), |&id| inputs(id)));
                }
            }
            let Some(&id) = rest.next_back() else { return };
            let may_fail = match Function::of(&posted(id).attrs) {
                Some(Function::Polynomial(poly)) => poly.terms().iter().any(|&(_, factor)| factor < 0),
                _ => false,
            };
            if may_fail && !results(id).iter().any(|result| mentioned.contains(result)) {
                found.remove(&id);
                results(id).iter().for_each(|result| drop(from.remove(result)));
                pending.append_all(inputs(id));
            }
        }
    }

    /// The unknowns that an equation with this result defines: the result, or the dims of a shape of nothing else.
    pub(crate) fn defined_by(&self, result: TermId) -> Vec<TermId> {
        let results: Vec<TermId> = match self.solver.head(result) {
            Term::Shape(dims) => self.solver.items(dims).iter().map(|&dim| self.solver.root(dim)).list(),
            _ => vec![self.solver.root(result)],
        };
        if results.iter().all(|&result| self.solver.head(result).is_hole()) { results } else { Vec::new() }
    }

    /// The parts that a shape is put together from, in order, by the equations that are `known` of shapes. Each is taken
    /// apart once: a shape may be put together from its own parts.
    fn parts_of(&self, shape: TermId, known: &HashMap<TermId, &Posted>, met: &mut Vec<TermId>) -> Vec<TermId> {
        let shape = self.solver.root(shape);
        let is_dim = self.solver.head(shape).kind() == Kind::Dim;
        if is_dim || met.len() >= MAX_MET || met.contains(&shape) {
            return vec![shape];
        }
        met.push(shape);
        let mut all = |parts: &[TermId]| parts.iter().list_all(|&part| self.parts_of(part, known, met));
        if let Term::Shape(parts) | Term::Splice(parts) = self.solver.head(shape) {
            return all(self.solver.items(parts));
        }
        let Some(posted) = known.get(&shape) else { return vec![shape] };
        let of = &posted.args[..posted.n_inputs()];
        let (from, to) = match Function::of(&posted.attrs) {
            Some(Function::Concat) => return all(of),
            Some(&Function::Slice(from, to)) => (from, to),
            _ => return vec![shape],
        };
        let mut parts = all(of);
        // One dim after the other; a shape that is left alone is cut whatever its rank is.
        for (n, at_end) in [(from.unwrap_or(0), false), (to.unwrap_or(0).saturating_neg(), true)] {
            for _ in 0..n {
                if parts.len() < 2 {
                    return vec![shape];
                }
                let at = if at_end { parts.len() - 1 } else { 0 };
                // What cannot be cut has no value, and is a parameter.
                if self.solver.head(parts[at]).kind() != Kind::Dim {
                    return vec![shape];
                }
                parts.remove(at);
            }
        }
        if from.unwrap_or(0) < 0 || to.unwrap_or(-1) > 0 { vec![shape] } else { parts }
    }

    /// Whether a function has a value once the unknowns are parameters. A place of shapes that are put together has
    /// none behind a part whose rank is unknown: `(..sh, N)[1]`. `known` are equations of shapes.
    fn is_certain(&self, posted: &Posted, known: &HashMap<TermId, &Posted>) -> bool {
        let (Some(function), Some(&shape)) = (Function::of(&posted.attrs), posted.args.first()) else { return true };
        if !matches!(function, Function::Index(_) | Function::Slice(..)) {
            return true;
        }
        let parts = self.parts_of(shape, known, &mut Vec::new());
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
}
