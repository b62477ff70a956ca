//! The laws of the formatter, and what it makes of a few texts.

mod help;

use base::Surface;
use help::{formatted, shaken};
use proptest::prelude::*;
use std::path::Path;
use syntax::parse;

/// A text and what it becomes; nothing where it stays as it is.
const LOOKS: &[(&str, Option<&str>)] = &[
    ("let  %x:int32=1 ;", Some("let %x: int32 = 1;\n")),
    ("", Some("")),
    ("\n\n// only this", Some("// only this\n")),
    ("let %x = (1", Some("let %x = (1")),
    // What is in braces is on one line if it was and fits.
    ("def @f(%x){%x}\n", Some("def @f(%x) { %x }\n")),
    ("def @f(%x) {\n  %x\n}\n", None),
    ("def @f(%x) { let %y = %x; %y }", Some("def @f(%x) {\n  let %y = %x;\n  %y\n}\n")),
    ("if (%c) {\n1 } else { 2 }", Some("if (%c) {\n  1\n} else {\n  2\n}\n")),
    ("type List[A] { Nil, Cons(A, List[A]) }\n", None),
    ("data T<A> {\n  Nil: () -> T\n  Cons: (A, T[A]) -> T\n}\n", None),
    ("def @p(%x: [`A, `B(int32) | r]) -> [`A | r] { %x }\n", None),
    // The arms of a match are on lines of their own, in either spelling.
    (
        "match(%l){Nil=>0,Cons(%h,_)=>{%h}, case _{1}}",
        Some("match (%l) {\n  Nil => 0,\n  Cons(%h, _) => { %h },\n  case _ { 1 }\n}\n"),
    ),
    ("match (%e) {}\n", None),
    // Nothing ends a line before what would then begin another item, and nothing is glued together.
    ("@f\n(1)\n-1\n- 2", Some("@f\n(1)\n-1 - 2\n")),
    ("%x / %y - - 1 .0", Some("%x / %y - -1 .0\n")),
    ("nn.conv2d( %x,padding = [ 1,1 ] )<%y", Some("nn.conv2d(%x, padding=[1, 1]) < %y\n")),
    ("@f<( 10,? ) , int32>( %x )", Some("@f<(10, ?), int32>(%x)\n")),
    // Relations.
    (
        "relation R( N:Dim ,(..sh,2) ):-N=M+1,if(N<2){true}else{S(N,k=1)} .",
        Some("relation R(N: Dim, (..sh, 2)) :- N = M + 1, if (N < 2) { true } else { S(N, k=1) }.\n"),
    ),
    ("relation R(A) :-\n  A = int32.\n", None),
    ("relation R(A, B) :-\n  A = int32, B = A,\n  S(A).\n", None),
    ("let %x = [[[\n  [1f, 2f],\n  [3f, 4f],\n]]];\n", None),
    // Comments stay where they are; one that points upwards moves with what it points at.
    ("f( // one\n 1, /* two */ 2 )", Some("f( // one\n  1,\n  /* two */ 2\n)\n")),
    (
        "def @f(%x) {\n    %x + 1 // sum\n    # ^? int32\n\n\n  // last\n}",
        Some("def @f(%x) {\n  %x + 1 // sum\n  # ^? int32\n\n  // last\n}\n"),
    ),
    ("%x /* one */", Some("%x /* one */\n")),
    ("/* one */ %x\n/* two */\n%y", Some("/* one */ %x\n/* two */\n%y\n")),
    // The metadata section is the text's.
    ("%x\n\n\n#[metadata]\n{ \"a\":   1 }", Some("%x\n\n#[metadata]\n{ \"a\":   1 }")),
];

#[test]
fn looks() {
    for &(text, becomes) in LOOKS {
        assert_eq!(formatted(text), becomes.unwrap_or(text), "{text}");
    }
}

/// What does not fit on a line, as it should be written.
const BROKEN: &str = include_str!("broken_lines.relay");

