//! Instructions of any width, as the IR says them.
//!
//! A value is copied out of the registers before anything changes. Memory is taken first, so that an instruction for
//! which there is none can be done again.

use crate::code::{Assembly, At, Place, Routine};
use crate::fault::Stop;
use crate::heap::{HEADER, is_pointer};
use crate::kind::{BlockKind, block_size, shape_at};
use crate::machine::{Frame, State};
use crate::tensor::{Sites, TensorCall, on_values, steps_on_values};
use base::Idx;
use base::ToList;
use ir::{Callee, Case, CaseKey, End, Fault, FuncId, Function, Instr, Op, VarId};
use layout::{
    Kind, LayoutId, Words, immediate_content, immediate_of, immediate_variant, n_words, pack, read_bits, slice_bits,
    variant_of,
};
use op::Operators;
use ty::{RunFault, Scalar, scalar_bits, scalar_of};

/// How a function is entered.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// From the instruction at `pc` in a frame of `size` words; the result goes to `to` in it.
    Call { pc: u32, base: u32, to: u32, size: u32 },
    /// In place of the frame, which counts as `bytes`. If there is a site, what goes wrong in a library is told there.
    Tail { base: u32, bytes: u32, site: Option<u32> },
}

/// An instruction, and the frame that it works on.
struct Frameful<'a> {
    state: &'a mut State,
    code: &'a Assembly,
    function: &'a Function,
    routine: &'a Routine,
}

/// Does the instruction that the state is at.
pub(crate) fn general(
    state: &mut State,
    code: &Assembly,
    operators: &mut Operators,
    sites: &mut Sites,
) -> Result<(), Stop> {
    let broken = Stop::Fault(RunFault::Broken);
    let id = code.function(state.pc).ok_or(broken.clone())?;
    let function = code.program.functions.get(id).ok_or(broken.clone())?;
    let mut frame = Frameful { state, code, function, routine: &code.routines[id] };
    match code.at(frame.state.pc) {
        Some(At::Instr(Instr { op: Op::Operator { op, attrs }, args, results, .. })) => {
            let (call, pc) = (frame.tensor_call(args, results[0]), frame.state.pc);
            let found = on_values(&mut frame.state.heap, code, operators, sites, pc, (*op, attrs), &call)?;
            frame.set(results[0], &found);
            frame.state.pc += 1;
            Ok(())
        }
        Some(At::Instr(Instr { op: Op::Fused(steps), args, results, .. })) => {
            let call = frame.tensor_call(args, results[0]);
            let found = steps_on_values(&mut frame.state.heap, code, operators, steps, &call)?;
            frame.set(results[0], &found);
            frame.state.pc += 1;
            Ok(())
        }
        Some(At::Instr(instr)) => frame.instr(instr),
        Some(At::End(end)) => frame.end(end),
        None => Err(broken),
    }
}

/// Enters a function with these words as its parameters.
pub(crate) fn enter(state: &mut State, code: &Assembly, function: FuncId, words: &[u64], how: How) -> Result<(), Stop> {
    let routine = &code.routines[function];
    let (base, more) = match how {
        How::Call { base, size, .. } => (base + size, u64::from(routine.bytes)),
        How::Tail { base, bytes, .. } => (base, u64::from(routine.bytes.saturating_sub(bytes))),
    };
    if !state.heap.charge(more) {
        return Err(Stop::NoMemory(more));
    }
    if !state.reach(base, routine.reach.saturating_add(words.len() as u32)) {
        state.heap.in_use -= more;
        return Err(Stop::NoMemory(u64::MAX));
    }
    match how {
        How::Call { pc, base, to, .. } => state.frames.push(Frame { pc: pc + 1, base, to, site: pc }),
        How::Tail { bytes, site, .. } => {
            state.heap.in_use -= u64::from(bytes.saturating_sub(routine.bytes));
            if let (Some(site), Some(frame)) = (site.filter(|_| routine.is_library), state.frames.last_mut()) {
                frame.site = site;
            }
        }
    }
    state.registers[base as usize..base as usize + words.len()].copy_from_slice(words);
    (state.pc, state.base) = (routine.entry, base);
    Ok(())
}

/// Enters the function of a closure, which is taken over. The arguments are in `state.args`.
pub(crate) fn call_value(state: &mut State, code: &Assembly, closure: u32, how: How) -> Result<(), Stop> {
    let (function, n) = code.closure_at(&state.heap, closure).ok_or(Stop::Fault(RunFault::Broken))?;
    let mut words = std::mem::take(&mut state.args);
    if n as usize + words.len() != code.routines[function].n_params as usize {
        return Err(Stop::Fault(RunFault::Broken));
    }
    // What is captured comes first.
    let n_args = words.len();
    words.resize(n as usize + n_args, 0);
    words.copy_within(..n_args, n as usize);
    for word in 0..n {
        words[word as usize] = state.heap.word(closure + HEADER + word * 8);
    }
    enter(state, code, function, &words, how)?;
    state.args = words;
    if state.heap.empty(code, closure) {
        state.heap.free(closure, block_size(n as usize));
    }
    Ok(())
}

