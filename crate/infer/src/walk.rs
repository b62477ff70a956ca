//! The walk over bodies in evaluation order: types are made, relations posted.

use crate::error::TypeError;
use crate::escape::Scopes;
use crate::group::{Member, groups};
use crate::rows::{Places, Step};
use crate::shared::Shared;
use crate::types::hole_kinds;
use crate::why::Why;
use crate::{Inferred, Opened};
use base::{Append, HashMap, HashSet, IndexVec, MapArray, ToList};
use hir::{CtorId, DefId, ExprId, ExprKind, FnId, LocalId, LocalOrigin, Module, PatId, PatKind, TypeExprId, Visit};
use op::TUPLE_GET_ITEM;
use solve::{Cause, Order, RelationId, Solver, Trace};
use std::sync::Arc;
use ty::{AttrValue, Attrs, Dtype, Kind, ParamId, Scheme, Term, TermId, Terms};

pub(crate) struct Inference<'m> {
    pub(crate) module: &'m Module,
    pub(crate) solver: Solver,
    pub(crate) exprs: IndexVec<ExprId, Option<TermId>>,
    pub(crate) locals: IndexVec<LocalId, Option<TermId>>,
    pub(crate) pats: IndexVec<PatId, Option<TermId>>,
    pub(crate) defs: IndexVec<DefId, Option<Arc<Scheme>>>,
    /// Types of the definitions of the group that is being checked.
    pub(crate) mono_defs: HashMap<DefId, TermId>,
    pub(crate) local_schemes: HashMap<LocalId, Scheme>,
    /// Annotations of variables, apart from all equations: numbers in them print as they were written.
    pub(crate) as_written: HashMap<LocalId, TermId>,
    pub(crate) whys: Vec<Why>,
    n_library_whys: usize,
    pub(crate) generated_params: Vec<(String, Kind)>,
    pub(crate) errors: Vec<TypeError>,
    /// What type arguments a mention of a polymorphic name was instantiated with.
    pub(crate) instances: HashMap<ExprId, Vec<TermId>>,
    ctors: IndexVec<CtorId, Option<Arc<Scheme>>>,
    /// Of functions that are not known yet, the type that their first call gave them.
    pub(crate) unknown_functions: HashMap<TermId, TermId>,
    opened: HashMap<ExprId, Opened>,
    pub(crate) handed: HashMap<ExprId, TermId>,
    /// Polymorphic `fn` literals.
    pub(crate) literals: HashMap<ExprId, Scheme>,
    pub(crate) hole_kinds: HashMap<TypeExprId, Kind>,
    /// Inside a definition with a `where` clause, what the clause makes of its parameters.
    pub(crate) assumed_params: HashMap<ParamId, TermId>,
    /// The same of those that have been checked.
    pub(crate) inside: HashMap<ParamId, TermId>,
    /// Where parameters mean something.
    pub(crate) scopes: Scopes,
    /// Waiting relations that follow from others that wait.
    pub(crate) implied: HashSet<RelationId>,
    /// Equations of one unknown that have been equated.
    pub(crate) equated: HashSet<(RelationId, RelationId)>,
    /// Broadcasts that have been equated with others.
    pub(crate) joined: HashSet<RelationId>,
    /// While a clause is assumed: the parameter that a root was made for.
    pub(crate) own_params: HashMap<TermId, ParamId>,
    /// The names of parameters that were made for the group that is being checked.
    pub(crate) group_names: Vec<String>,
    /// The relations that a `where` clause takes as true: they wait, or were equations of what is rigid.
    pub(crate) assumed: HashSet<RelationId>,
    /// What clauses are made of is below this in the store.
    pub(crate) assumed_until: usize,
    pub(crate) empty_shape: Option<TermId>,
    /// By the variable through which a function literal calls itself.
    own_functions: HashMap<LocalId, FnId>,
    /// Of the group that is being checked.
    pub(crate) places: Places,
    /// Of all groups.
    pub(crate) shared: Shared,
    /// Dims of arguments, each where its parameter has a `?`, of the group that is being checked.
    pub(crate) taken_as_any: Vec<(TermId, Cause)>,
    /// How many of the solver's failures have been reported.
    pub(crate) n_reported: usize,
}

