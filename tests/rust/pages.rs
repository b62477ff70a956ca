//! Every page is a test: `tests/pages`, `doc`, and the documentation of every operator.
//!
//! `RELISH_BLESS=1` writes the types and values that were found into the pages; a person reads the difference.

use std::process::ExitCode;
use tests::page::{bless, cases, check};
use tests::{files, root};

fn main() -> ExitCode {
    let blessing = std::env::var_os("RELISH_BLESS").is_some();
    let filter: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |name: &str| filter.is_empty() || filter.iter().any(|part| name.contains(part));
    let (mut n_passed, mut n_failed, mut n_blessed) = (0, 0, 0);
    let mut pages: Vec<(String, Option<std::path::PathBuf>, String)> = Vec::new();
    for folder in ["tests/pages", "doc"] {
        for path in files(&root().join(folder), "md") {
            let name = path.strip_prefix(root()).expect("pages stand below the root").display().to_string();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            pages.push((name, Some(path), text));
        }
    }
    for row in op::all() {
        pages.push((format!("operator {}", row.name), None, row.doc.to_owned()));
    }
    for (name, path, text) in pages.iter().filter(|(name, ..)| wanted(name)) {
        let mut failures = Vec::new();
        let cases = cases(text);
        if cases.is_empty() && path.is_none() {
            println!("{name}: its documentation has no example");
            n_failed += 1;
        }
        for case in cases {
            let found = check(&case);
            let is_code_page = name.starts_with("doc/error/");
            let code = path.as_ref().and_then(|path| path.file_stem()).unwrap_or_default().to_string_lossy();
            if is_code_page && !case.program.contains(&format!("[{code}]")) {
                println!("{name}: the example does not raise {code}");
                n_failed += 1;
            }
            match found.is_empty() {
                true => n_passed += 1,
                false => {
                    n_failed += 1;
                    for failure in &found {
                        println!("{name}:{}: {}: {}", failure.page_line + 1, case.heading, failure.message);
                    }
                }
            }
            failures.extend(found);
        }
        if blessing && failures.iter().any(|failure| failure.actual.is_some()) {
            let blessed = bless(text, &failures);
            match path {
                Some(path) => std::fs::write(path, blessed).expect("a page can be written"),
                None => bless_row(text, &blessed),
            }
            n_blessed += 1;
        }
    }
    if blessing {
        println!("{n_blessed} pages blessed; read the difference");
    }
    let verdict = if n_failed == 0 { "ok" } else { "FAILED" };
    println!("test result: {verdict}. {n_passed} passed; {n_failed} failed; 0 ignored; 0 measured; 0 filtered out");
    ExitCode::from(u8::from(n_failed > 0))
}

/// Writes an operator's documentation back into the file of its row.
fn bless_row(old: &str, new: &str) {
    let escape = |text: &str| text.trim_end().replace('\\', "\\\\").replace('"', "\\\"");
    for path in files(&root().join("crate/op/src"), "rs") {
        let source = std::fs::read_to_string(&path).unwrap_or_default();
        if source.contains(&escape(old)) {
            std::fs::write(&path, source.replace(&escape(old), &escape(new))).expect("a row can be written");
        }
    }
}
