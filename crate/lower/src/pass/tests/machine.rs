//! An interpreter as small as it can be, of scalars, sums, boxes, closures and cells.

use base::IndexVec;
use ir::{Callee, CaseKey, End, FuncId, Op, Program, VarId};
use op::ResultType;
use std::cell::RefCell;
use std::rc::Rc;
use ty::{Scalar, Value};

#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    Scalar(Scalar),
    Sum(u32, Vec<Val>),
    Box(Rc<Val>),
    Closure(FuncId, Vec<Val>),
    Cell(Rc<RefCell<Val>>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    Operator,
    NoArm,
    OutOfFuel,
}

pub struct Machine<'a> {
    pub program: &'a Program,
    globals: Vec<Option<Val>>,
    pub fuel: u32,
    pub limit: u32,
}

/// What a function without parameters comes to, and the fuel that it took.
pub fn run(program: &Program, entry: FuncId, limit: u32) -> (Result<Val, Stop>, u32) {
    let globals = vec![None; program.globals.len()];
    let mut machine = Machine { program, globals, fuel: 0, limit };
    let value = machine.call(entry, Vec::new());
    (value, machine.fuel)
}

impl Machine<'_> {
    fn call(&mut self, mut code: FuncId, mut args: Vec<Val>) -> Result<Val, Stop> {
        'call: loop {
            let program = self.program;
            let function = &program.functions[code];
            let mut vals: IndexVec<VarId, Option<Val>> = IndexVec::filled(None, function.vars.len());
            assert_eq!(function.params.len(), args.len());
            function.params.iter().zip(args.drain(..)).for_each(|(&param, arg)| vals[param] = Some(arg));
            let mut at = ir::BlockId::numbered(0);
            loop {
                let block = &function.blocks[at];
                for instr in &block.instrs {
                    let args = instr.args.iter().map(|&arg| vals[arg].clone().expect("is given")).collect();
                    let results = self.instr(function, instr, args)?;
                    assert_eq!(results.len(), instr.results.len());
                    instr.results.iter().zip(results).for_each(|(&result, val)| vals[result] = Some(val));
                }
                let get = |var: &VarId| vals[*var].clone().expect("is given");
                match &block.end {
                    End::Return(var) => return Ok(get(var)),
                    End::Jump(to, passed) => {
                        let passed: Vec<Val> = passed.iter().map(get).collect();
                        let params = &function.blocks[*to].params;
                        assert_eq!(params.len(), passed.len());
                        params.iter().zip(passed).for_each(|(&param, val)| vals[param] = Some(val));
                        at = *to;
                    }
                    End::TailCall(callee, passed) => {
                        (code, args) = target(*callee, passed.iter().map(get).collect());
                        continue 'call;
                    }
                    End::Switch { on, cases, default } => {
                        let key = match get(on) {
                            Val::Scalar(value) => CaseKey::Literal(value),
                            Val::Sum(variant, _) => CaseKey::Variant(variant),
                            other => panic!("switches on {other:?}"),
                        };
                        let case = cases.iter().find(|case| case.key == key).map(|case| case.block);
                        at = case.or(*default).expect("a case");
                    }
                    End::Fail(_) => return Err(Stop::NoArm),
                }
            }
        }
    }

    fn instr(&mut self, function: &ir::Function, instr: &ir::Instr, mut args: Vec<Val>) -> Result<Vec<Val>, Stop> {
        let one = |val: Val| Ok(vec![val]);
        match (&instr.op, &mut args[..]) {
            (Op::Scalar(value), _) => one(Val::Scalar(*value)),
            (Op::Pack { variant }, _) => one(Val::Sum(*variant, args)),
            (Op::Open { variant }, [Val::Sum(found, fields)]) => {
                assert_eq!(variant, found);
                Ok(std::mem::take(fields))
            }
            (Op::Field { variant, index }, [Val::Sum(found, fields)]) => {
                assert_eq!(variant, found);
                one(fields[*index as usize].clone())
            }
            (Op::Box, [val]) => one(Val::Box(Rc::new(val.clone()))),
            (Op::Unbox, [Val::Box(val)]) => one(Val::clone(val)),
            (Op::Closure(code), _) => one(Val::Closure(*code, args)),
            (Op::Call(callee), _) => {
                let (code, args) = target(*callee, args);
                one(self.call(code, args)?)
            }
            (Op::Operator { op, attrs }, _) => {
                let dtype = |var: VarId| {
                    self.program.types.as_scalar(self.program.layouts[function.vars[var].layout].ty).expect("a scalar")
                };
                let values: Vec<Value> = instr
                    .args
                    .iter()
                    .zip(&args)
                    .map(|(&var, val)| match val {
                        Val::Scalar(value) => Value::Scalar(dtype(var), *value),
                        other => panic!("computes with {other:?}"),
                    })
                    .collect();
                let results = [ResultType { shape: Vec::new(), dtype: dtype(instr.results[0]) }];
                let call = op::Call { args: &values, attrs, results: &results, memory: u64::MAX };
                match op::run(op.row(), &call) {
                    Ok(Value::Scalar(_, value)) => one(Val::Scalar(value)),
                    Ok(other) => panic!("computes {other:?}"),
                    Err(_) => Err(Stop::Operator),
                }
            }
            (Op::RefNew, [val]) => one(Val::Cell(Rc::new(RefCell::new(val.clone())))),
            (Op::RefRead, [Val::Cell(cell)]) => one(cell.borrow().clone()),
            (Op::RefWrite, [Val::Cell(cell), val]) => {
                *cell.borrow_mut() = val.clone();
                one(Val::Sum(0, Vec::new()))
            }
            (Op::Global(global), _) => {
                if self.globals[global.number() as usize].is_none() {
                    let val = self.call(self.program.globals[*global].init, Vec::new())?;
                    self.globals[global.number() as usize] = Some(val);
                }
                one(self.globals[global.number() as usize].clone().expect("just found"))
            }
            (Op::Fuel(n), _) => {
                self.fuel += n;
                if self.fuel > self.limit { Err(Stop::OutOfFuel) } else { Ok(Vec::new()) }
            }
            (op, args) => panic!("{op:?} of {args:?}"),
        }
    }
}

fn target(callee: Callee, args: Vec<Val>) -> (FuncId, Vec<Val>) {
    match (callee, args.split_first()) {
        (Callee::Function(code), _) => (code, args),
        (Callee::Value, Some((Val::Closure(code, captures), rest))) => (*code, [captures, rest].concat()),
        (Callee::Value, other) => panic!("calls {other:?}"),
    }
}
