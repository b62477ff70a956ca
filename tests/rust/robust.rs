//! No text, however strange, makes the core panic, hang or lose anything.

use proptest::prelude::*;
use serde_json::Value as Json;
use session::command::{check_json, run_json};
use session::view::FileView;
use session::{Analysis, Options};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use tests::facts::{attr_text, carried, hash, is_soak, items, misplaced, op_program, refine, tensorscript, text};

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
    let _ = session::Page::format(text);
    let _ = page.hover(FileView::User, end / 2);
    let _ = page.name(FileView::User, end / 2);
}

/// The words of TensorScript.
const SCRIPT_WORDS: &[&str] = &[
    "use",
    "conv",
    "lin",
    "::",
    "{",
    "}",
    "Conv2d",
    "Linear",
    "maxpool2d",
    "matmul",
    "transpose",
    "dim0",
    "dim1",
    "sqrt",
    "relu",
    "view",
    "dim",
    "N",
    "tsr",
    "T",
    "=",
    "[",
    "]",
    "?",
    "_",
    "28",
    "0",
    "1.",
    ";",
    "node",
    "Net",
    "<",
    ">",
    "->",
    "weights",
    "fc",
    "new",
    "(",
    ")",
    "in",
    "out",
    "graph",
    "def",
    "forward",
    "x",
    "|>",
    "self",
    ".",
    ",",
    "if",
    "else",
    "+",
    "*",
    "%",
    "-",
    "true",
    "init_normal",
    "std",
    "while",
];

/// The words of refine.
const REFINE_WORDS: &[&str] = &[
    "let",
    "in",
    "match",
    "with",
    "as",
    "|",
    "->",
    "=",
    ":",
    ",",
    "(",
    ")",
    "[",
    "]",
    "_",
    "x",
    "y",
    "A",
    "B",
    "C x",
    "[A, B [C]]",
    "let x = A in",
    "let y : [A] = x in",
    "match x with",
    "| A ->",
    "| B y ->",
    "| A | B as z ->",
    "# c\n",
    "\n",
    "3",
    ";",
    "é",
    "if x then",
    "else",
    "fun x ->",
    "let f x =",
    "let C x =",
    "type t =",
    "match x {",
    "}",
    "C (x, y)",
    "`",
    "+",
    "(* c *)",
    "// c\n",
];

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
    "relation",
    "R(A, N: Dim)",
    ":-",
    "N = M * 2",
    ".",
    "..",
    "sh[1:]",
    "max(",
    "?",
    "#[version = \"0.0.5\"]",
];

fn n_cases() -> u32 {
    if is_soak() { 20_000 } else { 400 }
}

/// A pipe through so many layers.
fn chain_of_stages(n: usize) -> String {
    let node = "use nonlin::relu;\nnode Net<[?, 2] -> [?, 2]> {}\ngraph Net<[?, 2] -> [?, 2]> { def forward(x) { x";
    format!("{node}{} }} }}", " |> relu".repeat(n))
}

/// Each name stands for ten of the one before it, and the first for nothing.
fn shapes_of_shapes(n: usize) -> String {
    let mut text = "tsr A0 = [];\n".to_owned();
    for i in 1..n {
        text.push_str(&format!("tsr A{i} = [{}];\n", vec![format!("A{}", i - 1); 10].join(", ")));
    }
    text + &format!("node Net<[A{0}] -> [A{0}]> {{}}\ngraph Net<[A{0}] -> [A{0}]> {{ def forward(x) {{ x }} }}", n - 1)
}

