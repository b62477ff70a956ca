//! Edits of numbers in TensorScript: what a layer takes, what one before it gives, what types say of the node, of one
//! inside it, of a function or of one layer; windows, paddings, axes and groups.
//!
//! Nothing need be tried with holes here: all sizes are written, and inference knows what comes to each layer. Where
//! that is other than what the layer takes, they clash, and one of both may be at fault. An edit may make the next
//! layer clash, which is followed a few layers far.
//!
//! Worked example: `fc1 = Linear::new(in=784, out=64); fc2 = Linear::new(in=128, out=10);` and `x |> fc1 |> fc2`: write
//! `in=64` in `fc2`, or `out=128` in `fc1`.

use crate::bench::{Bench, Checked};
use crate::call::attr_name;
use crate::candidate::{Candidate, numbers};
use crate::outline::Outline;
use crate::stage;
use crate::value::swap;
use base::{Append, Diagnostic, Edit, Span, ToList};
use hir::layers::{LayerKind, int};
use hir::net::{Applied, MadeOf, Method, Net, Weight};
use hir::{DefId, ExprId, ExprKind, Module, TypeExprId, TypeExprKind};
use syntax::{NodeId, NodeKind, TokenKind};

/// At most this many clashes are looked at.
const MAX_CLASHES: usize = 6;

/// An edit is followed at most this many layers far.
const MAX_FOLLOWED: usize = 6;

/// Windows of at most this many calls are tried.
const MAX_WINDOWS: usize = 24;

/// Layers are in each other's places at most so many stages apart.
const MAX_APART: usize = 8;

/// A number of groups is changed by at most this.
const MAX_GROUPS: i64 = 1024;

/// Types of at most this many sizes get others.
const MAX_SIZES: usize = 8;

/// At most this many weights of a node may be those that an operator does not take together.
const MAX_OPERANDS: usize = 64;

/// A value has `have` features where `want` of them are taken.
struct Clash {
    /// Who gives them comes before this stage, and not before that one.
    at: usize,
    from: usize,
    net: usize,
    have: i64,
    want: i64,
    taker: Taker,
    /// How many features there are once the value is flattened.
    flat: Option<i64>,
}

