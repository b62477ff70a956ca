//! Programs as text.
//!
//! ```text
//! global g0 %k: l1 = f4
//!
//! fn f2 @map.1(%f: l5, %l: l3) -> l3 {
//! b0:
//!   fuel 2
//!   switch %l { Nil: b1, Cons: b2 }
//! b1:
//!   v3: l3 = pack Nil()
//!   return v3
//! b2:
//!   %h: l1, v5: l4 = open Cons %l
//!   tail call @map.1(%f, v5)
//! }
//! ```
//!
//! A variable is called as the source calls it, with its number behind (`%x.7`) where the function has several of that
//! name; a name without `%` has `$` before it; one without a name is `v7`. Functions and globals are called by name
//! where that is unique, else `f2`, `g0`. Captures stand in brackets before the parameters. A variant is `#1`, by its
//! place, where its layout does not say a name; that of a tuple has no name. An operator's attributes are those that
//! are not the row's defaults; behind a `;` they are all that there are.
//!
//! In front stands a table of the layouts and constants, which [`parse`](crate::parse) skips.

use crate::{
    Block, BlockId, Callee, CaseKey, End, Fault, FuncId, Function, GlobalId, Instr, Op, Program, VarData, VarId,
};
use base::{HashMap, Idx, IndexVec, Span, Surface};
use layout::{Head, Kind, LayoutId};
use op::{Input, Step};
use std::fmt::{Display, Write};
use std::sync::Arc;
use ty::{Attrs, Code, Dtype, Scalar, Tensor, Value};

/// A constant of more elements is not written out.
const MAX_ELEMENTS: usize = 64;

/// The names that a program gave to what its text mentions.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    pub types: &'a dyn ty::Names,
    pub values: &'a dyn ty::ConstructorNames,
}

/// How much the text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What people read.
    Plain,
    /// Also the span of each instruction as `@12..20`, the number of each variable, and of a function the number of its
    /// type, what it stands for (`for c5`: the constructor with this number) and whether it is a library's: what it
    /// parses to is equal to what was printed.
    Exact,
}

/// A line of the text and what it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    /// Where in the source.
    pub span: Option<Span>,
    pub function: Option<FuncId>,
    /// An instruction; behind the last one, how the block ends.
    pub at: Option<(BlockId, usize)>,
}

/// The whole text: the [`tables`], then the [`lines`].
pub fn print(program: &Program, names: Names, detail: Detail) -> String {
    let mut text = String::new();
    for line in tables(program, names).into_iter().chain(lines(program, names, detail)) {
        text.push_str(&line.text);
        text.push('\n');
    }
    text
}

/// The layouts and the constants.
pub fn tables(program: &Program, names: Names) -> Vec<Line> {
    let mut printer = Printer::new(program, names, Detail::Plain);
    for id in program.layouts.table.ids() {
        printer.layout(id);
        printer.line(None, None);
    }
    for (id, constant) in program.constants.iter_enumerated() {
        printer.constant(id, constant);
        printer.line(None, None);
    }
    if !printer.lines.is_empty() {
        printer.line(None, None);
    }
    printer.lines
}

/// The globals and the functions.
pub fn lines(program: &Program, names: Names, detail: Detail) -> Vec<Line> {
    let mut printer = Printer::new(program, names, detail);
    for (id, global) in program.globals.iter_enumerated() {
        printer.put(format_args!("global {id:?} "));
        printer.name(&global.name);
        printer.put(format_args!(": {:?} = ", global.layout));
        printer.function_name(global.init);
        printer.line(None, None);
    }
    for (id, function) in program.functions.iter_enumerated() {
        if !printer.lines.is_empty() {
            printer.line(None, None);
        }
        printer.function(id, function);
    }
    printer.lines
}

/// Whether a text is one word that is neither an id nor a span.
pub(crate) fn is_word(name: &str) -> bool {
    let (first, rest) = name.as_bytes().split_first().unwrap_or((&0, &[]));
    let is_id = first.is_ascii_lowercase() && !rest.is_empty() && rest.iter().all(u8::is_ascii_digit);
    let is_span = *first == b'@' && rest.first().is_none_or(u8::is_ascii_digit);
    let begins = first.is_ascii_alphabetic() || *first >= 0x80 || base::has("_@", *first);
    begins && !is_id && !is_span && rest.iter().all(|&byte| is_word_byte(byte))
}

pub(crate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || byte == b'_' || byte == b'.'
}

/// Whether a text is one word, or one behind `%`.
pub(crate) fn is_global_word(name: &str) -> bool {
    is_word(name.strip_prefix('%').unwrap_or(name))
}