/// Each node holds two of the one before it.
fn nodes_of_nodes(n: usize) -> String {
    let mut text = "use lin::Linear;\n".to_owned();
    for i in 0..n {
        let inner = if i == 0 { "Linear::new(in=2, out=2)".to_owned() } else { format!("N{}::new()", i - 1) };
        text.push_str(&format!(
            "node N{i}<[?, 2] -> [?, 2]> {{}} weights N{i}<[?, 2] -> [?, 2]> {{ a = {inner}; b = {inner}; }}\n\
             graph N{i}<[?, 2] -> [?, 2]> {{ def forward(x) {{ x |> a |> b }} }}\n"
        ));
    }
    text
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
    fn any_words_of_refine(words in prop::collection::vec(prop::sample::select(REFINE_WORDS), 0..60)) {
        ask_everything(&refine(&words.join(" ")));
    }

    #[test]
    fn any_words_of_tensorscript(words in prop::collection::vec(prop::sample::select(SCRIPT_WORDS), 0..120)) {
        ask_everything(&tensorscript(&words.join(" ")));
    }

    #[test]
    fn a_tensorscript_page_with_a_hole(cut in 0_usize..8000, len in 0_usize..40, insert in prop::sample::select(SCRIPT_WORDS)) {
        let pages = [
            include_str!("../pages/38-tensorscript.md"),
            include_str!("../pages/39-what-tensorscript-let-pass.md"),
        ];
        let cases: Vec<tests::page::Case> = pages.into_iter().flat_map(tests::page::cases).collect();
        let case = &cases[cut % cases.len()];
        let from = cut % (case.program.len() + 1);
        let to = (from + len).min(case.program.len());
        prop_assume!(case.program.is_char_boundary(from) && case.program.is_char_boundary(to));
        ask_everything(&tensorscript(&format!("{}{insert}{}", &case.program[..from], &case.program[to..])));
    }

    /// A program that ends in the middle of a line is what a person has typed so far.
    #[test]
    fn a_slip_that_is_being_typed(at in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(), rest in any::<bool>()) {
        let pages = [include_str!("../pages/42-slips.md"), include_str!("../pages/33-mended.md")];
        let cases: Vec<tests::page::Case> = pages.into_iter().flat_map(tests::page::cases).collect();
        let program = &at.get(&cases).program;
        let cut = cut.index(program.len() + 1);
        prop_assume!(program.is_char_boundary(cut));
        let line_end = program[cut..].find('\n').map_or(program.len(), |length| cut + length);
        ask_everything(&if rest { [&program[..cut], &program[line_end..]].concat() } else { program[..cut].to_owned() });
    }

    #[test]
    fn a_refine_program_with_a_hole(
        at in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
        len in 0_usize..20,
        insert in prop::sample::select(REFINE_WORDS),
    ) {
        let facts = carried("refine_generated");
        let program = text(at.get(&facts), "program");
        let from = cut.index(program.len());
        let to = (from + len).min(program.len());
        prop_assume!(program.is_char_boundary(from) && program.is_char_boundary(to));
        ask_everything(&refine(&format!("{}{insert}{}", &program[..from], &program[to..])));
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
            quick("variants", refine(&format!("{}B{}", "A (".repeat(depth), ")".repeat(depth))));
            quick("arms in arms", refine(&format!("let x = A in {}x", "match x with\n| A -> ".repeat(depth))));
            quick("values in values", refine(&format!("{}A{}", "let x = ".repeat(depth), " in x".repeat(depth))));
            quick("sums in sums", refine(&format!("let x : {}[]{} = A in x", "[A ".repeat(depth), "]".repeat(depth))));
            quick("stages", tensorscript(&chain_of_stages(depth.min(10_000))));
            quick("graphs in graphs", tensorscript(&"graph A<[?]->[?]> {\n".repeat(depth.min(10_000))));
            quick("shapes of shapes", tensorscript(&shapes_of_shapes(depth.min(1_000))));
            quick("nodes of nodes", tensorscript(&nodes_of_nodes(depth.min(1_000))));
            quick(
                "patterns in patterns",
                refine(&format!("match A with | {}B{} -> A", "A (".repeat(depth), " _)".repeat(depth))),
            );
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
        let twice =
            |of: &str| (1..40).map(|i| of.replace("N", &i.to_string()).replace("M", &(i - 1).to_string())).collect();
        let defs: String = twice("def @fN(%x) { (@fM, @fM) }\n");
        quick("parameters of exponential number", format!("def @f0(%x) {{ %x }}\n{defs}"));
        let lets: String = twice("let %fN = fn(%x) { (%fM, %fM) };\n");
        quick("parameters of exponential number in lets", format!("let %f0 = fn(%x) {{ %x }};\n{lets}"));
        let joined = |i: usize| {
            format!("let %x{} = concatenate((%x{i}, nn.max_pool1d(%x{i}, pool_size=[2])), axis=2);\n", i + 1)
        };
        let lets: String = (0..60).map(joined).collect();
        quick("sizes of exponential size", format!("def @f[N: Dim](%x0: Tensor[(1, 1, N), float32]) {{ {lets}%x60 }}"));
        let called = format!("{}%x{}", "@d(".repeat(60), ")".repeat(60));
        for of in ["max(N, N * 2 + 1)", "floordiv(N * N + N, 3)"] {
            let def = format!("def @d[N: Dim](%x: Tensor[(N), float32]) -> Tensor[({of}), float32] {{ @d(%x) }}\n");
            quick("a nested size", format!("{def}def @f(%x) {{ {called} }}"));
        }
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
fn long_refine_texts() {
    on_small_stack(|| {
        let lets = |n: usize, value: fn(usize) -> String| {
            let lets: String = (1..n).map(|i| format!("let x{i} = {} in\n", value(i - 1))).collect();
            refine(&format!("let x0 = A in\n{lets}x{}", n - 1))
        };
        quick("a sum as deep as the program is long", lets(2_000, |i| format!("A x{i}")));
        quick("a sum of exponential size", lets(200, |i| format!("A x{i} x{i}")));
        quick("refinements", lets(300, |i| format!("match x{i} with | A | B as y -> y")));
        quick("variables", lets(2_000, |i| format!("match x{i} with | y -> y")));
        let arms: String = (0..10_000).map(|i| format!("\n| A{i} -> B{i}")).collect();
        quick("arms", refine(&format!("match A7 with{arms}")));
        quick("alternatives of one name", refine(&format!("match A with {}-> B", "| A ".repeat(20_000))));
        quick("fields", refine(&format!("match C {} with | C {} -> D", "A ".repeat(200), "(A | _) ".repeat(200))));
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
        let json = run_json(&whole, &options).text;
        assert!(json.contains("\"truncated\":true") && json.contains("\"data\":null"));
        let endless = Analysis::new("def @f(%n: int32) -> int32 { @f(%n + 1) }\n@f(0)");
        let diagnostics = session::run(&endless, &Options { fuel: 100_000, ..options.clone() }).diagnostics;
        assert_eq!(diagnostics[0].code, "out-of-fuel");
        let growing = Analysis::new("def @f(%n: int32) -> int32 { 1 + @f(%n + 1) }\n@f(0)");
        let diagnostics = session::run(&growing, &Options { memory: 1 << 20, ..options }).diagnostics;
        assert_eq!(diagnostics[0].code, "out-of-memory");
        let said = &diagnostics[0].message;
        assert!(said.ends_with("more memory than the limit of 1.05 MB: does this recursion end?"), "{said}");
    });
}

/// Numbers at which a rule that multiplies, negates or divides without care goes wrong, and lists that are too short.
const EXTREMES: &[&str] = &[
    "-9223372036854775808",
    "-9223372036854775807",
    "-1",
    "0",
    "4611686018427387904",
    "9223372036854775807",
    "[]",
    "[[]]",
    "[0]",
    "[9223372036854775807]",
    "None",
    "1e308f",
];

/// What may stand in place of an attribute's value: any extreme, and the list itself with one item extreme.
fn replacements(value: &Json) -> Vec<String> {
    let mut texts: Vec<String> = EXTREMES.iter().map(|&text| text.to_owned()).collect();
    let list = value.as_array().map_or(&[][..], Vec::as_slice);
    for place in 0..list.len() {
        for extreme in &EXTREMES[..7] {
            let item = |(i, item)| if i == place { (*extreme).to_owned() } else { attr_text(item) };
            texts.push(format!("[{}]", list.iter().enumerate().map(item).collect::<Vec<_>>().join(", ")));
        }
    }
    texts
}

/// The program of an operator's fact as `@main`, which is run too.
fn as_main(program: &str) -> String {
    program.replacen("@f", "@main", 1)
}

/// Programs of one operator each, well-typed but for one attribute or one dim that is extreme.
fn extreme_programs() -> Vec<String> {
    let mut programs = Vec::new();
    for fact in carried("relay").iter().filter(|fact| fact["kind"] == "op-type") {
        for (name, value) in fact["attrs"].as_object().into_iter().flatten() {
            for replacement in replacements(value) {
                programs.push(as_main(&op_program(fact, Some((name, &replacement)))));
            }
        }
        for (i, arg) in items(fact, "args").iter().enumerate() {
            let arg = arg.as_str().unwrap_or("");
            let numbers = arg.match_indices(|c: char| c.is_ascii_digit()).filter(|(at, _)| {
                let before = &arg[..*at];
                before.contains('(') && !before.ends_with(|c: char| c.is_alphanumeric())
            });
            for (at, _) in numbers {
                for extreme in ["0", "4611686018427387904", "9223372036854775807"] {
                    let end = arg[at..].find(|c: char| !c.is_ascii_digit()).map_or(arg.len(), |len| at + len);
                    let mut changed = fact.clone();
                    changed["args"][i] = Json::from(format!("{}{extreme}{}", &arg[..at], &arg[end..]));
                    programs.push(as_main(&op_program(&changed, None)));
                }
            }
        }
    }
    programs
}

/// How many elements the tensors among the arguments have; a dim of 0 counts as 1, one that is `?` is made 2.
fn n_elements(program: &str) -> f64 {
    let types = program.split(" {").next().unwrap_or("").split("Tensor[(").skip(1);
    let dims = types.filter_map(|text| text.split(')').next()).map(|dims| dims.split(", "));
    dims.map(|dims| dims.map(|dim| dim.parse().unwrap_or(2.0_f64).max(1.0)).product::<f64>()).sum()
}

#[test]
fn extreme_attributes_and_dims() {
    let mut programs = extreme_programs();
    let n_all = programs.len();
    programs.sort_by_cached_key(|program| hash(program));
    programs.truncate(if is_soak() { n_all } else { 6_000 });
    let mut failures = Vec::new();
    let mut n_run = 0;
    for program in &programs {
        let asked = catch_unwind(AssertUnwindSafe(|| {
            let analysis = Analysis::new(program);
            let is_small = n_elements(program) <= 10_000.0;
            if is_small {
                let _ = run_json(&analysis, &Options { fuel: 20_000, memory: 1 << 24, ..Options::default() });
            }
            (misplaced(&analysis), is_small)
        }));
        match asked {
            Ok((None, is_small)) => n_run += usize::from(is_small),
            Ok((Some(misplaced), _)) => failures.push(format!("{misplaced}\n{program}")),
            Err(_) => failures.push(format!("panics: {program}")),
        }
    }
    println!("{} of {n_all} extreme programs, {n_run} of them run", programs.len());
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), programs.len(), failures.join("\n"));
}

