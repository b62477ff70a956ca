//! Edits of written types: what a hole in their place turns out to be is written there.

use crate::bench::Bench;
use crate::call;
use crate::candidate::{Candidate, numbers, smallest};
use crate::outline::{Outline, is_type};
use crate::suspect::Suspect;
use base::{Append, Diagnostic, Edit, Span, ToList, quoted};
use hir::ExprKind;
use syntax::{NodeId, NodeKind};
use ty::{Dim, Extent, Term, Terms};

/// Where a written type stands.
fn cost_of_place(outline: &Outline, node: NodeId) -> u32 {
    let Some(parent) = outline.parent(node) else { return 20 };
    match outline.kind(parent) {
        NodeKind::LetStmt | NodeKind::LetItem => 10,
        NodeKind::Fn | NodeKind::Def => 11,
        NodeKind::Param => 13,
        _ => 20,
    }
}

pub(crate) fn candidates(bench: &mut Bench, outline: &Outline, suspect: &Suspect, out: &mut Vec<Candidate>) {
    let node = suspect.node;
    let span = outline.span(node);
    let cost = cost_of_place(outline, node) + suspect.n_hops + is_data(bench, outline, suspect);
    let old = outline.text(node);
    let is_written = suspect.want.as_deref().is_some_and(|want| want != old);
    if let Some(want) = suspect.want.as_deref().filter(|want| *want != old) {
        let (edit, n_words) = smallest(bench.text, span, want);
        let cost = cost + n_words.saturating_sub(1).min(8) + agreement_at(outline, &edit);
        out.push(written(bench.text, edit, cost));
    }
    let parts = leaves(outline, node);
    if !is_written {
        for part in &parts {
            if bench.work_left == 0 {
                break;
            }
            let span = outline.span(*part);
            let Some(outcome) = bench.try_edits(&[Edit { span, text: "_".to_owned() }]) else { continue };
            if outcome.removed == 0 {
                continue;
            }
            let checked = &outcome.checked;
            let Some(term) = checked.hole_at(span.start).filter(|&term| checked.is_known(term)) else {
                // Where sizes broadcast, several may stand here: those that the fault speaks of.
                if outline.kind(*part) == NodeKind::DimNum {
                    for number in told(bench, outcome.removed).into_iter().take(6) {
                        let text = number.to_string();
                        if text != outline.text(*part) {
                            let cost = cost + 1 + agreement(outline, *part);
                            out.push(written(bench.text, Edit { span, text }, cost));
                        }
                    }
                }
                continue;
            };
            let text = match checked.inferred.solver.head(term) {
                Term::Dim(Dim { extent: Extent::Number(_), .. }) | Term::Dtype(_) | Term::Shape(_) => {
                    checked.print(term)
                }
                _ => continue,
            };
            if text != outline.text(*part) {
                let (edit, n_words) = smallest(bench.text, span, &text);
                let cost = cost + n_words.saturating_sub(1) + agreement_at(outline, &edit);
                out.push(written(bench.text, edit, cost));
            }
        }
    }
    if !is_written {
        other_rank(outline, node, cost, out);
    }
    alike_in_shape(bench, outline, suspect, &parts, cost, out);
    swapped(outline, node, cost, out);
}

/// Sizes of a parameter that a function hands on to itself with other sizes: from call to call they differ, and nobody
/// knows how often it calls itself. A result that is written alike changes with the parameter.
pub(crate) fn differing(outline: &Outline, fault: &Diagnostic, out: &mut Vec<Candidate>) {
    let Some((def, at)) = argument_of_itself(outline, fault.span) else { return };
    let children = outline.tree.children(def);
    let params = children.iter().find(|&&child| outline.kind(child) == NodeKind::ParamList);
    let param = params.and_then(|&list| outline.tree.children(list).get(at).copied());
    let written = |node: NodeId| outline.tree.children(node).into_iter().find(|&child| is_type(outline.kind(child)));
    let Some(param) = param.and_then(written) else { return };
    let result = written(def).filter(|&result| outline.text(result) == outline.text(param));
    let of_result = result.map_or_else(Vec::new, |result| leaves(outline, result));
    for (i, part) in leaves(outline, param).into_iter().enumerate() {
        if outline.kind(part) != NodeKind::DimNum {
            continue;
        }
        let unknown = |size: NodeId| Edit { span: outline.span(size), text: "?".to_owned() };
        let edits: Vec<Edit> = [Some(part), of_result.get(i).copied()].into_iter().flatten().map(unknown).list();
        let twice = if edits.len() > 1 { " twice" } else { "" };
        let title = format!("write `?` for `{}`{twice}: it differs from call to call", outline.text(part));
        // What a function calls itself with is seldom an accident.
        out.push(Candidate { title, edits, place: fault.span, cost: 8 });
    }
}

