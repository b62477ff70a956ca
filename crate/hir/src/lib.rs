//! Names resolved, sugar gone: the program as arenas of expressions, patterns and types.
//!
//! In: a syntax tree, and the module of a library whose names are in scope. Out: a [`Module`] and the errors of names
//! and forms. Every source construct becomes one node or an `Error` node, over which later stages pass in silence.
//!
//! The walk keeps no host stack: the tree is visited by its enter and leave events, and each node's result is stored
//! by its id, so a parent finds its children's. What inference needs in evaluation order is written down here once,
//! as [`Module::visits`]: a definition stands before its uses, an operand before its operator, a pattern before its
//! arm.
//!
//! Nothing is lazy but a top-level `let`, and of those it matters for some when they are evaluated
//! ([`Module::effectful`]).
//!
//! Deliberately absent: types of expressions (`infer`).
//!
//! ```
//! let parse = syntax::parse("def @twice(%x) { %x + %x }", base::Surface::Relay);
//! let (module, errors) = hir::lower(&parse.tree, hir::Module::default());
//! assert!(errors.is_empty());
//! assert_eq!(module.defs.iter().next().unwrap().name, "@twice");
//! ```

mod data;
mod effects;
mod error;
mod layer_fault;
pub mod layers;
mod lower;
pub mod net;
mod sizes;

pub use data::{
    Adt, Arm, Attr, Ctor, CtorId, Def, DefId, Expr, ExprId, ExprKind, FnId, Function, Hole, Item, Local, LocalId,
    LocalOrigin, Module, NO_FUNCTION, Pat, PatId, PatKind, Place, Start, TypeExpr, TypeExprId, TypeExprKind, TypeParam,
    Visit, Where,
};
pub use error::{ArrayFault, HirError, MetaFault};
pub use layer_fault::LayerFault;
pub use lower::lower;
pub use sizes::{TakenSizes, WrittenSizes};
