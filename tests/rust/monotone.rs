//! Laws of the operators' relations, each alone in a solver, on the arguments of every recorded fact.
//!
//! *Monotone*: with parts of the types left out, a relation concludes less, never anything else. What was left out is
//! told afterwards; then all is as if it had been known from the start. A `?` is never left out: an unknown size is
//! taken for one that has a number.
//!
//! *Symbolic*: with parameters in the place of numbers and shapes, a relation concludes what holds of these. The
//! parameters are replaced afterwards, and what the relation still waited for is asked again, as at the call of a
//! definition.
//!
//! *Opaque*: with a type parameter in the place of an operand, of which nobody knows that it is a tensor, a relation
//! that waits for it has asserted nothing.

use serde_json::Value as Json;
use solve::{Cause, RelationId, Solver, State, Trace};
use std::sync::Arc;
use tests::facts::{carried, hash, is_soak, items, text};
use ty::{AttrValue, Attrs, Dim, Dtype, Extent, FUNCTION, Kind, Obligation, ParamId, Scheme, Term, TermId, Terms};

const CAUSE: Cause = Cause(0);

/// A type as the facts write it; `None` is `?`.
#[derive(Clone, Debug)]
enum Type {
    Tensor { dims: Vec<Option<i64>>, dtype: Dtype },
    Tuple(Vec<Type>),
}

/// Reads a type from the front of a text.
fn read(rest: &mut &str) -> Option<Type> {
    let eat = |rest: &mut &str, word: &str| {
        let behind = rest.strip_prefix(word);
        *rest = behind.unwrap_or(rest).trim_start();
        behind.is_some()
    };
    let word = |rest: &mut &str| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '?')).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        *rest = behind.trim_start();
        word.to_owned()
    };
    if eat(rest, "(") {
        let mut fields = Vec::new();
        while !eat(rest, ")") {
            fields.push(read(rest)?);
            eat(rest, ",");
        }
        return Some(Type::Tuple(fields));
    }
    if !eat(rest, "Tensor") {
        return Some(Type::Tensor { dims: Vec::new(), dtype: Dtype::parse(&word(rest))? });
    }
    eat(rest, "[");
    eat(rest, "(");
    let mut dims = Vec::new();
    while !eat(rest, ")") {
        let dim = word(rest);
        dims.push(if dim == "?" { None } else { Some(dim.parse().ok()?) });
        eat(rest, ",");
    }
    eat(rest, ",");
    let dtype = Dtype::parse(&word(rest))?;
    eat(rest, "]").then_some(Type::Tensor { dims, dtype })
}

/// An operator with the types and attributes of one fact.
struct Case {
    id: String,
    row: &'static op::Op,
    attrs: Arc<Attrs>,
    args: Vec<Type>,
    /// What Relay says; absent where it refuses.
    result: Option<Type>,
    mentions_any: bool,
}

fn value(json: &Json) -> AttrValue {
    match json {
        Json::Null | Json::Object(_) => AttrValue::None,
        Json::Bool(value) => AttrValue::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => AttrValue::Int(value),
            None => AttrValue::Float(number.as_f64().unwrap_or(0.0)),
        },
        Json::String(text) => AttrValue::Str(text.as_str().into()),
        Json::Array(items) => AttrValue::List(items.iter().map(value).collect()),
    }
}

/// `None` where a fact is not about the relation: what it names, or its attributes, are refused before.
fn case(fact: &Json) -> Option<Case> {
    let row = op::by_name(text(fact, "op"))?.row();
    let written = fact["attrs"].as_object()?;
    let mut attrs = Attrs::default();
    for spec in row.attrs {
        let value = match written.get(spec.name) {
            Some(json) => value(json),
            None => spec.default.value()?,
        };
        let is_none = value == AttrValue::None;
        if !(is_none || spec.form.admits(&value)) {
            return None;
        }
        attrs.entries.push((spec.name, value));
        attrs.written.push(written.contains_key(spec.name));
    }
    let mut args = Vec::new();
    for arg in items(fact, "args") {
        args.push(read(&mut arg.as_str()?)?);
    }
    let result = match fact["result"].as_str() {
        Some(result) => Some(read(&mut &*result)?),
        None => None,
    };
    let known = written.keys().all(|name| row.attrs.iter().any(|spec| spec.name == name));
    let mentions_any = fact["args"].to_string().contains('?') || text(fact, "result").contains('?');
    let id = text(fact, "id").to_owned();
    (known && args.len() == row.args.len()).then(|| Case {
        id,
        row,
        attrs: Arc::new(attrs),
        args,
        result,
        mentions_any,
    })
}

