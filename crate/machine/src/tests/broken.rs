//! Programs that are none: nothing panics, and afterwards the machine is as good as new.

use super::programs::{CELLS, LISTS, TENSORS, UNIFORM, WIDE};
use super::*;
use base::Idx;
use ir::{BlockId, Callee, ConstId, End, Op, VarId};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    /// An id that may be one too large.
    fn id<I: Idx>(&mut self, len: usize) -> I {
        I::new(self.below(len + 1))
    }
}

/// Changes one thing.
fn break_one(program: &mut Program, random: &mut Random) {
    let (n_functions, n_layouts) = (program.functions.len(), program.layouts.table.len());
    let id: FuncId = FuncId::new(random.below(n_functions));
    let function = &mut program.functions[id];
    let (n_vars, n_blocks) = (function.vars.len(), function.blocks.len());
    match random.below(6) {
        0 => {
            let var: VarId = VarId::new(random.below(n_vars));
            function.vars[var].layout = random.id(n_layouts);
            return;
        }
        1 => function.n_captures = random.below(3),
        2 => function.result = random.id(n_layouts),
        _ => {}
    }
    let block = BlockId::new(random.below(n_blocks));
    let block = &mut function.blocks[block];
    let index = random.below(block.instrs.len() + 1);
    let Some(instr) = block.instrs.get_mut(index) else {
        match &mut block.end {
            End::Return(var) => *var = random.id(n_vars),
            End::Jump(to, args) => match random.below(2) {
                0 => *to = random.id(n_blocks),
                _ => {
                    args.pop();
                }
            },
            End::TailCall(callee, args) => match random.below(3) {
                0 => *callee = Callee::Function(random.id(n_functions)),
                1 => args.reverse(),
                _ => args.push(random.id(n_vars)),
            },
            End::Switch { on, cases, default } => match random.below(3) {
                0 => *on = random.id(n_vars),
                1 => *default = None,
                _ => {
                    cases.pop();
                }
            },
            End::Fail(_) => {}
        }
        return;
    };
    match random.below(5) {
        0 if !instr.args.is_empty() => {
            let arg = random.below(instr.args.len());
            instr.args[arg] = random.id(n_vars);
        }
        1 => {
            instr.args.pop();
        }
        2 => {
            instr.results.pop();
        }
        3 => {
            let instr = instr.clone();
            block.instrs.push(instr);
        }
        _ => match &mut instr.op {
            Op::Pack { variant } | Op::Open { variant } | Op::Peek { variant } => *variant = random.below(4) as u32,
            Op::Field { variant, index } => (*variant, *index) = (random.below(2) as u32, random.below(6) as u32),
            Op::Tensor(id) => *id = ConstId::numbered(random.below(2) as u32),
            Op::Closure(id) => *id = random.id(n_functions),
            Op::Call(callee) => *callee = Callee::Function(random.id(n_functions)),
            Op::Operator { op, .. } => *op = op::OpId::new(random.below(op::all().len())),
            other => *other = [Op::Drop, Op::Dup, Op::Load, Op::Unbox, Op::RefRead, Op::Free][random.below(6)].clone(),
        },
    }
}

#[test]
fn nothing_panics() {
    let mut random = Random(1);
    let (mut n_refused, mut n_done) = (0, 0);
    for (strategy, text, function, args) in [
        (Strategy::Aligned, LISTS, "@main", vec![int(9)]),
        (Strategy::Packed, LISTS, "@keep", vec![int(9)]),
        (Strategy::Uniform, UNIFORM, "@main", vec![int(9), list(0..2)]),
        (Strategy::Packed, WIDE, "@main", vec![list(0..2), int(1)]),
        (Strategy::Aligned, CELLS, "@knot", vec![int(9)]),
        (Strategy::Aligned, CELLS, "@main", vec![int(9)]),
        (Strategy::Aligned, TENSORS, "@main", vec![int(9)]),
    ] {
        let good = Table::new(strategy).program(text);
        let id = good.functions.iter_enumerated().find(|(_, f)| f.name == function).unwrap().0;
        for _ in 0..400 {
            let mut program = good.clone();
            for _ in 0..1 + random.below(2) {
                break_one(&mut program, &mut random);
            }
            n_refused += usize::from(!ir::verify(&program, ir::Stage::Counted).is_empty());
            let mut machine = Machine::new(Arc::new(program), Limits { fuel: 1000, memory: 1 << 16 });
            for _ in 0..2 {
                if machine.start(id, &args, Span::default()).is_err() {
                    continue;
                }
                match machine.run(20_000) {
                    Status::Running => {}
                    Status::Done => {
                        n_done += 1;
                        let _ = machine.result(&mut 1000);
                    }
                    Status::Failed(_) => assert_eq!(machine.live_bytes(), 0),
                }
            }
            machine.finish();
            assert_eq!(machine.live_bytes(), 0);
        }
    }
    assert!(n_refused > 500 && n_done > 500, "{n_refused} {n_done}");
}
