//! Words about layers of TensorScript, which are told by the names that they have in the text.

use crate::error::Wording;
use crate::why::Why;
use base::Diagnostic;
use hir::net::{Applied, Stage};
use solve::{Failure, Posted};
use ty::{Dim, Extent, Reason, Term, Terms};

impl Wording<'_> {
    /// The layer that a relation is a part of, or whose input it is about.
    pub(crate) fn stage_at(&self, posted: &Posted) -> Option<&Stage> {
        let stage = match self.why(posted.cause) {
            Why::Expr(expr) => self.module.stage_of(expr),
            Why::Let { value, .. } => self.module.stages.iter().find(|stage| stage.input == value),
            _ => None,
        };
        stage.filter(|stage| matches!(stage.applied, Applied::View(_)) || stage.layer(self.module).is_some())
    }

    /// `fc1` (`Linear`).
    pub(crate) fn layer_name(&self, stage: &Stage) -> String {
        let (name, _) = stage.named(self.module);
        match stage.layer(self.module) {
            Some((layer, _)) if layer.name != name => format!("`{name}` (`{}`)", layer.name),
            _ => format!("`{name}`"),
        }
    }

    /// A layer that takes so many features and receives another number.
    pub(crate) fn features(&self, stage: &Stage, failure: &Failure) -> Option<Diagnostic> {
        let solver = &self.inferred.solver;
        let (layer, args) = stage.layer(self.module)?;
        let Reason::Unequal { left, right, .. } = failure.reason else { return None };
        let argument = layer.size_in()?;
        let takes = hir::layers::int(args, argument);
        let Term::Tensor { shape, .. } = solver.head(self.inferred.exprs[stage.input]?) else { return None };
        let Term::Shape(dims) = solver.head(shape) else { return None };
        let dims = solver.items(dims);
        let given = *dims.get(layer.features_axis(dims.len())?)?;
        match solver.head(given) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) if number == takes => return None,
            Term::Dim(Dim { extent: Extent::Number(_) | Extent::Param(_), .. }) => {}
            _ => return None,
        }
        let (name, made_of) = stage.named(self.module);
        let what = if argument.contains("ch") { "channels" } else { "features" };
        let message = format!("`{name}` is `{made_of}`, but receives {} {what}", self.size(given));
        let error = Diagnostic::error("type-mismatch", stage.span, message);
        let input = self.module.exprs[stage.input].span;
        let error = error.label(input, self.print(self.inferred.exprs[stage.input]?));
        Some(self.with_origins(error, stage.span, &[left, right]))
    }
}