#[test]
fn long_lines_are_broken() {
    let on_one_line = BROKEN.split("\n\n").map(|item| item.split_whitespace().collect::<Vec<_>>().join(" "));
    for (text, item) in on_one_line.zip(BROKEN.split("\n\n")) {
        let text = text.replace("( ", "(").replace("[ ", "[").replace(" )", ")").replace(" ]", "]");
        assert_eq!(formatted(&text).trim_end(), item.trim_end());
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The programs of the pages and of the recorded facts, one of each.
fn programs() -> Vec<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut programs = vec![include_str!("manual.relay").to_owned()];
    for page in std::fs::read_dir(tests.join("pages")).expect("there are pages").flatten() {
        let page = read(&page.path());
        let fences = page.split("```relay\n").skip(1);
        programs.extend(fences.map(|rest| rest.split("\n```").next().unwrap_or("").to_owned() + "\n"));
    }
    let facts = std::fs::read_dir(tests.join("conformance")).expect("there are facts").flatten();
    for facts in facts.filter(|facts| facts.path().is_file()) {
        for line in read(&facts.path()).lines().filter(|line| line.starts_with('{')) {
            let fact: serde_json::Value = serde_json::from_str(line).expect("a fact is JSON");
            programs.extend(fact["source"].as_str().map(str::to_owned));
        }
    }
    programs
}

#[test]
fn every_program_that_there_is() {
    let programs = programs();
    assert!(programs.len() > 300, "{}", programs.len());
    for program in programs {
        formatted(&program);
    }
}

/// What may stand between two tokens.
const GAPS: &[&str] = &[
    " ",
    "\n",
    " ",
    "\n\n\n  ",
    "\n    ",
    " // one\n",
    "\n# two\n  ",
    " /* three */ ",
    "/* four */",
    "\n  /* five\n six */",
    "\n/* seven */\n\n",
    " // eight\n\n   # nine\n",
    "  /* ten */ /* eleven */\n",
    "\n     # ^? twelve\n",
];

fn gaps() -> impl Strategy<Value = Vec<(u8, u8)>> {
    prop::collection::vec(any::<(u8, u8)>(), 1..400)
}

/// Programs with names of any length, one token or cluster of tokens between spaces.
mod generated {
    use proptest::prelude::*;

    fn name() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["a", "foo", "quite_a_long_name", "a_name_that_takes_a_third_of_the_whole_line"])
            .prop_map(str::to_owned)
    }

    fn list(item: BoxedStrategy<String>, open: &'static str, close: &'static str) -> BoxedStrategy<String> {
        (prop::collection::vec(item, 0..5), any::<bool>())
            .prop_map(move |(items, trailing)| {
                let comma = if trailing && !items.is_empty() { " ," } else { "" };
                format!("{open} {}{comma} {close}", items.join(" , "))
            })
            .boxed()
    }

    pub fn dim() -> BoxedStrategy<String> {
        let leaf = prop_oneof![Just("?".to_owned()), Just("2".to_owned()), name()];
        leaf.prop_recursive(3, 12, 3, |dim| {
            prop_oneof![
                (dim.clone(), prop::sample::select(vec!["+", "-", "*"]), dim.clone())
                    .prop_map(|(a, op, b)| format!("( {a} {op} {b} ) * {b}")),
                (name(), prop::sample::select(vec!["[0]", "[1:]", "[:-1]", "[1:2][-1]"]))
                    .prop_map(|(name, index)| format!("{name}{index}")),
                list(dim.clone(), "max(", ")"),
                (dim.clone(), dim.clone()).prop_map(|(a, b)| format!(
                    "if ( {a} < {b} ) {{ {a} }} else if ( {a} == 1 ) {{ {b} }} else {{ 1 }}"
                )),
            ]
        })
        .boxed()
    }

    pub fn ty() -> BoxedStrategy<String> {
        let leaf = prop_oneof![Just("int32".to_owned()), Just("_".to_owned()), name()];
        leaf.prop_recursive(3, 24, 4, |ty| {
            prop_oneof![
                prop::collection::vec(dim(), 0..3).prop_map(|dims| format!("Tensor[ ( {} ) , t ]", dims.join(" , "))),
                name().prop_map(|name| format!("Tensor[ ( ..{name}[1:] , N ) , t ]")),
                list(ty.clone(), "(", ")"),
                list(ty.clone(), "List[", "]"),
                (list(ty.clone(), "fn(", ")"), ty.clone()).prop_map(|(params, ty)| format!("{params} -> {ty}")),
                ty.clone().prop_map(|ty| format!("fn[A, N: Dim]( A , {ty} ) -> A where R( A , k=1 ) , A = {ty}")),
                ty.prop_map(|ty| format!("ref( {ty} )")),
            ]
        })
        .boxed()
    }

    fn pattern() -> BoxedStrategy<String> {
        let leaf = prop_oneof![
            Just("_".to_owned()),
            Just("-1".to_owned()),
            Just("Nil".to_owned()),
            name().prop_map(|name| format!("%{name}")),
        ];
        leaf.prop_recursive(3, 12, 3, |pattern| {
            prop_oneof![
                list(pattern.clone(), "Cons(", ")"),
                list(pattern.clone(), "`V(", ")"),
                prop::collection::vec(pattern.clone(), 2..4).prop_map(|parts| format!("( {} )", parts.join(" , "))),
                prop::collection::vec(pattern.clone(), 2..4).prop_map(|parts| format!("( {} )", parts.join(" | "))),
                (pattern, name()).prop_map(|(pattern, name)| format!("( {pattern} as %{name} )")),
            ]
        })
        .boxed()
    }

    fn block(expr: BoxedStrategy<String>) -> BoxedStrategy<String> {
        let stmt = prop_oneof![
            (name(), expr.clone()).prop_map(|(name, e)| format!("let %{name} = {e} ;")),
            (name(), ty(), expr.clone()).prop_map(|(name, ty, e)| format!("let %{name}: {ty} = {e} ;")),
            expr.clone().prop_map(|e| format!("%0 = {e} ;")),
            expr.clone().prop_map(|e| format!("{e} ;")),
        ];
        (prop::collection::vec(stmt, 0..3), expr)
            .prop_map(|(stmts, e)| format!("{{ {} {e} }}", stmts.join(" ")))
            .boxed()
    }

    pub fn expr() -> BoxedStrategy<String> {
        let leaf = prop_oneof![
            Just("1".to_owned()),
            Just("-2.5f".to_owned()),
            Just("True".to_owned()),
            Just("meta[relay.Constant][0]".to_owned()),
            name().prop_map(|name| format!("%{name}")),
            name(),
        ];
        leaf.prop_recursive(5, 40, 4, |expr| {
            let arm = prop_oneof![
                (pattern(), expr.clone()).prop_map(|(p, e)| format!("{p} => {e} ,")),
                (pattern(), block(expr.clone())).prop_map(|(p, e)| format!("case {p} {e}")),
                (pattern(), name(), expr.clone()).prop_map(|(p, n, e)| format!("{p} => let %{n} = {e} ; {e} ,")),
            ];
            let operator = prop::sample::select(vec!["+", "-", "*", "/", "==", "<", ":=", "|>", "|>"]);
            prop_oneof![
                (expr.clone(), operator, expr.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
                (expr.clone(), expr.clone()).prop_map(|(a, b)| format!("({a} + {b} + {a})")),
                (name(), list(expr.clone(), "(", ")")).prop_map(|(name, args)| format!("@{name}{args}")),
                (name(), list(expr.clone(), "(", ")"))
                    .prop_map(|(name, args)| format!("@{name}<int32, (10, ?)>{args}")),
                (expr.clone(), expr.clone()).prop_map(|(a, b)| format!("f( {a} , axis=[1, -1] , k={b} )")),
                (expr.clone(), block(expr.clone())).prop_map(|(a, b)| format!("@f( {a} , fn( %x: int32 ) {b} )")),
                list(expr.clone(), "[", "]"),
                list(expr.clone(), "`Tag(", ")"),
                prop::collection::vec(expr.clone(), 2..4).prop_map(|parts| format!("( {} ).0", parts.join(" , "))),
                Just(format!("[ {} ]", ["1f , -2f"; 20].join(" , "))),
                (expr.clone(), block(expr.clone()), block(expr.clone()))
                    .prop_map(|(c, a, b)| format!("if ( {c} ) {a} else if ( {c} ) {b} else {a}")),
                (expr.clone(), prop::collection::vec(arm, 0..4))
                    .prop_map(|(e, arms)| format!("match ( {e} ) {{ {} }}", arms.join(" "))),
                (list(name().prop_map(|n| format!("%{n}")).boxed(), "fn(", ")"), ty(), block(expr.clone()))
                    .prop_map(|(params, ty, body)| format!("{params} -> {ty} {body}")),
                (name(), expr.clone(), expr.clone()).prop_map(|(n, a, b)| format!("( let %{n} = {a} ; {b} )")),
                expr.prop_map(|e| format!("-({e})")),
            ]
        })
        .boxed()
    }

    fn goal() -> BoxedStrategy<String> {
        let leaf = prop_oneof![
            Just("true".to_owned()),
            (ty(), ty()).prop_map(|(a, b)| format!("R( k=[1, 2] , {a} , {b} )")),
            (name(), dim()).prop_map(|(name, dim)| format!("{name} = {dim}")),
        ];
        leaf.prop_recursive(2, 8, 3, |goal| {
            (dim(), prop::collection::vec(goal, 0..3), any::<bool>()).prop_map(|(dim, goals, chains)| {
                let goals = goals.join(" , ");
                let more =
                    if chains { format!("else if ( {dim} >= N ) {{ }} else {{ {goals} }}") } else { String::new() };
                format!("if ( {dim} != 2 ) {{ {goals} }} {more}")
            })
        })
        .boxed()
    }

    fn item() -> BoxedStrategy<String> {
        let ctor = (name(), list(ty(), "(", ")")).prop_map(|(name, fields)| format!("C_{name}{fields}")).boxed();
        prop_oneof![
            (name(), ty(), ty(), block(expr()))
                .prop_map(|(n, a, b, e)| format!("def @{n}[A, N: Dim]( %x : {a} , %y ) -> {b} {e}")),
            (name(), ty(), ty(), expr()).prop_map(|(n, a, b, e)| format!(
                "def @{n}( %x : {a} ) -> Out where R( {b} ) , {a} = {b} , {n} = N {{ {e} }}"
            )),
            (name(), prop::collection::vec(ctor.clone(), 0..4))
                .prop_map(|(name, ctors)| format!("type {name}[A, B] {{ {} }}", ctors.join(" , "))),
            (name(), prop::collection::vec(ctor, 0..4)).prop_map(|(name, ctors)| {
                let ctors: Vec<String> = ctors.iter().map(|ctor| ctor.replacen('(', " : (", 1) + " -> T").collect();
                format!("data {name}<A, B> {{ {} }}", ctors.join(" "))
            }),
            (name(), ty(), prop::collection::vec(goal(), 1..4))
                .prop_map(|(name, ty, goals)| format!("relation {name}( N: Dim , {ty} ) :- {} .", goals.join(" , "))),
            name().prop_map(|name| format!("relation {name}( A ) .")),
            name().prop_map(|name| format!("extern type {name} ;")),
            (name(), expr()).prop_map(|(name, e)| format!("let %{name} = {e} ;")),
            expr().prop_map(|e| format!("%1 = {e} ;")),
            expr(),
            expr().prop_map(|e| format!("{e} ;")),
        ]
        .boxed()
    }

    pub fn program() -> impl Strategy<Value = String> {
        prop::collection::vec(item(), 1..4).prop_map(|items| items.join("\n"))
    }
}

