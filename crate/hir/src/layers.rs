//! The layers of TensorScript. Names, arguments and defaults are PyTorch's, but where TensorScript had its own
//! (`in_ch`, `in`, `p`). What they compute is in [`crate::lower`]: each is a few calls of operators.

use crate::net::{Args, Argument};
use base::{Join, ToList};

/// A row of the table.
#[derive(Debug)]
pub struct Layer {
    pub name: &'static str,
    /// What `use` must name: `use conv::Conv2d;`.
    pub module: &'static str,
    pub kind: LayerKind,
    pub params: &'static [Param],
    /// The module or function of PyTorch.
    pub torch: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose2d,
    /// Operators on windows, of these names.
    MaxPool(&'static str),
    AvgPool(&'static str),
    AdaptiveAvgPool(&'static str),
    Linear,
    /// What is an operator by itself, of this name, on each number.
    Each(&'static str),
    LeakyRelu,
    Gelu,
    Silu,
    Softmax,
    LogSoftmax,
    Dropout,
    BatchNorm,
    LayerNorm,
    GroupNorm,
    Embedding,
    Lstm,
    Gru,
    MultiheadAttention,
    Flatten,
    Cat,
    Permute,
    Transpose,
    Squeeze,
    Unsqueeze,
    Matmul,
    /// An operator along axes, which go or become 1.
    Reduce(&'static str),
}

/// A parameter of a layer.
#[derive(Debug)]
pub struct Param {
    pub name: &'static str,
    pub takes: Takes,
    pub default: Default,
    /// What PyTorch calls it.
    pub torch: &'static str,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A whole number of at least so much.
    Int(i64),
    /// One number for all of so many axes, or one for each; at least so much.
    Axes {
        n: usize,
        least: i64,
    },
    /// A number with a point between 0 and 1.
    Probability,
    Float,
    /// The number of an axis, from the end if it is negative.
    Axis,
    /// One axis, or some in parentheses.
    SomeAxes,
    /// `true` or `false`.
    Flag,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    Required,
    Int(i64),
    Float(f64),
    Flag(bool),
    /// As another one.
    As(&'static str),
}

impl Default {
    /// As it is written, unless there is none.
    pub fn text(self) -> Option<String> {
        match self {
            Default::Required => None,
            Default::Int(int) => Some(int.to_string()),
            Default::Float(float) => Some(base::shortest(float, &base::FLOAT64)),
            Default::Flag(flag) => Some(flag.to_string()),
            Default::As(other) => Some(other.to_owned()),
        }
    }
}

impl Param {
    /// Whether it has this value where nothing is said.
    pub fn is_default(&self, value: &Argument, args: &Args) -> bool {
        match (self.default, value) {
            (Default::Int(int), Argument::Ints(ints)) => ints.iter().all(|&given| given == int),
            (Default::Float(float), Argument::Float(given)) => *given as f32 == float as f32,
            (Default::Flag(flag), Argument::Flag(given)) => *given == flag,
            (Default::As(other), _) => args.iter().any(|(name, given)| *name == other && given == value),
            (Default::Required | Default::Int(_) | Default::Float(_) | Default::Flag(_), _) => false,
        }
    }
}

const fn param(name: &'static str, takes: Takes, default: Default, torch: &'static str) -> Param {
    Param { name, takes, default, torch }
}

const fn size(name: &'static str, torch: &'static str) -> Param {
    param(name, Takes::Int(1), Default::Required, torch)
}

const fn real(name: &'static str, default: f64) -> Param {
    Param { name, takes: Takes::Float, default: Default::Float(default), torch: name }
}

const BIAS: Param = param("bias", Takes::Flag, Default::Flag(true), "bias");

macro_rules! convolution {
    ($n:literal) => {
        &[
            size("in_ch", "in_channels"),
            size("out_ch", "out_channels"),
            param("kernel_size", Takes::Axes { n: $n, least: 1 }, Default::Required, "kernel_size"),
            param("stride", Takes::Axes { n: $n, least: 1 }, Default::Int(1), "stride"),
            param("padding", Takes::Axes { n: $n, least: 0 }, Default::Int(0), "padding"),
            param("dilation", Takes::Axes { n: $n, least: 1 }, Default::Int(1), "dilation"),
            param("groups", Takes::Int(1), Default::Int(1), "groups"),
            BIAS,
        ]
    };
}

macro_rules! max_pool {
    ($n:literal) => {
        &[
            param("kernel_size", Takes::Axes { n: $n, least: 1 }, Default::Required, "kernel_size"),
            param("stride", Takes::Axes { n: $n, least: 1 }, Default::As("kernel_size"), "stride"),
            param("padding", Takes::Axes { n: $n, least: 0 }, Default::Int(0), "padding"),
            param("dilation", Takes::Axes { n: $n, least: 1 }, Default::Int(1), "dilation"),
        ]
    };
}

macro_rules! avg_pool {
    ($n:literal) => {
        &[
            param("kernel_size", Takes::Axes { n: $n, least: 1 }, Default::Required, "kernel_size"),
            param("stride", Takes::Axes { n: $n, least: 1 }, Default::As("kernel_size"), "stride"),
            param("padding", Takes::Axes { n: $n, least: 0 }, Default::Int(0), "padding"),
        ]
    };
}

const FEATURES: &[Param] =
    &[size("num_features", "num_features"), param("eps", Takes::Float, Default::Float(1e-5), "eps")];
const AXIS: &[Param] = &[param("dim", Takes::Axis, Default::Required, "dim")];
const REDUCED: &[Param] = &[
    param("dim", Takes::SomeAxes, Default::Required, "dim"),
    param("keepdim", Takes::Flag, Default::Flag(false), "keepdim"),
];
const RECURRENT: &[Param] = &[
    size("input_size", "input_size"),
    size("hidden_size", "hidden_size"),
    param("num_layers", Takes::Int(1), Default::Int(1), "num_layers"),
];
const DROPPED: &[Param] = &[param("p", Takes::Probability, Default::Float(0.5), "p")];

/// PyTorch's, by the names of `torch.nn.init`.
pub const INITIALISERS: &[(&str, &[Param])] = &[
    ("init_normal", &[real("mean", 0.0), real("std", 1.0)]),
    ("init_uniform", &[real("a", 0.0), real("b", 1.0)]),
    ("init_constant", &[Param { name: "val", takes: Takes::Float, default: Default::Required, torch: "val" }]),
    ("init_xavier_normal", &[real("gain", 1.0)]),
    ("init_xavier_uniform", &[real("gain", 1.0)]),
    ("init_kaiming_normal", &[real("a", 0.0)]),
    ("init_kaiming_uniform", &[real("a", 0.0)]),
    ("init_zeros", &[]),
    ("init_ones", &[]),
];

/// Of every layer and initialiser: the module that `use` names, its name, what it takes.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str, &'static [Param])> {
    let initialisers = INITIALISERS.iter().map(|&(name, params)| ("init", name, params));
    LAYERS.iter().map(|layer| (layer.module, layer.name, layer.params)).chain(initialisers)
}

/// One of [`all`] as it is called: `lin::Linear(in, out, bias=true)`.
pub fn signature((module, name, params): (&str, &str, &[Param])) -> String {
    let params = params.iter().map(|param| match param.default.text() {
        Some(value) => format!("{}={value}", param.name),
        None => param.name.to_owned(),
    });
    // Initialisers need no `use`.
    let path = if module == "init" { name.to_owned() } else { format!("{module}::{name}") };
    format!("{path}({})", params.list().joined(", "))
}

const fn layer(
    name: &'static str,
    module: &'static str,
    kind: LayerKind,
    params: &'static [Param],
    torch: &'static str,
) -> Layer {
    Layer { name, module, kind, params, torch }
}

/// All of them. Those whose names begin with a capital stand in `weights`.
pub static LAYERS: &[Layer] = &[
    layer("Conv1d", "conv", LayerKind::Conv1d, convolution!(1), "nn.Conv1d"),
    layer("Conv2d", "conv", LayerKind::Conv2d, convolution!(2), "nn.Conv2d"),
    layer("Conv3d", "conv", LayerKind::Conv3d, convolution!(3), "nn.Conv3d"),
    layer(
        "ConvTranspose2d",
        "conv",
        LayerKind::ConvTranspose2d,
        &[
            size("in_ch", "in_channels"),
            size("out_ch", "out_channels"),
            param("kernel_size", Takes::Axes { n: 2, least: 1 }, Default::Required, "kernel_size"),
            param("stride", Takes::Axes { n: 2, least: 1 }, Default::Int(1), "stride"),
            param("padding", Takes::Axes { n: 2, least: 0 }, Default::Int(0), "padding"),
            param("output_padding", Takes::Axes { n: 2, least: 0 }, Default::Int(0), "output_padding"),
            BIAS,
        ],
        "nn.ConvTranspose2d",
    ),
    layer("maxpool1d", "conv", LayerKind::MaxPool("nn.max_pool1d"), max_pool!(1), "F.max_pool1d"),
    layer("maxpool2d", "conv", LayerKind::MaxPool("nn.max_pool2d"), max_pool!(2), "F.max_pool2d"),
    layer("avgpool1d", "conv", LayerKind::AvgPool("nn.avg_pool1d"), avg_pool!(1), "F.avg_pool1d"),
    layer("avgpool2d", "conv", LayerKind::AvgPool("nn.avg_pool2d"), avg_pool!(2), "F.avg_pool2d"),
    layer(
        "adaptive_avgpool1d",
        "conv",
        LayerKind::AdaptiveAvgPool("nn.adaptive_avg_pool1d"),
        &[param("output_size", Takes::Axes { n: 1, least: 1 }, Default::Required, "output_size")],
        "F.adaptive_avg_pool1d",
    ),
    layer(
        "adaptive_avgpool2d",
        "conv",
        LayerKind::AdaptiveAvgPool("nn.adaptive_avg_pool2d"),
        &[param("output_size", Takes::Axes { n: 2, least: 1 }, Default::Required, "output_size")],
        "F.adaptive_avg_pool2d",
    ),
    layer(
        "Linear",
        "lin",
        LayerKind::Linear,
        &[size("in", "in_features"), size("out", "out_features"), BIAS],
        "nn.Linear",
    ),
    layer(
        "Embedding",
        "lin",
        LayerKind::Embedding,
        &[size("num_embeddings", "num_embeddings"), size("embedding_dim", "embedding_dim")],
        "nn.Embedding",
    ),
    layer("relu", "nonlin", LayerKind::Each("nn.relu"), &[], "F.relu"),
    layer("tanh", "nonlin", LayerKind::Each("tanh"), &[], "torch.tanh"),
    layer("sigmoid", "nonlin", LayerKind::Each("sigmoid"), &[], "torch.sigmoid"),
    layer("silu", "nonlin", LayerKind::Silu, &[], "F.silu"),
    layer(
        "leaky_relu",
        "nonlin",
        LayerKind::LeakyRelu,
        &[param("p", Takes::Float, Default::Float(0.01), "negative_slope")],
        "F.leaky_relu",
    ),
    layer("gelu", "nonlin", LayerKind::Gelu, &[], "F.gelu"),
    layer("softmax", "nonlin", LayerKind::Softmax, AXIS, "F.softmax"),
    layer("log_softmax", "nonlin", LayerKind::LogSoftmax, AXIS, "F.log_softmax"),
    layer("Dropout", "reg", LayerKind::Dropout, DROPPED, "nn.Dropout"),
    layer("Dropout2d", "reg", LayerKind::Dropout, DROPPED, "nn.Dropout2d"),
    layer("BatchNorm1d", "reg", LayerKind::BatchNorm, FEATURES, "nn.BatchNorm1d"),
    layer("BatchNorm2d", "reg", LayerKind::BatchNorm, FEATURES, "nn.BatchNorm2d"),
    layer(
        "LayerNorm",
        "reg",
        LayerKind::LayerNorm,
        &[size("normalized_shape", "normalized_shape"), param("eps", Takes::Float, Default::Float(1e-5), "eps")],
        "nn.LayerNorm",
    ),
    layer(
        "GroupNorm",
        "reg",
        LayerKind::GroupNorm,
        &[
            size("num_groups", "num_groups"),
            size("num_channels", "num_channels"),
            param("eps", Takes::Float, Default::Float(1e-5), "eps"),
        ],
        "nn.GroupNorm",
    ),
    layer("LSTM", "seq", LayerKind::Lstm, RECURRENT, "nn.LSTM"),
    layer("GRU", "seq", LayerKind::Gru, RECURRENT, "nn.GRU"),
    layer(
        "MultiheadAttention",
        "seq",
        LayerKind::MultiheadAttention,
        &[size("embed_dim", "embed_dim"), size("num_heads", "num_heads")],
        "nn.MultiheadAttention",
    ),
    layer(
        "flatten",
        "shape",
        LayerKind::Flatten,
        &[param("start_dim", Takes::Axis, Default::Int(1), "start_dim")],
        "torch.flatten",
    ),
    layer("cat", "shape", LayerKind::Cat, AXIS, "torch.cat"),
    layer(
        "permute",
        "shape",
        LayerKind::Permute,
        &[param("dims", Takes::SomeAxes, Default::Required, "dims")],
        "torch.permute",
    ),
    layer(
        "transpose",
        "shape",
        LayerKind::Transpose,
        &[param("dim0", Takes::Axis, Default::Required, "dim0"), param("dim1", Takes::Axis, Default::Required, "dim1")],
        "torch.transpose",
    ),
    layer("squeeze", "shape", LayerKind::Squeeze, AXIS, "torch.squeeze"),
    layer("unsqueeze", "shape", LayerKind::Unsqueeze, AXIS, "torch.unsqueeze"),
    layer("matmul", "math", LayerKind::Matmul, &[], "torch.matmul"),
    layer("mean", "math", LayerKind::Reduce("mean"), REDUCED, "torch.mean"),
    layer("sum", "math", LayerKind::Reduce("sum"), REDUCED, "torch.sum"),
    layer("amax", "math", LayerKind::Reduce("max"), REDUCED, "torch.amax"),
    layer("exp", "math", LayerKind::Each("exp"), &[], "torch.exp"),
    layer("log", "math", LayerKind::Each("log"), &[], "torch.log"),
    layer("sqrt", "math", LayerKind::Each("sqrt"), &[], "torch.sqrt"),
    layer("abs", "math", LayerKind::Each("abs"), &[], "torch.abs"),
];

/// A tensor that a layer keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// As in PyTorch's `state_dict`.
    pub name: String,
    pub shape: Vec<i64>,
    /// The argument that each size comes from.
    pub from: Vec<&'static str>,
    pub starts: Starts,
    /// Whether training changes it; what does not is counted in a running mean.
    pub is_trained: bool,
}

/// What a parameter holds before anything is learnt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Starts {
    Constant(f64),
    /// Anything between two numbers, each as likely.
    Uniform {
        low: f64,
        high: f64,
    },
    Normal {
        mean: f64,
        std: f64,
    },
}

impl Starts {
    /// Uniform within 1 / √n.
    fn within(n: f64) -> Starts {
        let bound = 1.0 / n.max(1.0).sqrt();
        Starts::Uniform { low: -bound, high: bound }
    }
}

/// How many numbers of the operand go into one of the result, and into how many of the result one of the operand goes,
/// as PyTorch counts them: by the first two axes of the weight, and the window.
pub fn fans(shape: &[i64]) -> (f64, f64) {
    let window: f64 = shape.iter().skip(2).map(|&size| size as f64).product();
    let axis = |axis: usize| shape.get(axis).map_or(1.0, |&size| size as f64);
    (axis(1) * window, axis(0) * window)
}

impl Layer {
    pub fn of_name(name: &str) -> Option<&'static Layer> {
        LAYERS.iter().find(|layer| layer.name == name)
    }

    /// Whether it stands in `weights`.
    pub fn is_weight(&self) -> bool {
        self.name.as_bytes().first().is_some_and(u8::is_ascii_uppercase)
    }

    /// How many values it is applied to.
    pub fn n_values(&self) -> usize {
        1 + usize::from(self.kind == LayerKind::Matmul)
    }

    /// `Conv2d(in_ch=1, out_ch=10, kernel_size=5)`: what is as always is not said.
    pub fn called(&self, args: &Args) -> String {
        let said = self.params.iter().zip(args).filter(|(param, (_, value))| !param.is_default(value, args));
        let args: Vec<String> = said.map(|(_, (name, value))| format!("{name}={value}")).list();
        format!("{}({})", self.name, args.joined(", "))
    }

    /// The argument that says how many features or channels it takes.
    pub fn size_in(&self) -> Option<&'static str> {
        const IN: &[&str] =
            &["in", "in_ch", "num_features", "num_channels", "normalized_shape", "input_size", "embed_dim"];
        self.params.iter().map(|param| param.name).find(|name| IN.contains(name))
    }

    /// The argument that says how many it gives, if that is another one.
    pub fn size_out(&self) -> Option<&'static str> {
        const OUT: &[&str] = &["out", "out_ch", "embedding_dim", "hidden_size"];
        self.params.iter().map(|param| param.name).find(|name| OUT.contains(name))
    }

