//! What programs give, and that nothing is left.

use super::*;

const FIB: &str = "
fn f0 @fib(%n: {int}) -> {int} {
b0:
  fuel 1
  %two: {int} = 2
  %small: {bool} = less(%n, %two)
  switch %small { True: b1, _: b2 }
b1:
  return %n
b2:
  %one: {int} = 1
  %a: {int} = subtract(%n, %one)
  %x: {int} = call @fib(%a)
  %b: {int} = subtract(%n, %two)
  %y: {int} = call @fib(%b)
  %z: {int} = add(%x, %y)
  return %z
}
";

#[test]
fn fib() {
    let mut machine = aligned(FIB);
    assert_eq!(run_clean(&mut machine, "@fib", &[int(20)]), "6765");
    assert_eq!(machine.fuel_used(), 21_891);
}

/// The caller has two words and the other function four, so that what a cycle of moves goes through is behind those.
#[test]
fn tail_calls_of_more_parameters_than_the_caller_has_words() {
    for choice in 0..16 {
        let arg = |at: i64| ["%x", "%y"][(choice >> at & 1) as usize];
        let text = format!(
            "
fn f0 @four(%a: {{int}}, %b: {{int}}, %c: {{int}}, %d: {{int}}) -> {{int}} {{
b0:
  %ten: {{int}} = 10
  %e: {{int}} = multiply(%a, %ten)
  %f: {{int}} = add(%e, %b)
  %g: {{int}} = multiply(%f, %ten)
  %h: {{int}} = add(%g, %c)
  %i: {{int}} = multiply(%h, %ten)
  %j: {{int}} = add(%i, %d)
  return %j
}}

fn f1 @two(%x: {{int}}, %y: {{int}}) -> {{int}} {{
b0:
  tail call @four({}, {}, {}, {})
}}
",
            arg(0),
            arg(1),
            arg(2),
            arg(3)
        );
        let digits: String = (0..4).map(|at| if arg(at) == "%x" { '3' } else { '7' }).collect();
        assert_eq!(run_clean(&mut aligned(&text), "@two", &[int(3), int(7)]), digits);
    }
}

pub const LISTS: &str = "
fn f0 @build(%n: {int}, %rest: {list}) -> {list} {
b0:
  %zero: {int} = 0
  switch %n { 0: b1, _: b2 }
b1:
  return %rest
b2:
  %one: {int} = 1
  %m: {int} = subtract(%n, %one)
  %tail: {box} = box %rest
  %next: {list} = pack Cons(%n, %tail)
  tail call @build(%m, %next)
}

fn f1 @map(%f: {unary}, %l: {list}) -> {list} {
b0:
  switch %l { Nil: b1, Cons: b2 }
b1:
  drop %f
  return %l
b2:
  %h: {int}, %t: {box} = open Cons %l
  dup %f
  %x: {int} = call %f(%h)
  %u: {list} = unbox %t
  %r: {list} = call @map(%f, %u)
  %b: {box} = box %r
  %c: {list} = pack Cons(%x, %b)
  return %c
}

fn f2 @sum(%l: {list}, %acc: {int}) -> {int} {
b0:
  switch %l { Nil: b1, Cons: b2 }
b1:
  drop %l
  return %acc
b2:
  %h: {int}, %t: {box} = open Cons %l
  %u: {list} = unbox %t
  %new: {int} = add(%acc, %h)
  tail call @sum(%u, %new)
}

fn f3 @plus[%k: {int}](%x: {int}) -> {int} {
b0:
  %y: {int} = add(%x, %k)
  return %y
}

fn f4 @main(%n: {int}) -> {int} {
b0:
  %nil: {list} = pack Nil()
  %l: {list} = call @build(%n, %nil)
  %k: {int} = 5
  %f: {unary} = closure @plus(%k)
  %m: {list} = call @map(%f, %l)
  %zero: {int} = 0
  tail call @sum(%m, %zero)
}

fn f5 @keep(%n: {int}) -> {list} {
b0:
  %nil: {list} = pack Nil()
  %l: {list} = call @build(%n, %nil)
  dup %l
  %k: {int} = 1
  %f: {unary} = closure @plus(%k)
  %m: {list} = call @map(%f, %l)
  drop %m
  return %l
}
";