/// Whether most generated programs are programs.
#[test]
fn the_generator_is_good() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let n_good = (0..200)
        .filter(|_| {
            let text = generated::program().new_tree(&mut runner).expect("a program").current();
            let parse = parse(&text, Surface::Relay);
            for error in parse.errors.iter().take(1) {
                println!("{}: {}\n", error.diagnostic().message, text);
            }
            parse.errors.is_empty()
        })
        .count();
    assert!(n_good > 190, "{n_good}");
}

fn n_cases() -> u32 {
    if std::env::var_os("RELISH_SOAK").is_some() { 20_000 } else { 400 }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(n_cases()) })]

    #[test]
    fn any_program(program in generated::program()) {
        formatted(&program);
    }

    #[test]
    fn any_program_shaken(program in generated::program(), gaps in gaps()) {
        formatted(&shaken(&program, GAPS, &gaps));
    }

    #[test]
    fn the_manual_shaken(item in any::<prop::sample::Index>(), gaps in gaps()) {
        let parse = parse(include_str!("manual.relay"), Surface::Relay);
        let items = parse.tree.children(parse.tree.root());
        let at = item.index(items.len() - 3);
        let texts: Vec<&str> = items[at..at + 3].iter().map(|&item| parse.tree.node_text(item)).collect();
        formatted(&shaken(&texts.join("\n"), GAPS, &gaps));
    }
}
