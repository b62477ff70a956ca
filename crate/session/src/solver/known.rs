//! Whether all of a term is known, for many terms at one stop; and since when each is.

use super::stops::Index;
use base::{Append, Idx, ToList};
use solve::{Event, Solver};
use ty::{Term, TermId, Terms};

/// Remembers the answers, so that shared types are walked once.
pub(super) struct Known {
    /// By root.
    answers: Vec<Option<bool>>,
}

impl Known {
    /// For a store of so many terms.
    pub fn new(n_terms: usize) -> Known {
        Known { answers: base::filled(None, n_terms) }
    }

    /// Whether nothing below a term is unknown. What contains itself is as known as the rest of it.
    pub fn is_known(&mut self, terms: &dyn Terms, id: TermId) -> bool {
        let root = terms.root(id);
        if let Some(answer) = self.answers[root.number() as usize] {
            return answer;
        }
        let mut stack = vec![(root, false)];
        while let Some((root, parts_done)) = stack.pop() {
            let term = terms.head(root);
            if parts_done {
                let mut is_known = true;
                ty::for_parts(terms, term, &mut |part| is_known &= self.answer(terms, part));
                self.answers[root.number() as usize] = Some(is_known);
            } else if self.answers[root.number() as usize].is_none() {
                let is_leaf = term.is_leaf();
                self.answers[root.number() as usize] = Some(!term.is_hole() && !matches!(term, Term::Error(_)));
                if !is_leaf {
                    stack.push((root, true));
                    ty::for_parts(terms, term, &mut |part| stack.push((terms.root(part), false)));
                }
            }
        }
        self.answer(terms, id)
    }

    fn answer(&self, terms: &dyn Terms, id: TermId) -> bool {
        self.answers[terms.root(id).number() as usize].unwrap_or(false)
    }
}

/// What a cell's being known hangs on, besides the event.
#[derive(Clone, Copy)]
enum Said {
    /// It is an unknown to the end.
    Nothing,
    Term(Term),
    /// The class that the unknown was linked with.
    Like(TermId),
}

/// From when on each cell is known, as the trace says: since then, whatever else its class is told, nothing below it is
/// unknown.
pub(super) struct KnownFrom<'a> {
    whole: &'a Solver,
    /// By cell, what was said of it first, and how many events were done then.
    said: Vec<(u32, Said)>,
    /// By cell, once it has been asked for.
    answers: Vec<Option<u32>>,
    at_end: Known,
}

impl<'a> KnownFrom<'a> {
    pub fn new(whole: &'a Solver, index: &Index) -> KnownFrom<'a> {
        let n = whole.store.len();
        let library = (0..index.first_term).map(|id| (0, Said::Term(whole.head(TermId::numbered(id)))));
        let mut said: Vec<(u32, Said)> = library.list();
        said.resize(n, (u32::MAX, Said::Nothing));
        for (done, event) in (1..).zip(&whole.store.log.events) {
            let (id, what) = match *event {
                Event::Fresh { id, term, .. } => (id, Said::Term(term)),
                Event::Bind { id, new, .. } => (id, Said::Term(new)),
                Event::Link { child, parent, .. } => (child, Said::Like(parent)),
                Event::Post { .. } | Event::Step { .. } | Event::Quantify { .. } => continue,
            };
            let is_hole = matches!(what, Said::Term(term) if term.is_hole());
            let place = &mut said[id.index()];
            if matches!(place.1, Said::Nothing) && !is_hole {
                *place = (done, what);
            }
        }
        KnownFrom { whole, said, answers: base::filled(None, n), at_end: Known::new(n) }
    }

    /// How many events must be done for all of a term to be known; more than there are, if it never is.
    pub fn of(&mut self, id: TermId) -> u32 {
        if !self.at_end.is_known(self.whole, id) {
            return u32::MAX;
        }
        let mut stack = vec![(id, false)];
        while let Some((id, parts_done)) = stack.pop() {
            let (done, said) = self.said[id.index()];
            let mut parts: Vec<TermId> = Vec::new();
            match said {
                Said::Nothing => {}
                Said::Like(other) => parts.push(other),
                Said::Term(term) => self.whole.for_parts(term, |part| parts.push(part)),
            }
            if parts_done {
                let latest = parts.iter().filter_map(|part| self.answers[part.index()]).fold(done, u32::max);
                self.answers[id.index()] = Some(latest);
            } else if self.answers[id.index()].is_none() {
                // What contains itself is as known as the rest of it.
                self.answers[id.index()] = Some(done);
                if !parts.is_empty() {
                    stack.push((id, true));
                    stack.append_all(parts.into_iter().map(|part| (part, false)));
                }
            }
        }
        self.answers[id.index()].unwrap_or(u32::MAX)
    }
}
