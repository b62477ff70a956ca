//! Networks as Relay's own front end writes them.
//!
//! Each is typed as recorded, and typed the same once every annotation is erased but the first parameter's: what the
//! data's shape and the attributes say determines the shapes of all weights.

use serde_json::Value as Json;
use session::{Analysis, Mends};
use tests::facts::{errors, text};
use tests::{files, root};

/// The text without the annotations of `@main`, but the first parameter's. Its parameters look like
/// `%name: Tensor[(…), float32]`, its result like `-> T {`.
fn erased(source: &str) -> String {
    let begin = source.find("def @main(").expect("a model has a @main") + "def @main(".len();
    let brace = begin + source[begin..].find(" {\n").expect("@main has a body");
    let signature = &source[begin..brace];
    let (params, result) = signature.rsplit_once(") -> ").expect("@main has a result type");
    assert!(!result.contains('%'), "no parameter stands in the result: {result}");
    let mut pieces = params.split(", %");
    let first = pieces.next().expect("a model has data");
    let names = pieces.map(|param| param.split_once(": Tensor[(").expect("a parameter is a tensor").0);
    let params: Vec<String> = std::iter::once(first.to_owned()).chain(names.map(|name| format!("%{name}"))).collect();
    format!("{}{}){}", &source[..begin], params.join(", "), &source[brace..])
}

#[test]
fn erasing_annotations() {
    let source = "def @main(%x: Tensor[(1, 2), float32], %w: Tensor[(3, 2), float32], %b: Tensor[(3), float32]) -> Tensor[(1, 3), float32] {\n  %x\n}\n";
    assert_eq!(erased(source), "def @main(%x: Tensor[(1, 2), float32], %w, %b) {\n  %x\n}\n");
}

/// The type of `@main`, or what is wrong.
fn main_type(program: &str) -> Result<String, String> {
    let analysis = Analysis::new(program);
    let errors = errors(&analysis);
    if !errors.is_empty() {
        return Err(errors.into_iter().take(3).collect::<Vec<_>>().join(" ; "));
    }
    let main = analysis.definitions().into_iter().find(|definition| definition.name == "@main");
    main.map(|main| main.r#type).ok_or_else(|| "there is no @main".to_owned())
}

#[test]
fn models() {
    let paths = files(&root().join("tests/conformance/models"), "relay");
    assert!(paths.len() >= 4, "tests/conformance/models lacks some");
    let mut failures = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).expect("a model is text");
        let fact = std::fs::read_to_string(path.with_extension("json")).expect("a model has its answer");
        let fact: Json = serde_json::from_str(&fact).expect("an answer is JSON");
        let annotated = main_type(&source);
        let is_typed = annotated.as_ref().is_ok_and(|found| found.ends_with(&format!(" -> {}", text(&fact, "result"))));
        let inferred = main_type(&erased(&source));
        let is_inferred = is_typed && inferred == annotated;
        let yes_no = |yes| if yes { "yes" } else { "NO" };
        println!("{name}: typed as recorded: {}; weights inferred: {}", yes_no(is_typed), yes_no(is_inferred));
        if !is_typed {
            failures.push(format!("{name}: Relay says {}, we say {annotated:?}", fact["result"]));
        } else if !is_inferred {
            failures.push(format!("{name}, erased: {inferred:?}\n    instead of {annotated:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn one_size_of_a_weight_is_mended() {
    for (model, right, wrong) in [
        ("resnet-18", "(512, 256, 3, 3)", "(512, 255, 3, 3)"),
        ("resnet-18", "(128, 64, 3, 3)", "(128, 63, 3, 3)"),
        ("resnet-18", "%bn1_gamma: Tensor[(512)", "%bn1_gamma: Tensor[(256)"),
        ("resnet-18", "(1000, 512)", "(1000, 500)"),
        ("mobilenet", "(128, 64, 1, 1)", "(128, 63, 1, 1)"),
    ] {
        let path = root().join(format!("tests/conformance/models/{model}.relay"));
        let source = std::fs::read_to_string(&path).expect("a model is text");
        let at = source.find(right).expect("the model has such a weight");
        let slip = format!("{}{wrong}{}", &source[..at], &source[at + right.len()..]);
        let analysis = Analysis::new(&slip);
        let first = Mends::new(&analysis).ranked(&analysis).into_iter().flat_map(|problem| problem.fixes).next();
        let mended = first.map(|fix| base::apply(&slip, &fix.edits));
        assert!(mended.is_some_and(|mended| mended == source), "{model}, {wrong} for {right}");
    }
}