fn own_functions(module: &Module) -> HashMap<LocalId, FnId> {
    let functions = module.functions.iter_enumerated().skip(module.start.functions);
    functions.filter_map(|(id, function)| Some((function.self_local?.0, id))).collect()
}

impl<'m> Inference<'m> {
    pub(crate) fn new(module: &'m Module, library: Option<&Inferred>, log: Trace, order: Order) -> Self {
        let mut solver = match library {
            Some(library) => library.solver.beginning(log),
            None => Solver::new(log),
        };
        let mut defs = IndexVec::filled(None, module.defs.len());
        let mut whys = Vec::new();
        if let Some(library) = library {
            debug_assert!(library.generated_params.is_empty(), "a library is annotated in full");
            library.defs.iter_enumerated().for_each(|(def, scheme)| defs[def] = scheme.clone());
            whys.clone_from(&library.whys);
        }
        let n_visits = module.visits.len() - module.start.visits;
        let n_parts = n_visits + module.type_exprs.len() - module.start.type_exprs;
        solver.reserve(n_parts);
        whys.reserve(n_parts);
        solver.order = order;
        solver.dynamics = module.has_any;
        Inference {
            module,
            solver,
            exprs: IndexVec::filled(None, module.exprs.len()),
            locals: IndexVec::filled(None, module.locals.len()),
            pats: IndexVec::filled(None, module.pats.len()),
            defs,
            mono_defs: HashMap::default(),
            local_schemes: HashMap::default(),
            as_written: HashMap::default(),
            n_library_whys: whys.len(),
            whys,
            generated_params: Vec::new(),
            errors: Vec::new(),
            instances: HashMap::default(),
            ctors: IndexVec::filled(None, module.ctors.len()),
            unknown_functions: HashMap::default(),
            opened: HashMap::default(),
            handed: HashMap::default(),
            literals: HashMap::default(),
            hole_kinds: hole_kinds(module),
            assumed_params: HashMap::default(),
            inside: HashMap::default(),
            own_functions: own_functions(module),
            scopes: Scopes::new(module),
            implied: HashSet::default(),
            equated: HashSet::default(),
            joined: HashSet::default(),
            own_params: HashMap::default(),
            group_names: Vec::new(),
            assumed: HashSet::default(),
            assumed_until: 0,
            empty_shape: None,
            places: Places::new(!module.variants.is_empty()),
            shared: Shared::new(module),
            taken_as_any: Vec::new(),
            n_reported: 0,
        }
    }

    pub(crate) fn run(mut self) -> (Inferred, Vec<TypeError>) {
        let mut began = Vec::new();
        let groups = groups(self.module);
        for group in &groups {
            let n_errors = self.errors.len();
            for part in self.parts(group.clone()) {
                began.push(self.solver.store.log.n_events());
                self.infer_group(&part);
            }
            if self.errors.len() == n_errors {
                self.check_uses_within(group);
            }
            let handed = self.scopes.take_handed();
            if self.errors.len() == n_errors {
                self.check_escapes(group, handed);
            }
        }
        // What is in a cell may be known by later groups alone.
        if self.errors.is_empty() {
            self.check_escapes(&groups.concat(), Vec::new());
            self.check_free();
        }
        self.finish_shared();
        let inferred = Inferred {
            solver: self.solver,
            exprs: self.exprs,
            locals: self.locals,
            pats: self.pats,
            defs: self.defs,
            local_schemes: self.local_schemes,
            as_written: self.as_written,
            inside: self.inside,
            instances: self.instances,
            opened: self.opened,
            handed: self.handed,
            groups: began,
            whys: self.whys,
            n_library_whys: self.n_library_whys,
            empty_shape: self.empty_shape,
            generated_params: self.generated_params,
        };
        (inferred, self.errors)
    }

    fn infer_group(&mut self, group: &[Member]) {
        let first_term = self.solver.store.len();
        let first_relation = self.solver.relations().len();
        let n_errors = self.errors.len();
        self.unknown_functions.clear();
        self.group_names.clear();
        self.declare(group);
        for &member in group {
            self.walk(member);
        }
        self.solver.solve();
        self.finish_group(group, first_term, first_relation, n_errors);
    }

