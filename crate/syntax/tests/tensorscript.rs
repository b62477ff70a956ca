//! The TensorScript surface: its trees, its mistakes, its layout. What holds for every text of any surface is in the
//! files beside this one.

mod help;

use base::Surface;
use help::{NETS, formatted, shaken, tensorscript};
use proptest::prelude::*;
use syntax::{NodeKind, parse};

const TREES: &[(&str, &str)] = &[
    ("", "(File)"),
    ("// one\n# two\n/* three */", "(File)"),
    (
        "use conv::{Conv2d, maxpool2d,}; use a::b::relu;use a::{};",
        "(File (Use use conv :: { (UseName Conv2d) , (UseName maxpool2d) , } ;) (Use use a :: b :: (UseName relu) ;) (Use use a :: { } ;))",
    ),
    (
        "dim N = 28; tsr A = [?, N, _, 3]; tsr B = A; tsr C = [];",
        "(File (DimItem dim N = 28 ;) (TsrItem tsr A = (ShapeLit [ (DimAny ?) , (DimName N) , (HoleType _) , (DimNum 3) ]) ;) (TsrItem tsr B = (NameType A) ;) (TsrItem tsr C = (ShapeLit [ ]) ;))",
    ),
    (
        "tsr A = [? * 2, (N + 1) * 3 - M];",
        "(File (TsrItem tsr A = (ShapeLit [ (DimBinary (DimAny ?) * (DimNum 2)) , (DimBinary (DimBinary ( (DimBinary (DimName N) + (DimNum 1)) ) * (DimNum 3)) - (DimName M)) ]) ;))",
    ),
    (
        "dim A = B; dim C = A * (B - 1) / 2; dim D = 4 + A;",
        "(File (DimItem dim A = (NameRef B) ;) (DimItem dim C = (Binary (Binary (NameRef A) * (Paren ( (Binary (NameRef B) - (Literal 1)) ))) / (Literal 2)) ;) (DimItem dim D = (Binary (Literal 4) + (NameRef A)) ;))",
    ),
    (
        "node M<[?, A] -> B> { dim N = 1; tsr T = [N]; } node E<A->A>{}",
        "(File (Net node M (Signature < (ShapeLit [ (DimAny ?) , (DimName A) ]) -> (NameType B) >) { (DimItem dim N = 1 ;) (TsrItem tsr T = (ShapeLit [ (DimName N) ]) ;) }) (Net node E (Signature < (NameType A) -> (NameType A) >) { }))",
    ),
    (
        "weights M<A -> B> { a = Linear::<A -> [?, 2]>::new(in=N, out=2,); b=Other::make(); }",
        "(File (Weights weights M (Signature < (NameType A) -> (NameType B) >) { (Weight a = Linear :: (Signature < (NameType A) -> (ShapeLit [ (DimAny ?) , (DimNum 2) ]) >) :: new (ArgList ( (Attr in = (NameRef N)) , (Attr out = (Literal 2)) , )) ;) (Weight b = Other :: make (ArgList ( )) ;) }))",
    ),
    (
        "graph M<A -> B> { def new() { a.init_normal(std=1.); self } def f(x: A, y) -> [?] { x } def g -> B { x } def h { x } }",
        "(File (Graph graph M (Signature < (NameType A) -> (NameType B) >) { (Method def new (ParamList ( )) (Block { (ExprStmt (Field (NameRef a) . init_normal (ArgList ( (Attr std = (Literal 1.)) ))) ;) (NameRef self) })) (Method def f (ParamList ( (Param x : (NameType A)) , (Param y) )) -> (ShapeLit [ (DimAny ?) ]) (Block { (NameRef x) })) (Method def g -> (NameType B) (Block { (NameRef x) })) (Method def h (Block { (NameRef x) })) }))",
    ),
    // Words that begin an item are names elsewhere.
    (
        "use dim::tsr; dim node = 2; tsr use = [graph]; weights dim<tsr -> def_> { use = node::dim(dim=1, if=2); } graph graph<node -> use> { def use(dim) { dim |> f(tsr=node) |> dim.node } }",
        "(File (Use use dim :: (UseName tsr) ;) (DimItem dim node = 2 ;) (TsrItem tsr use = (ShapeLit [ (DimName graph) ]) ;) (Weights weights dim (Signature < (NameType tsr) -> (NameType def_) >) { (Weight use = node :: dim (ArgList ( (Attr dim = (Literal 1)) , (Attr if = (Literal 2)) )) ;) }) (Graph graph graph (Signature < (NameType node) -> (NameType use) >) { (Method def use (ParamList ( (Param dim) )) (Block { (Pipe (Pipe (NameRef dim) |> (Call (NameRef f) (ArgList ( (Attr tsr = (NameRef node)) )))) |> (Field (NameRef dim) . node)) })) }))",
    ),
];

