//! Type inference: Hindley-Milner over the solver's store, with type relations (Roesch et al., *Relay: A High-Level
//! Compiler for Deep Learning*, 2019, "Type Inference").
//!
//! In: a module. Out: the type of every expression, variable and pattern as terms of one solver, a scheme for each
//! definition, and errors as structure.
//!
//! Definitions are taken in strongly connected groups, callees first. For each group: walk the bodies in evaluation
//! order, making types and posting relations (plain equations among them); solve; generalise what is unknown, together
//! with the relations that wait for it. A call of a generalised definition instantiates both, so a function may be
//! polymorphic over relations: `def @linear(%x, %w, %b) { %w * %x + %b }` has a type with two `Broadcast`s.
//!
//! Worked example: `def @inc(%x) { %x + 1 }`. The walk makes the unknowns `x` and `r`, of `%x` and of the result, and
//! `s`, of the sum; it posts `Broadcast(x, int32, s)` and `r = s`. The first, run, finds that `x` is a tensor of
//! `int32` and of a shape `d` that nobody knows, and that `s` is `Tensor[d, int32]`; the second makes `r` the same. `d`
//! is left, so the definition is generalised: `fn[S: Shape](Tensor[S, int32]) -> Tensor[S, int32]`.
//!
//! Invariants: the store's types are monomorphic; only names bound to a `def`, a top-level `let` or an `fn[…]` literal
//! are polymorphic. Every term has a cause ([`Why`]), so an error can point at both sides.
//!
//! Deliberately absent: coverage of matches (`pattern`; `cover` asks only which rows stay open), any host recursion.

mod assume;
mod axes;
mod call;
mod cascade;
mod cover;
mod definitions;
mod error;
mod escape;
mod failure;
mod generalise;
mod group;
mod layer;
mod merge;
mod owed;
mod recursion;
mod rows;
mod shared;
mod taken;
mod types;
mod walk;
mod why;

pub use error::{TypeError, Wording};
pub use owed::Asked;
pub use why::Why;

use base::{HashMap, HashSet, IndexVec};
use hir::{DefId, ExprId, LocalId, Module, PatId};
use solve::{Order, Solver, Trace};
use std::sync::Arc;
use ty::{AdtId, Kind, Names, ParamId, Printed, Scheme, Term, TermId, Terms, VariantId};

/// What inference found out.
pub struct Inferred {
    pub solver: Solver,
    pub exprs: IndexVec<ExprId, Option<TermId>>,
    pub locals: IndexVec<LocalId, Option<TermId>>,
    pub pats: IndexVec<PatId, Option<TermId>>,
    pub defs: IndexVec<DefId, Option<Arc<Scheme>>>,
    /// Of top-level `let`s and of `let`s of polymorphic `fn` literals.
    pub local_schemes: HashMap<LocalId, Scheme>,
    /// The annotations of variables in programs that mention `?`, apart from all equations.
    pub as_written: HashMap<LocalId, TermId>,
    /// What the body of a definition with a `where` clause has for its parameters.
    pub inside: HashMap<ParamId, TermId>,
    /// What type arguments a mention of a polymorphic name was instantiated with.
    pub instances: HashMap<ExprId, Vec<TermId>>,
    /// Expressions of a polymorphic type that are used at one type.
    pub opened: HashMap<ExprId, Opened>,
    /// Expressions where a polymorphic function is wanted, and that type. Their own types mention its parameters.
    pub handed: HashMap<ExprId, TermId>,
    /// How many events there were when each group of definitions was begun.
    pub groups: Vec<u32>,
    /// By the cause's number.
    pub whys: Vec<Why>,
    /// How many of them are a library's, with spans in its text.
    pub n_library_whys: usize,
    /// The shape that all scalars share; it was made for the first of them.
    pub empty_shape: Option<TermId>,
    /// Type parameters that generalising made; their ids follow the module's.
    pub generated_params: Vec<(String, Kind)>,
}

/// A use of a value of a polymorphic type at one type.
pub struct Opened {
    pub ty: TermId,
    pub args: Vec<TermId>,
}

/// Infers a whole module; `library` is what was found of the library that it stands on, if it does.
pub fn infer(module: &Module, library: Option<&Inferred>, log: Trace, order: Order) -> (Inferred, Vec<TypeError>) {
    let (inferred, mut errors) = walk::Inference::new(module, library, log, order).run();
    layer::check_ranks(module, &inferred, &mut errors);
    if !errors.is_empty() {
        cascade::drop_followers(module, &inferred, &mut errors);
    }
    debug_assert!(
        !errors.is_empty() || inferred.solver.failures.is_empty() || cascade::has_gaps(module),
        "what failed is told"
    );
    (inferred, errors)
}

/// The names of a module's types and parameters, generated ones included.
pub struct TypeNames<'a> {
    pub module: &'a Module,
    pub generated_params: &'a [(String, Kind)],
    pub unknown_dim: char,
}

impl Names for TypeNames<'_> {
    fn adt(&self, adt: AdtId) -> &str {
        self.module.adt(adt)
    }

    fn param(&self, param: ParamId) -> &str {
        match (param.number() as usize).checked_sub(self.module.type_params.len()) {
            Some(generated) => &self.generated_params[generated].0,
            None => self.module.param(param),
        }
    }

    fn param_kind(&self, param: ParamId) -> Kind {
        match (param.number() as usize).checked_sub(self.module.type_params.len()) {
            Some(generated) => self.generated_params[generated].1,
            None => self.module.param_kind(param),
        }
    }

    fn variant(&self, variant: VariantId) -> &str {
        self.module.variant(variant)
    }

    fn surface(&self) -> base::Surface {
        self.module.surface
    }

    fn unknown_dim(&self) -> char {
        self.unknown_dim
    }
}

impl Inferred {
    pub fn names<'a>(&'a self, module: &'a Module) -> TypeNames<'a> {
        TypeNames { module, generated_params: &self.generated_params, unknown_dim: '_' }
    }

    pub fn print(&self, module: &Module, term: TermId) -> Printed {
        ty::print_term(&self.solver, &self.names(module), term)
    }

    pub fn print_scheme(&self, module: &Module, scheme: &Scheme) -> Printed {
        ty::print_scheme(&self.solver, &self.names(module), scheme)
    }

    /// Whether a value's type is that of an error, or which variants it has, or what a field is if it is a tuple.
    pub fn is_unknown(&self, ty: TermId) -> bool {
        let (mut pending, mut seen) = (vec![ty], HashSet::default());
        while let Some(ty) = pending.pop() {
            match self.solver.head(ty) {
                Term::Error(_) => return true,
                Term::Sum(row) => pending.push(self.solver.row(row).1),
                // A tuple may hold one type twice, and so on.
                Term::Tuple(fields) if seen.insert(self.solver.root(ty)) => {
                    pending.extend_from_slice(self.solver.items(fields));
                }
                _ => {}
            }
        }
        false
    }

    /// The type of a variable, with its parameters if it is polymorphic.
    pub fn print_local(&self, module: &Module, local: LocalId) -> Option<Printed> {
        match self.local_schemes.get(&local) {
            Some(scheme) => Some(self.print_scheme(module, scheme)),
            None => {
                let term = self.as_written.get(&local).copied().or(self.locals[local]);
                term.map(|term| self.print(module, term))
            }
        }
    }
}