/// Who takes the value.
#[derive(Clone, Copy, PartialEq)]
enum Taker {
    /// An argument of a weight.
    Argument(usize, usize, &'static str),
    View,
    /// The written type of a function's parameter; where the size stands.
    Param(Span),
    /// The written type of its result.
    Result(Span),
}

/// An edit, and what it writes in words.
struct Written {
    edit: Edit,
    words: String,
    /// What speaks against it more than against others.
    extra: u32,
}

fn clashes(checked: &Checked) -> Vec<Clash> {
    let module = &checked.module;
    let mut found = Vec::new();
    let stages = &module.stages;
    let shape = |expr: ExprId| Some(checked.shaped(checked.inferred.exprs[expr]?)?.dims);
    let methods = module.nets.iter().enumerate().flat_map(|(net, of)| of.methods.iter().map(move |it| (net, it.def)));
    for (net, def) in methods {
        let function = &module.functions[module.defs[def].function];
        let before = |at: u32| stages.partition_point(|stage| stage.span.start < at);
        let (from, end) = (before(function.span.start), before(function.span.end));
        let clash = |at, have, want, taker| Clash { at, from, net, have, want, taker, flat: None };
        for (stage, at) in stages[from..end].iter().zip(from..) {
            let Some(dims) = shape(stage.input) else { continue };
            let flat = dims[1.min(dims.len())..].iter().try_fold(1_i64, |n, size| n.checked_mul((*size)?));
            if let Some(def) = function_of(module, &stage.applied) {
                let param = module.functions[module.defs[def].function].params.get(1);
                let written = param.and_then(|&param| module.locals[param].annotation);
                let differ = differing(checked, &dims, written).into_iter();
                found.append_all(differ.map(|(have, want, span)| clash(at, have, want, Taker::Param(span))));
            }
            match &stage.applied {
                &Applied::Weight(net, weight) => {
                    let MadeOf::Layer(layer, args) = &module.nets[net].weights[weight].made_of else { continue };
                    let Some(argument) = layer.size_in() else { continue };
                    let have = layer.features_axis(args, dims.len()).and_then(|axis| dims[axis]);
                    if let Some(have) = have.filter(|&have| have != int(args, argument)) {
                        let taker = Taker::Argument(net, weight, argument);
                        let flat = flat.filter(|_| layer.kind == LayerKind::Linear && dims.len() > 2);
                        found.push(Clash { flat, ..clash(at, have, int(args, argument), taker) });
                    }
                }
                Applied::View(sizes) if sizes.first() == Some(&-1) => {
                    let want = sizes[1..].iter().try_fold(1_i64, |n, &size| n.checked_mul(size));
                    if let (Some(have), Some(want)) = (flat, want)
                        && have != want
                    {
                        found.push(clash(at, have, want, Taker::View));
                    }
                }
                Applied::View(_) | Applied::Layer(..) | Applied::Method(_) => {}
            }
        }
        if let Some(dims) = shape(tail(checked, function.body)) {
            let differ = differing(checked, &dims, function.result);
            found.append_all(differ.into_iter().map(|(have, want, span)| clash(end, have, want, Taker::Result(span))));
        }
    }
    found.truncate(MAX_CLASHES);
    found
}

/// The function that is applied: one of the node, or that of a node inside it.
fn function_of(module: &Module, applied: &Applied) -> Option<DefId> {
    match *applied {
        Applied::Method(def) => Some(def),
        Applied::Weight(net, weight) => match module.nets[net].weights[weight].made_of {
            MadeOf::Net(inner) => Some(module.nets[inner].methods.iter().find(|method| method.name == "forward")?.def),
            MadeOf::Layer(..) | MadeOf::Unknown => None,
        },
        Applied::View(_) | Applied::Layer(..) => None,
    }
}

/// The expression that a function's result is.
fn tail(checked: &Checked, mut expr: ExprId) -> ExprId {
    loop {
        expr = match &checked.module.exprs[expr].kind {
            ExprKind::Block { tail, .. } => *tail,
            ExprKind::Match { arms, .. } if !arms.is_empty() => arms[0].body,
            _ => return expr,
        };
    }
}

/// The sizes that are written in a type, and where; 0 for what is no number.
fn sizes(checked: &Checked, written: Option<TypeExprId>) -> Vec<(i64, Span)> {
    let types = &checked.module.type_exprs;
    let mut found = Vec::new();
    let Some(written) = written else { return found };
    let TypeExprKind::Tensor { shape, .. } = types[written].kind else { return found };
    let TypeExprKind::Shape(sizes) = &types[shape].kind else { return found };
    for &size in sizes {
        let number = if let TypeExprKind::Dim(number) = types[size].kind { number } else { 0 };
        found.push((number, types[size].span));
    }
    found
}

/// The sizes of a value that are other than a written type says, with what that says, and where.
fn differing(checked: &Checked, dims: &[Option<i64>], written: Option<TypeExprId>) -> Vec<(i64, i64, Span)> {
    let mut differ = Vec::new();
    for (have, (want, span)) in dims.iter().zip(sizes(checked, written)) {
        match *have {
            Some(have) if want != 0 && have != want => differ.push((have, want, span)),
            _ => {}
        }
    }
    differ
}

pub(crate) fn candidates(bench: &mut Bench, outline: &Outline, out: &mut Vec<Candidate>) {
    told(bench, outline, out);
    arguments(bench, outline, out);
    operands(bench, outline, out);
    taken(bench, outline, out);
    stage::candidates(bench, outline, out);
    samples(bench, outline, out);
    let clashes = clashes(outline.checked);
    // Or what is put together has other heights.
    let is_joined = |fault: &Diagnostic| {
        fault.code == "broadcast-incompatible" || outline.text(outline.covering(fault.span)).starts_with("cat(")
    };
    if !clashes.is_empty() || bench.faults.iter().any(is_joined) {
        windows(outline, out);
    }
    for clash in clashes {
        exchanged(outline, &clash, out);
        for first in mends(outline, outline.checked, &clash) {
            let place = first.edit.span;
            let mut all = vec![first];
            put(&all, place, 2, out);
            follow(bench, outline, &clash, &mut all);
            if all.len() > 1 {
                put(&all, place, 2 + all.len() as u32, out);
            }
        }
        let header = of_type(outline, &clash);
        if let Some(first) = header.first() {
            // What is written alike several times is hardly wrong.
            put(&header, first.edit.span, 2 + header.len() as u32, out);
        }
        if let Some((inside, mut all)) = of_inner(outline, &clash) {
            let place = all[0].edit.span;
            follow(bench, outline, &inside, &mut all);
            put(&all, place, 2 + all.len() as u32, out);
        }
    }
}

/// A `view` that says how many samples there are, where any number of them comes.
fn samples(bench: &Bench, outline: &Outline, out: &mut Vec<Candidate>) {
    for stage in &outline.checked.module.stages {
        let mut faults = bench.faults.iter().take(MAX_CLASHES);
        if matches!(stage.applied, Applied::View(_))
            && faults.any(|fault| stage.span.contains(fault.span.start))
            && let [first, ref others @ ..] = view_sizes(outline, stage.span)[..]
        {
            // One size alone is that of all that is in a sample.
            let text = if others.is_empty() { format!("_, {}", outline.text(first)) } else { "_".to_owned() };
            let title = format!("write `{text}` for `{}`", outline.text(first));
            out.push(Candidate::replace(4, outline.span(first), text, title));
        }
    }
}

/// Of two sizes in types that a fault points at, each in the place of the other: a function's, or a layer's.
fn told(bench: &Bench, outline: &Outline, out: &mut Vec<Candidate>) {
    for fault in bench.faults.iter().take(MAX_CLASHES) {
        let written = |span: Span| Some((span, base::parse_i64(&bench.text[span.range()])?));
        let spans = fault.labels.iter().map(|label| label.span).chain([fault.span]);
        let sizes: Vec<(Span, i64)> = spans.filter_map(written).take(MAX_CLASHES).list();
        for &(span, old) in &sizes {
            let is_argument =
                outline.parent(outline.covering(span)).is_some_and(|it| outline.kind(it) == NodeKind::Attr);
            for &(_, new) in sizes.iter().filter(|&&(_, new)| new != old && !is_argument) {
                out.push(Candidate::replace(3, span, new.to_string(), format!("write `{new}` for `{old}`")));
            }
        }
    }
}

/// Weights that give one of two sizes which an operator does not take together, and may be meant to give the other.
fn operands(bench: &Bench, outline: &Outline, out: &mut Vec<Candidate>) {
    let is_of_operands = |fault: &&Diagnostic| fault.code == "broadcast-incompatible";
    for fault in bench.faults.iter().filter(is_of_operands).take(MAX_CLASHES) {
        let mut sizes = Vec::new();
        numbers(&fault.message, &mut sizes);
        let [a, b, ..] = sizes[..] else { continue };
        for net in &outline.checked.module.nets {
            for (at, weight) in net.weights.iter().enumerate().take(MAX_OPERANDS) {
                let MadeOf::Layer(layer, args) = &weight.made_of else { continue };
                let Some(argument) = layer.size_out() else { continue };
                let size = match int(args, argument) {
                    now if now == a => b,
                    now if now == b => a,
                    _ => continue,
                };
                for written in argument_edits(outline, net, at, argument, size) {
                    let place = written.edit.span;
                    put(&[written], place, 5, out);
                }
            }
        }
    }
}

/// What the arguments of a layer that do not fit one another may be: other axes, or other numbers of groups or heads,
/// which divide what is grouped.
fn arguments(bench: &Bench, outline: &Outline, out: &mut Vec<Candidate>) {
    for fault in bench.faults.iter().take(MAX_CLASHES) {
        let at = outline.covering(fault.span);
        let list = outline.list(at).or_else(|| outline.list(outline.parent(at)?));
        let given = list.map(|list| outline.tree.children(list)).unwrap_or_default();
        let given: Vec<NodeId> = given.into_iter().take(MAX_WINDOWS).list();
        let value = |arg: NodeId| outline.tree.children(arg).first().copied();
        let number = |arg: NodeId| base::parse_i64(outline.text(value(arg)?));
        for &arg in given.iter().filter(|_| fault.code == "relation-check") {
            stage::along(outline, arg, 9, out);
        }
        for &arg in given.iter().filter(|_| fault.code == "layer-argument") {
            let name = attr_name(outline, arg);
            let Some(now) = number(arg).filter(|_| ["groups", "num_groups", "num_heads"].contains(&name)) else {
                continue;
            };
            for grouped in given.iter().filter(|&&other| other != arg).filter_map(|&other| number(other)) {
                // The next divisors on both sides.
                for step in [-1, 1] {
                    let mut near = (1..=MAX_GROUPS).map(|n| now.saturating_add(step * n));
                    let Some(new) = near.find(|&new| new > 0 && grouped % new == 0) else { continue };
                    let cost = 6 + new.abs_diff(now).min(4) as u32;
                    let at = value(arg).map_or(fault.span, |value| outline.span(value));
                    out.push(Candidate::replace(cost, at, new.to_string(), format!("write `{name}={new}`")));
                }
            }
        }
    }
}

/// Other windows of convolutions and pools, the near ones first, and the padding that keeps the size.
fn windows(outline: &Outline, out: &mut Vec<Candidate>) {
    let tree = outline.tree;
    let weights = || outline.checked.module.nets.iter().flat_map(|net| &net.weights);
    let given = |list: NodeId, name: &str| {
        let mut given = tree.children(list).into_iter().filter(|&arg| tree.kind(arg) == NodeKind::Attr);
        tree.children(given.find(|&arg| attr_name(outline, arg) == name)?).first().copied()
    };
    let named = |list: NodeId, name: &str| {
        let value = given(list, name)?;
        Some((value, base::parse_i64(outline.text(value))?))
    };
    for list in outline.all(NodeKind::ArgList).into_iter().take(MAX_WINDOWS) {
        let Some((kernel, size)) = named(list, "kernel_size") else { continue };
        let at = outline.span(list).start;
        let is_of = |weight: &&Weight| {
            let start = weight.span.start;
            start < at && base::find(&tree.text()[start as usize..at as usize], ";").is_none()
        };
        let weight = weights().find(is_of);
        let called = || base::before(outline.parent(list).map_or("", |call| outline.text(call)), "(");
        let place = format!(" in `{}`", weight.map_or_else(called, |weight| &weight.name));
        for (name, least) in [("kernel_size", 1_i64), ("stride", 1), ("padding", 0)] {
            let Some((value, now)) = named(list, name) else { continue };
            for new in (least..=7).filter(|&new| new != now) {
                // Nobody means padding around single elements.
                let is_odd_one = name == "padding" && (size, new) == (1, 0);
                let cost = if is_odd_one { 5 } else { 6 + new.abs_diff(now).min(4) as u32 };
                let title = format!("write `{name}={new}`{place}");
                out.push(Candidate::replace(cost, outline.span(value), new.to_string(), title));
            }
        }
        let is_transposed =
            outline.parent(list).is_some_and(|made| base::find(outline.text(made), "ConvTranspose").is_some());
        // What keeps the size, or makes it as many times larger as the stride is.
        let beyond = if is_transposed { size.saturating_sub(named(list, "stride").map_or(1, |it| it.1)) } else { size };
        let is_odd = beyond > 1 && beyond % 2 == i64::from(!is_transposed);
        for (name, value, is_likely) in
            [("padding", beyond / 2, is_odd), ("stride", 2, true), ("stride", size, size > 2)]
        {
            if is_likely && given(list, "in_ch").is_some() && given(list, name).is_none() {
                let text = format!(", {name}={value}");
                let title = format!("add `{}`{place}", &text[2..]);
                out.push(Candidate::replace(5, outline.span(kernel).after(), text, title).at(outline.span(list)));
            }
        }
        if is_transposed && named(list, "output_padding").is_none() {
            let last = tree.children(list).last().map_or(outline.span(list), |&last| outline.span(last));
            let title = format!("add `output_padding=1`{place}");
            out.push(Candidate::replace(5, last.after(), ", output_padding=1", title).at(outline.span(list)));
        }
    }
}

fn put(all: &[Written], place: Span, cost: u32, out: &mut Vec<Candidate>) {
    let words: Vec<&str> = all.iter().map(|written| written.words.as_str()).list();
    let mut title = String::from("write ");
    for (i, &part) in words.iter().enumerate() {
        if !words[..i].contains(&part) {
            title += if i > 0 { ", " } else { "" };
            title += part;
        }
    }
    let cost = cost + all.iter().map(|written| written.extra).total::<u32>();
    out.push(Candidate { title, edits: all.iter().map(|written| written.edit.clone()).list(), place, cost });
}

/// The edits of one size each that may mend a clash of a text that is checked.
fn mends(outline: &Outline, checked: &Checked, clash: &Clash) -> Vec<Written> {
    let mut found = Vec::new();
    if let Some(flat) = clash.flat {
        let span = outline.checked.module.stages[clash.at].span;
        let is_piped = outline.parent(outline.covering(span)).is_some_and(|it| outline.kind(it) == NodeKind::Pipe);
        if is_piped {
            let edit = Edit { span: Span::new(span.start, span.start), text: format!("view(_, {flat}) |> ") };
            let words = format!("`view(_, {flat}) |> {}`", &outline.tree.text()[span.range()]);
            found.push(Written { edit, words, extra: 0 });
        }
    }
    found.append(&mut of_taker(outline, clash));
    found.append(&mut of_giver(outline, checked, clash));
    found
}

/// What makes the nearest layer or function that gives the features give what is taken.
fn of_giver(outline: &Outline, checked: &Checked, clash: &Clash) -> Vec<Written> {
    let (module, old) = (&checked.module, &outline.checked.module);
    for at in (clash.from..clash.at).rev() {
        let stage = &module.stages[at];
        match stage.applied {
            Applied::Weight(net, weight) => {
                let MadeOf::Layer(layer, args) = &module.nets[net].weights[weight].made_of else { continue };
                let Some(argument) = layer.size_out() else { continue };
                let now = int(args, argument);
                if now == clash.have {
                    return argument_edits(outline, &old.nets[net], weight, argument, clash.want);
                }
                // As many more channels as there are more numbers in what is flattened.
                let is_flat = clash.taker == Taker::View || clash.flat.is_some();
                let wanted = now.checked_mul(clash.want).filter(|wanted| is_flat && wanted % clash.have.max(1) == 0);
                let Some(size) = wanted.map(|wanted| wanted / clash.have.max(1)) else { return Vec::new() };
                let mut edits = argument_edits(outline, &old.nets[net], weight, argument, size);
                for written in &mut edits {
                    written.extra = 2 + size.abs_diff(now).min(4) as u32;
                }
                return edits;
            }
            Applied::Method(def) => {
                let (mut edits, result) = (Vec::new(), old.functions[old.defs[def].function].result);
                for (size, span) in sizes(outline.checked, result) {
                    let node = outline.covering(span);
                    if size == clash.have {
                        let words = format!("`{}` for `{}`", clash.want, outline.text(node));
                        edits.append_all(value_edits(outline, node, clash.want, words));
                    }
                }
                return edits;
            }
            Applied::View(_) => {
                let sizes = view_sizes(outline, old.stages[at].span);
                let size = sizes.into_iter().skip(1).find(|&size| outline.text(size) == clash.have.to_string());
                let words = format!("`{}` for `{}` in `view`", clash.want, clash.have);
                if let Some(size) = size.filter(|_| clash.taker != Taker::View) {
                    return value_edits(outline, size, clash.want, words);
                }
            }
            Applied::Layer(..) => {}
        }
    }
    Vec::new()
}

/// What stands in the parentheses of a `view`.
fn view_sizes(outline: &Outline, view: Span) -> Vec<NodeId> {
    let list = outline.list(outline.covering(view));
    list.map(|list| outline.tree.children(list).to_vec()).unwrap_or_default()
}

/// What makes the taker take what comes.
fn of_taker(outline: &Outline, clash: &Clash) -> Vec<Written> {
    let module = &outline.checked.module;
    match clash.taker {
        Taker::Argument(net, weight, argument) => {
            argument_edits(outline, &module.nets[net], weight, argument, clash.have)
        }
        Taker::View => {
            let Some(stage) = module.stages.get(clash.at) else { return Vec::new() };
            match view_sizes(outline, stage.span)[..] {
                [_, size] => value_edits(outline, size, clash.have, format!("`view(_, {})`", clash.have)),
                _ => Vec::new(),
            }
        }
        Taker::Param(span) | Taker::Result(span) => {
            let (old, new) = (&outline.tree.text()[span.range()], clash.have);
            vec![Written {
                edit: Edit { span, text: new.to_string() },
                words: format!("`{new}` for `{old}`"),
                extra: 0,
            }]
        }
    }
}

/// `in=64` for a weight.
fn argument_edits(outline: &Outline, net: &Net, weight: usize, argument: &str, size: i64) -> Vec<Written> {
    let words = format!("`{argument}={size}` in `{}`", net.weights[weight].name);
    let value = argument_value(outline, net, weight, argument);
    value.map(|value| value_edits(outline, value, size, words)).unwrap_or_default()
}

/// What a weight is given for an argument.
fn argument_value(outline: &Outline, net: &Net, weight: usize, argument: &str) -> Option<NodeId> {
    let list = outline.list(outline.covering(net.weights[weight].span))?;
    let given = outline.tree.children(list).into_iter().find(|&arg| attr_name(outline, arg) == argument)?;
    outline.tree.children(given).first().copied()
}

/// What a layer takes and gives the other way round, and two layers of a node in each other's places.
fn exchanged(outline: &Outline, clash: &Clash, out: &mut Vec<Candidate>) {
    let Taker::Argument(net, weight, argument) = clash.taker else { return };
    let (module, net_of) = (&outline.checked.module, &outline.checked.module.nets[net]);
    let MadeOf::Layer(layer, _) = &net_of.weights[weight].made_of else { return };
    let value = |argument| argument_value(outline, net_of, weight, argument);
    if let Some((taken, given)) = value(argument).zip(layer.size_out().and_then(value)) {
        out.append_all(swap(outline, taken, given, 2, "sizes"));
    }
    // `fc(x)` is a stage as a whole.
    let named = |span| {
        let stage = outline.covering(span);
        let is_call = outline.kind(stage) == NodeKind::Call;
        outline.tree.children(stage).first().copied().filter(|_| is_call).unwrap_or(stage)
    };
    let own = named(module.stages[clash.at].span);
    let first = clash.from.max(clash.at.saturating_sub(MAX_APART));
    for stage in module.stages[first..].iter().take(clash.at + MAX_APART + 1 - first) {
        if matches!(stage.applied, Applied::Weight(other_net, other) if other_net == net && other != weight) {
            out.append_all(swap(outline, own, named(stage.span), 3, "layers"));
        }
    }
}

/// Another size in the place of one; of one that has a name, what that names may be at fault too.
fn value_edits(outline: &Outline, value: NodeId, size: i64, words: String) -> Vec<Written> {
    let mut found = vec![Written { edit: Edit { span: outline.span(value), text: size.to_string() }, words, extra: 0 }];
    if let Some(span) = dim_value(outline, outline.text(value)) {
        let words = format!("`dim {} = {size}`", outline.text(value));
        found.push(Written { edit: Edit { span, text: size.to_string() }, words, extra: 0 });
    }
    found
}

/// Where the number of a `dim` stands.
fn dim_value(outline: &Outline, name: &str) -> Option<Span> {
    let is_it = |&dim: &NodeId| own_token(outline, dim, TokenKind::Ident).is_some_and(|it| it.0 == name);
    Some(own_token(outline, outline.all(NodeKind::DimItem).into_iter().find(is_it)?, TokenKind::Int)?.1)
}

fn own_token<'a>(outline: &Outline<'a>, node: NodeId, kind: TokenKind) -> Option<(&'a str, Span)> {
    let tree = outline.tree;
    let token = tree.own_tokens(node).find(|&token| tree.token_kind(token) == kind)?;
    Some((tree.token_text(token), tree.token_span(token)))
}

