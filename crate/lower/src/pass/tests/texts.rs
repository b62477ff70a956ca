//! Each pass by texts, before and after. The entry is the last function.

use super::{NAMES, assert_is_in_order, base};
use crate::pass::{dead, delay, fold, inline, share};
use ir::{Detail, FuncId, Program, lines, parse};

pub(super) fn check(run: fn(&mut Program, &mut [FuncId]), before: &str, after: &str) {
    let mut program = parse(before, &base(), NAMES).unwrap_or_else(|error| panic!("{error:?}\n{before}"));
    assert_is_in_order(&program, "before");
    let mut entries = [FuncId::numbered(program.functions.len() as u32 - 1)];
    run(&mut program, &mut entries);
    assert_is_in_order(&program, "after");
    assert_eq!(entries, [FuncId::numbered(program.functions.len() as u32 - 1)]);
    let text: String = lines(&program, NAMES, Detail::Plain).into_iter().map(|line| line.text + "\n").collect();
    assert_eq!(text, after, "{text}");
}

#[test]
fn small_functions_become_their_code() {
    check(
        inline,
        "\
fn f0 double(%x: l0) -> l0 {
b0:
  fuel 1
  v1: l0 = add(%x, %x)
  return v1
}

fn f1 or_zero(%s: l2) -> l0 {
b0:
  switch %s { `B: b1, `A: b2 }
b1:
  %y: l0 = open `B %s
  tail call double(%y)
b2:
  v2: l0 = 0
  return v2
}

fn f2 main(%s: l2, %a: l0) -> l0 {
b0:
  %b: l0 = call double(%a)
  %c: l0 = call or_zero(%s)
  %d: l0 = add(%b, %c)
  tail call double(%d)
}
",
        "\
fn f0 double(%x: l0) -> l0 {
b0:
  fuel 1
  v1: l0 = add(%x, %x)
  return v1
}

fn f1 or_zero(%s: l2) -> l0 {
b0:
  switch %s { `B: b1, `A: b2 }
b1:
  %y: l0 = open `B %s
  fuel 1
  v3: l0 = add(%y, %y)
  return v3
b2:
  v2: l0 = 0
  return v2
}

fn f2 main(%s: l2, %a: l0) -> l0 {
b0:
  fuel 1
  v5: l0 = add(%a, %a)
  switch %s { `B: b1, `A: b2 }
b1:
  %y: l0 = open `B %s
  fuel 1
  v8: l0 = add(%y, %y)
  jump b3(v8)
b2:
  v7: l0 = 0
  jump b3(v7)
b3(%c: l0):
  %d: l0 = add(v5, %c)
  fuel 1
  v9: l0 = add(%d, %d)
  return v9
}
",
    );
}

#[test]
fn known_closures_are_called_directly() {
    check(
        inline,
        "\
fn f0 twice(%f: l5, %x: l0) -> l0 {
b0:
  fuel 1
  v2: l0 = call %f(%x)
  tail call %f(v2)
}

fn f1 adder[%n: l0](%x: l0) -> l0 {
b0:
  fuel 1
  v2: l0 = add(%n, %x)
  return v2
}

fn f2 loop(%x: l0) -> l0 {
b0:
  fuel 1
  tail call loop(%x)
}

fn f3 main(%a: l0) -> l0 {
b0:
  %f: l5 = closure adder(%a)
  v2: l0 = call twice(%f, %a)
  tail call loop(v2)
}
",
        "\
fn f0 twice(%f: l5, %x: l0) -> l0 {
b0:
  fuel 1
  v2: l0 = call %f(%x)
  tail call %f(v2)
}

fn f1 adder[%n: l0](%x: l0) -> l0 {
b0:
  fuel 1
  v2: l0 = add(%n, %x)
  return v2
}

fn f2 loop(%x: l0) -> l0 {
b0:
  fuel 1
  tail call loop(%x)
}

fn f3 main(%a: l0) -> l0 {
b0:
  %f: l5 = closure adder(%a)
  fuel 1
  fuel 1
  v4: l0 = add(%a, %a)
  fuel 1
  v5: l0 = add(%a, v4)
  tail call loop(v5)
}
",
    );
}

#[test]
fn numbers_are_computed_and_what_fails_is_left() {
    check(
        fold,
        "\
fn f0 arithmetic() -> l0 {
b0:
  fuel 1
  v0: l0 = 6
  v1: l0 = 7
  fuel 2
  v2: l0 = multiply(v0, v1)
  v3: l0 = 0
  v4: l0 = divide(v2, v3)
  fuel 1
  v7: l8 = 1.5f
  v8: l8 = divide(v7, v7)
  v9: l0 = cast(v8, dtype=\"int32\")
  v10: l0 = clip(v9; a_min=5, a_max=6)
  v5: l1 = less(v2, v3)
  switch v5 { True: b1, False: b2 }
b1:
  return v0
b2:
  v6: l0 = add(v4, v2)
  return v6
}
",
        "\
fn f0 arithmetic() -> l0 {
b0:
  fuel 3
  v0: l0 = 6
  v1: l0 = 7
  v2: l0 = 42
  v3: l0 = 0
  v4: l0 = divide(v2, v3)
  fuel 1
  v7: l8 = 1.5f
  v8: l8 = 1f
  v9: l0 = 1
  v10: l0 = 5
  v5: l1 = False
  v6: l0 = add(v4, v2)
  return v6
}
",
    );
}

#[test]
fn variants_are_known_by_packs_and_cases() {
    check(
        fold,
        "\
fn f0 known(%a: l0, %s: l2) -> l0 {
b0:
  v2: l2 = pack `B(%a)
  v3: l4 = box v2
  v4: l2 = unbox v3
  switch v4 { `A: b1, `B: b2 }
b1:
  fail no_arm
b2:
  %x: l0 = open `B v4
  v6: l3 = pack (%x, %s)
  v7: l2 = field .1 v6
  switch v7 { `A: b3, _: b4 }
b3:
  switch %s { `B: b5, `A: b6 }
b4:
  return %x
b5:
  return %a
b6:
  switch %x { 3: b7, _: b8 }
b7:
  v8: l0 = add(%x, %x)
  return v8
b8:
  return %x
}
",
        "\
fn f0 known(%a: l0, %s: l2) -> l0 {
b0:
  v2: l2 = pack `B(%a)
  v3: l4 = box v2
  v6: l3 = pack (%a, %s)
  switch %s { `A: b1, _: b2 }
