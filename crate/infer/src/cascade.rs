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
//! another one which has been told; nor, where a `where` clause has a mistake, what it could have made true of parameters.
//!
//! Worked example: in `x |> self.f() |> relu`, where `f` takes another type, the result that the node's type asks for
//! is compared with what `relu` gives, which is computed of what `f` gives. Only the argument of `f` is told.

use crate::Inferred;
use crate::error::TypeError;
use crate::why::{Why, value_span};
use base::{Edited, HashMap, HashSet, IndexVec, Span, ToList, sort_by_key};
use hir::{ExprId, ExprKind, Item, Module, TypeExprKind, Visit};
use solve::{Cause, Failure};
use ty::{Dim, Extent, ParamId, Reason, Term, TermId, Terms};

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

/// How a value is wrong that has a type.
#[derive(PartialEq)]
enum Wrong {
    /// Parts of the type are not known.
    Open,
    /// There is an axis in it that there is not.
    Axis,
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
    // Of what a function does not take it may be known all the same what it gives; not if generalising it made parameters.
    let is_unknown = |term: Term| {
        let is_made = |param: ParamId| param.number() as usize >= module.type_params.len();
        term.is_hole()
            || match term {
                Term::Param(param, _) | Term::Dim(Dim { extent: Extent::Param(param), .. }) => is_made(param),
                _ => false,
            }
    };
    let is_open =
        |expr: ExprId| inferred.exprs[expr].is_none_or(|ty| !inferred.solver.roots_where(&[ty], is_unknown).is_empty());
    let wrong: HashMap<ExprId, Wrong> = errors
        .iter()
        .filter_map(|error| match (why(error)?, error) {
            (Why::Argument { call, .. }, _) if is_polymorphic(call) && is_open(call) => Some((call, Wrong::Open)),
            (Why::Expr(expr), TypeError::Failed(Failure { reason: Reason::Axis { .. }, .. })) => {
                Some((expr, Wrong::Axis))
            }
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
            let function = &module.functions[module.defs[def].function];
            function.has_broken_where() || faults.iter().any(|fault| function.span.contains(fault.start))
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
    // What a field is of: what stands in its place, if the tuple is written; nothing where none does.
    let field = |base: ExprId, index: u32| {
        let mut tuple = base;
        loop {
            tuple = match &module.exprs[tuple].kind {
                ExprKind::Block { tail, .. } => *tail,
                ExprKind::Local(local, _) if lets.contains_key(local) => lets[local],
                ExprKind::Tuple(fields) => return fields.get(index as usize).copied(),
                _ => return Some(base),
            }
        }
    };
    // Why a value is not known, and why one is not that an expression is computed of; and whether it is computed of an axis
    // that there is not: then its type may be known, and is wrong all the same.
    let mut unknown = IndexVec::filled(Spoiled::Never, module.exprs.len());
    let mut fed = IndexVec::filled(Spoiled::Never, module.exprs.len());
    // Callees that are given what has an error in its type, where anybody asks.
    let mut of_errors = IndexVec::filled(false, module.exprs.len());
    let is_waiting = errors.iter().any(|error| matches!(error, TypeError::UnderConstrained { .. }));
    let is_error = |expr: ExprId| {
        let is_error = |term| matches!(term, Term::Error(_));
        inferred.exprs[expr].is_some_and(|ty| !inferred.solver.roots_where(&[ty], is_error).is_empty())
    };
    let mut is_off = IndexVec::filled(false, module.exprs.len());
    for (expr, of) in module.exprs.iter_enumerated().skip(module.start.exprs) {
        let parts = match &of.kind {
            ExprKind::OpCall { args, .. }
            | ExprKind::Call { args, .. }
            | ExprKind::Variant(_, args)
            | ExprKind::Tuple(args) => args.clone(),
            &ExprKind::Project { base, index } => field(base, index).into_iter().list(),
            &ExprKind::RefNew(base) | &ExprKind::RefRead(base) => vec![base],
            &ExprKind::RefWrite { reference, value } => vec![reference, value],
            &ExprKind::If { then, otherwise, .. } => vec![then, otherwise],
            ExprKind::Match { arms, .. } => arms.iter().map(|arm| arm.body).list(),
            &ExprKind::Block { tail, .. } => vec![tail],
            ExprKind::Local(local, _) => lets.get(local).copied().into_iter().list(),
            ExprKind::Error
            | ExprKind::Literal(..)
            | ExprKind::TensorLit(_)
            | ExprKind::Def(_)
            | ExprKind::Ctor(_)
            | ExprKind::Op(_)
            | ExprKind::Fn(_) => Vec::new(),
        };
        let of_parts = parts.iter().fold(Spoiled::Never, |all, &part| all.and(unknown[part]));
        // What a callee's type asks for is asked of the arguments.
        if let ExprKind::Call { callee, .. } = of.kind {
            fed[callee] = of_parts;
            of_errors[callee] = is_waiting && parts.iter().any(|&part| is_error(part));
        }
        fed[expr] = of_parts;
        is_off[expr] = wrong.get(&expr) == Some(&Wrong::Axis) || parts.iter().any(|&part| is_off[part]);
        let error = inferred.exprs[expr].filter(|&ty| matches!(inferred.solver.head(ty), Term::Error(_)));
        unknown[expr] = match error {
            _ if wrong.contains_key(&expr) => Spoiled::ByOthers,
            Some(ty) => of_parts.and(Spoiled::By(inferred.solver.store.origin(ty))),
            None if of_parts != Spoiled::Never && is_polymorphic(expr) && (is_off[expr] || is_open(expr)) => of_parts,
            None => Spoiled::Never,
        };
    }
    // The types that each asks to be one, with what asks for it.
    let pairs = errors.iter().filter_map(|error| pair(inferred, error)).list();
    let is_like = |a: TermId, b: TermId| inferred.print(module, a).text == inferred.print(module, b).text;
    // A variant that is made where it stands can be of a larger sum too.
    let is_made = |why: Why| {
        let mut body = match why {
            Why::Arm { matching, index } => match &module.exprs[matching].kind {
                ExprKind::Match { arms, .. } => arms[index].body,
                _ => matching,
            },
            Why::Branches(expr) => match module.exprs[expr].kind {
                ExprKind::If { otherwise, .. } => otherwise,
                _ => expr,
            },
            _ => return None,
        };
        while let ExprKind::Block { tail, .. } = module.exprs[body].kind {
            body = tail;
        }
        if let ExprKind::Variant(name, _) = module.exprs[body].kind { Some(name) } else { None }
    };
    let has = |sum: TermId, name| match inferred.solver.head(sum) {
        Term::Sum(row) => inferred.solver.row(row).0.iter().any(|variant| variant.name == name),
        _ => false,
    };
    let of_pair = |error: &TypeError| {
        let why = why(error)?;
        pairs.iter().find(|(of, ..)| *of == why)
    };
    // A branch that has the type which the first one should have is right, and so is a match.
    let is_right = |error: &TypeError| {
        let Some(&(why @ (Why::Branches(whole) | Why::Arm { matching: whole, .. }), _, found)) = of_pair(error) else {
            return false;
        };
        let first = value_span(module, whole);
        let is_of_branches = |why: Why| matches!(why, Why::Branches(_) | Why::Arm { .. });
        pairs.iter().any(|&(of, expected, _)| {
            !is_of_branches(of)
                && of.value(module).is_some_and(|value| value_span(module, value) == first)
                && (is_like(expected, found) || is_made(why).is_some_and(|name| has(expected, name)))
        })
    };
    // What a clause with a mistake would have said of a function's parameters, its body needs.
    let unsure: Vec<Span> =
        module.functions.iter().filter(|function| function.has_broken_where()).map(|function| function.span).list();
    let is_param = |term: Term| matches!(term, Term::Param(..) | Term::Dim(Dim { extent: Extent::Param(_), .. }));
    let is_rigid =
        |term: Term| is_param(term) || matches!(term, Term::Dim(Dim { extent: Extent::Poly(_), .. }) | Term::Splice(_));
    let is_unsure = |error: &TypeError, span: Span| {
        let TypeError::Failed(failure) = error else { return false };
        let args = &inferred.solver.relation(failure.relation).args;
        unsure.iter().any(|function| function.contains(span.start))
            && !inferred.solver.roots_where(args, is_param).is_empty()
            && match failure.reason {
                Reason::Unequal { left, right, .. } => {
                    [left, right].iter().any(|&part| is_rigid(inferred.solver.head(part)))
                }
                Reason::NotTensor { .. } | Reason::NotTuple { .. } | Reason::NoClause | Reason::Check(_) => true,
                _ => false,
            }
    };
    let is_first = |error: &TypeError| {
        let Some(cause) = cause(error) else { return true };
        if is_right(error) || is_unsure(error, inferred.whys[cause.0 as usize].span(module)) {
            return false;
        }
        match inferred.whys[cause.0 as usize] {
            Why::Expr(expr)
                if matches!(error, TypeError::UnderConstrained { .. }) && (is_broken(expr) || of_errors[expr]) =>
            {
                false
            }
            Why::Condition(expr) => match module.exprs[expr].kind {
                ExprKind::If { cond, .. } => !unknown[cond].explains(cause),
                _ => true,
            },
            Why::Expr(expr) | Why::Branches(expr) | Why::Arm { matching: expr, .. } => !fed[expr].explains(cause),
            why => why.value(module).is_none_or(|value| !unknown[value].explains(cause)),
        }
    };
    // Where each follows from another one they begin somewhere: with what has not been understood, or here.
    if has_gaps(module) || errors.iter().any(is_first) {
        errors.keep(is_first);
    } else {
        errors.truncate(1);
    }
    drop_swapped(inferred, errors);
    drop_inner(module, inferred, errors);
}

/// The types that an error asks to be one, with what asks for it: what is expected, and what there is.
fn pair(inferred: &Inferred, error: &TypeError) -> Option<(Why, TermId, TermId)> {
    match error {
        TypeError::Failed(Failure { relation, reason: Reason::Unequal { expected, found, .. }, .. }) => {
            let cause = inferred.solver.relation(*relation).cause;
            Some((inferred.whys[cause.0 as usize], *expected, *found))
        }
        _ => None,
    }
}

/// Of two arguments in each other's place takes out the second.
fn drop_swapped(inferred: &Inferred, errors: &mut Vec<TypeError>) {
    let pairs = errors.iter().filter_map(|error| pair(inferred, error));
    let arguments = pairs.filter_map(|(why, expected, found)| match why {
        Why::Argument { call, index } => Some((call.number(), index, expected, found)),
        _ => None,
    });
    let mut arguments = arguments.list();
    sort_by_key(&mut arguments, |&(call, index, ..)| (call, index as u32));
    let is_like = |a: TermId, b: TermId| may_be_meant_for(inferred, a, b);
    // Those of a call that are told and in nobody's place yet.
    let mut told: Vec<(u32, TermId, TermId)> = Vec::new();
    let mut swapped = HashSet::default();
    for (call, index, expected, found) in arguments {
        let other = told.iter().position(|&(of, wanted, given)| {
            of == call && is_like(expected, given) && is_like(wanted, found) && !is_like(expected, found)
        });
        match other {
            Some(other) => {
                told.swap_remove(other);
                swapped.insert((call, index));
            }
            None => {
                if told.first().is_some_and(|&(of, ..)| of != call) {
                    told.clear();
                }
                told.push((call, expected, found));
            }
        }
    }
    errors.keep(|error| match pair(inferred, error) {
        Some((Why::Argument { call, index }, ..)) => !swapped.contains(&(call.number(), index)),
        _ => true,
    });
}

/// Of a constructor's call that is no argument of the same constructor takes out what is wrong with its own arguments: in
/// the list 1, 2.0, 3 the 3 fits what is wanted.
fn drop_inner(module: &Module, inferred: &Inferred, errors: &mut Vec<TypeError>) {
    // A call, and which of its arguments is told.
    let told = |error: &TypeError| match pair(inferred, error) {
        Some((Why::Argument { call, index }, ..)) => Some((call, index)),
        _ => None,
    };
    let all: Vec<(ExprId, usize)> = errors.iter().filter_map(told).list();
    let parts = |call: ExprId| match &module.exprs[call].kind {
        ExprKind::Call { callee, args, .. } => match module.exprs[*callee].kind {
            ExprKind::Ctor(ctor) => Some((ctor, args)),
            _ => None,
        },
        _ => None,
    };
    errors.keep(|error| {
        let Some((inner, _)) = told(error) else { return true };
        !all.iter().any(|&(outer, index)| match (parts(outer), parts(inner)) {
            (Some((a, args)), Some((b, _))) => a == b && args.get(index) == Some(&inner),
            _ => false,
        })
    });
}

/// Whether a value of one type may have been meant for another.
fn may_be_meant_for(inferred: &Inferred, a: TermId, b: TermId) -> bool {
    let solver = &inferred.solver;
    match (solver.head(a), solver.head(b)) {
        (Term::Hole(_), _) => false,
        (Term::Adt { adt, .. }, Term::Adt { adt: other, .. }) => adt == other,
        (Term::Tuple(fields), Term::Tuple(others)) => fields.len == others.len,
        (Term::Func { params, .. }, Term::Func { params: others, .. }) => params.len == others.len,
        (Term::Tensor { shape, dtype }, Term::Tensor { shape: other_shape, dtype: other_dtype }) => {
            // What is not known may be anything.
            let is_dtype = match (solver.head(dtype), solver.head(other_dtype)) {
                (Term::Dtype(a), Term::Dtype(b)) => a == b,
                _ => true,
            };
            let is_size = |(&a, &b): (&TermId, &TermId)| match (solver.head(a), solver.head(b)) {
                (
                    Term::Dim(Dim { extent: Extent::Number(a), .. }),
                    Term::Dim(Dim { extent: Extent::Number(b), .. }),
                ) => a == b,
                _ => true,
            };
            let is_shape = match (solver.head(shape), solver.head(other_shape)) {
                (Term::Shape(a), Term::Shape(b)) => {
                    let (a, b) = (solver.items(a), solver.items(b));
                    let is_splice = |&part: &TermId| !matches!(solver.head(part), Term::Dim(_));
                    a.iter().chain(b).any(is_splice) || a.len() == b.len() && a.iter().zip(b).all(is_size)
                }
                _ => true,
            };
            is_dtype && is_shape
        }
        (a, b) => std::mem::discriminant(&a) == std::mem::discriminant(&b),
    }
}

/// Whether something of the text has not been understood, which has been told.
pub(crate) fn has_gaps(module: &Module) -> bool {
    let mut exprs = module.exprs.iter().skip(module.start.exprs);
    let mut types = module.type_exprs.iter().skip(module.start.type_exprs);
    exprs.any(|expr| matches!(expr.kind, ExprKind::Error))
        || types.any(|of| matches!(of.kind, TypeExprKind::Error))
        || module.functions.iter().any(hir::Function::has_broken_where)
}
