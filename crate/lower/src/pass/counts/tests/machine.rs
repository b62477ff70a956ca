//! An interpreter with a heap of counted cells, as small as it can be.

use base::IndexVec;
use ir::{BlockId, Callee, CaseKey, End, FuncId, Function, Instr, Op, Program, VarId};
use layout::Kind;
use ty::Scalar;

#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    Int(i64),
    Sum(u32, Vec<Val>),
    /// A variant that takes no block.
    Immediate(u32),
    Cell(usize),
    /// Whether there is a block.
    Token(bool),
}

enum Cell {
    Tensor(i64),
    Holds(Vec<Val>),
    Closure(FuncId, Vec<Val>),
}

pub struct Machine<'a> {
    program: &'a Program,
    /// Whether counts are kept; else everything is copied and nothing freed.
    is_counted: bool,
    cells: Vec<Option<(usize, Cell)>>,
    free: Vec<usize>,
    n_tokens: usize,
    pub n_reused: usize,
    fuel: usize,
}

/// A value without addresses, as far as it is read: depth first, functions by their number.
pub type Plain = Vec<i64>;

/// What a function without parameters comes to, if it does so soon, and how many blocks were used again.
pub fn run(program: &Program, is_counted: bool) -> (Option<Plain>, usize) {
    let (cells, free) = (Vec::new(), Vec::new());
    let mut machine = Machine { program, is_counted, cells, free, n_tokens: 0, n_reused: 0, fuel: 3_000 };
    let Some(val) = machine.call(FuncId::numbered(0), Vec::new()) else { return (None, machine.n_reused) };
    let (mut plain, mut stack) = (Vec::new(), vec![val.clone()]);
    while let Some(val) = stack.pop() {
        match val {
            Val::Int(value) => plain.push(value),
            Val::Sum(variant, fields) => {
                plain.push(i64::from(variant));
                stack.extend(fields);
            }
            Val::Immediate(variant) => plain.push(i64::from(variant)),
            Val::Cell(at) => match &machine.cells[at].as_ref().expect("is live").1 {
                Cell::Tensor(value) => plain.push(*value),
                Cell::Holds(vals) => stack.extend(vals.clone()),
                Cell::Closure(code, vals) => {
                    plain.push(i64::from(code.number()));
                    stack.extend(vals.clone());
                }
            },
            Val::Token(_) => panic!("a token in a value"),
        }
        plain.truncate(1_000);
        if plain.len() == 1_000 {
            break;
        }
    }
    if is_counted {
        machine.drop(val);
        let n_live = machine.cells.iter().flatten().count();
        assert_eq!((n_live, machine.n_tokens), (0, 0), "cells and tokens live on");
    }
    (Some(plain), machine.n_reused)
}

