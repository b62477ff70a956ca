//! What nothing uses: instructions without effect, blocks, their parameters, variables, functions, globals, constants.

use super::effect::{Facts, literals};
use super::simplify::{Renaming, simplify};
use base::{Edited, Idx, IndexVec, ToList};
use ir::{Callee, ConstId, End, FuncId, Function, GlobalId, Op, Program, VarId};

/// Leaves out what no entry needs. Functions, globals, constants and variables are numbered anew, in their order.
pub fn dead(program: &mut Program, entries: &mut [FuncId]) {
    let mut functions = std::mem::take(&mut program.functions);
    for id in functions.ids() {
        let function = &mut functions[id];
        simplify(function);
        sweep(Facts::of(program), function);
        number_vars(function);
    }
    program.functions = functions;
    sweep_program(program, entries);
}

/// Instructions and parameters of blocks. One walk against the order of the blocks sees every use before what it uses:
/// whether a parameter is used is known before the jumps that fill it are met.
fn sweep(facts: Facts, function: &mut Function) {
    let literals = literals(function);
    let mut is_used = base::filled(false, function.vars.len());
    let mut blocks = std::mem::replace(&mut function.blocks, IndexVec::new());
    for id in blocks.ids().rev() {
        if let End::Jump(to, _) = blocks[id].end {
            let params = blocks[to].params.clone();
            let End::Jump(_, args) = &mut blocks[id].end else { continue };
            let mut params = params.iter();
            args.keep(|_| params.next().is_some_and(|param| is_used[param.index()]));
        }
        blocks[id].end.args().iter().for_each(|var| is_used[var.index()] = true);
        let instrs = &mut blocks[id].instrs;
        let mut is_kept: Vec<bool> = instrs
            .iter()
            .rev()
            .map(|instr| {
                let is_needed = instr.results.iter().any(|result| is_used[result.index()])
                    || !facts.is_pure(function, instr, &|var| literals[var.index()]);
                if is_needed {
                    instr.args.iter().for_each(|arg| is_used[arg.index()] = true);
                }
                is_needed
            })
            .list();
        instrs.keep(|_| is_kept.pop().unwrap_or(true));
    }
    for id in blocks.ids() {
        blocks[id].params.keep(|param| is_used[param.index()]);
    }
    function.blocks = blocks;
}

/// Leaves out variables that nothing gives, and numbers the others in the order of the text.
fn number_vars(function: &mut Function) {
    let mut renaming = Renaming::new(function.vars.len());
    let mut old = std::mem::take(&mut function.vars);
    let mut give = |vars: &mut [VarId]| {
        for var in vars {
            let name = old[*var].name.take();
            let new = function.vars.push(ir::VarData { layout: old[*var].layout, name });
            renaming.put(*var, new);
            *var = new;
        }
    };
    give(&mut function.params);
    for id in function.blocks.ids() {
        let block = &mut function.blocks[id];
        give(&mut block.params);
        block.instrs.iter_mut().for_each(|instr| give(&mut instr.results));
    }
    renaming.apply_to_all(function);
}

/// Which things of one kind are reached, then what becomes of their numbers.
struct Reached<I> {
    is_reached: IndexVec<I, bool>,
    number: IndexVec<I, I>,
}

impl<I: Idx> Reached<I> {
    fn none(len: usize) -> Reached<I> {
        Reached { is_reached: IndexVec::filled(false, len), number: IndexVec::new() }
    }

    /// Whether it was not reached before.
    fn reach(&mut self, id: I) -> bool {
        !std::mem::replace(&mut self.is_reached[id], true)
    }

    /// Keeps those that are reached.
    fn keep<T>(&mut self, items: &mut IndexVec<I, T>) {
        let mut old = std::mem::take(items);
        let mut behind = Vec::with_capacity(old.len());
        while let Some(item) = old.pop() {
            behind.push(item);
        }
        for id in self.is_reached.ids() {
            self.number.push(I::new(items.len()));
            match behind.pop() {
                Some(item) if self.is_reached[id] => {
                    items.push(item);
                }
                Some(_) | None => {}
            }
        }
    }
}

fn sweep_program(program: &mut Program, entries: &mut [FuncId]) {
    let mut functions = Reached::<FuncId>::none(program.functions.len());
    let mut globals = Reached::<GlobalId>::none(program.globals.len());
    let mut constants = Reached::<ConstId>::none(program.constants.len());
    let mut waiting: Vec<FuncId> = entries.iter().copied().filter(|&entry| functions.reach(entry)).list();
    while let Some(id) = waiting.pop() {
        for block in program.functions[id].blocks.iter() {
            let mut reach = |function: FuncId| {
                if functions.reach(function) {
                    waiting.push(function);
                }
            };
            for instr in &block.instrs {
                match &instr.op {
                    Op::Closure(function) | Op::Call(Callee::Function(function)) => reach(*function),
                    Op::Global(global) => {
                        globals.reach(*global);
                        reach(program.globals[*global].init);
                    }
                    Op::Tensor(constant) => {
                        constants.reach(*constant);
                    }
                    Op::Scalar(_)
                    | Op::Pack { .. }
                    | Op::Open { .. }
                    | Op::Peek { .. }
                    | Op::Field { .. }
                    | Op::Box
                    | Op::Unbox
                    | Op::Load
                    | Op::Free
                    | Op::Retype
                    | Op::Call(Callee::Value)
                    | Op::Operator { .. }
                    | Op::Fused(_)
                    | Op::RefNew
                    | Op::RefRead
                    | Op::RefWrite
                    | Op::Check { .. }
                    | Op::Fuel(_)
                    | Op::Dup
                    | Op::Drop => {}
                }
            }
            if let End::TailCall(Callee::Function(function), _) = &block.end {
                reach(*function);
            }
        }
    }
    functions.keep(&mut program.functions);
    globals.keep(&mut program.globals);
    constants.keep(&mut program.constants);
    for entry in entries {
        *entry = functions.number[*entry];
    }
    for id in program.globals.ids() {
        let global = &mut program.globals[id];
        global.init = functions.number[global.init];
    }
    for id in program.functions.ids() {
        let function = &mut program.functions[id];
        for at in function.blocks.ids() {
            let block = &mut function.blocks[at];
            for instr in &mut block.instrs {
                if let Op::Closure(code) | Op::Call(Callee::Function(code)) = &mut instr.op {
                    *code = functions.number[*code];
                } else if let Op::Global(global) = &mut instr.op {
                    *global = globals.number[*global];
                } else if let Op::Tensor(constant) = &mut instr.op {
                    *constant = constants.number[*constant];
                }
            }
            if let End::TailCall(Callee::Function(code), _) = &mut block.end {
                *code = functions.number[*code];
            }
        }
    }
}
