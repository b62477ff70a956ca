//! Reshapes that are taken for transposes, and transposes that turn pictures.
//!
//! A reshape keeps the order of the elements: the axes of both shapes cut one row of elements into runs. An axis that
//! is in both shapes, but not at the same runs, holds other elements afterwards. That is told where the axes of one
//! shape are those of the other, put together in another order.
//!
//! Worked example: `(1, 768, 14, 14)` to `(1, 196, 768)`. The axis of 768 went over runs of 196 elements and now goes
//! over single ones.

use crate::{Call, Context};
use base::{Append, Diagnostic, Edit, Fix, Join, Span, Surface, ToList};
use hir::ExprId;

pub(crate) fn check(cx: &Context, call: &Call) -> Option<Diagnostic> {
    let &data = call.args.first()?;
    if cx.is_in_view(data) {
        return None;
    }
    match call.name {
        "reshape" => {
            let (from, to) = (cx.numbers(data)?, cx.numbers(call.expr)?);
            let (from_text, to_text) = (cx.shape_text(data), cx.shape_text(call.expr));
            let is_script = cx.module.surface == Surface::TensorScript;
            let (name, transpose) = if is_script { ("view", "permute") } else { ("reshape", "transpose") };
            let is_of_numbers = cx.is_of_numbers(data) && cx.is_of_numbers(call.expr);
            let (message, fix) = if let Some(n_new) = cut_batch(&from, &to).filter(|_| is_of_numbers) {
                let n_items = from[0];
                (format!("`{name}` makes {n_new} rows of a batch of {n_items}: {from_text} becomes {to_text}"), None)
            } else {
                let axis = moved(&from, &to)?;
                let size = cx.inferred.print(cx.module, cx.dims(data)?[axis]).text;
                let fix = match gathered(&from, &to) {
                    Some(order) if is_script => Some(permuted(cx, data, &order)),
                    Some(order) => before(cx, call, data, &order),
                    None if is_of_numbers && !is_script => {
                        gathered(&to, &from).and_then(|order| after(cx, call, &to, &order))
                    }
                    None => None,
                };
                let message = format!(
                    "`{name}` does not move the axis of size {size}: {from_text} to {to_text} mixes its elements with others"
                );
                (message, fix)
            };
            let mut warning = Diagnostic::warning("suspicious-reshape", cx.span(call.expr), message);
            warning = warning.label(cx.span(data), from_text);
            warning.help = Some(match &fix {
                Some(fix) => fix.title.clone(),
                None => format!("keep the order of the axes in `{name}`, and `{transpose}` before or after it"),
            });
            warning.fixes.append_all(fix);
            Some(warning)
        }
        "transpose" => {
            let axes = call.attrs.ints("axes")?;
            let shape = cx.shape(data)?;
            if axes != [0, 3, 2, 1] || shape.get(1) == shape.get(2) && shape.get(2) == shape.get(3) {
                return None;
            }
            let message = "`transpose` with axes [0, 3, 2, 1] also swaps height and width: pictures come out mirrored";
            let warning = Diagnostic::warning("suspicious-transpose", cx.span(call.expr), message);
            let warning = warning.label(cx.span(data), cx.shape_text(data));
            // Channels are few where they are an axis of a picture.
            let is_channels_last = matches!(
                (shape.get(1), shape.get(3)),
                (Some(crate::Size::Number(height)), Some(crate::Size::Number(last))) if last <= height
            );
            let axes = if is_channels_last { "[0, 3, 1, 2]" } else { "[0, 2, 3, 1]" };
            Some(match cx.attr_value(call, "axes") {
                Some(span) => warning.fix(format!("keep height before width: axes={axes}"), span, axes),
                None => warning,
            })
        }
        _ => None,
    }
}

fn wrapped(span: Span, axes: &[usize]) -> [Edit; 2] {
    let axes = base::bracketed(axes);
    [(Span::new(span.start, span.start), "transpose(".to_owned()), (span.after(), format!(", axes={axes})"))]
        .map(|(span, text)| Edit { span, text })
}

/// A stage before the `view`, and the line that imports it.
fn permuted(cx: &Context, data: ExprId, order: &[usize]) -> Fix {
    let dims = order.iter().map(usize::to_string).list().joined(", ");
    let stage = format!("permute(dims=({dims}))");
    let title = format!("write `{stage}` before it");
    let mut edits = vec![Edit { span: cx.span(data).after(), text: format!(" |> {stage}") }];
    edits.append_all(cx.import("shape", "permute"));
    Fix { title, edits }
}

/// The axes of the data are put beside those with which they become one, unless the new shape speaks of them by place.
fn before(cx: &Context, call: &Call, data: ExprId, order: &[usize]) -> Option<Fix> {
    let newshape = call.attrs.ints("newshape")?;
    let is_plain = |(i, &size): (usize, &i64)| size >= -1 && (size != 0 || order.get(i) == Some(&i));
    let title = format!("transpose it before, with `axes={}`", base::bracketed(order));
    newshape.iter().enumerate().all(is_plain).then(|| Fix { title, edits: wrapped(cx.span(data), order).into() })
}

/// An axis becomes several where it stands, and then they are moved.
fn after(cx: &Context, call: &Call, to: &[i64], order: &[usize]) -> Option<Fix> {
    let shape = base::bracketed(&order.iter().map(|&axis| to[axis]).list());
    let axes = (0..to.len()).filter_map(|axis| order.iter().position(|&other| other == axis)).list();
    let title = format!("write `newshape={shape}`, and transpose it with `axes={}`", base::bracketed(&axes));
    let value = Edit { span: cx.attr_value(call, "newshape")?, text: shape };
    let [start, end] = wrapped(cx.span(call.expr), &axes);
    Some(Fix { title, edits: vec![start, value, end] })
}