#[test]
fn lists() {
    for strategy in [Strategy::Packed, Strategy::Aligned] {
        let mut machine = Table::new(strategy).machine(LISTS);
        assert_eq!(run_clean(&mut machine, "@main", &[int(3)]), "21");
        assert_eq!(run_clean(&mut machine, "@keep", &[int(3)]), "Cons(1, Cons(2, Cons(3, Nil)))");
        assert_eq!(run_clean(&mut machine, "@main", &[int(100_000)]), "705582704");
        assert_eq!(run_clean(&mut machine, "@keep", &[int(10_000)]).len(), 118_897);
        assert_eq!(run_clean(&mut machine, "@sum", &[list(0..1000), int(1)]), "499501");
        let shared = try_run(&mut machine, "@build", &[int(3), list(7..9)]).unwrap();
        assert_eq!(ty::print_value(&shared, &FIXED).text, "Cons(1, Cons(2, Cons(3, Cons(7, Cons(8, Nil)))))");
    }
}

#[test]
fn tail_calls_take_no_memory() {
    let mut machine = aligned(
        "
fn f0 @even(%n: {int}, %a: {long}) -> {bool} {
b0:
  switch %n { 0: b1, _: b2 }
b1:
  %yes: {bool} = True
  return %yes
b2:
  %one: {int} = 1
  %m: {int} = subtract(%n, %one)
  tail call @odd(%a, %m)
}

fn f1 @odd(%a: {long}, %n: {int}) -> {bool} {
b0:
  switch %n { 0: b1, _: b2 }
b1:
  %no: {bool} = False
  return %no
b2:
  %one: {int} = 1
  %m: {int} = subtract(%n, %one)
  tail call @even(%m, %a)
}
",
    );
    let long = Value::Scalar(Dtype::Int64, ty::Scalar::Int(7));
    assert_eq!(run_clean(&mut machine, "@even", &[int(300_001), long]), "False");
    assert!(machine.peak_bytes() < 200);
}

#[test]
fn closures_are_shared() {
    let mut machine = aligned(
        "
fn f0 @const[%l: {list}](%x: {int}) -> {int} {
b0:
  %y: {int} = call @sum(%l, %x)
  return %y
}

fn f1 @sum(%l: {list}, %acc: {int}) -> {int} {
b0:
  switch %l { Nil: b1, Cons: b2 }
b1:
  drop %l
  return %acc
b2:
  %h: {int}, %t: {box} = open Cons %l
  %u: {list} = unbox %t
  %new: {int} = add(%acc, %h)
  tail call @sum(%u, %new)
}

fn f2 @inc(%x: {int}) -> {int} {
b0:
  %one: {int} = 1
  %y: {int} = add(%x, %one)
  return %y
}

fn f3 @twice(%f: {unary}, %x: {int}) -> {int} {
b0:
  dup %f
  %y: {int} = call %f(%x)
  tail call %f(%y)
}

fn f4 @main(%l: {list}) -> {int} {
b0:
  %f: {unary} = closure @const(%l)
  dup %f
  %ten: {int} = 10
  %a: {int} = call @twice(%f, %ten)
  %b: {int} = call %f(%a)
  %g: {unary} = closure @inc()
  tail call @twice(%g, %b)
}

fn f5 @lost(%l: {list}) -> {unary} {
b0:
  %f: {unary} = closure @const(%l)
  return %f
}
",
    );
    assert_eq!(run_clean(&mut machine, "@main", &[list(0..5)]), "42");
    assert_eq!(run_clean(&mut machine, "@lost", &[list(0..5)]), "<fn>");
}

pub const UNIFORM: &str = "
fn f0 @build(%n: {number}, %rest: {list}) -> {list} {
b0:
  switch %n { 0: b1, _: b2 }
b1:
  return %rest
b2:
  %one: {number} = 1
  %m: {number} = subtract(%n, %one)
  %head: {int} = box %n
  %next: {content} = pack Cons(%head, %rest)
  %l: {list} = box %next
  tail call @build(%m, %l)
}

fn f1 @sum(%l: {list}, %acc: {number}) -> {int} {
b0:
  %c: {content} = load %l
  switch %c { Nil: b1, Cons: b2 }
b1:
  drop %l
  %sum: {int} = box %acc
  return %sum
b2:
  %d: {content} = unbox %l
  %w: {word}, %t: {list} = open Cons %d
  %h: {number} = unbox %w
  %new: {number} = add(%acc, %h)
  tail call @sum(%t, %new)
}

