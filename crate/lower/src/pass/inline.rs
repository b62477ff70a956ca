//! Inlining: calls of small functions become their code.
//!
//! Functions are visited before those that mention them (by strong components of calls and closures), so what is copied
//! has been through the pass itself, and a function of a cycle is never copied. A call of a closure that the same
//! function makes becomes a direct call, with the captured values in front; that may turn up in copied code, so a
//! function is visited again while it does. Instructions keep the spans of the callee's text, but those of a library in
//! a function of the file have the call's.
//!
//! A callee of several blocks leaves by jumps to the rest of the block of the call, which takes the result as its
//! parameter:
//!
//! ```text
//! b0: v1 = call @f(v0)          b0: switch v0 { 0 -> b1, _ -> b2 }
//!     v2 = add(v1, v1)     =>   b1: v3 = 7; jump b3(v3)
//!     return v2                 b2: v4 = 8; jump b3(v4)
//!                               b3(v1): v2 = add(v1, v1); return v2
//! ```

use super::graph::targets_mut;
use super::simplify::{Renaming, taken};
use base::{Append, Idx, IndexVec, Span, ToList, components};
use ir::{Block, BlockId, Callee, End, Fault, FuncId, Function, Instr, Op, Program, VarData, VarId};

/// A callee may have so many instructions and further blocks, or twice as many if it calls nothing, as conversions do.
const SMALL: usize = 12;
/// A function that is smaller may grow as if it had this size.
const LEAST: usize = 16;
/// How often a function is visited while closures become known.
const N_ROUNDS: usize = 4;

/// Replaces calls of small functions by their code. A function grows to at most four times its size, the program to
/// twice its size and 1,000 instructions.
pub fn inline(program: &mut Program, _: &mut [FuncId]) {
    let mut functions = std::mem::take(&mut program.functions);
    let total: usize = functions.iter().map(weight).total();
    let mut budget = total + 1_000;
    let mut is_small = IndexVec::filled(false, functions.len());
    let mentioned: Vec<Vec<usize>> = functions.iter().map(mentions).list();
    for component in components(&mentioned) {
        for &at in &component {
            let id = FuncId::new(at);
            let room = (3 * weight(&functions[id]).max(LEAST)).min(budget);
            let mut room_left = room;
            for _ in 0..N_ROUNDS {
                let (blocks, vars) = {
                    let function = &mut functions[id];
                    (std::mem::take(&mut function.blocks), std::mem::take(&mut function.vars))
                };
                let mut inliner = Inliner {
                    functions: &functions,
                    is_library: functions[id].is_library,
                    is_small: &is_small,
                    renaming: Renaming::new(vars.len()),
                    closures: base::filled(None, vars.len()),
                    vars,
                    done: IndexVec::new(),
                    room: room_left,
                    is_more: false,
                };
                inliner.visit(blocks);
                let Inliner { vars, done, room, is_more, .. } = inliner;
                room_left = room;
                (functions[id].blocks, functions[id].vars) = (done, vars);
                if !is_more {
                    break;
                }
            }
            budget -= room - room_left;
        }
        if let [at] = component[..]
            && !mentioned[at].contains(&at)
        {
            let id = FuncId::new(at);
            is_small[id] = is_worth_copying(&functions[id]);
        }
    }
    program.functions = functions;
}

fn weight(function: &Function) -> usize {
    function.blocks.iter().map(|block| block.instrs.len() + 1).total::<usize>().saturating_sub(1)
}

/// The functions whose code a function calls or makes closures of.
fn mentions(function: &Function) -> Vec<usize> {
    let mut found = Vec::new();
    for block in function.blocks.iter() {
        for instr in &block.instrs {
            if let Op::Closure(id) | Op::Call(Callee::Function(id)) = &instr.op {
                found.push(id.index());
            }
        }
        if let End::TailCall(Callee::Function(id), _) = &block.end {
            found.push(id.index());
        }
    }
    found
}

/// A function that never returns is not.
fn is_worth_copying(function: &Function) -> bool {
    let calls = |block: &Block| {
        matches!(block.end, End::TailCall(..)) || block.instrs.iter().any(|instr| matches!(instr.op, Op::Call(_)))
    };
    let returns = |block: &Block| matches!(block.end, End::Return(_) | End::TailCall(..));
    let limit = if function.blocks.iter().any(calls) { SMALL } else { 2 * SMALL };
    weight(function) <= limit && function.blocks.iter().any(returns)
}

struct Inliner<'a> {
    functions: &'a IndexVec<FuncId, Function>,
    is_library: bool,
    is_small: &'a IndexVec<FuncId, bool>,
    vars: IndexVec<VarId, VarData>,
    /// By variable that a `closure` gives.
    closures: Vec<Option<(FuncId, Vec<VarId>)>>,
    /// The results of calls that have become their code.
    renaming: Renaming,
    done: IndexVec<BlockId, Block>,
    room: usize,
    /// A closure has become known in copied code.
    is_more: bool,
}

