//! `relish check`, as a person or an editor calls it.

mod command;

/// The likeliest fault is in the second line, where both of the first two problems show elsewhere.
const WRONG: &str = "let %y = (1, 2).2;
def @f(%x: Tensor[(3,), float32]) { %x }
let %a = ones(shape=[4]);
@f(%a)
@f(%a)
";

/// What is printed on standard output and on standard error.
fn check(args: &[&str]) -> (String, String) {
    let output = command::relish(&[&["check", "-"], args].concat(), WRONG);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

/// A person reads the problems at the places, and the edits in the order, in which an editor gets them.
#[test]
fn text_and_json_say_the_same_in_one_order() {
    let document: serde_json::Value = serde_json::from_str(&check(&["--json"]).0).expect("JSON");
    let problems = document["files"][0]["diagnostics"].as_array().expect("problems");
    let place = |problem: &serde_json::Value| format!(" --> -:{}:{}", problem["line"], problem["column"]);
    let mut wanted = Vec::new();
    for problem in problems {
        wanted.push(place(problem));
        let titles = problem["fixes"].as_array().expect("edits").iter().map(|fix| fix["title"].as_str());
        let titles = titles.map(|title| title.expect("a title"));
        wanted.extend(
            titles.enumerate().map(|(i, title)| format!("  = help: {}{title}", if i == 0 { "" } else { "or " })),
        );
    }
    let drawn = check(&[]).1;
    let said: Vec<&str> = drawn.lines().filter(|line| line.contains(" --> ") || line.contains("= help: ")).collect();
    assert_eq!(said, wanted);
    assert!(place(&problems[0]).contains(":3:"), "the first problem is not mended where it is likeliest: {drawn}");
    assert!(wanted.len() > problems.len() + 2, "there is nothing to be ordered: {drawn}");
}

/// The text for a place in it may come from standard input as well.
#[test]
fn a_place_may_be_in_what_is_handed_over() {
    let output = command::relish(&["hover", "-:3:5"], WRONG);
    assert!(String::from_utf8_lossy(&output.stdout).contains("Tensor[(4), float32]"), "{output:?}");
}

/// Whatever is asked of a program, what is wrong with it is told as `check` tells it.
#[test]
fn every_document_comes_with_what_is_wrong() {
    let told = check(&[]).1;
    for command in ["ir", "layout", "trace"] {
        let output = command::relish(&[command, "-"], WRONG);
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), told, "{command}");
    }
}

/// Standard input is read once.
#[test]
fn inputs_and_program_are_not_both_standard_input() {
    let output = command::relish(&["run", "--inputs", "-", "-"], "{}");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard input"), "{output:?}");
}

/// Of a long text no more is drawn than the lines that matter, whatever ends them.
#[test]
fn lines_are_drawn_as_they_are() {
    let output = command::relish(&["check", "-"], "let %a = 1;\r\nlet %b = foo;\r\n%b");
    let drawn = String::from_utf8_lossy(&output.stderr);
    assert!(drawn.contains(" --> -:2:10\n  |\n2 | let %b = foo;\n"), "{drawn}");
}
