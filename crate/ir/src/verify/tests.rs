//! A text for each rule that breaks it.

use crate::tests::{NAMES, base};
use crate::{FuncId, Stage, VarId, parse, verify};
use base::Join;
use layout::LayoutId;

fn messages(text: &str, stage: Stage) -> Vec<String> {
    let program = parse(text, &base(), NAMES).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&program, stage).into_iter().map(|violation| violation.to_string()).collect()
}

/// Functions that others call, and a global.
const AROUND: &str = "
global g0 %k: l0 = init
fn f1 init() -> l0 {
b0:
  v0: l0 = 1
  return v0
}
fn f2 @code[%a: l2](%x: l0) -> l0 {
b0:
  return %x
}
fn f3 @list(%x: l4) -> l4 {
b0:
  return %x
}
";

/// Parameters and body of a function with the result `int32`.
fn body(body: &str) -> String {
    let lines = body.split("; ").collect::<Vec<_>>().joined("\n");
    let (params, lines) = lines.split_once('\n').unwrap();
    format!("fn f0 f({params}) -> l0 {{\nb0:\n{lines}\n}}{AROUND}")
}

#[test]
fn good_programs_break_no_rule() {
    let cases = [
        "%x: l0; return %x",
        "%x: l0; switch %x { 1: b1, _: b2 }; b1:; jump b3(%x); b2:; v1: l0 = global %k; jump b3(v1); b3(v2: l0):; return v2",
        "%x: l0, %b: l1; switch %b { True: b1, False: b2 }; b1:; fail no_arm; b2:; %t: l2 = tensor k0; tail call @code(%t, %x)",
        "%x: l4, %i: l0; v2: l3 = unbox %x; switch v2 { Nil: b1, Cons: b2 }; b1:; return %i; b2:; v3: l0, v4: l4 = open Cons v2; v5: l4 = call @list(v4); return v3",
        "%a: l2, %x: l0; v2: l5 = closure @code(%a); tail call v2(%x)",
        "%x: l0; v1: l6 = ref_new %x; v2: l8 = ref_write v1, %x; v3: l0 = ref_read v1; return v3",
        "%x: l0; v1: l11 = box %x; v2: l0 = unbox v1; return v2",
    ];
    for case in cases {
        let case = case
            .replace("v9, %x", "%t, %x")
            .replace("b2:; tail call @code(%t", "b2:; %t: l2 = tensor k0; tail call @code(%t");
        assert_eq!(messages(&body(&case), Stage::Before), [""; 0], "{case}");
    }
}

