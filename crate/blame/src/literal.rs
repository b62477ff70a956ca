//! Literals of one dtype where another one is computed with: `%x * 2 + 1` of a float tensor wants `2f` and `1f`, and
//! either alone does not help; of a float64 tensor `2f64` and `1f64`. In TensorScript, where a whole number stands beside
//! a tensor, it wants `2.`.

use crate::candidate::Candidate;
use crate::outline::{Outline, is_expr};
use base::{Diagnostic, Edit, Surface, ToList};
use syntax::{NodeId, NodeKind};
use ty::Dtype;

/// At most this many literals are written anew together.
const MAX_LITERALS: usize = 24;

/// Those of an expression around a fault, of the one around that, and so on up to the definition.
pub(crate) fn candidates(outline: &Outline, fault: &Diagnostic, out: &mut Vec<Candidate>) {
    // Of one literal alone the values speak in Relay.
    let is_relay = outline.tree.surface() == Surface::Relay;
    let mut n_before = if is_relay { 1 } else { 0 };
    // Who writes a dtype means it.
    let last_word = |text: &str| Dtype::parse(&text[base::end_of_last(text, b' ')..]);
    let mut dtypes = fault.labels.iter().filter_map(|label| last_word(&label.message)).list();
    let n_told = dtypes.len();
    dtypes.extend([Dtype::Float32, Dtype::Int32]);
    let at = outline.covering(fault.span);
    if outline.kind(at) == NodeKind::LitPat {
        patterns(outline, at, out);
    }
    let mut node = Some(at);
    let mut level = 0;
    while let Some(around) = node {
        let kind = outline.kind(around);
        if is_expr(kind) || matches!(kind, NodeKind::Block | NodeKind::Def) {
            let literals = operands(outline, around);
            if literals.len() > n_before && literals.len() <= MAX_LITERALS {
                n_before = literals.len();
                if is_relay {
                    for (i, &dtype) in dtypes.iter().enumerate() {
                        let cost = level + if i < n_told { 8 } else { 9 };
                        together(outline, &literals, &|text| as_dtype(text, dtype), cost, out);
                    }
                } else {
                    together(outline, &literals, &with_point, 9 + level, out);
                }
            }
            level += 1;
        }
        node = outline.parent(around);
    }
}

/// The literals that a match has for patterns, as the dtype of what it takes apart.
fn patterns(outline: &Outline, pattern: NodeId, out: &mut Vec<Candidate>) -> Option<()> {
    let around = outline.parent(outline.parent(pattern)?)?;
    let parts = outline.tree.children(around);
    let mut taken = *parts.first()?;
    while outline.kind(taken) == NodeKind::Paren {
        taken = *outline.tree.children(taken).first()?;
    }
    let dtype = outline.checked.dtype(outline.term(taken)?)?;
    let of_arm = |&arm: &NodeId| outline.tree.children(arm).first().copied();
    let patterns = parts.iter().filter_map(of_arm).filter(|&pattern| outline.kind(pattern) == NodeKind::LitPat).list();
    together(outline, &patterns, &|text| as_dtype(text, dtype), 2, out);
    Some(())
}

fn together(
    outline: &Outline,
    literals: &[NodeId],
    written: &dyn Fn(&str) -> Option<String>,
    cost: u32,
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
    out.push(Candidate { title, place: first.span, cost: cost + edits.len() as u32, edits });
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

/// `2.` for `2`.
fn with_point(text: &str) -> Option<String> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("{text}."))
}

/// The same number as another dtype: `2f64` for `2`, `2f` and `2.0`; `2` for the last two as an int32.
pub(crate) fn as_dtype(text: &str, dtype: Dtype) -> Option<String> {
    let (before, suffix) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    // In `1e-5` the letter is no suffix.
    let number = match Dtype::of_suffix(suffix) {
        Some(own) if own == dtype => return None,
        Some(_) => before,
        None => text,
    };
    let written = match dtype {
        Dtype::Bool => if number == "0" { "False" } else { "True" }.to_owned(),
        Dtype::Float32 if base::has(number, b'.') => number.to_owned(),
        _ if dtype.is_float() => format!("{number}{}", dtype.suffix()),
        _ => format!("{}{}", number.strip_suffix(".0").unwrap_or(number), dtype.suffix()),
    };
    let is_number = text.as_bytes().first().is_some_and(u8::is_ascii_digit);
    (is_number && written != text && (dtype.is_float() || !base::has(&written, b'.'))).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_written_as_another_dtype() {
        let written = |text, dtype| as_dtype(text, dtype).unwrap_or_default();
        assert_eq!(["2", "2f", "2.0"].map(|text| written(text, Dtype::Float64)), ["2f64", "2f64", "2.0f64"]);
        assert_eq!(["2", "2f", "2.0"].map(|text| written(text, Dtype::Int32)), ["", "2", "2"]);
        assert_eq!(["2", "2f", "2.5"].map(|text| written(text, Dtype::Int64)), ["2i64", "2i64", ""]);
        assert_eq!(["2", "2f", "1e-5"].map(|text| written(text, Dtype::Float32)), ["2f", "", "1e-5f"]);
        assert_eq!(["0.5", "0.5f"].map(|text| written(text, Dtype::Float32)), ["", ""]);
        assert_eq!(["0", "1f", "True"].map(|text| written(text, Dtype::Bool)), ["False", "True", ""]);
    }
}
