//! Deep and long texts: linear time, no host stack, and one error where one is due.

mod help;

use std::time::{Duration, Instant};

use base::Surface;
use help::{refine, tensorscript};
use syntax::{Parse, SyntaxError, parse};

const N: usize = 100_000;

/// Parses within a time that only a superlinear parser would exceed, and checks that nothing is lost.
fn quick(text: &str) -> Parse {
    let start = Instant::now();
    let parse = parse(text, Surface::Relay);
    let _ = syntax::stolen_arms(&parse.tree);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?} for {}…", &text[..text.len().min(20)]);
    assert_eq!(parse.tree.to_text(), text);
    let n_left = parse.tree.walk(parse.tree.root()).count();
    assert_eq!(n_left, 2 * parse.tree.n_nodes());
    parse
}

fn fits(text: &str) {
    let parse = quick(text);
    assert_eq!(parse.errors, [], "{}", &text[..text.len().min(40)]);
    let start = Instant::now();
    let formatted = syntax::format(&parse);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?} to format {}…", &text[..text.len().min(20)]);
    assert_eq!(quick(&formatted).tree.n_nodes(), parse.tree.n_nodes());
}

fn too_deep(opener: &str, closer: &str) {
    for (n_open, n_close) in [(N, N), (N, 0)] {
        let text = format!("def @f() {{ {}1{} }}", opener.repeat(n_open), closer.repeat(n_close));
        let parse = quick(&text);
        assert!(
            matches!(parse.errors[..], [SyntaxError::NestingTooDeep { .. }]),
            "{opener}: {:?}",
            parse.errors.iter().map(|error| error.diagnostic().message).take(3).collect::<Vec<_>>()
        );
    }
}

#[test]
fn brackets_past_the_limit_are_one_error() {
    for (opener, closer) in [
        ("(", ")"),
        ("[", "]"),
        ("[[[[", "]]]]"),
        ("{", "}"),
        ("f(", ")"),
        ("fn(){", "}"),
        ("if (", ") { 1 } else { 2 }"),
        ("if (1) {", "} else { 2 }"),
        ("if (1) { 1 } else {", "}"),
        ("match (1) { _ => ", "}"),
        ("match (", ") { _ => 1 }"),
        ("match? (1) { case _ {", "}}"),
        ("`A(", ")"),
        ("ref(", ")"),
        ("ref_write(1, ", ")"),
        ("(let %x = ", "; 1)"),
        ("{ let %x = ", "; 1 }"),
        ("f(x=", ")"),
        ("[1, (2, {", "})]"),
    ] {
        too_deep(opener, closer);
    }
}

#[test]
fn prefix_operators_past_the_limit_are_one_error() {
    for opener in ["-", "!", "-!", "- - ", "%r := ", "-(", "%r := -"] {
        too_deep(opener, if opener.ends_with('(') { ")" } else { "" });
    }
}

#[test]
fn deep_types_and_patterns_are_one_error() {
    for (before, opener, closer, after) in [
        ("def @f(%x: ", "(", ")", ") { 1 }"),
        ("def @f(%x: ", "ref(", ")", ") { 1 }"),
        ("def @f(%x: ", "L[", "]", ") { 1 }"),
        ("def @f(%x: ", "fn(", ") -> A", ") { 1 }"),
        ("def @f(%x: ", "fn() -> ", "", ") { 1 }"),
        ("def @f(%x: Tensor[(", "(", ")", "), t]) { 1 }"),
        ("def @f(%x: Tensor[(", "max(1, ", ")", "), t]) { 1 }"),
        ("def @f() { @g<", "L[", "]", ">(1) }"),
        ("relation R(", "(", ")", ") :- true."),
        ("relation R(A) :- A = ", "max(1, ", ")", "."),
        ("relation R(A) :- A = ", "if (1 < 2) { 1 } else { ", "}", "."),
        ("type T { A(", "(", ")", ") }"),
        ("def @f() { match (1) { ", "(", ")", " => 1 } }"),
        ("def @f() { match (1) { ", "A(", ")", " => 1 } }"),
        ("def @f() { match (1) { ", "`A(1, ", ")", " => 1 } }"),
    ] {
        let inner = if opener.starts_with("fn(") || opener == "ref(" || opener == "L[" { "A" } else { "1" };
        let text = |n_close| format!("{before}{}{inner}{}{after}", opener.repeat(N), closer.repeat(n_close));
        quick(&text(0));
        let errors = quick(&text(N)).errors;
        let messages: Vec<_> = errors.iter().map(|error| error.diagnostic().message).take(3).collect();
        assert!(messages[0].contains("nesting") && (messages.len() == 1), "{opener}: {messages:?}");
    }
}