#[test]
fn each_rule_has_a_text_that_breaks_it() {
    let cases = [
        // Ids.
        ("%x: l99; return %x", "f0: l99 does not exist"),
        ("%x: l0; jump b7", "f0: b7 does not exist"),
        ("; v0: l0 = call f9(); return v0", "f0 b0:0: f9 does not exist"),
        ("; v0: l0 = global g9; return v0", "f0 b0:0: g9 does not exist"),
        ("; v0: l2 = tensor k9; fail no_arm", "f0 b0:0: k9 does not exist"),
        ("; v0: l5 = closure f9(); fail no_arm", "f0 b0:0: f9 does not exist"),
        // Graph.
        ("; jump b0", "f0 b0:0: leads back to b0"),
        ("; fail no_arm; b1:; fail no_arm", "f0 b1:0: cannot be reached"),
        ("%x: l0; switch %x { 1: b1, _: b1 }; b1:; return %x", "f0 b0:0: switches to b1, which has another way in"),
        ("%x: l0; switch %x { _: b1 }; b1(%y: l0):; return %x", "f0 b0:0: switches to b1, which has parameters"),
        // Variables.
        ("%x: l0, v5: l0; v5: l0 = 1; return %x", "f0 b0:0: v5 is given twice"),
        (
            "; v1: l0 = field .0 v0; v0: l9 = pack (v1, v2); v2: l2 = tensor k0; return v1",
            "f0 b0:0: v0 is not given before",
        ),
        (
            "%x: l0; switch %x { 1: b1, _: b2 }; b1:; v1: l0 = 1; jump b3; b2:; jump b3; b3:; return v1",
            "f0 b3:0: v1 is not given before",
        ),
        // Layouts.
        ("; v0: l0 = 0.5f; return v0", "f0 b0:0: a literal that is no int32"),
        ("; v0: l0 = 5000000000i64; return v0", "f0 b0:0: a literal that is no int32"),
        ("; v0: l4 = 3; fail no_arm", "f0 b0:0: a literal gives a scalar"),
        ("; v0: l0 = tensor k0; return v0", "f0 b0:0: k0 is no tensor of this type"),
        ("%x: l0; v1: l3 = pack Cons(%x); fail no_arm", "f0 b0:0: expected 2 fields, found 1"),
        ("%x: l0; v1: l3 = pack Cons(%x, %x); fail no_arm", "f0 b0:0: fields: expected l4, found l0"),
        ("%x: l0; v1: l3 = pack #2(); fail no_arm", "f0 b0:0: there is no variant #2"),
        ("%x: l0; v1: l0 = pack #2(); fail no_arm", "f0 b0:0: l0 is no sum"),
        ("%x: l3; v1: l0 = open Cons %x; return v1", "f0 b0:0: expected 2 fields, found 1"),
        ("%x: l3; v1: l4 = field Cons.0 %x; fail no_arm", "f0 b0:0: the field: expected l0, found l4"),
        ("%x: l3; v1: l4 = field Cons.2 %x; fail no_arm", "f0 b0:0: there is no field 2"),
        ("%x: l0; v1: l4 = box %x; fail no_arm", "f0 b0:0: the content: expected l3, found l0"),
        ("%x: l0; v1: l6 = box %x; fail no_arm", "f0 b0:0: l6 is no box of l0"),
        ("%x: l4; v1: l0 = unbox %x; return v1", "f0 b0:0: the content: expected l3, found l0"),
        ("%x: l4; v1: l3, v2: l15 = unbox %x; fail no_arm", "f0 b0:0: a token of another size"),
        ("%x: l4; v1: l3, v2: l0 = unbox %x; fail no_arm", "f0 b0:0: v2 is no token"),
        ("%x: l4; v1: l3, v2: l7, v3: l7 = unbox %x; fail no_arm", "f0 b0:0: expected 1 results, found 3"),
        ("%x: l0; v1: l5 = closure @code(%x); fail no_arm", "f0 b0:0: captures: expected l2, found l0"),
        ("%x: l2; v1: l0 = closure @code(%x); fail no_arm", "f0 b0:0: v1 is no closure"),
        ("; v0: l5 = closure init(); fail no_arm", "f0 b0:0: a closure with another number of parameters"),
        ("; v0: l5 = closure @list(); fail no_arm", "f0 b0:0: a parameter: expected l0, found l4"),
        ("%x: l0; v1: l0 = call @list(%x); return v1", "f0 b0:0: arguments: expected l4, found l0"),
        ("%x: l4; v1: l0 = call @list(%x); return v1", "f0 b0:0: the result: expected l4, found l0"),
        ("%x: l4; v1: l4 = call @list(); fail no_arm", "f0 b0:0: expected 1 arguments, found 0"),
        ("%f: l5; v1: l0 = call %f(); return v1", "f0 b0:0: expected 1 arguments, found 0"),
        ("%f: l5, %x: l4; v2: l0 = call %f(%x); return v2", "f0 b0:0: arguments: expected l0, found l4"),
        ("%f: l0; v1: l0 = call %f(); return v1", "f0 b0:0: %f is no closure"),
        ("; v0: l0 = call (); return v0", "f0 b0:0: calls nothing"),
        ("%x: l0; v1: l0 = add(%x); return v1", "f0 b0:0: expected 2 arguments, found 1"),
        ("%x: l4; v1: l6 = ref_new %x; fail no_arm", "f0 b0:0: the content: expected l0, found l4"),
        ("%x: l0; v1: l0 = ref_read %x; return v1", "f0 b0:0: %x is no reference"),
        ("%x: l0, %r: l6; v2: l0 = ref_write %r, %x; return v2", "f0 b0:0: a write gives the empty tuple"),
        ("; v0: l2 = global %k; fail no_arm", "f0 b0:0: the global: expected l0, found l2"),
        ("%x: l4; check \"%x\" [1] %x; fail no_arm", "f0 b0:0: checks 1 sizes of what has not as many"),
        ("%x: l2; check \"%x\" [1] %x; fail no_arm", "f0 b0:0: checks 1 sizes of what has not as many"),
        ("%x: l4; jump b1(%x); b1(%y: l0):; return %y", "f0 b0:0: arguments: expected l0, found l4"),
        ("%x: l4; jump b1; b1(%y: l0):; return %y", "f0 b0:0: expected 1 arguments, found 0"),
        ("%x: l4; return %x", "f0 b0:0: the result: expected l0, found l4"),
        ("%x: l4; tail call @list(%x)", "f0 b0:0: the result: expected l4, found l0"),
        // Switches.
        ("%x: l4; switch %x { _: b1 }; b1:; fail no_arm", "f0 b0:0: switches on neither sum nor scalar"),
        (
            "%x: l3; switch %x { Nil: b1, #0: b2, Cons: b3 }; b1:; fail no_arm; b2:; fail no_arm; b3:; fail no_arm",
            "f0 b0:0: a second case of #0",
        ),
        ("%x: l3; switch %x { #2: b1, _: b2 }; b1:; fail no_arm; b2:; fail no_arm", "f0 b0:0: there is no variant #2"),
        ("%x: l3; switch %x { Nil: b1 }; b1:; fail no_arm", "f0 b0:0: a default is missing"),
        ("%x: l0; switch %x { 1: b1 }; b1:; fail no_arm", "f0 b0:0: a default is missing"),
        ("%x: l1; switch %x { True: b1 }; b1:; fail no_arm", "f0 b0:0: a default is missing"),
        (
            "%x: l0; switch %x { 1: b1, 1: b2, _: b3 }; b1:; fail no_arm; b2:; fail no_arm; b3:; fail no_arm",
            "f0 b0:0: a second case of a literal",
        ),
        (
            "%x: l1; switch %x { 2: b1, _: b2 }; b1:; fail no_arm; b2:; fail no_arm",
            "f0 b0:0: a literal that is no bool",
        ),
        ("%x: l0; switch %x { #1: b1, _: b2 }; b1:; fail no_arm; b2:; fail no_arm", "f0 b0:0: a variant for a scalar"),
        // Before counts.
        ("%x: l4; dup %x; fail no_arm", "f0 b0:0: comes only with counts"),
        ("%x: l4; drop %x; fail no_arm", "f0 b0:0: comes only with counts"),
        ("%x: l7; free %x; fail no_arm", "f0 b0:0: comes only with counts"),
        ("%x: l4; v1: l3 = load %x; fail no_arm", "f0 b0:0: comes only with counts"),
        ("%x: l3; v1: l0, v2: l4 = peek Cons %x; return v1", "f0 b0:0: comes only with counts"),
    ];
    for (case, message) in cases {
        let text = body(case);
        let found: Vec<String> = messages(&text, Stage::Before);
        // A variable is told of by its number.
        let message = message.replace("%f ", "v0 ").replace("%x is", "v0 is");
        assert!(found.contains(&message), "{case}\n{found:?}");
    }
}

