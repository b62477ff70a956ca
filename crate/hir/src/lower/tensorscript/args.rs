//! Arguments that are known before anything runs: of layers and of initialisers.

use super::Lowering;
use super::shape::{Dim, Means};
use super::written::Written;
use crate::error::{Duplicated, HirError, MissingDim};
use crate::layer_fault::LayerFault;
use crate::layers::{Default, INITIALISERS, Layer, LayerKind, Param, Takes};
use crate::net::{Args, Argument};
use base::{Edit, MapArray, Span, ToList};
use syntax::{NodeId, NodeKind, TokenKind};

/// A layer of layers has at most this many layers: each has tensors of its own.
const MAX_LAYERS: i64 = 64;
/// An axis that is swapped is at most this one from the beginning or the end.
const MAX_AXIS: i64 = 20;

pub(super) fn initialiser(name: &str) -> Option<&'static [Param]> {
    INITIALISERS.iter().find(|(known, _)| *known == name).map(|&(_, params)| params)
}

/// The parameter that is meant by a name that none has: PyTorch's, or a part of it.
fn meant(name: &str, params: &'static [Param]) -> Option<&'static str> {
    let is_part = |whole: &str, part: &str| part.len() > 1 && whole.starts_with(part);
    let found = params.iter().find(|param| param.torch == name || (param.name, name) == ("dim", "axis"));
    let found = found.or_else(|| params.iter().find(|param| is_part(param.name, name)));
    let found = found.or_else(|| params.iter().find(|param| name.len() > 2 && base::find(param.torch, name).is_some()));
    found.map(|param| param.name)
}

/// What numbers that fit their parameters one by one cannot be together.
fn fault_of_all(layer: &Layer, args: &Args) -> Option<LayerFault> {
    let int = |name| crate::layers::int(args, name);
    let indivisible =
        |whole, what, name, parts, parts_are| LayerFault::Indivisible { whole, what, name, parts, parts_are };
    let groups = int("groups");
    if let Some(name) = ["in_ch", "out_ch"].into_iter().find(|name| int(name) % groups != 0) {
        return Some(indivisible(int(name), "channels", name, groups, "groups"));
    }
    let pairs = |names: [&str; 2]| {
        let [first, second] = names.map(|name| crate::layers::ints(args, name).iter().copied());
        first.zip(second)
    };
    if matches!(layer.kind, LayerKind::MaxPool(_) | LayerKind::AvgPool(_))
        && let Some((padding, window)) =
            pairs(["padding", "kernel_size"]).find(|(padding, window)| 2 * padding > *window)
    {
        return Some(LayerFault::WidePadding { padding, window });
    }
    if let Some((padding, stride)) = pairs(["output_padding", "stride"]).find(|(padding, stride)| padding >= stride) {
        return Some(LayerFault::WideOutput { padding, stride });
    }
    let axes = ["dim0", "dim1"].each(|name| crate::layers::ints(args, name));
    let (channels, parts) = (int("num_channels"), int("num_groups"));
    let (all, heads) = (int("embed_dim"), int("num_heads"));
    let layers = int("num_layers");
    if axes.concat().iter().any(|axis| axis.abs() > MAX_AXIS) {
        Some(LayerFault::FarAxis { most: MAX_AXIS })
    } else if axes[0] == axes[1] && !axes[0].is_empty() {
        Some(LayerFault::SameAxis)
    } else if channels % parts != 0 {
        Some(indivisible(channels, "channels", "num_channels", parts, "groups"))
    } else if layers > MAX_LAYERS {
        Some(LayerFault::ManyLayers { most: MAX_LAYERS, found: layers })
    } else if all % heads != 0 {
        Some(indivisible(all, "numbers", "embed_dim", heads, "heads"))
    } else {
        None
    }
}

/// What an argument has to be to fit its parameter, and whether it is.
fn fits(takes: Takes, written: &Written) -> (bool, String) {
    let at_least = |least: i64, is_so: bool| (is_so, format!("at least {least}"));
    match (takes, written) {
        (Takes::Int(least) | Takes::Axes { least, .. }, &Written::Int(int)) => at_least(least, int >= least),
        (Takes::Axes { n, least }, Written::Several(ints)) if n > 1 && ints.len() == n => {
            at_least(least, ints.iter().all(|&int| int >= least))
        }
        (Takes::Axes { n, .. }, Written::Several(_)) if n > 1 => {
            (false, format!("a whole number, or {n} in parentheses"))
        }
        (Takes::Axis | Takes::SomeAxes, Written::Int(_))
        | (Takes::SomeAxes, Written::Several(_))
        | (Takes::Flag, Written::Bool(_))
        | (Takes::Float, Written::Float(_)) => (true, String::new()),
        (Takes::Int(_) | Takes::Axis | Takes::Axes { .. }, _) => (false, "a whole number".to_owned()),
        (Takes::Flag, _) => (false, "`true` or `false`".to_owned()),
        (Takes::SomeAxes, _) => (false, "a whole number, or some in parentheses".to_owned()),
        (Takes::Probability, &Written::Float(float)) => {
            ((0.0..=1.0).contains(&float), "a number from 0. to 1.".to_owned())
        }
        (Takes::Probability | Takes::Float, Written::Int(int)) => {
            (false, format!("a number with a point, such as {int}."))
        }
        (Takes::Probability | Takes::Float, _) => (false, "a number with a point".to_owned()),
    }
}

/// The arguments of a layer as far as they have been read.
struct Reading<'t> {
    callee: &'t str,
    params: &'static [Param],
    /// The layer's name, which what is missing is said of.
    span: Span,
    given: Vec<(&'static str, Argument, Span)>,
    foreign: Vec<Foreign<'t>>,
    is_sound: bool,
}

/// An argument without a name, or with a name that PyTorch gives it.
struct Foreign<'t> {
    name: Option<&'t str>,
    span: Span,
    /// The parameter that is meant.
    own: &'static str,
}

