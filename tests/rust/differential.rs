//! Every way of running a program gives what the evaluator gives: the same values as text, and run-time errors of the
//! same codes, in the same order.
//!
//! The programs are random ones of the whole language, the examples of the pages, and the recorded facts that have
//! values. A random program on which two disagree is made smaller for as long as they do, and printed with its seed.

use base::Surface;
use layout::Strategy;
use serde_json::Value as Json;
use session::{Analysis, Fusion, Inputs, Options, Outcome, evaluate, run};
use std::collections::BTreeMap;
use tests::facts::{self, N_SAMPLED, carried, corpus, is_soak, items, refine, text};
use tests::page::cases;
use tests::programs::Program;
use tests::{files, root};

const N_CASES: u64 = 2_000;
const N_SOAK: u64 = 100_000;

/// Expressions that have no value but a run-time error are of no use: of 100 at most this many may be.
const MAX_FAILING: usize = 15;

/// Every way of running a program, the evaluator first: it is the meaning.
fn engines(analysis: &Analysis, options: &Options) -> Vec<(&'static str, Outcome)> {
    let mut found = vec![("the evaluator", evaluate(analysis, options))];
    for strategy in Strategy::ALL {
        let outcome = run(analysis, &Options { layout: strategy, ..options.clone() });
        found.push((strategy.name(), outcome));
    }
    found.push(("without fusion", run(analysis, &Options { fusion: Fusion::Off, ..options.clone() })));
    found
}

/// What a person sees of a run.
fn seen(analysis: &Analysis, outcome: &Outcome) -> Vec<String> {
    let line = |value: &session::RunValue| analysis.lines().line_of(value.span.start);
    let values = outcome.values.iter().map(|value| {
        let shown = analysis.show(value).unwrap_or_else(|| "no value".to_owned());
        format!("line {}: {shown}", line(value))
    });
    values.chain(outcome.diagnostics.iter().map(|said| said.code.to_string())).collect()
}

/// Where an engine shows something else than the evaluator, in words, or keeps bytes when the values have been dropped.
///
/// Runs that end for lack of fuel or memory are not compared, nor programs with endlessly many instances.
fn difference(analysis: &Analysis, outcomes: &[(&str, Outcome)]) -> Option<String> {
    let is_short = |(_, outcome): &(&str, Outcome)| {
        outcome
            .diagnostics
            .iter()
            .any(|said| ["out-of-fuel", "out-of-memory", "endless-instances"].contains(&said.code))
    };
    if let Some((name, outcome)) = outcomes.iter().find(|(_, outcome)| outcome.live_bytes != 0) {
        return Some(format!("  {name}: {} bytes are live after the values have been dropped", outcome.live_bytes));
    }
    if outcomes.iter().any(is_short) {
        return None;
    }
    let ((first, meaning), others) = outcomes.split_first()?;
    let want = seen(analysis, meaning);
    others.iter().find_map(|(name, outcome)| {
        let found = seen(analysis, outcome);
        let at = (0..want.len().max(found.len())).find(|&at| want.get(at) != found.get(at))?;
        let nothing = || "nothing".to_owned();
        let [want, found] = [&want, &found].map(|seen| seen.get(at).cloned().unwrap_or_else(nothing));
        Some(format!("  {first}: {want}\n  {name}: {found}"))
    })
}

/// For small programs: a run that does not end is cut off soon.
fn small() -> Options<'static> {
    Options { fuel: 100_000, memory: 1 << 28, ..Options::default() }
}

fn differs(text: &str) -> Option<String> {
    let analysis = Analysis::new(text);
    if !facts::errors(&analysis).is_empty() {
        return None;
    }
    difference(&analysis, &engines(&analysis, &small()))
}