/// As [`body`], where the other functions are counted too.
fn counted(text: &str) -> String {
    body(text).replace("@code[%a: l2](%x: l0) -> l0 {\nb0:", "@code[%a: l2](%x: l0) -> l0 {\nb0:\ndrop %a")
}

#[test]
fn counts_are_looked_at_after_counts() {
    let good = [
        "%x: l4, %i: l0; drop %x; return %i",
        "%x: l4; dup %x; v1: l4 = call @list(%x); drop v1; drop %x; v2: l0 = 1; return v2",
        "%x: l4; v1: l3 = load %x; switch v1 { Nil: b1, Cons: b2 }; b1:; fail no_arm; b2:; v2: l0, v3: l4 = peek Cons v1; dup v3; drop %x; drop v3; return v2",
        "%x: l4; v1: l3, v2: l7 = unbox %x; v3: l4 = box v1, v2; drop v3; v4: l0 = 1; return v4",
        "%x: l4, %b: l1; switch %b { True: b1, False: b2 }; b1:; drop %x; jump b3; b2:; v4: l4 = call @list(%x); drop v4; jump b3; b3:; v9: l0 = 0; return v9",
        "%x: l4; v1: l3, v2: l7 = unbox %x; free v2; drop v1; v4: l0 = 1; return v4",
    ];
    for case in good {
        assert_eq!(messages(&counted(case), Stage::Counted), [""; 0], "{case}");
    }
    let bad = [
        ("%x: l4, %i: l0; return %i", "f0 b0:0: v0 is never taken"),
        ("%x: l4, %i: l0; drop %x; drop %x; return %i", "f0 b0:1: v0 is taken, but not owned"),
        (
            "%x: l4; drop %x; v1: l3 = load %x; v2: l0 = field Cons.0 v1; return v2",
            "f0 b0:1: v0 is looked at, but not owned",
        ),
        (
            "%x: l4; v1: l3 = load %x; drop %x; v2: l0 = field Cons.0 v1; return v2",
            "f0 b0:2: v1 is looked at, but not owned",
        ),
        ("%x: l4; v1: l3 = load %x; drop %x; drop v1; fail no_arm", "f0 b0:2: v1 is taken, but not owned"),
        ("%x: l4; v1: l3, v2: l7 = unbox %x; drop v1; drop v2; v3: l0 = 1; return v3", "f0 b0:2: a token: v2"),
        ("%x: l4; v1: l3, v2: l7 = unbox %x; drop v1; v3: l0 = 1; return v3", "f0 b0:3: v2 is never taken"),
        ("%x: l4; v1: l3, v2: l7 = unbox %x; dup v2; fail no_arm", "f0 b0:1: a token: v2"),
        ("%x: l0; drop %x; return %x", "f0 b0:0: v0 is not counted"),
        (
            "%x: l4, %b: l1; switch %b { True: b1, False: b2 }; b1:; drop %x; jump b3; b2:; jump b3; b3:; v9: l0 = 0; return v9",
            "f0 b2:0: b3 is reached with other owned variables",
        ),
    ];
    for (case, message) in bad {
        let found = messages(&counted(case), Stage::Counted);
        assert!(found.iter().any(|found| found == message), "{case}\n{found:?}");
    }
}

