//! What can be wrong with how a layer is written, or with what it is applied to.

use crate::layers::Layer;
use base::Span;
use std::fmt;

/// The sentence of a `layer-argument`.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerFault {
    /// An argument has another form than its parameter takes.
    Unfit {
        name: &'static str,
        want: String,
        found: String,
    },
    NoSuchArgument {
        callee: String,
    },
    /// Numbers of an argument, such as channels, cannot be shared out evenly.
    Indivisible {
        whole: i64,
        what: &'static str,
        name: &'static str,
        parts: i64,
        parts_are: &'static str,
    },
    /// A window of pooling that would lie in the padding alone.
    WidePadding {
        padding: i64,
        window: i64,
    },
    /// A transposed convolution that would add more to its result than there is between two windows.
    WideOutput {
        padding: i64,
        stride: i64,
    },
    SameAxis,
    FarAxis {
        most: i64,
    },
    ManyLayers {
        most: i64,
        found: i64,
    },
    NoWholeNumber {
        dividend: i64,
        divisor: i64,
    },
    DimNotWhole,
    /// Several dims in the parentheses of one.
    SeveralDims,
    /// It has no value before anything runs.
    NotStatic,
    /// A second size that `view` is to find.
    LeftOutTwice {
        first: Option<Span>,
    },
    /// `-1` is found by `view` elsewhere.
    NoViewSize {
        is_found: bool,
    },
    /// A size of the node's type, where a number is wanted; in a body it may be one of `view`.
    OpenDim {
        name: String,
        is_in_body: bool,
    },
    /// `?` where a value should be.
    StrayDim,
    /// What is piped into cannot be applied; `is_operator` if that is so because an operator binds more tightly.
    NotApplied {
        is_operator: bool,
    },
    AppliedToNothing {
        callee: String,
    },
    AppliedTwice {
        is_piped: bool,
    },
    CatOfSeveral,
    ProductOfMore,
    ProductOfOne,
    NoValue {
        name: String,
    },
    /// A layer without weights where one with weights is declared, and the other way round.
    WithoutWeights {
        layer: String,
    },
    WithWeights {
        layer: String,
    },
    NotAWeight,
    /// `x.relu()`.
    ValueHasNone {
        value: String,
        name: String,
    },
    NoForward {
        node: String,
    },
    NoMethod {
        layer: &'static str,
        name: String,
    },
    NodeTakesNothing {
        node: String,
    },
    TakesNoMore {
        callee: String,
    },
    Lacks {
        callee: String,
        name: String,
        declared: Span,
    },
    NotAnInit,
    NothingToFill {
        weight: String,
    },
    FillsMatrices {
        weight: String,
        init: String,
    },
}

impl LayerFault {
    /// What else the sentence is about.
    pub fn other_place(&self) -> Option<Span> {
        match self {
            LayerFault::LeftOutTwice { first } => *first,
            LayerFault::Lacks { declared, .. } => Some(*declared),
            _ => None,
        }
    }
}

