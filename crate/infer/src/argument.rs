//! Arguments of parameters whose types have a `?`.
//!
//! A `?` takes any size and, as in Relay, says nothing of the argument's: where `@f` takes a `Tensor[(?), float32]`,
//! `let %y = @f(%x); %x` has the size that `%x` had before. Only a size that nothing else says is a `?` itself. What is in
//! a cell may be replaced, and a function called, with another size: there the `?` stays.

use crate::walk::Inference;
use crate::why::Why;
use hir::ExprId;
use ty::{Dim, Term, TermId, Terms};

impl Inference<'_> {
    /// Hands an argument over for a parameter of this type.
    pub(crate) fn argument(&mut self, mut param: TermId, argument: ExprId, why: Why) {
        let cause = self.cause(why);
        if self.solver.dynamics {
            let sizes;
            (param, sizes) = self.solver.open_any(param, cause);
            self.taken_as_any.extend(sizes.into_iter().map(|size| (size, cause)));
        }
        self.expect(param, argument, cause);
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