/// Bodies of a method.
const BODIES: &[(&str, &str)] = &[
    (
        "x |> conv1 |> maxpool2d(kernel_size=(2, 2)) |> self.f(x) |> view(?, _, -1)",
        "(Pipe (Pipe (Pipe (Pipe (NameRef x) |> (NameRef conv1)) |> (Call (NameRef maxpool2d) (ArgList ( (Attr kernel_size = (Tuple ( (Literal 2) , (Literal 2) ))) )))) |> (Field (NameRef self) . f (ArgList ( (NameRef x) )))) |> (Call (NameRef view) (ArgList ( (DimAny ?) , (Hole _) , (Unary - (Literal 1)) ))))",
    ),
    (
        "y = x + 2 * -z % 3; x == y |> f; y",
        "(Assign y = (Binary (NameRef x) + (Binary (Binary (Literal 2) * (Unary - (NameRef z))) % (Literal 3))) ;) (ExprStmt (Pipe (Binary (NameRef x) == (NameRef y)) |> (NameRef f)) ;) (NameRef y)",
    ),
    (
        "if a < b { c } else if (d) { x = 1; e } else { f }",
        "(If if (Binary (NameRef a) < (NameRef b)) (Block { (NameRef c) }) else (If if (Paren ( (NameRef d) )) (Block { (Assign x = (Literal 1) ;) (NameRef e) }) else (Block { (NameRef f) })))",
    ),
    (
        "a.b.c(1).d != () - (1,) / (x >= y)",
        "(Binary (Field (Field (Field (NameRef a) . b) . c (ArgList ( (Literal 1) ))) . d) != (Binary (Tuple ( )) - (Binary (Tuple ( (Literal 1) , )) / (Paren ( (Binary (NameRef x) >= (NameRef y)) )))))",
    ),
    (
        "f(true, False, 1., .5, 1.5e-3, 1e3, 2.e2, 1 .a, 1.b, x<y)",
        "(Call (NameRef f) (ArgList ( (Literal true) , (Literal False) , (Literal 1.) , (Literal .5) , (Literal 1.5e-3) , (Literal 1e3) , (Literal 2.e2) , (Field (Literal 1) . a) , (Field (Literal 1) . b) , (Binary (NameRef x) < (NameRef y)) )))",
    ),
];

fn in_a_method(body: &str) -> String {
    format!("graph M<A -> B> {{ def f(x) {{ {body} }} }}")
}

#[test]
fn trees() {
    for (text, tree) in TREES {
        assert_eq!(help::tree(&parse(text, Surface::TensorScript)), *tree, "{text}");
        assert_eq!(help::errors(&tensorscript(text)), [""; 0], "{text}");
    }
    for (text, tree) in BODIES {
        let text = in_a_method(text);
        let found = help::tree(&parse(&text, Surface::TensorScript));
        let (_, body) = found.split_once("(Block { ").expect("there is a block");
        assert_eq!(body.strip_suffix(" })) }))"), Some(*tree), "{text}");
        assert_eq!(help::errors(&tensorscript(&text)), [""; 0], "{text}");
    }
}