#[test]
fn random_programs_have_one_meaning() {
    let n = if is_soak() { N_SOAK } else { N_CASES };
    let (mut refused, mut failing) = (BTreeMap::<String, u64>::new(), BTreeMap::<String, usize>::new());
    let (mut n_refused, mut n_values, mut found) = (0, 0, Vec::new());
    let mut features = BTreeMap::<&str, u64>::new();
    for seed in 0..n {
        let program = Program::new(seed);
        let text = program.text();
        let analysis = Analysis::new(&text);
        if let Some(error) = facts::errors(&analysis).first() {
            n_refused += 1;
            *refused.entry(error.split(':').next().unwrap_or_default().to_owned()).or_default() += 1;
            continue;
        }
        program.features.iter().for_each(|&feature| *features.entry(feature).or_default() += 1);
        let outcomes = engines(&analysis, &small());
        let (_, meaning) = &outcomes[0];
        n_values += meaning.values.len();
        for said in &meaning.diagnostics {
            *failing.entry(said.code.to_string()).or_default() += 1;
        }
        let n_without = meaning.values.iter().filter(|value| value.value.is_none()).count();
        // The error of a type leaves all without a value that have to do with it, be it none or many.
        let is_of_type = meaning.diagnostics.iter().any(|said| said.code == "endless-instances");
        let is_told = is_of_type || n_without == meaning.diagnostics.len();
        assert!(is_told, "seed {seed}: a value or an error, never neither\n{text}");
        if difference(&analysis, &outcomes).is_some() {
            let smallest = program.reduced(|text| differs(text).is_some()).text();
            found.push(format!("seed {seed}:\n{smallest}\n{}", differs(&smallest).unwrap_or_default()));
            if found.len() == 5 {
                break;
            }
        }
    }
    assert!(found.is_empty(), "{} random programs have two meanings:\n{}", found.len(), found.join("\n"));
    let shares: Vec<String> =
        features.iter().map(|(feature, k)| format!("{feature} {:.1} %", 100.0 * *k as f64 / n as f64)).collect();
    println!("{n} random programs with {n_values} values; refused {refused:?}; failing {failing:?}");
    println!("of them use {}", shares.join(", "));
    assert!(n_refused * 100 <= n * 3, "too many random programs are refused: {refused:?}");
    let n_failing: usize = failing.values().sum();
    assert!(n_failing * 100 <= n_values * MAX_FAILING, "too many expressions fail: {failing:?} of {n_values}");
    let rare: Vec<_> = features.iter().filter(|(_, k)| **k * 200 < n).collect();
    assert!(features.len() > 60 && rare.is_empty(), "{} features, of which too rare are {rare:?}", features.len());
}

#[test]
fn examples_of_pages_have_one_meaning() {
    let options = Options { fuel: 5_000_000, ..Options::default() };
    let mut found = Vec::new();
    let mut n_values = 0;
    for path in files(&root().join("tests/pages"), "md") {
        let markdown = std::fs::read_to_string(&path).unwrap_or_default();
        for case in cases(&markdown) {
            let analysis = Analysis::in_surface(&case.program, case.surface);
            let outcomes = engines(&analysis, &options);
            n_values += outcomes[0].1.values.len();
            let different = difference(&analysis, &outcomes);
            found.extend(different.map(|said| format!("{}: {}:\n{said}", path.display(), case.heading)));
        }
    }
    println!("pages: {n_values} values");
    assert!(found.is_empty(), "{} examples have two meanings:\n{}", found.len(), found.join("\n"));
}

/// A fact's arguments by parameter; tuples were spread over several, literals have none.
fn inputs(fact: &Json) -> Inputs {
    let spread = |arg: &'_ Json| match arg.get("tuple").and_then(Json::as_array) {
        Some(fields) => fields.clone(),
        None => vec![arg.clone()],
    };
    let flat = items(fact, "args").iter().flat_map(spread).enumerate();
    let given = flat.filter(|(i, arg)| arg["const"] != true && text(fact, "source").contains(&format!("%a{i}:")));
    given.map(|(i, arg)| (format!("%a{i}"), arg["data"].clone())).collect()
}

#[test]
fn facts_have_one_meaning() {
    let mut programs: Vec<(String, Analysis, Option<Inputs>)> = Vec::new();
    for name in ["relay_values", "relay_random"] {
        let facts = if is_soak() { corpus(name) } else { carried(name) };
        for fact in facts.iter().filter(|fact| !text(fact, "source").is_empty()) {
            programs.push((text(fact, "id").to_owned(), Analysis::new(text(fact, "source")), Some(inputs(fact))));
        }
    }
    for fact in ["refine", "refine_generated"].into_iter().flat_map(corpus).take(N_SAMPLED) {
        let analysis = Analysis::in_surface(&refine(text(&fact, "program")), Surface::Refine);
        programs.push((text(&fact, "id").to_owned(), analysis, None));
    }
    let (mut found, mut n_values) = (Vec::new(), 0);
    for (id, analysis, inputs) in &programs {
        let options = match inputs {
            Some(_) => Options { inputs: inputs.as_ref(), fuel: 1_000_000, ..Options::default() },
            None => small(),
        };
        let outcomes = engines(analysis, &options);
        n_values += usize::from(outcomes[0].1.values.iter().any(|value| value.value.is_some()));
        found.extend(difference(analysis, &outcomes).map(|said| format!("{id}:\n{}\n{said}", analysis.text())));
    }
    println!("facts: {n_values} of {} programs have values", programs.len());
    assert!(found.is_empty(), "{} facts have two meanings:\n{}", found.len(), found.join("\n"));
    assert!(n_values * 3 > programs.len(), "too few facts have values: {n_values}");
}
