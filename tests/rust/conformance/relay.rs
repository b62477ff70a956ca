//! Relay's answers to single operators and small programs (`relay.jsonl`).

use serde_json::Value as Json;
use session::command::run_json;
use session::{Analysis, Options};
use std::collections::BTreeSet;
use tests::facts::{self, Verdicts, corpus, differences, items, normal, op_program, text};

/// `None` where our answer is Relay's, otherwise both.
fn judge(fact: &Json) -> Option<String> {
    match text(fact, "kind") {
        "program-value" => judge_value(fact),
        "match-coverage" => judge_coverage(fact),
        "unify" => crate::unify::judge(fact),
        "op-type" | "op-backward" => {
            let result = fact["result"].as_str();
            let want = result.map(|result| {
                let args: Vec<String> = items(fact, "args").iter().filter_map(Json::as_str).map(normal).collect();
                // With an argument left out, the fact tells all of their types in one text.
                let args = fact["args_inferred"].as_str().map_or_else(|| format!("({})", args.join(", ")), normal);
                vec![("@f".to_owned(), format!("fn{args} -> {}", normal(result)))]
            });
            judge_program(fact, &op_program(fact, None), want)
        }
        _ => judge_program(fact, text(fact, "source"), facts::recorded_types(fact)),
    }
}

/// The types of a program that Relay accepts; `want` is absent where it refuses.
fn judge_program(fact: &Json, program: &str, want: Option<Vec<(String, String)>>) -> Option<String> {
    let analysis = Analysis::new(program);
    if let Some(want) = want {
        return facts::judge_types(&analysis, &want);
    }
    let is_refused = !facts::errors(&analysis).is_empty();
    // Relay cannot leave an argument's type open; we generalise over the relation that waits for it.
    let may_wait = fact["kind"] == "op-backward" && fact["error"] == "under-constrained";
    (!is_refused && !may_wait).then(|| {
        let found: Vec<String> = analysis.definitions().into_iter().map(|d| d.r#type).collect();
        format!("Relay refuses ({}), we accept: {}", fact["error"], found.join(" ; "))
    })
}

/// The type and the value of `@main`.
fn judge_value(fact: &Json) -> Option<String> {
    let analysis = Analysis::new(text(fact, "source"));
    let document = run_json(&analysis, &Options::default()).text;
    let document: Json = serde_json::from_str(&document).expect("JSON");
    let found = document["values"].as_array().and_then(|values| values.last().cloned()).unwrap_or(Json::Null);
    let same = found["data"] == fact["value"] && found["type"] == fact["type"];
    (!same).then(|| {
        let (value, r#type) = (&fact["value"], &fact["type"]);
        format!(
            "Relay says {value} of {type}, we say {} of {}: {}",
            found["data"], found["type"], document["diagnostics"]
        )
    })
}

fn judge_coverage(fact: &Json) -> Option<String> {
    let analysis = Analysis::new(&facts::coverage_program(fact));
    let missing: BTreeSet<&str> = items(fact, "missing").iter().filter_map(Json::as_str).collect();
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for diagnostic in analysis.diagnostics() {
        match diagnostic.code {
            "match-not-exhaustive" => found.extend(diagnostic.message.split('`').skip(1).step_by(2)),
            "unreachable-arm" => {}
            code => return Some(format!("we refuse the program: {code}: {}", diagnostic.message)),
        }
    }
    (found != missing).then(|| format!("Relay misses {missing:?}, we miss {found:?}"))
}

#[test]
fn every_fact_or_a_listed_difference() {
    let listed = differences();
    let mut verdicts = Verdicts::default();
    for fact in corpus("relay") {
        let difference = judge(&fact).map(|difference| {
            let program = facts::program(&fact).unwrap_or_else(|| fact["steps"].to_string());
            format!("{difference}\n    {program}")
        });
        verdicts.add(&listed, text(&fact, "id"), difference);
    }
    verdicts.finish("facts");
}