fn f2 @double(%l: {list}) -> {list} {
b0:
  %c: {content}, %free: {token} = unbox %l
  switch %c { Nil: b1, Cons: b2 }
b1:
  drop %c
  free %free
  %nil: {content} = pack Nil()
  %none: {list} = box %nil
  return %none
b2:
  %w: {word}, %t: {list} = open Cons %c
  %h: {number} = unbox %w
  %x: {number} = add(%h, %h)
  %r: {list} = call @double(%t)
  %y: {word} = box %x
  %e: {content} = pack Cons(%y, %r)
  %b: {list} = box %e, %free
  return %b
}

fn f3 @main(%n: {int}, %nil: {list}) -> {int} {
b0:
  %k: {number} = unbox %n
  %l: {list} = call @build(%k, %nil)
  %m: {list} = call @double(%l)
  %zero: {number} = 0
  tail call @sum(%m, %zero)
}
";

/// A variable of `uniform` is a word: what it points to is taken out before it is looked at.
#[test]
fn uniform() {
    let mut machine = Table::new(Strategy::Uniform).machine(UNIFORM);
    assert_eq!(run_clean(&mut machine, "@double", &[list(1..4)]), "Cons(2, Cons(4, Cons(6, Nil)))");
    assert_eq!(run_clean(&mut machine, "@main", &[int(100_000), list(0..0)]), "1410165408");
    let value = try_run(&mut machine, "@build", &[int(2), list(0..2)]).unwrap();
    assert_eq!(ty::print_value(&value, &FIXED).text, "Cons(1, Cons(2, Cons(0, Cons(1, Nil))))");
}

pub const WIDE: &str = "
fn f0 @make(%a: {list}, %b: {list}, %n: {int}) -> {triple} {
b0:
  %yes: {bool} = True
  dup %a
  %t: {triple} = pack (%a, %n, %b, %n, %yes)
  drop %a
  return %t
}

fn f1 @swap(%t: {triple}) -> {triple} {
b0:
  %m: {int} = field .1 %t
  switch %m { 1: b1, _: b2 }
b1:
  %a: {list}, %x: {int}, %b: {list}, %y: {int}, %c: {bool} = open %t
  jump b3(%b, %a)
b2:
  %la: {list}, %lx: {int}, %lb: {list}, %ly: {int}, %lc: {bool} = peek %t
  dup %la
  %d: {list} = field .2 %t
  drop %t
  jump b3(%d, %la)
b3(%p: {list}, %q: {list}):
  tail call @make(%p, %q, %m)
}

fn f2 @main(%a: {list}, %n: {int}) -> {triple} {
b0:
  dup %a
  %t: {triple} = call @make(%a, %a, %n)
  dup %t
  %u: {triple} = call @swap(%t)
  drop %u
  tail call @swap(%t)
}
";

#[test]
fn values_wider_than_a_word() {
    for strategy in [Strategy::Packed, Strategy::Aligned] {
        let mut machine = Table::new(strategy).machine(WIDE);
        for n in [1, 2] {
            let text = run_clean(&mut machine, "@main", &[list(0..2), int(n)]);
            assert_eq!(text, format!("(Cons(0, Cons(1, Nil)), {n}, Cons(0, Cons(1, Nil)), {n}, True)"));
        }
    }
}

pub const CELLS: &str = "
fn f0 @count(%r: {cell}, %n: {int}) -> {int} {
b0:
  switch %n { 0: b1, _: b2 }
b1:
  %last: {int} = ref_read %r
  return %last
b2:
  dup %r
  %x: {int} = ref_read %r
  %y: {int} = add(%x, %n)
  dup %r
  %u: {unit} = ref_write %r, %y
  %one: {int} = 1
  %m: {int} = subtract(%n, %one)
  tail call @count(%r, %m)
}

fn f1 @main(%n: {int}) -> {int} {
b0:
  %zero: {int} = 0
  %r: {cell} = ref_new %zero
  tail call @count(%r, %n)
}

fn f2 @idle() -> {unit} {
b0:
  %u: {unit} = pack ()
  return %u
}

fn f3 @hold[%r: {loop}]() -> {unit} {
b0:
  drop %r
  %u: {unit} = pack ()
  return %u
}

