//! The answers of an independent reference of the refine article (`refine.jsonl`, `refine_generated.jsonl`): types of
//! the program and of its bindings, the value, the missing cases, what is never reached, and whether there is an error.

use base::Surface;
use serde_json::Value as Json;
use session::command::{check_json, run_json};
use session::{Analysis, Options};
use std::collections::{BTreeMap, BTreeSet};
use tests::facts::{Verdicts, corpus, differences, errors, items, text};

/// `None` where our answer is the recorded one, otherwise both.
fn judge(fact: &Json) -> Option<String> {
    let analysis = Analysis::in_surface(text(fact, "program"), Surface::Refine);
    let mut errors = errors(&analysis);
    let missed = |error: &String| error.starts_with("match-not-exhaustive");
    let said: String = errors.iter().filter(|error| missed(error)).cloned().collect();
    errors.retain(|error| !missed(error));
    if !fact["error"].is_null() {
        return errors.is_empty().then(|| format!("an error is recorded, we have none: {}", fact["error"]["text"]));
    }
    if !errors.is_empty() {
        return Some(errors.join(" ; "));
    }
    // A match that misses cases is an error of a program that still runs.
    let missing: BTreeSet<&str> = items(fact, "missing").iter().filter_map(Json::as_str).collect();
    if missing.is_empty() != said.is_empty() || missing != cases(&said) || said.contains(" more") {
        return Some(format!("{missing:?} are recorded as missing, we say {said:?}"));
    }
    let redundant = items(fact, "redundant").len();
    let unreachable = analysis.diagnostics().iter().filter(|said| said.code == "unreachable-arm").count();
    if redundant != unreachable {
        return Some(format!("{redundant} are recorded as redundant, we say {unreachable}"));
    }
    let json = |document: String| serde_json::from_str::<Json>(&document).expect("JSON");
    let run = json(run_json(&analysis, &Options::default()).text);
    let value = &run["values"][0];
    let checked = json(check_json(&[("-".to_owned(), analysis)]).text);
    // Of several bindings of one name a fact records one.
    let mut bindings: BTreeMap<&str, Vec<&Json>> = BTreeMap::new();
    for definition in checked["files"][0]["definitions"].as_array().into_iter().flatten() {
        bindings.entry(text(definition, "name")).or_default().push(&definition["type"]);
    }
    let recorded = fact["bindings"].as_object();
    let wrong = recorded
        .into_iter()
        .flatten()
        .find(|(name, r#type)| !bindings.get(name.as_str()).is_some_and(|types| types.contains(r#type)));
    if let Some((name, r#type)) = wrong {
        return Some(format!("{name}: {type} is recorded, we say {:?}", bindings.get(name.as_str())));
    }
    for (ours, theirs) in [("type", "result_type"), ("value", "value")] {
        if value[ours] != fact[theirs] {
            return Some(format!("{theirs}: {} is recorded, we say {}", fact[theirs], value[ours]));
        }
    }
    None
}

/// The patterns that a sentence quotes, alternatives each by itself.
fn cases(said: &str) -> BTreeSet<&str> {
    said.split('`').skip(1).step_by(2).flat_map(|quoted| quoted.split(" | ")).collect()
}

#[test]
fn every_fact_or_a_listed_difference() {
    let listed = differences();
    let mut verdicts = Verdicts::default();
    for fact in ["refine", "refine_generated"].into_iter().flat_map(corpus) {
        let difference = judge(&fact).map(|difference| format!("{difference}\n    {}", text(&fact, "program")));
        verdicts.add(&listed, text(&fact, "id"), difference);
    }
    verdicts.finish("facts of refine");
}
