//! Literals of one dtype where another one is computed with: `%x * 2 + 1` of a float tensor wants `2f` and `1f`, and
//! either alone does not help. In TensorScript, where a whole number stands beside a tensor, it wants `2.`.

use crate::candidate::Candidate;
use crate::outline::{Outline, is_expr};
use base::{Diagnostic, Edit, Surface, ToList};
use syntax::{NodeId, NodeKind};

/// At most this many literals are written anew together.
const MAX_LITERALS: usize = 24;

/// Those of an expression around a fault, of the one around that, and so on up to the definition.
pub(crate) fn candidates(outline: &Outline, fault: &Diagnostic, out: &mut Vec<Candidate>) {
    // Of one literal alone the values speak in Relay.
    let is_relay = outline.tree.surface() == Surface::Relay;
    let mut n_before = if is_relay { 1 } else { 0 };
    let mut node = Some(outline.covering(fault.span));
    let mut level = 0;
    while let Some(around) = node {
        let kind = outline.kind(around);
        if is_expr(kind) || matches!(kind, NodeKind::Block | NodeKind::Def) {
            let literals = operands(outline, around);
            if literals.len() > n_before && literals.len() <= MAX_LITERALS {
                n_before = literals.len();
                let point = if is_relay { "f" } else { "." };
                together(outline, &literals, &|text| as_float(text, point), level, out);
                if is_relay {
                    together(outline, &literals, &as_integer, level, out);
                }
            }
            level += 1;
        }
        node = outline.parent(around);
    }
}

fn together(
    outline: &Outline,
    literals: &[NodeId],
    written: &dyn Fn(&str) -> Option<String>,
    level: u32,
    out: &mut Vec<Candidate>,
) {
    let edit = |&literal: &NodeId| Some(Edit { span: outline.span(literal), text: written(outline.text(literal))? });
    let edits: Vec<Edit> = literals.iter().filter_map(edit).list();
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return };
    let title = match edits.len() {
        1 => format!("write `{}`", first.text),
        2 if first.text != last.text => format!("write `{}` and `{}`", first.text, last.text),
        n => format!("write all {n} literals like `{}`", first.text),
    };
    out.push(Candidate { title, place: first.span, cost: 9 + level + edits.len() as u32, edits });
}

/// The literals of an expression that are operands or stand for a value, in the order of the text.
fn operands(outline: &Outline, node: NodeId) -> Vec<NodeId> {
    let (mut out, mut pending) = (Vec::new(), vec![node]);
    while let Some(node) = pending.pop() {
        match outline.kind(node) {
            NodeKind::Literal => out.push(node),
            // Axes and sizes.
            NodeKind::Attr | NodeKind::ParamList => {}
            NodeKind::ArgList if outline.tree.surface() == Surface::TensorScript => {}
            _ => outline.tree.children_rev(node).for_each(|child| pending.push(child)),
        }
        if out.len() > MAX_LITERALS {
            break;
        }
    }
    out
}

/// `2f` for `2`.
fn as_float(text: &str, point: &str) -> Option<String> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("{text}{point}"))
}

/// `2` for `2f` and `2.0`.
fn as_integer(text: &str) -> Option<String> {
    let digits = text.strip_suffix('f').unwrap_or(text);
    let whole = digits.strip_suffix(".0").unwrap_or(digits);
    (whole.len() < text.len() && whole.bytes().all(|byte| byte.is_ascii_digit())).then(|| whole.to_owned())
}
