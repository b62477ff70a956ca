//! Edits of pipelines in TensorScript: a stage that is missing, one too many, one along another axis, and the skip that
//! was not put beside what comes.
//!
//! They are tried in the function in which a fault is told. That the axis which a layer looks along has the wanted size
//! once two axes are swapped is no chance, and speaks for it.
//!
//! Worked example: in `x |> emb |> conv`, where `conv` takes 128 channels and receives [?, 50, 128], write
//! `transpose(dim0=1, dim1=2) |> conv`.

use crate::bench::Bench;
use crate::call::attr_name;
use crate::candidate::Candidate;
use crate::outline::Outline;
use base::{Edit, Span, ToList};
use hir::layers::{Layer, LayerKind, int};
use hir::net::{Applied, Args, MadeOf, Method, Stage, Weight};
use syntax::{NodeId, NodeKind};

/// The functions of at most this many faults are looked at.
const MAX_FAULTS: usize = 2;

/// At most this many places of a function are changed.
const MAX_PLACES: usize = 16;

/// Of weights that nothing applies, at most this many are tried.
const MAX_UNUSED: usize = 4;

/// Of the axes of a sequence and of a picture.
const ORDERS: [&str; 6] = ["(0, 2, 1)", "(0, 3, 1, 2)", "(0, 2, 3, 1)", "(0, 1, 3, 2)", "(0, 2, 1, 3)", "(0, 3, 2, 1)"];

/// Pictures that features become have fewer places along a side.
const MAX_SIDE: i64 = 64;

/// A stage that may be missing.
struct Missing {
    text: String,
    cost: u32,
    /// It is taken back behind the next stage.
    is_undone: bool,
}

pub(crate) fn candidates(bench: &Bench, outline: &Outline, out: &mut Vec<Candidate>) {
    'faults: for fault in bench.faults.iter().take(MAX_FAULTS) {
        let at = outline.covering(fault.span);
        let mut method = at;
        while outline.kind(method) != NodeKind::Method {
            let Some(parent) = outline.parent(method) else { continue 'faults };
            method = parent;
        }
        for pipe in outline.inside(method, NodeKind::Pipe).into_iter().take(MAX_PLACES) {
            if let [from, stage] = outline.tree.children(pipe)[..] {
                before(outline, from, stage, out);
                beside(outline, method, from, stage, out);
                taken_away(outline, from, stage, out);
                instead(outline, from, stage, out);
            }
        }
        for attr in outline.inside(method, NodeKind::Attr).into_iter().take(MAX_PLACES) {
            along(outline, attr, 12, out);
        }
        // What comes to a stage has been seen to.
        let list = if outline.kind(at) == NodeKind::Binary { Some(at) } else { outline.list(at) };
        for operand in list.map(|list| outline.tree.children(list)).unwrap_or_default().into_iter().take(MAX_PLACES) {
            behind(outline, operand, out);
        }
    }
}

/// The weights that nothing applies: like this one, for it where it is applied again; before it, or behind the last
/// stage, where they take what comes.
fn instead(outline: &Outline, from: NodeId, stage: NodeId, out: &mut Vec<Candidate>) {
    let module = &outline.checked.module;
    let (span, old) = (outline.span(stage), outline.text(stage));
    let applied = || module.stages.iter().filter_map(|stage| Some((stage, weight_of(stage)?)));
    if let Some((_, of)) = applied().find(|(known, _)| known.span == span)
        && applied().filter(|&(_, other)| other == of).count() > 1
    {
        let weights = &module.nets[of.0].weights;
        for other in unused(outline, stage).into_iter().filter(|other| layer_name(other) == layer_name(&weights[of.1]))
        {
            let title = format!("write `{}` for `{old}`", other.name);
            out.push(Candidate::replace(2, span, other.name.clone(), title));
        }
    }
    // An activation stands behind what gives it its values.
    let is_bent = layer_of(outline, stage).is_some_and(|(layer, _)| layer.module == "nonlin");
    let before = Span::new(span.start, span.start);
    inserted(outline, (stage, from), (before, if is_bent { 4 } else { 2 }), out);
    let pipe = outline
        .parent(stage)
        .filter(|&pipe| outline.parent(pipe).is_none_or(|around| outline.kind(around) != NodeKind::Pipe));
    if let Some(pipe) = pipe {
        inserted(outline, (stage, pipe), (span.after(), 3), out);
    }
}