fn cases() -> Vec<Case> {
    let facts = carried("relay").into_iter().filter(|fact| fact["kind"] == "op-type");
    let cases: Vec<Case> = facts.filter_map(|fact| case(&fact)).collect();
    assert!(cases.len() > 700, "only {} facts are about a relation", cases.len());
    cases
}

/// Knuth's MMIX generator; the high bits are the random ones.
#[derive(Clone, Copy)]
struct Random(u64);

impl Random {
    fn of(case: &Case, trial: u64) -> Random {
        Random(hash(&format!("{} {trial}", case.id)))
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    fn one_in(&mut self, n: usize) -> bool {
        n > 0 && self.below(n) == 0
    }
}

/// What stands for the parts of types.
struct Terms_<'a> {
    solver: &'a mut Solver,
    random: Random,
    /// One part in how many is left out; 0 for none.
    blank: usize,
    /// One dim in how many is a parameter; 0 for none.
    rigid: usize,
    /// Whether shapes may be parameters too.
    rigid_shapes: bool,
    params: Vec<Param>,
}

/// What a parameter stands for.
#[derive(Clone, PartialEq)]
enum Param {
    Dim(i64),
    Shape(Vec<Option<i64>>),
}

impl Terms_<'_> {
    fn fresh(&mut self, term: Term) -> TermId {
        self.solver.fresh(term, CAUSE)
    }

    fn dim(&mut self, dim: Option<i64>) -> TermId {
        if dim.is_some() && self.random.one_in(self.blank) {
            return self.fresh(Term::hole(Kind::Dim));
        }
        match dim {
            None => self.fresh(Term::Dim(Dim::ANY)),
            Some(number) if self.random.one_in(self.rigid) => self.param(Param::Dim(number)),
            Some(number) => self.fresh(Term::Dim(Dim::number(number))),
        }
    }

    /// The same parameter, more often than not, where it stands for the same.
    fn param(&mut self, param: Param) -> TermId {
        let kind = if matches!(param, Param::Dim(_)) { Kind::Dim } else { Kind::Shape };
        let known = self.params.iter().position(|known| *known == param).filter(|_| !self.random.one_in(4));
        let id = known.unwrap_or_else(|| {
            self.params.push(param);
            self.params.len() - 1
        });
        self.fresh(Term::param(ParamId::numbered(id as u32), kind))
    }

    fn r#type(&mut self, r#type: &Type) -> TermId {
        let is_static = !mentions_any(r#type);
        if is_static && self.random.one_in(self.blank) {
            return self.fresh(Term::hole(Kind::Type));
        }
        match r#type {
            Type::Tuple(fields) => {
                let fields: Vec<TermId> = fields.iter().map(|field| self.r#type(field)).collect();
                self.solver.tuple(&fields, CAUSE)
            }
            Type::Tensor { dims, dtype } => {
                let shape = if is_static && self.random.one_in(self.blank) {
                    self.fresh(Term::hole(Kind::Shape))
                } else if self.rigid_shapes && self.random.one_in(self.rigid + 1) {
                    self.param(Param::Shape(dims.clone()))
                } else {
                    let dims: Vec<TermId> = dims.iter().map(|&dim| self.dim(dim)).collect();
                    let dims = self.solver.store.list(&dims);
                    self.fresh(Term::Shape(dims))
                };
                let blank = self.random.one_in(self.blank);
                let dtype = self.fresh(if blank { Term::hole(Kind::BaseType) } else { Term::Dtype(*dtype) });
                self.fresh(Term::Tensor { shape, dtype })
            }
        }
    }

    fn types(&mut self, case: &Case) -> Vec<TermId> {
        let mut terms: Vec<TermId> = case.args.iter().map(|arg| self.r#type(arg)).collect();
        terms.push(match &case.result {
            Some(result) => self.r#type(result),
            None => self.fresh(Term::hole(Kind::Type)),
        });
        terms
    }
}

