//! Relations written in the language, and their interpreter over [`Facts`]. Their notation is like that of Relay's manual,
//! which describes relations in it and has users write them in C++.
//!
//! A relation is a list of clauses. The patterns of a clause are matched against the inputs, which are all arguments
//! but the last. A clause is chosen when its patterns match whatever the unknowns turn out to be, and passed over when
//! no value of them could match; otherwise the relation waits for what decides it. A `?` matches a variable and decides
//! no number. The chosen clause then asserts: the last argument is its last pattern, and every goal of its body holds.
//!
//! Worked example: `relation Flatten(Tensor[sh, bt], O) :- O = Tensor[(sh[0], prod(sh[1:])), bt].` run on
//! `Flatten(Tensor[(2, 3, 4), float32], o)` binds `sh` and `bt`, then asserts `o = Tensor[(2, 12), float32]`.

use crate::{
    AdtId, Attrs, Dim, Dtype, Extent, Facts, Function, Kind, List, Reason, RelationRef, Step, Stop, Term, TermId, apply,
};
use base::{Append, ToList, idx};
use std::sync::Arc;

idx!(
    /// A node of a clause's patterns and terms.
    NodeId,
    "c"
);

/// All relations that a program wrote, so that they may refer to each other.
#[derive(Debug, Default)]
pub struct WrittenRelations {
    pub relations: Vec<Written>,
}

#[derive(Debug)]
pub struct Written {
    pub name: String,
    /// The kinds of the arguments.
    pub kinds: Vec<Kind>,
    /// The last argument is the output, unless it is the only one.
    pub n_outputs: usize,
    pub clauses: Vec<Clause>,
    /// A clause was left out for an error that was told; nothing else is to be told of the relation.
    pub is_broken: bool,
    /// Of an `if`: the relation in whose clause it stands.
    pub origin: Option<Origin>,
}

/// The clause that an `if` stands in.
#[derive(Clone, Debug)]
pub struct Origin {
    pub relation: usize,
    pub clause: usize,
    /// Where its variables are among the arguments of the `if`.
    pub variables: std::ops::Range<usize>,
}

#[derive(Debug, Default)]
pub struct Clause {
    /// The kinds of its variables.
    pub variables: Vec<Kind>,
    pub nodes: Vec<Node>,
    /// One pattern for each argument.
    pub head: Vec<NodeId>,
    /// What must also be so for the clause to be chosen.
    pub guard: Option<Guard>,
    pub body: Vec<Goal>,
}

/// A pattern or term; its parts are nodes with smaller ids.
#[derive(Clone, Debug)]
pub enum Node {
    Variable(u32),
    Wild(Kind),
    Tensor {
        shape: NodeId,
        dtype: NodeId,
    },
    Tuple(Vec<NodeId>),
    Func {
        params: Vec<NodeId>,
        result: NodeId,
    },
    Ref(NodeId),
    Adt {
        adt: AdtId,
        args: Vec<NodeId>,
    },
    /// Dims, and shapes that are spliced in; a pattern has at most one of those.
    Shape(Vec<NodeId>),
    Number(i64),
    Any,
    Dtype(Dtype),
    /// Not in a pattern.
    Apply(Function, Vec<NodeId>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    #[must_use]
    pub fn negated(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::GreaterEqual,
            Comparison::LessEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessEqual,
            Comparison::GreaterEqual => Comparison::Less,
        }
    }
}

/// A comparison of two variables: of any kind for (in)equality, else of dims.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    pub comparison: Comparison,
    pub left: u32,
    pub right: u32,
}

#[derive(Clone, Debug)]
pub enum Goal {
    /// `false`: what the clause is for, the relation does not hold of.
    Never,
    Equal(NodeId, NodeId),
    /// A built-in relation.
    Builtin {
        relation: &'static crate::Relation,
        args: Vec<NodeId>,
        attrs: Arc<Attrs>,
    },
    /// One of the program's own, by its place.
    Written {
        relation: usize,
        args: Vec<NodeId>,
    },
}

/// What a variable of a clause stands for: a term, or the part of a shape that a splice met.
#[derive(Clone, Debug)]
enum Bound {
    Term(TermId),
    Part(Vec<TermId>),
}

/// Whether something holds, whatever the unknowns turn out to be.
enum Verdict {
    Yes,
    No,
    /// Any of these may decide it.
    Depends(Vec<TermId>),
}