/// Code, the text that is pointed at, the message; then labels and edits.
const ERRORS: &[(&str, &[&str])] = &[
    (
        "weights A<B -> B> {\n  a = L::new(x=1)\n  b = L::new(x=1);\n}",
        &["syntax-error `)` expected `;`, found a name; `b` found here; insert `;`: good"],
    ),
    (
        "weights A<B -> B> {\n  a = L::new(x=1\n  b = L::new(x=1);\n}",
        &["syntax-error `1` expected `)`, found a name; `(` this `(` is not closed; insert `);`: good"],
    ),
    ("dim A = 1\ndim B = 2;", &["syntax-error `1` expected `;`, found `dim`; `dim` found here; insert `;`: good"]),
    (
        "node A<B -> B> {\n  tsr C = [1, 2;\n  dim D = 4;\nnode E<B -> B> {}",
        &[
            "syntax-error `;` expected `]`, found `;`; `[` this `[` is not closed; insert `]`: not enough",
            "syntax-error `;` expected `}`, found `node`; `{` this `{` is not closed; insert `}`: not enough",
        ],
    ),
    (
        "graph A<B -> B> {\n  def f(x) {\n    x |> g(\n  def h(x) { x }\n}\ndim N = 1;",
        &["syntax-error `(` expected `)`, found `def`; `(` this `(` is not closed; insert `)}`: good"],
    ),
    (
        "graph A<B -> B> {\n  def f(x) {\n    x\n  }\ndim N = 1;",
        &["syntax-error `}` expected `}`, found `dim`; `{` this `{` is not closed; insert `}`: good"],
    ),
    (
        "use a::{b, c\nuse d::e;",
        &["syntax-error `c` expected `}`, found `use`; `{` this `{` is not closed; insert `};`: good"],
    ),
    ("use a::{b c};", &["syntax-error `c` expected `,` or `}`, found a name; insert `,`: good"]),
    ("use a::{b, 3};", &["syntax-error `3` expected a name, found an integer"]),
    ("use a;", &["syntax-error `;` expected `::`, found `;`"]),
    ("use {a};", &["syntax-error `{` expected a name, found `{`"]),
    ("dim A = [B];\ndim C = 1;", &["syntax-error `[` expected an integer, found `[`"]),
    ("dim A = B + ;\ndim C = 1;", &["syntax-error `;` expected an expression, found `;`"]),
    ("dim A 3;", &["syntax-error `3` expected `=`, found an integer; insert `=`: good"]),
    ("dim = 3;", &["syntax-error `=` expected a name, found `=`"]),
    ("tsr A = 3;", &["syntax-error `3` expected a shape such as `[?, 10]`, found an integer"]),
    ("tsr A = ;", &["syntax-error `;` expected a shape such as `[?, 10]`, found `;`"]),
    ("tsr A = [1, 2 *, 4];", &["syntax-error `,` expected a dimension, found `,`"]),
    ("tsr A = [1, [2]];", &["syntax-error `[` expected a dimension, found `[`"]),
    ("node A { }", &["syntax-error `{` expected `<`, found `{`"]),
    ("node A<[?] [?]> { }", &["syntax-error `[` expected `->`, found `[`; insert `->`: good"]),
    ("node A<B> { }", &["syntax-error `>` expected `->`, found `>`"]),
    ("node A<B => B> { }", &["syntax-error `=>` expected `->`, found `=>`; write `->`: good"]),
    (
        "node A<B -> B { }\ndim C = 3;",
        &["syntax-error `{` expected `>`, found `{`; `<` this `<` is not closed; insert `>`: good"],
    ),
    ("node A<B -> B> { x = 1; }", &["syntax-error `x` expected `dim` or `tsr`, found a name"]),
    (
        "weights A<B -> B>\n  a = L::new();\n  b = L::new();\n}\ndim C = 3;",
        &["syntax-error `>` expected `{`, found a name; `a` found here; insert `{`: good"],
    ),
    (
        "weights A<B -> B> { a = L(in=1); b = ::new(); c = L::(); d = L::new; e L::new(); = L::new(); }",
        &[
            "syntax-error `(` expected `::`, found `(`; insert `::new`: not enough",
            "syntax-error `::` expected a layer such as `Linear`, found `::`",
            "syntax-error `(` expected a name, found `(`",
            "syntax-error `;` expected `(`, found `;`",
            "syntax-error `L` expected `=`, found a name; insert `=`: not enough",
            "syntax-error `=` expected a weight such as `a = Linear::new(in=1, out=2);`, found `=`",
        ],
    ),
    (
        "graph A<B -> B> { def f(x): B { x } def g(x) [?] { x } def h() B { x } def (x) { x } def f(x = 3, y) { x } }",
        &[
            "syntax-error `:` expected `->`, found `:`; write `->`: not enough",
            "syntax-error `[` expected `->`, found `[`; insert `->`: not enough",
            "syntax-error `B` expected `->`, found a name; insert `->`: not enough",
            "syntax-error `(` expected a name, found `(`",
            "syntax-error `=` expected `,` or `)`, found `=`",
        ],
    ),
    ("graph A<B -> B> { dim N = 3; def f() { x } }", &["syntax-error `dim` expected `def`, found `dim`"]),
    (
        "graph A<B -> B> { def f() x |> g def h() { x } }",
        &[
            "syntax-error `x` expected a body in braces such as `{ 1 }`, found an expression; put braces around it: good",
        ],
    ),
    (
        "def f() { x }\ndim A = 3;",
        &["syntax-error `def` expected `use`, `dim`, `tsr`, `node`, `weights` or `graph`, found `def`"],
    ),
    ("}\ndim A = 3;", &["syntax-error `}` expected `use`, `dim`, `tsr`, `node`, `weights` or `graph`, found `}`"]),
    (
        "enum A { B }\ndim N = 1;",
        &["syntax-error `enum` TensorScript has no types of one's own: a shape is named by `tsr`"],
    ),
    ("type A = [1];", &["syntax-error `type` TensorScript has no types of one's own: a shape is named by `tsr`"]),
    (
        "graph{def{[",
        &[
            "syntax-error `{` expected a name, found `{`",
            "syntax-error `{` expected a name, found `{`",
            "syntax-error `[` expected an expression, found `[`",
            "syntax-error `[` expected `}`, found the end of the file; `{` this `{` is not closed; insert `}}}`: not enough",
        ],
    ),
    (
        "c = Conv2d::new(kernel_size=[",
        &["syntax-error `c` expected `use`, `dim`, `tsr`, `node`, `weights` or `graph`, found a name"],
    ),
    ("x |> [ }", &["syntax-error `x` expected `use`, `dim`, `tsr`, `node`, `weights` or `graph`, found a name"]),
    ("dim 1x = 3;", &["bad-number `1x` expected a number such as `1`, `.5` or `1e-3`, found something like one"]),
];