#[test]
fn a_thousand_levels_are_fine() {
    let n = syntax::MAX_NESTING as usize;
    fits(&format!("{}1{}", "(".repeat(n), ")".repeat(n)));
    fits(&format!("{}1{}", "-".repeat(n - 1), ""));
    fits(&format!("{}1{}", "fn(){".repeat(n), "}".repeat(n)));
    assert_eq!(quick(&format!("{}1{}", "(".repeat(n + 1), ")".repeat(n + 1))).errors.len(), 1);
}

#[test]
fn chains_are_no_nesting() {
    fits(&format!("1{}", " + 1".repeat(N)));
    fits(&format!("1{}", " * 1 - 2".repeat(N)));
    fits(&format!("%x{}", " |> nn.relu".repeat(N)));
    fits(&format!("%x{}", ".0".repeat(N)));
    fits(&format!("@f{}", "(1)".repeat(N)));
    fits(&format!("@f{}", "(1).0".repeat(N)));
    fits(&format!("def @f() {{ {} %x }}", "let %x = 1; ".repeat(N)));
    fits(&format!("{} %x", "let %x = 1;\n".repeat(N)));
    fits(&format!("({} %x)", "let %x = 1; ".repeat(N)));
    fits(&format!("{}if (1) {{ 1 }} else {{ 2 }}", "if (1) { 2 } else ".repeat(N)));
    fits(&format!("match (1) {{ {} }}", "A => 1, ".repeat(N)));
    fits(&format!("match (1) {{ A{} => 1 }}", " | A".repeat(N)));
    fits(&format!("match (1) {{ A{} => 1 }}", " as %x".repeat(N)));
    fits(&format!("f({})", "1, ".repeat(N)));
    fits(&format!("type T {{ {} }}", "A, ".repeat(N)));
    fits(&format!("def @f(%x: Tensor[(1{}), t]) {{ 1 }}", " + 1".repeat(N)));
    fits(&"def @f() { 1 }\n".repeat(N));
    fits(&format!("a{}", ".a".repeat(N)));
    fits(&format!("relation R(A) :- true{}.", ", A = A + 1".repeat(N)));
    fits(&format!("relation R(A) :- A = sh{}.", "[1:]".repeat(N)));
    fits(&format!("relation R(A) :- {} if (1 < 2) {{ }}.", "if (1 < 2) { true } else ".repeat(N)));
    fits(&format!("relation R(A) :- A = {} 1.", "if (1 < 2) { 1 } else ".repeat(N) + "if (1 < 2) { 1 } else { 2 } +"));
    fits(&format!("def @f() where R(A){} {{ 1 }}", ", R(A), A = A".repeat(N)));
    fits(&"relation R(A).\n".repeat(N));
    fits(&format!("%a{}", "/a".repeat(N)));
    fits(&format!("{}1", "/* c */ // d\n".repeat(N)));
    fits(&format!("{}{}", "/*".repeat(N), "*/".repeat(N)));
}

