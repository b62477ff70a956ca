//! Following a program on shapes, instruction by instruction, as the machine runs it.

use super::path::{Abstract, Content, Frame, GlobalValue, Path};
use super::{Forecaster, Open};
use base::{Edited, HashMap, Idx, Span, ToList};
use ir::{BlockId, Callee, Case, CaseKey, FuncId, GlobalId, Instr, Op, VarId};
use layout::{Head, Kind, LayoutId};
use machine::{data_offset, tensor_size};
use op::{CallFault, MAX_OPERANDS, OPEN, OpId, Operand, Plan, ResultType, bytes_on_values};
use std::sync::Arc;
use ty::{Dtype, RunError, RunFault, Scalar, Value, scalar_bits, scalar_of};

/// How following a path ended.
#[derive(Clone, Debug)]
pub(super) enum End {
    Done,
    /// The run will fail.
    Failed,
    /// A tensor does not fit.
    Refused(RunError),
    /// It goes on, but nobody knows how; the path says why.
    Lost,
    /// It goes on in one of these blocks.
    Fork(Vec<BlockId>),
}

/// By place in memory of the instruction: the operands that were there last, and what is known of the call.
pub(super) type Known = HashMap<usize, (Vec<Operand>, Option<Arc<Foreseen>>)>;

pub(super) struct Foreseen {
    results: Vec<ResultType>,
    plan: Option<Plan>,
    /// The bytes that the plans of an operator on tuples work in, if each result has one.
    parts: Option<u64>,
}

/// What an operator's result is made of.
enum Made {
    /// Nothing is known of it.
    Unknown,
    Known(Arc<Foreseen>),
}

impl<'p> Forecaster<'p> {
    /// Goes on until the path ends or parts.
    pub(super) fn follow(&mut self, path: &mut Path) -> End {
        let program = self.program;
        loop {
            let Some(frame) = path.frames.last() else { return End::Done };
            let block = &program.functions[frame.function].blocks[frame.block];
            if self.n_left == 0 {
                path.note_open(path.place(program), Open::Long);
                return End::Lost;
            }
            self.n_left -= 1;
            let ended = match block.instrs.get(frame.at) {
                Some(instr) => self.instr(path, instr),
                None => self.end(path, &block.end),
            };
            if let Err(end) = ended {
                return end;
            }
        }
    }

    fn layout(&self, path: &Path, var: VarId) -> LayoutId {
        let frame = path.frames.last().map(|frame| frame.function);
        frame.map_or(LayoutId::numbered(0), |function| self.program.functions[function].vars[var].layout)
    }

