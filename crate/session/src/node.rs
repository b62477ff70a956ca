//! The nodes of a TensorScript file as values: what they keep, by names, and what they start from.

use crate::data::from_json;
use crate::inputs::{InputError, SplitMix};
use crate::run::Options;
use base::{Append, Span, ToList};
use hir::Module;
use hir::layers::{Parameter, Starts};
use hir::net::MadeOf;
use ty::{Dtype, Elements, Tensor, Value};

/// A tensor that a node keeps, or one of a node inside it.
pub(crate) struct Kept {
    /// From the outermost node: `block.fc1.weight`.
    pub path: String,
    pub parameter: Parameter,
    /// The weight's line.
    pub span: Span,
}

/// The node of a TensorScript file that no other holds and that runs; of several the last.
pub(crate) fn outermost_net(module: &Module) -> Option<usize> {
    let mut is_inner = base::filled(false, module.nets.len());
    for weight in module.nets.iter().flat_map(|net| &net.weights) {
        if let MadeOf::Net(inner) = weight.made_of {
            is_inner[inner] = true;
        }
    }
    let runs = |net: usize| module.nets[net].methods.iter().any(|method| method.name == "forward");
    (0..module.nets.len()).rev().find(|&net| runs(net) && !is_inner[net])
}

/// A node with more weights than this, those of nodes inside it counted each time, is not made up: nodes that hold two
/// of the next one grow fast.
const MAX_WEIGHTS: usize = 100_000;

/// All tensors of a node, those of nodes inside it in their places.
pub(crate) fn parameters(module: &Module, net: usize) -> Result<Vec<Kept>, InputError> {
    let mut kept = Vec::new();
    let mut n_weights = 0;
    let mut pending: Vec<(usize, usize, String)> = vec![(net, 0, String::new())];
    while let Some((net, at, path)) = pending.pop() {
        let Some(weight) = module.nets[net].weights.get(at) else { continue };
        n_weights += 1;
        if n_weights > MAX_WEIGHTS {
            let message = format!("this holds more than {MAX_WEIGHTS} weights, too many to be made up");
            return Err(InputError { span: weight.span, message });
        }
        pending.push((net, at + 1, path.clone()));
        match &weight.made_of {
            MadeOf::Layer(layer, args) => kept.append_all(layer.parameters(args).into_iter().map(|mut parameter| {
                if let Some(init) = weight.init.as_ref().filter(|_| parameter.name == "weight") {
                    parameter.starts = init.starts(&parameter.shape);
                }
                Kept { path: format!("{path}{}.{}", weight.name, parameter.name), parameter, span: weight.span }
            })),
            MadeOf::Net(inner) => pending.push((*inner, 0, format!("{path}{}.", weight.name))),
            MadeOf::Unknown => {}
        }
    }
    Ok(kept)
}

/// A node as a value: its weights from the inputs, otherwise as they are before anything is learnt.
pub(crate) fn node_value(
    module: &Module,
    net: usize,
    kept: &[Kept],
    options: &Options,
    random: &mut SplitMix,
) -> Result<Value, InputError> {
    let mut tensors = Vec::with_capacity(kept.len());
    for Kept { path, parameter, span } in kept {
        let shape: Vec<usize> = parameter.shape.iter().map(|&size| size as usize).list();
        let value = match options.given().and_then(|given| given.get(path)) {
            Some(json) => from_json(json, Dtype::Float32, &shape.iter().copied().map(Some).list()),
            None => start(shape, parameter.starts, random),
        };
        tensors.push(value.map_err(|message| InputError { span: *span, message: format!("`{path}`: {message}") })?);
    }
    // From the inside out: a node is made when all that it holds is there.
    let mut tensors = tensors.into_iter();
    let mut open: Vec<(usize, usize, Vec<Value>)> = vec![(net, 0, Vec::new())];
    loop {
        let Some((net, at, fields)) = open.last_mut() else { return Ok(Value::unit()) };
        match module.nets[*net].weights.get(*at).map(|weight| &weight.made_of) {
            Some(MadeOf::Layer(..)) => {
                let n = module.nets[*net].weights[*at].fields.len();
                *at += 1;
                fields.append_all(tensors.by_ref().take(n));
            }
            Some(MadeOf::Net(inner)) => {
                *at += 1;
                let inner = *inner;
                open.push((inner, 0, Vec::new()));
            }
            Some(MadeOf::Unknown) => *at += 1,
            None => {
                let ctor = module.adts[module.nets[*net].adt].ctors[0];
                let value = Value::Data(ctor.number(), ty::Fields::new(std::mem::take(fields)));
                open.pop();
                match open.last_mut() {
                    Some((_, _, outer)) => outer.push(value),
                    None => return Ok(value),
                }
            }
        }
    }
}

/// What a parameter holds before anything is learnt.
fn start(shape: Vec<usize>, starts: Starts, random: &mut SplitMix) -> Result<Value, String> {
    let n = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size)).filter(|&n| n <= 1 << 26);
    let n = n.ok_or("it is too large to be made up")?;
    let element = |_| {
        let element = match starts {
            Starts::Constant(value) => value,
            Starts::Uniform { low, high } => (low + high) / 2.0 + random.unit() * (high - low) / 2.0,
            Starts::Normal { mean, std } => mean + random.normal() * std,
        };
        op::round_to(Dtype::Float32, element)
    };
    let elements = (0..n).map(element).list();
    Ok(Value::tensor(Tensor { dtype: Dtype::Float32, shape, elements: Elements::Float(elements) }))
}