    pub(crate) fn cause(&mut self, why: Why) -> Cause {
        self.whys.push(why);
        Cause(self.whys.len() as u32 - 1)
    }

    pub(crate) fn hole(&mut self, cause: Cause) -> TermId {
        self.solver.fresh(Term::hole(Kind::Type), cause)
    }

    pub(crate) fn error(&mut self, cause: Cause) -> TermId {
        self.solver.fresh(Term::Error(Kind::Type), cause)
    }

    /// Gives each definition of a group its type: the whole scheme where everything is written, else a type with
    /// unknowns, which is monomorphic inside the group.
    fn declare(&mut self, group: &[Member]) {
        for &member in group {
            let Member::Def(def) = member else { continue };
            let id = self.module.defs[def].function;
            let function = &self.module.functions[id];
            self.assume(member);
            let cause = self.cause(Why::Function(id));
            let params: Vec<TermId> = function.params.iter().map(|&param| self.local(param)).list();
            let result = match function.result {
                Some(result) => self.written(result),
                None => self.hole(cause),
            };
            let body = self.solver.func(&params, result, cause);
            if self.is_annotated(id) {
                self.defs[def] = Some(Arc::new(self.annotated_scheme(def, body, cause)));
            }
            self.mono_defs.insert(def, body);
        }
    }

    /// Whether every type of a function is written in full.
    pub(crate) fn is_annotated(&self, id: FnId) -> bool {
        let result = self.module.functions[id].result;
        self.has_written_params(id) && result.is_some_and(|written| self.is_complete(written))
    }

    /// Whether the types of its parameters are.
    pub(crate) fn has_written_params(&self, id: FnId) -> bool {
        let mut annotations =
            self.module.functions[id].params.iter().map(|&param| self.module.locals[param].annotation);
        annotations.all(|annotation| annotation.is_some_and(|written| self.is_complete(written)))
    }

    /// A function's type as its callers see it: what was written is as it was written, whatever `?` it has met inside.
    pub(crate) fn signature(&mut self, id: FnId, inside: TermId, cause: Cause) -> TermId {
        let Term::Func { params, result } = self.solver.head(inside) else { return inside };
        if !self.solver.dynamics {
            return inside;
        }
        let function = &self.module.functions[id];
        let mut types = self.solver.items(params).to_vec();
        for (term, &param) in types.iter_mut().zip(&function.params) {
            if let Some(annotation) = self.module.locals[param].annotation.filter(|&written| self.is_complete(written))
            {
                *term = self.written(annotation);
                self.as_written.insert(param, *term);
            }
        }
        let result = match function.result.filter(|&written| self.is_complete(written)) {
            Some(annotation) => self.written(annotation),
            None => result,
        };
        self.solver.func(&types, result, cause)
    }

    fn walk(&mut self, member: Member) {
        let id = member.function(self.module);
        let function = &self.module.functions[id];
        for i in function.visits.clone() {
            match self.module.visits[i] {
                Visit::Expr(expr) => {
                    let mut term = self.expr(expr);
                    // What is not a name is used at one type.
                    if let Term::Forall { first, n, body } = self.solver.head(term) {
                        let cause = self.cause(Why::Expr(expr));
                        let ty = term;
                        let args = self.solver.fresh_args(first, n, body, cause);
                        term = self.solver.open(first, body, &args, cause);
                        self.opened.insert(expr, Opened { ty, args });
                    }
                    self.exprs[expr] = Some(term);
                }
                Visit::Let(local, value) => self.visit_let(local, value),
                Visit::Pattern(scrutinee, pat) => self.pattern(pat, scrutinee),
            }
        }
        match member {
            Member::Def(def) => {
                let Term::Func { result, .. } = self.solver.head(self.mono_defs[&def]) else { return };
                let cause = self.cause(Why::Result(id));
                self.expect(result, function.body, cause);
            }
            Member::Let(local, _) => self.visit_let(local, function.body),
            Member::Expr(_) => {}
        }
    }

