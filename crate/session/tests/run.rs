//! What is run of a program that is not sound, and what a long run says of itself.

use base::{Severity, Surface};
use session::{Analysis, Options, Progress, SoFar, run};
use std::cell::{Cell, RefCell};

/// Each value of a run as text, with nothing for one that there is not, and the codes of what was told.
fn ran(text: &str) -> (Vec<Option<String>>, Vec<&'static str>) {
    ran_in(Surface::Relay, text)
}

fn ran_in(surface: Surface, text: &str) -> (Vec<Option<String>>, Vec<&'static str>) {
    let analysis = Analysis::in_surface(text, surface);
    let outcome = run(&analysis, &Options::default());
    let values = outcome.values.iter().map(|value| analysis.show(value));
    (values.collect(), outcome.diagnostics.iter().map(|said| said.code).collect())
}

/// There is a `@depth` for each of endlessly many types, so it has no value, not even where the run would end. What
/// does not use it has one.
#[test]
fn what_has_endless_instances_has_no_value() {
    let program = "
def @depth[A](%x: A, %n: int32) -> int32 { if (%n == 0) { 0 } else { 1 + @depth((%x, %x), %n - 1) } }
def @twice(%n: int32) { @depth(True, %n) * 2 }
def @half(%n: int32) { %n / 2 }
@half(7)
@depth(True, 0)
@twice(0)
@half(9)
";
    let three = Some("3".to_owned());
    assert_eq!(ran(program), (vec![three, None, None, Some("4".to_owned())], vec!["endless-instances"]));
}

/// Only so many problems are told. What stands behind the last of them may have one too.
#[test]
fn what_stands_behind_too_many_problems_is_not_run() {
    let wrong = "(1, 2).2\n".repeat(600);
    assert_eq!(ran(&format!("1 + 1\n{wrong}2 + 2\n")), (vec![Some("2".to_owned())], Vec::new()));
}

/// Warnings stop nothing, however many there are, and an error among them is told.
#[test]
fn what_stands_behind_many_warnings_is_run() {
    let warned = "mean([1, 2])\n".repeat(501);
    let (values, codes) = ran(&format!("{warned}sum([1f, 2f])\n"));
    assert_eq!((values.len(), values.last()), (502, Some(&Some("3f".to_owned()))));
    assert_eq!(codes, Vec::<&str>::new());
    let text = format!("{warned}(1, 2).2\n2 + 2\n");
    assert_eq!(ran(&text).0.last(), Some(&Some("4".to_owned())));
    let analysis = Analysis::new(&text);
    let told = analysis.diagnostics();
    assert_eq!(told.iter().filter(|said| said.severity == Severity::Error).count(), 1);
    assert!(told.is_sorted_by_key(|said| said.span.start));
    let more = told.iter().find(|said| said.code == "more-problems");
    assert!(more.is_some_and(|said| said.message.starts_with("2 more problems")), "{more:?}");
}

/// What a weight is made of is said outside the functions that apply it.
#[test]
fn a_node_with_a_wrong_weight_is_not_run() {
    let node = |heads: u32| {
        format!(
            "use seq::MultiheadAttention;
node Net<[?, 3, 8] -> [?, 3, 8]> {{}}
weights Net<[?, 3, 8] -> [?, 3, 8]> {{ attend = MultiheadAttention::new(embed_dim=8, num_heads={heads}); }}
graph Net<[?, 3, 8] -> [?, 3, 8]> {{ def forward(x) {{ x |> attend }} }}
"
        )
    };
    assert_eq!(ran_in(Surface::TensorScript, &node(3)), (Vec::new(), Vec::new()));
    assert_eq!(ran_in(Surface::TensorScript, &node(2)).0.len(), 1);
}

/// A problem in this text says nothing of the types of the library, which stand at the same places of another.
#[test]
fn where_a_problem_stands_breaks_nothing_of_the_library() {
    let values: Vec<_> =
        (0..500).map(|n| ran(&format!("Cons(1, Nil)\nSome(2)\n//{}\n1 + 1f\n", "x".repeat(n))).0).collect();
    assert!(values.iter().all(|values| values[..2].iter().all(Option::is_some)));
}

