//! The union-find store.

use crate::trace::{Before, Event, Moved, Trace, Woken};
use base::{HashMap, Idx, IndexVec};
use std::sync::Arc;
use ty::{Atom, List, Poly, PolyId, Term, TermId, Terms};

/// Why something was done: an index into the table of causes that the caller keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cause(pub u32);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    /// Meaningful at a root only.
    term: Term,
    /// Itself at a root.
    parent: TermId,
    /// How many cells the class has, at a root.
    size: u32,
    /// Why the cell was made.
    origin: Cause,
    /// The cell that the term was first said of.
    source: TermId,
    /// Why the class was last told something.
    learned: Cause,
}

#[derive(Clone, Debug)]
pub struct Store {
    cells: IndexVec<TermId, Cell>,
    lists: Vec<TermId>,
    /// Shared with the stores that began as copies of this one, until one makes a new polynomial.
    polys: Arc<Polys>,
    pub log: Trace,
}

#[derive(Clone, Debug, Default)]
struct Polys {
    all: IndexVec<PolyId, Poly<Atom>>,
    ids: HashMap<Poly<Atom>, PolyId>,
}

impl Store {
    pub fn new(log: Trace) -> Store {
        Store { cells: IndexVec::new(), lists: Vec::new(), polys: Arc::default(), log }
    }

    /// A copy with another log.
    pub fn beginning(&self, log: Trace) -> Store {
        Store { cells: self.cells.clone(), lists: self.lists.clone(), polys: self.polys.clone(), log }
    }

    pub fn reserve(&mut self, n: usize) {
        self.cells.reserve(n);
        self.lists.reserve(n);
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Mutator: a new class with one cell.
    pub fn fresh(&mut self, term: Term, cause: Cause) -> TermId {
        let id = TermId::new(self.cells.len());
        self.log.push(|| Event::Fresh { id, term, cause });
        self.cells.push(Cell { term, parent: id, size: 1, origin: cause, source: id, learned: cause })
    }

    /// Mutator: tells a class something; `id` is its root, `woken` are the relations that waited for it.
    /// `source` is the cell that the new term was first said of.
    pub fn bind(&mut self, id: TermId, new: Term, source: TermId, cause: Cause, woken: &[Woken]) {
        let Cell { term: old, learned, source: old_source, .. } = self.cells[id];
        self.log.push(|| {
            let before = Box::new(Before { term: old, source: old_source, learned });
            Event::Bind { id, before, new, source, cause, woken: Moved::new(woken) }
        });
        self.cells[id].term = new;
        self.cells[id].source = source;
        self.cells[id].learned = cause;
    }

    /// Mutator: makes two classes one. Both are roots; the term of `child` is hidden. `cells` are those in them that
    /// turned out to be equal.
    pub fn link(&mut self, child: TermId, parent: TermId, cells: (TermId, TermId), cause: Cause, woken: &[Woken]) {
        let hidden = self.cells[child].term;
        let learned = self.cells[parent].learned;
        self.log.push(|| Event::Link { child, parent, cells, hidden, learned, cause, woken: Moved::new(woken) });
        self.cells[child].parent = parent;
        self.cells[parent].size += self.cells[child].size;
        self.cells[parent].learned = cause;
    }

    /// Takes an event of a mutator back. Events must be undone last first.
    pub fn undo(&mut self, event: &Event) {
        match *event {
            Event::Fresh { .. } => {
                self.cells.pop();
            }
            Event::Bind { id, ref before, .. } => {
                let Before { term, source, learned } = **before;
                self.cells[id].term = term;
                self.cells[id].source = source;
                self.cells[id].learned = learned;
            }
            Event::Link { child, parent, hidden, learned, .. } => {
                self.cells[child].parent = child;
                self.cells[child].term = hidden;
                self.cells[parent].size -= self.cells[child].size;
                self.cells[parent].learned = learned;
            }
            Event::Post { .. } | Event::Step { .. } | Event::Quantify { .. } => {}
        }
    }

    /// Lists are immutable and only ever added, so they are no part of the trace.
    pub fn list(&mut self, items: &[TermId]) -> List {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        List { start, len: items.len() as u32 }
    }

    /// The id of a polynomial. Like lists, polynomials are immutable and no part of the trace.
    pub fn intern(&mut self, poly: Poly<Atom>) -> PolyId {
        if let Some(&id) = self.polys.ids.get(&poly) {
            return id;
        }
        let polys = Arc::make_mut(&mut self.polys);
        let id = polys.all.push(poly.clone());
        polys.ids.insert(poly, id);
        id
    }

    pub fn size(&self, root: TermId) -> u32 {
        self.cells[root].size
    }

    /// The cell that this one was linked to, itself at a root.
    pub fn parent(&self, id: TermId) -> TermId {
        self.cells[id].parent
    }

    /// Why what is known of the class was first said.
    pub fn origin(&self, id: TermId) -> Cause {
        self.cells[self.cells[self.root(id)].source].origin
    }

    /// Why this cell was made, whatever is known of its class.
    pub fn made_by(&self, id: TermId) -> Cause {
        self.cells[id].origin
    }

    /// The cell that the term of a root was first said of.
    pub fn source(&self, root: TermId) -> TermId {
        self.cells[root].source
    }

    /// Why the class of `id` was last told something.
    pub fn learned(&self, id: TermId) -> Cause {
        self.cells[self.root(id)].learned
    }

    /// Whether two stores hold the same cells; their lists and logs are not compared.
    pub fn same_cells(&self, other: &Store) -> bool {
        self.cells.as_slice() == other.cells.as_slice()
    }

    /// Forgets everything, for stores that serve one small question after the other.
    pub fn clear(&mut self) {
        self.cells.truncate(0);
        self.lists.clear();
        if !self.polys.ids.is_empty() {
            self.polys = Arc::default();
        }
    }
}

impl Terms for Store {
    fn root(&self, mut id: TermId) -> TermId {
        loop {
            let parent = self.cells[id].parent;
            if parent == id {
                return id;
            }
            id = parent;
        }
    }

    fn head(&self, id: TermId) -> Term {
        self.cells[self.root(id)].term
    }

    fn items(&self, list: List) -> &[TermId] {
        &self.lists[list.start as usize..(list.start + list.len) as usize]
    }

    fn poly(&self, id: PolyId) -> &Poly<Atom> {
        &self.polys.all[id]
    }
}
