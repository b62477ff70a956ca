//! Programs of a hundred thousand instructions.

use super::{NAMES, assert_is_in_order, base};
use crate::pass::PASSES;
use ir::{FuncId, Program, parse};
use std::fmt::Write;

/// Passes in time that a pass whose time grows with the square would not keep to, on any machine.
fn check(name: &str, text: &str) -> Program {
    let mut program = parse(text, &base(), NAMES).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let mut entries = [FuncId::numbered(program.functions.len() as u32 - 1)];
    for pass in PASSES {
        let start = std::time::Instant::now();
        (pass.run)(&mut program, &mut entries);
        let took = start.elapsed();
        println!("{name} {}: {took:?}", pass.name);
        assert!(took.as_secs() < 10, "{name}: {} takes {took:?}", pass.name);
    }
    program
}

fn main_of(body: impl Fn(&mut String)) -> String {
    let mut text = "fn f0 main(%a: l0, %c: l1, %s: l2) -> l0 {\nb0:\n".to_owned();
    body(&mut text);
    text + "}\n"
}

#[test]
fn a_long_block() {
    let text = main_of(|text| {
        for n in 3..100_003 {
            let _ = match n % 4 {
                0 => writeln!(text, "  v{n}: l0 = {n}"),
                1 => writeln!(text, "  v{n}: l0 = add(%a, v{})", n - 1),
                2 => writeln!(text, "  v{n}: l0 = divide(v{}, %a)", n - 1),
                _ => writeln!(text, "  v{n}: l2 = pack `B(%a)\n  fuel 1"),
            };
        }
        *text += "  return v4\n";
    });
    assert_is_in_order(&check("a long block", &text), "after");
}

/// One after the other, each with its own join.
#[test]
fn a_row_of_branches() {
    let text = main_of(|text| {
        for n in 0..15_000 {
            let (block, var) = (4 * n, 5 * n + 10);
            let _ = writeln!(text, "  switch %s {{ `A: b{}, `B: b{} }}\nb{}:", block + 1, block + 2, block + 1);
            let _ = writeln!(text, "  v{var}: l0 = 1\n  v{}: l2 = pack `B(v{var})", var + 1);
            let _ = writeln!(text, "  jump b{}(v{})\nb{}:", block + 3, var + 1, block + 2);
            let _ = writeln!(text, "  jump b{}(%s)\nb{}(v{}: l2):", block + 3, block + 3, var + 2);
            let _ = writeln!(text, "  fuel 1\n  jump b{}\nb{}:", block + 4, block + 4);
        }
        *text += "  return %a\n";
    });
    check("a row of branches", &text);
}

/// One in the other, and every branch leaves to the same join.
#[test]
fn a_tower_of_branches() {
    const N: usize = 25_000;
    let text = main_of(|text| {
        for n in 0..N {
            let _ = writeln!(text, "  v{}: l1 = less(%a, %a)\n  v{}: l0 = {n}", 3 * n + 3, 3 * n + 4);
            let _ = writeln!(text, "  v{}: l1 = equal(%a, v{})", 3 * n + 5, 3 * n + 4);
            let _ = writeln!(text, "  switch v{} {{ True: b{}, False: b{} }}", 3 * n + 5, 2 * n + 1, 2 * n + 2);
            let _ = writeln!(text, "b{}:\n  jump b{}(v{})\nb{}:", 2 * n + 1, 2 * N + 1, 3 * n + 5, 2 * n + 2);
        }
        let (last, var) = (2 * N + 1, 3 * N + 9);
        let _ = writeln!(text, "  v{var}: l1 = True\n  jump b{last}(v{var})\nb{last}(v{}: l1):", var + 1);
        let _ = writeln!(text, "  switch v{} {{ True: b{}, False: b{} }}", var + 1, last + 1, last + 2);
        let _ = writeln!(
            text,
            "b{}:\n  return %a\nb{}:\n  v{}: l0 = 1\n  return v{}",
            last + 1,
            last + 2,
            var + 2,
            var + 2
        );
    });
    check("a tower of branches", &text);
}

#[test]
fn many_functions() {
    let mut text = String::new();
    for n in 0..12_000 {
        let _ = writeln!(text, "fn f{n} g.{n}(%a: l0, %f: l5) -> l0 {{\nb0:\n  fuel 1");
        let _ = writeln!(text, "  v2: l0 = add(%a, %a)\n  v3: l0 = call %f(v2)\n  v4: l0 = multiply(v3, v2)");
        match n {
            0 => text += "  return v4\n}\n",
            _ if n % 3 == 0 => {
                let _ = writeln!(text, "  v5: l0 = call f{}(v4, %f)\n  v6: l0 = call f{}(v5, %f)", n - 1, n / 2);
                text += "  return v6\n}\n";
            }
            _ => {
                let _ = writeln!(text, "  tail call f{}(v4, %f)\n}}", n - 1);
            }
        }
    }
    check("many functions", &text);
}
