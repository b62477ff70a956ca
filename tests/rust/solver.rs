//! What the page is shown of the solver.

use session::view::solver::{GraphNodeView, GraphView, NodeKindView, SolverView, TraceView};
use session::{Page, Part, first_sentence, sentence};
use std::collections::BTreeSet;
use tests::{files, root};

/// All of a stop's lists.
const WHOLE: Part = Part { first_class: 0, n_classes: usize::MAX, n_relations: usize::MAX };

fn page(text: &str) -> (Page, TraceView) {
    let mut page = Page::default();
    page.update(text);
    let trace = page.trace();
    (page, trace)
}

/// A sum that has to wait, and a call that tells it.
const WAITS: &str = "fn(%p) { %p.0 + 1 }((1, True))\n";

/// A function of `n` lines, each a sum and an operator on it, which takes the result of the line before.
fn long(n: usize) -> String {
    let line = |i: usize| format!("  let %x{} = nn.relu(%x{i} + %x{i});\n", i + 1);
    let lines: String = (0..n).map(line).collect();
    format!("def @main(%x0: Tensor[(3, 4), float32]) {{\n{lines}  %x{n}\n}}\n")
}

#[test]
fn a_timeline_has_a_letter_for_each_stop() {
    let (_, trace) = page(WAITS);
    assert_eq!(trace.stops, "bpwsss");
    assert_eq!(trace.functions[0].name, "line 1");
    let ran: Vec<&str> =
        trace.stop_relations.iter().flatten().map(|&at| trace.relations[at as usize].as_str()).collect();
    assert_eq!(ran, ["TupleGetItem", "Broadcast", "Equal", "TupleGetItem"]);
}

#[test]
fn a_stop_says_what_its_step_did() {
    let (mut page, trace) = page(WAITS);
    let views: Vec<SolverView> = (0..trace.stops.len()).map(|stop| page.solver_at(stop, WHOLE)).collect();
    assert_eq!(views[2].caption, "`TupleGetItem` waits: the type of `%p` is not known yet.");
    assert_eq!(views[2].waiting.len(), 1);
    let front = views.iter().find(|view| !view.woken.is_empty()).expect("something is woken");
    assert!(front.queue[0].reason.starts_with("it came to the front because `t"), "{}", front.queue[0].reason);
    let last = views.last().expect("there are stops");
    assert!(last.queue.is_empty() && last.waiting.is_empty());
    assert!(last.changes.iter().any(|change| change.after == "int32"), "{:?}", last.changes);
    assert!(last.classes.iter().all(|class| class.is_known), "{:?}", last.classes);
    assert_eq!(last.n_solved, 3);
}

#[test]
fn pages_of_classes_are_the_whole_table() {
    let (mut page, trace) = page(&long(40));
    for stop in [trace.stops.len() / 2, trace.stops.len() - 1] {
        let whole = page.solver_at(stop, WHOLE).classes;
        let mut pieces = Vec::new();
        for first_class in (0..whole.len()).step_by(7) {
            let view = page.solver_at(stop, Part { first_class, n_classes: 7, n_relations: 3 });
            assert_eq!(view.n_classes_above as usize, first_class);
            assert_eq!(view.n_classes_below as usize, whole.len() - first_class - view.classes.len());
            pieces.extend(view.classes);
        }
        assert_eq!(pieces, whole);
    }
    let view = page.solver_at(1, Part { first_class: 0, n_classes: 0, n_relations: 3 });
    assert_eq!((view.queue.len(), view.n_more_queued), (3, 78));
}

#[test]
fn a_long_trace_is_a_small_graph_that_can_be_opened() {
    let (mut page, trace) = page(&long(5_000));
    let mut open: Vec<String> = Vec::new();
    let first = page.solver_graph(&open);
    assert!(first.nodes.len() <= 300 && first.n_hidden > 9_000, "{} nodes drawn", first.nodes.len());
    // Whatever is closed can be opened, until all 10,000 relations are there.
    let mut view = first;
    for _ in 0..10 {
        let closed = |node: &&GraphNodeView| node.kind == NodeKindView::Cluster;
        open.extend(view.nodes.iter().filter(closed).map(|node| node.id.clone()));
        view = page.solver_graph(&open);
    }
    assert_eq!(view.n_hidden, 0);
    let n_relations = view.nodes.iter().filter(|node| node.kind == NodeKindView::Relation).count();
    assert_eq!(n_relations, 10_000);
    let ids: BTreeSet<&String> = view.nodes.iter().map(|node| &node.id).collect();
    assert_eq!(ids.len(), view.nodes.len(), "each node has an id of its own");
    let state = page.graph_state(trace.stops.len() - 1);
    assert_eq!((state.states.len(), state.terms.len()), (view.nodes.len(), view.nodes.len()));
    assert!(!state.states.contains(['?', '-', 'w', 'p', 'f']), "all is known and done in the end");
}

#[test]
fn a_graph_leads_from_operands_to_results() {
    let (mut page, trace) = page("fn(%x: Tensor[(3,), float32], %y) { nn.relu(%x) + %y }\n");
    let GraphView { nodes, edges, n_hidden, .. } = page.solver_graph(&[]);
    assert_eq!(n_hidden, 0);
    let label = |at: u32| nodes[at as usize].label.as_str();
    let edges: Vec<String> = edges.iter().map(|edge| format!("{} > {}", label(edge.from), label(edge.to))).collect();
    assert_eq!(edges[..2], ["%x > nn.relu", "nn.relu > %x"], "the operand and the result are one variable");
    assert!(edges.contains(&"%y > add".to_owned()), "{edges:?}");
    assert_eq!(page.graph_state(0).states, "?-??-");
    let last = trace.stops.len() - 1;
    let waits: Vec<String> = (0..last).map(|stop| page.graph_state(stop).states).collect();
    assert!(waits.iter().any(|states| states.contains('c')), "{waits:?}");
    assert!(page.graph_state(last).states.contains('f'), "in vain");
}

