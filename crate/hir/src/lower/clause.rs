//! Clauses of written relations, from their types and goals.
//!
//! What a pattern cannot match, such as arithmetic, becomes a variable there and an equation in the body. An `if`
//! becomes a relation of its own, with the same name, of all variables of the clause's patterns, of both sides of its
//! condition and of its value; it has a guarded clause for each branch, whose variables are these arguments.

use super::Lowering;
use super::relation::{Callee, ClauseSource, GoalId, GoalSource};
use crate::data::{TypeExprId, TypeExprKind};
use crate::error::HirError;
use base::{HashMap, ToList};
use ty::{Clause, Comparison, Dtype, Goal, Guard, Kind, Node, NodeId, Origin, ParamId, Written};

/// The relations of clauses whose kinds are known; the first are those that have a name of their own.
pub(super) fn build(cx: &mut Lowering, sources: &[ClauseSource]) -> Vec<Written> {
    let mut names = base::filled(String::new(), cx.relations.kinds.len());
    for (name, &index) in &cx.relations.by_name {
        names[index].clone_from(name);
    }
    let written = cx.relations.kinds.iter().zip(names).map(|(kinds, name)| {
        let kinds: Vec<Kind> = kinds.iter().map(|kind| kind.unwrap_or(Kind::Type)).list();
        Written {
            name,
            n_outputs: usize::from(kinds.len() > 1),
            kinds,
            clauses: Vec::new(),
            is_broken: false,
            origin: None,
        }
    });
    let relations = written.list();
    let mut builder = Builder {
        cx,
        relations,
        branches: Vec::new(),
        clause: Clause::default(),
        places: HashMap::default(),
        building: 0,
        n_inputs: 0,
        own: 0..0,
    };
    for source in sources {
        builder.clause(source);
    }
    for &broken in &builder.cx.relations.broken {
        builder.relations[broken].is_broken = true;
    }
    let mut relations = builder.relations;
    // Nor does one that asks a broken one say more.
    let mut is_new = relations.iter().any(|relation| relation.is_broken);
    while is_new {
        is_new = false;
        for at in 0..relations.len() {
            if !relations[at].is_broken && asks_broken(&relations[at], &relations) {
                (relations[at].is_broken, is_new) = (true, true);
            }
        }
    }
    relations
}

fn asks_broken(relation: &Written, all: &[Written]) -> bool {
    let mut goals = relation.clauses.iter().flat_map(|clause| &clause.body);
    goals.any(|goal| matches!(goal, Goal::Written { relation, .. } if all[*relation].is_broken))
}

/// The rest of a clause of an `if`.
struct Branch {
    relation: usize,
    comparison: Comparison,
    then: Then,
}

enum Then {
    Goals(Vec<GoalId>),
    Value(TypeExprId),
}

struct Builder<'a, 't> {
    cx: &'a mut Lowering<'t>,
    relations: Vec<Written>,
    /// Still to be built.
    branches: Vec<Branch>,
    /// The clause that is being built, and its variables by parameter.
    clause: Clause,
    places: HashMap<ParamId, u32>,
    /// Which clause of its relation is being built, and how many variables its inputs have, which are the first.
    building: usize,
    n_inputs: usize,
    /// The variables of that clause, among those of the one that is being built, which is its own or a branch of it.
    own: std::ops::Range<usize>,
}

/// What stands for a part that has no node of its own.
type Replaced = Vec<(u32, TypeExprId)>;

impl Builder<'_, '_> {
    fn clause(&mut self, source: &ClauseSource) {
        self.cx.relations.building = source.relation;
        let params = &self.cx.module.type_params;
        let variables = source.variables.iter().map(|&param| params[param].kind).list();
        self.places = source.variables.iter().copied().zip(0..).collect();
        self.clause = Clause { variables, ..Clause::default() };
        let mut equations = Replaced::new();
        for &pattern in &source.head {
            let node = self.node(pattern, Some(&mut equations), &mut Replaced::new());
            self.clause.head.push(node);
        }
        self.building = self.relations[source.relation].clauses.len();
        self.n_inputs = self.n_inputs(&source.head);
        self.own = 0..self.clause.variables.len();
        for (variable, term) in equations {
            let left = self.push(Node::Variable(variable));
            let right = self.term(term);
            self.clause.body.push(Goal::Equal(left, right));
        }
        self.goals(&source.goals);
        let clause = std::mem::take(&mut self.clause);
        self.relations[source.relation].clauses.push(clause);
        if self.branches.is_empty() {
            return;
        }
        // What is compared comes before them.
        self.own = 2..self.own.len() + 2;
        self.places.values_mut().for_each(|place| *place += 2);
        while let Some(branch) = self.branches.pop() {
            self.branch(branch);
        }
    }

