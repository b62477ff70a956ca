//! Which errors say no more than others do.
//!
//! What a polymorphic function gives for an argument that it does not take, and what has the type of an error, is not
//! known; nor is what is computed of that. An error that asks for more of such a value than there is follows.
//!
//! One that is fed by what it made unknown itself, by way of a branch, a call or a cell, follows from none: of
//! `def @f(%x) { if (c) { %x } else { (%x, 1).3 } }` the missing field is told, though the failed projection made `%x` an
//! error.
//!
//! Nor is a branch told that is of the type which the first one should have been of, or an argument that is in the place of
//! another one which has been told.
//!
//! Worked example: in `x |> self.f() |> relu`, where `f` takes another type, the result that the node's type asks for
//! is compared with what `relu` gives, which is computed of what `f` gives. Only the argument of `f` is told.

use crate::Inferred;
use crate::error::TypeError;
use crate::why::{Why, value_span};
use base::{Edited, HashMap, HashSet, IndexVec, Span, ToList};
use hir::{ExprId, ExprKind, Item, Module, TypeExprKind, Visit};
use solve::{Cause, Failure};
use ty::{Reason, Term, TermId, Terms};

/// Which error made a value unknown.
#[derive(Clone, Copy, PartialEq)]
enum Spoiled {
    Never,
    By(Cause),
    ByOthers,
}

impl Spoiled {
    fn and(self, other: Spoiled) -> Spoiled {
        match (self, other) {
            (Spoiled::Never, known) | (known, Spoiled::Never) => known,
            (one, other) if one == other => one,
            _ => Spoiled::ByOthers,
        }
    }

    /// An error that is fed by what it spoiled itself follows from none.
    fn explains(self, error: Cause) -> bool {
        self != Spoiled::Never && self != Spoiled::By(error)
    }
}

