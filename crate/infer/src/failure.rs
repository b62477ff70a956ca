//! The words for relations that do not hold.

use crate::axes::axes_asked;
use crate::error::{Wording, arity_code};
use crate::layer::axes;
use crate::owed::Asked;
use crate::why::{Why, args_of_callee};
use base::{Append, Diagnostic, Join, Span, Surface, ToList, count};
use hir::net::Stage;
use hir::{Arm, ExprId, ExprKind, Module, PatId, PatKind};
use solve::{Cause, EQUAL, Failure, Posted, RelationId};
use ty::{
    AT_MOST, COPY, Dim, Extent, FUNCTION, Function, Kind, Names, ParamId, Reason, Term, TermId, Terms, VariantId,
};

/// A relation of an operator that does not hold.
struct Broken<'a> {
    posted: &'a Posted,
    /// The layer of TensorScript that the operator is a part of.
    stage: Option<&'a Stage>,
    /// As that, or the one in a function's body that asks for it.
    named: Option<&'a Stage>,
    /// The operator, as words.
    operator: String,
    args: &'a [ExprId],
}

impl Wording<'_> {
    pub(crate) fn failed(&self, failure: &Failure) -> Diagnostic {
        let posted = self.inferred.solver.relation(failure.relation);
        if posted.relation.is(&EQUAL) || (posted.relation.is(&COPY) && matches!(failure.reason, Reason::Unequal { .. }))
        {
            return self.unequal(failure);
        }
        // What a function's type asks for is told by what asks for it there.
        let asked = self.inferred.asked_by(self.module, failure.relation);
        let asking = asked.as_ref().map(|asked| self.asking(asked, posted));
        let too_few = self.too_few_axes(posted, asked.as_ref().and_then(|asked| asked.relation));
        let mut error = match too_few {
            Some(sentence) => {
                let called = match self.why(posted.cause) {
                    Why::Expr(expr) => self.name_of_callee(&self.module.exprs[expr].kind),
                    _ => None,
                };
                let asking = asking.or_else(|| called.map(|name| format!("`{name}`")));
                let asking = asking.unwrap_or_else(|| self.operator_of(posted).0);
                let error =
                    Diagnostic::error("relation-check", self.span(posted.cause), format!("{asking}: {sentence}"));
                self.with_operands(error, self.place_of(posted).1)
            }
            None if posted.relation.is(&FUNCTION) => self.no_solution(failure, asking),
            None => self.does_not_hold(failure, asking, asked.as_ref()),
        };
        if let Some(asked) = &asked {
            error = self.with_asking(error, asked);
        }
        error.labels.dedup();
        error
    }

    /// What asks for something in a function's body, as words.
    fn asking(&self, asked: &Asked, posted: &Posted) -> String {
        let what = match &self.module.exprs[asked.expr].kind {
            _ if let Some(stage) = self.module.stage_of(asked.expr) => self.layer_name(stage),
            ExprKind::OpCall { op, .. } => format!("`{}`", self.module.operator_name(*op)),
            ExprKind::Project { index, .. } => format!("`.{index}`"),
            called => match self.name_of_callee(called) {
                Some(name) => format!("`{name}`"),
                None => format!("`{}`", posted.relation.name()),
            },
        };
        format!("{what} in `{}`", asked.within)
    }

    fn with_asking(&self, error: Diagnostic, asked: &Asked) -> Diagnostic {
        if (asked.expr.number() as usize) < self.module.start.exprs {
            return error;
        }
        let span = self.module.stage_of(asked.expr).map_or(self.module.exprs[asked.expr].span, |stage| stage.span);
        error.label(span, "asked for here")
    }

    /// What is wrong with a rank where a function asks for axes: `asked` is the relation in its body.
    fn too_few_axes(&self, posted: &Posted, asked: Option<RelationId>) -> Option<String> {
        let (&[least, rank], true) = (&posted.args[..], posted.relation.is(&AT_MOST)) else { return None };
        let solver = &self.inferred.solver;
        let number = |term: TermId| match solver.head(term) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => Some(number),
            _ => None,
        };
        // As many less than are asked for as the sizes differ.
        let missing = number(least)?.checked_sub(number(rank)?)?;
        let least = match asked.map(|asked| solver.relation(asked)) {
            Some(owed) => axes_asked(solver, &owed.relation, &owed.args)?.1,
            None => {
                let is_rank = |other: &&Posted| {
                    let is_it = Function::of(&other.attrs) == Some(&Function::Rank) && other.cause == posted.cause;
                    is_it && other.args.last().is_some_and(|&result| solver.root(result) == solver.root(rank))
                };
                solver.relations().iter().find(is_rank)?;
                number(least)?
            }
        };
        Some(ty::too_few_axes(least - missing, least))
    }

    /// A relation of an operator that does not hold. `asking`: what asks for it in a function's body, as words.
    fn does_not_hold(&self, failure: &Failure, asking: Option<String>, asked: Option<&Asked>) -> Diagnostic {
        let posted = self.inferred.solver.relation(failure.relation);
        let (mut operator, mut args) = self.operator_of(posted);
        // A layer is told by the name that it has in the text, not by the operators that it is made of.
        let stage = self.stage_at(posted);
        if let Some(stage) = stage {
            if let Some(error) = self.features(stage, failure).or_else(|| self.product(stage, failure)) {
                return error;
            }
            operator = self.layer_name(stage);
            if stage.layer(self.module).is_none_or(|(layer, _)| layer.n_values() == 1) {
                args = std::slice::from_ref(&stage.input);
            }
        }
        operator = asking.unwrap_or(operator);
        let named = stage.or_else(|| self.module.stage_of(asked?.expr));
        self.broken(&failure.reason, &Broken { posted, stage, named, operator, args })
    }

    /// The operator whose relation it is, or what else asks for it, as words, and its operands.
    fn operator_of(&self, posted: &Posted) -> (String, &[ExprId]) {
        let relation = posted.relation.name();
        let Why::Expr(expr) = self.why(posted.cause) else { return (format!("`{relation}`"), &[]) };
        match &self.module.exprs[expr].kind {
            ExprKind::OpCall { op, args, .. } => (format!("`{}`", self.module.operator_name(*op)), args.as_slice()),
            ExprKind::Op(op) => (format!("`{}`", op.row().name), &[]),
            // What a called function's type asks for.
            called => match self.name_of_callee(called) {
                Some(name) => (format!("`{relation}` in `{name}`"), args_of_callee(self.module, expr)),
                None => (format!("`{relation}`"), &[]),
            },
        }
    }

    /// The name of a function that may have a type of its own for each use.
    fn name_of_callee(&self, called: &ExprKind) -> Option<&str> {
        match *called {
            ExprKind::Def(def) => Some(&self.module.defs[def].name),
            ExprKind::Local(local, _) => Some(self.module.local_name(local)),
            _ => None,
        }
    }

    /// What is said of a relation that does not hold, by the reason.
    fn broken(&self, reason: &Reason, of: &Broken) -> Diagnostic {
        let Broken { posted, ref operator, args, .. } = *of;
        // A layer stands behind its bar, and not where the value comes from.
        let span = of.stage.map_or_else(|| self.span(posted.cause), |stage| stage.span);
        let operand_span = |operand: usize| args.get(operand).map_or(span, |&arg| self.module.exprs[arg].span);
        let input = |operand: usize| posted.args[..posted.n_inputs()].get(operand).copied();
        let input_type = |operand: usize| input(operand).map_or_else(|| "_".to_owned(), |term| self.print(term));
        match reason {
            Reason::Unequal { expected, found, left, right } => {
                let (code, detail) = self.conflict(*left, *right);
                let (expected_text, found_text) = (self.print(*expected), self.print(*found));
                let needs = |what| format!("{operator} needs {what}, found {expected_text} and {found_text}");
                let message = match self.inferred.solver.head(*expected).kind() {
                    Kind::Type => format!("{operator} expects {expected_text}, found {found_text}{detail}"),
                    Kind::Dim => needs("equal sizes"),
                    Kind::Shape => needs("equal shapes"),
                    Kind::BaseType => needs("one dtype"),
                    Kind::Row => needs("equal rows"),
                };
                let error = self.with_operands(Diagnostic::error(code, span, message), args);
                self.with_origins(error, span, &self.differing([*left, *right], [*expected, *found]))
            }
            Reason::Broadcast { left, right, left_size, right_size, axis } => {
                let at = match axis {
                    Some(0) => " on the last axis".to_owned(),
                    Some(1) => " on the last axis but one".to_owned(),
                    Some(n) => format!(" on the last axis but {n}"),
                    None => String::new(),
                };
                let message = format!("sizes {left_size} and {right_size} do not broadcast{at} in {operator}");
                let error = Diagnostic::error("broadcast-incompatible", span, message);
                let error = self.with_operands(error, args);
                self.with_origins(error, span, &[*left, *right])
            }
            Reason::Dtypes { left, right } => {
                let message = format!("{operator} needs operands of one dtype, found {} and {}", left.1, right.1);
                let error = Diagnostic::error("dtype-mismatch", span, message);
                // Parts of one operand have no places of their own.
                let operands = if left.0 == right.0 { &[][..] } else { &[*left, *right] };
                let labelled = operands.iter().map(|&(operand, dtype)| (operand_span(operand), dtype.to_string()));
                labelled.fold(error, |error, (span, dtype)| error.label(span, dtype))
            }
            Reason::NotTensor { operand } => {
                let message = format!("{operator} expects a tensor, found {}", input_type(*operand));
                Diagnostic::error("type-mismatch", operand_span(*operand), message)
            }
            Reason::NotTuple { operand } if posted.relation.name() == "TupleGetItem" => {
                Diagnostic::error("not-a-tuple", span, format!("expected a tuple, found {}", input_type(*operand)))
            }
            Reason::NotTuple { operand } => {
                let message = format!("{operator} expects a tuple of tensors, found {}", input_type(*operand));
                Diagnostic::error("relation-check", operand_span(*operand), message)
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
                let error = Diagnostic::error("rank-mismatch", operand_span(*operand), message);
                match input(*operand) {
                    Some(term) => error.label(operand_span(*operand), self.print(term)),
                    None => error,
                }
            }
            Reason::Axis { attr, axis, rank } => {
                let range = axes(*rank);
                let message = match of.named.and_then(|stage| stage.layer(self.module)) {
                    Some((layer, _)) if layer.params.iter().all(|param| param.name != "dim") => {
                        format!("{operator} needs an axis {axis}, but {range}")
                    }
                    Some(_) => format!("`dim` of {operator} is {axis}, but {range}"),
                    None => format!("`{attr}` of {operator} is {axis}, but {range}"),
                };
                Diagnostic::error("relation-check", span, message)
            }
            Reason::TupleIndex { index, len: 0 } => {
                let message = format!("an empty tuple has no field .{index}");
                Diagnostic::error("tuple-index-out-of-range", span, message)
            }
            Reason::TupleIndex { index, len } => {
                let message = format!("expected a field from 0 to {}, found .{index}", len - 1);
                Diagnostic::error("tuple-index-out-of-range", span, message)
            }
            Reason::NoClause => {
                let inputs = posted.args[..posted.n_inputs()].iter();
                let inputs: Vec<String> = inputs.map(|&term| self.print(term)).list();
                let relation = posted.relation.name();
                let message = format!("no clause of `{relation}` fits ({})", inputs.joined(", "));
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
        }
    }

    /// An equation of dims or shapes that has no solution.
    fn no_solution(&self, failure: &Failure, asking: Option<String>) -> Diagnostic {
        let posted = self.inferred.solver.relation(failure.relation);
        let span = self.span(posted.cause);
        let (place, args) = self.place_of(posted);
        let place = asking.as_ref().map_or(place, |asking| format!(" in {asking}"));
        if let Some(error) = self.stage_at(posted).and_then(|stage| self.rows(stage)) {
            return error;
        }
        let equation = self.obligation(posted);
        match &failure.reason {
            Reason::Unequal { left, right, .. } => {
                let (code, _) = self.conflict(*left, *right);
                let (left_text, right_text) = (self.print(*left), self.print(*right));
                let message = match (self.why(posted.cause), Function::of(&posted.attrs)) {
                    // A size of a shape that was not known when the operator asked for it.
                    (Why::Expr(_), Some(Function::Index(_))) if !args.is_empty() => {
                        format!("expected equal sizes{place}, found {right_text} and {left_text}")
                    }
                    _ => format!("`{equation}`{place}: {left_text} and {right_text} differ"),
                };
                self.with_origins(
                    self.with_operands(Diagnostic::error(code, span, message), args),
                    span,
                    &[*left, *right],
                )
            }
            Reason::Check(sentence) => {
                let is_part = matches!(Function::of(&posted.attrs), Some(Function::Index(_) | Function::Slice(..)));
                let message = match asking.filter(|_| is_part) {
                    Some(asking) => format!("{asking}: {sentence}"),
                    None => format!("`{equation}`{place}: {sentence}"),
                };
                self.with_operands(Diagnostic::error("relation-check", span, message), args)
            }
            _ => Diagnostic::error("relation-check", span, format!("`{equation}`{place} has no solution")),
        }
    }

    /// In whose type or rule a relation stands, as words to follow it, and the arguments there.
    pub(crate) fn place_of(&self, posted: &Posted) -> (String, &[ExprId]) {
        match self.why(posted.cause) {
            Why::Expr(expr) => match &self.module.exprs[expr].kind {
                ExprKind::OpCall { op, args, .. } => (format!(" in `{}`", op.row().name), args),
                called => match self.name_of_callee(called) {
                    Some(name) => (format!(" in the type of `{name}`"), args_of_callee(self.module, expr)),
                    None => (String::new(), &[]),
                },
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
        let (mut code, mut detail) = self.conflict(left, right);
        let (expected_text, found_text) = (self.print(expected), self.print(found));
        // A row that has a variant twice is printed with the first.
        if expected_text == found_text && detail.is_empty() {
            detail = format!(": {} and {} differ", self.print(left), self.print(right));
        }
        let why = self.why(posted.cause);
        let stage = self.stage_at(posted);
        if let Some(error) = stage.and_then(|stage| self.features(stage, failure)) {
            return error;
        }
        let asked = match why {
            Why::Argument { call, index } => self.shape_asked_by(call, index),
            _ => None,
        };
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
            _ => match stage.map(|stage| self.layer_name(stage)).or_else(|| Some(self.asking(asked.as_ref()?, posted)))
            {
                Some(name) => format!("{name} expects {expected_text}, found {found_text}{detail}"),
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
                        let error = error.label(self.module.locals[param].span, format!("`{name}` is declared here"));
                        match &asked {
                            Some(asked) => self.with_asking(error, asked),
                            None => error,
                        }
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
            return self.with_origins(error, span, &self.differing([left, right], [expected, found]));
        };
        // A parameter that generalising made is written nowhere.
        let written = |param: ParamId| (param.number() as usize) < self.module.type_params.len();
        let own = namesakes
            .into_iter()
            .filter(|&param| written(param) && param.number() as usize >= self.module.start.type_params);
        own.fold(error, |error, param| {
            let param = &self.module.type_params[param];
            error.label(param.span, format!("one {} is declared here", param.name))
        })
    }

    /// What asks for the shape of an argument in the called function.
    fn shape_asked_by(&self, call: ExprId, index: usize) -> Option<Asked<'_>> {
        let ExprKind::Call { callee, .. } = self.module.exprs[call].kind else { return None };
        let ExprKind::Def(def) = self.module.exprs[callee].kind else { return None };
        self.inferred.shape_asked_by(self.module, def, index)
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
            let is_own = |cell: TermId| mention(cell).0 as usize >= self.inferred.n_library_whys;
            // What was found is where it is mentioned, not where the sum that it is in meets the other.
            let span = if is_own(parts[1]) { self.span(mention(parts[1])) } else { span };
            let mut error = Diagnostic::error("variant-arity", span, message);
            for (cell, fields) in parts.into_iter().zip([a, b]) {
                let at = self.span(mention(cell));
                let is_shown = at != span && is_own(cell);
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
        // A row stands alone as the argument of a type.
        let row_of = |id: TermId| if let Term::Sum(row) = solver.head(id) { row } else { id };
        let sums = solver.roots_where(&types, |term| matches!(term, Term::Sum(_) | Term::Row { .. }));
        let ends_here = |&id: &TermId| solver.root(solver.row(row_of(id)).1) == solver.root(end);
        let closed = sums.iter().copied().find(ends_here);
        // A row that has become another one begins with what that one begins with, which may be in both.
        let has = |id: TermId, name: VariantId| solver.row(row_of(id)).0.iter().any(|variant| variant.name == name);
        let lacking = solver.row(cell).0.into_iter().find(|lacking| !closed.is_some_and(|id| has(id, lacking.name)));
        let (cell, variant) = lacking.map_or((cell, variant), |lacking| (lacking.cell, lacking.name));
        let name = self.module.variant(variant);
        let sum = closed.filter(|&id| row_of(id) != id).unwrap_or(types[0]);
        let sum_text = self.print(sum);
        let variants = |id: TermId| solver.row(row_of(id)).0.iter().map(|variant| variant.name).list();
        // It may be the value that lacks a variant of what is expected: no value of it is of that variant, but the types
        // are two.
        let expected = if types[0] != sum && solver.root(types[1]) == solver.root(sum) {
            Some(types[0])
        } else {
            sums.iter().copied().find(|&id| end == parts[1] && row_of(id) != id && variants(id).contains(&variant))
        };
        let message = match (self.why(posted.cause), expected) {
            (Why::Pattern(_), _) => format!("the scrutinee is {sum_text}, which has no variant `{name}`"),
            (_, Some(expected)) => {
                format!("expected {}, found {sum_text}, which has no variant `{name}`", self.print(expected))
            }
            _ => format!("expected {sum_text}, found a sum with the variant `{name}`"),
        };
        let at = Some(mention(cell)).filter(|cause| cause.0 as usize >= self.inferred.n_library_whys);
        let at = at.map(|cause| self.span(cause));
        // One of several arms may give it: that one is at fault, not the first.
        let value = self.why(posted.cause).value(self.module);
        let whole = value.map(|value| self.module.exprs[value].span);
        let part = at.filter(|at| whole.is_some_and(|whole| whole.start <= at.start && at.end <= whole.end));
        // Or a variable has the sum that lacks it, or the one that has it.
        let is_it = |row: TermId| {
            let (variants, rest) = solver.row(row);
            match expected {
                Some(_) => solver.root(rest) == solver.root(end),
                None => variants.iter().any(|it| it.name == variant),
            }
        };
        let span = part.or_else(|| self.variable_in_arms(value?, &is_it)).unwrap_or(span);
        let mut error = Diagnostic::error("not-in-sum", span, message);
        let is_part = |whole: TermId| variants(sum).iter().all(|variant| variants(whole).contains(variant));
        if expected.is_some_and(is_part) && self.module.surface == Surface::Refine {
            let help = "a match with `as` makes one sum of another: `match x with _ as y -> y`";
            error.help = Some(help.to_owned());
        }
        if let Why::Written(_) = self.why(solver.store.origin(end))
            && solver.store.origin(end).0 as usize >= self.inferred.n_library_whys
        {
            error = error.label(self.span(solver.store.origin(end)), "this type has no other variants");
        }
        if let Some(at) = at.filter(|&at| at != span) {
            error = error.label(at, format!("`{name}` comes from here"));
        }
        let known = closed.map(|id| solver.row(row_of(id)).0).unwrap_or_default();
        let taken = self.taken_beside(mention(cell));
        let known = known.iter().filter(|variant| !taken.contains(&variant.name));
        let known = known.map(|variant| self.module.variant(variant.name));
        if let Some(nearest) = base::nearest(name, known)
            && let Some(written) = self.variant_name(mention(cell), variant)
        {
            error = error.fix(format!("replace it by `{nearest}`"), written, nearest);
        }
        Some(error)
    }

    /// The last variable that an arm of a match or a branch of an `if` gives, by itself or inside of a variant, that is of
    /// a sum with such a row.
    fn variable_in_arms(&self, value: ExprId, is_it: &dyn Fn(TermId) -> bool) -> Option<Span> {
        let (exprs, mut last, mut pending) = (&self.module.exprs, None, Vec::new());
        if matches!(exprs[value].kind, ExprKind::Match { .. } | ExprKind::If { .. }) {
            pending.push(value);
        }
        while let Some(expr) = pending.pop() {
            let sum = self.inferred.exprs[expr].map(|ty| self.inferred.solver.head(ty));
            match &exprs[expr].kind {
                ExprKind::Match { arms, .. } => pending.append_all(arms.iter().map(|arm| arm.body)),
                ExprKind::If { then, otherwise, .. } => pending.append_all([*then, *otherwise]),
                ExprKind::Block { tail, .. } => pending.push(*tail),
                ExprKind::Variant(_, fields) => pending.extend_from_slice(fields),
                ExprKind::Local(..) if matches!(sum, Some(Term::Sum(row)) if is_it(row)) => last = last.max(Some(expr)),
                _ => {}
            }
        }
        last.map(|expr| exprs[expr].span)
    }

    /// The variants that other arms take, whatever their fields are, of the match of which this is the pattern of an arm.
    fn taken_beside(&self, cause: Cause) -> Vec<VariantId> {
        let Module { exprs, pats, .. } = self.module;
        let Why::Pattern(pat) = self.why(cause) else { return Vec::new() };
        let arms = exprs.iter().find_map(|expr| match &expr.kind {
            ExprKind::Match { arms, .. } if arms.iter().any(|arm| arm.pat == pat) => Some(arms),
            _ => None,
        });
        let takes_all = |field: &PatId| matches!(pats[*field].kind, PatKind::Wild | PatKind::Var(_));
        let variant = |arm: &Arm| match pats[arm.pat].kind {
            PatKind::Variant(name, ref fields) if fields.iter().all(takes_all) => Some(name),
            _ => None,
        };
        arms.into_iter().flatten().filter_map(variant).list()
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
            (Term::Adt { adt: a, .. }, Term::Adt { adt: b, .. })
                if a != b && self.module.adts[a].name == self.module.adts[b].name =>
            {
                ("type-mismatch", ": one is the library's, the other this file's".to_owned())
            }
            _ => ("type-mismatch", String::new()),
        }
    }
}