    fn kind(&self, path: &Path, var: VarId) -> &'p Kind {
        &self.program.layouts[self.layout(path, var)].kind
    }

    fn instr(&mut self, path: &mut Path, instr: &'p Instr) -> Result<(), End> {
        let args: Vec<Abstract> = instr.args.iter().map(|&arg| get(path, arg)).list();
        let result = instr.results.first().copied();
        let value = match &instr.op {
            Op::Scalar(scalar) => match result.map(|result| self.kind(path, result)) {
                Some(Kind::Scalar(dtype) | Kind::Immediate(dtype)) => Abstract::Scalar(*dtype, Some(*scalar)),
                _ => Abstract::Unknown,
            },
            Op::Tensor(id) => {
                let tensor = &self.program.constants[*id];
                let of = ResultType { shape: tensor.shape.clone(), dtype: tensor.dtype };
                let value = path.object(Content::Tensor(Some(of)));
                // A literal is never taken for a result: it has another owner.
                path.dup(&value);
                value
            }
            Op::Pack { variant } => match result.and_then(|result| self.head(path, result, *variant)) {
                // What has no bits leads to nothing, but may have any number of fields that have none either.
                Some(_) if result.is_some_and(|result| self.program.layouts[self.layout(path, result)].bits == 0) => {
                    Abstract::Unknown
                }
                Some(head) => Abstract::Sum(head, args),
                None => Abstract::Unknown,
            },
            Op::Open { .. } | Op::Peek { .. } => {
                if let Some(Abstract::Sum(_, fields)) = args.into_iter().next() {
                    instr.results.iter().zip(fields).for_each(|(&result, field)| set(path, result, field));
                } else {
                    self.unknown(path, &instr.results);
                }
                return next(path);
            }
            Op::Field { index, .. } => match args.first() {
                Some(Abstract::Sum(_, fields)) => fields.get(*index as usize).cloned().unwrap_or(Abstract::Unknown),
                _ => self.unknown_of(path, result),
            },
            Op::Box => match (result.map(|result| self.kind(path, result)), args.into_iter().next()) {
                (Some(Kind::Box { .. }), Some(content)) => path.object(Content::Value(content)),
                (_, content) => content.unwrap_or(Abstract::Unknown),
            },
            Op::Unbox => match args.into_iter().next() {
                Some(Abstract::Object(id)) => held(path.empty(id)),
                // An argument from outside is in no box.
                Some(value @ (Abstract::Scalar(..) | Abstract::Sum(..))) => value,
                _ => self.unknown_of(path, result),
            },
            Op::Load => match args.first() {
                Some(Abstract::Object(id)) => held(path.objects[*id as usize].content.clone()),
                Some(value @ (Abstract::Scalar(..) | Abstract::Sum(..))) => value.clone(),
                _ => self.unknown_of(path, result),
            },
            Op::Free | Op::Fuel(_) | Op::Check { .. } => Abstract::Unknown,
            Op::Closure(function) => path.object(Content::Closure(*function, args)),
            Op::Call(callee) => {
                let to = result.unwrap_or(VarId::numbered(0));
                let site = path.place(self.program);
                advance(path);
                return self.invoke(path, *callee, args, to, site);
            }
            Op::Operator { op, attrs } => {
                if let (Some(scalars), Some(result)) = (known_scalars(&args), result) {
                    let known = match on_scalars(*op, &scalars) {
                        Some(known) => Some(known),
                        None => match self.operators.run(*op, &scalars, attrs) {
                            Ok(Value::Scalar(dtype, scalar)) => Some((dtype, scalar)),
                            Ok(_) | Err(_) => None,
                        },
                    };
                    if let Some((dtype, scalar)) = known {
                        set(path, result, Abstract::Scalar(dtype, Some(scalar)));
                        return next(path);
                    }
                }
                return self.operator(path, instr, args);
            }
            Op::Fused(_) => return self.operator(path, instr, args),
            Op::Retype => args.into_iter().next().unwrap_or(Abstract::Unknown),
            Op::RefNew => {
                path.has_cells = true;
                path.object(Content::Value(args.into_iter().next().unwrap_or(Abstract::Unknown)))
            }
            Op::RefRead => match args.into_iter().next() {
                Some(Abstract::Object(id)) => held(path.empty(id)),
                _ => self.unknown_of(path, result),
            },
            Op::RefWrite => {
                if let [Abstract::Object(id), new] = &args[..] {
                    let content = Content::Value(new.clone());
                    let old = std::mem::replace(&mut path.objects[*id as usize].content, content);
                    path.drop(held(old));
                    path.drop(Abstract::Object(*id));
                }
                Abstract::Sum(Head::Tuple, Vec::new())
            }
            Op::Global(global) => return self.global(path, *global, result),
            Op::Dup => {
                args.iter().for_each(|arg| path.dup(arg));
                return next(path);
            }
            Op::Drop => {
                args.into_iter().for_each(|arg| path.drop(arg));
                return next(path);
            }
        };
        if matches!(instr.op, Op::Field { .. }) {
            path.dup(&value);
        }
        if let Some(result) = result {
            set(path, result, value);
        }
        next(path)
    }

    /// What a variant of a variable's sum begins with.
    fn head(&self, path: &Path, var: VarId, variant: u32) -> Option<Head> {
        match self.kind(path, var) {
            Kind::Sum { variants, .. } => variants.get(variant as usize).map(|variant| variant.head),
            _ => None,
        }
    }

    fn unknown(&self, path: &mut Path, results: &[VarId]) {
        for &result in results {
            let value = self.unknown_of(path, Some(result));
            set(path, result, value);
        }
    }

    /// A value of which only the layout is known.
    fn unknown_of(&self, path: &mut Path, var: Option<VarId>) -> Abstract {
        match var.map(|var| self.kind(path, var)) {
            Some(Kind::Scalar(dtype) | Kind::Immediate(dtype)) => Abstract::Scalar(*dtype, None),
            Some(Kind::Tensor) => path.tensor(None),
            _ => Abstract::Unknown,
        }
    }

    fn invoke(
        &mut self,
        path: &mut Path,
        callee: Callee,
        mut args: Vec<Abstract>,
        to: VarId,
        site: Span,
    ) -> Result<(), End> {
        let function = match callee {
            Callee::Function(function) => function,
            Callee::Value => {
                let closure = if args.is_empty() { Abstract::Unknown } else { args.remove(0) };
                let Abstract::Object(id) = closure else { return self.lost(path, site, Open::Function) };
                let Content::Closure(function, captured) = path.empty(id) else {
                    return self.lost(path, site, Open::Function);
                };
                args.put_first(captured);
                function
            }
        };
        self.enter(path, function, args, to, site)
    }

    fn lost(&self, path: &mut Path, site: Span, open: Open) -> Result<(), End> {
        path.note_open(site, open);
        Err(End::Lost)
    }

    fn enter(
        &mut self,
        path: &mut Path,
        function: FuncId,
        args: Vec<Abstract>,
        to: VarId,
        site: Span,
    ) -> Result<(), End> {
        let mut frame = Frame::new(self.program, function, args, site).ok_or(End::Failed)?;
        self.n_left = self.n_left.saturating_sub(frame.vars.len() as u64 / 16);
        frame.to = to;
        path.frames.push(frame);
        Ok(())
    }

    fn global(&mut self, path: &mut Path, id: GlobalId, result: Option<VarId>) -> Result<(), End> {
        match path.globals.get(id.index()) {
            Some(GlobalValue::Done(value)) => {
                let value = value.clone();
                path.dup(&value);
                if let Some(result) = result {
                    set(path, result, value);
                }
                next(path)
            }
            Some(GlobalValue::Unset) => {
                let site = path.place(self.program);
                path.globals[id.index()] = GlobalValue::Running;
                self.enter(path, self.program.globals[id].init, Vec::new(), VarId::numbered(0), site)?;
                if let Some(frame) = path.frames.last_mut() {
                    frame.global = Some(id);
                }
                Ok(())
            }
            Some(GlobalValue::Running) | None => Err(End::Failed),
        }
    }

    fn end(&mut self, path: &mut Path, end: &'p ir::End) -> Result<(), End> {
        match end {
            ir::End::Return(var) => {
                let value = get(path, *var);
                let Some(done) = path.frames.pop() else { return Err(End::Failed) };
                match done.global {
                    // The instruction that asked for it is looked at again.
                    Some(global) => path.globals[global.index()] = GlobalValue::Done(value),
                    None if path.frames.is_empty() => path.drop(value),
                    None => set(path, done.to, value),
                }
                Ok(())
            }
            ir::End::Jump(block, args) => {
                let Some(frame) = path.frames.last() else { return Err(End::Failed) };
                let params = &self.program.functions[frame.function].blocks[*block].params;
                let args: Vec<Abstract> = args.iter().map(|&arg| get(path, arg)).list();
                params.iter().zip(args).for_each(|(&param, arg)| set(path, param, arg));
                path.go_to(*block);
                Ok(())
            }
            ir::End::TailCall(callee, args) => {
                let args = args.iter().map(|&arg| get(path, arg)).list();
                let site = path.place(self.program);
                let Some(done) = path.frames.pop() else { return Err(End::Failed) };
                let left = done.global;
                self.invoke(path, *callee, args, done.to, site)?;
                if let Some(frame) = path.frames.last_mut() {
                    frame.global = left;
                }
                Ok(())
            }
            ir::End::Switch { on, cases, default } => {
                let is_known = match (get(path, *on), self.kind(path, *on)) {
                    (Abstract::Sum(head, _), Kind::Sum { variants, .. }) => {
                        let found = variants.iter().position(|variant| variant.head == head);
                        found.map(|variant| CaseKey::Variant(variant as u32))
                    }
                    (Abstract::Scalar(_, Some(scalar)), _) => Some(CaseKey::Literal(scalar)),
                    _ => None,
                };
                let Some(key) = is_known else {
                    let mut blocks: Vec<BlockId> = cases.iter().map(|case| case.block).chain(*default).list();
                    blocks.dedup();
                    return Err(End::Fork(blocks));
                };
                let case = cases.iter().find(|case| fits(case, &key));
                match case.map(|case| case.block).or(*default) {
                    Some(block) => path.go_to(block),
                    None => return Err(End::Failed),
                }
                Ok(())
            }
            ir::End::Fail(_) => Err(End::Failed),
        }
    }

    /// A call of an operator, or of several as one: the result's memory, and the end of the operands'.
    fn operator(&mut self, path: &mut Path, instr: &'p Instr, mut args: Vec<Abstract>) -> Result<(), End> {
        let [result] = instr.results[..] else { return Err(End::Failed) };
        let operands: Option<Vec<Operand>> = args.iter().map(|arg| operand(path, arg)).some_list();
        let n_operands: u64 = operands.iter().flatten().map(Operand::n_elements).total();
        let made = match operands {
            Some(operands) => self.foresee(instr, operands)?,
            None => Made::Unknown,
        };
        let Made::Known(foreseen) = made else {
            path.note_open(path.place(self.program), Open::Size);
            args.into_iter().for_each(|arg| path.drop(arg));
            let value = self.unknown_of(path, Some(result));
            path.has_unknown = true;
            set(path, result, value);
            return next(path);
        };
        let Foreseen { results, plan, parts } = &*foreseen;
        let plan = plan.as_ref().filter(|_| args.len() <= MAX_OPERANDS);
        let is_tensor = matches!(self.kind(path, result), Kind::Tensor);
        if let (Some(plan), [of], true) = (plan, &results[..], is_tensor)
            && let Some(size) = tensor_size(of.dtype, &of.shape)
        {
            // As `tensor::find` and `Planned::run` decide.
            let taken = args.iter().enumerate().find_map(|(i, arg)| match arg {
                Abstract::Object(id) if plan.takes(i) => {
                    let object = &path.objects[*id as usize];
                    let Content::Tensor(Some(from)) = &object.content else { return None };
                    let is_same = tensor_size(from.dtype, &from.shape) == Some(size)
                        && data_offset(from.shape.len()) == data_offset(of.shape.len())
                        && from.n_bytes() == of.n_bytes();
                    (is_same && object.n_owners == 1).then_some(*id)
                }
                _ => None,
            });
            let made = if taken.is_some() { 0 } else { of.n_bytes() };
            match plan.n_working_bytes() {
                0 => {}
                bytes => self.work(path, bytes.saturating_add(made))?,
            }
            let value = match taken {
                Some(id) => {
                    path.objects[id as usize].content = Content::Tensor(Some(of.clone()));
                    path.dup(&Abstract::Object(id));
                    Abstract::Object(id)
                }
                None => self.tensor(path, of)?,
            };
            args.into_iter().for_each(|arg| path.drop(arg));
            set(path, result, value);
            return next(path);
        }
        let is_scalar = matches!(self.kind(path, result), Kind::Scalar(_)) && plan.is_some();
        let span = path.place(self.program);
        // As the machine decides: the operands stay until the results are there.
        let layouts = instr.args.iter().map(|&arg| self.layout(path, arg));
        let is_planned =
            parts.is_some() && machine::is_in_place(&self.program.layouts, layouts, self.layout(path, result), results);
        if let (true, Some(bytes @ 1..)) = (is_planned, *parts) {
            let made = results.iter().map(ResultType::n_bytes).fold(0, u64::saturating_add);
            self.work(path, bytes.saturating_add(made))?;
        }
        if !is_scalar && !is_planned {
            if let Some(of) = results.iter().find(|of| of.n_bytes() > self.limit) {
                return Err(self.refused(span, of.n_bytes(), 0));
            }
            let n = results.iter().map(ResultType::n_elements).fold(n_operands, u64::saturating_add);
            let op = if let Op::Operator { op, .. } = instr.op { Some(op) } else { None };
            self.work(path, bytes_on_values(op, n))?;
        }
        if !is_planned {
            std::mem::take(&mut args).into_iter().for_each(|arg| path.drop(arg));
        }
        let mut fields = Vec::with_capacity(results.len());
        for of in results {
            fields.push(match of.shape.is_empty() {
                true => Abstract::Scalar(of.dtype, None),
                false if of.shape.contains(&OPEN) => {
                    path.note_open(span, Open::Size);
                    path.tensor(None)
                }
                false => self.tensor(path, of)?,
            });
        }
        args.into_iter().for_each(|arg| path.drop(arg));
        let value = match self.kind(path, result) {
            Kind::Sum { .. } => Abstract::Sum(Head::Tuple, fields),
            Kind::Box { .. } => path.object(Content::Value(Abstract::Sum(Head::Tuple, fields))),
            _ => fields.into_iter().next().unwrap_or(Abstract::Unknown),
        };
        set(path, result, value);
        next(path)
    }

    fn foresee(&mut self, instr: &'p Instr, operands: Vec<Operand>) -> Result<Made, End> {
        let place = std::ptr::from_ref(instr) as usize;
        if let Some((before, found)) = self.known.get(&place)
            && *before == operands
        {
            return Ok(found.clone().map_or(Made::Unknown, Made::Known));
        }
        // Looking up a relation costs as much as many instructions.
        self.n_left = self.n_left.saturating_sub(16);
        let found = match &instr.op {
            Op::Fused(steps) => {
                let types = operands.iter().map(Operand::single).some_list();
                let types = types.ok_or(End::Failed)?;
                self.operators.plan_steps(steps, &types).map_err(|(_, fault)| fault)
            }
            Op::Operator { op, attrs } => self.operators.foresee(*op, attrs, &operands),
            _ => return Err(End::Failed),
        };
        let found = match found {
            Ok(found) => found.map(|(results, plan)| {
                let parts = self.parts(instr, &operands);
                Arc::new(Foreseen { results, plan, parts })
            }),
            // Values that are not known here may be what its types depend on.
            Err(CallFault::IllTyped) => None,
            Err(_) => return Err(End::Failed),
        };
        self.known.insert(place, (operands, found.clone()));
        Ok(found.map_or(Made::Unknown, Made::Known))
    }

    /// The bytes that the plans of an operator on tuples work in, if each result has one.
    fn parts(&mut self, instr: &Instr, operands: &[Operand]) -> Option<u64> {
        let Op::Operator { op, attrs } = &instr.op else { return None };
        if !op.has_tuples() {
            return None;
        }
        let fields = |operand: &Operand| match operand {
            Operand::Tuple(fields) => fields.clone(),
            Operand::Scalar(..) | Operand::Tensor(_) => operand.single().into_iter().list(),
        };
        let types: Vec<ResultType> = operands.iter().list_all(fields);
        let (_, plans) = self.operators.plan_all(*op, attrs, &types).ok()??;
        Some(plans.iter().map(Plan::n_working_bytes).max().unwrap_or(0))
    }

    /// A new tensor, if it fits.
    fn tensor(&mut self, path: &mut Path, of: &ResultType) -> Result<Abstract, End> {
        let bytes = of.n_bytes();
        let is_addressable = tensor_size(of.dtype, &of.shape).is_some();
        if !is_addressable || path.live.saturating_add(bytes) > self.limit {
            let span = path.place(self.program);
            if path.has_cells && is_addressable && bytes <= self.limit {
                // Some of what is there may be cells that hold each other, which the machine lets go when it must.
                return self.lost(path, span, Open::Cells).map(|()| Abstract::Unknown);
            }
            let held = if bytes > self.limit { 0 } else { path.live };
            path.peak = path.peak.max(path.live.saturating_add(bytes));
            return Err(self.refused(span, bytes, held));
        }
        Ok(path.tensor(Some(of.clone())))
    }

    /// Memory that an operator works in, if there is so much.
    fn work(&mut self, path: &mut Path, bytes: u64) -> Result<(), End> {
        let with_all = path.live.saturating_add(bytes);
        path.peak = path.peak.max(with_all);
        if with_all <= self.limit {
            return Ok(());
        }
        let span = path.place(self.program);
        match path.has_cells && bytes <= self.limit {
            true => self.lost(path, span, Open::Cells),
            false => Err(End::Refused(RunError { span, fault: RunFault::OutOfMemory { limit: self.limit } })),
        }
    }

    fn refused(&self, span: Span, bytes: u64, held: u64) -> End {
        // No block is larger than an address can be.
        let limit = self.limit.min(u64::from(u32::MAX));
        End::Refused(RunError { span, fault: RunFault::large_tensor(limit, bytes, held) })
    }
}