const ERRORS_IN_BODIES: &[(&str, &[&str])] = &[
    ("", &["syntax-error `}` expected an expression, found `}`"]),
    ("x;", &["syntax-error `;` expected the value of the block, found `;` behind it; take `;` away: good"]),
    (
        "y = x;",
        &[
            "syntax-error `;` expected the value of the block behind its last binding; give the value of the variable: good",
        ],
    ),
    ("x |>", &["syntax-error `}` expected an expression, found `}`"]),
    ("x.", &["syntax-error `}` expected a name, found `}`"]),
    ("x.y(", &["syntax-error `}` expected `)`, found `}`; `(` this `(` is not closed; insert `)`: good"]),
    ("x y", &["syntax-error `y` expected `|>`, found a name; insert `|>`: good"]),
    ("y = 1 x", &["syntax-error `x` expected `;`, found a name; insert `;`: good"]),
    ("x |> \"s\"", &["syntax-error `\"s\"` expected an expression, found a string"]),
    ("!x", &["syntax-error `!` expected an expression, found `!`"]),
    ("x[0]", &["syntax-error `[` expected `;` or `}`, found `[`"]),
    ("f(x)(y)", &["syntax-error `(` expected `;`, found `(`; insert `;`: good"]),
    ("a::b", &["syntax-error `::` expected `;` or `}`, found `::`"]),
    ("(a = 1)", &["syntax-error `=` expected `,` or `)`, found `=`"]),
    ("f(a; b)", &["syntax-error `;` expected `,` or `)`, found `;`"]),
    ("f(a.b=1)", &["syntax-error `=` expected `,` or `)`, found `=`"]),
    ("f(, a)", &["syntax-error `,` expected an expression, found `,`"]),
    ("dim N = 3; x", &["syntax-error `dim` expected an expression, found `dim`"]),
    ("y = L::new(in=3); y", &["syntax-error `::` expected `;`, found `::`; insert `;`: not enough"]),
    ("if x { y }", &["syntax-error `}` expected `else`, found `}`"]),
    (
        "if x y else z",
        &[
            "syntax-error `y` expected a body in braces such as `{ 1 }`, found an expression; put braces around it: good",
        ],
    ),
    (
        "while x { y } x",
        &[
            "syntax-error `while` TensorScript has no loops: a network is a chain of layers, and a layer has its own name",
        ],
    ),
    (
        "for a in b { y }; x",
        &["syntax-error `for` TensorScript has no loops: a network is a chain of layers, and a layer has its own name"],
    ),
    (
        "let y: A = 3; y",
        &[
            "syntax-error `let` TensorScript has no `let`: a name is given by `x = …;`; take `let` out: not enough",
            "syntax-error `: A` a variable has the type of its value, which is not written; take it away: not enough",
        ],
    ),
    (
        "y: Tensor[2, 3] = x |> f; y",
        &[
            "syntax-error `: Tensor[2, 3]` a variable has the type of its value, which is not written; take it away: good",
        ],
    ),
    (
        "let y = x |> f; y",
        &["syntax-error `let` TensorScript has no `let`: a name is given by `x = …;`; take `let` out: good"],
    ),
    ("f(match x { a => b })", &["syntax-error `match` TensorScript has no `match`: its only choice is `if`"]),
    (
        "1q + 2f",
        &[
            "bad-number `1q` expected a number such as `1`, `.5` or `1e-3`, found something like one",
            "bad-number `2f` expected a number such as `1`, `.5` or `1e-3`, found something like one",
        ],
    ),
    ("1.2.3", &["bad-number `1.2.3` expected a number such as `1`, `.5` or `1e-3`, found something like one"]),
    ("a$b", &["unknown-character `$` expected a token, found `$`, U+0024, which begins none"]),
];