/// The definition whose call of itself a place is an argument of, and which argument.
fn argument_of_itself(outline: &Outline, place: Span) -> Option<(NodeId, usize)> {
    let module = &outline.checked.module;
    let mut argument = outline.covering(place);
    loop {
        let list = outline.parent(argument)?;
        if outline.kind(list) == NodeKind::ArgList {
            let parts = call::parts(outline, outline.parent(list)?)?;
            let called = outline.expr(parts.callee).map(|callee| &module.exprs[callee].kind);
            if let Some(&ExprKind::Def(called)) = called.filter(|_| outline.kind(parts.callee) == NodeKind::GlobalRef) {
                let name = module.defs[called].name_span;
                let mut def = outline.parent(list);
                while let Some(node) = def.filter(|&node| outline.kind(node) != NodeKind::Def) {
                    def = outline.parent(node);
                }
                let is_own = called.number() as usize >= module.start.defs;
                let def = def.filter(|&def| is_own && outline.span(def).range().contains(&name.range().start))?;
                return Some((def, parts.args.iter().position(|&arg| arg == argument)?));
            }
        }
        argument = list;
    }
}

/// Where an operator takes three operands or more, the first is the data, which the others are made for: that it is at
/// fault is less likely.
fn is_data(bench: &Bench, outline: &Outline, suspect: &Suspect) -> u32 {
    let param = outline.parent(suspect.node);
    let is_first = |fault: &Diagnostic| {
        let mut node = outline.covering(fault.span);
        while outline.kind(node) != NodeKind::Call {
            match outline.parent(node) {
                Some(parent) => node = parent,
                None => return false,
            }
        }
        let Some(parts) = call::parts(outline, node).filter(|parts| parts.args.len() > 2) else { return false };
        outline.local(parts.args[0]).is_some_and(|local| Some(outline.binder(local)) == param)
    };
    let faults = bench.faults.iter().enumerate().take(64);
    4 * u32::from(faults.filter(|(i, _)| suspect.removed >> i & 1 == 1).any(|(_, fault)| is_first(fault)))
}

/// How much it says that a size of a parameter stands elsewhere too: a large number is not there twice by chance.
fn agreement(outline: &Outline, size: NodeId) -> u32 {
    let is_of_param = outline.parent(outline.whole_type(size)).is_some_and(|at| outline.kind(at) == NodeKind::Param);
    let text = outline.text(size);
    let Some(number) = base::parse_i64(text) else { return 0 };
    if !is_of_param || number < 2 || outline.n_sizes(text) < 2 {
        return 0;
    }
    // A picture that is square stays so: its sizes are the last two.
    let beside = outline.parent(size).map(|shape| outline.tree.children(shape)).unwrap_or_default();
    let last = &beside[beside.len().saturating_sub(2)..];
    let is_square = beside.len() > 1 && last.contains(&size) && last.iter().all(|&other| outline.text(other) == text);
    let agreement = match number {
        2..8 => 1,
        8..32 => 3,
        _ => 5,
    };
    agreement + 4 * u32::from(is_square)
}

/// The same of what an edit replaces, if that is one size.
fn agreement_at(outline: &Outline, edit: &Edit) -> u32 {
    let one = outline.covering(edit.span);
    if outline.kind(one) == NodeKind::DimNum { agreement(outline, one) } else { 0 }
}