impl Machine<'_> {
    fn make(&mut self, cell: Cell) -> Val {
        match self.free.pop() {
            Some(at) => {
                self.cells[at] = Some((1, cell));
                Val::Cell(at)
            }
            None => {
                self.cells.push(Some((1, cell)));
                Val::Cell(self.cells.len() - 1)
            }
        }
    }

    fn dup(&mut self, val: &Val) {
        match val {
            Val::Sum(_, fields) => fields.iter().for_each(|field| self.dup(field)),
            Val::Cell(at) if self.is_counted => self.cells[*at].as_mut().expect("is live").0 += 1,
            Val::Cell(_) | Val::Int(_) | Val::Immediate(_) => {}
            Val::Token(_) => panic!("copies a token"),
        }
    }

    fn drop(&mut self, val: Val) {
        let mut stack = vec![val];
        while let Some(val) = stack.pop() {
            match val {
                Val::Sum(_, fields) => stack.extend(fields),
                Val::Cell(at) if self.is_counted => stack.extend(self.lose(at).unwrap_or_default()),
                Val::Cell(_) | Val::Int(_) | Val::Immediate(_) => {}
                Val::Token(_) => panic!("drops a token"),
            }
        }
    }

    /// One owner less; what the cell held if it was the last.
    fn lose(&mut self, at: usize) -> Option<Vec<Val>> {
        let (n, _) = self.cells[at].as_mut().expect("is live");
        *n -= 1;
        if *n > 0 {
            return None;
        }
        self.free.push(at);
        match self.cells[at].take().expect("is live").1 {
            Cell::Tensor(_) => Some(Vec::new()),
            Cell::Holds(vals) | Cell::Closure(_, vals) => Some(vals),
        }
    }

    fn held(&self, val: &Val) -> Vec<Val> {
        let Val::Cell(at) = val else { panic!("{val:?} is no cell") };
        match &self.cells[*at].as_ref().expect("is live").1 {
            Cell::Tensor(_) => panic!("a tensor holds nothing"),
            Cell::Holds(vals) | Cell::Closure(_, vals) => vals.clone(),
        }
    }

    fn call(&mut self, mut code: FuncId, mut args: Vec<Val>) -> Option<Val> {
        'call: loop {
            let program = self.program;
            let function = &program.functions[code];
            let mut vals: IndexVec<VarId, Option<Val>> = IndexVec::filled(None, function.vars.len());
            assert_eq!(function.params.len(), args.len());
            function.params.iter().zip(args.drain(..)).for_each(|(&param, arg)| vals[param] = Some(arg));
            let mut at = BlockId::numbered(0);
            loop {
                self.fuel = self.fuel.checked_sub(1)?;
                let block = &function.blocks[at];
                for instr in &block.instrs {
                    let args = instr.args.iter().map(|&arg| vals[arg].clone().expect("is given")).collect();
                    let results = self.instr(function, instr, args)?;
                    assert_eq!(results.len(), instr.results.len());
                    instr.results.iter().zip(results).for_each(|(&result, val)| vals[result] = Some(val));
                }
                let get = |var: &VarId| vals[*var].clone().expect("is given");
                match &block.end {
                    End::Return(var) => return Some(get(var)),
                    End::Jump(to, passed) => {
                        let passed: Vec<Val> = passed.iter().map(get).collect();
                        let params = &function.blocks[*to].params;
                        params.iter().zip(passed).for_each(|(&param, val)| vals[param] = Some(val));
                        at = *to;
                    }
                    End::TailCall(callee, passed) => {
                        (code, args) = self.target(*callee, passed.iter().map(get).collect());
                        continue 'call;
                    }
                    End::Switch { on, cases, default } => {
                        let key = match get(on) {
                            Val::Int(value) => CaseKey::Literal(Scalar::Int(value)),
                            Val::Sum(variant, _) => CaseKey::Variant(variant),
                            other => panic!("switches on {other:?}"),
                        };
                        let case = cases.iter().find(|case| case.key == key).map(|case| case.block);
                        at = case.or(*default).expect("a case");
                    }
                    End::Fail(_) => return None,
                }
            }
        }
    }

    fn target(&mut self, callee: Callee, mut args: Vec<Val>) -> (FuncId, Vec<Val>) {
        let Callee::Value = callee else {
            let Callee::Function(code) = callee else { unreachable!() };
            return (code, args);
        };
        let Val::Cell(at) = args.remove(0) else { panic!("calls no closure") };
        let Some((_, Cell::Closure(code, captured))) = &self.cells[at] else { panic!("calls no closure") };
        let (code, captured) = (*code, captured.clone());
        captured.iter().for_each(|val| self.dup(val));
        self.drop(Val::Cell(at));
        (code, captured.into_iter().chain(args).collect())
    }

    fn instr(&mut self, function: &Function, instr: &Instr, mut args: Vec<Val>) -> Option<Vec<Val>> {
        let one = |val: Val| Some(vec![val]);
        match (&instr.op, &mut args[..]) {
            (Op::Scalar(Scalar::Int(value)), _) => one(Val::Int(*value)),
            (Op::Tensor(_), _) => one(self.make(Cell::Tensor(1))),
            (Op::Pack { variant }, _) => one(Val::Sum(*variant, args)),
            (Op::Open { variant } | Op::Peek { variant }, [Val::Sum(found, fields)]) => {
                assert_eq!(variant, found);
                Some(std::mem::take(fields))
            }
            (Op::Field { variant, index }, [Val::Sum(found, fields)]) => {
                assert_eq!(variant, found);
                self.dup(&fields[*index as usize]);
                one(fields[*index as usize].clone())
            }
            (Op::Box, [content, token @ ..]) => {
                let has_block = match token {
                    [Val::Token(has_block)] => Some(*has_block),
                    _ => None,
                };
                self.n_tokens -= usize::from(has_block == Some(true));
                let kind = &self.program.layouts[function.vars[instr.results[0]].layout].kind;
                match (kind, &*content) {
                    (Kind::Immediate(_), _) => one(content.clone()),
                    (Kind::Box { immediates, .. }, Val::Sum(variant, _))
                        if immediates.get(*variant as usize).is_some_and(Option::is_some) =>
                    {
                        one(Val::Immediate(*variant))
                    }
                    _ => {
                        self.n_reused += usize::from(has_block == Some(true));
                        one(self.make(Cell::Holds(vec![content.clone()])))
                    }
                }
            }
            (Op::Unbox | Op::Load, [boxed]) => {
                let mut is_freed = false;
                let content = match boxed {
                    Val::Int(_) => boxed.clone(),
                    Val::Immediate(variant) => Val::Sum(*variant, Vec::new()),
                    _ => {
                        let content = self.held(boxed).remove(0);
                        if let (Op::Unbox, Val::Cell(at), true) = (&instr.op, &*boxed, self.is_counted) {
                            is_freed = self.lose(*at).is_some();
                            if !is_freed {
                                self.dup(&content);
                            }
                        }
                        content
                    }
                };
                match instr.results.len() {
                    1 => one(content),
                    _ => {
                        self.n_tokens += usize::from(is_freed);
                        Some(vec![content, Val::Token(is_freed)])
                    }
                }
            }
            (Op::Free, [Val::Token(has_block)]) => {
                self.n_tokens -= usize::from(*has_block);
                Some(Vec::new())
            }
            (Op::Closure(code), _) => one(self.make(Cell::Closure(*code, args))),
            (Op::Call(callee), _) => {
                let (code, args) = self.target(*callee, args);
                self.call(code, args).map(|val| vec![val])
            }
            (Op::Operator { .. }, _) => {
                let mut sum = 3;
                for arg in args {
                    sum = match &arg {
                        Val::Cell(at) => match &self.cells[*at].as_ref().expect("is live").1 {
                            Cell::Tensor(value) => *value + 7 * sum,
                            Cell::Holds(_) | Cell::Closure(..) => panic!("computes with no tensor"),
                        },
                        _ => panic!("computes with no tensor"),
                    } % 1_000;
                    self.drop(arg);
                }
                one(self.make(Cell::Tensor(sum)))
            }
            (Op::RefNew, _) => one(self.make(Cell::Holds(args))),
            (Op::RefRead, [cell]) => {
                let val = self.held(cell).remove(0);
                self.dup(&val);
                self.drop(cell.clone());
                one(val)
            }
            (Op::RefWrite, [cell, val]) => {
                let old = self.held(cell).remove(0);
                let Val::Cell(at) = *cell else { panic!("writes to no cell") };
                self.cells[at].as_mut().expect("is live").1 = Cell::Holds(vec![val.clone()]);
                self.drop(old);
                self.drop(cell.clone());
                let kind = &self.program.layouts[function.vars[instr.results[0]].layout].kind;
                one(if let Kind::Box { .. } = kind { Val::Immediate(0) } else { Val::Sum(0, Vec::new()) })
            }
            (Op::Check { .. } | Op::Fuel(_), _) => Some(Vec::new()),
            (Op::Dup, [val]) => {
                self.dup(val);
                Some(Vec::new())
            }
            (Op::Drop, [val]) => {
                self.drop(val.clone());
                Some(Vec::new())
            }
            (op, args) => panic!("{op:?} of {args:?}"),
        }
    }
}
