//! The layouts of operands and results.

use super::{Checker, is_same};
use crate::{Callee, Instr, Op, VarId};
use base::ToList;
use layout::{Kind, LayoutId, Variant};
use op::{Class, Input, Step};
use ty::{Dtype, Scalar, Term, TermId, Terms};

impl<'a> Checker<'a> {
    pub(super) fn same(&mut self, found: LayoutId, expected: LayoutId, what: &str) {
        if !is_same(self.program, found, expected) {
            self.say(format_args!("{what}: expected {expected:?}, found {found:?}"));
        }
    }

    pub(super) fn all_same(&mut self, vars: &[VarId], expected: &[LayoutId], what: &str) {
        if self.are(vars, expected.len(), what) {
            vars.iter().zip(expected).for_each(|(&var, &layout)| self.same(self.layout(var), layout, what));
        }
    }

    fn are(&mut self, vars: &[VarId], n: usize, what: &str) -> bool {
        if vars.len() != n {
            self.say(format_args!("expected {n} {what}, found {}", vars.len()));
        }
        vars.len() == n
    }

    pub(super) fn instr(&mut self, instr: &'a Instr) {
        let (args, results) = (instr.args.as_slice(), instr.results.as_slice());
        let n_results = match &instr.op {
            Op::Open { .. } | Op::Peek { .. } => None,
            Op::Unbox if results.len() == 2 => Some(2),
            Op::Free | Op::Check { .. } | Op::Fuel(_) | Op::Dup | Op::Drop => Some(0),
            Op::Scalar(_)
            | Op::Tensor(_)
            | Op::Pack { .. }
            | Op::Field { .. }
            | Op::Box
            | Op::Unbox
            | Op::Load
            | Op::Closure(_)
            | Op::Call(_)
            | Op::Operator { .. }
            | Op::Fused(_)
            | Op::RefNew
            | Op::RefRead
            | Op::RefWrite
            | Op::Retype
            | Op::Global(_) => Some(1),
        };
        let n_args = match &instr.op {
            Op::Scalar(_) | Op::Tensor(_) | Op::Global(_) | Op::Fuel(_) => Some(0),
            Op::Pack { .. } | Op::Closure(_) | Op::Call(_) | Op::Fused(_) => None,
            Op::Box | Op::Check { .. } if args.len() == 2 => Some(2),
            Op::RefWrite => Some(2),
            Op::Operator { op, .. } => Some(op.row().args.len()),
            Op::Open { .. }
            | Op::Peek { .. }
            | Op::Field { .. }
            | Op::Box
            | Op::Unbox
            | Op::Load
            | Op::Free
            | Op::Retype
            | Op::RefNew
            | Op::RefRead
            | Op::Check { .. }
            | Op::Dup
            | Op::Drop => Some(1),
        };
        let are_there = n_results.is_none_or(|n| self.are(results, n, "results"))
            && n_args.is_none_or(|n| self.are(args, n, "arguments"));
        if !are_there {
            return;
        }
        match &instr.op {
            Op::Scalar(scalar) => match self.kind(self.layout(results[0])) {
                Some(Kind::Scalar(dtype) | Kind::Immediate(dtype)) => self.literal(*dtype, *scalar),
                _ => self.say(format_args!("a literal gives a scalar")),
            },
            Op::Tensor(id) => self.constant(*id, results[0]),
            Op::Pack { variant } => {
                if let Some(fields) = self.fields(self.layout(results[0]), *variant) {
                    self.all_same(args, &fields, "fields");
                }
            }
            Op::Open { variant } | Op::Peek { variant } => {
                if let Some(fields) = self.fields(self.layout(args[0]), *variant) {
                    self.all_same(results, &fields, "fields");
                }
            }
            Op::Field { variant, index } => {
                if let Some(fields) = self.fields(self.layout(args[0]), *variant) {
                    match fields.get(*index as usize) {
                        Some(&field) => self.same(self.layout(results[0]), field, "the field"),
                        None => self.say(format_args!("there is no field {index}")),
                    }
                }
            }
            Op::Box => self.boxed(results[0], args[0], args.get(1).copied()),
            Op::Unbox | Op::Load => self.boxed(args[0], results[0], results.get(1).copied()),
            Op::Free => match self.kind(self.layout(args[0])) {
                Some(Kind::Token { .. }) => {}
                _ => self.say(format_args!("frees what is no token")),
            },
            Op::Closure(id) => self.closure(*id, args, results[0]),
            Op::Call(callee) => self.call(*callee, args, self.layout(results[0])),
            Op::Operator { .. } => {}
            Op::Fused(steps) => self.fused(steps, args, results[0]),
            Op::Retype => {
                let bits = |var| self.program.layouts[self.layout(var)].bits;
                if bits(args[0]) != bits(results[0]) {
                    self.say(format_args!("the same bits need layouts of one width"));
                }
            }
            Op::RefNew => self.cell(results[0], args[0]),
            Op::RefRead => self.cell(args[0], results[0]),
            Op::RefWrite => {
                self.cell(args[0], args[1]);
                let unit = self.program.types.head(self.program.layouts[self.layout(results[0])].ty);
                if !matches!(unit, Term::Tuple(fields) if fields.len == 0) {
                    self.say(format_args!("a write gives the empty tuple"));
                }
            }
            Op::Global(id) => match self.program.globals.get(*id) {
                Some(global) => self.same(self.layout(results[0]), global.layout, "the global"),
                None => self.say(format_args!("{id:?} does not exist")),
            },
            Op::Check { dims, .. } => {
                let shape_of = |var: VarId| self.program.types.as_tensor(self.program.layouts[self.layout(var)].ty);
                let n_axes = args.get(1).map(|&other| shape_of(other).map_or(0, |(shape, _)| shape.len() as u64));
                if n_axes.is_some_and(|n_axes| dims.iter().flatten().any(|&axis| axis >= n_axes)) {
                    self.say(format_args!("checks against an axis that is not there"));
                }
                let shape = self.program.types.as_tensor(self.program.layouts[self.layout(args[0])].ty);
                match (self.kind(self.layout(args[0])), shape) {
                    (Some(Kind::Tensor | Kind::Scalar(_) | Kind::Immediate(_)), Some((shape, _)))
                        if shape.len() == dims.len() => {}
                    _ => self.say(format_args!("checks {} sizes of what has not as many", dims.len())),
                }
            }
            Op::Fuel(_) | Op::Dup | Op::Drop => {}
        }
    }

