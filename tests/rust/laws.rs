//! Laws of the solver, on every page and fact: its trace replays and undoes, and the order of the queue does not
//! matter.

use session::{beginning, check_order, trace};
use solve::trace::{replay, undo};
use solve::{Event, Order};
use tests::facts::{carried, is_soak, program, refine, text};
use tests::page::cases;
use tests::{files, root};

/// Every program of the pages and of the facts that the project carries, with a name.
fn programs() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for folder in ["tests/pages", "doc"] {
        for path in files(&root().join(folder), "md") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for case in cases(&text) {
                programs.push((format!("{}: {}", path.display(), case.heading), case.text()));
            }
        }
    }
    for fact in ["relay", "relay_random"].into_iter().flat_map(carried) {
        programs.extend(program(&fact).map(|program| (text(&fact, "id").to_owned(), program)));
    }
    for fact in ["refine", "refine_generated"].into_iter().flat_map(carried) {
        programs.push((text(&fact, "id").to_owned(), refine(text(&fact, "program"))));
    }
    programs
}

#[test]
fn replaying_all_events_rebuilds_the_solver() {
    for (name, program) in programs() {
        let solver = trace(&program);
        let rebuilt = replay(beginning(), &solver.store.log.0, solver.relations());
        assert!(rebuilt.same_state(&solver), "{name}: the replay differs");
    }
}

#[test]
fn undoing_a_suffix_equals_replaying_the_prefix() {
    for (name, program) in programs() {
        let solver = trace(&program);
        let events = &solver.store.log.0;
        let mut rewound = replay(beginning(), events, solver.relations());
        let mut end = events.len();
        // A dozen cuts, each some way before the last; a cut inside a step is at its end.
        let stride = (events.len() / 12).max(1);
        while end > 0 {
            let mut cut = end.saturating_sub(stride);
            while cut > 0 && in_step(events, cut) {
                cut -= 1;
            }
            undo(&mut rewound, &events[cut..end]);
            let replayed = replay(beginning(), &events[..cut], solver.relations());
            assert!(rewound.same_state(&replayed), "{name}: undoing to event {cut} of {} differs", events.len());
            end = cut;
        }
    }
}

/// Whether a cut before this event may fall between what a step asserted and the event that ends it: there the relation
/// is neither queued nor done, and what it woke stands before or behind it.
fn in_step(events: &[Event], cut: usize) -> bool {
    let since = events[..cut].iter().rev().take_while(|event| !matches!(event, Event::Step { .. }));
    since.into_iter().any(|event| matches!(event, Event::Bind { .. } | Event::Link { .. }))
}

#[test]
fn every_order_of_the_queue_agrees() {
    let n_orders = if is_soak() { 100 } else { 5 };
    for (name, program) in programs() {
        let (accepts, types) = check_order(&program, Order::Queue);
        for seed in 0..n_orders {
            let (also_accepts, other_types) = check_order(&program, Order::Shuffled(seed * 7919 + 1));
            assert_eq!(accepts, also_accepts, "{name}: order {seed} decides otherwise\n{program}");
            if accepts {
                let names = |types: &[String]| types.iter().map(|r#type| renamed(r#type)).collect::<Vec<_>>();
                assert_eq!(names(&types), names(&other_types), "{name}: order {seed} finds other types\n{program}");
            }
        }
    }
}

/// A type up to what follows the order of solving: the names of its parameters, and the order of the clauses behind
/// `where`, of which the relations are compared. `fn[T, S: Shape](Tensor[S, T]) -> …` becomes `(Tensor[#0, #1]) -> …`.
fn renamed(r#type: &str) -> String {
    let (body, clauses) = r#type.split_once(" where ").unwrap_or((r#type, ""));
    // A name stands before a bracket; of an equation nothing is compared.
    let mut relations: Vec<&str> = clauses.split('(').filter_map(|part| part.split([' ', ')']).next_back()).collect();
    relations.pop();
    relations.retain(|name| !name.is_empty());
    relations.sort_unstable();
    let Some((params, body)) = body.strip_prefix("fn[").and_then(|rest| rest.split_once(']')) else {
        return format!("{body} {relations:?}");
    };
    let params: Vec<&str> = params.split(", ").filter_map(|param| param.split(':').next()).collect();
    let mut met: Vec<&str> = Vec::new();
    let mut out = String::new();
    for word in body.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        if !params.contains(&name) {
            out.push_str(word);
            continue;
        }
        let index = met.iter().position(|&other| other == name).unwrap_or_else(|| {
            met.push(name);
            met.len() - 1
        });
        out.push_str(&format!("#{index}{}", &word[name.len()..]));
    }
    format!("{out} {relations:?}")
}

#[test]
fn types_without_their_names() {
    let text = "fn[S: Shape, T: BaseType, R: Shape](Tensor[T1, S], Tensor[R, T]) -> T where A(T, R), B(S, k=1)";
    let [clauses_end, body] = [r#"["A", "B"]"#, "(Tensor[T1, #0], Tensor[#1, #2]) -> #2"];
    assert_eq!(renamed(text), format!("{body} {clauses_end}"));
}
