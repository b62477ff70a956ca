//! What holds for every text.

mod help;

use base::Surface;
use help::{NETS, refine, refine_programs, tensorscript};
use proptest::prelude::*;
use syntax::{Event, Expected, NodeKind, Parse, SyntaxError, TokenId, TokenKind, parse};

/// Everything that the crate promises of a tree.
fn check(text: &str) -> Parse {
    let parse = parse(text, Surface::Relay);
    let tree = &parse.tree;
    assert_eq!(tree.to_text(), text);
    let (mut end, mut n_openers, mut n_closers) = (0, 0, 0);
    for token in (0..tree.n_tokens() as u32).map(TokenId::numbered) {
        let span = tree.token_span(token);
        assert_eq!(span.start, end);
        if span.is_empty() {
            match tree.token_kind(token) {
                TokenKind::LBrace | TokenKind::LParen | TokenKind::LBracket => n_openers += 1,
                TokenKind::RBrace | TokenKind::RParen => n_closers += 1,
                kind => panic!("{kind:?} without text in {text:?}"),
            }
        }
        end = span.end;
    }
    // Only a bracket that is missing has no text, and it is told of.
    let is_opener = |error: &&SyntaxError| matches!(error, SyntaxError::Expected { expected: Expected::Opener(_), .. });
    assert_eq!(parse.errors.iter().filter(is_opener).count(), n_openers);
    let is_closer = |error: &&SyntaxError| matches!(error, SyntaxError::Unclosed { .. });
    assert!(parse.errors.iter().filter(is_closer).count() >= n_closers);
    assert_eq!(end as usize, text.len());
    assert_eq!(tree.kind(tree.root()), NodeKind::File);
    assert_eq!(tree.size(tree.root()) as usize, tree.n_nodes());
    let mut open = Vec::new();
    for event in tree.walk(tree.root()) {
        match event {
            Event::Enter(node) => {
                let tokens: Vec<_> = tree.tokens(node).collect();
                if node != tree.root()
                    && let [first, .., last] | [first @ last] = tokens[..]
                {
                    assert!(!tree.token_kind(first).is_trivia() && !tree.token_kind(last).is_trivia());
                }
                let mut at = tree.span(node).start;
                let mut n_own = tokens.iter().filter(|&&token| !tree.token_kind(token).is_trivia()).count();
                for child in tree.children(node) {
                    let span = tree.span(child);
                    assert!(at <= span.start && span.end <= tree.span(node).end, "{text:?}");
                    at = span.end;
                    n_own -= tree.tokens(child).filter(|&token| !tree.token_kind(token).is_trivia()).count();
                }
                assert_eq!(tree.own_tokens(node).count(), n_own);
                assert_shape(&parse, node, text);
                open.push(node);
            }
            Event::Leave(node) => assert_eq!(open.pop(), Some(node)),
        }
    }
    for error in &parse.errors {
        let said = error.diagnostic();
        for span in [said.span].into_iter().chain(said.labels.iter().map(|label| label.span)) {
            assert!(text.get(span.range()).is_some());
        }
        for edit in said.fixes.iter().flat_map(|fix| &fix.edits) {
            assert!(text.get(edit.span.range()).is_some());
        }
        assert!(!said.message.is_empty() && !said.message.contains('\n'));
    }
    assert!(parse.errors.is_sorted_by_key(|error| error.span().start));
    let has_error = (0..tree.n_nodes() as u32).any(|node| tree.kind(syntax::NodeId::numbered(node)) == NodeKind::Error);
    assert!(!has_error || !parse.errors.is_empty(), "a silent Error in {text:?}");
    help::formatted(text);
    parse
}

