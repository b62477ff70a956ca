//! From the IR to [`Code`].
//!
//! A function with which the verifier finds a fault is one instruction that fails. Of the others nearly every
//! instruction gets a code of its own, whatever the widths of its values; the rest is [`Code::General`]. Nothing here
//! decides what a program means.

use crate::code::{
    Assembly, BROKEN, Bits, Code, HALT, HIGH, Immediate, MAX_QUICK_ARGS, Origin, Part, Place, Reg, Routine, Shared,
    WINDOW,
};
use crate::frame::{self, Places};
use crate::fuse::fuse;
use crate::heap::{Heap, IMMORTAL};
use crate::kind::{BlockKind, Kinds, block_size};
use crate::many::{TupleCall, fields as tuple_fields};
use crate::scalar::{Binary, Class};
use crate::tensor::{self, Called};
use crate::value::static_tensor;
use base::{Append, Edited, Idx, IndexVec, ToList};
use ir::{Block, BlockId, Callee, Case, CaseKey, End, FuncId, Function, Instr, Op, Program, Stage, VarId};
use layout::{Head, Kind, LayoutId, Strategy, Tag, immediate_content};
use op::elementwise;
use std::sync::Arc;
use ty::scalar_bits;

/// What a frame counts as, without its words.
pub(crate) const FRAME_BYTES: u32 = 16;

/// A browser does not download the verifier: natively it sees all that the tests compile, which is the same there.
const IS_VERIFIED: bool = !cfg!(target_family = "wasm");

/// Literals, and closures that capture nothing, are put into the heap, whose memory has a limit.
pub fn assemble(program: Arc<Program>, heap: &mut Heap, limit: u64) -> Assembly {
    let mut is_broken: IndexVec<FuncId, bool> = IndexVec::filled(false, program.functions.len());
    let violations = if IS_VERIFIED { ir::verify(&program, Stage::Counted) } else { Vec::new() };
    for violation in violations {
        match violation.function {
            Some(function) => is_broken[function] = true,
            None => is_broken = IndexVec::filled(true, program.functions.len()),
        }
    }
    let kinds = Kinds::new(&program);
    let table = &program.layouts.table;
    let mut words = Vec::new();
    let immediates = collected(table.ids().map(|layout| immediates(&program, layout, &mut words)));
    let constants = program.constants.iter().map(|tensor| {
        // As the evaluator, which counts 8 bytes for an element.
        let fits = (tensor.elements.len() as u64).checked_mul(8).is_some_and(|bytes| bytes <= limit);
        fits.then(|| static_tensor(heap, &kinds, tensor)).flatten()
    });
    let constants = collected(constants);
    let closures = program.functions.iter_enumerated().map(|(id, function)| {
        let is_value = function.n_captures == 0 && function.ty.is_some();
        let at = if is_value { heap.take(block_size(0), kinds.number(BlockKind::Closure(id)))? } else { return None };
        heap.set_header(at, IMMORTAL, heap.kind(at));
        Some(at)
    });
    let closures = collected(closures);
    let has_refs = table.iter().any(|layout| matches!(layout.kind, Kind::Ref { .. }));
    let nowhere = Origin { function: FuncId::numbered(u32::MAX - 1), block: BlockId::numbered(0), index: 0 };
    let mut assembly = Assembly {
        kinds,
        codes: vec![Code::Halt, Code::Broken],
        fast: Vec::new(),
        origins: base::filled(nowhere, 2),
        routines: IndexVec::new(),
        parts: Vec::new(),
        words,
        args: Vec::new(),
        operators: Vec::new(),
        tuple_calls: Vec::new(),
        moves: Vec::new(),
        targets: Vec::new(),
        keys: Vec::new(),
        immediates,
        constants,
        closures,
        has_refs,
        program: program.clone(),
    };
    debug_assert_eq!((assembly.codes[HALT as usize], assembly.codes[BROKEN as usize]), (Code::Halt, Code::Broken));
    let mut next = assembly.codes.len() as u32;
    for (id, function) in program.functions.iter_enumerated() {
        let (routine, end) = routine(&program, function, is_broken[id], next);
        assembly.routines.push(routine);
        next = end;
    }
    for (id, function) in program.functions.iter_enumerated() {
        if is_broken[id] {
            assembly.codes.push(Code::Broken);
            assembly.origins.push(Origin { function: id, block: BlockId::numbered(0), index: 0 });
            continue;
        }
        let is_small = assembly.routines[id].n_words as usize + MAX_QUICK_ARGS < HIGH.into();
        let is_constant = constants_of(function);
        let mut assembler = Assembler { out: &mut assembly, program: &program, function, id, is_small, is_constant };
        for (block_id, block) in function.blocks.iter_enumerated() {
            assembler.block(block_id, block);
        }
    }
    stores(&mut assembly);
    assembly.fast = fuse(&assembly, &assembly.codes);
    assembly
}