fn f4 @knot(%n: {int}) -> {unit} {
b0:
  %f: {thunk} = closure @idle()
  %r: {loop} = ref_new %f
  dup %r
  %g: {thunk} = closure @hold(%r)
  %u: {unit} = ref_write %r, %g
  switch %n { 0: b1, _: b2 }
b1:
  return %u
b2:
  %one: {int} = 1
  %m: {int} = subtract(%n, %one)
  tail call @knot(%m)
}
";

#[test]
fn cells_and_cycles() {
    let mut machine = aligned(CELLS);
    assert_eq!(run_clean(&mut machine, "@main", &[int(4)]), "10");
    assert_eq!(run(&mut machine, "@knot", &[int(9)]), "()");
    // Each of ten knots is a cell and a closure.
    assert_eq!(machine.live_bytes(), 10 * 32);
    machine.collect();
    assert_eq!(machine.live_bytes(), 0);
    // When there is no room, cycles are looked for.
    let mut machine =
        Machine::new(Arc::new(Table::new(Strategy::Aligned).program(CELLS)), Limits { memory: 4096, ..LIMITS });
    assert_eq!(run_clean(&mut machine, "@knot", &[int(10_000)]), "()");
    assert!(machine.peak_bytes() <= 4096);
}

pub const TENSORS: &str = "
fn f0 @double(%x: {vector}, %n: {int}) -> {vector} {
b0:
  switch %n { 0: b1, _: b2 }
b1:
  return %x
b2:
  %half: {f32} = 0.5f
  %y: {vector} = multiply(%x, %half)
  %k: {vector} = tensor k0
  %z: {vector} = add(%k, %y)
  %one: {int} = 1
  %m: {int} = subtract(%n, %one)
  tail call @double(%z, %m)
}

fn f1 @square(%x: {vector}) -> {vector} {
b0:
  dup %x
  %y: {vector} = multiply(%x, %x)
  return %y
}

fn f2 @reverse(%x: {vector}) -> {vector} {
b0:
  %y: {vector} = reverse(%x, axis=0)
  %z: {vector} = negative(%y)
  return %z
}

fn f3 @same(%x: {any}, %y: {any}) -> {any} {
b0:
  check \"%y\" [3] %y
  %z: {any} = add(%x, %y)
  return %z
}

fn f4 @fused(%x: {any}, %y: {any}) -> {any} {
b0:
  %z: {any} = fused(%x, %y) { s0 = negative(%x) @1..2; s1 = add(s0, %y) @3..4; s2 = multiply(s1, s0) @5..6 } @5..6
  return %z
}

fn f5 @main(%n: {int}) -> {vector} {
b0:
  %x: {vector} = tensor k0
  %y: {vector} = call @double(%x, %n)
  %z: {vector} = call @square(%y)
  tail call @reverse(%z)
}
";

#[test]
fn unique_tensors_are_updated_in_place() {
    let mut machine = aligned(TENSORS);
    let vector = |values: &[f64]| {
        Value::tensor(Tensor {
            dtype: Dtype::Float32,
            shape: vec![values.len()],
            elements: Elements::Float(values.to_vec()),
        })
    };
    let x = vector(&[1.0, 2.0, 4.0, f64::NAN]);
    assert_eq!(run(&mut machine, "@double", &[x.clone(), int(1)]), "[1.5f, 3.5f, -1f, nanf]");
    let before = machine.peak_bytes();
    assert_eq!(run(&mut machine, "@double", &[x.clone(), int(1000)]), "[2f, 5f, -6f, nanf]");
    assert_eq!(machine.peak_bytes(), before);
    assert_eq!(run(&mut machine, "@square", std::slice::from_ref(&x)), "[1f, 4f, 16f, nanf]");
    assert_eq!(run_clean(&mut machine, "@reverse", &[vector(&[1.0, 2.0, 3.0, 4.0])]), "[-4f, -3f, -2f, -1f]");
    let three = vector(&[1.0, 2.0, 3.0]);
    assert_eq!(run(&mut machine, "@same", &[three.clone(), three.clone()]), "[2f, 4f, 6f]");
    assert_eq!(run(&mut machine, "@same", &[vector(&[1.0]), three.clone()]), "[2f, 3f, 4f]");
    let wrong = RunFault::Shapes("`%y` has size 3 on axis 0, found 1".to_owned());
    assert_eq!(fault(&mut machine, "@same", &[three.clone(), vector(&[1.0])]), wrong);
    assert!(matches!(fault(&mut machine, "@same", &[vector(&[1.0, 2.0]), three]), RunFault::Shapes(_)));
    assert_eq!(machine.live_bytes(), 0);
}

