//! Laws of *why* and *why not*: what is known has a derivation, and a core is minimal.

use session::view::FileView;
use session::{Analysis, Page, core_laws, unexplained};
use tests::facts::{carried, corpus, is_soak, program, sample, text};
use tests::page::cases;
use tests::{files, root};

/// Every program of the pages, with a name.
fn pages() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for folder in ["tests/pages", "doc"] {
        for path in files(&root().join(folder), "md") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let name = |heading: &str| format!("{}: {heading}", path.display());
            programs.extend(cases(&text).into_iter().map(|case| (name(&case.heading), case.text())));
        }
    }
    programs
}

/// Wherever one asks, the pieces of the answer are the type that a hover shows.
#[test]
fn the_pieces_of_a_type_are_the_type() {
    let mut n_asked = 0;
    for (name, program) in pages().into_iter().filter(|(_, program)| !program.contains('?')) {
        let mut page = Page::default();
        page.update(&program);
        for offset in (0..program.encode_utf16().count() as u32).step_by(7) {
            let Some(why) = page.why(offset, None) else { continue };
            let joined: String = why.pieces.iter().map(|piece| piece.text.as_str()).collect();
            let hover = page.hover(FileView::User, offset).expect("what has a type can be hovered");
            if hover.span == why.span && hover.operator.is_none() && !hover.code.starts_with("def ") {
                n_asked += 1;
                let code = without_params(&hover.code);
                assert!(code.contains(&joined), "{name}: {joined} is not in {code}");
            }
            assert!(why.pieces[why.asked as usize].is_askable, "{name}: asked about glue");
            assert_eq!(why.steps.first().map(|step| step.depth), Some(0).filter(|_| !why.steps.is_empty()));
        }
    }
    assert!(n_asked > 100, "only {n_asked} places were asked about");
}

/// `%f: fn(S) -> S` for `%f: fn[S: Shape](S) -> S`: what a type is polymorphic in is no piece of it.
fn without_params(code: &str) -> String {
    let polymorphic = code.split_once(": fn[").and_then(|(name, rest)| Some((name, rest.split_once("](")?.1)));
    polymorphic.map_or_else(|| code.to_owned(), |(name, rest)| format!("{name}: fn({rest}"))
}

/// Programs with one mistake each.
fn mutants() -> Vec<(String, String)> {
    let n = if is_soak() { 5_000 } else { 150 };
    let facts = sample(corpus("relay_random"), n);
    facts.iter().filter_map(|fact| Some((text(fact, "id").to_owned(), program(fact)?))).collect()
}

#[test]
fn what_is_known_of_a_sound_program_has_a_derivation() {
    let facts = carried("relay");
    let facts = facts.iter().filter_map(|fact| Some((text(fact, "id").to_owned(), program(fact)?)));
    let mut n_asked = 0;
    for (name, program) in pages().into_iter().chain(facts) {
        let analysis = Analysis::new(&program);
        if analysis.diagnostics().iter().any(|diagnostic| diagnostic.severity == base::Severity::Error) {
            continue;
        }
        n_asked += 1;
        let unexplained = unexplained(&analysis);
        assert!(unexplained.is_empty(), "{name}: nothing says why\n{}\n{program}", unexplained.join("\n"));
    }
    assert!(n_asked > 100, "only {n_asked} programs were asked about");
}

#[test]
fn a_core_fails_and_no_member_of_it_can_be_left_out() {
    let mut n_cores = 0;
    for (name, program) in pages().into_iter().chain(mutants()) {
        for (fails, holds_without) in core_laws(&Analysis::new(&program)) {
            n_cores += 1;
            assert!(fails, "{name}: the core does not fail\n{program}");
            assert!(holds_without.iter().all(|&holds| holds), "{name}: a member can be left out\n{program}");
        }
    }
    assert!(n_cores > 100, "only {n_cores} cores were found");
}
