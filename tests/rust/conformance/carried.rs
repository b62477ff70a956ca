//! The part of each corpus that the project carries is what it says: the same facts, without what no test reads.
//!
//! `RELISH_BLESS=1 cargo test -p tests --test conformance carried` writes it anew from the facts beside the project.

use serde_json::Value as Json;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use tests::facts::{beside, carried, corpus, differences, sample, text};
use tests::root;

/// A corpus, how many of its facts are carried, and which fields; all where none are named.
struct Part {
    name: &'static str,
    n: usize,
    fields: &'static [&'static str],
}

const PARTS: [Part; 7] = [
    Part { name: "relay", n: usize::MAX, fields: &[] },
    Part {
        name: "relay_random",
        n: 450,
        fields: &["id", "group", "types", "error", "planted", "mutation", "relay_hits_line", "quirk", "source"],
    },
    Part { name: "relay_values", n: usize::MAX, fields: &["id", "group", "op", "args", "result", "tol", "source"] },
    Part {
        name: "mistakes",
        n: usize::MAX,
        fields: &["id", "kind", "fault_lines", "symptom_lines", "program", "fixes"],
    },
    Part { name: "refine", n: usize::MAX, fields: &[] },
    Part { name: "refine_generated", n: usize::MAX, fields: &[] },
    Part { name: "refine_conversions", n: usize::MAX, fields: &[] },
];

type Fields = HashMap<String, Box<RawValue>>;

/// The line of a fact with these fields alone, their text untouched: a number that is read and written may change.
fn stripped(line: &str, fields: &[&str]) -> String {
    if fields.is_empty() {
        return line.to_owned();
    }
    let all: Fields = serde_json::from_str(line).expect("a fact is an object");
    let kept = fields.iter().filter_map(|&field| {
        let value = all.get(field)?;
        let value = if field == "fixes" { programs(value) } else { value.get().to_owned() };
        Some(format!("\"{field}\": {value}"))
    });
    format!("{{{}}}", kept.collect::<Vec<_>>().join(", "))
}

/// Of each fix the program alone.
fn programs(fixes: &RawValue) -> String {
    let fixes: Vec<Fields> = serde_json::from_str(fixes.get()).expect("fixes are objects");
    let programs = fixes.iter().map(|fix| format!("{{\"program\": {}}}", fix["program"]));
    format!("[{}]", programs.collect::<Vec<_>>().join(", "))
}

/// The lines of the part. Large programs are too long to be carried; what differs deliberately always is.
fn lines_of(&Part { name, n, fields }: &Part, whole: &str) -> String {
    let facts: Vec<Json> = corpus(name).into_iter().filter(|fact| fact["group"] != "large").collect();
    let listed = differences();
    let mut ids: Vec<String> = sample(facts, n).iter().map(|fact| text(fact, "id").to_owned()).collect();
    ids.extend(listed);
    let is_carried = |line: &&str| {
        let fact: Json = serde_json::from_str(line).expect("a fact is JSON");
        ids.iter().any(|id| id == text(&fact, "id"))
    };
    whole.lines().filter(is_carried).map(|line| stripped(line, fields) + "\n").collect()
}

#[test]
fn carried_facts_are_those_beside() {
    let Some(folder) = beside() else {
        println!("no facts beside the project");
        return;
    };
    for part in &PARTS {
        let name = part.name;
        let whole = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap_or_default();
        if std::env::var_os("RELISH_BLESS").is_some() {
            let path = root().join(format!("tests/conformance/{name}.jsonl"));
            std::fs::write(path, lines_of(part, &whole)).expect("facts can be written");
        }
        let facts = carried(name);
        assert!(!facts.is_empty(), "tests/conformance has no {name}.jsonl");
        let mut others: BTreeMap<String, Json> = BTreeMap::new();
        for line in whole.lines() {
            let fact: Json = serde_json::from_str(&stripped(line, part.fields)).expect("a fact is JSON");
            others.insert(text(&fact, "id").to_owned(), fact);
        }
        let is_changed = |fact: &&Json| others.get(text(fact, "id")).is_some_and(|other| other != *fact);
        let changed: Vec<&str> = facts.iter().filter(is_changed).map(|fact| text(fact, "id")).collect();
        assert!(changed.is_empty(), "{name}: carried differently from those beside: {changed:?}");
    }
}
