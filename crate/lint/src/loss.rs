//! Losses of what they do not take: probabilities where their logarithms or the scores are wanted, and the other way round.
//!
//! Worked example: `nn.cross_entropy_with_logits` takes a softmax itself. Of `nn.softmax(%scores)` it takes another one, so
//! that all classes come out about as likely.

use crate::{Call, Context, axis_of};
use base::Diagnostic;

const CODE: &str = "suspicious-loss";

pub(crate) fn check(cx: &Context, call: &Call) -> Option<Diagnostic> {
    let is_loss = matches!(call.name, "nn.nll_loss" | "nn.cross_entropy" | "nn.cross_entropy_with_logits");
    let data = cx.operator(*call.args.first().filter(|_| is_loss)?)?;
    let (wanted, instead, at) = match (call.name, data.name) {
        ("nn.nll_loss", "nn.softmax") => ("logarithms of probabilities", "nn.log_softmax", &data),
        ("nn.nll_loss", "nn.log_softmax") => return across_classes(cx, call, &data),
        ("nn.cross_entropy_with_logits", "nn.softmax") => {
            ("scores, of which it takes a softmax", "nn.cross_entropy", call)
        }
        ("nn.cross_entropy", "nn.dense" | "nn.bias_add" | "nn.conv2d") => {
            ("probabilities", "nn.cross_entropy_with_logits", call)
        }
        _ => return None,
    };
    let message = format!("`{}` takes {wanted}, and not what `{}` gives", call.told, data.told);
    let name = cx.name_span(at);
    let warning = Diagnostic::warning(CODE, cx.span(at.expr), message);
    let is_written = cx.text.get(name.range()) == Some(at.name);
    Some(if is_written { warning.fix(format!("write `{instead}`"), name, instead) } else { warning })
}

/// The classes of `nn.nll_loss` are its second axis.
fn across_classes(cx: &Context, call: &Call, data: &Call) -> Option<Diagnostic> {
    let rank = cx.shape(data.expr)?.len();
    let axis = axis_of(data.attrs.int("axis")?, rank).filter(|&axis| axis != 1)?;
    let message = format!("`{}` has its classes along axis 1, and `{}` goes along axis {axis}", call.told, data.told);
    let warning = Diagnostic::warning(CODE, cx.span(data.expr), message);
    Some(match cx.attr_value(data, "axis") {
        Some(value) => warning.fix("write `axis=1`", value, "1"),
        None => warning,
    })
}