/// A variable's name in the text, without the number; `None` if it has none that could be read back.
fn var_name(var: &VarData) -> Option<(&'static str, &str)> {
    let name = var.name.as_deref()?;
    let (sigil, rest) = match name.strip_prefix('%') {
        Some(rest) => ("%", rest),
        None => ("$", name),
    };
    let word = rest.strip_prefix('@').unwrap_or(rest);
    (!word.is_empty() && word.bytes().all(|byte| is_word_byte(byte) && byte != b'.')).then_some((sigil, rest))
}

/// The names that stand for one thing alone, of those that are words.
pub(crate) fn unique_names<'a, I: Idx>(
    names: impl Iterator<Item = &'a str>,
    is_word: fn(&str) -> bool,
) -> HashMap<&'a str, I> {
    let mut found: HashMap<&str, Option<I>> = HashMap::default();
    for (i, name) in names.enumerate().filter(|(_, name)| is_word(name)) {
        let id = Some(I::new(i));
        found.entry(name).and_modify(|known| *known = None).or_insert(id);
    }
    found.into_iter().filter_map(|(name, id)| Some((name, id?))).collect()
}

/// What a variant is called; `None` for the one of a tuple.
pub(crate) fn head_name(names: Names, head: Head) -> Option<String> {
    match head {
        Head::Constructor(number) => Some(names.values.constructor(number).to_owned()),
        Head::Variant(variant) => {
            let tick = if names.types.surface() == Surface::Refine { "" } else { "`" };
            Some(format!("{tick}{}", names.types.variant(variant)))
        }
        Head::Tuple | Head::Functions => None,
    }
}

/// The dtype of a scalar's layout.
pub(crate) fn dtype_of(program: &Program, layout: LayoutId) -> Option<Dtype> {
    match program.layouts.table.get(layout)?.kind {
        Kind::Scalar(dtype) | Kind::Immediate(dtype) => Some(dtype),
        Kind::Tensor
        | Kind::Closure
        | Kind::Ref { .. }
        | Kind::Box { .. }
        | Kind::Sum { .. }
        | Kind::Token { .. }
        | Kind::Never => None,
    }
}

/// Whether the entries are those of the operator's row, in order.
pub(crate) fn is_whole(op: op::OpId, attrs: &Attrs) -> bool {
    attrs.entries.iter().map(|(name, _)| *name).eq(op.row().attrs.iter().map(|attr| attr.name))
}