fn get(path: &Path, var: VarId) -> Abstract {
    let value = path.frames.last().and_then(|frame| frame.vars.get(var.index()));
    value.cloned().unwrap_or(Abstract::Unknown)
}

fn set(path: &mut Path, var: VarId, value: Abstract) {
    if let Some(place) = path.frames.last_mut().and_then(|frame| frame.vars.get_mut(var.index())) {
        *place = value;
    }
}

fn advance(path: &mut Path) {
    if let Some(frame) = path.frames.last_mut() {
        frame.at += 1;
    }
}

fn next(path: &mut Path) -> Result<(), End> {
    advance(path);
    Ok(())
}

/// What a box or cell held.
fn held(content: Content) -> Abstract {
    match content {
        Content::Value(value) => value,
        Content::Tensor(_) | Content::Closure(..) | Content::Gone => Abstract::Unknown,
    }
}

fn fits(case: &Case, key: &CaseKey) -> bool {
    match (&case.key, key) {
        (CaseKey::Variant(variant), CaseKey::Variant(found)) => variant == found,
        // Numbers are compared as numbers.
        (CaseKey::Literal(literal), CaseKey::Literal(found)) => literal == found,
        (CaseKey::Variant(_), CaseKey::Literal(_)) | (CaseKey::Literal(_), CaseKey::Variant(_)) => false,
    }
}

