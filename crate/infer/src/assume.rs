//! Written `where` clauses: assumptions in the body, obligations at each call (the rules Type-Func-Def and Type-Call of
//! the paper that [the crate](crate) names).
//!
//! In the body, what a clause says of the parameters is taken as known: they are made unknowns, the relations run on
//! them, and whatever is still unknown then becomes rigid. A relation that still waits is an assumption: one of the
//! body with the same inputs has its outputs.
//!
//! Worked example: `def @flatten(%x: A) -> B where Flatten(A, B)`, whose only clause is
//! `Flatten(Tensor[sh, bt], O) :- O = Tensor[(sh[0], prod(sh[1:])), bt].` Inside, `A` is `Tensor[S, T]` and `B` is
//! `Tensor[(S[0], prod(S[1:])), T]`, with rigid `S` and `T`; callers see `fn[A, B](A) -> B where Flatten(A, B)`.

use crate::group::Member;
use crate::walk::Inference;
use crate::why::Why;
use base::{Append, Edited, ToList};
use hir::{DefId, FnId, TypeExprId, TypeExprKind};
use solve::{Cause, Copier, EQUAL, RelationId, State};
use ty::{Attrs, DIVIDES, Dim, Extent, FUNCTION, Function, Obligation, ParamId, Scheme, Term, TermId, Terms};

