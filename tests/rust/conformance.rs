//! Answers of the real Relay, held against ours (`tests/conformance/relay.jsonl`).
//!
//! `doc/differences.md` lists the facts where we differ deliberately: each row's first cell is a fact's id. A listed
//! fact that agrees is an error too, so the list stays true.

use serde_json::Value as Json;
use session::command::run_json;
use session::{Analysis, Options};
use std::collections::BTreeSet;
use tests::root;

fn facts() -> Vec<Json> {
    let path = root().join("tests/conformance/relay.jsonl");
    let text = std::fs::read_to_string(path).expect("the facts are part of the project");
    text.lines().map(|line| serde_json::from_str(line).expect("a fact is JSON")).collect()
}

/// The ids in the first column of the table of differences.
fn differences() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("doc/differences.md")).unwrap_or_default();
    let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    cells.map(|cell| cell.trim().to_owned()).filter(|id| id.contains('-') && !id.starts_with('-')).collect()
}

/// A type's text with its spaces as we write them.
fn normal(r#type: &str) -> String {
    r#type.replace("fn [", "fn[")
}

fn attr_text(value: &Json) -> String {
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Number(number) if number.is_f64() => format!("{number}f"),
        Json::Number(number) => number.to_string(),
        Json::String(text) => format!("\"{text}\""),
        Json::Array(items) => format!("[{}]", items.iter().map(attr_text).collect::<Vec<_>>().join(", ")),
        Json::Object(_) => "None".to_owned(),
    }
}

/// The program that asks for an operator's type: `def @f(%a0: …) { op(%a0, …, key=value) }`.
fn op_program(fact: &Json) -> String {
    let args = fact["args"].as_array().expect("a fact has arguments");
    let params = args.iter().enumerate().map(|(i, arg)| match arg.as_str() {
        Some("_") | None => format!("%a{i}"),
        Some(written) => format!("%a{i}: {written}"),
    });
    let names = (0..args.len()).map(|i| format!("%a{i}"));
    let attrs = fact["attrs"].as_object().expect("a fact has attributes");
    let attrs = attrs.iter().map(|(name, value)| format!("{name}={}", attr_text(value)));
    let params: Vec<String> = params.collect();
    let args: Vec<String> = names.chain(attrs).collect();
    format!("def @f({}) {{ {}({}) }}", params.join(", "), fact["op"].as_str().unwrap_or(""), args.join(", "))
}

/// `None` where our answer is Relay's, otherwise both.
fn judge(fact: &Json) -> Option<String> {
    let (program, want): (String, Option<Vec<(String, String)>>) = match fact["kind"].as_str() {
        Some("program-value") => return judge_value(fact),
        Some("op-type" | "op-backward") => {
            let result = fact["result"].as_str();
            let args = fact["args"].as_array().into_iter().flatten().filter_map(Json::as_str);
            let want = result.map(|result| {
                let args: Vec<String> = args.map(normal).collect();
                // With an argument left out, the fact tells all of their types in one text.
                let args = fact["args_inferred"].as_str().map_or_else(|| format!("({})", args.join(", ")), normal);
                vec![("@f".to_owned(), format!("fn{args} -> {}", normal(result)))]
            });
            (op_program(fact), want)
        }
        Some("match-coverage") => return judge_coverage(fact),
        _ => {
            let want = fact["types"].as_object().map(|types| {
                let texts = types.iter().map(|(name, text)| (name.clone(), normal(text.as_str().unwrap_or(""))));
                texts.collect()
            });
            (fact["source"].as_str().unwrap_or("").to_owned(), want)
        }
    };
    let analysis = Analysis::new(&program);
    let errors: Vec<String> = analysis
        .diagnostics()
        .iter()
        .filter(|d| d.severity == base::Severity::Error)
        .map(|d| format!("{}: {}", d.code, d.message))
        .collect();
    match want {
        // Relay cannot leave an argument's type open; we generalise over the relation that waits for it.
        None if errors.is_empty() && fact["kind"] == "op-backward" && fact["error"] == "under-constrained" => None,
        None if errors.is_empty() => {
            let found: Vec<String> = analysis.definitions().into_iter().map(|d| d.r#type).collect();
            Some(format!("Relay refuses ({}), we accept: {}", fact["error"], found.join(" ; ")))
        }
        None => None,
        Some(_) if !errors.is_empty() => Some(format!("Relay accepts, we refuse: {}", errors.join(" ; "))),
        Some(want) => {
            let found = analysis.definitions();
            want.iter().find_map(|(name, want)| {
                let found = found.iter().find(|d| d.name == *name).map_or("nothing", |d| d.r#type.as_str());
                (found != want).then(|| format!("{name}: Relay says {want}, we say {found}"))
            })
        }
    }
}

/// The type and the value of `@main`.
fn judge_value(fact: &Json) -> Option<String> {
    let analysis = Analysis::new(fact["source"].as_str()?);
    let document = run_json(&analysis, &Options::default()).json;
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
    let patterns = fact["patterns"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let arms: Vec<String> = patterns.map(|pattern| format!("{pattern} => 0")).collect();
    let (declarations, scrutinee) = (fact["declarations"].as_str()?, fact["scrutinee_type"].as_str()?);
    let program =
        format!("{declarations}\ndef @f(%s: {scrutinee}) -> int32 {{ match (%s) {{ {} }} }}", arms.join(", "));
    let analysis = Analysis::new(&program);
    let missing: BTreeSet<&str> = fact["missing"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
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
    let differences = differences();
    let mut unlisted = Vec::new();
    let mut agreeing = Vec::new();
    let mut n_agree = 0;
    for fact in facts() {
        let id = fact["id"].as_str().unwrap_or("").to_owned();
        match judge(&fact) {
            None if differences.contains(&id) => agreeing.push(id),
            None => n_agree += 1,
            Some(_) if differences.contains(&id) => {}
            Some(difference) => unlisted.push(format!(
                "{id}: {difference}\n    {}",
                fact["source"].as_str().map_or_else(
                    || if fact["op"].is_string() { op_program(&fact) } else { fact["patterns"].to_string() },
                    str::to_owned
                )
            )),
        }
    }
    println!("{n_agree} facts agree, {} differ deliberately", differences.len());
    assert!(
        unlisted.is_empty(),
        "{} facts differ without a reason in doc/differences.md:\n{}",
        unlisted.len(),
        unlisted.join("\n")
    );
    assert!(agreeing.is_empty(), "listed as different, but they agree: {agreeing:?}");
}
