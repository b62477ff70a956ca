//! Small functions before and after `reuse` and `counts`.

use super::{NAMES, assert_is_in_order, base, counts, reuse};
use base::Join;
use ir::{Detail, Stage};
use layout::Strategy;

/// A text under `aligned`, after `reuse` and `counts` or after `counts` alone.
fn after(text: &str, with_reuse: bool) -> String {
    let (base, _) = base(Strategy::Aligned);
    let mut program = ir::parse(text, &base, NAMES).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert_is_in_order(&program, Stage::Before, text);
    if with_reuse {
        reuse(&mut program);
        assert_is_in_order(&program, Stage::Before, text);
    }
    counts(&mut program);
    assert_is_in_order(&program, Stage::Counted, text);
    let lines = ir::lines(&program, NAMES, Detail::Plain);
    lines.into_iter().map(|line| line.text + "\n").collect()
}

fn assert_becomes(before: &str, expected: &str) {
    let found = after(before, true);
    assert!(found == expected, "{found}");
}

/// What is used again is copied just before; what is given in vain is dropped right behind.
#[test]
fn twice() {
    assert_becomes(
        "\
fn f0 @twice(%l: l3, %m: l5) -> l7 {
b0:
  v2: l7 = pack (%m, %l)
  v3: l7 = pack (%m, %l)
  v4: l7 = call @twice(%l, %m)
  return v3
}
",
        "\
fn f0 @twice(%l: l3, %m: l5) -> l7 {
b0:
  dup %m
  dup %l
  v2: l7 = pack (%m, %l)
  drop v2
  dup %m
  dup %l
  v3: l7 = pack (%m, %l)
  v4: l7 = call @twice(%l, %m)
  drop v4
  return v3
}
",
    );
}

/// A loop over a list uses each of its blocks again; the token waits for the call.
#[test]
fn map() {
    assert_becomes(
        "\
fn f0 @map(%f: l9, %l: l3) -> l3 {
b0:
  fuel 1
  switch %l { Nil: b1, Cons: b2 }
b1:
  v2: l3 = pack Nil()
  return v2
b2:
  %h: l0, %t: l4 = open Cons %l
  %r: l3 = call %f(%h)
  %tail: l3 = unbox %t
  %s: l3 = call @map(%f, %tail)
  %b: l4 = box %s
  %o: l3 = pack Cons(%h, %b)
  return %o
}
",
        "\
fn f0 @map(%f: l9, %l: l3) -> l3 {
b0:
  fuel 1
  switch %l { Nil: b1, Cons: b2 }
b1:
  drop %f
  drop %l
  v2: l3 = pack Nil()
  return v2
b2:
  %h: l0, %t: l4 = open Cons %l
  dup %f
  %r: l3 = call %f(%h)
  drop %r
  %tail: l3, v10: l14 = unbox %t
  %s: l3 = call @map(%f, %tail)
  %b: l4 = box %s, v10
  %o: l3 = pack Cons(%h, %b)
  return %o
}
",
    );
}

/// What is taken apart for the last time needs no counts.
#[test]
fn tail() {
    assert_becomes(
        "\
fn f0 @tail(%l: l3) -> l3 {
b0:
  switch %l { Nil: b1, Cons: b2 }
b1:
  return %l
b2:
  %h: l0, %t: l4 = open Cons %l
  %r: l3 = unbox %t
  return %r
}
",
        "\
fn f0 @tail(%l: l3) -> l3 {
b0:
  switch %l { Nil: b1, Cons: b2 }
b1:
  return %l
b2:
  %h: l0, %t: l4 = open Cons %l
  %r: l3 = unbox %t
  return %r
}
",
    );
}

/// A list that one arm needs whole is looked at until an arm is certain, and taken apart there.
#[test]
fn second() {
    assert_becomes(
        "\
fn f0 @second(%l: l4) -> l4 {
b0:
  %v: l3 = unbox %l
  switch %v { Nil: b1, Cons: b2 }
b1:
  return %l
b2:
  %h: l0, %t: l4 = open Cons %v
  %w: l3 = unbox %t
  switch %w { Nil: b3, Cons: b4 }
b3:
  return %l
b4:
  %g: l0, %u: l4 = open Cons %w
  %x: l3 = pack Cons(%h, %u)
  %y: l4 = box %x
  return %y
}
",
        "\
fn f0 @second(%l: l4) -> l4 {
b0:
  %v.1: l3 = load %l
  switch %v.1 { Nil: b1, Cons: b2 }
b1:
  return %l
b2:
  %h.2: l0, %t.3: l4 = peek Cons %v.1
  %w.4: l3 = load %t.3
  switch %w.4 { Nil: b3, Cons: b4 }
b3:
  return %l
b4:
  %v.9: l3 = unbox %l
  %h.10: l0, %t.11: l4 = open Cons %v.9
  %w.12: l3, v13: l14 = unbox %t.11
  %g: l0, %u: l4 = open Cons %w.12
  %x: l3 = pack Cons(%h.2, %u)
  %y: l4 = box %x, v13
  return %y
}
",
    );
}

