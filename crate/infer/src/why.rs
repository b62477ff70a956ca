//! Why a term or relation exists: what each cause's number stands for.

use base::Span;
use hir::{CtorId, ExprId, ExprKind, FnId, LocalId, Module, PatId, TypeExprId};

/// The construct that made a term or posted a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The expression's own type, or its operator's rule.
    Expr(ExprId),
    /// A written type, or a part of one.
    Written(TypeExprId),
    /// A variable without an annotation.
    Variable(LocalId),
    Argument {
        call: ExprId,
        index: usize,
    },
    TypeArgument {
        call: ExprId,
        index: usize,
    },
    Condition(ExprId),
    /// The branches of an `if`.
    Branches(ExprId),
    /// An arm of a match against the first one.
    Arm {
        matching: ExprId,
        index: usize,
    },
    /// A variable's annotation against its value.
    Let {
        local: LocalId,
        value: ExprId,
    },
    /// A declared result against the body.
    Result(FnId),
    Pattern(PatId),
    Constructor(CtorId),
    /// The scrutinee against an annotated pattern variable.
    PatternVariable(LocalId),
    /// A relation of a written `where` clause.
    Where {
        function: FnId,
        index: usize,
    },
    /// A definition as a whole, when it is generalised.
    Function(FnId),
}

impl Why {
    pub fn span(self, module: &Module) -> Span {
        match self {
            Why::Expr(expr) => match &module.exprs[expr].kind {
                ExprKind::Block { tail, .. } => module.exprs[*tail].span,
                _ => module.exprs[expr].span,
            },
            Why::Written(type_expr) => module.type_exprs[type_expr].span,
            Why::Variable(local) | Why::PatternVariable(local) => module.locals[local].span,
            Why::Argument { call, .. } => module.exprs[self.value(module).unwrap_or(call)].span,
            Why::TypeArgument { call, index } => match &module.exprs[call].kind {
                ExprKind::Call { type_args: Some(args), .. } if index < args.len() => {
                    module.type_exprs[args[index]].span
                }
                _ => module.exprs[call].span,
            },
            Why::Condition(expr) => match &module.exprs[expr].kind {
                ExprKind::If { cond, .. } => module.exprs[*cond].span,
                _ => module.exprs[expr].span,
            },
            Why::Branches(expr) => match &module.exprs[expr].kind {
                ExprKind::If { otherwise, .. } => value_span(module, *otherwise),
                _ => module.exprs[expr].span,
            },
            Why::Arm { matching, index } => match &module.exprs[matching].kind {
                ExprKind::Match { arms, .. } if index < arms.len() => value_span(module, arms[index].body),
                _ => module.exprs[matching].span,
            },
            Why::Let { value, .. } => value_span(module, value),
            Why::Result(function) => value_span(module, module.functions[function].body),
            Why::Pattern(pat) => module.pats[pat].span,
            Why::Constructor(ctor) => module.ctors[ctor].name_span,
            Why::Where { function, index } => {
                let function = &module.functions[function];
                function.wheres.get(index).map_or(function.span, |clause| clause.span)
            }
            Why::Function(function) => module.functions[function].span,
        }
    }
}

impl Why {
    /// The expression whose type is held against another one, if that is what it is about.
    pub fn value(self, module: &Module) -> Option<ExprId> {
        match self {
            Why::Argument { call, index } => match &module.exprs[call].kind {
                ExprKind::Call { args, .. } | ExprKind::OpCall { args, .. } => args.get(index).copied(),
                _ => None,
            },
            Why::Let { value, .. } => Some(value),
            Why::Result(function) => Some(module.functions[function].body),
            _ => None,
        }
    }
}

/// Where an expression's type is decided: a block's last expression, the first branch, the first arm.
pub fn value_span(module: &Module, mut expr: ExprId) -> Span {
    loop {
        expr = match &module.exprs[expr].kind {
            ExprKind::Block { tail, .. } => *tail,
            ExprKind::If { then, .. } => *then,
            ExprKind::Match { arms, .. } if !arms.is_empty() => arms[0].body,
            _ => return module.exprs[expr].span,
        };
    }
}

/// The arguments of the call of this function.
pub(crate) fn args_of_callee(module: &Module, callee: ExprId) -> &[ExprId] {
    let calls = module.exprs.iter().find_map(|expr| match &expr.kind {
        ExprKind::Call { callee: called, args, .. } if *called == callee => Some(args.as_slice()),
        _ => None,
    });
    calls.unwrap_or(&[])
}