impl Reading<'_> {
    fn is_given(&self, own: &str) -> bool {
        self.given.iter().any(|(name, ..)| *name == own)
    }

    fn is_meant(&self, own: &str) -> bool {
        self.foreign.iter().any(|foreign| foreign.own == own)
    }
}

impl<'t> Lowering<'t> {
    pub(super) fn refuse_layer(&mut self, span: Span, fault: LayerFault) {
        self.errors.push(HirError::LayerArgument { span, fault });
    }

    /// The arguments of a layer. `None` if they do not fit, which has been said.
    pub(super) fn layer_args(
        &mut self,
        layer: &'static Layer,
        given: &[NodeId],
        span: Span,
        net: Option<usize>,
    ) -> Option<Args> {
        let args = self.static_args(layer.name, layer.params, given, span, net)?;
        if let Some(fault) = fault_of_all(layer, &args) {
            self.refuse_layer(span, fault);
            return None;
        }
        Some(args)
    }

    /// Arguments by keyword, in any order, defaults filled in.
    pub(super) fn static_args(
        &mut self,
        callee: &'t str,
        params: &'static [Param],
        nodes: &[NodeId],
        span: Span,
        net: Option<usize>,
    ) -> Option<Args> {
        let mut reading = Reading { callee, params, span, given: Vec::new(), foreign: Vec::new(), is_sound: true };
        for (place, &node) in nodes.iter().enumerate() {
            self.read_arg(&mut reading, place, node, net);
        }
        self.refuse_foreign(&mut reading);
        self.fill_defaults(&mut reading);
        let Reading { mut given, is_sound, .. } = reading;
        let order = |name: &str| params.iter().position(|param| param.name == name).map_or(0, |place| place + 1);
        base::sort_by_key(&mut given, |(name, ..)| order(name));
        is_sound.then(|| given.into_iter().map(|(name, argument, _)| (name, argument)).list())
    }

