//! Calls of functions and operators, and their arguments.
//!
//! A `?` of a parameter takes any size and, as in Relay, says nothing of the argument's: where `@f` takes a
//! `Tensor[(?), float32]`, `let %y = @f(%x); %x` has the size that `%x` had before. Only a size that nothing else says is a
//! `?` itself. What is in a cell may be replaced, and a function called, with another size: there the `?` stays.

use crate::error::TypeError;
use crate::walk::Inference;
use crate::why::Why;
use base::ToList;
use hir::{ExprId, ExprKind, TypeExprId};
use op::OpId;
use solve::{Args, Cause};
use std::sync::Arc;
use ty::{Attrs, Dim, Term, TermId, Terms};

impl Inference<'_> {
    pub(crate) fn operator_value(&mut self, id: ExprId, op: OpId, cause: Cause) -> TermId {
        let row = op.row();
        let mut attrs = Attrs::default();
        for spec in row.attrs {
            match spec.default.value() {
                Some(value) => attrs.entries.push((spec.name, value)),
                None => {
                    self.errors.push(TypeError::OperatorNeedsAttr { expr: id, op: row.name, attr: spec.name });
                    return self.error(cause);
                }
            }
            attrs.written.push(false);
        }
        let mut args: Vec<TermId> = row.args.iter().map(|_| self.hole(cause)).list();
        let result = self.hole(cause);
        let func = self.solver.func(&args, result, cause);
        args.push(result);
        self.solver.post(row.relation, &args, Arc::new(attrs), cause);
        func
    }

    pub(crate) fn operator_call(
        &mut self,
        id: ExprId,
        op: OpId,
        args: &[ExprId],
        attrs: &Arc<Attrs>,
        cause: Cause,
    ) -> TermId {
        let row = op.row();
        let mut terms = Args::new();
        for &arg in args {
            terms.push(self.type_of(arg));
        }
        if args.len() != row.args.len() {
            let (want, found) = (row.args.len(), args.len());
            self.errors.push(TypeError::OperatorArity { expr: id, op: row.name, want, found });
            return self.error(cause);
        }
        let result = self.hole(cause);
        terms.push(result);
        self.solver.post(row.relation, &terms, attrs.clone(), cause);
        result
    }

    pub(crate) fn call(
        &mut self,
        id: ExprId,
        callee: ExprId,
        type_args: Option<&[TypeExprId]>,
        args: &[ExprId],
        cause: Cause,
    ) -> TermId {
        let callee_type = self.type_of(callee);
        if let Some(type_args) = type_args {
            self.type_arguments(id, callee, type_args);
        }
        let found: Vec<TermId> = args.iter().map(|&arg| self.type_of(arg)).list();
        let known = self.unknown_functions.get(&self.solver.root(callee_type)).copied().unwrap_or(callee_type);
        match self.solver.head(known) {
            Term::Func { params, result } if params.len as usize == found.len() => {
                let params = self.solver.items(params).to_vec();
                for (index, (expected, &arg)) in params.into_iter().zip(args).enumerate() {
                    self.argument(expected, arg, Why::Argument { call: id, index });
                }
                result
            }
            Term::Func { params, .. } => {
                let (want, found) = (params.len as usize, found.len());
                self.errors.push(TypeError::Arity { call: id, callee, want, found });
                self.error(cause)
            }
            Term::Error(_) => {
                args.iter().for_each(|&arg| self.forget_parameters(arg, cause));
                self.error(cause)
            }
            Term::Hole(_) => {
                let result = self.hole(cause);
                let expected = self.solver.func(&found, result, cause);
                self.unknown_functions.insert(self.solver.root(callee_type), expected);
                self.solver.equal(callee_type, expected, cause);
                result
            }
            _ => {
                self.errors.push(TypeError::NotAFunction { callee, found: callee_type });
                self.error(cause)
            }
        }
    }

    /// Only a callee that nobody knows could say what a function that is written for it is called with: the function's
    /// parameters are errors, which ask for nothing.
    fn forget_parameters(&mut self, function: ExprId, cause: Cause) {
        let ExprKind::Fn(id) = self.module.exprs[function].kind else { return };
        for &param in &self.module.functions[id].params {
            let term = self.local(param);
            for hole in self.solver.holes(&[term]) {
                self.solver.spoil(hole, cause);
            }
        }
    }

    fn type_arguments(&mut self, call: ExprId, callee: ExprId, type_args: &[TypeExprId]) {
        let Some(instance) = self.instances.get(&callee).cloned() else {
            // What is not known may take any.
            if !matches!(self.module.exprs[callee].kind, ExprKind::Error) {
                self.errors.push(TypeError::TypeArguments { call, want: 0, found: type_args.len() });
            }
            return;
        };
        let declared = match self.module.exprs[callee].kind {
            ExprKind::Def(def) => self.module.functions[self.module.defs[def].function].type_params.len(),
            _ => instance.len(),
        };
        if declared != type_args.len() {
            self.errors.push(TypeError::TypeArguments { call, want: declared, found: type_args.len() });
            return;
        }
        for (index, (&arg, &param)) in type_args.iter().zip(&instance).enumerate() {
            let want = self.solver.head(param).kind();
            let written = self.written_as(arg, want);
            let Some(written) = written else {
                self.errors.push(TypeError::TypeArgumentKind { arg, want });
                continue;
            };
            let cause = self.cause(Why::TypeArgument { call, index });
            self.solver.equal(written, param, cause);
        }
    }

    /// Hands an argument over for a parameter of this type.
    fn argument(&mut self, mut param: TermId, argument: ExprId, why: Why) {
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
