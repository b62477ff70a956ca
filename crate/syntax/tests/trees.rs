//! The trees of programs without mistakes, and the questions one can ask of a tree.

mod help;

use base::Surface;
use syntax::{NodeKind, TokenKind, parse};

/// A node is in parentheses; what else stands there are tokens.
const TREES: &[(&str, &str)] = &[
    (
        r#"#[version = "0.0.5"]
def @main(%x: Tensor[(1, ?), float32], %n: int32) -> Tensor[(5), float32] { %0 = nn.conv2d(%x, meta[relay.Constant][0], padding=[1, 1, -1], out_dtype=None); let %y: int32 = 1; add(%0, %y) }
#[metadata]
{ "x": 1 }"#,
        r#"(File (Version # [ version = "0.0.5" ]) (Def def @main (ParamList ( (Param %x : (TensorType Tensor [ (ShapeLit ( (DimNum 1) , (DimAny ?) )) , (NameType float32) ])) , (Param %n : (NameType int32)) )) -> (TensorType Tensor [ (ShapeLit ( (DimNum 5) )) , (NameType float32) ]) (Block { (GraphStmt %0 = (Call (NameRef nn . conv2d) (ArgList ( (LocalRef %x) , (Meta meta [ relay . Constant ] [ 0 ]) , (Attr padding = (ListLit [ (Literal 1) , (Literal 1) , (Unary - (Literal 1)) ])) , (Attr out_dtype = (NameRef None)) ))) ;) (LetStmt let %y : (NameType int32) = (Literal 1) ;) (Call (NameRef add) (ArgList ( (GraphRef %0) , (LocalRef %y) ))) })) (Metadata #[metadata]
{ "x": 1 }))"#,
    ),
    (
        "def @plus<s : Shape>(%t1 : Tensor[s, float32], %t2) { add(%t1, %t2) }\nplus<(10, 10)>(%a, %b)",
        "(File (Def def @plus (TypeParams < (TypeParam s : Shape) >) (ParamList ( (Param %t1 : (TensorType Tensor [ (NameType s) , (NameType float32) ])) , (Param %t2) )) (Block { (Call (NameRef add) (ArgList ( (LocalRef %t1) , (LocalRef %t2) ))) })) (ExprItem (Call (NameRef plus) (TypeArgs < (TupleType ( (DimNum 10) , (DimNum 10) )) >) (ArgList ( (LocalRef %a) , (LocalRef %b) )))))",
    ),
    (
        "let %x = 1f; %0 = %x - 2 * -3; %0 |> nn.relu |> nn.dense(%w)",
        "(File (LetItem let %x = (Literal 1f) ;) (GraphItem %0 = (Binary (LocalRef %x) - (Binary (Literal 2) * (Unary - (Literal 3)))) ;) (ExprItem (Pipe (Pipe (GraphRef %0) |> (NameRef nn . relu)) |> (Call (NameRef nn . dense) (ArgList ( (LocalRef %w) ))))))",
    ),
    (
        "fn[A, N: Dim](%x: A, Primitive=1) -> fn<a>(a, List[a]) -> b where R(a, b, k=3), S { %x.0.1 }",
        "(File (ExprItem (Fn fn (TypeParams [ (TypeParam A) , (TypeParam N : Dim) ]) (ParamList ( (Param %x : (NameType A)) , (Attr Primitive = (Literal 1)) )) -> (FnType fn (TypeParams < (TypeParam a) >) ( (NameType a) , (TypeCall List [ (NameType a) ]) ) -> (NameType b) (WhereClause where (WhereRelation R ( (NameType a) , (NameType b) , (Attr k = (Literal 3)) )) , (WhereRelation S))) (Block { (Project (Project (LocalRef %x) . 0) . 1) }))))",
    ),
    (
        "type List[A] { Nil, Cons(A, List[A]), }\nextern type T\ntype U\ndata Opt<a> { None : () -> Opt\n Some : (a) -> Opt }",
        "(File (TypeDef type List (TypeParams [ (TypeParam A) ]) { (Ctor Nil) , (Ctor Cons (CtorFields ( (NameType A) , (TypeCall List [ (NameType A) ]) ))) , }) (ExternType extern type T) (TypeDef type U) (TypeDef data Opt (TypeParams < (TypeParam a) >) { (Ctor None : (CtorFields ( )) (CtorResult -> (NameType Opt))) (Ctor Some : (CtorFields ( (NameType a) )) (CtorResult -> (NameType Opt))) }))",
    ),
    (
        "match? (%l) { Cons(%h: int32, _) => %h, (Nil) => { 1 } case `A(1, x) | `B as %y { %y } (%a,) | () => let %z = 1; %z, -1 => 2 }",
        "(File (ExprItem (Match match ? (Paren ( (LocalRef %l) )) { (Arm (CtorPat Cons ( (VarPat %h : (NameType int32)) , (WildPat _) )) => (LocalRef %h)) , (Arm ( (NamePat Nil) ) => (Block { (Literal 1) })) (Arm case (AsPat (OrPat (VariantPat ` A ( (LitPat 1) , (NamePat x) )) | (VariantPat ` B)) as %y) (Block { (LocalRef %y) })) (Arm (OrPat (TuplePat ( (VarPat %a) , )) | (TuplePat ( ))) => (Seq (LetStmt let %z = (Literal 1) ;) (LocalRef %z))) , (Arm (LitPat - 1) => (Literal 2)) })))",
    ),
    (
        "if (%a < 1) { 1 } else if (%b) { 2 } else { ( let %x = 1; %x ) }",
        "(File (ExprItem (If if (Paren ( (Binary (LocalRef %a) < (Literal 1)) )) (Block { (Literal 1) }) else (If if (Paren ( (LocalRef %b) )) (Block { (Literal 2) }) else (Block { (Paren ( (Seq (LetStmt let %x = (Literal 1) ;) (LocalRef %x)) )) })))))",
    ),
    (
        "%r := !%s + 1; ref_write(%r, ref_read(ref(1)))",
        "(File (ExprItem (RefWrite (LocalRef %r) := (Binary (RefRead ! (LocalRef %s)) + (Literal 1))) ;) (ExprItem (RefWriteCall ref_write ( (LocalRef %r) , (RefReadCall ref_read ( (RefNew ref ( (Literal 1) )) )) ))))",
    ),
    (
        r#"(); (1,); (1, 2); (1); [[1f, 2f], []]; `A; `B(1, _); "s"; f(a; b); f(let %x = 1; %x, 2)"#,
        r#"(File (ExprItem (Tuple ( )) ;) (ExprItem (Tuple ( (Literal 1) , )) ;) (ExprItem (Tuple ( (Literal 1) , (Literal 2) )) ;) (ExprItem (Paren ( (Literal 1) )) ;) (ExprItem (ListLit [ (ListLit [ (Literal 1f) , (Literal 2f) ]) , (ListLit [ ]) ]) ;) (ExprItem (Variant ` A) ;) (ExprItem (Variant ` B ( (Literal 1) , (Hole _) )) ;) (ExprItem (Literal "s") ;) (ExprItem (Call (NameRef f) (ArgList ( (Seq (ExprStmt (NameRef a) ;) (NameRef b)) ))) ;) (ExprItem (Call (NameRef f) (ArgList ( (Seq (LetStmt let %x = (Literal 1) ;) (LocalRef %x)) , (Literal 2) )))))"#,
    ),
    (
        "def @f(%x: Tensor[(N * 2 + 1, floordiv(N, 2), (N + 1) * 2, ?), t], %y: (10, ?), %z: ref(_)) { @g<N + 1, _, Tensor[(), t]>(%x)(1).0 }",
        "(File (Def def @f (ParamList ( (Param %x : (TensorType Tensor [ (ShapeLit ( (DimBinary (DimBinary (DimName N) * (DimNum 2)) + (DimNum 1)) , (DimCall floordiv ( (DimName N) , (DimNum 2) )) , (DimBinary ( (DimBinary (DimName N) + (DimNum 1)) ) * (DimNum 2)) , (DimAny ?) )) , (NameType t) ])) , (Param %y : (TupleType ( (DimNum 10) , (DimAny ?) ))) , (Param %z : (RefType ref ( (HoleType _) ))) )) (Block { (Project (Call (Call (GlobalRef @g) (TypeArgs < (DimBinary (DimName N) + (DimNum 1)) , (HoleType _) , (TensorType Tensor [ (ShapeLit ( )) , (NameType t) ]) >) (ArgList ( (LocalRef %x) ))) (ArgList ( (Literal 1) ))) . 0) })))",
    ),
    (
        "where(a < b, x, data) < c",
        "(File (ExprItem (Binary (Call (NameRef where) (ArgList ( (Binary (NameRef a) < (NameRef b)) , (NameRef x) , (NameRef data) ))) < (NameRef c))))",
    ),
    (
        "free_var %x: int32; let %y = match (%x) { _ => 1 }; %y",
        "(File (FreeVar free_var %x : (NameType int32) ;) (LetItem let %y = (Match match (Paren ( (LocalRef %x) )) { (Arm (WildPat _) => (Literal 1)) }) ;) (ExprItem (LocalRef %y)))",
    ),
    (
        "@f\n(1, 2)\n-1\n- 2",
        "(File (ExprItem (GlobalRef @f)) (ExprItem (Tuple ( (Literal 1) , (Literal 2) ))) (ExprItem (Binary (Unary - (Literal 1)) - (Literal 2))))",
    ),
    (
        "def @f(%x {virtual_device=meta[VirtualDevice][0]}: int32, x, y: _) : T { { %x } }",
        "(File (Def def @f (ParamList ( (Param %x { virtual_device = meta [ VirtualDevice ] [ 0 ] } : (NameType int32)) , (Param x) , (Param y : (HoleType _)) )) : (NameType T) (Block { (Block { (LocalRef %x) }) })))",
    ),
    (
        "%a.0(%x)(1).1 + -%b.0",
        "(File (ExprItem (Binary (Project (Call (Call (Project (LocalRef %a) . 0) (ArgList ( (LocalRef %x) ))) (ArgList ( (Literal 1) ))) . 1) + (Unary - (Project (LocalRef %b) . 0)))))",
    ),
    (
        "%x/%y - %conv1/weight",
        "(File (ExprItem (Binary (Binary (LocalRef %x) / (LocalRef %y)) - (LocalRef %conv1/weight))))",
    ),
    (
        "%a == %b != 1 <= 2 * 3",
        "(File (ExprItem (Binary (Binary (LocalRef %a) == (LocalRef %b)) != (Binary (Literal 1) <= (Binary (Literal 2) * (Literal 3))))))",
    ),
    ("(%x |> f := 2)", "(File (ExprItem (Paren ( (Pipe (LocalRef %x) |> (RefWrite (NameRef f) := (Literal 2))) ))))"),
    (
        "fn () -> int32 { 1 }(%x)",
        "(File (ExprItem (Call (Fn fn (ParamList ( )) -> (NameType int32) (Block { (Literal 1) })) (ArgList ( (LocalRef %x) )))))",
    ),
    (
        "{ free_var %x: int32; @f(%x); %x }",
        "(File (ExprItem (Block { (FreeVar free_var %x : (NameType int32) ;) (ExprStmt (Call (GlobalRef @f) (ArgList ( (LocalRef %x) ))) ;) (LocalRef %x) })))",
    ),
    (
        "f<a, b>(c) + (f < a)",
        "(File (ExprItem (Binary (Call (NameRef f) (TypeArgs < (NameType a) , (NameType b) >) (ArgList ( (NameRef c) ))) + (Paren ( (Binary (NameRef f) < (NameRef a)) )))))",
    ),
    (
        "let %z: Tensor[sh, t] = Constant([1], (2,), int32) ;\nlet y = inff + nanf32;",
        "(File (LetItem let %z : (TensorType Tensor [ (NameType sh) , (NameType t) ]) = (Call (NameRef Constant) (ArgList ( (ListLit [ (Literal 1) ]) , (Tuple ( (Literal 2) , )) , (NameRef int32) ))) ;) (LetItem let y = (Binary (Literal inff) + (Literal nanf32)) ;))",
    ),
    (
        "1e-5f + 2bf16 + 1.f + 1e3",
        "(File (ExprItem (Binary (Binary (Binary (Literal 1e-5f) + (Literal 2bf16)) + (Literal 1.f)) + (Literal 1e3))))",
    ),
    (
        "type E {}\ntype List2[A] { Cons2(fn(A) -> (A, A), ref(A)) }",
        "(File (TypeDef type E { }) (TypeDef type List2 (TypeParams [ (TypeParam A) ]) { (Ctor Cons2 (CtorFields ( (FnType fn ( (NameType A) ) -> (TupleType ( (NameType A) , (NameType A) ))) , (RefType ref ( (NameType A) )) ))) }))",
    ),
    (
        "match (%t) { (A | B) as %x | _ => %x, -1.5 => 1 True => { 2 } }",
        "(File (ExprItem (Match match (Paren ( (LocalRef %t) )) { (Arm (OrPat (AsPat ( (OrPat (NamePat A) | (NamePat B)) ) as %x) | (WildPat _)) => (LocalRef %x)) , (Arm (LitPat - 1.5) => (Literal 1)) (Arm (LitPat True) => (Block { (Literal 2) })) })))",
    ),
    (
        r#"#[version = "0.0.5"]
extern type T
extern type S[A];
def @main() { () }"#,
        r#"(File (Version # [ version = "0.0.5" ]) (ExternType extern type T) (ExternType extern type S (TypeParams [ (TypeParam A) ]) ;) (Def def @main (ParamList ( )) (Block { (Tuple ( )) })))"#,
    ),
    (
        "f(\n  type=\"a\",\n  data=1)",
        "(File (ExprItem (Call (NameRef f) (ArgList ( (Attr type = (Literal \"a\")) , (Attr data = (Literal 1)) )))))",
    ),
    (
        "relation Flatten(Tensor[sh, bt], O) :- O = Tensor[(sh[0], prod(sh[1:])), bt].\nrelation Identity(I, I) :- true.\nrelation Unit(())  .",
        "(File (RelationItem relation (RelationHead Flatten ( (TensorType Tensor [ (NameType sh) , (NameType bt) ]) , (NameType O) )) : - (Equation (NameType O) = (TensorType Tensor [ (ShapeLit ( (Index (DimName sh) [ (Bound 0) ]) , (DimCall prod ( (Slice (DimName sh) [ (Bound 1) : (Bound) ]) )) )) , (NameType bt) ])) .) (RelationItem relation (RelationHead Identity ( (NameType I) , (NameType I) )) : - (GoalTrue true) .) (RelationItem relation (RelationHead Unit ( (TupleType ( )) )) .))",
    ),
    (
        "relation Size(N: Dim, (..sh, 2), M) :-\n  if (N < 2) { M = N + 1, True } else if (rank(sh) == 3) { Size(1, sh, M) } else { M = max(prod((N, ..sh[1:-1][0])), 0) },\n  if (M != 4) { },\n  S(N, k=[1, 2]),\n  N = M + 1.\n1.5",
        "(File (RelationItem relation (RelationHead Size ( (TypeParam N : Dim) , (TupleType ( (Splice . . (DimName sh)) , (DimNum 2) )) , (NameType M) )) : - (GoalIf if ( (Condition (NameType N) < (DimNum 2)) ) (GoalBlock { (Equation (NameType M) = (DimBinary (DimName N) + (DimNum 1))) , (GoalTrue True) }) else (GoalIf if ( (Condition (DimCall rank ( (DimName sh) )) == (DimNum 3)) ) (GoalBlock { (WhereRelation Size ( (DimNum 1) , (NameType sh) , (NameType M) )) }) else (GoalBlock { (Equation (NameType M) = (DimCall max ( (DimCall prod ( (ShapeLit ( (DimName N) , (Splice . . (Index (Slice (DimName sh) [ (Bound 1) : (Bound - 1) ]) [ (Bound 0) ])) )) )) , (DimNum 0) ))) }))) , (GoalIf if ( (Condition (NameType M) != (DimNum 4)) ) (GoalBlock { })) , (WhereRelation S ( (NameType N) , (Attr k = (ListLit [ (Literal 1) , (Literal 2) ])) )) , (Equation (NameType N) = (DimBinary (DimName M) + (DimNum 1))) .) (ExprItem (Literal 1.5)))",
    ),
    (
        "def @f(%x: Tensor[(..S[1:], N)[0:2], t], %y: Tensor[S[:-1], t], %n: Numbers[3], %m: Numbers[]) -> (A, ..S) where M = N * 2, Broadcast(A, B, C), max(N, 2) = M, T { %x }",
        "(File (Def def @f (ParamList ( (Param %x : (TensorType Tensor [ (Slice (ShapeLit ( (Splice . . (Slice (DimName S) [ (Bound 1) : (Bound) ])) , (DimName N) )) [ (Bound 0) : (Bound 2) ]) , (NameType t) ])) , (Param %y : (TensorType Tensor [ (Slice (DimName S) [ (Bound) : (Bound - 1) ]) , (NameType t) ])) , (Param %n : (Index (DimName Numbers) [ (Bound 3) ])) , (Param %m : (TypeCall Numbers [ ])) )) -> (TupleType ( (NameType A) , (Splice . . (DimName S)) )) (WhereClause where (Equation (NameType M) = (DimBinary (DimName N) * (DimNum 2))) , (WhereRelation Broadcast ( (NameType A) , (NameType B) , (NameType C) )) , (Equation (DimCall max ( (DimName N) , (DimNum 2) )) = (NameType M)) , (WhereRelation T)) (Block { (LocalRef %x) })))",
    ),
    (
        "def @f(%x: Tensor[if (N >= 1) { (N, 2) } else if (N <= M) { S } else { S[1:] }, t], %g: fn(fn(A) -> B where R(A), List[C]) -> D where R(A), M = N, y: int32) { @f<(..sh[1:], 3), sh[0] + 1>(y) }",
        "(File (Def def @f (ParamList ( (Param %x : (TensorType Tensor [ (DimIf if ( (Condition (NameType N) >= (DimNum 1)) ) { (TupleType ( (NameType N) , (DimNum 2) )) } else (DimIf if ( (Condition (NameType N) <= (NameType M)) ) { (NameType S) } else { (Slice (DimName S) [ (Bound 1) : (Bound) ]) })) , (NameType t) ])) , (Param %g : (FnType fn ( (FnType fn ( (NameType A) ) -> (NameType B) (WhereClause where (WhereRelation R ( (NameType A) )))) , (TypeCall List [ (NameType C) ]) ) -> (NameType D) (WhereClause where (WhereRelation R ( (NameType A) )) , (Equation (NameType M) = (NameType N))))) , (Param y : (NameType int32)) )) (Block { (Call (GlobalRef @f) (TypeArgs < (TupleType ( (Splice . . (Slice (DimName sh) [ (Bound 1) : (Bound) ])) , (DimNum 3) )) , (DimBinary (Index (DimName sh) [ (Bound 0) ]) + (DimNum 1)) >) (ArgList ( (NameRef y) ))) })))",
    ),
    (
        "let relation = where;\nrelation",
        "(File (LetItem let relation = (NameRef where) ;) (ExprItem (NameRef relation)))",
    ),
    ("# only a comment", "(File)"),
];

