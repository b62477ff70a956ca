//! TensorScript programs as PyTorch and as Relay.

use base::{Severity, Surface};
use session::command::exported;
use session::{Analysis, Export, export};

const DIGITS: &str = "
use conv::{Conv2d, maxpool2d};
use lin::Linear;
use nonlin::{leaky_relu, log_softmax, relu};
use reg::Dropout2d;
node Digits<[?, 1, 28, 28] -> [?, 10]> {}
weights Digits<[?, 1, 28, 28] -> [?, 10]> {
  edges = Conv2d::new(in_ch=1, out_ch=10, kernel_size=(5, 3), stride=2, padding=(0, 1));
  drop = Dropout2d::new(p=0.25);
  classes = Linear::new(in=560, out=10);
}
graph Digits<[?, 1, 28, 28] -> [?, 10]> {
  def new() { classes.init_normal(std=0.1); self }
  def forward(x) {
    x |> edges |> maxpool2d(kernel_size=2, padding=1) |> leaky_relu(p=0.2) |> drop |> view(_, 700 - 140) |> self.head()
  }
  def head(inputs) {
    scores = inputs |> classes;
    scores + (scores |> relu) * 0.5 |> log_softmax(dim=1)
  }
}
";

const PYTORCH: &str = "\
import torch
import torch.nn as nn
import torch.nn.functional as F


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.edges = nn.Conv2d(1, 10, kernel_size=(5, 3), stride=2, padding=(0, 1))
        self.drop = nn.Dropout2d(p=0.25)
        self.classes = nn.Linear(560, 10)
        nn.init.normal_(self.classes.weight, mean=0.0, std=0.1)

    def forward(self, x):
        x = self.edges(x)
        x = F.max_pool2d(x, kernel_size=2, padding=1)
        x = F.leaky_relu(x, negative_slope=0.2)
        x = self.drop(x)
        x = x.reshape(-1, 560)
        return self.head(x)

    def head(self, inputs):
        scores = self.classes(inputs)
        return F.log_softmax(scores + F.relu(scores) * 0.5, dim=1)
";

fn analysis(text: &str) -> Analysis {
    let analysis = Analysis::in_surface(text, Surface::TensorScript);
    let errors = errors(&analysis);
    assert!(errors.is_empty(), "{errors:?}");
    analysis
}

fn errors(analysis: &Analysis) -> Vec<String> {
    let errors = analysis.diagnostics().iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.map(|diagnostic| diagnostic.message.clone()).collect()
}

#[test]
fn a_node_is_a_module_of_pytorch_with_its_arguments_and_values() {
    assert_eq!(export(&analysis(DIGITS), Export::PyTorch).unwrap(), PYTORCH);
}

#[test]
fn a_node_is_a_program_of_relay_with_the_same_types() {
    let script = analysis(DIGITS);
    let relay = export(&script, Export::Relay).unwrap();
    let relay = Analysis::new(&relay);
    assert_eq!(errors(&relay), Vec::<String>::new());
    let types = |analysis: &Analysis| -> Vec<String> {
        let of = |definition: session::Definition| definition.r#type;
        analysis.definitions().into_iter().map(of).collect()
    };
    assert_eq!(types(&script)[0], "[?, 1, 28, 28] -> [?, 10]");
    assert_eq!(types(&relay)[0], "fn[N: Dim](Digits, Tensor[(N, 1, 28, 28), float32]) -> Tensor[(N, 10), float32]");
    // A function that says nothing is as polymorphic there as here.
    assert_eq!(types(&script)[1], "S -> [..S[:-1], 10] where S[-1] = 560, AtMost(2, rank(S))");
    assert_eq!(
        types(&relay)[1],
        "fn[S: Shape](Digits, Tensor[S, float32]) -> Tensor[(..S[:-1], 10), float32] \
         where S[-1] = 560, AtMost(2, rank(S))"
    );
}

