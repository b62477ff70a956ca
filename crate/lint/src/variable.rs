//! A variable that takes every value where a constructor was meant.
//!
//! Worked example: in `match (%color) { Red => 0, green => 1 }` the second arm takes `Blue` too.

use crate::Context;
use base::{Diagnostic, Surface};
use hir::{Arm, PatKind};

const CODE: &str = "suspicious-variable";

pub(crate) fn check(cx: &Context, arms: &[Arm]) -> Option<Diagnostic> {
    // In refine variants are declared nowhere.
    if cx.module.surface != Surface::Relay {
        return None;
    }
    arms.iter().find_map(|arm| {
        let pat = &cx.module.pats[arm.pat];
        let PatKind::Var(local) = pat.kind else { return None };
        let name = cx.module.local_name(local);
        let is_meant = |name: &str| name.eq_ignore_ascii_case(cx.module.local_name(local));
        let ctor = cx.module.ctors.iter().find(|ctor| ctor.fields.is_empty() && is_meant(&ctor.name))?;
        let message = format!("`{name}` is a variable, and takes every value: the constructor is `{}`", ctor.name);
        Some(Diagnostic::warning(CODE, pat.span, message).fix(format!("write `{}`", ctor.name), pat.span, &*ctor.name))
    })
}
