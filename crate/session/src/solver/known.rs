//! Whether all of a term is known, for many terms at one stop.

use rustc_hash::FxHashMap;
use ty::{Term, TermId, Terms};

/// Remembers the answers, so that shared types are walked once.
#[derive(Default)]
pub(super) struct Known {
    answers: FxHashMap<TermId, bool>,
}

impl Known {
    /// Whether nothing below a term is unknown. What contains itself is as known as the rest of it.
    pub fn is_known(&mut self, terms: &impl Terms, id: TermId) -> bool {
        let mut stack = vec![(terms.root(id), false)];
        while let Some((root, parts_done)) = stack.pop() {
            let term = terms.head(root);
            if parts_done {
                let mut is_known = true;
                terms.for_parts(term, |part| is_known &= self.answer(terms, part));
                self.answers.insert(root, is_known);
            } else if !self.answers.contains_key(&root) {
                let is_leaf = term.is_leaf();
                self.answers.insert(root, !term.is_hole() && !matches!(term, Term::Error(_)));
                if !is_leaf {
                    stack.push((root, true));
                    terms.for_parts(term, |part| stack.push((terms.root(part), false)));
                }
            }
        }
        self.answer(terms, id)
    }

    fn answer(&self, terms: &impl Terms, id: TermId) -> bool {
        self.answers.get(&terms.root(id)).copied().unwrap_or(false)
    }
}