    pub(crate) fn type_of(&mut self, expr: ExprId) -> TermId {
        match self.exprs[expr] {
            Some(term) => term,
            None => {
                let cause = self.cause(Why::Expr(expr));
                let term = self.error(cause);
                *self.exprs[expr].insert(term)
            }
        }
    }

    /// The type of a variable, made at its first mention: its annotation, or an unknown.
    pub(crate) fn local(&mut self, local: LocalId) -> TermId {
        if let Some(term) = self.locals[local] {
            return term;
        }
        let term = match self.module.locals[local].annotation {
            Some(annotation) => {
                if self.solver.dynamics && self.is_complete(annotation) {
                    let apart = self.written(annotation);
                    self.as_written.insert(local, apart);
                }
                self.written(annotation)
            }
            None => {
                let cause = self.cause(Why::Variable(local));
                match self.own_functions.get(&local) {
                    Some(&function) => self.signature_so_far(function, cause),
                    None => self.hole(cause),
                }
            }
        };
        self.note_polymorphic(local, term);
        *self.locals[local].insert(term)
    }

    /// What is known of a literal's type before its body is: what is written, and how many parameters there are.
    fn signature_so_far(&mut self, function: FnId, cause: Cause) -> TermId {
        let function = &self.module.functions[function];
        let params: Vec<TermId> = function.params.iter().map(|&param| self.local(param)).list();
        let result = match function.result {
            Some(annotation) => self.written(annotation),
            None => self.hole(cause),
        };
        self.solver.func(&params, result, cause)
    }

    /// A variable whose type is written as a polymorphic one is a polymorphic name.
    fn note_polymorphic(&mut self, local: LocalId, term: TermId) {
        if let Term::Forall { first, n, body } = self.solver.head(term) {
            let params = (first.number()..first.number() + n).map(ParamId::numbered).list();
            self.local_schemes.insert(local, Scheme { params, body, obligations: Vec::new() });
        }
    }

