//! The refine surface: its trees, its mistakes, its layout, its stolen arms. What holds for every text of either
//! surface is in the files beside this one.

mod help;

use base::{Diagnostic, Surface};
use help::{formatted, refine, refine_programs, shaken};
use proptest::prelude::*;
use syntax::{NodeKind, parse, stolen_arms};

const TREES: &[(&str, &str)] = &[
    ("", "(File)"),
    ("# only a comment", "(File)"),
    (
        "Mul (Add One Two) x",
        "(File (ExprItem (Variant Mul (Paren ( (Variant Add (Variant One) (Variant Two)) )) (LocalRef x))))",
    ),
    (
        "let x : [A, B [C, D] [], E] = A in let y' = (x) in y'",
        "(File (ExprItem (Seq (LetStmt let x : (SumType [ (VariantType A) , (VariantType B (SumType [ (VariantType C) , (VariantType D) ]) (SumType [ ])) , (VariantType E) ]) = (Variant A) in) (LetStmt let y' = (Paren ( (LocalRef x) )) in) (LocalRef y'))))",
    ),
    (
        "let x = let y = A in y in x",
        "(File (ExprItem (Seq (LetStmt let x = (Seq (LetStmt let y = (Variant A) in) (LocalRef y)) in) (LocalRef x))))",
    ),
    // The first arm may go without its `|`; the others belong to the innermost `match`.
    (
        "match x with A -> match y with | B -> C | _ -> D",
        "(File (ExprItem (Match match (LocalRef x) with (Arm (VariantPat A) -> (Match match (LocalRef y) with (Arm | (VariantPat B) -> (Variant C)) (Arm | (WildPat _) -> (Variant D)))))))",
    ),
    (
        "match match x with | A -> B with | y -> (match y with | B -> y) | z -> let w = z in w",
        "(File (ExprItem (Match match (Match match (LocalRef x) with (Arm | (VariantPat A) -> (Variant B))) with (Arm | (VarPat y) -> (Paren ( (Match match (LocalRef y) with (Arm | (VariantPat B) -> (LocalRef y))) ))) (Arm | (VarPat z) -> (Seq (LetStmt let w = (LocalRef z) in) (LocalRef w))))))",
    ),
    // `as` binds looser than `|`, at any depth.
    (
        "match x with | A | B y (C _) as z -> z | A (B | C as y) (_ as w) as v -> v | (A as x | B) -> x",
        "(File (ExprItem (Match match (LocalRef x) with (Arm | (AsPat (OrPat (VariantPat A) | (VariantPat B (VarPat y) ( (VariantPat C (WildPat _)) ))) as z) -> (LocalRef z)) (Arm | (AsPat (VariantPat A ( (AsPat (OrPat (VariantPat B) | (VariantPat C)) as y) ) ( (AsPat (WildPat _) as w) )) as v) -> (LocalRef v)) (Arm | ( (OrPat (AsPat (VariantPat A) as x) | (VariantPat B)) ) -> (LocalRef x)))))",
    ),
    // Words of the other surface are names here.
    ("A def type", "(File (ExprItem (Variant A (LocalRef def) (LocalRef type))))"),
];

#[test]
fn trees() {
    for (text, tree) in TREES {
        assert_eq!(help::tree(&parse(text, Surface::Refine)), *tree, "{text}");
        assert_eq!(help::errors(&refine(text)), [""; 0], "{text}");
    }
}

