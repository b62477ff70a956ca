//! *Why not?* What cannot hold together in a type error, in words.
//!
//! `solve::core` finds a minimal set of what the program says and demands; what may be left out here are the relations
//! of calls, the equations of the walk, annotations and literals.
//!
//! Worked example. Of `let %y = nn.dense(%x, %w);` with `%x: Tensor[(2, 3), float32]` and
//! `%w: Tensor[(5, 4), float32]` the core has three members: both annotations, and what `nn.dense` needs.

use super::Recorded;
use super::naming::Naming;
use crate::Analysis;
use crate::page::{diagnostic_views, span_view};
use crate::solver::about::{About, about};
use crate::view::solver::{ConflictView, WhyNotView};
use base::{HashMap, HashSet, Span, ToList};
use hir::{DefId, ExprId, ExprKind, LocalId, TypeExprId};
use infer::{Why, Wording};
use solve::core::{Conflict, Constraint, Fault};
use solve::derive::{Graph, Place};
use solve::{Cause, EQUAL, Event, Failure, RelationId};
use std::ops::Range;
use ty::{FUNCTION, Reason, TermId, Terms};

/// A larger set is shown by the types that follow from it.
const MAX_MEMBERS: usize = 12;

/// What an annotation stands on.
enum Annotated {
    Variable(LocalId),
    Result(String),
    TypeArgument,
    /// Of the constructor with this name.
    Field(String),
}

/// What earlier groups have found, or data types say.
#[derive(Clone, Copy)]
enum Said {
    Let(LocalId, TermId),
    Def(DefId),
    Field(Cause),
}

/// With its cells.
type Known = (Said, Vec<TermId>);

struct Asked<'a> {
    naming: Naming<'a>,
    graph: &'a Graph<'a>,
    annotations: HashMap<TypeExprId, Annotated>,
}

/// What cannot hold together in a problem of a text; nothing if it is no conflict of types.
pub(crate) fn why_not(analysis: &Analysis, recorded: &Recorded, problem: usize) -> Option<WhyNotView> {
    let diagnostic = analysis.diagnostics().get(problem)?;
    let graph = recorded.graph();
    let asked = Asked::new(analysis, recorded, &graph);
    let (fault, failure) = asked.fault(diagnostic)?;
    let group = asked.group(fault)?;
    let (mut facts, earlier) = (asked.facts(group.clone()), asked.earlier(group.clone()));
    let n_facts = facts.len();
    let (said, mut cells): (Vec<Said>, Vec<Vec<TermId>>) = earlier.into_iter().unzip();
    facts.append(&mut cells);
    let conflict = Conflict::new(&graph, group, fault, facts);
    let core = conflict.core();
    let lines = analysis.lines();
    let members = core.members.iter().filter_map(|&number| {
        let member = match number.checked_sub(n_facts).and_then(|at| said.get(at)) {
            Some(&said) => asked.said(said).map(|(sentence, span)| (sentence, span, 0)),
            None => asked.member(&conflict.constraints[number], fault, failure, diagnostic),
        };
        let (sentence, span, event) = member?;
        let line = lines.line_of(span.start);
        Some(ConflictView { sentence, span: span_view(lines, span), line, stop: None, event })
    });
    let mut members: Vec<ConflictView> = members.list();
    base::sort_by_key(&mut members, |member| (member.span.start, member.event));
    members.dedup_by(|one, other| one.sentence == other.sentence && one.span == other.span);
    let mut n_behind = 0;
    if members.len() > MAX_MEMBERS
        && let Some(near) = failure.and_then(|failure| asked.near(failure, diagnostic))
    {
        n_behind = (members.len() - 1) as u32;
        let near = near.into_iter().map(|(sentence, span, event)| {
            let line = lines.line_of(span.start);
            ConflictView { sentence, span: span_view(lines, span), line, stop: None, event }
        });
        members = near.list();
    }
    let problem = diagnostic_views(lines, std::slice::from_ref(diagnostic)).pop()?;
    let (places, fixes) = (Vec::new(), Vec::new());
    Some(WhyNotView { problem, core: members, n_behind, is_bounded: core.is_bounded, places, fixes })
}