fn known_scalars(args: &[Abstract]) -> Option<Vec<Value>> {
    let scalar = |arg: &Abstract| match arg {
        Abstract::Scalar(dtype, Some(scalar)) => Some(Value::Scalar(*dtype, *scalar)),
        Abstract::Scalar(_, None) | Abstract::Unknown | Abstract::Object(_) | Abstract::Sum(..) => None,
    };
    args.iter().map(scalar).some_list().filter(|scalars| !scalars.is_empty())
}

/// An elementwise operator on scalars of one dtype, as the machine runs it.
fn on_scalars(op: OpId, scalars: &[Value]) -> Option<(Dtype, Scalar)> {
    let (&Value::Scalar(from, a), &Value::Scalar(other, b)) = (scalars.first()?, scalars.last()?) else { return None };
    let (to, n) = op::elementwise(&op.row().kernel, from)?;
    if other != from || usize::from(n) != scalars.len() {
        return None;
    }
    let bits = op::on_scalars(op, [from, to], scalar_bits(from, a), scalar_bits(from, b)).ok()?;
    Some((to, scalar_of(to, bits)))
}

/// What an operator is told of an operand; `None` if too little is known.
fn operand(path: &Path, arg: &Abstract) -> Option<Operand> {
    let one = |arg: &Abstract| match arg {
        Abstract::Scalar(dtype, _) => Some(ResultType { shape: Vec::new(), dtype: *dtype }),
        Abstract::Object(id) => match &path.objects[*id as usize].content {
            Content::Tensor(of) => of.clone(),
            Content::Value(_) | Content::Closure(..) | Content::Gone => None,
        },
        Abstract::Unknown | Abstract::Sum(..) => None,
    };
    Some(match arg {
        Abstract::Scalar(dtype, scalar) => Operand::Scalar(*dtype, *scalar),
        Abstract::Sum(_, fields) => Operand::Tuple(fields.iter().map(one).some_list()?),
        Abstract::Object(id) => match &path.objects[*id as usize].content {
            Content::Value(Abstract::Sum(_, fields)) => Operand::Tuple(fields.iter().map(one).some_list()?),
            Content::Tensor(Some(of)) => Operand::Tensor(of.clone()),
            Content::Tensor(None) | Content::Value(_) | Content::Closure(..) | Content::Gone => return None,
        },
        Abstract::Unknown => return None,
    })
}
