//! Laws of the solver, on every page and fact and on random programs: its trace replays and undoes, any stop of it can
//! be reached from any other, and the order of the queue does not matter.

use session::{Analysis, Recording, beginning, check_order, trace};
use solve::trace::{replay, undo};
use solve::{Event, Order};
use tests::facts::{carried, hash, is_soak, program, refine, text};
use tests::page::cases;
use tests::programs::Program;
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

const N_CASES: u64 = 2_000;
const N_SOAK: u64 = 100_000;

/// Random programs of the whole language, with their seeds for names.
fn random_programs() -> impl Iterator<Item = (String, String)> {
    let n = if is_soak() { N_SOAK } else { N_CASES };
    (0..n).map(|seed| (format!("random program {seed}"), Program::new(seed).text()))
}

/// Replaying all events rebuilds the solver.
fn replays(name: &str, program: &str) {
    let solver = trace(program);
    let rebuilt = replay(beginning(), &solver.store.log.events, solver.relations());
    assert!(rebuilt.same_state(&solver), "{name}: the replay differs\n{program}");
}

/// Undoing a suffix equals replaying the prefix.
fn undoes(name: &str, program: &str) {
    let solver = trace(program);
    let events = &solver.store.log.events;
    let mut rewound = replay(beginning(), events, solver.relations());
    let mut end = events.len();
    // A dozen cuts, each some way before the last; one inside a step is at its beginning.
    let stride = (events.len() / 12).max(1);
    while end > 0 {
        let cut = outside_steps(events, end.saturating_sub(stride));
        undo(&mut rewound, &events[cut..end]);
        let replayed = replay(beginning(), &events[..cut], solver.relations());
        assert!(rewound.same_state(&replayed), "{name}: undoing to event {cut} of {} differs\n{program}", events.len());
        end = cut;
    }
}

/// The nearest place that is not between what a step asserted and the event that ends it: there the relation is neither
/// queued nor done, and what it woke stands before or behind it.
fn outside_steps(events: &[Event], cut: usize) -> usize {
    let step = events[cut..].iter().find_map(|event| match event {
        Event::Step { began, .. } => Some(*began as usize),
        _ => None,
    });
    step.map_or(cut, |began| began.min(cut))
}

/// Going to a stop, whatever way and past whatever checkpoints, equals replaying from zero.
fn goes_anywhere(name: &str, program: &str) {
    let analysis = Analysis::new(program);
    let mut recording = Recording::with_checkpoints(&analysis, 40);
    let n_stops = recording.n_stops();
    let events = recording.events().to_vec();
    let solver = trace(program);
    assert_eq!(events, solver.store.log.events, "{name}: a recording is what inference does\n{program}");
    // There and back, and then all over the place.
    let mut state = hash(name);
    let jumps = (0..6).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n_stops
    });
    for stop in [n_stops - 1, 0, n_stops / 2].into_iter().chain(jumps) {
        let event = recording.event_of(stop);
        let replayed = replay(beginning(), &events[..event], solver.relations());
        let there = recording.solver_at(stop);
        assert!(there.same_state(&replayed), "{name}: the solver at stop {stop} of {n_stops} differs\n{program}");
    }
}

fn orders_agree(name: &str, program: &str, n_orders: u64) {
    let (accepts, types) = check_order(program, Order::Queue);
    for seed in 0..n_orders {
        let (also_accepts, other_types) = check_order(program, Order::Shuffled(seed * 7919 + 1));
        assert_eq!(accepts, also_accepts, "{name}: order {seed} decides otherwise\n{program}");
        if accepts {
            let names = |types: &[String]| types.iter().map(|r#type| renamed(r#type)).collect::<Vec<_>>();
            assert_eq!(names(&types), names(&other_types), "{name}: order {seed} finds other types\n{program}");
        }
    }
}

#[test]
fn replaying_all_events_rebuilds_the_solver() {
    for (name, program) in programs().into_iter().chain(random_programs()) {
        replays(&name, &program);
    }
}

#[test]
fn undoing_a_suffix_equals_replaying_the_prefix() {
    for (name, program) in programs().into_iter().chain(random_programs()) {
        undoes(&name, &program);
    }
}

#[test]
fn a_checkpoint_equals_replaying_from_zero() {
    for (name, program) in programs().into_iter().chain(random_programs()) {
        goes_anywhere(&name, &program);
    }
}

#[test]
fn every_order_of_the_queue_agrees() {
    for (name, program) in programs() {
        orders_agree(&name, &program, if is_soak() { 100 } else { 5 });
    }
}

#[test]
fn every_order_of_the_queue_agrees_on_random_programs() {
    for (name, program) in random_programs() {
        orders_agree(&name, &program, 5);
    }
}

/// Where no `?` can come about, sizes that are written need no check when a program runs: this must be known of the
/// text.
#[test]
fn a_question_mark_in_a_type_is_foreseen() {
    let documented = op::all().iter().flat_map(|row| cases(row.doc));
    let documented = documented.map(|case| (format!("operator: {}", case.heading), case.text()));
    let mut n = 0;
    // The `?` of a TensorScript signature is the name of a parameter.
    let is_relay = |(_, program): &(String, String)| !program.contains("#lang tensorscript");
    for (name, program) in programs().into_iter().chain(documented).filter(is_relay) {
        let (is_well_typed, types) = check_order(&program, Order::Queue);
        if is_well_typed && types.iter().any(|r#type| r#type.contains('?')) {
            n += 1;
            assert!(trace(&program).dynamics, "{name}: {types:?}\n{program}");
        }
    }
    assert!(n > 50, "too few programs with `?`: {n}");
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

/// Without the numbers of lines.
fn unnumbered(message: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    message.split("line ").map(|part| part.trim_start_matches(is_digit)).collect::<Vec<_>>().join("line ")
}

/// What stands before a mistake and has nothing to do with it is not told of.
#[test]
fn a_definition_before_others_changes_nothing_that_is_said() {
    const BEFORE: &str = "def @unrelated_1(%unrelated: bool) { (1, 2f, %unrelated) }\n";
    let said = |program: &str, shift: u32| {
        let analysis = Analysis::new(program);
        let mut all = Vec::new();
        for told in analysis.diagnostics() {
            let labels =
                told.labels.iter().map(|label| (label.span.start.checked_sub(shift), unnumbered(&label.message)));
            all.push((unnumbered(&told.message), told.span.start.checked_sub(shift), labels.collect::<Vec<_>>()));
        }
        all
    };
    let mut n = 0;
    for (name, program) in programs() {
        // What is said of a text as a whole.
        let is_whole = Analysis::new(&program).diagnostics().iter().any(|told| told.code == "other-lang");
        if is_whole || program.contains("#lang") || program.contains("#[") || program.starts_with('v') {
            continue;
        }
        let alone = said(&program, 0);
        n += usize::from(!alone.is_empty());
        let behind = said(&format!("{BEFORE}{program}"), BEFORE.len() as u32);
        assert_eq!(behind, alone, "{name}\n{program}");
    }
    assert!(n > 300, "only {n} programs have something wrong");
}