/// Whether the core of each type error of a text fails by itself, and holds without each of its members; for the test
/// of that. Cores that were bounded are left out.
pub(crate) fn core_laws(analysis: &Analysis) -> Vec<(bool, Vec<bool>)> {
    let recorded = Recorded::new(analysis);
    let graph = recorded.graph();
    let asked = Asked::new(analysis, &recorded, &graph);
    let laws = analysis.diagnostics().iter().filter_map(|diagnostic| {
        let (fault, _) = asked.fault(diagnostic)?;
        let group = asked.group(fault)?;
        let known = asked.earlier(group.clone()).into_iter().map(|(_, cells)| cells);
        let conflict = Conflict::new(&graph, group.clone(), fault, asked.facts(group).into_iter().chain(known).list());
        let core = conflict.core();
        if core.is_bounded {
            return None;
        }
        let without = |left_out: &usize| {
            let rest: Vec<usize> = core.members.iter().copied().filter(|member| member != left_out).list();
            conflict.fails(&rest) == Some(false)
        };
        Some((conflict.fails(&core.members) == Some(true), core.members.iter().map(without).list()))
    });
    laws.list()
}

impl<'a> Asked<'a> {
    fn new(analysis: &'a Analysis, recorded: &'a Recorded, graph: &'a Graph<'a>) -> Asked<'a> {
        let module = &analysis.module;
        let mut annotations = HashMap::default();
        for (id, local) in module.locals.iter_enumerated().skip(module.start.locals) {
            annotations.extend(local.annotation.map(|annotation| (annotation, Annotated::Variable(id))));
        }
        for function in module.functions.iter().skip(module.start.functions) {
            let Some(result) = function.result else { continue };
            let def = module.defs.iter().find(|def| module.functions[def.function].span == function.span);
            let name = def.map_or("this function".to_owned(), |def| format!("`{}`", def.name));
            annotations.insert(result, Annotated::Result(name));
        }
        for expr in module.exprs.iter().skip(module.start.exprs) {
            if let ExprKind::Call { type_args: Some(args), .. } = &expr.kind {
                annotations.extend(args.iter().map(|&arg| (arg, Annotated::TypeArgument)));
            }
        }
        for ctor in module.ctors.iter().skip(module.start.ctors) {
            annotations.extend(ctor.fields.iter().map(|&field| (field, Annotated::Field(ctor.name.clone()))));
        }
        Asked { naming: Naming::new(analysis, recorded, graph), graph, annotations }
    }

    /// What failed when this was told.
    fn fault(&self, diagnostic: &base::Diagnostic) -> Option<(Fault, Option<&'a Failure>)> {
        let Recorded { inferred, errors, .. } = self.naming.recorded;
        let wording = Wording { module: &self.naming.analysis.module, inferred };
        let error = errors.iter().find(|error| wording.diagnostic(error) == *diagnostic)?;
        match about(error)? {
            About::Failed(failure) => Some((Fault::Failed(failure.relation), Some(failure))),
            About::Cycle(term) => Some((Fault::Cycle(term), None)),
            About::Stuck(_) | About::NotAssumed(_) => None,
        }
    }

    /// The events of the group in which something went wrong.
    fn group(&self, fault: Fault) -> Option<Range<usize>> {
        let inferred = &self.naming.recorded.inferred;
        let events = &inferred.solver.store.log.events;
        let at = match fault {
            Fault::Failed(failed) => {
                events.iter().position(|event| matches!(event, Event::Step { relation, outcome: solve::Outcome::Failed, .. } if *relation == failed))
            }
            // The class was cut where it was found to be in itself.
            Fault::Cycle(term) => {
                events.iter().position(|event| matches!(event, Event::Bind { id, new: ty::Term::Error(_), .. } if *id == term))
            }
        }?;
        let next = inferred.groups.partition_point(|&began| began as usize <= at);
        let end = inferred.groups.get(next).map_or(events.len(), |&end| end as usize);
        Some(inferred.groups[next.checked_sub(1)?] as usize..end)
    }

    /// The cell of each annotation and each literal of a group.
    fn facts(&self, group: Range<usize>) -> Vec<Vec<TermId>> {
        let module = &self.naming.analysis.module;
        let facts = self.made(group, |why| match why {
            Why::Written(written) => self.annotations.contains_key(&written),
            Why::Expr(expr) => matches!(module.exprs[expr].kind, ExprKind::Literal(..) | ExprKind::TensorLit(_)),
            _ => false,
        });
        facts.into_iter().map(|(_, cell)| vec![cell]).list()
    }

    /// The cells that were made for such causes, each with its cause.
    fn made(&self, events: Range<usize>, is_wanted: impl Fn(Why) -> bool) -> Vec<(Cause, TermId)> {
        let mut found: Vec<(Cause, TermId)> = Vec::new();
        for event in &self.naming.recorded.inferred.solver.store.log.events[events] {
            let Event::Fresh { id, cause, .. } = *event else { continue };
            match found.last_mut() {
                _ if !is_wanted(self.naming.why(cause)) => {}
                // The whole is made last, from parts that others may share.
                Some((last, cell)) if *last == cause => *cell = id,
                Some(_) | None => found.push((cause, id)),
            }
        }
        found
    }

    /// What a group asks of variables and definitions of earlier ones, and of fields.
    fn earlier(&self, group: Range<usize>) -> Vec<Known> {
        let inferred = &self.naming.recorded.inferred;
        let (module, solver) = (&self.naming.analysis.module, &inferred.solver);
        let events = &solver.store.log.events;
        let made = events[group.clone()].iter().find_map(|event| match event {
            Event::Fresh { id, .. } => Some(*id),
            _ => None,
        });
        let is_before = |term: &TermId| made.is_some_and(|first| *term < first);
        let mut used: HashSet<TermId> = HashSet::default();
        for event in &events[group.clone()] {
            let Event::Post { relation } = event else { continue };
            used.extend(
                solver.relation(*relation).args.iter().filter(|arg| is_before(arg)).map(|&arg| solver.root(arg)),
            );
        }
        // What several say is told once, by the nearest: variables, fields, and then definitions.
        let (mut all, mut defs): (Vec<Known>, Vec<Known>) = (Vec::new(), Vec::new());
        for item in module.items.iter().rev() {
            match *item {
                hir::Item::Let(local, _) => {
                    all.extend(inferred.locals[local].map(|ty| (Said::Let(local, ty), vec![ty])))
                }
                hir::Item::Def(def) => {
                    if let Some(scheme) = inferred.defs[def].as_ref()
                        && let ty::Term::Func { params, result } = solver.head(scheme.body)
                    {
                        let cells = solver.items(params).iter().copied().chain([result]).list();
                        defs.push((Said::Def(def), cells));
                    }
                }
                hir::Item::Expr(_) | hir::Item::Adt(_) => {}
            }
        }
        let is_field = |why| match why {
            Why::Written(written) => matches!(self.annotations.get(&written), Some(Annotated::Field(_))),
            _ => false,
        };
        let fields = self.made(0..group.start, is_field);
        all.extend(fields.into_iter().map(|(cause, cell)| (Said::Field(cause), vec![cell])));
        all.append(&mut defs);
        let mut found = Vec::new();
        for (said, cells) in all {
            let cells = cells.into_iter().filter(|cell| is_before(cell) && used.remove(&solver.root(*cell))).list();
            if !cells.is_empty() {
                found.push((said, cells));
            }
        }
        found
    }

    fn said(&self, said: Said) -> Option<(String, Span)> {
        let Naming { analysis, recorded, .. } = &self.naming;
        let module = &analysis.module;
        let (name, ty, span) = match said {
            Said::Let(local, ty) => (module.local_name(local), self.print(ty), module.locals[local].span),
            Said::Def(def) => {
                let ty = recorded.inferred.print_scheme(module, recorded.inferred.defs[def].as_ref()?).text;
                (&module.defs[def].name[..], ty, module.defs[def].name_span)
            }
            Said::Field(cause) => return self.fact(cause).zip(self.naming.span(cause)),
        };
        Some((format!("`{name}` is {ty}"), span))
    }

    fn print(&self, term: TermId) -> String {
        self.naming.recorded.inferred.print(&self.naming.analysis.module, term).text
    }

    /// What a member demands, where, and the event with which it came.
    fn member(
        &self,
        constraint: &Constraint,
        fault: Fault,
        failure: Option<&Failure>,
        diagnostic: &base::Diagnostic,
    ) -> Option<(String, Span, u32)> {
        let solver = &self.naming.recorded.inferred.solver;
        match constraint {
            Constraint::Fact(cells) => {
                let &first = cells.first()?;
                let cause = solver.store.made_by(first);
                let is_it = |event: &Event| matches!(event, Event::Fresh { id, .. } if *id == first);
                let event = solver.store.log.events.iter().position(is_it)?;
                Some((self.fact(cause)?, self.naming.span(cause)?, event as u32))
            }
            Constraint::Posted(relation) => {
                let is_it = |event: &Event| matches!(event, Event::Post { relation: posted } if posted == relation);
                let event = solver.store.log.events.iter().position(is_it)?;
                let cause = solver.relation(*relation).cause;
                let span = self.naming.span(cause).unwrap_or(diagnostic.span);
                let is_failed = match fault {
                    Fault::Failed(failed) => self.graph.solver().posted_first(failed) == *relation,
                    Fault::Cycle(_) => false,
                };
                let needs = failure.filter(|_| is_failed).and_then(|failure| self.needs(failure));
                Some((needs.unwrap_or_else(|| self.demand(*relation)), span, event as u32))
            }
        }
    }

    /// What the failed relation needs, and the types of what it was given.
    fn near(&self, failure: &Failure, diagnostic: &base::Diagnostic) -> Option<Vec<(String, Span, u32)>> {
        let inferred = &self.naming.recorded.inferred;
        let module = &self.naming.analysis.module;
        let solver = &inferred.solver;
        let is_it = |event: &Event| matches!(event, Event::Step { relation, .. } if *relation == failure.relation);
        let event = solver.store.log.events.iter().rposition(is_it)? as u32;
        let relation = self.graph.solver().posted_first(failure.relation);
        let posted = solver.relation(relation);
        let mut found = Vec::new();
        if let Some(poster) = self.naming.poster(relation) {
            for &arg in &poster.args {
                let sentence = format!("{} is {}", self.naming.expr(arg), self.print(inferred.exprs[arg]?));
                found.push((sentence, module.exprs[arg].span, event));
            }
        } else if let (true, &[expected, given]) = (posted.relation.is(&EQUAL), posted.args.as_slice()) {
            found.push((format!("{} is expected here", self.print(expected)), diagnostic.span, event));
            found.push((format!("and it is {}", self.print(given)), diagnostic.span, event));
        }
        let span = self.naming.span(posted.cause).unwrap_or(diagnostic.span);
        found.push((self.needs(failure).unwrap_or_else(|| self.demand(relation)), span, event));
        Some(found)
    }

    /// What was written: an annotation, a literal.
    fn fact(&self, cause: Cause) -> Option<String> {
        let module = &self.naming.analysis.module;
        let text = self.naming.text(self.naming.span(cause)?);
        Some(match self.naming.why(cause) {
            Why::Written(written) => match self.annotations.get(&written)? {
                Annotated::Variable(local) => format!("`{}` is declared {text}", module.local_name(*local)),
                Annotated::Result(name) => format!("{name} is declared to give {text}"),
                Annotated::TypeArgument => format!("the type argument is {text}"),
                Annotated::Field(ctor) if !module.nets.is_empty() => format!("`{ctor}` has `{text}`"),
                Annotated::Field(ctor) => format!("a field of `{ctor}` is {text}"),
            },
            Why::Expr(expr) => {
                let ty = self.naming.recorded.inferred.exprs[expr].map_or("_".to_owned(), |term| self.print(term));
                format!("{} is {ty}", self.naming.expr(expr))
            }
            _ => return None,
        })
    }

    /// What the failed relation needs, by the reason for which it failed.
    fn needs(&self, failure: &Failure) -> Option<String> {
        let relation = failure.relation;
        let posted = self.naming.recorded.inferred.solver.relation(relation);
        if posted.relation.is(&EQUAL) {
            return None;
        }
        let poster = self.naming.poster(relation)?;
        let who = match poster.op {
            Some(op) => match poster.through.as_ref().and_then(|(_, span)| *span) {
                Some(span) => format!("`{}` on line {}", op.row().name, self.naming.line(span)),
                None => format!("`{}`", self.naming.operator(poster.call, op)),
            },
            None => format!("`{}`", posted.relation.name()),
        };
        // Two that differ are of two operands, where they may be.
        let of = |term: TermId, first: usize| self.naming.of_operand_from(relation, &Place::new(term, &[]), first);
        match &failure.reason {
            Reason::Unequal { left, right, .. } => {
                let (one, other) = (of(*left, 0), of(*right, 1));
                (!one.is_empty() && !other.is_empty() && one != other).then(|| {
                    format!("{who} needs {one} to equal {other}: {} and {}", self.print(*left), self.print(*right))
                })
            }
            Reason::Broadcast { left, right, .. } => {
                let (one, other) = (of(*left, 0), of(*right, 1));
                (!one.is_empty() && !other.is_empty())
                    .then(|| format!("{who} needs {one} and {other} to be equal, or one of them 1"))
            }
            Reason::Dtypes { .. } => Some(format!("{who} needs operands of one dtype")),
            Reason::NotTensor { operand } => {
                Some(format!("{who} needs {} to be a tensor", self.operand(&poster.args, *operand)))
            }
            Reason::NotTuple { operand } => {
                Some(format!("{who} needs {} to be a tuple", self.operand(&poster.args, *operand)))
            }
            Reason::Rank { operand, want, .. } => {
                Some(format!("{who} needs {} to have rank {want}", self.operand(&poster.args, *operand)))
            }
            Reason::Check(sentence) => Some(match self.equation(relation) {
                Some(equation) => format!("`{equation}` should hold: {sentence}"),
                None => format!("{who} demands more: {sentence}"),
            }),
            Reason::Axis { attr, axis, rank } => {
                Some(format!("{who} needs the axis that `{attr}` names, {axis}, and of rank {rank} there is none"))
            }
            Reason::NoClause | Reason::TupleIndex { .. } | Reason::EndlessCopy | Reason::Attr { .. } => None,
        }
    }

    /// An equation of dims or shapes, as it is written.
    fn equation(&self, relation: RelationId) -> Option<String> {
        let inferred = &self.naming.recorded.inferred;
        let posted = inferred.solver.relation(relation);
        let wording = Wording { module: &self.naming.analysis.module, inferred };
        posted.relation.is(&FUNCTION).then(|| wording.obligation(posted))
    }

    fn operand(&self, args: &[ExprId], operand: usize) -> String {
        args.get(operand).map_or("an operand".to_owned(), |&arg| self.naming.expr(arg))
    }

    /// What a relation demands.
    fn demand(&self, relation: RelationId) -> String {
        let module = &self.naming.analysis.module;
        let inferred = &self.naming.recorded.inferred;
        let posted = inferred.solver.relation(relation);
        let ty = |expr: ExprId| inferred.exprs[expr].map_or("_".to_owned(), |term| self.print(term));
        match self.naming.why(posted.cause) {
            Why::Expr(expr) => match &module.exprs[expr].kind {
                ExprKind::OpCall { op, .. } => {
                    let (name, ty) = (self.naming.operator(expr, *op), ty(expr));
                    let is_error = inferred.exprs[expr]
                        .is_none_or(|term| matches!(inferred.solver.head(term), ty::Term::Error(_)));
                    match (self.bound_to(expr), is_error) {
                        (_, true) => format!("`{name}` relates its operands and its result"),
                        (Some(local), false) => {
                            format!("`{}` is the result of `{name}`, {ty}", module.local_name(local))
                        }
                        (None, false) => format!("`{name}` gives {ty}"),
                    }
                }
                ExprKind::Project { base, index } => format!(".{index} is a field of {}", self.naming.expr(*base)),
                ExprKind::Def(def) => {
                    let name = &module.defs[*def].name;
                    let through = self.naming.poster(relation).and_then(|poster| poster.op.zip(poster.through?.1));
                    match (self.equation(relation), through) {
                        (Some(equation), _) => format!("`{name}` demands `{equation}`"),
                        (None, Some((op, span))) => {
                            format!("`{name}` applies `{}` on line {}", op.row().name, self.naming.line(span))
                        }
                        (None, None) => format!("`{name}` demands `{}` of its arguments", posted.relation.name()),
                    }
                }
                ExprKind::RefRead(reference) => format!("{} is read as a reference", self.naming.expr(*reference)),
                ExprKind::RefWrite { reference, value } => {
                    format!("{} is written into {}", self.naming.expr(*value), self.naming.expr(*reference))
                }
                ExprKind::Call { callee, .. } => format!("{} is called here", self.naming.expr(*callee)),
                _ => format!("this is {}", ty(expr)),
            },
            Why::Argument { call, index } => {
                let (ExprKind::Call { args, .. } | ExprKind::OpCall { args, .. }) = &module.exprs[call].kind else {
                    return "an argument has the type of its parameter".to_owned();
                };
                let callee = match &module.exprs[call].kind {
                    ExprKind::Call { callee, .. } => self.naming.expr(*callee),
                    _ => "the function".to_owned(),
                };
                let arg = args.get(index).map_or("its argument".to_owned(), |&arg| self.naming.expr(arg));
                let wanted = posted.args.first().map_or("_".to_owned(), |&term| self.print(term));
                format!("{callee} takes {wanted}, and is given {arg}")
            }
            Why::TypeArgument { .. } => "a type argument is what its parameter stands for".to_owned(),
            Why::Condition(_) => "a condition is a bool".to_owned(),
            Why::Branches(_) => "both branches of an `if` have one type".to_owned(),
            Why::Arm { index, .. } => format!("arm {} of the match has the type of the first", index + 1),
            Why::Let { local, .. } => {
                format!("the value of `{}` has the type that is declared", module.local_name(local))
            }
            Why::Result(_) => "the body has the type that is declared as the result".to_owned(),
            Why::Pattern(_) => {
                let pattern = self.naming.span(posted.cause).map_or(String::new(), |span| self.naming.text(span));
                format!("the pattern `{pattern}` fits what is matched")
            }
            Why::PatternVariable(local) | Why::Variable(local) => {
                format!("`{}` has the type of what it is bound to", module.local_name(local))
            }
            Why::Where { .. } => "the `where` clause holds".to_owned(),
            Why::Written(_) | Why::Constructor(_) | Why::Function(_) => "the type that is written holds".to_owned(),
        }
    }

    /// The variable that a `let` binds to an expression.
    fn bound_to(&self, value: ExprId) -> Option<LocalId> {
        let module = &self.naming.analysis.module;
        let in_blocks = module.exprs.iter().skip(module.start.exprs).find_map(|expr| match &expr.kind {
            ExprKind::Block { lets, .. } => {
                lets.iter().find(|(_, bound)| *bound == value).and_then(|(local, _)| *local)
            }
            _ => None,
        });
        in_blocks.or_else(|| {
            module.items.iter().find_map(|item| match *item {
                hir::Item::Let(local, function) if module.functions[function].body == value => Some(local),
                hir::Item::Let(..) | hir::Item::Def(_) | hir::Item::Expr(_) | hir::Item::Adt(_) => None,
            })
        })
    }
}