/// Code, the text that is pointed at, the message; then labels and edits.
const ERRORS: &[(&str, &[&str])] = &[
    ("let x = A", &["syntax-error `A` expected `in`, found the end of the file"]),
    ("let x = y\nx", &["syntax-error `y` expected `in`, found a local variable; `x` found here; insert `in`: good"]),
    (
        "let x = match y with | A -> B\nlet z = x in z",
        &["syntax-error `B` expected `in`, found `let`; `let` found here; insert `in`: good"],
    ),
    ("let x = A) in x", &["syntax-error `)` expected `in`, found `)`"]),
    ("let x = A; x", &["syntax-error `;` expected `in`, found `;`; write `in`: good"]),
    ("let x A in x", &["syntax-error `A` expected `=`, found a name; insert `=`: good"]),
    ("let A = x in x", &["syntax-error `A` expected a variable such as `x`, found a name"]),
    ("let x = in x", &["syntax-error `in` expected an expression, found `in`"]),
    (
        "let x : A = B in x",
        &[
            "syntax-error `A` expected a type such as `[A, B]`, found variants without brackets; write the brackets: good",
        ],
    ),
    (
        "let x : [A B] = B in x",
        &["syntax-error `B` what a variant holds is a type such as `[A]`; write the brackets: good; insert `,`: good"],
    ),
    ("let x : [a] = A in x", &["syntax-error `a` expected a variant such as `A`, found a local variable"]),
    (
        "let x : [A, B [C] = A in x",
        &["syntax-error `=` expected `]`, found `=`; `[` this `[` is not closed; insert `]`: good"],
    ),
    (
        "let x = (A (B C in x",
        &["syntax-error `in` expected `)`, found `in`; `(` this `(` is not closed; insert `))`: good"],
    ),
    ("(A in B)", &["syntax-error `in` expected `)`, found `in`"]),
    ("A, B", &["syntax-error `,` expected the end of the file, found `,`"]),
    ("let x = A in x\nx", &["syntax-error `x` expected the end of the file, found a local variable; `x` found here"]),
    (
        "let x = A in x B C",
        &[
            "syntax-error `x` only a variant such as `A` has something behind it: refine has no functions; `B` the argument",
        ],
    ),
    (
        "(A) B",
        &[
            "syntax-error `(A)` only a variant such as `A` has something behind it: refine has no functions; `B` the argument",
        ],
    ),
    ("A 3", &["syntax-error `3` refine has no numbers and no strings: a value is a variant such as `A` or `Pair A B`"]),
    ("A _", &["syntax-error `_` expected an expression, found `_`"]),
    ("match x | A -> B", &["syntax-error `|` expected `with`, found `|`; insert `with`: good"]),
    ("match x with", &["syntax-error `with` expected `|`, found the end of the file"]),
    ("match x with | A => B | C -> D", &["syntax-error `=>` expected `->`, found `=>`; write `->`: good"]),
    ("match x with | A -> B, | C -> D", &["syntax-error `,` expected the end of the file, found `,`"]),
    (
        "match x with\n| A -> B\nC (D | E) -> F\n| G -> H",
        &["syntax-error `B` expected `|`, found a name; `C` found here; insert `|`: good"],
    ),
    ("match x with | -> B", &["syntax-error `->` expected a pattern, found `->`"]),
    ("match x with | A ->", &["syntax-error `->` expected an expression, found the end of the file"]),
    ("match x with | 3 -> A", &["syntax-error `3` expected a pattern, found an integer"]),
    ("match x with | A as B -> A", &["syntax-error `B` expected a variable such as `x`, found a name"]),
    ("match x with | x y -> A", &["syntax-error `y` expected `as`, found a local variable; insert `as`: good"]),
    // Each has its own.
    (
        "let x = 3 in match x with | A => B | C ->",
        &[
            "syntax-error `3` refine has no numbers and no strings: a value is a variant such as `A` or `Pair A B`",
            "syntax-error `=>` expected `->`, found `=>`; write `->`: not enough",
            "syntax-error `->` expected an expression, found the end of the file",
        ],
    ),
    // As in other languages.
    (
        "let f x = match x with A -> B | B -> A in f A",
        &["syntax-error `x` refine has no functions: a program is `let … in`, `match … with` and variants"],
    ),
    (
        "let rec f (x : [A]) y = g x in f A",
        &["syntax-error `(x : [A]) y` refine has no functions: a program is `let … in`, `match … with` and variants"],
    ),
    (
        "let f = fun x -> x in let g = (x, y) => x in g A",
        &["syntax-error `fun` refine has no functions: a program is `let … in`, `match … with` and variants"],
    ),
    (
        "if x then A else B",
        &["syntax-error `if` expected `match`, found `if`: a truth is `True` or `False`; write it as a `match`: good"],
    ),
    (
        "match x with | A -> if y then match z with D -> E else F | C -> G",
        &["syntax-error `if` expected `match`, found `if`: a truth is `True` or `False`; write it as a `match`: good"],
    ),
    ("if x then A", &["syntax-error `if` expected `match`, found `if`: a truth is `True` or `False`"]),
    (
        "Pair (Mul A B, C) D",
        &[
            "syntax-error `(Mul A B, C)` expected fields without commas such as `Pair A B`, found `,`; write them without commas: good",
        ],
    ),
    (
        "match x with | Cons(h, t) -> t",
        &[
            "syntax-error `(h, t)` expected fields without commas such as `Pair A B`, found `,`; write them without commas: good",
        ],
    ),
    (
        "(A, (B C), )",
        &[
            "syntax-error `(A, (B C), )` refine has no tuples: what belongs together are the fields of a variant, as in `Pair A B`; make them fields of a variant: good",
        ],
    ),
    (
        "match x { | A -> B | B -> C }",
        &[
            "syntax-error `{` expected arms without braces such as `with A -> B | C -> D`, found `{`; write them without: good",
        ],
    ),
    (
        "match x with | A -> match y { B -> C, D -> E; } | B -> C",
        &[
            "syntax-error `{` expected arms without braces such as `with A -> B | C -> D`, found `{`; write them without: good",
        ],
    ),
    (
        "type t =\n  | A\n  | B of t\nlet x = A in x",
        &["syntax-error `type` refine names no types: a sum stands where it is used, as in `let x : [A, B] = A in`"],
    ),
    (
        "let x = A + B C in x.0",
        &[
            "syntax-error `+` refine has no operators: `match … with` takes values apart",
            "syntax-error `.` refine has no operators: `match … with` takes values apart",
        ],
    ),
    (
        "let x : A | B [C] = A in x",
        &[
            "syntax-error `A | B [C]` expected a type such as `[A, B]`, found variants without brackets; write the brackets: good",
        ],
    ),
    (
        "let x : [Some\u{a0}A, None] = Some A in x",
        &["syntax-error `A` what a variant holds is a type such as `[A]`; write the brackets: good; insert `,`: good"],
    ),
    (
        "let x = `A in x",
        &["syntax-error ``` expected a variant such as `A`, found a backtick; take the backtick away: good"],
    ),
    (
        "let Pair x _ = y in let z = x in z",
        &[
            "syntax-error `Pair x _` expected a variable such as `x`, found a pattern: `match … with` takes values apart; write it as a `match`: good",
        ],
    ),
    (
        "let x = A // one\nin (* two\nthree *) x -- four",
        &[
            "syntax-error `//` expected a comment such as `# …`, found another language's; write `#`: not enough",
            "syntax-error `(*` expected a comment such as `# …`, found another language's; write `#`: not enough",
            "syntax-error `--` expected a comment such as `# …`, found another language's; write `#`: not enough",
        ],
    ),
    ("%x", &["syntax-error `%` expected an expression, found `%`"]),
    ("_x", &["syntax-error `_` expected a name that begins with a letter, found `_` before one; take it away: good"]),
    // What is left must be a name, and no other one.
    ("let _match = A in _match", &["syntax-error `_` expected a name that begins with a letter, found `_` before one"]),
    (
        "let x = A in let _x = B in _x",
        &["syntax-error `_` expected a name that begins with a letter, found `_` before one"],
    ),
    ("Aé", &["unknown-character `é` expected a token, found `é`, U+00E9, which begins none"]),
];