impl WrittenRelations {
    pub(crate) fn run(self: &Arc<Self>, index: usize, assumed: bool, r: &mut dyn Facts) -> Step {
        let written = &self.relations[index];
        if written.is_broken {
            return (r.n_inputs()..r.args().len()).try_for_each(|output| {
                let error = r.make(Term::Error(written.kinds[output]));
                let output = r.arg(output);
                r.unify(output, error)
            });
        }
        let mut possible: Vec<(&Clause, Vec<TermId>)> = Vec::new();
        for clause in &written.clauses {
            let mut bound = base::filled(None, clause.variables.len());
            match clause.matches(r, &mut bound) {
                Verdict::Yes if possible.is_empty() => return clause.assert(self, r, bound),
                Verdict::Yes => possible.push((clause, Vec::new())),
                Verdict::No => {}
                Verdict::Depends(waits) => possible.push((clause, waits)),
            }
            if !assumed && !possible.is_empty() {
                break;
            }
        }
        match possible.as_mut_slice() {
            [] => r.fail(Reason::NoClause),
            [(clause, _)] if assumed && clause.guard.is_none() => clause.assert(self, r, Vec::new()),
            possible => Err(Stop::wait(&possible.iter().list_all(|(_, waits)| waits.iter().copied()))),
        }
    }
}

impl WrittenRelations {
    /// The call, of a relation with a name of its own, that an `if` on these arguments comes from.
    pub fn origin(
        self: &Arc<Self>,
        index: usize,
        args: &[TermId],
        r: &mut dyn Facts,
    ) -> Option<(RelationRef, Vec<TermId>)> {
        let Origin { relation, clause, variables } = self.relations[index].origin.as_ref()?;
        let clause = &self.relations[*relation].clauses[*clause];
        let mut env = Environment { clause, variables: Vec::new(), made: base::filled(None, clause.nodes.len()) };
        env.variables = args[variables.clone()].iter().copied().map(Some).list();
        env.variables.resize(clause.variables.len(), None);
        let call = env.make_all(r, &clause.head).ok()?;
        Some((RelationRef::Written { all: self.clone(), index: *relation, assumed: false }, call))
    }
}