/// Weights that nothing applies and that take a value, before or behind a stage.
fn inserted(outline: &Outline, (stage, value): (NodeId, NodeId), (at, cost): (Span, u32), out: &mut Vec<Candidate>) {
    let (old, span) = (outline.text(stage), outline.span(stage));
    for other in unused(outline, stage).into_iter().filter(|other| takes(outline, other, value)) {
        let new = other.name.as_str();
        let (said, text) = match at.start == span.start {
            true => (format!("{new} |> {old}"), format!("{new} |> ")),
            false => (format!("{old} |> {new}"), format!(" |> {new}")),
        };
        out.push(Candidate::replace(cost, at, text, format!("write `{said}`")).at(span));
    }
}

/// The weights of the node around that no function applies.
fn unused<'o>(outline: &'o Outline, stage: NodeId) -> Vec<&'o Weight> {
    let module = &outline.checked.module;
    let at = outline.span(stage).start;
    let around = |method: &Method| module.functions[module.defs[method.def].function].span.contains(at);
    let net = module.nets.iter().find(|net| net.methods.iter().any(around));
    let weights = net.map(|net| net.weights.iter().filter(|weight| !weight.is_used));
    weights.into_iter().flatten().take(MAX_UNUSED).list()
}

fn layer_name(weight: &Weight) -> Option<&'static str> {
    if let MadeOf::Layer(layer, _) = &weight.made_of { Some(layer.name) } else { None }
}

/// Whether a weight takes the features of a value; an `Embedding` takes what has just been handed in.
fn takes(outline: &Outline, weight: &Weight, value: NodeId) -> bool {
    let MadeOf::Layer(layer, args) = &weight.made_of else { return false };
    let sizes = sizes(outline, value);
    match wanted((layer, args), sizes.len()) {
        Some((axis, want)) => sizes[axis] == Some(want),
        None => layer.kind == LayerKind::Embedding && outline.kind(value) != NodeKind::Pipe,
    }
}

/// The layer of a stage and its arguments.
fn layer_of<'o>(outline: &'o Outline, stage: NodeId) -> Option<(&'static Layer, &'o Args)> {
    let module = &outline.checked.module;
    let span = outline.span(stage);
    match &module.stages.iter().find(|known| known.span == span)?.applied {
        &Applied::Weight(net, weight) => match &module.nets[net].weights[weight].made_of {
            MadeOf::Layer(layer, args) => Some((layer, args)),
            _ => None,
        },
        Applied::Layer(layer, args) => Some((layer, args)),
        Applied::View(_) | Applied::Method(_) => None,
    }
}

fn weight_of(stage: &Stage) -> Option<(usize, usize)> {
    match stage.applied {
        Applied::Weight(net, weight) => Some((net, weight)),
        _ => None,
    }
}

/// Other axes for an argument, if it names one, the last ones first.
pub(crate) fn along(outline: &Outline, attr: NodeId, cost: u32, out: &mut Vec<Candidate>) {
    let name = attr_name(outline, attr);
    let value = outline.tree.children(attr).first().copied();
    if let (Some(value), "dims") = (value, name) {
        for order in ORDERS.iter().filter(|&&order| order != outline.text(value)) {
            out.push(Candidate::replace(cost, outline.span(value), *order, format!("write `dims={order}`")));
        }
    } else if let Some(value) = value.filter(|_| base::find(name, "dim").is_some()) {
        for axis in (0..4).rev() {
            let title = format!("write `{name}={axis}`");
            out.push(Candidate::replace(cost - axis, outline.span(value), axis.to_string(), title));
        }
    }
}