#[test]
fn errors() {
    for (text, said) in ERRORS {
        assert_eq!(help::errors(&refine(text)), *said, "{text}");
    }
}

#[test]
fn the_first_line_may_name_the_surface() {
    let of = |text: &str, surface| parse(text, surface).tree.surface();
    for surface in Surface::ALL {
        assert_eq!(of("A", surface), surface);
        assert_eq!(of("#lang refine\nA", surface), Surface::Refine);
        assert_eq!(of("\u{feff}#lang\t relay \r\n1", surface), Surface::Relay);
        assert_eq!(of("#lang refine\u{a0}\nA", surface), Surface::Refine);
        assert_eq!(of("#language refine", surface), surface);
        assert_eq!(of("\n \n  #lang refine\nA", surface), Surface::Refine);
        assert_eq!(of("A\n#lang refine", surface), surface);
    }
    let expected = "expected `#lang relay`, `#lang refine` or `#lang tensorscript`, found another language";
    let said = |place: &str, more: &str| [format!("unknown-lang `{place}` {expected}{more}")];
    assert_eq!(help::errors("#lang refined\nx"), said("refined", "; write `refine`: good"));
    assert_eq!(help::errors("#lang relay refine"), said("relay refine", ""));
    assert_eq!(help::errors("#lang"), said("#lang", ""));
}