fn solver(case: &Case) -> Solver {
    let mut solver = Solver::new(Trace::off());
    solver.dynamics = case.mentions_any;
    solver
}

/// The types of a case.
fn types(solver: &mut Solver, case: &Case) -> Vec<TermId> {
    terms(solver, Random(0), 0, 0).types(case)
}

fn terms(solver: &mut Solver, random: Random, blank: usize, rigid: usize) -> Terms_<'_> {
    Terms_ { solver, random, blank, rigid, rigid_shapes: false, params: Vec::new() }
}

/// Solves, and then makes unknowns that arithmetic relates to a `?` one too, as inference does for each definition.
fn solve(solver: &mut Solver) {
    loop {
        solver.solve();
        let is_any = |term: &TermId| solver.head(*term) == Term::Dim(Dim::ANY);
        let waiting = solver.relations().iter().filter(|posted| {
            matches!(posted.state, State::Waiting(_))
                && posted.relation.is(&FUNCTION)
                && posted.args.last().is_some_and(is_any)
        });
        let holes: Vec<TermId> = waiting
            .flat_map(|posted| posted.args.iter().copied())
            .filter(|&term| solver.head(term) == Term::Dim(Dim::UNKNOWN))
            .collect();
        if holes.is_empty() {
            return;
        }
        for hole in holes {
            let any = solver.fresh(Term::Dim(Dim::ANY), CAUSE);
            solver.equal(any, hole, CAUSE);
        }
    }
}

/// A term in words, unknowns by the order in which they are met.
fn show(solver: &Solver, term: TermId, holes: &mut Vec<TermId>) -> String {
    let all = |list: ty::List, holes: &mut Vec<TermId>| {
        let parts: Vec<String> =
            solver.items(list).to_vec().into_iter().map(|item| show(solver, item, holes)).collect();
        parts.join(", ")
    };
    match solver.head(term) {
        hole if hole.is_hole() => {
            let root = solver.root(term);
            let at = holes.iter().position(|&known| known == root).unwrap_or_else(|| {
                holes.push(root);
                holes.len() - 1
            });
            format!("_{at}")
        }
        Term::Dim(Dim { extent, dynamic }) => match extent {
            _ if dynamic => "?".to_owned(),
            Extent::Number(number) => number.to_string(),
            Extent::Unknown => "_".to_owned(),
            Extent::Param(param) => format!("p{}", param.number()),
            Extent::Poly(poly) => format!("{:?}", solver.poly(poly)),
        },
        Term::Dtype(dtype) => dtype.to_string(),
        Term::Tensor { shape, dtype } => {
            format!("Tensor[{}, {}]", show(solver, shape, holes), show(solver, dtype, holes))
        }
        Term::Shape(dims) | Term::Splice(dims) => format!("({})", all(dims, holes)),
        Term::Tuple(fields) => format!("({})", all(fields, holes)),
        Term::Error(_) => "error".to_owned(),
        other => format!("{other:?}"),
    }
}

fn show_all(solver: &Solver, terms: &[TermId]) -> String {
    let mut holes = Vec::new();
    let shown: Vec<String> = terms.iter().map(|&term| show(solver, term, &mut holes)).collect();
    shown.join(" ; ")
}

/// The relations that wait for something that could still be learned; one that waits for `?` alone never will.
fn open(solver: &Solver, from: usize) -> Vec<RelationId> {
    let is_open = |&id: &RelationId| match &solver.relation(id).state {
        State::Waiting(waits) => waits.iter().any(|&wait| match solver.head(wait) {
            Term::Dim(dim) => !dim.dynamic && !matches!(dim.extent, Extent::Number(_)),
            _ => true,
        }),
        State::Queued | State::Solved | State::Failed | State::Quantified => false,
    };
    (from..solver.relations().len()).map(|id| RelationId::numbered(id as u32)).filter(is_open).collect()
}