/// Children that lowering may take for granted.
fn assert_shape(parse: &Parse, node: syntax::NodeId, text: &str) {
    let tree = &parse.tree;
    let n = tree.children_rev(node).count();
    let fits = match tree.kind(node) {
        NodeKind::Binary | NodeKind::RefWrite | NodeKind::Pipe | NodeKind::DimBinary | NodeKind::Arm => n == 2,
        NodeKind::If => n == 3,
        NodeKind::Unary | NodeKind::RefRead | NodeKind::Project | NodeKind::Paren | NodeKind::Attr => n == 1,
        NodeKind::GraphItem | NodeKind::GraphStmt | NodeKind::ExprItem | NodeKind::ExprStmt | NodeKind::AsPat => n == 1,
        NodeKind::CtorResult | NodeKind::ParenType | NodeKind::Splice => n == 1,
        NodeKind::Equation | NodeKind::Condition | NodeKind::Index => n == 2,
        NodeKind::Slice | NodeKind::DimIf => n == 3,
        NodeKind::GoalIf => n == 2 || n == 3,
        NodeKind::Call => n == 2 || n == 3,
        NodeKind::LetItem | NodeKind::LetStmt => n == 1 || n == 2,
        NodeKind::Def | NodeKind::Fn => (2..=5).contains(&n),
        NodeKind::FnType | NodeKind::Block | NodeKind::Match | NodeKind::RefNew | NodeKind::RefReadCall => n >= 1,
        NodeKind::RefType | NodeKind::RelationItem => n >= 1,
        NodeKind::TensorType | NodeKind::RefWriteCall | NodeKind::OrPat | NodeKind::Seq => n >= 2,
        NodeKind::Param | NodeKind::VarPat | NodeKind::FreeVar => n <= 1,
        NodeKind::UseName => n == 0,
        NodeKind::DimItem => n <= 1,
        NodeKind::TsrItem | NodeKind::Assign => n == 1,
        NodeKind::Signature => n == 2,
        NodeKind::Weight | NodeKind::Field => n == 1 || n == 2,
        NodeKind::Method => (1..=3).contains(&n),
        _ => true,
    };
    assert!(fits, "{:?} with {n} children in {text:?}", tree.kind(node));
}

fn word() -> impl Strategy<Value = &'static str> {
    let words: Vec<&str> = "let fn def if else type data match match? extern free_var ref ref_read ref_write case True \
        False where relation _ ( ) [ ] { } < > + * - / = ! ? : ; , . @ % | ` -> => <= >= == != |> := & # #[ %x %y %0 @f @g \
        a b Cons Nil nn.relu Tensor int32 1 2 0.5 1f 1q \" \"s\" // /* */ $ meta as A( f( f<a>( \u{e9} \u{20ac} List[ 0 .0 \
        #[version #[metadata] :- .. [1:] [-1] [: R( prod( true N: Dim"
        .split_whitespace()
        .collect();
    prop::sample::select(words)
}

/// What relations are made of.
fn goal_word() -> impl Strategy<Value = &'static str> {
    let words: Vec<&str> =
        "relation R( S(A) where fn( def @f( { } ( ) [ ] :- . , ; if else == < true True N M sh N: Dim \
        Shape .. [1:] [0] [:-1] [-1 : 1 2 = + - * / prod( max( Tensor[ ? _ -> k=1 \n"
            .split(' ')
            .filter(|word| !word.is_empty())
            .collect();
    prop::sample::select(words)
}

fn soup() -> impl Strategy<Value = String> {
    let gap = prop::sample::select(vec!["", " ", " ", "\n", "\n"]);
    prop::collection::vec((word(), gap), 0..60)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, gap)| [word, gap]).collect())
}

/// What refine is made of, with a little that it is not.
fn refine_word() -> impl Strategy<Value = &'static str> {
    let words: Vec<&str> =
        "let in match with as | -> = : , ( ) [ ] _ x y A B C' let#x =# x#: [A,B#[C] |#A#-> as#y A#( \
        match#x#with ( ) => ; 3 % # \u{e9} \"s\" { } @f /* _x in in | \n \n if then else if#x#then fun function rec type#t#= \
        x#-> (x)#=> match#x#{ A#(x,#y) + . ` (* *) // -- let#f#x#= let#A#x#="
            .split(' ')
            .filter(|word| !word.is_empty())
            .collect();
    prop::sample::select(words)
}

