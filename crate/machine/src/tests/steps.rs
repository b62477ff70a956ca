//! Forwards and backwards.

use super::programs::{CELLS, LISTS};
use super::*;
use crate::{Arrival, BlockKind, History};

/// All that can be seen of a step.
fn picture(history: &mut History) -> String {
    let step = history.step();
    let machine = history.machine();
    let (position, place) = (machine.position(), machine.place_in_file());
    let (frames, n_more) = machine.frame_views(5);
    let heap = machine.heap_view(0, 10_000);
    let numbers = (machine.fuel_used(), machine.live_bytes(), machine.peak_bytes(), machine.depth());
    format!("{step} {position:?} {place:?} {frames:?} {n_more} {heap:?} {numbers:?} {:?}", machine.global_views())
}

fn begin(text: &str, function: &str, args: &[Value], limits: Limits) -> History {
    let program = Table::new(Strategy::Aligned).program(text);
    let id = program.functions.iter_enumerated().find(|(_, f)| f.name == function).unwrap().0;
    let mut machine = Machine::new(Arc::new(program), limits);
    machine.start(id, args, Span::new(0, 1)).unwrap();
    History::new(machine, 1 << 20)
}

fn result_of(machine: &mut Machine) -> Option<String> {
    Some(ty::print_value(&machine.result(&mut u64::MAX.clone()).ok()?, &FIXED).text)
}

#[test]
fn going_back_finds_what_was() {
    for (text, function, limits) in [(LISTS, "@main", LIMITS), (CELLS, "@knot", Limits { memory: 2000, ..LIMITS })] {
        let mut history = begin(text, function, &[int(70)], limits);
        let mut pictures = vec![picture(&mut history)];
        while history.step_into() == Arrival::There {
            pictures.push(picture(&mut history));
        }
        let n = pictures.len() as u64 - 1;
        assert_eq!(history.length(), Some(n));
        assert_eq!(history.outcome(), Some(&Status::Done));
        assert_eq!(history.machine().position(), None);
        for i in 0..300 {
            let step = (i * 7919) % (n + 1);
            assert_eq!(history.seek(step), Arrival::There);
            assert_eq!(picture(&mut history), pictures[step as usize]);
        }
        assert_eq!(history.seek(n + 5), Arrival::End);
        assert_eq!(history.back(), Arrival::There);
        assert_eq!(picture(&mut history), pictures[n as usize - 1]);
        history.seek(0);
        assert_eq!(history.back(), Arrival::End);
    }
}

#[test]
fn over_and_out() {
    let mut history = begin(LISTS, "@main", &[int(3)], LIMITS);
    assert_eq!(history.machine().depth(), 1);
    let is_map = |position: &crate::Position| position.function == FuncId::numbered(1);
    assert_eq!(history.run_to(is_map), Arrival::There);
    assert_eq!(history.machine().depth(), 2);
    let (frames, n_more) = history.machine().frame_views(9);
    assert_eq!((frames.len(), n_more), (2, 0));
    let vars: Vec<(Option<&str>, bool)> =
        frames[0].vars.iter().map(|var| (var.name.as_deref(), var.value.is_some())).collect();
    assert_eq!(vars, [(Some("%f"), true), (Some("%l"), true)]);
    assert!(frames[1].vars.is_empty(), "what has been handed over is needed no more");
    let heap = history.machine().heap_view(0, 100);
    let kinds: Vec<bool> = heap.blocks.iter().map(|block| matches!(block.kind, BlockKind::Box(_))).collect();
    assert!(kinds.iter().filter(|is_box| **is_box).count() >= 2);
    let before = history.step();
    assert_eq!(history.step_over(), Arrival::There);
    assert_eq!(history.step(), before + 1);
    assert_eq!(history.step_out(), Arrival::There);
    assert_eq!(history.machine().depth(), 1);
    assert!(history.step() > before + 10);
    assert_eq!(history.step_out(), Arrival::There);
    assert_eq!(history.step_into(), Arrival::End);
    assert_eq!(result_of(history.machine()), Some("21".to_owned()));
}