/// Writes the size in the type of the node, wherever that is written.
fn of_type(outline: &Outline, clash: &Clash) -> Vec<Written> {
    let (side, old, new) = match clash.taker {
        Taker::Result(_) => (1, clash.want, clash.have),
        _ => (0, clash.have, clash.want),
    };
    let mut found: Vec<Written> = Vec::new();
    for sizes in headers(outline, clash.net, side) {
        for dim in sizes.into_iter().filter(|&dim| outline.text(dim) == old.to_string()) {
            let words = format!("`{new}` for `{old}` in the type of the node");
            found.push(Written { edit: Edit { span: outline.span(dim), text: new.to_string() }, words, extra: 0 });
        }
    }
    found
}

/// Writes the size in the type of the node that takes the value, whose layers may clash then.
fn of_inner(outline: &Outline, clash: &Clash) -> Option<(Clash, Vec<Written>)> {
    let Taker::Param(span) = clash.taker else { return None };
    let module = &outline.checked.module;
    for (net, inner) in module.nets.iter().enumerate() {
        let headers = headers(outline, net, 0);
        let at = |sizes: &Vec<NodeId>| sizes.iter().position(|&size| outline.span(size) == span);
        let Some(at) = headers.iter().find_map(at) else { continue };
        let mut all = Vec::new();
        for &size in headers.iter().filter_map(|sizes| sizes.get(at)) {
            let words = format!("`{}` for `{}` in the type of `{}`", clash.have, clash.want, inner.name);
            let edit = Edit { span: outline.span(size), text: clash.have.to_string() };
            all.push(Written { edit, words, extra: 0 });
        }
        let method = module.functions[module.defs[inner.methods.first()?.def].function].span;
        let from = module.stages.partition_point(|stage| stage.span.start < method.start);
        return Some((Clash { at: from, net, from, ..*clash }, all));
    }
    None
}

