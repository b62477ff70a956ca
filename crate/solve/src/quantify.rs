//! Generalisation: unknowns and the relations that wait on them leave the solver for a scheme.

use crate::solver::{Args, RelationId, Solver, State};
use crate::store::Cause;
use crate::trace::{Event, Woken};
use base::{Append, HashMap, IdMap, ToList};
use ty::{COPY, Function, ParamId, Term, TermId, Terms};

impl Solver {
    /// The unknowns below `ids`, in the order they print, each once. A `?` is none.
    pub fn holes(&self, ids: &[TermId]) -> Vec<TermId> {
        self.collect(ids, &Term::is_hole)
    }

    /// The classes below `ids` whose terms are wanted, in the order they print, each once.
    pub fn roots_where(&self, ids: &[TermId], wanted: impl Fn(Term) -> bool) -> Vec<TermId> {
        self.collect(ids, &wanted)
    }

    fn collect(&self, ids: &[TermId], wanted: &dyn Fn(Term) -> bool) -> Vec<TermId> {
        let mut seen: IdMap<TermId, ()> = IdMap::default();
        let mut found = Vec::new();
        let mut stack: Args = ids.iter().rev().copied().list();
        while let Some(id) = stack.pop() {
            let root = self.root(id);
            let term = self.store.head(root);
            let is_wanted = wanted(term);
            // What is neither wanted nor has parts need not be remembered.
            if (!is_wanted && term.is_leaf()) || !seen.insert(root, ()) {
                continue;
            }
            if is_wanted {
                found.push(root);
            }
            let from = stack.len();
            match term {
                // Rows print in the order of their names.
                Term::Sum(row) => {
                    let (mut variants, rest) = self.row(row);
                    base::sort_by_key(&mut variants, |variant| variant.name);
                    let fields = variants.into_iter().flat_map(|variant| self.items(variant.fields)).copied();
                    stack.append_all(fields.chain([rest]));
                }
                _ => self.for_parts(term, |part| stack.push(part)),
            }
            stack[from..].reverse();
        }
        found
    }

    /// Takes waiting relations out of the solver, then binds each hole to the parameter that stands for it.
    pub fn quantify(&mut self, relations: &[RelationId], holes: &[(TermId, ParamId)], cause: Cause) {
        let taken = self.take_out(relations);
        self.store.log.push(|| Event::Quantify { relations: taken, cause });
        for &(hole, param) in holes {
            let kind = self.head(hole).kind();
            self.bind(self.root(hole), Term::param(param, kind), cause);
        }
    }

    pub(crate) fn take_out(&mut self, relations: &[RelationId]) -> Vec<Woken> {
        let taken = relations.iter().map(|&relation| Woken { relation, waits: self.leave_wait(relation) }).list();
        for relation in relations {
            self.relations[relation.number() as usize].state = State::Quantified;
        }
        taken
    }

    /// Whether a type, or a part of it, lies below itself, where what is copied into a type counts as its part: then
    /// copying it would not end.
    pub(crate) fn contains_its_copy(&self, id: TermId) -> bool {
        let mut sources: HashMap<TermId, Vec<TermId>> = HashMap::default();
        for posted in self.relations.iter().filter(|posted| posted.relation.is(&COPY)) {
            sources.entry(self.root(posted.args[1])).or_default().push(self.root(posted.args[0]));
        }
        let mut nodes = vec![self.root(id)];
        let mut places: HashMap<TermId, usize> = HashMap::from_iter([(nodes[0], 0)]);
        let mut edges: Vec<Vec<usize>> = Vec::new();
        // By node, how many of its edges lead to parts; the rest lead to what is copied.
        let mut n_parts: Vec<usize> = Vec::new();
        while let Some(&node) = nodes.get(edges.len()) {
            let mut reached = Vec::new();
            // The rest of a row is on one level with it.
            let mut same_level: Vec<TermId> = sources.get(&node).cloned().unwrap_or_default();
            match self.head(node) {
                Term::Row { fields, rest, .. } => {
                    reached.extend_from_slice(self.items(fields));
                    same_level.push(rest);
                }
                Term::Sum(row) => same_level.push(row),
                term => self.for_parts(term, |part| reached.push(part)),
            }
            n_parts.push(reached.len());
            let place_of = |id: TermId| {
                let root = self.root(id);
                *places.entry(root).or_insert_with(|| {
                    nodes.push(root);
                    nodes.len() - 1
                })
            };
            edges.push(reached.into_iter().chain(same_level).map(place_of).list());
        }
        let mut component = base::filled(0, edges.len());
        for (number, members) in base::components(&edges).iter().enumerate() {
            members.iter().for_each(|&member| component[member] = number);
        }
        let leads_back = |from: usize| edges[from][..n_parts[from]].iter().any(|&to| component[to] == component[from]);
        (0..edges.len()).any(leads_back)
    }