#[test]
fn trees() {
    for (text, tree) in TREES {
        assert_eq!(help::tree(&parse(text, Surface::Relay)), *tree, "{text}");
        assert_eq!(help::errors(text), [""; 0], "{text}");
    }
}

#[test]
fn the_manual_has_no_mistakes() {
    let text = include_str!("manual.relay");
    assert_eq!(help::errors(text), [""; 0]);
    let parse = parse(text, Surface::Relay);
    let kinds = parse.tree.children(parse.tree.root()).into_iter().map(|item| parse.tree.kind(item));
    let n_items = |wanted| kinds.clone().filter(|&kind| kind == wanted).count();
    assert_eq!([NodeKind::TypeDef, NodeKind::Def, NodeKind::LetItem].map(n_items), [4, 27, 2]);
    assert_eq!(n_items(NodeKind::ExprItem), 12);
}

#[test]
fn tokens_and_children_of_a_node() {
    let parse = parse("  def @f(%x : T) -> T { %x /* same */ + 1 } ", Surface::Relay);
    let tree = &parse.tree;
    let def = tree.child(tree.root(), NodeKind::Def).unwrap();
    assert_eq!(tree.node_text(def), "def @f(%x : T) -> T { %x /* same */ + 1 }");
    let own: Vec<_> = tree.own_tokens(def).map(|token| tree.token_text(token)).collect();
    assert_eq!(own, ["def", "@f", "->"]);
    let kinds: Vec<_> = tree.children(def).into_iter().map(|child| tree.kind(child)).collect();
    assert_eq!(kinds, [NodeKind::ParamList, NodeKind::NameType, NodeKind::Block]);
    let block = tree.children_rev(def).next().unwrap();
    let sum = tree.children_rev(block).next().unwrap();
    let plus = tree.first_token(sum, TokenKind::Plus).unwrap();
    assert_eq!((tree.token_text(plus), tree.token_kind(plus)), ("+", TokenKind::Plus));
    assert_eq!(tree.token_at(tree.token_span(plus).start), Some(plus));
    assert_eq!(tree.first_token(sum, TokenKind::Local), None);
    assert_eq!(tree.tokens(sum).count(), 7);
}
