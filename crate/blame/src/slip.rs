//! Slips in the form of a call: attributes without their names or under those that other libraries have, and such names
//! of operators and dtypes.

use crate::call::{Parts, attr_name};
use crate::candidate::Candidate;
use crate::outline::Outline;
use crate::value::short;
use base::{Edit, Span};
use op::{AttrForm, Op};
use syntax::{NodeId, NodeKind};
use ty::Dtype;

/// What operators are called elsewhere, and what they are called here.
const OPERATORS: &[(&str, &str)] = &[
    ("cat", "concatenate"),
    ("div", "divide"),
    ("dot", "nn.matmul"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("mul", "multiply"),
    ("neg", "negative"),
    ("permute", "transpose"),
    ("pow", "power"),
    ("sub", "subtract"),
    ("unsqueeze", "expand_dims"),
    ("view", "reshape"),
];

/// Attributes that go by each other's names.
const ATTRS: &[(&str, &str)] = &[
    ("dim", "axis"),
    ("dims", "axes"),
    ("eps", "epsilon"),
    ("keepdim", "keepdims"),
    ("kernel_size", "pool_size"),
    ("max", "a_max"),
    ("min", "a_min"),
    ("out_channels", "channels"),
    ("perm", "axes"),
    ("shape", "newshape"),
    ("size", "shape"),
    ("stride", "strides"),
];

fn known(names: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    names.iter().find(|(other, _)| *other == name).map(|(_, own)| *own)
}

/// What a call is meant to be whose form the table of operators does not have. `takes_less`: it has arguments too many.
pub(crate) fn candidates(outline: &Outline, parts: &Parts, takes_less: bool, far: u32, out: &mut Vec<Candidate>) {
    let name = outline.text(parts.callee);
    let row = op::by_name(name).map(|op| op.row());
    if (row.is_none() || takes_less)
        && let Some(own) = known(OPERATORS, name)
    {
        let title = format!("write `{own}` for `{name}`");
        out.push(Candidate::replace(1 + far, outline.span(parts.callee), own, title));
    }
    let Some(row) = row else { return };
    named(outline, parts, row, far, out);
    for &attr in &parts.attrs {
        let name = attr_name(outline, attr);
        truth(outline, attr, far, out);
        if row.args.contains(&name) {
            let start = outline.span(attr).start;
            let value = outline.tree.children(attr).first().map_or(start, |&value| outline.span(value).start);
            let title = format!("take `{name}=` away");
            out.push(Candidate::replace(1 + far, Span::new(start, value), "", title));
        }
        match row.attrs.iter().find(|spec| spec.name == name) {
            Some(spec) if matches!(spec.form, AttrForm::Dtype) => dtype(outline, attr, name, far, out),
            Some(_) => {}
            None => renamed(outline.span(attr).start, name, row, far, out),
        }
    }
    if let &[list] = &parts.args[..]
        && outline.kind(list) == NodeKind::ListLit
    {
        // A list of tensors is a tuple.
        let text = outline.text(list);
        let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        let title = "write a tuple for the list".to_owned();
        out.push(Candidate::replace(4 + far, outline.span(list), format!("({inside})"), title));
    }
    if name == "arange" && (1..3).contains(&parts.args.len()) {
        range(outline, parts, far, out);
    }
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

/// Arguments too many are attributes: the required ones first.
fn named(outline: &Outline, parts: &Parts, row: &Op, far: u32, out: &mut Vec<Candidate>) {
    let Some((&first, _)) = parts.args.get(row.args.len()..).and_then(|args| args.split_first()) else { return };
    let (mut edits, mut title) = (Vec::new(), "write".to_owned());
    for is_required in [true, false] {
        for spec in row.attrs {
            let Some(&arg) = parts.args.get(row.args.len() + edits.len()) else { break };
            let is_open = !matches!(spec.form, AttrForm::Argument(_))
                && matches!(spec.default, op::Default::Required) == is_required
                && !parts.attrs.iter().any(|&attr| attr_name(outline, attr) == spec.name);
            if is_open {
                let start = outline.span(arg).start;
                let comma = if edits.is_empty() { "" } else { "," };
                title += &format!("{comma} `{}={}`", spec.name, short(outline.text(arg)));
                edits.push(Edit { span: Span::new(start, start), text: format!("{}=", spec.name) });
            }
        }
    }
    if row.args.len() + edits.len() == parts.args.len() {
        out.push(Candidate { title, place: outline.span(first), edits, cost: 2 + far });
    }
}

/// Puts the name that an attribute has here.
fn renamed(start: u32, name: &str, row: &Op, far: u32, out: &mut Vec<Candidate>) {
    for &(a, b) in ATTRS {
        let own = if a == name { b } else { a };
        if (a == name || b == name) && row.attrs.iter().any(|spec| spec.name == own) {
            let span = Span::new(start, start + name.len() as u32);
            out.push(Candidate::replace(1 + far, span, own, format!("write `{own}` for `{name}`")));
        }
    }
}

fn dtype(outline: &Outline, attr: NodeId, name: &str, far: u32, out: &mut Vec<Candidate>) {
    let Some(&value) = outline.tree.children(attr).first() else { return };
    let found = outline.text(value).trim_matches('"');
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