    fn read_arg(&mut self, reading: &mut Reading<'t>, place: usize, node: NodeId, net: Option<usize>) {
        let tree = self.tree;
        if tree.kind(node) == NodeKind::Error {
            reading.is_sound = false;
            return;
        }
        let name = self.own_token(node, &[TokenKind::Ident]);
        let (NodeKind::Attr, Some((name, name_span))) = (tree.kind(node), name) else {
            let span = tree.span(node);
            match reading.params.get(place) {
                Some(param) => reading.foreign.push(Foreign { name: None, span, own: param.name }),
                None => {
                    self.refuse_layer(span, LayerFault::NoSuchArgument { callee: reading.callee.to_owned() });
                    reading.is_sound = false;
                }
            }
            return;
        };
        if name == "x" {
            return;
        }
        let Some(param) = reading.params.iter().find(|param| param.name == name) else {
            if let Some(own) = meant(name, reading.params).filter(|own| !reading.is_meant(own)) {
                reading.foreign.push(Foreign { name: Some(name), span: name_span, own });
                return;
            }
            let nearest = base::nearest(name, reading.params.iter().map(|param| param.name)).map(str::to_owned);
            let (callee, name) = (reading.callee.to_owned(), name.to_owned());
            self.errors.push(HirError::UnknownArgument { callee, name, span: name_span, nearest });
            reading.is_sound = false;
            return;
        };
        if let Some(&(_, _, first)) = reading.given.iter().find(|(known, ..)| *known == param.name) {
            self.duplicate(Duplicated::Attribute, name, name_span, first);
            reading.is_sound = false;
            return;
        }
        let Some(&value) = tree.children(node).first() else { return };
        match self.argument(param, value, net) {
            Some(argument) => reading.given.push((param.name, argument, name_span)),
            None => reading.is_sound = false,
        }
    }

    /// Says which names arguments have here that have none, or another library's: all of them in one edit.
    fn refuse_foreign(&mut self, reading: &mut Reading<'t>) {
        // What stands in the place of an argument that has been given is another one.
        for i in 0..reading.foreign.len() {
            if reading.foreign[i].name.is_none() && reading.is_given(reading.foreign[i].own) {
                let is_open = |param: &&Param| !reading.is_given(param.name) && !reading.is_meant(param.name);
                if let Some(open) = reading.params.iter().find(is_open) {
                    reading.foreign[i].own = open.name;
                }
            }
        }
        let named = reading.foreign.iter().filter(|foreign| !reading.is_given(foreign.own));
        let names = named.map(|&Foreign { name, span, own }| match name {
            Some(_) => Edit { span, text: own.to_owned() },
            None => Edit { span: Span::new(span.start, span.start), text: format!("{own}=") },
        });
        let names: Vec<Edit> = names.list();
        for &Foreign { name, span, own } in &reading.foreign {
            let (callee, name, nearest) = (reading.callee.to_owned(), name.map(str::to_owned), None);
            self.errors.push(match name {
                Some(name) if reading.is_given(own) => HirError::UnknownArgument { callee, name, span, nearest },
                name => HirError::ForeignArgument { callee, name, own, span, names: names.clone() },
            });
        }
        reading.is_sound &= reading.foreign.is_empty();
    }

    fn fill_defaults(&mut self, reading: &mut Reading<'t>) {
        for param in reading.params {
            if reading.is_given(param.name) {
                continue;
            }
            let n = if let Takes::Axes { n, .. } = param.takes { n } else { 1 };
            let argument = match param.default {
                // What was refused is not missing.
                Default::Required if !reading.is_sound => continue,
                Default::Required => {
                    let (callee, name, span) = (reading.callee.to_owned(), param.name, reading.span);
                    let dim = if name == "dim" { self.missing_dim(span) } else { None };
                    self.errors.push(HirError::MissingArgument { callee, name, span, dim });
                    reading.is_sound = false;
                    continue;
                }
                Default::Int(int) => Argument::Ints(base::filled(int, n)),
                Default::Float(float) => Argument::Float(float),
                Default::Flag(flag) => Argument::Flag(flag),
                Default::As(other) => match reading.given.iter().find(|(name, ..)| *name == other) {
                    Some((_, argument, _)) => argument.clone(),
                    None => continue,
                },
            };
            reading.given.push((param.name, argument, reading.span));
        }
    }

