//! The rules of the house.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tests::page::{Case, cases, check_document};
use tests::{files, root};

/// Lines of a source file at most.
const MAX_LINES: usize = 800;

/// The text of a file of the project. One that cannot be read is no empty one.
fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// By crate, the crates of the workspace that its `Cargo.toml` depends on.
fn edges_in_manifests() -> BTreeMap<String, BTreeSet<String>> {
    let mut manifests = files(&root().join("crate"), "toml");
    manifests.extend(["tests/Cargo.toml", "tests/peers/Cargo.toml"].map(|path| root().join(path)));
    let workspace = read("Cargo.toml");
    // A crate may be used under another name: `tsify = { path = "crate/object", package = "object" }`.
    let package = |used: &str| {
        let line = workspace.lines().find(|line| line.strip_prefix(used).is_some_and(|rest| rest.starts_with(" = {")));
        let named = line.and_then(|line| Some(line.split_once("package = \"")?.1.split_once('"')?.0));
        named.unwrap_or(used).to_owned()
    };
    let mut edges = BTreeMap::new();
    for path in manifests {
        let text = read(&path);
        let name = text.lines().find_map(|line| line.strip_prefix("name = \"")).unwrap_or("").trim_end_matches('"');
        let mut uses = BTreeSet::new();
        let mut in_dependencies = false;
        for line in text.lines() {
            if line.starts_with('[') {
                in_dependencies =
                    matches!(line.trim(), "[dependencies]" | "[dev-dependencies]" | "[build-dependencies]");
            } else if in_dependencies && let Some(used) = line.split(['.', ' ', '=']).next() {
                uses.insert(package(used));
            }
        }
        edges.insert(name.to_owned(), uses);
    }
    let names: BTreeSet<String> = edges.keys().cloned().collect();
    edges.values_mut().for_each(|uses| uses.retain(|used| names.contains(used)));
    edges
}

#[test]
fn the_crate_table_is_true() {
    let table = read("ARCHITECTURE.md");
    let rows = table.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, uses] = cells[..] else { return None };
        Some((name.to_owned(), uses.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>()))
    });
    let rows: BTreeMap<String, BTreeSet<String>> =
        rows.filter(|(name, _)| !matches!(name.as_str(), "crate" | "---")).collect();
    assert_eq!(
        rows,
        edges_in_manifests(),
        "the crate table of ARCHITECTURE.md (left) is not what Cargo.toml says (right)"
    );
}

#[test]
fn no_source_file_is_too_long() {
    let (mut long, mut n_files) = (Vec::new(), 0);
    for (folder, extensions) in [
        ("crate", &["rs"][..]),
        ("tests", &["rs", "ts", "mjs"]),
        ("web", &["ts", "tsx", "css"]),
        ("scripts", &["mjs"]),
        ("tools", &["rs"]),
    ] {
        for path in extensions.iter().flat_map(|extension| files(&root().join(folder), extension)) {
            let n_lines = read(&path).lines().count();
            n_files += 1;
            let name = path.strip_prefix(root()).expect("below the root").display().to_string();
            if n_lines > MAX_LINES {
                long.push(format!("{name}: {n_lines}"));
            }
        }
    }
    assert!(long.is_empty(), "files past {MAX_LINES} lines: {long:?}");
    assert!(n_files > 300, "too few files: {n_files}");
}

#[test]
fn thin_crates_stay_thin() {
    for folder in ["crate/cli/src", "crate/wasm/src"] {
        let n_lines: usize = files(&root().join(folder), "rs").iter().map(|path| read(path).lines().count()).sum();
        assert!((1..=300).contains(&n_lines), "{folder} has {n_lines} lines");
    }
}

#[test]
fn every_crate_says_what_it_is() {
    for path in files(&root().join("crate"), "rs").iter().filter(|path| path.ends_with("src/lib.rs")) {
        let text = read(path);
        assert!(text.starts_with("//! "), "{} does not open with its documentation", path.display());
    }
}

/// Every code that a page or a fact raises can be explained, and every explained code has its page.
#[test]
fn every_error_code_has_a_page() {
    let explained: BTreeSet<String> = session::codes().map(str::to_owned).collect();
    let pages: BTreeSet<String> = files(&root().join("doc/error"), "md")
        .iter()
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    assert_eq!(explained, pages, "the pages of session::explain (left) are not those in doc/error (right)");
    let mut raised = BTreeSet::new();
    let mut programs: Vec<String> = Vec::new();
    for path in files(&root().join("tests/pages"), "md") {
        programs.extend(cases(&read(path)).iter().map(Case::text));
    }
    for line in read("tests/conformance/relay.jsonl").lines() {
        let fact: serde_json::Value = serde_json::from_str(line).expect("a fact is JSON");
        programs.extend(fact["source"].as_str().map(str::to_owned));
    }
    for program in programs {
        let document: serde_json::Value = serde_json::from_str(&check_document(&program)).expect("JSON");
        for diagnostic in document["files"][0]["diagnostics"].as_array().into_iter().flatten() {
            raised.insert(diagnostic["code"].as_str().unwrap_or("").to_owned());
        }
    }
    let without: Vec<&String> = raised.difference(&explained).collect();
    assert!(without.is_empty(), "codes without a page: {without:?}");
}
