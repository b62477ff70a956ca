//! From text to types.

use crate::coverage;
use crate::name::extent;
use base::{Append, Diagnostic, Edited, HashMap, HashSet, LineIndex, Severity, Span, Surface, ToList};
use hir::{ExprKind, FnId, Hole, Item, LocalId, LocalOrigin, Module, PatKind};
use infer::{Inferred, TypeError, Wording};
use solve::{Order, Trace};
use std::sync::LazyLock;
use ty::{AdtId, Printed, Term, Terms};

/// At most this many problems are told at once, errors rather than others: nobody reads more, and a page shows them all.
pub(crate) const MAX_DIAGNOSTICS: usize = 500;

/// Says how many more there are.
const MORE_PROBLEMS: &str = "more-problems";

/// That problems were left out, from where on.
pub(crate) fn more_problems(n: usize, from: Span) -> Diagnostic {
    let message = format!("{n} more problems follow from here; mend the first ones to see them");
    Diagnostic::new(Severity::Info, MORE_PROBLEMS, from, message)
}

/// At most this many variables are offered to fill a hole.
const MAX_FITS: usize = 3;

/// A warning is held against at most this many errors.
const MAX_LOOKED_AT: usize = 1000;

/// The module under every program, checked once.
struct Prelude {
    library: Module,
    analysis: Analysis,
}

/// Its source.
pub const PRELUDE_TEXT: &str = include_str!("prelude.relay");

static PRELUDE: LazyLock<Prelude> = LazyLock::new(|| {
    let parse = syntax::parse(PRELUDE_TEXT, Surface::Relay);
    let (module, hir_errors) = hir::lower(&parse.tree, Module::default());
    let (inferred, errors) = infer::infer(&module, None, Trace::off(), Order::Queue);
    debug_assert!(parse.errors.is_empty() && hir_errors.is_empty() && errors.is_empty(), "the prelude is well-typed");
    let (items, relations, relation_spans) =
        (module.items.clone(), module.relations.clone(), module.relation_spans.clone());
    let has_any = module.has_any;
    let library = module.into_library();
    // Asked about itself, the text is a file like others.
    let start = hir::Start::default();
    let module = Module { items, relations, relation_spans, has_any, start, ..Module::above(&library) };
    let (text, lines) = (PRELUDE_TEXT.to_owned(), LineIndex::new(PRELUDE_TEXT));
    Prelude { library, analysis: Analysis { text, lines, module, inferred, diagnostics: Vec::new(), untold: None } }
});

/// The prelude as a text that one can ask about.
pub fn prelude() -> &'static Analysis {
    &PRELUDE.analysis
}

/// What every text stands on.
pub(crate) fn ground(surface: Surface) -> blame::Ground<'static> {
    blame::Ground { library: &PRELUDE.library, inferred: &PRELUDE.analysis.inferred, surface }
}

/// Everything that is known of one source text.
pub struct Analysis {
    pub(crate) text: String,
    pub(crate) lines: LineIndex,
    pub(crate) module: Module,
    pub(crate) inferred: Inferred,
    diagnostics: Vec<Diagnostic>,
    /// Where the first error is that was not told.
    untold: Option<u32>,
}

/// A `def`, a top-level `let`, and in refine each `let` and each variable of an `as`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    pub name_span: Span,
    pub r#type: String,
    /// Whether the type was cut short.
    pub truncated: bool,
}

/// A top-level expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    pub function: FnId,
    pub span: Span,
    pub r#type: String,
}

impl Analysis {
    /// Of a Relay text, unless a `#lang` line says otherwise.
    pub fn new(text: &str) -> Analysis {
        Analysis::in_surface(text, Surface::Relay)
    }