#[test]
fn errors() {
    for (text, said) in ERRORS {
        assert_eq!(help::errors(&tensorscript(text)), *said, "{text}");
    }
    for (text, said) in ERRORS_IN_BODIES {
        let text = in_a_method(text);
        assert_eq!(help::errors(&tensorscript(&text)), *said, "{text}");
    }
}

/// What stands after a mistake is there all the same.
#[test]
fn a_mistake_stays_in_its_part() {
    let kinds = |text: &str| {
        let tree = parse(text, Surface::TensorScript).tree;
        let items = tree.children(tree.root());
        let parts = |item| tree.children(item).into_iter().map(|part| tree.kind(part)).collect::<Vec<_>>();
        items.into_iter().map(|item| (tree.kind(item), parts(item))).collect::<Vec<_>>()
    };
    use NodeKind::{DimItem, Error, Graph, Method, Net, ShapeLit, Signature, TsrItem, Weight, Weights};
    for junk in ["(", "f(a=", "{ (", "if x {", "x |> f(1, (2", "y =", "x.", "while a {", "[1, 2"] {
        let text = format!("graph A<B -> B> {{\n  def f(x) {{ {junk}\n  def g(x) {{ x }}\n}}\ntsr N = [1];");
        assert_eq!(kinds(&text), [(Graph, vec![Signature, Method, Method]), (TsrItem, vec![ShapeLit])], "{text}");
    }
    for junk in ["a = ", "a = L", "a = L::<", "a = L::<B ->", "a = L::<[1", "a = L::new(in=(1", "a = L::new"] {
        let text = format!("weights A<B -> B> {{\n  {junk}\n  b = L::new();\nnode A<B -> B> {{}}");
        assert_eq!(kinds(&text), [(Weights, vec![Signature, Weight, Weight]), (Net, vec![Signature])], "{text}");
    }
    let text = "node A<B -> B> {\n  dim C = [\n  def f() { x };\n  dim D = 3;\n}\n= 3 (\nuse a::b;\ndim E = 1;";
    let said = kinds(text);
    assert_eq!(said[0], (Net, vec![Signature, DimItem, Error, DimItem]));
    assert_eq!(said.iter().map(|item| item.0).collect::<Vec<_>>(), [Net, Error, NodeKind::Use, DimItem]);
}