/// The same size twice in one shape, as of a square picture, that must be another one.
fn alike_in_shape(
    bench: &mut Bench,
    outline: &Outline,
    suspect: &Suspect,
    parts: &[NodeId],
    cost: u32,
    out: &mut Vec<Candidate>,
) {
    let sizes: Vec<NodeId> = parts.iter().copied().filter(|&part| outline.kind(part) == NodeKind::DimNum).list();
    for (i, &first) in sizes.iter().enumerate() {
        let text = outline.text(first);
        let is_alike =
            |&&other: &&NodeId| outline.parent(other) == outline.parent(first) && outline.text(other) == text;
        let alike: Vec<NodeId> = sizes[i..].iter().filter(is_alike).copied().list();
        if alike.len() != 2 || text == "1" || sizes[..i].iter().any(|other| is_alike(&other)) {
            continue;
        }
        let (mut fitting, said) = (Vec::new(), told(bench, suspect.removed));
        for (at, fault) in bench.faults.iter().enumerate().take(64) {
            if suspect.removed >> at & 1 == 1 {
                products(&bench.text[fault.span.range()], &mut fitting);
            }
        }
        let n_fitting = fitting.len();
        fitting.append_all(said.into_iter().filter(|number| number.to_string() != text));
        for (n_before, number) in fitting.into_iter().enumerate().take(8) {
            let edits = { alike.iter() }.map(|&at| Edit { span: outline.span(at), text: number.to_string() }).list();
            let title = format!("write `{number}` for `{text}` twice");
            // What a fault speaks of may be of anything.
            let extra = if n_before < n_fitting { 3 } else { 7 };
            out.push(Candidate { title, edits, place: outline.span(first), cost: cost + extra });
        }
    }
}

/// Products of neighbouring numbers of a text: the sizes that a reshape cuts into pieces.
fn products(text: &str, out: &mut Vec<i64>) {
    let numbers: Vec<i64> = { text.split(|c: char| !c.is_ascii_digit()) }.filter_map(base::parse_i64).list();
    for pair in numbers.windows(2) {
        let product = pair[0].saturating_mul(pair[1]);
        if product > 1 && !out.contains(&product) && !pair.contains(&1) {
            out.push(product);
        }
    }
}

/// A longer message, in bytes, prints whole types, and not every number in it is about the fault.
pub(crate) const MAX_MESSAGE: usize = 400;

/// The sizes that the faults speak of.
pub(crate) fn told(bench: &Bench, faults: u64) -> Vec<i64> {
    let mut out = Vec::new();
    for (i, fault) in bench.faults.iter().enumerate().take(64) {
        if faults >> i & 1 == 1 && fault.message.len() < MAX_MESSAGE {
            numbers(&fault.message, &mut out);
        }
    }
    out
}

fn written(text: &str, edit: Edit, cost: u32) -> Candidate {
    let old = &text[edit.span.range()];
    // A type parameter stands there for a reason.
    let is_param = old.len() <= 2 && old.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
    // And nobody means a tensor without elements.
    let cost = cost + 6 * u32::from(is_param) + 12 * u32::from(edit.text == "0");
    let title = match (old.trim_ascii(), edit.text.trim_ascii()) {
        ("", ",") => "insert `,`".to_owned(),
        ("", new) => format!("insert {}", quoted(base::trim(new, ", "))),
        (old, "") => format!("remove {}", quoted(base::trim(old, ", "))),
        _ => {
            let [old, new] = with_word_before(text, &edit).map(|code| quoted(&code));
            format!("write {new} for {old}")
        }
    };
    Candidate { title, place: edit.span, edits: vec![edit], cost }
}

/// What an edit replaces and by what, with the word before if one of the two begins with a sign: what makes
/// `H - 2, W - 2` of `H, W` is `- 2, W - 2` for `, W`.
fn with_word_before(text: &str, edit: &Edit) -> [String; 2] {
    let both = [&text[edit.span.range()], &edit.text];
    let is_sign = |code: &&str| base::begins_with(code.trim_ascii_start(), ",+-*/");
    let before = &text[..edit.span.start as usize];
    let word = before.trim_end_matches(base::is_in_name).len();
    let word = if both.iter().any(is_sign) { &before[word..] } else { "" };
    both.map(|code| match code.trim_ascii() {
        code if word.is_empty() => code.to_owned(),
        code if code.starts_with(',') => format!("{word}{code}"),
        code => format!("{word} {code}"),
    })
}

/// Shapes, sizes and dtypes in a written type.
fn leaves(outline: &Outline, node: NodeId) -> Vec<NodeId> {
    let mut out = Vec::new();
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        let children = outline.tree.children(node);
        match outline.kind(node) {
            NodeKind::DimNum => out.push(node),
            NodeKind::TensorType => {
                out.append_all(children.iter().copied().filter(|&child| outline.kind(child) != NodeKind::DimNum));
            }
            _ => {}
        }
        pending.append_all(children.into_iter().rev().filter(|&child| is_type(outline.kind(child))));
    }
    out.truncate(24);
    out
}

