//! A variable that takes every value where a constructor or a variant was meant.
//!
//! Worked example: in `match (%color) { Red => 0, green => 1 }` the second arm takes `Blue` too.

use crate::Context;
use base::{Diagnostic, Surface};
use hir::{Arm, ExprId, ExprKind, PatKind};
use ty::{Names, Term, Terms};

const CODE: &str = "suspicious-variable";

pub(crate) fn check(cx: &Context, scrutinee: ExprId, arms: &[Arm]) -> Option<Diagnostic> {
    let solver = &cx.inferred.solver;
    let variants = match solver.head(cx.inferred.exprs[scrutinee]?) {
        Term::Sum(row) => solver.row(row).0,
        _ => Vec::new(),
    };
    arms.iter().find_map(|arm| {
        let pat = &cx.module.pats[arm.pat];
        let PatKind::Var(local) = pat.kind else { return None };
        let name = cx.module.local_name(local);
        let is_meant = |other: &str| name.eq_ignore_ascii_case(other);
        let mut ctors = cx.module.ctors.iter().filter(|ctor| ctor.fields.is_empty());
        let mut bare = variants.iter().filter(|variant| solver.items(variant.fields).is_empty());
        let variant = bare.find(|variant| is_meant(cx.module.variant(variant.name)));
        let (kind, meant) = match variant.map(|variant| cx.module.variant(variant.name)) {
            Some(meant) if cx.module.surface == Surface::Relay => ("variant", format!("`{meant}")),
            Some(meant) => ("variant", meant.to_owned()),
            // In refine variants are declared nowhere.
            None if cx.module.surface != Surface::Relay => return None,
            None => ("constructor", ctors.find(|ctor| is_meant(&ctor.name))?.name.clone()),
        };
        // Who uses it means the value.
        let is_use = |expr: &hir::Expr| matches!(expr.kind, ExprKind::Local(used, _) if used == local);
        if cx.module.exprs.iter().skip(cx.module.start.exprs).any(is_use) {
            return None;
        }
        let quoted = if meant.starts_with('`') { format!("`` {meant} ``") } else { format!("`{meant}`") };
        let message = format!("`{name}` is a variable, and takes every value: the {kind} is {quoted}");
        Some(Diagnostic::warning(CODE, pat.span, message).fix(format!("write {quoted}"), pat.span, meant))
    })
}
