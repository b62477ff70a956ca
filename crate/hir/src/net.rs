//! What a TensorScript file says beyond functions: its nodes, what their weights are made of, and where layers are
//! applied.
//!
//! A node `M` is the data type `M` whose one constructor holds the tensors of its weights and the nodes inside it. Each
//! function of its graph is a `def` named `M::f` whose first parameter is the node. A layer that is applied is a few
//! calls of operators; the [`Stage`] remembers which.

use crate::Module;
use crate::data::{DefId, ExprId};
use crate::layers::{Layer, Starts, fans, float};
use base::{Join, Span, ToList};
use std::ops::Range;
use ty::AdtId;

/// A node.
#[derive(Clone, Debug)]
pub struct Net {
    pub name: String,
    pub name_span: Span,
    pub adt: AdtId,
    pub weights: Vec<Weight>,
    /// In source order, `new` excluded.
    pub methods: Vec<Method>,
}

/// A function of a graph.
#[derive(Clone, Debug)]
pub struct Method {
    pub name: String,
    pub def: DefId,
}

/// A line of `weights`: `fc = Linear::new(in=2, out=3);`.
#[derive(Clone, Debug)]
pub struct Weight {
    pub name: String,
    pub span: Span,
    pub made_of: MadeOf,
    /// Its fields in the node's constructor.
    pub fields: Range<usize>,
    /// Whether a function applies it.
    pub is_used: bool,
    /// `init_normal(std=1.)` and the like in `new`.
    pub init: Option<Init>,
}

#[derive(Clone, Debug)]
pub enum MadeOf {
    Layer(&'static Layer, Args),
    /// Among [`Module::nets`](crate::Module::nets).
    Net(usize),
    /// What it should be is not known, which was said.
    Unknown,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Init {
    pub name: String,
    pub args: Args,
}

impl Init {
    /// What it fills a weight of these sizes with, by the formulas of `torch.nn.init`.
    pub fn starts(&self, shape: &[i64]) -> Starts {
        let arg = |name| float(&self.args, name);
        let (fan_in, fan_out) = fans(shape);
        let normal = |std: f64| Starts::Normal { mean: 0.0, std };
        // Of the same deviation.
        let uniform = |std: f64| Starts::Uniform { low: -std * 3.0_f64.sqrt(), high: std * 3.0_f64.sqrt() };
        let xavier = || arg("gain") * (2.0 / (fan_in + fan_out)).sqrt();
        // For leaky ReLU of the slope `a`.
        let kaiming = || (2.0 / (1.0 + arg("a") * arg("a")) / fan_in).sqrt();
        match self.name.as_str() {
            "init_normal" => Starts::Normal { mean: arg("mean"), std: arg("std") },
            "init_uniform" => Starts::Uniform { low: arg("a"), high: arg("b") },
            "init_constant" => Starts::Constant(arg("val")),
            "init_xavier_normal" => normal(xavier()),
            "init_xavier_uniform" => uniform(xavier()),
            "init_kaiming_normal" => normal(kaiming()),
            "init_kaiming_uniform" => uniform(kaiming()),
            "init_ones" => Starts::Constant(1.0),
            _ => Starts::Constant(0.0),
        }
    }
}

/// The arguments of a layer, defaults included, in the order of its row.
pub type Args = Vec<(&'static str, Argument)>;

/// A value that is known before anything runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// One number, or one for each axis.
    Ints(Vec<i64>),
    Float(f64),
    Flag(bool),
}

/// As TensorScript writes it.
impl std::fmt::Display for Argument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Argument::Ints(ints) => match ints.split_first() {
                Some((first, rest)) if rest.iter().all(|int| int == first) => write!(f, "{first}"),
                _ => {
                    let ints: Vec<String> = ints.iter().map(i64::to_string).list();
                    write!(f, "({})", ints.joined(", "))
                }
            },
            // As short as float32 allows.
            Argument::Flag(flag) => write!(f, "{flag}"),
            Argument::Float(float) => f.write_str(&base::shortest((*float as f32).into(), &base::FLOAT32)),
        }
    }
}

/// A layer, a node inside the node or one of its functions, applied to a value.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The result.
    pub expr: ExprId,
    /// The expressions that it is made of are those from here to the result.
    pub first: ExprId,
    pub input: ExprId,
    pub applied: Applied,
    /// Where it stands in the text, without its input.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Applied {
    /// A weight of the node at the first index among [`Module::nets`](crate::Module::nets), by its own index.
    Weight(usize, usize),
    /// What has no weights.
    Layer(&'static Layer, Args),
    /// `view(_, 320)`: -1 stands for the size that follows from the others.
    View(Vec<i64>),
    Method(DefId),
}

/// `forward` of `Net::forward`.
pub fn method_name(name: &str) -> &str {
    &name[base::end_of_last(name, b':')..]
}

impl Stage {
    /// What is applied, and what that is made of if the name does not say it all.
    pub fn named(&self, module: &Module) -> (String, String) {
        match &self.applied {
            &Applied::Weight(net, weight) => {
                let weight = &module.nets[net].weights[weight];
                let made_of = match &weight.made_of {
                    MadeOf::Layer(layer, args) => layer.called(args),
                    MadeOf::Net(inner) => module.nets[*inner].name.clone(),
                    MadeOf::Unknown => String::new(),
                };
                (weight.name.clone(), made_of)
            }
            Applied::Layer(layer, args) if args.is_empty() => (layer.name.to_owned(), String::new()),
            Applied::Layer(layer, args) => (layer.name.to_owned(), layer.called(args)),
            Applied::View(dims) => {
                let dims = dims.iter().map(|&dim| if dim < 0 { "_".to_owned() } else { dim.to_string() }).list();
                ("view".to_owned(), format!("view({})", dims.joined(", ")))
            }
            Applied::Method(def) => (method_name(&module.defs[*def].name).to_owned(), String::new()),
        }
    }

    /// The layer, with its arguments, unless a node or a function is applied.
    pub fn layer<'a>(&'a self, module: &'a Module) -> Option<(&'static Layer, &'a Args)> {
        match &self.applied {
            &Applied::Weight(net, weight) => match &module.nets[net].weights[weight].made_of {
                MadeOf::Layer(layer, args) => Some((layer, args)),
                MadeOf::Net(_) | MadeOf::Unknown => None,
            },
            Applied::Layer(layer, args) => Some((layer, args)),
            Applied::View(_) | Applied::Method(_) => None,
        }
    }
}

impl Module {
    /// The layer that an expression is a part of.
    pub fn stage_of(&self, expr: ExprId) -> Option<&Stage> {
        let stage = self.stages.get(self.stages.partition_point(|stage| stage.expr < expr))?;
        (stage.first <= expr).then_some(stage)
    }
}