#[test]
fn refine_past_the_limit_is_one_error() {
    for (before, opener, inner, closer, after) in [
        ("", "(", "A", ")", ""),
        ("", "A (", "B", ")", ""),
        ("A ", "(A ", "B", ")", " B"),
        ("", "let x = ", "A", " in x", ""),
        ("", "match ", "A", " with | A -> B", ""),
        ("", "match x with | A -> ", "B", "", ""),
        ("", "match x with | A -> (", "B", ") | C -> D", ""),
        ("", "match x with | A -> let y = ", "B", " in y", ""),
        ("", "\n| A -> match x with ", "B", "", ""),
        ("match x with | ", "(", "A", ")", " -> B"),
        ("match x with | ", "A (", "B", " | x as y)", " -> B"),
        ("let x : ", "[A ", "[B]", "]", " = A in x"),
    ] {
        for n_close in [N, 0] {
            let text = format!("{before}{}{inner}{}{after}", opener.repeat(N), closer.repeat(n_close));
            let text = refine(text.trim_start_matches("\n| A -> "));
            let errors = quick(&text).errors;
            let messages: Vec<_> = errors.iter().map(|error| error.diagnostic().message).take(3).collect();
            let is_deep = messages.iter().any(|message| message.contains("nesting"));
            assert!(is_deep && (messages.len() == 1 || n_close == 0), "{opener}: {messages:?}");
        }
    }
}

#[test]
fn refine_chains_are_no_nesting() {
    fits(&refine(&format!("{}x", "let x = A in ".repeat(N))));
    fits(&refine(&format!("{}x", "let x : [A] = A in\n".repeat(N))));
    fits(&refine(&format!("match x with{}", "\n| A -> B".repeat(N))));
    fits(&refine(&format!("match x with | A{} -> B", " | A".repeat(N))));
    fits(&refine(&format!("match x with | A{} -> B", " as x".repeat(N))));
    fits(&refine(&format!("match x with | A{} -> B", " _ (B)".repeat(N))));
    fits(&refine(&format!("A{}", " (B C)".repeat(N))));
    fits(&refine(&format!("let x : [A{}] = x in x", ", A".repeat(N))));
    fits(&refine(&format!("let x : [A{}] = x in x", " [B]".repeat(N))));
    fits(&refine(&format!("{}A", "# one\n".repeat(N))));
    let n = syntax::MAX_NESTING as usize;
    fits(&refine(&format!("{}B", "match x with\n  | A -> ".repeat(n))));
    fits(&refine(&format!("{}B{}", "(".repeat(n), ")".repeat(n))));
}

#[test]
fn refine_nonsense_takes_linear_time() {
    for part in [
        "let ",
        "let x ",
        "let x : ",
        "let x : [ ",
        "let x = ",
        "let x = A ",
        "in ",
        "match ",
        "match x ",
        "match x with ",
        "match x with |",
        "match x with | A",
        "match x with | A ->",
        "with ",
        "| ",
        "-> ",
        "as ",
        "as x ",
        "| A -> ",
        "\n| A -> ",
        "\nA -> ",
        "\nA (",
        "\n(A ",
        "\n(A) ",
        "\nx\ny ->",
        "x ",
        "A ",
        "A (",
        "( ",
        ") ",
        "[ ",
        "] ",
        "{ ",
        "} ",
        "( [ ",
        "[ ) ",
        ", ",
        "; ",
        "= ",
        ": ",
        "_ ",
        "_x",
        "3 ",
        "\" ",
        "\"\n",
        "# ",
        "é",
        "'",
        "%",
        "@f",
        "/*",
        "\0",
    ] {
        let parts = part.repeat(N / 2);
        quick(&refine(&parts));
        quick(&refine(&format!("let x : [{parts}] = x in x")));
        quick(&refine(&format!("let x = {parts} in x")));
        quick(&refine(&format!("match x with\n| A -> ({parts})\n| B -> C")));
        quick(&refine(&format!("match x with | {parts} -> C")));
    }
}