    /// Where an axis may be written behind a layer's name.
    fn missing_dim(&self, span: Span) -> Option<MissingDim> {
        let (written, rest) = self.tree.text().split_at(span.end as usize);
        let inside = written.strip_suffix(')').map(str::trim_ascii_end);
        let (at, before, behind) = match inside {
            Some(inside) => (
                inside.len() as u32,
                if inside.as_bytes().last().is_some_and(|last| base::has("(,", *last)) { "" } else { ", " },
                "",
            ),
            None if rest.starts_with("()") => (span.end + 1, "", ""),
            None if rest.starts_with('(') => return None,
            None => (span.end, "(", ")"),
        };
        Some(MissingDim { at, before, behind })
    }

    fn argument(&mut self, param: &Param, node: NodeId, net: Option<usize>) -> Option<Argument> {
        let span = self.tree.span(node);
        if self.tree.kind(node) == NodeKind::Error {
            return None;
        }
        let written = self.written(node, net, 0)?;
        let (fits, want) = fits(param.takes, &written);
        if !fits {
            let found = match &written {
                Written::Int(int) => int.to_string(),
                Written::Float(float) => base::shortest(*float, &base::FLOAT64),
                Written::Bool(bool) => bool.to_string(),
                Written::Several(ints) => format!("{} numbers", ints.len()),
            };
            self.refuse_layer(span, LayerFault::Unfit { name: param.name, want, found });
            return None;
        }
        Some(match (param.takes, written) {
            (Takes::Axes { n, .. }, Written::Int(int)) => Argument::Ints(base::filled(int, n)),
            (_, Written::Int(int)) => Argument::Ints(vec![int]),
            (_, Written::Several(ints)) => Argument::Ints(ints),
            (_, Written::Float(float)) => Argument::Float(float),
            (_, Written::Bool(bool)) => Argument::Flag(bool),
        })
    }

    /// The sizes that a `view` is given; -1 for the one that is left out.
    pub(super) fn view_dims(&mut self, list: NodeId, net: Option<usize>) -> Option<Vec<i64>> {
        let tree = self.tree;
        let mut dims: Vec<i64> = Vec::new();
        let mut left_out: Option<Span> = None;
        for arg in tree.children(list) {
            let span = tree.span(arg);
            match tree.kind(arg) {
                NodeKind::Attr if self.own_name(arg).is_some_and(|(name, _)| name == "x") => {}
                NodeKind::Hole | NodeKind::DimAny => self.leave_out(&mut dims, &mut left_out, span)?,
                NodeKind::NameRef
                    if let Some(Means::Shape(shape)) =
                        self.find_alias(tree.node_text(arg), net).map(|alias| alias.means) =>
                {
                    for (dim, _) in self.shape(shape, net)? {
                        match dim {
                            Dim::Number(number) => dims.push(number),
                            Dim::Named(_) | Dim::Computed(_) | Dim::Hole => {
                                self.leave_out(&mut dims, &mut left_out, span)?;
                            }
                        }
                    }
                }
                NodeKind::Error => return None,
                _ => match self.written(arg, net, 0)? {
                    Written::Int(size) if size >= 1 => dims.push(size),
                    size @ (Written::Int(_) | Written::Float(_) | Written::Bool(_) | Written::Several(_)) => {
                        let is_found = matches!(size, Written::Int(-1));
                        self.refuse_layer(span, LayerFault::NoViewSize { is_found });
                        return None;
                    }
                },
            }
        }
        Some(dims)
    }

    /// A size of a `view` that follows from the others, which only one does.
    fn leave_out(&mut self, dims: &mut Vec<i64>, left_out: &mut Option<Span>, span: Span) -> Option<()> {
        if left_out.is_some() {
            self.refuse_layer(span, LayerFault::LeftOutTwice { first: *left_out });
            return None;
        }
        *left_out = Some(span);
        dims.push(-1);
        Some(())
    }
}