#[test]
fn ids_that_no_text_has_and_globals() {
    let program = parse(&body("%x: l0; return %x"), &base(), NAMES).unwrap();
    let found = |change: &dyn Fn(&mut crate::Program)| {
        let mut program = program.clone();
        change(&mut program);
        verify(&program, Stage::Before).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        found(&|p| p.functions[FuncId::numbered(0)].params = vec![VarId::numbered(9)]),
        ["f0: v9 does not exist"]
    );
    assert_eq!(
        found(&|p| p.functions[FuncId::numbered(0)].n_captures = 2),
        ["f0: a captured parameter does not exist"]
    );
    assert_eq!(
        found(&|p| p.functions[FuncId::numbered(0)].result = LayoutId::numbered(99)),
        ["f0: l99 does not exist"]
    );
    assert_eq!(found(&|p| p.functions[FuncId::numbered(0)].blocks.truncate(0)), ["f0: b0 does not exist"]);
    let global = crate::GlobalId::numbered(0);
    assert_eq!(found(&|p| p.globals[global].init = FuncId::numbered(9)), ["the function of g0 does not exist"]);
    assert_eq!(found(&|p| p.globals[global].init = FuncId::numbered(0)), ["the function of g0 has parameters"]);
    assert_eq!(
        found(&|p| p.globals[global].layout = LayoutId::numbered(1)),
        ["the function of g0 gives another layout"]
    );
    assert_eq!(found(&|p| p.globals[global].layout = LayoutId::numbered(99)), ["g0 has no layout"]);
    let block = parse("fn f0 f() -> l0 {\nb0(%x: l0):\n  return %x\n}", &base(), NAMES).unwrap();
    let messages: Vec<String> = verify(&block, Stage::Before).iter().map(ToString::to_string).collect();
    assert_eq!(messages, ["f0 b0:0: the first block has parameters"]);
}