fn show_relations(solver: &Solver, relations: &[RelationId]) -> Vec<String> {
    let shown = relations.iter().map(|&id| {
        let posted = solver.relation(id);
        format!("{}({})", posted.relation.name(), show_all(solver, &posted.args))
    });
    shown.collect()
}

/// What a run comes to: the types, or why they cannot be.
fn outcome(solver: &Solver, terms: &[TermId]) -> Result<String, String> {
    match solver.failures.first() {
        None => Ok(show_all(solver, terms)),
        Some(failure) => Err(format!("{:?}", failure.reason)),
    }
}

/// A use of the scheme that terms and open relations make: with what is known for the parameters and with unknowns for
/// the unknowns. Also how many relations there were before.
fn instance(solver: &mut Solver, terms: &[TermId], known: &[Param], open: &[RelationId]) -> (TermId, usize) {
    let args = open.iter().flat_map(|&id| solver.relation(id).args.to_vec());
    let roots: Vec<TermId> = terms.iter().copied().chain(args).collect();
    let holes: Vec<(TermId, ParamId)> =
        solver.holes(&roots).into_iter().zip((known.len() as u32..).map(ParamId::numbered)).collect();
    let obligations = open.iter().map(|&id| {
        let posted = solver.relation(id);
        Obligation { relation: posted.relation.clone(), args: posted.args.to_vec(), attrs: posted.attrs.clone() }
    });
    let obligations = obligations.collect();
    let kinds: Vec<Kind> = holes.iter().map(|&(hole, _)| solver.head(hole).kind()).collect();
    solver.quantify(open, &holes, CAUSE);
    solver.solve();
    let params = (0..(known.len() + holes.len()) as u32).map(ParamId::numbered).collect();
    let scheme = Scheme { params, body: solver.tuple(terms, CAUSE), obligations };
    let mut args = Vec::new();
    for param in known {
        let numbers = match param {
            Param::Dim(number) => vec![Some(*number)],
            Param::Shape(dims) => dims.clone(),
        };
        let dims: Vec<TermId> =
            numbers.into_iter().flatten().map(|number| solver.fresh(Term::Dim(Dim::number(number)), CAUSE)).collect();
        let shape = solver.store.list(&dims);
        args.push(match param {
            Param::Dim(_) => dims[0],
            Param::Shape(_) => solver.fresh(Term::Shape(shape), CAUSE),
        });
    }
    args.extend(kinds.into_iter().map(|kind| solver.fresh(Term::hole(kind), CAUSE)));
    let n_before = solver.relations().len();
    (solver.instantiate(&scheme, &args, CAUSE), n_before)
}

/// Whether two outcomes are the same. Where a program mentions `?`, whether a size that meets one is `?` too or keeps
/// its number may depend on which was there first.
fn same(one: &str, other: &str, any_may_differ: bool) -> bool {
    let parts =
        |text: &str| text.split_inclusive([',', '(', ')', '[', ']', ' ']).map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (parts(one), parts(other));
    let may_differ = |a: &str, b: &str| any_may_differ && (a.starts_with('?') || b.starts_with('?'));
    one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| a == b || may_differ(a, b))
}

fn n_trials(usual: u64) -> u64 {
    if is_soak() { usual * 20 } else { usual }
}

/// A case with some of its numbers and dtypes changed, so that what it breaks is tried too.
fn changed(case: &Case, random: &mut Random) -> Case {
    fn change(r#type: &Type, random: &mut Random) -> Type {
        match r#type {
            Type::Tuple(fields) => Type::Tuple(fields.iter().map(|field| change(field, random)).collect()),
            Type::Tensor { dims, dtype } => {
                let dim = |&dim: &Option<i64>| match (random.below(16), dim) {
                    (0, _) => None,
                    (1, _) => Some(1),
                    (2, Some(number)) => Some(number + 1),
                    (3, Some(number)) => Some((number - 1).max(0)),
                    (4, Some(number)) => Some(number * 2),
                    (_, dim) => dim,
                };
                let mut dims: Vec<Option<i64>> = dims.iter().map(dim).collect();
                match random.below(40) {
                    0 => dims.push(Some(2)),
                    1 => drop(dims.pop()),
                    _ => {}
                }
                let is_other = random.one_in(16);
                let dtype = if is_other { Dtype::ALL[random.below(Dtype::ALL.len())] } else { *dtype };
                Type::Tensor { dims, dtype }
            }
        }
    }
    let args: Vec<Type> = case.args.iter().map(|arg| change(arg, random)).collect();
    let mentions_any = args.iter().any(mentions_any);
    Case { id: case.id.clone(), row: case.row, attrs: case.attrs.clone(), args, result: None, mentions_any }
}