/// What is planned for operands of one shape is not done to those of another, whichever of their sizes differ.
#[test]
fn a_place_tells_shapes_apart() {
    let mut machine = aligned(TENSORS);
    let shapes: [&[usize]; 11] = [
        &[6],
        &[3],
        &[2, 3],
        &[3, 2],
        &[1, 2, 3],
        &[1, 3, 2],
        &[1, 1, 1, 2, 3],
        &[1, 1, 1, 3, 2],
        &[1, 1, 1, 1, 2, 3],
        &[1, 1, 1, 1, 3, 2],
        &[0],
    ];
    for shape in shapes.iter().chain(shapes.iter().rev()) {
        let tensor = |of: fn(usize) -> f64| {
            let elements = Elements::Float((0..shape.iter().product()).map(of).collect());
            Value::tensor(Tensor { dtype: Dtype::Float32, shape: shape.to_vec(), elements })
        };
        let squares = ty::print_value(&tensor(|i| (i * i) as f64), &FIXED).text;
        assert_eq!(run_clean(&mut machine, "@square", &[tensor(|i| i as f64)]), squares, "{shape:?}");
    }
}

#[test]
fn fused_operators_are_as_they_are_one_by_one() {
    let mut machine = aligned(TENSORS);
    let vector = |n: usize| {
        let elements = Elements::Float((0..n).map(|i| i as f64).collect());
        Value::tensor(Tensor { dtype: Dtype::Float32, shape: vec![n], elements })
    };
    assert_eq!(run(&mut machine, "@fused", &[vector(3), vector(3)]), "[-0f, -0f, -0f]");
    assert_eq!(run(&mut machine, "@fused", &[vector(1), vector(3)]), "[-0f, -0f, -0f]");
    assert_eq!(run(&mut machine, "@fused", &[vector(3), vector(1)]), "[-0f, 1f, 4f]");
    let wrong = try_run(&mut machine, "@fused", &[vector(3), vector(2)]).unwrap_err();
    assert_eq!(wrong.span, Span::new(3, 4));
    assert!(matches!(wrong.fault, RunFault::Shapes(_)));
    machine.finish();
    assert_eq!(machine.live_bytes(), 0);

    // One of two large operands is where the result goes.
    let mut machine = aligned(TENSORS);
    run(&mut machine, "@fused", &[vector(1 << 16), vector(1 << 16)]);
    assert!(machine.peak_bytes() < 3 << 18, "{}", machine.peak_bytes());
}