/// A text, and what it looks like when formatted: the same where there is nothing.
const LOOKS: &[(&str, Option<&str>)] = &[
    ("", None),
    ("let x:[A,B[C][D]]=A in x", Some("let x : [A, B [C] [D]] = A in x\n")),
    ("Mul( Add One  Two )x", Some("Mul (Add One Two) x\n")),
    ("let x = A in\nlet y = B in y", Some("let x = A in\nlet y = B in\ny\n")),
    ("let x = A in\n\n\n# two\nlet y = B in y", Some("let x = A in\n\n# two\nlet y = B in\ny\n")),
    ("match x with|A->B|C|(D)as y->y", Some("match x with | A -> B | C | (D) as y -> y\n")),
    (
        "let y = match x with\n| A (B|C _ as z) -> z\n| _ -> D in y",
        Some("let y = match x with\n  | A (B | C _ as z) -> z\n  | _ -> D\nin\ny\n"),
    ),
    (
        "match x with\n| A -> let z = D in\n match z with | D -> x # why\n| B -> (match x with\n| C -> D)",
        Some(
            "match x with\n  | A ->\n    let z = D in\n    match z with\n      | D -> x # why\n      | B -> (match x with\n        | C -> D)\n",
        ),
    ),
    ("let x =\n  let y = A in\n  y\nin\nx\n", None),
    (
        "let a_long_name : [AVariantWithALongName, AnotherVariantWithALongName [Payload, OtherPayload], Last] = Last in a_long_name",
        Some(
            "let a_long_name : [\n  AVariantWithALongName,\n  AnotherVariantWithALongName [Payload, OtherPayload],\n  Last\n] = Last in\na_long_name\n",
        ),
    ),
    (
        "AVariantWithALongName (AnotherVariantWithALongName Payload) (AnotherVariantWithALongName OtherPayload) Last",
        Some(
            "AVariantWithALongName\n  (AnotherVariantWithALongName Payload)\n  (AnotherVariantWithALongName OtherPayload)\n  Last\n",
        ),
    ),
];

#[test]
fn looks() {
    for &(text, becomes) in LOOKS {
        assert_eq!(formatted(&refine(text)), refine(becomes.unwrap_or(text)), "{text}");
    }
}

#[test]
fn every_fact() {
    let programs = refine_programs();
    assert!(programs.len() > 300, "{}", programs.len());
    for program in programs {
        formatted(&program);
        let n_errors = parse(&program, Surface::Refine).errors.len();
        let is_mistake = program.ends_with("let x = A");
        assert_eq!(n_errors, usize::from(is_mistake), "{program}");
    }
}

/// The text with all edits of its warnings made.
fn mended(text: &str, warnings: &[Diagnostic]) -> String {
    let edits = warnings.iter().flat_map(|said| &said.fixes).flat_map(|fix| fix.edits.clone());
    base::apply(text, &edits.collect::<Vec<_>>())
}

fn warnings(text: &str) -> Vec<Diagnostic> {
    stolen_arms(&parse(text, Surface::Refine).tree).iter().map(|stolen| stolen.diagnostic()).collect()
}

/// The text with `>` before each stolen `|`, and what parentheses make of it.
fn stolen(text: &str) -> (String, String) {
    let said = warnings(text);
    let mut marked = text.to_owned();
    for warning in said.iter().rev() {
        marked.insert(warning.span.start as usize, '>');
    }
    let mended = mended(text, &said);
    assert_eq!(warnings(&mended), []);
    (marked, mended)
}

#[test]
fn stolen_arms_are_found_by_their_columns() {
    let (marked, mended) = stolen(
        "let x : [A, B, C] = A in
match x with
  | A | B as y ->
    let z : [D, E] = D in
    match z with
      | D -> y
      | E -> F # last
  | C -> C",
    );
    assert!(marked.contains("  >| C -> C"), "{marked}");
    assert!(mended.contains("    (match z with\n      | D -> y\n      | E -> F) # last\n  | C -> C"), "{mended}");
    let matches = |text: &str| {
        let tree = parse(text, Surface::Refine).tree;
        let matches = tree.walk(tree.root()).filter_map(|event| match event {
            syntax::Event::Enter(node) if tree.kind(node) == NodeKind::Match => Some(tree.children(node).len() - 1),
            _ => None,
        });
        matches.collect::<Vec<_>>()
    };
    assert_eq!(matches(&mended), [2, 2]);

    // From two at once; bars below a bar that is not the first on its line.
    let (marked, mended) = stolen(
        "match x with | A -> match y with
                      | B -> match z with | C -> D
                                          | E -> E
                      | F -> G
                      | H -> H
             | I -> J
             | K -> L",
    );
    assert_eq!(marked.matches('>').count() - marked.matches("->").count(), 2, "{marked}");
    assert!(marked.contains(">| F") && marked.contains(">| I"), "{marked}");
    assert_eq!(matches(&mended), [3, 3, 2]);

    // Parentheses, a `let`'s value and the scrutinee steal nothing; arms that all line up say nothing.
    for text in [
        "match x with\n| A -> (match y with\n  | B -> C)\n| D -> E",
        "match x with\n| A -> let z = match y with\n  | B -> C in z\n| D -> E",
        "match match y with\n  | A -> B\n  with\n| B -> C\n| D -> E",
        "match x with\n| A -> match y with\n| B -> C\n| D -> E",
        "match x with\n| A -> match y with\n  | B -> C\n  | D -> E",
        "match x with | A -> match y with | B -> C | D -> E",
    ] {
        assert_eq!(stolen(text).0, text);
    }
}