fn mentions_any(r#type: &Type) -> bool {
    match r#type {
        Type::Tensor { dims, .. } => dims.contains(&None),
        Type::Tuple(fields) => fields.iter().any(mentions_any),
    }
}

/// What a solver found, as a fact would write it; `None` unless all is known.
fn found(solver: &Solver, term: TermId) -> Option<Type> {
    match solver.head(term) {
        Term::Tuple(fields) => {
            Some(Type::Tuple(solver.items(fields).iter().map(|&field| found(solver, field)).collect::<Option<_>>()?))
        }
        Term::Tensor { shape, dtype } => {
            let (Term::Shape(dims), Term::Dtype(dtype)) = (solver.head(shape), solver.head(dtype)) else { return None };
            let dim = |&dim: &TermId| match solver.head(dim) {
                Term::Dim(Dim { dynamic: true, .. }) => Some(None),
                Term::Dim(Dim { extent: Extent::Number(number), .. }) => Some(Some(number)),
                _ => None,
            };
            Some(Type::Tensor { dims: solver.items(dims).iter().map(dim).collect::<Option<_>>()?, dtype })
        }
        _ => None,
    }
}

/// Runs the relation on all arguments and nothing else.
fn forwards(case: &Case) -> (Solver, Vec<TermId>) {
    let mut solver = solver(case);
    let mut terms = types(&mut solver, case);
    let result = terms.len() - 1;
    terms[result] = solver.fresh(Term::hole(Kind::Type), CAUSE);
    solver.post(case.row.relation, &terms, case.attrs.clone(), CAUSE);
    solve(&mut solver);
    (solver, terms)
}

/// What differs when parts of a case are told later.
fn told_later(case: &Case, mut random: Random) -> Option<String> {
    let mut of_all = solver(case);
    let all = types(&mut of_all, case);
    of_all.post(case.row.relation, &all, case.attrs.clone(), CAUSE);
    solve(&mut of_all);
    let full = outcome(&of_all, &all);
    let full_open = show_relations(&of_all, &open(&of_all, 0));

    let mut solver = solver(case);
    let blank = 2 + random.below(5);
    let some = terms(&mut solver, random, blank, 0).types(case);
    let asked = show_all(&solver, &some);
    solver.post(case.row.relation, &some, case.attrs.clone(), CAUSE);
    solver.solve();
    let first = outcome(&solver, &some);
    let told = types(&mut solver, case);
    for (&expected, &found) in told.iter().zip(&some) {
        solver.equal(expected, found, CAUSE);
    }
    solve(&mut solver);
    let last = outcome(&solver, &some);
    let last_open = show_relations(&solver, &open(&solver, 0));
    let agree = match (&full, &last) {
        (Ok(full), Ok(last)) => same(full, last, case.mentions_any) && full_open.is_empty() == last_open.is_empty(),
        (Err(_), Err(_)) => true,
        _ => false,
    };
    (!agree).then(|| {
        let (id, name, attrs) = (&case.id, case.row.name, &case.attrs.entries);
        format!(
            "{id} {name} {attrs:?}\n    of {asked}\n    first {first:?}\n    then  {last:?} {last_open:?}\n    but   {full:?} {full_open:?}"
        )
    })
}