#[test]
fn nonsense_takes_linear_time() {
    for part in [
        ")",
        "]",
        "}",
        ">",
        "<",
        "f<",
        "f<a",
        "f<(",
        "f<a>",
        "fn ",
        "fn() ",
        "if ",
        "if a ",
        "else ",
        "match ",
        "match a ",
        "case ",
        "let ",
        "let %x ",
        "let %x = ",
        "def ",
        "def @f",
        "def @f()",
        "\ndef @f(",
        "\ndata A {",
        "type ",
        "extern ",
        "relation A ",
        "\nrelation A",
        "\nrelation A(",
        "\nrelation A(A) :- ",
        "relation R(A) :- a ",
        "relation R(A) :- a = ",
        "relation R(A) :- if (a < ",
        "relation R(A) :- if (a < b) { ",
        "relation R(A) :- A = sh[1: ",
        "fn() where a = ",
        "fn() where R(A), a ",
        "fn() -> A where A, ",
        "..",
        "[1:",
        "let (%x, ",
        "let (%x, %y)",
        "let A(",
        ".",
        "a.",
        "a.a ",
        "a=",
        "a.a=",
        "f(a=",
        ",",
        ";",
        ":",
        "::",
        "%x = ",
        "%0 = ",
        "%0",
        "`",
        "#[",
        "\n#[version",
        "meta[",
        "meta[]",
        "where ",
        "fn() -> a where ",
        "fn() where R(",
        "$",
        "\"",
        "\"\n",
        "/*",
        "*/",
        "@",
        "%",
        "1.",
        "1.1.",
        "1e",
        "é",
        "€",
        "_",
        "as ",
        "|",
        "=>",
        "->",
        "fn<a",
        "fn[a",
        "( ]",
        "[ )",
        "{ )",
        "( }",
        "f(a b",
        "f(;",
        "(;",
        "{;",
        "( let",
        "{ 1 ) ",
        "[(",
        "({",
        "\n(",
        "\n-",
        "A => ",
        "match a { A",
        "match a { A =>",
        "match a { =>",
        "ref ",
        "ref_write",
        "free_var ",
        "free_var %x ",
        "free_var %x: ",
        "fn() { 1 } ",
        "%x: ",
        "%x, ",
        "let %x, %y = %z; ",
        "x: int32, ",
        "A -> ",
        "f(%x: ",
        "Tensor[",
        "def @f(%x: Tensor[",
        "def @f(%x: fn",
        "if (1) { 1 ",
        "else if ",
        "\0",
    ] {
        quick(&part.repeat(N / 2));
        quick(&format!("def @f() {{ {} }}", part.repeat(N / 2)));
        quick(&format!("def @f() {{ f({}) }}", part.repeat(N / 2)));
        quick(&format!("def @f(%x: {}", part.repeat(N / 2)));
        quick(&format!("match (1) {{ {} => 1 }}", part.repeat(N / 2)));
        quick(&format!("type T {{ A({}", part.repeat(N / 2)));
    }
}

fn in_a_method(body: &str) -> String {
    tensorscript(&format!("graph M<A -> B> {{\n  def f(x) {{ {body} }}\n}}\n"))
}

#[test]
fn tensorscript_past_the_limit_is_one_error() {
    for (opener, closer) in [
        ("(", ")"),
        ("f(", ")"),
        ("f(a=", ")"),
        ("x.f(1, ", ")"),
        ("(1, ", ")"),
        ("-", ""),
        ("-(", ")"),
        ("if (", ") { 1 } else { 2 }"),
        ("if a {", "} else { 2 }"),
        ("if a { 1 } else {", "}"),
        ("if a { x = f(", "); 1 } else { 2 }"),
    ] {
        for n_close in [N, 0] {
            let errors = quick(&in_a_method(&format!("{}1{}", opener.repeat(N), closer.repeat(n_close)))).errors;
            let messages: Vec<_> = errors.iter().map(|error| error.diagnostic().message).take(3).collect();
            assert!(messages[0].contains("nesting") && messages.len() == 1, "{opener}: {messages:?}");
        }
    }
    let n = syntax::MAX_NESTING as usize - 2;
    fits(&in_a_method(&format!("{}1{}", "f(".repeat(n), ")".repeat(n))));
    let errors = quick(&in_a_method(&format!("{}1{}", "f(".repeat(n + 1), ")".repeat(n + 1)))).errors;
    assert!(matches!(errors[..], [SyntaxError::NestingTooDeep { .. }]));
}

