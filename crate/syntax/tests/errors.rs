//! Mistakes: what is said, where, and whether the offered edit mends the text.

mod help;

/// Code, the text that is pointed at, the message; then labels and edits.
const ERRORS: &[(&str, &[&str])] = &[
    (
        "def @f() { let %x = nn.relu(%a\n  let %y = 2; %y }",
        &["syntax-error `%a` expected `)`, found `let`; `(` this `(` is not closed; insert `);`: good"],
    ),
    ("def @f() { let %x = 1 %x }", &["syntax-error `%x` expected `;`, found a local variable; insert `;`: good"]),
    (
        "def @f() { %x = 1; %x }",
        &["syntax-error `%x` expected `let` before a variable that is bound; insert `let`: good; write `:=`: good"],
    ),
    ("def @f() { 1 ) }", &["syntax-error `)` this `)` closes nothing; take `)` away: good"]),
    ("def @f() { }", &["syntax-error `}` expected an expression, found `}`"]),
    (
        "def @f() { 1; }",
        &["syntax-error `;` expected the value of the block, found `;` behind it; take `;` away: good"],
    ),
    ("def @f(%x { %x }", &["syntax-error `{` expected `)`, found `{`; `(` this `(` is not closed; insert `)`: good"]),
    ("def @f(%x: ) { %x }", &["syntax-error `)` expected a type, found `)`"]),
    ("def @f() -> { 1 }", &["syntax-error `{` expected a type, found `{`"]),
    ("def @f { 1 }", &["syntax-error `{` expected `(`, found `{`"]),
    ("def @ { 1 }", &["syntax-error `@` expected a global name such as `@f`, found `@`"]),
    ("fn f() { 1 }", &["syntax-error `fn` expected `def` before a function with a name; write `def @`: good"]),
    ("fn @f[A](%x: A) { %x }", &["syntax-error `fn` expected `def` before a function with a name; write `def`: good"]),
    ("def f() { 1 }", &["syntax-error `f` expected a global name such as `@f`, found a name; insert `@`: good"]),
    ("f(1 2)", &["syntax-error `2` expected `,` or `)`, found an integer; insert `,`: good"]),
    (
        "f(1, 2",
        &["syntax-error `2` expected `)`, found the end of the file; `(` this `(` is not closed; insert `)`: good"],
    ),
    ("f(, 1)", &["syntax-error `,` expected an expression, found `,`"]),
    ("[1, 2}", &["syntax-error `}` expected `]`, found `}`; `[` this `[` is not closed; insert `]`: not enough"]),
    (
        "%t.x",
        &[
            "syntax-error `x` expected an index such as `.0`, found a name: an operator is no method and takes its operands in parentheses",
        ],
    ),
    ("1 + * 2", &["syntax-error `*` expected an expression, found `*`"]),
    (
        "(1 + 2\ndef @g() { 1 }",
        &["syntax-error `2` expected `)`, found `def`; `(` this `(` is not closed; insert `)`: good"],
    ),
    ("match (%x) { A => 1; B => 2 }", &["syntax-error `;` expected `,`, found `;`; write `,`: good"]),
    ("match (%x) { => 1 }", &["syntax-error `=>` expected a pattern, found `=>`"]),
    ("match (%x) { A 1 }", &["syntax-error `1` expected `=>`, found an integer; insert `=>`: good"]),
    ("match %x", &["syntax-error `%x` expected `{`, found the end of the file"]),
    ("if (%c) { 1 }", &["syntax-error `}` expected `else`, found the end of the file"]),
    (
        "if (%c) 1 else { 2 }",
        &[
            "syntax-error `1` expected a body in braces such as `{ 1 }`, found an expression; put braces around it: good",
        ],
    ),
    ("ref_write(%r)", &["syntax-error `)` expected an expression, found `)`"]),
    ("ref(1, 2)", &["syntax-error `,` expected `)`, found `,`"]),
    ("let @x = 1;", &["syntax-error `@x` expected a variable such as `%x`, found a global name"]),
    ("let %x: = 1;", &["syntax-error `=` expected a type, found `=`"]),
    ("let %x 1;", &["syntax-error `1` expected `=`, found an integer; insert `=`: good"]),
    ("fn(%x) => { %x }", &["syntax-error `=>` expected `{`, found `=>`"]),
    (
        "type T { A(int32, B }",
        &["syntax-error `}` expected `)`, found `}`; `(` this `(` is not closed; insert `)`: good"],
    ),
    ("type T { A, , B }", &["syntax-error `,` expected a constructor, found `,`"]),
    (
        "data T { A : () -> T\ndef @f() { 1 }",
        &["syntax-error `T` expected `}`, found `def`; `{` this `{` is not closed; insert `}`: good"],
    ),
    (
        "extern type T { A }",
        &["extern-with-constructors `{` an external type cannot have constructors; `T` declared `extern` here"],
    ),
    ("%a", &[]),
    (
        "def @f(%x: Tensor[(1, ], %y: Tensor[(2)]) { 1 }",
        &[
            "syntax-error `]` expected `)`, found `]`; `(` this `(` is not closed; insert `)`: not enough",
            "syntax-error `]` expected `,` and a dtype such as `float32`, found `]`; insert `, float32`: not enough",
        ],
    ),
    ("relation R(A)\ndef @f() { 1 }", &["syntax-error `)` expected `:-` or `.`, found `def`; `def` found here"]),
    (
        "relation R(A) :- S(A)\nlet %x = 1;",
        &["syntax-error `)` expected `.`, found `let`; `let` found here; insert `.`: good"],
    ),
    ("relation R(A) :- true", &["syntax-error `true` expected `.`, found the end of the file; insert `.`: good"]),
    (
        "relation R(A) :- S(A) T(A),\n  B == C, (A, B), D = sh[1:N], .\n1",
        &[
            "syntax-error `T` expected `,` or `.`, found a name; insert `,`: not enough",
            "syntax-error `==` expected `=`, found `==`; write `=`: not enough",
            "syntax-error `,` expected `=`, found `,`",
            "syntax-error `N` expected an integer, found a name",
            "syntax-error `.` expected a relation or an equation, found `.`",
        ],
    ),
    ("relation R(A) = true.", &["syntax-error `=` expected `:-` or `.`, found `=`; write `:-`: good"]),
    ("relation R :- true.", &["syntax-error `:` expected `(`, found `:`"]),
    (
        "relation R(A) :- if (a) { true } else true.",
        &[
            "syntax-error `)` expected a comparison such as `N < 2`, found `)`",
            "syntax-error `true` expected `{`, found a name",
        ],
    ),
    ("relation R(A) :- A = if (a < b) { 1 }.", &["syntax-error `.` expected `else`, found `.`"]),
    (
        "relation R(A) :- if () { true. }.",
        &[
            "syntax-error `)` expected a comparison such as `N < 2`, found `)`",
            "syntax-error `.` expected `,` or `}`, found `.`",
        ],
    ),
    ("def @f() where N == 2 { 1 }", &["syntax-error `==` expected `=`, found `==`; write `=`: good"]),
    (
        "def @f() { let (%x, (y, _)): (A, B) = (1, (2, 3)); %x + y }\nlet Cons(%h, Nil) = %l;\n%h",
        &[
            "syntax-error `(%x, (y, _))` expected a variable such as `%x`, found a pattern",
            "syntax-error `Cons(%h, Nil)` expected a variable such as `%x`, found a pattern",
        ],
    ),
    (
        r#"#[version = "0.0.4"]"#,
        &[r#"bad-version `"0.0.4"` expected version "0.0.5", found another; write "0.0.5": good"#],
    ),
    ("#[foo]", &["syntax-error `#` expected a definition or an expression, found `#`"]),
    ("1.2.3", &["bad-number `1.2.3` expected a number such as `1`, `2i64` or `0.5f`, found something like one"]),
    (
        "0x10 + 1q",
        &[
            "bad-number `0x10` expected a decimal number, found one in another base; write `16`: not enough",
            "bad-number `1q` expected a number such as `1`, `2i64` or `0.5f`, found something like one",
        ],
    ),
    ("1 $$$ 2", &["unknown-character `$$$` expected a token, found `$`, U+0024, which begins none"]),
    (r#""abc"#, &[r#"unterminated-string `"abc` expected `"`, found the end of the line; insert `"`: good"#]),
    (
        "def @f() { let %x = \"abc\n  %x }",
        &["unterminated-string `\"abc` expected `\"`, found the end of the line; insert `\"`: not enough"],
    ),
    ("1 /* a", &["unterminated-comment `/*` expected `*/`, found the end of the file; insert `*/`: good"]),
    (
        "1 /* /* a */ /*",
        &["unterminated-comment `/*` expected `*/`, found the end of the file; insert `*/` 2 times: good"],
    ),
    ("let %x Tensor[(3), int32] = %p;\n%x", &["syntax-error `Tensor` expected `:`, found a name; insert `:`: good"]),
    ("free_var %x Tensor[(3), int32];\n%x", &["syntax-error `Tensor` expected `:`, found a name; insert `:`: good"]),
    (
        "nn.conv2d(%x, %w, data_layout\"NCHW\", channels=4)",
        &["syntax-error `\"NCHW\"` expected `=`, found a string; insert `=`: good"],
    ),
    (
        "let %f = f (%y: int32) -> int32 { %y };\n%f(1)",
        &["syntax-error `f` expected `fn`, found a name; write `fn`: good"],
    ),
    (
        "def @f(%c: bool) { i (%c) { 1 } else { 2 } }",
        &["syntax-error `i` expected `if`, found a name; write `if`: good"],
    ),
    (
        "def @f(%x: Tensor[((1, 3), float32]) { %x }",
        &["syntax-error `((1, 3), float32` a tensor's type is written as `Tensor[(2, 3), float32]`; write it so: good"],
    ),
    (
        "def @f(%x: Tensor[[(1, 3), float32]) { %x }",
        &["syntax-error `(1, 3), float32` a tensor's type is written as `Tensor[(2, 3), float32]`; write it so: good"],
    ),
    (
        "def @f((%x: int32, %y: int32) {\n  %x + %y\n}",
        &["syntax-error `(` parameters stand in one pair of parentheses; take it away: good"],
    ),
    (
        "extern tyep Storage\ndef @f(%x: Storage[]) { %x }",
        &["syntax-error `tyep` expected `type`, found a name; write `type`: good"],
    ),
    (
        "def @f(%x: int32) {\n  let %f = fn(%y) {\n    %y + 1\n  }};\n  %f(%x)\n}",
        &["syntax-error `}` this `}` closes nothing; take `}` away: good"],
    ),
    (
        "def @f() {\n  %0 = fn() {\n    %1 = 1};\n    %1 + 1\n  };\n  %0()\n}",
        &["syntax-error `}` this `}` closes nothing; take `}` away: good"],
    ),
    (
        "match (%o) {\n  Some(%x)) => %x,\n  None => 0,\n}",
        &["syntax-error `)` this `)` closes nothing; take `)` away: good"],
    ),
    ("} 1", &["syntax-error `}` expected a definition or an expression, found `}`"]),
    ("@f(%x)) \n1", &["syntax-error `)` this `)` closes nothing; take `)` away: good"]),
    ("1 2", &["syntax-error `2` expected a new line or `;`, found an integer"]),
    (
        "def @f() { match (%x) { case A { 1 }\ndef @g() { 2 }",
        &["syntax-error `}` expected `}`, found `def`; `{` this `{` is not closed; insert `}}`: good"],
    ),
    ("`(1)", &["syntax-error `(` expected a name, found `(`"]),
    (
        "%x = 2; %x",
        &["syntax-error `%x` expected `let` before a variable that is bound; insert `let`: good; write `:=`: good"],
    ),
];

#[test]
fn errors() {
    for (text, said) in ERRORS {
        assert_eq!(help::errors(text), *said, "{text}");
    }
}