impl Inliner<'_> {
    fn visit(&mut self, mut blocks: IndexVec<BlockId, Block>) {
        let mut start = base::filled(BlockId::numbered(0), blocks.len());
        // The blocks whose ends still lead to the old numbers.
        let mut old_ends = Vec::new();
        for id in blocks.ids() {
            start[id.index()] = BlockId::new(self.done.len());
            let Block { params, instrs, mut end, span } = taken(&mut blocks[id]);
            let mut here = empty(params, span);
            here.instrs.reserve(instrs.len());
            for mut instr in instrs {
                self.renaming.apply(&mut instr.args);
                if let (Op::Call(callee), &[result]) = (&mut instr.op, &instr.results[..]) {
                    self.resolve(callee, &mut instr.args);
                    if let Some(callee) = self.callee(*callee, &instr.args, Some(result)) {
                        self.splice(callee, &instr.args, Some(result), instr.span, &mut here);
                        continue;
                    }
                }
                self.push(instr, &mut here);
            }
            self.renaming.apply(end.args_mut());
            self.resolve_end(&mut end);
            if let End::TailCall(callee, args) = &end
                && let Some(callee) = self.callee(*callee, args, None)
            {
                self.splice(callee, args, None, span, &mut here);
                self.done.push(here);
            } else {
                (here.end, here.span) = (end, span);
                old_ends.push(self.done.push(here));
            }
        }
        for id in old_ends {
            targets_mut(&mut self.done[id].end).for_each(|target| *target = start[target.index()]);
        }
    }

    fn push(&mut self, instr: Instr, here: &mut Block) {
        if let (&Op::Closure(code), &[result]) = (&instr.op, &instr.results[..]) {
            self.closures[result.index()] = Some((code, instr.args.clone()));
        }
        here.instrs.push(instr);
    }

    /// Makes a call of a known closure a direct one; whether it was.
    fn resolve(&self, callee: &mut Callee, args: &mut Vec<VarId>) -> bool {
        if *callee == Callee::Value
            && let Some(first) = args.first()
            && let Some((code, captures)) = &self.closures[first.index()]
        {
            *callee = Callee::Function(*code);
            let rest = std::mem::replace(args, captures.clone());
            args.append_all(rest.into_iter().skip(1));
            return true;
        }
        false
    }

    /// As [`resolve`](Inliner::resolve), for a tail call.
    fn resolve_end(&self, end: &mut End) -> bool {
        let End::TailCall(callee, args) = end else { return false };
        self.resolve(callee, args)
    }

    /// The function to copy, if this call is of one and there is room.
    fn callee(&self, callee: Callee, args: &[VarId], result: Option<VarId>) -> Option<FuncId> {
        let Callee::Function(id) = callee else { return None };
        let function = &self.functions[id];
        // What the file does is not told as the library's.
        if self.is_library && !function.is_library {
            return None;
        }
        if !self.is_small[id] || weight(function) > self.room || args.len() != function.params.len() {
            return None;
        }
        let mut pairs = args.iter().zip(&function.params);
        let fits = pairs.all(|(&arg, &param)| self.vars[arg].layout == function.vars[param].layout)
            && result.is_none_or(|result| self.vars[result].layout == function.result);
        fits.then_some(id)
    }

    /// Copies a function to the end of the present block, which is afterwards the one where the instructions behind
    /// the call go on, or without a `result` to go on with one that is finished.
    fn splice(&mut self, id: FuncId, args: &[VarId], result: Option<VarId>, site: Span, here: &mut Block) {
        let callee = &self.functions[id];
        // In a function of the file, what a library does is told where it was called.
        let is_told_here = callee.is_library && !self.is_library;
        let place = |span: Span| if is_told_here { site } else { span };
        self.room -= weight(callee).min(self.room);
        let mut names = Renaming::new(callee.vars.len());
        let mut is_param = base::filled(false, callee.vars.len());
        for (&param, &arg) in callee.params.iter().zip(args) {
            names.put(param, arg);
            is_param[param.index()] = true;
        }
        for (var, data) in callee.vars.iter_enumerated() {
            if !is_param[var.index()] {
                names.put(var, self.fresh(data.clone()));
            }
        }
        let n_blocks = callee.blocks.len();
        let first = self.done.len();
        let next = BlockId::new(first + n_blocks);
        for (at, block) in callee.blocks.iter_enumerated() {
            if at.index() > 0 {
                let params = block.params.iter().map(|&param| names.get(param)).list();
                self.done.push(std::mem::replace(here, empty(params, place(block.span))));
            }
            for instr in &block.instrs {
                let mut instr = instr.clone();
                instr.span = place(instr.span);
                names.apply(&mut instr.args);
                names.apply(&mut instr.results);
                if let Op::Call(callee) = &mut instr.op {
                    self.is_more |= self.resolve(callee, &mut instr.args);
                }
                self.push(instr, here);
            }
            let mut end = block.end.clone();
            names.apply(end.args_mut());
            targets_mut(&mut end).for_each(|target| *target = BlockId::new(first + target.index()));
            self.is_more |= self.resolve_end(&mut end);
            (here.end, here.span) = match (end, result) {
                (End::Return(value), Some(result)) if n_blocks == 1 => {
                    self.renaming.set(result, value);
                    return;
                }
                (End::TailCall(callee, args), Some(result)) if n_blocks == 1 => {
                    here.instrs.push(call(callee, args, result, place(block.span)));
                    return;
                }
                (End::Return(value), Some(_)) => (End::Jump(next, vec![value]), place(block.span)),
                (End::TailCall(callee, args), Some(result)) => {
                    let value = self.fresh(VarData { name: None, ..self.vars[result].clone() });
                    here.instrs.push(call(callee, args, value, place(block.span)));
                    (End::Jump(next, vec![value]), place(block.span))
                }
                (end, _) => (end, place(block.span)),
            };
        }
        if let Some(result) = result {
            let rest = empty(vec![result], here.span);
            self.done.push(std::mem::replace(here, rest));
        }
    }

    fn fresh(&mut self, data: VarData) -> VarId {
        self.closures.push(None);
        self.renaming.grow(self.vars.len() + 1);
        self.vars.push(data)
    }
}

fn call(callee: Callee, args: Vec<VarId>, result: VarId, span: Span) -> Instr {
    Instr { results: vec![result], op: Op::Call(callee), args, span }
}

/// A block to be filled.
fn empty(params: Vec<VarId>, span: Span) -> Block {
    Block { params, instrs: Vec::new(), end: End::Fail(Fault::Broken), span }
}