/// A part that is taken while the whole lives on is copied when it is looked at.
#[test]
fn both() {
    assert_becomes(
        "\
fn f0 @both(%l: l4) -> l8 {
b0:
  %v: l3 = unbox %l
  switch %v { Nil: b1, _: b2 }
b1:
  v5: l8 = pack `A()
  return v5
b2:
  %h: l0, %t: l4 = open Cons %v
  v6: l3 = unbox %t
  v7: l8 = call @both(%l)
  v8: l8 = pack `B(v6)
  return v8
}
",
        "\
fn f0 @both(%l: l4) -> l8 {
b0:
  %v: l3 = load %l
  switch %v { Nil: b1, _: b2 }
b1:
  drop %l
  v5: l8 = pack `A()
  return v5
b2:
  %h: l0, %t: l4 = peek Cons %v
  v6: l3 = load %t
  dup v6
  v7: l8 = call @both(%l)
  drop v7
  v8: l8 = pack `B(v6)
  return v8
}
",
    );
}

/// Parameters and constants without a use are dropped at once.
#[test]
fn unused() {
    assert_becomes(
        "\
fn f0 @unused(%a: l2, %b: l2) -> l0 {
b0:
  %c: l2 = add(%b, %b)
  %d: l2 = tensor k0
  check \"%x\" [2] %d
  v4: l0 = 1
  return v4
}
",
        "\
fn f0 @unused(%a: l2, %b: l2) -> l0 {
b0:
  drop %a
  dup %b
  %c: l2 = add(%b, %b)
  drop %c
  %d: l2 = tensor k0
  check \"%x\" [2] %d
  drop %d
  v4: l0 = 1
  return v4
}
",
    );
}

/// What an arm does not need is dropped at its head, and what lives on behind a join is copied for it.
#[test]
fn edges() {
    assert_becomes(
        "\
fn f0 @edges(%c: l1, %a: l2, %b: l2) -> l2 {
b0:
  switch %c { True: b1, False: b2 }
b1:
  jump b3(%a)
b2:
  jump b3(%b)
b3(%r: l2):
  %s: l2 = add(%r, %a)
  return %s
}
",
        "\
fn f0 @edges(%c: l1, %a: l2, %b: l2) -> l2 {
b0:
  switch %c { True: b1, False: b2 }
b1:
  drop %b
  dup %a
  jump b3(%a)
b2:
  jump b3(%b)
b3(%r: l2):
  %s: l2 = add(%r, %a)
  return %s
}
",
    );
}

/// A cell that lives on is copied for each read and write.
#[test]
fn cell() {
    assert_becomes(
        "\
fn f0 @ref(%r: l10) -> l10 {
b0:
  v1: l5 = ref_read %r
  v2: l11 = ref_write %r, v1
  return %r
}
",
        "\
fn f0 @ref(%r: l10) -> l10 {
b0:
  dup %r
  v1: l5 = ref_read %r
  dup %r
  v2: l11 = ref_write %r, v1
  return %r
}
",
    );
}

/// Taking apart what lives on copies the parts that have a use.
#[test]
fn swap() {
    assert_becomes(
        "\
fn f0 @swap(%p: l7) -> l7 {
b0:
  %a: l5, %b: l3 = open %p
  %q: l5 = field .0 %p
  %r: l7 = pack (%q, %b)
  return %r
}
",
        "\
fn f0 @swap(%p: l7) -> l7 {
b0:
  %a: l5, %b: l3 = peek %p
  dup %b
  %q: l5 = field .0 %p
  drop %p
  %r: l7 = pack (%q, %b)
  return %r
}
",
    );
}

/// A closure takes its captures; where a run fails nothing is dropped.
#[test]
fn closure() {
    assert_becomes(
        "\
fn f0 @closure(%a: l2, %s: l8) -> l9 {
b0:
  v2: l9 = closure f1(%a, %s)
  v3: l0 = 1
  v4: l3 = call v2(v3)
  return v2
}

fn f1 code[%a: l2, %s: l8](%x: l0) -> l3 {
b0:
  switch %s { `B: b1, _: b2 }
b1:
  %l: l3 = open `B %s
  return %l
b2:
  fail no_arm
}
",
        "\
fn f0 @closure(%a: l2, %s: l8) -> l9 {
b0:
  v2: l9 = closure code(%a, %s)
  v3: l0 = 1
  dup v2
  v4: l3 = call v2(v3)
  drop v4
  return v2
}

fn f1 code[%a: l2, %s: l8](%x: l0) -> l3 {
b0:
  drop %a
  switch %s { `B: b1, _: b2 }
b1:
  %l: l3 = open `B %s
  return %l
b2:
  fail no_arm
}
",
    );
}

