//! Reshapes that are taken for transposes, and transposes that turn pictures.
//!
//! A reshape keeps the order of the elements: the axes of both shapes cut one row of elements into runs. An axis that
//! is in both shapes, but not at the same runs, holds other elements afterwards. That is told where the axes of one
//! shape are those of the other, put together in another order.
//!
//! Worked example: `(1, 768, 14, 14)` to `(1, 196, 768)`. The axis of 768 went over runs of 196 elements and now goes
//! over single ones.

use crate::{Call, Context};
use base::{Diagnostic, ToList};

pub(crate) fn check(cx: &Context, call: &Call) -> Option<Diagnostic> {
    let &data = call.args.first()?;
    if cx.is_in_view(data) {
        return None;
    }
    match call.name {
        "reshape" => {
            let (from, to) = (cx.numbers(data)?, cx.numbers(call.expr)?);
            let (from_text, to_text) = (cx.shape_text(data), cx.shape_text(call.expr));
            let message = if let Some(n_new) = cut_batch(&from, &to) {
                let n_items = from[0];
                format!("`reshape` makes {n_new} rows of a batch of {n_items}: {from_text} becomes {to_text}")
            } else {
                let size = moved(&from, &to)?;
                format!(
                    "`reshape` does not move the axis of size {size}: {from_text} to {to_text} mixes its elements with others"
                )
            };
            let mut warning = Diagnostic::warning("suspicious-reshape", cx.span(call.expr), message);
            warning = warning.label(cx.span(data), from_text);
            warning.help =
                Some("keep the order of the axes in the reshape, and `transpose` before or after it".to_owned());
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

/// The size of an axis that both shapes have once, at other runs of the elements.
fn moved(from: &[i64], to: &[i64]) -> Option<i64> {
    let once = |shape: &[i64], size: i64| shape.iter().count_where(|&&dim| dim == size) == 1;
    let (from_ends, to_ends) = (ends(from), ends(to));
    let at = |shape: &[i64], size: i64| shape.iter().position(|&dim| dim == size);
    let is_moved = |size: i64| {
        let (Some(i), Some(j)) = (at(from, size), at(to, size)) else { return false };
        from_ends[i] != to_ends[j]
    };
    let size = from.iter().copied().find(|&size| size > 1 && once(from, size) && once(to, size) && is_moved(size))?;
    (is_gathered(from, to) || is_gathered(to, from)).then_some(size)
}

/// More axes than pictures and their sequences have are not looked at.
const MAX_RANK: usize = 6;

/// Whether each axis of `to` could be some of the axes of `from` put together, in whatever order: so that a transpose
/// might have been meant.
fn is_gathered(from: &[i64], to: &[i64]) -> bool {
    let large = |shape: &[i64]| shape.iter().copied().filter(|&dim| dim != 1).list();
    let (from, to) = (large(from), large(to));
    if from.len() > MAX_RANK || to.len() > from.len() {
        return false;
    }
    // Each number, written in the base of how many axes there are, says where each axis goes.
    (0..to.len().pow(from.len() as u32)).any(|mut way| {
        let mut products = vec![1i64; to.len()];
        for &dim in &from {
            products[way % to.len()] = products[way % to.len()].saturating_mul(dim);
            way /= to.len();
        }
        products == to
    })
}

#[cfg(test)]
mod tests {
    use super::{cut_batch, moved};

    #[test]
    fn axes_that_stay_and_axes_that_do_not() {
        assert_eq!(moved(&[1, 768, 14, 14], &[1, 196, 768]), Some(768));
        assert_eq!(moved(&[2, 3], &[3, 2]), Some(2));
        assert_eq!(moved(&[8, 10, 64], &[8, 4, 10, 16]), Some(10));
        assert_eq!(moved(&[8, 10, 64], &[8, 10, 4, 16]), None);
        assert_eq!(moved(&[8, 10, 64], &[80, 64]), None);
        assert_eq!(moved(&[4, 3, 5], &[4, 15]), None);
        assert_eq!(moved(&[32, 4], &[4, 4, 8]), None);
        assert_eq!(moved(&[6, 7, 6, 2], &[7, 6, 4, 3]), None);
    }

    #[test]
    fn batches_that_are_cut_and_batches_that_are_not() {
        assert_eq!(cut_batch(&[8, 32, 4, 4], &[16, 256]), Some(16));
        assert_eq!(cut_batch(&[8, 32, 4, 4], &[8, 512]), None);
        assert_eq!(cut_batch(&[8, 32, 4, 4], &[256, 16]), None);
        assert_eq!(cut_batch(&[1, 32, 4, 4], &[2, 256]), None);
    }
}
