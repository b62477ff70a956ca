//! The layouts of an independent reference of the refine article, which `packed` is: sizes and structures of the types
//! of programs, the bits of their values (`refine.jsonl`, `refine_generated.jsonl`), and what each `as` makes of the
//! bits of each value (`refine_conversions.jsonl`).

use base::Surface;
use layout::Strategy;
use serde_json::Value as Json;
use session::{Analysis, layout_json, value_bits};
use std::collections::{BTreeMap, BTreeSet};
use tests::facts::{Verdicts, corpus, differences, errors, text};

fn facts() -> impl Iterator<Item = Json> {
    ["refine", "refine_generated"].into_iter().flat_map(corpus).filter(|fact| fact["layout"].is_object())
}

/// Whether the program is one that we refuse, for a reason in `doc/differences.md`; then it has no layouts.
fn is_refused(listed: &BTreeSet<String>, id: &str, analysis: &Analysis) -> bool {
    let is_error = |error: &String| !error.starts_with("match-not-exhaustive");
    listed.contains(id) && errors(analysis).iter().any(is_error)
}

fn document(analysis: &Analysis) -> Json {
    serde_json::from_str(&layout_json(analysis, Some(Strategy::Packed)).text).expect("JSON")
}

/// The first difference between what is recorded of the layout of a program's type and what we say.
fn judge_layout(fact: &Json, analysis: &Analysis) -> Option<String> {
    let document = document(analysis);
    let result = text(fact, "result_type");
    let Some(ours) = document["layouts"].as_array()?.iter().find(|layout| layout["type"] == result) else {
        return Some(format!("there is no layout of {result}"));
    };
    let theirs = &fact["layout"];
    // The original keeps variants without values; these rows record both sizes, and the structure of the larger one.
    let keeps_void = !theirs["bits_void_dropped"].is_null() && theirs["bits_void_dropped"] != theirs["bits"];
    let bits = if keeps_void { "bits_void_dropped" } else { "bits" };
    let mut pairs = vec![("bits", bits), ("cardinality", "cardinality"), ("min_bits", "bits_min")];
    if !keeps_void {
        pairs.extend([("tag_bits", "tag_bits"), ("structure", "structure")]);
    }
    let (our, their) = pairs.into_iter().find(|(our, their)| ours[our] != theirs[their])?;
    Some(format!("{their}: {} is recorded, we say {}", theirs[their], ours[our]))
}

fn judge_bits(fact: &Json, analysis: &Analysis) -> Option<String> {
    let packed = Strategy::Packed;
    let ours = value_bits(analysis, packed).into_iter().next().flatten();
    let theirs = fact["value_bits"].as_str();
    (ours.as_deref() != theirs).then(|| format!("value_bits: {theirs:?} is recorded, we say {ours:?}"))
}

#[test]
fn packed_is_the_layout_of_the_article() {
    let (listed, none) = (differences(), BTreeSet::new());
    let (mut layouts, mut bits) = (Verdicts::default(), Verdicts::default());
    let mut refused = Vec::new();
    for fact in facts() {
        let analysis = Analysis::in_surface(text(&fact, "program"), Surface::Refine);
        if is_refused(&listed, text(&fact, "id"), &analysis) {
            refused.push(text(&fact, "id").to_owned());
            continue;
        }
        let said =
            |difference: Option<String>| difference.map(|said| format!("{said}\n    {}", text(&fact, "program")));
        layouts.add(&none, text(&fact, "id"), said(judge_layout(&fact, &analysis)));
        let keeps_void =
            fact["layout"]["bits_void_dropped"].as_u64().is_some_and(|bits| fact["layout"]["bits"] != bits);
        if fact["value_bits"].is_string() && !keeps_void {
            bits.add(&none, text(&fact, "id"), said(judge_bits(&fact, &analysis)));
        }
    }
    println!("programs that we refuse: {refused:?}");
    layouts.finish("layouts of refine");
    bits.finish("values of refine as bits");
}

#[test]
fn conversions_are_those_of_the_article() {
    let programs: BTreeMap<String, Json> = facts().map(|fact| (text(&fact, "id").to_owned(), fact)).collect();
    let (listed, none) = (differences(), BTreeSet::new());
    let mut verdicts = Verdicts::default();
    let mut refused = Vec::new();
    for fact in corpus("refine_conversions") {
        let (id, number) = text(&fact, "id").split_once('#').expect("an id is of a program and a number");
        let program = text(&programs[id], "program");
        let analysis = Analysis::in_surface(program, Surface::Refine);
        if is_refused(&listed, id, &analysis) {
            refused.push(text(&fact, "id").to_owned());
            continue;
        }
        let document = document(&analysis);
        let ours = document["conversions"].as_array().cloned().unwrap_or_default();
        let fields = ["pattern", "from_type", "to_type", "from_bits", "to_bits", "identity", "map"];
        let is_same = |ours: &Json| fields.iter().all(|field| ours[field] == fact[field]);
        let difference = (!ours.iter().any(is_same)).then(|| {
            let same_pattern: Vec<String> = ours.iter().map(|ours| format!("\n      {ours}")).collect();
            format!("number {number}: {fact}\n    we say {}\n    {program}", same_pattern.concat())
        });
        verdicts.add(&none, text(&fact, "id"), difference);
    }
    println!("of programs that we refuse: {refused:?}");
    verdicts.finish("conversions of refine");
}
