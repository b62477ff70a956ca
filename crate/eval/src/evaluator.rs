//! The stack of tasks.

use base::{Append, Span, ToList};
use hir::{
    CtorId, ExprId, ExprKind, FnId, Item, LocalId, Module, PatId, PatKind, Place, TakenSizes, TypeExprId, WrittenSizes,
};
use op::{CallFault, OpId, Operators};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use ty::{Code, Dtype, Fields, Limits, ParamId, RunError, RunFault, Scalar, Value, VariantId};

enum Task {
    Eval(ExprId),
    /// Takes the arguments and the function below them off the value stack.
    Call {
        expr: ExprId,
        n_args: usize,
    },
    OpCall(ExprId),
    Tuple(usize),
    Variant(VariantId, usize),
    Project {
        expr: ExprId,
        index: u32,
    },
    Branch {
        then: ExprId,
        otherwise: ExprId,
    },
    Match(ExprId),
    Bind(LocalId),
    Discard,
    RefNew,
    RefRead,
    RefWrite,
    /// Evaluates a top-level variable, for an expression that does not mention it.
    Force(LocalId, ExprId),
    /// The value is that of a top-level variable.
    StoreGlobal(LocalId),
    /// The value is that of a function whose result has sizes that are written.
    CheckResult(FnId),
    /// The value is that of a call.
    CheckValue(ExprId),
    Return,
}

/// A call that is not finished.
struct Frame {
    /// Where the file called, directly or through a library: what goes wrong inside a library is said there.
    site: Span,
    locals: Vec<Value>,
    captured: Fields,
    /// Where the dims that are parameters were given first.
    sizes: Vec<Given>,
}

/// A size that was given: the parameter, the tensor's name, the axis, the size.
type Given = (ParamId, String, usize, usize);

/// A value that arrives, what is written where it does, and what it is called there.
struct Arrival<'a> {
    annotation: Option<TypeExprId>,
    name: &'a dyn Fn() -> String,
    span: Span,
    value: &'a Value,
}

enum Global {
    Unevaluated(FnId),
    Running,
    Done(Value),
}

pub struct Evaluator<'m> {
    module: &'m Module,
    taken: TakenSizes,
    forced: base::HashMap<FnId, Vec<LocalId>>,
    limits: Limits,
    /// Fuel used by the run that is under way, or by the last one.
    pub fuel_used: u64,
    globals: HashMap<LocalId, Global>,
    operators: Operators,
    frames: Vec<Frame>,
    frame_bytes: u64,
    tasks: Vec<Task>,
    values: Vec<Value>,
}

/// How often the heap is measured where it can be: each time this much fuel is used.
const HEAP_CHECK: u64 = 1 << 16;