    /// How many variables the patterns of the inputs have; they are mentioned first.
    fn n_inputs(&self, head: &[TypeExprId]) -> usize {
        let mut n = 0;
        let mut pending = head[..head.len() - usize::from(head.len() > 1)].to_vec();
        while let Some(id) = pending.pop() {
            let kind = &self.cx.module.type_exprs[id].kind;
            if let TypeExprKind::Param(param) = kind {
                n = n.max(self.places.get(param).map_or(0, |&place| place as usize + 1));
            }
            kind.for_parts(|part| pending.push(part));
        }
        n
    }

    fn branch(&mut self, branch: Branch) {
        let Branch { relation, comparison, then } = branch;
        let variables = self.relations[relation].kinds.clone();
        let n_variables = variables.len() as u32;
        self.clause = Clause { variables, ..Clause::default() };
        for variable in 0..n_variables {
            let node = self.push(Node::Variable(variable));
            self.clause.head.push(node);
        }
        self.clause.guard = Some(Guard { comparison, left: 0, right: 1 });
        match then {
            Then::Goals(goals) => self.goals(&goals),
            Then::Value(term) => {
                let left = self.push(Node::Variable(n_variables - 1));
                let right = self.term(term);
                self.clause.body.push(Goal::Equal(left, right));
            }
        }
        let clause = std::mem::take(&mut self.clause);
        self.relations[relation].clauses.push(clause);
    }

    fn goals(&mut self, goals: &[GoalId]) {
        for &goal in goals {
            match self.cx.goal(goal).clone() {
                GoalSource::Never(_) => self.clause.body.push(Goal::Never),
                GoalSource::Equal(left, right, _) => {
                    let (left, right) = (self.term(left), self.term(right));
                    self.clause.body.push(Goal::Equal(left, right));
                }
                GoalSource::Call(call) => {
                    let Some((callee, args, attrs)) = self.cx.resolve_call(call) else { continue };
                    let args: Vec<NodeId> = args.into_iter().map(|arg| self.term(arg)).list();
                    self.clause.body.push(match callee {
                        Callee::Builtin(relation) => Goal::Builtin { relation, args, attrs },
                        Callee::Written(relation) => Goal::Written { relation, args },
                    });
                }
                GoalSource::If { condition, then, otherwise, .. } => {
                    self.lift(condition, [Then::Goals(then), Then::Goals(otherwise)], None);
                }
            }
        }
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.clause.nodes.push(node);
        NodeId::numbered(self.clause.nodes.len() as u32 - 1)
    }

    fn variable(&mut self, kind: Kind) -> u32 {
        self.clause.variables.push(kind);
        self.clause.variables.len() as u32 - 1
    }

    /// The node of a term; its `if`s are called before it is used.
    fn term(&mut self, id: TypeExprId) -> NodeId {
        let mut ifs = Replaced::new();
        let node = self.node(id, None, &mut ifs);
        for (variable, id) in ifs {
            if let TypeExprKind::If { comparison, left, right, then, otherwise } = self.cx.module.type_exprs[id].kind {
                let branches = [Then::Value(then), Then::Value(otherwise)];
                self.lift((comparison, left, right), branches, Some(variable));
            }
        }
        node
    }

    /// Puts a call in the place of an `if`: of what it compares and the inputs of the relation that it stands in, which
    /// determine all other variables and the value.
    fn lift(
        &mut self,
        (comparison, left, right): (Comparison, TypeExprId, TypeExprId),
        [then, otherwise]: [Then; 2],
        value: Option<u32>,
    ) {
        let mut kinds = vec![self.cx.place_kind(left), self.cx.place_kind(right)];
        let mut args = vec![self.term(left), self.term(right)];
        for variable in self.own.clone().map(|variable| variable as u32).chain(value) {
            kinds.push(self.clause.variables[variable as usize]);
            args.push(self.push(Node::Variable(variable)));
        }
        let relation = self.relations.len();
        let n_outputs = args.len() - 2 - self.n_inputs;
        self.clause.body.push(Goal::Written { relation, args });
        let of = self.cx.relations.building;
        let origin = Origin { relation: of, clause: self.building, variables: 2..2 + self.own.len() };
        self.relations.push(Written {
            name: self.relations[of].name.clone(),
            kinds,
            n_outputs,
            clauses: Vec::new(),
            is_broken: false,
            origin: Some(origin),
        });
        for (comparison, then) in [(comparison, then), (comparison.negated(), otherwise)] {
            self.branches.push(Branch { relation, comparison, then });
        }
    }

