//! Which name stands where, what it means, and where else it stands.

use session::{Analysis, File, PRELUDE_TEXT, name, prelude};

/// What the name at the `|` of a text means: the line, from 1, on which it is bound (`p` before those of the prelude),
/// the name as it stands there, and how often the text mentions it.
fn meaning(marked: &str) -> Option<(String, String, usize)> {
    let offset = marked.find('|').expect("a mark");
    let text = marked.replacen('|', "", 1);
    describe(&Analysis::new(&text), &text, File::User, offset)
}

fn describe(analysis: &Analysis, text: &str, file: File, offset: usize) -> Option<(String, String, usize)> {
    let found = name(analysis, file, offset as u32)?;
    let (bound_in, mark) = match found.file {
        File::User => (text, ""),
        File::Prelude => (PRELUDE_TEXT, "p"),
    };
    let line = bound_in[..found.binding.start as usize].matches('\n').count() + 1;
    let line = if mark.is_empty() { line.to_string() } else { mark.to_owned() };
    Some((line, bound_in[found.binding.range()].to_owned(), found.mentions.len()))
}

fn expect(marked: &str, line: &str, bound: &str, n_mentions: usize) {
    assert_eq!(meaning(marked), Some((line.to_owned(), bound.to_owned(), n_mentions)), "{marked}");
}

#[test]
fn variables() {
    expect("def @f(%x: int32) {\n  let %y = %x|;\n  %y + %x\n}", "1", "%x", 3);
    expect("def @f(%x: int32) {\n  let %y = %x;\n  %|y + %x\n}", "2", "%y", 2);
    expect("let %x = 1;\nlet %x = |%x + 1;", "1", "%x", 2);
    expect("%0 = 1;\n|%0 + 2", "1", "%0", 2);
    expect("free_var %w: int32;\n|%w", "1", "%w", 2);
    expect("match (Cons(1, Nil)) { Cons(%a, _) => %|a, Nil => 0 }", "1", "%a", 2);
}

#[test]
fn definitions_and_types() {
    expect("def @id2[A](%x: A) -> A { %x }\n@|id2(1)", "1", "@id2", 2);
    expect("def @id2[A](%x: A) -> |A { %x }", "1", "A", 3);
    expect(
        "type Box[A] { Full(A), Empty }\ndef @f(%b: |Box[int32]) { match (%b) { Full(%x) => %x, Empty => 0 } }",
        "1",
        "Box",
        2,
    );
    expect(
        "type Box[A] { Full(A), Empty }\ndef @f(%b: Box[int32]) { match (%b) { |Full(%x) => %x, Empty => 0 } }",
        "1",
        "Full",
        2,
    );
    expect("type Box[A] { Full(A), Empty }\n|Empty", "1", "Empty", 2);
}

#[test]
fn names_of_tensorscript() {
    const NODES: &str = "use lin::Linear;
dim N = 3;
node Half<[?, c] -> [?, N]> {}
weights Half<[?, c] -> [?, N]> { fc = Linear::new(in=4, out=N); }
graph Half<[?, c] -> [?, N]> { def forward(x) { x |> fc } }
node Whole<[?, 4] -> [?, N]> {}
weights Whole<[?, 4] -> [?, N]> { half = Half::new(); }
graph Whole<[?, 4] -> [?, N]> {
  def new() { half.init(); self }
  def twice(x) { h = x |> half; h = h + h; h }
  def forward(x) { half = x |> half; half + twice(x) + self.twice(x) }
}
";
    let text = format!("#lang tensorscript\n{NODES}");
    let analysis = Analysis::new(&text);
    let expect = |before: &str, after: &str, line: &str, bound: &str, n_mentions: usize| {
        let offset = text.find(&format!("{before}{after}")).expect("a place") + before.len();
        let want = Some((line.to_owned(), bound.to_owned(), n_mentions));
        assert_eq!(describe(&analysis, &text, File::User, offset), want, "{before}{after}");
    };
    expect("= ", "Linear", "2", "Linear", 2);
    expect("out=", "N)", "3", "N", 8);
    expect("= ", "Half", "4", "Half", 4);
    expect("node Half<[?, ", "c", "4", "c", 3);
    expect("x |> ", "fc", "5", "fc", 2);
    // What a value is piped into is the weight, also where a variable has its name.
    expect("h = x |> ", "half", "8", "half", 4);
    expect("; ", "half +", "12", "half", 2);
    expect("+ ", "twice", "11", "twice", 3);
    // Each assignment makes a variable.
    expect("; ", "h = h", "11", "h", 2);
    expect("h = ", "h + h", "11", "h", 3);
}

#[test]
fn what_the_prelude_binds() {
    expect("@|map(@id, Cons(1, Nil))", "p", "@map", 1);
    expect("@map(@id, |Cons(1, Nil))", "p", "Cons", 1);
    expect("def @f(%l: |List[int32], %m: List[bool]) { 1 }", "p", "List", 2);
    // A definition of the same name takes its place.
    expect("def @map(%x) { %x }\n@|map(1)", "1", "@map", 2);
}

#[test]
fn the_prelude_itself_can_be_asked() {
    for (before, after, bound) in
        [("{ @foldr(Co", "ns, %m", "Cons"), ("def @conc", "at[A]", "@concat"), ("%l: Li", "st[A]) -> A", "List")]
    {
        let offset = PRELUDE_TEXT.find(&format!("{before}{after}")).expect("a place in the prelude") + before.len();
        let (line, name, n_mentions) = describe(prelude(), PRELUDE_TEXT, File::Prelude, offset).expect("a name");
        assert_eq!((line.as_str(), name.as_str()), ("p", bound));
        assert!(n_mentions >= 1);
    }
    let offset = PRELUDE_TEXT.find("%f(%x), @map(%f, %rest)").expect("a place in the prelude");
    let hover = session::hover(prelude(), offset as u32).expect("a hover");
    assert_eq!(hover.r#type, "fn(A) -> B");
}

#[test]
fn documentation_stands_above() {
    let text = "/// One more.\n/// Or two.\ndef @more(%x: int32) { %x + 1 }\n@more(1)";
    let hover = session::hover(&Analysis::new(text), text.rfind("@more").expect("there") as u32).expect("a hover");
    assert_eq!(hover.doc, "One more.\nOr two.");
}

#[test]
fn places_without_a_name() {
    for marked in ["1 |+ 2", "// |x", "", "_|", "nn.re|lu(1f)", "@no|where(1)"] {
        let marked = if marked.is_empty() { "|" } else { marked };
        assert_eq!(meaning(marked), None, "{marked}");
    }
}