fn collected<I: Idx, T>(items: impl Iterator<Item = T>) -> IndexVec<I, T> {
    let mut all = IndexVec::new();
    items.for_each(|item| {
        all.push(item);
    });
    all
}

/// Where a function's variables and blocks are, and where the next function begins.
fn routine(program: &Program, function: &Function, is_broken: bool, entry: u32) -> (Routine, u32) {
    let mut next = entry + u32::from(is_broken);
    let mut blocks = Vec::new();
    let mut places = Places { n_words: 0, of: base::filled(Place::default(), function.vars.len()) };
    let (mut n_params, mut n_captures) = (0, 0);
    if !is_broken {
        places = frame::places(&program.layouts, function);
        let n = |params: &[VarId]| params.iter().map(|param| places.of[param.index()].n_words).total();
        n_params = n(&function.params);
        n_captures = n(&function.params[..function.n_captures.min(function.params.len())]);
        for block in function.blocks.iter() {
            blocks.push(next);
            next += block.instrs.len() as u32 + 1;
        }
    }
    let n = places.n_words;
    let routine = Routine {
        entry,
        n_words: n,
        n_params,
        n_captures,
        reach: n.saturating_add(MAX_QUICK_ARGS as u32 + 1).max(WINDOW as u32),
        bytes: n.saturating_mul(8).saturating_add(FRAME_BYTES),
        is_library: function.is_library,
        places: places.of,
        blocks,
    };
    (routine, next)
}

/// Of a box, the contents that take no block.
fn immediates(program: &Program, layout: LayoutId, words: &mut Vec<u64>) -> Vec<Immediate> {
    let Kind::Box { content, immediates } = &program.layouts[layout].kind else { return Vec::new() };
    let codes = immediates.iter().enumerate().filter_map(|(variant, code)| Some((variant, (*code)?)));
    codes
        .map(|(variant, code)| {
            let (content, at) = (immediate_content(&program.layouts, *content, variant), words.len() as u32);
            words.extend_from_slice(&content);
            Immediate { first: content.first().copied().unwrap_or(0), code, words: at }
        })
        .list()
}

/// By variable, whether it is a literal or a top-level variable: the same block of memory at each call, and no operator
/// may write to it.
fn constants_of(function: &Function) -> Vec<bool> {
    let mut is_constant = base::filled(false, function.vars.len());
    for instr in function.blocks.iter().flat_map(|block| &block.instrs) {
        if let (Op::Tensor(_) | Op::Global(_), &[result]) = (&instr.op, &instr.results[..]) {
            is_constant[result.index()] = true;
        }
    }
    is_constant
}

/// Gives each access to a global the place that its function returns to.
fn stores(assembly: &mut Assembly) {
    for pc in 0..assembly.codes.len() {
        let Code::Global { to, global, shared, .. } = assembly.codes[pc] else { continue };
        let store = assembly.codes.len() as u32;
        assembly.codes.push(Code::StoreGlobal { to, global, next: pc as u32 + 1 });
        assembly.origins.push(assembly.origins[pc]);
        assembly.codes[pc] = Code::Global { to, global, store, shared };
    }
}

struct Assembler<'a> {
    out: &'a mut Assembly,
    program: &'a Program,
    function: &'a Function,
    id: FuncId,
    /// Whether the loop can name all registers.
    is_small: bool,
    /// By variable.
    is_constant: Vec<bool>,
}