impl Clause {
    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.number() as usize]
    }

    /// Matches the patterns of the inputs, then looks at the guard.
    fn matches(&self, r: &dyn Facts, bound: &mut [Option<Bound>]) -> Verdict {
        let mut pairs: Vec<(NodeId, TermId)> = self.head.iter().copied().zip(r.args().iter().copied()).list();
        pairs.truncate(r.n_inputs());
        pairs.reverse();
        let mut depends = Vec::new();
        let mut again: Vec<(u32, Bound)> = Vec::new();
        while let Some((pattern, term)) = pairs.pop() {
            match self.match_node(r, pattern, term, bound, &mut again, &mut pairs) {
                Verdict::Yes => {}
                Verdict::No => return Verdict::No,
                Verdict::Depends(waits) => depends.append_all(waits),
            }
        }
        // A variable that stands twice asks for equal parts.
        for (variable, other) in again {
            let Some(first) = bound[variable as usize].clone() else { continue };
            match same_bound(r, &first, &other) {
                Verdict::Yes => {}
                Verdict::No => return Verdict::No,
                Verdict::Depends(waits) => depends.append_all(waits),
            }
        }
        if let (Some(guard), true) = (&self.guard, depends.is_empty()) {
            match guard.holds(r, bound) {
                Verdict::Yes => {}
                decided @ (Verdict::No | Verdict::Depends(_)) => return decided,
            }
        }
        if depends.is_empty() { Verdict::Yes } else { Verdict::Depends(depends) }
    }

    fn match_node(
        &self,
        r: &dyn Facts,
        pattern: NodeId,
        term: TermId,
        bound: &mut [Option<Bound>],
        again: &mut Vec<(u32, Bound)>,
        pairs: &mut Vec<(NodeId, TermId)>,
    ) -> Verdict {
        let depends = || Verdict::Depends(vec![term]);
        let head = r.peek(term);
        let push = |pairs: &mut Vec<(NodeId, TermId)>, patterns: &[NodeId], terms: &[TermId]| {
            pairs.append_all(patterns.iter().copied().zip(terms.iter().copied()).rev());
        };
        match (self.node(pattern), head) {
            (Node::Variable(variable), _) => {
                bind(bound, again, *variable, Bound::Term(term));
                Verdict::Yes
            }
            (Node::Wild(_), _) => Verdict::Yes,
            // Not a pattern: lowering puts a variable and an equation in its place.
            (Node::Apply(..) | Node::Any, _) => Verdict::Yes,
            (_, Term::Hole(_) | Term::Error(_) | Term::Param(..) | Term::Slice { .. }) => depends(),
            (Node::Tensor { shape, dtype }, Term::Tensor { shape: s, dtype: d }) => {
                push(pairs, &[*shape, *dtype], &[s, d]);
                Verdict::Yes
            }
            (Node::Tuple(patterns), Term::Tuple(fields)) if patterns.len() == fields.len as usize => {
                push(pairs, patterns, r.items(fields));
                Verdict::Yes
            }
            (Node::Func { params: patterns, result }, Term::Func { params, result: found })
                if patterns.len() == params.len as usize =>
            {
                pairs.push((*result, found));
                push(pairs, patterns, r.items(params));
                Verdict::Yes
            }
            (Node::Ref(inner), Term::Ref(found)) => {
                pairs.push((*inner, found));
                Verdict::Yes
            }
            (Node::Adt { adt, args: patterns }, Term::Adt { adt: found, args }) if *adt == found => {
                push(pairs, patterns, r.items(args));
                Verdict::Yes
            }
            (Node::Shape(patterns), Term::Shape(dims) | Term::Splice(dims)) => {
                self.match_shape(r, patterns, dims, head, term, bound, again, pairs)
            }
            (Node::Number(number), Term::Dim(Dim { extent, .. })) => match extent {
                Extent::Number(found) if found == *number => Verdict::Yes,
                Extent::Number(_) => Verdict::No,
                Extent::Unknown | Extent::Param(_) | Extent::Poly(_) => depends(),
            },
            (Node::Dtype(dtype), Term::Dtype(found)) if *dtype == found => Verdict::Yes,
            _ => Verdict::No,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one step of the matcher, apart for its length")]
    fn match_shape(
        &self,
        r: &dyn Facts,
        patterns: &[NodeId],
        dims: List,
        head: Term,
        term: TermId,
        bound: &mut [Option<Bound>],
        again: &mut Vec<(u32, Bound)>,
        pairs: &mut Vec<(NodeId, TermId)>,
    ) -> Verdict {
        let items = r.items(dims);
        let is_splice = |&pattern: &NodeId| match self.node(pattern) {
            Node::Variable(variable) => self.variables[*variable as usize] == Kind::Shape,
            Node::Wild(kind) => *kind == Kind::Shape,
            _ => false,
        };
        let at = patterns.iter().position(is_splice);
        let known_rank = matches!(head, Term::Shape(_));
        let least = patterns.len() - usize::from(at.is_some());
        if known_rank && (items.len() < least || (at.is_none() && items.len() != least)) {
            return Verdict::No;
        }
        let (front, back) = at.map_or((patterns.len(), 0), |at| (at, patterns.len() - at - 1));
        let is_dim = |&item: &TermId| r.peek(item).kind() == Kind::Dim;
        if !known_rank {
            let sure = at.is_some()
                && items.len() >= front + back
                && items[..front].iter().all(is_dim)
                && items[items.len() - back..].iter().all(is_dim);
            if !sure {
                return Verdict::Depends(vec![term]);
            }
        }
        let ends = patterns[..front].iter().zip(&items[..front]);
        let behind = patterns[patterns.len() - back..].iter().zip(&items[items.len() - back..]);
        let ends: Vec<(NodeId, TermId)> = ends.chain(behind).map(|(&pattern, &item)| (pattern, item)).list();
        pairs.append_all(ends.into_iter().rev());
        if let Some(&Node::Variable(variable)) = at.map(|at| self.node(patterns[at])) {
            let part = items[front..items.len() - back].to_vec();
            bind(bound, again, variable, Bound::Part(part));
        }
        Verdict::Yes
    }

    /// Asserts what follows from the clause. `bound` is what its inputs matched; without it they are asserted too.
    fn assert(&self, all: &Arc<WrittenRelations>, r: &mut dyn Facts, bound: Vec<Option<Bound>>) -> Step {
        let first = if bound.is_empty() { 0 } else { r.n_inputs() };
        let variables = base::filled(None, self.variables.len());
        let mut env = Environment { clause: self, variables, made: base::filled(None, self.nodes.len()) };
        for (slot, bound) in env.variables.iter_mut().zip(bound) {
            *slot = match bound {
                None => None,
                Some(Bound::Term(term)) => Some(term),
                Some(Bound::Part(part)) => Some(apply(r, &Function::Concat, &part)?),
            };
        }
        for i in first..r.args().len() {
            let arg = r.arg(i);
            let output = env.make(r, self.head[i])?;
            r.unify(arg, output)?;
        }
        for goal in &self.body {
            match goal {
                Goal::Never => return r.fail(Reason::Check("the clause that fits says `false`".into())),
                Goal::Equal(left, right) => {
                    let (left, right) = (env.make(r, *left)?, env.make(r, *right)?);
                    r.unify(left, right)?;
                }
                Goal::Builtin { relation, args, attrs } => {
                    let args = env.make_all(r, args)?;
                    r.post_with((*relation).into(), &args, attrs.clone());
                }
                Goal::Written { relation, args } => {
                    let args = env.make_all(r, args)?;
                    let relation = RelationRef::Written { all: all.clone(), index: *relation, assumed: false };
                    r.post_with(relation, &args, Attrs::none());
                }
            }
        }
        Ok(())
    }
}

fn bind(bound: &mut [Option<Bound>], again: &mut Vec<(u32, Bound)>, variable: u32, to: Bound) {
    match &mut bound[variable as usize] {
        Some(_) => again.push((variable, to)),
        slot @ None => *slot = Some(to),
    }
}

/// The terms of a chosen clause.
struct Environment<'a> {
    clause: &'a Clause,
    variables: Vec<Option<TermId>>,
    made: Vec<Option<TermId>>,
}