    /// The node of a pattern or term. In a pattern, what cannot be matched is replaced and noted in `equations`; in a
    /// term, an `if` is replaced and noted in `ifs`. Parts come before what they are parts of.
    fn node(&mut self, root: TypeExprId, mut equations: Option<&mut Replaced>, ifs: &mut Replaced) -> NodeId {
        let mut made: HashMap<TypeExprId, NodeId> = HashMap::default();
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if made.contains_key(&id) {
                stack.pop();
                continue;
            }
            let kind = self.cx.module.type_exprs[id].kind.clone();
            let replaced = match (&kind, &mut equations) {
                (TypeExprKind::Apply { .. } | TypeExprKind::Any | TypeExprKind::If { .. }, Some(equations)) => {
                    Some(&mut **equations)
                }
                (TypeExprKind::If { .. }, None) => Some(&mut *ifs),
                _ => None,
            };
            if let Some(replaced) = replaced {
                let variable = self.cx.place_kind(id);
                self.clause.variables.push(variable);
                let variable = self.clause.variables.len() as u32 - 1;
                replaced.push((variable, id));
                let node = self.push(Node::Variable(variable));
                made.insert(id, node);
                continue;
            }
            let from = stack.len();
            kind.for_parts(|part| {
                if !made.contains_key(&part) {
                    stack.push(part);
                }
            });
            if stack.len() == from {
                let node = self.one(id, &kind, &made);
                made.insert(id, node);
            }
        }
        made[&root]
    }

    fn one(&mut self, id: TypeExprId, kind: &TypeExprKind, made: &HashMap<TypeExprId, NodeId>) -> NodeId {
        let all = |ids: &[TypeExprId]| ids.iter().map(|id| made[id]).list();
        let node = match kind {
            TypeExprKind::Error | TypeExprKind::Hole => Node::Wild(self.hole_kind(id)),
            TypeExprKind::Tensor { shape, dtype } => Node::Tensor { shape: made[shape], dtype: made[dtype] },
            TypeExprKind::Scalar(dtype) => return self.scalar(*dtype),
            TypeExprKind::Dtype(dtype) => Node::Dtype(*dtype),
            TypeExprKind::Tuple(fields) => Node::Tuple(all(fields)),
            TypeExprKind::Func { params, result, .. } => Node::Func { params: all(params), result: made[result] },
            TypeExprKind::Ref(inner) => Node::Ref(made[inner]),
            TypeExprKind::Sum { .. } => {
                let span = self.cx.module.type_exprs[id].span;
                self.cx.errors.push(HirError::NotYet { what: "an anonymous sum in a relation", span });
                Node::Wild(Kind::Type)
            }
            TypeExprKind::RowOf(_) => Node::Wild(Kind::Row),
            TypeExprKind::Adt { adt, args } => Node::Adt { adt: *adt, args: all(args) },
            TypeExprKind::Param(param) => match self.places.get(param) {
                Some(&variable) => Node::Variable(variable),
                None => Node::Wild(self.cx.module.type_params[*param].kind),
            },
            TypeExprKind::Shape(items) => Node::Shape(all(items)),
            TypeExprKind::Splice(inner) => return made[inner],
            TypeExprKind::Apply { function, args } => Node::Apply(function.clone(), all(args)),
            TypeExprKind::If { .. } => Node::Variable(self.variable(Kind::Dim)),
            TypeExprKind::Dim(number) => Node::Number(*number),
            TypeExprKind::Any => Node::Any,
        };
        self.push(node)
    }

    fn scalar(&mut self, dtype: Dtype) -> NodeId {
        let shape = self.push(Node::Shape(Vec::new()));
        let dtype = self.push(Node::Dtype(dtype));
        self.push(Node::Tensor { shape, dtype })
    }

    /// The kind of a `_`, by the place it stands in.
    fn hole_kind(&self, id: TypeExprId) -> Kind {
        let exprs = &self.cx.module.type_exprs;
        // A part has a smaller number than what it is a part of, and stands close before it.
        let around = exprs.iter().skip(id.number() as usize + 1);
        { around }
            .find_map(|around| match &around.kind {
                TypeExprKind::Tensor { shape, .. } if *shape == id => Some(Kind::Shape),
                TypeExprKind::Tensor { dtype, .. } if *dtype == id => Some(Kind::BaseType),
                TypeExprKind::Shape(items) if items.contains(&id) => Some(Kind::Dim),
                TypeExprKind::Splice(inner) if *inner == id => Some(Kind::Shape),
                TypeExprKind::Apply { function, args } if args.contains(&id) => Some(function.argument_kind()),
                _ => None,
            })
            .unwrap_or(Kind::Type)
    }
}
