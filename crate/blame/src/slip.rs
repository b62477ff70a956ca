//! Slips in the form of a call: attributes without their names or under those that other libraries have, and such names
//! of operators and dtypes.

use crate::call::{Parts, attr_name};
use crate::candidate::Candidate;
use crate::outline::Outline;
use base::{Append, Edit, Span};
use op::AttrForm;
use syntax::{NodeId, NodeKind};
use ty::Dtype;

/// What a call is meant to be whose form the table of operators does not have. `takes_less`: it has arguments too many.
pub(crate) fn candidates(outline: &Outline, parts: &Parts, takes_less: bool, far: u32, out: &mut Vec<Candidate>) {
    let name = outline.text(parts.callee);
    let row = op::by_name(name).map(|op| op.row());
    if row.is_none() || takes_less {
        for own in op::called(name) {
            as_here(outline, parts, name, own.to_owned(), far, out);
        }
    }
    let Some(row) = row else { return };
    for &attr in &parts.attrs {
        let name = attr_name(outline, attr);
        truth(outline, attr, far, out);
        if row.args.contains(&name) {
            let start = outline.span(attr).start;
            let value = outline.tree.children(attr).first().map_or(start, |&value| outline.span(value).start);
            let title = format!("take `{name}=` away");
            out.push(Candidate::replace(1 + far, Span::new(start, value), "", title));
        }
        if row.attrs.iter().any(|spec| spec.name == name && matches!(spec.form, AttrForm::Dtype)) {
            dtype(outline, attr, name, far, out);
        }
    }
    let edits = as_tuple(outline, parts);
    if let [first, ..] = &edits[..] {
        let title = "write a tuple for the list".to_owned();
        out.push(Candidate { title, place: first.span, edits, cost: 4 + far });
    }
    if name == "arange" && (1..3).contains(&parts.args.len()) {
        range(outline, parts, far, out);
    }
}

/// The call with the name that its operator has here, and with what else is called otherwise.
fn as_here(outline: &Outline, parts: &Parts, name: &str, own: String, far: u32, out: &mut Vec<Candidate>) {
    let place = outline.span(parts.callee);
    let title = format!("write `{own}` for `{name}`");
    let (mut edits, mut tuple) = (Vec::new(), Vec::new());
    if let Some(row) = op::by_name(&own).map(|op| op.row()) {
        if row.args.len() == 1 {
            tuple = as_tuple(outline, parts);
        }
        for &attr in &parts.attrs {
            let name = attr_name(outline, attr);
            let is_known = row.attrs.iter().any(|spec| spec.name == name);
            edits.append_all(row.attr_called(name).filter(|_| !is_known).map(|own| {
                let start = outline.span(attr).start;
                Edit { span: Span::new(start, start + name.len() as u32), text: own.to_owned() }
            }));
        }
    }
    edits.push(Edit { span: place, text: own });
    // A list may be a tensor.
    if !tuple.is_empty() {
        let edits = [tuple, edits.clone()].concat();
        out.push(Candidate { title: title.clone(), edits, place, cost: 1 + far });
    }
    out.push(Candidate { title, edits, place, cost: 1 + far });
}

/// A list of tensors, as the only argument, is a tuple.
fn as_tuple(outline: &Outline, parts: &Parts) -> Vec<Edit> {
    let &[list] = &parts.args[..] else { return Vec::new() };
    let (span, text) = (outline.span(list), outline.text(list));
    // One that is being written has no end yet.
    if outline.kind(list) != NodeKind::ListLit || !text.ends_with(']') || text.len() < 2 {
        return Vec::new();
    }
    let closed = if outline.tree.children(list).len() == 1 { ",)" } else { ")" };
    let edit = |from, to, text: &str| Edit { span: Span::new(from, to), text: text.to_owned() };
    vec![edit(span.start, span.start + 1, "("), edit(span.end - 1, span.end, closed)]
}

/// `true` for `True`.
fn truth(outline: &Outline, attr: NodeId, far: u32, out: &mut Vec<Candidate>) {
    let Some(&value) = outline.tree.children(attr).first() else { return };
    for (foreign, own) in [("true", "True"), ("false", "False")] {
        if outline.text(value) == foreign {
            let title = format!("write `{own}` for `{foreign}`");
            out.push(Candidate::replace(1 + far, outline.span(value), own, title));
        }
    }
}

fn dtype(outline: &Outline, attr: NodeId, name: &str, far: u32, out: &mut Vec<Candidate>) {
    let Some(&value) = outline.tree.children(attr).first() else { return };
    let found = base::trim(outline.text(value), "\"");
    let own = Dtype::of_foreign_name(found)
        .map(Dtype::name)
        .or_else(|| base::nearest(found, Dtype::ALL.into_iter().map(Dtype::name)));
    if let Some(own) = own.filter(|_| Dtype::parse(found).is_none()) {
        let title = format!("write `{name}=\"{own}\"`");
        out.push(Candidate::replace(1 + far, outline.span(value), format!("\"{own}\""), title));
    }
}

/// `arange` of an end alone, or without steps.
fn range(outline: &Outline, parts: &Parts, far: u32, out: &mut Vec<Candidate>) {
    let (first, last) = (outline.span(parts.args[0]), outline.span(parts.args[parts.args.len() - 1]));
    let text = outline.text(parts.args[0]);
    let suffix = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let suffix = if suffix.len() == text.len() { "" } else { suffix };
    let begin = if parts.args.len() == 1 { format!("0{suffix}, ") } else { String::new() };
    let edits = vec![
        Edit { span: Span::new(first.start, first.start), text: begin },
        Edit { span: last.after(), text: format!(", 1{suffix}") },
    ];
    let title = "say where it begins, where it ends and how far a step goes".to_owned();
    out.push(Candidate { title, place: last, edits, cost: 2 + far });
}