impl Inference<'_> {
    /// Takes a definition's `where` clause as true in its body.
    pub(crate) fn assume(&mut self, member: Member) {
        let id = member.function(self.module);
        let module = self.module;
        let wheres = &module.functions[id].wheres;
        if wheres.is_empty() {
            return;
        }
        let first_relation = self.solver.relations().len();
        let cause = self.cause(Why::Where { function: id, index: 0 });
        for param in self.params_in(wheres.iter().flat_map(|clause| &clause.args).copied()) {
            if module.functions[id].type_params.contains(&param) {
                let unknown = self.solver.fresh(Term::hole(module.type_params[param].kind), cause);
                self.assumed_params.insert(param, unknown);
            }
        }
        let mut args: Vec<TermId> = Vec::new();
        for (index, clause) in wheres.iter().enumerate() {
            let cause = self.cause(Why::Where { function: id, index });
            let terms: Vec<TermId> = clause.args.iter().map(|&arg| self.written(arg)).list();
            match &clause.relation {
                None => self.solver.equal(terms[0], terms[1], cause),
                Some(relation) => self.solver.post(relation.assume(), &terms, clause.attrs.clone(), cause),
            };
            args.append_all(terms);
        }
        args.append_all(
            module.functions[id].type_params.iter().filter_map(|param| self.assumed_params.get(param)).copied(),
        );
        self.solver.solve();
        // What the clause makes equal is one before it is rigid.
        self.merge_equal_relations(&[member], first_relation);
        let equations = self.take_equations(first_relation, cause);
        // What the clause asks of parts that become rigid is assumed, too.
        let n_failures = self.solver.failures.len();
        self.make_rigid(member, &args, cause);
        // Callers owe it none the less.
        let owed = self.solver.failures.split_off(n_failures).into_iter().map(|failure| failure.relation);
        self.assumed.extend(owed.filter(|id| id.number() as usize >= first_relation));
        for &equation in &equations {
            self.assume_equation(equation);
        }
        self.assumed.extend(equations);
        let ids = (first_relation..self.solver.relations().len()).map(|i| RelationId::numbered(i as u32));
        let waits = |&id: &RelationId| matches!(self.solver.relation(id).state, State::Waiting(_));
        let waiting: Vec<RelationId> = ids.filter(waits).list();
        for &id in &waiting {
            self.assume_multiple(id);
        }
        self.assumed.extend(waiting);
        self.assumed_until = self.solver.store.len();
    }

    /// Where 2 divides `N`, `floordiv(N, 2) * 2` is `N`.
    fn assume_multiple(&mut self, id: RelationId) {
        let posted = self.solver.relation(id);
        let (relation, cause) = (&posted.relation, posted.cause);
        let [number, dim] = posted.args[..] else { return };
        let Term::Dim(Dim { extent: Extent::Number(by @ 1..), .. }) = self.solver.head(number) else { return };
        if !relation.is(&DIVIDES) {
            return;
        }
        let quotient = self.solver.value(&Function::FloorDiv, &[dim, number], cause);
        let poly = |id: TermId| match self.solver.head(id) {
            Term::Dim(dim) => self.solver.dim_poly(dim),
            _ => None,
        };
        let zero = quotient.and_then(poly).and_then(|quotient| quotient.scaled(by)?.minus(&poly(dim)?));
        self.solver.zeros.append_all(zero);
    }

    /// Takes out the waiting equations that define nothing: they are facts about what becomes rigid.
    fn take_equations(&mut self, first_relation: usize, cause: Cause) -> Vec<RelationId> {
        let mut defined: Vec<TermId> = Vec::new();
        let mut ids = Vec::new();
        for id in (first_relation..self.solver.relations().len()).map(|i| RelationId::numbered(i as u32)) {
            let posted = self.solver.relation(id);
            let waits = matches!(posted.state, State::Waiting(_)) && posted.relation.is(&FUNCTION);
            let Some(&result) = posted.args.last().filter(|_| waits) else { continue };
            let results = self.defined_by(result);
            if !results.is_empty() && !results.iter().any(|result| defined.contains(result)) {
                defined.append_all(results);
            } else {
                ids.push(id);
            }
        }
        if !ids.is_empty() {
            self.solver.quantify(&ids, &[], cause);
        }
        ids
    }

    /// Both sides of an equation of rigid dims are equal.
    fn assume_equation(&mut self, id: RelationId) {
        let posted = self.solver.relation(id).clone();
        let Some((&result, args)) = posted.args.split_last() else { return };
        let Some(function) = Function::of(&posted.attrs) else { return };
        let Some(value) = self.solver.value(function, args, posted.cause) else { return };
        if let (Term::Dim(left), Term::Dim(right)) = (self.solver.head(value), self.solver.head(result))
            && let (Some(left), Some(right)) = (self.solver.dim_poly(left), self.solver.dim_poly(right))
            && let Some(difference) = left.minus(&right)
        {
            self.solver.zeros.push(difference);
        }
    }

    /// Makes what is unknown in terms rigid, in order; what follows from it is found before the next.
    fn make_rigid(&mut self, member: Member, terms: &[TermId], cause: Cause) {
        for (param, unknown) in self.assumed_params.clone() {
            // A parameter of which nothing was learned stands for itself, in its turn.
            self.own_params.insert(self.solver.root(unknown), param);
        }
        for &term in terms {
            while let Some(&hole) = self.solver.holes(&[term]).first() {
                let hole = self.undefined(hole);
                let own = self.own_params.get(&hole).copied();
                let param = match own {
                    Some(param) => param,
                    None => {
                        let Some(&(_, param)) = self.name_params(&[member], &[hole]).first() else { break };
                        self.scopes.declare(param, member.function(self.module));
                        param
                    }
                };
                self.solver.quantify(&[], &[(hole, param)], cause);
                self.solver.solve();
            }
        }
        self.own_params.clear();
    }

    /// An unknown on which another depends that a waiting equation defines; itself if none does.
    fn undefined(&self, mut hole: TermId) -> TermId {
        let mut met = vec![hole];
        loop {
            let mut equations = self.solver.relations().iter().filter(|posted| {
                let defines = |&result: &TermId| self.defined_by(result).contains(&hole);
                let waits = matches!(posted.state, State::Waiting(_)) && posted.relation.is(&FUNCTION);
                waits && posted.args.last().is_some_and(defines)
            });
            let Some(inputs) = equations.next().map(|posted| &posted.args[..posted.n_inputs()]) else { return hole };
            match self.solver.holes(inputs).into_iter().find(|input| !met.contains(input)) {
                Some(input) => hole = input,
                None => return hole,
            }
            met.push(hole);
        }
    }

    /// The parameters in written types, each once.
    fn params_in(&self, roots: impl Iterator<Item = TypeExprId>) -> Vec<ParamId> {
        let mut found = Vec::new();
        let mut pending: Vec<TypeExprId> = roots.list();
        pending.reverse();
        while let Some(id) = pending.pop() {
            let kind = &self.module.type_exprs[id].kind;
            if let TypeExprKind::Param(param) = kind
                && !found.contains(param)
            {
                found.push(*param);
            }
            kind.for_parts(|part| pending.push(part));
        }
        found
    }

    /// The scheme of a function that is annotated in full, as it was written.
    pub(crate) fn annotated_scheme(&mut self, def: DefId, inside: TermId, cause: Cause) -> Scheme {
        let module = self.module;
        let id = module.defs[def].function;
        let function = &module.functions[id];
        if function.wheres.is_empty() {
            let body = self.signature(id, inside, cause);
            return Scheme { params: function.type_params.clone(), body, obligations: Vec::new() };
        }
        self.scheme_with_clause(def, inside, cause)
    }

    /// That of a function of which all is written but its result, if that is made of its own parameters.
    pub(crate) fn scheme_with_result(&mut self, def: DefId, inside: TermId, cause: Cause) -> Option<Scheme> {
        let module = self.module;
        let id = module.defs[def].function;
        let function = &module.functions[id];
        let Term::Func { result, .. } = self.solver.head(inside) else { return None };
        if function.wheres.is_empty() || function.result.is_some() || !self.has_written_params(id) {
            return None;
        }
        let is_own = |&root: &TermId| match self.solver.head(root) {
            Term::Param(param, _) | Term::Dim(Dim { extent: Extent::Param(param), .. }) => {
                function.type_params.contains(&param)
            }
            _ => false,
        };
        if !self.solver.roots_where(&[result], Term::is_rigid).iter().all(is_own) {
            return None;
        }
        let result = self.as_parameters(id, &[result], cause)[0];
        Some(self.scheme_with_clause(def, result, cause))
    }

    /// The parameters, the result, which is `inside` where none is written, and the clause, as they were written.
    fn scheme_with_clause(&mut self, def: DefId, inside: TermId, cause: Cause) -> Scheme {
        let module = self.module;
        let function = &module.functions[module.defs[def].function];
        let assumed = std::mem::take(&mut self.assumed_params);
        let first_relation = self.solver.relations().len();
        let annotations = function.params.iter().filter_map(|&param| module.locals[param].annotation);
        let params: Vec<TermId> = annotations.map(|annotation| self.written(annotation)).list();
        let result = function.result.map_or(inside, |result| self.written(result));
        let body = self.solver.func(&params, result, cause);
        let mut obligations = Vec::new();
        for clause in &function.wheres {
            obligations.push(Obligation {
                relation: clause.relation.clone().unwrap_or_else(|| (&EQUAL).into()),
                args: clause.args.iter().map(|&arg| self.written(arg)).list(),
                attrs: if clause.relation.is_some() { clause.attrs.clone() } else { Attrs::none() },
            });
        }
        self.assumed_params = assumed;
        let mut params = function.type_params.clone();
        params.append(&mut self.owe_parts(def, first_relation, body, &mut obligations));
        Scheme { params, body, obligations }
    }

    /// What is written of a part of a shape, such as `N = (..S, 1)[0]`, may have no value before the rank is known: the
    /// equations for such parts, which have been posted since `first_relation`, become obligations, before those that
    /// are about the parts. The parts become parameters, which are the answer.
    fn owe_parts(
        &mut self,
        def: DefId,
        first_relation: usize,
        body: TermId,
        obligations: &mut Vec<Obligation>,
    ) -> Vec<ParamId> {
        self.solver.solve();
        let ids = (first_relation..self.solver.relations().len()).map(|i| RelationId::numbered(i as u32));
        let is_owed = |&id: &RelationId| {
            let posted = self.solver.relation(id);
            matches!(posted.state, State::Waiting(_)) && posted.relation.is(&FUNCTION)
        };
        let waiting: Vec<RelationId> = ids.filter(is_owed).list();
        let Some(&first) = waiting.first() else { return Vec::new() };
        let cause = self.solver.relation(first).cause;
        // A part that is said to equal something has the name of that.
        obligations.keep(|obligation| {
            let is_part = |&side: &TermId| self.solver.head(side).is_hole();
            let is_named = obligation.relation.is(&EQUAL) && obligation.args.iter().any(is_part);
            if let (true, &[left, right]) = (is_named, &obligation.args[..]) {
                self.solver.equal(left, right, cause);
            }
            !is_named
        });
        self.solver.solve();
        let mut roots = vec![body];
        roots.append_all(obligations.iter().flat_map(|obligation| &obligation.args).copied());
        roots.append_all(waiting.iter().flat_map(|&id| &self.solver.relation(id).args).copied());
        let holes = self.solver.holes(&roots);
        let named = self.name_params(&[Member::Def(def)], &holes);
        self.solver.quantify(&waiting, &named, cause);
        self.solver.solve();
        let owed = waiting.into_iter().map(|id| {
            let posted = self.solver.relation(id);
            Obligation { relation: posted.relation.clone(), args: posted.args.to_vec(), attrs: posted.attrs.clone() }
        });
        obligations.put_first(owed.list());
        named.into_iter().map(|(_, param)| param).list()
    }

    /// The arguments of a relation with the parameters as they were written, for what a `where` clause made of them.
    pub(crate) fn as_parameters(&mut self, function: FnId, args: &[TermId], cause: Cause) -> Vec<TermId> {
        let module = self.module;
        let mut classes = Vec::new();
        for &param in &module.functions[function].type_params {
            if let Some(&inside) = self.assumed_params.get(&param) {
                let written = Term::param(param, module.type_params[param].kind);
                classes.push((self.solver.root(inside), self.solver.fresh(written, cause)));
            }
        }
        let mut copier = Copier::new([], false, cause).replacing(classes);
        args.iter().map(|&arg| self.solver.copy(&mut copier, arg)).list()
    }

    /// Whether a relation comes from the `where` clause of a function.
    pub(crate) fn is_of_clause(&self, id: RelationId, function: FnId) -> bool {
        let at = self.whys[self.solver.relation(id).cause.0 as usize].span(self.module);
        let wheres = &self.module.functions[function].wheres;
        wheres.iter().any(|clause| clause.span.start <= at.start && at.end <= clause.span.end)
    }

    /// The written `where` clause that a relation would have to be in: that of the definition where it arose.
    pub(crate) fn clause_around(&self, group: &[Member], id: RelationId) -> Option<FnId> {
        let at = self.whys[self.solver.relation(id).cause.0 as usize].span(self.module);
        group.iter().map(|member| member.function(self.module)).find(|&function| {
            let function = &self.module.functions[function];
            !function.wheres.is_empty() && function.span.start <= at.start && at.end <= function.span.end
        })
    }
}