    /// Of a text in the surface that its file's name says, unless a `#lang` line says otherwise.
    pub fn in_surface(text: &str, surface: Surface) -> Analysis {
        let parse = syntax::parse(text, surface);
        let (module, hir_errors) = hir::lower(&parse.tree, Module::above(&PRELUDE.library));
        let (inferred, mut type_errors) =
            infer::infer(&module, Some(&PRELUDE.analysis.inferred), Trace::off(), Order::Queue);
        let mut diagnostics: Vec<Diagnostic> = parse.errors.iter().map(|error| error.diagnostic()).list();
        let stolen = syntax::stolen_arms(&parse.tree);
        diagnostics.append_all(stolen.iter().map(|stolen| stolen.diagnostic()));
        diagnostics.append_all(hir_errors.iter().map(|error| error.diagnostic()));
        // What waits for a hole's type waits for the hole to be filled.
        if module.locals.iter().skip(module.start.locals).any(|local| local.origin == LocalOrigin::Hole) {
            type_errors.keep(|error| !matches!(error, TypeError::UnderConstrained { .. }));
        }
        diagnostics.append_all(module.holes.iter().map(|hole| hole_diagnostic(&module, &inferred, hole)));
        let wording = Wording { module: &module, inferred: &inferred };
        diagnostics.append_all(type_errors.iter().map(|error| wording.diagnostic(error)));
        let lines = LineIndex::new(text);
        let mut uncovered = coverage::diagnostics(text, &lines, &module, &inferred, &type_errors);
        // A case that an inner match has taken is not missing: the edit is the one that gives it back.
        for error in &mut uncovered {
            if let Some(stolen) = stolen.iter().find(|stolen| stolen.wants == error.span) {
                let Diagnostic { help, fixes, .. } = stolen.diagnostic();
                (error.help, error.fixes) = (help, fixes);
            }
        }
        diagnostics.append(&mut uncovered);
        // Of what is wrong nothing more is told.
        let errors = diagnostics.iter().filter(|said| said.severity == Severity::Error);
        let wrong = errors.map(|said| said.span).take(MAX_LOOKED_AT).list();
        let is_right = |said: &Diagnostic| !wrong.iter().any(|&it| said.span.to(it) == said.span);
        diagnostics.append_all(lint::check(text, &module, &inferred).into_iter().filter(is_right));
        if diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error) {
            diagnostics.append(&mut lint::unused(text, &module));
        }
        // In source order; at one place errors come before warnings.
        let sort_by_place = |all: &mut [Diagnostic]| {
            base::sort_by_key(all, |said| said.span.end);
            base::sort_by_key(all, |said| (said.span.start, said.severity as u32));
        };
        sort_by_place(&mut diagnostics);
        diagnostics.dedup();
        let mut untold = None;
        if diagnostics.len() > MAX_DIAGNOSTICS {
            base::sort_by_key(&mut diagnostics, |said| said.severity != Severity::Error);
            let rest = diagnostics.split_off(MAX_DIAGNOSTICS);
            diagnostics.push(more_problems(rest.len(), rest[0].span));
            untold = Some(&rest[0]).filter(|said| said.severity == Severity::Error).map(|said| said.span.start);
            sort_by_place(&mut diagnostics);
        }
        coverage::misspelt_in_types(text, &module, &mut diagnostics);
        Analysis { text: text.to_owned(), lines, module, inferred, diagnostics, untold }
    }

    /// What inference finds out once more, with everything that the solver did, and what is wrong with the types.
    pub(crate) fn recorded(&self) -> (Inferred, Vec<TypeError>) {
        infer::infer(&self.module, Some(&PRELUDE.analysis.inferred), Trace::on(), Order::Queue)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// What is wrong, in source order.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Each `def` and each top-level `let`, and in refine what a `let` or an `as` binds, in source order.
    pub fn definitions(&self) -> Vec<Definition> {
        let definition = |name: &str, name_span, printed: Option<Printed>| Definition {
            name: name.to_owned(),
            name_span,
            truncated: printed.as_ref().is_some_and(|printed| printed.truncated),
            r#type: printed.map_or_else(|| "_".to_owned(), |printed| printed.text),
        };
        let local_definition = |local: LocalId| {
            let data = &self.module.locals[local];
            definition(self.module.local_name(local), data.span, self.inferred.print_local(&self.module, local))
        };
        if self.module.surface == Surface::Refine {
            return self.bindings().into_iter().map(local_definition).list();
        }
        let items = self.module.items.iter();
        items
            .filter_map(|item| match *item {
                Item::Def(def) => {
                    let data = &self.module.defs[def];
                    let scheme = self.inferred.defs[def].as_ref();
                    let printed = scheme.map(|scheme| self.inferred.print_scheme(&self.module, scheme));
                    Some(definition(&data.name, data.name_span, printed))
                }
                Item::Let(local, _) => Some(local_definition(local)),
                Item::Expr(_) | Item::Adt(_) => None,
            })
            .list()
    }

    /// What `let` and `as` bind inside functions, in source order.
    fn bindings(&self) -> Vec<LocalId> {
        let Module { locals, pats, start, .. } = &self.module;
        let lets = locals.iter_enumerated().skip(start.locals).filter(|(_, local)| local.origin == LocalOrigin::Let);
        let named = pats.iter().skip(start.pats).filter_map(|pat| match pat.kind {
            PatKind::As(_, local) => Some(local),
            _ => None,
        });
        let mut bound: Vec<LocalId> = lets.map(|(id, _)| id).chain(named).list();
        base::sort_by_key(&mut bound, |&id| locals[id].span.start);
        // The alternatives of an or-pattern share theirs.
        bound.dedup();
        bound
    }

    /// Each top-level expression, in source order.
    pub fn expressions(&self) -> Vec<Expression> {
        let functions = self.module.items.iter().filter_map(|item| match *item {
            Item::Expr(function) => Some(function),
            Item::Def(_) | Item::Let(..) | Item::Adt(_) => None,
        });
        functions
            .map(|function| {
                let body = self.module.functions[function].body;
                Expression { function, span: self.module.functions[function].span, r#type: self.type_of(body) }
            })
            .list()
    }

    pub(crate) fn type_of(&self, expr: hir::ExprId) -> String {
        match self.inferred.exprs[expr] {
            Some(term) => self.inferred.print(&self.module, term).text,
            None => "_".to_owned(),
        }
    }

    /// What a definition gives, as its callers see it: a size that was written `?` may be known inside.
    pub(crate) fn result_of(&self, def: hir::DefId) -> Option<String> {
        let scheme = self.inferred.defs[def].as_ref()?;
        match self.inferred.solver.head(scheme.body) {
            ty::Term::Func { result, .. } => Some(self.inferred.print(&self.module, result).text),
            _ => None,
        }
    }

    /// The functions (of items) that may be run: neither they nor what they use has an error, other than a match that
    /// is not exhaustive.
    pub(crate) fn sound_functions(&self) -> HashSet<FnId> {
        self.sound_beside(&[])
    }

    /// As [`sound_functions`](Self::sound_functions), with what compiling them told.
    pub(crate) fn sound_beside(&self, told: &[Diagnostic]) -> HashSet<FnId> {
        let items: Vec<FnId> = self
            .module
            .items
            .iter()
            .filter_map(|item| match *item {
                Item::Def(def) => Some(self.module.defs[def].function),
                Item::Let(_, function) | Item::Expr(function) => Some(function),
                Item::Adt(_) => None,
            })
            .list();
        let all = self.diagnostics.iter().chain(told);
        let errors = all.filter(|d| d.severity == Severity::Error && d.code != "match-not-exhaustive");
        let mut errors: Vec<u32> = errors.map(|d| d.span.start).list();
        base::sort(&mut errors);
        let has_error = |span: Span| {
            let from = errors.partition_point(|&error| error < span.start);
            errors.get(from).is_some_and(|&error| error <= span.end) || self.untold.is_some_and(|at| at <= span.end)
        };
        let broken_types: HashSet<AdtId> = self
            .module
            .adts
            .iter_enumerated()
            .skip(self.module.start.adts)
            .filter(|&(id, _)| has_error(extent(self, id)))
            .map(|(adt, _)| adt)
            .collect();
        let uses_broken_type = |function: FnId| {
            !broken_types.is_empty()
                && self.module.functions[function].visits.clone().any(|visit| match self.module.visits[visit] {
                    hir::Visit::Expr(expr) => match self.module.exprs[expr].kind {
                        ExprKind::Ctor(ctor) => broken_types.contains(&self.module.ctors[ctor].adt),
                        _ => false,
                    },
                    hir::Visit::Let(..) | hir::Visit::Pattern(..) => false,
                })
        };
        // What a relation with a mistake says of the types of a body, and of those of its callers, nobody knows.
        let has_broken_clause = |id: FnId| self.module.functions[id].wheres.iter().any(hir::Where::is_broken);
        let mut broken: HashSet<FnId> = items
            .iter()
            .copied()
            .filter(|&id| has_error(self.module.functions[id].span) || uses_broken_type(id) || has_broken_clause(id))
            .collect();
        // What the weights of a node are is said outside its functions.
        if self.module.surface == Surface::TensorScript {
            let n_before = |at: u32| errors.partition_point(|&error| error < at);
            let spans = items.iter().map(|&id| self.module.functions[id].span);
            if spans.map(|span| n_before(span.end + 1) - n_before(span.start)).total::<usize>() < errors.len() {
                broken.extend(crate::run::main_of(self).map(|(_, main)| main));
            }
        }
        let of_let: HashMap<LocalId, FnId> = self
            .module
            .items
            .iter()
            .filter_map(|item| match *item {
                Item::Let(local, function) => Some((local, function)),
                Item::Def(_) | Item::Expr(_) | Item::Adt(_) => None,
            })
            .collect();
        loop {
            let n_broken = broken.len();
            for &id in &items {
                let function = &self.module.functions[id];
                let defs = function.uses_defs.iter().map(|&def| self.module.defs[def].function);
                let lets = function.uses_lets.iter().filter_map(|local| of_let.get(local).copied());
                if defs.chain(lets).any(|used| broken.contains(&used)) {
                    broken.insert(id);
                }
            }
            if broken.len() == n_broken {
                return items.into_iter().filter(|id| !broken.contains(id)).collect();
            }
        }
    }
}

/// What a hole wants, and which variables would fill it.
fn hole_diagnostic(module: &Module, inferred: &Inferred, hole: &Hole) -> Diagnostic {
    let span = module.locals[hole.local].span;
    let error = |message: String| Diagnostic::error("typed-hole", span, message);
    let known = inferred.locals[hole.local].filter(|&term| !matches!(inferred.solver.head(term), Term::Hole(_)));
    let Some(term) = known else {
        return error("expected an expression, found a hole: nothing here says of what type".to_owned());
    };
    let wanted = inferred.print(module, term).text;
    let mut error = error(format!("expected an expression of type {wanted}, found a hole"));
    if !inferred.solver.holes(&[term]).is_empty() {
        return error;
    }
    let fits = hole.in_scope.iter().filter(|&&local| {
        inferred.print_local(module, local).is_some_and(|printed| printed.text == wanted && !printed.truncated)
    });
    for &local in fits.take(MAX_FITS) {
        let name = module.local_name(local);
        error = error.fix(format!("fill it with `{name}`"), span, name.to_owned());
    }
    error
}

/// Whether a text type-checks, and the types of its definitions and expressions, with the relation queue in another
/// order. For the test that all orders agree.
pub fn check_order(text: &str, order: Order) -> (bool, Vec<String>) {
    let parse = syntax::parse(text, Surface::Relay);
    let (module, hir_errors) = hir::lower(&parse.tree, Module::above(&PRELUDE.library));
    let (inferred, errors) = infer::infer(&module, Some(&PRELUDE.analysis.inferred), Trace::off(), order);
    let mut types = Vec::new();
    for item in &module.items {
        match *item {
            Item::Def(def) => {
                let scheme = inferred.defs[def].as_ref();
                types.append_all(scheme.map(|scheme| inferred.print_scheme(&module, scheme).text));
            }
            Item::Let(local, _) => types.append_all(inferred.print_local(&module, local).map(|printed| printed.text)),
            Item::Expr(function) => {
                let term = inferred.exprs[module.functions[function].body];
                types.append_all(term.map(|term| inferred.print(&module, term).text));
            }
            Item::Adt(_) => {}
        }
    }
    (parse.errors.is_empty() && hir_errors.is_empty() && errors.is_empty(), types)
}

/// The solver that every text begins with, and a trace's replay too.
pub fn beginning() -> solve::Solver {
    PRELUDE.analysis.inferred.solver.beginning(Trace::off())
}

/// What the solver did for a text, after the prelude, and the solver it left behind.
pub fn trace(text: &str) -> solve::Solver {
    solved(text, Trace::on())
}

/// As [`trace`], with another log.
pub fn solved(text: &str, log: Trace) -> solve::Solver {
    let parse = syntax::parse(text, Surface::Relay);
    let (module, _) = hir::lower(&parse.tree, Module::above(&PRELUDE.library));
    infer::infer(&module, Some(&PRELUDE.analysis.inferred), log, Order::Queue).0.solver
}

/// The syntax tree alone, for measuring the parser by itself; returns how many nodes it has.
pub fn parse(text: &str) -> usize {
    syntax::parse(text, Surface::Relay).tree.n_nodes()
}
