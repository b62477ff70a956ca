//! Normalisations along an axis that is hardly the one that was meant.
//!
//! Worked example: `nn.softmax(%scores, axis=0)` of `(64, 2)` makes each column sum to 1 over the 64 samples.

use crate::{Call, Context, Size, axis_of};
use base::{Diagnostic, Span, Surface};
use hir::{ExprId, ExprKind};

const CODE: &str = "suspicious-axis";

/// Between the scores and the softmax may stand a scale, a mask and the like.
const MAX_STEPS: usize = 8;

pub(crate) fn check(cx: &Context, call: &Call) -> Option<Diagnostic> {
    let &data = call.args.first()?;
    let shape = cx.shape(data)?;
    let axes = match call.name {
        "nn.softmax" | "nn.log_softmax" | "nn.fast_softmax" | "nn.layer_norm" => vec![call.attrs.int("axis")?],
        "argmax" | "argmin" => call.attrs.ints("axis")?,
        _ => return None,
    };
    let &[axis] = axes.as_slice() else { return None };
    let axis = axis_of(axis, shape.len())?;
    let last = shape.len() - 1;
    if cx.is_in_view(data) {
        return None;
    }
    if axis == last && shape[axis] != Size::ONE {
        return across_pictures(cx, call, data, axis);
    }
    // What a bare parameter holds is not known, so its first axis may be any.
    let is_softmax = call.name.ends_with("softmax");
    let text = cx.shape_text(data);
    // Where the last axis has one element, no scores lie along it.
    let scores = scores(cx, data).filter(|_| shape[last] != Size::ONE);
    let message = if is_softmax && shape[axis] == Size::ONE {
        format!("`{}` of {text} along axis {axis}, which has one element: each becomes 1", call.told)
    } else if axis == 0 && (call.name.starts_with("nn.") && cx.operator(data).is_some() || scores.is_some()) {
        format!("`{}` of {text} goes along axis 0, across the samples of the batch", call.told)
    } else if let (true, Some(product)) = (is_softmax, scores.filter(|_| !is_weighing(cx, call.expr))) {
        format!("`{}` of {text} goes along axis {axis}, but `{product}` has its scores along the last", call.told)
    } else {
        return None;
    };
    let warning = Diagnostic::warning(CODE, cx.span(call.expr), message).label(cx.span(data), text);
    let is_list = matches!(call.name, "argmax" | "argmin");
    let (title, value) = ("take the last axis", if is_list { "[-1]" } else { "-1" });
    Some(match cx.attr_value(call, "axis").filter(|_| shape[last] != Size::ONE) {
        Some(span) => warning.fix(title, span, value),
        None if shape[axis] == Size::ONE && call.name == "nn.softmax" && cx.module.surface == Surface::Relay => {
            warning.fix("write `sigmoid`", cx.name_span(call), "sigmoid")
        }
        None => warning,
    })
}

/// A softmax over the columns of pictures, whose channels are the classes.
fn across_pictures(cx: &Context, call: &Call, data: ExprId, axis: usize) -> Option<Diagnostic> {
    let made = cx.operator(data).filter(|made| made.name == "nn.conv2d" && call.name.ends_with("softmax"))?;
    cx.shape(data).filter(|shape| made.attrs.str("data_layout") == "NCHW" && shape[1] != Size::ONE)?;
    let text = cx.shape_text(data);
    let message =
        format!("`{}` of {text} goes along axis {axis}, but the channels of `{}` are axis 1", call.told, made.told);
    let warning = Diagnostic::warning(CODE, cx.span(call.expr), message).label(cx.span(data), text);
    let end = cx.span(call.expr).end;
    Some(match cx.attr_value(call, "axis") {
        _ if cx.module.surface != Surface::Relay => warning,
        Some(span) => warning.fix("take the channels", span, "1"),
        None => warning.fix("take the channels", Span::new(end - 1, end - 1), ", axis=1"),
    })
}

/// Whether what a layer scores weighs something: each of its columns is a sum over the samples then, once it is turned.
fn is_weighing(cx: &Context, scores: ExprId) -> bool {
    cx.module.exprs.iter().skip(cx.module.start.exprs).any(|expr| match &expr.kind {
        ExprKind::OpCall { op, args, .. } => {
            op.row().name == "transpose" && args.iter().any(|&arg| cx.source(arg) == scores)
        }
        _ => false,
    })
}

/// The product of matrices that an expression's value comes from elementwise.
fn scores(cx: &Context, mut expr: ExprId) -> Option<&'static str> {
    for _ in 0..MAX_STEPS {
        let call = cx.operator(expr)?;
        match call.name {
            "nn.dense" | "nn.matmul" | "nn.batch_matmul" => return Some(call.told),
            "divide" | "multiply" | "add" | "subtract" | "cast" | "nn.bias_add" | "nn.relu" | "nn.dropout" => {
                expr = *call.args.first()?;
            }
            "where" => expr = *call.args.get(1)?,
            _ => return None,
        }
    }
    None
}