/// A text, and what it looks like when formatted: the same where there is nothing.
const LOOKS: &[(&str, Option<&str>)] = &[
    ("", None),
    ("use  a :: {b,c} ; use a::b;", Some("use a::{b, c};\nuse a::b;\n")),
    (
        "use a_module_with_a_name::{FirstLayerOfMany, SecondLayerOfMany, ThirdLayerOfMany, FourthLayerOfMany};",
        Some(
            "use a_module_with_a_name::{\n  FirstLayerOfMany,\n  SecondLayerOfMany,\n  ThirdLayerOfMany,\n  FourthLayerOfMany\n};\n",
        ),
    ),
    ("dim W=28;tsr T=[ 1,W , ? ];", Some("dim W = 28;\ntsr T = [1, W, ?];\n")),
    (
        "node A < B->[ ?,10] >{\n}\n\n\n\nnode C<D->E>{dim N=1;}",
        Some("node A<B -> [?, 10]> {}\n\nnode C<D -> E> {\n  dim N = 1;\n}\n"),
    ),
    ("node A<B -> C> {\n      // bare\n      }", Some("node A<B -> C> {\n  // bare\n}\n")),
    ("node A<B -> C> { // bare\n}\n", None),
    (
        "weights A<B -> C> {a=L :: <B->C> :: new( in=1,out=(2,3) ) ; // one\n\n\n  b = L::new();}",
        Some("weights A<B -> C> {\n  a = L::<B -> C>::new(in=1, out=(2, 3)); // one\n\n  b = L::new();\n}\n"),
    ),
    (
        "weights A<B -> C> { convolution = Conv2d::new(in_ch=10, out_ch=20, kernel_size=(5, 5), stride=(1, 1), padding=(2, 2), dilation=(1, 1)); }",
        Some(
            "weights A<B -> C> {\n  convolution = Conv2d::new(\n    in_ch=10,\n    out_ch=20,\n    kernel_size=(5, 5),\n    stride=(1, 1),\n    padding=(2, 2),\n    dilation=(1, 1)\n  );\n}\n",
        ),
    ),
    (
        "graph A<B -> C> { def f { x } def g(x:B)->C { x|>f|>h( k=- 1 ) } def new() { a.b(c=1.); self } }",
        Some(
            "graph A<B -> C> {\n  def f { x }\n  def g(x: B) -> C { x |> f |> h(k=-1) }\n  def new() {\n    a.b(c=1.);\n    self\n  }\n}\n",
        ),
    ),
    // A chain has all its stages on a line or each on its own, below its beginning.
    (
        "graph A<B -> C> { def f(x) { x |> one |> maxpool2d(kernel_size=2) |> self.a_helper() |> two |> view(?, 320) |> log_softmax(dim=1) } }",
        Some(
            "graph A<B -> C> {\n  def f(x) {\n    x\n    |> one\n    |> maxpool2d(kernel_size=2)\n    |> self.a_helper()\n    |> two\n    |> view(?, 320)\n    |> log_softmax(dim=1)\n  }\n}\n",
        ),
    ),
    (
        "graph A<B -> C> { def f(x) { x\n|> one |> two } def g(x) { x\n  // why\n  |> one // this\n\n  |> two } }",
        Some(
            "graph A<B -> C> {\n  def f(x) {\n    x\n    |> one\n    |> two\n  }\n  def g(x) {\n    x\n    // why\n    |> one // this\n    |> two\n  }\n}\n",
        ),
    ),
    (
        "graph A<B -> C> { def f(x) { y = x\n |> one |> two; if y>=1 { y } else if a { f( x\n|>g ) } else {1 . b % 2} } }",
        Some(
            "graph A<B -> C> {\n  def f(x) {\n    y = x\n      |> one\n      |> two;\n    if y >= 1 {\n      y\n    } else if a {\n      f(\n        x\n          |> g\n      )\n    } else {\n      1 .b % 2\n    }\n  }\n}\n",
        ),
    ),
];

