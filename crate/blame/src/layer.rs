//! Edits of numbers in TensorScript: what a layer takes, what one before it gives, what types say of the node, of a
//! function or of one layer; windows, paddings and axes.
//!
//! Nothing need be tried with holes here: all sizes are written, and inference knows what comes to each layer. Where
//! that is other than what the layer takes, they clash, and one of both may be at fault. An edit may make the next
//! layer clash, which is followed a few layers far.
//!
//! Worked example: `fc1 = Linear::new(in=784, out=64); fc2 = Linear::new(in=128, out=10);` and `x |> fc1 |> fc2`: write
//! `in=64` in `fc2`, or `out=128` in `fc1`.

use crate::bench::{Bench, Checked};
use crate::call::attr_name;
use crate::candidate::Candidate;
use crate::outline::Outline;
use base::{Append, Edit, Span, ToList};
use hir::layers::{LayerKind, int};
use hir::net::{Applied, MadeOf, Net};
use hir::{ExprId, ExprKind, TypeExprId, TypeExprKind};
use syntax::{NodeId, NodeKind, TokenKind};

/// At most this many clashes are looked at.
const MAX_CLASHES: usize = 6;

/// An edit is followed at most this many layers far.
const MAX_FOLLOWED: usize = 6;

/// Windows of at most this many calls are tried.
const MAX_WINDOWS: usize = 24;

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
                Applied::Method(def) => {
                    let function = &module.functions[module.defs[*def].function];
                    let written = function.params.get(1).and_then(|&param| module.locals[param].annotation);
                    let differ = differing(checked, &dims, written);
                    found.append_all(
                        differ.into_iter().map(|(have, want, span)| clash(at, have, want, Taker::Param(span))),
                    );
                }
                Applied::View(_) | Applied::Layer(..) => {}
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
    axes(bench, outline, out);
    let clashes = clashes(outline.checked);
    if !clashes.is_empty() {
        windows(outline, out);
    }
    for clash in clashes {
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
    }
}