#[test]
fn names_that_meet_in_relay_are_told_apart() {
    // Two methods that are `A_a_b` both, and a node that is called as a size would be.
    let script = analysis(
        "node A<[?, 2] -> [?, 2]> {}
graph A<[?, 2] -> [?, 2]> { def forward(x) { x |> self.a_b() } def a_b(x: [?, 2]) -> [?, 2] { x } }
node A_a<[?, 2] -> [?, 2]> {}
graph A_a<[?, 2] -> [?, 2]> { def forward(x) { x |> self.b() } def b(x: [?, 2]) -> [?, 2] { x + 1. } }
node N<[?, 2] -> [?, 2]> {}
graph N<[?, 2] -> [?, 2]> { def forward(x) { x } }
",
    );
    let relay = Analysis::new(&export(&script, Export::Relay).unwrap());
    assert_eq!(errors(&relay), Vec::<String>::new());
    let definitions: Vec<(String, String)> =
        relay.definitions().into_iter().map(|definition| (definition.name, definition.r#type)).collect();
    let of = |node: &str| format!("fn[N2: Dim]({node}, Tensor[(N2, 2), float32]) -> Tensor[(N2, 2), float32]");
    let names =
        [("@A_forward", "A"), ("@A_a_b", "A"), ("@A_a_forward", "A_a"), ("@A_a_b_2", "A_a"), ("@N_forward", "N")];
    assert_eq!(definitions, names.map(|(name, node)| (name.to_owned(), of(node))));
}

#[test]
fn a_hover_over_a_layer_says_what_it_is_made_of() {
    let analysis = analysis(DIGITS);
    let code = |of: &str| {
        let hover = session::hover(&analysis, DIGITS.find(of).unwrap() as u32 + 3).unwrap();
        (hover.r#type, hover.code, hover.operator)
    };
    let (ty, said, _) = code("|> edges");
    assert_eq!(ty, "[?, 10, 12, 14]");
    let made_of = "Conv2d(in_ch=1, out_ch=10, kernel_size=(5, 3), stride=2, padding=(0, 1))";
    assert_eq!(said, format!("edges: {made_of}\n[?, 1, 28, 28] -> [?, 10, 12, 14]"));
    // What is one operator, which is called so, has that one's documentation.
    let (_, said, operator) = code("|> relu");
    assert_eq!((said.as_str(), operator), ("relu\n[..S[:-1], 10] -> [..S[:-1], 10]", Some("nn.relu")));
}

/// A command that was asked for what cannot be is used wrongly; a program with errors is told of by these.
#[test]
fn a_command_says_why_there_is_no_export() {
    let none = Analysis::new("def @f(%x: int32) { %x }");
    let reason = "only programs with nodes can be exported; this one has none";
    assert_eq!(exported(&none, Export::PyTorch, false), Err(reason.to_owned()));
    let json = exported(&none, Export::PyTorch, true).unwrap();
    assert_eq!(json, format!("{{\"reason\":\"{reason}\",\"text\":null}}\n"));
    let broken = Analysis::in_surface(&DIGITS.replace("in=560", "in=561"), Surface::TensorScript);
    assert_eq!(exported(&broken, Export::Relay, false), Ok(String::new()));
}

#[test]
fn what_has_errors_is_not_exported() {
    let broken = Analysis::in_surface(&DIGITS.replace("in=560", "in=561"), Surface::TensorScript);
    for to in Export::ALL {
        assert!(export(&broken, to).unwrap_err().contains("mended first"));
        assert!(export(&Analysis::new("1 + 2"), to).is_err());
    }
}

/// Of two names that differ by what is put behind one of PyTorch's, both get it.
#[test]
fn names_that_modules_have_stay_apart() {
    let program = analysis(
        "use lin::Linear;\nnode Net<[?, 2] -> [?, 2]> {}\n\
         weights Net<[?, 2] -> [?, 2]> { apply = Linear::new(in=2, out=2); apply_ = Linear::new(in=2, out=2); }\n\
         graph Net<[?, 2] -> [?, 2]> { def forward(x) { x |> apply |> apply_ } }\n",
    );
    let found = export(&program, Export::PyTorch).unwrap();
    assert!(found.contains("self.apply_ = nn.Linear(2, 2)\n        self.apply__ = nn.Linear(2, 2)"), "{found}");
}

/// By layer, its arguments, the shapes from and to, how PyTorch makes it if it is kept, and how it is applied.
const LAYERS: &[[&str; 6]] = &[
    ["Conv1d", "in_ch=2, out_ch=4, kernel_size=3", "[?, 2, 9]", "[?, 4, 7]", "nn.Conv1d(2, 4, kernel_size=3)", ""],
    [
        "Conv2d",
        "groups=4, in_ch=4, out_ch=8, kernel_size=(3, 1), stride=2, padding=(1, 0), dilation=1",
        "[?, 4, 5, 5]",
        "[?, 8, 3, 3]",
        "nn.Conv2d(4, 8, kernel_size=(3, 1), stride=2, padding=(1, 0), groups=4)",
        "",
    ],
    [
        "Conv3d",
        "in_ch=1, out_ch=2, kernel_size=2, dilation=(1, 2, 1)",
        "[?, 1, 4, 4, 4]",
        "[?, 2, 3, 2, 3]",
        "nn.Conv3d(1, 2, kernel_size=2, dilation=(1, 2, 1))",
        "",
    ],
    [
        "ConvTranspose2d",
        "in_ch=3, out_ch=2, kernel_size=3, stride=2, padding=1, output_padding=1, bias=false",
        "[?, 3, 4, 4]",
        "[?, 2, 8, 8]",
        "nn.ConvTranspose2d(3, 2, kernel_size=3, stride=2, padding=1, output_padding=1, bias=False)",
        "",
    ],
    [
        "maxpool1d",
        "kernel_size=2, padding=1",
        "[?, 1, 4]",
        "[?, 1, 3]",
        "",
        "F.max_pool1d(x, kernel_size=2, padding=1)",
    ],
    ["avgpool1d", "kernel_size=2, stride=1", "[?, 1, 4]", "[?, 1, 3]", "", "F.avg_pool1d(x, kernel_size=2, stride=1)"],
    ["adaptive_avgpool1d", "output_size=2", "[?, 1, 4]", "[?, 1, 2]", "", "F.adaptive_avg_pool1d(x, output_size=2)"],
    ["maxpool2d", "kernel_size=2", "[?, 1, 4, 4]", "[?, 1, 2, 2]", "", "F.max_pool2d(x, kernel_size=2)"],
    [
        "avgpool2d",
        "kernel_size=(2, 1), stride=1",
        "[?, 1, 4, 4]",
        "[?, 1, 3, 4]",
        "",
        "F.avg_pool2d(x, kernel_size=(2, 1), stride=1)",
    ],
    [
        "adaptive_avgpool2d",
        "output_size=(1, 2)",
        "[?, 1, 4, 4]",
        "[?, 1, 1, 2]",
        "",
        "F.adaptive_avg_pool2d(x, output_size=(1, 2))",
    ],
    ["Linear", "in=3, out=2", "[?, 3]", "[?, 2]", "nn.Linear(3, 2)", ""],
    ["Embedding", "num_embeddings=4, embedding_dim=2", "[?, 3]", "[?, 3, 2]", "nn.Embedding(4, 2)", "self.w(x.long())"],
    ["relu", "", "[?, 3]", "[?, 3]", "", "F.relu(x)"],
    ["tanh", "", "[?, 3]", "[?, 3]", "", "torch.tanh(x)"],
    ["sigmoid", "", "[?, 3]", "[?, 3]", "", "torch.sigmoid(x)"],
    ["leaky_relu", "p=0.2", "[?, 3]", "[?, 3]", "", "F.leaky_relu(x, negative_slope=0.2)"],
    ["gelu", "", "[?, 3]", "[?, 3]", "", "F.gelu(x)"],
    ["softmax", "dim=-1", "[?, 3]", "[?, 3]", "", "F.softmax(x, dim=-1)"],
    ["log_softmax", "dim=1", "[?, 3]", "[?, 3]", "", "F.log_softmax(x, dim=1)"],
    ["Dropout", "p=0.25", "[?, 3]", "[?, 3]", "nn.Dropout(p=0.25)", ""],
    ["Dropout2d", "", "[?, 2, 3, 3]", "[?, 2, 3, 3]", "nn.Dropout2d()", ""],
    ["BatchNorm1d", "num_features=3", "[?, 3]", "[?, 3]", "nn.BatchNorm1d(3)", ""],
    ["BatchNorm2d", "num_features=2, eps=0.1", "[?, 2, 3, 3]", "[?, 2, 3, 3]", "nn.BatchNorm2d(2, eps=0.1)", ""],
    ["LayerNorm", "normalized_shape=3", "[?, 3]", "[?, 3]", "nn.LayerNorm(3)", ""],
    [
        "LSTM",
        "hidden_size=5, input_size=3, num_layers=2",
        "[?, T, 3]",
        "[?, T, 5]",
        "nn.LSTM(3, 5, num_layers=2, batch_first=True)",
        "self.w(x)[0]",
    ],
    [
        "MultiheadAttention",
        "embed_dim=6, num_heads=3",
        "[?, T, 6]",
        "[?, T, 6]",
        "nn.MultiheadAttention(6, 3, batch_first=True)",
        "self.w(x, x, x, need_weights=False)[0]",
    ],
    [
        "GRU",
        "hidden_size=5, input_size=3, num_layers=2",
        "[?, T, 3]",
        "[?, T, 5]",
        "nn.GRU(3, 5, num_layers=2, batch_first=True)",
        "self.w(x)[0]",
    ],
    ["GroupNorm", "num_groups=2, num_channels=4, eps=0.1", "[?, 4, 3]", "[?, 4, 3]", "nn.GroupNorm(2, 4, eps=0.1)", ""],
    ["flatten", "start_dim=2", "[?, 2, 3, 4]", "[?, 2, 12]", "", "torch.flatten(x, start_dim=2)"],
    ["silu", "", "[?, 3]", "[?, 3]", "", "F.silu(x)"],
    // Of several values, which are one.
    ["cat", "dim=1", "[?, 3]", "[?, 6]", "", "torch.cat((x, x), dim=1)"],
    ["permute", "dims=(0, 2, 1)", "[?, 3, 4]", "[?, 4, 3]", "", "torch.permute(x, dims=(0, 2, 1))"],
    ["transpose", "dim0=1, dim1=-1", "[?, 3, 4]", "[?, 4, 3]", "", "torch.transpose(x, dim0=1, dim1=-1)"],
    // The second value.
    ["matmul", "x", "[?, 3, 3]", "[?, 3, 3]", "", "torch.matmul(x, x)"],
    ["squeeze", "dim=1", "[?, 1, 4]", "[?, 4]", "", "torch.squeeze(x, dim=1)"],
    ["unsqueeze", "dim=-1", "[?, 4]", "[?, 4, 1]", "", "torch.unsqueeze(x, dim=-1)"],
    ["mean", "dim=(1, 2)", "[?, 3, 4]", "[?]", "", "torch.mean(x, dim=(1, 2))"],
    ["sum", "dim=1, keepdim=true", "[?, 3, 4]", "[?, 1, 4]", "", "torch.sum(x, dim=1, keepdim=True)"],
    ["amax", "keepdim=false, dim=-1", "[?, 3]", "[?]", "", "torch.amax(x, dim=-1)"],
    ["exp", "", "[?, 3]", "[?, 3]", "", "torch.exp(x)"],
    ["log", "", "[?, 3]", "[?, 3]", "", "torch.log(x)"],
    ["sqrt", "", "[?, 3]", "[?, 3]", "", "torch.sqrt(x)"],
    ["abs", "", "[?, 3]", "[?, 3]", "", "torch.abs(x)"],
];

#[test]
fn every_layer_is_one_of_pytorch_and_keeps_its_types_in_relay() {
    for row in hir::layers::LAYERS {
        let of = LAYERS.iter().find(|[name, ..]| *name == row.name);
        let &[name, args, from, to, made, applied] = of.unwrap_or_else(|| panic!("{} is not tried", row.name));
        let (weights, stage) = match row.is_weight() {
            true => (format!("weights Net<{from} -> {to}> {{ w = {name}::new({args}); }}\n"), "w".to_owned()),
            false => (String::new(), format!("{name}({args})")),
        };
        let x = if name == "cat" { "(x, x)" } else { "x" };
        let program = analysis(&format!(
            "use {}::{name};\nnode Net<{from} -> {to}> {{}}\n{weights}\
             graph Net<{from} -> {to}> {{ def forward(x) {{ {x} |> {stage} }} def open(x, y: [?, 2]) {{ {x} |> {stage} }} }}\n",
            row.module
        ));
        let init = if made.is_empty() { String::new() } else { format!("        self.w = {made}\n") };
        let applied = if applied.is_empty() { "self.w(x)" } else { applied };
        let found = export(&program, Export::PyTorch).unwrap();
        let wanted =
            format!("        super().__init__()\n{init}\n    def forward(self, x):\n        return {applied}\n");
        assert!(found.contains(&wanted), "{name}: {found}");
        let relay = Analysis::new(&export(&program, Export::Relay).unwrap());
        assert_eq!(errors(&relay), Vec::<String>::new(), "{name}");
        let dims = |shape: &str| shape.replace('?', "N").replace('[', "(").replace(']', ")");
        let params = if from.contains('T') { "[N: Dim, T: Dim]" } else { "[N: Dim]" };
        let wanted = format!("fn{params}(Net, Tensor[{}, float32]) -> Tensor[{}, float32]", dims(from), dims(to));
        assert_eq!(relay.definitions()[0].r#type, wanted, "{name}");
    }
}

/// The elements of the weights of a run, which the node gives as they are, row by row.
fn weights(layer: &str, init: &str, shape: &str) -> Vec<f64> {
    let text = format!(
        "use lin::{{Embedding, Linear}};\nnode Net<[?, 1] -> [?, {shape}]> {{}}\n\
         weights Net<[?, 1] -> [?, {shape}]> {{ w = {layer}; }}\n\
         graph Net<[?, 1] -> [?, {shape}]> {{ def new() {{ {init} self }} def forward(x) {{ x |> w }} }}\n"
    );
    let analysis = Analysis::in_surface(&text, Surface::TensorScript);
    // Applied to 1, a layer of one number gives its weights.
    let mut inputs = session::command::parse_inputs(r#"{"x": [[1]]}"#).unwrap();
    if layer.starts_with("Linear") {
        let n: usize = shape.parse().unwrap();
        inputs.insert("w.bias".to_owned(), vec![0.0; n].into());
    }
    let outcome = session::run(&analysis, &session::Options { inputs: Some(&inputs), ..session::Options::default() });
    assert_eq!(outcome.diagnostics, []);
    let shown = analysis.show(&outcome.values[0]).unwrap();
    let numbers = shown.split(|c: char| "[], f".contains(c)).filter(|part| !part.is_empty());
    numbers.map(|number| number.parse().unwrap()).collect()
}

#[test]
fn a_run_begins_with_the_weights_that_pytorch_begins_with() {
    // Of the numbers: mean, deviation, and the largest, by PyTorch's formulas with 1 in and 1000 out.
    let (xavier, kaiming) = ((2.0_f64 / 1001.0).sqrt(), (2.0_f64 / 1.25).sqrt());
    let uniform = 3.0_f64.sqrt();
    let all: &[(&str, f64, f64, f64)] = &[
        ("", 0.0, 1.0 / uniform, 1.0),
        ("w.init_normal();", 0.0, 1.0, 6.0),
        ("w.init_normal(mean=3., std=0.5);", 3.0, 0.5, 6.0),
        ("w.init_uniform(a=-1., b=3.);", 1.0, 2.0 / uniform, 3.0),
        ("w.init_constant(val=0.25);", 0.25, 0.0, 0.25),
        ("w.init_ones();", 1.0, 0.0, 1.0),
        ("w.init_zeros();", 0.0, 0.0, 0.0),
        ("w.init_xavier_normal(gain=2.);", 0.0, 2.0 * xavier, 12.0 * xavier),
        ("w.init_xavier_uniform();", 0.0, xavier, xavier * uniform),
        ("w.init_kaiming_normal(a=0.5);", 0.0, kaiming, 6.0 * kaiming),
        ("w.init_kaiming_uniform(a=0.5);", 0.0, kaiming, kaiming * uniform),
    ];
    for &(init, mean, deviation, largest) in all {
        let found = weights("Linear::new(in=1, out=1000)", init, "1000");
        assert_eq!(found.len(), 1000);
        let n = found.len() as f64;
        let found_mean = found.iter().sum::<f64>() / n;
        let found_deviation = (found.iter().map(|x| (x - found_mean).powi(2)).sum::<f64>() / n).sqrt();
        // Four deviations of the mean of 1000, and as much of their deviation.
        let near = 4.0 * deviation / n.sqrt() + 1e-6;
        assert!((found_mean - mean).abs() <= near, "{init} mean {found_mean}, not {mean}");
        assert!((found_deviation - deviation).abs() <= near, "{init} deviation {found_deviation}, not {deviation}");
        let found_largest = found.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        assert!(found_largest <= largest + 1e-6, "{init} largest {found_largest}, not {largest}");
        // Of what is uniform, something comes near the bound.
        let is_bounded = init.is_empty() || init.contains("uniform");
        assert!(!is_bounded || found_largest >= 0.97 * largest, "{init} largest {found_largest}, not {largest}");
    }
    // A table's rows are normal.
    let found = weights("Embedding::new(num_embeddings=2, embedding_dim=1000)", "", "1, 1000");
    let square = found.iter().map(|x| x * x).sum::<f64>() / 1000.0;
    assert!((square - 1.0).abs() < 0.2, "{square}");
}