impl Assembler<'_> {
    fn block(&mut self, id: BlockId, block: &Block) {
        let codes = block.instrs.iter().map(Some).chain([None]);
        for (index, instr) in (0_u32..).zip(codes) {
            let code = match instr {
                Some(Instr { op: Op::Global(global), results, .. }) => {
                    let to = self.place(results[0]).at;
                    Some(Code::Global { to, global: *global, store: BROKEN, shared: self.shared(results[0]) })
                }
                _ if !self.is_small => None,
                Some(instr) => self.instr(instr),
                None => self.end(&block.end),
            };
            self.out.codes.push(code.unwrap_or(Code::General));
            self.out.origins.push(Origin { function: self.id, block: id, index });
        }
    }

    fn layout(&self, var: VarId) -> LayoutId {
        self.function.vars[var].layout
    }

    fn shared(&self, var: VarId) -> Shared {
        let (kinds, layout) = (&self.out.kinds, self.layout(var));
        if !self.is_small || self.place(var).n_words != 1 {
            Shared::Parts
        } else if !kinds.is_counted(layout) {
            Shared::Word
        } else if kinds.is_pointer(&self.program.layouts, layout) {
            Shared::Pointer
        } else {
            Shared::Parts
        }
    }

    fn kind(&self, var: VarId) -> &Kind {
        &self.program.layouts[self.layout(var)].kind
    }

    fn place(&self, var: VarId) -> Place {
        self.out.routines[self.id].places[var.index()]
    }

    /// The register of a variable of one word.
    fn reg(&self, var: VarId) -> Option<Reg> {
        let place = self.place(var);
        (place.n_words == 1).then_some(place.at as Reg)
    }

    /// The registers of variables, one word after the other.
    fn regs(&self, vars: &[VarId]) -> impl Iterator<Item = Reg> {
        vars.iter().flat_map(|&var| self.place(var).range()).map(|at| at as Reg)
    }

    /// `None`: the instruction is a general one.
    fn instr(&mut self, instr: &Instr) -> Option<Code> {
        let arg = |i: usize| instr.args.get(i).copied();
        let result = |i: usize| instr.results.get(i).copied();
        match &instr.op {
            Op::Scalar(scalar) => {
                let to = result(0)?;
                let bits = match self.kind(to) {
                    Kind::Scalar(dtype) => scalar_bits(*dtype, *scalar),
                    Kind::Immediate(dtype) => scalar_bits(*dtype, *scalar) << 1 | 1,
                    _ => return None,
                };
                Some(Code::Constant { to: self.reg(to)?, bits })
            }
            Op::Pack { variant } => self.pack(result(0)?, *variant, &instr.args),
            Op::Open { variant } | Op::Peek { variant } => self.open(arg(0)?, *variant, &instr.results),
            Op::Field { variant, index } => self.field(result(0)?, arg(0)?, *variant, *index),
            Op::Box => {
                let (to, (from, n)) = (self.reg(result(0)?)?, self.some_regs(arg(0)?)?);
                let layout = self.layout(result(0)?);
                match (&self.program.layouts[layout].kind, arg(1)) {
                    (Kind::Immediate(_), _) => Some(Code::Tag { to, from }),
                    (Kind::Box { content, .. }, token) => {
                        let kind = self.out.kinds.number(BlockKind::Box(*content));
                        let token = token.map_or(Some(None), |token| self.reg(token).map(Some))?;
                        Some(match (n, token) {
                            (1, Some(token)) => Code::BoxToken { to, from, token, kind, layout },
                            (1, None) => Code::Box { to, from, kind, layout },
                            (n, Some(token)) => Code::BoxWideToken { n, to, from, token, kind, layout },
                            (n, None) => Code::BoxWide { n, to, from, kind, layout },
                        })
                    }
                    _ => None,
                }
            }
            Op::Unbox | Op::Load => {
                let ((to, n), from) = (self.some_regs(result(0)?)?, self.reg(arg(0)?)?);
                let layout = self.layout(arg(0)?);
                if (matches!(instr.op, Op::Unbox) || n > 1) && self.has_any_block(layout) {
                    return None;
                }
                let token = result(1).map_or(Some(None), |token| self.reg(token).map(Some))?;
                Some(match (self.kind(arg(0)?), n, token) {
                    (Kind::Immediate(_), ..) => Code::Untag { to, from },
                    (_, 1, _) if matches!(instr.op, Op::Load) => Code::Load { to, from, layout },
                    (_, n, _) if matches!(instr.op, Op::Load) => Code::LoadWide { n, to, from, layout },
                    (_, 1, Some(token)) => Code::UnboxToken { to, token, from, layout },
                    (_, 1, None) => Code::Unbox { to, from, layout },
                    (_, n, Some(token)) => Code::UnboxWideToken { n, to, token, from, layout },
                    (_, n, None) => Code::UnboxWide { n, to, from, layout },
                })
            }
            Op::Free => Some(Code::Free { from: self.reg(arg(0)?)? }),
            Op::Call(Callee::Function(function)) => {
                let (n, first) = self.args(&instr.args)?;
                let place = self.place(result(0)?);
                let size = self.out.routines[self.id].n_words as u16;
                Some(Code::Call { fuel: 0, to: place.at as Reg, size, n, function: *function, first })
            }
            Op::Call(Callee::Value) => {
                let callee = self.reg(arg(0)?)?;
                let (n, first) = self.args(&instr.args[1..])?;
                let place = self.place(result(0)?);
                let size = self.out.routines[self.id].n_words as u16;
                Some(Code::CallValue { fuel: 0, to: place.at as Reg, size, n, callee, first })
            }
            Op::Operator { op, attrs } => match self.on_scalars(*op, attrs, instr) {
                None => self
                    .operator(Called::One(*op, attrs.clone()), instr)
                    .or_else(|| self.on_tuple((*op, attrs), instr))
                    .or_else(|| self.tuple_call((*op, attrs), instr)),
                code => code,
            },
            Op::Fused(steps) => self.operator(Called::Fused(steps.clone()), instr),
            Op::Fuel(n) => Some(Code::Fuel(*n)),
            Op::Dup | Op::Drop => {
                let layout = self.layout(arg(0)?);
                if !self.out.kinds.is_counted(layout) {
                    return Some(Code::Nothing);
                }
                if self.out.kinds.is_pointer(&self.program.layouts, layout) {
                    let from = self.reg(arg(0)?)?;
                    return Some(if matches!(instr.op, Op::Dup) { Code::Dup { from } } else { Code::Drop { from } });
                }
                let (n, first) = self.pointers(arg(0)?)?;
                Some(if matches!(instr.op, Op::Dup) {
                    Code::DupParts { n, first }
                } else {
                    Code::DropParts { n, first }
                })
            }
            Op::Check { .. } if !matches!(self.kind(arg(0)?), Kind::Tensor) => Some(Code::Nothing),
            Op::Tensor(id) => self.pointer(result(0)?, self.out.constants[*id]),
            Op::Closure(function) if instr.args.is_empty() => self.pointer(result(0)?, self.out.closures[*function]),
            Op::Closure(function) => {
                let to = self.reg(result(0)?)?;
                let kind = self.out.kinds.number(BlockKind::Closure(*function));
                let (n, first) = self.args(&instr.args).filter(|(n, _)| *n > 0)?;
                Some(Code::Closure { to, n, kind, first })
            }
            Op::RefNew => {
                let (to, from) = (self.reg(result(0)?)?, self.reg(arg(0)?)?);
                let Kind::Ref { content } = *self.kind(result(0)?) else { return None };
                Some(Code::RefNew { to, from, kind: self.out.kinds.number(BlockKind::Ref(content)) })
            }
            Op::RefRead => Some(Code::RefRead { to: self.reg(result(0)?)?, from: self.reg(arg(0)?)? }),
            Op::RefWrite => {
                let (cell, from, layout) = (self.reg(arg(0)?)?, self.reg(arg(1)?)?, self.layout(arg(1)?));
                let is_pointer = self.out.kinds.is_pointer(&self.program.layouts, layout);
                let is_quick = is_pointer || !self.out.kinds.is_counted(layout);
                (is_quick && self.place(result(0)?).n_words == 0).then_some(Code::RefWrite { cell, from, is_pointer })
            }
            Op::Retype => {
                let (from, to) = (self.place(arg(0)?), self.place(result(0)?));
                let mut parts = Vec::new();
                Part::read(from.at, 0, to.at, from.n_words.min(to.n_words) * 64, &mut parts);
                self.parts(&parts)
            }
            Op::Check { .. } | Op::Global(_) => None,
        }
    }

    /// Whether a box may have a block of another size than its content: under `uniform` any `as` of anonymous sums
    /// changes the type alone.
    fn has_any_block(&self, layout: LayoutId) -> bool {
        let layouts = &self.program.layouts;
        let Kind::Box { content, .. } = layouts[layout].kind else { return false };
        let Kind::Sum { variants, .. } = &layouts[content].kind else { return false };
        layouts.strategy == Strategy::Uniform && variants.iter().any(|variant| matches!(variant.head, Head::Variant(_)))
    }

    fn pointer(&self, to: VarId, at: Option<u32>) -> Option<Code> {
        Some(Code::Constant { to: self.reg(to)?, bits: at?.into() })
    }

    /// The arguments of a quick call: how many words, and where their list begins.
    fn args(&mut self, vars: &[VarId]) -> Option<(u16, u32)> {
        let regs: Vec<Reg> = self.regs(vars).list();
        if regs.len() > MAX_QUICK_ARGS {
            return None;
        }
        let first = self.out.args.len() as u32;
        self.out.args.extend_from_slice(&regs);
        Some((regs.len() as u16, first))
    }

    fn pack(&mut self, result: VarId, variant: u32, args: &[VarId]) -> Option<Code> {
        let (to, n_words) = self.some_regs(result)?;
        let Kind::Sum { tag, variants } = self.kind(result) else { return None };
        let variant = variants.get(variant as usize)?;
        let (at, code) = match (*tag, variant.code) {
            (Tag::Bits { offset, .. } | Tag::Niche { offset, .. }, Some(code)) => (offset, code),
            (Tag::None | Tag::Bits { .. } | Tag::Niche { .. }, _) => (0, 0),
        };
        let mut parts = Vec::new();
        for (&arg, field) in args.iter().zip(&variant.fields) {
            Part::write(self.place(arg).at, to.into(), field.offset, self.bits(field.layout), &mut parts);
        }
        let shift = |part: &Part| (part.from, part.shift);
        Some(match (n_words, &parts[..]) {
            (1, []) => Code::Constant { to, bits: u64::from(code) << at },
            (1, [a]) => {
                let (a, shift) = shift(a);
                Code::Pack1 { to, a, shift, at: at as u8, code }
            }
            (1, [a, b]) => {
                let ((a, shift), (b, other)) = (shift(a), shift(b));
                Code::Pack2 { to, a, b, shifts: [shift, other], at: at as u8, code }
            }
            (_, parts) => {
                let mut words = base::filled(0, n_words.into());
                // The code may lie in two words.
                let bits = u128::from(code) << (at % 64);
                *words.get_mut(at as usize / 64)? |= bits as u64;
                if bits >> 64 != 0 {
                    *words.get_mut(at as usize / 64 + 1)? |= (bits >> 64) as u64;
                }
                let (first, word) = (self.out.parts.len() as u32, self.out.words.len() as u32);
                let n = u16::try_from(parts.len()).ok()?;
                self.out.parts.extend_from_slice(parts);
                self.out.words.append(&mut words);
                Code::Pack { n_words, to, n, first, word }
            }
        })
    }

    fn bits(&self, layout: LayoutId) -> u32 {
        self.program.layouts[layout].bits
    }

    /// The words of a variable of some, but not many.
    fn some_regs(&self, var: VarId) -> Option<(Reg, u8)> {
        let place = self.place(var);
        let n = u8::try_from(place.n_words).ok().filter(|n| *n > 0)?;
        Some((place.at as Reg, n))
    }

    fn parts(&mut self, parts: &[Part]) -> Option<Code> {
        Some(match *parts {
            [] => Code::Nothing,
            [a] => Code::Part { to: a.to, from: a.from, bits: a.bits },
            [a, b] if a.from == b.from && !b.is_more => {
                Code::Parts2 { from: a.from, to: [a.to, b.to], bits: [a.bits, b.bits] }
            }
            _ => {
                let (n, first) = self.listed(parts)?;
                Code::Parts { n, first }
            }
        })
    }

    fn listed(&mut self, parts: &[Part]) -> Option<(u16, u32)> {
        let first = self.out.parts.len() as u32;
        self.out.parts.extend_from_slice(parts);
        Some((u16::try_from(parts.len()).ok()?, first))
    }

    fn open(&mut self, from: VarId, variant: u32, results: &[VarId]) -> Option<Code> {
        let Kind::Sum { variants, .. } = self.kind(from) else { return None };
        let fields = variants.get(variant as usize)?.fields.iter();
        let from = self.place(from).at;
        let mut parts = Vec::new();
        for (&result, field) in results.iter().zip(fields) {
            Part::read(from, field.offset, self.place(result).at, self.bits(field.layout), &mut parts);
        }
        self.parts(&parts)
    }

    fn field(&mut self, result: VarId, from: VarId, variant: u32, index: u32) -> Option<Code> {
        let Kind::Sum { variants, .. } = self.kind(from) else { return None };
        let field = variants.get(variant as usize)?.fields.get(index as usize)?;
        let mut parts = Vec::new();
        Part::read(self.place(from).at, field.offset, self.place(result).at, self.bits(field.layout), &mut parts);
        if !self.out.kinds.is_counted(field.layout) {
            return self.parts(&parts);
        }
        match parts[..] {
            [Part { from, to, bits, .. }] if self.out.kinds.is_pointer(&self.program.layouts, field.layout) => {
                Some(Code::OwnedPart { to, from, bits })
            }
            _ => None,
        }
    }

    /// The pointers of a value, if it does not depend on the value where they are, and none lies in two words.
    fn pointers(&mut self, var: VarId) -> Option<(u16, u32)> {
        let at = self.place(var).at;
        let offsets = self.out.kinds.fixed_pointers(self.layout(var))?;
        let mut parts = Vec::new();
        offsets.iter().for_each(|offset| Part::read(at, *offset, 0, 32, &mut parts));
        if parts.len() > offsets.len() {
            return None;
        }
        self.listed(&parts)
    }

    /// Operands and result are scalars and tensors, a word each.
    fn operator(&mut self, call: Called, instr: &Instr) -> Option<Code> {
        let [result] = instr.results[..] else { return None };
        let is_word = |var: &VarId| matches!(self.kind(*var), Kind::Scalar(_) | Kind::Tensor);
        if !instr.args.iter().chain([&result]).all(is_word) {
            return None;
        }
        let args: Vec<Reg> = instr.args.iter().map(|&arg| self.reg(arg)).some_list()?;
        let operands = instr.args.iter().map(|&arg| self.layout(arg)).list();
        let is_constant = instr.args.iter().map(|arg| self.is_constant[arg.index()]).list();
        let place = tensor::Place { call, operands, is_constant, result: self.layout(result) };
        self.operator_at(result, args, place)
    }

    fn operator_at(&mut self, result: VarId, args: Vec<Reg>, place: tensor::Place) -> Option<Code> {
        let to = self.reg(result)?;
        let (n, first) = (u8::try_from(args.len()).ok()?, self.out.args.len() as u32);
        self.out.args.append_all(args);
        let number = self.out.operators.len() as u32;
        self.out.operators.push(place);
        Some(Code::Operator { kept: 0, n, to, first, number })
    }

    /// The operand is a tuple of a few tensors, each of them half a word, and the result is one tensor.
    fn on_tuple(&mut self, (op, attrs): (op::OpId, &Arc<ty::Attrs>), instr: &Instr) -> Option<Code> {
        let (&[arg], &[result]) = (&instr.args[..], &instr.results[..]) else { return None };
        let fields = tuple_fields(&self.program.layouts, self.layout(arg))?;
        let is_tensor = |layout: LayoutId| matches!(self.program.layouts[layout].kind, Kind::Tensor);
        let are_halves = fields.iter().all(|field| field.offset % 32 == 0 && is_tensor(field.layout));
        if !op.has_tuples() || !are_halves || !is_tensor(self.layout(result)) || fields.len() > op::MAX_OPERANDS {
            return None;
        }
        let from = self.place(arg).at;
        let half = |offset: u32| (from + offset / 64) as Reg | if offset % 64 == 32 { HIGH } else { 0 };
        let args = fields.iter().map(|field| half(field.offset)).list();
        let operands = fields.iter().map(|field| field.layout).list();
        let is_constant = base::filled(false, fields.len());
        let call = Called::OnTuple(op, attrs.clone());
        self.operator_at(result, args, tensor::Place { call, operands, is_constant, result: self.layout(result) })
    }

    /// Operands or results are in tuples.
    fn tuple_call(&mut self, called: (op::OpId, &Arc<ty::Attrs>), instr: &Instr) -> Option<Code> {
        let &[result] = &instr.results[..] else { return None };
        let args: Vec<(LayoutId, u32)> = instr.args.iter().map(|&arg| (self.layout(arg), self.place(arg).at)).list();
        let call = TupleCall::new(&self.program.layouts, called, &args, self.layout(result))?;
        let (to, number) = (self.place(result).at as Reg, self.out.tuple_calls.len() as u32);
        self.out.tuple_calls.push(call);
        Some(Code::TupleCall { to, number })
    }

    fn on_scalars(&self, op: op::OpId, attrs: &ty::Attrs, instr: &Instr) -> Option<Code> {
        let scalar = |var: VarId| match self.kind(var) {
            Kind::Scalar(dtype) => Some(*dtype),
            _ => None,
        };
        let to = *instr.results.first()?;
        let (first, result) = (scalar(*instr.args.first()?)?, scalar(to)?);
        let (to, a) = (self.reg(to)?, self.reg(instr.args[0])?);
        let row = op.row();
        if row.name == "cast" {
            let into = attrs.dtype("dtype").filter(|into| *into == result)?;
            return Some(Code::Cast { from: first, into, to, a });
        }
        let (expected, n) = elementwise(&row.kernel, first)?;
        let is_same = instr.args.iter().all(|&arg| scalar(arg) == Some(first));
        if expected != result || usize::from(n) != instr.args.len() || !is_same {
            return None;
        }
        let b = self.reg(*instr.args.last()?)?;
        match (Binary::of(row.name), Class::of(first)) {
            (Some(Binary::Add), Some(Class::Int32)) => Some(Code::AddInt32 { to, a, b }),
            (Some(Binary::Subtract), Some(Class::Int32)) => Some(Code::SubtractInt32 { to, a, b }),
            (Some(Binary::Multiply), Some(Class::Int32)) => Some(Code::MultiplyInt32 { to, a, b }),
            (Some(Binary::Equal), Some(Class::Int32)) => Some(Code::EqualInt32 { to, a, b }),
            (Some(Binary::Less), Some(Class::Int32)) => Some(Code::LessInt32 { to, a, b }),
            (Some(Binary::LessEqual), Some(Class::Int32)) => Some(Code::LessEqualInt32 { to, a, b }),
            (Some(Binary::Greater), Some(Class::Int32)) => Some(Code::LessInt32 { to, a: b, b: a }),
            (Some(Binary::GreaterEqual), Some(Class::Int32)) => Some(Code::LessEqualInt32 { to, a: b, b: a }),
            (Some(binary), Some(class)) if binary.is_on(class) => Some(Code::Binary { op: binary, class, to, a, b }),
            (Some(_), Some(_)) | (None, _) | (_, None) => {
                Some(Code::Kernel { op: op.number(), dtype: first, to, a, b })
            }
        }
    }

    /// `None`: the end is a general one.
    fn end(&mut self, end: &End) -> Option<Code> {
        let bytes = self.out.routines[self.id].bytes;
        match end {
            End::Return(var) => {
                let place = self.place(*var);
                Some(match place.n_words {
                    1 => Code::Return { from: place.at as Reg, bytes },
                    n => Code::ReturnWide { from: place.at as Reg, n: u16::try_from(n).ok()?, bytes },
                })
            }
            End::Jump(block, args) => {
                let to = *self.out.routines[self.id].blocks.get(block.index())?;
                let params = &self.function.blocks[*block].params;
                let moves: Vec<(Reg, Reg)> = self.regs(args).zip(self.regs(params)).list();
                Some(match moves[..] {
                    [] => Code::Jump { to },
                    [(from, into)] => Code::Jump1 { from, into, to },
                    _ => {
                        let first = self.out.moves.len() as u32;
                        self.out.moves.extend_from_slice(&moves);
                        Code::JumpMoving { n: u16::try_from(moves.len()).ok()?, first, to }
                    }
                })
            }
            End::TailCall(Callee::Function(function), args) => {
                // What goes wrong in a library is told at the call out of the file, which is noted.
                if self.out.routines.get(*function)?.is_library && !self.function.is_library {
                    return None;
                }
                let moves: Vec<(Reg, Reg)> = self.regs(args).zip(0..).list();
                if moves.len() > MAX_QUICK_ARGS {
                    return None;
                }
                let first = self.out.moves.len() as u32;
                // Behind the frame, and behind the parameters that the other function has more than this one has words.
                let temporary = (self.out.routines[self.id].n_words as usize).max(moves.len()) as Reg;
                in_order(moves, temporary, &mut self.out.moves);
                let n = (self.out.moves.len() as u32 - first) as u16;
                Some(Code::TailCall { fuel: 0, n, function: *function, first, bytes })
            }
            End::TailCall(Callee::Value, args) => {
                let callee = self.reg(*args.first()?)?;
                let (n, first) = self.args(&args[1..])?;
                Some(Code::TailValue { n, callee, first, bytes })
            }
            End::Fail(_) => None,
            End::Switch { on, cases, default } => self.switch(*on, cases, *default),
        }
    }

    fn switch(&mut self, on: VarId, cases: &[Case], default: Option<BlockId>) -> Option<Code> {
        let target = |block: BlockId| self.out.routines[self.id].blocks.get(block.index()).copied();
        let otherwise = match default {
            Some(block) => target(block)?,
            None => BROKEN,
        };
        let (kind, width) = (self.kind(on), self.program.layouts[self.layout(on)].bits);
        let (offset, bits) = match kind {
            Kind::Sum { tag: Tag::None, variants } => {
                let is_there = |case: &&Case| match case.key {
                    CaseKey::Variant(variant) => variants.get(variant as usize).is_some_and(|it| it.is_inhabited),
                    CaseKey::Literal(_) => false,
                };
                let case = cases.iter().find(is_there);
                let to = case.map_or(Some(otherwise), |case| target(case.block))?;
                return Some(Code::Jump { to });
            }
            Kind::Sum { tag: Tag::Bits { offset, bits } | Tag::Niche { offset, bits, .. }, .. } => (*offset, *bits),
            Kind::Scalar(dtype) if dtype.is_float() => return None,
            Kind::Scalar(_) => (0, width),
            _ => return None,
        };
        let (on, offset) = ((self.place(on).at + offset / 64) as Reg, offset % 64);
        if offset + bits > 64 {
            return None;
        }
        let (mut keys, mut dataful) = (Vec::new(), None);
        for case in cases {
            let to = target(case.block)?;
            match (&case.key, kind) {
                (CaseKey::Literal(scalar), Kind::Scalar(dtype)) => keys.push((scalar_bits(*dtype, *scalar), to)),
                (CaseKey::Variant(variant), Kind::Sum { variants, .. }) => {
                    let data = variants.get(*variant as usize)?;
                    match data.code {
                        Some(code) => keys.push((u64::from(code), to)),
                        None if data.is_inhabited => dataful = Some(to),
                        None => {}
                    }
                }
                _ => return None,
            }
        }
        // Codes that no case names are the default's, unless they are no variant's and so the dataful one's.
        let mut rest = otherwise;
        if let (Kind::Sum { tag: Tag::Niche { .. }, variants }, Some(dataful)) = (kind, dataful) {
            let others = variants.iter().filter_map(|variant| variant.code).map(u64::from);
            let named: Vec<u64> = keys.iter().map(|(key, _)| *key).list();
            keys.append_all(others.filter(|code| !named.contains(code)).map(|code| (code, otherwise)));
            rest = dataful;
        }
        if bits == 0 {
            return None;
        }
        let bits = Bits::new(offset, bits);
        base::sort(&mut keys);
        if let [(code, then)] = keys[..]
            && let Ok(code) = u16::try_from(code)
        {
            return Some(Code::Switch1 { fuel: 0, on, bits, code, then, otherwise: rest });
        }
        if let [(_, then), (code, other)] = keys[..]
            && let Ok(code) = u16::try_from(code)
            && rest == BROKEN
        {
            return Some(Code::Switch1 { fuel: 0, on, bits, code, then: other, otherwise: then });
        }
        let n = keys.len() as u32;
        if keys.last().is_some_and(|(code, _)| *code < 4 * u64::from(n) + 16) {
            let first = self.out.targets.len() as u32;
            let n = keys.last().map_or(0, |(code, _)| *code as usize + 1);
            let mut targets = base::filled(rest, n + 1);
            keys.iter().for_each(|&(code, to)| targets[code as usize] = to);
            self.out.targets.append(&mut targets);
            return Some(Code::SwitchTable { fuel: 0, on, bits, n: n as u32, first });
        }
        let first = self.out.keys.len() as u32;
        self.out.keys.append(&mut keys);
        self.out.keys.push((0, rest));
        Some(Code::SwitchKeys { on, bits, n, first })
    }
}

