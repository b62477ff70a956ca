//! Laws of the solver, on every page and fact: its trace replays and undoes, and the order of the queue does not
//! matter.

use serde_json::Value as Json;
use session::{beginning, check_order, trace};
use solve::trace::{replay, undo};
use solve::{Event, Order};
use tests::page::cases;
use tests::{files, root};

/// Every program of the pages and of the facts, with a name.
fn programs() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for folder in ["tests/pages", "doc"] {
        for path in files(&root().join(folder), "md") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for case in cases(&text) {
                programs.push((format!("{}: {}", path.display(), case.heading), case.program));
            }
        }
    }
    let facts = std::fs::read_to_string(root().join("tests/conformance/relay.jsonl")).unwrap_or_default();
    for fact in facts.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok()) {
        if let (Some(id), Some(source)) = (fact["id"].as_str(), fact["source"].as_str()) {
            programs.push((id.to_owned(), source.to_owned()));
        }
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

/// Whether a cut before this event falls between what a step asserted and the event that ends it: there the relation
/// is neither queued nor done.
fn in_step(events: &[Event], cut: usize) -> bool {
    let next = events[cut..].iter().find(|event| matches!(event, Event::Step { .. } | Event::Post { .. }));
    let last = events[..cut].iter().rev().find(|event| matches!(event, Event::Step { .. } | Event::Post { .. }));
    matches!(next, Some(Event::Step { .. })) && last.is_some() && !matches!(events[cut - 1], Event::Step { .. })
}

#[test]
fn every_order_of_the_queue_agrees() {
    let n_orders = if std::env::var_os("RELISH_SOAK").is_some() { 100 } else { 5 };
    for (name, program) in programs() {
        let (accepts, types) = check_order(&program, Order::Queue);
        for seed in 0..n_orders {
            let (also_accepts, other_types) = check_order(&program, Order::Shuffled(seed * 7919 + 1));
            assert_eq!(accepts, also_accepts, "{name}: order {seed} decides otherwise\n{program}");
            if accepts {
                let (a, b) = (renamed(&types), renamed(&other_types));
                assert_eq!(a, b, "{name}: order {seed} finds other types\n{program}");
            }
        }
    }
}

/// Types up to the order of the clauses behind `where` and the names in them, which follow the order of solving.
fn renamed(types: &[String]) -> Vec<String> {
    types
        .iter()
        .map(|r#type| match r#type.split_once(" where ") {
            Some((_, clauses)) => format!("{} clauses", clauses.matches('(').count()),
            None => r#type.clone(),
        })
        .collect()
}