impl<'m> Evaluator<'m> {
    /// `forced`: by function, the top-level variables that are evaluated before a run of it.
    pub fn new(
        module: &'m Module,
        taken: TakenSizes,
        forced: base::HashMap<FnId, Vec<LocalId>>,
        limits: Limits,
    ) -> Evaluator<'m> {
        let globals = module.items.iter().filter_map(|item| match item {
            Item::Let(local, function) => Some((*local, Global::Unevaluated(*function))),
            Item::Def(_) | Item::Expr(_) | Item::Adt(_) => None,
        });
        Evaluator {
            module,
            taken,
            forced,
            limits,
            fuel_used: 0,
            globals: globals.collect(),
            operators: Operators::new(limits.memory),
            frames: Vec::new(),
            frame_bytes: 0,
            tasks: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Evaluates a function of the module on arguments.
    pub fn run(&mut self, function: FnId, args: Vec<Value>) -> Result<Value, RunError> {
        self.fuel_used = 0;
        self.frames.clear();
        self.tasks.clear();
        self.values.clear();
        self.frame_bytes = 0;
        self.enter(function, args, Fields::default(), None, self.module.functions[function].span)?;
        for &local in self.forced.get(&function).into_iter().flatten().rev() {
            self.tasks.append_all([Task::Discard, Task::Force(local, self.module.functions[function].body)]);
        }
        while let Some(task) = self.tasks.pop() {
            if let Err(error) = self.step(task) {
                // A top-level variable whose value was being found has none yet.
                self.unfinished_globals();
                return Err(error);
            }
        }
        Ok(self.values.pop().expect("a function leaves its value"))
    }

    fn unfinished_globals(&mut self) {
        for item in &self.module.items {
            if let Item::Let(local, function) = item
                && let Some(global @ Global::Running) = self.globals.get_mut(local)
            {
                *global = Global::Unevaluated(*function);
            }
        }
    }

    fn fail<T>(&self, expr: ExprId, fault: RunFault) -> Result<T, RunError> {
        Err(RunError { span: self.place(expr), fault })
    }

    fn told(&self, span: Span, result: Result<Value, CallFault>) -> Result<Value, RunError> {
        result.map_err(|fault| RunError { span, fault: fault.of_run(self.limits.memory) })
    }

    /// Where an expression is to be spoken of.
    fn place(&self, expr: ExprId) -> Span {
        match self.frames.last() {
            Some(frame) if (expr.number() as usize) < self.module.start.exprs => frame.site,
            _ => self.module.exprs[expr].span,
        }
    }

    fn place_of_pattern(&self, pat: PatId) -> Span {
        match self.frames.last() {
            Some(frame) if (pat.number() as usize) < self.module.start.pats => frame.site,
            _ => self.module.pats[pat].span,
        }
    }

    fn burn(&mut self, span: Span) -> Result<(), RunError> {
        self.fuel_used += 1;
        if self.fuel_used > self.limits.fuel {
            return Err(RunError { span, fault: RunFault::OutOfFuel { fuel: self.limits.fuel } });
        }
        if self.fuel_used.is_multiple_of(HEAP_CHECK) && heap_bytes().is_some_and(|bytes| bytes > self.limits.memory) {
            return Err(RunError { span, fault: RunFault::OutOfMemory { limit: self.limits.memory } });
        }
        Ok(())
    }

    /// Starts a call; in tail position it takes the place of the one that makes it.
    fn enter(
        &mut self,
        id: FnId,
        args: Vec<Value>,
        captured: Fields,
        callee: Option<Value>,
        site: Span,
    ) -> Result<(), RunError> {
        let function = &self.module.functions[id];
        let bytes = |n_locals: usize| (n_locals * size_of::<Value>() + size_of::<Frame>()) as u64;
        let sizes = self.module.result_sizes(id);
        // What is called checks its own result.
        if let Some(&Task::CheckResult(around)) = self.tasks.last()
            && self.module.result_sizes(around) == sizes
            && sizes.iter().all(|sizes| sizes.params.is_empty())
        {
            self.tasks.pop();
        }
        if matches!(self.tasks.last(), Some(Task::Return)) {
            self.tasks.pop();
            if let Some(done) = self.frames.pop() {
                self.frame_bytes -= bytes(done.locals.len());
            }
        }
        let mut locals = vec![Value::int32(0); function.n_locals as usize];
        let mut given = Vec::new();
        for (&param, arg) in function.params.iter().zip(args) {
            self.check_annotation(param, &arg, &mut given)?;
            locals[self.module.locals[param].slot as usize] = arg;
        }
        if let (Some((_, slot)), Some(callee)) = (function.self_local, callee) {
            locals[slot as usize] = callee;
        }
        self.frame_bytes += bytes(locals.len());
        if self.frame_bytes > self.limits.memory {
            let limit = self.limits.memory;
            return Err(RunError { span: site, fault: RunFault::OutOfMemory { limit } });
        }
        self.frames.push(Frame { site, locals, captured, sizes: given });
        self.tasks.push(Task::Return);
        if !sizes.is_empty() {
            self.tasks.push(Task::CheckResult(id));
        }
        self.tasks.push(Task::Eval(function.body));
        Ok(())
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("tasks run inside a call")
    }

    fn pop(&mut self) -> Value {
        self.values.pop().expect("every operand was evaluated before")
    }

    fn step(&mut self, task: Task) -> Result<(), RunError> {
        match task {
            Task::Eval(expr) => return self.eval(expr),
            Task::Call { expr, n_args } => {
                let args = self.values.split_off(self.values.len() - n_args);
                let callee = self.pop();
                return self.call(expr, callee, args);
            }
            Task::OpCall(expr) => return self.op_call(expr),
            Task::Tuple(n) => {
                let fields = self.values.split_off(self.values.len() - n);
                self.values.push(Value::Tuple(Fields::new(fields)));
            }
            Task::Variant(name, n) => {
                let fields = self.values.split_off(self.values.len() - n);
                self.values.push(Value::Variant(name, Fields::new(fields)));
            }
            Task::Project { expr, index } => match self.pop() {
                Value::Tuple(fields) if (index as usize) < fields.len() => {
                    self.values.push(fields[index as usize].clone());
                }
                _ => return self.fail(expr, RunFault::Broken),
            },
            Task::Branch { then, otherwise } => match self.pop() {
                Value::Scalar(Dtype::Bool, Scalar::Int(0)) => self.tasks.push(Task::Eval(otherwise)),
                Value::Scalar(Dtype::Bool, Scalar::Int(_)) => self.tasks.push(Task::Eval(then)),
                _ => return self.fail(then, RunFault::Broken),
            },
            Task::Match(expr) => return self.match_arms(expr),
            Task::Bind(local) => {
                let value = self.pop();
                self.check_annotation(local, &value, &mut self.given())?;
                self.bind(local, value);
            }
            Task::Discard => {
                self.values.pop();
            }
            Task::RefNew => {
                let value = self.pop();
                self.values.push(Value::Ref(Rc::new(RefCell::new(value))));
            }
            Task::RefRead => match self.pop() {
                Value::Ref(cell) => {
                    let value = cell.borrow().clone();
                    self.values.push(value);
                }
                other => self.values.push(other),
            },
            Task::CheckValue(expr) => {
                if let Some((name, sizes)) = self.taken.exprs.get(&expr) {
                    let value = self.values.last().expect("the value was evaluated before");
                    check_numbers(value, name, sizes, self.module.exprs[expr].span)?;
                }
            }
            Task::RefWrite => {
                let value = self.pop();
                if let Value::Ref(cell) = self.pop() {
                    cell.replace(value);
                }
                self.values.push(Value::unit());
            }
            Task::Force(local, expr) => return self.local(expr, local, Place::TopLevel),
            Task::StoreGlobal(local) => {
                let value = self.values.last().expect("the value was evaluated before").clone();
                self.check_annotation(local, &value, &mut self.given())?;
                self.globals.insert(local, Global::Done(value));
            }
            Task::CheckResult(id) => {
                let function = &self.module.functions[id];
                let name = || {
                    let def = self.module.defs.iter().find(|def| def.function == id);
                    let own = || function.self_local.map(|(local, _)| self.module.local_name(local));
                    format!("{}(…)", def.map(|def| &*def.name).or_else(own).unwrap_or("fn"))
                };
                let span = function.result.map_or(function.span, |result| self.module.type_exprs[result].span);
                let value = self.values.last().expect("the value was evaluated before");
                let arrival = Arrival { annotation: function.result, name: &name, span, value };
                self.check_sizes(&arrival, &mut self.given())?;
            }
            Task::Return => {
                if let Some(done) = self.frames.pop() {
                    self.frame_bytes -= (done.locals.len() * size_of::<Value>() + size_of::<Frame>()) as u64;
                }
            }
        }
        Ok(())
    }

    fn eval(&mut self, expr: ExprId) -> Result<(), RunError> {
        let module = self.module;
        match &module.exprs[expr].kind {
            ExprKind::Error => return self.fail(expr, RunFault::Broken),
            ExprKind::Literal(dtype, scalar) => self.values.push(Value::Scalar(*dtype, *scalar)),
            ExprKind::TensorLit(tensor) if tensor.elements.len() as u64 * 8 > self.limits.memory => {
                return self.fail(expr, RunFault::OutOfMemory { limit: self.limits.memory });
            }
            ExprKind::TensorLit(tensor) => self.values.push(Value::tensor(ty::Tensor::clone(tensor))),
            ExprKind::Local(local, place) => return self.local(expr, *local, *place),
            ExprKind::Def(def) => {
                let code = Code::Function(module.defs[*def].function.number());
                self.values.push(Value::Func(code, Fields::default()));
            }
            ExprKind::Ctor(ctor) => self.values.push(Value::Func(Code::Constructor(ctor.number()), Fields::default())),
            ExprKind::Op(op) => self.values.push(Value::Func(Code::Operator(op.number()), Fields::default())),
            ExprKind::OpCall { args, .. } => {
                self.tasks.push(Task::OpCall(expr));
                self.push_evals(args);
            }
            ExprKind::Call { callee, args, .. } => {
                if self.taken.exprs.contains_key(&expr) {
                    self.tasks.push(Task::CheckValue(expr));
                }
                self.tasks.push(Task::Call { expr, n_args: args.len() });
                self.push_evals(args);
                self.tasks.push(Task::Eval(*callee));
            }
            ExprKind::Tuple(fields) => {
                self.tasks.push(Task::Tuple(fields.len()));
                self.push_evals(fields);
            }
            ExprKind::Variant(name, fields) => {
                self.tasks.push(Task::Variant(*name, fields.len()));
                self.push_evals(fields);
            }
            ExprKind::Project { base, index } => {
                self.tasks.push(Task::Project { expr, index: *index });
                self.tasks.push(Task::Eval(*base));
            }
            ExprKind::If { cond, then, otherwise } => {
                self.tasks.push(Task::Branch { then: *then, otherwise: *otherwise });
                self.tasks.push(Task::Eval(*cond));
            }
            ExprKind::Match { scrutinee, .. } => {
                self.tasks.push(Task::Match(expr));
                self.tasks.push(Task::Eval(*scrutinee));
            }
            ExprKind::Block { lets, tail } => {
                self.tasks.push(Task::Eval(*tail));
                for (local, value) in lets.iter().rev() {
                    self.tasks.push(local.map_or(Task::Discard, Task::Bind));
                    self.tasks.push(Task::Eval(*value));
                }
            }
            ExprKind::Fn(function) => {
                let places = module.functions[*function].captures.iter().map(|&(_, place)| place);
                let frame = self.frame();
                let captured = places
                    .map(|place| match place {
                        Place::Own(slot) => frame.locals[slot as usize].clone(),
                        Place::Captured(index) => frame.captured[index as usize].clone(),
                        Place::TopLevel => Value::unit(),
                    })
                    .list();
                self.values.push(Value::Func(Code::Function(function.number()), Fields::new(captured)));
            }
            ExprKind::RefNew(value) => self.tasks.append_all([Task::RefNew, Task::Eval(*value)]),
            ExprKind::RefRead(reference) => {
                self.tasks.append_all([Task::CheckValue(expr), Task::RefRead, Task::Eval(*reference)]);
            }
            ExprKind::RefWrite { reference, value } => {
                self.tasks.append_all([Task::RefWrite, Task::Eval(*value), Task::Eval(*reference)]);
            }
        }
        Ok(())
    }

    fn push_evals(&mut self, exprs: &[ExprId]) {
        self.tasks.append_all(exprs.iter().rev().map(|&expr| Task::Eval(expr)));
    }

    fn local(&mut self, expr: ExprId, local: LocalId, place: Place) -> Result<(), RunError> {
        if self.module.locals[local].origin.is_free() {
            return self.fail(expr, RunFault::FreeVariable(self.module.local_name(local).to_owned()));
        }
        let value = match place {
            Place::Own(slot) => self.frame().locals[slot as usize].clone(),
            Place::Captured(index) => self.frame().captured[index as usize].clone(),
            Place::TopLevel => match self.globals.get(&local) {
                Some(Global::Done(value)) => value.clone(),
                Some(Global::Unevaluated(function)) => {
                    let function = *function;
                    self.globals.insert(local, Global::Running);
                    self.tasks.push(Task::StoreGlobal(local));
                    let site = self.module.functions[function].span;
                    return self.enter(function, Vec::new(), Fields::default(), None, site);
                }
                Some(Global::Running) | None => {
                    return self.fail(expr, RunFault::SelfReference(self.module.local_name(local).to_owned()));
                }
            },
        };
        self.values.push(value);
        Ok(())
    }

    fn bind(&mut self, local: LocalId, value: Value) {
        let slot = self.module.locals[local].slot as usize;
        self.frame().locals[slot] = value;
    }

    /// The sizes that the parameters of the function have given.
    fn given(&self) -> Vec<Given> {
        self.frames.last().map_or_else(Vec::new, |frame| frame.sizes.clone())
    }

    fn check_annotation(&self, local: LocalId, value: &Value, given: &mut Vec<Given>) -> Result<(), RunError> {
        let data = &self.module.locals[local];
        let name = || self.module.local_name(local).to_owned();
        self.check_sizes(&Arrival { annotation: data.annotation, name: &name, span: data.span, value }, given)?;
        match self.taken.locals.get(&local) {
            Some(sizes) => check_numbers(value, &name(), sizes, data.span),
            None => Ok(()),
        }
    }

    /// A tensor may have another size than the number that is written where it arrives, or than a parameter was given
    /// there before.
    fn check_sizes(&self, arrival: &Arrival, given: &mut Vec<Given>) -> Result<(), RunError> {
        let &Arrival { annotation, name, span, value } = arrival;
        let wrong = |sentence| Err(RunError { span, fault: RunFault::Shapes(sentence) });
        for sizes in self.module.written_sizes(annotation) {
            let shape = shape_of(value, &sizes.path);
            check_numbers(value, &name(), std::slice::from_ref(&sizes), span)?;
            for &(param, axis) in sizes.params.iter().filter(|&&(_, axis)| axis < shape.len()) {
                let (name, found) = (sizes.name(&name()), shape[axis]);
                match given.iter().find(|given| given.0 == param) {
                    None => given.push((param, name, axis, found)),
                    Some((_, first, at, want)) if *want != found => {
                        let about = self.module.shared_name(param, (first, *at), (&name, axis));
                        return wrong(format!("{about}: sizes {want} and {found} differ"));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, expr: ExprId, callee: Value, args: Vec<Value>) -> Result<(), RunError> {
        let Value::Func(code, ref captured) = callee else { return self.fail(expr, RunFault::Broken) };
        match code {
            Code::Function(id) => {
                let site = self.place(expr);
                self.burn(site)?;
                let captured = captured.clone();
                self.enter(FnId::numbered(id), args, captured, Some(callee), site)
            }
            Code::Constructor(ctor) => {
                let data = &self.module.ctors[CtorId::numbered(ctor)];
                let mut given = Vec::new();
                for (i, (&field, value)) in data.fields.iter().zip(&args).enumerate().filter(|_| self.module.has_any) {
                    let (span, name) = (self.module.type_exprs[field].span, || format!("{}.{i}", data.name));
                    let arrival = Arrival { annotation: Some(field), name: &name, span, value };
                    self.check_sizes(&arrival, &mut given)?;
                }
                self.values.push(Value::Data(ctor, Fields::new(args)));
                Ok(())
            }
            Code::Operator(op) => {
                let span = self.place(expr);
                let result = self.operators.run_value(OpId::numbered(op), &args);
                self.values.push(self.told(span, result)?);
                Ok(())
            }
        }
    }

    fn op_call(&mut self, expr: ExprId) -> Result<(), RunError> {
        let ExprKind::OpCall { op, args, attrs, .. } = &self.module.exprs[expr].kind else {
            return self.fail(expr, RunFault::Broken);
        };
        let from = self.values.len() - args.len();
        let span = self.place(expr);
        let result = self.operators.run(*op, &self.values[from..], attrs);
        let value = self.told(span, result)?;
        self.values.truncate(from);
        self.values.push(value);
        Ok(())
    }

    fn match_arms(&mut self, expr: ExprId) -> Result<(), RunError> {
        let module = self.module;
        let ExprKind::Match { arms, .. } = &module.exprs[expr].kind else {
            return self.fail(expr, RunFault::Broken);
        };
        let value = self.pop();
        for arm in arms {
            let mut bound = Vec::new();
            if self.matches(arm.pat, &value, &mut bound)? {
                for (local, value) in bound {
                    self.check_annotation(local, &value, &mut self.given())?;
                    self.bind(local, value);
                }
                self.tasks.push(Task::Eval(arm.body));
                return Ok(());
            }
        }
        self.fail(expr, RunFault::NoArm)
    }

    /// Whether a value fits a pattern, and what its variables are then. Alternatives are tried in order; the first that
    /// fits its place is taken, whatever the other places come to.
    fn matches(&mut self, pat: PatId, value: &Value, bound: &mut Vec<(LocalId, Value)>) -> Result<bool, RunError> {
        enum Todo {
            Match(PatId, Value),
            /// The latest choice stands.
            Commit,
        }
        struct Choice<'p> {
            others: &'p [PatId],
            value: Value,
            n_todo: usize,
            n_bound: usize,
        }
        let module = self.module;
        let mut todo = vec![Todo::Match(pat, value.clone())];
        let mut choices: Vec<Choice> = Vec::new();
        while let Some(next) = todo.pop() {
            let Todo::Match(pat, value) = next else {
                choices.pop();
                continue;
            };
            let mut fields_of = |pats: &[PatId], fields: &[Value]| {
                let pairs = pats.iter().copied().zip(fields.iter().cloned()).rev();
                todo.append_all(pairs.map(|(pat, field)| Todo::Match(pat, field)));
            };
            let fits = match (&module.pats[pat].kind, &value) {
                (PatKind::Wild, _) => true,
                (PatKind::Var(local), _) => {
                    bound.push((*local, value));
                    true
                }
                (PatKind::As(inner, local), _) => {
                    bound.push((*local, value.clone()));
                    todo.push(Todo::Match(*inner, value));
                    true
                }
                (PatKind::Or(alternatives), _) => {
                    let Some((&first, others)) = alternatives.split_first() else { return Ok(false) };
                    choices.push(Choice { others, value: value.clone(), n_todo: todo.len(), n_bound: bound.len() });
                    todo.append_all([Todo::Commit, Todo::Match(first, value)]);
                    true
                }
                (PatKind::Ctor(want, pats), Value::Data(found, fields)) => {
                    fields_of(pats, fields);
                    self.burn(self.place_of_pattern(pat))?;
                    *want == CtorId::numbered(*found)
                }
                (PatKind::Variant(want, pats), Value::Variant(found, fields)) => {
                    fields_of(pats, fields);
                    self.burn(self.place_of_pattern(pat))?;
                    want == found
                }
                (PatKind::Tuple(pats), Value::Tuple(fields)) => {
                    fields_of(pats, fields);
                    true
                }
                (PatKind::Literal(_, want), Value::Scalar(_, found)) => {
                    self.burn(self.place_of_pattern(pat))?;
                    want == found
                }
                _ => return Err(RunError { span: self.place_of_pattern(pat), fault: RunFault::Broken }),
            };
            if fits {
                continue;
            }
            loop {
                let Some(choice) = choices.last_mut() else { return Ok(false) };
                todo.truncate(choice.n_todo);
                bound.truncate(choice.n_bound);
                if let Some((&next, others)) = choice.others.split_first() {
                    choice.others = others;
                    let value = choice.value.clone();
                    todo.append_all([Todo::Commit, Todo::Match(next, value)]);
                    break;
                }
                choices.pop();
            }
        }
        Ok(true)
    }
}

/// The bytes that the whole program holds, where that can be asked.
#[cfg(target_arch = "wasm32")]
fn heap_bytes() -> Option<u64> {
    Some(core::arch::wasm32::memory_size(0) as u64 * 65_536)
}

#[cfg(not(target_arch = "wasm32"))]
fn heap_bytes() -> Option<u64> {
    None
}

/// The shape of the tensor at a place in a value.
fn shape_of<'v>(value: &'v Value, path: &[u32]) -> &'v [usize] {
    let part = path.iter().try_fold(value, |value, &index| match value {
        Value::Tuple(fields) => fields.get(index as usize),
        _ => None,
    });
    match part {
        Some(Value::Tensor(tensor)) => &tensor.shape,
        _ => &[],
    }
}

/// An error if a tensor in a value is of another size than is known of it.
fn check_numbers(value: &Value, name: &str, sizes: &[WrittenSizes], span: Span) -> Result<(), RunError> {
    for sizes in sizes {
        for (axis, (&dim, &found)) in sizes.numbers.iter().zip(shape_of(value, &sizes.path)).enumerate() {
            if let Some(want) = dim.filter(|&want| want != found as u64) {
                let sentence = format!("`{}` has size {want} on axis {axis}, found {found}", sizes.name(name));
                return Err(RunError { span, fault: RunFault::Shapes(sentence) });
            }
        }
    }
    Ok(())
}
