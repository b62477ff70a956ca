//! Sentences about what the solver did, and why.

use super::places::{Place, Text};
use super::stops::{Function, What};
use super::view::Change;
use super::{Recording, Seen};
use crate::Analysis;
use crate::step::shortened;
use base::{HashSet, Join, ToList, count};
use hir::{ExprId, ExprKind, FnId, Item, LocalId, Module};
use infer::{TypeError, Why, Wording};
use op::OpId;
use solve::{EQUAL, Event, RelationId};
use ty::{Beginning, FUNCTION, Obligation, RelationRef, Term, TermId, Terms};

/// A type in a sentence is cut after this many terms.
pub(super) const SHORT: usize = 24;
/// At most this many terms below a call's operands are looked at to say which of them is meant.
const MAX_SEARCHED: usize = 400;
/// A sentence lists at most this many things.
const MAX_LISTED: usize = 4;

/// What a sentence can speak of; the number is the place of what it is a part of, in a list.
#[derive(Clone, Copy)]
enum Spoken {
    Operand(ExprId),
    Result,
    Shape(usize),
    Dtype(usize),
    Axis(usize, usize),
    Field(usize, usize),
    Other(usize),
}

/// A recording and the text that it is of.
pub(super) struct Words<'a> {
    pub analysis: &'a Analysis,
    pub recording: &'a Recording,
    pub text: Text<'a>,
}

impl Recording {
    pub(super) fn words<'a>(&'a self, analysis: &'a Analysis) -> Words<'a> {
        Words { analysis, recording: self, text: Text { analysis, inferred: &self.inferred } }
    }
}