b1:
  switch %a { 3: b3, _: b4 }
b2:
  return %a
b3:
  v8: l0 = 6
  return v8
b4:
  return %a
}
",
    );
}

#[test]
fn jumps_go_to_the_case_that_they_know() {
    check(
        fold,
        "\
fn f0 g(%a: l0) -> l2 {
b0:
  fuel 1
  v1: l2 = pack `B(%a)
  return v1
}

fn f1 thread(%a: l0, %c: l1) -> l0 {
b0:
  switch %c { True: b1, False: b2 }
b1:
  v2: l2 = pack `B(%a)
  jump b3(v2)
b2:
  v3: l2 = call g(%a)
  jump b3(v3)
b3(%s: l2):
  fuel 1
  switch %s { `B: b4, `A: b5 }
b4:
  %x: l0 = open `B %s
  jump b6(%x)
b5:
  jump b6(%a)
b6(%r: l0):
  return %r
}
",
        "\
fn f0 g(%a: l0) -> l2 {
b0:
  fuel 1
  v1: l2 = pack `B(%a)
  return v1
}

fn f1 thread(%a: l0, %c: l1) -> l0 {
b0:
  switch %c { True: b1, False: b2 }
b1:
  v2: l2 = pack `B(%a)
  fuel 1
  jump b4(v2)
b2:
  v3: l2 = call g(%a)
  fuel 1
  switch v3 { `B: b3, `A: b5 }
b3:
  jump b4(v3)
b4(%s: l2):
  %x: l0 = open `B %s
  return %x
b5:
  return %a
}
",
    );
}

#[test]
fn equal_values_are_computed_once_but_effects_stay() {
    check(
        share,
        "\
fn f0 main(%a: l0, %b: l0, %c: l1, %t: l9, %u: l10) -> l0 {
b0:
  v5: l0 = add(%a, %b)
  v6: l0 = divide(%a, %b)
  v7: l0 = 2
  v8: l0 = divide(%a, v7)
  v9: l9 = add(%t, %t)
  v10: l10 = add(%u, %u)
  switch %c { True: b1, False: b2 }
b1:
  v11: l0 = add(%a, %b)
  v12: l0 = divide(%a, %b)
  v13: l0 = 2
  v14: l0 = divide(%a, v13)
  v15: l9 = add(%t, %t)
  v16: l10 = add(%u, %u)
  v17: l0 = multiply(v11, v14)
  jump b3(v17)
b2:
  v18: l0 = multiply(v5, v8)
  jump b3(v18)
b3(v19: l0):
  v20: l0 = multiply(v5, v8)
  return v19
}
",
        "\
fn f0 main(%a: l0, %b: l0, %c: l1, %t: l9, %u: l10) -> l0 {
b0:
  v5: l0 = add(%a, %b)
  v6: l0 = divide(%a, %b)
  v7: l0 = 2
  v8: l0 = divide(%a, v7)
  v9: l9 = add(%t, %t)
  v10: l10 = add(%u, %u)
  switch %c { True: b1, False: b2 }
b1:
  v12: l0 = divide(%a, %b)
  v16: l10 = add(%u, %u)
  v17: l0 = multiply(v5, v8)
  jump b3(v17)
b2:
  v18: l0 = multiply(v5, v8)
  jump b3(v18)
b3(v19: l0):
  v20: l0 = multiply(v5, v8)
  return v19
}
",
    );
}