#[test]
fn operators_are_resolved_in_rounds() {
    let text = "def @main(%x: Tensor[(3, 4), float32]) {\n  let %y = nn.relu(%x);\n  let %z = tanh(%x);\n  \
                sigmoid(%y) + %z\n}\n";
    let (mut page, _) = page(text);
    let rounds = page.rounds(0, 10).rounds;
    let names: Vec<Vec<&str>> =
        rounds.iter().map(|round| round.resolved.iter().map(|one| one.name.as_str()).collect()).collect();
    assert_eq!(names, [vec!["nn.relu", "tanh"], vec!["sigmoid"], vec!["add"]]);
    let waiting: Vec<u32> = rounds.iter().map(|round| round.n_waiting).collect();
    assert_eq!(waiting, [2, 1, 0]);
    let second = page.rounds(1, 1);
    assert_eq!((second.n_above, second.rounds[0].number, second.n_more), (1, 2, 1));
}

#[test]
fn a_place_knows_the_stop_that_decided_it() {
    let (mut page, _) = page(WAITS);
    let offset = WAITS.find("%p.0").expect("it is there") as u32 + 3;
    let place = page.stops_at(offset).expect("something is there");
    assert_eq!(place.of, "%p.0");
    assert!(place.stops.contains(&place.decided), "{place:?}");
    assert_eq!(page.decided_at(offset), Some(place.decided as usize));
    let before = page.classes_at(offset, place.decided as usize - 1);
    let view = page.solver_at(place.decided as usize, WHOLE);
    assert!(view.caption.contains("int32"), "{}", view.caption);
    assert!(view.changes.iter().any(|change| change.was == before[0]), "{:?} {before:?}", view.changes);
}

/// In each text, what is meant at each `|`.
#[test]
fn a_cursor_means_the_variable_of_its_line() {
    let cases = [
        ("def @f(%x: int32) {\n  |let| %y |= %x + 1;|\n  let %z = |%y| * 2;\n  %z - %y|\n}\n", "%y %y %y %y %y %y %y"),
        (
            "def @f(%x: int32) {\n  let %y = %x;\n  |let %z = %y |* 2;\n  @f(%z)|;|\n  %z\n|}|\n",
            "%z %y * 2 @f(%z) @f(%z) %z %z",
        ),
        ("|let %a = |1;|\n\n|def| @f(%x) |{ %x }|\n|\n@f(%a)|\n", "%a 1 1 @f @f @f @f - @f(%a)"),
    ];
    for (marked, want) in cases {
        let (mut page, _) = page(&marked.replace('|', ""));
        let offsets = marked.match_indices('|').enumerate().map(|(nth, (at, _))| (at - nth) as u32);
        let names: Vec<String> = offsets.map(|at| page.stops_at(at).map_or("-".to_owned(), |place| place.of)).collect();
        assert_eq!(names.join(" "), want, "{marked}");
    }
}

#[test]
fn a_problem_knows_its_stop_and_a_failure_its_problem() {
    let programs = [
        ("zeros(shape=[2, 3]) + zeros(shape=[2, 4])\n", 'f'),
        ("def @f(%x) { %x(%x) }\n", 'f'),
        ("fn(%p) { %p.0 }\n", 'f'),
        ("def @f(%x: int32) -> bool { %x }\n", 'f'),
    ];
    for (text, letter) in programs {
        let (mut page, trace) = page(text);
        let stop = page.stop_of_diagnostic(0).unwrap_or_else(|| panic!("{text} has a stop"));
        assert_eq!(trace.stops.chars().nth(stop), Some(letter), "{text}");
        assert_eq!(trace.failures, [stop as u32], "{text}");
        assert_eq!(trace.failure_diagnostics, [Some(0)], "{text}");
    }
}

/// The names of all relations in the sources: `Relation { name: "Dense", …`.
fn relation_names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in files(&root().join("crate"), "rs") {
        let source = std::fs::read_to_string(&path).unwrap_or_default();
        for piece in source.split(" Relation {").skip(1) {
            let name = piece.trim_start().strip_prefix("name: \"").and_then(|rest| rest.split('"').next());
            names.extend(name.map(str::to_owned));
        }
    }
    names
}

#[test]
fn every_relation_has_words() {
    let names = relation_names();
    assert!(names.len() > 150 && names.contains("Broadcast") && names.contains("Equal"), "{names:?}");
    let of_operators: BTreeSet<&str> =
        op::all().iter().filter(|row| first_sentence(row.doc).len() > 10).map(|row| row.relation.name).collect();
    let without: Vec<&String> =
        names.iter().filter(|name| sentence(name).is_none() && !of_operators.contains(name.as_str())).collect();
    assert!(without.is_empty(), "no words for {without:?}");
}

#[test]
fn a_first_sentence_ends_where_the_next_begins() {
    let doc = "\nRounds to 0.5, e.g. down. Then more.\n```relay\n```\n";
    assert_eq!(first_sentence(doc), "Rounds to 0.5, e.g. down.");
    assert_eq!(first_sentence("One line\nand another\n\nNot this."), "One line and another");
}
