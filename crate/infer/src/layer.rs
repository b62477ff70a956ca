//! Words about layers of TensorScript, which are told by the names that they have in the text.

use crate::Inferred;
use crate::error::{TypeError, Wording};
use crate::why::Why;
use base::{Append, Diagnostic, HashMap, MapArray};
use hir::layers::LayerKind;
use hir::net::{Applied, Stage};
use hir::{ExprId, ExprKind, LayerFault, Module};
use solve::{Failure, Posted, RelationId};
use ty::{Dim, Extent, ParamId, Reason, Term, TermId, Terms};

/// Tells of layers that are applied to values of a rank that only the operators take which they are made of.
pub(crate) fn check_ranks(module: &Module, inferred: &Inferred, errors: &mut Vec<TypeError>) {
    let solver = &inferred.solver;
    if module.stages.is_empty() {
        return;
    }
    // What each parameter of a definition is where that is mentioned.
    let mut given: HashMap<ParamId, Vec<TermId>> = HashMap::default();
    for (mention, args) in &inferred.instances {
        let ExprKind::Def(def) = module.exprs[*mention].kind else { continue };
        let params = inferred.defs[def].iter().flat_map(|scheme| scheme.params.iter().copied());
        params.zip(args).for_each(|(param, &arg)| given.entry(param).or_default().push(arg));
    }
    for (posted, id) in solver.relations().iter().zip(0..) {
        let Why::Expr(expr) = inferred.whys[posted.cause.0 as usize] else { continue };
        let Some(stage) = module.stage_of(expr) else { continue };
        let (Some((layer, args)), Some(input)) = (stage.layer(module), inferred.exprs[stage.input]) else { continue };
        // Of the operators of a layer, the one that is applied first.
        if posted.args.first().is_none_or(|&first| solver.root(first) != solver.root(input)) {
            continue;
        }
        let start = hir::layers::int(args, "start_dim");
        let reason = |rank: usize| match layer.ranks() {
            Some((least, most, want)) => {
                (rank < least || rank > most).then(|| Reason::Rank { operand: 0, want: want.into(), found: rank })
            }
            None => (layer.kind == LayerKind::Flatten && start == rank as i64).then_some(Reason::Axis {
                attr: "start_dim",
                axis: start,
                rank,
            }),
        };
        if let Some(reason) = ranks(inferred, &given, input).into_iter().find_map(reason) {
            errors.push(TypeError::Failed(Failure { relation: RelationId::numbered(id), reason }));
        }
    }
}

/// The ranks that values of a type have, in a polymorphic function those that it is applied to.
fn ranks(inferred: &Inferred, given: &HashMap<ParamId, Vec<TermId>>, ty: TermId) -> Vec<usize> {
    let solver = &inferred.solver;
    let (mut ranks, mut pending, mut seen) = (Vec::new(), vec![ty], Vec::new());
    while let Some(term) = pending.pop() {
        match solver.head(term) {
            Term::Tensor { shape, .. } => pending.push(shape),
            Term::Shape(dims) => ranks.push(dims.len as usize),
            Term::Param(param, _) if !seen.contains(&param) => {
                seen.push(param);
                pending.append_all(given.get(&param).into_iter().flatten().copied());
            }
            _ => {}
        }
    }
    base::sort(&mut ranks);
    ranks
}

/// The type of a tensor, and its dims.
fn tensor(inferred: &Inferred, value: ExprId) -> Option<(TermId, &[TermId])> {
    let solver = &inferred.solver;
    let input = inferred.exprs[value]?;
    let Term::Tensor { shape, .. } = solver.head(input) else { return None };
    let Term::Shape(dims) = solver.head(shape) else { return None };
    Some((input, solver.items(dims)))
}

