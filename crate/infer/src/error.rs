//! What can be wrong with types, and the words for it.

use crate::Inferred;
use crate::escape::Holder;
use crate::why::Why;
use base::{Diagnostic, HashMap, Join, MapArray, Span, Surface, ToList, count};
use hir::{CtorId, DefId, ExprId, ExprKind, FnId, Module, PatId, TypeExprId};
use solve::{Cause, Cycle, Failure, Posted, RelationId};
use ty::{Atom, Dim, Extent, Kind, List, Names, Obligation, ParamId, Poly, PolyId, RelationRef, Term, TermId, Terms};

#[derive(Clone, Debug)]
pub enum TypeError {
    Failed(Failure),
    UnderConstrained {
        relation: RelationId,
        args: Vec<TermId>,
        waits: Vec<TermId>,
    },
    /// A relation that the function's `where` clause does not have.
    NotAssumed {
        relation: RelationId,
        args: Vec<TermId>,
        function: FnId,
    },
    /// A type with too many parameters or parts.
    LargeType {
        function: FnId,
        what: &'static str,
        most: usize,
    },
    /// A relation that a definition asks for at other types than its own, where its group uses it.
    OwedWithin {
        relation: RelationId,
        mention: ExprId,
    },
    /// What has a type that mentions a parameter of a function that it is not in.
    Escapes {
        holder: Holder,
        ty: TermId,
        param: ParamId,
        owner: FnId,
    },
    Infinite(Cycle),
    OperatorArity {
        expr: ExprId,
        op: &'static str,
        want: usize,
        found: usize,
    },
    OperatorNeedsAttr {
        expr: ExprId,
        op: &'static str,
        attr: &'static str,
    },
    Arity {
        call: ExprId,
        callee: ExprId,
        want: usize,
        found: usize,
    },
    /// What is wanted works at every type, and this at one.
    NotPolymorphic {
        value: ExprId,
        expected: TermId,
        found: TermId,
    },
    NotAFunction {
        callee: ExprId,
        found: TermId,
    },
    TypeArguments {
        call: ExprId,
        want: usize,
        found: usize,
    },
    TypeArgumentKind {
        arg: TypeExprId,
        want: Kind,
    },
    PatternArity {
        pat: PatId,
        ctor: CtorId,
        want: usize,
        found: usize,
    },
}

/// What words need: the program, and what was found out about it.
pub struct Wording<'a> {
    pub module: &'a Module,
    pub inferred: &'a Inferred,
}

