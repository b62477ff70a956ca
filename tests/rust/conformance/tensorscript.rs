//! The answers of the original TensorScript (`tensorscript.jsonl`): shapes that its layers give, each refused when the
//! last dim is another one, and what it took or fell over without a word.

use base::Surface;
use serde_json::Value as Json;
use session::Analysis;
use std::fmt::Write;
use tests::facts::{corpus, errors, text};

/// A dim or an argument as TensorScript writes it.
fn written(value: &Json) -> String {
    match value {
        Json::Array(items) => format!("({})", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        Json::String(name) => name.clone(),
        other => other.to_string(),
    }
}

fn shape(dims: &Json) -> String {
    let dims: Vec<String> = dims.as_array().into_iter().flatten().map(written).collect();
    format!("[{}]", dims.join(", "))
}

/// A node of one layer, from and to these shapes.
fn program(fact: &Json, from: &str, to: &str) -> String {
    let op = text(fact, "op");
    let attrs = fact["attrs"].as_object().into_iter().flatten();
    let args: Vec<String> = attrs.map(|(name, value)| format!("{name}={}", written(value))).collect();
    let args = args.join(", ");
    let layer = hir::layers::Layer::of_name(op);
    let mut program = String::new();
    if let Some(layer) = layer {
        let _ = writeln!(program, "use {}::{op};", layer.module);
    }
    let _ = writeln!(program, "node Net<{from} -> {to}> {{}}");
    let stage = match layer {
        Some(layer) if layer.is_weight() => {
            let _ = writeln!(program, "weights Net<{from} -> {to}> {{ layer = {op}::new({args}); }}");
            "self.layer()".to_owned()
        }
        Some(_) => format!("{op}({args})"),
        None => {
            let dims = fact["attrs"]["dims"].as_array().into_iter().flatten();
            format!("view({})", dims.map(written).collect::<Vec<_>>().join(", "))
        }
    };
    let _ = writeln!(program, "graph Net<{from} -> {to}> {{ def forward(x) {{ x |> {stage} }} }}");
    program
}

fn problems(program: &str) -> Vec<String> {
    errors(&Analysis::in_surface(program, Surface::TensorScript))
}

/// The shape with its last dim one larger.
fn off_by_one(dims: &Json) -> Json {
    let mut dims = dims.clone();
    let last = dims.as_array_mut().and_then(|dims| dims.last_mut());
    if let Some((last, size)) = last.and_then(|last| last.as_i64().map(|size| (last, size))) {
        *last = Json::from(size + 1);
    }
    dims
}

#[test]
fn layers_give_the_shapes_that_the_original_gives() {
    let mut wrong: Vec<String> = Vec::new();
    let (mut n_valid, mut n_invalid) = (0, 0);
    for fact in corpus("tensorscript") {
        let from = shape(&fact["in"]);
        let is_refused = !fact["error"].is_null();
        // Where there is no result, any of the operand's rank would do.
        let out = if fact["out"].is_null() { &fact["in"] } else { &fact["out"] };
        let found = problems(&program(&fact, &from, &shape(out)));
        match is_refused {
            true => {
                n_invalid += 1;
                if found.is_empty() {
                    wrong.push(format!("accepted: {fact}"));
                }
            }
            false => {
                n_valid += 1;
                if !found.is_empty() {
                    wrong.push(format!("{found:?}: {fact}"));
                }
                let other = program(&fact, &from, &shape(&off_by_one(out)));
                if problems(&other).is_empty() {
                    wrong.push(format!("accepted with another last dim: {fact}"));
                }
            }
        }
    }
    assert!(n_valid >= 35 && n_invalid >= 10, "{n_valid} valid and {n_invalid} invalid facts");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
