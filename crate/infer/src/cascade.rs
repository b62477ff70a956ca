//! Which errors say no more than others do.
//!
//! What a polymorphic function gives for an argument that it does not take, and what has the type of an error, is not
//! known; nor is what is computed of that. An error that asks for more of such a value than there is follows.
//!
//! Worked example: in `x |> self.f() |> relu`, where `f` takes another type, the result that the node's type asks for
//! is compared with what `relu` gives, which is computed of what `f` gives. Only the argument of `f` is told.

use crate::Inferred;
use crate::error::TypeError;
use crate::why::Why;
use base::{HashMap, HashSet, IndexVec, Span, ToList};
use hir::{ExprId, ExprKind, Module, Visit};
use solve::Failure;
use ty::{Reason, Term, Terms};

/// Takes out the errors that follow from others.
pub(crate) fn drop_followers(module: &Module, inferred: &Inferred, errors: &mut Vec<TypeError>) {
    let why = |error: &TypeError| match error {
        TypeError::Failed(failure) => Some(failure.relation),
        TypeError::UnderConstrained { relation, .. } => Some(*relation),
        _ => None,
    };
    let why = |error: &TypeError| {
        why(error).map(|relation| inferred.whys[inferred.solver.relation(relation).cause.0 as usize])
    };
    let is_polymorphic = |call: ExprId| match &module.exprs[call].kind {
        ExprKind::Call { callee, .. } => match module.exprs[*callee].kind {
            ExprKind::Def(def) => inferred.defs[def].as_ref().is_none_or(|scheme| !scheme.params.is_empty()),
            _ => false,
        },
        _ => true,
    };
    // Of what a function does not take it may be known all the same what it gives.
    let is_open = |expr: ExprId| inferred.exprs[expr].is_none_or(|ty| !inferred.solver.holes(&[ty]).is_empty());
    let wrong: HashSet<ExprId> = errors
        .iter()
        .filter_map(|error| match (why(error)?, error) {
            (Why::Argument { call, .. }, _) if is_polymorphic(call) && is_open(call) => Some(call),
            // An axis that there is not, and which is in the result all the same.
            (Why::Expr(expr), TypeError::Failed(Failure { reason: Reason::Axis { .. }, .. })) => Some(expr),
            _ => None,
        })
        .collect();
    // What is wrong within a definition, or has not been understood, is told there.
    let faults = errors.iter().filter_map(|error| match error {
        TypeError::UnderConstrained { .. } => None,
        &TypeError::Arity { call: expr, .. } | &TypeError::OperatorArity { expr, .. } => Some(module.exprs[expr].span),
        &TypeError::PatternArity { pat, .. } => Some(module.pats[pat].span),
        _ => why(error).map(|why| why.span(module)),
    });
    let gaps = module.exprs.iter().skip(module.start.exprs).filter(|expr| matches!(expr.kind, ExprKind::Error));
    let faults: Vec<Span> = faults.chain(gaps.map(|expr| expr.span)).list();
    let is_broken = |expr: ExprId| match module.exprs[expr].kind {
        ExprKind::Def(def) => {
            let around = module.functions[module.defs[def].function].span;
            faults.iter().any(|fault| around.contains(fault.start))
        }
        _ => false,
    };
    let mut lets = HashMap::default();
    for visit in &module.visits[module.start.visits..] {
        if let Visit::Let(local, value) = *visit {
            lets.insert(local, value);
        }
    }
    // Whether a value is not known, and whether one is not that an expression is computed of.
    let mut is_unknown = IndexVec::filled(false, module.exprs.len());
    let mut is_fed = IndexVec::filled(false, module.exprs.len());
    for (expr, of) in module.exprs.iter_enumerated().skip(module.start.exprs) {
        let any = |parts: &[ExprId]| parts.iter().any(|&part| is_unknown[part]);
        let fed = match &of.kind {
            ExprKind::OpCall { args, .. }
            | ExprKind::Call { args, .. }
            | ExprKind::Variant(_, args)
            | ExprKind::Tuple(args) => any(args),
            &ExprKind::Project { base, .. } | &ExprKind::RefNew(base) | &ExprKind::RefRead(base) => any(&[base]),
            &ExprKind::RefWrite { reference, value } => any(&[reference, value]),
            &ExprKind::If { cond, then, otherwise } => any(&[cond, then, otherwise]),
            ExprKind::Match { arms, .. } => arms.iter().any(|arm| is_unknown[arm.body]),
            ExprKind::Block { tail, .. } => is_unknown[*tail],
            ExprKind::Local(local, _) => lets.get(local).is_some_and(|&value| is_unknown[value]),
            ExprKind::Error
            | ExprKind::Literal(..)
            | ExprKind::TensorLit(_)
            | ExprKind::Def(_)
            | ExprKind::Ctor(_)
            | ExprKind::Op(_)
            | ExprKind::Fn(_) => false,
        };
        // What a callee's type asks for is asked of the arguments.
        if let ExprKind::Call { callee, .. } = of.kind {
            is_fed[callee] = fed;
        }
        let is_error = inferred.exprs[expr].is_some_and(|ty| matches!(inferred.solver.head(ty), Term::Error(_)));
        is_fed[expr] = fed;
        is_unknown[expr] = is_error || wrong.contains(&expr) || fed && is_polymorphic(expr);
    }
    errors.retain(|error| match why(error) {
        Some(Why::Expr(expr)) if matches!(error, TypeError::UnderConstrained { .. }) && is_broken(expr) => false,
        Some(Why::Expr(expr) | Why::Condition(expr) | Why::Branches(expr) | Why::Arm { matching: expr, .. }) => {
            !is_fed[expr]
        }
        Some(why) => why.value(module).is_none_or(|value| !is_unknown[value]),
        None => true,
    });
}
