//! Weights, imports and nodes of TensorScript that nothing uses.
//!
//! Only of a program without errors: what is broken may have used them. `new`, which fills a weight, is no use of it.

use base::{Diagnostic, Span};
use hir::Module;

/// The warnings of a module that is right otherwise.
pub fn check(text: &str, module: &Module) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    let mut warn = |code, span: Span, before: &str, after: &str| {
        let message = format!("{before}`{}`{after}", &text[span.range()]);
        warnings.push(Diagnostic::warning(code, span, message));
    };
    for &import in &module.unused_imports {
        warn("unused-import", import, "nothing here uses ", "");
    }
    // What has no functions at all is not done yet.
    for net in module.nets.iter().filter(|net| !net.methods.is_empty()) {
        for weight in net.weights.iter().filter(|weight| !weight.is_used) {
            warn("unused-weight", weight.span, "no function applies ", ": it is kept and trained for nothing");
        }
        if net.methods.iter().all(|method| method.name != "forward") {
            let after = " has a graph without `forward`: it can be neither run nor applied";
            warn("no-forward", net.name_span, "", after);
        }
    }
    warnings
}