impl Environment<'_> {
    fn make_all(&mut self, r: &mut dyn Facts, nodes: &[NodeId]) -> Result<Vec<TermId>, Stop> {
        nodes.iter().map(|&node| self.make(r, node)).ok_list()
    }

    /// Parts have smaller ids than what they are parts of, so a stack of those still to be made suffices.
    fn make(&mut self, r: &mut dyn Facts, root: NodeId) -> Result<TermId, Stop> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let from = stack.len();
            if self.made[id.number() as usize].is_none() {
                let made = &self.made;
                self.clause.node(id).for_parts(|part| {
                    if made[part.number() as usize].is_none() {
                        stack.push(part);
                    }
                });
                if stack.len() > from {
                    continue;
                }
                let term = self.make_node(r, id)?;
                self.made[id.number() as usize] = Some(term);
            }
            stack.pop();
        }
        Ok(self.part(root))
    }

    fn part(&self, id: NodeId) -> TermId {
        self.made[id.number() as usize].expect("parts are made before what they are parts of")
    }

    fn make_node(&mut self, r: &mut dyn Facts, id: NodeId) -> Result<TermId, Stop> {
        let list = |cx: &Self, r: &mut dyn Facts, nodes: &[NodeId]| {
            let items: Vec<TermId> = nodes.iter().map(|&node| cx.part(node)).list();
            r.make_list(&items)
        };
        let term = match self.clause.node(id) {
            Node::Variable(variable) => {
                let kind = self.clause.variables[*variable as usize];
                let slot = &mut self.variables[*variable as usize];
                return Ok(*slot.get_or_insert_with(|| r.make_hole(kind)));
            }
            Node::Wild(kind) => Term::hole(*kind),
            Node::Tensor { shape, dtype } => Term::Tensor { shape: self.part(*shape), dtype: self.part(*dtype) },
            Node::Tuple(fields) => Term::Tuple(list(self, r, fields)),
            Node::Func { params, result } => Term::Func { params: list(self, r, params), result: self.part(*result) },
            Node::Ref(inner) => Term::Ref(self.part(*inner)),
            Node::Adt { adt, args } => Term::Adt { adt: *adt, args: list(self, r, args) },
            Node::Shape(items) => {
                let items: Vec<TermId> = items.iter().map(|&item| self.part(item)).list();
                return apply(r, &Function::Concat, &items);
            }
            Node::Number(number) => Term::Dim(Dim::number(*number)),
            Node::Any => Term::Dim(Dim::ANY),
            Node::Dtype(dtype) => Term::Dtype(*dtype),
            Node::Apply(function, args) => {
                let args: Vec<TermId> = args.iter().map(|&arg| self.part(arg)).list();
                return apply(r, function, &args);
            }
        };
        Ok(r.make(term))
    }
}

impl Node {
    pub fn for_parts(&self, mut f: impl FnMut(NodeId)) {
        match self {
            Node::Variable(_) | Node::Wild(_) | Node::Number(_) | Node::Any | Node::Dtype(_) => {}
            Node::Tensor { shape, dtype } => {
                f(*shape);
                f(*dtype);
            }
            Node::Tuple(items) | Node::Shape(items) | Node::Apply(_, items) | Node::Adt { args: items, .. } => {
                items.iter().for_each(|&item| f(item));
            }
            Node::Func { params, result } => {
                params.iter().for_each(|&param| f(param));
                f(*result);
            }
            Node::Ref(inner) => f(*inner),
        }
    }
}