#[test]
fn globals_and_faults() {
    let text = "
global g0 %k: {list} = init
global g1 %self: {int} = self
global g2 %bad: {int} = bad

fn f0 init() -> {list} {
b0:
  fuel 5
  %nil: {list} = pack Nil()
  %b: {box} = box %nil
  %n: {int} = 7
  %l: {list} = pack Cons(%n, %b)
  return %l
}

fn f1 self() -> {int} {
b0:
  %x: {int} = global %self @7..8
  return %x
}

fn f2 bad() -> {int} {
b0:
  %zero: {int} = 0
  %x: {int} = divide(%zero, %zero) @3..4
  return %x
}

fn f3 @pair(%n: {int}) -> {pair} {
b0:
  %a: {list} = global %k
  %p: {pair} = pack (%n, %a)
  return %p
}

fn f4 @self() -> {int} {
b0:
  %x: {int} = global %self
  return %x
}

fn f5 @bad(%l: {list}) -> {int} {
b0:
  %x: {int} = global %bad
  drop %l
  return %x
}

fn f6 @deep(%l: {list}) -> {list} {
b0:
  fuel 1 @20..21
  %b: {box} = box %l @22..23
  %n: {int} = 1
  %next: {list} = pack Cons(%n, %b)
  %r: {list} = call @deep(%next) @24..25
  return %r
}

fn f7 @none(%l: {list}) -> {list} {
b0:
  switch %l { Nil: b1, Cons: b2 }
b1:
  fail no_arm @1..2
b2:
  fail free \"%y\"
}
";
    let mut machine = aligned(text);
    assert_eq!(run(&mut machine, "@pair", &[int(1)]), "(1, Cons(7, Nil))");
    assert_eq!(machine.fuel_used(), 5);
    assert_eq!(run(&mut machine, "@pair", &[int(2)]), "(2, Cons(7, Nil))");
    assert_eq!(machine.fuel_used(), 0);
    let live = machine.live_bytes();
    for _ in 0..2 {
        let error = try_run(&mut machine, "@self", &[]).unwrap_err();
        assert_eq!(error, RunError { span: Span::new(7, 8), fault: RunFault::SelfReference("%self".to_owned()) });
        let error = try_run(&mut machine, "@bad", &[list(0..4)]).unwrap_err();
        assert_eq!(error, RunError { span: Span::new(3, 4), fault: RunFault::DivisionByZero });
        assert_eq!(machine.live_bytes(), live);
    }
    assert_eq!(fault(&mut machine, "@none", &[list(0..0)]), RunFault::NoArm);
    assert_eq!(fault(&mut machine, "@none", &[list(0..1)]), RunFault::FreeVariable("%y".to_owned()));
    let program = Arc::new(Table::new(Strategy::Aligned).program(text));
    let mut small = Machine::new(program.clone(), Limits { memory: 1 << 16, ..LIMITS });
    let error = try_run(&mut small, "@deep", &[list(0..0)]).unwrap_err();
    assert!(matches!(error.fault, RunFault::OutOfMemory { limit: 65_536 }) && error.span.start >= 20);
    assert_eq!((small.live_bytes(), small.peak_bytes() > 65_000), (0, true));
    let mut idle = Machine::new(program, Limits { fuel: 10, ..LIMITS });
    let error = try_run(&mut idle, "@deep", &[list(0..0)]).unwrap_err();
    assert_eq!(error, RunError { span: Span::new(20, 21), fault: RunFault::OutOfFuel { fuel: 10 } });
    assert_eq!((idle.fuel_used(), idle.live_bytes()), (11, 0));
    assert_eq!(run_clean(&mut idle, "@pair", &[int(1)]), "(1, Cons(7, Nil))");
}

/// What goes wrong in a library is told where the file called it, tail calls included.
#[test]
fn faults_in_a_library() {
    let text = "
fn f0 @divide(%x: {int}) -> {int} {
b0:
  %zero: {int} = 0
  %y: {int} = divide(%x, %zero) @900..901
  return %y
}

fn f1 @apply(%f: {unary}, %x: {int}) -> {int} {
b0:
  tail call %f(%x) @902..903
}

fn f2 @deep(%f: {unary}, %x: {int}) -> {int} {
b0:
  %y: {int} = call @apply(%f, %x) @904..905
  return %y
}

fn f3 @called(%x: {int}) -> {int} {
b0:
  %f: {unary} = closure @divide() @1..2
  %y: {int} = call @deep(%f, %x) @3..4
  return %y
}

fn f4 @tail(%x: {int}) -> {int} {
b0:
  %f: {unary} = closure @divide() @5..6
  tail call @deep(%f, %x)
}

fn f5 @value(%x: {int}) -> {int} {
b0:
  %f: {unary} = closure @divide() @7..8
  tail call %f(%x)
}

fn f6 @outer(%x: {int}) -> {int} {
b0:
  %y: {int} = call @tail(%x) @9..10
  return %y
}
";
    let table = Table::new(Strategy::Aligned);
    let mut program = table.program(text);
    for id in program.functions.ids() {
        let is_library = id.number() < 3;
        program.functions[id].is_library = is_library;
        for block in program.functions[id].blocks.ids() {
            // The text cannot say where an end comes from.
            program.functions[id].blocks[block].span = Span::new(20 + id.number(), 21 + id.number());
        }
    }
    let mut machine = Machine::new(Arc::new(program), LIMITS);
    for (function, start) in [("@divide", 100), ("@called", 3), ("@tail", 24), ("@value", 25), ("@outer", 24)] {
        let error = try_run(&mut machine, function, &[int(1)]).unwrap_err();
        assert_eq!((error.span.start, error.fault), (start, RunFault::DivisionByZero), "{function}");
    }
}