/// Programs of any kind, one token or cluster of tokens between spaces.
mod generated {
    use proptest::prelude::*;

    fn variable() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["x", "y'", "a_name_that_takes_a_third_of_the_whole_line"]).prop_map(str::to_owned)
    }

    fn variant() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["A", "B0", "AVariantThatTakesAThirdOfTheWholeLine"]).prop_map(str::to_owned)
    }

    fn applied(argument: BoxedStrategy<String>) -> BoxedStrategy<String> {
        (variant(), prop::collection::vec(argument, 0..4))
            .prop_map(|(variant, arguments)| format!("{variant} {}", arguments.join(" ")))
            .boxed()
    }

    fn ty() -> BoxedStrategy<String> {
        let list = |variant: BoxedStrategy<String>| {
            prop::collection::vec(variant, 0..4).prop_map(|variants| format!("[ {} ]", variants.join(" , ")))
        };
        list(variant().boxed()).prop_recursive(3, 12, 3, move |ty| list(applied(ty.boxed()))).boxed()
    }

    fn pattern() -> BoxedStrategy<String> {
        let leaf = prop_oneof![Just("_".to_owned()), variable(), variant()];
        leaf.prop_recursive(3, 12, 3, |pattern| {
            let parenthesised = pattern.clone().prop_map(|pattern| format!("( {pattern} )")).boxed();
            prop_oneof![
                applied(parenthesised),
                prop::collection::vec(pattern.clone(), 2..4).prop_map(|patterns| patterns.join(" | ")),
                (pattern, variable()).prop_map(|(pattern, name)| format!("{pattern} as {name}")),
            ]
        })
        .boxed()
    }

    pub fn expr() -> BoxedStrategy<String> {
        let leaf = prop_oneof![variable(), variant()];
        leaf.prop_recursive(5, 40, 4, |expr| {
            let parenthesised = expr.clone().prop_map(|expr| format!("( {expr} )")).boxed();
            let operand = prop_oneof![variable(), variant(), parenthesised.clone()].boxed();
            let arm = (pattern(), expr.clone()).prop_map(|(p, e)| format!("| {p} -> {e}"));
            prop_oneof![
                applied(operand),
                parenthesised,
                (variable(), expr.clone(), expr.clone()).prop_map(|(x, a, b)| format!("let {x} = {a} in {b}")),
                (variable(), ty(), expr.clone(), expr.clone())
                    .prop_map(|(x, t, a, b)| format!("let {x} : {t} = {a} in\n{b}")),
                (expr.clone(), prop::collection::vec(arm.clone(), 1..4))
                    .prop_map(|(e, arms)| format!("match {e} with {}", arms.join(" "))),
                (expr, prop::collection::vec(arm, 1..4))
                    .prop_map(|(e, arms)| format!("match {e} with\n  {}", arms.join("\n  "))),
            ]
        })
        .boxed()
    }
}

/// What may stand between two tokens.
const GAPS: &[&str] = &[" ", "\n", " ", "\n\n\n  ", "\n    ", " # one\n", "\n# two\n  ", " # three\n\n   # four\n"];

fn n_cases() -> u32 {
    if std::env::var_os("RELISH_SOAK").is_some() { 20_000 } else { 400 }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(n_cases()) })]

    #[test]
    fn any_program_shaken(program in generated::expr(), gaps in prop::collection::vec(any::<(u8, u8)>(), 1..400)) {
        assert_eq!(parse(&program, Surface::Refine).errors, [], "{program}");
        formatted(&refine(&program));
        formatted(&refine(&shaken(&program, GAPS, &gaps)));
    }
}
