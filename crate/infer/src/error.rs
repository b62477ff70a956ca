//! What can be wrong with types, and the words for it.

use crate::Inferred;
use crate::why::Why;
use base::{Diagnostic, HashMap, Span, Surface, ToList, count};
use hir::{CtorId, DefId, ExprId, ExprKind, FnId, Module, PatId, PatKind, TypeExprId};
use solve::{Cause, Cycle, EQUAL, Failure, Posted, RelationId};
use ty::{
    Atom, COPY, Dim, Extent, FUNCTION, Kind, List, Names, Obligation, ParamId, Poly, PolyId, Reason, RelationRef, Term,
    TermId, Terms, VariantId,
};

#[derive(Clone, Debug)]
pub enum TypeError {
    Failed(Failure),
    UnderConstrained {
        relation: RelationId,
        waits: Vec<TermId>,
    },
    /// A relation that the function's `where` clause does not have.
    NotAssumed {
        relation: RelationId,
        args: Vec<TermId>,
        function: FnId,
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
            TypeError::UnderConstrained { relation, ref waits } => self.under_constrained(relation, waits),
            TypeError::NotAssumed { relation, ref args, function } => self.not_assumed(relation, args, function),
            TypeError::Infinite(Cycle { class, whole, cause }) => {
                let learned = self.inferred.solver.store.origin(class);
                let message = "this type would contain itself without end";
                let part = format!("the type of this would have to be {} and a part of that", self.print(whole));
                Diagnostic::error("occurs-check", self.span(cause), message).label(self.span(learned), part)
            }
            TypeError::OperatorArity { expr, op, want, found } => {
                let message = format!("`{op}` takes {}, found {found}", count(want, "argument"));
                Diagnostic::error(arity_code(want, found), module.exprs[expr].span, message)
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
                error.help = Some("pass the name of a polymorphic function, or a `fn` literal".to_owned());
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
    fn is_own_def(&self, def: DefId) -> bool {
        def.0 as usize >= self.module.start.defs
    }

    fn is_own_ctor(&self, ctor: CtorId) -> bool {
        ctor.0 as usize >= self.module.start.ctors
    }

    pub(crate) fn why(&self, cause: Cause) -> Why {
        self.inferred.whys[cause.0 as usize]
    }

    fn span(&self, cause: Cause) -> Span {
        self.why(cause).span(self.module)
    }

    pub(crate) fn print(&self, term: TermId) -> String {
        self.inferred.print(self.module, term).text
    }

    fn callee_name(&self, callee: ExprId) -> String {
        match self.module.exprs[callee].kind {
            ExprKind::Def(def) => format!("`{}`", self.module.defs[def].name),
            ExprKind::Ctor(ctor) => format!("`{}`", self.module.ctors[ctor].name),
            ExprKind::Local(local, _) => format!("`{}`", self.module.local_name(local)),
            _ => "this function".to_owned(),
        }
    }

    fn failed(&self, failure: &Failure) -> Diagnostic {
        let posted = self.inferred.solver.relation(failure.relation);
        if posted.relation.is(&EQUAL) || (posted.relation.is(&COPY) && matches!(failure.reason, Reason::Unequal { .. }))
        {
            return self.unequal(failure);
        }
        if posted.relation.is(&FUNCTION) {
            return self.no_solution(failure);
        }
        let span = self.span(posted.cause);
        let relation = posted.relation.name();
        let stage = self.stage_at(posted);
        let (mut operator, mut args) = match self.why(posted.cause) {
            Why::Expr(expr) => match &self.module.exprs[expr].kind {
                // There it is written as a sign, unless it is a part of a layer.
                ExprKind::OpCall { op, args, .. } if self.module.surface == Surface::TensorScript => {
                    (format!("`{}`", op.row().infix.unwrap_or(op.row().name)), args.as_slice())
                }
                ExprKind::OpCall { op, args, .. } => (format!("`{}`", op.row().name), args.as_slice()),
                ExprKind::Op(op) => (format!("`{}`", op.row().name), &[][..]),
                // What a called function's type asks for.
                ExprKind::Def(def) => {
                    (format!("`{relation}` in `{}`", self.module.defs[*def].name), self.args_of_callee(expr))
                }
                _ => (format!("`{relation}`"), &[][..]),
            },
            _ => (format!("`{relation}`"), &[][..]),
        };
        // A layer is told by the name that it has in the text, not by the operators that it is made of.
        if let Some(stage) = stage {
            if let Some(error) = self.features(stage, failure).or_else(|| self.product(stage, failure)) {
                return error;
            }
            operator = self.layer_name(stage);
            if stage.layer(self.module).is_none_or(|(layer, _)| layer.n_values() == 1) {
                args = std::slice::from_ref(&stage.input);
            }
        }
        let inputs = &posted.args[..posted.n_inputs()];
        let operand_span = |operand: usize| args.get(operand).map(|&arg| self.module.exprs[arg].span);
        let mut error = match &failure.reason {
            Reason::Unequal { expected, found, left, right } => {
                let (code, detail) = self.conflict(*left, *right);
                let (expected_text, found_text) = (self.print(*expected), self.print(*found));
                let message = match self.inferred.solver.head(*expected).kind() {
                    Kind::Type => format!("{operator} expects {expected_text}, found {found_text}{detail}"),
                    Kind::Dim => format!("{operator} needs equal sizes, found {expected_text} and {found_text}"),
                    Kind::Shape => format!("{operator} needs equal shapes, found {expected_text} and {found_text}"),
                    Kind::BaseType => format!("{operator} needs one dtype, found {expected_text} and {found_text}"),
                    Kind::Row => format!("{operator} needs equal rows, found {expected_text} and {found_text}"),
                };
                let error = self.with_operands(Diagnostic::error(code, span, message), args);
                self.with_origins(error, span, &[*left, *right])
            }
            Reason::Broadcast { left, right, left_size, right_size, axis } => {
                let at = match axis {
                    Some(0) => " on the last axis".to_owned(),
                    Some(1) => " on the last axis but one".to_owned(),
                    Some(n) => format!(" on axis {n} from the last"),
                    None => String::new(),
                };
                let message = format!("sizes {left_size} and {right_size} do not broadcast{at} in {operator}");
                let error = Diagnostic::error("broadcast-incompatible", span, message);
                let error = self.with_operands(error, args);
                self.with_origins(error, span, &[*left, *right])
            }
            Reason::Dtypes { left, right } => {
                let message = format!("{operator} needs operands of one dtype, found {left} and {right}");
                let mut error = Diagnostic::error("dtype-mismatch", span, message);
                let first = if args.len() == 3 { 1 } else { 0 };
                for (operand, dtype) in [(first, left), (first + 1, right)] {
                    if let Some(span) = operand_span(operand) {
                        error = error.label(span, dtype.to_string());
                    }
                }
                error
            }
            Reason::NotTensor { operand } => {
                let message = format!(
                    "{operator} expects a tensor, found {}",
                    inputs.get(*operand).map_or_else(|| "_".to_owned(), |&term| self.print(term))
                );
                Diagnostic::error("type-mismatch", operand_span(*operand).unwrap_or(span), message)
            }
            Reason::NotTuple { operand } => {
                let found = inputs.get(*operand).map_or_else(|| "_".to_owned(), |&term| self.print(term));
                match posted.relation.name() {
                    "TupleGetItem" => {
                        Diagnostic::error("not-a-tuple", span, format!("expected a tuple, found {found}"))
                    }
                    _ => {
                        let message = format!("{operator} expects a tuple of tensors, found {found}");
                        Diagnostic::error("relation-check", operand_span(*operand).unwrap_or(span), message)
                    }
                }
            }
            Reason::Rank { operand, want, found } => {
                let name = match self.why(posted.cause) {
                    Why::Expr(expr) => match &self.module.exprs[expr].kind {
                        ExprKind::OpCall { op, .. } => op.row().args.get(*operand).copied().unwrap_or("operand"),
                        _ => "operand",
                    },
                    _ => "operand",
                };
                let message = format!("{operator} expects {name} of rank {want}, found rank {found}");
                let error = Diagnostic::error("rank-mismatch", operand_span(*operand).unwrap_or(span), message);
                match inputs.get(*operand) {
                    Some(&term) => error.label(operand_span(*operand).unwrap_or(span), self.print(term)),
                    None => error,
                }
            }
            Reason::Axis { attr, axis, rank } => {
                let range = match *rank {
                    0 => "a scalar has no axes".to_owned(),
                    rank => format!("the axes are {} to {}", -(rank as i64), rank - 1),
                };
                let message = match stage.and_then(|stage| stage.layer(self.module)) {
                    Some((layer, _)) if layer.params.iter().all(|param| param.name != "dim") => {
                        format!("{operator} needs an axis {axis}, but {range}")
                    }
                    Some(_) => format!("`dim` of {operator} is {axis}, but {range}"),
                    None => format!("`{attr}` of {operator} is {axis}, but {range}"),
                };
                Diagnostic::error("relation-check", span, message)
            }
            Reason::TupleIndex { index, len } => {
                let message = format!("expected a field from 0 to {}, found .{index}", len.saturating_sub(1));
                let message = if *len == 0 { format!("an empty tuple has no field .{index}") } else { message };
                Diagnostic::error("tuple-index-out-of-range", span, message)
            }
            Reason::NoClause => {
                let inputs: Vec<String> = inputs.iter().map(|&term| self.print(term)).list();
                let message = format!("no clause of `{relation}` fits ({})", inputs.join(", "));
                let error = self.with_operands(Diagnostic::error("no-clause", span, message), args);
                match self.written_relation(posted) {
                    Some(at) => error.label(at, format!("`{relation}` is defined here")),
                    None => error,
                }
            }
            Reason::EndlessCopy => {
                Diagnostic::error("occurs-check", span, "the type of this variable would contain itself without end")
            }
            Reason::Attr { attr, want } => {
                Diagnostic::error("relation-check", span, format!("`{attr}` of {operator} must be {want}"))
            }
            Reason::Check(sentence) => {
                let error = Diagnostic::error("relation-check", span, format!("{operator}: {sentence}"));
                self.with_operands(error, args)
            }
        };
        error.labels.dedup();
        error
    }

    /// An equation of dims or shapes that has no solution.
    fn no_solution(&self, failure: &Failure) -> Diagnostic {
        let posted = self.inferred.solver.relation(failure.relation);
        let span = self.span(posted.cause);
        let (place, args) = self.place_of(posted);
        if let Some(error) = self.stage_at(posted).and_then(|stage| self.rows(stage)) {
            return error;
        }
        let equation = self.obligation(posted);
        match &failure.reason {
            Reason::Unequal { left, right, .. } => {
                let (code, _) = self.conflict(*left, *right);
                let message = format!("`{equation}`{place}: {} and {} differ", self.print(*left), self.print(*right));
                self.with_origins(
                    self.with_operands(Diagnostic::error(code, span, message), args),
                    span,
                    &[*left, *right],
                )
            }
            Reason::Check(sentence) => {
                let message = format!("`{equation}`{place}: {sentence}");
                self.with_operands(Diagnostic::error("relation-check", span, message), args)
            }
            _ => Diagnostic::error("relation-check", span, format!("`{equation}`{place} has no solution")),
        }
    }

    /// In whose type or rule a relation stands, as words to follow it, and the arguments there.
    fn place_of(&self, posted: &Posted) -> (String, &[ExprId]) {
        match self.why(posted.cause) {
            Why::Expr(expr) => match &self.module.exprs[expr].kind {
                ExprKind::OpCall { op, args, .. } => (format!(" in `{}`", op.row().name), args),
                ExprKind::Def(def) => {
                    (format!(" in the type of `{}`", self.module.defs[*def].name), self.args_of_callee(expr))
                }
                _ => (String::new(), &[]),
            },
            _ => (String::new(), &[]),
        }
    }

    /// A plain equation that does not hold, said from where it came from.
    fn unequal(&self, failure: &Failure) -> Diagnostic {
        let posted = self.inferred.solver.relation(failure.relation);
        let Reason::Unequal { expected, found, left, right } = failure.reason else {
            return Diagnostic::error("type-mismatch", self.span(posted.cause), "these types differ");
        };
        let span = self.span(posted.cause);
        if let Some(error) = self.sum_conflict(posted, [expected, found], [left, right]) {
            return error;
        }
        let (mut code, detail) = self.conflict(left, right);
        let (expected_text, found_text) = (self.print(expected), self.print(found));
        let why = self.why(posted.cause);
        let stage = self.stage_at(posted);
        if let Some(error) = stage.and_then(|stage| self.features(stage, failure)) {
            return error;
        }
        let message = match why {
            Why::Condition(_) => format!("expected bool as the condition, found {found_text}"),
            Why::Branches(_) => format!("expected {expected_text} as in the first branch, found {found_text}{detail}"),
            Why::Arm { .. } => format!("expected {expected_text} as in the first arm, found {found_text}{detail}"),
            Why::Pattern(pat) => {
                if matches!(self.module.pats[pat].kind, hir::PatKind::Tuple(_)) {
                    code = "pattern-arity";
                }
                format!("the scrutinee is {expected_text}, but this pattern takes {found_text}")
            }
            Why::Variable(local) if posted.relation.is(&COPY) => {
                let name = self.module.local_name(local);
                format!("`{name}` is a copy of {expected_text}, and is used as {found_text}{detail}")
            }
            _ => match stage {
                Some(stage) => {
                    format!("{} expects {expected_text}, found {found_text}{detail}", self.layer_name(stage))
                }
                None => format!("expected {expected_text}, found {found_text}{detail}"),
            },
        };
        let error = Diagnostic::error(code, span, message);
        let error = match why {
            Why::Let { local, .. } => error.label(self.module.locals[local].span, "annotated here"),
            Why::Result(function) => match self.module.functions[function].result {
                Some(result) => error.label(self.module.type_exprs[result].span, "the declared result"),
                None => error,
            },
            Why::Argument { call, index } => match &self.module.exprs[call].kind {
                ExprKind::Call { callee, .. } => match self.module.exprs[*callee].kind {
                    ExprKind::Def(def) if self.is_own_def(def) => {
                        let function = &self.module.functions[self.module.defs[def].function];
                        let param = function.params[index];
                        let name = self.module.local_name(param);
                        error.label(self.module.locals[param].span, format!("`{name}` is declared here"))
                    }
                    ExprKind::Ctor(ctor) if self.is_own_ctor(ctor) => {
                        let field = self.module.ctors[ctor].fields[index];
                        let ctor = &self.module.ctors[ctor];
                        error.label(self.module.type_exprs[field].span, format!("field {index} of `{}`", ctor.name))
                    }
                    _ => error,
                },
                _ => error,
            },
            Why::Branches(expr) => match self.module.exprs[expr].kind {
                ExprKind::If { then, .. } => error.label(crate::why::value_span(self.module, then), "the first branch"),
                _ => error,
            },
            Why::Arm { matching, .. } => match &self.module.exprs[matching].kind {
                ExprKind::Match { arms, .. } => {
                    error.label(crate::why::value_span(self.module, arms[0].body), "the first arm")
                }
                _ => error,
            },
            _ => error,
        };
        let Some(namesakes) = self.namesakes(left, right) else {
            return self.with_origins(error, span, &[left, right]);
        };
        // A parameter that generalising made is written nowhere.
        let written = |param: ParamId| (param.0 as usize) < self.module.type_params.len();
        let own =
            namesakes.into_iter().filter(|&param| written(param) && param.0 as usize >= self.module.start.type_params);
        own.fold(error, |error, param| {
            let param = &self.module.type_params[param];
            error.label(param.span, format!("one {} is declared here", param.name))
        })
    }

    /// Two parameters that print alike, if these terms are such.
    fn namesakes(&self, left: TermId, right: TermId) -> Option<[ParamId; 2]> {
        let param = |term| match self.inferred.solver.head(term) {
            Term::Param(param, _) | Term::Dim(Dim { extent: Extent::Param(param), .. }) => Some(param),
            _ => None,
        };
        let (left, right) = (param(left)?, param(right)?);
        let names = self.inferred.names(self.module);
        (left != right && names.param(left) == names.param(right)).then_some([left, right])
    }

    /// Two sums that differ in their variants: one has a variant that the other, which is closed, has not, or they give
    /// one variant different numbers of fields.
    fn sum_conflict(&self, posted: &Posted, types: [TermId; 2], parts: [TermId; 2]) -> Option<Diagnostic> {
        let solver = &self.inferred.solver;
        let span = self.span(posted.cause);
        let heads = parts.map(|part| solver.head(part));
        let mention = |cell: TermId| solver.store.origin(cell);
        if let [Term::Row { variant, fields: a, .. }, Term::Row { variant: other, fields: b, .. }] = heads
            && variant == other
        {
            let name = self.module.variant(variant);
            let message = format!("expected `{name}` with {}, found {}", count(a.len as usize, "field"), b.len);
            let mut error = Diagnostic::error("variant-arity", span, message);
            for (cell, fields) in parts.into_iter().zip([a, b]) {
                let at = self.span(mention(cell));
                let is_shown = at != span && mention(cell).0 as usize >= self.inferred.n_library_whys;
                if is_shown && !error.labels.iter().any(|label| label.span == at) {
                    error = error.label(at, format!("`{name}` has {} here", count(fields.len as usize, "field")));
                }
            }
            return Some(error);
        }
        let (end, cell, variant) = match heads {
            [Term::EmptyRow | Term::Param(..), Term::Row { variant, .. }] => (parts[0], parts[1], variant),
            [Term::Row { variant, .. }, Term::EmptyRow | Term::Param(..)] => (parts[1], parts[0], variant),
            _ => return None,
        };
        let name = self.module.variant(variant);
        // A row stands alone as the argument of a type.
        let row_of = |id: TermId| if let Term::Sum(row) = solver.head(id) { row } else { id };
        let sums = solver.roots_where(&types, |term| matches!(term, Term::Sum(_) | Term::Row { .. }));
        let ends_here = |&id: &TermId| solver.root(solver.row(row_of(id)).1) == solver.root(end);
        let closed = sums.into_iter().find(ends_here);
        let sum = closed.filter(|&id| row_of(id) != id).unwrap_or(types[0]);
        let sum_text = self.print(sum);
        let message = match self.why(posted.cause) {
            Why::Pattern(_) => format!("the scrutinee is {sum_text}, which has no variant `{name}`"),
            _ => format!("expected {sum_text}, found a sum with the variant `{name}`"),
        };
        let mut error = Diagnostic::error("not-in-sum", span, message);
        if let Why::Written(_) = self.why(solver.store.origin(end))
            && solver.store.origin(end).0 as usize >= self.inferred.n_library_whys
        {
            error = error.label(self.span(solver.store.origin(end)), "this type has no other variants");
        }
        let at = self.span(mention(cell));
        if at != span && mention(cell).0 as usize >= self.inferred.n_library_whys {
            error = error.label(at, format!("`{name}` comes from here"));
        }
        let known = closed.map(|id| solver.row(row_of(id)).0).unwrap_or_default();
        let known = known.iter().map(|variant| self.module.variant(variant.name));
        if let Some(nearest) = base::nearest(name, known)
            && let Some(written) = self.variant_name(mention(cell), variant)
        {
            error = error.fix(format!("replace it by `{nearest}`"), written, nearest);
        }
        Some(error)
    }

    /// Where the name of a variant is written that came into a sum so, if it stands at once behind its backtick.
    fn variant_name(&self, cause: Cause, name: VariantId) -> Option<Span> {
        let Module { exprs, pats, surface, .. } = self.module;
        let (span, field) = match self.why(cause) {
            Why::Expr(expr) => match &exprs[expr].kind {
                ExprKind::Variant(found, fields) if *found == name => {
                    (exprs[expr].span, fields.first().map(|&field| exprs[field].span.start))
                }
                _ => return None,
            },
            Why::Pattern(pat) => match &pats[pat].kind {
                PatKind::Variant(found, fields) if *found == name => {
                    (pats[pat].span, fields.first().map(|&field| pats[field].span.start))
                }
                _ => return None,
            },
            _ => return None,
        };
        let n_bytes = self.module.variant(name).len() as u32;
        match surface {
            Surface::Refine | Surface::TensorScript => Some(Span::new(span.start, span.start + n_bytes)),
            Surface::Relay => {
                let written = Span::new(span.start + 1, span.start + 1 + n_bytes);
                let is_whole = field.map_or(span.end == written.end, |field| field == written.end + 1);
                is_whole.then_some(written)
            }
        }
    }

    /// The code of a conflict between two parts, and what to say beyond the whole types.
    fn conflict(&self, left: TermId, right: TermId) -> (&'static str, String) {
        let solver = &self.inferred.solver;
        if self.namesakes(left, right).is_some() {
            return ("type-mismatch", format!(": two parameters are named {}", self.print(left)));
        }
        match (solver.head(left), solver.head(right)) {
            (Term::Shape(a), Term::Shape(b)) => ("rank-mismatch", format!(": ranks {} and {} differ", a.len, b.len)),
            (Term::Dim(_), Term::Dim(_)) => {
                ("type-mismatch", format!(": sizes {} and {} differ", self.size(left), self.size(right)))
            }
            (Term::Func { params: a, .. }, Term::Func { params: b, .. }) => {
                (arity_code(a.len as usize, b.len as usize), String::new())
            }
            _ => ("type-mismatch", String::new()),
        }
    }

    /// The arguments of the call that calls this expression.
    fn args_of_callee(&self, callee: ExprId) -> &[ExprId] {
        let calls = self.module.exprs.iter().find_map(|expr| match &expr.kind {
            ExprKind::Call { callee: called, args, .. } if *called == callee => Some(args.as_slice()),
            _ => None,
        });
        calls.unwrap_or(&[])
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
            if (cause.0 as usize) < self.inferred.n_library_whys {
                continue;
            }
            let origin = self.span(cause);
            if origin != at && !error.labels.iter().any(|label| label.span == origin) {
                error = error.label(origin, format!("{} comes from here", self.size(term)));
            }
        }
        error
    }

    /// As [`print`](Self::print), but a `?` that met a number as that number, which is what others differ from.
    pub(crate) fn size(&self, term: TermId) -> String {
        match self.inferred.solver.head(term) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => number.to_string(),
            _ => self.print(term),
        }
    }

    /// Where the relation was written, if it was.
    fn written_relation(&self, posted: &Posted) -> Option<Span> {
        match &posted.relation {
            RelationRef::Written { index, .. } => self.module.relation_spans.get(*index).copied(),
            RelationRef::Builtin(_) => None,
        }
    }

    /// The relation as text, as a `where` clause has it.
    fn obligation(&self, posted: &Posted) -> String {
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
        let first = ParamId(self.module.type_params.len() as u32);
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

    fn under_constrained(&self, relation: RelationId, waits: &[TermId]) -> Diagnostic {
        let solver = &self.inferred.solver;
        let posted = solver.relation(relation);
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
        let of_what = match names.as_slice() {
            [] => "a type that nothing determines".to_owned(),
            names => format!("the type of {}", names.join(" or ")),
        };
        let mut error = Diagnostic::error(
            "under-constrained",
            span,
            format!("{operator} waits for {of_what}: an annotation is needed"),
        );
        for &wait in waits {
            let origin = self.span(solver.store.origin(wait));
            if origin != span {
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

fn arity_code(want: usize, found: usize) -> &'static str {
    if found < want { "arity-too-few" } else { "arity-too-many" }
}