fn sizes(outline: &Outline, node: NodeId) -> Vec<Option<i64>> {
    let shaped = outline.term(node).and_then(|term| outline.checked.shaped(term));
    shaped.map(|shaped| shaped.dims).unwrap_or_default()
}

/// The axis along which a layer looks, and how many features it wants there.
fn wanted((layer, args): (&Layer, &Args), rank: usize) -> Option<(usize, i64)> {
    Some((layer.features_axis(args, rank)?, int(args, layer.size_in()?)))
}

/// What may be missing where a value of these sizes is, before a stage of this layer.
fn missing(sizes: &[Option<i64>], layer: Option<(&Layer, &Args)>) -> Vec<Missing> {
    let mut found = Vec::new();
    let mut add = |text: String, cost: u32, is_undone: bool| found.push(Missing { text, cost, is_undone });
    let rank = sizes.len();
    let wanted = layer.and_then(|layer| wanted(layer, rank));
    let is_of = |names: &[&str]| layer.is_some_and(|(layer, _)| names.contains(&layer.module));
    let channels = layer.filter(|_| is_of(&["conv"])).and_then(|(layer, args)| Some(int(args, layer.size_in()?)));
    if let ([_, _, _, last], Some((1, want))) = (sizes, wanted)
        && *last == Some(want)
    {
        add("permute(dims=(0, 3, 1, 2))".to_owned(), 1, false);
    }
    for last in 2..rank.min(4) {
        for first in 1..last {
            let mut cost = 15;
            let is_sequence = rank == 3;
            // Nobody swaps the channels and the height of pictures, or two axes around what moves them itself.
            if !is_sequence && (last - first > 1 || is_of(&["conv", "pool", "shape"])) {
                continue;
            }
            // By chance a small number stands in two places.
            if let Some((axis, want)) = wanted.filter(|&(axis, want)| want > 7 && (axis == first || axis == last))
                && is_sequence
                && sizes[axis] != Some(want)
                && sizes[first + last - axis] == Some(want)
            {
                cost = 1;
            }
            for is_undone in [false, true] {
                add(format!("transpose(dim0={first}, dim1={last})"), cost + u32::from(is_undone), is_undone);
            }
        }
    }
    if rank == 2 || rank == 3 {
        add("unsqueeze(dim=1)".to_owned(), 15, false);
    }
    // Noise that becomes a picture.
    if let (&[_, Some(n)], Some(channels)) = (sizes, channels) {
        let side = (2..MAX_SIDE).find(|side| channels.checked_mul(side * side) == Some(n));
        let (channels, side, cost) = side.map_or((n, 1, 14), |side| (channels, side, 1));
        add(format!("view(_, {channels}, {side}, {side})"), cost, false);
    }
    if let Some(axis) = sizes.iter().position(|&size| size == Some(1)) {
        add(format!("squeeze(dim={axis})"), 15, false);
    }
    if rank > 2 {
        add("flatten".to_owned(), 16, false);
    }
    if rank == 3 {
        add("mean(dim=1)".to_owned(), 17, false);
    }
    found
}

/// Edits and the line that imports what they write, if none does.
fn put(
    outline: &Outline,
    text: &str,
    place: Span,
    mut edits: Vec<Edit>,
    said: &str,
    cost: u32,
    out: &mut Vec<Candidate>,
) {
    let name = base::before(text, "(");
    let tree = outline.tree;
    let is_imported = outline.all(NodeKind::UseName).into_iter().any(|node| tree.node_text(node) == name);
    if let (Some(layer), false) = (Layer::of_name(name), is_imported) {
        let start = tree.children(tree.root()).first().map_or(0, |&first| tree.span(first).start);
        edits.push(insert(start, format!("use {}::{name};\n", layer.module)));
    }
    out.push(Candidate { title: format!("write `{said}`"), edits, place, cost });
}

