//! How an operator stretches its operands until they have one shape.
//!
//! Worked example: `%pred - %y` of `(64, 1)` and `(64,)`. Lined up from the right, `%pred` is repeated along axis 1,
//! and `%y`, which has no axis 0, along that.

use crate::Analysis;
use crate::page::span_view;
use crate::view::solver::{StretchView, StretchedView};
use base::{Span, ToList};
use hir::{ExprId, ExprKind};
use op::OpId;
use ty::{Term, TermId, Terms};

/// Of the operator that is called at a span, if it stretches an operand.
pub(crate) fn stretch(analysis: &Analysis, at: Span) -> Option<StretchView> {
    let Analysis { module, text, lines, .. } = analysis;
    let mut exprs = module.exprs.iter_enumerated().skip(module.start.exprs);
    let (call, args) = exprs.find_map(|(id, expr)| match &expr.kind {
        ExprKind::OpCall { op, args, .. } if expr.span == at && broadcasts(*op) => Some((id, args)),
        _ => None,
    })?;
    let result = shape(analysis, call)?;
    let mut operands = Vec::new();
    for &arg in args {
        let dims = shape(analysis, arg)?;
        let n_missing = result.len().checked_sub(dims.len())?;
        let span = module.exprs[arg].span;
        let (mut shown, mut is_repeated) = (base::filled(None, n_missing), base::filled(true, n_missing));
        for (&dim, &whole) in dims.iter().zip(&result[n_missing..]) {
            shown.push(Some(print(analysis, dim)));
            is_repeated.push(is_one(analysis, dim) && !is_one(analysis, whole));
        }
        operands.push(StretchedView {
            of: text.get(span.start as usize..span.end as usize).unwrap_or("").to_owned(),
            span: span_view(lines, span),
            dims: shown,
            is_repeated,
        });
    }
    let is_stretched = operands.iter().any(|operand| operand.is_repeated.contains(&true));
    let result = result.iter().map(|&dim| print(analysis, dim)).list();
    is_stretched.then_some(StretchView { operands, result })
}

fn broadcasts(op: OpId) -> bool {
    matches!(op.row().relation.name, "Broadcast" | "BroadcastComp")
}

fn shape(analysis: &Analysis, expr: ExprId) -> Option<Vec<TermId>> {
    let solver = &analysis.inferred.solver;
    let Term::Tensor { shape, .. } = solver.head(analysis.inferred.exprs[expr]?) else { return None };
    let Term::Shape(dims) = solver.head(shape) else { return None };
    Some(solver.items(dims).to_vec())
}

fn is_one(analysis: &Analysis, dim: TermId) -> bool {
    matches!(analysis.inferred.solver.head(dim), Term::Dim(dim) if dim == ty::Dim::number(1))
}

fn print(analysis: &Analysis, dim: TermId) -> String {
    analysis.inferred.print(&analysis.module, dim).text
}
