//! Generalisation: unknowns and the relations that wait on them leave the solver for a scheme.

use crate::solver::{RelationId, Solver, State};
use crate::store::Cause;
use crate::trace::{Event, Log, Woken};
use rustc_hash::{FxHashMap, FxHashSet};
use ty::{Function, ParamId, Term, TermId, Terms};

impl<L: Log> Solver<L> {
    /// The unknowns below `ids`, in the order they print, each once. A `?` is none.
    pub fn holes(&self, ids: &[TermId]) -> Vec<TermId> {
        self.collect(ids, Term::is_hole)
    }

    /// The classes below `ids` whose terms are wanted, in the order they print, each once.
    pub fn roots_where(&self, ids: &[TermId], wanted: impl Fn(Term) -> bool) -> Vec<TermId> {
        self.collect(ids, wanted)
    }

    fn collect(&self, ids: &[TermId], wanted: impl Fn(Term) -> bool) -> Vec<TermId> {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut found = Vec::new();
        let mut stack: Vec<TermId> = ids.iter().rev().copied().collect();
        while let Some(id) = stack.pop() {
            let root = self.root(id);
            if !seen.insert(root) {
                continue;
            }
            let term = self.store.head(root);
            if wanted(term) {
                found.push(root);
            }
            let from = stack.len();
            self.for_parts(term, |part| stack.push(part));
            stack[from..].reverse();
        }
        found
    }

    /// Takes waiting relations out of the solver, then binds each hole to the parameter that stands for it.
    pub fn quantify(&mut self, relations: &[RelationId], holes: &[(TermId, ParamId)], cause: Cause) {
        let taken = self.take_out(relations);
        self.store.log.push(|| Event::Quantify { relations: taken });
        for &(hole, param) in holes {
            let kind = self.head(hole).kind();
            self.bind(self.root(hole), Term::param(param, kind), cause);
        }
    }

    pub(crate) fn take_out(&mut self, relations: &[RelationId]) -> Vec<Woken> {
        let taken = relations.iter().map(|&relation| Woken { relation, waits: self.leave_wait(relation) }).collect();
        for relation in relations {
            self.relations[relation.0 as usize].state = State::Quantified;
        }
        taken
    }

    /// A shape whose parts have become known may be a simpler one: `(..S[:-1], N)` is `S` if `N` is `S[-1]`. Looks at
    /// the cells from `first` on.
    pub fn join_parts(&mut self, first: usize, cause: Cause) {
        for id in (first..self.store.len()).map(|i| TermId(i as u32)) {
            let Term::Splice(parts) = self.head(id) else { continue };
            if self.root(id) != id {
                continue;
            }
            let items = self.items(parts).to_vec();
            let Some(joined) = self.value(&Function::Concat, &items, cause) else { continue };
            let term = self.head(joined);
            if !matches!(term, Term::Splice(joined) if joined.len == parts.len) {
                self.bind(id, term, cause);
            }
        }
    }

    /// Finds the infinite types among the cells from `first` on, cuts each at its latest equation and returns where:
    /// the class, and the equation's cause.
    pub fn cycles(&mut self, first: usize) -> Vec<(TermId, Cause)> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            OnPath,
            Done,
        }
        let mut marks: FxHashMap<TermId, Mark> = FxHashMap::default();
        let mut found = Vec::new();
        for start in (first..self.store.len()).map(|i| TermId(i as u32)) {
            let mut path: Vec<TermId> = Vec::new();
            let mut stack = vec![(start, false)];
            while let Some((id, leave)) = stack.pop() {
                let root = self.root(id);
                if leave {
                    marks.insert(root, Mark::Done);
                    path.pop();
                    continue;
                }
                match marks.get(&root) {
                    Some(Mark::Done) => {}
                    Some(Mark::OnPath) => {
                        let at = path.iter().position(|&on| on == root).unwrap_or(0);
                        let latest = path[at..].iter().copied().max_by_key(|&on| self.store.learned(on));
                        let latest = latest.unwrap_or(root);
                        if !matches!(self.head(latest), Term::Error(_)) {
                            let cause = self.store.learned(latest);
                            found.push((latest, cause));
                            let kind = self.head(latest).kind();
                            self.bind(latest, Term::Error(kind), cause);
                        }
                    }
                    None => {
                        let term = self.store.head(root);
                        let from = stack.len();
                        self.for_parts(term, |part| stack.push((part, false)));
                        if stack.len() == from {
                            marks.insert(root, Mark::Done);
                        } else {
                            marks.insert(root, Mark::OnPath);
                            path.push(root);
                            stack.insert(from, (root, true));
                        }
                    }
                }
            }
        }
        found
    }
}