struct Printer<'a> {
    program: &'a Program,
    names: Names<'a>,
    detail: Detail,
    functions: HashMap<&'a str, FuncId>,
    globals: HashMap<&'a str, GlobalId>,
    /// Of the function that is printed, by variable: whether its name needs the number behind.
    is_shared: IndexVec<VarId, bool>,
    current: Option<FuncId>,
    out: String,
    lines: Vec<Line>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, names: Names<'a>, detail: Detail) -> Printer<'a> {
        Printer {
            program,
            names,
            detail,
            functions: unique_names(program.functions.iter().map(|function| function.name.as_str()), is_word),
            globals: unique_names(program.globals.iter().map(|global| global.name.as_str()), is_global_word),
            is_shared: IndexVec::new(),
            current: None,
            out: String::new(),
            lines: Vec::new(),
        }
    }

    fn put(&mut self, text: impl Display) {
        let _ = write!(self.out, "{text}");
    }

    /// Ends the line.
    fn line(&mut self, span: Option<Span>, at: Option<(BlockId, usize)>) {
        let text = std::mem::take(&mut self.out);
        self.lines.push(Line { text, span, function: self.current, at });
    }

    fn span(&mut self, span: Span) {
        if self.detail == Detail::Exact {
            self.put(format_args!(" @{}..{}", span.start, span.end));
        }
    }

    /// A name where it is given: in quotes if it is not one word.
    fn name(&mut self, name: &str) {
        match is_global_word(name) {
            true => self.put(name),
            false => self.put(format_args!("\"{name}\"")),
        }
    }

    fn function_name(&mut self, id: FuncId) {
        match self.program.functions.get(id) {
            Some(function) if self.functions.contains_key(function.name.as_str()) => self.put(&function.name),
            _ => self.put(format_args!("{id:?}")),
        }
    }

    fn list<T>(&mut self, open: &str, items: &[T], close: &str, mut item: impl FnMut(&mut Self, &T)) {
        self.put(open);
        for (i, one) in items.iter().enumerate() {
            self.put(if i > 0 { ", " } else { "" });
            item(self, one);
        }
        self.put(close);
    }

    fn layout(&mut self, id: LayoutId) {
        let program = self.program;
        let layout = &program.layouts[id];
        let ty = ty::print_term(&program.types, self.names.types, layout.ty).text;
        self.put(format_args!("layout {id:?} = {ty}, "));
        match &layout.kind {
            Kind::Scalar(_) | Kind::Never => {}
            Kind::Immediate(_) => self.put("immediate, "),
            Kind::Tensor => self.put("pointer, "),
            Kind::Closure => self.put("closure, "),
            Kind::Ref { content } => self.put(format_args!("cell of {content:?}, ")),
            Kind::Box { content, .. } => self.put(format_args!("box of {content:?}, ")),
            Kind::Token { content } => self.put(format_args!("token of {content:?}, ")),
            Kind::Sum { variants, .. } => {
                for (i, variant) in variants.iter().enumerate() {
                    self.put(if i > 0 { " | " } else { "" });
                    self.put(head_name(self.names, variant.head).unwrap_or_default());
                    if !variant.fields.is_empty() || matches!(variant.head, Head::Tuple | Head::Functions) {
                        self.list("(", &variant.fields, ")", |this, field| {
                            this.put(format_args!("{:?}", field.layout))
                        });
                    }
                }
                self.put(if variants.is_empty() { "" } else { ", " });
            }
        }
        let (size, unit) = if layout.bits.is_multiple_of(8) { (layout.bits / 8, "byte") } else { (layout.bits, "bit") };
        self.put(format_args!("{size} {unit}{}", if size == 1 { "" } else { "s" }));
    }

    fn constant(&mut self, id: crate::ConstId, constant: &Arc<Tensor>) {
        self.put(format_args!("const {id:?} = "));
        match constant.elements.len() <= MAX_ELEMENTS {
            true => {
                let value = Value::Tensor(std::rc::Rc::new(Tensor::clone(constant)));
                self.put(ty::print_value(&value, self.names.values).text);
            }
            false => self.list("Tensor[(", &constant.shape, "), ", |this, size| this.put(size)),
        }
        if constant.elements.len() > MAX_ELEMENTS {
            self.put(format_args!("{}]", constant.dtype));
        }
    }

    /// What the machine is told of a function beside its code.
    fn origin(&mut self, function: &Function) {
        if let Some(ty) = function.ty {
            self.put(format_args!(" : {ty:?}"));
        }
        match function.stands_for {
            None => {}
            Some(Code::Function(number)) => self.put(format_args!(" for f{number}")),
            Some(Code::Constructor(number)) => self.put(format_args!(" for c{number}")),
            Some(Code::Operator(number)) => self.put(format_args!(" for op{number}")),
        }
        if function.is_library {
            self.put(" library");
        }
    }

    fn function(&mut self, id: FuncId, function: &'a Function) {
        self.current = Some(id);
        self.share(function);
        self.put(format_args!("fn {id:?} "));
        self.name(&function.name);
        let (captures, params) = function.params.split_at(function.n_captures.min(function.params.len()));
        if !captures.is_empty() {
            self.list("[", captures, "]", |this, &var| this.given(function, var));
        }
        self.list("(", params, ")", |this, &var| this.given(function, var));
        self.put(format_args!(" -> {:?}", function.result));
        if self.detail == Detail::Exact {
            self.origin(function);
        }
        self.span(function.span);
        self.put(" {");
        self.line(Some(function.span), None);
        if self.detail == Detail::Exact {
            let mut is_mentioned: IndexVec<VarId, bool> = IndexVec::filled(false, function.vars.len());
            function.for_given(&mut |var| {
                if var.index() < is_mentioned.len() {
                    is_mentioned[var] = true;
                }
            });
            for var in function.vars.ids().filter(|&var| !is_mentioned[var]) {
                self.put("  var ");
                self.given(function, var);
                self.line(None, None);
            }
        }
        for (id, block) in function.blocks.iter_enumerated() {
            self.block(function, id, block);
        }
        self.put("}");
        self.line(None, None);
        self.current = None;
    }

    /// Finds which variables share their names.
    fn share(&mut self, function: &'a Function) {
        self.is_shared = IndexVec::filled(self.detail == Detail::Exact, function.vars.len());
        let mut named: HashMap<&str, VarId> = HashMap::default();
        let is_shared = &mut self.is_shared;
        let mut mention = |var: VarId| {
            let Some((_, name)) = function.vars.get(var).and_then(var_name) else { return };
            let first = *named.entry(name).or_insert(var);
            if first != var {
                (is_shared[first], is_shared[var]) = (true, true);
            }
        };
        function.for_given(&mut mention);
        function.for_uses(&mut mention);
    }

    fn block(&mut self, function: &'a Function, id: BlockId, block: &'a Block) {
        self.put(format_args!("{id:?}"));
        if !block.params.is_empty() {
            self.list("(", &block.params, ")", |this, &var| this.given(function, var));
        }
        self.put(":");
        self.line(None, None);
        for (i, instr) in block.instrs.iter().enumerate() {
            self.put("  ");
            self.instr(function, instr);
            self.span(instr.span);
            self.line(Some(instr.span), Some((id, i)));
        }
        self.put("  ");
        self.end(function, &block.end);
        self.span(block.span);
        self.line(Some(block.span), Some((id, block.instrs.len())));
    }

    fn var(&mut self, function: &Function, var: VarId) {
        match function.vars.get(var).and_then(var_name) {
            Some((sigil, name)) if self.is_shared[var] => self.put(format_args!("{sigil}{name}.{}", var.number())),
            Some((sigil, name)) => self.put(format_args!("{sigil}{name}")),
            None => self.put(format_args!("{var:?}")),
        }
    }

    /// A variable where it is given: with its layout.
    fn given(&mut self, function: &Function, var: VarId) {
        self.var(function, var);
        let Some(data) = function.vars.get(var) else { return };
        if let (Some(name), None) = (&data.name, var_name(data)) {
            self.put(format_args!(" \"{name}\""));
        }
        self.put(format_args!(": {:?}", data.layout));
    }

    fn vars(&mut self, function: &Function, open: &str, vars: &[VarId], close: &str) {
        self.list(open, vars, close, |this, &var| this.var(function, var));
    }

    /// A variant of a layout, `#1` where that does not say its name.
    fn variant(&mut self, layout: Option<LayoutId>, variant: u32) {
        let layout = layout.and_then(|layout| self.program.layouts.table.get(layout)).map(|layout| &layout.kind);
        match layout {
            Some(Kind::Sum { variants, .. }) if variants.get(variant as usize).is_some() => {
                let name = head_name(self.names, variants[variant as usize].head);
                self.put(name.unwrap_or_default());
            }
            _ => self.put(format_args!("#{variant}")),
        }
    }

    fn scalar(&mut self, layout: Option<LayoutId>, scalar: Scalar) {
        let dtype = layout.and_then(|layout| dtype_of(self.program, layout));
        let dtype = match (dtype, scalar) {
            (Some(dtype), Scalar::Float(value)) if dtype.is_float() && round_trips(dtype, value) => dtype,
            (_, Scalar::Float(_)) => Dtype::Float64,
            (Some(Dtype::Bool), Scalar::Int(0 | 1)) => Dtype::Bool,
            (Some(dtype), Scalar::Int(_)) if !dtype.is_float() && dtype != Dtype::Bool => dtype,
            (_, Scalar::Int(_)) => Dtype::Int64,
        };
        let text = ty::print_value(&Value::Scalar(dtype, scalar), self.names.values).text;
        self.put(text);
    }

    fn instr(&mut self, function: &'a Function, instr: &'a Instr) {
        if !instr.results.is_empty() {
            self.list("", &instr.results, " = ", |this, &var| this.given(function, var));
        }
        let layout = |vars: &[VarId]| Some(function.vars.get(*vars.first()?)?.layout);
        let (of_result, of_arg) = (layout(&instr.results), layout(&instr.args));
        let word = match &instr.op {
            Op::Scalar(scalar) => {
                self.scalar(of_result, *scalar);
                ""
            }
            Op::Tensor(id) => {
                self.put(format_args!("tensor {id:?}"));
                ""
            }
            Op::Pack { variant } => {
                self.put("pack ");
                self.variant(of_result, *variant);
                return self.vars(function, "(", &instr.args, ")");
            }
            Op::Open { variant } => {
                self.put("open ");
                self.variant(of_arg, *variant);
                ""
            }
            Op::Peek { variant } => {
                self.put("peek ");
                self.variant(of_arg, *variant);
                ""
            }
            Op::Field { variant, index } => {
                self.put("field ");
                self.variant(of_arg, *variant);
                self.put(format_args!(".{index}"));
                ""
            }
            Op::Box => "box",
            Op::Unbox => "unbox",
            Op::Load => "load",
            Op::Retype => "retype",
            Op::Free => "free",
            Op::Closure(id) => {
                self.put("closure ");
                self.function_name(*id);
                return self.vars(function, "(", &instr.args, ")");
            }
            Op::Call(callee) => return self.call(function, *callee, &instr.args),
            Op::Operator { op, attrs } => {
                self.put(op.spelling());
                self.vars(function, "(", &instr.args, "");
                self.attrs(*op, attrs, instr.args.is_empty());
                return self.put(")");
            }
            Op::Fused(steps) => {
                self.vars(function, "fused(", &instr.args, ")");
                return self.steps(function, steps, &instr.args);
            }
            Op::RefNew => "ref_new",
            Op::RefRead => "ref_read",
            Op::RefWrite => "ref_write",
            Op::Global(id) => {
                self.put("global ");
                match self.program.globals.get(*id) {
                    Some(global) if self.globals.contains_key(global.name.as_str()) => self.put(&global.name),
                    _ => self.put(format_args!("{id:?}")),
                }
                ""
            }
            Op::Check { name, dims } => {
                self.put(format_args!("check \"{name}\""));
                self.list(" [", dims, "]", |this, dim| match dim {
                    Some(size) => this.put(size),
                    None => this.put("?"),
                });
                ""
            }
            Op::Fuel(n) => {
                self.put(format_args!("fuel {n}"));
                ""
            }
            Op::Dup => "dup",
            Op::Drop => "drop",
        };
        self.put(word);
        let space = if self.out.ends_with(' ') || instr.args.is_empty() { "" } else { " " };
        self.vars(function, space, &instr.args, "");
    }

    fn steps(&mut self, function: &Function, steps: &[Step], args: &[VarId]) {
        for (at, step) in steps.iter().enumerate() {
            self.put(format_args!("{} s{at} = {}", if at == 0 { " {" } else { ";" }, step.op.spelling()));
            self.list("(", &step.inputs, "", |this, input| match *input {
                Input::Operand(operand) if operand < args.len() => this.var(function, args[operand]),
                Input::Operand(operand) => this.put(format_args!("#{operand}")),
                Input::Step(step) => this.put(format_args!("s{step}")),
            });
            self.attrs(step.op, &step.attrs, step.inputs.is_empty());
            self.put(")");
            self.span(step.span);
        }
        self.put(" }");
    }

    fn call(&mut self, function: &Function, callee: Callee, args: &[VarId]) {
        self.put("call ");
        match (callee, args) {
            (Callee::Function(id), args) => {
                self.function_name(id);
                self.vars(function, "(", args, ")");
            }
            (Callee::Value, []) => self.put("()"),
            (Callee::Value, [callee, args @ ..]) => {
                self.var(function, *callee);
                self.vars(function, "(", args, ")");
            }
        }
    }

    fn attrs(&mut self, op: op::OpId, attrs: &Attrs, mut is_first: bool) {
        let is_whole = is_whole(op, attrs);
        self.put(if is_whole { "" } else { "; " });
        is_first |= !is_whole;
        for (i, (name, value)) in attrs.entries.iter().enumerate() {
            let default = if is_whole { op.row().attrs[i].default.value() } else { None };
            if default.as_ref() != Some(value) {
                self.put(format_args!("{}{name}={value}", if is_first { "" } else { ", " }));
                is_first = false;
            }
        }
    }

    fn end(&mut self, function: &'a Function, end: &'a End) {
        match end {
            End::Return(value) => self.vars(function, "return ", &[*value], ""),
            End::Jump(block, args) => {
                self.put(format_args!("jump {block:?}"));
                if !args.is_empty() {
                    self.vars(function, "(", args, ")");
                }
            }
            End::TailCall(callee, args) => {
                self.put("tail ");
                self.call(function, *callee, args);
            }
            End::Switch { on, cases, default } => {
                let layout = function.vars.get(*on).map(|var| var.layout);
                self.vars(function, "switch ", &[*on], " { ");
                self.list("", cases, "", |this, case| {
                    match case.key {
                        CaseKey::Variant(variant) => this.variant(layout, variant),
                        CaseKey::Literal(scalar) => this.scalar(layout, scalar),
                    }
                    this.put(format_args!(": {:?}", case.block));
                });
                if let Some(block) = default {
                    let comma = if cases.is_empty() { "" } else { ", " };
                    self.put(format_args!("{comma}_: {block:?}"));
                }
                self.put(" }");
            }
            End::Fail(Fault::NoArm) => self.put("fail no_arm"),
            End::Fail(Fault::Broken) => self.put("fail broken"),
            End::Fail(Fault::Unreachable) => self.put("fail unreachable"),
            End::Fail(Fault::FreeVariable(name)) => self.put(format_args!("fail free \"{name}\"")),
        }
    }
}

/// Whether a float is one of its dtype.
fn round_trips(dtype: Dtype, value: f64) -> bool {
    value.is_nan() || op::round_to(dtype, value) == value
}