/// Moves that happen at once (from, into), as moves one after the other; a cycle goes through the temporary register,
/// which is none of theirs.
///
/// Worked example: (1, 0) and (0, 1) become (1, t), (0, 1), (t, 0).
fn in_order(mut moves: Vec<(Reg, Reg)>, temporary: Reg, out: &mut Vec<(Reg, Reg)>) {
    moves.keep(|(from, into)| from != into);
    while !moves.is_empty() {
        let n_before = moves.len();
        let mut i = 0;
        while i < moves.len() {
            let (from, into) = moves[i];
            if moves.iter().any(|other| other.0 == into) {
                i += 1;
            } else {
                out.push((from, into));
                moves.swap_remove(i);
            }
        }
        if moves.len() == n_before {
            let from = moves[0].0;
            out.push((from, temporary));
            moves.iter_mut().filter(|other| other.0 == from).for_each(|other| other.0 = temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::in_order;

    /// All ways to move three registers into the first three.
    #[test]
    fn moves_at_once_and_in_order_agree() {
        for seed in 0..125_u16 {
            let moves: Vec<(u16, u16)> = (0..3).map(|into| (seed / 5_u16.pow(into.into()) % 5, into)).collect();
            let before = [10, 11, 12, 13, 14, 99];
            let mut ordered = Vec::new();
            in_order(moves.clone(), 5, &mut ordered);
            let mut after = before;
            ordered.iter().for_each(|&(from, into)| after[usize::from(into)] = after[usize::from(from)]);
            moves.iter().for_each(|&(from, into)| {
                assert_eq!(after[usize::from(into)], before[usize::from(from)], "{moves:?} {ordered:?}");
            });
        }
    }
}
