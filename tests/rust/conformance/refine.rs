//! The answers of an independent reference of the refine article (`refine.jsonl`, `refine_generated.jsonl`): types of
//! the program and of its bindings, the value, and whether there is an error. Coverage is judged where it is tested.

use base::Surface;
use serde_json::Value as Json;
use session::command::{check_json, run_json};
use session::{Analysis, Options};
use std::collections::BTreeMap;
use tests::facts::{Verdicts, corpus, differences, errors, text};

/// `None` where our answer is the recorded one, otherwise both.
fn judge(fact: &Json) -> Option<String> {
    let analysis = Analysis::in_surface(text(fact, "program"), Surface::Refine);
    let mut errors = errors(&analysis);
    errors.retain(|error| !error.starts_with("match-not-exhaustive"));
    if !fact["error"].is_null() {
        return errors.is_empty().then(|| format!("an error is recorded, we have none: {}", fact["error"]["text"]));
    }
    if !errors.is_empty() {
        return Some(errors.join(" ; "));
    }
    let json = |document: String| serde_json::from_str::<Json>(&document).expect("JSON");
    let run = json(run_json(&analysis, &Options::default()).json);
    let value = &run["values"][0];
    let checked = json(check_json(&[("-".to_owned(), analysis)]).json);
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