fn insert(at: u32, text: String) -> Edit {
    Edit { span: Span::new(at, at), text }
}

/// A stage before another.
fn before(outline: &Outline, from: NodeId, stage: NodeId, out: &mut Vec<Candidate>) {
    let (sizes, span, name) = (sizes(outline, from), outline.span(stage), outline.text(stage));
    for Missing { text, cost, is_undone } in missing(&sizes, layer_of(outline, stage)) {
        // What would be undone is taken away instead.
        if name == text || outline.text(from).ends_with(&text) {
            continue;
        }
        let mut edits = vec![insert(span.start, format!("{text} |> "))];
        let mut said = format!("{text} |> {name}");
        if is_undone {
            edits.push(insert(span.end, format!(" |> {text}")));
            said += &format!(" |> {text}");
        }
        put(outline, &text, span, edits, &said, cost, out);
    }
}

/// A stage behind an operand.
fn behind(outline: &Outline, operand: NodeId, out: &mut Vec<Candidate>) {
    let (span, old) = (outline.span(operand), outline.text(operand));
    for Missing { text, cost, is_undone } in missing(&sizes(outline, operand), None) {
        // Noise becomes a picture before a stage that takes one.
        if is_undone || text.starts_with("view") {
            continue;
        }
        let mut said = format!("{old} |> {text}");
        if outline.parent(operand).is_some_and(|parent| outline.kind(parent) == NodeKind::Binary) {
            said = format!("({said})");
        }
        put(outline, &text, span, vec![Edit { span, text: said.clone() }], &said, cost - 5, out);
    }
    for other in unused(outline, operand).into_iter().filter(|other| takes(outline, other, operand)) {
        let said = format!("({old} |> {})", other.name);
        let title = format!("write `{said}`");
        out.push(Candidate::replace(3, span, said, title));
    }
}

/// A skip: what was found before, with all features that are missing.
fn beside(outline: &Outline, method: NodeId, from: NodeId, stage: NodeId, out: &mut Vec<Candidate>) {
    let mut have = sizes(outline, from);
    let layer = layer_of(outline, stage);
    let Some((axis, want)) = layer.and_then(|layer| wanted(layer, have.len())) else { return };
    have[axis] = have[axis].map(|have| want - have);
    let (span, old) = (outline.span(from), outline.text(from));
    for statement in outline.inside(method, NodeKind::Assign) {
        let value = outline.tree.children(statement).first().copied().unwrap_or(statement);
        if outline.span(statement).end <= span.start && sizes(outline, value) == have {
            let said = format!("cat(({old}, {}), dim={axis})", attr_name(outline, statement));
            put(outline, "cat", span, vec![Edit { span, text: said.clone() }], &said, 1, out);
        }
    }
}

/// A stage that only moves numbers, and may be one too many.
fn taken_away(outline: &Outline, from: NodeId, stage: NodeId, out: &mut Vec<Candidate>) {
    let name = base::before(attr_name(outline, stage), "(");
    if Layer::of_name(name).is_some_and(|layer| layer.module == "shape") {
        let sizes = sizes(outline, from);
        // The next stage is at the end of the pipe around this one.
        let around =
            outline.parent(stage).and_then(|pipe| outline.parent(pipe)).map(|node| outline.tree.children(node));
        let next = around.and_then(|parts| wanted(layer_of(outline, *parts.last()?)?, sizes.len()));
        let cost = if next.is_some_and(|(axis, want)| sizes[axis] == Some(want)) { 1 } else { 9 };
        let gone = Span::new(outline.span(from).end, outline.span(stage).end);
        out.push(Candidate::replace(cost, gone, "", format!("take `{name}` away")).at(outline.span(stage)));
    }
}
