//! A name that is replaced wherever it stands leaves a program as right as it was.

use session::{Analysis, File, name};
use std::collections::BTreeSet;
use tests::facts::errors;
use tests::page::cases;
use tests::{files, root};

/// The program with another name at all these places.
fn renamed(text: &str, places: &BTreeSet<(u32, u32)>) -> String {
    let mut out = text.to_owned();
    for &(start, end) in places.iter().rev() {
        let (start, end) = (start as usize, end as usize);
        let sigil = usize::from(text[start..].starts_with(['%', '@', '`']));
        let first = text[start + sigil..].chars().next().unwrap_or_default();
        let new = match first {
            '0'..='9' => "77",
            _ if first.is_uppercase() => "Zq7",
            _ => "zq7",
        };
        out.replace_range(start + sigil..end, new);
    }
    out
}

#[test]
fn a_name_that_is_replaced_wherever_it_stands_changes_nothing() {
    let (mut n, mut wrong) = (0, String::new());
    for path in files(&root().join("tests/pages"), "md") {
        let page = std::fs::read_to_string(&path).unwrap();
        for case in cases(&page) {
            let surface = case.surface;
            let analysis = Analysis::in_surface(&case.program, surface);
            if !errors(&analysis).is_empty() {
                continue;
            }
            let mut done: BTreeSet<BTreeSet<(u32, u32)>> = BTreeSet::new();
            for offset in 0..case.program.len() as u32 {
                let Some(found) = name(&analysis, File::User, offset) else { continue };
                let places: BTreeSet<(u32, u32)> = found.mentions.iter().map(|at| (at.start, at.end)).collect();
                if !found.is_given || !done.insert(places.clone()) {
                    continue;
                }
                n += 1;
                let text = renamed(&case.program, &places);
                if let Some(error) = errors(&Analysis::in_surface(&text, surface)).first() {
                    let old = &case.program[found.span.range()];
                    wrong += &format!("{}: {}: {old}: {error}\n", path.display(), case.heading);
                }
            }
        }
    }
    assert!(n > 1000, "{n}");
    assert!(wrong.is_empty(), "{n}\n{wrong}");
}