/// The axes that there are.
pub(crate) fn axes(rank: usize) -> String {
    match rank {
        0 => "a scalar has no axes".to_owned(),
        rank => format!("the axes are {} to {}", -(rank as i64), rank - 1),
    }
}

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

    /// The type of what a layer is applied to, and its dims.
    fn received(&self, stage: &Stage) -> Option<(TermId, &[TermId])> {
        tensor(self.inferred, stage.input)
    }

    /// A layer that takes so many features and receives another number.
    pub(crate) fn features(&self, stage: &Stage, failure: &Failure) -> Option<Diagnostic> {
        let solver = &self.inferred.solver;
        let (layer, args) = stage.layer(self.module)?;
        let Reason::Unequal { left, right, .. } = failure.reason else { return None };
        let argument = layer.size_in()?;
        let takes = hir::layers::int(args, argument);
        let (input, dims) = self.received(stage)?;
        let given = *dims.get(layer.features_axis(args, dims.len())?)?;
        match solver.head(given) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) if number == takes => return None,
            Term::Dim(Dim { extent: Extent::Number(_) | Extent::Param(_), .. }) => {}
            _ => return None,
        }
        let (name, made_of) = stage.named(self.module);
        let what = if base::find(argument, "ch").is_some() { "channels" } else { "features" };
        let message = format!("`{name}` is `{made_of}`, but receives {} {what}", self.size(given));
        let error = Diagnostic::error("type-mismatch", stage.span, message);
        let error = error.label(self.module.exprs[stage.input].span, self.print(input));
        Some(self.with_origins(error, stage.span, &[left, right]))
    }

    /// Two values that do not multiply, or one that is not turned or flattened for lack of axes.
    pub(crate) fn product(&self, stage: &Stage, failure: &Failure) -> Option<Diagnostic> {
        let (layer, layer_args) = stage.layer(self.module)?;
        let ExprKind::OpCall { args, .. } = &self.module.exprs[stage.expr].kind else { return None };
        let (code, at, message) = match (layer.kind, &failure.reason, &args[..]) {
            (LayerKind::Matmul, &Reason::Rank { operand, found, .. }, _) => {
                let message = format!("`matmul` multiplies [?, N, K] by [?, K, M], and this has rank {found}");
                ("rank-mismatch", self.module.exprs[args[operand]].span, message)
            }
            (LayerKind::Matmul, Reason::Unequal { .. }, &[a, b]) => {
                let (&[_, _, row], &[_, column, _]) = (tensor(self.inferred, a)?.1, tensor(self.inferred, b)?.1) else {
                    return None;
                };
                let (row, column) = (self.size(row), self.size(column));
                let message = format!("`matmul` multiplies rows of {row} numbers by columns of {column}");
                ("type-mismatch", stage.span, message)
            }
            (LayerKind::Flatten, Reason::Attr { .. } | Reason::Axis { .. }, _) => {
                let start = hir::layers::int(layer_args, "start_dim");
                let range = axes(match failure.reason {
                    Reason::Axis { rank, .. } => rank,
                    _ => self.received(stage)?.1.len(),
                });
                ("relation-check", stage.span, format!("`start_dim` of `flatten` is {start}, but {range}"))
            }
            (LayerKind::Transpose, Reason::Check(_), _) => {
                let rank = self.received(stage)?.1.len() as i64;
                let [a, b] = ["dim0", "dim1"].each(|name| hir::layers::int(layer_args, name));
                let is_axis = |axis: &i64| (-rank..rank).contains(axis);
                match [a, b].iter().all(is_axis) && (a - b) % rank == 0 {
                    true => ("layer-argument", stage.span, LayerFault::SameAxis.to_string()),
                    false => {
                        let called = stage.named(self.module).1;
                        let message = format!("`{called}` swaps axes that a value of rank {rank} has not");
                        ("relation-check", stage.span, message)
                    }
                }
            }
            _ => return None,
        };
        let labelled = if layer.kind == LayerKind::Matmul { &args[..] } else { std::slice::from_ref(&stage.input) };
        Some(self.with_operands(Diagnostic::error(code, at, message), labelled))
    }

    /// A `view` of rows on a value that has other rows.
    pub(crate) fn rows(&self, stage: &Stage) -> Option<Diagnostic> {
        let Applied::View(sizes) = &stage.applied else { return None };
        let solver = &self.inferred.solver;
        let (input, dims) = self.received(stage)?;
        let (-1, sizes) = sizes.split_first()? else { return None };
        let want = sizes.iter().try_fold(1_i64, |n, &size| n.checked_mul(size))?;
        let found = dims.get(1..)?.iter().try_fold(1_i64, |n, &dim| match solver.head(dim) {
            Term::Dim(Dim { extent: Extent::Number(size), .. }) => n.checked_mul(size),
            _ => None,
        })?;
        let (_, view) = stage.named(self.module);
        let message = format!("`{view}` makes rows of {want} numbers, but receives rows of {found}");
        let error = Diagnostic::error("type-mismatch", stage.span, message);
        (found != want).then(|| error.label(self.module.exprs[stage.input].span, self.print(input)))
    }
}