#[test]
fn what_nothing_uses_is_left_out() {
    check(
        dead,
        "\
global g0 %unused: l0 = unused
global g1 %used: l0 = init

fn f0 unused() -> l0 {
b0:
  v0: l0 = 1
  return v0
}

fn f1 init() -> l0 {
b0:
  v0: l0 = 1
  return v0
}

fn f2 same(%x: l0) -> l0 {
b0:
  return %x
}

fn f3 main(%a: l0, %c: l1, %s: l2) -> l0 {
b0:
  v3: l0 = 0
  v4: l0 = divide(%a, v3)
  v5: l0 = add(%a, v3)
  v6: l5 = closure same()
  v7: l0 = 2
  v8: l0 = divide(%a, v7)
  v9: l0 = global %used
  switch %c { True: b1, False: b2 }
b1:
  jump b3(v5, %a)
b2:
  jump b3(v3, v7)
b3(v10: l0, v11: l0):
  v12: l0 = add(v11, v11)
  return v12
}
",
        "\
global g0 %used: l0 = init

fn f0 init() -> l0 {
b0:
  v0: l0 = 1
  return v0
}

fn f1 main(%a: l0, %c: l1, %s: l2) -> l0 {
b0:
  v3: l0 = 0
  v4: l0 = divide(%a, v3)
  v5: l0 = 2
  v6: l0 = global %used
  switch %c { True: b1, False: b2 }
b1:
  jump b3(%a)
b2:
  jump b3(v5)
b3(v7: l0):
  v8: l0 = add(v7, v7)
  return v8
}
",
    );
}

#[test]
fn jumps_to_where_nothing_happens_go_on() {
    check(
        fold,
        "\
fn f0 main(%a: l0, %c: l1, %f: l5) -> l0 {
b0:
  switch %c { True: b1, False: b2 }
b1:
  v3: l0 = call %f(%a)
  jump b4(v3, %a)
b2:
  switch %a { 0: b3, _: b5 }
b3:
  fuel 1
  jump b4(%a, %a)
b4(v4: l0, v5: l0):
  jump b6(v4, v5)
b5:
  jump b6(%a, %a)
b6(v6: l0, v7: l0):
  return v6
}
",
        "\
fn f0 main(%a: l0, %c: l1, %f: l5) -> l0 {
b0:
  switch %c { True: b1, False: b2 }
b1:
  v3: l0 = call %f(%a)
  return v3
b2:
  switch %a { 0: b3, _: b4 }
b3:
  fuel 1
  return %a
b4:
  return %a
}
",
    );
}

#[test]
fn boxes_cancel_and_closures_are_known() {
    check(
        fold,
        "\
fn f0 main[%b: l4, %f: l5](%a: l0) -> l0 {
b0:
  v3: l2 = unbox %b
  v4: l4 = box v3
  switch v3 { `B: b1, `A: b2 }
b1:
  v5: l2 = unbox v4
  switch v5 { `B: b3, `A: b4 }
b2:
  v6: l5 = closure main(%b, %f)
  tail call v6(%a)
b3:
  %x: l0 = open `B v5
  return %x
b4:
  fail no_arm
}
",
        "\
fn f0 main[%b: l4, %f: l5](%a: l0) -> l0 {
b0:
  v3: l2 = unbox %b
  switch v3 { `B: b1, `A: b2 }
b1:
  v5: l2 = unbox %b
  %x: l0 = open `B v5
  return %x
b2:
  v6: l5 = closure main(%b, %f)
  tail call main(%b, %f, %a)
}
",
    );
}

#[test]
fn a_default_may_leave_one_case() {
    check(
        fold,
        "\
fn f0 main(%a: l0, %s: l2, %c: l1) -> l0 {
b0:
  switch %s { `A: b1, _: b2 }
b1:
  switch %c { True: b3, _: b4 }
b2:
  switch %s { `B: b5, _: b6 }
b3:
  return %a
b4:
  switch %c { False: b7, _: b8 }
b5:
  %x: l0 = open `B %s
  return %x
b6:
  fail no_arm
b7:
  return %a
b8:
  fail no_arm
}
",
        "\
fn f0 main(%a: l0, %s: l2, %c: l1) -> l0 {
b0:
  switch %s { `A: b1, _: b2 }
b1:
  switch %c { True: b3, _: b4 }
b2:
  %x: l0 = open `B %s
  return %x
b3:
  return %a
b4:
  return %a
}
",
    );
}

#[test]
fn what_one_branch_needs_is_found_there() {
    check(
        delay,
        "\
fn f0 main(%s: l2, %n: l0) -> l0 {
b0:
  v2: l0 = add(%n, %n)
  v3: l0 = add(v2, %n)
  v4: l0 = 7
  switch %s { `B: b1, `A: b2 }
b1:
  v5: l0 = add(v3, v4)
  return v5
b2:
  return v4
}
",
        "\
fn f0 main(%s: l2, %n: l0) -> l0 {
b0:
  v4: l0 = 7
  switch %s { `B: b1, `A: b2 }
b1:
  v2: l0 = add(%n, %n)
  v3: l0 = add(v2, %n)
  v5: l0 = add(v3, v4)
  return v5
b2:
  return v4
}
",
    );
}