/// Relations that would go on for longer than anybody waits: checking ends, and says where.
#[test]
fn relations_that_blow_up() {
    let axes = vec!["1"; 40].join(", ");
    let call = format!("def @call[N: Dim](%x: Tensor[({axes}), float32], %n: Tensor[(N), float32])");
    let program = |relations: &str| {
        let def = "def @f[N: Dim](%x: A, %n: Tensor[(N), float32]) -> B where R(A, N, B) { @f(%x, %n) }";
        format!("{relations}\n{def}\n{call} {{ @f(%x, %n) }}\ndef @any(%x, %n) {{ @f(%x, %n) }}")
    };
    let head = "relation R(Tensor[s, t], n: Dim, Tensor[r, t]) :-";
    let doubling = "relation Go((), s, s) :- true. relation Go((m, ..s), r, q) :- Go(s, (..r, ..r), q).";
    let twice = "relation Go((), n: Dim, n) :- true. relation Go((m, ..s), n, k) :- Go(s, n, a), Go(s, a, k).";
    let squares = "relation Go((), n, n) :- true. relation Go((m, ..s), n, k) :- Go(s, n * n, k).";
    let any_rank = "relation Go(s: Shape, n: Dim) :- Go(s[1:], n).";
    let endless = "relation Go(s: Shape, n: Dim) :- Go(s, n).";
    let known = [
        (program(&format!("{doubling} {head} Go(s, (n), r).").replace("(n), r)", "(n, n), r)")), "at most 10000 dims"),
        (program(&format!("{twice} {head} Go(s, n, m), r = (m, 1).")), "more than 100000 relations"),
        (program(&format!("{squares} {head} Go(s, n, m), r = (m, 1).")), "too large to compute with"),
        (program(&format!("{any_rank} {head} Go(s, m), r = (m, 1).")), "has no axes"),
        (program(&format!("{endless} {head} Go(s, m), r = (m, 1).")), "may go on for ever"),
    ];
    let rigid =
        format!("{any_rank}\ndef @g[S: Shape](%x: Tensor[S, int8]) -> Tensor[(N), int8] where Go(S, N) {{ @g(%x) }}");
    for (program, want) in known.into_iter().chain([(rigid, "more than 100000 relations")]) {
        let start = Instant::now();
        let json = check_json(&[("-".to_owned(), Analysis::new(&program))]).text;
        assert!(json.contains(want), "{want}: {program}\n{json}");
        assert!(start.elapsed() < Duration::from_secs(20), "too slow: {program}");
    }
}

/// A function and a list at more types than an endless one is given; and endless ones that call each other at several.
#[test]
fn many_types_have_an_end() {
    let types = (0..1200).map(|i| format!("type T{i} {{ A{i} }}\n@id(A{i})\nCons(A{i}, Nil)\n"));
    let analysis = Analysis::new(&types.collect::<String>());
    let outcome = session::run(&analysis, &Options::default());
    assert_eq!(outcome.diagnostics, Vec::new());
    assert_eq!(outcome.values.iter().filter(|value| value.value.is_some()).count(), 2400);

    let endless = "def @f[A](%n: int32, %x: A) -> int32 { @f(%n, (%x, %x)) + @g(%n, Cons(%x, Nil)) + @g(%n, Some(%x)) }
def @g[A](%n: int32, %x: A) -> int32 { @f(%n, (%x, 1)) + @f(%n, Some(%x)) }
@f(3, 1)";
    let start = Instant::now();
    let outcome = session::run(&Analysis::new(endless), &Options::default());
    assert!(outcome.diagnostics.iter().any(|problem| problem.code == "endless-instances"));
    assert!(start.elapsed() < Duration::from_secs(10));
}
