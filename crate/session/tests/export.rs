//! TensorScript programs as PyTorch and as Relay.

use base::{Severity, Surface};
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
    assert_eq!(types(&script)[1], "S -> [..S[:-1], 10] where S[-1] = 560, HasAxis([..S[:-1], 10], axis=1)");
    assert_eq!(
        types(&relay)[1],
        "fn[S: Shape](Digits, Tensor[S, float32]) -> Tensor[(..S[:-1], 10), float32] \
         where S[-1] = 560, HasAxis(Tensor[(..S[:-1], 10), float32], axis=1)"
    );
}

#[test]
fn what_has_errors_is_not_exported() {
    let broken = Analysis::in_surface(&DIGITS.replace("in=560", "in=561"), Surface::TensorScript);
    for to in Export::ALL {
        assert!(export(&broken, to).unwrap_err().contains("mended first"));
        assert!(export(&Analysis::new("1 + 2"), to).is_err());
    }
}