/// What TensorScript is made of, with a little that it is not.
fn tensorscript_word() -> impl Strategy<Value = &'static str> {
    let words: Vec<&str> =
        "use#a:: dim#N#= tsr#T#= node#M weights#M graph#M def#f( def#g { } { } ( ) [ ] < > -> < ; ; , , : :: = |> |> ? _ . \
        <A#->#[?,#1]> { a#=#L::new( a#=#L::<A#->#B>:: k= f( self.f( x y N dim tsr node weights graph use def 1 28 1. .5 1q if#x \
        if else let while for match enum type true + - * / % == < != in#= x#= ! & @f %x \" # /* \u{e9} $ \n \n \n"
            .split(' ')
            .filter(|word| !word.is_empty())
            .collect();
    prop::sample::select(words)
}

/// A text with some of it replaced, past its first line.
fn mutated(text: &str, edits: Vec<(prop::sample::Index, usize, &str)>) -> String {
    let mut text = text.to_owned();
    let start = text.find('\n').map_or(0, |end| end + 1);
    for (at, len, word) in edits {
        let from = start + at.index(text.len() - start + 1);
        let until = (from + len).min(text.len());
        if text.is_char_boundary(from) && text.is_char_boundary(until) {
            text.replace_range(from..until, &word.replace('#', " "));
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_ascii(text in "[ -~\n]{0,80}") {
        check(&text);
    }

    #[test]
    fn token_soup(text in soup()) {
        check(&text);
    }

    #[test]
    fn any_text_as_refine(text in any::<String>(), ascii in "[ -~\n]{0,80}") {
        check(&refine(&text));
        check(&refine(&ascii));
    }

    #[test]
    fn refine_soup(words in prop::collection::vec(refine_word(), 0..40)) {
        check(&refine(&words.join(" ").replace('#', " ")));
    }

    #[test]
    fn a_mutated_fact(at in any::<prop::sample::Index>(), edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..8, refine_word()), 1..4)) {
        let programs = refine_programs();
        let program: &String = at.get(&programs);
        check(&mutated(program, edits));
    }

    #[test]
    fn any_text_as_tensorscript(text in any::<String>(), ascii in "[ -~\n]{0,80}") {
        check(&tensorscript(&text));
        check(&tensorscript(&ascii));
    }

    #[test]
    fn tensorscript_soup(words in prop::collection::vec(tensorscript_word(), 0..50), gap in prop::sample::select(vec![" ", "", "\n"])) {
        let text = words.join(gap).replace('#', " ");
        check(&tensorscript(&text));
        check(&tensorscript(&format!("graph M<A -> B> {{\n  def f(x) {{ {text} }}\n}}")));
        check(&tensorscript(&format!("weights M<A -> B> {{\n  a = L::new({text});\n}}")));
    }

    #[test]
    fn a_mutated_net(at in 0_usize..3, edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, tensorscript_word()), 1..4)) {
        check(&mutated(NETS[at], edits));
    }

    #[test]
    fn a_shuffled_net(at in 0_usize..3, order in prop::collection::vec(any::<prop::sample::Index>(), 1..60)) {
        let lines: Vec<&str> = NETS[at].lines().skip(1).collect();
        let shuffled: Vec<&str> = order.iter().map(|line| *line.get(&lines)).collect();
        check(&tensorscript(&shuffled.join("\n")));
        let words: Vec<&str> = NETS[at].split_whitespace().skip(2).collect();
        let shuffled: Vec<&str> = order.iter().map(|word| *word.get(&words)).collect();
        check(&tensorscript(&shuffled.join(" ")));
    }

    /// A whole item below a mistake keeps its tree.
    #[test]
    fn a_mistake_stays_in_its_item(words in prop::collection::vec(tensorscript_word(), 0..50)) {
        let text = words.join(" ").replace('#', " ").replace('"', "").replace("/*", "");
        for before in ["", "graph M<A -> B> {\n  def f(x) { ", "weights M<A -> B> { a = L::new("] {
            let text = tensorscript(&format!("{before}{text}\nnode After<A -> [?, 1]> {{ dim N = 3; }}\n"));
            let parse = check(&text);
            let last = parse.tree.children_rev(parse.tree.root()).next().unwrap();
            assert_eq!(parse.tree.node_text(last), "node After<A -> [?, 1]> { dim N = 3; }");
        }
    }

    #[test]
    fn goal_soup(words in prop::collection::vec(goal_word(), 0..40)) {
        let text = words.join(" ");
        check(&text);
        check(&format!("relation R(A) :- {text}"));
        check(&format!("def @f(%x: Tensor[({text}), t]) where {text} {{ 1 }}"));
    }

    #[test]
    fn a_cut_or_doubled_program(from in 0_usize..3000, len in 0_usize..40, to in 0_usize..3000) {
        let text = include_str!("manual.relay");
        let at = |offset: usize| (0..=offset % text.len()).rev().find(|&at| text.is_char_boundary(at)).unwrap();
        let (from, until, to) = (at(from), at(from + len), at(to));
        let piece = if from <= until { &text[from..until] } else { "" };
        let mut cut = text.to_owned();
        cut.replace_range(from..from + piece.len(), "");
        check(&cut);
        let mut doubled = text.to_owned();
        doubled.insert_str(to, piece);
        check(&doubled);
    }

    /// A closed definition below a mistake keeps its tree.
    #[test]
    fn a_mistake_stays_in_its_definition(text in soup()) {
        // What swallows the rest of the text by its nature.
        let text = text.replace('"', "").replace('*', "+").replace("#[metadata]", "");
        let text = format!("def @f() {{ {text}\ndef @after(%x: int32) {{ %x }}\n");
        let parse = check(&text);
        let last = parse.tree.children_rev(parse.tree.root()).next().unwrap();
        assert_eq!(parse.tree.node_text(last), "def @after(%x: int32) { %x }");
    }
}

