//! Recorded answers, one JSON object a line, and what we say to them.
//!
//! The project carries a part of each corpus in `tests/conformance`. The whole may stand beside the project, in
//! `../shared/facts`, or where `RELISH_FACTS` says: tests take it where it is, and say so where it is not.

use crate::root;
use serde_json::Value as Json;
use session::Analysis;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Facts of one large corpus that `npm test` asks, at most.
pub const N_SAMPLED: usize = 2_000;

/// Whether to run the generated tests in full numbers.
pub fn is_soak() -> bool {
    std::env::var_os("RELISH_SOAK").is_some()
}

/// The folder of facts beside the project, if there is one.
pub fn beside() -> Option<PathBuf> {
    let folder = std::env::var_os("RELISH_FACTS").unwrap_or_else(|| "../shared/facts".into());
    let folder = root().join(folder);
    folder.is_dir().then_some(folder)
}

/// The corpus that the project carries.
pub fn carried(name: &str) -> Vec<Json> {
    read(root().join(format!("tests/conformance/{name}.jsonl"))).unwrap_or_default()
}

/// The whole corpus where it stands beside the project, otherwise what the project carries of it.
pub fn corpus(name: &str) -> Vec<Json> {
    beside().and_then(|folder| read(folder.join(format!("{name}.jsonl")))).unwrap_or_else(|| {
        println!("{name}: no facts beside the project, so only the part in tests/conformance is tested");
        carried(name)
    })
}

fn read(path: PathBuf) -> Option<Vec<Json>> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a fact is JSON")).collect())
}

/// At most `n` facts, the same ones each time, in the order they came in.
pub fn sample(facts: Vec<Json>, n: usize) -> Vec<Json> {
    let mut by_hash: Vec<(u64, usize)> =
        facts.iter().enumerate().map(|(i, fact)| (hash(text(fact, "id")), i)).collect();
    by_hash.sort_unstable();
    let chosen: BTreeSet<usize> = by_hash.into_iter().take(n).map(|(_, i)| i).collect();
    facts.into_iter().enumerate().filter(|(i, _)| chosen.contains(i)).map(|(_, fact)| fact).collect()
}

/// A number in which every bit depends on the whole text: FNV-1a, then the finalizer of SplitMix64.
pub fn hash(text: &str) -> u64 {
    let fnv =
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |h: u64, byte| (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let z = (fnv ^ (fnv >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A field's text, empty where there is none.
pub fn text<'a>(fact: &'a Json, field: &str) -> &'a str {
    fact[field].as_str().unwrap_or("")
}

/// A refine program as a text that says by itself what it is written in.
pub fn refine(program: &str) -> String {
    format!("#lang refine\n{program}")
}

/// A TensorScript program, likewise.
pub fn tensorscript(program: &str) -> String {
    format!("#lang tensorscript\n{program}")
}

/// A field's items, none where there is no list.
pub fn items<'a>(fact: &'a Json, field: &str) -> &'a [Json] {
    fact[field].as_array().map_or(&[], Vec::as_slice)
}

/// The lines in a field, from 1.
pub fn lines(fact: &Json, field: &str) -> Vec<u32> {
    items(fact, field).iter().filter_map(|line| Some(line.as_u64()? as u32)).collect()
}

/// Relay's text of a type with its spaces as we write them.
pub fn normal(r#type: &str) -> String {
    r#type.replace("fn [", "fn[").replace("fn (", "fn(")
}

/// The ids in the first column of the tables of `doc/differences.md`.
pub fn differences() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("doc/differences.md")).unwrap_or_default();
    let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    cells.map(|cell| cell.trim().to_owned()).filter(|id| id.contains('-') && !id.starts_with('-')).collect()
}

/// Facts held against our answers: every difference is listed with its reason, and every listed one is there.
#[derive(Default)]
pub struct Verdicts {
    pub n_agree: usize,
    pub n_listed: usize,
    unlisted: Vec<String>,
    settled: Vec<String>,
}

impl Verdicts {
    /// Judges one fact; `difference` is `None` where our answer is the recorded one.
    pub fn add(&mut self, listed: &BTreeSet<String>, id: &str, difference: Option<String>) {
        match (difference, listed.contains(id)) {
            (None, false) => self.n_agree += 1,
            (None, true) => self.settled.push(id.to_owned()),
            (Some(_), true) => self.n_listed += 1,
            (Some(difference), false) => self.unlisted.push(format!("{id}: {difference}")),
        }
    }