#[test]
fn more_information_takes_no_conclusion_back() {
    let mut wrong: Vec<String> = Vec::new();
    for case in &cases() {
        let found = (0..n_trials(100)).find_map(|trial| {
            let mut random = Random::of(case, trial);
            let with_result = |mut case: Case| {
                let (solver, terms) = forwards(&case);
                let result = terms[terms.len() - 1];
                case.result = if solver.failures.is_empty() { found(&solver, result) } else { None };
                case
            };
            match trial % 2 {
                0 => told_later(case, random),
                _ => told_later(&with_result(changed(case, &mut random)), random),
            }
        });
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{} facts:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_holds_of_parameters_holds_of_numbers() {
    let mut wrong: Vec<String> = Vec::new();
    for case in &cases() {
        let found = (0..n_trials(80)).find_map(|trial| {
            let mut random = Random::of(case, trial);
            match trial % 2 {
                0 => of_parameters(case, random, 1 + trial % 3),
                _ => of_parameters(&changed(case, &mut random), random, 1 + trial % 3),
            }
        });
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{} facts:\n{}", wrong.len(), wrong.join("\n"));
}

/// What differs when numbers of a case are parameters first.
fn of_parameters(case: &Case, random: Random, rigid: u64) -> Option<String> {
    let (plain, all) = forwards(case);
    let full = outcome(&plain, &all);
    let mut solver = solver(case);
    let mut terms = terms(&mut solver, random, 0, rigid as usize);
    terms.rigid_shapes = !case.mentions_any;
    let mut some: Vec<TermId> = case.args.iter().map(|arg| terms.r#type(arg)).collect();
    let known = terms.params;
    some.push(solver.fresh(Term::hole(Kind::Type), CAUSE));
    solver.post(case.row.relation, &some, case.attrs.clone(), CAUSE);
    solve(&mut solver);
    // Of a parameter that is `?` too, a use knows one or the other.
    let is_both = |term| matches!(term, Term::Dim(Dim { extent: Extent::Param(_) | Extent::Poly(_), dynamic: true }));
    if !solver.roots_where(&some, is_both).is_empty() {
        return None;
    }
    // A condition on numbers need not hold of all of them.
    let first = outcome(&solver, &some).ok()?;
    let open_now = open(&solver, 0);
    let conditions = show_relations(&solver, &open_now);
    let (instance, n_before) = instance(&mut solver, &some, &known, &open_now);
    solve(&mut solver);
    let Term::Tuple(list) = solver.head(instance) else { unreachable!("the copy of a tuple is one") };
    let instance = solver.items(list).to_vec();
    let last = outcome(&solver, &instance);
    let still = show_relations(&solver, &open(&solver, n_before));
    let agree = match (&full, &last) {
        (Ok(full), Ok(last)) => same(full, last, case.mentions_any) && still.is_empty(),
        (Err(_), Err(_)) => true,
        _ => false,
    };
    (!agree).then(|| {
        let (id, name, attrs) = (&case.id, case.row.name, &case.attrs.entries);
        format!(
            "{id} {name} {attrs:?}\n    first {first:?} where {conditions:?}\n    then  {last:?} {still:?}\n    but   {full:?}"
        )
    })
}

#[test]
fn what_waits_for_a_type_parameter_asserts_nothing() {
    let mut wrong: Vec<String> = Vec::new();
    for case in &cases() {
        // In half of the trials nothing is known of the others either.
        for (operand, is_known) in (0..case.args.len()).flat_map(|operand| [(operand, true), (operand, false)]) {
            let mut solver = solver(case);
            let mut terms = types(&mut solver, case);
            for (at, term) in terms.iter_mut().enumerate() {
                if at == operand {
                    *term = solver.fresh(Term::param(ParamId::numbered(0), Kind::Type), CAUSE);
                } else if at == case.args.len() || !is_known {
                    *term = solver.fresh(Term::hole(Kind::Type), CAUSE);
                }
            }
            let before = show_all(&solver, &terms);
            let id = solver.post(case.row.relation, &terms, case.attrs.clone(), CAUSE);
            solve(&mut solver);
            let after = show_all(&solver, &terms);
            if matches!(solver.relation(id).state, State::Waiting(_)) && before != after {
                wrong.push(format!("{} {}: {before} became {after}", case.id, case.row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} trials:\n{}", wrong.len(), wrong.join("\n"));
}