impl fmt::Display for LayerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayerFault::Unfit { name, want, found } => write!(f, "expected `{name}` to be {want}, found {found}"),
            LayerFault::NoSuchArgument { callee } => write!(f, "`{callee}` takes no such argument"),
            LayerFault::Indivisible { whole, what, name, parts, parts_are } => {
                write!(f, "the {whole} {what} of `{name}` do not fall into {parts} {parts_are}")
            }
            LayerFault::WidePadding { padding, window } => {
                write!(f, "expected `padding` to be at most half of the window, found {padding} of {window}")
            }
            LayerFault::WideOutput { padding, stride } => {
                write!(f, "expected `output_padding` to be less than `stride`, found {padding} with {stride}")
            }
            LayerFault::SameAxis => f.write_str("`dim0` and `dim1` are the same axis"),
            LayerFault::FarAxis { most } => write!(f, "expected `dim0` and `dim1` to be at most {most}"),
            LayerFault::ManyLayers { most, found } => {
                write!(f, "expected `num_layers` to be at most {most}, found {found}")
            }
            LayerFault::NoWholeNumber { dividend, divisor } => write!(f, "{dividend} / {divisor} is no whole number"),
            LayerFault::DimNotWhole => f.write_str("expected a dim to be a whole number"),
            LayerFault::SeveralDims => f.write_str("expected one dim in parentheses, found some"),
            LayerFault::NotStatic => {
                f.write_str("expected a number, a dim, or arithmetic of them: it must be known before anything runs")
            }
            LayerFault::LeftOutTwice { .. } => {
                f.write_str("`view` can leave out one size only: the others must say what it is")
            }
            LayerFault::NoViewSize { .. } => f.write_str("expected a size of at least 1, `_`, or a name of sizes"),
            LayerFault::OpenDim { name, is_in_body } => {
                let or = if *is_in_body { ", or in `view` leave it out, as `_`" } else { "" };
                write!(f, "the run alone knows `{name}`: declare a `dim {name}`{or}")
            }
            LayerFault::StrayDim => f.write_str("`?` is a size, in types and in `view`; no value"),
            LayerFault::NotApplied { is_operator } => {
                f.write_str("expected a layer or a function of the node to pipe into")?;
                match is_operator {
                    true => f.write_str("; operators bind more tightly than pipes, which need parentheses here"),
                    false => Ok(()),
                }
            }
            LayerFault::AppliedToNothing { callee } => {
                write!(f, "`{callee}` is applied to nothing: pipe a value into it")
            }
            LayerFault::AppliedTwice { is_piped: true } => {
                f.write_str("the pipe hands over the one value that this takes")
            }
            LayerFault::AppliedTwice { is_piped: false } => f.write_str("expected one value here, found another one"),
            LayerFault::CatOfSeveral => f.write_str("`cat` takes its values as one: `cat((a, b), dim=1)`"),
            LayerFault::ProductOfMore => f.write_str("`matmul` multiplies two values, which are here already"),
            LayerFault::ProductOfOne => {
                f.write_str("`matmul` multiplies two values: `matmul(a, b)`, or `a |> matmul(b)`")
            }
            LayerFault::NoValue { name } => write!(f, "`{name}` is no value: pipe one into it"),
            LayerFault::WithoutWeights { layer } => {
                write!(f, "`{layer}` has no weights: pipe into it where it is applied")
            }
            LayerFault::WithWeights { layer } => {
                write!(f, "`{layer}` has weights: give it a name in `weights`, and apply that")
            }
            LayerFault::NotAWeight => f.write_str("expected `self` or a weight in front of the point"),
            LayerFault::ValueHasNone { value, name } => match Layer::of_name(name) {
                Some(layer) => write!(f, "a value has no functions: pipe it, as `{value} |> {}`", layer.name),
                None => write!(f, "`{value}` is a value, which has no `{name}`: pipe it into a layer or a function"),
            },
            LayerFault::NoForward { node } => write!(f, "the node `{node}` has no `forward`"),
            LayerFault::NoMethod { layer, name } => {
                write!(f, "the layer `{layer}` is applied, or initialised in `new`; it has no `{name}`")
            }
            LayerFault::NodeTakesNothing { node } => write!(f, "the node `{node}` takes no arguments"),
            LayerFault::TakesNoMore { callee } => write!(f, "`{callee}` takes no more arguments"),
            LayerFault::Lacks { callee, name, .. } => write!(f, "`{callee}` lacks its argument `{name}`"),
            LayerFault::NotAnInit => f.write_str("`new` calls initialisers of weights and gives `self`, nothing else"),
            LayerFault::NothingToFill { weight } => write!(f, "`{weight}` has no weight to fill"),
            LayerFault::FillsMatrices { weight, init } => {
                write!(f, "the weight of `{weight}` is a vector, and `{init}` fills matrices")
            }
        }
    }
}
