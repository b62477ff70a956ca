//! What the edits make of a text that diagnostics offer.

use base::{Severity, Surface};
use session::Analysis;

/// The text after the first edit of every error, and the codes of the errors that are left.
fn mended(text: &str, surface: Surface) -> (String, Vec<&'static str>) {
    let analysis = Analysis::in_surface(text, surface);
    let fixes = analysis.diagnostics().iter().filter_map(|said| said.fixes.first());
    let edits: Vec<_> = fixes.flat_map(|fix| fix.edits.clone()).collect();
    let text = base::apply(text, &edits);
    let analysis = Analysis::in_surface(&text, surface);
    let left = analysis.diagnostics().iter().filter(|said| said.severity == Severity::Error);
    let left = left.map(|said| said.code).collect();
    (text, left)
}

#[test]
fn a_misspelt_variant_of_a_closed_sum() {
    let light = "def @f(%x: [`Red, `Green, `Blink(int32)]) -> int32 ";
    for (misspelt, expected) in [
        ("{ match (%x) { `Red => 1, `Gren => 2, _ => 3 } }", "{ match (%x) { `Red => 1, `Green => 2, _ => 3 } }"),
        ("{ match (%x) { `Bilnk(%n) => %n, _ => 3 } }", "{ match (%x) { `Blink(%n) => %n, _ => 3 } }"),
        ("{ 1 }\n@f(`Rad)", "{ 1 }\n@f(`Red)"),
        ("{ 1 }\n@f(`Blonk(1 + 2))", "{ 1 }\n@f(`Blink(1 + 2))"),
    ] {
        let (text, left) = mended(&format!("{light}{misspelt}"), Surface::Relay);
        assert_eq!((text, left), (format!("{light}{expected}"), vec![]));
    }
    let far = format!("{light}{{ 1 }}\n@f(`Mauve)");
    assert_eq!(mended(&far, Surface::Relay), (far.clone(), vec!["not-in-sum"]));
    // Where the name does not stand at once behind its backtick nothing is offered.
    let apart = format!("{light}{{ 1 }}\n@f(` Rad)");
    assert_eq!(mended(&apart, Surface::Relay), (apart.clone(), vec!["not-in-sum"]));
}

#[test]
fn a_misspelt_variant_in_the_row_of_a_type() {
    let event = "type Event[r: Row] { Now([`Tick | r]) }\ndef @f(%x: Event[[`Stop]]) -> int32 { 1 }\n";
    let (text, left) = mended(&format!("{event}@f(Now(`Stpo))"), Surface::Relay);
    assert_eq!((text, left), (format!("{event}@f(Now(`Stop))"), vec![]));
}

#[test]
fn a_misspelt_variant_of_refine() {
    let (text, left) = mended("let x : [Alpha, Box [C]] = Bax C in x", Surface::Refine);
    assert_eq!((text.as_str(), left), ("let x : [Alpha, Box [C]] = Box C in x", vec![]));
    let (text, left) = mended("let x : [Alpha, Beta [D [C]]] = Beat (D C) in x", Surface::Refine);
    assert_eq!((text.as_str(), left), ("let x : [Alpha, Beta [D [C]]] = Beta (D C) in x", vec![]));
}

#[test]
fn a_relation_is_added_to_a_clause_where_it_can_be_written() {
    let (text, left) = mended("def @f(%x: A, %y: B) -> C where Identity(A, C) { %x - %y }", Surface::Relay);
    let clause = "Identity(A, C), Broadcast(C, B, C)";
    assert_eq!((text, left), (format!("def @f(%x: A, %y: B) -> C where {clause} {{ %x - %y }}"), vec![]));
    // What the operator needs is said of sizes that only inference has names for.
    let conv = "relation Conv(Tensor[(n, c, h, w), t], Tensor[(o, c, k, l), t], O)
  :- O = Tensor[(n, o, h - k + 1, w - l + 1), t].
def @f(%x: A, %y: B) -> C where Conv(A, B, C) { nn.conv2d(%x, %y) }";
    let (text, left) = mended(conv, Surface::Relay);
    assert_eq!(text, conv);
    assert!(left.iter().all(|&code| code == "relation-not-assumed") && !left.is_empty(), "{left:?}");
}

/// What an edit says is whole words, and code with a backtick stands between two.
#[test]
fn what_edits_are_called() {
    let titles = |text: &str| -> Vec<String> {
        let analysis = Analysis::new(text);
        let told = session::Mends::new(&analysis).ranked(&analysis);
        told.into_iter().flat_map(|said| said.fixes).map(|fix| fix.title).collect()
    };
    let conv = "def @f[N: Dim, H: Dim, W: Dim](%x: Tensor[(N, 3, H, W), float32], %w: Tensor[(8, 3, 3, 3), float32])
  -> Tensor[(N, 8, H, W), float32] { nn.conv2d(%x, %w, channels=8, kernel_size=[3, 3]) }";
    assert!(titles(conv).contains(&"write `H - 2, W - 2` for `H, W`".to_owned()), "{:?}", titles(conv));
    let sum = "def @h(%x: [`A, `B]) -> [`A] { if (True) { `A } else { %x } }";
    assert_eq!(titles(sum), ["insert `` `B ``", "remove `` `B ``"]);
}
