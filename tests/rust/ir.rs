//! The IR of every program passes the verifier after lowering and after every pass, under every strategy, and its text
//! parses back to it; and it stays
//! linear in the text where a translation without sharing would not.

use base::Surface;
use ir::{Detail, Program, Stage};
use layout::Strategy;
use session::{Analysis, Fusion, compile, ir_names};
use tests::facts::is_soak;
use tests::page::cases;
use tests::programs::Program as RandomProgram;
use tests::{files, root};

const N_RANDOM: u64 = 2_000;
const N_SOAK: u64 = 100_000;

/// The first thing that the verifier says, and after which pass.
fn violation(analysis: &Analysis) -> Option<String> {
    let functions = analysis.compilable();
    Strategy::ALL.into_iter().find_map(|strategy| {
        let mut said = None;
        compile(analysis, &functions, strategy, Fusion::On, &mut |pass, program| {
            let stage = if pass == "counts" { Stage::Counted } else { Stage::Before };
            // Tokens of freed blocks are accounted for by the counts, which come next.
            let found = if pass == "reuse" { None } else { ir::verify(program, stage).into_iter().next() };
            if let (None, Some(violation)) = (&said, found) {
                said = Some(format!("{} after {pass}: {violation}", strategy.name()));
            }
            // Texts are long, so they are read where programs differ most: as they are lowered and as they are run.
            if said.is_none() && strategy == Strategy::Aligned && matches!(pass, "lower" | "counts") {
                let misread = misread(analysis, program);
                said = misread.map(|said| format!("{} after {pass}: {said}", strategy.name()));
            }
        });
        said
    })
}

/// What is different in the program that the exact text of a program parses to.
fn misread(analysis: &Analysis, program: &Program) -> Option<String> {
    let names = ir_names(analysis);
    let text = ir::print(program, names, Detail::Exact);
    let again = match ir::parse(&text, program, names) {
        Ok(again) => again,
        Err(error) => return Some(format!("its text is refused: {error:?}\n{text}")),
    };
    if again.functions.len() != program.functions.len() || again.globals != program.globals {
        return Some(format!("its text reads as another program\n{text}"));
    }
    // Not a number is equal to nothing, but it looks alike. Who wrote an attribute is no part of what it is.
    let pairs = program.functions.iter().zip(again.functions.iter()).filter(|(function, again)| function != again);
    let shown = |function: &ir::Function| {
        let text = format!("{function:?}");
        let (first, rest) = text.split_once("written: [").unwrap_or((&text, ""));
        let parts = rest.split("written: [").map(|part| part.split_once(']').map_or("", |(_, behind)| behind));
        first.to_owned() + &parts.collect::<String>()
    };
    let mut texts = pairs.map(|(function, again)| (shown(function), shown(again)));
    let (function, again) = texts.find(|(function, again)| function != again)?;
    Some(format!("its text reads as another function\n{function}\n{again}"))
}

#[test]
fn examples_of_pages_are_verified_after_every_pass() {
    let mut found = Vec::new();
    for path in files(&root().join("tests/pages"), "md") {
        let markdown = std::fs::read_to_string(&path).unwrap_or_default();
        for case in cases(&markdown) {
            let analysis = Analysis::in_surface(&case.program, case.surface);
            found.extend(violation(&analysis).map(|said| format!("{}: {}: {said}", path.display(), case.heading)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn random_programs_are_verified_after_every_pass() {
    for seed in 0..if is_soak() { N_SOAK } else { N_RANDOM } {
        let text = RandomProgram::new(seed).text();
        if let Some(said) = violation(&Analysis::new(&text)) {
            panic!("seed {seed}: {said}\n{text}");
        }
    }
}

/// The families on which the original's IR grows exponentially.
fn refining_fields(n: usize) -> String {
    let repeated = |text: &str| vec![text; n].join(" ");
    format!(
        "let x : [V {}, W] = V {} in match x with | V {} as y -> y | W -> U",
        repeated("[A, B, C]"),
        repeated("A"),
        repeated("_")
    )
}

fn chain_of_refinements(n: usize) -> String {
    let step = |i: usize| format!("let x{} = match x{i} with | A | B | C as y{i} -> y{i} in\n", i + 1);
    format!("let x0 : [A, B, C] = A in\n{}x{n}", (0..n).map(step).collect::<String>())
}

fn nested_or_bodies(n: usize) -> String {
    let body = (0..n).fold("R".to_owned(), |inner, i| format!("match x with | A | B -> ({inner}) | C -> S{}", i % 3));
    format!("let x : [A, B, C] = A in {body}")
}

#[test]
fn ir_is_linear_in_the_text() {
    let n_lines = |program: &str, strategy| {
        let analysis = Analysis::in_surface(program, Surface::Refine);
        let mut most = 0;
        compile(&analysis, &analysis.compilable(), strategy, Fusion::On, &mut |_, program| {
            let blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
            most = most.max(blocks.map(|block| block.instrs.len() + 1).sum::<usize>());
        });
        most
    };
    for (name, family) in [
        ("fields", refining_fields as fn(usize) -> String),
        ("chain", chain_of_refinements),
        ("or-bodies", nested_or_bodies),
    ] {
        for strategy in Strategy::ALL {
            let (small, large) = (n_lines(&family(20), strategy), n_lines(&family(80), strategy));
            println!("{name} {}: {small} instructions at 20, {large} at 80", strategy.name());
            assert!(large <= 5 * small, "{name} {}: {small} at 20, {large} at 80", strategy.name());
        }
    }
}