    fn fused(&mut self, steps: &[Step], args: &[VarId], result: VarId) {
        let dtype = |this: &Self, var: VarId| {
            let layout = &this.program.layouts[this.layout(var)];
            let is_one = matches!(layout.kind, Kind::Tensor | Kind::Scalar(_));
            this.program.types.as_tensor(layout.ty).map(|(_, dtype)| dtype).filter(|_| is_one)
        };
        // Of the operands, then of the steps.
        let mut dtypes = Vec::with_capacity(args.len() + steps.len());
        for (i, &arg) in args.iter().enumerate() {
            let Some(dtype) = dtype(self, arg) else {
                return self.say(format_args!("fused operators take tensors, not {arg:?}"));
            };
            dtypes.push(dtype);
            if args[..i].contains(&arg) {
                self.say(format_args!("{arg:?} twice"));
            }
        }
        let mut is_read = base::filled(false, args.len() + steps.len());
        let mut classes = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let row = step.op.row();
            let mut types = Vec::with_capacity(step.inputs.len());
            for &input in &step.inputs {
                let given = match input {
                    Input::Operand(operand) if operand < args.len() => operand,
                    Input::Step(other) if other < at => args.len() + other,
                    Input::Operand(_) | Input::Step(_) => {
                        return self.say(format_args!("s{at}: {input:?} is not given before"));
                    }
                };
                is_read[given] = true;
                types.push(dtypes[given]);
            }
            let class = types.first().map_or(Class::Opaque, |&dtype| step.op.class(&step.attrs, dtype));
            let is_first = step.inputs.iter().all(|input| matches!(input, Input::Operand(_)));
            let fits = match class {
                Class::Elementwise | Class::Broadcast | Class::Injective => true,
                Class::Reduction => at + 1 == steps.len(),
                Class::OutFusable => is_first && !classes.contains(&Class::OutFusable),
                Class::Opaque => false,
            };
            if !fits || row.args.len() != step.inputs.len() {
                self.say(format_args!("s{at}: {} on {} is none to fuse", row.name, step.inputs.len()));
            }
            classes.push(class);
            dtypes.push(step.op.fused_dtype(&step.attrs, &types).unwrap_or(Dtype::Bool));
        }
        let is_both = classes.contains(&Class::OutFusable) && classes.contains(&Class::Reduction);
        if steps.len() < 2 || is_both || is_read.iter().count_where(|is_read| !**is_read) != 1 {
            self.say(format_args!("something is fused in vain"));
        }
        if dtype(self, result) != dtypes.last().copied() {
            self.say(format_args!("fused operators give a tensor of the last one's dtype"));
        }
    }

    /// Whether a literal is one of a dtype's values.
    pub(super) fn literal(&mut self, dtype: Dtype, scalar: Scalar) {
        let is_one = match scalar {
            Scalar::Float(value) => dtype.is_float() && (value.is_nan() || op::round_to(dtype, value) == value),
            Scalar::Int(_) if dtype == Dtype::UInt64 => true,
            Scalar::Int(value) => {
                dtype.int_range().is_some_and(|(least, most)| (least..=most).contains(&i128::from(value)))
            }
        };
        if !is_one {
            self.say(format_args!("a literal that is no {dtype}"));
        }
    }

    fn constant(&mut self, id: crate::ConstId, result: VarId) {
        let Some(tensor) = self.program.constants.get(id) else {
            return self.say(format_args!("{id:?} does not exist"));
        };
        let layout = self.layout(result);
        let fits = |(dims, dtype): (Vec<Option<u64>>, Dtype)| {
            let is_size = |(dim, &size): (&Option<u64>, &usize)| dim.is_none_or(|dim| dim == size as u64);
            dtype == tensor.dtype && dims.len() == tensor.shape.len() && dims.iter().zip(&tensor.shape).all(is_size)
        };
        let is_tensor = matches!(self.kind(layout), Some(Kind::Tensor));
        if !is_tensor || !self.program.types.as_tensor(self.program.layouts[layout].ty).is_some_and(fits) {
            self.say(format_args!("{id:?} is no tensor of this type"));
        }
    }

    /// The layouts of a variant's fields.
    fn fields(&mut self, layout: LayoutId, variant: u32) -> Option<Vec<LayoutId>> {
        let variants: &[Variant] = match self.kind(layout) {
            Some(Kind::Sum { variants, .. }) => variants,
            _ => {
                self.say(format_args!("{layout:?} is no sum"));
                return None;
            }
        };
        let Some(variant) = variants.get(variant as usize) else {
            self.say(format_args!("there is no variant #{variant}"));
            return None;
        };
        Some(variant.fields.iter().map(|field| field.layout).list())
    }

    fn boxed(&mut self, boxed: VarId, content: VarId, token: Option<VarId>) {
        let (boxed, content) = (self.layout(boxed), self.layout(content));
        match (self.kind(boxed), self.kind(content)) {
            (Some(Kind::Box { content: expected, .. }), _) => self.same(content, *expected, "the content"),
            (Some(Kind::Immediate(dtype)), Some(Kind::Scalar(found))) if dtype == found && token.is_none() => {}
            _ => self.say(format_args!("{boxed:?} is no box of {content:?}")),
        }
        let Some(token) = token else { return };
        match self.kind(self.layout(token)) {
            Some(Kind::Token { content: other }) if self.size(*other) == self.size(content) => {}
            Some(Kind::Token { .. }) => self.say(format_args!("a token of another size")),
            _ => self.say(format_args!("{token:?} is no token")),
        }
    }

    /// The bytes of a block of this content.
    fn size(&self, content: LayoutId) -> Option<u32> {
        self.program.layouts.table.get(content).map(|layout| layout.bits.div_ceil(64) * 8)
    }

    fn cell(&mut self, cell: VarId, content: VarId) {
        match self.kind(self.layout(cell)) {
            Some(Kind::Ref { content: expected }) => self.same(self.layout(content), *expected, "the content"),
            _ => self.say(format_args!("{cell:?} is no reference")),
        }
    }

    fn closure(&mut self, id: crate::FuncId, captures: &[VarId], result: VarId) {
        let program = self.program;
        let Some(function) = program.functions.get(id) else { return self.say(format_args!("{id:?} does not exist")) };
        let layouts: Vec<LayoutId> =
            function.params.iter().filter_map(|&param| Some(function.vars.get(param)?.layout)).list();
        let Some((captured, params)) = layouts.split_at_checked(function.n_captures) else { return };
        self.all_same(captures, captured, "captures");
        match self.signature(self.layout(result)) {
            Some((types, result)) if types.len() == params.len() => {
                types.iter().zip(params).for_each(|(&ty, &param)| self.of_type(param, ty, "a parameter"));
                self.of_type(function.result, result, "the result");
            }
            Some(_) => self.say(format_args!("a closure with another number of parameters")),
            None => self.say(format_args!("{result:?} is no closure")),
        }
    }

    pub(super) fn call(&mut self, callee: Callee, args: &[VarId], result: LayoutId) {
        let program = self.program;
        match (callee, args) {
            (Callee::Function(id), args) => {
                let Some(function) = program.functions.get(id) else {
                    return self.say(format_args!("{id:?} does not exist"));
                };
                let layout = |&param| function.vars.get(param).map(|var| var.layout);
                let params: Vec<LayoutId> = function.params.iter().filter_map(layout).list();
                self.all_same(args, &params, "arguments");
                self.same(result, function.result, "the result");
            }
            (Callee::Value, []) => self.say(format_args!("calls nothing")),
            (Callee::Value, [callee, args @ ..]) => match self.signature(self.layout(*callee)) {
                Some((types, returned)) => {
                    if self.are(args, types.len(), "arguments") {
                        args.iter().zip(&types).for_each(|(&arg, &ty)| self.of_type(self.layout(arg), ty, "arguments"));
                    }
                    self.of_type(result, returned, "the result");
                }
                None => self.say(format_args!("{callee:?} is no closure")),
            },
        }
    }

    /// The parameters and the result of a closure's type.
    fn signature(&self, layout: LayoutId) -> Option<(Vec<TermId>, TermId)> {
        let layout = self.program.layouts.table.get(layout).filter(|layout| layout.kind == Kind::Closure)?;
        match self.program.types.head(layout.ty) {
            Term::Func { params, result } => Some((self.program.types.items(params).to_vec(), result)),
            _ => None,
        }
    }

    /// Whether values of this type have the layout, if any layout of it is in the table.
    fn of_type(&mut self, layout: LayoutId, ty: TermId, what: &str) {
        let is_of = |id: &LayoutId| {
            let layout = &self.program.layouts[*id];
            layout.ty == ty && !matches!(layout.kind, Kind::Token { .. })
        };
        let known: Vec<LayoutId> = self.program.layouts.table.ids().filter(is_of).list();
        if !known.is_empty() && !known.iter().any(|&known| is_same(self.program, known, layout)) {
            self.say(format_args!("{what}: expected {:?}, found {layout:?}", known[0]));
        }
    }
}
