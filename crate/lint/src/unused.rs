//! Weights, imports and nodes of TensorScript that nothing uses.
//!
//! Only of a program without errors: what is broken may have used them. `new`, which fills a weight, is no use of it.

use base::{Diagnostic, ToList};
use hir::Module;

/// The warnings of a module that is right otherwise.
pub fn check(module: &Module) -> Vec<Diagnostic> {
    let imports = module.imports.iter().filter(|import| !import.is_used).map(|import| {
        let message = format!("nothing here is a `{}`", import.name);
        Diagnostic::warning("unused-import", import.span, message)
    });
    let nets = module.nets.iter().filter(|net| !net.methods.is_empty());
    let unused = nets.clone().flat_map(|net| net.weights.iter().filter(|weight| !weight.is_used));
    let weights = unused.map(|weight| {
        let message = format!("no function applies `{}`: it is kept and trained for nothing", weight.name);
        Diagnostic::warning("unused-weight", weight.span, message)
    });
    let lacking = nets.filter(|net| net.methods.iter().all(|method| method.name != "forward"));
    let nodes = lacking.map(|net| {
        let message = format!("`{}` has a graph without `forward`: it can be neither run nor applied", net.name);
        Diagnostic::warning("no-forward", net.name_span, message)
    });
    imports.chain(weights).chain(nodes).list()
}
