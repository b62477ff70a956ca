//! Relay's answers to single operators on numbers (`relay_values.jsonl`).
//!
//! Every program has the recorded type and value. A count of each group is printed; programs that nothing runs yet have
//! a column of their own and are named.

use serde_json::{Map, Value as Json};
use session::command::run_json;
use session::{Analysis, Options};
use std::collections::{BTreeMap, BTreeSet};
use tests::facts::{self, N_SAMPLED, Verdicts, corpus, differences, is_soak, items, text};

/// The fact's arguments by parameter. Tuples were spread over several, literals have none.
fn inputs(fact: &Json) -> Map<String, Json> {
    let mut flat: Vec<&Json> = Vec::new();
    for arg in items(fact, "args") {
        match arg.get("tuple").and_then(Json::as_array) {
            Some(fields) => flat.extend(fields),
            None => flat.push(arg),
        }
    }
    let named = flat.into_iter().enumerate().map(|(i, arg)| (format!("%a{i}"), arg));
    // A literal's parameter is not in the program.
    let given = named.filter(|(name, arg)| arg["const"] != true && text(fact, "source").contains(&format!("{name}:")));
    given.map(|(name, arg)| (name, arg["data"].clone())).collect()
}

/// The recorded results: one, or the fields of a tuple.
fn results(fact: &Json) -> &[Json] {
    match &fact["result"] {
        Json::Array(fields) => fields,
        one => std::slice::from_ref(one),
    }
}

/// Whether a printed type is the recorded one. Ours may say `?` where the values alone decide.
fn same_type(found: &str, want: &str) -> bool {
    let split = |c: char| "()[], ".contains(c);
    let mut pairs = found.split(split).zip(want.split(split));
    found == want
        || (found.split(split).count() == want.split(split).count()
            && pairs.all(|(found, want)| found == want || (found == "?" && want.parse::<i64>().is_ok())))
}

/// Where two values differ by more than the tolerance, which is relative above 1; `null` is anything.
fn difference(found: &Json, want: &Json, tolerance: f64) -> Option<String> {
    match (found, want) {
        (_, Json::Null) => None,
        (Json::Array(found), Json::Array(want)) if found.len() == want.len() => {
            found.iter().zip(want).find_map(|(found, want)| difference(found, want, tolerance))
        }
        (Json::Number(a), Json::Number(b)) => {
            let exact = a == b || (a.as_i64().is_some() && a.as_i64() == b.as_i64());
            let (a, b) = (a.as_f64()?, b.as_f64()?);
            let close = tolerance > 0.0 && (a - b).abs() <= tolerance * b.abs().max(1.0);
            (!exact && !close && (tolerance > 0.0 || a != b)).then(|| format!("{found} is not {want}"))
        }
        _ => (found != want).then(|| format!("{found} is not {want}")),
    }
}

enum Verdict {
    Type(String),
    Value(String),
    Right,
    /// Typed, but there is nothing that runs it yet.
    NotRun,
}

fn judge(fact: &Json) -> Verdict {
    let analysis = Analysis::new(text(fact, "source"));
    let errors = facts::errors(&analysis);
    if !errors.is_empty() {
        return Verdict::Type(format!("Relay accepts, we refuse: {}", errors.join(" ; ")));
    }
    let types: Vec<&str> = results(fact).iter().map(|result| text(result, "type")).collect();
    let want = match (fact["result"].is_array(), types.as_slice()) {
        (true, [field]) => format!("({field},)"),
        (true, fields) => format!("({})", fields.join(", ")),
        (false, _) => types.join(""),
    };
    let inputs = inputs(fact).into_iter().collect();
    let options = Options { inputs: Some(&inputs), ..Options::default() };
    let document: Json = serde_json::from_str(&run_json(&analysis, &options).text).expect("JSON");
    let value = items(&document, "values").last().unwrap_or(&Json::Null);
    if !same_type(text(value, "type"), &want) {
        return Verdict::Type(format!("Relay says {want}, we say {}", value["type"]));
    }
    let problems: Vec<String> = items(&document, "diagnostics")
        .iter()
        .filter(|d| text(d, "severity") == "error")
        .map(|d| format!("{}: {}", text(d, "code"), text(d, "message")))
        .collect();
    if problems.iter().any(|problem| problem.starts_with("no-kernel")) {
        return Verdict::NotRun;
    }
    if !problems.is_empty() {
        return Verdict::Value(problems.join(" ; "));
    }
    let tolerance = fact["tol"].as_f64().unwrap_or(0.0);
    let fields: Vec<Json> = results(fact).iter().map(|result| result["data"].clone()).collect();
    let found = match fact["result"].is_array() {
        true => difference(&value["data"]["tuple"], &Json::Array(fields), tolerance),
        false => difference(&value["data"], &fields[0], tolerance),
    };
    found.map_or(Verdict::Right, |part| {
        Verdict::Value(format!("{part}: Relay says {}, we say {}", fact["result"], value["data"]))
    })
}

/// How the facts of one group stand.
#[derive(Default)]
struct Count {
    n_right: usize,
    n_different: usize,
    n_not_run: usize,
}

#[test]
fn values_of_operators() {
    let listed = differences();
    let n = if is_soak() { usize::MAX } else { N_SAMPLED };
    let mut verdicts = Verdicts::default();
    let mut groups: BTreeMap<String, Count> = BTreeMap::new();
    let mut not_run: BTreeSet<String> = BTreeSet::new();
    for fact in facts::sample(corpus("relay_values"), n) {
        let verdict = judge(&fact);
        let count = groups.entry(text(&fact, "group").to_owned()).or_default();
        match verdict {
            Verdict::Right => count.n_right += 1,
            Verdict::Type(_) | Verdict::Value(_) => count.n_different += 1,
            Verdict::NotRun => {
                count.n_not_run += 1;
                not_run.insert(text(&fact, "op").to_owned());
            }
        }
        // What cannot be run agrees in its type, which is no agreement in its value.
        let difference = match verdict {
            Verdict::Type(difference) | Verdict::Value(difference) => Some(difference),
            Verdict::Right => None,
            Verdict::NotRun => continue,
        };
        let difference = difference.map(|difference| format!("{difference}\n{}", text(&fact, "source")));
        verdicts.add(&listed, text(&fact, "id"), difference);
    }
    println!("operators on numbers: group, right, different, without a kernel");
    for (group, count) in &groups {
        println!("  {group:10} {:5} {:5} {:5}", count.n_right, count.n_different, count.n_not_run);
    }
    if !not_run.is_empty() {
        println!("  without a kernel: {}", not_run.into_iter().collect::<Vec<_>>().join(" "));
    }
    verdicts.finish("operators on numbers");
}