impl Wording<'_> {
    pub fn diagnostic(&self, error: &TypeError) -> Diagnostic {
        let module = self.module;
        match *error {
            TypeError::Failed(ref failure) => self.failed(failure),
            TypeError::UnderConstrained { relation, ref args, ref waits } => {
                self.under_constrained(relation, args, waits)
            }
            TypeError::NotAssumed { relation, ref args, function } => self.not_assumed(relation, args, function),
            TypeError::LargeType { function, what, most } => {
                let message = format!("this has a type with more than {most} {what}, and that is where checking ends");
                Diagnostic::error("large-type", module.functions[function].span, message)
            }
            TypeError::OwedWithin { relation, mention } => {
                let name = self.callee_name(mention);
                let text = self.obligation(self.inferred.solver.relation(relation));
                let message = format!(
                    "{name} is used at other types inside itself, which needs {text}: only a `where` clause can say so"
                );
                Diagnostic::error("relation-not-assumed", module.exprs[mention].span, message)
            }
            TypeError::Escapes { holder, ty, param, owner } => {
                let (name, span) = match holder {
                    Holder::Local(local) => (module.local_name(local), module.locals[local].span),
                    Holder::Def(def) => (&*module.defs[def].name, module.defs[def].name_span),
                };
                let names = self.inferred.names(module);
                let (param_name, of) = (names.param(param), self.function_name(owner));
                let found = self.print(ty);
                let message =
                    format!("`{name}` would have the type {found}, but `{param_name}` means nothing outside of {of}");
                let mut error = Diagnostic::error("escaping-parameter", span, message);
                if let Holder::Def(_) = holder {
                    let help = "write the types of what the `fn` literal uses from around it, before it does";
                    error.help = Some(help.to_owned());
                }
                if (param.number() as usize) < module.type_params.len() {
                    error.label(module.type_params[param].span, format!("`{param_name}` is declared here"))
                } else {
                    error
                }
            }
            TypeError::Infinite(Cycle { class, whole, cause }) => {
                let learned = self.inferred.solver.store.origin(class);
                let message = "this type would contain itself without end";
                let part = format!("the type of this would have to be {} and a part of that", self.print(whole));
                let mut error =
                    Diagnostic::error("occurs-check", self.span(cause), message).label(self.span(learned), part);
                let solver = &self.inferred.solver;
                if !solver.roots_where(&[whole], |term| matches!(term, Term::Sum(_))).is_empty() {
                    let help = match module.surface {
                        Surface::Refine => "an anonymous sum does not hold itself, and refine has no other types",
                        _ => "an anonymous sum does not hold itself: declare a `type`, whose fields may",
                    };
                    error.help = Some(help.to_owned());
                }
                error
            }
            TypeError::OperatorArity { expr, op, want, found } => {
                let message = format!("`{op}` takes {}, found {found}", count(want, "argument"));
                let mut error = Diagnostic::error(arity_code(want, found), module.exprs[expr].span, message);
                if let Some(op) = op::by_name(op).filter(|_| found < want) {
                    let names = op.row().args.iter().map(|name| format!("`{name}`")).list();
                    let are = if want == 1 { "argument is" } else { "arguments are" };
                    error.help = Some(format!("its {are} {}", base::listed(&names, "and")));
                }
                error
            }
            TypeError::OperatorNeedsAttr { expr, op, attr } => {
                let message = format!("`{op}` needs the attribute `{attr}`, so it cannot be passed by itself");
                Diagnostic::error("attribute-error", module.exprs[expr].span, message)
            }
            TypeError::Arity { call, callee, want, found } => {
                let name = self.callee_name(callee);
                let message = format!("{name} takes {}, found {found}", count(want, "argument"));
                let error = Diagnostic::error(arity_code(want, found), module.exprs[call].span, message);
                match module.exprs[callee].kind {
                    ExprKind::Def(def) if self.is_own_def(def) => {
                        error.label(module.defs[def].name_span, "defined here")
                    }
                    ExprKind::Ctor(ctor) if self.is_own_ctor(ctor) => {
                        error.label(module.ctors[ctor].name_span, "declared here")
                    }
                    ExprKind::Local(local, _) => error.label(module.locals[local].span, "bound here"),
                    _ => error,
                }
            }
            TypeError::NotPolymorphic { value, expected, found } => {
                let (expected, found) = (self.print(expected), self.print(found));
                let message = format!("expected {expected}, found {found}, which is not polymorphic");
                let mut error = Diagnostic::error("not-polymorphic", module.exprs[value].span, message);
                let help = match module.exprs[value].kind {
                    ExprKind::Fn(_) => {
                        "use nothing in this literal whose type mentions the parameter of the one around it"
                    }
                    _ => "pass the name of a polymorphic function, or a `fn` literal",
                };
                error.help = Some(help.to_owned());
                error
            }
            TypeError::NotAFunction { callee, found } => {
                let message = format!("expected a function, found {}", self.print(found));
                Diagnostic::error("not-a-function", module.exprs[callee].span, message)
            }
            TypeError::TypeArguments { call, want, found } => {
                let message = format!("expected {}, found {found}", count(want, "type argument"));
                Diagnostic::error("type-argument-count", module.exprs[call].span, message)
            }
            TypeError::TypeArgumentKind { arg, want } => {
                let message = format!("expected a type argument of kind {}", want.name());
                Diagnostic::error("wrong-kind", module.type_exprs[arg].span, message)
            }
            TypeError::PatternArity { pat, ctor, want, found } => {
                let is_own = self.is_own_ctor(ctor);
                let ctor = &module.ctors[ctor];
                let message = format!("`{}` has {}, found {found}", ctor.name, count(want, "field"));
                let error = Diagnostic::error("pattern-arity", module.pats[pat].span, message);
                if is_own { error.label(ctor.name_span, "declared here") } else { error }
            }
        }
    }

    /// Whether a definition stands in this file, and not in its library.
    pub(crate) fn is_own_def(&self, def: DefId) -> bool {
        def.number() as usize >= self.module.start.defs
    }

    pub(crate) fn is_own_ctor(&self, ctor: CtorId) -> bool {
        ctor.number() as usize >= self.module.start.ctors
    }

    pub(crate) fn why(&self, cause: Cause) -> Why {
        self.inferred.whys[cause.0 as usize]
    }

    pub(crate) fn span(&self, cause: Cause) -> Span {
        self.why(cause).span(self.module)
    }

    pub(crate) fn print(&self, term: TermId) -> String {
        let mut names = self.inferred.names(self.module);
        // What is not known is any size there.
        if self.module.surface == Surface::TensorScript {
            names.unknown_dim = '?';
        }
        ty::print_said(&self.inferred.solver, &names, term)
    }

    /// A definition's name; a literal has none.
    fn function_name(&self, function: FnId) -> String {
        let def = self.module.defs.iter().find(|def| def.function == function);
        def.map_or_else(|| "its function".to_owned(), |def| format!("`{}`", def.name))
    }

    fn callee_name(&self, callee: ExprId) -> String {
        match self.module.exprs[callee].kind {
            ExprKind::Def(def) => format!("`{}`", self.module.defs[def].name),
            ExprKind::Ctor(ctor) => format!("`{}`", self.module.ctors[ctor].name),
            ExprKind::Local(local, _) => format!("`{}`", self.module.local_name(local)),
            _ => "this function".to_owned(),
        }
    }

    /// Labels an operator's operands with their types.
    pub(crate) fn with_operands(&self, mut error: Diagnostic, args: &[ExprId]) -> Diagnostic {
        for &arg in args {
            if let Some(term) = self.inferred.exprs[arg] {
                error = error.label(self.module.exprs[arg].span, self.print(term));
            }
        }
        error
    }

    /// Labels where the two sides of a conflict came from, unless that is the place of the error itself.
    pub(crate) fn with_origins(&self, mut error: Diagnostic, at: Span, terms: &[TermId]) -> Diagnostic {
        for &term in terms {
            let cause = self.inferred.solver.store.origin(term);
            if (cause.0 as usize) < self.inferred.n_library_whys || self.is_of_all_scalars(term) {
                continue;
            }
            let origin = self.span(cause);
            if origin != at && !error.labels.iter().any(|label| label.span == origin) {
                error = error.label(origin, format!("{} comes from here", self.size(term)));
            }
        }
        error
    }

    /// Whether it is the shape that all scalars share, which tells of none of them where it came from.
    fn is_of_all_scalars(&self, term: TermId) -> bool {
        let store = &self.inferred.solver.store;
        self.inferred.empty_shape == Some(store.source(store.root(term)))
    }

    /// The parts of two types that differ, or the types where a part is no one's own.
    pub(crate) fn differing(&self, parts: [TermId; 2], types: [TermId; 2]) -> [TermId; 2] {
        [0, 1].each(|i| if self.is_of_all_scalars(parts[i]) { types[i] } else { parts[i] })
    }

    /// As [`print`](Self::print), but a `?` that met a number as that number, which is what others differ from.
    pub(crate) fn size(&self, term: TermId) -> String {
        match self.inferred.solver.head(term) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => number.to_string(),
            _ => self.print(term),
        }
    }

    /// Where the relation was written, if it was.
    pub(crate) fn written_relation(&self, posted: &Posted) -> Option<Span> {
        match &posted.relation {
            RelationRef::Written { index, .. } => self.module.relation_spans.get(*index).copied(),
            RelationRef::Builtin(_) => None,
        }
    }

    /// The relation as text, as a `where` clause has it.
    pub fn obligation(&self, posted: &Posted) -> String {
        let Posted { relation, args, attrs, .. } = posted;
        let obligation = Obligation { relation: relation.clone(), args: args.to_vec(), attrs: attrs.clone() };
        let terms = Instance { terms: &self.inferred.solver, params: self.instance_params(posted) };
        ty::print_obligation(&terms, &self.inferred.names(self.module), &obligation).text
    }

    /// What stands for the parameters of the definition whose mention posted a relation.
    fn instance_params(&self, posted: &Posted) -> HashMap<TermId, Term> {
        let Why::Expr(expr) = self.why(posted.cause) else { return HashMap::default() };
        let ExprKind::Def(def) = self.module.exprs[expr].kind else { return HashMap::default() };
        let (Some(args), Some(scheme)) = (self.inferred.instances.get(&expr), &self.inferred.defs[def]) else {
            return HashMap::default();
        };
        let names = self.inferred.names(self.module);
        let param = |(&arg, &param): (&TermId, &ParamId)| (arg, Term::param(param, names.param_kind(param)));
        args.iter().zip(&scheme.params).map(param).collect()
    }

    /// Whether terms are made of what the program names: not of unknowns, nor of parameters that inference made.
    fn can_be_written(&self, terms: &[TermId]) -> bool {
        let solver = &self.inferred.solver;
        let first = ParamId::numbered(self.module.type_params.len() as u32);
        let has_no_name = |term: Term| match term {
            Term::Param(param, _) | Term::Dim(Dim { extent: Extent::Param(param), .. }) => param >= first,
            term => term.is_hole(),
        };
        solver.roots_where(terms, has_no_name).is_empty()
    }

    fn not_assumed(&self, relation: RelationId, args: &[TermId], function: FnId) -> Diagnostic {
        let posted = self.inferred.solver.relation(relation);
        let text = self.obligation(&Posted { args: args.into(), ..posted.clone() });
        let message = format!("the `where` clause does not say that {text}");
        let wheres = &self.module.functions[function].wheres;
        let error = Diagnostic::error("relation-not-assumed", self.span(posted.cause), message);
        let Some(clause) = wheres.iter().map(|clause| clause.span).reduce(Span::to) else { return error };
        let error = error.label(clause, "the relations that the body may rely on");
        match self.can_be_written(args) {
            true => {
                error.fix(format!("add `{text}` to the clause"), Span::new(clause.end, clause.end), format!(", {text}"))
            }
            false => error,
        }
    }

    fn under_constrained(&self, relation: RelationId, args: &[TermId], waits: &[TermId]) -> Diagnostic {
        let solver = &self.inferred.solver;
        let posted = &Posted { args: args.into(), ..solver.relation(relation).clone() };
        let span = self.span(posted.cause);
        let operator = match self.why(posted.cause) {
            Why::Expr(expr) => match &self.module.exprs[expr].kind {
                ExprKind::OpCall { op, .. } | ExprKind::Op(op) => format!("`{}`", op.row().name),
                ExprKind::Project { index, .. } => format!("the projection .{index}"),
                _ => format!("`{}`{}", self.obligation(posted), self.place_of(posted).0),
            },
            _ => format!("`{}`", self.obligation(posted)),
        };
        let is_any = |&wait: &TermId| matches!(solver.head(wait), Term::Dim(dim) if dim.dynamic);
        if waits.iter().any(is_any) && matches!(posted.relation, RelationRef::Written { .. }) {
            let message = format!("{operator} waits for a `?`, and which shape it gives depends on it");
            let error = Diagnostic::error("under-constrained", span, message);
            let any: Vec<TermId> = waits.iter().copied().filter(is_any).list();
            return self.with_origins(error, span, &any);
        }
        let mut names: Vec<String> = waits.iter().filter_map(|&wait| self.variable_of(wait)).list();
        names.dedup();
        if names.is_empty() && !waits.is_empty() && solver.holes(waits).is_empty() {
            let asked = self.obligation(posted);
            let asking = if operator[1..].starts_with(&asked) {
                operator + " is asked for"
            } else {
                format!("{operator} asks for {asked}")
            };
            let message = format!("{asking}, and no caller can be told: only a `def` says so in its type");
            return Diagnostic::error("under-constrained", span, message);
        }
        let of_what = match names.as_slice() {
            [] => "a type that nothing determines".to_owned(),
            names => format!("the type of {}", names.joined(" or ")),
        };
        let mut error = Diagnostic::error(
            "under-constrained",
            span,
            format!("{operator} waits for {of_what}: an annotation is needed"),
        );
        let mut told = vec![span];
        for &wait in waits {
            let origin = self.span(solver.store.origin(wait));
            if !told.contains(&origin) {
                told.push(origin);
                error = error.label(origin, "what this is, is not known");
            }
        }
        error
    }

    /// The variable in whose type an unknown stands.
    fn variable_of(&self, wait: TermId) -> Option<String> {
        let solver = &self.inferred.solver;
        let root = solver.root(wait);
        // The variable with the smallest type around the unknown.
        let mentions = self.inferred.locals.iter_enumerated().filter_map(|(local, term)| {
            let inside = solver.roots_where(&[(*term)?], |_| true);
            inside.contains(&root).then_some((inside.len(), local))
        });
        let (_, local) = mentions.min_by_key(|&(size, _)| size)?;
        Some(format!("`{}`", self.module.local_name(local)))
    }
}

/// Terms in which unknowns that stand for parameters are the parameters.
struct Instance<'a, T> {
    terms: &'a T,
    params: HashMap<TermId, Term>,
}

impl<T: Terms> Terms for Instance<'_, T> {
    fn root(&self, id: TermId) -> TermId {
        self.terms.root(id)
    }

    fn head(&self, id: TermId) -> Term {
        let head = self.terms.head(id);
        match self.params.get(&id) {
            Some(&param) if head.is_hole() || matches!(head, Term::Error(_)) => param,
            _ => head,
        }
    }

    fn items(&self, list: List) -> &[TermId] {
        self.terms.items(list)
    }

    fn poly(&self, id: PolyId) -> &Poly<Atom> {
        self.terms.poly(id)
    }
}

pub(crate) fn arity_code(want: usize, found: usize) -> &'static str {
    if found < want { "arity-too-few" } else { "arity-too-many" }
}