/// Takes out the errors that follow from others.
pub(crate) fn drop_followers(module: &Module, inferred: &Inferred, errors: &mut Vec<TypeError>) {
    let cause = |error: &TypeError| {
        let relation = match error {
            TypeError::Failed(failure) => failure.relation,
            TypeError::UnderConstrained { relation, .. } => *relation,
            _ => return None,
        };
        Some(inferred.solver.relation(relation).cause)
    };
    let why = |error: &TypeError| cause(error).map(|cause| inferred.whys[cause.0 as usize]);
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
    for item in &module.items {
        if let Item::Let(local, function) = *item {
            lets.insert(local, module.functions[function].body);
        }
    }
    // Why a value is not known, and why one is not that an expression is computed of.
    let mut unknown = IndexVec::filled(Spoiled::Never, module.exprs.len());
    let mut fed = IndexVec::filled(Spoiled::Never, module.exprs.len());
    for (expr, of) in module.exprs.iter_enumerated().skip(module.start.exprs) {
        let any = |parts: &[ExprId]| parts.iter().fold(Spoiled::Never, |all, &part| all.and(unknown[part]));
        let of_parts = match &of.kind {
            ExprKind::OpCall { args, .. }
            | ExprKind::Call { args, .. }
            | ExprKind::Variant(_, args)
            | ExprKind::Tuple(args) => any(args),
            &ExprKind::Project { base, .. } | &ExprKind::RefNew(base) | &ExprKind::RefRead(base) => any(&[base]),
            &ExprKind::RefWrite { reference, value } => any(&[reference, value]),
            &ExprKind::If { cond, then, otherwise } => any(&[cond, then, otherwise]),
            ExprKind::Match { arms, .. } => arms.iter().fold(Spoiled::Never, |all, arm| all.and(unknown[arm.body])),
            ExprKind::Block { tail, .. } => unknown[*tail],
            ExprKind::Local(local, _) => lets.get(local).map_or(Spoiled::Never, |&value| unknown[value]),
            ExprKind::Error
            | ExprKind::Literal(..)
            | ExprKind::TensorLit(_)
            | ExprKind::Def(_)
            | ExprKind::Ctor(_)
            | ExprKind::Op(_)
            | ExprKind::Fn(_) => Spoiled::Never,
        };
        // What a callee's type asks for is asked of the arguments.
        if let ExprKind::Call { callee, .. } = of.kind {
            fed[callee] = of_parts;
        }
        fed[expr] = of_parts;
        let error = inferred.exprs[expr].filter(|&ty| matches!(inferred.solver.head(ty), Term::Error(_)));
        unknown[expr] = match error {
            _ if wrong.contains(&expr) => Spoiled::ByOthers,
            Some(ty) => of_parts.and(Spoiled::By(inferred.solver.store.origin(ty))),
            None if is_polymorphic(expr) => of_parts,
            None => Spoiled::Never,
        };
    }
    // The types that each asks to be one, with what asks for it.
    let pairs = errors.iter().filter_map(|error| match error {
        TypeError::Failed(Failure { reason: Reason::Unequal { expected, found, .. }, .. }) => {
            Some((why(error)?, *expected, *found))
        }
        _ => None,
    });
    let pairs: Vec<(Why, TermId, TermId)> = pairs.list();
    let is_like = |a: TermId, b: TermId| inferred.print(module, a).text == inferred.print(module, b).text;
    let of_pair = |error: &TypeError| {
        let why = why(error)?;
        pairs.iter().find(|(of, ..)| *of == why)
    };
    // A branch that has the type which the first one should have is right, and so is a match.
    let is_right = |error: &TypeError| {
        let Some(&(Why::Branches(whole) | Why::Arm { matching: whole, .. }, _, found)) = of_pair(error) else {
            return false;
        };
        let first = value_span(module, whole);
        let is_of_branches = |why: Why| matches!(why, Why::Branches(_) | Why::Arm { .. });
        pairs
            .iter()
            .any(|&(of, expected, _)| !is_of_branches(of) && of.span(module) == first && is_like(expected, found))
    };
    // Of two arguments in each other's place the first is told.
    let is_swapped = |error: &TypeError| {
        let Some(&(Why::Argument { call, index }, expected, found)) = of_pair(error) else { return false };
        let is_kind = |a: TermId, b: TermId| match (inferred.solver.head(a), inferred.solver.head(b)) {
            (Term::Adt { adt, .. }, Term::Adt { adt: other, .. }) => adt == other,
            (Term::Hole(_), _) => false,
            (a, b) => std::mem::discriminant(&a) == std::mem::discriminant(&b),
        };
        pairs.iter().any(|&(of, wanted, given)| match of {
            Why::Argument { call: of, index: before } if of == call && before < index => {
                is_kind(expected, given) && is_kind(wanted, found) && !is_kind(expected, found)
            }
            _ => false,
        })
    };
    let is_first = |error: &TypeError| {
        let Some(cause) = cause(error) else { return true };
        if is_right(error) || is_swapped(error) {
            return false;
        }
        match inferred.whys[cause.0 as usize] {
            Why::Expr(expr) if matches!(error, TypeError::UnderConstrained { .. }) && is_broken(expr) => false,
            Why::Expr(expr) | Why::Condition(expr) | Why::Branches(expr) | Why::Arm { matching: expr, .. } => {
                !fed[expr].explains(cause)
            }
            why => why.value(module).is_none_or(|value| !unknown[value].explains(cause)),
        }
    };
    // Where each follows from another one they begin somewhere: with what has not been understood, or here.
    if has_gaps(module) || errors.iter().any(is_first) {
        errors.keep(is_first);
    } else {
        errors.truncate(1);
    }
}

/// Whether something of the text has not been understood, which has been told.
pub(crate) fn has_gaps(module: &Module) -> bool {
    let mut exprs = module.exprs.iter().skip(module.start.exprs);
    let mut types = module.type_exprs.iter().skip(module.start.type_exprs);
    exprs.any(|expr| matches!(expr.kind, ExprKind::Error)) || types.any(|of| matches!(of.kind, TypeExprKind::Error))
}