    /// An expression where a polymorphic function is wanted, if one is: it must be a polymorphic name or a literal, in
    /// every branch. Otherwise a plain equation.
    pub(crate) fn expect(&mut self, expected: TermId, value: ExprId, cause: Cause) {
        let Term::Forall { body, .. } = self.solver.head(expected) else {
            let found = self.type_of(value);
            self.solver.equal(expected, found, cause);
            return;
        };
        let module = self.module;
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            let found = self.type_of(value);
            self.handed.insert(value, expected);
            let is_polymorphic = match &module.exprs[value].kind {
                ExprKind::Block { tail, .. } => {
                    pending.push(*tail);
                    continue;
                }
                ExprKind::If { then, otherwise, .. } => {
                    pending.append_all([*then, *otherwise]);
                    continue;
                }
                ExprKind::Match { arms, .. } => {
                    pending.append_all(arms.iter().map(|arm| arm.body));
                    continue;
                }
                // A name's mention is a use of its own, and so is a literal.
                ExprKind::Def(def) => {
                    let function = module.defs[*def].function;
                    self.bound_by(expected).into_iter().for_each(|param| self.scopes.declare(param, function));
                    true
                }
                ExprKind::Ctor(_) | ExprKind::Op(_) | ExprKind::Error => true,
                ExprKind::Fn(function) => {
                    self.hand(value, *function, expected);
                    true
                }
                ExprKind::Local(local, _) => self.local_schemes.contains_key(local),
                _ => self.opened.contains_key(&value),
            };
            if is_polymorphic {
                self.solver.equal(body, found, cause);
            } else {
                self.errors.push(TypeError::NotPolymorphic { value, expected, found });
            }
        }
    }

    fn visit_let(&mut self, local: LocalId, value: ExprId) {
        let found = self.type_of(value);
        if self.module.locals[local].annotation.is_some() || self.locals[local].is_some() {
            let expected = self.local(local);
            let cause = self.cause(Why::Let { local, value });
            self.expect(expected, value, cause);
        } else {
            self.locals[local] = Some(found);
            if let Some(scheme) = self.literals.get(&value) {
                self.local_schemes.insert(local, scheme.clone());
                if self.module.locals[local].origin == LocalOrigin::TopLevel {
                    return;
                }
                // Each use is another one: nobody asks what the literal by itself would be.
                let newest = (0..self.solver.relations().len()).rev().map(|at| RelationId::numbered(at as u32));
                let why = |id: &RelationId| self.whys[self.solver.relation(*id).cause.0 as usize];
                let own = newest.take_while(|id| matches!(why(id), Why::Expr(expr) if expr == value)).list();
                self.implied.extend(own);
            }
        }
    }

    fn expr(&mut self, id: ExprId) -> TermId {
        let module = self.module;
        let cause = self.cause(Why::Expr(id));
        match &module.exprs[id].kind {
            ExprKind::Error => self.error(cause),
            ExprKind::Literal(dtype, _) => self.scalar(*dtype, cause),
            ExprKind::TensorLit(tensor) => {
                let dims = tensor.shape.iter().map(|&size| Term::Dim(ty::Dim::number(size as i64)));
                let dims: Vec<TermId> = dims.map(|dim| self.solver.fresh(dim, cause)).list();
                let list = self.solver.store.list(&dims);
                let shape = self.solver.fresh(Term::Shape(list), cause);
                let dtype = self.solver.fresh(Term::Dtype(tensor.dtype), cause);
                self.solver.fresh(Term::Tensor { shape, dtype }, cause)
            }
            ExprKind::Local(local, _) => match self.local_schemes.get(local).cloned() {
                Some(scheme) => self.instance(id, &scheme, cause),
                None => self.local(*local),
            },
            ExprKind::Def(def) => match (self.defs[*def].clone(), self.mono_defs.get(def)) {
                (Some(scheme), _) => self.instance(id, &scheme, cause),
                (None, Some(&term)) => term,
                (None, None) => self.error(cause),
            },
            ExprKind::Ctor(ctor) => {
                let scheme = self.ctor(*ctor);
                self.instance(id, &scheme, cause)
            }
            ExprKind::Op(op) => self.operator_value(id, *op, cause),
            ExprKind::OpCall { op, args, attrs, .. } => self.operator_call(id, *op, args, attrs, cause),
            ExprKind::Call { callee, type_args, args } => self.call(id, *callee, type_args.as_deref(), args, cause),
            ExprKind::Tuple(fields) => {
                let fields: Vec<TermId> = fields.iter().map(|&field| self.type_of(field)).list();
                self.solver.tuple(&fields, cause)
            }
            ExprKind::Variant(name, fields) => {
                let fields: Vec<TermId> = fields.iter().map(|&field| self.type_of(field)).list();
                self.open_sum(*name, &fields, cause)
            }
            ExprKind::Project { base, index } => self.project(*base, *index, cause),
            ExprKind::If { cond, then, otherwise } => {
                let [cond, then, otherwise] = [*cond, *then, *otherwise].each(|part| self.type_of(part));
                let condition = self.cause(Why::Condition(id));
                let bool = self.scalar(Dtype::Bool, condition);
                self.solver.equal(bool, cond, condition);
                let branches = self.cause(Why::Branches(id));
                self.solver.equal(then, otherwise, branches);
                then
            }
            ExprKind::Match { arms, .. } => {
                let bodies: Vec<TermId> = arms.iter().map(|arm| self.type_of(arm.body)).list();
                let Some((&first, rest)) = bodies.split_first() else { return self.hole(cause) };
                for (i, &body) in rest.iter().enumerate() {
                    let arm = self.cause(Why::Arm { matching: id, index: i + 1 });
                    self.solver.equal(first, body, arm);
                }
                first
            }
            ExprKind::Block { tail, .. } => self.type_of(*tail),
            ExprKind::Fn(function) => {
                let body = self.function(*function, cause);
                let params = module.functions[*function].type_params.clone();
                if params.is_empty() {
                    return body;
                }
                // What the literal leaves open is found as far as it can be before it is instantiated.
                self.solver.solve();
                let scheme = Scheme { params, body, obligations: Vec::new() };
                self.literals.insert(id, scheme.clone());
                self.instance(id, &scheme, cause)
            }
            ExprKind::RefNew(value) => {
                let value = self.type_of(*value);
                self.solver.fresh(Term::Ref(value), cause)
            }
            ExprKind::RefRead(reference) => {
                let found = self.type_of(*reference);
                let value = self.hole(cause);
                let expected = self.solver.fresh(Term::Ref(value), cause);
                self.solver.equal(expected, found, cause);
                value
            }
            ExprKind::RefWrite { reference, value } => {
                let (found, value) = (self.type_of(*reference), self.type_of(*value));
                match self.solver.head(found) {
                    Term::Ref(content) => self.solver.equal(content, value, cause),
                    _ => {
                        let content = self.hole(cause);
                        let expected = self.solver.fresh(Term::Ref(content), cause);
                        self.solver.equal(expected, found, cause);
                        self.solver.equal(content, value, cause)
                    }
                };
                self.solver.tuple(&[], cause)
            }
        }
    }

    /// A use of a polymorphic name.
    fn instance(&mut self, id: ExprId, scheme: &Scheme, cause: Cause) -> TermId {
        if scheme.is_mono() && !self.solver.dynamics {
            return scheme.body;
        }
        let args: Vec<TermId> = scheme
            .params
            .iter()
            .map(|&param| {
                let kind = self.param_kind(param);
                self.solver.fresh(Term::hole(kind), cause)
            })
            .list();
        let body = self.solver.instantiate(scheme, &args, cause);
        if !args.is_empty() {
            self.instances.insert(id, args);
        }
        body
    }

    pub(crate) fn param_kind(&self, param: ParamId) -> Kind {
        match (param.number() as usize).checked_sub(self.module.type_params.len()) {
            Some(generated) => self.generated_params[generated].1,
            None => self.module.type_params[param].kind,
        }
    }

    /// `fn[params](fields) -> T[params]`.
    fn ctor(&mut self, ctor: CtorId) -> Arc<Scheme> {
        if let Some(scheme) = &self.ctors[ctor] {
            return scheme.clone();
        }
        let data = &self.module.ctors[ctor];
        let adt = &self.module.adts[data.adt];
        let fields: Vec<TermId> = data.fields.iter().map(|&field| self.written(field)).list();
        let cause = match data.fields.first() {
            Some(&field) => self.cause(Why::Written(field)),
            None => self.cause(Why::Constructor(ctor)),
        };
        let args: Vec<TermId> = adt
            .params
            .iter()
            .map(|&param| self.solver.fresh(Term::param(param, self.module.type_params[param].kind), cause))
            .list();
        let args = self.solver.store.list(&args);
        let result = self.solver.fresh(Term::Adt { adt: data.adt, args }, cause);
        let body = self.solver.func(&fields, result, cause);
        let scheme = Scheme { params: adt.params.clone(), body, obligations: Vec::new() };
        self.ctors[ctor].insert(Arc::new(scheme)).clone()
    }

    fn project(&mut self, base: ExprId, index: u32, cause: Cause) -> TermId {
        let base = self.type_of(base);
        if let Term::Tuple(fields) = self.solver.head(base)
            && let Some(&field) = self.solver.items(fields).get(index as usize)
        {
            return field;
        }
        let result = self.hole(cause);
        let attrs = Attrs { entries: vec![("index", AttrValue::Int(i64::from(index)))], written: vec![true] };
        self.solver.post(&TUPLE_GET_ITEM, &[base, result], Arc::new(attrs), cause);
        result
    }

    fn function(&mut self, id: FnId, cause: Cause) -> TermId {
        let function = &self.module.functions[id];
        let params: Vec<TermId> = function.params.iter().map(|&param| self.local(param)).list();
        let body = self.type_of(function.body);
        let result = match function.result {
            Some(annotation) => {
                let declared = self.written(annotation);
                let why = self.cause(Why::Result(id));
                self.expect(declared, function.body, why);
                declared
            }
            None => body,
        };
        self.solver.func(&params, result, cause)
    }

    /// Types a pattern from the outside in.
    fn pattern(&mut self, pat: PatId, scrutinee: ExprId) {
        let module = self.module;
        let has_sums = self.has_sums();
        let term = self.type_of(scrutinee);
        let root = self.places.root(scrutinee, term);
        let mut refined = Vec::new();
        let mut pending = vec![(pat, term, root)];
        while let Some((id, expected, place)) = pending.pop() {
            self.pats[id] = Some(expected);
            match &module.pats[id].kind {
                PatKind::Error | PatKind::Wild => self.places.catch_all(place),
                PatKind::Var(local) => {
                    self.places.catch_all(place);
                    self.pattern_variable(*local, expected);
                }
                PatKind::As(inner, local) => {
                    if has_sums && self.may_be_copied(expected) {
                        refined.push((*inner, *local));
                    } else {
                        self.pattern_variable(*local, expected);
                    }
                    pending.push((*inner, expected, place));
                }
                PatKind::Or(alternatives) => {
                    pending.append_all(alternatives.iter().rev().map(|&alternative| (alternative, expected, place)));
                }
                PatKind::Ctor(ctor, fields) => {
                    let scheme = self.ctor(*ctor);
                    let cause = self.cause(Why::Pattern(id));
                    let args: Vec<TermId> = scheme
                        .params
                        .iter()
                        .map(|&param| self.solver.fresh(Term::hole(module.type_params[param].kind), cause))
                        .list();
                    let func = self.solver.instantiate(&scheme, &args, cause);
                    let Term::Func { params, result } = self.solver.head(func) else { continue };
                    self.solver.equal(expected, result, cause);
                    let mut params = self.solver.items(params).to_vec();
                    let (want, found) = (params.len(), fields.len());
                    if want != found {
                        self.errors.push(TypeError::PatternArity { pat: id, ctor: *ctor, want, found });
                        // Which field is which, nobody knows.
                        params = base::filled(self.error(cause), found);
                    }
                    for (i, (&field, param)) in fields.iter().zip(params).enumerate() {
                        pending.push((field, param, self.places.field(place, Step::Ctor(*ctor, i), param)));
                    }
                }
                PatKind::Variant(name, fields) => {
                    self.places.take_apart(place);
                    let types = self.known_variant(expected, *name, fields.len()).unwrap_or_else(|| {
                        let cause = self.cause(Why::Pattern(id));
                        let holes: Vec<TermId> = fields.iter().map(|_| self.hole(cause)).list();
                        let sum = self.open_sum(*name, &holes, cause);
                        self.solver.equal(expected, sum, cause);
                        holes
                    });
                    for (i, (&field, term)) in fields.iter().zip(types).enumerate() {
                        pending.push((field, term, self.places.field(place, Step::Variant(*name, i), term)));
                    }
                }
                PatKind::Tuple(fields) => {
                    let known = match self.solver.head(expected) {
                        Term::Tuple(known) if known.len as usize == fields.len() => {
                            Some(self.solver.items(known).to_vec())
                        }
                        _ => None,
                    };
                    let types = known.unwrap_or_else(|| {
                        let cause = self.cause(Why::Pattern(id));
                        let holes: Vec<TermId> = fields.iter().map(|_| self.hole(cause)).list();
                        let tuple = self.solver.tuple(&holes, cause);
                        self.solver.equal(expected, tuple, cause);
                        holes
                    });
                    for (i, (&field, term)) in fields.iter().zip(types).enumerate() {
                        pending.push((field, term, self.places.field(place, Step::Tuple(i), term)));
                    }
                }
                PatKind::Literal(dtype, _) => {
                    let cause = self.cause(Why::Pattern(id));
                    let scalar = self.scalar(*dtype, cause);
                    self.solver.equal(expected, scalar, cause);
                }
            }
        }
        self.places.cover(module, pat, root);
        for (inner, local) in refined {
            let copy = self.refined(inner, local);
            self.pattern_variable(local, copy);
        }
    }

    /// Whether `as` gives a type of its own to what may be of this type.
    fn may_be_copied(&self, term: TermId) -> bool {
        matches!(self.solver.head(term), Term::Hole(_) | Term::Sum(_) | Term::Tuple(_))
    }

    fn pattern_variable(&mut self, local: LocalId, expected: TermId) {
        if self.module.locals[local].annotation.is_none() && self.locals[local].is_none() {
            self.locals[local] = Some(expected);
            self.note_polymorphic(local, expected);
            return;
        }
        let declared = self.local(local);
        let cause = self.cause(Why::PatternVariable(local));
        self.solver.equal(declared, expected, cause);
    }
}