    /// On which axis of what it takes these stand, if that has the rank that it should have.
    pub fn features_axis(&self, args: &Args, rank: usize) -> Option<usize> {
        let axis = match self.kind {
            _ if self.module == "conv" => return (rank == ints(args, "kernel_size").len() + 2).then_some(1),
            LayerKind::BatchNorm | LayerKind::GroupNorm => 1,
            _ => rank.checked_sub(1)?,
        };
        (axis < rank).then_some(axis)
    }

    /// The least and the largest rank of what it takes, and these in words, where its operators take others too.
    pub fn ranks(&self) -> Option<(usize, usize, &'static str)> {
        match self.name {
            "BatchNorm1d" => Some((2, 3, "2 or 3")),
            "BatchNorm2d" => Some((4, 4, "4")),
            "Dropout2d" => Some((2, usize::MAX, "2 or more")),
            _ => None,
        }
    }

    /// The tensors that it keeps, for arguments that fit its row; they start as PyTorch's do.
    pub fn parameters(&self, args: &Args) -> Vec<Parameter> {
        let mut found: Vec<Parameter> = Vec::new();
        let mut learnt = |name: &str, sizes: &[(i64, &'static str)], starts| {
            let shape = sizes.iter().map(|size| size.0).list();
            let from = sizes.iter().map(|size| size.1).list();
            found.push(Parameter { name: name.to_owned(), shape, from, starts, is_trained: true });
        };
        let of = |name| (int(args, name), name);
        let times = |n: i64, name| (n * int(args, name), name);
        let (zeros, ones) = (Starts::Constant(0.0), Starts::Constant(1.0));
        let windows = || ints(args, "kernel_size").iter().map(|&size| (size, "kernel_size")).list();
        let (weight, bias) = match self.kind {
            LayerKind::Conv1d | LayerKind::Conv2d | LayerKind::Conv3d => {
                let of_group = (int(args, "in_ch") / int(args, "groups"), "in_ch");
                ([vec![of("out_ch"), of_group], windows()].concat(), of("out_ch"))
            }
            LayerKind::ConvTranspose2d => ([vec![of("in_ch"), of("out_ch")], windows()].concat(), of("out_ch")),
            LayerKind::Linear => (vec![of("out"), of("in")], of("out")),
            LayerKind::Embedding => {
                let shape = [of("num_embeddings"), of("embedding_dim")];
                learnt("weight", &shape, Starts::Normal { mean: 0.0, std: 1.0 });
                return found;
            }
            LayerKind::BatchNorm | LayerKind::LayerNorm | LayerKind::GroupNorm => {
                let is_batch = self.kind == LayerKind::BatchNorm;
                let shape = [of(self.size_in().unwrap_or_default())];
                learnt("weight", &shape, ones);
                learnt("bias", &shape, zeros);
                if is_batch {
                    learnt("running_mean", &shape, zeros);
                    learnt("running_var", &shape, ones);
                    found[2..].iter_mut().for_each(|counted| counted.is_trained = false);
                }
                return found;
            }
            LayerKind::Lstm | LayerKind::Gru => {
                let n_gates = if self.kind == LayerKind::Lstm { 4 } else { 3 };
                let (hidden, gates) = (of("hidden_size"), times(n_gates, "hidden_size"));
                let starts = Starts::within(hidden.0 as f64);
                let mut input = of("input_size");
                for at in 0..int(args, "num_layers") {
                    for (name, shape) in [
                        ("weight_ih", &[gates, input][..]),
                        ("weight_hh", &[gates, hidden]),
                        ("bias_ih", &[gates]),
                        ("bias_hh", &[gates]),
                    ] {
                        learnt(&format!("{name}_l{at}"), shape, starts);
                    }
                    input = hidden;
                }
                return found;
            }
            LayerKind::MultiheadAttention => {
                let (n, all) = (of("embed_dim"), times(3, "embed_dim"));
                // Xavier's bound, for the three projections at once.
                let bound = (6.0 / (4.0 * n.0 as f64)).sqrt();
                learnt("in_proj_weight", &[all, n], Starts::Uniform { low: -bound, high: bound });
                learnt("in_proj_bias", &[all], zeros);
                learnt("out_proj.weight", &[n, n], Starts::within(n.0 as f64));
                learnt("out_proj.bias", &[n], zeros);
                return found;
            }
            LayerKind::MaxPool(_)
            | LayerKind::AvgPool(_)
            | LayerKind::AdaptiveAvgPool(_)
            | LayerKind::Each(_)
            | LayerKind::LeakyRelu
            | LayerKind::Gelu
            | LayerKind::Silu
            | LayerKind::Softmax
            | LayerKind::LogSoftmax
            | LayerKind::Dropout
            | LayerKind::Flatten
            | LayerKind::Cat
            | LayerKind::Permute
            | LayerKind::Transpose
            | LayerKind::Squeeze
            | LayerKind::Unsqueeze
            | LayerKind::Matmul
            | LayerKind::Reduce(_) => return found,
        };
        // The bias is as small as the weight.
        let starts = Starts::within(fans(&weight.iter().map(|size| size.0).list()).0);
        learnt("weight", &weight, starts);
        if flag(args, "bias") {
            learnt("bias", &[bias], starts);
        }
        found
    }
}

/// The numbers of an argument; none if there is no such argument.
pub fn ints<'a>(args: &'a Args, name: &str) -> &'a [i64] {
    match args.iter().find(|(known, _)| *known == name) {
        Some((_, Argument::Ints(ints))) => ints,
        Some((_, Argument::Float(_) | Argument::Flag(_))) | None => &[],
    }
}

/// The number that an argument is.
pub fn int(args: &Args, name: &str) -> i64 {
    ints(args, name).first().copied().unwrap_or(1)
}

/// The number with a point that an argument is.
pub fn float(args: &Args, name: &str) -> f64 {
    match args.iter().find(|(known, _)| *known == name) {
        Some((_, Argument::Float(float))) => *float,
        Some((_, Argument::Ints(_) | Argument::Flag(_))) | None => 0.0,
    }
}

/// Whether an argument is true; one that there is not is.
pub fn flag(args: &Args, name: &str) -> bool {
    !args.iter().any(|(known, given)| *known == name && *given == Argument::Flag(false))
}
