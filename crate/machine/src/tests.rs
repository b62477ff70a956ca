//! Programs by hand.

mod broken;
mod programs;
mod scalars;
mod steps;
mod weights;

use crate::{Machine, Status};
use base::{IndexVec, Span};
use ir::{FuncId, Names, Program};
use layout::{Constructor, LayoutId, Layouts, Strategy, Types};
use std::sync::Arc;
use ty::{AdtId, Dtype, Elements, Fields, FixedNames, Limits, RunError, RunFault, Tensor, Term, Value, VariantId};

const FIXED: FixedNames = FixedNames { adt: "List", param: "A", variants: &["A", "B"], constructors: &["Nil", "Cons"] };
const NAMES: Names = Names { types: &FIXED, values: &FIXED };

/// By name in the texts, without the brackets: the types that they are about.
struct Table {
    base: Program,
    names: Vec<(&'static str, LayoutId)>,
}

impl Table {
    fn new(strategy: Strategy) -> Table {
        let mut types = Types::default();
        let mut layouts = Layouts::new(strategy);
        let mut names = Vec::new();
        for (name, dtype) in
            [("int", Dtype::Int32), ("long", Dtype::Int64), ("bool", Dtype::Bool), ("f32", Dtype::Float32)]
        {
            let ty = types.scalar(dtype);
            names.push((name, layouts.of(&types, ty)));
        }
        let int = types.scalar(Dtype::Int32);
        let bool = types.scalar(Dtype::Bool);
        let args = types.list(&[int]);
        let list = types.intern(Term::Adt { adt: AdtId::numbered(0), args });
        let nil = Constructor { number: 0, fields: Vec::new() };
        types.define(list, vec![nil, Constructor { number: 1, fields: vec![int, list] }]);
        let vector = types.tensor(&[Some(4)], Dtype::Float32);
        let any = types.tensor(&[None], Dtype::Float32);
        let (unary, binary) = (types.func(&[int], int), types.func(&[int, int], int));
        let cell = types.reference(int);
        let (unit, pair) = (types.tuple(&[]), types.tuple(&[int, list]));
        let triple = types.tuple(&[list, int, list, int, bool]);
        let option = types.sum(&[(VariantId::numbered(0), Vec::new()), (VariantId::numbered(1), vec![list])]);
        let knot = types.reference(option);
        let to_unit = types.func(&[], unit);
        let loop_cell = types.reference(to_unit);
        for (name, ty) in [
            ("list", list),
            ("vector", vector),
            ("any", any),
            ("unary", unary),
            ("binary", binary),
            ("cell", cell),
            ("unit", unit),
            ("pair", pair),
            ("triple", triple),
            ("option", option),
            ("knot", knot),
            ("thunk", to_unit),
            ("loop", loop_cell),
        ] {
            names.push((name, layouts.of(&types, ty)));
        }
        let content = layouts.content(&types, list);
        names.push(("content", content));
        names.push(("number", layouts.content(&types, int)));
        names.push(("box", layouts.boxed(&types, list)));
        let layout::Kind::Sum { variants, .. } = &layouts[content].kind else { panic!("a list is a sum") };
        names.push(("word", variants[1].fields[0].layout));
        names.push(("token", layouts.token(content)));
        let mut constants = IndexVec::new();
        let elements = Elements::Float(vec![1.0, 2.5, -3.0, 0.5]);
        constants.push(Arc::new(Tensor { dtype: Dtype::Float32, shape: vec![4], elements }));
        let base = Program { types, layouts, functions: IndexVec::new(), globals: IndexVec::new(), constants };
        Table { base, names }
    }

    /// The program of a text in which layouts are said by name: `%x: {int}`.
    fn program(&self, text: &str) -> Program {
        let mut spelt = text.to_owned();
        for (name, id) in &self.names {
            spelt = spelt.replace(&format!("{{{name}}}"), &format!("{id:?}"));
        }
        let program = ir::parse(&spelt, &self.base, NAMES).unwrap_or_else(|error| panic!("{error:?}\n{spelt}"));
        let violations = ir::verify(&program, ir::Stage::Counted);
        assert!(
            violations.is_empty(),
            "{}\n{spelt}",
            violations.iter().map(|v| v.to_string() + "\n").collect::<String>()
        );
        program
    }

    fn machine(&self, text: &str) -> Machine {
        Machine::new(Arc::new(self.program(text)), LIMITS)
    }
}

const LIMITS: Limits = Limits { fuel: 1 << 40, memory: 1 << 30 };

fn aligned(text: &str) -> Machine {
    Table::new(Strategy::Aligned).machine(text)
}

/// Runs a function; in small slices, so that each is a place to stop.
fn try_run(machine: &mut Machine, function: &str, args: &[Value]) -> Result<Value, RunError> {
    let functions = machine.program().functions.iter_enumerated();
    let id = functions.filter(|(_, f)| f.name == function).map(|(id, _)| id).next().unwrap();
    machine.start(id, args, Span::new(100, 101))?;
    loop {
        match machine.run(999) {
            Status::Running => {}
            Status::Done => return Ok(machine.result(&mut u64::MAX.clone()).unwrap()),
            Status::Failed(error) => return Err(error),
        }
    }
}

fn run(machine: &mut Machine, function: &str, args: &[Value]) -> String {
    let value = try_run(machine, function, args).unwrap();
    let text = ty::print_value(&value, &FIXED).text;
    drop(value);
    text
}

/// Runs a function, prints its result, and requires that nothing is left.
fn run_clean(machine: &mut Machine, function: &str, args: &[Value]) -> String {
    let text = run(machine, function, args);
    machine.finish();
    assert_eq!(machine.live_bytes(), 0);
    text
}

fn fault(machine: &mut Machine, function: &str, args: &[Value]) -> RunFault {
    try_run(machine, function, args).unwrap_err().fault
}

fn int(value: i64) -> Value {
    Value::int32(value)
}

fn list(values: impl DoubleEndedIterator<Item = i64>) -> Value {
    let nil = Value::Data(0, Fields::default());
    values.rev().fold(nil, |rest, value| Value::Data(1, Fields::new(vec![int(value), rest])))
}
