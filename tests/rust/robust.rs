//! No text, however strange, makes the core panic, hang or lose anything.

use proptest::prelude::*;
use session::command::{check_json, run_json};
use session::{Analysis, Options};
use std::time::{Duration, Instant};

/// Everything that the page may ask of a text.
fn ask_everything(text: &str) {
    let analysis = Analysis::new(text);
    assert_eq!(analysis.text(), text);
    let _ = run_json(&analysis, &Options { fuel: 20_000, memory: 1 << 24, ..Options::default() });
    let end = text.len() as u32;
    for step in 0..12 {
        let mut offset = end / 12 * step;
        while !text.is_char_boundary(offset as usize) {
            offset -= 1;
        }
        let _ = session::hover(&analysis, offset);
    }
    let _ = check_json(&[("-".to_owned(), analysis)]);
    let mut page = session::Page::default();
    let _ = page.update(text);
    let _ = page.hover(end / 2);
}

/// The words of the language, to be thrown together.
const WORDS: &[&str] = &[
    "def",
    "@f",
    "@g",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "%x",
    "%y",
    "%0",
    ":",
    "->",
    "=>",
    ",",
    ";",
    "let",
    "=",
    "fn",
    "if",
    "else",
    "match",
    "match?",
    "type",
    "data",
    "List",
    "Cons",
    "Nil",
    "_",
    "1",
    "2f",
    "0.5",
    "-",
    "+",
    "*",
    "/",
    "==",
    "|>",
    ".0",
    ".1",
    "Tensor[(2, 3), float32]",
    "Tensor[(?, 3), float32]",
    "int32",
    "A",
    "nn.dense",
    "units=3",
    "zeros",
    "shape=[2, 3]",
    "ref",
    "!",
    ":=",
    "case",
    "extern",
    "\"s\"",
    "# c\n",
    "\n",
    "reshape",
    "newshape=[-1]",
    "concatenate",
    "axis=0",
    "True",
    "`V",
    "as",
    "|",
    "where",
    "?",
    "#[version = \"0.0.5\"]",
];

fn n_cases() -> u32 {
    if std::env::var_os("RELISH_SOAK").is_some() { 20_000 } else { 400 }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(n_cases()) })]

    #[test]
    fn any_string(text in "\\PC{0,200}") {
        ask_everything(&text);
    }

    #[test]
    fn any_words(words in prop::collection::vec(prop::sample::select(WORDS), 0..120)) {
        ask_everything(&words.join(" "));
    }

    #[test]
    fn a_page_with_a_hole(cut in 0_usize..4000, len in 0_usize..40, insert in prop::sample::select(WORDS)) {
        let page = include_str!("../conformance/broken.relay");
        let mut from = cut % page.len();
        while !page.is_char_boundary(from) { from -= 1; }
        let mut to = (from + len).min(page.len());
        while !page.is_char_boundary(to) { to -= 1; }
        ask_everything(&format!("{}{insert}{}", &page[..from], &page[to..]));
    }
}

/// Runs on a thread with the stack of a browser's worker or less.
fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(400 * 1024).spawn(run).expect("a thread").join().expect("no overflow");
}

fn quick(name: &str, text: String) {
    let start = Instant::now();
    ask_everything(&text);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{name} took {took:?}");
}

#[test]
fn deep_texts() {
    on_small_stack(|| {
        for opener in [
            "(",
            "[",
            "{",
            "fn(){",
            "if(",
            "-",
            "!",
            "match(",
            "(1,",
            "Tensor[",
            "fn(",
            "ref(",
            "def @f(){",
            "let %x =",
        ] {
            quick(opener, opener.repeat(100_000));
        }
        for depth in [900, 1_000, 100_000] {
            quick("parentheses", format!("{}1{}", "(".repeat(depth), ")".repeat(depth)));
            quick("blocks", format!("{}1{}", "{".repeat(depth), "}".repeat(depth)));
            quick("tuples", format!("{}1{}", "(".repeat(depth), ",)".repeat(depth)));
            quick("closures", format!("{}1{}", "fn(%x) {".repeat(depth), "}".repeat(depth)));
            quick("ifs", format!("{}1{}", "if (True) {".repeat(depth), "} else { 2 }".repeat(depth)));
            quick("matches", format!("{}1{}", "match (1) { _ => ".repeat(depth), "}".repeat(depth)));
            quick("types", format!("def @f(%x: {}int32{}) {{ %x }}", "(".repeat(depth), ",)".repeat(depth)));
            quick("refs", format!("{}1{}", "ref(".repeat(depth), ")".repeat(depth)));
        }
    });
}