#[test]
fn long_runs_keep_few_copies() {
    let mut history = begin(LISTS, "@main", &[int(100_000)], LIMITS);
    while !history.look_ahead() {}
    assert_eq!(history.step(), 0);
    let n = history.length().unwrap();
    assert!(n > 1_000_000);
    assert_eq!(history.seek(n - 1), Arrival::There);
    let last = picture(&mut history);
    assert_eq!(history.seek(n / 2), Arrival::There);
    assert_eq!(history.seek(n - 1), Arrival::There);
    assert_eq!(picture(&mut history), last);
}

#[test]
fn a_failure_is_seen_before_it_happens() {
    let text = "
fn f0 @main(%n: {int}, %l: {list}) -> {int} {
b0:
  %zero: {int} = 0
  %x: {int} = floor_divide(%n, %zero) @4..9
  drop %l
  return %x
}
";
    let mut history = begin(text, "@main", &[int(1), list(0..3)], LIMITS);
    assert_eq!(history.seek(9), Arrival::End);
    assert_eq!(history.step(), 1);
    let error = RunError { span: Span::new(4, 9), fault: RunFault::DivisionByZero };
    assert_eq!(history.outcome(), Some(&Status::Failed(error)));
    assert_eq!(history.machine().place_in_file(), Span::new(4, 9));
    assert!(history.machine().live_bytes() > 32);
    assert_eq!(history.step_into(), Arrival::End);
    assert_eq!(history.back(), Arrival::There);
    assert_eq!(history.step(), 0);
}

/// A loop with a test, and what its steps may be joined to.
fn turns(test: &str, down: &str, sum: &str) -> String {
    format!(
        "
fn f0 @turn(%n: {{int}}, %s: {{int}}) -> {{int}} {{
b0:
  %zero: {{int}} = 0
  %is: {{bool}} = {test}
  switch %is {{ False: b1, _: b2 }}
b1:
  %one: {{int}} = 1
  %m: {{int}} = {down}
  %t: {{int}} = {sum}
  fuel 1
  tail call @turn(%m, %t)
b2:
  return %s
}}

fn f1 @main(%n: {{int}}, %l: {{list}}) -> {{int}} {{
b0:
  fuel 2
  switch %l {{ Nil: b1, Cons: b2 }}
b1:
  drop %l
  return %n
b2:
  %h: {{int}}, %t: {{box}} = open Cons %l
  %u: {{list}} = unbox %t
  fuel 1
  %s: {{int}} = call @turn(%n, %h)
  %other: {{bool}} = less(%s, %n)
  switch %other {{ False: b3, _: b4 }}
b3:
  fuel 3
  tail call @main(%n, %u)
b4:
  fuel 1
  tail call @main(%s, %u)
}}
"
    )
}

/// What a run comes to in slices of so many steps: its outcome, its steps, its fuel, and its memory.
fn in_slices(program: &Arc<Program>, args: &[Value], slice: u64, limits: Limits) -> String {
    let mut machine = Machine::new(program.clone(), limits);
    machine.start(FuncId::numbered(1), args, Span::new(0, 1)).unwrap();
    let mut status = machine.run(slice);
    while status == Status::Running && machine.steps() < 10_000 {
        assert_eq!(machine.steps() % slice, 0, "a slice has as many steps as were asked for");
        status = machine.run(slice);
    }
    let result = result_of(&mut machine);
    let used = (machine.steps(), machine.fuel_used(), machine.peak_bytes(), machine.live_bytes());
    format!("{status:?} {result:?} {used:?}")
}

#[test]
fn joined_steps_are_steps() {
    let tests =
        ["equal(%n, %zero)", "less(%n, %zero)", "less_equal(%n, %zero)", "greater(%zero, %n)", "less(%zero, %s)"];
    let tests = tests.iter().chain(&["greater_equal(%zero, %n)", "less_equal(%zero, %s)", "equal(%zero, %n)"]);
    let sums = ["add(%s, %n)", "subtract(%n, %s)", "multiply(%s, %n)"];
    for (i, test) in tests.enumerate() {
        let down = ["subtract(%n, %one)", "add(%n, %one)"][usize::from(test.contains("%s"))];
        let program = Arc::new(Table::new(Strategy::Aligned).program(&turns(test, down, sums[i % 3])));
        for fuel in (0..40).chain([u64::MAX]) {
            let (args, limits) = ([int(5), list(3..6)], Limits { fuel, ..LIMITS });
            let one_by_one = in_slices(&program, &args, 1, limits);
            for slice in [2, 3, 4, 7, 100_000] {
                let together = in_slices(&program, &args, slice, limits);
                assert_eq!(together, one_by_one, "{test}, {slice} steps at a time, fuel {fuel}");
            }
        }
    }
}

