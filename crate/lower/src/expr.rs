//! Expressions as instructions, in the order in which the evaluator takes them.
//!
//! A stack of tasks stands for what is left to do. Operands wait on a stack of variables; where control comes together
//! again, on a stack of joins.
//!
//! Worked example: `if (%c) { 1 } else { %x } + 2` switches on `%c` to two blocks, which jump with `1` and `%x` to a
//! block with a parameter, in which the sum goes on.

use crate::body::{Body, Bound};
use crate::instance::Lowering;
use base::{Append, Span, ToList};
use hir::{ExprId, ExprKind, FnId, LocalId, Place};
use ir::{BlockId, Callee, Case, CaseKey, End, Fault, Op, VarId};
use layout::{Head, Kind, LayoutId};
use op::{Kernel, OpId};
use std::sync::Arc;
use ty::{Attrs, Scalar, TermId};

/// What becomes of an expression's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dest {
    /// It is put on the stack of values.
    Value,
    /// The function returns it.
    Return,
}

pub(crate) enum Task {
    Eval(ExprId, Dest),
    /// The operands of the expression are on the stack.
    Finish(ExprId, Dest),
    /// The condition or scrutinee is on the stack.
    Branch(ExprId, Dest),
    Bind(LocalId),
    Discard,
    Return(Span),
    /// What follows goes into this block, to whose parameters these variables are bound.
    Start(BlockId, Vec<(LocalId, VarId)>),
    /// The value of one branch.
    EndBranch,
    /// All branches have ended.
    Join(Span),
}

/// Where branches meet: the blocks that end there with their values.
struct Meeting {
    layout: LayoutId,
    ends: Vec<(BlockId, VarId)>,
}

#[derive(Default)]
pub(crate) struct Tasks {
    tasks: Vec<Task>,
    pub values: Vec<VarId>,
    meetings: Vec<Meeting>,
}

impl Tasks {
    pub(crate) fn push(&mut self, task: Task) {
        self.tasks.push(task);
    }

    fn pop(&mut self) -> VarId {
        self.values.pop().expect("every operand was lowered before")
    }

    fn operands(&mut self, n: usize) -> Vec<VarId> {
        self.values.split_off(self.values.len() - n)
    }

    fn eval_all(&mut self, exprs: &[ExprId]) {
        self.tasks.append_all(exprs.iter().rev().map(|&expr| Task::Eval(expr, Dest::Value)));
    }

    /// Begins branches whose values meet; their tasks are pushed next.
    pub(crate) fn meet(&mut self, layout: LayoutId, span: Span) {
        self.meetings.push(Meeting { layout, ends: Vec::new() });
        self.push(Task::Join(span));
    }
}

