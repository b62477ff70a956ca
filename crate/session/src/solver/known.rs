//! Whether all of a term is known, for many terms at one stop.

use ty::{Term, TermId, Terms};

/// Remembers the answers, so that shared types are walked once.
pub(super) struct Known {
    /// By root.
    answers: Vec<Option<bool>>,
}

impl Known {
    /// For a store of so many terms.
    pub fn new(n_terms: usize) -> Known {
        Known { answers: vec![None; n_terms] }
    }

    /// Whether nothing below a term is unknown. What contains itself is as known as the rest of it.
    pub fn is_known(&mut self, terms: &impl Terms, id: TermId) -> bool {
        let root = terms.root(id);
        if let Some(answer) = self.answers[root.0 as usize] {
            return answer;
        }
        let mut stack = vec![(root, false)];
        while let Some((root, parts_done)) = stack.pop() {
            let term = terms.head(root);
            if parts_done {
                let mut is_known = true;
                terms.for_parts(term, |part| is_known &= self.answer(terms, part));
                self.answers[root.0 as usize] = Some(is_known);
            } else if self.answers[root.0 as usize].is_none() {
                let is_leaf = term.is_leaf();
                self.answers[root.0 as usize] = Some(!term.is_hole() && !matches!(term, Term::Error(_)));
                if !is_leaf {
                    stack.push((root, true));
                    terms.for_parts(term, |part| stack.push((terms.root(part), false)));
                }
            }
        }
        self.answer(terms, id)
    }

    fn answer(&self, terms: &impl Terms, id: TermId) -> bool {
        self.answers[terms.root(id).0 as usize].unwrap_or(false)
    }
}