#[test]
fn looks() {
    for &(text, becomes) in LOOKS {
        assert_eq!(formatted(&tensorscript(text)), tensorscript(becomes.unwrap_or(text)), "{text}");
    }
}

#[test]
fn whole_programs() {
    for net in NETS {
        assert_eq!(help::errors(net), [""; 0]);
        assert_eq!(formatted(net), net);
        let tree = parse(net, Surface::Relay).tree;
        let kinds: Vec<NodeKind> = tree.children(tree.root()).into_iter().map(|item| tree.kind(item)).collect();
        let n_items = |wanted| kinds.iter().filter(|&&kind| kind == wanted).count();
        assert!(n_items(NodeKind::Net) > 0 && n_items(NodeKind::Net) == n_items(NodeKind::Graph));
        // Without its line ends the layout is the same, but where a line's end is kept or a comment would take the
        // rest.
        let code: String = net.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect();
        let (first, rest) = code.split_once('\n').expect("there are lines");
        let on_one_line = format!("{first}\n{}", rest.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(
            help::tree(&parse(&formatted(&on_one_line), Surface::Relay)),
            help::tree(&parse(net, Surface::Relay))
        );
    }
}

/// Programs of any kind, one token or cluster of tokens between spaces.
mod generated {
    use proptest::prelude::*;

    fn name() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["x", "dim", "Layer", "a_name_that_takes_a_third_of_the_whole_line"])
            .prop_map(str::to_owned)
    }

    fn number() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["1", "28", "1.", ".5", "1.e5", "2e-3", "true", "False"]).prop_map(str::to_owned)
    }

    fn ty() -> impl Strategy<Value = String> {
        let dim = prop_oneof![name(), Just("?".to_owned()), Just("_".to_owned()), Just("28".to_owned())];
        prop_oneof![name(), prop::collection::vec(dim, 0..5).prop_map(|dims| format!("[ {} ]", dims.join(" , ")))]
    }

    fn signature() -> impl Strategy<Value = String> {
        (ty(), ty()).prop_map(|(t, u)| format!("< {t} -> {u} >"))
    }

    fn args(expr: BoxedStrategy<String>) -> impl Strategy<Value = String> {
        let arg = prop_oneof![
            3 => (name(), expr.clone()).prop_map(|(name, e)| format!("{name} = {e}")),
            1 => expr,
            1 => Just("?".to_owned()),
            1 => Just("_".to_owned()),
        ];
        prop::collection::vec(arg, 0..4).prop_map(|args| format!("( {} )", args.join(" , ")))
    }

    fn block(expr: BoxedStrategy<String>) -> impl Strategy<Value = String> {
        let statement = prop_oneof![
            (name(), expr.clone()).prop_map(|(name, e)| format!("{name} = {e} ;")),
            expr.clone().prop_map(|e| format!("{e} ;")),
        ];
        (prop::collection::vec(statement, 0..3), expr)
            .prop_map(|(statements, e)| format!("{{ {} {e} }}", statements.join("\n")))
    }

    fn expr() -> BoxedStrategy<String> {
        let leaf = prop_oneof![name(), name(), number()];
        leaf.prop_recursive(5, 40, 4, |expr| {
            let operator =
                prop::sample::select(vec!["|>", "|>", "\n|>", "+", "-", "*", "/", "%", "==", "!=", "<", ">="]);
            prop_oneof![
                (expr.clone(), operator, expr.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
                (name(), args(expr.clone())).prop_map(|(f, args)| format!("{f}{args}")),
                (expr.clone(), name(), args(expr.clone())).prop_map(|(e, f, args)| format!("( {e} ) . {f}{args}")),
                (name(), name()).prop_map(|(e, f)| format!("{e} . {f}")),
                (number(), name()).prop_map(|(e, f)| format!("{e} . {f}")),
                expr.clone().prop_map(|e| format!("- ( {e} )")),
                prop::collection::vec(expr.clone(), 2..4).prop_map(|parts| format!("( {} )", parts.join(" , "))),
                (expr.clone(), block(expr.clone()), block(expr.clone()), block(expr))
                    .prop_map(|(c, a, b, e)| format!("if {c} {a} else if ( {c} ) {b} else {e}")),
            ]
        })
        .boxed()
    }

    fn dim_or_tsr() -> impl Strategy<Value = String> {
        prop_oneof![
            name().prop_map(|name| format!("dim {name} = 28 ;")),
            (name(), ty()).prop_map(|(name, ty)| format!("tsr {name} = {ty} ;")),
        ]
    }

    fn item() -> BoxedStrategy<String> {
        let of = |word: &'static str, part: BoxedStrategy<String>| {
            (name(), signature(), prop::collection::vec(part, 0..4)).prop_map(move |(name, signature, parts)| {
                format!("{word} {name}{signature} {{\n{}\n}}", parts.join("\n"))
            })
        };
        let signature_of_layer =
            prop_oneof![Just(String::new()), signature().prop_map(|signature| format!("::{signature}"))];
        let weight = (name(), name(), signature_of_layer, args(expr()))
            .prop_map(|(name, layer, signature, args)| format!("{name} = {layer}{signature}::new{args} ;"));
        let result = prop_oneof![Just(String::new()), ty().prop_map(|ty| format!("-> {ty}"))];
        let params = prop::collection::vec((name(), ty()).prop_map(|(name, ty)| format!("{name} : {ty}")), 0..4);
        let method = (name(), params, result, block(expr()))
            .prop_map(|(name, params, result, body)| format!("def {name}( {} ) {result} {body}", params.join(" , ")));
        prop_oneof![
            dim_or_tsr(),
            (name(), name(), prop::collection::vec(name(), 0..5))
                .prop_map(|(a, b, names)| format!("use {a}::{b}::{{ {} }} ;", names.join(" , "))),
            of("node", dim_or_tsr().boxed()),
            of("weights", weight.boxed()),
            of("graph", method.boxed()),
        ]
        .boxed()
    }

    pub fn program() -> impl Strategy<Value = String> {
        prop::collection::vec(item(), 1..4).prop_map(|items| items.join("\n"))
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
    "\n/* four\n five */",
    " // six\n\n   # seven\n",
];

fn n_cases() -> u32 {
    if std::env::var_os("RELISH_SOAK").is_some() { 20_000 } else { 400 }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(n_cases()) })]

    #[test]
    fn any_program_shaken(program in generated::program(), gaps in prop::collection::vec(any::<(u8, u8)>(), 1..400)) {
        assert_eq!(parse(&program, Surface::TensorScript).errors, [], "{program}");
        formatted(&tensorscript(&program));
        let shaken = shaken(&tensorscript(&program), GAPS, &gaps);
        formatted(&tensorscript(&shaken));
    }
}
