//! What is said of names that have no type.

use base::Surface;
use session::{Analysis, hover};

/// The code at the first place of a word.
fn code_at(text: &str, surface: Surface, word: &str) -> Option<String> {
    let at = text.find(word).expect("the text has the word");
    hover(&Analysis::in_surface(text, surface), at as u32).map(|hover| hover.code)
}

#[test]
fn relations() {
    let text = "def @f(%x: A) -> B where Near(A, B), Broadcast(A, A, A) { %x } // Nearer
relation Near((n, ..rest), m) :- m = n.
relation Near(n, n).
";
    let clauses = "relation Near((n, ..rest), m) :- m = n.\nrelation Near(n, n).";
    assert_eq!(code_at(text, Surface::Relay, "Near(A").as_deref(), Some(clauses));
    assert_eq!(code_at(text, Surface::Relay, "Near(n").as_deref(), Some(clauses));
    assert_eq!(code_at(text, Surface::Relay, "Broadcast").as_deref(), Some("relation Broadcast(_, _, _)"));
    assert_eq!(code_at(text, Surface::Relay, "Nearer"), None);
    assert_eq!(code_at(text, Surface::Relay, "where"), None);
}

#[test]
fn layers_and_nodes() {
    let text = "use lin::Linear;
node Net<[?, 2] -> [?, 3]> {}
weights Net<[?, 2] -> [?, 3]> { fc = Linear::new(in=2, out=3).init_normal(std=1.); }
graph Net<[?, 2] -> [?, 3]> { def forward(x) { x |> fc } }
";
    let linear = "lin::Linear(in, out, bias=true)";
    assert_eq!(code_at(text, Surface::TensorScript, "Linear;").as_deref(), Some(linear));
    assert_eq!(code_at(text, Surface::TensorScript, "Linear::").as_deref(), Some(linear));
    assert_eq!(code_at(text, Surface::TensorScript, "init_normal").as_deref(), Some("init_normal(mean=0.0, std=1.0)"));
    for header in ["Net<[?, 2] -> [?, 3]> {}", "Net<[?, 2] -> [?, 3]> { fc", "Net<[?, 2] -> [?, 3]> { def"] {
        let code = code_at(text, Surface::TensorScript, header);
        assert_eq!(code.as_deref(), Some("node Net<[?, 2] -> [?, 3]>"));
    }
}
