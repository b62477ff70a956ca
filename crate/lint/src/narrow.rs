//! Results that the dtype of their operand cannot hold.
//!
//! Worked example: `exp(1)` is an int32, 2, since an operator gives what it takes; `logical_and(1f, 1f)` is NaN.

use crate::{Call, Context};
use base::{Diagnostic, Surface};
use hir::ExprKind;
use ty::{Dtype, Scalar, Term, Terms};

const CODE: &str = "narrow-result";

/// What these compute hardly ever is a whole number.
const FRACTIONS: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "erf",
    "exp",
    "fast_erf",
    "fast_exp",
    "fast_tanh",
    "log",
    "log10",
    "log2",
    "mean",
    "nn.fast_softmax",
    "nn.l2_normalize",
    "nn.log_softmax",
    "nn.softmax",
    "rsqrt",
    "sigmoid",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "variance",
];

/// What these compute of floats is NaN: those have no bits here, and no truth.
const BITS: &[&str] = &["bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"];
const TRUTHS: &[&str] = &["logical_and", "logical_or", "logical_xor"];

pub(crate) fn check(cx: &Context, call: &Call) -> Option<Diagnostic> {
    let &data = call.args.first()?;
    let solver = &cx.inferred.solver;
    let Term::Tensor { dtype, .. } = solver.head(cx.inferred.exprs[data]?) else { return None };
    let Term::Dtype(dtype) = solver.head(dtype) else { return None };
    let (name, told, span) = (call.name, call.told, cx.span(data));
    let (wide, suffix, result) = if dtype.is_float() {
        let (operands, help) = match name {
            _ if BITS.contains(&name) => ("whole numbers", "`cast` the operands to int32 first"),
            _ if TRUTHS.contains(&name) => ("truths", "compare the operands first, as in `%x != 0f`"),
            _ => return None,
        };
        let message = format!("`{told}` of {dtype} is NaN: it works on {operands}");
        let warning = Diagnostic::warning(CODE, cx.span(call.expr), message);
        return Some(Diagnostic { help: Some(help.to_owned()), ..warning });
    } else if FRACTIONS.contains(&name) {
        (Dtype::Float32, if cx.module.surface == Surface::TensorScript { "." } else { "f" }, "fractions are cut off")
    } else if name == "sum" && dtype == Dtype::Bool {
        (Dtype::Int32, "", "it says whether any is True")
    } else {
        return None;
    };
    let text = &cx.text[span.range()];
    let warning = Diagnostic::warning(CODE, cx.span(call.expr), format!("`{told}` of {dtype} is {dtype}: {result}"));
    let digits = matches!(cx.module.exprs[data].kind, ExprKind::Literal(Dtype::Int32, Scalar::Int(_)));
    Some(if digits && text.bytes().all(|byte| byte.is_ascii_digit()) {
        warning.fix(format!("write `{text}{suffix}`"), span.after(), suffix)
    } else if cx.module.surface == Surface::TensorScript {
        warning
    } else {
        let cast = format!("cast({text}, dtype=\"{wide}\")");
        warning.fix(format!("compute it in {wide}"), span, cast)
    })
}