impl Lowering<'_> {
    pub(crate) fn lower_body(&mut self, body: &mut Body, root: ExprId) {
        let mut tasks = Tasks::default();
        tasks.push(Task::Eval(root, Dest::Return));
        while let Some(task) = tasks.tasks.pop() {
            self.step(body, &mut tasks, task);
        }
    }

    fn step(&mut self, body: &mut Body, tasks: &mut Tasks, task: Task) {
        match task {
            Task::Eval(expr, dest) => self.eval(body, tasks, expr, dest),
            Task::Finish(expr, dest) => self.finish(body, tasks, expr, dest),
            Task::Branch(expr, dest) => self.branch(body, tasks, expr, dest),
            Task::Bind(local) => {
                let var = tasks.pop();
                let name = self.module.local_name(local);
                let named = &mut body.function.vars[var].name;
                if named.is_none() && !name.is_empty() {
                    *named = Some(name.to_owned());
                }
                self.check(body, local, var);
                body.env.insert(local, Bound::Var(var));
            }
            Task::Discard => drop(tasks.pop()),
            Task::Return(span) => {
                let value = tasks.pop();
                self.check_result(body, value);
                body.end(End::Return(value), span);
            }
            Task::Start(block, variables) => {
                body.block = block;
                for (local, var) in variables {
                    self.check(body, local, var);
                    body.env.insert(local, Bound::Var(var));
                }
            }
            Task::EndBranch => {
                let value = tasks.pop();
                if let Some(meeting) = tasks.meetings.last_mut() {
                    meeting.ends.push((body.block, value));
                }
            }
            Task::Join(span) => {
                let Some(meeting) = tasks.meetings.pop() else { return };
                let block = body.new_block(span);
                let value = body.var(meeting.layout, None);
                body.function.blocks[block].params.push(value);
                for (from, value) in meeting.ends {
                    body.block = from;
                    body.end(End::Jump(block, vec![value]), span);
                }
                body.block = block;
                tasks.values.push(value);
            }
        }
    }

    fn eval(&mut self, body: &mut Body, tasks: &mut Tasks, expr: ExprId, dest: Dest) {
        let module = self.module;
        let data = &module.exprs[expr];
        match &data.kind {
            ExprKind::Block { lets, tail } => {
                tasks.push(Task::Eval(*tail, dest));
                for &(local, value) in lets.iter().rev() {
                    match local {
                        Some(local) if self.is_name_of_function(local, value) => {}
                        Some(local) => tasks.tasks.append_all([Task::Bind(local), Task::Eval(value, Dest::Value)]),
                        None => tasks.tasks.append_all([Task::Discard, Task::Eval(value, Dest::Value)]),
                    }
                }
                // A name for a function is in scope from the beginning: what it captures was bound before it.
                for &(local, value) in lets {
                    if let (Some(local), ExprKind::Fn(function)) = (local, &module.exprs[value].kind)
                        && self.is_name_of_function(local, value)
                    {
                        self.captures_of(*function, &body.env);
                        self.function_names.insert(local, *function);
                        body.env.insert(local, Bound::Function { function: *function, subst: body.subst });
                    }
                }
                return;
            }
            ExprKind::If { cond, .. } => {
                tasks.push(Task::Branch(expr, dest));
                tasks.push(Task::Eval(*cond, Dest::Value));
                return;
            }
            ExprKind::Match { scrutinee, .. } => {
                tasks.push(Task::Branch(expr, dest));
                tasks.push(Task::Eval(*scrutinee, Dest::Value));
                return;
            }
            _ => {}
        }
        let is_tail = dest == Dest::Return
            && matches!(data.kind, ExprKind::Call { callee, .. } if self.is_checked_alike(body, callee))
            && self.used_at(expr).is_none();
        if dest == Dest::Return && !is_tail {
            tasks.push(Task::Return(data.span));
        }
        let dest = if is_tail { dest } else { Dest::Value };
        tasks.push(Task::Finish(expr, dest));
        match &data.kind {
            ExprKind::OpCall { args, .. } => tasks.eval_all(args),
            ExprKind::Call { callee, args, .. } => {
                tasks.eval_all(args);
                if !self.is_known(body, *callee) {
                    tasks.push(Task::Eval(*callee, Dest::Value));
                }
            }
            ExprKind::Tuple(fields) | ExprKind::Variant(_, fields) => tasks.eval_all(fields),
            ExprKind::Project { base, .. } => tasks.push(Task::Eval(*base, Dest::Value)),
            ExprKind::RefNew(value) | ExprKind::RefRead(value) => tasks.push(Task::Eval(*value, Dest::Value)),
            ExprKind::RefWrite { reference, value } => tasks.eval_all(&[*reference, *value]),
            ExprKind::Error
            | ExprKind::Literal(..)
            | ExprKind::TensorLit(_)
            | ExprKind::Local(..)
            | ExprKind::Def(_)
            | ExprKind::Ctor(_)
            | ExprKind::Op(_)
            | ExprKind::Fn(_)
            | ExprKind::If { .. }
            | ExprKind::Match { .. }
            | ExprKind::Block { .. } => {}
        }
    }

    /// Whether a `let` names a polymorphic function literal.
    fn is_name_of_function(&self, local: LocalId, value: ExprId) -> bool {
        let ExprKind::Fn(function) = self.module.exprs[value].kind else { return false };
        !self.module.functions[function].type_params.is_empty()
            && self.scheme_of(local).is_some()
            && self.polymorphic_local(local).is_none()
    }

    fn scheme_of(&self, local: LocalId) -> Option<&ty::Scheme> {
        let is_library = (local.number() as usize) < self.module.start.locals;
        let inferred = if is_library { self.library } else { self.inferred };
        inferred.local_schemes.get(&local)
    }

    /// Whether it is known what a call calls, so that no closure is made.
    fn is_known(&self, body: &Body, callee: ExprId) -> bool {
        match &self.module.exprs[callee].kind {
            ExprKind::Def(_) | ExprKind::Ctor(_) | ExprKind::Op(_) => true,
            ExprKind::Local(local, _) => matches!(body.env.get(local), Some(Bound::Function { .. })),
            _ => false,
        }
    }

    fn finish(&mut self, body: &mut Body, tasks: &mut Tasks, expr: ExprId, dest: Dest) {
        let module = self.module;
        let data = &module.exprs[expr];
        let span = data.span;
        let value = match &data.kind {
            ExprKind::Call { callee, args, .. } => {
                let args = tasks.operands(args.len());
                match self.call(body, tasks, expr, *callee, args, dest) {
                    Some(value) => value,
                    None => return,
                }
            }
            ExprKind::Error => self.broken(body, expr),
            ExprKind::Literal(dtype, scalar) => {
                let ty = self.program.types.scalar(*dtype);
                let content = self.content(ty);
                let value = body.value(Op::Scalar(*scalar), &[], content, span);
                self.wrap(body, value, ty, span)
            }
            ExprKind::TensorLit(tensor) if tensor.shape.is_empty() => {
                let ty = self.program.types.scalar(tensor.dtype);
                let content = self.content(ty);
                let value = body.value(Op::Scalar(tensor.elements.get(0)), &[], content, span);
                self.wrap(body, value, ty, span)
            }
            ExprKind::TensorLit(tensor) => {
                let ty = self.expr_type(expr, body.subst);
                let layout = self.of(ty);
                let constant = self.program.constants.push(tensor.clone());
                body.value(Op::Tensor(constant), &[], layout, span)
            }
            ExprKind::Local(local, place) => self.local(body, expr, *local, *place),
            ExprKind::Def(_) | ExprKind::Ctor(_) | ExprKind::Op(_) | ExprKind::Fn(_) => {
                self.function_or_all(body, expr)
            }
            ExprKind::OpCall { op, args, attrs, .. } => {
                let args = tasks.operands(args.len());
                let ty = self.expr_type(expr, body.subst);
                self.operator(body, *op, attrs.clone(), &args, ty, span)
            }
            ExprKind::Tuple(fields) => {
                let fields = tasks.operands(fields.len());
                let ty = self.expr_type(expr, body.subst);
                self.pack(body, ty, Head::Tuple, &fields, span)
            }
            ExprKind::Variant(name, fields) => {
                let fields = tasks.operands(fields.len());
                let ty = self.expr_type(expr, body.subst);
                self.pack(body, ty, Head::Variant(*name), &fields, span)
            }
            ExprKind::Project { base, index } => {
                let tuple = tasks.pop();
                let (base_ty, ty) = (self.expr_type(*base, body.subst), self.whole_type(expr, body.subst));
                self.project(body, tuple, base_ty, *index, ty, span)
            }
            ExprKind::RefNew(_) => {
                let value = tasks.pop();
                let ty = self.expr_type(expr, body.subst);
                let layout = self.of(ty);
                body.value(Op::RefNew, &[value], layout, span)
            }
            ExprKind::RefRead(_) => {
                let reference = tasks.pop();
                let ty = self.expr_type(expr, body.subst);
                let layout = self.of(ty);
                let value = body.value(Op::RefRead, &[reference], layout, span);
                self.check_value(body, expr, value);
                value
            }
            ExprKind::RefWrite { .. } => {
                let operands = tasks.operands(2);
                let unit = self.unit();
                body.value(Op::RefWrite, &operands, unit, span)
            }
            // Their tasks are others.
            ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Block { .. } => return,
        };
        let value = match self.used_at(expr) {
            Some(at) => self.function_at(body, value, expr, at),
            None => value,
        };
        tasks.values.push(value);
    }

    /// What stands for a value where the program has an error.
    pub(crate) fn broken(&mut self, body: &mut Body, expr: ExprId) -> VarId {
        let ty = self.whole_type(expr, body.subst);
        let layout = self.of(ty);
        body.fail(Fault::Broken, layout, self.module.exprs[expr].span)
    }

    fn local(&mut self, body: &mut Body, expr: ExprId, local: LocalId, place: Place) -> VarId {
        let module = self.module;
        let span = module.exprs[expr].span;
        if module.locals[local].origin.is_free() {
            let ty = self.whole_type(expr, body.subst);
            let layout = self.of(ty);
            return body.fail(Fault::FreeVariable(module.local_name(local).to_owned()), layout, span);
        }
        match body.env.get(&local).copied() {
            Some(Bound::Var(var)) => var,
            Some(Bound::Function { .. }) => self.function_or_all(body, expr),
            None if place == Place::TopLevel && self.polymorphic_local(local).is_none() && self.is_handed(expr) => {
                self.function_or_all(body, expr)
            }
            None if place == Place::TopLevel => match self.global(local, expr, body.subst) {
                Some(global) => {
                    let layout = self.program.globals[global].layout;
                    body.value(Op::Global(global), &[], layout, span)
                }
                None => self.broken(body, expr),
            },
            None => self.broken(body, expr),
        }
    }

    fn is_handed(&self, expr: ExprId) -> bool {
        self.of_expr(expr).handed.contains_key(&expr)
    }

    /// A name of a function or a literal as a value.
    fn function_or_all(&mut self, body: &mut Body, expr: ExprId) -> VarId {
        match self.of_expr(expr).handed.get(&expr).copied() {
            Some(ty) => self.functions(body, expr, ty),
            None => self.function_value(body, expr),
        }
    }

    /// The instance that a mention of a name for a function means, and what it captures.
    pub(crate) fn named_function(
        &mut self,
        body: &mut Body,
        mention: ExprId,
        local: LocalId,
    ) -> Option<(ir::FuncId, Vec<VarId>)> {
        let Some(Bound::Function { function, subst }) = body.env.get(&local).copied() else { return None };
        let params = self.module.functions[function].type_params.clone();
        let chosen = self.chosen(&params, mention, body.subst);
        let subst = self.substs.extended(subst, chosen);
        let func = self.instance(function, subst, mention)?;
        Some((func, self.captured(body, function)?))
    }

    fn captured(&mut self, body: &Body, function: FnId) -> Option<Vec<VarId>> {
        let captures = self.captures_of(function, &body.env);
        let var = |local: &LocalId| match body.env.get(local) {
            Some(Bound::Var(var)) => Some(*var),
            Some(Bound::Function { .. }) | None => None,
        };
        captures.iter().map(var).some_list()
    }

    /// The instance of a literal, and what it captures.
    pub(crate) fn literal(
        &mut self,
        body: &mut Body,
        function: FnId,
        expr: ExprId,
    ) -> Option<(ir::FuncId, Vec<VarId>)> {
        let params = self.module.functions[function].type_params.clone();
        let chosen = self.chosen(&params, expr, body.subst);
        let subst = self.substs.extended(body.subst, chosen);
        let captures = self.captured(body, function)?;
        Some((self.instance(function, subst, expr)?, captures))
    }

    /// A call. `None`: it is in tail position, and the block has ended.
    fn call(
        &mut self,
        body: &mut Body,
        tasks: &mut Tasks,
        expr: ExprId,
        callee: ExprId,
        mut args: Vec<VarId>,
        dest: Dest,
    ) -> Option<VarId> {
        let module = self.module;
        let span = module.exprs[expr].span;
        let ty = self.whole_type(expr, body.subst);
        let done = |body: &mut Body, value: VarId| match dest {
            Dest::Value => Some(value),
            Dest::Return => {
                body.end(End::Return(value), span);
                None
            }
        };
        let (callee, args) = match &module.exprs[callee].kind {
            ExprKind::Ctor(ctor) => {
                self.check_fields(body, *ctor, &args);
                let value = self.pack(body, ty, Head::Constructor(ctor.number()), &args, span);
                return done(body, value);
            }
            ExprKind::Op(op) => {
                let attrs = Arc::new(op.row().default_attrs());
                let value = self.operator(body, *op, attrs, &args, ty, span);
                return done(body, value);
            }
            ExprKind::Def(def) => match self.def_instance(*def, callee, body.subst) {
                Some(func) => (Callee::Function(func), args),
                None => {
                    let value = self.broken(body, expr);
                    return done(body, value);
                }
            },
            ExprKind::Local(local, _) if self.is_known(body, callee) => {
                match self.named_function(body, callee, *local) {
                    Some((func, mut captures)) => {
                        captures.append(&mut args);
                        (Callee::Function(func), captures)
                    }
                    None => {
                        let value = self.broken(body, expr);
                        return done(body, value);
                    }
                }
            }
            _ => {
                let mut all = vec![tasks.pop()];
                all.append(&mut args);
                (Callee::Value, all)
            }
        };
        body.fuel(span);
        match dest {
            Dest::Value => {
                let layout = self.of(ty);
                let value = body.value(Op::Call(callee), &args, layout, span);
                self.check_value(body, expr, value);
                Some(value)
            }
            Dest::Return => {
                body.end(End::TailCall(callee, args), span);
                None
            }
        }
    }

    /// An operator on variables; scalars go in and come out in place.
    pub(crate) fn operator(
        &mut self,
        body: &mut Body,
        op: OpId,
        attrs: Arc<Attrs>,
        args: &[VarId],
        ty: TermId,
        span: Span,
    ) -> VarId {
        if let (Kernel::Argument, &[arg]) = (&op.row().kernel, args) {
            return arg;
        }
        let args: Vec<VarId> = args.iter().map(|&arg| self.scalar_in_place(body, arg, span)).list();
        let layout = match self.program.types.as_scalar(ty) {
            Some(_) => self.content(ty),
            None => self.of(ty),
        };
        let value = body.value(Op::Operator { op, attrs }, &args, layout, span);
        self.wrap(body, value, ty, span)
    }

    fn scalar_in_place(&mut self, body: &mut Body, var: VarId, span: Span) -> VarId {
        let ty = self.program.layouts[body.layout(var)].ty;
        match self.program.types.as_scalar(ty) {
            Some(_) => self.in_place(body, var, span),
            None => var,
        }
    }

    /// What a box holds; any other value as it is.
    pub(crate) fn in_place(&mut self, body: &mut Body, var: VarId, span: Span) -> VarId {
        let layout = &self.program.layouts[body.layout(var)];
        let content = match layout.kind {
            Kind::Box { content, .. } => content,
            Kind::Immediate(_) => {
                let ty = layout.ty;
                self.content(ty)
            }
            _ => return var,
        };
        body.value(Op::Unbox, &[var], content, span)
    }

    /// A value in another layout of its type: boxed where that is a box.
    pub(crate) fn as_layout(&mut self, body: &mut Body, var: VarId, layout: LayoutId, span: Span) -> VarId {
        if body.layout(var) == layout {
            return var;
        }
        let is_boxed = |kind: &Kind| matches!(kind, Kind::Box { .. } | Kind::Immediate(_));
        let from = is_boxed(&self.program.layouts[body.layout(var)].kind);
        let to = is_boxed(&self.program.layouts[layout].kind);
        match (from, to) {
            (false, true) => body.value(Op::Box, &[var], layout, span),
            (true, false) => self.in_place(body, var, span),
            _ => var,
        }
    }

    /// A value in place as a variable of its type.
    pub(crate) fn wrap(&mut self, body: &mut Body, var: VarId, ty: TermId, span: Span) -> VarId {
        let layout = self.of(ty);
        self.as_layout(body, var, layout, span)
    }

    /// A variant, constructor or tuple.
    pub(crate) fn pack(&mut self, body: &mut Body, ty: TermId, head: Head, fields: &[VarId], span: Span) -> VarId {
        let content = self.content(ty);
        let found = match &self.program.layouts[content].kind {
            Kind::Sum { variants, .. } => variants.iter().position(|variant| variant.head == head),
            _ => None,
        };
        let Some(variant) = found else {
            // A type without values: a field never gets one either.
            let layout = self.of(ty);
            return body.fail(Fault::Unreachable, layout, span);
        };
        let layouts = self.field_layouts(content, variant);
        let fields: Vec<VarId> =
            fields.iter().zip(layouts).map(|(&field, layout)| self.as_layout(body, field, layout, span)).list();
        let value = body.value(Op::Pack { variant: variant as u32 }, &fields, content, span);
        self.wrap(body, value, ty, span)
    }

    pub(crate) fn field_layouts(&self, sum: LayoutId, variant: usize) -> Vec<LayoutId> {
        match &self.program.layouts[sum].kind {
            Kind::Sum { variants, .. } => variants[variant].fields.iter().map(|field| field.layout).list(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn project(
        &mut self,
        body: &mut Body,
        tuple: VarId,
        base: TermId,
        index: u32,
        ty: TermId,
        span: Span,
    ) -> VarId {
        let content = self.content(base);
        let layouts = self.field_layouts_of_only(content);
        let Some(&layout) = layouts.get(index as usize) else {
            let layout = self.of(ty);
            return body.fail(Fault::Unreachable, layout, span);
        };
        let tuple = self.in_place(body, tuple, span);
        let field = body.value(Op::Field { variant: 0, index }, &[tuple], layout, span);
        let from = self.program.layouts[layout].ty;
        match self.is_polymorphic(from) && !self.is_polymorphic(ty) {
            true => self.function_of(body, field, from, ty, span),
            false => self.wrap(body, field, ty, span),
        }
    }

    fn field_layouts_of_only(&self, content: LayoutId) -> Vec<LayoutId> {
        match &self.program.layouts[content].kind {
            Kind::Sum { variants, .. } if !variants.is_empty() => self.field_layouts(content, 0),
            _ => Vec::new(),
        }
    }

    fn branch(&mut self, body: &mut Body, tasks: &mut Tasks, expr: ExprId, dest: Dest) {
        let module = self.module;
        let span = module.exprs[expr].span;
        let subject = tasks.pop();
        match &module.exprs[expr].kind {
            ExprKind::If { then, otherwise, .. } => {
                let cond = self.in_place(body, subject, span);
                let (no, yes) = (body.new_block(span), body.new_block(span));
                let cases = vec![Case { key: CaseKey::Literal(Scalar::Int(0)), block: no }];
                body.end(End::Switch { on: cond, cases, default: Some(yes) }, span);
                if dest == Dest::Value {
                    let ty = self.expr_type(expr, body.subst);
                    let layout = self.of(ty);
                    tasks.meet(layout, span);
                }
                for (block, branch) in [(no, *otherwise), (yes, *then)] {
                    self.push_branch(tasks, (block, Vec::new()), branch, dest);
                }
            }
            ExprKind::Match { scrutinee, arms, .. } => {
                let arms = self.match_arms(body, expr, *scrutinee, arms, subject);
                if dest == Dest::Value {
                    let ty = self.expr_type(expr, body.subst);
                    let layout = self.of(ty);
                    tasks.meet(layout, span);
                }
                for (block, variables, arm) in arms.into_iter().rev() {
                    self.push_branch(tasks, (block, variables), arm, dest);
                }
            }
            _ => {}
        }
    }

    fn push_branch(
        &self,
        tasks: &mut Tasks,
        (block, variables): (BlockId, Vec<(LocalId, VarId)>),
        value: ExprId,
        dest: Dest,
    ) {
        if dest == Dest::Value {
            tasks.push(Task::EndBranch);
        }
        tasks.push(Task::Eval(value, dest));
        tasks.push(Task::Start(block, variables));
    }
}