/// Texts at which a walk once stood still.
#[test]
fn texts_that_did_not_end() {
    for text in ["( extern =", "(1 extern =", "( def =", "(1, where =", "[ type =", "(match?"] {
        quick(text, text.to_owned());
    }
}

#[test]
fn long_texts() {
    on_small_stack(|| {
        let n = 20_000;
        let lets: String = (1..n).map(|i| format!("let %x{i} = (%x{}, 1);\n", i - 1)).collect();
        quick("a type as deep as the program is long", format!("def @f() {{ let %x0 = 1;\n{lets}%x{} }}", n - 1));
        let doubled: String = (1..200).map(|i| format!("let %x{i} = (%x{0}, %x{0});\n", i - 1)).collect();
        quick("a type of exponential size", format!("def @f() {{ let %x0 = 1;\n{doubled}%x199 }}"));
        quick("a sum", format!("def @f(%x: int32) {{ %x{} }}", " + %x".repeat(n)));
        quick("a pipe", format!("def @f(%x: float32) {{ %x{} }}", " |> nn.relu".repeat(n)));
        quick("else ifs", format!("def @f(%x: bool) {{ {} {{ 0 }} }}", "if (%x) { 1 } else ".repeat(n)));
        quick(
            "arms",
            format!("match (1) {{ {} _ => 0 }}", (0..2_000).map(|i| format!("{i} => 1, ")).collect::<String>()),
        );
        quick("a wide tuple", format!("({})", "1, ".repeat(n)));
        quick("a wide pattern", format!("match (({0})) {{ ({1}) => 1 }}", "1, ".repeat(2_000), "_, ".repeat(2_000)));
    });
}

#[test]
fn deep_values() {
    on_small_stack(|| {
        let list = "type List[A] { Nil, Cons(A, List[A]) }
            def @range(%n: int32, %l: List[int32]) -> List[int32] {
                if (%n == 0) { %l } else { @range(%n - 1, Cons(%n, %l)) }
            }
            def @foldr[A, B](%f: fn(A, B) -> B, %z: B, %l: List[A]) -> B {
                match (%l) { Nil => %z, Cons(%h, %t) => %f(%h, @foldr(%f, %z, %t)) }
            }\n";
        let options = Options::default();
        let fold = Analysis::new(&format!("{list}@foldr(fn(%a, %b) {{ %a + %b }}, 0, @range(100000, Nil))"));
        let outcome = session::run(&fold, &options);
        assert_eq!(
            outcome.values[0].value.as_ref().map(|_| fold.show(&outcome.values[0])),
            Some(Some("705082704".to_owned()))
        );
        // The list itself is printed up to a limit, and dropped, without recursion.
        let whole = Analysis::new(&format!("{list}@range(100000, Nil)"));
        let json = run_json(&whole, &options).json;
        assert!(json.contains("\"truncated\":true") && json.contains("\"data\":null"));
        let endless = Analysis::new("def @f(%n: int32) -> int32 { @f(%n + 1) }\n@f(0)");
        let diagnostics = session::run(&endless, &Options { fuel: 100_000, ..options.clone() }).diagnostics;
        assert_eq!(diagnostics[0].code, "out-of-fuel");
        let growing = Analysis::new("def @f(%n: int32) -> int32 { 1 + @f(%n + 1) }\n@f(0)");
        let diagnostics = session::run(&growing, &Options { memory: 1 << 20, ..options }).diagnostics;
        assert_eq!(diagnostics[0].code, "out-of-memory");
    });
}