impl Frameful<'_> {
    fn layout(&self, var: VarId) -> LayoutId {
        self.function.vars[var].layout
    }

    fn kind(&self, layout: LayoutId) -> &Kind {
        &self.code.program.layouts[layout].kind
    }

    fn place(&self, var: VarId) -> Place {
        self.routine.places[var.index()]
    }

    fn words(&self, var: VarId) -> &[u64] {
        let range = self.place(var).range();
        let base = self.state.base as usize;
        &self.state.registers[base + range.start..base + range.end]
    }

    fn get(&self, var: VarId) -> Words {
        self.words(var).to_vec()
    }

    fn tensor_call(&self, args: &[VarId], result: VarId) -> TensorCall {
        TensorCall {
            layouts: args.iter().map(|&arg| self.layout(arg)).list(),
            words: args.iter().map(|&arg| self.get(arg)).list(),
            result: self.layout(result),
        }
    }

    fn word(&self, var: VarId) -> u32 {
        self.get(var).first().map_or(0, |word| *word as u32)
    }

    fn set(&mut self, var: VarId, words: &[u64]) {
        let range = self.place(var).range();
        let base = self.state.base as usize;
        let registers = &mut self.state.registers[base + range.start..base + range.end];
        registers.iter_mut().zip(words).for_each(|(register, word)| *register = *word);
    }

    fn set_word(&mut self, var: VarId, word: u32) {
        self.set(var, &[word.into()]);
    }

    /// A block with one owner and this content.
    fn block(&mut self, kind: BlockKind, words: &[u64]) -> Result<u32, Stop> {
        let size = block_size(words.len());
        let at = self.state.heap.take(size, self.code.kinds.number(kind));
        let at = at.ok_or(Stop::NoMemory(size.into()))?;
        self.state.heap.set_content(at, words);
        Ok(at)
    }

    fn instr(&mut self, instr: &Instr) -> Result<(), Stop> {
        let code = self.code;
        let layouts = &code.program.layouts;
        let (args, results) = (instr.args.as_slice(), instr.results.as_slice());
        let broken = Stop::Fault(RunFault::Broken);
        match &instr.op {
            Op::Scalar(scalar) => {
                let bits = match self.kind(self.layout(results[0])) {
                    Kind::Scalar(dtype) => scalar_bits(*dtype, *scalar),
                    Kind::Immediate(dtype) => scalar_bits(*dtype, *scalar) << 1 | 1,
                    _ => return Err(broken),
                };
                self.set(results[0], &[bits]);
            }
            Op::Tensor(id) => {
                let at = code.constants[*id].ok_or(Stop::NoMemory(u64::MAX))?;
                self.set_word(results[0], at);
            }
            Op::Pack { variant } => {
                let fields: Vec<Words> = args.iter().map(|&arg| self.get(arg)).list();
                let words = pack(layouts, self.layout(results[0]), *variant as usize, &fields);
                self.set(results[0], &words);
            }
            Op::Open { variant } | Op::Peek { variant } => {
                let words = self.get(args[0]);
                let Kind::Sum { variants, .. } = &layouts[self.layout(args[0])].kind else { return Err(broken) };
                for (&result, field) in results.iter().zip(&variants[*variant as usize].fields) {
                    self.set(result, &slice_bits(&words, field.offset, layouts[field.layout].bits));
                }
            }
            Op::Field { variant, index } => {
                let words = self.get(args[0]);
                let Kind::Sum { variants, .. } = &layouts[self.layout(args[0])].kind else { return Err(broken) };
                let field = &variants[*variant as usize].fields[*index as usize];
                let words = slice_bits(&words, field.offset, layouts[field.layout].bits);
                self.state.heap.dup_value(code, field.layout, &words);
                self.set(results[0], &words);
            }
            Op::Box => self.make_box(results[0], args)?,
            Op::Unbox | Op::Load => self.open_box(&instr.op, results, args[0])?,
            Op::Free => {
                let token = self.word(args[0]);
                self.state.heap.free_token(token);
            }
            Op::Closure(function) => {
                let mut words = Vec::new();
                args.iter().for_each(|&arg| words.extend_from_slice(self.words(arg)));
                let at = match (words.is_empty(), code.closures[*function]) {
                    (true, Some(at)) => at,
                    (true, None) | (false, _) => self.block(BlockKind::Closure(*function), &words)?,
                };
                self.set_word(results[0], at);
            }
            Op::Call(callee) => {
                let to = self.place(results[0]).at;
                let (pc, base, size) = (self.state.pc, self.state.base, self.routine.n_words);
                return self.call(*callee, args, How::Call { pc, base, to, size });
            }
            Op::Retype => {
                let words = self.get(args[0]);
                self.set(results[0], &words);
            }
            Op::RefNew => {
                let Kind::Ref { content } = *self.kind(self.layout(results[0])) else { return Err(broken) };
                let at = self.block(BlockKind::Ref(content), &self.get(args[0]))?;
                self.set_word(results[0], at);
            }
            Op::RefRead => {
                let Kind::Ref { content } = *self.kind(self.layout(args[0])) else { return Err(broken) };
                let at = self.word(args[0]);
                let words = self.state.heap.content(at, n_words(layouts[content].bits));
                if self.state.heap.empty(code, at) {
                    self.state.heap.free(at, block_size(words.len()));
                }
                self.set(results[0], &words);
            }
            Op::RefWrite => {
                let Kind::Ref { content } = *self.kind(self.layout(args[0])) else { return Err(broken) };
                let (at, new) = (self.word(args[0]), self.get(args[1]));
                let old = self.state.heap.content(at, new.len());
                self.state.heap.set_content(at, &new);
                self.state.heap.release_value(code, content, &old);
                self.state.heap.release(code, at);
                let unit = self.unit(self.layout(results[0]));
                self.set(results[0], &unit);
            }
            Op::Check { name, dims } => self.check(name, dims, args)?,
            Op::Fuel(_) | Op::Global(_) | Op::Operator { .. } | Op::Fused(_) => return Err(broken),
            Op::Dup => {
                let words = self.get(args[0]);
                self.state.heap.dup_value(code, self.layout(args[0]), &words);
            }
            Op::Drop => {
                let words = self.get(args[0]);
                self.state.heap.release_value(code, self.layout(args[0]), &words);
            }
        }
        self.state.pc += 1;
        Ok(())
    }

    /// The empty tuple.
    fn unit(&self, layout: LayoutId) -> Words {
        match self.kind(layout) {
            Kind::Box { immediates, .. } => {
                vec![immediates.first().copied().flatten().map_or(0, u64::from)]
            }
            _ => layout::zeros(self.code.program.layouts[layout].bits),
        }
    }

    fn make_box(&mut self, to: VarId, args: &[VarId]) -> Result<(), Stop> {
        let layout = self.layout(to);
        let words = self.get(args[0]);
        let content = match *self.kind(layout) {
            Kind::Box { content, .. } => content,
            Kind::Immediate(_) => {
                self.set(to, &[words.first().map_or(1, |word| word << 1 | 1)]);
                return Ok(());
            }
            _ => return Err(Stop::Fault(RunFault::Broken)),
        };
        let token = args.get(1).map_or(0, |&token| self.word(token));
        if let Some(immediate) = immediate_of(&self.code.program.layouts, layout, &words) {
            self.state.heap.free_token(token);
            self.set_word(to, immediate);
            return Ok(());
        }
        let size = block_size(words.len());
        let at = if is_pointer(token) && self.code.kinds.size_at(&self.state.heap, token) == size {
            self.state.heap.set_header(token, 1, self.code.kinds.number(BlockKind::Box(content)));
            self.state.heap.set_content(token, &words);
            token
        } else {
            let at = self.block(BlockKind::Box(content), &words)?;
            self.state.heap.free_token(token);
            at
        };
        self.set_word(to, at);
        Ok(())
    }

    fn open_box(&mut self, op: &Op, results: &[VarId], from: VarId) -> Result<(), Stop> {
        let code = self.code;
        let layouts = &code.program.layouts;
        let at = self.word(from);
        let (content, immediates) = match &layouts[self.layout(from)].kind {
            Kind::Box { content, immediates } => (*content, immediates),
            Kind::Immediate(_) => {
                let word = self.get(from).first().map_or(0, |word| word >> 1);
                self.set(results[0], &[word]);
                return Ok(());
            }
            _ => return Err(Stop::Fault(RunFault::Broken)),
        };
        let mut token = 0;
        let words = match immediate_variant(immediates, at) {
            Some(variant) => immediate_content(layouts, content, variant),
            None => {
                let words = code.kinds.content_at(&self.state.heap, at, n_words(layouts[content].bits));
                let size = code.kinds.size_at(&self.state.heap, at);
                if matches!(op, Op::Unbox) && self.state.heap.empty(code, at) {
                    // A block of another size, by an `as`, is of no use to who waits for one.
                    match results.len() == 2 && size == block_size(words.len()) {
                        true => {
                            self.state.heap.make_token(at, size);
                            token = at;
                        }
                        false => self.state.heap.free(at, size),
                    }
                }
                words
            }
        };
        self.set(results[0], &words);
        if let Some(&result) = results.get(1) {
            self.set_word(result, token);
        }
        Ok(())
    }

    fn call(&mut self, callee: Callee, args: &[VarId], how: How) -> Result<(), Stop> {
        let (callee, args) = match (callee, args) {
            (Callee::Function(function), args) => (Ok(function), args),
            (Callee::Value, [callee, args @ ..]) => (Err(self.word(*callee)), args),
            (Callee::Value, []) => return Err(Stop::Fault(RunFault::Broken)),
        };
        let mut words = std::mem::take(&mut self.state.args);
        words.clear();
        args.iter().for_each(|&arg| words.extend_from_slice(self.words(arg)));
        match callee {
            Ok(function) => {
                let done = enter(self.state, self.code, function, &words, how);
                self.state.args = words;
                done
            }
            Err(closure) => {
                self.state.args = words;
                call_value(self.state, self.code, closure, how)
            }
        }
    }

    /// As the evaluator tells it.
    fn check(&self, name: &str, dims: &[Option<u64>], vars: &[VarId]) -> Result<(), Stop> {
        let Kind::Tensor = self.kind(self.layout(vars[0])) else { return Ok(()) };
        let shape_of = |&var: &VarId| shape_at(&self.state.heap, self.word(var));
        let (shape, other) = (shape_of(&vars[0]), vars.get(1).map(shape_of));
        for (axis, (dim, &found)) in dims.iter().zip(&shape).enumerate() {
            let Some(want) = *dim else { continue };
            let sentence = match &other {
                None if want != found as u64 => format!("`{name}` has size {want} on axis {axis}, found {found}"),
                Some(other) if other[want as usize] != found => {
                    format!("{name}: sizes {} and {found} differ", other[want as usize])
                }
                _ => continue,
            };
            return Err(Stop::Fault(RunFault::Shapes(sentence)));
        }
        Ok(())
    }

    fn end(&mut self, end: &End) -> Result<(), Stop> {
        let broken = Stop::Fault(RunFault::Broken);
        let block = match end {
            End::Return(var) => {
                let words = self.get(*var);
                let frame = self.state.frames.pop().ok_or(broken)?;
                self.state.heap.in_use -= u64::from(self.routine.bytes);
                let to = (frame.base + frame.to) as usize;
                self.state.registers[to..to + words.len()].copy_from_slice(&words);
                (self.state.pc, self.state.base) = (frame.pc, frame.base);
                return Ok(());
            }
            End::Jump(block, args) => {
                let words: Vec<Words> = args.iter().map(|&arg| self.get(arg)).list();
                for (&param, words) in self.function.blocks[*block].params.iter().zip(&words) {
                    self.set(param, words);
                }
                *block
            }
            End::TailCall(callee, args) => {
                let site = (!self.routine.is_library).then_some(self.state.pc);
                let how = How::Tail { base: self.state.base, bytes: self.routine.bytes, site };
                return self.call(*callee, args, how);
            }
            End::Switch { on, cases, default } => {
                let words = self.get(*on);
                let layout = self.layout(*on);
                let case = match self.kind(layout) {
                    Kind::Sum { .. } => {
                        let variant = variant_of(&self.code.program.layouts, layout, &words) as u32;
                        cases.iter().find(|case| case.key == CaseKey::Variant(variant))
                    }
                    Kind::Scalar(dtype) => {
                        let found = scalar_of(*dtype, read_bits(&words, 0, self.code.program.layouts[layout].bits));
                        cases.iter().find(|case| is_literal(case, found))
                    }
                    _ => return Err(broken),
                };
                case.map(|case| case.block).or(*default).ok_or(broken)?
            }
            End::Fail(fault) => {
                return Err(Stop::Fault(match fault {
                    Fault::NoArm => RunFault::NoArm,
                    Fault::FreeVariable(name) => RunFault::FreeVariable(name.clone()),
                    Fault::Broken | Fault::Unreachable => RunFault::Broken,
                }));
            }
        };
        self.state.pc = self.routine.blocks[block.index()];
        Ok(())
    }
}

/// Numbers are compared as numbers: the two zeros are one, and NaN is none.
fn is_literal(case: &Case, found: Scalar) -> bool {
    match &case.key {
        CaseKey::Literal(literal) => *literal == found,
        CaseKey::Variant(_) => false,
    }
}
