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

#[test]
fn sizes_weights_and_arguments() {
    let text = "use lin::Linear;
use conv::maxpool2d;
dim N = 2 * 2;
tsr ROW = [1, N];
node Net<[?, ROW] -> [?, 3]> {}
weights Net<[?, ROW] -> [?, 3]> { fc = Linear::<[?, 1, N] -> [?, 1, 3]>::new(in=N, out=3); }
graph Net<[?, ROW] -> [?, 3]> {
  def new() { fc.init_normal(std=1.); self }
  def forward(x) { x |> fc |> view(_, 3) }
}
node Outer<[?, ROW] -> [?, 3]> {}
weights Outer<[?, ROW] -> [?, 3]> { inner = Net::new(); }
graph Outer<[?, ROW] -> [?, 3]> { def forward(y) { y |> inner } }
";
    let code = |word: &str| code_at(text, Surface::TensorScript, word);
    for (word, expected) in [
        ("N = 2", "dim N = 2 * 2"),
        ("N];\nnode", "dim N = 2 * 2"),
        ("N] -> [?, 1, 3]", "dim N = 2 * 2"),
        ("N, out", "dim N = 2 * 2"),
        ("ROW = [", "tsr ROW = [1, N]"),
        ("ROW] -> [?, 3]> {}\nweights Net", "tsr ROW = [1, N]"),
        ("ROW] -> [?, 3]> {\n  def", "tsr ROW = [1, N]"),
        ("?, ROW] -> [?, 3]> { fc", "?"),
        ("fc =", "fc: Linear(in=4, out=3)\nfc.weight: [3, 4]\nfc.bias: [3]"),
        ("fc.init", "fc: Linear(in=4, out=3)\nfc.weight: [3, 4]\nfc.bias: [3]"),
        ("inner = ", "inner: Net\nnode Net<[?, ROW] -> [?, 3]>"),
        // What is applied is shown with what it takes and gives.
        ("fc |>", "fc: Linear(in=4, out=3)\n[?, 1, 4] -> [?, 1, 3]"),
        ("view", "view(_, 3)\n[?, 1, 3] -> [?, 3]"),
        ("inner }", "inner: Net\n[?, 1, 4] -> [?, 3]"),
        // Where the weight says what it takes, it is not what it takes.
        ("x |>", "x: [?, 1, 4]"),
        ("in=", "lin::Linear(in, out, bias=true)"),
        ("new(in", "lin::Linear(in, out, bias=true)"),
        ("std", "init_normal(mean=0.0, std=1.0)"),
    ] {
        assert_eq!(code(word).as_deref(), Some(expected), "{word}");
    }
    for word in ["dim", "node", "def", "self"] {
        assert_eq!(code(word), None, "{word}");
    }
}