    /// A shape whose parts have become known may be a simpler one: `(..S[:-1], N)` is `S` if `N` is `S[-1]`. Looks at
    /// the cells from `first` on.
    pub fn join_parts(&mut self, first: usize, cause: Cause) {
        for id in (first..self.store.len()).map(|i| TermId::numbered(i as u32)) {
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

    /// Finds the infinite types among the cells from `first` on and those below `older`, cuts each at its latest
    /// equation and returns where.
    pub fn cycles(&mut self, first: usize, older: &[TermId]) -> Vec<Cycle> {
        let mut marks = Marks::new(first, self.store.len());
        let mut found = Vec::new();
        let mut path: Vec<TermId> = Vec::new();
        let mut stack: Vec<(TermId, bool)> = Vec::new();
        let new = (first..self.store.len()).map(|i| TermId::numbered(i as u32));
        for start in older.iter().copied().chain(new) {
            stack.push((start, false));
            while let Some((id, leave)) = stack.pop() {
                let root = self.root(id);
                if leave {
                    marks.set(root, Mark::Done);
                    path.pop();
                    continue;
                }
                match marks.get(root) {
                    Some(Mark::Done) => {}
                    Some(Mark::OnPath) => {
                        let at = path.iter().position(|&on| on == root).unwrap_or(0);
                        let latest = path[at..].iter().copied().max_by_key(|&on| self.store.learned(on));
                        let latest = latest.unwrap_or(root);
                        if !matches!(self.head(latest), Term::Error(_)) {
                            let cause = self.store.learned(latest);
                            let term = self.head(latest);
                            let whole = self.fresh(term, cause);
                            found.push(Cycle { class: latest, whole, cause });
                            let kind = term.kind();
                            self.bind(latest, Term::Error(kind), cause);
                        }
                    }
                    None => {
                        let term = self.store.head(root);
                        let from = stack.len();
                        self.for_parts(term, |part| {
                            if marks.get(self.root(part)) != Some(Mark::Done) {
                                stack.push((part, false));
                            }
                        });
                        if stack.len() == from {
                            marks.set(root, Mark::Done);
                        } else {
                            marks.set(root, Mark::OnPath);
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

/// A type that would contain itself.
#[derive(Clone, Copy, Debug)]
pub struct Cycle {
    /// What is known of it no more.
    pub class: TermId,
    /// What it would have been, with nothing known of it where it contains itself.
    pub whole: TermId,
    /// The latest equation's.
    pub cause: Cause,
}

/// Where a search has been.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    OnPath,
    Done,
}

/// Marks of classes. Those from `first` on are many, older ones few.
struct Marks {
    first: usize,
    new: Vec<Option<Mark>>,
    old: HashMap<TermId, Mark>,
}

impl Marks {
    fn new(first: usize, end: usize) -> Marks {
        Marks { first, new: base::filled(None, end - first), old: HashMap::default() }
    }

    fn get(&self, root: TermId) -> Option<Mark> {
        match (root.number() as usize).checked_sub(self.first) {
            Some(at) => self.new[at],
            None => self.old.get(&root).copied(),
        }
    }

    fn set(&mut self, root: TermId, mark: Mark) {
        match (root.number() as usize).checked_sub(self.first) {
            Some(at) => self.new[at] = Some(mark),
            None => self.old.insert(root, mark),
        }
    }
}
