//! Arguments of parameters whose types have a `?`.
//!
//! A `?` takes any size and, as in Relay, says nothing of the argument's: where `@f` takes a `Tensor[(?), float32]`,
//! `let %y = @f(%x); %x` has the size that `%x` had before. Only a size that nothing else says is a `?` itself.

use crate::walk::Inference;
use crate::why::Why;
use base::ToList;
use hir::ExprId;
use solve::{Cause, Copier};
use ty::{Dim, Kind, Term, TermId, Terms};

impl Inference<'_> {
    /// Hands an argument over for a parameter of this type.
    pub(crate) fn argument(&mut self, param: TermId, argument: ExprId, why: Why) {
        let cause = self.cause(why);
        let asked = self.asked(param, cause);
        self.expect(asked, argument, cause);
    }

    /// What a parameter's type asks of its argument: a size of its own for each `?`, in tensors and in tuples. What is in
    /// a cell may be replaced, and a function called, with another size: there the `?` stays.
    fn asked(&mut self, param: TermId, cause: Cause) -> TermId {
        if !self.solver.dynamics {
            return param;
        }
        let (mut found, mut pending) = (Vec::new(), vec![param]);
        while let Some(term) = pending.pop() {
            match self.solver.head(term) {
                Term::Tensor { shape, .. } => pending.push(shape),
                Term::Tuple(parts) | Term::Shape(parts) => pending.extend_from_slice(self.solver.items(parts)),
                Term::Dim(Dim::ANY) => found.push(self.solver.root(term)),
                _ => {}
            }
        }
        if found.is_empty() {
            return param;
        }
        let sizes = found.iter().map(|_| self.solver.fresh(Term::hole(Kind::Dim), cause)).list();
        self.taken_as_any.extend(sizes.iter().map(|&size| (size, cause)));
        let mut copier = Copier::new([], false, cause).replacing(found.into_iter().zip(sizes));
        self.solver.copy(&mut copier, param)
    }

    /// At the end of a group: of which of these sizes nothing else is known.
    pub(crate) fn settle_taken(&mut self) {
        for (size, cause) in std::mem::take(&mut self.taken_as_any) {
            if self.solver.head(size) == Term::Dim(Dim::UNKNOWN) {
                let any = self.solver.fresh(Term::Dim(Dim::ANY), cause);
                self.solver.equal(any, size, cause);
            }
        }
        self.solver.solve();
    }
}