impl Guard {
    fn holds(&self, r: &dyn Facts, bound: &[Option<Bound>]) -> Verdict {
        let (Some(left), Some(right)) = (&bound[self.left as usize], &bound[self.right as usize]) else {
            return Verdict::Yes;
        };
        let verdict = |holds: bool| if holds { Verdict::Yes } else { Verdict::No };
        if let (Comparison::Equal | Comparison::NotEqual, equal) = (self.comparison, same_bound(r, left, right)) {
            return match (equal, self.comparison) {
                (Verdict::Depends(waits), _) => Verdict::Depends(waits),
                (equal, comparison) => verdict(matches!(equal, Verdict::Yes) == (comparison == Comparison::Equal)),
            };
        }
        let (Bound::Term(left), Bound::Term(right)) = (left, right) else { return Verdict::No };
        let (left, right) = (*left, *right);
        match (r.peek_number(left), r.peek_number(right)) {
            (Some(left), Some(right)) => verdict(match self.comparison {
                Comparison::Equal => left == right,
                Comparison::NotEqual => left != right,
                Comparison::Less => left < right,
                Comparison::LessEqual => left <= right,
                Comparison::Greater => left > right,
                Comparison::GreaterEqual => left >= right,
            }),
            _ => Verdict::Depends(vec![left, right]),
        }
    }
}

fn same_bound(r: &dyn Facts, left: &Bound, right: &Bound) -> Verdict {
    let items = |bound: &Bound| match bound {
        Bound::Part(part) => Some(part.clone()),
        Bound::Term(term) => match r.peek(*term) {
            Term::Shape(dims) => Some(r.items(dims).to_vec()),
            _ => None,
        },
    };
    match (left, right) {
        (Bound::Term(left), Bound::Term(right)) => same_terms(r, vec![(*left, *right)]),
        _ => match (items(left), items(right)) {
            (Some(left), Some(right)) if left.len() == right.len() => same_terms(r, left.into_iter().zip(right).list()),
            (Some(_), Some(_)) => Verdict::No,
            _ => Verdict::Depends(
                [left, right]
                    .into_iter()
                    .filter_map(|bound| match bound {
                        Bound::Term(term) => Some(*term),
                        Bound::Part(_) => None,
                    })
                    .list(),
            ),
        },
    }
}

/// Whether terms are equal, pair by pair.
fn same_terms(r: &dyn Facts, mut pairs: Vec<(TermId, TermId)>) -> Verdict {
    let mut depends = Vec::new();
    while let Some((left, right)) = pairs.pop() {
        let (a, b) = (r.peek(left), r.peek(right));
        if r.same(left, right) {
            continue;
        }
        let lists = match (a, b) {
            (Term::Tensor { shape: s1, dtype: d1 }, Term::Tensor { shape: s2, dtype: d2 }) => {
                pairs.append_all([(s1, s2), (d1, d2)]);
                continue;
            }
            (Term::Ref(a), Term::Ref(b)) => {
                pairs.push((a, b));
                continue;
            }
            (Term::Func { params: p1, result: r1 }, Term::Func { params: p2, result: r2 }) => {
                pairs.push((r1, r2));
                (p1, p2)
            }
            (Term::Tuple(a), Term::Tuple(b)) | (Term::Shape(a), Term::Shape(b)) => (a, b),
            (Term::Adt { adt: d1, args: a }, Term::Adt { adt: d2, args: b }) if d1 == d2 => (a, b),
            (Term::Dtype(a), Term::Dtype(b)) if a == b => continue,
            (Term::Dim(a), Term::Dim(b)) => match (a.extent, b.extent) {
                (Extent::Number(a), Extent::Number(b)) if a == b => continue,
                (Extent::Number(_), Extent::Number(_)) => return Verdict::No,
                (Extent::Poly(a), Extent::Poly(b)) if a == b => continue,
                _ => {
                    depends.append_all([left, right]);
                    continue;
                }
            },
            _ if a.is_hole() || b.is_hole() || a.is_rigid() || b.is_rigid() => {
                depends.append_all([left, right]);
                continue;
            }
            (Term::Error(_), _) | (_, Term::Error(_)) => {
                depends.append_all([left, right]);
                continue;
            }
            _ => return Verdict::No,
        };
        let (a, b) = (r.items(lists.0), r.items(lists.1));
        if a.len() != b.len() {
            return Verdict::No;
        }
        pairs.append_all(a.iter().copied().zip(b.iter().copied()));
    }
    if depends.is_empty() { Verdict::Yes } else { Verdict::Depends(depends) }
}