/// Of two sizes in types that a fault points at, each in the place of the other: a function's, or a layer's.
fn told(bench: &Bench, outline: &Outline, out: &mut Vec<Candidate>) {
    for fault in bench.faults.iter().take(MAX_CLASHES) {
        let written = |span: Span| Some((span, bench.text[span.range()].parse::<i64>().ok()?));
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

/// Other axes of a layer that has no such axis, the last ones first.
fn axes(bench: &Bench, outline: &Outline, out: &mut Vec<Candidate>) {
    for fault in bench.faults.iter().take(MAX_CLASHES).filter(|fault| fault.code == "relation-check") {
        let list = outline.tree.child(outline.covering(fault.span), NodeKind::ArgList);
        let args = list.map(|list| outline.tree.children(list)).unwrap_or_default();
        for arg in args.into_iter().filter(|&arg| attr_name(outline, arg).contains("dim")) {
            let Some(&value) = outline.tree.children(arg).first() else { continue };
            for axis in (0..4_u32).rev() {
                let title = format!("write `{}={axis}`", attr_name(outline, arg));
                out.push(Candidate::replace(9 - axis, outline.span(value), axis.to_string(), title));
            }
        }
    }
}

/// Other windows of convolutions and pools, the near ones first, and the padding that keeps the size.
fn windows(outline: &Outline, out: &mut Vec<Candidate>) {
    let tree = outline.tree;
    let named = |list: NodeId, name: &str| {
        let mut given = tree.children(list).into_iter().filter(|&arg| tree.kind(arg) == NodeKind::Attr);
        let value = tree.children(given.find(|&arg| attr_name(outline, arg) == name)?).first().copied()?;
        Some((value, outline.text(value).parse::<i64>().ok()?))
    };
    let lists = (0..tree.n_nodes() as u32).map(NodeId).filter(|&node| tree.kind(node) == NodeKind::ArgList);
    for list in lists.take(MAX_WINDOWS) {
        let Some((kernel, size)) = named(list, "kernel_size") else { continue };
        for (name, least) in [("kernel_size", 1_i64), ("stride", 1), ("padding", 0)] {
            let Some((value, now)) = named(list, name) else { continue };
            for new in (least..=7).filter(|&new| new != now) {
                let cost = 6 + new.abs_diff(now).min(4) as u32;
                let title = format!("write `{name}={new}`");
                out.push(Candidate::replace(cost, outline.span(value), new.to_string(), title));
            }
        }
        if size > 1 && size % 2 == 1 && named(list, "in_ch").is_some() && named(list, "padding").is_none() {
            let text = format!(", padding={}", size / 2);
            let title = format!("add `{}`", &text[2..]);
            out.push(Candidate::replace(5, outline.span(kernel).after(), text, title).at(outline.span(list)));
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
    let cost = cost + all.iter().map(|written| written.extra).sum::<u32>();
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
    found.append_all(of_taker(outline, clash));
    found.append_all(of_giver(outline, checked, clash));
    found
}

/// What makes the nearest layer or function that gives the features give what is taken.
fn of_giver(outline: &Outline, checked: &Checked, clash: &Clash) -> Vec<Written> {
    let (module, old) = (&checked.module, &outline.checked.module);
    for stage in module.stages[clash.from..clash.at].iter().rev() {
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
            Applied::Layer(..) | Applied::View(_) => {}
        }
    }
    Vec::new()
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
            let list = outline.tree.child(outline.covering(stage.span), NodeKind::ArgList);
            let sizes = list.map(|list| outline.tree.children(list)).unwrap_or_default();
            match sizes[..] {
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
    let weight = &net.weights[weight];
    let node = outline.covering(weight.span);
    let list = outline.tree.child(node, NodeKind::ArgList);
    let given = list.map(|list| outline.tree.children(list)).unwrap_or_default();
    let given = given.into_iter().find(|&arg| attr_name(outline, arg) == argument);
    let value = given.and_then(|arg| outline.tree.children(arg).first().copied());
    let words = format!("`{argument}={size}` in `{}`", weight.name);
    value.map(|value| value_edits(outline, value, size, words)).unwrap_or_default()
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
    let tree = outline.tree;
    let dims = (0..tree.n_nodes() as u32).map(NodeId).filter(|&node| tree.kind(node) == NodeKind::DimItem);
    let mut dims = dims.filter(|&dim| own_token(outline, dim, TokenKind::Ident).is_some_and(|it| it.0 == name));
    Some(own_token(outline, dims.next()?, TokenKind::Int)?.1)
}

fn own_token<'a>(outline: &Outline<'a>, node: NodeId, kind: TokenKind) -> Option<(&'a str, Span)> {
    let tree = outline.tree;
    let token = tree.own_tokens(node).find(|&token| tree.token_kind(token) == kind)?;
    Some((tree.token_text(token), tree.token_span(token)))
}

/// Writes the size in the type of the node, wherever that is written.
fn of_type(outline: &Outline, clash: &Clash) -> Vec<Written> {
    let tree = outline.tree;
    let (side, old, new) = match clash.taker {
        Taker::Result(_) => (1, clash.want, clash.have),
        _ => (0, clash.have, clash.want),
    };
    let mut found: Vec<Written> = Vec::new();
    for part in tree.children(tree.root()) {
        let name = own_token(outline, part, TokenKind::Ident).map(|(name, _)| name);
        let is_part = matches!(tree.kind(part), NodeKind::Net | NodeKind::Weights | NodeKind::Graph);
        if !is_part || name != Some(&outline.checked.module.nets[clash.net].name) {
            continue;
        }
        let signature = tree.child(part, NodeKind::Signature).map(|signature| tree.children(signature));
        let Some(&shape) = signature.as_deref().and_then(|sides| sides.get(side)) else { continue };
        for dim in tree.children(shape).into_iter().filter(|&dim| outline.text(dim) == old.to_string()) {
            let words = format!("`{new}` for `{old}` in the type of the node");
            found.push(Written { edit: Edit { span: outline.span(dim), text: new.to_string() }, words, extra: 0 });
        }
    }
    found
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
