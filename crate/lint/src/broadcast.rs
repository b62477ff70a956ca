//! Broadcasts that grow a tensor by accident.
//!
//! Worked example: `(64, 1)` and `(64,)`, aligned from the right as broadcasting does:
//!
//! ```text
//! (64,  1)   stretched along axis 1
//! ( ·, 64)   stretched along axis 0
//! (64, 64)
//! ```

use crate::{Call, Context, Size, axis_of};
use base::{Append, Diagnostic, Surface, ToList};
use hir::{ExprId, ExprKind};
use ty::{Names, ParamId};

const CODE: &str = "suspicious-broadcast";

/// Arithmetic of two operands whose shapes broadcast.
const ARITHMETIC: &[&str] =
    &["add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "mod", "floor_mod"];
const COMPARISONS: &[&str] = &["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"];
const REDUCTIONS: &[&str] = &["sum", "mean", "max", "min", "prod", "variance", "std", "argmax", "argmin"];

pub(crate) fn check(cx: &Context, call: &Call) -> Option<Diagnostic> {
    let is_comparison = COMPARISONS.contains(&call.name);
    if !is_comparison && !ARITHMETIC.contains(&call.name) {
        return None;
    }
    let &[left, right] = call.args else { return None };
    // What does not broadcast is an error.
    cx.shape(call.expr)?;
    if cx.is_in_view(left) || cx.is_in_view(right) {
        return None;
    }
    both_stretched(cx, call, left, right, is_comparison)
        .or_else(|| without_keepdims(cx, call, left, right))
        .or_else(|| without_keepdims(cx, call, right, left))
        .or_else(|| one_target_for_all(cx, call, left, right))
        .or_else(|| strangers(cx, call, left, right))
}

/// The size of an axis counted from the last; a missing one is 1.
fn from_last(shape: &[Size], axis: usize) -> Size {
    shape.len().checked_sub(axis + 1).map_or(Size::ONE, |at| shape[at])
}

/// Both operands are stretched, along axes of one size: a vector against its own transpose.
fn both_stretched(cx: &Context, call: &Call, left: ExprId, right: ExprId, is_comparison: bool) -> Option<Diagnostic> {
    let (a, b) = (cx.shape(left)?, cx.shape(right)?);
    // Who puts in an axis, or compares all with all, means it.
    let is_meant =
        |expr| cx.operator(expr).is_some_and(|call| matches!(call.name, "expand_dims" | "reshape" | "arange"));
    // Of one rank, two parameters have the axes of size 1 in their types.
    let is_param = |expr| matches!(cx.module.exprs[cx.source(expr)].kind, ExprKind::Local(..));
    let is_seen = a.len() == b.len() && (is_comparison || is_param(left) && is_param(right));
    // What is left of two rows, one of which keeps its axis, is meant to meet all of the other's.
    let reduced = |expr| cx.operator(expr).filter(|call| REDUCTIONS.contains(&call.name));
    let are_reduced = reduced(left).zip(reduced(right));
    let is_crossed =
        are_reduced.is_some_and(|(left, right)| left.attrs.flag("keepdims") != right.attrs.flag("keepdims"));
    if is_meant(left) || is_meant(right) || is_seen || is_crossed {
        return None;
    }
    let axes = 0..a.len().max(b.len());
    let only = |one: &[Size], other: &[Size], axis| {
        let size = from_last(one, axis);
        (size != Size::ONE && from_last(other, axis) == Size::ONE).then_some(size)
    };
    let mut of_left = axes.clone().filter_map(|axis| only(&a, &b, axis));
    let is_same = of_left.any(|size| axes.clone().any(|axis| only(&b, &a, axis) == Some(size)));
    if !is_same {
        return None;
    }
    let (a_text, b_text) = (cx.shape_text(left), cx.shape_text(right));
    let result = cx.shape_text(call.expr);
    let message = format!("`{}` stretches both operands: {a_text} and {b_text} make {result}", call.told);
    let mut warning = Diagnostic::warning(CODE, cx.span(call.expr), message);
    for (operand, text) in [(left, &a_text), (right, &b_text)] {
        warning = warning.label(cx.span(operand), format!("{text} is repeated to {result}"));
    }
    // The operand with an axis more has it in place of the one that the other was to meet.
    let (long, shape) = if a.len() > b.len() { (left, &a) } else { (right, &b) };
    let axis = shape.iter().rposition(|&size| size == Size::ONE);
    if let (Some(axis), true) = (axis, a.len() != b.len()) {
        let name = cx.called(long, "the operand");
        let (start, end) = (cx.span(long).start, cx.span(long).end);
        let text = cx.text.get(start as usize..end as usize)?;
        let is_script = cx.module.surface == Surface::TensorScript;
        let keyword = if is_script { format!("dim={axis}") } else { format!("axis=[{axis}]") };
        let edit = format!("squeeze({text}, {keyword})");
        warning = warning.fix(format!("take axis {axis} out of {name}"), cx.span(long), edit);
        if is_script {
            warning.fixes[0].edits.append_all(cx.import("shape", "squeeze"));
        }
    }
    Some(warning)
}

/// A tensor against its own reduction, which lost the axes that would keep the two aligned.
fn without_keepdims(cx: &Context, call: &Call, whole: ExprId, reduced: ExprId) -> Option<Diagnostic> {
    let reduction = cx.operator(reduced).filter(|call| REDUCTIONS.contains(&call.name))?;
    if !cx.same(*reduction.args.first()?, whole) || reduction.attrs.flag("keepdims") || reduction.attrs.flag("exclude")
    {
        return None;
    }
    let (shape, rank) = (cx.shape(reduced)?, cx.shape(whole)?.len());
    let axes: Vec<usize> = reduction.attrs.ints("axis")?.into_iter().map(|axis| axis_of(axis, rank)).some_list()?;
    // What is left of the axes is aligned with the last ones. If those are the ones that are left, all is well.
    let is_aligned = (0..axes.len()).all(|axis| axes.contains(&axis));
    if shape.is_empty() || is_aligned {
        return None;
    }
    let message = format!(
        "`{}` lines {} up with the last axes of {}, not with those it was made from",
        call.told,
        cx.shape_text(reduced),
        cx.shape_text(whole)
    );
    let mut warning = Diagnostic::warning(CODE, cx.span(call.expr), message);
    let span = cx.span(reduction.expr);
    warning = warning.label(span, format!("`{}` takes its axes out here", reduction.told));
    Some(match cx.attr_value(&reduction, "keepdims") {
        Some(value) => warning.fix("keep the reduced axes, of size 1", value, "True"),
        None => {
            let before = base::Span::new(span.end - 1, span.end - 1);
            let is_script = cx.module.surface == Surface::TensorScript;
            let kept = if is_script { ", keepdim=true" } else { ", keepdims=True" };
            warning.fix("keep the reduced axes, of size 1", before, kept)
        }
    })
}

/// Two sizes that have nothing to do with one another: dims of different names, any number of examples and a number, or two
/// that no number makes equal.
fn strangers(cx: &Context, call: &Call, left: ExprId, right: ExprId) -> Option<Diagnostic> {
    let (a, b) = (cx.shape(left)?, cx.shape(right)?);
    let is_script = cx.module.surface == Surface::TensorScript;
    let is_named = |param: ParamId| (param.number() as usize) < cx.module.type_params.len();
    let needed = (0..a.len().min(b.len())).find_map(|axis| match (from_last(&a, axis), from_last(&b, axis)) {
        (Size::Number(n), Size::Param(p)) | (Size::Param(p), Size::Number(n)) if is_script && n != 1 && is_named(p) => {
            // `?` is any number of examples.
            Some(match cx.module.param(p) {
                "?" => format!("a batch of 1 or {n}"),
                name => format!("`{name}` to be 1 or {n}"),
            })
        }
        (Size::Param(p), Size::Param(q)) if p != q && is_named(p) && is_named(q) => {
            Some(format!("`{}` and `{}` that are equal, or one of them 1", cx.module.param(p), cx.module.param(q)))
        }
        // `H` and `H - 2`, or `D` and `D * 2`.
        (p, q) if cx.differ(p, q) => {
            let text = |operand, shape: &[Size]| cx.size_text(operand, shape.len() - 1 - axis);
            Some(format!("`{}` or `{}` to be 1", text(left, &a)?, text(right, &b)?))
        }
        _ => None,
    })?;
    let span = cx.span(call.expr);
    let functions = cx.module.functions.iter().skip(cx.module.start.functions);
    let mut around = functions.filter(|function| function.span.contains(span.start));
    // Who writes a condition has thought of it.
    if around.any(|function| !function.wheres.is_empty()) {
        return None;
    }
    let (a_text, b_text) = (cx.shape_text(left), cx.shape_text(right));
    let message = format!("`{}` of {a_text} and {b_text} needs {needed}", call.told);
    let warning = Diagnostic::warning(CODE, span, message);
    Some(warning.label(cx.span(left), a_text).label(cx.span(right), b_text))
}

/// A difference that is squared or made positive, as a loss does, of many values and one that stands for all of them.
fn one_target_for_all(cx: &Context, call: &Call, left: ExprId, right: ExprId) -> Option<Diagnostic> {
    if call.name != "subtract" || !is_squared(cx, call.expr) {
        return None;
    }
    let (a, b) = (cx.shape(left)?, cx.shape(right)?);
    let is_stretched = |one: &[Size], other: &[Size]| {
        !one.is_empty()
            && other.len() >= one.len()
            && (0..other.len()).any(|axis| from_last(one, axis) == Size::ONE && from_last(other, axis) != Size::ONE)
            && (0..other.len())
                .all(|axis| matches!(from_last(one, axis), size if size == Size::ONE || size == from_last(other, axis)))
    };
    let (stretched, whole) = match (is_stretched(&a, &b), is_stretched(&b, &a)) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        _ => return None,
    };
    // A mean is taken off, or a value that was told to be stretched.
    let is_meant = |call: Call| REDUCTIONS.contains(&call.name) || matches!(call.name, "expand_dims" | "reshape");
    if cx.operator(stretched).is_some_and(is_meant) {
        return None;
    }
    let message = format!(
        "`{}` repeats {} for all of {}, and the difference is squared",
        call.told,
        cx.shape_text(stretched),
        cx.shape_text(whole)
    );
    let warning = Diagnostic::warning(CODE, cx.span(call.expr), message);
    Some(warning.label(cx.span(stretched), format!("one {} is compared with many", cx.shape_text(stretched))))
}

/// Whether the program multiplies an expression's value by itself, or takes its absolute value.
fn is_squared(cx: &Context, expr: ExprId) -> bool {
    let squared = |other: &hir::Expr| {
        let ExprKind::OpCall { op, args, .. } = &other.kind else { return None };
        match (op.row().name, args.as_slice()) {
            ("multiply", &[left, right]) if cx.source(left) == cx.source(right) => Some(cx.source(left)),
            ("abs", &[arg]) | ("power", &[arg, _]) => Some(cx.source(arg)),
            _ => None,
        }
    };
    let exprs = || cx.module.exprs.iter().skip(cx.module.start.exprs);
    cx.squared.get_or_init(|| exprs().filter_map(squared).collect()).contains(&expr)
}