/// An axis more or less, where nothing says what its size would be.
fn other_rank(outline: &Outline, node: NodeId, cost: u32, out: &mut Vec<Candidate>) {
    if outline.kind(node) != NodeKind::TensorType {
        return;
    }
    let children = outline.tree.children(node);
    let Some(&shape) = children.first().filter(|&&shape| outline.kind(shape) == NodeKind::ShapeLit) else { return };
    let sizes = outline.tree.children(shape);
    for (i, &size) in sizes.iter().enumerate().take(5) {
        let span = outline.span(size);
        let at = Span::new(span.start, span.start);
        out.push(Candidate::replace(cost + 4, at, "1, ", "insert an axis of size `1`"));
        if i + 1 == sizes.len() {
            out.push(Candidate::replace(cost + 4, span.after(), ", 1", "insert an axis of size `1`"));
        }
        let gone = match sizes.get(i + 1) {
            Some(&next) => Span::new(span.start, outline.span(next).start),
            None if i > 0 => Span::new(outline.span(sizes[i - 1]).end, span.end),
            None => continue,
        };
        out.push(Candidate::replace(cost + 5, gone, "", format!("remove the axis of size `{}`", outline.text(size))));
    }
}

/// Two sizes of one shape that may have been written the wrong way round.
fn swapped(outline: &Outline, node: NodeId, cost: u32, out: &mut Vec<Candidate>) {
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        let children = outline.tree.children(node);
        if outline.kind(node) == NodeKind::ShapeLit {
            for (i, &left) in children.iter().enumerate().take(4) {
                for (j, &right) in children.iter().enumerate().take(4).skip(i + 1) {
                    let (a, b) = (outline.text(left), outline.text(right));
                    // In the place of a number a `?` only puts the question off.
                    if a == b || a == "?" || b == "?" {
                        continue;
                    }
                    let edit = |at: NodeId, text: &str| Edit { span: outline.span(at), text: text.to_owned() };
                    out.push(Candidate {
                        title: format!("swap the sizes `{a}` and `{b}`"),
                        edits: vec![edit(left, b), edit(right, a)],
                        place: outline.span(left).to(outline.span(right)),
                        // Two neighbours are easily taken for one another, and that this helps is no chance, unless
                        // one of them fits anything.
                        cost: match (children.len(), j - i) {
                            (2, _) if a == "1" || b == "1" => cost + 2,
                            (2, _) => cost - 1,
                            (_, 1) => cost + 2,
                            _ => cost + 5,
                        },
                    });
                }
            }
        }
        pending.append_all(children.into_iter().filter(|&child| is_type(outline.kind(child))));
    }
}

/// Parameters of one type that must all have another: where one alone does not help, they may together.
pub(crate) fn together(
    bench: &mut Bench,
    outline: &Outline,
    param_type: NodeId,
    n_hops: u32,
    out: &mut Vec<Candidate>,
) {
    let Some(param) = outline.parent(param_type).filter(|&param| outline.kind(param) == NodeKind::Param) else {
        return;
    };
    let Some(list) = outline.parent(param) else { return };
    let types: Vec<NodeId> = { outline.tree.children(list).into_iter() }
        .filter_map(|param| outline.tree.children(param).first().copied())
        .filter(|&other| outline.text(other) == outline.text(param_type))
        .list();
    if types.len() < 2 || types[0] != param_type {
        return;
    }
    let sizes = leaves(outline, param_type);
    for i in (0..sizes.len()).filter(|&i| outline.kind(sizes[i]) == NodeKind::DimNum) {
        let places: Vec<NodeId> = types.iter().filter_map(|&written| leaves(outline, written).get(i).copied()).list();
        let hole = |&place: &NodeId| Edit { span: outline.span(place), text: "_".to_owned() };
        let holes: Vec<Edit> = places.iter().map(hole).list();
        let Some(outcome) = bench.try_edits(&holes) else { continue };
        if outcome.removed == 0 {
            continue;
        }
        let checked = &outcome.checked;
        let mut edits = Vec::new();
        let mut shift = 0i64;
        for hole in &holes {
            let at = (i64::from(hole.span.start) + shift) as u32;
            shift += 1 - i64::from(hole.span.len());
            let known = checked.hole_at(at).filter(|&term| checked.is_known(term));
            let text = known.map_or_else(|| bench.text[hole.span.range()].to_owned(), |term| checked.print(term));
            if text != bench.text[hole.span.range()] {
                edits.push(Edit { span: hole.span, text });
            }
        }
        if let [first, ..] = &edits[..]
            && edits.len() > 1
        {
            let title = format!("write `{}` in {} parameters", first.text, edits.len());
            out.push(Candidate { title, place: first.span, cost: 10 + n_hops + edits.len() as u32, edits });
        }
    }
}