/// A token is used once on each path, so there is none behind the join.
#[test]
fn tokens() {
    assert_becomes(
        "\
fn f0 @tokens(%p: l12, %c: l1, %l: l5, %m: l3) -> l12 {
b0:
  %a: l7 = unbox %p
  switch %c { True: b1, False: b2 }
b1:
  v5: l12 = box %a
  jump b3(v5)
b2:
  v6: l7 = pack (%l, %m)
  v7: l12 = box v6
  jump b3(v7)
b3(%r: l12):
  v9: l7 = pack (%l, %m)
  v10: l12 = box v9
  return v10
}
",
        "\
fn f0 @tokens(%p: l12, %c: l1, %l: l5, %m: l3) -> l12 {
b0:
  %a: l7, v11: l14 = unbox %p
  switch %c { True: b1, False: b2 }
b1:
  v5: l12 = box %a, v11
  jump b3(v5)
b2:
  drop %a
  dup %l
  dup %m
  v6: l7 = pack (%l, %m)
  v7: l12 = box v6, v11
  jump b3(v7)
b3(%r: l12):
  drop %r
  v9: l7 = pack (%l, %m)
  v10: l12 = box v9
  return v10
}
",
    );
}

/// A token without a use on a path is freed at its head.
#[test]
fn other() {
    assert_becomes(
        "\
fn f0 @other(%p: l12, %c: l1) -> l3 {
b0:
  %a: l7 = unbox %p
  %l: l5, %m: l3 = open %a
  switch %c { True: b1, _: b2 }
b1:
  %n: l7 = pack (%l, %m)
  %q: l12 = box %n
  tail call @other(%q, %c)
b2:
  return %m
}
",
        "\
fn f0 @other(%p: l12, %c: l1) -> l3 {
b0:
  %a: l7, v7: l14 = unbox %p
  %l: l5, %m: l3 = open %a
  switch %c { True: b1, _: b2 }
b1:
  %n: l7 = pack (%l, %m)
  %q: l12 = box %n, v7
  tail call @other(%q, %c)
b2:
  drop %l
  free v7
  return %m
}
",
    );
}

/// Without `reuse` there are no tokens.
#[test]
fn counts_alone() {
    let text = "fn f0 f(%b: l4) -> l4 {\nb0:\n  %l: l3 = unbox %b\n  %c: l4 = box %l\n  return %c\n}\n";
    assert_eq!(after(text, false), text);
    assert_eq!(after(text, true), text.replace("%l: l3 =", "%l: l3, v3: l14 =").replace("box %l", "box %l, v3"));
}

/// A variant without fields takes no block, and leaves none.
#[test]
fn no_block_for_nothing() {
    let text = "fn f0 f(%b: l4) -> l4 {\nb0:\n  %l: l3 = unbox %b\n  switch %l { Nil: b1, _: b2 }\nb1:\n  drop %l\n  v3: l0 = 1\n  \
                v4: l3 = pack Nil()\n  v5: l4 = box v4\n  v6: l3 = pack Cons(v3, v5)\n  v7: l4 = box v6\n  return v7\nb2:\n  \
                drop %l\n  v8: l3 = pack Nil()\n  v9: l4 = box v8\n  return v9\n}\n";
    assert_eq!(after(&text.replace("  drop %l\n", ""), true), text);
}

/// Ten thousand switches and joins with few variables take no time to speak of.
#[test]
fn long_functions() {
    let mut text = "fn f0 f(%c: l1, %b: l4) -> l4 {\nb0:\n  jump b1(%b)\n".to_owned();
    for i in 0..10_000 {
        let (at, l) = (3 * i + 1, format!("%l{i}: l4"));
        text +=
            &format!("b{at}({l}):\n  %v{i}: l3 = unbox %l{i}\n  switch %c {{ True: b{}, _: b{} }}\n", at + 1, at + 2);
        text += &format!("b{}:\n  %w{i}: l4 = box %v{i}\n  jump b{}(%w{i})\n", at + 1, at + 3);
        text += &format!("b{}:\n  jump b{}(%l{i})\n", at + 2, at + 3);
    }
    text += "b30001(%l: l4):\n  return %l\n}\n";
    let begin = std::time::Instant::now();
    let counted = after(&text, true);
    assert!(counted.contains("load %l9999") && begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}

/// What lives throughout a long function is kept in mind once, not for each block.
#[test]
fn many_variables_live_long() {
    let n = 2_000;
    let params: Vec<String> = (0..n).map(|i| format!("%a{i}: l2")).collect();
    let mut text = format!("fn f0 f(%c: l1, {}) -> l2 {{\n", params.joined(", "));
    for i in 0..n {
        let at = 3 * i;
        text += &format!("b{at}:\n  switch %c {{ True: b{}, _: b{} }}\n", at + 1, at + 2);
        text += &format!("b{}:\n  jump b{}\nb{}:\n  jump b{}\n", at + 1, at + 3, at + 2, at + 3);
    }
    text += &format!("b{}:\n  v{}: l2 = add(%a0, %a0)\n", 3 * n, n + 1);
    (0..n).for_each(|i| text += &format!("  v{}: l2 = add(%a{i}, v{})\n", n + 2 + i, n + 1 + i));
    text += &format!("  return v{}\n}}\n", 2 * n + 1);
    let (base, _) = base(Strategy::Aligned);
    let mut program = ir::parse(&text, &base, NAMES).unwrap_or_else(|error| panic!("{error:?}"));
    let begin = std::time::Instant::now();
    reuse(&mut program);
    counts(&mut program);
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
    assert_is_in_order(&program, Stage::Counted, "many");
}