#[test]
fn every_prefix_of_the_nets() {
    for net in NETS {
        for (end, _) in net.char_indices() {
            let n_errors = check(&net[..end]).errors.len();
            assert!(n_errors <= 2, "{n_errors} in {}", &net[..end]);
        }
    }
}

#[test]
fn every_prefix_of_the_manual() {
    let text = include_str!("manual.relay");
    for (end, _) in text.char_indices().step_by(7) {
        check(&text[..end]);
    }
}

/// What is told of as one surplus goes on to a bracket that nobody opened.
#[test]
fn an_inserted_bracket_behind_a_surplus() {
    for text in ["fn( ) :- fn( N true = }", "where fn( ) :- fn( N true = } }"] {
        check(text);
        check(&format!("relation R(A) :- {text}"));
        check(&format!("def @f(%x: Tensor[({text}), t]) where {text} {{ 1 }}"));
    }
}

#[test]
fn a_bracket_that_nothing_closes_in_tensorscript() {
    for inside in ["[", "v = [;", "v[ = x;", "f([x)", "x + [", "x |> cat([x, x, dim=1)", "]", "[x] [", "[[x]"] {
        let text = format!("graph A<[1] -> [1]> {{ def f(x) {{ {inside} }} }}");
        assert!(!parse(&text, Surface::TensorScript).errors.is_empty(), "{text}");
    }
}

/// Constructors stand behind one another without commas, whatever letters they begin with.
#[test]
fn constructors_without_commas() {
    for text in ["type Color { red green blue }", "type T { A b }", "type T[a] { A a }"] {
        assert!(check(text).errors.is_empty(), "{text}");
    }
}

/// A function without its `}` is one error, also where lines that go on begin at the left.
#[test]
fn a_function_that_does_not_end() {
    for body in
        ["let %y =\n%x;\n  %y", "match (%x) {\n1 => 2,\n_ => 3\n}", "(%x,\n%x)", "%x\n  +\n(1)", "@g(%x,\n1);\n  2"]
    {
        let text = format!("def @f(%x: int32) {{\n  {body}\n");
        assert_eq!(check(&text).errors.len(), 1, "{text}");
        let followed = format!("{text}let %z = 3;\n@f(1)\n");
        assert!(check(&followed).errors.len() <= 2, "{followed}");
    }
}