    /// Prints the count and fails on a difference without a reason, or a reason without a difference.
    pub fn finish(self, what: &str) {
        println!("{what}: {} agree, {} differ deliberately", self.n_agree, self.n_listed);
        assert!(
            self.unlisted.is_empty(),
            "{} of {what} differ without a reason in doc/differences.md:\n{}",
            self.unlisted.len(),
            self.unlisted.join("\n")
        );
        assert!(self.settled.is_empty(), "{what}: listed as different, but they agree: {:?}", self.settled);
    }
}

/// The errors of a program as lines of text.
pub fn errors(analysis: &Analysis) -> Vec<String> {
    let errors = analysis.diagnostics().iter().filter(|d| d.severity == base::Severity::Error);
    errors.map(|d| format!("{}: {}", d.code, d.message)).collect()
}

/// The line (from 1) on which the first error begins; `None` without an error.
pub fn first_error_line(analysis: &Analysis) -> Option<u32> {
    let first = analysis.diagnostics().iter().find(|d| d.severity == base::Severity::Error)?;
    Some(analysis.lines().line_of(first.span.start))
}

/// What is wrong with the places of a program's diagnostics: each must lie within the text.
pub fn misplaced(analysis: &Analysis) -> Option<String> {
    let text = analysis.text();
    let n_lines = text.lines().count().max(1) as u32;
    analysis.diagnostics().iter().find_map(|d| {
        let (start, end) = (d.span.start as usize, d.span.end as usize);
        let line = analysis.lines().line_of(d.span.start);
        let is_inside = start <= end && end <= text.len() && (1..=n_lines + 1).contains(&line);
        (!is_inside || text.get(start..end).is_none()).then(|| format!("{}: {} at {:?}", d.code, d.message, d.span))
    })
}

/// The definitions whose types are not the recorded ones, in words; `None` where all are.
pub fn judge_types(analysis: &Analysis, want: &[(String, String)]) -> Option<String> {
    let errors = errors(analysis);
    if !errors.is_empty() {
        return Some(format!("Relay accepts, we refuse: {}", errors.join(" ; ")));
    }
    let found = analysis.definitions();
    want.iter().find_map(|(name, want)| {
        let found = found.iter().find(|d| d.name == *name).map_or("nothing", |d| d.r#type.as_str());
        (found != want).then(|| format!("{name}: Relay says {want}, we say {found}"))
    })
}

/// The types that a fact records, by definition.
pub fn recorded_types(fact: &Json) -> Option<Vec<(String, String)>> {
    let types = fact["types"].as_object()?.iter();
    Some(types.map(|(name, text)| (name.clone(), normal(text.as_str().unwrap_or("")))).collect())
}

/// An attribute's value as a program writes it.
pub fn attr_text(value: &Json) -> String {
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

/// The program that asks for an operator's type: `def @f(%a0: …) { op(%a0, …, key=value) }`, with one attribute's
/// text in place of the recorded one.
pub fn op_program(fact: &Json, instead: Option<(&str, &str)>) -> String {
    let args = items(fact, "args");
    let params = args.iter().enumerate().map(|(i, arg)| match arg.as_str() {
        Some("_") | None => format!("%a{i}"),
        Some(written) => format!("%a{i}: {written}"),
    });
    let names = (0..args.len()).map(|i| format!("%a{i}"));
    let attrs = fact["attrs"].as_object().expect("a fact has attributes");
    let attrs = attrs.iter().map(|(name, value)| match instead {
        Some((replaced, text)) if replaced == name => format!("{name}={text}"),
        _ => format!("{name}={}", attr_text(value)),
    });
    let params: Vec<String> = params.collect();
    let args: Vec<String> = names.chain(attrs).collect();
    format!("def @f({}) {{ {}({}) }}", params.join(", "), text(fact, "op"), args.join(", "))
}

/// The program of a match over a type: `def @f(%s: …) -> int32 { match (%s) { … => 0 } }`.
pub fn coverage_program(fact: &Json) -> String {
    let arms: Vec<String> =
        items(fact, "patterns").iter().filter_map(Json::as_str).map(|pattern| format!("{pattern} => 0")).collect();
    let (declarations, scrutinee) = (text(fact, "declarations"), text(fact, "scrutinee_type"));
    format!("{declarations}\ndef @f(%s: {scrutinee}) -> int32 {{ match (%s) {{ {} }} }}", arms.join(", "))
}

/// The program of any fact that has one; facts of the solver alone (`unify`) have none.
pub fn program(fact: &Json) -> Option<String> {
    match text(fact, "kind") {
        "unify" => None,
        "op-type" | "op-backward" => Some(op_program(fact, None)),
        "match-coverage" => Some(coverage_program(fact)),
        _ => Some(text(fact, "source").to_owned()),
    }
}