/// The sizes of what a node takes or gives, as they are written before its parts.
fn headers(outline: &Outline, net: usize, side: usize) -> Vec<Vec<NodeId>> {
    let tree = outline.tree;
    let name = outline.checked.module.nets[net].name.as_str();
    let mut found = Vec::new();
    for part in tree.children(tree.root()) {
        let is_part = matches!(tree.kind(part), NodeKind::Net | NodeKind::Weights | NodeKind::Graph);
        let signature = tree.child(part, NodeKind::Signature).filter(|_| is_part).map(|sides| tree.children(sides));
        if let Some(&shape) = signature.as_deref().and_then(|sides| sides.get(side))
            && own_token(outline, part, TokenKind::Ident).is_some_and(|own| own.0 == name)
        {
            found.push(tree.children(shape).to_vec());
        }
    }
    found
}

/// Another type of what the node takes in which a fault stands: an axis more or less, or a larger picture.
fn taken(bench: &Bench, outline: &Outline, out: &mut Vec<Candidate>) {
    let module = &outline.checked.module;
    for fault in bench.faults.iter().take(MAX_CLASHES) {
        if fault.code != "rank-mismatch" && fault.code != "relation-check" {
            continue;
        }
        for (net, of) in module.nets.iter().enumerate() {
            let around = |method: &Method| module.functions[module.defs[method.def].function].span;
            if !of.methods.iter().any(|method| around(method).contains(fault.span.start)) {
                continue;
            }
            let headers = headers(outline, net, 0);
            let rank = headers.first().map_or(0, Vec::len);
            if rank > MAX_SIZES {
                continue;
            }
            for axis in 1..rank {
                other_type(outline, &headers, 9, out, &|at, size| {
                    if at == axis { format!("1, {size}") } else { size.to_owned() }
                });
                // What is handed in has the axes that it has, where a stage may take one away.
                other_type(outline, &headers, 18, out, &|at, size| {
                    if at == axis { String::new() } else { size.to_owned() }
                });
            }
            for times in [2, 4] {
                other_type(outline, &headers, 10, out, &|at, size| match base::parse_i64(size) {
                    Some(number) if at > 1 => number.saturating_mul(times).to_string(),
                    Some(_) | None => size.to_owned(),
                });
            }
        }
    }
}