/// Where the axes end, counted in elements of the axes before: `(2, 3, 4)` ends at 2, 6 and 24.
fn ends(shape: &[i64]) -> Vec<i64> {
    let mut product = 1i64;
    let end = |&dim: &i64| {
        product = product.saturating_mul(dim);
        product
    };
    shape.iter().map(end).list()
}

/// The rows that a batch is cut into, if a matrix is made of it whose rows are neither items, nor parts of them, nor
/// several of them.
fn cut_batch(from: &[i64], to: &[i64]) -> Option<i64> {
    let (&n_items, &n_new) = (from.first()?, to.first()?);
    let is_matrix = from.len() >= 2 && to.len() == 2;
    let is_whole = n_new == n_items || ends(from).contains(&n_new) || n_new == 1 || n_items == 1;
    (is_matrix && !is_whole && n_items > 1 && from.len() != to.len()).then_some(n_new)
}

/// The axis of the first shape whose size both have once, at other runs of the elements.
fn moved(from: &[i64], to: &[i64]) -> Option<usize> {
    let once = |shape: &[i64], size: i64| shape.iter().count_where(|&&dim| dim == size) == 1;
    let (from_ends, to_ends) = (ends(from), ends(to));
    let is_moved = |&axis: &usize| {
        let size = from[axis];
        let other = to.iter().position(|&dim| dim == size);
        size > 1 && once(from, size) && once(to, size) && other.is_some_and(|other| from_ends[axis] != to_ends[other])
    };
    let axis = (0..from.len()).find(is_moved)?;
    (gathered(from, to).is_some() || gathered(to, from).is_some()).then_some(axis)
}

/// More axes than pictures and their sequences have are not looked at.
const MAX_RANK: usize = 6;

/// The order of the axes of `from` in which each axis of `to` is some that stand together, if there is one: so that a
/// transpose might have been meant.
fn gathered(from: &[i64], to: &[i64]) -> Option<Vec<usize>> {
    let large = |shape: &[i64]| (0..shape.len()).filter(|&axis| shape[axis] != 1).list();
    let (own, others) = (large(from), large(to));
    if own.len() > MAX_RANK || others.len() > own.len() {
        return None;
    }
    // Each number, written in the base of how many axes there are, says where each axis goes; the least ones keep axes of
    // one size in their order.
    let goes = |way: usize, i: usize| way / others.len().pow((own.len() - 1 - i) as u32) % others.len();
    let fits = |&way: &usize| {
        let mut products = base::filled(1i64, others.len());
        for (i, &axis) in own.iter().enumerate() {
            let product = &mut products[goes(way, i)];
            *product = product.saturating_mul(from[axis]);
        }
        products.iter().zip(&others).all(|(product, &other)| *product == to[other])
    };
    let way = (0..others.len().pow(own.len() as u32)).find(fits)?;
    // Where one of size 1 stands does not matter; most are a batch.
    let mut order = (0..from.len()).filter(|&axis| from[axis] == 1).list();
    for other in 0..others.len() {
        order.append_all((0..own.len()).filter(|&i| goes(way, i) == other).map(|i| own[i]));
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::{cut_batch, gathered, moved};

    #[test]
    fn axes_that_stay_and_axes_that_do_not() {
        assert_eq!(moved(&[1, 768, 14, 14], &[1, 196, 768]), Some(1));
        assert_eq!(moved(&[2, 3], &[3, 2]), Some(0));
        assert_eq!(moved(&[8, 10, 64], &[8, 4, 10, 16]), Some(1));
        assert_eq!(moved(&[8, 10, 64], &[8, 10, 4, 16]), None);
        assert_eq!(moved(&[8, 10, 64], &[80, 64]), None);
        assert_eq!(moved(&[4, 3, 5], &[4, 15]), None);
        assert_eq!(moved(&[32, 4], &[4, 4, 8]), None);
        assert_eq!(moved(&[6, 7, 6, 2], &[7, 6, 4, 3]), None);
    }

    #[test]
    fn axes_that_become_one_stand_together() {
        assert_eq!(gathered(&[2, 8, 5, 8], &[2, 5, 64]), Some(vec![0, 2, 1, 3]));
        assert_eq!(gathered(&[1, 768, 14, 14], &[1, 196, 768]), Some(vec![0, 2, 3, 1]));
        assert_eq!(gathered(&[8, 4, 10, 16], &[8, 10, 64]), Some(vec![0, 2, 1, 3]));
        assert_eq!(gathered(&[2, 6], &[3, 4]), None);
        assert_eq!(gathered(&[4, 32, 32, 3], &[4, 3, 32, 32]), Some(vec![0, 3, 1, 2]));
    }

    #[test]
    fn batches_that_are_cut_and_batches_that_are_not() {
        assert_eq!(cut_batch(&[8, 32, 4, 4], &[16, 256]), Some(16));
        assert_eq!(cut_batch(&[8, 32, 4, 4], &[8, 512]), None);
        assert_eq!(cut_batch(&[8, 32, 4, 4], &[256, 16]), None);
        assert_eq!(cut_batch(&[1, 32, 4, 4], &[2, 256]), None);
    }
}