/// Operators that leave operands to others: one, several, the same twice, all, and of one of two places none.
const KEEPING: &str = "
fn f0 @turn(%n: {int}, %x: {any}, %y: {any}) -> {any} {
b0:
  switch %n { 0: b1, _: b2 }
b1:
  drop %y
  return %x
b2:
  dup %y
  %a: {any} = subtract(%x, %y)
  dup %a
  dup %y
  %b: {any} = multiply(%a, %y)
  dup %b
  dup %b
  %c: {any} = add(%b, %b)
  dup %c
  %d: {any} = multiply(%c, %c)
  dup %a
  dup %b
  dup %d
  %e: {any} = fused(%a, %b, %d) { s0 = add(%a, %b) @1..2; s1 = multiply(s0, %d) @3..4 } @3..4
  dup %e
  %f: {any} = negative(%e)
  dup %y
  dup %a
  %g: {any} = nn.dense(%a, %y)
  %h: {any} = add(%f, %e)
  %i: {any} = add(%b, %h)
  %j: {any} = add(%a, %i)
  %k: {any} = maximum(%d, %j)
  drop %g
  %one: {int} = 1
  %m: {int} = subtract(%n, %one)
  fuel 1
  tail call @turn(%m, %k, %y)
}

fn f1 @main(%n: {int}, %x: {any}, %y: {any}) -> {any} {
b0:
  dup %x
  dup %y
  %z: {any} = divide(%x, %y)
  dup %y
  %a: {any} = call @turn(%n, %x, %y)
  %b: {any} = call @turn(%n, %a, %y)
  %c: {any} = divide(%b, %z)
  return %c
}
";

#[test]
fn operands_that_are_kept_have_one_owner_more_for_the_operator() {
    let program = Arc::new(Table::new(Strategy::Aligned).program(KEEPING));
    let matrix = |n: usize, of: fn(usize) -> f64| {
        let elements = Elements::Float((0..n * n).map(of).collect());
        Value::tensor(Tensor { dtype: Dtype::Float32, shape: vec![n, n], elements })
    };
    for (n, memory) in [(3, LIMITS.memory), (40, LIMITS.memory)].into_iter().chain((0..60).map(|i| (3, 500 + 20 * i))) {
        let args = [int(2), matrix(n, |i| i as f64), matrix(n, |i| (i % 7) as f64 / 8.0)];
        let limits = Limits { memory, ..LIMITS };
        let one_by_one = in_slices(&program, &args, 1, limits);
        let is_enough = memory == LIMITS.memory;
        assert!(one_by_one.starts_with("Done") || !is_enough, "{one_by_one}");
        for slice in [2, 3, 4, 5, 7, 100_000] {
            let together = in_slices(&program, &args, slice, limits);
            assert_eq!(together, one_by_one, "{slice} steps at a time, {memory} bytes");
        }
    }
}

/// Where parts of a value lie in two words, they are put together from both.
#[test]
fn parts_of_two_words() {
    use crate::code::Part;
    for offset in 0..130 {
        for n_bits in 1..=130 {
            let value = [0x0123_4567_89ab_cdef_u64, 0xfedc_ba98_7654_3210, 0x3];
            let cut = |at: usize| match (n_bits as usize).saturating_sub(at * 64) {
                0 => 0,
                n @ 1..64 => value[at] & ((1 << n) - 1),
                64.. => value[at],
            };
            let mut r = [0; 16];
            (0..3).for_each(|word| r[word] = cut(word));
            let mut parts = Vec::new();
            Part::write(0, 4, offset, n_bits, &mut parts);
            Part::read(4, offset, 10, n_bits, &mut parts);
            for part in parts {
                let bits = part.bits.of(r[part.from as usize]) << part.shift;
                r[part.to as usize] = bits | if part.is_more { r[part.to as usize] } else { 0 };
            }
            assert_eq!(r[10..13], [cut(0), cut(1), cut(2)], "{n_bits} bits at {offset}");
            assert_eq!(r[13..], [0; 3]);
        }
    }
}
