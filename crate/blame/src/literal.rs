//! Literals of one dtype where another one is computed with: `%x * 2 + 1` of a float tensor wants `2f` and `1f`, and
//! either alone does not help.

use crate::candidate::Candidate;
use crate::outline::{Outline, is_expr};
use base::{Diagnostic, Edit, ToList};
use syntax::{NodeId, NodeKind};

/// At most this many literals are written anew together.
const MAX_LITERALS: usize = 24;

/// Those of an expression around a fault, of the one around that, and so on up to the definition.
pub(crate) fn candidates(outline: &Outline, fault: &Diagnostic, out: &mut Vec<Candidate>) {
    let mut n_before = 1;
    let mut node = Some(outline.covering(fault.span));
    let mut level = 0;
    while let Some(around) = node {
        let kind = outline.kind(around);
        if is_expr(kind) || matches!(kind, NodeKind::Block | NodeKind::Def) {
            let literals = operands(outline, around);
            if literals.len() > n_before && literals.len() <= MAX_LITERALS {
                n_before = literals.len();
                together(outline, &literals, &as_float, level, out);
                together(outline, &literals, &as_integer, level, out);
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
    let [first, .., last] = &edits[..] else { return };
    let title = match edits.len() {
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
            _ => outline.tree.children_rev(node).for_each(|child| pending.push(child)),
        }
        if out.len() > MAX_LITERALS {
            break;
        }
    }
    out
}

/// `2f` for `2`.
fn as_float(text: &str) -> Option<String> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("{text}f"))
}

/// `2` for `2f` and `2.0`.
fn as_integer(text: &str) -> Option<String> {
    let digits = text.strip_suffix('f').unwrap_or(text);
    let whole = digits.strip_suffix(".0").unwrap_or(digits);
    (whole.len() < text.len() && whole.bytes().all(|byte| byte.is_ascii_digit())).then(|| whole.to_owned())
}