#[test]
fn tensorscript_chains_are_no_nesting() {
    fits(&in_a_method(&format!("x{}", " |> relu".repeat(N))));
    fits(&in_a_method(&format!("x{}", "\n|> self.f(k=1)".repeat(10_000))));
    fits(&in_a_method(&format!("1{}", " + 1".repeat(N))));
    fits(&in_a_method(&format!("x{}", ".f".repeat(N))));
    fits(&in_a_method(&format!("x{}", ".f(1)".repeat(N))));
    fits(&in_a_method(&format!("{} x", "x = 1; ".repeat(N))));
    fits(&in_a_method(&format!("{} x", "f(1);\n".repeat(N))));
    fits(&in_a_method(&format!("{}if a {{ 1 }} else {{ 2 }}", "if a { 2 } else ".repeat(N))));
    fits(&in_a_method(&format!("f({})", "k=1, ".repeat(N))));
    fits(&tensorscript(&"dim N = 1;\n".repeat(N)));
    fits(&tensorscript(&"node A<[?] -> [?]> {}\n".repeat(N)));
    fits(&tensorscript(&format!("tsr A = [1{}];", ", N".repeat(N))));
    fits(&tensorscript(&format!("use a{}::{{b{}}};", "::a".repeat(N), ", b".repeat(N))));
    fits(&tensorscript(&format!("node A<[?] -> [?]> {{ {} }}", "dim N = 1; tsr A = N;\n".repeat(N))));
    fits(&tensorscript(&format!("weights A<[?] -> [?]> {{ {} }}", "a = L::<A -> B>::new(in=1);\n".repeat(N / 4))));
    fits(&tensorscript(&format!("graph A<[?] -> [?]> {{ {} }}", "def f(x) { x }\n".repeat(N / 4))));
}

#[test]
fn tensorscript_nonsense_takes_linear_time() {
    for part in [
        "use ",
        "use a::",
        "use a::{b, ",
        "\nuse a::{b, ",
        "dim ",
        "dim N ",
        "\ndim N ",
        "dim N = ",
        "tsr A = [",
        "\ntsr A = [1, ",
        "node ",
        "node A<",
        "\nnode A<[",
        "node A<A -> ",
        "node A<A -> B> ",
        "\nnode A<A -> B> { ",
        "weights ",
        "\nweights A<A -> B> { a = ",
        "\na = L::",
        "\na = L::new(",
        "a = L::<A -> ",
        "a = ",
        "graph ",
        "\ngraph A<A -> B> { def f(",
        "def ",
        "def f",
        "\ndef f(x: ",
        "\ndef f(x) { ",
        "def f(x) -> [",
        "def f() { x |> f(",
        "x |> ",
        "|> ",
        "f(a=",
        "f(a",
        "a.",
        ".",
        "..",
        ".5",
        "1.",
        "1.1.",
        "1.a",
        "::",
        ":",
        "< ",
        "> ",
        "? ",
        "_ ",
        "; ",
        ", ",
        "= ",
        "( ",
        ") ",
        "[ ",
        "] ",
        "{ ",
        "} ",
        "( ]",
        "{ )",
        "( }",
        "[( ",
        "({ ",
        "if ",
        "if a { ",
        "else ",
        "while ",
        "while a { ",
        "let ",
        "let a: ",
        "match a { ",
        "type ",
        "% ",
        "@f ",
        "! ",
        "\" ",
        "\"\n",
        "é",
        "$",
        "/*",
        "\0",
    ] {
        let parts = part.repeat(N / 2);
        quick(&tensorscript(&parts));
        quick(&in_a_method(&parts));
        quick(&in_a_method(&format!("f({parts})")));
        quick(&tensorscript(&format!("node A<A -> B> {{ {parts} }}")));
        quick(&tensorscript(&format!("weights A<A -> B> {{ a = L::new({parts}\n}}")));
    }
}