/// A parameter of a literal in the type of a variable around it: what that is, nobody can say.
#[test]
fn what_a_parameter_escapes_to_is_not_run() {
    let literal = "
def @kept() { let %kept = ref(None); let %keep = fn[A](%x: A) { %kept := Some(%x) }; %keep(1); %keep(True); !%kept }
@kept()
1 + 1
";
    let analysis = Analysis::new(literal);
    assert_eq!(analysis.diagnostics().iter().map(|said| said.code).collect::<Vec<_>>(), ["escaping-parameter"]);
    assert_eq!(ran(literal).0, [Some("2".to_owned())]);
}

thread_local! {
    static NOW: Cell<f64> = const { Cell::new(0.0) };
    /// The calls, the line and the operators' calls that were told.
    static TOLD: RefCell<Vec<(u64, u32, Vec<u64>)>> = const { RefCell::new(Vec::new()) };
    /// The values.
    static VALUES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A clock whose every look takes 10 milliseconds.
fn clock() -> f64 {
    NOW.set(NOW.get() + 10.0);
    NOW.get()
}

fn tell(analysis: &Analysis, so_far: &SoFar) {
    let line = analysis.lines().line_of(so_far.next.start);
    let calls = so_far.tallies.iter().map(|tally| tally.n_calls).collect();
    TOLD.with_borrow_mut(|told| told.push((so_far.fuel, line, calls)));
    VALUES.with_borrow_mut(|values| values.extend(so_far.values.iter().filter_map(|value| analysis.show(value))));
}

/// Where the next instruction is, and what was called before it, also in the second expression.
#[test]
fn a_long_run_says_where_it_is() {
    let program = "
def @halves(%n: int32, %x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  if (%n == 0) { %x } else { @halves(%n - 1, exp(%x)) }
}
@halves(200, zeros(shape=[4]))
@halves(
  200, ones(shape=[4]))
";
    let analysis = Analysis::new(program);
    let options = Options { clock: Some(clock), progress: Some(Progress { tell, clock }), ..Options::default() };
    let outcome = run(&analysis, &options);
    let told = TOLD.take();
    assert!(told.len() > 10, "{told:?}");
    assert!(told.is_sorted_by_key(|(fuel, ..)| *fuel), "{told:?}");
    assert!(told.iter().all(|(fuel, ..)| *fuel <= outcome.fuel), "{told:?}");
    let lines: Vec<u32> = told.iter().map(|(_, line, _)| *line).collect();
    assert!(lines.contains(&3) && lines.iter().all(|line| (2..=7).contains(line)), "{lines:?}");
    let calls = |(_, _, calls): &(u64, u32, Vec<u64>)| calls.iter().sum::<u64>();
    assert!(told.is_sorted_by_key(calls), "{told:?}");
    let all: u64 = outcome.profile.iter().flatten().map(|tally| tally.n_calls).sum();
    assert!(told.last().is_some_and(|last| calls(last) + 20 > all && calls(last) <= all), "{all} {told:?}");
}

/// What is there already is told while the rest is under way, each once.
#[test]
fn a_long_run_tells_the_values_that_it_has() {
    let program = "
def @count(%n: int32) -> int32 { if (%n == 0) { 0 } else { @count(%n - 1) } }
1 + 2
@count(5000)
[1f, 2f] * 2f
1 / @count(5000)
@count(5000)
4
";
    let options = Options { progress: Some(Progress { tell, clock }), ..Options::default() };
    run(&Analysis::new(program), &options);
    assert_eq!(VALUES.take(), ["3", "0", "[2f, 4f]"]);
}

#[test]
fn what_the_telling_takes_is_not_the_run_s() {
    const LONG: f64 = 1e6;
    let tell = |_: &Analysis, _: &SoFar| {
        NOW.set(NOW.get() + LONG);
        TOLD.with_borrow_mut(|told| told.push((0, 0, Vec::new())));
    };
    let program = "def @count(%n: int32) -> int32 { if (%n == 0) { 0 } else { @count(%n - 1) } } @count(5000)";
    let options = Options { progress: Some(Progress { tell, clock }), ..Options::default() };
    let outcome = run(&Analysis::new(program), &options);
    assert!(!TOLD.take().is_empty());
    assert!((0.0..LONG).contains(&outcome.milliseconds), "{}", outcome.milliseconds);
}

/// What such a clause says of the types, nobody knows, and what calls the function is not run either.
#[test]
fn a_function_whose_clause_has_a_mistake_is_not_run() {
    let program = "
relation Same(A, A) :- true.
relation Same(A, -1) :- true.
def @same(%x: A) -> B where Same(A, B) { %x }
@same(1)
1 + 1
";
    let analysis = Analysis::new(program);
    let values: Vec<Option<String>> =
        run(&analysis, &Options::default()).values.iter().map(|value| analysis.show(value)).collect();
    assert_eq!(values, [Some("2".to_owned())]);
}

/// What an input may be is what a literal of its type may be, and what is none is not made one.
#[test]
fn an_input_is_of_its_type() {
    let analysis =
        Analysis::new("def @main(%n: int32, %b: bool, %h: float16, %x: Tensor[(2), float32]) { (%n, %b, %h, %x) }");
    let run = |inputs: &str| {
        let inputs = session::command::parse_inputs(inputs).expect("JSON");
        let outcome = run(&analysis, &Options { inputs: Some(&inputs), ..Options::default() });
        match outcome.diagnostics.first() {
            Some(said) => said.message.clone(),
            None => outcome.values.first().and_then(|value| analysis.show(value)).unwrap_or_default(),
        }
    };
    assert_eq!(run(r#"{"n": 1, "b": true, "h": "inf", "x": [1, "nan"]}"#), "(1, True, inff16, [1f, nanf])");
    for (inputs, told) in [
        (r#"{"n": true, "b": true, "h": 1, "x": [1, 2]}"#, "the input `%n`: true is no int32"),
        (r#"{"n": 1, "b": 2, "h": 1, "x": [1, 2]}"#, "the input `%b`: 2 is no bool"),
        (r#"{"n": 1, "b": true, "h": 1e10, "x": [1, 2]}"#, "the input `%h`: 10000000000.0 is no float16"),
        (r#"{"n": 1, "b": true, "h": 1, "x": [1, 1e39]}"#, "the input `%x`: 1e39 is no float32"),
        (r#"{"n": 1, "b": true, "h": 1, "x": null}"#, "the input `%x`: null is no tensor"),
        (r#"{"n": 1, "b": true, "h": 1, "x": [[1, 2]]}"#, "the input `%x`: expected the shape (2), found [1, 2]"),
    ] {
        assert_eq!(run(inputs), told);
    }
}

/// An `einsum` costs what the sizes of its tensors say, which it takes as a tuple: made there or elsewhere.
#[test]
fn the_operations_of_a_contraction_are_counted() {
    let program = "
let %a = ones(shape=[2, 3, 4]);
let %pair = (%a, ones(shape=[2, 4, 5]));
einsum(%pair, equation=\"bij,bjk->bik\")
einsum((ones(shape=[3, 4]), ones(shape=[4]), ones(shape=[3])), equation=\"ij,j,i->\")
";
    let analysis = Analysis::new(program);
    let outcome = run(&analysis, &Options { clock: Some(clock), ..Options::default() });
    let profile = outcome.profile.expect("a clock was given");
    let counted = profile.iter().filter(|tally| tally.ops.iter().any(|op| op.row().name == "einsum"));
    assert_eq!(counted.map(|tally| tally.flops).collect::<Vec<_>>(), [Some(2 * 2 * 3 * 4 * 5), Some(3 * 3 * 4)]);
}