/// What a node takes, wherever that is written, with other sizes; what is empty goes.
fn other_type(
    outline: &Outline,
    headers: &[Vec<NodeId>],
    cost: u32,
    out: &mut Vec<Candidate>,
    new: &dyn Fn(usize, &str) -> String,
) {
    let mut edits = Vec::new();
    for sizes in headers {
        let mut text = String::new();
        for (at, &size) in sizes.iter().enumerate() {
            let size = new(at, outline.text(size));
            if !size.is_empty() {
                text += if text.is_empty() { "[" } else { ", " };
                text += &size;
            }
        }
        let shape = sizes.first().and_then(|&size| outline.parent(size));
        edits.append_all(shape.map(|shape| Edit { span: outline.span(shape), text: text + "]" }));
    }
    if let Some(Edit { span: place, text }) = edits.first().cloned() {
        out.push(Candidate { title: format!("write `{text}` in the type of the node"), edits, place, cost });
    }
}

/// Lets the layers behind an edit take what they receive then.
fn follow(bench: &mut Bench, outline: &Outline, first: &Clash, all: &mut Vec<Written>) {
    for _ in 0..MAX_FOLLOWED {
        let edits: Vec<Edit> = all.iter().map(|written| written.edit.clone()).list();
        let Some(checked) = bench.checked(&edits) else { return };
        let is_behind = |clash: &Clash| (clash.net, clash.from) == (first.net, first.from);
        let Some(mut clash) = clashes(&checked).into_iter().find(is_behind) else { return };
        // A layer more would be counted.
        let has_more = edits.iter().any(|edit| edit.span.is_empty());
        clash.flat = clash.flat.filter(|_| !has_more);
        let next = match clash.taker {
            Taker::Argument(..) => mends(outline, &checked, &clash),
            Taker::View if has_more => return,
            Taker::View => of_taker(outline, &clash),
            Taker::Param(_) | Taker::Result(_) => of_giver(outline, &checked, &clash),
        };
        let Some(next) = next.into_iter().next() else { return };
        if all.iter().any(|other| other.edit.span == next.edit.span) {
            return;
        }
        all.push(next);
    }
}