impl Words<'_> {
    fn module(&self) -> &Module {
        &self.analysis.module
    }

    /// The beginning of a term, as it is known where the classes are seen.
    pub fn print(&self, seen: Seen<'_>, term: TermId) -> String {
        let names = self.recording.inferred.names(self.module());
        if seen.head(term).is_hole() {
            return "_".to_owned();
        }
        shortened(ty::print_beginning(&seen, &names, term, self.beginning(SHORT)).text)
    }

    /// A relation as it would stand in a `where` clause.
    pub fn relation(&self, seen: Seen<'_>, id: RelationId) -> String {
        let posted = self.recording.inferred.solver.relation(id);
        let (relation, args, attrs) = (posted.relation.clone(), posted.args.to_vec(), posted.attrs.clone());
        let names = self.recording.inferred.names(self.module());
        let obligation = Obligation { relation, args, attrs };
        shortened(ty::print_obligation_beginning(&seen, &names, &obligation, self.beginning(2 * SHORT)).text)
    }

    fn beginning(&self, max_nodes: usize) -> Beginning {
        let Recording { index, inferred, .. } = self.recording;
        Beginning { max_nodes, first: TermId::numbered(index.first_term), n_terms: inferred.solver.store.len() }
    }

    pub fn function(&self, id: FnId) -> String {
        let functions = &self.recording.index.functions;
        match functions.iter().find(|function| function.id == id) {
            Some(Function { item: Item::Expr(_), name, .. }) => name.clone(),
            Some(function) => format!("`{}`", function.name),
            None => self.function_without_name(id),
        }
    }

    /// The same without marks around a name.
    fn bare_function(&self, id: FnId) -> String {
        let named = self.recording.index.functions.iter().find(|function| function.id == id);
        named.map_or_else(|| self.function_without_name(id), |function| function.name.clone())
    }

    fn function_without_name(&self, id: FnId) -> String {
        format!("the `fn` on line {}", self.analysis.lines().line_of(self.module().functions[id].span.start))
    }

    fn local(&self, local: LocalId) -> String {
        format!("`{}`", self.module().local_name(local))
    }

    /// What a call calls.
    fn callee(&self, call: ExprId) -> String {
        let module = self.module();
        match &module.exprs[call].kind {
            ExprKind::Call { callee, .. } => format!("`{}`", self.text.piece(module.exprs[*callee].span)),
            ExprKind::OpCall { name_span, .. } => format!("`{}`", self.text.piece(*name_span)),
            _ => format!("`{}`", self.text.piece(module.exprs[call].span)),
        }
    }

    /// The construct that is a cause, as a noun.
    pub fn why(&self, why: Why) -> String {
        let module = self.module();
        match why {
            Why::Expr(expr) => match &module.exprs[expr].kind {
                ExprKind::OpCall { .. } | ExprKind::Call { .. } => format!("the call of {}", self.callee(expr)),
                ExprKind::Def(_) | ExprKind::Ctor(_) => {
                    format!("the use of `{}`", self.text.piece(module.exprs[expr].span))
                }
                ExprKind::Op(op) => format!("the use of {}", operator(*op)),
                ExprKind::RefWrite { reference, .. } => {
                    format!("the assignment to `{}`", self.text.piece(module.exprs[*reference].span))
                }
                ExprKind::Fn(function) => self.function(*function),
                _ => format!("`{}`", self.text.piece(module.exprs[expr].span)),
            },
            Why::Written(written) => format!("the type `{}`", self.text.piece(module.type_exprs[written].span)),
            Why::Variable(local) => self.local(local),
            Why::Argument { call, index } => format!("argument {} of the call of {}", index + 1, self.callee(call)),
            Why::TypeArgument { call, index } => {
                format!("type argument {} of the call of {}", index + 1, self.callee(call))
            }
            Why::Condition(_) => "the condition of the `if`".to_owned(),
            Why::Branches(_) => "the second branch of the `if`".to_owned(),
            Why::Arm { index, .. } => format!("arm {} of the `match`", index + 1),
            Why::Let { local, .. } if module.locals[local].annotation.is_none() => {
                format!("the value of {}", self.local(local))
            }
            Why::Let { local, .. } | Why::PatternVariable(local) => format!("the annotation of {}", self.local(local)),
            Why::Result(function) => format!("the result of {}", self.function(function)),
            Why::Pattern(pat) => format!("the pattern `{}`", self.text.piece(module.pats[pat].span)),
            Why::Constructor(ctor) => format!("the constructor `{}`", module.ctors[ctor].name),
            Why::Where { function, .. } => format!("the `where` clause of {}", self.function(function)),
            Why::Function(function) => self.function(function),
        }
    }

    /// The operator whose own relation this is, as it is written.
    fn operator(&self, id: RelationId) -> Option<String> {
        let op = self.operator_of(id)?;
        let Why::Expr(expr) = self.text.why(self.recording.inferred.solver.relation(id).cause) else { return None };
        Some(match &self.module().exprs[expr].kind {
            ExprKind::OpCall { .. } => self.callee(expr),
            _ => operator(op),
        })
    }

    /// The operator whose own relation this is.
    pub fn operator_of(&self, id: RelationId) -> Option<OpId> {
        let posted = self.recording.inferred.solver.relation(id);
        let Why::Expr(expr) = self.text.why(posted.cause) else { return None };
        let op = match &self.module().exprs[expr].kind {
            ExprKind::OpCall { op, .. } | ExprKind::Op(op) => *op,
            _ => return None,
        };
        let is_own = self.recording.index.relations[id.number() as usize].parent.is_none();
        (is_own && posted.relation.is(op.row().relation)).then_some(op)
    }

    /// A relation as the subject of a sentence.
    fn subject(&self, id: RelationId) -> String {
        let posted = self.recording.inferred.solver.relation(id);
        if let Some(operator) = self.operator(id) {
            return operator;
        }
        let name = match posted.relation.is(&FUNCTION) {
            true => "The equation".to_owned(),
            false => format!("`{}`", posted.relation.name()),
        };
        match self.text.why(posted.cause) {
            Why::Expr(expr) => match &self.module().exprs[expr].kind {
                ExprKind::OpCall { .. } => format!("{name} of {}", self.callee(expr)),
                ExprKind::Op(op) => format!("{name} of {}", operator(*op)),
                ExprKind::Def(def) => format!("{name} in the type of `{}`", self.module().defs[*def].name),
                _ => name,
            },
            _ => name,
        }
    }

    /// What may be spoken of where a relation comes from, with the type of each: the operands and the result.
    fn operands(&self, id: RelationId) -> Vec<(Spoken, TermId)> {
        let inferred = &self.recording.inferred;
        let module = self.module();
        let Why::Expr(expr) = self.text.why(inferred.solver.relation(id).cause) else { return Vec::new() };
        let (operands, result) = match &module.exprs[expr].kind {
            ExprKind::OpCall { args, .. } => (args.as_slice(), expr),
            ExprKind::Project { base, .. } => (std::slice::from_ref(base), expr),
            ExprKind::Def(_) | ExprKind::Ctor(_) | ExprKind::Local(..) => {
                let Some(&call) = self.recording.places.calls.get(&expr) else { return Vec::new() };
                let ExprKind::Call { args, .. } = &module.exprs[call].kind else { return Vec::new() };
                (args.as_slice(), call)
            }
            _ => return Vec::new(),
        };
        let operands = operands.iter().map(|&operand| (Spoken::Operand(operand), operand));
        let spoken = operands.chain([(Spoken::Result, result)]);
        spoken.filter_map(|(spoken, expr)| Some((spoken, inferred.exprs[expr]?))).list()
    }

    /// What a part of a type, or the whole, is called where it is not looked at: `%b`, "field 1 of `%b`".
    fn spoken(&self, parts: &[Spoken], at: usize) -> String {
        match parts[at] {
            Spoken::Operand(expr) => format!("`{}`", self.text.piece(self.module().exprs[expr].span)),
            Spoken::Result => "the result".to_owned(),
            Spoken::Field(field, of) => format!("field {field} of {}", self.spoken(parts, of)),
            Spoken::Shape(of) | Spoken::Dtype(of) | Spoken::Axis(_, of) | Spoken::Other(of) => self.spoken(parts, of),
        }
    }

    /// A class as the people see it who look at where a relation comes from: "the shape of `%b`".
    pub fn describe(&self, seen: Seen<'_>, id: RelationId, class: TermId) -> String {
        let class = seen.root(class);
        let operands = self.operands(id).into_iter().filter(|&(_, term)| seen.has(term));
        let (mut parts, mut terms): (Vec<Spoken>, Vec<TermId>) = operands.unzip();
        let mut met: HashSet<TermId> = HashSet::default();
        let mut at = 0;
        while let Some(&term) = terms.get(at) {
            let root = seen.root(term);
            if root == class {
                let of = self.spoken(&parts, at);
                return match parts[at] {
                    Spoken::Operand(_) | Spoken::Result | Spoken::Field(..) => format!("the type of {of}"),
                    Spoken::Shape(_) => format!("the shape of {of}"),
                    Spoken::Dtype(_) => format!("the dtype of {of}"),
                    Spoken::Axis(axis, _) => format!("axis {axis} of {of}"),
                    Spoken::Other(_) => format!("a part of the type of {of}"),
                };
            }
            if parts.len() <= MAX_SEARCHED && met.insert(root) {
                let mut add = |part: Spoken, term: TermId| {
                    parts.push(part);
                    terms.push(term);
                };
                match seen.head(root) {
                    Term::Tensor { shape, dtype } => {
                        add(Spoken::Shape(at), shape);
                        add(Spoken::Dtype(at), dtype);
                    }
                    Term::Shape(dims) => {
                        seen.items(dims).iter().enumerate().for_each(|(axis, &dim)| add(Spoken::Axis(axis, at), dim));
                    }
                    Term::Tuple(fields) => {
                        let fields = seen.items(fields).iter().enumerate();
                        fields.for_each(|(field, &term)| add(Spoken::Field(field, at), term));
                    }
                    term => seen.for_parts(term, |part| add(Spoken::Other(at), part)),
                }
            }
            at += 1;
        }
        match self.recording.places.of(class) {
            Some(place @ Place::Instance(..)) => format!("`{}`", self.text.name(place)),
            Some(place) => format!("the type of `{}`", self.text.name(place)),
            None => format!("`t{}`", self.recording.number(class)),
        }
    }

    /// What failed, as the problem's own words.
    pub fn failure(&self, id: RelationId) -> Option<String> {
        let inferred = &self.recording.inferred;
        let failure = inferred.solver.failures.iter().find(|failure| failure.relation == id)?;
        let wording = Wording { module: self.module(), inferred };
        Some(wording.diagnostic(&TypeError::Failed(failure.clone())).message)
    }

    /// Why a relation is in the queue, or was when it ran.
    pub fn reason(&self, id: RelationId, event: u32) -> String {
        let recording = self.recording;
        let history = &recording.index.relations[id.number() as usize];
        if let Some((at, term)) = history.woken_before(event) {
            let by = recording.index.stops[recording.index.stop_behind(at) as usize].relation;
            let by = by.map_or_else(String::new, |by| format!(" by r{}", by.number()));
            return format!("it came to the front because `t{}` was learned{by}", recording.number(term));
        }
        match history.parent {
            Some(parent) => format!("posted by r{}, {}", parent.number(), self.subject(parent)),
            None => format!("posted for {}", self.why(self.text.why(recording.inferred.solver.relation(id).cause))),
        }
    }

    /// What a stop's step did and why, in one sentence or two.
    pub fn caption(&self, seen: Seen<'_>, stop: usize, changes: &[Change]) -> String {
        let index = &self.recording.index;
        let item = index.functions.get(index.stops[stop].function as usize);
        let function = || match item {
            Some(function) => self.function(function.id),
            None => "the program".to_owned(),
        };
        let events = self.recording.events_of(stop);
        match (index.stops[stop].what, index.stops[stop].relation) {
            (What::Beginning, _) => "Nothing has been posted yet.".to_owned(),
            (What::Posted, _) => {
                let n_posted = events.iter().count_where(|event| matches!(event, Event::Post { .. }));
                let order = if n_posted > 1 { ", in source order" } else { "" };
                format!("Posted {} for {}{order}.", count(n_posted, "relation"), function())
            }
            (What::Generalised, _) => self.generalised(events, &function(), item.map(|function| function.item)),
            (What::Solved, Some(id)) => self.solved(seen, id, stop, changes),
            (What::Waits, Some(id)) => self.waits(seen, id),
            (What::Failed, Some(id)) => {
                let what = match self.recording.inferred.solver.relation(id).relation.is(&EQUAL) {
                    true => self.why(self.text.why(self.recording.inferred.solver.relation(id).cause)),
                    false => self.subject(id),
                };
                let failure = self.failure(id).map_or_else(String::new, |failure| {
                    format!(": {}", failure.strip_prefix(&format!("{what}: ")).unwrap_or(&failure))
                });
                sentence(format!("{what} fails{failure}."))
            }
            (What::Failed, None) if events.iter().any(|event| matches!(event, Event::Quantify { .. })) => {
                self.stuck(seen, events)
            }
            (What::Failed | What::Solved | What::Waits, None) => {
                "A type would contain itself without end; it is cut here.".to_owned()
            }
        }
    }

    fn waits(&self, seen: Seen<'_>, id: RelationId) -> String {
        let waits = self.waits_of(seen, id);
        let subject = self.subject(id);
        sentence(match waits.as_slice() {
            [] => format!("{subject} waits for what is known only when the program runs."),
            [wait] => format!("{subject} waits: {wait} is not known yet."),
            waits => format!("{subject} waits for any of {} to be known.", listed(waits, "and")),
        })
    }

    /// Relations that wait when nothing is left that could tell them more.
    fn stuck(&self, seen: Seen<'_>, events: &[Event]) -> String {
        let stuck = events.iter().flat_map(|event| match event {
            Event::Quantify { relations, .. } => relations.as_slice(),
            Event::Fresh { .. } | Event::Bind { .. } | Event::Link { .. } | Event::Post { .. } | Event::Step { .. } => {
                &[]
            }
        });
        let stuck: Vec<String> = stuck
            .map(|woken| {
                let waits: Vec<String> =
                    woken.waits.iter().map(|&wait| self.describe(seen, woken.relation, wait)).list();
                format!("{} waits for {}", self.subject(woken.relation), listed(&waits, "or"))
            })
            .list();
        format!("The queue is empty, and nothing is left that could tell more: {}.", listed(&stuck, "and"))
    }

    /// What a relation that waits would have to know.
    pub fn waits_of(&self, seen: Seen<'_>, id: RelationId) -> Vec<String> {
        let solve::State::Waiting(waits) = &seen.cells.relation(id).state else { return Vec::new() };
        waits.iter().map(|&wait| self.describe(seen, id, wait)).list()
    }

    fn generalised(&self, events: &[Event], function: &str, item: Option<Item>) -> String {
        let params: Vec<String> = { events.iter() }
            .filter_map(|event| match event {
                Event::Bind { id, before, .. } if before.term.is_hole() => Some(*id),
                _ => None,
            })
            .map(|id| format!("`{}`", self.recording.inferred.print(self.module(), id).text))
            .list();
        let quantified = events.iter().find_map(|event| match event {
            Event::Quantify { relations, .. } => Some(relations.len()),
            _ => None,
        });
        let is_clause = { events.iter() }.any(|event| match event {
            Event::Quantify { cause, .. } => matches!(self.text.why(*cause), Why::Where { .. }),
            _ => false,
        });
        let Some(mut n_relations) = quantified else {
            return sentence(format!("shapes of {function} become simpler, now that their parts are parameters."));
        };
        // What waits elsewhere waits for something that failed.
        let goes_into_type = matches!(item, Some(Item::Def(_)));
        let n_left = if goes_into_type { 0 } else { n_relations };
        n_relations -= n_left;
        let params = match params.as_slice() {
            [] => None,
            [param] => Some(format!("1 unknown becomes the parameter {param}")),
            params => Some(format!("{} unknowns become the parameters {}", params.len(), listed(params, "and"))),
        };
        let relations = match n_relations {
            0 => None,
            1 if is_clause => Some("1 relation is not asked for any more".to_owned()),
            n if is_clause => Some(format!("{n} relations are not asked for any more")),
            1 => Some("1 waiting relation goes into its type".to_owned()),
            n => Some(format!("{n} waiting relations go into its type")),
        };
        let left = (n_left > 0).then(|| match n_left {
            1 => "1 relation is left, which waits for what failed".to_owned(),
            n => format!("{n} relations are left, which wait for what failed"),
        });
        let parts: Vec<String> = [params, relations, left].into_iter().list_all(|part| part);
        let happens = match is_clause {
            true => format!("the `where` clause of {function} is taken as true"),
            false => format!("{function} is generalised"),
        };
        sentence(format!("{happens}: {}.", parts.joined(", ")))
    }

    fn solved(&self, seen: Seen<'_>, id: RelationId, stop: usize, changes: &[Change]) -> String {
        let posted = self.recording.inferred.solver.relation(id);
        let args = &posted.args;
        let of_arg = |at: usize| changes.iter().find(|change| change.arg == Some(at));
        let before = |at: usize| of_arg(at).map_or_else(|| self.print(seen, args[at]), |change| change.before.clone());
        let after = |at: usize| self.print(seen, args[at]);
        if posted.relation.is(&EQUAL) {
            let why = self.why(self.text.why(posted.cause));
            let (expected, found, both) = (before(0), before(1), after(0));
            return sentence(match expected == found {
                true if changes.is_empty() => format!("{why}: expected `{expected}`, and it is."),
                true => format!("{why}: both sides are `{both}`, and are one type from now on."),
                false => format!("{why}: expected `{expected}`, found `{found}`; both are `{both}` now."),
            });
        }
        let history = &self.recording.index.relations[id.number() as usize];
        let woken = history.woken_before(self.recording.event_of(stop) as u32);
        let again = woken.map_or_else(String::new, |(_, term)| {
            format!(" again, because `t{}` was learned", self.recording.number(term))
        });
        let ran = format!("{} ran{again}", self.subject(id));
        let n_inputs = posted.n_inputs();
        let operands = self.operands(id);
        let named = |at: usize| {
            let is_it = |(_, term): &&(Spoken, TermId)| seen.root(*term) == seen.root(args[at]) && at < n_inputs;
            operands.iter().find(is_it).map(|&(operand, _)| self.spoken(&[operand], 0))
        };
        let inputs: Vec<String> = (0..n_inputs)
            .map(|at| match named(at) {
                Some(name) if name.len() <= 16 && name != "the result" => {
                    format!("`{}: {}`", base::trim(&name, "`"), before(at))
                }
                _ => format!("`{}`", before(at)),
            })
            .list();
        let told = |at: &usize| of_arg(*at).is_some_and(|change| change.before != change.after);
        let outputs: Vec<String> = (n_inputs..args.len()).filter(told).map(|at| format!("`{}`", after(at))).list();
        let learned: Vec<String> = (0..n_inputs)
            .filter(told)
            .map(|at| {
                let what = named(at).unwrap_or_else(|| format!("argument {}", at + 1));
                format!("{what} is `{}`", after(at))
            })
            .list();
        let n_posted =
            { self.recording.events_of(stop).iter() }.count_where(|event| matches!(event, Event::Post { .. }));
        let mut parts: Vec<String> = Vec::new();
        if !outputs.is_empty() {
            parts.push(format!("it concludes {}", listed(&outputs, "and")));
        }
        if !learned.is_empty() {
            parts.push(format!("it learns that {}", listed(&learned, "and")));
        }
        if n_posted > 0 {
            parts.push(format!("it posts {}", count(n_posted, "smaller relation")));
        }
        if parts.is_empty() {
            parts.push("what it asks for holds, and nothing new follows".to_owned());
        }
        let from = match inputs.is_empty() {
            true => String::new(),
            false => format!("from {} ", listed(&inputs, "and")),
        };
        sentence(format!("{ran}: {from}{}.", listed(&parts, "and")))
    }

    /// What a cell belongs to, in a few words.
    pub fn of_cell(&self, cell: TermId) -> String {
        match self.recording.places.of(cell) {
            Some(place) => self.text.name(place),
            None => {
                let cause = self.recording.cause_of_cell(cell);
                let cause = cause.filter(|cause| self.text.span_of_cause(*cause).is_some());
                match cause.map(|cause| self.text.why(cause)) {
                    None => String::new(),
                    // What is made for a definition as a whole is its result.
                    Some(Why::Function(function)) => format!("the result of {}", self.bare_function(function)),
                    Some(Why::Written(written)) => self.text.piece(self.module().type_exprs[written].span),
                    Some(why) => format!("in {}", self.text.piece(why.span(self.module()))),
                }
            }
        }
    }

    /// The layer of TensorScript that a relation is a part of.
    pub fn layer(&self, id: RelationId) -> Option<String> {
        let cause = self.recording.inferred.solver.relation(id).cause;
        self.text.span_of_cause(cause)?;
        match self.text.why(cause) {
            Why::Expr(expr) | Why::Argument { call: expr, .. } => {
                let stage = self.module().stage_of(expr)?;
                Some(crate::summary::stage_title(self.module(), stage))
            }
            _ => None,
        }
    }

    /// The relation's name as people know it: an operator's if it is one's own.
    pub fn title(&self, id: RelationId) -> String {
        match (self.operator_of(id), &self.recording.inferred.solver.relation(id).relation) {
            (Some(op), _) => op.row().name.to_owned(),
            (None, RelationRef::Builtin(relation)) => relation.name.to_owned(),
            (None, relation) => relation.name().to_owned(),
        }
    }
}

fn operator(op: OpId) -> String {
    format!("`{}`", op.row().name)
}

/// `a, b and c`; a long list says how many more there are.
fn listed(items: &[String], and: &str) -> String {
    match items.get(MAX_LISTED) {
        None => base::listed(items, and),
        Some(_) => format!("{} {and} {} more", items[..MAX_LISTED - 1].joined(", "), items.len() + 1 - MAX_LISTED),
    }
}

/// With a capital, if its first word is English.
fn sentence(mut text: String) -> String {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
