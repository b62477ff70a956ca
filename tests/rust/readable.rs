//! Printed types can be read back: beside every definition of a page that is in Relay stands a second one that is annotated with the
//! type that the first was found to have, and calls it.

use base::Surface;
use session::Analysis;
use std::fmt::Write;
use tests::facts::errors;
use tests::page::cases;
use tests::{files, root};

/// The parts of a list at its commas, brackets being closed.
fn split_list(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Where the bracket that opens a text is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        depth += match c {
            '(' | '[' => 1,
            ')' | ']' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at)
    })
}

/// `def name[params](%x0: A, …) -> R where … { callee(%x0, …) }` of a printed type; `None` of what is no function.
fn annotated(name: &str, callee: &str, r#type: &str) -> Option<String> {
    let rest = r#type.strip_prefix("fn")?;
    let (params, rest) = match rest.starts_with('[') {
        true => rest.split_at(closing(rest)? + 1),
        false => ("", rest),
    };
    let end = closing(rest)?;
    let (args, result) = (split_list(&rest[1..end]), rest[end + 1..].strip_prefix(" -> ")?);
    let typed: Vec<String> = args.iter().enumerate().map(|(i, arg)| format!("%x{i}: {arg}")).collect();
    let names: Vec<String> = (0..args.len()).map(|i| format!("%x{i}")).collect();
    Some(format!("def {name}{params}({}) -> {result} {{ {callee}({}) }}", typed.join(", "), names.join(", ")))
}

#[test]
fn a_printed_type_is_an_annotation() {
    let mut n = 0;
    let mut found = String::new();
    for path in ["tests/pages", "doc"].into_iter().flat_map(|folder| files(&root().join(folder), "md")) {
        let all = cases(&std::fs::read_to_string(&path).unwrap_or_default());
        for case in all.into_iter().filter(|case| case.surface == Surface::Relay) {
            let analysis = Analysis::new(&case.program);
            // Of a program with a mistake, and of one with `?`, types say less than was found out. Nothing stands
            // behind metadata.
            let mentions_any = case.program.lines().any(|line| !line.starts_with('#') && line.contains('?'));
            let has_metadata = case.program.contains("#[metadata]");
            if !errors(&analysis).is_empty() || mentions_any || has_metadata {
                continue;
            }
            for definition in analysis.definitions() {
                if !definition.name.starts_with('@') || definition.truncated {
                    continue;
                }
                let Some(text) = annotated("@read_back", &definition.name, &definition.r#type) else { continue };
                n += 1;
                let errors = errors(&Analysis::new(&format!("{}\n{text}\n", case.program)));
                if !errors.is_empty() {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let _ = writeln!(found, "{name}, {}:\n{text}\n    {}", case.heading, errors.join("\n    "));
                }
            }
        }
    }
    println!("types read back: {n}");
    assert!(found.is_empty(), "{found}");
    assert!(n > 300, "too few definitions: {n}");
}
